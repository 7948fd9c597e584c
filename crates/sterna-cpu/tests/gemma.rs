//! The trained small Gemma 4 (int2, int4 and int8 rows, static activation scales) on the CPU: the bits of the law, with its
//! own numerics and with float activations, for chunks of every kind and across the wrap of its rings.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::Path;
use std::sync::Arc;

use sterna_bundle::{LinearNumerics, Model};
use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_plan::{Backend, Executor, PlanOptions, build};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Random, logits};

fn model(dir: &str) -> Model {
    Model::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(dir)).unwrap()
}

/// How linears meet their activations.
#[derive(Clone, Copy, Debug)]
enum Activations {
    /// As the model says.
    Own,
    /// The same, and the head otherwise.
    Head(LinearNumerics),
    Floats,
}

fn load(model: &Model, backend: &dyn Backend, activations: Activations) -> Box<dyn Executor> {
    let numerics = |name: &str, encoding, cols| match activations {
        Activations::Head(head) if name == "embed" => head,
        Activations::Floats => LinearNumerics::Float,
        _ => model.numerics.linear(name, encoding, cols),
    };
    let plan = build(&model.config, model, &numerics, &PlanOptions::new(512)).unwrap();
    let mut executor = backend.load(Arc::new(plan), model, &mut |_, _| {}).unwrap();
    executor.allocate(1, 512).unwrap();
    executor
}

fn run(executor: &mut dyn Executor, tokens: &[u32], chunks: &[usize]) -> Vec<Vec<u32>> {
    executor.truncate(0, 0).unwrap();
    let logits = logits(executor, 0, tokens, chunks).unwrap();
    logits.iter().map(|l| l.iter().map(|v| v.to_bits()).collect()).collect()
}

fn check(model: &Model, activations: Activations, tokens: usize, cuts: &[&[usize]]) {
    let tokens = Random::new(1).tokens(tokens, model.config.vocab);
    let want = run(&mut *load(model, &RefBackend::law(), activations), &tokens, &[64]);
    for isa in Isa::here() {
        let backend = CpuBackend::new(CpuOptions { threads: 2, isa, governor: false });
        let mut executor = load(model, &backend, activations);
        let cuts = if isa == Isa::Portable { &cuts[..1] } else { cuts };
        for chunks in cuts {
            let same = want == run(&mut *executor, &tokens, chunks);
            assert!(same, "{isa:?}, {activations:?}, chunks of {chunks:?}");
        }
    }
}

#[test]
fn the_trained_model_has_the_bits_of_the_law() {
    let model = model("models/llama-tern-gemma");
    check(&model, Activations::Own, 300, &[&[64], &[1], &[5, 3], &[128]]);
    check(&model, Activations::Floats, 70, &[&[64], &[1]]);
}

/// The tiny one rounds outputs too, and its head.
#[test]
fn outputs_on_grids_have_the_bits_of_the_law() {
    let model = model("tests/data/oracle/d_gemma4_mobile");
    check(&model, Activations::Own, 300, &[&[64], &[1], &[2, 3, 4, 5, 6, 7], &[128]]);
}

/// A 2-bit head that reads int16, and one that reads floats, are multiplied as they lie, whatever the number of results.
#[test]
fn two_bit_heads_have_the_bits_of_the_law() {
    let model = model("tests/data/oracle/d_gemma4_mobile");
    for head in [LinearNumerics::Int16, LinearNumerics::Float] {
        check(&model, Activations::Head(head), 70, &[&[64], &[1], &[2, 3, 4, 5, 6, 7]]);
    }
    check(&model, Activations::Floats, 70, &[&[64], &[1], &[2, 3, 4, 5, 6, 7]]);
}
