//! `probe-sim`: serves a simulated probe until it is terminated.

use clap::Parser;
use probe_sim::{Fault, Options, Simulator};
use std::{io::Write, path::PathBuf, process::ExitCode};

/// Simulates a debug probe that is connected to a board in QEMU. Prints the selector of the probe, and serves sessions
/// sequentially.
#[derive(Parser)]
#[command(name = "probe-sim", version)]
struct CommandLine {
    /// The name of the board in QEMU
    #[arg(long, default_value = "microbit")]
    machine: String,

    /// The size of flash, which starts at address zero: 256K
    #[arg(long, value_name = "SIZE", default_value = "256K", value_parser = size)]
    chip_flash: u64,

    /// An image that the board runs at the start [default: its flash is empty]
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    /// The fault of the first session: wrong-chip, verify-mismatch, connection-lost, locked-up, read-protected,
    /// slow-flash, no-chip or busy
    #[arg(long)]
    fault: Option<Fault>,

    /// The TCP port [default: a free one]
    #[arg(long)]
    port: Option<u16>,
}

fn main() -> ExitCode {
    let CommandLine { machine, chip_flash, image, fault, port } = CommandLine::parse();
    match Simulator::start(&Options { machine, flash: chip_flash, image, fault, port }) {
        Ok(simulator) => {
            // Errors are ignored: a caller that does not read the selector knows it.
            let _ = writeln!(std::io::stdout(), "{}", simulator.selector());
            simulator.wait();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("probe-sim: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Bytes, with `K` or `M` for their multiples.
fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.strip_suffix(['K', 'M']) {
        Some(digits) => (digits, if text.ends_with('K') { 10 } else { 20 }),
        None => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "expected a size such as `256K`".to_owned())
}
