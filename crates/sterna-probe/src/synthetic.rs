//! Seeded synthetic weights at true shapes: speed and memory do not depend on what a model has learnt.

use std::collections::BTreeMap;

use sterna_bundle::{
    Arch, Delta, HeadPairing, Hybrid, ModelConfig, Rope, RopeScaling, RowOrder, Weight, WeightSource,
};
use sterna_format::{Encoding, ScaleGroup};

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

/// Shapes of published models, by name: `bitcpm-8b`, `bitnet-2b`, `bonsai-1.7b`, `bonsai-8b`, `qwen35-0.8b`, `qwen35-27b`.
///
/// Those of Qwen3.5 and 3.6 repeat in groups of four layers, three of them recurrent.
pub const SHAPES: &[&str] =
    &["bitcpm-8b", "bitnet-2b", "bonsai-1.7b", "bonsai-8b", "qwen35-0.8b", "qwen35-27b"];

/// The configuration of a published shape with `layers` layers, or `None` for an unknown name.
pub fn config(shape: &str, layers: Option<usize>, vocab: Option<usize>) -> Option<ModelConfig> {
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

/// Weights of a synthetic model.
pub struct Synthetic {
    weights: BTreeMap<String, (Encoding, usize, usize, Vec<u8>)>,
}

impl Synthetic {
    /// Random valid weights: linears in `linear`, embedding and head in `head`, norms of ones.
    ///
    /// Codes are uniform over all that the encoding has (0, 1, 2 with 1/4, 1/2, 1/4 in ternary words and TQ2_0), and
    /// scales such that values lie within about `±(cols/2)^(-1/2)`.
    pub fn new(config: &ModelConfig, linear: Encoding, head: Encoding, seed: u64) -> Self {
        let mut random = Random(seed);
        Self::made(config, linear, head, &mut |encoding, rows, cols| fill(encoding, rows, cols, &mut random))
    }

    /// The same without any data: enough for a plan, and made at once.
    pub fn shapes(config: &ModelConfig, linear: Encoding, head: Encoding) -> Self {
        Self::made(config, linear, head, &mut |_, _, _| Vec::new())
    }

    fn made(
        config: &ModelConfig,
        linear: Encoding,
        head: Encoding,
        data: &mut dyn FnMut(Encoding, usize, usize) -> Vec<u8>,
    ) -> Self {
        let mut weights = BTreeMap::new();
        let mut add = |name: String, encoding: Encoding, rows: usize, cols: usize| {
            weights.insert(name, (encoding, rows, cols, data(encoding, rows, cols)));
        };
        let c = config;
        add("embed".into(), head, c.vocab, c.hidden);
        if !c.tied {
            add("head".into(), head, c.vocab, c.hidden);
        }
        add("norm".into(), Encoding::F32, 1, c.hidden);
        for i in 0..c.layers {
            let n = |role: &str| format!("layers.{i}.{role}");
            add(n("attn_norm"), Encoding::F32, 1, c.hidden);
            add(n("ffn_norm"), Encoding::F32, 1, c.hidden);
            if let Some(d) = c.delta(i) {
                add(n("delta_qkv"), linear, d.channels(), c.hidden);
                add(n("delta_z"), linear, d.value_width(), c.hidden);
                add(n("delta_b"), Encoding::BF16, d.v_heads, c.hidden);
                add(n("delta_a"), Encoding::BF16, d.v_heads, c.hidden);
                add(n("delta_conv"), Encoding::F32, d.channels(), d.taps);
                add(n("delta_decay"), Encoding::F32, 1, d.v_heads);
                add(n("delta_dt"), Encoding::F32, 1, d.v_heads);
                add(n("delta_norm"), Encoding::F32, 1, d.v_dim);
                add(n("delta_out"), linear, c.hidden, d.value_width());
            } else {
                if c.qk_norm {
                    add(n("q_norm"), Encoding::F32, 1, c.head_dim);
                    add(n("k_norm"), Encoding::F32, 1, c.head_dim);
                }
                add(n("q"), linear, c.q_rows(), c.hidden);
                add(n("k"), linear, c.kv_width(), c.hidden);
                add(n("v"), linear, c.kv_width(), c.hidden);
                add(n("o"), linear, c.hidden, c.q_width());
            }
            add(n("gate"), linear, c.ffn, c.hidden);
            add(n("up"), linear, c.ffn, c.hidden);
            add(n("down"), linear, c.hidden, c.ffn);
        }
        // Ones as all vectors, but a decay is negative.
        for (_, w) in weights.iter_mut().filter(|w: &(&String, _)| w.0.ends_with(".delta_decay")) {
            w.3.chunks_exact_mut(4).for_each(|v| v.copy_from_slice(&(-0.1f32).to_le_bytes()));
        }
        Self { weights }
    }

    /// Bytes of all weights, in their encodings.
    pub fn bytes(&self) -> u64 {
        self.weights.values().map(|w| w.3.len() as u64).sum()
    }
}

/// Where a block of random bytes has its f16 scales, and for each the share of the largest wanted value.
fn halves(encoding: Encoding) -> &'static [(usize, f32)] {
    match encoding {
        Encoding::Q2_0 | Encoding::PQ2_0 => &[(0, 0.5)],
        Encoding::Q4_0 => &[(0, 1.0 / 8.0)],
        Encoding::Q4_1 => &[(0, 2.0 / 15.0), (2, -1.0)],
        Encoding::Q8_0 => &[(0, 1.0 / 127.0)],
        // 6-bit scales and minima, codes up to 15 and 31.
        Encoding::Q4K => &[(0, 2.0 / (63.0 * 15.0)), (2, 1.0 / 63.0)],
        Encoding::Q5K => &[(0, 2.0 / (63.0 * 31.0)), (2, 1.0 / 63.0)],
        Encoding::Q6K => &[(208, 1.0 / (128.0 * 32.0))],
        Encoding::TQ1_0 => &[(52, 1.0)],
        _ => &[],
    }
}

fn fill(encoding: Encoding, rows: usize, cols: usize, random: &mut Random) -> Vec<u8> {
    let row_bytes = encoding.row_bytes(cols).unwrap_or(0);
    let mut data = vec![0u8; rows * row_bytes];
    let scale = 1.0 / (cols as f32 * 0.5).sqrt();
    let half = half::f16::from_f32(scale).to_bits().to_le_bytes();
    // Two bits of which 3 never occurs: 0, 1, 2 with 1/4, 1/2, 1/4.
    let trits = |out: &mut [u8], random: &mut Random| {
        for eight in out.chunks_mut(8) {
            let r = random.bits();
            let r = r & !((r << 1) & 0xaaaa_aaaa_aaaa_aaaa);
            eight.copy_from_slice(&r.to_le_bytes()[..eight.len()]);
        }
    };
    let any = |out: &mut [u8], random: &mut Random| {
        for eight in out.chunks_mut(8) {
            eight.copy_from_slice(&random.bits().to_le_bytes()[..eight.len()]);
        }
    };
    for row in data.chunks_exact_mut(row_bytes.max(1)) {
        match encoding {
            Encoding::Ternary(group) => {
                let (codes, scales) = row.split_at_mut(cols / 4);
                trits(codes, random);
                match group {
                    ScaleGroup::Row => scales.copy_from_slice(&scale.to_le_bytes()),
                    _ => scales.chunks_exact_mut(2).for_each(|s| s.copy_from_slice(&half)),
                }
            }
            Encoding::TQ2_0 => {
                for block in row.chunks_exact_mut(66) {
                    trits(&mut block[..64], random);
                    block[64..].copy_from_slice(&half);
                }
            }
            Encoding::F16 | Encoding::BF16 => {
                for v in row.chunks_exact_mut(2) {
                    let x = ((random.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * scale * 2.0;
                    v.copy_from_slice(&match encoding {
                        Encoding::F16 => half::f16::from_f32(x).to_le_bytes(),
                        _ => half::bf16::from_f32(x).to_le_bytes(),
                    });
                }
            }
            Encoding::F32 => row.chunks_exact_mut(4).for_each(|v| v.copy_from_slice(&1f32.to_le_bytes())),
            _ => {
                let block_bytes = encoding.row_bytes(encoding.block_len()).unwrap_or(0);
                for block in row.chunks_exact_mut(block_bytes.max(1)) {
                    any(block, random);
                    for (at, share) in halves(encoding) {
                        let bits = half::f16::from_f32(scale * share).to_le_bytes();
                        if let Some(out) = block.get_mut(*at..*at + 2) {
                            out.copy_from_slice(&bits);
                        }
                    }
                }
            }
        }
    }
    data
}

impl WeightSource for Synthetic {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let (encoding, rows, cols, data) = self.weights.get(name)?;
        let (encoding, rows, cols) = (*encoding, *rows, *cols);
        Some(Weight { encoding, stored: encoding, rows, cols, data, order: RowOrder::Plain })
    }
    fn release(&self, _: &str) {}
}

/// Random valid weights for a list of specifications.
pub struct Matrices(BTreeMap<String, (Encoding, usize, usize, Vec<u8>)>);

impl Matrices {
    /// One weight for each of `specs`, filled as [`Synthetic::new`] fills them; f32 tables hold `-1 .. 1`.
    pub fn new(specs: &[sterna_plan::WeightSpec], seed: u64) -> Self {
        let mut random = Random(seed);
        let filled = specs.iter().map(|s| {
            let mut data = fill(s.encoding, s.rows, s.cols, &mut random);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> ModelConfig {
        ModelConfig {
            hidden: 256,
            ffn: 512,
            heads: 2,
            kv_heads: 1,
            ..config("bitcpm-8b", Some(1), Some(70)).unwrap()
        }
    }

    const ENCODINGS: [Encoding; 16] = [
        Encoding::Ternary(ScaleGroup::Row),
        Encoding::Ternary(ScaleGroup::Block64),
        Encoding::Ternary(ScaleGroup::Block128),
        Encoding::Ternary(ScaleGroup::Block256),
        Encoding::TQ1_0,
        Encoding::TQ2_0,
        Encoding::Q2_0,
        Encoding::PQ2_0,
        Encoding::Q4_0,
        Encoding::Q4_1,
        Encoding::Q8_0,
        Encoding::Q4K,
        Encoding::Q5K,
        Encoding::Q6K,
        Encoding::F16,
        Encoding::BF16,
    ];

    #[test]
    fn every_row_decodes_and_codes_vary() {
        for encoding in ENCODINGS {
            let s = Synthetic::new(&small(), encoding, Encoding::F16, 3);
            for (name, (e, rows, cols, data)) in &s.weights {
                let width = e.row_bytes(*cols).unwrap();
                assert_eq!(data.len(), rows * width, "{name}");
                let (mut values, mut codes) = (vec![0f32; *cols], sterna_format::IntRow::default());
                for row in data.chunks_exact(width) {
                    sterna_format::decode_row(*e, row, &mut values).unwrap();
                    let most = 2.1 / (*cols as f32 * 0.5).sqrt();
                    assert!(values.iter().all(|v| *rows == 1 || v.abs() <= most), "{name} {e}");
                    let zeros = values.iter().filter(|v| **v == 0.0).count();
                    assert!(zeros < values.len() * 3 / 4, "{name} {e}: {zeros} zeros");
                    assert!(*rows == 1 || values.iter().any(|v| *v < 0.0), "{name} {e}");
                    assert!(*rows == 1 || values.iter().any(|v| *v > 0.0), "{name} {e}");
                    assert!(*rows == 1 || values.iter().any(|v| *v != values[0]), "{name}");
                    if e.int_layout(*cols).is_some() {
                        sterna_format::int_row(*e, row, *cols, &mut codes).unwrap();
                    }
                }
            }
        }
    }

    #[test]
    fn a_seed_always_gives_the_same_bytes() {
        let make = |seed| Synthetic::new(&small(), Encoding::TQ2_0, Encoding::Q8_0, seed);
        assert!(make(5).weights == make(5).weights);
        assert!(make(5).weights != make(6).weights);
    }

    #[test]
    fn sizes_are_those_of_the_shapes() {
        let c = small();
        let s = Synthetic::new(&c, Encoding::TQ2_0, Encoding::F16, 1);
        let linear = (c.q_width() + 2 * c.kv_width() + c.hidden) * c.hidden + 3 * c.ffn * c.hidden;
        assert_eq!(c.q_width(), c.hidden);
        let want = linear / 256 * 66 + 2 * c.vocab * c.hidden * 2 + 3 * c.hidden * 4;
        assert_eq!(s.bytes(), want as u64);
        let tied = ModelConfig { tied: true, qk_norm: true, ..c.clone() };
        let t = Synthetic::new(&tied, Encoding::TQ2_0, Encoding::F16, 1);
        assert!(t.weight("head").is_none() && t.weight("layers.0.q_norm").is_some());
        assert_eq!(t.bytes(), s.bytes() - (c.vocab * c.hidden * 2) as u64 + 2 * 128 * 4);
    }

    #[test]
    fn published_shapes_are_known() {
        for shape in SHAPES {
            let c = config(shape, None, None).unwrap();
            assert_eq!(c.q_width() % c.kv_width(), 0, "{shape}");
        }
        let c = config("qwen35-27b", None, None).unwrap();
        let d = c.delta(0).unwrap();
        assert_eq!((d.channels(), d.value_width(), c.q_rows()), (10240, 6144, 2 * 6144));
        assert_eq!((0..c.layers).filter(|l| c.delta(*l).is_some()).count(), 48);
        let small = ModelConfig { hidden: 256, ffn: 256, ..config("qwen35-27b", Some(4), Some(64)).unwrap() };
        let s = Synthetic::new(&small, Encoding::Q8_0, Encoding::Q8_0, 1);
        let plan = sterna_plan::build(
            &small,
            &s,
            &|_, e, cols| sterna_bundle::default_numerics(e, cols),
            &sterna_plan::PlanOptions::new(64),
        );
        let plan = plan.unwrap();
        // Three layers of 48 heads of 128 x 128 and three inputs of 10,240 channels, f32.
        assert_eq!(plan.cost(&plan.entries[0]).fixed_state_bytes, 3 * 4 * (48 * 128 * 128 + 3 * 10240));
        assert!(config("unknown", None, None).is_none());
    }
}
