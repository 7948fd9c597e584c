//! A cursor over little-endian bytes that never reads past the end.

use crate::limits::step;
use crate::{CheckpointError, limits};

/// Reads numbers and strings one after the other. Every read advances, so its steps are bounded by the bytes.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Bytes left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: u64, what: &str) -> Result<&'a [u8], CheckpointError> {
        step();
        let truncated = || CheckpointError::Truncated {
            what: what.to_owned(),
            offset: self.at as u64,
            needed: count,
            len: self.bytes.len() as u64,
        };
        let count = usize::try_from(count).map_err(|_| truncated())?;
        let end = self.at.checked_add(count).ok_or_else(truncated)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(truncated)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], CheckpointError> {
        let taken = self.take(N as u64, what)?;
        let mut out = [0; N];
        out.copy_from_slice(taken);
        Ok(out)
    }

    pub(crate) fn u8(&mut self, what: &str) -> Result<u8, CheckpointError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u16(&mut self, what: &str) -> Result<u16, CheckpointError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32, CheckpointError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u64(&mut self, what: &str) -> Result<u64, CheckpointError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// A string: its length as u64, then UTF-8.
    pub(crate) fn string(&mut self, what: &str) -> Result<&'a str, CheckpointError> {
        let len = self.u64(what)?;
        let bytes = self.take(len, what)?;
        std::str::from_utf8(bytes)
            .map_err(|e| CheckpointError::malformed(what, format!("the string is not UTF-8 ({e})")))
    }

    /// A string used as a name: short and without control characters.
    pub(crate) fn name(&mut self, what: &str) -> Result<&'a str, CheckpointError> {
        let name = self.string(what)?;
        limits::at_most(format!("the length of {what}"), name.len(), limits::NAME)?;
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(CheckpointError::malformed(what, "it is empty or holds control characters"));
        }
        Ok(name)
    }
}
