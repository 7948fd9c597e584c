//! Gemma 4's drafter as proposer: it reads the target's own keys and values, and keeps none.
//!
//! A row is a pair (token, hidden state before it). The first is the anchor with the target's hidden state at the token
//! before it; then each drafted token goes with what the drafter made of the row before. All rows stand at the anchor's
//! position, the end of what the target has committed: it has no later keys that the drafter could read. So there is
//! nothing to catch up with, and nothing to forget when a draft is refused.

use sterna_plan::{Executor, Outputs, Parent, Row, RowTable};

use super::draft::{chosen, others, wanted};
use super::proposer::{Ask, Draft, ProposeError, Proposer};
use crate::sample;

/// Proposes with a drafter that borrows the target's keys.
pub struct AssistantModel {
    executor: Box<dyn Executor>,
    /// Columns of a hidden state.
    width: usize,
    /// Text position after the hidden state that is known, and the state; nothing known at 0.
    known: usize,
    state: Vec<f32>,
    rows: RowTable,
    outputs: Outputs,
    scratch: sample::Scratch,
    history: Vec<u32>,
    alternatives: usize,
    most: usize,
}

impl AssistantModel {
    /// A proposer of at most `most` tokens on an executor that was loaded beside the target's: its plan takes hidden states
    /// and hands some out, and borrows its keys from slot 0.
    pub fn new(executor: Box<dyn Executor>, most: usize) -> Self {
        Self {
            width: executor.plan().tap_width(),
            executor,
            known: 0,
            state: Vec::new(),
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
}

impl Proposer for AssistantModel {
    fn name(&self) -> &'static str {
        "assistant"
    }

    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError> {
        let position = u32::try_from(self.known).unwrap_or(u32::MAX);
        // Without the state before the anchor it has nothing to go by.
        if self.known == 0 || self.known + 1 != ask.text.len() {
            return Ok(());
        }
        let Some(mut token) = ask.text.last().copied() else { return Ok(()) };
        self.history.clear();
        self.history.extend_from_slice(ask.text);
        let mut wants = wanted(ask.sampling, self.alternatives);
        let mut state = self.state.clone();
        let vocab = self.executor.plan().vocab;
        while draft.tokens.len() < ask.most.min(self.most) {
            self.rows.clear();
            let (parent, kv_slot) = (Parent::Committed, position);
            self.rows.push(Row { token, sequence: 0, position, parent, kv_slot, wanted: wants });
            self.rows.set_inputs(&state);
            self.executor.execute(0, &self.rows, &mut self.outputs)?;
            token = chosen(&self.outputs, vocab, &self.history, ask.sampling, &mut self.scratch)?;
            if draft.tokens.is_empty() {
                draft.alternatives = others(&self.outputs, token, self.alternatives);
                wants = wanted(ask.sampling, 0);
            }
            draft.tokens.push(token);
            self.history.push(token);
            state.clone_from(&self.outputs.taps);
        }
        Ok(())
    }

    fn absorb(&mut self, _: &[u32], first: usize, taps: &[f32]) -> Result<(), ProposeError> {
        let Some(rows) = taps.len().checked_div(self.width).filter(|n| *n > 0) else { return Ok(()) };
        if rows * self.width != taps.len() {
            let why = format!("{} values of hidden states that are {} wide", taps.len(), self.width);
            return Err(ProposeError::Options { proposer: self.name(), why });
        }
        self.known = first + rows;
        self.state.clear();
        self.state.extend_from_slice(&taps[taps.len() - self.width..]);
        Ok(())
    }

    fn cut(&mut self, len: usize) -> Result<(), ProposeError> {
        if len < self.known {
            self.known = 0;
        }
        Ok(())
    }

    fn most(&self) -> usize {
        self.most
    }
}
