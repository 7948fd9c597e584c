//! Tiny random models for the tests of this and of other backends: any encoding, same bits on every machine.

mod model;
mod random;

pub use model::{
    Encodings, TestModel, config, eagle_config, gemma4_config, hybrid_config, narrow_config,
    narrow_hybrid_config,
};
pub use random::Random;

use std::sync::Arc;

use sterna_format::{CodeBits, Encoding, ScaleGroup};
use sterna_plan::{
    BackendError, Executor, LinearNumerics, ModelPlan, Outputs, PlanError, PlanOptions, RowTable, Wanted,
    build,
};

/// Every encoding with an integer view.
pub const INTEGER_ENCODINGS: [Encoding; 17] = [
    Encoding::Q2_0,
    Encoding::PQ2_0,
    Encoding::Q4_0,
    Encoding::Q4_1,
    Encoding::Q8_0,
    Encoding::Q4K,
    Encoding::Q5K,
    Encoding::Q6K,
    Encoding::TQ1_0,
    Encoding::TQ2_0,
    Encoding::Ternary(ScaleGroup::Block64),
    Encoding::Ternary(ScaleGroup::Block128),
    Encoding::Ternary(ScaleGroup::Block256),
    Encoding::Ternary(ScaleGroup::Row),
    Encoding::PerRow(CodeBits::Two),
    Encoding::PerRow(CodeBits::Four),
    Encoding::PerRow(CodeBits::Eight),
];

/// The usual numerics: floats stay floats, codes meet int8 activations per scale group (per 256 inputs in a
/// ternary row with one scale).
pub fn numerics(_name: &str, encoding: Encoding, cols: usize) -> LinearNumerics {
    match encoding.int_layout(cols) {
        None => LinearNumerics::Float,
        Some(_) if encoding == Encoding::Ternary(ScaleGroup::Row) && cols.is_multiple_of(256) => {
            LinearNumerics::Int8 { group: 256 }
        }
        Some(layout) => LinearNumerics::Int8 { group: layout.group },
    }
}

/// The plan of a test model with [`numerics`].
///
/// # Errors
/// Options that do not fit the model.
pub fn plan(model: &TestModel, options: &PlanOptions) -> Result<Arc<ModelPlan>, PlanError> {
    build(&model.config, model, &numerics, options).map(Arc::new)
}

/// Feeds `tokens` to `slot` from its committed end on, cut into calls of the lengths of `chunks` (repeated as often
/// as needed), each at the narrowest entry point that holds it. Gives the logits of every token.
///
/// # Errors
/// What [`Executor::execute`] says; a chunk wider than the plan or of length 0.
pub fn logits(
    executor: &mut dyn Executor,
    slot: usize,
    tokens: &[u32],
    chunks: &[usize],
) -> Result<Vec<Vec<f32>>, BackendError> {
    let plan = Arc::clone(executor.plan());
    let (mut rows, mut out, mut all) = (RowTable::new(), Outputs::default(), Vec::new());
    let mut rest = tokens;
    for chunk in chunks.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (now, later) = rest.split_at((*chunk).min(rest.len()));
        let entry = plan.entry_for(now.len()).filter(|_| !now.is_empty());
        let entry = entry.ok_or_else(|| PlanError::Options(format!("a chunk of {chunk} rows")))?;
        let position = executor.committed().get(slot).copied().unwrap_or(0);
        rows.clear();
        rows.push_chain(slot, position, now, now.len(), Wanted::Logits);
        executor.execute(entry, &rows, &mut out)?;
        all.append(&mut out.logits);
        rest = later;
    }
    Ok(all)
}
