//! 6-bit records: sub-blocks of 16 or 32 inputs with integer scales.

use super::*;

/// Products of 16 inputs added to `dots`: at most 4 * 2 * 63 * 127 = 64,008 without VNNI, so those are widened twice.
#[inline(always)]
unsafe fn sixteen<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    p: *const u8,
    q: *const u8,
    dots: &mut [__m512i; NC],
) {
    // SAFETY: the caller keeps 192 bytes of codes and 16 inputs of every column readable.
    unsafe {
        for line in 0..3 {
            fetch::<AHEAD>(p.wrapping_add(64 * line));
        }
        let (low, high) = (_mm512_set1_epi8(15), _mm512_set1_epi8(0x30));
        let (a, b, h) = (load(p), load(p.add(64)), load(p.add(128)));
        // Low four bits, and of the other word bits 4 and 5.
        let code = |four: __m512i, two: __m512i| {
            _mm512_ternarylogic_epi64::<0xf8>(_mm512_and_si512(four, low), two, high)
        };
        let w = [
            code(a, _mm512_slli_epi16::<4>(h)),
            code(_mm512_srli_epi16::<4>(a), _mm512_slli_epi16::<2>(h)),
            code(b, h),
            code(_mm512_srli_epi16::<4>(b), _mm512_srli_epi16::<2>(h)),
        ];
        if VNNI {
            for (j, w) in w.into_iter().enumerate() {
                dot_vnni::<NC>(dots, w, q.add(4 * NC * j));
            }
            return;
        }
        for (j, pair) in w.as_chunks::<2>().0.iter().enumerate() {
            let mut words = zeros::<NC>();
            dot_words::<NC>(&mut words, pair[0], q.add(8 * NC * j));
            dot_words::<NC>(&mut words, pair[1], q.add(8 * NC * j + 4 * NC));
            for c in 0..NC {
                dots[c] = _mm512_add_epi32(dots[c], whole::<false>(words[c]));
            }
        }
    }
}

#[inline(always)]
pub unsafe fn run<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B6 && a.width == NC && a.bytes.len() == g.cols * NC && g.has_sub_scales);
    assert!((g.sub == 16 || g.sub == 32) && a.sub_sums.len() == g.cols / SUM * NC);
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            at.fetch::<AHEAD>(base);
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = zeros::<NC>();
            for s in 0..g.group / g.sub {
                let mut dots = zeros::<NC>();
                let (p, q) = (base.add(at.codes + 12 * g.sub * s), q.add(g.sub * NC * s));
                sixteen::<NC, VNNI, AHEAD>(p, q, &mut dots);
                if g.sub == 32 {
                    sixteen::<NC, VNNI, AHEAD>(p.add(192), q.add(16 * NC), &mut dots);
                }
                let sc = signed(base.add(at.sc + s * PANEL));
                for c in 0..NC {
                    isum[c] = _mm512_add_epi32(isum[c], _mm512_mullo_epi32(dots[c], sc));
                }
            }
            if g.zero != 0 {
                let zero = _mm512_set1_epi32(g.zero);
                let sums = dot_sums::<NC, VNNI>(&r, base.add(at.sc), a, group);
                for c in 0..NC {
                    isum[c] = _mm512_sub_epi32(isum[c], _mm512_mullo_epi32(sums[c], zero));
                }
            }
            add_group::<NC>(&mut out, &isum, scales(&r, base.add(at.d)), a, group);
            if g.has_mins {
                let msum = dot_sums::<NC, VNNI>(&r, base.add(at.mn), a, group);
                add_mins::<NC>(&mut out, &msum, halves(base.add(at.dmin)), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}
