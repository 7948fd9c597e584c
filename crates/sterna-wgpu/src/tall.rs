//! Matrices of 4 or 8 bits a code: a thread to each output where there are many, else runs of threads that share outputs, for one
//! row or for a few.

use crate::adapter::{AdapterFacts, Kind};
use crate::kernels::{Outputs, TallShape};
use crate::pack::TALL;

/// The code for one row and for a few of a matrix of `rows` outputs and `groups` groups of inputs. Bits, units, what groups have
/// beside their scale and what becomes of outputs are those of `shape`.
pub(crate) fn shapes(facts: &AdapterFacts, shape: TallShape, groups: u32, rows: usize) -> [TallShape; 2] {
    let alone = rows >= TALL && shape.outputs == Outputs::Single;
    let groups_at_a_time = TallShape::groups_at_a_time(shape.units, groups, !alone);
    let shape = TallShape { groups_at_a_time, tokens: 1, split: 1, ..shape };
    if alone {
        return [shape, TallShape { tokens: if facts.kind == Kind::Software { 2 } else { 4 }, ..shape }];
    }
    // Code for many rows of long groups takes a driver in software seconds to compile.
    let few: &[u32] = if facts.kind == Kind::Software && shape.units > 2 { &[2, 1] } else { &[4, 2, 1] };
    [shared(facts, shape, groups, &[1]), shared(facts, shape, groups, few)]
}

/// The most rows at a time of `tokens`, and as many runs of threads as have work and memory for them.
fn shared(facts: &AdapterFacts, shape: TallShape, groups: u32, tokens: &[u32]) -> TallShape {
    let useful = groups.div_ceil(shape.groups_at_a_time).next_power_of_two().max(4);
    let splits = [16, 8, 4, 2].into_iter().filter(|split| *split <= useful);
    let all = tokens
        .iter()
        .flat_map(|tokens| splits.clone().map(|split| TallShape { tokens: *tokens, split, ..shape }));
    let fits = |s: &TallShape| {
        32 * s.split <= facts.threads && s.bytes() <= facts.workgroup_bytes && s.split >= s.tokens
    };
    all.into_iter().find(fits).unwrap_or(TallShape { tokens: 1, split: 2, ..shape })
}
