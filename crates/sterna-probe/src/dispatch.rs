//! What a call and an op cost besides their work, and what waking threads costs.

use serde::{Deserialize, Serialize};

/// One plan of tiny ops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DispatchPoint {
    /// Ops of the plan.
    pub ops: usize,
    /// Median microseconds of a call.
    pub us: f64,
}

/// `per_call_us + per_op_us * ops`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DispatchCost {
    /// Threads of the calls.
    pub threads: usize,
    /// Calls with growing numbers of ops.
    pub points: Vec<DispatchPoint>,
    /// Microseconds of a call without ops, by the fit.
    pub per_call_us: f64,
    /// Microseconds of an op.
    pub per_op_us: f64,
    /// Measured less fitted, in microseconds.
    pub residuals_us: Vec<f64>,
}

/// A call after the threads were left alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WakeRow {
    /// Milliseconds of rest before the call.
    pub idle_ms: f64,
    /// Median microseconds of a tiny call with one thread.
    pub one_us: f64,
    /// With all threads.
    pub all_us: f64,
    /// What waking them costs: `all_us` less what both cost without a rest.
    pub wake_us: f64,
}

/// What threads cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadCost {
    /// Threads.
    pub threads: usize,
    /// Microseconds of one barrier when nobody has work; `None` with one thread.
    pub barrier_us: Option<f64>,
    /// By rest.
    pub rows: Vec<WakeRow>,
}
