//! What shapes the code of the larger kernels, and what memory they take.

use super::{Norm, Outputs};
use crate::pack::Subs;

/// What a workgroup of [`super::Kernel::Coop`] takes: `blocks` of 32 outputs and `tokens` rows, by `wm` times `wn` subgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CoopTile {
    pub blocks: u32,
    pub tokens: u32,
    pub wm: u32,
    pub wn: u32,
}

impl CoopTile {
    /// By the number of rows that each is for, ascending.
    pub const ALL: [(u32, CoopTile); 3] = [
        (64, CoopTile { blocks: 1, tokens: 64, wm: 1, wn: 4 }),
        (128, CoopTile { blocks: 1, tokens: 128, wm: 1, wn: 4 }),
        (u32::MAX, CoopTile { blocks: 2, tokens: 256, wm: 1, wn: 8 }),
    ];
    /// Steps of 16 inputs, of the 16 of a group, whose tiles of rows are asked for before the codes are unpacked: as many as there are
    /// registers for.
    pub fn early(self) -> u32 {
        8 / (self.tokens / 16 / self.wn).max(1)
    }

    /// Rows that buffers of rows are a multiple of.
    pub const MOST_TOKENS: u32 = 256;

    /// Bytes of workgroup memory.
    pub fn bytes(self) -> u32 {
        self.blocks * (32 * 66 * 8 + 128) + self.wm * self.wn * 1280 + self.tokens * 8
    }
}

/// The code of a matrix of 4 or 8 bits a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TallShape {
    pub bits: u32,
    /// Of a group.
    pub units: u32,
    pub groups_at_a_time: u32,
    pub tokens: u32,
    /// Runs of 32 threads that share 32 outputs; 1 for a thread to each output.
    pub split: u32,
    pub subs: Subs,
    pub outputs: Outputs,
    pub halves: bool,
}

impl TallShape {
    /// Groups at a time, for groups of so many units: a few loads are on their way together.
    pub fn groups_at_a_time(units: u32, groups: u32, split: bool) -> u32 {
        let most = if units > 2 { 1 } else { 4 };
        [4, 2, 1].into_iter().find(|n| *n <= most && (split || groups.is_multiple_of(*n))).unwrap_or(1)
    }

    /// Outputs of a workgroup.
    pub fn outs(self) -> usize {
        if self.split == 1 { 64 } else { 32 }
    }

    /// Whether there are registers for the next codes beside those that are multiplied.
    pub fn early(self) -> bool {
        self.tokens == 1 && self.units * self.groups_at_a_time <= 8
    }

    /// Bytes of workgroup memory.
    pub fn bytes(self) -> u32 {
        let each = if self.subs.mins() { 16 } else { 8 };
        if self.split == 1 { 0 } else { self.tokens * self.split * self.groups_at_a_time * 32 * each }
    }
}

/// The code that quantises rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RowsShape {
    /// Of 256 inputs.
    pub groups: u32,
    /// Runs of 32 threads for a row.
    pub warps: u32,
    pub norm: Norm,
    /// For matrix units too.
    pub halves: bool,
    /// A scale for 32 inputs instead of 256.
    pub small: bool,
    /// Of every 32 integers too.
    pub sums: bool,
    pub subgroups: bool,
}

impl RowsShape {
    /// Bytes of workgroup memory.
    pub fn bytes(self) -> u32 {
        let scales = if self.small { 64 } else { 8 };
        let sums = if self.sums { 32 } else { 0 };
        let parts = if self.subgroups { 0 } else { 128 };
        self.groups * (256 + scales + sums + parts + 4)
    }
}

/// The code of an attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AttentionShape {
    pub head_dim: u32,
    /// Query heads of a workgroup.
    pub heads: u32,
    /// Pieces of keys side by side.
    pub pieces: u32,
}

impl AttentionShape {
    /// Whether the state is read four words at a time.
    pub fn wide(self) -> bool {
        self.head_dim.is_multiple_of(8)
    }
}

/// The code of a row's attention that prepares its query, key and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OneShape {
    /// A multiple of 8, at most [`OneShape::MOST_HEAD_DIM`].
    pub head_dim: u32,
    /// Pieces of keys side by side.
    pub pieces: u32,
    /// Norm of queries, norm of keys.
    pub norms: [bool; 2],
    pub subgroups: bool,
}

impl OneShape {
    /// A thread has registers for a key, and for one word of 64 values.
    pub const MOST_HEAD_DIM: usize = 128;
}
