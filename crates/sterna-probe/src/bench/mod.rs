//! What calls of a model cost, against what the machine can do.

mod arms;
mod chunks;
mod generation;
pub(crate) mod kernels;
mod load;
mod profile;
mod speculation;
mod widths;

pub use arms::{ArmRow, ArmSetup, ArmTable, Team, Work, check_arms, compare_arms, self_check};
pub use chunks::{Agreement, ChunkTable, chunk_table};
pub use generation::{GenerationOptions, GenerationRow, GenerationTable, generation_table};
pub use kernels::{KernelOptions, KernelRow, KernelTable, kernel_table};
pub use load::{Load, Rated};
pub use profile::{OpShare, Profile, TeamCost, check_profile, profile};
pub use speculation::{
    ByWhom, NamedSpeaker, NotLossless, Place, PromptSet, ProposerUse, RoleSeconds, SessionSpeaker, SetPrompt,
    Speaker, SpeculationRow, SpeculationTable, Spoken, compare_speakers, compare_speakers_on, prompt_sets,
};
pub use widths::{
    Beside, RowsWanted, Timed, WidthOptions, WidthRow, WidthTable, width_table, width_table_beside,
};

use sterna_run::SessionError;

use crate::interleave::InterleaveError;

/// Why a bench has no valid result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// An arm failed.
    #[error(transparent)]
    Interleave(#[from] InterleaveError),
    /// Memory cannot be read beside the arms.
    #[error(transparent)]
    Limits(#[from] crate::limits::LimitError),
    /// A command that is measured beside the arms.
    #[error(transparent)]
    Command(#[from] crate::command::CommandError),
    /// Arms that should say the same do not.
    #[error(transparent)]
    NotLossless(Box<NotLossless>),
    /// Options that measure nothing, or more than the session has room for.
    #[error("{0}")]
    Options(String),
    /// A call of another width read another amount of weights: some kernel reads them again for more rows.
    #[error(
        "a call of {width} rows reads {bytes} bytes of weights and one of {base_width} rows {base_bytes}; the count \
         must not depend on the width"
    )]
    WeightBytes {
        /// Width of the call.
        width: usize,
        /// Its bytes.
        bytes: u64,
        /// The narrowest width.
        base_width: usize,
        /// Its bytes.
        base_bytes: u64,
    },
    /// Faster than the machine can read memory: the time or the count of bytes is wrong. The table flags the rows.
    #[error(
        "{what} reads weights at {gb_s:.1} GB/s, and this machine reads memory at {limit_gb_s:.1} GB/s: a time or \
         a byte count is wrong, or the limit was measured while others used the machine"
    )]
    Implausible {
        /// The first row that is flagged.
        what: String,
        /// Its rate in GB/s.
        gb_s: f64,
        /// Measured read bandwidth in GB/s.
        limit_gb_s: f64,
        /// What was measured, for people: the table as text.
        table: String,
    },
}
