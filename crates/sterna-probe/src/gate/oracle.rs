//! A drafter that knows the answer: it proposes what the first arm said, with a wrong token where it is told to. So every
//! depth of acceptance comes up on any model, also on one that has no drafter of its own.

use std::sync::{Arc, Mutex, PoisonError};

use sterna_run::Request;
use sterna_run::speculate::{Ask, Draft, ProposeError, Proposer};

use super::FactoryError;
use super::lossless::{Answer, Arm};

/// Answers of the first arm, and which of them is wanted now.
#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<Notes>>);

#[derive(Debug, Default)]
struct Notes {
    /// Prompt and answer in one, in the order of the requests.
    texts: Vec<Vec<u32>>,
    /// The request that is being answered.
    at: usize,
}

impl Known {
    fn with<T>(&self, f: impl FnOnce(&mut Notes) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An arm whose answers are noted.
pub struct Noting<'a> {
    arm: Box<dyn Arm + 'a>,
    known: Known,
}

impl<'a> Noting<'a> {
    /// Notes the answers of `arm` in `known`.
    pub fn new(arm: Box<dyn Arm + 'a>, known: Known) -> Self {
        Self { arm, known }
    }
}

impl Arm for Noting<'_> {
    fn answer(&mut self, request: &Request) -> Result<Answer, FactoryError> {
        let answer = self.arm.answer(request)?;
        let text: Vec<u32> = request.prompt.iter().chain(&answer.tokens).copied().collect();
        self.known.with(|k| k.texts.push(text));
        Ok(answer)
    }
}

/// An arm whose [`Oracle`] hears which request it answers: prompts may be asked several times, with another answer each.
pub struct Following<'a> {
    arm: Box<dyn Arm + 'a>,
    known: Known,
    next: usize,
}

impl<'a> Following<'a> {
    /// Follows `arm`, which answers the requests in the order in which they were noted.
    pub fn new(arm: Box<dyn Arm + 'a>, known: Known) -> Self {
        Self { arm, known, next: 0 }
    }
}

impl Arm for Following<'_> {
    fn answer(&mut self, request: &Request) -> Result<Answer, FactoryError> {
        self.known.with(|k| k.at = self.next);
        self.next += 1;
        self.arm.answer(request)
    }
}

/// Where an [`Oracle`] goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nowhere: all it says is right.
    Never,
    /// In the first token of every draft.
    Always,
    /// In a token that changes from round to round, or in none.
    Somewhere,
}

/// Proposes from what is known of the request that a [`Following`] arm answers.
pub struct Oracle {
    known: Known,
    fault: Fault,
    vocab: u32,
    most: usize,
    round: usize,
}

impl Oracle {
    /// A drafter of at most `most` tokens below `vocab`. Outside a [`Following`] arm it knows the first answer alone.
    pub fn new(known: Known, fault: Fault, vocab: u32, most: usize) -> Self {
        Self { known, fault, vocab, most, round: 0 }
    }
}

impl Proposer for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError> {
        let n = ask.text.len();
        let next = self.known.with(|known| {
            let text = known.texts.get(known.at).filter(|t| t.starts_with(ask.text));
            text.map(|t| t[n..].iter().take(ask.most).copied().collect::<Vec<_>>())
        });
        draft.tokens = next.unwrap_or_default();
        self.round += 1;
        let wrong = match self.fault {
            Fault::Never => draft.tokens.len(),
            Fault::Always => 0,
            Fault::Somewhere => self.round % (draft.tokens.len() + 1),
        };
        if let Some(token) = draft.tokens.get_mut(wrong) {
            *token = (*token + 1) % self.vocab.max(1);
        }
        Ok(())
    }

    fn most(&self) -> usize {
        self.most
    }
}
