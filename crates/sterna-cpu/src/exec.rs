//! The executor: buffers, states and threads around the ops.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sterna_plan::{
    BackendError, BufferId, BufferRows, CallStats, Delta, Executor, Kin, Limits, MemoryUse, ModelPlan, Op,
    OpSpan, OpTime, Outputs, PlanError, Row, RowTable, Shape, StateId, TeamTime, Top2, Wanted, WeightSource,
    WeightSpec, check_hold, nothing_held, numerics,
};

use crate::acts::Acts;
use crate::attention::{self, PIECE};
use crate::borrow::Lender;
use crate::deal::Counter;
use crate::delta;
use crate::governor::{Governor, Ran};
use crate::hold::{Gathered, Held, Hold, Owed, Replay, deltas};
use crate::isa::Isa;
use crate::linear;
use crate::load::{self, Loaded};
use crate::ops::{Call, Kv, Thread};
use crate::pack::Packed;
use crate::pool::{Meter, Pool, Team};
use crate::profile::Profile;
use crate::recurrent::{Span, Timed};
use crate::shared::Shared;
use crate::{argmax, state};

/// A model on the CPU.
pub struct CpuExecutor {
    plan: Arc<ModelPlan>,
    weights: Vec<Loaded>,
    isa: Isa,
    pool: Arc<Mutex<Pool>>,
    governor: Option<Governor>,
    states: state::Pool,
    /// Whose keys it reads, if it has none of its own.
    lender: Option<Lender>,
    buffers: Vec<Vec<f32>>,
    acts: Acts,
    threads: Vec<Thread>,
    profile: Profile,
    tracing: bool,
    lists: Lists,
    hold: Hold,
    /// Value heads of every delta rule, for replays.
    heads: Vec<(StateId, Delta, usize)>,
}

/// Lists of one call, kept so that a call allocates nothing.
#[derive(Default)]
struct Lists {
    outputs: Vec<usize>,
    counters: Vec<Counter>,
    buffers: Vec<Shared<'static, f32>>,
    kv: Vec<Kv<'static>>,
    timed: Vec<Timed<'static>>,
    order: Vec<usize>,
    spans: Vec<Span>,
    paths: Vec<Vec<usize>>,
}

/// What becomes of a call's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// They are committed.
    Commit,
    /// They wait for [`Executor::accept`].
    Hold,
}

impl CpuExecutor {
    /// An executor without states: [`Executor::allocate`] makes them. A plan that borrows keys has a lender.
    pub fn new(
        plan: Arc<ModelPlan>,
        weights: Vec<Loaded>,
        pool: Arc<Mutex<Pool>>,
        isa: Isa,
        governor: bool,
        lender: Option<Lender>,
    ) -> Result<Self, BackendError> {
        if plan.attention_piece != PIECE {
            let what = format!("attention pieces of {} keys", plan.attention_piece);
            return Err(BackendError::Unsupported { backend: "cpu", what });
        }
        if plan.borrows() && lender.is_none() {
            let what = "keys of a target that the plan is not loaded beside".into();
            return Err(BackendError::Unsupported { backend: "cpu", what });
        }
        let threads = locked(&pool).threads();
        let width = plan.entries.iter().map(|e| e.width).max().unwrap_or(1);
        let cols = plan.weights.iter().map(|w| w.cols).max().unwrap_or(0);
        let head_dim = plan.states.iter().filter_map(|s| s.heads()).map(|h| h.1).max().unwrap_or(0);
        let governor = (governor && threads > 1).then(|| Governor::new(threads));
        let mut acts = Acts::default();
        let mut threads: Vec<Thread> = (0..threads)
            .map(|_| Thread {
                acts: Acts::default(),
                linear: linear::Scratch::new(width),
                attention: attention::Scratch::new(head_dim),
                row: vec![0.0; cols],
                joined: vec![0.0; cols],
                codes: vec![0; 2 * cols],
                spans: Vec::new(),
                gates: vec![(0.0, 0.0); width],
                delta: delta::Scratch::default(),
                gathered: Gathered::default(),
                order: Vec::new(),
            })
            .collect();
        for op in plan.entries.iter().flat_map(|e| &e.ops) {
            let Op::Linear(l) = op else { continue };
            let forms =
                linear::forms(l.members.iter().filter_map(|w| matrix(&weights, w.0)).map(|m| &m.geometry));
            acts.reserve(width, l.input.len, forms);
            for t in &mut threads {
                t.acts.reserve(1, l.input.len, forms);
            }
        }
        let buffers = plan.entries.first().map_or(0, |e| e.buffers.len());
        Ok(Self {
            buffers: vec![Vec::new(); buffers],
            states: state::Pool { piece: PIECE, ..state::Pool::default() },
            lender,
            profile: Profile::default(),
            tracing: false,
            lists: Lists::default(),
            hold: Hold::default(),
            heads: deltas(&plan).flat_map(|(s, d)| (0..d.v_heads).map(move |j| (s, d, j))).collect(),
            plan,
            weights,
            isa,
            pool,
            governor,
            acts,
            threads,
        })
    }

    /// Runs the ops; `check` names the first op whose output is not finite.
    fn run(
        &mut self,
        entry: usize,
        rows: &RowTable,
        fate: Fate,
        check: bool,
    ) -> Result<(CallStats, Option<usize>), BackendError> {
        let plan = Arc::clone(&self.plan);
        let entry = &plan.entries[entry];
        let mut lists = std::mem::take(&mut self.lists);
        lists.outputs.clear();
        lists.outputs.extend(rows.outputs().map(|o| o.0));
        let counters = entry.ops.len() * self.threads.len();
        lists.counters.resize_with(counters.max(lists.counters.len()), Counter::default);
        lists.counters.iter_mut().for_each(Counter::reset);
        lists.buffers.clear();
        for (i, (spec, buffer)) in entry.buffers.iter().zip(&mut self.buffers).enumerate() {
            let n = if spec.rows == BufferRows::Call { rows.len() } else { lists.outputs.len() };
            if buffer.len() < n * spec.cols {
                buffer.resize(n * spec.cols, 0.0);
            }
            if entry.input == Some(BufferId(i)) {
                buffer[..n * spec.cols].copy_from_slice(rows.inputs());
            }
            // SAFETY: the lists are cleared before this function returns, and nobody else uses the buffers until then.
            lists.buffers.push(unsafe { Shared::erased(buffer) });
        }
        if self.lender.is_none() {
            for r in rows.rows() {
                let written = &mut self.states.written[r.sequence];
                *written = (*written).max(r.position + 1);
            }
        }
        // Until the call is over, nobody else has the keys and values.
        let own = Arc::clone(&self.states.lent);
        let mut own = state::locked(&own);
        own.written.clone_from(&self.states.written);
        let lender = self.lender.as_ref().map(|l| (Arc::clone(&l.lent), &l.states));
        let mut lender = lender.as_ref().map(|(lent, states)| (state::locked(lent), *states));
        lists.kv.clear();
        for i in 0..plan.states.len() {
            let layer = match &mut lender {
                Some((lent, states)) => states.get(i).and_then(|at| lent.layers.get_mut(at.0)),
                None => own.layers.get_mut(i),
            };
            let Some(l) = layer else { continue };
            // SAFETY: as above, and the locks outlive the list's contents.
            let (keys, values) = unsafe { (Shared::erased(&mut l.keys), Shared::erased(&mut l.values)) };
            let (kv_heads, head_dim, stored) = (l.kv_heads, l.head_dim, l.stored);
            lists.kv.push(Kv { kv_heads, head_dim, stored, keys, values });
        }
        lists.timed.clear();
        for t in &mut self.states.timed {
            let [a, b] = &mut t.halves;
            // SAFETY: as above.
            let halves = unsafe { [Shared::erased(a), Shared::erased(b)] };
            lists.timed.push(Timed { each: t.each, halves, stream: t.stream });
        }
        lists.order.clear();
        lists.spans.clear();
        if lender.is_none() {
            by_sequence(rows.rows(), &self.states, &mut lists);
        }
        lists.paths.clear();
        if fate == Fate::Hold {
            self.hold.reserve(&plan, rows);
        }
        let tree = fate == Fate::Hold && self.hold.tree;
        if tree {
            lists.paths.extend((0..rows.len()).map(|i| rows.path(i)));
        }
        let side = self.hold.side;
        // SAFETY: they are dropped before this function returns, and nobody uses the memory until then.
        let (kept, aside) = unsafe { self.hold.share() };
        let held = (fate == Fate::Hold)
            .then_some(Held { kept: &kept[side], aside: tree.then_some(aside.as_slice()) });
        let (bytes, macs, bad) = (AtomicU64::new(0), AtomicU64::new(0), AtomicUsize::new(usize::MAX));
        let call = Call {
            plan: &plan,
            entry,
            isa: self.isa,
            weights: &self.weights,
            rows: rows.rows(),
            outputs: &lists.outputs,
            buffers: &lists.buffers,
            kv: &lists.kv,
            timed: &lists.timed,
            live: &self.states.live,
            order: &lists.order,
            spans: &lists.spans,
            committed: &self.states.committed,
            paths: &lists.paths,
            owed: &self.states.owed,
            kept: [&kept[0], &kept[1]],
            held,
            acts: self.acts.share(),
            counters: &lists.counters,
            weight_bytes: &bytes,
            macs: &macs,
        };
        let (profile, meter) = (&self.profile, Meter::default());
        let active = self.governor.as_ref().map_or(self.threads.len(), |g| g.threads(rows.len()));
        profile.enter(&call, active);
        let tracing = self.tracing;
        self.threads.iter_mut().for_each(|t| t.spans.clear());
        let threads = Shared::new(&mut self.threads);
        let job = |team: Team<'_>| {
            // SAFETY: every thread takes its own scratch.
            let thread = unsafe { &mut threads.slice_mut(team.thread, 1)[0] };
            let watch = profile.on && team.thread == 0;
            let team = if watch { team.metered(&meter) } else { team };
            if watch {
                profile.begin();
            }
            for (i, op) in entry.ops.iter().enumerate() {
                let start = tracing.then(Instant::now);
                call.op(i, op, team, thread);
                let done = tracing.then(Instant::now);
                team.barrier();
                if let (Some(start), Some(done)) = (start, done) {
                    let end = Instant::now();
                    thread.spans.push(OpSpan { op: i, thread: team.thread, start, done, end });
                }
                if check {
                    if team.thread == 0 && bad.load(Ordering::Relaxed) == usize::MAX && !call.finite(op) {
                        bad.store(i, Ordering::Relaxed);
                    }
                    team.barrier();
                }
                if watch {
                    profile.op(i, &meter);
                }
            }
        };
        let start = self.governor.is_some().then(Instant::now);
        let ran = locked(&self.pool).run(active, &job);
        profile.leave();
        if let (Some(g), Some(start), Ok(slept)) = (&mut self.governor, start, &ran) {
            let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            g.ran(Ran { rows: rows.len(), nanos, slept: *slept, work: macs.load(Ordering::Relaxed) });
        }
        lists.buffers.clear();
        lists.kv.clear();
        lists.timed.clear();
        self.lists = lists;
        ran.map_err(BackendError::Worker)?;
        let stats = CallStats { weight_bytes: bytes.into_inner(), macs: macs.into_inner() };
        let bad = bad.into_inner();
        Ok((stats, (bad != usize::MAX).then_some(bad)))
    }
}

impl CpuExecutor {
    /// Forgets the call that is held and checks the next one.
    fn check(&mut self, shape: Shape, entry: usize, rows: &RowTable) -> Result<(), PlanError> {
        self.hold.open.clear();
        let entry = self.plan.entries.get(entry);
        let entry = entry.ok_or_else(|| PlanError::Options("no such entry point".into()))?;
        if let Some(lender) = &self.lender {
            return lender.check(&self.plan, entry, rows);
        }
        let capacity = u32::try_from(self.states.capacity).unwrap_or(u32::MAX);
        let limits = Limits { vocab: self.plan.vocab, capacity, committed: &self.states.committed };
        rows.check(shape, entry, &limits)
    }

    /// Runs a checked call and reads its results; commits nothing.
    fn call(
        &mut self,
        entry: usize,
        rows: &RowTable,
        fate: Fate,
        out: &mut Outputs,
    ) -> Result<(), BackendError> {
        let plan = Arc::clone(&self.plan);
        let e = &plan.entries[entry];
        let (stats, _) = self.run(entry, rows, fate, false)?;
        out.stats = stats;
        out.rows.clear();
        out.top.clear();
        out.taps.clear();
        if let Some(taps) = e.taps {
            out.taps.extend_from_slice(&self.buffers[taps.0][..rows.len() * e.buffers[taps.0].cols]);
        }
        let logits_at = e.ops.iter().rev().find_map(|op| match op {
            Op::Argmax { logits, valid, softcap } => {
                Some((logits.0, e.buffers[logits.0].cols, *valid, *softcap))
            }
            _ => None,
        });
        let softcap = logits_at.and_then(|at| at.3);
        let capped = |x: f32| softcap.map_or(x, |cap| numerics::softcap(x, cap));
        let mut used = 0;
        for (i, (row, wanted)) in rows.outputs().enumerate() {
            let at = logits_at.map_or(&[][..], |(b, cols, valid, _)| &self.buffers[b][i * cols..][..valid]);
            let Some(top) = argmax::top2(self.isa, at) else {
                let (_, bad) = self.run(entry, rows, fate, true)?;
                let op = bad.unwrap_or(e.ops.len() - 1);
                return Err(BackendError::NonFinite { row, op, name: plan.describe_op(e, &e.ops[op]) });
            };
            out.rows.push(row);
            let top = Top2 { logit: capped(top.logit), second: capped(top.second), ..top };
            out.top.push(if at.is_empty() { Top2::default() } else { top });
            if out.logits.len() <= used {
                out.logits.push(Vec::new());
            }
            out.logits[used].clear();
            if wanted == Wanted::Logits {
                match softcap {
                    None => out.logits[used].extend_from_slice(at),
                    Some(_) => out.logits[used].extend(at.iter().map(|x| capped(*x))),
                }
            }
            used += 1;
        }
        out.logits.truncate(used);
        Ok(())
    }

    /// Runs the timed states of a slot over the rows that they owe, by themselves.
    fn settle(&mut self, slot: usize) -> Result<(), BackendError> {
        let fresh = self.states.settled(slot) == 0;
        let Owed { side, rows: path } = &self.states.owed[slot];
        if path.is_empty() {
            return Ok(());
        }
        // SAFETY: the views are dropped at the end, and nobody else uses the memory until then.
        let (kept, _) = unsafe { self.hold.share() };
        let timed = self.states.timed.iter_mut().map(|t| {
            let [a, b] = &mut t.halves;
            Timed { each: t.each, halves: [Shared::new(a), Shared::new(b)], stream: t.stream }
        });
        let timed: Vec<_> = timed.collect();
        let replay = Replay {
            isa: self.isa,
            plan: &self.plan,
            heads: &self.heads,
            timed: &timed,
            kept: &kept[*side],
            slot,
            live: usize::from(self.states.live[slot]),
            fresh,
            path,
        };
        let next = AtomicUsize::new(0);
        let active = self.governor.as_ref().map_or(self.threads.len(), |g| g.threads(path.len()));
        let ran = locked(&self.pool).run(active, &|_| replay.run(&next));
        ran.map_err(BackendError::Worker)?;
        self.states.turn_over(slot);
        Ok(())
    }

    /// The timed states of a slot as they are committed, in copies: nothing is settled.
    fn timed_states(&self, slot: usize) -> Vec<Vec<f32>> {
        let live = usize::from(self.states.live[slot]);
        let old = |t: &state::LayerTimed| t.halves[live][slot * t.each..][..t.each].to_vec();
        let mut old: Vec<Vec<f32>> = self.states.timed.iter().map(old).collect();
        let owed = &self.states.owed[slot];
        if owed.rows.is_empty() {
            return old;
        }
        let mut new = old.clone();
        let mut kept = self.hold.kept(owed.side).to_vec();
        let kept: Vec<_> = kept.iter_mut().map(|m| Shared::new(m)).collect();
        let timed = old.iter_mut().zip(&mut new).map(|(old, new)| Timed {
            each: old.len(),
            halves: [Shared::new(old), Shared::new(new)],
            stream: false,
        });
        let timed: Vec<_> = timed.collect();
        let replay = Replay {
            isa: self.isa,
            plan: &self.plan,
            heads: &self.heads,
            timed: &timed,
            kept: &kept,
            slot: 0,
            live: 0,
            fresh: self.states.settled(slot) == 0,
            path: &owed.rows,
        };
        replay.run(&AtomicUsize::new(0));
        drop(timed);
        new
    }
}

fn locked(pool: &Mutex<Pool>) -> MutexGuard<'_, Pool> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lists the rows of every sequence together, in order.
fn by_sequence(rows: &[Row], states: &state::Pool, lists: &mut Lists) {
    for (i, first) in rows.iter().enumerate() {
        if rows[..i].iter().any(|r| r.sequence == first.sequence) {
            continue;
        }
        let (slot, start) = (first.sequence, lists.order.len());
        lists.order.extend((i..rows.len()).filter(|r| rows[*r].sequence == slot));
        let fresh = states.settled(slot) == 0;
        lists.spans.push(Span { slot, start, len: lists.order.len() - start, fresh });
    }
}

/// The packed matrix behind a weight index.
pub fn matrix(weights: &[Loaded], at: usize) -> Option<&Packed> {
    match weights.get(at) {
        Some(Loaded::Matrix(m)) => Some(m),
        _ => None,
    }
}

impl Executor for CpuExecutor {
    fn plan(&self) -> &Arc<ModelPlan> {
        &self.plan
    }

    fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError> {
        if slots == 0 || capacity == 0 || capacity > self.plan.context {
            let text =
                format!("{slots} slots of {capacity} positions; this plan allows 1 to {}", self.plan.context);
            return Err(PlanError::Options(text).into());
        }
        self.hold.open.clear();
        let mut snapshots = std::mem::take(&mut self.states.snapshots);
        snapshots.clear();
        let made = state::Pool::new(&self.plan, slots, capacity)?;
        self.states.replace(state::Pool { snapshots, ..made });
        Ok(())
    }

    fn committed(&self) -> &[u32] {
        &self.states.committed
    }

    fn capacity(&self) -> usize {
        self.states.capacity
    }

    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.check(Shape::Chains, entry, rows)?;
        self.call(entry, rows, Fate::Commit, out)?;
        if self.lender.is_some() {
            return Ok(());
        }
        for r in rows.rows() {
            let c = &mut self.states.committed[r.sequence];
            *c = (*c).max(r.position + 1);
        }
        self.states.publish();
        for span in &self.lists.spans {
            self.states.turn_over(span.slot);
        }
        Ok(())
    }

    fn hold(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        if self.lender.is_some() {
            return Err(PlanError::Options("a plan that borrows its keys has nothing to hold".into()).into());
        }
        let shape = if self.plan.owns_time() { Shape::Chains } else { Shape::Trees };
        self.check(shape, entry, rows)?;
        check_hold(rows)?;
        if self.plan.owns_time() {
            // The call keeps its rows where those of the call before the last one lie.
            let side = 1 - self.hold.side;
            for slot in 0..self.states.owed.len() {
                if self.states.owed[slot].side == side {
                    self.settle(slot)?;
                }
            }
            self.hold.side = side;
        }
        self.call(entry, rows, Fate::Hold, out)?;
        self.hold.rows.clone_from(rows);
        for span in &self.lists.spans {
            self.hold.open.push(span.slot);
            if !self.states.owed[span.slot].rows.is_empty() {
                self.states.turn_over(span.slot);
            }
        }
        Ok(())
    }

    fn accept(&mut self, slot: usize, path: &[usize]) -> Result<(), BackendError> {
        let at = self.hold.open.iter().position(|s| *s == slot).ok_or_else(|| nothing_held(slot))?;
        self.hold.rows.check_path(slot, path)?;
        self.hold.open.swap_remove(at);
        if path.is_empty() {
            return Ok(());
        }
        if self.hold.tree {
            self.hold.copy_path(&self.states, slot, path);
        }
        if self.plan.owns_time() {
            let owed = &mut self.states.owed[slot];
            owed.side = self.hold.side;
            owed.rows.clear();
            owed.rows.extend_from_slice(path);
        }
        self.states.committed[slot] += u32::try_from(path.len()).unwrap_or(u32::MAX);
        self.states.publish();
        Ok(())
    }

    fn set_snapshot_budget(&mut self, bytes: usize) {
        self.states.snapshots.set_budget(bytes);
    }

    fn snapshot(&mut self, slot: usize) -> Result<(), BackendError> {
        self.hold.open.clear();
        self.states.slot(slot)?;
        self.settle(slot)?;
        self.states.snapshot(slot)
    }

    fn beside(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        kin: Kin,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        let held = |spec: &WeightSpec| {
            let at = self.plan.weights.iter().position(|w| w == spec);
            let loaded = at.filter(|_| kin == Kin::SameModel).and_then(|at| self.weights.get(at))?;
            // The table of a tied head is the head.
            if let Loaded::Shared(matrix) = loaded { self.weights.get(*matrix) } else { Some(loaded) }
        };
        let lender = Lender::find(&plan, &self.states, &self.plan)?;
        let loaded = load::load(&plan, weights, self.isa, self.threads.len(), &held, progress)?;
        let (pool, governor) = (Arc::clone(&self.pool), self.governor.is_some());
        Ok(Box::new(Self::new(plan, loaded, pool, self.isa, governor, lender)?))
    }

    fn reusable_prefix(&self, slot: usize, len: u32) -> Result<u32, BackendError> {
        Ok(self.states.reusable_prefix(slot, len)?)
    }

    fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        self.hold.open.clear();
        Ok(self.states.truncate(slot, len)?)
    }

    fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        self.states.slot(slot)?;
        let timed = self.timed_states(slot);
        let timed: Vec<&[f32]> = timed.iter().map(Vec::as_slice).collect();
        Ok(self.states.bytes(slot, &timed)?)
    }

    fn memory(&self) -> MemoryUse {
        let weights = self.weights.iter().map(|w| match w {
            Loaded::Matrix(m) => m.bytes(),
            Loaded::Table { bytes, .. } => bytes.bytes().len(),
            Loaded::Vector(v) => 4 * v.len(),
            Loaded::Shared(_) => 0,
        });
        let buffers: usize = self.buffers.iter().map(|b| 4 * b.len()).sum();
        let threads: usize =
            self.threads.iter().map(|t| t.acts.memory() + t.linear.memory() + t.delta.memory()).sum();
        MemoryUse {
            weights: weights.sum(),
            states: self.states.memory(),
            scratch: buffers + self.acts.memory() + threads + self.hold.memory(),
            snapshots: self.states.snapshots.bytes(),
        }
    }

    fn profile(&mut self, on: bool) {
        self.profile = Profile::new(on);
    }

    fn profile_times(&self) -> Vec<OpTime> {
        self.profile.times()
    }

    fn profile_team(&self) -> TeamTime {
        self.profile.team()
    }

    fn trace(&mut self, on: bool) {
        self.tracing = on;
    }

    fn op_spans(&self, each: &mut dyn FnMut(OpSpan)) {
        self.threads.iter().flat_map(|t| &t.spans).for_each(|span| each(*span));
    }

    fn barrier_cost(&mut self) -> Option<f64> {
        locked(&self.pool).barrier_cost()
    }
}
