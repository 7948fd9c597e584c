//! The WGSL kernels and the pipelines made of them.
//!
//! A kernel is a file beside this one, written out by [`template`]. What shapes its code stands before it as constants, by
//! [`Kernel::source`]; what only shapes its work comes in words of parameters. Kernels of one op for one row, a few and many
//! follow the same written order, so a row's bits do not depend on which of them ran.

#[cfg(test)]
mod msl;
mod template;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sterna_plan::{BackendError, KernelUse};
use wgpu::{BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline};

use crate::cache::Cache;
use crate::gpu::Gpu;
use crate::pack::Subs;

/// Rows that a generic `mat` kernel takes for one reading of the weights.
pub(crate) const TILE: u32 = 16;

/// Threads of a workgroup, of kernels that do not say otherwise.
pub(crate) const THREADS: u32 = 64;

/// Most activation groups of a row.
pub(crate) const MOST_ACT_GROUPS: usize = 1024;

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
    },
    /// Quantised rows for blocked matrices, `warps` runs of 32 threads a row; `halves` for matrix units too.
    Rows {
        groups: u32,
        warps: u32,
        norm: Norm,
        halves: bool,
        subgroups: bool,
    },
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
    /// A blocked matrix, `tokens` rows at a time, or one that it prepares itself.
    Block {
        groups: u32,
        warps: u32,
        prepare: Prepare,
        outputs: Outputs,
        halves: bool,
        subgroups: bool,
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
    Rowwise {
        what: u32,
    },
    Argmax {
        threads: u32,
    },
}

/// Whether a row is normed before it is quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Norm {
    Without,
    Before,
}

/// Who quantises the rows of a blocked matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Prepare {
    /// Another dispatch did; so many rows at a time.
    Done { tokens: u32 },
    /// Every workgroup, for one row.
    Here(Norm),
}

/// What becomes of neighbouring outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outputs {
    Single,
    Pairs,
}

/// What a workgroup of [`Kernel::Coop`] takes: `blocks` of 32 outputs and `tokens` rows, by `wm` times `wn` subgroups.
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

    /// Bytes of workgroup memory.
    pub fn bytes(self) -> u32 {
        let each = if self.subs.mins() { 16 } else { 8 };
        if self.split == 1 { 0 } else { self.tokens * self.split * self.groups_at_a_time * 32 * each }
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
    /// Norm of queries, norm of keys, where query, key and value are prepared here.
    pub fold: Option<[bool; 2]>,
}

impl AttentionShape {
    /// Whether the state is read four words at a time.
    pub fn wide(self) -> bool {
        self.head_dim.is_multiple_of(8)
    }
}

/// Whether a thread has registers for the values of a whole piece.
fn early(heads: u32, head_dim: u32) -> bool {
    heads == 1 && head_dim <= 128
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
    /// Every kernel that some plan can need, with typical constants: for snapshots and tests.
    #[cfg(test)]
    pub fn all() -> Vec<Kernel> {
        let mut all = vec![Kernel::Norm, Kernel::RopeKv, Kernel::Argmax { threads: 256 }];
        all.extend((0..3).map(|format| Kernel::Gather { format }));
        all.extend([Norm::Without, Norm::Before].map(|norm| Kernel::Quantise { norm, threads: 256 }));
        for (rows, outputs) in
            [(1, Outputs::Single), (TILE, Outputs::Single), (1, Outputs::Pairs), (TILE, Outputs::Pairs)]
        {
            all.extend([2, 4, 8].map(|bits| Kernel::LinearInt { bits, lanes: 8, rows, outputs }));
            all.extend((0..3).map(|format| Kernel::LinearFloat { format, rows, outputs }));
        }
        for outputs in [Outputs::Single, Outputs::Pairs] {
            for prepare in [
                Prepare::Done { tokens: 2 },
                Prepare::Done { tokens: 4 },
                Prepare::Here(Norm::Without),
                Prepare::Here(Norm::Before),
            ] {
                for subgroups in [false, true] {
                    let (groups, warps, halves) = (10, 4, !subgroups);
                    all.push(Kernel::Block { groups, warps, prepare, outputs, halves, subgroups });
                }
            }
            all.extend(CoopTile::ALL.map(|(_, tile)| Kernel::Coop {
                groups: 4,
                tile,
                outputs,
                halves: true,
            }));
        }
        for (norm, halves, subgroups) in [(Norm::Without, false, true), (Norm::Before, true, false)] {
            all.push(Kernel::Rows { groups: 10, warps: 4, norm, halves, subgroups });
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
        for (head_dim, heads, pieces, fold) in [
            (64, 1, 4, None),
            (96, 4, 1, None),
            (128, 1, 4, Some([true, false])),
            (6, 1, 1, Some([false; 2])),
        ] {
            all.push(Kernel::Attention(AttentionShape { head_dim, heads, pieces, fold }));
        }
        all.extend((0..7).map(|what| Kernel::Rowwise { what }));
        all
    }

    fn file(self) -> &'static str {
        match self {
            Kernel::Gather { .. } => include_str!("gather.wgsl"),
            Kernel::Norm => include_str!("norm.wgsl"),
            Kernel::Quantise { .. } => include_str!("quantise.wgsl"),
            Kernel::Rows { .. } => include_str!("linear/rows.wgsl"),
            Kernel::LinearInt { .. } => include_str!("linear/int.wgsl"),
            Kernel::LinearFloat { .. } => include_str!("linear/float.wgsl"),
            Kernel::Block { .. } => include_str!("linear/block.wgsl"),
            Kernel::Coop { .. } => include_str!("linear/coop.wgsl"),
            Kernel::Tall(_) => include_str!("linear/tall.wgsl"),
            Kernel::RopeKv => include_str!("rope_kv.wgsl"),
            Kernel::Attention(_) => include_str!("attention.wgsl"),
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
            Kernel::Argmax { threads } => (vec![("THREADS", threads)], vec![]),
            Kernel::Quantise { norm, threads } => (
                vec![("MOST_GROUPS", MOST_ACT_GROUPS as u32), ("THREADS", threads)],
                vec![("NORM", norm == Norm::Before)],
            ),
            Kernel::Rows { groups, warps, norm, halves, subgroups } => (
                vec![("GROUPS", groups), ("WARPS", warps)],
                vec![("NORM", norm == Norm::Before), ("HALF_ROWS", halves), ("SUBGROUPS", subgroups)],
            ),
            Kernel::LinearInt { bits, lanes, rows, outputs } => (
                vec![("BITS", bits), ("LANES", lanes), ("ROWS", rows), ("CHAINS", rows.div_ceil(lanes))],
                vec![pairs(outputs)],
            ),
            Kernel::LinearFloat { format, rows, outputs } => {
                (vec![("FORMAT", format), ("ROWS", rows)], vec![pairs(outputs)])
            }
            Kernel::Block { groups, warps, prepare, outputs, halves, subgroups } => {
                let (tokens, here, norm) = match prepare {
                    Prepare::Done { tokens } => (tokens, false, false),
                    Prepare::Here(norm) => (1, true, norm == Norm::Before),
                };
                (
                    vec![("GROUPS", groups), ("WARPS", warps), ("TOKENS", tokens)],
                    vec![
                        ("PROLOGUE", here),
                        ("NORM", norm),
                        ("HALVES", halves),
                        ("SUBGROUPS", subgroups),
                        pairs(outputs),
                    ],
                )
            }
            Kernel::Coop { groups, tile: CoopTile { blocks, tokens, wm, wn }, outputs, halves } => (
                vec![
                    ("GROUPS", groups),
                    ("BLOCKS", blocks),
                    ("TOKENS", tokens),
                    ("WM", wm),
                    ("WN", wn),
                    ("TM", 2 * blocks / wm),
                    ("TN", tokens / 16 / wn),
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
                    pairs(t.outputs),
                ],
            ),
            Kernel::Attention(AttentionShape { head_dim, heads, pieces, fold }) => {
                let [q_norm, k_norm] = fold.unwrap_or_default();
                let most = if heads > 1 { [8, 4, 2] } else { [16, 8, 4] };
                (
                    vec![
                        ("HEAD_DIM", head_dim),
                        ("HEADS", heads),
                        ("PIECES", pieces),
                        ("BATCH", most.into_iter().find(|n| head_dim % (8 * n) == 0).unwrap_or(1)),
                        ("AHEAD", if heads > 1 { 8 } else { 16 }),
                    ],
                    vec![("FOLD", fold.is_some()), ("Q_NORM", q_norm), ("K_NORM", k_norm)],
                )
            }
            Kernel::Rowwise { what } => (vec![("WHAT", what)], vec![]),
        }
    }

    /// Counts that only the template needs.
    fn counts(self) -> Vec<(&'static str, u32)> {
        match self {
            Kernel::Rows { groups, warps, .. } | Kernel::Block { groups, warps, .. } => {
                // Vec4 views of the activations are written by component.
                let vectors = u32::from(matches!(self, Kernel::Block { .. }));
                vec![("CHUNKS", (groups * 32).div_ceil(32 * warps)), ("VECTORS", vectors)]
            }
            Kernel::Coop { tile, .. } => vec![("LOADS", (tile.blocks * 4).div_ceil(tile.wm * tile.wn))],
            Kernel::Tall(t) => vec![("FOUR", u32::from(t.bits == 4))],
            Kernel::Attention(a) => vec![
                ("WIDE", u32::from(a.wide())),
                ("MANY", u32::from(a.pieces > 1)),
                ("EARLY", u32::from(early(a.heads, a.head_dim))),
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
            Kernel::Attention(_) => &[Parameters, Read, Read, Write, Write],
            Kernel::Quantise { .. } => &[Parameters, Read, Read, Read, Write, Write],
            Kernel::Rows { .. } => &[Parameters, Read, Read, Read, Write, Write, Write],
            Kernel::LinearInt { .. } | Kernel::Coop { .. } | Kernel::Tall(_) => {
                &[Parameters, Read, Read, Read, Read, Read, Write]
            }
            Kernel::Block { .. } => &[Parameters, Read, Read, Read, Read, Read, Read, Write],
            Kernel::RopeKv => &[Parameters, Read, Write, Write],
            Kernel::Rowwise { .. } => &[Parameters, Read, Write],
            Kernel::Argmax { .. } => &[Parameters, Write, Read, Write],
        }
    }
}

/// Texts that several kernels share.
fn included(name: &str) -> &'static str {
    match name {
        "prepare" => include_str!("linear/prepare.wgsl"),
        "prepare_memory" => include_str!("linear/prepare_memory.wgsl"),
        "tall_load" => include_str!("linear/tall_load.wgsl"),
        "tall_sums" => include_str!("linear/tall_sums.wgsl"),
        "norm_sum" => include_str!("norm_sum.wgsl"),
        "half_bits" => include_str!("half_bits.wgsl"),
        _ => "",
    }
}

/// A compiled kernel.
#[derive(Clone)]
pub(crate) struct Pipeline {
    pub pipeline: ComputePipeline,
    pub layout: BindGroupLayout,
}

/// The kernels that were compiled so far.
pub(crate) struct Pipelines {
    made: Mutex<Made>,
    cache: Option<Cache>,
}

#[derive(Default)]
struct Made {
    all: HashMap<Kernel, Arc<Pipeline>>,
    took: Duration,
    /// Whether one came after the last time that all were written.
    unsaved: bool,
}

impl Pipelines {
    /// None yet; `cache` is where compiled ones come from.
    pub fn new(cache: Option<Cache>) -> Self {
        Self { made: Mutex::default(), cache }
    }

    /// Compiles a kernel, or gives the one that is there.
    pub fn get(&self, gpu: &Gpu, kernel: Kernel) -> Result<Arc<Pipeline>, BackendError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = made.all.get(&kernel) {
            return Ok(Arc::clone(pipeline));
        }
        let start = Instant::now();
        let pipeline = Arc::new(compile(gpu, kernel, self.cache.as_ref().map(|c| &c.driver))?);
        made.took += start.elapsed();
        made.unsaved = true;
        made.all.insert(kernel, Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// Keeps what was compiled for the next start.
    pub fn save(&self) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = self.cache.as_ref().filter(|_| made.unsaved) {
            cache.save();
            made.unsaved = false;
        }
    }

    /// What was compiled, and how long it took.
    pub fn used(&self) -> KernelUse {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        KernelUse { kernels: made.all.len(), took: made.took, found: self.cache.as_ref().map(|c| c.found) }
    }
}

fn compile(gpu: &Gpu, kernel: Kernel, cache: Option<&wgpu::PipelineCache>) -> Result<Pipeline, BackendError> {
    let label = format!("{kernel:?}");
    let entries = (0..).zip(kernel.bindings()).map(|(binding, access)| {
        let ty = match access {
            Access::Parameters => BufferBindingType::Uniform,
            Access::Read => BufferBindingType::Storage { read_only: true },
            Access::Write => BufferBindingType::Storage { read_only: false },
        };
        BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        }
    });
    let entries = entries.collect::<Vec<_>>();
    let scopes =
        [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal].map(|f| gpu.device.push_error_scope(f));
    let layout = gpu
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let shapes = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let module = module(gpu, &label, kernel);
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&label),
        layout: Some(&shapes),
        module: &module,
        entry_point: Some("main"),
        // Kernels write workgroup memory before they read it.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..wgpu::PipelineCompilationOptions::default()
        },
        cache,
    });
    let mut failed = None;
    for scope in scopes.into_iter().rev() {
        failed = failed.or(pollster::block_on(scope.pop()));
    }
    match failed {
        None => gpu.check().map(|()| Pipeline { pipeline, layout }),
        Some(e) => Err(BackendError::Device(format!("kernel {label}: {e}"))),
    }
}

/// Without checks of indices and loops in the kernels' own code: they cost a third of the time of the small ones.
#[allow(unsafe_code)]
fn module(gpu: &Gpu, label: &str, kernel: Kernel) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(kernel.source().into());
    let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
    // SAFETY: these are this crate's own kernels. Indices into workgroup memory are bounded by the constants that its size
    // is made of, those into buffers by parameters that the plan's checked shapes and the row table's checks bound, and every
    // loop counts towards a bound.
    unsafe { gpu.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
