//! `sterna gate transcript`: what another engine answered, token by token.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use sterna_probe::gate::{self, Allowed, Header, Transcript};

use super::{PromptArgs, at_least_one, check_new, verdict, write_new};
use crate::cli::ModelArgs;
use crate::commands::Outcome;
use crate::commands::output::{self, say};
use crate::engine::Engine;

const HELP: &str = "A transcript is JSON, one object a line:
  {\"transcript\": 1, \"engine\": \"name and version\", \"model\": \"...\"}          a header, if wanted
  {\"text\": \"Once upon\", \"prompt\": [2428, 921], \"tokens\": [262, 608], \"margins\": [7.7, 7.9]}
`prompt` holds the text's token ids, `tokens` the greedy answer, `margins` how far each was ahead of the runner-up
(`seconds`). With text and ids, the text must be cut into exactly these. Without margins no difference is a near tie.
What scripts/llamacpp_greedy.py writes is read as well.

To make one: sterna gate transcript --write oracle.jsonl --device ref-float --prompts prompts.jsonl";

/// `sterna gate transcript`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct TranscriptArgs {
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Transcripts to hold the model against
    #[arg(required_unless_present = "write", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Another token may be chosen where the transcript's best one leads by no more than this
    #[arg(long, default_value_t = 0.1, value_name = "MARGIN", allow_negative_numbers = true)]
    pub near_tie: f32,
    /// Every token must be the expected one, near tie or not
    #[arg(long, conflicts_with_all = ["near_tie", "write"])]
    pub exact: bool,
    /// Write a transcript of this model on this device instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "near_tie"])]
    pub write: Option<PathBuf>,
    /// Prompts to write a transcript of.
    #[command(flatten)]
    pub prompts: PromptArgs,
    /// With --write: tokens of each answer
    #[arg(short = 'n', long, value_name = "N", default_value_t = 16, value_parser = at_least_one(), requires = "write")]
    pub tokens: usize,
    /// With --write: replace an existing file
    #[arg(long, requires = "write")]
    pub force: bool,
}

/// Runs the gate.
pub fn main(args: &TranscriptArgs) -> Outcome {
    if let Some(path) = &args.write {
        return write(args, path);
    }
    if args.prompts.prompts.is_some() || !args.prompts.prompt.is_empty() {
        return Err("--prompts and --prompt are for --write: a transcript has its own prompts".into());
    }
    if !(args.near_tie.is_finite() && args.near_tie >= 0.0) {
        return Err(format!("--near-tie {}: a bound is a number of at least 0", args.near_tie).into());
    }
    let allowed = if args.exact { Allowed::Nothing } else { Allowed::NearTie(args.near_tie) };
    let files = args.files.iter().map(|f| Transcript::open(f)).collect::<Result<Vec<_>, _>>()?;
    let engine = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    let mut session = output::load(&engine, args.model.json)?;
    let (mut reports, mut passed) = (Vec::new(), true);
    for file in &files {
        let bar = output::steps_bar("prompts", args.model.json);
        bar.set_length(file.cases.len() as u64);
        let hear = &mut |n| bar.set_position(n as u64);
        let report = gate::transcript(&mut session, &engine.model.tokenizer, file, allowed, hear);
        bar.finish_and_clear();
        let report = report?;
        passed &= report.passed();
        reports.push(report);
    }
    if let [report] = &reports[..] {
        return verdict(args.model.json, "transcript", &engine.model.name, report, passed);
    }
    if args.model.json {
        let model = &engine.model.name;
        say!("{}", json!({ "gate": "transcript", "model": model, "passed": passed, "reports": reports }));
    } else {
        for report in &reports {
            say!("{report}");
        }
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::from(super::FAILED) })
}

fn write(args: &TranscriptArgs, path: &Path) -> Outcome {
    check_new(path, args.force)?;
    let prompts = args.prompts.cases()?;
    let engine = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    let mut session = output::load(&engine, args.model.json)?;
    let (backend, limits) = engine.device();
    let header = Header {
        engine: Some(format!("sterna {}, {backend} ({})", env!("CARGO_PKG_VERSION"), limits.description)),
        model: Some(engine.model.name.clone()),
        ..Header::default()
    };
    let bar = output::steps_bar("prompts", args.model.json);
    bar.set_length(prompts.len() as u64);
    let hear = &mut |n| bar.set_position(n as u64);
    let made = Transcript::record(&mut session, &engine.model.tokenizer, header, &prompts, args.tokens, hear);
    bar.finish_and_clear();
    let made = made?;
    write_new(path, &made.lines()?, args.force)?;
    if args.model.json {
        say!("{}", json!({ "written": path, "prompts": made.cases.len(), "header": made.header }));
    } else {
        let by = made.header.and_then(|h| h.engine).unwrap_or_default();
        say!("{}: {} prompts, {} tokens each, by {by}", path.display(), made.cases.len(), args.tokens);
    }
    Ok(ExitCode::SUCCESS)
}
