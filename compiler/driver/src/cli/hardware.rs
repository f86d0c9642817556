//! What is done to real boards: `clefc flash`, `attach`, `reset`, `erase` and `probes`.

use super::{CodeOptions, MachineOptions, ProgramChoice, seconds};
use clap::Args;
use clef_execution::{hardware::OnInterrupt, log::LogFormat};
use std::{path::PathBuf, time::Duration};

/// The debug probe to use.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeChoice {
    /// The debug probe: VID:PID or VID:PID:SERIAL, as `clefc probes` lists them; for a Black Magic Probe on the network
    /// 1d50:6018:ADDRESS:PORT [default: the only one]
    #[arg(long, value_name = "SELECTOR")]
    pub probe: Option<String>,

    /// A description of a chip that probe-rs does not know: a probe-rs target description in YAML
    #[arg(long, value_name = "FILE")]
    pub chip_description: Option<PathBuf>,
}

/// `clefc flash`.
#[derive(Args, Debug)]
#[command(after_help = "\
The sectors of the image are erased, programmed and verified. Then the program starts.

Examples:
  clefc flash --board microbit blinky.clef
  clefc flash --board microbit --probe 0d28:0204 blinky.elf")]
pub struct Flash {
    /// The program, or a finished image (.elf)
    #[command(flatten)]
    pub program: ProgramChoice,

    /// Code generation
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,
}

/// `clefc attach`.
#[derive(Args, Debug)]
#[command(after_help = "\
The board is not reset, and its flash is not changed. Ctrl-C disconnects, and the program keeps running.

Examples:
  clefc attach --board microbit blinky.elf
  clefc attach --board microbit --on-interrupt halt")]
pub struct Attach {
    /// The running program, or its image (.elf), which specifies the address of the console; not needed for programs
    /// that use semihosting
    #[command(flatten)]
    pub program: ProgramChoice,

    /// Code generation of the running program
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,

    /// The format of the program's log messages, on standard error
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub log: LogFormat,

    /// What to do with the program when Ctrl-C ends the connection [default: run]
    #[arg(long, value_name = "WHAT")]
    pub on_interrupt: Option<OnInterrupt>,

    /// Disconnects after this number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

/// `clefc reset`.
#[derive(Args, Debug)]
pub struct Reset {
    /// The board
    #[command(flatten)]
    pub machine: MachineOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,
}

/// `clefc erase`.
#[derive(Args, Debug)]
#[command(after_help = "This also unlocks a read-protected chip.")]
pub struct Erase {
    /// The board
    #[command(flatten)]
    pub machine: MachineOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,
}

/// `clefc probes`.
#[derive(Args, Debug)]
pub struct Probes {
    /// Prints JSON
    #[arg(long)]
    pub json: bool,
}
