//! From a model's bytes to what kernels read: each weight once, in the layout its op wants.

use std::ops::Range;
use std::sync::Arc;

use sterna_format::{Encoding, decode_row};
use sterna_plan::{BackendError, ModelPlan, PlanError, WeightSource, WeightSpec, WeightUse};

use crate::isa::Isa;
use crate::pack::{Geometry, PANEL, Packed, fill};
use crate::pages::{Pages, Part};

/// A loaded weight; a clone shares the memory of matrices and tables.
#[derive(Clone)]
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
        bytes: Part,
    },
    /// A table whose rows are those of the packed matrix with this index (a tied head).
    Shared(usize),
    /// A vector.
    Vector(Vec<f32>),
}

/// What a weight becomes.
enum Want {
    Matrix(Geometry),
    Table(usize),
    Shared(usize),
    Vector,
    /// What another plan of the same model has loaded.
    Held(Loaded),
}

/// Every weight, and its place in the block.
type Wants = Vec<(Want, Range<usize>)>;

/// What every weight of a plan becomes and where in one block of memory it lies, and the block's size.
fn wants<'a>(
    plan: &ModelPlan,
    isa: Isa,
    held: &dyn Fn(&WeightSpec) -> Option<&'a Loaded>,
) -> Result<(Wants, usize), BackendError> {
    let mut wants = Vec::with_capacity(plan.weights.len());
    let mut size = 0usize;
    for spec in &plan.weights {
        let tied =
            plan.weights.iter().position(|o| o.name == spec.name && matches!(o.usage, WeightUse::Linear(_)));
        let (want, bytes) = match (spec.usage, tied) {
            _ if let Some(loaded) = held(spec) => (Want::Held(loaded.clone()), Some(0)),
            (WeightUse::Linear(_), _) => {
                let g = Geometry::new(spec, isa)?;
                (Want::Matrix(g), g.panels().checked_mul(g.panel_bytes()))
            }
            (WeightUse::Gather, Some(matrix)) => (Want::Shared(matrix), Some(0)),
            (WeightUse::Gather, None) => {
                let fail = |source| BackendError::Weight { name: spec.name.clone(), source };
                let row = spec.encoding.row_bytes(spec.cols).map_err(fail)?;
                (Want::Table(row), row.checked_mul(spec.rows))
            }
            (WeightUse::Vector | WeightUse::Taps, _) => (Want::Vector, Some(0)),
        };
        // Every weight begins on a cache line.
        let from = size.next_multiple_of(64);
        let too_much = BackendError::Memory { bytes: usize::MAX, what: "packed weights" };
        size = bytes.and_then(|b| from.checked_add(b)).ok_or(too_much)?;
        wants.push((want, from..size));
    }
    Ok((wants, size))
}

/// Bytes that [`load`] would hold, as the executor's [`sterna_plan::MemoryUse`] counts them.
pub fn bytes(plan: &ModelPlan, isa: Isa) -> Result<usize, BackendError> {
    let (wants, _) = wants(plan, isa, &|_| None)?;
    let each = plan.weights.iter().zip(&wants).map(|(spec, (want, range))| match want {
        Want::Matrix(g) => range.len() + if g.is_int() && !g.inline_d { 4 * g.panels() * PANEL } else { 0 },
        Want::Table(_) => range.len(),
        Want::Shared(_) | Want::Held(_) => 0,
        Want::Vector => 4 * spec.cols,
    });
    Ok(each.sum())
}

/// Loads every weight of a plan for the kernels of `isa`, repacking on `threads` threads; `held` knows what is loaded
/// already.
pub fn load<'a>(
    plan: &ModelPlan,
    source: &dyn WeightSource,
    isa: Isa,
    threads: usize,
    held: &dyn Fn(&WeightSpec) -> Option<&'a Loaded>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<Loaded>, BackendError> {
    let total = plan.weights.iter().map(|w| w.bytes()).sum();
    for spec in &plan.weights {
        let missing = || BackendError::Plan(PlanError::MissingWeight(spec.name.clone()));
        let w = source.weight(&spec.name).ok_or_else(missing)?;
        if (w.rows, w.cols, w.encoding) != (spec.rows, spec.cols, spec.encoding) {
            return Err(missing());
        }
    }
    let (wants, size) = wants(plan, isa, held)?;
    let mut pages = Pages::zeroed(size, "packed weights")?;
    let mut done = 0;
    let mut scales = Vec::with_capacity(wants.len());
    for (at, (spec, (want, range))) in plan.weights.iter().zip(&wants).enumerate() {
        progress(done, total);
        let fail = |source| BackendError::Weight { name: spec.name.clone(), source };
        let out = &mut pages.bytes_mut()[range.clone()];
        let mut floats = Vec::new();
        if let Some(w) = source.weight(&spec.name) {
            match want {
                Want::Matrix(g) => {
                    let done = |rows| source.release_rows(&spec.name, rows);
                    floats = fill(g, &w, out, threads, &done).map_err(fail)?;
                }
                Want::Table(row_bytes) => {
                    for (i, out) in out.chunks_exact_mut((*row_bytes).max(1)).enumerate() {
                        let row = w.row(i).map_err(fail)?;
                        if row.len() == out.len() {
                            out.copy_from_slice(&row);
                        }
                    }
                }
                Want::Vector => {
                    // Taps come to lie `[tap][channel]`: lanes are channels.
                    let mut row = vec![0f32; spec.cols];
                    floats = vec![0f32; spec.rows * spec.cols];
                    for i in 0..spec.rows {
                        decode_row(w.encoding, &w.row(i).map_err(fail)?, &mut row).map_err(fail)?;
                        for (j, v) in row.iter().enumerate() {
                            floats[j * spec.rows + i] = *v;
                        }
                    }
                }
                Want::Shared(_) | Want::Held(_) => {}
            }
        }
        scales.push(floats);
        // A tied table is named twice.
        if !plan.weights[at + 1..].iter().any(|o| o.name == spec.name) {
            source.release(&spec.name);
        }
        done += spec.bytes();
    }
    progress(total, total);
    let pages = Arc::new(pages);
    let made = plan.weights.iter().zip(wants).zip(scales).map(|((spec, (want, range)), floats)| match want {
        Want::Matrix(g) => Loaded::Matrix(Packed::new(g, Part::new(&pages, range), floats)),
        Want::Table(row_bytes) => {
            Loaded::Table { encoding: spec.encoding, row_bytes, bytes: Part::new(&pages, range) }
        }
        Want::Shared(matrix) => Loaded::Shared(matrix),
        Want::Vector => Loaded::Vector(floats),
        Want::Held(loaded) => loaded,
    });
    Ok(made.collect())
}

/// Values of row `row` of a table, times `scale`. Encodings were checked at load; a row that does not decode reads NaN,
/// which the check of the logits reports.
pub fn gather(weights: &[Loaded], table: usize, row: usize, scale: f32, out: &mut [f32]) {
    match &weights[table] {
        Loaded::Shared(matrix) => {
            if let Loaded::Matrix(m) = &weights[*matrix] {
                m.row(row, out);
            }
        }
        Loaded::Matrix(m) => m.row(row, out),
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
