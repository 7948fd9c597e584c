//! A model as data: fused LLM ops over named buffers, entry points that share weights and state, and the interface
//! that backends implement. Every choice is made here; kernels never choose.

mod backend;
pub mod choose;
mod error;
mod fuse;
mod graph;
pub mod numerics;
mod op;
mod plan;
mod rows;
mod snapshots;

pub use backend::{
    Backend, CallStats, DeviceLimits, Executor, HOLD_ROWS, KernelUse, Kin, MemoryUse, OpSpan, OpTime,
    Outputs, TeamTime, Top2, check_hold, nothing_held,
};
pub use error::{BackendError, PlanError};
pub use fuse::Fusions;
pub use graph::{PlanOptions, Taps, build, build_assistant, build_eagle, build_eagle_fusion, build_mtp};
pub use op::*;
pub use plan::*;
pub use rows::{Limits, Parent, Row, RowTable, Shape, Wanted, check_borrower};
pub use snapshots::Snapshots;
pub use sterna_bundle::{
    AssistantConfig, Delta, EagleConfig, HeadPairing, INT16_COLS, LinearNumerics, RowOrder, Weight,
    WeightSource,
};
