//! Gemma 4 from GGUF metadata (`gemma4`), as llama.cpp's converter writes it.
//!
//! * Norms, heads and tables are stored as Hugging Face has them: nothing is moved and nothing added.
//! * `attention.key_length` and `rope.*` are those of full attention, keys ending in `_swa` those of sliding layers.
//! * Pairs that do not turn in full attention are pairs whose frequency `rope_freqs.weight` divides by 1e30.
//! * `feed_forward_length` and `attention.head_count_kv` are one number or a list of one for each layer.
//! * The converter keeps keys and values of layers that read another's, where the checkpoint had some.

use serde_json::Value;

use super::Origin;
use super::fields::{Fields, brief, single};
use super::rope::TENSORS;
use crate::error::BundleError;
use crate::{Arch, Gemma4, ModelConfig, Rope, RopeScaling};

/// Divisors from here on leave a frequency that turns nothing at any position that a model has.
const STILL: f64 = 1e20;

/// From GGUF metadata.
pub(crate) fn from_gguf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    refuse(f)?;
    let (hidden, layers) = (f.need_whole("embedding_length")?, f.need_whole("block_count")?);
    let full = kinds(f, layers)?;
    let heads = f.need_whole("attention.head_count")?;
    let (kv_heads, full_kv_heads) = by_kind(f, "attention.head_count_kv", &full)?;
    let head_dim = width(f, "attention.key_length_swa", "attention.value_length_swa")?;
    let full_head_dim = width(f, "attention.key_length", "attention.value_length")?;
    let vocab = origin.rows("embed")?;
    if let Some(other) = f.whole("vocab_size")?.filter(|n| *n != vocab) {
        return Err(f.bad("vocab_size", other, format!("{vocab}, the rows of the embedding table")));
    }
    let shared_layers = f.need_whole("attention.shared_kv_layers")?;
    let (ffn, shared_ffn) = widths_of_mlp(f, layers, shared_layers)?;
    let ple = f.need_whole("embedding_length_per_layer_input")?;
    Ok(ModelConfig {
        arch: Arch::Gemma4,
        hidden,
        ffn,
        layers,
        heads,
        kv_heads,
        head_dim,
        vocab,
        context: f.need_whole("context_length")?,
        norm_eps: f.need_number("attention.layer_norm_rms_epsilon")? as f32,
        rope: Rope {
            dim: f.whole("rope.dimension_count_swa")?.unwrap_or(head_dim),
            theta: single(f.need_number("rope.freq_base_swa")?),
            scaling: RopeScaling::None,
        },
        tied: true,
        qk_norm: true,
        embedding_scale: (hidden as f32).sqrt(),
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: Some(Gemma4 {
            full,
            window: f.need_whole("attention.sliding_window")?,
            full_head_dim,
            full_kv_heads,
            full_rope: Rope {
                dim: f.whole("rope.dimension_count")?.unwrap_or(full_head_dim),
                theta: single(f.need_number("rope.freq_base")?),
                scaling: turning(origin, full_head_dim)?,
            },
            shared_layers,
            shared_ffn,
            ple,
            ple_scale: (ple as f32).sqrt(),
            softcap: f.number("final_logit_softcapping")?.filter(|c| *c != 0.0).map(|c| c as f32),
        }),
    })
}

/// Features that would change the result.
fn refuse(f: &Fields) -> Result<(), BundleError> {
    f.refuse("expert_count", "a dense model")?;
    f.refuse("attention.clamp_kqv", "no clamp")?;
    f.refuse("attention.max_alibi_bias", "rotary positions")?;
    f.refuse("attn_logit_softcapping", "no soft cap on scores")?;
    if f.flag("attention.causal")? == Some(false) {
        return Err(f.bad("attention.causal", false, "causal attention"));
    }
    for key in ["attention.scale", "rope.scaling.factor", "rope.scale_linear"] {
        if let Some(other) = f.number(key)?.filter(|s| *s != 0.0 && *s != 1.0) {
            return Err(f.bad(key, other, "1"));
        }
    }
    match f.text("rope.scaling.type")?.as_deref() {
        None | Some("none" | "linear") => Ok(()),
        Some(other) => {
            Err(f.bad("rope.scaling.type", format!("{other:?}"), "none, or rope_freqs.weight alone"))
        }
    }
}

/// Which layers attend to all positions: the pattern says which slide.
fn kinds(f: &Fields, layers: usize) -> Result<Vec<bool>, BundleError> {
    const KEY: &str = "attention.sliding_window_pattern";
    const SUPPORTED: &str = "true or false for every layer";
    let Some(list) = f.get(KEY) else { return Err(f.missing(KEY, SUPPORTED)) };
    let Value::Array(list) = list else { return Err(f.bad(KEY, brief(&list), SUPPORTED)) };
    if list.len() != layers {
        let supported = format!("as many as block_count, {layers}");
        return Err(f.bad(KEY, format!("{} layers", list.len()), supported));
    }
    let kind = |v: &Value| match (v.as_bool(), v.as_u64()) {
        (Some(slides), _) => Ok(!slides),
        (None, Some(n @ (0 | 1))) => Ok(n == 0),
        _ => Err(f.bad(KEY, brief(v), SUPPORTED)),
    };
    list.iter().map(kind).collect()
}

/// Width of a head's keys, which its values must have too.
fn width(f: &Fields, keys: &str, values: &str) -> Result<usize, BundleError> {
    let dim = f.need_whole(keys)?;
    match f.whole(values)?.filter(|n| *n != dim) {
        Some(other) => Err(f.bad(values, other, format!("the width of keys, {dim}"))),
        None => Ok(dim),
    }
}

/// A number for each layer, from a list or from one number for all of them.
fn per_layer(f: &Fields, key: &str, layers: usize) -> Result<Vec<usize>, BundleError> {
    let supported = || format!("a whole number, or {layers} of them, one for each layer");
    let whole = |v: &Value| v.as_u64().and_then(|n| usize::try_from(n).ok());
    let bad = |v: &Value| f.bad(key, brief(v), supported());
    match f.get(key) {
        None => Err(f.missing(key, supported())),
        Some(Value::Array(list)) if list.len() == layers => {
            list.iter().map(|v| whole(v).ok_or_else(|| bad(v))).collect()
        }
        Some(one) => Ok(vec![whole(&one).ok_or_else(|| bad(&one))?; layers]),
    }
}

/// The number of sliding layers and that of full ones; a kind that no layer is of has the other's.
fn by_kind(f: &Fields, key: &str, full: &[bool]) -> Result<(usize, usize), BundleError> {
    let values = per_layer(f, key, full.len())?;
    let of = |kind: bool| {
        let mut of = values.iter().zip(full).filter(|(_, full)| **full == kind).map(|(v, _)| *v);
        let first = of.next();
        match first.and_then(|first| of.find(|v| *v != first)) {
            Some(other) => {
                let found = format!("{} and {other} in layers of one kind", first.unwrap_or(other));
                Err(f.bad(key, found, "one number for each kind of layer"))
            }
            None => Ok(first),
        }
    };
    let (sliding, full) = (of(false)?, of(true)?);
    let any = || f.missing(key, "a layer is needed");
    Ok((sliding.or(full).ok_or_else(any)?, full.or(sliding).ok_or_else(any)?))
}

/// Width of the MLP in layers with keys of their own, and in the others.
fn widths_of_mlp(f: &Fields, layers: usize, shared: usize) -> Result<(usize, usize), BundleError> {
    const KEY: &str = "feed_forward_length";
    let widths = per_layer(f, KEY, layers)?;
    let (own, sharing) = widths.split_at(layers.saturating_sub(shared));
    let (Some(first), last) = (own.first(), sharing.last()) else {
        return Err(f.bad("attention.shared_kv_layers", shared, format!("fewer than the {layers} layers")));
    };
    let last = last.unwrap_or(first);
    if own.iter().any(|w| w != first) || sharing.iter().any(|w| w != last) {
        let supported = "one width before the sharing layers and one in them";
        return Err(f.bad(KEY, format!("{widths:?}"), supported));
    }
    Ok((*first, *last))
}

/// Which pairs turn in full attention: the first ones have a divisor of 1, the others of 1e30. Other divisors are kept.
fn turning(origin: &Origin, head_dim: usize) -> Result<RopeScaling, BundleError> {
    let [freqs, ..] = TENSORS;
    let missing = || BundleError::MissingTensor { name: freqs.to_owned(), arch: origin.arch.name() };
    let divisors = origin.vector(freqs)?.ok_or_else(missing)?;
    if divisors.len() != head_dim / 2 {
        let (found, expected) = (vec![divisors.len()], vec![head_dim / 2]);
        return Err(BundleError::Shape { name: freqs.to_owned(), found, expected });
    }
    let turning = divisors.iter().take_while(|d| **d == 1.0).count();
    if turning > 0 && divisors.iter().skip(turning).all(|d| *d >= STILL) {
        return Ok(RopeScaling::Proportional { turning });
    }
    Ok(RopeScaling::Divisors { divisors })
}
