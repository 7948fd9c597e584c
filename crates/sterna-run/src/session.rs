//! A conversation with a loaded model: which tokens its state holds, and how more are fed.

use std::time::Instant;

use sterna_plan::{BackendError, CallStats, Executor, Outputs, RowTable, Wanted, choose};

use crate::trace::{Fact, Role, Span, TracedCall, Tracer};

/// Why a session cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// More tokens than the session has room for.
    #[error(
        "{tokens} tokens do not fit: the session's context is {context} tokens and {used} are used; shorten the \
         prompt or ask for a larger context (--context), as far as the model allows"
    )]
    ContextFull {
        /// Tokens to feed.
        tokens: usize,
        /// Positions already used.
        used: usize,
        /// Positions in all.
        context: usize,
    },
    /// Nothing to feed.
    #[error("the prompt has no tokens; give some text")]
    Empty,
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// One sequence on an executor: the tokens whose state is held, and their entry points.
pub struct Session {
    executor: Box<dyn Executor>,
    tokens: Vec<u32>,
    widths: Vec<usize>,
    rows: RowTable,
    outputs: Outputs,
    tracer: Option<Box<dyn Tracer>>,
}

impl Session {
    /// A session with room for `context` positions.
    ///
    /// # Errors
    /// A context that the plan does not allow, or memory.
    pub fn new(mut executor: Box<dyn Executor>, context: usize) -> Result<Self, SessionError> {
        executor.allocate(1, context)?;
        let widths = executor.plan().entries.iter().map(|e| e.width).collect();
        let (rows, outputs) = (RowTable::new(), Outputs::default());
        Ok(Self { executor, tokens: Vec::new(), widths, rows, outputs, tracer: None })
    }

    /// Tells `tracer` of every call and span from now on, or nobody any more. No bit of a result depends on it.
    pub fn trace(&mut self, tracer: Option<Box<dyn Tracer>>) {
        self.executor.trace(tracer.is_some());
        self.tracer = tracer;
    }

    /// Now, if anybody wants to know.
    pub(crate) fn clock(&self) -> Option<Instant> {
        self.tracer.is_some().then(Instant::now)
    }

    /// What began at `start` has ended.
    pub(crate) fn span(&mut self, role: Role, start: Option<Instant>, facts: &[(&'static str, Fact<'_>)]) {
        if let (Some(tracer), Some(start)) = (&mut self.tracer, start) {
            tracer.span(&Span { role, start, end: Instant::now(), facts });
        }
    }

    /// Uses only entry points of at most `width` rows (at least one row); for measurements.
    pub fn limit_width(&mut self, width: usize) {
        self.widths = self.executor.plan().entries.iter().map(|e| e.width.min(width.max(1))).collect();
        self.widths.dedup();
    }

    /// The executor.
    pub fn executor(&self) -> &dyn Executor {
        &*self.executor
    }
    /// The executor, to profile or inspect it.
    pub fn executor_mut(&mut self) -> &mut dyn Executor {
        &mut *self.executor
    }
    /// Tokens whose state is held.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }
    /// Positions in all.
    pub fn context(&self) -> usize {
        self.executor.capacity()
    }
    /// Positions left.
    pub fn remaining(&self) -> usize {
        self.context() - self.tokens.len()
    }
    /// Results of the last call.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// Keeps the longest common prefix of the held tokens and `prompt` that costs nothing to keep, at least one token
    /// short of `prompt` so that there is a row to ask, and drops the rest. Returns the prefix's length: the whole common
    /// one, or less where a state that owns time no longer has its end ([`Executor::reusable_prefix`]).
    ///
    /// # Errors
    /// The backend's.
    pub fn reuse(&mut self, prompt: &[u32]) -> Result<usize, SessionError> {
        let common = self.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        let keep = self.cut(common.min(prompt.len().saturating_sub(1)))?;
        Ok(keep)
    }

    /// Forgets every position from `len` on. Where a state that owns time no longer has that position, the tokens since
    /// the last one it has are fed again: the state is then what it was at `len`, bit for bit.
    ///
    /// # Errors
    /// The backend's; after a failed replay fewer tokens are held, those of [`Session::tokens`].
    pub fn truncate(&mut self, len: usize) -> Result<(), SessionError> {
        if len < self.tokens.len() {
            let again = self.tokens[..len].to_vec();
            let keep = self.cut(len)?;
            if keep < len {
                self.feed(&again[keep..], 0, Wanted::Nothing, &mut |_| {}, &mut |_, _, _| {})?;
            }
        }
        Ok(())
    }

    /// Cuts to the longest prefix of at most `len` tokens that can be had at once, and gives its length.
    fn cut(&mut self, len: usize) -> Result<usize, SessionError> {
        let wanted = u32::try_from(len).unwrap_or(u32::MAX);
        let keep = self.executor.reusable_prefix(0, wanted)?;
        self.executor.truncate(0, keep)?;
        self.tokens.truncate(keep as usize);
        Ok(self.tokens.len())
    }

    /// Feeds tokens in chunks, large ones first. Results in `wanted` form are asked of the last `last` tokens and
    /// handed to `on_output(position in tokens, outputs, row)`, call by call; `progress` hears how many tokens are fed.
    ///
    /// # Errors
    /// No tokens, no room, or the backend's; tokens fed before the error stay.
    pub fn feed(
        &mut self,
        tokens: &[u32],
        last: usize,
        wanted: Wanted,
        progress: &mut dyn FnMut(usize),
        on_output: &mut dyn FnMut(usize, &Outputs, usize),
    ) -> Result<CallStats, SessionError> {
        if tokens.is_empty() {
            return Err(SessionError::Empty);
        }
        if tokens.len() > self.remaining() {
            let (used, context) = (self.tokens.len(), self.context());
            return Err(SessionError::ContextFull { tokens: tokens.len(), used, context });
        }
        let mut stats = CallStats::default();
        let mut done = 0;
        for n in choose::chunks(tokens.len(), &self.widths) {
            let chunk = &tokens[done..done + n];
            let left_after = tokens.len() - done - n;
            let position = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
            self.rows.clear();
            self.rows.push_chain(0, position, chunk, last.saturating_sub(left_after).min(n), wanted);
            let entry = self.executor.plan().entry_for(n).unwrap_or(0);
            let start = self.clock();
            self.executor.execute(entry, &self.rows, &mut self.outputs)?;
            if let (Some(tracer), Some(start)) = (&mut self.tracer, start) {
                let (end, position, stats) = (Instant::now(), self.tokens.len(), self.outputs.stats);
                tracer.call(&TracedCall {
                    start,
                    end,
                    entry,
                    rows: n,
                    position,
                    stats,
                    executor: &*self.executor,
                });
            }
            stats.weight_bytes += self.outputs.stats.weight_bytes;
            stats.macs += self.outputs.stats.macs;
            self.tokens.extend_from_slice(chunk);
            for (row, _) in self.rows.outputs() {
                on_output(done + row, &self.outputs, row);
            }
            done += n;
            progress(done);
        }
        Ok(stats)
    }

    /// Feeds tokens and keeps the last one's result in [`Session::outputs`].
    ///
    /// # Errors
    /// As [`Session::feed`].
    pub fn ask(
        &mut self,
        tokens: &[u32],
        wanted: Wanted,
        progress: &mut dyn FnMut(usize),
    ) -> Result<CallStats, SessionError> {
        self.feed(tokens, 1, wanted, progress, &mut |_, _, _| {})
    }
}
