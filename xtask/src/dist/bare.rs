//! What was packed, in a root that has nothing but a shell, `/dev/null`, the C library and its loader: what README says
//! about the installation and the first steps.
//!
//! Each command must succeed, and what the steps are known to write must exist. No tool for LLVM, no emulator and no
//! other library is there.

use super::{Distribution, debian, fresh, needs::Needs, readme::Install};
use crate::{
    Failure,
    step::{Step, output, run_all},
};
use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// The home of the user in the root.
const HOME: &str = "home";

/// What the first steps write, below [`HOME`].
const WRITTEN: [&str; 3] = ["app/app.elf", "app/app.uf2", "app/clef.toml"];

/// The shell needs only the C library.
const SHELL: &str = "/bin/dash";

/// Installs both packages, each in a root of its own, and follows the first steps there.
pub(super) fn check(distribution: &Distribution, needs: &Needs, readme: &Install) -> Result<(), Failure> {
    archive(distribution, needs, readme)?;
    package(distribution, needs, readme)
}

fn archive(distribution: &Distribution, needs: &Needs, readme: &Install) -> Result<(), Failure> {
    let bare = distribution.directory.join("root-archive");
    let home = prepare(&bare, needs)?;
    let archive = distribution.archive();
    fs::copy(&archive, home.join(archive.file_name().unwrap_or_default()))
        .map_err(|error| format!("cannot copy {}: {error}", archive.display()))?;
    // Only `tar` is run outside: the root has none.
    let (unpack, inside): (Vec<&String>, Vec<&String>) =
        readme.archive.iter().partition(|line| line.starts_with("tar "));
    let mut steps = Vec::new();
    for line in unpack {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).current_dir(&home);
        steps.push(Step { name: "unpack the archive in an empty root", command });
    }
    let command = in_root(&bare, inside.into_iter().chain(&readme.first_steps))?;
    steps.push(Step { name: "follow README with the archive", command });
    run_all(steps)?;
    written(&home)
}

fn package(distribution: &Distribution, needs: &Needs, readme: &Install) -> Result<(), Failure> {
    let file = debian::file(distribution);
    let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if !readme.package.iter().any(|line| line.ends_with(&format!("/{name}"))) {
        return Err(format!("README does not install the package {name}"));
    }
    let bare = distribution.directory.join("root-package");
    let home = prepare(&bare, needs)?;
    let mut extract = Command::new("dpkg-deb");
    extract.arg("--extract").arg(&file).arg(&bare);
    run_all(vec![
        Step { name: "unpack the package in an empty root", command: extract },
        Step { name: "follow README with the package", command: in_root(&bare, readme.first_steps.iter())? },
    ])?;
    written(&home)
}

/// The shell in a root, where it stops at the first command that fails, with an environment that names no tools.
fn in_root<'l>(bare: &Path, lines: impl Iterator<Item = &'l String>) -> Result<Command, Failure> {
    let script: Vec<&str> = lines.map(String::as_str).collect();
    let mut user = Command::new("id");
    user.arg("--user");
    let user = output(user).ok_or("cannot run `id`")?;
    let mut command = Command::new("unshare");
    // Others than root may change their root only in a namespace of their own.
    if user.trim() != "0" {
        command.args(["--user", "--map-root-user"]);
    }
    command.arg(format!("--root={}", bare.display())).arg(format!("--wd=/{HOME}"));
    command.args(["/bin/sh", "-exc", &script.join("\n")]);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", format!("/{HOME}"));
    Ok(command)
}

fn written(home: &Path) -> Result<(), Failure> {
    match WRITTEN.iter().find(|file| fs::metadata(home.join(file)).map_or(0, |file| file.len()) == 0) {
        Some(file) => Err(format!("the steps of README did not write {file}")),
        None => Ok(()),
    }
}

/// Makes the root: a shell, the loader, and the libraries that the program needs. Returns its home.
fn prepare(bare: &Path, needs: &Needs) -> Result<PathBuf, Failure> {
    let fill = || -> io::Result<()> {
        fresh(bare)?;
        for folder in [HOME, "tmp", "bin", "lib", "dev"] {
            fs::create_dir_all(bare.join(folder))?;
        }
        // Each system has it. Only root could make a device, and a file serves as well.
        fs::write(bare.join("dev/null"), "")?;
        let loader = bare.join(needs.loader.trim_start_matches('/'));
        fs::create_dir_all(loader.parent().unwrap_or(bare))?;
        fs::copy(&needs.loader, loader)?;
        fs::copy(SHELL, bare.join("bin/sh"))?;
        for library in &needs.libraries {
            fs::copy(shared_library(library), bare.join("lib").join(library))?;
        }
        Ok(())
    };
    fill().map_err(|error| format!("cannot prepare {}: {error}", bare.display()))?;
    Ok(bare.join(HOME))
}

fn shared_library(name: &str) -> PathBuf {
    let mut compiler = Command::new("cc");
    compiler.arg(format!("-print-file-name={name}"));
    output(compiler).map_or_else(|| PathBuf::from(name), |path| PathBuf::from(path.trim()))
}
