//! Ways to bring one sequence of tokens into a session, all of which must give the same rows and the same state.

use std::fmt;

use serde::Serialize;
use sterna_plan::{Outputs, Wanted};
use sterna_run::{Session, SessionError};

use crate::synthetic::Random;

/// A way through a sequence. All begin cold and end with the whole sequence held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Walk {
    /// One row a call.
    Steps,
    /// Calls of that many rows, the last one shorter.
    Chunks(usize),
    /// Calls of random lengths up to the widest.
    Random {
        /// Of the cuts.
        seed: u64,
    },
    /// Another sequence that shares only the first `keep` tokens is fed first, then [`Session::reuse`] keeps those,
    /// and the rest is fed in the widest calls.
    Warm {
        /// Tokens kept.
        keep: usize,
    },
    /// Prefill calls of 2 to 24 rows and 1 to 3 single steps in turns; at the end of the sequence back to a random
    /// place in its first half, and on.
    Alternate {
        /// Number of turns.
        times: usize,
        /// Of lengths and places.
        seed: u64,
    },
    /// Calls of that many rows that ask for the last row's logits alone, as a prefill does.
    LastOnly(usize),
    /// Calls of that many rows that ask for the best token alone; compared are the token and the two logits.
    ArgmaxOnly(usize),
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Walk::Steps => write!(f, "S=1"),
            Walk::Chunks(n) => write!(f, "chunks of {n}"),
            Walk::Random { seed } => write!(f, "random cuts, seed {seed}"),
            Walk::Warm { keep } => write!(f, "warm prefix of {keep}"),
            Walk::Alternate { times, .. } => write!(f, "prefill and decode alternated {times} times"),
            Walk::LastOnly(n) => write!(f, "chunks of {n}, last row only"),
            Walk::ArgmaxOnly(n) => write!(f, "chunks of {n}, argmax only"),
        }
    }
}

/// Hears `(position, outputs, row of the call)`.
pub(super) type OnRow<'a> = dyn FnMut(usize, &Outputs, usize) + 'a;

impl Walk {
    /// Rows of the widest call that the walk needs by name.
    pub(super) fn width(&self) -> usize {
        match self {
            Walk::Chunks(n) | Walk::LastOnly(n) | Walk::ArgmaxOnly(n) => *n,
            _ => 1,
        }
    }

    /// Rows with a result on a sequence of `n` tokens, where the walk alone decides it.
    pub(super) fn rows(&self, n: usize) -> Option<usize> {
        match self {
            Walk::Steps | Walk::Chunks(_) | Walk::Random { .. } | Walk::ArgmaxOnly(_) => Some(n),
            Walk::Warm { keep } => Some(n.saturating_sub(*keep)),
            Walk::LastOnly(c) => Some(n.div_ceil((*c).max(1))),
            Walk::Alternate { .. } => None,
        }
    }

    /// Takes the walk; `widest` is the widest entry point.
    pub(super) fn take(
        &self,
        session: &mut Session,
        ids: &[u32],
        widest: usize,
        on_row: &mut OnRow<'_>,
    ) -> Result<(), SessionError> {
        session.truncate(0)?;
        let n = ids.len();
        let mut feed = Feed { session, ids, on_row };
        match *self {
            Walk::Steps => feed.chunks(1, 1, Wanted::Logits),
            Walk::Chunks(c) => feed.chunks(c, c, Wanted::Logits),
            Walk::LastOnly(c) => feed.chunks(c, 1, Wanted::Logits),
            Walk::ArgmaxOnly(c) => feed.chunks(c, c, Wanted::Argmax),
            Walk::Random { seed } => {
                let mut random = Random(seed);
                while feed.held() < n {
                    let most = widest.min(n - feed.held());
                    let c = 1 + below(&mut random, most);
                    feed.call(c, c, Wanted::Logits)?;
                }
                Ok(())
            }
            Walk::Warm { keep } => {
                let vocab = feed.session.executor().plan().vocab;
                let other = other_after(ids, keep, vocab);
                feed.session.feed(&other, 0, Wanted::Nothing, &mut |_| {}, &mut |_, _, _| {})?;
                // Where a state that owns time cannot keep the prefix, it is fed again: the rows after it are compared.
                let held = feed.session.reuse(ids)?;
                if held < keep {
                    feed.session.feed(
                        &ids[held..keep],
                        0,
                        Wanted::Nothing,
                        &mut |_| {},
                        &mut |_, _, _| {},
                    )?;
                }
                feed.chunks(widest, widest, Wanted::Logits)
            }
            Walk::Alternate { times, seed } => {
                let mut random = Random(seed);
                for _ in 0..times {
                    let c = (2 + below(&mut random, 23)).min(widest);
                    let d = 1 + below(&mut random, 3);
                    if feed.held() + c + d > n {
                        feed.session.truncate(below(&mut random, n / 2 + 1))?;
                    }
                    let c = c.min(n.saturating_sub(feed.held() + 1)).max(1);
                    feed.call(c, c, Wanted::Logits)?;
                    for _ in 0..d.min(n - feed.held()) {
                        feed.call(1, 1, Wanted::Logits)?;
                    }
                }
                feed.chunks(widest, widest, Wanted::Logits)
            }
        }
    }
}

/// A number from 0 to `n - 1`.
fn below(random: &mut Random, n: usize) -> usize {
    ((random.bits() >> 16) % n.max(1) as u64) as usize
}

/// As long as `ids`, the same up to `keep`, another token at `keep`, and different tokens after it.
fn other_after(ids: &[u32], keep: usize, vocab: usize) -> Vec<u32> {
    let vocab = u32::try_from(vocab).unwrap_or(u32::MAX).max(1);
    let mut other = ids.to_vec();
    for (i, t) in other.iter_mut().enumerate().skip(keep) {
        let by = 1 + (i as u32 % 7) % vocab.saturating_sub(1).max(1);
        *t = (u64::from(*t) + u64::from(by)).checked_rem(u64::from(vocab)).unwrap_or(0) as u32;
    }
    other
}

struct Feed<'a, 'b> {
    session: &'a mut Session,
    ids: &'a [u32],
    on_row: &'a mut OnRow<'b>,
}

impl Feed<'_, '_> {
    fn held(&self) -> usize {
        self.session.tokens().len()
    }

    /// One call that goes on for `c` rows.
    fn call(&mut self, c: usize, last: usize, wanted: Wanted) -> Result<(), SessionError> {
        let from = self.held();
        let chunk = &self.ids[from..from + c];
        let on_row = &mut *self.on_row;
        let mut shifted = |at: usize, outputs: &Outputs, row: usize| on_row(from + at, outputs, row);
        self.session.feed(chunk, last, wanted, &mut |_| {}, &mut shifted)?;
        Ok(())
    }

    /// Calls of `c` rows to the end.
    fn chunks(&mut self, c: usize, last: usize, wanted: Wanted) -> Result<(), SessionError> {
        while self.held() < self.ids.len() {
            self.call(c.min(self.ids.len() - self.held()).max(1), last, wanted)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_sequence_shares_exactly_the_kept_tokens() {
        for vocab in [2, 3, 100] {
            let ids = crate::tokens::seeded(1, 50, vocab);
            for keep in [0, 4, 49] {
                let other = other_after(&ids, keep, vocab);
                assert_eq!(other.len(), 50);
                assert_eq!(other[..keep], ids[..keep]);
                assert!(other[keep..].iter().zip(&ids[keep..]).all(|(a, b)| a != b && (*a as usize) < vocab));
            }
        }
    }
}
