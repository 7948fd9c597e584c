//! What every command shows the same way: progress bars on standard error, and only to a person.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use sterna_bundle::Quantised;
use sterna_run::{Drafts, Session, SessionError};

use crate::engine::{Engine, EngineError};
use crate::measure::costs;
use crate::speculate::SpeculateError;

/// Writes a line to standard output and hands an error on: a full disk or a reader that went away is no reason to
/// panic, as `println!` would.
macro_rules! say {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout().lock(), $($arg)*)?
    }};
}
pub(crate) use say;

/// A bar for bytes; hidden when standard error is no terminal or `quiet` is set.
pub fn bytes_bar(what: &'static str, quiet: bool) -> ProgressBar {
    bar("{msg} [{bar:30}] {bytes}/{total_bytes} {eta}", what, quiet)
}

/// A bar for tokens.
pub fn tokens_bar(what: &'static str, quiet: bool) -> ProgressBar {
    bar("{msg} [{bar:30}] {pos}/{len} tokens {eta}", what, quiet)
}

/// A bar for anything else that is counted.
pub fn steps_bar(what: &'static str, quiet: bool) -> ProgressBar {
    bar("{msg} [{bar:30}] {pos}/{len} {eta}", what, quiet)
}

fn bar(template: &str, what: &'static str, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style.progress_chars("=> ")).with_message(what)
}

/// Loads an engine's weights behind a bar.
pub fn load(engine: &Engine, quiet: bool) -> Result<Session, EngineError> {
    behind_a_bar(quiet, |progress| engine.session(progress))
}

/// Loads an engine's weights behind a bar, and what proposes tokens with them.
pub fn load_speculating(engine: &Engine, quiet: bool) -> Result<Session, SpeculateError> {
    engine.fits()?;
    behind_a_bar(quiet, |progress| {
        let mut session = engine.session(progress)?;
        let costs = costs::find(engine, &session);
        engine.speculate(&mut session, costs.as_ref(), progress)?;
        Ok(session)
    })
}

/// Does something behind a bar for bytes.
pub fn behind_a_bar<T>(quiet: bool, load: impl FnOnce(&mut dyn FnMut(u64, u64)) -> T) -> T {
    let bar = bytes_bar("loading", quiet);
    let loaded = load(&mut |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    loaded
}

/// "12.3 tokens/s".
pub fn rate(tokens: usize, time: Duration) -> String {
    if tokens == 0 || time.is_zero() {
        return "-".into();
    }
    format!("{:.1} tokens/s", tokens as f64 / time.as_secs_f64())
}

/// ", 31 of 40 drafts kept": nothing where none were made.
pub fn drafts(d: Drafts) -> String {
    if d.proposed == 0 { String::new() } else { format!(", {} of {} drafts kept", d.accepted, d.proposed) }
}

/// "16.5 MB".
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        0..10_000_000 => format!("{:.2} MB", bytes as f64 / 1e6),
        10_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// What weights lost when they were quantised, by kind; nothing where none was.
pub fn quantised(kinds: &[Quantised]) -> std::io::Result<()> {
    if kinds.is_empty() {
        return Ok(());
    }
    say!("quantised, by kind of weight, with the loss (root mean square, of the weights' own)");
    for k in kinds {
        let lost = k.residual.map_or_else(|| "while loading".to_owned(), |r| format!("{:.2} %", r * 100.0));
        say!("  {:12} {:4} tensors  {} to {}  {lost}", k.kind, k.tensors, k.from, k.to);
    }
    Ok(())
}

/// The words for a session that has no room, with what to do.
pub fn is_context_full(error: &sterna_run::GenerateError) -> bool {
    matches!(error, sterna_run::GenerateError::Session(SessionError::ContextFull { .. }))
}

/// Whether `path` can be written, without a change to what is there.
pub fn check_writable(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return OpenOptions::new().append(true).open(path).map(drop);
    }
    OpenOptions::new().write(true).create_new(true).open(path)?;
    std::fs::remove_file(path)
}

/// Writes a line to standard error; nobody is left to tell when that fails.
pub fn complain(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
