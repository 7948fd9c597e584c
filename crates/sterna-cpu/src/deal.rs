//! How the items of an op are dealt to the threads of a team.
//!
//! Every thread has a run of neighbouring items, so that what it reads is one stream of memory which the processor
//! can fetch ahead; when it is through it takes from the runs of the others, so that a thread that was held up does
//! not hold up the team.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Items taken from one thread's run. On a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
pub struct Counter(AtomicUsize);

impl Counter {
    /// Back to no item taken; nobody else uses it.
    pub fn reset(&mut self) {
        *self.0.get_mut() = 0;
    }
}

/// One thread's view of the items of one op.
pub struct Deal<'a> {
    counters: &'a [Counter],
    items: usize,
    /// Runs still to visit: this thread's own first, then the next thread's, and so on.
    visited: usize,
    me: usize,
}

impl<'a> Deal<'a> {
    /// `items` items for `counters.len()` threads, of which this is number `me`.
    pub fn new(counters: &'a [Counter], items: usize, me: usize) -> Self {
        Self { counters, items, visited: 0, me }
    }
}

impl Iterator for Deal<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let threads = self.counters.len();
        while self.visited < threads {
            let run = (self.me + self.visited) % threads;
            let (from, to) = (self.items * run / threads, self.items * (run + 1) / threads);
            let taken = self.counters[run].0.fetch_add(1, Ordering::Relaxed);
            if taken < to - from {
                return Some(from + taken);
            }
            self.visited += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(n: usize) -> Vec<Counter> {
        (0..n).map(|_| Counter::default()).collect()
    }

    #[test]
    fn every_item_is_dealt_once_whoever_asks() {
        for threads in 1..6 {
            for items in [0, 1, 2, 7, 64] {
                let counters = counters(threads);
                let mut deals: Vec<_> = (0..threads).map(|t| Deal::new(&counters, items, t)).collect();
                let mut seen = vec![0; items];
                // The first thread takes three items for every one of the others.
                loop {
                    let mut any = false;
                    for (t, deal) in deals.iter_mut().enumerate() {
                        for item in deal.take(if t == 0 { 3 } else { 1 }) {
                            seen[item] += 1;
                            any = true;
                        }
                    }
                    if !any {
                        break;
                    }
                }
                assert!(seen.iter().all(|n| *n == 1), "{threads} threads, {seen:?}");
            }
        }
    }

    #[test]
    fn a_thread_takes_neighbours_first() {
        let counters = counters(2);
        let first: Vec<_> = Deal::new(&counters, 10, 1).take(5).collect();
        assert_eq!(first, [5, 6, 7, 8, 9]);
    }
}
