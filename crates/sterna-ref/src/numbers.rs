//! The arithmetic that the interpreter is generic over.

use sterna_plan::{BackendError, LinearNumerics, Weight, WeightSpec};

/// Keys and values of one kv head of one sequence, seen by one query.
pub(crate) struct KeyValues<'a, C> {
    /// `[position][key, value][kv_heads * head_dim]`.
    pub cells: &'a [C],
    /// `kv_heads * head_dim`.
    pub width: usize,
    /// First column of the head.
    pub start: usize,
    /// Width of the head.
    pub dim: usize,
    /// Keys that the query sees: positions `0 .. count`.
    pub count: usize,
}

impl<'a, C> KeyValues<'a, C> {
    /// Key of position `j`.
    pub fn key(&self, j: usize) -> &'a [C] {
        &self.cells[2 * j * self.width + self.start..][..self.dim]
    }
    /// Value of position `j`.
    pub fn value(&self, j: usize) -> &'a [C] {
        &self.cells[(2 * j + 1) * self.width + self.start..][..self.dim]
    }
}

/// One mode's numbers and what is done with them. Every function works on one row, so a row cannot depend on
/// its neighbours in a call (C1).
pub(crate) trait Numbers: Copy + Send + Sync + 'static {
    /// An activation.
    type Value: Copy + Send + Sync + 'static;
    /// A number at rest in a key-value state.
    type Cell: Copy + Send + Sync + 'static;
    /// A loaded matrix of a linear layer.
    type Matrix: Send + Sync + 'static;
    /// The input row of a linear layer, ready for [`dot`](Self::dot).
    type Prepared: Send + Sync + 'static;

    /// What an activation is before it is written.
    const POISON: Self::Value;
    /// What a cell is before it is written.
    const UNWRITTEN: Self::Cell;

    /// Name of the backend.
    fn name(self) -> &'static str;
    /// Says what is missing for a linear weight with these numerics.
    fn accepts(self, weight: &WeightSpec, numerics: LinearNumerics) -> Result<(), String>;
    /// Decodes a matrix. The shape and the encoding are those of `spec`, which [`accepts`](Self::accepts).
    fn matrix(
        self,
        spec: &WeightSpec,
        numerics: LinearNumerics,
        weight: &Weight<'_>,
    ) -> Result<Self::Matrix, BackendError>;
    /// Bytes that a matrix holds.
    fn matrix_bytes(matrix: &Self::Matrix) -> usize;

    /// For outputs and checks.
    fn single(value: Self::Value) -> f32;
    /// To the state.
    fn store(value: Self::Value) -> Self::Cell;
    /// For checks.
    fn cell_is_finite(cell: Self::Cell) -> bool;
    /// Bytes of a cell, little endian.
    fn push_bytes(cell: Self::Cell, out: &mut Vec<u8>);

    /// `out = row * scale`.
    fn embed(row: &[f32], scale: f32, out: &mut [Self::Value]);
    /// Cosines then sines of one position.
    fn rotation_row(frequencies: &[f64], factor: f64, position: u32, out: &mut [Self::Value]);
    /// `out = x / rms(x) * weight`.
    fn rms_norm(x: &[Self::Value], weight: &[f32], eps: f32, out: &mut [Self::Value]);
    /// Rotates pairs `(i, i + dim / 2)` of a head's first `dim = table.len()` values.
    fn rotate(head: &mut [Self::Value], table: &[Self::Value]);
    /// Quantises or copies an input row.
    fn prepare(matrix: &Self::Matrix, x: &[Self::Value]) -> Self::Prepared;
    /// Output `n` of a linear layer.
    fn dot(matrix: &Self::Matrix, n: usize, x: &Self::Prepared) -> Self::Value;
    /// `y * factor`.
    fn scale(y: Self::Value, factor: f32) -> Self::Value;
    /// `factor * y + out`.
    fn add_scaled(factor: f32, y: Self::Value, out: Self::Value) -> Self::Value;
    /// `silu(gate) * up`.
    fn silu_mul(gate: Self::Value, up: Self::Value) -> Self::Value;
    /// Attention of one query head over `kv`, with scores times `scale` and keys in pieces of `piece`.
    fn attend(
        q: &[Self::Value],
        kv: &KeyValues<'_, Self::Cell>,
        scale: f32,
        piece: usize,
        out: &mut [Self::Value],
    );
}
