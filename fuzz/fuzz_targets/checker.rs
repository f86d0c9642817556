//! Any text is checked, and its diagnostics can be shown; what has no errors is lowered, placed, and runs on the
//! interpreter for a bounded time. What is said about a text is always the same.

#![no_main]

use clef_oracle::{robust, trial::with_large_stack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| with_large_stack(text, robust::program));
