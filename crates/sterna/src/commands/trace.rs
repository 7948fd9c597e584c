//! `--trace`: a file of trace events, closed whatever ends the program.

use std::error::Error;
use std::io::Read;
use std::path::Path;

use sterna_probe::trace::Trace;

/// Begins a trace in `path`. Ctrl-C (with `interrupts`) and a request to end close it before the program ends as it
/// would have without a trace.
pub fn open(path: Option<&Path>, interrupts: Interrupts) -> Result<Option<Trace>, Box<dyn Error>> {
    let Some(path) = path else { return Ok(None) };
    // A slip such as `--trace model.gguf` must not cost a model.
    if path.is_file() && !is_trace(path) {
        return Err(
            format!("{} exists and is no trace; choose another name for --trace", path.display()).into()
        );
    }
    let trace = Trace::create(path, "sterna").map_err(|e| format!("{}: {e}", path.display()))?;
    close_on_signals(&trace, interrupts)?;
    Ok(Some(trace))
}

/// What Ctrl-C means to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupts {
    /// The end of the program.
    End,
    /// The end of an answer; the command sees to it.
    Answer,
}

fn is_trace(path: &Path) -> bool {
    let mut head = String::new();
    let read = std::fs::File::open(path).and_then(|f| f.take(64).read_to_string(&mut head));
    read.is_ok() && (head.trim().is_empty() || head.starts_with("[\n{\"ph\":\"M\""))
}

#[cfg(unix)]
fn close_on_signals(trace: &Trace, interrupts: Interrupts) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let trace = trace.clone();
    let close = move || drop(trace.finish()); // nobody is left to tell
    match interrupts {
        Interrupts::End => super::signals::before_the_end(close),
        Interrupts::Answer => super::signals::before(&[SIGTERM, SIGHUP], close),
    }
}

/// Elsewhere the file lacks its last bracket, which viewers forgive.
#[cfg(not(unix))]
fn close_on_signals(_: &Trace, _: Interrupts) -> std::io::Result<()> {
    Ok(())
}

/// Ends a trace, if there is one.
pub fn finish(trace: Option<&Trace>) -> Result<(), Box<dyn Error>> {
    trace.map_or(Ok(()), |t| t.finish().map_err(|e| format!("the trace is not complete: {e}").into()))
}
