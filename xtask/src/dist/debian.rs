//! The package for Debian and Ubuntu: the directory of the archive as `/usr`.

use super::{Distribution, VERSION, fresh, needs::Needs, stage, tar, unwritable};
use crate::{Failure, step::Step};
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

/// The parts of a package, in their order (deb(5)).
const PARTS: [&str; 3] = ["debian-binary", "control.tar.xz", "data.tar.xz"];

/// Packs a tree that it fills. `dpkg-deb` would do so too, but does not pass filters to `xz`.
pub(super) fn pack(distribution: &Distribution, needs: &Needs) -> Result<[Step; 3], Failure> {
    let tree = distribution.directory.join("deb");
    fill(&tree, distribution, needs).map_err(|error| unwritable(&tree, &error))?;
    let part = |name: &str, to: &str| tar(distribution, &tree.join(name), ".", &tree.join(to));
    let [_, control, data] = PARTS;
    let mut join = Command::new("ar");
    join.args(["rcD"]).arg(file(distribution)).args(PARTS).current_dir(&tree);
    Ok([
        Step { name: "pack what the package for Debian is", command: part("control", control) },
        Step { name: "pack what the package for Debian has", command: part("data", data) },
        Step { name: "pack the package for Debian", command: join },
    ])
}

fn fill(tree: &Path, distribution: &Distribution, needs: &Needs) -> io::Result<()> {
    fresh(tree)?;
    // `ar` would add to an existing package.
    if file(distribution).exists() {
        fs::remove_file(file(distribution))?;
    }
    let [version, ..] = PARTS;
    fs::write(tree.join(version), "2.0\n")?;
    stage::copy(&distribution.stage(), &tree.join("data/usr"))?;
    fs::create_dir(tree.join("control"))?;
    let architecture = architecture(&distribution.host);
    let kilobytes = size(&tree.join("data"))?.div_ceil(1024);
    let (major, minor) = needs.libc;
    let control = format!(
        "Package: clefc\nVersion: {VERSION}\nArchitecture: {architecture}\nInstalled-Size: {kilobytes}\n\
         Maintainer: the developers of clefc <clefc@invalid>\nDepends: libc6 (>= {major}.{minor})\n\
         Suggests: qemu-system-arm, qemu-system-x86, qemu-user, gdb-multiarch, libclang1-22\nSection: devel\n\
         Priority: optional\nDescription: compiler of Clef, an ML for bare metal\n \
         Compiles Clef, which is F# without .NET, to small images for microcontrollers,\n \
         without a heap and without a garbage collector.\n"
    );
    fs::write(tree.join("control/control"), control)
}

/// The bytes of all files of a directory.
fn size(directory: &Path) -> io::Result<u64> {
    fs::read_dir(directory)?.try_fold(0, |sum, entry| {
        let entry = entry?;
        let more = if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
        Ok(sum + more)
    })
}
