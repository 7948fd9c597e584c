//! A result against a stored one, if both were measured in the same way.

use std::fmt;

use serde::Serialize;

use super::super::GateError;
use super::{AnswerResult, Pairs, QualityReport};
use crate::table::Table;

/// One figure, then and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Which.
    pub what: &'static str,
    /// In the baseline: a perplexity, or a percentage of right answers.
    pub baseline: f64,
    /// Now.
    pub now: f64,
    /// How much worse it is: per cent of the baseline's perplexity, or percentage points. Negative is better.
    pub drop: f64,
}

/// A result against its baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What the baseline was measured on.
    pub baseline: String,
    /// The greatest drop that passes.
    pub max_drop: f64,
    /// Every figure.
    pub changes: Vec<Change>,
    /// Short answers item by item, where both results say which were right.
    pub pairs: Option<Pairs>,
}

impl Comparison {
    /// Something was compared, and nothing dropped by more than is allowed.
    pub fn passed(&self) -> bool {
        // A drop that is no number is not allowed.
        !self.changes.is_empty() && self.changes.iter().all(|c| c.drop <= self.max_drop)
    }
}

/// Compares `now` with `baseline`.
///
/// # Errors
/// [`GateError::Refused`] naming every part of the protocol that differs.
pub fn compare(
    now: &QualityReport,
    baseline: &QualityReport,
    max_drop: f64,
) -> Result<Comparison, GateError> {
    let refusals = now.protocol.differences(&baseline.protocol);
    if !refusals.is_empty() {
        return Err(GateError::Refused(refusals));
    }
    let what = |r: &QualityReport| {
        let tasks = r.tasks.as_ref();
        let (choice, answer) = (tasks.and_then(|t| t.choice.as_ref()), tasks.and_then(|t| t.answer.as_ref()));
        (r.perplexity.is_some(), choice.map(|c| c.items), answer.map(|a| a.items))
    };
    let sound = baseline.perplexity.as_ref().is_none_or(|p| p.perplexity.is_finite() && p.perplexity >= 1.0)
        && baseline.tasks.as_ref().is_none_or(|t| {
            t.choice.as_ref().is_none_or(|c| {
                [c.right_by_sum, c.right_by_token, c.right_by_byte].iter().all(|r| *r <= c.items)
            }) && t.answer.as_ref().is_none_or(answers_are_sound)
        });
    if what(now) != what(baseline) || !sound {
        return Err(GateError::Options(
            "the baseline's results are not those that its protocol names, or are impossible: make it again with --save"
                .into(),
        ));
    }
    let (mut changes, mut pairs) = (Vec::new(), None);
    if let (Some(a), Some(b)) = (&baseline.perplexity, &now.perplexity) {
        changes.push(Change {
            what: "perplexity",
            baseline: a.perplexity,
            now: b.perplexity,
            drop: 100.0 * (b.perplexity / a.perplexity - 1.0),
        });
    }
    let mut share = |what, a: usize, b: usize, n: usize| {
        let percent = |right| 100.0 * right as f64 / n as f64;
        changes.push(Change { what, baseline: percent(a), now: percent(b), drop: percent(a) - percent(b) });
    };
    if let (Some(a), Some(b)) = (&baseline.tasks, &now.tasks) {
        if let (Some(a), Some(b)) = (&a.choice, &b.choice) {
            share("choice by sum, %", a.right_by_sum, b.right_by_sum, b.items);
            share("choice by token, %", a.right_by_token, b.right_by_token, b.items);
            share("choice by byte, %", a.right_by_byte, b.right_by_byte, b.items);
        }
        if let (Some(a), Some(b)) = (&a.answer, &b.answer) {
            share("short answers, %", a.right, b.right, b.items);
            let known = !a.right_items.is_empty() && a.right_items.len() == b.right_items.len();
            pairs = known.then(|| Pairs::new(&a.right_items, &b.right_items));
        }
    }
    Ok(Comparison { baseline: baseline.subject.to_string(), max_drop, changes, pairs })
}

/// No more right ones than items, and as many as the list says, if there is one.
fn answers_are_sound(a: &AnswerResult) -> bool {
    let listed = a.right_items.iter().filter(|r| **r).count();
    a.right <= a.items && (a.right_items.is_empty() || (a.right_items.len() == a.items && listed == a.right))
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "against {}", self.baseline)?;
        let mut t = Table::new(&["", "baseline", "now", "drop", ""]);
        for c in &self.changes {
            let bad = c.drop.is_nan() || c.drop > self.max_drop;
            t.row(vec![
                c.what.into(),
                format!("{:.4}", c.baseline),
                format!("{:.4}", c.now),
                format!("{:+.3}", c.drop),
                if bad { "FAIL".into() } else { String::new() },
            ]);
        }
        write!(f, "{t}")?;
        if let Some(pairs) = &self.pairs {
            writeln!(f, "{pairs}")?;
        }
        let verdict = if self.passed() { "PASS" } else { "FAIL" };
        write!(
            f,
            "{verdict}: drops of at most {} are allowed (per cent of perplexity, points of accuracy)",
            self.max_drop
        )
    }
}
