//! The safetensors container: parsed by the `safetensors` crate, behind limits and checks of our own.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::error::shorten;
use crate::limits::step;
use crate::mapping::Backing;
use crate::{CheckpointError, limits};

/// A tensor of a safetensors file, as the header has it.
#[derive(Clone, Copy, Debug)]
pub struct RawTensor<'a> {
    /// The dtype's name, such as `BF16` or `U8`.
    pub dtype: &'a str,
    /// Dimensions, outermost first; empty for a scalar.
    pub shape: &'a [usize],
    /// Its bytes.
    pub data: &'a [u8],
}

/// What the header says about one tensor.
pub(crate) struct Info {
    pub name: Box<str>,
    pub dtype: Dtype,
    pub dtype_name: Box<str>,
    pub shape: Box<[usize]>,
    /// Bytes in the file.
    pub range: Range<usize>,
}

/// A mapped safetensors file.
pub struct SafetensorsFile {
    backing: Backing,
    metadata: HashMap<String, String>,
    /// In the order of their bytes.
    infos: Vec<Info>,
    by_name: HashMap<Box<str>, u32>,
}

impl std::fmt::Debug for SafetensorsFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SafetensorsFile").field("tensors", &self.infos.len()).finish()
    }
}

impl SafetensorsFile {
    /// Maps and checks a file, which must not be changed while this is open.
    ///
    /// # Errors
    /// [`CheckpointError`] when it cannot be read, is cut short, or its header breaks a rule or a limit.
    pub fn open(path: &Path) -> Result<Self, CheckpointError> {
        Self::from_backing(Backing::map(path)?)
    }

    /// The same from bytes in memory.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(bytes: std::borrow::Cow<'static, [u8]>) -> Result<Self, CheckpointError> {
        Self::from_backing(Backing::Memory(bytes))
    }

    fn from_backing(backing: Backing) -> Result<Self, CheckpointError> {
        let (metadata, infos) = parse(backing.bytes())?;
        let by_name = infos.iter().enumerate().map(|(i, info)| (info.name.clone(), i as u32)).collect();
        Ok(Self { backing, metadata, infos, by_name })
    }

    /// The header's `__metadata__`, empty when there is none.
    pub fn metadata(&self) -> &HashMap<String, String> {
        &self.metadata
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// The tensors' names, in the order of their bytes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.infos.iter().map(|info| info.name.as_ref())
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<RawTensor<'_>> {
        let info = self.infos.get(*self.by_name.get(name)? as usize)?;
        let data = self.backing.bytes().get(info.range.clone())?;
        Some(RawTensor { dtype: &info.dtype_name, shape: &info.shape, data })
    }

    /// Tells the system that the pages of a tensor are not needed for now; see [`crate::Checkpoint::release`].
    pub fn release(&self, name: &str) {
        if self.by_name.contains_key(name) {
            self.backing.release_all();
        }
    }

    /// The same for bytes `part` of the tensor, as far as they are in it, and for no others.
    pub fn release_part(&self, name: &str, part: std::ops::Range<usize>) {
        if let Some(info) = self.by_name.get(name).and_then(|i| self.infos.get(*i as usize)) {
            self.backing.release(crate::checkpoint::inside(&info.range, part));
        }
    }

    pub(crate) fn into_parts(self) -> (Backing, Vec<Info>) {
        (self.backing, self.infos)
    }
}

/// The parsed header, and the tensors sorted by their bytes.
fn parse(bytes: &[u8]) -> Result<(HashMap<String, String>, Vec<Info>), CheckpointError> {
    let header = checked_header(bytes)?;
    let (_, parsed) = SafeTensors::read_metadata(bytes).map_err(library_error)?;
    let data_start = 8 + header.len();
    let mut infos = Vec::with_capacity(parsed.offset_keys().len());
    for name in parsed.offset_keys() {
        step();
        let Some(info) = parsed.info(&name) else { continue };
        if let Some(at) = info.shape.iter().position(|d| *d == 0) {
            return Err(CheckpointError::tensor(&name, format!("dimension {at} is 0")));
        }
        let range = info
            .data_offsets
            .0
            .checked_add(data_start)
            .zip(info.data_offsets.1.checked_add(data_start))
            .map(|(start, end)| start..end)
            .filter(|range| range.start <= range.end && range.end <= bytes.len())
            .ok_or_else(|| CheckpointError::tensor(&name, "its bytes lie past the end of the file"))?;
        infos.push(Info {
            dtype: info.dtype,
            dtype_name: info.dtype.to_string().into(),
            shape: info.shape.clone().into(),
            range,
            name: name.into(),
        });
    }
    Ok((parsed.metadata().clone().unwrap_or_default(), infos))
}

/// The header's text, after the checks that bound what parsing it allocates.
fn checked_header(bytes: &[u8]) -> Result<&str, CheckpointError> {
    let what = "the safetensors header";
    let truncated = |needed: u64, offset: u64| CheckpointError::Truncated {
        what: what.to_owned(),
        offset,
        needed,
        len: bytes.len() as u64,
    };
    let len = bytes.first_chunk::<8>().ok_or_else(|| truncated(8, 0))?;
    let len = u64::from_le_bytes(*len);
    limits::at_most(
        "the size of the safetensors header",
        usize::try_from(len).unwrap_or(usize::MAX),
        limits::SAFETENSORS_HEADER,
    )?;
    let header = bytes.get(8..8 + len as usize).ok_or_else(|| truncated(len, 8))?;
    let commas = header.iter().filter(|b| **b == b',').count();
    limits::at_most("the number of commas in the safetensors header", commas, limits::SAFETENSORS_COMMAS)?;
    let text = std::str::from_utf8(header)
        .map_err(|e| CheckpointError::malformed(what, format!("it is not UTF-8 ({e})")))?;
    // The library keeps the last of two tensors with one name, and would hide the first.
    let names: Names<'_> = serde_json::from_str(text)
        .map_err(|source| CheckpointError::Json { what: what.to_owned(), source })?;
    if let Some(name) = names.duplicate {
        return Err(CheckpointError::Duplicate { kind: "tensor", name: shorten(&name) });
    }
    limits::at_most("the number of tensors", names.seen.len(), limits::SAFETENSORS_TENSORS)?;
    Ok(text)
}

fn library_error(error: SafeTensorError) -> CheckpointError {
    match error {
        SafeTensorError::TensorInvalidInfo => CheckpointError::malformed(
            "the safetensors header",
            "a tensor's dtype, shape and offsets do not agree: the file is damaged or hostile",
        ),
        SafeTensorError::InvalidOffset(name) => {
            CheckpointError::tensor(&name, "its offsets overlap another tensor, leave a gap or run backwards")
        }
        SafeTensorError::MetadataIncompleteBuffer => CheckpointError::malformed(
            "the safetensors file",
            "its size is not what the header says: it is cut short or has bytes too many; download it again",
        ),
        SafeTensorError::InvalidHeaderDeserialization(source) => {
            CheckpointError::Json { what: "the safetensors header".to_owned(), source }
        }
        other => CheckpointError::malformed("the safetensors header", other.to_string()),
    }
}

/// The top-level names of the header, and the first that appears twice, `__metadata__` and its keys included.
#[derive(Default)]
struct Names<'a> {
    seen: HashSet<std::borrow::Cow<'a, str>>,
    duplicate: Option<String>,
}

impl<'de> Deserialize<'de> for Names<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Names<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names<'de>, A::Error> {
                let mut names = Names::default();
                while let Some(Key(key)) = map.next_key()? {
                    step();
                    if key == "__metadata__" {
                        let inner: Option<Names<'de>> = map.next_value()?;
                        names.duplicate = names.duplicate.or(inner.and_then(|n| n.duplicate));
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                    if names.seen.contains(&key) {
                        names.duplicate.get_or_insert_with(|| key.clone().into_owned());
                    }
                    names.seen.insert(key);
                }
                Ok(names)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// A map key, borrowed when it has no escapes.
struct Key<'a>(std::borrow::Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(v.into()))
            }
            fn visit_str<E>(self, v: &str) -> Result<Key<'de>, E> {
                Ok(Key(v.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
