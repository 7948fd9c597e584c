//! The executor: one pass of dispatches for a call, and what it brings back.

use std::sync::Arc;
use std::time::Duration;

use sterna_plan::{
    BackendError, BufferRows, CallStats, Executor, KernelUse, Kin, Limits, MemoryUse, ModelPlan, Op, OpTime,
    Outputs, Plan, PlanError, RowTable, Shape, Slice, Top2, Wanted, WeightSource, check_hold, nothing_held,
    numerics,
};
use wgpu::{Buffer, CommandEncoder};

use crate::ahead::{Ahead, Next};
use crate::check::check;
use crate::gpu::{Clock, Ends, Gpu};
use crate::kernels::{BEST_PARTS, Pipelines};
use crate::load::{self, Weights};
use crate::profile::Profile;
use crate::program::Builder;
use crate::state::Pool;
use crate::steps::{Arena, Buffers, MOST_OUTPUTS, Step, act_sizes};

/// Steps that are submitted before the others of a call are written down.
const AT_ONCE: usize = 12;

/// What executors of one device share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub gpu: Arc<Gpu>,
    pub pipelines: Arc<Pipelines>,
    /// Largest buffer of weights, bytes.
    pub most_bytes: u64,
}

/// A model on a GPU.
pub(crate) struct GpuExecutor {
    pub(crate) shared: Shared,
    plan: Arc<ModelPlan>,
    weights: Weights,
    pub(crate) buffers: Buffers,
    pub(crate) pool: Pool,
    entries: Vec<Entry>,
    /// Results of a call, as large as any so far needed.
    readback: Buffer,
    scratch: u64,
    held: Option<Hold>,
    pub(crate) profile: Option<Profile>,
    /// Words of the call's table, kept from call to call.
    table: Vec<u32>,
    /// Calls that were begun before they were asked for.
    pub(crate) ahead: Ahead,
    pub(crate) clock: Option<Clock>,
}

/// An entry point on the device.
struct Entry {
    arena: Arena,
    steps: Vec<Step>,
}

/// A call that is held: its rows, and the slots that have not accepted yet.
struct Hold {
    rows: RowTable,
    open: Vec<usize>,
}

/// What is copied back after a call.
pub(crate) struct Back {
    /// Where the logits of an output begin, in bytes.
    pub logits: Vec<Option<u64>>,
    pub taps: u64,
    pub bytes: u64,
}

/// Binds the kernels of every entry point to buffers.
fn entries(
    shared: &Shared,
    plan: &ModelPlan,
    weights: &Weights,
    pool: &Pool,
    buffers: &Buffers,
) -> Result<Vec<Entry>, BackendError> {
    let one = |entry: &Plan| {
        let arena = Arena::new(entry);
        let (gpu, pipelines) = (&shared.gpu, &shared.pipelines);
        let builder = Builder { gpu, pipelines, plan, weights, pool, buffers, entry, arena: &arena };
        let steps = builder.build()?;
        Ok(Entry { arena, steps })
    };
    plan.entries.iter().map(one).collect()
}

impl GpuExecutor {
    /// Sends the weights of a plan to the device and compiles its kernels.
    pub fn load(
        shared: Shared,
        plan: Arc<ModelPlan>,
        source: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, BackendError> {
        // What a linear does before it begins, and ops taken together, are dispatches of their own here.
        let plan = Arc::new(plan.apart());
        check(&plan)?;
        let gpu = &shared.gpu;
        let weights = load::load(gpu, &plan, source, shared.most_bytes, progress)?;
        let width = plan.entries.iter().map(|e| e.width).max().unwrap_or(1);
        let arena = plan.entries.iter().map(|e| Arena::new(e).words).max().unwrap_or(0);
        let acts = act_sizes(&plan, width)?;
        let sums_at = acts.sums_at;
        let halves = if gpu.facts.matrix { acts.halves } else { 0 };
        let results = 16 * width as u64;
        let partials = 16 * u64::from(BEST_PARTS) * width.min(MOST_OUTPUTS) as u64;
        let call = 4 * (4 + 4 * width as u64);
        let bytes = [call, 4 * arena, 4 * acts.words, 8 * acts.pairs, 4 * halves, results, partials];
        let [call, arena, acts, act_scales, halves, results, partials] = bytes;
        let buffers = Buffers {
            call: gpu.buffer(call, "the rows of a call")?,
            arena: gpu.buffer(arena, "activations")?,
            acts: gpu.buffer(acts, "quantised activations")?,
            act_scales: gpu.buffer(act_scales, "scales of activations")?,
            halves: gpu.buffer(halves, "activations as halves")?,
            results: gpu.buffer(results, "results")?,
            partials: gpu.buffer(partials, "best tokens of parts")?,
            sums_at,
            nothing: gpu.buffer(16, "nothing")?,
        };
        let pool = Pool::new(gpu, &plan, 0, 1)?;
        let entries = entries(&shared, &plan, &weights, &pool, &buffers)?;
        let readback = gpu.readback(16 * width as u64)?;
        shared.pipelines.save();
        let (scratch, table) = (bytes.iter().sum(), Vec::new());
        let (ahead, clock) = (Ahead::new(gpu)?, Clock::new(gpu)?);
        Ok(Self {
            shared,
            plan,
            weights,
            buffers,
            pool,
            entries,
            readback,
            scratch,
            held: None,
            profile: None,
            table,
            ahead,
            clock,
        })
    }

    /// Forgets the call that is held and checks the next one.
    fn check(&mut self, entry: usize, rows: &RowTable) -> Result<(), BackendError> {
        self.held = None;
        let ops =
            self.plan.entries.get(entry).ok_or_else(|| PlanError::Options("no such entry point".into()))?;
        let capacity = u32::try_from(self.pool.capacity).unwrap_or(u32::MAX);
        let limits = Limits { vocab: self.plan.vocab, capacity, committed: &self.pool.committed };
        Ok(rows.check(Shape::Chains, ops, &limits)?)
    }

    /// Sends what changes from call to call. Gives the number of rows and of outputs.
    pub(crate) fn send(&mut self, entry: usize, rows: &RowTable) -> [u32; 2] {
        self.table.clear();
        let outputs = rows.outputs().count();
        let counts = [rows.len() as u32, outputs as u32];
        self.table.extend([counts[0], counts[1], 0, 0]);
        for row in rows.rows() {
            self.table.extend([row.token, row.position, row.sequence as u32, 0]);
        }
        for (i, (row, _)) in rows.outputs().enumerate() {
            self.table[4 + 4 * i + 3] = row as u32;
        }
        let queue = &self.shared.gpu.queue;
        queue.write_buffer(&self.buffers.call, 0, bytemuck::cast_slice(&self.table));
        if let Some(input) = self.plan.entries[entry].input {
            let at = 4 * self.entries[entry].arena.starts[input.0];
            queue.write_buffer(&self.buffers.arena, at, bytemuck::cast_slice(rows.inputs()));
        }
        counts
    }

    /// Puts an entry point into one pass, timed where the device has a clock: `slot` is where in it.
    pub(crate) fn encode_entry(
        &self,
        encoder: &mut CommandEncoder,
        entry: usize,
        counts: [u32; 2],
        slot: usize,
    ) -> CallStats {
        let timed = |ends| self.clock.as_ref().map(|c| c.writes(slot, ends));
        let stats = self.encode(encoder, self.entries[entry].steps.iter(), counts, timed(Ends::Both));
        if let Some(clock) = &self.clock {
            clock.resolve(encoder, slot);
        }
        stats
    }

    /// As [`Self::encode_entry`] in the clock's first place; the first steps are submitted at once, so that the device has work while
    /// the host writes down the others.
    fn encode_and_begin(&self, encoder: &mut CommandEncoder, entry: usize, counts: [u32; 2]) -> CallStats {
        let steps = &self.entries[entry].steps;
        if steps.len() < 4 * AT_ONCE {
            return self.encode_entry(encoder, entry, counts, 0);
        }
        let timed = |ends| self.clock.as_ref().map(|c| c.writes(0, ends));
        let (now, later) = steps.split_at(AT_ONCE);
        let mut first = self.shared.gpu.encoder();
        let mut stats = self.encode(&mut first, now.iter(), counts, timed(Ends::First));
        self.shared.gpu.queue.submit([first.finish()]);
        let rest = self.encode(encoder, later.iter(), counts, timed(Ends::Last));
        if let Some(clock) = &self.clock {
            clock.resolve(encoder, 0);
        }
        stats.weight_bytes += rest.weight_bytes;
        stats.macs += rest.macs;
        stats
    }

    /// Puts steps into one pass.
    fn encode<'s>(
        &self,
        encoder: &mut CommandEncoder,
        steps: impl Iterator<Item = &'s Step>,
        counts: [u32; 2],
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) -> CallStats {
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        let mut stats = CallStats::default();
        for step in steps {
            let rows = match step.rows {
                BufferRows::Call => counts[0],
                BufferRows::Outputs => counts[1],
            };
            let Some(form) = step.form(rows).filter(|_| rows > 0) else { continue };
            let tiles = rows.div_ceil(form.tile);
            pass.set_pipeline(&form.pipeline.pipeline);
            pass.set_bind_group(0, &form.bind, &[]);
            pass.dispatch_workgroups(form.x, tiles, 1);
            stats.weight_bytes += step.weight_bytes * u64::from(tiles);
            stats.macs += step.macs * u64::from(rows);
        }
        stats
    }

    /// Runs a checked call; commits nothing.
    fn run(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.shared.gpu.check()?;
        let counts = self.send(entry, rows);
        let back = self.back(entry, rows, counts);
        self.reserve(back.bytes)?;
        let mut stats = CallStats::default();
        if self.profile.is_some() {
            stats = self.step_by_step(entry, counts)?;
        }
        let mut encoder = self.shared.gpu.encoder();
        if self.profile.is_none() {
            stats = self.encode_and_begin(&mut encoder, entry, counts);
        }
        self.copy_back(&mut encoder, entry, rows, &back, counts);
        let plan = Arc::clone(&self.plan);
        let ops = &plan.entries[entry];
        let answer = logits(ops);
        let bad = self.shared.gpu.submit_and_read(encoder, &self.readback, back.bytes, |bytes| {
            read(bytes, rows, answer, &back, out)
        })?;
        out.stats = stats;
        if self.profile.is_none()
            && let Some(clock) = &mut self.clock
        {
            clock.read(&self.shared.gpu, 0)?;
        }
        match bad {
            None => Ok(()),
            Some(row) => Err(self.blame(entry, rows, row)?),
        }
    }

    /// What a call brings back, and where it will lie.
    fn back(&self, entry: usize, rows: &RowTable, counts: [u32; 2]) -> Back {
        let ops = &self.plan.entries[entry];
        let mut bytes = 16 * u64::from(counts[1]);
        let valid = logits(ops).map_or(0, |l| l.valid);
        let logits = rows.outputs().map(|(_, wanted)| {
            let at = bytes;
            let wants = wanted == Wanted::Logits && valid > 0;
            bytes += if wants { 4 * valid as u64 } else { 0 };
            wants.then_some(at)
        });
        let logits = logits.collect();
        let taps = bytes;
        bytes += ops.taps.map_or(0, |b| 4 * u64::from(counts[0]) * ops.buffers[b.0].cols as u64);
        Back { logits, taps, bytes }
    }

    fn reserve(&mut self, bytes: u64) -> Result<(), BackendError> {
        if self.readback.size() < bytes {
            self.readback = self.shared.gpu.readback(bytes)?;
        }
        Ok(())
    }

    fn copy_back(
        &self,
        encoder: &mut CommandEncoder,
        entry: usize,
        rows: &RowTable,
        back: &Back,
        counts: [u32; 2],
    ) {
        let (ops, starts) = (&self.plan.entries[entry], &self.entries[entry].arena.starts);
        let arena = &self.buffers.arena;
        if counts[1] > 0 {
            encoder.copy_buffer_to_buffer(
                &self.buffers.results,
                0,
                &self.readback,
                0,
                16 * u64::from(counts[1]),
            );
        }
        if let Some(Logits { buffer, cols, valid, .. }) = logits(ops) {
            for (i, to) in back.logits.iter().enumerate() {
                let Some(to) = to else { continue };
                let from = 4 * (starts[buffer] + (i * cols) as u64);
                encoder.copy_buffer_to_buffer(arena, from, &self.readback, *to, 4 * valid as u64);
            }
        }
        if let Some(taps) = ops.taps {
            let bytes = 4 * (rows.len() * ops.buffers[taps.0].cols) as u64;
            encoder.copy_buffer_to_buffer(arena, 4 * starts[taps.0], &self.readback, back.taps, bytes);
        }
    }

    /// Puts one op into a pass of its own.
    pub(crate) fn encode_op(
        &self,
        encoder: &mut CommandEncoder,
        entry: usize,
        op: usize,
        counts: [u32; 2],
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) -> CallStats {
        let steps = self.entries[entry].steps.iter().filter(|s| s.op == op);
        self.encode(encoder, steps, counts, timestamp_writes)
    }

    /// Runs the call again, op by op, and names the first whose output is not finite.
    pub(crate) fn blame(
        &mut self,
        entry: usize,
        rows: &RowTable,
        row: usize,
    ) -> Result<BackendError, BackendError> {
        let plan = Arc::clone(&self.plan);
        let e = &plan.entries[entry];
        let counts = self.send(entry, rows);
        let named = |op: usize| BackendError::NonFinite { row, op, name: plan.describe_op(e, &e.ops[op]) };
        for (i, op) in e.ops.iter().enumerate() {
            let mut encoder = self.shared.gpu.encoder();
            self.encode_op(&mut encoder, entry, i, counts, None);
            let Some(slice) = written(e, op) else {
                self.shared.gpu.queue.submit([encoder.finish()]);
                continue;
            };
            let buffer = &e.buffers[slice.buffer.0];
            let n = match buffer.rows {
                BufferRows::Call => counts[0],
                BufferRows::Outputs => counts[1],
            };
            let bytes = 4 * u64::from(n) * buffer.cols as u64;
            self.reserve(bytes)?;
            let from = 4 * self.entries[entry].arena.starts[slice.buffer.0];
            encoder.copy_buffer_to_buffer(&self.buffers.arena, from, &self.readback, 0, bytes);
            let finite = self.shared.gpu.submit_and_read(encoder, &self.readback, bytes, |bytes| {
                let mut rows = bytes.chunks_exact(4 * buffer.cols.max(1));
                rows.all(|row| {
                    row[4 * slice.start..4 * (slice.start + slice.len)].chunks_exact(4).all(finite)
                })
            })?;
            if !finite {
                return Ok(named(i));
            }
        }
        Ok(named(e.ops.len().saturating_sub(1)))
    }
}

fn finite(bytes: &[u8]) -> bool {
    <[u8; 4]>::try_from(bytes).is_ok_and(|b| f32::from_le_bytes(b).is_finite())
}

/// What an op writes, if that is a slice of a buffer.
fn written(entry: &Plan, op: &Op) -> Option<Slice> {
    match op {
        Op::Embed { out, .. } | Op::RotationTable { out, .. } | Op::SelectOutputs { out, .. } => {
            Some(entry.buffers[out.0].all(*out))
        }
        Op::RmsNorm { out, .. }
        | Op::SigmoidMul { out, .. }
        | Op::SiluMul { out, .. }
        | Op::GeluMul { out, .. }
        | Op::AddScaled { out, .. }
        | Op::Copy { out, .. } => Some(*out),
        Op::Linear(l) => Some(l.out),
        Op::Rotate { heads, .. } => Some(*heads),
        Op::Attention(a) => Some(a.out),
        Op::Scale { slice, .. } => Some(*slice),
        _ => None,
    }
}

/// What an entry point's argmax looks at.
#[derive(Clone, Copy)]
pub(crate) struct Logits {
    buffer: usize,
    cols: usize,
    valid: usize,
    softcap: Option<f32>,
}

pub(crate) fn logits(entry: &Plan) -> Option<Logits> {
    entry.ops.iter().rev().find_map(|op| match op {
        Op::Argmax { logits, valid, softcap } => {
            let cols = entry.buffers[logits.0].cols;
            Some(Logits { buffer: logits.0, cols, valid: *valid, softcap: *softcap })
        }
        _ => None,
    })
}

/// Takes the results apart. Gives the first row whose logits are not finite.
pub(crate) fn read(
    bytes: &[u8],
    rows: &RowTable,
    answer: Option<Logits>,
    back: &Back,
    out: &mut Outputs,
) -> Option<usize> {
    let word = |at: usize| {
        bytes.get(at..at + 4).and_then(|b| <[u8; 4]>::try_from(b).ok()).map_or(u32::MAX, u32::from_le_bytes)
    };
    let softcap = answer.and_then(|a| a.softcap);
    let capped = |x: f32| softcap.map_or(x, |cap| numerics::softcap(x, cap));
    out.rows.clear();
    out.top.clear();
    let (mut bad, mut used) = (None, 0);
    for (i, (row, _)) in rows.outputs().enumerate() {
        let [token, best, second, not_finite] = [0, 4, 8, 12].map(|at| word(16 * i + at));
        let second = match answer {
            Some(a) if a.valid > 1 => f32::from_bits(second),
            _ => f32::NEG_INFINITY,
        };
        let top = Top2 { token, logit: capped(f32::from_bits(best)), second: capped(second) };
        if answer.is_some() && not_finite != 0 && bad.is_none() {
            bad = Some(row);
        }
        out.rows.push(row);
        out.top.push(if answer.is_some() { top } else { Top2::default() });
        if out.logits.len() <= used {
            out.logits.push(Vec::new());
        }
        out.logits[used].clear();
        if let (Some(at), Some(a)) = (back.logits[i], answer) {
            let values = (0..a.valid).map(|n| f32::from_bits(word(at as usize + 4 * n)));
            out.logits[used].extend(values.map(capped));
        }
        used += 1;
    }
    out.logits.truncate(used);
    out.taps.clear();
    out.taps.extend((back.taps as usize..bytes.len()).step_by(4).map(|at| f32::from_bits(word(at))));
    bad
}

impl Executor for GpuExecutor {
    fn plan(&self) -> &Arc<ModelPlan> {
        &self.plan
    }

    fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError> {
        if slots == 0 || capacity == 0 || capacity > self.plan.context {
            let text =
                format!("{slots} slots of {capacity} positions; this plan allows 1 to {}", self.plan.context);
            return Err(PlanError::Options(text).into());
        }
        self.held = None;
        self.drop_ahead()?;
        // What fails leaves the old pool and what is bound to it.
        let pool = Pool::new(&self.shared.gpu, &self.plan, slots, capacity)?;
        self.entries = entries(&self.shared, &self.plan, &self.weights, &pool, &self.buffers)?;
        self.shared.pipelines.save();
        self.pool = pool;
        Ok(())
    }

    fn committed(&self) -> &[u32] {
        &self.pool.committed
    }

    fn capacity(&self) -> usize {
        self.pool.capacity
    }

    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.check(entry, rows)?;
        if rows.outputs().count() > MOST_OUTPUTS {
            return self.in_parts(entry, rows, out);
        }
        let single = self.single(entry, rows);
        let follows = single.is_some() && single == self.ahead.next;
        let begun = follows && self.take_ahead(rows, out)?;
        if !begun {
            self.drop_ahead()?;
            self.run(entry, rows, out)?;
        }
        for row in rows.rows() {
            let committed = &mut self.pool.committed[row.sequence];
            *committed = (*committed).max(row.position + 1);
        }
        self.ahead.next = single.map(|row| Next {
            position: row.position + 1,
            token: out.top.first().map_or(0, |top| top.token),
            ..row
        });
        // Who fed the best token once will probably feed it again.
        if follows { self.run_ahead() } else { Ok(()) }
    }

    fn hold(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.held = None;
        if rows.is_tree() {
            let what = "trees of rows yet: a call that is held is a chain for each sequence".into();
            return Err(BackendError::Unsupported { backend: "gpu", what });
        }
        self.check(entry, rows)?;
        check_hold(rows)?;
        self.drop_ahead()?;
        self.run(entry, rows, out)?;
        let mut open: Vec<_> = rows.rows().iter().map(|r| r.sequence).collect();
        open.sort_unstable();
        open.dedup();
        self.held = Some(Hold { rows: rows.clone(), open });
        Ok(())
    }

    fn accept(&mut self, slot: usize, path: &[usize]) -> Result<(), BackendError> {
        let hold = self.held.as_mut().filter(|h| h.open.contains(&slot)).ok_or_else(|| nothing_held(slot))?;
        hold.rows.check_path(slot, path)?;
        hold.open.retain(|s| *s != slot);
        // The chain's keys and values lie where they belong already.
        self.pool.committed[slot] += u32::try_from(path.len()).unwrap_or(u32::MAX);
        Ok(())
    }

    fn set_snapshot_budget(&mut self, _: usize) {}

    fn snapshot(&mut self, slot: usize) -> Result<(), BackendError> {
        self.held = None;
        Ok(self.pool.slot(slot).map(|_| ())?)
    }

    fn beside(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        _: Kin,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        Ok(Box::new(Self::load(self.shared.clone(), plan, weights, progress)?))
    }

    fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        self.held = None;
        let committed = self.pool.slot(slot)?;
        self.pool.committed[slot] = committed.min(len);
        Ok(())
    }

    fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        self.pool.read(&self.shared.gpu, slot)
    }

    fn memory(&self) -> MemoryUse {
        MemoryUse {
            weights: self.weights.bytes(),
            states: self.pool.bytes(),
            scratch: usize::try_from(self.scratch + self.readback.size()).unwrap_or(usize::MAX),
            snapshots: 0,
        }
    }

    fn device_time(&self) -> Option<Duration> {
        self.clock.as_ref().map(Clock::total)
    }

    fn kernels(&self) -> Option<KernelUse> {
        Some(self.shared.pipelines.used())
    }

    fn dispatches(&self, entry: usize, rows: usize, outputs: usize) -> Option<usize> {
        let rows = |r: BufferRows| match r {
            BufferRows::Call => rows,
            BufferRows::Outputs => outputs,
        };
        let steps = &self.entries.get(entry)?.steps;
        let some = |s: &&Step| {
            let n = u32::try_from(rows(s.rows)).unwrap_or(u32::MAX);
            n > 0 && s.form(n).is_some()
        };
        Some(steps.iter().filter(some).count())
    }

    fn profile(&mut self, on: bool) {
        // What is timed op by op is not begun before it is asked for.
        self.ahead.next = None;
        self.profile = on.then(Profile::default);
    }

    fn profile_times(&self) -> Vec<OpTime> {
        self.profile.as_ref().map_or(Vec::new(), |p| p.times.clone())
    }
}
