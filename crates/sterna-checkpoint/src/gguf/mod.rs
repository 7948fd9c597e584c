//! GGUF files, versions 2 and 3, little endian.
//!
//! Layout: `GGUF`, version u32, tensor count u64, key count u64; the keys; one record per tensor (name,
//! dimensions innermost first, type id, offset); padding to `general.alignment` (32 by default); the data.
//!
//! I2_S tensors, whose one scale lies outside their rows, become ternary rows in memory (9/8 of their bytes at most)
//! while the file is opened; every other tensor stays where it lies.

mod layout;
mod metadata;
mod reader;
mod value;

use std::ops::Range;

use sterna_format::Encoding;

pub use metadata::GgufMetadata;
pub use value::{GgufArray, GgufValue, PackedInts, PackedStrings};

use crate::checkpoint::{Entry, Shape};
use crate::{CheckpointError, limits};
use reader::Reader;

/// The bytes that every GGUF file starts with.
pub(crate) const MAGIC: &[u8; 4] = b"GGUF";

/// A tensor record as read, before its bytes are looked for.
struct Record<'a> {
    name: &'a str,
    shape: Shape,
    type_id: u32,
    offset: u64,
}

/// What a GGUF file holds, without the bytes.
pub(crate) struct Parsed {
    pub metadata: GgufMetadata,
    /// `backing` 0 is the file, `n + 1` the element `n` of `converted`.
    pub tensors: Vec<Entry>,
    /// Rows made of I2_S tensors, and the bytes of the file that they were made of.
    pub converted: Vec<(Vec<u8>, Range<usize>)>,
}

/// Reads everything but the data, and proves that each tensor has its bytes.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, CheckpointError> {
    let mut r = Reader::new(bytes);
    let magic = r.take(4, "the magic")?;
    if magic == b"FUGG" {
        return Err(CheckpointError::BigEndian);
    }
    if magic != MAGIC {
        return Err(CheckpointError::NotGguf { found: magic.to_vec() });
    }
    let version = r.u32("the version")?;
    if matches!(version.swap_bytes(), 1..=3) {
        return Err(CheckpointError::BigEndian);
    }
    if !matches!(version, 2 | 3) {
        return Err(CheckpointError::GgufVersion { version });
    }
    let tensor_count = usize::try_from(r.u64("the number of tensors")?).unwrap_or(usize::MAX);
    limits::at_most("the number of tensors", tensor_count, limits::TENSORS)?;
    let key_count = r.u64("the number of metadata keys")?;
    let metadata = GgufMetadata::read(&mut r, key_count)?;
    let alignment = alignment(&metadata)?;
    if metadata.optional("split.count", GgufMetadata::u64)?.is_some_and(|count| count > 1) {
        return Err(CheckpointError::malformed(
            "the GGUF file",
            "it is one part of several: join them with `llama-gguf-split --merge` and open the result",
        ));
    }

    // A record takes at least 33 bytes, so this allocation is bounded by the bytes that are there.
    let mut records = Vec::with_capacity(tensor_count.min(r.remaining() / 33));
    for _ in 0..tensor_count {
        records.push(record(&mut r)?);
    }
    // With no tensors there is no data section, and the padding before it may be missing.
    let data_start = r.position().next_multiple_of(alignment);
    let layout::Placed { entries: mut tensors, i2_s } =
        layout::place(&records, data_start, alignment, bytes.len())?;
    let mut converted = Vec::with_capacity(i2_s.len());
    for at in i2_s {
        let Some(entry) = tensors.get_mut(at) else { continue };
        let source = entry.range.clone();
        let rows = layout::convert_i2_s(&entry.name, entry.shape.cols(), bytes, source.clone())?;
        entry.range = 0..rows.len();
        converted.push((rows, source));
        entry.backing = converted.len() as u32;
    }
    Ok(Parsed { metadata, tensors, converted })
}

fn alignment(metadata: &GgufMetadata) -> Result<usize, CheckpointError> {
    let value = metadata.optional("general.alignment", GgufMetadata::u64)?.unwrap_or(32);
    if value > limits::ALIGNMENT {
        return Err(CheckpointError::Limit {
            what: "general.alignment".to_owned(),
            value,
            limit: limits::ALIGNMENT,
        });
    }
    if value < 8 || !value.is_power_of_two() {
        return Err(CheckpointError::malformed(
            "general.alignment",
            format!("{value} is not a power of two of at least 8: the file is damaged or hostile"),
        ));
    }
    Ok(value as usize)
}

fn record<'a>(r: &mut Reader<'a>) -> Result<Record<'a>, CheckpointError> {
    let name = r.name("a tensor's name")?;
    let dims = r.u32(name)? as usize;
    limits::at_most(format!("the number of dimensions of tensor {name:?}"), dims, limits::GGUF_DIMS)?;
    if dims == 0 {
        return Err(CheckpointError::tensor(name, "it has no dimensions"));
    }
    // The file lists the innermost dimension first.
    let mut shape = [0usize; limits::GGUF_DIMS];
    for slot in shape[..dims].iter_mut().rev() {
        let value = r.u64(name)?;
        *slot = usize::try_from(value)
            .map_err(|_| CheckpointError::tensor(name, format!("dimension {value} does not fit memory")))?;
    }
    let shape = Shape::new(&shape[..dims]).map_err(|reason| CheckpointError::tensor(name, reason))?;
    let type_id = r.u32(name)?;
    let offset = r.u64(name)?;
    Ok(Record { name, shape, type_id, offset })
}

/// The bytes that `shape` takes in `encoding`.
pub(crate) fn byte_len(encoding: Encoding, shape: &Shape, name: &str) -> Result<usize, CheckpointError> {
    let row = encoding
        .row_bytes(shape.cols())
        .map_err(|source| CheckpointError::Encoding { name: crate::error::shorten(name), source })?;
    row.checked_mul(shape.rows()).ok_or_else(|| CheckpointError::tensor(name, "its size in bytes overflows"))
}

/// `start..start + len` when it lies inside `total` bytes.
fn inside(start: usize, len: usize, total: usize) -> Option<Range<usize>> {
    let end = start.checked_add(len)?;
    (end <= total).then_some(start..end)
}
