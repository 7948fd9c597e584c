//! GGUF metadata: an ordered map from key to typed value.

use std::collections::HashMap;

use super::reader::Reader;
use super::value::{GgufArray, GgufValue, PackedStrings};
use crate::error::shorten;
use crate::{CheckpointError, limits};

/// All metadata of a GGUF file, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct GgufMetadata {
    entries: Vec<(Box<str>, GgufValue)>,
    index: HashMap<Box<str>, u32>,
}

impl GgufMetadata {
    /// Reads `count` keys.
    pub(super) fn read(r: &mut Reader<'_>, count: u64) -> Result<Self, CheckpointError> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        limits::at_most("the number of metadata keys", count, limits::KEYS)?;
        let mut out = Self::default();
        for _ in 0..count {
            let key = r.name("a metadata key")?;
            let kind = r.u32(key)?;
            let value = GgufValue::read(r, kind, key)?;
            let at = out.entries.len() as u32;
            if out.index.insert(key.into(), at).is_some() {
                return Err(CheckpointError::Duplicate { kind: "metadata key", name: shorten(key) });
            }
            out.entries.push((key.into(), value));
        }
        Ok(out)
    }

    /// Keys and values in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &GgufValue)> {
        self.entries.iter().map(|(key, value)| (key.as_ref(), value))
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&GgufValue> {
        self.entries.get(*self.index.get(key)? as usize).map(|(_, value)| value)
    }

    /// Empties the arrays that only a tokenizer is made of. Their keys stay.
    pub(crate) fn forget_vocabulary(&mut self) {
        for (key, value) in &mut self.entries {
            if key.starts_with("tokenizer.ggml.") && matches!(value, GgufValue::Array(_)) {
                *value = GgufValue::Array(GgufArray::Bool(Vec::new()));
            }
        }
    }

    fn typed<'a, T>(
        &'a self,
        key: &str,
        wanted: &'static str,
        convert: impl FnOnce(&'a GgufValue) -> Option<T>,
    ) -> Result<T, CheckpointError> {
        let found = self.get(key);
        found.and_then(convert).ok_or_else(|| CheckpointError::Metadata {
            key: key.to_owned(),
            wanted,
            found: found.map_or_else(|| "nothing".to_owned(), GgufValue::describe),
        })
    }

    /// An integer of any width that is not negative.
    ///
    /// # Errors
    /// [`CheckpointError::Metadata`] when the key is missing or of another type; so for all getters.
    pub fn u64(&self, key: &str) -> Result<u64, CheckpointError> {
        self.typed(key, "an integer that is not negative", GgufValue::as_u64)
    }

    /// As [`Self::u64`], and it fits `usize`.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn usize(&self, key: &str) -> Result<usize, CheckpointError> {
        self.typed(key, "an integer that is not negative", |v| v.as_u64()?.try_into().ok())
    }

    /// As [`Self::u64`], and it fits 32 bits.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn u32(&self, key: &str) -> Result<u32, CheckpointError> {
        self.typed(key, "an integer of 32 bits", |v| v.as_u64()?.try_into().ok())
    }

    /// A float of either width.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn f64(&self, key: &str) -> Result<f64, CheckpointError> {
        self.typed(key, "a float", |v| match *v {
            GgufValue::F32(v) => Some(v.into()),
            GgufValue::F64(v) => Some(v),
            _ => None,
        })
    }

    /// A string.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn str(&self, key: &str) -> Result<&str, CheckpointError> {
        self.typed(key, "a string", |v| match v {
            GgufValue::String(v) => Some(v.as_str()),
            _ => None,
        })
    }

    /// A truth value.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn bool(&self, key: &str) -> Result<bool, CheckpointError> {
        self.typed(key, "a bool", |v| match v {
            GgufValue::Bool(v) => Some(*v),
            _ => None,
        })
    }

    /// An array of integers, none of them negative.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn u64_array(&self, key: &str) -> Result<Vec<u64>, CheckpointError> {
        self.typed(key, "an array of integers that are not negative", |v| match v {
            GgufValue::Array(GgufArray::Unsigned(v)) => v.iter(false).map(|i| i.try_into().ok()).collect(),
            GgufValue::Array(GgufArray::Signed(v)) => v.iter(true).map(|i| i.try_into().ok()).collect(),
            _ => None,
        })
    }

    /// An array of integers.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn i64_array(&self, key: &str) -> Result<Vec<i64>, CheckpointError> {
        self.typed(key, "an array of integers", |v| match v {
            GgufValue::Array(GgufArray::Unsigned(v)) => v.iter(false).map(|i| i.try_into().ok()).collect(),
            GgufValue::Array(GgufArray::Signed(v)) => v.iter(true).map(|i| i.try_into().ok()).collect(),
            _ => None,
        })
    }

    /// An array of floats of either width.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn f64_array(&self, key: &str) -> Result<Vec<f64>, CheckpointError> {
        self.typed(key, "an array of floats", |v| match v {
            GgufValue::Array(GgufArray::F32(v)) => Some(v.iter().map(|f| f64::from(*f)).collect()),
            GgufValue::Array(GgufArray::F64(v)) => Some(v.clone()),
            _ => None,
        })
    }

    /// An array of truth values.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn bool_array(&self, key: &str) -> Result<&[bool], CheckpointError> {
        self.typed(key, "an array of bools", |v| match v {
            GgufValue::Array(GgufArray::Bool(v)) => Some(v.as_slice()),
            _ => None,
        })
    }

    /// An array of strings.
    ///
    /// # Errors
    /// As [`Self::u64`].
    pub fn str_array(&self, key: &str) -> Result<&PackedStrings, CheckpointError> {
        self.typed(key, "an array of strings", |v| match v {
            GgufValue::Array(GgufArray::Strings(v)) => Some(v),
            _ => None,
        })
    }

    /// The result of a getter, with a missing key as `None`; a key of the wrong type stays an error.
    ///
    /// # Errors
    /// What `getter` gives for a key that is there.
    pub fn optional<'a, T>(
        &'a self,
        key: &str,
        getter: impl FnOnce(&'a Self, &str) -> Result<T, CheckpointError>,
    ) -> Result<Option<T>, CheckpointError> {
        if self.get(key).is_none() { Ok(None) } else { getter(self, key).map(Some) }
    }
}
