//! 4-bit records.

use super::*;

/// Products of one sub-block of `8 * steps` inputs, in int16 lanes; fetches `AHEAD` bytes ahead.
#[inline(always)]
pub(super) unsafe fn sub_block<const NC: usize, const AHEAD: usize>(
    mut p: *const u8,
    mut q: *const u8,
    steps: usize,
) -> [Sums; NC] {
    // SAFETY: the caller keeps 64 bytes of codes and 8 inputs of every column readable for each step.
    unsafe {
        let mut sum = zeros::<NC>();
        _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
        dot::<NC, true>(&mut sum, plane::<0, NC>(p, &FIFTEENS), q);
        dot::<NC, false>(&mut sum, plane::<4, NC>(p, &FIFTEENS), q.add(4 * NC));
        for _ in 1..steps {
            p = p.add(64);
            q = q.add(8 * NC);
            _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
            dot::<NC, false>(&mut sum, plane::<0, NC>(p, &FIFTEENS), q);
            dot::<NC, false>(&mut sum, plane::<4, NC>(p, &FIFTEENS), q.add(4 * NC));
        }
        sum
    }
}

/// Group number `group`, one block of 32 inputs, from the record at `base`. `EIGHT`: the zero point is 8, otherwise 0.
#[inline(always)]
unsafe fn block<const NC: usize, const EIGHT: bool, const MINS: bool, const AHEAD: usize>(
    out: &mut [Pair; NC],
    base: *const u8,
    at: Offsets,
    a: &ActBlock<'_>,
    group: usize,
) {
    // SAFETY: the caller keeps the record and the group's inputs readable.
    unsafe {
        let q = a.bytes.as_ptr().cast::<u8>().add(group * 32 * NC);
        let sum = sub_block::<NC, AHEAD>(base, q, 4);
        let sums = &a.sums[group * NC..][..NC];
        let mut isum = zeros::<NC>();
        for c in 0..NC {
            isum[c] = sum[c].map(|v| pairs(v));
            if EIGHT {
                let zero = _mm256_slli_epi32::<3>(_mm256_set1_epi32(sums[c]));
                isum[c] = isum[c].map(|v| _mm256_sub_epi32(v, zero));
            }
        }
        add_group::<NC>(out, &isum, halves(base.add(at.d)), a, group);
        if MINS {
            add_one_min::<NC>(out, halves(base.add(at.dmin)), a, group);
        }
    }
}

/// Groups of one block of 32 inputs in `P` panels side by side.
#[inline(always)]
pub unsafe fn flat<
    const NC: usize,
    const EIGHT: bool,
    const MINS: bool,
    const P: usize,
    const AHEAD: usize,
>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    let (g, at, size) = (*r[0].geometry, Offsets::new(r[0].geometry), r[0].geometry.record_bytes());
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC && g.inline_d);
    assert!(g.sub == 32 && g.group == 32 && g.zero == if EIGHT { 8 } else { 0 } && g.has_mins == MINS);
    let count = r[0].count();
    assert!(r.iter().all(|r| r.bytes.len() == count * size && r.first + count <= g.groups()));
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = [[[_mm256_setzero_ps(); 2]; NC]; P];
        for (o, acc) in out.iter_mut().zip(acc.iter()) {
            *o = load_acc::<NC>(acc);
        }
        for i in 0..count {
            for p in 0..P {
                let base = r[p].bytes.as_ptr().add(i * size);
                block::<NC, EIGHT, MINS, AHEAD>(&mut out[p], base, at, a, r[p].first + i);
                if P > 1 {
                    // The scales too, after the codes: lines out of order or left out spoil the processor's own fetching.
                    _mm_prefetch::<_MM_HINT_T0>(base.wrapping_add(at.d + AHEAD).cast());
                }
            }
        }
        for (o, acc) in out.into_iter().zip(acc.iter_mut()) {
            store_acc::<NC>(o, acc);
        }
    }
}

/// Groups of several sub-blocks with integer scales, and minima where there are some.
#[inline(always)]
pub unsafe fn scaled<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC && g.zero == 0);
    assert!(g.sub == 32 && a.sub_sums.len() == g.cols / SUM * NC);
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = zeros::<NC>();
            for s in 0..g.group / 32 {
                let sum = sub_block::<NC, FARTHER>(base.add(256 * s), q.add(32 * NC * s), g.sub / 8);
                add_scaled::<NC>(&mut isum, &sum, base.add(at.sc + s * PANEL));
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
