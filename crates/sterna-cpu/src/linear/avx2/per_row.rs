//! Rows of 2-, 4- and 8-bit whole numbers with one scale: one group as long as the row, so the dot is one integer.
//!
//! Activations may be -128 here: a scale that the model names clamps to the whole of int8. Bounds on the int16 sums: 2-bit
//! codes 0 to 3 over 128 inputs, 32 steps of 2 * 3 * 128 = 24,576; 4-bit ones over 32, and halves of bytes over 32,
//! 8 steps of 2 * 15 * 128 = 30,720.

use super::*;

/// Blocks of 16 inputs between two flushes of int16 sums.
const MOST: usize = 8;

/// A whole panel.
#[inline(always)]
pub unsafe fn run<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let g = *r.geometry;
    let shift = match (g.kind, g.zero) {
        (Kind::B2, 2) => 1,
        (Kind::B4, 8) => 3,
        (Kind::B8, 0) => 0,
        other => unreachable!("rows of {other:?}"),
    };
    assert!(g.per_row && g.group == g.cols && g.cols.is_multiple_of(32) && a.width == NC);
    assert!(a.bytes.len() == g.cols * NC && a.sums.len() == NC && r.first == 0);
    assert!(r.bytes.len() == g.record_bytes() && r.row_d.is_some());
    let (p, q) = (r.bytes.as_ptr(), a.bytes.as_ptr().cast::<u8>());
    // SAFETY: the codes of `cols` inputs of 16 rows lie behind `p`, `cols * NC` activations behind `q`, as asserted.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        let mut isum = zeros::<NC>();
        match g.kind {
            Kind::B2 => ternary::add::<NC, MOST>(p, q, g.cols / 16, &mut isum),
            Kind::B4 => {
                for from in (0..g.cols).step_by(32) {
                    let sum = nibbles::sub_block::<NC, FARTHER>(p.add(8 * from), q.add(from * NC), 4);
                    for c in 0..NC {
                        for v in 0..2 {
                            isum[c][v] = _mm256_add_epi32(isum[c][v], pairs(sum[c][v]));
                        }
                    }
                }
            }
            _ => isum = bytes::by_halves::<NC>(p, q, g.cols, a.sums),
        }
        if shift > 0 {
            for c in 0..NC {
                let zero = _mm256_set1_epi32(a.sums[c] << shift);
                isum[c] = isum[c].map(|v| _mm256_sub_epi32(v, zero));
            }
        }
        add_group::<NC>(&mut out, &isum, scales(&r, p), a, 0);
        store_acc::<NC>(out, acc);
    }
}
