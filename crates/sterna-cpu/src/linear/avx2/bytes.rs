//! 8-bit records.

use super::*;

/// Inputs of a piece whose int16 sums of 4-bit halves cannot overflow: 8 steps of 2 * 15 * 127.
const PIECE: usize = 32;

/// Products of one half of `w + 128`, the low or the high four bits, with `4 * steps` inputs, in int16 lanes.
#[inline(always)]
unsafe fn half<const NC: usize, const HIGH: bool>(
    mut p: *const u8,
    mut q: *const u8,
    steps: usize,
) -> [Sums; NC] {
    // SAFETY: the caller keeps 64 bytes of codes and 4 inputs of every column readable for each step.
    unsafe {
        let codes = |p: *const u8| {
            if HIGH {
                // The sign bit turned over adds 128.
                let eight = load(EIGHTS.0.as_ptr());
                plane::<4, NC>(p, &FIFTEENS).map(|w| _mm256_xor_si256(w, eight))
            } else {
                plane::<0, NC>(p, &FIFTEENS)
            }
        };
        // The half that comes first fetches for both.
        let fetch = |p: *const u8| {
            if HIGH {
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
            }
        };
        let mut sum = zeros::<NC>();
        fetch(p);
        dot::<NC, true>(&mut sum, codes(p), q);
        for _ in 1..steps {
            p = p.add(64);
            q = q.add(4 * NC);
            fetch(p);
            dot::<NC, false>(&mut sum, codes(p), q);
        }
        sum
    }
}

/// Products of the `4 * steps` inputs of a group in int32 lanes, halves of `w + 128` one after the other: int16 lanes
/// then hold the sums of a piece, where products of whole bytes would have to leave them at every step.
#[inline(always)]
pub(super) unsafe fn by_halves<const NC: usize>(
    p: *const u8,
    q: *const u8,
    inputs: usize,
    sums: &[i32],
) -> [Sums; NC] {
    // SAFETY: the caller keeps 16 bytes of codes and one byte of every column readable for each input.
    unsafe {
        let sixteen = _mm256_set1_epi16(16);
        let mut isum = zeros::<NC>();
        for from in (0..inputs).step_by(PIECE) {
            let (p, q, steps) = (p.add(16 * from), q.add(from * NC), (inputs - from).min(PIECE) / 4);
            let high = half::<NC, true>(p, q, steps);
            for c in 0..NC {
                for v in 0..2 {
                    isum[c][v] = _mm256_add_epi32(isum[c][v], _mm256_madd_epi16(high[c][v], sixteen));
                }
            }
            let low = half::<NC, false>(p, q, steps);
            for c in 0..NC {
                for v in 0..2 {
                    isum[c][v] = _mm256_add_epi32(isum[c][v], pairs(low[c][v]));
                }
            }
        }
        for c in 0..NC {
            let bias = _mm256_slli_epi32::<7>(_mm256_set1_epi32(sums[c]));
            isum[c] = isum[c].map(|v| _mm256_sub_epi32(v, bias));
        }
        isum
    }
}

/// The same from `|w|` and activations with the sign of `w`: pairs are at most 2 * 128 * 127 = 32,512, so no int16
/// overflows. `vpsignb` would wait for the units that multiply; a xor and a subtraction need not.
#[inline(always)]
unsafe fn by_signs<const NC: usize, const AHEAD: usize>(
    mut p: *const u8,
    mut q: *const u8,
    inputs: usize,
) -> [Sums; NC] {
    // SAFETY: as in `by_halves`.
    unsafe {
        let mut dots = zeros::<NC>();
        for _ in 0..inputs / 4 {
            _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
            let w = [load(p), load(p.add(32))];
            let negative = w.map(|w| _mm256_cmpgt_epi8(_mm256_setzero_si256(), w));
            let abs = w.map(|w| _mm256_abs_epi8(w));
            for c in 0..NC {
                let y = broadcast4(q.add(c * 4));
                for v in 0..2 {
                    let y = _mm256_sub_epi8(_mm256_xor_si256(y, negative[v]), negative[v]);
                    dots[c][v] = _mm256_add_epi32(dots[c][v], pairs(_mm256_maddubs_epi16(abs[v], y)));
                }
            }
            p = p.add(64);
            q = q.add(4 * NC);
        }
        dots
    }
}

/// Groups of one block, codes of any size, in `P` panels side by side.
#[inline(always)]
pub unsafe fn flat<const NC: usize, const P: usize, const AHEAD: usize>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    let (g, at, size) = (*r[0].geometry, Offsets::new(r[0].geometry), r[0].geometry.record_bytes());
    assert!(g.kind == Kind::B8 && a.width == NC && a.bytes.len() == g.cols * NC && g.sub == g.group);
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
                let group = r[p].first + i;
                let base = r[p].bytes.as_ptr().add(i * size);
                let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
                let isum = if NC > WIDEST_SIGNED {
                    by_halves::<NC>(base, q, g.group, &a.sums[group * NC..][..NC])
                } else {
                    by_signs::<NC, AHEAD>(base, q, g.group)
                };
                add_group::<NC>(&mut out[p], &isum, scales(&r[p], base.add(at.d)), a, group);
                if g.has_mins {
                    add_one_min::<NC>(&mut out[p], halves(base.add(at.dmin)), a, group);
                }
            }
        }
        for (o, acc) in out.into_iter().zip(acc.iter_mut()) {
            store_acc::<NC>(o, acc);
        }
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
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(64 * j + FARTHEST).cast());
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
                let sub = if g.sub == SUM { s } else { s / 2 };
                let sc = both(signed(base.add(at.sc + sub * PANEL)));
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
