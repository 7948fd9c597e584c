//! How often drafts turn out right.

/// Weight of what was seen when one more is seen at the same place: about the last 50 count.
const DECAY: f64 = 0.98;
/// Weight of what was seen at a place in a round that drafted less: after some 50 such rounds the place is judged by the
/// ones before it again, so one unlucky deep draft is not held against depth for ever.
const FORGET: f64 = 0.98;
/// Chance of the first draft before any was seen.
const PRIOR: f64 = 0.6;
/// Observations that a prior is worth.
const PRIOR_WEIGHT: f64 = 2.0;

/// What happened at one place of the drafts, over all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceCount {
    /// Drafts proposed at this place.
    pub proposed: u64,
    /// Of these, accepted: they and all before them in their round were right.
    pub accepted: u64,
}

/// Decayed sums at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    /// Drafts that were judged: all before them in their round were right.
    judged: f64,
    /// Of these, right ones.
    right: f64,
}

/// Acceptance of one proposer in one context, by place in the draft (the first is 0).
///
/// The chance at a place is that of a draft to be right *when all before it were*. It is estimated from decayed counts
/// with a prior: 0.6 for the first place, which fades as drafts are seen, and for every other place the estimate of the
/// place before it, so what was never tried is taken to be as good as what was.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    counts: Vec<PlaceCount>,
    seen: Vec<Seen>,
}

impl Default for Acceptance {
    fn default() -> Self {
        let first = Seen { judged: PRIOR_WEIGHT, right: PRIOR_WEIGHT * PRIOR };
        Self { counts: Vec::new(), seen: vec![first] }
    }
}

impl Acceptance {
    /// A round proposed `proposed` drafts, and the target agreed with the first `accepted` of them.
    pub fn record(&mut self, proposed: usize, accepted: usize) {
        if proposed == 0 {
            return;
        }
        let accepted = accepted.min(proposed);
        self.counts.resize(self.counts.len().max(proposed), PlaceCount::default());
        self.seen.resize(self.seen.len().max(proposed), Seen::default());
        for (place, count) in self.counts.iter_mut().take(proposed).enumerate() {
            count.proposed += 1;
            count.accepted += u64::from(place < accepted);
        }
        for (place, seen) in self.seen.iter_mut().enumerate() {
            if place >= proposed {
                *seen = Seen { judged: FORGET * seen.judged, right: FORGET * seen.right };
            } else if place <= accepted {
                let right = f64::from(u8::from(place < accepted));
                *seen = Seen { judged: DECAY * seen.judged + 1.0, right: DECAY * seen.right + right };
            }
        }
    }

    /// Counts by place, as far as drafts went.
    pub fn counts(&self) -> &[PlaceCount] {
        &self.counts
    }

    /// Chance of the draft at each place to be right when all before it were; without end.
    pub fn chances(&self) -> impl Iterator<Item = f64> + '_ {
        let mut before = PRIOR;
        (0..).map(move |place| {
            let seen = self.seen.get(place).copied().unwrap_or_default();
            // The first place has its prior among what was seen.
            let weight = if place == 0 { 0.0 } else { PRIOR_WEIGHT };
            before = (seen.right + weight * before) / (seen.judged + weight);
            before
        })
    }

    /// Tokens expected of a round with 0, 1, 2, ... drafts, the target's own token included; without end.
    /// `E(k) = 1 + a_0 + a_0 a_1 + ... + a_0 ... a_{k-1}`.
    pub fn emitted(&self) -> impl Iterator<Item = f64> + '_ {
        let (mut all, mut sum) = (1.0, 1.0);
        std::iter::once(1.0).chain(self.chances().map(move |chance| {
            all *= chance;
            sum += all;
            sum
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_by_place() {
        let mut a = Acceptance::default();
        for (proposed, accepted) in [(3, 1), (2, 2), (0, 0), (1, 0), (2, 9)] {
            a.record(proposed, accepted);
        }
        let counts: Vec<_> = a.counts().iter().map(|c| (c.proposed, c.accepted)).collect();
        assert_eq!(counts, [(4, 3), (3, 2), (1, 0)]);
    }

    #[test]
    fn chances_are_of_drafts_that_were_judged() {
        let mut a = Acceptance::default();
        let first: Vec<f64> = a.chances().take(3).collect();
        assert_eq!(first, [0.6; 3]);
        // Nine rounds of ten reject the first draft: the second one is judged in the tenth, and right.
        for i in 0..1000 {
            a.record(2, if i % 10 == 9 { 2 } else { 0 });
        }
        let chances: Vec<f64> = a.chances().take(3).collect();
        assert!((0.05..0.2).contains(&chances[0]), "{chances:?}");
        assert!(chances[1] > 0.9, "{chances:?}");
        assert!(chances[2] == chances[1], "never proposed, so as good as the one before: {chances:?}");
    }

    #[test]
    fn expected_tokens_are_the_sum_of_products() {
        let mut a = Acceptance::default();
        for _ in 0..500 {
            a.record(4, 4);
            a.record(4, 2);
        }
        let c: Vec<f64> = a.chances().take(3).collect();
        let e: Vec<f64> = a.emitted().take(4).collect();
        let law = [1.0, 1.0 + c[0], 1.0 + c[0] + c[0] * c[1], 1.0 + c[0] + c[0] * c[1] + c[0] * c[1] * c[2]];
        for (e, law) in e.iter().zip(law) {
            assert!((e - law).abs() < 1e-12, "{e} {law}");
        }
        assert!(c[0] > 0.99 && (0.3..0.7).contains(&c[2]), "{c:?}");
    }

    #[test]
    fn what_was_seen_fades() {
        let mut a = Acceptance::default();
        (0..200).for_each(|_| a.record(4, 0));
        assert!(a.chances().next().unwrap() < 0.01);
        (0..60).for_each(|_| a.record(1, 1));
        assert!(a.chances().next().unwrap() > 0.9);
        // A deep place that was unlucky once is judged by its neighbours again.
        (0..200).for_each(|_| a.record(3, 3));
        (0..3).for_each(|_| a.record(4, 3));
        let then = a.chances().nth(3).unwrap();
        (0..200).for_each(|_| a.record(2, 2));
        assert!(then < 0.5 && a.chances().nth(3).unwrap() > 0.9, "{then}");
    }
}
