//! `sterna bench`: a model's widths, prefill and decode against this machine's limits; arms against each other.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use sterna_plan::Backend;
use sterna_probe::bench::{
    self, ArmSetup, GenerationOptions, KernelOptions, RowsWanted, Team, WidthOptions, Work, compare_arms,
};
use sterna_probe::command::{CommandArm, Figure, Leash, Unit};
use sterna_probe::compare::{Judge, Rule};
use sterna_probe::count;
use sterna_probe::interleave::Rounds;
use sterna_probe::record::TableValue;

use super::speculation::{SetArgs, Speculation};
use super::{Outcome, Usage, output, signals};
use crate::engine::{self, EngineOptions};
use crate::measure::{self, ArmSpec, Bounds, MeasureArgs, Planned, Report, Turn};

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
  sterna bench --arm speculate=off --arm speculate=ngram --arm speculate=draft,draft=builtin,draft-tokens=4
                                                    what drafts are worth, by kind of answer
  sterna bench --kernels tq2_0,q8_0 --shapes 4096x4096
  sterna bench --aa 40                              how often do comparisons err here?")]
pub struct BenchArgs {
    /// Model, machine and output.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Call widths to compare, ascending [default: 1,2,4,8,16,32,64,128]
    #[arg(long, value_delimiter = ',', value_name = "ROWS", value_parser = rows(), conflicts_with_all = ["limits_only", "arms", "against_command", "aa"])]
    pub widths: Vec<usize>,
    /// Prompt lengths for prefill and decode [default: 64,256; 64 for comparisons, 16 for --aa]
    #[arg(long, value_delimiter = ',', value_name = "TOKENS", value_parser = tokens(), conflicts_with_all = ["kernels", "limits_only"])]
    pub prompts: Vec<usize>,
    /// Tokens to decode after each prompt; 0 leaves decode away [default: 32; 8 for comparisons, 64 at most where arms
    /// speculate, 4 for --aa]
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["kernels", "limits_only"])]
    pub decode: Option<usize>,
    /// Positions held before the calls of the width table
    #[arg(long, default_value_t = 0, value_name = "TOKENS", conflicts_with_all = ["kernels", "limits_only", "arms", "against_command", "aa"])]
    pub prefix: usize,
    /// Ask a result of every row (verify) instead of the last (prefill)
    #[arg(long, conflicts_with_all = ["kernels", "limits_only", "arms", "against_command", "aa"])]
    pub all_rows: bool,
    /// Rounds that count
    #[arg(long, default_value_t = 5, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub rounds: usize,
    /// Show where the time of one call goes
    #[arg(long, conflicts_with_all = ["kernels", "limits_only", "arms", "against_command", "aa"])]
    pub profile: bool,
    /// Linear layers alone, weights out of every cache: encodings to measure, such as tq2_0,q8_0
    #[arg(long, value_delimiter = ',', value_name = "ENCODINGS", conflicts_with_all = ["model", "synthetic", "limits_only"])]
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
    /// Settings to compare, such as threads=1,isa=avx2 (keys: name, model, device, isa, threads, context, width, prefix), or
    /// speculate=off|auto|ngram|mtp|draft|eagle3 (with draft, draft-linears, eagle, eagle-taps, draft-tokens,
    /// draft-alternatives), for which arms answer --prompt-file;
    /// given once, against the command line's own; given again, against the first
    #[arg(long = "arm", value_name = "SPEC", conflicts_with_all = ["kernels", "limits_only", "aa"])]
    pub arms: Vec<ArmSpec>,
    /// Prompts of arms that speculate.
    #[command(flatten)]
    pub sets: SetArgs,
    /// Another program to compare with, run by the shell once a sample (`sterna run ...` too, but not `bench` or `probe`,
    /// which would wait for this measurement's end); given again (and no --arm), against the first
    #[arg(long, value_name = "CMD", value_parser = shell_command, conflicts_with_all = ["kernels", "limits_only", "aa"])]
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
    #[arg(long, default_value_t = 5.0, value_name = "PERCENT", requires = "aa", value_parser = slowdown)]
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

/// A percentage from "5" or "5%".
fn percent(text: &str) -> Result<f64, String> {
    let share = text.trim_end_matches('%').parse::<f64>().ok().filter(|p| (0.0..=1000.0).contains(p));
    share.ok_or_else(|| format!("`{text}` is no percentage from 0 to 1000"))
}

/// The same, of something that is to be found.
fn slowdown(text: &str) -> Result<f64, String> {
    percent(text)?; // says what a percentage is
    let share = percent(text).ok().filter(|p| *p > 0.0);
    share.ok_or_else(|| "a slowdown of 0 is none, and could not be found".to_owned())
}

fn shell_command(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("an empty command does nothing".into()) } else { Ok(text.to_owned()) }
}

/// Rows of a call.
fn rows() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1024)
}

/// Tokens of a prompt.
fn tokens() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1 << 32)
}

/// Widths when none are asked for, as far as they fit the context.
const WIDTHS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// What `--kernels` and `--shapes` ask for, checked before anything is measured.
fn kernel_options(args: &BenchArgs) -> Result<Vec<KernelOptions>, Box<dyn Error>> {
    let rounds = Rounds { rounds: args.rounds, ..Rounds::default() };
    let widths = if args.widths.is_empty() { &WIDTHS[..] } else { &args.widths };
    super::kernel_options(&args.kernels, &args.shapes, widths, rounds)
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

/// What is to be measured, held against the plans of its models: nothing takes time before all of it is known to fit.
enum Job {
    Limits,
    Kernels(Vec<KernelOptions>),
    Tables(Box<Tables>),
    Arms(Arms),
    Speculation { arms: Speculation, judge: Judge },
    SelfCheck { model: Planned, count: usize, work: Work, judge: Judge },
}

fn job(args: &BenchArgs) -> Result<Job, Box<dyn Error>> {
    let kernels = kernel_options(args)?;
    let own = args.measure.options();
    if args.limits_only {
        return Ok(Job::Limits);
    }
    if !kernels.is_empty() {
        return Ok(Job::Kernels(kernels));
    }
    if let Some(count) = args.aa {
        let (model, judge) = (measure::plan(&args.measure, None, &own)?, judge(args)?);
        let after = args.prompts.first().copied().unwrap_or(16);
        let work = match args.decode.unwrap_or(4) {
            0 => Work::Prefill(after),
            tokens => Work::Decode { after, tokens },
        };
        let arm = ArmSetup { name: "base".into(), session: 0, width: None, prefix: 0, slowed: 0.0 };
        bench::check_arms(&[model.plan().context], &[arm.clone(), arm], &[], work)?;
        return Ok(Job::SelfCheck { model, count, work, judge });
    }
    if let Some(arms) = Speculation::of(args, &own)? {
        return Ok(Job::Speculation { arms, judge: judge(args)? });
    }
    if !args.arms.is_empty() || !args.against_command.is_empty() {
        return Ok(Job::Arms(arms(args, &own)?));
    }
    Ok(Job::Tables(Box::new(tables(args, &own)?)))
}

/// Runs the command.
pub fn main(args: &BenchArgs) -> Outcome {
    let options = args.measure.options();
    if super::bench_gpu::is_for(args, &options) {
        return super::bench_gpu::main(args, &options);
    }
    let backend = engine::backend(&options)?;
    let job = job(args)?;
    let is_of_model = !matches!(job, Job::Limits | Job::Kernels(_));
    let model = if is_of_model { args.measure.subject() } else { String::new() };
    let mut report = Report::new(&args.measure, &backend.limits().description, model)?;
    let _turn = Turn::take(args.measure.no_wait)?;
    let mut bounds = Bounds::measure(args.measure.threads(), &mut report)?;
    let mut code = ExitCode::SUCCESS;
    match job {
        Job::Limits => {}
        Job::Kernels(all) => kernels(&*backend, &all, &mut bounds, &mut report)?,
        Job::Tables(tables) => tables.measure(args, &mut bounds, &mut report)?,
        Job::Arms(arms) => arms.compare(&mut bounds, &mut report)?,
        Job::Speculation { arms, judge } => arms.compare(&judge, &mut report)?,
        Job::SelfCheck { model, count, work, judge } => {
            code = self_check(args, model, count, work, &judge, &mut bounds, &mut report)?;
        }
    }
    report.finish()?;
    Ok(code)
}

/// Widths, prefill and decode, profile.
struct Tables {
    model: Planned,
    widths: WidthOptions,
    /// `None` where nothing is decoded.
    generation: Option<GenerationOptions>,
    /// Widths to profile.
    profiles: Vec<usize>,
}

fn tables(args: &BenchArgs, own: &EngineOptions) -> Result<Tables, Box<dyn Error>> {
    measure::on_the_processor(own)?;
    let model = measure::plan(&args.measure, None, own)?;
    let (plan, prefix) = (model.plan(), args.prefix);
    let context = plan.context;
    let rounds = Rounds { rounds: args.rounds, ..Rounds::default() };
    // What was asked for is measured or refused; the usual is left out where it does not fit.
    let fits = |w: &usize| prefix.saturating_add(*w) <= context;
    let usual = || WIDTHS.into_iter().filter(|w| *w == 1 || fits(w)).collect();
    let widths = WidthOptions {
        widths: if args.widths.is_empty() { usual() } else { args.widths.clone() },
        prefix,
        wanted: if args.all_rows { RowsWanted::All } else { RowsWanted::Last },
        rounds,
        ..WidthOptions::default()
    };
    widths.check(plan)?;
    let decode = args.decode.unwrap_or(32);
    if args.decode.is_some_and(|d| d.saturating_add(1) > context) {
        return Err(format!("--decode {decode} needs more than the context of {context} positions").into());
    }
    let usual = || [64, 256].into_iter().filter(|p: &usize| p.saturating_add(decode) <= context).collect();
    let prompts: Vec<usize> = if args.prompts.is_empty() { usual() } else { args.prompts.clone() };
    let mut generation = None;
    if !prompts.is_empty() {
        let options = GenerationOptions { prompts, decode, rounds, ..GenerationOptions::default() };
        options.check(context)?;
        generation = (decode > 0).then_some(options);
    }
    let profiles = [1, 64].into_iter().filter(|w| args.profile && fits(w)).collect();
    Ok(Tables { model, widths, generation, profiles })
}

impl Tables {
    fn measure(
        self,
        args: &BenchArgs,
        bounds: &mut Bounds,
        report: &mut Report,
    ) -> Result<(), Box<dyn Error>> {
        let mut loaded = self.model.load(&mut |_| {})?;
        let (name, session) = (&loaded.name, &mut loaded.session);
        report.put("model", name.as_str().into());
        report.say(&format_args!(
            "\n{name}, {}, {} of packed weights",
            count(args.measure.threads(), "thread"),
            output::megabytes(session.executor().memory().weights as u64)
        ))?;
        let table = bench::width_table(session, &self.widths, bounds.now())?;
        let table = bounds.hold(table, report)?;
        report.table("widths", name, TableValue::Widths(table))?;
        report.put("generation", serde_json::Value::Null);
        if let Some(options) = &self.generation {
            let table = bench::generation_table(session, options, bounds.now())?;
            let table = bounds.hold(table, report)?;
            report.table("generation", name, TableValue::Generation(table))?;
        }
        report.put("profiles", serde_json::Value::Array(Vec::new()));
        for width in self.profiles {
            let profile = bench::profile(session, width, args.prefix, 20)?;
            report.one_of("profiles", name, TableValue::Profile(profile))?;
        }
        Ok(())
    }
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
    let leash = Leash::default();
    if !args.against_command.is_empty() {
        let leash = leash.clone();
        signals::before_the_end(move || leash.end())?;
    }
    let arm = |command: &String| {
        let (command, figure, leash) = (command.clone(), figure.clone(), leash.clone());
        CommandArm { command, figure, timeout, leash }
    };
    Ok(args.against_command.iter().map(arm).collect())
}

/// What comparisons go by.
fn judge(args: &BenchArgs) -> Result<Judge, Usage> {
    let (most, seconds) = (args.most_rounds, args.seconds as f64);
    let zone = args.zone / 100.0;
    // What counts as the same cannot be finer than what counts as a difference.
    let resolution = Rule::default().resolution.max(zone);
    let rule = Rule { most, seconds, zone, resolution, ..Rule::default() };
    let judge = Judge::new(rule);
    if judge.can_decide() {
        return Ok(judge);
    }
    let least = rule.least();
    Err(Usage(format!("--most-rounds {most}: too few rounds to decide anything; give at least {least}")))
}

/// Arms and commands against the first of them.
struct Arms {
    /// One for each session.
    models: Vec<Planned>,
    arms: Vec<ArmSetup>,
    commands: Vec<CommandArm>,
    works: Vec<Work>,
    judge: Judge,
}

fn arms(args: &BenchArgs, own: &EngineOptions) -> Result<Arms, Box<dyn Error>> {
    let (commands, judge) = (commands(args)?, judge(args)?);
    let mut specs = args.arms.clone();
    // One setting alone is compared with the command line's; several commands are compared with each other.
    if specs.len() + commands.len() < 2 {
        specs.insert(0, ArmSpec::base());
    }
    let (mut engines, mut models, mut arms) = (Vec::new(), Vec::new(), Vec::new());
    for spec in &specs {
        let engine = spec.engine(own);
        let known = engines.iter().position(|e| *e == engine);
        let session = match known {
            Some(at) => at,
            None => {
                models.push(measure::plan(&args.measure, engine.0.as_deref(), &engine.1)?);
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
    let contexts: Vec<usize> = models.iter().map(|m| m.plan().context).collect();
    for work in &works {
        bench::check_arms(&contexts, &arms, &commands, *work)?;
    }
    Ok(Arms { models, arms, commands, works, judge })
}

impl Arms {
    fn compare(self, bounds: &mut Bounds, report: &mut Report) -> Result<(), Box<dyn Error>> {
        let mut team = Team { sessions: Vec::new(), seed: 1 };
        for model in self.models {
            team.sessions.push(model.load(&mut |_| {})?.session);
        }
        for work in self.works {
            let table = compare_arms(&mut team, &self.arms, &self.commands, work, &self.judge, bounds.now())?;
            let table = bounds.hold(table, report)?;
            report.say(&format_args!("\n{table}"))?;
            report.push("comparisons", serde_json::to_value(&table)?);
            report.record_samples(&table.work, &table.samples)?;
            report.record(&table.work, TableValue::Comparison(table.comparisons))?;
        }
        Ok(())
    }
}

/// The model against itself.
fn self_check(
    args: &BenchArgs,
    model: Planned,
    count: usize,
    work: Work,
    judge: &Judge,
    bounds: &mut Bounds,
    report: &mut Report,
) -> Result<ExitCode, Box<dyn Error>> {
    let mut team = Team { sessions: vec![model.load(&mut |_| {})?.session], seed: 1 };
    let mut samples = Vec::new();
    let bar = output::steps_bar("comparing", args.measure.model.json);
    bar.set_length((count + count / 2) as u64);
    let limits = bounds.now().clone();
    let check = bench::self_check(&mut team, work, count, args.inject / 100.0, judge, &limits, &mut |t| {
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
