//! Recurrent layers on the CPU against the law, by memcmp: encodings, instruction sets, widths, threads, folds (C1, C5,
//! T7, T8), a thousand steps in any cut (T13), neighbours, and calls that fail.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::Encoding;
use sterna_plan::{
    Backend, BackendError, Executor, Fusions, Outputs, PlanError, PlanOptions, RowTable, Wanted,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, Random, TestModel, hybrid_config, logits, narrow_hybrid_config, plan};

fn model(encoding: Encoding, narrow: bool) -> TestModel {
    let config = if narrow { narrow_hybrid_config() } else { hybrid_config() };
    TestModel::new(31, config, Encodings { embed: Encoding::F16, ..Encodings::new(encoding) }).unwrap()
}

fn load(backend: &dyn Backend, model: &TestModel, options: &PlanOptions) -> Box<dyn Executor> {
    let plan = plan(model, options).unwrap();
    let mut executor = backend.load(plan, model, &mut |_, _| {}).unwrap();
    executor.allocate(3, options.context).unwrap();
    executor
}

fn cpu(model: &TestModel, threads: usize, isa: Isa, options: &PlanOptions) -> Box<dyn Executor> {
    load(&CpuBackend::new(CpuOptions { threads, isa, governor: false }), model, options)
}

fn bits(logits: &[Vec<f32>]) -> Vec<Vec<u32>> {
    logits.iter().map(|l| l.iter().map(|v| v.to_bits()).collect()).collect()
}

#[test]
fn hybrids_have_the_bits_of_the_law() {
    let all = [
        (Encoding::Q8_0, false),
        (Encoding::Q4_0, false),
        (Encoding::Q4K, false),
        (Encoding::BF16, false),
        (Encoding::F16, true),
        (Encoding::F32, true),
        (Encoding::Q8_0, true),
    ];
    for (encoding, narrow) in all {
        let model = model(encoding, narrow);
        let tokens = Random::new(3).tokens(150, model.config.vocab);
        let folded = PlanOptions::new(256);
        let unfused = PlanOptions { fusions: Fusions::NONE, ..PlanOptions::new(256) };
        let mut law = load(&RefBackend::law(), &model, &folded);
        let want = bits(&logits(&mut *law, 0, &tokens, &[128]).unwrap());
        let state = law.state_bytes(0).unwrap();
        const CUTS: &[&[usize]] = &[&[1], &[2, 3, 4, 5, 6, 7], &[63, 65], &[128]];
        const FEW: &[&[usize]] = &[&[1, 17], &[128]];
        let runs = [
            (Isa::detect(), 1, &folded, CUTS),
            (Isa::detect(), 2, &folded, CUTS),
            (Isa::detect(), 3, &unfused, FEW),
            (Isa::Portable, 2, &folded, FEW),
        ];
        let between = Isa::here().skip(1).filter(|isa| *isa != Isa::Portable);
        for (isa, threads, options, cuts) in runs.into_iter().chain(between.map(|isa| (isa, 2, &folded, FEW)))
        {
            let mut executor = cpu(&model, threads, isa, options);
            for cut in cuts {
                executor.truncate(0, 0).unwrap();
                let got = bits(&logits(&mut *executor, 0, &tokens, cut).unwrap());
                assert!(want == got, "{encoding} {isa:?} {threads} threads, chunks {cut:?}");
                assert!(state == executor.state_bytes(0).unwrap(), "{encoding} state, chunks {cut:?}");
            }
        }
    }
}

#[test]
fn each_fold_alone_changes_no_bit() {
    let model = model(Encoding::Q8_0, false);
    let tokens = Random::new(5).tokens(70, model.config.vocab);
    let run = |fusions| {
        let mut executor = cpu(&model, 2, Isa::detect(), &PlanOptions { fusions, ..PlanOptions::new(256) });
        let ops = executor.plan().entries[0].ops.len();
        let logits = bits(&logits(&mut *executor, 0, &tokens, &[64, 1, 5]).unwrap());
        (ops, logits, executor.state_bytes(0).unwrap())
    };
    let none = Fusions::NONE;
    let (most, want, state) = run(none);
    for fusions in [
        Fusions { attention: true, ..none },
        Fusions { delta: true, ..none },
        Fusions { rows: true, ..none },
        Fusions::ALL,
    ] {
        let (ops, got, end) = run(fusions);
        assert!(ops < most, "{fusions:?} folds nothing");
        assert!(want == got && state == end, "{fusions:?}");
    }
}

/// T13: a thousand steps singly, in chunks of 16, 64 and 512, and with odd remainders.
#[test]
fn a_thousand_steps_in_any_cut() {
    for narrow in [true, false] {
        let model = model(Encoding::Q8_0, narrow);
        let options = PlanOptions { widths: vec![1, 16, 64, 128, 512], ..PlanOptions::new(512) };
        let options = if narrow { options } else { PlanOptions { context: 1024, ..options } };
        let n = if narrow { 512 } else { 1000 };
        let tokens = Random::new(8).tokens(n, model.config.vocab);
        let mut executor = cpu(&model, 2, Isa::detect(), &options);
        let want = bits(&logits(&mut *executor, 0, &tokens, &[1]).unwrap());
        let state = executor.state_bytes(0).unwrap();
        let cuts: [&[usize]; 8] =
            [&[16], &[64], &[512], &[1, 63], &[65, 1], &[63], &[65, 512, 1, 64], &[512, 1, 16, 63, 65]];
        for cut in cuts {
            executor.truncate(0, 0).unwrap();
            assert!(want == bits(&logits(&mut *executor, 0, &tokens, cut).unwrap()), "{cut:?}");
            assert!(state == executor.state_bytes(0).unwrap(), "state in chunks of {cut:?}");
        }
        assert!(state.as_chunks::<4>().0.iter().any(|b| f32::from_le_bytes(*b) != 0.0));
    }
}

/// Rows of two sequences woven into one call have the bits they have alone; a third slot is as it was.
#[test]
fn neighbours_leave_no_trace() {
    let model = model(Encoding::Q8_0, true);
    let mut executor = cpu(&model, 2, Isa::detect(), &PlanOptions::new(256));
    let tokens = [1, 2].map(|seed| Random::new(seed).tokens(60, model.config.vocab));
    let alone = [0, 1].map(|i: usize| {
        executor.truncate(2, 0).unwrap();
        let logits = bits(&logits(&mut *executor, 2, &tokens[i], &[1]).unwrap());
        (logits, executor.state_bytes(2).unwrap())
    });
    let mut out = Outputs::default();
    for from in [0, 20, 40] {
        // Rows of slot 1 and slot 0 in turns.
        let (mut chains, mut rows) = (RowTable::new(), RowTable::new());
        for slot in [1, 0] {
            chains.push_chain(slot, from as u32, &tokens[slot][from..from + 20], 20, Wanted::Logits);
        }
        for i in 0..20 {
            for at in [i, 20 + i] {
                let mut row = chains.rows()[at];
                if let sterna_plan::Parent::Row(_) = row.parent {
                    row.parent = sterna_plan::Parent::Row(rows.len() - 2);
                }
                rows.push(row);
            }
        }
        executor.execute(executor.plan().entry_for(40).unwrap(), &rows, &mut out).unwrap();
        for (i, got) in bits(&out.logits).into_iter().enumerate() {
            let slot = 1 - i % 2;
            assert!(got == alone[slot].0[from + i / 2], "slot {slot}, row {}", from + i / 2);
        }
    }
    for (slot, alone) in alone.iter().enumerate() {
        assert!(executor.state_bytes(slot).unwrap() == alone.1, "state of slot {slot}");
    }
    assert!(executor.state_bytes(2).unwrap() == alone[1].1);
}

/// A call whose logits are not finite leaves the committed states as they were, and names the op.
#[test]
fn a_call_that_fails_leaves_no_trace() {
    let mut config = narrow_hybrid_config();
    config.tied = false;
    let mut model = TestModel::new(31, config, Encodings::new(Encoding::Q8_0)).unwrap();
    let row = 2 * model.config.hidden;
    model.bytes_mut("embed").unwrap()[5 * row..5 * row + 2].copy_from_slice(&0x7e00u16.to_le_bytes());
    let mut executor = cpu(&model, 2, Isa::detect(), &PlanOptions::new(256));
    logits(&mut *executor, 0, &[1, 2, 3], &[3]).unwrap();
    let state = executor.state_bytes(0).unwrap();
    for _ in 0..2 {
        let mut rows = RowTable::new();
        rows.push_chain(0, 3, &[4, 5], 1, Wanted::Argmax);
        match executor.execute(1, &rows, &mut Outputs::default()) {
            Err(BackendError::NonFinite { name, .. }) => assert!(name.contains("embed"), "{name}"),
            other => panic!("{other:?}"),
        }
        assert!(executor.state_bytes(0).unwrap() == state && executor.committed() == [3, 0, 0]);
    }
    let next = logits(&mut *executor, 0, &[6], &[1]).unwrap();
    let cold = logits(&mut *executor, 1, &[1, 2, 3, 6], &[4]).unwrap();
    assert!(bits(&cold[3..]) == bits(&next));
    assert!(executor.state_bytes(0).unwrap() == executor.state_bytes(1).unwrap());
}

#[test]
fn a_recurrent_state_is_cut_to_the_start_alone() {
    let model = model(Encoding::Q8_0, true);
    let mut executor = cpu(&model, 1, Isa::detect(), &PlanOptions::new(256));
    let first = logits(&mut *executor, 0, &[1, 2, 3, 4], &[4]).unwrap();
    match executor.truncate(0, 2) {
        Err(BackendError::Plan(PlanError::Cut { len: 2, committed: 4, reusable: 0 })) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!((executor.reusable_prefix(0, 3).unwrap(), executor.reusable_prefix(0, 4).unwrap()), (0, 4));
    executor.truncate(0, 4).unwrap();
    assert_eq!(executor.committed()[0], 4);
    executor.truncate(0, 0).unwrap();
    assert!(executor.state_bytes(0).unwrap().is_empty());
    assert!(bits(&logits(&mut *executor, 0, &[1, 2, 3, 4], &[1, 3]).unwrap()) == bits(&first));
    let fixed: usize = executor.plan().states.iter().map(|s| s.bytes_fixed()).sum();
    assert!(fixed > 0 && executor.memory().states > 3 * 2 * fixed);
}
