//! `sterna bench`: this machine's limits, a model's widths, prefill and decode; arms interleaved, medians.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use sterna_format::Encoding;
use sterna_plan::{Backend, PlanOptions};
use sterna_probe::bench::{self, GenerationOptions, KernelOptions, RowsWanted, WidthOptions};
use sterna_probe::interleave::Rounds;
use sterna_probe::limits::{LimitOptions, Limits};
use sterna_probe::synthetic::{self, Synthetic};
use sterna_run::Session;

use super::output::say;
use super::{Outcome, output};
use crate::cli::ModelArgs;
use crate::engine::{self, Engine, EngineOptions};

/// `sterna bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Random weights at the shapes of a published model instead of a file
    #[arg(long, value_name = "SHAPE", conflicts_with = "model", value_parser = synthetic::SHAPES.to_vec())]
    pub synthetic: Option<String>,
    /// With --synthetic: layers [default: the model's]
    #[arg(long, requires = "synthetic")]
    pub layers: Option<usize>,
    /// With --synthetic: vocabulary [default: the model's]
    #[arg(long, requires = "synthetic")]
    pub vocab: Option<usize>,
    /// With --synthetic: encoding of the linear layers
    #[arg(long, requires = "synthetic", default_value = "tq2_0")]
    pub weights: String,
    /// With --synthetic: encoding of embedding and head, such as q8_0, q6_k or q4_k
    #[arg(long, requires = "synthetic", default_value = "q8_0")]
    pub head: String,
    /// Call widths to compare
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32,64,128")]
    pub widths: Vec<usize>,
    /// Prompt lengths for prefill and decode
    #[arg(long, value_delimiter = ',', default_value = "64,256")]
    pub prompts: Vec<usize>,
    /// Tokens to decode after each prompt; 0 leaves prefill and decode away
    #[arg(long, default_value_t = 32)]
    pub decode: usize,
    /// Positions held before the calls of the width table
    #[arg(long, default_value_t = 0)]
    pub prefix: usize,
    /// Ask a result of every row (verify) instead of the last (prefill)
    #[arg(long)]
    pub all_rows: bool,
    /// Rounds that count
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// Show where the time of one call goes
    #[arg(long)]
    pub profile: bool,
    /// Linear layers alone, weights out of every cache: encodings to measure, such as tq2_0,q8_0
    #[arg(long, value_delimiter = ',', value_name = "ENCODINGS", conflicts_with_all = ["model", "synthetic"])]
    pub kernels: Vec<String>,
    /// With --kernels: outputs and inputs of a matrix
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "4096x4096",
        value_name = "ROWSxCOLS",
        requires = "kernels"
    )]
    pub shapes: Vec<String>,
    /// Measure the machine only
    #[arg(long)]
    pub limits_only: bool,
}

/// The arms of a comparison all have the threads they are said to have.
fn options(args: &BenchArgs) -> EngineOptions {
    EngineOptions { governor: false, ..args.model.options() }
}

fn session(args: &BenchArgs) -> Result<(String, Session), Box<dyn std::error::Error>> {
    let options = options(args);
    let Some(shape) = &args.synthetic else {
        let engine = Engine::open(args.model.model.as_deref(), &options)?;
        let session = output::load(&engine, args.model.json)?;
        return Ok((engine.model.name.clone(), session));
    };
    let config = synthetic::config(shape, args.layers, args.vocab).ok_or("unknown shape")?;
    let (linear, head): (Encoding, Encoding) = (args.weights.parse()?, args.head.parse()?);
    let weights = Synthetic::new(&config, linear, head, 1);
    let numerics = |_: &str, encoding: Encoding, cols: usize| sterna_bundle::default_numerics(encoding, cols);
    let context = options.context.unwrap_or(1024);
    let plan = Arc::new(sterna_plan::build(&config, &weights, &numerics, &PlanOptions::new(context))?);
    let bar = output::bytes_bar("packing", args.model.json);
    let backend: Box<dyn Backend> = engine::backend(&options)?;
    let executor = backend.load(plan, &weights, &mut |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    let layers = config.layers;
    Ok((format!("synthetic {shape}, {layers} layers, {linear} and {head}"), Session::new(executor, context)?))
}

/// What `--kernels` and `--shapes` ask for, checked before anything is measured.
fn kernel_options(args: &BenchArgs) -> Result<Vec<KernelOptions>, Box<dyn std::error::Error>> {
    let mut all = Vec::new();
    for encoding in &args.kernels {
        for shape in &args.shapes {
            let sides = shape.split_once('x').and_then(|(r, c)| Some((r.parse().ok()?, c.parse().ok()?)));
            let (rows, cols) = sides.ok_or_else(|| format!("`{shape}` is no shape such as 4096x16384"))?;
            let options = KernelOptions {
                encoding: encoding.parse()?,
                rows,
                cols,
                widths: args.widths.clone(),
                cold_bytes: 160 << 20,
                rounds: Rounds { rounds: args.rounds.max(1), ..Rounds::default() },
            };
            options.check()?;
            all.push(options);
        }
    }
    Ok(all)
}

fn kernels(args: &BenchArgs, backend: &dyn Backend, all: &[KernelOptions], limits: &Limits) -> Outcome {
    let mut tables = Vec::new();
    for options in all {
        let table = bench::kernel_table(backend, options, limits)?;
        if !args.model.json {
            say!("\n{table}");
        }
        tables.push(table);
    }
    if args.model.json {
        say!("{}", json!({ "limits": limits, "kernels": tables }));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the command.
pub fn main(args: &BenchArgs) -> Outcome {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = if args.model.threads == 0 { cores } else { args.model.threads };
    let show = |text: &dyn std::fmt::Display| -> std::io::Result<()> {
        if !args.model.json {
            say!("{text}");
        }
        Ok(())
    };
    let wanted = kernel_options(args)?;
    let backend = engine::backend(&options(args))?;
    let limits = Limits::measure(&LimitOptions::new(threads))?;
    show(&limits)?;
    if args.limits_only {
        if args.model.json {
            say!("{}", json!({ "limits": limits }));
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !args.kernels.is_empty() {
        return kernels(args, &*backend, &wanted, &limits);
    }
    let (name, mut session) = session(args)?;
    let rounds = Rounds { rounds: args.rounds.max(1), ..Rounds::default() };
    let context = session.context();
    show(&format!(
        "\n{name}, {threads} threads, {} of packed weights",
        output::megabytes(session.executor().memory().weights as u64)
    ))?;
    let widths = WidthOptions {
        widths: args.widths.iter().copied().filter(|w| w + args.prefix <= context).collect(),
        prefix: args.prefix,
        wanted: if args.all_rows { RowsWanted::All } else { RowsWanted::Last },
        rounds,
        ..WidthOptions::default()
    };
    let widths = bench::width_table(&mut session, &widths, &limits)?;
    show(&widths)?;
    let mut generation = None;
    let prompts: Vec<usize> = args.prompts.iter().copied().filter(|p| p + args.decode <= context).collect();
    if !prompts.is_empty() && args.decode > 0 {
        let options =
            GenerationOptions { prompts, decode: args.decode, rounds, ..GenerationOptions::default() };
        let table = bench::generation_table(&mut session, &options, &limits)?;
        show(&table)?;
        generation = Some(table);
    }
    let mut profiles = Vec::new();
    if args.profile {
        for width in [1, 64] {
            if args.prefix + width <= context {
                let profile = bench::profile(&mut session, width, args.prefix, 20)?;
                show(&profile)?;
                profiles.push(profile);
            }
        }
    }
    if args.model.json {
        say!(
            "{}",
            json!({ "model": name, "limits": limits, "widths": widths, "generation": generation, "profiles": profiles })
        );
    }
    Ok(ExitCode::SUCCESS)
}
