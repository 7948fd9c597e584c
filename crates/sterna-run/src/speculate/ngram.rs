//! Prompt lookup: the text continues as it did the last time that its latest tokens stood there.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::{Ask, Draft, ProposeError, Proposer, draft_from, shared};

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NgramOptions {
    /// Shortest run of tokens that counts as found, at least 1.
    pub min_n: usize,
    /// Longest run that is looked for, at most 32.
    pub max_n: usize,
    /// Most tokens to propose.
    pub most: usize,
}

impl Default for NgramOptions {
    fn default() -> Self {
        Self { min_n: 2, max_n: 8, most: 8 }
    }
}

/// Proposes what followed the longest suffix of the text (of `min_n` to `max_n` tokens) that occurred before, at its most
/// recent occurrence. Alternatives are what followed the most recent occurrences of the shorter suffixes.
///
/// A call costs work for the tokens that are new or gone since the last one, times the number of lengths, besides one
/// comparison of the text with the copy that is held. Memory is about 30 bytes for each token and length.
pub struct Ngram {
    options: NgramOptions,
    /// The text of the last call.
    held: Vec<u32>,
    /// For each length, from the hash of a run of tokens to where it last ended: `end` means `held[end - n..end]`.
    last: Vec<HashMap<u64, u32>>,
    /// For each indexed end and length, the end that it displaced in `last`, 0 if none: what makes cuts exact.
    displaced: Vec<u32>,
    /// Ends `1..=indexed` are in `last`. The text's own end is not, or its suffix would find itself.
    indexed: usize,
    hasher: RandomState,
}

impl Ngram {
    /// # Errors
    /// [`ProposeError::Options`].
    pub fn new(options: NgramOptions) -> Result<Self, ProposeError> {
        let NgramOptions { min_n, max_n, most } = options;
        if min_n == 0 || max_n < min_n || max_n > 32 || most == 0 {
            let why = format!(
                "runs of {min_n} to {max_n} tokens, {most} proposed: choose 1 <= min_n <= max_n <= 32 and propose at least 1"
            );
            return Err(ProposeError::Options { proposer: "ngram", why });
        }
        let last = vec![HashMap::new(); max_n - min_n + 1];
        let (held, displaced, hasher) = (Vec::new(), Vec::new(), RandomState::new());
        Ok(Self { options, held, last, displaced, indexed: 0, hasher })
    }

    /// Hash of the `n` tokens that end at `end`.
    fn key(&self, n: usize, end: usize) -> u64 {
        self.hasher.hash_one(&self.held[end - n..end])
    }

    fn add_end(&mut self) {
        let end = self.indexed + 1;
        for i in 0..self.last.len() {
            let n = self.options.min_n + i;
            let mut before = None;
            if n <= end {
                let key = self.key(n, end);
                before = self.last[i].insert(key, end as u32);
            }
            self.displaced.push(before.unwrap_or(0));
        }
        self.indexed = end;
    }

    fn drop_end(&mut self) {
        let end = self.indexed;
        self.indexed -= 1;
        let from = self.indexed * self.last.len();
        for i in 0..self.last.len() {
            let n = self.options.min_n + i;
            if n > end {
                continue;
            }
            let key = self.key(n, end);
            match self.displaced[from + i] {
                0 => self.last[i].remove(&key),
                before => self.last[i].insert(key, before),
            };
        }
        self.displaced.truncate(from);
    }

    /// Holds `text` from now on, its first `common` tokens being held already.
    fn hold(&mut self, common: usize, text: &[u32]) {
        // An end is taken out while its tokens are still there to hash.
        while self.indexed > common.min(text.len().saturating_sub(1)) {
            self.drop_end();
        }
        self.held.truncate(common);
        self.held.extend_from_slice(&text[common..]);
    }

    /// Where the last `n` tokens ended before, most recently.
    fn find(&self, n: usize) -> Option<usize> {
        let i = n - self.options.min_n;
        let suffix = &self.held[self.held.len() - n..];
        let mut end = *self.last[i].get(&self.key(n, self.held.len()))? as usize;
        // Runs of one hash share a chain; only equal tokens count.
        while end > 0 && self.held[end - n..end] != *suffix {
            end = self.displaced[(end - 1) * self.last.len() + i] as usize;
        }
        (end > 0).then_some(end)
    }
}

impl Proposer for Ngram {
    fn name(&self) -> &'static str {
        "ngram"
    }

    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError> {
        let (text, most) = (ask.text, ask.most);
        draft.clear();
        if u32::try_from(text.len()).is_err() {
            return Ok(()); // ends are kept in 32 bits; no context is that long
        }
        self.hold(shared(&self.held, text), text);
        while self.indexed + 1 < self.held.len() {
            self.add_end();
        }
        let longest = self.options.max_n.min(text.len().saturating_sub(1));
        let ends = (self.options.min_n..=longest).rev().filter_map(|n| self.find(n));
        draft_from(&self.held, ends, most.min(self.options.most), draft);
        Ok(())
    }

    fn cut(&mut self, len: usize) -> Result<(), ProposeError> {
        if len < self.held.len() {
            let text = self.held[..len].to_vec();
            self.hold(len, &text);
        }
        Ok(())
    }

    fn most(&self) -> usize {
        self.options.most
    }
}
