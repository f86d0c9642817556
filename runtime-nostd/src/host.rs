//! What a library asks of its host, and how the host starts it.
//!
//! The functions are symbols that the host may define. In a library the program's module has weak definitions of all but
//! the clock. In an image nothing calls them.

use crate::console::Stream;
use core::cell::Cell;

unsafe extern "C" {
    fn clef_host_write(bytes: *const u8, count: usize);
    fn clef_host_error(bytes: *const u8, count: usize);
    safe fn clef_host_read() -> i32;
    safe fn clef_host_stop(status: i32) -> !;
    safe fn clef_host_time() -> u64;
    /// The program: initialises the module-level values.
    safe fn clef_main() -> i32;
}

/// Writes all bytes.
pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    let (pointer, count) = (bytes.as_ptr(), bytes.len());
    // SAFETY: the bytes are valid.
    unsafe {
        match stream {
            Stream::Output => clef_host_write(pointer, count),
            Stream::Error => clef_host_error(pointer, count),
        }
    }
}

/// Reads one byte; nothing at the end of input.
pub(crate) fn read() -> Option<u8> {
    u8::try_from(clef_host_read()).ok()
}

/// Ends the library: after a trap, or where it ends the program.
pub(crate) fn stop(status: i32) -> ! {
    clef_host_stop(status)
}

/// Microseconds since a fixed moment.
pub(crate) fn time() -> u64 {
    clef_host_time()
}

/// Whether the library has been started.
struct Started(Cell<bool>);

// SAFETY: there is one thread.
unsafe impl Sync for Started {}

static STARTED: Started = Started(Cell::new(false));

/// Initialises the module-level values of a library, once.
#[unsafe(no_mangle)]
extern "C" fn clef_library_start() {
    if !STARTED.0.replace(true) {
        clef_main();
    }
}
