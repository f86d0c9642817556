//! The machine that the compiler runs on: the user's files, products, temporary directories, child processes and
//! signals.
//!
//! Holds: no file that was read is overwritten, a product is written completely or not at all, and child processes and
//! temporary files do not outlive us.

pub mod cleanup;
pub mod input;
pub mod output;
pub mod user_files;

use std::io::{self, Write};

/// Writes to standard error. Errors are ignored, since nobody could be told.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
