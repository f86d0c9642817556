//! The package for Debian and Ubuntu: the directory of the archive as `/usr`.

use super::{Distribution, VERSION, fresh, needs::Needs, stage, unwritable};
use crate::Failure;
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// The path of the package.
pub(super) fn file(distribution: &Distribution) -> PathBuf {
    distribution.directory.join(format!("clefc_{VERSION}_{}.deb", architecture(&distribution.host)))
}

/// Debian's name for the processor.
fn architecture(host: &str) -> &str {
    match host.split('-').next() {
        Some("x86_64") => "amd64",
        Some("aarch64") => "arm64",
        Some(other) => other,
        None => host,
    }
}

/// `dpkg-deb`, for a tree that it fills.
pub(super) fn pack(distribution: &Distribution, needs: &Needs) -> Result<Command, Failure> {
    let tree = distribution.directory.join("deb");
    fill(&tree, distribution, needs).map_err(|error| unwritable(&tree, &error))?;
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", "-z9", "-Sextreme", "--build"]).arg(&tree).arg(file(distribution));
    Ok(pack)
}

fn fill(tree: &Path, distribution: &Distribution, needs: &Needs) -> io::Result<()> {
    fresh(tree)?;
    stage::copy(&distribution.stage(), &tree.join("usr"))?;
    fs::create_dir(tree.join("DEBIAN"))?;
    let architecture = architecture(&distribution.host);
    let kilobytes = size(tree)?.div_ceil(1024);
    let (major, minor) = needs.libc;
    let control = format!(
        "Package: clefc\nVersion: {VERSION}\nArchitecture: {architecture}\nInstalled-Size: {kilobytes}\n\
         Maintainer: the developers of clefc <clefc@invalid>\nDepends: libc6 (>= {major}.{minor})\n\
         Suggests: qemu-system-arm, qemu-system-x86, qemu-user, gdb-multiarch, libclang1-22\nSection: devel\n\
         Priority: optional\nDescription: compiler of Clef, an ML for bare metal\n \
         Compiles Clef, which is F# without .NET, to small images for microcontrollers,\n \
         without a heap and without a garbage collector.\n"
    );
    fs::write(tree.join("DEBIAN/control"), control)
}

/// The bytes of all files of a directory.
fn size(directory: &Path) -> io::Result<u64> {
    fs::read_dir(directory)?.try_fold(0, |sum, entry| {
        let entry = entry?;
        let more = if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
        Ok(sum + more)
    })
}
