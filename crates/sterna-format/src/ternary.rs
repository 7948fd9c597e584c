//! The engine's own ternary row: 2-bit codes in 32-bit words, then the scales.
//!
//! A row of `K` weights is `K/16` little-endian words, code `j` of a word's 16 weights in bits `2j+1:2j`, and
//! after the words the scales: one f16 per 64, 128 or 256 weights, or one f32 for the row ([`ScaleGroup`]). A code
//! is `trit + 1`, so 0, 1, 2 stand for −1, 0, +1, and 3 never occurs. A weight is `(code − 1)·d`.

use bytemuck::{Pod, Zeroable};

use crate::block::{Block, abs_max, blocks, f16_to_f32, f32_to_f16};
use crate::row::{check_finite, check_ternary};
use crate::tq1_0::BlockTQ1_0;
use crate::tq2_0::BlockTQ2_0;
use crate::{Encoding, FormatError, IntRow, ScaleGroup};

/// 16 codes of 2 bits, the first in the low bits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct TernaryWord {
    /// A `u32`, little endian.
    pub bytes: [u8; 4],
}

const _: () = assert!(size_of::<TernaryWord>() == 4);

impl TernaryWord {
    /// Packs 16 codes, of which the low two bits count.
    pub fn pack(codes: &[u8; 16]) -> Self {
        let word = codes.iter().rev().fold(0, |word, &code| word << 2 | u32::from(code & 3));
        Self { bytes: word.to_le_bytes() }
    }

    /// The 16 codes. A 3 is passed on.
    pub fn codes(self) -> [u8; 16] {
        let word = u32::from_le_bytes(self.bytes);
        std::array::from_fn(|j| (word >> (2 * j) & 3) as u8)
    }
}

/// How well [`pack_ternary_row`] matched a row. Errors are those of the stored scale, after its rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TernaryFit {
    /// The largest `|w − s·t|` of the row, in the unit of the weights.
    pub max_abs_error: f64,
    /// The largest `|w − s·t|/max|w|` of any group: 0 for ternary values, near 0.5 for others.
    pub max_relative_error: f64,
    /// `√(Σ(w − s·t)²/Σw²)` over the row, 0 if all weights are zero.
    pub relative_rms: f64,
    /// Whether every value is reproduced exactly.
    pub exact: bool,
}

/// Packs a row of ternary values: per group `s = max|w|` and `t = round(w/s)`, ties away from zero. A group of
/// zeros has a scale of 0.
///
/// `values` are `K` finite weights, `out` the `K/4` bytes of codes and the scales behind them
/// ([`Encoding::row_bytes`] of [`Encoding::Ternary`]). Any values are packed; how well they fit is in the
/// [`TernaryFit`], and whether to go on is the caller's decision. Block scales are f16, so a scale that f16
/// does not hold costs exactness (about 2⁻¹¹) even where every value is `±s` or 0; [`ScaleGroup::Row`] keeps
/// f32 and has no such loss.
///
/// # Errors
/// A row length that the group does not divide, an `out` of another size, a value that is not finite, a scale
/// too large for f16.
pub fn pack_ternary_row(
    values: &[f32],
    group: ScaleGroup,
    out: &mut [u8],
) -> Result<TernaryFit, FormatError> {
    Encoding::Ternary(group).check_row(values.len(), out.len())?;
    check_finite(values)?;
    let each = group.len(values.len());
    let (codes, scales) = out.split_at_mut(values.len() / 4);
    let mut fit = TernaryFit { exact: true, ..TernaryFit::default() };
    let (mut errors, mut squares) = (0.0, 0.0);
    for ((values, codes), scale) in
        values.chunks(each).zip(codes.chunks_mut(each / 4)).zip(scales.chunks_mut(group.scale_bytes()))
    {
        let largest = abs_max(values);
        let stored = write_scale(group, largest, scale)?;
        let trit = |w: f32| if stored == 0.0 { 0.0 } else { (w / largest).round() };
        let (words, _) = codes.as_chunks_mut::<4>();
        let (word_values, _) = values.as_chunks::<16>();
        for (word, values) in words.iter_mut().zip(word_values) {
            *word = TernaryWord::pack(&values.map(|w| (trit(w) + 1.0) as u8)).bytes;
        }
        let mut worst = 0.0_f64;
        for &w in values {
            let error = f64::from(w) - f64::from(stored) * f64::from(trit(w));
            worst = worst.max(error.abs());
            errors += error * error;
            squares += f64::from(w) * f64::from(w);
        }
        fit.exact &= worst == 0.0;
        fit.max_abs_error = fit.max_abs_error.max(worst);
        if largest > 0.0 {
            fit.max_relative_error = fit.max_relative_error.max(worst / f64::from(largest));
        }
    }
    if squares > 0.0 {
        fit.relative_rms = (errors / squares).sqrt();
    }
    Ok(fit)
}

/// Repacks a row of GGML's TQ1_0 or TQ2_0 to [`ScaleGroup::Block256`] words without loss: the codes and the
/// f16 scales are the same.
///
/// `cols` is a multiple of 256, `out` takes 66 bytes per 256 weights.
///
/// # Errors
/// [`FormatError::NotTernary`] for another encoding, [`FormatError::BadCode`] for a code of 3, and wrong
/// lengths. On error `out` may be half written.
pub fn ternary_from_codes(
    enc: Encoding,
    bytes: &[u8],
    cols: usize,
    out: &mut [u8],
) -> Result<(), FormatError> {
    match enc {
        Encoding::TQ1_0 => repack(blocks::<BlockTQ1_0, 256>(bytes, cols)?, |b| b.d, out),
        Encoding::TQ2_0 => repack(blocks::<BlockTQ2_0, 256>(bytes, cols)?, |b| b.d, out),
        _ => Err(FormatError::NotTernary { encoding: enc }),
    }
}

fn repack<B: Block<256>>(
    blocks: &[B],
    scale_of: impl Fn(&B) -> [u8; 2],
    out: &mut [u8],
) -> Result<(), FormatError> {
    let cols = blocks.len() * 256;
    Encoding::Ternary(ScaleGroup::Block256).check_row(cols, out.len())?;
    let (words, scales) = out.split_at_mut(cols / 4);
    let (words, _) = words.as_chunks_mut::<4>();
    let (scales, _) = scales.as_chunks_mut::<2>();
    let mut codes = [0; 256];
    for (index, ((block, words), scale)) in blocks.iter().zip(words.chunks_mut(16)).zip(scales).enumerate() {
        block.codes(&mut codes);
        check_ternary(B::ENCODING, &codes).map_err(|error| match error {
            FormatError::BadCode { encoding, index: within, code } => {
                FormatError::BadCode { encoding, index: index * 256 + within, code }
            }
            other => other,
        })?;
        let (word_codes, _) = codes.as_chunks::<16>();
        for (word, codes) in words.iter_mut().zip(word_codes) {
            *word = TernaryWord::pack(codes).bytes;
        }
        *scale = scale_of(block);
    }
    Ok(())
}

/// Decodes a row whose lengths were checked.
pub(crate) fn decode(group: ScaleGroup, bytes: &[u8], out: &mut [f32]) -> Result<(), FormatError> {
    let encoding = Encoding::Ternary(group);
    encoding.check_row(out.len(), bytes.len())?;
    let each = group.len(out.len());
    let (words, scales) = bytes.split_at(out.len() / 4);
    let (words, _) = words.as_chunks::<4>();
    let scales = scales.chunks(group.scale_bytes());
    for (g, ((values, words), scale)) in
        out.chunks_mut(each).zip(words.chunks(each / 16)).zip(scales).enumerate()
    {
        let d = read_scale(scale);
        let (word_values, _) = values.as_chunks_mut::<16>();
        for (w, (values, word)) in word_values.iter_mut().zip(words).enumerate() {
            let codes = TernaryWord { bytes: *word }.codes();
            if let Some(j) = codes.iter().position(|&code| code > 2) {
                return Err(FormatError::BadCode { encoding, index: g * each + w * 16 + j, code: codes[j] });
            }
            *values = codes.map(|code| d * (f32::from(code) - 1.0));
        }
    }
    Ok(())
}

/// Takes a row apart; the caller looks for bad codes.
pub(crate) fn int(group: ScaleGroup, bytes: &[u8], cols: usize, out: &mut IntRow) -> Result<(), FormatError> {
    Encoding::Ternary(group).check_row(cols, bytes.len())?;
    out.reset(cols);
    let (words, scales) = bytes.split_at(cols / 4);
    let (words, _) = words.as_chunks::<4>();
    let (codes, _) = out.codes.as_chunks_mut::<16>();
    for (codes, word) in codes.iter_mut().zip(words) {
        *codes = TernaryWord { bytes: *word }.codes();
    }
    out.d.extend(scales.chunks(group.scale_bytes()).map(read_scale));
    out.sc.resize(out.d.len(), 1);
    Ok(())
}

/// A stored scale: f16 in two bytes, f32 in four.
fn read_scale(bytes: &[u8]) -> f32 {
    match *bytes {
        [a, b] => f16_to_f32([a, b]),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
        // No other length reaches this: rows are checked and cut into scales of these sizes.
        _ => f32::NAN,
    }
}

/// Stores a scale and gives what was stored.
fn write_scale(group: ScaleGroup, scale: f32, out: &mut [u8]) -> Result<f32, FormatError> {
    match group {
        ScaleGroup::Block64 | ScaleGroup::Block128 | ScaleGroup::Block256 => {
            out.copy_from_slice(&f32_to_f16(scale)?);
        }
        ScaleGroup::Row => out.copy_from_slice(&scale.to_le_bytes()),
    }
    Ok(read_scale(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{int_row, testing};

    #[test]
    fn frozen() {
        let e = |group| Encoding::Ternary(group);
        testing::frozen(e(ScaleGroup::Block64), include_str!("../tests/data/frozen/ternary-64.txt"));
        testing::frozen(e(ScaleGroup::Block128), include_str!("../tests/data/frozen/ternary-128.txt"));
        testing::frozen(e(ScaleGroup::Block256), include_str!("../tests/data/frozen/ternary-256.txt"));
        testing::frozen(e(ScaleGroup::Row), include_str!("../tests/data/frozen/ternary-row.txt"));
    }

    #[test]
    fn code_three_is_an_error_everywhere() {
        let mut bytes = [0x55; 34 * 2];
        bytes[33] = 0xd5;
        let encoding = Encoding::Ternary(ScaleGroup::Block128);
        let expected = Err(FormatError::BadCode { encoding, index: 135, code: 3 });
        assert_eq!(crate::decode_row(encoding, &bytes, &mut [0.0; 256]), expected);
        assert_eq!(int_row(encoding, &bytes, 256, &mut IntRow::default()), expected);

        let mut tq2 = [0x55; 66 * 2];
        tq2[66 + 1] = 0xd5;
        let err = ternary_from_codes(Encoding::TQ2_0, &tq2, 512, &mut [0; 132]);
        assert_eq!(err, Err(FormatError::BadCode { encoding: Encoding::TQ2_0, index: 256 + 97, code: 3 }));
    }
}
