//! Debug probes: chips are programmed, and programs run on them while their console is served.
//!
//! In: which probe, which chip, the segments of an image, and a [`Console`]. Out: [`Progress`], the [`Ending`] of a run, or a
//! [`Failure`], all of them plain data. This crate alone names probe-rs; it opens no file, writes to no terminal, and makes no
//! diagnostic.
//!
//! A program can also be run by GDB, over a line that this crate is given.
//!
//! A program talks by semihosting or by RTT, and it makes no difference to its console which of them it is.

mod chip;
mod connection;
mod failure;
mod flash;
mod gdb;
mod list;
mod rtt;
mod run;
mod semihosting;

pub use chip::Chip;
pub use connection::{Afterwards, Connection, Permission};
pub use failure::{Doing, Failure};
pub use flash::{Progress, Segment, Step};
pub use gdb::Debugged;
pub use list::{ProbeInformation, list};
pub use run::{Begin, Ending, Registers, Run};

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
