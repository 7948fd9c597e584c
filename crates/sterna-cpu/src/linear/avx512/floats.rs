//! Float records.

use super::*;

/// Bytes to fetch ahead, of all panels together: [`super::fetch`] was no faster here.
const AHEAD: usize = 2048;

/// One input of 16 weights: 0 f16, 1 bf16, 2 f32.
#[inline(always)]
unsafe fn input<const KIND: u8>(p: *const u8) -> __m512 {
    // SAFETY: the caller keeps one input (16 values) readable.
    unsafe {
        match KIND {
            0 => halves(p),
            1 => {
                let x = _mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast()));
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(x))
            }
            _ => _mm512_loadu_ps(p.cast()),
        }
    }
}

/// `P` panels at once: one panel has a single chain of additions, too few to hide their latency.
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
        let mut out = [[_mm512_setzero_ps(); NC]; P];
        for i in 0..P {
            out[i] = load_acc::<NC>(acc[i]);
        }
        let x = a.floats.as_ptr().add(r[0].first * g.group * NC);
        for k in 0..n {
            for i in 0..P {
                let p = r[i].bytes.as_ptr().add(k * size);
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD / P).cast());
                let w = input::<KIND>(p);
                for c in 0..NC {
                    out[i][c] = _mm512_fmadd_ps(w, _mm512_set1_ps(*x.add(k * NC + c)), out[i][c]);
                }
            }
        }
        for (o, acc) in out.into_iter().zip(acc.iter_mut()) {
            store_acc::<NC>(o, acc);
        }
    }
}
