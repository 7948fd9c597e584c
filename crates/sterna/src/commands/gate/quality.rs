//! `sterna gate quality`: how good the answers are, against a stored result.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;
use sterna_probe::gate::quality::{
    self, Bos, PerplexityOptions, Protocol, QualityReport, RULES, Subject, TaskOptions, Tasks,
};
use sterna_probe::gate::{GateError, fingerprint};

use super::{FAILED, at_least_one, check_new, write_new};
use crate::cli::ModelArgs;
use crate::commands::Outcome;
use crate::commands::output::{self, say};
use crate::engine::{Activations, Engine};

const HELP: &str = "A task file is JSON, one object a line:
  {\"task\": \"choice\", \"context\": \"The sky is\", \"choices\": [\" blue\", \" loud\"], \"answer\": 0}
  {\"task\": \"answer\", \"prompt\": \"1 + 1 =\", \"answers\": [\"2\", \"two\"], \"stop\": [\"\\n\"], \"max_tokens\": 4}
  {\"task\": \"answer\", \"form\": \"chat\", \"judge\": \"last-number\", \"prompt\": \"Ann has 2 hats and buys 3. How many?\",
   \"answers\": [\"5\"], \"stop\": [], \"max_tokens\": 256}
A choice is right if its log probability is the greatest (by sum, by token, by byte: all three are shown); a short
answer if its greedy text equals one of the answers in lower case, without punctuation, articles and surplus space, or
if the last number in it does. A `chat` prompt is a message in the model's chat template. Against a baseline, short answers
are also counted item by item. scripts/gsm8k.py makes a task file of GSM8K and runs both kinds of activations.

  sterna gate quality --perplexity story.txt --tasks tasks.jsonl --save result.json
  sterna gate quality --perplexity story.txt --tasks tasks.jsonl --baseline result.json --max-drop 1
A baseline made with another window, stride, budget, text, task file, begin token or tokenizer is refused (exit code 3).";

/// `sterna gate quality`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct QualityArgs {
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Measure the perplexity of this text
    #[arg(long, value_name = "FILE", required_unless_present = "tasks")]
    pub perplexity: Option<PathBuf>,
    /// Answer the items of this task file
    #[arg(long, value_name = "FILE")]
    pub tasks: Option<PathBuf>,
    /// Positions of a window of the text [default: the context, at most 512]
    #[arg(long, value_name = "N", requires = "perplexity")]
    pub window: Option<usize>,
    /// Tokens from one window to the next; every token is scored once [default: half the window]
    #[arg(long, value_name = "N", requires = "perplexity")]
    pub stride: Option<usize>,
    /// Most tokens of the text to score [default: all]
    #[arg(long, value_name = "N", requires = "perplexity", value_parser = at_least_one())]
    pub budget: Option<usize>,
    /// Most items of the task file to answer, from its beginning [default: all]
    #[arg(long, value_name = "N", requires = "tasks", value_parser = at_least_one())]
    pub items: Option<usize>,
    /// Most tokens of a short answer, where the item does not say
    #[arg(short = 'n', long, value_name = "N", requires = "tasks", default_value_t = 16, value_parser = at_least_one())]
    pub max_tokens: usize,
    /// The begin token before windows and prompts
    #[arg(long, value_enum, default_value_t = BosName::Model)]
    pub bos: BosName,
    /// A stored result to compare with
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Greatest drop that passes: per cent of the baseline's perplexity, percentage points of accuracy
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.0,
        requires = "baseline",
        allow_negative_numbers = true
    )]
    pub max_drop: f64,
    /// Store the result
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// With --save: replace an existing file
    #[arg(long, requires = "save")]
    pub force: bool,
}

/// Whether to begin with the begin token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BosName {
    /// As the model's tokenizer says
    Model,
    /// Always
    Always,
    /// Never
    Never,
}

/// Runs the gate.
pub fn main(args: &QualityArgs) -> Outcome {
    if args.max_drop.is_nan() {
        return Err("--max-drop is no number".into());
    }
    if let Some(path) = &args.save {
        check_new(path, args.force)?;
    }
    let baseline = args.baseline.as_deref().map(QualityReport::open).transpose()?;
    let text = args.perplexity.as_deref().map(super::read).transpose()?;
    let tasks = args.tasks.as_deref().map(Tasks::open).transpose()?;
    let engine = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    let how = how(args, &engine);
    let protocol = protocol(&how, &engine, text.as_deref(), tasks.as_ref())?;
    if let Some(baseline) = &baseline {
        let refusals = protocol.differences(&baseline.protocol);
        if !refusals.is_empty() {
            return Err(GateError::Refused(refusals).into());
        }
    }
    let report = measure(args, &how, protocol, &engine, text.as_deref(), tasks.as_ref())?;
    if let Some(path) = &args.save {
        write_new(path, &format!("{}\n", serde_json::to_string_pretty(&report)?), args.force)?;
    }
    if !args.model.json {
        say!("{report}");
    }
    let comparison = baseline.map(|b| quality::compare(&report, &b, args.max_drop)).transpose()?;
    let passed = comparison.as_ref().is_none_or(quality::Comparison::passed);
    if args.model.json {
        let model = &engine.model.name;
        say!(
            "{}",
            json!({ "gate": "quality", "model": model, "passed": passed, "report": report, "comparison": comparison })
        );
    } else if let Some(c) = &comparison {
        say!("{c}");
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// How text and tasks are measured.
fn how(args: &QualityArgs, engine: &Engine) -> (PerplexityOptions, TaskOptions) {
    let bos = match args.bos {
        BosName::Model => Bos::Model,
        BosName::Always => Bos::Always,
        BosName::Never => Bos::Never,
    };
    let window = args.window.unwrap_or(engine.plan.context.min(512));
    let perplexity = PerplexityOptions {
        window,
        stride: args.stride.unwrap_or(window / 2),
        bos,
        budget: args.budget.unwrap_or(usize::MAX),
    };
    let limit = args.items.unwrap_or(usize::MAX);
    (perplexity, TaskOptions { bos, max_tokens: args.max_tokens, limit })
}

/// What the result will depend on: a baseline of another protocol is refused before anything is measured.
fn protocol(
    (perplexity, answers): &(PerplexityOptions, TaskOptions),
    engine: &Engine,
    text: Option<&str>,
    tasks: Option<&Tasks>,
) -> Result<Protocol, GateError> {
    let tokenizer = &engine.model.tokenizer;
    let scored = |text| quality::perplexity_protocol(tokenizer, text, perplexity, engine.plan.context);
    Ok(Protocol {
        rules: RULES,
        tokenizer: fingerprint::tokenizer(tokenizer),
        perplexity: text.map(scored).transpose()?,
        tasks: tasks.map(|tasks| quality::task_protocol(tokenizer, tasks, answers)).transpose()?,
    })
}

fn measure(
    args: &QualityArgs,
    (perplexity, answers): &(PerplexityOptions, TaskOptions),
    protocol: Protocol,
    engine: &Engine,
    text: Option<&str>,
    tasks: Option<&Tasks>,
) -> Result<QualityReport, Box<dyn std::error::Error>> {
    let quiet = args.model.json;
    let tokenizer = &engine.model.tokenizer;
    let mut session = output::load(engine, quiet)?;
    let mut report = QualityReport {
        protocol,
        subject: subject(engine, args.model.activations),
        perplexity: None,
        tasks: None,
    };
    if let Some(text) = text {
        let bar = output::tokens_bar("scoring", quiet);
        let found = quality::perplexity(&mut session, tokenizer, text, perplexity, &mut |done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        report.perplexity = Some(found?.1);
    }
    if let Some(tasks) = tasks {
        let bar = output::steps_bar("items", quiet);
        let found = quality::tasks(&mut session, tokenizer, tasks, answers, &mut |done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        report.tasks = Some(found?.1);
    }
    Ok(report)
}

fn subject(engine: &Engine, activations: Activations) -> Subject {
    let float = activations == Activations::Float;
    let (backend, limits) = engine.device();
    Subject {
        model: engine.model.name.clone(),
        backend: backend.into(),
        device: limits.description,
        activations: if float { "float" } else { "model" }.into(),
        weight_bytes_per_token: engine.plan.entries.first().map_or(0, |m| engine.plan.cost(m).weight_bytes),
    }
}
