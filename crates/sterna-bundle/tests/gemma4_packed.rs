//! Gemma 4 in its publisher's quantised layout: codes and scales become rows, activation scales become numerics, and what
//! does not fit is refused by name.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::json;
use sterna_bundle::{BundleError, LinearNumerics, Model, TernaryPolicy, WeightSource};
use sterna_format::{CodeBits, Encoding};

fn written(test: &str, change: &dyn Fn(&mut Hf)) -> Result<Model, BundleError> {
    let dir = scratch(&format!("gemma4_packed_{test}"));
    let mut hf = Hf::read(&oracle("d_gemma4_mobile"));
    change(&mut hf);
    hf.write(&dir);
    Model::open(&dir)
}

fn scalar(hf: &Hf, name: &str) -> f32 {
    f32::from_le_bytes(hf.tensors[name].2[..4].try_into().unwrap())
}

fn set_scalar(hf: &mut Hf, name: &str, value: f32) {
    hf.tensors.get_mut(name).unwrap().2 = value.to_le_bytes().to_vec();
}

#[test]
fn codes_and_scales_become_rows() {
    let model = Model::open(&oracle("d_gemma4_mobile")).unwrap();
    let hf = Hf::read(&oracle("d_gemma4_mobile"));
    for (name, bits, rows, cols) in [
        ("layers.0.q", CodeBits::Four, 128, 128),
        ("layers.4.down", CodeBits::Two, 128, 512),
        ("layers.6.ple_gate", CodeBits::Eight, 32, 128),
        ("embed", CodeBits::Two, 512, 128),
        ("ple_embed", CodeBits::Four, 512 * 7, 32),
    ] {
        let w = model.weight(name).unwrap();
        assert_eq!((w.encoding, w.rows, w.cols), (Encoding::PerRow(bits), rows, cols), "{name}");
    }
    assert_eq!(model.weight("ple_model_proj").unwrap().encoding, Encoding::BF16);
    // Row 5 of a layer's own inputs for token 3, by hand: 16 bytes of codes and the scale of that layer.
    let (codes, scales) = (
        &hf.tensors["model.embed_tokens_per_layer.embedding_quantized"],
        &hf.tensors["model.embed_tokens_per_layer.embedding_scale"],
    );
    assert_eq!((codes.1.as_slice(), scales.1.as_slice()), (&[512, 112][..], &[512, 7][..]));
    let d = f32::from_le_bytes(scales.2[4 * (3 * 7 + 5)..][..4].try_into().unwrap());
    let bytes = &codes.2[3 * 112 + 5 * 16..][..16];
    let want: Vec<f32> =
        bytes.iter().flat_map(|b| [b & 15, b >> 4]).map(|c| d * (f32::from(c) - 8.0)).collect();
    assert_eq!(values(&model, "ple_embed")[(3 * 7 + 5) * 32..][..32], want);
    let scale = |name: &str, kind: &str| scalar(&hf, &format!("{name}.{kind}_activation_scale"));
    for (name, stored) in [
        ("layers.2.v", "model.layers.2.self_attn.v_proj"),
        ("layers.5.gate", "model.layers.5.mlp.gate_proj"),
        ("embed", "lm_head"),
    ] {
        let want =
            LinearNumerics::Static { input: scale(stored, "input"), output: Some(scale(stored, "output")) };
        assert_eq!(model.numerics.linears[name], want, "{name}");
    }
    assert_eq!(model.numerics.linears["ple_model_proj"], LinearNumerics::Float);
    assert!(!model.numerics.linears.contains_key("ple_embed"));
}

#[test]
fn a_bundle_keeps_codes_and_activation_scales() {
    let model = Model::open(&oracle("d_gemma4_mobile")).unwrap();
    let dest = scratch("gemma4_packed_bundle").join("model.sterna");
    pack_to(&model, &dest, TernaryPolicy::Exact, &["ple_model_proj"]).unwrap();
    let bundle = Model::open(&dest).unwrap();
    bundle.verify().unwrap();
    assert_eq!((&bundle.config, &bundle.numerics), (&model.config, &model.numerics));
    same_values(&model, &bundle);
}

/// A scale of 0 is none; a table's scale may be one for all layers; scales of keys and values are left alone.
#[test]
fn scales_that_are_not_there() {
    let whole = Model::open(&oracle("d_gemma4_mobile")).unwrap();
    let model = written("zeros", &|hf| {
        set_scalar(hf, "model.layers.0.mlp.down_proj.output_activation_scale", 0.0);
        set_scalar(hf, "lm_head.output_activation_scale", 0.0);
        set_scalar(hf, "lm_head.input_activation_scale", 0.0);
        let one = hf.tensors["lm_head.input_activation_scale"].clone();
        for kind in ["k", "v"] {
            hf.tensors.insert(format!("model.layers.0.self_attn.{kind}_cache_scale"), one.clone());
        }
        let scale = hf.tensors.get_mut("model.embed_tokens_per_layer.embedding_scale").unwrap();
        scale.1 = vec![512, 1];
        scale.2 = scale.2.chunks(28).flat_map(|row| row[..4].to_vec()).collect();
    })
    .unwrap();
    assert_eq!(model.numerics.linears["embed"], LinearNumerics::Int16);
    assert!(matches!(model.numerics.linears["layers.0.down"], LinearNumerics::Static { output: None, .. }));
    let (want, got) = (values(&whole, "ple_embed"), values(&model, "ple_embed"));
    assert_eq!(want[..32], got[..32], "the scale of the first layer is the one that is left");
    assert_ne!(want[32..64], got[32..64]);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let q = "model.layers.0.self_attn.q_proj";
    type Change = Box<dyn Fn(&mut Hf)>;
    let cases: [(&str, Change); 11] = [
        ("weight_scale", Box::new(move |hf: &mut Hf| drop(hf.tensors.remove(&format!("{q}.weight_scale"))))),
        (
            "weight_scale",
            Box::new(move |hf: &mut Hf| {
                let scale = hf.tensors.get_mut(&format!("{q}.weight_scale")).unwrap();
                (scale.1, scale.2) = (vec![4, 1], scale.2[..16].to_vec());
            }),
        ),
        (
            "finite",
            Box::new(move |hf: &mut Hf| {
                let scale = hf.tensors.get_mut(&format!("{q}.weight_scale")).unwrap();
                scale.2[..4].copy_from_slice(&f32::NAN.to_le_bytes());
            }),
        ),
        (
            "2 or 4 bits",
            Box::new(move |hf: &mut Hf| {
                let codes = hf.tensors.get_mut(&format!("{q}.weight")).unwrap();
                (codes.1, codes.2) = (vec![128, 48], codes.2[..128 * 48].to_vec());
            }),
        ),
        (
            "or I8",
            Box::new(move |hf: &mut Hf| hf.tensors.get_mut(&format!("{q}.weight")).unwrap().0 = "I8".into()),
        ),
        (
            "without a scale of the inputs",
            Box::new(move |hf: &mut Hf| set_scalar(hf, &format!("{q}.input_activation_scale"), 0.0)),
        ),
        (
            "one positive number",
            Box::new(move |hf: &mut Hf| set_scalar(hf, &format!("{q}.input_activation_scale"), -1.0)),
        ),
        ("lm_head.weight", Box::new(|hf: &mut Hf| hf.tensors.get_mut("lm_head.weight").unwrap().2[7] ^= 1)),
        (
            "model.layers.0.extra",
            Box::new(move |hf: &mut Hf| {
                let copy = hf.tensors[&format!("{q}.weight")].clone();
                hf.tensors.insert("model.layers.0.extra.weight".into(), copy);
            }),
        ),
        (
            "U8",
            Box::new(|hf: &mut Hf| {
                let config = hf.config.as_object_mut().unwrap();
                config.insert("quantization_config".into(), json!({"quant_method": "gptq"}));
            }),
        ),
        // In another's form, or without it, bytes have no meaning at all.
        (
            "U8",
            Box::new(|hf: &mut Hf| drop(hf.config.as_object_mut().unwrap().remove("quantization_config"))),
        ),
    ];
    for (says, change) in cases {
        let error = written("refused", &*change).unwrap_err().to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
}
