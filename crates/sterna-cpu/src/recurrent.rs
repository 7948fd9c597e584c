//! Convolution and delta rule over the rows of a call: who does what, and which half of a state is read and written.
//!
//! An item of work is a key head of one sequence with the value heads that pair with it: its channels of the
//! convolution, its rows of the recurrence in order, its norm and gate. Items share nothing, so the folded op has no
//! barrier inside. States have two halves: a call reads the committed one and writes the other, and they change places
//! when the call is committed; a call that fails leaves no trace. Rows that a sequence's states owe
//! ([`Owed`](crate::hold::Owed)) come before the call's own.

use std::ops::Range;

use sterna_plan::{Conv, Delta, DeltaRule, Slice, numerics};

use crate::delta;
use crate::hold::kept_row;
use crate::ops::{Call, Thread};
use crate::pool::Team;
use crate::rowwise;
use crate::shared::Shared;

/// The rows of one sequence in a call.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Slot of the sequence.
    pub slot: usize,
    /// Rows `start .. start + len` of the call's order by sequence.
    pub start: usize,
    /// Number of rows.
    pub len: usize,
    /// Whether the sequence begins with them: states are then zero, whatever they hold.
    pub fresh: bool,
}

/// The two halves of a state that owns time, all slots.
pub struct Timed<'a> {
    /// Floats of a slot.
    pub each: usize,
    /// `[slot][each]`.
    pub halves: [Shared<'a, f32>; 2],
    /// Whether it is too large to stay in a cache from call to call.
    pub stream: bool,
}

/// Floats that a row of a held call keeps for a delta rule: every key head's k, every value head's v, and every value
/// head's beta and decay.
pub fn kept(s: &Delta) -> usize {
    s.key_width() + s.value_width() + 2 * s.v_heads
}

/// Channels that one thread takes at a time, and the largest head.
const CHANNELS: usize = 1024;
static ZEROS: [f32; CHANNELS] = [0.0; CHANNELS];

fn part(s: Slice, range: &Range<usize>) -> Slice {
    Slice { start: s.start + range.start, len: range.len(), ..s }
}

impl Call<'_> {
    fn rows_of(&self, span: &Span) -> &[usize] {
        &self.order[span.start..span.start + span.len]
    }

    /// Rows, owed ones first, after which the states of a sequence are written: a held call leaves its own out, and writes
    /// nothing where none are owed.
    fn written_after(&self, span: &Span) -> usize {
        let own = if self.held.is_some() { 0 } else { span.len };
        self.owed[span.slot].rows.len() + own
    }

    /// A convolution that is not folded.
    pub fn conv(&self, at: usize, c: &Conv, team: Team<'_>) {
        let parts = c.input.len.div_ceil(CHANNELS);
        for item in self.deal(at, self.spans.len() * parts, team) {
            let (span, n) = (&self.spans[item / parts], item % parts);
            // SAFETY: an item is these channels of this sequence, and one thread takes it.
            unsafe { self.conv_part(c, span, n * CHANNELS..((n + 1) * CHANNELS).min(c.input.len)) };
        }
    }

    /// Some channels of a sequence, at most [`CHANNELS`].
    ///
    /// # Safety
    /// One thread has these channels of this sequence.
    unsafe fn conv_part(&self, c: &Conv, span: &Span, range: Range<usize>) {
        let weight = self.vector(c.weight.0);
        let channels = c.input.len;
        let (taps, rows) = (weight.len() / channels, self.rows_of(span));
        let kept = taps - 1;
        let owed = &self.owed[span.slot];
        let before = owed.rows.len();
        let state = &self.timed[c.state.0];
        let live = usize::from(self.live[span.slot]);
        let at = |n: usize| span.slot * state.each + n * channels + range.start;
        // Input `n` of the state's followed by the owed rows' and the call's.
        // SAFETY: inputs were written before the last barrier; the half that is read and the side that keeps owed rows are
        // not written in this call.
        let input = |n: usize| unsafe {
            match n.checked_sub(kept) {
                Some(row) if row < before => {
                    let at = owed.rows[row] * channels + range.start;
                    self.kept[owed.side][c.state.0].slice(at, range.len())
                }
                Some(row) => self.read(part(c.input, &range), rows[row - before]),
                None if span.fresh => &ZEROS[..range.len()],
                None => state.halves[live].slice(at(n), range.len()),
            }
        };
        for (n, row) in rows.iter().enumerate() {
            let mut window: [&[f32]; 8] = [&[]; 8];
            for (j, w) in window[..taps].iter_mut().enumerate() {
                *w = input(before + n + j);
            }
            // SAFETY: these channels of this row are this thread's.
            let out = unsafe { self.write(part(c.out, &range), *row) };
            rowwise::conv(self.isa, &weight[range.start..], channels, &window[..taps], out);
        }
        if let Some(held) = &self.held {
            for row in rows {
                let at = row * channels + range.start;
                // SAFETY: these channels of this row are this thread's, and were written before the last barrier.
                unsafe {
                    let to = held.kept[c.state.0].slice_mut(at, range.len());
                    to.copy_from_slice(self.read(part(c.input, &range), *row));
                }
            }
        }
        let after = self.written_after(span);
        for n in (0..kept).take_while(|_| after > 0) {
            // SAFETY: these channels of this slot's other half are this thread's.
            let to = unsafe { state.halves[1 - live].slice_mut(at(n), range.len()) };
            to.copy_from_slice(input(after + n));
        }
    }

    /// The delta rule, with what is folded into it.
    pub fn delta_rule(&self, at: usize, d: &DeltaRule, team: Team<'_>, t: &mut Thread) {
        let groups = d.shape.k_heads;
        for item in self.deal(at, self.spans.len() * groups, team) {
            let (span, key) = (&self.spans[item / groups], item % groups);
            // SAFETY: an item is this key head of this sequence with its value heads, and one thread takes it.
            unsafe { self.key_head(d, span, key, t) };
        }
    }

    /// One key head with its value heads.
    ///
    /// # Safety
    /// One thread has these heads of this sequence: their columns of every buffer that the op names, and their states.
    unsafe fn key_head(&self, d: &DeltaRule, span: &Span, key: usize, t: &mut Thread) {
        let s = &d.shape;
        let rows = self.rows_of(span);
        let heads = || (0..s.v_heads).filter(|j| s.key_head(*j) == key);
        let (keys, value) = (key * s.k_dim..(key + 1) * s.k_dim, |j: usize| j * s.v_dim..(j + 1) * s.v_dim);
        let (q, k) = (part(d.q, &keys), part(d.k, &keys));
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(c) = &d.conv {
                let values = heads().map(|j| part(d.v, &value(j)));
                for out in [q, k].into_iter().chain(values) {
                    let start = out.start - c.out.start;
                    self.conv_part(c, span, start..start + out.len);
                }
            }
            let scale = 1.0 / (s.k_dim as f32).sqrt();
            for row in rows {
                let k = self.write(k, *row);
                rowwise::unit(self.isa, k);
                self.keep(d, *row, keys.start, k);
                let q = self.write(q, *row);
                rowwise::unit(self.isa, q);
                q.iter_mut().for_each(|q| *q *= scale);
            }
            for j in heads() {
                let (decay, dt) = (self.vector(d.decay.0)[j], self.vector(d.dt.0)[j]);
                for (gates, row) in t.gates.iter_mut().zip(rows) {
                    let one = |s: Slice| self.read(part(s, &(j..j + 1)), *row)[0];
                    *gates = (numerics::sigmoid(one(d.b)), numerics::delta_decay(one(d.a), dt, decay));
                    self.keep(d, *row, s.key_width() + j * s.v_dim, self.read(part(d.v, &value(j)), *row));
                    let at = s.key_width() + s.value_width() + 2 * j;
                    self.keep(d, *row, at, &[gates.0, gates.1]);
                }
                self.recur(d, span, j, [q, k], t);
                let Some(g) = d.gate else { continue };
                for row in rows {
                    let out = self.write(part(d.out, &value(j)), *row);
                    rowwise::rms_norm_in_place(self.isa, out, self.vector(g.weight.0), g.eps);
                    rowwise::silu_mul_in_place(self.isa, self.read(part(g.gate, &value(j)), *row), out);
                }
            }
        }
    }

    /// Keeps what accepting row `row` needs, in a call that is held: columns from `at` on of a row that [`kept`] describes.
    ///
    /// # Safety
    /// One thread has these columns.
    unsafe fn keep(&self, d: &DeltaRule, row: usize, at: usize, values: &[f32]) {
        if let Some(held) = &self.held {
            let at = row * kept(&d.shape) + at;
            // SAFETY: the caller's promise.
            unsafe { held.kept[d.state.0].slice_mut(at, values.len()) }.copy_from_slice(values);
        }
    }

    /// The recurrence of value head `j`, whose gates are in `t`.
    ///
    /// # Safety
    /// As [`Call::key_head`].
    unsafe fn recur(&self, d: &DeltaRule, span: &Span, j: usize, [q, k]: [Slice; 2], t: &mut Thread) {
        let (s, state) = (&d.shape, &self.timed[d.state.0]);
        let Thread { gates, delta: scratch, .. } = t;
        let size = s.k_dim * s.v_dim;
        let live = usize::from(self.live[span.slot]);
        let at = span.slot * state.each + j * size;
        let owed = &self.owed[span.slot];
        let (rows, before) = (self.rows_of(span), owed.rows.len());
        let values = j * s.v_dim..(j + 1) * s.v_dim;
        let (v, out) = (part(d.v, &values), part(d.out, &values));
        // SAFETY: the caller's promise; the half that is read and the side that keeps owed rows are not written in this call.
        unsafe {
            let old = state.halves[live].slice(at, size);
            let head = delta::Head {
                from: (!span.fresh).then_some(old.as_ptr()),
                to: state.halves[1 - live].slice_mut(at, size).as_mut_ptr(),
                after: self.written_after(span),
                stream: state.stream,
                k_dim: s.k_dim,
                v_dim: s.v_dim,
            };
            let row = |n: usize| match n.checked_sub(before) {
                None => kept_row(&self.kept[owed.side][d.state.0], s, j, owed.rows[n]),
                Some(n) => delta::Row {
                    q: self.read(q, rows[n]),
                    k: self.read(k, rows[n]),
                    v: self.read(v, rows[n]),
                    beta: gates[n].0,
                    decay: gates[n].1,
                    out: self.write(out, rows[n]).as_mut_ptr(),
                },
            };
            delta::rows(self.isa, before + rows.len(), &row, head, scratch);
        }
    }
}
