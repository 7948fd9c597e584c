//! What a verify of S rows costs in decode steps, and when drafting pays.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_plan::choose::{COST_SCHEMA, CostTable};
use sterna_run::Session;
use sterna_run::speculate::Proposer;

use crate::accept::{AcceptPoint, accept_cost};
use crate::bench::{BenchError, RowsWanted, WidthOptions, WidthRow, WidthTable, width_table_beside};
use crate::count;
use crate::drafting::{DraftCost, Rehearsal};
use crate::interleave::Interleaved;
use crate::limits::Limits;
use crate::stats;
use crate::table::{Table, bytes, number, percent};

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
    /// Reading memory, GB/s.
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
    let beside = rehearsal.as_ref().map_or_else(Vec::new, Rehearsal::arms);
    let table = width_table_beside(session, &options, beside, limits)?;
    let wide = table.rows.get(widths).filter(|r| r.load.gmac_s > 0.0 && limits.read_gb_s() > 0.0);
    let roofline = wide.map(|r| Roofline {
        weight_bytes: r.load.weight_bytes,
        memory_gb_s: limits.read_gb_s(),
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

/// Square of the error that is taken for none: a hundredth of the mean cost, about what a median is good for. Below it
/// a better fit is no better.
fn floor(points: &[CostPoint]) -> f64 {
    let mean = points.iter().map(|p| p.steps).sum::<f64>() / points.len().max(1) as f64;
    (1e-2 * mean).powi(2)
}

/// `n ln(mean square) + parameters * ln n`.
fn bic(points: &[CostPoint], squares: f64, parameters: usize) -> f64 {
    let n = points.len() as f64;
    n * (squares / n).max(floor(points)).ln() + parameters as f64 * n.ln()
}

fn squares(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}

/// The straight line with the least squares; `None` for fewer than two points.
pub fn fit_line(points: &[CostPoint]) -> Option<LineFit> {
    let xy: Vec<(f64, f64)> = points.iter().map(|p| (p.width as f64, p.steps)).collect();
    let (fixed, per_row) = stats::line(&xy)?;
    let residuals: Vec<f64> = xy.iter().map(|(x, y)| y - fixed - per_row * x).collect();
    let sum = squares(&residuals);
    Some(LineFit { fixed, per_row, rms: (sum / xy.len() as f64).sqrt(), bic: bic(points, sum, 2), residuals })
}

/// The staircase with the least squares for its number of stairs, and the number of stairs (at most half as many as
/// points) with the lowest BIC: a stair costs two parameters, its height and where it begins, and errors below 1 % of the mean
/// cost count as that. `None` for fewer than two
/// points.
pub fn fit_stairs(points: &[CostPoint]) -> Option<StairFit> {
    let n = points.len();
    if n < 2 {
        return None;
    }
    // Sums up to each point give the squares around the mean of any run of points.
    let (mut sum, mut sum2) = (vec![0.0], vec![0.0]);
    for p in points {
        sum.push(sum[sum.len() - 1] + p.steps);
        sum2.push(sum2[sum2.len() - 1] + p.steps * p.steps);
    }
    let mean = |a: usize, b: usize| (sum[b] - sum[a]) / (b - a) as f64;
    let around =
        |a: usize, b: usize| (sum2[b] - sum2[a] - (sum[b] - sum[a]).powi(2) / (b - a) as f64).max(0.0);
    let most = (n / 2).max(1);
    // least[m][b]: squares of the best m stairs over the first b points; begin[m][b]: where the last of them begins.
    let mut least = vec![vec![f64::INFINITY; n + 1]; most + 1];
    let mut begin = vec![vec![0; n + 1]; most + 1];
    least[0][0] = 0.0;
    for m in 1..=most {
        for b in m..=n {
            for a in m - 1..b {
                let s = least[m - 1][a] + around(a, b);
                if s < least[m][b] {
                    (least[m][b], begin[m][b]) = (s, a);
                }
            }
        }
    }
    let score = |m: usize| bic(points, least[m][n], 2 * m - 1);
    let best = (1..=most).min_by(|a, b| score(*a).total_cmp(&score(*b)))?;
    let (mut stairs, mut b) = (Vec::new(), n);
    for m in (1..=best).rev() {
        let a = begin[m][b];
        stairs.push((a, b));
        b = a;
    }
    stairs.reverse();
    let mut residuals = Vec::with_capacity(n);
    for (a, b) in &stairs {
        residuals.extend(points[*a..*b].iter().map(|p| p.steps - mean(*a, *b)));
    }
    let stairs = stairs.into_iter().map(|(a, b)| Stair {
        from: points[a].width,
        to: points[b - 1].width,
        cost: mean(a, b),
    });
    let rms = (squares(&residuals) / n as f64).sqrt();
    Some(StairFit { stairs: stairs.collect(), rms, bic: score(best), residuals })
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
            writeln!(f, "roofline: {weights} at {gb} GB/s, or the {gmac} GMAC/s of a call of {rows}")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn points(costs: &[(usize, f64)]) -> Vec<CostPoint> {
        costs
            .iter()
            .map(|(width, steps)| CostPoint {
                width: *width,
                seconds: steps * 0.01,
                steps: *steps,
                roofline: None,
            })
            .collect()
    }

    fn cost(costs: &[(usize, f64)]) -> VerifyCost {
        let points = points(costs);
        let mut arms = vec![crate::interleave::Arm::told("a", |_: &mut ()| Ok(1.0))];
        VerifyCost {
            model: "m".into(),
            device: "d".into(),
            threads: 1,
            prefix: 0,
            line: fit_line(&points).unwrap(),
            stairs: fit_stairs(&points).unwrap(),
            roofline: None,
            accept: Vec::new(),
            points,
            samples: crate::interleave::interleave(&mut (), &mut arms, Default::default()).unwrap(),
            drafts: None,
            warning: None,
        }
    }

    #[test]
    fn measured_drafting_counts_instead_of_a_given_cost() {
        use crate::drafting::{DraftCost, DraftPoint};
        let point = |(drafts, steps)| DraftPoint { drafts, seconds: steps, steps };
        let points = [(1, 0.4), (2, 0.6), (4, 1.0)].map(point).to_vec();
        let drafts = Some(DraftCost { proposer: "draft".into(), points });
        let c = VerifyCost { drafts, ..cost(&[(1, 1.0), (3, 1.5), (5, 2.0), (9, 3.0)]) };
        let b = break_even(&c, 7.0, &[0.8]);
        let draft: Vec<f64> = b.rows.iter().map(|r| r.draft).collect();
        assert!(draft.iter().zip([0.6, 1.0, 1.8]).all(|(a, b)| (a - b).abs() < 1e-12), "{draft:?}");
        assert!(
            (b.rows[0].needed_accepted - 1.1).abs() < 1e-12,
            "1.5 + 0.6 steps, and one token comes in any case"
        );
        assert!((b.draft_cost - 0.25).abs() < 1e-12 && b.to_string().contains("drafting by draft"), "{b}");
        let said = c.to_string();
        assert!(said.contains("drafts by draft: 1: 0.40, 2: 0.60, 4: 1.00 decode steps"), "{said}");
        let read: VerifyCost = serde_json::from_str(&serde_json::to_string(&c).unwrap()).unwrap();
        assert_eq!(read, c);
        let plain = serde_json::to_string(&cost(&[(1, 1.0), (2, 1.5)])).unwrap();
        assert!(!plain.contains("drafts"), "lines without it are as they were");
    }

    #[test]
    fn costs_of_flagged_rounds_carry_a_warning() {
        let mut c = cost(&[(1, 1.0), (2, 1.1)]);
        (c.samples.noisy, c.samples.throttled) = (vec![], vec![]);
        assert_eq!(c.samples.warning(), None);
        assert!(
            !c.to_string().contains("warning") && !serde_json::to_string(&c).unwrap().contains("warning")
        );
        (c.samples.noisy, c.samples.throttled) = (vec![0, 2], vec![2]);
        c.warning = c.samples.warning();
        let said = c.to_string();
        assert!(said.contains("warning: 2 of 7 rounds flagged (2 noisy, 1 on a slow clock)"), "{said}");
        let read: VerifyCost = serde_json::from_str(&serde_json::to_string(&c).unwrap()).unwrap();
        assert_eq!(read, c, "a record keeps it");
    }

    /// Published costs of a verify on a GPU, with the fit and the residuals worked out by others.
    #[test]
    fn the_line_is_that_of_the_published_table() {
        let fit = fit_line(&points(&[(16, 4.49), (32, 6.97), (64, 10.90), (128, 20.25)])).unwrap();
        assert!((fit.fixed - 2.276).abs() < 5e-3 && (fit.per_row - 0.13966).abs() < 1e-4, "{fit:?}");
        for (r, want) in fit.residuals.iter().zip([-0.016, 0.227, -0.311, 0.101]) {
            assert!((r - want).abs() < 5e-3, "{fit:?}");
        }
        assert_eq!(fit_line(&points(&[(1, 1.0)])), None);
    }

    /// A published staircase, in milliseconds, with steps at 4 and 9 rows.
    const STAIRCASE: [(usize, f64); 11] = [
        (1, 36.9),
        (2, 37.1),
        (3, 37.7),
        (4, 53.6),
        (5, 54.0),
        (6, 54.4),
        (7, 54.7),
        (8, 54.9),
        (9, 84.6),
        (12, 84.7),
        (16, 81.0),
    ];

    #[test]
    fn the_stairs_are_found_where_they_are() {
        let p = points(&STAIRCASE);
        let (line, stairs) = (fit_line(&p).unwrap(), fit_stairs(&p).unwrap());
        let ends: Vec<_> = stairs.stairs.iter().map(|s| (s.from, s.to)).collect();
        assert_eq!(ends[..2], [(1, 3), (4, 8)], "{stairs:?}");
        assert_eq!(ends.last().unwrap().1, 16);
        assert!(stairs.bic < line.bic && stairs.rms < line.rms);
        let even: Vec<_> = (1..=16).map(|w| (w, 1.0 + 0.25 * w as f64)).collect();
        let p = points(&even);
        assert!(fit_line(&p).unwrap().bic < fit_stairs(&p).unwrap().bic, "a line is no staircase");
        let flat: Vec<_> = (1..=16).map(|w| (w, 2.0)).collect();
        assert_eq!(fit_stairs(&points(&flat)).unwrap().stairs.len(), 1);
        assert_eq!(fit_stairs(&points(&[(1, 1.0)])), None);
    }

    #[test]
    fn drafting_pays_from_the_acceptance_at_which_tokens_cost_the_same() {
        let c = cost(&[(1, 1.0), (3, 1.5), (5, 2.83), (9, 12.0)]);
        let b = break_even(&c, 0.1, &[0.8, 0.5]);
        let k: Vec<_> = b.rows.iter().map(|r| (r.k, r.width)).collect();
        assert_eq!(k, [(2, 3), (4, 5), (8, 9)], "k drafts are verified in k + 1 rows");
        let r = b.rows[0];
        assert!((r.needed_accepted - 0.7).abs() < 1e-12, "1.5 + 0.2 steps, and one token comes in any case");
        let a = r.needed_acceptance.unwrap();
        assert!((a + a * a - 0.7).abs() < 1e-9);
        assert!((r.emitted.unwrap() - (1.0 + 0.8 + 0.4)).abs() < 1e-12);
        assert!((r.speedup.unwrap() - 2.2 / 1.7).abs() < 1e-12);
        assert!((b.rows[1].emitted.unwrap() - (1.0 + 0.8 + 0.4 + 0.2 + 0.1)).abs() < 1e-12);
        assert_eq!(b.rows[2].needed_acceptance, None, "12.8 steps for at most 9 tokens");
        let each = r.acceptance.unwrap();
        assert!(
            (each + each * each - 1.2).abs() < 1e-9,
            "one chance that accepts as many as 80 % and then half"
        );
        assert!(each > a, "it pays");
        let text = b.to_string();
        assert!(text.contains("never") && text.contains("1.29x"), "{text}");
        assert_eq!(break_even(&c, 0.0, &[]).rows[0].speedup, None);
        assert_eq!(break_even(&c, 0.0, &[1.0]).rows[0].acceptance, Some(1.0));
        let text = c.to_string();
        assert!(text.contains("staircase:") && text.contains("BIC"), "{text}");
        let table = c.table(7);
        table.check().unwrap();
        assert_eq!((table.steps(4), table.weight_bytes), (Some(2.83), 7));
    }
}
