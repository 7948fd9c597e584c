//! What the parsers accept at most, and a count of the steps they take.
//!
//! The bounds keep what a parser allocates beyond the input's own size under 16 MiB, whatever the bytes say:
//! a count in a file never sizes an allocation by itself. Rows made of I2_S tensors come on top, at most 9/8 of the
//! input's size. Real models stay far below every one of them.

use std::cell::Cell;

use crate::CheckpointError;

/// Dimensions of a GGUF tensor.
pub(crate) const GGUF_DIMS: usize = 4;
/// Dimensions of any tensor: some vision towers have five.
pub(crate) const DIMS: usize = 8;
/// Tensors in one file or one sharded checkpoint.
pub(crate) const TENSORS: usize = 32_768;
/// GGUF metadata keys.
pub(crate) const KEYS: usize = 16_384;
/// Bytes of a tensor's name or a metadata key.
pub(crate) const NAME: usize = 1_024;
/// Largest GGUF alignment.
pub(crate) const ALIGNMENT: u64 = 65_536;
/// Bytes of a safetensors header.
pub(crate) const SAFETENSORS_HEADER: usize = 8 << 20;
/// Commas in a safetensors header: about six per tensor, so this allows [`TENSORS`].
pub(crate) const SAFETENSORS_COMMAS: usize = 240_000;
/// Entries of `__metadata__`, and tensors of one safetensors file.
pub(crate) const SAFETENSORS_TENSORS: usize = 16_384;
/// Bytes of config.json and generation_config.json.
pub(crate) const CONFIG_JSON: u64 = 512 << 10;
/// Commas of config.json: one per value, roughly.
pub(crate) const CONFIG_COMMAS: usize = 40_000;
/// Bytes of tokenizer_config.json.
pub(crate) const TOKENIZER_CONFIG_JSON: u64 = 4 << 20;
/// Bytes of model.safetensors.index.json.
pub(crate) const INDEX_JSON: u64 = 16 << 20;
/// Shards of one checkpoint.
pub(crate) const SHARDS: usize = 1_024;
/// Bytes of tokenizer.json.
pub(crate) const TOKENIZER_JSON: u64 = 128 << 20;
/// Tokens of a vocabulary.
pub(crate) const TOKENS: usize = 2 << 20;
/// Merges of a vocabulary.
pub(crate) const MERGES: usize = 4 << 20;
/// Added tokens of a tokenizer.
pub(crate) const ADDED: usize = 65_536;
/// Bytes of a token.
pub(crate) const TOKEN: usize = 4_096;
/// Characters of a token that SentencePiece merges are derived for.
pub(crate) const SPM_PIECE: usize = 256;
/// Bytes of a chat template.
pub(crate) const TEMPLATE: usize = 1 << 20;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts one step of a parser on this thread.
pub(crate) fn step() {
    STEPS.with(|s| s.set(s.get().wrapping_add(1)));
}

/// Steps that parsers of this crate took on this thread so far. Tests use it in place of a clock: the steps
/// of one call are bounded by the bytes of its input.
#[doc(hidden)]
pub fn parser_steps() -> u64 {
    STEPS.with(Cell::get)
}

/// An error when `value` is past `limit`.
pub(crate) fn at_most(what: impl Into<String>, value: usize, limit: usize) -> Result<(), CheckpointError> {
    if value <= limit {
        return Ok(());
    }
    Err(CheckpointError::Limit { what: what.into(), value: value as u64, limit: limit as u64 })
}
