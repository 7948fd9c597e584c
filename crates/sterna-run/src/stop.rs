//! Stop strings over emitted text.
//!
//! The first stop string to be *completed* ends the text; of several completed by the same character the
//! longest does. That rule speaks about the text alone, so the answer does not depend on how the text was cut
//! into pieces. The stop string itself is not emitted, and text that may be its beginning is held back until
//! it is known not to be.

/// Why a matcher could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopError {
    /// An empty stop string would end every text before it began.
    #[error("stop string {index} is empty")]
    Empty {
        /// Its place in the list.
        index: usize,
    },
}

/// What became of a piece of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Push {
    /// Text that can be shown now: possibly empty, possibly including text held back before.
    pub emit: String,
    /// True once a stop string is complete; nothing is emitted afterwards.
    pub stopped: bool,
}

/// Watches a text for stop strings.
#[derive(Clone, Debug, Default)]
pub struct StopMatcher {
    stops: Vec<String>,
    held: String,
    matched: Option<usize>,
}

impl StopMatcher {
    /// A matcher for `stops`; with none, all text passes at once.
    ///
    /// # Errors
    /// [`StopError::Empty`] when one of them is empty.
    pub fn new<S: Into<String>>(stops: impl IntoIterator<Item = S>) -> Result<Self, StopError> {
        let stops: Vec<String> = stops.into_iter().map(Into::into).collect();
        match stops.iter().position(String::is_empty) {
            Some(index) => Err(StopError::Empty { index }),
            None => Ok(Self { stops, held: String::new(), matched: None }),
        }
    }

    /// Takes the next piece of text. After a stop it is dropped.
    pub fn push(&mut self, text: &str) -> Push {
        if self.matched.is_some() {
            return Push { emit: String::new(), stopped: true };
        }
        self.held.push_str(text);
        // (end, start, index): the smallest end, then the smallest start, then the first in the list.
        let hit = (self.stops.iter().enumerate())
            .filter_map(|(index, stop)| self.held.find(stop).map(|at| (at + stop.len(), at, index)))
            .min();
        if let Some((_, start, index)) = hit {
            self.matched = Some(index);
            let mut emit = std::mem::take(&mut self.held);
            emit.truncate(start);
            return Push { emit, stopped: true };
        }
        // The kept tail begins where a stop string would: on a character boundary.
        let tail = self.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let keep = self.held.split_off(self.held.len() - tail);
        Push { emit: std::mem::replace(&mut self.held, keep), stopped: false }
    }

    /// The text has ended: gives what was held back, which is nothing after a stop.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// The stop string that ended the text.
    pub fn matched(&self) -> Option<&str> {
        self.matched.and_then(|index| self.stops.get(index)).map(String::as_str)
    }
}

/// Length of the longest end of `text` that is a proper beginning of `stop`.
fn overlap(text: &str, stop: &str) -> usize {
    let (text, stop) = (text.as_bytes(), stop.as_bytes());
    (1..stop.len()).rev().find(|&n| text.ends_with(&stop[..n])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::draw_bits;

    /// Reads the whole text at once: (text before the stop, stopped).
    fn naive(text: &str, stops: &[&str]) -> (String, bool) {
        for end in 1..=text.len() {
            let hit = stops
                .iter()
                .filter(|s| text.as_bytes()[..end].ends_with(s.as_bytes()))
                .map(|s| s.len())
                .max();
            if let Some(n) = hit {
                return (text[..end - n].to_string(), true);
            }
        }
        (text.to_string(), false)
    }

    #[test]
    fn any_chunking_gives_what_a_search_over_the_whole_text_gives() {
        let alphabet = ["a", "b", "c", "é", "日", "\n"];
        let (mut hits, mut misses, mut waited) = (0, 0, 0);
        for case in 0..4000u64 {
            let mut at = 0;
            let mut below = |n: u64| {
                at += 1;
                draw_bits(case, at) % n
            };
            let mut word = |max: u64| -> String {
                let n = 1 + below(max);
                (0..n).map(|_| alphabet[below(alphabet.len() as u64) as usize]).collect()
            };
            let text = word(60);
            let stops: Vec<String> = (0..1 + case % 4).map(|_| word(5)).collect();
            let stops: Vec<&str> = stops.iter().map(String::as_str).collect();
            let (want, want_stopped) = naive(&text, &stops);

            let mut matcher = StopMatcher::new(stops.iter().copied()).unwrap();
            let (mut got, mut stopped, mut rest) = (String::new(), false, text.as_str());
            while !rest.is_empty() {
                let mut cut = (1 + below(6) as usize).min(rest.len());
                while !rest.is_char_boundary(cut) {
                    cut += 1;
                }
                let push = matcher.push(&rest[..cut]);
                rest = &rest[cut..];
                got += &push.emit;
                assert!(want.starts_with(&got), "case {case}: emitted {got:?} of {want:?}");
                assert!(!stopped || push.stopped, "case {case}: a stop is final");
                stopped = push.stopped;
                waited += usize::from(!stopped && !matcher.held.is_empty());
            }
            got += &matcher.finish();
            assert_eq!((got, stopped), (want, want_stopped), "case {case}: {text:?} {stops:?}");
            *if stopped { &mut hits } else { &mut misses } += 1;
        }
        assert!(hits > 500 && misses > 500 && waited > 500, "{hits} {misses} {waited}");
    }

    #[test]
    fn holds_back_only_what_may_still_become_a_stop() {
        let mut m = StopMatcher::new(["</end>", "STOP"]).unwrap();
        assert_eq!(m.push("a <").emit, "a ");
        assert_eq!(m.push("/e").emit, "");
        assert_eq!(m.push("x S").emit, "</ex ");
        assert_eq!(m.push("TO"), Push::default());
        assert_eq!(m.finish(), "STO");
        assert_eq!(m.matched(), None);
    }

    #[test]
    fn the_earliest_completed_stop_wins_and_ends_everything() {
        let mut m = StopMatcher::new(["xabc", "ab", "zab"]).unwrap();
        assert_eq!(m.push("qxabc"), Push { emit: "qx".into(), stopped: true });
        assert_eq!(m.matched(), Some("ab"));
        assert_eq!(m.push("more"), Push { emit: String::new(), stopped: true });
        assert_eq!(m.finish(), "");
        let mut m = StopMatcher::new(["ab", "zab"]).unwrap();
        assert_eq!(m.push("qzab").emit, "q");
    }

    #[test]
    fn an_empty_stop_string_is_refused_and_none_at_all_is_fine() {
        assert_eq!(StopMatcher::new(["a", ""]).unwrap_err(), StopError::Empty { index: 1 });
        let mut m = StopMatcher::new(Vec::<String>::new()).unwrap();
        assert_eq!(m.push("all"), Push { emit: "all".into(), stopped: false });
    }
}
