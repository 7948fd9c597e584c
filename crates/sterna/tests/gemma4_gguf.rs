//! Gemma 4 from GGUF files runs: floats with the bits of the Hugging Face checkpoint, quantised files as llama-quantize makes
//! them with the bits of the law on every instruction set here.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

#[path = "../../sterna-bundle/tests/common/mod.rs"]
mod common;
#[path = "../../sterna-bundle/tests/common/gemma4_gguf.rs"]
mod twins;

use std::sync::Arc;

use sterna_bundle::Model;
use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::Encoding;
use sterna_plan::{Backend, Executor, PlanOptions, build};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Random, logits};

const CONTEXT: usize = 128;

fn load(model: &Model, backend: &dyn Backend) -> Box<dyn Executor> {
    let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
    let plan = build(&model.config, model, &numerics, &PlanOptions::new(CONTEXT)).unwrap();
    let mut executor = backend.load(Arc::new(plan), model, &mut |_, _| {}).unwrap();
    executor.allocate(1, CONTEXT).unwrap();
    executor
}

/// Bits of all logits of 40 tokens, past two windows of 16.
fn run(executor: &mut dyn Executor, chunks: &[usize]) -> Vec<Vec<u32>> {
    let tokens = Random::new(3).tokens(40, 512);
    executor.truncate(0, 0).unwrap();
    let logits = logits(executor, 0, &tokens, chunks).unwrap();
    logits.iter().map(|l| l.iter().map(|v| v.to_bits()).collect()).collect()
}

fn cpu(isa: Isa) -> CpuBackend {
    CpuBackend::new(CpuOptions { threads: 2, isa, governor: false })
}

#[test]
fn floats_have_the_bits_of_the_checkpoint() {
    for (hf, encoding) in
        [(twins::tiny(), Encoding::F32), (twins::tiny(), Encoding::BF16), (twins::tiny_f16(), Encoding::F16)]
    {
        let dir = common::scratch(&format!("gemma4_run_{encoding}"));
        hf.write(&dir);
        let theirs = Model::open(&dir).unwrap();
        let ours = twins::twin(&hf, &|_| encoding).open().unwrap();
        for backend in [&RefBackend::law() as &dyn Backend, &cpu(Isa::detect())] {
            let want = run(&mut *load(&theirs, backend), &[64]);
            for chunks in [&[64][..], &[1], &[5, 3]] {
                assert!(run(&mut *load(&ours, backend), chunks) == want, "{encoding}, chunks of {chunks:?}");
            }
        }
    }
}

#[test]
fn quantised_files_have_the_bits_of_the_law() {
    for linear in [Encoding::Q4_0, Encoding::Q4K, Encoding::Q8_0] {
        let file = twins::twin(&twins::wide(), &|name| twins::quantised(linear, name));
        let model = file.open().unwrap();
        let want = run(&mut *load(&model, &RefBackend::law()), &[64]);
        assert!(want.iter().flatten().all(|bits| f32::from_bits(*bits).abs() <= 30.0), "{linear}");
        for isa in Isa::here() {
            let mut executor = load(&model, &cpu(isa));
            let cuts = [&[64][..], &[1], &[5, 3]];
            for chunks in if isa == Isa::Portable { &cuts[..1] } else { &cuts[..] } {
                assert!(run(&mut *executor, chunks) == want, "{linear}, {isa:?}, chunks of {chunks:?}");
            }
        }
    }
}

/// Of 512 tokens a wrong model names the best by chance alone; with random weights 4 bits are coarse.
#[test]
fn quantised_files_answer_nearly_as_the_checkpoint() {
    let best = |rows: &[Vec<u32>]| -> Vec<usize> {
        let best = |row: &Vec<u32>| {
            let at = |i: &usize| f32::from_bits(row[*i]);
            (0..row.len()).max_by(|a, b| at(a).total_cmp(&at(b))).unwrap()
        };
        rows.iter().map(best).collect()
    };
    let backend = cpu(Isa::detect());
    let exact = twins::twin(&twins::wide(), &|_| Encoding::F32).open().unwrap();
    let exact = best(&run(&mut *load(&exact, &backend), &[64]));
    for (linear, least) in [(Encoding::Q8_0, 28), (Encoding::Q4K, 8), (Encoding::Q4_0, 8)] {
        let model = twins::twin(&twins::wide(), &|name| twins::quantised(linear, name)).open().unwrap();
        let got = best(&run(&mut *load(&model, &backend), &[64]));
        let same = got.iter().zip(&exact).filter(|(a, b)| a == b).count();
        println!("{linear}: {same} of {} best tokens", exact.len());
        assert!(same >= least, "{linear}: {same}");
    }
}
