//! The tensors of a checkpoint against the tensors of a model: each wanted one is there, in shape; no other is.

use std::collections::{BTreeMap, BTreeSet};

use sterna_format::Encoding;

use crate::error::{BundleError, shorten};
use crate::wanted::{Place, Role, Wanted, wanted};
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
    /// How its values differ from the canonical ones.
    pub convert: Convert,
    /// The encoding in which its rows are handed out, if it is not the file's.
    pub recode: Option<Encoding>,
}

/// What a reader does to the values of a vector; the result is f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Convert {
    /// Nothing: the bytes are used where they lie.
    No,
    /// Norm weights that are stored less 1.
    PlusOne,
    /// `-exp(x)`: `A_log`.
    MinusExp,
}

impl Convert {
    pub(crate) fn apply(self, x: f32) -> f32 {
        match self {
            Self::No => x,
            Self::PlusOne => x + 1.0,
            Self::MinusExp => (-f64::from(x).exp()) as f32,
        }
    }
}

/// How a tensor is stored, beside its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quirks {
    pub order: RowOrder,
    pub convert: Convert,
}

/// How a vendor spells the canonical names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    HuggingFace,
    /// A text model inside a model of several senses.
    HuggingFaceInner,
    Gguf,
    /// GGUF's names of Qwen3.5.
    GgufQwen35,
    /// GGUF's names of Gemma 4.
    GgufGemma4,
    /// Hugging Face's names of Gemma 4.
    HuggingFaceGemma4,
    /// The same inside a model of several senses.
    HuggingFaceGemma4Inner,
}

/// Canonical part, Hugging Face's, GGUF's; `.weight` follows.
const PARTS: [(&str, &str, &str); 25] = [
    ("embed", "embed_tokens", "token_embd"),
    ("head", "lm_head", "output"),
    ("norm", "norm", "output_norm"),
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
    ("delta_qkv", "linear_attn.in_proj_qkv", "attn_qkv"),
    ("delta_z", "linear_attn.in_proj_z", "attn_gate"),
    ("delta_b", "linear_attn.in_proj_b", "ssm_beta"),
    ("delta_a", "linear_attn.in_proj_a", "ssm_alpha"),
    ("delta_conv", "linear_attn.conv1d", "ssm_conv1d"),
    ("delta_norm", "linear_attn.norm", "ssm_norm"),
    ("delta_out", "linear_attn.out_proj", "ssm_out"),
    // Of the head for multi-token prediction.
    ("fc", "fc", "nextn.eh_proj"),
    ("embed_norm", "pre_fc_norm_embedding", "nextn.enorm"),
    ("hidden_norm", "pre_fc_norm_hidden", "nextn.hnorm"),
    ("mtp_norm", "norm", "nextn.shared_head_norm"),
];

/// Canonical part, Hugging Face's name and GGUF's in Gemma 4, where they are not those of [`PARTS`].
const GEMMA4: [(&str, &str, &str); 10] = [
    ("attn_post_norm", "post_attention_layernorm.weight", "post_attention_norm.weight"),
    ("ffn_norm", "pre_feedforward_layernorm.weight", "ffn_norm.weight"),
    ("ffn_post_norm", "post_feedforward_layernorm.weight", "post_ffw_norm.weight"),
    ("ple_gate", "per_layer_input_gate.weight", "inp_gate.weight"),
    ("ple_proj", "per_layer_projection.weight", "proj.weight"),
    ("ple_norm", "post_per_layer_input_norm.weight", "post_norm.weight"),
    ("layer_scalar", "layer_scalar", "layer_output_scale.weight"),
    ("ple_embed", "embed_tokens_per_layer.weight", "per_layer_token_embd.weight"),
    ("ple_model_proj", "per_layer_model_projection.weight", "per_layer_model_proj.weight"),
    ("ple_model_norm", "per_layer_projection_norm.weight", "per_layer_proj_norm.weight"),
];

/// As [`PARTS`], without `.weight`.
const BARE: [(&str, &str, &str); 2] =
    [("delta_decay", "linear_attn.A_log", "ssm_a"), ("delta_dt", "linear_attn.dt_bias", "ssm_dt.bias")];

impl Spelling {
    pub(crate) fn is_gguf(self) -> bool {
        matches!(self, Self::Gguf | Self::GgufQwen35 | Self::GgufGemma4)
    }

    /// A text model inside a model of several senses.
    fn is_inner(self) -> bool {
        matches!(self, Self::HuggingFaceInner | Self::HuggingFaceGemma4Inner)
    }

    /// The file's name of a canonical part.
    pub(crate) fn name(self, place: Place, part: &str) -> String {
        let model = if self.is_inner() { "model.language_model" } else { "model" };
        let gemma = [Self::HuggingFaceGemma4, Self::HuggingFaceGemma4Inner, Self::GgufGemma4];
        if gemma.contains(&self)
            && let Some((_, hf, gguf)) = GEMMA4.iter().find(|p| p.0 == part)
        {
            return match (self.is_gguf(), place) {
                (true, Place::Layer(n)) => format!("blk.{n}.{gguf}"),
                (true, _) => (*gguf).to_owned(),
                (false, Place::Layer(n)) => format!("{model}.layers.{n}.{hf}"),
                (false, _) => format!("{model}.{hf}"),
            };
        }
        let part = if part == "norm" && matches!(place, Place::Mtp(_)) { "mtp_norm" } else { part };
        let find = |list: &'static [(&str, &str, &str)]| list.iter().find(|p| p.0 == part);
        let (found, suffix) = match find(&BARE) {
            Some(found) => (Some(found), ""),
            None => (find(&PARTS), ".weight"),
        };
        let Some((_, hf, gguf)) = found else { return part.to_owned() };
        let gguf = match part {
            "ffn_norm" if self == Self::GgufQwen35 => "post_attention_norm",
            _ => gguf,
        };
        match (self.is_gguf(), place) {
            (false, Place::Top) if part == "head" => format!("{hf}{suffix}"),
            (false, Place::Top) => format!("{model}.{hf}{suffix}"),
            (false, Place::Layer(n)) => format!("{model}.layers.{n}.{hf}{suffix}"),
            (false, Place::Mtp(_)) => format!("mtp.{hf}{suffix}"),
            (false, Place::MtpLayer(_)) => format!("mtp.layers.0.{hf}{suffix}"),
            (true, Place::Top) => format!("{gguf}{suffix}"),
            (true, Place::Layer(n) | Place::Mtp(n) | Place::MtpLayer(n)) => format!("blk.{n}.{gguf}{suffix}"),
        }
    }

    /// Tensors that hold nothing a reader of text needs: rotary frequencies that follow from the configuration, written
    /// by old converters, and the other senses of a model around a text model.
    fn ignorable(self, name: &str) -> bool {
        const SENSES: [&str; 5] = [
            "model.visual.",
            "model.vision_tower.",
            "model.audio_tower.",
            "model.embed_vision.",
            "model.embed_audio.",
        ];
        if self.is_inner() && SENSES.iter().any(|s| name.starts_with(s)) {
            return true;
        }
        let known: &[&str] = match self {
            Self::HuggingFace
            | Self::HuggingFaceInner
            | Self::HuggingFaceGemma4
            | Self::HuggingFaceGemma4Inner => &["rotary_emb.inv_freq"],
            Self::Gguf | Self::GgufQwen35 | Self::GgufGemma4 => &["attn_rot_embd.weight", "attn_rot_embd"],
        };
        known.iter().any(|k| name == *k || name.strip_suffix(k).is_some_and(|rest| rest.ends_with('.')))
    }
}

/// Finds every tensor of `config` among `tensors`, and a use for every one of those; `used` are names that the
/// configuration itself was read from, `quirks` how a part is stored.
///
/// # Errors
/// The first missing, misshapen or wrongly stored tensor; then all tensors left over, by name.
pub(crate) fn claim(
    config: &ModelConfig,
    spelling: Spelling,
    tensors: &BTreeMap<String, TensorInfo>,
    used: &BTreeSet<String>,
    quirks: &dyn Fn(&Wanted) -> Quirks,
) -> Result<BTreeMap<String, Located>, BundleError> {
    let arch = config.arch.name();
    let mut found = BTreeMap::new();
    let mut claimed = used.clone();
    for w in wanted(config) {
        let name = spelling.name(w.place, w.part);
        let Some(info) = tensors.get(&name) else { return Err(BundleError::MissingTensor { name, arch }) };
        let floats = matches!(w.role, Role::Vector | Role::Taps);
        let expected = match w.role {
            Role::Vector => vec![w.cols],
            Role::Taps if !spelling.is_gguf() => vec![w.rows, 1, w.cols],
            _ => vec![w.rows / w.fold.max(1), w.cols.saturating_mul(w.fold)],
        };
        if info.shape != expected {
            return Err(BundleError::Shape { name: shorten(&name), found: info.shape.clone(), expected });
        }
        if floats && !info.encoding.is_float() {
            return Err(BundleError::NotFloat { name, encoding: info.encoding });
        }
        // Rows side by side are rows one after the other where whole blocks are cut.
        if w.fold > 1 && !w.cols.is_multiple_of(info.encoding.block_len()) {
            let supported = format!("blocks that divide the {} values of one layer", w.cols);
            return Err(BundleError::key("checkpoint", name, info.encoding, supported));
        }
        claimed.insert(name.clone());
        let Quirks { order, convert } = quirks(&w);
        let located = Located {
            source: name,
            role: w.role,
            encoding: if convert == Convert::No { info.encoding } else { Encoding::F32 },
            rows: w.rows,
            cols: w.cols,
            order,
            convert,
            recode: None,
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
