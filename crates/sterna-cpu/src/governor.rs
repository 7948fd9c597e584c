//! How many threads a call runs on, at most those that were asked for.
//!
//! Every op of a call ends at a barrier, so one thread that has lost its core to another program keeps all waiting: a
//! small model is then several times slower on two threads than on one. Results do not depend on the number of
//! threads, so the executor may take fewer. The governor hears of every call how long it took and how long its threads
//! slept at barriers, and keeps, for each class of calls, the number of threads that is fastest now:
//!
//! - Fewer threads are tried only on evidence: calls whose threads slept at barriers for a good part of their time. On
//!   a quiet machine threads do not sleep inside a call, so nothing is ever tried and nothing lost.
//! - More threads are tried again from time to time.
//! - After a trial that cost time, the next one waits until [`PATIENCE`] times that cost has passed, so trials cost at
//!   most one part in `PATIENCE`, whatever the model and the machine.
//!
//! There is no clock in here: see the tests.

/// Time to pass between two trials, in units of what the first one cost.
const PATIENCE: f64 = 50.0;
/// Time to pass between two trials at least, in nanoseconds.
const PAUSE: f64 = 20e6;
/// A call is held up if its threads slept for this part of it.
const HELD_UP: f64 = 0.25;
/// Calls held up, less one for every [`FORGET`] that were not, until fewer threads are tried.
const EVIDENCE: f64 = 3.0;
/// Calls that outweigh one that was held up.
const FORGET: f64 = 16.0;
/// Nanoseconds of a trial: some time slices of a scheduler, since a thread that wakes up has its core for one of them.
const TRIAL: f64 = 12e6;
/// Calls of a trial, unless they are long ones.
const TRIAL_CALLS: u32 = 3;
/// A trial that has cost this much ends, in nanoseconds.
const ABORT: f64 = 4e6;
/// What is tried is taken if it needs less than this part of the time.
const BETTER: f64 = 0.92;
/// Weight of the latest call in the running mean.
const LATEST: f64 = 1.0 / 8.0;
/// Calls of up to so many rows have a class for every number of rows; wider ones one for every doubling.
const NARROW: usize = 8;
/// Classes of calls.
const CLASSES: usize = NARROW + 10;

/// What is known of one call that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// Rows.
    pub rows: usize,
    /// Wall time.
    pub nanos: u64,
    /// Time that its threads slept at barriers, all of them together.
    pub slept: u64,
    /// Measure of its work, such as multiply-accumulates.
    pub work: u64,
}

/// Chooses numbers of threads.
pub struct Governor {
    /// Numbers of threads, falling.
    ladder: Vec<usize>,
    classes: [Class; CLASSES],
}

/// Calls of similar width.
#[derive(Clone, Copy, Default)]
struct Class {
    /// Place in the ladder that is in force.
    rung: usize,
    /// Nanoseconds per work there; 0 before the first call.
    rate: f64,
    evidence: f64,
    trial: Option<Trial>,
    /// Nanoseconds until the next trial.
    pause: f64,
    /// The next trial of fewer threads goes down so many rungs.
    down: usize,
    /// What the rung in force has cost so far against the one it was taken from: nanoseconds, and that one's rate.
    against: Option<(f64, f64)>,
}

#[derive(Clone, Copy)]
struct Trial {
    rung: usize,
    calls: u32,
    nanos: f64,
    work: f64,
}

impl Governor {
    /// A governor of `threads` threads, all of them in use.
    pub fn new(threads: usize) -> Self {
        let (mut ladder, mut n) = (vec![threads.max(1)], threads);
        if threads > 3 {
            ladder.push(threads - 1); // one core is lost
        }
        while n > 1 {
            n = n.div_ceil(2);
            ladder.push(n);
        }
        ladder.dedup();
        Self { ladder, classes: [Class::default(); CLASSES] }
    }

    fn class(rows: usize) -> usize {
        let class = if rows <= NARROW {
            rows.max(1) - 1
        } else {
            NARROW + (rows - 1).ilog2() as usize - NARROW.ilog2() as usize
        };
        class.min(CLASSES - 1)
    }

    /// Threads for a call of `rows` rows.
    pub fn threads(&self, rows: usize) -> usize {
        let class = &self.classes[Self::class(rows)];
        self.ladder[class.trial.map_or(class.rung, |t| t.rung)]
    }

    /// A call has ended that ran on [`Governor::threads`] threads.
    pub fn ran(&mut self, ran: Ran) {
        let threads = self.threads(ran.rows);
        let last = self.ladder.len() - 1;
        let class = &mut self.classes[Self::class(ran.rows)];
        let (nanos, work) = (ran.nanos as f64, ran.work.max(1) as f64);
        match class.trial {
            Some(trial) => class.tried(trial, nanos, work),
            None => {
                let slept = ran.slept as f64 / (threads.max(2) - 1) as f64;
                class.settled(nanos, work, slept >= HELD_UP * nanos, last);
            }
        }
    }
}

impl Class {
    /// A call on the rung in force.
    fn settled(&mut self, nanos: f64, work: f64, held_up: bool, last: usize) {
        let rate = nanos / work;
        self.rate = if self.rate == 0.0 { rate } else { self.rate + LATEST * (rate - self.rate) };
        self.evidence = (self.evidence + if held_up { 1.0 } else { -1.0 / FORGET }).max(0.0);
        self.pause -= nanos;
        if let Some((cost, rate)) = &mut self.against {
            *cost += nanos - *rate * work;
        }
        if self.pause > 0.0 {
            return;
        }
        let rung = if self.evidence >= EVIDENCE && self.rung < last {
            self.evidence = 0.0;
            (self.rung + self.down.max(1)).min(last)
        } else if self.rung > 0 {
            self.rung - 1
        } else {
            return;
        };
        self.trial = Some(Trial { rung, calls: 0, nanos: 0.0, work: 0.0 });
    }

    /// A call of a trial.
    fn tried(&mut self, mut trial: Trial, nanos: f64, work: f64) {
        trial.calls += 1;
        trial.nanos += nanos;
        trial.work += work;
        let cost = trial.nanos - self.rate * trial.work;
        let enough = trial.nanos >= TRIAL && (trial.calls >= TRIAL_CALLS || trial.nanos >= 5.0 * TRIAL);
        let hopeless = cost >= ABORT && trial.nanos >= 1.5 * self.rate * trial.work;
        if !enough && !hopeless {
            self.trial = Some(trial);
            return;
        }
        self.trial = None;
        self.evidence = 0.0;
        let fewer = trial.rung > self.rung;
        let rate = trial.nanos / trial.work;
        if rate < BETTER * self.rate {
            // Going back to fewer threads: the stay on more of them was a trial too.
            let lost = self.against.filter(|_| fewer).map_or(0.0, |(cost, _)| cost);
            self.pause = (PATIENCE * lost).max(PAUSE);
            self.against = (!fewer).then_some((0.0, self.rate));
            (self.rung, self.rate, self.down) = (trial.rung, rate, 1);
        } else {
            self.pause = (PATIENCE * cost).max(PAUSE);
            if fewer {
                self.down = self.down % 8 + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine on which a call takes `nanos` by threads; with several threads and another program about, threads
    /// sleep for most of it.
    fn call(g: &mut Governor, rows: usize, nanos: &dyn Fn(usize) -> u64, busy: bool) -> (usize, u64) {
        let threads = g.threads(rows);
        let nanos = nanos(threads);
        let slept = if busy && threads > 1 { nanos * 3 / 4 * (threads as u64 - 1) } else { 0 };
        g.ran(Ran { rows, nanos, slept, work: 1000 * rows as u64 });
        (threads, nanos)
    }

    const QUIET: &dyn Fn(usize) -> u64 = &|threads| 600_000 / threads as u64;
    const BUSY: &dyn Fn(usize) -> u64 = &|threads| if threads > 1 { 3_000_000 } else { 600_000 };

    #[test]
    fn ladders_end_at_one_thread() {
        assert_eq!(Governor::new(1).ladder, [1]);
        assert_eq!(Governor::new(2).ladder, [2, 1]);
        assert_eq!(Governor::new(3).ladder, [3, 2, 1]);
        assert_eq!(Governor::new(8).ladder, [8, 7, 4, 2, 1]);
        let classes = [1, 2, 8, 9, 16, 17, 32, 33, 1024, 1 << 20].map(Governor::class);
        assert_eq!(classes, [0, 1, 7, 8, 8, 9, 9, 10, 14, 17]);
    }

    #[test]
    fn a_quiet_machine_always_has_all_threads() {
        let mut g = Governor::new(4);
        for i in 0..10_000 {
            assert_eq!(call(&mut g, 1 + i % 20, QUIET, false).0, 4);
        }
    }

    #[test]
    fn now_and_then_a_late_thread_is_no_evidence() {
        let mut g = Governor::new(2);
        for i in 0..10_000 {
            let late: &dyn Fn(usize) -> u64 = &|_| 3_000_000;
            let (nanos, busy) = if i % 20 == 0 { (late, true) } else { (QUIET, false) };
            assert_eq!(call(&mut g, 1, nanos, busy).0, 2);
        }
    }

    #[test]
    fn threads_that_lost_their_core_are_left_within_a_few_calls_and_taken_back_when_it_is_free() {
        let mut g = Governor::new(2);
        (0..100).for_each(|_| assert_eq!(call(&mut g, 1, QUIET, false).0, 2));
        (0..4).for_each(|_| _ = call(&mut g, 1, BUSY, true));
        // From here on nearly all time is well spent, for ever.
        let (mut time, mut lost) = (0, 0);
        for _ in 0..50_000 {
            let (_, nanos) = call(&mut g, 1, BUSY, true);
            time += nanos;
            lost += nanos - 600_000;
        }
        assert!(lost * 40 < time, "{lost} of {time} lost");
        assert!(lost > 0, "never tries to come back");
        // The other program has gone: back within a second, then for good.
        let mut waited = 0;
        while g.classes[0].rung != 0 {
            waited += call(&mut g, 1, QUIET, false).1;
            assert!(waited < 1_000_000_000);
        }
        (0..1000).for_each(|_| assert_eq!(call(&mut g, 1, QUIET, false).0, 2));
    }

    #[test]
    fn what_looks_held_up_but_is_faster_on_all_threads_stays_there_at_a_bounded_cost() {
        let mut g = Governor::new(2);
        let (mut time, mut lost) = (0, 0);
        for _ in 0..50_000 {
            let (_, nanos) = call(&mut g, 1, QUIET, true);
            time += nanos;
            lost += nanos - 300_000;
        }
        assert!(lost > 0 && lost * 40 < time, "{lost} of {time} lost");
    }

    #[test]
    fn a_trial_that_was_lucky_is_paid_for_as_well() {
        // More threads do well for 13 ms after a rest and badly after that: every return is a mistake.
        let mut g = Governor::new(2);
        let (mut fresh, mut time, mut lost) = (0, 0u64, 0i64);
        for i in 0..100_000 {
            let lucky = fresh < 13_000_000;
            let at = |threads| match threads {
                1 => 600_000,
                _ if lucky => 500_000,
                _ => 3_000_000,
            };
            let (threads, nanos) = call(&mut g, 1, &at, !lucky);
            fresh = if threads > 1 { fresh + nanos } else { 0 };
            if i > 100 {
                time += nanos;
                lost += nanos as i64 - 600_000;
            }
        }
        assert!(lost * 40 < time as i64, "{lost} of {time} lost");
    }

    #[test]
    fn many_threads_find_the_rung_that_fits() {
        // Two of eight cores are lost: 7 threads are no better than 8, but 4 are.
        let nanos: &dyn Fn(usize) -> u64 =
            &|threads| if threads > 6 { 4_000_000 } else { 4_800_000 / threads as u64 };
        let mut g = Governor::new(8);
        (0..3000).for_each(|_| _ = call(&mut g, 1, nanos, true));
        assert_eq!(g.ladder[g.classes[0].rung], 4);
        assert_eq!(g.threads(2), 8, "other widths have seen nothing");
        (0..20_000).for_each(|_| _ = call(&mut g, 1, QUIET, false));
        assert_eq!(g.ladder[g.classes[0].rung], 8);
    }

    #[test]
    fn widths_of_one_class_are_compared_by_their_work() {
        let mut g = Governor::new(2);
        // 9 and 16 rows by turns: the calls of a trial are compared with what they would have taken.
        for i in 0..20_000usize {
            let rows = if i.is_multiple_of(2) { 9 } else { 16 };
            call(&mut g, rows, &|threads| BUSY(threads) * rows as u64 / 16, true);
        }
        assert_eq!(g.classes[Governor::class(9)].rung, 1);
    }
}
