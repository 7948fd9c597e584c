//! Float records.

use super::*;

/// One input of 16 weights: 0 f16, 1 bf16, 2 f32.
#[inline(always)]
unsafe fn input<const KIND: u8>(p: *const u8) -> Pair {
    // SAFETY: the caller keeps one input (16 values) readable.
    unsafe {
        match KIND {
            0 => halves(p),
            1 => [p, p.add(16)].map(|p| {
                let x = _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
                _mm256_castsi256_ps(_mm256_slli_epi32::<16>(x))
            }),
            _ => [_mm256_loadu_ps(p.cast()), _mm256_loadu_ps(p.add(32).cast())],
        }
    }
}

/// `P` panels at once: one panel has two chains of additions, too few to hide their latency.
#[inline(always)]
pub unsafe fn run<const NC: usize, const KIND: u8, const P: usize>(
    r: [Records<'_>; P],
    a: &ActBlock<'_>,
    acc: &mut [&mut [[f32; PANEL]]; P],
) {
    let g = r[0].geometry;
    let n = r[0].count() * g.group;
    let size = if KIND == 2 { 4 * PANEL } else { 2 * PANEL };
    assert!(a.width == NC && a.floats.len() == g.cols * NC && r.iter().all(|r| r.bytes.len() == n * size));
    // SAFETY: offsets stay inside the records and `a.floats`, both checked.
    unsafe {
        let mut out = [[[_mm256_setzero_ps(); 2]; NC]; P];
        for (o, acc) in out.iter_mut().zip(acc.iter()) {
            *o = load_acc::<NC>(acc);
        }
        let x = a.floats.as_ptr().add(r[0].first * g.group * NC);
        for k in 0..n {
            for i in 0..P {
                let p = r[i].bytes.as_ptr().add(k * size);
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD / P).cast());
                let w = input::<KIND>(p);
                for c in 0..NC {
                    let y = _mm256_set1_ps(*x.add(k * NC + c));
                    out[i][c][0] = _mm256_fmadd_ps(w[0], y, out[i][c][0]);
                    out[i][c][1] = _mm256_fmadd_ps(w[1], y, out[i][c][1]);
                }
            }
        }
        for (o, acc) in out.into_iter().zip(acc.iter_mut()) {
            store_acc::<NC>(o, acc);
        }
    }
}
