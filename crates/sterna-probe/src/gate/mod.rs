//! The contract, checked on a whole model: same bits at every width, and agreement with golden answers.

mod against;
mod compare;
mod golden;
mod golden_file;
mod memcmp;
mod report;
mod walk;

pub use against::{AgainstReport, Disagreement, against};
pub use golden::{Agreement, GoldenBounds, GoldenReport, PromptReport, Split, golden};
pub use golden_file::{Golden, GoldenPrompt, GoldenRow, GreedyStep, RowStats};
pub use memcmp::{GateOptions, memcmp};
pub use report::{ArmReport, GateReport, RowDifference};
pub use walk::Walk;

use serde::Serialize;
use sterna_run::SessionError;

/// What a gate asks of the factory that makes its sessions. Everything that it does not name, above all the context,
/// must be the same for every arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GateArm {
    /// Threads of the executor.
    pub threads: usize,
    /// The plan with every fold, or with none.
    pub fused: bool,
    /// Kernels that need no special instruction set instead of the best ones.
    pub portable: bool,
}

impl GateArm {
    /// What all others are held against: one thread, the fused plan, the best kernels, one row a call.
    pub const BASE: GateArm = GateArm { threads: 1, fused: true, portable: false };
}

/// An error of the factory.
pub type FactoryError = Box<dyn std::error::Error + Send + Sync>;

/// Why a gate could not be run to its end; a breach of the contract is no error but a failed report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// No session.
    #[error("no session with {} threads, {} plan: {source}", arm.threads, if arm.fused { "fused" } else { "unfused" })]
    Factory {
        /// For which arm.
        arm: GateArm,
        /// Why.
        source: FactoryError,
    },
    /// A session failed.
    #[error("{arm}: {source}")]
    Session {
        /// Arm and walk.
        arm: String,
        /// Why.
        source: SessionError,
    },
    /// Tokens or options that check nothing, or do not fit.
    #[error("{0}")]
    Options(String),
    /// A golden file that is not one.
    #[error("golden file: {0}")]
    Golden(String),
    /// A golden file that cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The container of a golden file.
    #[error(transparent)]
    Checkpoint(#[from] sterna_checkpoint::CheckpointError),
}

impl GateError {
    fn session(arm: impl Into<String>) -> impl FnOnce(SessionError) -> GateError {
        let arm = arm.into();
        move |source| GateError::Session { arm, source }
    }
}
