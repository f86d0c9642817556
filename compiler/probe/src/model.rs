//! The requests to a probe and its answers, as plain data.

use std::time::Duration;

/// A connected probe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbeInformation {
    /// Its product name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The selector that identifies it.
    pub selector: String,
    /// Its USB vendor and product IDs.
    pub usb: (u16, u16),
    /// Its serial number, if it has one.
    pub serial: Option<String>,
    /// Whether the user has permission to use it.
    pub is_permitted: bool,
}

/// The expected chip.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chip {
    /// Its name, such as `nRF51822_xxAA`.
    pub name: String,
    /// The source text of a YAML description of further chips, in the format of probe-rs.
    pub description: Option<String>,
}

/// What may be done to a protected chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permission {
    /// Nothing.
    Keep,
    /// The whole flash may be erased, which unlocks it.
    EraseAll,
}

/// The state of the processor after the connection ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Afterwards {
    /// It runs on, as if there were no probe.
    Running,
    /// It stays halted, until the next connection or power-off.
    Halted,
}

/// A segment of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its load address.
    pub address: u64,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A step of programming.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Erasing flash.
    Erase,
    /// Programming flash.
    Program,
    /// Comparing the flash with the image.
    Verify,
}

/// The progress of programming.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A step will start, with its size in bytes if that is known.
    Planned(Step, Option<u64>),
    /// A step has advanced by a number of bytes.
    Advanced(Step, u64),
    /// A step is finished.
    Finished(Step),
}

/// The parameters of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// Where it starts.
    pub begin: Begin,
    /// The address of the RTT control block, if the program has one.
    pub rtt: Option<u64>,
    /// The address of code that runs after the control block is initialised and before any output, if that is known.
    pub ready: Option<u64>,
    /// The address at which the program stops at a trap or a fault, if the image does not report them itself.
    pub stop: Option<u64>,
    /// The time limit.
    pub timeout: Option<Duration>,
}

/// Where a run starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    /// At a reset of the chip.
    Reset,
    /// At the current state of the program.
    Here,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The program exited with a status.
    Exited(u8),
    /// The program trapped, which the console was told.
    Trapped,
    /// The processor locked up: a fault in a fault handler.
    LockedUp(Registers),
    /// The processor stopped at a `BKPT` that is no semihosting call.
    Breakpoint(Registers),
    /// The processor halted for another reason.
    Halted {
        /// The reason.
        reason: String,
        /// The registers.
        registers: Registers,
    },
    /// The time limit was exceeded.
    TimedOut,
    /// The user interrupted it.
    Interrupted,
}

/// The position of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    /// The address of the current instruction.
    pub program_counter: u32,
    /// The return address of the current function.
    pub return_address: u32,
    /// Its stack pointer.
    pub stack_pointer: u32,
}

/// The parameters of a debugged program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Debugged {
    /// Where GDB takes over.
    pub begin: Begin,
    /// The address of the RTT control block, if the program has one.
    pub rtt: Option<u64>,
    /// The address of code that runs after the control block is initialised and before any output, if that is known.
    pub ready: Option<u64>,
}
