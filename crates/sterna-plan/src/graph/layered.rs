//! A decoder whose layers have inputs of their own beside the residual stream, sliding windows between layers of full
//! attention, and layers at the end that read earlier layers' keys and values (Gemma 4).

use sterna_bundle::{ATTENTION_PIECE, Gemma4};
use sterna_format::decode_row;

use super::{ATTN, BRANCH, FFN, GATE_UP, Graph, HIDDEN, NORMED, QKV, ROTATION, slice};
use crate::PlanError;
use crate::op::{Attention, BufferId, Op, Rotation, Slice, StateId};
use crate::plan::{StateSpec, WeightUse};

/// What all layers of one call share.
pub(super) struct LayerInputs {
    /// `[rows, layers * ple]`.
    inputs: BufferId,
    /// `[rows, ple]`, before and after the activation.
    gate: [BufferId; 2],
    /// Angles of heads of full attention.
    rotation: BufferId,
    /// State of every layer so far.
    states: Vec<StateId>,
}

impl Graph<'_> {
    /// The per-layer inputs: a row of the token's own for every layer, and a projection of its embedding, normed,
    /// added and divided by the root of 2.
    pub(super) fn layer_inputs(&mut self, g: &Gemma4) -> Result<LayerInputs, PlanError> {
        let c = self.config;
        let rotation = self.buffer("rotation_full", g.full_rope.dim);
        self.ops.push(Op::RotationTable { rope: 1, out: rotation });
        let width = c.layers * g.ple;
        let (inputs, projected) = (self.buffer("layer_inputs", width), self.buffer("projected", width));
        let gate = [self.buffer("ple_gate", g.ple), self.buffer("ple_gated", g.ple)];
        let table = self.weight("ple_embed".into(), c.vocab * c.layers, g.ple, |_, _| WeightUse::Gather)?;
        self.ops.push(Op::Embed { table, scale: g.ple_scale, out: inputs });
        let (all, inputs_all) = (slice(projected, 0, width), slice(inputs, 0, width));
        self.linear("ple_model_proj".into(), slice(HIDDEN, 0, c.hidden), all)?;
        self.ops.push(Op::Scale { slice: all, factor: 1.0 / (c.hidden as f32).sqrt() });
        self.norm("ple_model_norm".into(), all, all, g.ple)?;
        self.ops.push(Op::AddScaled { input: all, factor: 1.0, out: inputs_all });
        self.ops.push(Op::Scale { slice: inputs_all, factor: std::f32::consts::FRAC_1_SQRT_2 });
        Ok(LayerInputs { inputs, gate, rotation, states: Vec::new() })
    }

    /// One layer.
    pub(super) fn layered(
        &mut self,
        g: &Gemma4,
        layer: usize,
        shared: &mut LayerInputs,
    ) -> Result<(), PlanError> {
        let c = self.config;
        let name = |role: &str| format!("layers.{layer}.{role}");
        let (hidden, branch) = (slice(HIDDEN, 0, c.hidden), slice(BRANCH, 0, c.hidden));
        let normed = slice(NORMED, 0, c.hidden);
        self.windowed_attention(g, layer, shared)?;
        self.branch(name("attn_post_norm"))?;

        let n = c.ffn_of(layer);
        let (gate, up, ffn) = (slice(GATE_UP, 0, n), slice(GATE_UP, n, n), slice(FFN, 0, n));
        self.norm(name("ffn_norm"), hidden, normed, c.hidden)?;
        self.linear(name("gate"), normed, gate)?;
        self.linear(name("up"), normed, up)?;
        self.ops.push(Op::GeluMul { gate, up, out: ffn });
        self.linear(name("down"), ffn, branch)?;
        self.branch(name("ffn_post_norm"))?;

        let [gate, gated] = shared.gate.map(|b| slice(b, 0, g.ple));
        self.linear(name("ple_gate"), hidden, gate)?;
        let up = slice(shared.inputs, layer * g.ple, g.ple);
        self.ops.push(Op::GeluMul { gate, up, out: gated });
        self.linear(name("ple_proj"), gated, branch)?;
        self.branch(name("ple_norm"))?;
        let factor = self.scalar(&name("layer_scalar"))?;
        self.ops.push(Op::Scale { slice: hidden, factor });
        Ok(())
    }

    /// Adds the norm of a branch to the residual stream.
    pub(super) fn branch(&mut self, norm: String) -> Result<(), PlanError> {
        let n = self.config.hidden;
        let (hidden, branch) = (slice(HIDDEN, 0, n), slice(BRANCH, 0, n));
        self.norm(norm, branch, branch, n)?;
        self.ops.push(Op::AddScaled { input: branch, factor: self.config.residual_scale, out: hidden });
        Ok(())
    }

    fn windowed_attention(
        &mut self,
        g: &Gemma4,
        layer: usize,
        shared: &mut LayerInputs,
    ) -> Result<(), PlanError> {
        let c = self.config;
        let name = |role: &str| format!("layers.{layer}.{role}");
        let (kv_heads, head_dim) = c.heads_of(layer);
        let (q_width, kv_width) = (c.q_width_of(layer), c.kv_width_of(layer));
        let normed = slice(NORMED, 0, c.hidden);
        let q = slice(QKV, 0, q_width);
        let (k, v) = (slice(QKV, q_width, kv_width), slice(QKV, q_width + kv_width, kv_width));
        let attn = slice(ATTN, 0, q_width);
        let full = g.is_full(layer);
        let rotation = match full {
            true => Rotation { table: shared.rotation, dim: g.full_rope.dim },
            false => Rotation { table: ROTATION, dim: c.rope.dim },
        };
        let rotate = |heads: Slice| Op::Rotate { heads, head_dim, rotation };
        self.norm(name("attn_norm"), slice(HIDDEN, 0, c.hidden), normed, c.hidden)?;
        self.linear(name("q"), normed, q)?;
        let source = c.kv_source(layer);
        if source == layer {
            self.linear(name("k"), normed, k)?;
            self.linear(name("v"), normed, v)?;
            self.ops.push(Op::RmsNorm { input: v, weight: None, eps: c.norm_eps, width: head_dim, out: v });
            self.norm(name("q_norm"), q, q, head_dim)?;
            self.norm(name("k_norm"), k, k, head_dim)?;
            self.ops.push(rotate(q));
            self.ops.push(rotate(k));
            let state = self.state(match full {
                true => StateSpec::FullKv { layer, kv_heads, head_dim },
                false => {
                    let rows = (g.window + self.most_rows).next_multiple_of(ATTENTION_PIECE);
                    StateSpec::RingKv { layer, kv_heads, head_dim, window: g.window, rows }
                }
            });
            self.ops.push(Op::KvWrite { k, v, state });
            shared.states.push(state);
        } else {
            self.norm(name("q_norm"), q, q, head_dim)?;
            self.ops.push(rotate(q));
            let state = shared.states.get(source).copied();
            let missing = || PlanError::Options(format!("layer {layer} reads keys of layer {source}"));
            shared.states.push(state.ok_or_else(missing)?);
        }
        let state = shared.states[layer];
        self.ops.push(Op::Attention(Attention {
            input: None,
            gate: None,
            q,
            state,
            out: attn,
            heads: c.heads,
            kv_heads,
            head_dim,
            scale: 1.0,
        }));
        self.linear(name("o"), attn, slice(BRANCH, 0, c.hidden))
    }

    /// The one value of a weight that is a factor.
    pub(super) fn scalar(&mut self, name: &str) -> Result<f32, PlanError> {
        let w = self.source.weight(name).ok_or_else(|| PlanError::MissingWeight(name.to_owned()))?;
        let mut value = [0f32];
        let read = w.row(0).and_then(|row| decode_row(w.encoding, &row, &mut value));
        match read {
            Ok(()) if (w.rows, w.cols) == (1, 1) && value[0].is_finite() => Ok(value[0]),
            _ => Err(PlanError::Options(format!("{name} is not one finite number"))),
        }
    }
}
