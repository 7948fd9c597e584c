//! Folds that come after all others, and how they are undone for backends without kernels for them.

use crate::op::{BufferId, Linear, Op, Slice, Source};
use crate::plan::{Buffer, ModelPlan};

/// Whether a slice is all columns of its buffer.
fn whole(slice: &Slice, buffers: &[Buffer]) -> bool {
    buffers.get(slice.buffer.0).is_some_and(|b| b.all(slice.buffer) == *slice)
}

/// `copy of the wanted rows, linear`.
pub(super) fn fold_select(a: &Op, b: &Op, buffers: &[Buffer]) -> Option<Op> {
    let (Op::SelectOutputs { input, out }, Op::Linear(l)) = (a, b) else { return None };
    let fits = l.source == Source::Given && l.input.buffer == *out && whole(&l.input, buffers);
    // Threads read rows while others write results.
    (fits && l.out.buffer != *input)
        .then(|| Op::Linear(Linear { source: Source::Wanted(*input), ..l.clone() }))
}

/// `branch joins the residual stream, linear over the sum`. The sum goes to another buffer than the one it is made of, by turns,
/// so that threads may work it out side by side; ops between two folds read and write the one of the moment.
pub(super) fn fold_stream(ops: Vec<Op>, buffers: &mut Vec<Buffer>, fixed: &[BufferId]) -> Vec<Op> {
    let joins = |a: &Op, b: &Op, buffers: &[Buffer]| {
        let (Op::AddNormed { input, width, out, .. }, Op::Linear(l)) = (a, b) else { return None };
        let fits = l.source == Source::Given && l.input == *out && whole(out, buffers) && *width == out.len;
        // Threads read branch and stream while others write results.
        let apart = input.buffer != out.buffer && ![input.buffer, out.buffer].contains(&l.out.buffer);
        (fits && apart && !fixed.contains(&out.buffer)).then_some(out.buffer)
    };
    let Some(stream) = ops.windows(2).find_map(|w| joins(&w[0], &w[1], buffers)) else { return ops };
    let spare = BufferId(buffers.len());
    buffers.push(Buffer { name: "stream", ..buffers[stream.0].clone() });
    let mut now = stream;
    let mut out: Vec<Op> = Vec::with_capacity(ops.len());
    for mut op in ops {
        op.buffers_mut(&mut |b| {
            if *b == stream {
                *b = now;
            }
        });
        if let (Some(last), Op::Linear(l)) = (out.last(), &mut op)
            && joins(last, &Op::Linear(l.clone()), buffers) == Some(now)
            && let Op::AddNormed { input: branch, weight, eps, factor, scale, out: residual, .. } = *last
        {
            now = if now == stream { spare } else { stream };
            l.source = Source::Joined { residual, branch, weight, eps, factor, scale };
            l.input.buffer = now;
            out.pop();
        }
        out.push(op);
    }
    out
}

/// Neighbours that take rows one by one, of as many rows.
pub(super) fn fold_rows(a: &Op, b: &Op, buffers: &[Buffer]) -> Option<Op> {
    let rows = |op: &Op| op.by_rows().and_then(|b| buffers.get(b.0)).map(|b| b.rows);
    let fits = rows(a).is_some() && rows(a) == rows(b);
    fits.then(|| Op::RowByRow(a.parts().iter().chain(b.parts()).cloned().collect()))
}

impl ModelPlan {
    /// The same plan without the folds `select`, `stream` and `rows`, bit for bit: for a backend that has no kernels for
    /// what they make. A sum of the residual stream then costs a copy more than in a plan that never had the fold.
    pub fn apart(&self) -> ModelPlan {
        let mut plan = self.clone();
        for entry in &mut plan.entries {
            let ops = std::mem::take(&mut entry.ops);
            for op in ops {
                match op {
                    Op::RowByRow(ops) => entry.ops.extend(ops),
                    Op::Linear(l) => {
                        let input = l.input;
                        match l.source {
                            Source::Given => {}
                            Source::Wanted(from) => {
                                entry.ops.push(Op::SelectOutputs { input: from, out: input.buffer });
                            }
                            Source::Joined { residual, branch, weight, eps, factor, scale } => {
                                entry.ops.push(Op::Copy { input: residual, out: input });
                                let (width, out) = (input.len, input);
                                entry.ops.push(Op::AddNormed {
                                    input: branch,
                                    weight,
                                    eps,
                                    width,
                                    factor,
                                    scale,
                                    out,
                                });
                            }
                        }
                        entry.ops.push(Op::Linear(Linear { source: Source::Given, ..l }));
                    }
                    op => entry.ops.push(op),
                }
            }
        }
        plan
    }
}
