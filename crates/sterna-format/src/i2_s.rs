//! Microsoft's I2_S (GGML type id 36): ternary codes of a whole tensor, then one f32 scale for all of it.
//!
//! It is no [`crate::Encoding`], since a row of it does not hold its scale: [`row_to_ternary`] makes
//! [`ScaleGroup::Row`] rows of it, without loss. A tensor of `n` weights is `n/4` bytes of codes and the scale at
//! byte `n/4`, padded to 32 bytes ([`tensor_bytes`]). A weight is `(code − 1)·scale`, and a code of 3 never occurs.
//!
//! Read is the layout of x86 builds, which published files have: per 128 weights 32 bytes, weight `32j + m` in bits
//! `7−2j : 6−2j` of byte `m` (the first quarter in the top bits). Builds for ARM interleave 64 weights, and other
//! builds four rows; a file does not say which. A code of 3 tells that a file is damaged or of another layout.

use crate::{Encoding, FormatError, ScaleGroup};

/// GGML's type id of I2_S.
pub const GGML_ID: u32 = 36;

/// Weights that 32 bytes hold; a row's length must be a multiple of it.
pub const BLOCK_LEN: usize = 128;

const ROW: Encoding = Encoding::Ternary(ScaleGroup::Row);

/// Bytes of the codes of a tensor `[rows, cols]`, and after them 4 bytes of scale. Padding is not counted.
///
/// # Errors
/// [`FormatError::I2sRow`] when `cols` is 0 or no multiple of [`BLOCK_LEN`], [`FormatError::Overflow`].
pub fn tensor_bytes(rows: usize, cols: usize) -> Result<usize, FormatError> {
    check_cols(cols)?;
    (cols / 4)
        .checked_mul(rows)
        .and_then(|codes| codes.checked_add(4))
        .ok_or(FormatError::Overflow { encoding: ROW, cols })
}

fn check_cols(cols: usize) -> Result<(), FormatError> {
    if cols == 0 || !cols.is_multiple_of(BLOCK_LEN) {
        return Err(FormatError::I2sRow { cols });
    }
    Ok(())
}

/// Repacks the codes of one row (`cols/4` bytes, `cols` a multiple of [`BLOCK_LEN`]) with the tensor's scale to
/// [`ScaleGroup::Row`] words: `out` takes `cols/4 + 4` bytes.
///
/// # Errors
/// [`FormatError::I2sCode`] for a code of 3, [`FormatError::NonFinite`] for a scale that is not finite, and wrong
/// lengths. On error `out` may be half written.
pub fn row_to_ternary(codes: &[u8], scale: f32, out: &mut [u8]) -> Result<(), FormatError> {
    let cols = codes.len().checked_mul(4).ok_or(FormatError::Overflow { encoding: ROW, cols: usize::MAX })?;
    check_cols(cols)?;
    ROW.check_row(cols, out.len())?;
    if !scale.is_finite() {
        return Err(FormatError::NonFinite { index: 0, value: scale });
    }
    let (words, stored) = out.split_at_mut(cols / 4);
    let (blocks, _) = codes.as_chunks::<32>();
    let (outs, _) = words.as_chunks_mut::<32>();
    for (at, (block, out)) in blocks.iter().zip(outs).enumerate() {
        if let Some(m) = block.iter().position(|b| b & b >> 1 & 0x55 != 0) {
            // The first quarter that has it, of the first byte that does.
            let j = (0..4).find(|j| block[m] >> (6 - 2 * j) & 3 == 3).unwrap_or(0);
            return Err(FormatError::I2sCode { index: at * BLOCK_LEN + 32 * j + m });
        }
        let (eights, _) = block.as_chunks::<8>();
        let (quarters, _) = out.as_chunks_mut::<8>();
        for (j, quarter) in quarters.iter_mut().enumerate() {
            let (pairs, _) = quarter.as_chunks_mut::<2>();
            for (pair, eight) in pairs.iter_mut().zip(eights) {
                *pair = eight_codes(u64::from_le_bytes(*eight) >> (6 - 2 * j)).to_le_bytes();
            }
        }
    }
    stored.copy_from_slice(&scale.to_le_bytes());
    Ok(())
}

/// The low two bits of eight bytes, side by side.
fn eight_codes(bytes: u64) -> u16 {
    let x = bytes & 0x0303_0303_0303_0303;
    let x = (x | x >> 6) & 0x000f_000f_000f_000f;
    let x = (x | x >> 12) & 0x0000_00ff_0000_00ff;
    (x | x >> 24) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// The frozen tensor is of one row: 256 codes, then the scale.
    #[test]
    fn frozen() {
        let text = include_str!("../tests/data/frozen/i2_s.txt");
        let bytes = testing::bytes_of(text);
        assert_eq!(tensor_bytes(1, 256), Ok(bytes.len()));
        let (codes, scale) = bytes.split_at(64);
        let mut row = [0; 68];
        row_to_ternary(codes, f32::from_le_bytes(scale.try_into().unwrap()), &mut row).unwrap();
        testing::frozen_row(ROW, &row, text);
    }

    #[test]
    fn code_three_is_named_with_its_place() {
        for (byte, bits, index) in [(0, 0xc0, 0), (31, 0x03, 96 + 31), (32 + 5, 0x30, 128 + 32 + 5)] {
            let mut codes = [0x55; 64];
            codes[byte] = bits;
            assert_eq!(row_to_ternary(&codes, 1.0, &mut [0; 68]), Err(FormatError::I2sCode { index }));
        }
        // 2 beside 1 in one byte is no 3.
        row_to_ternary(&[0x99; 64], 1.0, &mut [0; 68]).unwrap();
    }

    #[test]
    fn lengths_and_scales_are_checked() {
        assert_eq!(tensor_bytes(3, 128), Ok(100));
        for cols in [0, 64, 129, usize::MAX] {
            assert_eq!(tensor_bytes(1, cols), Err(FormatError::I2sRow { cols }));
        }
        assert!(matches!(tensor_bytes(usize::MAX, 128), Err(FormatError::Overflow { .. })));
        assert!(row_to_ternary(&[0; 31], 1.0, &mut [0; 36]).is_err());
        assert!(row_to_ternary(&[], 1.0, &mut []).is_err());
        assert!(row_to_ternary(&[0; 32], 1.0, &mut [0; 32]).is_err());
        assert!(matches!(
            row_to_ternary(&[0; 32], f32::NAN, &mut [0; 36]),
            Err(FormatError::NonFinite { .. })
        ));
    }
}
