//! Console and exit by debugger calls: Arm, "Semihosting for AArch32 and AArch64", 2.0.

use super::Stream;
use crate::arguments::TooLong;
use core::{cell::Cell, ffi::CStr};

const SYS_OPEN: usize = 0x01;
const SYS_WRITE0: usize = 0x04;
const SYS_WRITE: usize = 0x05;
const SYS_READ: usize = 0x06;
const SYS_ERRNO: usize = 0x13;
const SYS_GET_CMDLINE: usize = 0x15;
const SYS_EXIT_EXTENDED: usize = 0x20;
const ADP_STOPPED_APPLICATION_EXIT: usize = 0x20026;

/// The file name of the console streams; the mode selects the stream.
const CONSOLE: &[u8] = b":tt\0";
/// The file that takes the log: file descriptor 191 of the emulator, which nothing else opens. It does not exist if the
/// emulator was started without it.
const LOG_FILE: &[u8] = b"/dev/fd/191\0";

/// Modes of `fopen` that choose the stream when the file is `:tt`.
const MODE_READ: usize = 0;
const MODE_WRITE: usize = 4;
const MODE_APPEND: usize = 8;

/// The number of attempts to write to a file that accepts nothing: a full pipe accepts more later, a broken one never.
const PATIENCE: u32 = 1 << 16;

/// The result of failed calls, also set by the fault handler if there is no debugger.
const FAILED: usize = usize::MAX;

/// A handle that is opened on first use; zero is none.
struct Handle(Cell<isize>);

// SAFETY: there is one thread.
unsafe impl Sync for Handle {}

static OUTPUT: Handle = Handle(Cell::new(0));
static ERROR: Handle = Handle(Cell::new(0));
static LOG: Handle = Handle(Cell::new(0));
static INPUT: Handle = Handle(Cell::new(0));

impl Handle {
    /// The handle of a file whose name ends with a zero.
    fn open(&self, name: &'static [u8], mode: usize) -> usize {
        if self.0.get() == 0 {
            self.0.set(call(SYS_OPEN, [name.as_ptr() as usize, mode, name.len() - 1].as_ptr()));
        }
        self.0.get() as usize
    }
}

fn call<T>(operation: usize, argument: *const T) -> isize {
    let result;
    // SAFETY: the argument points to what the operation reads; the debugger changes only what that points to.
    unsafe {
        #[cfg(target_arch = "arm")]
        core::arch::asm!("bkpt 0xab", inlateout("r0") operation => result, in("r1") argument, options(nostack));
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!("hlt #0xf000", inlateout("x0") operation => result, in("x1") argument, options(nostack));
    }
    result
}

/// Writes the bytes before the first zero to standard output.
pub(crate) fn write_terminated(text: &CStr) {
    call(SYS_WRITE0, text.as_ptr());
}

pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    let handle = match stream {
        Stream::Output => OUTPUT.open(CONSOLE, MODE_WRITE),
        Stream::Error => ERROR.open(CONSOLE, MODE_APPEND),
    };
    write_to(handle, bytes);
}

/// Writes a part of the log.
pub(crate) fn log(bytes: &[u8]) {
    write_to(LOG.open(LOG_FILE, MODE_APPEND), bytes);
}

fn write_to(handle: usize, bytes: &[u8]) {
    if handle == FAILED {
        return;
    }
    let (end, mut rest, mut tries) = (bytes.as_ptr_range().end as usize, bytes.len(), 0);
    while rest > 0 && tries < PATIENCE {
        let unwritten = call(SYS_WRITE, [handle, end - rest, rest].as_ptr()) as usize;
        tries += 1;
        if unwritten < rest {
            (rest, tries) = (unwritten, 0);
        }
    }
}

pub(crate) fn read() -> Option<u8> {
    let handle = INPUT.open(CONSOLE, MODE_READ);
    if handle == FAILED {
        return None;
    }
    let mut byte = 0_u8;
    let unread = call(SYS_READ, [handle, &raw mut byte as usize, 1].as_ptr());
    (unread == 0).then_some(byte)
}

/// The error code of debuggers for a command line that does not fit: `E2BIG`.
const TOO_BIG: isize = 7;

/// Writes the command line, terminated by a zero, and returns its length; 0 if the debugger knows none.
pub(crate) fn command_line(buffer: &mut [u8]) -> Result<usize, TooLong> {
    let mut block = [buffer.as_mut_ptr() as usize, buffer.len()];
    if call(SYS_GET_CMDLINE, block.as_mut_ptr()) == 0 {
        // Some debuggers include the zero.
        return Ok(buffer.iter().take(block[1]).take_while(|byte| **byte != 0).count());
    }
    if call(SYS_ERRNO, core::ptr::null::<usize>()) == TOO_BIG { Err(TooLong) } else { Ok(0) }
}

/// Ends the program with the low eight bits of the status.
pub(crate) fn exit(status: i32) {
    call(SYS_EXIT_EXTENDED, [ADP_STOPPED_APPLICATION_EXIT, status as usize].as_ptr());
}
