//! Everything in f64: what published references are compared with.

mod attention;
mod delta;
mod embed;
mod linear;
mod norm;
mod rope;

use sterna_plan::{BackendError, LinearNumerics, Weight, WeightSpec};

use crate::numbers::{DeltaRow, KeyValues, Numbers};

/// The float arithmetics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Float {
    /// Activations stay as they are.
    Plain,
    /// Inputs of int8 linears are rounded to int8 steps.
    RoundedActivations,
}

impl Numbers for Float {
    type Value = f64;
    type Cell = f64;
    type Matrix = linear::Matrix;
    type Prepared = Vec<f64>;

    const POISON: f64 = f64::NAN;
    const ZERO: f64 = 0.0;
    const UNWRITTEN: f64 = f64::NAN;

    fn name(self) -> &'static str {
        match self {
            Float::Plain => "ref-float",
            Float::RoundedActivations => "ref-float-a8",
        }
    }
    fn accepts(self, weight: &WeightSpec, numerics: LinearNumerics) -> Result<(), String> {
        linear::accepts(self, weight, numerics)
    }
    fn matrix(
        self,
        spec: &WeightSpec,
        numerics: LinearNumerics,
        weight: &Weight<'_>,
    ) -> Result<linear::Matrix, BackendError> {
        linear::Matrix::load(self, spec, numerics, weight)
    }
    fn matrix_bytes(matrix: &linear::Matrix) -> usize {
        matrix.bytes()
    }
    fn input(value: f32) -> f64 {
        f64::from(value)
    }
    fn single(value: f64) -> f32 {
        value as f32
    }
    fn store(value: f64) -> f64 {
        value
    }
    fn cell_is_finite(cell: f64) -> bool {
        cell.is_finite()
    }
    fn push_bytes(cell: f64, out: &mut Vec<u8>) {
        out.extend_from_slice(&cell.to_le_bytes());
    }
    fn embed(row: &[f32], scale: f32, out: &mut [f64]) {
        embed::embed(row, scale, out);
    }
    fn rotation_row(frequencies: &[f64], factor: f64, position: u32, out: &mut [f64]) {
        rope::rotation_row(frequencies, factor, position, out);
    }
    fn rms_norm(x: &[f64], weight: &[f32], eps: f32, out: &mut [f64]) {
        norm::rms_norm(x, weight, eps, out);
    }
    fn normalise(x: &[f64], eps: f32, out: &mut [f64]) {
        norm::normalise(x, eps, out);
    }
    fn rotate(head: &mut [f64], table: &[f64]) {
        rope::rotate(head, table);
    }
    fn prepare(matrix: &linear::Matrix, x: &[f64]) -> Vec<f64> {
        linear::prepare(matrix, x)
    }
    fn dot(matrix: &linear::Matrix, n: usize, x: &Vec<f64>) -> f64 {
        linear::dot(matrix, n, x)
    }
    fn scale(y: f64, factor: f32) -> f64 {
        y * f64::from(factor)
    }
    fn add_scaled(factor: f32, y: f64, out: f64) -> f64 {
        f64::from(factor) * y + out
    }
    fn silu_mul(gate: f64, up: f64) -> f64 {
        linear::silu(gate) * up
    }
    fn gelu_mul(gate: f64, up: f64) -> f64 {
        linear::gelu(gate) * up
    }
    fn keep_clusters(scores: &[f64], cluster: &[f32], keep: usize, logits: &mut [f64]) {
        sterna_plan::numerics::keep_clusters(scores, cluster, keep, logits, &mut Vec::new());
    }

    fn softcap(x: f64, cap: f32) -> f64 {
        f64::from(cap) * (x / f64::from(cap)).tanh()
    }
    fn sigmoid_mul(gate: f64, x: f64) -> f64 {
        delta::sigmoid(gate) * x
    }
    fn conv(weight: &[f32], window: &[f64]) -> f64 {
        linear::silu(weight.iter().zip(window).map(|(w, x)| f64::from(*w) * x).sum())
    }
    fn unit(x: &mut [f64], scale: Option<f32>) {
        delta::unit(x, scale);
    }
    fn delta_gates(b: f64, a: f64, dt: f32, decay: f32) -> (f64, f64) {
        delta::gates(b, a, dt, decay)
    }
    fn delta_step(row: &DeltaRow<'_, f64>, s: &mut [f64], out: &mut [f64]) {
        delta::step(row, s, out);
    }
    fn push_value(value: f64, out: &mut Vec<u8>) {
        out.extend_from_slice(&value.to_le_bytes());
    }
    fn attend(q: &[f64], kv: &KeyValues<'_, f64>, scale: f32, _piece: usize, out: &mut [f64]) {
        attention::attend(q, kv, scale, out);
    }
}
