//! Integer rows with one scale: 2, 4 or 8 bits a code, then one f32 ([`CodeBits`]).
//!
//! A row of `K` weights is `K·bits/8` bytes of codes, the first in the low bits of the first byte, and after them the
//! scale, little endian. A weight is `d·q` with `q` whole:
//!
//! * 2 and 4 bits hold `q` plus the middle of their range (the *midpoint* form): 0 to 3 stand for −2 to 1, 0 to 15 for
//!   −8 to 7. Files of another origin hold two's complement instead; [`midpoint_from_twos_complement`] turns one into
//!   the other.
//! * 8 bits hold `q` itself, −128 to 127.
//!
//! One scale per row makes a whole dot product with integers exact, and a table of such rows can be read at any row:
//! a table of per-layer embeddings is one row for every token and layer.

use crate::{Encoding, FormatError, IntLayout, IntRow};

/// Bits of one code of a row with one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeBits {
    /// −2 to 1, four to a byte.
    Two,
    /// −8 to 7, two to a byte.
    Four,
    /// −128 to 127.
    Eight,
}

/// Bytes of the scale behind the codes.
pub const SCALE_BYTES: usize = size_of::<f32>();

impl CodeBits {
    /// 2, 4 or 8.
    pub fn bits(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// What is taken from an unsigned code to give the whole number: 2, 8 or 128.
    pub fn zero(self) -> i32 {
        1 << (self.bits() - 1)
    }

    /// Bytes of the codes of `cols` weights, a multiple of 16.
    pub fn code_bytes(self, cols: usize) -> usize {
        cols / 8 * self.bits()
    }

    pub(crate) fn layout(self, cols: usize) -> IntLayout {
        let bits = self.bits() as u32;
        IntLayout { group: cols, sub: cols, zero: self.zero(), bits, has_sub_scales: false, has_mins: false }
    }

    /// Unsigned codes of packed bytes; a signed byte's is its value plus 128.
    fn unpack(self, bytes: &[u8], out: &mut [u8]) {
        match self {
            Self::Two => {
                for (four, b) in out.as_chunks_mut::<4>().0.iter_mut().zip(bytes) {
                    *four = [b & 3, b >> 2 & 3, b >> 4 & 3, b >> 6];
                }
            }
            Self::Four => {
                for (two, b) in out.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
                    *two = [b & 15, b >> 4];
                }
            }
            Self::Eight => out.iter_mut().zip(bytes).for_each(|(o, b)| *o = b ^ 0x80),
        }
    }

    /// The reverse of [`unpack`](Self::unpack).
    fn pack(self, codes: &[u8], out: &mut [u8]) {
        match self {
            Self::Two => {
                for (b, c) in out.iter_mut().zip(codes.as_chunks::<4>().0) {
                    *b = c[0] | c[1] << 2 | c[2] << 4 | c[3] << 6;
                }
            }
            Self::Four => {
                for (b, c) in out.iter_mut().zip(codes.as_chunks::<2>().0) {
                    *b = c[0] | c[1] << 4;
                }
            }
            Self::Eight => out.iter_mut().zip(codes).for_each(|(b, c)| *b = c ^ 0x80),
        }
    }
}

/// Turns packed codes in two's complement into the midpoint form, in place (and back: it is its own inverse). Bytes of
/// 8 bits are signed in both.
pub fn midpoint_from_twos_complement(bits: CodeBits, codes: &mut [u8]) {
    let flip = match bits {
        CodeBits::Two => 0b1010_1010,
        CodeBits::Four => 0b1000_1000,
        CodeBits::Eight => return,
    };
    codes.iter_mut().for_each(|b| *b ^= flip);
}

/// Codes and scale of a row whose length was checked.
fn split(bits: CodeBits, bytes: &[u8], cols: usize) -> (&[u8], f32) {
    let (codes, scale) = bytes.split_at(bits.code_bytes(cols));
    (codes, scale.first_chunk().map_or(f32::NAN, |s| f32::from_le_bytes(*s)))
}

/// Decodes a row whose length was checked.
pub(crate) fn decode(bits: CodeBits, bytes: &[u8], out: &mut [f32]) {
    let (codes, d) = split(bits, bytes, out.len());
    let mut unpacked = [0u8; 16];
    let each = bits.code_bytes(16);
    for (values, codes) in out.chunks_exact_mut(16).zip(codes.chunks_exact(each)) {
        bits.unpack(codes, &mut unpacked);
        for (v, c) in values.iter_mut().zip(unpacked) {
            *v = d * (i32::from(c) - bits.zero()) as f32;
        }
    }
}

/// Takes a row apart.
pub(crate) fn int(bits: CodeBits, bytes: &[u8], cols: usize, out: &mut IntRow) -> Result<(), FormatError> {
    Encoding::PerRow(bits).check_row(cols, bytes.len())?;
    out.reset(cols);
    let (codes, d) = split(bits, bytes, cols);
    bits.unpack(codes, &mut out.codes);
    out.d.push(d);
    out.sc.push(1);
    Ok(())
}

/// Encodes a row whose length was checked, of finite values: the nearest codes (ties to even) under the best of a few
/// scales. Tried are the scales under which the largest value and the smallest one just fit, the largest magnitude over
/// the largest code, and for each the scale of least squares for its codes; the first of equals in squared error wins.
/// Values that are whole multiples of a scale and use an end of the range come back exactly.
pub(crate) fn encode(bits: CodeBits, values: &[f32], out: &mut [u8]) -> Result<(), FormatError> {
    let (low, high) = (-f64::from(bits.zero()), f64::from(bits.zero() - 1));
    let code = |v: f32, d: f64| {
        if d == 0.0 { 0.0 } else { (f64::from(v) / d).round_ties_even().clamp(low, high) }
    };
    let least = values.iter().fold(0f64, |m, v| m.min(f64::from(*v)));
    let most = values.iter().fold(0f64, |m, v| m.max(f64::from(*v)));
    let mut best: Option<(f64, f32)> = None;
    let mut consider = |d: f64| {
        let d = d as f32;
        if !d.is_finite() {
            return;
        }
        let wide = f64::from(d);
        let off: f64 = values.iter().map(|v| (f64::from(*v) - wide * code(*v, wide)).powi(2)).sum();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, d));
        }
    };
    for start in [most.max(least / low), most / high, least / low, most.max(-least) / high] {
        consider(start);
        let (mut dot, mut squares) = (0.0, 0.0);
        for v in values {
            let q = code(*v, start);
            dot += f64::from(*v) * q;
            squares += q * q;
        }
        if squares > 0.0 {
            consider(dot / squares);
        }
    }
    let Some((_, d)) = best else {
        return Err(FormatError::OutOfRange { storage: "f32", value: most.max(-least) });
    };
    let (codes, scale) = out.split_at_mut(bits.code_bytes(values.len()));
    scale.copy_from_slice(&d.to_le_bytes());
    let mut unpacked = [0u8; 16];
    let each = bits.code_bytes(16);
    for (values, codes) in values.chunks_exact(16).zip(codes.chunks_exact_mut(each)) {
        for (c, v) in unpacked.iter_mut().zip(values) {
            *c = (code(*v, f64::from(d)) - low) as u8;
        }
        bits.pack(&unpacked, codes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{decode_row, encode_row, testing};

    const ALL: [CodeBits; 3] = [CodeBits::Two, CodeBits::Four, CodeBits::Eight];

    #[test]
    fn frozen() {
        testing::frozen(Encoding::PerRow(CodeBits::Two), include_str!("../tests/data/frozen/int2-row.txt"));
        testing::frozen(Encoding::PerRow(CodeBits::Four), include_str!("../tests/data/frozen/int4-row.txt"));
        testing::frozen(Encoding::PerRow(CodeBits::Eight), include_str!("../tests/data/frozen/int8-row.txt"));
    }

    /// A row that uses an end of its range is found again, whatever its scale; a row of zeros has a scale of 0.
    #[test]
    fn its_own_values_are_exact() {
        for bits in ALL {
            let (low, high) = (-bits.zero(), bits.zero() - 1);
            for (from, to) in [(low, high), (low, 1), (-1, high), (-high, high), (0, 0)] {
                let scale = 0.003_172_5f32;
                let span = to - from + 1;
                let values: Vec<f32> = (0..512).map(|k| scale * (from + k * 7 % span) as f32).collect();
                let encoding = Encoding::PerRow(bits);
                let mut bytes = vec![0; encoding.row_bytes(512).unwrap()];
                encode_row(encoding, &values, &mut bytes).unwrap();
                let mut out = [9.0; 512];
                decode_row(encoding, &bytes, &mut out).unwrap();
                assert_eq!(out.as_slice(), values, "{bits:?} {from} to {to}");
            }
        }
    }

    #[test]
    fn twos_complement_becomes_the_midpoint_form() {
        // -2, -1, 0, 1 and -8, 7: in two's complement 10, 11, 00, 01 and 1000, 0111.
        let (mut two, mut four, mut eight) = ([0b01_00_11_10u8], [0b0111_1000u8], [0x80u8]);
        midpoint_from_twos_complement(CodeBits::Two, &mut two);
        midpoint_from_twos_complement(CodeBits::Four, &mut four);
        midpoint_from_twos_complement(CodeBits::Eight, &mut eight);
        let codes = |bits: CodeBits, bytes: &[u8]| {
            let mut out = vec![0; bytes.len() * 8 / bits.bits()];
            bits.unpack(bytes, &mut out);
            out.iter().map(|c| i32::from(*c) - bits.zero()).collect::<Vec<_>>()
        };
        assert_eq!(codes(CodeBits::Two, &two), [-2, -1, 0, 1]);
        assert_eq!(codes(CodeBits::Four, &four), [-8, 7]);
        assert_eq!(codes(CodeBits::Eight, &eight), [-128]);
    }
}
