//! Every kernel that some plan can need, for snapshots and tests.

use super::*;
use crate::pack::Subs;

impl Kernel {
    /// Every kernel that some plan can need, with typical constants: for snapshots and tests.
    pub fn all() -> Vec<Kernel> {
        let mut all = vec![Kernel::Norm, Kernel::RopeKv];
        all.extend(
            [Best::Whole, Best::Partial, Best::Merge].map(|part| Kernel::Argmax { threads: 256, part }),
        );
        all.extend((0..3).map(|format| Kernel::Gather { format }));
        all.extend([Norm::Without, Norm::Before].map(|norm| Kernel::Quantise {
            norm,
            threads: 256,
            sums: norm == Norm::Before,
        }));
        for (rows, outputs) in
            [(1, Outputs::Single), (TILE, Outputs::Single), (1, Outputs::Pairs), (TILE, Outputs::Pairs)]
        {
            all.extend([2, 4, 8].map(|bits| Kernel::LinearInt { bits, lanes: 8, rows, outputs }));
            all.extend((0..3).map(|format| Kernel::LinearFloat { format, rows, outputs }));
        }
        for outputs in [Outputs::Single, Outputs::Pairs] {
            for tokens in [2, 4] {
                all.push(Kernel::Block { groups: 10, warps: 4, tokens, outputs, halves: tokens == 2 });
            }
            for norm in [Norm::Without, Norm::Before] {
                for (subgroups, ahead) in [(false, 2), (true, 1)] {
                    let (groups, warps, halves) = (10, 4, !subgroups);
                    all.push(Kernel::BlockOne { groups, warps, ahead, norm, outputs, halves, subgroups });
                }
            }
            all.extend(CoopTile::ALL.map(|(_, tile)| Kernel::Coop {
                groups: 4,
                tile,
                outputs,
                halves: true,
            }));
        }
        for (norm, halves, small, sums, subgroups) in [
            (Norm::Without, false, false, false, true),
            (Norm::Before, true, false, false, false),
            (Norm::Before, false, true, false, true),
            (Norm::Without, false, true, false, false),
            (Norm::Without, false, false, true, true),
            (Norm::Before, false, false, true, false),
        ] {
            let shape = RowsShape { groups: 10, warps: 4, norm, halves, small, sums, subgroups };
            all.push(Kernel::Rows(shape));
        }
        for tokens in [1, 4] {
            for (bits, units, subs) in Subs::KINDS {
                for (split, outputs) in [(1, Outputs::Single), (4, Outputs::Single), (8, Outputs::Pairs)] {
                    let groups_at_a_time = TallShape::groups_at_a_time(units, 16, split > 1);
                    let halves = subs != Subs::None || split > 1;
                    let shape =
                        TallShape { bits, units, groups_at_a_time, tokens, split, subs, outputs, halves };
                    all.push(Kernel::Tall(shape));
                }
            }
        }
        for (head_dim, heads, pieces) in [(64, 1, 4), (96, 4, 1), (6, 1, 1)] {
            all.push(Kernel::Attention(AttentionShape { head_dim, heads, pieces }));
        }
        for (head_dim, pieces, norms, subgroups) in
            [(128, 4, [true, false], true), (64, 4, [false; 2], false), (8, 1, [true; 2], true)]
        {
            all.push(Kernel::AttentionOne(OneShape { head_dim, pieces, norms, subgroups }));
        }
        all.extend((0..7).map(|what| Kernel::Rowwise { what }));
        all
    }
}
