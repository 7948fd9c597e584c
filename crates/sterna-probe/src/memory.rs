//! Memory that a model takes, stage by stage.

use serde::{Deserialize, Serialize};

/// Bytes at one stage; `None` where the system does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryStage {
    /// "start", "mapped", "loaded", "first chunk".
    pub name: String,
    /// Resident memory of the process.
    pub rss: Option<u64>,
    /// The most it has ever been.
    pub peak: Option<u64>,
    /// Of `rss`, pages of mapped files: the system may drop and read them again.
    pub file: Option<u64>,
    /// Packed weights that the executor holds.
    pub weights: u64,
    /// States of all sequences.
    pub states: u64,
    /// Activation buffers.
    pub scratch: u64,
}

/// All stages of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryStages {
    /// Model.
    pub model: String,
    /// In order.
    pub stages: Vec<MemoryStage>,
}
