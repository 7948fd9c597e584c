//! The command line: every flag once, with its help.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use sterna_format::Encoding;
use sterna_run::SamplingParams;

use sterna_cpu::Isa;

use crate::device::DeviceParser;
use crate::engine::{self, Activations, Device, EngineOptions, IsaName, Linears, STATE_CACHE};
use crate::speculate::{EagleTaps, Mode, SpeculateError, SpeculateOptions};

/// Run low-bit language models on this machine.
///
/// Sterna gives the same tokens at every speed: one token at a time, a 128-token prefill chunk and any number of
/// threads make the same bits.
#[derive(Debug, Parser)]
#[command(name = "sterna", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Examples:
  sterna run \"Once upon a time\"                     the built-in story model, no download
  sterna run -m model.gguf --chat \"Why is the sky blue?\"
  sterna chat -m model.gguf
  sterna inspect -m model.gguf --plan
  sterna pull owner/name:file.gguf
  sterna devices                                    GPUs for --device
  sterna selftest --device gpu                      checks a GPU, for a report
  sterna doctor                                     what this machine can do, and known traps
  sterna bench                                      this machine against its own limits
  sterna probe                                      what calls, ops, threads and a verify cost
  sterna gate                                       proves the promise on this machine")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Continue a text, or answer it with --chat
    Run(RunArgs),
    /// Talk with a model, turn by turn
    Chat(ChatArgs),
    /// Turn a model into one bundle file; float weights must be ternary, or become int8 or int4 with --linears
    Pack(PackArgs),
    /// Show what a model file holds, its plan and what a token costs
    Inspect(InspectArgs),
    /// Measure prefill and decode against this machine's limits, and arms against each other
    Bench(Box<crate::commands::bench::BenchArgs>),
    /// Measure the machine, kernels, dispatch, threads, verify cost and memory
    Probe(Box<crate::commands::probe::ProbeArgs>),
    /// Prove that chunks, threads and folds change no bit, and compare with goldens
    Gate(Box<crate::commands::gate::GateArgs>),
    /// Make one page of recorded measurements
    Report(crate::commands::report::ReportArgs),
    /// Show what this machine can do, what to use, and what stands in the way
    Doctor(crate::commands::doctor::DoctorArgs),
    /// List the GPUs that --device can take, with what they can do
    Devices(crate::commands::devices::DevicesArgs),
    /// Check what a device computes against the reference and against itself; a report to attach to an issue
    Selftest(crate::commands::selftest::SelftestArgs),
    /// Download a model from the Hugging Face hub
    Pull(crate::commands::pull::PullArgs),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print the manual page (roff)
    Man,
}

/// Which model, and where to run it.
#[derive(Args, Clone, Debug)]
pub struct ModelArgs {
    /// GGUF file, checkpoint directory or Sterna bundle; without it the built-in story model
    #[arg(short, long, value_name = "PATH")]
    pub model: Option<PathBuf>,
    /// Where to run; `gpu:1` or `gpu:radeon` takes another GPU than the best, see `sterna devices`
    #[arg(long, default_value_t = Device::Cpu, value_parser = DeviceParser)]
    pub device: Device,
    /// Best instruction set that the CPU's kernels may use [default: the best one here]
    #[arg(long, value_enum, value_name = "ISA")]
    pub isa: Option<IsaName>,
    /// Threads at most, fewer while other programs keep the cores busy (not in `bench`); 0 takes one per core
    #[arg(short, long, default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(0..=1024))]
    pub threads: usize,
    /// Positions of the session, prompt and answer together [default: the model's own, at most 4096]
    #[arg(short, long, value_name = "TOKENS", value_parser = positions())]
    pub context: Option<usize>,
    /// Quantise the float weights of -m while loading them: layers to q8_0 or q4_0, the head to q8_0. The same bits as from
    /// `pack --linears`, which converts once
    #[arg(long, value_enum, value_name = "ENCODING", hide_possible_values = true)]
    pub linears: Option<Linears>,
    /// Multiply with activations as the model says (int8 for weights in few bits, with its static scales if it has some), or
    /// with floats for comparison, which a model trained with rounded activations was not made for
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "model|float")]
    pub activations: Activations,
    /// Machine-readable output on standard output
    #[arg(long)]
    pub json: bool,
}

/// Positions of a session on the command line.
fn positions() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1 << 32)
}

impl Command {
    /// Model and machine, where a command takes them.
    pub fn model_args(&self) -> Option<&ModelArgs> {
        match self {
            Command::Run(a) => Some(&a.model),
            Command::Chat(a) => Some(&a.model),
            Command::Bench(a) => Some(&a.measure.model),
            Command::Probe(a) => Some(&a.measure.model),
            Command::Gate(a) => Some(a.model_args()),
            Command::Doctor(a) => Some(&a.model),
            Command::Pack(_)
            | Command::Inspect(_)
            | Command::Report(_)
            | Command::Devices(_)
            | Command::Selftest(_)
            | Command::Pull(_)
            | Command::Completions { .. }
            | Command::Man => None,
        }
    }
}

impl ModelArgs {
    /// Refuses what would be ignored or never end.
    ///
    /// # Errors
    /// An instruction set for a device that has no use for it; threads far beyond the processor's.
    pub fn check(&self) -> Result<(), Box<dyn std::error::Error>> {
        if self.isa.is_some() && self.device != Device::Cpu {
            return Err("--isa is for --device cpu: no other device has a choice of instruction sets".into());
        }
        Ok(engine::check_threads(self.threads)?)
    }

    /// The engine's options.
    pub fn options(&self) -> EngineOptions {
        EngineOptions {
            device: self.device.clone(),
            isa: self.isa.map_or_else(Isa::detect, IsaName::isa),
            threads: self.threads,
            context: self.context,
            linears: self.linears,
            activations: self.activations,
            ..EngineOptions::default()
        }
    }
}

/// Who proposes tokens that the model then verifies; text and bits stay the same.
#[derive(Args, Clone, Debug)]
pub struct SpeculateArgs {
    /// Who proposes tokens; the model verifies several in one call and keeps those that it would have chosen: the same text, sooner
    #[arg(long, value_enum, default_value_t = Mode::Auto, value_name = "WHO", help_heading = "Speculation")]
    pub speculate: Mode,
    /// A smaller model with the same tokenizer that proposes tokens (`builtin` for the built-in model's), or the folder of a Gemma 4
    /// drafter (assistant) for this model
    #[arg(long, value_name = "MODEL", help_heading = "Speculation")]
    pub draft: Option<PathBuf>,
    /// Quantise the float weights of --draft while loading them: layers to q8_0 or q4_0, the head to q8_0. It may propose other
    /// tokens then; the text stays the same
    #[arg(
        long,
        value_enum,
        value_name = "ENCODING",
        hide_possible_values = true,
        help_heading = "Speculation"
    )]
    pub draft_linears: Option<Linears>,
    /// An EAGLE-3 head that was trained for this model: its folder
    #[arg(long, value_name = "FOLDER", help_heading = "Speculation")]
    pub eagle: Option<PathBuf>,
    /// How the head's configuration counts the layers that it reads
    #[arg(long, value_enum, default_value_t = EagleTaps::Inputs, value_name = "WHAT", help_heading = "Speculation")]
    pub eagle_taps: EagleTaps,
    /// Propose this many tokens every round [default: as many as pay, by measurement]
    #[arg(long, value_name = "K", help_heading = "Speculation", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=63))]
    pub draft_tokens: Option<usize>,
    /// Verify this many other first tokens beside the draft's, as a tree (not with recurrent states or sliding windows)
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Speculation", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=8))]
    pub draft_alternatives: usize,
    /// Memory for snapshots of recurrent states in MiB: an edited or repeated turn begins at one; 0 for none
    #[arg(long, value_name = "MIB", default_value_t = STATE_CACHE >> 20, help_heading = "Speculation", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=1 << 20))]
    pub state_cache: usize,
}

impl SpeculateArgs {
    /// What to speculate with.
    pub fn options(&self) -> SpeculateOptions {
        SpeculateOptions {
            mode: self.speculate,
            draft: self.draft.clone(),
            draft_linears: self.draft_linears,
            eagle: self.eagle.clone(),
            eagle_taps: self.eagle_taps,
            tokens: self.draft_tokens,
            alternatives: self.draft_alternatives,
        }
    }

    /// `options` with what these flags say.
    ///
    /// # Errors
    /// A flag that would be ignored.
    pub fn apply(&self, options: EngineOptions) -> Result<EngineOptions, SpeculateError> {
        let speculate = self.options();
        speculate.check()?;
        Ok(EngineOptions { speculate, state_cache: self.state_cache << 20, ..options })
    }
}

/// How to choose tokens.
#[derive(Args, Clone, Debug)]
pub struct SamplingArgs {
    /// Most tokens to make [default: 256, or as many as the context holds]
    #[arg(short = 'n', long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// 0 always takes the best token; 0.7 to 1 gives variety
    #[arg(long, default_value_t = 0.0, value_name = "T", allow_negative_numbers = true)]
    pub temperature: f32,
    /// Choose among the K best tokens only; 0 for all
    #[arg(long, default_value_t = 0, value_name = "K")]
    pub top_k: usize,
    /// Choose among the best tokens that together have this probability
    #[arg(long, default_value_t = 1.0, value_name = "P", allow_negative_numbers = true)]
    pub top_p: f32,
    /// Drop tokens less likely than this share of the best one
    #[arg(long, default_value_t = 0.0, value_name = "P", allow_negative_numbers = true)]
    pub min_p: f32,
    /// Above 1, make tokens of the last 64 less likely
    #[arg(long, default_value_t = 1.0, value_name = "X", allow_negative_numbers = true)]
    pub repetition_penalty: f32,
    /// Seed: the same seed gives the same text, whatever else runs
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Text that ends the answer; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub stop: Vec<String>,
    /// Go on after the model's own end token
    #[arg(long)]
    pub ignore_end: bool,
}

impl SamplingArgs {
    /// The sampler's parameters.
    pub fn params(&self) -> SamplingParams {
        SamplingParams {
            temperature: self.temperature,
            top_k: self.top_k,
            top_p: self.top_p,
            min_p: self.min_p,
            repetition_penalty: self.repetition_penalty,
            seed: self.seed,
            ..SamplingParams::default()
        }
    }
}

/// `sterna run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Text to continue; `-` reads standard input
    pub prompt: String,
    /// Treat the prompt as a user's message and answer it, by the model's chat template
    #[arg(long)]
    pub chat: bool,
    /// With --chat: instructions before the message
    #[arg(long, requires = "chat", value_name = "TEXT")]
    pub system: Option<String>,
    /// Print the token ids of prompt and answer too
    #[arg(long)]
    pub show_tokens: bool,
    /// Write when every op ran, for ui.perfetto.dev or chrome://tracing (some 8 KB a token of a small model); text and bits stay the same
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Speculation.
    #[command(flatten)]
    pub speculate: SpeculateArgs,
    /// Sampling.
    #[command(flatten)]
    pub sampling: SamplingArgs,
}

/// `sterna chat`.
#[derive(Args, Debug)]
#[command(after_help = format!("In the chat:\n{}", crate::commands::CHAT_HELP))]
pub struct ChatArgs {
    /// Instructions before the conversation
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// Write when every op ran, for ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Underline what was proposed and accepted while it appears
    #[arg(long, help_heading = "Speculation")]
    pub show_drafts: bool,
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Speculation.
    #[command(flatten)]
    pub speculate: SpeculateArgs,
    /// Sampling.
    #[command(flatten)]
    pub sampling: SamplingArgs,
}

/// `sterna pack`.
#[derive(Args, Debug)]
pub struct PackArgs {
    /// Checkpoint directory or GGUF file; `builtin` for the built-in model
    pub source: PathBuf,
    /// Where to write [default: the model's name with .sterna in the current folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Quantise float weights of layers to q8_0 (int8) or q4_0 (int4), one scale per 32 weights, and the head to q8_0; norms,
    /// convolutions and what steers recurrent states stay floats. Says what each kind of weight lost
    #[arg(long, value_enum, value_name = "ENCODING", hide_possible_values = true)]
    pub linears: Option<Linears>,
    /// Round weights that are not ternary instead of refusing them (loses quality)
    #[arg(long, conflicts_with = "linears")]
    pub round: bool,
    /// Linear weights to keep as they are, by name or part (for example: down)
    #[arg(long, value_name = "NAME")]
    pub keep: Vec<String>,
    /// Encoding of the head (of the tensor that is head and embedding, where they are one): q8_0, q6_k or another; or keep
    /// [default: keep; with --linears q8_0 for a float head]
    #[arg(long, value_name = "ENCODING", value_parser = table_encoding)]
    pub head: Option<TableEncoding>,
    /// Encoding of the embedding, in a model with a head of its own
    #[arg(long, value_name = "ENCODING", default_value = "keep", value_parser = table_encoding)]
    pub embedding: TableEncoding,
    /// Write a head that is tied to the embedding as a tensor of its own: --head then leaves the embedding as it is
    #[arg(long)]
    pub untie: bool,
    /// Put the Gemma 4 drafter (assistant) of this folder into the same file: the model then proposes with it by itself
    #[arg(long, value_name = "FOLDER")]
    pub draft: Option<PathBuf>,
    /// Quantise the matrices of --draft: layers to q8_0 or q4_0, its head to q8_0
    #[arg(long, value_enum, value_name = "ENCODING", hide_possible_values = true, requires = "draft")]
    pub draft_linears: Option<Linears>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Machine-readable output
    #[arg(long)]
    pub json: bool,
}

/// An encoding for a head or an embedding; `None` keeps what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEncoding(pub Option<Encoding>);

/// Reads `keep` or an encoding's name.
fn table_encoding(text: &str) -> Result<TableEncoding, String> {
    if text == "keep" {
        return Ok(TableEncoding(None));
    }
    text.parse().map(|e| TableEncoding(Some(e))).map_err(|e: sterna_format::FormatError| e.to_string())
}

/// `sterna inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// GGUF file, checkpoint directory or Sterna bundle; without it the built-in model
    #[arg(short, long, value_name = "PATH")]
    pub model: Option<PathBuf>,
    /// The same, without -m
    #[arg(conflicts_with = "model", value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// List every op of the plan
    #[arg(long)]
    pub plan: bool,
    /// With --plan: the plan before any fold
    #[arg(long, requires = "plan")]
    pub unfused: bool,
    /// List every weight
    #[arg(long)]
    pub weights: bool,
    /// Show the model as --linears of other commands has it: float weights of layers in q8_0 or q4_0
    #[arg(long, value_enum, value_name = "ENCODING", hide_possible_values = true)]
    pub linears: Option<Linears>,
    /// Positions of the session that the plan is for
    #[arg(short, long, value_name = "TOKENS", value_parser = positions())]
    pub context: Option<usize>,
    /// Machine-readable output
    #[arg(long)]
    pub json: bool,
}
