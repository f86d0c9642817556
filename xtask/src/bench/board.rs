//! Runs images on QEMU's MPS2-AN386, and counts their instructions exactly by the plugin of `bench/icount`.

use super::build::Tools;
use crate::{
    Failure,
    toolchain::{cargo, target_directory},
};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Seconds after which a run is ended.
const TIMEOUT: &str = "120";

/// What is known of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) checksum: i32,
    pub(crate) instructions: u64,
}

/// Builds the plugin.
pub(crate) fn plugin() -> Result<PathBuf, Failure> {
    let mut build = cargo(&["build", "--quiet", "--release", "--package", "clef-icount"])?;
    match build.status() {
        Ok(status) if status.success() => Ok(target_directory().join("release/libclef_icount.so")),
        Ok(status) => Err(format!("the plugin that counts instructions is not built ({status})")),
        Err(error) => Err(format!("cannot start cargo: {error}")),
    }
}

/// Runs an image; the instructions are without those of a run whose size is zero.
pub(crate) fn run(image: &Path, size: u32, tools: &Tools) -> Result<Report, Failure> {
    let (full, start) = (once(image, size, tools)?, once(image, 0, tools)?);
    Ok(Report { instructions: full.instructions.saturating_sub(start.instructions), ..full })
}

fn once(image: &Path, size: u32, tools: &Tools) -> Result<Report, Failure> {
    let plugin = tools.plugin.as_ref().ok_or("there is no plugin to count instructions")?;
    let mut command = Command::new("timeout");
    command.args([TIMEOUT, "qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none"]);
    command.args(["-serial", "none", "-semihosting-config"]);
    command.arg(format!("enable=on,target=native,arg=bench,arg={size}"));
    command.arg("-plugin").arg(plugin).arg("-kernel").arg(image);
    let output = command.output().map_err(|error| format!("cannot start QEMU: {error}"))?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    report(&text)
        .ok_or_else(|| format!("`{}` ends with {} and no result: {}", image.display(), output.status, text.trim()))
}

/// Reads the line of the harness, and that of the plugin.
fn report(text: &str) -> Option<Report> {
    let checksum = text.lines().find_map(|line| line.trim().parse().ok())?;
    let instructions = text.lines().find_map(|line| line.strip_prefix("instructions: ")?.trim().parse().ok())?;
    Some(Report { checksum, instructions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        assert_eq!(report("-12\ninstructions: 4563441\n"), Some(Report { checksum: -12, instructions: 4_563_441 }));
        assert_eq!(report("instructions: 5\n"), None);
        assert_eq!(report("qemu: fatal: Lockup\n"), None);
    }
}
