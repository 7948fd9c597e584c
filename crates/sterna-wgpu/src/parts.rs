//! Calls with more results than the device has room for are made as several: a row's bits do not depend on the others of its call.

use sterna_plan::{BackendError, CallStats, Executor as _, Outputs, Parent, Row, RowTable, Wanted};

use crate::exec::GpuExecutor;
use crate::steps::MOST_OUTPUTS;

impl GpuExecutor {
    /// Runs and commits a checked call, part after part; where one fails nothing is committed.
    pub(crate) fn in_parts(
        &mut self,
        entry: usize,
        rows: &RowTable,
        out: &mut Outputs,
    ) -> Result<(), BackendError> {
        let before = self.pool.committed.clone();
        let ops = &self.plan().entries[entry];
        let cols = ops.input.map_or(0, |b| ops.buffers[b.0].cols);
        let mut some = Outputs::default();
        out.rows.clear();
        out.top.clear();
        out.logits.clear();
        out.taps.clear();
        out.stats = CallStats::default();
        let mut first = 0;
        while first < rows.len() {
            let part = part(rows, first, cols);
            if let Err(error) = self.execute(entry, &part, &mut some) {
                self.pool.committed = before;
                return Err(match error {
                    BackendError::NonFinite { row, op, name } => {
                        BackendError::NonFinite { row: row + first, op, name }
                    }
                    other => other,
                });
            }
            out.rows.extend(some.rows.iter().map(|row| row + first));
            out.top.append(&mut some.top);
            out.logits.append(&mut some.logits);
            out.taps.append(&mut some.taps);
            out.stats.weight_bytes += some.stats.weight_bytes;
            out.stats.macs += some.stats.macs;
            first += part.len();
        }
        Ok(())
    }
}

/// The rows from `first` on, as many as have no more results than a call may have.
fn part(rows: &RowTable, first: usize, cols: usize) -> RowTable {
    let (mut part, mut results) = (RowTable::new(), 0);
    for row in &rows.rows()[first..] {
        results += usize::from(row.wanted != Wanted::Nothing);
        if results > MOST_OUTPUTS {
            break;
        }
        let parent = match row.parent {
            Parent::Row(p) if p >= first => Parent::Row(p - first),
            // What came before is committed by then.
            _ => Parent::Committed,
        };
        part.push(Row { parent, ..*row });
    }
    if cols > 0 {
        part.set_inputs(&rows.inputs()[first * cols..(first + part.len()) * cols]);
    }
    part
}
