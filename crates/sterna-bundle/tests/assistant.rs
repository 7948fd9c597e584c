//! Gemma 4 drafters: read for one target; what is of another, damaged or incomplete is refused by name.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::{Value, json};
use sterna_bundle::{
    AssistantHead, BundleError, Gemma4, HeadSource, Model, ModelConfig, OrderedHead, WeightSource,
};
use sterna_format::Encoding;

const ORDER: &str = "masked_embedding.token_ordering";

fn target() -> ModelConfig {
    Model::open(&oracle("d_gemma4")).unwrap().config
}

fn open_changed(
    test: &str,
    target: &ModelConfig,
    change: &dyn Fn(&mut Hf),
) -> Result<AssistantHead, BundleError> {
    let dir = scratch(&format!("assistant_{test}"));
    let mut head = Hf::read(&oracle("d_gemma4_assistant"));
    change(&mut head);
    std::fs::write(dir.join("config.json"), head.config.to_string()).unwrap();
    std::fs::write(dir.join("model.safetensors"), safetensors(&head.tensors, None)).unwrap();
    AssistantHead::open(&dir, target)
}

/// Opens the drafter with a change; the error must hold every one of `says`.
fn refused(test: &str, target: &ModelConfig, change: &dyn Fn(&mut Hf), says: &[&str]) {
    let error = match open_changed(test, target, change) {
        Ok(head) => panic!("{test} was accepted: {head:?}"),
        Err(error) => error.to_string(),
    };
    for part in says {
        assert!(error.contains(part), "{test}: {part:?} is not in {error:?}");
    }
}

#[test]
fn a_drafter_is_read_for_its_target() {
    let (folder, target) = (oracle("d_gemma4_assistant"), Model::open(&oracle("d_gemma4")).unwrap());
    let head = AssistantHead::open(&folder, &target.config).unwrap();
    let c = &head.config;
    assert_eq!((c.layers.hidden, c.layers.layers, c.backbone, c.layers.vocab), (64, 4, 128, 512));
    assert_eq!(c.sources, [2, 2, 2, 3], "the last layers of their kind with keys of their own");
    assert_eq!(c.ordered, Some(OrderedHead { clusters: 32, keep: 4 }));
    assert_eq!(c.layers.embedding_scale, target.config.embedding_scale);
    assert_eq!((c.layers.heads_of(0), c.layers.heads_of(3)), ((1, 32), (1, 64)));
    let shape = |name: &str| head.weight(name).map(|w| (w.encoding, w.rows, w.cols)).unwrap();
    assert_eq!(shape("assistant.pre"), (Encoding::BF16, 64, 256));
    assert_eq!(shape("assistant.post"), (Encoding::BF16, 128, 64));
    assert_eq!(shape("assistant.layers.3.q"), (Encoding::BF16, 256, 64));
    assert_eq!(shape("assistant.layers.0.layer_scalar"), (Encoding::BF16, 1, 1));
    assert_eq!(shape("assistant.cluster"), (Encoding::F32, 1, 512));
    let cluster = head.weight("assistant.cluster").unwrap().data;
    let file = Hf::read(&folder);
    for (i, id) in file.tensors[ORDER].2.as_chunks::<8>().0.iter().enumerate() {
        let at = 4 * i64::from_le_bytes(*id) as usize;
        let value = f32::from_le_bytes(cluster[at..at + 4].try_into().unwrap());
        assert_eq!(value, (i / 16) as f32);
    }
    for other in ["embed", "head", "assistant.layers.4.q", "assistant.layers.0.k", "pre_projection.weight"] {
        assert!(head.weight(other).is_none(), "{other}");
    }
    let both = head.with_target(&target);
    assert_eq!((both.weight("embed").unwrap().cols, both.weight("assistant.norm").unwrap().cols), (128, 64));
    assert!(HeadSource::new(&target, &head).weight("embed").is_none());
    // By its configuration alone, in a folder or beside a file.
    assert!(AssistantHead::is_at(&folder) && AssistantHead::is_at(&folder.join("model.safetensors")));
    for other in ["d_gemma4", "f_qwen3_eagle3", "a_minicpm.tq2_0.gguf", "nothing"] {
        assert!(!AssistantHead::is_at(&oracle(other)), "{other}");
    }
    // A plain head: no centroids.
    let plain = |head: &mut Hf| {
        head.config["use_ordered_embeddings"] = json!(false);
        head.tensors.remove(ORDER);
        head.tensors.remove("masked_embedding.centroids.weight");
    };
    let plain = open_changed("plain", &target.config, &plain).unwrap();
    assert!(plain.config.ordered.is_none() && plain.weight("assistant.cluster").is_none());
}

#[test]
fn configurations_that_are_not_understood_are_refused() {
    let target = target();
    let cases: &[(&str, Value, &[&str])] = &[
        ("architectures", json!(["Gemma4ForCausalLM"]), &["Gemma4ForCausalLM", "Gemma4AssistantForCausalLM"]),
        ("architectures", Value::Null, &["no architectures"]),
        ("backbone_hidden_size", json!(1536), &["backbone_hidden_size", "1536", "128", "another"]),
        ("backbone_hidden_size", Value::Null, &["backbone_hidden_size", "missing"]),
        ("use_ordered_embeddings", Value::Null, &["use_ordered_embeddings", "missing"]),
        ("use_ordered_embeddings", json!(false), &["2 tensors", "masked_embedding"]),
        ("num_centroids", json!(33), &["num_centroids", "33", "512"]),
        ("num_centroids", json!(0), &["num_centroids"]),
        ("num_centroids", json!(64), &["centroids.weight", "[32, 64]", "[64, 64]"]),
        ("num_centroids", Value::Null, &["num_centroids", "missing"]),
        ("centroid_intermediate_top_k", json!(0), &["centroid_intermediate_top_k", "1 to 32"]),
        ("centroid_intermediate_top_k", json!(33), &["centroid_intermediate_top_k", "33"]),
        ("centroid_intermediate_top_k", Value::Null, &["centroid_intermediate_top_k", "missing"]),
        ("tie_word_embeddings", json!(false), &["tie_word_embeddings"]),
        ("text_config", Value::Null, &["text_config", "missing"]),
        ("text_config", json!(7), &["text_config", "missing"]),
    ];
    for (n, (key, value, says)) in cases.iter().enumerate() {
        refused(&format!("config{n}"), &target, &|head| head.config[*key] = value.clone(), says);
    }
    let cases: &[(&str, Value, &[&str])] = &[
        ("vocab_size", json!(511), &["text_config.vocab_size", "511", "512", "another"]),
        ("head_dim", json!(64), &["shape of keys", "1 key heads of 64 in layer 0", "1 of 32", "layer 2"]),
        ("global_head_dim", json!(32), &["shape of keys", "of 32 in layer 3", "1 of 64", "layer 3"]),
        ("num_key_value_heads", json!(2), &["shape of keys", "2 key heads", "1 of 32"]),
        ("sliding_window", json!(17), &["sliding_window", "17", "2 to 16"]),
        ("sliding_window", json!(1), &["sliding_window", "1", "2 to 16"]),
        ("num_kv_shared_layers", json!(3), &["num_kv_shared_layers", "3", "no keys of its own"]),
        ("hidden_size_per_layer_input", json!(32), &["hidden_size_per_layer_input", "32"]),
        ("hidden_activation", json!("silu"), &["silu", "gelu_pytorch_tanh"]),
        ("enable_moe_block", json!(true), &["enable_moe_block"]),
        ("attention_k_eq_v", json!(true), &["attention_k_eq_v"]),
        ("layer_types", json!(["full_attention"]), &["layer_types", "1 layers"]),
        ("use_double_wide_mlp", json!(true), &["mlp.gate_proj", "[128, 64]", "[256, 64]"]),
        ("num_attention_heads", json!(u64::MAX), &["heads"]),
        ("num_hidden_layers", json!(0), &["0"]),
        ("rms_norm_eps", json!(0.0), &["epsilon"]),
    ];
    for (n, (key, value, says)) in cases.iter().enumerate() {
        let change = |head: &mut Hf| head.config["text_config"][*key] = value.clone();
        refused(&format!("text{n}"), &target, &change, says);
    }
    for key in [
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "global_head_dim",
        "vocab_size",
        "sliding_window",
        "rms_norm_eps",
        "layer_types",
        "num_kv_shared_layers",
        "rope_parameters",
        "hidden_activation",
    ] {
        let change =
            |head: &mut Hf| drop(head.config["text_config"].as_object_mut().unwrap().remove(key).unwrap());
        refused(&format!("without_{key}"), &target, &change, &[key, "missing"]);
    }
}

/// Targets that lack what it reads.
#[test]
fn other_targets_are_refused() {
    let target = target();
    let other = Model::open(&oracle("f_qwen3")).unwrap().config;
    refused("qwen3", &other, &|_| {}, &["qwen3 model", "gemma4"]);
    let gemma = |change: &dyn Fn(&mut Gemma4)| {
        let mut gemma4 = target.gemma4.clone().unwrap();
        change(&mut gemma4);
        ModelConfig { gemma4: Some(gemma4), ..target.clone() }
    };
    let sliding = gemma(&|g| g.full.fill(false));
    refused("sliding", &sliding, &|_| {}, &["layer 3 without keys to read"]);
    refused("narrow", &gemma(&|g| g.window = 8), &|_| {}, &["sliding_window", "2 to 8"]);
    refused("heads", &gemma(&|g| g.full_kv_heads = 2), &|_| {}, &["2 of 64", "layer 3"]);
    let unshared = gemma(&|g| g.shared_layers = 0);
    let last =
        |full: bool| (0..7).rev().find(|l| unshared.gemma4.as_ref().unwrap().is_full(*l) == full).unwrap();
    let sources = open_changed("unshared", &unshared, &|_| {}).unwrap().config.sources;
    assert_eq!(sources, [last(false), last(false), last(false), last(true)]);
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    let target = target();
    for name in Hf::read(&oracle("d_gemma4_assistant")).tensors.into_keys() {
        let remove = |head: &mut Hf| drop(head.tensors.remove(&name));
        refused(&format!("lacks_{name}"), &target, &remove, &[&name, "missing"]);
    }
    let add = |head: &mut Hf| {
        let key = "model.layers.0.self_attn.k_proj.weight";
        head.tensors.insert(key.into(), ("F32".into(), vec![1], vec![0; 4]));
    };
    refused("keys", &target, &add, &["1 tensors", "k_proj", "Gemma4AssistantForCausalLM"]);
    let dtype = |name: &'static str, dtype: &'static str| {
        move |head: &mut Hf| head.tensors.get_mut(name).unwrap().0 = dtype.into()
    };
    refused("codes", &target, &dtype("pre_projection.weight", "I16"), &["pre_projection", "I16"]);
    refused("order_dtype", &target, &dtype(ORDER, "F64"), &[ORDER, "F64", "I64"]);
    let order = |at: usize, value: i64| {
        move |head: &mut Hf| {
            head.tensors.get_mut(ORDER).unwrap().2.as_chunks_mut::<8>().0[at] = value.to_le_bytes();
        }
    };
    for (n, value) in [-1, 512, i64::MAX, i64::MIN].into_iter().enumerate() {
        refused(&format!("order{n}"), &target, &order(5, value), &["token_ordering[5]", "512"]);
    }
    let first =
        i64::from_le_bytes(Hf::read(&oracle("d_gemma4_assistant")).tensors[ORDER].2[..8].try_into().unwrap());
    refused("twice", &target, &order(511, first), &["token_ordering[511]", "once"]);
}
