//! The lossless gate: equal arms pass, every kind of difference and every empty proof fails.
#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use std::sync::OnceLock;

use common::{Fault, broken_file, built_in, file_session};
use sterna_bundle::Model;
use sterna_probe::gate::Drafts;
use sterna_probe::gate::oracle::{Fault as Errs, Following, Known, Noting, Oracle};
use sterna_probe::gate::{
    Answer, Arm, ArmSpec, FactoryError, GateArm, GateError, LosslessReport, PlainArm, Reading, Speculation,
    lossless,
};
use sterna_run::speculate::{Depth, Speculator};
use sterna_run::{Request, SamplingParams, Session};

const CONTEXT: usize = 96;

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(built_in)
}

fn plain(
    name: &str,
    reading: Reading,
    make: impl Fn() -> Result<Session, common::Error> + 'static,
) -> ArmSpec<'static> {
    let tokenizer = &model().tokenizer;
    let make = Box::new(move || Ok(Box::new(PlainArm::new(make()?, tokenizer, reading)) as Box<dyn Arm>));
    ArmSpec { name: name.into(), wants: Default::default(), make }
}

fn honest(name: &str, reading: Reading, threads: usize) -> ArmSpec<'static> {
    plain(name, reading, move || file_session(model(), GateArm { threads, ..GateArm::BASE }, CONTEXT))
}

fn base() -> ArmSpec<'static> {
    honest("base", Reading::Cold { rows: 1 }, 1)
}

fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for text in ["Once upon a time", "It was a cold morning in 1887, and the train"] {
        for (temperature, seed) in [(0.0, 0), (0.8, 1), (0.8, 2)] {
            for (max, stop) in [(5, vec![]), (24, vec![" the".to_owned()])] {
                all.push(Request {
                    prompt: model().tokenizer.encode(text, true).unwrap(),
                    max_tokens: Some(max),
                    sampling: SamplingParams { temperature, seed, ..SamplingParams::default() },
                    stop,
                    ..Request::default()
                });
            }
        }
    }
    all
}

fn run(arms: &[ArmSpec<'_>]) -> LosslessReport {
    lossless(arms, &requests(), &mut |_| {}).unwrap()
}

#[test]
fn every_way_to_read_gives_the_same_answers() {
    let report = run(&[
        base(),
        honest("chunks of 4", Reading::Cold { rows: 4 }, 1),
        honest("two threads", Reading::Cold { rows: 128 }, 2),
        honest("warm", Reading::Warm, 2),
    ]);
    assert!(report.passed() && !report.speculates(), "{report}");
    assert!(report.arms.iter().all(|a| a.equal == 12 && a.tokens == report.arms[0].tokens));
    assert!(report.finishes["length"] >= 6 && report.finishes["stop"] >= 1, "{report}");
    assert!(report.to_string().contains("no arm speculates"));
}

#[test]
fn a_broken_prefill_is_found() {
    for (fault, name) in [(Fault::WrongTop, "wrong best token"), (Fault::LoseKv(4), "lost key")] {
        let arm = plain(name, Reading::Cold { rows: 4 }, move || broken_file(model(), CONTEXT, fault));
        let report = run(&[base(), arm]);
        assert!(!report.passed(), "{name}\n{report}");
        let first = report.arms[1].first.as_ref().unwrap();
        assert_eq!(first.what, "tokens");
        assert!(report.arms[1].equal < 12 && report.to_string().contains("FAIL"), "{report}");
    }
}

/// Accepting is where speculation can lose text: the gate finds an executor that keeps a wrong row.
#[test]
fn a_broken_accept_is_found() {
    for fault in [None, Some(Fault::Accept)] {
        let known = Known::default();
        let (noted, followed) = (known.clone(), known.clone());
        let first = move || Ok(Box::new(Noting::new((base().make)()?, noted.clone())) as Box<dyn Arm>);
        let first = ArmSpec { name: "base".into(), wants: Default::default(), make: Box::new(first) };
        let drafted = plain("drafted", Reading::Cold { rows: 128 }, move || {
            let mut session = match fault {
                Some(fault) => broken_file(model(), CONTEXT, fault)?,
                None => file_session(model(), GateArm::BASE, CONTEXT)?,
            };
            let vocab = session.executor().plan().vocab as u32;
            let oracle = Oracle::new(known.clone(), Errs::Somewhere, vocab, 4);
            let mut speculator = Speculator::new();
            speculator.add(Box::new(oracle), Depth::Fixed(4), None, 0.0)?;
            session.speculate(Some(speculator));
            Ok(session)
        });
        let told = move || Ok(Box::new(Following::new((drafted.make)()?, followed.clone())) as Box<dyn Arm>);
        let drafted = ArmSpec { name: drafted.name, wants: drafted.wants, make: Box::new(told) };
        let report = run(&[first, drafted]);
        let drafts = report.arms[1].speculation.as_ref().unwrap();
        assert!(drafts.accepted > 10 && drafts.rejected > 10, "{report}");
        assert_eq!(report.passed(), fault.is_none(), "{report}");
        assert_eq!(report.arms[1].equal == 12, fault.is_none(), "{report}");
    }
}

/// A change of an answer.
type Change = fn(&mut Answer);

/// The base's answers with a change, and counts of drafts. Stands for an arm that speculates.
struct Scripted {
    inner: Box<dyn Arm>,
    change: Change,
}

impl Arm for Scripted {
    fn answer(&mut self, request: &Request) -> Result<Answer, FactoryError> {
        let mut answer = self.inner.answer(request)?;
        (self.change)(&mut answer);
        Ok(answer)
    }
}

fn scripted(change: Change) -> ArmSpec<'static> {
    let make = move || {
        let inner = (base().make)()?;
        Ok(Box::new(Scripted { inner, change }) as Box<dyn Arm>)
    };
    ArmSpec { name: "scripted".into(), wants: Default::default(), make: Box::new(make) }
}

#[test]
fn every_part_of_an_answer_is_compared() {
    let changes: [(Change, &str); 6] = [
        (|a| a.state = Some("other".into()), "state"),
        (|a| a.tokens.push(7), "tokens"),
        (|a| a.tokens.truncate(1), "tokens"),
        (|a| a.text.push(' '), "text"),
        (|a| a.finish = "end 2".into(), "finish"),
        (|a| a.prompt_tokens += 1, "usage"),
    ];
    for (change, what) in changes {
        let report = run(&[base(), scripted(change)]);
        assert!(!report.passed(), "{report}");
        assert_eq!(report.arms[1].first.as_ref().unwrap().what, what);
    }
}

/// The one token of these answers is chosen before the lost key could be read: only the state tells.
#[test]
fn a_state_that_no_answer_has_seen_is_found() {
    let one: Vec<Request> = requests().into_iter().map(|r| Request { max_tokens: Some(1), ..r }).collect();
    let n = one[0].prompt.len();
    let arm = plain("lost", Reading::Cold { rows: 128 }, move || {
        broken_file(model(), CONTEXT, Fault::LoseLastKv(n))
    });
    let report = lossless(&[base(), arm], &one, &mut |_| {}).unwrap();
    let first = report.arms[1].first.as_ref().unwrap();
    assert_eq!((first.what, first.request, report.arms[1].equal), ("state", 0, 6), "{report}");
}

#[test]
fn drafts_must_be_accepted_and_rejected() {
    let counts: [(Change, bool, &str); 3] = [
        (|a| a.speculation = Some(Speculation { accepted: 2, rejected: 1 }), true, "with speculation"),
        (|a| a.speculation = Some(Speculation { accepted: 2, rejected: 0 }), false, "no draft was rejected"),
        (|a| a.speculation = Some(Speculation { accepted: 0, rejected: 3 }), false, "no draft was accepted"),
    ];
    for (change, passes, words) in counts {
        let report = run(&[base(), scripted(change)]);
        assert_eq!(report.passed(), passes, "{report}");
        assert!(report.to_string().contains(words), "{report}");
        assert_eq!(report.arms[1].equal, 12);
    }
    let report = run(&[base(), scripted(|a| a.speculation = Some(Speculation { accepted: 2, rejected: 1 }))]);
    assert_eq!(report.arms[1].speculation, Some(Speculation { accepted: 24, rejected: 12 }));
    for (wants, words) in
        [(Drafts::Accepted, "12 drafts were rejected"), (Drafts::Rejected, "24 drafts were accepted")]
    {
        let both = scripted(|a| a.speculation = Some(Speculation { accepted: 2, rejected: 1 }));
        let report = run(&[base(), ArmSpec { wants, ..both }]);
        assert!(!report.passed() && report.to_string().contains(words), "{report}");
    }
}

#[test]
fn nothing_compared_is_no_pass() {
    let few = |arms: &[ArmSpec<'_>], requests: &[Request]| lossless(arms, requests, &mut |_| {}).unwrap_err();
    assert!(matches!(few(&[base()], &requests()), GateError::Options(_)));
    assert!(matches!(few(&[base(), base()], &[]), GateError::Options(_)));
    let nothing = ArmSpec {
        name: "none".into(),
        wants: Default::default(),
        make: Box::new(|| Err("no machine".into())),
    };
    assert_eq!(few(&[base(), nothing], &requests()).to_string(), "none: no machine");
    let mut none = requests();
    none.iter_mut().for_each(|r| r.max_tokens = Some(0));
    assert!(!lossless(&[base(), base()], &none, &mut |_| {}).unwrap().passed(), "no tokens at all");
}
