//! What this machine can do: read bandwidth, integer peak, float peak, with one thread and with several.
//!
//! Each figure comes from several short runs in which all threads start together: work of all threads over the time
//! from the first start to the last end. The median tells what a program gets here and now, the best what the machine
//! can do undisturbed.

mod kernels;

use std::fmt;
use std::hint::black_box;
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::Instant;

use memmap2::{MmapMut, MmapOptions};
use serde::{Deserialize, Serialize};

use crate::clock::{CpuMeter, SystemMeter};
use crate::stats::Summary;
use crate::table::{Table, number};

/// Multiply-accumulates that one byte of 2-bit weights is good for, to turn bandwidth into compute and back.
pub const MACS_PER_BYTE_AT_2_BITS: f64 = 4.0;

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitOptions {
    /// Most threads; 1 thread is always measured too.
    pub threads: usize,
    /// Bytes of the buffer that is read, shared among the threads; take several times the largest cache.
    pub buffer_bytes: usize,
    /// Runs of each figure.
    pub runs: usize,
    /// Multiply-accumulates of one run of a peak and thread.
    pub macs: u64,
}

impl LimitOptions {
    /// For a second look at limits already known: fewer runs.
    pub fn again(threads: usize) -> Self {
        Self { runs: 5, ..Self::new(threads) }
    }

    /// 512 MiB, 15 runs, about 6 ms a run of a peak on a 2020s core.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads.max(1), buffer_bytes: 512 << 20, runs: 15, macs: 1 << 30 }
    }
}

/// One rate, per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Threads that worked together.
    pub threads: usize,
    /// Median of the runs.
    pub median: f64,
    /// Best of the runs.
    pub best: f64,
    /// Runs.
    pub runs: usize,
}

/// One limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The loop that found it.
    pub kernel: String,
    /// With one thread.
    pub one: Rate,
    /// With all threads together.
    pub all: Rate,
}

/// The machine's limits. Shares elsewhere are against the best run with all threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Threads of the `all` figures.
    pub threads: usize,
    /// Size of the buffer that was read.
    pub buffer_bytes: usize,
    /// Whether the system took the advice to use huge pages for it.
    pub huge_pages: bool,
    /// Reading memory, in GB/s (powers of 1000).
    pub read: Limit,
    /// Copying memory, in GB/s copied: each byte is read once and written once.
    pub copy: Limit,
    /// int8 multiply-accumulates from registers, in GMAC/s.
    pub int8: Limit,
    /// f32 fused multiply-adds from registers, in GMAC/s (twice that in GFLOP/s).
    pub fma: Limit,
    /// Cores that other processes used during all of it; `None` where the system does not tell.
    pub others: Option<f64>,
}

/// Why the limits are unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// No buffer to read.
    #[error("{bytes} bytes for the bandwidth measurement could not be had: {source}")]
    Memory {
        /// How many.
        bytes: usize,
        /// Why.
        source: std::io::Error,
    },
    /// Options that measure nothing.
    #[error("{0}")]
    Options(&'static str),
}

impl Limits {
    /// Measures: a few seconds with the default options.
    ///
    /// # Errors
    /// Memory for the buffer; options without runs, or with a buffer below 1 MiB.
    pub fn measure(options: &LimitOptions) -> Result<Self, LimitError> {
        let LimitOptions { threads, buffer_bytes, runs, macs } = *options;
        if runs == 0 || threads == 0 || macs < 1024 || buffer_bytes < 1 << 20 {
            return Err(LimitError::Options(
                "limits need a run, a thread, 1024 operations and a buffer of 1 MiB",
            ));
        }
        let before = (Instant::now(), SystemMeter.sample());
        let (buffer, huge_pages) = pages(buffer_bytes)?;
        let bytes = &buffer[..];
        let read = fastest_read(bytes, threads, runs);
        drop(buffer);
        let copy = copy(threads, runs, buffer_bytes)?;
        let int8 = limit(threads, runs, |_, _| kernels::int8(macs / 256));
        // A core does about a third of the float work in the same time.
        let fma = limit(threads, runs, |_, _| kernels::fma(macs / 256));
        let wall = before.0.elapsed().as_secs_f64();
        let others = before
            .1
            .zip(SystemMeter.sample())
            .map(|(a, b)| ((b.all - a.all - (b.own - a.own)) / wall).max(0.0));
        Ok(Self { threads, buffer_bytes, huge_pages, read, copy, int8, fma, others })
    }

    /// The better of two measurements, limit by limit: noise only ever slows a limit down.
    #[must_use]
    pub fn best_of(&self, other: &Self) -> Self {
        let rate = |a: Rate, b: Rate| if b.best > a.best { b } else { a };
        let limit = |a: &Limit, b: &Limit| Limit {
            kernel: if b.all.best > a.all.best { b.kernel.clone() } else { a.kernel.clone() },
            one: rate(a.one, b.one),
            all: rate(a.all, b.all),
        };
        Self {
            read: limit(&self.read, &other.read),
            copy: limit(&self.copy, &other.copy),
            int8: limit(&self.int8, &other.int8),
            fma: limit(&self.fma, &other.fma),
            ..self.clone()
        }
    }

    /// Read bandwidth with all threads in GB/s, best run.
    pub fn read_gb_s(&self) -> f64 {
        self.read.all.best
    }
    /// Integer peak with all threads in GMAC/s, best run.
    pub fn int8_gmac_s(&self) -> f64 {
        self.int8.all.best
    }
    /// Integer peak of one thread in GMAC/s, best run.
    pub fn int8_gmac_s_thread(&self) -> f64 {
        self.int8.one.best
    }
}

/// Reading by the loop that is fastest with all threads, by a few runs of each.
fn fastest_read(bytes: &[u8], threads: usize, runs: usize) -> Limit {
    let tried =
        kernels::reads().into_iter().map(|r| (r, rate(threads, runs.min(3), &reading(bytes, r)).1.best));
    let best = tried.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(kernels::PLAIN, |t| t.0);
    limit(threads, runs, reading(bytes, best))
}

/// Each of `n` threads reads its part of `bytes`.
fn reading(bytes: &[u8], (name, read): kernels::Read) -> impl Fn(usize, usize) -> (&'static str, u64) + Sync {
    move |n, i| {
        let each = bytes.len() / n / 4096 * 4096;
        let part = &bytes[each * i..each * (i + 1)];
        black_box(read(part));
        (name, part.len() as u64)
    }
}

/// Memory to read beside other things, in turns with them: on a shared machine its speed is not the same a minute later.
pub struct Reader {
    buffer: MmapMut,
    read: kernels::Read,
    threads: usize,
}

impl Reader {
    /// `bytes` to be read by `threads` threads, by the loop that is fastest.
    ///
    /// # Errors
    /// [`LimitError::Memory`].
    pub fn new(threads: usize, bytes: usize) -> Result<Self, LimitError> {
        let (buffer, _) = pages(bytes)?;
        let name = fastest_read(&buffer, threads, 1).kernel;
        let read = kernels::reads().into_iter().find(|r| r.0 == name).unwrap_or(kernels::PLAIN);
        Ok(Self { buffer, read, threads: threads.max(1) })
    }

    /// Reads all of it once; GB/s from the first thread's start to the last one's end.
    pub fn pass(&self) -> f64 {
        let (barrier, work) = (Barrier::new(self.threads), reading(&self.buffer, self.read));
        let run = |thread| {
            barrier.wait();
            let start = Instant::now();
            let (kernel, units) = work(self.threads, thread);
            Run { start, end: Instant::now(), units, kernel }
        };
        let run = &run;
        let runs: Vec<Run> = std::thread::scope(|scope| {
            let spawned: Vec<_> = (1..self.threads).map(|i| scope.spawn(move || run(i))).collect();
            std::iter::once(run(0)).chain(spawned.into_iter().filter_map(|t| t.join().ok())).collect()
        });
        together(runs.iter()).unwrap_or_default()
    }
}

/// Each thread copies the first half of its part of a buffer into the second.
fn copy(threads: usize, runs: usize, bytes: usize) -> Result<Limit, LimitError> {
    let (mut buffer, _) = pages(bytes)?;
    let one = copy_rate(&mut buffer, 1, runs);
    let all = if threads == 1 { one } else { copy_rate(&mut buffer, threads, runs) };
    Ok(Limit { kernel: "memcpy".into(), one, all })
}

fn copy_rate(buffer: &mut [u8], threads: usize, runs: usize) -> Rate {
    let each = buffer.len() / threads / 8192 * 8192;
    let parts: Vec<Mutex<&mut [u8]>> = buffer.chunks_exact_mut(each).map(Mutex::new).collect();
    let work = |_: usize, thread: usize| {
        // Nobody else takes this part: the lock is never waited for.
        let mut part = parts[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let (from, to) = part.split_at_mut(each / 2);
        to.copy_from_slice(black_box(from));
        ("memcpy", from.len() as u64)
    };
    rate(threads, runs, &work).1
}

/// A buffer that was written (unwritten anonymous pages all read from one page of zeros), in huge pages if possible.
fn pages(bytes: usize) -> Result<(MmapMut, bool), LimitError> {
    let failed = |source| LimitError::Memory { bytes, source };
    let mut map = MmapOptions::new().len(bytes).map_anon().map_err(failed)?;
    #[cfg(target_os = "linux")]
    let huge = map.advise(memmap2::Advice::HugePage).is_ok();
    #[cfg(not(target_os = "linux"))]
    let huge = false;
    for (i, page) in map.chunks_mut(4096).enumerate() {
        page.fill(i as u8 | 1);
    }
    Ok((map, huge))
}

/// One run of one thread.
struct Run {
    start: Instant,
    end: Instant,
    units: u64,
    kernel: &'static str,
}

type Work<'a> = dyn Fn(usize, usize) -> (&'static str, u64) + Sync + 'a;

/// `work(threads, thread)` tells its loop's name and its units; rates are in 10^9 units a second.
fn limit(threads: usize, runs: usize, work: impl Fn(usize, usize) -> (&'static str, u64) + Sync) -> Limit {
    let (kernel, one) = rate(1, runs, &work);
    let all = if threads == 1 { one } else { rate(threads, runs, &work).1 };
    Limit { kernel: kernel.to_owned(), one, all }
}

fn rate(threads: usize, runs: usize, work: &Work<'_>) -> (&'static str, Rate) {
    let barrier = Barrier::new(threads);
    // The first run is a warm-up: clocks rise, pages are touched.
    let timed = |thread: usize| -> Vec<Run> {
        let run = |_| {
            barrier.wait();
            let start = Instant::now();
            let (kernel, units) = work(threads, thread);
            Run { start, end: Instant::now(), units, kernel }
        };
        (0..=runs).map(run).collect()
    };
    let timed = &timed;
    let all: Vec<Vec<Run>> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (1..threads).map(|i| scope.spawn(move || timed(i))).collect();
        let first = timed(0);
        std::iter::once(first).chain(spawned.into_iter().filter_map(|t| t.join().ok())).collect()
    });
    let rates: Vec<f64> = (1..=runs).filter_map(|r| together(all.iter().filter_map(|t| t.get(r)))).collect();
    let summary = Summary::of(&rates).unwrap_or_default();
    let kernel = all.first().and_then(|t| t.first()).map_or("", |r| r.kernel);
    (kernel, Rate { threads, median: summary.median, best: summary.max, runs })
}

/// Work of all threads over the time from the first start to the last end.
fn together<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Option<f64> {
    let start = runs.clone().map(|r| r.start).min()?;
    let end = runs.clone().map(|r| r.end).max()?;
    let units: u64 = runs.map(|r| r.units).sum();
    Some(units as f64 / (end - start).as_secs_f64().max(1e-9) / 1e9)
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["limit", "threads", "median", "best", "unit", "at 2 bits a weight"]);
        for (name, limit, unit) in [
            ("memory read", &self.read, "GB/s"),
            ("memory copy", &self.copy, "GB/s"),
            ("int8", &self.int8, "GMAC/s"),
            ("f32 FMA", &self.fma, "GMAC/s"),
        ] {
            let both = [limit.one, limit.all];
            for r in &both[..if self.threads == 1 { 1 } else { 2 }] {
                let other = match unit {
                    "GB/s" => format!("{} GMAC/s", number(r.best * MACS_PER_BYTE_AT_2_BITS)),
                    _ => format!("{} GB/s", number(r.best / MACS_PER_BYTE_AT_2_BITS)),
                };
                let name = format!("{name} ({})", limit.kernel);
                t.row(vec![
                    name,
                    r.threads.to_string(),
                    number(r.median),
                    number(r.best),
                    unit.into(),
                    other,
                ]);
            }
        }
        let pages = if self.huge_pages { "huge pages" } else { "small pages" };
        let others = self.others.map_or("unknown".into(), |o| format!("{o:.2} cores"));
        write!(f, "{t}{} MiB read in {pages}; others' CPU use {others}", self.buffer_bytes >> 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_positive_and_shown() {
        let options = LimitOptions { threads: 2, buffer_bytes: 4 << 20, runs: 3, macs: 1 << 16 };
        let l = Limits::measure(&options).unwrap();
        for limit in [&l.read, &l.copy, &l.int8, &l.fma] {
            assert!(limit.one.median > 0.0 && limit.all.best >= limit.all.median && !limit.kernel.is_empty());
            assert_eq!((limit.one.threads, limit.all.threads, limit.one.runs), (1, 2, 3));
        }
        let text = l.to_string();
        assert!(
            text.contains("memory read")
                && text.contains("memory copy")
                && text.contains("GMAC/s")
                && text.contains("4 MiB read in"),
            "{text}"
        );
        assert!(serde_json::to_string(&l).unwrap().contains("huge_pages"));
        let mut better = l.clone();
        better.read.all.best *= 2.0;
        better.int8.all.best *= 0.5;
        let both = l.best_of(&better);
        assert_eq!((both.read_gb_s(), both.int8_gmac_s()), (better.read_gb_s(), l.int8_gmac_s()));
        assert!(Limits::measure(&LimitOptions { runs: 0, ..options }).is_err());
    }

    #[test]
    fn work_of_all_threads_is_divided_by_the_outer_time() {
        let t = Instant::now();
        let at = |a: u64, b: u64, units| Run {
            start: t + std::time::Duration::from_millis(a),
            end: t + std::time::Duration::from_millis(b),
            units,
            kernel: "",
        };
        let rate = together([at(0, 100, 1_000_000_000), at(50, 200, 1_000_000_000)].iter()).unwrap();
        assert!((rate - 10.0).abs() < 1e-9);
        assert_eq!(together([].iter()), None);
    }
}
