//! Rows of 2-, 4- and 8-bit whole numbers with one scale: one group as long as the row, so the dot is one integer.
//!
//! Activations may be -128 here: a scale that the model names clamps to the whole of int8. Bounds on the int16 sums: 2-bit
//! codes 0 to 3 over 128 inputs, 32 steps of 2 * 3 * 128 = 24,576; 4-bit ones over 32, and halves of bytes over 32,
//! 8 steps of 2 * 15 * 128 = 30,720.

use super::*;

/// Blocks of 16 inputs between two flushes of int16 sums.
const MOST: usize = 8;

/// A whole panel.
#[inline(always)]
pub unsafe fn run<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let g = *r.geometry;
    let shift = match (g.kind, g.zero) {
        (Kind::B2, 2) => 1,
        (Kind::B4, 8) => 3,
        (Kind::B8, 0) => 0,
        other => unreachable!("rows of {other:?}"),
    };
    assert!(g.per_row && g.group == g.cols && g.cols.is_multiple_of(32) && a.width == NC);
    assert!(a.bytes.len() == g.cols * NC && a.sums.len() == NC && r.first == 0);
    assert!(r.bytes.len() == g.record_bytes() && r.row_d.is_some());
    let (p, q) = (r.bytes.as_ptr(), a.bytes.as_ptr().cast::<u8>());
    // SAFETY: the codes of `cols` inputs of 16 rows lie behind `p`, `cols * NC` activations behind `q`, as asserted.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        let mut isum = zeros::<NC>();
        match g.kind {
            Kind::B2 if NC == 1 => isum[0] = twos::<1, AHEAD>([p], q, g.cols / 16)[0],
            Kind::B2 => ternary::add::<NC, MOST>(p, q, g.cols / 16, &mut isum),
            Kind::B4 => {
                for from in (0..g.cols).step_by(32) {
                    let sum = super::nibbles::sub_block::<NC, FARTHER>(p.add(8 * from), q.add(from * NC), 4);
                    for c in 0..NC {
                        for v in 0..2 {
                            isum[c][v] = _mm256_add_epi32(isum[c][v], pairs(sum[c][v]));
                        }
                    }
                }
            }
            _ => isum = bytes::by_halves::<NC>(p, q, g.cols, a.sums),
        }
        if shift > 0 {
            for c in 0..NC {
                let zero = _mm256_set1_epi32(a.sums[c] << shift);
                isum[c] = isum[c].map(|v| _mm256_sub_epi32(v, zero));
            }
        }
        add_group::<NC>(&mut out, &isum, scales(&r, p), a, 0);
        store_acc::<NC>(out, acc);
    }
}

/// A whole panel of 2-bit rows whose activations are int16: `NC` rows of bytes, two for every row, the high ones first.
#[inline(always)]
pub unsafe fn wide<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let g = *r.geometry;
    assert!(g.wide && g.kind == Kind::B2 && g.zero == 2 && g.group == g.cols && g.cols.is_multiple_of(32));
    assert!(
        2 * a.width == NC && acc.len() == a.width && a.scales.len() == a.width && a.sums.len() == a.width
    );
    assert!(a.bytes.len() == g.cols * NC && r.first == 0);
    assert!(r.bytes.len() == g.record_bytes() && r.row_d.is_some());
    let (p, q) = (r.bytes.as_ptr(), a.bytes.as_ptr().cast::<u8>());
    // SAFETY: the codes of `cols` inputs of 16 rows lie behind `p`, `cols * NC` bytes of activations behind `q`, as asserted.
    unsafe {
        let mut isum = zeros::<NC>();
        ternary::add::<NC, MOST>(p, q, g.cols / 16, &mut isum);
        let d = scales(&r, p);
        for c in 0..NC / 2 {
            let scale = _mm256_set1_ps(a.scales[c]);
            let zero = _mm256_set1_epi32(a.sums[c] << 1);
            for v in 0..2 {
                let high = _mm256_slli_epi32::<8>(isum[2 * c][v]);
                let dot = _mm256_sub_epi32(_mm256_add_epi32(high, isum[2 * c + 1][v]), zero);
                let out = acc[c].as_mut_ptr().add(8 * v);
                let dot = _mm256_cvtepi32_ps(dot);
                _mm256_storeu_ps(out, _mm256_fmadd_ps(dot, _mm256_mul_ps(d[v], scale), _mm256_loadu_ps(out)));
            }
        }
    }
}

/// Bytes to fetch ahead in each of four panels.
const BESIDE: usize = 512;
/// Inputs from which 2-bit rows are read four panels at a time: a panel of fewer is a stream too short for that.
const LONG: usize = 4096;

/// Whether one row of activations meets four panels at a time.
pub fn beside(g: &Geometry) -> bool {
    !g.wide && (g.kind == Kind::B4 || (g.kind == Kind::B2 && g.cols >= LONG))
}

/// Whole 2- or 4-bit rows of four panels side by side, and one row of activations: a broadcast serves all four.
#[inline(always)]
pub unsafe fn four<const NC: usize>(
    r: [Records<'_>; 4],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; 4],
) {
    let g = *r[0].geometry;
    assert!(NC == 1 && a.width == 1 && acc.iter().all(|acc| acc.len() == 1));
    assert!(g.per_row && !g.wide && g.group == g.cols && g.cols.is_multiple_of(32));
    assert!(a.bytes.len() == g.cols && a.sums.len() == 1 && a.scales.len() == 1);
    let whole = |r: &Records<'_>| r.first == 0 && r.bytes.len() == g.record_bytes() && r.row_d.is_some();
    assert!(r.iter().all(whole));
    let (p, q) = (r.map(|r| r.bytes.as_ptr()), a.bytes.as_ptr().cast::<u8>());
    // SAFETY: the codes of `cols` inputs of 16 rows lie behind every `p`, `cols` activations behind `q`, as asserted.
    unsafe {
        let (isum, shift) = match (g.kind, g.zero) {
            (Kind::B2, 2) => (twos::<4, BESIDE>(p, q, g.cols / 16), 1),
            (Kind::B4, 8) => (nibbles(p, q, g.cols / 32), 3),
            other => unreachable!("four panels of {other:?}"),
        };
        let zero = _mm256_set1_epi32(a.sums[0] << shift);
        for i in 0..4 {
            let mut out = load_acc::<1>(acc[i]);
            let dot = [isum[i].map(|v| _mm256_sub_epi32(v, zero))];
            add_group::<1>(&mut out, &dot, scales(&r[i], p[i]), a, 0);
            store_acc::<1>(out, acc[i]);
        }
    }
}

/// Sums of `blocks` times 16 inputs of 2 bits in `P` panels: a broadcast serves all of them. The products of a block are added before they join the int16 sum: 4 * 2 * 3 *
/// 128, [`MOST`] times.
#[inline(always)]
unsafe fn twos<const P: usize, const AHEAD: usize>(
    p: [*const u8; P],
    q: *const u8,
    blocks: usize,
) -> [Sums; P] {
    // SAFETY: the caller keeps 64 bytes of every panel and 16 activations readable for each block.
    unsafe {
        let mask = load(THREES.0.as_ptr());
        let mut isum = zeros::<P>();
        for from in (0..blocks).step_by(MOST) {
            let mut sum = zeros::<P>();
            for b in from..(from + MOST).min(blocks) {
                let q = q.add(16 * b);
                let y = [0, 4, 8, 12].map(|k| broadcast4(q.add(k)));
                for i in 0..P {
                    let p = p[i].add(64 * b);
                    _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                    for v in 0..2 {
                        let x = load(p.add(32 * v));
                        let code = |w| _mm256_and_si256(w, mask);
                        let a = _mm256_maddubs_epi16(code(x), y[0]);
                        let b = _mm256_maddubs_epi16(code(_mm256_srli_epi16::<2>(x)), y[1]);
                        let c = _mm256_maddubs_epi16(code(_mm256_srli_epi16::<4>(x)), y[2]);
                        let d = _mm256_maddubs_epi16(code(_mm256_srli_epi16::<6>(x)), y[3]);
                        let all = _mm256_add_epi16(_mm256_add_epi16(a, b), _mm256_add_epi16(c, d));
                        sum[i][v] = _mm256_add_epi16(sum[i][v], all);
                    }
                }
            }
            for i in 0..P {
                for v in 0..2 {
                    isum[i][v] = _mm256_add_epi32(isum[i][v], pairs(sum[i][v]));
                }
            }
        }
        isum
    }
}

/// Sums of `blocks` times 32 inputs of 4 bits in four panels.
#[inline(always)]
unsafe fn nibbles(p: [*const u8; 4], q: *const u8, blocks: usize) -> [Sums; 4] {
    // SAFETY: the caller keeps 256 bytes of every panel and 32 activations readable for each block.
    unsafe {
        let mask = load(FIFTEENS.0.as_ptr());
        let mut isum = zeros::<4>();
        for b in 0..blocks {
            let mut sum = zeros::<4>();
            for step in 4 * b..4 * b + 4 {
                let q = q.add(8 * step);
                let y = [broadcast4(q), broadcast4(q.add(4))];
                for i in 0..4 {
                    let p = p[i].add(64 * step);
                    _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(BESIDE).cast());
                    for v in 0..2 {
                        let x = load(p.add(32 * v));
                        let low = _mm256_maddubs_epi16(_mm256_and_si256(x, mask), y[0]);
                        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(x), mask);
                        let both = _mm256_add_epi16(low, _mm256_maddubs_epi16(high, y[1]));
                        sum[i][v] = _mm256_add_epi16(sum[i][v], both);
                    }
                }
            }
            for i in 0..4 {
                for v in 0..2 {
                    isum[i][v] = _mm256_add_epi32(isum[i][v], pairs(sum[i][v]));
                }
            }
        }
        isum
    }
}
