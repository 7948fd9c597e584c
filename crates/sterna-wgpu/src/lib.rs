//! GPU backend on wgpu: one set of WGSL kernels for Vulkan, Metal and DirectX 12.
//!
//! **Bits.** Row *i* of a call has the bits of the call with that row alone, on one device and driver (contract C1): integer
//! dots are exact, and every float sum is made by one expression in one written order, that of `sterna-ref`, whatever the
//! number of rows. Between devices, and against the CPU, token ids and bounds are promised and not bits: drivers may
//! fuse a multiplication and an addition or not, and round divisions and roots in their own way.
//!
//! **What runs.** Decoders of the Llama family: weights in 2 to 8 bits, k-quants among them, against int8
//! activations, and float weights. Everything else (static activation scales, sliding windows, recurrent layers, trees of
//! rows) is refused by name when a model is loaded, never run wrongly.
//!
//! **A call** is one compute pass. Tokens, positions and slots lie in a buffer; what comes back are the best two tokens of
//! every wanted row, and the rows of logits that were asked for.

#![deny(unsafe_code)]

mod adapter;
mod ahead;
mod attend;
mod blocked;
mod cache;
mod check;
mod exec;
mod gpu;
mod kernels;
mod linear;
mod load;
mod pack;
mod parts;
mod profile;
mod program;
mod proof;
mod state;
mod steps;
mod tall;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use sterna_plan::{Backend, BackendError, DeviceLimits, Executor, ModelPlan, WeightSource, WeightSpec};

pub use adapter::{AdapterFacts, Choice, DeviceError, Kind, adapters};

use crate::cache::Cache;
use crate::exec::{GpuExecutor, Shared};
use crate::gpu::Gpu;
use crate::kernels::Pipelines;

/// How to use a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgpuOptions {
    /// Which.
    pub choice: Choice,
    /// Largest buffer of weights in bytes; the device's own limit holds too. Results do not depend on it.
    pub buffer_bytes: u64,
    /// A folder where compiled kernels are kept for the next start; none are without it. Results do not depend on it.
    pub cache: Option<PathBuf>,
}

impl Default for WgpuOptions {
    /// The best GPU, in buffers of 1 GiB: of much larger ones it was reported that a driver computed wrongly and said
    /// nothing (gfx-rs/wgpu#10305).
    fn default() -> Self {
        Self { choice: Choice::Best, buffer_bytes: 1 << 30, cache: None }
    }
}

/// A GPU.
pub struct WgpuBackend {
    shared: Shared,
}

impl fmt::Debug for WgpuBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WgpuBackend").field("adapter", self.facts()).finish_non_exhaustive()
    }
}

impl WgpuBackend {
    /// Opens a GPU.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn new(options: &WgpuOptions) -> Result<Self, DeviceError> {
        let gpu = Gpu::open(&options.choice)?;
        let most_bytes = options.buffer_bytes.min(gpu.most_bytes());
        let share = |gpu: Gpu| {
            let cache = options.cache.as_deref().and_then(|folder| Cache::open(&gpu, folder));
            Shared { gpu: Arc::new(gpu), pipelines: Arc::new(Pipelines::new(cache)), most_bytes }
        };
        let mut shared = share(gpu);
        if shared.gpu.facts.matrix && !proof::matrix_units_are_exact(&shared).unwrap_or(false) {
            // Opened again, since whatever failed stays with a device.
            let mut gpu = Gpu::open(&options.choice)?;
            gpu.facts.matrix = false;
            shared = share(gpu);
        }
        Ok(Self { shared })
    }

    /// What was opened.
    pub fn facts(&self) -> &AdapterFacts {
        &self.shared.gpu.facts
    }
}

impl Backend for WgpuBackend {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn limits(&self) -> DeviceLimits {
        let AdapterFacts { name, api, driver, .. } = self.facts();
        // The activations of 512 rows of a large model take some hundreds of megabytes in one buffer.
        let max_width = if self.shared.gpu.most_bytes() >= 1 << 30 { 512 } else { 128 };
        DeviceLimits { description: format!("{name}, {api}, {driver}"), row_multiple: 1, max_width }
    }

    fn supports(&self, weight: &WeightSpec) -> Result<(), BackendError> {
        pack::Kind::of(weight).map(|_| ())
    }

    fn weight_memory(&self, plan: &ModelPlan) -> Result<Option<usize>, BackendError> {
        load::bytes(&plan.apart()).map(Some)
    }

    fn load(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        Ok(Box::new(GpuExecutor::load(self.shared.clone(), plan, weights, progress)?))
    }
}
