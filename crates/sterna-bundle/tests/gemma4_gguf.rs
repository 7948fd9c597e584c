//! Gemma 4 from a GGUF file is the model of the Hugging Face checkpoint; what decides its result must be named in it.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/gemma4_gguf.rs"]
mod twins;

use common::*;
use sterna_bundle::{BundleError, Model, RopeScaling, SourceKind, WeightSource};
use sterna_checkpoint::{GgufArray, GgufValue};
use sterna_format::{Encoding, decode_row};

fn changed(change: &dyn Fn(&mut Gguf)) -> Result<Model, BundleError> {
    let mut file = twins::twin(&twins::tiny(), &|_| Encoding::BF16);
    change(&mut file);
    file.open()
}

#[test]
fn floats_are_those_of_hugging_face() {
    for (hf, encoding) in
        [(twins::tiny(), Encoding::F32), (twins::tiny(), Encoding::BF16), (twins::tiny_f16(), Encoding::F16)]
    {
        let dir = scratch(&format!("gemma4_twin_{encoding}"));
        hf.write(&dir);
        let (theirs, ours) = (Model::open(&dir).unwrap(), twins::twin(&hf, &|_| encoding).open().unwrap());
        assert_eq!((ours.source_kind(), &ours.config), (SourceKind::Gguf, &theirs.config), "{encoding}");
        same_values(&theirs, &ours);
        assert_eq!(ours.weight("ple_embed").unwrap().encoding, encoding);
        assert_eq!(ours.numerics, theirs.numerics);
        for text in ["the cat", "a 12 <turn|>\n\n", "é  ▁"] {
            let ids = |m: &Model| m.tokenizer.encode(text, true).unwrap();
            assert_eq!(ids(&theirs), ids(&ours), "{text}");
        }
    }
}

/// A token's rows of the table of layer inputs are one row of the file, in blocks too.
#[test]
fn tables_in_blocks_are_read_layer_by_layer() {
    let file = twins::twin(&twins::wide(), &|name| twins::quantised(Encoding::Q4K, name));
    let model = file.open().unwrap();
    let table = model.weight("ple_embed").unwrap();
    assert_eq!((table.encoding, table.rows, table.cols), (Encoding::Q6K, 512 * 7, 256));
    let (_, shape, data) = &file.tensors["per_layer_token_embd.weight"];
    let mut row = vec![0f32; shape[1]];
    let each = data.len() / shape[0];
    for token in [0, 3, 511] {
        decode_row(Encoding::Q6K, &data[token * each..][..each], &mut row).unwrap();
        for layer in [0, 6] {
            let mut got = vec![0f32; 256];
            decode_row(Encoding::Q6K, &table.row(token * 7 + layer).unwrap(), &mut got).unwrap();
            assert_eq!(got, row[layer * 256..][..256], "{token} {layer}");
        }
    }
    for (name, encoding) in [
        ("embed", Encoding::Q6K),
        ("layers.0.v", Encoding::Q6K),
        ("layers.1.v", Encoding::Q4K),
        ("layers.6.ple_gate", Encoding::Q4K),
        ("ple_model_proj", Encoding::BF16),
    ] {
        assert_eq!(model.weight(name).unwrap().encoding, encoding, "{name}");
    }
    // A layer's 32 values are no whole block of 256.
    let tiny = twins::twin(&twins::tiny(), &|name| match name {
        "per_layer_token_embd.weight" => Encoding::Q4_0,
        _ => Encoding::BF16,
    });
    assert_eq!(tiny.open().unwrap().weight("ple_embed").unwrap().cols, 32);
    let mut hf = twins::tiny();
    twins::set(&mut hf, "hidden_size_per_layer_input", 16.into());
    let error = twins::twin(&hf, &|_| Encoding::BF16).open().unwrap_err();
    assert!(matches!(error, BundleError::Shape { .. }), "{error}");
}

/// The converter keeps what the checkpoint had of layers that read another's keys.
#[test]
fn keys_of_sharing_layers_are_not_read() {
    let with = changed(&|file| {
        for part in ["attn_k", "attn_v", "attn_k_norm"] {
            let copy = file.tensors[&format!("blk.2.{part}.weight")].clone();
            file.tensors.insert(format!("blk.5.{part}.weight"), copy);
        }
    })
    .unwrap();
    assert!(with.weight("layers.5.k").is_none() && with.weight("layers.2.k").is_some());
    for name in ["output.weight", "blk.5.attn_z.weight", "blk.7.attn_q.weight"] {
        let other = changed(&|file| {
            let copy = file.tensors["token_embd.weight"].clone();
            file.tensors.insert(name.into(), copy);
        });
        assert!(matches!(other, Err(BundleError::Unclaimed { .. })), "{name}");
    }
}

/// candle#3448: a reader that guesses these answers fluently and wrongly.
#[test]
fn a_file_that_leaves_sharing_out_is_refused() {
    for key in [
        "attention.shared_kv_layers",
        "attention.sliding_window_pattern",
        "attention.sliding_window",
        "attention.key_length",
        "attention.key_length_swa",
        "attention.head_count",
        "attention.head_count_kv",
        "attention.layer_norm_rms_epsilon",
        "embedding_length_per_layer_input",
        "feed_forward_length",
        "rope.freq_base",
        "rope.freq_base_swa",
        "context_length",
        "block_count",
    ] {
        let error = changed(&|file| file.remove(&format!("gemma4.{key}"))).unwrap_err().to_string();
        assert!(error.contains(key), "{key}: {error}");
    }
    let error = changed(&|file| drop(file.tensors.remove("rope_freqs.weight"))).unwrap_err();
    assert!(
        matches!(&error, BundleError::MissingTensor { name, .. } if name == "rope_freqs.weight"),
        "{error}"
    );
}

#[test]
fn what_would_change_the_result_is_refused() {
    let u32 = GgufValue::U32;
    let bools = |list: &[bool]| GgufValue::Array(GgufArray::Bool(list.to_vec()));
    for (key, value) in [
        ("expert_count", u32(8)),
        ("attention.shared_kv_layers", u32(7)),
        ("attention.shared_kv_layers", u32(4)),
        ("attention.shared_kv_layers", u32(2)),
        ("attention.shared_kv_layers", u32(u32::MAX)),
        ("attention.shared_kv_layers", GgufValue::F32(3.0)),
        ("attention.sliding_window", u32(0)),
        ("attention.sliding_window_pattern", u32(4)),
        ("attention.sliding_window_pattern", bools(&[true; 6])),
        ("attention.sliding_window_pattern", bools(&[true; 7])),
        ("attention.sliding_window_pattern", bools(&[false; 7])),
        ("attention.key_length", u32(32)),
        ("attention.value_length", u32(32)),
        ("attention.value_length_swa", u32(64)),
        ("attention.scale", GgufValue::F32(0.125)),
        ("attention.causal", GgufValue::Bool(false)),
        ("attn_logit_softcapping", GgufValue::F32(50.0)),
        ("final_logit_softcapping", GgufValue::F32(-30.0)),
        ("rope.scaling.type", GgufValue::String("yarn".into())),
        ("rope.scaling.factor", GgufValue::F32(8.0)),
        ("rope.dimension_count", u32(32)),
        ("rope.dimension_count_swa", u32(16)),
        ("rope.freq_base_swa", GgufValue::F32(f32::NAN)),
        ("embedding_length_per_layer_input", u32(0)),
        ("feed_forward_length", u32(256)),
        ("block_count", u32(8)),
        ("block_count", u32(u32::MAX)),
        ("vocab_size", u32(511)),
    ] {
        let refused = changed(&|file| {
            file.lists.retain(|l| l.0 != format!("gemma4.{key}"));
            file.set(&format!("gemma4.{key}"), value.clone());
        });
        assert!(refused.is_err(), "{key} = {value:?}");
    }
    for ffn in [vec![256, 256, 256, 512, 512, 512, 512], vec![256, 256, 256, 256, 512, 512], vec![-1; 7]] {
        let refused = changed(&|file| file.lists[0].1.clone_from(&ffn));
        assert!(refused.is_err(), "{ffn:?}");
    }
    let heads = changed(&|file| {
        file.remove("gemma4.attention.head_count_kv");
        file.lists.push(("gemma4.attention.head_count_kv".into(), vec![1, 1, 2, 1, 1, 1, 1]));
    });
    assert!(heads.unwrap_err().to_string().contains("layers of one kind"));
}

#[test]
fn numbers_may_be_given_for_each_layer() {
    let plain = changed(&|_| ()).unwrap();
    let listed = changed(&|file| {
        file.remove("gemma4.attention.head_count_kv");
        file.remove("gemma4.attention.sliding_window_pattern");
        file.lists.push(("gemma4.attention.head_count_kv".into(), vec![1; 7]));
        file.lists.push(("gemma4.attention.sliding_window_pattern".into(), vec![1, 1, 1, 0, 1, 1, 0]));
    });
    assert_eq!(listed.unwrap().config, plain.config);
    let without_cap = changed(&|file| file.remove("gemma4.final_logit_softcapping")).unwrap();
    assert_eq!(without_cap.config.gemma4.unwrap().softcap, None);
}

/// Which pairs turn is read from the tensor, and divisors that say anything else are kept as they are.
#[test]
fn divisors_of_frequencies() {
    let with = |divisors: &[f32]| {
        let data: Vec<u8> = divisors.iter().flat_map(|d| d.to_le_bytes()).collect();
        let model = changed(&|file| {
            file.tensors.insert("rope_freqs.weight".into(), (0, vec![divisors.len()], data.clone()));
        });
        model.map(|m| m.config.gemma4.unwrap().full_rope.scaling)
    };
    let mut divisors = [1e30f32; 32];
    divisors[..5].fill(1.0);
    assert_eq!(with(&divisors).unwrap(), RopeScaling::Proportional { turning: 5 });
    assert_eq!(with(&[1.0; 32]).unwrap(), RopeScaling::Proportional { turning: 32 });
    divisors[4] = 2.0;
    assert!(matches!(with(&divisors).unwrap(), RopeScaling::Divisors { divisors } if divisors[4] == 2.0));
    divisors[4] = -1.0;
    assert!(with(&divisors).is_err());
    assert!(with(&[1.0; 31]).is_err());
}
