//! From a model's configuration to ops, one at a time: the unfused plan, then the folds that were asked for.

mod assistant;
mod eagle;
mod layered;

use sterna_bundle::{ATTENTION_PIECE, Delta, LinearNumerics, ModelConfig, WeightSource};
use sterna_format::Encoding;

use crate::op::{
    Attention, BufferId, Conv, DeltaRule, Epilogue, Linear, Op, Prologue, Rotation, Slice, Source, StateId,
    WeightId,
};
use crate::plan::{Buffer, BufferRows, Level, ModelPlan, Plan, RopeTable, StateSpec, WeightSpec, WeightUse};
use crate::{Fusions, HOLD_ROWS, PlanError};

pub use assistant::build_assistant;
pub use eagle::{build_eagle, build_eagle_fusion};

/// What to build.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOptions {
    /// Positions a session may use; at most the model's own context.
    pub context: usize,
    /// Folds to apply.
    pub fusions: Fusions,
    /// Widths of the entry points, ascending, the first 1.
    pub widths: Vec<usize>,
    /// Hidden states to hand out.
    pub taps: Taps,
}

/// Hidden states that a drafter reads off a model. No bit of a result depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Taps {
    /// None.
    #[default]
    None,
    /// After the last norm, `[hidden]` a row: what a head for multi-token prediction reads.
    Final,
    /// The inputs of these layers, side by side, `[layers * hidden]` a row: what an EAGLE-3 head reads. The number of the
    /// model's layers stands for the output of the last one.
    Layers(Vec<usize>),
}

impl PlanOptions {
    /// All folds, entry points of 1, 32, 64 and 128 rows (`main`, `verify`, `prefill64`, `prefill128`) and 16.
    pub fn new(context: usize) -> Self {
        Self { context, fusions: Fusions::ALL, widths: vec![1, 16, 32, 64, 128], taps: Taps::None }
    }
}

/// Builds the plan of a decoder of the Llama family, of a hybrid with delta layers, or of one with sliding windows and inputs
/// for every layer (Gemma 4), over the weights of `source`; `numerics` names how each linear weight meets its activations.
///
/// # Errors
/// Missing or misshapen weights; a context of 0 or past the model's; widths that do not ascend from 1.
pub fn build(
    config: &ModelConfig,
    source: &dyn WeightSource,
    numerics: &dyn Fn(&str, Encoding, usize) -> LinearNumerics,
    options: &PlanOptions,
) -> Result<ModelPlan, PlanError> {
    let layers = config.layers;
    if let Taps::Layers(taps) = &options.taps
        && let Some(bad) = taps.iter().find(|l| **l > layers)
    {
        return Err(PlanError::Options(format!(
            "hidden states of layer {bad} of a model of {layers} layers"
        )));
    }
    let mut graph = Graph::new(config, source, numerics, options)?;
    graph.decoder(&options.taps)?;
    Ok(graph.finish(options))
}

/// Builds the plan of a model's head for multi-token prediction (Qwen3.5: one layer). A row at position `t` is given token
/// `t + 1` and, as input, the model's hidden state at `t` after its last norm, or, where that one is not known yet, what
/// the head handed out for the row before; its result is token `t + 2`. Embedding table and head are the model's.
///
/// # Errors
/// As [`build`]; a model without such a head.
pub fn build_mtp(
    config: &ModelConfig,
    source: &dyn WeightSource,
    numerics: &dyn Fn(&str, Encoding, usize) -> LinearNumerics,
    options: &PlanOptions,
) -> Result<ModelPlan, PlanError> {
    if config.hybrid.is_none_or(|h| h.mtp_layers == 0) {
        return Err(PlanError::Options("this model has no head for multi-token prediction (mtp.*)".into()));
    }
    let mut graph = Graph::new(config, source, numerics, options)?;
    graph.mtp()?;
    Ok(graph.finish(options))
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

/// The layers' buffers; what a builder needs beside them is [added](Graph::buffer).
fn buffers(c: &ModelConfig) -> Vec<Buffer> {
    let call = |name, cols| Buffer { name, cols, rows: BufferRows::Call };
    let outputs = |name, cols| Buffer { name, cols, rows: BufferRows::Outputs };
    let widest = |cols: &dyn Fn(usize) -> usize| (0..c.layers).map(cols).max().unwrap_or(0);
    let mut all = vec![
        call("hidden", c.hidden),
        call("rotation", c.rope.dim),
        call("normed", c.hidden),
        call("qkv", widest(&|l| c.q_rows_of(l) + 2 * c.kv_width_of(l))),
        call("attn", widest(&|l| c.q_width_of(l))),
        call("branch", c.hidden),
        call("gate_up", widest(&|l| 2 * c.ffn_of(l))),
        call("ffn", widest(&|l| c.ffn_of(l))),
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
    buffers: Vec<Buffer>,
    input: Option<BufferId>,
    taps: Option<BufferId>,
    /// Most rows of a call.
    most_rows: usize,
}

impl<'a> Graph<'a> {
    fn new(
        config: &'a ModelConfig,
        source: &'a dyn WeightSource,
        numerics: &'a dyn Fn(&str, Encoding, usize) -> LinearNumerics,
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        if options.context == 0 || options.context > config.context {
            return Err(PlanError::Options(format!(
                "a context of {} positions; this model allows 1 to {}",
                options.context, config.context
            )));
        }
        if options.widths.first() != Some(&1) || options.widths.windows(2).any(|w| w[0] >= w[1]) {
            return Err(PlanError::Options("entry point widths must ascend and begin with 1".into()));
        }
        let (weights, states, ops) = (Vec::new(), Vec::new(), Vec::new());
        let buffers = buffers(config);
        let most_rows = options.widths.last().copied().unwrap_or(1).max(HOLD_ROWS);
        let (input, taps) = (None, None);
        Ok(Self { config, source, numerics, weights, states, ops, buffers, input, taps, most_rows })
    }

    fn finish(self, options: &PlanOptions) -> ModelPlan {
        let config = self.config;
        let usage = |id: WeightId| self.weights.get(id.0).map(|w| w.usage);
        let together = |a, b| match (usage(a), usage(b)) {
            (Some(WeightUse::Linear(a)), Some(WeightUse::Linear(b))) => a.shares_input(&b),
            _ => false,
        };
        let mut buffers = self.buffers;
        let fixed: Vec<BufferId> = self.input.into_iter().chain(self.taps).collect();
        let ops = options.fusions.apply(self.ops, &mut buffers, &fixed, &together);
        let entries = options.widths.iter().map(|&width| Plan {
            name: match width {
                1 => "main".into(),
                2..=32 if width != 16 => "verify".into(),
                _ => format!("prefill{width}"),
            },
            width,
            buffers: buffers.clone(),
            ops: ops.clone(),
            input: self.input,
            taps: self.taps,
            level: Level::Exact,
        });
        let ropes = std::iter::once(&config.rope).chain(config.gemma4.as_ref().map(|g| &g.full_rope));
        let ropes = ropes.map(|rope| {
            let (frequencies, factor) = rope.frequencies(options.context);
            RopeTable { frequencies, factor }
        });
        ModelPlan {
            entries: entries.collect(),
            weights: self.weights,
            states: self.states,
            ropes: ropes.collect(),
            vocab: config.vocab,
            padded_vocab: padded(config.vocab),
            context: options.context,
            attention_piece: ATTENTION_PIECE,
        }
    }

    /// A buffer of `cols` columns for every row of the call.
    fn buffer(&mut self, name: &'static str, cols: usize) -> BufferId {
        self.buffers.push(Buffer { name, cols, rows: BufferRows::Call });
        BufferId(self.buffers.len() - 1)
    }

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
        let (source, members) = (Source::Given, vec![id]);
        self.ops.push(Op::Linear(Linear { source, prologue, members, input, out, epilogue }));
        Ok(())
    }

    fn norm(&mut self, name: String, input: Slice, out: Slice, width: usize) -> Result<(), PlanError> {
        let weight = self.vector(name, width)?;
        let weight = Some(weight);
        self.ops.push(Op::RmsNorm { input, weight, eps: self.config.norm_eps, width, out });
        Ok(())
    }

    fn decoder(&mut self, taps: &Taps) -> Result<(), PlanError> {
        let c = self.config;
        let table = self.weight("embed".into(), c.vocab, c.hidden, |_, _| WeightUse::Gather)?;
        self.ops.push(Op::Embed { table, scale: c.embedding_scale, out: HIDDEN });
        self.ops.push(Op::RotationTable { rope: 0, out: ROTATION });
        if let Taps::Layers(layers) = taps {
            self.taps = Some(self.buffer("taps", layers.len() * c.hidden));
        }
        if let Some(g) = &c.gemma4 {
            let mut inputs = self.layer_inputs(g)?;
            for layer in 0..c.layers {
                self.tap(taps, layer);
                self.layered(g, layer, &mut inputs)?;
            }
        }
        let plain = if c.gemma4.is_none() { c.layers } else { 0 };
        for layer in 0..plain {
            self.tap(taps, layer);
            match c.delta(layer) {
                Some(shape) => self.delta(layer, *shape)?,
                None => self.attention(&format!("layers.{layer}"), layer)?,
            }
            self.mlp(&format!("layers.{layer}"))?;
        }
        self.tap(taps, c.layers);
        if *taps == Taps::Final {
            return self.tapped_head("norm");
        }
        self.ops.push(Op::SelectOutputs { input: HIDDEN, out: PICKED });
        self.norm("norm".into(), slice(PICKED, 0, c.hidden), slice(PICKED_NORM, 0, c.hidden), c.hidden)?;
        self.head()
    }

    /// Hands out the residual stream as it is before `layer`, if it is asked for.
    fn tap(&mut self, taps: &Taps, layer: usize) {
        let (Taps::Layers(layers), Some(buffer)) = (taps, self.taps) else { return };
        let hidden = self.config.hidden;
        for (i, _) in layers.iter().enumerate().filter(|(_, l)| **l == layer) {
            let out = slice(buffer, i * hidden, hidden);
            self.ops.push(Op::Copy { input: slice(HIDDEN, 0, hidden), out });
        }
    }

    /// The last norm of every row, which is handed out, and the head of the wanted ones.
    fn tapped_head(&mut self, norm: &str) -> Result<(), PlanError> {
        let hidden = self.config.hidden;
        let taps = self.buffer("taps", hidden);
        self.taps = Some(taps);
        self.norm(norm.into(), slice(HIDDEN, 0, hidden), slice(taps, 0, hidden), hidden)?;
        self.ops.push(Op::SelectOutputs { input: taps, out: PICKED_NORM });
        self.head()
    }

    /// Logits and argmax of the wanted rows, from their last norm.
    fn head(&mut self) -> Result<(), PlanError> {
        let c = self.config;
        let (normed, logits) = (slice(PICKED_NORM, 0, c.hidden), slice(LOGITS, 0, c.vocab));
        let head = if c.tied { "embed" } else { "head" };
        self.linear(head.into(), normed, logits)?;
        if c.logit_scale != 1.0 {
            self.ops.push(Op::Scale { slice: logits, factor: c.logit_scale });
        }
        let softcap = c.gemma4.as_ref().and_then(|g| g.softcap);
        self.ops.push(Op::Argmax { logits: LOGITS, valid: c.vocab, softcap });
        Ok(())
    }

    fn mtp(&mut self) -> Result<(), PlanError> {
        let c = self.config;
        let h = c.hidden;
        let (input, embedded) = (self.buffer("input", h), self.buffer("embedded", h));
        let joined = self.buffer("joined", 2 * h);
        self.input = Some(input);
        let table = self.weight("embed".into(), c.vocab, h, |_, _| WeightUse::Gather)?;
        self.ops.push(Op::Embed { table, scale: c.embedding_scale, out: embedded });
        self.ops.push(Op::RotationTable { rope: 0, out: ROTATION });
        self.norm("mtp.embed_norm".into(), slice(embedded, 0, h), slice(joined, 0, h), h)?;
        self.norm("mtp.hidden_norm".into(), slice(input, 0, h), slice(joined, h, h), h)?;
        self.linear("mtp.fc".into(), slice(joined, 0, 2 * h), slice(HIDDEN, 0, h))?;
        self.attention("mtp", 0)?;
        self.mlp("mtp")?;
        self.tapped_head("mtp.norm")
    }

    /// The attention of the layer whose weights are called `prefix.q` and so on.
    fn attention(&mut self, prefix: &str, layer: usize) -> Result<(), PlanError> {
        let hidden = self.config.hidden;
        let normed = slice(NORMED, 0, hidden);
        self.norm(format!("{prefix}.attn_norm"), slice(HIDDEN, 0, hidden), normed, hidden)?;
        self.attend(prefix, layer, normed)
    }

    /// The same after its norm: `normed` is what q, k and v read.
    fn attend(&mut self, prefix: &str, layer: usize, normed: Slice) -> Result<(), PlanError> {
        let c = self.config;
        let name = |role: &str| format!("{prefix}.{role}");
        let (hidden, branch) = (slice(HIDDEN, 0, c.hidden), slice(BRANCH, 0, c.hidden));
        let q = slice(QKV, 0, c.q_width());
        let q_and_gate = slice(QKV, 0, c.q_rows());
        let k = slice(QKV, c.q_rows(), c.kv_width());
        let v = slice(QKV, c.q_rows() + c.kv_width(), c.kv_width());
        let attn = slice(ATTN, 0, c.q_width());
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
        let c = self.config;
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

    fn mlp(&mut self, prefix: &str) -> Result<(), PlanError> {
        let c = self.config;
        let name = |role: &str| format!("{prefix}.{role}");
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
