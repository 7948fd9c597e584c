//! The checkpoint: files, their tensors by name, config and tokenizer.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use sterna_format::Encoding;

use crate::error::shorten;
use crate::gguf::{self, GgufMetadata};
use crate::hf::{self, HfFiles};
use crate::mapping::Backing;
use crate::tokenizer::Tokenizer;
use crate::{CheckpointError, TensorView, limits};

/// Where a checkpoint comes from: it decides tensor names, shapes and the form of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A GGUF file: config in its metadata, llama.cpp's tensor names.
    Gguf,
    /// Hugging Face files: config.json, the publisher's tensor names.
    HuggingFace,
}

/// A proven shape of at least one dimension, outermost first, none of them 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    dims: [usize; limits::DIMS],
    len: u8,
}

impl Shape {
    /// Checks that no dimension is 0 and that the number of values fits memory.
    pub(crate) fn new(dims: &[usize]) -> Result<Self, String> {
        if dims.is_empty() || dims.len() > limits::DIMS {
            return Err(format!("it has {} dimensions, and 1 to {} are read", dims.len(), limits::DIMS));
        }
        if let Some(at) = dims.iter().position(|d| *d == 0) {
            return Err(format!("dimension {at} is 0"));
        }
        if dims.iter().try_fold(1usize, |all, d| all.checked_mul(*d)).is_none() {
            return Err(format!("the product of its dimensions {dims:?} overflows"));
        }
        let mut out = [1; limits::DIMS];
        out[..dims.len()].copy_from_slice(dims);
        Ok(Self { dims: out, len: dims.len() as u8 })
    }

    pub(crate) fn as_slice(&self) -> &[usize] {
        &self.dims[..usize::from(self.len)]
    }

    pub(crate) fn cols(&self) -> usize {
        self.as_slice().last().copied().unwrap_or(0)
    }

    pub(crate) fn rows(&self) -> usize {
        self.as_slice().split_last().map_or(0, |(_, outer)| outer.iter().product())
    }
}

/// A tensor and where its bytes are.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub name: Box<str>,
    pub encoding: Encoding,
    pub shape: Shape,
    /// Which of the checkpoint's files.
    pub backing: u32,
    pub range: Range<usize>,
}

/// Bytes whose meaning only the reader of an architecture knows.
#[derive(Clone, Debug)]
pub(crate) struct RawEntry {
    pub name: Box<str>,
    pub signed: bool,
    pub shape: Shape,
    pub backing: u32,
    pub range: Range<usize>,
}

/// A tensor of bytes: packed codes of weights.
#[derive(Clone, Copy, Debug)]
pub struct RawBytes<'a> {
    /// The publisher's name.
    pub name: &'a str,
    /// Whether the file says `I8`, not `U8`.
    pub signed: bool,
    /// Outermost first.
    pub shape: &'a [usize],
    /// As many as the product of `shape`.
    pub data: &'a [u8],
}

enum Extra {
    Gguf(Box<GgufMetadata>),
    HuggingFace(Box<HfFiles>),
}

/// An open checkpoint. It owns the mappings that its views borrow, and can be shared between threads.
pub struct Checkpoint {
    backings: Vec<Backing>,
    entries: Vec<Entry>,
    raw: Vec<RawEntry>,
    /// Positions in `entries`, sorted by name.
    by_name: Vec<u32>,
    extra: Extra,
}

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpoint").field("source", &self.source()).field("tensors", &self.len()).finish()
    }
}

impl Checkpoint {
    /// Opens a GGUF file (told by its first bytes, not its name), a Hugging Face directory, or one
    /// `.safetensors` file beside its config.json.
    ///
    /// The files are mapped, not read: they must not be changed or truncated while the checkpoint is open. Tensors
    /// in I2_S are the exception: they are repacked in memory, and read as `ternary-row`.
    ///
    /// # Errors
    /// [`CheckpointError`], for every way in which the files are not a checkpoint that the engine reads.
    pub fn open(path: &Path) -> Result<Self, CheckpointError> {
        let meta = std::fs::metadata(path).map_err(|e| CheckpointError::io(path, e))?;
        if meta.is_dir() {
            return Self::from_hf(hf::open_dir(path)?);
        }
        let backing = Backing::map(path)?;
        let head = backing.bytes().get(..4).unwrap_or(backing.bytes());
        if head == gguf::MAGIC || head == b"FUGG" {
            return Self::from_backing(backing);
        }
        if path.extension().is_some_and(|e| e == "safetensors") {
            return Self::from_hf(hf::open_file(path)?);
        }
        Err(CheckpointError::Unrecognised {
            path: path.to_owned(),
            reason: format!("it starts with {head:02x?}, which is not a GGUF file"),
        })
    }

    /// Opens a GGUF file that is in memory, such as the one embedded in the program.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_gguf_bytes(bytes: Cow<'static, [u8]>) -> Result<Self, CheckpointError> {
        Self::from_backing(Backing::memory(bytes))
    }

    fn from_backing(backing: Backing) -> Result<Self, CheckpointError> {
        let parsed = gguf::parse(backing.bytes())?;
        let mut backings = Vec::with_capacity(1 + parsed.converted.len());
        backings.push(backing);
        for (rows, source) in parsed.converted {
            backings[0].release(source);
            backings.push(Backing::Memory(Cow::Owned(rows)));
        }
        Self::build(backings, parsed.tensors, Extra::Gguf(Box::new(parsed.metadata)))
    }

    fn from_hf(opened: hf::Opened) -> Result<Self, CheckpointError> {
        let raw = opened.raw;
        let made = Self::build(opened.backings, opened.entries, Extra::HuggingFace(Box::new(opened.files)))?;
        let mut names: Vec<&str> = raw.iter().map(|r| r.name.as_ref()).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        if let Some(name) = twice.or_else(|| names.into_iter().find(|n| made.entry(n).is_some())) {
            return Err(CheckpointError::Duplicate { kind: "tensor", name: shorten(name) });
        }
        Ok(Self { raw, ..made })
    }

    fn build(backings: Vec<Backing>, entries: Vec<Entry>, extra: Extra) -> Result<Self, CheckpointError> {
        limits::at_most("the number of tensors", entries.len(), limits::TENSORS)?;
        let mut by_name: Vec<u32> = (0..entries.len() as u32).collect();
        by_name.sort_unstable_by(|a, b| entries[*a as usize].name.cmp(&entries[*b as usize].name));
        for pair in by_name.windows(2) {
            let name = &entries[pair[0] as usize].name;
            if *name == entries[pair[1] as usize].name {
                return Err(CheckpointError::Duplicate { kind: "tensor", name: shorten(name) });
            }
        }
        Ok(Self { backings, entries, raw: Vec::new(), by_name, extra })
    }

    /// Where the checkpoint comes from.
    pub fn source(&self) -> Source {
        match self.extra {
            Extra::Gguf(_) => Source::Gguf,
            Extra::HuggingFace(_) => Source::HuggingFace,
        }
    }

    /// The tensors' names in the order of the file (of the shards, by name, and their offsets).
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.name.as_ref())
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        let at = self.by_name.binary_search_by(|i| self.entries[*i as usize].name.as_ref().cmp(name)).ok()?;
        self.entries.get(*self.by_name.get(at)? as usize)
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<TensorView<'_>> {
        let entry = self.entry(name)?;
        let data = self.backings.get(entry.backing as usize)?.bytes().get(entry.range.clone())?;
        Some(TensorView { name: &entry.name, encoding: entry.encoding, shape: entry.shape.as_slice(), data })
    }

    /// All tensors, in the order of [`Self::names`].
    pub fn tensors(&self) -> impl Iterator<Item = TensorView<'_>> {
        self.names().filter_map(|name| self.tensor(name))
    }

    /// Tensors of bytes, in the order of the file: codes of weights in Gemma's own quantised form, which says so in
    /// config.json. No other checkpoint has any.
    pub fn raw(&self) -> impl Iterator<Item = RawBytes<'_>> {
        self.raw.iter().filter_map(|r| {
            let data = self.backings.get(r.backing as usize)?.bytes().get(r.range.clone())?;
            Some(RawBytes { name: &r.name, signed: r.signed, shape: r.shape.as_slice(), data })
        })
    }

    /// The metadata of a GGUF file.
    pub fn gguf(&self) -> Option<&GgufMetadata> {
        match &self.extra {
            Extra::Gguf(metadata) => Some(metadata),
            Extra::HuggingFace(_) => None,
        }
    }

    /// config.json of a Hugging Face checkpoint.
    pub fn hf_config(&self) -> Option<&serde_json::Value> {
        match &self.extra {
            Extra::Gguf(_) => None,
            Extra::HuggingFace(files) => Some(&files.config),
        }
    }

    /// Builds the tokenizer: from the GGUF metadata, or from tokenizer.json and the configs beside it.
    ///
    /// # Errors
    /// When there is none, or it is of a kind that the engine does not read.
    pub fn tokenizer(&self) -> Result<Tokenizer, CheckpointError> {
        match &self.extra {
            Extra::Gguf(metadata) => Tokenizer::from_gguf(metadata),
            Extra::HuggingFace(files) => files.tokenizer(),
        }
    }

    /// Frees what of a GGUF file's metadata only the tokenizer is made of: tokens, merges, scores and types, some megabytes.
    /// [`Self::tokenizer`] fails from then on.
    pub fn forget_vocabulary(&mut self) {
        if let Extra::Gguf(metadata) = &mut self.extra {
            metadata.forget_vocabulary();
        }
    }

    /// Tells the system that the pages of a tensor are not needed for now, so that loading a model does not
    /// keep two copies in memory, and with them all others of its file that were read. All bytes stay readable, those that
    /// are still wanted at the cost of a look into the system's cache. Does nothing for bytes in memory or unknown names.
    pub fn release(&self, name: &str) {
        if let Some(entry) = self.entry(name)
            && let Some(backing) = self.backings.get(entry.backing as usize)
        {
            backing.release_all();
        }
    }

    /// Tells it of bytes `part` of the tensor, as far as they are in it, and of no others.
    pub fn release_part(&self, name: &str, part: std::ops::Range<usize>) {
        if let Some(entry) = self.entry(name)
            && let Some(backing) = self.backings.get(entry.backing as usize)
        {
            backing.release(inside(&entry.range, part));
        }
    }
}

/// Bytes `part` of a tensor that lies at `range`, counted from the start of the file.
pub(crate) fn inside(range: &std::ops::Range<usize>, part: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let at = |offset: usize| range.start.saturating_add(offset).min(range.end);
    at(part.start)..at(part.end)
}
