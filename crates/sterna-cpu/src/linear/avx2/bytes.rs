//! 8-bit records.

use super::*;

/// Groups of one block, codes of any size. The product of signed bytes is that of `|w|` and `q` with the sign of `w`:
/// pairs of them are at most 2 * 128 * 127 = 32,512, so no int16 overflows, but two of them would.
#[inline(always)]
pub unsafe fn flat<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B8 && a.width == NC && a.bytes.len() == g.cols * NC && g.sub == g.group);
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let mut p = base;
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut dots = zeros::<NC>();
            for _ in 0..g.group / 4 {
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                let w = [load(p), load(p.add(32))];
                let abs = w.map(|w| _mm256_abs_epi8(w));
                for c in 0..NC {
                    let y = broadcast4(q.add(c * 4));
                    for v in 0..2 {
                        let sum = _mm256_maddubs_epi16(abs[v], _mm256_sign_epi8(y, w[v]));
                        dots[c][v] = _mm256_add_epi32(dots[c][v], pairs(sum));
                    }
                }
                p = p.add(64);
                q = q.add(4 * NC);
            }
            add_group::<NC>(&mut out, &dots, scales(&r, base.add(at.d)), a, group);
            if g.has_mins {
                add_one_min::<NC>(&mut out, halves(base.add(at.dmin)), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}

/// Products of 16 inputs in int16 lanes, each multiplied by its row's scale and added to `isum`.
///
/// Codes of weights with sub-block scales have at most six bits: 0 ..= 31 with minima (`BIAS` 0; 4 steps of
/// 2 * 31 * 127 = 31,496) and -32 ..= 31 without, made unsigned by `BIAS` 32 (2 steps of 2 * 63 * 127 = 32,004).
#[inline(always)]
unsafe fn sixteen<const NC: usize, const BIAS: i8>(
    p: *const u8,
    q: *const u8,
    sc: [__m256i; 2],
    isum: &mut [Sums; NC],
) {
    // SAFETY: the caller keeps 256 bytes of codes and 16 inputs of every column readable.
    unsafe {
        let steps = if BIAS == 0 { 4 } else { 2 };
        for from in (0..4).step_by(steps) {
            let mut sum = zeros::<NC>();
            for j in from..from + steps {
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(64 * j + AHEAD).cast());
                let mut w = [load(p.add(64 * j)), load(p.add(64 * j + 32))];
                if BIAS != 0 {
                    w = w.map(|w| _mm256_add_epi8(w, _mm256_set1_epi8(BIAS)));
                }
                if j == from {
                    dot::<NC, true>(&mut sum, w, q.add(4 * NC * j));
                } else {
                    dot::<NC, false>(&mut sum, w, q.add(4 * NC * j));
                }
            }
            for c in 0..NC {
                for v in 0..2 {
                    isum[c][v] = _mm256_add_epi32(isum[c][v], _mm256_madd_epi16(sum[c][v], sc[v]));
                }
            }
        }
    }
}

/// Groups of several sub-blocks with integer scales, and minima where there are some: see [`sixteen`] for the codes.
#[inline(always)]
pub unsafe fn scaled<const NC: usize, const BIAS: i8>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B8 && a.width == NC && a.bytes.len() == g.cols * NC);
    assert!((g.sub == 16 || g.sub == 32) && a.sub_sums.len() == g.cols / SUM * NC);
    assert!(g.has_mins == (BIAS == 0));
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = zeros::<NC>();
            if BIAS != 0 {
                let bias = dot_sums::<NC>(&r, base.add(at.sc), a, group);
                let factor = _mm256_set1_epi32(-i32::from(BIAS));
                for c in 0..NC {
                    isum[c] = bias[c].map(|v| _mm256_mullo_epi32(v, factor));
                }
            }
            for s in 0..g.group / 16 {
                let sc = both(signed(base.add(at.sc + s * 16 / g.sub * PANEL)));
                sixteen::<NC, BIAS>(base.add(256 * s), q.add(16 * NC * s), sc, &mut isum);
            }
            add_group::<NC>(&mut out, &isum, scales(&r, base.add(at.d)), a, group);
            if g.has_mins {
                let msum = dot_sums::<NC>(&r, base.add(at.mn), a, group);
                add_mins::<NC>(&mut out, &msum, halves(base.add(at.dmin)), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}
