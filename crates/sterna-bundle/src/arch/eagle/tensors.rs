//! The tensors of a head: each wanted one is there, in shape; no other is; and its map to the target's tokens holds.

use sterna_checkpoint::SafetensorsFile;

use super::super::head_file::{HeadFile, Part, need, shaped, whole_numbers};
use super::{ARCH, EagleConfig};
use crate::error::BundleError;

/// The head's own embedding table, in the file.
pub(super) const EMBED: &str = "embed_tokens.weight";

/// Target token of a draft token, less the draft token.
const OFFSETS: &str = "d2t";

/// Which of the target's tokens are draft tokens.
const KEPT: &str = "t2d";

/// What the two layouts call the layer.
const LAYERS: [&str; 2] = ["midlayer.", "layers.0."];

/// Whether the file has a tensor.
pub(super) fn has(file: &SafetensorsFile, name: &str) -> bool {
    file.tensor(name).is_some()
}

fn parts(c: &EagleConfig, layer: &str) -> Vec<Part> {
    let l = &c.layer;
    let inside = |name: &str| format!("{layer}{name}.weight");
    let outside = |name: &str| format!("{name}.weight");
    let part = |(name, source, rows, cols): (&str, String, usize, usize)| Part {
        name: name.to_owned(),
        source,
        rows,
        cols,
    };
    let mut parts = vec![
        ("eagle.fc", outside("fc"), l.hidden, c.tap_width()),
        ("eagle.embed_norm", inside("input_layernorm"), 0, l.hidden),
        ("eagle.hidden_norm", inside("hidden_norm"), 0, l.hidden),
        ("eagle.q", inside("self_attn.q_proj"), l.q_width(), 2 * l.hidden),
        ("eagle.k", inside("self_attn.k_proj"), l.kv_width(), 2 * l.hidden),
        ("eagle.v", inside("self_attn.v_proj"), l.kv_width(), 2 * l.hidden),
        ("eagle.o", inside("self_attn.o_proj"), l.hidden, l.q_width()),
        ("eagle.ffn_norm", inside("post_attention_layernorm"), 0, l.hidden),
        ("eagle.gate", inside("mlp.gate_proj"), l.ffn, l.hidden),
        ("eagle.up", inside("mlp.up_proj"), l.ffn, l.hidden),
        ("eagle.down", inside("mlp.down_proj"), l.hidden, l.ffn),
        ("eagle.norm", outside("norm"), 0, l.hidden),
        ("eagle.head", outside("lm_head"), c.draft_vocab, l.hidden),
    ];
    if c.own_embedding {
        parts.push(("eagle.embed", EMBED.to_owned(), l.vocab, l.hidden));
    }
    parts.into_iter().map(part).collect()
}

/// Finds every tensor of `config`, and a use for every one of the file; and the target tokens of the draft tokens.
///
/// # Errors
/// As [`HeadFile::claim`]; a map that does not lead into the target's vocabulary.
pub(super) fn claim(
    config: &EagleConfig,
    file: SafetensorsFile,
) -> Result<(HeadFile, Vec<u32>), BundleError> {
    let layer = LAYERS.into_iter().find(|l| has(&file, &format!("{l}self_attn.q_proj.weight")));
    let parts = parts(config, layer.unwrap_or(LAYERS[0]));
    let ids = target_ids(config, &file);
    let file = HeadFile::claim(file, parts, &[OFFSETS, KEPT], ARCH)?;
    Ok((file, ids?))
}

/// Target tokens of the draft tokens; empty when both vocabularies are the same and the file has no map.
fn target_ids(config: &EagleConfig, file: &SafetensorsFile) -> Result<Vec<u32>, BundleError> {
    let (drafts, vocab) = (config.draft_vocab, config.layer.vocab);
    if drafts == vocab && !has(file, OFFSETS) && !has(file, KEPT) {
        return Ok(Vec::new());
    }
    let tensor = need(file, OFFSETS, ARCH)?;
    shaped(OFFSETS, &tensor, vec![drafts])?;
    let offsets = whole_numbers(OFFSETS, &tensor, PLACE_OF_MAP)?;
    let mut kept = vec![false; vocab];
    let mut ids = Vec::with_capacity(drafts);
    for (i, offset) in offsets.iter().enumerate() {
        let id = i64::try_from(i).ok().and_then(|i| i.checked_add(*offset));
        let id = id.and_then(|id| u32::try_from(id).ok()).filter(|id| (*id as usize) < vocab);
        let slot = id.and_then(|id| kept.get_mut(id as usize)).filter(|taken| !**taken);
        let (Some(id), Some(slot)) = (id, slot) else {
            let supported =
                format!("an offset to a token of the target's {vocab} that no other one leads to");
            return Err(BundleError::key(PLACE_OF_MAP, format!("{OFFSETS}[{i}]"), offset, supported));
        };
        *slot = true;
        ids.push(id);
    }
    if let Some(tensor) = file.tensor(KEPT) {
        shaped(KEPT, &tensor, vec![vocab])?;
        if tensor.dtype != "BOOL" {
            let found = format!("of dtype {}", tensor.dtype);
            return Err(BundleError::key(PLACE_OF_MAP, KEPT, found, "BOOL"));
        }
        let differs = tensor.data.iter().zip(&kept).position(|(a, b)| (*a != 0) != *b);
        if let Some(at) = differs {
            let found = format!("{} for token {at}", !kept[at]);
            return Err(BundleError::key(PLACE_OF_MAP, KEPT, found, "the tokens that d2t leads to"));
        }
    }
    Ok(ids)
}

/// Where the maps are.
const PLACE_OF_MAP: &str = "the draft head";
