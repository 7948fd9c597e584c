//! Measurements as JSON lines: one record a line, appended, so that runs of many days lie in one file.
//!
//! Every line is an object with `schema`, the `run` it belongs to, and a `kind`. A run starts with a line of kind
//! `run`. Readers skip lines of a schema or kind that they do not know.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::bench::{ChunkTable, GenerationTable, KernelTable, Profile, SpeculationTable, WidthTable};
use crate::compare::{Comparison, SelfCheck, Shown};
use crate::dispatch::{DispatchCost, ThreadCost};
use crate::interleave::{Flag, Interleaved};
use crate::limits::Limits;
use crate::machine::{Machine, Weather};
use crate::memory::MemoryStages;
use crate::verify::{BreakEven, VerifyCost};

/// Version of the lines that this program writes.
pub const SCHEMA: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Identity of the run that it belongs to.
    pub run: String,
    /// The rest.
    #[serde(flatten)]
    pub record: Record,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// The run itself.
    Run(Box<Run>),
    /// Limits of the machine; measured before and after what they are a bound for.
    Limits {
        /// "before", "after" or "only".
        when: String,
        /// The figures.
        limits: Box<Limits>,
    },
    /// One sample.
    Sample(Sample),
    /// A table with all its figures.
    Table {
        /// What it is about: a model, a shape.
        name: String,
        /// The figures.
        table: Box<TableValue>,
    },
}

/// What was run, where and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Seconds since 1970-01-01 00:00 UTC.
    pub time: u64,
    /// The command line, program first.
    pub command: Vec<String>,
    /// Version of the program.
    pub version: String,
    /// Where.
    pub machine: Machine,
    /// How the machine felt at the start.
    pub weather: Weather,
    /// Device in words.
    pub device: String,
    /// Threads at most.
    pub threads: usize,
    /// Model, bundle or shape; empty where there is none.
    pub model: String,
}

/// One sample of one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Name of the table or comparison that it is in.
    pub table: String,
    /// Its arm.
    pub arm: String,
    /// Its round, from 0.
    pub round: usize,
    /// What it took.
    pub seconds: f64,
    /// What speaks against its round.
    pub flags: Vec<Flag>,
}

/// Every kind of table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum TableValue {
    /// Calls of several widths.
    Widths(WidthTable),
    /// Prefill and decode.
    Generation(GenerationTable),
    /// One matrix shape.
    Kernels(KernelTable),
    /// Time of a call by op.
    Profile(Profile),
    /// Chunk widths with the argmax check.
    Chunks(ChunkTable),
    /// Verify cost with its fits.
    VerifyCost(Box<VerifyCost>),
    /// When drafting pays.
    BreakEven(BreakEven),
    /// Memory by stage.
    Memory(MemoryStages),
    /// Cost of calls and ops.
    Dispatch(DispatchCost),
    /// Cost of threads.
    Threads(ThreadCost),
    /// Arms against a base.
    Comparison(Vec<Comparison>),
    /// Error rates of comparisons.
    SelfCheck(SelfCheck),
    /// Answers with and without drafts.
    Speculation(SpeculationTable),
}

impl fmt::Display for TableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableValue::Widths(t) => t.fmt(f),
            TableValue::Generation(t) => t.fmt(f),
            TableValue::Kernels(t) => t.fmt(f),
            TableValue::Profile(t) => t.fmt(f),
            TableValue::Chunks(t) => t.fmt(f),
            TableValue::VerifyCost(t) => t.fmt(f),
            TableValue::BreakEven(t) => t.fmt(f),
            TableValue::Memory(t) => t.fmt(f),
            TableValue::Dispatch(t) => t.fmt(f),
            TableValue::Threads(t) => t.fmt(f),
            TableValue::Comparison(t) => Shown(t).fmt(f),
            TableValue::SelfCheck(t) => t.fmt(f),
            TableValue::Speculation(t) => t.fmt(f),
        }
    }
}

impl TableValue {
    /// The samples that it comes from, where it holds them.
    pub fn interleaved(&self) -> Option<&Interleaved> {
        match self {
            TableValue::Widths(t) => Some(&t.samples),
            TableValue::Generation(t) => Some(&t.samples),
            TableValue::Kernels(t) => Some(&t.samples),
            TableValue::Chunks(t) => Some(&t.widths.samples),
            TableValue::VerifyCost(t) => Some(&t.samples),
            TableValue::Speculation(t) => Some(&t.samples),
            _ => None,
        }
    }
}

/// Why a record cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file.
    #[error("{path}: {source}")]
    File {
        /// As given.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line that is no record.
    #[error("{path}, line {line}: {source}")]
    Line {
        /// As given.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
}

/// Appends the records of one run to a file.
#[derive(Debug)]
pub struct Recorder {
    file: File,
    path: PathBuf,
    run: String,
}

impl Recorder {
    /// Opens `path`, which is made if it does not exist, and writes the run's own line.
    ///
    /// # Errors
    /// [`RecordError::File`].
    pub fn open(path: &Path, run: Run) -> Result<Self, RecordError> {
        let failed = |source| RecordError::File { path: path.to_owned(), source };
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if ends_in_a_line(path).map_err(failed)? {
            file.write_all(b"\n").map_err(failed)?;
        }
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let run_id = format!("{nanos:x}-{:x}", std::process::id());
        let mut recorder = Self { file, path: path.to_owned(), run: run_id };
        recorder.write(Record::Run(Box::new(run)))?;
        Ok(recorder)
    }

    /// Appends one line.
    ///
    /// # Errors
    /// [`RecordError::File`].
    pub fn write(&mut self, record: Record) -> Result<(), RecordError> {
        let line = Line { schema: SCHEMA, run: self.run.clone(), record };
        let text = serde_json::to_string(&line).map_err(std::io::Error::from);
        // One write, so that two programs that append to one file do not mix their lines.
        text.and_then(|text| self.file.write_all(format!("{text}\n").as_bytes()))
            .map_err(|source| RecordError::File { path: self.path.clone(), source })
    }

    /// Appends a table.
    ///
    /// # Errors
    /// [`RecordError::File`].
    pub fn table(&mut self, name: impl Into<String>, table: TableValue) -> Result<(), RecordError> {
        self.write(Record::Table { name: name.into(), table: Box::new(table) })
    }

    /// Appends every sample of `samples`.
    ///
    /// # Errors
    /// [`RecordError::File`].
    pub fn samples(&mut self, table: &str, samples: &Interleaved) -> Result<(), RecordError> {
        for arm in &samples.arms {
            for (round, seconds) in arm.samples.iter().copied().enumerate() {
                let flags = samples.flags(round);
                let (table, arm) = (table.to_owned(), arm.name.clone());
                self.write(Record::Sample(Sample { table, arm, round, seconds, flags }))?;
            }
        }
        Ok(())
    }
}

/// Whether a file's last line has no end, because the program that wrote it was stopped.
fn ends_in_a_line(path: &Path) -> std::io::Result<bool> {
    // A pipe or a terminal has no end to look at.
    if !path.metadata()?.is_file() {
        return Ok(false);
    }
    let mut file = File::open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Reads all lines of `path` whose schema is [`SCHEMA`] and whose kind is known; says how many others there were.
///
/// # Errors
/// The file, or a line that is no JSON object with a schema, or that breaks its schema.
pub fn read(path: &Path) -> Result<(Vec<Line>, usize), RecordError> {
    #[derive(Deserialize)]
    struct Head {
        schema: u32,
        kind: String,
    }
    let failed = |source| RecordError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let (mut lines, mut skipped) = (Vec::new(), 0);
    for (at, text) in std::io::BufReader::new(file).lines().enumerate() {
        let text = text.map_err(failed)?;
        if text.trim().is_empty() {
            continue;
        }
        let broken = |source| RecordError::Line { path: path.to_owned(), line: at + 1, source };
        let head: Head = serde_json::from_str(&text).map_err(broken)?;
        if head.schema != SCHEMA || !["run", "limits", "sample", "table"].contains(&head.kind.as_str()) {
            skipped += 1;
            continue;
        }
        lines.push(serde_json::from_str(&text).map_err(broken)?);
    }
    Ok((lines, skipped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::DispatchPoint;
    use crate::interleave::{Arm, Rounds, interleave};

    fn run() -> Run {
        Run {
            time: 1_700_000_000,
            command: vec!["sterna".into(), "bench".into()],
            version: "0.1.0".into(),
            machine: Machine {
                cpu: "a \"CPU\"\n".into(),
                cores: 2,
                memory: Some(u64::MAX),
                ..Machine::default()
            },
            weather: Weather { load: Some(0.1 + 0.2), ..Weather::default() },
            device: "cpu".into(),
            threads: 2,
            model: String::new(),
        }
    }

    #[test]
    fn what_is_written_is_read_bit_for_bit() {
        let path = std::env::temp_dir().join(format!("sterna-record-{}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut seconds = [1.0 / 3.0, f64::MIN_POSITIVE, 0.1 + 0.2].into_iter().cycle();
        let mut arms = vec![Arm::told("a", move |_: &mut ()| seconds.next().ok_or_else(|| "end".into()))];
        let mut samples =
            interleave(&mut (), &mut arms, Rounds { warmup: 0, rounds: 3, ..Rounds::default() }).unwrap();
        samples.noisy = vec![2];
        samples.throttled = vec![1, 2];
        let dispatch = DispatchCost {
            threads: 2,
            points: vec![DispatchPoint { ops: 3, us: 1e-7 / 3.0 }],
            per_call_us: 2.0 / 7.0,
            per_op_us: -0.0,
            residuals_us: vec![5e-324],
        };
        for _ in 0..2 {
            let mut recorder = Recorder::open(&path, run()).unwrap();
            recorder.samples("t", &samples).unwrap();
            recorder.table("tiny ops", TableValue::Dispatch(dispatch.clone())).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        drop(Recorder::open(&path, run()).unwrap());
        let after = std::fs::read_to_string(&path).unwrap();
        assert!(
            after.starts_with(&format!("{}\n{{", &text[..text.len() - 5])),
            "a run begins a line of its own"
        );
        assert_eq!(text.lines().count(), 10, "two runs of a run line, three samples and a table");
        std::fs::write(
            &path,
            format!("{text}\n{{\"schema\":2,\"kind\":\"run\"}}\n{{\"schema\":1,\"kind\":\"new\"}}\n"),
        )
        .unwrap();
        let (lines, skipped) = read(&path).unwrap();
        assert_eq!((lines.len(), skipped), (10, 2));
        assert_eq!(lines[0].record, Record::Run(Box::new(run())));
        assert_ne!(lines[0].run, lines[5].run);
        for (line, (round, seconds)) in lines[1..4].iter().zip(samples.arms[0].samples.iter().enumerate()) {
            let Record::Sample(s) = &line.record else { panic!("{line:?}") };
            assert_eq!((s.round, s.seconds.to_bits()), (round, seconds.to_bits()));
            assert_eq!(s.flags.len(), round, "{s:?}");
        }
        assert_eq!(
            lines[9].record,
            Record::Table { name: "tiny ops".into(), table: Box::new(TableValue::Dispatch(dispatch)) }
        );
        std::fs::write(&path, "{\"schema\":1,\"run\":\"x\",\"kind\":\"sample\"}\n").unwrap();
        let e = read(&path).unwrap_err().to_string();
        assert!(e.contains("line 1") && e.contains("missing field"), "{e}");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(read(&path), Err(RecordError::File { .. })));
    }
}
