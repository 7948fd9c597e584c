//! Attention of one row over its keys, piece by piece in ascending order (contract C4).
//!
//! The order of every sum is the one written in `sterna-ref`: a score is one chain over the dimensions; inside a
//! piece the exponentials are added in eight lanes by position and an output dimension is one chain over the positions;
//! pieces are merged as `sterna_plan::numerics::Softmax::merge` says.

#[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
mod neon;

use std::ops::Range;

use half::f16;
use sterna_plan::numerics::{self, LANES, Softmax};

use crate::isa::Isa;

/// Positions of a piece; the plan's constant, checked at load.
pub const PIECE: usize = 64;
/// Query heads that share one reading of keys and values.
const HEADS: usize = 4;

/// Keys and values of one kv head as far as a row sees them.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// `[piece][dim][64]` f16, as far as the tail, or all that a ring holds.
    pub keys: &'a [u16],
    /// `[position][dim]` f16, whole pieces, as far.
    pub values: &'a [u16],
    /// What a row of a tree sees last.
    pub tail: Tail<'a>,
    /// First position seen.
    pub start: usize,
    /// Positions after which `keys` and `values` begin anew, whole pieces.
    pub ring: usize,
    /// One past the last position seen.
    pub len: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Factor on scores.
    pub scale: f32,
}

/// The last keys and values, in memory of their own, laid out as the others.
#[derive(Clone, Copy)]
pub struct Tail<'a> {
    /// First position, a multiple of 64; the number of positions seen if there is no tail.
    pub first: usize,
    /// `[piece][dim][64]` f16.
    pub keys: &'a [u16],
    /// `[position][dim]` f16.
    pub values: &'a [u16],
}

impl<'a> Seen<'a> {
    /// Keys and values from position `first` on, a multiple of 64.
    #[inline(always)]
    fn from(&self, first: usize) -> (&'a [u16], &'a [u16]) {
        let d = self.head_dim;
        match first.checked_sub(self.tail.first) {
            Some(first) => (&self.tail.keys[first * d..], &self.tail.values[first * d..]),
            None => {
                let at = first % self.ring;
                (&self.keys[at * d..], &self.values[at * d..])
            }
        }
    }

    /// The first positions of the pieces that are seen, in whole or in part.
    #[inline(always)]
    fn pieces(&self) -> impl Iterator<Item = usize> + use<> {
        (self.start / PIECE * PIECE..self.len).step_by(PIECE)
    }

    /// Of the piece from `first` on, the positions that are seen.
    #[inline(always)]
    fn part(&self, first: usize) -> Range<usize> {
        self.start.saturating_sub(first)..(self.len - first).min(PIECE)
    }

    /// Whether everything seen is there.
    fn whole(&self) -> bool {
        let d = self.head_dim;
        let body = self.tail.first.min(self.len);
        let tail = self.len - body;
        let holds = |keys: &[u16], values: &[u16], n: usize| {
            keys.len() >= n.div_ceil(PIECE) * PIECE * d && values.len() >= n * d
        };
        let cut = tail == 0 || body.is_multiple_of(PIECE);
        let ring = self.ring > 0 && self.ring.is_multiple_of(PIECE) && self.len - self.start <= self.ring;
        let body = body.min(self.ring);
        let tailed = holds(self.tail.keys, self.tail.values, tail);
        cut && ring && self.start < self.len && holds(self.keys, self.values, body) && tailed
    }
}

/// Scratch of one thread.
#[derive(Default)]
pub struct Scratch {
    scores: Vec<[f32; PIECE]>,
    sums: Vec<f32>,
}

impl Scratch {
    /// Room for heads of `head_dim`.
    pub fn new(head_dim: usize) -> Self {
        Self { scores: vec![[0.0; PIECE]; HEADS], sums: vec![0.0; HEADS * head_dim] }
    }
}

/// Attention of the query heads in `q` (`[heads][dim]`) that share a kv head, into `out` (the same shape).
pub fn row(isa: Isa, q: &[f32], seen: Seen<'_>, out: &mut [f32], s: &mut Scratch) {
    let d = seen.head_dim;
    for (q, out) in q.chunks(HEADS * d).zip(out.chunks_mut(HEADS * d)) {
        #[cfg(target_arch = "x86_64")]
        if isa >= Isa::Avx2 && d.is_multiple_of(8) {
            // SAFETY: this one and those above it are only made after detection.
            unsafe {
                match q.len() / d {
                    1 => avx2::heads::<1>(q, seen, out, s),
                    2 => avx2::heads::<2>(q, seen, out, s),
                    3 => avx2::heads::<3>(q, seen, out, s),
                    _ => avx2::heads::<4>(q, seen, out, s),
                }
            }
            continue;
        }
        #[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
        if matches!(isa, Isa::Neon | Isa::NeonDot) && d.is_multiple_of(4) {
            match q.len() / d {
                1 => neon::heads::<1>(q, seen, out, s),
                2 => neon::heads::<2>(q, seen, out, s),
                3 => neon::heads::<3>(q, seen, out, s),
                _ => neon::heads::<4>(q, seen, out, s),
            }
            continue;
        }
        let _ = isa;
        portable(q, seen, out, s);
    }
}

/// Turns the scores of one piece into exponentials, those of the positions `seen`; returns the piece's maximum and sum.
#[inline(always)]
fn softmax(scores: &mut [f32; PIECE], seen: Range<usize>, scale: f32) -> Softmax {
    let mut max = f32::NEG_INFINITY;
    for s in &mut scores[seen.clone()] {
        *s *= scale;
        max = if *s > max { *s } else { max };
    }
    for s in &mut scores[seen.clone()] {
        *s = numerics::exp(*s - max);
    }
    // Adding the zeros of unseen positions changes no bit of a sum that is never negative.
    scores[..seen.start].fill(0.0);
    scores[seen.end..].fill(0.0);
    let mut lanes = [0f32; LANES];
    for eight in scores.chunks_exact(LANES) {
        for (l, e) in lanes.iter_mut().zip(eight) {
            *l += e;
        }
    }
    Softmax { max, sum: numerics::tree(lanes) }
}

/// Merges a piece's values into the output; the first piece is taken as it is.
#[inline(always)]
fn merge(so_far: Option<Softmax>, piece: Softmax, sums: &[f32], out: &mut [f32]) -> Softmax {
    let Some(old) = so_far else {
        out.copy_from_slice(sums);
        return piece;
    };
    let (a, b, merged) = old.merge(piece);
    for (o, s) in out.iter_mut().zip(sums) {
        *o = o.mul_add(a, s * b);
    }
    merged
}

fn portable(q: &[f32], seen: Seen<'_>, out: &mut [f32], s: &mut Scratch) {
    let d = seen.head_dim;
    let value = |bits: u16| f16::from_bits(bits).to_f32();
    for (q, out) in q.chunks_exact(d).zip(out.chunks_exact_mut(d)) {
        let mut state = None;
        for first in seen.pieces() {
            let part = seen.part(first);
            let scores = &mut s.scores[0];
            scores.fill(0.0);
            let (keys, values) = seen.from(first);
            for (x, keys) in q.iter().zip(keys.chunks_exact(PIECE)) {
                for (score, key) in scores[..part.end].iter_mut().zip(keys) {
                    *score = x.mul_add(value(*key), *score);
                }
            }
            let piece = softmax(scores, part.clone(), seen.scale);
            let sums = &mut s.sums[..d];
            sums.fill(0.0);
            let values = values.chunks_exact(d).skip(part.start);
            for (e, values) in scores[part].iter().zip(values) {
                for (sum, v) in sums.iter_mut().zip(values) {
                    *sum = e.mul_add(value(*v), *sum);
                }
            }
            state = Some(merge(state, piece, sums, out));
        }
        let total = state.map_or(1.0, |s| s.sum);
        for o in out {
            *o /= total;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{PIECE, Range, Scratch, Seen, merge, softmax};
    use std::arch::x86_64::*;

    /// `N` query heads over one kv head.
    #[target_feature(enable = "avx2,fma,f16c")]
    pub unsafe fn heads<const N: usize>(q: &[f32], seen: Seen<'_>, out: &mut [f32], s: &mut Scratch) {
        let d = seen.head_dim;
        assert!(q.len() == N * d && out.len() == N * d && s.sums.len() >= N * d && d.is_multiple_of(8));
        assert!(seen.whole());
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
                values::<N>(&s.scores, part, of_piece.as_ptr(), d, &mut s.sums);
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
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn scores<const N: usize>(
        q: &[f32],
        d: usize,
        keys: *const u16,
        valid: usize,
        out: &mut [[f32; PIECE]],
    ) {
        for at in (0..valid).step_by(16) {
            let mut sum = [[_mm256_setzero_ps(); 2]; N];
            for i in 0..d {
                // SAFETY: row `i` of the piece holds 64 keys.
                unsafe {
                    let k = keys.add(i * PIECE + at);
                    let k0 = _mm256_cvtph_ps(_mm_loadu_si128(k.cast()));
                    let k1 = _mm256_cvtph_ps(_mm_loadu_si128(k.add(8).cast()));
                    for (h, sum) in sum.iter_mut().enumerate() {
                        let x = _mm256_set1_ps(*q.get_unchecked(h * d + i));
                        sum[0] = _mm256_fmadd_ps(x, k0, sum[0]);
                        sum[1] = _mm256_fmadd_ps(x, k1, sum[1]);
                    }
                }
            }
            for (sum, out) in sum.iter().zip(out.iter_mut()) {
                // SAFETY: `at + 16 <= 64`.
                unsafe {
                    _mm256_storeu_ps(out.as_mut_ptr().add(at), sum[0]);
                    _mm256_storeu_ps(out.as_mut_ptr().add(at + 8), sum[1]);
                }
            }
        }
    }

    /// `sums[head][dim]`: chains over the positions, sixteen dimensions at a time.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn values<const N: usize>(
        e: &[[f32; PIECE]],
        seen: Range<usize>,
        v: *const u16,
        d: usize,
        sums: &mut [f32],
    ) {
        let mut at = 0;
        while at < d {
            let two = at + 16 <= d;
            let mut sum = [[_mm256_setzero_ps(); 2]; N];
            for j in seen.clone() {
                // SAFETY: position `j` holds `d` values and `at + 8 <= d`.
                unsafe {
                    let p = v.add(j * d + at);
                    let v0 = _mm256_cvtph_ps(_mm_loadu_si128(p.cast()));
                    let v1 = if two { _mm256_cvtph_ps(_mm_loadu_si128(p.add(8).cast())) } else { v0 };
                    for (h, sum) in sum.iter_mut().enumerate() {
                        let x = _mm256_set1_ps(*e.get_unchecked(h).get_unchecked(j));
                        sum[0] = _mm256_fmadd_ps(x, v0, sum[0]);
                        sum[1] = _mm256_fmadd_ps(x, v1, sum[1]);
                    }
                }
            }
            for (h, sum) in sum.iter().enumerate() {
                // SAFETY: `sums` holds `N * d` and `at + 8 <= d`.
                unsafe {
                    _mm256_storeu_ps(sums.as_mut_ptr().add(h * d + at), sum[0]);
                    if two {
                        _mm256_storeu_ps(sums.as_mut_ptr().add(h * d + at + 8), sum[1]);
                    }
                }
            }
            at += 16;
        }
    }
}
