//! 4-bit records.

use super::*;

#[inline(always)]
pub unsafe fn run<const NC: usize, const VNNI: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let g = r.geometry;
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC && g.sub == 32);
    assert!(a.sub_sums.len() == g.cols / SUM * NC);
    let subs = g.group / g.sub;
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let low = _mm512_set1_epi8(15);
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let mut p = base;
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let (mut isum, mut msum) = (zeros::<NC>(), zeros::<NC>());
            for s in 0..subs {
                let sums = sums::<NC>(a, group * g.group + s * g.sub, g.sub);
                let mut sum = zeros::<NC>();
                for _ in 0..4 {
                    _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                    let x = load(p);
                    let w = [_mm512_and_si512(x, low), _mm512_and_si512(_mm512_srli_epi16::<4>(x), low)];
                    for j in 0..2 {
                        for c in 0..NC {
                            sum[c] = dot::<VNNI>(sum[c], w[j], broadcast4(q.add((j * NC + c) * 4)));
                        }
                    }
                    p = p.add(64);
                    q = q.add(8 * NC);
                }
                for c in 0..NC {
                    sum[c] = whole::<VNNI>(sum[c]);
                    if !g.has_sub_scales {
                        sum[c] = _mm512_sub_epi32(sum[c], _mm512_set1_epi32(g.zero * sums[c]));
                    }
                }
                add_sub::<NC>(&r, base, s, &sum, &sums, &mut isum, &mut msum);
            }
            add_group::<NC>(&mut out, &isum, scales(&r, base), a, group);
            if g.has_mins {
                add_mins::<NC>(&mut out, &msum, halves(base.add(g.dmin_at())), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}
