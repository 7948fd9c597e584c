//! The WGSL kernels and the pipelines made of them.
//!
//! A kernel is a file beside this one, written out by [`template`]. What shapes its code stands before it as constants, by
//! [`Kernel::source`]; what only shapes its work comes in words of parameters. Kernels of one op for one row, a few and many
//! follow the same written order, so a row's bits do not depend on which of them ran.

#[cfg(test)]
mod msl;
mod pipelines;
#[cfg(test)]
mod samples;
mod shapes;
mod template;

use std::collections::HashMap;
use std::fmt::Write as _;

pub(crate) use pipelines::{Pipeline, Pipelines};
pub(crate) use shapes::{AttentionShape, CoopTile, OneShape, RowsShape, TallShape};

/// Rows that a generic `mat` kernel takes for one reading of the weights.
pub(crate) const TILE: u32 = 16;

/// Threads of a workgroup, of kernels that do not say otherwise.
pub(crate) const THREADS: u32 = 64;

/// Most activation groups of a row.
pub(crate) const MOST_ACT_GROUPS: usize = 1024;

/// Parts of a large vocabulary whose best tokens are found side by side.
pub(crate) const BEST_PARTS: u32 = 64;

/// Widest head.
pub(crate) const MOST_HEAD_DIM: usize = 512;

const COMMON: &str = include_str!("common.wgsl");

/// A kernel with what shapes its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    Gather {
        format: u32,
    },
    Norm,
    Quantise {
        norm: Norm,
        threads: u32,
        /// Of every 32 integers too.
        sums: bool,
    },
    /// Quantised rows of a multiple of 256 inputs.
    Rows(RowsShape),
    LinearInt {
        bits: u32,
        lanes: u32,
        rows: u32,
        outputs: Outputs,
    },
    LinearFloat {
        format: u32,
        rows: u32,
        outputs: Outputs,
    },
    /// A blocked matrix for one row, which every workgroup quantises itself.
    BlockOne {
        groups: u32,
        warps: u32,
        /// Turns whose codes are on their way.
        ahead: u32,
        norm: Norm,
        outputs: Outputs,
        halves: bool,
        subgroups: bool,
    },
    /// A blocked matrix, `tokens` rows at a time.
    Block {
        groups: u32,
        warps: u32,
        tokens: u32,
        outputs: Outputs,
        halves: bool,
    },
    /// A blocked matrix on matrix units.
    Coop {
        groups: u32,
        tile: CoopTile,
        outputs: Outputs,
        halves: bool,
    },
    /// A blocked matrix of 4 or 8 bits a code.
    Tall(TallShape),
    RopeKv,
    Attention(AttentionShape),
    /// One row, with what comes before its attention.
    AttentionOne(OneShape),
    Rowwise {
        what: u32,
    },
    Argmax {
        threads: u32,
        part: Best,
    },
}

/// Whether a row is normed before it is quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Norm {
    Without,
    Before,
}

/// What of the best tokens of a row a workgroup finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Best {
    /// All.
    Whole,
    /// Those of a part of the vocabulary.
    Partial,
    /// All, from those of the parts.
    Merge,
}

/// What becomes of neighbouring outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outputs {
    Single,
    Pairs,
}

/// Values by the names that they have in a kernel.
type Named<T> = Vec<(&'static str, T)>;

/// How a kernel sees a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Parameters,
    Read,
    Write,
}

impl Kernel {
    fn file(self) -> &'static str {
        match self {
            Kernel::Gather { .. } => include_str!("gather.wgsl"),
            Kernel::Norm => include_str!("norm.wgsl"),
            Kernel::Quantise { .. } => include_str!("quantise.wgsl"),
            Kernel::Rows { .. } => include_str!("linear/rows.wgsl"),
            Kernel::LinearInt { .. } => include_str!("linear/int.wgsl"),
            Kernel::LinearFloat { .. } => include_str!("linear/float.wgsl"),
            Kernel::BlockOne { .. } => include_str!("linear/block_one.wgsl"),
            Kernel::Block { .. } => include_str!("linear/block.wgsl"),
            Kernel::Coop { .. } => include_str!("linear/coop.wgsl"),
            Kernel::Tall(_) => include_str!("linear/tall.wgsl"),
            Kernel::RopeKv => include_str!("rope_kv.wgsl"),
            Kernel::Attention(_) => include_str!("attention.wgsl"),
            Kernel::AttentionOne(_) => include_str!("attention_one.wgsl"),
            Kernel::Rowwise { .. } => include_str!("rowwise.wgsl"),
            Kernel::Argmax { .. } => include_str!("argmax.wgsl"),
        }
    }

    /// Numbers that shape the code, and which are true or false.
    fn constants(self) -> (Named<u32>, Named<bool>) {
        let pairs = |outputs| ("PAIRS", outputs == Outputs::Pairs);
        match self {
            Kernel::Gather { format } => (vec![("FORMAT", format)], vec![]),
            Kernel::Norm | Kernel::RopeKv => (vec![], vec![]),
            Kernel::Argmax { threads, part } => (
                vec![("THREADS", threads), ("PARTS", BEST_PARTS)],
                vec![("PARTIAL", part == Best::Partial), ("MERGE", part == Best::Merge)],
            ),
            Kernel::Quantise { norm, threads, sums } => (
                vec![("MOST_GROUPS", MOST_ACT_GROUPS as u32), ("THREADS", threads)],
                vec![("NORM", norm == Norm::Before), ("SUMS", sums)],
            ),
            Kernel::Rows(r) => (
                vec![("GROUPS", r.groups), ("WARPS", r.warps)],
                vec![
                    ("NORM", r.norm == Norm::Before),
                    ("HALF_ROWS", r.halves),
                    ("SMALL", r.small),
                    ("SUMS", r.sums),
                    ("FOURS", r.small || r.sums),
                    ("SUBGROUPS", r.subgroups),
                ],
            ),
            Kernel::LinearInt { bits, lanes, rows, outputs } => (
                vec![("BITS", bits), ("LANES", lanes), ("ROWS", rows), ("CHAINS", rows.div_ceil(lanes))],
                vec![pairs(outputs)],
            ),
            Kernel::LinearFloat { format, rows, outputs } => {
                (vec![("FORMAT", format), ("ROWS", rows)], vec![pairs(outputs)])
            }
            Kernel::BlockOne { groups, warps, ahead, norm, outputs, halves, subgroups } => (
                vec![("GROUPS", groups), ("WARPS", warps), ("AHEAD", ahead)],
                vec![
                    ("NORM", norm == Norm::Before),
                    ("HALVES", halves),
                    ("SUBGROUPS", subgroups),
                    pairs(outputs),
                ],
            ),
            Kernel::Block { groups, warps, tokens, outputs, halves } => (
                vec![("GROUPS", groups), ("WARPS", warps), ("TOKENS", tokens)],
                vec![("HALVES", halves), pairs(outputs)],
            ),
            Kernel::Coop { groups, tile, outputs, halves } => (
                vec![
                    ("GROUPS", groups),
                    ("BLOCKS", tile.blocks),
                    ("TOKENS", tile.tokens),
                    ("WM", tile.wm),
                    ("WN", tile.wn),
                    ("TM", 2 * tile.blocks / tile.wm),
                    ("TN", tile.tokens / 16 / tile.wn),
                    ("EARLY", tile.early()),
                ],
                vec![("HALVES", halves), pairs(outputs)],
            ),
            Kernel::Tall(t) => (
                vec![
                    ("BITS", t.bits),
                    ("UNITS", t.units),
                    ("SUM_GROUPS", t.groups_at_a_time),
                    ("TOKENS", t.tokens),
                    ("SPLIT", t.split),
                    ("SUB_UNITS", t.subs.units(t.units)),
                ],
                vec![
                    ("HALVES", t.halves),
                    ("SUBS", t.subs.subs()),
                    ("MINS", t.subs.mins()),
                    ("SHARED", t.split > 1),
                    ("EARLY", t.early()),
                    pairs(t.outputs),
                ],
            ),
            Kernel::Attention(AttentionShape { head_dim, heads, pieces }) => {
                let most = if heads > 1 { [8, 4, 2] } else { [16, 8, 4] };
                (
                    vec![
                        ("HEAD_DIM", head_dim),
                        ("HEADS", heads),
                        ("PIECES", pieces),
                        ("BATCH", most.into_iter().find(|n| head_dim % (8 * n) == 0).unwrap_or(1)),
                        ("AHEAD", if heads > 1 { 8 } else { 16 }),
                    ],
                    vec![],
                )
            }
            Kernel::AttentionOne(OneShape { head_dim, pieces, norms: [q, k], subgroups }) => (
                vec![
                    ("HEAD_DIM", head_dim),
                    ("PIECES", pieces),
                    ("ITEMS", (3 * head_dim / 2).div_ceil(64 * pieces)),
                    ("VECS", head_dim / 8),
                ],
                vec![("Q_NORM", q), ("K_NORM", k), ("NORMS", q || k), ("SUBGROUPS", subgroups)],
            ),
            Kernel::Rowwise { what } => (vec![("WHAT", what)], vec![]),
        }
    }

    /// Counts that only the template needs.
    fn counts(self) -> Vec<(&'static str, u32)> {
        match self {
            Kernel::Rows(RowsShape { groups, warps, .. }) => vec![("CHUNKS", groups.div_ceil(warps))],
            // Vec4 views of the activations are written by component.
            Kernel::BlockOne { groups, warps, .. } => {
                vec![("CHUNKS", groups.div_ceil(warps)), ("VECTORS", 1)]
            }
            Kernel::Block { .. } => vec![("VECTORS", 1)],
            Kernel::Coop { tile, .. } => {
                vec![("LOADS", (tile.blocks * 4).div_ceil(tile.wm * tile.wn)), ("LATE", 16 - tile.early())]
            }
            Kernel::Tall(t) => vec![("FOUR", u32::from(t.bits == 4))],
            Kernel::Attention(a) => vec![
                ("WIDE", u32::from(a.wide())),
                ("MANY", u32::from(a.pieces > 1)),
                ("TURNS", (a.head_dim / 2).div_ceil(64)),
            ],
            _ => vec![],
        }
    }

    /// The whole text of it.
    pub fn source(self) -> String {
        let (numbers, flags) = self.constants();
        let mut text = String::new();
        if matches!(self, Kernel::Coop { .. }) {
            text.push_str("enable f16;\nenable wgpu_cooperative_matrix;\n");
        }
        for (name, value) in &numbers {
            let _ = writeln!(text, "const {name} = {value}u;");
        }
        for (name, value) in &flags {
            let _ = writeln!(text, "const {name} = {value};");
        }
        let finish = match self {
            Kernel::LinearInt { .. }
            | Kernel::LinearFloat { .. }
            | Kernel::BlockOne { .. }
            | Kernel::Block { .. }
            | Kernel::Coop { .. }
            | Kernel::Tall(_) => include_str!("linear/finish.wgsl"),
            _ => "",
        };
        let flags = flags.iter().map(|f| (f.0, u32::from(f.1)));
        let known: HashMap<_, _> = numbers.iter().copied().chain(flags).chain(self.counts()).collect();
        let values = |name: &str| known.get(name).copied();
        text.push_str(COMMON);
        for part in [finish, self.file()] {
            text.push_str(&template::expand(part, &values, &included));
        }
        text
    }

    /// The buffers it is bound to, in order.
    pub fn bindings(self) -> &'static [Access] {
        use Access::{Parameters, Read, Write};
        match self {
            Kernel::Gather { .. } | Kernel::Norm | Kernel::LinearFloat { .. } => {
                &[Parameters, Read, Read, Write]
            }
            Kernel::Attention(_) => &[Parameters, Read, Read, Write],
            Kernel::AttentionOne(_) => &[Parameters, Read, Read, Write, Write],
            Kernel::Quantise { .. } => &[Parameters, Read, Read, Read, Write, Write],
            Kernel::Rows(_) => &[Parameters, Read, Read, Read, Write, Write, Write],
            Kernel::LinearInt { .. } | Kernel::Coop { .. } | Kernel::Tall(_) => {
                &[Parameters, Read, Read, Read, Read, Read, Write]
            }
            Kernel::BlockOne { .. } | Kernel::Block { .. } => {
                &[Parameters, Read, Read, Read, Read, Read, Read, Write]
            }
            Kernel::RopeKv => &[Parameters, Read, Write, Write],
            Kernel::Rowwise { .. } => &[Parameters, Read, Write],
            Kernel::Argmax { part: Best::Merge, .. } => &[Parameters, Write, Read, Write, Read],
            Kernel::Argmax { .. } => &[Parameters, Write, Read, Write],
        }
    }
}

/// Texts that several kernels share.
fn included(name: &str) -> &'static str {
    match name {
        "block_params" => include_str!("linear/block_params.wgsl"),
        "block_scale" => include_str!("linear/block_scale.wgsl"),
        "block_load" => include_str!("linear/block_load.wgsl"),
        "prepare_load" => include_str!("linear/prepare_load.wgsl"),
        "tall_take" => include_str!("linear/tall_take.wgsl"),
        "prepare" => include_str!("linear/prepare.wgsl"),
        "prepare_memory" => include_str!("linear/prepare_memory.wgsl"),
        "tall_load" => include_str!("linear/tall_load.wgsl"),
        "tall_sums" => include_str!("linear/tall_sums.wgsl"),
        "norm_sum" => include_str!("norm_sum.wgsl"),
        "half_bits" => include_str!("half_bits.wgsl"),
        _ => "",
    }
}
