//! f32 and exact integers in the written orders: what fast kernels are compared with.

mod attention;
mod delta;
mod embed;
mod linear;
mod norm;
mod rope;

use half::f16;
use sterna_plan::{BackendError, LinearNumerics, Weight, WeightSpec, numerics};

use crate::numbers::{DeltaRow, KeyValues, Numbers};

/// The arithmetic of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Law;

impl Numbers for Law {
    type Value = f32;
    type Cell = f16;
    type Matrix = linear::Matrix;
    type Prepared = linear::Prepared;

    const POISON: f32 = f32::NAN;
    const ZERO: f32 = 0.0;
    const UNWRITTEN: f16 = f16::NAN;

    fn name(self) -> &'static str {
        "ref-law"
    }
    fn accepts(self, weight: &WeightSpec, numerics: LinearNumerics) -> Result<(), String> {
        linear::accepts(weight, numerics)
    }
    fn matrix(
        self,
        spec: &WeightSpec,
        numerics: LinearNumerics,
        weight: &Weight<'_>,
    ) -> Result<linear::Matrix, BackendError> {
        linear::Matrix::load(spec, numerics, weight)
    }
    fn matrix_bytes(matrix: &linear::Matrix) -> usize {
        matrix.bytes()
    }
    fn input(value: f32) -> f32 {
        value
    }
    fn single(value: f32) -> f32 {
        value
    }
    /// Round to nearest, ties to even.
    fn store(value: f32) -> f16 {
        f16::from_f32(value)
    }
    fn cell_is_finite(cell: f16) -> bool {
        cell.is_finite()
    }
    fn push_bytes(cell: f16, out: &mut Vec<u8>) {
        out.extend_from_slice(&cell.to_le_bytes());
    }
    fn embed(row: &[f32], scale: f32, out: &mut [f32]) {
        embed::embed(row, scale, out);
    }
    fn rotation_row(frequencies: &[f64], factor: f64, position: u32, out: &mut [f32]) {
        numerics::rotation_row(frequencies, factor, position, out);
    }
    fn rms_norm(x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
        norm::rms_norm(x, weight, eps, out);
    }
    fn normalise(x: &[f32], eps: f32, out: &mut [f32]) {
        numerics::normalise(x, eps, out);
    }
    fn rotate(head: &mut [f32], table: &[f32]) {
        rope::rotate(head, table);
    }
    fn prepare(matrix: &linear::Matrix, x: &[f32]) -> linear::Prepared {
        linear::prepare(matrix, x)
    }
    fn dot(matrix: &linear::Matrix, n: usize, x: &linear::Prepared) -> f32 {
        linear::dot(matrix, n, x)
    }
    fn scale(y: f32, factor: f32) -> f32 {
        y * factor
    }
    fn add_scaled(factor: f32, y: f32, out: f32) -> f32 {
        factor.mul_add(y, out)
    }
    fn silu_mul(gate: f32, up: f32) -> f32 {
        numerics::silu(gate) * up
    }
    fn gelu_mul(gate: f32, up: f32) -> f32 {
        numerics::gelu(gate) * up
    }
    fn keep_clusters(scores: &[f32], cluster: &[f32], keep: usize, logits: &mut [f32]) {
        sterna_plan::numerics::keep_clusters(scores, cluster, keep, logits, &mut Vec::new());
    }

    fn softcap(x: f32, cap: f32) -> f32 {
        numerics::softcap(x, cap)
    }
    fn sigmoid_mul(gate: f32, x: f32) -> f32 {
        numerics::sigmoid(gate) * x
    }
    fn conv(weight: &[f32], window: &[f32]) -> f32 {
        delta::conv(weight, window)
    }
    fn unit(x: &mut [f32], scale: Option<f32>) {
        delta::unit(x, scale);
    }
    fn delta_gates(b: f32, a: f32, dt: f32, decay: f32) -> (f32, f32) {
        (numerics::sigmoid(b), numerics::delta_decay(a, dt, decay))
    }
    fn delta_step(row: &DeltaRow<'_, f32>, s: &mut [f32], out: &mut [f32]) {
        delta::step(row, s, out);
    }
    fn push_value(value: f32, out: &mut Vec<u8>) {
        out.extend_from_slice(&value.to_le_bytes());
    }
    fn attend(q: &[f32], kv: &KeyValues<'_, f16>, scale: f32, piece: usize, out: &mut [f32]) {
        attention::attend(q, kv, scale, piece, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_one_fused_step_and_halves_round_to_even() {
        // 3 * (1/3 rounded) + -1 is 0 in two steps and the product's rounding error in one.
        let third = 1f32 / 3.0;
        assert_eq!(3.0 * third - 1.0, 0.0);
        assert_eq!(Law::add_scaled(3.0, third, -1.0), 2.980_232_2e-8);
        assert_eq!(Law::scale(1.5, -2.0), -3.0);
        assert_eq!(Law::store(1.0 + 1.0 / 2048.0), f16::from_bits(0x3c00));
        assert_eq!(Law::store(1.0 + 3.0 / 2048.0), f16::from_bits(0x3c02));
        assert_eq!(Law::silu_mul(0.0, 5.0), 0.0);
        assert_eq!(Law::silu_mul(1.0, 2.0), 2.0 * (1.0 / (1.0 + numerics::exp(-1.0))));
    }
}
