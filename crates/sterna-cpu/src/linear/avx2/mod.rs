//! AVX2 kernels. A register holds 8 output rows (bytes: 8 rows x 4 inputs), activations are broadcast, two
//! registers cover a panel. `NC` is the number of rows of the call that share one reading of the weights.
//!
//! Bounds on the int16 sums: ternary 256 inputs = 64 steps of 2 products, 64 * 2 * 2 * 128 = 32,768 in magnitude only
//! for -128, which the quantiser never makes (and -32,768 still fits); 4-bit 32 inputs = 8 * 2 * 15 * 127 = 30,480.
//!
//! The bodies are `inline(always)` and get their instruction set from the functions at the end of this file, which
//! are the only ones that a processor without it must not enter.

// A kernel's column walks several register arrays and the activations at once; an index says so most plainly.
#![allow(clippy::needless_range_loop)]

mod bytes;
mod coded;
mod floats;
mod nibbles;
mod per_row;
mod ternary;

use std::arch::asm;
use std::arch::x86_64::*;

use crate::acts::{ActBlock, SUM};
use crate::pack::{Geometry, Kind, PANEL, Records};

/// Widest block: its int16 sums, two registers of weights, a broadcast and a product are all 16 registers.
pub const WIDEST: usize = 6;
/// Widest block that multiplies whole signed bytes.
const WIDEST_SIGNED: usize = 4;
/// Bytes of a ternary or float stream to fetch ahead; 1 KiB is worse, 4 KiB no better on Zen 3 and Zen 4.
const AHEAD: usize = 2048;
/// The same for 4-bit weights, whose records end in scales that nobody fetches.
const FARTHER: usize = 2 * AHEAD;
/// The same for 8-bit weights with sub-blocks, which waited at every width with less.
const FARTHEST: usize = 4 * AHEAD;
/// The same in each of four panels of 4-bit weights side by side. A fetch for which the processor has no room is dropped,
/// so that farther ahead can be worse.
const BESIDE: usize = 512;
/// The same for bytes.
const BESIDE_BYTES: usize = 768;

/// The widest block for a call of `rows` rows. Bytes of any size have faster kernels for up to [`WIDEST_SIGNED`] rows,
/// and wider ones so that 5 and 6 rows read their weights once.
pub fn widest<'a>(mut members: impl Iterator<Item = &'a Geometry>, rows: usize) -> usize {
    let signed = members.any(|g| g.kind == Kind::B8 && !g.has_sub_scales);
    if signed && rows > WIDEST { WIDEST_SIGNED } else { WIDEST }
}

type Pair = [__m256; 2];
type Sums = [__m256i; 2];

/// A register's worth of one byte, read from memory where no register is left for it.
#[repr(align(32))]
struct Mask([u8; 32]);
static THREES: Mask = Mask([3; 32]);
static FIFTEENS: Mask = Mask([15; 32]);
static EIGHTS: Mask = Mask([8; 32]);

/// Aligns the stack of the function it is inlined to: a compiler that first meets the need for 32 bytes when it spills
/// leaves the stack at 16, and then every other register spilled crosses two cache lines.
#[inline(always)]
fn align_stack() {
    let mut here = Mask([0; 32]);
    std::hint::black_box(&mut here);
}

#[inline(always)]
unsafe fn load(p: *const u8) -> __m256i {
    // SAFETY: the caller keeps 32 bytes readable.
    unsafe { _mm256_loadu_si256(p.cast()) }
}

#[inline(always)]
unsafe fn broadcast4(p: *const u8) -> __m256i {
    // SAFETY: the caller keeps 4 bytes readable.
    unsafe { _mm256_set1_epi32(p.cast::<i32>().read_unaligned()) }
}

#[inline(always)]
unsafe fn halves(p: *const u8) -> Pair {
    // SAFETY: the caller keeps 32 bytes readable.
    unsafe {
        [_mm256_cvtph_ps(_mm_loadu_si128(p.cast())), _mm256_cvtph_ps(_mm_loadu_si128(p.add(16).cast()))]
    }
}

/// 16 bytes as two registers of i32, sign-extended.
#[inline(always)]
unsafe fn signed(p: *const u8) -> Sums {
    // SAFETY: the caller keeps 16 bytes readable.
    unsafe {
        [
            _mm256_cvtepi8_epi32(_mm_loadl_epi64(p.cast())),
            _mm256_cvtepi8_epi32(_mm_loadl_epi64(p.add(8).cast())),
        ]
    }
}

/// Where the parts of a record begin, worked out once for a panel.
#[derive(Clone, Copy)]
struct Offsets {
    d: usize,
    dmin: usize,
    sc: usize,
    mn: usize,
}

impl Offsets {
    #[inline(always)]
    fn new(g: &Geometry) -> Self {
        Self { d: g.code_bytes(), dmin: g.dmin_at(), sc: g.sc_at(), mn: g.mn_at() }
    }
}

#[inline(always)]
unsafe fn scales(r: &Records<'_>, d: *const u8) -> Pair {
    // SAFETY: records hold 16 f16 after the codes, `row_d` 16 f32.
    unsafe {
        match r.row_d {
            Some(d) => [_mm256_loadu_ps(d.as_ptr()), _mm256_loadu_ps(d.as_ptr().add(8))],
            None => halves(d),
        }
    }
}

#[inline(always)]
unsafe fn zeros<const NC: usize>() -> [Sums; NC] {
    // SAFETY: a register.
    unsafe { [[_mm256_setzero_si256(); 2]; NC] }
}

#[inline(always)]
unsafe fn load_acc<const NC: usize>(acc: &[[f32; PANEL]]) -> [Pair; NC] {
    assert_eq!(acc.len(), NC);
    // SAFETY: 16 f32 each.
    unsafe {
        let mut out = [[_mm256_setzero_ps(); 2]; NC];
        for (o, a) in out.iter_mut().zip(acc) {
            *o = [_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(a.as_ptr().add(8))];
        }
        out
    }
}

#[inline(always)]
unsafe fn store_acc<const NC: usize>(from: [Pair; NC], acc: &mut [[f32; PANEL]]) {
    for (f, a) in from.iter().zip(acc) {
        // SAFETY: 16 f32.
        unsafe {
            _mm256_storeu_ps(a.as_mut_ptr(), f[0]);
            _mm256_storeu_ps(a.as_mut_ptr().add(8), f[1]);
        }
    }
}

/// The codes at bits `SHIFT` and up of the 64 bytes at `p`.
#[inline(always)]
unsafe fn plane<const SHIFT: i32, const NC: usize>(p: *const u8, mask: &'static Mask) -> Sums {
    // SAFETY: the caller keeps 64 bytes readable.
    unsafe {
        if NC > 4 {
            return [wide_plane::<SHIFT>(p, mask), wide_plane::<SHIFT>(p.add(32), mask)];
        }
        let mask = load(mask.0.as_ptr());
        [p, p.add(32)].map(|p| {
            let x = load(p);
            _mm256_and_si256(if SHIFT == 0 { x } else { _mm256_srli_epi16::<SHIFT>(x) }, mask)
        })
    }
}

/// 32 bytes of that. Assembly, since a compiler that sees the load keeps the packed codes in registers from one plane
/// to the next, and the sums of a wide block have none to spare.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn wide_plane<const SHIFT: i32>(p: *const u8, mask: &'static Mask) -> __m256i {
    let w: __m256i;
    // SAFETY: reads 32 bytes at `p` and the mask.
    unsafe {
        if SHIFT == 0 {
            asm!("vmovdqu {w}, [{p}]", "vpand {w}, {w}, [{mask}]",
                w = out(ymm_reg) w, p = in(reg) p, mask = in(reg) mask,
                options(pure, readonly, nostack, preserves_flags));
        } else {
            asm!("vmovdqu {w}, [{p}]", "vpsrlw {w}, {w}, {shift}", "vpand {w}, {w}, [{mask}]",
                w = out(ymm_reg) w, p = in(reg) p, mask = in(reg) mask, shift = const SHIFT,
                options(pure, readonly, nostack, preserves_flags));
        }
    }
    w
}

/// `sum[c] += products of two pairs` in int16 lanes, for unsigned weights of 16 rows and the four inputs of every
/// column at `q`. `FIRST`: what `sum` was does not count.
///
/// Assembly, since a compiler that sees the broadcasts apart makes those of the next steps early and then has no
/// registers left for the sums.
///
/// # Safety
/// `4 * NC` bytes at `q`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn dot<const NC: usize, const FIRST: bool>(sum: &mut [Sums; NC], w: Sums, q: *const u8) {
    macro_rules! columns {
        ($($c:literal)*) => {$(
            if $c < NC {
                // SAFETY: reads 4 bytes of column `c`.
                unsafe {
                    if FIRST {
                        asm!(
                            "vpbroadcastd {s1}, dword ptr [{q} + {at}]",
                            "vpmaddubsw {s0}, {w0}, {s1}",
                            "vpmaddubsw {s1}, {w1}, {s1}",
                            s0 = out(ymm_reg) sum[$c][0],
                            s1 = out(ymm_reg) sum[$c][1],
                            w0 = in(ymm_reg) w[0],
                            w1 = in(ymm_reg) w[1],
                            q = in(reg) q,
                            at = const 4 * $c,
                            options(pure, readonly, nostack, preserves_flags)
                        );
                    } else {
                        asm!(
                            "vpbroadcastd {y}, dword ptr [{q} + {at}]",
                            "vpmaddubsw {t}, {w0}, {y}",
                            "vpmaddubsw {y}, {w1}, {y}",
                            "vpaddw {s0}, {s0}, {t}",
                            "vpaddw {s1}, {s1}, {y}",
                            s0 = inout(ymm_reg) sum[$c][0],
                            s1 = inout(ymm_reg) sum[$c][1],
                            y = out(ymm_reg) _,
                            t = out(ymm_reg) _,
                            w0 = in(ymm_reg) w[0],
                            w1 = in(ymm_reg) w[1],
                            q = in(reg) q,
                            at = const 4 * $c,
                            options(pure, readonly, nostack, preserves_flags)
                        );
                    }
                }
            }
        )*};
    }
    columns!(0 1 2 3 4 5);
}

/// The int32 lanes of int16 sums.
#[inline(always)]
unsafe fn pairs(sum: __m256i) -> __m256i {
    // SAFETY: registers.
    unsafe { _mm256_madd_epi16(sum, _mm256_set1_epi16(1)) }
}

/// A factor in both halves of a lane: `madd` then adds a pair and multiplies at once.
#[inline(always)]
unsafe fn both(factor: Sums) -> Sums {
    // SAFETY: registers.
    unsafe { factor.map(|f| _mm256_blend_epi16::<0xaa>(f, _mm256_slli_epi32::<16>(f))) }
}

/// `isum += sum * sc` for one sub-block.
#[inline(always)]
unsafe fn add_scaled<const NC: usize>(isum: &mut [Sums; NC], sum: &[Sums; NC], sc: *const u8) {
    // SAFETY: the caller keeps 16 bytes of scales readable.
    unsafe {
        let sc = both(signed(sc));
        for c in 0..NC {
            for v in 0..2 {
                isum[c][v] = _mm256_add_epi32(isum[c][v], _mm256_madd_epi16(sum[c][v], sc[v]));
            }
        }
    }
}

/// `acc = fma(f32(isum), d * scale, acc)` for one group.
#[inline(always)]
unsafe fn add_group<const NC: usize>(
    acc: &mut [Pair; NC],
    isum: &[Sums; NC],
    d: Pair,
    a: &ActBlock<'_>,
    group: usize,
) {
    let scales = &a.scales[group * NC..][..NC];
    // SAFETY: registers.
    unsafe {
        for c in 0..NC {
            let scale = _mm256_set1_ps(scales[c]);
            for v in 0..2 {
                let dot = _mm256_cvtepi32_ps(isum[c][v]);
                acc[c][v] = _mm256_fmadd_ps(dot, _mm256_mul_ps(d[v], scale), acc[c][v]);
            }
        }
    }
}

/// `acc = fma(-f32(msum), dmin * scale, acc)` for one group.
#[inline(always)]
unsafe fn add_mins<const NC: usize>(
    acc: &mut [Pair; NC],
    msum: &[Sums; NC],
    dmin: Pair,
    a: &ActBlock<'_>,
    group: usize,
) {
    let scales = &a.scales[group * NC..][..NC];
    // SAFETY: registers.
    unsafe {
        for c in 0..NC {
            let scale = _mm256_set1_ps(scales[c]);
            for v in 0..2 {
                let m = _mm256_cvtepi32_ps(msum[c][v]);
                acc[c][v] = _mm256_fnmadd_ps(m, _mm256_mul_ps(dmin[v], scale), acc[c][v]);
            }
        }
    }
}

/// The same for a group that is one block with one minimum of weight 1: `msum` is the sum of its activations.
#[inline(always)]
unsafe fn add_one_min<const NC: usize>(acc: &mut [Pair; NC], dmin: Pair, a: &ActBlock<'_>, group: usize) {
    let (scales, sums) = (&a.scales[group * NC..][..NC], &a.sums[group * NC..][..NC]);
    // SAFETY: registers.
    unsafe {
        for c in 0..NC {
            let scale = _mm256_set1_ps(scales[c]);
            let m = _mm256_cvtepi32_ps(_mm256_set1_epi32(sums[c]));
            for v in 0..2 {
                acc[c][v] = _mm256_fnmadd_ps(m, _mm256_mul_ps(dmin[v], scale), acc[c][v]);
            }
        }
    }
}

/// `sum over sub-blocks of factor * (sum of the sub-block's activations)` for one group, where `factors` are 16 bytes
/// for every sub-block: two sums of 16 inputs meet two factors at a time.
#[inline(always)]
unsafe fn dot_sums<const NC: usize>(
    r: &Records<'_>,
    factors: *const u8,
    a: &ActBlock<'_>,
    group: usize,
) -> [Sums; NC] {
    let g = r.geometry;
    let pairs = g.group / (2 * SUM);
    let sums = a.sub_sums[group * pairs * 2 * NC..][..pairs * 2 * NC].as_ptr().cast::<u8>();
    // SAFETY: 16 factors a sub-block, two sums for every 32 inputs and column.
    unsafe {
        let mut out = zeros::<NC>();
        for pair in 0..pairs {
            let f = if g.sub == SUM {
                let low = signed(factors.add(2 * pair * PANEL));
                let high = signed(factors.add((2 * pair + 1) * PANEL));
                [0, 1].map(|v| _mm256_blend_epi16::<0xaa>(low[v], _mm256_slli_epi32::<16>(high[v])))
            } else {
                both(signed(factors.add(pair * 2 * SUM / g.sub * PANEL)))
            };
            for c in 0..NC {
                let y = broadcast4(sums.add((pair * NC + c) * 4));
                for v in 0..2 {
                    out[c][v] = _mm256_add_epi32(out[c][v], _mm256_madd_epi16(f[v], y));
                }
            }
        }
        out
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn int_kind<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    align_stack();
    let g = r.geometry;
    // SAFETY: the instruction set of this function.
    unsafe {
        match (g.kind, g.has_sub_scales, g.has_mins) {
            (Kind::B2, ..) => ternary::run::<NC>(r, a, acc),
            (Kind::B4, true, _) => nibbles::scaled::<NC>(r, a, acc),
            (Kind::B4, false, true) => nibbles::flat::<NC, false, true, 1, FARTHER>([r], a, &mut [acc]),
            (Kind::B4, false, false) => nibbles::flat::<NC, true, false, 1, FARTHER>([r], a, &mut [acc]),
            (_, true, true) => bytes::scaled::<NC, 0>(r, a, acc),
            (_, true, false) => bytes::scaled::<NC, 32>(r, a, acc),
            (_, false, _) => bytes::flat::<NC, 1, AHEAD>([r], a, &mut [acc]),
        }
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn four_kind<const NC: usize>(
    r: [Records<'_>; 4],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; 4],
) {
    align_stack();
    let g = r[0].geometry;
    // SAFETY: the instruction set of this function.
    unsafe {
        match (g.kind, g.has_mins) {
            _ if g.per_row => per_row::four::<NC>(r, a, acc),
            (Kind::B4, true) => nibbles::flat::<NC, false, true, 4, BESIDE>(r, a, acc),
            (Kind::B4, false) => nibbles::flat::<NC, true, false, 4, BESIDE>(r, a, acc),
            _ => bytes::flat::<NC, 4, BESIDE_BYTES>(r, a, acc),
        }
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn slice<const NC: usize>(
    r: Records<'_>,
    inputs: (usize, usize),
    a: &ActBlock<'_>,
    part: &mut [[i32; PANEL]],
) {
    align_stack();
    // SAFETY: the instruction set of this function.
    unsafe { ternary::slice::<NC>(r, inputs, a, part) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn finish<const NC: usize>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    part: &[[i32; PANEL]],
    acc: &mut [[f32; PANEL]],
) {
    // SAFETY: the instruction set of this function.
    unsafe { ternary::finish::<NC>(r, a, part, acc) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn float_kind<const NC: usize, const P: usize>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    // SAFETY: the instruction set of this function.
    unsafe {
        match r[0].geometry.kind {
            Kind::F16 => floats::run::<NC, 0, P>(r, a, acc),
            Kind::Bf16 => floats::run::<NC, 1, P>(r, a, acc),
            Kind::Coded => coded::run::<NC, P>(r, a, acc),
            _ => floats::run::<NC, 2, P>(r, a, acc),
        }
    }
}

/// Adds the products of integer records to `acc[column][row]`.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn int(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the caller's promise; lengths are asserted inside.
    unsafe { by_width!(a.width, int_kind, (r, a, acc), 1 2 3 4 5 6) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn per_row_kind<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    align_stack();
    // SAFETY: the instruction set of this function.
    unsafe { per_row::run::<NC>(r, a, acc) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn wide_kind<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    align_stack();
    // SAFETY: the instruction set of this function.
    unsafe { per_row::wide::<NC>(r, a, acc) }
}

/// As [`int`] for rows with one scale; any int8 activation may occur, -128 too.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn per_row(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the caller's promise; lengths are asserted inside.
    unsafe {
        if r.geometry.wide {
            return by_width!(2 * a.width, wide_kind, (r, a, acc), 2 4 6);
        }
        by_width!(a.width, per_row_kind, (r, a, acc), 1 2 3 4 5 6)
    }
}

/// Adds the integer products of inputs `from .. to` of one ternary group to `part[column][row]`.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn ternary_slice(
    r: Records<'_>,
    inputs: (usize, usize),
    a: &ActBlock<'_>,
    part: &mut [[i32; PANEL]],
) {
    // SAFETY: the caller's promise; lengths are asserted inside.
    unsafe { by_width!(a.width, slice, (r, inputs, a, part), 1 2 3 4 5 6) }
}

/// Adds a ternary group whose integer products are in `part` to `acc[column][row]`.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn ternary_finish(
    r: Records<'_>,
    a: &ActBlock<'_>,
    part: &[[i32; PANEL]],
    acc: &mut [[f32; PANEL]],
) {
    // SAFETY: the caller's promise; lengths are asserted inside.
    unsafe { by_width!(a.width, finish, (r, a, part, acc), 1 2 3 4 5 6) }
}

/// Adds the products of float records of one panel to `acc[column][row]`.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn float(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    macro_rules! go {
        ($($n:literal)*) => {
            match a.width {
                $($n => float_kind::<$n, 1>([r], a, &mut [acc]),)*
                other => unreachable!("a block of {other} rows"),
            }
        };
    }
    // SAFETY: the caller's promise.
    unsafe { go!(1 2 3 4 5 6) }
}

/// As [`float`] for one row of activations and four panels.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn float_vec4(r: [Records<'_>; 4], a: &ActBlock<'_>, acc: &mut [&mut [[f32; PANEL]]; 4]) {
    if r[0].geometry.kind == Kind::Coded {
        let ([r0, r1, r2, r3], [a0, a1, a2, a3]) = (r, acc);
        // SAFETY: the caller's promise. The scales of four panels would not fit the registers.
        return unsafe {
            float_kind::<1, 2>([r0, r1], a, &mut [a0, a1]);
            float_kind::<1, 2>([r2, r3], a, &mut [a2, a3]);
        };
    }
    // SAFETY: the caller's promise.
    unsafe { float_kind::<1, 4>(r, a, acc) }
}

/// Whether a call of so many rows reads four panels of such a matrix of integers side by side. Wider calls wait for
/// memory less, and have no registers for the sums of several panels.
pub fn beside(g: &Geometry, rows: usize) -> bool {
    match (g.per_row, g.kind) {
        (true, _) => rows == 1 && per_row::beside(g),
        (false, Kind::B4 | Kind::B8) => !g.has_sub_scales && rows <= 2,
        _ => false,
    }
}

/// As [`int`] for four panels of a matrix and a block of rows for which [`beside`] holds.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn int_run(r: [Records<'_>; 4], a: &ActBlock<'_>, acc: &mut [&mut [[f32; PANEL]]; 4]) {
    // SAFETY: the caller's promise; lengths are asserted inside.
    unsafe { by_width!(a.width, four_kind, (r, a, acc), 1 2) }
}
