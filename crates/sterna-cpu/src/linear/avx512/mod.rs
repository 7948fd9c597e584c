//! AVX-512 kernels, with VNNI and without. A register holds all 16 output rows of a panel (integers: 16 rows x 4
//! inputs), activations are broadcast. `NC` is the number of rows of the call that share one reading of the weights.
//!
//! With VNNI a product of four pairs lands in an int32 at once, so no int16 can overflow. Without it, the int16 bounds
//! of the AVX2 kernels hold.
//!
//! The bodies are `inline(always)` and get their instruction set from the functions at the end of this file, which
//! are the only ones that a processor without it must not enter.

// A kernel's column walks several register arrays and the activations at once; an index says so most plainly.
#![allow(clippy::needless_range_loop)]

mod bytes;
mod floats;
mod nibbles;
mod per_row;
mod sixes;
mod ternary;

use std::arch::asm;
use std::arch::x86_64::*;

use crate::acts::{ActBlock, SUM};
use crate::isa;
use crate::pack::{Geometry, Kind, PANEL, Records};

/// Widest block with VNNI.
pub const WIDEST_VNNI: usize = 16;
/// Widest block without.
pub const WIDEST: usize = 8;
/// Bytes of the stream to fetch ahead: into the second-level cache, past the end of the page, where the processor's own
/// fetching stops; and from there into the first.
const FAR: usize = 8192;
const NEAR: usize = 1024;

/// Fetches codes ahead of `p`, which is walked in steps of 64 bytes.
#[inline(always)]
fn fetch<const AHEAD: bool>(p: *const u8) {
    fetch_far::<AHEAD>(p);
    if AHEAD {
        // SAFETY: any address may be prefetched.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(NEAR).cast()) };
    }
}

/// Fetches what is not codes: a line that was left out would be waited for.
#[inline(always)]
fn fetch_far<const AHEAD: bool>(p: *const u8) {
    if AHEAD {
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(p.wrapping_add(FAR).cast()) };
    }
}

#[inline(always)]
unsafe fn load(p: *const u8) -> __m512i {
    // SAFETY: the caller keeps 64 bytes readable.
    unsafe { _mm512_loadu_si512(p.cast()) }
}

#[inline(always)]
unsafe fn broadcast4(p: *const u8) -> __m512i {
    // SAFETY: the caller keeps 4 bytes readable.
    unsafe { _mm512_set1_epi32(p.cast::<i32>().read_unaligned()) }
}

#[inline(always)]
unsafe fn halves(p: *const u8) -> __m512 {
    // SAFETY: the caller keeps 32 bytes readable.
    unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(p.cast())) }
}

/// 16 bytes as i32, sign-extended.
#[inline(always)]
unsafe fn signed(p: *const u8) -> __m512i {
    // SAFETY: the caller keeps 16 bytes readable.
    unsafe { _mm512_cvtepi8_epi32(_mm_loadu_si128(p.cast())) }
}

/// Where the parts of a record begin, worked out once for a panel.
#[derive(Clone, Copy)]
struct Offsets {
    codes: usize,
    /// All that is not codes, and its bytes.
    rest: (usize, usize),
    d: usize,
    dmin: usize,
    sc: usize,
    mn: usize,
}

impl Offsets {
    #[inline(always)]
    fn new(g: &Geometry) -> Self {
        let rest = (g.d_at(), g.record_bytes() - g.code_bytes());
        Self { codes: g.codes_at(), rest, d: g.d_at(), dmin: g.dmin_at(), sc: g.sc_at(), mn: g.mn_at() }
    }
    /// Fetches ahead what of the record at `base` is not codes.
    #[inline(always)]
    fn fetch<const AHEAD: bool>(&self, base: *const u8) {
        for line in 0..self.rest.1.div_ceil(64) {
            fetch_far::<AHEAD>(base.wrapping_add(self.rest.0 + 64 * line));
        }
    }
}

#[inline(always)]
unsafe fn scales(r: &Records<'_>, d: *const u8) -> __m512 {
    // SAFETY: records hold 16 f16 at `d`, `row_d` 16 f32.
    unsafe {
        match r.row_d {
            Some(d) => _mm512_loadu_ps(d.as_ptr()),
            None => halves(d),
        }
    }
}

/// `-zero` times the sums of a group, one in every lane: where integer sums begin, to take a zero point away.
///
/// They come from memory unless they were made for another member's zero point: a broadcast from there takes no turn at
/// the ports that the products need.
#[inline(always)]
unsafe fn start<const NC: usize>(zero: i32, a: &ActBlock<'_>, group: usize) -> [__m512i; NC] {
    // Loops, not closures: one that the compiler does not inline has no such instructions and is called for every record.
    // SAFETY: 4 bytes each.
    unsafe {
        let mut out = zeros::<NC>();
        if a.bias == zero {
            let starts = &a.starts[group * NC..][..NC];
            for c in 0..NC {
                out[c] = broadcast4(starts[c..].as_ptr().cast());
            }
        } else {
            let sums = &a.sums[group * NC..][..NC];
            for c in 0..NC {
                // Read where they are. Volatile, since a compiler that multiplies all of them at once then takes them
                // apart again, lane by lane, which costs more than the products that follow.
                out[c] = _mm512_set1_epi32(-zero * std::ptr::from_ref(&sums[c]).read_volatile());
            }
        }
        out
    }
}

#[inline(always)]
unsafe fn load_acc<const NC: usize>(acc: &[[f32; PANEL]]) -> [__m512; NC] {
    assert_eq!(acc.len(), NC);
    // SAFETY: 16 f32 each.
    unsafe {
        let mut out = [_mm512_setzero_ps(); NC];
        for c in 0..NC {
            out[c] = _mm512_loadu_ps(acc[c].as_ptr());
        }
        out
    }
}

#[inline(always)]
unsafe fn store_acc<const NC: usize>(from: [__m512; NC], acc: &mut [[f32; PANEL]]) {
    for (f, a) in from.iter().zip(acc) {
        // SAFETY: 16 f32.
        unsafe { _mm512_storeu_ps(a.as_mut_ptr(), *f) };
    }
}

#[inline(always)]
unsafe fn zeros<const NC: usize>() -> [__m512i; NC] {
    // SAFETY: a register.
    unsafe { [_mm512_setzero_si512(); NC] }
}

/// `sum[c] += products of four pairs`, for unsigned weights of 16 rows and the four inputs of every column at `q`: to
/// int32 lanes.
///
/// Assembly, since the instruction takes its broadcast from memory, and a compiler that sees the loads apart makes
/// those of the next steps early and then has no registers left for the sums.
///
/// # Safety
/// `4 * NC` bytes at `q`.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn dot_vnni<const NC: usize>(sum: &mut [__m512i; NC], w: __m512i, q: *const u8) {
    macro_rules! columns {
        ($($c:literal)*) => {$(
            if $c < NC {
                // SAFETY: reads 4 bytes of column `c`.
                unsafe {
                    asm!(
                        "vpdpbusd {sum}, {w}, dword ptr [{q} + {at}]{{1to16}}",
                        sum = inout(zmm_reg) sum[$c],
                        w = in(zmm_reg) w,
                        q = in(reg) q,
                        at = const 4 * $c,
                        options(pure, readonly, nostack, preserves_flags)
                    );
                }
            }
        )*};
    }
    columns!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}

/// The same to int16 lanes, two pairs each.
#[inline(always)]
unsafe fn dot_words<const NC: usize>(sum: &mut [__m512i; NC], w: __m512i, q: *const u8) {
    for c in 0..NC {
        // SAFETY: the caller's.
        unsafe { sum[c] = _mm512_add_epi16(sum[c], _mm512_maddubs_epi16(w, broadcast4(q.add(4 * c)))) };
    }
}

/// One of the two.
#[inline(always)]
unsafe fn dot<const NC: usize, const VNNI: bool>(sum: &mut [__m512i; NC], w: __m512i, q: *const u8) {
    // SAFETY: the caller's.
    unsafe { if VNNI { dot_vnni::<NC>(sum, w, q) } else { dot_words::<NC>(sum, w, q) } }
}

/// The int32 lanes of what [`dot`] added up.
#[inline(always)]
unsafe fn whole<const VNNI: bool>(sum: __m512i) -> __m512i {
    // SAFETY: registers.
    unsafe { if VNNI { sum } else { _mm512_madd_epi16(sum, _mm512_set1_epi16(1)) } }
}

/// `acc = fma(f32(isum), d * scale, acc)` for one group.
#[inline(always)]
unsafe fn add_group<const NC: usize>(
    acc: &mut [__m512; NC],
    isum: &[__m512i; NC],
    d: __m512,
    a: &ActBlock<'_>,
    group: usize,
) {
    let scales = &a.scales[group * NC..][..NC];
    for c in 0..NC {
        // SAFETY: registers.
        unsafe {
            let factor = _mm512_mul_ps(d, _mm512_set1_ps(scales[c]));
            acc[c] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(isum[c]), factor, acc[c]);
        }
    }
}

/// `acc = fma(-f32(msum), dmin * scale, acc)` for one group.
#[inline(always)]
unsafe fn add_mins<const NC: usize>(
    acc: &mut [__m512; NC],
    msum: &[__m512i; NC],
    dmin: __m512,
    a: &ActBlock<'_>,
    group: usize,
) {
    let scales = &a.scales[group * NC..][..NC];
    for c in 0..NC {
        // SAFETY: registers.
        unsafe {
            let factor = _mm512_mul_ps(dmin, _mm512_set1_ps(scales[c]));
            acc[c] = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(msum[c]), factor, acc[c]);
        }
    }
}

/// The same for a group that is one block with one minimum of weight 1: `msum` is the sum of its activations.
#[inline(always)]
unsafe fn add_one_min<const NC: usize>(acc: &mut [__m512; NC], dmin: __m512, a: &ActBlock<'_>, group: usize) {
    let (scales, sums) = (&a.scales[group * NC..][..NC], &a.sums[group * NC..][..NC]);
    for c in 0..NC {
        // SAFETY: registers.
        unsafe {
            let factor = _mm512_mul_ps(dmin, _mm512_set1_ps(scales[c]));
            let sum = _mm512_cvtepi32_ps(_mm512_set1_epi32(sums[c]));
            acc[c] = _mm512_fnmadd_ps(sum, factor, acc[c]);
        }
    }
}

/// `sum over sub-blocks of factor * (sum of the sub-block's activations)` for one group, where `factors` are 16 bytes
/// for every sub-block: two sums of 16 inputs meet two factors at a time.
#[inline(always)]
unsafe fn dot_sums<const NC: usize, const VNNI: bool>(
    r: &Records<'_>,
    factors: *const u8,
    a: &ActBlock<'_>,
    group: usize,
) -> [__m512i; NC] {
    let g = r.geometry;
    debug_assert!(g.sub == SUM || g.sub == 2 * SUM);
    let pairs = g.group / (2 * SUM);
    let sums = a.sub_sums[group * pairs * 2 * NC..][..pairs * 2 * NC].as_ptr().cast::<u8>();
    // SAFETY: 16 factors a sub-block, two sums for every 32 inputs and column.
    unsafe {
        let mut out = zeros::<NC>();
        for pair in 0..pairs {
            let (low, high) = if g.sub == SUM {
                (signed(factors.add(2 * pair * PANEL)), signed(factors.add((2 * pair + 1) * PANEL)))
            } else {
                let one = signed(factors.add(pair * PANEL));
                (one, one)
            };
            let both = _mm512_mask_blend_epi16(0xaaaa_aaaa, low, _mm512_slli_epi32::<16>(high));
            for c in 0..NC {
                let y = broadcast4(sums.add((pair * NC + c) * 4));
                out[c] = if VNNI {
                    _mm512_dpwssd_epi32(out[c], both, y)
                } else {
                    _mm512_add_epi32(out[c], _mm512_madd_epi16(both, y))
                };
            }
        }
        out
    }
}

#[inline(always)]
unsafe fn any<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    // SAFETY: the caller's.
    unsafe {
        match r.geometry.kind {
            _ if VNNI && r.geometry.per_row => per_row::run::<NC, AHEAD>(r, a, acc),
            Kind::B2 => ternary::run::<NC, VNNI, AHEAD>(r, a, acc),
            Kind::B4 if r.geometry.has_sub_scales => nibbles::scaled::<NC, VNNI, AHEAD>(r, a, acc),
            Kind::B4 => nibbles::flat::<NC, VNNI, AHEAD>(r, a, acc),
            Kind::B6 => sixes::run::<NC, VNNI, AHEAD>(r, a, acc),
            _ if r.geometry.has_sub_scales => bytes::scaled::<NC, VNNI, AHEAD>(r, a, acc),
            _ => bytes::flat::<NC, VNNI, AHEAD, 1>([r], a, &mut [acc]),
        }
    }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
unsafe fn with_vnni<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the instruction set of this function.
    unsafe { any::<NC, true, true>(r, a, acc) }
}

/// One row for processors that fetch ahead better by themselves; without VNNI there is none among them.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
unsafe fn one_row(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the instruction set of this function.
    unsafe { any::<1, true, false>(r, a, acc) }
}

/// `NC` rows of bytes, two for each row of int16.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
unsafe fn wide<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the instruction set of this function.
    unsafe { per_row::wide::<NC, true>(r, a, acc) }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn without_vnni<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the instruction set of this function.
    unsafe { any::<NC, false, true>(r, a, acc) }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
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
            _ => floats::run::<NC, 2, P>(r, a, acc),
        }
    }
}

/// Adds the products of integer records to `acc[column][row]`; rows with one scale only with VNNI.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ and VL, and VNNI where `vnni` says so.
pub unsafe fn int(vnni: bool, r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the caller's promise.
    unsafe { int_by(vnni, isa::fetches_ahead(), r, a, acc) }
}

/// [`int`], with fetching ahead for one row or without.
///
/// # Safety
/// As [`int`].
pub unsafe fn int_by(vnni: bool, ahead: bool, r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the caller's promise; lengths are asserted inside.
    unsafe {
        if vnni && r.geometry.wide {
            by_width!(2 * a.width, wide, (r, a, acc), 2 4 6 8 10 12 14 16)
        } else if vnni && a.width == 1 && !ahead {
            one_row(r, a, acc)
        } else if vnni {
            by_width!(a.width, with_vnni, (r, a, acc), 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
        } else {
            by_width!(a.width, without_vnni, (r, a, acc), 1 2 3 4 5 6 7 8)
        }
    }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
unsafe fn nibbles_two<const NC: usize>(
    r: [Records<'_>; 2],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; 2],
) {
    // SAFETY: the instruction set of this function.
    unsafe { nibbles::flat_two::<NC>(r, a, acc) }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
unsafe fn bytes_two<const NC: usize>(
    r: [Records<'_>; 2],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; 2],
) {
    // SAFETY: the instruction set of this function.
    unsafe { bytes::flat::<NC, true, true, 2>(r, a, acc) }
}

/// Whether a call of so many rows reads panels of such a matrix of integers side by side (with VNNI): where there are
/// registers for the sums of two, and more than one row to work on while memory answers.
pub fn beside(g: &Geometry, rows: usize) -> bool {
    match g.kind {
        _ if g.per_row || g.has_sub_scales => false,
        Kind::B4 => (2..=7).contains(&rows),
        Kind::B8 => (2..=super::NARROW).contains(&rows),
        _ => false,
    }
}

/// As [`int`] for four panels of a matrix and a block of rows for which [`beside`] holds, two and two.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ, VL and VNNI.
pub unsafe fn int_run(
    [r0, r1, r2, r3]: [Records<'_>; 4],
    a: &ActBlock<'_>,
    [a0, a1, a2, a3]: &mut [&mut [[f32; PANEL]]; 4],
) {
    for (r, acc) in [([r0, r1], &mut [&mut **a0, &mut **a1]), ([r2, r3], &mut [&mut **a2, &mut **a3])] {
        // SAFETY: the caller's promise; lengths are asserted inside.
        unsafe {
            match r[0].geometry.kind {
                Kind::B4 => by_width!(a.width, nibbles_two, (r, a, acc), 2 3 4 5 6 7),
                _ => by_width!(a.width, bytes_two, (r, a, acc), 2 3 4 5 6 7 8 9 10 11),
            }
        }
    }
}

/// Adds the products of float records of one panel to `acc[column][row]`.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ and VL.
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
    unsafe { go!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16) }
}

/// As [`float`] for one row of activations and four panels.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ and VL.
pub unsafe fn float_vec4(r: [Records<'_>; 4], a: &ActBlock<'_>, acc: &mut [&mut [[f32; PANEL]]; 4]) {
    // SAFETY: the caller's promise.
    unsafe { float_kind::<1, 4>(r, a, acc) }
}
