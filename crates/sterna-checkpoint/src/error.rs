//! The one error type of this crate. Every text says what is wrong and, where there is one, the way out.

use std::path::{Path, PathBuf};

use sterna_format::FormatError;

/// Why a checkpoint or a tokenizer cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Neither a GGUF file nor a Hugging Face checkpoint.
    #[error("{}: {reason}; give a .gguf file, a .safetensors file beside its config.json, or a Hugging Face model directory", path.display())]
    Unrecognised {
        /// The file or directory.
        path: PathBuf,
        /// What was found instead.
        reason: String,
    },
    /// The bytes do not start with `GGUF`.
    #[error("not a GGUF file: it starts with {found:02x?} and not with \"GGUF\"")]
    NotGguf {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// A GGUF version other than 2 and 3.
    #[error(
        "GGUF version {version} is not supported, only 2 and 3: convert the model again with a current llama.cpp"
    )]
    GgufVersion {
        /// The version in the file.
        version: u32,
    },
    /// A GGUF file for big-endian machines.
    #[error("big-endian GGUF is not supported: take the little-endian file of the model")]
    BigEndian,
    /// The file ends before what it announces.
    #[error(
        "the file is cut short: {what} needs {needed} bytes at offset {offset} and the file has {len}; download it again"
    )]
    Truncated {
        /// What was being read.
        what: String,
        /// Where it starts.
        offset: u64,
        /// Bytes it needs.
        needed: u64,
        /// Bytes in the file.
        len: u64,
    },
    /// A number past what this crate accepts.
    #[error("{what} is {value}, more than the limit of {limit}: the file is damaged or hostile")]
    Limit {
        /// What is too large.
        what: String,
        /// Its value.
        value: u64,
        /// The largest accepted value.
        limit: u64,
    },
    /// Bytes that do not follow their format.
    #[error("{what}: {reason}")]
    Malformed {
        /// What was being read.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Two tensors or two metadata keys with one name.
    #[error("the {kind} {name:?} appears twice: the file is damaged or hostile")]
    Duplicate {
        /// `tensor`, `metadata key` or `token`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A tensor whose shape, offset or size makes no sense.
    #[error("tensor {name:?}: {reason}")]
    BadTensor {
        /// The tensor.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Two tensors share bytes.
    #[error("tensors {first:?} and {second:?} overlap in the file: the file is damaged or hostile")]
    Overlap {
        /// The tensor at the lower offset.
        first: String,
        /// The tensor at the higher offset.
        second: String,
    },
    /// A tensor in an encoding that the engine does not read, or of a size that its encoding does not allow.
    #[error("tensor {name:?}: {source}")]
    Encoding {
        /// The tensor.
        name: String,
        /// What the format crate says.
        #[source]
        source: FormatError,
    },
    /// GGUF tensors of type 42 that could be of either layout, in a file that settles it nowhere.
    #[error(
        "tensor {name:?}: GGML type 42 stands for two layouts (18 bytes per 64 weights, or PrismML's older 34 per 128), and \
         the sizes in this file do not tell which: convert the model again with a current llama.cpp"
    )]
    AmbiguousQ2 {
        /// The first such tensor.
        name: String,
    },
    /// A GGUF tensor of type 42 in the layout that PrismML's fork wrote before the type was standardised.
    #[error(
        "tensor {name:?}: GGML type 42 in the legacy PrismML layout (34 bytes per 128 weights, now type 142, PQ2_0), not \
         mainline Q2_0 (18 bytes per 64): convert the model again, or take a file made after the change"
    )]
    LegacyQ2 {
        /// The tensor.
        name: String,
    },
    /// A safetensors dtype that has no encoding.
    #[error(
        "tensor {name:?} has dtype {dtype}: only F32, F16 and BF16 are read; take an unpacked (bf16) checkpoint"
    )]
    Dtype {
        /// The tensor.
        name: String,
        /// The dtype in the file.
        dtype: String,
    },
    /// A tensor asked for that is not there.
    #[error("no tensor named {name:?}")]
    NoTensor {
        /// The name asked for.
        name: String,
    },
    /// A metadata key of the wrong type, or missing.
    #[error("metadata key {key:?}: wanted {wanted}, found {found}")]
    Metadata {
        /// The key.
        key: String,
        /// The type wanted.
        wanted: &'static str,
        /// What is there, `nothing` when the key is missing.
        found: String,
    },
    /// JSON that does not parse or lacks what it must have.
    #[error("{what}: {}", shorten(&source.to_string()))]
    Json {
        /// Which JSON.
        what: String,
        /// What the parser says.
        #[source]
        source: serde_json::Error,
    },
    /// The shard index names a file that is not there.
    #[error("{} is missing, and the shard index names it: download the whole model", path.display())]
    MissingShard {
        /// The missing file.
        path: PathBuf,
    },
    /// The shard index names a file outside the model's directory.
    #[error(
        "the shard index names {name:?}: only plain file names inside the model's directory are followed"
    )]
    PathEscapes {
        /// The path in the index.
        name: String,
    },
    /// A tokenizer that cannot be built, or text it cannot encode.
    #[error("tokenizer: {0}")]
    Tokenizer(String),
    /// A GGUF pre-tokenizer without known rules.
    #[error(
        "tokenizer.ggml.pre {pre:?} is not known; known are: {known}. Use the model's Hugging Face files instead"
    )]
    UnknownPreTokenizer {
        /// The name in the file.
        pre: String,
        /// The names with rules.
        known: String,
    },
    /// The tokenizer library panicked; its message.
    #[error("tokenizer: the tokenizers library failed on this input ({0}); the file is damaged or hostile")]
    TokenizerPanic(String),
}

impl CheckpointError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn malformed(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Malformed { what: what.into(), reason: reason.into() }
    }

    pub(crate) fn tensor(name: &str, reason: impl Into<String>) -> Self {
        Self::BadTensor { name: shorten(name), reason: reason.into() }
    }
}

/// A name from a hostile file, cut so that an error text stays readable.
pub(crate) fn shorten(name: &str) -> String {
    const MOST: usize = 120;
    match name.char_indices().nth(MOST) {
        None => name.to_owned(),
        Some((at, _)) => format!("{}…", &name[..at]),
    }
}
