//! Policies: pure functions of the plan and of measured costs, no device in sight.

mod width;

pub use width::chunks;
