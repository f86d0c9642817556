//! Any text is read as the descriptor of a board and of a target: it is complete, or its diagnostics can be shown.

#![no_main]

use clef_oracle::robust;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    robust::board(text);
    robust::target(text);
});
