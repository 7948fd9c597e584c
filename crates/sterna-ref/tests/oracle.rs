//! The float mode against published answers: Hugging Face transformers, every position, within 1e-4.

#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::Path;
use std::sync::Arc;

use safetensors::SafeTensors;
use sterna_bundle::Model;
use sterna_plan::{Backend, PlanOptions, build};
use sterna_ref::RefBackend;
use sterna_ref::testing::logits;

fn check(model: &str, golden: &str) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle");
    let bytes = std::fs::read(data.join(golden).join("golden.safetensors")).unwrap();
    let golden = SafeTensors::deserialize(&bytes).unwrap();
    let ids = golden.tensor("input_ids").unwrap();
    let size = ids.data().len() / ids.shape().iter().product::<usize>();
    let tokens: Vec<u32> =
        ids.data().chunks(size).map(|id| u32::from_le_bytes([id[0], id[1], id[2], id[3]])).collect();
    let want = golden.tensor("logits").unwrap();
    let want: Vec<f32> = want.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();

    let model = Model::open(&data.join(model)).unwrap();
    let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
    let plan = build(&model.config, &model, &numerics, &PlanOptions::new(model.config.context)).unwrap();
    let mut executor = RefBackend::float().load(Arc::new(plan), &model, &mut |_, _| {}).unwrap();
    executor.allocate(1, tokens.len()).unwrap();
    let got = logits(&mut *executor, 0, &tokens, &[64]).unwrap();
    assert_eq!(got.len() * got[0].len(), want.len());
    let worst = got.iter().flatten().zip(&want).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
    println!("largest difference of a logit: {worst:e}");
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn llama_with_llama3_rope() {
    check("f_llama", "f_llama");
}

#[test]
fn qwen3() {
    check("f_qwen3", "f_qwen3");
}

#[test]
fn minicpm_with_three_scalings_and_longrope() {
    check("a_minicpm", "a_minicpm");
    check("a_minicpm.tq2_0.gguf", "a_minicpm");
}

#[test]
fn llama_past_the_original_length_of_its_longrope() {
    check("a_bitcpm_llama", "a_bitcpm_llama");
    check("a_bitcpm_llama.tq1_0.gguf", "a_bitcpm_llama");
}
