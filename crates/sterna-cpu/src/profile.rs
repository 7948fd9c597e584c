//! Where the time of calls goes: by op, and what the threads cost. The first thread's clock tells.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sterna_plan::{OpTime, TeamTime};

use crate::ops::Call;
use crate::pool::Meter;

/// Times of all calls since profiling was switched on. While it is off nothing looks at a clock.
#[derive(Default)]
pub struct Profile {
    /// Whether calls are timed.
    pub on: bool,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    times: Vec<OpTime>,
    team: TeamTime,
    last: Option<Instant>,
    /// What the meter said after the last op.
    waited: u64,
}

impl Taken {
    /// Nanoseconds since the last lap.
    fn lap(&mut self) -> u64 {
        let now = Instant::now();
        let then = self.last.replace(now).unwrap_or(now);
        u64::try_from((now - then).as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Profile {
    /// Nothing measured yet.
    pub fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call is about to ask for `threads` threads.
    pub fn enter(&self, call: &Call<'_>, threads: usize) {
        if !self.on {
            return;
        }
        let mut t = self.taken();
        if t.times.len() != call.entry.ops.len() {
            t.times = call.entry.ops.iter().map(|op| call.named(op)).collect();
            t.team = TeamTime::default();
        }
        t.team.threads = threads;
        t.waited = 0;
        t.lap();
    }

    /// The first thread begins its first op.
    pub fn begin(&self) {
        let mut t = self.taken();
        let nanos = t.lap();
        t.team.start_nanos += nanos;
    }

    /// The first thread, all others with it, has left op number `at`; `meter` counts from the start of the call.
    pub fn op(&self, at: usize, meter: &Meter) {
        let mut t = self.taken();
        let (barriers, waited) = meter.read();
        let nanos = t.lap();
        let wait_nanos = waited - t.waited;
        t.waited = waited;
        t.times[at].nanos += nanos;
        t.times[at].wait_nanos += wait_nanos;
        if at + 1 == t.times.len() {
            t.team.barriers += barriers;
        }
    }

    /// The call has its threads back.
    pub fn leave(&self) {
        if self.on {
            let mut t = self.taken();
            let nanos = t.lap();
            t.team.end_nanos += nanos;
            t.team.calls += 1;
        }
    }

    /// By op.
    pub fn times(&self) -> Vec<OpTime> {
        self.taken().times.clone()
    }

    /// Of the threads.
    pub fn team(&self) -> TeamTime {
        self.taken().team
    }
}
