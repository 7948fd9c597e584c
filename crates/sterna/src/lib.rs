//! Run low-bit language models: the facade library behind the `sterna` command.

pub mod cli;
pub mod commands;
pub mod device;
pub mod doctor;
pub mod engine;
mod folders;
mod measure;
pub mod pull;
mod selftest;
pub mod speculate;
