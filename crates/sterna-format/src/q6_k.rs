//! GGML Q6_K: 256 weights in 210 bytes, `d·sc·(code − 32)` with `sc` per 16 weights.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, f16_to_f32, f32_to_f16};
use crate::search::{fit_symmetric, symmetric_weights};
use crate::{Encoding, FormatError, IntRow};

/// 256 weights: 6-bit codes, sixteen signed 8-bit scales, an f16 scale.
///
/// Weight `128n + 32j + l` (`n` a half, `j` 0 to 3, `l` 0 to 31) has its low four bits in byte
/// `64n + 32(j % 2) + l` of `ql` (low nibble for `j < 2`) and its high two in bits `2j+1:2j` of byte `32n + l`
/// of `qh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockQ6K {
    /// Low four bits of the codes.
    pub ql: [u8; 128],
    /// High two bits of the codes.
    pub qh: [u8; 64],
    /// Scale of each 16 weights.
    pub scales: [i8; 16],
    /// Scale of the scales, f16.
    pub d: [u8; 2],
}

const _: () = assert!(size_of::<BlockQ6K>() == 210);

/// Where weight `k` keeps its bits: index and shift in `ql`, index and shift in `qh`.
fn place(k: usize) -> (usize, usize, usize, usize) {
    let (n, j, l) = (k / 128, k % 128 / 32, k % 32);
    (64 * n + 32 * (j % 2) + l, j / 2 * 4, 32 * n + l, 2 * j)
}

/// The multiple of `step`, from -32 to 31, that is nearest to `v`; 0 for a step of 0.
fn nearest(v: f64, step: f64) -> f64 {
    if step == 0.0 { 0.0 } else { (v / step).round().clamp(-32.0, 31.0) }
}

impl Block<256> for BlockQ6K {
    const ENCODING: Encoding = Encoding::Q6K;

    fn decode(&self, out: &mut [f32; 256]) {
        let d = f16_to_f32(self.d);
        let mut codes = [0; 256];
        self.codes(&mut codes);
        for (k, (code, value)) in codes.into_iter().zip(out).enumerate() {
            *value = d * f32::from(self.scales[k / 16]) * (f32::from(code) - 32.0);
        }
    }

    /// Each 16 weights are fitted on their own. The f16 scale is such that the largest of their scales becomes
    /// -128; of each rounded scale and its two neighbours the one with the smallest weighted squared error is taken,
    /// measured with what is really stored, and the codes are chosen for that.
    fn encode(values: &[f32; 256]) -> Result<Self, FormatError> {
        let (subs, _) = values.as_chunks::<16>();
        let (mut fits, mut weights) = ([0.0; 16], [[0.0; 16]; 16]);
        for ((fit, weight), sub) in fits.iter_mut().zip(&mut weights).zip(subs) {
            let x = sub.map(f64::from);
            *weight = symmetric_weights(&x);
            *fit = fit_symmetric(&x, weight, 32);
        }
        let far = fits.iter().fold(0.0_f64, |far, &s| if s.abs() > far.abs() { s } else { far });
        let d = f32_to_f16((far / -128.0) as f32)?;
        let unit = f64::from(f16_to_f32(d));
        let mut scales = [0; 16];
        for (((scale, fit), weight), sub) in scales.iter_mut().zip(fits).zip(&weights).zip(subs) {
            if unit == 0.0 {
                continue;
            }
            let rounded = (fit / unit).round() as i8;
            let mut least = f64::INFINITY;
            for trial in [rounded, rounded.saturating_sub(1), rounded.saturating_add(1)] {
                let step = unit * f64::from(trial);
                let error = |(v, w): (&f32, &f64)| {
                    let v = f64::from(*v);
                    w * (v - step * nearest(v, step)).powi(2)
                };
                let error: f64 = sub.iter().zip(weight).map(error).sum();
                if error < least {
                    (least, *scale) = (error, trial);
                }
            }
        }
        let (mut ql, mut qh) = ([0; 128], [0; 64]);
        for (k, value) in values.iter().enumerate() {
            let step = unit * f64::from(scales[k / 16]);
            let code = (nearest(f64::from(*value), step) + 32.0) as u8;
            let (low, low_shift, high, high_shift) = place(k);
            ql[low] |= (code & 15) << low_shift;
            qh[high] |= code >> 4 << high_shift;
        }
        Ok(Self { ql, qh, scales, d })
    }

    fn codes(&self, out: &mut [u8; 256]) {
        for (k, code) in out.iter_mut().enumerate() {
            let (low, low_shift, high, high_shift) = place(k);
            *code = self.ql[low] >> low_shift & 15 | (self.qh[high] >> high_shift & 3) << 4;
        }
    }

    fn push_scales(&self, out: &mut IntRow) {
        out.d.push(f16_to_f32(self.d));
        out.sc.extend(self.scales.map(i16::from));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Encoding, FormatError, IntRow, decode_row, encode_row, int_row, testing};

    fn round_trip(values: &[f32]) -> Vec<f32> {
        let mut bytes = vec![0; Encoding::Q6K.row_bytes(values.len()).unwrap()];
        encode_row(Encoding::Q6K, values, &mut bytes).unwrap();
        let mut out = vec![f32::NAN; values.len()];
        decode_row(Encoding::Q6K, &bytes, &mut out).unwrap();
        out
    }

    /// A bell of 256 values without randomness: sums of three out-of-step saw teeth.
    fn bell(k: usize) -> f32 {
        [7919, 104_729, 1_299_709].map(|p| (k * p % 1009) as f32 / 504.5 - 1.0).iter().sum()
    }

    /// No value is further off than half a step of its 16 and what the 8 bits of their scale cost, however the sizes
    /// of the sixteen differ.
    #[test]
    fn the_error_is_bounded() {
        for seed in 0..200 {
            let size = |k: usize| 10f32.powi((k / 16 * (seed % 7 + 1)) as i32 % 5 - 2);
            let values: Vec<f32> = (0..256).map(|k| bell(k + 256 * seed) * size(k)).collect();
            let out = round_trip(&values);
            let largest = |v: &[f32]| v.iter().fold(0.0f32, |m, v| m.max(v.abs()));
            let block = largest(&values);
            for (ins, outs) in values.chunks(16).zip(out.chunks(16)) {
                let allowed = largest(ins) * 0.03 + block / 256.0;
                for (i, o) in ins.iter().zip(outs) {
                    assert!((i - o).abs() <= allowed, "{i} {o} of {} in {block}", largest(ins));
                }
            }
        }
    }

    /// The search is worth its time: without it the bound is passed.
    #[test]
    fn the_search_keeps_the_error_small() {
        let values: Vec<f32> = (0..65_536).map(bell).collect();
        let (mut off, mut all) = (0.0, 0.0);
        for (i, o) in values.iter().zip(round_trip(&values)) {
            off += (f64::from(*i) - f64::from(o)).powi(2);
            all += f64::from(*i).powi(2);
        }
        let rms = (off / all).sqrt();
        assert!(rms < 0.017, "{rms}");
    }

    #[test]
    fn extremes() {
        assert_eq!(round_trip(&[0.0; 512]), [0.0; 512]);
        assert_eq!(round_trip(&[-0.0; 256]), [0.0; 256]);
        // Zeros have the code of 0, and not any code under a scale of 0.
        let (mut bytes, mut row) = ([0; 210], IntRow::default());
        encode_row(Encoding::Q6K, &[0.0; 256], &mut bytes).unwrap();
        int_row(Encoding::Q6K, &bytes, 256, &mut row).unwrap();
        assert_eq!(row.codes, [32; 256]);
        // About the largest f16 times 128 times 31, and no more.
        let mut values = [0.0; 256];
        values[77] = 65000.0 * 128.0 * 31.0;
        let out = round_trip(&values);
        assert!((out[77] / values[77] - 1.0).abs() < 1e-3, "{}", out[77]);
        assert_eq!(out[76], 0.0);
        values[77] *= 1.05;
        let err = encode_row(Encoding::Q6K, &values, &mut [0; 210]);
        assert!(matches!(err, Err(FormatError::OutOfRange { storage: "f16", .. })), "{err:?}");
        values[77] = f32::MAX;
        assert!(encode_row(Encoding::Q6K, &values, &mut [0; 210]).is_err());
        // Too small for f16: zeros, not noise.
        assert_eq!(round_trip(&[f32::MIN_POSITIVE; 256]), [0.0; 256]);
        for bad in [f32::NAN, f32::INFINITY] {
            values[77] = bad;
            let err = encode_row(Encoding::Q6K, &values, &mut [0; 210]);
            assert!(matches!(err, Err(FormatError::NonFinite { index: 77, .. })), "{err:?}");
        }
    }

    #[test]
    fn frozen() {
        testing::frozen(Encoding::Q6K, include_str!("../tests/data/frozen/q6_k.txt"));
    }
}
