//! What a session did when, as trace events that Perfetto and Chrome show (`ui.perfetto.dev`, `chrome://tracing`).
//!
//! The file is a JSON array, one event a line, written as it happens: its size is bounded by the disk, not by memory.
//! Until [`Trace::finish`] it lacks its last bracket, which both viewers forgive.
//!
//! Row 0 is the thread that runs the session: roles (prefill, decode, sample, text), the calls in them, and the first
//! thread's ops in those. The other rows are the executor's further threads. In an op, `wait` is the time from a thread's
//! own end until all threads were done.

use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sterna_plan::ModelPlan;
use sterna_run::trace::{Fact, Span, TracedCall, Tracer};

/// Waits shorter than this are not shown: two clock readings differ by as much.
const SHORT_WAIT_US: f64 = 1.0;

/// Writes events to anything.
pub struct Writer<W: Write> {
    out: W,
    epoch: Instant,
    pid: u32,
    /// Rows that have a name.
    rows: usize,
    /// Names of the ops of every entry point.
    labels: Vec<Vec<String>>,
    /// Whether an event was written.
    begun: bool,
    closed: bool,
    failed: Option<Error>,
}

impl<W: Write> Writer<W> {
    /// Begins a trace now, of process `pid` under the name `process`.
    pub fn new(out: W, pid: u32, process: &str) -> Self {
        let epoch = Instant::now();
        let mut writer =
            Self { out, epoch, pid, rows: 0, labels: Vec::new(), begun: false, closed: false, failed: None };
        writer.raw("[\n");
        writer.named("process_name", 0, process);
        writer.row(0);
        writer
    }

    fn raw(&mut self, text: &str) {
        if self.failed.is_none()
            && let Err(e) = self.out.write_all(text.as_bytes())
        {
            self.failed = Some(e);
        }
    }

    fn event(&mut self, json: &str) {
        if !self.closed {
            // The comma comes first, so that a trace that is cut off ends after an event.
            self.raw(if self.begun { ",\n" } else { "" });
            self.begun = true;
            self.raw(json);
        }
    }

    fn named(&mut self, what: &str, row: usize, name: &str) {
        let (pid, name) = (self.pid, quoted(name));
        self.event(&format!(
            r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":{row},"args":{{"name":{name}}}}}"#
        ));
    }

    /// Names a row when it is first used.
    fn row(&mut self, row: usize) {
        while self.rows <= row {
            let name = if self.rows == 0 { "session".into() } else { format!("thread {}", self.rows) };
            self.named("thread_name", self.rows, &name);
            self.rows += 1;
        }
    }

    fn us(&self, at: Instant) -> f64 {
        at.saturating_duration_since(self.epoch).as_nanos() as f64 / 1e3
    }

    /// A span that has ended. `kind` groups spans: "role", "call", "op", "wait", "start".
    pub fn span(
        &mut self,
        kind: &str,
        name: &str,
        row: usize,
        (start, end): (Instant, Instant),
        facts: &[(&str, Fact<'_>)],
    ) {
        self.row(row);
        let (from, to, pid, name) = (self.us(start), self.us(end), self.pid, quoted(name));
        // The difference of what is written, not what is written of the difference: nesting survives rounding.
        let long = to - from;
        let mut json = format!(
            r#"{{"ph":"X","name":{name},"cat":"{kind}","pid":{pid},"tid":{row},"ts":{from:.3},"dur":{long:.3}"#
        );
        for (i, (key, fact)) in facts.iter().enumerate() {
            json += if i == 0 { r#","args":{"# } else { "," };
            json += &format!("{}:", quoted(key));
            json += &match fact {
                Fact::Whole(n) => n.to_string(),
                Fact::Number(x) if x.is_finite() => x.to_string(),
                Fact::Number(_) => "null".into(),
                Fact::Text(text) => quoted(text),
            };
        }
        json += if facts.is_empty() { "}" } else { "}}" };
        self.event(&json);
    }

    /// A call with its ops, thread by thread.
    pub fn call(&mut self, call: &TracedCall<'_>) {
        let plan: &ModelPlan = call.executor.plan();
        if self.labels.len() != plan.entries.len() {
            let of = |e: &sterna_plan::Plan| e.ops.iter().map(|op| plan.op_label(op)).collect();
            self.labels = plan.entries.iter().map(of).collect();
        }
        let labels = std::mem::take(&mut self.labels);
        let ops = labels.get(call.entry).map_or(&[][..], Vec::as_slice);
        call.executor.op_spans(&mut |s| {
            let name = ops.get(s.op).map_or("op", String::as_str);
            self.span("op", name, s.thread, (s.start, s.end), &[("op", Fact::Whole(s.op as u64))]);
            if self.us(s.end) - self.us(s.done) >= SHORT_WAIT_US {
                self.span("wait", "wait", s.thread, (s.done, s.end), &[]);
            }
        });
        self.labels = labels;
        let entry = plan.entries.get(call.entry).map_or("call", |e| &e.name);
        let facts = [
            ("rows", Fact::Whole(call.rows as u64)),
            ("position", Fact::Whole(call.position as u64)),
            ("weight_bytes", Fact::Whole(call.stats.weight_bytes)),
            ("macs", Fact::Whole(call.stats.macs)),
        ];
        self.span("call", entry, 0, (call.start, call.end), &facts);
        self.flush();
    }

    fn flush(&mut self) {
        if self.failed.is_none()
            && let Err(e) = self.out.flush()
        {
            self.failed = Some(e);
        }
    }

    /// Writes the last bracket; what comes later is left out.
    ///
    /// # Errors
    /// The first error of all that was written.
    pub fn finish(&mut self) -> Result<(), Error> {
        if !self.closed {
            self.raw("\n]\n");
            self.flush();
            self.closed = true;
        }
        self.failed.take().map_or(Ok(()), Err)
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A trace in a file, shared by the session that is traced and whoever else has something to add.
#[derive(Clone)]
pub struct Trace {
    writer: Arc<Mutex<Writer<BufWriter<File>>>>,
}

impl Trace {
    /// Begins a trace in `path`, replacing what is there.
    ///
    /// # Errors
    /// The file.
    pub fn create(path: &Path, process: &str) -> Result<Self, Error> {
        let out = BufWriter::with_capacity(1 << 16, File::create(path)?);
        Ok(Self { writer: Arc::new(Mutex::new(Writer::new(out, std::process::id(), process))) })
    }

    fn writer(&self) -> MutexGuard<'_, Writer<BufWriter<File>>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what a program did from `start` until now, before or after its session.
    pub fn add(&self, name: &str, start: Instant, facts: &[(&str, Fact<'_>)]) {
        self.writer().span("start", name, 0, (start, Instant::now()), facts);
    }

    /// Ends the trace; it is then valid JSON.
    ///
    /// # Errors
    /// What writing it failed with, now or before.
    pub fn finish(&self) -> Result<(), Error> {
        self.writer().finish()
    }
}

impl Tracer for Trace {
    fn call(&mut self, call: &TracedCall<'_>) {
        self.writer().call(call);
    }

    fn span(&mut self, span: &Span<'_>) {
        let mut writer = self.writer();
        writer.span("role", span.role.name(), 0, (span.start, span.end), span.facts);
        writer.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn events_are_json_whatever_is_in_them_and_end_once() {
        let mut out = Vec::new();
        let mut w = Writer::new(&mut out, 7, "a \"model\"\n");
        let start = w.epoch + Duration::from_nanos(1_234_567);
        let facts =
            [("text", Fact::Text("\u{1}\"\\")), ("n", Fact::Number(f64::NAN)), ("x", Fact::Number(0.5))];
        w.span("op", "linear \"q\"", 2, (start, start + Duration::from_nanos(2_500)), &facts);
        w.finish().unwrap();
        w.span("op", "late", 0, (start, start), &[]);
        w.finish().unwrap();
        let all: Vec<serde_json::Value> = serde_json::from_slice(&out).unwrap();
        assert_eq!(all.len(), 5, "a process, three rows and a span: {all:?}");
        assert_eq!(all[0]["args"]["name"], "a \"model\"\n");
        let span = &all[4];
        assert_eq!((&span["ts"], &span["dur"], &span["tid"]), (&1234.567.into(), &2.5.into(), &2.into()));
        assert_eq!(
            (&span["args"]["text"], &span["args"]["n"]),
            (&"\u{1}\"\\".into(), &serde_json::Value::Null)
        );
    }

    /// What is written before the end is whole but for the last bracket.
    #[test]
    fn a_trace_that_is_cut_off_lacks_only_its_end() {
        let mut out = Vec::new();
        let mut w = Writer::new(&mut out, 1, "p");
        let now = w.epoch;
        w.span("role", "decode", 0, (now, now), &[]);
        let text = String::from_utf8(out).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_err());
        assert!(serde_json::from_str::<serde_json::Value>(&format!("{text}]")).is_ok());
    }

    #[test]
    fn a_full_disk_is_told_at_the_end() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> Result<usize, Error> {
                Err(Error::from(std::io::ErrorKind::StorageFull))
            }
            fn flush(&mut self) -> Result<(), Error> {
                Ok(())
            }
        }
        let mut w = Writer::new(Full, 1, "p");
        assert_eq!(w.finish().unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    }
}
