//! config.json of a head, in its two layouts.

use serde_json::{Map, Value};

use super::{EagleConfig, PLACE, TapIds};
use crate::arch::fields::{Fields, brief};
use crate::arch::head_file::first_class;
use crate::arch::rope::{self, Head, Prefixed};
use crate::check::check;
use crate::error::{BundleError, shorten};
use crate::{Arch, ModelConfig};

/// Target layers that a head may read; all known ones read three.
const MOST_TAPS: usize = 16;

/// Base of the rotation where the key is left out: transformers' for Llama.
const DEFAULT_THETA: f64 = 10_000.0;

const IDS: &str = "eagle_aux_hidden_state_layer_ids";

const CLASSES: [&str; 5] =
    ["LlamaForCausalLMEagle3", "Eagle3LlamaForCausalLM", "Eagle3Speculator", "Eagle3DraftModel", WHOLE_CLASS];

/// What the authors' own heads say; a whole model has no vocabulary of drafts.
const WHOLE_CLASS: &str = "LlamaForCausalLM";

/// Whether a configuration says that it is a head's: by its class or, where that is a whole model's, by its tokens.
pub(super) fn is_head(map: &Map<String, Value>) -> bool {
    first_class(map).is_some_and(|class| class != WHOLE_CLASS && CLASSES.contains(&class))
        || map.contains_key("draft_vocab_size")
}

/// Reads the configuration of a head for `target`.
pub(super) fn read(
    config: &Value,
    target: &ModelConfig,
    ids: TapIds,
    own_embedding: bool,
) -> Result<EagleConfig, BundleError> {
    let Value::Object(map) = config else {
        return Err(BundleError::key(PLACE, "the document", brief(config), "a map"));
    };
    let top = Fields::new(map, "", PLACE);
    class(&top)?;
    let prefix = "transformer_layer_config.";
    let nested: Option<Map<String, Value>> = match top.get("transformer_layer_config") {
        None => None,
        Some(Value::Object(map)) => Some(map),
        Some(other) => return Err(top.bad("transformer_layer_config", brief(&other), "a map")),
    };
    let inner = nested.as_ref().map(|map| Prefixed { prefix, map });
    let f = inner.as_ref().map_or(top, |inner| Fields::new(inner, prefix, PLACE));
    refuse(&top, &f)?;
    let layer = layer(&f, target)?;
    check(&layer, PLACE)?;
    let target_hidden = top.whole("target_hidden_size")?.unwrap_or(if nested.is_some() {
        target.hidden
    } else {
        layer.hidden
    });
    if target_hidden != target.hidden {
        let supported = format!("{}, the width of the target: the head is for another one", target.hidden);
        return Err(top.bad("target_hidden_size", target_hidden, supported));
    }
    if layer.hidden != target.hidden && !own_embedding {
        let supported = format!("{}, as the embeddings that it takes from the target", target.hidden);
        return Err(f.bad("hidden_size", layer.hidden, supported));
    }
    let draft_vocab = top.whole("draft_vocab_size")?.unwrap_or(target.vocab);
    if draft_vocab == 0 || draft_vocab > target.vocab {
        let supported = format!("1 to {}, the target's tokens", target.vocab);
        return Err(top.bad("draft_vocab_size", draft_vocab, supported));
    }
    let before = top.flag("norm_before_residual")?.or(f.flag("norm_before_residual")?);
    let norm_before_residual = match before {
        Some(named) => named,
        // The speculators library has had both defaults.
        None if nested.is_some() => {
            return Err(top.missing("norm_before_residual", "true or false is needed"));
        }
        None => false,
    };
    let taps = taps(&top, &f, target.layers, ids)?;
    Ok(EagleConfig { layer, target_hidden, taps, draft_vocab, norm_before_residual, own_embedding })
}

fn class(top: &Fields) -> Result<(), BundleError> {
    let listed = top.get("architectures");
    let found = match &listed {
        Some(Value::Array(list)) if list.len() == 1 => list.first().and_then(Value::as_str),
        _ => None,
    };
    let whole_model = found == Some("LlamaForCausalLM") && top.get("draft_vocab_size").is_none();
    if found.is_some_and(|f| CLASSES.contains(&f)) && !whole_model {
        return Ok(());
    }
    let mut found =
        listed.map_or_else(|| "no architectures in config.json".to_owned(), |v| shorten(&v.to_string()));
    if whole_model {
        found.push_str(" without draft_vocab_size");
    }
    Err(BundleError::Architecture { found, supported: format!("as EAGLE-3 heads {}", CLASSES.join(", ")) })
}

/// What would change the result, and is not done.
fn refuse(top: &Fields, f: &Fields) -> Result<(), BundleError> {
    for key in ["norm_before_fc", "fc_norm", "norm_output"] {
        top.refuse(key, "false")?;
    }
    for key in ["attention_bias", "mlp_bias", "use_sliding_window"] {
        f.refuse(key, "false")?;
    }
    f.refuse("sliding_window", "null (full attention)")?;
    for place in [top, f] {
        for key in ["quantization_config", "compression_config"] {
            place.refuse(key, "a head in f32, f16 or bf16")?;
        }
    }
    for (key, wanted) in [
        ("use_aux_hidden_state", true),
        ("use_input_layernorm_in_first_layer", true),
        ("use_last_layernorm", true),
        ("use_mtp_layernorm", false),
    ] {
        let inside = eagle(top)?.and_then(|map| map.get(key).cloned());
        if let Some(other) = inside.filter(|v| v.as_bool() != Some(wanted)) {
            return Err(top.bad(&format!("eagle_config.{key}"), brief(&other), wanted.to_string()));
        }
    }
    if let Some(layers) = f.whole("num_hidden_layers")?.filter(|n| *n != 1) {
        return Err(f.bad("num_hidden_layers", layers, "1"));
    }
    match f.text("hidden_act")?.as_deref() {
        None | Some("silu" | "swish") => Ok(()),
        Some(other) => Err(f.bad("hidden_act", format!("{other:?}"), "silu")),
    }
}

fn eagle(top: &Fields) -> Result<Option<Map<String, Value>>, BundleError> {
    match top.get("eagle_config") {
        None => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map)),
        Some(other) => Err(top.bad("eagle_config", brief(&other), "a map")),
    }
}

fn layer(f: &Fields, target: &ModelConfig) -> Result<ModelConfig, BundleError> {
    let hidden = f.need_whole("hidden_size")?;
    let heads = f.need_whole("num_attention_heads")?;
    let head_dim = match f.whole("head_dim")? {
        Some(dim) => dim,
        None if heads > 0 && hidden.is_multiple_of(heads) => hidden / heads,
        None => return Err(f.bad("hidden_size", hidden, format!("a multiple of the {heads} heads"))),
    };
    if let Some(vocab) = f.whole("vocab_size")?.filter(|n| *n != target.vocab) {
        let supported = format!("{}, the target's tokens: the head is for another one", target.vocab);
        return Err(f.bad("vocab_size", vocab, supported));
    }
    // Heads are trained on short texts and used on long ones; only scalings of the rotation depend on the key.
    let context = f.whole("max_position_embeddings")?.unwrap_or(target.context);
    let rope = rope::from_hf(
        f,
        Head { dim: head_dim, context, default_theta: Some(DEFAULT_THETA), partial: false },
    )?;
    Ok(ModelConfig {
        arch: Arch::Llama,
        hidden,
        ffn: f.need_whole("intermediate_size")?,
        layers: 1,
        heads,
        kv_heads: f.whole("num_key_value_heads")?.unwrap_or(heads),
        head_dim,
        vocab: target.vocab,
        context: target.context,
        norm_eps: f.need_number("rms_norm_eps")? as f32,
        rope,
        tied: false,
        qk_norm: false,
        embedding_scale: 1.0,
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: None,
    })
}

/// The target's layers whose inputs are read.
fn taps(top: &Fields, f: &Fields, layers: usize, ids: TapIds) -> Result<Vec<usize>, BundleError> {
    let named = [top.get(IDS), f.get(IDS), eagle(top)?.and_then(|map| map.get(IDS).cloned())];
    let mut named = named.into_iter().flatten().filter(|v| !v.is_null());
    let Some(list) = named.next() else {
        // The inputs of an early, a middle and a late layer.
        let late = layers.checked_sub(3).filter(|_| layers > 2);
        let late = late.ok_or_else(|| top.missing(IDS, format!("a target of {layers} layers needs it")))?;
        return Ok(vec![2, layers / 2, late]);
    };
    if let Some(other) = named.find(|v| *v != list) {
        return Err(top.bad(IDS, shorten(&format!("{list} and {other}")), "one list"));
    }
    let numbers = list.as_array().filter(|l| !l.is_empty() && l.len() <= MOST_TAPS);
    let after = usize::from(ids == TapIds::Outputs);
    let tap = |v: &Value| {
        let id = v.as_u64().and_then(|n| usize::try_from(n).ok())?;
        id.checked_add(after).filter(|l| *l <= layers)
    };
    numbers.and_then(|l| l.iter().map(tap).collect::<Option<Vec<_>>>()).ok_or_else(|| {
        let supported = format!("1 to {MOST_TAPS} layers of the target, which has {layers}");
        top.bad(IDS, shorten(&list.to_string()), supported)
    })
}
