//! Both lookups against a search that knows nothing but the definition, and what the rule for the draft's length does.

use proptest::prelude::*;

use super::{ALTERNATIVES, Ask, Draft, Ngram, NgramOptions, Proposer, Suffix, SuffixOptions};
use crate::sample::SamplingParams;

fn ask(text: &[u32], most: usize) -> Ask<'_> {
    static GREEDY: SamplingParams = SamplingParams {
        temperature: 0.0,
        top_k: 0,
        top_p: 1.0,
        min_p: 0.0,
        repetition_penalty: 1.0,
        repetition_window: 64,
        seed: 0,
    };
    Ask { text, most, reads: usize::MAX, sampling: &GREEDY }
}

/// Most recent earlier end of the last `n` tokens.
fn find(text: &[u32], n: usize) -> Option<usize> {
    (n..text.len()).rev().find(|&end| text[end - n..end] == text[text.len() - n..])
}

/// The definition: the longest suffix of `shortest..=longest` tokens that occurred before, `most` tokens of what followed
/// (`most` of its length), read on into the draft itself.
fn naive(text: &[u32], shortest: usize, longest: usize, most: impl Fn(usize) -> usize) -> Draft {
    let mut draft = Draft::default();
    for n in (shortest..=longest.min(text.len().saturating_sub(1))).rev() {
        let Some(end) = find(text, n) else { continue };
        if draft.tokens.is_empty() {
            let mut all = text.to_vec();
            for i in 0..most(n) {
                all.push(all[end + i]);
            }
            draft.tokens = all.split_off(text.len());
            if draft.tokens.is_empty() {
                break;
            }
        } else if draft.tokens[0] != text[end]
            && !draft.alternatives.contains(&text[end])
            && draft.alternatives.len() < ALTERNATIVES
        {
            draft.alternatives.push(text[end]);
        }
    }
    draft
}

/// What happens to a text between two proposals.
#[derive(Clone, Debug)]
enum Step {
    Append(Vec<u32>),
    /// Cut to this share of 1000; the proposer is told or has to notice.
    Cut(usize, bool),
    /// Another token at this share of 1000.
    Edit(usize, u32),
    /// A repetition of what lies between two shares of 1000, as quoted text is.
    Quote(usize, usize),
}

fn steps(alphabet: u32) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop::collection::vec(0..alphabet, 0..12).prop_map(Step::Append),
        1 => (0usize..=1000, any::<bool>()).prop_map(|(at, told)| Step::Cut(at, told)),
        1 => (0usize..1000, 0..alphabet).prop_map(|(at, token)| Step::Edit(at, token)),
        2 => (0usize..1000, 0usize..1000).prop_map(|(a, b)| Step::Quote(a.min(b), a.max(b))),
    ];
    prop::collection::vec(step, 1..24)
}

fn apply(text: &mut Vec<u32>, step: &Step, proposer: &mut dyn Proposer) {
    let len = text.len();
    match step {
        Step::Append(tokens) => text.extend_from_slice(tokens),
        Step::Cut(at, told) => {
            text.truncate(len * at / 1000);
            if *told {
                proposer.cut(text.len()).unwrap();
            }
        }
        Step::Edit(at, token) => {
            if let Some(place) = text.get_mut(len * at / 1000) {
                *place = *token;
            }
        }
        Step::Quote(a, b) => {
            let quote = text[len * a / 1000..len * b / 1000].to_vec();
            text.extend_from_slice(&quote[..quote.len().min(40)]);
        }
    }
}

fn alphabet_and_steps() -> impl Strategy<Value = Vec<Step>> {
    prop_oneof![steps(1), steps(2), steps(3), steps(12)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ngrams_are_found_as_a_plain_search_finds_them(
        steps in alphabet_and_steps(), min_n in 1usize..4, more in 0usize..6, most in 0usize..12,
    ) {
        let max_n = min_n + more;
        let mut ngram = Ngram::new(NgramOptions { min_n, max_n, most: 8 }).unwrap();
        let (mut text, mut draft) = (Vec::new(), Draft::default());
        for step in &steps {
            apply(&mut text, step, &mut ngram);
            ngram.propose(&ask(&text, most), &mut draft).unwrap();
            prop_assert_eq!(&draft, &naive(&text, min_n, max_n, |_| most.min(8)), "{:?}", &text);
        }
    }

    #[test]
    fn suffixes_are_found_as_a_plain_search_finds_them(
        steps in alphabet_and_steps(), shortest in 1usize..4, more in 0usize..8, most in 0usize..12,
    ) {
        let longest = shortest + more;
        let mut suffix = Suffix::new(SuffixOptions { shortest, longest, most: 8, window: 1 << 10 }).unwrap();
        let (mut text, mut draft) = (Vec::new(), Draft::default());
        for step in &steps {
            apply(&mut text, step, &mut suffix);
            suffix.propose(&ask(&text, most), &mut draft).unwrap();
            let law = naive(&text, shortest, longest, |n| most.min(8).min(n - shortest + 1));
            prop_assert_eq!(&draft, &law, "{:?}", &text);
        }
    }

    /// Past the window, what is found is found in the window, and depends on the text alone.
    #[test]
    fn a_window_is_a_function_of_the_text(steps in alphabet_and_steps(), half in 4usize..20) {
        let window = 2 * half;
        let mut suffix = Suffix::new(SuffixOptions { shortest: 1, longest: 4, most: 8, window }).unwrap();
        let (mut text, mut draft) = (Vec::new(), Draft::default());
        for step in &steps {
            apply(&mut text, step, &mut suffix);
            suffix.propose(&ask(&text, 8), &mut draft).unwrap();
            let mut start = 0;
            while text.len() - start > window {
                start += half;
            }
            prop_assert_eq!(&draft, &naive(&text[start..], 1, 4, |n| n), "{:?} from {}", &text, start);
        }
    }
}

#[test]
fn the_latest_occurrence_of_the_longest_run_wins() {
    let mut draft = Draft::default();
    let mut ngram = Ngram::new(NgramOptions { min_n: 2, max_n: 3, most: 8 }).unwrap();
    //          v three tokens match            v two tokens match, later
    let text = [1, 2, 3, 40, 41, 1, 2, 3, 50, 51, 9, 2, 3, 60, 1, 2, 3];
    ngram.propose(&ask(&text, 4), &mut draft).unwrap();
    assert_eq!(draft, Draft { tokens: vec![50, 51, 9, 2], alternatives: vec![60], read: 0 });
    ngram.propose(&ask(&text, 0), &mut draft).unwrap();
    assert_eq!(draft, Draft::default());
    ngram.propose(&ask(&[1, 2, 3, 4], 4), &mut draft).unwrap();
    assert_eq!(draft, Draft::default());
    ngram.propose(&ask(&[], 4), &mut draft).unwrap();
    assert_eq!(draft, Draft::default());

    let mut suffix = Suffix::new(SuffixOptions::default()).unwrap();
    suffix.propose(&ask(&text, 4), &mut draft).unwrap();
    assert_eq!(
        draft,
        Draft { tokens: vec![50, 51], alternatives: vec![60], read: 0 },
        "three tokens are good for two"
    );
    assert_eq!((ngram.most(), suffix.most()), (8, 16));
}

#[test]
fn a_text_that_repeats_itself_is_drafted_to_go_on() {
    let text = [7, 1, 2, 3, 1, 2, 3, 1, 2];
    let mut draft = Draft::default();
    Ngram::new(NgramOptions::default()).unwrap().propose(&ask(&text, 8), &mut draft).unwrap();
    assert_eq!(draft.tokens, [3, 1, 2, 3, 1, 2, 3, 1]);
    Suffix::new(SuffixOptions::default()).unwrap().propose(&ask(&text, 8), &mut draft).unwrap();
    assert_eq!(draft.tokens, [3, 1, 2, 3], "a match of five tokens");
}

#[test]
fn options_without_sense_are_refused() {
    let ngram = NgramOptions::default();
    for options in [
        NgramOptions { min_n: 0, ..ngram },
        NgramOptions { min_n: 9, ..ngram },
        NgramOptions { max_n: 33, ..ngram },
        NgramOptions { most: 0, ..ngram },
    ] {
        assert!(Ngram::new(options).is_err(), "{options:?}");
    }
    let suffix = SuffixOptions::default();
    for options in [
        SuffixOptions { shortest: 0, ..suffix },
        SuffixOptions { longest: 1, ..suffix },
        SuffixOptions { most: 0, ..suffix },
        SuffixOptions { window: 63, ..suffix },
        SuffixOptions { window: 1 << 29, ..suffix },
    ] {
        let error = Suffix::new(options).err().unwrap().to_string();
        assert!(error.starts_with("suffix: matches of"), "{error}");
    }
}

/// A pattern every few tokens, two of whose places vary: forms, tables and code.
fn repetitive(n: usize) -> Vec<u32> {
    let mut random = Random(1);
    (0..n)
        .map(|i| match i % 24 {
            9 | 17 => 1000 + random.below(50),
            place => place as u32,
        })
        .collect()
}

/// Each token is followed by one of eight, which pairs of tokens repeat by chance: what a short match is worth nothing in.
fn chancy(n: usize) -> Vec<u32> {
    let mut random = Random(2);
    let mut token = 0;
    (0..n)
        .map(|_| {
            token = (token * 5 + random.below(8) * 37 + 11) % 300;
            token
        })
        .collect()
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// Walks a text as a target would that writes it: tokens, rounds, proposed and accepted drafts.
fn walk(text: &[u32], proposer: &mut dyn Proposer) -> (usize, usize, usize, usize) {
    let (mut at, mut rounds, mut proposed, mut accepted) = (1, 0, 0, 0);
    let mut draft = Draft::default();
    while at < text.len() {
        proposer.propose(&ask(&text[..at], 16), &mut draft).unwrap();
        let right = draft.tokens.iter().zip(&text[at..]).take_while(|(a, b)| a == b).count();
        (rounds, proposed, accepted) = (rounds + 1, proposed + draft.tokens.len(), accepted + right);
        at += right + 1;
    }
    (at - 1, rounds, proposed, accepted)
}

/// The rule for the length of a draft: it keeps most of what long drafts gain where the text repeats itself, and wastes
/// little where it does not, while drafts of one length waste sixteen rows for every chance match.
#[test]
fn a_draft_is_as_long_as_its_match_is_good_for() {
    let mut suffix = Suffix::new(SuffixOptions::default()).unwrap();
    let mut ngram = Ngram::new(NgramOptions { most: 16, ..NgramOptions::default() }).unwrap();
    for (name, text) in [("repetitive", repetitive(4000)), ("chancy", chancy(4000))] {
        for proposer in [&mut suffix as &mut dyn Proposer, &mut ngram] {
            let (tokens, rounds, proposed, accepted) = walk(&text, proposer);
            println!(
                "{name} {}: {tokens} tokens, {rounds} rounds, {proposed} proposed, {accepted} accepted",
                proposer.name()
            );
        }
    }
    let (tokens, rounds, proposed, accepted) = walk(&repetitive(4000), &mut suffix);
    assert!(tokens >= 3 * rounds && 10 * accepted >= 6 * proposed, "{tokens} {rounds} {proposed} {accepted}");
    let (tokens, _, wasted, accepted) = walk(&chancy(4000), &mut suffix);
    let wasted = wasted - accepted;
    let (_, _, ngram_wasted, accepted) = walk(&chancy(4000), &mut ngram);
    assert!(wasted < tokens && 6 * wasted < ngram_wasted - accepted, "{tokens} {wasted} {ngram_wasted}");
}
