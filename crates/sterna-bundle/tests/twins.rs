//! A Hugging Face checkpoint and the GGUF file made from it are one model.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use sterna_bundle::{Arch, Model, ModelConfig, RopeScaling, RowOrder, SourceKind, WeightSource};

fn both(folder: &str, gguf: &str) -> (Model, Model) {
    (Model::open(&oracle(folder)).unwrap(), Model::open(&oracle(gguf)).unwrap())
}

fn check_twins(hf: &Model, gguf: &Model) {
    assert_eq!(hf.config, gguf.config);
    assert_eq!((hf.source_kind(), gguf.source_kind()), (SourceKind::HuggingFace, SourceKind::Gguf));
    same_values(hf, gguf);
    assert_eq!(hf.weight("layers.0.q").unwrap().order, RowOrder::Plain);
    let head_dim = gguf.config.head_dim;
    assert_eq!(gguf.weight("layers.0.q").unwrap().order, RowOrder::Interleaved { head_dim });
    assert_eq!(gguf.weight("layers.0.v").unwrap().order, RowOrder::Plain);
    for text in ["the cat", "a 12 <|im_end|>\n", "é"] {
        let ids = |m: &Model| m.tokenizer.encode(text, true).unwrap();
        assert_eq!(ids(hf), ids(gguf), "{text}");
    }
}

#[test]
fn minicpm_twins() {
    let (hf, gguf) = both("a_minicpm", "a_minicpm.tq2_0.gguf");
    check_twins(&hf, &gguf);
    let ModelConfig { arch, hidden, ffn, layers, heads, kv_heads, head_dim, vocab, context, tied, .. } =
        hf.config;
    assert_eq!((arch, hidden, ffn, layers), (Arch::MiniCpm, 256, 512, 3));
    assert_eq!((heads, kv_heads, head_dim, vocab, context, tied), (4, 2, 64, 512, 512, true));
    assert_eq!(hf.config.embedding_scale, 12.0);
    assert_eq!(hf.config.residual_scale, (1.4 / 3f64.sqrt()) as f32);
    assert_eq!(hf.config.logit_scale, 0.25);
    let RopeScaling::LongRope { short, long, original_context, attention_factor } = &hf.config.rope.scaling
    else {
        panic!("{:?}", hf.config.rope);
    };
    assert_eq!((short.len(), long.len(), *original_context, *attention_factor), (32, 32, 512, 1.0));
    assert_eq!((short[31], long[0]), (f64::from(1.9f32), f64::from(1.1f32)));
    assert!(hf.weight("head").is_none());
    assert!(hf.numerics.linears.contains_key("embed"), "a tied table multiplies");
}

#[test]
fn bitcpm_llama_twins() {
    let (hf, gguf) = both("a_bitcpm_llama", "a_bitcpm_llama.tq1_0.gguf");
    check_twins(&hf, &gguf);
    assert!(!hf.config.tied);
    assert!(!hf.numerics.linears.contains_key("embed") && hf.numerics.linears.contains_key("head"));
    assert_eq!((hf.config.embedding_scale, hf.config.residual_scale, hf.config.logit_scale), (1.0, 1.0, 1.0));
    let RopeScaling::LongRope { original_context, attention_factor, .. } = hf.config.rope.scaling else {
        panic!()
    };
    assert_eq!(
        (original_context, attention_factor),
        (64, f64::from((1.0 + 8f64.ln() / 64f64.ln()).sqrt() as f32))
    );
}

#[test]
fn dense_llama_and_qwen3() {
    let llama = Model::open(&oracle("f_llama")).unwrap();
    assert_eq!((llama.config.arch, llama.config.qk_norm, llama.config.head_dim), (Arch::Llama, false, 32));
    let scaling = RopeScaling::Llama3 {
        factor: 8.0,
        low_freq_factor: 1.0,
        high_freq_factor: 4.0,
        original_context: 64,
    };
    assert_eq!((llama.config.rope.theta, &llama.config.rope.scaling), (500_000.0, &scaling));
    assert_eq!(llama.name, "f_llama");
    let qwen = Model::open(&oracle("f_qwen3")).unwrap();
    assert_eq!((qwen.config.arch, qwen.config.qk_norm), (Arch::Qwen3, true));
    assert_eq!((qwen.config.rope.theta, &qwen.config.rope.scaling), (1_000_000.0, &RopeScaling::None));
    assert_eq!(qwen.weight("layers.3.q_norm").unwrap().cols, 32);
    assert_eq!(qwen.weights().count(), 3 + 4 * 11);
}

#[test]
fn the_built_in_model_opens_from_memory() {
    let bytes = std::fs::read(built_in()).unwrap();
    let model = Model::from_gguf_bytes(bytes.into()).unwrap();
    let c = &model.config;
    assert_eq!((c.arch, c.hidden, c.layers, c.heads, c.kv_heads), (Arch::MiniCpm, 512, 10, 8, 2));
    assert_eq!(
        (c.rope.scaling.clone(), c.logit_scale, c.residual_scale),
        (RopeScaling::None, 0.5, 0.442_718_86)
    );
    assert_eq!(model.tokenizer.config().chat_template.as_deref().map(|t| t.contains("im_start")), Some(true));
    assert_eq!(model.weights().count(), 2 + 10 * 9);
}
