//! Worker threads that run one closure together (SPMD) and meet at barriers inside it.
//!
//! A token of a small model is some hundred ops of a few microseconds, so a waiting thread spins for a short while.
//! Then it sleeps: on a machine whose cores others use, a thread that goes on spinning keeps the very thread it waits
//! for from running.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// Spins (some 10 ns each) before a thread that waits for the others of a run goes to sleep. The governor takes sleep
/// for a sign of lost cores, so on a quiet machine it has to be rare.
const SPINS: u32 = 3_000;
/// Spins before an idle worker goes to sleep until the next run: a decode loop comes back within microseconds.
const IDLE_SPINS: u32 = 20_000;

/// What a worker knows inside a run.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    /// This thread, 0 is the caller.
    pub thread: usize,
    /// Threads of the run.
    pub threads: usize,
    barrier: &'a Barrier,
    meter: Option<&'a Meter>,
}

/// What one thread sees of its barriers, for profiles.
#[derive(Default)]
pub struct Meter {
    barriers: AtomicU64,
    nanos: AtomicU64,
}

impl Meter {
    /// Barriers passed, and the nanoseconds from each arrival to going on.
    pub fn read(&self) -> (u64, u64) {
        (self.barriers.load(Ordering::Relaxed), self.nanos.load(Ordering::Relaxed))
    }
}

impl<'a> Team<'a> {
    /// The same, with this thread's barriers measured.
    pub fn metered<'b>(self, meter: &'b Meter) -> Team<'b>
    where
        'a: 'b,
    {
        Team { meter: Some(meter), ..self }
    }

    /// Returns when every thread of the run has arrived. Writes before it are seen after it.
    #[inline]
    pub fn barrier(&self) {
        if self.threads > 1 {
            let Some(meter) = self.meter else { return self.barrier.wait(self.threads) };
            let arrived = Instant::now();
            self.barrier.wait(self.threads);
            meter.barriers.fetch_add(1, Ordering::Relaxed);
            meter.nanos.fetch_add(nanos(arrived), Ordering::Relaxed);
        }
    }
}

/// Nanoseconds since then.
fn nanos(then: Instant) -> u64 {
    u64::try_from(then.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// A number that rises, and threads that wait for it to change.
#[derive(Default)]
#[repr(align(128))]
struct Signal {
    value: AtomicUsize,
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Signal {
    fn get(&self) -> usize {
        self.value.load(Ordering::Acquire)
    }

    fn raise(&self) {
        // Sequentially consistent with `wait`: either this thread sees the sleeper, or the sleeper sees the value.
        self.value.fetch_add(1, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(lock(&self.lock));
            self.wake.notify_all();
        }
    }

    /// Returns once the value is no longer `old`: the nanoseconds asleep.
    fn wait(&self, old: usize, spins: u32) -> u64 {
        for _ in 0..spins {
            if self.get() != old {
                return 0;
            }
            std::hint::spin_loop();
        }
        let start = Instant::now();
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let mut guard = lock(&self.lock);
        while self.value.load(Ordering::SeqCst) == old {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        nanos(start)
    }
}

#[derive(Default)]
#[repr(align(128))]
struct Barrier {
    arrived: AtomicUsize,
    round: Signal,
    broken: AtomicBool,
    /// Nanoseconds that threads slept here in this run.
    slept: AtomicU64,
}

impl Barrier {
    fn wait(&self, threads: usize) {
        let round = self.round.get();
        self.check();
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.raise();
        } else {
            let slept = self.round.wait(round, SPINS);
            if slept > 0 {
                self.slept.fetch_add(slept, Ordering::Relaxed);
            }
        }
        self.check();
    }

    /// A thread that panicked never arrives; it breaks the barrier and then raises the round, so that whoever read
    /// the round before is woken, and whoever reads it later sees the break.
    fn check(&self) {
        assert!(!self.broken.load(Ordering::Acquire), "another worker failed");
    }
}

/// The closure of the current run. The pointer is only followed between the start of a run and its end, while the
/// closure is borrowed by [`Pool::run`].
#[derive(Clone, Copy)]
struct Job(*const (dyn Fn(Team<'_>) + Sync));
// SAFETY: the closure is Sync, and `run` does not return before every worker is done with it.
unsafe impl Send for Job {}

struct Control {
    /// One for every worker, so that those that a run does not need sleep on.
    generations: Vec<Signal>,
    running: AtomicUsize,
    done: Signal,
    stop: AtomicBool,
    failed: Mutex<Option<String>>,
    job: Mutex<Option<Job>>,
    barrier: Barrier,
    /// Threads of this run.
    threads: AtomicUsize,
}

/// A team of threads; the caller of [`Pool::run`] is its first member.
pub struct Pool {
    control: Arc<Control>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `threads - 1` workers (at least none).
    ///
    /// # Errors
    /// The operating system's, when a thread cannot be started.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        let threads = threads.max(1);
        let control = Arc::new(Control {
            generations: (1..threads).map(|_| Signal::default()).collect(),
            running: AtomicUsize::new(0),
            done: Signal::default(),
            stop: AtomicBool::new(false),
            failed: Mutex::new(None),
            job: Mutex::new(None),
            barrier: Barrier::default(),
            threads: AtomicUsize::new(threads),
        });
        let workers = (1..threads)
            .map(|thread| {
                let control = Arc::clone(&control);
                std::thread::Builder::new()
                    .name(format!("sterna-{thread}"))
                    .spawn(move || work(&control, thread))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { control, workers })
    }

    /// Threads, the caller among them.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs `job` on `threads` of the threads, at least one and at most all, and returns when they are done: the
    /// nanoseconds that they slept while they waited for each other, all taken together.
    ///
    /// # Errors
    /// The message of a thread that panicked.
    pub fn run(&mut self, threads: usize, job: &(dyn Fn(Team<'_>) + Sync)) -> Result<u64, String> {
        let c = &*self.control;
        c.barrier.broken.store(false, Ordering::Relaxed);
        c.barrier.arrived.store(0, Ordering::Relaxed);
        c.barrier.slept.store(0, Ordering::Relaxed);
        let done = c.done.get();
        let workers = threads.clamp(1, self.threads()) - 1;
        c.threads.store(workers + 1, Ordering::Relaxed);
        if workers > 0 {
            // SAFETY: only the lifetime is erased; this function outlives every use (it waits for `done` below).
            let erased: *const (dyn Fn(Team<'_>) + Sync + 'static) = unsafe { std::mem::transmute(job) };
            *lock(&c.job) = Some(Job(erased));
            c.running.store(workers, Ordering::Release);
            c.generations[..workers].iter().for_each(Signal::raise);
        }
        run_part(c, 0, job);
        let mut slept = 0;
        if workers > 0 {
            slept = c.done.wait(done, SPINS) + c.barrier.slept.load(Ordering::Relaxed);
            *lock(&c.job) = None;
        }
        lock(&c.failed).take().map_or(Ok(slept), Err)
    }
}

impl Pool {
    /// Nanoseconds of one barrier when no thread has work: the median of some runs of nothing but barriers. `None`
    /// with one thread.
    pub fn barrier_cost(&mut self) -> Option<f64> {
        const BARRIERS: u32 = 1000;
        if self.workers.is_empty() {
            return None;
        }
        let mut costs = [0.0; 7];
        for cost in &mut costs {
            let taken = AtomicU64::new(0);
            let ran = self.run(self.threads(), &|team| {
                team.barrier(); // now all are awake
                let start = Instant::now();
                for _ in 0..BARRIERS {
                    team.barrier();
                }
                if team.thread == 0 {
                    taken.store(nanos(start), Ordering::Relaxed);
                }
            });
            ran.ok()?;
            *cost = taken.into_inner() as f64 / f64::from(BARRIERS);
        }
        costs.sort_by(f64::total_cmp);
        Some(costs[costs.len() / 2])
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.control.stop.store(true, Ordering::Release);
        self.control.generations.iter().for_each(Signal::raise);
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run_part(c: &Control, thread: usize, job: &(dyn Fn(Team<'_>) + Sync)) {
    let team = Team { thread, threads: c.threads.load(Ordering::Relaxed), barrier: &c.barrier, meter: None };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(team)));
    if let Err(panic) = result {
        c.barrier.broken.store(true, Ordering::Release);
        c.barrier.round.raise();
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
        lock(&c.failed).get_or_insert_with(|| text.to_owned());
    }
}

fn work(c: &Control, thread: usize) {
    let mut seen = 0;
    loop {
        c.generations[thread - 1].wait(seen, IDLE_SPINS);
        seen = c.generations[thread - 1].get();
        if c.stop.load(Ordering::Acquire) {
            return;
        }
        let job = *lock(&c.job);
        if let Some(job) = job {
            // SAFETY: `run` set the job for this generation and waits for every worker before its borrow ends.
            run_part(c, thread, unsafe { &*job.0 });
        }
        if c.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            c.done.raise();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_runs_and_barriers_hold() {
        for threads in 1..5 {
            let mut pool = Pool::new(threads).unwrap();
            for _ in 0..50 {
                let counts: Vec<AtomicUsize> = (0..20).map(|_| AtomicUsize::new(0)).collect();
                pool.run(threads, &|team| {
                    for c in &counts {
                        c.fetch_add(1, Ordering::Relaxed);
                        team.barrier();
                        assert_eq!(c.load(Ordering::Relaxed), team.threads);
                    }
                })
                .unwrap();
            }
        }
    }

    #[test]
    fn a_metered_thread_counts_its_barriers_and_how_long_it_waits() {
        let mut pool = Pool::new(2).unwrap();
        let meters = [Meter::default(), Meter::default()];
        pool.run(2, &|team| {
            let team = team.metered(&meters[team.thread]);
            team.barrier();
            if team.thread == 1 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            team.barrier();
        })
        .unwrap();
        assert_eq!(meters.each_ref().map(|m| m.read().0), [2, 2]);
        assert!(meters[0].read().1 > 15_000_000, "waited for the other thread");
    }

    #[test]
    fn a_run_takes_as_many_threads_as_it_is_told_and_leaves_the_others_asleep() {
        let mut pool = Pool::new(4).unwrap();
        for threads in [4, 1, 2, 3, 1, 4, 2, 9, 0] {
            let ran: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(0)).collect();
            let before: Vec<_> = pool.control.generations.iter().map(Signal::get).collect();
            pool.run(threads, &|team| {
                assert_eq!(team.threads, threads.clamp(1, 4));
                team.barrier();
                ran[team.thread].fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
            for (t, n) in ran.iter().enumerate() {
                let member = usize::from(t < threads.max(1));
                assert_eq!(n.load(Ordering::Relaxed), member, "thread {t} of {threads}");
                assert!(t == 0 || pool.control.generations[t - 1].get() - before[t - 1] == member);
            }
        }
    }

    #[test]
    fn sleep_at_a_barrier_is_counted_for_the_run_it_was_in() {
        let mut pool = Pool::new(2).unwrap();
        let late = |team: Team<'_>| {
            if team.thread == 1 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            team.barrier();
        };
        assert!(pool.run(2, &late).unwrap() > 15_000_000);
        assert_eq!(pool.run(1, &late), Ok(0));
    }

    #[test]
    fn a_panic_in_one_thread_ends_the_run_with_its_message() {
        let mut pool = Pool::new(3).unwrap();
        let failed = pool.run(3, &|team| {
            assert_ne!(team.thread, 1, "thread one gives up");
            team.barrier();
        });
        assert!(failed.is_err());
        pool.run(3, &|team| team.barrier()).unwrap();
    }
}
