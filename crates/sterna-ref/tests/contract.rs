//! C1 in law mode: a row's bits do not depend on the width of the call, on its neighbours or on the folds.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

mod common;

use common::{ENCODINGS, bits, law, load, model, options};
use sterna_format::{Encoding, ScaleGroup};
use sterna_plan::{BackendError, Fusions, Outputs, PlanError, RowTable, Wanted};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Random, TestModel, config, logits, plan};

/// 150 positions: three attention pieces.
fn tokens(seed: u64) -> Vec<u32> {
    Random::new(seed).tokens(150, config().vocab)
}

/// T8 for every encoding: ways to cut a prompt, among them every entry width, whole and with a rest, and warm prefixes.
#[test]
fn chunks_of_any_length_give_the_bits_of_single_rows() {
    for encoding in ENCODINGS {
        let model = model(encoding);
        let mut executor = law(&model, Fusions::ALL, 1);
        // Two attention pieces, or three.
        let tokens = &tokens(1)[..if encoding.block_len() > 32 { 75 } else { 150 }];
        let alone = logits(&mut *executor, 0, tokens, &[1]).unwrap();
        let state = executor.state_bytes(0).unwrap();
        let per_position: usize = executor.plan().states.iter().map(|s| s.bytes_per_position()).sum();
        assert_eq!(state.len(), tokens.len() * per_position);
        for chunks in [&[128][..], &[64], &[32, 1], &[16], &[3, 2], &[1, 5, 40, 16, 17]] {
            executor.truncate(0, 0).unwrap();
            let cut = logits(&mut *executor, 0, tokens, chunks).unwrap();
            assert!(bits(&alone) == bits(&cut), "{encoding} in chunks of {chunks:?}");
            assert!(state == executor.state_bytes(0).unwrap(), "{encoding} in chunks of {chunks:?}");
        }
        for keep in [tokens.len() - 1, 4, 64] {
            executor.truncate(0, keep as u32).unwrap();
            let rest = logits(&mut *executor, 0, &tokens[keep..], &[128]).unwrap();
            assert!(bits(&alone[keep..]) == bits(&rest), "{encoding} after {keep}");
        }
        assert!(state == executor.state_bytes(0).unwrap(), "{encoding}");
    }
}

/// Prefill and decode alternated 100 times in one process.
#[test]
fn what_was_computed_before_leaves_no_trace() {
    let model = model(Encoding::Q4_1);
    let mut executor = law(&model, Fusions::ALL, 1);
    let tokens = tokens(12);
    let alone = bits(&logits(&mut *executor, 0, &tokens, &[1]).unwrap());
    for round in 0..100 {
        let keep = 149 - round * 37 % 100;
        executor.truncate(0, keep as u32).unwrap();
        let rest = logits(&mut *executor, 0, &tokens[keep..], &[[64], [3]][round % 2]).unwrap();
        assert!(alone[keep..] == bits(&rest), "round {round}");
    }
}

#[test]
fn two_sequences_in_one_call_are_as_alone() {
    for encoding in [Encoding::Ternary(ScaleGroup::Row), Encoding::Q4_1, Encoding::F16] {
        let model = model(encoding);
        let mut executor = law(&model, Fusions::ALL, 3);
        let (a, b) = (tokens(2), tokens(3));
        let alone = [&a, &b].map(|t| {
            executor.truncate(2, 0).unwrap();
            let logits = logits(&mut *executor, 2, t, &[1]).unwrap();
            (logits, executor.state_bytes(2).unwrap())
        });
        let entry = executor.plan().entry_for(64).unwrap();
        let (mut at, mut out) = ([0usize; 2], Outputs::default());
        let mut random = Random::new(4);
        while at[0] < a.len() || at[1] < b.len() {
            let (mut rows, mut expected) = (RowTable::new(), vec![]);
            let first = random.below(2);
            for slot in [first, 1 - first] {
                let tokens = [&a, &b][slot];
                let n = random.below(30).min(tokens.len() - at[slot]);
                rows.push_chain(slot, at[slot] as u32, &tokens[at[slot]..at[slot] + n], n, Wanted::Logits);
                expected.extend(alone[slot].0[at[slot]..at[slot] + n].iter().cloned());
                at[slot] += n;
            }
            if rows.is_empty() {
                continue;
            }
            // One chain's rows between the other's: order within a sequence is what counts.
            let rows = interleave(&rows, &mut expected, &mut random);
            executor.execute(entry, &rows, &mut out).unwrap();
            assert!(bits(&out.logits) == bits(&expected), "{encoding}");
        }
        for (slot, (_, state)) in alone.iter().enumerate() {
            assert!(executor.state_bytes(slot).unwrap() == *state, "{encoding} state {slot}");
        }
    }
}

/// Shuffles the rows of two chains into one another and carries `results` along.
fn interleave(rows: &RowTable, results: &mut Vec<Vec<f32>>, random: &mut Random) -> RowTable {
    let mut queues: Vec<Vec<usize>> = vec![vec![], vec![]];
    for (i, row) in rows.rows().iter().enumerate() {
        queues[row.sequence].push(i);
    }
    let (mut mixed, mut order) = (RowTable::new(), vec![]);
    while queues.iter().any(|q| !q.is_empty()) {
        let mut pick = random.below(2);
        if queues[pick].is_empty() {
            pick = 1 - pick;
        }
        let i = queues[pick].remove(0);
        let mut row = rows.rows()[i];
        if let sterna_plan::Parent::Row(p) = row.parent {
            row.parent = sterna_plan::Parent::Row(order.iter().position(|o| *o == p).unwrap());
        }
        mixed.push(row);
        order.push(i);
    }
    *results = order.into_iter().map(|i| results[i].clone()).collect();
    mixed
}

#[test]
fn every_fold_alone_and_all_together_change_no_bit() {
    let none = Fusions::NONE;
    let folds = [
        Fusions::ALL,
        Fusions { members: true, ..none },
        Fusions { norm: true, ..none },
        Fusions { gate_up: true, ..none },
        Fusions { residual: true, ..none },
        Fusions { attention: true, ..none },
        Fusions { members: true, gate_up: true, ..none },
        Fusions { members: true, norm: true, ..none },
        Fusions { norm: true, select: true, ..none },
        Fusions { rows: true, ..none },
    ];
    for encoding in ENCODINGS {
        let model = model(encoding);
        let tokens = &tokens(5)[..if encoding.block_len() > 32 { 20 } else { 80 }];
        let run = |fusions| {
            let mut executor = law(&model, fusions, 1);
            let logits = logits(&mut *executor, 0, tokens, &[16, 1, 32]).unwrap();
            (bits(&logits), executor.state_bytes(0).unwrap(), executor.plan().entries[0].ops.len())
        };
        let plain = run(none);
        for fold in folds {
            let folded = run(fold);
            assert!(plain.0 == folded.0 && plain.1 == folded.1, "{encoding} {fold:?}");
            if fold == Fusions::ALL {
                assert!(folded.2 < plain.2 / 2, "{} ops of {}", folded.2, plain.2);
            }
        }
    }
}

#[test]
fn the_order_of_rows_in_the_file_does_not_matter() {
    let model = model(Encoding::Q8_0);
    let tokens = &tokens(6)[..20];
    let plain = logits(&mut *law(&model, Fusions::ALL, 1), 0, tokens, &[16]).unwrap();
    let swapped = model.interleaved();
    let other = logits(&mut *law(&swapped, Fusions::ALL, 1), 0, tokens, &[16]).unwrap();
    assert_eq!(bits(&plain), bits(&other));
}

/// Weight bytes are counted once per call, whatever its width; multiply-accumulates per row.
#[test]
fn costs_are_those_of_the_plan() {
    let model = model(Encoding::TQ2_0);
    let mut executor = law(&model, Fusions::ALL, 1);
    let plan = executor.plan().clone();
    let linears = |p: &sterna_plan::WeightSpec| matches!(p.usage, sterna_plan::WeightUse::Linear(_));
    let bytes: u64 = plan.weights.iter().filter(|w| linears(w)).map(|w| w.bytes()).sum();
    let per_row = plan.cost(&plan.entries[0]).macs_per_row;
    let mut out = Outputs::default();
    for n in [1, 3, 64] {
        executor.truncate(0, 0).unwrap();
        let mut rows = RowTable::new();
        rows.push_chain(0, 0, &tokens(7)[..n], n, Wanted::Argmax);
        executor.execute(plan.entry_for(n).unwrap(), &rows, &mut out).unwrap();
        assert_eq!((out.stats.weight_bytes, out.stats.macs), (bytes, per_row * n as u64));
        assert_eq!(out.rows, (0..n).collect::<Vec<_>>());
        assert!(out.logits.iter().all(Vec::is_empty));
    }
    let memory = executor.memory();
    assert_eq!(memory.states, 200 * plan.states.iter().map(|s| s.bytes_per_position()).sum::<usize>());
    assert!(memory.weights > bytes as usize && memory.scratch > 0);
}

/// Rows that want nothing have no result; argmax agrees with the logits.
#[test]
fn only_wanted_rows_answer() {
    let model = model(Encoding::Q4_0);
    let mut executor = law(&model, Fusions::ALL, 1);
    let tokens = &tokens(8)[..20];
    let all = logits(&mut *executor, 0, tokens, &[1]).unwrap();
    executor.truncate(0, 0).unwrap();
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, tokens, 0, Wanted::Nothing);
    let mut list = rows.rows().to_vec();
    list[4].wanted = Wanted::Argmax;
    list[9].wanted = Wanted::Logits;
    rows.clear();
    list.into_iter().for_each(|r| rows.push(r));
    let mut out = Outputs::default();
    executor.execute(3, &rows, &mut out).unwrap();
    assert_eq!(out.rows, [4, 9]);
    assert_eq!(bits(&[out.logits_of(9).unwrap().to_vec()]), bits(&all[9..10]));
    assert!(out.logits_of(4).is_none() && out.top_of(5).is_none());
    for row in [4, 9] {
        let top = out.top_of(row).unwrap();
        let best = all[row].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(
            (top.token as usize, top.logit),
            (all[row].iter().position(|l| *l == best).unwrap(), best)
        );
        let others = all[row].iter().enumerate().filter(|(i, _)| *i != top.token as usize).map(|(_, l)| *l);
        assert_eq!(top.second, others.fold(f32::NEG_INFINITY, f32::max));
    }
    // A prefill that wants nothing skips the head and still fills the state.
    executor.truncate(0, 0).unwrap();
    rows.clear();
    rows.push_chain(0, 0, &tokens[..19], 0, Wanted::Nothing);
    executor.execute(3, &rows, &mut out).unwrap();
    assert!(out.rows.is_empty() && executor.committed() == [19]);
    let last = logits(&mut *executor, 0, &tokens[19..], &[1]).unwrap();
    assert_eq!(bits(&last), bits(&all[19..]));
}

/// The width where threads begin does not change a bit: a model whose calls are split against one whose are not.
#[test]
fn threads_change_no_bit() {
    let mut config = config();
    (config.hidden, config.ffn, config.layers) = (512, 1024, 1);
    (config.heads, config.kv_heads) = (8, 4);
    let model = TestModel::new(9, config, sterna_ref::testing::Encodings::new(Encoding::Q6K)).unwrap();
    let mut executor = law(&model, Fusions::ALL, 1);
    let tokens = tokens(9);
    let single = logits(&mut *executor, 0, &tokens, &[1]).unwrap();
    executor.truncate(0, 0).unwrap();
    let wide = logits(&mut *executor, 0, &tokens, &[128]).unwrap();
    assert!(bits(&single) == bits(&wide));
}

#[test]
fn calls_that_do_not_fit_are_refused_and_change_nothing() {
    let model = model(Encoding::Q4_0);
    let mut executor = law(&model, Fusions::ALL, 2);
    let mut out = Outputs::default();
    logits(&mut *executor, 0, &[1, 2, 3], &[3]).unwrap();
    let state = executor.state_bytes(0).unwrap();
    let chain = |slot, position, tokens: &[u32]| {
        let mut rows = RowTable::new();
        rows.push_chain(slot, position, tokens, 1, Wanted::Argmax);
        rows
    };
    let refused = [
        (0, chain(0, 3, &[1, 2])), // wider than the entry point
        (1, chain(0, 3, &[100])),  // outside the vocabulary
        (1, chain(2, 0, &[1])),    // outside the pool
        (1, chain(0, 2, &[1])),    // not at the committed end
        (1, chain(1, 200, &[1])),  // past the capacity
        (1, RowTable::new()),      // nothing to do
        (9, chain(0, 3, &[1])),    // no such entry point
    ];
    for (entry, rows) in refused {
        let error = executor.execute(entry, &rows, &mut out).unwrap_err();
        assert!(
            matches!(error, BackendError::Plan(PlanError::Rows { .. } | PlanError::Options(_))),
            "{error}"
        );
        assert_eq!(executor.committed(), [3, 0]);
        assert!(out.rows.is_empty() && out.top.is_empty());
    }
    assert!(executor.state_bytes(0).unwrap() == state);
    assert!(executor.truncate(2, 0).is_err() && executor.state_bytes(2).is_err());
    executor.truncate(0, 7).unwrap();
    assert_eq!(executor.committed(), [3, 0]);
    executor.truncate(0, 1).unwrap();
    assert_eq!(executor.committed(), [1, 0]);
    // State after state, each with its positions ascending.
    let states = state.chunks(state.len() / executor.plan().states.len());
    let first: Vec<u8> = states.flat_map(|s| &s[..s.len() / 3]).copied().collect();
    assert!(executor.state_bytes(0).unwrap() == first);
    executor.allocate(1, 5).unwrap();
    assert_eq!((executor.committed(), executor.capacity()), (&[0][..], 5));
    let full = logits(&mut *executor, 0, &[1, 2, 3, 4, 5], &[3]).unwrap();
    assert_eq!(full.len(), 5);
    assert!(logits(&mut *executor, 0, &[6], &[1]).is_err());
    assert!(executor.allocate(usize::MAX / 2, usize::MAX / 2).is_err());
    assert!(executor.committed().is_empty());
}

/// Rows of a float call are as independent as those of the law.
#[test]
fn float_modes_do_not_depend_on_the_width_either() {
    for backend in [RefBackend::float(), RefBackend::float_with_activations()] {
        let model = model(Encoding::TQ2_0);
        let mut executor = load(backend, plan(&model, &options(Fusions::ALL)).unwrap(), &model, 1);
        let tokens = &tokens(10)[..70];
        let alone = logits(&mut *executor, 0, tokens, &[1]).unwrap();
        let state = executor.state_bytes(0).unwrap();
        executor.truncate(0, 0).unwrap();
        assert!(bits(&alone) == bits(&logits(&mut *executor, 0, tokens, &[64, 3]).unwrap()));
        assert!(state == executor.state_bytes(0).unwrap());
        let mut unfused = load(backend, plan(&model, &options(Fusions::NONE)).unwrap(), &model, 1);
        assert!(bits(&alone) == bits(&logits(&mut *unfused, 0, tokens, &[16]).unwrap()));
    }
}

#[test]
fn profiles_have_a_time_for_every_op() {
    let model = model(Encoding::Q4_0);
    let mut executor = law(&model, Fusions::ALL, 1);
    logits(&mut *executor, 0, &[1, 2], &[1]).unwrap();
    assert!(executor.profile_times().is_empty());
    executor.profile(true);
    logits(&mut *executor, 0, &[3, 4], &[1]).unwrap();
    let times = executor.profile_times();
    assert_eq!(times.len(), executor.plan().entries[0].ops.len());
    assert!(times.iter().all(|t| t.nanos > 0));
    // The embedding and the rotations of the rows are one op.
    assert!(times[0].name.starts_with("row-by-row"), "{}", times[0].name);
    assert!(times[1].name.starts_with("linear layers.0.q"), "{}", times[1].name);
    logits(&mut *executor, 0, &[5, 6, 7], &[3]).unwrap();
    assert_eq!(executor.profile_times().len(), executor.plan().entries[1].ops.len());
    executor.profile(false);
    assert!(executor.profile_times().is_empty());
}
