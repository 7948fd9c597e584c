//! JSON lines to runs. A line that is broken is an error with its place; one of a newer program, or one that was cut off, is
//! listed and left out.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::limits::Limits;
use crate::record::{Line, Record, Run, SCHEMA, TableValue};

/// Why no report was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file.
    #[error("{path}: {source}")]
    File {
        /// As given.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{path} is no plain file; write what it holds into one first")]
    NotAFile {
        /// As given.
        path: PathBuf,
    },
    /// A line that is no record.
    #[error("{path}, line {line}: {why}; take the line out, or measure again with --record")]
    Line {
        /// As given.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Nothing that this program knows.
    #[error("no measurement in {0}; `sterna bench --record FILE` writes some")]
    Nothing(String),
    /// Nothing but lines of a newer program.
    #[error(
        "{files}: all lines are newer than this program ({what}); use the sterna that wrote them, or a newer one"
    )]
    Newer {
        /// As given.
        files: String,
        /// "schema 2, kind `acceptance`".
        what: String,
    },
    /// The template, which is part of the program.
    #[error("the page could not be made: {0}")]
    Page(#[from] minijinja::Error),
}

/// Everything that was recorded of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunData {
    /// As the file says.
    pub id: String,
    /// File it is in.
    pub file: String,
    /// What was run; `None` where its line is missing.
    pub run: Option<Run>,
    /// Limits, and when they were measured.
    pub limits: Vec<(String, Limits)>,
    /// Samples of lines of their own.
    pub samples: usize,
    /// Of these, samples with a flag.
    pub flagged: usize,
    /// Tables by name.
    pub tables: Vec<(String, TableValue)>,
}

/// Lines that are not of this program's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// File.
    pub file: String,
    /// "schema 2", "kind `acceptance`".
    pub what: String,
    /// The first of them, from 1.
    pub line: usize,
    /// How many.
    pub lines: usize,
}

/// A line that ends in the middle: the program that wrote it was stopped, or the disk was full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutOff {
    /// File.
    pub file: String,
    /// From 1.
    pub line: usize,
}

/// Lines that were read before: a file given twice, or put together from files that have them both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubled {
    /// File.
    pub file: String,
    /// The run that they belong to.
    pub run: String,
    /// File in which the run begins.
    pub first: String,
    /// How many.
    pub lines: usize,
}

/// Longest line; the longest that is written has some hundreds of kilobytes.
const LONGEST: u64 = 64 << 20;

/// Reads files. A line counts once, however often and in how many files it is.
#[derive(Debug, Default)]
pub struct Reader {
    /// Runs in order of their first lines.
    pub runs: Vec<RunData>,
    /// What was left out as newer.
    pub skipped: Vec<Skipped>,
    /// What was left out as known.
    pub doubled: Vec<Doubled>,
    /// What was left out as incomplete.
    pub cut_off: Vec<CutOff>,
    seen: HashSet<[u8; 32]>,
}

impl Reader {
    /// Reads one file more.
    ///
    /// # Errors
    /// The file; a line that is no JSON object with a schema, or breaks its schema.
    pub fn read(&mut self, path: &Path) -> Result<(), ReportError> {
        let failed = |source| ReportError::File { path: path.to_owned(), source };
        // A pipe may never end, and a device never does.
        if !path.metadata().map_err(failed)?.is_file() {
            return Err(ReportError::NotAFile { path: path.to_owned() });
        }
        let file = path.display().to_string();
        let mut skipped: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut doubled: Vec<Doubled> = Vec::new();
        let mut reader = BufReader::new(File::open(path).map_err(failed)?);
        let mut bytes = Vec::new();
        for line in 1.. {
            let broken = |why: String| ReportError::Line { path: path.to_owned(), line, why };
            bytes.clear();
            reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).map_err(failed)?;
            if bytes.is_empty() {
                break;
            }
            if bytes.len() as u64 == LONGEST {
                return Err(broken(format!("it is longer than {} MiB", LONGEST >> 20)));
            }
            let text = std::str::from_utf8(&bytes).map_err(|_| broken("this is no text in UTF-8".into()))?;
            // Some editors put a byte order mark before the text.
            let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text }.trim();
            if text.is_empty() {
                continue;
            }
            match parse(text).map_err(broken)? {
                Parsed::Line(l) if !self.seen.insert(Sha256::digest(text).into()) => {
                    let at = doubled.iter().position(|d| d.run == l.run).unwrap_or_else(|| {
                        let first = self.runs.iter().find(|r| r.id == l.run);
                        let first = first.map_or_else(|| file.clone(), |r| r.file.clone());
                        doubled.push(Doubled { file: file.clone(), run: l.run.clone(), first, lines: 0 });
                        doubled.len() - 1
                    });
                    doubled[at].lines += 1;
                }
                Parsed::Line(l) => take(&mut self.runs, *l, &file),
                Parsed::Unknown(what) => skipped.entry(what).or_insert((line, 0)).1 += 1,
                Parsed::CutOff => self.cut_off.push(CutOff { file: file.clone(), line }),
            }
        }
        let skipped = skipped.into_iter();
        self.skipped.extend(skipped.map(|(what, (line, lines))| Skipped {
            file: file.clone(),
            what,
            line,
            lines,
        }));
        self.doubled.extend(doubled);
        Ok(())
    }
}

enum Parsed {
    Line(Box<Line>),
    Unknown(String),
    CutOff,
}

/// What every line of every schema has.
#[derive(Deserialize)]
struct Head {
    schema: u64,
    kind: String,
    table: Option<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: Option<String>,
}

fn parse(text: &str) -> Result<Parsed, String> {
    let words = |e: serde_json::Error| e.to_string().replace(" at line 1 column ", " at column ");
    // A later schema may have moved everything but these two.
    #[derive(Deserialize)]
    struct Version {
        schema: u64,
    }
    let version: Version = match serde_json::from_str(text) {
        Ok(version) => version,
        Err(e) if e.is_eof() && text.starts_with('{') => return Ok(Parsed::CutOff),
        Err(e) => return Err(words(e)),
    };
    if version.schema != u64::from(SCHEMA) {
        return Ok(Parsed::Unknown(format!("schema {}", version.schema)));
    }
    let error = match serde_json::from_str::<Line>(text) {
        Ok(line) => {
            return match impossible(&line) {
                Some(why) => Err(why),
                None => Ok(Parsed::Line(Box::new(line))),
            };
        }
        Err(e) => e,
    };
    let head: Head = serde_json::from_str(text).map_err(words)?;
    debug_assert_eq!(head.schema, version.schema);
    if is_unknown::<Record>(&serde_json::json!({ "kind": head.kind })) {
        return Ok(Parsed::Unknown(format!("kind `{}`", head.kind)));
    }
    if let Some(kind) = head.table.and_then(|t| t.kind)
        && is_unknown::<TableValue>(&serde_json::json!({ "type": kind, "value": null }))
    {
        return Ok(Parsed::Unknown(format!("table of type `{kind}`")));
    }
    Err(words(error))
}

/// What cannot have been measured, where a table knows it.
fn impossible(line: &Line) -> Option<String> {
    let Record::Table { table, .. } = &line.record else { return None };
    match &**table {
        TableValue::Speculation(t) => t.impossible(),
        _ => None,
    }
}

/// Whether a tagged enum has no such tag, as opposed to a tag whose contents are wrong. The enum itself is asked, so
/// that there is no second list of its variants.
fn is_unknown<T: for<'a> Deserialize<'a>>(tag: &serde_json::Value) -> bool {
    T::deserialize(tag).err().is_some_and(|e| e.to_string().starts_with("unknown variant"))
}

fn take(runs: &mut Vec<RunData>, line: Line, file: &str) {
    let at = runs.iter().position(|r| r.id == line.run).unwrap_or_else(|| {
        runs.push(RunData {
            id: line.run.clone(),
            file: file.to_owned(),
            run: None,
            limits: Vec::new(),
            samples: 0,
            flagged: 0,
            tables: Vec::new(),
        });
        runs.len() - 1
    });
    let data = &mut runs[at];
    match line.record {
        Record::Run(run) => data.run = Some(*run),
        Record::Limits { when, limits } => data.limits.push((when, *limits)),
        Record::Sample(s) => {
            data.samples += 1;
            data.flagged += usize::from(!s.flags.is_empty());
        }
        Record::Table { name, table } => data.tables.push((name, *table)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(text: &str) -> Option<String> {
        match parse(text).unwrap() {
            Parsed::Line(_) | Parsed::CutOff => None,
            Parsed::Unknown(what) => Some(what),
        }
    }

    #[test]
    fn newer_lines_are_named_and_broken_ones_refused() {
        assert_eq!(unknown(r#"{"schema":2,"anything":[1]}"#).unwrap(), "schema 2");
        assert_eq!(unknown(r#"{"schema":1,"run":"x","kind":"acceptance"}"#).unwrap(), "kind `acceptance`");
        let table =
            r#"{"schema":1,"run":"x","kind":"table","name":"n","table":{"type":"new","value":{"a":1}}}"#;
        assert_eq!(unknown(table).unwrap(), "table of type `new`");
        assert!(unknown(r#"{"schema":1,"run":"x","kind":"sample","table":"t","arm":"a","round":0,"seconds":1.5,"flags":[]}"#).is_none());
        for broken in [
            "",
            "nonsense",
            "{}",
            "[1]",
            r#"{"schema":"one"}"#,
            r#"{"schema":1,"run":"x"}"#,
            r#"{"schema":1,"run":"x","kind":"sample"}"#,
            r#"{"schema":1,"run":"x","kind":"table","name":"n","table":{"type":"memory","value":{}}}"#,
            r#"{"schema":1,"run":"x","kind":"table","name":"n","table":7}"#,
        ] {
            let why = parse(broken).err();
            assert!(why.as_ref().is_some_and(|w| !w.contains("line 1")), "{broken}: {why:?}");
        }
        for cut in [r#"{"schema":1,"run":"#, r#"{"sch"#, r#"{"schema":1,"run":"x","kind":"sample","tab"#] {
            assert!(matches!(parse(cut), Ok(Parsed::CutOff)), "{cut}");
        }
    }
}
