//! GGML Q4_1: 32 weights in 20 bytes, `code·d + m`.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, f16_to_f32, f32_to_f16, inverse};
use crate::{Encoding, FormatError, IntRow};

/// 32 weights: an f16 scale, an f16 minimum and 4-bit codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockQ4_1 {
    /// Scale, f16.
    pub d: [u8; 2],
    /// The value of code 0, f16.
    pub m: [u8; 2],
    /// Byte `j` holds weight `j` in its low nibble and weight `j + 16` in its high nibble.
    pub qs: [u8; 16],
}

const _: () = assert!(size_of::<BlockQ4_1>() == 20);

impl Block<32> for BlockQ4_1 {
    const ENCODING: Encoding = Encoding::Q4_1;

    fn decode(&self, out: &mut [f32; 32]) {
        let (d, m) = (f16_to_f32(self.d), f16_to_f32(self.m));
        for (j, byte) in self.qs.into_iter().enumerate() {
            out[j] = d * f32::from(byte & 15) + m;
            out[j + 16] = d * f32::from(byte >> 4) + m;
        }
    }

    /// The smallest value becomes code 0, the largest code 15.
    fn encode(values: &[f32; 32]) -> Result<Self, FormatError> {
        let min = values.iter().fold(values[0], |min, &v| if v < min { v } else { min });
        let max = values.iter().fold(values[0], |max, &v| if v > max { v } else { max });
        let d = (max - min) / 15.0;
        let scale = inverse(d);
        let code = |v: f32| (((v - min) * scale + 0.5) as u8).min(15);
        let mut qs = [0; 16];
        for (j, byte) in qs.iter_mut().enumerate() {
            *byte = code(values[j]) | code(values[j + 16]) << 4;
        }
        Ok(Self { d: f32_to_f16(d)?, m: f32_to_f16(min)?, qs })
    }

    fn codes(&self, out: &mut [u8; 32]) {
        for (j, byte) in self.qs.into_iter().enumerate() {
            out[j] = byte & 15;
            out[j + 16] = byte >> 4;
        }
    }

    fn push_scales(&self, out: &mut IntRow) {
        out.d.push(f16_to_f32(self.d));
        out.dmin.push(-f16_to_f32(self.m));
        out.sc.push(1);
        out.mn.push(1);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Encoding, testing};

    #[test]
    fn frozen() {
        testing::frozen(Encoding::Q4_1, include_str!("../tests/data/frozen/q4_1.txt"));
    }
}
