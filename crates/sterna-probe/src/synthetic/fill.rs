//! Random valid rows of every encoding.

use sterna_format::{Encoding, ScaleGroup};

use super::Random;

/// Where a block of random bytes has its f16 scales, and for each the share of the largest wanted value.
fn halves(encoding: Encoding) -> &'static [(usize, f32)] {
    match encoding {
        Encoding::Q2_0 | Encoding::PQ2_0 => &[(0, 0.5)],
        Encoding::Q4_0 => &[(0, 1.0 / 8.0)],
        Encoding::Q4_1 => &[(0, 2.0 / 15.0), (2, -1.0)],
        Encoding::Q8_0 => &[(0, 1.0 / 127.0)],
        // 6-bit scales and minima, codes up to 15 and 31.
        Encoding::Q4K => &[(0, 2.0 / (63.0 * 15.0)), (2, 1.0 / 63.0)],
        Encoding::Q5K => &[(0, 2.0 / (63.0 * 31.0)), (2, 1.0 / 63.0)],
        Encoding::Q6K => &[(208, 1.0 / (128.0 * 32.0))],
        Encoding::TQ1_0 => &[(52, 1.0)],
        _ => &[],
    }
}

/// All rows of a matrix, one after the other.
pub fn matrix(encoding: Encoding, rows: usize, cols: usize, random: &mut Random) -> Vec<u8> {
    let row_bytes = encoding.row_bytes(cols).unwrap_or(0);
    let mut data = vec![0u8; rows * row_bytes];
    for out in data.chunks_exact_mut(row_bytes.max(1)) {
        row(encoding, cols, random, out);
    }
    data
}

/// One row of random codes, all that the encoding has (0, 1, 2 with 1/4, 1/2, 1/4 in ternary words and TQ2_0), with scales
/// such that values lie within about `±(cols/2)^(-1/2)`; ones in f32.
pub fn row(encoding: Encoding, cols: usize, random: &mut Random, row: &mut [u8]) {
    let scale = 1.0 / (cols as f32 * 0.5).sqrt();
    let half = half::f16::from_f32(scale).to_bits().to_le_bytes();
    // Two bits of which 3 never occurs: 0, 1, 2 with 1/4, 1/2, 1/4.
    let trits = |out: &mut [u8], random: &mut Random| {
        for eight in out.chunks_mut(8) {
            let r = random.bits();
            let r = r & !((r << 1) & 0xaaaa_aaaa_aaaa_aaaa);
            eight.copy_from_slice(&r.to_le_bytes()[..eight.len()]);
        }
    };
    let any = |out: &mut [u8], random: &mut Random| {
        for eight in out.chunks_mut(8) {
            eight.copy_from_slice(&random.bits().to_le_bytes()[..eight.len()]);
        }
    };
    match encoding {
        Encoding::Ternary(group) => {
            let (codes, scales) = row.split_at_mut(cols / 4);
            trits(codes, random);
            match group {
                ScaleGroup::Row => scales.copy_from_slice(&scale.to_le_bytes()),
                _ => scales.chunks_exact_mut(2).for_each(|s| s.copy_from_slice(&half)),
            }
        }
        Encoding::TQ2_0 => {
            for block in row.chunks_exact_mut(66) {
                trits(&mut block[..64], random);
                block[64..].copy_from_slice(&half);
            }
        }
        Encoding::PerRow(bits) => {
            let (codes, d) = row.split_at_mut(bits.code_bytes(cols));
            any(codes, random);
            d.copy_from_slice(&(scale / bits.zero() as f32).to_le_bytes());
        }
        Encoding::F16 | Encoding::BF16 => {
            for v in row.chunks_exact_mut(2) {
                let x = ((random.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * scale * 2.0;
                v.copy_from_slice(&match encoding {
                    Encoding::F16 => half::f16::from_f32(x).to_le_bytes(),
                    _ => half::bf16::from_f32(x).to_le_bytes(),
                });
            }
        }
        Encoding::F32 => row.chunks_exact_mut(4).for_each(|v| v.copy_from_slice(&1f32.to_le_bytes())),
        _ => {
            let block_bytes = encoding.row_bytes(encoding.block_len()).unwrap_or(0);
            for block in row.chunks_exact_mut(block_bytes.max(1)) {
                any(block, random);
                for (at, share) in halves(encoding) {
                    let bits = half::f16::from_f32(scale * share).to_le_bytes();
                    if let Some(out) = block.get_mut(*at..*at + 2) {
                        out.copy_from_slice(&bits);
                    }
                }
            }
        }
    }
}
