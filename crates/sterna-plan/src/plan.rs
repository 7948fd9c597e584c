//! A model as data: weights, states and one immutable list of ops per entry point.

use std::fmt::Write as _;

use sterna_bundle::LinearNumerics;
use sterna_format::Encoding;

use crate::PlanError;
use crate::op::{BufferId, Epilogue, Op, Prologue, Slice, Source, StateId, WeightId};

/// How a plan uses a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightUse {
    /// Matrix of a linear layer.
    Linear(LinearNumerics),
    /// Rows are looked up.
    Gather,
    /// A vector of floats.
    Vector,
    /// Taps of a convolution, `[channels, taps]` floats.
    Taps,
}

/// A weight that a plan names.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightSpec {
    /// Canonical name in the [`sterna_bundle::WeightSource`].
    pub name: String,
    /// Encoding in the source.
    pub encoding: Encoding,
    /// Output features or table entries.
    pub rows: usize,
    /// Input features.
    pub cols: usize,
    /// How it is used.
    pub usage: WeightUse,
}

impl WeightSpec {
    /// Bytes in the canonical encoding.
    pub fn bytes(&self) -> u64 {
        self.encoding.row_bytes(self.cols).unwrap_or(0) as u64 * self.rows as u64
    }
}

/// A state that calls read and write.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StateSpec {
    /// Keys and values of every position, f16.
    FullKv {
        /// Layer, for messages.
        layer: usize,
        /// Key and value heads.
        kv_heads: usize,
        /// Width of a head.
        head_dim: usize,
    },
    /// Keys and values of the last positions, f16: as many as a row sees, and room for the rows of a call, so that rows
    /// which are not accepted in the end took no key from those that are (`rows >= window - 1 + rows of a call`).
    RingKv {
        /// Layer, for messages.
        layer: usize,
        /// Key and value heads.
        kv_heads: usize,
        /// Width of a head.
        head_dim: usize,
        /// Positions that a row sees, its own included.
        window: usize,
        /// Positions kept, a multiple of the attention piece: position `p` lies at `p % rows`.
        rows: usize,
    },
    /// One matrix per head that every position updates, f32 at rest (contract C5).
    Recurrent {
        /// Layer, for messages.
        layer: usize,
        /// Heads.
        heads: usize,
        /// Rows of a head's matrix.
        k_dim: usize,
        /// Columns of a head's matrix.
        v_dim: usize,
    },
    /// Keys and values that another plan's layer writes, the plan that this one is loaded
    /// [beside](crate::Executor::beside): read, never written. A row at position `n` sees positions before its own, and of a
    /// window the last `window - 1`.
    Borrowed {
        /// The other plan's layer.
        layer: usize,
        /// Key and value heads.
        kv_heads: usize,
        /// Width of a head.
        head_dim: usize,
        /// Positions that a row sees, its own included, of which there is no key; `None` for all.
        window: Option<usize>,
    },
    /// The last inputs of a convolution, f32.
    Conv {
        /// Layer, for messages.
        layer: usize,
        /// Inputs kept, oldest first.
        inputs: usize,
        /// Width of an input.
        channels: usize,
    },
}

impl StateSpec {
    /// Bytes for one position.
    pub fn bytes_per_position(&self) -> usize {
        match self {
            StateSpec::FullKv { kv_heads, head_dim, .. } => 2 * 2 * kv_heads * head_dim,
            _ => 0,
        }
    }

    /// Bytes that do not depend on the number of positions, once; an executor keeps those of states that own time twice,
    /// so that a call that fails leaves the committed ones as they are.
    pub fn bytes_fixed(&self) -> usize {
        match self {
            StateSpec::RingKv { kv_heads, head_dim, rows, .. } => 2 * 2 * kv_heads * head_dim * rows,
            _ => 4 * self.fixed(),
        }
    }

    /// Floats of a state that owns time.
    pub fn fixed(&self) -> usize {
        match self {
            StateSpec::Recurrent { heads, k_dim, v_dim, .. } => heads * k_dim * v_dim,
            StateSpec::Conv { inputs, channels, .. } => inputs * channels,
            _ => 0,
        }
    }

    /// Whether earlier positions can be had back by dropping later ones. A state that owns time cannot: it stands at
    /// one position, and at the start. A ring can for as long as it holds what the earlier position sees
    /// ([`StateSpec::can_cut`]).
    pub fn can_drop(&self) -> bool {
        matches!(self, StateSpec::FullKv { .. } | StateSpec::Borrowed { .. })
    }

    /// Whether a slot whose furthest position written so far is `written - 1` still holds all that a row at position
    /// `len`, the next after a cut, sees of this state. Full keys and values always do; a state that owns time is not
    /// asked.
    pub fn can_cut(&self, written: u32, len: u32) -> bool {
        match self {
            StateSpec::RingKv { window, rows, .. } => {
                len == 0 || len as usize + rows + 1 >= written as usize + window
            }
            _ => true,
        }
    }

    /// The first position that a row at `position` sees of it.
    pub fn first_seen(&self, position: u32) -> usize {
        match self {
            StateSpec::RingKv { window, .. } | StateSpec::Borrowed { window: Some(window), .. } => {
                (position as usize + 1).saturating_sub(*window)
            }
            _ => 0,
        }
    }

    /// One past the last position that a row at `position` sees of it: its own, or, of borrowed keys, the one before.
    pub fn end_seen(&self, position: u32) -> usize {
        match self {
            StateSpec::Borrowed { .. } => position as usize,
            _ => position as usize + 1,
        }
    }

    /// For borrowed keys, which of another plan's `states` they are; `None` for all others.
    ///
    /// # Errors
    /// No such layer, or keys of another shape.
    pub fn lender(&self, states: &[StateSpec]) -> Result<Option<StateId>, PlanError> {
        let StateSpec::Borrowed { layer: wanted, .. } = self else { return Ok(None) };
        let lends = |s: &StateSpec| match s {
            StateSpec::FullKv { layer, .. } | StateSpec::RingKv { layer, .. } => layer == wanted,
            _ => false,
        };
        let at = states.iter().position(lends);
        let Some(at) = at.filter(|at| states[*at].heads() == self.heads()) else {
            let found = at.map_or_else(|| "nothing".to_owned(), |at| format!("{:?}", states[at]));
            return Err(PlanError::Options(format!("{self:?} is to be lent, and there is {found}")));
        };
        Ok(Some(StateId(at)))
    }

    /// Key and value heads, and the width of one, of a state that holds keys and values.
    pub fn heads(&self) -> Option<(usize, usize)> {
        match self {
            StateSpec::FullKv { kv_heads, head_dim, .. }
            | StateSpec::RingKv { kv_heads, head_dim, .. }
            | StateSpec::Borrowed { kv_heads, head_dim, .. } => Some((*kv_heads, *head_dim)),
            _ => None,
        }
    }
}

/// Rows of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferRows {
    /// One per row of the call.
    Call,
    /// One per wanted output.
    Outputs,
}

/// An activation buffer, f32.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// For tables and messages.
    pub name: &'static str,
    /// Columns.
    pub cols: usize,
    /// Rows.
    pub rows: BufferRows,
}

impl Buffer {
    /// The whole of buffer `id`.
    pub fn all(&self, id: BufferId) -> Slice {
        Slice { buffer: id, start: 0, len: self.cols }
    }
}

/// Whether C1 holds for every op (contract C8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Every row has the bits of the S=1 call.
    Exact,
    /// Some lane is only argmax-equal in tests.
    Close,
}

/// One entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// "main", "verify", "prefill64", ...
    pub name: String,
    /// Largest number of rows in a call.
    pub width: usize,
    /// Activation buffers.
    pub buffers: Vec<Buffer>,
    /// The ops, in order.
    pub ops: Vec<Op>,
    /// Buffer that the caller fills ([`crate::RowTable::set_inputs`]): hidden states of another model.
    pub input: Option<BufferId>,
    /// Buffer whose rows are handed out after a call ([`crate::Outputs::taps`]): hidden states for another model.
    pub taps: Option<BufferId>,
    /// Promise on bits.
    pub level: Level,
}

/// The rotation of some heads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RopeTable {
    /// In radians per position; 0 for pairs that do not turn.
    pub frequencies: Vec<f64>,
    /// Factor on cosines and sines.
    pub factor: f64,
}

/// What every entry point shares.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPlan {
    /// Weights.
    pub weights: Vec<WeightSpec>,
    /// States.
    pub states: Vec<StateSpec>,
    /// Entry points, narrowest first; all share weights and states.
    pub entries: Vec<Plan>,
    /// Rotary frequencies, one set for each width and base of heads that turn.
    pub ropes: Vec<RopeTable>,
    /// Real tokens, of which a row may hold any. The logits of a draft head may name fewer: those of its
    /// [`Op::Argmax`].
    pub vocab: usize,
    /// Tokens that logits name, padded to a multiple of 64; pads never win.
    pub padded_vocab: usize,
    /// Positions a session may use.
    pub context: usize,
    /// Keys of one attention piece (C4).
    pub attention_piece: usize,
}

/// What one call of an entry point costs, from the plan alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Ops, hence dispatches.
    pub ops: usize,
    /// Bytes of weights in their canonical encoding, read once per call.
    pub weight_bytes: u64,
    /// Multiply-accumulates of linear layers per row, head included.
    pub macs_per_row: u64,
    /// Bytes of state added per position.
    pub state_bytes: u64,
    /// Bytes of state that every sequence has, whatever its length.
    pub fixed_state_bytes: u64,
}

impl ModelPlan {
    /// The weight behind an id.
    pub fn weight(&self, id: WeightId) -> &WeightSpec {
        &self.weights[id.0]
    }
    /// The state behind an id.
    pub fn state(&self, id: StateId) -> &StateSpec {
        &self.states[id.0]
    }
    /// The longest prefix of at most `len` positions that a state of `committed` positions holds or can be cut to
    /// without computing anything: `len` itself unless a state owns time or is a ring.
    pub fn reusable_prefix(&self, committed: u32, len: u32) -> u32 {
        if len >= committed {
            committed
        } else if !self.owns_time() {
            len
        } else {
            0
        }
    }
    /// Index of the narrowest entry point that holds `rows`, if one does.
    pub fn entry_for(&self, rows: usize) -> Option<usize> {
        self.entries.iter().position(|e| e.width >= rows)
    }

    /// Tokens that logits name: [`ModelPlan::vocab`], fewer in a draft head with a vocabulary of its own, 0 in a plan
    /// without logits.
    pub fn output_vocab(&self) -> usize {
        let valid = |op: &Op| if let Op::Argmax { valid, .. } = op { Some(*valid) } else { None };
        self.entries.first().and_then(|e| e.ops.iter().rev().find_map(valid)).unwrap_or(0)
    }

    /// Columns of the hidden states that the entry points hand out; 0 when none.
    pub fn tap_width(&self) -> usize {
        let width = |e: &Plan| e.taps.map_or(0, |b| e.buffers[b.0].cols);
        self.entries.first().map_or(0, width)
    }
    /// Whether a state of it owns time or is a ring, so that a call's rows are one chain a sequence and a cut may need
    /// rows to be fed again.
    pub fn owns_time(&self) -> bool {
        !self.states.iter().all(StateSpec::can_drop)
    }

    /// Whether it reads keys and values of the plan that it is loaded beside.
    pub fn borrows(&self) -> bool {
        self.states.iter().any(|s| matches!(s, StateSpec::Borrowed { .. }))
    }

    /// Checks that no op writes keys that are only borrowed.
    ///
    /// # Errors
    /// [`PlanError::Options`] naming the op.
    pub fn check_borrowed(&self) -> Result<(), PlanError> {
        for op in self.entries.iter().flat_map(|e| &e.ops) {
            let state = match op {
                Op::KvWrite { state, .. } => Some(*state),
                Op::Attention(a) => a.input.and_then(|i| i.kv).map(|_| a.state),
                _ => None,
            };
            if let Some(StateSpec::Borrowed { layer, .. }) = state.and_then(|s| self.states.get(s.0)) {
                let text = format!("{} writes keys of the target's layer {layer}", op.name());
                return Err(PlanError::Options(text));
            }
        }
        Ok(())
    }

    /// Cost of one call.
    pub fn cost(&self, entry: &Plan) -> Cost {
        let mut cost = Cost { ops: entry.ops.len(), ..Cost::default() };
        for op in entry.ops.iter().flat_map(Op::parts) {
            match op {
                Op::Linear(l) => {
                    if let Source::Joined { weight, .. } = l.source {
                        cost.weight_bytes += self.weight(weight).bytes();
                    }
                    for id in &l.members {
                        let w = self.weight(*id);
                        cost.weight_bytes += w.bytes();
                        cost.macs_per_row += (w.rows * w.cols) as u64;
                    }
                    if let Prologue::RmsNorm { weight, .. } = l.prologue {
                        cost.weight_bytes += self.weight(weight).bytes();
                    }
                }
                Op::RmsNorm { weight: Some(weight), .. } | Op::AddNormed { weight, .. } => {
                    cost.weight_bytes += self.weight(*weight).bytes()
                }
                Op::Conv(c) => cost.weight_bytes += self.weight(c.weight).bytes(),
                Op::KeepClusters { cluster, .. } => cost.weight_bytes += self.weight(*cluster).bytes(),
                Op::DeltaRule(d) => {
                    let conv = d.conv.iter().map(|c| c.weight);
                    let gate = d.gate.iter().map(|g| g.weight);
                    let all = [d.decay, d.dt].into_iter().chain(conv).chain(gate);
                    cost.weight_bytes += all.map(|w| self.weight(w).bytes()).sum::<u64>();
                }
                Op::Embed { table, out, .. } => {
                    let w = self.weight(*table);
                    let rows = entry.buffers[out.0].cols / w.cols.max(1);
                    cost.weight_bytes += w.bytes() / w.rows.max(1) as u64 * rows as u64;
                }
                _ => {}
            }
        }
        cost.state_bytes = self.states.iter().map(|s| s.bytes_per_position() as u64).sum();
        cost.fixed_state_bytes = self.states.iter().map(|s| s.bytes_fixed() as u64).sum();
        cost
    }

    /// A listing for people: every op with its buffers and weights.
    pub fn describe(&self, entry: &Plan) -> String {
        let mut text = String::new();
        let cost = self.cost(entry);
        let _ = writeln!(
            text,
            "entry {} (up to {} rows, {:?}): {} ops, {:.2} MB of weights a call, {:.2} M multiply-accumulates a row",
            entry.name,
            entry.width,
            entry.level,
            cost.ops,
            cost.weight_bytes as f64 / 1e6,
            cost.macs_per_row as f64 / 1e6
        );
        let _ = writeln!(
            text,
            "a sequence keeps {:.2} MB of state, and {:.3} MB for every position",
            cost.fixed_state_bytes as f64 / 1e6,
            cost.state_bytes as f64 / 1e6
        );
        for (i, op) in entry.ops.iter().enumerate() {
            let _ = writeln!(text, "{i:5}  {}", self.describe_op(entry, op));
        }
        text
    }

    /// Name of an op and the role of its first weight, layers taken together: "linear down".
    pub fn op_label(&self, op: &Op) -> String {
        let weight = match op {
            Op::Linear(l) => l.members.first(),
            Op::RmsNorm { weight, .. } => weight.as_ref(),
            Op::AddNormed { weight, .. } => Some(weight),
            Op::Conv(c) => Some(&c.weight),
            Op::RowByRow(ops) => {
                return ops.first().map_or(String::new(), |first| format!("rows: {}", self.op_label(first)));
            }
            _ => None,
        };
        let role = weight.map_or("", |w| self.weight(*w).name.rsplit('.').next().unwrap_or(""));
        format!("{} {role}", op.name()).trim_end().to_owned()
    }

    /// One op on one line.
    pub fn describe_op(&self, entry: &Plan, op: &Op) -> String {
        let slice = |s: &Slice| {
            let b = &entry.buffers[s.buffer.0];
            if s.start == 0 && s.len == b.cols {
                b.name.to_owned()
            } else {
                format!("{}[{}..{}]", b.name, s.start, s.start + s.len)
            }
        };
        let buffer = |b: &BufferId| entry.buffers[b.0].name;
        let name = |w: &WeightId| self.weights[w.0].name.as_str();
        match op {
            Op::Embed { table, scale, out } => format!("{} = embed({}) * {scale}", buffer(out), name(table)),
            Op::RotationTable { rope, out } => format!("{} = rotation-table(position, {rope})", buffer(out)),
            Op::RmsNorm { input, weight, out, .. } => {
                let weight = weight.as_ref().map_or(String::new(), |w| format!(", {}", name(w)));
                format!("{} = rms-norm({}{weight})", slice(out), slice(input))
            }
            Op::Linear(l) => {
                let members = l.members.iter().map(name).collect::<Vec<_>>().join(" | ");
                let input = match l.source {
                    Source::Given => slice(&l.input),
                    Source::Wanted(from) => format!("wanted rows of {}", buffer(&from)),
                    Source::Joined { residual, branch, weight, factor, scale, .. } => {
                        let (input, residual, branch) = (slice(&l.input), slice(&residual), slice(&branch));
                        let scaled = if scale == 1.0 { String::new() } else { format!(", all * {scale}") };
                        let weight = name(&weight);
                        format!("{input} := {residual} + rms-norm({branch}, {weight}) * {factor}{scaled}")
                    }
                };
                let input = match l.prologue {
                    Prologue::None => input,
                    Prologue::RmsNorm { weight, .. } => format!("rms-norm({input}, {})", name(&weight)),
                };
                let encoding = l.members.first().map_or("", |w| self.weights[w.0].encoding.name());
                match l.epilogue {
                    Epilogue::Store => format!("{} = linear[{encoding}]({members})({input})", slice(&l.out)),
                    Epilogue::Scale(f) => {
                        format!("{} = linear[{encoding}]({members})({input}) * {f}", slice(&l.out))
                    }
                    Epilogue::AddScaled(f) => {
                        format!("{} += linear[{encoding}]({members})({input}) * {f}", slice(&l.out))
                    }
                    Epilogue::SiluMul => {
                        format!("{} = silu-mul(linear[{encoding}]({members})({input}))", slice(&l.out))
                    }
                    Epilogue::GeluMul => {
                        format!("{} = gelu-mul(linear[{encoding}]({members})({input}))", slice(&l.out))
                    }
                    Epilogue::GeluTimes(other) => {
                        let (out, other) = (slice(&l.out), slice(&other));
                        format!("{out} = gelu(linear[{encoding}]({members})({input})) * {other}")
                    }
                }
            }
            Op::Rotate { heads, .. } => format!("rotate {}", slice(heads)),
            Op::KvWrite { k, v, state } => format!("state{} <- {}, {}", state.0, slice(k), slice(v)),
            Op::Attention(a) => {
                let folded = a.input.map_or(String::new(), |i| {
                    let norm = if i.q_norm.is_some() { "norm, " } else { "" };
                    let write = if i.kv.is_some() { " and kv write" } else { "" };
                    format!(", {norm}rotation{write} folded")
                });
                let gate = a.gate.map_or(String::new(), |g| format!(" * sigmoid({})", slice(&g)));
                let window = match self.states[a.state.0] {
                    StateSpec::RingKv { window, .. } => format!(", window {window}"),
                    StateSpec::Borrowed { layer, window: Some(window), .. } => {
                        format!(" of the target's layer {layer}, window {window}")
                    }
                    StateSpec::Borrowed { layer, window: None, .. } => {
                        format!(" of the target's layer {layer}")
                    }
                    _ => String::new(),
                };
                format!(
                    "{} = attention({}, state{}{window}{folded}){gate}",
                    slice(&a.out),
                    slice(&a.q),
                    a.state.0
                )
            }
            Op::Conv(c) => {
                let (input, weight) = (slice(&c.input), name(&c.weight));
                format!("{} = silu(conv({weight})({input}, state{}))", slice(&c.out), c.state.0)
            }
            Op::DeltaRule(d) => {
                let folded = if d.conv.is_some() { ", conv folded" } else { "" };
                let gate = d.gate.map_or(String::new(), |g| {
                    format!(", norm {} and silu({}) folded", name(&g.weight), slice(&g.gate))
                });
                format!(
                    "{} = delta-rule({}, {}, {}, {}, {}, {}, {}, state{}{folded}{gate})",
                    slice(&d.out),
                    slice(&d.q),
                    slice(&d.k),
                    slice(&d.v),
                    slice(&d.b),
                    slice(&d.a),
                    name(&d.decay),
                    name(&d.dt),
                    d.state.0
                )
            }
            Op::SigmoidMul { gate, out } => format!("{} *= sigmoid({})", slice(out), slice(gate)),
            Op::SiluMul { gate, up, out } => {
                format!("{} = silu({}) * {}", slice(out), slice(gate), slice(up))
            }
            Op::GeluMul { gate, up, out } => {
                format!("{} = gelu({}) * {}", slice(out), slice(gate), slice(up))
            }
            Op::AddScaled { input, factor, out } => format!("{} += {} * {factor}", slice(out), slice(input)),
            Op::AddNormed { input, weight, factor, scale, out, .. } => {
                let (out, input) = (slice(out), slice(input));
                let scaled = if *scale == 1.0 { String::new() } else { format!(", all * {scale}") };
                format!("{out} += rms-norm({input}, {}) * {factor}{scaled}", name(weight))
            }
            Op::RowByRow(ops) => {
                let ops: Vec<_> = ops.iter().map(|op| self.describe_op(entry, op)).collect();
                ops.join("; ")
            }
            Op::Scale { slice: s, factor } => format!("{} *= {factor}", slice(s)),
            Op::Copy { input, out } => format!("{} = {}", slice(out), slice(input)),
            Op::SelectOutputs { input, out } => format!("{} = wanted rows of {}", buffer(out), buffer(input)),
            Op::KeepClusters { scores, cluster, keep, logits } => {
                let (logits, scores) = (slice(logits), slice(scores));
                format!("{logits} = of the {keep} best clusters by {scores}, {}", name(cluster))
            }
            Op::Argmax { logits, valid, softcap } => {
                let cap = softcap.map_or(String::new(), |c| format!(", handed out under a soft cap of {c}"));
                format!("argmax({}, first {valid}){cap}", buffer(logits))
            }
        }
    }
}
