//! Order statistics of samples.

use serde::{Deserialize, Serialize};

/// Spread of one set of samples, in the samples' own unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of samples.
    pub count: usize,
    /// Middle value; the mean of the middle two for an even count.
    pub median: f64,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// First quartile, interpolated linearly.
    pub q1: f64,
    /// Third quartile, interpolated linearly.
    pub q3: f64,
    /// Median distance from the median.
    pub mad: f64,
}

impl Summary {
    /// The summary of `samples`, or `None` without any.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = quantile(&sorted, 0.5);
        let mut distance: Vec<f64> = sorted.iter().map(|x| (x - median).abs()).collect();
        distance.sort_by(f64::total_cmp);
        Some(Self {
            count: sorted.len(),
            median,
            min,
            max,
            q1: quantile(&sorted, 0.25),
            q3: quantile(&sorted, 0.75),
            mad: quantile(&distance, 0.5),
        })
    }

    /// Distance of the quartiles over the median: 0.05 means that the middle half lies within 5 %.
    pub fn spread(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.q3 - self.q1) / self.median }
    }

    /// The same samples in another unit.
    pub fn scaled(&self, factor: f64) -> Self {
        let Self { count, median, min, max, q1, q3, mad } = *self;
        let s = |x: f64| x * factor;
        Self { count, median: s(median), min: s(min), max: s(max), q1: s(q1), q3: s(q3), mad: s(mad) }
    }
}

/// Intercept and slope of the line with the least squares through the points; `None` for fewer than two different `x`.
pub fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    (sxx > 0.0).then(|| (my - sxy / sxx * mx, sxy / sxx))
}

/// Linear interpolation between the neighbours of rank `(n - 1) * q`.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = (sorted.len().saturating_sub(1)) as f64 * q;
    let low = at.floor() as usize;
    let get = |i: usize| sorted.get(i).or(sorted.last()).copied().unwrap_or(0.0);
    get(low) + (get(low + 1) - get(low)) * (at - low as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_least_squares() {
        assert_eq!(line(&[(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)]), Some((1.0, 2.0)));
        assert_eq!(line(&[(1.0, 3.0), (1.0, 5.0)]), None);
        assert_eq!(line(&[]), None);
    }

    #[test]
    fn order_statistics() {
        assert_eq!(Summary::of(&[]), None);
        let one = Summary::of(&[3.0]).unwrap();
        assert_eq!((one.median, one.min, one.max, one.q1, one.q3, one.mad), (3.0, 3.0, 3.0, 3.0, 3.0, 0.0));
        let s = Summary::of(&[5.0, 1.0, 100.0, 2.0, 3.0]).unwrap();
        assert_eq!((s.count, s.median, s.min, s.max, s.q1, s.q3, s.mad), (5, 3.0, 1.0, 100.0, 2.0, 5.0, 2.0));
        assert_eq!(s.spread(), 1.0);
        assert_eq!(Summary::of(&[4.0, 1.0, 2.0, 3.0]).unwrap().median, 2.5);
        assert_eq!(s.scaled(1e3).median, 3000.0);
    }
}
