//! Gemma 4 of Hugging Face as a GGUF file, in the form that llama.cpp's converter gives it: names and keys by hand, so that
//! they do not come from the code under test.
#![allow(dead_code)]

use serde_json::{Value, json};
use sterna_checkpoint::{GgufArray, GgufValue};
use sterna_format::{Encoding, decode_row, encode_row};

use super::common::{Gguf, Hf, oracle, repository};

/// GGUF's name of a tensor.
fn name(hf: &str) -> String {
    let top = match hf {
        "model.embed_tokens.weight" => "token_embd.weight",
        "model.embed_tokens_per_layer.weight" => "per_layer_token_embd.weight",
        "model.per_layer_model_projection.weight" => "per_layer_model_proj.weight",
        "model.per_layer_projection_norm.weight" => "per_layer_proj_norm.weight",
        "model.norm.weight" => "output_norm.weight",
        _ => "",
    };
    if !top.is_empty() {
        return top.to_owned();
    }
    let (layer, part) = hf.strip_prefix("model.layers.").unwrap().split_once('.').unwrap();
    let part = match part.strip_suffix(".weight").unwrap_or(part) {
        "input_layernorm" => "attn_norm",
        "self_attn.q_proj" => "attn_q",
        "self_attn.k_proj" => "attn_k",
        "self_attn.v_proj" => "attn_v",
        "self_attn.o_proj" => "attn_output",
        "self_attn.q_norm" => "attn_q_norm",
        "self_attn.k_norm" => "attn_k_norm",
        "post_attention_layernorm" => "post_attention_norm",
        "pre_feedforward_layernorm" => "ffn_norm",
        "mlp.gate_proj" => "ffn_gate",
        "mlp.up_proj" => "ffn_up",
        "mlp.down_proj" => "ffn_down",
        "post_feedforward_layernorm" => "post_ffw_norm",
        "per_layer_input_gate" => "inp_gate",
        "per_layer_projection" => "proj",
        "post_per_layer_input_norm" => "post_norm",
        "layer_scalar" => "layer_output_scale",
        other => other,
    };
    format!("blk.{layer}.{part}.weight")
}

/// The twin of `hf`, whose tensors are bf16 or f16: vectors in f32, matrices as `encoding` says of their GGUF names.
pub fn twin(hf: &Hf, encoding: &dyn Fn(&str) -> Encoding) -> Gguf {
    let vocabulary = repository().join("crates/sterna-checkpoint/tests/data/gemma4.vocab.gguf");
    let mut out = Gguf::read(&vocabulary);
    let c = &hf.config;
    let whole = |key: &str| c[key].as_u64().unwrap() as u32;
    let layers = whole("num_hidden_layers");
    let mut set = |key: &str, value| out.set(&format!("gemma4.{key}"), value);
    for (key, value) in [
        ("block_count", layers),
        ("context_length", whole("max_position_embeddings")),
        ("embedding_length", whole("hidden_size")),
        ("embedding_length_per_layer_input", whole("hidden_size_per_layer_input")),
        ("vocab_size", whole("vocab_size")),
        ("attention.head_count", whole("num_attention_heads")),
        ("attention.head_count_kv", whole("num_key_value_heads")),
        ("attention.key_length", whole("global_head_dim")),
        ("attention.value_length", whole("global_head_dim")),
        ("attention.key_length_swa", whole("head_dim")),
        ("attention.value_length_swa", whole("head_dim")),
        ("attention.sliding_window", whole("sliding_window")),
        ("attention.shared_kv_layers", whole("num_kv_shared_layers")),
        ("rope.dimension_count", whole("global_head_dim")),
        ("rope.dimension_count_swa", whole("head_dim")),
    ] {
        set(key, GgufValue::U32(value));
    }
    let rope = |kind: &str, key: &str| c["rope_parameters"][kind][key].as_f64().unwrap() as f32;
    for (key, value) in [
        ("attention.layer_norm_rms_epsilon", c["rms_norm_eps"].as_f64().unwrap() as f32),
        ("rope.freq_base", rope("full_attention", "rope_theta")),
        ("rope.freq_base_swa", rope("sliding_attention", "rope_theta")),
        ("final_logit_softcapping", c["final_logit_softcapping"].as_f64().unwrap() as f32),
    ] {
        set(key, GgufValue::F32(value));
    }
    let slides = c["layer_types"].as_array().unwrap().iter().map(|t| t == "sliding_attention").collect();
    set("attention.sliding_window_pattern", GgufValue::Array(GgufArray::Bool(slides)));
    let own = layers - whole("num_kv_shared_layers");
    let ffn = whole("intermediate_size");
    let ffn = (0..layers).map(|l| (if l < own { ffn } else { 2 * ffn }) as i32).collect();
    out.lists.push(("gemma4.feed_forward_length".into(), ffn));
    for (hf_name, (dtype, shape, data)) in &hf.tensors {
        let name = name(hf_name);
        let stored: Encoding = dtype.to_lowercase().parse().unwrap();
        let to = if shape.len() == 1 { Encoding::F32 } else { encoding(&name) };
        let cols = *shape.last().unwrap();
        let (mut values, mut row) = (vec![0f32; cols], vec![0u8; to.row_bytes(cols).unwrap()]);
        let mut bytes = Vec::new();
        for stored_row in data.chunks(stored.row_bytes(cols).unwrap()) {
            decode_row(stored, stored_row, &mut values).unwrap();
            encode_row(to, &values, &mut row).unwrap();
            bytes.extend_from_slice(&row);
        }
        out.tensors.insert(name, (to.ggml_id().unwrap(), shape.clone(), bytes));
    }
    let half = whole("global_head_dim") as usize / 2;
    let turning = (half as f32 * rope("full_attention", "partial_rotary_factor")) as usize;
    let divisors = (0..half).flat_map(|i| (if i < turning { 1f32 } else { 1e30 }).to_le_bytes());
    out.tensors.insert("rope_freqs.weight".into(), (0, vec![half], divisors.collect()));
    out
}

/// The oracle's checkpoint.
pub fn tiny() -> Hf {
    Hf::read(&oracle("d_gemma4"))
}

/// The same with its matrices in f16, as exact as they get.
pub fn tiny_f16() -> Hf {
    let mut hf = tiny();
    for (dtype, _, data) in hf.tensors.values_mut() {
        let mut values = vec![0f32; data.len() / 2];
        decode_row(Encoding::BF16, data, &mut values).unwrap();
        encode_row(Encoding::F16, &values, data).unwrap();
        *dtype = "F16".into();
    }
    hf
}

/// A checkpoint of the same kinds of layers whose rows blocks of 256 weights divide, with random weights.
pub fn wide() -> Hf {
    let mut hf = tiny();
    let (hidden, heads, ple, ffn) = (256, 8, 256, 256);
    for (key, value) in [
        ("hidden_size", hidden),
        ("num_attention_heads", heads),
        ("hidden_size_per_layer_input", ple),
        ("intermediate_size", ffn),
    ] {
        set(&mut hf, key, json!(value));
    }
    let (layers, vocab) = (7, 512);
    let kinds = hf.config["layer_types"].clone();
    let mut state = 1u64;
    for (name, (_, shape, data)) in &mut hf.tensors {
        let layer = name.strip_prefix("model.layers.").and_then(|n| n.split('.').next());
        let layer: usize = layer.map_or(0, |l| l.parse().unwrap());
        let head_dim = if kinds[layer] == "full_attention" { 64 } else { 32 };
        let ffn = if layer < 4 { ffn } else { 2 * ffn };
        let last = name.trim_end_matches(".weight").rsplit('.').next().unwrap();
        *shape = match last {
            "embed_tokens" => vec![vocab, hidden],
            "embed_tokens_per_layer" => vec![vocab, layers * ple],
            "per_layer_model_projection" => vec![layers * ple, hidden],
            "per_layer_projection_norm" => vec![ple],
            "q_proj" => vec![heads * head_dim, hidden],
            "o_proj" => vec![hidden, heads * head_dim],
            "k_proj" | "v_proj" => vec![head_dim, hidden],
            "q_norm" | "k_norm" => vec![head_dim],
            "gate_proj" | "up_proj" => vec![ffn, hidden],
            "down_proj" => vec![hidden, ffn],
            "per_layer_input_gate" => vec![ple, hidden],
            "per_layer_projection" => vec![hidden, ple],
            "layer_scalar" => vec![1],
            _ => vec![hidden],
        };
        let vector = shape.len() == 1;
        let size = 1.0 / (*shape.last().unwrap() as f32).sqrt();
        let values: Vec<f32> = (0..shape.iter().product())
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let unit = (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
                if vector { 1.0 + 0.2 * unit } else { unit * size }
            })
            .collect();
        data.resize(2 * values.len(), 0);
        encode_row(Encoding::BF16, &values, data).unwrap();
    }
    hf
}

/// Replaces a key of config.json.
pub fn set(hf: &mut Hf, key: &str, value: Value) {
    hf.config.as_object_mut().unwrap().insert(key.into(), value);
}

/// What llama-quantize chooses: both tables in Q6_K, the projection of the embedding as it is, and of Q4_K_M half of the
/// layers' v and down in Q6_K.
pub fn quantised(linear: Encoding, name: &str) -> Encoding {
    match name {
        _ if linear == Encoding::Q8_0 && !name.starts_with("per_layer_model") => Encoding::Q8_0,
        "token_embd.weight" | "per_layer_token_embd.weight" => Encoding::Q6K,
        "per_layer_model_proj.weight" => Encoding::BF16,
        _ if linear == Encoding::Q4K && (name.contains("attn_v") || name.contains("ffn_down")) => {
            if name.contains(".1.") || name.contains(".4.") { linear } else { Encoding::Q6K }
        }
        _ => linear,
    }
}
