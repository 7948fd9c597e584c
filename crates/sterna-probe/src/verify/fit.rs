//! The two shapes that costs by width may have: a line and a staircase.

use serde::{Deserialize, Serialize};

use super::CostPoint;
use crate::stats;

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
