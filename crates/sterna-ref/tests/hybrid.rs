//! Recurrent layers in law and in float mode: C5, T8, T13, and what a state that owns time allows.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

mod common;

use common::{bits, load};
use sterna_format::Encoding;
use sterna_plan::{BackendError, Executor, Fusions, Outputs, PlanError, PlanOptions, RowTable, Wanted};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, Random, TestModel, hybrid_config, logits, narrow_hybrid_config, plan};

fn model(encoding: Encoding) -> TestModel {
    let config = if encoding.block_len() > 32 { hybrid_config() } else { narrow_hybrid_config() };
    TestModel::new(77, config, Encodings::new(encoding)).unwrap()
}

fn make(backend: RefBackend, model: &TestModel, fusions: Fusions, slots: usize) -> Box<dyn Executor> {
    let options = PlanOptions { fusions, ..PlanOptions::new(256) };
    load(backend, plan(model, &options).unwrap(), model, slots)
}

/// T8 and every fold: any cut of a prompt gives the bits of single rows, and the same states.
#[test]
fn cuts_and_folds_change_no_bit() {
    for (encoding, backend) in [
        (Encoding::Q8_0, RefBackend::law()),
        (Encoding::Q4K, RefBackend::law()),
        (Encoding::BF16, RefBackend::law()),
        (Encoding::F16, RefBackend::float()),
    ] {
        let model = model(encoding);
        let tokens = Random::new(1).tokens(70, model.config.vocab);
        let mut single = make(backend, &model, Fusions::NONE, 1);
        let alone = bits(&logits(&mut *single, 0, &tokens, &[1]).unwrap());
        let state = single.state_bytes(0).unwrap();
        let none = Fusions::NONE;
        let most = single.plan().entries[0].ops.len();
        for fusions in [
            Fusions::ALL,
            Fusions { delta: true, ..none },
            Fusions { attention: true, ..none },
            Fusions { members: true, norm: true, ..none },
        ] {
            let mut executor = make(backend, &model, fusions, 1);
            assert!(executor.plan().entries[0].ops.len() < most, "{fusions:?} folds nothing");
            for cut in [&[1][..], &[64], &[2, 3, 1, 17], &[69, 1]] {
                executor.truncate(0, 0).unwrap();
                let got = bits(&logits(&mut *executor, 0, &tokens, cut).unwrap());
                assert!(alone == got, "{encoding} in chunks of {cut:?}, {fusions:?}");
                assert!(state == executor.state_bytes(0).unwrap(), "{encoding} {cut:?} {fusions:?}");
            }
        }
    }
}

#[test]
fn a_recurrent_state_is_cut_to_the_start_alone() {
    let model = model(Encoding::Q8_0);
    let mut executor = make(RefBackend::law(), &model, Fusions::ALL, 2);
    let tokens = Random::new(2).tokens(9, model.config.vocab);
    let first = logits(&mut *executor, 1, &tokens, &[4]).unwrap();
    let state = executor.state_bytes(1).unwrap();
    let plan = executor.plan().clone();
    let fixed: usize = plan.states.iter().map(|s| s.bytes_fixed()).sum();
    let each: usize = plan.states.iter().map(|s| s.bytes_per_position()).sum();
    assert_eq!(state.len(), fixed + 9 * each);
    assert!(fixed > 0 && executor.state_bytes(0).unwrap().is_empty());
    assert_eq!(plan.cost(&plan.entries[0]).fixed_state_bytes, fixed as u64);
    for len in [1, 8] {
        assert_eq!(executor.reusable_prefix(1, len).unwrap(), 0);
        match executor.truncate(1, len) {
            Err(BackendError::Plan(PlanError::Cut { committed: 9, reusable: 0, .. })) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(executor.reusable_prefix(1, 9).unwrap(), 9);
    assert!(executor.reusable_prefix(2, 0).is_err());
    executor.truncate(1, 9).unwrap();
    assert!(executor.state_bytes(1).unwrap() == state && executor.committed() == [0, 9]);
    executor.truncate(1, 0).unwrap();
    assert!(executor.state_bytes(1).unwrap().is_empty());
    let again = logits(&mut *executor, 1, &tokens, &[9]).unwrap();
    assert!(bits(&first) == bits(&again) && executor.state_bytes(1).unwrap() == state);
}

/// A call whose logits are not finite leaves the states as they were.
#[test]
fn a_call_that_fails_leaves_no_trace() {
    let config = sterna_bundle::ModelConfig { tied: false, ..narrow_hybrid_config() };
    let mut untied = TestModel::new(77, config, Encodings::new(Encoding::Q8_0)).unwrap();
    // Token 5 is not a number.
    let row = 2 * untied.config.hidden;
    untied.bytes_mut("embed").unwrap()[5 * row..5 * row + 2].copy_from_slice(&0x7e00u16.to_le_bytes());
    let mut executor = make(RefBackend::law(), &untied, Fusions::ALL, 1);
    let before = logits(&mut *executor, 0, &[1, 2, 3], &[3]).unwrap();
    let state = executor.state_bytes(0).unwrap();
    let mut rows = RowTable::new();
    rows.push_chain(0, 3, &[4, 5], 1, Wanted::Argmax);
    let error = executor.execute(1, &rows, &mut Outputs::default()).unwrap_err();
    assert!(matches!(error, BackendError::NonFinite { .. }), "{error}");
    assert!(executor.state_bytes(0).unwrap() == state && executor.committed() == [3]);
    let next = logits(&mut *executor, 0, &[6], &[1]).unwrap();
    executor.truncate(0, 0).unwrap();
    let cold = logits(&mut *executor, 0, &[1, 2, 3, 6], &[4]).unwrap();
    assert!(bits(&cold[..3]) == bits(&before) && bits(&cold[3..]) == bits(&next));
}
