//! What a model is, once every vendor's spelling has been read: shapes, scalings, rotation and numerics.

use serde::{Deserialize, Serialize};

/// Architectures that this crate can read. Right of `plan` nobody knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Arch {
    /// Llama 2/3, SmolLM2, BitCPM 1B and 3B.
    Llama,
    /// Qwen3 dense: Llama with per-head norms on q and k.
    Qwen3,
    /// MiniCPM4 and BitCPM 0.5B and 8B: Llama with three scalings.
    MiniCpm,
    /// Qwen3.5 and Qwen3.6 text: Gated DeltaNet layers between layers of gated full attention.
    Qwen35,
    /// Gemma 4 E2B and E4B text: sliding windows, shared keys and values, an input of its own for every layer.
    Gemma4,
}

impl Arch {
    /// The name used in GGUF files, manifests and messages.
    pub fn name(self) -> &'static str {
        match self {
            Arch::Llama => "llama",
            Arch::Qwen3 => "qwen3",
            Arch::MiniCpm => "minicpm",
            Arch::Qwen35 => "qwen35",
            Arch::Gemma4 => "gemma4",
        }
    }
}

/// How base rotary frequencies are changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum RopeScaling {
    /// `f_i = theta^(-2i/dim)`.
    None,
    /// Every frequency divided by `factor`.
    Linear {
        /// Divisor, at least 1.
        factor: f64,
    },
    /// Llama 3: long wavelengths divided by `factor`, short ones kept, a linear blend between.
    Llama3 {
        /// Divisor of the long wavelengths.
        factor: f64,
        /// Wavelengths above `original / low_freq_factor` are long.
        low_freq_factor: f64,
        /// Wavelengths below `original / high_freq_factor` are short.
        high_freq_factor: f64,
        /// Context the model was first trained with, in tokens.
        original_context: usize,
    },
    /// longrope: divisors by list, chosen once per session from its context limit (contract C4).
    LongRope {
        /// Divisors while the session's limit is at most `original_context`; `[dim / 2]`.
        short: Vec<f64>,
        /// Divisors above it; `[dim / 2]`.
        long: Vec<f64>,
        /// Context the short list is for, in tokens.
        original_context: usize,
        /// Factor on both cosine and sine.
        attention_factor: f64,
    },
    /// Divisors stored in the file (`rope_freqs.weight`); `[dim / 2]`.
    Divisors {
        /// One divisor per frequency.
        divisors: Vec<f64>,
    },
    /// Gemma 4's "proportional": the first pairs turn as without a change, the others not at all.
    Proportional {
        /// Pairs that turn, 1 to `dim / 2`.
        turning: usize,
    },
}

/// Rotary embedding, "neox" pairing: dimension `i` turns with `i + dim / 2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rope {
    /// Rotated dimensions per head, even, at most the head dimension.
    pub dim: usize,
    /// Base of the frequencies.
    pub theta: f64,
    /// Change to the base frequencies.
    pub scaling: RopeScaling,
}

impl Rope {
    /// Frequencies in radians per position, `[dim / 2]`, and the factor on cosine and sine, for a session that
    /// may grow to `context` tokens.
    pub fn frequencies(&self, context: usize) -> (Vec<f64>, f64) {
        let base = (0..self.dim / 2).map(|i| self.theta.powf(-2.0 * i as f64 / self.dim as f64));
        let divide = |by: &[f64]| base.clone().zip(by).map(|(f, d)| f / d).collect::<Vec<_>>();
        match &self.scaling {
            RopeScaling::None => (base.collect(), 1.0),
            RopeScaling::Linear { factor } => (base.map(|f| f / factor).collect(), 1.0),
            RopeScaling::Divisors { divisors } => (divide(divisors), 1.0),
            RopeScaling::Proportional { turning } => {
                (base.enumerate().map(|(i, f)| if i < *turning { f } else { 0.0 }).collect(), 1.0)
            }
            RopeScaling::LongRope { short, long, original_context, attention_factor } => {
                (divide(if context > *original_context { long } else { short }), *attention_factor)
            }
            RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context } => {
                let original = *original_context as f64;
                let scale = |f: f64| {
                    let wavelength = 2.0 * std::f64::consts::PI / f;
                    if wavelength > original / low_freq_factor {
                        f / factor
                    } else if wavelength < original / high_freq_factor {
                        f
                    } else {
                        let s =
                            (original / wavelength - low_freq_factor) / (high_freq_factor - low_freq_factor);
                        (1.0 - s) * f / factor + s * f
                    }
                };
                (base.map(scale).collect(), 1.0)
            }
        }
    }
}

/// Which key head a value head of a delta layer pairs with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadPairing {
    /// Value head `j` with key head `j / (v_heads / k_heads)`: Hugging Face's order.
    Grouped,
    /// Value head `j` with key head `j % k_heads`: GGUF's order. Files keep it, because the columns of quantised blocks
    /// cannot be moved.
    Tiled,
}

/// Shapes of a Gated DeltaNet layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Delta {
    /// Heads of q and of k.
    pub k_heads: usize,
    /// Heads of v, a multiple of `k_heads`.
    pub v_heads: usize,
    /// Width of a head of q and k.
    pub k_dim: usize,
    /// Width of a head of v.
    pub v_dim: usize,
    /// Taps of the causal convolution, the newest input included.
    pub taps: usize,
    /// Which heads go together.
    pub pairing: HeadPairing,
}

impl Delta {
    /// Width of all heads of q, and of k.
    pub fn key_width(&self) -> usize {
        self.k_heads * self.k_dim
    }
    /// Width of all heads of v.
    pub fn value_width(&self) -> usize {
        self.v_heads * self.v_dim
    }
    /// Channels of the convolution: q, k and v.
    pub fn channels(&self) -> usize {
        2 * self.key_width() + self.value_width()
    }
    /// Key head of value head `j`.
    pub fn key_head(&self, j: usize) -> usize {
        match self.pairing {
            HeadPairing::Grouped => j / (self.v_heads / self.k_heads),
            HeadPairing::Tiled => j % self.k_heads,
        }
    }
}

/// A decoder whose layers are not all full attention. Its attention layers have a gate beside q, per head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Hybrid {
    /// Layer `i` is full attention when `i + 1` is a multiple of this; all others are Gated DeltaNet.
    pub full_attention_interval: usize,
    /// The delta layers.
    pub delta: Delta,
    /// Layers of the head for multi-token prediction that the file has: 0 or 1.
    pub mtp_layers: usize,
}

/// What Gemma 4 has beyond a decoder of the Llama family. [`ModelConfig::head_dim`], [`ModelConfig::kv_heads`] and
/// [`ModelConfig::rope`] are those of its sliding layers, [`ModelConfig::ffn`] that of layers with keys of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gemma4 {
    /// For every layer, whether it attends to all positions.
    pub full: Vec<bool>,
    /// Positions that a sliding layer's row sees, its own included.
    pub window: usize,
    /// Width of a head in full attention.
    pub full_head_dim: usize,
    /// Key and value heads in full attention.
    pub full_kv_heads: usize,
    /// Rotation in full attention.
    pub full_rope: Rope,
    /// The last layers, this many, read the keys and values of the last layer of their kind before them.
    pub shared_layers: usize,
    /// Width of the MLP in those layers.
    pub shared_ffn: usize,
    /// Width of a layer's own input.
    pub ple: usize,
    /// Factor on the rows of the table of those inputs.
    pub ple_scale: f32,
    /// Logits `x` are given as `cap * tanh(x / cap)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub softcap: Option<f32>,
}

impl Gemma4 {
    /// Whether `layer` attends to all positions.
    pub fn is_full(&self, layer: usize) -> bool {
        self.full.get(layer).copied().unwrap_or(false)
    }
}

/// Shapes and scalings of a decoder of the Llama family, in the reader's terms (no vendor spelling left).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// Where the tensors' names and quirks came from.
    pub arch: Arch,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Width of the MLP.
    pub ffn: usize,
    /// Decoder layers.
    pub layers: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; divides `heads`.
    pub kv_heads: usize,
    /// Width of one head.
    pub head_dim: usize,
    /// Tokens the head can name (not padded).
    pub vocab: usize,
    /// Largest number of positions the model was made for.
    pub context: usize,
    /// Epsilon of every norm, inside the root.
    pub norm_eps: f32,
    /// Rotation of q and k.
    pub rope: Rope,
    /// True when the head is the embedding table.
    pub tied: bool,
    /// True when q and k are normed per head before the rotation.
    pub qk_norm: bool,
    /// Factor on embeddings.
    pub embedding_scale: f32,
    /// Factor on each branch before it is added to the residual stream.
    pub residual_scale: f32,
    /// Factor on logits (multiplies; vendors that divide are inverted while reading).
    pub logit_scale: f32,
    /// Delta layers and gates; `None` when every layer is plain full attention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hybrid: Option<Hybrid>,
    /// Sliding windows, shared keys and per-layer inputs; `None` in every other architecture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gemma4: Option<Gemma4>,
}

impl ModelConfig {
    /// Width of the query heads.
    pub fn q_width(&self) -> usize {
        self.heads * self.head_dim
    }
    /// Rows of the q projection: the heads, and as many gates after them in a hybrid.
    pub fn q_rows(&self) -> usize {
        if self.hybrid.is_some() { 2 * self.q_width() } else { self.q_width() }
    }
    /// The delta layer's shapes, if layer `layer` is one.
    pub fn delta(&self, layer: usize) -> Option<&Delta> {
        self.hybrid
            .as_ref()
            .filter(|h| !(layer + 1).is_multiple_of(h.full_attention_interval))
            .map(|h| &h.delta)
    }
    /// Width of the k projection, and of v.
    pub fn kv_width(&self) -> usize {
        self.kv_heads * self.head_dim
    }
    /// Key and value heads of a layer, and the width of its heads.
    pub fn heads_of(&self, layer: usize) -> (usize, usize) {
        match &self.gemma4 {
            Some(g) if g.is_full(layer) => (g.full_kv_heads, g.full_head_dim),
            _ => (self.kv_heads, self.head_dim),
        }
    }
    /// Width of a layer's query heads.
    pub fn q_width_of(&self, layer: usize) -> usize {
        self.heads * self.heads_of(layer).1
    }
    /// Rows of a layer's q projection.
    pub fn q_rows_of(&self, layer: usize) -> usize {
        self.q_width_of(layer) * if self.hybrid.is_some() { 2 } else { 1 }
    }
    /// Width of a layer's keys, and of its values.
    pub fn kv_width_of(&self, layer: usize) -> usize {
        let (kv_heads, head_dim) = self.heads_of(layer);
        kv_heads * head_dim
    }
    /// Width of a layer's MLP.
    pub fn ffn_of(&self, layer: usize) -> usize {
        match &self.gemma4 {
            Some(g) if layer >= self.own_kv_layers() => g.shared_ffn,
            _ => self.ffn,
        }
    }
    /// Layers, from the first on, that have keys and values of their own.
    pub fn own_kv_layers(&self) -> usize {
        self.layers.saturating_sub(self.gemma4.as_ref().map_or(0, |g| g.shared_layers))
    }
    /// The layer whose keys and values `layer` reads: itself, or the last of its kind that has some of its own.
    pub fn kv_source(&self, layer: usize) -> usize {
        let own = self.own_kv_layers();
        match &self.gemma4 {
            Some(g) if layer >= own => {
                (0..own).rev().find(|l| g.is_full(*l) == g.is_full(layer)).unwrap_or(layer)
            }
            _ => layer,
        }
    }
}

/// How activations meet low-bit weights (contract C2). Named in the manifest, never implied by a layout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "activation", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LinearNumerics {
    /// Weights are floats and activations stay f32; each output is one chain of fused multiply-adds, K ascending.
    Float,
    /// Activations become int8 per row and `group` inputs: `d = max|x| / 127`, `q = round_half_even(x / d)`
    /// (all zero when d is 0); exact integer dots per group; groups added ascending by fused multiply-add.
    Int8 {
        /// Inputs that share one activation scale.
        group: usize,
    },
    /// Activations become int8 with a scale that the model names: `q = clamp(round_half_even(x / input), -128, 127)`;
    /// one exact integer dot over all inputs, times the weight row's scale and `input`. With an output scale the result is
    /// rounded to its grid: `clamp(round_half_even(y / output), -128, 127) * output`.
    Static {
        /// Scale of the inputs.
        input: f32,
        /// Scale of the outputs, if the model rounds them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<f32>,
    },
    /// Activations become int16 per row, for a layer that is not trained with rounded ones: `d = max|x| / 32639`,
    /// `q = round_half_even(x / d)`, one exact integer dot over all inputs. For [2-bit rows](sterna_format::CodeBits::Two) of at
    /// most [`INT16_COLS`] inputs. 32,639 is 127 * 257: such a number is two bytes that are no less than -127.
    Int16,
}

/// Most inputs of a [`LinearNumerics::Int16`] linear: more could leave a 32-bit sum.
pub const INT16_COLS: usize = 16_384;

impl LinearNumerics {
    /// Whether two linears that read the same rows may read the same quantised form of them.
    pub fn shares_input(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int8 { group: a }, Self::Int8 { group: b }) => a == b,
            (Self::Static { input: a, .. }, Self::Static { input: b, .. }) => a == b,
            (Self::Float, _) | (_, Self::Float) | (Self::Int16, Self::Int16) => true,
            _ => false,
        }
    }
}
