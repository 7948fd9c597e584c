//! GGML Q5_K: 256 weights in 176 bytes, `d·sc·code − dmin·mn` with `sc` and `mn` per 32 weights.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, f16_to_f32};
use crate::search::Sweep;
use crate::{Encoding, FormatError, IntRow, k_scales};

/// 256 weights: two f16 scales, eight 6-bit scales and minima, 5-bit codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockQ5K {
    /// Scale of the sub-block scales, f16.
    pub d: [u8; 2],
    /// Scale of the sub-block minima, f16.
    pub dmin: [u8; 2],
    /// Sub-block scales and minima, 6 bits each.
    pub scales: [u8; 12],
    /// High bits: bit `b` of byte `l` is weight `l` of sub-block `b`.
    pub qh: [u8; 32],
    /// Low four bits. Chunk `c` of 32 bytes: low nibbles are sub-block `2c`, high nibbles sub-block `2c + 1`.
    pub qs: [u8; 128],
}

const _: () = assert!(size_of::<BlockQ5K>() == 176);

impl Block<256> for BlockQ5K {
    const ENCODING: Encoding = Encoding::Q5K;

    fn decode(&self, out: &mut [f32; 256]) {
        let (d, dmin) = (f16_to_f32(self.d), f16_to_f32(self.dmin));
        let (sc, mn) = k_scales::unpack(&self.scales);
        let mut codes = [0; 256];
        self.codes(&mut codes);
        for (k, (code, value)) in codes.into_iter().zip(out).enumerate() {
            let (scale, min) = (d * f32::from(sc[k / 32]), dmin * f32::from(mn[k / 32]));
            *value = scale * f32::from(code) - min;
        }
    }

    fn encode(values: &[f32; 256]) -> Result<Self, FormatError> {
        let sweep = Sweep { start: -0.5, step: 0.1, trials: 16 };
        let fit = k_scales::fit(values, 31, sweep)?;
        let (mut qh, mut qs) = ([0; 32], [0; 128]);
        for (k, code) in fit.codes.into_iter().enumerate() {
            qs[k / 64 * 32 + k % 32] |= (code & 15) << (k % 64 / 32 * 4);
            qh[k % 32] |= code >> 4 << (k / 32);
        }
        Ok(Self { d: fit.d, dmin: fit.dmin, scales: fit.scales, qh, qs })
    }

    fn codes(&self, out: &mut [u8; 256]) {
        for (k, code) in out.iter_mut().enumerate() {
            let low = self.qs[k / 64 * 32 + k % 32] >> (k % 64 / 32 * 4) & 15;
            let high = self.qh[k % 32] >> (k / 32) & 1;
            *code = low | high << 4;
        }
    }

    fn push_scales(&self, out: &mut IntRow) {
        let (sc, mn) = k_scales::unpack(&self.scales);
        out.d.push(f16_to_f32(self.d));
        out.dmin.push(f16_to_f32(self.dmin));
        out.sc.extend(sc.map(i16::from));
        out.mn.extend(mn.map(i16::from));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Encoding, testing};

    #[test]
    fn frozen() {
        testing::frozen(Encoding::Q5K, include_str!("../tests/data/frozen/q5_k.txt"));
    }
}
