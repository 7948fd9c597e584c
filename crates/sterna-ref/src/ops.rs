//! The interpreter: one call of an entry point, op after op, the same for every arithmetic.
//!
//! Ops copy what they read and then write: slow and plain, so an op whose output is its input needs no care.

use sterna_plan::{
    Attention, BackendError, BufferRows, CallStats, Conv, DeltaGate, DeltaRule, Epilogue, KvInput, Linear,
    ModelPlan, Op, Plan, PlanError, Prologue, Rotation, Row, RowTable, Slice, Source, StateId, Top2, Wanted,
    WeightId,
};

use crate::load::Weights;
use crate::numbers::{DeltaRow, KeyValues, Numbers};
use crate::pool::Pool;
use crate::split::for_each_piece;

/// A result of one row.
pub(crate) struct Answer {
    pub row: usize,
    pub top: Top2,
    pub logits: Vec<f32>,
    pub finite: bool,
}

/// A call in progress.
pub(crate) struct Call<'a, N: Numbers> {
    plan: &'a ModelPlan,
    entry: &'a Plan,
    weights: &'a Weights<N>,
    pool: &'a mut Pool<N>,
    /// Another executor's states, and which of them each of this plan's is, if they are borrowed.
    lent: Option<(&'a Pool<N>, &'a [StateId])>,
    rows: &'a [Row],
    /// Rows whose results are wanted.
    pub picked: Vec<(usize, Wanted)>,
    buffers: Vec<Vec<N::Value>>,
    /// What argmax found.
    pub answers: Vec<Answer>,
    /// What the linears cost.
    pub stats: CallStats,
}

impl<'a, N: Numbers> Call<'a, N> {
    /// Poisoned buffers for a table that was checked.
    pub fn new(
        plan: &'a ModelPlan,
        entry: &'a Plan,
        weights: &'a Weights<N>,
        pool: &'a mut Pool<N>,
        lent: Option<(&'a Pool<N>, &'a [StateId])>,
        table: &'a RowTable,
    ) -> Self {
        let picked: Vec<_> = table.outputs().collect();
        let rows = table.rows();
        let len = |kind| match kind {
            BufferRows::Call => rows.len(),
            BufferRows::Outputs => picked.len(),
        };
        let mut buffers: Vec<_> =
            entry.buffers.iter().map(|b| vec![N::POISON; b.cols * len(b.rows)]).collect();
        if let Some(input) = entry.input {
            buffers[input.0] = table.inputs().iter().map(|x| N::input(*x)).collect();
        }
        Self {
            plan,
            entry,
            weights,
            pool,
            lent,
            rows,
            picked,
            buffers,
            answers: vec![],
            stats: CallStats::default(),
        }
    }

    /// Bytes of activations.
    pub fn scratch(&self) -> usize {
        self.buffers.iter().map(|b| size_of_val(b.as_slice())).sum()
    }

    /// The hidden states that the entry point hands out.
    pub fn taps(&self) -> Vec<f32> {
        let taps = self.entry.taps.map(|b| self.buffers[b.0].iter().map(|x| N::single(*x)).collect());
        taps.unwrap_or_default()
    }

    /// Runs one op.
    pub fn run(&mut self, op: &Op) -> Result<(), BackendError> {
        match op {
            Op::Embed { table, scale, out } => self.embed(*table, *scale, out.0)?,
            Op::RotationTable { rope, out } => {
                let cols = self.entry.buffers[out.0].cols;
                let rows = self.buffers[out.0].chunks_exact_mut(cols);
                for (row, to) in self.rows.iter().zip(rows) {
                    let rope = &self.plan.ropes[*rope];
                    N::rotation_row(&rope.frequencies, rope.factor, row.position, to);
                }
            }
            Op::RmsNorm { input, weight, eps, width, out } => self.norm(input, *weight, *eps, *width, out)?,
            Op::Linear(linear) => self.linear(linear)?,
            Op::Rotate { heads, head_dim, rotation } => self.rotate(heads, *head_dim, rotation),
            Op::KvWrite { k, v, state } => self.kv_write(k, v, *state),
            Op::Attention(attention) => self.attention(attention)?,
            Op::Conv(conv) => self.conv(conv)?,
            Op::DeltaRule(rule) => self.delta_rule(rule)?,
            Op::SigmoidMul { gate, out } => {
                let (gate, x) = (self.read(gate), self.read(out));
                let y: Vec<_> = gate.into_iter().zip(x).map(|(g, x)| N::sigmoid_mul(g, x)).collect();
                self.write(out, &y);
            }
            Op::SiluMul { gate, up, out } => {
                let (gate, up) = (self.read(gate), self.read(up));
                let y: Vec<_> = gate.into_iter().zip(up).map(|(g, u)| N::silu_mul(g, u)).collect();
                self.write(out, &y);
            }
            Op::GeluMul { gate, up, out } => {
                let (gate, up) = (self.read(gate), self.read(up));
                let y: Vec<_> = gate.into_iter().zip(up).map(|(g, u)| N::gelu_mul(g, u)).collect();
                self.write(out, &y);
            }
            Op::AddScaled { input, factor, out } => {
                let (y, old) = (self.read(input), self.read(out));
                let sum: Vec<_> = y.into_iter().zip(old).map(|(y, o)| N::add_scaled(*factor, y, o)).collect();
                self.write(out, &sum);
            }
            Op::AddNormed { input, weight, eps, width, factor, scale, out } => {
                let y = self.normed(input, Some(*weight), *eps, *width)?;
                let old = self.read(out);
                let sum = y.into_iter().zip(old).map(|(y, o)| N::scale(N::add_scaled(*factor, y, o), *scale));
                let sum: Vec<_> = sum.collect();
                self.write(out, &sum);
            }
            Op::RowByRow(ops) => {
                for op in ops {
                    self.run(op)?;
                }
            }
            Op::Scale { slice, factor } => {
                let y: Vec<_> = self.read(slice).into_iter().map(|y| N::scale(y, *factor)).collect();
                self.write(slice, &y);
            }
            Op::Copy { input, out } => {
                let y = self.read(input);
                self.write(out, &y);
            }
            Op::SelectOutputs { input, out } => {
                let cols = self.entry.buffers[input.0].cols;
                let from = &self.buffers[input.0];
                let rows = self.picked.iter().flat_map(|(row, _)| &from[row * cols..(row + 1) * cols]);
                self.buffers[out.0] = rows.copied().collect();
            }
            Op::KeepClusters { scores, cluster, keep, logits } => {
                let cluster = self.weights.vector(*cluster)?;
                let (scores_of, mut y) = (self.read(scores), self.read(logits));
                let rows = scores_of.chunks_exact(scores.len).zip(y.chunks_exact_mut(logits.len));
                rows.for_each(|(scores, logits)| N::keep_clusters(scores, cluster, *keep, logits));
                self.write(logits, &y);
            }
            Op::Argmax { logits, valid, softcap } => self.argmax(logits.0, *valid, *softcap),
            other => {
                let what = format!("op {}", other.name());
                return Err(PlanError::Options(format!("the reference backend does not know {what}")).into());
            }
        }
        Ok(())
    }

    /// A copy of a slice, rows close together.
    pub fn read(&self, slice: &Slice) -> Vec<N::Value> {
        let cols = self.entry.buffers[slice.buffer.0].cols;
        let rows = self.buffers[slice.buffer.0].chunks_exact(cols);
        rows.flat_map(|row| &row[slice.start..slice.start + slice.len]).copied().collect()
    }

    fn write(&mut self, slice: &Slice, values: &[N::Value]) {
        let cols = self.entry.buffers[slice.buffer.0].cols;
        let rows = self.buffers[slice.buffer.0].chunks_exact_mut(cols);
        for (row, values) in rows.zip(values.chunks_exact(slice.len)) {
            row[slice.start..slice.start + slice.len].copy_from_slice(values);
        }
    }

    /// The rows of every sequence of the call, in order.
    fn chains(&self) -> Vec<(usize, Vec<usize>)> {
        let mut chains: Vec<(usize, Vec<usize>)> = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            match chains.iter_mut().find(|c| c.0 == row.sequence) {
                Some(chain) => chain.1.push(i),
                None => chains.push((row.sequence, vec![i])),
            }
        }
        chains
    }

    fn conv(&mut self, c: &Conv) -> Result<(), BackendError> {
        let weight = self.weights.vector(c.weight)?;
        let (channels, taps) = (c.input.len, weight.len() / c.input.len.max(1));
        if weight.len() != channels * taps || c.out.len != channels || taps == 0 {
            let why = format!("a convolution of {channels} channels with {} weights", weight.len());
            return Err(PlanError::Options(why).into());
        }
        let input = self.read(&c.input);
        let mut out = vec![N::POISON; input.len()];
        for (slot, rows) in self.chains() {
            // Inputs since the oldest that is kept, row after row.
            let mut seen = self.pool.timed(slot, c.state).to_vec();
            for (n, row) in rows.into_iter().enumerate() {
                seen.extend_from_slice(&input[row * channels..][..channels]);
                for ch in 0..channels {
                    let window: Vec<_> = (0..taps).map(|j| seen[(n + j) * channels + ch]).collect();
                    out[row * channels + ch] = N::conv(&weight[ch * taps..][..taps], &window);
                }
            }
            let kept = seen.split_off(seen.len() - (taps - 1) * channels);
            self.pool.stage(slot, c.state, kept);
        }
        self.write(&c.out, &out);
        Ok(())
    }

    fn delta_rule(&mut self, d: &DeltaRule) -> Result<(), BackendError> {
        if let Some(conv) = &d.conv {
            self.conv(conv)?;
        }
        let (weights, s) = (self.weights, d.shape);
        let (decay, dt) = (weights.vector(d.decay)?, weights.vector(d.dt)?);
        let heads = [decay.len(), dt.len(), d.b.len, d.a.len];
        let widths = (d.q.len, d.k.len, d.v.len, d.out.len);
        let wanted = (s.key_width(), s.key_width(), s.value_width(), s.value_width());
        if heads != [s.v_heads; 4] || widths != wanted {
            let why = format!("a delta rule of {s:?} with widths of {widths:?} and heads of {heads:?}");
            return Err(PlanError::Options(why).into());
        }
        let (mut q, mut k, v) = (self.read(&d.q), self.read(&d.k), self.read(&d.v));
        let (b, a) = (self.read(&d.b), self.read(&d.a));
        let scale = 1.0 / (s.k_dim as f32).sqrt();
        q.chunks_exact_mut(s.k_dim).for_each(|q| N::unit(q, Some(scale)));
        k.chunks_exact_mut(s.k_dim).for_each(|k| N::unit(k, None));
        let mut out = vec![N::POISON; v.len()];
        let each = s.k_dim * s.v_dim;
        for (slot, rows) in self.chains() {
            let mut state = self.pool.timed(slot, d.state).to_vec();
            for row in rows {
                for (j, state) in state.chunks_exact_mut(each).enumerate() {
                    let key = (row * s.k_heads + s.key_head(j)) * s.k_dim;
                    let at = row * s.v_heads + j;
                    let (beta, kept) = N::delta_gates(b[at], a[at], dt[j], decay[j]);
                    let row = DeltaRow {
                        q: &q[key..][..s.k_dim],
                        k: &k[key..][..s.k_dim],
                        v: &v[at * s.v_dim..][..s.v_dim],
                        beta,
                        decay: kept,
                    };
                    N::delta_step(&row, state, &mut out[at * s.v_dim..][..s.v_dim]);
                }
            }
            self.pool.stage(slot, d.state, state);
        }
        self.write(&d.out, &out);
        match d.gate {
            Some(DeltaGate { weight, eps, gate }) => {
                self.norm(&d.out, Some(weight), eps, s.v_dim, &d.out)?;
                self.run(&Op::SiluMul { gate, up: d.out, out: d.out })
            }
            None => Ok(()),
        }
    }

    fn embed(&mut self, id: WeightId, scale: f32, out: usize) -> Result<(), BackendError> {
        let cols = self.entry.buffers[out].cols;
        let table = self.weights.table(id)?;
        let width = self.plan.weight(id).cols;
        if width == 0 || !cols.is_multiple_of(width) {
            let why = format!("rows of {width} looked up for a buffer of {cols} columns");
            return Err(PlanError::Options(why).into());
        }
        let mut values = vec![0f32; width];
        for (row, to) in self.rows.iter().zip(self.buffers[out].chunks_exact_mut(cols)) {
            let first = row.token as usize * (cols / width);
            for (i, to) in to.chunks_exact_mut(width).enumerate() {
                table.row(first + i, &mut values).map_err(|source| BackendError::Weight {
                    name: self.plan.weight(id).name.clone(),
                    source,
                })?;
                N::embed(&values, scale, to);
            }
        }
        Ok(())
    }

    fn norm(
        &mut self,
        input: &Slice,
        weight: Option<WeightId>,
        eps: f32,
        width: usize,
        out: &Slice,
    ) -> Result<(), BackendError> {
        let y = self.normed(input, weight, eps, width)?;
        self.write(out, &y);
        Ok(())
    }

    fn normed(
        &self,
        input: &Slice,
        weight: Option<WeightId>,
        eps: f32,
        width: usize,
    ) -> Result<Vec<N::Value>, BackendError> {
        let weight = weight.map(|w| self.weights.vector(w)).transpose()?;
        let weights = weight.map_or(width, <[f32]>::len);
        if weights != width || width == 0 || !input.len.is_multiple_of(width) {
            let why = format!("a norm of {width} columns in {} with {weights} weights", input.len);
            return Err(PlanError::Options(why).into());
        }
        let x = self.read(input);
        let mut y = vec![N::POISON; x.len()];
        for (x, y) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
            match weight {
                Some(weight) => N::rms_norm(x, weight, eps, y),
                None => N::normalise(x, eps, y),
            }
        }
        Ok(y)
    }

    /// Writes the input rows of a linear that does so itself.
    fn source(&mut self, linear: &Linear) -> Result<(), BackendError> {
        match linear.source {
            Source::Given => Ok(()),
            Source::Wanted(input) => self.run(&Op::SelectOutputs { input, out: linear.input.buffer }),
            Source::Joined { residual, branch, weight, eps, factor, scale } => {
                let (y, old) = (self.normed(&branch, Some(weight), eps, branch.len)?, self.read(&residual));
                if (branch.len, y.len()) != (linear.input.len, old.len()) {
                    let why = format!("{} columns join {}", branch.len, residual.len);
                    return Err(PlanError::Options(why).into());
                }
                let sum = y.into_iter().zip(old).map(|(y, o)| N::scale(N::add_scaled(factor, y, o), scale));
                let sum: Vec<_> = sum.collect();
                self.write(&linear.input, &sum);
                Ok(())
            }
        }
    }

    fn linear(&mut self, linear: &Linear) -> Result<(), BackendError> {
        self.source(linear)?;
        let x = match linear.prologue {
            Prologue::None => self.read(&linear.input),
            Prologue::RmsNorm { weight, eps } => {
                self.normed(&linear.input, Some(weight), eps, linear.input.len)?
            }
            other => return Err(PlanError::Options(format!("the prologue {other:?} is not known")).into()),
        };
        let heights: Vec<usize> = linear.members.iter().map(|id| self.plan.weight(*id).rows).collect();
        self.check_linear(linear, &heights)?;
        // Outputs of a row of weights lie together, so that threads share nothing: [sum of n_i, rows].
        let rows = x.len() / linear.input.len;
        let mut y = Vec::new();
        for (id, height) in linear.members.iter().zip(&heights) {
            let matrix = self.weights.matrix(*id)?;
            let inputs: Vec<_> = x.chunks_exact(linear.input.len).map(|x| N::prepare(matrix, x)).collect();
            let macs = height * linear.input.len * rows;
            let mut part = vec![N::POISON; height * rows];
            for_each_piece(&mut part, rows, macs, |n, out| {
                for (x, y) in inputs.iter().zip(out) {
                    *y = N::dot(matrix, n, x);
                }
            });
            y.extend(part);
            if rows > 0 {
                self.stats.weight_bytes += self.plan.weight(*id).bytes();
                self.stats.macs += macs as u64;
            }
        }
        self.epilogue(linear, rows, &y)
    }

    fn check_linear(&self, linear: &Linear, heights: &[usize]) -> Result<(), PlanError> {
        let wrong_cols = linear.members.iter().any(|id| self.plan.weight(*id).cols != linear.input.len);
        let fits = match linear.epilogue {
            Epilogue::SiluMul | Epilogue::GeluMul => heights == [linear.out.len, linear.out.len],
            _ => heights.iter().sum::<usize>() == linear.out.len,
        };
        if fits && !wrong_cols && linear.input.len > 0 {
            return Ok(());
        }
        let (input, out) = (linear.input.len, linear.out.len);
        Err(PlanError::Options(format!(
            "a linear from {input} to {out} columns with members of {heights:?} rows"
        )))
    }

    fn epilogue(&mut self, linear: &Linear, rows: usize, y: &[N::Value]) -> Result<(), BackendError> {
        let (start, len) = (linear.out.start, linear.out.len);
        let cols = self.entry.buffers[linear.out.buffer.0].cols;
        let other = match linear.epilogue {
            Epilogue::GeluTimes(other) if other.len == len => self.read(&other),
            Epilogue::GeluTimes(other) => {
                let why = format!("{} outputs times {} columns", len, other.len);
                return Err(PlanError::Options(why).into());
            }
            _ => Vec::new(),
        };
        let buffer = &mut self.buffers[linear.out.buffer.0];
        for r in 0..rows {
            for n in 0..len {
                let out = &mut buffer[r * cols + start + n];
                let value = y[n * rows + r];
                *out = match linear.epilogue {
                    Epilogue::Store => value,
                    Epilogue::Scale(factor) => N::scale(value, factor),
                    Epilogue::AddScaled(factor) => N::add_scaled(factor, value, *out),
                    Epilogue::SiluMul => N::silu_mul(value, y[(len + n) * rows + r]),
                    Epilogue::GeluMul => N::gelu_mul(value, y[(len + n) * rows + r]),
                    Epilogue::GeluTimes(_) => N::gelu_mul(value, other[r * len + n]),
                    other => {
                        return Err(PlanError::Options(format!("the epilogue {other:?} is not known")).into());
                    }
                };
            }
        }
        Ok(())
    }

    fn rotate(&mut self, heads: &Slice, head_dim: usize, rotation: &Rotation) {
        let table = self.read(&Slice { buffer: rotation.table, start: 0, len: rotation.dim });
        let mut x = self.read(heads);
        for (row, table) in x.chunks_exact_mut(heads.len).zip(table.chunks_exact(rotation.dim)) {
            for head in row.chunks_exact_mut(head_dim) {
                N::rotate(head, table);
            }
        }
        self.write(heads, &x);
    }

    fn kv_write(&mut self, k: &Slice, v: &Slice, state: StateId) {
        let (keys, values) = (self.read(k), self.read(v));
        let pairs = keys.chunks_exact(k.len).zip(values.chunks_exact(v.len));
        for (row, (k, v)) in self.rows.iter().zip(pairs) {
            self.pool.write(row.sequence, state, row.kv_slot, k, v);
        }
    }

    fn attention(&mut self, a: &Attention) -> Result<(), BackendError> {
        if let Some(input) = &a.input {
            if let Some(norm) = input.q_norm {
                self.norm(&a.q, Some(norm.weight), norm.eps, a.head_dim, &a.q)?;
            }
            self.rotate(&a.q, a.head_dim, &input.rotation);
            if let Some(KvInput { k, v, k_norm, v_eps }) = &input.kv {
                if let Some(norm) = k_norm {
                    self.norm(k, Some(norm.weight), norm.eps, a.head_dim, k)?;
                }
                if let Some(eps) = v_eps {
                    self.norm(v, None, *eps, a.head_dim, v)?;
                }
                self.rotate(k, a.head_dim, &input.rotation);
                self.kv_write(k, v, a.state);
            }
        }
        let q = self.read(&a.q);
        let mut out = vec![N::POISON; q.len()];
        let keys: usize = self.rows.iter().map(|r| r.position as usize + 1).sum();
        let work = 2 * keys * a.heads * a.head_dim;
        let (rows, piece) = (self.rows, self.plan.attention_piece);
        let (pool, state) = match self.lent.map(|(lent, states)| (lent, states.get(a.state.0))) {
            Some((lent, Some(state))) => (lent, *state),
            _ => (&*self.pool, a.state),
        };
        let spec = self.plan.state(a.state);
        for_each_piece(&mut out, a.head_dim, work, |i, out| {
            let (row, head) = (&rows[i / a.heads], i % a.heads);
            let kv = KeyValues {
                cells: pool.cells(row.sequence, state),
                width: a.kv_heads * a.head_dim,
                start: head / (a.heads / a.kv_heads) * a.head_dim,
                dim: a.head_dim,
                first: spec.first_seen(row.position),
                count: spec.end_seen(row.position),
            };
            N::attend(&q[i * a.head_dim..][..a.head_dim], &kv, a.scale, piece, out);
        });
        self.write(&a.out, &out);
        match a.gate {
            Some(gate) => self.run(&Op::SigmoidMul { gate, out: a.out }),
            None => Ok(()),
        }
    }

    /// In f32, as the logits are handed out, so that a caller who looks for the best finds the same.
    fn argmax(&mut self, logits: usize, valid: usize, softcap: Option<f32>) {
        let cols = self.entry.buffers[logits].cols;
        let rows = self.buffers[logits].chunks_exact(cols);
        let answer = |((row, wanted), values): (&(usize, Wanted), &[N::Value])| {
            let plain: Vec<f32> = values[..valid].iter().map(|v| N::single(*v)).collect();
            let finite = plain.iter().all(|l| l.is_finite());
            let mut top = top2(&plain);
            let mut logits = if *wanted == Wanted::Logits { plain } else { vec![] };
            if let Some(cap) = softcap {
                for x in logits.iter_mut().chain([&mut top.logit, &mut top.second]) {
                    *x = N::single(N::softcap(N::input(*x), cap));
                }
            }
            Answer { row: *row, top, finite, logits }
        };
        self.answers = self.picked.iter().zip(rows).map(answer).collect();
    }

    /// Whether everything that `op` wrote for the rows of `sequence` is finite.
    pub fn wrote_finite(&self, slices: &[Slice], state: Option<StateId>, sequence: usize) -> bool {
        let finite_slice = |slice: &Slice| {
            let values = self.read(slice);
            let mine = |i: usize| match self.entry.buffers[slice.buffer.0].rows {
                BufferRows::Call => self.rows[i].sequence == sequence,
                BufferRows::Outputs => self.rows[self.picked[i].0].sequence == sequence,
            };
            let rows = values.chunks_exact(slice.len).enumerate();
            rows.filter(|(i, _)| mine(*i)).all(|(_, row)| row.iter().all(|v| N::single(*v).is_finite()))
        };
        let finite_cells = |state: StateId| {
            if let Some(staged) = self.pool.staged(sequence, state) {
                return staged.iter().all(|v| N::single(*v).is_finite());
            }
            let mut mine = self.rows.iter().filter(|r| r.sequence == sequence);
            mine.all(|r| {
                self.pool.position(r.sequence, state, r.kv_slot).iter().all(|c| N::cell_is_finite(*c))
            })
        };
        slices.iter().all(finite_slice) && state.is_none_or(finite_cells)
    }
}

/// Best token, the lowest among equals, and the best logit among the others.
fn top2(logits: &[f32]) -> Top2 {
    let mut top = Top2 { token: 0, logit: f32::NEG_INFINITY, second: f32::NEG_INFINITY };
    for (i, &logit) in logits.iter().enumerate() {
        if i == 0 || logit > top.logit {
            top = Top2 { token: i as u32, logit, second: top.logit };
        } else if logit > top.second {
            top.second = logit;
        }
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lowest_and_the_second_is_among_the_others() {
        let best = |logits: &[f32]| {
            let t = top2(logits);
            (t.token, t.logit, t.second)
        };
        assert_eq!(best(&[1.0, 3.0, 2.0]), (1, 3.0, 2.0));
        assert_eq!(best(&[3.0, 1.0, 3.0]), (0, 3.0, 3.0));
        assert_eq!(best(&[-2.0, -1.0]), (1, -1.0, -2.0));
        assert_eq!(best(&[5.0, -1.0, 4.0]), (0, 5.0, 4.0));
        assert_eq!(best(&[-7.0]), (0, -7.0, f32::NEG_INFINITY));
    }
}
