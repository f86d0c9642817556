//! `cargo xtask vsix`: the extension for VS Code as a package, by npm, in a copy of its folder below `target`.

use crate::{
    Failure,
    setup::{Consent, agreed},
    step::{Step, output, run_all, shown},
    toolchain::root,
};
use std::{fs, path::Path, process::Command};

/// The version of the packer.
const PACKER: &str = "@vscode/vsce@4.1.0";

/// The copy.
const STAGE: &str = "target/vscode";
/// The package, in the root of the repository.
pub(crate) const PACKAGE: &str = "target/clef.vsix";

/// The licences in the names of packages.
const LICENSES: [(&str, &str); 2] = [("LICENSE-MIT", "LICENSE.txt"), ("LICENSE-APACHE", "LICENSE-APACHE.txt")];

/// Tests the extension and packs it into `target/clef.vsix`.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    let mut version = Command::new("npm");
    version.arg("--version");
    output(version).ok_or("npm is missing: install Node.js 20 or later, https://nodejs.org")?;
    let stage = root().join(STAGE);
    let in_stage = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&stage);
        command
    };
    let package = root().join(PACKAGE);
    let packed = package.to_string_lossy();
    let fetch = in_stage("npm", &["ci", "--omit=dev", "--no-audit", "--no-fund"]);
    let pack = ["--yes", PACKER, "package", "--allow-missing-repository", "--out", &packed];
    let pack = in_stage("npx", &pack);
    eprintln!("to fetch packages of npm, by the commands:\n    {}\n    {}", shown(&fetch), shown(&pack));
    if !agreed(consent)? {
        return Err("nothing was fetched".to_owned());
    }
    prepare(&stage).map_err(|error| format!("cannot copy the extension to {}: {error}", stage.display()))?;
    run_all(vec![
        Step { name: "fetch the client of the language server", command: fetch },
        Step { name: "test the extension", command: in_stage("npm", &["test"]) },
        Step { name: "pack the extension", command: pack },
    ])
}

/// Copies the extension and the licences.
fn prepare(stage: &Path) -> std::io::Result<()> {
    if stage.exists() {
        fs::remove_dir_all(stage)?;
    }
    copy(&root().join("editors/vscode"), stage)?;
    LICENSES.iter().try_for_each(|(from, to)| fs::copy(root().join(from), stage.join(to)).map(|_| ()))
}

/// Copies a folder, without packages of npm.
pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true if entry.file_name() == "node_modules" => {}
            true => copy(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(|_| ())?,
        }
    }
    Ok(())
}
