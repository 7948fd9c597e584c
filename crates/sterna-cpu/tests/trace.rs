//! Spans of ops, and the memory that a dry run foretells.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::time::Instant;

use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::{Encoding, ScaleGroup};
use sterna_plan::{Backend, Executor, OpSpan, Outputs, PlanOptions, RowTable, Wanted};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, INTEGER_ENCODINGS, TestModel, config, plan};

fn model(encoding: Encoding, tied: bool) -> TestModel {
    let config = sterna_bundle::ModelConfig { tied, ..config() };
    let embed = if tied { encoding } else { Encoding::F16 };
    TestModel::new(7, config, Encodings { embed, ..Encodings::new(encoding) }).unwrap()
}

fn load(backend: &dyn Backend, model: &TestModel) -> Box<dyn Executor> {
    let plan = plan(model, &PlanOptions::new(256)).unwrap();
    let mut executor = backend.load(plan, model, &mut |_, _| {}).unwrap();
    executor.allocate(1, 256).unwrap();
    executor
}

fn backend(threads: usize) -> CpuBackend {
    CpuBackend::new(CpuOptions { threads, isa: Isa::detect(), governor: false })
}

fn call(executor: &mut dyn Executor, at: u32, rows: usize) -> Vec<u32> {
    let mut table = RowTable::new();
    let tokens: Vec<u32> = (0..rows as u32).map(|i| (at + i) % 90).collect();
    table.push_chain(0, at, &tokens, 1, Wanted::Logits);
    let mut out = Outputs::default();
    let entry = executor.plan().entry_for(rows).unwrap();
    executor.execute(entry, &table, &mut out).unwrap();
    out.logits[0].iter().map(|l| l.to_bits()).collect()
}

fn spans(executor: &dyn Executor) -> Vec<OpSpan> {
    let mut all = Vec::new();
    executor.op_spans(&mut |s| all.push(s));
    all
}

#[test]
fn every_thread_tells_every_op_of_a_call_in_order() {
    let model = model(Encoding::TQ2_0, false);
    for (threads, mut executor) in [
        (1, load(&backend(1), &model)),
        (3, load(&backend(3), &model)),
        (1, load(&RefBackend::law(), &model)),
    ] {
        let ops = executor.plan().entries[0].ops.len();
        assert!(spans(&*executor).is_empty());
        executor.trace(true);
        for (at, rows) in [(0, 40), (40, 1)] {
            let start = Instant::now();
            call(&mut *executor, at, rows);
            let end = Instant::now();
            let all = spans(&*executor);
            assert_eq!(all.len(), threads * ops);
            for (thread, part) in all.chunks(ops).enumerate() {
                let mut before = start;
                for (op, s) in part.iter().enumerate() {
                    assert_eq!((s.thread, s.op), (thread, op));
                    assert!(before <= s.start && s.start <= s.done && s.done <= s.end, "{s:?}");
                    before = s.end;
                }
                assert!(before <= end);
            }
            // An op ends after every thread was done with it.
            for op in 0..ops {
                let done = all.iter().filter(|s| s.op == op).map(|s| s.done).max().unwrap();
                assert!(all.iter().filter(|s| s.op == op).all(|s| s.end >= done));
            }
        }
    }
}

#[test]
fn tracing_changes_no_bit_and_ends_when_told() {
    let model = model(Encoding::Q8_0, true);
    let run = |traced: bool| {
        let mut executor = load(&backend(2), &model);
        executor.trace(traced);
        let bits = [call(&mut *executor, 0, 33), call(&mut *executor, 33, 1)];
        (bits, executor.state_bytes(0).unwrap(), spans(&*executor).len())
    };
    let (plain, traced) = (run(false), run(true));
    assert!(plain.0 == traced.0 && plain.1 == traced.1);
    assert!(plain.2 == 0 && traced.2 > 0);
    let mut executor = load(&backend(2), &model);
    executor.trace(true);
    call(&mut *executor, 0, 4);
    executor.trace(false);
    call(&mut *executor, 4, 4);
    assert!(spans(&*executor).is_empty());
}

#[test]
fn a_dry_run_foretells_the_memory_of_the_weights() {
    let floats = [Encoding::F32, Encoding::F16, Encoding::BF16];
    let rows = [Encoding::Ternary(ScaleGroup::Row)];
    for encoding in INTEGER_ENCODINGS.into_iter().chain(floats).chain(rows) {
        for tied in [false, true] {
            let model = model(encoding, tied);
            for isa in Isa::here() {
                let backend = CpuBackend::new(CpuOptions { threads: 1, isa, governor: false });
                let executor = load(&backend, &model);
                let foretold = backend.weight_memory(executor.plan()).unwrap();
                assert_eq!(foretold, Some(executor.memory().weights), "{encoding} {isa:?} {tied}");
            }
        }
    }
}
