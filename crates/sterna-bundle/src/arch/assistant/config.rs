//! config.json of a drafter, and whether it fits its target.

use serde_json::{Map, Value};

use super::{AssistantConfig, CLASS, OrderedHead, PLACE};
use crate::arch::fields::{Fields, brief};
use crate::arch::gemma4::{full_heads, kinds, refuse, ropes};
use crate::arch::rope::Prefixed;
use crate::check::check;
use crate::error::{BundleError, shorten};
use crate::{Arch, Gemma4, ModelConfig};

/// Reads the configuration of a drafter for `target`.
pub(super) fn read(config: &Value, target: &ModelConfig) -> Result<AssistantConfig, BundleError> {
    let Value::Object(map) = config else {
        return Err(BundleError::key(PLACE, "the document", brief(config), "a map"));
    };
    let top = Fields::new(map, "", PLACE);
    class(&top)?;
    let Some(theirs) = &target.gemma4 else {
        let found = format!("{CLASS}, for a {} model", target.arch.name());
        return Err(top.bad("architectures", found, "this class as drafter of a gemma4 model"));
    };
    let Some(Value::Object(inner)) = top.get("text_config") else {
        return Err(top.missing("text_config", "a map is needed"));
    };
    let prefix = "text_config.";
    let held = Prefixed { prefix, map: &inner };
    let f = Fields::new(&held, prefix, PLACE);
    if top.flag("tie_word_embeddings")? == Some(false) {
        return Err(top.bad("tie_word_embeddings", false, "true (the head is the drafter's table)"));
    }
    let backbone = top.need_whole("backbone_hidden_size")?;
    if backbone != target.hidden {
        return Err(other(&top, "backbone_hidden_size", backbone, target.hidden, "the width of the target"));
    }
    let layers = layers(&f, target)?;
    let sources = sources(&f, &layers, target, theirs)?;
    let ordered = ordered(&top, target.vocab)?;
    Ok(AssistantConfig { layers, backbone, sources, ordered })
}

/// For every layer of a drafter, the target's layer that it reads.
fn sources(
    f: &Fields,
    layers: &ModelConfig,
    target: &ModelConfig,
    theirs: &Gemma4,
) -> Result<Vec<usize>, BundleError> {
    let own = target.own_kv_layers();
    let source = |layer: usize| {
        let full = layers.gemma4.as_ref().is_some_and(|g| g.is_full(layer));
        let Some(source) = (0..own).rev().find(|l| theirs.is_full(*l) == full) else {
            let supported = "kinds of layers that the target has with keys of its own";
            return Err(f.bad("layer_types", format!("layer {layer} without keys to read"), supported));
        };
        fits(f, layers, layer, target, source)?;
        Ok(source)
    };
    (0..layers.layers).map(source).collect()
}

/// Refuses a drafter of a bundle that does not fit its target, or that is none.
pub(super) fn check_bundled(c: &AssistantConfig, target: &ModelConfig) -> Result<(), BundleError> {
    const PLACE: &str = "bundle manifest";
    let none = Map::new();
    let f = Fields::new(&none, "drafter.", PLACE);
    let (Some(theirs), Some(own)) = (&target.gemma4, &c.layers.gemma4) else {
        let found = format!("for a {} model", target.arch.name());
        return Err(f.bad("config", found, "a gemma4 drafter in a gemma4 model"));
    };
    if c.backbone != target.hidden {
        return Err(other(&f, "backbone", c.backbone, target.hidden, "the width of the target"));
    }
    if c.layers.vocab != target.vocab {
        return Err(other(&f, "vocab", c.layers.vocab, target.vocab, "the target's tokens"));
    }
    if c.layers.context != target.context {
        return Err(other(&f, "context", c.layers.context, target.context, "the target's positions"));
    }
    if (own.ple, own.shared_layers) != (0, 0) || c.layers.embedding_scale != target.embedding_scale {
        let found = format!("layer inputs of {} and {} sharing layers", own.ple, own.shared_layers);
        return Err(f.bad("config", found, "neither, and the target's factor on embeddings"));
    }
    let widened = ModelConfig { gemma4: Some(Gemma4 { ple: 1, ..own.clone() }), ..c.layers.clone() };
    check(&widened, PLACE)?;
    if c.sources != sources(&f, &c.layers, target, theirs)? {
        return Err(f.bad("sources", format!("{:?}", c.sources), "the last layers of each kind with keys"));
    }
    let Some(OrderedHead { clusters, keep }) = c.ordered else { return Ok(()) };
    if clusters == 0 || !target.vocab.is_multiple_of(clusters) || keep == 0 || keep > clusters {
        let supported = format!("clusters that divide the {} tokens, of which some are kept", target.vocab);
        return Err(f.bad("ordered", format!("{clusters} clusters, {keep} kept"), supported));
    }
    Ok(())
}

/// A value that must be the target's.
fn other(f: &Fields, key: &str, found: usize, theirs: usize, what: &str) -> BundleError {
    f.bad(key, found, format!("{theirs}, {what}: the drafter is for another one"))
}

fn class(top: &Fields) -> Result<(), BundleError> {
    let listed = top.get("architectures");
    let found = match &listed {
        Some(Value::Array(list)) if list.len() == 1 => list.first().and_then(Value::as_str),
        _ => None,
    };
    if found == Some(CLASS) {
        return Ok(());
    }
    let found =
        listed.map_or_else(|| "no architectures in config.json".to_owned(), |v| shorten(&v.to_string()));
    Err(BundleError::Architecture { found, supported: format!("as drafter {CLASS}") })
}

fn layers(f: &Fields, target: &ModelConfig) -> Result<ModelConfig, BundleError> {
    refuse(f)?;
    f.refuse("hidden_size_per_layer_input", "0 (a drafter's layers have no inputs of their own)")?;
    let layers = f.need_whole("num_hidden_layers")?;
    let vocab = f.need_whole("vocab_size")?;
    if vocab != target.vocab {
        return Err(other(f, "vocab_size", vocab, target.vocab, "the target's tokens"));
    }
    let shared = f.need_whole("num_kv_shared_layers")?;
    if shared != layers {
        let supported = format!("{layers}, all layers: a drafter has no keys of its own");
        return Err(f.bad("num_kv_shared_layers", shared, supported));
    }
    let (head_dim, kv_heads) = (f.need_whole("head_dim")?, f.need_whole("num_key_value_heads")?);
    let full_head = full_heads(f, head_dim, kv_heads)?;
    let (rope, full_rope) = ropes(f, head_dim, full_head.0)?;
    let ffn = f.need_whole("intermediate_size")?;
    let ffn = if f.flag("use_double_wide_mlp")? == Some(true) { ffn.saturating_mul(2) } else { ffn };
    let gemma4 = Gemma4 {
        full: kinds(f, layers)?,
        window: f.need_whole("sliding_window")?,
        full_head_dim: full_head.0,
        full_kv_heads: full_head.1,
        full_rope,
        // For the checks of a model; a drafter's layers are all alike, and none has an input of its own.
        shared_layers: 0,
        shared_ffn: ffn,
        ple: 1,
        ple_scale: 1.0,
        softcap: None,
    };
    let config = ModelConfig {
        arch: Arch::Gemma4,
        hidden: f.need_whole("hidden_size")?,
        ffn,
        layers,
        heads: f.need_whole("num_attention_heads")?,
        kv_heads,
        head_dim,
        vocab,
        context: target.context,
        norm_eps: f.need_number("rms_norm_eps")? as f32,
        rope,
        tied: true,
        qk_norm: true,
        embedding_scale: target.embedding_scale,
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: Some(gemma4),
    };
    check(&config, PLACE)?;
    let gemma4 = config.gemma4.map(|g| Gemma4 { ple: 0, ..g });
    Ok(ModelConfig { gemma4, ..config })
}

/// Whether a layer can read the keys and values of the target's layer `source`.
fn fits(
    f: &Fields,
    drafter: &ModelConfig,
    layer: usize,
    target: &ModelConfig,
    source: usize,
) -> Result<(), BundleError> {
    let (ours, theirs) = (drafter.heads_of(layer), target.heads_of(source));
    if ours != theirs {
        let found = format!("{} key heads of {} in layer {layer}", ours.0, ours.1);
        let supported = format!(
            "{} of {}, those of the target's layer {source}: the drafter is for another one",
            theirs.0, theirs.1
        );
        return Err(f.bad("the shape of keys", found, supported));
    }
    let window = |c: &ModelConfig| c.gemma4.as_ref().map_or(0, |g| g.window);
    let sliding = drafter.gemma4.as_ref().is_some_and(|g| !g.is_full(layer));
    // A drafter's row stands one past the keys that it may see, and its own position counts.
    if sliding && !(2..=window(target)).contains(&window(drafter)) {
        let supported = format!("2 to {}, the positions that the target keeps", window(target));
        return Err(f.bad("sliding_window", window(drafter), supported));
    }
    Ok(())
}

fn ordered(top: &Fields, vocab: usize) -> Result<Option<OrderedHead>, BundleError> {
    let key = "use_ordered_embeddings";
    match top.flag(key)? {
        Some(true) => {}
        Some(false) => return Ok(None),
        None => return Err(top.missing(key, "true or false is needed")),
    }
    let clusters = top.need_whole("num_centroids")?;
    if clusters == 0 || clusters > vocab || !vocab.is_multiple_of(clusters) {
        let supported = format!("a number that divides the {vocab} tokens");
        return Err(top.bad("num_centroids", clusters, supported));
    }
    let keep = top.need_whole("centroid_intermediate_top_k")?;
    if keep == 0 || keep > clusters {
        return Err(top.bad("centroid_intermediate_top_k", keep, format!("1 to {clusters}, the centroids")));
    }
    Ok(Some(OrderedHead { clusters, keep }))
}
