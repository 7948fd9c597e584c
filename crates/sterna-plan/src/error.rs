//! Errors of planning and of running a plan.

/// A plan that cannot be made, or a call that it does not allow.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The model lacks a weight.
    #[error("the model has no weight `{0}`")]
    MissingWeight(String),
    /// A weight has another shape than the plan needs.
    #[error("weight `{name}` is [{rows}, {cols}], expected [{want_rows}, {want_cols}]")]
    Shape {
        /// Canonical name.
        name: String,
        /// Found.
        rows: usize,
        /// Found.
        cols: usize,
        /// Expected.
        want_rows: usize,
        /// Expected.
        want_cols: usize,
    },
    /// Options that contradict each other or the model.
    #[error("{0}")]
    Options(String),
    /// A cut to a position that a state which owns time, or a ring of keys, no longer has.
    #[error(
        "a recurrent state or a ring of keys of {committed} positions cannot be cut to {len}: it keeps position {reusable} at most; cut \
         to that one and feed the rest again"
    )]
    Cut {
        /// Asked for.
        len: u32,
        /// Held.
        committed: u32,
        /// What can be had.
        reusable: u32,
    },
    /// A row table that the plan or the state does not allow.
    #[error("row {row} of the call: {why}")]
    Rows {
        /// Index in the table.
        row: usize,
        /// What is wrong.
        why: String,
    },
}

/// What a backend can fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The call is not allowed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The bytes of a weight do not decode.
    #[error("weight `{name}`: {source}")]
    Weight {
        /// Canonical name.
        name: String,
        /// Why.
        source: sterna_format::FormatError,
    },
    /// The plan asks for something this backend does not have.
    #[error("the {backend} backend does not support {what}")]
    Unsupported {
        /// Its name.
        backend: &'static str,
        /// What was asked for.
        what: String,
    },
    /// Memory could not be had.
    #[error("{bytes} bytes of memory for {what} could not be had; try a smaller context or model")]
    Memory {
        /// How much.
        bytes: usize,
        /// What for.
        what: &'static str,
    },
    /// NaN or infinity in the logits; the step was run again in check mode (C6).
    #[error("the logits of row {row} are not finite; first seen in op {op} ({name})")]
    NonFinite {
        /// Row of the call.
        row: usize,
        /// Index in the plan.
        op: usize,
        /// Name of the op and its weight.
        name: String,
    },
    /// A GPU or its driver failed; nothing that it computed since is to be believed.
    #[error("the device failed: {0}")]
    Device(String),
    /// A worker stopped.
    #[error("a worker thread failed: {0}")]
    Worker(String),
}
