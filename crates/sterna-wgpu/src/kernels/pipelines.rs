//! Kernels as a driver compiled them, each once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sterna_plan::{BackendError, KernelUse};
use wgpu::{BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline};

use super::{Access, Kernel};
use crate::cache::Cache;
use crate::gpu::Gpu;

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
