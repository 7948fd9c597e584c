//! stub until pull lands
use clap::Args;
/// `sterna pull`.
#[derive(Args, Debug)]
pub struct PullArgs {}
/// Runs the command.
pub fn main(_: &PullArgs) -> super::Outcome { Ok(std::process::ExitCode::SUCCESS) }
