//! The loops that find the limits. Each returns what it did, so that a rate is work over time; the peaks are inline
//! assembly, since a compiler would hoist a product of constants out of its loop.
//!
//! `unsafe` here: the assembly touches vector registers only, and the AVX2 read loads from inside its slice.

use std::hint::black_box;

/// Name of the integer loop and multiply-accumulates of one repetition.
pub(super) fn int8(reps: u64) -> (&'static str, u64) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vnni") {
        // SAFETY: the processor has AVX-512 VNNI.
        return unsafe { ("vpdpbusd zmm", x86::dpbusd(reps)) };
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { ("vpmaddubsw+vpaddw", x86::maddubs(reps)) };
    }
    ("portable i8 loop", portable_int8(reps))
}

/// Name of the float loop and fused multiply-adds of one repetition.
pub(super) fn fma(reps: u64) -> (&'static str, u64) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has FMA.
        return unsafe { ("vfmadd231ps", x86::fma(reps)) };
    }
    ("portable f32 loop", portable_f32(reps))
}

/// A loop that reads memory, by name, and its sum over every byte's word.
pub(super) type Read = (&'static str, fn(&[u8]) -> u64);

/// Loops that read memory: which is fastest depends on how far a processor fetches ahead by itself.
pub(super) fn reads() -> Vec<Read> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe {
            vec![
                ("AVX2 loads", |b| x86::read::<1, false>(b)),
                ("AVX2 loads, fetched ahead", |b| x86::read::<1, true>(b)),
                ("AVX2 loads, four streams", |b| x86::read::<4, false>(b)),
                ("AVX2 loads, four streams, fetched ahead", |b| x86::read::<4, true>(b)),
            ]
        };
    }
    vec![PLAIN]
}

/// The one that every machine has.
pub(super) const PLAIN: Read = ("u64 sums", portable_read);

/// Sum of the little-endian u64 words; bytes past the last whole word are left out.
fn portable_read(bytes: &[u8]) -> u64 {
    let mut sums = [0u64; 8];
    let (blocks, rest) = bytes.as_chunks::<64>();
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    let rest = rest.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w));
    sums.into_iter().chain(rest).fold(0, u64::wrapping_add)
}

const LANES: usize = 256;

fn portable_int8(reps: u64) -> u64 {
    let (a, b) = ([3i8; LANES], [5i8; LANES]);
    let mut sums = [0i16; LANES];
    for _ in 0..reps {
        let (a, b) = (black_box(&a), black_box(&b));
        for ((s, x), y) in sums.iter_mut().zip(a).zip(b) {
            *s = s.wrapping_add(i16::from(*x) * i16::from(*y));
        }
    }
    black_box(&sums);
    reps * LANES as u64
}

fn portable_f32(reps: u64) -> u64 {
    let (a, b) = ([1.5f32; LANES], [0.5f32; LANES]);
    let mut sums = [0f32; LANES];
    for _ in 0..reps {
        let (a, b) = (black_box(&a), black_box(&b));
        for ((s, x), y) in sums.iter_mut().zip(a).zip(b) {
            *s += x * y;
        }
    }
    black_box(&sums);
    reps * LANES as u64
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m256i, _MM_HINT_T0, _MM_HINT_T1, _mm_prefetch, _mm256_add_epi64, _mm256_loadu_si256,
        _mm256_setzero_si256, _mm256_storeu_si256,
    };

    /// 8 x (vpmaddubsw, vpaddw) a repetition, each its own accumulator: 256 multiply-accumulates.
    ///
    /// # Safety
    /// Needs AVX2.
    pub unsafe fn maddubs(reps: u64) -> u64 {
        if reps == 0 {
            return 0;
        }
        // SAFETY: registers only; every register written is declared, and the flags are clobbered by default.
        unsafe {
            asm!(
                "vpxor ymm0, ymm0, ymm0", "vpxor ymm1, ymm1, ymm1", "vpxor ymm2, ymm2, ymm2", "vpxor ymm3, ymm3, ymm3",
                "vpxor ymm4, ymm4, ymm4", "vpxor ymm5, ymm5, ymm5", "vpxor ymm6, ymm6, ymm6", "vpxor ymm7, ymm7, ymm7",
                "vpxor ymm14, ymm14, ymm14", "vpxor ymm15, ymm15, ymm15",
                "2:",
                "vpmaddubsw ymm8, ymm14, ymm15", "vpaddw ymm0, ymm0, ymm8",
                "vpmaddubsw ymm9, ymm14, ymm15", "vpaddw ymm1, ymm1, ymm9",
                "vpmaddubsw ymm10, ymm14, ymm15", "vpaddw ymm2, ymm2, ymm10",
                "vpmaddubsw ymm11, ymm14, ymm15", "vpaddw ymm3, ymm3, ymm11",
                "vpmaddubsw ymm12, ymm14, ymm15", "vpaddw ymm4, ymm4, ymm12",
                "vpmaddubsw ymm13, ymm14, ymm15", "vpaddw ymm5, ymm5, ymm13",
                "vpmaddubsw ymm8, ymm14, ymm15", "vpaddw ymm6, ymm6, ymm8",
                "vpmaddubsw ymm9, ymm14, ymm15", "vpaddw ymm7, ymm7, ymm9",
                "dec {n}",
                "jnz 2b",
                n = inout(reg) reps => _,
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _, out("ymm5") _,
                out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
                options(nomem, nostack),
            );
        }
        reps * 256
    }

    /// 12 x vpdpbusd on 64 bytes a repetition, each its own accumulator: 768 multiply-accumulates.
    ///
    /// # Safety
    /// Needs AVX-512 F and VNNI.
    pub unsafe fn dpbusd(reps: u64) -> u64 {
        // As many multiply-accumulates as the other loops do in `reps`.
        let reps = reps / 3;
        if reps == 0 {
            return 0;
        }
        // SAFETY: registers only, as below.
        unsafe {
            asm!(
                "vpxord zmm0, zmm0, zmm0", "vpxord zmm1, zmm1, zmm1", "vpxord zmm2, zmm2, zmm2",
                "vpxord zmm3, zmm3, zmm3", "vpxord zmm4, zmm4, zmm4", "vpxord zmm5, zmm5, zmm5",
                "vpxord zmm6, zmm6, zmm6", "vpxord zmm7, zmm7, zmm7", "vpxord zmm8, zmm8, zmm8",
                "vpxord zmm9, zmm9, zmm9", "vpxord zmm10, zmm10, zmm10", "vpxord zmm11, zmm11, zmm11",
                "vpxord zmm14, zmm14, zmm14", "vpxord zmm15, zmm15, zmm15",
                "2:",
                "vpdpbusd zmm0, zmm14, zmm15", "vpdpbusd zmm1, zmm14, zmm15", "vpdpbusd zmm2, zmm14, zmm15",
                "vpdpbusd zmm3, zmm14, zmm15", "vpdpbusd zmm4, zmm14, zmm15", "vpdpbusd zmm5, zmm14, zmm15",
                "vpdpbusd zmm6, zmm14, zmm15", "vpdpbusd zmm7, zmm14, zmm15", "vpdpbusd zmm8, zmm14, zmm15",
                "vpdpbusd zmm9, zmm14, zmm15", "vpdpbusd zmm10, zmm14, zmm15", "vpdpbusd zmm11, zmm14, zmm15",
                "dec {n}",
                "jnz 2b",
                n = inout(reg) reps => _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm14") _, out("zmm15") _,
                options(nomem, nostack),
            );
        }
        reps * 768
    }

    /// 12 x vfmadd231ps a repetition, each its own accumulator: 96 fused multiply-adds.
    ///
    /// # Safety
    /// Needs AVX and FMA.
    pub unsafe fn fma(reps: u64) -> u64 {
        if reps == 0 {
            return 0;
        }
        // SAFETY: as above.
        unsafe {
            asm!(
                "vxorps ymm0, ymm0, ymm0", "vxorps ymm1, ymm1, ymm1", "vxorps ymm2, ymm2, ymm2",
                "vxorps ymm3, ymm3, ymm3", "vxorps ymm4, ymm4, ymm4", "vxorps ymm5, ymm5, ymm5",
                "vxorps ymm6, ymm6, ymm6", "vxorps ymm7, ymm7, ymm7", "vxorps ymm8, ymm8, ymm8",
                "vxorps ymm9, ymm9, ymm9", "vxorps ymm10, ymm10, ymm10", "vxorps ymm11, ymm11, ymm11",
                "vxorps ymm14, ymm14, ymm14", "vxorps ymm15, ymm15, ymm15",
                "2:",
                "vfmadd231ps ymm0, ymm14, ymm15", "vfmadd231ps ymm1, ymm14, ymm15",
                "vfmadd231ps ymm2, ymm14, ymm15", "vfmadd231ps ymm3, ymm14, ymm15",
                "vfmadd231ps ymm4, ymm14, ymm15", "vfmadd231ps ymm5, ymm14, ymm15",
                "vfmadd231ps ymm6, ymm14, ymm15", "vfmadd231ps ymm7, ymm14, ymm15",
                "vfmadd231ps ymm8, ymm14, ymm15", "vfmadd231ps ymm9, ymm14, ymm15",
                "vfmadd231ps ymm10, ymm14, ymm15", "vfmadd231ps ymm11, ymm14, ymm15",
                "dec {n}",
                "jnz 2b",
                n = inout(reg) reps => _,
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _, out("ymm5") _,
                out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                out("ymm14") _, out("ymm15") _,
                options(nomem, nostack),
            );
        }
        reps * 96
    }

    /// Sum of the u64 words: `STREAMS` parts side by side, blocks of 256 bytes in turns, and the rest by words.
    ///
    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn read<const STREAMS: usize, const AHEAD: bool>(bytes: &[u8]) -> u64 {
        let blocks = bytes.as_chunks::<256>().0;
        let each = blocks.len() / STREAMS;
        let mut sums = [_mm256_setzero_si256(); 8];
        for i in 0..each {
            for stream in 0..STREAMS {
                let block = blocks[each * stream + i].as_ptr();
                for (i, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: i < 8, so the 32 bytes lie inside the block of 256; any address may be prefetched.
                    let v = unsafe {
                        if AHEAD && i % 2 == 0 {
                            _mm_prefetch::<_MM_HINT_T1>(block.wrapping_add(32 * i + 8192).cast());
                            _mm_prefetch::<_MM_HINT_T0>(block.wrapping_add(32 * i + 512).cast());
                        }
                        _mm256_loadu_si256(block.add(32 * i).cast::<__m256i>())
                    };
                    *sum = _mm256_add_epi64(*sum, v);
                }
            }
        }
        let mut total = super::portable_read(&bytes[256 * each * STREAMS..]);
        for sum in sums {
            let mut words = [0u64; 4];
            // SAFETY: 32 bytes of a local array.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast::<__m256i>(), sum) };
            total = words.into_iter().fold(total, u64::wrapping_add);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_see_every_word() {
        let bytes: Vec<u8> = (0..4096 + 7 * 256 + 24).map(|i| (i * 37 % 251) as u8).collect();
        let words = bytes.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap()));
        let want = words.fold(0, u64::wrapping_add);
        for (name, read) in reads() {
            assert_eq!(read(&bytes), want, "{name}");
        }
        assert_eq!(portable_read(&bytes), want);
    }

    #[test]
    fn loops_count_their_work() {
        assert!(int8(10).1 >= 10 * 32 && fma(10).1 >= 10 * 8);
        assert_eq!((int8(0).1, fma(0).1), (0, 0));
        assert_eq!((portable_int8(3), portable_f32(3)), (3 * 256, 3 * 256));
    }
}
