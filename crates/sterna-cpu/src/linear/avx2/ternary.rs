//! 2-bit records: codes 0, 1, 2 (3 in two formats), zero point 1.

use super::*;

/// Blocks of 16 inputs between two flushes of int16 sums.
const MOST: usize = 16;

/// Adds the products of `blocks` times 16 inputs to `isum`, from packed codes at `p`; int16 sums are flushed after every
/// `MOST` blocks.
#[inline(always)]
pub(super) unsafe fn add<const NC: usize, const MOST: usize>(
    mut p: *const u8,
    mut q: *const u8,
    mut blocks: usize,
    isum: &mut [Sums; NC],
) {
    // SAFETY: the caller keeps 64 bytes of codes and 16 inputs of every column readable for each block.
    unsafe {
        while blocks > 0 {
            let n = blocks.min(MOST);
            let mut sum = zeros::<NC>();
            for _ in 0..n {
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
                let w = plane::<0, NC>(p, &THREES);
                dot::<NC, false>(&mut sum, w, q);
                let w = plane::<2, NC>(p, &THREES);
                dot::<NC, false>(&mut sum, w, q.add(4 * NC));
                let w = plane::<4, NC>(p, &THREES);
                dot::<NC, false>(&mut sum, w, q.add(8 * NC));
                let w = plane::<6, NC>(p, &THREES);
                dot::<NC, false>(&mut sum, w, q.add(12 * NC));
                p = p.add(64);
                q = q.add(16 * NC);
            }
            for c in 0..NC {
                for v in 0..2 {
                    isum[c][v] = _mm256_add_epi32(isum[c][v], pairs(sum[c][v]));
                }
            }
            blocks -= n;
        }
    }
}

/// Takes the zero point away and ends a group.
#[inline(always)]
unsafe fn end<const NC: usize>(
    out: &mut [Pair; NC],
    isum: &mut [Sums; NC],
    d: Pair,
    a: &ActBlock<'_>,
    group: usize,
) {
    let sums = &a.sums[group * NC..][..NC];
    // SAFETY: registers.
    unsafe {
        for c in 0..NC {
            let sum = _mm256_set1_epi32(sums[c]);
            isum[c] = isum[c].map(|v| _mm256_sub_epi32(v, sum));
        }
        add_group::<NC>(out, isum, d, a, group);
    }
}

/// Whole groups.
#[inline(always)]
pub unsafe fn run<const NC: usize>(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B2 && g.zero == 1 && a.width == NC && a.bytes.len() == g.cols * NC);
    // SAFETY: all offsets stay inside `r.bytes` (whole records of `group * 4` code bytes) and `a.bytes` (checked).
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = zeros::<NC>();
            add::<NC, MOST>(record.as_ptr(), q, g.group / 16, &mut isum);
            end::<NC>(&mut out, &mut isum, scales(&r, record.as_ptr().add(at.d)), a, group);
        }
        store_acc::<NC>(out, acc);
    }
}

/// Inputs `from .. to` of one group, added to `part`.
#[inline(always)]
pub unsafe fn slice<const NC: usize>(
    r: Records<'_>,
    (from, to): (usize, usize),
    a: &ActBlock<'_>,
    part: &mut [[i32; PANEL]],
) {
    let g = r.geometry;
    assert!(g.kind == Kind::B2 && a.width == NC && a.bytes.len() == g.cols * NC && part.len() == NC);
    assert!(
        from <= to && to <= g.group && from % 16 == 0 && to % 16 == 0 && r.bytes.len() >= g.record_bytes()
    );
    // SAFETY: offsets stay inside the record and `a.bytes`; `part` has 16 sums for every column.
    unsafe {
        let mut isum = zeros::<NC>();
        for c in 0..NC {
            isum[c] = [load(part[c].as_ptr().cast()), load(part[c].as_ptr().add(8).cast())];
        }
        let q = a.bytes.as_ptr().cast::<u8>().add((r.first * g.group + from) * NC);
        add::<NC, MOST>(r.bytes.as_ptr().add(from * 4), q, (to - from) / 16, &mut isum);
        for c in 0..NC {
            _mm256_storeu_si256(part[c].as_mut_ptr().cast(), isum[c][0]);
            _mm256_storeu_si256(part[c].as_mut_ptr().add(8).cast(), isum[c][1]);
        }
    }
}

/// Ends a group whose slices are all in `part`.
#[inline(always)]
pub unsafe fn finish<const NC: usize>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    part: &[[i32; PANEL]],
    acc: &mut [[f32; PANEL]],
) {
    let g = r.geometry;
    assert!(g.zero == 1 && part.len() == NC && a.width == NC && r.bytes.len() >= g.record_bytes());
    // SAFETY: as above.
    unsafe {
        let mut isum = zeros::<NC>();
        for c in 0..NC {
            isum[c] = [load(part[c].as_ptr().cast()), load(part[c].as_ptr().add(8).cast())];
        }
        let mut out = load_acc::<NC>(acc);
        let d = scales(&r, r.bytes.as_ptr().add(g.code_bytes()));
        end::<NC>(&mut out, &mut isum, d, a, r.first);
        store_acc::<NC>(out, acc);
    }
}
