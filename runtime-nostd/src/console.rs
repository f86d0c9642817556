//! The console: two output streams and one input, by whatever means the board has. The means is a constant of the
//! program, so each `match` here folds to one arm.

#[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
mod cmsdk;
#[cfg(feature = "pvh")]
pub(crate) mod com;
#[cfg(target_arch = "arm")]
mod kl25;
#[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
mod pl011;
#[cfg(target_arch = "arm")]
pub(crate) mod rtt;
#[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
pub(crate) mod semihosting;
#[cfg(feature = "linux")]
pub(crate) mod syscalls;
#[cfg(not(feature = "linux"))]
mod uart;

use crate::board::{self, console_kind};
use crate::host;
#[cfg(not(feature = "linux"))]
use core::cell::Cell;
use core::ffi::CStr;

/// An output stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    /// The kind of console that carries the stream.
    #[inline]
    fn kind(self) -> u32 {
        match self {
            Stream::Output => board::console(),
            Stream::Error => board::console_error(),
        }
    }

    /// The address or port of the UART that carries the stream, or what else its driver requires.
    #[cfg(not(feature = "linux"))]
    fn base(self) -> usize {
        match self {
            Stream::Output => board::console_base(),
            Stream::Error => board::console_error_base(),
        }
    }
}

/// Initialises the console; the first step after boot.
#[inline]
pub(crate) fn start() {
    #[cfg(target_arch = "arm")]
    rtt::start();
    start_stream(Stream::Output);
    start_stream(Stream::Error);
}

#[inline]
fn start_stream(stream: Stream) {
    match stream.kind() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::PL011 => pl011::start(stream),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::CMSDK => cmsdk::start(stream),
        #[cfg(target_arch = "arm")]
        console_kind::KL25 => kl25::start(stream),
        #[cfg(feature = "pvh")]
        console_kind::COM => com::start(stream),
        _ => {}
    }
}

/// Writes all bytes. It is not inlined: writing is slower than a call, and programs write in many places.
#[inline(never)]
pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    match stream.kind() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::SEMIHOSTING => semihosting::write(stream, bytes),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::PL011 => pl011::write(stream, bytes),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::CMSDK => cmsdk::write(stream, bytes),
        #[cfg(target_arch = "arm")]
        console_kind::KL25 => kl25::write(bytes),
        #[cfg(feature = "pvh")]
        console_kind::COM => com::write(stream, bytes),
        #[cfg(feature = "linux")]
        console_kind::SYSCALLS => syscalls::write(stream, bytes),
        #[cfg(target_arch = "arm")]
        console_kind::RTT => rtt::write(stream, bytes),
        #[cfg(not(feature = "linux"))]
        console_kind::UART => uart::write(bytes),
        console_kind::HOST => host::write(stream, bytes),
        _ => {}
    }
}

/// Writes all bytes to standard output; the text has been terminated because that is less code for the board's console.
pub(crate) fn write_terminated(text: &CStr) {
    match Stream::Output.kind() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::SEMIHOSTING => semihosting::write_terminated(text),
        _ => write(Stream::Output, text.to_bytes()),
    }
}

/// Waits for one byte and reads it; nothing at the end of input.
pub(crate) fn read() -> Option<u8> {
    match board::console() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::SEMIHOSTING => semihosting::read(),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::PL011 => line_input(pl011::read),
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        console_kind::CMSDK => line_input(cmsdk::read),
        #[cfg(target_arch = "arm")]
        console_kind::KL25 => line_input(kl25::read),
        #[cfg(feature = "pvh")]
        console_kind::COM => line_input(com::read),
        #[cfg(feature = "linux")]
        console_kind::SYSCALLS => syscalls::read(),
        #[cfg(target_arch = "arm")]
        console_kind::RTT => line_input(rtt::read),
        #[cfg(not(feature = "linux"))]
        console_kind::UART => line_input(uart::read),
        console_kind::HOST => host::read(),
        _ => None,
    }
}

/// The state of input over a serial line.
#[cfg(not(feature = "linux"))]
struct SerialInput {
    /// End-of-transmission was received.
    is_ended: Cell<bool>,
    /// The last byte was the return key; a line feed after it belongs to it.
    is_after_return: Cell<bool>,
}

// SAFETY: there is one thread.
#[cfg(not(feature = "linux"))]
unsafe impl Sync for SerialInput {}

#[cfg(not(feature = "linux"))]
static SERIAL_INPUT: SerialInput = SerialInput { is_ended: Cell::new(false), is_after_return: Cell::new(false) };

/// Input over a serial line: the return key ends a line, and end-of-transmission (control D) ends the input for good.
#[cfg(not(feature = "linux"))]
fn line_input(receive: fn() -> u8) -> Option<u8> {
    while !SERIAL_INPUT.is_ended.get() {
        let byte = receive();
        let is_after_return = SERIAL_INPUT.is_after_return.replace(byte == b'\r');
        match byte {
            0x04 => SERIAL_INPUT.is_ended.set(true),
            b'\n' if is_after_return => {}
            b'\r' => return Some(b'\n'),
            other => return Some(other),
        }
    }
    None
}
