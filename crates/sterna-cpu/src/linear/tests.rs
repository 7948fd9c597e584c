//! T1 and T7 on the kernels themselves: extreme values against integers, and every width against one row.

use std::sync::Arc;

use sterna_format::{CodeBits, Encoding, ScaleGroup, decode_row, encode_row};
use sterna_plan::{LinearNumerics, RowOrder, Weight, WeightSpec, WeightUse};

use super::*;
use crate::acts::{Acts, SUM};
use crate::pack::fill;
use crate::pages::{Pages, Part};

#[path = "neon/tests.rs"]
mod neon_tests;

fn packed(
    isa: Isa,
    encoding: Encoding,
    rows: usize,
    cols: usize,
    group: usize,
    values: impl Fn(usize, usize) -> f32,
) -> Packed {
    let n = encoding.row_bytes(cols).unwrap();
    let mut data = vec![0u8; rows * n];
    for (r, out) in data.chunks_exact_mut(n).enumerate() {
        let row: Vec<f32> = (0..cols).map(|k| values(r, k)).collect();
        encode_row(encoding, &row, out).unwrap();
    }
    let numerics = match group {
        0 => LinearNumerics::Float,
        WIDE => LinearNumerics::Int16,
        group => LinearNumerics::Int8 { group },
    };
    let spec = WeightSpec { name: "w".into(), encoding, rows, cols, usage: WeightUse::Linear(numerics) };
    let weight = Weight { encoding, stored: encoding, rows, cols, data: &data, order: RowOrder::Plain };
    repack(isa, &spec, &weight)
}

/// In place of a group: int16 activations.
const WIDE: usize = usize::MAX;

fn repack(isa: Isa, spec: &WeightSpec, weight: &Weight<'_>) -> Packed {
    let g = Geometry::new(spec, isa).unwrap();
    let mut pages = Pages::zeroed(g.panels() * g.panel_bytes(), "a test").unwrap();
    let row_d = fill(&g, weight, pages.bytes_mut(), 3, &|_| {}).unwrap();
    let pages = Arc::new(pages);
    let all = 0..pages.bytes().len();
    Packed::new(g, Part::new(&pages, all), row_d)
}

/// A row that is read back from panels has the bits of a row that is decoded.
#[test]
fn rows_come_back_as_they_were() {
    for encoding in Encoding::ALL {
        let (cols, rows) = (512, 40);
        let bytes = encoding.row_bytes(cols).unwrap();
        let mut data = vec![0u8; rows * bytes];
        for (r, out) in data.chunks_exact_mut(bytes).enumerate() {
            let row: Vec<f32> = (0..cols).map(|k| noise(9, r * cols + k)).collect();
            let row = match encoding.int_layout(cols) {
                Some(l) if l.bits == 2 => row.into_iter().map(|v| (v * 1.5).round() * 0.5).collect(),
                _ => row,
            };
            encode_row(encoding, &row, out).unwrap();
        }
        let group = encoding.int_layout(cols).map_or(0, |l| l.group);
        let mut numerics =
            vec![if group == 0 { LinearNumerics::Float } else { LinearNumerics::Int8 { group } }];
        if encoding == Encoding::PerRow(CodeBits::Two) {
            numerics.extend([LinearNumerics::Float, LinearNumerics::Int16]);
        }
        let spec = |n| WeightSpec { name: "w".into(), encoding, rows, cols, usage: WeightUse::Linear(n) };
        let weight = Weight { encoding, stored: encoding, rows, cols, data: &data, order: RowOrder::Plain };
        let all = Isa::ALL.into_iter().flat_map(|isa| numerics.iter().map(move |n| (isa, *n)));
        for (isa, n) in all.collect::<Vec<_>>() {
            let m = repack(isa, &spec(n), &weight);
            for r in 0..rows {
                let (mut want, mut got) = (vec![0f32; cols], vec![1f32; cols]);
                decode_row(encoding, &data[r * bytes..][..bytes], &mut want).unwrap();
                m.row(r, &mut got);
                let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert!(bits(&want) == bits(&got), "{encoding} {n:?} {isa:?} row {r}");
            }
        }
    }
}

/// `[row][output]`, as an op would compute it.
fn product(isa: Isa, m: &Packed, x: &[Vec<f32>]) -> Vec<Vec<u32>> {
    product_with(isa, m, x, forms([&m.geometry].into_iter()))
}

fn product_with(isa: Isa, m: &Packed, x: &[Vec<f32>], forms: Forms) -> Vec<Vec<u32>> {
    let mut acts = Acts::default();
    let cols = m.geometry.cols;
    acts.reserve(x.len(), cols, forms);
    let blocks = Blocks::new(x.len(), widest(isa, [&m.geometry].into_iter(), x.len()));
    let acts = acts.share();
    let mut codes = vec![0i8; cols * forms.byte_rows()];
    for (r, x) in x.iter().enumerate() {
        // SAFETY: one thread.
        unsafe { acts.put(blocks, forms, r, x, &mut codes) };
    }
    let input = Input { acts, blocks, forms, rows: x.len() };
    let (mut scratch, mut other) = (Scratch::new(x.len()), Scratch::new(x.len()));
    let mut out = vec![Vec::new(); x.len()];
    let panels = m.geometry.panels();
    let bits = |y: &[f32]| y.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    for first in (0..panels).step_by(RUN) {
        let last = (first + RUN).min(panels);
        // Panels of a narrow call side by side, or as one of a pair, have the bits of panels by themselves.
        let run = (x.len() <= NARROW && blocks.count() == 1)
            .then(|| run(isa, m, first..last, &input, &mut other).to_vec());
        let pair = run.as_ref().map(|_| run_pair(isa, [m, m], first..last, &input, &mut other));
        for p in first..last {
            let n = (m.geometry.rows - p * PANEL).min(PANEL);
            for (r, y) in panel(isa, m, p, &input, &mut scratch).iter().enumerate() {
                let at = (p - first) * x.len() + r;
                for same in run.iter().map(|run| &run[at]).chain(pair.iter().flatten().map(|run| &run[at])) {
                    assert_eq!(bits(same), bits(y), "{isa:?} panel {p} row {r}");
                }
                out[r].extend(bits(&y[..n]));
            }
        }
    }
    out
}

/// In an op whose members differ in their zero point, some begin their sums with another's starts or none.
#[test]
fn weights_do_without_starts_made_for_others() {
    let cols = 512;
    for isa in Isa::here() {
        for (encoding, group) in kinds(cols) {
            let m =
                packed(isa, encoding, 40, cols, group, |r, k| (noise(3, r * cols + k) * 1.5).round() * 0.5);
            let own = forms([&m.geometry].into_iter());
            if own.bias == 0 {
                continue;
            }
            for rows in [1, 2, 5, 7, 11, 16] {
                let x: Vec<Vec<f32>> =
                    (0..rows).map(|r| (0..cols).map(|k| noise(4, r * cols + k)).collect()).collect();
                let want = product(isa, &m, &x);
                for bias in [0, 3] {
                    let got = product_with(isa, &m, &x, Forms { bias, ..own });
                    assert!(want == got, "{isa:?} {encoding} {rows} rows, starts for {bias}");
                }
            }
        }
    }
}

/// A call that another member cuts into several blocks reads no panels side by side.
#[test]
fn only_one_block_is_read_side_by_side() {
    for isa in Isa::here() {
        for (encoding, group) in kinds(512) {
            let m = packed(isa, encoding, 80, 512, group, |_, _| 1.0);
            for rows in 2..=16 {
                assert!(!beside(isa, &m.geometry, Blocks::new(rows, rows - 1)), "{isa:?} {encoding} {rows}");
            }
        }
    }
}

/// Where a processor fetches ahead by itself, one row runs another copy of the kernels.
#[cfg(target_arch = "x86_64")]
#[test]
fn one_row_has_its_bits_without_fetching_ahead() {
    if !Isa::Avx512Vnni.is_here() {
        return;
    }
    let (isa, cols) = (Isa::Avx512Vnni, 512);
    for (encoding, group) in kinds(cols) {
        let m = packed(isa, encoding, 40, cols, group, |r, k| (noise(3, r * cols + k) * 1.5).round() * 0.5);
        let g = &m.geometry;
        if !g.is_int() || g.wide {
            continue;
        }
        let forms = forms([g].into_iter());
        let mut acts = Acts::default();
        acts.reserve(1, cols, forms);
        let (blocks, acts) = (Blocks::new(1, 1), acts.share());
        let x: Vec<f32> = (0..cols).map(|k| noise(4, k)).collect();
        // SAFETY: one thread.
        unsafe { acts.put(blocks, forms, 0, &x, &mut vec![0i8; cols]) };
        let input = Input { acts, blocks, forms, rows: 1 };
        for panel in 0..g.panels() {
            let bits = [true, false].map(|ahead| {
                let mut acc = [[0f32; PANEL]];
                let r = m.records(panel, 0, g.groups());
                // SAFETY: the machine has it.
                unsafe { avx512::int_by(true, ahead, r, &input.block(cols, 0), &mut acc) };
                acc[0].map(f32::to_bits)
            });
            assert_eq!(bits[0], bits[1], "{encoding} panel {panel}");
            assert!(bits[0].iter().any(|b| *b != 0), "{encoding} panel {panel}: all zero");
        }
    }
}

fn noise(seed: u64, at: usize) -> f32 {
    let mut z = (seed << 32 ^ at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((z >> 40) as f32 / (1 << 23) as f32) - 1.0
}

fn kinds(cols: usize) -> Vec<(Encoding, usize)> {
    let row = Encoding::Ternary(ScaleGroup::Row);
    vec![
        (Encoding::TQ2_0, 256),
        (Encoding::Ternary(ScaleGroup::Block128), 128),
        (Encoding::Ternary(ScaleGroup::Block64), 64),
        (Encoding::Q2_0, 64),
        (Encoding::PQ2_0, 128),
        (row, 256),
        (row, cols),
        (Encoding::PerRow(CodeBits::Two), cols),
        (Encoding::PerRow(CodeBits::Two), 0),
        (Encoding::PerRow(CodeBits::Two), WIDE),
        (Encoding::PerRow(CodeBits::Four), cols),
        (Encoding::PerRow(CodeBits::Eight), cols),
        (Encoding::Q4_0, 32),
        (Encoding::Q4_1, 32),
        (Encoding::Q8_0, 32),
        (Encoding::Q4K, 256),
        (Encoding::Q5K, 256),
        (Encoding::Q6K, 256),
        (Encoding::F16, 0),
        (Encoding::F32, 0),
    ]
}

/// T7: K in {256, 1024, 2560, 5120}, N in {64, 96, 1000}: row `i` of a call of any width equals the call of that row.
#[test]
fn any_width_gives_each_row_its_own_bits() {
    for (cols, rows) in [(256, 1000), (1024, 96), (2560, 64), (5120, 64)] {
        for (encoding, group) in kinds(cols) {
            let values = |r: usize, k: usize| {
                let v = noise(1, r * cols + k);
                if encoding.int_layout(cols).is_some_and(|l| l.bits == 2) {
                    (v * 1.5).round() * 0.5
                } else {
                    v
                }
            };
            let widest = if cols == 256 { 128 } else { 33 };
            let x: Vec<Vec<f32>> =
                (0..widest).map(|r| (0..cols).map(|k| noise(2, r * cols + k) * 3.0).collect()).collect();
            let mut best = None;
            for isa in Isa::here() {
                // The portable twin is slow: one large shape is enough.
                if isa == Isa::Portable && cols > 1024 {
                    continue;
                }
                let m = packed(isa, encoding, rows, cols, group, values);
                let alone: Vec<_> =
                    x.iter().flat_map(|x| product(isa, &m, std::slice::from_ref(x))).collect();
                for n in (1..=17).chain([31, 33, 64, 127, 128]).filter(|n| *n <= widest) {
                    assert!(
                        product(isa, &m, &x[..n]) == alone[..n],
                        "{encoding} {cols}x{rows} {n} rows {isa:?}"
                    );
                }
                let best = best.get_or_insert_with(|| alone.clone());
                assert!(*best == alone, "{encoding} {cols}x{rows}: {isa:?} differs from the best");
            }
        }
    }
}

/// A call of 16 rows reads weights once with VNNI, whatever their encoding, but for what goes through kernels of AVX2 and for
/// activations of 16 bits, which are two rows of bytes each.
#[test]
#[cfg(target_arch = "x86_64")]
fn sixteen_rows_are_one_block_with_vnni() {
    for (encoding, group) in kinds(4096) {
        let m = packed(Isa::Portable, encoding, 16, 4096, group, |r, k| noise(1, r * 4096 + k));
        let blocks = Blocks::new(16, widest(Isa::Avx512Vnni, std::iter::once(&m.geometry), 16)).count();
        let want = match &m.geometry {
            g if g.kind == Kind::Coded => 16usize.div_ceil(avx2::WIDEST),
            g if g.wide => 2,
            _ => 1,
        };
        assert_eq!(blocks, want, "{encoding}, groups of {group}");
    }
}

/// T1: K = 4096 of all +1 trits against activations all +127, all -127 and alternating: exact integers.
#[test]
fn extreme_values_overflow_no_partial_sum() {
    const K: usize = 4096;
    for (encoding, group) in kinds(K) {
        // The largest code of each kind: +1 for ternary, the top of the range for the others.
        let m = Isa::here().map(|isa| (isa, packed(isa, encoding, 64, K, group, |_, _| 1.0)));
        let m: Vec<_> = m.collect();
        let unit = f32::from_bits(product(m[0].0, &m[0].1, &[vec![1.0; K]])[0][0]) / K as f32;
        for (name, sign) in [("+", [1.0, 1.0]), ("-", [-1.0, -1.0]), ("+-", [1.0, -1.0]), ("one", [1.0, 0.0])]
        {
            let x: Vec<f32> = (0..K).map(|k| sign[k % 2] * 127.0).collect();
            let want = (sign[0] + sign[1]) as f64 / 2.0 * 127.0 * K as f64 * f64::from(unit);
            for (isa, m) in &m {
                for rows in [1, 2, 5, 6, 13, 16] {
                    for y in product(*isa, m, &vec![x.clone(); rows]) {
                        for y in y {
                            let y = f64::from(f32::from_bits(y));
                            let bound = 127.0 * K as f64 * f64::from(unit.abs()) * 1e-5;
                            assert!(
                                (y - want).abs() <= bound,
                                "{encoding}/{group} {name} {isa:?}: {y} for {want}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// The code 3 of Q2_0 and PQ2_0 means +2, one and a half times what a ternary code can be: int16 sums hold it too.
#[test]
fn codes_of_three_overflow_no_partial_sum() {
    const K: usize = 4096;
    for (encoding, group, block) in [(Encoding::Q2_0, 64, 18), (Encoding::PQ2_0, 128, 34)] {
        let mut data = vec![0xffu8; 16 * K / group * block];
        for b in data.chunks_exact_mut(block) {
            b[..2].copy_from_slice(&half::f16::ONE.to_bits().to_le_bytes());
        }
        let usage = WeightUse::Linear(LinearNumerics::Int8 { group });
        let spec = WeightSpec { name: "w".into(), encoding, rows: 16, cols: K, usage };
        let weight =
            Weight { encoding, stored: encoding, rows: 16, cols: K, data: &data, order: RowOrder::Plain };
        for isa in Isa::here() {
            let m = repack(isa, &spec, &weight);
            for (rows, sign) in [(1, 1.0), (3, -1.0), (16, 1.0)] {
                for y in product(isa, &m, &vec![vec![127.0 * sign; K]; rows]).concat() {
                    assert_eq!(f32::from_bits(y), 2.0 * 127.0 * K as f32 * sign, "{encoding} {isa:?} {rows}");
                }
            }
        }
    }
}

/// Codes and scales that no encoder of ours makes (-128 in Q8_0, scales of -128 in Q6_K) give the portable twin's bits.
#[test]
fn any_codes_give_the_bits_of_the_portable_twin() {
    const K: usize = 1280;
    // Four panels side by side, and one by itself.
    const ROWS: usize = 80;
    // Bytes of a block, and where its f16 scales lie.
    let blocks: [(Encoding, usize, usize, &[usize]); 6] = [
        (Encoding::Q8_0, 32, 34, &[0]),
        (Encoding::Q4_0, 32, 18, &[0]),
        (Encoding::Q4_1, 32, 20, &[0, 2]),
        (Encoding::Q4K, 256, 144, &[0, 2]),
        (Encoding::Q5K, 256, 176, &[0, 2]),
        (Encoding::Q6K, 256, 210, &[208]),
    ];
    for (encoding, group, block, scales) in blocks {
        for fill in [None, Some(0x80u8), Some(0x7f), Some(0xff), Some(0)] {
            let mut data = vec![0u8; ROWS * K / group * block];
            for (at, b) in data.iter_mut().enumerate() {
                *b = fill.unwrap_or_else(|| (noise(7, at) * 128.0) as i8 as u8);
            }
            for (at, b) in data.chunks_exact_mut(block).enumerate() {
                for s in scales {
                    let d = half::f16::from_f32(noise(8, at + s));
                    b[*s..][..2].copy_from_slice(&d.to_bits().to_le_bytes());
                }
            }
            let usage = WeightUse::Linear(LinearNumerics::Int8 { group });
            let spec = WeightSpec { name: "w".into(), encoding, rows: ROWS, cols: K, usage };
            let weight = Weight {
                encoding,
                stored: encoding,
                rows: ROWS,
                cols: K,
                data: &data,
                order: RowOrder::Plain,
            };
            let x: Vec<Vec<f32>> = (0..17)
                .map(|r| {
                    let value = |k: usize| match r % 3 {
                        0 => noise(9, r * K + k),
                        1 => 127.0,
                        _ => -127.0,
                    };
                    (0..K).map(value).collect()
                })
                .collect();
            let want = product(Isa::Portable, &repack(Isa::Portable, &spec, &weight), &x);
            for isa in Isa::here() {
                let m = repack(isa, &spec, &weight);
                for n in 1..=x.len() {
                    assert!(product(isa, &m, &x[..n]) == want[..n], "{encoding} {fill:?} {isa:?} {n} rows");
                }
            }
        }
    }
}

/// Rows with one scale under a scale that the model names, by random codes, all codes at either end, and activations that
/// are clamped to -128 and 127: exact integers, worked out here, on every instruction set and at every width; then the
/// same on the output's grid (T1, T7).
#[test]
fn static_scales_are_exact_at_every_width() {
    const ROWS: usize = 40;
    for (bits, cols) in
        [(CodeBits::Two, 4096), (CodeBits::Four, 4096), (CodeBits::Eight, 1536), (CodeBits::Two, 96)]
    {
        let encoding = Encoding::PerRow(bits);
        let n = encoding.row_bytes(cols).unwrap();
        for fill in [None, Some(0xffu8), Some(0), Some(0x80), Some(0x7f)] {
            let mut data = vec![0u8; ROWS * n];
            for (r, row) in data.chunks_exact_mut(n).enumerate() {
                for (at, b) in row.iter_mut().enumerate() {
                    *b = fill.unwrap_or_else(|| (noise(21, r * n + at) * 128.0) as i8 as u8);
                }
                let d = noise(22, r) * 0.01;
                row[n - 4..].copy_from_slice(&d.to_le_bytes());
            }
            let (input, output) = (0.031f32, 0.75f32);
            let x: Vec<Vec<f32>> = (0..14)
                .map(|r| {
                    let value = |k: usize| match r % 4 {
                        0 => noise(23, r * cols + k) * 3.0,
                        1 => -1e3,
                        2 => 1e3,
                        _ => [-1e3, 1e3][k % 2],
                    };
                    (0..cols).map(value).collect()
                })
                .collect();
            let mut row = sterna_format::IntRow::default();
            let mut want = vec![Vec::new(); x.len()];
            for bytes in data.chunks_exact(n) {
                sterna_format::int_row(encoding, bytes, cols, &mut row).unwrap();
                for (x, want) in x.iter().zip(&mut want) {
                    let q = |v: f32| (v / input).round_ties_even().clamp(-128.0, 127.0) as i64;
                    let dot: i64 = row
                        .codes
                        .iter()
                        .zip(x)
                        .map(|(c, v)| i64::from(i32::from(*c) - bits.zero()) * q(*v))
                        .sum();
                    want.push(((dot as f32).mul_add(row.d[0] * input, 0.0), dot));
                }
            }
            for grid in [None, Some(output)] {
                let usage = WeightUse::Linear(LinearNumerics::Static { input, output: grid });
                let spec = WeightSpec { name: "w".into(), encoding, rows: ROWS, cols, usage };
                let weight = Weight {
                    encoding,
                    stored: encoding,
                    rows: ROWS,
                    cols,
                    data: &data,
                    order: RowOrder::Plain,
                };
                for isa in Isa::here().filter(|isa| *isa != Isa::Portable || cols < 4096 || fill.is_none()) {
                    let m = repack(isa, &spec, &weight);
                    assert_eq!(m.geometry.output, grid.unwrap_or(0.0));
                    for rows in 1..=x.len() {
                        let got = product(isa, &m, &x[..rows]);
                        for (got, want) in got.iter().zip(&want) {
                            for (got, (y, dot)) in got.iter().zip(want) {
                                assert_eq!(
                                    *got,
                                    y.to_bits(),
                                    "{encoding} {fill:?} {isa:?} {rows} rows, dot {dot}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A 2-bit head: codes that meet floats are one chain of fused multiply-adds over decoded weights, inputs ascending, and codes
/// that meet int16 are one integer. Both worked out here, for scales of either sign, zeros and inputs far apart.
#[test]
fn two_bit_heads_have_the_bits_of_their_law() {
    const ROWS: usize = 150;
    let encoding = Encoding::PerRow(CodeBits::Two);
    for cols in [32, 1536, 4096] {
        let n = encoding.row_bytes(cols).unwrap();
        let mut data = vec![0u8; ROWS * n];
        for (r, row) in data.chunks_exact_mut(n).enumerate() {
            for (at, b) in row.iter_mut().enumerate() {
                let random = (noise(31, r * n + at) * 128.0) as i8 as u8;
                *b = [random, random, random, 0, 0xff][r % 5];
            }
            let d = [noise(32, r), 0.0, -0.3, 1e-30, 1e30][r / 5 % 5];
            row[n - 4..].copy_from_slice(&d.to_le_bytes());
        }
        let x: Vec<Vec<f32>> = (0..14)
            .map(|r| {
                let value = |k: usize| match r % 4 {
                    0 => noise(33, r * cols + k) * 3.0,
                    1 => noise(34, k) * 10f32.powi(k as i32 % 20 - 10),
                    2 => [-7.0, 7.0, 0.0, -0.0][k % 4],
                    _ => 0.0,
                };
                (0..cols).map(value).collect()
            })
            .collect();
        let mut row = sterna_format::IntRow::default();
        let (mut float, mut wide) = (vec![Vec::new(); x.len()], vec![Vec::new(); x.len()]);
        for bytes in data.chunks_exact(n) {
            sterna_format::int_row(encoding, bytes, cols, &mut row).unwrap();
            let q = |c: &u8| i32::from(*c) - 2;
            for (r, x) in x.iter().enumerate() {
                let weights = row.codes.iter().map(|c| row.d[0] * q(c) as f32);
                let sum = weights.zip(x).fold(0f32, |acc, (w, x)| w.mul_add(*x, acc));
                float[r].push(sum.to_bits());
                let most = x.iter().fold(0f32, |m, v| m.max(v.abs()));
                let d = most / 32_639.0;
                let int = |v: f32| if d == 0.0 { 0 } else { (v / d).round_ties_even() as i64 };
                let dot: i64 = row.codes.iter().zip(x).map(|(c, v)| i64::from(q(c)) * int(*v)).sum();
                wide[r].push((dot as f32).mul_add(row.d[0] * d, 0.0).to_bits());
            }
        }
        for (numerics, want) in [(LinearNumerics::Float, float), (LinearNumerics::Int16, wide)] {
            let usage = WeightUse::Linear(numerics);
            let spec = WeightSpec { name: "w".into(), encoding, rows: ROWS, cols, usage };
            let weight =
                Weight { encoding, stored: encoding, rows: ROWS, cols, data: &data, order: RowOrder::Plain };
            for isa in Isa::here().filter(|isa| *isa != Isa::Portable || cols < 4096) {
                let m = repack(isa, &spec, &weight);
                // Two bits a weight and a scale a row: nothing is decoded to floats.
                assert!(m.bytes() <= m.geometry.panels() * PANEL * (cols / 4 + 4));
                for rows in 1..=x.len() {
                    assert!(
                        product(isa, &m, &x[..rows]) == want[..rows],
                        "{numerics:?} {cols} {isa:?} {rows} rows"
                    );
                }
            }
        }
    }
}
