//! `sterna probe`: what the machine, the kernels and a model cost, one table for each question.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use sterna_plan::MemoryUse;
use sterna_probe::bench::{self, KernelOptions, WidthOptions};
use sterna_probe::dispatch::{dispatch_cost, thread_cost};
use sterna_probe::interleave::Rounds;
use sterna_probe::memory::{MemoryStage, MemoryStages};
use sterna_probe::record::TableValue;
use sterna_probe::tokens;
use sterna_probe::verify::{break_even, round_cost, verify_cost};
use sterna_run::speculate::Proposer;

use super::{Outcome, Usage};
use crate::engine::{self, EngineOptions};
use crate::measure::{self, Bounds, Loaded, MeasureArgs, Planned, Report, Turn};
use crate::speculate::{self, Mode, SpeculateOptions};

/// `sterna probe`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sterna probe                                      all of it, on the built-in model
  sterna probe limits --record runs.jsonl
  sterna probe kernels --encodings tq2_0,q8_0 --shapes 4096x4096
  sterna probe verify-cost -m model.gguf --draft-cost 0.1 --accept 0.8,0.7,0.6
  sterna probe verify-cost -m model.gguf --mtp --accept 0.8,0.7,0.6    drafting is measured too
  sterna probe tables --which staircase             a public table for this backend
  sterna probe tables --which chunks --synthetic bitcpm-8b    at the true depth")]
pub struct ProbeArgs {
    /// What to measure
    #[arg(value_enum, default_value = "all")]
    pub what: What,
    /// With `tables`: which
    #[arg(long, value_enum, value_name = "TABLE")]
    pub which: Option<Which>,
    /// Model, machine and output.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Rounds that count
    #[arg(long, default_value_t = 7, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub rounds: usize,
    /// Kernels: encodings
    #[arg(long, value_delimiter = ',', default_value = "tq2_0")]
    pub encodings: Vec<String>,
    /// Kernels: outputs and inputs of a matrix
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "ROWSxCOLS",
        default_value = "4096x4096,16384x4096,4096x16384",
        conflicts_with = "which"
    )]
    pub shapes: Vec<String>,
    /// Kernels: rows of a call [default: 1,4,16,64; 1,16,32,64,128 for the table]
    #[arg(long, value_delimiter = ',')]
    pub widths: Vec<usize>,
    /// Verify cost: every width from 1 to this
    #[arg(long, default_value_t = 32, value_name = "ROWS", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=128))]
    pub widest: usize,
    /// Positions held before the calls of a model
    #[arg(long, default_value_t = 64, value_name = "TOKENS")]
    pub prefix: usize,
    /// Break-even: what drafting one token costs, in decode steps
    #[arg(long, default_value_t = 0.0, value_name = "STEPS", value_parser = steps, allow_negative_numbers = true)]
    pub draft_cost: f64,
    /// Verify cost: measure this model's drafting too, in the same turns; `builtin` for the built-in model's
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["draft_cost", "synthetic"])]
    pub draft: Option<PathBuf>,
    /// Verify cost: measure the drafting of the model's own head for multi-token prediction too
    #[arg(long, conflicts_with_all = ["draft_cost", "draft", "synthetic"])]
    pub mtp: bool,
    /// Verify cost: measure the drafting of this EAGLE-3 head too
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["draft_cost", "draft", "mtp", "synthetic"])]
    pub eagle: Option<PathBuf>,
    /// Break-even: chance of each draft to be accepted, by its place; the last goes on
    #[arg(long, value_delimiter = ',', value_name = "SHARES", value_parser = share, allow_negative_numbers = true)]
    pub accept: Vec<f64>,
    /// Verify cost: folder of the cost table [default: sterna/verify-cost in the user's cache]
    #[arg(long, value_name = "FOLDER")]
    pub costs: Option<PathBuf>,
}

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Read and copy bandwidth, integer and float peak
    Limits,
    /// Matrices alone, their weights out of every cache (cold) and in one (hot)
    Kernels,
    /// What a call and an op cost besides their work
    Dispatch,
    /// What waking threads and their barriers cost
    Threads,
    /// Every width in decode steps, with a line and a staircase fitted, and when drafting pays
    VerifyCost,
    /// Memory by stage
    Memory,
    /// A public table, re-printed for this machine (--which)
    Tables,
    /// All but the tables
    All,
}

/// Public tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Matrices of large models, 1 to 128 rows
    Kernel,
    /// Chunks end to end, with the argmax check
    Chunks,
    /// Time of one forward by op
    Breakdown,
    /// Every width from 1 to 16
    Staircase,
    /// Verify cost with its fits, and break-even
    Verify,
}

fn steps(text: &str) -> Result<f64, String> {
    let steps = text.parse::<f64>().ok().filter(|s| (0.0..=1e6).contains(s));
    steps.ok_or_else(|| format!("`{text}` is no number of decode steps"))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|s| (0.0..=1.0).contains(s));
    share.ok_or_else(|| format!("`{text}` is no share from 0 to 1"))
}

/// Shapes of the public kernel table, outputs x inputs.
const KERNEL_SHAPES: [&str; 4] = ["4096x4096", "16384x4096", "4096x16384", "17408x5120"];
/// Model of the public tables when none is named: four layers say what a layer costs.
const TABLE_MODEL: (&str, usize) = ("bitcpm-8b", 4);

impl ProbeArgs {
    /// Whose drafting is measured.
    fn drafting(&self) -> SpeculateOptions {
        let mode = match (&self.draft, &self.eagle) {
            (Some(_), _) => Mode::Draft,
            (None, Some(_)) => Mode::Eagle3,
            (None, None) if self.mtp => Mode::Mtp,
            (None, None) => Mode::Off,
        };
        let (draft, eagle) = (self.draft.clone(), self.eagle.clone());
        SpeculateOptions { mode, draft, eagle, ..SpeculateOptions::default() }
    }
}

struct Probe<'a> {
    args: &'a ProbeArgs,
    measure: &'a MeasureArgs,
    options: EngineOptions,
    report: Report,
    bounds: Bounds,
}

/// Runs the command.
pub fn main(args: &ProbeArgs) -> Outcome {
    if (args.what == What::Tables) != args.which.is_some() {
        let text = "`probe tables` and --which go together: kernel, chunks, breakdown, staircase or verify";
        return Err(Usage(text.into()).into());
    }
    let default;
    let is_named = args.measure.synthetic.is_some() || args.measure.model.model.is_some();
    let measure = if args.what == What::Tables && !is_named && args.which != Some(Which::Kernel) {
        let m = &args.measure;
        default = MeasureArgs {
            model: m.model.clone(),
            synthetic: Some(TABLE_MODEL.0.to_owned()),
            layers: Some(TABLE_MODEL.1),
            vocab: None,
            weights: m.weights.clone(),
            head: m.head.clone(),
            record: m.record.clone(),
            no_wait: m.no_wait,
        };
        &default
    } else {
        &args.measure
    };
    let kernels = kernel_options(args)?;
    let drafts = args.drafting().mode != Mode::Off;
    if drafts && !matches!(args.what, What::VerifyCost | What::All) && args.which != Some(Which::Verify) {
        return Err(Usage("--draft, --mtp and --eagle are for `probe verify-cost`".into()).into());
    }
    let is = |what| args.what == what || args.what == What::All;
    let options = EngineOptions { speculate: args.drafting(), ..measure.options() };
    let backend = engine::backend(&options)?;
    let is_of_model =
        is(What::Memory) || is(What::VerifyCost) || args.which.is_some_and(|w| w != Which::Kernel);
    let model = if is_of_model { measure.subject() } else { String::new() };
    let start = MemoryStage::now("start", MemoryUse::default());
    let rounds = Rounds { rounds: args.rounds, ..Rounds::default() };
    let mut asked = asked(args, measure, &options, rounds)?;
    if let Some(asked) = asked.as_mut().filter(|_| is(What::Memory)) {
        asked.model = None; // memory is counted without it
    }
    let mut report = Report::new(measure, &backend.limits().description, model)?;
    let _turn = Turn::take(measure.no_wait)?;
    // Before anything else has touched memory.
    let memory = is(What::Memory).then(|| memory(measure, &options, start)).transpose()?;
    let bounds = Bounds::measure(measure.threads(), &mut report)?;
    let mut probe = Probe { args, measure, options, report, bounds };
    if is(What::Kernels) || args.which == Some(Which::Kernel) {
        probe.kernels(&*backend, &kernels)?;
    }
    if is(What::Dispatch) {
        let rounds = Rounds { rounds: args.rounds.max(15), ..rounds };
        let (cost, samples) = dispatch_cost(&*backend, measure.threads(), rounds)?;
        probe.report.record_samples("dispatch, 20 calls", &samples)?;
        probe.report.table("dispatch", "dispatch", TableValue::Dispatch(cost))?;
    }
    if is(What::Threads) {
        let one = engine::backend(&EngineOptions { threads: 1, ..probe.options.clone() })?;
        let rounds = Rounds { rounds: args.rounds.max(25), ..rounds };
        let (cost, samples) = thread_cost(&*one, &*backend, measure.threads(), rounds)?;
        probe.report.record_samples("threads", &samples)?;
        probe.report.table("threads", "threads", TableValue::Threads(cost))?;
    }
    if let Some(memory) = memory {
        let name = memory.model.clone();
        probe.report.table("memory", &name, TableValue::Memory(memory))?;
    }
    match asked {
        Some(Asked { model, table: Table::Verify(options, folder) }) => {
            probe.verify(model, &options, &folder)?;
        }
        Some(Asked { model, table: Table::Chunks(options) }) => probe.chunks(model, &options)?,
        Some(Asked { model, table: Table::Breakdown(widths) }) => probe.breakdown(model, &widths)?,
        Some(Asked { model, table: Table::Staircase(options) }) => probe.staircase(model, &options)?,
        None => {}
    }
    probe.report.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// What is asked of a model: known to fit it before anything is measured.
struct Asked {
    /// Planned again where it is `None`.
    model: Option<Planned>,
    table: Table,
}

enum Table {
    /// With the folder for the cost table.
    Verify(WidthOptions, PathBuf),
    Chunks(WidthOptions),
    /// Widths to profile.
    Breakdown(Vec<usize>),
    Staircase(WidthOptions),
}

fn asked(
    args: &ProbeArgs,
    measure: &MeasureArgs,
    options: &EngineOptions,
    rounds: Rounds,
) -> Result<Option<Asked>, Box<dyn Error>> {
    let of =
        |widths: Vec<usize>| WidthOptions { widths, prefix: args.prefix, rounds, ..WidthOptions::default() };
    let given = |usual: &[usize]| if args.widths.is_empty() { usual.to_vec() } else { args.widths.clone() };
    let is_verify = matches!(args.what, What::VerifyCost | What::All) || args.which == Some(Which::Verify);
    let table = match args.which {
        _ if is_verify => {
            Table::Verify(of((1..=args.widest).collect()), measure::costs_folder(args.costs.as_deref())?)
        }
        Some(Which::Chunks) => Table::Chunks(of(given(&[1, 16, 32, 64, 128]))),
        Some(Which::Breakdown) => Table::Breakdown(given(&[1, 8, 64])),
        Some(Which::Staircase) => Table::Staircase(of((1..=16).collect())),
        _ if args.what == What::Memory => {
            measure::plan(measure, None, options)?;
            return Ok(None);
        }
        _ => return Ok(None),
    };
    measure::on_the_processor(options)?;
    let model = measure::plan(measure, None, options)?;
    if let Some(engine) = model.engine() {
        engine.fits()?;
    }
    match &table {
        Table::Verify(options, _) | Table::Chunks(options) | Table::Staircase(options) => {
            options.check(model.plan())?;
        }
        Table::Breakdown(widths) => {
            widths.iter().try_for_each(|w| bench::check_profile(model.plan(), *w, args.prefix))?;
        }
    }
    Ok(Some(Asked { model: Some(model), table }))
}

fn kernel_options(args: &ProbeArgs) -> Result<Vec<KernelOptions>, Box<dyn Error>> {
    let is_table = args.which == Some(Which::Kernel);
    let default = if is_table { &[1, 16, 32, 64, 128][..] } else { &[1, 4, 16, 64] };
    let widths = if args.widths.is_empty() { default } else { &args.widths };
    let shapes: Vec<String> =
        if is_table { KERNEL_SHAPES.iter().map(|s| (*s).to_owned()).collect() } else { args.shapes.clone() };
    super::kernel_options(
        &args.encodings,
        &shapes,
        widths,
        Rounds { rounds: args.rounds, ..Rounds::default() },
    )
}

/// Loads a model and looks at the memory on the way.
fn memory(
    measure: &MeasureArgs,
    options: &EngineOptions,
    start: MemoryStage,
) -> Result<MemoryStages, Box<dyn Error>> {
    let mut stages = vec![start];
    let mut seen = |stage: &str| stages.push(MemoryStage::now(stage, MemoryUse::default()));
    let Loaded { name, mut session, .. } = measure::plan(measure, None, options)?.load(&mut seen)?;
    stages.push(MemoryStage::now("loaded", session.executor().memory()));
    let chunk = session.context().min(64);
    let tokens = tokens::seeded(1, chunk, session.executor().plan().vocab);
    session.ask(&tokens, sterna_plan::Wanted::Argmax, &mut |_| {})?;
    stages.push(MemoryStage::now(format!("chunk of {chunk}"), session.executor().memory()));
    Ok(MemoryStages { model: name, stages })
}

impl Probe<'_> {
    fn kernels(
        &mut self,
        backend: &dyn sterna_plan::Backend,
        all: &[KernelOptions],
    ) -> Result<(), Box<dyn Error>> {
        // The public table has its weights in memory; a probe wants both.
        let temperatures = if self.args.what == What::Tables { &["cold"][..] } else { &["cold", "hot"] };
        for options in all {
            for temperature in temperatures {
                let cold_bytes = if *temperature == "cold" { options.cold_bytes } else { 0 };
                let options = KernelOptions { cold_bytes, ..options.clone() };
                let table = bench::kernel_table(backend, &options, self.bounds.now())?;
                let table = self.bounds.hold(table, &mut self.report)?;
                let name = format!("{} {}x{} {temperature}", options.encoding, options.rows, options.cols);
                self.report.one_of("kernels", &name, TableValue::Kernels(table))?;
            }
        }
        Ok(())
    }

    fn open(&mut self, model: Option<Planned>) -> Result<Loaded, Box<dyn Error>> {
        let model = model.map_or_else(|| measure::plan(self.measure, None, &self.options), Ok)?;
        let loaded = model.load(&mut |_| {})?;
        self.report.put("model", loaded.name.as_str().into());
        self.report.say(&format_args!("\n{}", loaded.name))?;
        Ok(loaded)
    }

    /// Every width up to `--widest`, with fits, break-even, and the table for policies.
    fn verify(
        &mut self,
        model: Option<Planned>,
        options: &WidthOptions,
        folder: &Path,
    ) -> Result<(), Box<dyn Error>> {
        let Loaded { name, device, engine, mut session } = self.open(model)?;
        let about = (name.as_str(), device.as_str());
        let mut offers = match &engine {
            Some(engine) => speculate::proposers(engine, &session, &self.args.drafting(), &mut |_, _| {})?,
            None => Vec::new(),
        };
        let proposer = offers.first_mut().map(|o| &mut *o.proposer as &mut dyn Proposer);
        let (cost, table) = round_cost(&mut session, about, options, proposer, self.bounds.now())?;
        let table = self.bounds.hold(table, &mut self.report)?;
        let (even, weights) =
            (break_even(&cost, self.args.draft_cost, &self.args.accept), session.executor().memory().weights);
        let costs = cost.table(weights as u64);
        self.report.table("verify_cost", &name, TableValue::VerifyCost(Box::new(cost)))?;
        self.report.record_without_samples(&name, TableValue::Widths(table))?;
        self.report.table("break_even", &name, TableValue::BreakEven(even))?;
        let path = measure::save_costs(folder, &costs)?;
        self.report.put("cost_table", path.display().to_string().into());
        self.report.say(&format_args!("cost table for policies: {}", path.display()))?;
        Ok(())
    }

    fn chunks(&mut self, model: Option<Planned>, options: &WidthOptions) -> Result<(), Box<dyn Error>> {
        let Loaded { name, mut session, .. } = self.open(model)?;
        let table = bench::chunk_table(&mut session, options, self.bounds.now())?;
        let table = self.bounds.hold(table, &mut self.report)?;
        let wrong = table.agreement.iter().find(|a| a.equal != a.width).copied();
        self.report.table("chunks", &name, TableValue::Chunks(table))?;
        match wrong {
            None => Ok(()),
            Some(a) => Err(format!(
                "the best tokens of a chunk of {} rows agree with those of the walk in {} rows only",
                a.width, a.equal
            )
            .into()),
        }
    }

    fn breakdown(&mut self, model: Option<Planned>, widths: &[usize]) -> Result<(), Box<dyn Error>> {
        let Loaded { name, mut session, .. } = self.open(model)?;
        for width in widths {
            let profile = bench::profile(&mut session, *width, self.args.prefix, self.args.rounds)?;
            self.report.one_of("profiles", &name, TableValue::Profile(profile))?;
        }
        Ok(())
    }

    fn staircase(&mut self, model: Option<Planned>, options: &WidthOptions) -> Result<(), Box<dyn Error>> {
        let Loaded { name, device, mut session, .. } = self.open(model)?;
        let (cost, table) =
            verify_cost(&mut session, (name.as_str(), device.as_str()), options, self.bounds.now())?;
        let table = self.bounds.hold(table, &mut self.report)?;
        self.report.table("verify_cost", &name, TableValue::VerifyCost(Box::new(cost)))?;
        self.report.record_without_samples(&name, TableValue::Widths(table))
    }
}
