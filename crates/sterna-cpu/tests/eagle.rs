//! EAGLE-3 heads on the CPU: the law's bits at every width, alone or beside the target, whatever the head shares with it.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::sync::Arc;

use sterna_bundle::EagleConfig;
use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::{Encoding, ScaleGroup};
use sterna_plan::{
    Backend, Executor, Fusions, Kin, ModelPlan, Outputs, PlanError, PlanOptions, RowTable, Taps, Wanted,
    build_eagle, build_eagle_fusion,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{
    Encodings, Random, TestModel, config, eagle_config, narrow_config, narrow_hybrid_config, numerics, plan,
};

const CAPACITY: usize = 256;
const ROWS: usize = 70;

fn cpu(threads: usize, isa: Isa) -> CpuBackend {
    CpuBackend::new(CpuOptions { threads, isa, governor: false })
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Bits of all logits, of all hidden states handed out, and best draft tokens.
type Results = (Vec<u32>, Vec<u32>, Vec<u32>);

/// Feeds rows in calls of `cut`.
fn feed(executor: &mut dyn Executor, tokens: &[u32], inputs: &[f32], cut: usize, wanted: Wanted) -> Results {
    executor.allocate(1, CAPACITY).unwrap();
    let width = inputs.len() / tokens.len();
    let mut results = Results::default();
    for (tokens, inputs) in tokens.chunks(cut).zip(inputs.chunks(cut * width)) {
        let (mut rows, mut out) = (RowTable::new(), Outputs::default());
        rows.push_chain(0, executor.committed()[0], tokens, tokens.len(), wanted);
        let entry = executor.plan().entry_for(tokens.len()).unwrap();
        assert!(executor.execute(entry, &rows, &mut out).is_err(), "it needs hidden states");
        rows.set_inputs(inputs);
        executor.execute(entry, &rows, &mut out).unwrap();
        results.0.extend(out.logits.iter().flat_map(|l| bits(l)));
        results.1.extend(bits(&out.taps));
        results.2.extend(out.top.iter().map(|t| t.token));
        let vocab = executor.plan().output_vocab();
        for (top, logits) in out.top.iter().zip(&out.logits) {
            assert_eq!((logits.len(), logits[top.token as usize]), (vocab, top.logit));
        }
    }
    results
}

fn head(seed: u64, config: sterna_bundle::ModelConfig, linear: Encoding) -> (TestModel, EagleConfig) {
    let encodings = Encodings::new(linear);
    let eagle = eagle_config(&config, 70);
    let model = TestModel::new(seed, config, encodings).unwrap();
    (model.with_eagle(seed + 1, &eagle, encodings).unwrap(), eagle)
}

#[test]
fn a_head_has_the_bits_of_the_law_at_every_width() {
    for (config, encoding) in [
        (narrow_config(), Encoding::BF16),
        (narrow_config(), Encoding::Q8_0),
        (config(), Encoding::Ternary(ScaleGroup::Row)),
    ] {
        let (model, eagle) = head(20, config, encoding);
        let mut random = Random::new(21);
        let tokens = random.tokens(ROWS, eagle.layer.vocab);
        let states: Vec<f32> = (0..ROWS * eagle.layer.hidden).map(|_| random.normal()).collect();
        let taps: Vec<f32> = (0..ROWS * eagle.tap_width()).map(|_| random.normal()).collect();
        for norm_before_residual in [false, true] {
            let eagle = EagleConfig { norm_before_residual, ..eagle.clone() };
            let mut want: Option<[Results; 2]> = None;
            for (backend, cut, fusions) in [
                (&RefBackend::law() as &dyn Backend, 64, Fusions::NONE),
                (&cpu(1, Isa::Portable), 33, Fusions::ALL),
                (&cpu(2, Isa::detect()), 1, Fusions::ALL),
                (&cpu(2, Isa::detect()), 3, Fusions::NONE),
                (&cpu(3, Isa::detect()), 9, Fusions::ALL),
                (&cpu(2, Isa::detect()), 64, Fusions::ALL),
                (&cpu(2, Isa::detect()), 70, Fusions::ALL),
            ] {
                let options = PlanOptions { fusions, ..PlanOptions::new(CAPACITY) };
                let layer = build_eagle(&eagle, &model, &numerics, &options).unwrap();
                let fuse = build_eagle_fusion(&eagle, &model, &numerics, &options).unwrap();
                assert_eq!((layer.output_vocab(), layer.padded_vocab, fuse.output_vocab()), (70, 128, 0));
                let load = |plan: ModelPlan| backend.load(Arc::new(plan), &model, &mut |_, _| {}).unwrap();
                let layer = feed(&mut *load(layer), &tokens, &states, cut, Wanted::Logits);
                assert!(layer.2.iter().all(|t| *t < 70));
                let fuse = feed(&mut *load(fuse), &tokens, &taps, cut, Wanted::Nothing);
                assert_eq!(fuse.1.len(), ROWS * eagle.layer.hidden);
                let got = [layer, fuse];
                let what = format!("{encoding} {norm_before_residual}, {} in calls of {cut}", backend.name());
                assert!(*want.get_or_insert_with(|| got.clone()) == got, "{what}");
            }
        }
    }
}

/// Beside its target, tied or not, the head reads the target's table; one of its own is not taken for the target's.
#[test]
fn a_head_shares_the_targets_table() {
    for (tied, own_embedding) in [(true, false), (false, false), (true, true), (false, true)] {
        let config = sterna_bundle::ModelConfig { tied, ..narrow_config() };
        let eagle = EagleConfig { own_embedding, ..eagle_config(&config, 70) };
        let encodings = Encodings::new(Encoding::Q8_0);
        let model = TestModel::new(30, config, encodings).unwrap();
        let model = model.with_eagle(31, &eagle, encodings).unwrap();
        let mut random = Random::new(32);
        let tokens = random.tokens(9, eagle.layer.vocab);
        let states: Vec<f32> = (0..9 * eagle.layer.hidden).map(|_| random.normal()).collect();
        let backend = cpu(2, Isa::detect());
        let plan = plan(&model, &PlanOptions::new(CAPACITY)).unwrap();
        let target = backend.load(plan, &model, &mut |_, _| {}).unwrap();
        let layer = Arc::new(build_eagle(&eagle, &model, &numerics, &PlanOptions::new(CAPACITY)).unwrap());
        let mut alone = backend.load(layer.clone(), &model, &mut |_, _| {}).unwrap();
        let mut beside = target.beside(layer, &model, Kin::SameModel, &mut |_, _| {}).unwrap();
        let want = feed(&mut *alone, &tokens, &states, 9, Wanted::Logits);
        assert!(feed(&mut *beside, &tokens, &states, 4, Wanted::Logits) == want, "{tied} {own_embedding}");
        let mut law = RefBackend::law().load(alone.plan().clone(), &model, &mut |_, _| {}).unwrap();
        assert!(feed(&mut *law, &tokens, &states, 9, Wanted::Logits) == want, "{tied} {own_embedding}");
    }
}

/// The output of the last layer is a hidden state like any other, and handing it out changes nothing.
#[test]
fn the_output_of_the_last_layer_can_be_read() {
    for config in [narrow_config(), narrow_hybrid_config()] {
        let model = TestModel::new(40, config, Encodings::new(Encoding::Q8_0)).unwrap();
        let layers = model.config.layers;
        let text = Random::new(41).tokens(20, model.config.vocab);
        let run = |backend: &dyn Backend, taps: Taps, cut: usize| {
            let plan = plan(&model, &PlanOptions { taps, ..PlanOptions::new(CAPACITY) }).unwrap();
            let mut executor = backend.load(plan, &model, &mut |_, _| {}).unwrap();
            executor.allocate(1, CAPACITY).unwrap();
            let mut results = (Vec::new(), Vec::new());
            for tokens in text.chunks(cut) {
                let (mut rows, mut out) = (RowTable::new(), Outputs::default());
                rows.push_chain(0, executor.committed()[0], tokens, tokens.len(), Wanted::Logits);
                executor.execute(executor.plan().entry_for(cut).unwrap(), &rows, &mut out).unwrap();
                results.0.extend(out.logits.iter().flat_map(|l| bits(l)));
                results.1.extend(bits(&out.taps));
            }
            results
        };
        let cpu = cpu(2, Isa::detect());
        let plain = run(&cpu, Taps::None, 20);
        let taps = Taps::Layers(vec![0, layers]);
        let tapped = run(&cpu, taps.clone(), 3);
        assert!(plain.0 == tapped.0);
        assert!(tapped == run(&RefBackend::law(), taps, 20));
        let h = model.config.hidden;
        assert!(tapped.1.chunks(2 * h).all(|row| row[..h] != row[h..]));
        let beyond = PlanOptions { taps: Taps::Layers(vec![layers + 1]), ..PlanOptions::new(CAPACITY) };
        assert!(matches!(plan(&model, &beyond).unwrap_err(), PlanError::Options(_)));
    }
}

#[test]
fn what_is_missing_is_named() {
    let (mut model, eagle) = head(50, narrow_config(), Encoding::Q8_0);
    let options = PlanOptions::new(CAPACITY);
    let build = |model: &TestModel, eagle: &EagleConfig, options: &PlanOptions| {
        let built = [
            build_eagle(eagle, model, &numerics, options),
            build_eagle_fusion(eagle, model, &numerics, options),
        ];
        built.map(|b| b.err().map(|e| e.to_string()).unwrap_or_default())
    };
    let wide = EagleConfig { draft_vocab: 71, ..eagle.clone() };
    assert!(build(&model, &wide, &options)[0].contains("`eagle.head` is [70, 96], expected [71, 96]"));
    let more = EagleConfig { taps: vec![0, 1], ..eagle.clone() };
    assert!(build(&model, &more, &options)[1].contains("`eagle.fc`"));
    let long = PlanOptions::new(eagle.layer.context + 1);
    assert!(build(&model, &eagle, &long).iter().all(|e| e.contains("context")));
    for name in ["eagle.fc", "eagle.k", "eagle.norm", "embed"] {
        let (again, eagle) = head(50, narrow_config(), Encoding::Q8_0);
        model = again;
        model.remove(name);
        let errors = build(&model, &eagle, &options);
        assert!(errors.iter().any(|e| e.contains(&format!("no weight `{name}`"))), "{errors:?}");
    }
}
