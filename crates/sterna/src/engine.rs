//! From a model's name to a session: which file, which backend, which plan.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sterna_bundle::{BundleError, Drafter, EagleHead, Model, Quantise};
use sterna_cpu::{CpuBackend, CpuOptions, Isa};
use sterna_format::Encoding;
use sterna_plan::choose::CostTable;
use sterna_plan::{Backend, BackendError, DeviceLimits, Fusions, ModelPlan, PlanError, PlanOptions};
use sterna_ref::RefBackend;
use sterna_run::{Session, SessionError};
use sterna_wgpu::{DeviceError, WgpuBackend, WgpuOptions};

pub use crate::device::Device;
use crate::folders::in_cache;
use crate::speculate::{self, SpeculateError, SpeculateOptions};

/// The model inside the program: a small ternary story model, 34 million parameters. Built with Llama.
static BUILT_IN: &[u8] = include_bytes!("../../../models/llama-tern-30m/llama-tern-30m-TQ2_0.gguf");

/// Name of the built-in model on the command line.
pub const BUILT_IN_NAME: &str = "builtin";

/// Positions of a session when none are asked for, as far as the model allows them.
const DEFAULT_CONTEXT: usize = 4096;

/// Bytes that snapshots of recurrent states may take when nobody says: three of a 27B hybrid's, hundreds of a small one's.
pub const STATE_CACHE: usize = 512 << 20;

/// Why an engine could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// No such file or directory.
    #[error(
        "there is no model at {path}; give a GGUF file, a checkpoint directory or a Sterna bundle, or leave -m away for the built-in model; `sterna pull OWNER/NAME` downloads one"
    )]
    NotFound {
        /// As given.
        path: PathBuf,
    },
    /// A pipe, socket or device.
    #[error("{path} is neither a file nor a folder; a model is mapped, so it must be one of them")]
    NotAFile {
        /// As given.
        path: PathBuf,
    },
    /// The file is not a model that can be read.
    #[error("cannot open {path}: {source}")]
    Open {
        /// As given.
        path: PathBuf,
        /// Why.
        source: Box<BundleError>,
    },
    /// The built-in model is damaged: the program was built from a broken tree.
    #[error("the built-in model cannot be read: {0}")]
    BuiltIn(Box<BundleError>),
    /// Weights that cannot be quantised while they are loaded.
    #[error("--draft-linears: {0}")]
    QuantiseDraft(#[source] Box<BundleError>),
    /// Weights that cannot be quantised while they are loaded.
    #[error("--linears: {0}")]
    Quantise(Box<BundleError>),
    /// An instruction set that this processor lacks.
    #[error("this processor has no {isa}; the best it has is {best}, which is what it takes without --isa")]
    NoIsa {
        /// Asked for.
        isa: &'static str,
        /// Present.
        best: &'static str,
    },
    /// More threads than any processor here could ever run at a time.
    #[error(
        "{asked} threads on {cpus} processors would wait for each other for ever; at most {most} are taken, and 0 takes one each"
    )]
    Threads {
        /// Asked for.
        asked: usize,
        /// Most that are taken.
        most: usize,
        /// Processors that this program may use.
        cpus: usize,
    },
    /// No GPU to run on.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The backend.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The session.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Instruction sets by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum IsaName {
    /// Plain Rust
    Portable,
    /// ARM: NEON
    Neon,
    /// ARM: NEON with the dot product
    NeonDot,
    /// x86: AVX2, FMA and F16C
    Avx2,
    /// x86: AVX-512 F, BW, DQ and VL
    Avx512,
    /// x86: AVX-512 with VNNI
    Avx512Vnni,
}

impl IsaName {
    /// What it names.
    pub fn isa(self) -> Isa {
        match self {
            IsaName::Portable => Isa::Portable,
            IsaName::Neon => Isa::Neon,
            IsaName::NeonDot => Isa::NeonDot,
            IsaName::Avx2 => Isa::Avx2,
            IsaName::Avx512 => Isa::Avx512,
            IsaName::Avx512Vnni => Isa::Avx512Vnni,
        }
    }
}

/// How linear layers meet their activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Activations {
    /// As the model says: int8 with its static scales, or with scales found per row, for weights in few bits
    #[default]
    Model,
    /// As floats, whatever the weights: another model where rounding was trained; the CPU decodes weights to floats
    Float,
}

/// Encodings for the float weights of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Linears {
    /// int8, one scale per 32 weights
    #[value(name = "q8_0")]
    Q8_0,
    /// int4, one scale per 32 weights; the head still becomes q8_0
    #[value(name = "q4_0")]
    Q4_0,
}

impl Linears {
    /// What is to be quantised.
    pub fn quantise(self) -> Quantise {
        Quantise::new(match self {
            Linears::Q8_0 => Encoding::Q8_0,
            Linears::Q4_0 => Encoding::Q4_0,
        })
    }
}

/// How to run a model.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Where.
    pub device: Device,
    /// Best instruction set of the CPU's kernels.
    pub isa: Isa,
    /// Threads at most; 0 for one per core.
    pub threads: usize,
    /// Whether the CPU's calls may take fewer threads while other programs use the cores.
    pub governor: bool,
    /// Positions of a session; `None` for the model's own, at most 4,096.
    pub context: Option<usize>,
    /// Folds of the plan.
    pub fusions: Fusions,
    /// What proposes tokens; none does unless it is said so.
    pub speculate: SpeculateOptions,
    /// Bytes that snapshots of recurrent states may take.
    pub state_cache: usize,
    /// What float weights become while they are loaded; `None` leaves them.
    pub linears: Option<Linears>,
    /// How linear layers meet their activations.
    pub activations: Activations,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            device: Device::Cpu,
            isa: Isa::detect(),
            threads: 0,
            governor: true,
            context: None,
            fusions: Fusions::ALL,
            speculate: SpeculateOptions::off(),
            state_cache: STATE_CACHE,
            linears: None,
            activations: Activations::Model,
        }
    }
}

/// Opens a model: `builtin`, or the path of a GGUF file, a checkpoint directory or a bundle.
///
/// # Errors
/// [`EngineError::NotFound`], [`EngineError::Open`].
pub fn open_model(name: Option<&Path>) -> Result<Model, EngineError> {
    let Some(path) = name.filter(|p| p.as_os_str() != BUILT_IN_NAME) else {
        let mut model =
            Model::from_gguf_bytes(Cow::Borrowed(BUILT_IN)).map_err(|e| EngineError::BuiltIn(Box::new(e)))?;
        // The file carries the name it had while it was trained.
        "llama-tern-30m".clone_into(&mut model.name);
        return Ok(model);
    };
    let Ok(metadata) = path.metadata() else {
        return Err(EngineError::NotFound { path: path.to_owned() });
    };
    // Opening a pipe would wait for its writer for ever.
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(EngineError::NotAFile { path: path.to_owned() });
    }
    Model::open(path).map_err(|e| EngineError::Open { path: path.to_owned(), source: Box::new(e) })
}

/// A model with its plan and backend.
pub struct Engine {
    /// The open model.
    pub model: Model,
    /// The plan.
    pub plan: Arc<ModelPlan>,
    /// What it was built with.
    pub options: PlanOptions,
    /// An EAGLE-3 head to propose with.
    pub head: Option<EagleHead>,
    /// A Gemma 4 drafter to propose with.
    pub assistant: Option<Drafter>,
    speculate: SpeculateOptions,
    state_cache: usize,
    backend: Box<dyn Backend>,
}

impl Engine {
    /// Plans `model`.
    ///
    /// # Errors
    /// A context the model does not allow, or weights that do not fit its configuration; weights to quantise that are no
    /// floats.
    pub fn new(mut model: Model, options: &EngineOptions) -> Result<Self, EngineError> {
        if let Some(linears) = options.linears {
            model.quantise(&linears.quantise()).map_err(|e| EngineError::Quantise(Box::new(e)))?;
        }
        if options.activations == Activations::Float {
            model.use_float_activations();
        }
        let context = options.context.unwrap_or(model.config.context.min(DEFAULT_CONTEXT));
        let head = options.speculate.head(&model)?;
        let assistant = options.speculate.assistant(&model)?;
        let taps = options.speculate.taps(&model, head.as_ref(), assistant.as_ref());
        let (backend, speculate) = (backend(options)?, options.speculate.clone());
        let widths = widths(&*backend, options);
        let plan_options =
            PlanOptions { fusions: options.fusions, taps, widths, ..PlanOptions::new(context) };
        let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
        let plan = Arc::new(sterna_plan::build(&model.config, &model, &numerics, &plan_options)?);
        let state_cache = options.state_cache;
        Ok(Self { model, plan, options: plan_options, head, assistant, speculate, state_cache, backend })
    }

    /// Opens and plans.
    ///
    /// # Errors
    /// As [`open_model`] and [`Engine::new`].
    pub fn open(name: Option<&Path>, options: &EngineOptions) -> Result<Self, EngineError> {
        Self::new(open_model(name)?, options)
    }

    /// Loads the weights and makes a session without proposers; `progress` hears (bytes done, bytes in all).
    ///
    /// # Errors
    /// The backend's.
    pub fn session(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Session, EngineError> {
        // What ran up to here does not run again, and its pages would stand beside the weights.
        sterna_checkpoint::release_program();
        let executor = self.backend.load(Arc::clone(&self.plan), &self.model, progress)?;
        let mut session = Session::new(executor, self.plan.context)?;
        session.set_state_cache(self.state_cache);
        Ok(session)
    }

    /// Gives a session of this engine the proposers that the options name; `costs` is what its calls cost, if that was
    /// measured.
    ///
    /// # Errors
    /// [`SpeculateError`].
    pub fn speculate(
        &self,
        session: &mut Session,
        costs: Option<&CostTable>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), SpeculateError> {
        speculate::attach(self, session, &self.speculate, costs, progress)
    }

    /// Refuses what cannot propose for this model, before its weights are loaded.
    ///
    /// # Errors
    /// [`SpeculateError`].
    pub fn fits(&self) -> Result<(), SpeculateError> {
        speculate::fits(self, &self.speculate).map(|_| ())
    }

    /// Name and description of the backend.
    pub fn device(&self) -> (&'static str, DeviceLimits) {
        (self.backend.name(), self.backend.limits())
    }
}

/// Refuses more than four threads for each processor: they wait for each other at every op, and a call would crawl.
///
/// # Errors
/// [`EngineError::Threads`].
pub fn check_threads(asked: usize) -> Result<(), EngineError> {
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let most = 4 * cpus;
    if asked > most { Err(EngineError::Threads { asked, most, cpus }) } else { Ok(()) }
}

/// Widths of the entry points: on a GPU that takes them, calls of 512 rows too, which fill it better.
pub fn widths(backend: &dyn Backend, options: &EngineOptions) -> Vec<usize> {
    let mut widths = PlanOptions::new(1).widths;
    if matches!(options.device, Device::Gpu(_)) && backend.limits().max_width >= 512 {
        widths.push(512);
    }
    widths
}

/// The backend that options name.
///
/// # Errors
/// [`EngineError::NoIsa`], [`EngineError::Threads`], [`EngineError::Device`].
pub fn backend(options: &EngineOptions) -> Result<Box<dyn Backend>, EngineError> {
    check_threads(options.threads)?;
    if !options.isa.is_here() {
        return Err(EngineError::NoIsa { isa: options.isa.name(), best: Isa::detect().name() });
    }
    let cpu = |isa| {
        Box::new(CpuBackend::new(CpuOptions { threads: options.threads, isa, governor: options.governor }))
    };
    Ok(match &options.device {
        Device::Cpu => cpu(options.isa),
        Device::CpuPortable => cpu(Isa::Portable),
        Device::Gpu(choice) => {
            let (choice, cache) = (choice.clone(), in_cache("kernels"));
            Box::new(WgpuBackend::new(&WgpuOptions { choice, cache, ..WgpuOptions::default() })?)
        }
        Device::RefLaw => Box::new(RefBackend::law()),
        Device::RefFloat => Box::new(RefBackend::float()),
        Device::RefFloatA8 => Box::new(RefBackend::float_with_activations()),
    })
}
