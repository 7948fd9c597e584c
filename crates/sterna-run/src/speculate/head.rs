//! A head as proposer, for multi-token prediction or EAGLE-3: one layer with keys and values of its own over the target's
//! hidden states.
//!
//! Row `t` of the head is the pair (token `t + 1`, hidden state of `t`) and names token `t + 2`. The target's states are
//! better context than the head's own: before it proposes, the head reads the pairs of all text that was accepted since,
//! many in one call, over whatever it had drafted; then it goes on alone, each row's hidden state being what it made of the
//! row before.

use sterna_plan::{Executor, Outputs, RowTable, Wanted};

use super::draft::{chosen, others, wanted};
use super::eagle::{Fusion, Names};
use super::proposer::{Ask, Draft, ProposeError, Proposer};
use crate::sample;

/// Pairs that may wait for the next proposal; then they are read ahead, so that a long prompt's are not all held.
const WAITING: usize = 64;
/// The same where [`Proposer::follow`] says that text is not worth reading: those further back are then forgotten.
const WAITING_UNFOLLOWED: usize = 32;
/// Pairs that are left then.
const KEPT: usize = 16;

/// Proposes with a head that reads hidden states.
pub struct HeadModel {
    name: &'static str,
    executor: Box<dyn Executor>,
    /// Makes the states that the head reads of the target's, where they are not the same.
    fusion: Option<Fusion>,
    /// The tokens it can name, where they are not the target's.
    names: Option<Names>,
    /// Columns of a hidden state.
    width: usize,
    /// Text position of the head's first row.
    base: usize,
    /// Rows that stand for accepted text; the executor may hold drafted ones after them.
    read: usize,
    /// Hidden states of the positions from `base + read` on, as the target hands them out.
    waiting: Vec<f32>,
    /// Whether text is read that nobody asks about.
    follow: bool,
    rows: RowTable,
    outputs: Outputs,
    scratch: sample::Scratch,
    history: Vec<u32>,
    alternatives: usize,
    most: usize,
}

impl HeadModel {
    /// A proposer of at most `most` tokens; the executor's plan takes hidden states and hands some out, and has a slot.
    pub fn new(name: &'static str, executor: Box<dyn Executor>, most: usize) -> Self {
        Self {
            name,
            width: executor.plan().tap_width(),
            executor,
            fusion: None,
            names: None,
            base: 0,
            read: 0,
            waiting: Vec::new(),
            follow: true,
            rows: RowTable::new(),
            outputs: Outputs::default(),
            scratch: sample::Scratch::default(),
            history: Vec::new(),
            alternatives: 0,
            most: most.max(1),
        }
    }

    /// Also names this many other first tokens, for targets that verify trees.
    pub fn with_alternatives(mut self, n: usize) -> Self {
        self.alternatives = n;
        self
    }

    /// The target's hidden states go through `fusion` before the head reads them; it has a slot of its own, with room for a
    /// call.
    pub fn with_fusion(mut self, fusion: Box<dyn Executor>) -> Self {
        self.fusion = Some(Fusion::new(fusion));
        self
    }

    /// Token `i` of the head is the target's token `ids[i]`.
    pub fn with_target_ids(mut self, ids: &[u32]) -> Self {
        self.names = Some(Names::new(ids));
        self
    }

    /// The target's token that the last call's result names.
    fn chosen(&mut self, sampling: &sample::SamplingParams) -> Result<u32, ProposeError> {
        let (vocab, history) = (self.executor.plan().vocab, &self.history);
        match &mut self.names {
            Some(names) => names.chosen(&self.outputs, vocab, history, sampling, &mut self.scratch),
            None => chosen(&self.outputs, vocab, history, sampling, &mut self.scratch),
        }
    }

    /// The next best tokens of that result.
    fn others(&self, first: u32) -> Vec<u32> {
        match &self.names {
            Some(names) => names.others(&self.outputs, first, self.alternatives),
            None => others(&self.outputs, first, self.alternatives),
        }
    }

    /// Columns of a hidden state of the target.
    fn columns(&self) -> usize {
        self.fusion.as_ref().map_or(self.width, Fusion::width)
    }

    /// Pairs that were not read.
    fn unread(&self) -> usize {
        self.waiting.len() / self.columns().max(1)
    }

    /// Text position after the hidden states that are known.
    fn known(&self) -> usize {
        self.base + self.read + self.unread()
    }

    /// Begins anew at the last `kept` pairs.
    fn forget_before(&mut self, kept: usize) -> Result<(), ProposeError> {
        let gone = self.unread().saturating_sub(kept);
        self.waiting.drain(..gone * self.columns());
        (self.base, self.read) = (self.base + self.read + gone, 0);
        self.forget_drafts()
    }

    /// Drops what the head drafted.
    fn forget_drafts(&mut self) -> Result<(), ProposeError> {
        Ok(self.executor.truncate(0, u32::try_from(self.read).unwrap_or(u32::MAX))?)
    }

    /// Runs one call on the end of the head's rows.
    fn run(&mut self, tokens: &[u32], states: &[f32], wanted: Wanted) -> Result<(), ProposeError> {
        let position = self.executor.committed().first().copied().unwrap_or(0);
        self.rows.clear();
        self.rows.push_chain(0, position, tokens, 1, wanted);
        self.rows.set_inputs(states);
        let entry = self.executor.plan().entry_for(tokens.len()).unwrap_or(0);
        Ok(self.executor.execute(entry, &self.rows, &mut self.outputs)?)
    }

    /// Reads the pairs of which both halves are known; the result of the last is kept in `wanted` form.
    fn catch_up(&mut self, text: &[u32], wanted: Wanted) -> Result<(), ProposeError> {
        self.forget_drafts()?;
        let widest = self.executor.plan().entries.iter().map(|e| e.width).max().unwrap_or(1);
        let room = self.executor.capacity();
        loop {
            let first = self.base + self.read;
            let pairs = self.unread().min(text.len().saturating_sub(first + 1));
            let n = pairs.min(widest).min(room.saturating_sub(self.read));
            if n == 0 {
                return Ok(());
            }
            let mut states: Vec<f32> = self.waiting.drain(..n * self.columns()).collect();
            if let Some(fusion) = &mut self.fusion {
                states = fusion.fuse(&states)?;
            }
            let wanted = if n == pairs { wanted } else { Wanted::Nothing };
            self.run(&text[first + 1..first + 1 + n], &states, wanted)?;
            self.read += n;
        }
    }
}

impl Proposer for HeadModel {
    fn name(&self) -> &'static str {
        self.name
    }

    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError> {
        // The anchor's pair is the last one: its hidden state is that of the token before it.
        if ask.text.len() < 2 || self.known() + 1 != ask.text.len() || self.waiting.is_empty() {
            return Ok(());
        }
        draft.read = self.unread();
        self.catch_up(ask.text, wanted(ask.sampling, self.alternatives))?;
        if self.base + self.read + 1 != ask.text.len() {
            return Ok(()); // past its context
        }
        let room = self.executor.capacity() - self.read;
        let most = ask.most.min(self.most).min(room + 1);
        self.history.clear();
        self.history.extend_from_slice(ask.text);
        let then = wanted(ask.sampling, 0);
        loop {
            let token = self.chosen(ask.sampling)?;
            if draft.tokens.is_empty() {
                draft.alternatives = self.others(token);
            }
            draft.tokens.push(token);
            self.history.push(token);
            if draft.tokens.len() >= most {
                return Ok(());
            }
            let last = self.outputs.taps.len().saturating_sub(self.width);
            let state = self.outputs.taps[last..].to_vec();
            self.run(&[token], &state, then)?;
        }
    }

    fn absorb(&mut self, text: &[u32], first: usize, taps: &[f32]) -> Result<(), ProposeError> {
        let columns = self.columns();
        if let Some(fusion) = &self.fusion {
            fusion.check(taps)?;
        }
        if columns == 0 || taps.len() < columns {
            return Ok(());
        }
        self.cut(first)?;
        match first.checked_sub(self.known()) {
            Some(0) => {}
            // After a cut the last state before it may be gone; the next one stands in for it.
            Some(1) if self.read > 0 => self.waiting.extend_from_slice(&taps[..columns]),
            _ => {
                (self.base, self.read) = (first, 0);
                self.waiting.clear();
            }
        }
        self.waiting.extend_from_slice(taps);
        if !self.follow && self.unread() > WAITING_UNFOLLOWED {
            self.forget_before(KEPT)?;
        } else if self.unread() > WAITING {
            // The anchor's own pair stays, for the next proposal's first result.
            self.catch_up(&text[..text.len().min(self.known())], Wanted::Nothing)?;
        }
        Ok(())
    }

    fn follow(&mut self, worth: bool) {
        self.follow = worth;
    }

    fn cut(&mut self, len: usize) -> Result<(), ProposeError> {
        if len <= self.base && len < self.known() {
            (self.base, self.read) = (len, 0);
            self.waiting.clear();
            self.forget_drafts()?;
        } else if len < self.known() {
            // Pair `t` holds token `t + 1`, so the last position's pair is another one now.
            let pairs = len.saturating_sub(self.base + 1);
            if pairs < self.read {
                self.read = pairs;
                self.waiting.clear();
                self.forget_drafts()?;
            } else {
                self.waiting.truncate((len - self.base - self.read) * self.columns());
            }
        }
        Ok(())
    }

    fn most(&self) -> usize {
        self.most
    }
}
