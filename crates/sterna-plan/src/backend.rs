//! What a backend is: it loads the weights a plan names, keeps a pool of states, and runs row tables.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sterna_bundle::WeightSource;

use crate::{BackendError, ModelPlan, PlanError, RowTable, WeightSpec};

/// What a device can do, as far as choices depend on it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceLimits {
    /// For a person: "AVX2+FMA, 2 threads".
    pub description: String,
    /// Rows of a weight are padded to a multiple of this.
    pub row_multiple: usize,
    /// Largest number of rows in one call.
    pub max_width: usize,
}

/// Best two tokens of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Top2 {
    /// Best token; the lowest id among equals.
    pub token: u32,
    /// Its logit.
    pub logit: f32,
    /// Logit of the runner-up.
    pub second: f32,
}

/// Results of one call, reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Row of the call for every result, ascending.
    pub rows: Vec<usize>,
    /// Best two tokens for every result.
    pub top: Vec<Top2>,
    /// Logits of the results that asked for them, `vocab` each, in order of `rows`; empty for the others.
    pub logits: Vec<Vec<f32>>,
    /// Hidden states of every row of the call, [`ModelPlan::tap_width`] each, if the plan hands some out.
    pub taps: Vec<f32>,
    /// What the call cost.
    pub stats: CallStats,
}

impl Outputs {
    /// Logits of call row `row`, if it asked for them.
    pub fn logits_of(&self, row: usize) -> Option<&[f32]> {
        let at = self.rows.binary_search(&row).ok()?;
        self.logits.get(at).map(Vec::as_slice).filter(|l| !l.is_empty())
    }
    /// Best two tokens of call row `row`, if it asked for a result.
    pub fn top_of(&self, row: usize) -> Option<Top2> {
        let at = self.rows.binary_search(&row).ok()?;
        self.top.get(at).copied()
    }
}

/// Counted, not estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallStats {
    /// Bytes of packed weights that kernels read from memory: once per call, whatever its width.
    pub weight_bytes: u64,
    /// Multiply-accumulates of linear layers.
    pub macs: u64,
}

/// Time of one op in a profiled run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpTime {
    /// Op name and first weight.
    pub name: String,
    /// Nanoseconds on the clock of the first thread, waits included.
    pub nanos: u64,
    /// Of `nanos`, what the first thread spent at barriers: from its arrival until all others had come. It is the time
    /// by which the first thread was done before the last one, and the barrier's own cost; time by which the first
    /// thread was last is work of it, and not in here.
    pub wait_nanos: u64,
}

/// What it costs to run the ops of a call on a team of threads, summed over profiled calls. What an executor without
/// threads has nothing of is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamTime {
    /// Threads of the last call.
    pub threads: usize,
    /// Calls that were profiled.
    pub calls: u64,
    /// Barriers the first thread passed.
    pub barriers: u64,
    /// From asking the threads to run until the first one began its first op.
    pub start_nanos: u64,
    /// From the last op's barrier until the call had its threads back.
    pub end_nanos: u64,
}

/// When one op of a call ran on one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpSpan {
    /// Index in the ops of the entry point.
    pub op: usize,
    /// Thread; 0 is the one that made the call.
    pub thread: usize,
    /// It began.
    pub start: Instant,
    /// This thread had nothing more to do in it.
    pub done: Instant,
    /// All threads had left it.
    pub end: Instant,
}

/// Most rows of a call that is held.
pub const HOLD_ROWS: usize = 64;

/// Checks a call that is to be held.
///
/// # Errors
/// Too many rows.
pub fn check_hold(rows: &RowTable) -> Result<(), PlanError> {
    if rows.len() <= HOLD_ROWS {
        return Ok(());
    }
    let why = format!("a call that is held has at most {HOLD_ROWS} rows");
    Err(PlanError::Rows { row: HOLD_ROWS, why })
}

/// What [`Executor::accept`] says of a slot of which no call is held.
pub fn nothing_held(slot: usize) -> PlanError {
    PlanError::Options(format!("no call is held of which sequence slot {slot} could accept rows"))
}

/// What a plan loaded [beside](Executor::beside) another has to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kin {
    /// The same model: weights of one name are one weight, and held once.
    SameModel,
    /// Another model, with weights of its own.
    OtherModel,
}

/// Kernels that were compiled while a program ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelUse {
    /// How many.
    pub kernels: usize,
    /// How long that took, with what was found on disk.
    pub took: Duration,
    /// Bytes of compiled kernels that an earlier start had left on disk: 0 for none, `None` where none are kept.
    pub found: Option<usize>,
}

/// A loaded model on a device with its pool of states.
pub trait Executor: Send {
    /// The plan it was loaded for.
    fn plan(&self) -> &Arc<ModelPlan>;
    /// Makes a pool of `slots` sequences with room for `capacity` positions each; forgets the old pool.
    ///
    /// # Errors
    /// [`BackendError::Memory`].
    fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError>;
    /// Committed positions of each slot.
    fn committed(&self) -> &[u32];
    /// Positions a slot has room for.
    fn capacity(&self) -> usize;
    /// Runs the rows through entry point `entry` and commits every row.
    ///
    /// # Errors
    /// A table that does not fit, or non-finite logits; the committed lengths are then unchanged.
    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError>;
    /// Runs the rows through entry point `entry` and commits none: their results are of a state that may yet be refused.
    /// Then [`Executor::accept`] commits some. Rows may be trees, of a model whose states keep every position. Any later
    /// call but `accept` forgets what was held.
    ///
    /// # Errors
    /// As [`Executor::execute`]; more than [`HOLD_ROWS`] rows.
    fn hold(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError>;
    /// Of the rows of slot `slot` in the call that is held, commits those at `path`, a chain from the committed end, and
    /// forgets the slot's others. The state is then, bit for bit, as if only they had been run. No weight is read.
    ///
    /// # Errors
    /// Nothing is held for the slot, or a path that is no such chain; nothing changes then.
    fn accept(&mut self, slot: usize, path: &[usize]) -> Result<(), BackendError>;
    /// Bytes that snapshots may take, all slots together; 0, as it is at first, for none. Those that no longer fit are
    /// dropped.
    fn set_snapshot_budget(&mut self, bytes: usize);
    /// Keeps a copy of the states of slot `slot` that own time as they are committed, so that the slot can be cut to this
    /// position later. A model without such states needs none and keeps none. Where the budget is used up, the snapshot
    /// that is missed least goes ([`crate::choose::evict`]).
    ///
    /// # Errors
    /// A slot outside the pool; memory.
    fn snapshot(&mut self, slot: usize) -> Result<(), BackendError>;
    /// Loads another plan beside this one: on the same device, threads included, so that both take turns.
    ///
    /// Keys and values that the other plan [borrows](crate::StateSpec::Borrowed) are this one's. Such a plan needs no
    /// pool of its own: a row's sequence is a slot of this one and its position the committed end there, where it sees what
    /// is committed; several rows of a sequence do not see each other. Nothing is committed by it, and nothing held. Calls of
    /// the two never overlap: one waits for the other.
    ///
    /// # Errors
    /// As [`Backend::load`]; a plan that borrows what this one does not have.
    fn beside(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        kin: Kin,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError>;
    /// The longest prefix of at most `len` positions that slot `slot` holds or can be cut to at once. A slot whose
    /// states keep every position gives `len`, or all it holds; one with a state that owns time gives all it holds, or
    /// the deepest position that was kept ([`Executor::snapshot`]), which without snapshots is 0. What lies past it must be fed again.
    ///
    /// # Errors
    /// A slot outside the pool.
    fn reusable_prefix(&self, slot: usize, len: u32) -> Result<u32, BackendError> {
        let committed = self.committed();
        let held = committed.get(slot).ok_or_else(|| {
            PlanError::Options(format!("sequence slot {slot} is outside the pool of {}", committed.len()))
        })?;
        Ok(self.plan().reusable_prefix(*held, len))
    }
    /// Drops positions from `len` on; a length past the committed end changes nothing.
    ///
    /// # Errors
    /// A slot outside the pool; a length that is not [its own reusable prefix](Executor::reusable_prefix), which
    /// changes nothing.
    fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError>;
    /// Every bit of a slot's committed state, for gates: state after state in the plan's order, little endian. Keys and
    /// values: `[position][k, v][kv_head][dim]`, of a ring the last positions, as many as the next row sees; a recurrent state: `[head][k_dim][v_dim]`; inputs of a convolution:
    /// `[input][channel]`, oldest first, zeros before the start. Nothing for a slot without positions.
    ///
    /// # Errors
    /// A slot outside the pool.
    fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError>;
    /// Bytes of packed weights and of states held.
    fn memory(&self) -> MemoryUse;
    /// Times every op of later calls (`true`) and forgets the times so far.
    fn profile(&mut self, on: bool);
    /// Times since profiling was switched on, one entry per op of the last entry point run.
    fn profile_times(&self) -> Vec<OpTime>;
    /// What the threads cost since profiling was switched on, for the same calls as [`Executor::profile_times`].
    fn profile_team(&self) -> TeamTime {
        TeamTime::default()
    }
    /// Notes when every op of later calls runs (`true`), or stops noting. While it is off, nothing looks at a clock.
    fn trace(&mut self, on: bool) {
        let _ = on;
    }
    /// Hands over the spans of the last traced call, thread by thread, each thread's in order. None from an executor
    /// that cannot tell.
    fn op_spans(&self, each: &mut dyn FnMut(OpSpan)) {
        let _ = each;
    }
    /// How long the device has worked on calls since the executor was loaded, by its own clock. `None` without one.
    fn device_time(&self) -> Option<Duration> {
        None
    }
    /// Kernels that were compiled for the device so far, other models' included. `None` where none are compiled.
    fn kernels(&self) -> Option<KernelUse> {
        None
    }
    /// Kernels that a call of so many rows and wanted results is made of. `None` where there is no such thing.
    fn dispatches(&self, entry: usize, rows: usize, outputs: usize) -> Option<usize> {
        let _ = (entry, rows, outputs);
        None
    }
    /// Nanoseconds of one barrier of the executor's threads when none has work to do: measured now, in some
    /// milliseconds. `None` if it has no barriers, as with one thread.
    fn barrier_cost(&mut self) -> Option<f64> {
        None
    }
}

/// Bytes held by an executor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Packed weights.
    pub weights: usize,
    /// States of all slots.
    pub states: usize,
    /// Activation buffers.
    pub scratch: usize,
    /// Snapshots of states.
    pub snapshots: usize,
}

/// A way to run plans.
pub trait Backend {
    /// "cpu", "ref-float", ...
    fn name(&self) -> &'static str;
    /// What it can do.
    fn limits(&self) -> DeviceLimits;
    /// Whether it has kernels for this weight; the plan's dry run asks, nobody declares.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] naming what is missing.
    fn supports(&self, weight: &WeightSpec) -> Result<(), BackendError>;
    /// Bytes that the weights of a plan would take once loaded, as [`MemoryUse::weights`] will count them, from a dry run
    /// of the layout. `None` from a backend that cannot tell.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`], or weights too large to address.
    fn weight_memory(&self, plan: &ModelPlan) -> Result<Option<usize>, BackendError> {
        let _ = plan;
        Ok(None)
    }
    /// Repacks every weight once into the layouts its kernels want; `progress` hears (bytes done, bytes in all).
    ///
    /// # Errors
    /// Missing or undecodable weights, unsupported ones, memory; a plan that borrows states, of which here are none.
    fn load(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError>;
}
