//! The console: two output streams and one input, by whatever means the board has. Which means that is, is a constant of
//! the program, so that each `match` here folds to one arm.

#[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
mod cmsdk;
#[cfg(all(target_arch = "x86_64", feature = "pvh"))]
pub(crate) mod com;
#[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
mod pl011;
#[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
pub(crate) mod semihosting;
#[cfg(all(target_os = "linux", not(feature = "pvh")))]
pub(crate) mod syscalls;

use crate::board::{self, console_kind};

/// Where text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// What the program says.
    Output,
    /// What is wrong with it.
    Error,
}

impl Stream {
    /// How the stream is reached.
    #[inline]
    fn kind(self) -> u32 {
        match self {
            Stream::Output => board::console(),
            Stream::Error => board::console_error(),
        }
    }

    /// The UART that carries the stream.
    #[cfg(not(all(target_os = "linux", not(feature = "pvh"))))]
    fn base(self) -> usize {
        match self {
            Stream::Output => board::console_base(),
            Stream::Error => board::console_error_base(),
        }
    }
}

/// Makes the console ready; the first thing after boot.
#[inline]
pub(crate) fn start() {
    match board::console() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::PL011 => pl011::start(),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::CMSDK => cmsdk::start(),
        #[cfg(all(target_arch = "x86_64", feature = "pvh"))]
        console_kind::COM => com::start(),
        _ => {}
    }
}

/// Writes all bytes.
#[inline]
pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    match stream.kind() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::SEMIHOSTING => semihosting::write(stream, bytes),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::PL011 => pl011::write(stream, bytes),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::CMSDK => cmsdk::write(stream, bytes),
        #[cfg(all(target_arch = "x86_64", feature = "pvh"))]
        console_kind::COM => com::write(stream, bytes),
        #[cfg(all(target_os = "linux", not(feature = "pvh")))]
        console_kind::SYSCALLS => syscalls::write(stream, bytes),
        _ => {}
    }
}

/// Reads one byte, waiting for it; nothing at the end of input.
pub(crate) fn read() -> Option<u8> {
    match board::console() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::SEMIHOSTING => semihosting::read(),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::PL011 => line_input(pl011::read()),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", target_os = "none")))]
        console_kind::CMSDK => line_input(cmsdk::read()),
        #[cfg(all(target_arch = "x86_64", feature = "pvh"))]
        console_kind::COM => line_input(com::read()),
        #[cfg(all(target_os = "linux", not(feature = "pvh")))]
        console_kind::SYSCALLS => syscalls::read(),
        _ => None,
    }
}

/// What comes over a serial line: the return key ends a line, and end-of-transmission (control D) ends the input.
#[cfg(not(all(target_os = "linux", not(feature = "pvh"))))]
fn line_input(byte: u8) -> Option<u8> {
    match byte {
        0x04 => None,
        b'\r' => Some(b'\n'),
        other => Some(other),
    }
}
