//! Sliding windows, shared keys and per-layer inputs (Gemma 4): the CPU against the law by memcmp, chunks of every length,
//! rings that wrap, are held, accepted from and cut. On the CPU and in the law.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::sync::Arc;

use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::{CodeBits, Encoding};
use sterna_plan::{
    Backend, BackendError, Executor, Fusions, ModelPlan, Op, Outputs, Parent, PlanError, PlanOptions, Row,
    RowTable, Source, StateSpec, Wanted,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, Random, TestModel, gemma4_config, logits, plan};

/// Positions kept by a ring of window 40 in a plan whose widest call has 128 rows.
const RING: u32 = 192;
const WINDOW: u32 = 40;

fn model(encoding: Encoding) -> TestModel {
    let encodings = Encodings { embed: encoding, ..Encodings::new(encoding) };
    TestModel::new(41, gemma4_config(), encodings).unwrap()
}

fn cpu(threads: usize, isa: Isa) -> CpuBackend {
    CpuBackend::new(CpuOptions { threads, isa, governor: false })
}

fn start(backend: &dyn Backend, plan: Arc<ModelPlan>, model: &TestModel) -> Box<dyn Executor> {
    let capacity = plan.context;
    let mut executor = backend.load(plan, model, &mut |_, _| {}).unwrap();
    executor.allocate(2, capacity).unwrap();
    executor
}

fn load(backend: &dyn Backend, model: &TestModel, options: &PlanOptions) -> Box<dyn Executor> {
    start(backend, plan(model, options).unwrap(), model)
}

fn bits(logits: &[Vec<f32>]) -> Vec<Vec<u32>> {
    logits.iter().map(|l| l.iter().map(|v| v.to_bits()).collect()).collect()
}

fn run(executor: &mut dyn Executor, tokens: &[u32], chunks: &[usize]) -> Vec<Vec<u32>> {
    bits(&logits(executor, 0, tokens, chunks).unwrap())
}

#[test]
fn the_cpu_has_the_bits_of_the_law() {
    let rows = [CodeBits::Two, CodeBits::Four, CodeBits::Eight].map(Encoding::PerRow);
    let others = [Encoding::F32, Encoding::F16, Encoding::BF16, Encoding::Q8_0, Encoding::Q4_0];
    for encoding in others.into_iter().chain(rows) {
        let model = model(encoding);
        let tokens = Random::new(3).tokens(450, model.config.vocab);
        let (folded, unfused) =
            (PlanOptions::new(512), PlanOptions { fusions: Fusions::NONE, ..PlanOptions::new(512) });
        let mut law = load(&RefBackend::law(), &model, &folded);
        let want = run(&mut *law, &tokens, &[128]);
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
            let mut executor = load(&cpu(threads, isa), &model, options);
            for cut in cuts {
                executor.truncate(0, 0).unwrap();
                let got = run(&mut *executor, &tokens, cut);
                assert!(want == got, "{encoding} {isa:?} {threads} threads, chunks {cut:?}");
                assert!(state == executor.state_bytes(0).unwrap(), "{encoding} state, chunks {cut:?}");
            }
        }
    }
}

/// T8 for every C: chunks of 1 to 128 rows over more than two turns of the rings give the bits of single rows.
#[test]
fn chunks_of_every_length_give_the_bits_of_single_rows() {
    let model = model(Encoding::Q8_0);
    let tokens = Random::new(4).tokens(460, model.config.vocab);
    let mut executor = load(&cpu(2, Isa::detect()), &model, &PlanOptions::new(512));
    let want = run(&mut *executor, &tokens, &[1]);
    let state = executor.state_bytes(0).unwrap();
    for chunk in 1..=128 {
        executor.truncate(0, 0).unwrap();
        assert!(want == run(&mut *executor, &tokens, &[chunk]), "chunks of {chunk}");
        assert!(state == executor.state_bytes(0).unwrap(), "state in chunks of {chunk}");
    }
    // A ring keeps what the next row sees: 39 positions of two sliding layers, beside all of the one full layer.
    let full = 2 * 2 * 64 * tokens.len();
    let ring = 2 * 2 * 2 * 32 * (WINDOW as usize - 1);
    assert_eq!(state.len(), full + 2 * ring);
}

/// On every instruction set, with one thread and with several, and in the law.
#[test]
fn each_fold_alone_changes_no_bit() {
    let model = model(Encoding::Q4_0);
    let tokens = Random::new(5).tokens(100, model.config.vocab);
    let run = |backend: &dyn Backend, fusions| {
        let options = PlanOptions { fusions, ..PlanOptions::new(256) };
        let mut executor = load(backend, &model, &options);
        let ops = executor.plan().entries[0].ops.len();
        let logits = run(&mut *executor, &tokens, &[64, 1, 5]);
        (ops, logits, executor.state_bytes(0).unwrap())
    };
    let none = Fusions::NONE;
    let mut backends: Vec<Box<dyn Backend>> =
        vec![Box::new(RefBackend::law()), Box::new(cpu(3, Isa::detect()))];
    backends.extend(Isa::here().map(|isa| Box::new(cpu(1, isa)) as Box<dyn Backend>));
    let (most, want, state) = run(&*backends[0], none);
    let joins = Fusions { norm: true, post_norm: true, ..none };
    for fusions in [
        none,
        Fusions { members: true, ..none },
        Fusions { norm: true, ..none },
        Fusions { residual: true, ..none },
        Fusions { attention: true, ..none },
        Fusions { members: true, gate_up: true, ..none },
        Fusions { layer_input: true, ..none },
        Fusions { post_norm: true, ..none },
        Fusions { norm: true, select: true, ..none },
        Fusions { stream: true, ..joins },
        Fusions { rows: true, ..none },
        Fusions::ALL,
    ] {
        for (i, backend) in backends.iter().enumerate() {
            let (ops, got, end) = run(&**backend, fusions);
            assert!(ops < most || fusions == none, "{fusions:?} folds nothing");
            assert!(want == got && state == end, "{fusions:?} {i} {}", backend.limits().description);
        }
    }
}

/// A backend that has no kernels for the last folds takes them apart again, and has the bits of the plan with them.
#[test]
fn plans_come_apart_without_a_changed_bit() {
    let model = model(Encoding::Q4_0);
    let tokens = Random::new(6).tokens(70, model.config.vocab);
    let folded = plan(&model, &PlanOptions::new(256)).unwrap();
    let without = Fusions { select: false, stream: false, rows: false, ..Fusions::ALL };
    let never = plan(&model, &PlanOptions { fusions: without, ..PlanOptions::new(256) }).unwrap();
    let apart = Arc::new(folded.apart());
    // Every sum of the residual stream but the last one is a copy more.
    let sums = 3 * model.config.layers - 1;
    assert_eq!(apart.entries[0].ops.len(), never.entries[0].ops.len() + sums);
    assert_eq!(*never, never.apart());
    let alone =
        |op: &Op| !matches!(op, Op::RowByRow(_)) && !matches!(op, Op::Linear(l) if l.source != Source::Given);
    assert!(apart.entries.iter().flat_map(|e| &e.ops).all(alone));
    assert!(!folded.entries.iter().flat_map(|e| &e.ops).all(alone));
    for backend in [&RefBackend::law() as &dyn Backend, &cpu(2, Isa::detect())] {
        let answers = [&folded, &apart, &never].map(|p| {
            let mut executor = start(backend, Arc::clone(p), &model);
            let logits = run(&mut *executor, &tokens, &[33, 1, 5]);
            (logits, executor.state_bytes(0).unwrap())
        });
        assert!(answers[0] == answers[1] && answers[0] == answers[2], "{}", backend.name());
    }
}

/// Rows held and not accepted leave no trace, wherever in the ring they lay: the state is that of the accepted ones, and so
/// is what follows.
#[test]
fn rings_hold_accept_and_go_on() {
    let model = model(Encoding::Q8_0);
    let vocab = model.config.vocab as u32;
    let text = Random::new(6).tokens(480, model.config.vocab);
    for backend in [&cpu(2, Isa::detect()) as &dyn Backend, &RefBackend::law()] {
        let (mut plain, mut tried) =
            (load(backend, &model, &PlanOptions::new(512)), load(backend, &model, &PlanOptions::new(512)));
        let want = run(&mut *plain, &text, &[128]);
        plain.truncate(0, 0).unwrap();
        let mut random = Random::new(7);
        let (mut at, mut rejected, mut out) = (0, 0, Outputs::default());
        while at + 64 < text.len() {
            let n = 1 + random.below(64);
            let accepted = random.below(n + 1);
            let mut draft = text[at..at + n].to_vec();
            draft[accepted..].iter_mut().for_each(|t| *t = (*t + 1) % vocab);
            let mut rows = RowTable::new();
            rows.push_chain(0, at as u32, &draft, n, Wanted::Logits);
            let state = tried.state_bytes(0).unwrap();
            tried.hold(tried.plan().entry_for(n).unwrap(), &rows, &mut out).unwrap();
            assert!(state == tried.state_bytes(0).unwrap(), "nothing is committed yet");
            assert!(bits(&out.logits)[..accepted] == want[at..at + accepted], "{} at {at}", backend.name());
            tried.accept(0, &(0..accepted).collect::<Vec<_>>()).unwrap();
            let _ = logits(&mut *plain, 0, &text[at..at + accepted], &[1]).unwrap();
            (at, rejected) = (at + accepted, rejected + n - accepted);
            assert_eq!(tried.committed()[0], at as u32);
            let same = tried.state_bytes(0).unwrap() == plain.state_bytes(0).unwrap();
            assert!(same, "{} state at {at}", backend.name());
        }
        assert!(rejected > 100 && at > 2 * RING as usize);
        assert!(run(&mut *tried, &text[at..], &[1]) == want[at..], "{}", backend.name());
    }
}

/// A ring is cut as far back as it holds what the position sees; a cut further back is refused, but for the start.
#[test]
fn a_ring_is_cut_as_far_as_it_reaches() {
    let model = model(Encoding::Q8_0);
    let text = Random::new(8).tokens(460, model.config.vocab);
    for backend in [&cpu(1, Isa::detect()) as &dyn Backend, &RefBackend::law()] {
        let mut executor = load(backend, &model, &PlanOptions::new(512));
        let want = run(&mut *executor, &text, &[128]);
        let furthest = 460 + WINDOW - 1 - RING;
        assert_eq!(executor.reusable_prefix(0, furthest).unwrap(), furthest);
        assert_eq!(executor.reusable_prefix(0, furthest - 1).unwrap(), 0);
        match executor.truncate(0, furthest - 1) {
            Err(BackendError::Plan(PlanError::Cut { len, committed: 460, reusable: 0 })) => {
                assert_eq!(len, furthest - 1);
            }
            other => panic!("{other:?}"),
        }
        for keep in [459, 400, furthest] {
            executor.truncate(0, keep).unwrap();
            let again = keep as usize..(keep as usize + 7).min(text.len());
            let got = run(&mut *executor, &text[again.clone()], &[3]);
            assert!(got == want[again], "{} cut to {keep}", backend.name());
            // What was overwritten further on stays lost.
            assert_eq!(executor.reusable_prefix(0, furthest - 1).unwrap(), 0);
        }
        executor.truncate(0, 0).unwrap();
        assert!(run(&mut *executor, &text[..70], &[64]) == want[..70]);
        executor.truncate(0, 3).unwrap();
        assert!(run(&mut *executor, &text[3..70], &[64]) == want[3..70], "before a ring wraps all is there");
    }
}

/// A ring that has no room for the rows of a call loses keys that its first rows see: the law finds them missing.
#[test]
fn a_ring_that_is_too_short_is_found_out() {
    let model = model(Encoding::F32);
    let mut plan = Arc::unwrap_or_clone(plan(&model, &PlanOptions::new(512)).unwrap());
    for state in &mut plan.states {
        if let StateSpec::RingKv { rows, .. } = state {
            assert_eq!(*rows, RING as usize);
            *rows = 128;
        }
    }
    let mut executor = start(&RefBackend::law(), Arc::new(plan), &model);
    let text = Random::new(9).tokens(256, model.config.vocab);
    match logits(&mut *executor, 0, &text, &[128]) {
        Err(BackendError::NonFinite { name, .. }) => assert!(name.contains("attention"), "{name}"),
        other => panic!("{:?}", other.map(|l| l.len())),
    }
}

#[test]
fn trees_are_refused() {
    let model = model(Encoding::F16);
    for backend in [&cpu(1, Isa::detect()) as &dyn Backend, &RefBackend::law()] {
        let mut executor = load(backend, &model, &PlanOptions::new(64));
        let mut rows = RowTable::new();
        rows.push_chain(0, 0, &[1, 2], 1, Wanted::Argmax);
        let (parent, wanted) = (Parent::Row(0), Wanted::Argmax);
        rows.push(Row { token: 3, sequence: 0, position: 1, parent, kv_slot: 1, wanted });
        let refused = executor.hold(1, &rows, &mut Outputs::default()).unwrap_err();
        assert!(refused.to_string().contains("a tree"), "{refused}");
    }
}

/// The best token is found on plain logits; the ones handed out lie under the cap, in the same order.
#[test]
fn a_soft_cap_keeps_the_order() {
    let model = model(Encoding::F16);
    for backend in [&cpu(1, Isa::detect()) as &dyn Backend, &RefBackend::law(), &RefBackend::float()] {
        let mut executor = load(backend, &model, &PlanOptions::new(64));
        let mut rows = RowTable::new();
        rows.push_chain(0, 0, &[1, 2, 3], 3, Wanted::Logits);
        let mut out = Outputs::default();
        executor.execute(1, &rows, &mut out).unwrap();
        for (top, logits) in out.top.iter().zip(&out.logits) {
            let best = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert!(logits.iter().all(|l| l.abs() < 3.0), "{} caps at 3", backend.name());
            assert_eq!((top.logit, logits[top.token as usize]), (best, best));
            assert!(top.second < top.logit);
        }
    }
}
