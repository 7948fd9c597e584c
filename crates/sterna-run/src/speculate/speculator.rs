//! The proposers of a session, who is asked in a round, and what came of it.

use std::time::{Duration, Instant};

use sterna_plan::choose::{CostError, CostTable};

use super::{Account, Ask, Depth, DepthPolicy, DepthSettings, Draft, PlaceCount, Proposer, Round};
use crate::sample::SamplingParams;

/// A proposer with its policy.
struct Slot {
    proposer: Box<dyn Proposer>,
    policy: DepthPolicy,
    spent: Spent,
    failure: Option<String>,
}

#[derive(Clone, Copy, Default)]
struct Spent {
    rounds: u64,
    propose: Duration,
    verify: Duration,
}

/// What a proposer did so far.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposerTotals {
    /// Its name.
    pub name: &'static str,
    /// Rounds in which the target verified a draft of it.
    pub rounds: u64,
    /// Drafts by their place in the round, proposed and accepted.
    pub places: Vec<PlaceCount>,
    /// Time it took to propose.
    pub propose: Duration,
    /// Time of the target's calls that verified.
    pub verify: Duration,
    /// Why it is no longer asked.
    pub failure: Option<String>,
}

impl ProposerTotals {
    /// Drafts that the target evaluated.
    pub fn proposed(&self) -> u64 {
        self.places.iter().map(|p| p.proposed).sum()
    }
    /// Of these, drafts that are part of the text.
    pub fn accepted(&self) -> u64 {
        self.places.iter().map(|p| p.accepted).sum()
    }
}

/// Which tokens the target kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// A prompt's, which is read by everybody who can.
    Prompt,
    /// An answer's.
    Answer,
}

/// Everything that proposes for one session. Nothing in it can change a text.
#[derive(Default)]
pub struct Speculator {
    slots: Vec<Slot>,
    /// What drafting may lose; one for all.
    account: Account,
    /// Other first tokens to verify beside a draft's.
    alternatives: usize,
    draft: Draft,
    /// Who made the draft, and how many tokens it was asked for.
    asked: Option<(usize, usize)>,
    drafting: Duration,
    /// Whose draft the round before this one verified.
    before: Option<usize>,
}

impl Speculator {
    /// Nobody who proposes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Verifies this many other first tokens beside the draft's, where the target's states allow trees.
    pub fn with_alternatives(mut self, n: usize) -> Self {
        self.alternatives = n;
        self
    }

    /// Adds a proposer; `draft_steps` is what a drafted token costs in decode steps of the target, until it is measured.
    ///
    /// # Errors
    /// A cost table that is none.
    pub fn add(
        &mut self,
        proposer: Box<dyn Proposer>,
        depth: Depth,
        table: Option<&CostTable>,
        draft_steps: f64,
    ) -> Result<(), CostError> {
        let policy = DepthPolicy::new(&DepthSettings { depth, most: proposer.most(), table, draft_steps })?;
        self.slots.push(Slot { proposer, policy, spent: Spent::default(), failure: None });
        Ok(())
    }

    /// Whether somebody proposes.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// What every proposer did.
    pub fn totals(&self) -> Vec<ProposerTotals> {
        let totals = self.slots.iter().map(|s| ProposerTotals {
            name: s.proposer.name(),
            rounds: s.spent.rounds,
            places: s.policy.acceptance().counts().to_vec(),
            propose: s.spent.propose,
            verify: s.spent.verify,
            failure: s.failure.clone(),
        });
        totals.collect()
    }

    /// Asks for up to `limit` tokens after `text`: the proposer whose round is expected to be fastest first, the next one
    /// when it knows nothing. Gives who answered; the draft is [`Speculator::draft`], empty when the text is to go on
    /// plainly.
    pub(crate) fn propose(
        &mut self,
        text: &[u32],
        limit: usize,
        sampling: &SamplingParams,
    ) -> Option<&'static str> {
        self.draft.clear();
        (self.asked, self.drafting) = (None, Duration::ZERO);
        let wishes = self.slots.iter().enumerate().filter(|(_, s)| s.failure.is_none());
        let wishes = wishes.map(|(i, s)| (i, s.policy.choose(limit, &self.account))).filter(|w| w.1 > 0);
        let mut wishes: Vec<_> =
            wishes.map(|(i, k)| (i, k, self.slots[i].policy.speedup(k).unwrap_or(1.0))).collect();
        wishes.sort_by(|a, b| b.2.total_cmp(&a.2));
        for (i, k, _) in wishes {
            let slot = &mut self.slots[i];
            let reads = slot.policy.reads(&self.account);
            let start = Instant::now();
            let asked = slot.proposer.propose(&Ask { text, most: k, reads, sampling }, &mut self.draft);
            let taken = start.elapsed();
            slot.spent.propose += taken;
            if let Err(error) = asked {
                slot.failure = Some(error.to_string());
                self.draft.clear();
                continue;
            }
            self.draft.tokens.truncate(k);
            self.draft.alternatives.truncate(self.alternatives);
            if !self.draft.tokens.is_empty() {
                (self.asked, self.drafting) = (Some((i, k)), taken);
                return Some(slot.proposer.name());
            }
            let (read, draft_seconds) = (self.draft.read, taken.as_secs_f64());
            let round = Round { asked: k, read, draft_seconds, ..Round::default() };
            slot.policy.report(&round, &mut self.account);
        }
        None
    }

    /// What was proposed.
    pub(crate) fn draft(&self) -> &Draft {
        &self.draft
    }

    /// A round is over: the target evaluated `rows` rows in `verify`, and agreed with `accepted` drafts in a row. A
    /// round without drafts has one row.
    pub(crate) fn learn(&mut self, rows: usize, accepted: usize, verify: Duration) {
        let verify_seconds = verify.as_secs_f64();
        match self.asked.take() {
            Some((i, asked)) => {
                let slot = &mut self.slots[i];
                slot.spent.rounds += 1;
                slot.spent.verify += verify;
                let round = Round {
                    asked,
                    proposed: self.draft.tokens.len(),
                    accepted,
                    rows,
                    read: self.draft.read,
                    draft_seconds: self.drafting.as_secs_f64(),
                    verify_seconds,
                    follows_draft: self.before.is_some(),
                };
                slot.policy.report(&round, &mut self.account);
                self.before = Some(i);
            }
            None => {
                let before = self.before.take();
                if let Some(slot) = before.map(|i| &mut self.slots[i]) {
                    slot.policy.followed_plainly(verify_seconds, &mut self.account);
                }
                let follows_draft = before.is_some();
                let plain = Round { rows: 1, verify_seconds, follows_draft, ..Round::default() };
                self.account.round(1, 1.0);
                self.slots.iter_mut().for_each(|s| s.policy.report(&plain, &mut self.account));
            }
        }
    }

    /// The target evaluated and kept `n` tokens from position `first` of `text` on, as part of what `what` says.
    pub(crate) fn absorb(&mut self, text: &[u32], first: usize, n: usize, taps: &[f32], what: Kept) {
        if what == Kept::Prompt {
            self.before = None; // reading a prompt is no plain round
        }
        for slot in self.slots.iter_mut().filter(|s| s.failure.is_none()) {
            let start = Instant::now();
            slot.proposer.follow(what == Kept::Prompt || slot.policy.follows());
            if let Err(error) = slot.proposer.absorb(text, first, taps) {
                slot.failure = Some(error.to_string());
            }
            let taken = start.elapsed();
            slot.spent.propose += taken;
            if what == Kept::Answer {
                slot.policy.read_ahead(n, taken.as_secs_f64(), &mut self.account);
            }
        }
    }

    /// The text was cut.
    pub(crate) fn cut(&mut self, len: usize) {
        for slot in self.slots.iter_mut().filter(|s| s.failure.is_none()) {
            if let Err(error) = slot.proposer.cut(len) {
                slot.failure = Some(error.to_string());
            }
        }
    }
}
