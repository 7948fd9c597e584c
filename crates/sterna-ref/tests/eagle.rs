//! An EAGLE-3 head against a reference's answers: the float mode, every position, within 1e-4.

#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::PathBuf;
use std::sync::Arc;

use safetensors::SafeTensors;
use sterna_bundle::{EagleConfig, EagleHead, Model, TapIds, default_numerics};
use sterna_format::Encoding;
use sterna_plan::{
    Backend, Executor, ModelPlan, Outputs, PlanOptions, RowTable, Taps, Wanted, WeightSource, build,
    build_eagle, build_eagle_fusion,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, Random, TestModel, eagle_config, narrow_config, numerics};

fn oracle(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle").join(name)
}

fn floats(golden: &SafeTensors<'_>, name: &str) -> Vec<f32> {
    let t = golden.tensor(name).unwrap();
    t.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn ids(golden: &SafeTensors<'_>, name: &str) -> Vec<u32> {
    let t = golden.tensor(name).unwrap();
    let size = t.data().len() / t.shape().iter().product::<usize>();
    t.data().chunks(size).map(|id| u32::from_le_bytes([id[0], id[1], id[2], id[3]])).collect()
}

fn load(plan: ModelPlan, source: &dyn WeightSource) -> Box<dyn Executor> {
    let mut executor = RefBackend::float().load(Arc::new(plan), source, &mut |_, _| {}).unwrap();
    executor.allocate(1, 128).unwrap();
    executor
}

/// Feeds rows in one go or in calls of 64; logits of every row, and the hidden states handed out.
fn feed(executor: &mut dyn Executor, tokens: &[u32], inputs: &[f32], wanted: Wanted) -> (Vec<f32>, Vec<f32>) {
    let (mut logits, mut taps) = (Vec::new(), Vec::new());
    let width = inputs.len() / tokens.len();
    for (i, chunk) in tokens.chunks(64).enumerate() {
        let (mut rows, mut out) = (RowTable::new(), Outputs::default());
        rows.push_chain(0, executor.committed()[0], chunk, chunk.len(), wanted);
        rows.set_inputs(&inputs[i * 64 * width..][..chunk.len() * width]);
        let entry = executor.plan().entry_for(chunk.len()).unwrap();
        executor.execute(entry, &rows, &mut out).unwrap();
        logits.extend(out.logits.into_iter().flatten());
        taps.extend(out.taps);
    }
    (logits, taps)
}

fn worst(got: &[f32], want: &[f32]) -> f32 {
    assert_eq!(got.len(), want.len());
    got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max)
}

#[test]
fn a_head_of_qwen3() {
    let (target, golden) = (oracle("f_qwen3"), oracle("f_qwen3_eagle3"));
    let bytes = std::fs::read(target.join("golden.safetensors")).unwrap();
    let text = SafeTensors::deserialize(&bytes).unwrap();
    let bytes = std::fs::read(golden.join("golden.safetensors")).unwrap();
    let want = SafeTensors::deserialize(&bytes).unwrap();
    let model = Model::open(&target).unwrap();
    let head = EagleHead::open(&golden, &model.config, TapIds::Inputs).unwrap();
    let source = head.with_target(&model);
    let numerics = |_: &str, e, cols| default_numerics(e, cols);
    let options = PlanOptions::new(128);

    // The target reads the prompt and hands out the inputs of three layers.
    let tapped = PlanOptions { taps: Taps::Layers(head.config.taps.clone()), ..options.clone() };
    let plan = build(&model.config, &model, &numerics, &tapped).unwrap();
    let prompt = ids(&text, "input_ids");
    let (_, taps) = feed(&mut *load(plan, &model), &prompt, &[], Wanted::Nothing);

    let plan = build_eagle_fusion(&head.config, &source, &numerics, &options).unwrap();
    assert_eq!((plan.tap_width(), plan.output_vocab(), plan.states.len()), (128, 0, 0));
    let (none, fused) = feed(&mut *load(plan, &source), &prompt, &taps, Wanted::Nothing);
    assert!(none.is_empty());
    let gap = worst(&fused, &floats(&want, "fused"));
    println!("largest difference of a fused state: {gap:e}");
    assert!(gap < 1e-4, "{gap}");

    // Row t has token t + 1: the prompt without its first token, and the target's first answer.
    let plan = build_eagle(&head.config, &source, &numerics, &options).unwrap();
    assert_eq!((plan.vocab, plan.output_vocab(), plan.padded_vocab, plan.tap_width()), (512, 256, 256, 128));
    let mut executor = load(plan, &source);
    let tokens: Vec<u32> =
        prompt[1..].iter().copied().chain(ids(&text, "greedy_ids").first().copied()).collect();
    let (logits, states) = feed(&mut *executor, &tokens, &fused, Wanted::Logits);
    let gap = worst(&logits, &floats(&want, "logits"));
    println!("largest difference of a logit: {gap:e}");
    assert!(gap < 1e-4, "{gap}");

    // Then it goes on alone.
    let map = head.target_ids().unwrap();
    let best = |logits: &[f32]| {
        let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        map[logits.iter().position(|l| *l == max).unwrap()]
    };
    let mut drafted = vec![best(&logits[logits.len() - 256..])];
    let mut state = states[states.len() - 128..].to_vec();
    let want = ids(&want, "draft_ids");
    while drafted.len() < want.len() {
        let (logits, states) = feed(&mut *executor, &drafted[drafted.len() - 1..], &state, Wanted::Logits);
        drafted.push(best(&logits));
        state = states;
    }
    assert_eq!(drafted, want);
}

/// With weights of 1, a normed hidden state is its own norm: starting the residual stream from the normed state is starting
/// from a state that is normed already.
#[test]
fn the_residual_stream_may_start_from_the_normed_state() {
    let model = narrow_config();
    let plain = eagle_config(&model, 70);
    let encodings = Encodings::new(Encoding::F32);
    let mut model = TestModel::new(1, model, encodings).unwrap().with_eagle(2, &plain, encodings).unwrap();
    for one in model.bytes_mut("eagle.hidden_norm").unwrap().as_chunks_mut::<4>().0 {
        *one = 1f32.to_le_bytes();
    }
    let normed = EagleConfig { norm_before_residual: true, ..plain.clone() };
    let mut random = Random::new(3);
    let states: Vec<f32> = (0..10 * 96).map(|_| 3.0 * random.normal()).collect();
    let unit: Vec<f32> = states
        .chunks(96)
        .flat_map(|row| {
            let mean = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / 96.0 + 1e-5;
            row.iter().map(move |x| (f64::from(*x) / mean.sqrt()) as f32)
        })
        .collect();
    let tokens = random.tokens(10, 100);
    let run = |config: &EagleConfig, states: &[f32]| {
        let plan = build_eagle(config, &model, &numerics, &PlanOptions::new(128)).unwrap();
        feed(&mut *load(plan, &model), &tokens, states, Wanted::Logits)
    };
    let (before, same, other) = (run(&normed, &states), run(&plain, &unit), run(&plain, &states));
    assert!(worst(&before.0, &same.0) < 1e-4 && worst(&before.1, &same.1) < 1e-4);
    assert!(worst(&before.0, &other.0) > 0.01, "the state matters");
}
