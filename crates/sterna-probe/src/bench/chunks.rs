//! The end-to-end table of chunk widths, with the argmax check.

use serde::{Deserialize, Serialize};

use super::WidthTable;

/// Positions of a chunk whose best token is that of the walk one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Rows of the chunk.
    pub width: usize,
    /// Positions that agree.
    pub equal: usize,
}

/// Chunk widths end to end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChunkTable {
    /// Times.
    pub widths: WidthTable,
    /// One for each width.
    pub agreement: Vec<Agreement>,
}
