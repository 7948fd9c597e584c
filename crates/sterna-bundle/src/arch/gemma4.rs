//! Gemma 4 E2B and E4B text: sliding windows between layers of full attention, layers at the end that read earlier layers'
//! keys and values, and an input of its own for every layer (PLE).
//!
//! What the vendor does differently, and where it ends:
//!
//! * The layers that share keys, the window, the kinds of layers and the width of the per-layer inputs decide what a
//!   checkpoint computes, and none can be told from its tensors: a file of transformers may hold `k_proj` for layers that do
//!   not use it. A configuration without them is refused, not completed.
//! * Both embeddings are multiplied by the root of their width. transformers rounds that factor to the type of the
//!   weights when it runs in bf16; here it is f32.
//! * `k_proj`, `v_proj` and `k_norm` of layers that read another's keys are left out of the model.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fields::{Fields, brief, single};
use super::rope::Prefixed;
use super::{Origin, gemma4_packed};
use crate::error::BundleError;
use crate::wanted::Place;
use crate::{Arch, Gemma4, ModelConfig, Rope, RopeScaling};

/// The class of published checkpoints: the text model is inside, beside models of images and sound that are not read.
pub(crate) const WITH_SENSES: &str = "Gemma4ForConditionalGeneration";

/// From the config.json of a text model.
pub(crate) fn from_hf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    refuse(f)?;
    let (hidden, layers) = (f.need_whole("hidden_size")?, f.need_whole("num_hidden_layers")?);
    let (heads, head_dim) = (f.need_whole("num_attention_heads")?, f.need_whole("head_dim")?);
    let kv_heads = f.need_whole("num_key_value_heads")?;
    let ffn = f.need_whole("intermediate_size")?;
    let vocab = match gemma4_packed::embedding_rows(origin) {
        Some(rows) => rows,
        None => origin.rows("embed")?,
    };
    for key in ["vocab_size", "vocab_size_per_layer_input"] {
        if let Some(other) = f.whole(key)?.filter(|n| *n != vocab) {
            return Err(f.bad(key, other, format!("{vocab}, the rows of the embedding table")));
        }
    }
    let full = kinds(f, layers)?;
    let shared_layers = f.need_whole("num_kv_shared_layers")?;
    let double = match f.flag("use_double_wide_mlp")? {
        Some(flag) => flag,
        None if shared_layers == 0 => false,
        None => return Err(f.missing("use_double_wide_mlp", "true or false is needed beside shared layers")),
    };
    let full_head = full_heads(f, head_dim, kv_heads)?;
    let ple = f.need_whole("hidden_size_per_layer_input")?;
    let (rope, full_rope) = ropes(f, head_dim, full_head.0)?;
    Ok(ModelConfig {
        arch: Arch::Gemma4,
        hidden,
        ffn,
        layers,
        heads,
        kv_heads,
        head_dim,
        vocab,
        context: f.need_whole("max_position_embeddings")?,
        norm_eps: f.need_number("rms_norm_eps")? as f32,
        rope,
        tied: true,
        qk_norm: true,
        embedding_scale: (hidden as f32).sqrt(),
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: Some(Gemma4 {
            full,
            window: f.need_whole("sliding_window")?,
            full_head_dim: full_head.0,
            full_kv_heads: full_head.1,
            full_rope,
            shared_layers,
            shared_ffn: if double { ffn.saturating_mul(2) } else { ffn },
            ple,
            ple_scale: (ple as f32).sqrt(),
            softcap: f.number("final_logit_softcapping")?.map(|c| c as f32),
        }),
    })
}

/// From the config.json of a published checkpoint: the text model is in `text_config`.
pub(crate) fn from_hf_inner(origin: &Origin, outer: &Fields) -> Result<ModelConfig, BundleError> {
    let Some(Value::Object(map)) = outer.get("text_config") else {
        return Err(outer.missing("text_config", "a map is needed"));
    };
    let prefix = "text_config.";
    let held = Prefixed { prefix, map: &map };
    if outer.flag("tie_word_embeddings")? == Some(false) {
        return Err(outer.bad("tie_word_embeddings", false, "true"));
    }
    from_hf(origin, &Fields::new(&held, prefix, outer.place))
}

/// Features of the class that would change the result.
pub(super) fn refuse(f: &Fields) -> Result<(), BundleError> {
    f.refuse("attention_bias", "false")?;
    f.refuse("attention_k_eq_v", "false (values with a projection of their own)")?;
    f.refuse("enable_moe_block", "false (a dense model)")?;
    f.refuse("num_experts", "a dense model")?;
    if f.text("use_bidirectional_attention")?.is_some_and(|kind| kind == "all") {
        return Err(f.bad("use_bidirectional_attention", "\"all\"", "causal text"));
    }
    if f.flag("tie_word_embeddings")? == Some(false) {
        return Err(f.bad("tie_word_embeddings", false, "true (the head is the embedding table)"));
    }
    match f.text("hidden_activation")?.as_deref() {
        Some("gelu_pytorch_tanh") => Ok(()),
        Some(other) => Err(f.bad("hidden_activation", format!("{other:?}"), "gelu_pytorch_tanh")),
        None => Err(f.missing("hidden_activation", "gelu_pytorch_tanh")),
    }
}

/// Which layers attend to all positions.
pub(super) fn kinds(f: &Fields, layers: usize) -> Result<Vec<bool>, BundleError> {
    const SUPPORTED: &str = "sliding_attention or full_attention for every layer";
    let Some(list) = f.get("layer_types") else { return Err(f.missing("layer_types", SUPPORTED)) };
    let Value::Array(list) = list else { return Err(f.bad("layer_types", brief(&list), SUPPORTED)) };
    if list.len() != layers {
        let supported = format!("as many as num_hidden_layers, {layers}");
        return Err(f.bad("layer_types", format!("{} layers", list.len()), supported));
    }
    let kind = |v: &Value| match v.as_str() {
        Some("full_attention") => Ok(true),
        Some("sliding_attention") => Ok(false),
        _ => Err(f.bad("layer_types", brief(v), SUPPORTED)),
    };
    list.iter().map(kind).collect()
}

/// Width of a head and key/value heads in full attention: `global_head_dim` and `num_global_key_value_heads`, or what
/// transformers 5.24 writes in their place, `per_layer_config.full_attention`.
pub(super) fn full_heads(
    f: &Fields,
    head_dim: usize,
    kv_heads: usize,
) -> Result<(usize, usize), BundleError> {
    let dim = f.whole("global_head_dim")?;
    let kv = f.whole("num_global_key_value_heads")?;
    let inner = match f.get("per_layer_config") {
        Some(Value::Object(map)) => match map.get("full_attention") {
            Some(Value::Object(full)) => full.clone(),
            _ => Map::new(),
        },
        None => Map::new(),
        Some(other) => return Err(f.bad("per_layer_config", brief(&other), "a map")),
    };
    let prefix = "per_layer_config.full_attention.";
    let held = Prefixed { prefix, map: &inner };
    let r = Fields::new(&held, prefix, f.place);
    let (other_dim, other_kv) = (r.whole("head_dim")?, r.whole("num_key_value_heads")?);
    if dim.zip(other_dim).is_some_and(|(a, b)| a != b) {
        return Err(r.bad("head_dim", format!("{other_dim:?} beside global_head_dim {dim:?}"), "one width"));
    }
    let Some(dim) = dim.or(other_dim) else {
        return Err(f.missing(
            "global_head_dim",
            format!("the width of a head in full attention is needed ({head_dim} is that of sliding layers)"),
        ));
    };
    Ok((dim, kv.or(other_kv).unwrap_or(kv_heads)))
}

/// The rotations of sliding layers and of full ones.
pub(super) fn ropes(f: &Fields, head_dim: usize, full_head_dim: usize) -> Result<(Rope, Rope), BundleError> {
    let Some(Value::Object(both)) = f.get("rope_parameters") else {
        return Err(f.missing("rope_parameters", "a map for each kind of layer is needed"));
    };
    let one = |kind: &str, dim: usize| {
        let prefix = format!("rope_parameters.{kind}.");
        let Some(Value::Object(map)) = both.get(kind) else {
            return Err(f.missing(&format!("rope_parameters.{kind}"), "a map is needed"));
        };
        let held = Prefixed { prefix: &prefix, map };
        let r = Fields::new(&held, &prefix, f.place);
        let theta = single(r.need_number("rope_theta")?);
        let part = r.number("partial_rotary_factor")?;
        let scaling = match r.text("rope_type")?.as_deref() {
            Some("default") | None if part.is_none_or(|p| p == 1.0) => RopeScaling::None,
            Some("proportional") if r.number("factor")?.is_none_or(|x| x == 1.0) => {
                let part = part.unwrap_or(1.0);
                if !(part > 0.0 && part <= 1.0) {
                    return Err(r.bad("partial_rotary_factor", part, "above 0, at most 1"));
                }
                // As transformers: pairs, rounded towards zero.
                RopeScaling::Proportional { turning: (part * dim as f64 / 2.0) as usize }
            }
            other => {
                let found = format!("{:?} with a part of {part:?}", other.unwrap_or("absent"));
                return Err(r.bad("rope_type", found, "default over whole heads, or proportional"));
            }
        };
        Ok(Rope { dim, theta, scaling })
    };
    Ok((one("sliding_attention", head_dim)?, one("full_attention", full_head_dim)?))
}

/// Tensors of layers that read another's keys which a checkpoint may hold all the same.
pub(crate) fn unused(origin: &Origin, config: &ModelConfig) -> BTreeSet<String> {
    let layers = config.own_kv_layers()..config.layers;
    let parts = layers.flat_map(|l| ["k", "v", "k_norm"].map(|p| origin.spelling.name(Place::Layer(l), p)));
    parts.filter(|n| origin.tensors.contains_key(n)).collect()
}
