//! Gemma 4's drafter in few bits and in its target's bundle: the bits of the law, the same answers, and how many drafts are
//! accepted.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sterna::engine::{Engine, EngineOptions, Linears, open_model};
use sterna::speculate::{Mode, SpeculateError, SpeculateOptions, proposers};
use sterna_bundle::{AssistantHead, Model, PackOptions, TernaryPolicy, WeightSource, default_numerics, pack};
use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::Encoding;
use sterna_plan::{
    Backend, Executor, Kin, Outputs, Parent, PlanOptions, Row, RowTable, Wanted, build, build_assistant,
};
use sterna_ref::RefBackend;
use sterna_run::{Request, SamplingParams, Silent, generate};

fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn trained() -> (PathBuf, PathBuf) {
    (repository("models/llama-tern-gemma"), repository("models/llama-tern-gemma-assistant"))
}

/// Logits and states of some rows at places before and after the turn of the ring, by their bits.
fn drafts(model: &Model, head: &AssistantHead, backend: &dyn Backend) -> Vec<u32> {
    const CONTEXT: usize = 140;
    let numerics = |name: &str, e, cols| model.numerics.linear(name, e, cols);
    let plan = build(&model.config, model, &numerics, &PlanOptions::new(CONTEXT)).unwrap();
    let mut target = backend.load(Arc::new(plan), model, &mut |_, _| {}).unwrap();
    target.allocate(1, CONTEXT).unwrap();
    let source = head.with_target(model);
    let numerics = |_: &str, e, cols| default_numerics(e, cols);
    let options = PlanOptions { widths: vec![1, 4], ..PlanOptions::new(CONTEXT) };
    let plan = build_assistant(&head.config, &source, &numerics, &options).unwrap();
    let mut drafter = target.beside(Arc::new(plan), &source, Kin::SameModel, &mut |_, _| {}).unwrap();
    let (mut rows, mut out, mut got) = (RowTable::new(), Outputs::default(), Vec::new());
    for n in [1u32, 16, 17, 65, 130] {
        let held = target.committed()[0];
        let tokens: Vec<u32> = (held..n).map(|i| (i * i * 7 + 5) % 512).collect();
        for part in tokens.chunks(64) {
            rows.clear();
            rows.push_chain(0, target.committed()[0], part, 1, Wanted::Argmax);
            target.execute(target.plan().entry_for(part.len()).unwrap(), &rows, &mut out).unwrap();
        }
        let state: Vec<f32> = (0..4 * 128).map(|i| ((i * 37 + n) % 101) as f32 / 50.0 - 1.0).collect();
        let row = |token| Row {
            token,
            sequence: 0,
            position: n,
            parent: Parent::Committed,
            kv_slot: n,
            wanted: Wanted::Logits,
        };
        let mut call = |drafter: &mut dyn Executor, entry, tokens: &[u32], state: &[f32]| {
            rows.clear();
            tokens.iter().for_each(|t| rows.push(row(*t)));
            rows.set_inputs(state);
            drafter.execute(entry, &rows, &mut out).unwrap();
            (out.logits.concat(), out.taps.clone())
        };
        let all = call(&mut *drafter, 1, &[100, 101, 102, 103], &state);
        let each: Vec<_> =
            (0..4).map(|i| call(&mut *drafter, 0, &[100 + i], &state[i as usize * 128..][..128])).collect();
        let (logits, taps): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        assert!(all == (logits.concat(), taps.concat()), "{} {n}: four rows", backend.name());
        got.extend(all.0.iter().chain(&all.1).map(|v| v.to_bits()));
    }
    got
}

#[test]
fn few_bits_have_the_bits_of_the_law() {
    let model = Model::open(&repository("tests/data/oracle/d_gemma4")).unwrap();
    let folder = repository("tests/data/oracle/d_gemma4_assistant");
    let open = || AssistantHead::open(&folder, &model.config).unwrap();
    let floats = drafts(&model, &open(), &RefBackend::law());
    for encoding in [Encoding::Q8_0, Encoding::Q4_0] {
        let mut head = open();
        head.quantise(encoding).unwrap();
        let of = |name: &str| head.weight(name).unwrap().encoding;
        assert_eq!((of("assistant.layers.0.q"), of("assistant.post")), (encoding, encoding));
        assert_eq!((of("assistant.head"), of("assistant.centroids")), (Encoding::Q8_0, Encoding::BF16));
        let want = drafts(&model, &head, &RefBackend::law());
        assert!(want != floats, "{encoding} changes something");
        for isa in Isa::here() {
            let backend = CpuBackend::new(CpuOptions { threads: 2, isa, governor: false });
            assert!(drafts(&model, &head, &backend) == want, "{encoding} {isa:?}");
        }
    }
    assert!(open().quantise(Encoding::Q6K).is_err());
}

fn options(mode: Mode, draft: Option<PathBuf>, draft_linears: Option<Linears>) -> EngineOptions {
    let speculate =
        SpeculateOptions { mode, draft, draft_linears, tokens: Some(2), ..SpeculateOptions::default() };
    EngineOptions { speculate, threads: 2, governor: false, ..EngineOptions::default() }
}

/// Answers to four prompts, greedy and drawn; with how many drafts were accepted and proposed.
fn answers(model: &Path, options: &EngineOptions) -> (Vec<Vec<u32>>, u64, u64) {
    let engine = Engine::open(Some(model), options).unwrap();
    let mut session = engine.session(&mut |_, _| {}).unwrap();
    engine.speculate(&mut session, None, &mut |_, _| {}).unwrap();
    let mut made = Vec::new();
    for text in ["Once upon a time", "The old lighthouse keeper", "\"Wait!\" she said.", "First, take the"] {
        for temperature in [0.0, 0.8] {
            let sampling = SamplingParams { temperature, seed: 7, ..SamplingParams::default() };
            let prompt = engine.model.tokenizer.encode(text, true).unwrap();
            let request =
                Request { prompt, max_tokens: Some(48), ignore_end: true, sampling, ..Request::default() };
            made.push(generate(&mut session, &engine.model.tokenizer, &request, &mut Silent).unwrap().tokens);
        }
    }
    let totals = session.speculator().map(|s| s.totals()).unwrap_or_default();
    assert!(totals.iter().all(|t| t.failure.is_none()), "{totals:?}");
    (made, totals.iter().map(|t| t.accepted()).sum(), totals.iter().map(|t| t.proposed()).sum())
}

fn bundle(model: &Model, drafter: Option<&AssistantHead>, name: &str) -> PathBuf {
    let dest = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (ternary, keep, progress) = (TernaryPolicy::Exact, Vec::new(), &mut |_, _| {});
    let (head, embedding, untie) = (None, None, false);
    let options = PackOptions { ternary, keep, head, embedding, untie, drafter, progress };
    pack(model, &dest, options).unwrap();
    dest
}

/// A drafter of floats and one in few bits, in a folder and in the target's bundle: the answers are those without one, and as
/// many drafts are accepted from the bundle as from the folder.
#[test]
fn a_bundle_carries_its_drafter() {
    let (target, folder) = trained();
    let model = open_model(Some(&target)).unwrap();
    let (want, accepted, proposed) = answers(&target, &options(Mode::Off, None, None));
    assert_eq!((accepted, proposed), (0, 0));
    for linears in [None, Some(Linears::Q8_0), Some(Linears::Q4_0)] {
        let outside = answers(&target, &options(Mode::Draft, Some(folder.clone()), linears));
        println!("{linears:?}: {} of {} accepted", outside.1, outside.2);
        assert!(outside.0 == want, "{linears:?}");
        assert!(outside.1 > 80 && outside.2 > outside.1 + 40, "{linears:?}: {} of {}", outside.1, outside.2);
        let mut head = AssistantHead::open(&folder, &model.config).unwrap();
        if let Some(linears) = linears {
            head.quantise(linears.quantise().linears).unwrap();
        }
        let path = bundle(&model, Some(&head), &format!("drafter_{linears:?}.sterna"));
        let opened = Model::open(&path).unwrap();
        opened.verify().unwrap();
        assert_eq!(opened.drafter(), Some(&head.config));
        assert!(opened.weights().all(|w| !w.name.starts_with("assistant.")));
        for name in
            ["assistant.layers.0.q", "assistant.head", "assistant.norm", "assistant.layers.1.layer_scalar"]
        {
            let (ours, theirs) = (opened.weight(name).unwrap(), head.weight(name).unwrap());
            assert_eq!((ours.encoding, ours.rows), (theirs.encoding, theirs.rows), "{name}");
            assert!((0..ours.rows).all(|i| ours.row(i).unwrap() == theirs.row(i).unwrap()), "{name}");
        }
        assert!(answers(&path, &options(Mode::Draft, None, None)) == outside, "{linears:?}, from the bundle");
        // Packed again it is kept; a folder that is given goes before it.
        let again = bundle(&opened, None, &format!("drafter_again_{linears:?}.sterna"));
        assert!(std::fs::read(&again).unwrap().len() == std::fs::read(&path).unwrap().len());
        let again = Model::open(&again).unwrap();
        assert_eq!(again.drafter(), Some(&head.config));
        again.verify().unwrap();
        assert!(answers(&path, &options(Mode::Off, None, None)) == (want.clone(), 0, 0));
    }
    // Without a drafter in it, it must be given.
    let plain = bundle(&model, None, "drafter_none.sterna");
    let options = options(Mode::Draft, None, None);
    let engine = Engine::open(Some(&plain), &options).unwrap();
    let session = engine.session(&mut |_, _| {}).unwrap();
    let refused = proposers(&engine, &session, &options.speculate, &mut |_, _| {}).err().unwrap();
    assert!(matches!(refused, SpeculateError::NoDraft), "{refused}");
}

#[test]
fn a_flag_for_nobody_is_refused() {
    let alone = SpeculateOptions { draft_linears: Some(Linears::Q8_0), ..SpeculateOptions::default() };
    assert!(matches!(alone.check(), Err(SpeculateError::Ignored { flag: "--draft-linears" })));
}
