//! What rounds cost, as measured while they run.

use std::collections::BTreeMap;

use sterna_plan::choose::{CostError, CostTable};

/// Samples of one quantity that are kept.
const KEPT: usize = 9;
/// Fewer samples than this are not enough for a median.
const FEW: usize = 3;
/// Rounds after which samples no longer count: texts grow, and machines get busy.
const STALE: u64 = 512;
/// The same for few samples: one call that was interrupted must not condemn its width.
const STALE_FEW: u64 = 32;

/// The latest samples of one quantity.
#[derive(Clone, Debug, Default)]
struct Samples {
    ring: Vec<f64>,
    next: usize,
    value: f64,
    used: u64,
}

impl Samples {
    fn push(&mut self, sample: f64, round: u64) {
        if self.used + STALE < round {
            self.ring.clear();
            self.next = 0;
        }
        self.used = round;
        if self.ring.len() < KEPT {
            self.ring.push(sample)
        } else {
            self.ring[self.next] = sample
        }
        self.next = (self.next + 1) % KEPT;
        let mut sorted = self.ring.clone();
        sorted.sort_by(f64::total_cmp);
        // Interruptions only ever lengthen a call, so the shortest of few is the best guess.
        self.value = if sorted.len() < FEW { sorted[0] } else { sorted[(sorted.len() - 1) / 2] };
    }
    fn fresh(&self, round: u64) -> bool {
        self.used + if self.ring.len() < FEW { STALE_FEW } else { STALE } >= round
    }
}

/// Seconds of verify calls by their rows and of proposals by their length: medians of the latest samples, and where
/// there are none, a table measured beforehand (at the speed of the samples that there are), and without a table what the
/// neighbours cost. What was never tried is guessed low, so that it is tried once.
#[derive(Clone, Debug)]
pub struct RoundCosts {
    table: Option<CostTable>,
    draft_steps: f64,
    verify: BTreeMap<usize, Samples>,
    draft: BTreeMap<usize, Samples>,
    /// Measured seconds over the table's.
    scale: Samples,
    round: u64,
}

impl RoundCosts {
    /// `table`: costs measured beforehand, if any; widths past its widest are then not used. `draft_steps`: what one more
    /// drafted token costs in calls of one row, until it is measured (0 for lookups).
    ///
    /// # Errors
    /// A table that does not hold together.
    pub fn new(table: Option<&CostTable>, draft_steps: f64) -> Result<Self, CostError> {
        if let Some(table) = table {
            table.check()?;
        }
        Ok(Self {
            table: table.cloned(),
            draft_steps: if draft_steps.is_finite() { draft_steps.max(0.0) } else { 0.0 },
            verify: BTreeMap::new(),
            draft: BTreeMap::new(),
            scale: Samples { value: 1.0, ..Samples::default() },
            round: 0,
        })
    }

    /// Notes a round: `asked` tokens took `draft_seconds` to propose (nothing was asked of a proposer for 0), and the call
    /// of `width` rows took `verify_seconds`. Times that are none (negative, infinite, 0) are left out.
    pub fn record(&mut self, asked: usize, draft_seconds: f64, width: usize, verify_seconds: f64) {
        self.round += 1;
        let time = |s: f64| s.is_finite() && s > 0.0;
        if asked > 0 && time(draft_seconds) {
            self.draft.entry(asked).or_default().push(draft_seconds, self.round);
        }
        if width > 0 && time(verify_seconds) {
            self.verify.entry(width).or_default().push(verify_seconds, self.round);
            if let Some(table) = self.tabled(width) {
                self.scale.push(verify_seconds / table, self.round);
            }
        }
    }

    /// Seconds that the table says.
    fn tabled(&self, width: usize) -> Option<f64> {
        let table = self.table.as_ref()?;
        Some(table.steps(width)? * table.calls.first()?.1)
    }

    /// Whether calls of one row should be timed before anything else is decided: they never were and no table tells, or
    /// not for long.
    pub fn wants_plain(&self) -> bool {
        match self.verify.get(&1).filter(|s| s.fresh(self.round)) {
            Some(plain) => plain.ring.len() < FEW,
            None => self.table.is_none() || self.round >= STALE,
        }
    }

    /// Seconds of a verify call of `width` rows; one row is a plain decode. `None`: unknown, or past the table.
    pub fn verify(&self, width: usize) -> Option<f64> {
        let width = width.max(1);
        if let Some(samples) = self.verify.get(&width).filter(|s| s.fresh(self.round)) {
            return Some(samples.value);
        }
        if self.table.is_some() {
            return Some(self.tabled(width)? * self.scale.value);
        }
        let narrower = self.verify.range(..width).rev().find(|s| s.1.fresh(self.round));
        narrower.or_else(|| self.verify.first_key_value()).map(|w| w.1.value)
    }

    /// Plain steps to hold against a round that asked for `asked` tokens and evaluated `width` rows. Where there are too few
    /// samples to tell an interruption from a cost, a row or a drafted token counts one step at most.
    pub fn charge(&self, asked: usize, width: usize) -> Option<f64> {
        let few = |s: Option<&Samples>| s.is_some_and(|s| s.ring.len() < FEW);
        let step = self.verify(1)?;
        let steps = |seconds: f64, few: bool, most: usize| {
            let steps = seconds / step;
            if few { steps.min(most as f64) } else { steps }
        };
        let verify = steps(self.verify(width)?, few(self.verify.get(&width)), width);
        Some(verify + steps(self.draft(asked)?, few(self.draft.get(&asked)), asked))
    }

    /// Seconds to propose `k` tokens. `None` while the cost of a step is unknown.
    pub fn draft(&self, k: usize) -> Option<f64> {
        let more = self.draft_steps * self.verify(1)?;
        // On the line between known neighbours, of which nothing at all is one.
        let fresh = |s: &(&usize, &Samples)| s.1.fresh(self.round);
        let known = |(k, s): (&usize, &Samples)| (*k as f64, s.value);
        let (a, low) = self.draft.range(..=k).rev().find(fresh).map_or((0.0, 0.0), known);
        let above = self.draft.range(k + 1..).find(fresh).map(known);
        let each = above.map_or(more, |(b, high)| (high - low) / (b - a));
        Some(low + each * (k as f64 - a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sterna_plan::choose::COST_SCHEMA;

    fn table(calls: &[(usize, f64)]) -> CostTable {
        CostTable {
            schema: COST_SCHEMA,
            model: "m".into(),
            weight_bytes: 1,
            device: "d".into(),
            prefix: 0,
            calls: calls.to_vec(),
        }
    }

    fn near(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-12)
    }

    #[test]
    fn measured_beats_tabled_and_tells_how_fast_the_machine_is() {
        let mut costs = RoundCosts::new(Some(&table(&[(1, 1.0), (2, 1.5), (4, 2.0)])), 0.25).unwrap();
        assert!(!costs.wants_plain());
        assert!(near(costs.verify(1), 1.0) && near(costs.verify(3), 2.0) && costs.verify(5).is_none());
        assert!(near(costs.draft(2), 0.5));
        for _ in 0..5 {
            costs.record(1, 0.1, 2, 3.0); // half as fast as the table was
        }
        assert!(near(costs.verify(2), 3.0) && near(costs.verify(1), 2.0) && near(costs.verify(4), 4.0));
        assert!(near(costs.draft(1), 0.1) && near(costs.draft(2), 0.6), "half a second for one token more");
        assert!(RoundCosts::new(Some(&table(&[(2, 1.0)])), 0.0).is_err());
    }

    #[test]
    fn without_a_table_plain_calls_come_first_and_unknown_widths_are_guessed_low() {
        let mut costs = RoundCosts::new(None, 0.0).unwrap();
        assert!(costs.wants_plain() && costs.verify(1).is_none() && costs.draft(1).is_none());
        for _ in 0..3 {
            assert!(costs.wants_plain());
            costs.record(0, 0.0, 1, 1.0);
        }
        assert!(!costs.wants_plain());
        assert!(near(costs.verify(9), 1.0));
        costs.record(4, 0.5, 5, 3.0);
        assert!(near(costs.verify(3), 1.0) && near(costs.verify(9), 3.0));
        assert!(near(costs.draft(2), 0.25) && near(costs.draft(8), 0.5) && near(costs.draft(0), 0.0));
    }

    #[test]
    fn interruptions_do_not_count_and_old_samples_are_forgotten() {
        let mut costs = RoundCosts::new(None, 0.0).unwrap();
        for seconds in [90.0, 1.0, 1.1, f64::NAN, -1.0, 50.0, 0.9, 1.0] {
            costs.record(0, f64::NAN, 1, seconds);
        }
        assert!(near(costs.verify(1), 1.0), "{:?}", costs.verify(1));
        costs.record(1, 0.0, 2, 70.0);
        assert!(near(costs.verify(2), 70.0));
        for _ in 0..600 {
            costs.record(0, 0.0, 1, 1.0);
        }
        assert!(near(costs.verify(2), 1.0), "{:?}", costs.verify(2));
        for _ in 0..600 {
            costs.record(1, 0.0, 2, 1.2);
        }
        assert!(costs.wants_plain());
        costs.record(0, 0.0, 1, 2.0);
        assert!(near(costs.verify(1), 2.0), "what it was long ago does not count");
    }
}
