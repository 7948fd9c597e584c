//! How many tokens to draft in a round.

use sterna_plan::choose::{CostError, CostTable};

use super::{Acceptance, RoundCosts};

/// Speed over plain decoding that makes drafting begin again.
const BEGIN: f64 = 1.02;
/// Share of the time that drafting may lose against plain decoding.
const BUDGET: f64 = 0.02;
/// Plain steps that may be lost at first.
const ALLOWANCE: f64 = 4.0;
/// Gains in plain steps that are remembered against later losses.
const MOST_CREDIT: f64 = 8.0;
/// Plain rounds before the first probe; each that fails doubles them.
const FIRST_WAIT: u64 = 8;
/// Most plain rounds between probes.
const LAST_WAIT: u64 = 256;
/// Share of the time for rejected probes that is too little to wait any longer.
const PROBE_SHARE: f64 = 0.004;

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
    /// Rows of the target's call: the anchor, the drafts and their alternatives.
    pub rows: usize,
    /// Seconds that the proposer took.
    pub draft_seconds: f64,
    /// Seconds of the target's call.
    pub verify_seconds: f64,
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
///   its estimate, none are drafted. One is tried (a probe) after 8 plain rounds, 16, 32, up to 256 or, if that is fewer,
///   as many as make rejected probes 0.4 % of the time. An accepted probe is followed by another at once. Drafting begins
///   again where it is expected to be 2 % faster.
/// - **Loss is bounded**: an account holds what drafting gained or lost, in plain steps: 4 at first, 2 % of every token
///   made, at most 8. Below zero there is no drafting, and no probe is made that it could not pay if rejected. So whatever
///   proposer and target do, `n` tokens take at most `1.02 n + 4` plain steps and one round's loss, as far as a step costs
///   what its median says. (A round whose cost was not seen three times is charged one step a row and draft at most.)
///
/// Without a table the first three rounds are plain, and after 512 rounds without a plain one three are, to know what a
/// step costs now.
#[derive(Clone, Debug)]
pub struct DepthPolicy {
    depth: Depth,
    most: usize,
    costs: RoundCosts,
    acceptance: Acceptance,
    mode: Mode,
    /// Most drafts in the next round.
    ceiling: usize,
    /// The account, in plain steps.
    credit: f64,
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
            credit: ALLOWANCE,
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
    pub fn choose(&self, limit: usize) -> usize {
        let most = self.most.min(limit);
        if let Depth::Fixed(k) = self.depth {
            return k.min(most);
        }
        if self.costs.wants_plain() {
            return 0;
        }
        match self.mode {
            Mode::Drafting => self.best(most.min(self.ceiling), self.acceptance.emitted()).map_or(0, |b| b.0),
            Mode::Resting { left, .. } if left == 0 && self.can_lose_one() => most.min(1),
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

    /// Plain steps that one rejected draft loses.
    fn loss(&self) -> f64 {
        self.steps(1, 2).map_or(f64::INFINITY, |steps| steps - 1.0)
    }

    /// Whether the account can pay for one rejected draft.
    fn can_lose_one(&self) -> bool {
        self.credit >= self.loss()
    }

    /// Learns from a round, plain ones included.
    pub fn report(&mut self, round: &Round) {
        let Round { asked, proposed, accepted, .. } = *round;
        self.costs.record(asked, round.draft_seconds, round.rows, round.verify_seconds);
        self.acceptance.record(proposed, accepted);
        if self.depth != Depth::Auto {
            return;
        }
        // Charged by medians: one interrupted call is nobody's loss.
        if let Some(steps) = self.costs.charge(asked, round.rows) {
            let tokens = (accepted + 1) as f64;
            self.credit = (self.credit + (1.0 + BUDGET) * tokens - steps).min(MOST_CREDIT);
        }
        let all = proposed > 0 && accepted >= proposed;
        if all && proposed >= asked {
            self.ceiling = (2 * self.ceiling).min(self.most.max(1));
        } else if accepted < proposed {
            self.ceiling = self.ceiling.min(asked.max(1));
        }
        let pays = self.best(self.most, self.acceptance.emitted()).is_some_and(|b| b.1 > BEGIN);
        let may_pay = self.best(self.most, self.acceptance.emitted_hopefully()).is_some_and(|b| b.1 > 1.0);
        let last_wait = ((self.loss() / PROBE_SHARE) as u64).clamp(FIRST_WAIT, LAST_WAIT);
        match &mut self.mode {
            Mode::Drafting if !may_pay || self.credit < 0.0 => {
                // Costs that are unknown are no reason to rest.
                if self.costs.verify(1).is_some() {
                    self.mode = Mode::Resting { wait: FIRST_WAIT, left: FIRST_WAIT };
                }
            }
            Mode::Drafting => {}
            Mode::Resting { left, .. } if asked == 0 => *left = left.saturating_sub(1),
            Mode::Resting { .. } if proposed == 0 => {} // nothing was tried: ask again
            Mode::Resting { wait, left } if all => (*wait, *left) = (FIRST_WAIT / 2, 0),
            Mode::Resting { wait, left } => {
                *wait = (2 * *wait).min(last_wait);
                *left = *wait;
            }
        }
        if matches!(self.mode, Mode::Resting { .. }) && pays && self.can_lose_one() {
            self.mode = Mode::Drafting;
        }
    }
}

#[cfg(test)]
#[path = "depth_tests.rs"]
mod tests;
