//! Rows of floats: f32, f16 and bf16, one after the other, little endian.
//!
//! Decoding is exact. Encoding to f16 and bf16 rounds to nearest, ties to even.

use half::{bf16, f16};

use crate::{Encoding, FormatError};

const _: () = assert!(size_of::<f16>() == 2 && size_of::<bf16>() == 2);

/// Decodes a row of `out.len()` f32.
///
/// # Errors
/// A `bytes` that is not 4 bytes per weight, an empty row.
pub fn decode_f32(bytes: &[u8], out: &mut [f32]) -> Result<(), FormatError> {
    Encoding::F32.check_row(out.len(), bytes.len())?;
    decode(bytes, out, f32::from_le_bytes);
    Ok(())
}

/// Decodes a row of `out.len()` f16.
///
/// # Errors
/// A `bytes` that is not 2 bytes per weight, an empty row.
pub fn decode_f16(bytes: &[u8], out: &mut [f32]) -> Result<(), FormatError> {
    Encoding::F16.check_row(out.len(), bytes.len())?;
    decode(bytes, out, |b| f16::from_le_bytes(b).to_f32());
    Ok(())
}

/// Decodes a row of `out.len()` bf16.
///
/// # Errors
/// A `bytes` that is not 2 bytes per weight, an empty row.
pub fn decode_bf16(bytes: &[u8], out: &mut [f32]) -> Result<(), FormatError> {
    Encoding::BF16.check_row(out.len(), bytes.len())?;
    decode(bytes, out, |b| f32::from_bits(u32::from(u16::from_le_bytes(b)) << 16));
    Ok(())
}

/// Encodes a row of f32, bit for bit.
///
/// # Errors
/// An `out` that is not 4 bytes per weight, an empty row.
pub fn encode_f32(values: &[f32], out: &mut [u8]) -> Result<(), FormatError> {
    Encoding::F32.check_row(values.len(), out.len())?;
    encode(values, out, |v| Ok(v.to_le_bytes()))
}

/// Encodes a row of f16.
///
/// # Errors
/// An `out` that is not 2 bytes per weight, an empty row, [`FormatError::OutOfRange`] for a value that rounds
/// to infinity.
pub fn encode_f16(values: &[f32], out: &mut [u8]) -> Result<(), FormatError> {
    Encoding::F16.check_row(values.len(), out.len())?;
    encode(values, out, |v| fits(f16::from_f32(v).is_finite(), "f16", v, f16::from_f32(v).to_le_bytes()))
}

/// Encodes a row of bf16.
///
/// # Errors
/// An `out` that is not 2 bytes per weight, an empty row, [`FormatError::OutOfRange`] for a value that rounds
/// to infinity.
pub fn encode_bf16(values: &[f32], out: &mut [u8]) -> Result<(), FormatError> {
    Encoding::BF16.check_row(values.len(), out.len())?;
    encode(values, out, |v| fits(bf16::from_f32(v).is_finite(), "bf16", v, bf16::from_f32(v).to_le_bytes()))
}

fn fits<T>(finite: bool, storage: &'static str, value: f32, stored: T) -> Result<T, FormatError> {
    if finite { Ok(stored) } else { Err(FormatError::OutOfRange { storage, value: f64::from(value) }) }
}

fn decode<const B: usize>(bytes: &[u8], out: &mut [f32], from: impl Fn([u8; B]) -> f32) {
    let (items, _) = bytes.as_chunks::<B>();
    for (item, value) in items.iter().zip(out) {
        *value = from(*item);
    }
}

fn encode<const B: usize>(
    values: &[f32],
    out: &mut [u8],
    to: impl Fn(f32) -> Result<[u8; B], FormatError>,
) -> Result<(), FormatError> {
    let (items, _) = out.as_chunks_mut::<B>();
    for (item, value) in items.iter_mut().zip(values) {
        *item = to(*value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{decode_row, encode_row};

    /// Sign, zero, subnormal, ordinary, largest, in each type's own bits.
    #[test]
    fn frozen() {
        let mut out = [0.0; 6];
        let halves = [0x00, 0x80, 0x01, 0x00, 0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x55, 0x35];
        decode_row(Encoding::F16, &halves, &mut out).unwrap();
        assert_eq!(out, [-0.0, 5.960_464_5e-8, 1.0, -2.0, 65504.0, 0.333_251_95]);
        assert!(out[0].is_sign_negative());
        let brains = [0x00, 0x80, 0x01, 0x00, 0x80, 0x3f, 0x00, 0xc0, 0x7f, 0x7f, 0xab, 0x3e];
        decode_row(Encoding::BF16, &brains, &mut out).unwrap();
        assert_eq!(out, [-0.0, 9.183_55e-41, 1.0, -2.0, 3.389_531_4e38, 0.333_984_38]);
        let floats = [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0];
        decode_row(Encoding::F32, &floats, &mut out[..2]).unwrap();
        assert_eq!(out[..2], [1.0, -2.0]);
    }

    #[test]
    fn rounding_is_to_even_and_overflow_is_an_error() {
        let mut out = [0; 4];
        encode_row(Encoding::F16, &[1.0 + 1.0 / 2048.0, 1.0 + 3.0 / 2048.0], &mut out).unwrap();
        assert_eq!(out, [0x00, 0x3c, 0x02, 0x3c]);
        encode_row(Encoding::BF16, &[1.0 + 1.0 / 256.0, 1.0 + 3.0 / 256.0], &mut out).unwrap();
        assert_eq!(out, [0x80, 0x3f, 0x82, 0x3f]);
        let wide = encode_row(Encoding::F16, &[65519.0, 65520.0], &mut out);
        assert_eq!(wide, Err(FormatError::OutOfRange { storage: "f16", value: 65520.0 }));
        assert!(encode_row(Encoding::BF16, &[1.0, f32::MAX], &mut out).is_err());
    }
}
