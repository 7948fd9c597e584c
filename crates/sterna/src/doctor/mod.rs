//! What this machine can do, and what stands in its way.
//!
//! [`machine`] reads texts of the system into numbers, [`checks`] judges them, [`mod@model`] asks what one model needs.
//! Nothing here changes the system; what cannot be read is unknown, never an error.

mod cgroup;
pub mod checks;
mod gpu;
pub mod machine;
pub mod model;
mod mounts;
pub mod system;
