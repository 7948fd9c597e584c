//! `sterna gate`: proofs, not promises.

mod argmax;
mod lossless;
mod quality;
mod transcript;
mod walks;

use std::error::Error;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use sterna_probe::gate::{Case, GateError, prompts};

use super::output::{self, say};
use super::{Outcome, broken_pipe, report_error};
use crate::cli::ModelArgs;

/// The gate did not pass.
const FAILED: u8 = 1;
/// The gate could not be run: usage, bad input, a machine that cannot.
const NOT_RUN: u8 = 2;
/// The results cannot be compared.
const REFUSED: u8 = 3;

const EXIT_CODES: &str = "Exit codes, of every gate:
  0  passed
  1  failed: something differs, a figure dropped too far, or the model gave no numbers
  2  not run: wrong usage, a file that cannot be read, a model that does not load
  3  refused: the stored result or transcript was made in another way (protocol, budget, tokenizer)";

/// One gate.
#[derive(Debug, Subcommand)]
pub enum Gate {
    /// One call of C rows against C calls of one row: best token C/C, bits C/C, state
    Argmax(argmax::ArgmaxArgs),
    /// Hold the model against what another engine answered, or write such a transcript
    Transcript(transcript::TranscriptArgs),
    /// The same answers from every way to run, over a prompt file
    Lossless(lossless::LosslessArgs),
    /// Perplexity and accuracy, and whether they dropped against a stored result
    Quality(quality::QualityArgs),
}

/// `sterna gate`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = EXIT_CODES)]
pub struct GateArgs {
    /// One gate by name; without it, every walk against single rows, and goldens.
    #[command(subcommand)]
    pub gate: Option<Gate>,
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Positions to compare [default: the whole context, at most 512]
    #[arg(long, value_name = "N")]
    pub positions: Option<usize>,
    /// Text to walk through instead of seeded random tokens
    #[arg(long, value_name = "FILE")]
    pub text: Option<PathBuf>,
    /// A few walks instead of all (for large models)
    #[arg(long)]
    pub quick: bool,
    /// Chunk lengths to walk in, instead of the usual ones
    #[arg(long, value_delimiter = ',', value_name = "ROWS", value_parser = rows())]
    pub chunks: Vec<usize>,
    /// Thread counts to walk with, instead of the usual ones
    #[arg(long, value_delimiter = ',', value_name = "N", value_parser = threads())]
    pub walk_threads: Vec<usize>,
    /// Golden outputs to compare with (safetensors of the oracle, or llama.cpp's as JSON); may be given several times
    #[arg(long, value_name = "FILE")]
    pub golden: Vec<PathBuf>,
    /// Name of the logits in a golden safetensors file
    #[arg(long, default_value = "logits")]
    pub logits: String,
    /// Largest allowed difference from golden logits
    #[arg(long, default_value_t = 0.5, allow_negative_numbers = true)]
    pub max_abs: f32,
    /// A golden margin below this may fall either way
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    pub near_tie: f32,
    /// Compare the best tokens and logits with another model's over the same tokens, instead of the walks
    #[arg(long, value_name = "PATH", conflicts_with_all = ["golden", "chunks", "walk_threads", "quick"])]
    pub against: Option<PathBuf>,
    /// With --against: share of positions (0 to 1) at which the best token must be the same
    #[arg(
        long,
        requires = "against",
        default_value_t = 0.0,
        value_name = "SHARE",
        allow_negative_numbers = true
    )]
    pub min_agreement: f64,
    /// With --against: positions after which the state is emptied [default: the context, at most 512]
    #[arg(long, requires = "against", value_name = "N")]
    pub window: Option<usize>,
    /// Compare with goldens only, without the walks
    #[arg(long, requires = "golden")]
    pub golden_only: bool,
}

impl GateArgs {
    /// Model and machine of the gate that is asked for.
    pub fn model_args(&self) -> &ModelArgs {
        match &self.gate {
            None => &self.model,
            Some(Gate::Argmax(a)) => &a.model,
            Some(Gate::Transcript(a)) => &a.model,
            Some(Gate::Lossless(a)) => &a.model,
            Some(Gate::Quality(a)) => &a.model,
        }
    }
}

/// Chunk lengths on the command line.
fn rows() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1024)
}

/// Thread counts on the command line.
fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=256)
}

/// A number of at least 1 on the command line.
fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1 << 32)
}

/// Runs the command. What kept a gate from its end has another exit code than a gate that failed.
pub fn main(args: &GateArgs) -> Outcome {
    let json = args.model_args().json;
    let outcome = match &args.gate {
        None => walks::main(args),
        Some(Gate::Argmax(args)) => argmax::main(args),
        Some(Gate::Transcript(args)) => transcript::main(args),
        Some(Gate::Lossless(args)) => lossless::main(args),
        Some(Gate::Quality(args)) => quality::main(args),
    };
    let error = match outcome {
        Err(error) if !broken_pipe(&*error) => error,
        other => return other,
    };
    let code = match error.downcast_ref::<GateError>() {
        Some(GateError::Refused(_)) => REFUSED,
        Some(e) if e.is_failure() => FAILED,
        _ => NOT_RUN,
    };
    if let (true, Some(GateError::Refused(refusals))) = (json, error.downcast_ref()) {
        say!("{}", json!({ "passed": false, "refused": refusals }));
    }
    report_error(&*error);
    Ok(ExitCode::from(code))
}

/// Shows what a gate found, as text or JSON, and gives its exit code.
fn verdict<R: Serialize + Display>(json: bool, gate: &str, model: &str, report: &R, passed: bool) -> Outcome {
    if json {
        say!("{}", json!({ "gate": gate, "model": model, "passed": passed, "report": report }));
    } else {
        say!("{report}");
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// A text file.
fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("cannot read the text {}: {e}", path.display()))
}

/// Writes a new file.
fn write_new(path: &Path, text: &str, force: bool) -> Result<(), Box<dyn Error>> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    let options = options.write(true);
    let options = if force { options.create(true).truncate(true) } else { options.create_new(true) };
    let failed = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{} exists; --force replaces it", path.display()),
        _ => format!("cannot write {}: {e}", path.display()),
    };
    options.open(path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)?;
    Ok(())
}

/// Whether [`write_new`] will be able to write, asked before what takes long.
fn check_new(path: &Path, force: bool) -> Result<(), Box<dyn Error>> {
    if path.exists() && !force {
        return Err(format!("{} exists; --force replaces it", path.display()).into());
    }
    Ok(output::check_writable(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?)
}

/// Prompts of a gate.
#[derive(Args, Debug)]
pub struct PromptArgs {
    /// Prompt file: one JSON object a line with `text` or `prompt` (token ids), and `stop` texts if any
    #[arg(long, value_name = "FILE")]
    pub prompts: Option<PathBuf>,
    /// A prompt; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub prompt: Vec<String>,
}

impl PromptArgs {
    /// All of them; at least one.
    fn cases(&self) -> Result<Vec<Case>, GateError> {
        if self.prompts.is_none() && self.prompt.is_empty() {
            return Err(GateError::Options("no prompts: give --prompts FILE or --prompt TEXT".into()));
        }
        let mut cases = match &self.prompts {
            Some(path) => prompts(path)?,
            None => Vec::new(),
        };
        cases.extend(self.prompt.iter().map(Case::text));
        Ok(cases)
    }
}
