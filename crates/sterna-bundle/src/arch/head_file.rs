//! The file of a draft head: which of its tensors is which canonical weight, and their bytes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sterna_checkpoint::{CheckpointError, RawTensor, SafetensorsFile};
use sterna_format::Encoding;

use crate::error::{BundleError, shorten};
use crate::{RowOrder, Weight, WeightSource};

/// The class that a configuration names first.
pub(super) fn first_class(config: &Map<String, Value>) -> Option<&str> {
    config.get("architectures")?.as_array()?.first()?.as_str()
}

/// A wanted tensor of floats.
pub(super) struct Part {
    /// Canonical name.
    pub name: String,
    /// The name in the file.
    pub source: String,
    /// 0 for a vector.
    pub rows: usize,
    pub cols: usize,
}

/// A weight in the file.
#[derive(Clone, Debug)]
struct Stored {
    source: String,
    encoding: Encoding,
    /// The encoding in which its rows are handed out, if it is not the file's.
    recode: Option<Encoding>,
    rows: usize,
    cols: usize,
}

/// A mapped file and its weights.
#[derive(Debug)]
pub(super) struct HeadFile {
    tensors: BTreeMap<String, Stored>,
    file: SafetensorsFile,
}

/// The tensor of a name; `arch` says whose it is.
///
/// # Errors
/// It is not there.
pub(super) fn need<'a>(
    file: &'a SafetensorsFile,
    name: &str,
    arch: &'static str,
) -> Result<RawTensor<'a>, BundleError> {
    file.tensor(name).ok_or_else(|| BundleError::MissingTensor { name: name.to_owned(), arch })
}

/// # Errors
/// Another shape than `expected`.
pub(super) fn shaped(name: &str, tensor: &RawTensor<'_>, expected: Vec<usize>) -> Result<(), BundleError> {
    if tensor.shape == expected {
        return Ok(());
    }
    Err(BundleError::Shape { name: name.to_owned(), found: tensor.shape.to_vec(), expected })
}

/// Whole numbers of a tensor; `place` is where it is, for messages.
///
/// # Errors
/// Another dtype than I64 or I32.
pub(super) fn whole_numbers(
    name: &str,
    tensor: &RawTensor<'_>,
    place: &'static str,
) -> Result<Vec<i64>, BundleError> {
    match tensor.dtype {
        "I64" => Ok(tensor.data.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect()),
        "I32" => Ok(tensor.data.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect()),
        other => Err(BundleError::key(place, name, format!("of dtype {other}"), "I64")),
    }
}

impl HeadFile {
    /// Finds every part, and a use for every tensor of the file: `used` names those that are no parts.
    ///
    /// # Errors
    /// The first missing, misshapen or wrongly stored tensor; then all tensors left over, by name.
    pub(super) fn claim(
        file: SafetensorsFile,
        parts: Vec<Part>,
        used: &[&str],
        arch: &'static str,
    ) -> Result<Self, BundleError> {
        let mut tensors = BTreeMap::new();
        for Part { name, source, rows, cols } in parts {
            let tensor = need(&file, &source, arch)?;
            let expected = if rows == 0 { vec![cols] } else { vec![rows, cols] };
            shaped(&source, &tensor, expected)?;
            let encoding = match tensor.dtype {
                "F32" => Encoding::F32,
                "F16" => Encoding::F16,
                "BF16" => Encoding::BF16,
                other => {
                    return Err(CheckpointError::Dtype { name: source, dtype: other.to_owned() }.into());
                }
            };
            tensors.insert(name, Stored { source, encoding, recode: None, rows: rows.max(1), cols });
        }
        let used = |name: &&str| {
            used.contains(name)
                || name.ends_with("rotary_emb.inv_freq")
                || tensors.values().any(|s: &Stored| s.source == **name)
        };
        let left: Vec<&str> = file.names().filter(|n| !used(n)).collect();
        if left.is_empty() {
            return Ok(Self { tensors, file });
        }
        let mut names = left.iter().take(8).map(|n| shorten(n)).collect::<Vec<_>>().join(", ");
        if left.len() > 8 {
            names.push_str(", ...");
        }
        Err(BundleError::Unclaimed { arch, count: left.len(), names })
    }
}

impl HeadFile {
    /// Has weights handed out in the encoding that `choose` names for them.
    pub(super) fn recode(&mut self, choose: &dyn Fn(&str) -> Option<Encoding>) {
        for (name, stored) in &mut self.tensors {
            stored.recode = choose(name).or(stored.recode);
        }
    }
}

impl WeightSource for HeadFile {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let Stored { source, encoding: stored, recode, rows, cols } = self.tensors.get(name)?;
        let data = self.file.tensor(source)?.data;
        let (encoding, stored) = (recode.unwrap_or(*stored), *stored);
        Some(Weight { encoding, stored, rows: *rows, cols: *cols, data, order: RowOrder::Plain })
    }

    fn release(&self, name: &str) {
        if let Some(stored) = self.tensors.get(name) {
            self.file.release(&stored.source);
        }
    }

    fn release_rows(&self, name: &str, rows: std::ops::Range<usize>) {
        if let (Some(stored), Some(weight)) = (self.tensors.get(name), self.weight(name)) {
            let each = weight.stored_row_bytes();
            let part = rows.start.saturating_mul(each)..rows.end.saturating_mul(each);
            self.file.release_part(&stored.source, part);
        }
    }
}

/// A head's weights (`eagle.*`, `assistant.*`) and its target's (every other name).
#[derive(Clone, Copy)]
pub struct HeadSource<'a> {
    head: &'a dyn WeightSource,
    target: &'a dyn WeightSource,
}

impl<'a> HeadSource<'a> {
    /// Joins two sources.
    pub fn new(head: &'a dyn WeightSource, target: &'a dyn WeightSource) -> Self {
        Self { head, target }
    }

    fn of(&self, name: &str) -> &'a dyn WeightSource {
        let own = ["eagle.", "assistant."].iter().any(|prefix| name.starts_with(prefix));
        if own { self.head } else { self.target }
    }
}

impl WeightSource for HeadSource<'_> {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        self.of(name).weight(name)
    }

    fn release(&self, name: &str) {
        self.of(name).release(name);
    }

    fn release_rows(&self, name: &str, rows: std::ops::Range<usize>) {
        self.of(name).release_rows(name, rows);
    }
}
