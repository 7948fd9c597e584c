//! 4-bit records.

use super::*;

/// Products of one sub-block of 32 inputs, added to `dots`; non-VNNI sums are widened.
#[inline(always)]
unsafe fn sub_block<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    mut p: *const u8,
    mut q: *const u8,
    dots: [__m512i; NC],
) -> [__m512i; NC] {
    // SAFETY: the caller keeps 256 bytes of codes and 32 inputs of every column readable.
    unsafe {
        let low = _mm512_set1_epi8(15);
        let mut sum = if VNNI { dots } else { zeros::<NC>() };
        for _ in 0..4 {
            fetch::<AHEAD>(p);
            let x = load(p);
            let w = [_mm512_and_si512(x, low), _mm512_and_si512(_mm512_srli_epi16::<4>(x), low)];
            for w in w {
                dot::<NC, VNNI>(&mut sum, w, q);
                q = q.add(4 * NC);
            }
            p = p.add(64);
        }
        if VNNI {
            return sum;
        }
        for c in 0..NC {
            sum[c] = _mm512_add_epi32(dots[c], whole::<false>(sum[c]));
        }
        sum
    }
}

/// Groups of one block of 32 inputs.
#[inline(always)]
pub unsafe fn flat<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC);
    assert!(g.sub == 32 && g.group == 32 && at.d == 256);
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            fetch_far::<AHEAD>(base.wrapping_add(256));
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let start = if g.zero == 0 { zeros::<NC>() } else { start(g.zero, a, group) };
            let dots = sub_block::<NC, VNNI, AHEAD>(base, q, start);
            add_group::<NC>(&mut out, &dots, scales(&r, base.add(at.d)), a, group);
            if g.has_mins {
                add_one_min::<NC>(&mut out, halves(base.add(at.dmin)), a, group);
            }
        }
        store_acc::<NC>(out, acc);
    }
}

/// [`flat`] with VNNI in two panels, their codes in turns: two streams of memory wait for less than one does, and the
/// activations come from the second-level cache half as often.
#[inline(always)]
pub unsafe fn flat_two<const NC: usize>(
    r: [Records<'_>; 2],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; 2],
) {
    let (g, at, size) = (*r[0].geometry, Offsets::new(r[0].geometry), r[0].geometry.record_bytes());
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC);
    assert!(g.sub == 32 && g.group == 32 && at.d == 256 && r[1].geometry == r[0].geometry);
    let count = r[0].count();
    assert!(r.iter().all(|r| r.bytes.len() == count * size && r.first == 0 && count <= g.groups()));
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let low = _mm512_set1_epi8(15);
        let mut out = [load_acc::<NC>(acc[0]), load_acc::<NC>(acc[1])];
        for group in 0..count {
            let base = [r[0].bytes.as_ptr().add(group * size), r[1].bytes.as_ptr().add(group * size)];
            let start = if g.zero == 0 { zeros::<NC>() } else { start(g.zero, a, group) };
            let mut dots = [start; 2];
            let mut q = a.bytes.as_ptr().cast::<u8>().add(group * 32 * NC);
            for line in 0..4 {
                let mut w = [[low; 2]; 2];
                // No closure: one that the compiler does not inline has no such instructions.
                for p in 0..2 {
                    let at = base[p].add(64 * line);
                    fetch::<true>(at);
                    let x = load(at);
                    w[p] = [_mm512_and_si512(x, low), _mm512_and_si512(_mm512_srli_epi16::<4>(x), low)];
                }
                for half in 0..2 {
                    dot_vnni::<NC>(&mut dots[0], w[0][half], q);
                    dot_vnni::<NC>(&mut dots[1], w[1][half], q);
                    q = q.add(4 * NC);
                }
            }
            for p in 0..2 {
                fetch_far::<true>(base[p].add(at.d));
                add_group::<NC>(&mut out[p], &dots[p], scales(&r[p], base[p].add(at.d)), a, group);
                if g.has_mins {
                    add_one_min::<NC>(&mut out[p], halves(base[p].add(at.dmin)), a, group);
                }
            }
        }
        for (out, acc) in out.into_iter().zip(acc) {
            store_acc::<NC>(out, acc);
        }
    }
}

/// Groups of several sub-blocks with integer scales, and minima.
#[inline(always)]
pub unsafe fn scaled<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC && g.zero == 0);
    assert!(g.sub == 32 && a.sub_sums.len() == g.cols / SUM * NC);
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            at.fetch::<AHEAD>(base);
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = zeros::<NC>();
            for s in 0..g.group / 32 {
                let dots = sub_block::<NC, VNNI, AHEAD>(base.add(256 * s), q.add(32 * NC * s), zeros::<NC>());
                let sc = signed(base.add(at.sc + s * PANEL));
                for c in 0..NC {
                    isum[c] = _mm512_add_epi32(isum[c], _mm512_mullo_epi32(dots[c], sc));
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
