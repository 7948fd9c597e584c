//! From a model's configuration to ops, one at a time: the unfused plan, then the folds that were asked for.

use sterna_bundle::{ATTENTION_PIECE, Delta, LinearNumerics, ModelConfig, WeightSource};
use sterna_format::Encoding;

use crate::op::{
    Attention, BufferId, Conv, DeltaRule, Epilogue, Linear, Op, Prologue, Rotation, Slice, StateId, WeightId,
};
use crate::plan::{Buffer, BufferRows, Level, ModelPlan, Plan, StateSpec, WeightSpec, WeightUse};
use crate::{Fusions, PlanError};

/// What to build.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOptions {
    /// Positions a session may use; at most the model's own context.
    pub context: usize,
    /// Folds to apply.
    pub fusions: Fusions,
    /// Widths of the entry points, ascending, the first 1.
    pub widths: Vec<usize>,
}

impl PlanOptions {
    /// All folds, entry points of 1, 32, 64 and 128 rows (`main`, `verify`, `prefill64`, `prefill128`) and 16.
    pub fn new(context: usize) -> Self {
        Self { context, fusions: Fusions::ALL, widths: vec![1, 16, 32, 64, 128] }
    }
}

/// Builds the plan of a decoder of the Llama family, or of a hybrid with delta layers, over the weights of `source`; `numerics` names how each linear
/// weight meets its activations.
///
/// # Errors
/// Missing or misshapen weights; a context of 0 or past the model's; widths that do not ascend from 1.
pub fn build(
    config: &ModelConfig,
    source: &dyn WeightSource,
    numerics: &dyn Fn(&str, Encoding, usize) -> LinearNumerics,
    options: &PlanOptions,
) -> Result<ModelPlan, PlanError> {
    if options.context == 0 || options.context > config.context {
        return Err(PlanError::Options(format!(
            "a context of {} positions; this model allows 1 to {}",
            options.context, config.context
        )));
    }
    if options.widths.first() != Some(&1) || options.widths.windows(2).any(|w| w[0] >= w[1]) {
        return Err(PlanError::Options("entry point widths must ascend and begin with 1".into()));
    }
    let mut graph =
        Graph { config, source, numerics, weights: Vec::new(), states: Vec::new(), ops: Vec::new() };
    graph.decoder()?;
    let buffers = buffers(config);
    let ops = options.fusions.apply(graph.ops);
    let entries = options.widths.iter().map(|&width| Plan {
        name: match width {
            1 => "main".into(),
            2..=32 if width != 16 => "verify".into(),
            _ => format!("prefill{width}"),
        },
        width,
        buffers: buffers.clone(),
        ops: ops.clone(),
        level: Level::Exact,
    });
    let (frequencies, rotation_factor) = config.rope.frequencies(options.context);
    Ok(ModelPlan {
        entries: entries.collect(),
        weights: graph.weights,
        states: graph.states,
        frequencies,
        rotation_factor,
        vocab: config.vocab,
        padded_vocab: padded(config.vocab),
        context: options.context,
        attention_piece: ATTENTION_PIECE,
    })
}

fn padded(vocab: usize) -> usize {
    vocab.div_ceil(64) * 64
}

// Indices follow the order in `buffers`.
const HIDDEN: BufferId = BufferId(0);
const ROTATION: BufferId = BufferId(1);
const NORMED: BufferId = BufferId(2);
const QKV: BufferId = BufferId(3);
const ATTN: BufferId = BufferId(4);
const BRANCH: BufferId = BufferId(5);
const GATE_UP: BufferId = BufferId(6);
const FFN: BufferId = BufferId(7);
const PICKED: BufferId = BufferId(8);
const PICKED_NORM: BufferId = BufferId(9);
const LOGITS: BufferId = BufferId(10);
// Of hybrids alone.
const DELTA_IN: BufferId = BufferId(11);
const DELTA_QKV: BufferId = BufferId(12);
const DELTA_OUT: BufferId = BufferId(13);

fn buffers(c: &ModelConfig) -> Vec<Buffer> {
    let call = |name, cols| Buffer { name, cols, rows: BufferRows::Call };
    let outputs = |name, cols| Buffer { name, cols, rows: BufferRows::Outputs };
    let mut all = vec![
        call("hidden", c.hidden),
        call("rotation", c.rope.dim),
        call("normed", c.hidden),
        call("qkv", c.q_rows() + 2 * c.kv_width()),
        call("attn", c.q_width()),
        call("branch", c.hidden),
        call("gate_up", 2 * c.ffn),
        call("ffn", c.ffn),
        outputs("picked", c.hidden),
        outputs("picked_norm", c.hidden),
        outputs("logits", padded(c.vocab)),
    ];
    if let Some(d) = c.hybrid.as_ref().map(|h| &h.delta) {
        all.push(call("delta_in", d.channels() + d.value_width() + 2 * d.v_heads));
        all.push(call("delta_qkv", d.channels()));
        all.push(call("delta_out", d.value_width()));
    }
    all
}

fn slice(buffer: BufferId, start: usize, len: usize) -> Slice {
    Slice { buffer, start, len }
}

struct Graph<'a> {
    config: &'a ModelConfig,
    source: &'a dyn WeightSource,
    numerics: &'a dyn Fn(&str, Encoding, usize) -> LinearNumerics,
    weights: Vec<WeightSpec>,
    states: Vec<StateSpec>,
    ops: Vec<Op>,
}

impl Graph<'_> {
    fn weight(
        &mut self,
        name: String,
        rows: usize,
        cols: usize,
        usage: impl FnOnce(&Self, Encoding) -> WeightUse,
    ) -> Result<WeightId, PlanError> {
        let w = self.source.weight(&name).ok_or_else(|| PlanError::MissingWeight(name.clone()))?;
        if (w.rows, w.cols) != (rows, cols) {
            return Err(PlanError::Shape {
                name,
                rows: w.rows,
                cols: w.cols,
                want_rows: rows,
                want_cols: cols,
            });
        }
        let usage = usage(self, w.encoding);
        self.weights.push(WeightSpec { name, encoding: w.encoding, rows, cols, usage });
        Ok(WeightId(self.weights.len() - 1))
    }

    fn matrix(&mut self, name: String, rows: usize, cols: usize) -> Result<WeightId, PlanError> {
        self.weight(name.clone(), rows, cols, |g, e| WeightUse::Linear((g.numerics)(&name, e, cols)))
    }

    fn vector(&mut self, name: String, cols: usize) -> Result<WeightId, PlanError> {
        self.weight(name, 1, cols, |_, _| WeightUse::Vector)
    }

    fn linear(&mut self, name: String, input: Slice, out: Slice) -> Result<(), PlanError> {
        let id = self.matrix(name, out.len, input.len)?;
        let (prologue, epilogue) = (Prologue::None, Epilogue::Store);
        self.ops.push(Op::Linear(Linear { prologue, members: vec![id], input, out, epilogue }));
        Ok(())
    }

    fn norm(&mut self, name: String, input: Slice, out: Slice, width: usize) -> Result<(), PlanError> {
        let weight = self.vector(name, width)?;
        self.ops.push(Op::RmsNorm { input, weight, eps: self.config.norm_eps, width, out });
        Ok(())
    }

    fn decoder(&mut self) -> Result<(), PlanError> {
        let c = self.config.clone();
        let table = self.weight("embed".into(), c.vocab, c.hidden, |_, _| WeightUse::Gather)?;
        self.ops.push(Op::Embed { table, scale: c.embedding_scale, out: HIDDEN });
        self.ops.push(Op::RotationTable { out: ROTATION });
        for layer in 0..c.layers {
            match c.delta(layer) {
                Some(shape) => self.delta(layer, *shape)?,
                None => self.attention(layer)?,
            }
            self.mlp(layer)?;
        }
        self.ops.push(Op::SelectOutputs { input: HIDDEN, out: PICKED });
        let (picked, normed) = (slice(PICKED, 0, c.hidden), slice(PICKED_NORM, 0, c.hidden));
        self.norm("norm".into(), picked, normed, c.hidden)?;
        let logits = slice(LOGITS, 0, c.vocab);
        let head = if c.tied { "embed" } else { "head" };
        self.linear(head.into(), normed, logits)?;
        if c.logit_scale != 1.0 {
            self.ops.push(Op::Scale { slice: logits, factor: c.logit_scale });
        }
        self.ops.push(Op::Argmax { logits: LOGITS, valid: c.vocab });
        Ok(())
    }

    fn attention(&mut self, layer: usize) -> Result<(), PlanError> {
        let c = self.config.clone();
        let name = |role: &str| format!("layers.{layer}.{role}");
        let (hidden, normed, branch) =
            (slice(HIDDEN, 0, c.hidden), slice(NORMED, 0, c.hidden), slice(BRANCH, 0, c.hidden));
        let q = slice(QKV, 0, c.q_width());
        let q_and_gate = slice(QKV, 0, c.q_rows());
        let k = slice(QKV, c.q_rows(), c.kv_width());
        let v = slice(QKV, c.q_rows() + c.kv_width(), c.kv_width());
        let attn = slice(ATTN, 0, c.q_width());
        self.norm(name("attn_norm"), hidden, normed, c.hidden)?;
        self.linear(name("q"), normed, q_and_gate)?;
        self.linear(name("k"), normed, k)?;
        self.linear(name("v"), normed, v)?;
        if c.qk_norm {
            self.norm(name("q_norm"), q, q, c.head_dim)?;
            self.norm(name("k_norm"), k, k, c.head_dim)?;
        }
        let rotation = Rotation { table: ROTATION, dim: c.rope.dim };
        for heads in [q, k] {
            self.ops.push(Op::Rotate { heads, head_dim: c.head_dim, rotation });
        }
        let state = self.state(StateSpec::FullKv { layer, kv_heads: c.kv_heads, head_dim: c.head_dim });
        self.ops.push(Op::KvWrite { k, v, state });
        self.ops.push(Op::Attention(Attention {
            input: None,
            gate: None,
            q,
            state,
            out: attn,
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            scale: 1.0 / (c.head_dim as f32).sqrt(),
        }));
        if c.hybrid.is_some() {
            let gate = slice(QKV, c.q_width(), c.q_width());
            self.ops.push(Op::SigmoidMul { gate, out: attn });
        }
        self.linear(name("o"), attn, branch)?;
        self.ops.push(Op::AddScaled { input: branch, factor: c.residual_scale, out: hidden });
        Ok(())
    }

    fn delta(&mut self, layer: usize, shape: Delta) -> Result<(), PlanError> {
        let c = self.config.clone();
        let name = |role: &str| format!("layers.{layer}.delta_{role}");
        let (hidden, normed, branch) =
            (slice(HIDDEN, 0, c.hidden), slice(NORMED, 0, c.hidden), slice(BRANCH, 0, c.hidden));
        let (channels, keys, values) = (shape.channels(), shape.key_width(), shape.value_width());
        let mixed = slice(DELTA_IN, 0, channels);
        let z = slice(DELTA_IN, channels, values);
        let b = slice(DELTA_IN, channels + values, shape.v_heads);
        let a = slice(DELTA_IN, channels + values + shape.v_heads, shape.v_heads);
        self.norm(format!("layers.{layer}.attn_norm"), hidden, normed, c.hidden)?;
        self.linear(name("qkv"), normed, mixed)?;
        self.linear(name("z"), normed, z)?;
        self.linear(name("b"), normed, b)?;
        self.linear(name("a"), normed, a)?;
        let weight = self.weight(name("conv"), channels, shape.taps, |_, _| WeightUse::Taps)?;
        let state = self.state(StateSpec::Conv { layer, inputs: shape.taps - 1, channels });
        self.ops.push(Op::Conv(Conv { input: mixed, weight, state, out: slice(DELTA_QKV, 0, channels) }));
        let decay = self.vector(name("decay"), shape.v_heads)?;
        let dt = self.vector(name("dt"), shape.v_heads)?;
        let Delta { v_heads: heads, k_dim, v_dim, .. } = shape;
        let state = self.state(StateSpec::Recurrent { layer, heads, k_dim, v_dim });
        let out = slice(DELTA_OUT, 0, values);
        self.ops.push(Op::DeltaRule(DeltaRule {
            conv: None,
            q: slice(DELTA_QKV, 0, keys),
            k: slice(DELTA_QKV, keys, keys),
            v: slice(DELTA_QKV, 2 * keys, values),
            b,
            a,
            decay,
            dt,
            shape,
            state,
            out,
            gate: None,
        }));
        self.norm(name("norm"), out, out, v_dim)?;
        self.ops.push(Op::SiluMul { gate: z, up: out, out });
        self.linear(name("out"), out, branch)?;
        self.ops.push(Op::AddScaled { input: branch, factor: c.residual_scale, out: hidden });
        Ok(())
    }

    fn state(&mut self, spec: StateSpec) -> StateId {
        self.states.push(spec);
        StateId(self.states.len() - 1)
    }

    fn mlp(&mut self, layer: usize) -> Result<(), PlanError> {
        let c = self.config.clone();
        let name = |role: &str| format!("layers.{layer}.{role}");
        let (hidden, normed, branch) =
            (slice(HIDDEN, 0, c.hidden), slice(NORMED, 0, c.hidden), slice(BRANCH, 0, c.hidden));
        let (gate, up, ffn) = (slice(GATE_UP, 0, c.ffn), slice(GATE_UP, c.ffn, c.ffn), slice(FFN, 0, c.ffn));
        self.norm(name("ffn_norm"), hidden, normed, c.hidden)?;
        self.linear(name("gate"), normed, gate)?;
        self.linear(name("up"), normed, up)?;
        self.ops.push(Op::SiluMul { gate, up, out: ffn });
        self.linear(name("down"), ffn, branch)?;
        self.ops.push(Op::AddScaled { input: branch, factor: c.residual_scale, out: hidden });
        Ok(())
    }
}
