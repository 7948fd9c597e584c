//! Ops on one row at a time: norm, rotation, activation functions. Ordinary Rust over the scalar definitions of
//! [`sterna_plan::numerics`], compiled for every instruction set.

use crate::isa::{Isa, multiversion};
use crate::pack::PANEL;
use sterna_plan::numerics;

multiversion! {
    /// `out = rms_norm(x) * weight`, on every piece of `weight.len()` columns.
    pub fn rms_norm(isa, x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
        for (x, out) in x.chunks_exact(weight.len()).zip(out.chunks_exact_mut(weight.len())) {
            numerics::rms_norm(x, weight, eps, out);
        }
    }
}

multiversion! {
    /// As [`rms_norm`], in place.
    pub fn rms_norm_in_place(isa, x: &mut [f32], weight: &[f32], eps: f32) {
        for x in x.chunks_exact_mut(weight.len()) {
            let inv = numerics::inverse_rms(x, eps);
            for (x, w) in x.iter_mut().zip(weight) {
                *x = (*x * inv) * w;
            }
        }
    }
}

multiversion! {
    /// Every piece of `width` columns over its root mean square, in place.
    pub fn normalise_in_place(isa, x: &mut [f32], width: usize, eps: f32) {
        for x in x.chunks_exact_mut(width) {
            let inv = numerics::inverse_rms(x, eps);
            for x in x {
                *x *= inv;
            }
        }
    }
}

multiversion! {
    /// Rotates the first `table.len()` dimensions of every head; `table` is cosines, then sines.
    pub fn rotate(isa, heads: &mut [f32], head_dim: usize, table: &[f32]) {
        let (cos, sin) = table.split_at(table.len() / 2);
        for head in heads.chunks_exact_mut(head_dim) {
            let (a, b) = head[..table.len()].split_at_mut(cos.len());
            for (((a, b), c), s) in a.iter_mut().zip(b).zip(cos).zip(sin) {
                (*a, *b) = numerics::rotate(*a, *b, *c, *s);
            }
        }
    }
}

multiversion! {
    /// `out = silu(gate) * up`.
    pub fn silu_mul(isa, gate: &[f32], up: &[f32], out: &mut [f32]) {
        for ((o, g), u) in out.iter_mut().zip(gate).zip(up) {
            *o = numerics::silu(*g) * u;
        }
    }
}

multiversion! {
    /// `out = gelu(gate) * up`.
    pub fn gelu_mul(isa, gate: &[f32], up: &[f32], out: &mut [f32]) {
        for ((o, g), u) in out.iter_mut().zip(gate).zip(up) {
            *o = numerics::gelu(*g) * u;
        }
    }
}

multiversion! {
    /// `x = silu(gate) * x`.
    pub fn silu_mul_in_place(isa, gate: &[f32], x: &mut [f32]) {
        for (x, g) in x.iter_mut().zip(gate) {
            *x *= numerics::silu(*g);
        }
    }
}

multiversion! {
    /// `x = sigmoid(gate) * x`.
    pub fn sigmoid_mul(isa, gate: &[f32], x: &mut [f32]) {
        for (x, g) in x.iter_mut().zip(gate) {
            *x *= numerics::sigmoid(*g);
        }
    }
}

multiversion! {
    /// `x` over its length.
    pub fn unit(isa, x: &mut [f32]) {
        let inverse = numerics::inverse_length(x);
        for x in x {
            *x *= inverse;
        }
    }
}

multiversion! {
    /// `out[c] = silu(sum of weight[j][c] * window[j][c])`, one chain over the taps, oldest first; `weight` is
    /// `[taps][stride]`.
    pub fn conv(isa, weight: &[f32], stride: usize, window: &[&[f32]], out: &mut [f32]) {
        out.fill(0.0);
        for (w, x) in weight.chunks(stride).zip(window) {
            for ((o, w), x) in out.iter_mut().zip(w).zip(*x) {
                *o = w.mul_add(*x, *o);
            }
        }
        for o in out {
            *o = numerics::silu(*o);
        }
    }
}

multiversion! {
    /// `out = fma(factor, x, out)`.
    pub fn add_scaled(isa, x: &[f32], factor: f32, out: &mut [f32]) {
        for (o, x) in out.iter_mut().zip(x) {
            *o = factor.mul_add(*x, *o);
        }
    }
}

multiversion! {
    /// `out = fma(factor, rms_norm(x) * weight, out) * scale`, on every piece of `weight.len()` columns.
    pub fn add_normed(isa, x: &[f32], weight: &[f32], eps: f32, factor: f32, scale: f32, out: &mut [f32]) {
        for (x, out) in x.chunks_exact(weight.len()).zip(out.chunks_exact_mut(weight.len())) {
            let inv = numerics::inverse_rms(x, eps);
            for ((o, x), w) in out.iter_mut().zip(x).zip(weight) {
                *o = factor.mul_add((x * inv) * w, *o) * scale;
            }
        }
    }
}

multiversion! {
    /// `out = fma(factor, rms_norm(x) * weight, residual) * scale`, whole rows: the bits of [`add_normed`].
    pub fn join(isa, residual: &[f32], x: &[f32], weight: &[f32], eps: f32, factor: f32, scale: f32, out: &mut [f32]) {
        let inv = numerics::inverse_rms(x, eps);
        for (((o, r), x), w) in out.iter_mut().zip(residual).zip(x).zip(weight) {
            *o = factor.mul_add((x * inv) * w, *r) * scale;
        }
    }
}

multiversion! {
    /// `out = x * factor`.
    pub fn scale(isa, x: &[f32], factor: f32, out: &mut [f32]) {
        for (o, x) in out.iter_mut().zip(x) {
            *o = x * factor;
        }
    }
}

/// A panel's outputs on the grid of `scale`; as they are where it is 0.
#[inline(always)]
pub fn output(isa: Isa, mut y: [f32; PANEL], scale: f32) -> [f32; PANEL] {
    if scale != 0.0 {
        on_grid(isa, &mut y, scale);
    }
    y
}

multiversion! {
    /// Rounds to the grid of `scale`.
    pub fn on_grid(isa, y: &mut [f32], scale: f32) {
        for y in y {
            *y = numerics::on_grid(*y, scale);
        }
    }
}

multiversion! {
    /// Quantises a row into its activation block.
    ///
    /// The caller keeps the promise of [`crate::acts::SharedActs::put`].
    pub fn put(isa, acts: crate::acts::SharedActs<'_>, blocks: crate::acts::Blocks, forms: crate::acts::Forms, row: usize, x: &[f32], q: &mut [i8]) {
        // SAFETY: one thread writes a row, and none reads it before the next barrier (see `exec`).
        unsafe { acts.put(blocks, forms, row, x, q) }
    }
}
