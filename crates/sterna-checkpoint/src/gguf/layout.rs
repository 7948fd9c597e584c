//! Where each tensor's bytes are: alignment, file end, overlap, and which layout a type id means.

use std::ops::Range;

use sterna_format::{Encoding, FormatError, ScaleGroup, i2_s};

use super::{Record, byte_len, inside};
use crate::CheckpointError;
use crate::checkpoint::Entry;
use crate::error::shorten;
use crate::limits::step;

/// GGML's type id that two layouts share: 18 bytes per 64 weights, or PrismML's older 34 per 128.
const Q2_0: u32 = 42;

/// The tensors, and those of them whose bytes in the file are not rows yet.
pub(super) struct Placed {
    pub entries: Vec<Entry>,
    /// Positions in `entries` of I2_S tensors: `range` is that of the file's bytes, `encoding` that of the rows
    /// to be made of them.
    pub i2_s: Vec<usize>,
}

/// Gives every record its bytes, in the order of the file.
pub(super) fn place(
    records: &[Record<'_>],
    data_start: usize,
    alignment: usize,
    file_len: usize,
) -> Result<Placed, CheckpointError> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_unstable_by_key(|i| (records[*i].offset, *i));
    refuse_legacy(records, &order, file_len.saturating_sub(data_start) as u64, alignment as u64)?;

    let mut entries = Vec::with_capacity(records.len());
    let mut i2_s = Vec::new();
    for (at, record) in records.iter().enumerate() {
        step();
        if record.type_id == i2_s::GGML_ID {
            i2_s.push(at);
        }
        entries.push(entry(record, data_start, alignment, file_len)?);
    }
    for pair in order.windows(2) {
        let (a, b): (&Entry, &Entry) = (&entries[pair[0]], &entries[pair[1]]);
        if a.range.end > b.range.start {
            return Err(CheckpointError::Overlap { first: shorten(&a.name), second: shorten(&b.name) });
        }
    }
    Ok(Placed { entries, i2_s })
}

fn entry(
    record: &Record<'_>,
    data_start: usize,
    alignment: usize,
    file_len: usize,
) -> Result<Entry, CheckpointError> {
    let name = record.name;
    let format = |source: FormatError| CheckpointError::Encoding { name: shorten(name), source };
    let (encoding, len) = if record.type_id == i2_s::GGML_ID {
        let len = i2_s::tensor_bytes(record.shape.rows(), record.shape.cols()).map_err(format)?;
        (Encoding::Ternary(ScaleGroup::Row), len)
    } else {
        let encoding = Encoding::from_ggml_id(record.type_id).map_err(format)?;
        (encoding, byte_len(encoding, &record.shape, name)?)
    };
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

/// What the room of a tensor of type 42 says about its layout.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Mainline,
    Legacy,
    Either,
}

/// Refuses a file with a tensor of type 42 whose room is that of the legacy layout and not of mainline's, and one
/// where no such tensor's room tells: a converter writes all its tensors in one layout.
///
/// `order` is by offset: what lies between a tensor's offset and the next one's (or `data_len`, the end) is its room.
fn refuse_legacy(
    records: &[Record<'_>],
    order: &[usize],
    data_len: u64,
    alignment: u64,
) -> Result<(), CheckpointError> {
    let (mut settled, mut open) = (false, None);
    for (at, &i) in order.iter().enumerate() {
        let record = &records[i];
        if record.type_id != Q2_0 {
            continue;
        }
        let end = order.get(at + 1).map_or(data_len, |j| records[*j].offset);
        match verdict(record, end.saturating_sub(record.offset), alignment) {
            Verdict::Legacy => return Err(CheckpointError::LegacyQ2 { name: shorten(record.name) }),
            Verdict::Mainline => settled = true,
            Verdict::Either => open = open.or(Some(record.name)),
        }
    }
    match open {
        Some(name) if !settled => Err(CheckpointError::AmbiguousQ2 { name: shorten(name) }),
        _ => Ok(()),
    }
}

/// The layouts that fill `room` bytes exactly or with padding; without a size to go by (a gap after the tensor, or
/// too few bytes for either), mainline's only where the legacy layout cannot have rows of this length.
fn verdict(record: &Record<'_>, room: u64, alignment: u64) -> Verdict {
    let (rows, cols) = (record.shape.rows() as u64, record.shape.cols() as u64);
    let size = |block: u64, bytes: u64| {
        if cols.is_multiple_of(block) { (cols / block).checked_mul(bytes)?.checked_mul(rows) } else { None }
    };
    let fits = |bytes: Option<u64>| {
        bytes.is_some_and(|b| room == b || Some(room) == b.checked_next_multiple_of(alignment))
    };
    let (mainline, legacy) = (size(64, 18), size(128, 34));
    match (fits(mainline), fits(legacy)) {
        (false, true) => Verdict::Legacy,
        (true, false) => Verdict::Mainline,
        _ if legacy.is_none() => Verdict::Mainline,
        _ => Verdict::Either,
    }
}

/// Makes rows of the bytes of an I2_S tensor `[_, cols]`: see [`i2_s`].
pub(super) fn convert_i2_s(
    name: &str,
    cols: usize,
    bytes: &[u8],
    range: Range<usize>,
) -> Result<Vec<u8>, CheckpointError> {
    let format = |source: FormatError| CheckpointError::Encoding { name: shorten(name), source };
    let row_bytes = Encoding::Ternary(ScaleGroup::Row).row_bytes(cols).map_err(format)?;
    let data = bytes.get(range).and_then(|data| data.split_last_chunk::<4>());
    let (codes, scale) =
        data.ok_or_else(|| CheckpointError::tensor(name, "its bytes are not in the file"))?;
    let scale = f32::from_le_bytes(*scale);
    let rows = codes.len() / (cols / 4);
    let len = rows.checked_mul(row_bytes);
    let mut out = vec![0; len.ok_or_else(|| CheckpointError::tensor(name, "its size in bytes overflows"))?];
    for (codes, row) in codes.chunks_exact(cols / 4).zip(out.chunks_exact_mut(row_bytes)) {
        i2_s::row_to_ternary(codes, scale, row).map_err(format)?;
    }
    Ok(out)
}
