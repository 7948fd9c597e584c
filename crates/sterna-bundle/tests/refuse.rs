//! Checkpoints that this crate must not guess about: what is said, and that it is said.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::{Value, json};
use sterna_bundle::{Arch, BundleError, Model, RopeScaling, RowOrder, WeightSource};
use sterna_checkpoint::GgufValue;

/// Opens an oracle folder with changes; the error's text must hold every one of `says`.
fn refused_hf(test: &str, folder: &str, change: &dyn Fn(&mut Hf), says: &[&str]) {
    let dir = scratch(&format!("refuse_{test}"));
    let mut hf = Hf::read(&oracle(folder));
    change(&mut hf);
    hf.write(&dir);
    expect(test, Model::open(&dir), says);
}

fn opened_hf(test: &str, folder: &str, change: &dyn Fn(&mut Hf)) -> Model {
    let dir = scratch(&format!("open_{test}"));
    let mut hf = Hf::read(&oracle(folder));
    change(&mut hf);
    hf.write(&dir);
    Model::open(&dir).unwrap()
}

fn expect(test: &str, result: Result<Model, BundleError>, says: &[&str]) {
    let text = match result {
        Ok(model) => panic!("{test} was accepted: {model:?}"),
        Err(error) => error.to_string(),
    };
    for part in says {
        assert!(text.contains(part), "{test}: {part:?} is not in {text:?}");
    }
}

#[test]
fn config_json_values() {
    let cases: &[(&str, &str, Value, &[&str])] = &[
        ("f_llama", "architectures", json!(["MistralForCausalLM"]), &["Mistral", "LlamaForCausalLM"]),
        ("f_llama", "architectures", Value::Null, &["no architectures", "MiniCPMForCausalLM"]),
        ("f_llama", "num_attention_heads", json!(0), &["heads"]),
        ("f_llama", "num_attention_heads", json!(3), &["heads", "3 and 2"]),
        ("f_llama", "num_attention_heads", json!(8), &["q_proj", "[128, 128]", "[256, 128]"]),
        ("f_llama", "num_attention_heads", json!("four"), &["num_attention_heads", "four", "whole number"]),
        ("f_llama", "num_attention_heads", Value::Null, &["num_attention_heads", "missing"]),
        ("f_llama", "num_key_value_heads", json!(1), &["k_proj"]),
        ("f_llama", "head_dim", json!(31), &["head width", "31", "even"]),
        ("f_llama", "hidden_size", json!(1e3), &["hidden_size", "1000.0"]),
        ("f_llama", "hidden_size", json!(u64::MAX), &["hidden width"]),
        ("f_llama", "intermediate_size", json!(64), &["mlp.gate_proj", "[128, 128]", "[64, 128]"]),
        ("f_llama", "num_hidden_layers", json!(5), &["model.layers.4.input_layernorm.weight", "missing"]),
        (
            "f_llama",
            "num_hidden_layers",
            json!(3),
            &["9 tensors", "model.layers.3.mlp.down_proj.weight", ", ..."],
        ),
        ("f_llama", "vocab_size", json!(511), &["vocab_size", "511", "512"]),
        ("f_llama", "max_position_embeddings", json!(0), &["context"]),
        ("f_llama", "rms_norm_eps", json!(0.0), &["epsilon"]),
        ("f_llama", "rms_norm_eps", json!("1e-5"), &["rms_norm_eps", "a number"]),
        ("f_llama", "attention_bias", json!(true), &["attention_bias", "true", "false"]),
        ("f_llama", "mlp_bias", json!(true), &["mlp_bias"]),
        ("f_llama", "sliding_window", json!(4096), &["sliding_window", "4096"]),
        ("f_llama", "hidden_act", json!("gelu"), &["hidden_act", "gelu", "silu"]),
        ("f_llama", "partial_rotary_factor", json!(0.5), &["partial_rotary_factor", "0.5"]),
        ("f_llama", "quantization_config", json!({"quant_method": "gptq", "bits": 4}), &["gptq", "GGUF"]),
        ("f_llama", "quantization_config", json!({"quant_method": "awq"}), &["awq"]),
        ("f_llama", "compression_config", json!({"format": "pack"}), &["compression_config", "format"]),
        ("f_llama", "rope_parameters", json!("yarn"), &["rope_parameters"]),
        (
            "f_llama",
            "rope_parameters",
            json!({"rope_type": "yarn", "factor": 4}),
            &["rope_type", "yarn", "longrope"],
        ),
        ("f_llama", "rope_parameters", json!({"rope_type": "dynamic", "factor": 4}), &["dynamic"]),
        ("f_llama", "rope_parameters", json!({"factor": 4}), &["rope_parameters.rope_type", "missing"]),
        (
            "f_llama",
            "rope_parameters",
            json!({"rope_type": "linear"}),
            &["rope_parameters.factor", "missing"],
        ),
        ("f_llama", "rope_parameters", json!({"rope_type": "linear", "factor": 0.5}), &["rope factor"]),
        (
            "f_llama",
            "rope_parameters",
            json!({"rope_type": "linear", "type": "llama3"}),
            &["linear, and type llama3"],
        ),
        ("f_llama", "rope_parameters", json!({"rope_theta": 0.0}), &["theta"]),
        ("f_llama", "rope_parameters", json!({"full_attention": {"rope_theta": 1e4}}), &["per layer type"]),
        ("f_llama", "rope_parameters", json!({"rope_theta": 1e4, "partial_rotary_factor": 0.25}), &["0.25"]),
        (
            "f_llama",
            "rope_parameters",
            json!({"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
            "high_freq_factor": 1, "original_max_position_embeddings": 64}),
            &["high_freq_factor"],
        ),
        ("f_llama", "rope_theta", json!(7.0), &["rope_theta", "one value"]),
        ("f_llama", "num_local_experts", json!(8), &["num_local_experts", "dense"]),
        ("f_qwen3", "head_dim", Value::Null, &["head_dim", "missing"]),
        ("f_qwen3", "use_sliding_window", json!(true), &["use_sliding_window"]),
        ("f_qwen3", "layer_types", json!(["full_attention", "sliding_attention"]), &["sliding_attention"]),
        ("f_qwen3", "rope_parameters", json!({"rope_type": "default"}), &["rope_theta", "missing"]),
        ("a_minicpm", "scale_emb", Value::Null, &["scale_emb", "missing"]),
        ("a_minicpm", "scale_depth", Value::Null, &["scale_depth", "missing"]),
        ("a_minicpm", "scale_depth", json!(-1), &["residual scale"]),
        ("a_minicpm", "dim_model_base", Value::Null, &["dim_model_base", "missing"]),
        ("a_minicpm", "dim_model_base", json!(0), &["dim_model_base"]),
        ("a_minicpm", "sparse_config", json!({"kernel_size": 32}), &["sparse_config", "kernel_size"]),
        ("a_minicpm", "tie_word_embeddings", json!(false), &["lm_head.weight", "missing"]),
        (
            "a_minicpm",
            "rope_scaling",
            json!({"rope_type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}),
            &["short rope factors", "a list of 1", "32"],
        ),
        ("a_bitcpm_llama", "architectures", json!(["MiniCPMForCausalLM"]), &["scale_depth"]),
        ("a_bitcpm_llama", "tie_word_embeddings", json!(true), &["tie_word_embeddings", "differs"]),
    ];
    for (n, (folder, key, value, says)) in cases.iter().enumerate() {
        let change = |hf: &mut Hf| {
            let map = hf.config.as_object_mut().unwrap();
            map.insert((*key).to_owned(), value.clone());
        };
        refused_hf(&format!("config_{n}_{key}"), folder, &change, says);
    }
}

#[test]
fn tensors_of_a_hugging_face_checkpoint() {
    let q = "model.layers.1.self_attn.q_proj.weight";
    refused_hf("missing", "f_llama", &|hf| drop(hf.tensors.remove(q)), &[q, "missing", "llama"]);
    refused_hf(
        "shape",
        "f_llama",
        &|hf| hf.tensors.get_mut(q).unwrap().1 = vec![64, 256],
        &[q, "[64, 256]", "[128, 128]"],
    );
    refused_hf(
        "rank",
        "f_llama",
        &|hf| hf.tensors.get_mut(q).unwrap().1 = vec![1, 128, 128],
        &[q, "[1, 128, 128]"],
    );
    let add = |name: &'static str| {
        move |hf: &mut Hf| {
            let copy = hf.tensors["model.norm.weight"].clone();
            hf.tensors.insert(name.to_owned(), copy);
        }
    };
    for name in ["model.layers.0.self_attn.q_proj.bias", "model.layers.4.mlp.up_proj.weight", "score.weight"]
    {
        refused_hf("extra", "f_llama", &add(name), &["1 tensors have no place", name]);
    }
    opened_hf("ignorable", "f_llama", &add("model.layers.3.self_attn.rotary_emb.inv_freq"));
    opened_hf("ignorable_top", "f_llama", &add("model.rotary_emb.inv_freq"));
    // Norms of q and k make another architecture; Llama must not ignore them.
    refused_hf(
        "qk_norm",
        "f_qwen3",
        &|hf| hf.config["architectures"] = json!(["LlamaForCausalLM"]),
        &["8 tensors", "q_norm"],
    );
    // A head stored beside a tied table: the same bytes are the table.
    let model = opened_hf("tied_copy", "a_minicpm", &|hf| {
        let copy = hf.tensors["model.embed_tokens.weight"].clone();
        hf.tensors.insert("lm_head.weight".to_owned(), copy);
    });
    assert!(model.config.tied && model.weight("head").is_none());
}

#[test]
fn spellings_of_rope_that_mean_the_same() {
    let base = Model::open(&oracle("f_llama")).unwrap().config;
    let old = opened_hf("old_rope", "f_llama", &|hf| {
        let map = hf.config.as_object_mut().unwrap();
        let Value::Object(mut rope) = map.remove("rope_parameters").unwrap() else { panic!() };
        map.insert("rope_theta".to_owned(), rope.remove("rope_theta").unwrap());
        let kind = rope.remove("rope_type").unwrap();
        rope.insert("type".to_owned(), kind);
        map.insert("rope_scaling".to_owned(), Value::Object(rope));
    });
    assert_eq!(old.config, base);
    let plain = opened_hf("no_rope", "f_llama", &|hf| {
        drop(hf.config.as_object_mut().unwrap().remove("rope_parameters"))
    });
    assert_eq!((plain.config.rope.theta, &plain.config.rope.scaling), (10_000.0, &RopeScaling::None));
    let linear = opened_hf("linear", "f_llama", &|hf| {
        hf.config["rope_parameters"] = json!({"rope_type": "linear", "factor": 2, "rope_theta": 1e4});
    });
    assert_eq!(linear.config.rope.scaling, RopeScaling::Linear { factor: 2.0 });
    let derived = opened_hf("no_head_dim", "f_llama", &|hf| hf.config["head_dim"] = Value::Null);
    assert_eq!(derived.config, base);
}

#[test]
fn gguf_values() {
    let u = GgufValue::U32;
    let f = GgufValue::F32;
    let s = |t: &str| GgufValue::String(t.to_owned());
    let cases: Vec<(&str, Option<GgufValue>, &[&str])> = vec![
        ("general.architecture", Some(s("gpt2")), &["gpt2", "llama, qwen3, minicpm"]),
        ("general.architecture", None, &["no general.architecture"]),
        ("split.count", Some(u(3)), &["--merge"]),
        ("minicpm.embedding_length", None, &["minicpm.embedding_length", "missing"]),
        ("minicpm.embedding_length", Some(u(128)), &["rotated dimensions", "64", "all 32"]),
        ("minicpm.attention.head_count", Some(u(0)), &["0 heads"]),
        ("minicpm.attention.head_count_kv", Some(u(3)), &["4 and 3"]),
        ("minicpm.attention.head_count_kv", Some(u(4)), &["attn_k", "[128, 256]", "[256, 256]"]),
        ("minicpm.attention.key_length", Some(u(32)), &["rotated dimensions", "64"]),
        ("minicpm.attention.value_length", Some(u(32)), &["value_length", "64"]),
        ("minicpm.attention.scale", Some(f(1.0)), &["attention.scale"]),
        ("minicpm.attention.layer_norm_rms_epsilon", None, &["epsilon", "missing"]),
        ("minicpm.attention.layer_norm_rms_epsilon", Some(f(f32::NAN)), &["epsilon", "NaN"]),
        ("minicpm.attention.sliding_window", Some(u(512)), &["sliding_window"]),
        ("minicpm.attention.causal", Some(GgufValue::Bool(false)), &["causal"]),
        ("minicpm.context_length", None, &["context_length", "missing"]),
        ("minicpm.feed_forward_length", None, &["feed_forward_length"]),
        ("minicpm.feed_forward_length", Some(s("512")), &["feed_forward_length", "whole number"]),
        ("minicpm.block_count", Some(u(4)), &["blk.3.attn_norm.weight", "missing"]),
        ("minicpm.block_count", Some(u(2)), &["9 tensors", "blk.2."]),
        ("minicpm.vocab_size", Some(u(500)), &["vocab_size", "512"]),
        ("minicpm.expert_count", Some(u(8)), &["expert_count"]),
        ("minicpm.rope.dimension_count", Some(u(32)), &["rotated dimensions", "32"]),
        ("minicpm.rope.scaling.type", Some(s("yarn")), &["rope.scaling.type", "yarn", "rope_factors_short"]),
        ("minicpm.rope.scaling.factor", Some(f(4.0)), &["rope.scaling.type", "factor"]),
        ("minicpm.embedding_scale", None, &["embedding_scale", "missing"]),
        ("minicpm.residual_scale", None, &["residual_scale", "missing"]),
        ("minicpm.logit_scale", None, &["logit_scale", "missing"]),
        ("minicpm.logit_scale", Some(f(0.0)), &["logit scale"]),
    ];
    let path = oracle("a_minicpm.tq2_0.gguf");
    let same = Gguf::read(&path).open().unwrap();
    assert_eq!(same.config, Model::open(&path).unwrap().config);
    for (key, value, says) in cases {
        let mut gguf = Gguf::read(&path);
        match value {
            Some(value) => gguf.set(key, value),
            None => gguf.remove(key),
        }
        expect(key, gguf.open(), says);
    }
}

#[test]
fn gguf_tensors_and_defaults() {
    let path = oracle("a_minicpm.tq2_0.gguf");
    let edit = |change: &dyn Fn(&mut Gguf)| {
        let mut gguf = Gguf::read(&path);
        change(&mut gguf);
        gguf.open()
    };
    let base = Model::open(&path).unwrap().config;
    expect("missing", edit(&|g| drop(g.tensors.remove("blk.1.ffn_up.weight"))), &["blk.1.ffn_up.weight"]);
    expect(
        "long",
        edit(&|g| drop(g.tensors.remove("rope_factors_long.weight"))),
        &["rope_factors_long.weight"],
    );
    let bias = |g: &mut Gguf| {
        let copy = g.tensors["output_norm.weight"].clone();
        g.tensors.insert("blk.0.attn_q.bias".to_owned(), copy);
    };
    expect("bias", edit(&bias), &["blk.0.attn_q.bias"]);
    let norm = |g: &mut Gguf| {
        // Q8_0: 34 bytes per 32 values.
        g.tensors.insert("output_norm.weight".to_owned(), (8, vec![256], vec![0; 272]));
    };
    expect("norm", edit(&norm), &["output_norm.weight", "q8_0"]);

    let counted = edit(&|g| g.remove("minicpm.block_count")).unwrap();
    assert_eq!(counted.config, base);
    let inverse = edit(&|g| g.set("minicpm.logit_scale", GgufValue::F32(0.25))).unwrap();
    assert_eq!(inverse.config.logit_scale, 0.25);
    // As llama.cpp's own converter leaves them out.
    let bare = edit(&|g| {
        g.remove("minicpm.rope.scaling.original_context_length");
        g.remove("minicpm.rope.scaling.attn_factor");
        g.remove("minicpm.rope.freq_base");
    });
    assert_eq!(bare.unwrap().config, base);
    let stretched = edit(&|g| {
        g.set("minicpm.rope.scaling.original_context_length", GgufValue::U32(64));
        g.remove("minicpm.rope.scaling.attn_factor");
    });
    expect("attn_factor", stretched, &["attn_factor", "missing"]);

    let divisors = edit(&|g| {
        let (kind, shape, data) = g.tensors.remove("rope_factors_short.weight").unwrap();
        g.tensors.remove("rope_factors_long.weight");
        g.tensors.insert("rope_freqs.weight".to_owned(), (kind, shape, data));
        g.remove("minicpm.rope.scaling.type");
    })
    .unwrap();
    let RopeScaling::Divisors { divisors } = &divisors.config.rope.scaling else { panic!() };
    assert_eq!((divisors.len(), divisors[31]), (32, f64::from(1.9f32)));
}

/// Qwen3 GGUF files keep q and k as they are.
#[test]
fn qwen3_gguf_is_not_permuted() {
    let hf = Model::open(&oracle("f_qwen3")).unwrap();
    let source = Hf::read(&oracle("f_qwen3"));
    let mut gguf = Gguf::read(&oracle("a_minicpm.tq2_0.gguf"));
    gguf.keys.retain(|k| !k.0.starts_with("minicpm."));
    gguf.set("general.architecture", GgufValue::String("qwen3".into()));
    for (key, value) in [
        ("context_length", 512),
        ("embedding_length", 128),
        ("block_count", 4),
        ("feed_forward_length", 128),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 2),
        ("attention.key_length", 32),
    ] {
        gguf.set(&format!("qwen3.{key}"), GgufValue::U32(value));
    }
    gguf.set("qwen3.attention.layer_norm_rms_epsilon", GgufValue::F32(1e-6));
    gguf.tensors.clear();
    let names = [
        ("model.embed_tokens", "token_embd"),
        ("model.norm", "output_norm"),
        ("lm_head", "output"),
        ("model.layers.", "blk."),
        ("input_layernorm", "attn_norm"),
        ("post_attention_layernorm", "ffn_norm"),
        ("self_attn.o_proj", "attn_output"),
        ("self_attn.", "attn_"),
        ("mlp.", "ffn_"),
        ("_proj", ""),
    ];
    for (name, (_, shape, data)) in &source.tensors {
        let name = names.iter().fold(name.clone(), |n, (from, to)| n.replace(from, to));
        gguf.tensors.insert(name, (30, shape.clone(), data.clone()));
    }
    expect("no theta", gguf.open(), &["qwen3.rope.freq_base", "missing"]);
    gguf.set("qwen3.rope.freq_base", GgufValue::F32(1e6));
    let model = gguf.open().unwrap();
    assert_eq!(model.config.arch, Arch::Qwen3);
    assert_eq!(model.config, hf.config);
    assert_eq!(model.weight("layers.0.q").unwrap().order, RowOrder::Plain);
    same_values(&model, &hf);
}
