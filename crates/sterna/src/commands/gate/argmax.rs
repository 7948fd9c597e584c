//! `sterna gate argmax`: chunks against single rows, C/C.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sterna_probe::gate::{self, ChunkOptions, Equality};
use sterna_probe::tokens;

use super::{rows, verdict};
use crate::cli::ModelArgs;
use crate::commands::{Outcome, output};
use crate::engine::Engine;

/// `sterna gate argmax`.
#[derive(Args, Debug)]
pub struct ArgmaxArgs {
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Rows of the chunks
    #[arg(long, value_delimiter = ',', value_name = "ROWS", default_value = "16,32,64,128", value_parser = rows())]
    pub chunk: Vec<usize>,
    /// Positions held before each chunk
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub from: usize,
    /// Text to walk through instead of seeded random tokens
    #[arg(long, value_name = "FILE")]
    pub text: Option<PathBuf>,
    /// What must be equal
    #[arg(long, value_enum, default_value_t = Require::Bits)]
    pub require: Require,
}

/// What must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Require {
    /// The best token at every position; bits and state are shown only
    Argmax,
    /// The best token, every bit of every logit, and the state
    Bits,
}

/// Runs the gate.
pub fn main(args: &ArgmaxArgs) -> Outcome {
    let engine = Engine::open(args.model.model.as_deref(), &args.model.options())?;
    let longest = args.chunk.iter().copied().max().unwrap_or(0);
    let n = args.from.saturating_add(longest);
    if n > engine.plan.context {
        let room = engine.plan.context;
        return Err(format!("{} positions and a chunk of {longest} in a context of {room}", args.from).into());
    }
    let ids = match &args.text {
        Some(path) => engine.model.tokenizer.encode(&super::read(path)?, true)?,
        None => tokens::seeded(1, n, engine.plan.vocab),
    };
    let require = match args.require {
        Require::Argmax => Equality::Argmax,
        Require::Bits => Equality::Bits,
    };
    let options = ChunkOptions { chunks: args.chunk.clone(), from: args.from, require };
    let mut session = output::load(&engine, args.model.json)?;
    let bar = output::tokens_bar("comparing", args.model.json);
    let report = gate::chunks(&mut session, &ids, &options, &mut |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let report = report?;
    verdict(args.model.json, "argmax", &engine.model.name, &report, report.passed())
}
