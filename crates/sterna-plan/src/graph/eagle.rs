//! The plans of an EAGLE-3 head: one fuses hidden states of the target, the other is the head's layer.
//!
//! They are two because the layer's input is a fused state only where the target has been: further on it is what the layer
//! made of the row before.

use sterna_bundle::{EagleConfig, LinearNumerics, WeightSource};
use sterna_format::Encoding;

use super::{Graph, HIDDEN, LOGITS, PICKED, PICKED_NORM, ROTATION, padded, slice};
use crate::op::Op;
use crate::plan::{ModelPlan, WeightUse};
use crate::{PlanError, PlanOptions};

/// Builds the plan of an EAGLE-3 head's layer. A row at position `t` is given token `t + 1` and, as input, the target's
/// [fused](build_eagle_fusion) hidden states at `t`, or, where those are not known yet, what the head handed out for the row
/// before (`[hidden]`); its result is token `t + 2`, as one of the [draft tokens](ModelPlan::output_vocab). `source` has the
/// head's weights and the target's `embed`.
///
/// # Errors
/// As [`super::build`].
pub fn build_eagle(
    config: &EagleConfig,
    source: &dyn WeightSource,
    numerics: &dyn Fn(&str, Encoding, usize) -> LinearNumerics,
    options: &PlanOptions,
) -> Result<ModelPlan, PlanError> {
    let mut graph = Graph::new(&config.layer, source, numerics, options)?;
    graph.eagle(config)?;
    Ok(ModelPlan { padded_vocab: padded(config.draft_vocab), ..graph.finish(options) })
}

/// Builds the plan that fuses the target's hidden states for an EAGLE-3 head: a row takes [`EagleConfig::tap_width`] values
/// and hands out `[hidden]`. It has no state and no result beside, so a row's token and position do not matter.
///
/// # Errors
/// As [`super::build`].
pub fn build_eagle_fusion(
    config: &EagleConfig,
    source: &dyn WeightSource,
    numerics: &dyn Fn(&str, Encoding, usize) -> LinearNumerics,
    options: &PlanOptions,
) -> Result<ModelPlan, PlanError> {
    let mut graph = Graph::new(&config.layer, source, numerics, options)?;
    graph.buffers.clear();
    let (taps, hidden) = (config.tap_width(), config.layer.hidden);
    let (input, fused) = (graph.buffer("input", taps), graph.buffer("fused", hidden));
    graph.linear("eagle.fc".into(), slice(input, 0, taps), slice(fused, 0, hidden))?;
    (graph.input, graph.taps) = (Some(input), Some(fused));
    Ok(ModelPlan { padded_vocab: 0, ..graph.finish(options) })
}

impl Graph<'_> {
    fn eagle(&mut self, config: &EagleConfig) -> Result<(), PlanError> {
        let c = self.config;
        let h = c.hidden;
        let (input, embedded) = (self.buffer("input", h), self.buffer("embedded", h));
        let joined = self.buffer("joined", 2 * h);
        let (token, state) = (slice(joined, 0, h), slice(joined, h, h));
        self.buffers[LOGITS.0].cols = padded(config.draft_vocab);
        self.input = Some(input);
        let table = if config.own_embedding { "eagle.embed" } else { "embed" };
        let table = self.weight(table.into(), c.vocab, h, |_, _| WeightUse::Gather)?;
        self.ops.push(Op::Embed { table, scale: c.embedding_scale, out: embedded });
        self.ops.push(Op::RotationTable { rope: 0, out: ROTATION });
        self.norm("eagle.embed_norm".into(), slice(embedded, 0, h), token, h)?;
        self.norm("eagle.hidden_norm".into(), slice(input, 0, h), state, h)?;
        let residual = if config.norm_before_residual { state } else { slice(input, 0, h) };
        self.ops.push(Op::Copy { input: residual, out: slice(HIDDEN, 0, h) });
        self.attend("eagle", 0, slice(joined, 0, 2 * h))?;
        self.mlp("eagle")?;
        self.taps = Some(HIDDEN);
        self.ops.push(Op::SelectOutputs { input: HIDDEN, out: PICKED });
        self.norm("eagle.norm".into(), slice(PICKED, 0, h), slice(PICKED_NORM, 0, h), h)?;
        let logits = slice(LOGITS, 0, config.draft_vocab);
        self.linear("eagle.head".into(), slice(PICKED_NORM, 0, h), logits)?;
        self.ops.push(Op::Argmax { logits: LOGITS, valid: config.draft_vocab, softcap: None });
        Ok(())
    }
}
