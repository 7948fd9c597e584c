//! What rounds cost, as measured while they run.

use std::collections::BTreeMap;

use sterna_plan::choose::{CostError, CostTable};

use super::Round;

/// Samples of one quantity that are kept.
const KEPT: usize = 9;
/// Samples of plain calls that are kept: everything is held against them, and drafting would begin whenever a few were slow.
const KEPT_PLAIN: usize = 33;
/// Fewer samples than this are not enough for a median.
const FEW: usize = 3;
/// Rounds after which samples no longer count: texts grow, and machines get busy.
const STALE: u64 = 512;
/// Rounds without a plain one after which one is: what a step costs is what everything is held against.
const REFRESH: u64 = 128;
/// The same while drafting is not much faster than plain steps, so that it is known what a step costs *now*.
const REFRESH_CLOSE: u64 = 52;
/// Latest plain calls that tell what a step costs now: other programs come and go, and make all calls slower for a while.
const NOW: usize = 3;
/// As `STALE`, for a few samples that say that a call of many rows costs more than as many calls, or drafts more than the
/// steps they are to save: one call that was interrupted must not condemn its width.
const STALE_DOUBTFUL: u64 = 32;
/// Tokens of text that a proposer reads in rounds that follow each other, at most; reading more is a cost of its own.
pub(super) const FEW_READ: usize = 16;
/// A token that is read among many, in drafted tokens, until it is measured.
const READING: f64 = 0.125;

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
        self.push_of(KEPT, sample, round);
    }

    /// Adds a sample to the latest `kept`.
    fn push_of(&mut self, kept: usize, sample: f64, round: u64) {
        if self.used + STALE < round {
            self.ring.clear();
            self.next = 0;
        }
        self.used = round;
        if self.ring.len() < kept {
            self.ring.push(sample)
        } else {
            self.ring[self.next] = sample
        }
        self.next = (self.next + 1) % kept;
        let mut some = self.ring.clone();
        // Interruptions only ever lengthen a call, so the shortest of few is the best guess.
        let nth = if some.len() < FEW { 0 } else { (some.len() - 1) / 2 };
        self.value = *some.select_nth_unstable_by(nth, f64::total_cmp).1;
    }
    /// Median of the latest `NOW` samples.
    fn now(&self) -> f64 {
        let len = self.ring.len();
        let mut latest: Vec<f64> =
            (1..=NOW.min(len)).map(|i| self.ring[(self.next + len - i) % len]).collect();
        latest.sort_by(f64::total_cmp);
        latest.get(latest.len() / 2).copied().unwrap_or(self.value)
    }
    /// Whether these still count. `credible` is the most that is credible: a few samples above it are soon tried again.
    fn fresh(&self, round: u64, credible: f64) -> bool {
        let doubtful = self.ring.len() < FEW && self.value > credible;
        self.used + if doubtful { STALE_DOUBTFUL } else { STALE } >= round
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
    /// Seconds a token of text that proposers read to catch up.
    reading: Samples,
    /// Plain steps that the plain round after a draft takes longer than others.
    aftermath: Samples,
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
            reading: Samples::default(),
            aftermath: Samples::default(),
            scale: Samples { value: 1.0, ..Samples::default() },
            round: 0,
        })
    }

    /// Notes a round. Times that are none (negative, infinite, 0) are left out.
    pub fn record(&mut self, round: &Round) {
        let Round { asked, read, rows: width, draft_seconds, verify_seconds, .. } = *round;
        self.round += 1;
        let time = |s: f64| s.is_finite() && s > 0.0;
        if asked > 0 && time(draft_seconds) {
            if read <= FEW_READ {
                self.draft.entry(asked).or_default().push(draft_seconds, self.round);
            } else if let Some(drafts) = self.draft(asked) {
                self.reading.push((draft_seconds - drafts).max(0.0) / read as f64, self.round);
            }
        }
        // What a draft leaves behind is its own price, and no measure to hold it against.
        let is_step = width > 1 || !round.follows_draft;
        if width > 0 && is_step && time(verify_seconds) {
            let kept = if width == 1 { KEPT_PLAIN } else { KEPT };
            self.verify.entry(width).or_default().push_of(kept, verify_seconds, self.round);
            if let Some(table) = self.tabled(width) {
                self.scale.push(verify_seconds / table, self.round);
            }
        }
    }

    /// Notes that the plain round after a draft took so many seconds, and says by how many plain steps that is more than one
    /// step, which is what the draft has cost besides its own round: it leaves a processor's caches to itself. At most one
    /// step either way, since an interruption is nobody's loss. 0 while the cost of a step is unknown.
    pub fn record_aftermath(&mut self, seconds: f64) -> f64 {
        let Some(step) = self.step_now().filter(|_| seconds.is_finite() && seconds > 0.0) else { return 0.0 };
        let more = (seconds / step - 1.0).min(1.0);
        self.aftermath.push(more, self.round);
        more
    }

    /// Plain steps that the plain round after a draft takes longer than others; 0 until that is known.
    pub fn aftermath(&self) -> f64 {
        let known = self.aftermath.ring.len() >= FEW && self.aftermath.fresh(self.round, f64::INFINITY);
        if known { self.aftermath.value.max(0.0) } else { 0.0 }
    }

    /// Seconds that the table says.
    fn tabled(&self, width: usize) -> Option<f64> {
        let table = self.table.as_ref()?;
        Some(table.steps(width)? * table.calls.first()?.1)
    }

    /// Whether calls of one row should be timed before anything else is decided: they never were and no table tells, or
    /// not for long.
    ///
    /// `close`: drafting is not much faster than plain steps.
    pub fn wants_plain(&self, close: bool) -> bool {
        let refresh = if close { REFRESH_CLOSE } else { REFRESH };
        match self.plain() {
            Some(plain) => plain.ring.len() < FEW || plain.used + refresh < self.round,
            None => self.table.is_none() || self.round >= STALE,
        }
    }

    /// The samples of calls of one row, if they count.
    fn plain(&self) -> Option<&Samples> {
        self.verify.get(&1).filter(|s| s.fresh(self.round, f64::INFINITY))
    }

    /// Seconds of a plain step at the speed that the machine has now, which gains and losses are counted in: an estimate that lies
    /// further back would count a machine that got faster as a gain of drafting. `None` as [`RoundCosts::verify`] of one row.
    pub fn step_now(&self) -> Option<f64> {
        let step = self.verify(1)?;
        let now = self.plain().filter(|s| s.ring.len() >= NOW).map(|s| self.wider().fold(s.now(), f64::min));
        Some(now.unwrap_or(step))
    }

    /// Seconds of calls of more than one row. One that takes less than a plain step tells that the last plain ones were
    /// interrupted.
    fn wider(&self) -> impl Iterator<Item = f64> + '_ {
        let known = |s: &Samples| s.ring.len() >= FEW && s.fresh(self.round, f64::INFINITY);
        self.verify.range(2..).filter(move |s| known(s.1)).map(|s| s.1.value)
    }

    /// Seconds of a verify call of `width` rows; one row is a plain decode. `None`: unknown, or past the table.
    pub fn verify(&self, width: usize) -> Option<f64> {
        let width = width.max(1);
        let tabled_step = || Some(self.tabled(1)? * self.scale.value);
        let plain = |s: &Samples| self.wider().fold(s.value, f64::min);
        let step = self.plain().map(plain).or_else(tabled_step);
        let step = step.or_else(|| self.verify.first_key_value().map(|s| s.1.value))?;
        if width == 1 {
            return Some(step);
        }
        let fresh = |s: &(&usize, &Samples)| s.1.fresh(self.round, step * *s.0 as f64);
        if let Some(samples) = self.verify.get_key_value(&width).filter(fresh) {
            return Some(samples.1.value);
        }
        if self.table.is_some() {
            return Some(self.tabled(width)? * self.scale.value);
        }
        let narrower = self.verify.range(2..width).rev().find(fresh);
        Some(narrower.map_or(step, |s| s.1.value))
    }

    /// Plain steps to hold against a round in which a proposer was asked: what it took, but at most twice what that usually
    /// takes or two steps more, since an interruption is nobody's loss. Where there are too few samples to tell one from a cost, a row, a
    /// drafted token or one that was read counts one step at most.
    pub fn charge(&self, round: &Round) -> Option<f64> {
        let few = |s: Option<&Samples>| s.is_some_and(|s| s.ring.len() < FEW);
        let step = self.step_now()?;
        let steps = |seconds: f64, usual: f64, few: bool, most: usize| {
            let seconds = if seconds.is_finite() && seconds > 0.0 { seconds } else { usual };
            let steps = seconds.min(usual + usual.max(2.0 * step)) / step;
            if few { steps.min(most as f64) } else { steps }
        };
        let Round { asked, read, rows, .. } = *round;
        let much = read > FEW_READ;
        let usual = self.draft(asked)? + if much { self.reading()? * read as f64 } else { 0.0 };
        let few_drafts = few(self.draft.get(&asked)) || much && few(Some(&self.reading));
        let most = asked + if much { read } else { 0 };
        let mut all = steps(round.draft_seconds, usual, few_drafts, most);
        if rows > 0 {
            all += steps(round.verify_seconds, self.verify(rows)?, few(self.verify.get(&rows)), rows);
        }
        Some(all)
    }

    /// Seconds to read one token of text among many. `None` while the cost of a step is unknown.
    pub fn reading(&self) -> Option<f64> {
        if self.knows_reading() {
            return Some(self.reading.value);
        }
        Some(READING * self.draft_steps * self.verify(1)?)
    }

    /// Whether that was measured.
    pub fn knows_reading(&self) -> bool {
        !self.reading.ring.is_empty()
    }

    /// Seconds to propose `k` tokens. `None` while the cost of a step is unknown.
    pub fn draft(&self, k: usize) -> Option<f64> {
        let step = self.verify(1)?;
        // On the line between known neighbours, of which nothing at all is one.
        let fresh = |s: &(&usize, &Samples)| s.1.fresh(self.round, step * *s.0 as f64);
        let known = |(k, s): (&usize, &Samples)| (*k as f64, s.value);
        let (a, low) = self.draft.range(..=k).rev().find(fresh).map_or((0.0, 0.0), known);
        let above = self.draft.range(k + 1..).find(fresh).map(known);
        let each = above.map_or(self.draft_steps * step, |(b, high)| (high - low) / (b - a));
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

    fn round(asked: usize, draft_seconds: f64, rows: usize, verify_seconds: f64) -> Round {
        Round { asked, draft_seconds, rows, verify_seconds, ..Round::default() }
    }

    fn near(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-12)
    }

    #[test]
    fn measured_beats_tabled_and_tells_how_fast_the_machine_is() {
        let mut costs = RoundCosts::new(Some(&table(&[(1, 1.0), (2, 1.5), (4, 2.0)])), 0.25).unwrap();
        assert!(!costs.wants_plain(false));
        assert!(near(costs.verify(1), 1.0) && near(costs.verify(3), 2.0) && costs.verify(5).is_none());
        assert!(near(costs.draft(2), 0.5));
        for _ in 0..5 {
            costs.record(&round(1, 0.1, 2, 3.0)); // half as fast as the table was
        }
        assert!(near(costs.verify(2), 3.0) && near(costs.verify(1), 2.0) && near(costs.verify(4), 4.0));
        assert!(near(costs.draft(1), 0.1) && near(costs.draft(2), 0.6), "half a second for one token more");
        assert!(RoundCosts::new(Some(&table(&[(2, 1.0)])), 0.0).is_err());
    }

    #[test]
    fn without_a_table_plain_calls_come_first_and_unknown_widths_are_guessed_low() {
        let mut costs = RoundCosts::new(None, 0.0).unwrap();
        assert!(costs.wants_plain(false) && costs.verify(1).is_none() && costs.draft(1).is_none());
        for _ in 0..3 {
            assert!(costs.wants_plain(false));
            costs.record(&round(0, 0.0, 1, 1.0));
        }
        assert!(!costs.wants_plain(false));
        assert!(near(costs.verify(9), 1.0));
        costs.record(&round(4, 0.5, 5, 3.0));
        assert!(near(costs.verify(3), 1.0) && near(costs.verify(9), 3.0));
        assert!(near(costs.draft(2), 0.25) && near(costs.draft(8), 0.5) && near(costs.draft(0), 0.0));
    }

    /// A proposer that had not followed the text reads it: that is not what drafting costs.
    #[test]
    fn reading_is_a_cost_of_its_own() {
        let mut costs = RoundCosts::new(None, 0.2).unwrap();
        assert!(costs.reading().is_none());
        (0..3).for_each(|_| costs.record(&round(0, 0.0, 1, 1.0)));
        assert!(near(costs.reading(), 0.025), "{:?}", costs.reading());
        let long = |read| Round { read, ..round(1, 0.2 + 0.01 * read as f64, 2, 1.5) };
        [100, 200, 300].iter().for_each(|read| costs.record(&long(*read)));
        assert!(near(costs.reading(), 0.01) && near(costs.draft(1), 0.2), "{:?}", costs.draft(1));
        assert!(near(costs.charge(&long(400)), 0.2 + 1.5 + 4.0), "{:?}", costs.charge(&long(400)));
        // One that knew nothing had no call of its own.
        assert!(near(costs.charge(&Round { rows: 0, ..long(400) }), 0.2 + 4.0));
        // What took longer is charged, what was interrupted is not.
        let slow = |verify_seconds| Round { verify_seconds, ..round(1, 0.2, 2, 1.5) };
        assert!(near(costs.charge(&slow(2.0)), 2.2) && near(costs.charge(&slow(40.0)), 3.7));
    }

    /// Drafting would go on for long against steps that were timed while another program had the cores.
    #[test]
    fn a_step_costs_no_more_than_a_call_of_more_rows() {
        let mut costs = RoundCosts::new(None, 0.0).unwrap();
        (0..9).for_each(|_| costs.record(&round(0, 0.0, 1, 8.0)));
        assert!(near(costs.verify(1), 8.0));
        (0..3).for_each(|_| costs.record(&round(2, 0.0, 3, 1.5)));
        assert!(near(costs.verify(1), 1.5) && !costs.wants_plain(false));
        (0..128).for_each(|_| costs.record(&round(2, 0.0, 3, 1.5)));
        assert!(costs.wants_plain(false), "one plain round in 128");
        costs.record(&round(0, 0.0, 1, 1.0));
        assert!(!costs.wants_plain(false));
    }

    /// Decisions rest on what steps usually cost; gains and losses are counted in what they cost now.
    #[test]
    fn gains_are_counted_at_the_speed_that_the_machine_has_now() {
        let mut costs = RoundCosts::new(None, 0.0).unwrap();
        (0..40).for_each(|_| costs.record(&round(0, 0.0, 1, 1.0)));
        (0..3).for_each(|_| costs.record(&round(1, 0.0, 2, 1.5)));
        assert!(near(costs.charge(&round(1, 0.0, 2, 1.5)), 1.5));
        (0..9).for_each(|_| costs.record(&round(1, 0.0, 2, 2.4)));
        (0..2).for_each(|_| costs.record(&round(0, 0.0, 1, 1.6)));
        assert!(near(costs.step_now(), 1.6) && near(costs.verify(1), 1.0));
        assert!(near(costs.charge(&round(1, 0.0, 2, 2.4)), 1.5));
        costs.record(&round(0, 0.0, 1, 70.0));
        assert!(near(costs.step_now(), 1.6), "an interruption says nothing");
        (0..3).for_each(|_| costs.record(&round(0, 0.0, 1, 8.0)));
        (0..9).for_each(|_| costs.record(&round(1, 0.0, 2, 1.5)));
        assert!(near(costs.step_now(), 1.5), "no more than two rows");
        // A plain round after a draft is none to hold drafts against.
        let before = (costs.step_now(), costs.verify(1));
        (0..9).for_each(|_| costs.record(&Round { follows_draft: true, ..round(0, 0.0, 1, 0.2) }));
        assert_eq!((costs.step_now(), costs.verify(1)), before);
    }

    #[test]
    fn what_a_draft_leaves_behind_is_part_of_its_price() {
        let mut costs = RoundCosts::new(None, 0.0).unwrap();
        assert_eq!(costs.record_aftermath(1.0), 0.0, "nothing to hold it against");
        (0..5).for_each(|_| costs.record(&round(0, 0.0, 1, 1.0)));
        for (seconds, more) in [(1.25, 0.25), (0.75, -0.25), (50.0, 1.0), (1.5, 0.5), (f64::NAN, 0.0)] {
            assert!(near(Some(costs.record_aftermath(seconds)), more), "{seconds}");
        }
        assert!(near(Some(costs.aftermath()), 0.25), "{}", costs.aftermath());
        (0..600).for_each(|_| costs.record(&round(0, 0.0, 1, 0.1)));
        assert_eq!(costs.aftermath(), 0.0, "long ago");
    }

    #[test]
    fn interruptions_do_not_count_and_old_samples_are_forgotten() {
        let mut costs = RoundCosts::new(None, 0.0).unwrap();
        for seconds in [90.0, 1.0, 1.1, f64::NAN, -1.0, 50.0, 0.9, 1.0] {
            costs.record(&round(0, f64::NAN, 1, seconds));
        }
        assert!(near(costs.verify(1), 1.0), "{:?}", costs.verify(1));
        costs.record(&round(1, 0.0, 2, 70.0));
        assert!(near(costs.verify(2), 70.0));
        for _ in 0..600 {
            costs.record(&round(0, 0.0, 1, 1.0));
        }
        assert!(near(costs.verify(2), 1.0), "{:?}", costs.verify(2));
        for _ in 0..600 {
            costs.record(&round(1, 0.0, 2, 1.2));
        }
        assert!(costs.wants_plain(false));
        costs.record(&round(0, 0.0, 1, 1.15));
        assert!(near(costs.verify(1), 1.15), "what it was long ago does not count");
    }
}
