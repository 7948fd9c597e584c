//! Rows of any encoding: the one place that picks the file for an encoding.

use crate::block::{decode_blocks, encode_blocks, int_blocks};
use crate::pq2_0::BlockPQ2_0;
use crate::q2_0::BlockQ2_0;
use crate::q4_0::BlockQ4_0;
use crate::q4_1::BlockQ4_1;
use crate::q4_k::BlockQ4K;
use crate::q5_k::BlockQ5K;
use crate::q6_k::BlockQ6K;
use crate::q8_0::BlockQ8_0;
use crate::tq1_0::BlockTQ1_0;
use crate::tq2_0::BlockTQ2_0;
use crate::{Encoding, FormatError, IntRow, dense, per_row, ternary};

/// Decodes one row of `out.len()` weights.
///
/// Values are bit for bit those of GGML's own decoders. A scale that is infinite or not a number is decoded
/// as such.
///
/// # Errors
/// A row length that the encoding does not allow ([`Encoding::row_bytes`]), a `bytes` of another size, and a
/// code of 3 in [`Encoding::Ternary`]. On error `out` may be half written.
pub fn decode_row(enc: Encoding, bytes: &[u8], out: &mut [f32]) -> Result<(), FormatError> {
    enc.check_row(out.len(), bytes.len())?;
    match enc {
        Encoding::F32 => dense::decode_f32(bytes, out),
        Encoding::F16 => dense::decode_f16(bytes, out),
        Encoding::BF16 => dense::decode_bf16(bytes, out),
        Encoding::Q2_0 => decode_blocks::<BlockQ2_0, 64>(bytes, out),
        Encoding::PQ2_0 => decode_blocks::<BlockPQ2_0, 128>(bytes, out),
        Encoding::Q4_0 => decode_blocks::<BlockQ4_0, 32>(bytes, out),
        Encoding::Q4_1 => decode_blocks::<BlockQ4_1, 32>(bytes, out),
        Encoding::Q8_0 => decode_blocks::<BlockQ8_0, 32>(bytes, out),
        Encoding::Q4K => decode_blocks::<BlockQ4K, 256>(bytes, out),
        Encoding::Q5K => decode_blocks::<BlockQ5K, 256>(bytes, out),
        Encoding::Q6K => decode_blocks::<BlockQ6K, 256>(bytes, out),
        Encoding::TQ1_0 => decode_blocks::<BlockTQ1_0, 256>(bytes, out),
        Encoding::TQ2_0 => decode_blocks::<BlockTQ2_0, 256>(bytes, out),
        Encoding::Ternary(scales) => ternary::decode(scales, bytes, out),
        Encoding::PerRow(bits) => {
            per_row::decode(bits, bytes, out);
            Ok(())
        }
    }
}

/// Encodes one row of `values.len()` weights.
///
/// Q4_0, Q4_1, Q8_0, TQ1_0 and TQ2_0 give the bytes of GGML's own quantisers; Q2_0, PQ2_0, Q4_K, Q5_K, Q6_K
/// and [`Encoding::PerRow`] search for good scales; [`Encoding::Ternary`] is [`crate::pack_ternary_row`] with its fit left unread.
///
/// # Errors
/// A row length that the encoding does not allow ([`Encoding::row_bytes`]), an `out` of another size, a value
/// that is not finite, and a value or scale too large for f16 or bf16. On error `out` may be half written.
pub fn encode_row(enc: Encoding, values: &[f32], out: &mut [u8]) -> Result<(), FormatError> {
    enc.check_row(values.len(), out.len())?;
    check_finite(values)?;
    match enc {
        Encoding::F32 => dense::encode_f32(values, out),
        Encoding::F16 => dense::encode_f16(values, out),
        Encoding::BF16 => dense::encode_bf16(values, out),
        Encoding::Q2_0 => encode_blocks::<BlockQ2_0, 64>(values, out),
        Encoding::PQ2_0 => encode_blocks::<BlockPQ2_0, 128>(values, out),
        Encoding::Q4_0 => encode_blocks::<BlockQ4_0, 32>(values, out),
        Encoding::Q4_1 => encode_blocks::<BlockQ4_1, 32>(values, out),
        Encoding::Q8_0 => encode_blocks::<BlockQ8_0, 32>(values, out),
        Encoding::Q4K => encode_blocks::<BlockQ4K, 256>(values, out),
        Encoding::Q5K => encode_blocks::<BlockQ5K, 256>(values, out),
        Encoding::Q6K => encode_blocks::<BlockQ6K, 256>(values, out),
        Encoding::TQ1_0 => encode_blocks::<BlockTQ1_0, 256>(values, out),
        Encoding::TQ2_0 => encode_blocks::<BlockTQ2_0, 256>(values, out),
        Encoding::Ternary(scales) => ternary::pack_ternary_row(values, scales, out).map(|_| ()),
        Encoding::PerRow(bits) => per_row::encode(bits, values, out),
    }
}

/// Takes one row of `cols` weights apart into codes and scales, reusing the memory of `out`.
///
/// The parts combine as [`crate::IntLayout`] says (`enc.int_layout(cols)`) to what [`decode_row`] gives.
///
/// # Errors
/// [`FormatError::NoCodes`] for float encodings, [`FormatError::BadCode`] for a code of 3 in ternary data, a
/// row length that the encoding does not allow, and a `bytes` of another size. On error the contents of `out`
/// are unspecified.
pub fn int_row(enc: Encoding, bytes: &[u8], cols: usize, out: &mut IntRow) -> Result<(), FormatError> {
    match enc {
        Encoding::F32 | Encoding::F16 | Encoding::BF16 => Err(FormatError::NoCodes { encoding: enc }),
        Encoding::Q2_0 => int_blocks::<BlockQ2_0, 64>(bytes, cols, out),
        Encoding::PQ2_0 => int_blocks::<BlockPQ2_0, 128>(bytes, cols, out),
        Encoding::Q4_0 => int_blocks::<BlockQ4_0, 32>(bytes, cols, out),
        Encoding::Q4_1 => int_blocks::<BlockQ4_1, 32>(bytes, cols, out),
        Encoding::Q8_0 => int_blocks::<BlockQ8_0, 32>(bytes, cols, out),
        Encoding::Q4K => int_blocks::<BlockQ4K, 256>(bytes, cols, out),
        Encoding::Q5K => int_blocks::<BlockQ5K, 256>(bytes, cols, out),
        Encoding::Q6K => int_blocks::<BlockQ6K, 256>(bytes, cols, out),
        Encoding::TQ1_0 => int_blocks::<BlockTQ1_0, 256>(bytes, cols, out),
        Encoding::TQ2_0 => {
            int_blocks::<BlockTQ2_0, 256>(bytes, cols, out)?;
            check_ternary(enc, &out.codes)
        }
        Encoding::Ternary(scales) => {
            ternary::int(scales, bytes, cols, out)?;
            check_ternary(enc, &out.codes)
        }
        Encoding::PerRow(bits) => per_row::int(bits, bytes, cols, out),
    }
}

/// The first code that is not 0, 1 or 2 is an error.
pub(crate) fn check_ternary(encoding: Encoding, codes: &[u8]) -> Result<(), FormatError> {
    match codes.iter().position(|&code| code > 2) {
        None => Ok(()),
        Some(index) => Err(FormatError::BadCode { encoding, index, code: codes[index] }),
    }
}

/// The first value that is not finite is an error.
pub(crate) fn check_finite(values: &[f32]) -> Result<(), FormatError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(FormatError::NonFinite { index, value: values[index] }),
    }
}
