//! 4-bit records.

use super::*;

/// Products of one sub-block of `8 * steps` inputs, in int16 lanes.
#[inline(always)]
unsafe fn sub_block<const NC: usize>(mut p: *const u8, mut q: *const u8, steps: usize) -> [Sums; NC] {
    // SAFETY: the caller keeps 64 bytes of codes and 8 inputs of every column readable for each step.
    unsafe {
        let mut sum = zeros::<NC>();
        _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(FARTHER).cast());
        dot::<NC, true>(&mut sum, plane::<0, NC>(p, &FIFTEENS), q);
        dot::<NC, false>(&mut sum, plane::<4, NC>(p, &FIFTEENS), q.add(4 * NC));
        for _ in 1..steps {
            p = p.add(64);
            q = q.add(8 * NC);
            _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(FARTHER).cast());
            dot::<NC, false>(&mut sum, plane::<0, NC>(p, &FIFTEENS), q);
            dot::<NC, false>(&mut sum, plane::<4, NC>(p, &FIFTEENS), q.add(4 * NC));
        }
        sum
    }
}

/// Groups of one block of 32 inputs. `EIGHT`: the zero point is 8, otherwise 0.
#[inline(always)]
pub unsafe fn flat<const NC: usize, const EIGHT: bool, const MINS: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B4 && a.width == NC && a.bytes.len() == g.cols * NC);
    assert!(g.sub == 32 && g.group == 32 && g.zero == if EIGHT { 8 } else { 0 } && g.has_mins == MINS);
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let q = a.bytes.as_ptr().cast::<u8>().add(group * 32 * NC);
            let sum = sub_block::<NC>(base, q, g.sub / 8);
            let sums = &a.sums[group * NC..][..NC];
            let mut isum = zeros::<NC>();
            for c in 0..NC {
                isum[c] = sum[c].map(|v| pairs(v));
                if EIGHT {
                    let zero = _mm256_slli_epi32::<3>(_mm256_set1_epi32(sums[c]));
                    isum[c] = isum[c].map(|v| _mm256_sub_epi32(v, zero));
                }
            }
            add_group::<NC>(&mut out, &isum, scales(&r, base.add(at.d)), a, group);
            if MINS {
                add_one_min::<NC>(&mut out, halves(base.add(at.dmin)), a, group);
            }
        }
        store_acc::<NC>(out, acc);
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
                let sum = sub_block::<NC>(base.add(256 * s), q.add(32 * NC * s), g.sub / 8);
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
