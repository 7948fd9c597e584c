//! Keys and values of a pool of sequences, f16.
//!
//! Keys lie transposed in pieces of 64 positions, `[kv_head][piece][dim][position in piece]`: one query meets eight
//! keys in the lanes of a register, and a score is one chain over the dimensions. Values lie
//! `[kv_head][position][dim]`: an output dimension is one chain over the positions.

use sterna_plan::{BackendError, ModelPlan, PlanError, StateSpec};

/// Keys and values of one layer, all slots.
pub struct LayerKv {
    /// Key and value heads.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// f16 bits, slots one after the other.
    pub keys: Vec<u16>,
    /// f16 bits, slots one after the other.
    pub values: Vec<u16>,
}

/// The pool.
#[derive(Default)]
pub struct Pool {
    /// One entry per state of the plan.
    pub layers: Vec<LayerKv>,
    /// Committed positions per slot.
    pub committed: Vec<u32>,
    /// Positions per slot.
    pub capacity: usize,
    /// `capacity` rounded up to whole pieces.
    pub stored: usize,
    /// Positions of a piece.
    pub piece: usize,
}

impl Pool {
    /// A pool of empty sequences.
    ///
    /// # Errors
    /// [`BackendError::Memory`].
    pub fn new(plan: &ModelPlan, slots: usize, capacity: usize) -> Result<Self, BackendError> {
        let piece = plan.attention_piece;
        let stored = capacity.div_ceil(piece) * piece;
        let mut layers = Vec::with_capacity(plan.states.len());
        for state in &plan.states {
            let StateSpec::FullKv { kv_heads, head_dim, .. } = state else {
                return Err(BackendError::Unsupported { backend: "cpu", what: format!("a state {state:?}") });
            };
            let n = slots.checked_mul(stored).and_then(|n| n.checked_mul(kv_heads * head_dim));
            let half = || {
                let n = n.ok_or(BackendError::Memory { bytes: usize::MAX, what: "keys and values" })?;
                // Zeroed by the system page by page as positions fill: a session takes what it has seen, not what
                // it could see.
                let bytes = n.saturating_mul(2);
                bytemuck::try_zeroed_vec::<u16>(n)
                    .map_err(|()| BackendError::Memory { bytes, what: "keys and values" })
            };
            layers.push(LayerKv { kv_heads: *kv_heads, head_dim: *head_dim, keys: half()?, values: half()? });
        }
        Ok(Self { layers, committed: vec![0; slots], capacity, stored, piece })
    }

    /// Index of the first key of (`slot`, `head`, `piece`) in a layer; `[dim][piece]` follow.
    #[inline(always)]
    pub fn key_at(&self, layer: usize, slot: usize, head: usize, piece: usize) -> usize {
        let l = &self.layers[layer];
        ((slot * l.kv_heads + head) * self.stored + piece * self.piece) * l.head_dim
    }

    /// Index of the first value of (`slot`, `head`, `position`) in a layer; `[dim]` follow.
    #[inline(always)]
    pub fn value_at(&self, layer: usize, slot: usize, head: usize, position: usize) -> usize {
        let l = &self.layers[layer];
        ((slot * l.kv_heads + head) * self.stored + position) * l.head_dim
    }

    /// Checks a slot.
    pub fn slot(&self, slot: usize) -> Result<(), PlanError> {
        if slot < self.committed.len() {
            return Ok(());
        }
        Err(PlanError::Options(format!(
            "sequence slot {slot} is outside the pool of {}",
            self.committed.len()
        )))
    }

    /// Every committed position: `[layer][position][k, v][kv_head][dim]`, f16 little endian.
    pub fn bytes(&self, slot: usize) -> Result<Vec<u8>, PlanError> {
        self.slot(slot)?;
        let mut out = Vec::new();
        let n = self.committed[slot] as usize;
        for (i, l) in self.layers.iter().enumerate() {
            for p in 0..n {
                for h in 0..l.kv_heads {
                    let at = self.key_at(i, slot, h, p / self.piece) + p % self.piece;
                    out.extend((0..l.head_dim).flat_map(|d| l.keys[at + d * self.piece].to_le_bytes()));
                }
                for h in 0..l.kv_heads {
                    let at = self.value_at(i, slot, h, p);
                    out.extend(l.values[at..at + l.head_dim].iter().flat_map(|v| v.to_le_bytes()));
                }
            }
        }
        Ok(out)
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.layers.iter().map(|l| 2 * (l.keys.len() + l.values.len())).sum()
    }
}
