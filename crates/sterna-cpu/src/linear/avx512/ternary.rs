//! 2-bit records, straight from their codes.

use super::*;

/// With VNNI and few columns every plane of two bits has its own sum: the codes then need no shift, only a mask, since
/// a plane's products come out 4, 16 or 64 times too large and the sum is shifted once at the end.
const PLANES: usize = 5;

/// Blocks of 16 inputs between two flushes: int16 sums hold 256 ternary inputs; int32 sums of plane 3 grow by
/// 4 * 192 * 128 a block.
const fn most(vnni: bool) -> usize {
    if vnni { 16_384 } else { 16 }
}

#[inline(always)]
pub unsafe fn run<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B2 && a.width == NC && a.bytes.len() == g.cols * NC);
    // SAFETY: all offsets stay inside `r.bytes` (whole records of `group * 4` code bytes) and `a.bytes` (checked).
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let p = record.as_ptr();
            at.fetch::<AHEAD>(p);
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = sums::<NC, VNNI, AHEAD>(p, q, g.group / 16);
            let sums = &a.sums[group * NC..][..NC];
            for c in 0..NC {
                isum[c] = _mm512_sub_epi32(isum[c], _mm512_set1_epi32(g.zero * sums[c]));
            }
            add_group::<NC>(&mut out, &isum, scales(&r, record.as_ptr().add(at.d)), a, group);
        }
        store_acc::<NC>(out, acc);
    }
}

/// Sums of `blocks` times 16 inputs, the codes as they are stored.
#[inline(always)]
pub unsafe fn sums<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    mut p: *const u8,
    mut q: *const u8,
    mut blocks: usize,
) -> [__m512i; NC] {
    // SAFETY: the caller keeps 64 bytes of codes and 16 inputs of every column readable for each block.
    unsafe {
        let mut isum = zeros::<NC>();
        while blocks > 0 {
            let n = blocks.min(most(VNNI));
            if VNNI && NC <= PLANES {
                planes::<NC, AHEAD>(p, q, n, &mut isum);
            } else {
                shifted::<NC, VNNI, AHEAD>(p, q, n, &mut isum);
            }
            p = p.add(64 * n);
            q = q.add(16 * NC * n);
            blocks -= n;
        }
        isum
    }
}

#[inline(always)]
unsafe fn planes<const NC: usize, const AHEAD: bool>(
    mut p: *const u8,
    mut q: *const u8,
    blocks: usize,
    isum: &mut [__m512i; NC],
) {
    // SAFETY: as in `run`.
    unsafe {
        let mask = [3u8, 12, 48, 192].map(|m| _mm512_set1_epi8(m as i8));
        let mut sum = [zeros::<NC>(); 4];
        for _ in 0..blocks {
            fetch::<AHEAD>(p);
            let x = load(p);
            for j in 0..4 {
                dot_vnni::<NC>(&mut sum[j], _mm512_and_si512(x, mask[j]), q.add(4 * NC * j));
            }
            p = p.add(64);
            q = q.add(16 * NC);
        }
        for c in 0..NC {
            let low = _mm512_add_epi32(sum[0][c], _mm512_srai_epi32::<2>(sum[1][c]));
            let high = _mm512_add_epi32(_mm512_srai_epi32::<4>(sum[2][c]), _mm512_srai_epi32::<6>(sum[3][c]));
            isum[c] = _mm512_add_epi32(isum[c], _mm512_add_epi32(low, high));
        }
    }
}

#[inline(always)]
unsafe fn shifted<const NC: usize, const VNNI: bool, const AHEAD: bool>(
    mut p: *const u8,
    mut q: *const u8,
    blocks: usize,
    isum: &mut [__m512i; NC],
) {
    // SAFETY: as in `run`.
    unsafe {
        let three = _mm512_set1_epi8(3);
        let mut sum = zeros::<NC>();
        for _ in 0..blocks {
            fetch::<AHEAD>(p);
            let x = load(p);
            let w = [
                _mm512_and_si512(x, three),
                _mm512_and_si512(_mm512_srli_epi16::<2>(x), three),
                _mm512_and_si512(_mm512_srli_epi16::<4>(x), three),
                _mm512_and_si512(_mm512_srli_epi16::<6>(x), three),
            ];
            for j in 0..4 {
                dot::<NC, VNNI>(&mut sum, w[j], q.add(4 * NC * j));
            }
            p = p.add(64);
            q = q.add(16 * NC);
        }
        for c in 0..NC {
            isum[c] = _mm512_add_epi32(isum[c], whole::<VNNI>(sum[c]));
        }
    }
}
