//! `cargo xtask test`: runs every check that must pass before a change is kept.

use crate::{
    Failure,
    setup::{self, Consent},
    step::{Step, run_all},
    toolchain::cargo,
};

/// The runtime is not a member of the workspace, because it is compiled for machines without an operating system.
const RUNTIME: &str = "runtime-nostd/Cargo.toml";

/// Sets up, then checks format, lints and tests; `arguments` go to `cargo test`.
pub(crate) fn run(consent: Consent, arguments: &[String]) -> Result<(), Failure> {
    setup::run(consent)?;
    let test: Vec<&str> = ["test", "--workspace"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let format = ["fmt", "--all", "--check"];
    let lint = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    let without_probes =
        ["clippy", "--package", "clefc", "--no-default-features", "--all-targets", "--", "--deny", "warnings"];
    run_all(vec![
        Step { name: "check the format", command: cargo(&format)? },
        Step { name: "check the runtime's format", command: cargo(&["fmt", "--manifest-path", RUNTIME, "--check"])? },
        Step { name: "lint", command: cargo(&lint)? },
        Step { name: "lint without debug probes", command: cargo(&without_probes)? },
        Step {
            name: "lint the runtime",
            command: cargo(&["clippy", "--manifest-path", RUNTIME, "--", "--deny", "warnings"])?,
        },
        Step { name: "test", command: cargo(&test)? },
        Step {
            name: "test machine code in emulators",
            // Of the whole workspace, since one package alone has other features, and its libraries are compiled once more.
            command: cargo(&["test", "--workspace", "--test", "mlir", "--", "--ignored"])?,
        },
        Step { name: "test the runtime", command: cargo(&["test", "--manifest-path", RUNTIME])? },
    ])
}
