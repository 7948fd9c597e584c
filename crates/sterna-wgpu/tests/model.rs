//! Whole models on a GPU: against the law within bounds, and rows against themselves by memcmp, however they are cut into calls
//! (contract C1, T8).
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

mod common;

use std::io::Write as _;
use std::sync::Arc;

use common::{backend, bits, off};
use sterna_format::{Encoding, ScaleGroup};
use sterna_plan::{
    Backend, BackendError, Executor, Fusions, Kin, Outputs, Parent, PlanOptions, Row, RowTable, Taps, Wanted,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{
    Encodings, Random, TestModel, config, gemma4_config, hybrid_config, logits, narrow_config, plan,
};
use sterna_wgpu::{Choice, WgpuBackend, WgpuOptions};

fn model(encoding: Encoding) -> TestModel {
    TestModel::new(7, config(), Encodings::new(encoding)).unwrap()
}

fn load(backend: &dyn Backend, model: &TestModel, fusions: Fusions) -> Box<dyn Executor> {
    let plan = plan(model, &PlanOptions { fusions, ..PlanOptions::new(256) }).unwrap();
    let mut executor = backend.load(plan, model, &mut |_, _| {}).unwrap();
    executor.allocate(3, 256).unwrap();
    executor
}

fn all_bits(logits: &[Vec<f32>]) -> Vec<Vec<u32>> {
    logits.iter().map(|l| bits(l)).collect()
}

/// Every kind of weight against the law; a quantised activation that falls on the other side of a half shows in the last digits
/// that an int8 step is wide.
#[test]
fn models_are_near_the_law() {
    let Some(gpu) = backend() else { return };
    let narrow = |encoding| {
        let encodings = Encodings { head: encoding, ..Encodings::new(encoding) };
        TestModel::new(3, sterna_bundle::ModelConfig { tied: false, ..narrow_config() }, encodings).unwrap()
    };
    // Tables of k-quants are decoded.
    let quants = |linear, head| {
        let encodings = Encodings { head, embed: Encoding::Q4K, ..Encodings::new(linear) };
        TestModel::new(3, sterna_bundle::ModelConfig { tied: false, ..config() }, encodings).unwrap()
    };
    for (encoding, model) in [
        (Encoding::TQ2_0, model(Encoding::TQ2_0)),
        (Encoding::Ternary(ScaleGroup::Row), model(Encoding::Ternary(ScaleGroup::Row))),
        (Encoding::Q4_0, narrow(Encoding::Q4_0)),
        (Encoding::Q4_1, narrow(Encoding::Q4_1)),
        (Encoding::Q4K, quants(Encoding::Q4K, Encoding::Q6K)),
        (Encoding::Q6K, quants(Encoding::Q6K, Encoding::Q5K)),
        (Encoding::Q8_0, narrow(Encoding::Q8_0).interleaved()),
        (Encoding::F16, narrow(Encoding::F16)),
        (Encoding::BF16, narrow(Encoding::BF16)),
    ] {
        let tokens = Random::new(3).tokens(100, model.config.vocab);
        let mut law = load(&RefBackend::law(), &model, Fusions::ALL);
        let mut device = load(gpu, &model, Fusions::ALL);
        let want = logits(&mut *law, 0, &tokens, &[100]).unwrap();
        let got = logits(&mut *device, 0, &tokens, &[100]).unwrap();
        let all = got.iter().zip(&want).map(|(g, w)| off(g, w));
        let worst = all.fold(0f32, |m, d| if d > m || d.is_nan() { d } else { m });
        let equal = got.iter().zip(&want).filter(|(g, w)| bits(g) == bits(w)).count();
        eprintln!(
            "{encoding}: {equal} of {} rows have the law's bits, the worst is {worst:e} off",
            want.len()
        );
        let bound = if encoding.is_float() { 1e-4 } else { 3e-2 };
        assert!(worst <= bound, "{encoding}: {worst:e}");
    }
}

/// T8: a prompt of 130 tokens whole, in chunks, one by one, with warm prefixes: the same logits and the same state, bit for
/// bit; then calls of many rows and of one in turn.
#[test]
fn a_prompt_has_one_answer_however_it_is_cut() {
    let Some(gpu) = backend() else { return };
    for (encoding, rounds) in [(Encoding::TQ2_0, 100), (Encoding::F16, 10), (Encoding::Q4K, 5)] {
        let model = model(encoding);
        let tokens = Random::new(3).tokens(130, model.config.vocab);
        let mut device = load(gpu, &model, Fusions::ALL);
        let want = all_bits(&logits(&mut *device, 0, &tokens, &[1]).unwrap());
        let state = device.state_bytes(0).unwrap();
        for chunks in [&[64][..], &[16], &[128], &[3, 17, 1, 31], &[33]] {
            device.truncate(0, 0).unwrap();
            let got = all_bits(&logits(&mut *device, 0, &tokens, chunks).unwrap());
            assert!(want == got, "{encoding} in chunks of {chunks:?}");
            assert!(state == device.state_bytes(0).unwrap(), "{encoding}: the state after {chunks:?}");
        }
        for prefix in [129, 4] {
            device.truncate(0, prefix).unwrap();
            let rest = &tokens[prefix as usize..];
            let got = all_bits(&logits(&mut *device, 0, rest, &[128]).unwrap());
            assert!(want[prefix as usize..] == got, "{encoding} after {prefix}");
        }
        for round in 0..rounds {
            let keep = 129 - round * 31 % 12;
            device.truncate(0, keep as u32).unwrap();
            let chunks = [[64], [1]][round % 2];
            let got = all_bits(&logits(&mut *device, 0, &tokens[keep..], &chunks).unwrap());
            assert!(want[keep..] == got, "{encoding}, round {round}");
        }
    }
}

#[test]
fn each_fold_changes_no_bit_and_neither_do_buffers() {
    let Some(gpu) = backend() else { return };
    let model = TestModel::new(
        5,
        sterna_bundle::ModelConfig { qk_norm: true, ..config() },
        Encodings::new(Encoding::TQ2_0),
    );
    let model = model.unwrap();
    let tokens = Random::new(5).tokens(40, model.config.vocab);
    let run = |backend: &dyn Backend, fusions| {
        let mut executor = load(backend, &model, fusions);
        all_bits(&logits(&mut *executor, 0, &tokens, &[32, 1, 5]).unwrap())
    };
    let none = Fusions::NONE;
    let want = run(gpu, none);
    for fusions in [
        Fusions::ALL,
        Fusions { members: true, gate_up: true, ..none },
        Fusions { norm: true, ..none },
        Fusions { residual: true, ..none },
        Fusions { attention: true, ..none },
    ] {
        assert!(want == run(gpu, fusions), "{fusions:?}");
    }
    // Matrices of up to 66 KB in buffers of 5000 bytes.
    assert!(want == run(&common::open(5000).unwrap(), Fusions::ALL));
}

#[test]
fn neighbours_leave_no_trace() {
    let Some(gpu) = backend() else { return };
    let model = model(Encoding::TQ2_0);
    let mut device = load(gpu, &model, Fusions::ALL);
    let (a, b) =
        (Random::new(1).tokens(70, model.config.vocab), Random::new(2).tokens(70, model.config.vocab));
    let alone = [&a, &b].map(|t| {
        device.truncate(2, 0).unwrap();
        all_bits(&logits(&mut *device, 2, t, &[16]).unwrap())
    });
    let mut out = Outputs::default();
    for (at, n) in [(0, 30), (30, 40)] {
        let mut rows = RowTable::new();
        rows.push_chain(1, at as u32, &b[at..at + n], n, Wanted::Logits);
        rows.push_chain(0, at as u32, &a[at..at + n], n, Wanted::Logits);
        device.execute(device.plan().entry_for(2 * n).unwrap(), &rows, &mut out).unwrap();
        let got = all_bits(&out.logits);
        assert!(got[..n] == alone[1][at..at + n] && got[n..] == alone[0][at..at + n]);
    }
    assert_eq!(device.committed(), [70, 70, 70]);
}

/// Rows that are held count once they are accepted, and what was refused leaves no trace.
#[test]
fn held_rows_are_accepted_as_a_chain() {
    let Some(gpu) = backend() else { return };
    let model = model(Encoding::TQ2_0);
    let tokens = Random::new(4).tokens(40, model.config.vocab);
    let mut device = load(gpu, &model, Fusions::ALL);
    let want = all_bits(&logits(&mut *device, 1, &tokens, &[40]).unwrap());
    let state = device.state_bytes(1).unwrap();
    let mut out = Outputs::default();
    let mut at = 0;
    for (round, taken) in [0, 1, 5, 8, 2, 8, 8, 3, 5].into_iter().enumerate() {
        let right = taken.min(tokens.len() - at);
        let mut draft = tokens[at..at + right].to_vec();
        draft.resize(8, (tokens[at.min(39)] + 1) % model.config.vocab as u32);
        let mut rows = RowTable::new();
        rows.push_chain(0, at as u32, &draft, 8, Wanted::Logits);
        device.hold(device.plan().entry_for(8).unwrap(), &rows, &mut out).unwrap();
        assert!(all_bits(&out.logits)[..right] == want[at..at + right], "round {round}");
        assert_eq!(device.committed()[0], at as u32, "nothing is committed yet");
        assert!(device.accept(0, &[1]).is_err(), "a chain begins at the committed end");
        device.accept(0, &(0..right).collect::<Vec<_>>()).unwrap();
        assert!(device.accept(0, &[0]).is_err(), "a slot accepts once");
        at += right;
    }
    assert_eq!(at, 40);
    assert!(state == device.state_bytes(0).unwrap());
    let mut tree = RowTable::new();
    tree.push_chain(0, 40, &[1, 2], 2, Wanted::Argmax);
    tree.push(Row {
        token: 3,
        sequence: 0,
        position: 41,
        parent: Parent::Row(0),
        kv_slot: 41,
        wanted: Wanted::Argmax,
    });
    match device.hold(2, &tree, &mut out) {
        Err(BackendError::Unsupported { what, .. }) => assert!(what.contains("trees of rows"), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_has_no_kernel_is_refused_by_name_at_load() {
    let Some(gpu) = backend() else { return };
    let made = |config, encodings| TestModel::new(7, config, encodings).unwrap();
    let q8 = Encodings::new(Encoding::Q8_0);
    for (model, words) in [
        (made(hybrid_config(), q8), "recurrent states|convolutions"),
        (made(gemma4_config(), q8), "sliding windows"),
    ] {
        let plan = plan(&model, &PlanOptions::new(256)).unwrap();
        let error = gpu.load(plan, &model, &mut |_, _| {}).err().unwrap();
        assert!(matches!(error, BackendError::Unsupported { .. }), "{error}");
        let said = error.to_string();
        assert!(words.split('|').any(|w| said.contains(w)), "{said}");
    }
}

#[test]
fn broken_weights_name_the_op_and_change_no_state() {
    let Some(gpu) = backend() else { return };
    let mut model = model(Encoding::Q8_0);
    model.bytes_mut("layers.1.up").unwrap()[..2].copy_from_slice(&0x7e00u16.to_le_bytes());
    let mut device = load(gpu, &model, Fusions::ALL);
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, &[1, 2, 3], 1, Wanted::Argmax);
    match device.execute(device.plan().entry_for(3).unwrap(), &rows, &mut Outputs::default()) {
        Err(BackendError::NonFinite { row, name, .. }) => {
            assert!(row == 2 && name.contains("layers.1.up") && name.contains("ffn"), "{row} {name}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(device.committed(), [0, 0, 0]);
}

#[test]
fn calls_that_do_not_fit_are_refused() {
    let Some(gpu) = backend() else { return };
    let model = model(Encoding::TQ2_0);
    let mut device = load(gpu, &model, Fusions::ALL);
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, &[1, 2], 1, Wanted::Argmax);
    let mut out = Outputs::default();
    assert!(device.execute(0, &rows, &mut out).is_err(), "two rows in an entry of one");
    assert!(device.execute(99, &rows, &mut out).is_err());
    assert!(device.allocate(1, 100_000).is_err());
    assert!(device.allocate(0, 10).is_err());
    assert!(device.truncate(7, 0).is_err());
    assert!(device.state_bytes(7).is_err());
    assert!(device.snapshot(7).is_err());
    assert!(device.accept(0, &[]).is_err());
    let mut missing = self::model(Encoding::TQ2_0);
    missing.remove("layers.0.q");
    let error = gpu.load(Arc::clone(device.plan()), &missing, &mut |_, _| {}).err().unwrap();
    assert!(error.to_string().contains("layers.0.q"), "{error}");
}

/// What is counted: weights once for 16 rows, multiplications for every row, bytes as the dry run said; times of every op.
#[test]
fn costs_are_counted() {
    let Some(gpu) = backend() else { return };
    let model = model(Encoding::TQ2_0);
    let mut device = load(gpu, &model, Fusions::ALL);
    assert_eq!(gpu.weight_memory(device.plan()).unwrap(), Some(device.memory().weights));
    let (mut out, mut seen) = (Outputs::default(), Vec::new());
    for n in [1, 2, 4, 5, 9] {
        device.truncate(0, 0).unwrap();
        let mut rows = RowTable::new();
        rows.push_chain(0, 0, &vec![1; n], n, Wanted::Argmax);
        device.execute(device.plan().entry_for(n).unwrap(), &rows, &mut out).unwrap();
        seen.push((out.stats.weight_bytes, out.stats.macs / n as u64));
    }
    let (bytes, macs) = seen[0];
    assert!(bytes > 0 && bytes as usize <= device.memory().weights);
    // The table of this model is f16, which a call of five reads once; the ternary layers are read for every four rows.
    assert_eq!(seen[1..3], [(bytes, macs); 2]);
    let again = seen[3].0 - bytes;
    assert!(again > 0 && again < bytes, "{seen:?}");
    assert_eq!(seen[3..], [(bytes + again, macs), (bytes + 2 * again, macs)]);
    assert!(device.profile_times().is_empty());
    let mut rows = RowTable::new();
    rows.push_chain(1, 0, &[5], 1, Wanted::Logits);
    device.execute(0, &rows, &mut out).unwrap();
    let want = bits(&out.logits[0]);
    device.truncate(1, 0).unwrap();
    device.profile(true);
    device.execute(0, &rows, &mut out).unwrap();
    assert!(want == bits(&out.logits[0]), "timing changes no bit");
    let times = device.profile_times();
    assert_eq!(times.len(), device.plan().entries[0].ops.len());
    assert!(times.iter().all(|t| t.nanos > 0));
}

/// Two models on one device take turns; hidden states are handed out.
#[test]
fn models_lie_beside_each_other() {
    let Some(gpu) = backend() else { return };
    let model = model(Encoding::TQ2_0);
    let mut device = load(gpu, &model, Fusions::ALL);
    let options = PlanOptions { taps: Taps::Final, ..PlanOptions::new(256) };
    let mut other =
        device.beside(plan(&model, &options).unwrap(), &model, Kin::SameModel, &mut |_, _| {}).unwrap();
    other.allocate(1, 256).unwrap();
    let tokens = Random::new(6).tokens(20, model.config.vocab);
    let want = all_bits(&logits(&mut *device, 0, &tokens, &[20]).unwrap());
    let mut law = RefBackend::law().load(Arc::clone(other.plan()), &model, &mut |_, _| {}).unwrap();
    law.allocate(1, 256).unwrap();
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, &tokens, 20, Wanted::Logits);
    let (mut out, mut lawful) = (Outputs::default(), Outputs::default());
    let entry = other.plan().entry_for(20).unwrap();
    other.execute(entry, &rows, &mut out).unwrap();
    law.execute(entry, &rows, &mut lawful).unwrap();
    assert!(want == all_bits(&out.logits));
    assert_eq!(out.taps.len(), 20 * 256);
    assert!(off(&out.taps, &lawful.taps) < 3e-2);
}

/// Greedy calls of one row are begun before they are asked for; what comes back, what is left behind, and what a call that nobody
/// expected gives are as if they were not.
#[test]
fn calls_begun_ahead_change_nothing() {
    let Some(gpu) = backend() else { return };
    let model = model(Encoding::TQ2_0);
    let room = 48;
    let run = |wanted: Wanted| {
        let mut device = load(gpu, &model, Fusions::ALL);
        device.allocate(2, room).unwrap();
        let (mut out, mut seen, mut states) = (Outputs::default(), Vec::new(), Vec::new());
        let mut ask = |device: &mut dyn Executor, slot: usize, tokens: &[u32], wanted: Wanted| {
            let mut rows = RowTable::new();
            rows.push_chain(slot, device.committed()[slot], tokens, 1, wanted);
            device.execute(device.plan().entry_for(tokens.len()).unwrap(), &rows, &mut out).unwrap();
            let top = out.top[0];
            seen.push((top.token, top.logit.to_bits(), top.second.to_bits()));
            top.token
        };
        let mut token = ask(&mut *device, 0, &[5, 9, 2], Wanted::Argmax);
        for step in 0..60 {
            if device.committed()[0] as usize == room {
                break;
            }
            match step {
                // Another token than the best, another sequence, a cut, and many rows.
                9 => token = (token + 1) % model.config.vocab as u32,
                14 => {
                    ask(&mut *device, 1, &[7], wanted);
                }
                20 => device.truncate(0, 15).unwrap(),
                27 => {
                    token = ask(&mut *device, 0, &[token, 3, 4], wanted);
                    states.push(device.state_bytes(0).unwrap());
                }
                _ => {}
            }
            token = ask(&mut *device, 0, &[token], wanted);
        }
        assert_eq!(device.committed()[0] as usize, room, "to the end of the room");
        states.extend([device.state_bytes(0).unwrap(), device.state_bytes(1).unwrap()]);
        (seen, states)
    };
    // Calls that want logits are never begun ahead.
    let (want, got) = (run(Wanted::Logits), run(Wanted::Argmax));
    assert_eq!(want.0, got.0);
    assert!(want.1 == got.1, "states");
}

/// Compiled kernels are found by the next start; what is broken or another's is compiled again, with the same answers.
#[test]
fn compiled_kernels_are_kept_on_disk() {
    let Some(gpu) = backend() else { return };
    let folder = std::env::temp_dir().join(format!("sterna-kept-{}", std::process::id()));
    let model = model(Encoding::TQ2_0);
    let tokens = Random::new(9).tokens(12, model.config.vocab);
    let options = WgpuOptions {
        choice: Choice::Index(gpu.facts().index),
        cache: Some(folder.clone()),
        ..WgpuOptions::default()
    };
    let run = || {
        let backend = WgpuBackend::new(&options).unwrap();
        let mut device = load(&backend, &model, Fusions::ALL);
        (all_bits(&logits(&mut *device, 0, &tokens, &[12]).unwrap()), device.kernels().unwrap())
    };
    let (want, first) = run();
    let Some(0) = first.found else {
        assert_eq!(first.found, None, "a new folder is empty");
        let _ = writeln!(std::io::stderr(), "SKIPPED, this driver keeps no kernels");
        return;
    };
    assert!(first.kernels > 5 && !first.took.is_zero());
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    let (again, second) = run();
    assert!(again == want && second.found > Some(0) && second.kernels == first.kernels, "{second:?}");
    let whole = std::fs::read(file).unwrap();
    let mut foreign = whole.clone();
    // Another driver's data under a right checksum would be refused by wgpu; one wrong byte is refused before.
    foreign[20] ^= 0x40;
    for bad in [&whole[..whole.len() / 2], &foreign, b"", b"something else that lies there"] {
        std::fs::write(file, bad).unwrap();
        let (again, third) = run();
        assert!(again == want && third.found == Some(0), "{third:?}");
        assert_eq!(std::fs::read(file).unwrap()[..8], whole[..8], "written anew");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A call with more results than there is room for on the device.
#[test]
fn calls_with_many_results_are_made_in_parts() {
    let Some(gpu) = backend() else { return };
    let model = model(Encoding::TQ2_0);
    let options = PlanOptions { widths: vec![1, 16, 300], ..PlanOptions::new(400) };
    let load = || {
        let mut executor = gpu.load(plan(&model, &options).unwrap(), &model, &mut |_, _| {}).unwrap();
        executor.allocate(2, 400).unwrap();
        executor
    };
    let mut device = load();
    let tokens = Random::new(8).tokens(300, model.config.vocab);
    let want = all_bits(&logits(&mut *device, 0, &tokens, &[16]).unwrap());
    let (state, mut out) = (device.state_bytes(0).unwrap(), Outputs::default());
    // Two sequences in turn; every third row of one wants nothing.
    let mut device = load();
    let mut rows = RowTable::new();
    for (i, token) in tokens[..150].iter().enumerate() {
        for sequence in [0, 1] {
            let parent = if i == 0 { Parent::Committed } else { Parent::Row(2 * (i - 1) + sequence) };
            let wanted = if sequence == 1 && i % 3 == 0 { Wanted::Nothing } else { Wanted::Logits };
            let position = i as u32;
            rows.push(Row { token: *token, sequence, position, parent, kv_slot: position, wanted });
        }
    }
    device.execute(2, &rows, &mut out).unwrap();
    assert_eq!(out.rows.len(), 250);
    for (row, got) in out.rows.iter().zip(&out.logits) {
        assert!(bits(got) == want[row / 2], "row {row}");
    }
    assert_eq!(device.committed(), [150, 150]);
    let rest = all_bits(&logits(&mut *device, 0, &tokens[150..], &[150]).unwrap());
    assert!(rest == want[150..] && device.state_bytes(0).unwrap() == state);
    // A part that fails takes the others back.
    let mut bad = RowTable::new();
    bad.push_chain(1, 150, &[1; 251], 251, Wanted::Argmax);
    assert!(device.execute(2, &bad, &mut out).is_err(), "no room for so many");
    assert_eq!(device.committed(), [300, 150]);
}
