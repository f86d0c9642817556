//! What is asked of a probe, and what it answers, as plain data.

use std::time::Duration;

/// A probe that is connected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbeInformation {
    /// What it calls itself.
    pub name: String,
    /// What kind of probe it is.
    pub kind: String,
    /// The text that chooses it.
    pub selector: String,
    /// The USB numbers of its maker and of itself.
    pub usb: (u16, u16),
    /// Its serial number, if it has one.
    pub serial: Option<String>,
    /// Whether the user may use it.
    pub is_permitted: bool,
}

/// Which chip is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chip {
    /// Its name, such as `nRF51822_xxAA`.
    pub name: String,
    /// The text of a description in YAML of further chips, in the form of probe-rs.
    pub description: Option<String>,
}

/// What may be done to a chip that is protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permission {
    /// Nothing.
    Keep,
    /// All that it holds may be erased, which unlocks it.
    EraseAll,
}

/// What becomes of the processor when the connection ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Afterwards {
    /// It runs on, as if there were no probe.
    Running,
    /// It stays halted, until the next connection or until its power is off.
    Halted,
}

/// A part of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Where it lies before the program starts.
    pub address: u64,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// A part of programming.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Flash is erased.
    Erase,
    /// Flash is programmed.
    Program,
    /// What was programmed is compared.
    Verify,
}

/// How programming goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A step is to come, of so many bytes if that is known.
    Planned(Step, Option<u64>),
    /// A step has gone on by so many bytes.
    Advanced(Step, u64),
    /// A step is done.
    Finished(Step),
}

/// How a run is to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// Where it begins.
    pub begin: Begin,
    /// The address of the control block of RTT, if the program has one.
    pub rtt: Option<u64>,
    /// The address of code that runs before anything is written and after the control block has been made, if that is known.
    pub ready: Option<u64>,
    /// After this time it is ended.
    pub timeout: Option<Duration>,
}

/// Where a run begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    /// The chip is reset.
    Reset,
    /// The program goes on where it is.
    Here,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The program ended with a status.
    Exited(u8),
    /// The processor locked up: a fault while it handled a fault.
    LockedUp(Registers),
    /// The processor came to a `BKPT` that is no call of semihosting.
    Breakpoint(Registers),
    /// The processor halted for another reason.
    Halted {
        /// The reason.
        reason: String,
        /// Where.
        registers: Registers,
    },
    /// The time was over.
    TimedOut,
    /// The user ended it.
    Interrupted,
}

/// Where a processor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    /// What it executes.
    pub program_counter: u32,
    /// Where the function that it executes returns to.
    pub return_address: u32,
    /// Its stack pointer.
    pub stack_pointer: u32,
}

/// What is known of a program that is debugged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Debugged {
    /// Where GDB finds it.
    pub begin: Begin,
    /// The address of the control block of RTT, if the program has one.
    pub rtt: Option<u64>,
    /// The address of code that runs before anything is written and after the control block has been made, if that is known.
    pub ready: Option<u64>,
}
