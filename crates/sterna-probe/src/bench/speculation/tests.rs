//! Speakers that say when they are done, on a clock that only they move.

use std::cell::Cell;
use std::time::Duration;

use super::*;
use crate::clock::CpuTime;
use crate::compare::{Rule, Verdict};
use crate::machine::Weather;

#[derive(Default)]
struct Mock(Cell<Duration>);

impl Clock for &Mock {
    fn now(&self) -> Duration {
        self.0.get()
    }
}

impl Sensors for &Mock {
    fn cpu(&mut self) -> Option<CpuTime> {
        None
    }
    fn speed(&mut self) -> Option<f64> {
        None
    }
    fn weather(&mut self) -> Weather {
        Weather::default()
    }
}

/// Says three times the prompt's token; drafts three tokens a round, of which `right` are right.
struct Scripted<'a> {
    clock: &'a Mock,
    /// Milliseconds of asking a proposer, a verify, a plain step, everything else.
    ms: [f64; 4],
    right: usize,
    answers: usize,
    /// The answer with this number says something else.
    slip: Option<usize>,
}

impl Speaker for Scripted<'_> {
    fn answer(&mut self, request: &Request) -> Result<Spoken, ArmError> {
        let [draft, verify, decode, rest] = self.ms.map(|ms| ms / 1e3);
        let roles = RoleSeconds { draft, verify, decode, rest };
        self.clock.0.set(self.clock.0.get() + Duration::from_secs_f64(roles.all()));
        let token = request.prompt[0];
        let mut tokens = vec![token; 3];
        if self.slip == Some(self.answers) {
            tokens[1] += 1;
        }
        self.answers += 1;
        let mut proposers = Vec::new();
        let mut drafts = Drafts { rounds: 2, ..Drafts::default() };
        if draft > 0.0 {
            (drafts.proposed, drafts.accepted) = (3, self.right);
            let place = |i| Place { proposed: 1, accepted: u64::from(i < self.right) };
            let places = (0..3).map(place).collect();
            let name = "draft".to_owned();
            proposers.push(ProposerUse { name, rounds: 1, places, propose: draft, verify, failure: None });
        }
        Ok(Spoken { tokens, finish: "length".into(), roles, drafts, proposers })
    }
}

fn speaker<'a>(
    name: &str,
    clock: &'a Mock,
    ms: [f64; 4],
    right: usize,
    slip: Option<usize>,
) -> NamedSpeaker<'a> {
    let speaker = Scripted { clock, ms, right, answers: 0, slip };
    NamedSpeaker { name: name.into(), speaker: Box::new(speaker) }
}

fn set(prompts: &[u32]) -> PromptSet {
    let prompt = |p: &u32| SetPrompt {
        name: format!("\"{p}\""),
        request: Request { prompt: vec![*p], max_tokens: Some(3), ..Request::default() },
    };
    PromptSet { name: "copy".into(), prompts: prompts.iter().map(prompt).collect() }
}

fn judge() -> Judge {
    Judge::new(Rule { most: 40, seconds: 1e6, ..Rule::default() })
}

/// A plain answer takes 12 ms, one with drafts 8 ms.
#[test]
fn arms_are_held_against_the_first_and_their_time_is_told_by_role() {
    let clock = Mock::default();
    let mut speakers = [
        speaker("off", &clock, [0.0, 0.0, 10.0, 2.0], 0, None),
        speaker("draft", &clock, [2.0, 4.0, 1.0, 1.0], 2, None),
        speaker("again", &clock, [0.0, 0.0, 10.0, 2.0], 0, None),
    ];
    let t = compare_speakers_on(&mut speakers, &set(&[7, 9]), &judge(), &&clock, &mut &clock).unwrap();
    let rounds = t.samples.rounds.rounds as u64;
    assert_eq!((t.set.as_str(), t.prompts, t.most), ("copy", 2, 3));
    let verdicts: Vec<_> = t.comparisons.iter().map(|c| c.verdict).collect();
    assert_eq!(verdicts, [Verdict::Faster, Verdict::Same]);
    let [off, draft, _] = &t.rows[..] else { panic!("{t}") };
    assert!((off.tokens_per_s - 6.0 / 0.024).abs() < 1e-6 && (draft.tokens_per_s - 6.0 / 0.016).abs() < 1e-6);
    assert!((t.speed(draft).unwrap().middle - 1.5).abs() < 1e-9 && t.speed(off).is_none());
    // Warm-up does not count: two answers a round.
    assert_eq!((draft.tokens, draft.rounds), (6 * rounds, 4 * rounds));
    assert_eq!((draft.proposed, draft.accepted, off.proposed), (6 * rounds, 4 * rounds, 0));
    assert!((draft.roles.verify - 0.008 * rounds as f64).abs() < 1e-9);
    assert!((draft.roles.all() - 0.016 * rounds as f64).abs() < 1e-9);
    assert_eq!((draft.accepted_a_round(), draft.tokens_a_round()), (1.0, 2.0));
    assert_eq!((draft.acceptance(), off.acceptance()), (Some(2.0 / 3.0), None));
    let [who] = &draft.proposers[..] else { panic!("{t}") };
    assert_eq!((who.rounds, who.places.len(), who.places[2].proposed), (2 * rounds, 3, 2 * rounds));
    assert_eq!(who.shares(), [1.0, 1.0, 0.0]);
    let text = t.to_string();
    for part in ["1.500x", "faster", "2.00", "66.7%", "accepted by place", "the same from every arm"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let all = ByWhom(&[t.clone(), SpeculationTable { set: "story".into(), ..t.clone() }]).to_string();
    assert_eq!(all.lines().filter(|l| l.starts_with("story")).count(), 3, "{all}");
    let read: SpeculationTable = serde_json::from_str(&serde_json::to_string(&t).unwrap()).unwrap();
    assert_eq!(read, t);
}

/// However late in a run an arm says something else, the run is worth nothing.
#[test]
fn an_arm_that_answers_differently_ends_the_run() {
    for (arm, slip) in [(1, 0), (1, 1), (2, 25), (0, 20)] {
        let clock = Mock::default();
        let at = |i| (i == arm).then_some(slip);
        let mut speakers = [
            speaker("off", &clock, [0.0, 0.0, 10.0, 2.0], 0, at(0)),
            speaker("draft", &clock, [2.0, 4.0, 1.0, 1.0], 2, at(1)),
            speaker("again", &clock, [0.0, 0.0, 10.0, 2.0], 0, at(2)),
        ];
        let name = speakers[arm].name.clone();
        let e =
            compare_speakers_on(&mut speakers, &set(&[7, 9]), &judge(), &&clock, &mut &clock).unwrap_err();
        let BenchError::NotLossless(found) = &e else { panic!("{e}") };
        let (index, token) = (slip % 2, [7, 9][slip % 2]);
        assert_eq!((found.index, found.at, &found.arm), (index, 1, &name), "{e}");
        assert_eq!((&found.made, &found.wanted), (&(token + 1).to_string(), &token.to_string()));
        assert!(e.to_string().starts_with("not lossless: "), "{e}");
    }
}

#[test]
fn an_answer_that_ends_otherwise_differs() {
    let one = Spoken { tokens: vec![1, 2], finish: "end 3".into(), ..Spoken::default() };
    let longer = Spoken { tokens: vec![1, 2, 3], finish: "length".into(), ..Spoken::default() };
    assert_eq!(difference(&one, &one.clone()), None);
    assert_eq!(difference(&longer, &one), Some((2, "3".into(), "end 3".into())));
    let otherwise = Spoken { finish: "length".into(), ..one.clone() };
    assert_eq!(difference(&otherwise, &one), Some((2, "length".into(), "end 3".into())));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let clock = Mock::default();
    let ms = [0.0, 0.0, 1.0, 0.0];
    let mut one = [speaker("off", &clock, ms, 0, None)];
    let e = compare_speakers_on(&mut one, &set(&[1]), &judge(), &&clock, &mut &clock).unwrap_err();
    assert!(e.to_string().contains("1 arm and 1 prompt are nothing"), "{e}");
    let mut two = [speaker("off", &clock, ms, 0, None), speaker("on", &clock, ms, 0, None)];
    let e = compare_speakers_on(&mut two, &set(&[]), &judge(), &&clock, &mut &clock).unwrap_err();
    assert!(e.to_string().contains("nothing to compare"), "{e}");
}

#[test]
fn chances_are_of_drafts_whose_predecessors_were_right() {
    let place = |(proposed, accepted)| Place { proposed, accepted };
    let who = |places: &[(u64, u64)]| ProposerUse {
        places: places.iter().copied().map(place).collect(),
        ..ProposerUse::default()
    };
    let u = who(&[(10, 8), (10, 4), (5, 1)]);
    assert_eq!(u.shares(), [0.8, 0.4, 0.2]);
    assert!(u.chances().iter().zip([0.8, 0.5, 0.5]).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", u.chances());
    // Deeper drafts were made where things went well, and a place without any success has no successor.
    assert_eq!(who(&[(10, 5), (2, 2)]).chances(), [0.5, 1.0]);
    assert_eq!(who(&[(10, 0), (10, 0)]).chances(), [0.0, 0.0]);
}

#[test]
fn the_built_in_prompts_are_four_sets_of_six() {
    let cases = crate::gate::built_in_prompts().unwrap();
    for set in ["copy", "structured", "story", "chat"] {
        assert_eq!(cases.iter().filter(|c| c.set.as_deref() == Some(set)).count(), 6, "{set}");
    }
    assert_eq!(cases.len(), 24);
}
