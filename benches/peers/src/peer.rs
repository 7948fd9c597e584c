//! An engine under measurement, and the loops that time it: the same ones for every engine.

use std::time::Instant;

use sterna_probe::clock::{CpuMeter, SystemMeter};
use sterna_probe::tokens;

use crate::error::PeersError;
use crate::protocol::{About, Reply, Request, Timed};

/// How an engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Threads of a call.
    pub threads: usize,
    /// Positions of the state.
    pub context: usize,
}

/// One engine with one model and one sequence.
pub trait Peer {
    /// Which it is.
    fn about(&self) -> About;
    /// Forgets every position from `len` on.
    fn keep(&mut self, len: usize) -> Result<(), PeersError>;
    /// Appends tokens, in as few calls as the engine allows; has the logits of the last one when it returns.
    fn feed(&mut self, tokens: &[u32]) -> Result<(), PeersError>;
    /// The best token after the last one fed.
    fn best(&mut self) -> Result<u32, PeersError>;
    /// Appends one token and gives the best one after it.
    fn step(&mut self, token: u32) -> Result<u32, PeersError> {
        self.feed(&[token])?;
        self.best()
    }
    /// Bytes of weights read by the last [`Peer::feed`], where the engine counts them.
    fn weight_bytes(&self) -> Option<u64>;
}

/// Answers requests about `P`.
pub struct Worker<P> {
    peer: P,
    /// The seeded tokens that every engine is fed.
    tokens: Vec<u32>,
    /// How many of them the state holds.
    held: usize,
}

impl<P: Peer> Worker<P> {
    /// A worker that feeds tokens made from `seed`.
    pub fn new(peer: P, setup: Setup, seed: u64) -> Self {
        let tokens = tokens::seeded(seed, setup.context, peer.about().vocab);
        Self { peer, tokens, held: 0 }
    }

    /// Which engine it is.
    pub fn about(&self) -> About {
        self.peer.about()
    }

    /// The answer to `request`; `None` for the request to end.
    pub fn answer(&mut self, request: &Request) -> Option<Reply> {
        let reply = match request {
            Request::Prefill { tokens } => self.prefill(*tokens).map(Reply::Timed),
            Request::Decode { tokens, after } => self.decode(*tokens, *after).map(Reply::Timed),
            Request::Continue { tokens, after } => self.continued(*tokens, *after).map(Reply::Timed),
            Request::Greedy { prompt, tokens } => {
                self.greedy(prompt, *tokens).map(|ids| Reply::Tokens { ids })
            }
            Request::Quit => return None,
        };
        Some(reply.unwrap_or_else(|e| Reply::Failed { message: e.to_string() }))
    }

    /// The seeded tokens from `from` to `to`.
    fn seeded(&self, from: usize, to: usize) -> Result<Vec<u32>, PeersError> {
        let bad = || {
            PeersError::Options(format!(
                "tokens {from} to {to} of {}: ask for fewer, or for a larger context",
                self.tokens.len()
            ))
        };
        if from >= to {
            return Err(bad());
        }
        Ok(self.tokens.get(from..to).ok_or_else(bad)?.to_vec())
    }

    fn prefill(&mut self, n: usize) -> Result<Timed, PeersError> {
        let tokens = self.seeded(0, n)?;
        self.held = 0;
        self.peer.keep(0)?;
        let timed = timed(|| self.peer.feed(&tokens))?;
        self.held = n;
        Ok(Timed { weight_bytes: self.peer.weight_bytes(), ..timed })
    }

    fn decode(&mut self, n: usize, after: usize) -> Result<Timed, PeersError> {
        let tokens = self.seeded(after, after + n)?;
        // The last held token is fed alone and untimed, so that the first timed call follows one of its kind.
        let last = self.seeded(after.saturating_sub(1), after)?;
        let keep = self.held.min(after - 1);
        self.held = 0;
        self.peer.keep(keep)?;
        if keep < after - 1 {
            let missing = self.seeded(keep, after - 1)?;
            self.peer.feed(&missing)?;
        }
        self.peer.feed(&last)?;
        let timed = timed(|| tokens.iter().try_for_each(|t| self.peer.feed(std::slice::from_ref(t))))?;
        self.held = after + n;
        Ok(Timed { weight_bytes: self.peer.weight_bytes(), ..timed })
    }

    fn continued(&mut self, n: usize, after: usize) -> Result<Timed, PeersError> {
        let prompt = self.seeded(0, after)?;
        self.held = 0;
        self.peer.keep(0)?;
        self.peer.feed(&prompt)?;
        let first = self.peer.best()?;
        // As in `decode`, the first call of its kind is not timed.
        let mut token = self.peer.step(first)?;
        let timed = timed(|| {
            (0..n).try_for_each(|_| {
                token = self.peer.step(token)?;
                Ok(())
            })
        })?;
        self.peer.keep(0)?;
        Ok(Timed { weight_bytes: self.peer.weight_bytes(), ..timed })
    }

    fn greedy(&mut self, prompt: &[u32], n: usize) -> Result<Vec<u32>, PeersError> {
        self.held = 0;
        self.peer.keep(0)?;
        self.peer.feed(prompt)?;
        let mut ids = Vec::with_capacity(n);
        while ids.len() < n {
            let best = self.peer.best()?;
            ids.push(best);
            if ids.len() < n {
                self.peer.feed(&[best])?;
            }
        }
        self.peer.keep(0)?;
        Ok(ids)
    }
}

fn timed(work: impl FnOnce() -> Result<(), PeersError>) -> Result<Timed, PeersError> {
    let before = SystemMeter.sample();
    let start = Instant::now();
    work()?;
    let seconds = start.elapsed().as_secs_f64();
    let used = before.zip(SystemMeter.sample()).map(|(a, b)| (b.own - a.own, b.all - a.all));
    Ok(Timed {
        seconds,
        own: used.map(|(own, _)| own),
        others: used.map(|(own, all)| (all - own).max(0.0)),
        weight_bytes: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds what it was fed; its best token is the number of tokens held.
    #[derive(Default)]
    struct Mock {
        state: Vec<u32>,
        calls: Vec<usize>,
        fed: Vec<u32>,
    }

    impl Peer for Mock {
        fn about(&self) -> About {
            About { vocab: 50, ..About::default() }
        }
        fn keep(&mut self, len: usize) -> Result<(), PeersError> {
            self.state.truncate(len);
            Ok(())
        }
        fn feed(&mut self, tokens: &[u32]) -> Result<(), PeersError> {
            self.calls.push(tokens.len());
            self.fed.extend(tokens);
            self.state.extend(tokens);
            Ok(())
        }
        fn best(&mut self) -> Result<u32, PeersError> {
            Ok(self.state.len() as u32)
        }
        fn weight_bytes(&self) -> Option<u64> {
            Some(9)
        }
    }

    fn worker() -> Worker<Mock> {
        Worker::new(Mock::default(), Setup { threads: 1, context: 20 }, 1)
    }

    #[test]
    fn states_hold_exactly_the_seeded_tokens() {
        let mut w = worker();
        let expected = w.tokens.clone();
        for (request, held) in [
            (Request::Decode { tokens: 3, after: 4 }, 7),
            (Request::Prefill { tokens: 10 }, 10),
            (Request::Decode { tokens: 2, after: 8 }, 10),
            (Request::Decode { tokens: 2, after: 14 }, 16),
            (Request::Prefill { tokens: 5 }, 5),
            (Request::Decode { tokens: 1, after: 1 }, 2),
        ] {
            let reply = w.answer(&request).unwrap();
            assert!(matches!(reply, Reply::Timed(t) if t.weight_bytes == Some(9)), "{reply:?}");
            assert_eq!(w.peer.state, expected[..held], "{request:?}");
        }
        assert_eq!(w.peer.calls, [3, 1, 1, 1, 1, 10, 1, 1, 1, 3, 1, 1, 1, 5, 1, 1]);
    }

    #[test]
    fn continuations_feed_the_best_token_back() {
        let mut w = worker();
        let mut held = w.tokens[..4].to_vec();
        held.extend([4, 5, 6, 7]);
        let reply = w.answer(&Request::Continue { tokens: 3, after: 4 }).unwrap();
        assert!(matches!(reply, Reply::Timed(t) if t.weight_bytes == Some(9)), "{reply:?}");
        assert_eq!(w.peer.calls, [4, 1, 1, 1, 1]);
        assert_eq!(w.peer.fed, held);
    }

    #[test]
    fn greedy_feeds_back_and_mistakes_are_answered() {
        let mut w = worker();
        let ids = w.answer(&Request::Greedy { prompt: vec![7, 7, 7], tokens: 3 });
        assert_eq!(ids, Some(Reply::Tokens { ids: vec![3, 4, 5] }));
        assert_eq!(w.peer.calls, [3, 1, 1]);
        for request in [
            Request::Prefill { tokens: 0 },
            Request::Prefill { tokens: 21 },
            Request::Decode { tokens: 1, after: 0 },
            Request::Decode { tokens: 10, after: 11 },
        ] {
            assert!(matches!(w.answer(&request), Some(Reply::Failed { .. })), "{request:?}");
        }
        assert_eq!(w.answer(&Request::Quit), None);
    }
}
