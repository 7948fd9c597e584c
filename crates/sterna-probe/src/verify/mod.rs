//! What a verify of S rows costs in decode steps, and when drafting pays.

mod break_even;
mod fit;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_plan::choose::{COST_SCHEMA, CostTable};
use sterna_run::Session;
use sterna_run::speculate::Proposer;

use crate::accept::{AcceptPoint, accept_cost};
use crate::bench::{BenchError, Beside, RowsWanted, WidthOptions, WidthRow, WidthTable, width_table_beside};
use crate::count;
use crate::drafting::{DraftCost, Rehearsal};
use crate::interleave::Interleaved;
use crate::limits::{Limits, Reader};
use crate::table::{Table, bytes, number};

pub use break_even::{BreakEven, BreakEvenRow, break_even};
pub use fit::{LineFit, Stair, StairFit, fit_line, fit_stairs};

/// Rows of the call that shows what the kernels reach.
const WIDE: usize = 128;
/// Rows of the call of which some are accepted.
const ACCEPT_ROWS: usize = 16;

/// One width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostPoint {
    /// Rows of the call.
    pub width: usize,
    /// Median seconds.
    pub seconds: f64,
    /// Over the seconds of one row.
    pub steps: f64,
    /// Seconds that the [roofline](Roofline) allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roofline: Option<f64>,
}

/// The least that a call can take: its weights once at the speed of memory, or its multiply-accumulates at the rate that the
/// widest call reaches, whichever is longer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roofline {
    /// Bytes of weights of a call.
    pub weight_bytes: u64,
    /// Reading memory at its best in the same turns, GB/s, median.
    pub memory_gb_s: f64,
    /// Rows of the widest call, and its GMAC/s.
    pub rows: usize,
    /// Of all threads.
    pub gmac_s: f64,
}

impl Roofline {
    fn seconds(&self, macs: u64) -> f64 {
        (self.weight_bytes as f64 / self.memory_gb_s).max(macs as f64 / self.gmac_s) / 1e9
    }
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
    /// What bounds the points, where a wide call was measured beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
    /// Accepting some rows of a call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<AcceptPoint>,
    /// The straight line.
    pub line: LineFit,
    /// The staircase.
    pub stairs: StairFit,
    /// Samples and noise.
    pub samples: Interleaved,
    /// What proposing costs, where it was measured in the same turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafts: Option<DraftCost>,
    /// Why the costs may be wrong: rounds that are flagged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// Measures calls of 1 to `widest` rows, results asked of every row, and fits both shapes.
///
/// # Errors
/// As [`crate::bench::width_table`].
pub fn verify_cost(
    session: &mut Session,
    about: (&str, &str),
    options: &WidthOptions,
    limits: &Limits,
) -> Result<(VerifyCost, WidthTable), BenchError> {
    round_cost(session, about, options, None, limits)
}

/// The same, with `proposer` asked for 1 to 8 tokens in the same turns.
///
/// # Errors
/// As [`verify_cost`]; a proposer that fails, or proposes fewer tokens than it is asked for.
pub fn round_cost(
    session: &mut Session,
    about: (&str, &str),
    options: &WidthOptions,
    proposer: Option<&mut dyn Proposer>,
    limits: &Limits,
) -> Result<(VerifyCost, WidthTable), BenchError> {
    let mut options = WidthOptions { wanted: RowsWanted::All, ..options.clone() };
    let widths = options.widths.len();
    if options.widths.first() != Some(&1) {
        return Err(BenchError::Options(
            "verify cost is counted in calls of one row: widths must begin with 1".into(),
        ));
    }
    // What the kernels reach when a call is wide, in the same turns.
    let plan = std::sync::Arc::clone(session.executor().plan());
    let widest = plan.entries.iter().map(|e| e.width).max().unwrap_or(1).min(WIDE);
    if options.widths.last().is_some_and(|w| *w < widest) && options.prefix + widest <= session.context() {
        options.widths.push(widest);
    }
    let rehearsal = proposer.map(|p| Rehearsal::new(session, &options, p)).transpose()?;
    // Memory too: what others leave of it differs from minute to minute.
    let reader = Reader::new(limits.threads, limits.buffer_bytes)?;
    let mut beside = rehearsal.as_ref().map_or_else(Vec::new, Rehearsal::arms);
    beside.push(Beside::memory(&reader));
    let table = width_table_beside(session, &options, beside, limits)?;
    let memory = table.samples.arms.last().map_or(0.0, |a| a.time.median);
    let wide = table.rows.get(widths).filter(|r| r.load.gmac_s > 0.0 && memory > 0.0);
    let roofline = wide.map(|r| Roofline {
        weight_bytes: r.load.weight_bytes,
        memory_gb_s: 1.0 / memory,
        rows: r.width,
        gmac_s: r.load.gmac_s,
    });
    let point = |r: &WidthRow| CostPoint {
        width: r.width,
        seconds: r.ms.median / 1e3,
        steps: r.cost_in_steps,
        roofline: roofline.map(|l| l.seconds(r.load.macs)),
    };
    let points: Vec<CostPoint> = table.rows.iter().take(widths).map(point).collect();
    let step = points.first().map_or(0.0, |p| p.seconds);
    let drafts =
        rehearsal.map(|r| r.cost(table.samples.arms.get(table.rows.len()..).unwrap_or_default(), step));
    let rows = points.last().map_or(1, |p| p.width).min(ACCEPT_ROWS);
    let accept = match rows {
        0 | 1 => Vec::new(),
        _ => accept_cost(session, options.prefix, rows, options.rounds, step)?,
    };
    let few = || BenchError::Options("a fit needs two widths".into());
    let cost = VerifyCost {
        model: about.0.to_owned(),
        device: about.1.to_owned(),
        threads: limits.threads,
        prefix: options.prefix,
        line: fit_line(&points).ok_or_else(few)?,
        stairs: fit_stairs(&points).ok_or_else(few)?,
        roofline,
        accept,
        points,
        samples: table.samples.clone(),
        drafts,
        warning: table.samples.warning(),
    };
    Ok((cost, table))
}

impl VerifyCost {
    /// What a policy needs of it; `weight_bytes` tells files of one name apart.
    pub fn table(&self, weight_bytes: u64) -> CostTable {
        CostTable {
            schema: COST_SCHEMA,
            model: self.model.clone(),
            weight_bytes,
            device: self.device.clone(),
            prefix: self.prefix,
            calls: self.points.iter().map(|p| (p.width, p.seconds)).collect(),
        }
    }
}

impl fmt::Display for VerifyCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head =
            ["rows", "ms", "roofline", "over it", "steps", "a row", "line", "residual", "stairs", "residual"];
        let mut t = Table::new(&head);
        for (i, p) in self.points.iter().enumerate() {
            let signed = |r: Option<&f64>| r.map_or(String::new(), |r| format!("{r:+.3}"));
            let fitted = |r: Option<&f64>| r.map_or(String::new(), |r| format!("{:.2}", p.steps - r));
            let (line, stairs) = (self.line.residuals.get(i), self.stairs.residuals.get(i));
            t.row(vec![
                p.width.to_string(),
                number(1e3 * p.seconds),
                p.roofline.map_or("-".into(), |r| number(1e3 * r)),
                p.roofline.map_or("-".into(), |r| format!("{:.2}", p.seconds / r)),
                format!("{:.2}", p.steps),
                format!("{:.3}", p.steps / p.width as f64),
                fitted(line),
                signed(line),
                fitted(stairs),
                signed(stairs),
            ]);
        }
        let (l, s) = (&self.line, &self.stairs);
        let worst = |r: &[f64]| r.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        writeln!(f, "{} on {}, {} positions held", self.model, self.device, self.prefix)?;
        writeln!(
            f,
            "{t}line: {:.3} + {:.4} a row, residuals rms {:.3}, worst {:.3}, BIC {:.1}",
            l.fixed,
            l.per_row,
            l.rms,
            worst(&l.residuals),
            l.bic
        )?;
        let stairs = s.stairs.iter().map(|s| match s.from == s.to {
            true => format!("{}: {:.2}", s.from, s.cost),
            false => format!("{}-{}: {:.2}", s.from, s.to, s.cost),
        });
        let stairs = stairs.collect::<Vec<_>>().join(", ");
        let better = if l.bic <= s.bic { "line" } else { "staircase" };
        let (rms, worst, bic) = (s.rms, worst(&s.residuals), s.bic);
        writeln!(f, "staircase: {stairs}; residuals rms {rms:.3}, worst {worst:.3}, BIC {bic:.1}")?;
        if let Some(r) = &self.roofline {
            let (weights, rows) = (bytes(r.weight_bytes), count(r.rows, "row"));
            let (gb, gmac) = (number(r.memory_gb_s), number(r.gmac_s));
            writeln!(
                f,
                "roofline: {weights} at {gb} GB/s, or the {gmac} GMAC/s of a call of {rows}, both in the same turns"
            )?;
        }
        let accepts = self.accept.iter().map(|a| format!("{}: {:.3}", a.accepted, a.steps));
        let accepts = accepts.collect::<Vec<_>>().join(", ");
        if let Some(a) = self.accept.first() {
            writeln!(f, "accepting some of {}: {accepts} decode steps", count(a.rows, "row"))?;
        }
        if let Some(d) = &self.drafts {
            let steps: Vec<String> =
                d.points.iter().map(|p| format!("{}: {:.2}", p.drafts, p.steps)).collect();
            writeln!(f, "drafts by {}: {} decode steps", d.proposer, steps.join(", "))?;
        }
        write!(f, "the {better} describes it better (lower BIC); {}", self.samples.note())?;
        self.warning.as_ref().map_or(Ok(()), |w| write!(f, "\nwarning: {w}"))
    }
}
