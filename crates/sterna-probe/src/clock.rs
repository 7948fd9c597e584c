//! Time and CPU use, behind traits so that the harness itself is tested without a real clock.

use std::time::{Duration, Instant};

/// A clock that never runs backwards.
pub trait Clock {
    /// Time since some fixed moment.
    fn now(&self) -> Duration;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

/// CPU time used so far, in core-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuTime {
    /// By everything that runs on this machine, time that a hypervisor took away included.
    pub all: f64,
    /// By this process.
    pub own: f64,
}

/// Reads CPU time.
pub trait CpuMeter {
    /// CPU time so far; `None` where the system does not tell.
    fn sample(&mut self) -> Option<CpuTime>;
}

/// Linux: `/proc/stat` and `/proc/self/stat`, in ticks of 10 ms. Other systems: no answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemMeter;

impl CpuMeter for SystemMeter {
    #[cfg(target_os = "linux")]
    fn sample(&mut self) -> Option<CpuTime> {
        let all = all_ticks(&std::fs::read_to_string("/proc/stat").ok()?)?;
        let own = own_ticks(&std::fs::read_to_string("/proc/self/stat").ok()?)?;
        Some(CpuTime { all: all as f64 / TICKS, own: own as f64 / TICKS })
    }
    #[cfg(not(target_os = "linux"))]
    fn sample(&mut self) -> Option<CpuTime> {
        None
    }
}

/// Linux shows times to programs in hundredths of a second on every architecture that Rust runs on.
#[cfg(any(target_os = "linux", test))]
const TICKS: f64 = 100.0;

/// user + nice + system + irq + softirq + steal of the first line (guest time is part of user).
#[cfg(any(target_os = "linux", test))]
fn all_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.lines().next()?.split_ascii_whitespace();
    if fields.next()? != "cpu" {
        return None;
    }
    let values: Vec<u64> = fields.map_while(|f| f.parse().ok()).collect();
    [0, 1, 2, 5, 6, 7].iter().map(|i| values.get(*i).copied().or((*i == 7).then_some(0))).sum()
}

/// utime + stime; the command's name in parentheses may hold anything.
#[cfg(any(target_os = "linux", test))]
fn own_ticks(stat: &str) -> Option<u64> {
    let after = stat.rsplit_once(')')?.1;
    let mut fields = after.split_ascii_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_files_are_read() {
        let stat = "cpu  10 20 30 4000 50 6 7 8 9 0\ncpu0 1 2 3\n";
        assert_eq!(all_ticks(stat), Some(10 + 20 + 30 + 6 + 7 + 8));
        assert_eq!(all_ticks("cpu 1 2 3 4 5 6 7\n"), Some(1 + 2 + 3 + 6 + 7), "old kernels have no steal");
        assert_eq!(all_ticks("intr 1 2"), None);
        let own = "42 (a ) b) R 1 1 1 0 -1 4194304 100 0 0 0 123 45 0 0 20 0 4 0 99";
        assert_eq!(own_ticks(own), Some(168));
        assert_eq!(own_ticks("42 (x"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_system_answers() {
        let a = SystemMeter.sample().unwrap();
        assert!(a.own >= 0.0 && a.all >= 0.0);
        let clock = SystemClock::default();
        assert!(clock.now() <= clock.now());
    }
}
