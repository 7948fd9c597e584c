//! What every block encoding has in common, and the loops over blocks.

use bytemuck::Pod;
use half::f16;

use crate::{Encoding, FormatError, IntRow};

/// A block of `N` consecutive weights of one row, in the bytes that lie in a file.
pub trait Block<const N: usize>: Pod {
    /// The encoding that this block belongs to.
    const ENCODING: Encoding;

    /// Writes the `N` values, exactly as GGML's own decoder gives them.
    fn decode(&self, out: &mut [f32; N]);

    /// The block nearest to `values`, which must be finite (a caller's check: see [`crate::encode_row`]).
    ///
    /// # Errors
    /// [`FormatError::OutOfRange`] when a scale does not fit f16.
    fn encode(values: &[f32; N]) -> Result<Self, FormatError>;

    /// Writes the `N` unsigned codes.
    fn codes(&self, out: &mut [u8; N]);

    /// Appends the block's scales to `d`, `dmin`, `sc` and `mn`; leaves `codes` alone.
    fn push_scales(&self, out: &mut IntRow);
}

/// Decodes a row. Lengths are checked.
pub(crate) fn decode_blocks<B: Block<N>, const N: usize>(
    bytes: &[u8],
    out: &mut [f32],
) -> Result<(), FormatError> {
    let (values, _) = out.as_chunks_mut::<N>();
    for (block, values) in blocks::<B, N>(bytes, values.len() * N)?.iter().zip(values) {
        block.decode(values);
    }
    Ok(())
}

/// Encodes a row. Lengths are checked.
pub(crate) fn encode_blocks<B: Block<N>, const N: usize>(
    values: &[f32],
    out: &mut [u8],
) -> Result<(), FormatError> {
    let cols = values.len();
    B::ENCODING.check_row(cols, out.len())?;
    let got = out.len();
    let blocks: &mut [B] = bytemuck::try_cast_slice_mut(out).map_err(|_| wrong_length::<B, N>(cols, got))?;
    let (values, _) = values.as_chunks::<N>();
    for (block, values) in blocks.iter_mut().zip(values) {
        *block = B::encode(values)?;
    }
    Ok(())
}

/// Takes a row apart. Lengths are checked.
pub(crate) fn int_blocks<B: Block<N>, const N: usize>(
    bytes: &[u8],
    cols: usize,
    out: &mut IntRow,
) -> Result<(), FormatError> {
    let blocks = blocks::<B, N>(bytes, cols)?;
    out.reset(cols);
    for block in blocks {
        block.push_scales(out);
    }
    let (codes, _) = out.codes.as_chunks_mut::<N>();
    for (block, codes) in blocks.iter().zip(codes) {
        block.codes(codes);
    }
    Ok(())
}

/// The blocks of a row of `cols` weights.
pub(crate) fn blocks<B: Block<N>, const N: usize>(bytes: &[u8], cols: usize) -> Result<&[B], FormatError> {
    B::ENCODING.check_row(cols, bytes.len())?;
    bytemuck::try_cast_slice(bytes).map_err(|_| wrong_length::<B, N>(cols, bytes.len()))
}

fn wrong_length<B: Block<N>, const N: usize>(cols: usize, got: usize) -> FormatError {
    FormatError::BytesLength { encoding: B::ENCODING, cols, expected: cols / N * size_of::<B>(), got }
}

/// A stored f16 as f32.
pub(crate) fn f16_to_f32(bytes: [u8; 2]) -> f32 {
    f16::from_le_bytes(bytes).to_f32()
}

/// The nearest f16 (ties to even), in bytes.
pub(crate) fn f32_to_f16(value: f32) -> Result<[u8; 2], FormatError> {
    let half = f16::from_f32(value);
    if half.is_finite() {
        Ok(half.to_le_bytes())
    } else {
        Err(FormatError::OutOfRange { storage: "f16", value: f64::from(value) })
    }
}

/// `1/d`, or 0 where that is not finite: a block of zeros, or one too small to matter.
pub(crate) fn inverse(d: f32) -> f32 {
    let inverse = 1.0 / d;
    if inverse.is_finite() { inverse } else { 0.0 }
}

/// The largest magnitude.
pub(crate) fn abs_max(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |max, v| v.abs().max(max))
}
