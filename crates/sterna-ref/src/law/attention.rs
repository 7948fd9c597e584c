//! Attention in pieces of fixed length by absolute position, merged in ascending order (contract C4).
//!
//! A window cuts the first piece that it reaches into: keys before it are not seen, and those that are keep their lanes.
//!
//! In a piece: every score is one chain of fused multiply-adds over the head's dimensions, from 0, times `scale`;
//! the maximum is taken over the keys that the query sees; `e = exp(score - maximum)`; the sum of `e` goes to eight
//! lanes by position in the piece, ascending, then the tree; every output is one chain over keys, ascending, from 0. The first
//! piece stands as it is, each later one is merged with [`Softmax::merge`]; the division by the sum is last.

use half::f16;
use sterna_plan::numerics::{self, LANES, Softmax};

use crate::numbers::KeyValues;

/// One query head over all pieces.
pub(super) fn attend(q: &[f32], kv: &KeyValues<'_, f16>, scale: f32, piece: usize, out: &mut [f32]) {
    let mut total: Option<Softmax> = None;
    let mut values = vec![0f32; kv.dim];
    for start in (kv.first / piece * piece..kv.count).step_by(piece) {
        let (skip, end) = (kv.first.saturating_sub(start), kv.count.min(start + piece));
        let part = attend_piece(q, kv, scale, start..end, skip, &mut values);
        total = Some(match total {
            None => {
                out.copy_from_slice(&values);
                part
            }
            Some(before) => {
                let (old, new, merged) = before.merge(part);
                for (o, v) in out.iter_mut().zip(&values) {
                    *o = o.mul_add(old, v * new);
                }
                merged
            }
        });
    }
    let sum = total.map_or(f32::NAN, |t| t.sum);
    for o in out {
        *o /= sum;
    }
}

fn attend_piece(
    q: &[f32],
    kv: &KeyValues<'_, f16>,
    scale: f32,
    keys: std::ops::Range<usize>,
    skip: usize,
    values: &mut [f32],
) -> Softmax {
    let score = |j: usize| {
        let mut acc = 0f32;
        for (q, k) in q.iter().zip(kv.key(j)) {
            acc = q.mul_add(k.to_f32(), acc);
        }
        acc * scale
    };
    let scores: Vec<f32> = keys.clone().skip(skip).map(score).collect();
    let max = scores.iter().fold(f32::NEG_INFINITY, |m, s| if *s > m { *s } else { m });
    let mut lanes = [0f32; LANES];
    values.fill(0.0);
    for (j, (score, key)) in (skip..).zip(scores.into_iter().zip(keys.skip(skip))) {
        let e = numerics::exp(score - max);
        lanes[j % LANES] += e;
        for (o, v) in values.iter_mut().zip(kv.value(key)) {
            *o = e.mul_add(v.to_f32(), *o);
        }
    }
    Softmax { max, sum: numerics::tree(lanes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(values: &[f32]) -> Vec<f16> {
        values.iter().map(|v| f16::from_f32(*v)).collect()
    }

    #[test]
    fn equal_keys_average_their_values_and_the_future_is_not_seen() {
        let cells = cells(&[9.0, 1.0, 9.0, 10.0, 9.0, 1.0, 9.0, 20.0, 9.0, 99.0, 9.0, f32::NAN]);
        let kv = KeyValues { cells: &cells, width: 2, start: 1, dim: 1, first: 0, count: 2 };
        let mut out = [0.0];
        attend(&[2.0], &kv, 0.5, 64, &mut out);
        assert_eq!(out, [15.0]);
    }

    /// Two pieces of one key each, by hand.
    #[test]
    fn pieces_are_merged_as_written() {
        let cells = cells(&[1.0, 10.0, 3.0, 20.0]);
        let kv = KeyValues { cells: &cells, width: 1, start: 0, dim: 1, first: 0, count: 2 };
        let mut out = [0.0];
        attend(&[1.0], &kv, 0.5, 1, &mut out);
        let (a, b) = (numerics::exp(0.5 - 1.5), numerics::exp(0.0));
        let want = 10f32.mul_add(a, 20.0 * b) / 1f32.mul_add(a, 1.0 * b);
        assert_eq!(out[0].to_bits(), want.to_bits());
    }

    /// The sum of `e` is by lanes: with 8 keys of weight 1 and one tiny one, key 8 joins lane 0.
    #[test]
    fn the_sum_is_by_lanes() {
        let low = -16.7; // exp(-16.7) is below half an ulp of 8 but not of 1
        let mut flat = vec![];
        for j in 0..9 {
            flat.extend([if j == 8 { low } else { 0.0 }, 1.0]);
        }
        let cells = cells(&flat);
        let kv = KeyValues { cells: &cells, width: 1, start: 0, dim: 1, first: 0, count: 9 };
        let mut values = [0.0];
        let part = attend_piece(&[1.0], &kv, 1.0, 0..9, 0, &mut values);
        let tiny = numerics::exp(cells[16].to_f32());
        let mut lanes = [1f32; 8];
        lanes[0] += tiny;
        assert_eq!(part, Softmax { max: 0.0, sum: numerics::tree(lanes) });
        assert_eq!(values[0], tiny.mul_add(1.0, 8.0));
    }
}
