//! `sterna pull`: download a model.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::output::say;
use super::{Outcome, output};
use crate::pull::{Bars, Dest, PullOptions, pull};

/// `sterna pull`.
///
/// Reads `HF_TOKEN` for gated repositories, `HF_HOME` for the cache's place and `HF_ENDPOINT` for another hub.
#[derive(Args, Debug)]
pub struct PullArgs {
    /// owner/name, owner/name:file.gguf, owner/name:Q4_0 or owner/name@revision
    pub repository: String,
    /// Branch, tag or commit
    #[arg(long)]
    pub revision: Option<String>,
    /// Only files that match, for example '*.gguf'; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub files: Vec<String>,
    /// Put the files into this folder instead of the shared cache
    #[arg(long, value_name = "FOLDER")]
    pub to: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn main(args: &PullArgs) -> Outcome {
    let mut options = PullOptions::from_env()?;
    options.revision.clone_from(&args.revision);
    options.files.clone_from(&args.files);
    if let Some(folder) = &args.to {
        options.dest = Dest::Folder(folder.clone());
    }
    if !args.json {
        options.progress = Box::new(Bars::new());
    }
    let path = pull(&args.repository, options)?;
    if args.json {
        say!("{}", serde_json::json!({ "path": path }));
    } else {
        say!("{}", path.display());
        output::complain(format_args!("try: sterna run -m {} --chat \"Hello\"", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}
