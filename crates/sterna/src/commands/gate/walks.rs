//! `sterna gate` without a subcommand: every walk against single rows, goldens, another model.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use sterna_plan::Fusions;
use sterna_probe::gate::{self, GateArm, GateOptions, Golden, GoldenBounds};
use sterna_probe::{count, tokens};

use super::GateArgs;
use crate::commands::Outcome;
use crate::commands::output::{self, say};
use crate::engine::{Device, Engine, EngineOptions, open_model};

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
                let mut ids = engine.model.tokenizer.encode(&super::read(path)?, true)?;
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
        // Threads and the CPU's portable kernels are no way to run a GPU's.
        if matches!(args.model.device, Device::Gpu(_)) {
            (options.threads, options.portable) = (vec![1], false);
        }
        let factory = |arm: GateArm| {
            let fusions = if arm.fused { Fusions::ALL } else { Fusions::NONE };
            let device = if arm.portable { Device::CpuPortable } else { args.model.device.clone() };
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
            say!(
                "{}: {}, every walk against one row at a time on one thread",
                engine.model.name,
                count(n, "position")
            );
        }
        let bar = output::steps_bar("walks", args.model.json);
        let report = gate::memcmp(&factory, &ids, &options, &mut |done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let report = report?;
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
    // --linears is about the base: the other model is what its file says.
    let as_it_is = EngineOptions { linears: None, ..args.model.options() };
    let other = Engine::open(Some(path), &as_it_is)?;
    gate::same_tokens(&base.model.tokenizer, &other.model.tokenizer)?;
    let room = base.plan.context.min(other.plan.context);
    let window = args.window.unwrap_or(room.min(512));
    let ids = match &args.text {
        None => tokens::seeded(1, args.positions.unwrap_or(window), base.plan.vocab),
        Some(file) => {
            let text = super::read(file)?;
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
