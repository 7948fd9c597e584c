//! Shapes of published models.

use sterna_bundle::{Arch, Delta, Gemma4, HeadPairing, Hybrid, ModelConfig, Rope, RopeScaling};

/// Shapes of published models, by name: `bitcpm-8b`, `bitnet-2b`, `bonsai-1.7b`, `bonsai-8b`, `gemma4-e2b`, `qwen35-0.8b`, `qwen35-27b`.
///
/// Those of Qwen3.5 and 3.6 repeat in groups of four layers, three of them recurrent, that of Gemma 4 in groups of five.
pub const SHAPES: &[&str] =
    &["bitcpm-8b", "bitnet-2b", "bonsai-1.7b", "bonsai-8b", "gemma4-e2b", "qwen35-0.8b", "qwen35-27b"];

/// Gemma 4 E2B's. Of fewer layers, the same share of groups of five has keys of its own, and at least one.
fn gemma4_e2b(layers: Option<usize>, vocab: Option<usize>) -> ModelConfig {
    let layers = layers.unwrap_or(35);
    let own = (5 * (layers * 3).div_ceil(35)).min(layers);
    let gemma4 = Gemma4 {
        full: (0..layers).map(|l| l % 5 == 4).collect(),
        window: 512,
        full_head_dim: 512,
        full_kv_heads: 1,
        full_rope: Rope { dim: 512, theta: 1e6, scaling: RopeScaling::Proportional { turning: 64 } },
        shared_layers: layers - own,
        shared_ffn: 12_288,
        ple: 256,
        ple_scale: 16.0,
        softcap: Some(30.0),
    };
    ModelConfig {
        arch: Arch::Gemma4,
        hidden: 1536,
        ffn: 6144,
        layers,
        heads: 8,
        kv_heads: 1,
        head_dim: 256,
        vocab: vocab.unwrap_or(262_144),
        context: 131_072,
        norm_eps: 1e-6,
        rope: Rope { dim: 256, theta: 1e4, scaling: RopeScaling::None },
        tied: true,
        qk_norm: true,
        embedding_scale: 1536f32.sqrt(),
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: Some(gemma4),
    }
}

/// The configuration of a published shape with `layers` layers, or `None` for an unknown name.
pub fn config(shape: &str, layers: Option<usize>, vocab: Option<usize>) -> Option<ModelConfig> {
    if shape == "gemma4-e2b" {
        return Some(gemma4_e2b(layers, vocab));
    }
    let (hidden, ffn, own_layers, heads, kv_heads, own_vocab) = match shape {
        "bitcpm-8b" => (4096, 16384, 32, 32, 2, 73448),
        "bitnet-2b" => (2560, 6912, 30, 20, 5, 128_256),
        "bonsai-1.7b" => (2048, 6144, 28, 16, 8, 151_936),
        "bonsai-8b" => (4096, 12288, 36, 32, 8, 151_936),
        "qwen35-0.8b" => (1024, 3584, 24, 8, 2, 248_320),
        "qwen35-27b" => (5120, 17408, 64, 24, 4, 248_320),
        _ => return None,
    };
    let v_heads = match shape {
        "qwen35-0.8b" => Some(16),
        "qwen35-27b" => Some(48),
        _ => None,
    };
    let hybrid = v_heads.map(|v_heads| {
        let pairing = HeadPairing::Grouped;
        let delta = Delta { k_heads: 16, v_heads, k_dim: 128, v_dim: 128, taps: 4, pairing };
        Hybrid { full_attention_interval: 4, delta, mtp_layers: 0 }
    });
    let (head_dim, rotated, theta) = if hybrid.is_some() { (256, 64, 1e7) } else { (128, 128, 1e4) };
    Some(ModelConfig {
        arch: if hybrid.is_some() { Arch::Qwen35 } else { Arch::Llama },
        hidden,
        ffn,
        layers: layers.unwrap_or(own_layers),
        heads,
        kv_heads,
        head_dim,
        vocab: vocab.unwrap_or(own_vocab),
        context: 4096,
        norm_eps: 1e-5,
        rope: Rope { dim: rotated, theta, scaling: RopeScaling::None },
        tied: shape == "qwen35-0.8b",
        qk_norm: hybrid.is_some(),
        embedding_scale: 1.0,
        residual_scale: 0.25,
        logit_scale: 1.0,
        hybrid,
        gemma4: None,
    })
}
