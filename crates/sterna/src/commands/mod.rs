//! The subcommands.

pub mod bench;
mod bench_gpu;
mod chat;
pub mod devices;
pub mod doctor;
pub mod gate;
mod inspect;
pub(crate) mod output;
mod pack;
pub mod probe;
pub mod pull;
pub mod report;
mod run;
pub mod selftest;
mod signals;
mod speculation;
mod trace;

use std::error::Error;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use sterna_probe::bench::KernelOptions;
use sterna_probe::interleave::Rounds;

use crate::cli::{Cli, Command, ModelArgs};

pub use chat::HELP as CHAT_HELP;
pub use output::megabytes as size;

type Outcome = Result<ExitCode, Box<dyn Error>>;

/// Flags that make no sense, alone or together, where the parser cannot see it: exit code 2, as for any other.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Parses the command line and runs it. Exit codes: 0 done, 1 failed, 2 wrong usage; those of gates are in [`gate`].
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    // A file of warnings is for reading too.
    let colours =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let warnings = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colours);
    warnings.without_time().with_target(false).init();
    let gives_verdict = matches!(
        cli.command,
        Command::Gate(_) | Command::Doctor(_) | Command::Bench(_) | Command::Selftest(_)
    );
    if let Err(error) = cli.command.model_args().map_or(Ok(()), ModelArgs::check) {
        report_error(&*error);
        return ExitCode::from(2);
    }
    let outcome = match cli.command {
        Command::Run(args) => run::main(&args),
        Command::Chat(args) => chat::main(&args),
        Command::Pack(args) => pack::main(&args),
        Command::Inspect(args) => inspect::main(&args),
        Command::Bench(args) => bench::main(&args),
        Command::Probe(args) => probe::main(&args),
        Command::Gate(args) => gate::main(&args),
        Command::Doctor(args) => doctor::main(&args),
        Command::Report(args) => report::main(&args),
        Command::Devices(args) => devices::main(&args),
        Command::Selftest(args) => selftest::main(&args),
        Command::Pull(args) => pull::main(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "sterna", &mut script);
            std::io::stdout().write_all(&script).map(|()| ExitCode::SUCCESS).map_err(Into::into)
        }
        Command::Man => man(),
    };
    outcome.unwrap_or_else(|error| {
        // A reader that went away (`sterna run ... | head`) is no failure worth words, but a verdict that nobody could
        // be told must not look like a good one.
        if broken_pipe(&*error) {
            return if gives_verdict { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
        report_error(&*error);
        if error.is::<Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
    })
}

/// Whether nobody reads what the program writes any more.
fn broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Says what went wrong, and why, on standard error.
fn report_error(error: &(dyn Error + 'static)) {
    output::complain(format_args!("error: {error}"));
    let mut cause = error.source();
    let mut said = error.to_string();
    while let Some(c) = cause {
        let text = c.to_string();
        if !said.contains(&text) {
            output::complain(format_args!("  because: {text}"));
            said = text;
        }
        cause = c.source();
    }
}

/// Every encoding at every shape such as `4096x16384`, checked before anything is measured.
fn kernel_options(
    encodings: &[String],
    shapes: &[String],
    widths: &[usize],
    rounds: Rounds,
) -> Result<Vec<KernelOptions>, Box<dyn Error>> {
    let mut all = Vec::new();
    for encoding in encodings {
        for shape in shapes {
            let sides = shape.split_once('x').and_then(|(r, c)| Some((r.parse().ok()?, c.parse().ok()?)));
            let (rows, cols) = sides.ok_or_else(|| format!("`{shape}` is no shape such as 4096x16384"))?;
            let (encoding, widths) = (encoding.parse()?, widths.to_vec());
            let options = KernelOptions { encoding, rows, cols, widths, cold_bytes: 160 << 20, rounds };
            options.check()?;
            all.push(options);
        }
    }
    Ok(all)
}

fn man() -> Outcome {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build(); // gives subcommands their full names
    man_of(&command, &mut page)?;
    std::io::stdout().write_all(&page)?;
    Ok(ExitCode::SUCCESS)
}

/// A command's page and those of its subcommands.
fn man_of(command: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(page)?;
    command.get_subcommands().try_for_each(|sub| man_of(sub, page))
}
