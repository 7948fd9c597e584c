//! The operations of a plan: fused LLM ops over named buffers, each a prologue, a core and an epilogue.

use sterna_bundle::Delta;

/// Index of a buffer in [`crate::Plan::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub usize);

/// Index of a weight in [`crate::ModelPlan::weights`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WeightId(pub usize);

/// Index of a state in [`crate::ModelPlan::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub usize);

/// Columns `start .. start + len` of every row of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The buffer.
    pub buffer: BufferId,
    /// First column.
    pub start: usize,
    /// Number of columns.
    pub len: usize,
}

/// What happens to a linear layer's input rows before they are quantised.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Prologue {
    /// Nothing.
    None,
    /// RMS norm with this weight vector.
    RmsNorm {
        /// `[cols]`.
        weight: WeightId,
        /// Inside the root.
        eps: f32,
    },
}

/// Where a linear layer's input rows come from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Source {
    /// Earlier ops wrote them.
    #[default]
    Given,
    /// The op itself, first: the wanted rows of this buffer, as [`Op::SelectOutputs`] copies them.
    Wanted(BufferId),
    /// The op itself, first: `input = fma(factor, rms_norm(branch), residual) * scale`, a branch that joins the residual
    /// stream. All three have the same rows; what is read and what is written are different buffers.
    Joined {
        /// `[rows, cols]`.
        residual: Slice,
        /// `[rows, cols]`.
        branch: Slice,
        /// `[cols]`, of the norm of the branch.
        weight: WeightId,
        /// Inside the root.
        eps: f32,
        /// Factor on the branch.
        factor: f32,
        /// Factor on the sum.
        scale: f32,
    },
}

/// What happens to a linear layer's outputs before they are written.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Epilogue {
    /// Members' outputs side by side into the output slice.
    Store,
    /// As `Store`, times a factor.
    Scale(f32),
    /// `out = fma(factor, y, out)`: the residual stream.
    AddScaled(f32),
    /// Two members of equal height: `silu(y0) * y1`.
    SiluMul,
    /// Two members of equal height: `gelu(y0) * y1`, with the tanh form of gelu.
    GeluMul,
    /// `gelu(y) * other`, with columns of another buffer, as many as outputs.
    GeluTimes(Slice),
}

/// Linear layers that share one input and one quantisation of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// What writes the input rows. Other ops may read them afterwards.
    pub source: Source,
    /// On the input rows.
    pub prologue: Prologue,
    /// Matrices `[n_i, cols]`, outputs side by side in this order.
    pub members: Vec<WeightId>,
    /// `[rows, cols]`.
    pub input: Slice,
    /// `[rows, sum of n_i]`, or `[rows, n_0]` for `SiluMul` and `GeluMul`.
    pub out: Slice,
    /// On the outputs.
    pub epilogue: Epilogue,
}

/// Per-head RMS norm, weights `[head_dim]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadNorm {
    /// `[head_dim]`.
    pub weight: WeightId,
    /// Inside the root.
    pub eps: f32,
}

/// Rotation of the first `dim` dimensions of every head, pairing `i` with `i + dim / 2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// `[rows, dim]`: cosines, then sines.
    pub table: BufferId,
    /// Rotated dimensions.
    pub dim: usize,
}

/// Preparation of q, k and v that a fused attention does itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionInput {
    /// Norm on every head of q.
    pub q_norm: Option<HeadNorm>,
    /// Rotation of q and k after the norm.
    pub rotation: Rotation,
    /// Present when the layer has keys and values of its own: they are prepared and written.
    pub kv: Option<KvInput>,
}

/// Keys and values that a fused attention writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KvInput {
    /// `[rows, kv_heads * head_dim]`.
    pub k: Slice,
    /// `[rows, kv_heads * head_dim]`.
    pub v: Slice,
    /// Norm on every head of k.
    pub k_norm: Option<HeadNorm>,
    /// Every head of v is divided by its root mean square, with this inside the root.
    pub v_eps: Option<f32>,
}

/// Causal attention over a state's keys and values: all of them, or, over a [ring](crate::StateSpec::RingKv), the last
/// `window` positions, the row's own included. The state may be one that another layer writes, or one that is
/// [borrowed](crate::StateSpec::Borrowed), of which a row sees what lies before its own position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// Present when norm, rotation and the write of k and v are folded in.
    pub input: Option<AttentionInput>,
    /// Present when the output gate is folded in: `[rows, heads * head_dim]`, `out *= sigmoid(gate)`.
    pub gate: Option<Slice>,
    /// `[rows, heads * head_dim]`.
    pub q: Slice,
    /// Keys and values.
    pub state: StateId,
    /// `[rows, heads * head_dim]`.
    pub out: Slice,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Factor on scores.
    pub scale: f32,
}

/// Causal depthwise convolution over time, then silu.
///
/// `out[t, c] = silu(sum over j of weight[c, j] * in[t - taps + 1 + j, c])`, inputs before the start being 0. The state is
/// the last `taps - 1` inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conv {
    /// `[rows, channels]`.
    pub input: Slice,
    /// `[channels, taps]`.
    pub weight: WeightId,
    /// The inputs before the call's.
    pub state: StateId,
    /// `[rows, channels]`.
    pub out: Slice,
}

/// What follows the delta rule on every head: `out = rms_norm(out) * weight * silu(gate)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaGate {
    /// `[v_dim]`.
    pub weight: WeightId,
    /// Inside the root.
    pub eps: f32,
    /// `[rows, v_heads * v_dim]`.
    pub gate: Slice,
}

/// The gated delta rule, in order within a sequence.
///
/// Per value head, with q and k of its key head over their 2-norm, q also over the root of its width,
/// `beta = sigmoid(b)` and `decay = exp(weight * softplus(a + dt))`:
/// `u = beta * (v - decay * S'k)`, `S = decay * S + k u'`, `out = S'q`. The state is `S`, zero before the first row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaRule {
    /// Present when the convolution that makes q, k and v is folded in; its output holds them.
    pub conv: Option<Conv>,
    /// `[rows, k_heads * k_dim]`.
    pub q: Slice,
    /// `[rows, k_heads * k_dim]`.
    pub k: Slice,
    /// `[rows, v_heads * v_dim]`.
    pub v: Slice,
    /// `[rows, v_heads]`.
    pub b: Slice,
    /// `[rows, v_heads]`.
    pub a: Slice,
    /// `[v_heads]`, negative.
    pub decay: WeightId,
    /// `[v_heads]`.
    pub dt: WeightId,
    /// Shapes, and which heads go together.
    pub shape: Delta,
    /// `S` of every head.
    pub state: StateId,
    /// `[rows, v_heads * v_dim]`.
    pub out: Slice,
    /// Present when norm and gate are folded in.
    pub gate: Option<DeltaGate>,
}

/// One operation. Row `i` of an output depends on row `i` of the inputs, the weights and the state alone (C1).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Op {
    /// `out[r] = table[token r] * scale`. A token may have several rows of the table, one after the other.
    Embed {
        /// `[vocab * n, cols / n]`.
        table: WeightId,
        /// Factor.
        scale: f32,
        /// `[rows, cols]`.
        out: BufferId,
    },
    /// Cosines and sines of every row's position.
    RotationTable {
        /// Index in [`crate::ModelPlan::ropes`].
        rope: usize,
        /// `[rows, dim]`.
        out: BufferId,
    },
    /// RMS norm of every row, or of every head of it.
    RmsNorm {
        /// `[rows, cols]`.
        input: Slice,
        /// `[cols]`, or `[head_dim]`; without one the values are only divided by their root mean square.
        weight: Option<WeightId>,
        /// Inside the root.
        eps: f32,
        /// Width of the normed piece; the whole slice for an ordinary norm.
        width: usize,
        /// `[rows, cols]`; may be the input.
        out: Slice,
    },
    /// Matrix products.
    Linear(Linear),
    /// Rotates heads in place.
    Rotate {
        /// `[rows, heads * head_dim]`.
        heads: Slice,
        /// Width of a head.
        head_dim: usize,
        /// Angles.
        rotation: Rotation,
    },
    /// Writes k and v of every row to the state at the row's slot.
    KvWrite {
        /// `[rows, kv_heads * head_dim]`.
        k: Slice,
        /// `[rows, kv_heads * head_dim]`.
        v: Slice,
        /// Where to.
        state: StateId,
    },
    /// Attention.
    Attention(Attention),
    /// Convolution.
    Conv(Conv),
    /// Delta rule.
    DeltaRule(DeltaRule),
    /// `out *= sigmoid(gate)`.
    SigmoidMul {
        /// `[rows, n]`.
        gate: Slice,
        /// `[rows, n]`.
        out: Slice,
    },
    /// `out = silu(gate) * up`.
    SiluMul {
        /// `[rows, n]`.
        gate: Slice,
        /// `[rows, n]`.
        up: Slice,
        /// `[rows, n]`.
        out: Slice,
    },
    /// `out = gelu(gate) * up`, with the tanh form of gelu.
    GeluMul {
        /// `[rows, n]`.
        gate: Slice,
        /// `[rows, n]`.
        up: Slice,
        /// `[rows, n]`.
        out: Slice,
    },
    /// `out = fma(factor, input, out)`.
    AddScaled {
        /// `[rows, n]`.
        input: Slice,
        /// Factor.
        factor: f32,
        /// `[rows, n]`.
        out: Slice,
    },
    /// `out = fma(factor, rms_norm(input), out) * scale`: a branch that is normed before it joins the residual stream.
    AddNormed {
        /// `[rows, n]`; unchanged.
        input: Slice,
        /// `[width]`.
        weight: WeightId,
        /// Inside the root.
        eps: f32,
        /// Width of the normed piece; divides `n`.
        width: usize,
        /// Factor on the branch.
        factor: f32,
        /// Factor on the sum.
        scale: f32,
        /// `[rows, n]`.
        out: Slice,
    },
    /// `out = input * factor`, in place.
    Scale {
        /// `[rows, n]`.
        slice: Slice,
        /// Factor.
        factor: f32,
    },
    /// Ops that take every row by itself ([`Op::by_rows`]), of buffers with the same rows, one after the other on each row.
    RowByRow(Vec<Op>),
    /// Copies columns to another buffer of as many rows.
    Copy {
        /// `[rows, n]`.
        input: Slice,
        /// `[rows, n]`.
        out: Slice,
    },
    /// Copies the rows whose outputs are wanted; ops on a per-output buffer then run on those alone.
    SelectOutputs {
        /// `[rows, n]`.
        input: BufferId,
        /// `[outputs, n]`.
        out: BufferId,
    },
    /// Only tokens of the best clusters compete: of the others, logits become what is 1 below the least that competes
    /// ([`crate::numerics::keep_clusters`]).
    KeepClusters {
        /// `[outputs, clusters]`.
        scores: Slice,
        /// `[tokens]`: the cluster of every token.
        cluster: WeightId,
        /// Clusters that are kept, at least 1.
        keep: usize,
        /// `[outputs, tokens]`.
        logits: Slice,
    },
    /// Best and second-best column below `valid`; ties go to the lowest index (C6).
    Argmax {
        /// `[outputs, padded]`.
        logits: BufferId,
        /// Columns that are real.
        valid: usize,
        /// Logits are handed out as `cap * tanh(logit / cap)`. It keeps their order, so the best are found without it.
        softcap: Option<f32>,
    },
}

impl Op {
    /// A short name for tables and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Embed { .. } => "embed",
            Op::RotationTable { .. } => "rotation-table",
            Op::RmsNorm { .. } => "rms-norm",
            Op::Linear(_) => "linear",
            Op::Rotate { .. } => "rotate",
            Op::KvWrite { .. } => "kv-write",
            Op::Attention(_) => "attention",
            Op::Conv(_) => "conv",
            Op::DeltaRule(_) => "delta-rule",
            Op::SigmoidMul { .. } => "sigmoid-mul",
            Op::SiluMul { .. } => "silu-mul",
            Op::GeluMul { .. } => "gelu-mul",
            Op::AddScaled { .. } => "add-scaled",
            Op::AddNormed { .. } => "add-normed",
            Op::Scale { .. } => "scale",
            Op::RowByRow(_) => "row-by-row",
            Op::Copy { .. } => "copy",
            Op::SelectOutputs { .. } => "select-outputs",
            Op::KeepClusters { .. } => "keep-clusters",
            Op::Argmax { .. } => "argmax",
        }
    }

    /// The ops that it is made of: those of [`Op::RowByRow`], or itself.
    pub fn parts(&self) -> &[Op] {
        match self {
            Op::RowByRow(ops) => ops,
            op => std::slice::from_ref(op),
        }
    }

    /// A buffer that it writes, if every row of what it writes depends on that row of its inputs alone and on no state: such
    /// ops may follow each other on a row without waiting for other rows.
    pub fn by_rows(&self) -> Option<BufferId> {
        match self {
            Op::Embed { out, .. } | Op::RotationTable { out, .. } => Some(*out),
            Op::RmsNorm { out, .. }
            | Op::SigmoidMul { out, .. }
            | Op::SiluMul { out, .. }
            | Op::GeluMul { out, .. }
            | Op::AddScaled { out, .. }
            | Op::AddNormed { out, .. }
            | Op::Copy { out, .. } => Some(out.buffer),
            Op::Rotate { heads, .. } => Some(heads.buffer),
            Op::Scale { slice, .. } => Some(slice.buffer),
            Op::RowByRow(ops) => ops.first().and_then(Op::by_rows),
            _ => None,
        }
    }

    /// Visits every buffer that it reads or writes.
    pub fn buffers_mut(&mut self, visit: &mut dyn FnMut(&mut BufferId)) {
        let mut slices: Vec<&mut Slice> = Vec::new();
        match self {
            Op::Embed { out, .. } | Op::RotationTable { out, .. } => visit(out),
            Op::RmsNorm { input, out, .. }
            | Op::AddScaled { input, out, .. }
            | Op::AddNormed { input, out, .. }
            | Op::Copy { input, out } => slices.extend([input, out]),
            Op::Linear(l) => {
                slices.extend([&mut l.input, &mut l.out]);
                match &mut l.source {
                    Source::Given => {}
                    Source::Wanted(from) => visit(from),
                    Source::Joined { residual, branch, .. } => slices.extend([residual, branch]),
                }
                if let Epilogue::GeluTimes(other) = &mut l.epilogue {
                    slices.push(other);
                }
            }
            Op::Rotate { heads, rotation, .. } => {
                visit(&mut rotation.table);
                slices.push(heads);
            }
            Op::KvWrite { k, v, .. } => slices.extend([k, v]),
            Op::Attention(a) => {
                if let Some(input) = &mut a.input {
                    visit(&mut input.rotation.table);
                    slices.extend(input.kv.as_mut().into_iter().flat_map(|kv| [&mut kv.k, &mut kv.v]));
                }
                slices.extend([&mut a.q, &mut a.out].into_iter().chain(&mut a.gate));
            }
            Op::Conv(c) => slices.extend([&mut c.input, &mut c.out]),
            Op::DeltaRule(d) => {
                slices.extend(d.conv.as_mut().into_iter().flat_map(|c| [&mut c.input, &mut c.out]));
                slices.extend([&mut d.q, &mut d.k, &mut d.v, &mut d.b, &mut d.a, &mut d.out]);
                slices.extend(d.gate.as_mut().map(|g| &mut g.gate));
            }
            Op::SigmoidMul { gate, out } => slices.extend([gate, out]),
            Op::SiluMul { gate, up, out } | Op::GeluMul { gate, up, out } => slices.extend([gate, up, out]),
            Op::Scale { slice, .. } => slices.push(slice),
            Op::RowByRow(ops) => ops.iter_mut().for_each(|op| op.buffers_mut(visit)),
            Op::SelectOutputs { input, out } => {
                visit(input);
                visit(out);
            }
            Op::KeepClusters { scores, logits, .. } => slices.extend([scores, logits]),
            Op::Argmax { logits, .. } => visit(logits),
        }
        slices.into_iter().for_each(|s| visit(&mut s.buffer));
    }
}
