//! Transcripts: written by the reference, held against the CPU, altered.
#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use std::sync::OnceLock;

use common::{Fault, broken_file, built_in, file_executor, file_session, options, root};
use sterna_bundle::Model;
use sterna_probe::gate::{
    Allowed, Case, GateArm, GateError, Header, Tokenised, Transcript, TranscriptReport, transcript,
};
use sterna_ref::RefBackend;
use sterna_run::Session;

const CONTEXT: usize = 64;
const STEPS: usize = 10;

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(built_in)
}

/// Exact arithmetic's answers.
fn oracle() -> &'static Transcript {
    static ORACLE: OnceLock<Transcript> = OnceLock::new();
    ORACLE.get_or_init(|| {
        let executor =
            file_executor(model(), &RefBackend::float(), &options(GateArm::BASE, CONTEXT)).unwrap();
        let mut session = Session::new(executor, CONTEXT).unwrap();
        let prompts =
            [Case::text("Once upon a time"), Case::text("The old lighthouse keeper opened the door and")];
        let header = Header { engine: Some("f64".into()), ..Header::default() };
        let mut heard = 0;
        let made =
            Transcript::record(&mut session, &model().tokenizer, header, &prompts, STEPS, &mut |n| heard = n)
                .unwrap();
        assert_eq!(heard, 2);
        // What is written is what is read.
        assert_eq!(Transcript::parse("f64", &made.lines().unwrap()).unwrap(), made);
        made
    })
}

fn cpu() -> Session {
    file_session(model(), GateArm::BASE, CONTEXT).unwrap()
}

fn hold(session: &mut Session, t: &Transcript, allowed: Allowed) -> Result<TranscriptReport, GateError> {
    transcript(session, &model().tokenizer, t, allowed, &mut |_| {})
}

/// The step with the greatest margin of the first case.
fn surest(t: &Transcript) -> usize {
    let margins = &t.cases[0].margins;
    (0..margins.len()).max_by(|a, b| margins[*a].total_cmp(&margins[*b])).unwrap()
}

#[test]
fn the_cpu_agrees_with_exact_arithmetic_up_to_near_ties() {
    let report = hold(&mut cpu(), oracle(), Allowed::NearTie(0.1)).unwrap();
    assert!(report.passed(), "{report}");
    assert_eq!(report.tokens, 2 * STEPS);
    assert!(report.cases.iter().all(|c| c.tokenised == Tokenised::Exact));
    assert!(report.to_string().contains("PASS") && report.to_string().contains("by f64"), "{report}");
}

#[test]
fn an_altered_token_is_found_at_its_place_with_its_margin() {
    let mut t = oracle().clone();
    let at = surest(&t);
    t.cases[0].tokens[at] ^= 1;
    let report = hold(&mut cpu(), &t, Allowed::NearTie(0.1)).unwrap();
    assert!(!report.passed(), "{report}");
    let split = report.cases[0].answer.split.unwrap();
    assert_eq!((split.at, split.golden, split.margin), (at, t.cases[0].tokens[at], t.cases[0].margins[at]));
    assert_eq!(report.cases[0].answer.stream.len(), at + 1, "our own stream up to the difference");
    assert_eq!(report.cases[0].answer.stream[at], split.token);
    assert!(report.to_string().contains("FAIL: 1 of 2 prompts failed"), "{report}");
}

#[test]
fn near_ties_are_counted_apart_and_unknown_margins_are_none() {
    let mut t = oracle().clone();
    let at = surest(&t);
    (t.cases[0].tokens[at], t.cases[0].margins[at]) = (t.cases[0].tokens[at] ^ 1, 0.05);
    // What follows another token is another text: compare up to there.
    t.cases[0].tokens.truncate(at + 1);
    t.cases[0].margins.truncate(at + 1);
    t.cases[0].seconds.clear();
    let report = hold(&mut cpu(), &t, Allowed::NearTie(0.1)).unwrap();
    assert!(report.passed() && report.near_ties >= 1, "{report}");
    assert_eq!(report.equal + report.near_ties, report.tokens, "{report}");
    assert!(report.exact < 2);
    assert!(!hold(&mut cpu(), &t, Allowed::Nothing).unwrap().passed(), "exact means exact");
    assert!(!hold(&mut cpu(), &t, Allowed::NearTie(0.04)).unwrap().passed());
    t.cases[0].margins.clear();
    let report = hold(&mut cpu(), &t, Allowed::NearTie(1e30)).unwrap();
    assert!(!report.passed(), "a margin that nobody knows forgives nothing\n{report}");
}

#[test]
fn another_tokenisation_is_found() {
    let mut t = oracle().clone();
    let ids = t.cases[1].prompt.as_mut().unwrap();
    ids[2] += 1;
    let n = ids.len();
    let report = hold(&mut cpu(), &t, Allowed::NearTie(1e30)).unwrap();
    assert!(!report.passed());
    assert_eq!(report.cases[1].tokenised, Tokenised::Differs { at: 2, tokens: n, expected: n });
    assert!(report.to_string().contains("first other at 2"), "{report}");
    // Ids alone, or text alone, leave nothing to compare there.
    t.cases[1].text = None;
    t.cases[0].prompt = None;
    let report = hold(&mut cpu(), &t, Allowed::NearTie(1e30)).unwrap();
    assert!(report.cases.iter().all(|c| c.tokenised == Tokenised::NotAsked) && report.passed());
}

#[test]
fn another_tokenizer_or_vocabulary_is_refused() {
    let change: [fn(&mut Header); 2] = [|h| h.tokenizer = Some("other".into()), |h| h.vocab = Some(8191)];
    for (change, what) in change.into_iter().zip(["tokenizer", "vocab"]) {
        let mut t = oracle().clone();
        change(t.header.as_mut().unwrap());
        let e = hold(&mut cpu(), &t, Allowed::NearTie(0.1)).unwrap_err();
        assert!(matches!(&e, GateError::Refused(r) if r.len() == 1 && r[0].what == what), "{e}");
    }
}

#[test]
fn a_broken_executor_fails() {
    let mut session = broken_file(model(), CONTEXT, Fault::WrongTop).unwrap();
    assert!(!hold(&mut session, oracle(), Allowed::NearTie(0.1)).unwrap().passed());
}

/// An independent engine's answers, its tokens included.
#[test]
fn llama_cpp_and_this_program_cut_texts_the_same_way_and_agree_up_to_near_ties() {
    let path = root().join("tests/data/llama-tern-30m/llamacpp_greedy.json");
    let mut t = Transcript::open(&path).unwrap();
    assert_eq!(t.cases.len(), 12);
    assert!(t.header.as_ref().unwrap().engine.as_ref().unwrap().starts_with("llama.cpp 0.4"));
    t.cases.truncate(4);
    let mut session = file_session(model(), GateArm::BASE, 128).unwrap();
    let report = hold(&mut session, &t, Allowed::NearTie(0.1)).unwrap();
    assert!(report.passed() && report.tokens == 4 * 64, "{report}");
    assert!(report.cases.iter().all(|c| c.tokenised == Tokenised::Exact));
    let json = std::fs::read_to_string(&path).unwrap();
    let bad = json.replacen("\"greedy_margin\": [7.36799", "\"greedy_margin\": [1.0, 7.36799", 1);
    assert_ne!(bad, json);
    assert!(Transcript::parse("f", &bad).unwrap_err().to_string().contains("64 tokens and 65 margins"));
}
