//! NEON kernels, with the dot product instruction and without. A register holds 4 output rows x 4 inputs of codes, four
//! registers cover a panel. Inputs are taken in units of 16: a unit's activations of `NC` rows of the call fill `NC`
//! registers, and four inputs of one row are one lane of those.
//!
//! A kernel walks a panel in passes of `V` registers, as many as leave all sums of `NC` rows in registers; the codes of a
//! record stay in the first-level cache between passes. Sums of integers are exact, so passes and widths change no bit.
//!
//! Bounds on the int16 sums of the kernels without the dot product, activations being -127..=127:
//! * 2 bits: 8 units are 32 steps; neighbours added first, 32 * 2 * 3 * 127 = 24,384;
//! * 4 bits: 2 units are 8 steps; neighbours added first, 8 * 2 * 15 * 127 = 30,480;
//! * 8 bits: 2 steps, 2 * 128 * 127 = 32,512. (An activation of -128 would not fit; the quantiser makes none.)
//!
//! The dot product adds into int32. For one row 2 bits are weighed up to 16 times their value: 48 * 127 an input, so
//! groups may have 352,000 inputs; of 8 bits 132,000, as in the portable twin.

// A kernel's column walks several register arrays and the activations at once; an index says so most plainly.
#![allow(clippy::needless_range_loop)]
// Register instructions need `unsafe` on aarch64 and not where they are emulated.
#![allow(unused_unsafe)]

use crate::acts::{ActBlock, SUM};
use crate::isa::Isa;
use crate::pack::{Geometry, Kind, PANEL, Records};
use crate::simd::*;

/// Widest block of rows.
pub const WIDEST: usize = 8;

/// Inputs of a unit.
const UNIT: usize = 16;
const B2: u8 = 0;
const B4: u8 = 1;
const B8: u8 = 2;
const F16: u8 = 3;
const BF16: u8 = 4;
const F32: u8 = 5;

/// Bytes of codes of a unit.
const fn unit_bytes(kind: u8) -> usize {
    match kind {
        B2 => 64,
        B4 => 128,
        _ => 256,
    }
}

/// Sums of a pass: `[row of the call][register of 4 outputs]`.
type Sums<const NC: usize, const V: usize> = [[int32x4_t; V]; NC];

/// Codes of inputs `4j ..` of the unit at `p`, for the outputs of register `v`.
///
/// # Safety
/// `p` is inside a unit of codes, `v` registers before the last.
#[inline(always)]
unsafe fn codes<const KIND: u8>(p: *const u8, j: usize, v: usize) -> int8x16_t {
    // SAFETY: the caller's promise.
    unsafe {
        let x = match KIND {
            B2 => {
                let x = vld1q_u8(p.add(16 * v));
                match j {
                    0 => vandq_u8(x, vdupq_n_u8(3)),
                    1 => vandq_u8(vshrq_n_u8::<2>(x), vdupq_n_u8(3)),
                    2 => vandq_u8(vshrq_n_u8::<4>(x), vdupq_n_u8(3)),
                    _ => vshrq_n_u8::<6>(x),
                }
            }
            B4 => {
                let x = vld1q_u8(p.add(j / 2 * 64 + 16 * v));
                if j.is_multiple_of(2) { vandq_u8(x, vdupq_n_u8(15)) } else { vshrq_n_u8::<4>(x) }
            }
            _ => vld1q_u8(p.add(j * 64 + 16 * v)),
        };
        vreinterpretq_s8_u8(x)
    }
}

/// A unit's activations of all rows of the block.
///
/// # Safety
/// `16 * NC` bytes are readable.
#[inline(always)]
unsafe fn activations<const NC: usize>(q: *const i8) -> [int8x16_t; NC] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut y = [vdupq_n_s8(0); NC];
        for c in 0..NC {
            y[c] = vld1q_s8(q.add(16 * c));
        }
        y
    }
}

/// `sdot` by a lane that is a constant once loops are unrolled.
///
/// # Safety
/// As [`sdot_lane`].
#[inline(always)]
unsafe fn sdot(lane: usize, acc: int32x4_t, w: int8x16_t, y: int8x16_t) -> int32x4_t {
    // SAFETY: the caller's promise.
    unsafe {
        match lane {
            0 => sdot_lane::<0>(acc, w, y),
            1 => sdot_lane::<1>(acc, w, y),
            2 => sdot_lane::<2>(acc, w, y),
            _ => sdot_lane::<3>(acc, w, y),
        }
    }
}

/// Integer sums over `units` units with the dot product instruction.
///
/// # Safety
/// The machine has it; `units` units of codes lie at `p` and of activations at `q`.
#[inline(always)]
unsafe fn dot<const KIND: u8, const NC: usize, const V: usize>(
    mut p: *const u8,
    mut q: *const i8,
    units: usize,
) -> Sums<NC, V> {
    // SAFETY: the caller's promise.
    unsafe {
        let zero = vdupq_n_s32(0);
        // One row of the call has too few chains to hide their latency: it takes two for every output.
        let mut sums = [[[zero; V]; NC]; 2];
        for _ in 0..units {
            let y = activations::<NC>(q);
            macro_rules! step {
                ($j:literal) => {
                    for v in 0..V {
                        let w = codes::<KIND>(p, $j, v);
                        for c in 0..NC {
                            let at = $j * NC + c;
                            let sum = &mut sums[if NC == 1 { $j % 2 } else { 0 }][c][v];
                            *sum = sdot(at % 4, *sum, w, y[at / 4]);
                        }
                    }
                };
            }
            step!(0);
            step!(1);
            step!(2);
            step!(3);
            p = p.add(unit_bytes(KIND));
            q = q.add(UNIT * NC);
        }
        let [mut sums, second] = sums;
        if NC == 1 {
            for v in 0..V {
                sums[0][v] = vaddq_s32(sums[0][v], second[0][v]);
            }
        }
        sums
    }
}

/// As [`dot`] for 2-bit codes and one row of the call. Codes are masked where they lie: those of inputs `4 ..` then
/// weigh 4 times and those of `8 ..` 16 times their value, in sums of their own that are divided at the end (exactly).
///
/// # Safety
/// As [`dot`].
#[inline(always)]
unsafe fn dot_crumbs<const NC: usize, const V: usize>(
    mut p: *const u8,
    mut q: *const i8,
    units: usize,
) -> Sums<NC, V> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut by_1 = [vdupq_n_s32(0); V];
        let (mut by_4, mut by_16) = (by_1, by_1);
        for _ in 0..units {
            let y = vld1q_s8(q);
            for v in 0..V {
                let x = vld1q_u8(p.add(16 * v));
                let w0 = vandq_u8(x, vdupq_n_u8(0x03));
                let w1 = vandq_u8(x, vdupq_n_u8(0x0c));
                let w2 = vandq_u8(x, vdupq_n_u8(0x30));
                let w3 = vshrq_n_u8::<6>(x);
                by_1[v] = sdot_lane::<0>(by_1[v], vreinterpretq_s8_u8(w0), y);
                by_4[v] = sdot_lane::<1>(by_4[v], vreinterpretq_s8_u8(w1), y);
                by_16[v] = sdot_lane::<2>(by_16[v], vreinterpretq_s8_u8(w2), y);
                by_1[v] = sdot_lane::<3>(by_1[v], vreinterpretq_s8_u8(w3), y);
            }
            p = p.add(unit_bytes(B2));
            q = q.add(UNIT);
        }
        for v in 0..V {
            by_1[v] = vsraq_n_s32::<4>(vsraq_n_s32::<2>(by_1[v], by_4[v]), by_16[v]);
        }
        [by_1; NC]
    }
}

/// Lane `at` of a unit's activations in all lanes; `at` is a constant once loops are unrolled.
///
/// # Safety
/// NEON only.
#[inline(always)]
unsafe fn broadcast<const NC: usize>(at: usize, y: &[int8x16_t; NC]) -> int8x16_t {
    // SAFETY: registers only.
    unsafe {
        let y = vreinterpretq_s32_s8(y[at / 4]);
        vreinterpretq_s8_s32(match at % 4 {
            0 => vdupq_laneq_s32::<0>(y),
            1 => vdupq_laneq_s32::<1>(y),
            2 => vdupq_laneq_s32::<2>(y),
            _ => vdupq_laneq_s32::<3>(y),
        })
    }
}

/// Integer sums over `units` units of 2- or 4-bit codes without the dot product: products are added in int16 as long
/// as they fit.
///
/// # Safety
/// `units` units of codes lie at `p` and of activations at `q`.
#[inline(always)]
unsafe fn mull<const KIND: u8, const NC: usize, const V: usize>(
    mut p: *const u8,
    mut q: *const i8,
    mut units: usize,
) -> Sums<NC, V> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[vdupq_n_s32(0); V]; NC];
        while units > 0 {
            let n = units.min(if KIND == B2 { 8 } else { 2 });
            // Rows 0 and 1 of a register, rows 2 and 3.
            let mut part = [[[vdupq_n_s16(0); 2]; V]; NC];
            for _ in 0..n {
                let y = activations::<NC>(q);
                macro_rules! step {
                    ($j:literal) => {
                        let mut w = [vdupq_n_s8(0); V];
                        for v in 0..V {
                            w[v] = codes::<KIND>(p, $j, v);
                        }
                        for c in 0..NC {
                            let y = broadcast($j * NC + c, &y);
                            for v in 0..V {
                                let [low, high] = part[c][v];
                                part[c][v] = [
                                    vmlal_s8(low, vget_low_s8(w[v]), vget_low_s8(y)),
                                    vmlal_high_s8(high, w[v], y),
                                ];
                            }
                        }
                    };
                }
                step!(0);
                step!(1);
                step!(2);
                step!(3);
                p = p.add(unit_bytes(KIND));
                q = q.add(UNIT * NC);
            }
            for c in 0..NC {
                for v in 0..V {
                    let [low, high] = part[c][v];
                    sums[c][v] = vpadalq_s16(sums[c][v], vpaddq_s16(low, high));
                }
            }
            units -= n;
        }
        sums
    }
}

/// As [`mull`] for 8-bit codes: only two products fit in int16.
///
/// # Safety
/// As [`mull`].
#[inline(always)]
unsafe fn mull_bytes<const NC: usize, const V: usize>(
    mut p: *const u8,
    mut q: *const i8,
    units: usize,
) -> Sums<NC, V> {
    // SAFETY: the caller's promise.
    unsafe {
        // Rows 0 and 1 of a register, rows 2 and 3, two sums each.
        let mut part = [[[vdupq_n_s32(0); 2]; V]; NC];
        for _ in 0..units {
            let y = activations::<NC>(q);
            macro_rules! steps {
                ($j:literal) => {
                    let mut w = [[vdupq_n_s8(0); 2]; V];
                    for v in 0..V {
                        w[v] = [codes::<B8>(p, $j, v), codes::<B8>(p, $j + 1, v)];
                    }
                    for c in 0..NC {
                        let (y0, y1) = (broadcast($j * NC + c, &y), broadcast(($j + 1) * NC + c, &y));
                        for v in 0..V {
                            let [w0, w1] = w[v];
                            let low = vmull_s8(vget_low_s8(w0), vget_low_s8(y0));
                            let low = vmlal_s8(low, vget_low_s8(w1), vget_low_s8(y1));
                            let high = vmlal_high_s8(vmull_high_s8(w0, y0), w1, y1);
                            let [a, b] = part[c][v];
                            part[c][v] = [vpadalq_s16(a, low), vpadalq_s16(b, high)];
                        }
                    }
                };
            }
            steps!(0);
            steps!(2);
            p = p.add(unit_bytes(B8));
            q = q.add(UNIT * NC);
        }
        let mut sums = [[vdupq_n_s32(0); V]; NC];
        for c in 0..NC {
            for v in 0..V {
                sums[c][v] = vpaddq_s32(part[c][v][0], part[c][v][1]);
            }
        }
        sums
    }
}

/// Integer sums over `units` units.
///
/// # Safety
/// As [`dot`] and [`mull`].
#[inline(always)]
unsafe fn sums<const KIND: u8, const DOT: bool, const NC: usize, const V: usize>(
    p: *const u8,
    q: *const i8,
    units: usize,
) -> Sums<NC, V> {
    // SAFETY: the caller's promise.
    unsafe {
        match (DOT, KIND) {
            (true, B2) if NC == 1 => dot_crumbs::<NC, V>(p, q, units),
            (true, _) => dot::<KIND, NC, V>(p, q, units),
            (false, B8) => mull_bytes::<NC, V>(p, q, units),
            (false, _) => mull::<KIND, NC, V>(p, q, units),
        }
    }
}

/// 4 signed bytes as i32.
///
/// # Safety
/// 4 bytes are readable.
#[inline(always)]
unsafe fn signed4(p: *const u8) -> int32x4_t {
    // SAFETY: the caller's promise.
    unsafe { vmovl_s16(vget_low_s16(vmovl_s8(vget_low_s8(vreinterpretq_s8_s32(vld1q_dup_s32(p.cast())))))) }
}

/// 4 unsigned bytes as i32.
///
/// # Safety
/// 4 bytes are readable.
#[inline(always)]
unsafe fn unsigned4(p: *const u8) -> int32x4_t {
    // SAFETY: the caller's promise.
    unsafe {
        let x = vreinterpretq_u8_s32(vld1q_dup_s32(p.cast()));
        vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vget_low_u8(x)))))
    }
}

/// 4 half floats.
///
/// # Safety
/// 8 bytes are readable.
#[inline(always)]
unsafe fn halves4(p: *const u8) -> float32x4_t {
    // SAFETY: the caller's promise.
    unsafe { vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p.cast()))) }
}

/// Sums of the activations over sub-block `s` of a group.
#[inline(always)]
fn sub_sum<const NC: usize>(g: &Geometry, a: &ActBlock<'_>, group: usize, s: usize) -> [i32; NC] {
    let first = (group * g.group + s * g.sub) / SUM;
    std::array::from_fn(|c| (first..first + g.sub / SUM).map(|i| a.sub_sum(i, c)).sum())
}

/// Takes the zero point away: `isum - zero * total`.
///
/// # Safety
/// NEON only.
#[inline(always)]
unsafe fn less_zero<const NC: usize, const V: usize>(isum: &mut Sums<NC, V>, zero: i32, total: &[i32]) {
    // SAFETY: registers only.
    unsafe {
        for c in 0..NC {
            let zero = vdupq_n_s32(zero * total[c]);
            for v in 0..V {
                isum[c][v] = vsubq_s32(isum[c][v], zero);
            }
        }
    }
}

/// Minima of a group, weighed: `[row of the call][register]`.
///
/// # Safety
/// `record` is a whole record with minima and sub-block scales.
#[inline(always)]
unsafe fn min_sums<const NC: usize, const V: usize>(
    g: &Geometry,
    a: &ActBlock<'_>,
    record: *const u8,
    group: usize,
    v0: usize,
) -> Sums<NC, V> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut out = [[vdupq_n_s32(0); V]; NC];
        for s in 0..g.group / g.sub {
            let y = sub_sum::<NC>(g, a, group, s);
            for v in 0..V {
                let mn = unsigned4(record.add(g.mn_at() + s * PANEL + 4 * (v0 + v)));
                for c in 0..NC {
                    out[c][v] = vmlaq_n_s32(out[c][v], mn, y[c]);
                }
            }
        }
        out
    }
}

/// Integer records of one kind for `NC` rows of the call, `V` registers a pass.
///
/// # Safety
/// With `DOT` the machine has the dot product, and so has the function that this is compiled into.
#[inline(always)]
unsafe fn integers<const KIND: u8, const DOT: bool, const NC: usize, const V: usize>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let g = r.geometry;
    assert!(a.width == NC && acc.len() == NC && a.bytes.len() == g.cols * NC);
    assert!(g.group.is_multiple_of(UNIT) && r.first + r.count() <= g.groups());
    assert!(r.row_d.is_some() || g.inline_d);
    let by_sub = g.has_sub_scales && (g.has_mins || g.zero != 0);
    assert!(!g.has_sub_scales || g.sub.is_multiple_of(UNIT.max(SUM)) && g.group.is_multiple_of(g.sub));
    assert!(!by_sub || a.sub_sums.len() >= g.cols / SUM * NC);
    debug_assert!(KIND != B8 || DOT || !a.bytes.contains(&i8::MIN));
    // SAFETY: offsets stay inside whole records, whose size follows from the geometry, and inside `a.bytes`, whose
    // length is checked; a pass reads registers `v0 .. v0 + V` of 4.
    unsafe {
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let q = a.bytes.as_ptr().add(group * g.group * NC);
            let (scale, total) = (&a.scales[group * NC..][..NC], &a.sums[group * NC..][..NC]);
            for v0 in (0..4).step_by(V) {
                let p = base.add(16 * v0);
                let mut isum;
                if g.has_sub_scales {
                    isum = [[vdupq_n_s32(0); V]; NC];
                    for s in 0..g.group / g.sub {
                        let units = g.sub / UNIT;
                        let (p, q) = (p.add(s * units * unit_bytes(KIND)), q.add(s * g.sub * NC));
                        let mut part = sums::<KIND, DOT, NC, V>(p, q, units);
                        if g.zero != 0 {
                            less_zero(&mut part, g.zero, &sub_sum::<NC>(g, a, group, s));
                        }
                        for v in 0..V {
                            let sc = signed4(base.add(g.sc_at() + s * PANEL + 4 * (v0 + v)));
                            for c in 0..NC {
                                isum[c][v] = vmlaq_s32(isum[c][v], part[c][v], sc);
                            }
                        }
                    }
                } else {
                    isum = sums::<KIND, DOT, NC, V>(p, q, g.group / UNIT);
                    if g.zero != 0 {
                        less_zero(&mut isum, g.zero, total);
                    }
                }
                for v in 0..V {
                    let d = match r.row_d {
                        Some(d) => vld1q_f32(d.as_ptr().add(4 * (v0 + v))),
                        None => halves4(base.add(g.code_bytes() + 8 * (v0 + v))),
                    };
                    for c in 0..NC {
                        let at = acc[c].as_mut_ptr().add(4 * (v0 + v));
                        let sum = vcvtq_f32_s32(isum[c][v]);
                        vst1q_f32(at, vfmaq_f32(vld1q_f32(at), sum, vmulq_n_f32(d, scale[c])));
                    }
                }
                if g.has_mins {
                    let mut msum = [[vdupq_n_s32(0); V]; NC];
                    if g.has_sub_scales {
                        msum = min_sums::<NC, V>(g, a, base, group, v0);
                    } else {
                        for c in 0..NC {
                            msum[c] = [vdupq_n_s32(total[c]); V];
                        }
                    }
                    for v in 0..V {
                        let dmin = halves4(base.add(g.dmin_at() + 8 * (v0 + v)));
                        for c in 0..NC {
                            let at = acc[c].as_mut_ptr().add(4 * (v0 + v));
                            let sum = vcvtq_f32_s32(msum[c][v]);
                            vst1q_f32(at, vfmsq_f32(vld1q_f32(at), sum, vmulq_n_f32(dmin, scale[c])));
                        }
                    }
                }
            }
        }
    }
}

/// [`integers`] with the dot product.
///
/// # Safety
/// The machine has it.
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,dotprod"))]
unsafe fn with_dot<const KIND: u8, const NC: usize, const V: usize>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    // SAFETY: the caller's promise.
    unsafe { integers::<KIND, true, NC, V>(r, a, acc) }
}

/// [`integers`] without the dot product.
fn without_dot<const KIND: u8, const NC: usize, const V: usize>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    // SAFETY: NEON is part of every aarch64 target.
    unsafe { integers::<KIND, false, NC, V>(r, a, acc) }
}

/// 4 float weights of one input.
///
/// # Safety
/// They are readable.
#[inline(always)]
unsafe fn float4<const KIND: u8>(p: *const u8) -> float32x4_t {
    // SAFETY: the caller's promise.
    unsafe {
        match KIND {
            F16 => halves4(p),
            BF16 => vreinterpretq_f32_u32(vshlq_n_u32::<16>(vmovl_u16(vld1_u16(p.cast())))),
            _ => vld1q_f32(p.cast()),
        }
    }
}

/// Float records of `P` panels at once: one panel has four chains of additions, too few to hide their latency.
fn floats<const KIND: u8, const NC: usize, const V: usize, const P: usize>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    let g = r[0].geometry;
    let size = if KIND == F32 { 4 } else { 2 };
    let (count, record) = (r[0].count(), g.group * PANEL * size);
    assert!(a.width == NC && a.floats.len() == g.cols * NC && r[0].first + count <= g.groups());
    assert!(r.iter().all(|r| r.bytes.len() == count * record) && acc.iter().all(|acc| acc.len() == NC));
    // SAFETY: offsets stay inside the records and `a.floats`, both checked. NEON is part of every aarch64 target.
    unsafe {
        for i in 0..count {
            let x = a.floats.as_ptr().add((r[0].first + i) * g.group * NC);
            for v0 in (0..4).step_by(V) {
                let mut out = [[[vdupq_n_f32(0.0); V]; NC]; P];
                for (out, acc) in out.iter_mut().zip(acc.iter()) {
                    for c in 0..NC {
                        for v in 0..V {
                            out[c][v] = vld1q_f32(acc[c].as_ptr().add(4 * (v0 + v)));
                        }
                    }
                }
                for k in 0..g.group {
                    for n in 0..P {
                        let p = r[n].bytes.as_ptr().add(i * record + (k * PANEL + 4 * v0) * size);
                        for v in 0..V {
                            let w = float4::<KIND>(p.add(4 * v * size));
                            for c in 0..NC {
                                out[n][c][v] = vfmaq_n_f32(out[n][c][v], w, *x.add(k * NC + c));
                            }
                        }
                    }
                }
                for (out, acc) in out.iter().zip(acc.iter_mut()) {
                    for c in 0..NC {
                        for v in 0..V {
                            vst1q_f32(acc[c].as_mut_ptr().add(4 * (v0 + v)), out[c][v]);
                        }
                    }
                }
            }
        }
    }
}

/// Calls `f::<KIND, NC, V, ..>` for the width at hand; the list says how many registers a pass takes at each width.
macro_rules! by_width {
    ($width:expr, $f:ident, $kind:ident, [$($nc:literal: $v:literal),*], $args:tt) => {
        match $width {
            $($nc => by_width!(@call $f, $kind, $nc, $v, $args),)*
            other => unreachable!("a block of {other} rows"),
        }
    };
    (@call floats, $kind:ident, $nc:literal, $v:literal, ($($arg:expr),*)) => {
        floats::<$kind, $nc, $v, 1>($($arg),*)
    };
    (@call $f:ident, $kind:ident, $nc:literal, $v:literal, ($($arg:expr),*)) => {
        $f::<$kind, $nc, $v>($($arg),*)
    };
}

/// Adds the products of integer records to `acc[column][row]`.
///
/// # Safety
/// With [`Isa::NeonDot`] the machine has the dot product instructions.
pub unsafe fn int(isa: Isa, r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    if isa == Isa::NeonDot {
        // Codes of 4 and 8 bits may need a second set of sums for sub-blocks.
        // SAFETY: the caller's promise.
        unsafe {
            match r.geometry.kind {
                Kind::B2 => {
                    by_width!(a.width, with_dot, B2, [1: 4, 2: 4, 3: 4, 4: 4, 5: 2, 6: 2, 7: 2, 8: 2], (r, a, acc))
                }
                Kind::B4 => {
                    by_width!(a.width, with_dot, B4, [1: 4, 2: 4, 3: 2, 4: 2, 5: 1, 6: 1, 7: 1, 8: 1], (r, a, acc))
                }
                _ => {
                    by_width!(a.width, with_dot, B8, [1: 4, 2: 4, 3: 2, 4: 2, 5: 1, 6: 1, 7: 1, 8: 1], (r, a, acc))
                }
            }
        }
    } else {
        match r.geometry.kind {
            Kind::B2 => {
                by_width!(a.width, without_dot, B2, [1: 4, 2: 4, 3: 2, 4: 2, 5: 1, 6: 1, 7: 1, 8: 1], (r, a, acc))
            }
            Kind::B4 => {
                by_width!(a.width, without_dot, B4, [1: 4, 2: 4, 3: 2, 4: 2, 5: 1, 6: 1, 7: 1, 8: 1], (r, a, acc))
            }
            _ => {
                by_width!(a.width, without_dot, B8, [1: 4, 2: 2, 3: 2, 4: 2, 5: 1, 6: 1, 7: 1, 8: 1], (r, a, acc))
            }
        }
    }
}

/// Adds the products of float records of one panel to `acc[column][row]`.
pub fn float(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let mut acc = [acc];
    match r.geometry.kind {
        Kind::F16 => {
            by_width!(a.width, floats, F16, [1: 4, 2: 4, 3: 4, 4: 4, 5: 2, 6: 2, 7: 2, 8: 2], ([r], a, &mut acc))
        }
        Kind::Bf16 => {
            by_width!(a.width, floats, BF16, [1: 4, 2: 4, 3: 4, 4: 4, 5: 2, 6: 2, 7: 2, 8: 2], ([r], a, &mut acc))
        }
        _ => {
            by_width!(a.width, floats, F32, [1: 4, 2: 4, 3: 4, 4: 4, 5: 2, 6: 2, 7: 2, 8: 2], ([r], a, &mut acc))
        }
    }
}

/// As [`float`] for one row of activations and four panels.
pub fn float_vec4(r: [Records<'_>; 4], a: &ActBlock<'_>, acc: &mut [&mut [[f32; PANEL]]; 4]) {
    match r[0].geometry.kind {
        Kind::F16 => floats::<F16, 1, 4, 4>(r, a, acc),
        Kind::Bf16 => floats::<BF16, 1, 4, 4>(r, a, acc),
        _ => floats::<F32, 1, 4, 4>(r, a, acc),
    }
}
