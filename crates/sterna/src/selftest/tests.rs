//! The self-test on a sound backend, and on backends that are wrong on purpose.

use std::sync::Arc;

use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_plan::{
    Backend, BackendError, DeviceLimits, Executor, Kin, MemoryUse, ModelPlan, OpTime, Outputs, RowTable,
    WeightSource, WeightSpec,
};
use sterna_run::Session;

use super::report::{Check, Outcome, Report};
use super::{Effort, Law, Run};
use crate::engine::{Engine, EngineOptions};

/// How a backend is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Sound,
    /// The last bit of the last row of calls of many rows.
    ManyRows,
    /// All values a hundredth too large.
    Everywhere,
    /// Every fifth call fails.
    Fails,
    /// There is no kernel for anything.
    Nothing,
}

struct Broken(CpuBackend, How);

fn broken(how: How) -> Broken {
    Broken(CpuBackend::new(CpuOptions { threads: 1, isa: Isa::detect(), governor: false }), how)
}

impl Backend for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn limits(&self) -> DeviceLimits {
        self.0.limits()
    }
    fn supports(&self, weight: &WeightSpec) -> Result<(), BackendError> {
        self.0.supports(weight)
    }
    fn load(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        if self.1 == How::Nothing {
            return Err(BackendError::Unsupported { backend: "broken", what: "this".into() });
        }
        Ok(Box::new(BrokenExecutor(self.0.load(plan, weights, progress)?, self.1, 0)))
    }
}

struct BrokenExecutor(Box<dyn Executor>, How, usize);

impl BrokenExecutor {
    fn spoil(&mut self, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.2 += 1;
        let last_bit = |v: &mut f32| *v = f32::from_bits(v.to_bits() ^ 1);
        let all = out.taps.iter_mut().chain(out.logits.iter_mut().flatten());
        match self.1 {
            How::ManyRows if rows.len() > 1 => {
                out.taps.last_mut().map(last_bit);
                out.logits.last_mut().and_then(|l| l.last_mut()).map(last_bit);
            }
            How::Everywhere => {
                all.for_each(|v| *v *= 1.01);
                out.top.iter_mut().for_each(|t| t.token += 1);
            }
            How::Fails if self.2.is_multiple_of(5) => {
                return Err(BackendError::Device("it fell over".into()));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Executor for BrokenExecutor {
    fn plan(&self) -> &Arc<ModelPlan> {
        self.0.plan()
    }
    fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError> {
        self.0.allocate(slots, capacity)
    }
    fn committed(&self) -> &[u32] {
        self.0.committed()
    }
    fn capacity(&self) -> usize {
        self.0.capacity()
    }
    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.0.execute(entry, rows, out)?;
        self.spoil(rows, out)
    }
    fn hold(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.0.hold(entry, rows, out)?;
        self.spoil(rows, out)
    }
    fn accept(&mut self, slot: usize, path: &[usize]) -> Result<(), BackendError> {
        self.0.accept(slot, path)
    }
    fn set_snapshot_budget(&mut self, bytes: usize) {
        self.0.set_snapshot_budget(bytes);
    }
    fn snapshot(&mut self, slot: usize) -> Result<(), BackendError> {
        self.0.snapshot(slot)
    }
    fn beside(
        &self,
        plan: Arc<ModelPlan>,
        weights: &dyn WeightSource,
        kin: Kin,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        self.0.beside(plan, weights, kin, progress)
    }
    fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        self.0.truncate(slot, len)
    }
    fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        self.0.state_bytes(slot)
    }
    fn memory(&self) -> MemoryUse {
        self.0.memory()
    }
    fn profile(&mut self, on: bool) {
        self.0.profile(on);
    }
    fn profile_times(&self) -> Vec<OpTime> {
        self.0.profile_times()
    }
}

fn run(how: How) -> Report {
    let mut said = |check: &Check| eprintln!("{check}");
    let (law, effort) = (Law::Bits, Effort::Quick);
    let mut run = Run { law, effort, report: Report::default(), said: &mut said };
    let backend = broken(how);
    run.backend(&backend);
    let engine =
        Engine::open(None, &EngineOptions { threads: 1, context: Some(256), ..EngineOptions::default() });
    let engine = engine.unwrap();
    let session = |_| {
        let executor = backend.load(Arc::clone(&engine.plan), &engine.model, &mut |_, _| {})?;
        Ok(Session::new(executor, 256)?)
    };
    run.built_in(&session, &engine.model);
    run.report
}

fn names(report: &Report, is: fn(&Outcome) -> bool) -> Vec<&str> {
    report.checks.iter().filter(|c| is(&c.outcome)).map(|c| c.name.as_str()).collect()
}

#[test]
fn a_sound_backend_passes_every_check() {
    let report = run(How::Sound);
    assert!(report.passed(), "{report}");
    let others = names(&report, |o| !matches!(o, Outcome::Passed(_)));
    assert!(others.is_empty(), "the CPU has a kernel for everything: {others:?}");
    assert!(report.checks.len() > 40);
}

#[test]
fn a_bit_that_depends_on_the_width_is_seen_by_every_check_of_widths() {
    let report = run(How::ManyRows);
    assert!(!report.passed());
    let passed = names(&report, |o| matches!(o, Outcome::Passed(_)));
    // These look at best tokens, which one bit does not change.
    assert_eq!(passed, ["best tokens", "golden tokens", "drafts"], "{report}");
}

#[test]
fn wrong_values_fail_everything() {
    let report = run(How::Everywhere);
    let passed = names(&report, |o| matches!(o, Outcome::Passed(_)));
    // Drafts are held against the same model without them, and both are wrong alike.
    assert_eq!(passed, ["drafts"]);
}

#[test]
fn a_device_that_fails_is_no_missing_kernel() {
    let report = run(How::Fails);
    assert!(!report.passed() && names(&report, |o| matches!(o, Outcome::NotThere(_))).is_empty());
    assert!(report.checks.iter().any(|c| c.to_string().contains("it fell over")));
}

#[test]
fn without_any_kernel_nothing_has_passed() {
    let report = run(How::Nothing);
    assert!(!report.passed());
    assert!(names(&report, |o| matches!(o, Outcome::Passed(_))).is_empty());
}
