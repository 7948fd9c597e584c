//! The one error type of this crate. Every text says what was found, and what would be accepted.

use std::path::{Path, PathBuf};

use sterna_checkpoint::CheckpointError;
use sterna_format::{Encoding, FormatError};

/// Why a model cannot be opened or packed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The container or the tokenizer cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// An architecture that no reader exists for.
    #[error("architecture {found:?} is not supported; supported are {supported}")]
    Architecture {
        /// The name in the file, or what stands in its place.
        found: String,
        /// The names with readers.
        supported: String,
    },
    /// A configuration key without which the model cannot be read.
    #[error("{place}: {key:?} is missing; {wanted}")]
    MissingKey {
        /// `config.json` or `GGUF metadata`.
        place: &'static str,
        /// The key.
        key: String,
        /// What it must hold.
        wanted: String,
    },
    /// A configuration value that is impossible, or that asks for something this crate does not do.
    #[error("{place}: {key:?} is {found}; supported: {supported}")]
    Key {
        /// `config.json`, `GGUF metadata` or `bundle manifest`.
        place: &'static str,
        /// The key.
        key: String,
        /// The value, shortened.
        found: String,
        /// What is accepted.
        supported: String,
    },
    /// A tensor that the model needs is not in the file.
    #[error("tensor {name:?} is missing; a {arch} model of this configuration has it")]
    MissingTensor {
        /// The name in the file's own spelling.
        name: String,
        /// The architecture.
        arch: &'static str,
    },
    /// A tensor of another shape than the configuration asks for.
    #[error("tensor {name:?} has shape {found:?}, and the configuration asks for {expected:?}")]
    Shape {
        /// The name in the file's own spelling.
        name: String,
        /// Its dimensions, outermost first.
        found: Vec<usize>,
        /// The dimensions wanted.
        expected: Vec<usize>,
    },
    /// A vector that is not stored in floats.
    #[error("tensor {name:?} is stored as {encoding}; norms and rope factors must be f32, f16 or bf16")]
    NotFloat {
        /// The name in the file's own spelling.
        name: String,
        /// How it is stored.
        encoding: Encoding,
    },
    /// Tensors in the file that no part of the model uses: ignoring them would run another model.
    #[error("{count} tensors have no place in a {arch} model of this configuration: {names}")]
    Unclaimed {
        /// The architecture.
        arch: &'static str,
        /// How many.
        count: usize,
        /// The first of them.
        names: String,
    },
    /// Bytes that do not fit their encoding, or values that do not fit the wanted one.
    #[error("tensor {name:?}: {source}")]
    Format {
        /// The canonical name.
        name: String,
        /// What the format crate says.
        #[source]
        source: FormatError,
    },
    /// A matrix that is low-bit already, where floats were to be quantised.
    #[error(
        "tensor {name:?} is {encoding} already, and only float weights (f32, f16, bf16) are quantised: use this model as it \
         is, or a float checkpoint of it"
    )]
    LowBit {
        /// The canonical name.
        name: String,
        /// How it is stored.
        encoding: Encoding,
    },
    /// A float matrix that is not ternary, offered to be packed exactly.
    #[error(
        "tensor {name:?} is not ternary: with one scale per {group} weights the relative RMS error is {relative_rms:.4} \
         and the largest error {max_relative:.4} of its group's scale (a ternary matrix has 0); latent \
         (\"unquantized\") weights need their training's quantiser, or allow rounding (--round)"
    )]
    NotTernary {
        /// The canonical name.
        name: String,
        /// Weights per scale of the best try.
        group: usize,
        /// `sqrt(sum (w - s t)^2 / sum w^2)` over the matrix.
        relative_rms: f64,
        /// The largest `|w - s t| / max|w|` of any group.
        max_relative: f64,
    },
    /// A Sterna bundle of another version.
    #[error("bundle version {found:?} is not supported, only {supported}: pack the model again")]
    Version {
        /// The version in the file.
        found: String,
        /// The version that this program reads and writes.
        supported: &'static str,
    },
    /// A Sterna bundle whose parts contradict each other.
    #[error("bundle: {what}: {reason}; the file is damaged or hostile")]
    Bundle {
        /// The part.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl BundleError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn bundle(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Bundle { what: shorten(&what.into()), reason: shorten(&reason.into()) }
    }

    pub(crate) fn key(
        place: &'static str,
        key: impl Into<String>,
        found: impl std::fmt::Display,
        supported: impl Into<String>,
    ) -> Self {
        Self::Key { place, key: key.into(), found: shorten(&found.to_string()), supported: supported.into() }
    }
}

/// Text from a hostile file, cut so that an error stays readable.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}...", &text[..at]),
    }
}
