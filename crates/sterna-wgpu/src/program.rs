//! From the ops of an entry point to dispatches: which kernel, which parameters, which buffers. Nothing here changes from call
//! to call; what does (rows, tokens, positions) lies in the call's own buffer.

use std::sync::Arc;

use sterna_plan::{
    Attention, BackendError, BufferId, BufferRows, Epilogue, HeadNorm, Linear, ModelPlan, Op, Plan, Prologue,
    Rotation, Slice, StateSpec, WeightId,
};
use wgpu::{BindGroup, Buffer};

use crate::adapter::MOST_GROUPS;
use crate::gpu::Gpu;
use crate::kernels::{
    Access, AttentionShape, CoopTile, Kernel, MOST_HEAD_DIM, Norm, Outputs, Pipeline, Pipelines, THREADS,
    TILE, TallShape,
};
use crate::load::{Matrix, Part, Weights, linear_wants, table_want};
use crate::pack::{Kind, Layout, unit};
use crate::state::Pool;
use crate::tall;

/// Parameters of one dispatch.
pub(crate) type Params = [u32; 20];

/// Most rows of a call whose results are wanted: each has all logits on the device.
pub(crate) const MOST_OUTPUTS: usize = 128;

/// Room for them, as devices align it.
const PARAMS_BYTES: u64 = 256;

/// Where the buffers of an entry point lie in the one buffer of activations, in words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arena {
    /// First word of every buffer.
    pub starts: Vec<u64>,
    /// First word of the rows that a norm makes for a float layer, or that are copied because a kernel cannot read them
    /// where they lie.
    normed: u64,
    normed_cols: usize,
    /// All of it.
    pub words: u64,
}

impl Arena {
    /// For the entry point's widest calls.
    pub fn new(entry: &Plan) -> Self {
        let mut words = 0;
        // Each begins where a vec4 does.
        let mut place = |cols: usize, rows: BufferRows| {
            let start = words;
            let rows = match rows {
                BufferRows::Call => entry.width,
                BufferRows::Outputs => entry.width.min(MOST_OUTPUTS),
            };
            words += ((cols * rows) as u64).next_multiple_of(4);
            start
        };
        let starts = entry.buffers.iter().map(|b| place(b.cols, b.rows)).collect();
        let normed = |op: &Op| match op {
            Op::Linear(l) => Some(l.input.len.next_multiple_of(4)),
            _ => None,
        };
        let normed_cols = entry.ops.iter().filter_map(normed).max().unwrap_or(0);
        let normed = place(normed_cols, BufferRows::Call);
        Self { starts, normed, normed_cols, words }
    }
}

/// Quantised rows: words and scales that the widest call needs, and words of the same rows as halves for matrix units.
pub(crate) fn act_sizes(plan: &ModelPlan, width: usize) -> Result<[u64; 3], BackendError> {
    let (mut words, mut scales, mut halves) = (0, 0, 0);
    for l in plan
        .entries
        .iter()
        .flat_map(|e| &e.ops)
        .filter_map(|op| if let Op::Linear(l) = op { Some(l) } else { None })
    {
        for (want, _) in linear_wants(plan, l)? {
            if let Kind::Int { act_group, layout, .. } = want.kind {
                if layout == Layout::Block {
                    halves =
                        halves.max(l.input.len / 2 * width.next_multiple_of(CoopTile::MOST_TOKENS as usize));
                }
                words = words.max(l.input.len.div_ceil(4) * width);
                scales = scales.max(l.input.len / act_group * width);
            }
        }
    }
    Ok([words as u64, scales as u64, halves as u64])
}

/// One dispatch, in the form that the number of rows calls for.
pub(crate) struct Step {
    /// Index of the op.
    pub op: usize,
    /// Ascending by the rows from which each serves; with fewer than the first's, nothing is dispatched.
    pub forms: Vec<Form>,
    /// Whose rows.
    pub rows: BufferRows,
    /// Bytes of weights that one reading takes.
    pub weight_bytes: u64,
    /// Multiply-accumulates of a row.
    pub macs: u64,
}

/// A kernel with its buffers.
pub(crate) struct Form {
    /// Fewest rows.
    pub from: u32,
    /// Rows that a workgroup takes.
    pub tile: u32,
    /// Workgroups for a tile.
    pub x: u32,
    pub pipeline: Arc<Pipeline>,
    pub bind: BindGroup,
}

impl Step {
    /// The form for so many rows.
    pub fn form(&self, rows: u32) -> Option<&Form> {
        self.forms.iter().rev().find(|f| f.from <= rows)
    }
}

/// What the steps of all entry points work on.
pub(crate) struct Buffers {
    pub call: Buffer,
    pub arena: Buffer,
    pub acts: Buffer,
    pub act_scales: Buffer,
    /// Activations as halves, for matrix units; small without them.
    pub halves: Buffer,
    pub results: Buffer,
    /// Bound where a kernel does not look.
    pub nothing: Buffer,
}

/// A dispatch before its buffers are bound.
pub(crate) struct Draft {
    pub op: usize,
    pub forms: Vec<DraftForm>,
    pub rows: BufferRows,
    pub weight_bytes: u64,
    pub macs: u64,
}

#[derive(Clone)]
pub(crate) struct DraftForm {
    pub from: u32,
    pub tile: u32,
    pub kernel: Kernel,
    pub params: Params,
    pub buffers: Vec<Buffer>,
    pub x: usize,
}

/// Refuses, by name, what there is no kernel for.
///
/// # Errors
/// [`BackendError::Unsupported`].
pub(crate) fn check(plan: &ModelPlan) -> Result<(), BackendError> {
    let unsupported = |what: String| Err(BackendError::Unsupported { backend: "gpu", what });
    if plan.attention_piece != 64 {
        return unsupported(format!("attention pieces of {} keys", plan.attention_piece));
    }
    for state in &plan.states {
        let kind = match state {
            StateSpec::FullKv { .. } => continue,
            StateSpec::RingKv { .. } => "sliding windows",
            StateSpec::Recurrent { .. } => "recurrent states",
            StateSpec::Conv { .. } => "convolutions",
            _ => "this kind of state",
        };
        return unsupported(format!("{kind} yet ({state:?})"));
    }
    for entry in &plan.entries {
        for op in &entry.ops {
            let fits = match op {
                Op::Linear(l) => {
                    let mut fits = matches!(
                        l.epilogue,
                        Epilogue::Store
                            | Epilogue::Scale(_)
                            | Epilogue::AddScaled(_)
                            | Epilogue::SiluMul
                            | Epilogue::GeluMul
                    );
                    fits &= matches!(l.prologue, Prologue::None | Prologue::RmsNorm { .. });
                    fits &= !l.members.is_empty() && l.input.len > 0;
                    linear_wants(plan, l)?;
                    fits
                }
                Op::Rotate { head_dim, rotation, .. } => head_dim % 2 == 0 && rotation.dim <= *head_dim,
                Op::KvWrite { k, v, .. } => k.len == v.len && k.len % 2 == 0,
                Op::Attention(a) => {
                    let turn = a.input.map_or(0, |i| i.rotation.dim);
                    let head = a.head_dim > 0 && a.head_dim % 2 == 0 && a.head_dim <= MOST_HEAD_DIM;
                    head && turn <= a.head_dim && a.kv_heads > 0 && a.heads % a.kv_heads == 0
                }
                Op::Embed { .. }
                | Op::RotationTable { .. }
                | Op::RmsNorm { .. }
                | Op::SigmoidMul { .. }
                | Op::SiluMul { .. }
                | Op::GeluMul { .. }
                | Op::AddScaled { .. }
                | Op::Scale { .. }
                | Op::Copy { .. }
                | Op::SelectOutputs { .. }
                | Op::Argmax { .. } => true,
                _ => false,
            };
            if !fits {
                return unsupported(format!("the op {} yet: {}", op.name(), plan.describe_op(entry, op)));
            }
        }
    }
    Ok(())
}

/// Makes the dispatches of an entry point.
pub(crate) struct Builder<'a> {
    pub gpu: &'a Gpu,
    pub pipelines: &'a Pipelines,
    pub plan: &'a ModelPlan,
    pub weights: &'a Weights,
    pub pool: &'a Pool,
    pub buffers: &'a Buffers,
    pub entry: &'a Plan,
    pub arena: &'a Arena,
}

impl Builder<'_> {
    /// Every dispatch, in order.
    ///
    /// # Errors
    /// What [`check`] does not see, and the device's.
    pub fn build(&self) -> Result<Vec<Step>, BackendError> {
        let mut drafts = Vec::new();
        for (i, op) in self.entry.ops.iter().enumerate() {
            self.op(i, op, &mut drafts)?;
        }
        let forms: usize = drafts.iter().map(|d| d.forms.len()).sum();
        let parameters = self.gpu.uniform(PARAMS_BYTES * forms as u64)?;
        let mut bytes = Vec::new();
        for form in drafts.iter().flat_map(|d| &d.forms) {
            bytes.extend_from_slice(bytemuck::cast_slice(&form.params));
            bytes.resize(bytes.len().next_multiple_of(PARAMS_BYTES as usize), 0);
        }
        self.gpu.queue.write_buffer(&parameters, 0, &bytes);
        let mut at = 0;
        let mut steps = Vec::new();
        for Draft { op, forms, rows, weight_bytes, macs } in drafts {
            let mut bound = Vec::new();
            for form in forms {
                bound.push(self.bind(op, &form, &parameters, at)?);
                at += PARAMS_BYTES;
            }
            steps.push(Step { op, forms: bound, rows, weight_bytes, macs });
        }
        self.gpu.check()?;
        Ok(steps)
    }

    fn bind(
        &self,
        op: usize,
        form: &DraftForm,
        parameters: &Buffer,
        offset: u64,
    ) -> Result<Form, BackendError> {
        let pipeline = self.pipelines.get(self.gpu, form.kernel)?;
        let mut buffers = form.buffers.iter();
        let entries: Vec<_> = (0..)
            .zip(form.kernel.bindings())
            .map(|(binding, access)| {
                let (buffer, offset, size) = match access {
                    Access::Parameters => (parameters, offset, std::num::NonZeroU64::new(80)),
                    _ => (buffers.next().unwrap_or(&self.buffers.nothing), 0, None),
                };
                let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size });
                wgpu::BindGroupEntry { binding, resource }
            })
            .collect();
        let descriptor =
            wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let bind = self.gpu.device.create_bind_group(&descriptor);
        let x = u32::try_from(form.x).ok().filter(|x| *x <= MOST_GROUPS).ok_or_else(|| {
            BackendError::Unsupported {
                backend: "gpu",
                what: format!("{} workgroups in a row (op {op})", form.x),
            }
        })?;
        Ok(Form { from: form.from, tile: form.tile, x, pipeline, bind })
    }

    /// Where a slice begins, and the columns of its buffer.
    pub(crate) fn place(&self, slice: &Slice) -> [u32; 2] {
        let start = self.arena.starts[slice.buffer.0] + slice.start as u64;
        [word(start), word(self.entry.buffers[slice.buffer.0].cols as u64)]
    }

    pub(crate) fn whole(&self, buffer: BufferId) -> Slice {
        self.entry.buffers[buffer.0].all(buffer)
    }

    pub(crate) fn rows(&self, slice: &Slice) -> BufferRows {
        self.entry.buffers[slice.buffer.0].rows
    }

    pub(crate) fn vector(&self, id: WeightId) -> Result<u32, BackendError> {
        self.weights.vector(id).ok_or_else(|| misused(self.plan, id))
    }

    fn op(&self, op: usize, what: &Op, drafts: &mut Vec<Draft>) -> Result<(), BackendError> {
        let add = |drafts: &mut Vec<Draft>, draft: Draft| drafts.push(Draft { op, ..draft });
        match what {
            Op::Embed { table, scale, out } => {
                let matrix = self.weights.matrix(self.plan, &table_want(self.plan, *table));
                let matrix = matrix.ok_or_else(|| misused(self.plan, *table))?;
                let Kind::Float { format } = matrix.kind else { return Err(misused(self.plan, *table)) };
                let [to, out_cols] = self.place(&self.whole(*out));
                let repeat = out_cols / (matrix.cols as u32).max(1);
                for part in &matrix.parts {
                    let params = params(&[
                        matrix.cols as u32,
                        repeat,
                        matrix.kind.stride(matrix.cols) as u32,
                        part.first as u32,
                        part.rows as u32,
                        0,
                        to,
                        out_cols,
                        scale.to_bits(),
                    ]);
                    let x = (out_cols as usize).div_ceil(THREADS as usize);
                    add(
                        drafts,
                        self.draft(Kernel::Gather { format }, params, &[&part.data], x, BufferRows::Call),
                    );
                }
            }
            Op::RotationTable { rope, out } => {
                let [to, cols] = self.place(&self.whole(*out));
                let table = self.pool.ropes.get(*rope).unwrap_or(&self.buffers.nothing);
                let capacity = self.pool.capacity as u32;
                let params = params(&[cols, 1, cols, 0, capacity, 1, to, cols, 1f32.to_bits()]);
                let x = (cols as usize).div_ceil(THREADS as usize);
                add(drafts, self.draft(Kernel::Gather { format: 2 }, params, &[table], x, BufferRows::Call));
            }
            Op::RmsNorm { input, weight, eps, width, out } => {
                let draft =
                    self.norm(self.place(input), self.place(out), *weight, *eps, *width, self.rows(input))?;
                add(drafts, draft.across(input.len / width.max(&1)));
            }
            Op::Linear(l) => self.linear(op, l, drafts)?,
            Op::Rotate { heads, head_dim, rotation } => {
                add(drafts, self.rope_kv(Some((heads, rotation)), *head_dim, None));
            }
            Op::KvWrite { k, v, state } => {
                let head_dim = self.plan.state(*state).heads().map_or(2, |h| h.1);
                add(drafts, self.rope_kv(None, head_dim, Some((k, v, None, state.0))));
            }
            Op::Attention(a) => {
                for draft in self.attention(a)? {
                    add(drafts, draft);
                }
            }
            Op::SiluMul { gate, up, out } => add(drafts, self.rowwise(0, gate, Some(up), out, 0.0)),
            Op::GeluMul { gate, up, out } => add(drafts, self.rowwise(1, gate, Some(up), out, 0.0)),
            Op::SigmoidMul { gate, out } => add(drafts, self.rowwise(2, gate, Some(out), out, 0.0)),
            Op::AddScaled { input, factor, out } => add(drafts, self.rowwise(3, input, None, out, *factor)),
            Op::Scale { slice, factor } => add(drafts, self.rowwise(4, slice, None, slice, *factor)),
            Op::Copy { input, out } => add(drafts, self.rowwise(5, input, None, out, 0.0)),
            Op::SelectOutputs { input, out } => {
                add(drafts, self.rowwise(6, &self.whole(*input), None, &self.whole(*out), 0.0));
            }
            Op::Argmax { logits, valid, .. } => {
                let [from, cols] = self.place(&self.whole(*logits));
                let params = params(&[from, cols, *valid as u32]);
                let buffers = [&self.buffers.arena, &self.buffers.results];
                let rows = BufferRows::Outputs;
                let threads = self.gpu.facts.threads.min(1024);
                let threads = 1 << threads.max(64).ilog2();
                let mut draft = self.draft(Kernel::Argmax { threads }, params, &[], 1, rows);
                draft.forms[0].buffers = self.bound(&buffers);
                add(drafts, draft);
            }
            other => {
                let what = format!("the op {}", other.name());
                return Err(BackendError::Unsupported { backend: "gpu", what });
            }
        }
        Ok(())
    }

    /// The call's buffer, then these.
    pub(crate) fn bound(&self, buffers: &[&Buffer]) -> Vec<Buffer> {
        std::iter::once(&self.buffers.call).chain(buffers.iter().copied()).cloned().collect()
    }

    /// A dispatch that reads `inputs` and writes the activations.
    pub(crate) fn draft(
        &self,
        kernel: Kernel,
        params: Params,
        inputs: &[&Buffer],
        x: usize,
        rows: BufferRows,
    ) -> Draft {
        let buffers: Vec<&Buffer> = inputs.iter().copied().chain([&self.buffers.arena]).collect();
        let buffers = self.bound(&buffers);
        Draft {
            op: 0,
            forms: vec![DraftForm { from: 1, tile: 1, kernel, params, buffers, x }],
            rows,
            weight_bytes: 0,
            macs: 0,
        }
    }

    fn norm(
        &self,
        [input, input_cols]: [u32; 2],
        [out, out_cols]: [u32; 2],
        weight: Option<WeightId>,
        eps: f32,
        width: usize,
        rows: BufferRows,
    ) -> Result<Draft, BackendError> {
        let at = weight.map(|w| self.vector(w)).transpose()?;
        let (count, width) = (count_at(rows), width as u32);
        let weighted = u32::from(at.is_some());
        let params = params(&[
            input,
            input_cols,
            out,
            out_cols,
            width,
            at.unwrap_or(0),
            weighted,
            count,
            eps.to_bits(),
        ]);
        Ok(self.draft(Kernel::Norm, params, &[&self.weights.vectors], 1, rows))
    }

    fn rowwise(&self, what: u32, a: &Slice, b: Option<&Slice>, out: &Slice, factor: f32) -> Draft {
        let ([from, a_cols], [to, out_cols]) = (self.place(a), self.place(out));
        let [other, b_cols] = b.map_or([0, 0], |b| self.place(b));
        let rows = self.rows(out);
        let params = params(&[
            from,
            a_cols,
            other,
            b_cols,
            to,
            out_cols,
            out.len as u32,
            count_at(rows),
            factor.to_bits(),
        ]);
        self.draft(Kernel::Rowwise { what }, params, &[], out.len.div_ceil(THREADS as usize), rows)
    }

    /// Rotates q; rotates and writes k, and v, of a state.
    fn rope_kv(
        &self,
        q: Option<(&Slice, &Rotation)>,
        head_dim: usize,
        kv: Option<(&Slice, &Slice, Option<&Rotation>, usize)>,
    ) -> Draft {
        let mut p: Params = [0; 20];
        let (mut items, mut state) = (0, &self.buffers.nothing);
        p[3] = head_dim as u32;
        let table = |p: &mut Params, rotation: &Rotation| {
            p[4] = rotation.dim as u32;
            [p[5], p[6]] = self.place(&self.whole(rotation.table));
        };
        if let Some((heads, rotation)) = q {
            [p[0], p[1]] = self.place(heads);
            p[2] = (heads.len / head_dim.max(1)) as u32;
            table(&mut p, rotation);
            items += p[2] as usize * rotation.dim / 2;
        }
        if let Some((k, v, rotation, at)) = kv {
            [p[7], p[8]] = self.place(k);
            if let Some(rotation) = rotation {
                table(&mut p, rotation);
                p[9] = rotation.dim as u32;
            }
            [p[10], p[11]] = self.place(v);
            p[12] = (k.len / 2) as u32;
            p[13] = self.pool.capacity as u32;
            items += k.len;
            state = self.pool.states.get(at).unwrap_or(state);
        }
        self.draft(Kernel::RopeKv, p, &[state], items.div_ceil(THREADS as usize), BufferRows::Call)
    }

    fn attention(&self, a: &Attention) -> Result<Vec<Draft>, BackendError> {
        let mut drafts = Vec::new();
        let mut head_norm = |slice: &Slice, norm: Option<HeadNorm>, plain: Option<f32>| {
            let (weight, eps) = match (norm, plain) {
                (Some(n), _) => (Some(n.weight), n.eps),
                (None, Some(eps)) => (None, eps),
                (None, None) => return Ok(()),
            };
            let place = self.place(slice);
            let draft = self.norm(place, place, weight, eps, a.head_dim, BufferRows::Call)?;
            drafts.push(draft.across(slice.len / a.head_dim));
            Ok::<(), BackendError>(())
        };
        if let Some(input) = &a.input {
            head_norm(&a.q, input.q_norm, None)?;
            if let Some(kv) = &input.kv {
                head_norm(&kv.k, kv.k_norm, None)?;
                head_norm(&kv.v, None, kv.v_eps)?;
            }
            let kv = input.kv.as_ref().map(|kv| (&kv.k, &kv.v, Some(&input.rotation), a.state.0));
            drafts.push(self.rope_kv(Some((&a.q, &input.rotation)), a.head_dim, kv));
        }
        let ([q, q_cols], [out, out_cols]) = (self.place(&a.q), self.place(&a.out));
        let share = (a.heads / a.kv_heads) as u32;
        let kv_words = (a.kv_heads * a.head_dim / 2) as u32;
        let capacity = self.pool.capacity as u32;
        let mut all = params(&[q, q_cols, out, out_cols, share, kv_words, capacity, a.scale.to_bits()]);
        let fold = self.fold_attention(a, &mut all)?;
        if fold.is_some() {
            // What prepares many rows has nothing to do for one.
            drafts.iter_mut().flat_map(|d| &mut d.forms).for_each(|f| f.from = 2);
        }
        let state = self.pool.states.get(a.state.0).unwrap_or(&self.buffers.nothing);
        let form = |from, heads, pieces, fold| {
            let shape = AttentionShape { head_dim: a.head_dim as u32, heads, pieces, fold };
            let buffers = [&self.weights.vectors, state];
            let x = a.heads / heads as usize;
            let draft = self.draft(Kernel::Attention(shape), all, &buffers, x, BufferRows::Call);
            draft.forms.into_iter().map(move |f| DraftForm { from, ..f })
        };
        // One row has a workgroup for each head; many share what they read of the keys.
        let pieces = (self.gpu.facts.threads / 64).clamp(1, 4);
        let together = (1..=8).rev().find(|n| share.is_multiple_of(*n) && fits_heads(a.head_dim, *n));
        let forms = form(1, 1, pieces, fold).chain(form(2, together.unwrap_or(1), 1, None)).collect();
        drafts.push(Draft { op: 0, forms, rows: BufferRows::Call, weight_bytes: 0, macs: 0 });
        if let Some(gate) = &a.gate {
            drafts.push(self.rowwise(2, gate, Some(&a.out), &a.out, 0.0));
        }
        Ok(drafts)
    }

    /// What a workgroup for one row and head prepares itself: which norms, and their places in `params`. `None` where
    /// something is not as that kernel has it.
    fn fold_attention(&self, a: &Attention, params: &mut Params) -> Result<Option<[bool; 2]>, BackendError> {
        let Some(input) = &a.input else { return Ok(None) };
        let Some(kv) = &input.kv else { return Ok(None) };
        // Norms of 256 have another order, and memory is for keys of one head.
        if a.head_dim >= 256 || kv.v_eps.is_some() || kv.k.buffer != a.q.buffer || kv.v.buffer != a.q.buffer {
            return Ok(None);
        }
        let at = |norm: Option<HeadNorm>| norm.map_or(Ok(0), |n| self.vector(n.weight));
        let eps = |norm: Option<HeadNorm>| norm.map_or(0, |n| n.eps.to_bits());
        let [table, table_cols] = self.place(&self.whole(input.rotation.table));
        let more = [
            input.rotation.dim as u32,
            table,
            table_cols,
            self.place(&kv.k)[0],
            self.place(&kv.v)[0],
            at(input.q_norm)?,
            at(kv.k_norm)?,
            eps(input.q_norm),
            eps(kv.k_norm),
        ];
        params[8..8 + more.len()].copy_from_slice(&more);
        Ok(Some([input.q_norm.is_some(), kv.k_norm.is_some()]))
    }

    fn linear(&self, op: usize, l: &Linear, drafts: &mut Vec<Draft>) -> Result<(), BackendError> {
        let wants = linear_wants(self.plan, l)?;
        let rows = self.rows(&l.input);
        let mut input = self.place(&l.input);
        let norm = match l.prologue {
            Prologue::RmsNorm { weight, eps } => Some((weight, eps)),
            _ => None,
        };
        if wants.iter().any(|w| matches!(w.0.kind, Kind::Int { layout: Layout::Block, .. })) {
            return self.blocked(op, l, &wants, drafts);
        }
        // One form of the inputs serves all members.
        match wants.first().map(|w| w.0.kind) {
            Some(Kind::Int { act_group, .. }) => {
                let weight = norm.map(|n| self.vector(n.0)).transpose()?.unwrap_or(0);
                let eps = norm.map_or(0.0, |n| n.1);
                let [from, cols] = input;
                let (len, group, count) = (l.input.len as u32, act_group as u32, count_at(rows));
                let params = params(&[from, cols, len, group, weight, count, eps.to_bits()]);
                let norm = if norm.is_some() { Norm::Before } else { Norm::Without };
                let b = self.buffers;
                let threads = self.gpu.facts.threads.min(256);
                let mut draft = self.draft(Kernel::Quantise { norm, threads }, params, &[], 1, rows);
                draft.forms[0].buffers =
                    self.bound(&[&self.weights.vectors, &b.arena, &b.acts, &b.act_scales]);
                drafts.push(Draft { op, ..draft });
            }
            _ => {
                if let Some((weight, eps)) = norm {
                    let to = self.aside();
                    let draft = self.norm(input, to, Some(weight), eps, l.input.len, rows)?;
                    drafts.push(Draft { op, ..draft });
                    input = to;
                }
            }
        }
        for (want, at) in wants {
            let matrix = self.weights.matrix(self.plan, &want);
            let matrix = matrix.ok_or_else(|| misused(self.plan, want.members[0]))?;
            for part in &matrix.parts {
                let draft = self.product(l, matrix, part, input, out_of(l, matrix, part, at));
                drafts.push(Draft { op, ..draft });
            }
        }
        Ok(())
    }

    /// Rows beside the plan's buffers.
    pub(crate) fn aside(&self) -> [u32; 2] {
        [word(self.arena.normed), word(self.arena.normed_cols as u64)]
    }

    /// One part of a matrix whose rows are quantised already; `input` is where floats lie, codes meet the quantised rows.
    pub(crate) fn product(
        &self,
        l: &Linear,
        matrix: &Matrix,
        part: &Part,
        [input, input_cols]: [u32; 2],
        out: Slice,
    ) -> Draft {
        let (mode, factor) = mode(&l.epilogue);
        let [to, out_cols] = self.place(&out);
        let (rows, outputs, b) = (self.rows(&l.input), matrix.outputs, self.buffers);
        let (outs, count) = (part.rows as u32, count_at(rows));
        let scales = part.scales.as_ref().unwrap_or(&b.nothing);
        let inputs = [&part.data, scales, &b.acts, &b.act_scales];
        let mut draft = match matrix.kind {
            Kind::Int { bits, zero, act_group, layout: Layout::Tall, halves, subs, .. } => {
                let (groups, units) = ((matrix.cols / act_group) as u32, (act_group / unit(bits)) as u32);
                let values = [outs, groups, count, mode, to, out_cols, factor.to_bits(), zero as u32];
                let any = TallShape {
                    bits,
                    units,
                    groups_at_a_time: 1,
                    tokens: 1,
                    split: 1,
                    subs,
                    outputs,
                    halves,
                };
                let [one, few] = tall::shapes(&self.gpu.facts, any, groups, part.rows);
                let x = part.rows.div_ceil(one.outs());
                let draft = self.draft(Kernel::Tall(one), params(&values), &inputs, x, rows);
                draft.and_mat(2, few.tokens, Kernel::Tall(few))
            }
            Kind::Int { bits, zero, scale_group, act_group, .. } => {
                let units = matrix.cols / unit(bits);
                let params = params(&[
                    outs,
                    units as u32,
                    (matrix.cols / act_group) as u32,
                    (scale_group / act_group) as u32,
                    (act_group / unit(bits)) as u32,
                    zero as u32,
                    count,
                    mode,
                    to,
                    out_cols,
                    factor.to_bits(),
                ]);
                let lanes = lanes(units);
                let kernel = |rows| Kernel::LinearInt { bits, lanes, rows, outputs };
                let x = part.rows.div_ceil((THREADS / lanes) as usize);
                self.draft(kernel(1), params, &inputs, x, rows).and_mat(2, TILE, kernel(TILE))
            }
            Kind::Float { format } => {
                let (cols, stride) = (matrix.cols as u32, matrix.kind.stride(matrix.cols) as u32);
                let params = params(&[
                    outs,
                    cols,
                    stride,
                    count,
                    input,
                    input_cols,
                    mode,
                    to,
                    out_cols,
                    factor.to_bits(),
                ]);
                let kernel = |rows| Kernel::LinearFloat { format, rows, outputs };
                let x = part.rows.div_ceil(THREADS as usize);
                self.draft(kernel(1), params, &[&part.data], x, rows).and_mat(2, TILE, kernel(TILE))
            }
        };
        draft.weight_bytes = matrix.bytes(part.rows) as u64;
        draft.macs = (part.rows * matrix.cols) as u64;
        draft
    }
}

impl Draft {
    /// The same with so many workgroups for a row.
    fn across(mut self, x: usize) -> Self {
        self.forms.iter_mut().for_each(|f| f.x = x);
        self
    }

    /// A further kernel for `from` rows and more, `tile` at a time, on the same buffers.
    fn and_mat(mut self, from: u32, tile: u32, kernel: Kernel) -> Self {
        if let Some(first) = self.forms.first() {
            self.forms.push(DraftForm { from, tile, kernel, ..first.clone() });
        }
        self
    }
}

/// Where the outputs of a part go.
pub(crate) fn out_of(l: &Linear, matrix: &Matrix, part: &Part, at: usize) -> Slice {
    let per_output = if matrix.outputs == Outputs::Pairs { 2 } else { 1 };
    Slice { start: l.out.start + (at + part.first) / per_output, ..l.out }
}

/// Whether so many heads at a time fit 16 KiB of workgroup memory.
fn fits_heads(head_dim: usize, heads: u32) -> bool {
    4 * heads as usize * (head_dim + 64 + 10) <= 16_384 && heads <= 8
}

/// Threads that share an output: as many as there are units, 16 at most. Who takes a unit changes no bit.
fn lanes(units: usize) -> u32 {
    if units <= 4 {
        4
    } else if units <= 8 {
        8
    } else {
        16
    }
}

pub(crate) fn mode(epilogue: &Epilogue) -> (u32, f32) {
    match epilogue {
        Epilogue::Scale(factor) => (1, *factor),
        Epilogue::AddScaled(factor) => (2, *factor),
        Epilogue::SiluMul => (3, 0.0),
        Epilogue::GeluMul => (4, 0.0),
        _ => (0, 0.0),
    }
}

/// Place in the call's buffer of the number of rows.
pub(crate) fn count_at(rows: BufferRows) -> u32 {
    match rows {
        BufferRows::Call => 0,
        BufferRows::Outputs => 1,
    }
}

/// The arena fits 32-bit indices, since it fits a buffer.
fn word(at: u64) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

pub(crate) fn params(values: &[u32]) -> Params {
    let mut all = [0; 20];
    for (to, value) in all.iter_mut().zip(values) {
        *to = *value;
    }
    all
}

pub(crate) fn misused(plan: &ModelPlan, id: WeightId) -> BackendError {
    let what = format!("weight `{}` as the op uses it", plan.weight(id).name);
    BackendError::Unsupported { backend: "gpu", what }
}
