//! One op of a plan on the team's threads. Between two barriers every element has one writer.

use std::sync::atomic::{AtomicU64, Ordering};

use sterna_plan::{
    Attention, AttentionInput, BufferId, BufferRows, Epilogue, Linear, ModelPlan, Op, OpSpan, OpTime, Plan,
    Prologue, Row, Slice, Source, numerics,
};

use crate::acts::{Acts, Blocks, SharedActs};
use crate::attention::{self, PIECE, Seen, Tail};
use crate::deal::{Counter, Deal};
use crate::delta;
use crate::exec::matrix;
use crate::hold::{Aside, Gathered, Held, Owed};
use crate::isa::Isa;
use crate::linear::{self, Input};
use crate::load::{Loaded, gather};
use crate::pack::{Geometry, PANEL, Packed};
use crate::pool::Team;
use crate::recurrent::{Span, Timed};
use crate::rowwise;
use crate::shared::Shared;

/// Bytes of packed weights that a thread takes at a time in a call of one row.
const TAKE: usize = 32 << 10;

/// What a thread has for itself.
pub struct Thread {
    /// Activations of a call of one row: every thread makes them, which is cheaper than meeting at a barrier.
    pub acts: Acts,
    /// Sums of a panel.
    pub linear: linear::Scratch,
    /// Scores.
    pub attention: attention::Scratch,
    /// A normed row.
    pub row: Vec<f32>,
    /// A row of the residual stream.
    pub joined: Vec<f32>,
    /// A quantised row, in two bytes a number where it is int16.
    pub codes: Vec<i8>,
    /// When its ops ran, while calls are traced.
    pub spans: Vec<OpSpan>,
    /// `beta` and `decay` of the rows of a head.
    pub gates: Vec<(f32, f32)>,
    /// Columns of a recurrent state.
    pub delta: delta::Scratch,
    /// The last keys and values that a row of a tree sees.
    pub gathered: Gathered,
    /// Clusters of an ordered head, best first.
    pub order: Vec<u32>,
}

/// Keys and values of one state.
pub struct Kv<'a> {
    /// Key and value heads.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Positions per slot, whole pieces; a position lies at the rest of its division by it.
    pub stored: usize,
    /// See [`crate::state`].
    pub keys: Shared<'a, u16>,
    /// See [`crate::state`].
    pub values: Shared<'a, u16>,
}

impl Kv<'_> {
    fn base(&self, slot: usize, head: usize) -> usize {
        (slot * self.kv_heads + head) * self.stored * self.head_dim
    }
}

/// One call.
pub struct Call<'a> {
    pub plan: &'a ModelPlan,
    pub entry: &'a Plan,
    pub isa: Isa,
    pub weights: &'a [Loaded],
    pub rows: &'a [Row],
    pub outputs: &'a [usize],
    pub buffers: &'a [Shared<'a, f32>],
    pub kv: &'a [Kv<'a>],
    /// One for every state, as `kv`.
    pub timed: &'a [Timed<'a>],
    /// Which half of its states a slot has committed.
    pub live: &'a [u8],
    /// Rows by sequence, in order within each.
    pub order: &'a [usize],
    pub spans: &'a [Span],
    /// Committed positions of every slot.
    pub committed: &'a [u32],
    /// For every row of a tree, the rows that it continues and itself; empty for chains.
    pub paths: &'a [Vec<usize>],
    /// Per slot, rows that come before its own.
    pub owed: &'a [Owed],
    /// By side, what held calls kept; one of each for every state.
    pub kept: [&'a [Shared<'a, f32>]; 2],
    /// Present in a call that is held.
    pub held: Option<Held<'a>>,
    pub acts: SharedActs<'a>,
    /// One for every op and thread.
    pub counters: &'a [Counter],
    pub weight_bytes: &'a AtomicU64,
    pub macs: &'a AtomicU64,
}

impl<'a> Call<'a> {
    fn count(&self, b: BufferId) -> usize {
        if self.entry.buffers[b.0].rows == BufferRows::Call { self.rows.len() } else { self.outputs.len() }
    }

    /// # Safety
    /// Nobody writes the slice until the next barrier.
    pub(crate) unsafe fn read(&self, s: Slice, row: usize) -> &'a [f32] {
        let cols = self.entry.buffers[s.buffer.0].cols;
        // SAFETY: the caller's promise.
        unsafe { self.buffers[s.buffer.0].slice(row * cols + s.start, s.len) }
    }

    /// # Safety
    /// Nobody else uses the slice until the next barrier.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn write(&self, s: Slice, row: usize) -> &'a mut [f32] {
        let cols = self.entry.buffers[s.buffer.0].cols;
        // SAFETY: the caller's promise.
        unsafe { self.buffers[s.buffer.0].slice_mut(row * cols + s.start, s.len) }
    }

    pub(crate) fn deal(&self, at: usize, items: usize, team: Team<'_>) -> Deal<'a> {
        Deal::new(&self.counters[at * team.threads..][..team.threads], items, team.thread)
    }

    fn all(&self, b: BufferId) -> Slice {
        self.entry.buffers[b.0].all(b)
    }

    pub(crate) fn vector(&self, at: usize) -> &'a [f32] {
        match &self.weights[at] {
            Loaded::Vector(v) => v,
            _ => &[],
        }
    }

    /// An op with no time yet, for profiles.
    pub fn named(&self, op: &Op) -> OpTime {
        OpTime { name: self.plan.op_label(op), ..OpTime::default() }
    }

    /// Whether everything an op wrote is finite. One thread, nobody writing.
    pub fn finite(&self, op: &Op) -> bool {
        let slice = match op {
            Op::RowByRow(ops) => return ops.iter().all(|op| self.finite(op)),
            Op::Linear(l) if l.source != Source::Given && !self.finite_slice(l.input) => return false,
            Op::Embed { out, .. } | Op::RotationTable { out, .. } | Op::SelectOutputs { out, .. } => {
                self.all(*out)
            }
            Op::RmsNorm { out, .. } | Op::SiluMul { out, .. } | Op::AddScaled { out, .. } => *out,
            Op::GeluMul { out, .. } | Op::AddNormed { out, .. } => *out,
            Op::Linear(l) => l.out,
            Op::Rotate { heads, .. } => *heads,
            Op::Attention(a) => a.out,
            Op::Conv(c) => c.out,
            Op::DeltaRule(d) => d.out,
            Op::SigmoidMul { out, .. } => *out,
            Op::Scale { slice, .. } => *slice,
            Op::Copy { out, .. } => *out,
            Op::KeepClusters { logits, .. } => *logits,
            _ => return true,
        };
        self.finite_slice(slice)
    }

    fn finite_slice(&self, slice: Slice) -> bool {
        // SAFETY: between two barriers, only this thread runs.
        (0..self.count(slice.buffer)).all(|r| unsafe { self.read(slice, r) }.iter().all(|v| v.is_finite()))
    }

    /// Runs op number `at`.
    pub fn op(&self, at: usize, op: &Op, team: Team<'_>, t: &mut Thread) {
        let isa = self.isa;
        let mine = |n: usize| (team.thread..n).step_by(team.threads);
        // SAFETY (all blocks below): rows are dealt to threads one by one, so each row has one writer, and what is
        // read was written before the last barrier or by the same thread.
        match op {
            Op::Embed { table, scale, out } => {
                for r in mine(self.rows.len()) {
                    // SAFETY: see above.
                    let out = unsafe { self.write(self.all(*out), r) };
                    let width = self.plan.weight(*table).cols.max(1);
                    let first = self.rows[r].token as usize * (out.len() / width);
                    for (i, out) in out.chunks_exact_mut(width).enumerate() {
                        gather(self.weights, table.0, first + i, *scale, out);
                    }
                }
            }
            Op::RotationTable { rope, out } => {
                let rope = &self.plan.ropes[*rope];
                for r in mine(self.rows.len()) {
                    // SAFETY: see above.
                    let out = unsafe { self.write(self.all(*out), r) };
                    numerics::rotation_row(&rope.frequencies, rope.factor, self.rows[r].position, out);
                }
            }
            Op::RmsNorm { input, weight: None, eps, width, out } => {
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above; the copy is there before its rows are changed.
                    unsafe {
                        if input != out {
                            self.write(*out, r).copy_from_slice(self.read(*input, r));
                        }
                        rowwise::normalise_in_place(isa, self.write(*out, r), *width, *eps);
                    }
                }
            }
            Op::RmsNorm { input, weight: Some(weight), eps, out, .. } => {
                let w = self.vector(weight.0);
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above; an in-place norm takes one slice only.
                    unsafe {
                        if input == out {
                            rowwise::rms_norm_in_place(isa, self.write(*out, r), w, *eps);
                        } else {
                            rowwise::rms_norm(isa, self.read(*input, r), w, *eps, self.write(*out, r));
                        }
                    }
                }
            }
            Op::Linear(l) => self.linear(at, l, team, t),
            Op::Rotate { heads, head_dim, rotation } => {
                for r in mine(self.rows.len()) {
                    // SAFETY: see above.
                    unsafe {
                        let table = self.read(self.all(rotation.table), r);
                        rowwise::rotate(isa, self.write(*heads, r), *head_dim, table);
                    }
                }
            }
            Op::KvWrite { k, v, state } => {
                for r in mine(self.rows.len()) {
                    for head in 0..self.kv[state.0].kv_heads {
                        // SAFETY: see above.
                        unsafe {
                            let d = self.kv[state.0].head_dim;
                            self.put_key(state.0, r, head, &self.read(*k, r)[head * d..][..d]);
                            self.put_value(state.0, r, head, &self.read(*v, r)[head * d..][..d]);
                        }
                    }
                }
            }
            Op::Attention(a) => self.attention(at, a, team, t),
            Op::Conv(c) => self.conv(at, c, team),
            Op::DeltaRule(d) => self.delta_rule(at, d, team, t),
            Op::SigmoidMul { gate, out } => {
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above.
                    unsafe { rowwise::sigmoid_mul(isa, self.read(*gate, r), self.write(*out, r)) }
                }
            }
            Op::SiluMul { gate, up, out } => {
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above; in place takes one slice only.
                    unsafe {
                        let gate = self.read(*gate, r);
                        if up == out {
                            rowwise::silu_mul_in_place(isa, gate, self.write(*out, r));
                        } else {
                            rowwise::silu_mul(isa, gate, self.read(*up, r), self.write(*out, r));
                        }
                    }
                }
            }
            Op::GeluMul { gate, up, out } => {
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above; a plan writes gelu's product to columns of its own.
                    unsafe {
                        rowwise::gelu_mul(isa, self.read(*gate, r), self.read(*up, r), self.write(*out, r));
                    }
                }
            }
            Op::AddScaled { input, factor, out } => {
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above.
                    unsafe { rowwise::add_scaled(isa, self.read(*input, r), *factor, self.write(*out, r)) }
                }
            }
            Op::AddNormed { input, weight, eps, factor, scale, out, .. } => {
                let w = self.vector(weight.0);
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above; input and output are different buffers.
                    unsafe {
                        let (x, out) = (self.read(*input, r), self.write(*out, r));
                        rowwise::add_normed(isa, x, w, *eps, *factor, *scale, out);
                    }
                }
            }
            // A row has the same thread in each of them.
            Op::RowByRow(ops) => ops.iter().for_each(|op| self.op(at, op, team, t)),
            Op::Scale { slice, factor } => {
                for r in mine(self.count(slice.buffer)) {
                    // SAFETY: see above.
                    for v in unsafe { self.write(*slice, r) } {
                        *v *= factor;
                    }
                }
            }
            Op::Copy { input, out } => {
                for r in mine(self.count(out.buffer)) {
                    // SAFETY: see above.
                    unsafe { self.write(*out, r).copy_from_slice(self.read(*input, r)) }
                }
            }
            Op::SelectOutputs { input, out } => {
                for o in mine(self.outputs.len()) {
                    // SAFETY: see above.
                    unsafe {
                        self.write(self.all(*out), o)
                            .copy_from_slice(self.read(self.all(*input), self.outputs[o]))
                    }
                }
            }
            Op::KeepClusters { scores, cluster, keep, logits } => {
                let cluster = self.vector(cluster.0);
                for r in mine(self.count(logits.buffer)) {
                    // SAFETY: see above; scores and logits are different buffers.
                    unsafe {
                        let (scores, logits) = (self.read(*scores, r), self.write(*logits, r));
                        numerics::keep_clusters(scores, cluster, *keep, logits, &mut t.order);
                    }
                }
            }
            // The executor reads the logits itself, to hand them out.
            _ => {}
        }
    }

    fn members<'b>(&self, l: &'b Linear) -> impl Iterator<Item = &'a Packed> + Clone + use<'a, 'b> {
        let weights = self.weights;
        l.members.iter().filter_map(move |w| matrix(weights, w.0))
    }

    fn linear(&self, at: usize, l: &Linear, team: Team<'_>, t: &mut Thread) {
        let rows = self.count(l.input.buffer);
        if rows == 0 {
            return;
        }
        let shapes = || self.members(l).map(|m| &m.geometry);
        let forms = linear::forms(shapes());
        let blocks = Blocks::new(rows, linear::widest(self.isa, shapes(), rows));
        let alone = rows == 1;
        let Thread { acts, linear: scratch, row, joined, codes, .. } = t;
        let acts = if alone { acts.share() } else { self.acts };
        let own = if alone { 0..1 } else { team.thread..rows };
        for r in own.step_by(if alone { 1 } else { team.threads }) {
            // Of a call of one row every thread makes the input row, and one writes it.
            let x = self.source(l, r, !alone || team.thread == 0, joined);
            let x = match l.prologue {
                Prologue::RmsNorm { weight, eps } => {
                    rowwise::rms_norm(self.isa, x, self.vector(weight.0), eps, &mut row[..x.len()]);
                    &row[..x.len()]
                }
                _ => x,
            };
            rowwise::put(self.isa, acts, blocks, forms, r, x, codes);
        }
        if !alone {
            team.barrier();
        }
        let input = Input { acts, blocks, forms, rows };
        let mut bytes = 0;
        if matches!(l.epilogue, Epilogue::SiluMul | Epilogue::GeluMul) {
            self.gated(at, l, &input, team, scratch, &mut bytes);
        } else {
            self.plain(at, l, &input, team, scratch, &mut bytes);
        }
        self.weight_bytes.fetch_add(bytes, Ordering::Relaxed);
        if team.thread == 0 {
            let macs: usize = shapes().map(|g| g.rows * g.cols).sum();
            self.macs.fetch_add((macs * rows) as u64, Ordering::Relaxed);
        }
    }

    /// Input row `r` of a linear, made here where it makes it itself; `keep` for one thread, which writes it where later ops
    /// find it.
    #[inline(always)]
    fn source<'t>(&self, l: &Linear, r: usize, keep: bool, joined: &'t mut [f32]) -> &'t [f32]
    where
        'a: 't,
    {
        // SAFETY: what is read was written before the last barrier, and one thread writes the row.
        unsafe {
            match l.source {
                Source::Given => self.read(l.input, r),
                Source::Wanted(from) => {
                    let x = self.read(self.all(from), self.outputs[r]);
                    if keep {
                        self.write(l.input, r).copy_from_slice(x);
                    }
                    x
                }
                Source::Joined { residual, branch, weight, eps, factor, scale } => {
                    let joined = &mut joined[..l.input.len];
                    let (residual, branch) = (self.read(residual, r), self.read(branch, r));
                    let w = self.vector(weight.0);
                    rowwise::join(self.isa, residual, branch, w, eps, factor, scale, joined);
                    if keep {
                        self.write(l.input, r).copy_from_slice(joined);
                    }
                    joined
                }
            }
        }
    }

    /// Panels that a thread takes at a time: a few of a narrow call, one of a wide one. Those that can be read side by
    /// side come together, if every thread has some then.
    fn take(&self, g: &Geometry, blocks: Blocks, threads: usize) -> usize {
        let n = if blocks.rows() == 1 { (TAKE / g.panel_bytes().max(1)).max(1) } else { 1 };
        let enough = !g.is_int() || g.panels() >= 2 * linear::RUN * threads;
        if enough && linear::beside(self.isa, g, blocks) { n.next_multiple_of(linear::RUN) } else { n }
    }

    fn plain(
        &self,
        at: usize,
        l: &Linear,
        input: &Input<'_>,
        team: Team<'_>,
        scratch: &mut linear::Scratch,
        bytes: &mut u64,
    ) {
        // Every member's panels, cut into takes, numbered through.
        let take = |m: &Packed| self.take(&m.geometry, input.blocks, team.threads);
        let takes = |m: &Packed| m.geometry.panels().div_ceil(take(m));
        for mut n in self.deal(at, self.members(l).map(takes).sum(), team) {
            let mut start = l.out.start;
            for m in self.members(l) {
                let (g, takes) = (&m.geometry, takes(m));
                if n >= takes {
                    n -= takes;
                    start += g.rows;
                    continue;
                }
                let panels = n * take(m)..((n + 1) * take(m)).min(g.panels());
                *bytes += (panels.len() * g.panel_bytes()) as u64;
                if linear::beside(self.isa, g, input.blocks) {
                    for first in panels.clone().step_by(linear::RUN) {
                        let tiles = linear::run(self.isa, m, first..panels.end, input, scratch);
                        for (i, y) in tiles.iter().enumerate() {
                            let (p, r) = (first + i / input.rows, i % input.rows);
                            self.finish(l, start, g, p, r, y);
                        }
                    }
                } else {
                    for p in panels {
                        let tile = linear::panel(self.isa, m, p, input, scratch);
                        for (r, y) in tile.iter().enumerate() {
                            self.finish(l, start, g, p, r, y);
                        }
                    }
                }
                break;
            }
        }
    }

    /// Writes the outputs of one panel and row.
    #[inline(always)]
    fn finish(&self, l: &Linear, start: usize, g: &Geometry, panel: usize, r: usize, y: &[f32; PANEL]) {
        let n = (g.rows - panel * PANEL).min(PANEL);
        let y = &rowwise::output(self.isa, *y, g.output);
        let slice = Slice { start: start + panel * PANEL, len: n, ..l.out };
        // SAFETY: this panel of this row was taken by one thread.
        let out = unsafe { self.write(slice, r) };
        let y = &y[..n];
        match l.epilogue {
            Epilogue::Scale(f) => rowwise::scale(self.isa, y, f, out),
            Epilogue::AddScaled(f) => rowwise::add_scaled(self.isa, y, f, out),
            Epilogue::GeluTimes(other) => {
                let other = Slice { start: other.start + panel * PANEL, len: n, ..other };
                // SAFETY: the other factor was written before the last barrier.
                rowwise::gelu_mul(self.isa, y, unsafe { self.read(other, r) }, out);
            }
            _ => out.copy_from_slice(y),
        }
    }

    fn gated(
        &self,
        at: usize,
        l: &Linear,
        input: &Input<'_>,
        team: Team<'_>,
        scratch: &mut linear::Scratch,
        bytes: &mut u64,
    ) {
        let mut pair = self.members(l);
        let (Some(gate), Some(up)) = (pair.next(), pair.next()) else { return };
        let g = &gate.geometry;
        let pair_bytes = g.panel_bytes() + up.geometry.panel_bytes();
        let few = input.rows == 1 || linear::beside(self.isa, g, input.blocks);
        let take = if input.rows == 1 { linear::RUN } else { self.take(g, input.blocks, team.threads) };
        let up_output = up.geometry.output;
        // Of one row, or of one panel: what is written next to each other.
        let finish = |p: usize, r: usize, gate: &[f32; PANEL], up: &[f32; PANEL]| {
            let n = (g.rows - p * PANEL).min(PANEL);
            let slice = Slice { start: l.out.start + p * PANEL, len: n, ..l.out };
            // SAFETY: this panel of this row was taken by one thread.
            let out = unsafe { self.write(slice, r) };
            let gate = &rowwise::output(self.isa, *gate, g.output);
            let up = &rowwise::output(self.isa, *up, up_output);
            match l.epilogue {
                Epilogue::GeluMul => rowwise::gelu_mul(self.isa, &gate[..n], &up[..n], out),
                _ => rowwise::silu_mul(self.isa, &gate[..n], &up[..n], out),
            }
        };
        for n in self.deal(at, g.panels().div_ceil(take), team) {
            let panels = n * take..((n + 1) * take).min(g.panels());
            *bytes += (panels.len() * pair_bytes) as u64;
            if few {
                let [a, b] = linear::run_pair(self.isa, [gate, up], panels.clone(), input, scratch);
                for (i, (a, b)) in a.iter().zip(b).enumerate() {
                    finish(panels.start + i / input.rows, i % input.rows, a, b);
                }
                continue;
            }
            for p in panels {
                let [a, b] = linear::panel_pair(self.isa, [gate, up], p, input, scratch);
                for (r, (a, b)) in a.iter().zip(b).enumerate() {
                    finish(p, r, a, b);
                }
            }
        }
    }

    /// Where keys and values of a tree go.
    fn aside(&self, state: usize) -> Option<&'a Aside<'a>> {
        self.held.and_then(|h| h.aside).map(|aside| &aside[state])
    }

    /// # Safety
    /// One thread writes the key of a row and head.
    unsafe fn put_key(&self, state: usize, row: usize, head: usize, key: &[f32]) {
        let (kv, r) = (&self.kv[state], &self.rows[row]);
        if let Some(aside) = self.aside(state) {
            // SAFETY: the caller's promise.
            return unsafe { put_aside(&aside.keys, kv, row, head, key) };
        }
        let p = r.kv_slot as usize % kv.stored;
        let at = kv.base(r.sequence, head) + p / PIECE * PIECE * kv.head_dim + p % PIECE;
        for (i, k) in key.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { kv.keys.slice_mut(at + i * PIECE, 1)[0] = half::f16::from_f32(*k).to_bits() };
        }
    }

    /// # Safety
    /// One thread writes the value of a row and head.
    unsafe fn put_value(&self, state: usize, row: usize, head: usize, value: &[f32]) {
        let (kv, r) = (&self.kv[state], &self.rows[row]);
        if let Some(aside) = self.aside(state) {
            // SAFETY: the caller's promise.
            return unsafe { put_aside(&aside.values, kv, row, head, value) };
        }
        let at = kv.base(r.sequence, head) + r.kv_slot as usize % kv.stored * kv.head_dim;
        // SAFETY: the caller's promise.
        let out = unsafe { kv.values.slice_mut(at, kv.head_dim) };
        for (o, v) in out.iter_mut().zip(value) {
            *o = half::f16::from_f32(*v).to_bits();
        }
    }

    /// Norm, rotation and the write of k and v, one head at a time.
    fn prepare(&self, a: &Attention, input: &AttentionInput, team: Team<'_>) {
        let d = a.head_dim;
        let heads = a.heads + input.kv.map_or(0, |_| a.kv_heads);
        for item in (team.thread..self.rows.len() * heads).step_by(team.threads) {
            let (row, head) = (item / heads, item % heads);
            // SAFETY: a head of a row is one item, and one thread takes it.
            unsafe {
                let table = self.read(self.all(input.rotation.table), row);
                let own = input.kv.filter(|_| head >= a.heads);
                let (part, norm) = own.map_or((a.q, input.q_norm), |kv| (kv.k, kv.k_norm));
                let at = if own.is_some() { head - a.heads } else { head };
                let x = self.write(Slice { start: part.start + at * d, len: d, ..part }, row);
                if let Some(n) = norm {
                    rowwise::rms_norm_in_place(self.isa, x, self.vector(n.weight.0), n.eps);
                }
                rowwise::rotate(self.isa, x, d, table);
                if let Some(kv) = own {
                    self.put_key(a.state.0, row, at, x);
                    let v = Slice { start: kv.v.start + at * d, len: d, ..kv.v };
                    if let Some(eps) = kv.v_eps {
                        rowwise::normalise_in_place(self.isa, self.write(v, row), d, eps);
                    }
                    self.put_value(a.state.0, row, at, self.read(v, row));
                }
            }
        }
        team.barrier();
    }

    fn attention(&self, at: usize, a: &Attention, team: Team<'_>, t: &mut Thread) {
        if let Some(input) = &a.input {
            self.prepare(a, input, team);
        }
        let (d, of_head) = (a.head_dim, a.heads / a.kv_heads);
        let kv = &self.kv[a.state.0];
        let spec = self.plan.state(a.state);
        // A task is a kv head of a row, the later (longer) rows first. Where there are fewer than threads, the query heads of
        // one are several tasks, each of which reads the keys.
        let heads = self.rows.len() * a.kv_heads;
        let group = of_head.div_ceil(team.threads.div_ceil(heads.max(1)).min(of_head));
        let parts = of_head.div_ceil(group);
        for task in self.deal(at, heads * parts, team) {
            let (head, part) = (task / parts, task % parts);
            let (row, head) = (self.rows.len() - 1 - head / a.kv_heads, head % a.kv_heads);
            let (first_head, group) = (head * of_head + part * group, group.min(of_head - part * group));
            let r = &self.rows[row];
            let base = kv.base(r.sequence, head);
            let len = spec.end_seen(r.position);
            // SAFETY: keys and values were written before the barrier; the output heads are this task's.
            unsafe {
                let part = |s: Slice| Slice { start: s.start + first_head * d, len: group * d, ..s };
                let (q, out) = (self.read(part(a.q), row), self.write(part(a.out), row));
                let Thread { gathered, attention: scratch, .. } = &mut *t;
                let first = match self.aside(a.state.0) {
                    None => len,
                    Some(aside) => {
                        let committed = self.committed[r.sequence] as usize;
                        gathered.gather(kv, aside, (base, head), committed, &self.paths[row], PIECE)
                    }
                };
                let stored = first.next_multiple_of(PIECE).min(kv.stored);
                let keys = kv.keys.slice(base, stored * d);
                let values = kv.values.slice(base, stored * d);
                let tail = Tail { first, keys: &gathered.keys, values: &gathered.values };
                let start = spec.first_seen(r.position);
                let seen =
                    Seen { keys, values, tail, start, ring: kv.stored, len, head_dim: d, scale: a.scale };
                attention::row(self.isa, q, seen, out, scratch);
                if let Some(gate) = a.gate {
                    rowwise::sigmoid_mul(self.isa, self.read(part(gate), row), out);
                }
            }
        }
    }
}

/// # Safety
/// One thread writes this head of this row.
unsafe fn put_aside(to: &Shared<'_, u16>, kv: &Kv<'_>, row: usize, head: usize, values: &[f32]) {
    // SAFETY: the caller's promise.
    let out = unsafe { to.slice_mut((row * kv.kv_heads + head) * kv.head_dim, kv.head_dim) };
    for (o, v) in out.iter_mut().zip(values) {
        *o = half::f16::from_f32(*v).to_bits();
    }
}
