//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use sterna_format::Encoding;

use crate::engines::Engine;
use crate::models::MakeOptions;

/// Sterna and other engines side by side, on the same weights, in one interleaved run.
#[derive(Debug, Parser)]
#[command(name = "peers", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measures all engines on the same models and writes a report.
    Run(Run),
    /// Writes a synthetic model and prints where it is.
    Make(Make),
    /// One engine with one model, spoken to in lines of JSON; started by `run`.
    #[command(hide = true)]
    Worker(Worker),
}

/// Options of synthetic models.
#[derive(Debug, Args)]
pub struct Synthetic {
    /// Formats of the linear layers, one model for each [default: tq2_0,tq1_0,q4_0,q8_0]
    #[arg(long = "format", value_delimiter = ',', value_name = "FORMAT")]
    pub formats: Vec<Encoding>,
    /// Layers; fewer than the published model has make a file that is quicker to measure
    #[arg(long, value_name = "N")]
    pub layers: Option<usize>,
    /// Tokens; fewer than the published model has make a smaller file
    #[arg(long, value_name = "N")]
    pub vocab: Option<usize>,
    /// Format of the embedding table [default: as llama-quantize chooses]
    #[arg(long, value_name = "FORMAT")]
    pub embedding: Option<Encoding>,
    /// Format of the head [default: as llama-quantize chooses]
    #[arg(long, value_name = "FORMAT")]
    pub head: Option<Encoding>,
    /// Seed of weights and tokens
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Where synthetic models are kept [default: target/peers/models]
    #[arg(long, value_name = "FOLDER")]
    pub models: Option<PathBuf>,
}

impl Synthetic {
    /// How models are made: `formats` where none are given, `layers` where none are given.
    pub fn make(&self, formats: &[Encoding], layers: Option<usize>) -> MakeOptions {
        let formats = if self.formats.is_empty() { formats.to_vec() } else { self.formats.clone() };
        MakeOptions {
            formats,
            layers: self.layers.or(layers),
            vocab: self.vocab,
            embedding: self.embedding,
            head: self.head,
            seed: self.seed,
        }
    }
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// builtin, smollm2, bitcpm-8b, bitnet-2b, bonsai-1.7b, bonsai-8b, gemma4-e2b, or a GGUF file; may be repeated
    /// [default: builtin, smollm2, bitcpm-8b]
    #[arg(short = 'm', long = "model", value_delimiter = ',', value_name = "MODEL")]
    pub select: Vec<String>,
    /// Whole models (all layers) in tq2_0 and tq1_0, bitnet-2b too: an hour or more and 12 GB of disk
    #[arg(long)]
    pub full: bool,
    /// How synthetic models are made.
    #[command(flatten)]
    pub synthetic: Synthetic,
    /// Lengths of prompts
    #[arg(long = "prompt", value_delimiter = ',', default_values_t = [64, 512], value_name = "TOKENS")]
    pub prompts: Vec<usize>,
    /// Tokens fed one at a time; 0 to leave decoding out
    #[arg(long, default_value_t = 32, value_name = "TOKENS")]
    pub decode: usize,
    /// Tokens before those
    #[arg(long, default_value_t = 64, value_name = "TOKENS")]
    pub after: usize,
    /// Rounds that count
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub rounds: usize,
    /// Rounds before those
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub warmup: usize,
    /// Threads of every engine; 0 for one per core
    #[arg(short, long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Where report.json and report.md are written [default: target/peers/results]
    #[arg(short, long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Sterna on the best GPU, against llama.cpp's Vulkan backend unless --peer says otherwise
    #[arg(long)]
    pub gpu: bool,
    /// Engines to compare with [default: those that are there]
    #[arg(long = "peer", value_delimiter = ',', value_name = "ENGINE")]
    pub peers: Vec<Engine>,
    /// Where run.sh put other engines [default: target/peers]
    #[arg(long, value_name = "FOLDER")]
    pub engines: Option<PathBuf>,
}

/// Options of `make`.
#[derive(Debug, Args)]
pub struct Make {
    /// bitcpm-8b, bitnet-2b, bonsai-1.7b, bonsai-8b or gemma4-e2b
    pub shape: String,
    /// How.
    #[command(flatten)]
    pub synthetic: Synthetic,
}

/// Options of `worker`.
#[derive(Debug, Args)]
pub struct Worker {
    /// sterna, llama.cpp or ik_llama.cpp
    pub engine: String,
    /// A GGUF file
    pub model: PathBuf,
    /// Threads
    #[arg(long)]
    pub threads: usize,
    /// Positions
    #[arg(long)]
    pub context: usize,
    /// Seed of the tokens
    #[arg(long)]
    pub seed: u64,
    /// Where other engines are
    #[arg(long)]
    pub engines: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        let cli = Cli::parse_from(["peers", "run", "-m", "builtin,x.gguf", "--format", "tq2_0", "-t", "1"]);
        let Command::Run(run) = cli.command else { panic!("another command") };
        assert_eq!(run.select, ["builtin", "x.gguf"]);
        let options = run.synthetic.make(&[Encoding::Q8_0], Some(4));
        assert_eq!((options.formats, options.layers), (vec![Encoding::TQ2_0], Some(4)));
        assert!(Cli::try_parse_from(["peers", "run", "--format", "q9"]).is_err());
        assert!(Cli::try_parse_from(["peers", "run", "--peer", "ik_llama.cpp,llama.cpp"]).is_ok());
    }
}
