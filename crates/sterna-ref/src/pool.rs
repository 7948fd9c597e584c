//! Keys and values of every sequence.

use sterna_plan::{BackendError, PlanError, StateId, StateSpec};

use crate::load::room;
use crate::numbers::Numbers;

/// The states of all slots: per slot and state, `[position][key, value][kv_heads * head_dim]`.
pub(crate) struct Pool<N: Numbers> {
    slots: Vec<Vec<Vec<N::Cell>>>,
    widths: Vec<usize>,
    committed: Vec<u32>,
    capacity: usize,
}

fn width(spec: &StateSpec) -> usize {
    match spec {
        StateSpec::FullKv { kv_heads, head_dim, .. } => kv_heads * head_dim,
        // Refused by `load::check_plan`.
        _ => 0,
    }
}

impl<N: Numbers> Pool<N> {
    /// No slots.
    pub fn empty(states: &[StateSpec]) -> Self {
        let widths = states.iter().map(width).collect();
        Self { slots: Vec::new(), widths, committed: Vec::new(), capacity: 0 }
    }

    /// Forgets everything and makes `slots` empty sequences.
    pub fn allocate(&mut self, slots: usize, capacity: usize) -> Result<(), BackendError> {
        self.slots.clear();
        self.committed.clear();
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
        }
        self.committed.resize(slots, 0);
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

    /// Extends a slot to `len` positions.
    pub fn commit(&mut self, slot: usize, len: u32) {
        if let Some(c) = self.committed.get_mut(slot) {
            *c = len.max(*c);
        }
    }

    /// Drops positions from `len` on and poisons them.
    pub fn truncate(&mut self, slot: usize, len: u32) -> Result<(), BackendError> {
        let slots = self.slots.len();
        let (Some(states), Some(committed)) = (self.slots.get_mut(slot), self.committed.get_mut(slot)) else {
            return Err(outside(slot, slots));
        };
        if len < *committed {
            for (cells, width) in states.iter_mut().zip(&self.widths) {
                cells[len as usize * 2 * width..*committed as usize * 2 * width].fill(N::UNWRITTEN);
            }
            *committed = len;
        }
        Ok(())
    }

    /// The order that the crate's documentation promises.
    pub fn state_bytes(&self, slot: usize) -> Result<Vec<u8>, BackendError> {
        let states = self.slots.get(slot).ok_or_else(|| outside(slot, self.slots.len()))?;
        let mut out = Vec::new();
        for (cells, width) in states.iter().zip(&self.widths) {
            for cell in &cells[..self.committed[slot] as usize * 2 * width] {
                N::push_bytes(*cell, &mut out);
            }
        }
        Ok(out)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.slots.iter().flatten().map(|cells| size_of_val(cells.as_slice())).sum()
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
    }
}

fn outside(slot: usize, slots: usize) -> BackendError {
    BackendError::Plan(PlanError::Options(format!("sequence slot {slot} is outside the pool of {slots}")))
}
