//! The gated delta rule and its convolution, one row after the other: decode, verify and prefill are this one path
//! (contract C5).
//!
//! * Convolution: one chain of fused multiply-adds over the taps, oldest input first, from 0; then silu.
//! * q and k: `x * (1 / sqrt(sum + 1e-6))` with the sum of squares of [`numerics::inverse_length`]; q then times
//!   `1 / sqrt(k_dim)`, rounded to f32.
//! * A head's state `S[i][j]`, `i` over k and `j` over v, is f32 at rest. For every column `j`:
//!   `m = sum over i of k[i] * S[i][j]`, one chain of fused multiply-adds, `i` ascending, from 0;
//!   `u = beta * fma(-decay, m, v[j])`; then for `i` ascending `S[i][j] = fma(k[i], u, decay * S[i][j])` and
//!   `out = fma(q[i], S[i][j], out)`, from 0.
//!
//! Columns share nothing, so lanes and threads take columns; no sum is ever divided.

use sterna_plan::numerics;

use crate::numbers::DeltaRow;

/// One channel of the convolution.
pub(super) fn conv(weight: &[f32], window: &[f32]) -> f32 {
    let mut sum = 0f32;
    for (w, x) in weight.iter().zip(window) {
        sum = w.mul_add(*x, sum);
    }
    numerics::silu(sum)
}

/// `x` over its length, then times `scale`.
pub(super) fn unit(x: &mut [f32], scale: Option<f32>) {
    let inverse = numerics::inverse_length(x);
    for x in x {
        *x *= inverse;
        if let Some(scale) = scale {
            *x *= scale;
        }
    }
}

/// One row and head.
pub(super) fn step(row: &DeltaRow<'_, f32>, s: &mut [f32], out: &mut [f32]) {
    let columns = out.len();
    for (j, out) in out.iter_mut().enumerate() {
        let mut held = 0f32;
        for (k, s) in row.k.iter().zip(s.chunks_exact(columns)) {
            held = k.mul_add(s[j], held);
        }
        let u = row.beta * (-row.decay).mul_add(held, row.v[j]);
        *out = 0.0;
        for ((k, q), s) in row.k.iter().zip(row.q).zip(s.chunks_exact_mut(columns)) {
            s[j] = k.mul_add(u, row.decay * s[j]);
            *out = q.mul_add(s[j], *out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows by hand: what is written under a key is read back, and corrected, not added to.
    #[test]
    fn a_key_recalls_its_value() {
        let (k, mut s, mut out) = ([1.0, 0.0], [0f32; 4], [9f32; 2]);
        let row =
            |v: &'static [f32], beta, decay| DeltaRow { q: &[0.5, 0.0], k: &[1.0, 0.0], v, beta, decay };
        step(&row(&[4.0, 8.0], 1.0, 0.5), &mut s, &mut out);
        assert_eq!((s, out), ([4.0, 8.0, 0.0, 0.0], [2.0, 4.0]));
        // decay 0.5 leaves [2, 4]; half of the way from there to [6, 4] is [4, 4].
        step(&row(&[6.0, 4.0], 0.5, 0.5), &mut s, &mut out);
        assert_eq!((s, out), ([4.0, 4.0, 0.0, 0.0], [2.0, 2.0]));
        assert_eq!(k.len(), 2);
    }

    #[test]
    fn sums_are_chains_in_the_written_order() {
        let third = 1f32 / 3.0;
        // 3 * third - 1 is 0 in two steps and the product's rounding error in one.
        let y = conv(&[1.0, 3.0], &[-1.0, third]);
        assert_eq!(y, numerics::silu(3f32.mul_add(third, -1.0)));
        assert!(y != 0.0);
        let mut x = [3.0, 4.0];
        unit(&mut x, Some(0.5));
        assert!((x[0] - 0.3).abs() < 1e-7 && (x[1] - 0.4).abs() < 1e-7, "{x:?}");
    }
}
