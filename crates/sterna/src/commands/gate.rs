//! stub until probe lands
use clap::Args;
/// `sterna gate`.
#[derive(Args, Debug)]
pub struct GateArgs {}
/// Runs the command.
pub fn main(_: &GateArgs) -> super::Outcome { Ok(std::process::ExitCode::SUCCESS) }
