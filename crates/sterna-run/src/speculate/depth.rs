//! How many tokens to draft in a round.

use sterna_plan::choose::{CostError, CostTable};

use super::{Acceptance, Account, RoundCosts};

/// Speed over plain decoding that makes drafting begin again.
const BEGIN: f64 = 1.02;
/// Speed over plain decoding up to which drafting is held against plain steps more often.
const CLOSE: f64 = 1.25;
/// Plain rounds before the first probe; each that fails doubles them.
const FIRST_WAIT: u64 = 8;
/// Most plain rounds between probes.
const LAST_WAIT: u64 = 4096;
/// Share of the time for rejected probes that is too little to wait any longer.
const PROBE_SHARE: f64 = 0.004;
/// Plain steps that a token of text may take to read while nobody drafts.
const FOLLOWING: f64 = 0.004;
/// Tokens of text that a proposer which has not followed it reads at least.
const LEAST_READ: usize = 32;
/// Plain steps that may be spent on reading more than that for a probe.
const MOST_READING: f64 = 4.0;

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Always this many tokens.
    Fixed(usize),
    /// As many as pay, none where none do.
    Auto,
}

/// What a policy begins with.
#[derive(Clone, Copy, Debug)]
pub struct DepthSettings<'a> {
    /// Who decides.
    pub depth: Depth,
    /// Most tokens a round: what the proposer gives and the widest entry point takes.
    pub most: usize,
    /// Costs of calls as measured beforehand.
    pub table: Option<&'a CostTable>,
    /// Cost of one more drafted token in calls of one row, until it is measured; 0 for lookups.
    pub draft_steps: f64,
}

/// What a round was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Round {
    /// Tokens asked of the proposer; 0 when it was not called.
    pub asked: usize,
    /// Tokens that it gave and the target evaluated, after the anchor.
    pub proposed: usize,
    /// Of these, what the target agreed with.
    pub accepted: usize,
    /// Rows of the target's call: the anchor, the drafts and their alternatives; 0 where a proposer knew nothing, so that
    /// the call is somebody else's.
    pub rows: usize,
    /// Tokens of text that the proposer read before it proposed.
    pub read: usize,
    /// Seconds that the proposer took.
    pub draft_seconds: f64,
    /// Seconds of the target's call.
    pub verify_seconds: f64,
    /// The round before it verified a draft, of whomever.
    pub follows_draft: bool,
}

/// What a policy is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Drafts every round.
    Drafting,
    /// Decodes plainly, and tries one draft after `left` more rounds.
    Resting { wait: u64, left: u64 },
}

/// Picks the number of drafts `k` that is expected to make the most tokens a second, the highest
/// `E(k) / (verify(k + 1) + draft(k))`, where `E` comes from [`Acceptance`] and the costs from [`RoundCosts`]. There is
/// no clock in here: callers report seconds, and the same reports give the same choices.
///
/// - **Growth**: the first rounds draft at most 2, and a fully accepted round doubles what the next may draft; a rejection
///   allows no more than it had, and lowers the estimates that the choice rests on.
/// - **Rest**: where no `k` is faster than plain decoding, even if the first draft's chance is one standard deviation above
///   its estimate, none are drafted. One is tried (a probe) after 8 plain rounds, 16, 32, up to 4096 or, if that is fewer,
///   as many as make rejected probes 0.4 % of the time. An accepted probe is followed by another at once. Drafting begins
///   again where it is expected to be 2 % faster.
/// - **Loss is bounded** by an [`Account`] that all proposers of a session share. Reading text that a proposer has not
///   followed is part of the price: [`DepthPolicy::reads`] says how much of it is worth reading.
///   (A round whose cost was not seen three times is charged one step a row, draft and token read at most.)
///
/// Without a table the first three rounds are plain, and after 128 rounds without a plain one, or 52 where drafting is at most 1.25
/// times as fast, another is, to know what a step costs now. Gains and losses are counted in such steps.
#[derive(Clone, Debug)]
pub struct DepthPolicy {
    depth: Depth,
    most: usize,
    costs: RoundCosts,
    acceptance: Acceptance,
    mode: Mode,
    /// Most drafts in the next round.
    ceiling: usize,
}

impl DepthPolicy {
    /// # Errors
    /// A cost table that does not hold together.
    pub fn new(settings: &DepthSettings<'_>) -> Result<Self, CostError> {
        Ok(Self {
            depth: settings.depth,
            most: settings.most,
            costs: RoundCosts::new(settings.table, settings.draft_steps)?,
            acceptance: Acceptance::default(),
            mode: Mode::Drafting,
            ceiling: 2,
        })
    }

    /// What was accepted so far.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    /// What rounds cost so far.
    pub fn costs(&self) -> &RoundCosts {
        &self.costs
    }

    /// Drafts to ask for in the next round, at most `limit` (what budget and context leave room for). For 0 the proposer
    /// is not called.
    pub fn choose(&self, limit: usize, account: &Account) -> usize {
        let most = self.most.min(limit);
        if let Depth::Fixed(k) = self.depth {
            return k.min(most);
        }
        match self.mode {
            Mode::Drafting => {
                let best = self.best(most.min(self.ceiling), self.acceptance.emitted());
                let close = best.is_some_and(|b| b.1 < CLOSE);
                best.filter(|_| !self.costs.wants_plain(close)).map_or(0, |b| b.0)
            }
            Mode::Resting { left: 0, .. } if self.can_lose_one(account) && !self.costs.wants_plain(false) => {
                most.min(1)
            }
            Mode::Resting { .. } => 0,
        }
    }

    /// Speed over plain decoding that is expected of rounds with `k` drafts; `None` while costs are unknown.
    pub fn speedup(&self, k: usize) -> Option<f64> {
        Some(self.acceptance.emitted().nth(k)? / self.steps(k, k + 1)?)
    }

    /// Cost in plain steps of a round that asks for `asked` drafts and evaluates `width` rows.
    fn steps(&self, asked: usize, width: usize) -> Option<f64> {
        Some((self.costs.verify(width)? + self.costs.draft(asked)?) / self.costs.verify(1)?)
    }

    /// The fastest of 1 to `most` drafts, the fewest of equals, and its speed over plain decoding, if rounds of 0, 1, 2, ...
    /// drafts make `emitted` tokens.
    fn best(&self, most: usize, emitted: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (k, emitted) in emitted.enumerate().take(most + 1).skip(1) {
            let Some(steps) = self.steps(k, k + 1) else { break };
            if best.is_none_or(|b| emitted / steps > b.1) {
                best = Some((k, emitted / steps));
            }
        }
        best
    }

    /// Plain steps that one rejected draft loses, if the proposer has followed the text.
    fn rejected(&self) -> f64 {
        self.steps(1, 2).map_or(f64::INFINITY, |steps| steps - 1.0)
    }

    /// Plain steps to read a token of text.
    fn reading(&self) -> f64 {
        self.costs.reading().zip(self.costs.verify(1)).map_or(0.0, |(seconds, step)| seconds / step)
    }

    /// Plain steps that a probe loses at most.
    fn loss(&self) -> f64 {
        self.rejected() + LEAST_READ as f64 * self.reading() + self.costs.aftermath()
    }

    /// Whether the account can pay for one rejected draft.
    fn can_lose_one(&self, account: &Account) -> bool {
        account.steps() >= self.loss()
    }

    /// Most tokens of text that are worth reading for the next proposal.
    pub fn reads(&self, account: &Account) -> usize {
        let reading = self.reading();
        if self.depth != Depth::Auto || reading <= 0.0 {
            return usize::MAX;
        }
        if !self.costs.knows_reading() {
            return LEAST_READ; // to know
        }
        // Unknown losses are infinite and leave nothing.
        let mut spare = account.steps() - self.rejected();
        if self.mode != Mode::Drafting {
            spare = spare.min(MOST_READING);
        }
        ((spare / reading) as usize).max(LEAST_READ) // saturates
    }

    /// Whether text is worth reading of which the proposer is not asked: while it drafts, or where reading is next to nothing.
    /// Otherwise it would cost more than drafting may lose, and nobody would ever draft again.
    pub fn follows(&self) -> bool {
        self.depth != Depth::Auto
            || self.mode == Mode::Drafting
            || self.costs.knows_reading() && self.reading() <= FOLLOWING
    }

    /// The proposer read text outside of a round, `tokens` tokens of it in `seconds`.
    pub fn read_ahead(&self, tokens: usize, seconds: f64, account: &mut Account) {
        if let Some(step) = self.costs.verify(1).filter(|_| self.depth == Depth::Auto) {
            account.spend((seconds / step).min(tokens as f64));
        }
    }

    /// The round after one with drafts of this proposer was plain and took `seconds`: what it took longer than others is
    /// charged.
    pub fn followed_plainly(&mut self, seconds: f64, account: &mut Account) {
        let steps = self.costs.record_aftermath(seconds);
        if self.depth == Depth::Auto {
            account.spend(steps);
        }
    }

    /// Learns from a round, plain ones included, and charges it to `account` if the proposer was asked.
    pub fn report(&mut self, round: &Round, account: &mut Account) {
        let Round { asked, proposed, accepted, .. } = *round;
        self.costs.record(round);
        self.acceptance.record(proposed, accepted);
        if self.depth != Depth::Auto {
            return;
        }
        if asked == 0 {
            // Nothing was learned about drafts, and there is no time to lose.
            if let Mode::Resting { left, .. } = &mut self.mode {
                *left = left.saturating_sub(1);
            }
            return;
        }
        // Charged by medians: one interrupted call is nobody's loss.
        let charged = self.costs.charge(round);
        match charged {
            Some(steps) if round.rows > 0 => account.round(accepted + 1, steps),
            Some(steps) => account.spend(steps),
            None => {}
        }
        let all = proposed > 0 && accepted >= proposed;
        if all && proposed >= asked {
            self.ceiling = (2 * self.ceiling).min(self.most.max(1));
        } else if accepted < proposed {
            self.ceiling = self.ceiling.min(asked.max(1));
        }
        let pays = self.best(self.most, self.acceptance.emitted()).is_some_and(|b| b.1 > BEGIN);
        let may_pay = self.best(self.most, self.acceptance.emitted_hopefully()).is_some_and(|b| b.1 > 1.0);
        // A probe that read much text has lost more than the least.
        let lost = self.loss().max(charged.map_or(0.0, |steps| steps - 1.0));
        let last_wait = ((lost / PROBE_SHARE) as u64).clamp(FIRST_WAIT, LAST_WAIT);
        match &mut self.mode {
            Mode::Drafting if !may_pay || account.steps() < 0.0 => {
                // Costs that are unknown are no reason to rest.
                if self.costs.verify(1).is_some() {
                    self.mode = Mode::Resting { wait: FIRST_WAIT, left: FIRST_WAIT };
                }
            }
            Mode::Drafting => {}
            Mode::Resting { .. } if proposed == 0 => {} // nothing was tried: ask again
            Mode::Resting { wait, left } if all => (*wait, *left) = (FIRST_WAIT / 2, 0),
            Mode::Resting { wait, left } => {
                *wait = (2 * *wait).min(last_wait);
                *left = *wait;
            }
        }
        if matches!(self.mode, Mode::Resting { .. }) && pays && self.can_lose_one(account) {
            self.mode = Mode::Drafting;
        }
    }
}

#[cfg(test)]
#[path = "depth_tests.rs"]
mod tests;
