//! Rows of 2-, 4- and 8-bit whole numbers with one scale, with VNNI: one group as long as the row, so the dot is one integer.
//!
//! Products land in int32 lanes, which activations of -128 cannot overflow; sums that wrap on the way come out right, since
//! the dot itself fits. One row of activations has several sums, so that none waits for the one before it.

use super::*;

/// Rows up to which 4-bit codes have a sum for each half of a byte: the high one then needs no shift, only a mask, and its
/// sum comes out 16 times too large.
const HALVES: usize = 8;
/// Steps of 64 bytes between two flushes: sums of high halves grow by 4 * 240 * 128 a step.
const MOST: usize = 16_384;

/// A whole panel.
#[inline(always)]
pub unsafe fn run<const NC: usize, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let g = *r.geometry;
    assert!(g.per_row && !g.wide && g.group == g.cols && g.cols.is_multiple_of(32) && a.width == NC);
    assert!(a.bytes.len() == g.cols * NC && a.sums.len() == NC && r.first == 0);
    assert!(r.bytes.len() == g.record_bytes() && r.row_d.is_some());
    let (p, q) = (r.bytes.as_ptr(), a.bytes.as_ptr().cast::<u8>());
    fetch_scales::<AHEAD>(&r);
    // SAFETY: the codes of `cols` inputs of 16 rows lie behind `p`, `cols * NC` activations behind `q`, as asserted.
    unsafe {
        let (mut isum, zero) = match (g.kind, g.zero) {
            (Kind::B2, 2) => (ternary::sums::<NC, true, AHEAD>(p, q, g.cols / 16), 2),
            (Kind::B4, 8) => (nibbles::<NC, AHEAD>(p, q, g.cols / 8), 8),
            (Kind::B8, 0) => (bytes::<NC, AHEAD>(p, q, g.cols / 4), 128),
            other => unreachable!("rows of {other:?}"),
        };
        let zeros = start::<NC>(zero, a, 0);
        for c in 0..NC {
            isum[c] = _mm512_add_epi32(isum[c], zeros[c]);
        }
        let mut out = load_acc::<NC>(acc);
        add_group::<NC>(&mut out, &isum, scales(&r, p), a, 0);
        store_acc::<NC>(out, acc);
    }
}

/// A whole panel of 2-bit rows whose activations are int16: `NC` rows of bytes, two for every row, the high ones first.
#[inline(always)]
pub unsafe fn wide<const NC: usize, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let g = *r.geometry;
    assert!(g.wide && g.kind == Kind::B2 && g.zero == 2 && g.group == g.cols && g.cols.is_multiple_of(32));
    assert!(
        2 * a.width == NC && acc.len() == a.width && a.scales.len() == a.width && a.sums.len() == a.width
    );
    assert!(a.bytes.len() == g.cols * NC && r.first == 0);
    assert!(r.bytes.len() == g.record_bytes() && r.row_d.is_some());
    let (p, q) = (r.bytes.as_ptr(), a.bytes.as_ptr().cast::<u8>());
    fetch_scales::<AHEAD>(&r);
    // SAFETY: the codes of `cols` inputs of 16 rows lie behind `p`, `cols * NC` bytes of activations behind `q`, as asserted.
    unsafe {
        let isum = ternary::sums::<NC, true, AHEAD>(p, q, g.cols / 16);
        let d = scales(&r, p);
        for c in 0..NC / 2 {
            let zero = _mm512_set1_epi32(a.sums[c] << 1);
            let high = _mm512_slli_epi32::<8>(isum[2 * c]);
            let dot = _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_add_epi32(high, isum[2 * c + 1]), zero));
            let factor = _mm512_mul_ps(d, _mm512_set1_ps(a.scales[c]));
            let out = acc[c].as_mut_ptr();
            _mm512_storeu_ps(out, _mm512_fmadd_ps(dot, factor, _mm512_loadu_ps(out)));
        }
    }
}

/// Fetches the scales of a later panel, a line in memory of their own.
#[inline(always)]
fn fetch_scales<const AHEAD: bool>(r: &Records<'_>) {
    if AHEAD && let Some(d) = r.row_d {
        // SAFETY: any address may be prefetched.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(d.as_ptr().wrapping_add(8 * PANEL).cast()) };
    }
}

/// Sums of `steps` times 8 inputs of 4 bits, codes 0 to 15; an even number of steps.
#[inline(always)]
unsafe fn nibbles<const NC: usize, const AHEAD: bool>(
    p: *const u8,
    q: *const u8,
    steps: usize,
) -> [__m512i; NC] {
    // SAFETY: the caller keeps 64 bytes of codes and 8 inputs of every column readable for each step.
    unsafe {
        let (low, high) = (_mm512_set1_epi8(15), _mm512_set1_epi8(-16));
        let mut isum = zeros::<NC>();
        let mut from = 0;
        while from < steps {
            let to = (from + MOST).min(steps);
            if NC > HALVES {
                for s in from..to {
                    let (p, q) = (p.add(64 * s), q.add(8 * NC * s));
                    fetch::<AHEAD>(p);
                    let x = load(p);
                    dot_vnni::<NC>(&mut isum, _mm512_and_si512(x, low), q);
                    let x = _mm512_and_si512(_mm512_srli_epi16::<4>(x), low);
                    dot_vnni::<NC>(&mut isum, x, q.add(4 * NC));
                }
            } else {
                // Two steps by turns: with one row each has sums of its own, with more the rows are enough.
                let mut sum = [zeros::<NC>(); 4];
                for s in (from..to).step_by(2) {
                    for odd in 0..2 {
                        let (p, q) = (p.add(64 * (s + odd)), q.add(8 * NC * (s + odd)));
                        fetch::<AHEAD>(p);
                        let x = load(p);
                        let own = if NC == 1 { 2 * odd } else { 0 };
                        dot_vnni::<NC>(&mut sum[own], _mm512_and_si512(x, low), q);
                        dot_vnni::<NC>(&mut sum[own + 1], _mm512_and_si512(x, high), q.add(4 * NC));
                    }
                }
                for c in 0..NC {
                    let ones = _mm512_add_epi32(sum[0][c], sum[2][c]);
                    let sixteens = _mm512_add_epi32(sum[1][c], sum[3][c]);
                    let all = _mm512_add_epi32(ones, _mm512_srai_epi32::<4>(sixteens));
                    isum[c] = _mm512_add_epi32(isum[c], all);
                }
            }
            from = to;
        }
        isum
    }
}

/// Sums of `steps` times 4 inputs of `w + 128`, for signed bytes; an even number of steps.
#[inline(always)]
unsafe fn bytes<const NC: usize, const AHEAD: bool>(
    p: *const u8,
    q: *const u8,
    steps: usize,
) -> [__m512i; NC] {
    // SAFETY: the caller keeps 64 bytes of codes and 4 inputs of every column readable for each step.
    unsafe {
        let bias = _mm512_set1_epi8(-128);
        let mut sum = [zeros::<NC>(); 2];
        for s in (0..steps).step_by(2) {
            for odd in 0..2 {
                let (p, q) = (p.add(64 * (s + odd)), q.add(4 * NC * (s + odd)));
                fetch::<AHEAD>(p);
                let own = if NC <= HALVES { odd } else { 0 };
                dot_vnni::<NC>(&mut sum[own], _mm512_xor_si512(load(p), bias), q);
            }
        }
        let mut out = sum[0];
        for c in 0..NC {
            out[c] = _mm512_add_epi32(out[c], sum[1][c]);
        }
        out
    }
}
