//! 8-bit records.
//!
//! With VNNI the weights are made unsigned, `w + 128`, and 128 times the sum of the activations is taken away again.

use super::*;
use crate::linear::BYTE_BIAS;

/// Products of `4 * steps` inputs added to `dots`, with VNNI those of `w + 128`.
#[inline(always)]
unsafe fn sub_block<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    mut p: *const u8,
    mut q: *const u8,
    steps: usize,
    mut dots: [__m512i; NC],
) -> [__m512i; NC] {
    // SAFETY: the caller keeps 64 bytes of codes and 4 inputs of every column readable for each step.
    unsafe {
        let bias = _mm512_set1_epi8(-128);
        for _ in 0..steps {
            fetch::<AHEAD>(p);
            let w = load(p);
            if VNNI {
                dot_vnni::<NC>(&mut dots, _mm512_xor_si512(w, bias), q);
            } else {
                // `|w|` times `q` with the sign of `w`: pairs are at most 2 * 128 * 127, so no int16 overflows.
                let (abs, negative) = (_mm512_abs_epi8(w), _mm512_movepi8_mask(w));
                for c in 0..NC {
                    let y = broadcast4(q.add(c * 4));
                    let y = _mm512_mask_sub_epi8(y, negative, _mm512_setzero_si512(), y);
                    dots[c] = _mm512_add_epi32(dots[c], whole::<false>(_mm512_maddubs_epi16(abs, y)));
                }
            }
            p = p.add(64);
            q = q.add(4 * NC);
        }
        dots
    }
}

/// Groups of one block, in `P` panels side by side: streams of memory that wait for less than one does.
#[inline(always)]
pub unsafe fn flat<const NC: usize, const VNNI: bool, const AHEAD: bool, const P: usize>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    let (g, at, size) = (*r[0].geometry, Offsets::new(r[0].geometry), r[0].geometry.record_bytes());
    assert!(g.kind == Kind::B8 && a.width == NC && a.bytes.len() == g.cols * NC && g.sub == g.group);
    let (first, count) = (r[0].first, r[0].count());
    assert!(r.iter().all(|r| *r.geometry == g && r.bytes.len() == count * size && r.first == first));
    assert!(first + count <= g.groups());
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = [[_mm512_setzero_ps(); NC]; P];
        for (out, acc) in out.iter_mut().zip(acc.iter()) {
            *out = load_acc::<NC>(acc);
        }
        for i in 0..count {
            let group = first + i;
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            for p in 0..P {
                let base = r[p].bytes.as_ptr().add(i * size);
                fetch_far::<AHEAD>(base.wrapping_add(at.d));
                let start = if VNNI { start(BYTE_BIAS, a, group) } else { zeros::<NC>() };
                // A constant number of steps for the usual block of 32 lets the loop be unrolled.
                let dots = if g.group == 32 {
                    sub_block::<NC, VNNI, AHEAD>(base, q, 8, start)
                } else {
                    sub_block::<NC, VNNI, AHEAD>(base, q, g.group / 4, start)
                };
                add_group::<NC>(&mut out[p], &dots, scales(&r[p], base.add(at.d)), a, group);
                if g.has_mins {
                    add_one_min::<NC>(&mut out[p], halves(base.add(at.dmin)), a, group);
                }
            }
        }
        for (out, acc) in out.into_iter().zip(acc) {
            store_acc::<NC>(out, acc);
        }
    }
}

/// Groups of several sub-blocks with integer scales, and minima where there are some.
#[inline(always)]
pub unsafe fn scaled<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B8 && a.width == NC && a.bytes.len() == g.cols * NC);
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
                let (p, q) = (base.add(16 * g.sub * s), q.add(g.sub * NC * s));
                let dots = if g.sub == 16 {
                    sub_block::<NC, VNNI, AHEAD>(p, q, 4, zeros::<NC>())
                } else {
                    sub_block::<NC, VNNI, AHEAD>(p, q, 8, zeros::<NC>())
                };
                let sc = signed(base.add(at.sc + s * PANEL));
                for c in 0..NC {
                    isum[c] = _mm512_add_epi32(isum[c], _mm512_mullo_epi32(dots[c], sc));
                }
            }
            if VNNI {
                let bias = dot_sums::<NC, VNNI>(&r, base.add(at.sc), a, group);
                for c in 0..NC {
                    isum[c] = _mm512_sub_epi32(isum[c], _mm512_slli_epi32::<7>(bias[c]));
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
