//! The machine that the compiler runs on: files of the user, products, temporary directories, child processes and signals.
//!
//! Holds: no file that was read is overwritten, a product is written whole or not at all, and what was started or made for a
//! while ends and goes with us.

pub mod cleanup;
pub mod output;
pub mod user_files;

use std::io::{self, Write};

/// Writes to standard error. Where that is closed there is nobody to tell.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
