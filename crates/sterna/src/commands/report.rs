//! `sterna report`: recorded measurements as one page.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use sterna_probe::report;

use super::output::say;
use super::{Outcome, output};

/// `sterna report`.
#[derive(Args, Debug)]
#[command(
    after_help = "The page is one file: no script, no network, light and dark. Several runs are put side by side, with ratios and with \
what makes them hard to compare.

Examples:
  sterna report runs.jsonl                        report.html in this folder
  sterna report before.jsonl after.jsonl -o compare.html
  sterna report runs.jsonl --markdown             tables, to standard output"
)]
pub struct ReportArgs {
    /// Files of JSON lines that `sterna bench` and `sterna probe` recorded
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where to write; - is standard output [default: report.html, or standard output with --markdown]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Markdown instead of HTML
    #[arg(long)]
    pub markdown: bool,
    /// Replace a file that is no report
    #[arg(long)]
    pub force: bool,
    /// Say in JSON what was written
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
}

/// Whether a file may be replaced: an earlier report, or an empty one.
fn is_report(path: &Path) -> bool {
    let mut head = String::new();
    let read = std::fs::File::open(path).and_then(|f| f.take(512).read_to_string(&mut head));
    let ours =
        head.starts_with("# Sterna:") || (head.starts_with("<!DOCTYPE html>") && head.contains("<html lang"));
    read.is_ok() && (head.is_empty() || ours)
}

/// Runs the command.
pub fn main(args: &ReportArgs) -> Outcome {
    let page = report::build(&args.files)?;
    let text = if args.markdown { page.markdown() } else { page.html()? };
    let default = if args.markdown { "-" } else { "report.html" };
    let path = args.output.clone().unwrap_or_else(|| default.into());
    if path.as_os_str() == "-" {
        std::io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let inputs = args.files.iter().filter_map(|f| f.canonicalize().ok());
    if path.canonicalize().is_ok_and(|p| inputs.into_iter().any(|i| i == p)) {
        return Err(
            format!("{} is one of the measurements; choose another name with -o", path.display()).into()
        );
    }
    if path.is_file() && !args.force && !is_report(&path) {
        return Err(format!("{} exists and is no report; --force replaces it", path.display()).into());
    }
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    if args.json {
        say!(
            "{}",
            json!({ "path": path, "warnings": page.warnings, "sections": page.sections.iter().map(|s| s.id).collect::<Vec<_>>() })
        );
        return Ok(ExitCode::SUCCESS);
    }
    say!("{}", path.display());
    page.warnings.iter().for_each(|w| output::complain(format_args!("note: {w}")));
    Ok(ExitCode::SUCCESS)
}
