//! The states of a pool of sequences: keys and values in f16, and what owns time in f32.
//!
//! Keys lie transposed in pieces of 64 positions, `[kv_head][piece][dim][position in piece]`: one query meets eight
//! keys in the lanes of a register, and a score is one chain over the dimensions. Values lie
//! `[kv_head][position][dim]`: an output dimension is one chain over the positions.
//!
//! A ring of keys and values holds a whole number of pieces, and position `p` lies where `p` modulo its length would.
//!
//! A state that owns time is there twice ([`LayerTimed`]): a call reads the committed half and writes the other one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hold::Owed;
use sterna_plan::{BackendError, ModelPlan, PlanError, Snapshots, StateSpec};

/// Keys and values of one layer, all slots.
pub struct LayerKv {
    /// Key and value heads.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Positions per slot, whole pieces: all of the capacity, or as many as a ring keeps.
    pub stored: usize,
    /// f16 bits, slots one after the other.
    pub keys: Vec<u16>,
    /// f16 bits, slots one after the other.
    pub values: Vec<u16>,
}

impl LayerKv {
    /// Index of the key of (`slot`, `head`, `position`), its dimensions a `piece` apart.
    #[inline(always)]
    pub fn key_at(&self, slot: usize, head: usize, position: usize, piece: usize) -> usize {
        let at = position % self.stored;
        ((slot * self.kv_heads + head) * self.stored + at / piece * piece) * self.head_dim + at % piece
    }

    /// Index of the first value of (`slot`, `head`, `position`); `[dim]` follow.
    #[inline(always)]
    pub fn value_at(&self, slot: usize, head: usize, position: usize) -> usize {
        ((slot * self.kv_heads + head) * self.stored + position % self.stored) * self.head_dim
    }
}

/// Locks what is lent. Nothing that panics leaves it half changed.
pub fn locked(lent: &Mutex<Lent>) -> MutexGuard<'_, Lent> {
    lent.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What executors of plans that borrow keys see of a pool, one call at a time.
#[derive(Default)]
pub struct Lent {
    /// One entry per state of the plan; empty for a state that owns time, and for one that is borrowed itself.
    pub layers: Vec<LayerKv>,
    /// As the pool's.
    pub committed: Vec<u32>,
    /// As the pool's.
    pub written: Vec<u32>,
    /// Positions per slot.
    pub capacity: usize,
}

/// A state that owns time, all slots.
pub struct LayerTimed {
    /// Floats of a slot.
    pub each: usize,
    /// `[slot][each]`.
    pub halves: [Floats; 2],
    /// Whether a call writes it past the caches.
    pub stream: bool,
}

/// Floats that begin a cache line.
#[derive(Default)]
pub struct Floats {
    lines: Vec<Line>,
    len: usize,
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([f32; 16]);

impl Floats {
    fn zeroed(n: Option<usize>, what: &'static str) -> Result<Self, BackendError> {
        Ok(Self { lines: zeros(n.map(|n| n.div_ceil(16)), what)?, len: n.unwrap_or(0) })
    }
}

impl std::ops::Deref for Floats {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl std::ops::DerefMut for Floats {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

/// Bytes of a sequence's timed states from which they do not stay in a cache while a call reads its weights.
const STREAMED: usize = 8 << 20;

/// The pool.
#[derive(Default)]
pub struct Pool {
    /// Keys and values. Whoever runs a call over them holds the lock until it is over.
    pub lent: Arc<Mutex<Lent>>,
    /// One entry per state of the plan; empty for keys and values.
    pub timed: Vec<LayerTimed>,
    /// Per slot, the half of its timed states that is committed.
    pub live: Vec<u8>,
    /// Per slot, rows that were accepted and are not in its timed states yet.
    pub owed: Vec<Owed>,
    /// Committed positions per slot.
    pub committed: Vec<u32>,
    /// Per slot, one past the furthest position written since its start.
    pub written: Vec<u32>,
    /// What the plan says of every state.
    pub specs: Vec<StateSpec>,
    /// Positions per slot.
    pub capacity: usize,
    /// Positions of a piece.
    pub piece: usize,
    /// Timed states as they were committed, one after the other.
    pub snapshots: Snapshots<Vec<f32>>,
}

impl Pool {
    /// A pool of empty sequences.
    ///
    /// # Errors
    /// [`BackendError::Memory`].
    pub fn new(plan: &ModelPlan, slots: usize, capacity: usize) -> Result<Self, BackendError> {
        let piece = plan.attention_piece;
        let whole = capacity.div_ceil(piece) * piece;
        let stream = 4 * plan.states.iter().map(|s| s.fixed()).sum::<usize>() > STREAMED;
        let mut layers = Vec::with_capacity(plan.states.len());
        let mut timed = Vec::with_capacity(plan.states.len());
        for state in &plan.states {
            let stored = match state {
                StateSpec::RingKv { window, rows, .. } if rows % piece == 0 && rows >= window => {
                    whole.min(*rows)
                }
                StateSpec::FullKv { .. } => whole,
                StateSpec::Recurrent { .. } | StateSpec::Conv { .. } | StateSpec::Borrowed { .. } => 0,
                _ => {
                    let what = format!("a state {state:?}");
                    return Err(BackendError::Unsupported { backend: "cpu", what });
                }
            };
            let (kv_heads, head_dim) = state.heads().unwrap_or((0, 0));
            let n = slots.checked_mul(stored).and_then(|n| n.checked_mul(kv_heads * head_dim));
            let half = || zeros::<u16>(n, "keys and values");
            layers.push(LayerKv { kv_heads, head_dim, stored, keys: half()?, values: half()? });
            let each = state.fixed();
            let half = || Floats::zeroed(slots.checked_mul(each), "recurrent states");
            timed.push(LayerTimed { each, halves: [half()?, half()?], stream });
        }
        let (live, owed) = (vec![0; slots], vec![Owed::default(); slots]);
        let (committed, written, snapshots) = (vec![0; slots], vec![0; slots], Snapshots::default());
        let specs = plan.states.clone();
        let lent = Lent { layers, committed: vec![0; slots], written: vec![0; slots], capacity };
        let lent = Arc::new(Mutex::new(lent));
        Ok(Self { lent, timed, live, owed, committed, written, specs, capacity, piece, snapshots })
    }

    /// Puts the keys and values of `other`, its slots and lengths in the place of these, where executors beside this one
    /// look for them.
    pub fn replace(&mut self, other: Self) {
        let lent = Arc::clone(&self.lent);
        std::mem::swap(&mut *locked(&lent), &mut *locked(&other.lent));
        *self = Self { lent, ..other };
    }

    /// Tells executors beside this one how far the slots are.
    pub fn publish(&self) {
        let mut lent = locked(&self.lent);
        lent.committed.clone_from(&self.committed);
        lent.written.clone_from(&self.written);
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

    /// Positions that a slot's timed states stand at.
    pub fn settled(&self, slot: usize) -> usize {
        self.committed[slot] as usize - self.owed[slot].rows.len()
    }

    /// The timed states of a slot have become those of the other half.
    pub fn turn_over(&mut self, slot: usize) {
        self.live[slot] ^= 1;
        self.owed[slot].rows.clear();
    }

    /// Every committed position, in the order of [`sterna_plan::Executor::state_bytes`]; `timed` are the slot's timed states
    /// as they are committed, one for each state.
    pub fn bytes(&self, slot: usize, timed: &[&[f32]]) -> Result<Vec<u8>, PlanError> {
        self.slot(slot)?;
        let mut out = Vec::new();
        let n = self.committed[slot] as usize;
        for (i, (l, held)) in locked(&self.lent).layers.iter().zip(timed).enumerate() {
            if n > 0 {
                out.extend(held.iter().flat_map(|v| v.to_le_bytes()));
            }
            let first = if l.stored == 0 { n } else { self.specs[i].first_seen(self.committed[slot]) };
            for p in first..n {
                for h in 0..l.kv_heads {
                    let at = l.key_at(slot, h, p, self.piece);
                    out.extend((0..l.head_dim).flat_map(|d| l.keys[at + d * self.piece].to_le_bytes()));
                }
                for h in 0..l.kv_heads {
                    let at = l.value_at(slot, h, p);
                    out.extend(l.values[at..at + l.head_dim].iter().flat_map(|v| v.to_le_bytes()));
                }
            }
        }
        Ok(out)
    }

    fn owns_time(&self) -> bool {
        self.timed.iter().any(|t| t.each > 0)
    }

    /// The longest prefix of at most `len` positions that a slot can be cut to.
    pub fn reusable_prefix(&self, slot: usize, len: u32) -> Result<u32, PlanError> {
        self.slot(slot)?;
        let committed = self.committed[slot];
        if len >= committed {
            return Ok(committed);
        }
        let deepest = if self.owns_time() { self.snapshots.deepest(slot, len).unwrap_or(0) } else { len };
        let whole = self.specs.iter().all(|s| s.can_cut(self.written[slot], deepest));
        Ok(if whole { deepest } else { 0 })
    }

    /// Copies the timed states of a slot, which owe nothing.
    pub fn snapshot(&mut self, slot: usize) -> Result<(), BackendError> {
        self.slot(slot)?;
        let (position, live) = (self.committed[slot], usize::from(self.live[slot]));
        let floats: usize = self.timed.iter().map(|t| t.each).sum();
        let bytes = 4 * floats;
        if floats == 0 {
            return Ok(());
        }
        let Some(spare) = self.snapshots.reserve(slot, position, bytes) else { return Ok(()) };
        let mut data = spare.unwrap_or_default();
        data.clear();
        let what = "a snapshot of recurrent states";
        data.try_reserve_exact(floats).map_err(|_| BackendError::Memory { bytes, what })?;
        for t in &self.timed {
            data.extend_from_slice(&t.halves[live][slot * t.each..][..t.each]);
        }
        self.snapshots.insert(slot, position, bytes, data);
        Ok(())
    }

    /// Drops positions from `len` on.
    pub fn truncate(&mut self, slot: usize, len: u32) -> Result<(), PlanError> {
        let reusable = self.reusable_prefix(slot, len)?;
        let committed = self.committed[slot];
        if len >= committed {
            return Ok(());
        }
        if reusable != len {
            return Err(PlanError::Cut { len, committed, reusable });
        }
        let live = usize::from(self.live[slot]);
        if let Some(kept) = self.snapshots.get(slot, len) {
            let mut at = 0;
            for t in &mut self.timed {
                t.halves[live][slot * t.each..][..t.each].copy_from_slice(&kept[at..at + t.each]);
                at += t.each;
            }
        }
        self.snapshots.cut(slot, len);
        self.owed[slot].rows.clear();
        if len == 0 {
            self.written[slot] = 0;
        }
        self.committed[slot] = len;
        self.publish();
        Ok(())
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let kv: usize = locked(&self.lent).layers.iter().map(|l| 2 * (l.keys.len() + l.values.len())).sum();
        kv + self.timed.iter().flat_map(|t| &t.halves).map(|h| 4 * h.len()).sum::<usize>()
    }
}

/// Zeros that the system makes page by page as they are touched: a session takes what it has seen, not what it could
/// see.
fn zeros<T: bytemuck::Zeroable>(n: Option<usize>, what: &'static str) -> Result<Vec<T>, BackendError> {
    let n = n.ok_or(BackendError::Memory { bytes: usize::MAX, what })?;
    let bytes = n.saturating_mul(size_of::<T>());
    bytemuck::try_zeroed_vec(n).map_err(|()| BackendError::Memory { bytes, what })
}
