//! Interval of the typical difference of pairs, without a guess at the distribution: Wilcoxon's signed ranks, turned
//! round (Hodges and Lehmann).
//!
//! The estimate is the median of all means of two differences (each with itself included). For differences that are
//! symmetric around it the interval is exact: arms in mirrored turns make them so, since whatever helps the arm that
//! comes first helps each arm as often. A third of the pairs may be anything at all before the estimate leaves the
//! middle of the others.

/// An estimate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Median of the means of pairs.
    pub middle: f64,
    /// Upper end.
    pub high: f64,
    /// Chance that the interval holds the centre.
    pub confidence: f64,
}

/// Rank of the interval's ends for `n` differences, with the chance that both ends together miss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    n: usize,
    rank: usize,
    error: f64,
}

impl Rank {
    /// The narrowest interval of `n` differences that misses with a chance of at most `error`. Where not even the widest
    /// one is as good, that one: its error is then above `error`.
    pub fn new(n: usize, error: f64) -> Self {
        // Chance of each sum of ranks, when each rank is in it or not by the toss of a coin.
        let mut chance = vec![0.0; n * (n + 1) / 2 + 1];
        chance[0] = 1.0;
        for rank in 1..=n {
            for sum in (0..=rank * (rank + 1) / 2).rev() {
                let with = if sum >= rank { chance[sum - rank] } else { 0.0 };
                chance[sum] = 0.5 * (chance[sum] + with);
            }
        }
        let (mut rank, mut tail) = (0, chance[0]);
        while rank + 1 < chance.len() && 2.0 * (tail + chance[rank + 1]) <= error {
            rank += 1;
            tail += chance[rank];
        }
        Self { n, rank, error: (2.0 * tail).min(1.0) }
    }

    /// Chance that the interval misses.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The interval; `None` for no differences, or another number of them than the rank is for.
    pub fn interval(&self, differences: &[f64]) -> Option<Interval> {
        if differences.len() != self.n {
            return None;
        }
        let with_later = |(i, a): (usize, &f64)| {
            let a = *a;
            differences[i..].iter().map(move |b| 0.5 * (a + b)).collect::<Vec<_>>()
        };
        let mut means: Vec<f64> = differences.iter().enumerate().flat_map(with_later).collect();
        let count = means.len();
        let mut at = |i: usize| {
            // The i-th smallest, without the work of a whole sort.
            (i < count).then(|| *means.select_nth_unstable_by(i, f64::total_cmp).1)
        };
        let middle = 0.5 * (at(count.checked_sub(1)? / 2)? + at(count / 2)?);
        let (low, high) = (at(self.rank)?, at(count.checked_sub(1 + self.rank)?)?);
        Some(Interval { low, middle, high, confidence: 1.0 - self.error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of the signed-rank test: two-sided 5 % at n = 10 rejects up to 8, 1 % at n = 20 up to 37.
    #[test]
    fn ranks_are_those_of_the_published_tables() {
        assert_eq!(Rank::new(10, 0.05).rank, 8);
        assert_eq!(Rank::new(20, 0.01).rank, 37);
        assert_eq!(Rank::new(8, 0.02).rank, 1);
        let none = Rank::new(4, 0.01);
        assert_eq!((none.rank, none.error()), (0, 0.125));
        let long = Rank::new(200, 0.001);
        assert!(long.error() <= 0.001 && long.error() > 0.00099, "{long:?}");
    }

    #[test]
    fn the_interval_is_of_means_of_two() {
        // Means of 1, 2, 4: 1, 1.5, 2, 2.5, 3, 4.
        let i = Rank::new(3, 0.01).interval(&[4.0, 1.0, 2.0]).unwrap();
        assert_eq!((i.low, i.middle, i.high, i.confidence), (1.0, 2.25, 4.0, 0.75));
        assert_eq!(Rank::new(3, 0.01).interval(&[1.0]), None);
        assert_eq!(Rank::new(0, 0.5).interval(&[]), None);
        let tight: Vec<f64> = (0..20).map(|i| if i < 5 { 1e6 } else { f64::from(i) * 1e-3 }).collect();
        let i = Rank::new(20, 0.05).interval(&tight).unwrap();
        assert!(i.middle < 0.02, "a quarter of the pairs gone astray leaves the middle alone: {i:?}");
    }
}
