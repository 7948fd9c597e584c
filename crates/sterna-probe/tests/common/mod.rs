//! Small models and executors that are wrong on purpose.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sterna_bundle::Model;
use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::Encoding;
use sterna_plan::{
    Backend, BackendError, Executor, Fusions, MemoryUse, ModelPlan, OpTime, Outputs, PlanOptions, RowTable,
    Wanted, build,
};
use sterna_probe::gate::GateArm;
use sterna_ref::RefBackend;
use sterna_ref::testing::{self, Encodings, TestModel};
use sterna_run::Session;

pub type Error = Box<dyn std::error::Error + Send + Sync>;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn cpu(arm: GateArm) -> CpuBackend {
    let isa = if arm.portable { Isa::Portable } else { Isa::detect() };
    CpuBackend::new(CpuOptions { threads: arm.threads, isa, governor: false })
}

pub fn options(arm: GateArm, context: usize) -> PlanOptions {
    let fusions = if arm.fused { Fusions::ALL } else { Fusions::NONE };
    PlanOptions { fusions, ..PlanOptions::new(context) }
}

/// A model file on a backend.
pub fn file_executor(
    model: &Model,
    backend: &dyn Backend,
    options: &PlanOptions,
) -> Result<Box<dyn Executor>, Error> {
    let numerics = |name: &str, e, cols| model.numerics.linear(name, e, cols);
    let plan = Arc::new(build(&model.config, model, &numerics, options)?);
    Ok(backend.load(plan, model, &mut |_, _| {})?)
}

/// A model file on the CPU.
pub fn file_session(model: &Model, arm: GateArm, context: usize) -> Result<Session, Error> {
    Ok(Session::new(file_executor(model, &cpu(arm), &options(arm, context))?, context)?)
}

/// The same with a fault.
pub fn broken_file(model: &Model, context: usize, fault: Fault) -> Result<Session, Error> {
    let arm = GateArm::BASE;
    let inner = file_executor(model, &cpu(arm), &options(arm, context))?;
    Ok(Session::new(Box::new(Broken { inner, fault, calls: 0, held: RowTable::new() }), context)?)
}

/// The built-in model.
pub fn built_in() -> Model {
    Model::open(&root().join("models/llama-tern-30m/llama-tern-30m-TQ2_0.gguf")).unwrap()
}

/// The tiny random model on the CPU.
pub fn tiny_executor(arm: GateArm, context: usize) -> Result<Box<dyn Executor>, Error> {
    let model = TestModel::new(5, testing::config(), Encodings::new(Encoding::TQ2_0))?;
    let plan = testing::plan(&model, &options(arm, context))?;
    Ok(cpu(arm).load(plan, &model, &mut |_, _| {})?)
}

pub fn tiny(arm: GateArm, context: usize) -> Result<Session, Error> {
    Ok(Session::new(tiny_executor(arm, context)?, context)?)
}

/// The same on the law of `sterna-ref`.
pub fn tiny_law(arm: GateArm, context: usize) -> Result<Session, Error> {
    let model = TestModel::new(5, testing::config(), Encodings::new(Encoding::TQ2_0))?;
    let plan = testing::plan(&model, &options(arm, context))?;
    Ok(Session::new(RefBackend::law().load(plan, &model, &mut |_, _| {})?, context)?)
}

/// The tiny model with a fault.
pub fn broken(arm: GateArm, context: usize, fault: Fault) -> Result<Session, Error> {
    Ok(Session::new(
        Box::new(Broken { inner: tiny_executor(arm, context)?, fault, calls: 0, held: RowTable::new() }),
        context,
    )?)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// One bit of one logit of the last row, in calls of more than one row.
    FlipBit,
    /// The best token of the last row is one too high, in calls of more than one row.
    WrongTop,
    /// The last key and value of a call of exactly that many rows belong to another token.
    LoseKv(usize),
    /// Like `LoseKv`, but only for the last position of a sequence of that length: no logits ever see it.
    LoseLastKv(usize),
    /// A truncation leaves the position before the cut damaged.
    Truncate,
    /// Every call answers a little differently, whatever its width.
    Drift,
    /// Logits of calls at positions from 64 on are another row's.
    StaleLogits,
    /// Accepting drafts leaves another token's key and value at the last of them.
    Accept,
    /// Ties go to the highest token: the best token is not the lowest of the best.
    Ties,
    /// Weights are counted for every row.
    Reread,
    /// Far more bytes are counted than could be read.
    Inflated,
}

pub struct Broken {
    inner: Box<dyn Executor>,
    fault: Fault,
    calls: u32,
    /// Rows of the call that is held.
    held: RowTable,
}

impl Broken {
    /// Counts weights wrongly.
    fn miscount(&self, rows: &RowTable, out: &mut Outputs) {
        match self.fault {
            Fault::Reread => out.stats.weight_bytes *= rows.len() as u64,
            Fault::Inflated => out.stats.weight_bytes = 1 << 60,
            _ => {}
        }
    }

    /// Writes another token's key and value over the last row's.
    fn spoil(&mut self, entry: usize, rows: &RowTable) -> Result<(), BackendError> {
        let Some(mut row) = rows.rows().last().copied() else { return Ok(()) };
        self.inner.truncate(row.sequence, row.position)?;
        row.token = (row.token + 1) % self.inner.plan().vocab as u32;
        row.parent = sterna_plan::Parent::Committed;
        row.wanted = Wanted::Nothing;
        let mut table = RowTable::new();
        table.push(row);
        self.inner.execute(entry, &table, &mut Outputs::default())
    }
}

impl Executor for Broken {
    fn plan(&self) -> &Arc<ModelPlan> {
        self.inner.plan()
    }
    fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError> {
        self.inner.allocate(slots, capacity)
    }
    fn committed(&self) -> &[u32] {
        self.inner.committed()
    }
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }
    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.calls += 1;
        self.inner.execute(entry, rows, out)?;
        let wide = rows.len() > 1;
        let end = rows.rows().last().map_or(0, |r| r.position as usize + 1);
        match self.fault {
            Fault::FlipBit if wide => {
                if let Some(x) = out.logits.last_mut().and_then(|l| l.last_mut()) {
                    *x = f32::from_bits(x.to_bits() ^ 1);
                }
            }
            Fault::WrongTop if wide => {
                if let Some(t) = out.top.last_mut() {
                    t.token += 1;
                }
            }
            Fault::LoseKv(n) if rows.len() == n => self.spoil(entry, rows)?,
            Fault::LoseLastKv(n) if wide && end == n => self.spoil(entry, rows)?,
            Fault::Drift => {
                if let Some(x) = out.logits.last_mut().and_then(|l| l.first_mut()) {
                    *x += self.calls as f32 * 1e-3;
                }
            }
            Fault::StaleLogits if wide && end > 64 && out.logits.len() > 1 => {
                out.logits.swap(0, 1);
                out.top.swap(0, 1);
            }
            Fault::Ties => {
                for (l, t) in out.logits.iter_mut().zip(&out.top) {
                    if let Some(x) = l.first_mut() {
                        *x = t.logit; // token 0 now ties with the best, which stays the answer
                    }
                }
            }
            _ => self.miscount(rows, out),
        }
        Ok(())
    }
    fn hold(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.inner.hold(entry, rows, out)?;
        self.held = rows.clone();
        self.miscount(rows, out);
        Ok(())
    }
    fn accept(&mut self, slot: usize, path: &[usize]) -> Result<(), BackendError> {
        self.inner.accept(slot, path)?;
        let last = path.last().and_then(|i| self.held.rows().get(*i)).copied();
        if let Some(row) = last.filter(|_| self.fault == Fault::Accept && path.len() > 1) {
            let mut table = RowTable::new();
            table.push(row);
            self.spoil(0, &table)?;
        }
        Ok(())
    }
    fn set_snapshot_budget(&mut self, bytes: usize) {
        self.inner.set_snapshot_budget(bytes);
    }
    fn snapshot(&mut self, slot: usize) -> Result<(), BackendError> {
        self.inner.snapshot(slot)
    }
    fn beside(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn sterna_plan::WeightSource,
        kin: sterna_plan::Kin,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        self.inner.beside(plan, weights, kin, progress)
    }
    fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        let cut = self.inner.committed().get(slot).is_some_and(|c| *c > len);
        self.inner.truncate(slot, len)?;
        if self.fault == Fault::Truncate && cut && len > 0 {
            let mut table = RowTable::new();
            table.push_chain(slot, len - 1, &[1], 0, Wanted::Nothing);
            self.inner.truncate(slot, len - 1)?;
            self.inner.execute(0, &table, &mut Outputs::default())?;
        }
        Ok(())
    }
    fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        self.inner.state_bytes(slot)
    }
    fn memory(&self) -> MemoryUse {
        self.inner.memory()
    }
    fn profile(&mut self, on: bool) {
        self.inner.profile(on);
    }
    fn profile_times(&self) -> Vec<OpTime> {
        self.inner.profile_times()
    }
}
