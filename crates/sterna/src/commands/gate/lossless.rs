//! `sterna gate lossless`: the same answers from every way to run.

use clap::Args;
use sterna_probe::count;
use sterna_probe::gate::{self, Arm, ArmSpec, PlainArm, Reading};
use sterna_run::{Request, SamplingParams};

use super::{PromptArgs, at_least_one, rows, threads, verdict};
use crate::cli::ModelArgs;
use crate::commands::Outcome;
use crate::commands::output::{self, say};
use crate::engine::{Engine, EngineOptions, open_model};

/// `sterna gate lossless`.
#[derive(Args, Debug)]
pub struct LosslessArgs {
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Prompts.
    #[command(flatten)]
    pub prompts: PromptArgs,
    /// Most tokens of an answer; every prompt is answered with each
    #[arg(short = 'n', long, value_delimiter = ',', value_name = "N", default_value = "32", value_parser = at_least_one())]
    pub max_tokens: Vec<usize>,
    /// Temperatures; every prompt is answered at each
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "T",
        default_value = "0,0.8",
        allow_negative_numbers = true
    )]
    pub temperature: Vec<f32>,
    /// Seeds, for temperatures above 0
    #[arg(long, value_delimiter = ',', value_name = "SEED", default_value = "1,2")]
    pub seed: Vec<u64>,
    /// Prefill chunks to compare with the walk of single rows
    #[arg(long, value_delimiter = ',', value_name = "ROWS", default_value = "16,128", value_parser = rows())]
    pub chunks: Vec<usize>,
    /// Thread counts to compare with one thread
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "2", value_parser = threads())]
    pub walk_threads: Vec<usize>,
    /// Go on after the model's own end token
    #[arg(long)]
    pub ignore_end: bool,
}

/// What an arm is made of.
#[derive(Clone, Copy)]
struct Plain {
    threads: usize,
    governor: bool,
    reading: Reading,
}

/// Runs the gate.
pub fn main(args: &LosslessArgs) -> Outcome {
    let cases = args.prompts.cases()?;
    let engine = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    let tokenizer = &engine.model.tokenizer;
    let mut requests = Vec::new();
    for case in &cases {
        let prompt = case.agreed_ids(tokenizer)?;
        for &max_tokens in &args.max_tokens {
            for sampling in samplings(args)? {
                requests.push(Request {
                    prompt: prompt.clone(),
                    max_tokens: Some(max_tokens),
                    sampling,
                    stop: case.stop.clone(),
                    ignore_end: args.ignore_end,
                });
            }
        }
    }
    let make = |plain: Plain| {
        let options =
            EngineOptions { threads: plain.threads, governor: plain.governor, ..args.model.options() };
        let engine = Engine::new(open_model(args.model.model.as_deref())?, &options)?;
        let session = output::load(&engine, true)?;
        Ok(Box::new(PlainArm::new(session, tokenizer, plain.reading)) as Box<dyn Arm + '_>)
    };
    let make = &make;
    let arms: Vec<ArmSpec<'_>> = arms(args)
        .into_iter()
        .map(|(name, plain)| ArmSpec { name, make: Box::new(move || make(plain)) })
        .collect();
    if !args.model.json {
        say!(
            "{}: {}, {}, {} against the first",
            engine.model.name,
            count(cases.len(), "prompt"),
            count(requests.len(), "request"),
            count(arms.len().saturating_sub(1), "arm")
        );
    }
    let bar = output::steps_bar("answers", args.model.json);
    bar.set_length((arms.len() * requests.len()) as u64);
    let report = gate::lossless(&arms, &requests, &mut |n| bar.set_position(n as u64));
    bar.finish_and_clear();
    let report = report?;
    verdict(args.model.json, "lossless", &engine.model.name, &report, report.passed())
}

fn samplings(args: &LosslessArgs) -> Result<Vec<SamplingParams>, Box<dyn std::error::Error>> {
    let mut all = Vec::new();
    for &temperature in &args.temperature {
        // A seed is nothing to a greedy answer.
        let seeds = if temperature == 0.0 { &[0][..] } else { &args.seed };
        for &seed in seeds {
            let sampling = SamplingParams { temperature, seed, ..SamplingParams::default() };
            sampling.validate()?;
            all.push(sampling);
        }
    }
    Ok(all)
}

/// The base first: the `main` entry point alone, one thread.
fn arms(args: &LosslessArgs) -> Vec<(String, Plain)> {
    let cold = |threads, rows| Plain { threads, governor: false, reading: Reading::Cold { rows } };
    let widest = args.chunks.iter().copied().max().unwrap_or(1);
    let mut all = vec![("one row a call, 1 thread".to_owned(), cold(1, 1))];
    all.extend(args.chunks.iter().map(|c| (format!("prefill of {c}, 1 thread"), cold(1, *c))));
    for &t in &args.walk_threads {
        all.push((format!("one row a call, {t} threads"), cold(t, 1)));
        all.push((format!("prefill of {widest}, {t} threads"), cold(t, widest)));
    }
    let most = args.walk_threads.iter().copied().max().unwrap_or(1);
    all.push((
        format!("prefill of {widest}, {most} threads, governor"),
        Plain { governor: true, ..cold(most, widest) },
    ));
    all.push((format!("warm state, {most} threads"), Plain { reading: Reading::Warm, ..cold(most, widest) }));
    all
}
