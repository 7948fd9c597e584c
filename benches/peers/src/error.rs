//! What can go wrong, and what to do about it.

use std::path::PathBuf;

/// Any failure of this program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeersError {
    /// A name that is no model.
    #[error("there is no model {name:?}: give builtin, smollm2, one of {shapes}, or the path of a GGUF file")]
    UnknownModel {
        /// As given.
        name: String,
        /// The shapes that can be made.
        shapes: String,
    },
    /// A model that has to be fetched first.
    #[error("{name} is not at {path}: fetch it with {script}, or leave it out with --model")]
    NotFetched {
        /// Its name.
        name: &'static str,
        /// Where it should be.
        path: PathBuf,
        /// What fetches it.
        script: &'static str,
    },
    /// A format that the generator does not write.
    #[error("no synthetic model can be written in {format}: choose {known}")]
    Format {
        /// As given.
        format: String,
        /// What can be chosen.
        known: String,
    },
    /// Options that measure nothing or contradict each other.
    #[error("{0}")]
    Options(String),
    /// A file or a pipe.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// An engine is not there, is not the version that this program knows, or failed.
    #[error("{engine}: {what}")]
    Engine {
        /// Its name.
        engine: &'static str,
        /// What happened.
        what: String,
    },
    /// A worker process.
    #[error("the {engine} worker {what}")]
    Worker {
        /// Its engine.
        engine: String,
        /// What happened.
        what: String,
    },
    /// The machine's limits.
    #[error(transparent)]
    Limits(#[from] sterna_probe::limits::LimitError),
    /// A block that does not fit a row.
    #[error(transparent)]
    Encoding(#[from] sterna_format::FormatError),
    /// A file that is no model.
    #[error(transparent)]
    Checkpoint(#[from] sterna_checkpoint::CheckpointError),
    /// The report or a message.
    #[error("a message or report could not be written or read: {0}")]
    Json(#[from] serde_json::Error),
}

impl PeersError {
    /// An error of Sterna.
    pub fn sterna(what: impl std::fmt::Display) -> Self {
        Self::Engine { engine: "sterna", what: what.to_string() }
    }

    /// For `map_err`: an I/O error with what was tried.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
