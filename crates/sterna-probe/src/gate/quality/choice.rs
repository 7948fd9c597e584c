//! Multiple choice: which continuation the model finds most likely.
//!
//! Context and continuation are cut into tokens together. The continuation's tokens are those after the longest common
//! beginning with the context cut alone, so a token that reaches over the seam counts to the continuation. Its score is the
//! sum of its tokens' log probabilities, as it is, for each token, and for each byte of the continuation's text. Equal
//! scores go to the first choice.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_checkpoint::Tokenizer;
use sterna_plan::{Outputs, Wanted};
use sterna_run::Session;

use super::super::GateError;
use super::super::compare::log_sum_exp;
use super::task::{share_error, with_bos};

/// The rule, as it stands in a protocol.
pub const RULE: &str =
    "log probability of the continuation's tokens after the common beginning; sum, by token, by byte";

/// A multiple-choice item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceItem {
    /// What comes before.
    pub context: String,
    /// The continuations, a leading space included where one belongs.
    pub choices: Vec<String>,
    /// Index of the right one.
    pub answer: usize,
}

impl ChoiceItem {
    pub(super) fn complaint(&self) -> Option<&'static str> {
        if self.choices.len() < 2 {
            return Some("an item has at least two choices");
        }
        if self.choices.iter().any(String::is_empty) {
            return Some("an empty choice");
        }
        (self.answer >= self.choices.len()).then_some("`answer` is the index of a choice, from 0")
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceResult {
    /// Items.
    pub items: usize,
    /// Right by the sum of log probabilities.
    pub right_by_sum: usize,
    /// Right by the mean of a token.
    pub right_by_token: usize,
    /// Right by the mean of a byte.
    pub right_by_byte: usize,
    /// Right answers that guessing would give, on average.
    pub chance: f64,
    /// For each item the choice by sum, by token and by byte.
    pub chosen: Vec<[usize; 3]>,
}

/// One continuation, ready to be scored.
pub(super) struct Prepared {
    /// Context and continuation.
    pub ids: Vec<u32>,
    /// Where the continuation begins; at least 1.
    pub from: usize,
    bytes: usize,
}

pub(super) fn prepare(
    tokenizer: &Tokenizer,
    item: &ChoiceItem,
    bos: Option<u32>,
    name: &str,
) -> Result<Vec<Prepared>, GateError> {
    let context = with_bos(bos, tokenizer.encode(&item.context, false)?);
    let mut out = Vec::with_capacity(item.choices.len());
    for text in &item.choices {
        let ids = with_bos(bos, tokenizer.encode(&format!("{}{text}", item.context), false)?);
        let common = ids.iter().zip(&context).take_while(|(a, b)| a == b).count();
        // At least one token is scored, and at least one stands before it.
        let from = common.min(ids.len().saturating_sub(1));
        if from == 0 {
            return Err(GateError::Options(format!(
                "{name}: no token of the context stays before the choice {text:?}; a model without a begin token needs a \
                 longer context"
            )));
        }
        out.push(Prepared { ids, from, bytes: text.len() });
    }
    Ok(out)
}

/// Sums over items.
#[derive(Default)]
pub(super) struct Scores {
    chosen: Vec<[usize; 3]>,
    right: [usize; 3],
    chance: f64,
}

impl Scores {
    pub fn add(
        &mut self,
        session: &mut Session,
        item: &ChoiceItem,
        prepared: &[Prepared],
        name: &str,
    ) -> Result<(), GateError> {
        let mut scores: [Vec<f64>; 3] = Default::default();
        for p in prepared {
            let sum = score(session, p, name)?;
            let tokens = (p.ids.len() - p.from) as f64;
            for (list, s) in scores.iter_mut().zip([sum, sum / tokens, sum / p.bytes as f64]) {
                list.push(s);
            }
        }
        let chosen = scores.map(|s| best(&s));
        for (right, c) in self.right.iter_mut().zip(chosen) {
            *right += usize::from(c == item.answer);
        }
        self.chosen.push(chosen);
        self.chance += 1.0 / item.choices.len() as f64;
        Ok(())
    }

    pub fn result(self) -> Option<ChoiceResult> {
        let [right_by_sum, right_by_token, right_by_byte] = self.right;
        let (items, chance) = (self.chosen.len(), self.chance);
        let chosen = self.chosen;
        (items > 0).then_some(ChoiceResult {
            items,
            right_by_sum,
            right_by_token,
            right_by_byte,
            chance,
            chosen,
        })
    }
}

/// Index of the greatest score, the first among equals.
fn best(scores: &[f64]) -> usize {
    let mut best = 0;
    for (i, s) in scores.iter().enumerate() {
        if *s > scores[best] {
            best = i;
        }
    }
    best
}

/// Sum of the log probabilities of the tokens from `from` on; the session keeps what it shares with the item before.
fn score(session: &mut Session, p: &Prepared, name: &str) -> Result<f64, GateError> {
    // The last token is guessed, not fed, and the row before `from` must be asked again.
    let fed = &p.ids[..p.ids.len() - 1];
    let held = session.tokens().iter().zip(fed).take_while(|(a, b)| a == b).count();
    let keep = held.min(p.from - 1);
    session.truncate(keep).map_err(GateError::session(name))?;
    let (mut sum, mut rows) = (0.0, 0);
    let mut on_row = |at: usize, outputs: &Outputs, row: usize| {
        let logits = outputs.logits_of(row).unwrap_or_default();
        let next = p.ids[keep + at + 1] as usize;
        sum += logits.get(next).map_or(f64::NAN, |l| f64::from(*l)) - log_sum_exp(logits);
        rows += 1;
    };
    let wanted = p.ids.len() - p.from;
    session
        .feed(&fed[keep..], wanted, Wanted::Logits, &mut |_| {}, &mut on_row)
        .map_err(GateError::session(name))?;
    if rows != wanted || !sum.is_finite() {
        return Err(GateError::Options(format!("{name}: a row of logits is missing or no numbers")));
    }
    Ok(sum)
}

impl fmt::Display for ChoiceResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.items;
        let percent = |right: usize| 100.0 * right as f64 / n.max(1) as f64;
        write!(f, "multiple choice, {n} items (guessing gives {:.1}): ", self.chance)?;
        let each = [
            ("by sum", self.right_by_sum),
            ("by token", self.right_by_token),
            ("by byte", self.right_by_byte),
        ];
        let shown = each.map(|(how, right)| {
            format!("{right} right {how} ({:.1} ± {:.1} %)", percent(right), share_error(right, n))
        });
        write!(f, "{}", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_go_to_the_first() {
        assert_eq!(best(&[-2.0, -1.0, -1.0]), 1);
        assert_eq!(best(&[-1.0]), 0);
    }
}
