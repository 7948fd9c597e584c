//! Linear layers alone: what one matrix costs at every width, with its weights out of every cache.
//!
//! The plan is a list of equal linear layers on different weights, executed as any other plan, so a figure includes
//! what an op costs besides its products: quantising its input, dealing out panels, meeting at the end.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sterna_format::Encoding;
use sterna_plan::{
    Backend, BackendError, Buffer, BufferId, BufferRows, CallStats, Epilogue, Executor, Level, Linear,
    LinearNumerics, ModelPlan, Op, Outputs, Plan, Prologue, RowTable, Slice, Source, Wanted, WeightId,
    WeightSpec, WeightUse,
};

use super::load::CACHED_BYTES;
use super::{BenchError, Load, Rated};
use crate::interleave::{Arm, Interleaved, Rounds, interleave};
use crate::limits::{Limits, Reader};
use crate::stats::Summary;
use crate::synthetic::Matrices;
use crate::table::{Table, count, number, percent};

/// Tokens of the tiny embedding that feeds the layers.
const VOCAB: usize = 16;

/// What to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelOptions {
    /// Encoding of the weights, by name.
    #[serde(with = "name")]
    pub encoding: Encoding,
    /// Outputs of a matrix.
    pub rows: usize,
    /// Inputs of a matrix.
    pub cols: usize,
    /// Rows of a call, ascending.
    pub widths: Vec<usize>,
    /// Bytes that a call reads at least; matrices are added until it does.
    pub cold_bytes: u64,
    /// Rounds.
    pub rounds: Rounds,
}

/// Most rows of a call.
const WIDEST: usize = 1024;
/// Longest side of a matrix.
const SIDE: usize = 1 << 20;
/// Most bytes of a matrix.
const BYTES: u64 = 4 << 30;
/// Most matrices of a call: very small ones may then stay in a cache.
const MATRICES: usize = 4096;

impl KernelOptions {
    /// Bytes of one matrix.
    ///
    /// # Errors
    /// [`BenchError::Options`] when the options measure nothing, or more than a machine has.
    pub fn check(&self) -> Result<u64, BenchError> {
        let refuse = |text: String| Err(BenchError::Options(text));
        let ascending = self.widths.windows(2).all(|w| w[0] < w[1]);
        let (first, last) = (self.widths.first().copied().unwrap_or(0), self.widths.last().copied());
        if first == 0 || !ascending || last.is_some_and(|w| w > WIDEST) {
            return refuse(format!("widths must ascend from at least 1 to at most {WIDEST}"));
        }
        let Self { encoding, rows, cols, .. } = *self;
        if !(VOCAB..=SIDE).contains(&rows) || !(1..=SIDE).contains(&cols) {
            return refuse(format!(
                "a matrix has {VOCAB} to {SIDE} rows and 1 to {SIDE} columns, not {rows} x {cols}"
            ));
        }
        let row_bytes = encoding.row_bytes(cols).map_err(|e| BenchError::Options(e.to_string()))?;
        match (row_bytes * rows) as u64 {
            0 => refuse("a matrix of no bytes".into()),
            n if n > BYTES => refuse(format!("a matrix of {n} bytes; at most {BYTES} are measured")),
            n => Ok(n),
        }
    }
}

/// An encoding by its name.
mod name {
    use sterna_format::Encoding;

    pub fn serialize<S: serde::Serializer>(encoding: &Encoding, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(encoding.name())
    }
    pub fn deserialize<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Encoding, D::Error> {
        let name: String = serde::Deserialize::deserialize(d)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// One width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRow {
    /// Rows of the call.
    pub width: usize,
    /// Milliseconds of one matrix.
    pub ms: Summary,
    /// Time over that of the first width.
    pub cost: f64,
    /// Time over `max(bytes / read bandwidth, operations / the rate at the widest call)`, both in the same turns where the
    /// weights come from memory.
    pub over_roofline: f64,
    /// Work and rates.
    #[serde(flatten)]
    pub load: Load,
}

/// All widths of one matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTable {
    /// What was measured.
    pub options: KernelOptions,
    /// Matrices that a call goes through.
    pub matrices: usize,
    /// One for each width.
    pub rows: Vec<KernelRow>,
    /// Reading memory at its best in the same turns, GB/s, median; where weights stay in a cache, not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_gb_s: Option<f64>,
    /// Samples and noise; after those of the widths those of reading memory.
    pub samples: Interleaved,
}

/// A plan of `matrices` equal linear layers, one after the other.
pub(crate) fn plan(o: &KernelOptions, matrices: usize) -> ModelPlan {
    let group = match o.encoding.int_layout(o.cols) {
        None => LinearNumerics::Float,
        Some(l) => LinearNumerics::Int8 { group: l.group },
    };
    let spec = |name: String, encoding, rows, usage| WeightSpec { name, encoding, rows, cols: o.cols, usage };
    let mut weights = vec![spec("embed".into(), Encoding::F32, VOCAB, WeightUse::Gather)];
    weights
        .extend((0..matrices).map(|i| spec(format!("w{i}"), o.encoding, o.rows, WeightUse::Linear(group))));
    let width = o.widths.last().copied().unwrap_or(1);
    let buffer = |name, cols| Buffer { name, cols, rows: BufferRows::Call };
    let all = |buffer, len| Slice { buffer, start: 0, len };
    let (x, y) = (BufferId(0), BufferId(1));
    let mut ops = vec![Op::Embed { table: WeightId(0), scale: 1.0, out: x }];
    ops.extend((0..matrices).map(|i| {
        Op::Linear(Linear {
            source: Source::Given,
            prologue: Prologue::None,
            members: vec![WeightId(i + 1)],
            input: all(x, o.cols),
            out: all(y, o.rows),
            epilogue: Epilogue::Store,
        })
    }));
    ops.push(Op::Argmax { logits: y, valid: VOCAB, softcap: None });
    let entry = Plan {
        name: "kernels".into(),
        width,
        buffers: vec![buffer("x", o.cols), buffer("y", o.rows)],
        ops,
        input: None,
        taps: None,
        level: Level::Exact,
    };
    ModelPlan {
        weights,
        states: Vec::new(),
        entries: vec![entry],
        ropes: Vec::new(),
        vocab: VOCAB,
        padded_vocab: o.rows,
        context: width.max(1),
        attention_piece: 64,
    }
}

struct Bench {
    executor: Box<dyn Executor>,
    out: Outputs,
    tables: Vec<RowTable>,
    stats: Vec<CallStats>,
}

/// Measures one matrix shape on `backend`.
///
/// # Errors
/// Options that measure nothing, or the backend's errors. What is faster than `limits` is flagged;
/// [`Rated::hold_against`] refuses it.
pub fn kernel_table(
    backend: &dyn Backend,
    options: &KernelOptions,
    limits: &Limits,
) -> Result<KernelTable, BenchError> {
    let o = options;
    let each = o.check()?;
    let matrices = usize::try_from(o.cold_bytes.div_ceil(each)).map_or(MATRICES, |n| n.clamp(1, MATRICES));
    let plan = Arc::new(plan(o, matrices));
    let weights = Matrices::new(&plan.weights, 1);
    let mut executor = backend.load(plan, &weights, &mut |_, _| {})?;
    drop(weights);
    let widest = o.widths.last().copied().unwrap_or(1);
    executor.allocate(1, widest)?;
    let tables = o.widths.iter().map(|width| {
        let tokens: Vec<u32> = (0..*width as u32).map(|i| i % VOCAB as u32).collect();
        let mut table = RowTable::new();
        table.push_chain(0, 0, &tokens, 1, Wanted::Argmax);
        table
    });
    let mut bench = Bench {
        tables: tables.collect(),
        stats: vec![CallStats::default(); o.widths.len()],
        out: Outputs::default(),
        executor,
    };
    let arm = |(i, width): (usize, &usize)| {
        let run = move |b: &mut Bench| {
            let run = b.executor.execute(0, &b.tables[i], &mut b.out);
            b.stats[i] = b.out.stats;
            Ok(run?)
        };
        Arm::new(format!("width {width}"), run).prepared(|b| Ok(b.executor.truncate(0, 0)?))
    };
    // Memory in the same turns: what others leave of it differs from minute to minute.
    let reader = match each * matrices as u64 > CACHED_BYTES {
        true => Some(Reader::new(limits.threads, limits.buffer_bytes)?),
        false => None,
    };
    let mut arms: Vec<Arm<'_, Bench>> = o.widths.iter().enumerate().map(arm).collect();
    if let Some(reader) = &reader {
        arms.push(Arm::told("10^9 bytes of memory", |_| Ok(1.0 / reader.pass().max(1e-9))));
    }
    let samples = interleave(&mut bench, &mut arms, o.rounds)?;
    drop(arms);

    let base = samples.arms.first().map_or(0.0, |a| a.time.median);
    let loads = || {
        let both = samples.arms.iter().zip(&bench.stats);
        both.map(|(arm, stats)| (arm, Load::of(*stats, 1, arm.time.median, limits)))
    };
    let memory = samples.arms.get(o.widths.len()).map(|a| 1.0 / a.time.median);
    let read_gb_s = memory.unwrap_or_else(|| limits.read_gb_s());
    let rate = loads().next_back().map_or(0.0, |l| l.1.gmac_s);
    let mut rows = Vec::with_capacity(o.widths.len());
    for (width, (arm, load)) in o.widths.iter().zip(loads()) {
        let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
        let bound = over(load.weight_bytes as f64 / 1e9, read_gb_s).max(over(load.macs as f64 / 1e9, rate));
        rows.push(KernelRow {
            width: *width,
            ms: arm.time.scaled(1e3 / matrices as f64),
            cost: over(arm.time.median, base),
            over_roofline: over(arm.time.median, bound),
            load,
        });
    }
    let table = KernelTable { options: o.clone(), matrices, rows, read_gb_s: memory, samples };
    Ok(table)
}

impl Rated for KernelTable {
    fn loads(&mut self) -> Vec<(String, &mut Load)> {
        self.rows.iter_mut().map(|r| (format!("a call of {}", count(r.width, "row")), &mut r.load)).collect()
    }
}

impl From<BackendError> for BenchError {
    fn from(e: BackendError) -> Self {
        BenchError::Session(e.into())
    }
}

impl fmt::Display for KernelTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "rows",
            "ms",
            "quartiles",
            "cost",
            "over roofline",
            "GB/s",
            "of memory",
            "GMAC/s",
            "a thread",
            "of int8 peak",
            "",
        ];
        let mut t = Table::new(&head);
        for r in &self.rows {
            let l = &r.load;
            t.row(vec![
                r.width.to_string(),
                number(r.ms.median),
                percent(r.ms.spread()),
                format!("{:.2}", r.cost),
                format!("{:.2}", r.over_roofline),
                number(l.gb_s),
                percent(l.bandwidth_share),
                number(l.gmac_s),
                number(l.gmac_s_per_thread),
                percent(l.peak_share),
                if l.implausible { "IMPLAUSIBLE".into() } else { String::new() },
            ]);
        }
        let KernelOptions { encoding, rows, cols, .. } = &self.options;
        let (n, note) = (self.matrices, self.samples.note());
        let where_from =
            if n == 1 { "one matrix, again and again".into() } else { format!("{n} matrices in turn") };
        let memory = self
            .read_gb_s
            .map_or(String::new(), |m| format!("memory read at {} GB/s meanwhile; ", number(m)));
        write!(f, "{encoding} {rows} x {cols}, {where_from}\n{t}{memory}{note}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(rows: usize, cols: usize, widths: &[usize]) -> KernelOptions {
        let widths = widths.to_vec();
        KernelOptions {
            encoding: Encoding::TQ2_0,
            rows,
            cols,
            widths,
            cold_bytes: 1,
            rounds: Rounds::default(),
        }
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        assert_eq!(options(4096, 256, &[1, 2, 1024]).check().unwrap(), 4096 * 66);
        for (rows, cols, widths) in [
            (usize::MAX, 256, &[1][..]),
            (1 << 63, 1, &[1]),
            (15, 256, &[1]),
            (16, 0, &[1]),
            (16, 255, &[1]),
            (1 << 20, 1 << 20, &[1]),
            (16, 256, &[]),
            (16, 256, &[0]),
            (16, 256, &[2, 1]),
            (16, 256, &[1, 1025]),
            (16, 256, &[usize::MAX]),
        ] {
            let refused = options(rows, cols, widths).check();
            assert!(matches!(refused, Err(BenchError::Options(_))), "{rows} x {cols} {widths:?}");
        }
    }
}
