//! Linear layers over blocked matrices: one row prepared by every workgroup itself, a few rows prepared once and taken together,
//! many rows on matrix units where there are some.

use sterna_plan::{BackendError, Linear, Prologue};

use crate::adapter::AdapterFacts;
use crate::kernels::{CoopTile, Kernel, Norm, Outputs, RowsShape};
use crate::linear::{misused, mode, out_of};
use crate::load::{Part, Want};
use crate::pack::{BLOCK, BLOCK_GROUP, Kind, Layout, Subs};
use crate::program::Builder;
use crate::steps::{Draft, DraftForm, count_at, params};

/// Workgroups that a large matrix is shared by: each prepares the row, so more of them than a GPU runs at a time do it in vain.
const WORKGROUPS: usize = 264;

/// Rows from which matrix units are faster than reading the codes again for every few rows.
const COOP_ROWS: u32 = 25;

impl Builder<'_> {
    /// The dispatches of an op some of whose matrices are blocked.
    pub(crate) fn blocked(
        &self,
        op: usize,
        l: &Linear,
        wants: &[(Want, usize)],
        drafts: &mut Vec<Draft>,
    ) -> Result<(), BackendError> {
        let facts = &self.gpu.facts;
        let rows = self.rows(&l.input);
        let groups = (l.input.len / BLOCK_GROUP) as u32;
        let mut input = self.place(&l.input);
        // A workgroup reads the row while others write outputs, four values at a time.
        if l.input.buffer == l.out.buffer || input.iter().any(|at| at % 4 != 0) {
            let [from, cols] = input;
            let [to, to_cols] = self.aside();
            let len = l.input.len;
            let values = [from, cols, 0, 0, to, to_cols, len as u32, count_at(rows)];
            let draft = self.draft(Kernel::Rowwise { what: 5 }, params(&values), &[], len.div_ceil(64), rows);
            drafts.push(Draft { op, ..draft });
            input = [to, to_cols];
        }
        let (weight, eps, norm) = match l.prologue {
            Prologue::RmsNorm { weight, eps } => (self.vector(weight)?, eps, Norm::Before),
            _ => (0, 0.0, Norm::Without),
        };
        let subgroups = facts.subgroup == Some((32, 32));
        // A row that generic kernels read too, or that no workgroup has memory for, is prepared apart.
        let warps = here(facts, groups, subgroups);
        let all_blocked = wants.iter().all(|w| matches!(w.0.kind, Kind::Int { layout: Layout::Block, .. }));
        let apart_from = if warps.is_some() && all_blocked { 2 } else { 1 };
        let b = self.buffers;
        let rows_warps = (facts.threads / 32).clamp(2, 16);
        let values = [input[0], input[1], weight, count_at(rows), eps.to_bits(), b.sums_at];
        let sums = wants.iter().any(|w| matches!(w.0.kind, Kind::Int { subs: Subs::Both, .. }));
        let shape = RowsShape {
            groups,
            warps: rows_warps,
            norm,
            halves: facts.matrix,
            small: false,
            sums,
            subgroups,
        };
        let mut draft = self.draft(Kernel::Rows(shape), params(&values), &[], 1, rows);
        draft.forms[0].from = apart_from;
        draft.forms[0].buffers =
            self.bound(&[&self.weights.vectors, &b.arena, &b.acts, &b.act_scales, &b.halves]);
        drafts.push(Draft { op, ..draft });
        for (want, at) in wants {
            let matrix = self.weights.matrix(self.plan, want);
            let matrix = matrix.ok_or_else(|| misused(self.plan, want.members[0]))?;
            for part in &matrix.parts {
                let out = out_of(l, matrix, part, *at);
                if !matches!(matrix.kind, Kind::Int { layout: Layout::Block, .. }) {
                    drafts.push(Draft { op, ..self.product(l, matrix, part, input, out) });
                    continue;
                }
                let (mode, factor) = mode(&l.epilogue);
                let [to, out_cols] = self.place(&out);
                let Kind::Int { zero, halves, .. } = matrix.kind else { continue };
                let blocks = part.rows.div_ceil(BLOCK);
                let values = [
                    part.rows as u32,
                    blocks as u32,
                    count_at(rows),
                    mode,
                    to,
                    out_cols,
                    factor.to_bits(),
                    zero as u32,
                    input[0],
                    input[1],
                    weight,
                    eps.to_bits(),
                ];
                let shape = Shape { groups, outputs: matrix.outputs, halves, subgroups };
                let forms = shape.forms(facts, warps.filter(|_| apart_from == 2), norm, blocks);
                let bound = |(from, tile, kernel, x)| {
                    let buffers = self.blocked_buffers(kernel, part);
                    DraftForm { from, tile, kernel, params: params(&values), buffers, x }
                };
                drafts.push(Draft {
                    op,
                    forms: forms.into_iter().map(bound).collect(),
                    rows,
                    weight_bytes: matrix.bytes(part.rows) as u64,
                    macs: (part.rows * matrix.cols) as u64,
                });
            }
        }
        Ok(())
    }

    fn blocked_buffers(&self, kernel: Kernel, part: &Part) -> Vec<wgpu::Buffer> {
        let b = self.buffers;
        let scales = part.scales.as_ref().unwrap_or(&b.nothing);
        match kernel {
            Kernel::Coop { .. } => self.bound(&[&part.data, scales, &b.halves, &b.act_scales, &b.arena]),
            _ => {
                let vectors = &self.weights.vectors;
                self.bound(&[&part.data, scales, &b.acts, &b.act_scales, vectors, &b.arena])
            }
        }
    }
}

/// What the kernels of one matrix have in common.
struct Shape {
    groups: u32,
    outputs: Outputs,
    halves: bool,
    subgroups: bool,
}

impl Shape {
    /// Kernels by rows: from how many, how many at a time, and workgroups for them. `here` are the runs of threads of the kernel
    /// that prepares its row.
    fn forms(
        &self,
        facts: &AdapterFacts,
        here: Option<u32>,
        norm: Norm,
        blocks: usize,
    ) -> Vec<(u32, u32, Kernel, usize)> {
        let Shape { groups, outputs, halves, subgroups } = *self;
        let mut all = Vec::new();
        if let Some(warps) = here {
            let ahead = 1;
            let kernel = Kernel::BlockOne { groups, warps, ahead, norm, outputs, halves, subgroups };
            all.push((1, 1, kernel, shared_by(blocks, WORKGROUPS)));
        }
        for (from, tokens) in [(if here.is_some() { 2 } else { 1 }, 2), (3, 4)] {
            // Activations, integers and factors of a turn.
            let bytes = |warps: u32| 768 * tokens * warps;
            let most = facts.threads / 32;
            let warps = [16, 8, 4].into_iter().find(|w| *w <= most && bytes(*w) <= facts.workgroup_bytes);
            if let Some(warps) = warps.filter(|w| *w >= tokens) {
                let kernel = Kernel::Block { groups, warps, tokens, outputs, halves };
                all.push((from, tokens, kernel, shared_by(blocks, 2 * WORKGROUPS)));
            }
        }
        if facts.matrix {
            let mut from = COOP_ROWS;
            for (to, tile) in CoopTile::ALL {
                if tile.bytes() <= facts.workgroup_bytes {
                    let kernel = Kernel::Coop { groups, tile, outputs, halves };
                    all.push((from, tile.tokens, kernel, blocks.div_ceil(tile.blocks as usize)));
                    from = to.saturating_add(1);
                }
            }
        }
        all
    }
}

/// Workgroups so that each takes as many blocks as any other, or one less.
fn shared_by(blocks: usize, workgroups: usize) -> usize {
    blocks.div_ceil(blocks.div_ceil(workgroups).max(1))
}

/// Runs of 32 threads of a workgroup that prepares its row; `None` where it has no memory for that.
fn here(facts: &AdapterFacts, groups: u32, subgroups: bool) -> Option<u32> {
    let row = groups * (256 + 8 + 4) + if subgroups { 0 } else { groups * 128 };
    let fits = |warps: &u32| 32 * warps <= facts.threads && row + 512 * warps <= facts.workgroup_bytes;
    // As many as there are groups; few are enough for short rows, twice as many serve very long ones.
    let best = if groups >= 64 { 32 } else { groups.next_power_of_two().clamp(2, 16) };
    [32, 16, 8, 4, 2].into_iter().filter(|w| *w <= best).find(fits)
}

#[cfg(test)]
mod tests {
    use super::shared_by;

    #[test]
    fn workgroups_take_equal_shares() {
        for (blocks, workgroups) in [(1, 1), (144, 144), (264, 264), (265, 133), (1024, 256), (2296, 256)] {
            assert_eq!(shared_by(blocks, 264), workgroups, "{blocks}");
        }
    }
}
