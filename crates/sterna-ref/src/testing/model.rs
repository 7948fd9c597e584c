//! A random decoder held in memory.

use std::collections::BTreeMap;

use sterna_bundle::{Arch, Delta, EagleConfig, Gemma4, HeadPairing, Hybrid, ModelConfig, Rope, RopeScaling};
use sterna_format::{Encoding, FormatError, encode_row};
use sterna_plan::{RowOrder, Weight, WeightSource};

use super::Random;

/// Encodings of a test model's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encodings {
    /// Linear layers.
    pub linear: Encoding,
    /// The embedding table, and the head with it when tied.
    pub embed: Encoding,
    /// The head when not tied.
    pub head: Encoding,
    /// Norms.
    pub norm: Encoding,
}

impl Encodings {
    /// `linear` for the linear layers, F16 for the rest, F32 for norms.
    pub fn new(linear: Encoding) -> Self {
        Self { linear, embed: Encoding::F16, head: Encoding::F16, norm: Encoding::F32 }
    }
}

/// Two layers, 256 wide, 4 query heads on 2 of keys and values, a vocabulary that is no multiple of 64, rotation of
/// a part of each head, no scaling equal to 1. Every width is a multiple of 256, as the block encodings need.
pub fn config() -> ModelConfig {
    ModelConfig {
        arch: Arch::MiniCpm,
        hidden: 256,
        ffn: 512,
        layers: 2,
        heads: 4,
        kv_heads: 2,
        head_dim: 64,
        vocab: 100,
        context: 512,
        norm_eps: 1e-5,
        rope: Rope { dim: 48, theta: 10_000.0, scaling: RopeScaling::None },
        tied: true,
        qk_norm: false,
        embedding_scale: 12.0,
        residual_scale: 0.6,
        logit_scale: 0.25,
        hybrid: None,
        gemma4: None,
    }
}

/// As [`config`], with widths that are multiples of 32 and of little else: 96 wide, 3 query heads on 1, whole heads
/// rotated. For floats, blocks of 32 and ternary rows; much faster.
pub fn narrow_config() -> ModelConfig {
    let rope = Rope { dim: 32, theta: 10_000.0, scaling: RopeScaling::None };
    ModelConfig { hidden: 96, ffn: 160, heads: 3, kv_heads: 1, head_dim: 32, rope, ..config() }
}

/// Four layers, the second and the fourth full attention with gates, two value heads on each key head, tiled; otherwise
/// as [`config`].
pub fn hybrid_config() -> ModelConfig {
    let pairing = HeadPairing::Tiled;
    let delta = Delta { k_heads: 2, v_heads: 4, k_dim: 64, v_dim: 64, taps: 4, pairing };
    let hybrid = Some(Hybrid { full_attention_interval: 2, delta, mtp_layers: 0 });
    let rope = Rope { dim: 16, ..config().rope };
    ModelConfig { arch: Arch::Qwen35, layers: 4, rope, qk_norm: true, hybrid, context: 1024, ..config() }
}

/// Two layers, the first recurrent, with odd widths: keys of 24, values of 16, three value heads on each key head,
/// grouped, three taps. For floats and blocks of 32.
pub fn narrow_hybrid_config() -> ModelConfig {
    let pairing = HeadPairing::Grouped;
    let delta = Delta { k_heads: 2, v_heads: 6, k_dim: 24, v_dim: 16, taps: 3, pairing };
    let hybrid = Some(Hybrid { full_attention_interval: 2, delta, mtp_layers: 0 });
    let wide = hybrid_config();
    ModelConfig {
        layers: 2,
        rope: Rope { dim: 8, ..wide.rope },
        qk_norm: true,
        hybrid,
        arch: wide.arch,
        ..narrow_config()
    }
}

/// Gemma 4 in small: six layers, the third and the fifth full attention with heads twice as wide, the last three
/// reading keys of layers 1 and 2, a window of 40 that is no whole number of pieces. For floats, blocks of 32 and rows
/// with one scale.
pub fn gemma4_config() -> ModelConfig {
    let rope = |dim, scaling| Rope { dim, theta: 10_000.0, scaling };
    let gemma4 = Gemma4 {
        full: vec![false, false, true, false, true, false],
        window: 40,
        full_head_dim: 64,
        full_kv_heads: 1,
        full_rope: rope(64, RopeScaling::Proportional { turning: 8 }),
        shared_layers: 3,
        shared_ffn: 320,
        ple: 32,
        ple_scale: 5.5,
        softcap: Some(3.0),
    };
    ModelConfig {
        arch: Arch::Gemma4,
        layers: 6,
        heads: 4,
        kv_heads: 2,
        head_dim: 32,
        rope: rope(32, RopeScaling::None),
        qk_norm: true,
        embedding_scale: 9.75,
        residual_scale: 1.0,
        logit_scale: 1.0,
        gemma4: Some(gemma4),
        ..narrow_config()
    }
}

/// An EAGLE-3 head for a model: the model's shapes in plain form, the inputs of its layers 1 and 0 and its output fused,
/// `draft_vocab` draft tokens.
pub fn eagle_config(target: &ModelConfig, draft_vocab: usize) -> EagleConfig {
    let layer = ModelConfig {
        arch: Arch::Llama,
        layers: 1,
        tied: false,
        qk_norm: false,
        embedding_scale: 1.0,
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: None,
        ..target.clone()
    };
    EagleConfig {
        target_hidden: target.hidden,
        layer,
        taps: vec![1, 0, target.layers],
        draft_vocab,
        norm_before_residual: false,
        own_embedding: false,
    }
}

struct Stored {
    encoding: Encoding,
    rows: usize,
    cols: usize,
    data: Vec<u8>,
    order: RowOrder,
}

/// A model with random weights.
pub struct TestModel {
    /// Its shapes.
    pub config: ModelConfig,
    weights: BTreeMap<String, Stored>,
}

impl Stored {
    /// Random rows; a vector's are near 1.
    fn random(
        random: &mut Random,
        encoding: Encoding,
        rows: usize,
        cols: usize,
        vector: bool,
    ) -> Result<Self, FormatError> {
        let size = if vector { 0.2 } else { 1.0 / (cols as f32).sqrt() };
        let each = Encoding::row_bytes(encoding, cols)?;
        let mut data = vec![0; rows * each];
        for row in data.chunks_exact_mut(each) {
            let mut values = random.weights(encoding, cols, size);
            if vector {
                values.iter_mut().for_each(|v| *v += 1.0);
            }
            encode_row(encoding, &values, row)?;
        }
        Ok(Self { encoding, rows, cols, data, order: RowOrder::Plain })
    }
}

impl TestModel {
    /// The same model with the weights of an EAGLE-3 head beside its own.
    ///
    /// # Errors
    /// As [`TestModel::new`].
    pub fn with_eagle(
        mut self,
        seed: u64,
        c: &EagleConfig,
        encodings: Encodings,
    ) -> Result<Self, FormatError> {
        let mut random = Random::new(seed);
        let Encodings { linear, embed, head, norm } = encodings;
        let (l, h) = (&c.layer, c.layer.hidden);
        let mut add = |name: &str, encoding, rows, cols, vector| {
            let stored = Stored::random(&mut random, encoding, rows, cols, vector)?;
            self.weights.insert(format!("eagle.{name}"), stored);
            Ok(())
        };
        for (name, rows, cols) in [
            ("fc", h, c.tap_width()),
            ("q", l.q_width(), 2 * h),
            ("k", l.kv_width(), 2 * h),
            ("v", l.kv_width(), 2 * h),
            ("o", h, l.q_width()),
            ("gate", l.ffn, h),
            ("up", l.ffn, h),
            ("down", h, l.ffn),
        ] {
            add(name, linear, rows, cols, false)?;
        }
        for name in ["embed_norm", "hidden_norm", "ffn_norm", "norm"] {
            add(name, norm, 1, h, true)?;
        }
        add("head", head, c.draft_vocab, h, false)?;
        if c.own_embedding {
            add("embed", embed, l.vocab, h, false)?;
        }
        Ok(self)
    }

    /// The model that belongs to a seed.
    ///
    /// # Errors
    /// Shapes that an encoding does not allow.
    pub fn new(seed: u64, config: ModelConfig, encodings: Encodings) -> Result<Self, FormatError> {
        let mut random = Random::new(seed);
        let mut model = Self { config: config.clone(), weights: BTreeMap::new() };
        let c = &config;
        let mut add = |name: &str, encoding, rows: usize, cols: usize, vector: bool| {
            model.weights.insert(name.into(), Stored::random(&mut random, encoding, rows, cols, vector)?);
            Ok(())
        };
        let Encodings { linear, embed, head, norm } = encodings;
        add("embed", embed, c.vocab, c.hidden, false)?;
        if !c.tied {
            add("head", head, c.vocab, c.hidden, false)?;
        }
        add("norm", norm, 1, c.hidden, true)?;
        if let Some(g) = &c.gemma4 {
            add("ple_embed", embed, c.vocab * c.layers, g.ple, false)?;
            add("ple_model_proj", linear, c.layers * g.ple, c.hidden, false)?;
            add("ple_model_norm", norm, 1, g.ple, true)?;
            for layer in 0..c.layers {
                let name = |role: &str| format!("layers.{layer}.{role}");
                let (head_dim, ffn) = (c.heads_of(layer).1, c.ffn_of(layer));
                for role in ["attn_norm", "attn_post_norm", "ffn_norm", "ffn_post_norm", "ple_norm"] {
                    add(&name(role), norm, 1, c.hidden, true)?;
                }
                add(&name("q"), linear, c.q_width_of(layer), c.hidden, false)?;
                add(&name("q_norm"), norm, 1, head_dim, true)?;
                if c.kv_source(layer) == layer {
                    add(&name("k"), linear, c.kv_width_of(layer), c.hidden, false)?;
                    add(&name("v"), linear, c.kv_width_of(layer), c.hidden, false)?;
                    add(&name("k_norm"), norm, 1, head_dim, true)?;
                }
                add(&name("o"), linear, c.hidden, c.q_width_of(layer), false)?;
                add(&name("gate"), linear, ffn, c.hidden, false)?;
                add(&name("up"), linear, ffn, c.hidden, false)?;
                add(&name("down"), linear, c.hidden, ffn, false)?;
                add(&name("ple_gate"), linear, g.ple, c.hidden, false)?;
                add(&name("ple_proj"), linear, c.hidden, g.ple, false)?;
                add(&name("layer_scalar"), norm, 1, 1, true)?;
            }
            return Ok(model);
        }
        for layer in 0..c.layers {
            let name = |role: &str| format!("layers.{layer}.{role}");
            add(&name("attn_norm"), norm, 1, c.hidden, true)?;
            if let Some(d) = c.delta(layer) {
                add(&name("delta_qkv"), linear, d.channels(), c.hidden, false)?;
                add(&name("delta_z"), linear, d.value_width(), c.hidden, false)?;
                add(&name("delta_b"), linear, d.v_heads, c.hidden, false)?;
                add(&name("delta_a"), linear, d.v_heads, c.hidden, false)?;
                add(&name("delta_conv"), Encoding::F32, d.channels(), d.taps, false)?;
                add(&name("delta_decay"), Encoding::F32, 1, d.v_heads, true)?;
                add(&name("delta_dt"), Encoding::F32, 1, d.v_heads, true)?;
                add(&name("delta_norm"), norm, 1, d.v_dim, true)?;
                add(&name("delta_out"), linear, c.hidden, d.value_width(), false)?;
            } else {
                add(&name("q"), linear, c.q_rows(), c.hidden, false)?;
                add(&name("k"), linear, c.kv_width(), c.hidden, false)?;
                add(&name("v"), linear, c.kv_width(), c.hidden, false)?;
                add(&name("o"), linear, c.hidden, c.q_width(), false)?;
                if c.qk_norm {
                    add(&name("q_norm"), norm, 1, c.head_dim, true)?;
                    add(&name("k_norm"), norm, 1, c.head_dim, true)?;
                }
            }
            add(&name("ffn_norm"), norm, 1, c.hidden, true)?;
            add(&name("gate"), linear, c.ffn, c.hidden, false)?;
            add(&name("up"), linear, c.ffn, c.hidden, false)?;
            add(&name("down"), linear, c.hidden, c.ffn, false)?;
        }
        if c.hybrid.is_some_and(|h| h.mtp_layers > 0) {
            add("mtp.fc", linear, c.hidden, 2 * c.hidden, false)?;
            for (role, rows, cols) in [
                ("q", c.q_rows(), c.hidden),
                ("k", c.kv_width(), c.hidden),
                ("v", c.kv_width(), c.hidden),
                ("o", c.hidden, c.q_width()),
                ("gate", c.ffn, c.hidden),
                ("up", c.ffn, c.hidden),
                ("down", c.hidden, c.ffn),
            ] {
                add(&format!("mtp.{role}"), linear, rows, cols, false)?;
            }
            for role in ["embed_norm", "hidden_norm", "norm", "attn_norm", "ffn_norm"] {
                add(&format!("mtp.{role}"), norm, 1, c.hidden, true)?;
            }
            add("mtp.q_norm", norm, 1, c.head_dim, true)?;
            add("mtp.k_norm", norm, 1, c.head_dim, true)?;
        }
        // A decay is negative; from one that forgets in a few rows to one that hardly does.
        for (name, w) in model.weights.iter_mut().filter(|w| w.0.ends_with(".delta_decay")) {
            for (i, v) in w.data.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let decay = -f32::from_le_bytes(*v) * [1.0, 0.1, 0.01][(i + name.len()) % 3];
                *v = decay.to_le_bytes();
            }
        }
        Ok(model)
    }

    /// The same model with the rows of q and k stored as GGUF's `llama` does.
    pub fn interleaved(mut self) -> Self {
        let head_dim = self.config.head_dim;
        let order = RowOrder::Interleaved { head_dim };
        for (name, w) in &mut self.weights {
            if name.ends_with(".q") || name.ends_with(".k") {
                let each = w.data.len() / w.rows;
                let stored = |i: usize| {
                    let (head, at) = (i / head_dim, i % head_dim);
                    // Stored row `2i + half` is canonical row `half * d/2 + i`.
                    head * head_dim + (at % 2) * (head_dim / 2) + at / 2
                };
                let rows = (0..w.rows).flat_map(|i| &w.data[stored(i) * each..(stored(i) + 1) * each]);
                w.data = rows.copied().collect();
                w.order = order;
            }
        }
        self
    }

    /// The bytes of a weight, to break them.
    pub fn bytes_mut(&mut self, name: &str) -> Option<&mut [u8]> {
        self.weights.get_mut(name).map(|w| w.data.as_mut_slice())
    }

    /// Takes a weight away.
    pub fn remove(&mut self, name: &str) {
        self.weights.remove(name);
    }

    /// Names of all weights.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.weights.keys().map(String::as_str)
    }
}

impl WeightSource for TestModel {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let Stored { encoding, rows, cols, ref data, order } = *self.weights.get(name)?;
        Some(Weight { encoding, stored: encoding, rows, cols, data, order })
    }
    fn release(&self, _name: &str) {}
}
