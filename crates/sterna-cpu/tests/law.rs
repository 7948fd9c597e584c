//! The CPU backend against the law of `sterna-ref`, by memcmp: every encoding, instruction set, width, thread count
//! and fold (contract C1 to C5, T8).
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::sync::Arc;

use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::{Encoding, ScaleGroup};
use sterna_plan::{Backend, BackendError, Executor, Fusions, Outputs, PlanOptions, RowTable, Wanted};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, INTEGER_ENCODINGS, Random, TestModel, config, logits, plan};

fn model(encoding: Encoding, qk_norm: bool, tied: bool) -> TestModel {
    let config = sterna_bundle::ModelConfig { qk_norm, tied, ..config() };
    // A tied table is the head, so its rows are looked up in what the head's kernel reads.
    let head = if tied { Encoding::F16 } else { encoding };
    let embed = if tied { encoding } else { Encoding::F16 };
    let encodings = Encodings { head, embed, ..Encodings::new(encoding) };
    TestModel::new(7, config, encodings).unwrap()
}

fn load(backend: &dyn Backend, model: &TestModel, fusions: Fusions) -> Box<dyn Executor> {
    let plan = plan(model, &PlanOptions { fusions, ..PlanOptions::new(256) }).unwrap();
    let mut executor = backend.load(plan, model, &mut |_, _| {}).unwrap();
    executor.allocate(3, 256).unwrap();
    executor
}

fn cpu(model: &TestModel, threads: usize, isa: Isa, fusions: Fusions) -> Box<dyn Executor> {
    load(&CpuBackend::new(CpuOptions { threads, isa, governor: false }), model, fusions)
}

fn bits(logits: &[Vec<f32>]) -> Vec<Vec<u32>> {
    logits.iter().map(|l| l.iter().map(|v| v.to_bits()).collect()).collect()
}

fn encodings() -> impl Iterator<Item = Encoding> {
    INTEGER_ENCODINGS.into_iter().chain([Encoding::F16, Encoding::BF16, Encoding::F32])
}

/// Every encoding as linear layers and as an untied head: 150 positions are three attention pieces.
#[test]
fn every_encoding_has_the_bits_of_the_law() {
    for (i, encoding) in encodings().enumerate() {
        let model = model(encoding, i % 2 == 0, i % 3 == 0);
        let tokens = Random::new(3).tokens(150, model.config.vocab);
        let mut law = load(&RefBackend::law(), &model, Fusions::ALL);
        let want = bits(&logits(&mut *law, 0, &tokens, &[128]).unwrap());
        let state = law.state_bytes(0).unwrap();
        let all = Fusions::ALL;
        let runs: &[(Isa, usize, Fusions, &[&[usize]])] = &[
            (
                Isa::detect(),
                1,
                all,
                &[&[1], &[2], &[3], &[4], &[5], &[6], &[7, 8, 9, 10, 11, 12, 13], &[16], &[33]],
            ),
            (Isa::detect(), 2, all, &[&[1], &[63, 65], &[64], &[128]]),
            (Isa::detect(), 2, Fusions::NONE, &[&[1, 17], &[128]]),
            (Isa::detect(), 3, all, &[&[1, 17], &[128]]),
            (Isa::Portable, 2, all, &[&[1, 17], &[128]]),
        ];
        // The instruction sets between the best and plain Rust.
        let between = Isa::here().skip(1).filter(|isa| *isa != Isa::Portable);
        const CUTS: &[&[usize]] = &[&[1, 17], &[2, 5, 7], &[128]];
        let between = between.map(|isa| (isa, 2, all, CUTS));
        for (isa, threads, fusions, cuts) in runs.iter().copied().chain(between) {
            let mut executor = cpu(&model, threads, isa, fusions);
            for cut in cuts {
                executor.truncate(0, 0).unwrap();
                let got = bits(&logits(&mut *executor, 0, &tokens, cut).unwrap());
                assert!(want == got, "{encoding} {isa:?} {threads} threads, chunks {cut:?}, {fusions:?}");
                assert!(state == executor.state_bytes(0).unwrap(), "{encoding} state, chunks {cut:?}");
            }
        }
    }
}

/// Each fold alone changes no bit.
#[test]
fn each_fold_alone_changes_no_bit() {
    let model = model(Encoding::TQ2_0, true, true);
    let tokens = Random::new(5).tokens(70, model.config.vocab);
    let run = |fusions| {
        let mut executor = cpu(&model, 2, Isa::detect(), fusions);
        let ops = executor.plan().entries[0].ops.len();
        (ops, bits(&logits(&mut *executor, 0, &tokens, &[64, 1, 5]).unwrap()))
    };
    let (most, want) = run(Fusions::NONE);
    let none = Fusions::NONE;
    for fusions in [
        Fusions { members: true, ..none },
        Fusions { members: true, norm: true, ..none },
        Fusions { members: true, gate_up: true, ..none },
        Fusions { residual: true, ..none },
        Fusions { attention: true, ..none },
        Fusions { norm: true, select: true, ..none },
        Fusions { rows: true, ..none },
        Fusions::ALL,
    ] {
        let (ops, got) = run(fusions);
        assert!(ops < most, "{fusions:?} folds nothing");
        assert!(want == got, "{fusions:?}");
    }
}

/// Rows of two sequences in one call have the bits they have alone, and warm prefixes those of a cold run.
#[test]
fn neighbours_and_prefixes_leave_no_trace() {
    let model = model(Encoding::Q4_1, false, true);
    let mut executor = cpu(&model, 2, Isa::detect(), Fusions::ALL);
    let (a, b) =
        (Random::new(1).tokens(90, model.config.vocab), Random::new(2).tokens(70, model.config.vocab));
    let alone = [&a, &b].map(|t| {
        executor.truncate(2, 0).unwrap();
        bits(&logits(&mut *executor, 2, t, &[1]).unwrap())
    });
    let mut out = Outputs::default();
    for (at, n) in [(0, 30), (30, 40)] {
        let mut rows = RowTable::new();
        rows.push_chain(1, at as u32, &b[at..at + n], n, Wanted::Logits);
        rows.push_chain(0, at as u32, &a[at..at + n], n, Wanted::Logits);
        executor.execute(executor.plan().entry_for(2 * n).unwrap(), &rows, &mut out).unwrap();
        let got = bits(&out.logits);
        assert!(got[..n] == alone[1][at..at + n] && got[n..] == alone[0][at..at + n]);
    }
    for round in 0..100 {
        let keep = 69 - round * 31 % 60;
        executor.truncate(0, keep as u32).unwrap();
        let rest = bits(&logits(&mut *executor, 0, &a[keep..], &[[64], [3]][round % 2]).unwrap());
        assert!(alone[0][keep..] == rest, "round {round}");
    }
}

/// Weights are read once per call whatever its width.
#[test]
fn a_chunk_reads_the_weights_once() {
    let model = model(Encoding::Ternary(ScaleGroup::Block256), false, false);
    let mut executor = cpu(&model, 2, Isa::detect(), Fusions::ALL);
    let (mut out, mut seen) = (Outputs::default(), Vec::new());
    for n in [1, 2, 4, 7, 16, 64, 128] {
        executor.truncate(0, 0).unwrap();
        let mut rows = RowTable::new();
        rows.push_chain(0, 0, &vec![1; n], 1, Wanted::Argmax);
        executor.execute(executor.plan().entry_for(n).unwrap(), &rows, &mut out).unwrap();
        seen.push((out.stats.weight_bytes, out.stats.macs / n as u64));
    }
    let bytes = seen[0].0;
    assert!(bytes > 0 && seen.iter().all(|s| s.0 == bytes), "{seen:?}");
    assert!(bytes as usize <= executor.memory().weights);
}

#[test]
fn broken_weights_name_the_op_and_change_no_state() {
    let mut model = model(Encoding::Q8_0, false, true);
    // The f16 scale of the first block of a row of `up` in layer 1 becomes NaN.
    model.bytes_mut("layers.1.up").unwrap()[..2].copy_from_slice(&0x7e00u16.to_le_bytes());
    let mut executor = cpu(&model, 2, Isa::detect(), Fusions::ALL);
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, &[1, 2, 3], 1, Wanted::Argmax);
    let entry = executor.plan().entry_for(3).unwrap();
    match executor.execute(entry, &rows, &mut Outputs::default()) {
        Err(BackendError::NonFinite { name, .. }) => assert!(name.contains("layers.1.up"), "{name}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(executor.committed(), [0, 0, 0]);
}

#[test]
fn calls_that_do_not_fit_are_refused() {
    let model = model(Encoding::F16, false, true);
    let mut executor = cpu(&model, 1, Isa::detect(), Fusions::ALL);
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, &[1, 2], 1, Wanted::Argmax);
    let mut out = Outputs::default();
    assert!(executor.execute(0, &rows, &mut out).is_err(), "two rows in an entry of one");
    assert!(executor.execute(99, &rows, &mut out).is_err());
    assert!(executor.allocate(1, 100_000).is_err());
    assert!(executor.allocate(0, 10).is_err());
    assert!(executor.truncate(7, 0).is_err());
    assert!(executor.state_bytes(7).is_err());
    let plan = Arc::clone(executor.plan());
    let missing = {
        let mut m = TestModel::new(7, model.config.clone(), Encodings::new(Encoding::F16)).unwrap();
        m.remove("layers.0.q");
        CpuBackend::new(CpuOptions::default()).load(plan, &m, &mut |_, _| {}).err()
    };
    assert!(missing.unwrap().to_string().contains("layers.0.q"));
}
