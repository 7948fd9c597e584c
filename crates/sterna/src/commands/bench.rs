//! `sterna bench`: a model's widths, prefill and decode against this machine's limits; arms against each other.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use sterna_plan::Backend;
use sterna_probe::bench::{
    self, ArmSetup, GenerationOptions, KernelOptions, RowsWanted, Team, WidthOptions, Work, compare_arms,
};
use sterna_probe::command::{CommandArm, Figure, Unit};
use sterna_probe::compare::{Judge, Rule};
use sterna_probe::interleave::Rounds;
use sterna_probe::record::TableValue;

use super::{Outcome, output};
use crate::engine;
use crate::measure::{self, ArmSpec, Bounds, MeasureArgs, Report, Turn};

/// `sterna bench`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sterna bench -m model.gguf --record runs.jsonl    widths, prefill, decode; every sample kept
  sterna bench --arm threads=1 --arm threads=2      is the second faster than the first?
  sterna bench --arm isa=avx2                       this machine's best against AVX2
  sterna bench -m a.gguf --arm model=b.gguf         two files
  sterna bench --prompts 128 --arm width=16 --arm width=64 --decode 0
  sterna bench --against-command 'peer -m a.gguf -n 32' --parse '([0-9.]+) tokens/s'
                                                    another program, by the figure it prints
  sterna bench --kernels tq2_0,q8_0 --shapes 4096x4096
  sterna bench --aa 40                              how often do comparisons err here?")]
pub struct BenchArgs {
    /// Model, machine and output.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Call widths to compare
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32,64,128")]
    pub widths: Vec<usize>,
    /// Prompt lengths for prefill and decode [default: 64,256; 64 for comparisons, 16 for --aa]
    #[arg(long, value_delimiter = ',')]
    pub prompts: Vec<usize>,
    /// Tokens to decode after each prompt; 0 leaves decode away [default: 32; 8 for comparisons, 4 for --aa]
    #[arg(long)]
    pub decode: Option<usize>,
    /// Positions held before the calls of the width table
    #[arg(long, default_value_t = 0)]
    pub prefix: usize,
    /// Ask a result of every row (verify) instead of the last (prefill)
    #[arg(long)]
    pub all_rows: bool,
    /// Rounds that count
    #[arg(long, default_value_t = 5, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000))]
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
    /// Settings to compare, such as threads=1,isa=avx2 (keys: name, model, device, isa, threads, context, width, prefix);
    /// given once, against the command line's own; given again, against the first
    #[arg(long = "arm", value_name = "SPEC", conflicts_with_all = ["kernels", "limits_only", "aa"])]
    pub arms: Vec<ArmSpec>,
    /// Another program to compare with, run by the shell once a sample (`sterna run ...` too, but not `bench` or `probe`,
    /// which would wait for this measurement's end); given again (and no --arm), against the first
    #[arg(long, value_name = "CMD", conflicts_with_all = ["kernels", "limits_only", "aa"])]
    pub against_command: Vec<String>,
    /// Take the program's figure from its output: a regular expression with one group, the last match counts
    #[arg(long, value_name = "REGEX", requires = "against_command")]
    pub parse: Option<String>,
    /// What that figure is
    #[arg(long, value_enum, default_value_t = FigureUnit::PerSecond, requires = "parse")]
    pub unit: FigureUnit,
    /// Seconds after which the program is ended, which is an error
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Seconds of one comparison at most
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// Rounds of one comparison at most
    #[arg(long, default_value_t = 800, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=2000))]
    pub most_rounds: usize,
    /// Differences up to this many percent count as none
    #[arg(long, default_value_t = 1.0, value_name = "PERCENT", value_parser = percent)]
    pub zone: f64,
    /// Compare the model N times with itself and N/2 times with itself slowed down, and count errors; fails when there
    /// are more than 1 in 40 false alarms, or fewer than 18 in 20 slowdowns found
    #[arg(long, value_name = "N", conflicts_with_all = ["kernels", "limits_only"], value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub aa: Option<usize>,
    /// With --aa: the slowdown
    #[arg(long, default_value_t = 5.0, value_name = "PERCENT", requires = "aa", value_parser = percent)]
    pub inject: f64,
}

/// Meaning of a printed figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FigureUnit {
    /// So many tokens a second
    PerSecond,
    /// Seconds
    S,
    /// Milliseconds
    Ms,
}

/// A share from "5": 0.05.
fn percent(text: &str) -> Result<f64, String> {
    let share = text.trim_end_matches('%').parse::<f64>().ok().filter(|p| (0.0..=1000.0).contains(p));
    share.ok_or_else(|| format!("`{text}` is no percentage from 0 to 1000"))
}

/// What `--kernels` and `--shapes` ask for, checked before anything is measured.
fn kernel_options(args: &BenchArgs) -> Result<Vec<KernelOptions>, Box<dyn Error>> {
    let rounds = Rounds { rounds: args.rounds, ..Rounds::default() };
    super::kernel_options(&args.kernels, &args.shapes, &args.widths, rounds)
}

fn kernels(
    backend: &dyn Backend,
    all: &[KernelOptions],
    bounds: &mut Bounds,
    report: &mut Report,
) -> Result<(), Box<dyn Error>> {
    for options in all {
        let table = bench::kernel_table(backend, options, bounds.now())?;
        let table = bounds.hold(table, report)?;
        let name = format!("{} {}x{}", options.encoding, options.rows, options.cols);
        report.one_of("kernels", &name, TableValue::Kernels(table))?;
    }
    Ok(())
}

/// Runs the command.
pub fn main(args: &BenchArgs) -> Outcome {
    let wanted = kernel_options(args)?;
    let commands = commands(args)?;
    let options = args.measure.options();
    let backend = engine::backend(&options)?;
    let is_of_model = args.kernels.is_empty() && !args.limits_only;
    let model = if is_of_model { args.measure.subject() } else { String::new() };
    let mut report = Report::new(&args.measure, &backend.limits().description, model)?;
    let _turn = Turn::take(args.measure.no_wait)?;
    let mut bounds = Bounds::measure(args.measure.threads(), &mut report)?;
    let mut code = ExitCode::SUCCESS;
    if let Some(count) = args.aa {
        code = self_check(args, count, &mut bounds, &mut report)?;
    } else if !args.arms.is_empty() || !commands.is_empty() {
        compare(args, &commands, &mut bounds, &mut report)?;
    } else if !args.kernels.is_empty() {
        kernels(&*backend, &wanted, &mut bounds, &mut report)?;
    } else if !args.limits_only {
        tables(args, &mut bounds, &mut report)?;
    }
    report.finish()?;
    Ok(code)
}

/// Widths, prefill and decode, profile.
fn tables(args: &BenchArgs, bounds: &mut Bounds, report: &mut Report) -> Result<(), Box<dyn Error>> {
    let mut loaded = measure::open(&args.measure, None, &args.measure.options(), &mut |_| {})?;
    let (name, session) = (&loaded.name, &mut loaded.session);
    let rounds = Rounds { rounds: args.rounds, ..Rounds::default() };
    let context = session.context();
    report.put("model", name.as_str().into());
    report.say(&format_args!(
        "\n{name}, {} threads, {} of packed weights",
        args.measure.threads(),
        output::megabytes(session.executor().memory().weights as u64)
    ))?;
    let widths = WidthOptions {
        widths: args.widths.iter().copied().filter(|w| w + args.prefix <= context).collect(),
        prefix: args.prefix,
        wanted: if args.all_rows { RowsWanted::All } else { RowsWanted::Last },
        rounds,
        ..WidthOptions::default()
    };
    let table = bench::width_table(session, &widths, bounds.now())?;
    let table = bounds.hold(table, report)?;
    report.table("widths", name, TableValue::Widths(table))?;
    let decode = args.decode.unwrap_or(32);
    let prompts = if args.prompts.is_empty() { &[64, 256] } else { &args.prompts[..] };
    // Lengths that were asked for are measured or refused; the usual ones are left out where they do not fit.
    if let Some(p) = args.prompts.iter().find(|p| p.saturating_add(decode) > context) {
        return Err(format!(
            "a prompt of {p} and {decode} tokens decoded need {} positions, and the context has {context}: \
             give a larger --context, if the model allows one, or a shorter --prompts",
            p.saturating_add(decode)
        )
        .into());
    }
    if args.decode.is_some_and(|d| d.saturating_add(1) > context) {
        return Err(format!("--decode {decode} needs more than the context of {context} positions").into());
    }
    let prompts: Vec<usize> =
        prompts.iter().copied().filter(|p| p.saturating_add(decode) <= context).collect();
    report.put("generation", serde_json::Value::Null);
    if !prompts.is_empty() && decode > 0 {
        let options = GenerationOptions { prompts, decode, rounds, ..GenerationOptions::default() };
        let table = bench::generation_table(session, &options, bounds.now())?;
        let table = bounds.hold(table, report)?;
        report.table("generation", name, TableValue::Generation(table))?;
    }
    report.put("profiles", serde_json::Value::Array(Vec::new()));
    for width in [1, 64] {
        if args.profile && args.prefix + width <= context {
            let profile = bench::profile(session, width, args.prefix, 20)?;
            report.one_of("profiles", name, TableValue::Profile(profile))?;
        }
    }
    Ok(())
}

fn commands(args: &BenchArgs) -> Result<Vec<CommandArm>, Box<dyn Error>> {
    let unit = match args.unit {
        FigureUnit::PerSecond => Unit::PerSecond,
        FigureUnit::S => Unit::Seconds,
        FigureUnit::Ms => Unit::Milliseconds,
    };
    let figure = match &args.parse {
        Some(pattern) => Figure::printed(pattern, unit)?,
        None => Figure::WallClock,
    };
    let timeout = Duration::from_secs(args.timeout);
    let arm = |command: &String| CommandArm { command: command.clone(), figure: figure.clone(), timeout };
    Ok(args.against_command.iter().map(arm).collect())
}

fn judge(args: &BenchArgs) -> Judge {
    let (most, seconds) = (args.most_rounds, args.seconds as f64);
    let zone = args.zone / 100.0;
    // What counts as the same cannot be finer than what counts as a difference.
    let resolution = Rule::default().resolution.max(zone);
    Judge::new(Rule { most, seconds, zone, resolution, ..Rule::default() })
}

/// Arms and commands against the first of them.
fn compare(
    args: &BenchArgs,
    commands: &[CommandArm],
    bounds: &mut Bounds,
    report: &mut Report,
) -> Result<(), Box<dyn Error>> {
    let own = args.measure.options();
    let mut specs = args.arms.clone();
    // One setting alone is compared with the command line's; several commands are compared with each other.
    if specs.len() + commands.len() < 2 {
        specs.insert(0, ArmSpec::base());
    }
    let mut engines = Vec::new();
    let mut team = Team { sessions: Vec::new(), seed: 1 };
    let mut arms = Vec::new();
    for spec in &specs {
        let engine = spec.engine(&own);
        let known = engines.iter().position(|e| *e == engine);
        let session = match known {
            Some(at) => at,
            None => {
                let (model, options) = &engine;
                team.sessions
                    .push(measure::open(&args.measure, model.as_deref(), options, &mut |_| {})?.session);
                engines.push(engine);
                engines.len() - 1
            }
        };
        let (name, width, prefix) = (spec.name.clone(), spec.width, spec.prefix);
        arms.push(ArmSetup { name, session, width, prefix, slowed: 0.0 });
    }
    let decode = args.decode.unwrap_or(8);
    let prompts = if args.prompts.is_empty() { &[64] } else { &args.prompts[..] };
    let works = prompts.iter().flat_map(|after| {
        let decoded = (decode > 0).then_some(Work::Decode { after: *after, tokens: decode });
        std::iter::once(Work::Prefill(*after)).chain(decoded)
    });
    // A command does its own work, whatever it is: once against decoding, or prefill where there is none.
    let works: Vec<Work> =
        if commands.is_empty() { works.collect() } else { works.last().into_iter().collect() };
    let judge = judge(args);
    for work in works {
        let table = compare_arms(&mut team, &arms, commands, work, &judge, bounds.now())?;
        let table = bounds.hold(table, report)?;
        report.say(&format_args!("\n{table}"))?;
        report.push("comparisons", serde_json::to_value(&table)?);
        report.record_samples(&table.work, &table.samples)?;
        report.record(&table.work, TableValue::Comparison(table.comparisons))?;
    }
    Ok(())
}

/// The model against itself.
fn self_check(
    args: &BenchArgs,
    count: usize,
    bounds: &mut Bounds,
    report: &mut Report,
) -> Result<ExitCode, Box<dyn Error>> {
    let loaded = measure::open(&args.measure, None, &args.measure.options(), &mut |_| {})?;
    let mut team = Team { sessions: vec![loaded.session], seed: 1 };
    let after = args.prompts.first().copied().unwrap_or(16);
    let work = match args.decode.unwrap_or(4) {
        0 => Work::Prefill(after),
        tokens => Work::Decode { after, tokens },
    };
    let mut samples = Vec::new();
    let bar = output::tokens_bar("comparing", args.measure.model.json);
    bar.set_length((count + count / 2) as u64);
    let limits = bounds.now().clone();
    let check =
        bench::self_check(&mut team, work, count, args.inject / 100.0, &judge(args), &limits, &mut |t| {
            samples.push(t.samples.clone());
            bar.inc(1);
        })?;
    bar.finish_and_clear();
    for (i, samples) in samples.iter().enumerate() {
        report.record_samples(&format!("{work}, comparison {i}"), samples)?;
    }
    let passed = check.passed();
    report.put("passed", passed.into());
    report.table("self_check", &work.to_string(), TableValue::SelfCheck(check))?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
