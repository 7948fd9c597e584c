//! Plain Rust reference backend: the law every kernel is tested against.
//!
//! One interpreter runs the ops of a plan ([`Backend`], [`Executor`]) over two arithmetics:
//!
//! * [`RefBackend::float`]: everything in f64, weights decoded exactly, activations never quantised. What published
//!   references are compared with. [`RefBackend::float_with_activations`] also rounds the inputs of int8 linears (and
//!   outputs that have a scale) to the int8 grid, for models that were trained that way.
//! * [`RefBackend::law`]: f32 and exact integers in the written orders of `sterna_plan::numerics`. What fast kernels
//!   are compared with, by memcmp. Each file of `law/` states its order.
//!
//! **State order.** [`Executor::state_bytes`] gives, for every state in the
//! plan's order and every committed position ascending, the key `[kv_head][dim]` and then the value
//! `[kv_head][dim]` of that position, little endian: f16 in law mode, f64 in the float modes. Of a ring come the
//! last positions, as many as the next row sees. A state that owns time comes whole, f32 or f64. A call works on a copy of it, which becomes the state when the call is committed.
//!
//! **Poison.** Activation buffers start every call as NaN, and so does a fresh or truncated state. An op that reads
//! what no op wrote is found as non-finite logits instead of passing by luck.
//!
//! **Profile.** Every op is timed on the calling thread; times add up over the calls of one entry point and start
//! again when another entry point runs.

#![forbid(unsafe_code)]

mod blame;
mod exec;
mod float;
mod law;
mod load;
mod numbers;
mod ops;
mod pool;
mod split;
pub mod testing;

use std::sync::Arc;

use sterna_plan::{Backend, BackendError, DeviceLimits, Executor, ModelPlan, WeightSource, WeightSpec};

use crate::exec::RefExecutor;
use crate::float::Float;
use crate::law::Law;
use crate::numbers::Numbers;

/// The reference backend, in one of its modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefBackend {
    mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Float(Float),
    Law,
}

impl RefBackend {
    /// "ref-float": f64 throughout, activations as they are.
    pub fn float() -> Self {
        Self { mode: Mode::Float(Float::Plain) }
    }

    /// "ref-float-a8": as [`float`](Self::float), with the inputs of int8 linears rounded to int8 steps.
    pub fn float_with_activations() -> Self {
        Self { mode: Mode::Float(Float::RoundedActivations) }
    }

    /// "ref-law": the exact written orders.
    pub fn law() -> Self {
        Self { mode: Mode::Law }
    }
}

impl Backend for RefBackend {
    fn name(&self) -> &'static str {
        match self.mode {
            Mode::Float(float) => float.name(),
            Mode::Law => Law.name(),
        }
    }

    fn limits(&self) -> DeviceLimits {
        let description = match self.mode {
            Mode::Float(_) => "plain Rust, f64",
            Mode::Law => "plain Rust, f32 and exact integers in the written orders",
        };
        DeviceLimits { description: description.into(), row_multiple: 1, max_width: usize::MAX }
    }

    fn supports(&self, weight: &WeightSpec) -> Result<(), BackendError> {
        match self.mode {
            Mode::Float(float) => load::supports(float, weight),
            Mode::Law => load::supports(Law, weight),
        }
    }

    fn load(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        Ok(match self.mode {
            Mode::Float(float) => Box::new(RefExecutor::load(float, plan, weights, None, progress)?),
            Mode::Law => Box::new(RefExecutor::load(Law, plan, weights, None, progress)?),
        })
    }
}
