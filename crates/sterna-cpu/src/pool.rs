//! Worker threads that run one closure together (SPMD) and meet at barriers inside it.
//!
//! A token of a small model is some hundred ops of a few microseconds, so threads spin for a short while before
//! they sleep, and yield while they spin: on a machine whose cores others use, a spinning thread must not keep the
//! thread it waits for from running.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

/// Spins before a waiting thread starts to yield its core.
const SPINS: u32 = 2_000;
/// Yields before an idle worker goes to sleep until the next run.
const YIELDS: u32 = 2_000;

/// What a worker knows inside a run.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    /// This thread, 0 is the caller.
    pub thread: usize,
    /// Threads of the run.
    pub threads: usize,
    barrier: &'a Barrier,
}

impl Team<'_> {
    /// Returns when every thread of the run has arrived. Writes before it are seen after it.
    #[inline]
    pub fn barrier(&self) {
        if self.threads > 1 {
            self.barrier.wait(self.threads);
        }
    }
}

#[derive(Default)]
#[repr(align(128))]
struct Barrier {
    arrived: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
}

impl Barrier {
    fn wait(&self, threads: usize) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0u32;
        while self.round.load(Ordering::Acquire) == round {
            // A panicked worker never arrives: end this thread's part too instead of waiting for ever.
            assert!(!self.broken.load(Ordering::Relaxed), "another worker failed");
            spins = spins.saturating_add(1);
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// The closure of the current run. The pointer is only followed between the start of a run and its end, while the
/// closure is borrowed by [`Pool::run`].
#[derive(Clone, Copy)]
struct Job(*const (dyn Fn(Team<'_>) + Sync));
// SAFETY: the closure is Sync, and `run` does not return before every worker is done with it.
unsafe impl Send for Job {}

struct Control {
    generation: AtomicUsize,
    done: AtomicUsize,
    stop: AtomicBool,
    failed: Mutex<Option<String>>,
    job: Mutex<Option<Job>>,
    wake: Condvar,
    barrier: Barrier,
    threads: usize,
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
            generation: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            failed: Mutex::new(None),
            job: Mutex::new(None),
            wake: Condvar::new(),
            barrier: Barrier::default(),
            threads,
        });
        let workers = (1..threads)
            .map(|thread| {
                let control = Arc::clone(&control);
                std::thread::Builder::new().name(format!("sterna-{thread}")).spawn(move || work(&control, thread))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { control, workers })
    }

    /// Runs `job` on every thread and returns when all are done.
    ///
    /// # Errors
    /// The message of a thread that panicked.
    pub fn run(&mut self, job: &(dyn Fn(Team<'_>) + Sync)) -> Result<(), String> {
        let c = &*self.control;
        c.barrier.broken.store(false, Ordering::Relaxed);
        c.barrier.arrived.store(0, Ordering::Relaxed);
        c.done.store(0, Ordering::Relaxed);
        if !self.workers.is_empty() {
            // SAFETY: only the lifetime is erased; this function outlives every use (it waits for `done` below).
            let erased: *const (dyn Fn(Team<'_>) + Sync + 'static) = unsafe { std::mem::transmute(job) };
            {
                // Under the lock, or a worker could check, miss this and sleep through the wake-up.
                let mut slot = lock(&c.job);
                *slot = Some(Job(erased));
                c.generation.fetch_add(1, Ordering::Release);
            }
            c.wake.notify_all();
        }
        run_part(c, 0, job);
        let mut spins = 0u32;
        while c.done.load(Ordering::Acquire) < self.workers.len() {
            spins = spins.saturating_add(1);
            if spins < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        *lock(&c.job) = None;
        lock(&c.failed).take().map_or(Ok(()), Err)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.control.stop.store(true, Ordering::Release);
        drop(lock(&self.control.job));
        self.control.wake.notify_all();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn run_part(c: &Control, thread: usize, job: &(dyn Fn(Team<'_>) + Sync)) {
    let team = Team { thread, threads: c.threads, barrier: &c.barrier };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(team)));
    if let Err(panic) = result {
        c.barrier.broken.store(true, Ordering::Relaxed);
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
        lock(&c.failed).get_or_insert_with(|| text.to_owned());
    }
}

fn work(c: &Control, thread: usize) {
    let mut seen = 0;
    loop {
        let mut waits = 0u32;
        while c.generation.load(Ordering::Acquire) == seen && !c.stop.load(Ordering::Acquire) {
            waits = waits.saturating_add(1);
            if waits < SPINS {
                std::hint::spin_loop();
            } else if waits < SPINS + YIELDS {
                std::thread::yield_now();
            } else {
                let guard = lock(&c.job);
                if c.generation.load(Ordering::Acquire) == seen && !c.stop.load(Ordering::Acquire) {
                    drop(c.wake.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner));
                }
            }
        }
        if c.stop.load(Ordering::Acquire) {
            return;
        }
        seen = c.generation.load(Ordering::Acquire);
        let job = *lock(&c.job);
        if let Some(job) = job {
            // SAFETY: `run` set the job for this generation and waits for `done` before its borrow ends.
            run_part(c, thread, unsafe { &*job.0 });
        }
        c.done.fetch_add(1, Ordering::Release);
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
                pool.run(&|team| {
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
    fn a_panic_in_one_thread_ends_the_run_with_its_message() {
        let mut pool = Pool::new(3).unwrap();
        let failed = pool.run(&|team| {
            assert_ne!(team.thread, 1, "thread one gives up");
            team.barrier();
        });
        assert!(failed.is_err());
        pool.run(&|team| team.barrier()).unwrap();
    }
}
