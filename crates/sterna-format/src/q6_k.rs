//! GGML Q6_K: 256 weights in 210 bytes, `d·sc·(code − 32)` with `sc` per 16 weights.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, f16_to_f32, f32_to_f16};
use crate::search::fit_symmetric;
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

    /// Each 16 weights are fitted on their own, the scales are rounded to 8 bits, and the codes are then
    /// chosen for what was really stored.
    fn encode(values: &[f32; 256]) -> Result<Self, FormatError> {
        let (subs, _) = values.as_chunks::<16>();
        let mut fits = [0.0; 16];
        for (fit, sub) in fits.iter_mut().zip(subs) {
            *fit = fit_symmetric(sub, 32);
        }
        let far = fits.iter().fold(0.0_f64, |far, &s| if s.abs() > far.abs() { s } else { far });
        let d = f32_to_f16((far / -128.0) as f32)?;
        let unit = f64::from(f16_to_f32(d));
        let round = |s: f64| if unit == 0.0 { 0 } else { (s / unit).round() as i8 };
        let scales = fits.map(round);
        let (mut ql, mut qh) = ([0; 128], [0; 64]);
        for (k, value) in values.iter().enumerate() {
            let step = unit * f64::from(scales[k / 16]);
            let q = if step == 0.0 { 0.0 } else { (f64::from(*value) / step).round().clamp(-32.0, 31.0) };
            let code = (q + 32.0) as u8;
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
    use crate::{Encoding, testing};

    #[test]
    fn frozen() {
        testing::frozen(Encoding::Q6K, include_str!("../tests/data/frozen/q6_k.txt"));
    }
}
