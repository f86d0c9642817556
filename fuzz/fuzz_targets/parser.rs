//! Any text is parsed, and what is made of it can be shown: the diagnostics, the listing, and the tree as source, which
//! parses to the same tree if the text had no error.

#![no_main]

use clef_oracle::{robust, trial::with_large_stack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| with_large_stack(text, robust::parse));
