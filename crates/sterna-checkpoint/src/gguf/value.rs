//! GGUF metadata values, and how they are read.

use super::reader::Reader;
use crate::CheckpointError;

/// A metadata value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GgufValue {
    /// 8-bit unsigned.
    U8(u8),
    /// 8-bit signed.
    I8(i8),
    /// 16-bit unsigned.
    U16(u16),
    /// 16-bit signed.
    I16(i16),
    /// 32-bit unsigned.
    U32(u32),
    /// 32-bit signed.
    I32(i32),
    /// 64-bit unsigned.
    U64(u64),
    /// 64-bit signed.
    I64(i64),
    /// 32-bit float.
    F32(f32),
    /// 64-bit float.
    F64(f64),
    /// Truth value.
    Bool(bool),
    /// UTF-8 string.
    String(String),
    /// Values of one type.
    Array(GgufArray),
}

/// An array of values of one type, kept as compact as in the file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GgufArray {
    /// Unsigned integers of any width.
    Unsigned(PackedInts),
    /// Signed integers of any width.
    Signed(PackedInts),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Strings.
    Strings(PackedStrings),
}

/// Integers of 1, 2, 4 or 8 bytes, as in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedInts {
    bytes: Box<[u8]>,
    width: usize,
}

impl PackedInts {
    /// Number of integers.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The integers, widened: with their sign if `signed`.
    pub(super) fn iter(&self, signed: bool) -> impl Iterator<Item = i128> + '_ {
        self.bytes.chunks_exact(self.width).map(move |chunk| {
            let mut wide = [0u8; 8];
            wide[..chunk.len()].copy_from_slice(chunk);
            let value = u64::from_le_bytes(wide);
            let shift = 64 - 8 * chunk.len() as u32;
            if signed { i128::from((value << shift) as i64 >> shift) } else { i128::from(value) }
        })
    }
}

/// Strings in one buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedStrings {
    text: String,
    ends: Vec<u32>,
}

impl PackedStrings {
    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// String `i`, `None` past the end.
    pub fn get(&self, i: usize) -> Option<&str> {
        let end = *self.ends.get(i)? as usize;
        let start = if i == 0 { 0 } else { *self.ends.get(i - 1)? as usize };
        self.text.get(start..end)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|i| self.get(i))
    }
}

impl GgufArray {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Unsigned(v) | Self::Signed(v) => v.len(),
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::Bool(v) => v.len(),
            Self::Strings(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Unsigned(_) => "array of unsigned integers",
            Self::Signed(_) => "array of signed integers",
            Self::F32(_) => "array of f32",
            Self::F64(_) => "array of f64",
            Self::Bool(_) => "array of bool",
            Self::Strings(_) => "array of strings",
        }
    }
}

impl GgufValue {
    /// The type's name, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::U8(_) => "u8",
            Self::I8(_) => "i8",
            Self::U16(_) => "u16",
            Self::I16(_) => "i16",
            Self::U32(_) => "u32",
            Self::I32(_) => "i32",
            Self::U64(_) => "u64",
            Self::I64(_) => "i64",
            Self::F32(_) => "f32",
            Self::F64(_) => "f64",
            Self::Bool(_) => "bool",
            Self::String(_) => "string",
            Self::Array(array) => array.type_name(),
        }
    }

    /// Any integer value that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::U8(v) => Some(v.into()),
            Self::U16(v) => Some(v.into()),
            Self::U32(v) => Some(v.into()),
            Self::U64(v) => Some(v),
            Self::I8(v) => v.try_into().ok(),
            Self::I16(v) => v.try_into().ok(),
            Self::I32(v) => v.try_into().ok(),
            Self::I64(v) => v.try_into().ok(),
            _ => None,
        }
    }

    /// A value's type, with the value itself where it is a number.
    pub(super) fn describe(&self) -> String {
        let name = self.type_name();
        match self {
            Self::I8(v) => format!("{name} {v}"),
            Self::I16(v) => format!("{name} {v}"),
            Self::I32(v) => format!("{name} {v}"),
            Self::I64(v) => format!("{name} {v}"),
            Self::U32(v) => format!("{name} {v}"),
            Self::U64(v) => format!("{name} {v}"),
            _ => name.to_owned(),
        }
    }

    /// Reads a value of type `kind`.
    pub(super) fn read(r: &mut Reader<'_>, kind: u32, key: &str) -> Result<Self, CheckpointError> {
        Ok(match kind {
            0 => Self::U8(r.u8(key)?),
            1 => Self::I8(r.u8(key)? as i8),
            2 => Self::U16(r.u16(key)?),
            3 => Self::I16(r.u16(key)? as i16),
            4 => Self::U32(r.u32(key)?),
            5 => Self::I32(r.u32(key)? as i32),
            6 => Self::F32(f32::from_bits(r.u32(key)?)),
            7 => Self::Bool(truth(r.u8(key)?, key)?),
            8 => Self::String(r.string(key)?.to_owned()),
            9 => Self::Array(read_array(r, key)?),
            10 => Self::U64(r.u64(key)?),
            11 => Self::I64(r.u64(key)? as i64),
            12 => Self::F64(f64::from_bits(r.u64(key)?)),
            _ => {
                return Err(CheckpointError::malformed(
                    format!("metadata key {key:?}"),
                    format!("value type {kind} does not exist"),
                ));
            }
        })
    }
}

fn truth(byte: u8, key: &str) -> Result<bool, CheckpointError> {
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(CheckpointError::malformed(
            format!("metadata key {key:?}"),
            format!("a bool is 0 or 1, and this one is {byte}"),
        )),
    }
}

fn read_array(r: &mut Reader<'_>, key: &str) -> Result<GgufArray, CheckpointError> {
    let kind = r.u32(key)?;
    let count = r.u64(key)?;
    // A numeric array is one slice of the file: a count past the end fails before anything is allocated.
    let mut raw = |width: u64| r.take(count.saturating_mul(width), key);
    Ok(match kind {
        0 => GgufArray::Unsigned(PackedInts { bytes: raw(1)?.into(), width: 1 }),
        1 => GgufArray::Signed(PackedInts { bytes: raw(1)?.into(), width: 1 }),
        2 => GgufArray::Unsigned(PackedInts { bytes: raw(2)?.into(), width: 2 }),
        3 => GgufArray::Signed(PackedInts { bytes: raw(2)?.into(), width: 2 }),
        4 => GgufArray::Unsigned(PackedInts { bytes: raw(4)?.into(), width: 4 }),
        5 => GgufArray::Signed(PackedInts { bytes: raw(4)?.into(), width: 4 }),
        6 => GgufArray::F32(raw(4)?.as_chunks().0.iter().map(|c| f32::from_le_bytes(*c)).collect()),
        7 => GgufArray::Bool(raw(1)?.iter().map(|b| truth(*b, key)).collect::<Result<_, _>>()?),
        8 => GgufArray::Strings(read_strings(r, key, count)?),
        9 => {
            return Err(CheckpointError::malformed(
                format!("metadata key {key:?}"),
                "arrays of arrays are not supported",
            ));
        }
        10 => GgufArray::Unsigned(PackedInts { bytes: raw(8)?.into(), width: 8 }),
        11 => GgufArray::Signed(PackedInts { bytes: raw(8)?.into(), width: 8 }),
        12 => GgufArray::F64(raw(8)?.as_chunks().0.iter().map(|c| f64::from_le_bytes(*c)).collect()),
        _ => {
            return Err(CheckpointError::malformed(
                format!("metadata key {key:?}"),
                format!("array type {kind} does not exist"),
            ));
        }
    })
}

fn read_strings(r: &mut Reader<'_>, key: &str, count: u64) -> Result<PackedStrings, CheckpointError> {
    // Each string takes 8 bytes at least, so a count past that cannot be true.
    let most = r.remaining() / 8;
    let count =
        usize::try_from(count).ok().filter(|c| *c <= most).ok_or_else(|| CheckpointError::Truncated {
            what: key.to_owned(),
            offset: r.position() as u64,
            needed: count.saturating_mul(8),
            len: (r.position() + r.remaining()) as u64,
        })?;
    let mut out = PackedStrings { text: String::new(), ends: Vec::with_capacity(count) };
    for _ in 0..count {
        out.text.push_str(r.string(key)?);
        let end = u32::try_from(out.text.len()).map_err(|_| CheckpointError::Limit {
            what: format!("the text of metadata key {key:?}"),
            value: out.text.len() as u64,
            limit: u32::MAX.into(),
        })?;
        out.ends.push(end);
    }
    out.text.shrink_to_fit();
    Ok(out)
}
