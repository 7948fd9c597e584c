//! `sterna gate lossless`: the same answers from every way to run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sterna_probe::count;
use sterna_probe::gate::oracle::{Fault, Following, Known, Noting, Oracle};
use sterna_probe::gate::{self, Arm, ArmSpec, Drafts, PlainArm, Reading};
use sterna_run::speculate::{Depth, Speculator};
use sterna_run::{Request, SamplingParams};

use super::{PromptArgs, at_least_one, rows, threads, verdict};
use crate::cli::ModelArgs;
use crate::commands::Outcome;
use crate::commands::output::{self, say};
use crate::engine::{Engine, EngineError, EngineOptions, Linears, open_model};
use crate::speculate::{Mode, SpeculateError, SpeculateOptions};

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
    /// Who proposes tokens in arms that speculate; `oracle` knows the answers and errs on purpose
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHO", help_heading = "Speculation")]
    pub speculate: Vec<Who>,
    /// A smaller model with the same tokenizer, for `draft` (`builtin` for the built-in model's), or a Gemma 4 drafter's folder
    #[arg(long, value_name = "MODEL", help_heading = "Speculation")]
    pub draft: Option<PathBuf>,
    /// Quantise the float weights of --draft while loading them: layers to q8_0 or q4_0, the head to q8_0
    #[arg(
        long,
        value_enum,
        value_name = "ENCODING",
        hide_possible_values = true,
        requires = "draft",
        help_heading = "Speculation"
    )]
    pub draft_linears: Option<Linears>,
    /// An EAGLE-3 head for this model, for `eagle3`: its folder
    #[arg(long, value_name = "FOLDER", help_heading = "Speculation")]
    pub eagle: Option<PathBuf>,
    /// Only the walk of single rows and the arms that speculate: a long run for many prompts and depths
    #[arg(long, requires = "speculate", help_heading = "Speculation")]
    pub only_speculation: bool,
    /// Tokens to propose a round; an arm for each and every proposer
    #[arg(long, value_delimiter = ',', value_name = "K", default_value = "1,4", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=63), help_heading = "Speculation")]
    pub draft_tokens: Vec<usize>,
    /// Other first tokens to verify beside the draft's, as a tree; an arm for each
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "0", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=8), help_heading = "Speculation")]
    pub draft_alternatives: Vec<usize>,
}

/// Who proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Who {
    /// What followed when the text last went like this
    Ngram,
    /// The model's head for multi-token prediction
    Mtp,
    /// The model or drafter of --draft
    Draft,
    /// The EAGLE-3 head of --eagle
    Eagle3,
    /// Everybody who is there, as many tokens as pay
    Auto,
    /// The answers themselves, wrong at another place every round
    Oracle,
    /// The answers themselves
    Perfect,
    /// Always wrong
    Hostile,
}

impl Who {
    fn fault(self) -> Option<Fault> {
        match self {
            Who::Oracle => Some(Fault::Somewhere),
            Who::Perfect => Some(Fault::Never),
            Who::Hostile => Some(Fault::Always),
            _ => None,
        }
    }

    fn wants(self) -> Drafts {
        match self {
            Who::Auto => Drafts::Any,
            Who::Perfect => Drafts::Accepted,
            Who::Hostile => Drafts::Rejected,
            _ => Drafts::Both,
        }
    }

    fn options(self, args: &LosslessArgs, tokens: usize, alternatives: usize) -> SpeculateOptions {
        let mode = match self {
            Who::Ngram => Mode::Ngram,
            Who::Mtp => Mode::Mtp,
            Who::Draft => Mode::Draft,
            Who::Eagle3 => Mode::Eagle3,
            Who::Auto => Mode::Auto,
            _ => Mode::Off,
        };
        let tokens = (self != Who::Auto).then_some(tokens);
        let (draft, eagle) = (args.draft.clone(), args.eagle.clone());
        let draft_linears = args.draft_linears.filter(|_| draft.is_some());
        let rest = SpeculateOptions::default();
        SpeculateOptions { mode, draft, draft_linears, eagle, tokens, alternatives, ..rest }
    }
}

/// What an arm is made of.
#[derive(Clone)]
struct Plain {
    threads: usize,
    governor: bool,
    reading: Reading,
    /// Who proposes, and with what.
    drafts: Option<(Who, SpeculateOptions)>,
}

/// Runs the gate.
pub fn main(args: &LosslessArgs) -> Outcome {
    check(args)?;
    let cases = args.prompts.cases()?;
    let engine = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    // A bundle may bring its drafter along.
    if args.draft.is_none() && args.speculate.contains(&Who::Draft) && engine.model.drafter().is_none() {
        return Err(SpeculateError::NoDraft.into());
    }
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
    let known = Known::default();
    let engine_of = |plain: &Plain| {
        let speculate = plain.drafts.as_ref().map_or_else(SpeculateOptions::off, |d| d.1.clone());
        let (threads, governor) = (plain.threads, plain.governor);
        let options = EngineOptions { threads, governor, speculate, ..args.model.options() };
        Engine::new(open_model(args.model.model.as_deref())?, &options)
    };
    let arms = arms(args);
    fits(arms.iter().filter_map(|(_, plain)| plain.drafts.as_ref().map(|d| (&d.1, plain))), engine_of)?;
    let make = |plain: &Plain| {
        let engine = engine_of(plain)?;
        let mut session = output::load_speculating(&engine, true)?;
        if let Some((who, o)) = &plain.drafts
            && let Some(fault) = who.fault()
        {
            let vocab = u32::try_from(engine.plan.vocab).unwrap_or(u32::MAX);
            let most = o.tokens.unwrap_or(1);
            let mut speculator = Speculator::new();
            let oracle = Oracle::new(known.clone(), fault, vocab, most);
            speculator.add(Box::new(oracle), Depth::Fixed(most), None, 0.0)?;
            session.speculate(Some(speculator));
        }
        let arm = Box::new(PlainArm::new(session, tokenizer, plain.reading));
        Ok(Box::new(Following::new(arm, known.clone())) as Box<dyn Arm + '_>)
    };
    let (make, known) = (&make, &known);
    let arms = arms.into_iter().enumerate().map(|(i, (name, plain))| {
        let wants = plain.drafts.as_ref().map_or(Drafts::Any, |d| d.0.wants());
        let make = move || match i {
            0 => Ok(Box::new(Noting::new(make(&plain)?, known.clone())) as Box<dyn Arm + '_>),
            _ => make(&plain),
        };
        ArmSpec { name, wants, make: Box::new(make) }
    });
    let arms: Vec<ArmSpec<'_>> = arms.collect();
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

/// Refuses what no arm would use, and arms that have nobody to propose, before anything runs.
fn check(args: &LosslessArgs) -> Result<(), SpeculateError> {
    let any = |who: Who| args.speculate.iter().any(|w| [who, Who::Auto].contains(w));
    for (flag, given, used) in [
        ("--draft", args.draft.is_some(), any(Who::Draft)),
        ("--eagle", args.eagle.is_some(), any(Who::Eagle3)),
    ] {
        if given && !used {
            return Err(SpeculateError::Ignored { flag });
        }
    }
    if args.eagle.is_none() && args.speculate.contains(&Who::Eagle3) {
        return Err(SpeculateError::NoEagle);
    }
    Ok(())
}

/// Refuses a proposer that does not fit the model before any arm runs, each kind once.
fn fits<'a>(
    arms: impl Iterator<Item = (&'a SpeculateOptions, &'a Plain)>,
    engine_of: impl Fn(&Plain) -> Result<Engine, EngineError>,
) -> Result<(), SpeculateError> {
    let mut seen: Vec<SpeculateOptions> = Vec::new();
    for (options, plain) in arms {
        let kind = SpeculateOptions { tokens: None, ..options.clone() };
        let asks = kind.mode != Mode::Off || kind.alternatives > 0;
        if asks && !seen.contains(&kind) {
            engine_of(plain)?.fits()?;
            seen.push(kind);
        }
    }
    Ok(())
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

fn drafts_name(who: &str, tokens: usize, alternatives: usize) -> String {
    let tree = if alternatives > 0 { format!(" and {alternatives} beside it") } else { String::new() };
    format!("{who}, {tokens} a round{tree}")
}

/// The base first: the `main` entry point alone, one thread.
fn arms(args: &LosslessArgs) -> Vec<(String, Plain)> {
    let cold = |threads, rows| {
        let reading = Reading::Cold { rows };
        Plain { threads, governor: false, reading, drafts: None }
    };
    let widest = args.chunks.iter().copied().max().unwrap_or(1);
    let mut all = vec![("one row a call, 1 thread".to_owned(), cold(1, 1))];
    let most = args.walk_threads.iter().copied().max().unwrap_or(1);
    all.extend(args.chunks.iter().map(|c| (format!("prefill of {c}, 1 thread"), cold(1, *c))));
    for &t in &args.walk_threads {
        all.push((format!("one row a call, {t} threads"), cold(t, 1)));
        all.push((format!("prefill of {widest}, {t} threads"), cold(t, widest)));
    }
    all.push((
        format!("prefill of {widest}, {most} threads, governor"),
        Plain { governor: true, ..cold(most, widest) },
    ));
    all.push((format!("warm state, {most} threads"), Plain { reading: Reading::Warm, ..cold(most, widest) }));
    if args.only_speculation {
        all.truncate(1);
    }
    let drafting = |who: Who, tokens, alternatives, reading| Plain {
        drafts: Some((who, who.options(args, tokens, alternatives))),
        reading,
        governor: true,
        ..cold(most, widest)
    };
    for &who in &args.speculate {
        let name = who.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
        let cold = Reading::Cold { rows: widest };
        if who == Who::Auto {
            all.push(("auto".into(), drafting(who, 0, 0, cold)));
            all.push(("auto, warm state".into(), drafting(who, 0, 0, Reading::Warm)));
            continue;
        }
        for &k in &args.draft_tokens {
            for &n in &args.draft_alternatives {
                all.push((drafts_name(&name, k, n), drafting(who, k, n, cold)));
            }
        }
        if let (Some(&k), Some(&n)) = (args.draft_tokens.last(), args.draft_alternatives.last()) {
            let name = format!("{}, warm state", drafts_name(&name, k, n));
            all.push((name, drafting(who, k, n, Reading::Warm)));
        }
    }
    all
}
