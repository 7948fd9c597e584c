//! EAGLE-3 heads as proposers: the oracle's head drafts what its golden says; a head that repeats the last token is
//! accepted where a text repeats itself and rejected elsewhere; answers and states are those without a head.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use sterna_bundle::{EagleHead, Model, TapIds, default_numerics};
use sterna_checkpoint::SafetensorsFile;
use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_plan::{
    Backend, Kin, ModelPlan, Outputs, PlanOptions, RowTable, Taps, Wanted, build, build_eagle,
    build_eagle_fusion,
};
use sterna_ref::RefBackend;
use sterna_run::speculate::{
    Ask, Depth, Draft, HeadModel, ProposeError, Proposer, ProposerTotals, Speculator,
};
use sterna_run::{Request, SamplingParams, Session, Silent, generate};

const CONTEXT: usize = 200;

fn oracle(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle").join(name)
}

fn ids(folder: &str, name: &str) -> Vec<u32> {
    let file = SafetensorsFile::open(&oracle(folder).join("golden.safetensors")).unwrap();
    let bytes = file.tensor(name).unwrap().data.to_vec();
    bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b) as u32).collect()
}

fn cpu() -> CpuBackend {
    CpuBackend::new(CpuOptions { threads: 2, isa: Isa::detect(), governor: false })
}

/// A session of a target and, if a head is given, what drafts for it.
struct Pair {
    model: Model,
    head: Option<EagleHead>,
}

impl Pair {
    fn new(head: Option<&Path>) -> Self {
        let model = Model::open(&oracle("f_qwen3")).unwrap();
        let head = head.map(|path| EagleHead::open(path, &model.config, TapIds::Inputs).unwrap());
        Self { model, head }
    }

    fn session(&self, backend: &dyn Backend) -> Session {
        let taps = self.head.as_ref().map_or(Taps::None, |h| Taps::Layers(h.config.taps.clone()));
        let numerics = |_: &str, e, cols| default_numerics(e, cols);
        let options = PlanOptions { taps, ..PlanOptions::new(CONTEXT) };
        let plan = build(&self.model.config, &self.model, &numerics, &options).unwrap();
        let executor = backend.load(Arc::new(plan), &self.model, &mut |_, _| {}).unwrap();
        Session::new(executor, CONTEXT).unwrap()
    }

    /// The head beside a session, as a proposer.
    fn proposer(&self, session: &Session, alternatives: usize) -> HeadModel {
        let head = self.head.as_ref().unwrap();
        let source = head.with_target(&self.model);
        let numerics = |_: &str, e, cols| default_numerics(e, cols);
        let load = |plan: ModelPlan, capacity: usize| {
            let beside = session.executor().beside(Arc::new(plan), &source, Kin::SameModel, &mut |_, _| {});
            let mut executor = beside.unwrap();
            executor.allocate(1, capacity).unwrap();
            executor
        };
        let options = PlanOptions::new(CONTEXT);
        let layer = load(build_eagle(&head.config, &source, &numerics, &options).unwrap(), CONTEXT);
        // Less room than the widest call: states are fused in several.
        let fusion = load(build_eagle_fusion(&head.config, &source, &numerics, &options).unwrap(), 50);
        let proposer = HeadModel::new("eagle3", layer, 8).with_fusion(fusion).with_alternatives(alternatives);
        match head.target_ids() {
            Some(ids) => proposer.with_target_ids(ids),
            None => proposer,
        }
    }
}

fn propose(head: &mut HeadModel, text: &[u32], most: usize, sampling: &SamplingParams) -> Draft {
    let mut draft = Draft::default();
    head.propose(&Ask { text, most, reads: usize::MAX, sampling }, &mut draft).unwrap();
    draft
}

/// The prompt's hidden states, read by the head in pieces, lead to the tokens of the golden; also after a cut.
#[test]
fn the_head_drafts_what_its_golden_says() {
    let pair = Pair::new(Some(&oracle("f_qwen3_eagle3")));
    let mut text = ids("f_qwen3", "input_ids");
    let drafts = ids("f_qwen3_eagle3", "draft_ids");
    for backend in [&RefBackend::float() as &dyn Backend, &cpu()] {
        let mut session = pair.session(backend);
        let (width, mut taps) = (session.executor().plan().tap_width(), Vec::new());
        session
            .feed(&text[..96], 96, Wanted::Argmax, &mut |_| {}, &mut |_, out, row| {
                taps.extend_from_slice(&out.taps[row * width..(row + 1) * width]);
            })
            .unwrap();
        text.truncate(96);
        text.push(ids("f_qwen3", "greedy_ids")[0]);
        let mut head = pair.proposer(&session, 3);
        for (first, piece) in [(0, 40), (40, 41), (81, 15)] {
            head.absorb(&text[..first + piece], first, &taps[first * width..(first + piece) * width])
                .unwrap();
        }
        let greedy = SamplingParams::default();
        let draft = propose(&mut head, &text, drafts.len(), &greedy);
        assert_eq!(draft.tokens, drafts, "{}", backend.name());
        let kept = pair.head.as_ref().unwrap().target_ids().unwrap();
        let others = &draft.alternatives;
        assert!(others.len() == 3 && !others.contains(&drafts[0]) && others.iter().all(|t| kept.contains(t)));
        // All logits and the best token alone say the same.
        let mut alone = pair.proposer(&session, 0);
        alone.absorb(&text[..96], 0, &taps).unwrap();
        assert_eq!(propose(&mut alone, &text, drafts.len(), &greedy).tokens, drafts);
        // Drawn tokens are the head's too.
        let drawn = SamplingParams { temperature: 5.0, seed: 3, ..SamplingParams::default() };
        let drawn = propose(&mut pair_again(&pair, &session, &text, &taps), &text, 8, &drawn).tokens;
        assert!(drawn.len() == 8 && drawn[..4] != drafts[..] && drawn.iter().all(|t| kept.contains(t)));
        head.cut(60).unwrap();
        head.absorb(&text, 60, &taps[60 * width..]).unwrap();
        assert_eq!(propose(&mut head, &text, drafts.len(), &greedy).tokens.len(), drafts.len());
        // Hidden states of another plan.
        let error = head.absorb(&text, 96, &taps[..width - 1]).unwrap_err();
        assert!(matches!(error, ProposeError::Options { proposer: "eagle3", .. }), "{error}");
    }
}

fn pair_again(pair: &Pair, session: &Session, text: &[u32], taps: &[f32]) -> HeadModel {
    let mut head = pair.proposer(session, 0);
    head.absorb(&text[..96], 0, taps).unwrap();
    head
}

/// Writes a head that hands on the target's last hidden state and reads it with the target's own head, every second token
/// of it: it names the token that the target has just named, if that one is even.
fn write_parrot(dir: &Path) {
    let target = SafetensorsFile::open(&oracle("f_qwen3").join("model.safetensors")).unwrap();
    let taken = |name: &str| target.tensor(name).unwrap().data.to_vec();
    let bf16 = |x: f32| [x.to_bits().to_le_bytes()[2], x.to_bits().to_le_bytes()[3]];
    let fill = |rows: usize, cols: usize, at: &dyn Fn(usize, usize) -> f32| -> Vec<u8> {
        (0..rows * cols).flat_map(|i| bf16(at(i / cols, i % cols))).collect()
    };
    let noise = |i: usize, j: usize| ((i * 37 + j * 101) % 17) as f32 / 64.0 - 0.125;
    let none = |_: usize, _: usize| 0.0;
    let even: Vec<u8> =
        taken("lm_head.weight").chunks(2 * 128 * 2).flat_map(|two| two[..256].to_vec()).collect();
    let offsets: Vec<u8> = (0..256i64).flat_map(i64::to_le_bytes).collect();
    let norm = || fill(1, 128, &|_, j| 1.0 + noise(0, j));
    let tensors: Vec<(&str, &str, Vec<usize>, Vec<u8>)> = vec![
        ("fc.weight", "BF16", vec![128, 384], fill(128, 384, &|i, j| f32::from(u8::from(j == 256 + i)))),
        ("layers.0.input_layernorm.weight", "BF16", vec![128], norm()),
        ("layers.0.hidden_norm.weight", "BF16", vec![128], norm()),
        ("layers.0.post_attention_layernorm.weight", "BF16", vec![128], norm()),
        ("layers.0.self_attn.q_proj.weight", "BF16", vec![64, 256], fill(64, 256, &noise)),
        ("layers.0.self_attn.k_proj.weight", "BF16", vec![32, 256], fill(32, 256, &noise)),
        ("layers.0.self_attn.v_proj.weight", "BF16", vec![32, 256], fill(32, 256, &noise)),
        ("layers.0.self_attn.o_proj.weight", "BF16", vec![128, 64], fill(128, 64, &none)),
        ("layers.0.mlp.gate_proj.weight", "BF16", vec![64, 128], fill(64, 128, &noise)),
        ("layers.0.mlp.up_proj.weight", "BF16", vec![64, 128], fill(64, 128, &noise)),
        ("layers.0.mlp.down_proj.weight", "BF16", vec![128, 64], fill(128, 64, &none)),
        ("norm.weight", "BF16", vec![128], taken("model.norm.weight")),
        ("lm_head.weight", "BF16", vec![256, 128], even),
        ("d2t", "I64", vec![256], offsets),
    ];
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, dtype, shape, bytes) in tensors {
        let place = [data.len(), data.len() + bytes.len()];
        header.insert(name.into(), json!({"dtype": dtype, "shape": shape, "data_offsets": place}));
        data.extend(bytes);
    }
    let header = serde_json::Value::Object(header).to_string();
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    let config = json!({
        "architectures": ["Eagle3DraftModel"],
        "draft_vocab_size": 256,
        "norm_before_residual": false,
        "eagle_aux_hidden_state_layer_ids": [0, 2, 4],
        "transformer_layer_config": {
            "hidden_size": 128, "intermediate_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1,
            "head_dim": 32, "vocab_size": 512, "rms_norm_eps": 1e-6, "rope_theta": 1e6
        }
    });
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir).unwrap();
    std::fs::write(dir.join("config.json"), config.to_string()).unwrap();
    std::fs::write(dir.join("model.safetensors"), file).unwrap();
}

type End = (Vec<u32>, Vec<u8>);

fn answer(pair: &Pair, request: &Request, depth: Option<(usize, usize)>) -> (End, Option<ProposerTotals>) {
    let mut session = pair.session(&cpu());
    if let Some((tokens, alternatives)) = depth {
        let head = pair.proposer(&session, alternatives);
        let mut speculator = Speculator::new().with_alternatives(alternatives);
        speculator.add(Box::new(head), Depth::Fixed(tokens), None, 0.1).unwrap();
        session.speculate(Some(speculator));
    }
    let made = generate(&mut session, &pair.model.tokenizer, request, &mut Silent).unwrap();
    let state = session.executor().state_bytes(0).unwrap();
    let totals = session.speculator().map(|s| s.totals().remove(0));
    ((made.tokens, state), totals)
}

/// Greedy and drawn answers, chains and trees: the same tokens and the same state. The parrot's drafts are all the anchor
/// again, so it is right exactly where the answer repeats itself.
#[test]
fn answers_are_the_same_with_a_head() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("eagle_parrot");
    write_parrot(&dir);
    let (mut accepted, mut rejected) = (0, 0);
    for (folder, parrot) in [(dir, true), (oracle("f_qwen3_eagle3"), false)] {
        let (plain, pair) = (Pair::new(None), Pair::new(Some(&folder)));
        for (temperature, seed) in [(0.0, 0), (0.5, 1), (1.0, 2)] {
            let request = Request {
                prompt: ids("f_qwen3", "input_ids"),
                max_tokens: Some(60),
                ignore_end: true,
                sampling: SamplingParams { temperature, seed, ..SamplingParams::default() },
                ..Request::default()
            };
            let (want, _) = answer(&plain, &request, None);
            for depth in [(1, 0), (3, 0), (8, 0), (4, 2)] {
                let (got, totals) = answer(&pair, &request, Some(depth));
                assert!(got == want, "{folder:?} {temperature} {depth:?}");
                let totals = totals.unwrap();
                assert_eq!(totals.failure, None);
                assert!(totals.rounds > 0);
                let (right, all) = (totals.accepted(), totals.proposed());
                println!("parrot {parrot}, temperature {temperature}, {depth:?}: {right} of {all} accepted");
                if parrot && temperature == 0.0 {
                    accepted += right;
                    rejected += all - right;
                }
            }
        }
    }
    assert!(accepted > 40 && rejected > 20, "{accepted} {rejected}");
}

/// Without a residual branch the head's result is the target's own, row by row.
#[test]
fn a_parrot_repeats_the_anchor() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("eagle_parrot_alone");
    write_parrot(&dir);
    let pair = Pair::new(Some(&dir));
    let mut session = pair.session(&cpu());
    let width = session.executor().plan().tap_width();
    let mut head = pair.proposer(&session, 0);
    let mut text = ids("f_qwen3", "input_ids");
    let (mut rows, mut out) = (RowTable::new(), Outputs::default());
    let mut drafted = 0;
    let n = text.len();
    rows.push_chain(0, 0, &text, 1, Wanted::Argmax);
    for _ in 0..30 {
        let executor = session.executor_mut();
        executor.execute(executor.plan().entry_for(rows.len()).unwrap(), &rows, &mut out).unwrap();
        let first = text.len() - rows.len();
        assert_eq!(out.taps.len(), rows.len() * width);
        text.push(out.top[0].token);
        head.absorb(&text, first, &out.taps).unwrap();
        let anchor = text[text.len() - 1];
        let draft = propose(&mut head, &text, 5, &SamplingParams::default()).tokens;
        assert_eq!(draft.len(), 5);
        if anchor.is_multiple_of(2) {
            assert_eq!(draft, [anchor; 5]);
            drafted += 1;
        }
        rows.clear();
        rows.push_chain(0, (text.len() - 1) as u32, &text[text.len() - 1..], 1, Wanted::Argmax);
    }
    assert_eq!(text[n..], ids("f_qwen3", "greedy_ids")[..30]);
    assert!(drafted > 10, "{drafted}");
}
