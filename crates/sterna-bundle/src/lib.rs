//! Architectures, name maps and the Sterna bundle file.
//!
//! * [`Model::open`] reads a GGUF file, a Hugging Face directory or a Sterna bundle into one set of terms: a
//!   [`ModelConfig`], canonical weight names ([`WeightSource`]), a tokenizer and named [`Numerics`]. Vendor spellings
//!   end here, in `arch/`. Every tensor of a file is claimed or the file is refused.
//! * [`Model::quantise`] has float weights handed out in int8 or int4, row by row as they are read.
//! * [`pack()`] writes a bundle: one memory-mapped, safetensors-compatible file (see [`mod@file`] for its layout).

#![deny(unsafe_code)]

mod arch;
mod check;
mod config;
mod error;
mod model;
mod numerics;
mod pack;
mod quantise;
mod requantise;
mod ternary;
mod wanted;
mod weight;

pub mod file;

pub use arch::assistant::{AssistantConfig, AssistantHead, Drafter, OrderedHead};
pub use arch::eagle::{EagleConfig, EagleHead, TapIds};
pub use arch::head_file::HeadSource;
pub use config::{
    Arch, Delta, Gemma4, HeadPairing, Hybrid, INT16_COLS, LinearNumerics, ModelConfig, Rope, RopeScaling,
};
pub use error::BundleError;
pub use file::temporary;
pub use model::{Model, NamedWeight, SourceKind};
pub use numerics::{
    ATTENTION_PIECE, Numerics, RECURRENCE, ROUNDING, RopeStyle, STATIC_ROUNDING, default_numerics,
};
pub use pack::{PackOptions, PackReport, PackedTensor, TernaryPolicy, pack};
pub use quantise::{Quantise, Quantised};
pub use wanted::Role;
pub use weight::{RowMaker, RowOrder, Weight, WeightSource};
