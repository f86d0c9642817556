//! `cargo xtask dist`: an archive of clefc that needs nothing but a C library, a package for Debian, and a test of both
//! in an empty root.
//!
//! Out, in `target/dist`: `clefc-VERSION-HOST.tar.xz` and `clefc_VERSION_ARCHITECTURE.deb`. Both contain the program, its
//! manual pages, completions for shells, the files of editors, and all licences. `follow-archive.sh` and
//! `follow-package.sh` are what README says about each. `clef-VERSION.vsix` is the extension for VS Code.

mod bare;
mod debian;
mod licences;
mod llvm;
mod needs;
mod program;
mod readme;
mod stage;

use crate::{
    Failure,
    setup::Consent,
    step::{Step, output, run_all},
    toolchain::{root, target_directory},
    vsix,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is packed, and where.
struct Distribution {
    /// The Rust target of this machine.
    host: String,
    /// The folder that everything is written to.
    directory: PathBuf,
}

impl Distribution {
    /// The name of the archive without its suffix, and of the one directory in it.
    fn name(&self) -> String {
        format!("clefc-{VERSION}-{}", self.host)
    }

    /// The directory that is packed.
    fn stage(&self) -> PathBuf {
        self.directory.join(self.name())
    }

    /// The extension for VS Code.
    fn extension(&self) -> PathBuf {
        self.directory.join(format!("clef-{VERSION}.vsix"))
    }

    fn archive(&self) -> PathBuf {
        self.directory.join(self.name() + ".tar.xz")
    }
}

/// Builds, packs, and tests what was packed.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    crate::setup::run(consent)?;
    vsix::run(consent)?;
    let distribution = Distribution { host: host()?, directory: target_directory().join("dist") };
    let readme = readme::Install::read()?;
    let program = program::build(&distribution)?;
    let needs = needs::Needs::of(&program)?;
    needs.check()?;
    stage::fill(&distribution.stage(), &program)?;
    let archive = tar(&distribution, &distribution.directory, &distribution.name(), &distribution.archive());
    let mut steps = vec![Step { name: "pack the archive", command: archive }];
    steps.extend(debian::pack(&distribution, &needs)?);
    run_all(steps)?;
    let extension = distribution.extension();
    fs::copy(root().join(vsix::PACKAGE), &extension).map_err(|error| unwritable(&extension, &error))?;
    readme.write(&distribution.directory)?;
    bare::check(&distribution, &needs, &readme)?;
    for file in [&program, &distribution.archive(), &debian::file(&distribution), &extension] {
        let bytes = fs::metadata(file).map_or(0, |file| file.len());
        eprintln!("{:>7.1} MB  {}", bytes as f64 / 1e6, file.display());
    }
    Ok(())
}

/// The Rust target of this machine.
fn host() -> Result<String, Failure> {
    let mut rustc = Command::new("rustc");
    rustc.arg("-vV").current_dir(root());
    let text = output(rustc).ok_or("rustc is missing")?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or("rustc does not tell its host".to_owned())
}

/// Makes an empty directory.
fn fresh(directory: &Path) -> io::Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    format!("cannot write {}: {error}", path.display())
}

/// `tar`, which makes the same bytes of the same files: what a directory has of this name, compressed. Machine code is converted before, so that
/// the address of a call is the same everywhere.
fn tar(distribution: &Distribution, directory: &Path, name: &str, to: &Path) -> Command {
    let filter = match distribution.host.split('-').next() {
        Some("x86_64") => "--x86",
        Some("aarch64") => "--arm64",
        Some(_) | None => "",
    };
    let mut tar = Command::new("tar");
    tar.args(["--create", "--owner=0", "--group=0", "--numeric-owner", "--sort=name", "--mtime=@0"]);
    tar.arg(format!("--use-compress-program=xz -T1 {filter} --lzma2=preset=9e,dict=128MiB"));
    tar.arg("--file").arg(to).arg("--directory").arg(directory).arg(name);
    tar
}
