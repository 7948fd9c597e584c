//! The end-to-end table of chunk widths, with the argmax check.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_plan::{Outputs, Wanted};
use sterna_run::Session;

use super::{BenchError, Load, Rated, RowsWanted, WidthOptions, WidthTable, width_table};
use crate::limits::Limits;
use crate::table::{Table, number, percent};
use crate::tokens;

/// Positions of a chunk whose best token is that of the walk one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Rows of the chunk.
    pub width: usize,
    /// Positions that agree.
    pub equal: usize,
}

/// Chunk widths end to end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChunkTable {
    /// Times.
    pub widths: WidthTable,
    /// One for each width.
    pub agreement: Vec<Agreement>,
}

/// Measures chunks of every width, results asked of every row, and compares each chunk's best tokens with those of the
/// walk one token at a time.
///
/// # Errors
/// As [`width_table`].
pub fn chunk_table(
    session: &mut Session,
    options: &WidthOptions,
    limits: &Limits,
) -> Result<ChunkTable, BenchError> {
    let options = WidthOptions { wanted: RowsWanted::All, ..options.clone() };
    let widths = width_table(session, &options, limits)?;
    let (prefix, widest) = (options.prefix, options.widths.last().copied().unwrap_or(0));
    let tokens = tokens::seeded(options.seed, prefix + widest, session.executor().plan().vocab);
    let best = |session: &mut Session, chunk: &[u32], last: usize| -> Result<Vec<u32>, BenchError> {
        let mut out = Vec::with_capacity(chunk.len());
        let mut seen =
            |_: usize, outputs: &Outputs, row: usize| out.extend(outputs.top_of(row).map(|t| t.token));
        session.feed(chunk, last, Wanted::Argmax, &mut |_| {}, &mut seen)?;
        Ok(out)
    };
    session.truncate(prefix)?;
    let mut walked = Vec::with_capacity(widest);
    for token in &tokens[prefix..] {
        walked.extend(best(session, &[*token], 1)?);
    }
    let mut agreement = Vec::with_capacity(options.widths.len());
    for width in options.widths.iter().copied() {
        session.truncate(prefix)?;
        let chunk = best(session, &tokens[prefix..prefix + width], width)?;
        let equal = chunk.iter().zip(&walked).filter(|(a, b)| a == b).count();
        agreement.push(Agreement { width, equal });
    }
    Ok(ChunkTable { widths, agreement })
}

impl Rated for ChunkTable {
    fn loads(&mut self) -> Vec<(String, &mut Load)> {
        self.widths.loads()
    }
}

impl fmt::Display for ChunkTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t =
            Table::new(&["rows", "ms", "quartiles", "tok/s", "speed-up", "argmax", "GB/s", "GMAC/s", ""]);
        for (row, agreement) in self.widths.rows.iter().zip(&self.agreement) {
            let name = if row.width == 1 { "S=1".into() } else { format!("C{}", row.width) };
            t.row(vec![
                name,
                number(row.ms.median),
                percent(row.ms.spread()),
                number(row.tokens_per_s),
                format!("{:.2}x", row.speedup),
                format!("{}/{}", agreement.equal, agreement.width),
                number(row.load.gb_s),
                number(row.load.gmac_s),
                if row.load.implausible { "IMPLAUSIBLE".into() } else { String::new() },
            ]);
        }
        let (prefix, note) = (self.widths.options.prefix, self.widths.samples.note());
        write!(f, "{t}{prefix} positions held; result of every row; {note}")
    }
}
