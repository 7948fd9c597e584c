//! 2-bit codes of rows with one scale that meet floats: decoded as they go.
//!
//! The law multiplies `w = d * q` with the input. `q` is -2, -1, 0 or 1, so `d * q` and `q * x` are exact (below 2^127), and
//! `fma(d, q * x, acc)` has the bits of `fma(d * q, x, acc)`. The four values of `q * x` are made once for an input, and the
//! lowest two bits of a word choose one for every row (`vpermilps`): no masks, no conversion, no second product.

use super::*;

/// Bytes to fetch ahead in each of two panels.
const BESIDE: usize = 1024;

/// Whole rows of `P` panels.
#[inline(always)]
pub unsafe fn run<const NC: usize, const P: usize>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    let g = *r[0].geometry;
    assert!(g.kind == Kind::Coded && g.zero == 2 && g.group == g.cols && g.cols.is_multiple_of(16));
    assert!(a.width == NC && a.floats.len() == g.cols * NC);
    let whole = |r: &Records<'_>| r.first == 0 && r.bytes.len() == g.code_bytes() + 4 * PANEL;
    assert!(r.iter().all(whole));
    // SAFETY: 64 bytes of codes for every 16 inputs and then 64 of scales, `NC` floats for every input, as asserted. The load
    // of the high half of a word ends two bytes past the codes at most, in the scales.
    unsafe {
        let codes = _mm256_setr_ps(-2.0, -1.0, 0.0, 1.0, -2.0, -1.0, 0.0, 1.0);
        let mut out = [[[_mm256_setzero_ps(); 2]; NC]; P];
        let mut d = [[_mm256_setzero_ps(); 2]; P];
        for i in 0..P {
            out[i] = load_acc::<NC>(acc[i]);
            let scales = r[i].bytes.as_ptr().add(g.code_bytes()).cast::<f32>();
            d[i] = [_mm256_loadu_ps(scales), _mm256_loadu_ps(scales.add(8))];
        }
        for b in 0..g.cols / 16 {
            let x = a.floats.as_ptr().add(b * 16 * NC);
            let mut p = [std::ptr::null::<u8>(); P];
            for i in 0..P {
                p[i] = r[i].bytes.as_ptr().add(b * 64);
                _mm_prefetch::<_MM_HINT_T0>(p[i].wrapping_add(BESIDE).cast());
            }
            macro_rules! inputs {
                ($($k:literal)*) => {$({
                    const HALF: usize = $k / 8 * 2;
                    let mut times = [_mm256_setzero_ps(); NC];
                    for c in 0..NC {
                        times[c] = _mm256_mul_ps(codes, _mm256_set1_ps(*x.add($k * NC + c)));
                    }
                    for i in 0..P {
                        for v in 0..2 {
                            let word = load(p[i].add(32 * v + HALF));
                            let code = if $k % 8 == 0 { word } else { _mm256_srli_epi32::<{ 2 * ($k % 8) }>(word) };
                            for c in 0..NC {
                                let chosen = _mm256_permutevar_ps(times[c], code);
                                out[i][c][v] = _mm256_fmadd_ps(d[i][v], chosen, out[i][c][v]);
                            }
                        }
                    }
                })*};
            }
            inputs!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        }
        for (o, acc) in out.into_iter().zip(acc.iter_mut()) {
            store_acc::<NC>(o, acc);
        }
    }
}
