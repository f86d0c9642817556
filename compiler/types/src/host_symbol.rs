//! The symbols between a library and its host, used by code generation, the linker and headers.

/// The function of the runtime that initialises the module-level values of a library, once.
pub const LIBRARY_START: &str = "clef_library_start";

/// The host's function that writes to standard output.
pub const WRITE: &str = "clef_host_write";

/// The host's function that writes to standard error.
pub const ERROR: &str = "clef_host_error";

/// The host's function that reads a byte.
pub const READ: &str = "clef_host_read";

/// The host's function that ends the program.
pub const STOP: &str = "clef_host_stop";

/// The host's function that tells the time.
pub const TIME: &str = "clef_host_time";

/// The function at which a trap ends, of which a library has a definition of its own.
pub const TRAP_STACK: &str = "clef_trap_stack";

/// The function of the runtime that reports the stack of a trap, which has none to report for a host.
pub const TRAP_REPORT: &str = "clef_trap_report";

/// The functions of the host of which a library has weak definitions: all but the clock.
pub const WEAK: [&str; 4] = [WRITE, ERROR, READ, STOP];

/// The function that initialises the library with this name.
pub fn start(name: &str) -> String {
    format!("{name}_init")
}
