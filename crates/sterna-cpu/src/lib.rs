//! CPU backend: packed layouts, `vec` and `mat` kernels, a thread pool.
//!
//! Instruction sets are chosen at run time, so a build without `-C target-cpu` is fast. Every kernel follows the law
//! of `sterna-ref` bit for bit (contract C1 to C5), whatever the width, the blocks, the threads or the instruction set.

mod acts;
mod argmax;
mod attention;
mod borrow;
mod deal;
mod delta;
mod exec;
mod governor;
mod hold;
mod isa;
mod linear;
mod load;
mod ops;
mod pack;
mod pages;
mod pool;
mod profile;
mod recurrent;
mod rowwise;
mod shared;
#[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
mod simd;
mod state;

use std::sync::{Arc, Mutex};

use sterna_plan::{
    Backend, BackendError, DeviceLimits, Executor, ModelPlan, WeightSource, WeightSpec, WeightUse,
};

pub use isa::Isa;

/// How to use the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuOptions {
    /// Threads of a call, at most; 0 for one per core that this process may use.
    pub threads: usize,
    /// Best instruction set to use; what the machine lacks is never used.
    pub isa: Isa,
    /// Whether calls may run on fewer threads while others would wait for cores that other programs use. Results do
    /// not depend on it.
    pub governor: bool,
}

impl Default for CpuOptions {
    fn default() -> Self {
        Self { threads: 0, isa: Isa::detect(), governor: true }
    }
}

/// The CPU.
#[derive(Clone, Copy, Debug)]
pub struct CpuBackend {
    threads: usize,
    isa: Isa,
    governor: bool,
}

impl CpuBackend {
    /// A CPU backend.
    pub fn new(options: CpuOptions) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads = if options.threads == 0 { cores } else { options.threads.min(256) };
        Self { threads, isa: options.isa.available(), governor: options.governor }
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn limits(&self) -> DeviceLimits {
        let plural = if self.threads == 1 { "" } else { "s" };
        DeviceLimits {
            description: format!("{}, {} thread{plural}", self.isa.name(), self.threads),
            row_multiple: pack::PANEL,
            max_width: 1024,
        }
    }

    fn supports(&self, weight: &WeightSpec) -> Result<(), BackendError> {
        match weight.usage {
            WeightUse::Linear(_) => pack::Geometry::new(weight, self.isa).map(|_| ()),
            _ => Ok(()),
        }
    }

    fn weight_memory(&self, plan: &ModelPlan) -> Result<Option<usize>, BackendError> {
        load::bytes(plan, self.isa).map(Some)
    }

    fn load(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        for w in &plan.weights {
            self.supports(w)?;
        }
        let loaded = load::load(&plan, weights, self.isa, self.threads, &|_| None, progress)?;
        let pool = pool::Pool::new(self.threads).map_err(|e| BackendError::Worker(e.to_string()))?;
        let pool = Arc::new(Mutex::new(pool));
        Ok(Box::new(exec::CpuExecutor::new(plan, loaded, pool, self.isa, self.governor, None)?))
    }
}
