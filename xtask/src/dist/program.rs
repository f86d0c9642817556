//! The program: clefc with LLVM, MLIR, LLD and all other libraries but the C library's linked in.

use super::{Distribution, fresh, llvm, unwritable};
use crate::{
    Failure,
    step::{Step, output, run_all},
    toolchain::{cargo, llvm_prefix},
};
use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// The archives that are linked, as the linker and as the compiler call them. The unwinder, which Rust asks for as a
/// shared library, is a part of GCC's.
const ARCHIVES: [(&str, &str); 5] = [
    ("libstdc++.a", "libstdc++.a"),
    ("libz.a", "libz.a"),
    ("libzstd.a", "libzstd.a"),
    ("libffi.a", "libffi.a"),
    ("libgcc_s.a", "libgcc_eh.a"),
];

/// How the program is compiled.
const PROFILE: &str = "dist";

/// How the program is linked.
///
/// - At a fixed address, which saves the relocations at each start.
/// - By LLD, which merges equal functions. `--icf=safe` does not help: Debian's archives of LLVM lack the tables that name the
///   functions whose addresses matter. LLVM compares addresses of data, such as the identities of passes.
/// - Without symbols.
const FLAGS: [&str; 6] = [
    "-Crelocation-model=static",
    "-Clink-arg=-static-libgcc",
    "-Clink-arg=-fuse-ld=lld",
    "-Clink-arg=-Wl,--icf=all",
    "-Clink-arg=-Wl,-O2",
    "-Clink-arg=-Wl,-s",
];

/// Builds the program and returns its path. What Cargo makes for it is not what it makes for others: LLVM differs.
pub(super) fn build(distribution: &Distribution) -> Result<PathBuf, Failure> {
    let archives = distribution.directory.join("archives");
    collect(&archives)?;
    let (prefix, products) = (distribution.directory.join("llvm"), distribution.directory.join("build"));
    let search = format!("-Lnative={}", archives.display());
    let linker = format!("-Clink-arg=-B{}/bin", llvm_prefix()?);
    let arguments = ["--package", "clefc", "--bin", "clefc", "--", &search, &linker];
    let mut build = cargo(&["rustc", "--locked", "--profile", PROFILE])?;
    build.args(arguments).args(FLAGS).env("CARGO_TARGET_DIR", &products);
    for variable in llvm::VARIABLES {
        build.env(variable, &prefix);
    }
    run_all(vec![llvm::copy(&prefix)?, Step { name: "build clefc", command: build }])?;
    Ok(products.join(PROFILE).join("clefc"))
}

/// Links the archives into one folder, which the linker searches first. It has no shared libraries.
fn collect(folder: &Path) -> Result<(), Failure> {
    fresh(folder).map_err(|error| unwritable(folder, &error))?;
    for (wanted, name) in ARCHIVES {
        let mut compiler = Command::new("c++");
        compiler.arg(format!("-print-file-name={name}"));
        let found = output(compiler).map(|path| PathBuf::from(path.trim())).filter(|path| path.is_absolute());
        let found = found.ok_or_else(|| format!("`{name}` is missing: install the development package that has it"))?;
        symlink(found, folder.join(wanted)).map_err(|error| unwritable(folder, &error))?;
    }
    Ok(())
}
