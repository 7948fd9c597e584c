//! Where each tensor's bytes are: alignment, file end, overlap.

use sterna_format::{Encoding, FormatError};

use super::{Record, byte_len, inside};
use crate::CheckpointError;
use crate::checkpoint::Entry;
use crate::error::shorten;
use crate::limits::step;

/// GGML's type id that two layouts share: 18 bytes per 64 weights, or PrismML's older 34 per 128.
const Q2_0: u32 = 42;

/// Gives every record its bytes, in the order of the file.
pub(super) fn place(
    records: &[Record<'_>],
    data_start: usize,
    alignment: usize,
    file_len: usize,
) -> Result<Vec<Entry>, CheckpointError> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_unstable_by_key(|i| (records[*i].offset, *i));

    // What lies between a tensor's offset and the next one's tells the two layouts of id 42 apart.
    for (at, &i) in order.iter().enumerate() {
        if records[i].type_id == Q2_0 {
            let next = order.get(at + 1).map(|j| records[*j].offset);
            let end = next.unwrap_or((file_len.saturating_sub(data_start)) as u64);
            refuse_legacy(&records[i], end.saturating_sub(records[i].offset), alignment as u64)?;
        }
    }

    let mut entries = Vec::with_capacity(records.len());
    for record in records {
        step();
        entries.push(entry(record, data_start, alignment, file_len)?);
    }
    for pair in order.windows(2) {
        let (a, b): (&Entry, &Entry) = (&entries[pair[0]], &entries[pair[1]]);
        if a.range.end > b.range.start {
            return Err(CheckpointError::Overlap { first: shorten(&a.name), second: shorten(&b.name) });
        }
    }
    Ok(entries)
}

fn entry(
    record: &Record<'_>,
    data_start: usize,
    alignment: usize,
    file_len: usize,
) -> Result<Entry, CheckpointError> {
    let name = record.name;
    let encoding = Encoding::from_ggml_id(record.type_id)
        .map_err(|source: FormatError| CheckpointError::Encoding { name: shorten(name), source })?;
    let len = byte_len(encoding, &record.shape, name)?;
    if !record.offset.is_multiple_of(alignment as u64) {
        let reason = format!("offset {} is not a multiple of the alignment {alignment}", record.offset);
        return Err(CheckpointError::tensor(name, reason));
    }
    let range = usize::try_from(record.offset)
        .ok()
        .and_then(|offset| data_start.checked_add(offset))
        .and_then(|start| inside(start, len, file_len))
        .ok_or_else(|| CheckpointError::Truncated {
            what: format!("tensor {:?}", shorten(name)),
            offset: record.offset.saturating_add(data_start as u64),
            needed: len as u64,
            len: file_len as u64,
        })?;
    Ok(Entry { name: name.into(), encoding, shape: record.shape, backing: 0, range })
}

/// Refuses a tensor of type 42 whose room in the file is that of the legacy layout and not of mainline's.
fn refuse_legacy(record: &Record<'_>, room: u64, alignment: u64) -> Result<(), CheckpointError> {
    let (rows, cols) = (record.shape.rows() as u64, record.shape.cols() as u64);
    let size = |block: u64, bytes: u64| {
        if cols.is_multiple_of(block) { (cols / block).checked_mul(bytes)?.checked_mul(rows) } else { None }
    };
    let (mainline, legacy) = (size(64, 18), size(128, 34));
    let padded = |bytes: u64| bytes.checked_next_multiple_of(alignment);
    let fits = |bytes: Option<u64>| bytes.is_some_and(|b| room == b || Some(room) == padded(b));
    if fits(legacy) && !fits(mainline) {
        return Err(CheckpointError::LegacyQ2 { name: shorten(record.name) });
    }
    Ok(())
}
