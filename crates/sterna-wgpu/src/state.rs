//! Keys and values of every sequence on the device, and the rotations of every position.

use sterna_plan::{BackendError, ModelPlan, PlanError, StateSpec, numerics};
use wgpu::Buffer;

use crate::gpu::{Gpu, Upload};

/// Positions whose rotations are computed at a time.
const BATCH: usize = 1 << 12;

/// The states of all slots.
pub(crate) struct Pool {
    /// One for each state: `[slot][position][key, value][kv_heads * head_dim]`, f16.
    pub states: Vec<Buffer>,
    /// Words of a position in each.
    words: Vec<usize>,
    /// One for each rotation: `[position][cosines, sines]`, f32.
    pub ropes: Vec<Buffer>,
    /// Positions of each slot that count.
    pub committed: Vec<u32>,
    /// Positions that a slot has room for.
    pub capacity: usize,
}

impl Pool {
    /// Empty sequences.
    ///
    /// # Errors
    /// Memory of the device; a state that does not fit one buffer.
    pub fn new(gpu: &Gpu, plan: &ModelPlan, slots: usize, capacity: usize) -> Result<Self, BackendError> {
        let words = |s: &StateSpec| s.heads().map_or(0, |(heads, dim)| heads * dim);
        let words: Vec<usize> = plan.states.iter().map(words).collect();
        let cells = |words: &usize| {
            let bytes = [slots, capacity, *words, 4].iter().try_fold(1u64, |n, x| n.checked_mul(*x as u64));
            gpu.buffer(bytes.unwrap_or(u64::MAX / 2), "keys and values of a layer")
        };
        let states = words.iter().map(cells).collect::<Result<_, _>>()?;
        let mut upload = Upload::new(gpu);
        let mut ropes = Vec::new();
        for rope in &plan.ropes {
            let cols = 2 * rope.frequencies.len();
            let table = gpu.buffer(4 * (cols * capacity) as u64, "rotations")?;
            let mut row = vec![0f32; cols];
            for first in (0..capacity).step_by(BATCH) {
                let mut batch = Vec::with_capacity(cols * BATCH.min(capacity - first));
                for position in first..capacity.min(first + BATCH) {
                    let position = u32::try_from(position).unwrap_or(u32::MAX);
                    numerics::rotation_row(&rope.frequencies, rope.factor, position, &mut row);
                    batch.extend(row.iter().map(|v| v.to_bits()));
                }
                upload.write(&table, 4 * (first * cols) as u64, &batch)?;
            }
            ropes.push(table);
        }
        upload.flush()?;
        Ok(Self { states, words, ropes, committed: vec![0; slots], capacity })
    }

    /// Refuses a slot outside the pool.
    pub fn slot(&self, slot: usize) -> Result<u32, PlanError> {
        self.committed.get(slot).copied().ok_or_else(|| {
            PlanError::Options(format!(
                "sequence slot {slot} is outside the pool of {}",
                self.committed.len()
            ))
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let words: usize = self.words.iter().sum();
        4 * words * self.capacity * self.committed.len()
    }

    /// The committed bits of a slot, state after state.
    pub fn read(&self, gpu: &Gpu, slot: usize) -> Result<Vec<u8>, BackendError> {
        let committed = self.slot(slot)? as usize;
        let mut all = Vec::new();
        for (state, words) in self.states.iter().zip(&self.words) {
            let each = 4 * *words as u64;
            let (from, bytes) = (each * (slot * self.capacity) as u64, each * committed as u64);
            if bytes == 0 {
                continue;
            }
            let to = gpu.readback(bytes)?;
            let mut encoder = gpu.encoder();
            encoder.copy_buffer_to_buffer(state, from, &to, 0, bytes);
            gpu.submit_and_read(encoder, &to, bytes, |read| all.extend_from_slice(read))?;
        }
        Ok(all)
    }
}
