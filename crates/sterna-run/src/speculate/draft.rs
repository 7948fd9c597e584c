//! A small model of the same vocabulary as proposer: it has a session of its own, which follows the text.

use std::sync::Arc;

use sterna_plan::{Outputs, Wanted};

use super::costs::FEW_READ;
use super::proposer::{Ask, Draft, ProposeError, Proposer};
use super::shared;
use crate::sample::{self, SamplingParams, sample};
use crate::session::Session;

/// Proposes what a smaller model would say.
pub struct DraftModel {
    session: Session,
    /// Where in the text the session's tokens begin: past 0 when it had not followed a text that was not worth reading.
    begin: usize,
    scratch: sample::Scratch,
    history: Vec<u32>,
    alternatives: usize,
    most: usize,
}

/// Room for two snapshots: a draft model whose states own time comes back to the end of the text with them.
const SNAPSHOTS: usize = 2;

impl DraftModel {
    /// A proposer of at most `most` tokens on a session of its own.
    pub fn new(mut session: Session, most: usize) -> Self {
        let plan = Arc::clone(session.executor().plan());
        let fixed: usize = plan.states.iter().map(|s| s.bytes_fixed()).sum();
        session.executor_mut().set_snapshot_budget(SNAPSHOTS * fixed);
        let (scratch, history) = (sample::Scratch::default(), Vec::new());
        Self { session, begin: 0, scratch, history, alternatives: 0, most: most.max(1) }
    }

    /// Also names this many other first tokens, for targets that verify trees.
    pub fn with_alternatives(mut self, n: usize) -> Self {
        self.alternatives = n;
        self
    }

    /// Chooses where the session's text begins, so that following `text` takes no more than `reads` tokens: where it began
    /// before, or at the start if that can be read in half of them, or as far before the end as they go.
    fn settle(&mut self, text: &[u32], reads: usize) {
        let reads = reads.max(FEW_READ); // so few are always worth reading
        let held = |begin: usize| shared(self.session.tokens(), text.get(begin..).unwrap_or_default());
        let follows = self.begin < text.len() && text.len() - self.begin - held(self.begin) <= reads;
        if self.begin > 0 && text.len() <= reads / 2 {
            self.begin = 0;
        } else if !follows {
            self.begin = text.len().saturating_sub(reads);
        }
    }
}

/// The token that `sampling` chooses at the end of `history` from the last result of a call.
pub(super) fn chosen(
    outputs: &Outputs,
    vocab: usize,
    history: &[u32],
    sampling: &SamplingParams,
    scratch: &mut sample::Scratch,
) -> Result<u32, ProposeError> {
    let row = outputs.rows.last().copied().unwrap_or(0);
    match outputs.logits_of(row) {
        Some(logits) => Ok(sample(logits, vocab, history, history.len() as u64, sampling, scratch)?.id),
        None => Ok(outputs.top_of(row).unwrap_or_default().token),
    }
}

/// The `n` best tokens of the last result but `first`, ties to the lowest.
pub(super) fn others(outputs: &Outputs, first: u32, n: usize) -> Vec<u32> {
    let row = outputs.rows.last().copied().unwrap_or(0);
    let Some(logits) = outputs.logits_of(row) else { return Vec::new() };
    let mut best: Vec<u32> = Vec::with_capacity(n + 1);
    for (id, x) in (0u32..).zip(logits).filter(|(id, _)| *id != first) {
        let at = best.partition_point(|b| logits[*b as usize] >= *x);
        if at < n {
            best.insert(at, id);
            best.truncate(n);
        }
    }
    best
}

/// Whether the choice needs all logits.
pub(super) fn wanted(sampling: &SamplingParams, alternatives: usize) -> Wanted {
    let plain = sampling.is_greedy() && sampling.repetition_penalty == 1.0;
    if plain && alternatives == 0 { Wanted::Argmax } else { Wanted::Logits }
}

impl Proposer for DraftModel {
    fn name(&self) -> &'static str {
        "draft"
    }

    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError> {
        self.settle(ask.text, ask.reads);
        let text = &ask.text[self.begin..];
        let room = self.session.context().saturating_sub(text.len());
        let most = ask.most.min(self.most).min(room + 1);
        if text.is_empty() || text.len() > self.session.context() || most == 0 {
            return Ok(()); // past its context: the text goes on without it
        }
        let vocab = self.session.executor().plan().vocab;
        let held = self.session.reuse(text)?;
        draft.read = text.len() - held;
        let first = wanted(ask.sampling, self.alternatives);
        self.session.ask(&text[held..], first, &mut |_| {})?;
        self.session.executor_mut().snapshot(0)?;
        self.history.clear();
        self.history.extend_from_slice(ask.text);
        let then = wanted(ask.sampling, 0);
        loop {
            let outputs = self.session.outputs();
            let token = chosen(outputs, vocab, &self.history, ask.sampling, &mut self.scratch)?;
            if draft.tokens.is_empty() {
                draft.alternatives = others(outputs, token, self.alternatives);
            }
            draft.tokens.push(token);
            self.history.push(token);
            if draft.tokens.len() >= most {
                return Ok(());
            }
            self.session.ask(&[token], then, &mut |_| {})?;
        }
    }

    fn most(&self) -> usize {
        self.most
    }
}
