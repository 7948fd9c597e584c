//! PrismML's PQ2_0: 128 weights in 34 bytes, otherwise as [`crate::q2_0`].

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, f16_to_f32};
use crate::{Encoding, FormatError, IntRow, q2_0};

/// 128 weights: an f16 scale and 2-bit codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockPQ2_0 {
    /// Scale, f16.
    pub d: [u8; 2],
    /// Weight `j` is bits `2(j % 4)+1 : 2(j % 4)` of byte `j/4`. A code of 3 is `+2d`, a value like any other.
    pub qs: [u8; 32],
}

const _: () = assert!(size_of::<BlockPQ2_0>() == 34);

impl Block<128> for BlockPQ2_0 {
    const ENCODING: Encoding = Encoding::PQ2_0;

    fn decode(&self, out: &mut [f32; 128]) {
        q2_0::decode(self.d, &self.qs, out);
    }

    /// As Q2_0's, over 128 weights.
    fn encode(values: &[f32; 128]) -> Result<Self, FormatError> {
        let mut qs = [0; 32];
        let d = q2_0::encode(values, &mut qs)?;
        Ok(Self { d, qs })
    }

    fn codes(&self, out: &mut [u8; 128]) {
        q2_0::codes(&self.qs, out);
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
        testing::frozen(Encoding::PQ2_0, include_str!("../tests/data/frozen/pq2_0.txt"));
    }
}
