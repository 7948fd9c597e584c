//! A seeded generator without transcendental functions, so that every machine draws the same numbers.

use sterna_format::Encoding;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that always gives the same numbers for `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer below `n` (which must not be 0).
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// About normal, mean 0 and variance 1: twelve uniform numbers less 6.
    pub fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    /// Token ids below `vocab`.
    pub fn tokens(&mut self, count: usize, vocab: usize) -> Vec<u32> {
        (0..count).map(|_| self.below(vocab) as u32).collect()
    }

    /// One row for `encoding`: normal numbers of deviation `size`, or for ternary encodings trits times a scale
    /// near `size` that f16 holds, one scale per group.
    pub fn weights(&mut self, encoding: Encoding, cols: usize, size: f32) -> Vec<f32> {
        let group = match encoding {
            Encoding::TQ1_0 | Encoding::TQ2_0 => 256,
            Encoding::Ternary(scales) => scales.len(cols),
            _ => return (0..cols).map(|_| self.normal() * size).collect(),
        };
        let mut row = Vec::with_capacity(cols);
        for _ in 0..cols.div_ceil(group) {
            // 8 significant bits: exact in f16.
            let unit = 2f32.powi(size.log2().floor() as i32 - 7);
            let scale = unit * (128 + self.below(128)) as f32;
            row.extend((0..group).map(|_| scale * (self.below(3) as f32 - 1.0)));
        }
        row
    }
}
