//! The executor: checks a call, runs it, commits it, and names the op when logits are not finite.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sterna_plan::{
    BackendError, Executor, Kin, Limits, MemoryUse, ModelPlan, OpSpan, OpTime, Outputs, Plan, PlanError,
    RowTable, Shape, StateId, StateSpec, Wanted, WeightSource, check_borrower, check_hold, nothing_held,
};

use crate::blame::{title, written};
use crate::load::{Weights, check_plan};
use crate::numbers::Numbers;
use crate::ops::{Answer, Call};
use crate::pool::Pool;

/// A loaded model in one arithmetic.
pub(crate) struct RefExecutor<N: Numbers> {
    numbers: N,
    plan: Arc<ModelPlan>,
    weights: Weights<N>,
    /// Its states. Executors beside it that borrow some lock them for a call of theirs.
    pool: Arc<Mutex<Pool<N>>>,
    /// As the pool has it.
    committed: Vec<u32>,
    /// Whose keys it reads, and which, for every state of its plan, if it has none of its own.
    lender: Option<Lender<N>>,
    scratch: usize,
    profile: Option<Profile>,
    /// The call that is held, and the slots that may still accept some of it.
    held: Option<Hold>,
    /// Of the last call, while calls are traced.
    spans: Option<Vec<OpSpan>>,
}

type Lender<N> = (Arc<Mutex<Pool<N>>>, Vec<StateId>);

fn locked<N: Numbers>(pool: &Mutex<Pool<N>>) -> MutexGuard<'_, Pool<N>> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Hold {
    entry: usize,
    rows: RowTable,
    slots: Vec<usize>,
}

#[derive(Default)]
struct Profile {
    entry: usize,
    times: Vec<OpTime>,
}

impl<N: Numbers> RefExecutor<N> {
    /// Decodes the weights of a plan. One that borrows keys has a lender.
    pub fn load(
        numbers: N,
        plan: Arc<ModelPlan>,
        source: &dyn WeightSource,
        lender: Option<Lender<N>>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, BackendError> {
        check_plan(&plan, numbers.name())?;
        if plan.borrows() && lender.is_none() {
            let what = "keys of a target that the plan is not loaded beside".into();
            return Err(BackendError::Unsupported { backend: numbers.name(), what });
        }
        let weights = Weights::load(numbers, &plan, source, progress)?;
        let pool = Arc::new(Mutex::new(Pool::empty(&plan.states)));
        let (committed, scratch) = (Vec::new(), 0);
        let (profile, held, spans) = (None, None, None);
        Ok(Self { numbers, plan, weights, pool, committed, lender, scratch, profile, held, spans })
    }

    fn pool(&self) -> MutexGuard<'_, Pool<N>> {
        locked(&self.pool)
    }

    /// Forgets the call that is held and checks the next one.
    fn check(&mut self, shape: Shape, entry: usize, rows: &RowTable) -> Result<(), PlanError> {
        self.held = None;
        let Some(ops) = self.plan.entries.get(entry) else {
            let why = format!("entry point {entry} of a plan with {}", self.plan.entries.len());
            return Err(PlanError::Options(why));
        };
        let pool = locked(self.lender.as_ref().map_or(&self.pool, |l| &l.0));
        let capacity = u32::try_from(pool.capacity()).unwrap_or(u32::MAX);
        let limits = Limits { vocab: self.plan.vocab, capacity, committed: pool.committed() };
        match self.lender {
            Some(_) => check_borrower(rows, ops, &limits),
            None => rows.check(shape, ops, &limits),
        }
    }

    /// Runs a checked call of chains and stages what it makes of the states.
    fn compute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        let plan = Arc::clone(&self.plan);
        let ops = &plan.entries[entry];
        let mut pool = locked(&self.pool);
        let guard = self.lender.as_ref().map(|(lent, states)| (locked(lent), states));
        let lent = guard.as_ref().map(|(lent, states)| (&**lent, states.as_slice()));
        let mut call = Call::new(&plan, ops, &self.weights, &mut pool, lent, rows);
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
        let (answers, stats, taps) = (std::mem::take(&mut call.answers), call.stats, call.taps());
        drop((pool, guard));
        if let Some(profile) = &mut self.profile {
            profile.add(entry, &plan, ops, &nanos);
        }
        if let Some(bad) = answers.iter().find(|a| !a.finite) {
            let error = self.blame(ops, rows, bad.row);
            self.pool().forget_staged();
            return Err(error);
        }
        *out = Outputs { stats, taps, ..Outputs::default() };
        for Answer { row, top, logits, .. } in answers {
            out.rows.push(row);
            out.top.push(top);
            out.logits.push(logits);
        }
        Ok(())
    }

    /// A tree, row after row: each is the end of a chain that is run by itself.
    fn branches(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        let mut all = Outputs::default();
        for (i, row) in rows.rows().iter().enumerate() {
            let chain = rows.chain(&rows.path(i), row.wanted);
            let end = chain.len() - 1;
            self.compute(entry, &chain, out).map_err(|error| match error {
                BackendError::NonFinite { op, name, .. } => BackendError::NonFinite { row: i, op, name },
                other => other,
            })?;
            let width = out.taps.len() / chain.len();
            all.taps.extend_from_slice(&out.taps[end * width..]);
            all.rows.extend(out.rows.iter().map(|_| i));
            all.top.append(&mut out.top);
            all.logits.append(&mut out.logits);
            all.stats.macs += out.stats.macs;
            all.stats.weight_bytes += out.stats.weight_bytes;
        }
        *out = all;
        Ok(())
    }

    fn commit(&mut self, rows: &RowTable) {
        let mut pool = locked(&self.pool);
        for row in rows.rows() {
            pool.commit(row.sequence, row.position + 1);
        }
        self.committed.clear();
        self.committed.extend_from_slice(pool.committed());
    }

    /// Runs the step again, looking at what every op writes for the sequence of call row `row`.
    fn blame(&mut self, entry: &Plan, rows: &RowTable, row: usize) -> BackendError {
        let plan = Arc::clone(&self.plan);
        let sequence = rows.rows()[row].sequence;
        let mut pool = locked(&self.pool);
        let guard = self.lender.as_ref().map(|(lent, states)| (locked(lent), states));
        let lent = guard.as_ref().map(|(lent, states)| (&**lent, states.as_slice()));
        let mut call = Call::new(&plan, entry, &self.weights, &mut pool, lent, rows);
        let parts =
            entry.ops.iter().enumerate().flat_map(|(i, op)| op.parts().iter().map(move |part| (i, part)));
        for (i, op) in parts {
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
        self.held = None;
        let mut pool = locked(&self.pool);
        let made = pool.allocate(slots, capacity);
        if made.is_err() {
            *pool = Pool::empty(&self.plan.states);
        }
        self.committed = pool.committed().to_vec();
        made
    }

    fn committed(&self) -> &[u32] {
        &self.committed
    }

    fn capacity(&self) -> usize {
        self.pool().capacity()
    }

    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        *out = Outputs::default();
        self.check(Shape::Chains, entry, rows)?;
        self.compute(entry, rows, out)?;
        if self.lender.is_none() {
            self.commit(rows);
        }
        Ok(())
    }

    fn hold(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        *out = Outputs::default();
        if self.lender.is_some() {
            return Err(PlanError::Options("a plan that borrows its keys has nothing to hold".into()).into());
        }
        let shape = if self.plan.owns_time() { Shape::Chains } else { Shape::Trees };
        self.check(shape, entry, rows)?;
        check_hold(rows)?;
        let computed = match rows.is_tree() {
            true => self.branches(entry, rows, out),
            false => self.compute(entry, rows, out),
        };
        self.pool().forget_staged();
        let mut slots: Vec<_> = rows.rows().iter().map(|r| r.sequence).collect();
        slots.sort_unstable();
        slots.dedup();
        slots.iter().for_each(|s| self.pool().forget_uncommitted(*s));
        computed?;
        self.held = Some(Hold { entry, rows: rows.clone(), slots });
        Ok(())
    }

    /// The law of acceptance: the rows are run once more, by themselves.
    fn accept(&mut self, slot: usize, path: &[usize]) -> Result<(), BackendError> {
        let hold =
            self.held.as_mut().filter(|h| h.slots.contains(&slot)).ok_or_else(|| nothing_held(slot))?;
        hold.rows.check_path(slot, path)?;
        hold.slots.retain(|s| *s != slot);
        let (entry, chain) = (hold.entry, hold.rows.chain(path, Wanted::Nothing));
        if !chain.is_empty() {
            self.compute(entry, &chain, &mut Outputs::default())?;
            self.commit(&chain);
        }
        Ok(())
    }

    fn set_snapshot_budget(&mut self, bytes: usize) {
        self.pool().snapshots.set_budget(bytes);
    }

    fn snapshot(&mut self, slot: usize) -> Result<(), BackendError> {
        self.held = None;
        self.pool().snapshot(slot)
    }

    fn reusable_prefix(&self, slot: usize, len: u32) -> Result<u32, BackendError> {
        self.pool().reusable_prefix(slot, len)
    }

    fn beside(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        _: Kin,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        let mut lender = None;
        if plan.borrows() {
            plan.check_borrowed()?;
            let at = |s: &StateSpec| {
                let mixed = || PlanError::Options(format!("{s:?} beside borrowed states"));
                s.lender(&self.plan.states).and_then(|at| at.ok_or_else(mixed))
            };
            let states = plan.states.iter().map(at).collect::<Result<Vec<_>, _>>()?;
            lender = Some((Arc::clone(&self.pool), states));
        }
        Ok(Box::new(Self::load(self.numbers, plan, weights, lender, progress)?))
    }

    fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        self.held = None;
        let mut pool = locked(&self.pool);
        pool.truncate(slot, len)?;
        self.committed = pool.committed().to_vec();
        Ok(())
    }

    fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        self.pool().state_bytes(slot)
    }

    fn memory(&self) -> MemoryUse {
        // Locked once: a second guard in the same expression would wait for the first.
        let pool = self.pool();
        MemoryUse {
            weights: self.weights.bytes(),
            states: pool.bytes(),
            scratch: self.scratch,
            snapshots: pool.snapshots.bytes(),
        }
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
