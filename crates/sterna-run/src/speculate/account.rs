//! What drafting gained and lost: one account for everybody who proposes in a session.

/// Share of the time that drafting may lose against plain decoding.
const BUDGET: f64 = 0.01;
/// Plain steps that may be lost at first.
const ALLOWANCE: f64 = 2.5;
/// Gains in plain steps that are remembered against later losses.
const MOST_CREDIT: f64 = 8.0;

/// Gains less losses of drafting, in plain decode steps: 2.5 at first, 1 % of every token made, at most 8. While it is
/// overdrawn nobody drafts, and nobody tries what it could not pay if it were of no use.
///
/// So whatever proposers and target do, `n` tokens take at most `1.01 n + 2.5` plain steps and one round's loss, as far as a
/// step costs what its median says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    steps: f64,
}

impl Default for Account {
    fn default() -> Self {
        Self { steps: ALLOWANCE }
    }
}

impl Account {
    /// What may be lost, in plain steps; below 0 when it is overdrawn.
    pub fn steps(&self) -> f64 {
        self.steps
    }
    /// A round made `tokens` tokens in the time of `steps` plain steps.
    pub fn round(&mut self, tokens: usize, steps: f64) {
        self.steps = (self.steps + (1.0 + BUDGET) * tokens as f64 - steps).min(MOST_CREDIT);
    }
    /// The time of `steps` plain steps made no token.
    pub fn spend(&mut self, steps: f64) {
        self.steps -= steps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_by_its_share_and_by_gains_and_no_further_than_its_bound() {
        let mut account = Account::default();
        let first = account.steps();
        (0..100).for_each(|_| account.round(1, 1.0));
        assert!((account.steps() - first - 1.0).abs() < 1e-9);
        account.spend(5.0);
        assert!((account.steps() - first + 4.0).abs() < 1e-9);
        (0..100).for_each(|_| account.round(4, 2.0));
        assert_eq!(account.steps(), MOST_CREDIT);
    }
}
