//! EAGLE-3 heads: both layouts are read; what is of another target, damaged or unknown is refused by name.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::{Value, json};
use sterna_bundle::{
    BundleError, EagleConfig, EagleHead, HeadSource, Model, ModelConfig, TapIds, WeightSource,
};
use sterna_format::Encoding;

fn target() -> Model {
    Model::open(&oracle("f_qwen3")).unwrap()
}

fn open_changed(
    test: &str,
    target: &ModelConfig,
    ids: TapIds,
    change: &dyn Fn(&mut Hf),
) -> Result<EagleHead, BundleError> {
    let dir = scratch(&format!("eagle_{test}"));
    let mut head = Hf::read(&oracle("f_qwen3_eagle3"));
    change(&mut head);
    std::fs::write(dir.join("config.json"), head.config.to_string()).unwrap();
    std::fs::write(dir.join("model.safetensors"), safetensors(&head.tensors, None)).unwrap();
    EagleHead::open(&dir, target, ids)
}

/// The same head as the speculators library writes one.
fn speculators(head: &mut Hf) {
    let Value::Object(mut layer) = head.config.take() else { unreachable!() };
    let ids = layer.remove("eagle_config").unwrap()["eagle_aux_hidden_state_layer_ids"].take();
    let draft_vocab = layer.remove("draft_vocab_size").unwrap();
    layer.remove("architectures").unwrap();
    head.config = json!({
        "architectures": ["Eagle3Speculator"],
        "speculators_model_type": "eagle3",
        "draft_vocab_size": draft_vocab,
        "norm_before_residual": true,
        "target_hidden_size": null,
        "eagle_aux_hidden_state_layer_ids": ids,
        "transformer_layer_config": layer,
    });
    let renamed = |(name, tensor): (String, _)| (name.replace("midlayer.", "layers.0."), tensor);
    head.tensors = std::mem::take(&mut head.tensors).into_iter().map(renamed).collect();
}

#[test]
fn the_authors_layout_is_read() {
    let target = target();
    let head = EagleHead::open(&oracle("f_qwen3_eagle3"), &target.config, TapIds::Inputs).unwrap();
    let EagleConfig { layer, target_hidden, taps, draft_vocab, norm_before_residual, own_embedding } =
        &head.config;
    assert_eq!((*target_hidden, taps.as_slice(), *draft_vocab), (128, &[1, 2, 3][..], 256));
    assert_eq!((*norm_before_residual, *own_embedding, head.config.tap_width()), (false, false, 384));
    assert_eq!((layer.hidden, layer.vocab, layer.context, layer.heads), (128, 512, 512, 4));
    assert_eq!(layer.rope.theta, 1e6);
    let q = head.weight("eagle.q").unwrap();
    assert_eq!((q.encoding, q.rows, q.cols, q.row(127).unwrap().len()), (Encoding::BF16, 128, 256, 512));
    assert_eq!(head.weight("eagle.head").unwrap().rows, 256);
    assert_eq!(head.weight("eagle.hidden_norm").unwrap().rows, 1);
    for other in ["embed", "head", "eagle.embed", "eagle.d2t", "layers.0.q"] {
        assert!(head.weight(other).is_none(), "{other}");
    }
    let ids = head.target_ids().unwrap();
    assert_eq!(ids.len(), 256);
    assert!(ids.windows(2).all(|w| w[0] < w[1]) && ids.iter().all(|id| *id < 512));
    assert!(ids[255] > 255, "they are not the first tokens");
    let both = head.with_target(&target);
    assert_eq!(both.weight("embed").unwrap().rows, 512);
    assert_eq!(both.weight("eagle.fc").unwrap().cols, 384);
    let swapped = HeadSource::new(&target, &head);
    assert!(swapped.weight("eagle.fc").is_none() && swapped.weight("embed").is_none());
    // The file by itself, beside its config.json.
    let file = oracle("f_qwen3_eagle3").join("model.safetensors");
    assert_eq!(EagleHead::open(&file, &target.config, TapIds::Inputs).unwrap().config, head.config);
}

#[test]
fn the_speculators_layout_is_read() {
    let target = target();
    let head = open_changed("speculators", &target.config, TapIds::Inputs, &speculators).unwrap();
    let plain = EagleHead::open(&oracle("f_qwen3_eagle3"), &target.config, TapIds::Inputs).unwrap();
    assert!(head.config.norm_before_residual && !plain.config.norm_before_residual);
    assert_eq!(EagleConfig { norm_before_residual: false, ..head.config.clone() }, plain.config);
    assert_eq!(head.target_ids(), plain.target_ids());
    assert_eq!(head.weight("eagle.down").unwrap().data, plain.weight("eagle.down").unwrap().data);
}

#[test]
fn layers_are_inputs_or_outputs_and_the_usual_ones_without_a_list() {
    let target = target().config;
    let taps = |test: &str, ids, change: &dyn Fn(&mut Hf)| {
        open_changed(test, &target, ids, change).unwrap().config.taps
    };
    assert_eq!(taps("inputs", TapIds::Inputs, &|_| {}), [1, 2, 3]);
    assert_eq!(taps("outputs", TapIds::Outputs, &|_| {}), [2, 3, 4]);
    let bare = |head: &mut Hf| head.config["eagle_config"] = Value::Null;
    assert_eq!(taps("usual", TapIds::Inputs, &bare), [2, 2, 1]);
    assert_eq!(taps("usual_outputs", TapIds::Outputs, &bare), [2, 2, 1]);
    let wide = ModelConfig { layers: 36, ..target.clone() };
    let head = open_changed("usual_wide", &wide, TapIds::Inputs, &bare).unwrap();
    assert_eq!(head.config.taps, [2, 18, 33]);
}

#[test]
fn a_head_may_name_every_token_and_have_its_own_table() {
    let target = target().config;
    let full = |head: &mut Hf| {
        head.config["draft_vocab_size"] = json!(512);
        head.tensors.remove("d2t");
        head.tensors.remove("t2d");
        let (dtype, _, bytes) = head.tensors["lm_head.weight"].clone();
        let table = (dtype, vec![512, 128], [bytes.clone(), bytes].concat());
        head.tensors.insert("lm_head.weight".into(), table.clone());
        head.tensors.insert("embed_tokens.weight".into(), table);
        head.tensors
            .insert("midlayer.self_attn.rotary_emb.inv_freq".into(), ("F32".into(), vec![1], vec![0; 4]));
    };
    let head = open_changed("full", &target, TapIds::Inputs, &full).unwrap();
    assert!(head.config.own_embedding && head.target_ids().is_none());
    assert_eq!(head.weight("eagle.embed").unwrap().rows, 512);
}

/// Opens the head with a change; the error must hold every one of `says`.
fn refused(test: &str, change: &dyn Fn(&mut Hf), says: &[&str]) {
    let error = match open_changed(test, &target().config, TapIds::Inputs, change) {
        Ok(head) => panic!("{test} was accepted: {head:?}"),
        Err(error) => error.to_string(),
    };
    for part in says {
        assert!(error.contains(part), "{test}: {part:?} is not in {error:?}");
    }
}

#[test]
fn configurations_that_are_not_understood_are_refused() {
    let cases: &[(&str, Value, &[&str])] = &[
        ("architectures", json!(["LlamaForCausalLMEagle"]), &["ForCausalLMEagle\\\"", "Eagle3Speculator"]),
        ("architectures", Value::Null, &["no architectures"]),
        ("vocab_size", json!(511), &["vocab_size", "511", "512", "another"]),
        ("hidden_size", json!(64), &["target_hidden_size", "128", "another"]),
        ("target_hidden_size", json!(256), &["target_hidden_size", "256"]),
        ("draft_vocab_size", json!(0), &["draft_vocab_size", "1 to 512"]),
        ("draft_vocab_size", json!(513), &["draft_vocab_size", "513"]),
        ("draft_vocab_size", json!(128), &["lm_head.weight", "[256, 128]", "[128, 128]"]),
        ("draft_vocab_size", Value::Null, &["lm_head.weight", "[512, 128]"]),
        ("num_hidden_layers", json!(2), &["num_hidden_layers", "2"]),
        ("attention_bias", json!(true), &["attention_bias"]),
        ("sliding_window", json!(128), &["sliding_window"]),
        ("hidden_act", json!("gelu"), &["gelu", "silu"]),
        ("norm_before_fc", json!(true), &["norm_before_fc"]),
        ("fc_norm", json!(true), &["fc_norm"]),
        ("norm_before_residual", json!("yes"), &["norm_before_residual", "true or false"]),
        ("quantization_config", json!({"bits": 4}), &["quantization_config"]),
        ("rope_scaling", json!({"rope_type": "yarn"}), &["yarn"]),
        ("head_dim", json!(33), &["head width", "33"]),
        ("head_dim", json!(64), &["q_proj", "[128, 256]", "[256, 256]"]),
        ("num_attention_heads", json!(u64::MAX), &["heads"]),
        ("intermediate_size", json!(64), &["gate_proj"]),
        ("rms_norm_eps", json!(0.0), &["epsilon"]),
        ("eagle_config", json!(3), &["eagle_config", "a map"]),
        ("eagle_config", json!({"use_aux_hidden_state": false}), &["use_aux_hidden_state", "false"]),
        ("eagle_config", json!({"use_mtp_layernorm": true}), &["use_mtp_layernorm"]),
        ("eagle_aux_hidden_state_layer_ids", json!([1, 2]), &["[1,2]", "[1,2,3]", "one list"]),
        ("transformer_layer_config", json!([]), &["transformer_layer_config", "a map"]),
        ("transformer_layer_config", json!({}), &["transformer_layer_config.hidden_size", "missing"]),
    ];
    for (n, (key, value, says)) in cases.iter().enumerate() {
        refused(&format!("config{n}"), &|head| head.config[*key] = value.clone(), says);
    }
    let whole = |head: &mut Hf| {
        head.config["architectures"] = json!(["LlamaForCausalLM"]);
        head.config["draft_vocab_size"] = Value::Null;
    };
    refused("whole", &whole, &["without draft_vocab_size"]);
    let unsaid = |head: &mut Hf| {
        speculators(head);
        head.config["norm_before_residual"] = Value::Null;
    };
    refused("unsaid", &unsaid, &["norm_before_residual", "missing"]);
    for (n, ids) in [json!([]), json!([5]), json!([-1]), json!("1"), json!([1.5]), json!([u64::MAX])]
        .into_iter()
        .enumerate()
    {
        let change =
            |head: &mut Hf| head.config["eagle_config"] = json!({"eagle_aux_hidden_state_layer_ids": ids});
        refused(&format!("ids{n}"), &change, &["eagle_aux_hidden_state_layer_ids", "which has 4"]);
    }
    let fewer =
        |head: &mut Hf| head.config["eagle_config"]["eagle_aux_hidden_state_layer_ids"] = json!([1, 2]);
    refused("fewer", &fewer, &["fc.weight", "[128, 384]", "[128, 256]"]);
    let shallow = ModelConfig { layers: 2, ..target().config };
    let bare = |head: &mut Hf| head.config["eagle_config"] = Value::Null;
    let error = open_changed("shallow", &shallow, TapIds::Inputs, &bare).unwrap_err().to_string();
    assert!(error.contains("2 layers"), "{error}");
    let past = ModelConfig { layers: 2, ..target().config };
    assert!(open_changed("past", &past, TapIds::Inputs, &|_| {}).is_err());
    assert!(
        open_changed("past_outputs", &ModelConfig { layers: 3, ..past }, TapIds::Outputs, &|_| {}).is_err()
    );
}

fn offsets(head: &mut Hf) -> &mut [[u8; 8]] {
    head.tensors.get_mut("d2t").unwrap().2.as_chunks_mut::<8>().0
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    for name in Hf::read(&oracle("f_qwen3_eagle3")).tensors.into_keys().filter(|n| n != "t2d") {
        let says: &[&str] =
            if name == "midlayer.self_attn.q_proj.weight" { &["midlayer."] } else { &[&name] };
        let says = [says, &["missing"]].concat();
        refused(&format!("without_{name}"), &|head| drop(head.tensors.remove(&name)), &says);
    }
    let add = |name: &'static str| {
        move |head: &mut Hf| {
            head.tensors.insert(name.into(), ("F32".into(), vec![1], vec![0; 4]));
        }
    };
    refused("bias", &add("midlayer.self_attn.q_proj.bias"), &["1 tensors", "q_proj.bias", "EAGLE-3"]);
    refused("second", &add("layers.1.self_attn.q_proj.weight"), &["layers.1."]);
    let dtype = |name: &'static str, dtype: &'static str| {
        move |head: &mut Hf| head.tensors.get_mut(name).unwrap().0 = dtype.into()
    };
    refused("codes", &dtype("fc.weight", "I16"), &["fc.weight", "I16"]);
    refused("map_dtype", &dtype("d2t", "F64"), &["d2t", "F64", "I64"]);
    refused("kept_dtype", &dtype("t2d", "U8"), &["t2d", "U8", "BOOL"]);
    for (n, (at, value)) in
        [(0, -1), (0, 512), (0, i64::MAX), (255, i64::MAX), (255, i64::MIN), (255, 257), (255, -256)]
            .into_iter()
            .enumerate()
    {
        let says = format!("d2t[{at}]");
        let change = |head: &mut Hf| offsets(head)[at] = value.to_le_bytes();
        refused(&format!("offset{n}"), &change, &[&says, "512"]);
    }
    // Two draft tokens for one token.
    let twice = |head: &mut Hf| {
        let first = i64::from_le_bytes(offsets(head)[0]);
        offsets(head)[1] = (first - 1).to_le_bytes();
    };
    refused("twice", &twice, &["d2t[1]", "no other"]);
    let flip = |head: &mut Hf| head.tensors.get_mut("t2d").unwrap().2[7] ^= 1;
    refused("kept", &flip, &["t2d", "token 7"]);
    let short = |head: &mut Hf| {
        let kept = head.tensors.get_mut("t2d").unwrap();
        kept.1 = vec![256, 2];
    };
    refused("kept_shape", &short, &["t2d", "[256, 2]"]);
    assert!(
        open_changed("no_kept", &target().config, TapIds::Inputs, &|h| drop(h.tensors.remove("t2d"))).is_ok()
    );
}

#[test]
fn damaged_files_are_errors() {
    let target = target().config;
    let dir = scratch("eagle_damage");
    let from = oracle("f_qwen3_eagle3");
    std::fs::copy(from.join("config.json"), dir.join("config.json")).unwrap();
    let error = EagleHead::open(&dir, &target, TapIds::Inputs).unwrap_err().to_string();
    assert!(error.contains("pytorch_model.bin"), "{error}");
    let bytes = std::fs::read(from.join("model.safetensors")).unwrap();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let file = dir.join("model.safetensors");
    for cut in (0..header + 40).step_by(37).chain([bytes.len() - 1]) {
        std::fs::write(&file, &bytes[..cut]).unwrap();
        assert!(EagleHead::open(&dir, &target, TapIds::Inputs).is_err(), "cut at {cut}");
    }
    let good = EagleHead::open(&from, &target, TapIds::Inputs).unwrap();
    let mut errors = 0;
    for at in (0..header).step_by(3) {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (at % 7);
        std::fs::write(&file, &bad).unwrap();
        match EagleHead::open(&dir, &target, TapIds::Inputs) {
            Err(_) => errors += 1,
            Ok(head) => assert_eq!(head.config, good.config, "byte {at}"),
        }
    }
    assert!(errors * 10 > header / 3 * 9, "{errors} of {}", header / 3);
}
