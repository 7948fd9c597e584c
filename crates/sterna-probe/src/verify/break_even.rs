//! When drafting pays, from the cost of verifying and drafting.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CostPoint, VerifyCost};
use crate::table::{Table, percent};

/// Drafting `k` tokens a round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEvenRow {
    /// Drafted tokens.
    pub k: usize,
    /// Rows of the verify call: the last token and the drafts.
    pub width: usize,
    /// The verify call, in decode steps, as measured at this width.
    pub verify: f64,
    /// The drafts, in decode steps.
    pub draft: f64,
    /// Accepted drafts a round at which the round costs what plain decoding of as many tokens would; the round's own
    /// token comes on top.
    pub needed_accepted: f64,
    /// The chance of each draft to be accepted (if those before it were) that gives as many; `None` if even 1 is too
    /// little.
    pub needed_acceptance: Option<f64>,
    /// Tokens a round with the given acceptance, the round's own token included.
    pub emitted: Option<f64>,
    /// Speed over plain decoding with the given acceptance.
    pub speedup: Option<f64>,
    /// The given acceptance as one chance for every draft: the one that gives as many accepted drafts a round. It pays
    /// where it is above [`BreakEvenRow::needed_acceptance`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<f64>,
}

/// When drafting pays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEven {
    /// Decode steps of one drafted token; where drafting was measured, on average over the most that were.
    pub draft_cost: f64,
    /// Who was measured drafting; `None` where the cost was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposer: Option<String>,
    /// Chance of acceptance by place in the draft, if given; the last one goes on.
    pub acceptance: Vec<f64>,
    /// By number of drafts.
    pub rows: Vec<BreakEvenRow>,
}

/// Tokens of a round: its own one, and each draft if it and all before it are accepted.
fn emitted(k: usize, acceptance: &[f64]) -> Option<f64> {
    let last = acceptance.last()?;
    let chances = (0..k).map(|i| acceptance.get(i).unwrap_or(last));
    let mut all = 1.0;
    Some(
        1.0 + chances
            .map(|a| {
                all *= a;
                all
            })
            .sum::<f64>(),
    )
}

/// When drafting pays: for every `k` whose verify (of k drafts and the token before them: k + 1 rows) was measured.
/// `draft_cost` is that of one drafted token in decode steps, where `cost` does not tell what drafting took; `acceptance` the chance of each draft to be accepted when
/// those before it were, by place (the last one goes on; none: only what is needed is told).
pub fn break_even(cost: &VerifyCost, draft_cost: f64, acceptance: &[f64]) -> BreakEven {
    let row = |p: &CostPoint| {
        let k = p.width - 1;
        let (verify, draft) = (p.steps, cost.drafts.as_ref().map_or(draft_cost * k as f64, |d| d.steps(k)));
        let needed = verify + draft - 1.0;
        let emitted = emitted(k, acceptance);
        BreakEvenRow {
            k,
            width: p.width,
            verify,
            draft,
            needed_accepted: needed.max(0.0),
            needed_acceptance: needed_acceptance(k, needed),
            emitted,
            speedup: emitted.map(|e| e / (verify + draft)),
            acceptance: emitted.and_then(|e| needed_acceptance(k, e - 1.0)),
        }
    };
    let rows = cost.points.iter().filter(|p| p.width > 1).map(row).collect();
    let measured = cost.drafts.as_ref();
    let most = measured.and_then(|d| d.points.last()).filter(|p| p.drafts > 0);
    let draft_cost = most.map_or(draft_cost, |p| p.steps / p.drafts as f64);
    BreakEven {
        draft_cost,
        proposer: measured.map(|d| d.proposer.clone()),
        acceptance: acceptance.to_vec(),
        rows,
    }
}

/// The `a` with `a + a^2 + ... + a^k = accepted`.
fn needed_acceptance(k: usize, accepted: f64) -> Option<f64> {
    // Sums of products of shares may be a hair above.
    if accepted > k as f64 * (1.0 + 1e-12) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let a = 0.5 * (low + high);
        let sum: f64 = (1..=k).map(|i| f64::powi(a, i as i32)).sum();
        if sum < accepted { low = a } else { high = a }
    }
    Some(high)
}

impl fmt::Display for BreakEven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "drafts",
            "rows",
            "verify",
            "drafting",
            "needed",
            "each at",
            "accepted",
            "each at",
            "tokens a round",
            "speed-up",
        ];
        let mut t = Table::new(&head);
        for r in &self.rows {
            let two = |x: f64| format!("{x:.2}");
            t.row(vec![
                r.k.to_string(),
                r.width.to_string(),
                two(r.verify),
                two(r.draft),
                two(r.needed_accepted),
                r.needed_acceptance.map_or("never".into(), percent),
                r.emitted.map_or("-".into(), |e| two(e - 1.0)),
                r.acceptance.map_or("-".into(), percent),
                r.emitted.map_or("-".into(), two),
                r.speedup.map_or("-".into(), |s| format!("{s:.2}x")),
            ]);
        }
        let given: Vec<String> = self.acceptance.iter().map(|a| percent(*a)).collect();
        let given = if given.is_empty() { "not given".to_owned() } else { given.join(", ") };
        let drafting = match &self.proposer {
            Some(who) => {
                format!("drafting by {who} as measured in the same turns, {:.3} a draft", self.draft_cost)
            }
            None => format!("a draft costs {:.3}", self.draft_cost),
        };
        write!(
            f,
            "{t}costs in decode steps, as measured at drafts + 1 rows; {drafting}; needed: accepted drafts a round, beside \
             its own token, and the chance of each draft that gives as many; accepted: the same with the acceptance by \
             place that is expected ({given}); drafting pays where it is above what is needed"
        )
    }
}
