//! The same answers on every arm: tokens, text, finish reason and the state left behind, compared byte for byte over a
//! prompt file.
//!
//! An arm is anything that answers a request. [`PlainArm`] is a session in one of its walks; an arm that speculates
//! implements [`Arm`] in the same way and fills [`Answer::speculation`]: if its run accepts no draft, or rejects none,
//! the gate fails, since such a run proves nothing. It fails too where a proposer that is always right is turned down, or
//! one that is always wrong is followed.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sterna_checkpoint::Tokenizer;
use sterna_run::{Request, Session, Silent, generate};

use super::{FactoryError, GateError, fingerprint};
use crate::table::{Table, count};

/// Drafts of one answer or of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Speculation {
    /// Draft tokens that became part of an answer.
    pub accepted: u64,
    /// Draft tokens that were verified and dropped.
    pub rejected: u64,
}

/// What an arm answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Tokens made.
    pub tokens: Vec<u32>,
    /// Their text, up to a stop text.
    pub text: String,
    /// What ended it: [`sterna_run::Finish::name`] and the stop text or end token.
    pub finish: String,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// SHA-256 of the whole state after the answer, as [`Executor::state_bytes`](sterna_plan::Executor::state_bytes)
    /// gives it; compared where both arms tell it.
    pub state: Option<String>,
    /// Drafts, of an arm that speculates.
    pub speculation: Option<Speculation>,
}

/// A way to answer requests.
pub trait Arm {
    /// Answers one request; whatever the arm holds from earlier ones must not show.
    ///
    /// # Errors
    /// What kept it from an answer.
    fn answer(&mut self, request: &Request) -> Result<Answer, FactoryError>;
}

/// Drafts that an arm which speculates must have had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drafts {
    /// Accepted ones and rejected ones.
    #[default]
    Both,
    /// Accepted ones alone: its proposer is always right.
    Accepted,
    /// Rejected ones alone: its proposer is always wrong.
    Rejected,
    /// Any or none: its policy may find that none pay.
    Any,
}

/// A named arm that is made when its turn comes, so that one is in memory at a time.
pub struct ArmSpec<'a> {
    /// For people.
    pub name: String,
    /// What it must have drafted, if it speculates.
    pub wants: Drafts,
    /// Makes it.
    pub make: Box<dyn Fn() -> Result<Box<dyn Arm + 'a>, FactoryError> + 'a>,
}

/// How a plain arm reads a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// In calls of at most that many rows, from an empty state.
    Cold {
        /// Rows; 1 is the walk of the `main` entry point alone.
        rows: usize,
    },
    /// In the widest calls, keeping what the state shares with the request before; every request is answered twice, and
    /// the second answer counts.
    Warm,
}

/// A session, with the proposers that it has.
pub struct PlainArm<'a> {
    session: Session,
    tokenizer: &'a Tokenizer,
    reading: Reading,
}

impl<'a> PlainArm<'a> {
    /// An arm on `session`.
    pub fn new(mut session: Session, tokenizer: &'a Tokenizer, reading: Reading) -> Self {
        if let Reading::Cold { rows } = reading {
            session.limit_width(rows);
        }
        Self { session, tokenizer, reading }
    }
}

impl Arm for PlainArm<'_> {
    fn answer(&mut self, request: &Request) -> Result<Answer, FactoryError> {
        if self.reading == Reading::Warm {
            generate(&mut self.session, self.tokenizer, request, &mut Silent)?;
        } else {
            self.session.truncate(0)?;
        }
        let made = generate(&mut self.session, self.tokenizer, request, &mut Silent)?;
        let finish = match &made.finish {
            sterna_run::Finish::End { token } => format!("end {token}"),
            sterna_run::Finish::Stop { text } => format!("stop {text:?}"),
            other => other.name().to_owned(),
        };
        let state = fingerprint::bytes(&self.session.executor().state_bytes(0)?);
        Ok(Answer {
            tokens: made.tokens,
            text: made.text,
            finish,
            prompt_tokens: made.prompt_tokens,
            state: Some(state),
            speculation: self.session.speculator().map(|_| Speculation {
                accepted: made.drafts.accepted as u64,
                rejected: (made.drafts.proposed - made.drafts.accepted) as u64,
            }),
        })
    }
}

/// The first answer of an arm that is not the base's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerDifference {
    /// Index of the request.
    pub request: usize,
    /// "tokens", "text", "finish", "usage" or "state".
    pub what: &'static str,
    /// The first place that differs: a token or a byte; 0 for the others.
    pub at: usize,
    /// What the base has there.
    pub base: String,
    /// What the arm has.
    pub arm: String,
}

/// One arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LosslessArm {
    /// Its name.
    pub name: String,
    /// Drafts of which kind must be there for the run to prove something.
    pub wants: Drafts,
    /// Requests answered.
    pub requests: usize,
    /// Of these, with the base's tokens, text, finish reason, usage and state.
    pub equal: usize,
    /// Tokens made.
    pub tokens: usize,
    /// Drafts; `None` for an arm that does not speculate.
    pub speculation: Option<Speculation>,
    /// The first difference.
    pub first: Option<AnswerDifference>,
    /// Why it failed; empty when it did not.
    pub failures: Vec<String>,
}

/// All arms against the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LosslessReport {
    /// Requests.
    pub requests: usize,
    /// How the base's answers ended, and how many so.
    pub finishes: BTreeMap<String, usize>,
    /// Every arm, the base first.
    pub arms: Vec<LosslessArm>,
}

impl LosslessReport {
    /// At least two arms answered, tokens were made, and nothing failed.
    pub fn passed(&self) -> bool {
        self.arms.len() > 1
            && self.requests > 0
            && self.arms.iter().all(|a| a.tokens > 0 && a.requests == self.requests && a.failures.is_empty())
    }

    /// Whether every arm gave every answer of the first.
    pub fn same(&self) -> bool {
        self.arms.iter().all(|a| a.tokens > 0 && a.requests == self.requests && a.equal == a.requests)
    }

    /// Whether an arm speculated.
    pub fn speculates(&self) -> bool {
        self.arms.iter().any(|a| a.speculation.is_some())
    }
}

/// Every request on every arm, against the first arm's answers. `progress` hears answers done.
///
/// # Errors
/// Fewer than two arms, no requests, an arm that cannot be made or does not answer. A difference is not an error: see
/// [`LosslessReport::passed`].
pub fn lossless(
    arms: &[ArmSpec<'_>],
    requests: &[Request],
    progress: &mut dyn FnMut(usize),
) -> Result<LosslessReport, GateError> {
    if arms.len() < 2 || requests.is_empty() {
        let (a, r) = (arms.len(), requests.len());
        return Err(GateError::Options(format!("{a} arms and {r} requests: nothing to compare")));
    }
    let mut base: Vec<Answer> = Vec::with_capacity(requests.len());
    let mut report = LosslessReport { requests: requests.len(), finishes: BTreeMap::new(), arms: Vec::new() };
    let mut done = 0;
    for (which, spec) in arms.iter().enumerate() {
        let failed = |source| GateError::Arm { arm: spec.name.clone(), source };
        let mut arm = (spec.make)().map_err(failed)?;
        let mut found = LosslessArm {
            name: spec.name.clone(),
            wants: spec.wants,
            requests: 0,
            equal: 0,
            tokens: 0,
            speculation: None,
            first: None,
            failures: Vec::new(),
        };
        for (i, request) in requests.iter().enumerate() {
            let answer = arm.answer(request).map_err(failed)?;
            found.requests += 1;
            found.tokens += answer.tokens.len();
            if let Some(s) = answer.speculation {
                let sum = found.speculation.get_or_insert_default();
                sum.accepted += s.accepted;
                sum.rejected += s.rejected;
            }
            if which == 0 {
                let kind = answer.finish.split(' ').next().unwrap_or_default().to_owned();
                *report.finishes.entry(kind).or_default() += 1;
                found.equal += 1;
                base.push(answer);
            } else {
                let difference = base.get(i).and_then(|b| difference(i, b, &answer));
                found.equal += usize::from(difference.is_none());
                found.first = found.first.or(difference);
            }
            done += 1;
            progress(done);
        }
        found.judge();
        report.arms.push(found);
    }
    Ok(report)
}

fn difference(request: usize, base: &Answer, arm: &Answer) -> Option<AnswerDifference> {
    let differs =
        |what, at, base: String, arm: String| Some(AnswerDifference { request, what, at, base, arm });
    let shown = |x: Option<&u32>| x.map_or_else(|| "nothing".to_owned(), u32::to_string);
    if base.tokens != arm.tokens {
        let at = base.tokens.iter().zip(&arm.tokens).take_while(|(a, b)| a == b).count();
        return differs("tokens", at, shown(base.tokens.get(at)), shown(arm.tokens.get(at)));
    }
    if base.text != arm.text {
        let at = base.text.bytes().zip(arm.text.bytes()).take_while(|(a, b)| a == b).count();
        return differs("text", at, format!("{:?}", base.text), format!("{:?}", arm.text));
    }
    if base.finish != arm.finish {
        return differs("finish", 0, base.finish.clone(), arm.finish.clone());
    }
    if base.prompt_tokens != arm.prompt_tokens {
        return differs("usage", 0, base.prompt_tokens.to_string(), arm.prompt_tokens.to_string());
    }
    match (&base.state, &arm.state) {
        (Some(a), Some(b)) if a != b => differs("state", 0, a.clone(), b.clone()),
        _ => None,
    }
}

impl LosslessArm {
    fn judge(&mut self) {
        if self.equal < self.requests {
            self.failures.push(format!("{} of {} answers differ", self.requests - self.equal, self.requests));
        }
        if self.tokens == 0 {
            self.failures.push("no answer has a token".into());
        }
        if let Some(s) = self.speculation {
            for (what, n, wanted) in [
                ("accepted", s.accepted, [Drafts::Both, Drafts::Accepted]),
                ("rejected", s.rejected, [Drafts::Both, Drafts::Rejected]),
            ] {
                if n == 0 && wanted.contains(&self.wants) {
                    self.failures.push(format!("no draft was {what}: the run proves nothing about drafts"));
                }
            }
            // Of one that is always right no draft may be turned down, and of one that is always wrong none kept.
            for (what, n, never) in
                [("accepted", s.accepted, Drafts::Rejected), ("rejected", s.rejected, Drafts::Accepted)]
            {
                if n > 0 && self.wants == never {
                    self.failures.push(format!("{n} drafts were {what} of a proposer of which none can be"));
                }
            }
        }
    }
}

impl fmt::Display for LosslessReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["arm", "answers equal", "tokens", "accepted", "rejected", ""]);
        for a in &self.arms {
            let drafts = |of: fn(Speculation) -> u64| a.speculation.map_or("-".into(), |s| of(s).to_string());
            t.row(vec![
                a.name.clone(),
                format!("{}/{}", a.equal, a.requests),
                a.tokens.to_string(),
                drafts(|s| s.accepted),
                drafts(|s| s.rejected),
                if a.failures.is_empty() {
                    String::new()
                } else {
                    format!("FAIL: {}", a.failures.join("; "))
                },
            ]);
        }
        write!(f, "{t}")?;
        for a in &self.arms {
            let Some(d) = &a.first else { continue };
            writeln!(
                f,
                "{}: request {}, {} at {}: {} where the base has {}",
                a.name, d.request, d.what, d.at, d.arm, d.base
            )?;
        }
        let ends: Vec<String> = self.finishes.iter().map(|(k, n)| format!("{n} by {k}")).collect();
        let verdict = if self.passed() { "PASS" } else { "FAIL" };
        write!(f, "{verdict}: {}, ended {}; ", count(self.requests, "request"), ends.join(", "))?;
        write!(f, "{}", if self.speculates() { "with speculation" } else { "no arm speculates" })?;
        if self.speculates() && !self.passed() && self.same() {
            write!(
                f,
                "\nNo answer differs, but a run in which drafts are never accepted, or never rejected, shows nothing about \
                 them: give longer prompts, prompts that repeat themselves, or a larger -n"
            )?;
        }
        Ok(())
    }
}
