//! Policies: pure functions of the plan and of measured costs, no device in sight.

mod cost;
mod snapshot;
mod width;

pub use cost::{COST_SCHEMA, CostError, CostTable};
pub use snapshot::evict;
pub use width::chunks;
