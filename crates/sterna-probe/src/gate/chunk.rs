//! One call of C rows against C calls of one row: best tokens, bits and state, printed as "C/C".

use std::fmt;

use serde::Serialize;
use sterna_plan::{Outputs, Top2, Wanted};
use sterna_run::Session;

use super::GateError;
use super::compare::{StatePrint, same_top};
use crate::table::Table;

/// What a chunk must be equal in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equality {
    /// The best token at every position of the chunk. What a backend whose float sums depend on the width can keep.
    Argmax,
    /// Every bit of every logit, and of the state.
    #[default]
    Bits,
}

/// What to compare.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChunkOptions {
    /// Rows of the chunks.
    pub chunks: Vec<usize>,
    /// Positions held before the chunk.
    pub from: usize,
    /// What must be equal.
    pub require: Equality,
}

/// One chunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChunkReport {
    /// Its rows.
    pub chunk: usize,
    /// Rows compared.
    pub rows: usize,
    /// Rows with the best token of the walk of single rows.
    pub argmax_equal: usize,
    /// Rows with all its bits: every logit, and the best token and the two best logits as the backend gives them.
    pub bits_equal: usize,
    /// Greatest difference of a logit.
    pub max_abs: f32,
    /// Mean difference of a logit.
    pub mean_abs: f64,
    /// Position of the first row that is not equal in all bits.
    pub first: Option<usize>,
    /// Bytes of the state after the chunk.
    pub state_bytes: usize,
    /// Blocks of 4 KiB of it that differ.
    pub state_blocks_differing: usize,
}

impl ChunkReport {
    /// All rows were compared and are equal in what is required.
    pub fn passed(&self, require: Equality) -> bool {
        let bits = self.bits_equal == self.chunk && self.state_blocks_differing == 0 && self.state_bytes > 0;
        self.chunk > 0
            && self.rows == self.chunk
            && self.argmax_equal == self.chunk
            && (require == Equality::Argmax || bits)
    }
}

/// All chunks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChunksReport {
    /// Positions held before each chunk.
    pub from: usize,
    /// Logits of a row.
    pub vocab: usize,
    /// What must be equal.
    pub require: Equality,
    /// Each chunk.
    pub chunks: Vec<ChunkReport>,
}

impl ChunksReport {
    /// Something was compared, and all is equal.
    pub fn passed(&self) -> bool {
        !self.chunks.is_empty() && self.chunks.iter().all(|c| c.passed(self.require))
    }
}

/// Walks `ids` one row a call, then for each chunk length C feeds the first `from` tokens as a prefill does and the next
/// C in one call, and compares: the best token, all logits, and the whole state. `progress` hears positions done and in
/// all. What the session held is forgotten. Logits of the longest chunk are held.
///
/// # Errors
/// No chunks, a chunk of 0 rows or wider than the widest entry point, too few tokens, a session that fails. A
/// difference is not an error: see [`ChunksReport::passed`].
pub fn chunks(
    session: &mut Session,
    ids: &[u32],
    options: &ChunkOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<ChunksReport, GateError> {
    let plan = session.executor().plan();
    let (vocab, widest) = (plan.vocab, plan.entries.last().map_or(1, |e| e.width));
    let from = options.from;
    let longest = options.chunks.iter().copied().max().unwrap_or(0);
    if options.chunks.contains(&0) || longest == 0 {
        return Err(GateError::Options("a chunk has at least one row".into()));
    }
    if longest > widest {
        return Err(GateError::Options(format!(
            "a chunk of {longest} rows: the widest entry point holds {widest}"
        )));
    }
    let needed = from.saturating_add(longest);
    if needed > ids.len() || needed > session.context() {
        let (n, room) = (ids.len(), session.context());
        return Err(GateError::Options(format!(
            "{from} positions and a chunk of {longest} do not fit {n} tokens in a context of {room}"
        )));
    }
    let total = needed + options.chunks.iter().map(|c| from + c).sum::<usize>();
    let base = steps(session, &ids[..needed], options, &mut |n| progress(n, total))?;
    let mut done = needed;
    let mut reports = Vec::with_capacity(options.chunks.len());
    for &c in &options.chunks {
        reports.push(chunk(session, &ids[..from + c], from, &base)?);
        done += from + c;
        progress(done, total);
    }
    Ok(ChunksReport { from, vocab, require: options.require, chunks: reports })
}

/// The walk of single rows: rows from `from` on, and the state after each length that a chunk ends at.
struct Base {
    rows: Vec<(Top2, Vec<f32>)>,
    states: Vec<(usize, StatePrint)>,
}

fn steps(
    session: &mut Session,
    ids: &[u32],
    options: &ChunkOptions,
    progress: &mut dyn FnMut(usize),
) -> Result<Base, GateError> {
    const ARM: &str = "one row a call";
    session.truncate(0).map_err(GateError::session(ARM))?;
    let mut base = Base { rows: Vec::new(), states: Vec::new() };
    for (at, token) in ids.iter().enumerate() {
        let wanted = if at < options.from { Wanted::Nothing } else { Wanted::Logits };
        session.ask(&[*token], wanted, &mut |_| {}).map_err(GateError::session(ARM))?;
        if at >= options.from {
            let outputs = session.outputs();
            let logits = outputs.logits_of(0).unwrap_or_default().to_vec();
            base.rows.push((outputs.top_of(0).unwrap_or_default(), logits));
            if options.chunks.contains(&(at + 1 - options.from)) {
                base.states.push((at + 1, StatePrint::read(session, ARM)?));
            }
        }
        progress(at + 1);
    }
    Ok(base)
}

fn chunk(session: &mut Session, ids: &[u32], from: usize, base: &Base) -> Result<ChunkReport, GateError> {
    let c = ids.len() - from;
    let arm = format!("chunk of {c}");
    session.truncate(0).map_err(GateError::session(&arm))?;
    if from > 0 {
        let done = session.ask(&ids[..from], Wanted::Nothing, &mut |_| {});
        done.map_err(GateError::session(&arm))?;
    }
    let mut report = ChunkReport {
        chunk: c,
        rows: 0,
        argmax_equal: 0,
        bits_equal: 0,
        max_abs: 0.0,
        mean_abs: 0.0,
        first: None,
        state_bytes: 0,
        state_blocks_differing: 0,
    };
    let (mut sum, mut values) = (0.0, 0usize);
    let mut on_row = |at: usize, outputs: &Outputs, row: usize| {
        let Some((top, logits)) = base.rows.get(at) else { return };
        let own = outputs.logits_of(row).unwrap_or_default();
        let own_top = outputs.top_of(row).unwrap_or_default();
        let same_bits = own.len() == logits.len()
            && !own.is_empty()
            && own.iter().zip(logits).all(|(a, b)| a.to_bits() == b.to_bits())
            && same_top(own_top, *top);
        report.rows += 1;
        report.argmax_equal += usize::from(own_top.token == top.token);
        report.bits_equal += usize::from(same_bits);
        if !same_bits && report.first.is_none() {
            report.first = Some(from + at);
        }
        for (a, b) in own.iter().zip(logits) {
            let apart = (a - b).abs();
            report.max_abs = report.max_abs.max(apart);
            sum += f64::from(apart);
        }
        values += own.len();
    };
    session
        .feed(&ids[from..], c, Wanted::Logits, &mut |_| {}, &mut on_row)
        .map_err(GateError::session(&arm))?;
    report.mean_abs = sum / values.max(1) as f64;
    let state = StatePrint::read(session, &arm)?;
    report.state_bytes = state.bytes;
    let expected = base.states.iter().find(|(n, _)| *n == ids.len());
    report.state_blocks_differing = expected.map_or(usize::MAX, |(_, s)| state.differing(s));
    Ok(report)
}

impl fmt::Display for ChunksReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["chunk", "argmax", "memcmp", "max |d|", "mean |d|", "state", ""]);
        for c in &self.chunks {
            t.row(vec![
                c.chunk.to_string(),
                format!("{}/{}", c.argmax_equal, c.chunk),
                format!("{}/{}", c.bits_equal, c.chunk),
                format!("{:.1e}", c.max_abs),
                format!("{:.1e}", c.mean_abs),
                match c.state_blocks_differing {
                    0 => format!("{} bytes equal", c.state_bytes),
                    n => format!("{n} blocks differ"),
                },
                match (c.passed(self.require), c.first) {
                    (true, None) => String::new(),
                    (true, Some(at)) => format!("other bits from position {at} on"),
                    (false, None) => "FAIL".into(),
                    (false, Some(at)) => format!("FAIL from position {at} on"),
                },
            ]);
        }
        write!(f, "{t}")?;
        let verdict = if self.passed() { "PASS" } else { "FAIL" };
        let what = match self.require {
            Equality::Argmax => "best token",
            Equality::Bits => "best token, bits and state",
        };
        write!(
            f,
            "{verdict}: one call of C rows after {} positions against C calls of one row: {what}, {} logits a row",
            self.from, self.vocab
        )
    }
}
