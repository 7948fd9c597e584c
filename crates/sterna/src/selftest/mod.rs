//! `sterna selftest`: what a device computes, held against the law and against itself, for people whose hardware nobody of us
//! has. Each check is one that CI makes too, on the backends that CI has.

mod built_in;
mod kernels;
mod models;
mod op_plan;
mod report;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::time::Instant;

use sterna_plan::Backend;
use sterna_probe::gate::FactoryError;

use self::built_in::{Make, Proposer};
pub(crate) use self::report::{Check, Report};
use self::report::{Fault, outcome};
use crate::engine::{self, Device, Engine, EngineError, EngineOptions, open_model};
use crate::speculate::{Mode, SpeculateOptions};

/// How much is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Some of every kind: for drivers in software.
    Quick,
    /// All of it.
    Full,
}

impl Effort {
    fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Effort::Quick => quick,
            Effort::Full => full,
        }
    }
}

/// What a backend promises against the law; among its own rows every one promises the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    /// The same bits.
    Bits,
    /// Within stated bounds, and the same tokens: drivers of GPUs round some steps in their own way.
    Near,
}

impl Law {
    /// What a device promises.
    pub fn of(device: &Device) -> Self {
        if matches!(device, Device::Gpu(_)) { Law::Near } else { Law::Bits }
    }
}

/// Runs the checks.
pub(crate) struct Run<'a> {
    pub law: Law,
    pub effort: Effort,
    pub report: Report,
    /// Hears each check when it is done.
    pub said: &'a mut dyn FnMut(&Check),
}

impl Run<'_> {
    fn check(&mut self, part: &'static str, name: String, what: impl FnOnce() -> Result<String, Fault>) {
        let start = Instant::now();
        let outcome = outcome(what());
        (self.said)(self.report.add(part, name, outcome, start.elapsed()));
    }

    /// Kernels and small models.
    fn backend(&mut self, backend: &dyn Backend) {
        let (law, effort) = (self.law, self.effort);
        match kernels::cases(effort) {
            Ok(cases) => {
                for case in cases {
                    self.check("kernels", case.name.clone(), || kernels::hold(backend, law, &case));
                }
            }
            Err(e) => self.check("kernels", "weights".into(), || Err(e.into())),
        }
        self.check("kernels", "best tokens".into(), || kernels::best_tokens(backend));
        for small in models::all(effort) {
            self.check("models", small.name.clone(), || models::hold(backend, law, &small, effort));
        }
    }

    /// The built-in model.
    fn built_in(&mut self, make: Make<'_>, model: &sterna_bundle::Model) {
        let (law, effort) = (self.law, self.effort);
        let part = "built-in model";
        self.check(part, "golden tokens".into(), || built_in::golden(make, law, effort));
        self.check(part, "calls of any width".into(), || built_in::walks(make, model.config.vocab, effort));
        self.check(part, "drafts".into(), || built_in::speculation(make, &model.tokenizer, effort));
    }
}

/// Checks the device that options name. `said` hears each check when it is done.
///
/// # Errors
/// No such device, or one that cannot be opened. What a device does wrong is in the report.
pub(crate) fn run(
    options: &EngineOptions,
    effort: Effort,
    said: &mut dyn FnMut(&Check),
) -> Result<Report, EngineError> {
    let law = Law::of(&options.device);
    let mut run = Run { law, effort, report: Report::default(), said };
    let options = |mode| EngineOptions {
        speculate: SpeculateOptions { mode, tokens: Some(4), ..SpeculateOptions::off() },
        context: Some(256),
        ..options.clone()
    };
    let plain = Engine::new(open_model(None)?, &options(Mode::Off))?;
    run.backend(&*engine::backend(&options(Mode::Off))?);
    let drafting = RefCell::new(None);
    let make = |proposer: Proposer| -> Result<_, FactoryError> {
        if proposer == Proposer::Nobody {
            return Ok(plain.session(&mut |_, _| {})?);
        }
        let mut drafting = drafting.borrow_mut();
        if drafting.is_none() {
            *drafting = Some(Engine::new(open_model(None)?, &options(Mode::Ngram))?);
        }
        let engine = drafting.as_ref().ok_or("no engine")?;
        let mut session = engine.session(&mut |_, _| {})?;
        engine.speculate(&mut session, None, &mut |_, _| {})?;
        Ok(session)
    };
    run.built_in(&make, &plain.model);
    Ok(run.report)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Largest difference over the largest size of what is wanted; not a number where one is none.
fn off(got: &[f32], want: &[f32]) -> f32 {
    let size = want.iter().fold(1e-30f32, |m, v| m.max(v.abs()));
    let each = got.iter().zip(want).map(|(g, w)| if g == w { 0.0 } else { (g - w).abs() });
    each.fold(0f32, |m, d| if d > m || d.is_nan() { d } else { m }) / size
}
