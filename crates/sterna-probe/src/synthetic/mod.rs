//! Seeded synthetic weights at true shapes: speed and memory do not depend on what a model has learnt.

mod fill;
mod shapes;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sterna_bundle::{
    LinearNumerics, ModelConfig, RowMaker, RowOrder, Weight, WeightSource, default_numerics,
};
use sterna_format::{CodeBits, Encoding};

pub use shapes::{SHAPES, config};

/// SplitMix64: small, seeded, the same everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Encodings of a synthetic model's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// All linear layers in one encoding, embedding table and head in another; activations as these have them by default.
    Plain {
        /// Of linear layers, and of a table of per-layer inputs.
        linear: Encoding,
        /// Of embedding and head.
        head: Encoding,
    },
    /// The "mobile" form of Gemma 4: embedding and head int2, layers with keys of their own int4, the MLP of the others
    /// int2, gates and projections of per-layer inputs int8, their table int4, all with one scale per row and static int8
    /// activations.
    Mobile {
        /// Of the projection that per-layer inputs come from: bf16 as published, with a head that reads floats, or int8 with one
        /// that reads int16.
        projection: Encoding,
    },
}

/// Scale of static int8 activations: values up to 4 keep their size.
const GRID: f32 = 1.0 / 32.0;

/// int8 rows.
pub const INT8: Encoding = Encoding::PerRow(CodeBits::Eight);

impl Recipe {
    /// How a linear weight meets its activations.
    pub fn numerics(&self, name: &str, encoding: Encoding, cols: usize) -> LinearNumerics {
        match self {
            Self::Mobile { projection: INT8 } if name == "embed" => LinearNumerics::Int16,
            Self::Mobile { .. } if name == "embed" => LinearNumerics::Float,
            Self::Mobile { .. } if matches!(encoding, Encoding::PerRow(_)) => {
                LinearNumerics::Static { input: GRID, output: Some(GRID) }
            }
            _ => default_numerics(encoding, cols),
        }
    }

    fn encoding(&self, config: &ModelConfig, part: Part<'_>) -> Encoding {
        let [two, four] = [CodeBits::Two, CodeBits::Four].map(Encoding::PerRow);
        match (self, part) {
            (Self::Plain { head, .. }, Part::Embed) => *head,
            (Self::Plain { linear, .. }, _) => *linear,
            (Self::Mobile { .. }, Part::Embed) => two,
            (Self::Mobile { projection }, Part::Top("ple_model_proj")) => *projection,
            (Self::Mobile { .. }, Part::Layer(_, "ple_gate" | "ple_proj")) => INT8,
            (Self::Mobile { .. }, Part::Layer(l, "gate" | "up" | "down")) if l >= config.own_kv_layers() => {
                two
            }
            (Self::Mobile { .. }, _) => four,
        }
    }
}

/// Where a matrix belongs.
#[derive(Clone, Copy)]
enum Part<'a> {
    Embed,
    Top(&'a str),
    Layer(usize, &'a str),
}

/// Weights of a synthetic model. None lies in memory: rows are made when they are read, so that loading such a model takes no more
/// than what it is loaded to.
#[derive(Debug, PartialEq)]
pub struct Synthetic {
    weights: BTreeMap<String, (Encoding, usize, usize, RowMaker)>,
}

fn random_row(encoding: Encoding, cols: usize, seed: u64, i: usize, out: &mut [u8]) {
    let mut start = Random(seed ^ (i as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
    let mut random = Random(start.bits());
    fill::row(encoding, cols, &mut random, out);
}

/// The decay of a delta layer is negative.
fn decays(_: Encoding, _: usize, _: u64, _: usize, out: &mut [u8]) {
    out.chunks_exact_mut(4).for_each(|v| v.copy_from_slice(&(-0.1f32).to_le_bytes()));
}

impl Synthetic {
    /// Random valid weights, norms and factors of ones.
    ///
    /// Codes are uniform over all that the encoding has (0, 1, 2 with 1/4, 1/2, 1/4 in ternary words and TQ2_0), and
    /// scales such that values lie within about `±(cols/2)^(-1/2)`.
    pub fn new(config: &ModelConfig, recipe: Recipe, seed: u64) -> Self {
        let mut weights = BTreeMap::new();
        let mut seeds = Random(seed);
        let mut add = |name: String, encoding: Encoding, rows: usize, cols: usize| {
            let make = if name.ends_with(".delta_decay") { decays } else { random_row };
            weights.insert(name, (encoding, rows, cols, RowMaker { seed: seeds.bits(), make }));
        };
        let c = config;
        let matrix = |part| recipe.encoding(c, part);
        add("embed".into(), matrix(Part::Embed), c.vocab, c.hidden);
        if !c.tied {
            add("head".into(), matrix(Part::Embed), c.vocab, c.hidden);
        }
        add("norm".into(), Encoding::F32, 1, c.hidden);
        if let Some(g) = &c.gemma4 {
            let width = c.layers * g.ple;
            add("ple_embed".into(), matrix(Part::Top("ple_embed")), c.vocab * c.layers, g.ple);
            add("ple_model_proj".into(), matrix(Part::Top("ple_model_proj")), width, c.hidden);
            add("ple_model_norm".into(), Encoding::F32, 1, g.ple);
        }
        for i in 0..c.layers {
            let n = |role: &str| format!("layers.{i}.{role}");
            let e = |role| matrix(Part::Layer(i, role));
            add(n("attn_norm"), Encoding::F32, 1, c.hidden);
            add(n("ffn_norm"), Encoding::F32, 1, c.hidden);
            if let Some(g) = &c.gemma4 {
                for norm in ["attn_post_norm", "ffn_post_norm", "ple_norm"] {
                    add(n(norm), Encoding::F32, 1, c.hidden);
                }
                add(n("layer_scalar"), Encoding::F32, 1, 1);
                add(n("ple_gate"), e("ple_gate"), g.ple, c.hidden);
                add(n("ple_proj"), e("ple_proj"), c.hidden, g.ple);
            }
            if let Some(d) = c.delta(i) {
                add(n("delta_qkv"), e("delta_qkv"), d.channels(), c.hidden);
                add(n("delta_z"), e("delta_z"), d.value_width(), c.hidden);
                add(n("delta_b"), Encoding::BF16, d.v_heads, c.hidden);
                add(n("delta_a"), Encoding::BF16, d.v_heads, c.hidden);
                add(n("delta_conv"), Encoding::F32, d.channels(), d.taps);
                add(n("delta_decay"), Encoding::F32, 1, d.v_heads);
                add(n("delta_dt"), Encoding::F32, 1, d.v_heads);
                add(n("delta_norm"), Encoding::F32, 1, d.v_dim);
                add(n("delta_out"), e("delta_out"), c.hidden, d.value_width());
            } else {
                let (q_width, kv_width, head_dim) = (c.q_width_of(i), c.kv_width_of(i), c.heads_of(i).1);
                let own_keys = c.kv_source(i) == i;
                if c.qk_norm {
                    add(n("q_norm"), Encoding::F32, 1, head_dim);
                }
                if c.qk_norm && own_keys {
                    add(n("k_norm"), Encoding::F32, 1, head_dim);
                }
                add(n("q"), e("q"), c.q_rows_of(i), c.hidden);
                if own_keys {
                    add(n("k"), e("k"), kv_width, c.hidden);
                    add(n("v"), e("v"), kv_width, c.hidden);
                }
                add(n("o"), e("o"), c.hidden, q_width);
            }
            let ffn = c.ffn_of(i);
            add(n("gate"), e("gate"), ffn, c.hidden);
            add(n("up"), e("up"), ffn, c.hidden);
            add(n("down"), e("down"), c.hidden, ffn);
        }
        Self { weights }
    }

    /// Bytes of all weights, in their encodings.
    pub fn bytes(&self) -> u64 {
        let names = self.weights.keys();
        names.filter_map(|name| self.weight(name)).map(|w| w.bytes()).sum()
    }
}

impl WeightSource for Synthetic {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let (encoding, rows, cols, maker) = self.weights.get(name)?;
        let (encoding, rows, cols, order) = (*encoding, *rows, *cols, RowOrder::Made(*maker));
        Some(Weight { encoding, stored: encoding, rows, cols, data: &[], order })
    }
    fn release(&self, _: &str) {}
}

/// Random valid weights for a list of specifications.
pub struct Matrices(BTreeMap<String, (Encoding, usize, usize, Vec<u8>)>);

impl Matrices {
    /// One weight for each of `specs`, filled as [`Synthetic`] fills them; f32 tables hold `-1 .. 1`.
    pub fn new(specs: &[sterna_plan::WeightSpec], seed: u64) -> Self {
        let mut random = Random(seed);
        let filled = specs.iter().map(|s| {
            let mut data = fill::matrix(s.encoding, s.rows, s.cols, &mut random);
            if s.encoding == Encoding::F32 {
                for v in data.chunks_exact_mut(4) {
                    let x = (random.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
                    v.copy_from_slice(&x.to_le_bytes());
                }
            }
            (s.name.clone(), (s.encoding, s.rows, s.cols, data))
        });
        Self(filled.collect())
    }
}

impl WeightSource for Matrices {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let (encoding, rows, cols, data) = self.0.get(name)?;
        let (encoding, rows, cols) = (*encoding, *rows, *cols);
        Some(Weight { encoding, stored: encoding, rows, cols, data, order: RowOrder::Plain })
    }
    fn release(&self, _: &str) {}
}
