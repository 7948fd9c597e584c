//! A register of f32 columns, as far as the delta rule needs one. The methods are inlined into functions that are
//! compiled for the instruction set in question.

/// `N` floats.
pub trait Lanes: Copy {
    /// Number of lanes.
    const N: usize;
    /// One value in every lane.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn splat(x: f32) -> Self;
    /// `N` consecutive floats.
    ///
    /// # Safety
    /// As above, and they are readable.
    unsafe fn load(p: *const f32) -> Self;
    /// To `N` consecutive floats.
    ///
    /// # Safety
    /// As above, and they are writable.
    unsafe fn store(self, p: *mut f32);
    /// To `N` consecutive floats, past the caches where the machine can.
    ///
    /// # Safety
    /// As [`Lanes::store`], and they are aligned to a register.
    unsafe fn stream(self, p: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { self.store(p) }
    }
    /// Makes what was streamed visible before what this thread writes next.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn streamed() {}
    /// `self * x`.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn mul(self, x: Self) -> Self;
    /// `self * x + acc`, rounded once.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn fma(self, x: Self, acc: Self) -> Self;
}

impl Lanes for f32 {
    const N: usize = 1;
    #[inline(always)]
    unsafe fn splat(x: f32) -> f32 {
        x
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> f32 {
        // SAFETY: the caller's promise.
        unsafe { *p }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { *p = self }
    }
    #[inline(always)]
    unsafe fn mul(self, x: f32) -> f32 {
        self * x
    }
    #[inline(always)]
    unsafe fn fma(self, x: f32, acc: f32) -> f32 {
        self.mul_add(x, acc)
    }
}

/// A register type by its six instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! register {
    ($type:ty, $n:literal, $splat:ident, $load:ident, $store:ident, $stream:ident, $mul:ident, $fma:ident) => {
        impl Lanes for $type {
            const N: usize = $n;
            #[inline(always)]
            unsafe fn splat(x: f32) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            unsafe fn load(p: *const f32) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $load(p) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut f32) {
                // SAFETY: the caller's promise.
                unsafe { $store(p, self) }
            }
            #[inline(always)]
            unsafe fn stream(self, p: *mut f32) {
                // SAFETY: the caller's promise.
                unsafe { $stream(p, self) }
            }
            #[inline(always)]
            unsafe fn streamed() {
                // SAFETY: every one of these processors has SSE.
                unsafe { _mm_sfence() }
            }
            #[inline(always)]
            unsafe fn mul(self, x: Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $mul(self, x) }
            }
            #[inline(always)]
            unsafe fn fma(self, x: Self, acc: Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $fma(self, x, acc) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    register!(
        __m256,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_stream_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps
    );
    register!(
        __m512,
        16,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_stream_ps,
        _mm512_mul_ps,
        _mm512_fmadd_ps
    );
}

#[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
#[allow(unused_unsafe)] // the twins of other machines are safe functions
impl Lanes for crate::simd::float32x4_t {
    const N: usize = 4;
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { crate::simd::vdupq_n_f32(x) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { crate::simd::vld1q_f32(p) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { crate::simd::vst1q_f32(p, self) }
    }
    #[inline(always)]
    unsafe fn mul(self, x: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { crate::simd::vmulq_f32(self, x) }
    }
    #[inline(always)]
    unsafe fn fma(self, x: Self, acc: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { crate::simd::vfmaq_f32(acc, self, x) }
    }
}
