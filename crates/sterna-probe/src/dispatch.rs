//! What a call and an op cost besides their work, and what waking threads costs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sterna_format::Encoding;
use sterna_plan::{Backend, Executor, Outputs, RowTable, Wanted};

use crate::bench::{BenchError, KernelOptions, kernels};
use crate::interleave::{Arm, ArmError, Interleaved, Rounds, interleave};
use crate::stats;
use crate::synthetic::Matrices;
use crate::table::{Table, count, number};

/// One plan of tiny ops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DispatchPoint {
    /// Ops of the plan.
    pub ops: usize,
    /// Median microseconds of a call; its sequence is emptied before it, which is part of the time.
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
    /// What waking the threads costs: what the rest adds to a call with all threads, less what it adds with one.
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

/// A plan of some tiny linear layers, loaded.
struct Tiny {
    executor: Box<dyn Executor>,
    rows: RowTable,
    out: Outputs,
}

impl Tiny {
    fn new(backend: &dyn Backend, layers: usize, outputs: usize) -> Result<Self, BenchError> {
        let options = KernelOptions {
            encoding: Encoding::TQ2_0,
            rows: outputs,
            cols: 256,
            widths: vec![1],
            cold_bytes: 0,
            rounds: Rounds::default(),
        };
        let plan = Arc::new(kernels::plan(&options, layers));
        let weights = Matrices::new(&plan.weights, 1);
        let mut executor = backend.load(plan, &weights, &mut |_, _| {})?;
        executor.allocate(1, 1)?;
        let mut rows = RowTable::new();
        rows.push_chain(0, 0, &[1], 1, Wanted::Argmax);
        Ok(Self { executor, rows, out: Outputs::default() })
    }

    fn ops(&self) -> usize {
        self.executor.plan().entries.first().map_or(0, |e| e.ops.len())
    }

    fn calls(&mut self, n: usize) -> Result<(), ArmError> {
        for _ in 0..n {
            self.executor.truncate(0, 0)?;
            self.executor.execute(0, &self.rows, &mut self.out)?;
        }
        Ok(())
    }
}

/// Calls of one sample.
const CALLS: usize = 20;

/// Measures samples of 20 calls of plans with 1 to 256 tiny layers (16 outputs of 256 inputs) on `backend`, which has `threads`
/// threads.
///
/// # Errors
/// The backend's.
pub fn dispatch_cost(
    backend: &dyn Backend,
    threads: usize,
    rounds: Rounds,
) -> Result<(DispatchCost, Interleaved), BenchError> {
    let layers = [1, 16, 64, 128, 256];
    let mut plans = layers.iter().map(|n| Tiny::new(backend, *n, 16)).collect::<Result<Vec<_>, _>>()?;
    let ops: Vec<usize> = plans.iter().map(Tiny::ops).collect();
    let arm = |i: usize| Arm::new(format!("{} ops", ops[i]), move |p: &mut Vec<Tiny>| p[i].calls(CALLS));
    let mut arms: Vec<Arm<'_, Vec<Tiny>>> = (0..layers.len()).map(arm).collect();
    let samples = interleave(&mut plans, &mut arms, rounds)?;
    let us = |seconds: f64| 1e6 * seconds / CALLS as f64;
    let timed = ops.iter().zip(&samples.arms);
    let points: Vec<_> =
        timed.map(|(ops, arm)| DispatchPoint { ops: *ops, us: us(arm.time.median) }).collect();
    let xy: Vec<_> = points.iter().map(|p| (p.ops as f64, p.us)).collect();
    let (per_call_us, per_op_us) =
        stats::line(&xy).ok_or_else(|| BenchError::Options("the plans have equally many ops".into()))?;
    let residuals_us = xy.iter().map(|(x, y)| y - per_call_us - per_op_us * x).collect();
    Ok((DispatchCost { threads, points, per_call_us, per_op_us, residuals_us }, samples))
}

/// Rests before a call, in milliseconds.
const RESTS: [u64; 4] = [0, 1, 10, 50];

/// Measures one tiny call after a rest, with one thread (`one`) and with `threads` of them (`all`).
///
/// # Errors
/// The backend's.
pub fn thread_cost(
    one: &dyn Backend,
    all: &dyn Backend,
    threads: usize,
    rounds: Rounds,
) -> Result<(ThreadCost, Interleaved), BenchError> {
    // Outputs enough that every thread gets some.
    let mut pair = [Tiny::new(one, 1, 1024)?, Tiny::new(all, 1, 1024)?];
    let arm = |rest: u64, who: usize| {
        Arm::new(format!("{rest} ms, {}", ["one thread", "all threads"][who]), move |p: &mut [Tiny; 2]| {
            p[who].calls(1)
        })
        .prepared(move |p| {
            p[who].calls(3)?; // awake and warm
            if rest > 0 {
                std::thread::sleep(Duration::from_millis(rest));
            }
            Ok(())
        })
    };
    let mut arms: Vec<_> = RESTS.iter().flat_map(|rest| [arm(*rest, 0), arm(*rest, 1)]).collect();
    let samples = interleave(&mut pair, &mut arms, rounds)?;
    drop(arms);
    let us: Vec<f64> = samples.arms.iter().map(|a| 1e6 * a.time.median).collect();
    let rows = RESTS.iter().zip(us.chunks_exact(2)).map(|(rest, pair)| WakeRow {
        idle_ms: *rest as f64,
        one_us: pair[0],
        all_us: pair[1],
        wake_us: (pair[1] - us[1]) - (pair[0] - us[0]),
    });
    let barrier_us = pair[1].executor.barrier_cost().map(|nanos| nanos / 1e3);
    Ok((ThreadCost { threads, barrier_us, rows: rows.collect() }, samples))
}

impl fmt::Display for DispatchCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["ops", "us a call", "us an op", "residual us"]);
        for (p, r) in self.points.iter().zip(&self.residuals_us) {
            t.row(vec![p.ops.to_string(), number(p.us), number(p.us / p.ops as f64), format!("{r:+.2}")]);
        }
        let (call, op) = (number(self.per_call_us), number(self.per_op_us));
        write!(
            f,
            "{t}{}: {call} us a call and {op} us an op, by least squares",
            count(self.threads, "thread")
        )?;
        if self.per_call_us < 0.0 {
            write!(
                f,
                "; less than nothing a call: lost in the noise of the ops, measure on a quieter machine"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for ThreadCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = format!("{} us", count(self.threads, "thread"));
        let mut t = Table::new(&["rest ms", "one thread us", &all, "waking us"]);
        for r in &self.rows {
            t.row(vec![format!("{}", r.idle_ms), number(r.one_us), number(r.all_us), number(r.wake_us)]);
        }
        match self.barrier_us {
            Some(us) => write!(f, "{t}a barrier without work costs {} us", number(us)),
            None => write!(f, "{t}one thread, no barriers"),
        }
    }
}
