//! What goes wrong is named.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

mod common;

use std::sync::Arc;

use common::{law, load, model, options};
use sterna_format::Encoding;
use sterna_plan::{
    Backend, BackendError, Executor, Fusions, LinearNumerics, Op, Outputs, PlanError, RowTable, Wanted,
    WeightUse,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, TestModel, config, logits, plan};

const BACKENDS: [fn() -> RefBackend; 3] =
    [RefBackend::float, RefBackend::float_with_activations, RefBackend::law];

/// A NaN scale in any one weight: the first op that has it is named, and nothing is committed.
#[test]
fn the_op_that_brings_nan_is_named() {
    for backend in BACKENDS {
        for (weight, fusions, op_name) in [
            ("layers.0.q", Fusions::ALL, "linear layers.0.q | layers.0.k | layers.0.v"),
            ("layers.1.v", Fusions::NONE, "linear layers.1.v"),
            ("layers.1.down", Fusions::ALL, "linear layers.1.down"),
            ("layers.1.up", Fusions::NONE, "linear layers.1.up"),
            ("layers.0.ffn_norm", Fusions::NONE, "rms-norm layers.0.ffn_norm"),
            ("norm", Fusions::NONE, "rms-norm norm"),
            ("embed", Fusions::ALL, "embed embed"),
        ] {
            let mut model = model(Encoding::Q4_0);
            poison(&mut model, weight);
            let mut executor = load(backend(), plan(&model, &options(fusions)).unwrap(), &model, 2);
            let name = executor.plan().clone();
            let mut rows = RowTable::new();
            rows.push_chain(1, 0, &[5, 1, 2], 1, Wanted::Argmax);
            let mut out = Outputs::default();
            match executor.execute(1, &rows, &mut out).unwrap_err() {
                BackendError::NonFinite { row, op, name: found } => {
                    assert_eq!((row, found.as_str()), (2, op_name));
                    assert!(name.describe_op(&name.entries[1], &name.entries[1].ops[op]).contains(weight));
                }
                other => panic!("{weight}: {other}"),
            }
            assert_eq!(executor.committed(), [0, 0]);
            assert!(executor.state_bytes(1).unwrap().is_empty() && out.rows.is_empty());
        }
    }
}

/// Makes a scale of the first row (all scales of the embeddings of token 5; f32 for norms) NaN.
fn poison(model: &mut TestModel, name: &str) {
    let hidden = model.config.hidden;
    let bytes = model.bytes_mut(name).unwrap();
    match name {
        "embed" => bytes[5 * hidden * 2..][..2].copy_from_slice(&0x7e00u16.to_le_bytes()),
        n if n.ends_with("norm") => bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes()),
        _ => bytes[..2].copy_from_slice(&0x7e00u16.to_le_bytes()),
    }
}

/// The culprit is searched in the failing sequence only, and an innocent sequence goes on.
#[test]
fn a_bad_neighbour_is_told_apart() {
    // Its own head: a tied one would share the NaN.
    let mut model = model(Encoding::BF16);
    assert!(!model.config.tied);
    poison(&mut model, "embed");
    let mut executor = law(&model, Fusions::ALL, 2);
    let alone = logits(&mut *executor, 0, &[1, 2, 3], &[1]).unwrap();
    executor.truncate(0, 0).unwrap();
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, &[1, 2, 3], 3, Wanted::Logits);
    rows.push_chain(1, 0, &[5], 0, Wanted::Nothing);
    let mut out = Outputs::default();
    executor.execute(2, &rows, &mut out).unwrap();
    assert_eq!(alone, out.logits);
    // The NaN that the other sequence committed unseen comes out when it is asked for.
    rows.clear();
    rows.push_chain(0, 3, &[4], 1, Wanted::Argmax);
    rows.push_chain(1, 1, &[6], 1, Wanted::Argmax);
    match executor.execute(2, &rows, &mut out).unwrap_err() {
        BackendError::NonFinite { row, name, .. } => {
            assert_eq!((row, name.as_str()), (1, "attention state 0"))
        }
        other => panic!("{other}"),
    }
    assert_eq!(executor.committed(), [3, 1]);
}

/// A value past f16 is infinite at rest: the write is named, not the attention that reads it.
#[test]
fn keys_past_f16_are_named_where_they_are_written() {
    let mut model = model(Encoding::F32);
    let bytes = model.bytes_mut("layers.0.k").unwrap();
    for w in bytes.chunks_exact_mut(4).take(96) {
        w.copy_from_slice(&30_000f32.to_le_bytes());
    }
    for (fusions, name) in [(Fusions::NONE, "kv-write state 0"), (Fusions::ALL, "attention state 0")] {
        let error = logits(&mut *law(&model, fusions, 1), 0, &[1, 2], &[1]).unwrap_err();
        assert!(matches!(&error, BackendError::NonFinite { name: n, .. } if n == name), "{error}");
        let mut float = load(RefBackend::float(), plan(&model, &options(fusions)).unwrap(), &model, 1);
        assert!(logits(&mut *float, 0, &[1, 2], &[1]).is_ok());
    }
}

#[test]
fn weights_that_do_not_fit_the_plan_are_refused() {
    let good = model(Encoding::TQ2_0);
    let plan = plan(&good, &options(Fusions::ALL)).unwrap();
    for backend in BACKENDS {
        let load = |model: &TestModel| backend().load(plan.clone(), model, &mut |_, _| {}).err();
        let mut missing = model(Encoding::TQ2_0);
        missing.remove("layers.1.o");
        assert!(
            matches!(load(&missing), Some(BackendError::Plan(PlanError::MissingWeight(n))) if n == "layers.1.o")
        );
        let other = TestModel::new(1, good.config.clone(), Encodings::new(Encoding::Q4_0)).unwrap();
        assert!(load(&other).unwrap().to_string().contains("planned as tq2_0"));
        let mut wide = config();
        (wide.ffn, wide.qk_norm) = (1024, good.config.qk_norm);
        let wide = TestModel::new(1, wide, Encodings::new(Encoding::TQ2_0)).unwrap();
        assert!(matches!(load(&wide), Some(BackendError::Plan(PlanError::Shape { .. }))));
        assert!(load(&good).is_none());
    }
    // A code of 3 is no trit: the law's integer view refuses it.
    let mut broken = model(Encoding::TQ2_0);
    broken.bytes_mut("layers.0.up").unwrap()[0] = 0xff;
    let error = RefBackend::law().load(plan.clone(), &broken, &mut |_, _| {}).err().unwrap();
    assert!(matches!(&error, BackendError::Weight { name, .. } if name == "layers.0.up"), "{error}");
}

#[test]
fn progress_reaches_the_end() {
    let model = model(Encoding::Q4_0);
    let plan = plan(&model, &options(Fusions::ALL)).unwrap();
    let mut heard = vec![];
    RefBackend::law().load(plan.clone(), &model, &mut |done, all| heard.push((done, all))).unwrap();
    assert_eq!(heard.len(), plan.weights.len() + 1);
    assert!(heard.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 == w[1].1));
    assert_eq!(heard[0].0, 0);
    assert_eq!(heard.last().unwrap().0, heard.last().unwrap().1);
}

/// The dry run asks; each refusal says what is missing.
#[test]
fn support_is_a_question() {
    let model = model(Encoding::Q4_0);
    let plan = plan(&model, &options(Fusions::ALL)).unwrap();
    for backend in BACKENDS {
        assert!(plan.weights.iter().all(|w| backend().supports(w).is_ok()));
    }
    let mut wrong = plan.weights.iter().find(|w| w.name == "layers.0.q").unwrap().clone();
    wrong.usage = WeightUse::Linear(LinearNumerics::Int8 { group: 80 });
    assert!(RefBackend::float().supports(&wrong).is_ok());
    assert!(RefBackend::float_with_activations().supports(&wrong).is_err());
    assert!(RefBackend::law().supports(&wrong).is_err());
    wrong.usage = WeightUse::Linear(LinearNumerics::Float);
    assert!(RefBackend::law().supports(&wrong).is_ok());
    let mut plan = Arc::unwrap_or_clone(plan);
    plan.ropes[0].frequencies.pop();
    let has_table =
        plan.entries[0].ops.iter().flat_map(Op::parts).any(|op| matches!(op, Op::RotationTable { .. }));
    assert!(has_table && RefBackend::law().load(Arc::new(plan), &model, &mut |_, _| {}).is_err());
    assert_eq!(BACKENDS.map(|b| b().name()), ["ref-float", "ref-float-a8", "ref-law"]);
}

/// Integer weights may be run as floats, in every mode.
#[test]
fn codes_can_be_run_as_floats() {
    let model = model(Encoding::Q8_0);
    let float = |_: &str, _: Encoding, _: usize| LinearNumerics::Float;
    let plan = Arc::new(sterna_plan::build(&model.config, &model, &float, &options(Fusions::ALL)).unwrap());
    let run = |backend| {
        let mut executor: Box<dyn Executor> = load(backend, plan.clone(), &model, 1);
        logits(&mut *executor, 0, &[1, 2, 3, 4], &[3]).unwrap()
    };
    let (law, a8, float) =
        (run(RefBackend::law()), run(RefBackend::float_with_activations()), run(RefBackend::float()));
    assert_eq!(a8, float);
    for (l, f) in law.iter().flatten().zip(float.iter().flatten()) {
        assert!((l - f).abs() < 5e-3, "{l} {f}");
    }
}
