//! Arms measured in turns in one process, so that whatever disturbs one disturbs all.
//!
//! Every round runs every arm once. Rounds come in pairs, of which the second has the order of the first reversed
//! (two arms: A B, B A), so that a steady drift cancels in a pair; each pair begins one arm later, so that no arm
//! always follows the same neighbour cold. Rounds in which others used the processor, or its clock was slow, are
//! flagged, never dropped.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{Clock, CpuTime, SystemClock};
use crate::machine::Weather;
use crate::sensors::{Sensors, SystemSensors};
use crate::stats::Summary;
use crate::table::{Table, count, number, percent};

/// An error of an arm's own code.
pub type ArmError = Box<dyn std::error::Error + Send + Sync>;

type Step<'a, C> = Box<dyn FnMut(&mut C) -> Result<(), ArmError> + 'a>;
type Timed<'a, C> = Box<dyn FnMut(&mut C, &dyn Clock) -> Result<f64, ArmError> + 'a>;

/// Something to measure on a context that all arms share.
pub struct Arm<'a, C> {
    name: String,
    prepare: Option<Step<'a, C>>,
    run: Timed<'a, C>,
}

impl<'a, C> Arm<'a, C> {
    /// An arm that times `run`.
    pub fn new(name: impl Into<String>, mut run: impl FnMut(&mut C) -> Result<(), ArmError> + 'a) -> Self {
        let timed = move |context: &mut C, clock: &dyn Clock| {
            let start = clock.now();
            run(context)?;
            Ok(clock.now().saturating_sub(start).as_secs_f64())
        };
        Self { name: name.into(), prepare: None, run: Box::new(timed) }
    }

    /// An arm that says itself how many seconds it took, as a child process does.
    pub fn told(name: impl Into<String>, mut run: impl FnMut(&mut C) -> Result<f64, ArmError> + 'a) -> Self {
        Self { name: name.into(), prepare: None, run: Box::new(move |context, _| run(context)) }
    }

    /// Runs `prepare` before each sample, outside the time.
    #[must_use]
    pub fn prepared(mut self, prepare: impl FnMut(&mut C) -> Result<(), ArmError> + 'a) -> Self {
        self.prepare = Some(Box::new(prepare));
        self
    }

    /// Seconds of one sample.
    fn sample(&mut self, context: &mut C, clock: &dyn Clock) -> Result<f64, InterleaveError> {
        let fail = |source| InterleaveError::Arm { arm: self.name.clone(), source };
        if let Some(prepare) = &mut self.prepare {
            prepare(context).map_err(fail)?;
        }
        (self.run)(context, clock).map_err(fail)
    }
}

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    /// Rounds before the first that counts.
    pub warmup: usize,
    /// Rounds that count.
    pub rounds: usize,
    /// A round is noisy when others used more than this many cores during it.
    pub noise_limit: f64,
    /// A round is throttled when the clock, before it or after it, ran below this share of the best of all rounds.
    pub clock_limit: f64,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { warmup: 1, rounds: 7, noise_limit: 0.1, clock_limit: 0.93 }
    }
}

/// Why a round is worth less than others. A flagged round is kept and counted like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Others used the processor.
    Noisy,
    /// The clock was slow.
    Throttled,
}

/// Samples of one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    /// Its name.
    pub name: String,
    /// Seconds, one a round, in order of the rounds.
    pub samples: Vec<f64>,
    /// Over all rounds, in seconds.
    pub time: Summary,
    /// Median of the rounds that are not flagged, in seconds; `None` when all are.
    pub quiet_median: Option<f64>,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interleaved {
    /// One for each arm, in their order.
    pub arms: Vec<ArmResult>,
    /// How it was measured.
    pub rounds: Rounds,
    /// Cores that other processes used on average over the measured rounds; `None` where the system does not tell
    /// or the run was too short.
    pub others: Option<f64>,
    /// The same for each round. The system counts in steps of 10 ms, so short rounds share one figure.
    pub others_by_round: Vec<Option<f64>>,
    /// Rounds flagged by the rule "others used more than [`Rounds::noise_limit`] cores".
    pub noisy: Vec<usize>,
    /// Speed of the clock in each round, as a share of the best round's; `None` where nobody looked.
    pub clock_by_round: Vec<Option<f64>>,
    /// Rounds flagged by the rule "the clock ran below [`Rounds::clock_limit`] of its best".
    pub throttled: Vec<usize>,
    /// What the machine said at the start and at the end.
    pub weather: Vec<Weather>,
}

/// Why nothing came out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterleaveError {
    /// Nothing to do.
    #[error("a measurement needs at least one arm and one round")]
    Nothing,
    /// An arm failed.
    #[error("{arm}: {source}")]
    Arm {
        /// Its name.
        arm: String,
        /// Why.
        source: ArmError,
    },
}

/// Measures on the machine's own clock.
///
/// # Errors
/// No arms, no rounds, or an arm's error.
pub fn interleave<C>(
    context: &mut C,
    arms: &mut [Arm<'_, C>],
    rounds: Rounds,
) -> Result<Interleaved, InterleaveError> {
    interleave_on(context, arms, rounds, &SystemClock::default(), &mut SystemSensors)
}

/// Measures on a given clock.
///
/// # Errors
/// As [`interleave`].
pub fn interleave_on<C>(
    context: &mut C,
    arms: &mut [Arm<'_, C>],
    rounds: Rounds,
    clock: &dyn Clock,
    sensors: &mut dyn Sensors,
) -> Result<Interleaved, InterleaveError> {
    interleave_until(context, arms, rounds, clock, sensors, &mut |_| Next::Go)
}

/// Whether more rounds are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another round, as far as [`Rounds::rounds`] allows.
    Go,
    /// Enough.
    Stop,
}

/// Measures until `next` has enough: it sees the samples of each arm after every round.
///
/// # Errors
/// As [`interleave`].
pub fn interleave_until<C>(
    context: &mut C,
    arms: &mut [Arm<'_, C>],
    mut rounds: Rounds,
    clock: &dyn Clock,
    sensors: &mut dyn Sensors,
    next: &mut dyn FnMut(&[Vec<f64>]) -> Next,
) -> Result<Interleaved, InterleaveError> {
    if arms.is_empty() || rounds.rounds == 0 {
        return Err(InterleaveError::Nothing);
    }
    let mut samples: Vec<Vec<f64>> = arms.iter().map(|_| Vec::with_capacity(rounds.rounds)).collect();
    let mut weather = vec![sensors.weather()];
    for round in 0..rounds.warmup {
        for at in order(round, arms.len()) {
            arms[at].sample(context, clock)?;
        }
    }
    let mut mark = || -> (Mark, Option<f64>) {
        let speed = sensors.speed();
        ((clock.now(), sensors.cpu()), speed)
    };
    let mut marks = vec![mark()];
    for round in 0..rounds.rounds {
        for at in order(round, arms.len()) {
            let seconds = arms[at].sample(context, clock)?;
            samples[at].push(seconds);
        }
        marks.push(mark());
        if next(&samples) == Next::Stop {
            rounds.rounds = round + 1;
        }
        if rounds.rounds == round + 1 {
            break;
        }
    }
    weather.push(sensors.weather());
    let (marks, speeds): (Vec<Mark>, Vec<Option<f64>>) = marks.into_iter().unzip();
    let others_by_round = others(&marks);
    let noisy = flagged(&others_by_round, |others| others > rounds.noise_limit);
    let clock_by_round = clocks(&speeds);
    let throttled = flagged(&clock_by_round, |share| share < rounds.clock_limit);
    let results = arms.iter().zip(samples).map(|(arm, samples)| {
        let is_quiet = |i: &usize| !noisy.contains(i) && !throttled.contains(i);
        let quiet = samples.iter().enumerate().filter(|(i, _)| is_quiet(i)).map(|(_, s)| *s);
        let quiet_median = Summary::of(&quiet.collect::<Vec<_>>()).map(|s| s.median);
        let time = Summary::of(&samples).unwrap_or_default();
        ArmResult { name: arm.name.clone(), samples, time, quiet_median }
    });
    let arms = results.collect();
    let whole = marks.first().zip(marks.last()).and_then(|(a, b)| between(a, b));
    Ok(Interleaved {
        arms,
        rounds,
        others: whole,
        others_by_round,
        noisy,
        clock_by_round,
        throttled,
        weather,
    })
}

/// The arms in the order of `round`.
fn order(round: usize, arms: usize) -> impl Iterator<Item = usize> {
    (0..arms).map(move |i| {
        let i = if round.is_multiple_of(2) { i } else { arms - 1 - i };
        (i + round / 2) % arms
    })
}

/// Rounds whose figure `is_bad`.
fn flagged(by_round: &[Option<f64>], is_bad: impl Fn(f64) -> bool) -> Vec<usize> {
    let bad = by_round.iter().enumerate().filter(|(_, x)| x.is_some_and(&is_bad));
    bad.map(|(i, _)| i).collect()
}

/// For each round, the slower of the speeds before and after it, as a share of the best of all.
fn clocks(speeds: &[Option<f64>]) -> Vec<Option<f64>> {
    let best = speeds.iter().flatten().copied().fold(0.0, f64::max);
    let share = |a: Option<f64>, b: Option<f64>| Some(a?.min(b?) / best).filter(|x| x.is_finite());
    speeds.windows(2).map(|w| share(w[0], w[1])).collect()
}

type Mark = (Duration, Option<CpuTime>);

/// Shorter spans say little in ticks of 10 ms.
const SPAN: Duration = Duration::from_millis(250);

/// Cores used by others between two marks.
fn between(a: &Mark, b: &Mark) -> Option<f64> {
    let wall = b.0.saturating_sub(a.0);
    let (x, y) = (a.1?, b.1?);
    let (all, own) = (y.all - x.all, y.own - x.own);
    // A system that does not even count this process tells nothing about others.
    if wall < SPAN || all < 0.5 * own {
        return None;
    }
    Some(((all - own) / wall.as_secs_f64()).max(0.0))
}

/// For each round, the cores used by others during the span of at least [`SPAN`] that holds it; a short rest at the
/// end belongs to the span before.
fn others(marks: &[Mark]) -> Vec<Option<f64>> {
    let rounds = marks.len().saturating_sub(1);
    let mut starts = vec![0];
    for i in 1..rounds {
        let from = starts.last().copied().unwrap_or(0);
        if marks[i].0.saturating_sub(marks[from].0) >= SPAN
            && marks[rounds].0.saturating_sub(marks[i].0) >= SPAN
        {
            starts.push(i);
        }
    }
    let mut out = Vec::with_capacity(rounds);
    for (i, from) in starts.iter().enumerate() {
        let to = starts.get(i + 1).copied().unwrap_or(rounds);
        let share = marks.get(*from).zip(marks.get(to)).and_then(|(a, b)| between(a, b));
        out.extend((*from..to).map(|_| share));
    }
    out
}

impl Interleaved {
    /// What speaks against a round.
    pub fn flags(&self, round: usize) -> Vec<Flag> {
        let flags = [(&self.noisy, Flag::Noisy), (&self.throttled, Flag::Throttled)];
        flags.into_iter().filter(|(rounds, _)| rounds.contains(&round)).map(|(_, flag)| flag).collect()
    }

    /// What to know before believing it, where rounds are flagged.
    pub fn warning(&self) -> Option<String> {
        let n = self.rounds.rounds;
        let flagged = (0..n).filter(|r| !self.flags(*r).is_empty()).count();
        let (noisy, slow) = (self.noisy.len(), self.throttled.len());
        (flagged > 0).then(|| {
            format!(
                "{flagged} of {} flagged ({noisy} noisy, {slow} on a slow clock): the costs may be wrong; measure again \
                 when the machine is quiet",
                count(n, "round")
            )
        })
    }

    /// One sentence on how far the figures can be trusted.
    pub fn note(&self) -> String {
        let n = self.rounds.rounds;
        let others =
            self.others.map_or("others' CPU use unknown".to_owned(), |o| format!("others used {o:.2} cores"));
        let mut text = format!("{}, {others}", count(n, "round"));
        if !self.noisy.is_empty() {
            let (m, limit) = (self.noisy.len(), self.rounds.noise_limit);
            text.push_str(&format!("; {m} of them noisy (others above {limit:.2} cores)"));
        }
        if !self.throttled.is_empty() {
            let (m, limit) = (self.throttled.len(), percent(self.rounds.clock_limit));
            text.push_str(&format!("; {m} of them throttled (clock below {limit} of its best)"));
        }
        let last = self.weather.last().copied().unwrap_or_default();
        let noted = [(last.load, "load", ""), (last.mhz, "", " MHz"), (last.celsius, "", " degrees Celsius")];
        for (value, before, after) in noted {
            if let Some(value) = value {
                text.push_str(&format!(
                    "; {before}{}{}{after}",
                    if before.is_empty() { "" } else { " " },
                    number(value)
                ));
            }
        }
        text
    }
}

impl fmt::Display for Interleaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["arm", "median ms", "min", "max", "quartiles"]);
        for a in &self.arms {
            let ms = a.time.scaled(1e3);
            t.row(vec![
                a.name.clone(),
                number(ms.median),
                number(ms.min),
                number(ms.max),
                percent(ms.spread()),
            ]);
        }
        write!(f, "{t}{}", self.note())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[derive(Default)]
    struct Mock {
        now: Cell<Duration>,
        own: Cell<f64>,
        others: Cell<f64>,
        /// Share by which the clock is slower than at its best.
        slow: Cell<f64>,
    }

    impl Clock for &Mock {
        fn now(&self) -> Duration {
            self.now.get()
        }
    }
    impl Sensors for &Mock {
        fn cpu(&mut self) -> Option<CpuTime> {
            Some(CpuTime { all: self.own.get() + self.others.get(), own: self.own.get() })
        }
        fn speed(&mut self) -> Option<f64> {
            Some(1e9 * (1.0 - self.slow.get()))
        }
        fn weather(&mut self) -> Weather {
            Weather { load: Some(self.others.get()), ..Weather::default() }
        }
    }
    impl Mock {
        /// This process works `ms` on one core while others use `cores`.
        fn pass(&self, ms: u64, cores: f64) {
            self.now.set(self.now.get() + Duration::from_millis(ms));
            self.own.set(self.own.get() + ms as f64 / 1e3);
            self.others.set(self.others.get() + cores * ms as f64 / 1e3);
        }
    }

    #[test]
    fn every_arm_runs_once_a_round_and_only_its_own_time_counts() {
        let mock = Mock::default();
        let order = std::cell::RefCell::new(String::new());
        let mut arms = vec![
            Arm::new("a", |n: &mut u64| {
                *n += 1;
                order.borrow_mut().push('a');
                mock.pass(100 + *n, 0.0);
                Ok(())
            })
            .prepared(|_| {
                mock.pass(1000, 0.0);
                Ok(())
            }),
            Arm::new("b", |_: &mut u64| {
                order.borrow_mut().push('b');
                mock.pass(10, 0.0);
                Ok(())
            }),
        ];
        let mut count = 0;
        let rounds = Rounds { warmup: 2, rounds: 3, ..Rounds::default() };
        let r = interleave_on(&mut count, &mut arms, rounds, &&mock, &mut &mock).unwrap();
        drop(arms);
        assert_eq!(
            order.into_inner(),
            "abba" /* warm-up */
                .to_owned()
                + "abbaba"
        );
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(r.arms[0].samples.iter().zip([0.103, 0.104, 0.105]).all(|(a, b)| near(*a, b)), "{r:?}");
        assert!(near(r.arms[0].time.median, 0.104) && near(r.arms[1].time.median, 0.010));
        assert_eq!((r.noisy.len(), r.others_by_round.len()), (0, 3));
        assert!(r.to_string().contains("3 rounds, others used 0.00 cores"), "{r}");
    }

    #[test]
    fn a_round_is_noisy_when_others_used_more_than_a_tenth_of_a_core() {
        let mock = Mock::default();
        let share = [0.0, 0.05, 0.5, 0.0];
        let mut arms = vec![Arm::new("a", |round: &mut usize| {
            mock.pass(300, share[*round]);
            *round += 1;
            Ok(())
        })];
        let rounds = Rounds { warmup: 0, rounds: 4, ..Rounds::default() };
        let r = interleave_on(&mut 0, &mut arms, rounds, &&mock, &mut &mock).unwrap();
        assert_eq!(r.noisy, [2]);
        assert!((r.others.unwrap() - 0.1375).abs() < 1e-9);
        assert!(r.arms[0].quiet_median.is_some());
    }

    #[test]
    fn pairs_of_rounds_are_mirrored_and_every_arm_leads_one() {
        let all: Vec<Vec<usize>> = (0..6).map(|round| order(round, 3).collect()).collect();
        assert_eq!(all, [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]]);
    }

    #[test]
    fn a_round_is_throttled_when_the_clock_was_slow_on_either_side() {
        let mock = Mock::default();
        // The clock drops at the end of round 1 and is back at the end of round 3.
        let slow = [0.0, 0.2, 0.2, 0.05, 0.0];
        let mut arms = vec![Arm::new("a", |round: &mut usize| {
            mock.pass(300, 0.0);
            mock.slow.set(slow[*round]);
            *round += 1;
            Ok(())
        })];
        let rounds = Rounds { warmup: 0, rounds: 5, ..Rounds::default() };
        let r = interleave_on(&mut 0, &mut arms, rounds, &&mock, &mut &mock).unwrap();
        assert_eq!(r.throttled, [1, 2, 3]);
        assert_eq!((r.flags(0), r.flags(2)), (vec![], vec![Flag::Throttled]));
        assert!((r.clock_by_round[4].unwrap() - 0.95).abs() < 1e-9, "5 % slower is not flagged");
        assert!(r.note().contains("3 of them throttled") && r.arms[0].samples.len() == 5);
        assert!(r.note().ends_with("; load 0.000"), "{}", r.note());
        assert_eq!(r.weather.len(), 2);
    }

    #[test]
    fn an_arm_may_tell_its_own_time_and_the_caller_may_stop() {
        let mock = Mock::default();
        let mut arms = vec![Arm::told("a", |_: &mut ()| Ok(2.5))];
        let rounds = Rounds { warmup: 0, rounds: 100, ..Rounds::default() };
        let mut stop = |samples: &[Vec<f64>]| if samples[0].len() == 3 { Next::Stop } else { Next::Go };
        let r = interleave_until(&mut (), &mut arms, rounds, &&mock, &mut &mock, &mut stop).unwrap();
        assert_eq!((r.arms[0].samples.clone(), r.rounds.rounds), (vec![2.5; 3], 3));
        assert_eq!((r.others_by_round.len(), r.clock_by_round.len()), (3, 3));
    }

    #[test]
    fn short_rounds_share_a_span_and_a_silent_system_gives_none() {
        let at = |ms: u64, all: f64, own: f64| (Duration::from_millis(ms), Some(CpuTime { all, own }));
        // Ten rounds of 100 ms; others use half a core from 600 ms on.
        let marks: Vec<Mark> = (0..=10)
            .map(|i| {
                let t = i as f64 / 10.0;
                at(i * 100, t + (t - 0.6).max(0.0) * 0.5, t)
            })
            .collect();
        let o = others(&marks);
        assert_eq!(o.len(), 10);
        assert!(o[0].unwrap() < 1e-9 && o[5].unwrap() < 1e-9 && (o[9].unwrap() - 0.5).abs() < 1e-9, "{o:?}");
        assert_eq!(others(&[at(0, 0.0, 0.0), at(100, 0.1, 0.1)]), [None], "too short to tell");
        assert_eq!(others(&[at(0, 0.0, 0.0), at(1000, 0.0, 1.0)]), [None], "the system counts nothing");
        assert_eq!(others(&[(Duration::ZERO, None), (Duration::from_secs(1), None)]), [None]);
    }

    #[test]
    fn errors_name_the_arm() {
        let mut arms = vec![Arm::new("bad", |_: &mut ()| Err("no".into()))];
        let e = interleave(&mut (), &mut arms, Rounds::default()).unwrap_err();
        assert_eq!(e.to_string(), "bad: no");
        assert!(interleave(&mut (), &mut [], Rounds::default()).is_err());
    }
}
