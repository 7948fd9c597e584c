//! What `bench` and `probe` share: which model, one measurement at a time, and where results go.

pub mod costs;
pub mod lock;
mod report;
mod spec;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sterna_bundle::ModelConfig;
use sterna_format::Encoding;
use sterna_plan::{Backend, ModelPlan, PlanOptions};
use sterna_probe::bench::{BenchError, Rated};
use sterna_probe::count;
use sterna_probe::limits::{LimitOptions, Limits};
use sterna_probe::synthetic::{self, INT8, Recipe, Synthetic};
use sterna_run::Session;

use crate::cli::ModelArgs;
use crate::commands::{Usage, output};
use crate::engine::{self, Device, Engine, EngineOptions, Linears};

pub use costs::{find as find_costs, folder as costs_folder, save as save_costs};
pub use lock::Turn;
pub use report::Report;
pub use spec::ArmSpec;

/// Model, machine and output of a measurement.
#[derive(Args, Debug)]
pub struct MeasureArgs {
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Random weights at the shapes of a published model instead of a file
    #[arg(long, value_name = "SHAPE", conflicts_with_all = ["model", "linears", "activations"], value_parser = synthetic::SHAPES.to_vec())]
    pub synthetic: Option<String>,
    /// With --synthetic: layers [default: the model's]
    #[arg(long, requires = "synthetic", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub layers: Option<usize>,
    /// With --synthetic: vocabulary [default: the model's]
    #[arg(long, requires = "synthetic", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=1 << 24))]
    pub vocab: Option<usize>,
    /// With --synthetic: encoding of the linear layers, or for gemma4-e2b `mobile`, the publisher's mixture of int2, int4 and
    /// int8 rows (`mobile-bf16` with the projection of per-layer inputs in bf16 and a head that reads floats) [default: tq2_0; mobile]
    #[arg(long, requires = "synthetic")]
    pub weights: Option<String>,
    /// With --synthetic: encoding of embedding and head, such as q8_0, q6_k or q4_k [default: q8_0]
    #[arg(long, requires = "synthetic")]
    pub head: Option<String>,
    /// Append every sample and table to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Fail at once when another measurement runs on this machine, instead of waiting for its end
    #[arg(long)]
    pub no_wait: bool,
}

impl MeasureArgs {
    /// The engine's options: what is compared all has the threads that it is said to have.
    pub fn options(&self) -> EngineOptions {
        EngineOptions { governor: false, ..self.model.options() }
    }

    /// Threads that calls run on.
    pub fn threads(&self) -> usize {
        match self.model.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }

    /// Encodings of `shape`'s synthetic weights.
    fn recipe(&self, shape: &str) -> Result<Recipe, Box<dyn Error>> {
        let gemma = shape == "gemma4-e2b";
        let weights = self.weights.as_deref().unwrap_or(if gemma { "mobile" } else { "tq2_0" });
        let projection = match weights {
            "mobile" => INT8,
            "mobile-bf16" => Encoding::BF16,
            _ => {
                let head = self.head.as_deref().unwrap_or("q8_0");
                return Ok(Recipe::Plain { linear: weights.parse()?, head: head.parse()? });
            }
        };
        match (gemma, &self.head) {
            (true, None) => Ok(Recipe::Mobile { projection }),
            (true, Some(_)) => {
                Err(Usage(format!("--weights {weights} says of every weight what it is: no --head")).into())
            }
            _ => Err(Usage(format!("--weights {weights} is for --synthetic gemma4-e2b")).into()),
        }
    }

    /// The encodings in words.
    fn encodings(&self, recipe: Recipe) -> String {
        match recipe {
            Recipe::Plain { linear, head } => format!("{linear} and {head}"),
            Recipe::Mobile { projection: INT8 } => "mobile".into(),
            Recipe::Mobile { projection } => format!("mobile with a projection in {projection}"),
        }
    }

    /// What is measured, in words.
    pub fn subject(&self) -> String {
        let linears = self.model.linears.map_or("", |l| match l {
            Linears::Q8_0 => ", layers quantised to q8_0",
            Linears::Q4_0 => ", layers quantised to q4_0",
        });
        match (&self.synthetic, &self.model.model) {
            (Some(shape), _) => {
                let layers = self.layers.map_or_else(String::new, |n| format!(", {n} layers"));
                let encodings = self.recipe(shape).map_or_else(|e| e.to_string(), |r| self.encodings(r));
                format!("synthetic {shape}{layers}, {encodings}")
            }
            (None, Some(path)) => format!("{}{linears}", path.display()),
            (None, None) => engine::BUILT_IN_NAME.to_owned(),
        }
    }
}

/// A loaded model.
pub struct Loaded {
    /// Its name.
    pub name: String,
    /// The device in words.
    pub device: String,
    /// The file's engine; `None` for synthetic weights.
    pub engine: Option<Box<Engine>>,
    /// Its session.
    pub session: Session,
}

/// Positions of a session on synthetic weights when none are asked for.
const SYNTHETIC_CONTEXT: usize = 1024;
/// Seed of synthetic weights.
const SEED: u64 = 1;

/// A model that is planned and not loaded: enough to refuse, before anything is measured, what does not fit it.
pub struct Planned {
    source: Source,
    quiet: bool,
}

enum Source {
    File(Box<Engine>),
    Synthetic { made: Box<Made>, backend: Box<dyn Backend> },
}

/// A synthetic model to be.
struct Made {
    name: String,
    config: ModelConfig,
    recipe: Recipe,
    plan: Arc<ModelPlan>,
}

/// Refuses a GPU for tables of calls: they are held against limits that are measured on the processor.
pub fn on_the_processor(options: &EngineOptions) -> Result<(), Usage> {
    match options.device {
        Device::Gpu(_) => Err(Usage(
            "calls are held against the processor's limits, which say nothing of a GPU: with --device gpu, measure answers \
             (`sterna bench --arm speculate=off --arm speculate=auto`, or what `sterna run --json` tells)"
                .into(),
        )),
        _ => Ok(()),
    }
}

/// Plans `model` (or what `args` name).
pub fn plan(
    args: &MeasureArgs,
    model: Option<&Path>,
    options: &EngineOptions,
) -> Result<Planned, Box<dyn Error>> {
    let file = model.or(args.model.model.as_deref());
    let quiet = args.model.json;
    let Some(shape) = args.synthetic.as_deref().filter(|_| model.is_none()) else {
        return Ok(Planned { source: Source::File(Box::new(Engine::open(file, options)?)), quiet });
    };
    let config = synthetic::config(shape, args.layers, args.vocab).ok_or("unknown shape")?;
    let recipe = args.recipe(shape)?;
    let shapes = Synthetic::new(&config, recipe, SEED);
    let numerics = |name: &str, encoding: Encoding, cols: usize| recipe.numerics(name, encoding, cols);
    let context = options.context.unwrap_or(SYNTHETIC_CONTEXT);
    let backend = engine::backend(options)?;
    let plan_options =
        PlanOptions { widths: engine::widths(&*backend, options), ..PlanOptions::new(context) };
    let plan = Arc::new(sterna_plan::build(&config, &shapes, &numerics, &plan_options)?);
    let layers = count(config.layers, "layer");
    let name = format!("synthetic {shape}, {layers}, {}", args.encodings(recipe));
    let made = Box::new(Made { name, config, recipe, plan });
    Ok(Planned { source: Source::Synthetic { made, backend }, quiet })
}

impl Planned {
    /// What the model's file is, if it is one.
    pub fn engine(&self) -> Option<&Engine> {
        match &self.source {
            Source::File(engine) => Some(engine),
            Source::Synthetic { .. } => None,
        }
    }

    /// The plan.
    pub fn plan(&self) -> &ModelPlan {
        match &self.source {
            Source::File(engine) => &engine.plan,
            Source::Synthetic { made, .. } => &made.plan,
        }
    }

    /// Loads it, and tells `stage` when it is mapped or made.
    pub fn load(self, stage: &mut dyn FnMut(&str)) -> Result<Loaded, Box<dyn Error>> {
        let (made, backend) = match self.source {
            Source::File(engine) => {
                stage("mapped");
                let session = output::load(&engine, self.quiet)?;
                let device = engine.device().1.description;
                return Ok(Loaded { name: engine.model.name.clone(), device, engine: Some(engine), session });
            }
            Source::Synthetic { made, backend } => (made, backend),
        };
        let weights = Synthetic::new(&made.config, made.recipe, SEED);
        stage("weights made");
        let bar = output::bytes_bar("packing", self.quiet);
        let executor = backend.load(Arc::clone(&made.plan), &weights, &mut |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        let device = backend.limits().description;
        Ok(Loaded {
            name: made.name,
            device,
            engine: None,
            session: Session::new(executor, made.plan.context)?,
        })
    }
}

/// The machine's limits as they were last seen, measured again after what they are a bound for: others that use the
/// machine lower a limit, and a rate held against a lowered one looks better than it is, or impossible.
pub struct Bounds {
    threads: usize,
    last: Limits,
}

impl Bounds {
    /// Measures the limits for the first time and reports them.
    pub fn measure(threads: usize, report: &mut Report) -> Result<Self, Box<dyn Error>> {
        let last = Limits::measure(&LimitOptions::new(threads))?;
        report.limits("before", &last)?;
        Ok(Self { threads, last })
    }

    /// The limits as last measured.
    pub fn now(&self) -> &Limits {
        &self.last
    }

    /// Measures again, holds `table` against the better of the two measurements, and gives it back.
    pub fn hold<T: Rated>(&mut self, mut table: T, report: &mut Report) -> Result<T, Box<dyn Error>> {
        let after = Limits::measure(&LimitOptions::again(self.threads))?;
        let both = self.last.best_of(&after);
        report.record_limits("after", &after)?;
        self.last = after;
        match table.hold_against(&both) {
            Ok(()) => Ok(table),
            Err(e) => {
                if let BenchError::Implausible { table, .. } = &e {
                    report.say(table)?;
                }
                Err(e.into())
            }
        }
    }
}
