//! The loop that makes an answer: choose a token, say it, evaluate it, and with it the tokens that a proposer guesses
//! will follow.
//!
//! There is one loop, with drafts or without. A round evaluates rows: the token that was chosen last (the anchor) and what
//! hangs on it. Choosing goes row by row as plain decoding does, each choice from the row's own result: where a drafted row
//! holds the token that was chosen, its result is there already, and the walk goes on to it; where none does, the round is
//! over and the rows walked are accepted. Whatever ends the answer ends it between two choices, so text, finish and the
//! state that is left are those of plain decoding.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use sterna_checkpoint::Tokenizer;
use sterna_plan::{BackendError, Wanted};

use crate::generate::{Finish, GenerateError, Generated, Listener, Request};
use crate::sample::{self, SampleError};
use crate::session::{Session, SessionError};
use crate::speculate::Kept;
use crate::stop::StopMatcher;
use crate::stream::Utf8Stream;
use crate::trace::{Fact, Role};

/// What became of a draft.
enum Tried {
    /// There was none.
    Nothing,
    /// Its rows are there to be walked over.
    Verified,
    /// A call of so many rows failed where plain decoding may not.
    InVain { rows: usize },
}

/// Rows of a call that are verified, and the walk over them.
#[derive(Default)]
struct Round {
    /// The anchor first, then drafts; empty when the last call committed its rows.
    tokens: Vec<u32>,
    parents: Vec<Option<usize>>,
    /// Rows whose tokens are part of the text.
    path: Vec<usize>,
    /// Length of the drafted chain.
    chain: usize,
    took: Duration,
}

impl Round {
    /// The row that hangs on the walk's last one and holds `token`.
    fn next(&self, token: u32) -> Option<usize> {
        let last = self.path.last().copied();
        let rows = self.tokens.iter().zip(&self.parents);
        rows.enumerate().find(|(_, (t, p))| last.is_some() && **p == last && **t == token).map(|(i, _)| i)
    }
}

pub(crate) struct Decoder<'a> {
    session: &'a mut Session,
    tokenizer: &'a Tokenizer,
    request: &'a Request,
    listener: &'a mut dyn Listener,
    matcher: StopMatcher,
    bytes: Utf8Stream,
    wanted: Wanted,
    vocab: usize,
    scratch: sample::Scratch,
    history: Vec<u32>,
    round: Round,
    /// The token said last had been proposed.
    drafted: bool,
    out: Generated,
}

impl<'a> Decoder<'a> {
    /// A decoder after the prompt, whose last row's result the session holds.
    pub fn new(
        session: &'a mut Session,
        tokenizer: &'a Tokenizer,
        request: &'a Request,
        listener: &'a mut dyn Listener,
        matcher: StopMatcher,
        wanted: Wanted,
        out: Generated,
    ) -> Self {
        Self {
            vocab: session.executor().plan().vocab,
            session,
            tokenizer,
            request,
            listener,
            matcher,
            bytes: Utf8Stream::new(),
            wanted,
            scratch: sample::Scratch::default(),
            history: request.prompt.clone(),
            round: Round::default(),
            drafted: false,
            out,
        }
    }

    /// Makes the answer.
    pub fn run(mut self) -> Result<Generated, GenerateError> {
        let ended = self.walk();
        // Also after an error the rows that were walked are part of the state, as they are in plain decoding.
        let settled = self.settle();
        let cut_off = ended?;
        settled?;
        if !cut_off {
            self.finish_text();
        }
        Ok(self.out)
    }

    fn most(&self) -> usize {
        self.request.max_tokens.unwrap_or(usize::MAX)
    }

    /// Chooses tokens until something ends the answer; true if its text ends right there.
    fn walk(&mut self) -> Result<bool, GenerateError> {
        let start = Instant::now();
        while self.out.tokens.len() < self.most() {
            let began = self.session.clock();
            let (token, margin) = self.choose()?;
            let chosen = Fact::Whole(u64::from(token));
            self.session.span(
                Role::Sample,
                began,
                &[("token", chosen), ("margin", Fact::Number(margin.into()))],
            );
            self.out.margins.push(margin);
            self.out.decode = start.elapsed();
            if !self.request.ignore_end && self.tokenizer.config().eos.contains(&token) {
                self.out.finish = Finish::End { token };
                break;
            }
            self.out.tokens.push(token);
            self.history.push(token);
            let row = self.round.next(token);
            if row.is_some() != self.drafted {
                self.drafted = row.is_some();
                self.listener.drafted(self.drafted);
            }
            // Also the last of an answer that a stop text ends: it is part of the answer.
            self.out.drafts.accepted += usize::from(row.is_some());
            if let Some(finish) = self.say(token) {
                self.out.finish = finish;
                return Ok(true);
            }
            if self.out.tokens.len() >= self.most() {
                break;
            }
            if let Some(row) = row {
                self.round.path.push(row);
                continue;
            }
            self.settle()?;
            if self.session.remaining() == 0 {
                self.out.finish = Finish::Context;
                break;
            }
            self.evaluate(token)?;
        }
        Ok(false)
    }

    /// The next token and the margin of the best over the second, from the result of the walk's last row.
    fn choose(&mut self) -> Result<(u32, f32), SampleError> {
        let outputs = self.session.outputs();
        let row = self.round.path.last().or(outputs.rows.last()).copied().unwrap_or(0);
        let top = outputs.top_of(row).unwrap_or_default();
        let Some(logits) = outputs.logits_of(row) else { return Ok((top.token, top.logit - top.second)) };
        let (history, params) = (&self.history, &self.request.sampling);
        let position = history.len() as u64;
        let token = sample::sample(logits, self.vocab, history, position, params, &mut self.scratch)?;
        Ok((token.id, token.margin))
    }

    /// Hands on the text of a token; what ends the answer with it, if something does.
    fn say(&mut self, token: u32) -> Option<Finish> {
        let began = self.session.clock();
        let push =
            self.matcher.push(&self.bytes.push(&self.tokenizer.token_bytes(token).unwrap_or_default()));
        self.out.text.push_str(&push.emit);
        let flow =
            if push.emit.is_empty() { ControlFlow::Continue(()) } else { self.listener.text(&push.emit) };
        let facts = [("token", Fact::Whole(u64::from(token))), ("text", Fact::Text(&push.emit))];
        self.session.span(Role::Text, began, &facts);
        if push.stopped {
            return Some(Finish::Stop { text: self.matcher.matched().unwrap_or_default().to_owned() });
        }
        flow.is_break().then_some(Finish::Cancelled)
    }

    /// The text that was held back for a stop string or an unfinished character.
    fn finish_text(&mut self) {
        let last = self.matcher.push(&self.bytes.finish());
        self.out.text.push_str(&last.emit);
        let mut tail = last.emit;
        if last.stopped {
            self.out.finish = Finish::Stop { text: self.matcher.matched().unwrap_or_default().to_owned() };
        } else {
            let held = self.matcher.finish();
            self.out.text.push_str(&held);
            tail.push_str(&held);
        }
        if !tail.is_empty() {
            let _ = self.listener.text(&tail);
        }
    }

    /// Accepts the rows that were walked.
    fn settle(&mut self) -> Result<(), SessionError> {
        if self.round.tokens.is_empty() {
            return Ok(());
        }
        let round = std::mem::take(&mut self.round);
        let first = self.session.tokens().len();
        self.session.accept(&round.path)?;
        let chained = round.path.iter().filter(|r| (1..=round.chain).contains(*r)).count();
        if let Some(speculator) = self.session.speculator_mut() {
            speculator.learn(round.tokens.len(), chained, round.took);
        }
        self.session.absorbed_path(&self.history, first, &round.path);
        Ok(())
    }

    /// Evaluates the token that was chosen, with drafts after it if somebody has some.
    fn evaluate(&mut self, token: u32) -> Result<(), SessionError> {
        self.out.drafts.rounds += 1;
        let drafted = self.propose();
        let began = self.session.clock();
        let start = Instant::now();
        let tried = if drafted { self.verify(token)? } else { Tried::Nothing };
        if matches!(tried, Tried::Verified) {
            self.round.took = start.elapsed();
            let rows = Fact::Whole(self.round.tokens.len() as u64);
            let facts = [("token", Fact::Whole(u64::from(token))), ("rows", rows)];
            self.session.span(Role::Verify, began, &facts);
            return Ok(());
        }
        let first = self.session.tokens().len();
        self.session.ask(&[token], self.wanted, &mut |_| {})?;
        // What was tried in vain is part of the price of a draft.
        let took = start.elapsed();
        self.session.span(Role::Decode, began, &[("token", Fact::Whole(u64::from(token)))]);
        if let Some(speculator) = self.session.speculator_mut() {
            speculator.learn(if let Tried::InVain { rows } = tried { rows } else { 1 }, 0, took);
        }
        self.session.absorbed(&self.history, first, 1, Kept::Answer);
        Ok(())
    }

    /// Asks the proposers; true if there is a draft.
    fn propose(&mut self) -> bool {
        let left = self.most() - self.out.tokens.len();
        let room = self.session.remaining().min(self.session.widest_verify());
        // The last token of an answer is chosen, never evaluated.
        let limit = left.saturating_sub(1).min(room.saturating_sub(1));
        let began = self.session.clock();
        let Some(speculator) = self.session.speculator_mut().filter(|_| limit > 0) else { return false };
        let who = speculator.propose(&self.history, limit, &self.request.sampling);
        let drafted = Fact::Whole(speculator.draft().tokens.len() as u64);
        let facts = [("proposer", Fact::Text(who.unwrap_or("nobody"))), ("drafted", drafted)];
        self.session.span(Role::Draft, began, &facts);
        who.is_some()
    }

    /// Evaluates the anchor and the draft.
    fn verify(&mut self, token: u32) -> Result<Tried, SessionError> {
        let Some(draft) = self.session.speculator().map(|s| s.draft().clone()) else {
            return Ok(Tried::Nothing);
        };
        let vocab = u32::try_from(self.vocab).unwrap_or(u32::MAX);
        let known = draft.tokens.iter().take_while(|t| **t < vocab).count();
        let round = &mut self.round;
        round.chain = known;
        round.tokens.push(token);
        round.tokens.extend(&draft.tokens[..known]);
        round.parents.extend((0..=known).map(|i| i.checked_sub(1)));
        if !self.session.executor().plan().owns_time() {
            let room = self.session.widest_verify().saturating_sub(round.tokens.len());
            for other in draft.alternatives.iter().filter(|t| **t < vocab).take(room) {
                if draft.tokens.first() != Some(other) {
                    round.tokens.push(*other);
                    round.parents.push(Some(0));
                }
            }
        }
        match self.session.verify(&round.tokens, &round.parents, self.wanted) {
            Ok(()) => {
                round.path.push(0);
                self.out.drafts.proposed += round.tokens.len() - 1;
                Ok(Tried::Verified)
            }
            // A row that plain decoding would never have evaluated may be the one that is not finite.
            Err(SessionError::Backend(BackendError::NonFinite { .. })) => {
                let rows = round.tokens.len();
                self.out.drafts.proposed += rows - 1;
                self.round = Round::default();
                Ok(Tried::InVain { rows })
            }
            Err(other) => {
                self.round = Round::default();
                Err(other)
            }
        }
    }
}
