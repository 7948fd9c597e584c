//! `sterna gate`: proofs, not promises. Exit code 0 when everything passed, 1 when not.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use sterna_plan::Fusions;
use sterna_probe::gate::{self, GateArm, GateOptions, Golden, GoldenBounds};
use sterna_probe::tokens;

use super::output::say;
use super::{Outcome, output};
use crate::cli::ModelArgs;
use crate::engine::{Device, Engine, EngineOptions, open_model};

/// `sterna gate`.
#[derive(Args, Debug)]
pub struct GateArgs {
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
    #[arg(long, value_delimiter = ',', value_name = "ROWS", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub chunks: Vec<usize>,
    /// Thread counts to walk with, instead of the usual ones
    #[arg(long, value_delimiter = ',', value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=256))]
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

/// Runs the command.
pub fn main(args: &GateArgs) -> Outcome {
    for (flag, bound) in [("--max-abs", args.max_abs), ("--near-tie", args.near_tie)] {
        if !(bound.is_finite() && bound >= 0.0) {
            return Err(format!("{flag} {bound}: a bound is a number of at least 0").into());
        }
    }
    if let Some(other) = &args.against {
        return against(args, other);
    }
    let engine = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    let mut passed = true;
    let mut reports = Vec::new();
    if !args.golden_only {
        let n = args.positions.unwrap_or(engine.plan.context.min(512));
        let ids = match &args.text {
            Some(path) => {
                let mut ids = {
                    let text = std::fs::read_to_string(path);
                    let text = text.map_err(|e| format!("cannot read the text {}: {e}", path.display()))?;
                    engine.model.tokenizer.encode(&text, true)?
                };
                if ids.len() < n {
                    return Err(format!("the text has {} tokens; {n} positions are wanted", ids.len()).into());
                }
                ids.truncate(n);
                ids
            }
            None => tokens::seeded(1, n, engine.plan.vocab),
        };
        let mut options = if args.quick { GateOptions::quick() } else { GateOptions::default() };
        if !args.chunks.is_empty() {
            options.chunks.clone_from(&args.chunks);
        }
        if !args.walk_threads.is_empty() {
            options.threads.clone_from(&args.walk_threads);
        }
        let factory = |arm: GateArm| {
            let fusions = if arm.fused { Fusions::ALL } else { Fusions::NONE };
            let device = if arm.portable { Device::CpuPortable } else { args.model.device };
            // As many threads as the arm says, whatever else runs.
            let options = EngineOptions {
                threads: arm.threads,
                fusions,
                device,
                governor: false,
                ..args.model.options()
            };
            let engine = Engine::new(open_model(args.model.model.as_deref())?, &options)?;
            output::load(&engine, true)
        };
        if !args.model.json {
            say!("{}: {n} positions, every walk against one row at a time on one thread", engine.model.name);
        }
        let report = gate::memcmp(&factory, &ids, &options)?;
        passed &= report.passed();
        if args.model.json {
            reports.push(json!({ "memcmp": report, "passed": report.passed() }));
        } else {
            say!("{report}");
        }
    }
    for path in &args.golden {
        let golden = Golden::open(path, &args.logits)?;
        let json = path.extension().is_some_and(|e| e == "json");
        if !json && golden.prompts.iter().all(|p| p.rows.is_empty()) {
            return Err(format!("{} has no logits named {}", path.display(), args.logits).into());
        }
        let mut session = output::load(&engine, args.model.json)?;
        let bounds = GoldenBounds { max_abs: args.max_abs, near_tie: args.near_tie };
        let report = gate::golden(&mut session, &golden, bounds)?;
        passed &= report.passed();
        if args.model.json {
            reports.push(json!({ "golden": report, "passed": report.passed() }));
        } else {
            say!("{report}");
        }
    }
    if args.model.json {
        say!("{}", json!({ "model": engine.model.name, "passed": passed, "reports": reports }));
    } else {
        say!("{}", if passed { "passed" } else { "FAILED" });
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `sterna gate --against`: the model is the base, `path` the other.
fn against(args: &GateArgs, path: &Path) -> Outcome {
    if !(0.0..=1.0).contains(&args.min_agreement) {
        return Err(format!("--min-agreement {}: a share is a number from 0 to 1", args.min_agreement).into());
    }
    let base = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    let other = Engine::open(Some(path), &args.model.options())?;
    let room = base.plan.context.min(other.plan.context);
    let window = args.window.unwrap_or(room.min(512));
    let ids = match &args.text {
        None => tokens::seeded(1, args.positions.unwrap_or(window), base.plan.vocab),
        Some(file) => {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|e| format!("cannot read the text {}: {e}", file.display()))?;
            let mut ids = base.model.tokenizer.encode(&text, true)?;
            if ids != other.model.tokenizer.encode(&text, true)? {
                return Err(
                    "the models cut this text into different tokens: there is nothing to compare".into()
                );
            }
            let n = args.positions.unwrap_or(ids.len());
            if ids.len() < n {
                return Err(format!("the text has {} tokens; {n} positions are wanted", ids.len()).into());
            }
            ids.truncate(n);
            ids
        }
    };
    let quiet = args.model.json;
    let (mut a, mut b) = (output::load(&base, quiet)?, output::load(&other, quiet)?);
    let bar = output::tokens_bar("comparing", quiet);
    bar.set_length(ids.len() as u64);
    let report = gate::against(&mut a, &mut b, &ids, window, &mut |n| bar.set_position(n as u64));
    bar.finish_and_clear();
    let report = report?;
    let passed = report.passed(args.min_agreement);
    let traffic = |e: &Engine| e.plan.entries.first().map_or(0, |m| e.plan.cost(m).weight_bytes);
    let (before, after) = (traffic(&base), traffic(&other));
    if quiet {
        let side = |e: &Engine, bytes| json!({ "model": e.model.name, "weight_bytes_per_token": bytes });
        let sides = [side(&base, before), side(&other, after)];
        say!("{}", json!({ "base": sides[0], "other": sides[1], "against": report, "passed": passed }));
    } else {
        say!("base {}, other {} ({})", base.model.name, other.model.name, path.display());
        say!("weights read per token: {} and {}", output::megabytes(before), output::megabytes(after));
        say!("{report}");
        say!("{}", if passed { "passed" } else { "FAILED" });
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
