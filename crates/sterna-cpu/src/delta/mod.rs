//! The gated delta rule: one row on one block of a head's columns.
//!
//! The order of every sum is the one of `sterna-ref`'s law. For every column `j`, over `i` ascending:
//! `m = fma(k[i], S[i][j], m)` from 0; `u = beta * fma(-decay, m, v[j])`; `S[i][j] = fma(k[i], u, decay * S[i][j])` and
//! `out = fma(q[i], S[i][j], out)` from 0. A lane is a column, so no width of register changes a sum. There is one row
//! after the other and nothing else: a decode step, a verify and a prefill run this same code (contract C5).
//!
//! A block of [`COLUMNS`] columns of a head of 128 keys is 32 KiB, which stays in the nearest caches while the rows of a
//! call go over it; the state is read from memory and written to it once per call, whatever its width.

mod lanes;

use crate::isa::Isa;
use lanes::Lanes;

/// Columns that rows are run over together.
pub const COLUMNS: usize = 64;

/// What a row brings to a head: q and k of length 1, q scaled; v of the block's columns.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// `[k_dim]`.
    pub q: &'a [f32],
    /// `[k_dim]`.
    pub k: &'a [f32],
    /// `[columns]`.
    pub v: &'a [f32],
    /// How much of the correction is written.
    pub beta: f32,
    /// How much of the state is kept.
    pub decay: f32,
}

/// The block's columns in the state before the row and after it; both may be the same memory.
#[derive(Clone, Copy)]
pub struct Block {
    /// First column of the first of `k_dim` rows.
    pub from: *const f32,
    /// The same.
    pub to: *mut f32,
    /// Floats from a row to the next.
    pub stride: usize,
}

/// Runs one row over one block.
///
/// # Safety
/// `block` has `row.k.len()` rows of `out.len()` columns each, readable and writable, and nobody else uses them.
///
/// # Panics
/// When q, k, v and `out` do not belong together: a bug in a plan.
pub unsafe fn row(isa: Isa, row: &Row<'_>, block: Block, out: &mut [f32]) {
    assert!(row.q.len() == row.k.len() && row.v.len() == out.len());
    // SAFETY: the caller's promise.
    unsafe { run::<true>(isa, row, block, out.as_mut_ptr()) }
}

/// What [`row`] makes of the state, without the output and without looking at q.
///
/// # Safety
/// As [`row`], with `row.v.len()` columns.
pub unsafe fn advance(isa: Isa, row: &Row<'_>, block: Block) {
    // SAFETY: the caller's promise; nothing is written through the null pointer.
    unsafe { run::<false>(isa, row, block, std::ptr::null_mut()) }
}

/// # Safety
/// As [`row`]; `out` is as long as v if `OUT`.
#[inline(always)]
unsafe fn run<const OUT: bool>(isa: Isa, row: &Row<'_>, block: Block, out: *mut f32) {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: these instruction sets are only named after detection; the rest is the caller's promise.
        unsafe {
            match isa {
                Isa::Avx512 | Isa::Avx512Vnni => return avx512::<OUT>(row, block, out),
                Isa::Avx2 => return avx2::<OUT>(row, block, out),
                _ => {}
            }
        }
    }
    #[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
    if matches!(isa, Isa::Neon | Isa::NeonDot) {
        // SAFETY: the caller's promise.
        return unsafe { all::<crate::simd::float32x4_t, 8, OUT>(row, block, out) };
    }
    let _ = isa;
    // SAFETY: the caller's promise.
    unsafe { all::<f32, 8, OUT>(row, block, out) }
}

/// # Safety
/// As [`run`], and the machine has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<const OUT: bool>(row: &Row<'_>, block: Block, out: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe { all::<std::arch::x86_64::__m256, 8, OUT>(row, block, out) }
}

/// # Safety
/// As [`run`], and the machine has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn avx512<const OUT: bool>(row: &Row<'_>, block: Block, out: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe { all::<std::arch::x86_64::__m512, 4, OUT>(row, block, out) }
}

/// All columns: `R` registers at a time, then one, then one column.
///
/// # Safety
/// As [`run`], and the machine has the instructions of `L`.
#[inline(always)]
unsafe fn all<L: Lanes, const R: usize, const OUT: bool>(row: &Row<'_>, block: Block, out: *mut f32) {
    let (mut at, n) = (0, row.v.len());
    // SAFETY: every call stays below `n` columns.
    unsafe {
        while at + R * L::N <= n {
            columns::<L, R, OUT>(row, block, at, out);
            at += R * L::N;
        }
        while at + L::N <= n {
            columns::<L, 1, OUT>(row, block, at, out);
            at += L::N;
        }
        while at < n {
            columns::<f32, 1, OUT>(row, block, at, out);
            at += 1;
        }
    }
}

/// Columns `at .. at + R * L::N`.
///
/// # Safety
/// As [`all`], and those columns exist.
#[inline(always)]
unsafe fn columns<L: Lanes, const R: usize, const OUT: bool>(
    row: &Row<'_>,
    block: Block,
    at: usize,
    out: *mut f32,
) {
    debug_assert!(at + R * L::N <= row.v.len());
    // SAFETY: row `i` of the block and columns from `at` on are inside by the caller's promise; v and `out` are as long.
    unsafe {
        let mut held = [L::splat(0.0); R];
        for (i, k) in row.k.iter().enumerate() {
            let (k, s) = (L::splat(*k), block.from.add(i * block.stride + at));
            for (r, held) in held.iter_mut().enumerate() {
                *held = k.fma(L::load(s.add(r * L::N)), *held);
            }
        }
        let (beta, decay, less) = (L::splat(row.beta), L::splat(row.decay), L::splat(-row.decay));
        let mut u = [L::splat(0.0); R];
        for (r, (u, held)) in u.iter_mut().zip(held).enumerate() {
            let v = L::load(row.v.as_ptr().add(at + r * L::N));
            *u = beta.mul(less.fma(held, v));
        }
        let mut sum = [L::splat(0.0); R];
        for (i, k) in row.k.iter().enumerate() {
            let (k, q) = (L::splat(*k), L::splat(if OUT { *row.q.get_unchecked(i) } else { 0.0 }));
            let (s, to) = (block.from.add(i * block.stride + at), block.to.add(i * block.stride + at));
            for (r, (sum, u)) in sum.iter_mut().zip(&u).enumerate() {
                let new = k.fma(*u, decay.mul(L::load(s.add(r * L::N))));
                new.store(to.add(r * L::N));
                if OUT {
                    *sum = q.fma(new, *sum);
                }
            }
        }
        if OUT {
            for (r, sum) in sum.into_iter().enumerate() {
                sum.store(out.add(at + r * L::N));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sterna_ref::testing::Random;

    /// The law, written out once more: column after column, scalar.
    fn law(row: &Row<'_>, s: &mut [f32], out: &mut [f32]) {
        let n = out.len();
        for j in 0..n {
            let mut held = 0f32;
            for (i, k) in row.k.iter().enumerate() {
                held = k.mul_add(s[i * n + j], held);
            }
            let u = row.beta * (-row.decay).mul_add(held, row.v[j]);
            let mut sum = 0f32;
            for (i, (k, q)) in row.k.iter().zip(row.q).enumerate() {
                s[i * n + j] = k.mul_add(u, row.decay * s[i * n + j]);
                sum = q.mul_add(s[i * n + j], sum);
            }
            out[j] = sum;
        }
    }

    fn bits(x: &[f32]) -> Vec<u32> {
        x.iter().map(|x| x.to_bits()).collect()
    }

    /// Every instruction set, also NEON's twin in plain Rust, at widths with every kind of remainder, hundreds of rows
    /// on one state, once from the other half and then in place.
    #[test]
    fn every_instruction_set_has_the_bits_of_the_law() {
        let isas: Vec<Isa> = Isa::here().chain([Isa::Neon]).collect();
        for (k_dim, v_dim) in [(128, 128), (64, 64), (24, 20), (1, 1), (7, 67), (3, 13)] {
            let mut random = Random::new(k_dim as u64 * 1000 + v_dim as u64);
            let mut draw = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<f32>>();
            let start = draw(k_dim * v_dim);
            let mut want = start.clone();
            let mut states: Vec<_> =
                isas.iter().map(|_| (start.clone(), vec![f32::NAN; start.len()], start.clone())).collect();
            for n in 0..if k_dim == 128 { 20 } else { 200 } {
                let (q, k, v) = (draw(k_dim), draw(k_dim), draw(v_dim));
                let length = k.iter().map(|k| k * k).sum::<f32>().sqrt();
                let k: Vec<f32> = k.iter().map(|k| k / length).collect();
                let gates = draw(2).into_iter().map(|g| 1.0 / (1.0 + g.exp())).collect::<Vec<_>>();
                let r = Row { q: &q, k: &k, v: &v, beta: gates[0], decay: gates[1] };
                let mut out = vec![0f32; v_dim];
                law(&r, &mut want, &mut out);
                for (isa, (first, state, advanced)) in isas.iter().zip(&mut states) {
                    let mut got = vec![f32::NAN; v_dim];
                    for at in (0..v_dim).step_by(COLUMNS) {
                        let w = COLUMNS.min(v_dim - at);
                        let to = state[at..].as_mut_ptr();
                        let from = if n == 0 { first[at..].as_ptr() } else { to.cast_const() };
                        let r = Row { v: &v[at..at + w], ..r };
                        // SAFETY: `k_dim` rows of `v_dim` columns.
                        unsafe { row(*isa, &r, Block { from, to, stride: v_dim }, &mut got[at..at + w]) };
                        let to = advanced[at..].as_mut_ptr();
                        let without = Row { q: &[], ..r };
                        // SAFETY: as above.
                        unsafe { advance(*isa, &without, Block { from: to, to, stride: v_dim }) };
                    }
                    assert!(bits(advanced) == bits(state), "{isa:?} {k_dim} x {v_dim}, advanced by row {n}");
                    assert!(bits(&got) == bits(&out), "{isa:?} {k_dim} x {v_dim}, row {n}");
                    assert!(bits(state) == bits(&want), "{isa:?} {k_dim} x {v_dim}, state after row {n}");
                }
            }
            assert!(want.iter().all(|s| s.is_finite()));
        }
    }
}
