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
    /// First position that the query sees.
    pub first: usize,
    /// Keys that the query sees: positions `first .. count`.
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

/// What a row brings to one head of the delta rule: q and k already of length 1, q already scaled.
pub(crate) struct DeltaRow<'a, V> {
    /// `[k_dim]`.
    pub q: &'a [V],
    /// `[k_dim]`.
    pub k: &'a [V],
    /// `[v_dim]`.
    pub v: &'a [V],
    /// How much of the correction is written.
    pub beta: V,
    /// How much of the state is kept.
    pub decay: V,
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
    /// What a recurrent state starts from.
    const ZERO: Self::Value;
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

    /// An input that the caller gives.
    fn input(value: f32) -> Self::Value;
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
    /// `out = x / rms(x)`.
    fn normalise(x: &[Self::Value], eps: f32, out: &mut [Self::Value]);
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
    /// `gelu(gate) * up`.
    fn gelu_mul(gate: Self::Value, up: Self::Value) -> Self::Value;
    /// `sigmoid(gate) * x`.
    fn sigmoid_mul(gate: Self::Value, x: Self::Value) -> Self::Value;
    /// `silu(sum of weight * window)`, both oldest first.
    fn conv(weight: &[f32], window: &[Self::Value]) -> Self::Value;
    /// `x` over its length, times `scale` if there is one.
    fn unit(x: &mut [Self::Value], scale: Option<f32>);
    /// `beta` and `decay` of a row and head.
    fn delta_gates(b: Self::Value, a: Self::Value, dt: f32, decay: f32) -> (Self::Value, Self::Value);
    /// One row of the delta rule on the state `s` of a head, `[k_dim][v_dim]`; `out` is `[v_dim]`.
    fn delta_step(row: &DeltaRow<'_, Self::Value>, s: &mut [Self::Value], out: &mut [Self::Value]);
    /// Bytes of an activation at rest in a recurrent state, little endian.
    fn push_value(value: Self::Value, out: &mut Vec<u8>);
    /// `cap * tanh(x / cap)`, for logits that are handed out.
    fn softcap(x: Self::Value, cap: f32) -> Self::Value;
    /// [`sterna_plan::numerics::keep_clusters`].
    fn keep_clusters(scores: &[Self::Value], cluster: &[f32], keep: usize, logits: &mut [Self::Value]);
    /// Attention of one query head over `kv`, with scores times `scale` and keys in pieces of `piece`.
    fn attend(
        q: &[Self::Value],
        kv: &KeyValues<'_, Self::Cell>,
        scale: f32,
        piece: usize,
        out: &mut [Self::Value],
    );
}
