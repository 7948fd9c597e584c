//! Attention with NEON: four positions or four dimensions a register, the same chains as the portable twin. Half floats
//! are widened by the instruction that every 64-bit ARM has; done one by one they cost a call each.

use super::{PIECE, Range, Scratch, Seen, merge, softmax};
use crate::simd::*;

/// 4 half floats.
///
/// # Safety
/// They are readable.
#[inline(always)]
unsafe fn halves4(p: *const u16) -> float32x4_t {
    // SAFETY: the caller's promise.
    unsafe { vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))) }
}

/// `N` query heads over one kv head whose width is a multiple of 4.
pub fn heads<const N: usize>(q: &[f32], seen: Seen<'_>, out: &mut [f32], s: &mut Scratch) {
    let d = seen.head_dim;
    assert!(q.len() == N * d && out.len() == N * d && s.sums.len() >= N * d && d.is_multiple_of(4));
    assert!(seen.whole());
    assert!(s.scores.len() >= N);
    let mut state = [None; N];
    for first in seen.pieces() {
        let part = seen.part(first);
        let (keys, of_piece) = seen.from(first);
        assert!(keys.len() >= PIECE * d && of_piece.len() >= part.end * d);
        // SAFETY: a whole piece of keys and `part.end` values lie behind `first`, as asserted.
        unsafe {
            scores::<N>(q, d, keys.as_ptr(), part.end, &mut s.scores);
            let mut piece = [None; N];
            for (p, scores) in piece.iter_mut().zip(&mut s.scores) {
                *p = Some(softmax(scores, part.clone(), seen.scale));
            }
            let v = of_piece.as_ptr();
            let mut at = 0;
            while at + 16 <= d {
                values::<N, 4>(&s.scores, part.clone(), v, d, at, &mut s.sums);
                at += 16;
            }
            while at < d {
                values::<N, 1>(&s.scores, part.clone(), v, d, at, &mut s.sums);
                at += 4;
            }
            for (h, (state, piece)) in state.iter_mut().zip(piece).enumerate() {
                if let Some(piece) = piece {
                    *state = Some(merge(*state, piece, &s.sums[h * d..][..d], &mut out[h * d..][..d]));
                }
            }
        }
    }
    for (state, out) in state.iter().zip(out.chunks_exact_mut(d)) {
        let total = state.map_or(1.0, |s| s.sum);
        for o in out {
            *o /= total;
        }
    }
}

/// `scores[head][position]`: chains over the dimensions, sixteen positions at a time.
///
/// # Safety
/// `keys` are a whole piece of width `d`, `q` has `N` heads.
#[inline(always)]
unsafe fn scores<const N: usize>(
    q: &[f32],
    d: usize,
    keys: *const u16,
    valid: usize,
    out: &mut [[f32; PIECE]],
) {
    for at in (0..valid).step_by(16) {
        // SAFETY: row `i` of the piece holds 64 keys and `at + 16 <= 64`; `q` holds `N * d`.
        unsafe {
            let mut sum = [[vdupq_n_f32(0.0); 4]; N];
            for i in 0..d {
                for v in 0..4 {
                    let k = halves4(keys.add(i * PIECE + at + 4 * v));
                    for (h, sum) in sum.iter_mut().enumerate() {
                        sum[v] = vfmaq_n_f32(sum[v], k, *q.get_unchecked(h * d + i));
                    }
                }
            }
            for (sum, out) in sum.iter().zip(out.iter_mut()) {
                for (v, sum) in sum.iter().enumerate() {
                    vst1q_f32(out.as_mut_ptr().add(at + 4 * v), *sum);
                }
            }
        }
    }
}

/// `sums[head][at ..]`, `V` registers of them: chains over the positions.
///
/// # Safety
/// `values` hold `seen.end` rows of width `d`, `at + 4 V <= d`, `sums` have room for `N * d`, `e` has `N` heads.
#[inline(always)]
unsafe fn values<const N: usize, const V: usize>(
    e: &[[f32; PIECE]],
    seen: Range<usize>,
    values: *const u16,
    d: usize,
    at: usize,
    sums: &mut [f32],
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sum = [[vdupq_n_f32(0.0); V]; N];
        for j in seen {
            for v in 0..V {
                let x = halves4(values.add(j * d + at + 4 * v));
                for (h, sum) in sum.iter_mut().enumerate() {
                    sum[v] = vfmaq_n_f32(sum[v], x, *e.get_unchecked(h).get_unchecked(j));
                }
            }
        }
        for (h, sum) in sum.iter().enumerate() {
            for (v, sum) in sum.iter().enumerate() {
                vst1q_f32(sums.as_mut_ptr().add(h * d + at + 4 * v), *sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use half::f16;

    use crate::attention::{PIECE, Scratch, Seen, Tail, row};
    use crate::isa::Isa;

    fn noise(seed: u64, at: usize) -> f32 {
        let z = (seed << 32 ^ at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((z >> 40) as f32 / (1 << 23) as f32) - 1.0
    }

    /// Any number of heads, any length, widths that fill registers and that do not.
    #[test]
    fn neon_gives_the_bits_of_the_portable_twin() {
        for d in [4, 8, 20, 64, 128] {
            for len in [1, 2, 15, 16, 17, 63, 64, 65, 150] {
                let pieces = usize::div_ceil(len, PIECE);
                let half =
                    |seed, n| (0..n).map(|i| f16::from_f32(noise(seed, i)).to_bits()).collect::<Vec<_>>();
                let (keys, values) = (half(1, pieces * PIECE * d), half(2, pieces * PIECE * d));
                let tail = Tail { first: len, keys: &[], values: &[] };
                let ring = pieces * PIECE;
                let seen = Seen {
                    keys: &keys,
                    values: &values,
                    tail,
                    start: 0,
                    ring,
                    len,
                    head_dim: d,
                    scale: 0.37,
                };
                for heads in 1..=6 {
                    let q: Vec<f32> = (0..heads * d).map(|i| noise(3, i) * 4.0).collect();
                    let see = |isa, seen: Seen<'_>| {
                        let mut out = vec![0f32; heads * d];
                        row(isa, &q, seen, &mut out, &mut Scratch::new(d));
                        out.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
                    };
                    let want = see(Isa::Portable, seen);
                    for isa in [Isa::Neon, Isa::detect()] {
                        assert!(see(isa, seen) == want, "{isa:?}: {heads} heads of {d}, {len} positions");
                    }
                    // A window over a ring of as few pieces as hold it, whose other places are not finite.
                    for window in [1, 7, 64, 70].into_iter().filter(|w| *w < len) {
                        let start = len - window;
                        let ring = (window + 63).next_multiple_of(PIECE);
                        let mut around = [vec![0x7e00u16; ring * d], vec![0x7e00; ring * d]];
                        for p in start..len {
                            let (from, to) = (p / PIECE * PIECE, p % ring / PIECE * PIECE);
                            for i in 0..d {
                                let at = i * PIECE + p % PIECE;
                                around[0][to * d + at] = keys[from * d + at];
                                around[1][p % ring * d + i] = values[p * d + i];
                            }
                        }
                        let want = see(Isa::Portable, Seen { start, ..seen });
                        let seen = Seen { keys: &around[0], values: &around[1], start, ring, ..seen };
                        for isa in [Isa::Portable, Isa::Neon, Isa::detect()] {
                            assert!(see(isa, seen) == want, "{isa:?}: window {window} of {len}, width {d}");
                        }
                        assert!(want.iter().all(|v| f32::from_bits(*v).is_finite()));
                    }
                    // The end in memory of its own.
                    for first in (0..len).step_by(PIECE) {
                        let (keys, end) = keys.split_at(first * d);
                        let (values, last) = values.split_at(first * d);
                        let tail = Tail { first, keys: end, values: last };
                        let cut = Seen { keys, values, tail, ..seen };
                        for isa in [Isa::Portable, Isa::Neon, Isa::detect()] {
                            assert!(
                                see(isa, cut) == want,
                                "{isa:?}: {heads} heads of {d}, tail from {first}"
                            );
                        }
                    }
                }
            }
        }
    }
}
