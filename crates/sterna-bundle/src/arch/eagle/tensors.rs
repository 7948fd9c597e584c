//! The tensors of a head: each wanted one is there, in shape; no other is; and its map to the target's tokens holds.

use std::collections::BTreeMap;

use sterna_checkpoint::{CheckpointError, RawTensor, SafetensorsFile};
use sterna_format::Encoding;

use super::{ARCH, EagleConfig, Stored};
use crate::error::{BundleError, shorten};

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

/// Canonical name, the name in the file, rows (0 for a vector), columns.
type Part = (&'static str, String, usize, usize);

fn parts(c: &EagleConfig, layer: &str) -> Vec<Part> {
    let l = &c.layer;
    let inside = |name: &str| format!("{layer}{name}.weight");
    let outside = |name: &str| format!("{name}.weight");
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
    parts
}

/// Finds every tensor of `config`, and a use for every one of the file; and the target tokens of the draft tokens.
///
/// # Errors
/// The first missing, misshapen or wrongly stored tensor; a map that does not lead into the target's vocabulary; then
/// all tensors left over, by name.
pub(super) fn claim(
    config: &EagleConfig,
    file: &SafetensorsFile,
) -> Result<(BTreeMap<String, Stored>, Vec<u32>), BundleError> {
    let layer = LAYERS.into_iter().find(|l| has(file, &format!("{l}self_attn.q_proj.weight")));
    let mut found = BTreeMap::new();
    for (name, source, rows, cols) in parts(config, layer.unwrap_or(LAYERS[0])) {
        let tensor = need(file, &source)?;
        let expected = if rows == 0 { vec![cols] } else { vec![rows, cols] };
        shaped(&source, &tensor, expected)?;
        let encoding = match tensor.dtype {
            "F32" => Encoding::F32,
            "F16" => Encoding::F16,
            "BF16" => Encoding::BF16,
            other => {
                return Err(CheckpointError::Dtype { name: source, dtype: other.to_owned() }.into());
            }
        };
        found.insert(name.to_owned(), Stored { source, encoding, rows: rows.max(1), cols });
    }
    let ids = target_ids(config, file)?;
    let used = |name: &&str| {
        *name == OFFSETS
            || *name == KEPT
            || name.ends_with("rotary_emb.inv_freq")
            || found.values().any(|s| s.source == **name)
    };
    let left: Vec<&str> = file.names().filter(|n| !used(n)).collect();
    if left.is_empty() {
        return Ok((found, ids));
    }
    let mut names = left.iter().take(8).map(|n| shorten(n)).collect::<Vec<_>>().join(", ");
    if left.len() > 8 {
        names.push_str(", ...");
    }
    Err(BundleError::Unclaimed { arch: ARCH, count: left.len(), names })
}

fn need<'a>(file: &'a SafetensorsFile, name: &str) -> Result<RawTensor<'a>, BundleError> {
    file.tensor(name).ok_or_else(|| BundleError::MissingTensor { name: name.to_owned(), arch: ARCH })
}

fn shaped(name: &str, tensor: &RawTensor<'_>, expected: Vec<usize>) -> Result<(), BundleError> {
    if tensor.shape == expected {
        return Ok(());
    }
    Err(BundleError::Shape { name: name.to_owned(), found: tensor.shape.to_vec(), expected })
}

/// Target tokens of the draft tokens; empty when both vocabularies are the same and the file has no map.
fn target_ids(config: &EagleConfig, file: &SafetensorsFile) -> Result<Vec<u32>, BundleError> {
    let (drafts, vocab) = (config.draft_vocab, config.layer.vocab);
    if drafts == vocab && !has(file, OFFSETS) && !has(file, KEPT) {
        return Ok(Vec::new());
    }
    let tensor = need(file, OFFSETS)?;
    shaped(OFFSETS, &tensor, vec![drafts])?;
    let offsets: Vec<i64> = match tensor.dtype {
        "I64" => tensor.data.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect(),
        "I32" => tensor.data.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect(),
        other => return Err(BundleError::key(PLACE_OF_MAP, OFFSETS, format!("of dtype {other}"), "I64")),
    };
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
