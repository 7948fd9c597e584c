//! Calls that are held, and accepting some of their rows: the state is what it would be had only those been run, by memcmp
//! (C5, T12); trees; snapshots; hidden states in and out. On the CPU and in the law.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::Encoding;
use sterna_plan::{
    Backend, BackendError, Executor, HOLD_ROWS, Kin, Outputs, Parent, PlanError, PlanOptions, Row, RowTable,
    Taps, Wanted, build_mtp,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{
    Encodings, Random, TestModel, hybrid_config, logits, narrow_config, narrow_hybrid_config, numerics, plan,
};

const CAPACITY: usize = 256;

fn cpu(threads: usize, isa: Isa) -> CpuBackend {
    CpuBackend::new(CpuOptions { threads, isa, governor: false })
}

fn load(backend: &dyn Backend, model: &TestModel) -> Box<dyn Executor> {
    let plan = plan(model, &PlanOptions::new(CAPACITY)).unwrap();
    let mut executor = backend.load(plan, model, &mut |_, _| {}).unwrap();
    executor.allocate(3, CAPACITY).unwrap();
    executor
}

fn hybrid() -> TestModel {
    TestModel::new(5, narrow_hybrid_config(), Encodings::new(Encoding::Q8_0)).unwrap()
}

fn dense() -> TestModel {
    TestModel::new(6, narrow_config(), Encodings::new(Encoding::Q8_0)).unwrap()
}

fn bits(logits: &[Vec<f32>]) -> Vec<Vec<u32>> {
    logits.iter().map(|l| l.iter().map(|v| v.to_bits()).collect()).collect()
}

/// Feeds tokens one after the other and gives their logits.
fn feed(executor: &mut dyn Executor, slot: usize, tokens: &[u32]) -> Vec<Vec<u32>> {
    bits(&logits(executor, slot, tokens, &[1]).unwrap())
}

fn hold(executor: &mut dyn Executor, rows: &RowTable) -> Vec<Vec<u32>> {
    let mut out = Outputs::default();
    let entry = executor.plan().entry_for(rows.len()).unwrap();
    executor.hold(entry, rows, &mut out).unwrap();
    assert_eq!(out.rows, (0..rows.len()).collect::<Vec<_>>());
    bits(&out.logits)
}

fn chain(slot: usize, position: usize, tokens: &[u32]) -> RowTable {
    let mut rows = RowTable::new();
    rows.push_chain(slot, position as u32, tokens, tokens.len(), Wanted::Logits);
    rows
}

#[test]
fn only_accepted_rows_count() {
    let wide = TestModel::new(7, hybrid_config(), Encodings::new(Encoding::Q4K)).unwrap();
    for (model, backend, most) in [
        (hybrid(), &cpu(2, Isa::detect()) as &dyn Backend, 9),
        (hybrid(), &cpu(1, Isa::Portable), 5),
        (wide, &cpu(3, Isa::detect()), 3),
        (dense(), &cpu(2, Isa::detect()), 4),
        (hybrid(), &RefBackend::law(), 4),
        (dense(), &RefBackend::law(), 3),
    ] {
        let mut random = Random::new(8);
        let text = random.tokens(100, model.config.vocab);
        let (mut plain, mut tried) = (load(backend, &model), load(backend, &model));
        for before in [0, 1, 2, 62, 70] {
            for n in [1, 2, most] {
                for accepted in 0..=n {
                    plain.truncate(1, 0).unwrap();
                    tried.truncate(1, 0).unwrap();
                    for executor in [&mut plain, &mut tried] {
                        let _ = logits(&mut **executor, 1, &text[..before], &[64]).unwrap();
                    }
                    // What is rejected is another text.
                    let mut draft = text[before..before + n].to_vec();
                    draft[accepted..].iter_mut().for_each(|t| *t = (*t + 1) % model.config.vocab as u32);
                    let state = tried.state_bytes(1).unwrap();
                    let held = hold(&mut *tried, &chain(1, before, &draft));
                    assert!(state == tried.state_bytes(1).unwrap(), "nothing is committed yet");
                    tried.accept(1, &(0..accepted).collect::<Vec<_>>()).unwrap();
                    let want = feed(&mut *plain, 1, &text[before..before + accepted]);
                    let what = format!("{} {before}+{n}, {accepted} accepted", backend.name());
                    assert!(held[..accepted] == want[..], "{what}: logits");
                    assert_eq!(tried.committed(), plain.committed(), "{what}");
                    assert!(tried.state_bytes(1).unwrap() == plain.state_bytes(1).unwrap(), "{what}: state");
                    let next = &text[before + accepted..before + accepted + 4];
                    assert!(feed(&mut *tried, 1, next) == feed(&mut *plain, 1, next), "{what}: afterwards");
                }
            }
        }
    }
}

#[test]
fn slots_of_one_call_accept_each_for_itself() {
    let model = hybrid();
    for backend in [&cpu(2, Isa::detect()) as &dyn Backend, &RefBackend::law()] {
        let text = Random::new(9).tokens(40, model.config.vocab);
        let (mut plain, mut tried) = (load(backend, &model), load(backend, &model));
        for executor in [&mut plain, &mut tried] {
            for (slot, n) in [(0, 3), (1, 7), (2, 5)] {
                feed(&mut **executor, slot, &text[..n]);
            }
        }
        let mut rows = chain(2, 5, &text[5..9]);
        rows.push_chain(0, 3, &text[3..6], 3, Wanted::Logits);
        hold(&mut *tried, &rows);
        tried.accept(0, &[4, 5]).unwrap();
        assert!(tried.accept(0, &[]).is_err(), "once");
        assert!(tried.accept(1, &[]).is_err(), "no row of it is held");
        tried.accept(2, &[0]).unwrap();
        feed(&mut *plain, 0, &text[3..5]);
        feed(&mut *plain, 2, &text[5..6]);
        for slot in 0..3 {
            assert!(tried.state_bytes(slot).unwrap() == plain.state_bytes(slot).unwrap(), "slot {slot}");
        }
        // The slot that turned its halves over and those that did not go on alike.
        for slot in 0..3 {
            assert!(feed(&mut *tried, slot, &text[20..24]) == feed(&mut *plain, slot, &text[20..24]));
        }
    }
}

/// Any order of held calls over one slot or two, of accepting none, some or all rows, of plain calls, snapshots, cuts and
/// new beginnings: states and results are those of plain feeding. Accepted rows may wait in one slot while others go on.
#[test]
fn any_order_of_calls_leaves_the_states_of_plain_feeding() {
    let model = hybrid();
    let text = Random::new(21).tokens(200, model.config.vocab);
    for (threads, isa, seed) in [(2, Isa::detect(), 1), (1, Isa::Portable, 2), (3, Isa::detect(), 3)] {
        let backend = cpu(threads, isa);
        let (mut plain, mut tried) = (load(&backend, &model), load(&backend, &model));
        tried.set_snapshot_budget(64 << 20);
        let mut random = Random::new(seed);
        let mut draw = |n: usize| random.tokens(1, n)[0] as usize;
        let mut partial = 0;
        for step in 0..160 {
            let slot = draw(3);
            let at = |e: &dyn Executor, slot: usize| e.committed()[slot] as usize;
            let before = at(&*tried, slot);
            match draw(8) {
                0..=4 => {
                    let slots = if draw(3) == 0 { vec![slot, (slot + 1) % 3] } else { vec![slot] };
                    let mut rows = RowTable::new();
                    let mut first = Vec::new();
                    for slot in &slots {
                        let (n, from) = (1 + draw(5), at(&*tried, *slot));
                        first.push((*slot, rows.len(), n));
                        rows.push_chain(*slot, from as u32, &text[from..from + n], n, Wanted::Logits);
                    }
                    hold(&mut *tried, &rows);
                    for (slot, first, n) in first {
                        let accepted = draw(n + 1);
                        partial += usize::from(accepted > 0 && accepted < n);
                        tried.accept(slot, &(first..first + accepted).collect::<Vec<_>>()).unwrap();
                        let from = at(&*plain, slot);
                        feed(&mut *plain, slot, &text[from..from + accepted]);
                    }
                }
                5 => {
                    let n = 1 + draw(4);
                    let next = &text[before..before + n];
                    let (a, b) = (feed(&mut *tried, slot, next), feed(&mut *plain, slot, next));
                    assert!(a == b, "step {step}: results of a plain call");
                }
                6 => {
                    tried.snapshot(slot).unwrap();
                    let n = 1 + draw(3);
                    hold(&mut *tried, &chain(slot, before, &text[before + 1..][..n]));
                    tried.accept(slot, &[0]).unwrap();
                    tried.truncate(slot, before as u32).unwrap();
                }
                _ if before > 40 => {
                    tried.truncate(slot, 0).unwrap();
                    plain.truncate(slot, 0).unwrap();
                }
                _ => {}
            }
            assert_eq!(tried.committed(), plain.committed(), "step {step}");
            for slot in 0..3 {
                let (a, b) = (tried.state_bytes(slot).unwrap(), plain.state_bytes(slot).unwrap());
                assert!(a == b, "threads {threads}, step {step}, slot {slot}");
            }
        }
        assert!(partial > 10, "{partial} calls were accepted in part");
    }
}

#[test]
fn what_is_held_is_forgotten_by_any_other_call() {
    let model = hybrid();
    let text = Random::new(10).tokens(20, model.config.vocab);
    for backend in [&cpu(2, Isa::detect()) as &dyn Backend, &RefBackend::law()] {
        let mut executor = load(backend, &model);
        let mut plain = load(backend, &model);
        feed(&mut *plain, 0, &text[..6]);
        type Forget<'a> = &'a dyn Fn(&mut dyn Executor);
        let forget: [Forget<'_>; 3] = [
            &|e| e.truncate(0, 5).unwrap(),
            &|e| {
                let _ = feed(e, 1, &[1]);
            },
            &|e| e.snapshot(0).unwrap(),
        ];
        for forget in forget {
            executor.truncate(0, 0).unwrap();
            feed(&mut *executor, 0, &text[..5]);
            hold(&mut *executor, &chain(0, 5, &text[9..12]));
            forget(&mut *executor);
            assert!(executor.accept(0, &[0]).is_err());
            feed(&mut *executor, 0, &text[5..6]);
            assert!(executor.state_bytes(0).unwrap() == plain.state_bytes(0).unwrap());
        }
        let refused = executor.hold(4, &chain(0, 6, &vec![1; HOLD_ROWS + 1]), &mut Outputs::default());
        assert!(refused.unwrap_err().to_string().contains("at most 64 rows"));
        hold(&mut *executor, &chain(0, 6, &text[6..9]));
        for path in [&[1][..], &[0, 2], &[3]] {
            assert!(matches!(
                executor.accept(0, path).unwrap_err(),
                BackendError::Plan(PlanError::Rows { .. })
            ));
        }
        executor.accept(0, &[0]).unwrap();
        assert_eq!(executor.committed()[0], 7);
    }
}

/// A random tree of `n` rows that continues `position`.
fn tree(random: &mut Random, slot: usize, position: usize, n: usize, vocab: usize) -> RowTable {
    let mut rows = RowTable::new();
    for (i, token) in random.tokens(n, vocab).into_iter().enumerate() {
        let parent = random.tokens(1, i + 1)[0] as usize;
        let (parent, position) = match parent {
            0 => (Parent::Committed, position as u32),
            p => (Parent::Row(p - 1), rows.rows()[p - 1].position + 1),
        };
        rows.push(Row { token, sequence: slot, position, parent, kv_slot: position, wanted: Wanted::Logits });
    }
    rows
}

/// Every row of a tree has the logits of its path run by itself, and accepting a path leaves the state of that path. Across
/// the borders of attention pieces, with committed keys in the piece and without.
#[test]
fn trees_are_their_paths() {
    let model = dense();
    for (backend, sizes) in [
        (&cpu(2, Isa::detect()) as &dyn Backend, &[2, 7, 16, 40][..]),
        (&cpu(1, Isa::Portable), &[9]),
        (&RefBackend::law(), &[5]),
    ] {
        let mut random = Random::new(13);
        let text = random.tokens(130, model.config.vocab);
        let (mut plain, mut tried) = (load(backend, &model), load(backend, &model));
        let mut branched = 0;
        for before in [0, 1, 60, 63, 64, 65, 127] {
            for n in sizes {
                let rows = tree(&mut random, 1, before, *n, model.config.vocab);
                branched += usize::from(rows.is_tree());
                tried.truncate(1, 0).unwrap();
                let _ = logits(&mut *tried, 1, &text[..before], &[64]).unwrap();
                let held = hold(&mut *tried, &rows);
                for row in [*n - 1, n / 2, 0] {
                    let path = rows.path(row);
                    let tokens: Vec<u32> = path.iter().map(|i| rows.rows()[*i].token).collect();
                    plain.truncate(1, 0).unwrap();
                    let _ = logits(&mut *plain, 1, &text[..before], &[64]).unwrap();
                    let want = feed(&mut *plain, 1, &tokens);
                    for (i, want) in path.iter().zip(&want) {
                        assert!(held[*i] == *want, "{} {before}+{n}, row {i}", backend.name());
                    }
                }
                // `plain` stands at the path of row 0; go on from that of the last row.
                let path = rows.path(n - 1);
                let tokens: Vec<u32> = path.iter().map(|i| rows.rows()[*i].token).collect();
                plain.truncate(1, before as u32).unwrap();
                feed(&mut *plain, 1, &tokens);
                tried.accept(1, &path).unwrap();
                assert!(tried.state_bytes(1).unwrap() == plain.state_bytes(1).unwrap(), "{before}+{n}");
                assert!(feed(&mut *tried, 1, &text[..3]) == feed(&mut *plain, 1, &text[..3]), "{before}+{n}");
            }
        }
        assert!(branched > 5, "{branched}");
    }
}

#[test]
fn a_tree_needs_states_that_keep_every_position() {
    let model = hybrid();
    for backend in [&cpu(2, Isa::detect()) as &dyn Backend, &RefBackend::law()] {
        let mut executor = load(backend, &model);
        let mut rows = chain(0, 0, &[1, 2]);
        let branch = Parent::Committed;
        rows.push(Row {
            token: 3,
            sequence: 0,
            position: 0,
            parent: branch,
            kv_slot: 0,
            wanted: Wanted::Nothing,
        });
        let refused = executor.hold(1, &rows, &mut Outputs::default()).unwrap_err();
        assert!(refused.to_string().contains("(a tree)"), "{refused}");
    }
}

#[test]
fn snapshots_bring_a_position_back() {
    let model = hybrid();
    let text = Random::new(14).tokens(90, model.config.vocab);
    for backend in [&cpu(2, Isa::detect()) as &dyn Backend, &RefBackend::law()] {
        let mut executor = load(backend, &model);
        let mut plain = load(backend, &model);
        feed(&mut *plain, 1, &text[..20]);
        let at_20 = plain.state_bytes(1).unwrap();
        let fixed: usize = executor.plan().states.iter().map(|s| s.bytes_fixed()).sum();
        feed(&mut *executor, 1, &text[..10]);
        executor.snapshot(1).unwrap();
        assert_eq!(executor.memory().snapshots, 0, "no budget, no snapshot");
        executor.set_snapshot_budget(16 * fixed);
        for n in [10, 20, 40, 70] {
            let held = executor.committed()[1] as usize;
            if n > held {
                feed(&mut *executor, 1, &text[held..n]);
            }
            executor.snapshot(1).unwrap();
            executor.snapshot(1).unwrap();
        }
        assert!(executor.memory().snapshots > 0 && executor.memory().snapshots <= 16 * fixed);
        let end = feed(&mut *executor, 1, &text[70..75]);
        let deepest = [(75, 75), (74, 70), (69, 40), (39, 20), (11, 10), (9, 0)];
        for (len, want) in deepest {
            assert_eq!(executor.reusable_prefix(1, len).unwrap(), want, "at most {len}");
        }
        assert!(matches!(
            executor.truncate(1, 39).unwrap_err(),
            BackendError::Plan(PlanError::Cut { len: 39, committed: 75, reusable: 20 })
        ));
        executor.truncate(1, 20).unwrap();
        assert!(executor.state_bytes(1).unwrap() == at_20);
        assert_eq!(executor.reusable_prefix(1, 19).unwrap(), 10, "the deeper ones are gone, this one stays");
        // Another text, then back and the first one again.
        feed(&mut *executor, 1, &text[..30]);
        executor.truncate(1, 20).unwrap();
        feed(&mut *executor, 1, &text[20..70]);
        assert!(feed(&mut *executor, 1, &text[70..75]) == end);
        executor.allocate(3, CAPACITY).unwrap();
        feed(&mut *executor, 0, &text[..3]);
        executor.snapshot(0).unwrap();
        assert!(executor.memory().snapshots > 0, "a new pool has the old budget");
    }
    let mut dense = load(&cpu(1, Isa::detect()), &dense());
    dense.set_snapshot_budget(1 << 30);
    feed(&mut *dense, 0, &text[..5]);
    dense.snapshot(0).unwrap();
    assert_eq!((dense.memory().snapshots, dense.reusable_prefix(0, 3).unwrap()), (0, 3));
}

/// Handing out hidden states changes no bit, and they are the same at every width and in the law.
#[test]
fn hidden_states_are_read_without_a_trace() {
    for model in [hybrid(), dense()] {
        let text = Random::new(15).tokens(40, model.config.vocab);
        let want = feed(&mut *load(&cpu(2, Isa::detect()), &model), 0, &text);
        for taps in [Taps::Final, Taps::Layers(vec![1, 0, 1])] {
            let options = PlanOptions { taps: taps.clone(), ..PlanOptions::new(CAPACITY) };
            let plan = plan(&model, &options).unwrap();
            let mut all: Vec<Vec<u32>> = Vec::new();
            for (backend, cut) in [
                (&cpu(2, Isa::detect()) as &dyn Backend, 1),
                (&cpu(2, Isa::detect()), 17),
                (&RefBackend::law(), 33),
            ] {
                let mut executor = backend.load(plan.clone(), &model, &mut |_, _| {}).unwrap();
                executor.allocate(1, CAPACITY).unwrap();
                let (mut got, mut hidden) = (Vec::new(), Vec::new());
                for tokens in text.chunks(cut) {
                    let mut out = Outputs::default();
                    let rows = chain(0, executor.committed()[0] as usize, tokens);
                    executor.execute(plan.entry_for(tokens.len()).unwrap(), &rows, &mut out).unwrap();
                    got.extend(bits(&out.logits));
                    assert_eq!(out.taps.len(), tokens.len() * plan.tap_width());
                    hidden.extend(out.taps.iter().map(|h| h.to_bits()));
                }
                assert!(got == want, "{} {taps:?}", backend.name());
                all.push(hidden);
            }
            assert!(all[0] == all[1] && all[0] == all[2], "{taps:?}");
            if let Taps::Layers(_) = taps {
                let (n, h) = (plan.tap_width(), plan.tap_width() / 3);
                assert!(all[0].chunks(n).all(|r| r[..h] == r[2 * h..] && r[..h] != r[h..2 * h]));
            }
        }
        let beyond = PlanOptions { taps: Taps::Layers(vec![9]), ..PlanOptions::new(CAPACITY) };
        assert!(plan(&model, &beyond).unwrap_err().to_string().contains("layer 9"));
    }
}

/// The head for multi-token prediction: the CPU is the law, at every width, loaded by itself or beside its model.
#[test]
fn a_head_for_multi_token_prediction_has_the_bits_of_the_law() {
    let mut config = narrow_hybrid_config();
    config.hybrid.as_mut().unwrap().mtp_layers = 1;
    let model = TestModel::new(16, config, Encodings::new(Encoding::Q8_0)).unwrap();
    let build = || build_mtp(&model.config, &model, &numerics, &PlanOptions::new(CAPACITY)).unwrap();
    let plan = std::sync::Arc::new(build());
    let mut random = Random::new(17);
    let text = random.tokens(30, model.config.vocab);
    let hidden: Vec<f32> = (0..30 * model.config.hidden).map(|_| random.normal()).collect();
    let target = load(&cpu(2, Isa::detect()), &model);
    let alone = |b: &dyn Backend| b.load(plan.clone(), &model, &mut |_, _| {}).unwrap();
    let mut want = None;
    for (mut executor, cut) in [
        (alone(&RefBackend::law()), 16),
        (alone(&cpu(2, Isa::detect())), 1),
        (target.beside(plan.clone(), &model, Kin::SameModel, &mut |_, _| {}).unwrap(), 7),
        (target.beside(plan.clone(), &model, Kin::OtherModel, &mut |_, _| {}).unwrap(), 30),
    ] {
        executor.allocate(1, CAPACITY).unwrap();
        let (mut got, mut taps) = (Vec::new(), Vec::new());
        for (tokens, hidden) in text.chunks(cut).zip(hidden.chunks(cut * model.config.hidden)) {
            let mut out = Outputs::default();
            let mut rows = chain(0, executor.committed()[0] as usize, tokens);
            let entry = plan.entry_for(tokens.len()).unwrap();
            assert!(executor.execute(entry, &rows, &mut out).is_err(), "it needs hidden states");
            rows.set_inputs(hidden);
            executor.execute(entry, &rows, &mut out).unwrap();
            got.extend(bits(&out.logits));
            taps.extend(out.taps.iter().map(|t| t.to_bits()));
        }
        let got = (got, taps, executor.state_bytes(0).unwrap());
        assert!(*want.get_or_insert_with(|| got.clone()) == got, "in calls of {cut}");
    }
    let without = TestModel::new(16, narrow_hybrid_config(), Encodings::new(Encoding::Q8_0)).unwrap();
    let refused = build_mtp(&without.config, &without, &numerics, &PlanOptions::new(CAPACITY)).unwrap_err();
    assert!(refused.to_string().contains("no head for multi-token"));
}
