//! The 12 bytes in which Q4_K and Q5_K keep eight 6-bit scales and eight 6-bit minima, and their search.
//!
//! Sub-block `b < 4` has its scale in the low 6 bits of byte `b` and its minimum in those of byte `b + 4`.
//! Sub-block `b ≥ 4` has the low 4 bits of both in byte `b + 4` (scale low, minimum high) and the high 2 bits
//! in the top of bytes `b − 4` (scale) and `b` (minimum).

use crate::FormatError;
use crate::block::{f16_to_f32, f32_to_f16};
use crate::search::{Sweep, fit_affine};

/// Scales and minima of the eight sub-blocks, each below 64.
pub(crate) fn unpack(s: &[u8; 12]) -> ([u8; 8], [u8; 8]) {
    let (mut sc, mut mn) = ([0; 8], [0; 8]);
    for b in 0..4 {
        sc[b] = s[b] & 63;
        mn[b] = s[b + 4] & 63;
        sc[b + 4] = s[b + 8] & 15 | s[b] >> 6 << 4;
        mn[b + 4] = s[b + 8] >> 4 | s[b + 4] >> 6 << 4;
    }
    (sc, mn)
}

/// The inverse of [`unpack`].
pub(crate) fn pack(sc: &[u8; 8], mn: &[u8; 8]) -> [u8; 12] {
    let mut s = [0; 12];
    for b in 0..4 {
        s[b] = sc[b] & 63 | sc[b + 4] >> 4 << 6;
        s[b + 4] = mn[b] & 63 | mn[b + 4] >> 4 << 6;
        s[b + 8] = sc[b + 4] & 15 | mn[b + 4] << 4;
    }
    s
}

/// What the search finds for 256 weights.
pub(crate) struct KFit {
    /// Scale of the sub-block scales, f16.
    pub d: [u8; 2],
    /// Scale of the sub-block minima, f16.
    pub dmin: [u8; 2],
    /// Sub-block scales and minima, packed.
    pub scales: [u8; 12],
    /// Codes in weight order, up to the largest asked for.
    pub codes: [u8; 256],
}

/// Finds scales, minima and codes `0..=max_code` for 256 finite values: each sub-block of 32 is fitted on its
/// own, scales and minima are rounded to 6 bits, and the codes are then chosen for what was really stored.
pub(crate) fn fit(values: &[f32; 256], max_code: u8, sweep: Sweep) -> Result<KFit, FormatError> {
    let (subs, _) = values.as_chunks::<32>();
    let (mut scale, mut min) = ([0.0; 8], [0.0; 8]);
    for (b, sub) in subs.iter().enumerate() {
        (scale[b], min[b]) = fit_affine(sub, max_code, sweep);
    }
    let (d, sc) = six_bits(&scale)?;
    let (dmin, mn) = six_bits(&min)?;
    let mut codes = [0; 256];
    let (code_subs, _) = codes.as_chunks_mut::<32>();
    for (b, (codes, sub)) in code_subs.iter_mut().zip(subs).enumerate() {
        let step = f64::from(f16_to_f32(d)) * f64::from(sc[b]);
        let shift = f64::from(f16_to_f32(dmin)) * f64::from(mn[b]);
        if step > 0.0 {
            *codes =
                sub.map(|v| ((f64::from(v) + shift) / step).round().clamp(0.0, f64::from(max_code)) as u8);
        }
    }
    Ok(KFit { d, dmin, scales: pack(&sc, &mn), codes })
}

/// Eight values of at least 0 as multiples, up to 63, of one f16.
fn six_bits(values: &[f64; 8]) -> Result<([u8; 2], [u8; 8]), FormatError> {
    let stored = f32_to_f16((values.iter().fold(0.0_f64, |max, &v| max.max(v)) / 63.0) as f32)?;
    let unit = f64::from(f16_to_f32(stored));
    let round = |v: f64| if unit > 0.0 { (v / unit).round().min(63.0) as u8 } else { 0 };
    Ok((stored, values.map(round)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_goes_back_and_forth() {
        let sc = [0, 63, 21, 42, 63, 0, 37, 18];
        let mn = [63, 1, 32, 31, 5, 62, 16, 48];
        assert_eq!(unpack(&pack(&sc, &mn)), (sc, mn));
        let bytes = [0xff, 0x13, 0x80, 0x41, 0x07, 0xc0, 0x3f, 0x99, 0xf0, 0x0f, 0xa5, 0x5a];
        let (sc, mn) = unpack(&bytes);
        assert_eq!(pack(&sc, &mn), bytes);
    }
}
