//! Run low-bit language models: the facade library behind the `sterna` command.

pub mod cli;
pub mod commands;
pub mod device;
pub mod doctor;
pub mod engine;
mod measure;
pub mod pull;
pub mod speculate;
