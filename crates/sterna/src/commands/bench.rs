//! stub until probe lands
use clap::Args;
/// `sterna bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {}
/// Runs the command.
pub fn main(_: &BenchArgs) -> super::Outcome { Ok(std::process::ExitCode::SUCCESS) }
