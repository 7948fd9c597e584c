//! 8-bit records.

use super::*;

#[inline(always)]
pub unsafe fn run<const NC: usize, const VNNI: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let g = r.geometry;
    assert!(g.kind == Kind::B8 && a.width == NC && a.bytes.len() == g.cols * NC);
    assert!(a.sub_sums.len() == g.cols / SUM * NC);
    let subs = g.group / g.sub;
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let mut p = base;
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let (mut isum, mut msum) = (zeros::<NC>(), zeros::<NC>());
            for s in 0..subs {
                let sums: [i32; NC] = if subs == 1 {
                    std::array::from_fn(|c| a.sums[group * NC + c])
                } else {
                    sums::<NC>(a, group * g.group + s * g.sub, g.sub)
                };
                let mut dots = zeros::<NC>();
                if VNNI {
                    biased::<NC>(p, q, g.sub / 4, &sums, &mut dots);
                } else {
                    by_sign::<NC>(p, q, g.sub / 4, &mut dots);
                }
                p = p.add(16 * g.sub);
                q = q.add(g.sub * NC);
                add_sub::<NC>(&r, base, s, &dots, &sums, &mut isum, &mut msum);
            }
            add_group::<NC>(&mut out, &isum, scales(&r, base), a, group);
            if g.has_mins {
                add_mins::<NC>(&mut out, &msum, halves(base.add(g.dmin_at())), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}

/// `w + 128` is unsigned, as the instruction wants it; 128 times the sum of the activations is taken away first.
#[inline(always)]
unsafe fn biased<const NC: usize>(
    mut p: *const u8,
    mut q: *const u8,
    steps: usize,
    sums: &[i32; NC],
    dots: &mut [__m512i; NC],
) {
    // SAFETY: as in `run`.
    unsafe {
        let bias = _mm512_set1_epi8(-128);
        for c in 0..NC {
            dots[c] = _mm512_set1_epi32(-128 * sums[c]);
        }
        for _ in 0..steps {
            _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
            let w = _mm512_xor_si512(load(p), bias);
            for c in 0..NC {
                dots[c] = _mm512_dpbusd_epi32(dots[c], w, broadcast4(q.add(c * 4)));
            }
            p = p.add(64);
            q = q.add(4 * NC);
        }
    }
}

/// `|w|` times `q` with the sign of `w`: pairs are at most 2 * 128 * 127, so no int16 overflows.
#[inline(always)]
unsafe fn by_sign<const NC: usize>(
    mut p: *const u8,
    mut q: *const u8,
    steps: usize,
    dots: &mut [__m512i; NC],
) {
    // SAFETY: as in `run`.
    unsafe {
        for _ in 0..steps {
            _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
            let w = load(p);
            let (abs, negative) = (_mm512_abs_epi8(w), _mm512_movepi8_mask(w));
            for c in 0..NC {
                let y = broadcast4(q.add(c * 4));
                let y = _mm512_mask_sub_epi8(y, negative, _mm512_setzero_si512(), y);
                dots[c] = _mm512_add_epi32(dots[c], whole::<false>(_mm512_maddubs_epi16(abs, y)));
            }
            p = p.add(64);
            q = q.add(4 * NC);
        }
    }
}
