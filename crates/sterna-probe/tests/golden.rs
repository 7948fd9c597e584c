//! Golden answers: read in every shape, met by the reference, missed by a model that is wrong.

#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use std::path::Path;

use common::{Error, cpu, file_session, options, root};
use sterna_bundle::Model;
use sterna_plan::{Backend, build};
use sterna_probe::gate::{GateArm, GateError, Golden, GoldenBounds, GoldenReport, golden};
use sterna_ref::RefBackend;
use sterna_run::Session;

const TERN: &str = "models/llama-tern-30m/llama-tern-30m-TQ2_0.gguf";
const TERN_GOLDEN: &str = "tests/data/llama-tern-30m/golden.safetensors";
const TERN_LLAMACPP: &str = "tests/data/llama-tern-30m/llamacpp_greedy.json";

fn session(model: &Model, backend: &dyn Backend, context: usize) -> Result<Session, Error> {
    let numerics = |name: &str, e, cols| model.numerics.linear(name, e, cols);
    let plan = build(&model.config, model, &numerics, &options(GateArm::BASE, context))?;
    Ok(Session::new(backend.load(plan.into(), model, &mut |_, _| {})?, context)?)
}

fn oracle(folder: &str, backend: &dyn Backend, bounds: GoldenBounds) -> GoldenReport {
    let model = Model::open(&root().join("tests/data/oracle").join(folder)).unwrap();
    let file = root().join("tests/data/oracle").join(folder).join("golden.safetensors");
    let answers = Golden::open(&file, "logits").unwrap();
    assert_eq!((answers.prompts[0].ids.len(), answers.prompts[0].rows.len()), (96, 96));
    golden(&mut session(&model, backend, 512).unwrap(), &answers, bounds).unwrap()
}

#[test]
fn float_models_agree_with_transformers_up_to_f16_keys_and_values() {
    let bounds = GoldenBounds { max_abs: 0.05, near_tie: 0.0 };
    for folder in ["a_minicpm", "f_llama", "f_qwen3"] {
        let report = oracle(folder, &cpu(GateArm::BASE), bounds);
        assert!(report.passed(), "{report}");
        let p = &report.prompts[0];
        assert_eq!((p.values, p.prompt.of, p.forced.of), (96 * 512, 96, 32));
        assert_eq!((p.greedy, p.split), ((32, 32), None));
        assert!(p.max_abs > 1e-4, "keys and values are f16 here: {report}");
    }
}

#[test]
fn the_float_reference_agrees_with_transformers_to_the_noise_of_transformers() {
    for folder in ["a_minicpm", "f_llama", "f_qwen3"] {
        let report = oracle(folder, &RefBackend::float(), GoldenBounds { max_abs: 1e-4, near_tie: 0.0 });
        assert!(report.passed(), "{report}");
        assert_eq!((report.prompts[0].greedy, report.prompts[0].split), ((32, 32), None));
    }
}

#[test]
fn a_tight_bound_fails_a_model_with_rounded_activations() {
    let model = Model::open(&root().join("tests/data/oracle/a_minicpm.tq2_0.gguf")).unwrap();
    let file = root().join("tests/data/oracle/a_minicpm/golden.safetensors");
    let answers = Golden::open(&file, "logits").unwrap();
    let mut session = file_session(&model, GateArm::BASE, 512).unwrap();
    let mut at =
        |max_abs, near_tie| golden(&mut session, &answers, GoldenBounds { max_abs, near_tie }).unwrap();
    let loose = at(0.5, 0.2);
    assert!(loose.passed(), "{loose}");
    let gap = loose.prompts[0].max_abs;
    assert!(gap > 1e-4, "int8 activations are no float activations");
    assert!(!at(gap * 0.9, 0.2).passed());
    assert!(at(gap, 0.2).passed());
}

#[test]
fn the_built_in_model_agrees_with_its_training_code_and_with_llama_cpp() {
    let model = Model::open(&root().join(TERN)).unwrap();
    let answers = Golden::open(&root().join(TERN_GOLDEN), "logits").unwrap();
    assert_eq!(answers.prompts.iter().map(|p| p.ids.len()).collect::<Vec<_>>(), [16, 23, 180]);
    let mut session = file_session(&model, GateArm { threads: 2, ..GateArm::BASE }, 512).unwrap();
    let bounds = GoldenBounds { max_abs: 0.5, near_tie: 0.2 };
    let report = golden(&mut session, &answers, bounds).unwrap();
    assert!(report.passed(), "{report}");
    assert_eq!(report.prompts[0].values, 16 * 16 + 12 * 8192);
    let answers = Golden::open(&root().join(TERN_LLAMACPP), "logits").unwrap();
    let report = golden(&mut session, &answers, bounds).unwrap();
    assert_eq!(report.prompts.len(), 12);
    assert!(report.passed(), "{report}");
    assert!(serde_json::to_string(&report).unwrap().contains("\"took_second\""));
}

#[test]
fn int8_activations_follow_the_training_code_until_a_rounding_falls_the_other_way() {
    // The first nine positions of prompt 1 meet no activation on the edge between two codes: with the same rule they
    // agree as closely as float does. From the first flipped code on, rounding noise is as large as int8's own.
    let model = Model::open(&root().join(TERN)).unwrap();
    let mut answers = Golden::open(&root().join(TERN_GOLDEN), "logits").unwrap();
    answers.prompts = answers.prompts.drain(1..2).collect();
    let p = &mut answers.prompts[0];
    p.ids.truncate(9);
    p.rows.retain(|r| r.position < 9);
    p.greedy.clear();
    let bounds = GoldenBounds { max_abs: 1e-3, near_tie: 0.0 };
    let backend = RefBackend::float_with_activations();
    let report = golden(&mut session(&model, &backend, 64).unwrap(), &answers, bounds).unwrap();
    assert!(report.passed() && report.prompts[0].prompt.of == 9, "{report}");
    let report = golden(&mut session(&model, &RefBackend::float(), 64).unwrap(), &answers, bounds).unwrap();
    assert!(!report.passed(), "without rounding they do not: {report}");
}

#[test]
fn a_wrong_model_and_wrong_answers_fail() {
    let model = Model::open(&root().join(TERN)).unwrap();
    let mut session = file_session(&model, GateArm::BASE, 512).unwrap();
    let bounds = GoldenBounds { max_abs: 0.5, near_tie: 0.2 };
    let mut answers = Golden::open(&root().join(TERN_LLAMACPP), "logits").unwrap();
    answers.prompts.truncate(1);
    let honest = golden(&mut session, &answers, bounds).unwrap();
    assert!(honest.passed(), "{honest}");
    // Another token where the margin is wide.
    let mut other = answers.clone();
    let wide = other.prompts[0].greedy.iter().position(|s| s.margin > 1.0).unwrap();
    other.prompts[0].greedy[wide].token += 1;
    let report = golden(&mut session, &other, bounds).unwrap();
    assert!(!report.passed(), "{report}");
    assert_eq!(report.prompts[0].greedy.0, wide.min(honest.prompts[0].greedy.0));
    // The same where the margin is said to be small: allowed.
    other.prompts[0].greedy.truncate(wide + 1);
    other.prompts[0].greedy[wide].margin = 0.01;
    assert!(golden(&mut session, &other, bounds).unwrap().passed());
    // A margin that is no number does not excuse.
    other.prompts[0].greedy[wide].margin = f32::NAN;
    assert!(!golden(&mut session, &other, bounds).unwrap().passed());
    // Wrong best token inside the prompt.
    let mut other = answers.clone();
    let wide = other.prompts[0].top1.iter().position(|s| s.margin > 0.5).unwrap();
    other.prompts[0].top1[wide].token += 1;
    assert!(!golden(&mut session, &other, bounds).unwrap().passed());
    // Logits of which one is off.
    let mut answers = Golden::open(&root().join(TERN_GOLDEN), "logits").unwrap();
    answers.prompts.truncate(1);
    answers.prompts[0].rows.last_mut().unwrap().values[4711] += 1.0;
    let report = golden(&mut session, &answers, bounds).unwrap();
    assert!(!report.passed() && report.prompts[0].worst_position == 15, "{report}");
    // Another vocabulary, and a context that is too small.
    let tiny = Model::open(&root().join("tests/data/oracle/a_minicpm.tq2_0.gguf")).unwrap();
    let mut small = file_session(&tiny, GateArm::BASE, 20).unwrap();
    assert!(matches!(golden(&mut small, &answers, bounds), Err(GateError::Golden(_))));
    answers.prompts[0].ids = vec![1; 500];
    assert!(matches!(golden(&mut session, &answers, bounds), Err(GateError::Options(_))));
}

#[test]
fn files_of_other_shapes_are_refused() {
    let read = |text: &str| Golden::from_llamacpp_json("x", text.as_bytes());
    assert!(read(r#"{"cases": []}"#).is_err());
    let case = r#"{"cases": [{"prompt_ids": [1, 2], "greedy_ids": [3], "greedy_margin": [0.5]}]}"#;
    assert_eq!(read(case).unwrap().prompts[0].greedy[0].token, 3);
    assert!(read(&case.replace("[0.5]", "[]")).is_err());
    assert!(read(&case.replace("[1, 2]", "[]")).is_err());
    assert!(read(&case.replace("[1, 2]", "[-1]")).is_err());
    assert!(Golden::open(Path::new("/nonexistent"), "logits").is_err());
    let weights = root().join("tests/data/oracle/f_llama/model.safetensors");
    assert!(matches!(Golden::open(&weights, "logits"), Err(GateError::Golden(_))));
    let floats = Golden::open(&root().join(TERN_GOLDEN), "logits_float_activations").unwrap();
    assert_eq!(floats.prompts[2].rows.len(), 180 + 12);
}
