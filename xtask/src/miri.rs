//! `cargo xtask miri`: runs the tests of the region runtime on an interpreter that detects undefined behaviour.

use crate::{
    Failure,
    nightly::{ensure_miri, ensure_nightly, nightly},
    setup::Consent,
    step::Step,
};

/// Installs what is missing and runs the tests.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    ensure_nightly(consent)?;
    ensure_miri(consent)?;
    let manifest = ["--manifest-path", "runtime-nostd/Cargo.toml", "--target-dir", "target/miri"];
    let mut command = nightly(&["cargo", "miri", "test"]);
    command.args(manifest).arg("region::");
    // The generator of test cases gets its seed from the system, and the tables of tests are leaked.
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-ignore-leaks");
    Step { name: "test the regions with Miri", command }.run().map(|_| ())
}
