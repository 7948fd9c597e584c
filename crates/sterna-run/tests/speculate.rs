//! T9 and T12 on a scripted target: whatever ends an answer ends it at the same token with drafts as without, and leaves
//! the same state; a proposer that is wrong, empty, mad or broken costs nothing but time. T11: what turns evaluate again.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sterna_checkpoint::{Tokenizer, TokenizerConfig};
use sterna_plan::{
    BackendError, Executor, Kin, Level, Limits, MemoryUse, ModelPlan, OpTime, Outputs, Plan, PlanError,
    RowTable, Shape, StateSpec, Top2, Wanted, WeightSource, check_hold, nothing_held,
};
use sterna_run::speculate::{Ask, Depth, Draft, ProposeError, Proposer, Speculator};
use sterna_run::{Finish, Generated, Listener, Request, SamplingParams, Session, generate};

const CONTEXT: usize = 200;

fn tokenizer() -> &'static Tokenizer {
    static ONCE: OnceLock<Tokenizer> = OnceLock::new();
    ONCE.get_or_init(read_tokenizer)
}

fn read_tokenizer() -> Tokenizer {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/llama-tern-30m/tokenizer.json");
    let config = TokenizerConfig { eos: vec![2], ..TokenizerConfig::default() };
    Tokenizer::from_json(&std::fs::read(file).unwrap(), config).unwrap()
}

fn hash(text: &[u32], salt: u64) -> u64 {
    let mut h = DefaultHasher::new();
    (text, salt).hash(&mut h);
    h.finish()
}

/// What a call takes that ends at a row that is not finite.
const POISON: Duration = Duration::from_millis(20);

/// A target whose logits are a function of the text: after the beginning of its script the next token stands out.
struct Scripted {
    plan: Arc<ModelPlan>,
    script: Vec<u32>,
    text: Vec<u32>,
    committed: Vec<u32>,
    held: Option<RowTable>,
    /// After this text the logits are not finite.
    poison: Option<Vec<u32>>,
    /// Accepts one row fewer than it is told.
    broken: bool,
    /// Rows evaluated.
    rows: usize,
}

impl Scripted {
    fn new(script: &[u32], vocab: usize) -> Self {
        let entry = |width: usize| Plan {
            name: width.to_string(),
            width,
            buffers: Vec::new(),
            ops: Vec::new(),
            input: None,
            taps: None,
            level: Level::Exact,
        };
        let plan = ModelPlan {
            weights: Vec::new(),
            states: Vec::<StateSpec>::new(),
            entries: [1, 4, 16, 64].into_iter().map(entry).collect(),
            ropes: Vec::new(),
            vocab,
            padded_vocab: vocab,
            context: CONTEXT,
            attention_piece: 64,
        };
        let (script, text) = (script.to_vec(), Vec::new());
        let plan = Arc::new(plan);
        Self { plan, script, text, committed: vec![0], held: None, poison: None, broken: false, rows: 0 }
    }

    fn logits(&self, text: &[u32]) -> Vec<f32> {
        let salt = hash(text, 1);
        let noise = |i: usize| (salt.wrapping_mul(i as u64 | 1) >> 40) as f32 / (1u64 << 24) as f32;
        let mut logits: Vec<f32> = (0..self.plan.vocab).map(noise).collect();
        let next = match self.script.starts_with(text) {
            true => self.script.get(text.len()).copied(),
            false => None,
        };
        let next = next.unwrap_or((hash(text, 2) % self.plan.vocab as u64) as u32);
        logits[next as usize] = 8.0;
        logits
    }

    fn evaluate(&mut self, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        *out = Outputs::default();
        self.rows += rows.len();
        for (i, row) in rows.rows().iter().enumerate() {
            let mut text = self.text.clone();
            text.extend(rows.path(i).iter().map(|r| rows.rows()[*r].token));
            if row.wanted == Wanted::Nothing {
                continue;
            }
            if self.poison.as_ref() == Some(&text) {
                std::thread::sleep(POISON);
                return Err(BackendError::NonFinite { row: i, op: 0, name: "poison".into() });
            }
            let logits = self.logits(&text);
            let better = |a: &usize, b: &usize| logits[*a].total_cmp(&logits[*b]).then(b.cmp(a));
            let best = (0..logits.len()).max_by(better).unwrap();
            let second = (0..logits.len()).filter(|i| *i != best).max_by(better).unwrap();
            out.rows.push(i);
            out.top.push(Top2 { token: best as u32, logit: logits[best], second: logits[second] });
            out.logits.push(if row.wanted == Wanted::Logits { logits } else { Vec::new() });
        }
        Ok(())
    }

    fn check(&mut self, shape: Shape, entry: usize, rows: &RowTable) -> Result<(), BackendError> {
        self.held = None;
        let limits = Limits { vocab: self.plan.vocab, capacity: CONTEXT as u32, committed: &self.committed };
        let entry = self.plan.entries.get(entry).ok_or(PlanError::Options("no entry".into()))?;
        Ok(rows.check(shape, entry, &limits)?)
    }

    fn commit(&mut self, tokens: Vec<u32>) {
        self.text.extend(tokens);
        self.committed[0] = self.text.len() as u32;
    }
}

impl Executor for Scripted {
    fn plan(&self) -> &Arc<ModelPlan> {
        &self.plan
    }
    fn allocate(&mut self, _: usize, _: usize) -> Result<(), BackendError> {
        Ok(())
    }
    fn committed(&self) -> &[u32] {
        &self.committed
    }
    fn capacity(&self) -> usize {
        CONTEXT
    }
    fn execute(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.check(Shape::Chains, entry, rows)?;
        self.evaluate(rows, out)?;
        self.commit(rows.rows().iter().map(|r| r.token).collect());
        Ok(())
    }
    fn hold(&mut self, entry: usize, rows: &RowTable, out: &mut Outputs) -> Result<(), BackendError> {
        self.check(Shape::Trees, entry, rows)?;
        check_hold(rows)?;
        self.evaluate(rows, out)?;
        self.held = Some(rows.clone());
        Ok(())
    }
    fn accept(&mut self, slot: usize, path: &[usize]) -> Result<(), BackendError> {
        let rows = self.held.take().ok_or_else(|| nothing_held(slot))?;
        rows.check_path(slot, path)?;
        let path = &path[..path.len() - usize::from(self.broken && path.len() > 1)];
        self.commit(path.iter().map(|i| rows.rows()[*i].token).collect());
        Ok(())
    }
    fn set_snapshot_budget(&mut self, _: usize) {}
    fn snapshot(&mut self, _: usize) -> Result<(), BackendError> {
        Ok(())
    }
    fn beside(
        &self,
        _: Arc<ModelPlan>,
        _: &dyn WeightSource,
        _: Kin,
        _: &mut dyn FnMut(u64, u64),
    ) -> Result<Box<dyn Executor>, BackendError> {
        Err(BackendError::Worker("a script has no weights".into()))
    }
    fn truncate(&mut self, _: usize, len: u32) -> Result<(), BackendError> {
        self.held = None;
        self.text.truncate(len as usize);
        self.commit(Vec::new());
        Ok(())
    }
    fn state_bytes(&self, _: usize) -> Result<Vec<u8>, BackendError> {
        Ok(self.text.iter().flat_map(|t| t.to_le_bytes()).collect())
    }
    fn memory(&self) -> MemoryUse {
        MemoryUse { scratch: self.rows, ..MemoryUse::default() }
    }
    fn profile(&mut self, _: bool) {}
    fn profile_times(&self) -> Vec<OpTime> {
        Vec::new()
    }
}

/// Proposes from a text it knows, in its own way.
struct Guess {
    known: Vec<u32>,
    way: Way,
    round: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Right,
    Wrong,
    /// Wrong at a place that moves from round to round.
    Moving,
    /// Two tokens and no more.
    Short,
    /// Nothing at all.
    Silent,
    /// Tokens that are none.
    Mad,
    /// An error in the third round.
    Failing,
    /// The right token only as an alternative.
    Beside,
}

const WAYS: [Way; 8] =
    [Way::Right, Way::Wrong, Way::Moving, Way::Short, Way::Silent, Way::Mad, Way::Failing, Way::Beside];

impl Proposer for Guess {
    fn name(&self) -> &'static str {
        "guess"
    }
    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError> {
        self.round += 1;
        let n = ask.text.len();
        if !self.known.starts_with(ask.text) {
            return Ok(());
        }
        let mut next: Vec<u32> = self.known[n..].iter().take(ask.most).copied().collect();
        let k = next.len();
        match self.way {
            Way::Right => {}
            Way::Wrong if k > 0 => next[0] ^= 1,
            Way::Moving if k > 0 && self.round % (k + 1) < k => next[self.round % (k + 1)] ^= 1,
            Way::Wrong | Way::Moving => {}
            Way::Short => next.truncate(2),
            Way::Silent => next.clear(),
            Way::Mad => next.insert(1.min(k), u32::MAX),
            Way::Failing if self.round > 2 => {
                return Err(ProposeError::Options { proposer: "guess", why: "no more".into() });
            }
            Way::Failing => {}
            Way::Beside if k > 0 => {
                draft.alternatives = vec![next[0] ^ 3, next[0]];
                next[0] ^= 1;
            }
            Way::Beside => {}
        }
        draft.tokens = next;
        Ok(())
    }
    fn most(&self) -> usize {
        9
    }
}

/// Stops after some pieces of text.
struct Patience(usize);

impl Listener for Patience {
    fn text(&mut self, _: &str) -> ControlFlow<()> {
        self.0 -= 1;
        if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

struct Case {
    name: &'static str,
    script: Vec<u32>,
    request: Request,
    patience: usize,
    poison: Option<Vec<u32>>,
}

type End = (Result<Generated, String>, Vec<u32>, Vec<u8>);

fn run(case: &Case, broken: bool, speculator: Option<Speculator>) -> End {
    let tokenizer = tokenizer();
    let mut target = Scripted::new(&case.script, tokenizer.vocab_size());
    target.poison.clone_from(&case.poison);
    target.broken = broken;
    let mut session = Session::new(Box::new(target), CONTEXT).unwrap();
    session.speculate(speculator);
    let made = generate(&mut session, tokenizer, &case.request, &mut Patience(case.patience));
    let made = made.map_err(|e| e.to_string());
    (made, session.tokens().to_vec(), session.executor().state_bytes(0).unwrap())
}

fn speculator(known: &[u32], way: Way, depth: Depth) -> Speculator {
    let mut speculator = Speculator::new().with_alternatives(2);
    let guess = Guess { known: known.to_vec(), way, round: 0 };
    speculator.add(Box::new(guess), depth, None, 0.1).unwrap();
    speculator
}

fn cases() -> Vec<Case> {
    let tokenizer = tokenizer();
    let prompt = tokenizer.encode("Once upon a time there was a fox", true).unwrap();
    let answer = tokenizer
        .encode(" who lived in a hollow tree by the river, and the river was wide.\nThe end", true)
        .unwrap();
    let n = prompt.len();
    let whole: Vec<u32> = prompt.iter().chain(&answer).copied().collect();
    let ended: Vec<u32> = whole[..n + 9].iter().copied().chain([2]).collect();
    let request = Request { prompt: prompt.clone(), max_tokens: Some(24), ..Request::default() };
    let case = |name, script: &Vec<u32>, request: Request| Case {
        name,
        script: script.clone(),
        request,
        patience: usize::MAX,
        poison: None,
    };
    let sampling = |seed| SamplingParams { temperature: 2.0, seed, ..SamplingParams::default() };
    vec![
        case("length", &whole, request.clone()),
        case("end token inside a draft", &ended, request.clone()),
        case("end token ignored", &ended, Request { ignore_end: true, ..request.clone() }),
        case("budget of 5", &whole, Request { max_tokens: Some(5), ..request.clone() }),
        case("budget of 1", &whole, Request { max_tokens: Some(1), ..request.clone() }),
        case("budget of 0", &whole, Request { max_tokens: Some(0), ..request.clone() }),
        // " hollow tree" is two tokens or more, "low tr" begins and ends inside of them.
        case("stop across tokens", &whole, Request { stop: vec!["low tr".into()], ..request.clone() }),
        case("no budget", &whole, Request { max_tokens: None, ..request.clone() }),
        case("temperature", &whole, Request { sampling: sampling(1), ..request.clone() }),
        case("temperature, another seed", &whole, Request { sampling: sampling(2), ..request.clone() }),
        case(
            "penalty",
            &whole,
            Request {
                sampling: SamplingParams { repetition_penalty: 1.7, ..SamplingParams::default() },
                ..request.clone()
            },
        ),
        Case { patience: 4, ..case("cancelled", &whole, request.clone()) },
        Case { poison: Some(whole[..n + 7].to_vec()), ..case("poison on the way", &whole, request.clone()) },
        // Plain decoding never comes to the text that a wrong draft makes of it.
        Case {
            poison: Some(whole[..n + 3].iter().copied().chain([whole[n + 3] ^ 1]).collect()),
            ..case("poison in a draft", &whole, request)
        },
    ]
}

fn same(a: &End, b: &End) -> Result<(), String> {
    match (&a.0, &b.0) {
        (Err(a), Err(b)) if a == b => {}
        (Ok(a), Ok(b)) => {
            let of = |g: &Generated| {
                (g.tokens.clone(), g.text.clone(), g.finish.clone(), g.margins.clone(), g.prompt_tokens)
            };
            if of(a) != of(b) {
                return Err(format!("{:?} and {:?}", of(a), of(b)));
            }
        }
        other => return Err(format!("{other:?}")),
    }
    if (&a.1, &a.2) == (&b.1, &b.2) { Ok(()) } else { Err(format!("states {:?} {:?}", a.1, b.1)) }
}

#[test]
fn answers_end_where_they_end_without_drafts() {
    let (mut accepted, mut rejected, mut finishes) = (0, 0, Vec::new());
    for case in cases() {
        let plain = run(&case, false, None);
        if let Ok(made) = &plain.0 {
            assert_eq!(made.drafts.proposed, 0);
            finishes.push(made.finish.name());
        }
        // What a drafter knows is what the target will say, also where it draws.
        let known: Vec<u32> = match &plain.0 {
            Ok(made) => case.request.prompt.iter().chain(&made.tokens).chain(&[2, 7, 7]).copied().collect(),
            Err(_) => case.script.clone(),
        };
        for way in WAYS {
            for depth in [1, 2, 3, 5, 9].map(Depth::Fixed).into_iter().chain([Depth::Auto]) {
                let end = run(&case, false, Some(speculator(&known, way, depth)));
                same(&plain, &end).unwrap_or_else(|e| panic!("{} {way:?} {depth:?}: {e}", case.name));
                if let Ok(made) = &end.0 {
                    accepted += made.drafts.accepted;
                    rejected += made.drafts.proposed - made.drafts.accepted;
                    let all = made.drafts.accepted == made.drafts.proposed;
                    assert!(way != Way::Right || all || case.name != "length", "{depth:?}");
                }
            }
        }
    }
    println!("{accepted} drafts accepted, {rejected} rejected");
    assert!(accepted > 500 && rejected > 500, "{accepted} {rejected}");
    for finish in ["length", "end", "stop", "context", "cancelled"] {
        assert!(finishes.contains(&finish), "no answer ended by {finish}: {finishes:?}");
    }
}

#[test]
fn a_broken_accept_is_noticed() {
    let case = &cases()[0];
    let plain = run(case, false, None);
    let end = run(case, true, Some(speculator(&case.script, Way::Right, Depth::Fixed(4))));
    assert!(same(&plain, &end).is_err());
}

#[test]
fn drafts_save_calls_and_a_failing_proposer_is_let_go() {
    let case = &cases()[0];
    let known = run(case, false, None).1;
    let made = |way| {
        let tokenizer = tokenizer();
        let target = Scripted::new(&case.script, tokenizer.vocab_size());
        let mut session = Session::new(Box::new(target), CONTEXT).unwrap();
        session.speculate(Some(speculator(&known, way, Depth::Fixed(5))));
        let made = generate(&mut session, tokenizer, &case.request, &mut sterna_run::Silent).unwrap();
        (made.drafts, session.speculator().unwrap().totals().remove(0))
    };
    let n = case.request.max_tokens.unwrap();
    let (right, totals) = made(Way::Right);
    assert!(right.rounds <= n / 6 + 1 && right.accepted == right.proposed, "{right:?}");
    assert_eq!((totals.accepted(), totals.rounds), (right.accepted as u64, right.rounds as u64));
    let (wrong, totals) = made(Way::Wrong);
    assert_eq!((wrong.accepted, totals.accepted(), wrong.rounds), (0, 0, n - 1));
    let (_, totals) = made(Way::Failing);
    assert_eq!(totals.failure.as_deref(), Some("guess: no more"));
    assert_eq!(totals.rounds, 2);
    let (beside, totals) = made(Way::Beside);
    assert!(beside.accepted > n / 3 && totals.accepted() == 0, "alternatives count, {beside:?}");
    assert!(matches!(run(case, false, None).0.unwrap().finish, Finish::Length));
}

/// A draft that fails its verify costs what that took, and is counted by everybody who counts.
#[test]
fn a_verify_in_vain_is_charged_to_who_proposed() {
    let all = cases();
    let case = all.iter().find(|c| c.name == "poison in a draft").unwrap();
    let known = run(case, false, None).1;
    let tokenizer = tokenizer();
    let mut target = Scripted::new(&case.script, tokenizer.vocab_size());
    target.poison.clone_from(&case.poison);
    let mut session = Session::new(Box::new(target), CONTEXT).unwrap();
    session.speculate(Some(speculator(&known, Way::Wrong, Depth::Fixed(3))));
    let made = generate(&mut session, tokenizer, &case.request, &mut sterna_run::Silent).unwrap();
    let totals = session.speculator().unwrap().totals().remove(0);
    assert!(totals.verify >= POISON, "{:?}", totals.verify);
    assert_eq!(made.drafts.proposed as u64, totals.proposed());
}
