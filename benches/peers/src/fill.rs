//! Random valid rows of every format that the generator writes.
//!
//! Values are about as large as those of a trained model, so that nothing overflows and no activation vanishes; what
//! they are else does not matter to speed or memory.

use half::{bf16, f16};
use sterna_format::Encoding;
use sterna_probe::synthetic::Random;

/// Fills `out`, whole rows of `cols` weights, with random ones. Vectors (F32) are ones.
pub fn fill(encoding: Encoding, cols: usize, random: &mut Random, out: &mut [u8]) {
    // Three of four ternary weights carry the variance; a row of such values maps unit inputs to unit outputs.
    let ternary = f16::from_f32(1.0 / (cols as f32 * 0.5).sqrt());
    // Uniform codes have a spread of about 0.6 of their largest value.
    let dense = |largest: f32| f16::from_f32(1.0 / (cols as f32).sqrt() / (0.58 * largest));
    match encoding {
        Encoding::TQ2_0 => blocks(out, 66, |b| {
            two_bit_trits(&mut b[..64], random);
            put(&mut b[64..], ternary);
        }),
        Encoding::TQ1_0 => blocks(out, 54, |b| {
            five_trits(&mut b[..48], 243, random);
            five_trits(&mut b[48..52], 81, random);
            put(&mut b[52..], ternary);
        }),
        Encoding::Q4_0 => blocks(out, 18, |b| {
            put(b, dense(8.0));
            any(&mut b[2..], random);
        }),
        Encoding::Q8_0 => blocks(out, 34, |b| {
            put(b, dense(128.0));
            any(&mut b[2..], random);
        }),
        Encoding::Q4K => {
            // value = d * scale * code - m * minimum: codes average 7.5, scales and minima alike.
            let d = 1.0 / (cols as f32).sqrt() / 190.0;
            blocks(out, 144, |b| {
                put(b, f16::from_f32(d));
                put(&mut b[2..], f16::from_f32(7.5 * d));
                any(&mut b[4..], random);
            });
        }
        Encoding::Q6K => blocks(out, 210, |b| {
            any(&mut b[..192], random);
            for scale in &mut b[192..208] {
                *scale = 16 + (random.bits() & 15) as u8;
            }
            put(&mut b[208..], dense(32.0 * 24.0));
        }),
        Encoding::BF16 => {
            let size = (3.0 / cols as f32).sqrt();
            blocks(out, 2, |b| {
                let unit = (random.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
                b.copy_from_slice(&bf16::from_f32(unit * size).to_bits().to_le_bytes());
            });
        }
        _ => blocks(out, 4, |b| b.copy_from_slice(&1f32.to_le_bytes())),
    }
}

fn blocks(out: &mut [u8], size: usize, mut each: impl FnMut(&mut [u8])) {
    out.chunks_exact_mut(size).for_each(&mut each);
}

fn put(out: &mut [u8], value: f16) {
    out[..2].copy_from_slice(&value.to_bits().to_le_bytes());
}

fn any(out: &mut [u8], random: &mut Random) {
    for eight in out.chunks_mut(8) {
        eight.copy_from_slice(&random.bits().to_le_bytes()[..eight.len()]);
    }
}

/// Two bits of which 3 never occurs: 0, 1, 2 with 1/4, 1/2, 1/4.
fn two_bit_trits(out: &mut [u8], random: &mut Random) {
    for eight in out.chunks_mut(8) {
        let r = random.bits();
        let r = r & !((r << 1) & 0xaaaa_aaaa_aaaa_aaaa);
        eight.copy_from_slice(&r.to_le_bytes()[..eight.len()]);
    }
}

/// Bytes of five ternary digits (`values` 243), or of four (`values` 81, which leaves the fifth zero): the number in
/// base 3, stretched from 243 to 256 and rounded up, as the format reads it back by multiplying.
fn five_trits(out: &mut [u8], values: u32, random: &mut Random) {
    for eight in out.chunks_mut(8) {
        for (byte, r) in eight.iter_mut().zip(random.bits().to_le_bytes()) {
            let number = ((u32::from(r) * values) >> 8) * (243 / values);
            *byte = (number * 256).div_ceil(243) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::FORMATS;

    #[test]
    fn rows_are_valid_vary_and_have_sane_values() {
        for encoding in FORMATS.iter().chain([&Encoding::BF16]) {
            let (cols, rows) = (512, 8);
            let width = encoding.row_bytes(cols).unwrap();
            let mut data = vec![0; rows * width];
            fill(*encoding, cols, &mut Random(3), &mut data);
            let mut squares = 0.0;
            for row in data.chunks_exact(width) {
                let mut values = vec![0f32; cols];
                sterna_format::decode_row(*encoding, row, &mut values).unwrap();
                let codes =
                    sterna_format::int_row(*encoding, row, cols, &mut sterna_format::IntRow::default());
                assert_eq!(codes.is_ok(), *encoding != Encoding::BF16);
                assert!(values.iter().any(|v| *v != values[0]), "{encoding}");
                let mean = values.iter().sum::<f32>() / cols as f32;
                assert!(mean.abs() < 0.03, "{encoding}: {mean}");
                squares += values.iter().map(|v| v * v).sum::<f32>();
            }
            // A unit input gives an output of about one.
            let gain = squares / rows as f32;
            assert!((0.3..3.0).contains(&gain), "{encoding}: {gain}");
        }
    }

    #[test]
    fn ternary_bytes_are_those_that_the_encoder_writes() {
        let mut row = vec![0; 54];
        fill(Encoding::TQ1_0, 256, &mut Random(9), &mut row);
        let mut values = vec![0f32; 256];
        sterna_format::decode_row(Encoding::TQ1_0, &row, &mut values).unwrap();
        let mut again = vec![0; 54];
        sterna_format::encode_row(Encoding::TQ1_0, &values, &mut again).unwrap();
        assert_eq!(row, again);
    }

    #[test]
    fn norms_are_ones() {
        let mut row = vec![0; 16];
        fill(Encoding::F32, 4, &mut Random(1), &mut row);
        assert_eq!(row, [1f32.to_le_bytes(); 4].concat());
    }
}
