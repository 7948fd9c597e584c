//! AVX2 kernels. A register holds 8 output rows (bytes: 8 rows x 4 inputs), activations are broadcast, two
//! registers cover a panel. `NC` is the number of rows of the call that share one reading of the weights.
//!
//! Bounds on the int16 sums: ternary 256 inputs = 64 steps of 2 products, 64 * 2 * 2 * 128 = 32,768 in magnitude only
//! for -128, which the quantiser never makes (and -32,768 still fits); 4-bit 32 inputs = 8 * 2 * 15 * 127 = 30,480.

// A kernel's column walks several register arrays and the activations at once; an index says so most plainly.
#![allow(clippy::needless_range_loop)]

use std::arch::x86_64::*;

use crate::acts::{ActBlock, SUM};
use crate::pack::{Kind, PANEL, Records};

/// Widest block of 4-bit, 8-bit and float kernels.
pub const WIDEST: usize = 4;
/// Widest block over unpacked ternary codes.
pub const WIDEST_TERNARY: usize = 6;
/// Bytes of the stream to fetch ahead; 1 KiB is worse, 4 KiB no better on Zen 3.
const AHEAD: usize = 2048;

type Pair = [__m256; 2];

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(p: *const u8) -> __m256i {
    // SAFETY: the caller keeps 32 bytes readable.
    unsafe { _mm256_loadu_si256(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn broadcast4(p: *const u8) -> __m256i {
    // SAFETY: the caller keeps 4 bytes readable.
    unsafe { _mm256_set1_epi32(p.cast::<i32>().read_unaligned()) }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn halves(p: *const u8) -> Pair {
    // SAFETY: the caller keeps 32 bytes readable.
    unsafe {
        [_mm256_cvtph_ps(_mm_loadu_si128(p.cast())), _mm256_cvtph_ps(_mm_loadu_si128(p.add(16).cast()))]
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn scales(r: &Records<'_>, record: *const u8) -> Pair {
    // SAFETY: records hold 16 f16 after the codes, `row_d` 16 f32.
    unsafe {
        match r.row_d {
            Some(d) => [_mm256_loadu_ps(d.as_ptr()), _mm256_loadu_ps(d.as_ptr().add(8))],
            None => halves(record.add(r.geometry.code_bytes())),
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn load_acc<const NC: usize>(acc: &[[f32; PANEL]]) -> [Pair; NC] {
    assert_eq!(acc.len(), NC);
    let mut out = [[_mm256_setzero_ps(); 2]; NC];
    for (o, a) in out.iter_mut().zip(acc) {
        // SAFETY: 16 f32.
        *o = unsafe { [_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(a.as_ptr().add(8))] };
    }
    out
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn store_acc<const NC: usize>(from: [Pair; NC], acc: &mut [[f32; PANEL]]) {
    for (f, a) in from.iter().zip(acc) {
        // SAFETY: 16 f32.
        unsafe {
            _mm256_storeu_ps(a.as_mut_ptr(), f[0]);
            _mm256_storeu_ps(a.as_mut_ptr().add(8), f[1]);
        }
    }
}

/// Adds one ternary group: `acc = fma(f32(isum - sum), d * scale, acc)`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn add_group<const NC: usize>(
    acc: &mut [Pair; NC],
    isum: &[[__m256i; 2]; NC],
    d: Pair,
    zero: i32,
    a: &ActBlock<'_>,
    group: usize,
) {
    let (scales, sums) = (&a.scales[group * NC..][..NC], &a.sums[group * NC..][..NC]);
    for c in 0..NC {
        let (scale, zero) = (_mm256_set1_ps(scales[c]), _mm256_set1_epi32(zero * sums[c]));
        for v in 0..2 {
            let dot = _mm256_cvtepi32_ps(_mm256_sub_epi32(isum[c][v], zero));
            acc[c][v] = _mm256_fmadd_ps(dot, _mm256_mul_ps(d[v], scale), acc[c][v]);
        }
    }
}

/// Ternary records straight from their 2-bit codes.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn ternary<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let g = r.geometry;
    assert!(g.kind == Kind::B2 && a.width == NC && a.bytes.len() == g.cols * NC);
    let (three, ones) = (_mm256_set1_epi8(3), _mm256_set1_epi16(1));
    // SAFETY: all offsets stay inside `r.bytes` (whole records of `group * 4` code bytes) and `a.bytes` (checked).
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let mut p = record.as_ptr();
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = [[_mm256_setzero_si256(); 2]; NC];
            let mut blocks = g.group / 16;
            while blocks > 0 {
                let n = blocks.min(16);
                let mut sum = [[_mm256_setzero_si256(); 2]; NC];
                for _ in 0..n {
                    _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                    let (x0, x1) = (load(p), load(p.add(32)));
                    macro_rules! step {
                        ($j:literal, $w0:expr, $w1:expr) => {
                            let (w0, w1) = (_mm256_and_si256($w0, three), _mm256_and_si256($w1, three));
                            for c in 0..NC {
                                let y = broadcast4(q.add(($j * NC + c) * 4));
                                sum[c][0] = _mm256_add_epi16(sum[c][0], _mm256_maddubs_epi16(w0, y));
                                sum[c][1] = _mm256_add_epi16(sum[c][1], _mm256_maddubs_epi16(w1, y));
                            }
                        };
                    }
                    step!(0, x0, x1);
                    step!(1, _mm256_srli_epi16::<2>(x0), _mm256_srli_epi16::<2>(x1));
                    step!(2, _mm256_srli_epi16::<4>(x0), _mm256_srli_epi16::<4>(x1));
                    step!(3, _mm256_srli_epi16::<6>(x0), _mm256_srli_epi16::<6>(x1));
                    p = p.add(64);
                    q = q.add(16 * NC);
                }
                for c in 0..NC {
                    for v in 0..2 {
                        isum[c][v] = _mm256_add_epi32(isum[c][v], _mm256_madd_epi16(sum[c][v], ones));
                    }
                }
                blocks -= n;
            }
            add_group::<NC>(&mut out, &isum, scales(&r, record.as_ptr()), g.zero, a, group);
        }
        store_acc::<NC>(out, acc);
    }
}

/// Unpacks the codes of ternary records: per 4 inputs 64 bytes, `[8-row half][row][input]`.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn unpack(r: Records<'_>, out: &mut [u8]) {
    let g = r.geometry;
    assert!(g.kind == Kind::B2 && out.len() >= r.count() * g.group * PANEL);
    let three = _mm256_set1_epi8(3);
    let mut o = out.as_mut_ptr();
    for record in r.bytes.chunks_exact(g.record_bytes()) {
        for block in record[..g.code_bytes()].chunks_exact(64) {
            // SAFETY: 64 bytes in, 256 out, counted above.
            unsafe {
                let p = block.as_ptr();
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                let (x0, x1) = (load(p), load(p.add(32)));
                macro_rules! step {
                    ($j:literal, $w0:expr, $w1:expr) => {
                        _mm256_storeu_si256(o.add(64 * $j).cast(), _mm256_and_si256($w0, three));
                        _mm256_storeu_si256(o.add(64 * $j + 32).cast(), _mm256_and_si256($w1, three));
                    };
                }
                step!(0, x0, x1);
                step!(1, _mm256_srli_epi16::<2>(x0), _mm256_srli_epi16::<2>(x1));
                step!(2, _mm256_srli_epi16::<4>(x0), _mm256_srli_epi16::<4>(x1));
                step!(3, _mm256_srli_epi16::<6>(x0), _mm256_srli_epi16::<6>(x1));
                o = o.add(256);
            }
        }
    }
}

/// Ternary records from codes that [`unpack`] wrote.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn unpacked<const NC: usize>(
    r: Records<'_>,
    codes: &[u8],
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let g = r.geometry;
    assert!(a.width == NC && a.bytes.len() == g.cols * NC && codes.len() >= r.count() * g.group * PANEL);
    let ones = _mm256_set1_epi16(1);
    // SAFETY: offsets stay inside `codes` and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        let mut p = codes.as_ptr();
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = [[_mm256_setzero_si256(); 2]; NC];
            let mut steps = g.group / 4;
            while steps > 0 {
                let n = steps.min(64);
                let mut sum = [[_mm256_setzero_si256(); 2]; NC];
                for _ in 0..n {
                    let (w0, w1) = (load(p), load(p.add(32)));
                    for c in 0..NC {
                        let y = broadcast4(q.add(c * 4));
                        sum[c][0] = _mm256_add_epi16(sum[c][0], _mm256_maddubs_epi16(w0, y));
                        sum[c][1] = _mm256_add_epi16(sum[c][1], _mm256_maddubs_epi16(w1, y));
                    }
                    p = p.add(64);
                    q = q.add(4 * NC);
                }
                for c in 0..NC {
                    for v in 0..2 {
                        isum[c][v] = _mm256_add_epi32(isum[c][v], _mm256_madd_epi16(sum[c][v], ones));
                    }
                }
                steps -= n;
            }
            add_group::<NC>(&mut out, &isum, scales(&r, record.as_ptr()), g.zero, a, group);
        }
        store_acc::<NC>(out, acc);
    }
}

/// `fma(-f32(msum), dmin * scale, acc)`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn add_mins<const NC: usize>(
    acc: &mut [Pair; NC],
    msum: &[[__m256i; 2]; NC],
    dmin: Pair,
    a: &ActBlock<'_>,
    group: usize,
) {
    for c in 0..NC {
        let scale = _mm256_set1_ps(a.scales[group * NC + c]);
        for v in 0..2 {
            let m = _mm256_cvtepi32_ps(msum[c][v]);
            acc[c][v] = _mm256_fnmadd_ps(m, _mm256_mul_ps(dmin[v], scale), acc[c][v]);
        }
    }
}

/// 16 bytes as two registers of i32, sign-extended.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn signed(p: *const u8) -> [__m256i; 2] {
    // SAFETY: the caller keeps 16 bytes readable.
    unsafe {
        [
            _mm256_cvtepi8_epi32(_mm_loadl_epi64(p.cast())),
            _mm256_cvtepi8_epi32(_mm_loadl_epi64(p.add(8).cast())),
        ]
    }
}

/// Sums over the 32 inputs of a sub-block, counted from the first input.
#[inline(always)]
fn sums32<const NC: usize>(a: &ActBlock<'_>, sub: usize) -> [i32; NC] {
    let parts = a.sub_sums[sub * 2 * NC..][..2 * NC].as_chunks::<2>().0;
    std::array::from_fn(|c| i32::from(parts[c][0]) + i32::from(parts[c][1]))
}

/// 4-bit records.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn nibbles<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let g = r.geometry;
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC && g.sub == 32);
    assert!(a.sub_sums.len() == g.cols / SUM * NC);
    let (low, ones) = (_mm256_set1_epi8(15), _mm256_set1_epi16(1));
    let subs = g.group / g.sub;
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let mut p = base;
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = [[_mm256_setzero_si256(); 2]; NC];
            let mut msum = [[_mm256_setzero_si256(); 2]; NC];
            for s in 0..subs {
                let mut sum = [[_mm256_setzero_si256(); 2]; NC];
                for _ in 0..g.sub / 8 {
                    _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                    let (x0, x1) = (load(p), load(p.add(32)));
                    let (w0, w1) = (_mm256_and_si256(x0, low), _mm256_and_si256(x1, low));
                    for c in 0..NC {
                        let y = broadcast4(q.add(c * 4));
                        sum[c][0] = _mm256_add_epi16(sum[c][0], _mm256_maddubs_epi16(w0, y));
                        sum[c][1] = _mm256_add_epi16(sum[c][1], _mm256_maddubs_epi16(w1, y));
                    }
                    let w0 = _mm256_and_si256(_mm256_srli_epi16::<4>(x0), low);
                    let w1 = _mm256_and_si256(_mm256_srli_epi16::<4>(x1), low);
                    for c in 0..NC {
                        let y = broadcast4(q.add((NC + c) * 4));
                        sum[c][0] = _mm256_add_epi16(sum[c][0], _mm256_maddubs_epi16(w0, y));
                        sum[c][1] = _mm256_add_epi16(sum[c][1], _mm256_maddubs_epi16(w1, y));
                    }
                    p = p.add(64);
                    q = q.add(8 * NC);
                }
                let sums = sums32::<NC>(a, group * subs + s);
                if g.has_sub_scales {
                    let sc = signed(base.add(g.sc_at() + s * PANEL));
                    // A scale in both halves of a lane: madd then adds the pair and multiplies at once.
                    let sc = [
                        _mm256_or_si256(sc[0], _mm256_slli_epi32::<16>(sc[0])),
                        _mm256_or_si256(sc[1], _mm256_slli_epi32::<16>(sc[1])),
                    ];
                    let mn = if g.has_mins { signed(base.add(g.mn_at() + s * PANEL)) } else { sc };
                    for c in 0..NC {
                        let y = _mm256_set1_epi32(sums[c]);
                        for v in 0..2 {
                            isum[c][v] = _mm256_add_epi32(isum[c][v], _mm256_madd_epi16(sum[c][v], sc[v]));
                            if g.has_mins {
                                msum[c][v] = _mm256_add_epi32(msum[c][v], _mm256_mullo_epi32(mn[v], y));
                            }
                        }
                    }
                } else {
                    for c in 0..NC {
                        let zero = _mm256_set1_epi32(g.zero * sums[c]);
                        for v in 0..2 {
                            let dot = _mm256_sub_epi32(_mm256_madd_epi16(sum[c][v], ones), zero);
                            isum[c][v] = _mm256_add_epi32(isum[c][v], dot);
                            if g.has_mins {
                                msum[c][v] = _mm256_add_epi32(msum[c][v], _mm256_set1_epi32(sums[c]));
                            }
                        }
                    }
                }
            }
            add_group::<NC>(&mut out, &isum, scales(&r, base), 0, a, group);
            if g.has_mins {
                add_mins::<NC>(&mut out, &msum, halves(base.add(g.dmin_at())), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}

/// 8-bit records. The product of signed bytes is that of `|w|` and `q` with the sign of `w`: pairs of them are at most
/// 2 * 128 * 127 = 32,512, so no int16 overflows.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn bytes<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let g = r.geometry;
    assert!(g.kind == Kind::B8 && a.width == NC && a.bytes.len() == g.cols * NC);
    assert!(!g.has_mins || g.sub == 32 && a.sub_sums.len() == g.cols / SUM * NC);
    let (subs, ones) = (g.group / g.sub, _mm256_set1_epi16(1));
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let mut p = base;
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = [[_mm256_setzero_si256(); 2]; NC];
            let mut msum = [[_mm256_setzero_si256(); 2]; NC];
            for s in 0..subs {
                let mut dot = [[_mm256_setzero_si256(); 2]; NC];
                for _ in 0..g.sub / 4 {
                    _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                    let w = [load(p), load(p.add(32))];
                    let abs = [_mm256_abs_epi8(w[0]), _mm256_abs_epi8(w[1])];
                    for c in 0..NC {
                        let y = broadcast4(q.add(c * 4));
                        for v in 0..2 {
                            let pairs = _mm256_maddubs_epi16(abs[v], _mm256_sign_epi8(y, w[v]));
                            dot[c][v] = _mm256_add_epi32(dot[c][v], _mm256_madd_epi16(pairs, ones));
                        }
                    }
                    p = p.add(64);
                    q = q.add(4 * NC);
                }
                if g.has_sub_scales {
                    let sc = signed(base.add(g.sc_at() + s * PANEL));
                    for c in 0..NC {
                        for v in 0..2 {
                            isum[c][v] = _mm256_add_epi32(isum[c][v], _mm256_mullo_epi32(dot[c][v], sc[v]));
                        }
                    }
                } else {
                    for c in 0..NC {
                        for v in 0..2 {
                            isum[c][v] = _mm256_add_epi32(isum[c][v], dot[c][v]);
                        }
                    }
                }
                if g.has_mins {
                    let one = _mm256_set1_epi32(1);
                    let mn =
                        if g.has_sub_scales { signed(base.add(g.mn_at() + s * PANEL)) } else { [one; 2] };
                    let sums = sums32::<NC>(a, group * subs + s);
                    for c in 0..NC {
                        let y = _mm256_set1_epi32(sums[c]);
                        for v in 0..2 {
                            msum[c][v] = _mm256_add_epi32(msum[c][v], _mm256_mullo_epi32(mn[v], y));
                        }
                    }
                }
            }
            add_group::<NC>(&mut out, &isum, scales(&r, base), 0, a, group);
            if g.has_mins {
                add_mins::<NC>(&mut out, &msum, halves(base.add(g.dmin_at())), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}

/// One input of 16 float weights.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn float_input<const KIND: u8>(p: *const u8) -> Pair {
    // SAFETY: the caller keeps one input (16 values) readable.
    unsafe {
        match KIND {
            0 => halves(p),
            1 => {
                let wide = |p: *const u8| {
                    let x = _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
                    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(x))
                };
                [wide(p), wide(p.add(16))]
            }
            _ => [_mm256_loadu_ps(p.cast()), _mm256_loadu_ps(p.add(32).cast())],
        }
    }
}

/// Float records of `P` panels at once: one panel has two chains of additions, too few to hide their latency.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn floats<const NC: usize, const KIND: u8, const P: usize>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    let g = r[0].geometry;
    let n = r[0].count() * g.group;
    let size = if KIND == 2 { 4 * PANEL } else { 2 * PANEL };
    assert!(a.width == NC && a.floats.len() == g.cols * NC && r.iter().all(|r| r.bytes.len() == n * size));
    // SAFETY: offsets stay inside the records and `a.floats`, both checked.
    unsafe {
        let mut out = [[[_mm256_setzero_ps(); 2]; NC]; P];
        for (o, acc) in out.iter_mut().zip(acc.iter()) {
            *o = load_acc::<NC>(acc);
        }
        let x = a.floats.as_ptr().add(r[0].first * g.group * NC);
        for k in 0..n {
            for i in 0..P {
                let p = r[i].bytes.as_ptr().add(k * size);
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD / P).cast());
                let w = float_input::<KIND>(p);
                for c in 0..NC {
                    let y = _mm256_set1_ps(*x.add(k * NC + c));
                    out[i][c][0] = _mm256_fmadd_ps(w[0], y, out[i][c][0]);
                    out[i][c][1] = _mm256_fmadd_ps(w[1], y, out[i][c][1]);
                }
            }
        }
        for (o, acc) in out.into_iter().zip(acc.iter_mut()) {
            store_acc::<NC>(o, acc);
        }
    }
}

macro_rules! by_width {
    ($width:expr, $f:ident, $args:tt, $($n:literal),*) => {
        match $width {
            $($n => by_width!(@call $f, $n, $args),)*
            other => unreachable!("a block of {other} rows"),
        }
    };
    (@call $f:ident, $n:literal, ($($arg:expr),*)) => { $f::<$n>($($arg),*) };
}

/// Adds the products of integer records to `acc[column][row]`.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn int(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the caller's promise; lengths are asserted inside.
    unsafe {
        match r.geometry.kind {
            Kind::B2 => by_width!(a.width, ternary, (r, a, acc), 1, 2, 3, 4),
            Kind::B4 => by_width!(a.width, nibbles, (r, a, acc), 1, 2, 3, 4),
            _ => by_width!(a.width, bytes, (r, a, acc), 1, 2, 3, 4),
        }
    }
}

/// Unpacks ternary records for [`int_unpacked`].
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn unpack_ternary(r: Records<'_>, out: &mut [u8]) {
    // SAFETY: the caller's promise.
    unsafe { unpack(r, out) }
}

/// As [`int`] for ternary records whose codes are in `codes`.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn int_unpacked(r: Records<'_>, codes: &[u8], a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    // SAFETY: the caller's promise.
    unsafe { by_width!(a.width, unpacked, (r, codes, a, acc), 1, 2, 3, 4, 5, 6) }
}

/// Adds the products of float records of one panel to `acc[column][row]`.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn float(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    macro_rules! go {
        ($kind:literal) => {
            match a.width {
                1 => floats::<1, $kind, 1>([r], a, &mut [acc]),
                2 => floats::<2, $kind, 1>([r], a, &mut [acc]),
                3 => floats::<3, $kind, 1>([r], a, &mut [acc]),
                4 => floats::<4, $kind, 1>([r], a, &mut [acc]),
                other => unreachable!("a block of {other} rows"),
            }
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match r.geometry.kind {
            Kind::F16 => go!(0),
            Kind::Bf16 => go!(1),
            _ => go!(2),
        }
    }
}

/// As [`float`] for one row of activations and four panels.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
pub unsafe fn float_vec4(r: [Records<'_>; 4], a: &ActBlock<'_>, acc: &mut [&mut [[f32; PANEL]]; 4]) {
    // SAFETY: the caller's promise.
    unsafe {
        match r[0].geometry.kind {
            Kind::F16 => floats::<1, 0, 4>(r, a, acc),
            Kind::Bf16 => floats::<1, 1, 4>(r, a, acc),
            _ => floats::<1, 2, 4>(r, a, acc),
        }
    }
}
