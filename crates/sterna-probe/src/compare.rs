//! Whether one arm is slower than another: paired ratios with an interval and a verdict.

use serde::{Deserialize, Serialize};

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The arm takes longer than its base: the whole interval lies above the zone that counts as equal.
    Slower,
    /// The arm takes less time than its base.
    Faster,
    /// The interval is narrow and near 1: a difference that matters would have been seen.
    Same,
    /// The time or the rounds were spent before anything was certain.
    Undecided,
}

/// One arm against its base, measured in the same rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What both did: "decode 32 after 64".
    pub what: String,
    /// The arm that the other is compared with.
    pub base: String,
    /// The other.
    pub arm: String,
    /// Rounds that both were measured in, flagged ones included.
    pub rounds: usize,
    /// Rounds of these that are flagged.
    pub flagged: usize,
    /// Time of the arm over time of the base: 1.05 is 5 % slower.
    pub ratio: f64,
    /// Lower end of the interval of `ratio`.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Chance that an interval made this way holds the true ratio.
    pub confidence: f64,
    /// Ratios within `1 / (1 + zone) ..= 1 + zone` count as equal.
    pub zone: f64,
    /// In words.
    pub verdict: Verdict,
}

/// How often the comparison errs on this machine, counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfCheck {
    /// An arm against itself.
    pub same: Vec<Comparison>,
    /// An arm against itself with work added.
    pub slowed: Vec<Comparison>,
    /// Work added, as a share of the arm's own time.
    pub injected: f64,
    /// Comparisons of equals that report a difference.
    pub false_alarms: usize,
    /// Slowdowns that were reported as such.
    pub found: usize,
}
