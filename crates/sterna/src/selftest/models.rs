//! Small random models: against the law, and prompts cut into calls in many ways.

use sterna_bundle::ModelConfig;
use sterna_format::{Encoding, ScaleGroup};
use sterna_plan::{Backend, Executor, Fusions, PlanOptions};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, Random, TestModel, config, hybrid_config, logits, narrow_config, plan};

use super::report::Fault;
use super::{Effort, Law, bits, off};

/// A model to be made.
pub(super) struct Small {
    /// For people.
    pub name: String,
    config: ModelConfig,
    encodings: Encodings,
}

/// Every model.
pub(super) fn all(effort: Effort) -> Vec<Small> {
    let small = |what: &str, config, linear, head| {
        let encodings = Encodings { head, ..Encodings::new(linear) };
        Small { name: format!("{what} in {linear}, head in {head}"), config, encodings }
    };
    let untied = |config| ModelConfig { tied: false, ..config };
    let ternary = small("a decoder", config(), Encoding::TQ2_0, Encoding::F16);
    if effort == Effort::Quick {
        return vec![ternary];
    }
    let row = Encoding::Ternary(ScaleGroup::Row);
    vec![
        ternary,
        small("a decoder", untied(config()), row, Encoding::Q6K),
        small("a decoder", untied(config()), Encoding::Q4K, Encoding::Q6K),
        small("a decoder", untied(narrow_config()), Encoding::Q4_0, Encoding::Q8_0),
        small("a decoder", untied(narrow_config()), Encoding::Q4_1, Encoding::Q8_0),
        small("a decoder", untied(narrow_config()), Encoding::Q8_0, Encoding::Q8_0),
        small("a decoder", narrow_config(), Encoding::F16, Encoding::F16),
        small("a hybrid", hybrid_config(), Encoding::TQ2_0, Encoding::F16),
    ]
}

/// Logits near the law's; the same bits however a prompt is cut; `turns` calls of many rows and of one in turn.
pub(super) fn hold(backend: &dyn Backend, law: Law, small: &Small, effort: Effort) -> Result<String, Fault> {
    let model = TestModel::new(7, small.config.clone(), small.encodings)?;
    let options = PlanOptions { fusions: Fusions::ALL, ..PlanOptions::new(256) };
    let wrong = |e: &dyn std::fmt::Display| Fault::Wrong(e.to_string());
    let plan = plan(&model, &options).map_err(|e| wrong(&e))?;
    let load = |backend: &dyn Backend| {
        let mut executor = backend.load(plan.clone(), &model, &mut |_, _| {})?;
        executor.allocate(1, 256).map(|()| executor)
    };
    let mut device = load(backend)?;
    let tokens = Random::new(3).tokens(effort.pick(70, 130), model.config.vocab);
    let want = logits(&mut *load(&RefBackend::law())?, 0, &tokens, &[128])?;
    let run = |device: &mut dyn Executor, chunks: &[usize]| {
        device.truncate(0, 0)?;
        let got = logits(device, 0, &tokens, chunks)?;
        Ok::<_, Fault>((got, device.state_bytes(0)?))
    };
    let (alone, state) = run(&mut *device, &[1])?;
    let worst = alone
        .iter()
        .zip(&want)
        .map(|(a, b)| off(a, b))
        .fold(0f32, |m, d| if d > m || d.is_nan() { d } else { m });
    let equal = alone.iter().zip(&want).filter(|(a, b)| bits(a) == bits(b)).count();
    let seen = format!("{equal} of {} rows have the law's bits, the worst is {worst:.1e} off", want.len());
    // One activation on the other side of a half is an int8 step.
    let bound = if small.encodings.linear.is_float() { 1e-4 } else { 5e-2 };
    let near = match law {
        Law::Bits => equal == want.len(),
        Law::Near => worst <= bound,
    };
    if !near || alone.len() != want.len() {
        return Err(Fault::Wrong(format!("{seen}; the bound is {bound:.0e}")));
    }
    let same =
        |got: &[Vec<f32>], from: usize| got.iter().zip(&alone[from..]).all(|(a, b)| bits(a) == bits(b));
    let cuts = [&[3, 17, 1, 31][..], &[64], &[16], &[128]];
    for chunks in cuts.into_iter().take(effort.pick(2, 4)) {
        let (got, end) = run(&mut *device, chunks)?;
        if !same(&got, 0) || end != state {
            return Err(Fault::Wrong(format!("calls of {chunks:?} rows: other bits than one row at a time")));
        }
    }
    let turns = if small.config.hybrid.is_some() { 0 } else { effort.pick(4, 100) };
    for turn in 0..turns {
        let keep = tokens.len() - 1 - turn * 31 % 12;
        device.truncate(0, keep as u32)?;
        let got = logits(&mut *device, 0, &tokens[keep..], &[[64], [1]][turn % 2])?;
        if !same(&got, keep) {
            return Err(Fault::Wrong(format!("turn {turn} of calls of many rows and of one: other bits")));
        }
    }
    Ok(format!("{seen}; the same bits however it is cut, and in {turns} turns of many rows and one"))
}
