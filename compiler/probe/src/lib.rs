//! Debug probes: they program chips, and run programs on them while serving their console.
//!
//! In: a probe, a chip, the segments of an image, and a [`Console`]. Out: [`Progress`], the [`Ending`] of a run, or a
//! [`Failure`], all of them plain data. Only this crate uses probe-rs; it opens no files, writes to no terminal, and
//! creates no diagnostics.
//!
//! GDB can also run a program, over a line that the caller provides.
//!
//! Without the feature `probe-rs` there are no probes: every operation fails with [`Failure::Unsupported`].
//!
//! A program communicates by semihosting or RTT; its console does not depend on which.

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

/// Whether this build supports probes.
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

/// The console of a program on a chip.
pub trait Console {
    /// The program wrote to standard output.
    fn output(&mut self, bytes: &[u8]);

    /// The program wrote to standard error.
    fn errors(&mut self, bytes: &[u8]);

    /// The program wrote to its log: frames as defmt encodes them.
    fn log(&mut self, bytes: &[u8]);

    /// The next input of the program, at most `most` bytes. Does not wait.
    fn input(&mut self, most: usize) -> Input;

    /// The program has trapped, in an image that does not report that itself: `r0` to `r15`, and what reads memory.
    fn trapped(&mut self, registers: &[u32; 16], read: &mut dyn FnMut(u64, usize) -> Option<Vec<u8>>);

    /// Reports an event to the user that is not output of the program.
    fn notice(&mut self, text: &str);

    /// Whether the user interrupts the run.
    fn is_interrupted(&mut self) -> bool;
}

/// The available input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// At least one byte.
    Bytes(Vec<u8>),
    /// None yet.
    Pending,
    /// The end of input.
    End,
}
