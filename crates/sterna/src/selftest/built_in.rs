//! The built-in model: its golden tokens, prompts cut in many ways, and answers with drafts and without.

use sterna_checkpoint::Tokenizer;
use sterna_probe::gate::oracle::{Fault as Error, Following, Known, Noting, Oracle};
use sterna_probe::gate::{
    self, Arm, ArmSpec, Drafts, FactoryError, GateError, GateOptions, Golden, GoldenBounds, PlainArm, Reading,
};
use sterna_probe::tokens;
use sterna_run::speculate::{Depth, Speculator};
use sterna_run::{Request, SamplingParams, Session};

use super::report::Fault;
use super::{Effort, Law};

/// What `ref-law` answers, with how sure it was (`tests/data/README.md` says how it was made).
const GOLDEN: &[u8] = include_bytes!("golden.json");

/// A device that rounds in its own way may take the other of two tokens whose logits are that close.
const NEAR_TIE: f32 = 0.06;

/// Who proposes tokens to a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Proposer {
    /// Nobody.
    Nobody,
    /// What followed when the text last went like this.
    Ngram,
}

/// Makes sessions on the built-in model.
pub(super) type Make<'a> = &'a dyn Fn(Proposer) -> Result<Session, FactoryError>;

impl From<GateError> for Fault {
    fn from(e: GateError) -> Self {
        Fault::Wrong(e.to_string())
    }
}

fn made(make: Make<'_>, proposer: Proposer) -> Result<Session, Fault> {
    make(proposer).map_err(|e| Fault::Wrong(e.to_string()))
}

/// The golden tokens: fed by force and made freely.
pub(super) fn golden(make: Make<'_>, law: Law, effort: Effort) -> Result<String, Fault> {
    let mut golden = Golden::from_llamacpp_json("the golden tokens", GOLDEN)?;
    if effort == Effort::Quick {
        golden.prompts.truncate(1);
        golden.prompts.iter_mut().for_each(|p| p.greedy.truncate(8));
    }
    let near_tie = if law == Law::Bits { 0.0 } else { NEAR_TIE };
    let report =
        gate::golden(&mut made(make, Proposer::Nobody)?, &golden, GoldenBounds { max_abs: 0.0, near_tie })?;
    let (mut same, mut all) = (0, 0);
    for p in &report.prompts {
        same += p.prompt.equal + p.forced.equal + p.greedy.0;
        all += p.prompt.of + p.forced.of + p.greedy.1;
    }
    let seen = format!("{same} of {all} tokens of {} prompts", report.prompts.len());
    if report.passed() && all > 0 { Ok(seen) } else { Err(Fault::Wrong(format!("{seen}\n{report}"))) }
}

/// One row a call against calls of many rows, warm prefixes, and prefill and decode in turn.
pub(super) fn walks(make: Make<'_>, vocab: usize, effort: Effort) -> Result<String, Fault> {
    let options = GateOptions {
        threads: vec![1],
        chunks: effort.pick(vec![7], vec![2, 7, 16, 33, 64, 128]),
        random: effort.pick(0, 2),
        warm: effort.pick(vec![], vec![4]),
        alternations: effort.pick(1, 100),
        unfused: false,
        portable: false,
        seed: 1,
    };
    let ids = tokens::seeded(1, effort.pick(10, 200), vocab);
    let report = gate::memcmp(&|_| make(Proposer::Nobody), &ids, &options, &mut |_, _| {})?;
    let rows: usize = report.arms.iter().map(|a| a.rows - a.rows_differing).sum();
    let all: usize = report.arms.iter().map(|a| a.rows).sum();
    let seen =
        format!("{rows} of {all} rows equal bit for bit in {} walks, and the state", report.arms.len());
    if report.passed() { Ok(seen) } else { Err(Fault::Wrong(format!("{seen}\n{report}"))) }
}

/// What makes an arm.
type MakeArm<'a> = Box<dyn Fn() -> Result<Box<dyn Arm + 'a>, FactoryError> + 'a>;

fn arm<'a>(name: &str, wants: Drafts, make: MakeArm<'a>) -> ArmSpec<'a> {
    ArmSpec { name: name.into(), wants, make }
}

/// The same answers with drafts of every kind as without.
pub(super) fn speculation(make: Make<'_>, tokenizer: &Tokenizer, effort: Effort) -> Result<String, Fault> {
    let vocab = made(make, Proposer::Nobody)?.executor().plan().vocab as u32;
    let mut requests = Vec::new();
    for text in effort.pick(&["Once upon a time"][..], &["Once upon a time", "cat dog cat dog cat"]) {
        let prompt = tokenizer.encode(text, true).map_err(|e| Fault::Wrong(e.to_string()))?;
        for temperature in effort.pick(&[0.8][..], &[0.0, 0.8]) {
            let sampling = SamplingParams { temperature: *temperature, seed: 1, ..SamplingParams::default() };
            let max_tokens = Some(effort.pick(5, 48));
            requests.push(Request {
                prompt: prompt.clone(),
                max_tokens,
                sampling,
                stop: vec![],
                ignore_end: true,
            });
        }
    }
    let known = Known::default();
    let plain = |proposer, reading| {
        Ok(Box::new(PlainArm::new(make(proposer)?, tokenizer, reading)) as Box<dyn Arm + '_>)
    };
    let (plain, known) = (&plain, &known);
    let oracle = move |error: Error, most: usize| {
        let mut session = make(Proposer::Nobody)?;
        let mut speculator = Speculator::new();
        let oracle = Oracle::new(known.clone(), error, vocab, most);
        speculator.add(Box::new(oracle), Depth::Fixed(most), None, 0.0)?;
        session.speculate(Some(speculator));
        let arm = Box::new(PlainArm::new(session, tokenizer, Reading::Cold { rows: 128 }));
        Ok(Box::new(Following::new(arm, known.clone())) as Box<dyn Arm + '_>)
    };
    let cold = Reading::Cold { rows: 1 };
    let base =
        move || Ok(Box::new(Noting::new(plain(Proposer::Nobody, cold)?, known.clone())) as Box<dyn Arm + '_>);
    let mut arms = vec![
        arm("one row a call", Drafts::Any, Box::new(base)),
        arm("drafts that err", Drafts::Both, Box::new(move || oracle(Error::Somewhere, 4))),
        arm("right drafts", Drafts::Accepted, Box::new(move || oracle(Error::Never, 8))),
    ];
    if effort == Effort::Full {
        let warm = move || plain(Proposer::Nobody, Reading::Warm);
        arms.push(arm("warm state", Drafts::Any, Box::new(warm)));
        arms.push(arm("wrong drafts", Drafts::Rejected, Box::new(move || oracle(Error::Always, 3))));
        let ngram = move || plain(Proposer::Ngram, Reading::Cold { rows: 128 });
        arms.push(arm("look-up", Drafts::Any, Box::new(ngram)));
    }
    let report = gate::lossless(&arms, &requests, &mut |_| {})?;
    let drafts: u64 = report.arms.iter().filter_map(|a| a.speculation).map(|s| s.accepted + s.rejected).sum();
    let seen = format!(
        "{} answers the same in {} ways, {drafts} drafts verified",
        report.requests,
        report.arms.len()
    );
    if report.passed() { Ok(seen) } else { Err(Fault::Wrong(report.to_string())) }
}
