//! A conversation with a loaded model: which tokens its state holds, and how more are fed.

use std::time::Instant;

use sterna_plan::{
    BackendError, CallStats, Executor, HOLD_ROWS, Outputs, Parent, Row, RowTable, Wanted, choose,
};

use crate::speculate::{Kept, Speculator};
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
    /// Tokens of the call that is held; none is part of `tokens` yet.
    held: Vec<u32>,
    speculator: Option<Speculator>,
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
        let (tokens, held) = (Vec::new(), Vec::new());
        Ok(Self { executor, tokens, widths, rows, outputs, tracer: None, held, speculator: None })
    }

    /// Tells `tracer` of every call and span from now on, or nobody any more. No bit of a result depends on it.
    pub fn trace(&mut self, tracer: Option<Box<dyn Tracer>>) {
        self.executor.trace(tracer.is_some());
        self.tracer = tracer;
    }

    /// Who proposes tokens from now on, or nobody. No token depends on it.
    pub fn speculate(&mut self, speculator: Option<Speculator>) {
        self.speculator = speculator.filter(|s| !s.is_empty());
    }
    /// Who proposes tokens.
    pub fn speculator(&self) -> Option<&Speculator> {
        self.speculator.as_ref()
    }
    pub(crate) fn speculator_mut(&mut self) -> Option<&mut Speculator> {
        self.speculator.as_mut()
    }

    /// Bytes that snapshots of the states may take, for models whose states own time: an edit in the middle of a long
    /// text, or an answer made anew, then begins at the deepest one before it. Other models need none.
    pub fn set_state_cache(&mut self, bytes: usize) {
        self.executor.set_snapshot_budget(bytes);
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
        // The next turn may be made anew, or edited: it then begins here.
        if common == self.tokens.len() && common > 0 {
            self.executor.snapshot(0)?;
        }
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
        if (keep as usize) < self.tokens.len() {
            self.tokens.truncate(keep as usize);
            if let Some(speculator) = &mut self.speculator {
                speculator.cut(keep as usize);
            }
        }
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
            self.traced(start, entry);
            stats.weight_bytes += self.outputs.stats.weight_bytes;
            stats.macs += self.outputs.stats.macs;
            self.tokens.extend_from_slice(chunk);
            for (row, _) in self.rows.outputs() {
                on_output(done + row, &self.outputs, row);
            }
            done += n;
            if done < tokens.len() {
                self.executor.snapshot(0)?;
            }
            progress(done);
        }
        Ok(stats)
    }

    /// Evaluates tokens that may turn out not to be the text: rows that hang together as `parents` say (each an earlier
    /// row, or none for one that follows the held text). The results of all are in [`Session::outputs`]; then
    /// [`Session::accept`] keeps some, or any other call forgets all.
    ///
    /// # Errors
    /// No tokens, no room, or the backend's: a tree that its states cannot hold.
    pub fn verify(
        &mut self,
        tokens: &[u32],
        parents: &[Option<usize>],
        wanted: Wanted,
    ) -> Result<(), SessionError> {
        if tokens.is_empty() {
            return Err(SessionError::Empty);
        }
        self.held.clear();
        self.rows.clear();
        let begin = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
        for (token, parent) in tokens.iter().zip(parents) {
            let above = parent.and_then(|p| self.rows.rows().get(p).map(|r| r.position.saturating_add(1)));
            let position = above.unwrap_or(begin);
            let parent = parent.map_or(Parent::Committed, Parent::Row);
            self.rows.push(Row { token: *token, sequence: 0, position, parent, kv_slot: position, wanted });
        }
        let deepest = self.rows.rows().iter().map(|r| r.position as usize + 1).max().unwrap_or(0);
        if deepest > self.context() {
            let (tokens, used) = (deepest - self.tokens.len(), self.tokens.len());
            return Err(SessionError::ContextFull { tokens, used, context: self.context() });
        }
        let entry = self.executor.plan().entry_for(self.rows.len()).unwrap_or(usize::MAX);
        let start = self.clock();
        self.executor.hold(entry, &self.rows, &mut self.outputs)?;
        self.traced(start, entry);
        self.held.extend_from_slice(tokens);
        Ok(())
    }

    /// Keeps the rows at `path` of the call that was verified, a chain from the held text on, and forgets the others.
    /// [`Session::outputs`] stay those of the call.
    ///
    /// # Errors
    /// Nothing was verified, or no such chain.
    pub fn accept(&mut self, path: &[usize]) -> Result<(), SessionError> {
        self.executor.accept(0, path)?;
        self.tokens.extend(path.iter().filter_map(|i| self.held.get(*i)));
        self.held.clear();
        Ok(())
    }

    /// Tells the proposers that the first `n` rows of the last call, from position `first` on, are part of `text`.
    pub(crate) fn absorbed(&mut self, text: &[u32], first: usize, n: usize, what: Kept) {
        let width = self.executor.plan().tap_width();
        let taps = &self.outputs.taps[..(n * width).min(self.outputs.taps.len())];
        if let Some(speculator) = &mut self.speculator {
            speculator.absorb(text, first, n, taps, what);
        }
    }

    /// As [`Session::absorbed`], of the rows at `path` of an answer.
    pub(crate) fn absorbed_path(&mut self, text: &[u32], first: usize, path: &[usize]) {
        let width = self.executor.plan().tap_width();
        let rows = path.iter().filter_map(|i| self.outputs.taps.get(i * width..(i + 1) * width));
        let taps = rows.collect::<Vec<_>>().concat();
        if let Some(speculator) = &mut self.speculator {
            speculator.absorb(text, first, path.len(), &taps, Kept::Answer);
        }
    }

    /// Most rows of a call that is verified.
    pub fn widest_verify(&self) -> usize {
        self.widths.iter().copied().max().unwrap_or(1).min(HOLD_ROWS)
    }

    /// Rows of the widest call of a prompt.
    pub(crate) fn widest(&self) -> usize {
        self.widths.iter().copied().max().unwrap_or(1)
    }

    /// A call that began at `start` has ended.
    fn traced(&mut self, start: Option<Instant>, entry: usize) {
        if let (Some(tracer), Some(start)) = (&mut self.tracer, start) {
            let (end, position, rows) = (Instant::now(), self.tokens.len(), self.rows.len());
            let (stats, executor) = (self.outputs.stats, &*self.executor);
            tracer.call(&TracedCall { start, end, entry, rows, position, stats, executor });
        }
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
