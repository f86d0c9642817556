//! Any text is parsed, and what is made of it can be shown: the diagnostics, the listing, and the tree as source, which
//! parses to the same tree if the text had no error.

#![no_main]

use clef_oracle::robust;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| robust::parse(text));
