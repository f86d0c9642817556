//! Debug probes: chips are programmed, and programs run on them while their console is served.
//!
//! In: which probe, which chip, the segments of an image, and a [`Console`]. Out: [`Progress`], the [`Ending`] of a run, or a
//! [`Failure`], all of them plain data. This crate alone names probe-rs; it opens no file, writes to no terminal, and makes no
//! diagnostic.
//!
//! A program can also be run by GDB, over a line that this crate is given.
//!
//! Without the feature `probe-rs` there is no probe: whatever is asked for ends with [`Failure::Unsupported`].
//!
//! A program talks by semihosting or by RTT, and it makes no difference to its console which of them it is.

#[cfg(not(feature = "probe-rs"))]
mod absent;
#[cfg(feature = "probe-rs")]
mod chip;
#[cfg(feature = "probe-rs")]
mod connection;
mod failure;
#[cfg(feature = "probe-rs")]
mod flash;
#[cfg(feature = "probe-rs")]
mod gdb;
#[cfg(feature = "probe-rs")]
mod list;
mod model;
#[cfg(feature = "probe-rs")]
mod report;
#[cfg(feature = "probe-rs")]
mod rtt;
#[cfg(feature = "probe-rs")]
mod run;
#[cfg(feature = "probe-rs")]
mod semihosting;

/// Whether there is support for probes.
pub const SUPPORTED: bool = cfg!(feature = "probe-rs");

#[cfg(not(feature = "probe-rs"))]
pub use absent::{Connection, list};
#[cfg(feature = "probe-rs")]
pub use connection::Connection;
pub use failure::{Doing, Failure};
#[cfg(feature = "probe-rs")]
pub use list::list;
pub use model::{
    Afterwards, Begin, Chip, Debugged, Ending, Permission, ProbeInformation, Progress, Registers, Run, Segment, Step,
};

/// What a program on a chip talks to.
pub trait Console {
    /// The program wrote to standard output.
    fn output(&mut self, bytes: &[u8]);

    /// The program wrote to standard error.
    fn errors(&mut self, bytes: &[u8]);

    /// The program wrote to its log: frames as defmt encodes them.
    fn log(&mut self, bytes: &[u8]);

    /// What the program can read next, at most so many bytes. Does not wait.
    fn input(&mut self, most: usize) -> Input;

    /// Something is to be known that the program does not say.
    fn notice(&mut self, text: &str);

    /// Whether the user wants the run to end.
    fn is_interrupted(&mut self) -> bool;
}

/// What there is to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// At least one byte.
    Bytes(Vec<u8>),
    /// Nothing yet.
    Pending,
    /// Nothing any more.
    End,
}
