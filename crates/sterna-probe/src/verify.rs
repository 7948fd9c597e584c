//! What a verify of S rows costs in decode steps, and when drafting pays.

use serde::{Deserialize, Serialize};

use crate::interleave::Interleaved;

/// One width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostPoint {
    /// Rows of the call.
    pub width: usize,
    /// Median seconds.
    pub seconds: f64,
    /// Over the seconds of one row.
    pub steps: f64,
}

/// `fixed + per_row * width` by least squares, in decode steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineFit {
    /// Cost at no rows.
    pub fixed: f64,
    /// Cost of one row more.
    pub per_row: f64,
    /// Measured less fitted, one for each point.
    pub residuals: Vec<f64>,
    /// Root of the mean square of the residuals.
    pub rms: f64,
    /// Bayesian information criterion: the fit with the lower one is the better description.
    pub bic: f64,
}

/// A plateau.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stair {
    /// First width.
    pub from: usize,
    /// Last width.
    pub to: usize,
    /// Cost in decode steps.
    pub cost: f64,
}

/// Plateaus: the partition of the widths that has the least squares among those of its number of stairs, with the
/// number of stairs that has the lowest BIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StairFit {
    /// Ascending.
    pub stairs: Vec<Stair>,
    /// Measured less fitted, one for each point.
    pub residuals: Vec<f64>,
    /// Root of the mean square of the residuals.
    pub rms: f64,
    /// As [`LineFit::bic`].
    pub bic: f64,
}

/// Verify cost of a model on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyCost {
    /// Model or bundle.
    pub model: String,
    /// Device in words.
    pub device: String,
    /// Threads.
    pub threads: usize,
    /// Positions held before each call.
    pub prefix: usize,
    /// Ascending widths, the first is 1.
    pub points: Vec<CostPoint>,
    /// The straight line.
    pub line: LineFit,
    /// The staircase.
    pub stairs: StairFit,
    /// Samples and noise.
    pub samples: Interleaved,
}

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
}

/// When drafting pays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEven {
    /// Decode steps of one drafted token.
    pub draft_cost: f64,
    /// Chance of acceptance by place in the draft, if given; the last one goes on.
    pub acceptance: Vec<f64>,
    /// By number of drafts.
    pub rows: Vec<BreakEvenRow>,
}
