//! The symbols of the functions of the library by which the runtime reaches the console on a serial line of the board. They are exported like
//! functions for other languages, but only the runtime calls them: they are in an image only if something prints or reads there.

use clef_base::Symbol;

/// Sends a byte.
pub const SEND: &str = "clef_console_send";

/// Waits for a byte, and returns it.
pub const RECEIVE: &str = "clef_console_receive";

/// Whether a symbol is one of these.
pub fn is_of_console(symbol: Symbol) -> bool {
    [SEND, RECEIVE].contains(&symbol.as_str())
}
