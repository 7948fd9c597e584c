//! An open model, whatever file it came from.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use crate::arch::{self, Located};
use crate::error::BundleError;
use crate::file::{BundledDrafter, EntryPoint, Manifest, WeightEntry};
use crate::wanted::{Role, multiplies};
use crate::{
    AssistantConfig, LinearNumerics, ModelConfig, Numerics, Quantised, RECURRENCE, Weight, WeightSource, file,
};
use sterna_checkpoint::{Checkpoint, SafetensorsFile, Source, Tokenizer};

/// What kind of file a model was opened from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceKind {
    /// A GGUF file.
    Gguf,
    /// A Hugging Face directory or its safetensors file.
    HuggingFace,
    /// A Sterna bundle.
    Bundle,
}

impl SourceKind {
    /// The name used in manifests and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gguf => "gguf",
            Self::HuggingFace => "huggingface",
            Self::Bundle => "bundle",
        }
    }
}

enum Holder {
    Checkpoint(Box<Checkpoint>),
    Bundle(Box<SafetensorsFile>, BTreeMap<String, WeightEntry>),
}

/// An open model: what is fixed, and the mapped weights. Shared between threads by reference.
pub struct Model {
    /// Shapes, scalings, rotation.
    pub config: ModelConfig,
    /// The publisher's name, or the file's.
    pub name: String,
    /// Text to tokens and back, with the chat template.
    pub tokenizer: Tokenizer,
    /// How weights meet activations.
    pub numerics: Numerics,
    /// What a backend is asked to run.
    pub entry_points: Vec<EntryPoint>,
    pub(crate) tensors: BTreeMap<String, Located>,
    /// A drafter that the bundle holds.
    pub(crate) drafter: Option<BundledDrafter>,
    /// What a bundle says of weights that were quantised before it was written.
    pub(crate) noted: Vec<Quantised>,
    /// Weights that the file stores in another form, by their name in the file: vectors as f32, little endian, and rows
    /// whose codes and scales lie apart.
    converted: BTreeMap<String, Vec<u8>>,
    holder: Holder,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .field("source", &self.source_kind())
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// A weight of a model in the order of [`Model::weights`].
#[derive(Clone, Copy, Debug)]
pub struct NamedWeight<'a> {
    /// Canonical name.
    pub name: &'a str,
    /// What it is for.
    pub role: Role,
    /// Encoding, shape, bytes, row order.
    pub weight: Weight<'a>,
}

impl Model {
    /// Opens a GGUF file, a Hugging Face directory (or its one `.safetensors` file), or a Sterna bundle; what a file
    /// is, its contents tell and not its name. The files are mapped and must not change while the model is open.
    ///
    /// # Errors
    /// [`BundleError`]: the file cannot be read, is damaged, or is a model that this crate does not support.
    pub fn open(path: &Path) -> Result<Self, BundleError> {
        if path.is_file() && file::is_bundle(path)? {
            return file::open(path);
        }
        let named = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let named = if named.is_dir() { named.file_name() } else { named.file_stem() };
        let name = named.map_or_else(|| "model".to_owned(), |n| n.to_string_lossy().into_owned());
        Self::from_checkpoint(Checkpoint::open(path)?, name)
    }

    /// Opens a GGUF file that is in memory, such as the one embedded in the program.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_gguf_bytes(bytes: Cow<'static, [u8]>) -> Result<Self, BundleError> {
        Self::from_checkpoint(Checkpoint::from_gguf_bytes(bytes)?, "model".to_owned())
    }

    /// Opens a Sterna bundle that is in memory.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bundle_bytes(bytes: Cow<'static, [u8]>) -> Result<Self, BundleError> {
        file::from_file(SafetensorsFile::from_bytes(bytes)?)
    }

    fn from_checkpoint(mut checkpoint: Checkpoint, fallback: String) -> Result<Self, BundleError> {
        let reading = arch::read(&checkpoint)?;
        let tokenizer = checkpoint.tokenizer()?;
        checkpoint.forget_vocabulary();
        let linears = reading.tensors.iter().filter(|(_, t)| multiplies(&reading.config, t.role));
        let mut numerics = Numerics::of(linears.map(|(name, t)| (name.as_str(), t.encoding, t.cols)));
        numerics.recurrence = reading.config.hybrid.map(|_| RECURRENCE.to_owned());
        numerics.set(reading.numerics);
        let mut converted = arch::convert(&checkpoint, &reading.tensors)?;
        converted.extend(reading.rows);
        Ok(Self {
            config: reading.config,
            name: reading.name.unwrap_or(fallback),
            tokenizer,
            numerics,
            entry_points: file::entry_points(),
            tensors: reading.tensors,
            drafter: None,
            noted: Vec::new(),
            converted,
            holder: Holder::Checkpoint(Box::new(checkpoint)),
        })
    }

    /// Parts that [`mod@file`] has checked against each other.
    pub(crate) fn from_bundle(
        manifest: Manifest,
        tokenizer: Tokenizer,
        tensors: BTreeMap<String, Located>,
        drafter: Option<BundledDrafter>,
        file: SafetensorsFile,
    ) -> Self {
        let Manifest { name, config, numerics, entry_points, weights, quantised: noted, .. } = manifest;
        let holder = Holder::Bundle(Box::new(file), weights);
        let converted = BTreeMap::new();
        Self { config, name, tokenizer, numerics, entry_points, tensors, drafter, noted, converted, holder }
    }

    /// Reads every weight of a bundle and compares its SHA-256 with the manifest's. Other files carry no hashes, and
    /// pass.
    ///
    /// # Errors
    /// [`BundleError::Bundle`] naming the first weight that differs.
    pub fn verify(&self) -> Result<(), BundleError> {
        let Holder::Bundle(file, entries) = &self.holder else { return Ok(()) };
        for w in self.weights() {
            if let Some(entry) = entries.get(w.name) {
                file::same_hash(w.name, w.weight.data, &entry.sha256)?;
                self.release(w.name);
            }
        }
        for (name, entry) in self.drafter.iter().flat_map(|d| &d.entry.weights) {
            file::same_hash(name, file.tensor(name).map_or(&[], |t| t.data), &entry.sha256)?;
            file.release(name);
        }
        file::check_padding(file)
    }

    /// What kind of file this is.
    pub fn source_kind(&self) -> SourceKind {
        match &self.holder {
            Holder::Bundle(..) => SourceKind::Bundle,
            Holder::Checkpoint(c) => match c.source() {
                Source::Gguf => SourceKind::Gguf,
                Source::HuggingFace => SourceKind::HuggingFace,
            },
        }
    }

    /// All weights, by name in ascending order (`layers.10` before `layers.2`).
    pub fn weights(&self) -> impl Iterator<Item = NamedWeight<'_>> {
        self.tensors.iter().filter_map(|(name, located)| {
            Some(NamedWeight { name, role: located.role, weight: self.located(located)? })
        })
    }

    /// Has every linear layer multiply float activations from now on, whatever its weights: for comparison with what the
    /// model's own numerics give. A model that was trained with rounded activations is another one without them.
    pub fn use_float_activations(&mut self) {
        self.numerics.linears.values_mut().for_each(|n| *n = LinearNumerics::Float);
    }

    /// Shapes of the drafter that comes in the same file, if one does. As a [`WeightSource`] the model has its weights then,
    /// `assistant.*`, beside its own; [`Self::weights`] does not list them.
    pub fn drafter(&self) -> Option<&AssistantConfig> {
        self.drafter.as_ref().map(|d| &d.config)
    }

    /// A weight of the model or of its drafter.
    fn find(&self, name: &str) -> Option<&Located> {
        self.tensors.get(name).or_else(|| self.drafter.as_ref()?.tensors.get(name))
    }

    fn located(&self, located: &Located) -> Option<Weight<'_>> {
        let data = match (&self.holder, self.converted.get(&located.source)) {
            (_, Some(values)) => values,
            (Holder::Checkpoint(c), None) => c.tensor(&located.source)?.data,
            (Holder::Bundle(f, _), None) => f.tensor(&located.source)?.data,
        };
        let Located { encoding: stored, rows, cols, order, recode, .. } = *located;
        Some(Weight { encoding: recode.unwrap_or(stored), stored, rows, cols, data, order })
    }
}

impl WeightSource for Model {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        self.located(self.find(name)?)
    }

    fn release(&self, name: &str) {
        let Some(located) = self.find(name) else { return };
        match &self.holder {
            Holder::Checkpoint(c) => c.release(&located.source),
            Holder::Bundle(f, _) => f.release(&located.source),
        }
    }

    fn release_rows(&self, name: &str, rows: std::ops::Range<usize>) {
        let (Some(located), Some(weight)) = (self.find(name), self.weight(name)) else { return };
        let each = weight.stored_row_bytes();
        let part = rows.start.saturating_mul(each)..rows.end.saturating_mul(each);
        match &self.holder {
            Holder::Checkpoint(c) => c.release_part(&located.source, part),
            Holder::Bundle(f, _) => f.release_part(&located.source, part),
        }
    }
}
