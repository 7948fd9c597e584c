//! The NEON instructions that the kernels use, under their usual names. On aarch64 these are the compiler's own; in
//! the tests of other machines they are the plain Rust below, so that the kernels' logic is compared with the portable
//! twin everywhere. A lane is an element of an array here; lane 0 is the one at the lowest address.

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod real {
    pub use std::arch::aarch64::{
        float32x4_t, int8x16_t, int32x4_t, vaddq_s32, vandq_u8, vcvt_f32_f16, vcvtq_f32_s32, vdupq_laneq_s32,
        vdupq_n_f32, vdupq_n_s8, vdupq_n_s16, vdupq_n_s32, vdupq_n_u8, vfmaq_f32, vfmaq_n_f32, vfmsq_f32,
        vget_low_s8, vget_low_s16, vget_low_u8, vget_low_u16, vld1_u16, vld1q_dup_s32, vld1q_f32, vld1q_s8,
        vld1q_u8, vmlal_high_s8, vmlal_s8, vmlaq_n_s32, vmlaq_s32, vmovl_s8, vmovl_s16, vmovl_u8, vmovl_u16,
        vmull_high_s8, vmull_s8, vmulq_f32, vmulq_n_f32, vpadalq_s16, vpaddq_s16, vpaddq_s32,
        vreinterpret_f16_u16, vreinterpretq_f32_u32, vreinterpretq_s8_s32, vreinterpretq_s8_u8,
        vreinterpretq_s32_s8, vreinterpretq_s32_u32, vreinterpretq_u8_s32, vshlq_n_u32, vshrq_n_u8,
        vsraq_n_s32, vst1q_f32, vsubq_s32,
    };

    /// `acc[r] + w[4r] * y[4 LANE] + .. + w[4r + 3] * y[4 LANE + 3]` for the four lanes of `acc`. The compiler's own
    /// name for it is not stable yet.
    ///
    /// # Safety
    /// The machine has the dot product instructions, and so has the function that this is compiled into.
    #[inline(always)]
    pub unsafe fn sdot_lane<const LANE: i32>(acc: int32x4_t, w: int8x16_t, y: int8x16_t) -> int32x4_t {
        let mut out = acc;
        // SAFETY: registers only; the caller promises the instruction.
        unsafe {
            std::arch::asm!(
                "sdot {out:v}.4s, {w:v}.16b, {y:v}.4b[{lane}]",
                out = inout(vreg) out,
                w = in(vreg) w,
                y = in(vreg) y,
                lane = const LANE,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        out
    }
}
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub use real::*;

#[cfg(not(all(target_arch = "aarch64", target_endian = "little")))]
#[allow(non_camel_case_types)]
mod emulated {
    use std::array::from_fn;

    pub type int8x8_t = [i8; 8];
    pub type int8x16_t = [i8; 16];
    pub type uint8x8_t = [u8; 8];
    pub type uint8x16_t = [u8; 16];
    pub type int16x4_t = [i16; 4];
    pub type int16x8_t = [i16; 8];
    pub type uint16x4_t = [u16; 4];
    pub type uint16x8_t = [u16; 8];
    pub type float16x4_t = [half::f16; 4];
    pub type int32x4_t = [i32; 4];
    pub type uint32x4_t = [u32; 4];
    pub type float32x4_t = [f32; 4];

    /// Loads of consecutive elements, as in memory.
    macro_rules! load {
        ($($name:ident: $element:ty => $vector:ty,)*) => {$(
            pub unsafe fn $name(p: *const $element) -> $vector {
                // SAFETY: the caller keeps the elements readable.
                unsafe { p.cast::<$vector>().read_unaligned() }
            }
        )*};
    }
    load! {
        vld1q_u8: u8 => uint8x16_t,
        vld1q_s8: i8 => int8x16_t,
        vld1_u16: u16 => uint16x4_t,
        vld1q_f32: f32 => float32x4_t,
    }
    /// One element, loaded into every lane.
    pub unsafe fn vld1q_dup_s32(p: *const i32) -> int32x4_t {
        // SAFETY: the caller keeps the element readable.
        [unsafe { p.read_unaligned() }; 4]
    }
    /// Stores consecutive elements.
    pub unsafe fn vst1q_f32(p: *mut f32, v: float32x4_t) {
        // SAFETY: the caller keeps the elements writable.
        unsafe { p.cast::<float32x4_t>().write_unaligned(v) }
    }

    /// One value in every lane.
    macro_rules! dup {
        ($($name:ident: $element:ty => $vector:ty,)*) => {$(
            pub fn $name(x: $element) -> $vector {
                [x; size_of::<$vector>() / size_of::<$element>()]
            }
        )*};
    }
    dup! {
        vdupq_n_u8: u8 => uint8x16_t,
        vdupq_n_s8: i8 => int8x16_t,
        vdupq_n_s16: i16 => int16x8_t,
        vdupq_n_s32: i32 => int32x4_t,
        vdupq_n_f32: f32 => float32x4_t,
    }

    /// One lane in every lane.
    pub fn vdupq_laneq_s32<const LANE: i32>(x: int32x4_t) -> int32x4_t {
        [x[LANE as usize]; 4]
    }

    /// The lower half of the lanes.
    macro_rules! low {
        ($($name:ident: $from:ty => $to:ty,)*) => {$(
            pub fn $name(x: $from) -> $to {
                from_fn(|i| x[i])
            }
        )*};
    }
    low! {
        vget_low_s8: int8x16_t => int8x8_t,
        vget_low_u8: uint8x16_t => uint8x8_t,
        vget_low_s16: int16x8_t => int16x4_t,
        vget_low_u16: uint16x8_t => uint16x4_t,
    }

    /// Every lane in a type twice as wide.
    macro_rules! widen {
        ($($name:ident: $from:ty => $to:ty,)*) => {$(
            pub fn $name(x: $from) -> $to {
                x.map(Into::into)
            }
        )*};
    }
    widen! {
        vmovl_s8: int8x8_t => int16x8_t,
        vmovl_u8: uint8x8_t => uint16x8_t,
        vmovl_s16: int16x4_t => int32x4_t,
        vmovl_u16: uint16x4_t => uint32x4_t,
        vcvt_f32_f16: float16x4_t => float32x4_t,
    }

    /// The same bits in other lanes.
    macro_rules! reinterpret {
        ($($name:ident: $from:ty => $to:ty,)*) => {$(
            pub fn $name(x: $from) -> $to {
                // SAFETY: arrays of numbers of one size, any bits are valid.
                unsafe { std::mem::transmute::<$from, $to>(x) }
            }
        )*};
    }
    reinterpret! {
        vreinterpretq_s8_u8: uint8x16_t => int8x16_t,
        vreinterpretq_s8_s32: int32x4_t => int8x16_t,
        vreinterpretq_s32_s8: int8x16_t => int32x4_t,
        vreinterpretq_u8_s32: int32x4_t => uint8x16_t,
        vreinterpretq_s32_u32: uint32x4_t => int32x4_t,
        vreinterpretq_f32_u32: uint32x4_t => float32x4_t,
        vreinterpret_f16_u16: uint16x4_t => float16x4_t,
    }

    /// Bitwise and.
    pub fn vandq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        from_fn(|i| a[i] & b[i])
    }
    /// Logical shift right by a constant.
    pub fn vshrq_n_u8<const N: i32>(x: uint8x16_t) -> uint8x16_t {
        x.map(|x| x >> N)
    }
    /// Shift left by a constant.
    pub fn vshlq_n_u32<const N: i32>(x: uint32x4_t) -> uint32x4_t {
        x.map(|x| x << N)
    }
    /// `a + (b >> N)`, an arithmetic shift.
    pub fn vsraq_n_s32<const N: i32>(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        from_fn(|i| a[i].wrapping_add(b[i] >> N))
    }
    /// Wrapping sum.
    pub fn vaddq_s32(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        from_fn(|i| a[i].wrapping_add(b[i]))
    }
    /// Wrapping difference.
    pub fn vsubq_s32(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        from_fn(|i| a[i].wrapping_sub(b[i]))
    }
    /// `acc + a * b`, wrapping.
    pub fn vmlaq_s32(acc: int32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        from_fn(|i| acc[i].wrapping_add(a[i].wrapping_mul(b[i])))
    }
    /// `acc + a * b` with one `b`, wrapping.
    pub fn vmlaq_n_s32(acc: int32x4_t, a: int32x4_t, b: i32) -> int32x4_t {
        vmlaq_s32(acc, a, [b; 4])
    }
    /// Products of the lanes, twice as wide.
    pub fn vmull_s8(a: int8x8_t, b: int8x8_t) -> int16x8_t {
        vmlal_s8([0; 8], a, b)
    }
    /// Products of the upper lanes, twice as wide.
    pub fn vmull_high_s8(a: int8x16_t, b: int8x16_t) -> int16x8_t {
        vmlal_high_s8([0; 8], a, b)
    }
    /// `acc` and the products of the lanes, wrapping at 16 bits.
    pub fn vmlal_s8(acc: int16x8_t, a: int8x8_t, b: int8x8_t) -> int16x8_t {
        from_fn(|i| acc[i].wrapping_add(i16::from(a[i]) * i16::from(b[i])))
    }
    /// `acc` and the products of the upper lanes, wrapping at 16 bits.
    pub fn vmlal_high_s8(acc: int16x8_t, a: int8x16_t, b: int8x16_t) -> int16x8_t {
        from_fn(|i| acc[i].wrapping_add(i16::from(a[8 + i]) * i16::from(b[8 + i])))
    }
    /// `acc` and the sums of neighbours, twice as wide.
    pub fn vpadalq_s16(acc: int32x4_t, x: int16x8_t) -> int32x4_t {
        from_fn(|i| acc[i].wrapping_add(i32::from(x[2 * i]) + i32::from(x[2 * i + 1])))
    }
    /// Sums of neighbours, first of `a`, then of `b`; wrapping at 16 bits.
    pub fn vpaddq_s16(a: int16x8_t, b: int16x8_t) -> int16x8_t {
        let pair = |x: int16x8_t, i: usize| x[2 * i].wrapping_add(x[2 * i + 1]);
        from_fn(|i| if i < 4 { pair(a, i) } else { pair(b, i - 4) })
    }
    /// Sums of neighbours, first of `a`, then of `b`; wrapping.
    pub fn vpaddq_s32(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        let pair = |x: int32x4_t, i: usize| x[2 * i].wrapping_add(x[2 * i + 1]);
        from_fn(|i| if i < 2 { pair(a, i) } else { pair(b, i - 2) })
    }
    /// `acc[r] + w[4r] * y[4 LANE] + .. + w[4r + 3] * y[4 LANE + 3]` for the four lanes of `acc`.
    pub unsafe fn sdot_lane<const LANE: i32>(acc: int32x4_t, w: int8x16_t, y: int8x16_t) -> int32x4_t {
        from_fn(|r| {
            (0..4).fold(acc[r], |sum, i| {
                sum.wrapping_add(i32::from(w[4 * r + i]) * i32::from(y[4 * LANE as usize + i]))
            })
        })
    }

    /// The nearest float, ties to even.
    pub fn vcvtq_f32_s32(x: int32x4_t) -> float32x4_t {
        x.map(|x| x as f32)
    }
    /// `a * b`.
    pub fn vmulq_f32(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        from_fn(|i| a[i] * b[i])
    }
    /// `a * b` with one `b`.
    pub fn vmulq_n_f32(a: float32x4_t, b: f32) -> float32x4_t {
        a.map(|a| a * b)
    }
    /// `acc + a * b`, rounded once.
    pub fn vfmaq_f32(acc: float32x4_t, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        from_fn(|i| a[i].mul_add(b[i], acc[i]))
    }
    /// `acc + a * b` with one `b`, rounded once.
    pub fn vfmaq_n_f32(acc: float32x4_t, a: float32x4_t, b: f32) -> float32x4_t {
        vfmaq_f32(acc, a, [b; 4])
    }
    /// `acc - a * b`, rounded once.
    pub fn vfmsq_f32(acc: float32x4_t, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        from_fn(|i| (-a[i]).mul_add(b[i], acc[i]))
    }
}
#[cfg(not(all(target_arch = "aarch64", target_endian = "little")))]
pub use emulated::*;
