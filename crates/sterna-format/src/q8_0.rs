//! GGML Q8_0: 32 weights in 34 bytes, `q·d`; as an unsigned code, `(code − 128)·d`.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, abs_max, f16_to_f32, f32_to_f16, inverse};
use crate::{Encoding, FormatError, IntRow};

/// 32 weights: an f16 scale and signed bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockQ8_0 {
    /// Scale, f16.
    pub d: [u8; 2],
    /// One signed byte per weight.
    pub qs: [i8; 32],
}

const _: () = assert!(size_of::<BlockQ8_0>() == 34);

impl Block<32> for BlockQ8_0 {
    const ENCODING: Encoding = Encoding::Q8_0;

    fn decode(&self, out: &mut [f32; 32]) {
        let d = f16_to_f32(self.d);
        for (q, value) in self.qs.into_iter().zip(out) {
            *value = f32::from(q) * d;
        }
    }

    /// The largest magnitude becomes ±127; ties round away from zero, as GGML's do.
    fn encode(values: &[f32; 32]) -> Result<Self, FormatError> {
        let d = abs_max(values) / 127.0;
        let scale = inverse(d);
        Ok(Self { d: f32_to_f16(d)?, qs: values.map(|v| (v * scale).round() as i8) })
    }

    fn codes(&self, out: &mut [u8; 32]) {
        for (q, code) in self.qs.into_iter().zip(out) {
            *code = q.cast_unsigned() ^ 0x80;
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
        testing::frozen(Encoding::Q8_0, include_str!("../tests/data/frozen/q8_0.txt"));
    }
}
