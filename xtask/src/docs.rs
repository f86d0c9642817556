//! `cargo xtask docs`: the pages of `docs/` as a book, by mdBook, which is installed where it is missing.

use crate::{
    Failure,
    setup::{Consent, agreed},
    step::{Step, run_all, shown},
    toolchain::{cargo, root},
};
use std::process::Command;

/// Where mdBook is installed, and its version.
const DIRECTORY: &str = "target/mdbook";
const VERSION: &str = "0.5.4";

/// Builds the book into `target/book`.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    let directory = root().join(DIRECTORY);
    let program = directory.join("bin/mdbook");
    let mut steps = Vec::new();
    if !program.exists() {
        let mut install = cargo(&["install", "mdbook", "--version", VERSION, "--locked", "--root"])?;
        install.arg(&directory);
        eprintln!("to install mdBook, by the command:\n    {}", shown(&install));
        if !agreed(consent)? {
            return Err("nothing was installed; run the command above yourself, then try again".to_owned());
        }
        steps.push(Step { name: "install mdBook", command: install });
    }
    let mut build = Command::new(program);
    build.arg("build").arg(root().join("docs"));
    steps.push(Step { name: "build the book", command: build });
    run_all(steps)
}
