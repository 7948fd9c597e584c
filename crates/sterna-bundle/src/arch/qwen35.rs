//! Qwen3.5 and Qwen3.6 text: Gated DeltaNet layers and, every few, a layer of full attention with a gate per head.
//!
//! What the vendors do differently, and where it ends:
//!
//! * Hugging Face stores norm weights less 1 (all but the delta layers' own norm) and the logarithm of the decay. GGUF
//!   stores both as they are used. Canonical is GGUF's form.
//! * Both store q and its gate head by head ([`RowOrder::Gated`]).
//! * GGUF orders value heads by tiles of key heads, Hugging Face in groups. The order stays, and the configuration
//!   says which it is ([`HeadPairing`]): columns of quantised blocks cannot be moved.
//! * The head for multi-token prediction is `mtp.*`, or in GGUF the block after the last layer. transformers drops it
//!   when it saves a model, so its tensors tell whether it is there, not the configuration.

use serde_json::Value;

use super::claims::{Convert, Quirks, Spelling};
use super::fields::{Fields, brief};
use super::rope::Prefixed;
use super::{Origin, llama};
use crate::error::BundleError;
use crate::wanted::{Place, Wanted};
use crate::{Delta, HeadPairing, Hybrid, ModelConfig, RowOrder};

/// The class of published checkpoints: the text model is inside, beside a model of images that is not read.
pub(crate) const WITH_VISION: &str = "Qwen3_5ForConditionalGeneration";

/// From the config.json of a text model.
pub(crate) fn from_hf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    let base = llama::from_hf(origin, f)?;
    for key in ["attn_output_gate", "mamba_ssm_dtype"] {
        // Published files say so, and that states are f32; anything else is another model.
        match (key, f.get(key)) {
            (_, None) | ("attn_output_gate", Some(Value::Bool(true))) => {}
            ("mamba_ssm_dtype", Some(Value::String(t))) if t == "float32" => {}
            (_, Some(other)) => return Err(f.bad(key, brief(&other), "true, and float32 states")),
        }
    }
    let flag = "mtp_use_dedicated_embeddings";
    if f.flag(flag)? == Some(true) {
        return Err(f.bad(flag, true, "false (the head for multi-token prediction shares the embeddings)"));
    }
    let has_mtp = origin.tensors.contains_key(&origin.spelling.name(Place::Mtp(base.layers), "fc"));
    if let Some(n) = f.whole("mtp_num_hidden_layers")?.filter(|n| has_mtp && *n != 1) {
        return Err(f.bad("mtp_num_hidden_layers", n, "1 beside mtp.* tensors"));
    }
    let delta = Delta {
        k_heads: f.need_whole("linear_num_key_heads")?,
        v_heads: f.need_whole("linear_num_value_heads")?,
        k_dim: f.need_whole("linear_key_head_dim")?,
        v_dim: f.need_whole("linear_value_head_dim")?,
        taps: f.need_whole("linear_conv_kernel_dim")?,
        pairing: HeadPairing::Grouped,
    };
    let interval = interval(f, base.layers)?;
    Ok(ModelConfig { hybrid: Some(hybrid(interval, delta, usize::from(has_mtp))), ..base })
}

/// From the config.json of a published checkpoint: everything but the tie is in `text_config`.
pub(crate) fn from_hf_inner(origin: &Origin, outer: &Fields) -> Result<ModelConfig, BundleError> {
    let Some(Value::Object(map)) = outer.get("text_config") else {
        return Err(outer.missing("text_config", "a map is needed"));
    };
    let prefix = "text_config.";
    let held = Prefixed { prefix, map: &map };
    let config = from_hf(origin, &Fields::new(&held, prefix, outer.place))?;
    // Both maps may name the tie; the outer one is what transformers reads.
    let tied = outer.flag("tie_word_embeddings")?.unwrap_or(config.tied) && !origin.has("head");
    Ok(ModelConfig { tied, ..config })
}

/// The distance of full attention layers, from the list of `layers` layers or, without one, from its key. As in
/// transformers the list counts where both are there; it must be regular.
fn interval(f: &Fields, layers: usize) -> Result<usize, BundleError> {
    let named = f.whole("full_attention_interval")?;
    let Some(list) = f.get("layer_types") else {
        return named.ok_or_else(|| f.missing("layer_types", "or full_attention_interval is needed"));
    };
    let Value::Array(list) = list else { return Err(f.bad("layer_types", brief(&list), "a list")) };
    if list.len() != layers {
        let found = format!("{} layers", list.len());
        return Err(f.bad("layer_types", found, format!("as many as num_hidden_layers, {layers}")));
    }
    let full = |layer: &Value| layer.as_str() == Some("full_attention");
    let first = list.iter().position(full).map(|at| at + 1);
    let interval = first.or(named).unwrap_or(list.len() + 1);
    let wanted = |i: usize| {
        if (i + 1).is_multiple_of(interval.max(1)) { "full_attention" } else { "linear_attention" }
    };
    let other = list.iter().enumerate().find(|(i, layer)| layer.as_str() != Some(wanted(*i)));
    match other {
        Some((i, layer)) => {
            let found = format!("{} as layer {i}", brief(layer));
            Err(f.bad("layer_types", found, format!("{}: full attention every {interval} layers", wanted(i))))
        }
        None => Ok(interval),
    }
}

fn hybrid(full_attention_interval: usize, delta: Delta, mtp_layers: usize) -> Hybrid {
    // One value head per key head: both orders are the same.
    let one = delta.v_heads == delta.k_heads;
    let pairing = if one { HeadPairing::Grouped } else { delta.pairing };
    Hybrid { full_attention_interval, delta: Delta { pairing, ..delta }, mtp_layers }
}

/// From GGUF metadata. `block_count` includes the head for multi-token prediction.
pub(crate) fn from_gguf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    let base = llama::from_gguf(origin, f)?;
    let mtp_layers = f.whole("nextn_predict_layers")?.unwrap_or(0);
    let layers = base.layers.checked_sub(mtp_layers).ok_or_else(|| {
        f.bad("nextn_predict_layers", mtp_layers, format!("at most block_count, {}", base.layers))
    })?;
    let (v_heads, inner) = (f.need_whole("ssm.time_step_rank")?, f.need_whole("ssm.inner_size")?);
    if v_heads == 0 || !inner.is_multiple_of(v_heads) {
        return Err(f.bad("ssm.inner_size", inner, format!("a multiple of ssm.time_step_rank, {v_heads}")));
    }
    let delta = Delta {
        k_heads: f.need_whole("ssm.group_count")?,
        v_heads,
        k_dim: f.need_whole("ssm.state_size")?,
        v_dim: inner / v_heads,
        taps: f.need_whole("ssm.conv_kernel")?,
        pairing: HeadPairing::Tiled,
    };
    // llama.cpp's default where a file leaves it out.
    let interval = f.whole("full_attention_interval")?.unwrap_or(4);
    Ok(ModelConfig { layers, hybrid: Some(hybrid(interval, delta, mtp_layers)), ..base })
}

/// How a tensor is stored.
pub(crate) fn quirks(config: &ModelConfig, spelling: Spelling, w: &Wanted) -> Quirks {
    let order = match w.part {
        "q" => RowOrder::Gated { head_dim: config.head_dim },
        _ => RowOrder::Plain,
    };
    let convert = match w.part {
        _ if spelling.is_gguf() => Convert::No,
        "attn_norm" | "ffn_norm" | "q_norm" | "k_norm" | "norm" | "embed_norm" | "hidden_norm" => {
            Convert::PlusOne
        }
        "delta_decay" => Convert::MinusExp,
        _ => Convert::No,
    };
    Quirks { order, convert }
}
