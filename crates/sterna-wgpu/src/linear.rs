//! Linear layers over matrices that are not [blocked](crate::blocked): how their rows are quantised, and products part by part.

use sterna_plan::{BackendError, Epilogue, Linear, ModelPlan, Prologue, Slice, WeightId};

use crate::kernels::{Kernel, Norm, Outputs, RowsShape, THREADS, TILE, TallShape};
use crate::load::{Matrix, Part, linear_wants};
use crate::pack::{Kind, Layout, Subs, unit};
use crate::program::Builder;
use crate::steps::{Draft, count_at, params};
use crate::tall;

impl Builder<'_> {
    /// The dispatches of a linear op.
    pub(crate) fn linear(&self, op: usize, l: &Linear, drafts: &mut Vec<Draft>) -> Result<(), BackendError> {
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
                let sums = wants.iter().any(|w| matches!(w.0.kind, Kind::Int { subs: Subs::Both, .. }));
                drafts.push(Draft { op, ..self.quantised(l, norm, act_group, sums)? });
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

    /// The dispatch that quantises the rows of a linear op, a scale for each `act_group` inputs.
    fn quantised(
        &self,
        l: &Linear,
        norm: Option<(WeightId, f32)>,
        act_group: usize,
        sums: bool,
    ) -> Result<Draft, BackendError> {
        let (facts, b, rows) = (&self.gpu.facts, self.buffers, self.rows(&l.input));
        let weight = norm.map(|n| self.vector(n.0)).transpose()?.unwrap_or(0);
        let eps = norm.map_or(0.0, |n| n.1);
        let norm = if norm.is_some() { Norm::Before } else { Norm::Without };
        let ([from, cols], len, count) = (self.place(&l.input), l.input.len, count_at(rows));
        let groups = (len / 256) as u32;
        let shape = RowsShape {
            groups,
            warps: (facts.threads / 32).clamp(2, 16).min(groups.next_power_of_two()).max(2),
            norm,
            halves: false,
            small: act_group == 32,
            sums,
            subgroups: facts.subgroup == Some((32, 32)),
        };
        let whole = len.is_multiple_of(256) && [32, 256].contains(&act_group);
        let aligned = from.is_multiple_of(4) && cols.is_multiple_of(4);
        if whole && aligned && shape.bytes() <= facts.workgroup_bytes && groups <= 4 * shape.warps {
            let params = params(&[from, cols, weight, count, eps.to_bits(), b.sums_at]);
            let mut draft = self.draft(Kernel::Rows(shape), params, &[], 1, rows);
            draft.forms[0].buffers =
                self.bound(&[&self.weights.vectors, &b.arena, &b.acts, &b.act_scales, &b.halves]);
            return Ok(draft);
        }
        let params =
            params(&[from, cols, len as u32, act_group as u32, weight, count, eps.to_bits(), b.sums_at]);
        let kernel = Kernel::Quantise { norm, threads: facts.threads.min(256), sums };
        let mut draft = self.draft(kernel, params, &[], 1, rows);
        draft.forms[0].buffers = self.bound(&[&self.weights.vectors, &b.arena, &b.acts, &b.act_scales]);
        Ok(draft)
    }

    /// Rows beside the plan's buffers.
    pub(crate) fn aside(&self) -> [u32; 2] {
        self.arena.aside()
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
                let values =
                    [outs, groups, count, mode, to, out_cols, factor.to_bits(), zero as u32, b.sums_at];
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

/// Where the outputs of a part go.
pub(crate) fn out_of(l: &Linear, matrix: &Matrix, part: &Part, at: usize) -> Slice {
    let per_output = if matrix.outputs == Outputs::Pairs { 2 } else { 1 };
    Slice { start: l.out.start + (at + part.first) / per_output, ..l.out }
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

pub(crate) fn misused(plan: &ModelPlan, id: WeightId) -> BackendError {
    let what = format!("weight `{}` as the op uses it", plan.weight(id).name);
    BackendError::Unsupported { backend: "gpu", what }
}
