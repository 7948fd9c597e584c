//! Two runs over the same items, item by item: how many each alone got right, and whether chance explains that.

use std::fmt;

use serde::Serialize;

/// Items of two runs, counted by who was right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pairs {
    /// Right in both.
    pub both: usize,
    /// Right in the baseline alone.
    pub baseline_only: usize,
    /// Right now alone.
    pub now_only: usize,
    /// Right in neither.
    pub neither: usize,
    /// McNemar's exact test, two-sided: how likely a split of the items that differ is that is at least as uneven as this
    /// one, if each fell to either side with the chance of a coin.
    pub p: f64,
}

impl Pairs {
    /// Counts two lists of equal length.
    pub(super) fn new(baseline: &[bool], now: &[bool]) -> Self {
        let count = |a: bool, b: bool| baseline.iter().zip(now).filter(|(x, y)| (**x, **y) == (a, b)).count();
        let (baseline_only, now_only) = (count(true, false), count(false, true));
        Self {
            both: count(true, true),
            baseline_only,
            now_only,
            neither: count(false, false),
            p: coin(baseline_only, now_only),
        }
    }
}

/// Two-sided probability of a split at least as uneven as `a` to `b` among `a + b` throws of a coin.
fn coin(a: usize, b: usize) -> f64 {
    let (n, least) = (a + b, a.min(b));
    // ln of (n over i) / 2^n, from i = 0 on: the power alone is no f64 for many items.
    let mut ln = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for i in 0..=least {
        sum += ln.exp();
        ln += ((n - i) as f64 / (i + 1) as f64).ln();
    }
    (2.0 * sum).min(1.0)
}

impl fmt::Display for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pairs { both, baseline_only, now_only, neither, p } = self;
        write!(
            f,
            "short answers item by item: {both} right in both, {baseline_only} in the baseline alone, {now_only} now alone, \
             {neither} in neither; McNemar, exact, two-sided: p = {p:.3}, "
        )?;
        match (baseline_only + now_only, *p < 0.05) {
            (0, _) => write!(f, "no item differs"),
            (_, true) => write!(f, "chance alone seldom does that"),
            (_, false) => write!(f, "chance alone may do that"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_by_who_was_right() {
        let (t, f) = (true, false);
        let pairs = Pairs::new(&[t, t, t, f, f, f, f], &[t, f, f, t, f, f, f]);
        let expected = Pairs { both: 1, baseline_only: 2, now_only: 1, neither: 3, p: 1.0 };
        assert_eq!(pairs, expected);
        assert!(pairs.to_string().contains("2 in the baseline alone, 1 now alone"), "{pairs}");
        assert!(Pairs::new(&[t], &[t]).to_string().contains("no item differs"));
    }

    /// Worked out by hand: (1 + 10) / 2^10 twice, and so on.
    #[test]
    fn the_exact_test() {
        for (a, b, p) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (5, 0, 2.0 / 32.0),
            (1, 9, 22.0 / 1024.0),
            (9, 1, 22.0 / 1024.0),
            (3, 4, 1.0),
            (2, 6, 2.0 * 37.0 / 256.0),
        ] {
            assert!((coin(a, b) - p).abs() < 1e-12, "{a} {b}: {}", coin(a, b));
        }
        assert!(coin(3000, 2000) < 1e-40 && coin(2500, 2500) > 0.99);
    }
}
