//! Linear layers: `vec` for one row, `mat` for several; both give every row the same bits.
//!
//! The written order of one output: groups of inputs ascending, one fused multiply-add each (`sterna-ref` has it in
//! plain words). Widths, blocks, panels and threads only decide who computes an output, never how.

/// Calls `$f::<n>` for the width `n` that a block has.
#[cfg(target_arch = "x86_64")]
macro_rules! by_width {
    ($width:expr, $f:ident, $args:tt, $($n:literal)*) => {
        match $width {
            $($n => by_width!(@call $f, $n, $args),)*
            other => unreachable!("a block of {other} rows"),
        }
    };
    (@call $f:ident, $n:literal, ($($arg:expr),*)) => { $f::<$n>($($arg),*) };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
mod neon;
mod portable;
#[cfg(test)]
mod tests;

use crate::acts::{ActBlock, Blocks, Forms, SharedActs};
use crate::isa::Isa;
use crate::pack::{Geometry, Kind, PANEL, Packed, Records};

/// Bytes of codes that several blocks of rows read one after the other: they stay in the first-level cache.
const CHUNK: usize = 8 << 10;
/// What makes signed bytes unsigned for a kernel that needs them so.
const BYTE_BIAS: i32 = 128;
/// Inputs of a long ternary group that several blocks of rows read one after the other.
#[cfg(target_arch = "x86_64")]
const SLICE: usize = 1024;

/// Panels of one matrix that a narrow call goes through, side by side where [`beside`] says so, before it turns to the
/// other of a pair.
pub const RUN: usize = 4;
/// Rows of the widest call that may read panels side by side.
const NARROW: usize = 11;

/// Whether a call whose rows are cut so reads [`RUN`] panels of a matrix side by side: several streams of memory wait for
/// less than one does. Only one block can: another member of the op may allow fewer rows than this one's kernel takes.
pub fn beside(isa: Isa, g: &Geometry, blocks: Blocks) -> bool {
    let rows = blocks.rows();
    match isa {
        _ if blocks.count() != 1 => false,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if g.is_int() => avx2::beside(g, rows),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni if g.is_int() => avx512::beside(g, rows),
        _ => rows == 1 && !g.is_int(),
    }
}

/// Scratch of one thread.
#[derive(Default)]
pub struct Scratch {
    /// `[rows of the call][16]` sums of one panel.
    acc: Vec<[f32; PANEL]>,
    /// A second panel's (gate and up).
    acc2: Vec<[f32; PANEL]>,
    /// `[rows of the call][16]` integer sums of one long group.
    part: Vec<[i32; PANEL]>,
}

impl Scratch {
    /// Room for calls of `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self {
            acc: vec![[0.0; PANEL]; rows.max(NARROW * RUN)],
            acc2: vec![[0.0; PANEL]; rows.max(NARROW * RUN)],
            part: vec![[0; PANEL]; rows],
        }
    }
    /// Bytes held.
    pub fn memory(&self) -> usize {
        (self.acc.len() + self.acc2.len() + self.part.len()) * 4 * PANEL
    }
}

/// The widest block of rows that every member's kernel takes on this instruction set.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub fn widest<'a>(isa: Isa, members: impl Iterator<Item = &'a Geometry> + Clone, rows: usize) -> usize {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni | Isa::Avx512 | Isa::Avx2 if members.clone().any(|g| g.kind == Kind::Coded) => {
            avx2::WIDEST
        }
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni if members.clone().any(|g| g.wide) => avx512::WIDEST_VNNI / 2,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 | Isa::Avx2 if members.clone().any(|g| g.wide) => avx2::WIDEST / 2,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 | Isa::Avx2 if members.clone().any(|g| g.per_row) => avx2::WIDEST,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni => avx512::WIDEST_VNNI,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => avx512::WIDEST,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => avx2::widest(members, rows),
        #[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
        Isa::Neon | Isa::NeonDot => neon::WIDEST,
        #[allow(unreachable_patterns)]
        _ => 8,
    }
}

/// Forms of the activations that members read.
pub fn forms<'a>(members: impl Iterator<Item = &'a Geometry>) -> Forms {
    let mut f = Forms::default();
    for g in members {
        f.bytes |= g.is_int();
        f.floats |= !g.is_int();
        f.sub_sums |= !g.per_row && (matches!(g.kind, Kind::B4 | Kind::B6 | Kind::B8) || g.has_mins);
        if g.is_int() {
            (f.group, f.input, f.wide) = (g.group, g.input, g.wide);
        }
        // Other members with another zero point work their starts out themselves.
        if f.bias == 0 && !g.per_row && !g.has_sub_scales {
            f.bias = match g.kind {
                Kind::B4 => g.zero,
                Kind::B8 => BYTE_BIAS,
                _ => 0,
            };
        }
    }
    f
}

/// Activations of one call.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// All forms.
    pub acts: SharedActs<'a>,
    /// How rows are cut.
    pub blocks: Blocks,
    /// Which forms are there.
    pub forms: Forms,
    /// Rows.
    pub rows: usize,
}

impl<'a> Input<'a> {
    #[inline(always)]
    fn block(&self, cols: usize, b: usize) -> ActBlock<'a> {
        // SAFETY: an op writes its activations before a barrier and its panels read them after it.
        unsafe { self.acts.block(self.blocks, self.forms, cols, b) }
    }
}

/// Products of one panel with every row of the call, `[rows][16]`.
pub fn panel<'s>(
    isa: Isa,
    m: &Packed,
    panel: usize,
    input: &Input<'_>,
    s: &'s mut Scratch,
) -> &'s [[f32; PANEL]] {
    s.acc[..input.rows].fill([0.0; PANEL]);
    one_panel(isa, m, panel, input, &mut s.acc, &mut s.part);
    &s.acc[..input.rows]
}

/// Products of the same panel of two matrices.
pub fn panel_pair<'s>(
    isa: Isa,
    [gate, up]: [&Packed; 2],
    panel: usize,
    input: &Input<'_>,
    s: &'s mut Scratch,
) -> [&'s [[f32; PANEL]]; 2] {
    s.acc[..input.rows].fill([0.0; PANEL]);
    s.acc2[..input.rows].fill([0.0; PANEL]);
    one_panel(isa, gate, panel, input, &mut s.acc, &mut s.part);
    one_panel(isa, up, panel, input, &mut s.acc2, &mut s.part);
    [&s.acc[..input.rows], &s.acc2[..input.rows]]
}

/// As [`panel_pair`] for one block of rows and up to [`RUN`] panels, first all of one matrix and then all of the
/// other: streams of memory that last. `[panel][row][16]`.
pub fn run_pair<'s>(
    isa: Isa,
    pair: [&Packed; 2],
    panels: std::ops::Range<usize>,
    input: &Input<'_>,
    s: &'s mut Scratch,
) -> [&'s [[f32; PANEL]]; 2] {
    let n = panels.len().min(RUN) * input.rows;
    for (m, acc) in pair.into_iter().zip([&mut s.acc, &mut s.acc2]) {
        run_panels(isa, m, panels.start, input, &mut acc[..n]);
    }
    [&s.acc[..n], &s.acc2[..n]]
}

/// Products of up to [`RUN`] panels with the one block of rows of a call, `[panel][row][16]`.
pub fn run<'s>(
    isa: Isa,
    m: &Packed,
    panels: std::ops::Range<usize>,
    input: &Input<'_>,
    s: &'s mut Scratch,
) -> &'s [[f32; PANEL]] {
    let n = panels.len().min(RUN) * input.rows;
    run_panels(isa, m, panels.start, input, &mut s.acc[..n]);
    &s.acc[..n]
}

fn one_panel(
    isa: Isa,
    m: &Packed,
    at: usize,
    input: &Input<'_>,
    acc: &mut [[f32; PANEL]],
    part: &mut [[i32; PANEL]],
) {
    let g = &m.geometry;
    let count = input.blocks.count();
    if count == 1 {
        let block = input.block(g.cols, 0);
        return kernel(isa, m.records(at, 0, g.groups()), &block, &mut acc[..block.width]);
    }
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::Avx2 && g.kind == Kind::B2 && !g.per_row && g.group > SLICE {
        return long_groups(m, at, input, acc, &mut part[..input.rows]);
    }
    let _ = part;
    let chunk = (CHUNK / g.record_bytes()).max(1);
    for from in (0..g.groups()).step_by(chunk) {
        let r = m.records(at, from, (from + chunk).min(g.groups()));
        for b in 0..count {
            let (first, width) = input.blocks.get(b);
            kernel(isa, r, &input.block(g.cols, b), &mut acc[first..first + width]);
        }
    }
}

/// Ternary groups longer than what fits the first-level cache with its activations: all blocks of rows read a slice of
/// inputs before any reads the next. Sums between slices are integers, so slices change no bits.
#[cfg(target_arch = "x86_64")]
fn long_groups(
    m: &Packed,
    at: usize,
    input: &Input<'_>,
    acc: &mut [[f32; PANEL]],
    part: &mut [[i32; PANEL]],
) {
    let g = &m.geometry;
    for group in 0..g.groups() {
        let r = m.records(at, group, group + 1);
        part.fill([0; PANEL]);
        for from in (0..g.group).step_by(SLICE) {
            let inputs = (from, (from + SLICE).min(g.group));
            for b in 0..input.blocks.count() {
                let (first, width) = input.blocks.get(b);
                let block = input.block(g.cols, b);
                // SAFETY: `Isa::Avx2` is only made after detection.
                unsafe { avx2::ternary_slice(r, inputs, &block, &mut part[first..first + width]) };
            }
        }
        for b in 0..input.blocks.count() {
            let (first, width) = input.blocks.get(b);
            let rows = first..first + width;
            let block = input.block(g.cols, b);
            // SAFETY: as above.
            unsafe { avx2::ternary_finish(r, &block, &part[rows.clone()], &mut acc[rows]) };
        }
    }
}

/// The panels from `first` on, as many as `acc` has room for: four side by side, where there are four.
fn run_panels(isa: Isa, m: &Packed, first: usize, input: &Input<'_>, acc: &mut [[f32; PANEL]]) {
    debug_assert_eq!(input.blocks.count(), 1, "the one block is read");
    acc.fill([0.0; PANEL]);
    let g = &m.geometry;
    let block = input.block(g.cols, 0);
    let r = |i: usize| m.records(first + i, 0, g.groups());
    let four = acc.len() == RUN * input.rows;
    let mut each = acc.chunks_exact_mut(input.rows);
    if four && beside(isa, g, input.blocks) {
        let r = [r(0), r(1), r(2), r(3)];
        let acc = &mut [(); RUN].map(|()| each.next().unwrap_or_default());
        match isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: these are only made after detection; machines with AVX-512 have AVX2.
            Isa::Avx512 | Isa::Avx512Vnni if g.kind == Kind::Coded => unsafe {
                avx2::float_vec4(r, &block, acc)
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx2 => unsafe {
                if g.is_int() { avx2::int_run(r, &block, acc) } else { avx2::float_vec4(r, &block, acc) }
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512Vnni if g.is_int() => unsafe { avx512::int_run(r, &block, acc) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512 | Isa::Avx512Vnni => unsafe { avx512::float_vec4(r, &block, acc) },
            #[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
            Isa::Neon | Isa::NeonDot if g.kind != Kind::Coded => neon::float_vec4(r, &block, acc),
            _ => {
                for (r, acc) in r.into_iter().zip(acc) {
                    kernel(isa, r, &block, acc);
                }
            }
        }
        return;
    }
    for (i, acc) in each.enumerate() {
        kernel(isa, r(i), &block, acc);
    }
}

#[inline]
fn kernel(isa: Isa, r: Records<'_>, a: &ActBlock<'_>, acc: &mut [[f32; PANEL]]) {
    let int = r.geometry.is_int();
    match isa {
        // Rows with one scale have kernels with VNNI, in AVX2, which machines with AVX-512 alone have too, and in plain Rust.
        #[cfg(target_arch = "x86_64")]
        // SAFETY: only made after detection.
        Isa::Avx512Vnni if r.geometry.per_row => unsafe { avx512::int(true, r, a, acc) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: these are only made after detection.
        Isa::Avx512 | Isa::Avx2 if r.geometry.per_row => unsafe { avx2::per_row(r, a, acc) },
        _ if r.geometry.per_row => portable::int(r, a, acc),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512Vnni | Isa::Avx512 | Isa::Avx2 if r.geometry.kind == Kind::Coded => unsafe {
            avx2::float(r, a, acc)
        },
        _ if r.geometry.kind == Kind::Coded => portable::float(r, a, acc),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: these are only made after detection.
        Isa::Avx512Vnni | Isa::Avx512 => unsafe {
            if int { avx512::int(isa == Isa::Avx512Vnni, r, a, acc) } else { avx512::float(r, a, acc) }
        },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Isa::Avx2` is only made after detection.
        Isa::Avx2 => unsafe { if int { avx2::int(r, a, acc) } else { avx2::float(r, a, acc) } },
        // SAFETY: `Isa::NeonDot` is only made after detection.
        #[cfg(any(test, all(target_arch = "aarch64", target_endian = "little")))]
        Isa::Neon | Isa::NeonDot => unsafe {
            if int { neon::int(isa, r, a, acc) } else { neon::float(r, a, acc) }
        },
        _ if int => portable::int(r, a, acc),
        _ => portable::float(r, a, acc),
    }
}
