//! Counted work over time, against the limits.

use serde::{Deserialize, Serialize};
use sterna_plan::CallStats;

use super::BenchError;
use crate::limits::Limits;

/// Weights above this many bytes a call do not stay in a cache from call to call, so the read bandwidth bounds them.
pub(super) const CACHED_BYTES: u64 = 64_000_000;

/// A rate this many times the measured read bandwidth is no measurement.
pub(super) const IMPLAUSIBLE: f64 = 1.3;

/// Work and rates of a call or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Bytes of weights that a call read, as the executor counted them.
    pub weight_bytes: u64,
    /// Multiply-accumulates of linear layers.
    pub macs: u64,
    /// Weight bytes in GB/s (powers of 1000).
    pub gb_s: f64,
    /// Of the measured read bandwidth with all threads.
    pub bandwidth_share: f64,
    /// GMAC/s of all threads.
    pub gmac_s: f64,
    /// GMAC/s of one thread.
    pub gmac_s_per_thread: f64,
    /// Of the measured int8 peak with all threads.
    pub peak_share: f64,
    /// Faster than memory, though the weights do not fit into a cache: the figure cannot be right.
    pub implausible: bool,
}

impl Load {
    /// `stats` of `calls` calls that took `seconds` together.
    pub fn of(stats: CallStats, calls: usize, seconds: f64, limits: &Limits) -> Self {
        let rate = |n: u64| if seconds > 0.0 { n as f64 / seconds / 1e9 } else { 0.0 };
        let mut load = Self {
            weight_bytes: stats.weight_bytes / calls.max(1) as u64,
            macs: stats.macs,
            gb_s: rate(stats.weight_bytes),
            gmac_s: rate(stats.macs),
            ..Self::default()
        };
        load.rate(limits);
        load
    }

    /// Takes the shares against other limits.
    pub fn rate(&mut self, limits: &Limits) {
        let of = |x: f64, limit: f64| if limit > 0.0 { x / limit } else { 0.0 };
        self.bandwidth_share = of(self.gb_s, limits.read_gb_s());
        self.gmac_s_per_thread = self.gmac_s / limits.threads.max(1) as f64;
        self.peak_share = of(self.gmac_s, limits.int8_gmac_s());
        // No time at all for real work is as wrong as too little.
        let timeless = self.gb_s <= 0.0;
        self.implausible =
            self.weight_bytes > CACHED_BYTES && (timeless || self.bandwidth_share > IMPLAUSIBLE);
    }
}

/// A table whose rates are held against the machine's limits. Limits measured once go stale where others use the
/// machine too: measure them before and after, and hold the table against the better of both.
pub trait Rated: std::fmt::Display {
    /// Each row: what it is, and its rates.
    fn loads(&mut self) -> Vec<(String, &mut Load)>;

    /// Takes all shares against `limits` and refuses what is faster than memory.
    ///
    /// # Errors
    /// [`BenchError::Implausible`].
    fn hold_against(&mut self, limits: &Limits) -> Result<(), BenchError> {
        let mut first = None;
        for (what, load) in self.loads() {
            load.rate(limits);
            if load.implausible && first.is_none() {
                first = Some((what, load.gb_s));
            }
        }
        let Some((what, gb_s)) = first else { return Ok(()) };
        let (limit_gb_s, table) = (limits.read_gb_s(), self.to_string());
        Err(BenchError::Implausible { what, gb_s, limit_gb_s, table })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::limits::{Limit, Rate};

    /// 20 GB/s, 100 GMAC/s a thread, two threads.
    pub fn limits() -> Limits {
        let limit = |one: f64| {
            let rate = |threads, best| Rate { threads, median: best, best, runs: 1 };
            Limit { kernel: "mock".into(), one: rate(1, one), all: rate(2, 2.0 * one) }
        };
        let (read, copy, int8, fma) = (limit(10.0), limit(5.0), limit(100.0), limit(50.0));
        Limits { threads: 2, buffer_bytes: 1 << 30, huge_pages: true, read, copy, int8, fma, others: None }
    }

    #[test]
    fn rates_and_shares() {
        let stats = CallStats { weight_bytes: 200_000_000, macs: 1_000_000_000 };
        let l = Load::of(stats, 2, 0.02, &limits());
        assert_eq!((l.weight_bytes, l.gb_s, l.bandwidth_share), (100_000_000, 10.0, 0.5));
        assert_eq!((l.gmac_s, l.gmac_s_per_thread, l.peak_share, l.implausible), (50.0, 25.0, 0.25, false));
    }

    #[test]
    fn faster_than_memory_is_flagged_only_when_no_cache_holds_the_weights() {
        let at = |bytes, seconds| {
            Load::of(CallStats { weight_bytes: bytes, macs: 1 }, 1, seconds, &limits()).implausible
        };
        assert!(at(100_000_000, 100_000_000.0 / 26.1e9), "above 1.3 x 20 GB/s");
        assert!(!at(100_000_000, 100_000_000.0 / 25.9e9));
        assert!(!at(60_000_000, 60_000_000.0 / 90e9), "60 MB may sit in a cache");
        assert!(at(100_000_000, 0.0));
    }
}
