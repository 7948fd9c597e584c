//! The plan of Gemma 4's drafter: narrow layers that read the target's keys and values.

use sterna_bundle::{AssistantConfig, Gemma4, LinearNumerics, OrderedHead, WeightSource};
use sterna_format::Encoding;

use super::{ATTN, BRANCH, FFN, GATE_UP, Graph, HIDDEN, LOGITS, NORMED, PICKED_NORM, QKV, ROTATION, slice};
use crate::op::{Attention, BufferId, Op, Rotation};
use crate::plan::{Buffer, BufferRows, ModelPlan, StateSpec, WeightUse};
use crate::{PlanError, PlanOptions};

/// Builds the plan of a Gemma 4 drafter. A row is given the token at its position and, as input, the target's hidden state
/// before it, after the last norm (`[backbone]`), or what the drafter handed out for the row before (as wide). Its result
/// is the next token. The position is that of the first row for a whole draft: the target has keys of no later one.
/// `source` has the drafter's weights and the target's `embed`.
///
/// # Errors
/// As [`super::build`].
pub fn build_assistant(
    config: &AssistantConfig,
    source: &dyn WeightSource,
    numerics: &dyn Fn(&str, Encoding, usize) -> LinearNumerics,
    options: &PlanOptions,
) -> Result<ModelPlan, PlanError> {
    let mut graph = Graph::new(&config.layers, source, numerics, options)?;
    graph.assistant(config)?;
    Ok(graph.finish(options))
}

impl Graph<'_> {
    fn assistant(&mut self, config: &AssistantConfig) -> Result<(), PlanError> {
        let c = self.config;
        let Some(g) = c.gemma4.as_ref().filter(|_| config.sources.len() == c.layers) else {
            return Err(PlanError::Options("a drafter without kinds of layers, or what they read".into()));
        };
        let (h, wide) = (c.hidden, config.backbone);
        let (input, embedded) = (self.buffer("input", wide), self.buffer("embedded", wide));
        let joined = self.buffer("joined", 2 * wide);
        let (last, taps) = (self.buffer("last", h), self.buffer("taps", wide));
        let rotation = self.buffer("rotation_full", g.full_rope.dim);
        (self.input, self.taps) = (Some(input), Some(taps));
        let table = self.weight("embed".into(), c.vocab, wide, |_, _| WeightUse::Gather)?;
        self.ops.push(Op::Embed { table, scale: c.embedding_scale, out: embedded });
        self.ops.push(Op::Copy { input: slice(embedded, 0, wide), out: slice(joined, 0, wide) });
        self.ops.push(Op::Copy { input: slice(input, 0, wide), out: slice(joined, wide, wide) });
        self.linear("assistant.pre".into(), slice(joined, 0, 2 * wide), slice(HIDDEN, 0, h))?;
        self.ops.push(Op::RotationTable { rope: 0, out: ROTATION });
        self.ops.push(Op::RotationTable { rope: 1, out: rotation });
        for (layer, source) in config.sources.iter().enumerate() {
            self.borrowing_layer(g, layer, *source, rotation)?;
        }
        self.norm("assistant.norm".into(), slice(HIDDEN, 0, h), slice(last, 0, h), h)?;
        // Before the projection, so that no fold takes the norm away from the head.
        self.ops.push(Op::SelectOutputs { input: last, out: PICKED_NORM });
        self.linear("assistant.post".into(), slice(last, 0, h), slice(taps, 0, wide))?;
        let (normed, logits) = (slice(PICKED_NORM, 0, h), slice(LOGITS, 0, c.vocab));
        self.linear("assistant.head".into(), normed, logits)?;
        if let Some(OrderedHead { clusters, keep }) = config.ordered {
            self.buffers.push(Buffer { name: "scores", cols: clusters, rows: BufferRows::Outputs });
            let scores = slice(BufferId(self.buffers.len() - 1), 0, clusters);
            self.linear("assistant.centroids".into(), normed, scores)?;
            let cluster = self.vector("assistant.cluster".into(), c.vocab)?;
            self.ops.push(Op::KeepClusters { scores, cluster, keep, logits });
        }
        self.ops.push(Op::Argmax { logits: LOGITS, valid: c.vocab, softcap: None });
        Ok(())
    }

    /// One layer, over the keys of the target's layer `source`.
    fn borrowing_layer(
        &mut self,
        g: &Gemma4,
        layer: usize,
        source: usize,
        full_rotation: BufferId,
    ) -> Result<(), PlanError> {
        let c = self.config;
        let name = |role: &str| format!("assistant.layers.{layer}.{role}");
        let (hidden, branch) = (slice(HIDDEN, 0, c.hidden), slice(BRANCH, 0, c.hidden));
        let normed = slice(NORMED, 0, c.hidden);
        let (kv_heads, head_dim) = c.heads_of(layer);
        let width = c.q_width_of(layer);
        let (q, attn) = (slice(QKV, 0, width), slice(ATTN, 0, width));
        let (rotation, window) = match g.is_full(layer) {
            true => (Rotation { table: full_rotation, dim: g.full_rope.dim }, None),
            false => (Rotation { table: ROTATION, dim: c.rope.dim }, Some(g.window)),
        };
        self.norm(name("attn_norm"), hidden, normed, c.hidden)?;
        self.linear(name("q"), normed, q)?;
        self.norm(name("q_norm"), q, q, head_dim)?;
        self.ops.push(Op::Rotate { heads: q, head_dim, rotation });
        let borrowed = StateSpec::Borrowed { layer: source, kv_heads, head_dim, window };
        let state = match self.states.iter().position(|s| *s == borrowed) {
            Some(at) => crate::op::StateId(at),
            None => self.state(borrowed),
        };
        let (input, gate, heads, scale) = (None, None, c.heads, 1.0);
        let attention = Attention { input, gate, q, state, out: attn, heads, kv_heads, head_dim, scale };
        self.ops.push(Op::Attention(attention));
        self.linear(name("o"), attn, branch)?;
        self.branch(name("attn_post_norm"))?;

        let n = c.ffn;
        let (gate, up, ffn) = (slice(GATE_UP, 0, n), slice(GATE_UP, n, n), slice(FFN, 0, n));
        self.norm(name("ffn_norm"), hidden, normed, c.hidden)?;
        self.linear(name("gate"), normed, gate)?;
        self.linear(name("up"), normed, up)?;
        self.ops.push(Op::GeluMul { gate, up, out: ffn });
        self.linear(name("down"), ffn, branch)?;
        self.branch(name("ffn_post_norm"))?;
        let factor = self.scalar(&name("layer_scalar"))?;
        self.ops.push(Op::Scale { slice: hidden, factor });
        Ok(())
    }
}
