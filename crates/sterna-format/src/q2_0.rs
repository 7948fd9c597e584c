//! GGML Q2_0: 64 weights in 18 bytes, `(code − 1)·d` with codes 0 to 3: −1, 0, 1 and 2 times the scale.
//!
//! The type id, 42, was used before by PrismML for blocks of 128 in 34 bytes ([`crate::pq2_0`], now id 142). A
//! file does not say which it means; its tensors' sizes do.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, abs_max, f16_to_f32, f32_to_f16};
use crate::{Encoding, FormatError, IntRow};

/// 64 weights: an f16 scale and 2-bit codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockQ2_0 {
    /// Scale, f16.
    pub d: [u8; 2],
    /// Weight `j` is bits `2(j % 4)+1 : 2(j % 4)` of byte `j/4`. A code of 3 is `+2d`, a value like any other.
    pub qs: [u8; 16],
}

const _: () = assert!(size_of::<BlockQ2_0>() == 18);

impl Block<64> for BlockQ2_0 {
    const ENCODING: Encoding = Encoding::Q2_0;

    fn decode(&self, out: &mut [f32; 64]) {
        decode(self.d, &self.qs, out);
    }

    /// See [`crate::encode_row`]: of the scales tried, the one with the smallest squared error.
    fn encode(values: &[f32; 64]) -> Result<Self, FormatError> {
        let mut qs = [0; 16];
        let d = encode(values, &mut qs)?;
        Ok(Self { d, qs })
    }

    fn codes(&self, out: &mut [u8; 64]) {
        codes(&self.qs, out);
    }

    fn push_scales(&self, out: &mut IntRow) {
        out.d.push(f16_to_f32(self.d));
        out.sc.push(1);
    }
}

/// Four codes of a byte, the first in its low bits.
pub(crate) fn codes(qs: &[u8], out: &mut [u8]) {
    let (fours, _) = out.as_chunks_mut::<4>();
    for (four, byte) in fours.iter_mut().zip(qs) {
        *four = [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6];
    }
}

/// `(code − 1)·d`.
pub(crate) fn decode(d: [u8; 2], qs: &[u8], out: &mut [f32]) {
    let d = f16_to_f32(d);
    let (fours, _) = out.as_chunks_mut::<4>();
    for (four, byte) in fours.iter_mut().zip(qs) {
        *four = [0, 2, 4, 6].map(|shift| d * (f32::from(byte >> shift & 3) - 1.0));
    }
}

/// The nearest codes under the best of a few scales, written to `qs`; gives the scale as f16.
///
/// Tried are the largest magnitude (so that `±s` and 0 are exact), the far value as `+2d` (so that `−s, 0, s, 2s`
/// are, also with `s < 0`), and for each the scale of least squares for its codes. The first of equals wins.
pub(crate) fn encode(values: &[f32], qs: &mut [u8]) -> Result<[u8; 2], FormatError> {
    let far = values.iter().fold(0.0_f32, |far, &v| if v.abs() > far.abs() { v } else { far });
    let mut best: Option<(f64, [u8; 2])> = None;
    let mut error = None;
    for start in [abs_max(values), far / 2.0, -far] {
        let refined = least_squares(values, f64::from(start));
        for d in [f64::from(start), refined] {
            let stored = match f32_to_f16(d as f32) {
                Ok(stored) => stored,
                Err(e) => {
                    error = error.or(Some(e));
                    continue;
                }
            };
            let step = f64::from(f16_to_f32(stored));
            let off: f64 =
                values.iter().map(|&v| (f64::from(v) - step * nearest(f64::from(v), step)).powi(2)).sum();
            if best.is_none_or(|(least, _)| off < least) {
                best = Some((off, stored));
            }
        }
    }
    let Some((_, stored)) = best else {
        let value = f64::from(far);
        return Err(error.unwrap_or(FormatError::OutOfRange { storage: "f16", value }));
    };
    let step = f64::from(f16_to_f32(stored));
    let (fours, _) = values.as_chunks::<4>();
    for (byte, four) in qs.iter_mut().zip(fours) {
        let code = |v: f32| (nearest(f64::from(v), step) + 1.0) as u8;
        *byte = code(four[0]) | code(four[1]) << 2 | code(four[2]) << 4 | code(four[3]) << 6;
    }
    Ok(stored)
}

/// The multiple of `step`, from −1 to 2, that is nearest to `v`; 0 for a step of 0.
fn nearest(v: f64, step: f64) -> f64 {
    if step == 0.0 { 0.0 } else { (v / step).round().clamp(-1.0, 2.0) }
}

/// The scale with the smallest squared error for the codes that `step` gives.
fn least_squares(values: &[f32], step: f64) -> f64 {
    let (mut dot, mut squares) = (0.0, 0.0);
    for &v in values {
        let q = nearest(f64::from(v), step);
        dot += f64::from(v) * q;
        squares += q * q;
    }
    if squares > 0.0 { dot / squares } else { step }
}

#[cfg(test)]
mod tests {
    use crate::{Encoding, decode_row, encode_row, testing};

    #[test]
    fn frozen() {
        testing::frozen(Encoding::Q2_0, include_str!("../tests/data/frozen/q2_0.txt"));
    }

    /// All four values are exact at either sign of the scale, and so are ternary ones.
    #[test]
    fn its_own_values_are_exact() {
        for (scale, least, count) in [(0.75f32, -1, 4), (-0.75, -1, 4), (0.5, -1, 3), (0.375, 0, 2)] {
            for encoding in [Encoding::Q2_0, Encoding::PQ2_0] {
                let values: Vec<f32> = (0..256).map(|k| scale * (least + k * 7 % count) as f32).collect();
                let mut bytes = vec![0; encoding.row_bytes(256).unwrap()];
                encode_row(encoding, &values, &mut bytes).unwrap();
                let mut out = [0.0; 256];
                decode_row(encoding, &bytes, &mut out).unwrap();
                assert_eq!(out.as_slice(), values, "{encoding} {scale}");
            }
        }
    }
}
