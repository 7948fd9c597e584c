//! GGML TQ1_0: 256 ternary weights in 54 bytes, five to a byte, `(digit − 1)·d`.
//!
//! A byte is a fraction of 256 in base 3: digit `n` is the integer part of `3·frac(byte·3ⁿ/256)`, so decoding
//! takes a wrapping multiplication by 3ⁿ, another by 3, and a shift.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, abs_max, f16_to_f32, f32_to_f16, inverse};
use crate::{Encoding, FormatError, IntRow};

/// 256 weights: base-3 bytes and an f16 scale.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockTQ1_0 {
    /// Weight `32n + m` is digit `n` (0 to 4) of byte `m` for `m < 32`; weight `160 + 16n + m` is digit `n` of
    /// byte `32 + m` for `m < 16`.
    pub qs: [u8; 48],
    /// Weight `240 + 4n + m` is digit `n` (0 to 3) of byte `m`.
    pub qh: [u8; 4],
    /// Scale, f16.
    pub d: [u8; 2],
}

const _: () = assert!(size_of::<BlockTQ1_0>() == 54);

/// The runs of a block: first weight, bytes in the run, digits per byte. Bytes follow one another.
const RUNS: [(usize, usize, usize); 3] = [(0, 32, 5), (160, 16, 5), (240, 4, 4)];

/// Digit `n` of a byte is taken after multiplying with `POW3[n]`, modulo 256.
const POW3: [u8; 5] = [1, 3, 9, 27, 81];

impl Block<256> for BlockTQ1_0 {
    const ENCODING: Encoding = Encoding::TQ1_0;

    fn decode(&self, out: &mut [f32; 256]) {
        let d = f16_to_f32(self.d);
        let mut codes = [0; 256];
        self.codes(&mut codes);
        for (code, value) in codes.into_iter().zip(out) {
            *value = d * (f32::from(code) - 1.0);
        }
    }

    /// The largest magnitude becomes ±1; ties round away from zero, as GGML's do.
    fn encode(values: &[f32; 256]) -> Result<Self, FormatError> {
        let d = abs_max(values);
        let scale = inverse(d);
        let digit = |k: usize| ((values[k] * scale).round() + 1.0) as u16;
        let mut packed = [0; 52];
        let mut bytes = packed.iter_mut();
        for (first, width, digits) in RUNS {
            for (m, byte) in bytes.by_ref().take(width).enumerate() {
                // Four digits are the first four of five; the fifth stays 0.
                let base3 = (0..5)
                    .fold(0, |sum, n| sum * 3 + if n < digits { digit(first + n * width + m) } else { 0 });
                *byte = (base3 * 256).div_ceil(243) as u8;
            }
        }
        let mut block = Self { qs: [0; 48], qh: [0; 4], d: f32_to_f16(d)? };
        block.qs.copy_from_slice(&packed[..48]);
        block.qh.copy_from_slice(&packed[48..]);
        Ok(block)
    }

    fn codes(&self, out: &mut [u8; 256]) {
        let mut bytes = self.qs.iter().chain(&self.qh);
        for (first, width, digits) in RUNS {
            for (m, byte) in bytes.by_ref().take(width).enumerate() {
                for (n, power) in POW3.into_iter().enumerate().take(digits) {
                    out[first + n * width + m] = ((u16::from(byte.wrapping_mul(power)) * 3) >> 8) as u8;
                }
            }
        }
    }

    fn push_scales(&self, out: &mut IntRow) {
        out.d.push(f16_to_f32(self.d));
        out.sc.push(1);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Encoding, testing};

    #[test]
    fn frozen() {
        testing::frozen(Encoding::TQ1_0, include_str!("../tests/data/frozen/tq1_0.txt"));
    }
}
