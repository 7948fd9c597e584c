//! Gemma 4 from Hugging Face, from inside a model of several senses and from a bundle is one model; what decides its
//! result and cannot be told from tensors must be named.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::{Value, json};
use sterna_bundle::{Arch, BundleError, Model, Quantise, RopeScaling, TernaryPolicy, WeightSource};
use sterna_format::{CodeBits, Encoding};

/// Every matrix of a layer, and the projection of the embedding.
const LINEARS: [&str; 10] =
    ["q", "k", "v", "o", "gate", "up", "down", "ple_gate", "ple_proj", "ple_model_proj"];

fn written(test: &str, change: &dyn Fn(&mut Hf)) -> Result<Model, BundleError> {
    let dir = scratch(&format!("gemma4_{test}"));
    let mut hf = Hf::read(&oracle("d_gemma4"));
    change(&mut hf);
    hf.write(&dir);
    Model::open(&dir)
}

fn set(hf: &mut Hf, key: &str, value: Value) {
    hf.config.as_object_mut().unwrap().insert(key.into(), value);
}

#[test]
fn from_hugging_face() {
    let model = Model::open(&oracle("d_gemma4")).unwrap();
    let c = &model.config;
    let g = c.gemma4.as_ref().unwrap();
    assert_eq!((c.arch, c.layers, c.heads, c.kv_heads, c.head_dim), (Arch::Gemma4, 7, 4, 1, 32));
    assert_eq!((c.rope.dim, c.rope.theta, c.tied, c.qk_norm), (32, 1e4, true, true));
    assert_eq!((g.window, g.full_head_dim, g.full_kv_heads, g.ple), (16, 64, 1, 32));
    assert_eq!((g.full_rope.dim, g.full_rope.theta), (64, 1e6));
    // A quarter of 64 dimensions is 8 pairs of 32.
    assert_eq!(g.full_rope.scaling, RopeScaling::Proportional { turning: 8 });
    let (frequencies, factor) = g.full_rope.frequencies(512);
    assert_eq!((frequencies.len(), factor), (32, 1.0));
    assert!(frequencies[7] > 0.0 && frequencies[8..].iter().all(|f| *f == 0.0));
    assert_eq!((g.shared_layers, c.ffn_of(3), c.ffn_of(4), g.softcap), (3, 256, 512, Some(30.0)));
    assert_eq!((0..7).map(|l| c.kv_source(l)).collect::<Vec<_>>(), [0, 1, 2, 3, 2, 2, 3]);
    assert_eq!((c.embedding_scale, g.ple_scale), (128f32.sqrt(), 32f32.sqrt()));
    // 5 outside the layers, 17 in each layer with keys of its own, 14 in each of the others.
    assert_eq!(model.weights().count(), 5 + 4 * 17 + 3 * 14);
    // A token's rows of the table of layer inputs are one row of the file.
    let table = model.weight("ple_embed").unwrap();
    assert_eq!((table.rows, table.cols), (512 * 7, 32));
    let hf = Hf::read(&oracle("d_gemma4"));
    let stored = &hf.tensors["model.embed_tokens_per_layer.weight"];
    assert_eq!(stored.1, [512, 7 * 32]);
    assert_eq!(*table.row(7 * 3 + 2).unwrap(), stored.2[2 * (3 * 7 + 2) * 32..][..64]);
    assert!(!model.numerics.linears.contains_key("ple_embed"), "a table is no linear layer");
    assert!(model.numerics.linears.contains_key("ple_model_proj"));
}

#[test]
fn from_inside_a_model_of_several_senses() {
    let plain = Model::open(&oracle("d_gemma4")).unwrap();
    let inner = written("senses", &|hf| {
        let mut text = hf.config.clone();
        text.as_object_mut().unwrap().remove("architectures");
        hf.config = json!({"architectures": ["Gemma4ForConditionalGeneration"], "text_config": text,
                           "vision_config": {"depth": 2}, "audio_config": {}});
        let copy = hf.tensors["model.norm.weight"].clone();
        hf.tensors = std::mem::take(&mut hf.tensors)
            .into_iter()
            .map(|(name, t)| (name.replacen("model.", "model.language_model.", 1), t))
            .collect();
        for name in ["vision_tower.a", "audio_tower.b", "embed_vision.c", "embed_audio.d"] {
            hf.tensors.insert(format!("model.{name}"), copy.clone());
        }
    })
    .unwrap();
    assert_eq!(plain.config, inner.config);
    same_values(&plain, &inner);
}

/// transformers 5.24 writes the heads of full attention elsewhere than published files do; both or either will do.
#[test]
fn heads_of_full_attention_in_both_spellings() {
    let plain = Model::open(&oracle("d_gemma4")).unwrap();
    let moved = written("per_layer_config", &|hf| {
        hf.config.as_object_mut().unwrap().remove("global_head_dim");
        set(hf, "per_layer_config", json!({"full_attention": {"head_dim": 64}}));
    });
    assert_eq!(moved.unwrap().config, plain.config);
    let both = written("both", &|hf| {
        set(hf, "per_layer_config", json!({"full_attention": {"head_dim": 32}}));
    });
    assert!(both.unwrap_err().to_string().contains("one width"));
}

/// Layers that read another's keys need none, and what a checkpoint has of theirs is not a left-over tensor.
#[test]
fn keys_of_sharing_layers_are_not_read() {
    let with = written("leftover", &|hf| {
        for part in ["k_proj", "v_proj", "k_norm"] {
            let copy = hf.tensors[&format!("model.layers.2.self_attn.{part}.weight")].clone();
            hf.tensors.insert(format!("model.layers.5.self_attn.{part}.weight"), copy);
        }
    })
    .unwrap();
    assert!(with.weight("layers.5.k").is_none());
    let other = written("unclaimed", &|hf| {
        let copy = hf.tensors["model.norm.weight"].clone();
        hf.tensors.insert("model.layers.5.self_attn.z_proj.weight".into(), copy);
    });
    assert!(matches!(other, Err(BundleError::Unclaimed { .. })));
}

/// candle#3448: a reader that guesses these answers fluently and wrongly.
#[test]
fn a_configuration_that_leaves_sharing_out_is_refused() {
    for key in [
        "num_kv_shared_layers",
        "layer_types",
        "use_double_wide_mlp",
        "sliding_window",
        "global_head_dim",
        "hidden_size_per_layer_input",
        "rope_parameters",
        "head_dim",
        "hidden_activation",
    ] {
        let refused = written("without", &|hf| {
            hf.config.as_object_mut().unwrap().remove(key);
        });
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(key), "{key}: {error}");
    }
}

#[test]
fn what_would_change_the_result_is_refused() {
    for (key, value) in [
        ("attention_k_eq_v", json!(true)),
        ("enable_moe_block", json!(true)),
        ("num_experts", json!(8)),
        ("hidden_activation", json!("silu")),
        ("attention_bias", json!(true)),
        ("tie_word_embeddings", json!(false)),
        ("use_bidirectional_attention", json!("all")),
        ("vocab_size_per_layer_input", json!(256)),
        ("num_kv_shared_layers", json!(7)),
        ("num_kv_shared_layers", json!(4)),
        ("num_kv_shared_layers", json!(2)),
        ("use_double_wide_mlp", json!(false)),
        ("sliding_window", json!(0)),
        ("layer_types", json!(["full_attention"])),
        ("layer_types", json!([1, 2, 3, 4, 5, 6, 7])),
        ("final_logit_softcapping", json!(-1.0)),
        ("global_head_dim", json!(63)),
        ("rope_parameters", json!({"sliding_attention": {"rope_theta": 10000.0}})),
        (
            "rope_parameters",
            json!({"sliding_attention": {"rope_theta": 1e4, "rope_type": "yarn"},
                   "full_attention": {"rope_theta": 1e6, "rope_type": "proportional"}}),
        ),
        (
            "rope_parameters",
            json!({"sliding_attention": {"rope_theta": 1e4},
                   "full_attention": {"rope_theta": 1e6, "rope_type": "proportional",
                                      "partial_rotary_factor": 0.001}}),
        ),
    ] {
        let refused = written("changed", &|hf| set(hf, key, value.clone()));
        assert!(refused.is_err(), "{key} = {value}");
    }
}

#[test]
fn a_bundle_holds_the_same_model() {
    let model = Model::open(&oracle("d_gemma4")).unwrap();
    let dest = scratch("gemma4_bundle").join("model.sterna");
    let report = pack_to(&model, &dest, TernaryPolicy::Exact, &LINEARS).unwrap();
    assert_eq!(report.worst_residual(), 0.0);
    let bundle = Model::open(&dest).unwrap();
    bundle.verify().unwrap();
    assert_eq!(bundle.config, model.config);
    same_values(&model, &bundle);
    assert_eq!(bundle.numerics, model.numerics);
    // Its matrices are no ternary ones.
    assert!(matches!(pack_to(&model, &dest, TernaryPolicy::Exact, &[]), Err(BundleError::NotTernary { .. })));
}

#[test]
fn floats_are_quantised_on_request() {
    let mut model = Model::open(&oracle("d_gemma4")).unwrap();
    model.quantise(&Quantise::new(Encoding::Q8_0)).unwrap();
    for name in ["layers.0.q", "layers.6.down", "layers.3.ple_gate", "ple_model_proj", "embed"] {
        assert_eq!(model.weight(name).unwrap().encoding, Encoding::Q8_0, "{name}");
    }
    assert_eq!(model.weight("ple_embed").unwrap().encoding, Encoding::BF16);
    let int4 = Encoding::PerRow(CodeBits::Four);
    assert!(model.quantise(&Quantise::new(int4)).is_err(), "not before its kernels are there");
}
