//! The `sterna` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    sterna::commands::main()
}
