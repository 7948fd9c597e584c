//! How often comparisons err, counted on a simulated machine: the harness is the real one, its clock and the work are
//! not. Kinds of noise as seen on shared virtual machines; the rates are in `notes/measurement.md`.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::cell::{Cell, RefCell};
use std::time::Duration;

use sterna_probe::clock::{Clock, CpuTime};
use sterna_probe::compare::{Judge, Rule, Verdict, compare_on};
use sterna_probe::interleave::Arm;
use sterna_probe::machine::Weather;
use sterna_probe::sensors::Sensors;
use sterna_probe::synthetic::Random;

/// What disturbs a machine.
#[derive(Clone, Copy, Debug, Default)]
struct Noise {
    /// Standard deviation of the logarithm of each sample.
    jitter: f64,
    /// The clock falls by this share over `drift_seconds`, and is back after as long.
    drift: f64,
    drift_seconds: f64,
    /// The clock is this much slower in its low state; seconds in either state, on average.
    low: f64,
    dwell: f64,
    /// Bursts of other programs: seconds between them and of one, and by how much they slow this one.
    quiet: f64,
    burst: f64,
    slower: f64,
    /// Share of samples that are held up, by an exponential time of this many times themselves.
    held_up: f64,
    by: f64,
    /// What comes first in a round is slower by this.
    first: f64,
}

struct Machine {
    noise: Noise,
    random: RefCell<Random>,
    now: Cell<f64>,
    /// State of clock and neighbours with the time of the next change.
    low: Cell<(bool, f64)>,
    busy: Cell<(bool, f64)>,
    samples: Cell<u64>,
}

impl Machine {
    fn new(noise: Noise, seed: u64) -> Self {
        let (low, busy) = (Cell::new((false, 0.0)), Cell::new((false, 0.0)));
        let (now, samples) = (Cell::new(0.0), Cell::new(0));
        Self { noise, random: RefCell::new(Random(seed)), now, low, busy, samples }
    }
    fn uniform(&self) -> f64 {
        (self.random.borrow_mut().bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn exponential(&self, mean: f64) -> f64 {
        -mean * (1.0 - self.uniform()).ln()
    }
    fn normal(&self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
    /// A two-state process; mean seconds in the off and the on state, 0 for never on.
    fn state(&self, cell: &Cell<(bool, f64)>, off: f64, on: f64) -> bool {
        if off == 0.0 || on == 0.0 {
            return false;
        }
        let (mut is_on, mut until) = cell.get();
        while until <= self.now.get() {
            is_on = !is_on;
            until += self.exponential(if is_on { on } else { off });
        }
        cell.set((is_on, until));
        is_on
    }
    /// How many times slower than at its best the machine is now.
    fn slowness(&self) -> f64 {
        let n = &self.noise;
        let mut x = 1.0;
        if n.drift_seconds > 0.0 {
            let phase = (self.now.get() / n.drift_seconds) % 2.0;
            x += n.drift * (1.0 - (phase - 1.0).abs());
        }
        if self.state(&self.low, n.dwell, n.dwell) {
            x *= 1.0 + n.low;
        }
        if self.state(&self.busy, n.quiet, n.burst) {
            x *= n.slower;
        }
        x
    }
    /// Does `seconds` of work in pieces, so that a burst may begin in the middle.
    fn work(&self, seconds: f64) {
        let n = self.noise;
        let mut seconds = seconds * (n.jitter * self.normal()).exp();
        if self.uniform() < n.held_up {
            seconds += self.exponential(n.by * seconds);
        }
        if self.samples.get().is_multiple_of(2) {
            seconds *= 1.0 + n.first;
        }
        self.samples.set(self.samples.get() + 1);
        for _ in 0..8 {
            self.now.set(self.now.get() + seconds / 8.0 * self.slowness());
        }
    }
}

impl Clock for &Machine {
    fn now(&self) -> Duration {
        Duration::from_secs_f64(self.now.get())
    }
}

impl Sensors for &Machine {
    fn cpu(&mut self) -> Option<CpuTime> {
        None
    }
    fn speed(&mut self) -> Option<f64> {
        Some(1.0 / self.slowness())
    }
    fn weather(&mut self) -> Weather {
        Weather::default()
    }
}

const STILL: Noise = Noise {
    jitter: 0.01,
    drift: 0.0,
    drift_seconds: 0.0,
    low: 0.0,
    dwell: 0.0,
    quiet: 0.0,
    burst: 0.0,
    slower: 1.0,
    held_up: 0.0,
    by: 0.0,
    first: 0.0,
};

fn kinds() -> [(&'static str, Noise); 7] {
    [
        ("jitter of 1 %", STILL),
        ("drift of 30 % in 3 s", Noise { drift: 0.3, drift_seconds: 3.0, ..STILL }),
        ("two clocks, 20 % apart, 0.5 s each", Noise { low: 0.2, dwell: 0.5, ..STILL }),
        ("bursts that halve the speed, 0.3 s of 1 s", Noise { quiet: 0.7, burst: 0.3, slower: 2.0, ..STILL }),
        ("a third of the samples held up", Noise { held_up: 0.33, by: 1.0, jitter: 0.02, ..STILL }),
        ("first in a round 4 % slower", Noise { first: 0.04, ..STILL }),
        (
            "all of these",
            Noise {
                jitter: 0.02,
                drift: 0.2,
                drift_seconds: 5.0,
                low: 0.15,
                dwell: 0.7,
                quiet: 1.0,
                burst: 0.3,
                slower: 1.8,
                held_up: 0.2,
                by: 0.7,
                first: 0.02,
            },
        ),
    ]
}

/// Verdicts of `count` comparisons of an arm with itself, slowed by `injected`, and the rounds of all of them.
fn verdicts(noise: Noise, injected: f64, count: u64, seed: u64, judge: &Judge) -> (Vec<Verdict>, usize) {
    let mut rounds = 0;
    let run = |i| {
        let machine = Machine::new(noise, seed + 1_000_003 * i);
        let arm = |name: &str, seconds: f64| {
            let machine = &machine;
            Arm::new(name, move |_: &mut ()| {
                machine.work(seconds);
                Ok(())
            })
        };
        let mut arms = vec![arm("a", 0.02), arm("b", 0.02 * (1.0 + injected))];
        let (c, _) = compare_on("x", &mut (), &mut arms, judge, &&machine, &mut &machine).unwrap();
        rounds += c[0].rounds;
        c[0].verdict
    };
    ((0..count).map(run).collect(), rounds)
}

/// The demand is one false alarm in 40 and 18 of 20 found; the rates here leave a margin: at 0.5 % the chance of two or
/// more in 40 is 2 %, at 97 % that of fewer than 18 in 20 is 2 %.
#[test]
fn equals_are_called_equal_and_five_percent_is_found_in_every_kind_of_noise() {
    let judge = Judge::new(Rule::default());
    for (name, noise) in kinds() {
        let (same, rounds) = verdicts(noise, 0.0, 400, 1, &judge);
        let alarms = same.iter().filter(|v| v.differs()).count();
        let undecided = same.iter().filter(|v| **v == Verdict::Undecided).count();
        let (slow, slow_rounds) = verdicts(noise, 0.05, 200, 2, &judge);
        let found = slow.iter().filter(|v| **v == Verdict::Slower).count();
        println!(
            "{name}: {alarms} of 400 false, {undecided} undecided, {} rounds; {found} of 200 found, {} rounds",
            rounds / 400,
            slow_rounds / 200
        );
        assert!(alarms <= 2, "{name}: {alarms} of 400 comparisons of equals report a difference");
        assert!(found >= 194, "{name}: {found} of 200 slowdowns of 5 % found");
        assert!(!slow.contains(&Verdict::Faster) && !slow.contains(&Verdict::Same), "{name}");
    }
}

/// The intervals themselves, without the zone in which ratios count as equal.
#[test]
fn intervals_miss_the_true_ratio_no_more_often_than_they_say() {
    let rule = Rule { zone: 0.0, resolution: 0.0, error: 0.05, most: 60, seconds: 1e9, ..Rule::default() };
    let judge = Judge::new(rule);
    for (name, noise) in kinds() {
        let (same, _) = verdicts(noise, 0.0, 1000, 3, &judge);
        let missed = same.iter().filter(|v| v.differs()).count();
        println!("{name}: {missed} of 1000 comparisons have an interval without 1 at some look");
        assert!(missed <= 60, "{name}: {missed} of 1000 at an error of 5 %");
    }
}

#[test]
fn the_time_limit_and_too_few_rounds_give_no_verdict() {
    let judge = Judge::new(Rule { seconds: 0.3, ..Rule::default() });
    let (slow, rounds) = verdicts(STILL, 0.5, 10, 4, &judge);
    assert!(rounds <= 10 * 8 && slow.iter().all(|v| *v == Verdict::Undecided), "{slow:?}, {rounds}");
}
