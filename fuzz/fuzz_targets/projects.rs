//! Any text is read as a project file of each format: it is complete, or its diagnostics can be shown.

#![no_main]

use clef_oracle::robust;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    robust::project("clef.toml", text);
    robust::project("Fuzz.fidproj", text);
});
