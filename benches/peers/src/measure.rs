//! Every engine in turns on one model, so that whatever disturbs one disturbs all.

use std::ffi::OsString;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use sterna::engine::open_model;

use crate::engines::Engine;
use crate::error::PeersError;
use crate::models::{Choice, Folders, Needs};
use crate::process::Process;
use crate::protocol::{Request, Timed};
use crate::report::{ArmReport, EngineReport, GreedyReport, ModelReport};

/// Context lengths are multiples of this, as llama.cpp rounds them.
const CONTEXT_STEP: usize = 256;
/// Tokens compared in the greedy check.
const GREEDY: usize = 32;
/// What is continued.
const GREEDY_PROMPT: &str = "Once upon a time";

/// What is measured on every model.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Plan {
    /// Lengths of the prompts that are fed in one call.
    pub prompts: Vec<usize>,
    /// Tokens fed one at a time.
    pub decode: usize,
    /// Tokens held before those.
    pub after: usize,
    /// Rounds before the first that counts.
    pub warmup: usize,
    /// Rounds that count.
    pub rounds: usize,
    /// Threads of every engine.
    pub threads: usize,
    /// Seed of the tokens.
    pub seed: u64,
    /// Whether Sterna runs on a GPU, against engines that do.
    pub gpu: bool,
}

impl Plan {
    /// What one round asks of an engine, with a name for each.
    pub fn arms(&self) -> Vec<(String, Request)> {
        let mut arms: Vec<_> =
            self.prompts.iter().map(|n| (format!("prefill {n}"), Request::Prefill { tokens: *n })).collect();
        if self.decode > 0 {
            let (tokens, after) = (self.decode, self.after);
            arms.push((format!("decode {tokens} after {after}"), Request::Decode { tokens, after }));
            if self.gpu {
                // As text is made: a GPU need not send all logits back for it.
                arms.push((format!("greedy {tokens} after {after}"), Request::Continue { tokens, after }));
            }
        }
        arms
    }

    /// Positions that all of it needs.
    pub fn context(&self) -> usize {
        let longest = self.prompts.iter().copied().max().unwrap_or(0);
        longest.max(self.after + self.decode + 2).max(2 * GREEDY).next_multiple_of(CONTEXT_STEP)
    }

    /// Refuses what measures nothing.
    pub fn check(&self) -> Result<(), PeersError> {
        let fault = if self.arms().is_empty() {
            "nothing to measure: give --prompt or --decode"
        } else if self.rounds == 0 {
            "nothing to measure: give --rounds 1 or more"
        } else if self.prompts.contains(&0) {
            "a prompt has at least one token"
        } else if self.decode > 0 && self.after == 0 {
            "decoding follows at least one token: give --after 1 or more"
        } else {
            return Ok(());
        };
        Err(PeersError::Options(fault.to_owned()))
    }

    fn worker(&self, engine: Engine, model: &Path, folders: &Folders) -> Vec<OsString> {
        let text = |s: &str| OsString::from(s);
        let mut args = vec![text("worker"), text(engine.name()), model.into()];
        for (name, value) in
            [("--threads", self.threads as u64), ("--context", self.context() as u64), ("--seed", self.seed)]
        {
            args.extend([text(name), text(&value.to_string())]);
        }
        args.extend([text("--engines"), folders.engines.clone().into()]);
        args
    }
}

/// Measures Sterna and `peers` on one model.
pub fn measure(
    choice: &Choice,
    file: &Path,
    plan: &Plan,
    peers: &[Engine],
    folders: &Folders,
) -> Result<ModelReport, PeersError> {
    let needs = Needs::of(file)?;
    let mut workers = Vec::new();
    let own = if plan.gpu { Engine::SternaGpu } else { Engine::Sterna };
    for engine in std::iter::once(&own).chain(peers) {
        let Some(own) = engine.file(file, folders)? else {
            eprintln!("{engine} is left out: it cannot hold these weights", engine = engine.name());
            continue;
        };
        workers.push(Process::start(engine.name(), plan.worker(*engine, &own, folders))?);
    }
    let vocab = workers[0].about().vocab;
    if let Some(other) = workers.iter().find(|w| w.about().vocab != vocab) {
        let (engine, found) = (&other.about().engine, other.about().vocab);
        return Err(PeersError::Options(format!("{engine} sees {found} tokens and sterna {vocab}")));
    }
    let greedy = greedy(&mut workers, file)?;
    let samples = rounds(&mut workers, plan, &choice.title())?;
    let arms = plan
        .arms()
        .into_iter()
        .zip(samples)
        .map(|((name, request), samples)| ArmReport::of(name, &request, samples, &needs));
    let arms = arms.collect();
    let engines = workers.iter().map(|w| EngineReport::of(w.about(), w.peak_memory())).collect();
    Ok(ModelReport::of(choice.title(), file, needs, engines, arms, greedy))
}

/// Samples by arm, by engine, by round.
type Samples = Vec<Vec<Vec<Timed>>>;

fn rounds(workers: &mut [Process], plan: &Plan, title: &str) -> Result<Samples, PeersError> {
    let arms = plan.arms();
    let mut samples: Samples = vec![vec![Vec::new(); workers.len()]; arms.len()];
    let all = plan.warmup + plan.rounds;
    let bar = ProgressBar::new((all * arms.len() * workers.len()) as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    for round in 0..all {
        for (arm, (name, request)) in arms.iter().enumerate() {
            for engine in order(round, workers.len()) {
                bar.set_message(format!("{title}: {name}"));
                let timed = workers[engine].timed(request)?;
                bar.inc(1);
                if round >= plan.warmup {
                    samples[arm][engine].push(timed);
                }
            }
        }
    }
    bar.finish_and_clear();
    Ok(samples)
}

/// Engines in turns; each round begins one engine later, so that none always follows the same neighbour.
fn order(round: usize, engines: usize) -> impl Iterator<Item = usize> {
    (0..engines).map(move |i| (i + round) % engines)
}

fn greedy(workers: &mut [Process], file: &Path) -> Result<GreedyReport, PeersError> {
    let model = open_model(Some(file)).map_err(PeersError::sterna)?;
    let prompt = model.tokenizer.encode(GREEDY_PROMPT, true)?;
    let request = Request::Greedy { prompt, tokens: GREEDY };
    let mut answers = Vec::new();
    for worker in workers.iter_mut() {
        answers.push(worker.tokens(&request)?);
    }
    Ok(GreedyReport::of(&answers))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn plan() -> Plan {
        Plan {
            prompts: vec![64, 512],
            decode: 32,
            after: 64,
            warmup: 1,
            rounds: 3,
            threads: 2,
            seed: 1,
            gpu: false,
        }
    }

    #[test]
    fn a_plan_names_its_arms_and_its_context() {
        let names: Vec<String> = plan().arms().into_iter().map(|a| a.0).collect();
        assert_eq!(names, ["prefill 64", "prefill 512", "decode 32 after 64"]);
        assert_eq!(plan().context(), 512);
        let gpu = Plan { gpu: true, ..plan() }.arms();
        assert_eq!(gpu.last().map(|a| a.0.as_str()), Some("greedy 32 after 64"));
        assert_eq!(Plan { after: 600, ..plan() }.context(), 768);
        assert!(plan().check().is_ok());
        for bad in [
            Plan { prompts: vec![], decode: 0, ..plan() },
            Plan { rounds: 0, ..plan() },
            Plan { prompts: vec![0], ..plan() },
            Plan { after: 0, ..plan() },
        ] {
            assert!(bad.check().is_err());
        }
    }

    #[test]
    fn engines_take_turns() {
        let turns: Vec<usize> = (0..3).flat_map(|r| order(r, 2)).collect();
        assert_eq!(turns, [0, 1, 1, 0, 0, 1]);
    }
}
