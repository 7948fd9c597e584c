//! Shared by the tests of this folder.
#![allow(dead_code, clippy::unwrap_used)]

use std::sync::Arc;

use sterna_format::{Encoding, ScaleGroup};
use sterna_plan::{Backend, Executor, Fusions, ModelPlan, PlanOptions};
use sterna_ref::RefBackend;
use sterna_ref::testing::{self, Encodings, TestModel};

pub const ENCODINGS: [Encoding; 17] = [
    Encoding::F32,
    Encoding::F16,
    Encoding::BF16,
    Encoding::Q2_0,
    Encoding::PQ2_0,
    Encoding::Q4_0,
    Encoding::Q4_1,
    Encoding::Q8_0,
    Encoding::Q4K,
    Encoding::Q5K,
    Encoding::Q6K,
    Encoding::TQ1_0,
    Encoding::TQ2_0,
    Encoding::Ternary(ScaleGroup::Row),
    Encoding::Ternary(ScaleGroup::Block64),
    Encoding::Ternary(ScaleGroup::Block128),
    Encoding::Ternary(ScaleGroup::Block256),
];

/// Narrow where the encoding allows it. Half of the encodings get head norms, every third its own head in its own encoding.
pub fn model(encoding: Encoding) -> TestModel {
    let at = ENCODINGS.iter().position(|e| *e == encoding).unwrap();
    let mut config = if encoding.block_len() > 32 { testing::config() } else { testing::narrow_config() };
    config.qk_norm = at % 2 == 1;
    config.tied = at % 3 != 2;
    let encodings = Encodings { head: encoding, ..Encodings::new(encoding) };
    TestModel::new(1000 + at as u64, config, encodings).unwrap()
}

pub fn options(fusions: Fusions) -> PlanOptions {
    PlanOptions { fusions, widths: vec![1, 3, 16, 32, 64, 128], ..PlanOptions::new(256) }
}

pub fn load(backend: RefBackend, plan: Arc<ModelPlan>, model: &TestModel, slots: usize) -> Box<dyn Executor> {
    let mut executor = backend.load(plan, model, &mut |_, _| {}).unwrap();
    executor.allocate(slots, 200).unwrap();
    executor
}

pub fn law(model: &TestModel, fusions: Fusions, slots: usize) -> Box<dyn Executor> {
    load(RefBackend::law(), testing::plan(model, &options(fusions)).unwrap(), model, slots)
}

pub fn bits(logits: &[Vec<f32>]) -> Vec<Vec<u32>> {
    logits.iter().map(|row| row.iter().map(|l| l.to_bits()).collect()).collect()
}
