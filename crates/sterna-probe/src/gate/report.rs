//! What a gate found.

use std::fmt;

use serde::Serialize;

use super::GateArm;
use crate::table::{Table, count};

/// The first row of a walk that differs from the base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RowDifference {
    /// Position in the sequence.
    pub position: usize,
    /// Logits of the row; 0 when only the best token was asked for.
    pub values: usize,
    /// Of these, with other bits than the base's.
    pub values_differing: usize,
    /// Greatest absolute difference.
    pub max_abs: f32,
    /// The base's best token.
    pub base_token: u32,
    /// The arm's.
    pub token: u32,
    /// Whether the best token or the bits of the best two logits differ.
    pub top_differs: bool,
}

/// One walk on one session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmReport {
    /// The session.
    pub arm: GateArm,
    /// The walk.
    pub walk: String,
    /// Rows compared.
    pub rows: usize,
    /// Rows that the walk must have; `None` where chance decides.
    pub rows_expected: Option<usize>,
    /// Compared rows that are not equal bit for bit.
    pub rows_differing: usize,
    /// Rows whose best token is the base's.
    pub argmax_agree: usize,
    /// Bytes of the state at the end.
    pub state_bytes: usize,
    /// Blocks of 4 KiB of it that differ from the base's.
    pub state_blocks_differing: usize,
    /// The first row that differs.
    pub first: Option<RowDifference>,
}

impl ArmReport {
    /// All rows were compared, and none differs; nor does the state.
    pub fn passed(&self) -> bool {
        let all = self.rows > 0 && self.rows_expected.is_none_or(|n| n == self.rows);
        all && self.rows_differing == 0 && self.argmax_agree == self.rows && self.state_blocks_differing == 0
    }
}

/// All walks against the base.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateReport {
    /// Tokens of the sequence.
    pub positions: usize,
    /// Logits of a row.
    pub vocab: usize,
    /// Positions of the base walk at which the best token is the lowest of the greatest logits (C6).
    pub base_ties_agree: usize,
    /// Whether the base walk, taken again to explain a difference, gave the same rows; true when none had to be.
    pub base_repeatable: bool,
    /// Bytes of the state at the end of the base walk.
    pub state_bytes: usize,
    /// Every walk.
    pub arms: Vec<ArmReport>,
    /// Walks that this plan cannot take.
    pub skipped: Vec<String>,
}

impl GateReport {
    /// Something was compared, and everything is equal.
    pub fn passed(&self) -> bool {
        !self.arms.is_empty()
            && self.arms.iter().all(ArmReport::passed)
            && self.base_ties_agree == self.positions
            && self.base_repeatable
    }

    /// Rows compared, and of these the equal ones.
    pub fn rows(&self) -> (usize, usize) {
        let sum = |f: fn(&ArmReport) -> usize| self.arms.iter().map(f).sum::<usize>();
        (sum(|a| a.rows), sum(|a| a.rows - a.rows_differing))
    }

    /// Rows compared, and of these the ones with the base's best token.
    pub fn argmax(&self) -> (usize, usize) {
        (self.rows().0, self.arms.iter().map(|a| a.argmax_agree).sum())
    }
}

impl fmt::Display for GateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t =
            Table::new(&["walk", "threads", "plan", "kernels", "rows", "differ", "argmax", "state", ""]);
        for a in &self.arms {
            t.row(vec![
                a.walk.clone(),
                a.arm.threads.to_string(),
                if a.arm.fused { "fused" } else { "unfused" }.into(),
                if a.arm.portable { "portable" } else { "best" }.into(),
                a.rows.to_string(),
                a.rows_differing.to_string(),
                format!("{}/{}", a.argmax_agree, a.rows),
                match a.state_blocks_differing {
                    0 => "equal".into(),
                    n => format!("{n} blocks differ"),
                },
                if a.passed() { String::new() } else { "FAIL".into() },
            ]);
        }
        write!(f, "{t}")?;
        for a in &self.arms {
            let Some(d) = a.first else { continue };
            write!(f, "{} ({}): first at position {}, ", a.walk, count(a.arm.threads, "thread"), d.position)?;
            if d.values > 0 {
                write!(f, "{} of {} logits, by at most {:e}; ", d.values_differing, d.values, d.max_abs)?;
            }
            writeln!(f, "best token {} where the base has {}", d.token, d.base_token)?;
        }
        for s in &self.skipped {
            writeln!(f, "skipped: {s}")?;
        }
        let n = self.positions;
        if self.base_ties_agree != n {
            writeln!(
                f,
                "base: at {} of {n} positions the best token is not the lowest best",
                n - self.base_ties_agree
            )?;
        }
        if !self.base_repeatable {
            writeln!(f, "base: a second walk of single rows gave other rows than the first")?;
        }
        let ((rows, equal), (_, agree)) = (self.rows(), self.argmax());
        let verdict = if self.passed() { "PASS" } else { "FAIL" };
        write!(
            f,
            "{verdict}: {n} positions of {} logits, {} walks: rows equal bit for bit {equal}/{rows}, argmax \
             {agree}/{rows}, state of {} bytes",
            self.vocab,
            self.arms.len(),
            self.state_bytes
        )
    }
}
