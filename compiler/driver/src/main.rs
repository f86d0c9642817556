//! The `clefc` program; all code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    clefc::run_command_line(std::env::args_os())
}
