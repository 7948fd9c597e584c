//! The WGSL kernels and the pipelines made of them.
//!
//! A kernel is a file beside this one. What shapes its code stands before it as constants, written by [`Kernel::source`]; what only
//! shapes its work comes in 16 words of parameters. `vec` and `mat` of a linear layer are one file: ROWS is 1 or
//! [`TILE`], and a row's sums are made by the same expressions in the same order either way.

#[cfg(test)]
mod msl;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use sterna_plan::BackendError;
use wgpu::{BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline};

use crate::gpu::Gpu;

/// Rows that a `mat` kernel takes for one reading of the weights.
pub(crate) const TILE: u32 = 16;

/// Threads of a workgroup, of every kernel.
pub(crate) const THREADS: u32 = 64;

/// Most activation groups of a row.
pub(crate) const MOST_ACT_GROUPS: usize = 1024;

/// Widest head.
pub(crate) const MOST_HEAD_DIM: usize = 512;

const COMMON: &str = include_str!("common.wgsl");

/// A kernel with what shapes its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    Gather { format: u32 },
    Norm,
    Quantise { norm: Norm },
    LinearInt { bits: u32, lanes: u32, rows: u32, outputs: Outputs },
    LinearFloat { format: u32, rows: u32, outputs: Outputs },
    RopeKv,
    Attention { head_dim: u32 },
    Rowwise { what: u32 },
    Argmax,
}

/// Whether a row is normed before it is quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Norm {
    Without,
    Before,
}

/// What becomes of neighbouring outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outputs {
    Single,
    Pairs,
}

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
        let mut all = vec![Kernel::Norm, Kernel::RopeKv, Kernel::Argmax];
        all.extend((0..3).map(|format| Kernel::Gather { format }));
        all.extend([Norm::Without, Norm::Before].map(|norm| Kernel::Quantise { norm }));
        for (rows, outputs) in
            [(1, Outputs::Single), (TILE, Outputs::Single), (1, Outputs::Pairs), (TILE, Outputs::Pairs)]
        {
            all.extend([2, 4, 8].map(|bits| Kernel::LinearInt { bits, lanes: 8, rows, outputs }));
            all.extend((0..3).map(|format| Kernel::LinearFloat { format, rows, outputs }));
        }
        all.extend([64, 96, 128].map(|head_dim| Kernel::Attention { head_dim }));
        all.extend((0..7).map(|what| Kernel::Rowwise { what }));
        all
    }

    fn file(self) -> &'static str {
        match self {
            Kernel::Gather { .. } => include_str!("gather.wgsl"),
            Kernel::Norm => include_str!("norm.wgsl"),
            Kernel::Quantise { .. } => include_str!("quantise.wgsl"),
            Kernel::LinearInt { .. } => include_str!("linear/int.wgsl"),
            Kernel::LinearFloat { .. } => include_str!("linear/float.wgsl"),
            Kernel::RopeKv => include_str!("rope_kv.wgsl"),
            Kernel::Attention { .. } => include_str!("attention.wgsl"),
            Kernel::Rowwise { .. } => include_str!("rowwise.wgsl"),
            Kernel::Argmax => include_str!("argmax.wgsl"),
        }
    }

    /// The whole text of it.
    pub fn source(self) -> String {
        let mut text = String::new();
        let mut number = |name: &str, value: u32| {
            let _ = writeln!(text, "const {name} = {value}u;");
        };
        let mut flag = None;
        match self {
            Kernel::Gather { format } => number("FORMAT", format),
            Kernel::Norm | Kernel::RopeKv | Kernel::Argmax => {}
            Kernel::Quantise { norm } => {
                number("MOST_GROUPS", MOST_ACT_GROUPS as u32);
                flag = Some(("NORM", norm == Norm::Before));
            }
            Kernel::LinearInt { bits, lanes, rows, outputs } => {
                number("BITS", bits);
                number("LANES", lanes);
                number("ROWS", rows);
                number("CHAINS", rows.div_ceil(lanes));
                flag = Some(("PAIRS", outputs == Outputs::Pairs));
            }
            Kernel::LinearFloat { format, rows, outputs } => {
                number("FORMAT", format);
                number("ROWS", rows);
                flag = Some(("PAIRS", outputs == Outputs::Pairs));
            }
            Kernel::Attention { head_dim } => {
                number("HEAD_DIM", head_dim);
                number("DIMS", head_dim.div_ceil(THREADS));
            }
            Kernel::Rowwise { what } => number("WHAT", what),
        }
        if let Some((name, value)) = flag {
            let _ = writeln!(text, "const {name} = {value};");
        }
        let finish = match self {
            Kernel::LinearInt { .. } | Kernel::LinearFloat { .. } => include_str!("linear/finish.wgsl"),
            _ => "",
        };
        text + COMMON + finish + self.file()
    }

    /// The buffers it is bound to, in order.
    pub fn bindings(self) -> &'static [Access] {
        use Access::{Parameters, Read, Write};
        match self {
            Kernel::Gather { .. } | Kernel::Norm | Kernel::LinearFloat { .. } | Kernel::Attention { .. } => {
                &[Parameters, Read, Read, Write]
            }
            Kernel::Quantise { .. } => &[Parameters, Read, Read, Read, Write, Write],
            Kernel::LinearInt { .. } => &[Parameters, Read, Read, Read, Read, Read, Write],
            Kernel::RopeKv => &[Parameters, Read, Write, Write],
            Kernel::Rowwise { .. } => &[Parameters, Read, Write],
            Kernel::Argmax => &[Parameters, Read, Read, Write],
        }
    }
}

/// A compiled kernel.
#[derive(Clone)]
pub(crate) struct Pipeline {
    pub pipeline: ComputePipeline,
    pub layout: BindGroupLayout,
}

/// The kernels that were compiled so far.
#[derive(Default)]
pub(crate) struct Pipelines {
    made: Mutex<HashMap<Kernel, Arc<Pipeline>>>,
}

impl Pipelines {
    /// Compiles a kernel, or gives the one that is there.
    pub fn get(&self, gpu: &Gpu, kernel: Kernel) -> Result<Arc<Pipeline>, BackendError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = made.get(&kernel) {
            return Ok(Arc::clone(pipeline));
        }
        let pipeline = Arc::new(compile(gpu, kernel)?);
        made.insert(kernel, Arc::clone(&pipeline));
        Ok(pipeline)
    }
}

fn compile(gpu: &Gpu, kernel: Kernel) -> Result<Pipeline, BackendError> {
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
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(&label),
        source: wgpu::ShaderSource::Wgsl(kernel.source().into()),
    });
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
        cache: None,
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
