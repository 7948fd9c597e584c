//! What an EAGLE-3 head has beside its layer: it reads several hidden states of the target as one, and names tokens of a
//! vocabulary of its own.

use sterna_plan::{Executor, Outputs, RowTable, Wanted};

use super::draft::others;
use super::proposer::ProposeError;
use crate::sample::{self, SamplingParams, sample};

/// Below any logit, and still finite after a penalty.
const NEVER: f32 = -1e30;

/// Makes the states that the head reads of those that the target hands out.
pub(super) struct Fusion {
    executor: Box<dyn Executor>,
    /// Columns that the target hands out for a token.
    width: usize,
    rows: RowTable,
    outputs: Outputs,
}

impl Fusion {
    /// Rows go through the only slot of `executor` and are forgotten.
    pub fn new(executor: Box<dyn Executor>) -> Self {
        let entry = executor.plan().entries.first();
        let width = entry.and_then(|e| e.input.map(|b| e.buffers[b.0].cols)).unwrap_or(0);
        Self { executor, width, rows: RowTable::new(), outputs: Outputs::default() }
    }

    /// Columns that the target hands out for a token.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Refuses what are no states of the target's.
    pub fn check(&self, taps: &[f32]) -> Result<(), ProposeError> {
        if self.width == 0 || !taps.len().is_multiple_of(self.width) {
            let why = format!(
                "{} values of hidden states are no rows of {}: plan the target with the taps of this head",
                taps.len(),
                self.width
            );
            return Err(ProposeError::Options { proposer: "eagle3", why });
        }
        Ok(())
    }

    /// Fuses the states of some tokens.
    pub fn fuse(&mut self, taps: &[f32]) -> Result<Vec<f32>, ProposeError> {
        self.check(taps)?;
        let widest = self.executor.plan().entries.iter().map(|e| e.width).max().unwrap_or(1);
        let most = widest.min(self.executor.capacity()).max(1);
        let mut fused = Vec::new();
        for taps in taps.chunks(most * self.width) {
            let n = taps.len() / self.width;
            self.rows.clear();
            // Any token will do: none is looked up.
            self.rows.push_chain(0, 0, &vec![0; n], 0, Wanted::Nothing);
            self.rows.set_inputs(taps);
            let entry = self.executor.plan().entry_for(n).unwrap_or(0);
            self.executor.truncate(0, 0)?;
            self.executor.execute(entry, &self.rows, &mut self.outputs)?;
            fused.extend_from_slice(&self.outputs.taps);
        }
        Ok(fused)
    }
}

/// The target's tokens that a head can name.
pub(super) struct Names {
    /// Target token of every token of the head.
    ids: Vec<u32>,
    /// The head's logits among all of the target's.
    logits: Vec<f32>,
}

impl Names {
    pub fn new(ids: &[u32]) -> Self {
        Self { ids: ids.to_vec(), logits: Vec::new() }
    }

    fn name(&self, token: u32) -> u32 {
        self.ids.get(token as usize).copied().unwrap_or(0)
    }

    /// The target's token that `sampling` chooses from the last result of a call, of a target of `vocab` tokens.
    pub fn chosen(
        &mut self,
        outputs: &Outputs,
        vocab: usize,
        history: &[u32],
        sampling: &SamplingParams,
        scratch: &mut sample::Scratch,
    ) -> Result<u32, ProposeError> {
        let row = outputs.rows.last().copied().unwrap_or(0);
        let Some(logits) = outputs.logits_of(row) else {
            return Ok(self.name(outputs.top_of(row).unwrap_or_default().token));
        };
        self.logits.clear();
        self.logits.resize(vocab, NEVER);
        for (id, logit) in self.ids.iter().zip(logits) {
            if let Some(to) = self.logits.get_mut(*id as usize) {
                *to = *logit;
            }
        }
        Ok(sample(&self.logits, vocab, history, history.len() as u64, sampling, scratch)?.id)
    }

    /// The target's tokens of the `n` best results but `first`, which is one of the target's.
    pub fn others(&self, outputs: &Outputs, first: u32, n: usize) -> Vec<u32> {
        if n == 0 {
            return Vec::new();
        }
        let named = others(outputs, u32::MAX, n + 1).into_iter().map(|t| self.name(t));
        named.filter(|t| *t != first).take(n).collect()
    }
}
