//! What dispatches of an entry point are made of: where its buffers lie, kernels by the number of rows, their parameters and
//! buffers.

use std::sync::Arc;

use sterna_plan::{BackendError, BufferRows, ModelPlan, Op, Plan};
use wgpu::{BindGroup, Buffer};

use crate::kernels::{CoopTile, Kernel, Pipeline};
use crate::load::linear_wants;
use crate::pack::{Kind, Layout, Subs};

/// Parameters of one dispatch.
pub(crate) type Params = [u32; 20];

/// Most rows of a call whose results are wanted: each has all logits on the device.
pub(crate) const MOST_OUTPUTS: usize = 128;

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

    /// Rows beside the plan's buffers: where they begin, and their columns.
    pub fn aside(&self) -> [u32; 2] {
        [word(self.normed), word(self.normed_cols as u64)]
    }
}

/// The arena fits 32-bit indices, since it fits a buffer.
pub(crate) fn word(at: u64) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Room for quantised rows of the widest call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActSizes {
    /// Words of them.
    pub words: u64,
    /// Pairs of words: scales and sums of groups, then the sums of every 32, which begin at `sums_at`.
    pub pairs: u64,
    pub sums_at: u32,
    /// Words of the same rows as halves, for matrix units.
    pub halves: u64,
}

/// What the linear layers of a plan need for calls of `width` rows.
///
/// # Errors
/// [`BackendError::Unsupported`].
pub(crate) fn act_sizes(plan: &ModelPlan, width: usize) -> Result<ActSizes, BackendError> {
    let (mut words, mut scales, mut sums, mut halves) = (0, 0, 0, 0);
    for l in plan
        .entries
        .iter()
        .flat_map(|e| &e.ops)
        .filter_map(|op| if let Op::Linear(l) = op { Some(l) } else { None })
    {
        for (want, _) in linear_wants(plan, l)? {
            let Kind::Int { act_group, layout, subs, .. } = want.kind else { continue };
            let len = l.input.len;
            if layout == Layout::Block {
                halves = halves.max(len / 2 * width.next_multiple_of(CoopTile::MOST_TOKENS as usize));
            }
            if subs == Subs::Both {
                sums = sums.max(len / 64 * width);
            }
            words = words.max(len.div_ceil(4) * width);
            scales = scales.max(len / act_group * width);
        }
    }
    Ok(ActSizes {
        words: words as u64,
        pairs: (scales + sums) as u64,
        sums_at: word(scales as u64),
        halves: halves as u64,
    })
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
    /// Best tokens of parts of the vocabulary.
    pub partials: Buffer,
    /// Where the sums of every 32 integers begin in `act_scales`.
    pub sums_at: u32,
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

impl Draft {
    /// The same with so many workgroups for a row.
    pub fn across(mut self, x: usize) -> Self {
        self.forms.iter_mut().for_each(|f| f.x = x);
        self
    }

    /// A further kernel for `from` rows and more, `tile` at a time, on the same buffers.
    pub fn and_mat(mut self, from: u32, tile: u32, kernel: Kernel) -> Self {
        if let Some(first) = self.forms.first() {
            self.forms.push(DraftForm { from, tile, kernel, ..first.clone() });
        }
        self
    }
}

/// Place in the call's buffer of the number of rows.
pub(crate) fn count_at(rows: BufferRows) -> u32 {
    match rows {
        BufferRows::Call => 0,
        BufferRows::Outputs => 1,
    }
}

pub(crate) fn params(values: &[u32]) -> Params {
    let mut all = [0; 20];
    for (to, value) in all.iter_mut().zip(values) {
        *to = *value;
    }
    all
}
