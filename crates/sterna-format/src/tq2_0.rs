//! GGML TQ2_0: 256 ternary weights in 66 bytes, `(code − 1)·d`.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, abs_max, f16_to_f32, f32_to_f16, inverse};
use crate::{Encoding, FormatError, IntRow};

/// 256 weights: 2-bit codes and an f16 scale.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockTQ2_0 {
    /// Weight `128h + 32j + m` is bits `2j+1:2j` of byte `32h + m`. A code of 3 decodes to `2d`, as GGML's
    /// decoder has it, though no encoder writes it.
    pub qs: [u8; 64],
    /// Scale, f16.
    pub d: [u8; 2],
}

const _: () = assert!(size_of::<BlockTQ2_0>() == 66);

impl Block<256> for BlockTQ2_0 {
    const ENCODING: Encoding = Encoding::TQ2_0;

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
        let mut qs = [0; 64];
        for (k, value) in values.iter().enumerate() {
            let code = ((value * scale).round() + 1.0) as u8;
            qs[k / 128 * 32 + k % 32] |= code << (k % 128 / 32 * 2);
        }
        Ok(Self { qs, d: f32_to_f16(d)? })
    }

    fn codes(&self, out: &mut [u8; 256]) {
        for (k, code) in out.iter_mut().enumerate() {
            *code = self.qs[k / 128 * 32 + k % 32] >> (k % 128 / 32 * 2) & 3;
        }
    }

    fn push_scales(&self, out: &mut IntRow) {
        out.d.push(f16_to_f32(self.d));
        out.sc.push(1);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Encoding, FormatError, IntRow, decode_row, int_row, testing};

    #[test]
    fn frozen() {
        testing::frozen(Encoding::TQ2_0, include_str!("../tests/data/frozen/tq2_0.txt"));
    }

    #[test]
    fn code_three_decodes_but_is_no_ternary_code() {
        let mut bytes = [0x55; 66];
        bytes[33] = 0x75;
        bytes[64..].copy_from_slice(&[0x00, 0x3c]);
        let mut out = [0.0; 256];
        decode_row(Encoding::TQ2_0, &bytes, &mut out).unwrap();
        assert_eq!(out[128 + 64 + 1], 2.0);
        let err = int_row(Encoding::TQ2_0, &bytes, 256, &mut IntRow::default());
        assert_eq!(err, Err(FormatError::BadCode { encoding: Encoding::TQ2_0, index: 193, code: 3 }));
    }
}
