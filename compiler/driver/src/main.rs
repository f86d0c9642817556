//! The `clefc` program; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    clefc::run_command_line(std::env::args_os())
}
