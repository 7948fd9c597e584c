//! The tensors of a checkpoint against the tensors of a model: each wanted one is there, in shape; no other is.

use std::collections::{BTreeMap, BTreeSet};

use sterna_format::Encoding;

use crate::error::{BundleError, shorten};
use crate::wanted::{Role, Wanted, wanted};
use crate::{ModelConfig, RowOrder};

/// What is known of a tensor before its bytes are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TensorInfo {
    pub encoding: Encoding,
    /// Outermost first.
    pub shape: Vec<usize>,
}

/// A canonical tensor and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// The name in the file.
    pub source: String,
    pub role: Role,
    pub encoding: Encoding,
    pub rows: usize,
    pub cols: usize,
    pub order: RowOrder,
}

/// How a vendor spells the canonical names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    HuggingFace,
    Gguf,
}

/// Canonical part, Hugging Face's, GGUF's.
const PARTS: [(&str, &str, &str); 14] = [
    ("embed", "model.embed_tokens", "token_embd"),
    ("head", "lm_head", "output"),
    ("norm", "model.norm", "output_norm"),
    ("attn_norm", "input_layernorm", "attn_norm"),
    ("q", "self_attn.q_proj", "attn_q"),
    ("k", "self_attn.k_proj", "attn_k"),
    ("v", "self_attn.v_proj", "attn_v"),
    ("o", "self_attn.o_proj", "attn_output"),
    ("q_norm", "self_attn.q_norm", "attn_q_norm"),
    ("k_norm", "self_attn.k_norm", "attn_k_norm"),
    ("ffn_norm", "post_attention_layernorm", "ffn_norm"),
    ("gate", "mlp.gate_proj", "ffn_gate"),
    ("up", "mlp.up_proj", "ffn_up"),
    ("down", "mlp.down_proj", "ffn_down"),
];

impl Spelling {
    /// The file's name of a canonical part.
    pub(crate) fn name(self, layer: Option<usize>, part: &str) -> String {
        let Some((_, hf, gguf)) = PARTS.iter().find(|p| p.0 == part) else { return part.to_owned() };
        match (self, layer) {
            (Self::HuggingFace, None) => format!("{hf}.weight"),
            (Self::HuggingFace, Some(n)) => format!("model.layers.{n}.{hf}.weight"),
            (Self::Gguf, None) => format!("{gguf}.weight"),
            (Self::Gguf, Some(n)) => format!("blk.{n}.{gguf}.weight"),
        }
    }

    /// Tensors that old converters wrote and that hold nothing a reader needs: rotary frequencies that follow from
    /// the configuration.
    fn ignorable(self, name: &str) -> bool {
        let known: &[&str] = match self {
            Self::HuggingFace => &["rotary_emb.inv_freq"],
            Self::Gguf => &["attn_rot_embd.weight", "attn_rot_embd"],
        };
        known.iter().any(|k| name == *k || name.strip_suffix(k).is_some_and(|rest| rest.ends_with('.')))
    }
}

/// Finds every tensor of `config` among `tensors`, and a use for every one of those; `used` are names that the
/// configuration itself was read from, `order` the stored row order of a part.
///
/// # Errors
/// The first missing, misshapen or wrongly stored tensor; then all tensors left over, by name.
pub(crate) fn claim(
    config: &ModelConfig,
    spelling: Spelling,
    tensors: &BTreeMap<String, TensorInfo>,
    used: &BTreeSet<String>,
    order: &dyn Fn(&Wanted) -> RowOrder,
) -> Result<BTreeMap<String, Located>, BundleError> {
    let arch = config.arch.name();
    let mut found = BTreeMap::new();
    let mut claimed = used.clone();
    for w in wanted(config) {
        let name = spelling.name(w.layer, w.part);
        let Some(info) = tensors.get(&name) else { return Err(BundleError::MissingTensor { name, arch }) };
        let vector = w.role == Role::Vector;
        let expected = if vector { vec![w.cols] } else { vec![w.rows, w.cols] };
        if info.shape != expected {
            return Err(BundleError::Shape { name: shorten(&name), found: info.shape.clone(), expected });
        }
        if vector && !info.encoding.is_float() {
            return Err(BundleError::NotFloat { name, encoding: info.encoding });
        }
        claimed.insert(name.clone());
        let order = order(&w);
        let located = Located {
            source: name,
            role: w.role,
            encoding: info.encoding,
            rows: w.rows,
            cols: w.cols,
            order,
        };
        found.insert(w.name, located);
    }
    let left: Vec<&String> =
        tensors.keys().filter(|n| !claimed.contains(*n) && !spelling.ignorable(n)).collect();
    if left.is_empty() {
        return Ok(found);
    }
    let mut names = left.iter().take(8).map(|n| shorten(n)).collect::<Vec<_>>().join(", ");
    if left.len() > 8 {
        names.push_str(", ...");
    }
    Err(BundleError::Unclaimed { arch, count: left.len(), names })
}
