//! Llama, and Qwen3 as Llama with per-head norms on q and k.

use serde_json::Value;

use super::Origin;
use super::fields::{Fields, brief};
use super::rope::{self, Head};
use crate::error::BundleError;
use crate::{Arch, ModelConfig};

/// transformers' and llama.cpp's base for Llama and MiniCPM files that leave the key out; Qwen3 must name it.
const DEFAULT_THETA: f64 = 10_000.0;

fn is_qwen(arch: Arch) -> bool {
    matches!(arch, Arch::Qwen3 | Arch::Qwen35)
}

fn default_theta(arch: Arch) -> Option<f64> {
    (!is_qwen(arch)).then_some(DEFAULT_THETA)
}

/// From config.json. Scalings are 1.
pub(crate) fn from_hf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    refuse_hf(origin.arch, f)?;
    let hidden = f.need_whole("hidden_size")?;
    let heads = f.need_whole("num_attention_heads")?;
    let context = f.need_whole("max_position_embeddings")?;
    let head_dim = match f.whole("head_dim")? {
        Some(dim) => dim,
        None if is_qwen(origin.arch) => return Err(f.missing("head_dim", "a Qwen model names it")),
        None => divide(f, "hidden_size", hidden, heads)?,
    };
    let vocab = origin.rows("embed")?;
    if f.need_whole("vocab_size")? != vocab {
        let found = f.need_whole("vocab_size")?;
        return Err(f.bad("vocab_size", found, format!("{vocab}, the rows of the embedding table")));
    }
    let partial = origin.arch == Arch::Qwen35;
    let head = Head { dim: head_dim, context, default_theta: default_theta(origin.arch), partial };
    // Without the key, Llama and Qwen3 are not tied by default and MiniCPM is; a stored head is used (see `mod.rs`).
    let tied = !origin.has("head") && f.flag("tie_word_embeddings")?.unwrap_or(origin.arch == Arch::MiniCpm);
    Ok(ModelConfig {
        arch: origin.arch,
        hidden,
        ffn: f.need_whole("intermediate_size")?,
        layers: f.need_whole("num_hidden_layers")?,
        heads,
        kv_heads: f.whole("num_key_value_heads")?.unwrap_or(heads),
        head_dim,
        vocab,
        context,
        norm_eps: f.need_number("rms_norm_eps")? as f32,
        rope: rope::from_hf(f, head)?,
        tied,
        qk_norm: is_qwen(origin.arch),
        embedding_scale: 1.0,
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: None,
    })
}

/// Features of the three Hugging Face classes, or of relatives saved under their names, that would change the result.
fn refuse_hf(arch: Arch, f: &Fields) -> Result<(), BundleError> {
    for key in ["attention_bias", "mlp_bias", "use_sliding_window"] {
        f.refuse(key, "false")?;
    }
    if !is_qwen(arch) {
        // Qwen3 stores the width of a window that `use_sliding_window` then switches off.
        f.refuse("sliding_window", "null (full attention)")?;
    }
    if arch != Arch::Qwen35
        && let Some(Value::Array(layers)) = f.get("layer_types")
        && let Some(other) = layers.iter().find(|l| l.as_str() != Some("full_attention"))
    {
        return Err(f.bad("layer_types", brief(other), "full_attention in every layer"));
    }
    f.refuse("sparse_config", "null (dense attention)")?;
    f.refuse("num_experts", "a dense model")?;
    f.refuse("num_local_experts", "a dense model")?;
    match f.text("hidden_act")?.as_deref() {
        None | Some("silu" | "swish") => Ok(()),
        Some(other) => Err(f.bad("hidden_act", format!("{other:?}"), "silu")),
    }
}

/// From GGUF metadata. Scalings are 1.
pub(crate) fn from_gguf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    debug_assert!(origin.spelling.is_gguf());
    refuse_gguf(origin.arch, f)?;
    let hidden = f.need_whole("embedding_length")?;
    let heads = f.need_whole("attention.head_count")?;
    let context = f.need_whole("context_length")?;
    let head_dim = match f.whole("attention.key_length")? {
        Some(dim) => dim,
        None => divide(f, "embedding_length", hidden, heads)?,
    };
    if let Some(other) = f.whole("attention.value_length")?.filter(|n| *n != head_dim) {
        return Err(f.bad("attention.value_length", other, format!("the width of keys, {head_dim}")));
    }
    let scale = 1.0 / (head_dim as f64).sqrt();
    if let Some(other) = f.number("attention.scale")?.filter(|s| *s != 0.0 && (s / scale - 1.0).abs() > 1e-6)
    {
        return Err(f.bad("attention.scale", other, format!("1/sqrt of the width of a head, {scale}")));
    }
    let vocab = origin.rows("embed")?;
    if let Some(other) = f.whole("vocab_size")?.filter(|n| *n != vocab) {
        return Err(f.bad("vocab_size", other, format!("{vocab}, the rows of the embedding table")));
    }
    let partial = origin.arch == Arch::Qwen35;
    let head = Head { dim: head_dim, context, default_theta: default_theta(origin.arch), partial };
    Ok(ModelConfig {
        arch: origin.arch,
        hidden,
        ffn: f.need_whole("feed_forward_length")?,
        layers: f.whole("block_count")?.unwrap_or_else(|| count_layers(origin)),
        heads,
        kv_heads: f.whole("attention.head_count_kv")?.unwrap_or(heads),
        head_dim,
        vocab,
        context,
        norm_eps: f.need_number("attention.layer_norm_rms_epsilon")? as f32,
        rope: rope::from_gguf(f, origin, head)?,
        tied: !origin.has("head"),
        qk_norm: is_qwen(origin.arch),
        embedding_scale: 1.0,
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: None,
    })
}

fn refuse_gguf(arch: Arch, f: &Fields) -> Result<(), BundleError> {
    f.refuse("attention.sliding_window", "full attention")?;
    f.refuse("expert_count", "a dense model")?;
    f.refuse("attention.clamp_kqv", "no clamp")?;
    f.refuse("attention.max_alibi_bias", "rotary positions")?;
    f.refuse("attn_logit_softcapping", "no soft cap")?;
    f.refuse("final_logit_softcapping", "no soft cap")?;
    if f.flag("attention.causal")? == Some(false) {
        return Err(f.bad("attention.causal", false, "causal attention"));
    }
    if arch != Arch::MiniCpm {
        for key in ["embedding_scale", "residual_scale", "logit_scale"] {
            if let Some(scale) = f.number(key)?.filter(|s| *s != 1.0 && *s != 0.0) {
                return Err(f.bad(key, scale, format!("1 in a {} model", arch.name())));
            }
        }
    }
    Ok(())
}

/// One more than the highest layer that has a tensor.
fn count_layers(origin: &Origin) -> usize {
    let layer = |name: &String| name.strip_prefix("blk.")?.split('.').next()?.parse::<usize>().ok();
    origin.tensors.keys().filter_map(layer).max().map_or(0, |n| n.saturating_add(1))
}

fn divide(f: &Fields, key: &str, width: usize, heads: usize) -> Result<usize, BundleError> {
    if heads > 0 && width.is_multiple_of(heads) {
        return Ok(width / heads);
    }
    let supported = "a whole number of dimensions per head, or the width of a head named";
    Err(f.bad(key, format!("{width} for {heads} heads"), supported))
}
