//! The list of encodings and the facts about each: name, block, bytes, GGML id, integer layout.

use std::fmt;
use std::str::FromStr;

use crate::int::ternary_layout;
use crate::{
    CodeBits, FormatError, IntLayout, per_row, pq2_0, q2_0, q4_0, q4_1, q4_k, q5_k, q6_k, q8_0, tq1_0, tq2_0,
};

/// How one row of weights is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// 32-bit floats, little endian.
    F32,
    /// IEEE half floats, little endian.
    F16,
    /// bfloat16, little endian.
    BF16,
    /// GGML Q2_0: 64 weights, 2-bit codes for -1, 0, 1 and 2, one f16 scale.
    Q2_0,
    /// PrismML's PQ2_0: 128 weights, 2-bit codes for -1, 0, 1 and 2, one f16 scale.
    PQ2_0,
    /// GGML Q4_0: 32 weights, 4-bit codes around 8, one f16 scale.
    Q4_0,
    /// GGML Q4_1: 32 weights, 4-bit codes from 0, f16 scale and f16 minimum.
    Q4_1,
    /// GGML Q8_0: 32 weights, signed bytes, one f16 scale.
    Q8_0,
    /// GGML Q4_K: 256 weights, 4-bit codes, eight 6-bit scales and minima.
    Q4K,
    /// GGML Q5_K: 256 weights, 5-bit codes, eight 6-bit scales and minima.
    Q5K,
    /// GGML Q6_K: 256 weights, 6-bit codes around 32, sixteen 8-bit scales.
    Q6K,
    /// GGML TQ1_0: 256 ternary weights, five to a byte, one f16 scale.
    TQ1_0,
    /// GGML TQ2_0: 256 ternary weights, four to a byte, one f16 scale.
    TQ2_0,
    /// The engine's own ternary words, with scales per the group named.
    Ternary(ScaleGroup),
    /// Whole numbers of 2, 4 or 8 bits with one f32 scale for the row ([`crate::per_row`]).
    PerRow(CodeBits),
}

/// How many weights of a [`Encoding::Ternary`] row share one scale.
///
/// There is no group for a whole tensor: one scale for a tensor is stored as [`ScaleGroup::Row`] with the same f32
/// in every row. That costs 4 bytes a row (0.4 % of a row of 4096) and keeps rows independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScaleGroup {
    /// One f16 scale per 64 weights.
    Block64,
    /// One f16 scale per 128 weights.
    Block128,
    /// One f16 scale per 256 weights.
    Block256,
    /// One f32 scale for the row.
    Row,
}

impl ScaleGroup {
    /// Weights that share one scale, in a row of `cols` weights.
    pub fn len(self, cols: usize) -> usize {
        match self {
            Self::Block64 => 64,
            Self::Block128 => 128,
            Self::Block256 => 256,
            Self::Row => cols,
        }
    }

    /// Bytes that one scale takes: 2 (f16) for the blocks, 4 (f32) for the row.
    pub fn scale_bytes(self) -> usize {
        match self {
            Self::Block64 | Self::Block128 | Self::Block256 => 2,
            Self::Row => 4,
        }
    }
}

impl Encoding {
    /// Every encoding, in a fixed order.
    pub const ALL: [Self; 20] = [
        Self::F32,
        Self::F16,
        Self::BF16,
        Self::Q2_0,
        Self::PQ2_0,
        Self::Q4_0,
        Self::Q4_1,
        Self::Q8_0,
        Self::Q4K,
        Self::Q5K,
        Self::Q6K,
        Self::TQ1_0,
        Self::TQ2_0,
        Self::Ternary(ScaleGroup::Block64),
        Self::Ternary(ScaleGroup::Block128),
        Self::Ternary(ScaleGroup::Block256),
        Self::Ternary(ScaleGroup::Row),
        Self::PerRow(CodeBits::Two),
        Self::PerRow(CodeBits::Four),
        Self::PerRow(CodeBits::Eight),
    ];

    /// The name used in manifests and on the command line; [`FromStr`] reads it back.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::Q2_0 => "q2_0",
            Self::PQ2_0 => "pq2_0",
            Self::Q4_0 => "q4_0",
            Self::Q4_1 => "q4_1",
            Self::Q8_0 => "q8_0",
            Self::Q4K => "q4_k",
            Self::Q5K => "q5_k",
            Self::Q6K => "q6_k",
            Self::TQ1_0 => "tq1_0",
            Self::TQ2_0 => "tq2_0",
            Self::Ternary(ScaleGroup::Block64) => "ternary-64",
            Self::Ternary(ScaleGroup::Block128) => "ternary-128",
            Self::Ternary(ScaleGroup::Block256) => "ternary-256",
            Self::Ternary(ScaleGroup::Row) => "ternary-row",
            Self::PerRow(CodeBits::Two) => "int2-row",
            Self::PerRow(CodeBits::Four) => "int4-row",
            Self::PerRow(CodeBits::Eight) => "int8-row",
        }
    }

    /// Weights per block: a row's length must be a multiple of it. For [`ScaleGroup::Row`] and [`Self::PerRow`] it is
    /// 16, the weights of one word of 2 bits.
    pub fn block_len(self) -> usize {
        match self {
            Self::F32 | Self::F16 | Self::BF16 => 1,
            Self::Q2_0 => 64,
            Self::PQ2_0 => 128,
            Self::Q4_0 | Self::Q4_1 | Self::Q8_0 => 32,
            Self::Q4K | Self::Q5K | Self::Q6K | Self::TQ1_0 | Self::TQ2_0 => 256,
            Self::Ternary(ScaleGroup::Block64) => 64,
            Self::Ternary(ScaleGroup::Block128) => 128,
            Self::Ternary(ScaleGroup::Block256) => 256,
            Self::Ternary(ScaleGroup::Row) | Self::PerRow(_) => 16,
        }
    }

    /// Bytes per block and bytes per row beside the blocks.
    fn bytes_per_block(self) -> (usize, usize) {
        match self {
            Self::F32 => (4, 0),
            Self::F16 | Self::BF16 => (2, 0),
            Self::Q2_0 => (size_of::<q2_0::BlockQ2_0>(), 0),
            Self::PQ2_0 => (size_of::<pq2_0::BlockPQ2_0>(), 0),
            Self::Q4_0 => (size_of::<q4_0::BlockQ4_0>(), 0),
            Self::Q4_1 => (size_of::<q4_1::BlockQ4_1>(), 0),
            Self::Q8_0 => (size_of::<q8_0::BlockQ8_0>(), 0),
            Self::Q4K => (size_of::<q4_k::BlockQ4K>(), 0),
            Self::Q5K => (size_of::<q5_k::BlockQ5K>(), 0),
            Self::Q6K => (size_of::<q6_k::BlockQ6K>(), 0),
            Self::TQ1_0 => (size_of::<tq1_0::BlockTQ1_0>(), 0),
            Self::TQ2_0 => (size_of::<tq2_0::BlockTQ2_0>(), 0),
            Self::Ternary(ScaleGroup::Block64) => (16 + 2, 0),
            Self::Ternary(ScaleGroup::Block128) => (32 + 2, 0),
            Self::Ternary(ScaleGroup::Block256) => (64 + 2, 0),
            Self::Ternary(ScaleGroup::Row) => (4, 4),
            Self::PerRow(bits) => (bits.code_bytes(16), per_row::SCALE_BYTES),
        }
    }

    /// Bytes that a row of `cols` weights takes.
    ///
    /// # Errors
    /// [`FormatError::EmptyRow`] for 0 weights, [`FormatError::RowLength`] when `cols` is no multiple of
    /// [`Self::block_len`], [`FormatError::Overflow`] when the size does not fit `usize`.
    pub fn row_bytes(self, cols: usize) -> Result<usize, FormatError> {
        let block = self.block_len();
        if cols == 0 {
            return Err(FormatError::EmptyRow { encoding: self });
        }
        if !cols.is_multiple_of(block) {
            return Err(FormatError::RowLength { encoding: self, cols, block });
        }
        let (each, rest) = self.bytes_per_block();
        (cols / block)
            .checked_mul(each)
            .and_then(|bytes| bytes.checked_add(rest))
            .ok_or(FormatError::Overflow { encoding: self, cols })
    }

    /// Checks that `got` bytes are one row of `cols` weights.
    pub(crate) fn check_row(self, cols: usize, got: usize) -> Result<(), FormatError> {
        let expected = self.row_bytes(cols)?;
        if expected == got {
            Ok(())
        } else {
            Err(FormatError::BytesLength { encoding: self, cols, expected, got })
        }
    }

    /// The type id in GGUF files, `None` for the engine's own encodings. Old files use 42 (Q2_0) for what is
    /// PQ2_0 now: a reader must look at a tensor's size.
    pub fn ggml_id(self) -> Option<u32> {
        match self {
            Self::F32 => Some(0),
            Self::F16 => Some(1),
            Self::Q4_0 => Some(2),
            Self::Q4_1 => Some(3),
            Self::Q8_0 => Some(8),
            Self::Q4K => Some(12),
            Self::Q5K => Some(13),
            Self::Q6K => Some(14),
            Self::BF16 => Some(30),
            Self::TQ1_0 => Some(34),
            Self::TQ2_0 => Some(35),
            Self::Q2_0 => Some(42),
            Self::PQ2_0 => Some(142),
            Self::Ternary(_) | Self::PerRow(_) => None,
        }
    }

    /// The encoding of a GGUF type id.
    ///
    /// # Errors
    /// [`FormatError::UnsupportedGgmlId`], with GGML's name of the type, for one that exists but that this
    /// crate does not read yet; [`FormatError::UnknownGgmlId`] for any other id.
    pub fn from_ggml_id(id: u32) -> Result<Self, FormatError> {
        if let Some(encoding) = Self::ALL.into_iter().find(|e| e.ggml_id() == Some(id)) {
            return Ok(encoding);
        }
        Err(match UNSUPPORTED.iter().find(|(known, _)| *known == id) {
            Some((_, name)) => FormatError::UnsupportedGgmlId { id, name },
            None => FormatError::UnknownGgmlId { id },
        })
    }

    /// Whether the row stores floats, one per weight, and no integer codes.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::BF16)
    }

    /// How the codes of a row of `cols` weights combine with its scales; `None` for float encodings.
    pub fn int_layout(self, cols: usize) -> Option<IntLayout> {
        let base = |group, sub, zero, bits| IntLayout {
            group,
            sub,
            zero,
            bits,
            has_sub_scales: false,
            has_mins: false,
        };
        Some(match self {
            Self::F32 | Self::F16 | Self::BF16 => return None,
            Self::Q2_0 => base(64, 64, 1, 2),
            Self::PQ2_0 => base(128, 128, 1, 2),
            Self::Q4_0 => base(32, 32, 8, 4),
            Self::Q4_1 => IntLayout { has_mins: true, ..base(32, 32, 0, 4) },
            Self::Q8_0 => base(32, 32, 128, 8),
            Self::Q4K => IntLayout { has_sub_scales: true, has_mins: true, ..base(256, 32, 0, 4) },
            Self::Q5K => IntLayout { has_sub_scales: true, has_mins: true, ..base(256, 32, 0, 6) },
            Self::Q6K => IntLayout { has_sub_scales: true, ..base(256, 16, 32, 6) },
            Self::TQ1_0 | Self::TQ2_0 => ternary_layout(256),
            Self::Ternary(scales) => ternary_layout(scales.len(cols)),
            Self::PerRow(bits) => bits.layout(cols),
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Encoding {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        Self::ALL
            .into_iter()
            .find(|e| e.name() == name)
            .ok_or_else(|| FormatError::UnknownName { name: name.to_owned() })
    }
}

/// All names, for error messages.
pub(crate) fn known_names() -> String {
    Encoding::ALL.map(Encoding::name).join(", ")
}

/// Types that other programs write and that are no encoding of rows here. Ids 31 to 33 and 36 to 38 were GGML's
/// repacked layouts, since withdrawn; 36 lives on as Microsoft's I2_S, which [`crate::i2_s`] converts; 143 is
/// PrismML's.
const UNSUPPORTED: [(u32, &str); 32] = [
    (4, "Q4_2"),
    (5, "Q4_3"),
    (6, "Q5_0"),
    (7, "Q5_1"),
    (9, "Q8_1"),
    (10, "Q2_K"),
    (11, "Q3_K"),
    (15, "Q8_K"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (28, "F64"),
    (29, "IQ1_M"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (36, "I2_S"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
    (39, "MXFP4"),
    (40, "NVFP4"),
    (41, "Q1_0"),
    (143, "PTQ1_0"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_go_back_and_forth() {
        for e in Encoding::ALL {
            assert_eq!(e.name().parse(), Ok(e));
            assert_eq!(e.to_string(), e.name());
            if let Some(id) = e.ggml_id() {
                assert_eq!(Encoding::from_ggml_id(id), Ok(e));
            }
            assert_eq!(e.is_float(), e.int_layout(256).is_none());
        }
        let err = "q9_9".parse::<Encoding>().unwrap_err().to_string();
        assert!(err.contains("q9_9") && err.contains("tq2_0"), "{err}");
    }

    #[test]
    fn unsupported_ids_are_named() {
        for (id, name) in [(36, "I2_S"), (143, "PTQ1_0"), (41, "Q1_0")] {
            let err = Encoding::from_ggml_id(id).unwrap_err();
            assert_eq!(err, FormatError::UnsupportedGgmlId { id, name });
            assert_eq!(err.to_string(), format!("GGML type {id} ({name}) is not supported yet"));
        }
        assert_eq!(Encoding::from_ggml_id(999), Err(FormatError::UnknownGgmlId { id: 999 }));
    }

    #[test]
    fn row_sizes() {
        let sizes =
            [1024, 512, 512, 72, 68, 144, 160, 272, 144, 176, 210, 54, 66, 72, 68, 66, 68, 68, 132, 260];
        for (e, bytes) in Encoding::ALL.into_iter().zip(sizes) {
            assert_eq!(e.row_bytes(256), Ok(bytes), "{e}");
            assert_eq!(e.row_bytes(0), Err(FormatError::EmptyRow { encoding: e }));
            if e.block_len() > 1 {
                assert!(matches!(e.row_bytes(257), Err(FormatError::RowLength { cols: 257, .. })));
            }
        }
        let huge = usize::MAX - 255;
        assert!(matches!(Encoding::F32.row_bytes(huge), Err(FormatError::Overflow { .. })));
        assert!(matches!(Encoding::Q8_0.row_bytes(huge), Err(FormatError::Overflow { .. })));
    }
}
