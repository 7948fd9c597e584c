//! From a model's bytes to what kernels read: each weight once, in the layout its op wants.

use sterna_format::{Encoding, decode_row};
use sterna_plan::{BackendError, ModelPlan, PlanError, Weight, WeightSource, WeightUse};

use crate::pack::{Kind, PANEL, Packed};
use crate::pages::Pages;

/// A loaded weight.
pub enum Loaded {
    /// Matrix of linear layers.
    Matrix(Packed),
    /// Rows in their own encoding.
    Table {
        /// Of every row.
        encoding: Encoding,
        /// Bytes of a row.
        row_bytes: usize,
        /// All rows.
        bytes: Pages,
    },
    /// A table whose rows are those of the packed float matrix with this index (a tied head).
    Shared(usize),
    /// A vector.
    Vector(Vec<f32>),
}

/// Loads every weight of a plan.
pub fn load(
    plan: &ModelPlan,
    source: &dyn WeightSource,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<Loaded>, BackendError> {
    let total = plan.weights.iter().map(|w| w.bytes()).sum();
    let mut done = 0;
    let mut out = Vec::with_capacity(plan.weights.len());
    for spec in &plan.weights {
        progress(done, total);
        let missing = || BackendError::Plan(PlanError::MissingWeight(spec.name.clone()));
        let w = source.weight(&spec.name).ok_or_else(missing)?;
        if (w.rows, w.cols, w.encoding) != (spec.rows, spec.cols, spec.encoding) {
            return Err(missing());
        }
        let tied = plan.weights.iter().position(|o| {
            o.name == spec.name && o.encoding.is_float() && matches!(o.usage, WeightUse::Linear(_))
        });
        out.push(match (spec.usage, tied) {
            (WeightUse::Linear(_), _) => Loaded::Matrix(Packed::new(spec, &w)?),
            (WeightUse::Gather, Some(matrix)) => Loaded::Shared(matrix),
            (WeightUse::Gather, None) => table(&w)?,
            (WeightUse::Vector, _) => {
                let mut v = vec![0f32; spec.cols];
                decode_row(w.encoding, w.row(0), &mut v)
                    .map_err(|source| BackendError::Weight { name: spec.name.clone(), source })?;
                Loaded::Vector(v)
            }
        });
        // A tied table is read twice, first here and then as the head.
        if !plan.weights[out.len()..].iter().any(|o| o.name == spec.name) {
            source.release(&spec.name);
        }
        done += spec.bytes();
    }
    progress(total, total);
    Ok(out)
}

fn table(w: &Weight<'_>) -> Result<Loaded, BackendError> {
    let row_bytes = w.row_bytes();
    let mut bytes = Pages::zeroed(row_bytes * w.rows, "the embedding table")?;
    for (i, out) in bytes.bytes_mut().chunks_exact_mut(row_bytes.max(1)).enumerate() {
        let row = w.row(i);
        if row.len() == out.len() {
            out.copy_from_slice(row);
        }
    }
    Ok(Loaded::Table { encoding: w.encoding, row_bytes, bytes })
}

/// Values of row `row` of a table, times `scale`. Encodings were checked at load; a row that does not decode reads NaN,
/// which the check of the logits reports.
pub fn gather(weights: &[Loaded], table: usize, row: usize, scale: f32, out: &mut [f32]) {
    match &weights[table] {
        Loaded::Shared(matrix) => {
            if let Loaded::Matrix(m) = &weights[*matrix] {
                packed_row(m, row, out);
            }
        }
        Loaded::Table { encoding, row_bytes, bytes } => {
            if decode_row(*encoding, &bytes.bytes()[row * row_bytes..][..*row_bytes], out).is_err() {
                out.fill(f32::NAN);
            }
        }
        _ => out.fill(f32::NAN),
    }
    for o in out {
        *o *= scale;
    }
}

fn packed_row(m: &Packed, row: usize, out: &mut [f32]) {
    let g = &m.geometry;
    let (records, lane) = (m.records(row / PANEL, 0, g.groups()), row % PANEL);
    let two = |at: usize| [records.bytes[at], records.bytes[at + 1]];
    for (k, o) in out.iter_mut().enumerate() {
        let at = k * PANEL + lane;
        *o = match g.kind {
            Kind::F16 => half::f16::from_le_bytes(two(2 * at)).to_f32(),
            Kind::Bf16 => half::bf16::from_le_bytes(two(2 * at)).to_f32(),
            _ => f32::from_le_bytes(std::array::from_fn(|b| records.bytes[4 * at + b])),
        };
    }
}
