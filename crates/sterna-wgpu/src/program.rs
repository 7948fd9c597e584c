//! From the ops of an entry point to dispatches: which kernel, which parameters, which buffers. Nothing here changes from call
//! to call; what does (rows, tokens, positions) lies in the call's own buffer.

use sterna_plan::{BackendError, BufferId, BufferRows, ModelPlan, Op, Plan, Slice, WeightId};
use wgpu::Buffer;

use crate::adapter::MOST_GROUPS;
use crate::gpu::Gpu;
use crate::kernels::{Access, BEST_PARTS, Best, Kernel, Pipelines, THREADS};
use crate::linear::misused;
use crate::load::{Weights, table_want};
use crate::pack::Kind;
use crate::state::Pool;
use crate::steps::{Arena, Buffers, Draft, DraftForm, Form, Params, Step, count_at, params, word};

/// Columns from which the best tokens are found by several workgroups.
const MANY_TOKENS: usize = 8192;

/// Room for the parameters of a dispatch, as devices align it.
const PARAMS_BYTES: u64 = 256;

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
    /// What [`crate::check::check`] does not see, and the device's.
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
                for draft in self.best(logits, *valid) {
                    add(drafts, draft);
                }
            }
            other => {
                let what = format!("the op {}", other.name());
                return Err(BackendError::Unsupported { backend: "gpu", what });
            }
        }
        Ok(())
    }

    /// The best two tokens of every output, by one workgroup or by several and one that puts theirs together.
    fn best(&self, logits: &BufferId, valid: usize) -> Vec<Draft> {
        let [from, cols] = self.place(&self.whole(*logits));
        let params = params(&[from, cols, word(valid as u64)]);
        let b = self.buffers;
        let threads = 1 << self.gpu.facts.threads.clamp(64, 1024).ilog2();
        let draft = |threads, part, x, buffers: &[&Buffer]| {
            let mut draft = self.draft(Kernel::Argmax { threads, part }, params, &[], x, BufferRows::Outputs);
            draft.forms[0].buffers = self.bound(buffers);
            draft
        };
        if valid < MANY_TOKENS {
            return vec![draft(threads, Best::Whole, 1, &[&b.arena, &b.results])];
        }
        vec![
            draft(threads.min(256), Best::Partial, BEST_PARTS as usize, &[&b.arena, &b.partials]),
            draft(BEST_PARTS, Best::Merge, 1, &[&b.arena, &b.results, &b.partials]),
        ]
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

    pub(crate) fn norm(
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

    pub(crate) fn rowwise(&self, what: u32, a: &Slice, b: Option<&Slice>, out: &Slice, factor: f32) -> Draft {
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
}
