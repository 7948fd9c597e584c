//! What a call that is held keeps of its rows, and what accepting some of them makes of the states.
//!
//! * Keys and values of a chain are written where they belong and count once they are committed. A tree's rows share
//!   positions, so theirs lie aside, row by row, and accepting a path copies them.
//! * A delta rule keeps k, v, beta and decay of every row, a convolution its inputs. Accepting rows notes that the states owe
//!   them ([`Owed`]), and the next call of that sequence, which reads and writes its states anyway, runs the recurrence over
//!   the owed rows before its own, with the same code and so with the same bits (contract C5). No weight is read.
//!   A held call writes the states as they are after the owed rows, never after its own.

use std::sync::atomic::{AtomicUsize, Ordering};

use sterna_plan::{Delta, ModelPlan, Op, RowTable, StateId, StateSpec};

use crate::delta;
use crate::isa::Isa;
use crate::ops::Kv;
use crate::recurrent::{Timed, kept};
use crate::shared::Shared;
use crate::state::{self, Pool as States};

/// What a call in progress writes aside, one of each for every state.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// `[row][channels]` for a convolution, `[row][kept]` for a delta rule, nothing for keys and values.
    pub kept: &'a [Shared<'a, f32>],
    /// Keys and values of a tree's rows.
    pub aside: Option<&'a [Aside<'a>]>,
}

/// Rows of a sequence that were accepted and are not in its states yet.
#[derive(Clone, Debug, Default)]
pub struct Owed {
    /// The side of [`Hold`] that keeps them.
    pub side: usize,
    /// Rows of the call that was held, in order.
    pub rows: Vec<usize>,
}

/// Keys and values of a tree's rows, `[row][kv_heads * head_dim]` f16.
#[derive(Clone, Copy)]
pub struct Aside<'a> {
    /// Keys, after the rotation.
    pub keys: Shared<'a, u16>,
    /// Values.
    pub values: Shared<'a, u16>,
}

/// The memory behind [`Held`], and the call it belongs to.
#[derive(Default)]
pub struct Hold {
    /// The rows.
    pub rows: RowTable,
    /// Slots of it that have not accepted yet.
    pub open: Vec<usize>,
    /// Whether keys and values lie aside.
    pub tree: bool,
    /// Where the call keeps its rows. The other side has those of the call before, which states may still owe.
    pub side: usize,
    kept: [Vec<Vec<f32>>; 2],
    aside: Vec<[Vec<u16>; 2]>,
}

impl Hold {
    /// Makes room for the rows of a call.
    pub fn reserve(&mut self, plan: &ModelPlan, rows: &RowTable) {
        self.tree = rows.is_tree();
        self.aside.resize_with(plan.states.len(), Default::default);
        let memory = &mut self.kept[self.side];
        memory.resize_with(plan.states.len(), Vec::new);
        for (state, (memory, aside)) in plan.states.iter().zip(memory.iter_mut().zip(&mut self.aside)) {
            let each = match state {
                StateSpec::Conv { channels, .. } => *channels,
                StateSpec::Recurrent { .. } => 0,
                StateSpec::FullKv { kv_heads, head_dim, .. }
                | StateSpec::RingKv { kv_heads, head_dim, .. } => {
                    if self.tree {
                        let n = rows.len() * kv_heads * head_dim;
                        aside.iter_mut().filter(|m| m.len() < n).for_each(|m| m.resize(n, 0));
                    }
                    0
                }
                _ => 0,
            };
            if memory.len() < rows.len() * each {
                memory.resize(rows.len() * each, 0.0);
            }
        }
        for (state, shape) in deltas(plan) {
            let n = rows.len() * kept(&shape);
            if let Some(memory) = memory.get_mut(state.0).filter(|m| m.len() < n) {
                memory.resize(n, 0.0);
            }
        }
    }

    /// What a side keeps.
    pub fn kept(&self, side: usize) -> &[Vec<f32>] {
        &self.kept[side]
    }

    /// Views of the memory, both sides.
    ///
    /// # Safety
    /// They are dropped before `self` is used otherwise.
    pub unsafe fn share(&mut self) -> ([Vec<Shared<'static, f32>>; 2], Vec<Aside<'static>>) {
        // SAFETY: the caller's promise.
        let views =
            |side: &mut Vec<Vec<f32>>| side.iter_mut().map(|m| unsafe { Shared::erased(m) }).collect();
        let [a, b] = &mut self.kept;
        let kept = [views(a), views(b)];
        let aside = self.aside.iter_mut().map(|[keys, values]| {
            // SAFETY: the caller's promise.
            unsafe { Aside { keys: Shared::erased(keys), values: Shared::erased(values) } }
        });
        (kept, aside.collect())
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let kept: usize = self.kept.iter().flatten().map(|m| 4 * m.len()).sum();
        kept + self.aside.iter().flatten().map(|m| 2 * m.len()).sum::<usize>()
    }

    /// Copies keys and values of the rows at `path` to where they belong.
    pub fn copy_path(&self, states: &States, slot: usize, path: &[usize]) {
        let piece = states.piece;
        for (layer, [keys, values]) in state::locked(&states.lent).layers.iter_mut().zip(&self.aside) {
            let (heads, d) = (layer.kv_heads, layer.head_dim);
            for (row, head) in path.iter().flat_map(|row| (0..heads).map(move |h| (*row, h))) {
                let Some(position) = self.rows.rows().get(row).map(|r| r.position as usize) else { continue };
                let from = (row * heads + head) * d;
                let position = position % layer.stored.max(1);
                let base = (slot * heads + head) * layer.stored * d;
                let key = base + position / piece * piece * d + position % piece;
                for (i, k) in keys[from..from + d].iter().enumerate() {
                    layer.keys[key + i * piece] = *k;
                }
                layer.values[base + position * d..][..d].copy_from_slice(&values[from..from + d]);
            }
        }
    }
}

/// The delta rules of a plan: their states and shapes.
pub fn deltas(plan: &ModelPlan) -> impl Iterator<Item = (StateId, Delta)> + '_ {
    plan.entries.first().into_iter().flat_map(|e| &e.ops).filter_map(|op| match op {
        Op::DeltaRule(d) => Some((d.state, d.shape)),
        _ => None,
    })
}

/// What row `row` of a held call brings to value head `j`, from the memory that keeps it.
///
/// # Safety
/// Nobody writes that memory.
pub unsafe fn kept_row<'a>(memory: &Shared<'a, f32>, s: &Delta, j: usize, row: usize) -> delta::Row<'a> {
    let width = kept(s);
    // SAFETY: the caller's promise.
    let row = unsafe { memory.slice(row * width, width) };
    let (key, value) = (s.key_head(j) * s.k_dim, s.key_width() + j * s.v_dim);
    let gates = s.key_width() + s.value_width() + 2 * j;
    delta::Row {
        q: &[],
        k: &row[key..key + s.k_dim],
        v: &row[value..value + s.v_dim],
        beta: row[gates],
        decay: row[gates + 1],
        out: std::ptr::null_mut(),
    }
}

/// Runs the states of one slot forward over the rows that they owe, by themselves.
pub struct Replay<'a> {
    pub isa: Isa,
    pub plan: &'a ModelPlan,
    /// Value heads of every delta rule, as items of work.
    pub heads: &'a [(StateId, Delta, usize)],
    pub timed: &'a [Timed<'a>],
    pub kept: &'a [Shared<'a, f32>],
    pub slot: usize,
    /// The half that is committed.
    pub live: usize,
    /// Nothing is committed: the states are zero, whatever they hold.
    pub fresh: bool,
    /// Rows of the call that was held, in order; at least one.
    pub path: &'a [usize],
}

impl Replay<'_> {
    /// Takes items until none is left; every thread of a team calls it.
    pub fn run(&self, next: &AtomicUsize) {
        let mut scratch = delta::Scratch::default();
        loop {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if let Some((state, shape, head)) = self.heads.get(item) {
                self.head(*state, shape, *head, &mut scratch);
            } else if let Some(state) = self.plan.states.get(item - self.heads.len()) {
                if let StateSpec::Conv { inputs, channels, .. } = state {
                    self.conv(item - self.heads.len(), *inputs, *channels);
                }
            } else {
                return;
            }
        }
    }

    fn head(&self, state: StateId, s: &Delta, j: usize, scratch: &mut delta::Scratch) {
        let (timed, memory) = (&self.timed[state.0], &self.kept[state.0]);
        let size = s.k_dim * s.v_dim;
        let at = self.slot * timed.each + j * size;
        // SAFETY: one thread takes a head; the committed half and what was kept are only read.
        unsafe {
            let old = timed.halves[self.live].slice(at, size);
            let head = delta::Head {
                from: (!self.fresh).then_some(old.as_ptr()),
                to: timed.halves[1 - self.live].slice_mut(at, size).as_mut_ptr(),
                after: self.path.len(),
                stream: timed.stream,
                k_dim: s.k_dim,
                v_dim: s.v_dim,
            };
            let row = |n: usize| kept_row(memory, s, j, self.path[n]);
            delta::rows(self.isa, self.path.len(), &row, head, scratch);
        }
    }

    fn conv(&self, state: usize, inputs: usize, channels: usize) {
        let (timed, memory) = (&self.timed[state], &self.kept[state]);
        let at = self.slot * timed.each;
        for n in 0..inputs {
            // Input `n` of the state's, followed by the accepted rows', `path.len()` further on.
            // SAFETY: one thread takes a convolution; the committed half and what was kept are only read.
            unsafe {
                let to = timed.halves[1 - self.live].slice_mut(at + n * channels, channels);
                match (n + self.path.len()).checked_sub(inputs) {
                    Some(row) => to.copy_from_slice(memory.slice(self.path[row] * channels, channels)),
                    None if self.fresh => to.fill(0.0),
                    None => {
                        let from = at + (n + self.path.len()) * channels;
                        to.copy_from_slice(timed.halves[self.live].slice(from, channels));
                    }
                }
            }
        }
    }
}

/// The last keys and values that a row of a tree sees, put together: those of the last piece that is committed in part,
/// then those of the rows it continues, and its own.
#[derive(Default)]
pub struct Gathered {
    pub keys: Vec<u16>,
    pub values: Vec<u16>,
}

impl Gathered {
    /// Gathers for kv head `head` of a slot whose keys begin at `base`; `path` are the rows from position `committed` on.
    ///
    /// # Safety
    /// Nobody writes the state or what lies aside.
    pub unsafe fn gather(
        &mut self,
        kv: &Kv<'_>,
        aside: &Aside<'_>,
        (base, head): (usize, usize),
        committed: usize,
        path: &[usize],
        piece: usize,
    ) -> usize {
        let (d, width) = (kv.head_dim, kv.kv_heads * kv.head_dim);
        let first = committed / piece * piece;
        let len = committed + path.len() - first;
        self.keys.resize(len.div_ceil(piece) * piece * d, 0);
        self.values.resize(len * d, 0);
        let old = committed - first;
        // SAFETY: the caller's promise.
        unsafe {
            if old > 0 {
                self.keys[..piece * d].copy_from_slice(kv.keys.slice(base + first * d, piece * d));
                self.values[..old * d].copy_from_slice(kv.values.slice(base + first * d, old * d));
            }
            for (n, row) in path.iter().enumerate() {
                let (at, from) = (old + n, row * width + head * d);
                let to = at / piece * piece * d + at % piece;
                for (i, k) in aside.keys.slice(from, d).iter().enumerate() {
                    self.keys[to + i * piece] = *k;
                }
                self.values[at * d..][..d].copy_from_slice(aside.values.slice(from, d));
            }
        }
        first
    }
}
