//! Lookup by suffix automaton: matches of any length, and no more drafted than the match is good for.

use super::{Ask, Draft, ProposeError, Proposer, draft_from};

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuffixOptions {
    /// Shortest match that is drafted from, in tokens, at least 1.
    pub shortest: usize,
    /// Longest match that is told apart, in tokens: longer ones count as this long.
    pub longest: usize,
    /// Most tokens to propose.
    pub most: usize,
    /// Tokens of text that are remembered, see [`Suffix`]; about 150 bytes each.
    pub window: usize,
}

impl Default for SuffixOptions {
    fn default() -> Self {
        Self { shortest: 2, longest: 32, most: 16, window: 1 << 16 }
    }
}

/// Proposes what followed the longest suffix of the text that occurred before, at its most recent earlier occurrence.
///
/// **How many**: a match of `m` tokens proposes at most `m - shortest + 1`, so the least match proposes one token
/// and every token more in the match one more. A short match is often chance, a long one a quotation.
///
/// **Which text**: matches are sought in a window of the text. It begins at 0 while the text has at most `window` tokens,
/// and from there at the least multiple of `window / 2` that leaves at most `window` tokens. So the window, and with it
/// the proposal, is a function of the text alone, whatever was proposed for before; at least half of `window` tokens
/// are in it.
///
/// A token costs an automaton step (constant on average) and at most `longest` updates. A text that is not the last one
/// with more tokens at its end, or whose window begins elsewhere, is read again from the window's start.
pub struct Suffix {
    options: SuffixOptions,
    /// Where the window begins in the text.
    base: usize,
    automaton: Automaton,
}

impl Suffix {
    /// # Errors
    /// [`ProposeError::Options`].
    pub fn new(options: SuffixOptions) -> Result<Self, ProposeError> {
        let SuffixOptions { shortest, longest, most, window } = options;
        if shortest == 0 || longest < shortest || most == 0 || window < 2 * longest || window > 1 << 28 {
            let why = format!(
                "matches of {shortest} to {longest} tokens, {most} proposed, {window} remembered: choose \
                 1 <= shortest <= longest, propose at least 1 and remember 2 * longest to 2^28 tokens"
            );
            return Err(ProposeError::Options { proposer: "suffix", why });
        }
        Ok(Self { options, base: 0, automaton: Automaton::new(longest) })
    }

    /// Where the window begins in a text of `len` tokens.
    fn window_start(&self, len: usize) -> usize {
        let half = self.options.window / 2;
        len.saturating_sub(self.options.window).div_ceil(half) * half
    }

    fn hold(&mut self, text: &[u32]) {
        let base = self.window_start(text.len());
        let window = &text[base..];
        if base != self.base || !window.starts_with(&self.automaton.text) {
            self.automaton.clear();
            self.base = base;
        }
        for token in &window[self.automaton.text.len()..] {
            self.automaton.push(*token);
        }
    }
}

impl Proposer for Suffix {
    fn name(&self) -> &'static str {
        "suffix"
    }

    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError> {
        let (text, most) = (ask.text, ask.most);
        draft.clear();
        self.hold(text);
        let SuffixOptions { shortest, most: own, .. } = self.options;
        let found = self.automaton.found.iter().filter(|f| f.len >= shortest);
        let Some(longest) = found.clone().next() else { return Ok(()) };
        let most = most.min(own).min(longest.len - shortest + 1);
        draft_from(&self.automaton.text, found.map(|f| f.end), most, draft);
        Ok(())
    }

    fn cut(&mut self, len: usize) -> Result<(), ProposeError> {
        if len < self.base + self.automaton.text.len() {
            self.automaton.clear();
            self.base = 0;
        }
        Ok(())
    }

    fn most(&self) -> usize {
        self.options.most
    }
}

/// A suffix of the text that occurred before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    /// Its tokens.
    len: usize,
    /// Where its most recent earlier occurrence ended.
    end: usize,
}

/// Runs of tokens that end at the same places of the text.
struct State {
    /// Next state by token, tokens ascending.
    next: Vec<(u32, u32)>,
    /// State of the longest run's longest suffix that ends at more places.
    link: u32,
    /// Tokens of the longest run.
    len: u32,
    /// Most recent end of an occurrence, 0 for none noted yet. Kept for states with runs of at most `longest` tokens.
    end: u32,
}

const ROOT: u32 = 0;

/// The suffix automaton of a growing text (Blumer et al., online), with the most recent end of each state.
///
/// A new token makes every suffix of the text occur once more, and their states are the path of links from the whole
/// text's state to the root, which can be as long as the text. So the path is walked from the state of the suffix of
/// `longest` tokens instead: at most `longest` states, and those are exact.
struct Automaton {
    longest: usize,
    text: Vec<u32>,
    states: Vec<State>,
    /// State of the whole text.
    whole: u32,
    /// State of the suffix of `tail_len` = min(text, longest) tokens.
    tail: u32,
    tail_len: usize,
    /// Suffixes of the text, of at most `longest` tokens, that occurred before: for each state the longest, descending.
    found: Vec<Found>,
}

impl Automaton {
    fn new(longest: usize) -> Self {
        let (text, states, found) = (Vec::new(), Vec::new(), Vec::new());
        let mut new = Self { longest, text, states, whole: ROOT, tail: ROOT, tail_len: 0, found };
        new.clear();
        new
    }

    fn clear(&mut self) {
        self.text.clear();
        self.states.clear();
        self.found.clear();
        self.states.push(State { next: Vec::new(), link: ROOT, len: 0, end: 0 });
        (self.whole, self.tail, self.tail_len) = (ROOT, ROOT, 0);
    }

    fn state(&self, at: u32) -> &State {
        &self.states[at as usize]
    }

    fn next(&self, at: u32, token: u32) -> Option<u32> {
        let next = &self.state(at).next;
        next.binary_search_by_key(&token, |n| n.0).ok().map(|i| next[i].1)
    }

    fn lead(&mut self, from: u32, token: u32, to: u32) {
        let next = &mut self.states[from as usize].next;
        match next.binary_search_by_key(&token, |n| n.0) {
            Ok(i) => next[i].1 = to,
            Err(i) => next.insert(i, (token, to)),
        }
    }

    fn add(&mut self, state: State) -> u32 {
        self.states.push(state);
        self.states.len() as u32 - 1 // at most two states a token, and the window is at most 2^28 tokens
    }

    fn push(&mut self, token: u32) {
        self.extend(token);
        self.text.push(token);
        // Extending may have split the tail's state.
        self.settle_tail();
        self.tail = self.next(self.tail, token).unwrap_or(ROOT);
        self.tail_len = (self.tail_len + 1).min(self.longest);
        self.settle_tail();
        self.note_ends();
    }

    /// Moves the tail to the state that holds its run of `tail_len` tokens.
    fn settle_tail(&mut self) {
        while self.tail != ROOT && self.state(self.state(self.tail).link).len as usize >= self.tail_len {
            self.tail = self.state(self.tail).link;
        }
    }

    /// The textbook step: the state of the whole text, and a split where a run now ends at more places than the longer
    /// runs of its state.
    fn extend(&mut self, token: u32) {
        let len = self.state(self.whole).len + 1;
        let new = self.add(State { next: Vec::new(), link: ROOT, len, end: 0 });
        let mut at = self.whole;
        self.whole = new;
        let old = loop {
            match self.next(at, token) {
                Some(old) => break old,
                None => self.lead(at, token, new),
            }
            if at == ROOT {
                return;
            }
            at = self.state(at).link;
        };
        let split_len = self.state(at).len + 1;
        if self.state(old).len == split_len {
            self.states[new as usize].link = old;
            return;
        }
        let State { next, link, end, .. } = self.state(old);
        let split = self.add(State { next: next.clone(), link: *link, len: split_len, end: *end });
        self.states[old as usize].link = split;
        self.states[new as usize].link = split;
        while self.next(at, token) == Some(old) {
            self.lead(at, token, split);
            if at == ROOT {
                break;
            }
            at = self.state(at).link;
        }
    }

    /// Every suffix of at most `longest` tokens now ends here too; notes where it ended before.
    fn note_ends(&mut self) {
        self.found.clear();
        let (mut at, here) = (self.tail, self.text.len());
        while at != ROOT {
            let state = &mut self.states[at as usize];
            if state.end > 0 {
                let len = self.tail_len.min(state.len as usize);
                self.found.push(Found { len, end: state.end as usize });
            }
            state.end = here as u32;
            at = state.link;
        }
    }
}
