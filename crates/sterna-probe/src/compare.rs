//! Whether one arm is slower than another: paired ratios with an interval and a verdict.
//!
//! Every round measures all arms, so each round gives one ratio of an arm to the base, and what slowed the machine in
//! that round is in both of its times. The interval is that of [`crate::paired`] on the logarithms of the ratios of all
//! rounds, flagged ones too.
//!
//! The number of rounds is not fixed beforehand: after certain numbers of rounds ([`Rule::looks`]) the interval is
//! looked at, and measuring stops when it decides. Every look may err, so each is given an equal part of the error
//! that is allowed in all ([`Rule::error`]); the sum bounds the chance that any of them errs, whenever the stop comes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::{Clock, SystemClock};
use crate::interleave::{Arm, InterleaveError, Interleaved, Next, Rounds, interleave_until};
use crate::paired::{Interval, Rank};
use crate::sensors::{Sensors, SystemSensors};
use crate::table::{Table, count, number};

/// When a difference is reported.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Chance that the intervals of a comparison, at whichever look it ends, miss the true ratio.
    pub error: f64,
    /// Ratios within `1 / (1 + zone) ..= 1 + zone` count as equal: a difference is reported when the whole interval lies
    /// outside.
    pub zone: f64,
    /// Measuring stops with [`Verdict::Same`] when the whole interval lies within this of 1.
    pub resolution: f64,
    /// Rounds before the first look.
    pub first: usize,
    /// Most rounds.
    pub most: usize,
    /// No further round begins after so many seconds.
    pub seconds: f64,
    /// How rounds are measured and flagged; the number of rounds in it does not count.
    pub rounds: Rounds,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            error: 0.005,
            zone: 0.01,
            resolution: 0.03,
            first: 12,
            most: 800,
            seconds: 60.0,
            rounds: Rounds::default(),
        }
    }
}

impl Rule {
    /// Numbers of rounds after which the interval is looked at: `first`, each later one half as many more, `most`.
    pub fn looks(&self) -> Vec<usize> {
        let (mut looks, mut n) = (Vec::new(), self.first.max(2));
        while n < self.most {
            looks.push(n);
            n += n.div_ceil(2);
        }
        looks.push(self.most.max(1));
        looks
    }

    /// Fewest rounds after which this rule can decide anything: with fewer, not even the widest interval is of the
    /// confidence that it asks for.
    pub fn least(&self) -> usize {
        let decides = |most: &usize| Judge::new(Self { most: *most, ..*self }).can_decide();
        // Each round more halves the chance that the widest interval misses.
        (1..=200).find(decides).unwrap_or(200)
    }
}

/// A rule with the ranks of its looks.
#[derive(Clone, Debug)]
pub struct Judge {
    rule: Rule,
    /// Error of one look; the look at the end of the time is one of them.
    each: f64,
    looks: Vec<(usize, Rank)>,
}

impl Judge {
    /// Works out the ranks.
    pub fn new(rule: Rule) -> Self {
        let looks = rule.looks();
        let each = rule.error / (looks.len() + 1) as f64;
        let looks = looks.into_iter().map(|n| (n, Rank::new(n, each))).collect();
        Self { rule, each, looks }
    }

    /// Whether any of its looks can find a difference, or that there is none.
    pub fn can_decide(&self) -> bool {
        self.looks.iter().any(|(_, rank)| rank.error() <= self.each)
    }

    fn verdict(&self, i: &Interval) -> Verdict {
        let (zone, resolution) = (self.rule.zone.ln_1p(), self.rule.resolution.ln_1p());
        // Too few rounds give an interval, but not one of the confidence that the rule asks for.
        if 1.0 - i.confidence > self.each {
            Verdict::Undecided
        } else if i.low > zone {
            Verdict::Slower
        } else if i.high < -zone {
            Verdict::Faster
        } else if i.low >= -resolution && i.high <= resolution {
            Verdict::Same
        } else {
            Verdict::Undecided
        }
    }

    /// The interval of the logarithm of `arm` over `base` and its verdict.
    fn look(&self, base: &[f64], arm: &[f64], rank: &Rank) -> Option<(Interval, Verdict)> {
        let logs: Vec<f64> = arm.iter().zip(base).map(|(a, b)| log_ratio(*a, *b)).collect();
        rank.interval(&logs).map(|i| (i, self.verdict(&i)))
    }
}

/// A clock too coarse for an arm says 0; one nanosecond is less than any arm takes.
fn log_ratio(a: f64, b: f64) -> f64 {
    a.max(1e-9).ln() - b.max(1e-9).ln()
}

/// Compares every arm with the first on the machine's own clock; `what` says in words what all of them do.
///
/// # Errors
/// Fewer than two arms, no rounds, or an arm's error.
pub fn compare<C>(
    what: &str,
    context: &mut C,
    arms: &mut [Arm<'_, C>],
    judge: &Judge,
) -> Result<(Vec<Comparison>, Interleaved), InterleaveError> {
    compare_on(what, context, arms, judge, &SystemClock::default(), &mut SystemSensors)
}

/// Compares on a given clock.
///
/// # Errors
/// As [`compare`].
pub fn compare_on<C>(
    what: &str,
    context: &mut C,
    arms: &mut [Arm<'_, C>],
    judge: &Judge,
    clock: &dyn Clock,
    sensors: &mut dyn Sensors,
) -> Result<(Vec<Comparison>, Interleaved), InterleaveError> {
    if arms.len() < 2 {
        return Err(InterleaveError::Nothing);
    }
    let rule = &judge.rule;
    let start = clock.now();
    let mut enough = |samples: &[Vec<f64>]| {
        if clock.now().saturating_sub(start).as_secs_f64() >= rule.seconds {
            return Next::Stop;
        }
        let (base, others) = samples.split_at(1);
        let Some((_, rank)) = judge.looks.iter().find(|(n, _)| base.iter().any(|b| b.len() == *n)) else {
            return Next::Go;
        };
        let undecided = |arm: &Vec<f64>| {
            let seen = base.first().and_then(|base| judge.look(base, arm, rank));
            seen.is_none_or(|(_, verdict)| verdict == Verdict::Undecided)
        };
        if others.iter().any(undecided) { Next::Go } else { Next::Stop }
    };
    let rounds = Rounds { rounds: rule.most.max(1), ..rule.rounds };
    let measured = interleave_until(context, arms, rounds, clock, sensors, &mut enough)?;
    let n = measured.rounds.rounds;
    let known = judge.looks.iter().find(|(look, _)| *look == n);
    let rank = known.map_or_else(|| Rank::new(n, judge.each), |(_, rank)| *rank);
    let flagged = (0..n).filter(|r| !measured.flags(*r).is_empty()).count();
    let (base, others) = measured.arms.split_first().ok_or(InterleaveError::Nothing)?;
    let compared = others.iter().filter_map(|arm| {
        let (i, verdict) = judge.look(&base.samples, &arm.samples, &rank)?;
        Some(Comparison {
            what: what.to_owned(),
            base: base.name.clone(),
            arm: arm.name.clone(),
            rounds: n,
            flagged,
            ratio: i.middle.exp(),
            low: i.low.exp(),
            high: i.high.exp(),
            confidence: i.confidence,
            zone: rule.zone,
            resolution: rule.resolution,
            verdict,
        })
    });
    Ok((compared.collect(), measured))
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The arm takes longer than its base: the whole interval lies above the zone that counts as equal.
    Slower,
    /// The arm takes less time than its base.
    Faster,
    /// The interval is narrow and near 1: a difference that matters would have been seen.
    Same,
    /// The time or the rounds were spent before anything was certain.
    Undecided,
}

/// One arm against its base, measured in the same rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What both did: "decode 32 after 64".
    pub what: String,
    /// The arm that the other is compared with.
    pub base: String,
    /// The other.
    pub arm: String,
    /// Rounds that both were measured in, flagged ones included.
    pub rounds: usize,
    /// Of these, rounds that are flagged.
    pub flagged: usize,
    /// Time of the arm over time of the base: 1.05 is 5 % slower.
    pub ratio: f64,
    /// Lower end of the interval of `ratio`.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Chance that an interval made this way holds the true ratio.
    pub confidence: f64,
    /// Ratios within `1 / (1 + zone) ..= 1 + zone` count as equal.
    pub zone: f64,
    /// An interval within this of 1 counts as the same.
    pub resolution: f64,
    /// In words.
    pub verdict: Verdict,
}

/// How often the comparison errs on this machine, counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfCheck {
    /// An arm against itself.
    pub same: Vec<Comparison>,
    /// An arm against itself with work added.
    pub slowed: Vec<Comparison>,
    /// Work added, as a share of the arm's own time.
    pub injected: f64,
    /// Comparisons of equals that report a difference.
    pub false_alarms: usize,
    /// Slowdowns that were reported as such.
    pub found: usize,
}

impl Comparison {
    /// Whether its interval would decide, had there been enough rounds for one of the confidence that is asked for.
    fn lacks_rounds(&self) -> bool {
        let differs = self.low > 1.0 + self.zone || self.high < 1.0 / (1.0 + self.zone);
        let near = self.low >= 1.0 / (1.0 + self.resolution) && self.high <= 1.0 + self.resolution;
        self.verdict == Verdict::Undecided && (differs || near)
    }
}

impl Verdict {
    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::Same => "same",
            Verdict::Undecided => "undecided",
        }
    }

    /// Whether it reports a difference.
    pub fn differs(self) -> bool {
        matches!(self, Verdict::Slower | Verdict::Faster)
    }
}

/// Comparisons as a table for people.
pub struct Shown<'a>(pub &'a [Comparison]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["arm", "against", "work", "time ratio", "from", "to", "rounds", "flagged", "verdict"];
        let mut t = Table::new(&head);
        for c in self.0 {
            let shown = |x: f64| format!("{x:.4}");
            t.row(vec![
                c.arm.clone(),
                c.base.clone(),
                c.what.clone(),
                shown(c.ratio),
                shown(c.low),
                shown(c.high),
                c.rounds.to_string(),
                c.flagged.to_string(),
                c.verdict.word().to_owned(),
            ]);
        }
        write!(f, "{t}")?;
        let Some(c) = self.0.first() else { return Ok(()) };
        let (sure, zone, near) = (100.0 * c.confidence, 100.0 * c.zone, 100.0 * c.resolution);
        write!(
            f,
            "time over the base's time with a {sure:.2}% interval, all rounds counted; a difference is reported when \
             the interval lies more than {} from 1, the same when it lies within {}",
            format_args!("{}%", number(zone)),
            format_args!("{}%", number(near)),
        )?;
        // Their interval looks as if it decided.
        let few: Vec<String> =
            self.0.iter().filter(|c| c.lacks_rounds()).map(|c| count(c.rounds, "round")).collect();
        if !few.is_empty() {
            let few = few.join(", ");
            write!(
                f,
                "; too few rounds to decide ({few}): a {sure:.2}% interval is not sure enough; give it more time"
            )?;
        }
        Ok(())
    }
}

impl SelfCheck {
    /// At most one false alarm in 40, nine in ten slowdowns found.
    pub fn passed(&self) -> bool {
        self.false_alarms * 40 <= self.same.len().max(40) && 10 * self.found >= 9 * self.slowed.len()
    }
}

impl fmt::Display for SelfCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<Comparison> = self.same.iter().chain(&self.slowed).cloned().collect();
        let undecided = self.same.iter().filter(|c| c.verdict == Verdict::Undecided).count();
        write!(
            f,
            "{}\n{} of {} comparisons of equals report a difference ({undecided} undecided); a slowdown of {}% was found \
             in {} of {}: {}",
            Shown(&all),
            self.false_alarms,
            self.same.len(),
            number(100.0 * self.injected),
            self.found,
            self.slowed.len(),
            if self.passed() { "passed" } else { "FAILED" },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_grow_by_half_and_share_the_error() {
        let rule = Rule { first: 12, most: 100, ..Rule::default() };
        assert_eq!(rule.looks(), [12, 18, 27, 41, 62, 93, 100]);
        let judge = Judge::new(rule);
        assert!(judge.looks.iter().all(|(_, rank)| rank.error() <= rule.error / 8.0));
        assert_eq!(Rule { first: 0, most: 0, ..rule }.looks(), [1]);
    }

    #[test]
    fn fewer_rounds_than_the_least_can_never_decide() {
        let rule = Rule::default();
        // Both ends of the widest interval of n rounds miss with a chance of 2 / 2^n; one of two looks may err by 0.0025.
        assert_eq!(rule.least(), 10);
        let judge = |most| Judge::new(Rule { most, ..rule });
        assert!(judge(10).can_decide() && !judge(9).can_decide() && judge(800).can_decide());
        let far = |rounds: usize| -> (Interval, Verdict) {
            let judge = judge(rounds);
            judge.look(&vec![1.0; rounds], &vec![2.0; rounds], &judge.looks[0].1).unwrap()
        };
        assert_eq!(far(10).1, Verdict::Slower);
        assert_eq!(far(9).1, Verdict::Undecided);
    }

    #[test]
    fn verdicts_follow_the_interval() {
        let judge = Judge::new(Rule::default());
        let of = |low: f64, high: f64, error: f64| {
            let (low, high) = (low.ln(), high.ln());
            judge.verdict(&Interval { low, high, middle: low, confidence: 1.0 - error })
        };
        assert_eq!(of(1.011, 1.5, 0.0), Verdict::Slower);
        assert_eq!(of(1.009, 1.5, 0.0), Verdict::Undecided);
        assert_eq!(of(0.5, 1.0 / 1.011, 0.0), Verdict::Faster);
        assert_eq!(of(0.98, 1.02, 0.0), Verdict::Same);
        assert_eq!(of(0.96, 1.02, 0.0), Verdict::Undecided);
        assert_eq!(of(2.0, 3.0, 0.1), Verdict::Undecided, "not of the confidence asked for");
    }

    #[test]
    fn a_self_check_passes_or_fails() {
        let c = |verdict| Comparison {
            what: "w".into(),
            base: "a".into(),
            arm: "b".into(),
            rounds: 12,
            flagged: 1,
            ratio: 1.05,
            low: 1.02,
            high: 1.08,
            confidence: 0.9995,
            zone: 0.01,
            resolution: 0.03,
            verdict,
        };
        let check = |alarms: usize, found: usize| SelfCheck {
            same: vec![c(Verdict::Same); 40],
            slowed: vec![c(Verdict::Slower); 20],
            injected: 0.05,
            false_alarms: alarms,
            found,
        };
        assert!(check(1, 18).passed() && !check(2, 18).passed() && !check(1, 17).passed());
        let few = Comparison { rounds: 5, ..c(Verdict::Undecided) };
        let said = Shown(std::slice::from_ref(&few)).to_string();
        assert!(said.contains("too few rounds to decide (5 rounds)"), "{said}");
        let wide = Comparison { low: 0.9, ..few };
        assert!(!Shown(&[wide]).to_string().contains("too few"), "undecided for another reason");
        let text = check(2, 20).to_string();
        assert!(text.contains("2 of 40 comparisons of equals") && text.contains("FAILED"), "{text}");
        assert!(text.contains("99.95% interval") && text.contains("1.0500"), "{text}");
    }
}
