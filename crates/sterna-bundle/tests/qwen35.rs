//! Qwen3.5 from Hugging Face, from inside a model with vision, from GGUF and from a bundle is one model.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::{Value, json};
use sterna_bundle::{
    Arch, BundleError, Delta, HeadPairing, Hybrid, Model, RowOrder, TernaryPolicy, WeightSource,
};
use sterna_checkpoint::GgufValue;

const DELTA: Delta =
    Delta { k_heads: 2, v_heads: 4, k_dim: 64, v_dim: 64, taps: 4, pairing: HeadPairing::Grouped };

fn written(test: &str, change: &dyn Fn(&mut Hf)) -> Result<Model, BundleError> {
    let dir = scratch(&format!("qwen35_{test}"));
    let mut hf = Hf::read(&oracle("c_qwen35"));
    change(&mut hf);
    hf.write(&dir);
    Model::open(&dir)
}

fn floats(hf: &Hf, name: &str) -> Vec<f32> {
    let bytes = &hf.tensors[name].2;
    bytes.as_chunks::<2>().0.iter().map(|b| f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16)).collect()
}

#[test]
fn from_hugging_face() {
    let model = Model::open(&oracle("c_qwen35")).unwrap();
    let c = &model.config;
    assert_eq!((c.arch, c.layers, c.heads, c.kv_heads, c.head_dim), (Arch::Qwen35, 5, 4, 2, 64));
    assert_eq!((c.rope.dim, c.rope.theta, c.qk_norm, c.tied), (16, 1e7, true, false));
    assert_eq!(c.hybrid, Some(Hybrid { full_attention_interval: 4, delta: DELTA, mtp_layers: 1 }));
    assert_eq!((0..5).map(|l| c.delta(l).is_some()).collect::<Vec<_>>(), [true, true, true, false, true]);
    // 3 outside the layers, 14 in each delta layer, 11 in the other, 4 and 11 in the head for multi-token prediction.
    assert_eq!(model.weights().count(), 3 + 4 * 14 + 11 + 15);
    assert_eq!(model.weight("layers.3.q").unwrap().order, RowOrder::Gated { head_dim: 64 });
    let hf = Hf::read(&oracle("c_qwen35"));
    for (name, stored, add) in [
        ("norm", "model.norm.weight", 1.0),
        ("layers.3.q_norm", "model.layers.3.self_attn.q_norm.weight", 1.0),
        ("layers.0.ffn_norm", "model.layers.0.post_attention_layernorm.weight", 1.0),
        ("layers.0.delta_norm", "model.layers.0.linear_attn.norm.weight", 0.0),
        ("layers.4.delta_dt", "model.layers.4.linear_attn.dt_bias", 0.0),
        ("mtp.norm", "mtp.norm.weight", 1.0),
        ("mtp.embed_norm", "mtp.pre_fc_norm_embedding.weight", 1.0),
        ("mtp.k_norm", "mtp.layers.0.self_attn.k_norm.weight", 1.0),
    ] {
        let want: Vec<f32> = floats(&hf, stored).into_iter().map(|w| w + add).collect();
        assert_eq!(values(&model, name), want, "{name}");
    }
    let want = floats(&hf, "model.layers.1.linear_attn.A_log").into_iter().map(|a| -a.exp());
    for (got, want) in values(&model, "layers.1.delta_decay").into_iter().zip(want) {
        assert!(got < 0.0 && (got / want - 1.0).abs() < 1e-6, "{got} {want}");
    }
    // The rows of head 1 of q, and of its gate.
    let stored = floats(&hf, "model.layers.3.self_attn.q_proj.weight");
    let q = values(&model, "layers.3.q");
    assert_eq!(q[64 * 256..128 * 256], stored[128 * 256..192 * 256]);
    assert_eq!(q[(256 + 64) * 256..(256 + 128) * 256], stored[192 * 256..256 * 256]);
}

#[test]
fn from_inside_a_model_with_vision() {
    let plain = Model::open(&oracle("c_qwen35")).unwrap();
    let inner = written("vision", &|hf| {
        let mut text = hf.config.clone();
        text.as_object_mut().unwrap().remove("architectures");
        text.as_object_mut().unwrap().remove("tie_word_embeddings");
        hf.config = json!({"architectures": ["Qwen3_5ForConditionalGeneration"], "text_config": text,
                           "vision_config": {"depth": 2}, "tie_word_embeddings": false});
        let names: Vec<String> = hf.tensors.keys().cloned().collect();
        for name in names.iter().filter(|n| n.starts_with("model.")) {
            let tensor = hf.tensors.remove(name).unwrap();
            hf.tensors.insert(name.replacen("model.", "model.language_model.", 1), tensor);
        }
        let copy = hf.tensors["mtp.norm.weight"].clone();
        hf.tensors.insert("model.visual.blocks.0.norm1.weight".into(), copy);
    })
    .unwrap();
    assert_eq!(plain.config, inner.config);
    same_values(&plain, &inner);
}

/// Value heads in tiles over the key heads instead of in groups: `bytes` are all of them.
fn tile(bytes: &[u8]) -> Vec<u8> {
    let head = bytes.len() / 4;
    [0, 2, 1, 3].iter().flat_map(|j| &bytes[j * head..(j + 1) * head]).copied().collect()
}

/// As llama.cpp's converter writes it.
fn gguf() -> Gguf {
    let hf = Hf::read(&oracle("c_qwen35"));
    let mut gguf = Gguf::read(&oracle("a_minicpm.tq2_0.gguf"));
    gguf.keys.retain(|k| !k.0.starts_with("minicpm."));
    gguf.set("general.architecture", GgufValue::String("qwen35".into()));
    for (key, value) in [
        ("context_length", 512),
        ("embedding_length", 256),
        ("block_count", 6),
        ("nextn_predict_layers", 1),
        ("feed_forward_length", 256),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 2),
        ("attention.key_length", 64),
        ("attention.value_length", 64),
        ("rope.dimension_count", 16),
        ("full_attention_interval", 4),
        ("ssm.conv_kernel", 4),
        ("ssm.state_size", 64),
        ("ssm.group_count", 2),
        ("ssm.time_step_rank", 4),
        ("ssm.inner_size", 256),
    ] {
        gguf.set(&format!("qwen35.{key}"), GgufValue::U32(value));
    }
    gguf.set("qwen35.attention.layer_norm_rms_epsilon", GgufValue::F32(1e-6));
    gguf.set("qwen35.rope.freq_base", GgufValue::F32(1e7));
    gguf.tensors.clear();
    let names = [
        ("model.embed_tokens", "token_embd"),
        ("model.norm", "output_norm"),
        ("lm_head", "output"),
        ("mtp.layers.0.", "blk.5."),
        ("mtp.pre_fc_norm_embedding", "blk.5.nextn.enorm"),
        ("mtp.pre_fc_norm_hidden", "blk.5.nextn.hnorm"),
        ("mtp.norm", "blk.5.nextn.shared_head_norm"),
        ("model.layers.", "blk."),
        ("input_layernorm", "attn_norm"),
        ("post_attention_layernorm", "post_attention_norm"),
        ("self_attn.o_proj", "attn_output"),
        ("self_attn.", "attn_"),
        ("mlp.", "ffn_"),
        ("linear_attn.in_proj_qkv", "attn_qkv"),
        ("linear_attn.in_proj_z", "attn_gate"),
        ("linear_attn.in_proj_b", "ssm_beta"),
        ("linear_attn.in_proj_a", "ssm_alpha"),
        ("linear_attn.conv1d", "ssm_conv1d"),
        ("linear_attn.norm", "ssm_norm"),
        ("linear_attn.out_proj", "ssm_out"),
        ("linear_attn.A_log", "ssm_a"),
        ("linear_attn.dt_bias", "ssm_dt.bias"),
        ("_proj", ""),
        ("mtp.fc", "blk.5.nextn.eh_proj"),
    ];
    for (name, (_, shape, data)) in &hf.tensors {
        let f32s = |f: &dyn Fn(f32) -> f32| -> Vec<u8> {
            floats(&hf, name).into_iter().flat_map(|x| f(x).to_le_bytes()).collect()
        };
        let role = name.trim_end_matches(".weight").rsplit('.').next().unwrap();
        let keys = 256 * data.len() / shape[0];
        let (kind, data) = match role {
            "norm" if name.contains("linear_attn") => (0, f32s(&|x| x)),
            _ if role.contains("norm") => (0, f32s(&|x| x + 1.0)),
            "A_log" => (0, tile(&f32s(&|a| (-f64::from(a).exp()) as f32))),
            "dt_bias" => (0, tile(&f32s(&|x| x))),
            "conv1d" => {
                let all = f32s(&|x| x);
                (0, [&all[..all.len() / 2], &tile(&all[all.len() / 2..])].concat())
            }
            "in_proj_qkv" => (30, [&data[..keys], &tile(&data[keys..])].concat()),
            "in_proj_z" | "in_proj_a" | "in_proj_b" => (30, tile(data)),
            "out_proj" => (30, data.chunks(2 * shape[1]).flat_map(tile).collect()),
            _ => (30, data.clone()),
        };
        let shape = if role == "conv1d" { vec![shape[0], 4] } else { shape.clone() };
        let name = names.iter().fold(name.clone(), |n, (from, to)| n.replace(from, to));
        gguf.tensors.insert(name, (kind, shape, data));
    }
    gguf
}

#[test]
fn from_gguf() {
    let hf = Model::open(&oracle("c_qwen35")).unwrap();
    let model = gguf().open().unwrap();
    let mut config = model.config.clone();
    let pairing = &mut config.hybrid.as_mut().unwrap().delta.pairing;
    assert_eq!(*pairing, HeadPairing::Tiled);
    *pairing = HeadPairing::Grouped;
    assert_eq!(config, hf.config);
    assert_eq!(names(&model), names(&hf));
    for name in names(&hf) {
        let (want, cols) = (values(&hf, &name), hf.weight(&name).unwrap().cols);
        let bytes = |v: &[f32]| -> Vec<u8> { v.iter().flat_map(|v| (v + 0.0).to_le_bytes()).collect() };
        let want = match name.rsplit('.').next().unwrap() {
            "delta_qkv" | "delta_conv" => {
                [bytes(&want[..256 * cols]), tile(&bytes(&want[256 * cols..]))].concat()
            }
            "delta_z" | "delta_a" | "delta_b" | "delta_decay" | "delta_dt" => tile(&bytes(&want)),
            "delta_out" => want.chunks(cols).flat_map(|row| tile(&bytes(row))).collect(),
            _ => bytes(&want),
        };
        assert!(bytes(&values(&model, &name)) == want, "{name}");
    }
    for (key, value, says) in [
        ("ssm.group_count", None, ["ssm.group_count", "missing"]),
        ("ssm.group_count", Some(3), ["3 and 4", "value heads per key head"]),
        ("ssm.conv_kernel", Some(1), ["taps", "2 to 8"]),
        ("ssm.inner_size", Some(255), ["ssm.inner_size", "multiple"]),
        ("nextn_predict_layers", Some(9), ["nextn_predict_layers", "at most"]),
        ("nextn_predict_layers", Some(2), ["multi-token", "none or one"]),
        ("nextn_predict_layers", None, ["blk.5.attn_qkv.weight", "missing"]),
        ("rope.dimension_count", Some(66), ["rotated dimensions", "66"]),
        ("full_attention_interval", Some(0), ["interval", "1 to"]),
    ] {
        let mut changed = gguf();
        match value {
            Some(value) => changed.set(&format!("qwen35.{key}"), GgufValue::U32(value)),
            None => changed.remove(&format!("qwen35.{key}")),
        }
        let error = changed.open().unwrap_err().to_string();
        assert!(says.iter().all(|s| error.contains(s)), "{key}: {error}");
    }
}

#[test]
fn a_head_that_a_saver_dropped_is_absent() {
    let model = written("no_mtp", &|hf| hf.tensors.retain(|n, _| !n.starts_with("mtp."))).unwrap();
    assert_eq!(model.config.hybrid.unwrap().mtp_layers, 0);
    let interval = written("interval", &|hf| {
        hf.config.as_object_mut().unwrap().remove("layer_types");
    });
    assert_eq!(interval.unwrap().config.hybrid.unwrap().full_attention_interval, 4);
}

type Change = Box<dyn Fn(&mut Hf)>;

#[test]
fn what_is_not_this_model_is_refused() {
    let set = |key: &'static str, value: Value| -> Change {
        Box::new(move |hf: &mut Hf| hf.config[key] = value.clone())
    };
    const LINEAR: &str = "linear_attention";
    const FULL: &str = "full_attention";
    let cases: Vec<(&str, Change, &[&str])> = vec![
        ("heads", set("linear_num_key_heads", json!(3)), &["3 and 4"]),
        ("wide", set("linear_key_head_dim", json!(4096)), &["key width", "1 to 1024"]),
        ("missing", set("linear_num_value_heads", Value::Null), &["linear_num_value_heads", "missing"]),
        ("taps", set("linear_conv_kernel_dim", json!(5)), &["conv1d", "[512, 1, 4]", "[512, 1, 5]"]),
        ("gate", set("attn_output_gate", json!(false)), &["attn_output_gate"]),
        ("dtype", set("mamba_ssm_dtype", json!("bfloat16")), &["mamba_ssm_dtype", "bfloat16"]),
        ("own", set("mtp_use_dedicated_embeddings", json!(true)), &["mtp_use_dedicated_embeddings"]),
        ("two", set("mtp_num_hidden_layers", json!(2)), &["mtp_num_hidden_layers", "2"]),
        (
            "layers",
            set("layer_types", json!([LINEAR, FULL, LINEAR, FULL, LINEAR])),
            &["layers.1.self_attn.q_proj", "missing"],
        ),
        (
            "pattern",
            set("layer_types", json!([LINEAR, FULL, FULL, LINEAR, LINEAR])),
            &["layer_types", "as layer 2", "every 2 layers"],
        ),
        (
            "kind",
            set("layer_types", json!(["sliding_attention", LINEAR, LINEAR, FULL, LINEAR])),
            &["layer_types", "sliding_attention"],
        ),
        (
            "short",
            set("layer_types", json!([LINEAR, FULL])),
            &["layer_types", "2 layers", "num_hidden_layers, 5"],
        ),
        (
            "rotation",
            set(
                "rope_parameters",
                json!({"rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.0}),
            ),
            &["rotated dimensions", "0"],
        ),
        ("part", Box::new(|hf| drop(hf.tensors.remove("mtp.norm.weight"))), &["mtp.norm.weight", "missing"]),
        (
            "vision",
            Box::new(|hf| {
                let copy = hf.tensors["mtp.norm.weight"].clone();
                hf.tensors.insert("model.visual.x".into(), copy);
            }),
            &["1 tensors have no place", "model.visual.x"],
        ),
    ];
    for (test, change, says) in cases {
        let error = written(test, &change).unwrap_err().to_string();
        assert!(says.iter().all(|s| error.contains(s)), "{test}: {error}");
    }
}

/// Its matrices are ternary per 128 inputs, so it packs without loss; what steers a memory stays as it was.
#[test]
fn a_bundle_holds_the_same_model() {
    let model = Model::open(&oracle("c_qwen35")).unwrap();
    let dest = scratch("qwen35_pack").join("m.sterna");
    let report = pack_to(&model, &dest, TernaryPolicy::Exact, &[]).unwrap();
    assert_eq!(report.worst_residual(), 0.0);
    let packed = Model::open(&dest).unwrap();
    assert_eq!(packed.config, model.config);
    assert!(packed.numerics.recurrence.is_some());
    same_values(&model, &packed);
    packed.verify().unwrap();
    for name in ["layers.0.delta_a", "layers.0.delta_b", "layers.0.delta_conv"] {
        assert!(packed.weight(name).unwrap().encoding.is_float(), "{name}");
    }
    for name in ["layers.0.delta_qkv", "layers.0.delta_out", "layers.3.q", "mtp.fc", "mtp.q"] {
        assert!(!packed.weight(name).unwrap().encoding.is_float(), "{name}");
    }
}
