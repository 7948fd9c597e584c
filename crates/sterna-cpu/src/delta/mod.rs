//! The gated delta rule: the rows of a call on one head.
//!
//! The order of every sum is the one of `sterna-ref`'s law. For every column `j`, over `i` ascending:
//! `m = fma(k[i], S[i][j], m)` from 0; `u = beta * fma(-decay, m, v[j])`; `S[i][j] = fma(k[i], u, decay * S[i][j])` and
//! `out = fma(q[i], S[i][j], out)` from 0. A lane is a column, so no width of register changes a sum. There is one row
//! after the other and nothing else: a decode step, a verify, a prefill and accepting run this same code (contract C5).
//!
//! A head's state is read from memory and written to it once per call, whatever the call's width. In between, 32 columns
//! at a time lie in a scratch of 16 KiB at 128 keys: in the state itself a row of them is 512 bytes from the next, and so
//! they would share a quarter of a first-level cache's sets. The pass that writes a row's correction sums the next
//! row's `m` of what it writes.

mod lanes;

use crate::isa::Isa;
use lanes::Lanes;

/// Columns that rows are run over together.
const COLUMNS: usize = 32;

/// What a row brings to a value head.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// `[k_dim]`, of length 1, then scaled. Empty where no output is wanted.
    pub q: &'a [f32],
    /// `[k_dim]`, of length 1.
    pub k: &'a [f32],
    /// `[v_dim]`.
    pub v: &'a [f32],
    /// How much of the correction is written.
    pub beta: f32,
    /// How much of the state is kept.
    pub decay: f32,
    /// `[v_dim]`, null where no output is wanted; what becomes of the state is the same.
    pub out: *mut f32,
}

/// A head's states, `[k_dim][v_dim]`.
#[derive(Clone, Copy)]
pub struct Head {
    /// Before the rows; `None`: zeros.
    pub from: Option<*const f32>,
    /// After some of the rows; may be the same memory.
    pub to: *mut f32,
    /// Rows after which the state is written there; 0: it never is.
    pub after: usize,
    /// Whether it is written past the caches: where nobody reads it before they have been through other memory.
    pub stream: bool,
    /// Keys.
    pub k_dim: usize,
    /// Values.
    pub v_dim: usize,
}

static ZEROS: [f32; COLUMNS] = [0.0; COLUMNS];

/// A cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [f32; 16]);

/// A thread's copy of some columns, `[k_dim][columns]`.
#[derive(Default)]
pub struct Scratch(Vec<Line>);

impl Scratch {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.0.len() * size_of::<Line>()
    }

    fn reserve(&mut self, k_dim: usize) -> *mut f32 {
        let lines = k_dim * COLUMNS / 16;
        if self.0.len() < lines {
            self.0.resize(lines, Line([0.0; 16]));
        }
        self.0.as_mut_ptr().cast()
    }
}

/// Runs `count` rows over one head, in order.
///
/// # Safety
/// The states of `head` and the rows' outputs are readable and writable, and nobody else uses them.
///
/// # Panics
/// When q, k and v do not belong to the head: a bug in a plan.
pub unsafe fn rows<'a>(
    isa: Isa,
    count: usize,
    row: &dyn Fn(usize) -> Row<'a>,
    head: Head,
    scratch: &mut Scratch,
) {
    for r in (0..count).map(row) {
        assert!(r.k.len() == head.k_dim && r.v.len() == head.v_dim);
        assert!(r.out.is_null() || r.q.len() == head.k_dim);
        if r.out.is_null() {
            // Kept since a call that has read all weights since: from memory, far from the row before.
            fetch(r.k);
            fetch(r.v);
        }
    }
    if count == 0 {
        return;
    }
    let run = Run { count, row, head, scratch: scratch.reserve(head.k_dim) };
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: these instruction sets are only named after detection; the rest is the caller's promise.
        unsafe {
            match isa {
                Isa::Avx512 | Isa::Avx512Vnni => return avx512(&run),
                Isa::Avx2 => return avx2(&run),
                _ => {}
            }
        }
    }
    #[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
    if matches!(isa, Isa::Neon | Isa::NeonDot) {
        // SAFETY: the caller's promise.
        return unsafe { all::<crate::simd::float32x4_t, 8>(&run) };
    }
    let _ = isa;
    // SAFETY: the caller's promise.
    unsafe { all::<f32, 8>(&run) }
}

/// Asks for memory that is soon read.
#[inline(always)]
fn fetch(x: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    for line in x.chunks(16) {
        // SAFETY: SSE, which every one of these processors has; a fetch reads nothing.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.as_ptr().cast())
        };
    }
    let _ = x;
}

/// The arguments of [`rows`]; at least one row.
struct Run<'r, 'a> {
    count: usize,
    row: &'r dyn Fn(usize) -> Row<'a>,
    head: Head,
    scratch: *mut f32,
}

/// # Safety
/// As [`rows`], and the machine has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(run: &Run<'_, '_>) {
    // SAFETY: the caller's promise.
    unsafe { all::<std::arch::x86_64::__m256, 4>(run) }
}

/// # Safety
/// As [`rows`], and the machine has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn avx512(run: &Run<'_, '_>) {
    // SAFETY: the caller's promise.
    unsafe { all::<std::arch::x86_64::__m512, 2>(run) }
}

/// All columns: `R` registers at a time, then one, then one column.
///
/// # Safety
/// As [`rows`], and the machine has the instructions of `L`.
#[inline(always)]
unsafe fn all<L: Lanes, const R: usize>(run: &Run<'_, '_>) {
    const { assert!(R * L::N <= COLUMNS) };
    let (mut at, n) = (0, run.head.v_dim);
    // SAFETY: every call stays below `n` columns.
    unsafe {
        while at + R * L::N <= n {
            columns::<L, R>(run, at);
            at += R * L::N;
        }
        while at + L::N <= n {
            columns::<L, 1>(run, at);
            at += L::N;
        }
        while at < n {
            columns::<f32, 1>(run, at);
            at += 1;
        }
        if run.head.stream {
            L::streamed();
        }
    }
}

/// Columns of a state or of the scratch: where they begin and floats from a row to the next.
type At<P> = (P, usize);

/// All rows over columns `at .. at + R * L::N`.
///
/// # Safety
/// As [`all`], and those columns exist.
#[inline(always)]
unsafe fn columns<L: Lanes, const R: usize>(run: &Run<'_, '_>, at: usize) {
    let (head, stride) = (&run.head, run.head.v_dim);
    debug_assert!(at + R * L::N <= stride);
    // SAFETY: columns from `at` on are inside the state, v and the outputs; the scratch and the zeros have `COLUMNS`.
    unsafe {
        let before = head.from.map_or((ZEROS.as_ptr(), 0), |from| (from.add(at), stride));
        let scratch = (run.scratch, R * L::N);
        let mut row = (run.row)(0);
        let mut held = [L::splat(0.0); R];
        for (i, k) in row.k.iter().enumerate() {
            let (k, s) = (L::splat(*k), before.0.add(i * before.1));
            for (r, held) in held.iter_mut().enumerate() {
                *held = k.fma(L::load(s.add(r * L::N)), *held);
            }
        }
        for n in 0..run.count {
            let (beta, less) = (L::splat(row.beta), L::splat(-row.decay));
            let mut u = [L::splat(0.0); R];
            for (r, (u, held)) in u.iter_mut().zip(held).enumerate() {
                *u = beta.mul(less.fma(held, L::load(row.v.as_ptr().add(at + r * L::N))));
            }
            let from = if n == 0 { before } else { (scratch.0.cast_const(), scratch.1) };
            let next = if n + 1 < run.count { (run.row)(n + 1) } else { row };
            let sum;
            (sum, held) = match (row.out.is_null(), n + 1 < run.count) {
                (true, true) => update::<L, R, false, true>(&row, &u, from, scratch, next.k),
                (true, false) => update::<L, R, false, false>(&row, &u, from, scratch, next.k),
                (false, true) => update::<L, R, true, true>(&row, &u, from, scratch, next.k),
                (false, false) => update::<L, R, true, false>(&row, &u, from, scratch, next.k),
            };
            if !row.out.is_null() {
                for (r, sum) in sum.into_iter().enumerate() {
                    sum.store(row.out.add(at + r * L::N));
                }
            }
            if n + 1 == head.after {
                write::<L, R>((scratch.0.cast_const(), scratch.1), (head.to.add(at), stride), head);
            }
            row = next;
        }
    }
}

/// Makes `to` the columns that follow `row` with the correction `u`; gives their sums times q if `OUT`, and times the next
/// row's k if `NEXT`.
///
/// # Safety
/// As [`columns`]; q and the next row's k are as long as k where they are used.
#[inline(always)]
unsafe fn update<L: Lanes, const R: usize, const OUT: bool, const NEXT: bool>(
    row: &Row<'_>,
    u: &[L; R],
    from: At<*const f32>,
    to: At<*mut f32>,
    next: &[f32],
) -> ([L; R], [L; R]) {
    // SAFETY: the caller's promise.
    unsafe {
        let decay = L::splat(row.decay);
        let (mut sum, mut held) = ([L::splat(0.0); R], [L::splat(0.0); R]);
        for (i, k) in row.k.iter().enumerate() {
            let k = L::splat(*k);
            let q = L::splat(if OUT { *row.q.get_unchecked(i) } else { 0.0 });
            let next = L::splat(if NEXT { *next.get_unchecked(i) } else { 0.0 });
            let (s, to) = (from.0.add(i * from.1), to.0.add(i * to.1));
            for r in 0..R {
                let new = k.fma(u[r], decay.mul(L::load(s.add(r * L::N))));
                new.store(to.add(r * L::N));
                if OUT {
                    sum[r] = q.fma(new, sum[r]);
                }
                if NEXT {
                    held[r] = next.fma(new, held[r]);
                }
            }
        }
        (sum, held)
    }
}

/// Writes columns of the scratch to the state.
///
/// # Safety
/// As [`columns`].
#[inline(always)]
unsafe fn write<L: Lanes, const R: usize>(from: At<*const f32>, to: At<*mut f32>, head: &Head) {
    let whole_lines = (to.0 as usize).is_multiple_of(64) && (4 * to.1).is_multiple_of(64);
    for i in 0..head.k_dim {
        for r in 0..R {
            // SAFETY: the caller's promise; whole lines are aligned.
            unsafe {
                let new = L::load(from.0.add(i * from.1 + r * L::N));
                let to = to.0.add(i * to.1 + r * L::N);
                if head.stream && whole_lines { new.stream(to) } else { new.store(to) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sterna_ref::testing::Random;

    /// A row without its place.
    struct Given<'a> {
        q: &'a [f32],
        k: &'a [f32],
        v: &'a [f32],
        beta: f32,
        decay: f32,
    }

    /// The law, written out once more: column after column, scalar.
    fn law(row: &Given<'_>, s: &mut [f32], out: &mut [f32]) {
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

    /// Every instruction set, also NEON's twin in plain Rust, at widths with every kind of remainder: calls of one to nine
    /// rows on one state, of which the first have no output, written after any of them, from other memory or in place.
    #[test]
    fn every_instruction_set_has_the_bits_of_the_law() {
        let isas: Vec<Isa> = Isa::here().chain([Isa::Neon]).collect();
        for (k_dim, v_dim) in [(128, 128), (64, 64), (24, 20), (1, 1), (7, 67), (3, 45)] {
            let mut random = Random::new(k_dim as u64 * 1000 + v_dim as u64);
            let mut draw = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<f32>>();
            let mut start = draw(k_dim * v_dim);
            let mut scratch = Scratch::default();
            for call in 0..40 {
                let count = 1 + call % 9;
                let (silent, after) = (call % 4, count - (call / 3) % (count + 1).min(3));
                let fresh = call % 11 == 3;
                if fresh {
                    start.fill(0.0);
                }
                let mut given: Vec<[Vec<f32>; 4]> =
                    (0..count).map(|_| [draw(k_dim), draw(k_dim), draw(v_dim), draw(2)]).collect();
                let (mut out, mut state) = (vec![vec![0f32; v_dim]; count], start.clone());
                let mut want = None;
                for (n, ([q, k, v, gates], out)) in given.iter_mut().zip(&mut out).enumerate() {
                    let length = k.iter().map(|k| k * k).sum::<f32>().sqrt();
                    k.iter_mut().for_each(|k| *k /= length);
                    gates.iter_mut().for_each(|g| *g = 1.0 / (1.0 + g.exp()));
                    law(&Given { q, k, v, beta: gates[0], decay: gates[1] }, &mut state, out);
                    if n + 1 == after {
                        want = Some(state.clone());
                    }
                }
                for isa in &isas {
                    let mut got = vec![vec![f32::NAN; v_dim]; count];
                    let outs: Vec<*mut f32> = got.iter_mut().map(|o| o.as_mut_ptr()).collect();
                    let row = |n: usize| {
                        let [q, k, v, gates] = &given[n];
                        let (q, out) =
                            if n < silent { (&[][..], std::ptr::null_mut()) } else { (&q[..], outs[n]) };
                        Row { q, k, v, beta: gates[0], decay: gates[1], out }
                    };
                    let in_place = call % 2 == 0 && after == count;
                    // Aligned, so that it can be written past the caches.
                    let mut lines = vec![Line([f32::NAN; 16]); (k_dim * v_dim).div_ceil(16)];
                    let to: *mut f32 = lines.as_mut_ptr().cast();
                    // SAFETY: states and outputs have these dimensions.
                    let after_it = unsafe {
                        let memory = std::slice::from_raw_parts_mut(to, k_dim * v_dim);
                        if in_place {
                            memory.copy_from_slice(&start);
                        }
                        let from = if in_place { to.cast_const() } else { start.as_ptr() };
                        let from = (!fresh || in_place).then_some(from);
                        let head = Head { from, to, after, stream: call % 3 != 1, k_dim, v_dim };
                        rows(*isa, count, &row, head, &mut scratch);
                        std::slice::from_raw_parts(to, k_dim * v_dim)
                    };
                    let what = format!(
                        "{isa:?} {k_dim} x {v_dim}, call {call}: {count} rows, written after {after}"
                    );
                    for (got, out) in got.iter().zip(&out).skip(silent) {
                        assert!(bits(got) == bits(out), "{what}");
                    }
                    match &want {
                        Some(want) => assert!(bits(after_it) == bits(want), "{what}: state"),
                        None => assert!(after_it.iter().all(|s| s.is_nan()), "{what}: nothing is written"),
                    }
                }
                start = state;
            }
            assert!(start.iter().all(|s| s.is_finite()));
        }
    }
}
