//! The NEON kernels against their portable twin, bit by bit: as compiled for aarch64, and emulated elsewhere.

use super::super::{neon, portable};
use super::*;

fn isas() -> Vec<Isa> {
    // An emulated machine has everything.
    if cfg!(target_arch = "aarch64") && Isa::detect() != Isa::NeonDot {
        vec![Isa::Neon]
    } else {
        vec![Isa::Neon, Isa::NeonDot]
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let x = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 33)
    }
    /// A finite half float; every seventh is subnormal.
    fn half(&mut self) -> u16 {
        let x = self.next();
        let exponent = if x.is_multiple_of(7) { 0 } else { 8 + x / 7 % 14 };
        ((x >> 32) as u16 & 0x83ff) | (exponent as u16) << 10
    }
}

/// What fills codes, scales of sub-blocks, minima and activations.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fill {
    Random,
    /// Bytes of codes, and activations in turn.
    Bytes(u8, [i8; 2]),
}

fn with_scales(g: &Geometry, records: usize, fill: Fill, random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![0u8; records * g.record_bytes()];
    for record in bytes.chunks_exact_mut(g.record_bytes()) {
        for b in record.iter_mut() {
            *b = if let Fill::Bytes(b, _) = fill { b } else { random.next() as u8 };
        }
        for half in record[g.code_bytes()..g.sc_at()].chunks_exact_mut(2) {
            half.copy_from_slice(&random.half().to_le_bytes());
        }
    }
    bytes
}

/// Activations in the kernels' form, made by hand so that their values are any.
struct Hand {
    bytes: Vec<i8>,
    scales: Vec<f32>,
    sums: Vec<i32>,
    sub_sums: Vec<i16>,
}

fn by_hand(g: &Geometry, width: usize, fill: Fill, random: &mut Random) -> Hand {
    let mut h = Hand {
        bytes: vec![0; g.cols * width],
        scales: vec![0.0; g.groups() * width],
        sums: vec![0; g.groups() * width],
        sub_sums: vec![0; g.cols.div_ceil(2 * SUM) * 2 * width],
    };
    for s in &mut h.scales {
        *s = ((random.next() >> 40) as f32 / 1e6).exp2() * 1e-3;
    }
    for k in 0..g.cols {
        for c in 0..width {
            let q = match fill {
                Fill::Bytes(_, q) => q[k % 2],
                Fill::Random => (random.next() % 255) as u8 as i8,
            };
            let q = if q == i8::MIN { 0 } else { q };
            h.bytes[(k / 4 * width + c) * 4 + k % 4] = q;
            h.sums[k / g.group * width + c] += i32::from(q);
            h.sub_sums[(k / (2 * SUM) * width + c) * 2 + k / SUM % 2] += i16::from(q);
        }
    }
    h
}

fn compare(g: &Geometry, fill: Fill, first: usize, random: &mut Random) {
    let records = g.groups() - first;
    let bytes = with_scales(g, records, fill, random);
    let row_d: [f32; PANEL] = std::array::from_fn(|_| (random.next() >> 40) as f32 * 1e-7);
    let r = Records { geometry: g, bytes: &bytes, row_d: (!g.inline_d).then_some(&row_d), first };
    for width in 1..=neon::WIDEST {
        let h = by_hand(g, width, fill, random);
        let a = ActBlock {
            width,
            bytes: &h.bytes,
            floats: &[],
            scales: &h.scales,
            sums: &h.sums,
            starts: &[],
            bias: 0,
            sub_sums: &h.sub_sums,
        };
        let start: Vec<[f32; PANEL]> =
            (0..width).map(|c| std::array::from_fn(|r| noise(3, c * PANEL + r))).collect();
        let mut want = start.clone();
        portable::int(r, &a, &mut want);
        for isa in isas() {
            let mut got = start.clone();
            // SAFETY: `isas` has what the machine has.
            unsafe { neon::int(isa, r, &a, &mut got) };
            assert!(bits(&got) == bits(&want), "{isa:?} {width} rows {fill:?} {g:?}");
        }
    }
}

fn bits(x: &[[f32; PANEL]]) -> Vec<u32> {
    x.iter().flatten().map(|v| v.to_bits()).collect()
}

fn geometries() -> Vec<Geometry> {
    let mut all = Vec::new();
    for kind in [Kind::B2, Kind::B4, Kind::B8] {
        for group in [16, 32, 48, 64, 128, 160, 256, 512, 1280] {
            let zero = match kind {
                Kind::B2 => 1,
                Kind::B4 => 8,
                _ => 0,
            };
            let plain = Geometry {
                kind,
                rows: PANEL,
                cols: group * if group > 256 { 2 } else { 4 },
                group,
                sub: group,
                zero,
                has_sub_scales: false,
                has_mins: false,
                inline_d: true,
                per_row: false,
                wide: false,
                input: 0.0,
                output: 0.0,
            };
            all.push(plain);
            all.push(Geometry { inline_d: false, ..plain });
            all.push(Geometry { has_mins: true, zero: 0, ..plain });
            if group <= 256 {
                for sub in [16, 32, 64].into_iter().filter(|s| group % s == 0) {
                    all.push(Geometry { has_sub_scales: true, sub, ..plain });
                    all.push(Geometry { has_sub_scales: true, has_mins: true, sub, zero: 0, ..plain });
                    all.push(Geometry { has_sub_scales: true, has_mins: true, sub, ..plain });
                }
            }
        }
    }
    all
}

/// Any bytes of codes (code 3 of two bits too, and -128), any scales, groups of any multiple of 16 inputs.
#[test]
fn any_codes_give_the_bits_of_the_portable_twin() {
    let mut random = Random(1);
    for g in geometries() {
        compare(&g, Fill::Random, 0, &mut random);
        compare(&g, Fill::Random, 1, &mut random);
    }
}

/// T1: the largest codes of either sign against the largest activations, for the int16 sums.
#[test]
fn extreme_codes_give_the_bits_of_the_portable_twin() {
    let mut random = Random(2);
    for g in geometries() {
        for code in [0x00, 0x55, 0xaa, 0xff, 0x7f, 0x80] {
            for q in [[127, 127], [-127, -127], [127, -127], [127, 0]] {
                compare(&g, Fill::Bytes(code, q), 0, &mut random);
            }
        }
    }
}

/// Float weights of every kind, records of any length, one panel and four.
#[test]
fn float_weights_give_the_bits_of_the_portable_twin() {
    let mut random = Random(3);
    for (kind, size) in [(Kind::F16, 2), (Kind::Bf16, 2), (Kind::F32, 4)] {
        for (cols, group) in [(5, 1), (12, 4), (96, 32), (384, 128)] {
            let g = Geometry {
                kind,
                rows: 4 * PANEL,
                cols,
                group,
                sub: group,
                zero: 0,
                has_sub_scales: false,
                has_mins: false,
                inline_d: false,
                per_row: false,
                wide: false,
                input: 0.0,
                output: 0.0,
            };
            let mut panel = || -> Vec<u8> {
                (0..cols * PANEL)
                    .flat_map(|at| match kind {
                        Kind::F16 => random.half().to_le_bytes().to_vec(),
                        Kind::Bf16 => ((noise(5, at).to_bits() >> 16) as u16).to_le_bytes().to_vec(),
                        _ => noise(6, at).to_le_bytes().to_vec(),
                    })
                    .collect()
            };
            let panels: [Vec<u8>; 4] = std::array::from_fn(|_| panel());
            for first in [0, 1] {
                let r: [Records<'_>; 4] = std::array::from_fn(|i| Records {
                    geometry: &g,
                    bytes: &panels[i][first * group * PANEL * size..],
                    row_d: None,
                    first,
                });
                for width in 1..=neon::WIDEST {
                    let floats: Vec<f32> = (0..cols * width).map(|k| noise(7, k) * 3.0).collect();
                    let a = ActBlock {
                        width,
                        bytes: &[],
                        floats: &floats,
                        scales: &[],
                        sums: &[],
                        starts: &[],
                        bias: 0,
                        sub_sums: &[],
                    };
                    let mut want = vec![[0.25; PANEL]; 4 * width];
                    let mut got = want.clone();
                    for (r, acc) in r.iter().zip(want.chunks_mut(width)) {
                        portable::float(*r, &a, acc);
                    }
                    for (r, acc) in r.iter().zip(got.chunks_mut(width)) {
                        neon::float(*r, &a, acc);
                    }
                    assert!(bits(&got) == bits(&want), "{width} rows {g:?}");
                    if width == 1 {
                        got.fill([0.25; PANEL]);
                        let [w, x, y, z] = &mut got[..] else { unreachable!("four panels") };
                        let mut four = [w, x, y, z].map(std::slice::from_mut);
                        neon::float_vec4(r, &a, &mut four);
                        assert!(bits(&got) == bits(&want), "four panels {g:?}");
                    }
                }
            }
        }
    }
}

/// T7 through the whole path of a call: every encoding, packed, widths on both sides of a block.
#[test]
fn every_encoding_gives_the_bits_of_the_portable_twin_at_every_width() {
    for (cols, rows) in [(256, 72), (1024, 40)] {
        for (encoding, group) in kinds(cols) {
            let m = packed(Isa::Neon, encoding, rows, cols, group, |r, k| {
                let v = noise(1, r * cols + k);
                if encoding.int_layout(cols).is_some_and(|l| l.bits == 2) {
                    (v * 1.5).round() * 0.5
                } else {
                    v
                }
            });
            let x: Vec<Vec<f32>> =
                (0..25).map(|r| (0..cols).map(|k| noise(2, r * cols + k) * 3.0).collect()).collect();
            let want = product(Isa::Portable, &m, &x);
            for isa in isas() {
                for n in (1..=10).chain([16, 17, 25]) {
                    assert!(
                        product(isa, &m, &x[..n]) == want[..n],
                        "{encoding} {cols}x{rows} {n} rows {isa:?}"
                    );
                }
            }
        }
    }
}
