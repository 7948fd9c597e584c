//! The tensors of a drafter, and which cluster each token is in.

use sterna_checkpoint::SafetensorsFile;

use super::super::head_file::{HeadFile, Part, need, shaped, whole_numbers};
use super::{AssistantConfig, CLASS};
use crate::error::BundleError;

/// Tokens, cluster after cluster.
const ORDER: &str = "masked_embedding.token_ordering";

/// Where it is, for messages.
const PLACE_OF_ORDER: &str = "the drafter";

pub(super) fn parts(c: &AssistantConfig) -> Vec<Part> {
    let l = &c.layers;
    let part = |name: &str, source: &str, rows: usize, cols: usize| Part {
        name: format!("assistant.{name}"),
        source: format!("{source}.weight"),
        rows,
        cols,
    };
    let mut parts = vec![
        part("pre", "pre_projection", l.hidden, 2 * c.backbone),
        part("post", "post_projection", c.backbone, l.hidden),
        part("norm", "model.norm", 0, l.hidden),
        part("head", "model.embed_tokens", l.vocab, l.hidden),
    ];
    if let Some(head) = c.ordered {
        parts.push(part("centroids", "masked_embedding.centroids", head.clusters, l.hidden));
    }
    for layer in 0..l.layers {
        let (q, head_dim) = (l.q_width_of(layer), l.heads_of(layer).1);
        for (name, source, rows, cols) in [
            ("attn_norm", "input_layernorm", 0, l.hidden),
            ("attn_post_norm", "post_attention_layernorm", 0, l.hidden),
            ("ffn_norm", "pre_feedforward_layernorm", 0, l.hidden),
            ("ffn_post_norm", "post_feedforward_layernorm", 0, l.hidden),
            ("q", "self_attn.q_proj", q, l.hidden),
            ("q_norm", "self_attn.q_norm", 0, head_dim),
            ("o", "self_attn.o_proj", l.hidden, q),
            ("gate", "mlp.gate_proj", l.ffn, l.hidden),
            ("up", "mlp.up_proj", l.ffn, l.hidden),
            ("down", "mlp.down_proj", l.hidden, l.ffn),
        ] {
            let (name, source) = (format!("layers.{layer}.{name}"), format!("model.layers.{layer}.{source}"));
            parts.push(part(&name, &source, rows, cols));
        }
        parts.push(Part {
            name: format!("assistant.layers.{layer}.layer_scalar"),
            source: format!("model.layers.{layer}.layer_scalar"),
            rows: 0,
            cols: 1,
        });
    }
    parts
}

/// Finds every tensor of `config`, and a use for every one of the file; and, little endian f32, the cluster of every token.
///
/// # Errors
/// As [`HeadFile::claim`]; an order that is not one of all tokens.
pub(super) fn claim(
    config: &AssistantConfig,
    file: SafetensorsFile,
) -> Result<(HeadFile, Vec<u8>), BundleError> {
    let cluster = clusters(config, &file);
    let used: &[&str] = if config.ordered.is_some() { &[ORDER] } else { &[] };
    let file = HeadFile::claim(file, parts(config), used, CLASS)?;
    Ok((file, cluster?))
}

fn clusters(config: &AssistantConfig, file: &SafetensorsFile) -> Result<Vec<u8>, BundleError> {
    let Some(head) = config.ordered else { return Ok(Vec::new()) };
    let vocab = config.layers.vocab;
    let tensor = need(file, ORDER, CLASS)?;
    shaped(ORDER, &tensor, vec![vocab])?;
    let each = vocab / head.clusters;
    let mut cluster: Vec<Option<f32>> = vec![None; vocab];
    for (i, token) in whole_numbers(ORDER, &tensor, PLACE_OF_ORDER)?.into_iter().enumerate() {
        let slot = usize::try_from(token).ok().and_then(|t| cluster.get_mut(t)).filter(|c| c.is_none());
        let Some(slot) = slot else {
            let supported = format!("each of the {vocab} tokens once");
            return Err(BundleError::key(PLACE_OF_ORDER, format!("{ORDER}[{i}]"), token, supported));
        };
        *slot = Some((i / each) as f32);
    }
    Ok(cluster.into_iter().flat_map(|c| c.unwrap_or(0.0).to_le_bytes()).collect())
}
