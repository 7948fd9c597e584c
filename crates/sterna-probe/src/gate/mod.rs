//! The contract, checked on a whole model: same bits at every width, and agreement with golden answers.

mod against;
mod cases;
mod chunk;
mod compare;
pub mod fingerprint;
mod golden;
mod golden_file;
mod lossless;
mod memcmp;
pub mod oracle;
pub mod quality;
mod report;
mod transcript;
mod walk;

pub use against::{AgainstReport, Disagreement, against, same_tokens};
pub use cases::{Case, built_in_prompts, prompts};
pub use chunk::{ChunkOptions, ChunkReport, ChunksReport, Equality, chunks};
pub use golden::{Agreement, GoldenBounds, GoldenReport, PromptReport, Split, golden};
pub use golden_file::{Golden, GoldenPrompt, GoldenRow, GreedyStep, RowStats};
pub use lossless::{
    Answer, AnswerDifference, Arm, ArmSpec, Drafts, LosslessArm, LosslessReport, PlainArm, Reading,
    Speculation, lossless,
};
pub use memcmp::{GateOptions, memcmp};
pub use report::{ArmReport, GateReport, RowDifference};
pub use transcript::{
    Allowed, CaseReport, Header, Tokenised, Transcript, TranscriptReport, VERSION as TRANSCRIPT_VERSION,
    transcript,
};
pub use walk::Walk;

use std::fmt;

use serde::Serialize;
use sterna_plan::BackendError;
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

/// Something that must be the same here and there before results may be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What.
    pub what: String,
    /// Here.
    pub here: String,
    /// In the file.
    pub there: String,
}

impl Refusal {
    fn new(what: impl Into<String>, here: impl fmt::Display, there: impl fmt::Display) -> Self {
        Self { what: what.into(), here: here.to_string(), there: there.to_string() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} here and {} there", self.what, self.here, self.there)
    }
}

fn listed(refusals: &[Refusal]) -> String {
    refusals.iter().map(Refusal::to_string).collect::<Vec<_>>().join("; ")
}

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
    /// A line of a file.
    #[error("{path}, line {line}: {why}")]
    Line {
        /// Which file.
        path: String,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Results that were not made in the same way say nothing about each other.
    #[error(
        "refused, the results cannot be compared: {}; measure in the same way, or take another file",
        listed(.0)
    )]
    Refused(Vec<Refusal>),
    /// An arm of the lossless gate.
    #[error("{arm}: {source}")]
    Arm {
        /// Its name.
        arm: String,
        /// Why.
        source: FactoryError,
    },
    /// Text that could not be generated.
    #[error("{what}: {source}")]
    Generate {
        /// For which item.
        what: String,
        /// Why.
        source: sterna_run::GenerateError,
    },
    /// The container of a golden file, or a text that the tokenizer cannot cut.
    #[error(transparent)]
    Checkpoint(#[from] sterna_checkpoint::CheckpointError),
}

impl GateError {
    /// Whether the model itself broke during the gate (logits that are no numbers): a failed gate, and not one that
    /// could not be run.
    pub fn is_failure(&self) -> bool {
        let session = |e: &SessionError| matches!(e, SessionError::Backend(BackendError::NonFinite { .. }));
        let generate = |e: &sterna_run::GenerateError| match e {
            sterna_run::GenerateError::Session(e) => session(e),
            sterna_run::GenerateError::Sample(e) => {
                matches!(e, sterna_run::sample::SampleError::NonFinite { .. })
            }
            _ => false,
        };
        match self {
            GateError::Session { source, .. } => session(source),
            GateError::Generate { source, .. } => generate(source),
            GateError::Arm { source, .. } => {
                source.downcast_ref().is_some_and(generate) || source.downcast_ref().is_some_and(session)
            }
            _ => false,
        }
    }

    fn session(arm: impl Into<String>) -> impl FnOnce(SessionError) -> GateError {
        let arm = arm.into();
        move |source| GateError::Session { arm, source }
    }
}
