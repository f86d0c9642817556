//! What is done to real boards: `clefc flash`, `attach`, `reset`, `erase` and `probes`.

use super::{CodeOptions, MachineOptions, ProgramChoice, seconds};
use clap::Args;
use clef_execution::{hardware::OnInterrupt, log::LogFormat};
use std::{path::PathBuf, time::Duration};

/// Which debug probe is used.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeChoice {
    /// The debug probe: VID:PID or VID:PID:SERIAL, as `clefc probes` lists them; for a Black Magic Probe on the network
    /// 1d50:6018:ADDRESS:PORT [default: the only one]
    #[arg(long, value_name = "SELECTOR")]
    pub probe: Option<String>,

    /// A file that describes the chip, if debug probes do not know it: a target description of probe-rs, in YAML
    #[arg(long, value_name = "FILE")]
    pub chip_description: Option<PathBuf>,
}

/// `clefc flash`.
#[derive(Args, Debug)]
#[command(after_help = "\
The flash is erased where the image lies, programmed, and read back. Then the program begins.

Examples:
  clefc flash --board microbit blinky.clef
  clefc flash --board microbit --probe 0d28:0204 blinky.elf")]
pub struct Flash {
    /// The program, or a finished image (.elf)
    #[command(flatten)]
    pub program: ProgramChoice,

    /// How the code is made
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,
}

/// `clefc attach`.
#[derive(Args, Debug)]
#[command(after_help = "\
The board is not reset, and its flash is not changed. Control C takes the probe away, and the program runs on.

Examples:
  clefc attach --board microbit blinky.elf
  clefc attach --board microbit --on-interrupt halt")]
pub struct Attach {
    /// The program that runs there, or its image (.elf): it says where the console lies in memory; not needed for programs
    /// that talk by semihosting
    #[command(flatten)]
    pub program: ProgramChoice,

    /// How the code was made
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,

    /// How the messages of the program's log are shown, on standard error
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub log: LogFormat,

    /// What becomes of the program when control C ends the connection [default: run]
    #[arg(long, value_name = "WHAT")]
    pub on_interrupt: Option<OnInterrupt>,

    /// Ends the connection after this many seconds
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
#[command(after_help = "A chip that is protected against being read is unlocked by this.")]
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
