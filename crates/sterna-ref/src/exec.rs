//! The executor: checks a call, runs it, commits it, and names the op when logits are not finite.

use std::sync::Arc;
use std::time::Instant;

use sterna_plan::{
    BackendError, Executor, MemoryUse, ModelPlan, OpSpan, OpTime, Outputs, Plan, PlanError, RowTable,
    WeightSource,
};

use crate::blame::{title, written};
use crate::load::{Weights, check_plan};
use crate::numbers::Numbers;
use crate::ops::{Answer, Call};
use crate::pool::Pool;

/// A loaded model in one arithmetic.
pub(crate) struct RefExecutor<N: Numbers> {
    plan: Arc<ModelPlan>,
    weights: Weights<N>,
    pool: Pool<N>,
    scratch: usize,
    profile: Option<Profile>,
    /// Of the last call, while calls are traced.
    spans: Option<Vec<OpSpan>>,
}

#[derive(Default)]
struct Profile {
    entry: usize,
    times: Vec<OpTime>,
}

impl<N: Numbers> RefExecutor<N> {
    /// Decodes the weights of a plan.
    pub fn load(
        numbers: N,
        plan: Arc<ModelPlan>,
        source: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, BackendError> {
        check_plan(&plan, numbers.name())?;
        let weights = Weights::load(numbers, &plan, source, progress)?;
        let pool = Pool::empty(&plan.states);
        Ok(Self { plan, weights, pool, scratch: 0, profile: None, spans: None })
    }

    /// Runs the step again, looking at what every op writes for the sequence of call row `row`.
    fn blame(&mut self, entry: &Plan, rows: &RowTable, row: usize) -> BackendError {
        let plan = Arc::clone(&self.plan);
        let sequence = rows.rows()[row].sequence;
        let mut call = Call::new(&plan, entry, &self.weights, &mut self.pool, rows);
        for (i, op) in entry.ops.iter().enumerate() {
            if let Err(error) = call.run(op) {
                return error;
            }
            let (slices, state) = written(entry, op);
            if !call.wrote_finite(&slices, state, sequence) {
                return BackendError::NonFinite { row, op: i, name: title(&plan, op) };
            }
        }
        // Only a plan whose argmax reads what no op wrote ends here.
        let op = entry.ops.len().saturating_sub(1);
        BackendError::NonFinite { row, op, name: entry.ops.last().map_or(String::new(), |o| title(&plan, o)) }
    }
}

impl Profile {
    fn add(&mut self, entry: usize, plan: &ModelPlan, ops: &Plan, nanos: &[u64]) {
        if self.entry != entry || self.times.len() != nanos.len() {
            self.entry = entry;
            let named = |op| OpTime { name: title(plan, op), ..OpTime::default() };
            self.times = ops.ops.iter().map(named).collect();
        }
        for (time, nanos) in self.times.iter_mut().zip(nanos) {
            time.nanos += nanos;
        }
    }
}

impl<N: Numbers> Executor for RefExecutor<N> {
    fn plan(&self) -> &Arc<ModelPlan> {
        &self.plan
    }

    fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError> {
        let made = self.pool.allocate(slots, capacity);
        if made.is_err() {
            self.pool = Pool::empty(&self.plan.states);
        }
        made
    }

    fn committed(&self) -> &[u32] {
        self.pool.committed()
    }

    fn capacity(&self) -> usize {
        self.pool.capacity()
    }

    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        let plan = Arc::clone(&self.plan);
        out.rows.clear();
        out.top.clear();
        out.logits.clear();
        out.stats = Default::default();
        let Some(ops) = plan.entries.get(entry) else {
            let why = format!("entry point {entry} of a plan with {}", plan.entries.len());
            return Err(PlanError::Options(why).into());
        };
        let capacity = u32::try_from(self.pool.capacity()).unwrap_or(u32::MAX);
        rows.check(ops.width, plan.vocab, capacity, self.pool.committed())?;

        let mut call = Call::new(&plan, ops, &self.weights, &mut self.pool, rows);
        let mut nanos = Vec::with_capacity(ops.ops.len());
        if let Some(spans) = &mut self.spans {
            spans.clear();
        }
        for (i, op) in ops.ops.iter().enumerate() {
            let start = Instant::now();
            call.run(op)?;
            let end = Instant::now();
            nanos.push(u64::try_from((end - start).as_nanos()).unwrap_or(u64::MAX));
            if let Some(spans) = &mut self.spans {
                spans.push(OpSpan { op: i, thread: 0, start, done: end, end });
            }
        }
        self.scratch = self.scratch.max(call.scratch());
        let (answers, stats) = (std::mem::take(&mut call.answers), call.stats);
        if let Some(profile) = &mut self.profile {
            profile.add(entry, &plan, ops, &nanos);
        }
        if let Some(bad) = answers.iter().find(|a| !a.finite) {
            let error = self.blame(ops, rows, bad.row);
            self.pool.forget_staged();
            return Err(error);
        }
        for row in rows.rows() {
            self.pool.commit(row.sequence, row.position + 1);
        }
        for Answer { row, top, logits, .. } in answers {
            out.rows.push(row);
            out.top.push(top);
            out.logits.push(logits);
        }
        out.stats = stats;
        Ok(())
    }

    fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        self.pool.truncate(slot, len)
    }

    fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        self.pool.state_bytes(slot)
    }

    fn memory(&self) -> MemoryUse {
        MemoryUse { weights: self.weights.bytes(), states: self.pool.bytes(), scratch: self.scratch }
    }

    fn profile(&mut self, on: bool) {
        self.profile = on.then(Profile::default);
    }

    fn trace(&mut self, on: bool) {
        self.spans = on.then(Vec::new);
    }

    fn op_spans(&self, each: &mut dyn FnMut(OpSpan)) {
        self.spans.iter().flatten().for_each(|span| each(*span));
    }

    fn profile_times(&self) -> Vec<OpTime> {
        self.profile.as_ref().map_or(Vec::new(), |p| p.times.clone())
    }
}
