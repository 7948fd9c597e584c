//! The one error type of this crate.

use crate::Encoding;

/// Why bytes or values do not fit an encoding. Lengths are in weights (`cols`) or bytes as named.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The row length is not a multiple of the encoding's block.
    #[error("{encoding}: a row of {cols} weights is not a whole number of blocks of {block}")]
    RowLength {
        /// The encoding asked for.
        encoding: Encoding,
        /// Weights per row.
        cols: usize,
        /// Weights per block.
        block: usize,
    },
    /// A row of no weights has no meaning in any encoding.
    #[error("{encoding}: a row of 0 weights")]
    EmptyRow {
        /// The encoding asked for.
        encoding: Encoding,
    },
    /// The row's size in bytes does not fit `usize`.
    #[error("{encoding}: the byte size of a row of {cols} weights overflows")]
    Overflow {
        /// The encoding asked for.
        encoding: Encoding,
        /// Weights per row.
        cols: usize,
    },
    /// A byte slice has another length than the row needs.
    #[error("{encoding}: a row of {cols} weights takes {expected} bytes, got {got}")]
    BytesLength {
        /// The encoding asked for.
        encoding: Encoding,
        /// Weights per row.
        cols: usize,
        /// Bytes that such a row takes.
        expected: usize,
        /// Bytes that were given.
        got: usize,
    },
    /// A ternary code outside 0, 1, 2.
    #[error("{encoding}: weight {index} has code {code}, and a ternary code is 0, 1 or 2")]
    BadCode {
        /// The encoding being read.
        encoding: Encoding,
        /// Position of the weight in its row.
        index: usize,
        /// The code found.
        code: u8,
    },
    /// A row length that I2_S does not allow.
    #[error("i2_s: a row of {cols} weights is not a whole number of blocks of 128")]
    I2sRow {
        /// Weights per row.
        cols: usize,
    },
    /// A code of 3 in I2_S data.
    #[error(
        "i2_s: weight {index} has code 3, and a ternary code is 0, 1 or 2: the data are damaged, or laid out by a build for \
         another machine (only the x86 layout, 128 weights interleaved, is read)"
    )]
    I2sCode {
        /// Position of the weight in its row.
        index: usize,
    },
    /// A value to encode is infinite or not a number.
    #[error("value {index} is {value}, and only finite values can be encoded")]
    NonFinite {
        /// Position of the value in its row.
        index: usize,
        /// The value found.
        value: f32,
    },
    /// A value or a scale lies beyond what its storage type holds.
    #[error("{value:e} does not fit {storage}: its magnitude is too large")]
    OutOfRange {
        /// Name of the storage type, `f16` or `bf16`.
        storage: &'static str,
        /// The value that does not fit.
        value: f64,
    },
    /// The encoding is of floats, and integer codes were asked for.
    #[error("{encoding} stores floats and has no integer codes")]
    NoCodes {
        /// The encoding asked for.
        encoding: Encoding,
    },
    /// The encoding is not one of GGML's ternary ones.
    #[error("{encoding} is not tq1_0 or tq2_0, and only those repack to ternary words without loss")]
    NotTernary {
        /// The encoding asked for.
        encoding: Encoding,
    },
    /// A GGML type that exists but is not supported.
    #[error("GGML type {id} ({name}) is not supported yet")]
    UnsupportedGgmlId {
        /// The type id as stored in a GGUF file.
        id: u32,
        /// GGML's name (or a fork's) of the type.
        name: &'static str,
    },
    /// A GGML type id that nobody is known to use.
    #[error("unknown GGML type {id}")]
    UnknownGgmlId {
        /// The type id as stored in a GGUF file.
        id: u32,
    },
    /// A name that is no encoding.
    #[error("unknown encoding {name:?}; known are {known}", known = crate::encoding::known_names())]
    UnknownName {
        /// The name given.
        name: String,
    },
}
