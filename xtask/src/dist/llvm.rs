//! A prefix with the archives of LLVM, MLIR, Polly and LLD without their unwind tables.
//!
//! In: the installed LLVM. Out: a folder with the same layout. LLVM throws no exceptions, and no panic passes through it:
//! functions that it calls abort. So nothing reads these tables.

use super::{fresh, unwritable};
use crate::{Failure, step::Step, toolchain::llvm_prefix};
use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// The variables that tell Cargo's packages where LLVM is.
pub(super) const VARIABLES: [&str; 2] = ["LLVM_SYS_221_PREFIX", "MLIR_SYS_220_PREFIX"];

/// Copies the archives, of which several run at a time.
const COPY: &str = "cd \"$0\" && ls libLLVM*.a libMLIR*.a libPolly*.a liblld*.a |
    xargs -P \"$(nproc)\" -I{} objcopy --remove-section=.eh_frame {} \"$1/{}\"";

/// Makes the prefix in a folder; the step copies the archives.
pub(super) fn copy(folder: &Path) -> Result<Step, Failure> {
    let installed = PathBuf::from(llvm_prefix()?);
    link(&installed, folder).map_err(|error| unwritable(folder, &error))?;
    let mut command = Command::new("sh");
    command.arg("-c").arg(COPY).arg(installed.join("lib")).arg(folder.join("lib"));
    Ok(Step { name: "copy LLVM without unwind tables", command })
}

/// Links the headers and the shared libraries, and copies the program that tells where all is: it looks beside itself.
fn link(installed: &Path, folder: &Path) -> io::Result<()> {
    fresh(folder)?;
    symlink(installed.join("include"), folder.join("include"))?;
    fs::create_dir(folder.join("bin"))?;
    fs::copy(installed.join("bin/llvm-config"), folder.join("bin/llvm-config"))?;
    fs::create_dir(folder.join("lib"))?;
    for file in fs::read_dir(installed.join("lib"))? {
        let file = file?;
        let is_archive = Path::new(&file.file_name()).extension().is_some_and(|extension| extension == "a");
        if !is_archive {
            symlink(file.path(), folder.join("lib").join(file.file_name()))?;
        }
    }
    Ok(())
}
