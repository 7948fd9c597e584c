//! GGUF and Hugging Face checkpoints as typed, memory-mapped tensor views, with config and tokenizer.
//!
//! This is the one crate that trusts nothing. Its input comes from strangers, so every length, offset, shape
//! and name is checked before use, no count in a file sizes an allocation by itself, and what is wrong comes
//! back as a [`CheckpointError`] that says what to do. Past it, shapes are proven: a [`TensorView`] always has
//! exactly the bytes that its encoding and shape need.
//!
//! * [`Checkpoint`] opens a `.gguf` file, a Hugging Face directory or a `.safetensors` file.
//! * [`Tokenizer`] is one type for all: rebuilt from GGUF metadata, or read from tokenizer.json.
//! * [`SafetensorsFile`] is the bare container, for files with other dtypes.

mod checkpoint;
mod error;
mod hf;
mod limits;
mod mapping;
mod program;
mod safetensors;
mod view;

pub mod gguf;
pub mod tokenizer;

pub use checkpoint::{Checkpoint, RawBytes, Source};
pub use error::CheckpointError;
pub use gguf::{GgufArray, GgufMetadata, GgufValue};
pub use hf::{open_config, open_raw};
#[doc(hidden)]
pub use limits::parser_steps;
pub use program::release_program;
pub use safetensors::{RawTensor, SafetensorsFile};
pub use tokenizer::{Tokenizer, TokenizerConfig};
pub use view::TensorView;
