//! Float checkpoints with their linear weights in int8 and int4: quantised while loading and packed give the same bits on
//! every backend, and how far the answers are from the golden ones of the floats is known.
#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use std::path::Path;

use common::{cpu, file_executor, options, root};
use sterna_bundle::{Model, PackOptions, Quantise, TernaryPolicy, pack};
use sterna_format::Encoding;
use sterna_plan::{Backend, Executor};
use sterna_probe::gate::{GateArm, Golden, GoldenBounds, golden};
use sterna_ref::RefBackend;
use sterna_ref::testing::logits;
use sterna_run::Session;

fn open(folder: &str, linears: Encoding) -> Model {
    let mut model = Model::open(&root().join("tests/data/oracle").join(folder)).unwrap();
    model.quantise(&Quantise::new(linears)).unwrap();
    model
}

fn packed(model: &Model, name: &str) -> Model {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("quantised");
    std::fs::create_dir_all(&folder).unwrap();
    let dest = folder.join(name);
    let options = PackOptions {
        ternary: TernaryPolicy::Exact,
        keep: Vec::new(),
        head: None,
        embedding: None,
        untie: false,
        drafter: None,
        progress: &mut |_, _| {},
    };
    pack(model, &dest, options).unwrap();
    Model::open(&dest).unwrap()
}

fn bits(executor: &mut dyn Executor, tokens: &[u32], cut: &[usize]) -> Vec<Vec<u32>> {
    executor.allocate(1, 160).unwrap();
    let all = logits(executor, 0, tokens, cut).unwrap();
    all.iter().map(|row| row.iter().map(|l| l.to_bits()).collect()).collect()
}

#[test]
fn quantised_on_load_has_the_bits_of_the_bundle_and_of_the_law() {
    let tokens: Vec<u32> = (0..100).map(|i| 1 + i * 37 % 500).collect();
    for folder in ["f_llama", "c_qwen35"] {
        for linears in Quantise::ENCODINGS {
            let loaded = open(folder, linears);
            let bundle = packed(&loaded, &format!("{folder}-{linears}"));
            let arm = |threads| GateArm { threads, ..GateArm::BASE };
            let run = |model: &Model, backend: &dyn Backend, cut: &[usize]| {
                let mut executor = file_executor(model, backend, &options(GateArm::BASE, 160)).unwrap();
                bits(&mut *executor, &tokens, cut)
            };
            let want = run(&bundle, &cpu(arm(1)), &[1]);
            assert!(want == run(&loaded, &cpu(arm(1)), &[1]), "{folder} {linears}: loaded");
            assert!(want == run(&loaded, &cpu(arm(3)), &[64, 7]), "{folder} {linears}: loaded, in chunks");
            assert!(want == run(&loaded, &RefBackend::law(), &[64]), "{folder} {linears}: law");
            assert!(want == run(&bundle, &RefBackend::law(), &[64]), "{folder} {linears}: law of the bundle");
            let float = Model::open(&root().join("tests/data/oracle").join(folder)).unwrap();
            assert!(want != run(&float, &cpu(arm(1)), &[1]), "{folder}: nothing was quantised");
        }
    }
}

/// How far the logits are from the golden ones of the float checkpoint: by the weights alone (the reference in double
/// precision), and with int8 activations as well (the CPU). Each bound is about a third above what was measured. Random
/// models have flat logits (a deviation of 2 to 3), so that small differences change a best token.
#[test]
fn the_gap_to_the_golden_answers_is_bounded() {
    let float = RefBackend::float();
    let cpu = cpu(GateArm::BASE);
    let cases: [(&str, Encoding, &dyn Backend, f32, f64, usize); 7] = [
        ("f_llama", Encoding::Q8_0, &float, 1.5, 0.056, 12),
        ("f_llama", Encoding::Q8_0, &cpu, 2.6, 0.104, 15),
        ("f_qwen3", Encoding::Q8_0, &float, 0.47, 0.036, 3),
        ("f_qwen3", Encoding::Q8_0, &cpu, 0.51, 0.062, 4),
        ("c_qwen35", Encoding::Q8_0, &float, 0.019, 0.0008, 1),
        ("c_qwen35", Encoding::Q8_0, &cpu, 1.65, 0.14, 18),
        ("f_llama", Encoding::Q4_0, &cpu, 5.7, 0.34, 40),
    ];
    for (folder, linears, backend, max_abs, mean_abs, most_changed) in cases {
        let file = root().join("tests/data/oracle").join(folder).join("golden.safetensors");
        let answers = Golden::open(&file, "logits").unwrap();
        let executor = file_executor(&open(folder, linears), backend, &options(GateArm::BASE, 512)).unwrap();
        let mut session = Session::new(executor, 512).unwrap();
        let bounds = GoldenBounds { max_abs, near_tie: f32::INFINITY };
        let report = golden(&mut session, &answers, bounds).unwrap();
        let p = &report.prompts[0];
        let changed = p.prompt.of - p.prompt.equal + p.forced.of - p.forced.equal;
        println!(
            "{folder} {linears} {:9}: largest difference {:.4}, mean {:.5}, {changed} of {} best tokens changed",
            backend.name(),
            p.max_abs,
            p.mean_abs,
            p.prompt.of + p.forced.of
        );
        assert!(report.passed(), "{report}");
        assert!(p.max_abs > 1e-3, "{folder}: nothing was rounded");
        assert!(p.mean_abs < mean_abs, "{folder} {linears}: {}", p.mean_abs);
        assert!(changed <= most_changed, "{folder} {linears}: {changed} best tokens changed");
    }
}
