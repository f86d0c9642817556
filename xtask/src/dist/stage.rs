//! The directory that is packed: the program, its manual pages, completions, documents, licences, and files of editors.

use super::{fresh, licences::licences, unwritable};
use crate::{Failure, step::output, toolchain::root};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// Where documents and licences are.
const DOCUMENTS: &str = "share/doc/clefc";

/// Where manual pages are.
const MANUAL: &str = "share/man/man1";

/// Folders of editors that only their tests and generators need.
const NOT_SHIPPED: [&str; 5] = ["node_modules", "target", "build", "test", "pictures"];

/// The completions: the shell, and where it looks for them below `share`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/clefc"),
    ("zsh", "zsh/site-functions/_clefc"),
    ("fish", "fish/vendor_completions.d/clefc.fish"),
];

/// Fills the directory.
pub(super) fn fill(stage: &Path, program: &Path) -> Result<(), Failure> {
    files(stage, program).map_err(|error| unwritable(stage, &error))?;
    write(&stage.join(DOCUMENTS).join("copyright"), &licences()?)?;
    let clefc = stage.join("bin/clefc");
    say(&clefc, &["man", &stage.join(MANUAL).to_string_lossy()])?;
    for (shell, place) in COMPLETIONS {
        write(&stage.join("share").join(place), &say(&clefc, &["completions", shell])?)?;
    }
    Ok(())
}

/// Copies what exists as files.
fn files(stage: &Path, program: &Path) -> io::Result<()> {
    fresh(stage)?;
    for directory in ["bin", DOCUMENTS, MANUAL] {
        fs::create_dir_all(stage.join(directory))?;
    }
    fs::copy(program, stage.join("bin/clefc"))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(file), stage.join(DOCUMENTS).join(file))?;
    }
    copy(&root().join("editors"), &stage.join("share/clefc/editors"))
}

/// What clefc prints.
fn say(clefc: &PathBuf, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(clefc);
    command.args(arguments);
    output(command).ok_or_else(|| format!("`clefc {}` failed", arguments.join(" ")))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let directory = file.parent().unwrap_or(file);
    fs::create_dir_all(directory).and_then(|()| fs::write(file, text)).map_err(|error| unwritable(file, &error))
}

/// Copies a directory, without what is not shipped.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true if NOT_SHIPPED.iter().any(|name| entry.file_name() == *name) => {}
            true => copy(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(|_| ())?,
        }
    }
    Ok(())
}
