//! GGML Q4_0: 32 weights in 18 bytes, `(code − 8)·d`.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, f16_to_f32, f32_to_f16, inverse};
use crate::{Encoding, FormatError, IntRow};

/// 32 weights: an f16 scale and 4-bit codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockQ4_0 {
    /// Scale, f16.
    pub d: [u8; 2],
    /// Byte `j` holds weight `j` in its low nibble and weight `j + 16` in its high nibble.
    pub qs: [u8; 16],
}

const _: () = assert!(size_of::<BlockQ4_0>() == 18);

impl Block<32> for BlockQ4_0 {
    const ENCODING: Encoding = Encoding::Q4_0;

    fn decode(&self, out: &mut [f32; 32]) {
        let d = f16_to_f32(self.d);
        for (j, byte) in self.qs.into_iter().enumerate() {
            out[j] = d * (f32::from(byte & 15) - 8.0);
            out[j + 16] = d * (f32::from(byte >> 4) - 8.0);
        }
    }

    /// The value of largest magnitude, with its sign, becomes code 0.
    fn encode(values: &[f32; 32]) -> Result<Self, FormatError> {
        let far = values.iter().fold(values[0], |far, &v| if v.abs() > far.abs() { v } else { far });
        let d = far / -8.0;
        let scale = inverse(d);
        let code = |v: f32| ((v * scale + 8.5) as u8).min(15);
        let mut qs = [0; 16];
        for (j, byte) in qs.iter_mut().enumerate() {
            *byte = code(values[j]) | code(values[j + 16]) << 4;
        }
        Ok(Self { d: f32_to_f16(d)?, qs })
    }

    fn codes(&self, out: &mut [u8; 32]) {
        for (j, byte) in self.qs.into_iter().enumerate() {
            out[j] = byte & 15;
            out[j + 16] = byte >> 4;
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
        testing::frozen(Encoding::Q4_0, include_str!("../tests/data/frozen/q4_0.txt"));
    }
}
