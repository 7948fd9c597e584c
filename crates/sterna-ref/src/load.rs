//! Weights as a mode holds them: decoded once, never read from the file again.

use sterna_format::{Encoding, decode_row};
use sterna_plan::{
    BackendError, ModelPlan, Op, PlanError, StateSpec, Weight, WeightId, WeightSource, WeightSpec, WeightUse,
};

use crate::numbers::Numbers;

/// A loaded weight.
pub(crate) enum Loaded<M> {
    /// Of a linear layer.
    Matrix(M),
    /// Rows are decoded when they are looked up.
    Table(Table),
    /// A vector.
    Vector(Vec<f32>),
}

/// An embedding table in its own encoding, rows in canonical order.
pub(crate) struct Table {
    encoding: Encoding,
    row_bytes: usize,
    bytes: Vec<u8>,
}

impl Table {
    /// Decodes row `i`.
    pub fn row(&self, i: usize, out: &mut [f32]) -> Result<(), sterna_format::FormatError> {
        let bytes = self.bytes.get(i * self.row_bytes..(i + 1) * self.row_bytes).unwrap_or(&[]);
        decode_row(self.encoding, bytes, out)
    }
}

/// All weights of a plan.
pub(crate) struct Weights<N: Numbers> {
    items: Vec<Loaded<N::Matrix>>,
}

impl<N: Numbers> Weights<N> {
    /// Decodes every weight of the plan; `progress` hears (canonical bytes done, canonical bytes in all).
    pub fn load(
        numbers: N,
        plan: &ModelPlan,
        source: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, BackendError> {
        let total = plan.weights.iter().map(WeightSpec::bytes).sum();
        let mut done = 0;
        let mut items = Vec::with_capacity(plan.weights.len());
        progress(0, total);
        for spec in &plan.weights {
            supports(numbers, spec)?;
            items.push(load_one(numbers, spec, &find(spec, source)?)?);
            done += spec.bytes();
            progress(done, total);
        }
        for spec in &plan.weights {
            source.release(&spec.name);
        }
        Ok(Self { items })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let bytes = |item: &Loaded<N::Matrix>| match item {
            Loaded::Matrix(m) => N::matrix_bytes(m),
            Loaded::Table(t) => t.bytes.len(),
            Loaded::Vector(v) => size_of_val(v.as_slice()),
        };
        self.items.iter().map(bytes).sum()
    }

    /// A weight used as a matrix.
    pub fn matrix(&self, id: WeightId) -> Result<&N::Matrix, PlanError> {
        match self.items.get(id.0) {
            Some(Loaded::Matrix(m)) => Ok(m),
            _ => Err(misused(id, "matrix of a linear layer")),
        }
    }

    /// A weight used as a table.
    pub fn table(&self, id: WeightId) -> Result<&Table, PlanError> {
        match self.items.get(id.0) {
            Some(Loaded::Table(t)) => Ok(t),
            _ => Err(misused(id, "table")),
        }
    }

    /// A weight used as a vector.
    pub fn vector(&self, id: WeightId) -> Result<&[f32], PlanError> {
        match self.items.get(id.0) {
            Some(Loaded::Vector(v)) => Ok(v),
            _ => Err(misused(id, "vector")),
        }
    }
}

fn misused(id: WeightId, what: &str) -> PlanError {
    PlanError::Options(format!("an op uses weight {} as a {what}, which it is not planned to be", id.0))
}

/// Whether a mode can hold this weight.
pub(crate) fn supports<N: Numbers>(numbers: N, spec: &WeightSpec) -> Result<(), BackendError> {
    let unsupported = |what| BackendError::Unsupported { backend: numbers.name(), what };
    spec.encoding.row_bytes(spec.cols).map_err(|e| unsupported(format!("weight `{}`: {e}", spec.name)))?;
    match spec.usage {
        WeightUse::Linear(numerics) => numbers.accepts(spec, numerics).map_err(unsupported),
        WeightUse::Vector if spec.rows != 1 => {
            Err(unsupported(format!("weight `{}` as a vector of {} rows", spec.name, spec.rows)))
        }
        WeightUse::Gather | WeightUse::Vector | WeightUse::Taps => Ok(()),
    }
}

/// What the interpreter relies on beyond the weights.
pub(crate) fn check_plan(plan: &ModelPlan, backend: &'static str) -> Result<(), BackendError> {
    let known = |s: &&StateSpec| match s {
        StateSpec::FullKv { .. } | StateSpec::Recurrent { .. } | StateSpec::Conv { .. } => true,
        StateSpec::RingKv { window, rows, .. } => *window > 0 && rows >= window,
        StateSpec::Borrowed { window, .. } => *window != Some(0),
        _ => false,
    };
    if let Some(state) = plan.states.iter().find(|s| !known(s)) {
        return Err(BackendError::Unsupported { backend, what: format!("the state {state:?}") });
    }
    for entry in &plan.entries {
        for op in entry.ops.iter().flat_map(Op::parts) {
            let Op::RotationTable { rope, out } = op else { continue };
            let wanted = plan.ropes.get(*rope).map(|r| 2 * r.frequencies.len());
            if wanted.is_none() || entry.buffers.get(out.0).map(|b| b.cols) != wanted {
                let what = format!("a rotation table of other than {wanted:?} columns, two per frequency");
                return Err(BackendError::Unsupported { backend, what });
            }
        }
    }
    if plan.attention_piece == 0 {
        return Err(BackendError::Unsupported { backend, what: "attention pieces of 0 keys".into() });
    }
    Ok(())
}

fn find<'a>(spec: &WeightSpec, source: &'a dyn WeightSource) -> Result<Weight<'a>, BackendError> {
    let weight = source.weight(&spec.name).ok_or_else(|| PlanError::MissingWeight(spec.name.clone()))?;
    if (weight.rows, weight.cols) != (spec.rows, spec.cols) {
        return Err(BackendError::Plan(PlanError::Shape {
            name: spec.name.clone(),
            rows: weight.rows,
            cols: weight.cols,
            want_rows: spec.rows,
            want_cols: spec.cols,
        }));
    }
    if weight.encoding != spec.encoding {
        let why = format!("weight `{}` is {}, planned as {}", spec.name, weight.encoding, spec.encoding);
        return Err(BackendError::Plan(PlanError::Options(why)));
    }
    Ok(weight)
}

fn load_one<N: Numbers>(
    numbers: N,
    spec: &WeightSpec,
    weight: &Weight<'_>,
) -> Result<Loaded<N::Matrix>, BackendError> {
    Ok(match spec.usage {
        WeightUse::Linear(numerics) => Loaded::Matrix(numbers.matrix(spec, numerics, weight)?),
        WeightUse::Vector | WeightUse::Taps => Loaded::Vector(decode_all(spec, weight)?),
        WeightUse::Gather => {
            let row_bytes = weight.row_bytes();
            let mut bytes = room(spec.rows.saturating_mul(row_bytes), "an embedding table")?;
            let mut values = vec![0f32; spec.cols];
            for i in 0..spec.rows {
                let row = weight.row(i).map_err(|source| undecodable(spec, source))?;
                decode_row(spec.encoding, &row, &mut values).map_err(|source| undecodable(spec, source))?;
                bytes.extend_from_slice(&row);
            }
            Loaded::Table(Table { encoding: spec.encoding, row_bytes, bytes })
        }
    })
}

/// Every value of a weight, canonical row after row.
pub(crate) fn decode_all(spec: &WeightSpec, weight: &Weight<'_>) -> Result<Vec<f32>, BackendError> {
    let mut values = room(spec.rows.saturating_mul(spec.cols), "decoded weights")?;
    values.resize(spec.rows * spec.cols, 0f32);
    for (i, row) in values.chunks_exact_mut(spec.cols).enumerate() {
        let read = weight.row(i).and_then(|bytes| decode_row(spec.encoding, &bytes, row));
        read.map_err(|source| undecodable(spec, source))?;
    }
    Ok(values)
}

/// An error of the format, with the weight's name.
pub(crate) fn undecodable(spec: &WeightSpec, source: sterna_format::FormatError) -> BackendError {
    BackendError::Weight { name: spec.name.clone(), source }
}

/// An empty vector with room for `len` items, or a typed error.
pub(crate) fn room<T>(len: usize, what: &'static str) -> Result<Vec<T>, BackendError> {
    let mut items = Vec::new();
    items
        .try_reserve_exact(len)
        .map_err(|_| BackendError::Memory { bytes: len.saturating_mul(size_of::<T>()), what })?;
    Ok(items)
}
