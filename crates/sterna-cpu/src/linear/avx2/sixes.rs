//! 6-bit records: sub-blocks of 16 or 32 inputs with integer scales.

use super::*;

static TWOS: Mask = Mask([0x30; 32]);

/// Codes of input quad `J` (0 to 3) of 16 inputs: low four bits out of the blocks at `p`, the other two out of the one at `p + 128`.
#[inline(always)]
unsafe fn codes<const J: usize, const NC: usize>(p: *const u8) -> Sums {
    // SAFETY: the caller keeps 192 bytes readable.
    unsafe {
        let (low, high) = (p.add(J / 2 * 64), p.add(128));
        if NC > 4 {
            return [wide_codes::<J>(low, high), wide_codes::<J>(low.add(32), high.add(32))];
        }
        let (fifteens, twos) = (load(FIFTEENS.0.as_ptr()), load(TWOS.0.as_ptr()));
        [0, 32].map(|v| {
            let (four, two) = (load(low.add(v)), load(high.add(v)));
            let four = if J.is_multiple_of(2) { four } else { _mm256_srli_epi16::<4>(four) };
            let two = match J {
                0 => _mm256_slli_epi16::<4>(two),
                1 => _mm256_slli_epi16::<2>(two),
                2 => two,
                _ => _mm256_srli_epi16::<2>(two),
            };
            _mm256_or_si256(_mm256_and_si256(four, fifteens), _mm256_and_si256(two, twos))
        })
    }
}

/// 32 bytes of that, in two registers: see [`wide_plane`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn wide_codes<const J: usize>(low: *const u8, high: *const u8) -> __m256i {
    macro_rules! codes {
        ($($shift:literal),*) => {{
            let w: __m256i;
            // SAFETY: reads 32 bytes at `low` and at `high`, and the masks.
            unsafe {
                asm!(
                    "vmovdqu {w}, [{low}]",
                    "vmovdqu {t}, [{high}]",
                    $($shift,)*
                    "vpand {w}, {w}, [{fifteens}]",
                    "vpand {t}, {t}, [{twos}]",
                    "vpor {w}, {w}, {t}",
                    w = out(ymm_reg) w,
                    t = out(ymm_reg) _,
                    low = in(reg) low,
                    high = in(reg) high,
                    fifteens = in(reg) &FIFTEENS,
                    twos = in(reg) &TWOS,
                    options(pure, readonly, nostack, preserves_flags)
                );
            }
            w
        }};
    }
    match J {
        0 => codes!("vpsllw {t}, {t}, 4"),
        1 => codes!("vpsrlw {w}, {w}, 4", "vpsllw {t}, {t}, 2"),
        2 => codes!(),
        _ => codes!("vpsrlw {w}, {w}, 4", "vpsrlw {t}, {t}, 2"),
    }
}

/// Products of 16 inputs in int16 lanes, each multiplied by its row's scale and added to `isum`.
///
/// `SIX`: codes are 0 ..= 63, so that two steps of 2 * 63 * 127 = 16,002 fit an int16; else 0 ..= 31, and four of 7,874 do.
#[inline(always)]
unsafe fn sixteen<const NC: usize, const SIX: bool>(
    p: *const u8,
    q: *const u8,
    sc: [__m256i; 2],
    isum: &mut [Sums; NC],
) {
    // SAFETY: the caller keeps 192 bytes of codes and 16 inputs of every column readable.
    unsafe {
        for line in 0..3 {
            _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(64 * line + FARTHEST).cast());
        }
        let mut sum = zeros::<NC>();
        dot::<NC, true>(&mut sum, codes::<0, NC>(p), q);
        dot::<NC, false>(&mut sum, codes::<1, NC>(p), q.add(4 * NC));
        if SIX {
            add_scaled::<NC>(isum, &sum, sc);
            dot::<NC, true>(&mut sum, codes::<2, NC>(p), q.add(8 * NC));
        } else {
            dot::<NC, false>(&mut sum, codes::<2, NC>(p), q.add(8 * NC));
        }
        dot::<NC, false>(&mut sum, codes::<3, NC>(p), q.add(12 * NC));
        add_scaled::<NC>(isum, &sum, sc);
    }
}

/// Groups of one block. `SIX`: six bits with a zero point and without minima (Q6_K), else five with minima (Q5_K).
#[inline(always)]
pub unsafe fn run<const NC: usize, const SIX: bool>(
    r: Records<'_>,
    a: &ActBlock<'_>,
    acc: &mut [[f32; PANEL]],
) {
    let (g, at) = (*r.geometry, Offsets::new(r.geometry));
    assert!(g.kind == Kind::B6 && a.width == NC && a.bytes.len() == g.cols * NC && g.has_sub_scales);
    assert!((g.sub == 16 || g.sub == 32) && a.sub_sums.len() == g.cols / SUM * NC);
    assert!(g.has_mins != SIX && g.zero == if SIX { 32 } else { 0 });
    // SAFETY: offsets stay inside the records and `a.bytes`, both checked.
    unsafe {
        let mut out = load_acc::<NC>(acc);
        for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
            let group = r.first + i;
            let base = record.as_ptr();
            let q = a.bytes.as_ptr().cast::<u8>().add(group * g.group * NC);
            let mut isum = zeros::<NC>();
            if SIX {
                let zero = dot_sums::<NC>(&r, base.add(at.sc), a, group);
                let factor = _mm256_set1_epi32(-g.zero);
                for c in 0..NC {
                    isum[c] = zero[c].map(|v| _mm256_mullo_epi32(v, factor));
                }
            }
            for s in 0..g.group / 16 {
                let sub = if g.sub == SUM { s } else { s / 2 };
                let sc = both(signed(base.add(at.sc + sub * PANEL)));
                sixteen::<NC, SIX>(base.add(at.codes + 192 * s), q.add(16 * NC * s), sc, &mut isum);
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
