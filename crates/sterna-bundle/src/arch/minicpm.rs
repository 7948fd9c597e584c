//! MiniCPM4 and BitCPM: Llama with a factor on embeddings, on each branch, and on logits.

use super::fields::Fields;
use super::{Origin, llama};
use crate::ModelConfig;
use crate::error::BundleError;

/// From config.json: `scale_emb`, `scale_depth / sqrt(layers)`, `dim_model_base / hidden`.
pub(crate) fn from_hf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    let base = llama::from_hf(origin, f)?;
    let depth = f.need_number("scale_depth")?;
    let model_base = f.need_whole("dim_model_base")?;
    if model_base == 0 {
        return Err(f.bad("dim_model_base", 0, "a positive width"));
    }
    // Each factor is rounded to f32 where a GGUF writer rounds it, so that both files give the same bits.
    Ok(ModelConfig {
        embedding_scale: f.need_number("scale_emb")? as f32,
        residual_scale: (depth / (base.layers as f64).sqrt()) as f32,
        logit_scale: inverse((base.hidden as f64 / model_base as f64) as f32),
        ..base
    })
}

/// From GGUF metadata. `logit_scale` divides; below 1 the writer stored the inverse (a width below
/// `dim_model_base` does not exist).
pub(crate) fn from_gguf(origin: &Origin, f: &Fields) -> Result<ModelConfig, BundleError> {
    let base = llama::from_gguf(origin, f)?;
    let stored = f.need_number("logit_scale")? as f32;
    Ok(ModelConfig {
        embedding_scale: f.need_number("embedding_scale")? as f32,
        residual_scale: f.need_number("residual_scale")? as f32,
        logit_scale: if stored < 1.0 { stored } else { inverse(stored) },
        ..base
    })
}

fn inverse(divisor: f32) -> f32 {
    (1.0 / f64::from(divisor)) as f32
}
