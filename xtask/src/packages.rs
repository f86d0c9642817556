//! The packages that the machine must have.
//!
//! On Debian and its descendants missing packages are installed by `apt-get`; elsewhere the programs are searched for,
//! and missing ones are reported.

use crate::{
    Failure,
    setup::{Consent, agreed},
    step::{Step, output, shown},
};
use std::{fs, process::Command};

/// The Debian packages, with the purpose of each.
const DEBIAN_PACKAGES: &[(&str, &str)] = &[
    ("llvm-22-dev", "LLVM 22, libraries and headers"),
    ("libmlir-22-dev", "MLIR 22, libraries and headers"),
    ("mlir-22-tools", "mlir-opt, for tests of the printed MLIR"),
    ("libpolly-22-dev", "a library that LLVM's link line names"),
    ("clang-22", "compiles C for tests of foreign functions, for every target"),
    ("libclang-22-dev", "reads the C headers of LLVM and MLIR, and those of `clefc bind`"),
    ("zlib1g-dev", "a library that LLVM's link line names"),
    ("libzstd-dev", "a library that LLVM's link line names"),
    ("liblld-22-dev", "LLD 22, which clefc contains"),
    ("lld-22", "links C programs in tests and benchmarks"),
    ("g++", "compiles the C++ side of the TableGen bindings"),
    ("qemu-system-arm", "runs Cortex-M and AArch64 images"),
    ("qemu-system-x86", "runs x86-64 images"),
    ("qemu-user", "runs AArch64 Linux programs"),
    ("gdb-multiarch", "debugs programs on every target"),
    ("ocaml-nox", "judges generated programs, and is compared in benchmarks"),
    ("valgrind", "counts instructions in benchmarks"),
    ("neovim", "an editor with the language server in tests"),
];

/// The arguments for installation: recommended packages are not needed, and would conflict with more installed ones.
const INSTALL: &[&str] = &["install", "--yes", "--no-install-recommends"];

/// The equivalent programs on other systems: one of each line is enough.
const PROGRAMS: &[(&[&str], &str)] = &[
    (&["llvm-config-22", "llvm-config"], "LLVM and MLIR 22 with headers, Polly, libclang, zlib and zstd"),
    (&["mlir-opt-22", "mlir-opt"], "the tools of MLIR 22"),
    (&["clang-22", "clang"], "clang 22"),
    (&["ld.lld-22", "ld.lld"], "LLD 22"),
    (&["c++"], "a C++ compiler"),
    (&["qemu-system-arm"], "QEMU for Arm"),
    (&["qemu-system-aarch64"], "QEMU for AArch64"),
    (&["qemu-system-x86_64"], "QEMU for x86-64"),
    (&["qemu-aarch64"], "QEMU for AArch64 Linux programs"),
    (&["gdb-multiarch"], "GDB for every target"),
    (&["ocaml"], "OCaml, which judges generated programs"),
    (&["valgrind"], "Valgrind, which counts instructions in benchmarks"),
    (&["nvim"], "Neovim, an editor in tests"),
];

/// Ensures that everything is installed.
pub(crate) fn ensure(consent: Consent) -> Result<(), Failure> {
    match fs::read_to_string("/etc/os-release") {
        Ok(text) if is_debian(&text) => ensure_debian(consent),
        Ok(_) | Err(_) => ensure_programs(),
    }
}

/// Whether an `os-release` file is that of Debian, Ubuntu or a descendant.
fn is_debian(os_release: &str) -> bool {
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        matches!(key, "ID" | "ID_LIKE").then(|| value.trim_matches(['"', '\'']).to_owned())
    };
    os_release.lines().filter_map(value).any(|ids| ids.split_whitespace().any(|id| id == "debian" || id == "ubuntu"))
}

fn ensure_debian(consent: Consent) -> Result<(), Failure> {
    let missing = missing_debian()?;
    if missing.is_empty() {
        eprintln!("packages: all {} are installed", DEBIAN_PACKAGES.len());
        return Ok(());
    }
    eprintln!("packages to install:");
    for (package, purpose) in &missing {
        eprintln!("    {package:<18} {purpose}");
    }
    let names: Vec<&str> = missing.iter().map(|(package, _)| *package).collect();
    let update = apt_get(&["update"]);
    let mut install = apt_get(INSTALL);
    install.args(&names);
    eprintln!("by the commands:\n    {}\n    {}", shown(&update), shown(&install));
    if !agreed(consent)? {
        return Err("nothing was installed; run the commands above yourself, then try again".to_owned());
    }
    Step { name: "update the package lists", command: update }.run()?;
    let removed = removed_for(&names);
    if !removed.is_empty() {
        eprintln!("packages that conflict with these and will be removed: {}", removed.join(" "));
        if !agreed(consent)? {
            return Err("nothing was installed".to_owned());
        }
    }
    Step { name: "install packages", command: install }.run().map_err(|failure| {
        format!(
            "{failure}\nThis system's archive may lack LLVM 22: https://apt.llvm.org offers it. Needed are: {}",
            names.join(" ")
        )
    })?;
    match missing_debian()?.as_slice() {
        [] => Ok(()),
        still => Err(format!("still missing: {}", still.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" "))),
    }
}

/// The installed packages that conflict with these, such as the tools of another version of QEMU.
fn removed_for(names: &[&str]) -> Vec<String> {
    let mut simulation = Command::new("apt-get");
    simulation.arg("--simulate").args(INSTALL).args(names);
    removals(&output(simulation).unwrap_or_default())
}

/// The packages that `apt-get --simulate` would remove.
fn removals(simulation: &str) -> Vec<String> {
    let lines = simulation.lines().filter_map(|line| line.strip_prefix("Remv "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

fn missing_debian() -> Result<Vec<(&'static str, &'static str)>, Failure> {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${db:Status-Abbrev} ${Package}\\n"]);
    let installed = output(query).ok_or("cannot query the installed packages with dpkg-query")?;
    let is_installed = |name: &str| {
        installed
            .lines()
            .any(|line| line.split_once(' ').is_some_and(|(status, rest)| status == "ii" && rest.trim() == name))
    };
    Ok(DEBIAN_PACKAGES.iter().filter(|(name, _)| !is_installed(name)).copied().collect())
}

/// `apt-get`, with `sudo` unless run by root.
fn apt_get(arguments: &[&str]) -> Command {
    let mut user = Command::new("id");
    user.arg("--user");
    let root = output(user).is_some_and(|id| id.trim() == "0");
    let mut command = if root { Command::new("env") } else { Command::new("sudo") };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(arguments);
    command
}

fn ensure_programs() -> Result<(), Failure> {
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(programs, _)| !programs.iter().any(|program| is_there(program)))
        .map(|(_, what)| *what)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let debian: Vec<&str> = DEBIAN_PACKAGES.iter().map(|(package, _)| *package).collect();
    Err(format!(
        "this system has neither Debian's nor Ubuntu's package manager, and lacks:\n    {}\n\
         Install them; on Debian the packages are called {}",
        missing.join("\n    "),
        debian.join(" ")
    ))
}

/// Whether a program can be run, and, if it comes from LLVM, has version 22.
fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version");
    let from_llvm = ["llvm", "mlir", "ld.lld", "clang"].iter().any(|prefix| program.starts_with(prefix));
    output(command).is_some_and(|version| !from_llvm || version.contains("22."))
}

#[cfg(test)]
mod tests {
    use super::{is_debian, removals};

    #[test]
    fn removals_are_read_from_a_simulation() {
        let simulation = "NOTE: This is only a simulation!\nRemv qemu-utils [1:10.0.2]\nInst qemu-system-arm (1:7.2)\n";
        assert_eq!(removals(simulation), ["qemu-utils"]);
        assert!(removals("").is_empty());
    }

    #[test]
    fn descendants_of_debian_are_recognised() {
        assert!(is_debian("NAME=x\nID=debian\n"));
        assert!(is_debian("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!is_debian("ID=fedora\nVERSION_ID=42\n"));
        assert!(!is_debian("ID=alpine\nHOME_URL=\"https://example.org/debian\"\n"));
    }
}
