//! The float mode against published answers: Hugging Face transformers, every position, within 1e-4 (Gemma 4: 4e-4).

#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use safetensors::SafeTensors;
use sterna_bundle::{HeadPairing, Model, ModelConfig, Weight, WeightSource};
use sterna_plan::{Backend, Executor, PlanOptions, StateSpec, build};
use sterna_ref::RefBackend;
use sterna_ref::testing::logits;

fn floats(golden: &SafeTensors<'_>, name: &str) -> Vec<f32> {
    let t = golden.tensor(name).unwrap();
    t.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

/// The states after the prompt: recurrent ones and the last inputs of the convolutions.
fn check_states(executor: &dyn Executor, golden: &SafeTensors<'_>) {
    let bytes = executor.state_bytes(0).unwrap();
    let mut values = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b) as f32);
    let (mut checked, positions) = (0, executor.committed()[0] as usize);
    for state in &executor.plan().states {
        let n = state.fixed() + positions * state.bytes_per_position() / 2;
        let got: Vec<f32> = values.by_ref().take(n).collect();
        let (want, limit) = match state {
            StateSpec::Recurrent { layer, .. } => (floats(golden, &format!("recurrent_state.{layer}")), 2e-5),
            StateSpec::Conv { layer, inputs, channels } => {
                // [channel][taps], oldest first; the oldest is not needed.
                let kept = floats(golden, &format!("conv_state.{layer}"));
                let at = |i: usize| kept[i % channels * (inputs + 1) + 1 + i / channels];
                ((0..inputs * channels).map(at).collect(), 2e-5)
            }
            _ => continue,
        };
        assert_eq!(got.len(), want.len(), "{state:?}");
        let largest = want.iter().fold(0f32, |m, w| m.max(w.abs()));
        let worst = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
        println!("{state:?}: largest difference {worst:e} of values up to {largest}");
        assert!(worst < limit * largest.max(1.0), "{state:?}: {worst}");
        checked += 1;
    }
    assert_eq!(checked, 8);
}

/// Keys and values after the prompt: all of full attention, of a window the last that the next row sees.
fn check_kv(executor: &dyn Executor, golden: &SafeTensors<'_>) {
    let bytes = executor.state_bytes(0).unwrap();
    let mut values = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b) as f32);
    let positions = executor.committed()[0];
    let mut layers = Vec::new();
    for state in &executor.plan().states {
        let (layer, width) = match state {
            StateSpec::FullKv { layer, kv_heads, head_dim } => (*layer, kv_heads * head_dim),
            StateSpec::RingKv { layer, kv_heads, head_dim, .. } => (*layer, kv_heads * head_dim),
            _ => continue,
        };
        let rows = positions as usize - state.first_seen(positions);
        let got: Vec<f32> = values.by_ref().take(2 * width * rows).collect();
        for (i, kind) in ["k", "v"].into_iter().enumerate() {
            let want = floats(golden, &format!("{kind}.{layer}"));
            let got = got.chunks_exact(2 * width).flat_map(|row| &row[i * width..][..width]);
            assert_eq!(want.len(), width * rows, "{state:?}");
            let worst = got.zip(&want).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
            println!("{kind} of layer {layer}, {rows} positions: largest difference {worst:e}");
            assert!(worst < 1e-4, "{state:?}: {worst}");
        }
        layers.push(layer);
    }
    assert_eq!(layers, [0, 1, 2, 3], "the layers that have keys of their own");
}

fn check(model: &str, golden: &str) {
    check_within(model, golden, 1e-4);
}

fn check_within(model: &str, golden: &str, bound: f32) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle");
    let bytes = std::fs::read(data.join(golden).join("golden.safetensors")).unwrap();
    let golden = SafeTensors::deserialize(&bytes).unwrap();
    let ids = golden.tensor("input_ids").unwrap();
    let size = ids.data().len() / ids.shape().iter().product::<usize>();
    let tokens: Vec<u32> =
        ids.data().chunks(size).map(|id| u32::from_le_bytes([id[0], id[1], id[2], id[3]])).collect();
    let want = floats(&golden, "logits");

    let model = Model::open(&data.join(model)).unwrap();
    let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
    let plan = build(&model.config, &model, &numerics, &PlanOptions::new(model.config.context)).unwrap();
    let mut executor = RefBackend::float().load(Arc::new(plan), &model, &mut |_, _| {}).unwrap();
    executor.allocate(1, tokens.len()).unwrap();
    let got = logits(&mut *executor, 0, &tokens, &[64]).unwrap();
    assert_eq!(got.len() * got[0].len(), want.len());
    let worst = got.iter().flatten().zip(&want).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
    println!("largest difference of a logit: {worst:e}");
    assert!(worst < bound, "{worst}");
    if model.config.gemma4.is_some() {
        check_kv(&*executor, &golden);
    }
    if model.config.hybrid.is_some() {
        check_states(&*executor, &golden);
    }
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
fn qwen35_and_its_states() {
    check("c_qwen35", "c_qwen35");
}

/// The reference's own noise (f32 against f64) is 3e-4 here.
#[test]
fn gemma4_and_its_keys() {
    check_within("d_gemma4", "d_gemma4", 4e-4);
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

/// The model with its value heads in GGUF's order: tiles over the key heads instead of groups.
struct Tiled<'a> {
    model: &'a Model,
    changed: BTreeMap<String, Vec<u8>>,
}

impl<'a> Tiled<'a> {
    fn new(model: &'a Model) -> (Self, ModelConfig) {
        let mut config = model.config.clone();
        let d = &mut config.hybrid.as_mut().unwrap().delta;
        assert_eq!(d.pairing, HeadPairing::Grouped);
        d.pairing = HeadPairing::Tiled;
        let d = *d;
        let each = d.v_heads / d.k_heads;
        // Head `i` of tile `t` was head `t` of group `i`.
        let tile = |bytes: &[u8]| -> Vec<u8> {
            let head = bytes.len() / d.v_heads;
            let from = (0..d.v_heads).map(|j| (j % d.k_heads) * each + j / d.k_heads);
            from.flat_map(|j| &bytes[j * head..(j + 1) * head]).copied().collect()
        };
        let mut changed = BTreeMap::new();
        for w in model.weights() {
            let (row, part) = (w.weight.stored_row_bytes(), w.name.rsplit('.').next().unwrap());
            let keys = match part {
                "delta_qkv" | "delta_conv" => 2 * d.key_width() * row,
                "delta_z" | "delta_b" | "delta_a" | "delta_decay" | "delta_dt" => 0,
                "delta_out" => {
                    changed.insert(w.name.to_owned(), w.weight.data.chunks(row).flat_map(tile).collect());
                    continue;
                }
                _ => continue,
            };
            let (head, values) = w.weight.data.split_at(keys);
            changed.insert(w.name.to_owned(), [head, &tile(values)].concat());
        }
        (Self { model, changed }, config)
    }
}

impl WeightSource for Tiled<'_> {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let w = self.model.weight(name)?;
        Some(self.changed.get(name).map_or(w, |data| Weight { data, ..w }))
    }
    fn release(&self, _: &str) {}
}

#[test]
fn value_heads_in_tiles_are_the_same_model() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle/c_qwen35");
    let model = Model::open(&data).unwrap();
    let (tiled, config) = Tiled::new(&model);
    assert_eq!(tiled.changed.len(), 4 * 8);
    let tokens: Vec<u32> = (1..40).collect();
    let run = |config: &ModelConfig, source: &dyn WeightSource| {
        let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
        let plan = build(config, source, &numerics, &PlanOptions::new(64)).unwrap();
        let mut executor = RefBackend::float().load(Arc::new(plan), source, &mut |_, _| {}).unwrap();
        executor.allocate(1, tokens.len()).unwrap();
        logits(&mut *executor, 0, &tokens, &[64]).unwrap()
    };
    let (want, got) = (run(&model.config, &model), run(&config, &tiled));
    let differ = |a: &[Vec<f32>], b: &[Vec<f32>]| {
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max)
    };
    assert!(differ(&want, &got) < 1e-5);
    assert!(differ(&want, &run(&model.config, &tiled)) > 1e-2, "the order does not matter to it");
}
