//! Policies: pure functions of the plan and of measured costs, no device in sight.

mod cost;
mod width;

pub use cost::{COST_SCHEMA, CostError, CostTable};
pub use width::chunks;
