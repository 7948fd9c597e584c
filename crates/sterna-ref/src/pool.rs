//! Keys and values of every sequence.
//!
//! A ring is kept as if it were full keys and values, and a position is poisoned when another takes its place: what a
//! backend with a real ring no longer has reads as NaN here.

use sterna_plan::{BackendError, PlanError, Snapshots, StateId, StateSpec};

use crate::load::room;
use crate::numbers::Numbers;

/// The states of all slots.
pub(crate) struct Pool<N: Numbers> {
    /// Per slot and state, `[position][key, value][kv_heads * head_dim]`; empty for other states.
    slots: Vec<Vec<Vec<N::Cell>>>,
    /// Per slot and state, what states that own time hold: of the committed positions, and what the rows of the call
    /// in progress make of it.
    timed: Vec<Vec<Timed<N::Value>>>,
    specs: Vec<StateSpec>,
    widths: Vec<usize>,
    committed: Vec<u32>,
    /// Per slot, one past the furthest position written since its start.
    written: Vec<u32>,
    capacity: usize,
    /// Of the committed states that own time, in order.
    pub snapshots: Snapshots<Vec<Vec<N::Value>>>,
}

struct Timed<V> {
    committed: Vec<V>,
    staged: Option<Vec<V>>,
}

/// Columns of a key; 0 where there are none of its own.
fn width(spec: &StateSpec) -> usize {
    if matches!(spec, StateSpec::Borrowed { .. }) {
        return 0;
    }
    spec.heads().map_or(0, |(kv_heads, head_dim)| kv_heads * head_dim)
}

impl<N: Numbers> Pool<N> {
    /// No slots.
    pub fn empty(states: &[StateSpec]) -> Self {
        let widths = states.iter().map(width).collect();
        Self {
            slots: Vec::new(),
            timed: Vec::new(),
            specs: states.to_vec(),
            widths,
            committed: Vec::new(),
            written: Vec::new(),
            capacity: 0,
            snapshots: Snapshots::default(),
        }
    }

    /// Forgets everything and makes `slots` empty sequences.
    pub fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError> {
        self.slots.clear();
        self.timed.clear();
        self.committed.clear();
        self.written.clear();
        self.snapshots.clear();
        self.capacity = 0;
        let what = "the states";
        for _ in 0..slots {
            let mut states = room(self.widths.len(), what)?;
            for width in &self.widths {
                let len = capacity.saturating_mul(2 * width);
                let mut cells = room(len, what)?;
                cells.resize(len, N::UNWRITTEN);
                states.push(cells);
            }
            self.slots.push(states);
            let mut timed = room(self.specs.len(), what)?;
            for spec in &self.specs {
                let mut committed = room(spec.fixed(), what)?;
                committed.resize(spec.fixed(), N::ZERO);
                timed.push(Timed { committed, staged: None });
            }
            self.timed.push(timed);
        }
        self.committed.resize(slots, 0);
        self.written.resize(slots, 0);
        self.capacity = capacity;
        Ok(())
    }

    /// Committed positions of each slot.
    pub fn committed(&self) -> &[u32] {
        &self.committed
    }

    /// Positions a slot has room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Extends a slot to `len` positions; what its states were made to be, they are.
    pub fn commit(&mut self, slot: usize, len: u32) {
        if let Some(c) = self.committed.get_mut(slot) {
            *c = len.max(*c);
        }
        for timed in self.timed.get_mut(slot).into_iter().flatten() {
            if let Some(staged) = timed.staged.take() {
                timed.committed = staged;
            }
        }
    }

    /// Forgets what a call that failed made of the states that own time.
    pub fn forget_staged(&mut self) {
        self.timed.iter_mut().flatten().for_each(|t| t.staged = None);
    }

    /// What a state that owns time holds of the committed positions.
    pub fn timed(&self, slot: usize, state: StateId) -> &[N::Value] {
        &self.timed[slot][state.0].committed
    }

    /// What the call in progress made of it; empty for a state that keeps every position.
    pub fn staged(&self, slot: usize, state: StateId) -> Option<&[N::Value]> {
        self.timed[slot][state.0].staged.as_deref()
    }

    /// What the rows of the call in progress make of it.
    pub fn stage(&mut self, slot: usize, state: StateId, values: Vec<N::Value>) {
        self.timed[slot][state.0].staged = Some(values);
    }

    /// Poisons positions that were written and are not committed.
    pub fn forget_uncommitted(&mut self, slot: usize) {
        let (Some(states), Some(committed)) = (self.slots.get_mut(slot), self.committed.get(slot)) else {
            return;
        };
        for (cells, width) in states.iter_mut().zip(&self.widths) {
            cells[*committed as usize * 2 * width..].fill(N::UNWRITTEN);
        }
    }

    /// Whether there are states that snapshots are of.
    fn owns_time(&self) -> bool {
        self.specs.iter().any(|s| s.fixed() > 0)
    }

    /// The longest prefix of at most `len` positions that can be had at once.
    pub fn reusable_prefix(&self, slot: usize, len: u32) -> Result<u32, BackendError> {
        let committed = *self.committed.get(slot).ok_or_else(|| outside(slot, self.slots.len()))?;
        if len >= committed {
            return Ok(committed);
        }
        let deepest = if self.owns_time() { self.snapshots.deepest(slot, len).unwrap_or(0) } else { len };
        let whole = self.specs.iter().all(|s| s.can_cut(self.written[slot], deepest));
        Ok(if whole { deepest } else { 0 })
    }

    /// Copies the committed states that own time.
    pub fn snapshot(&mut self, slot: usize) -> Result<(), BackendError> {
        let position = *self.committed.get(slot).ok_or_else(|| outside(slot, self.slots.len()))?;
        let states = &self.timed[slot];
        let bytes = states.iter().map(|t| size_of_val(t.committed.as_slice())).sum();
        if self.owns_time() && self.snapshots.reserve(slot, position, bytes).is_some() {
            let data = states.iter().map(|t| t.committed.clone()).collect();
            self.snapshots.insert(slot, position, bytes, data);
        }
        Ok(())
    }

    /// Drops positions from `len` on and poisons them. States that own time go back to the start or to a snapshot.
    pub fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        let reusable = self.reusable_prefix(slot, len)?;
        let committed = self.committed[slot];
        if len < committed {
            if reusable != len {
                return Err(PlanError::Cut { len, committed, reusable }.into());
            }
            for (i, timed) in self.timed[slot].iter_mut().enumerate() {
                match self.snapshots.get(slot, len) {
                    Some(kept) => timed.committed.clone_from(&kept[i]),
                    None => timed.committed.fill(N::ZERO),
                }
            }
            self.snapshots.cut(slot, len);
            if len == 0 {
                self.written[slot] = 0;
            }
            self.committed[slot] = len;
            self.forget_uncommitted(slot);
        }
        Ok(())
    }

    /// The order that the crate's documentation promises.
    pub fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        let states = self.slots.get(slot).ok_or_else(|| outside(slot, self.slots.len()))?;
        let mut out = Vec::new();
        if self.committed[slot] == 0 {
            return Ok(out);
        }
        let committed = self.committed[slot];
        for (i, (cells, width)) in states.iter().zip(&self.widths).enumerate() {
            self.timed[slot][i].committed.iter().for_each(|v| N::push_value(*v, &mut out));
            // Of a ring, what the next row sees.
            let first = self.specs[i].first_seen(committed);
            for cell in &cells[first * 2 * width..committed as usize * 2 * width] {
                N::push_bytes(*cell, &mut out);
            }
        }
        Ok(out)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let timed = self.timed.iter().flatten().map(|t| size_of_val(t.committed.as_slice()));
        self.slots.iter().flatten().map(|cells| size_of_val(cells.as_slice())).chain(timed).sum()
    }

    /// All cells of a state of a slot.
    pub fn cells(&self, slot: usize, state: StateId) -> &[N::Cell] {
        &self.slots[slot][state.0]
    }

    /// Key and value of one position.
    pub fn position(&self, slot: usize, state: StateId, position: u32) -> &[N::Cell] {
        let width = 2 * self.widths[state.0];
        &self.slots[slot][state.0][position as usize * width..][..width]
    }

    /// Writes key and value of one position.
    pub fn write(&mut self, slot: usize, state: StateId, position: u32, k: &[N::Value], v: &[N::Value]) {
        let width = 2 * self.widths[state.0];
        let cells = &mut self.slots[slot][state.0][position as usize * width..][..width];
        for (cell, value) in cells.iter_mut().zip(k.iter().chain(v)) {
            *cell = N::store(*value);
        }
        if let Some(written) = self.written.get_mut(slot) {
            *written = (*written).max(position + 1);
        }
        if let StateSpec::RingKv { rows, .. } = self.specs[state.0]
            && let Some(old) = (position as usize).checked_sub(rows)
        {
            self.slots[slot][state.0][old * width..][..width].fill(N::UNWRITTEN);
        }
    }
}

fn outside(slot: usize, slots: usize) -> BackendError {
    BackendError::Plan(PlanError::Options(format!("sequence slot {slot} is outside the pool of {slots}")))
}
