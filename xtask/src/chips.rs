//! `cargo xtask chips`: describes the registers of ST's chips in CMSIS-SVD.
//!
//! In: crates of crates.io that the project stm32-rs makes by svd2rust, which have the registers with the corrections of that project.
//! Out: `NAME.svd.gz` in `compiler/registers/chips/st`. Holds: a description has each peripheral, register, field and value of the
//! crate's module that the chip has, with the same place, size, access and content after a reset.

mod model;
mod read;
mod source;
mod svd;

use crate::{
    Failure,
    toolchain::{cargo, root},
};
use source::Sources;
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The version of each crate.
const VERSION: &str = "0.16.0";

/// The directory of the descriptions.
const DIRECTORY: &str = "compiler/registers/chips/st";

/// A chip.
struct Chip {
    /// Its name, which that of the file begins with.
    name: &'static str,
    /// The crate, and its module with the registers.
    package: &'static str,
    module: &'static str,
    /// The peripherals and interrupts of the module that the chip does not have.
    without: &'static [&'static str],
    /// The interrupts that the module lacks: name, description and number.
    more: &'static [(&'static str, &'static str, u64)],
}

const FLASH: (&str, &str, u64) = ("FLASH", "Flash global interrupt", 4);

/// The STM32F205 and F405 are parts of larger chips' modules (RM0033, 2.3 and 10.2; RM0090, 2.3 and 12.2); those of the others lack an
/// interrupt (RM0008, 10.1.2; RM0438, "Interrupts").
const CHIPS: [Chip; 7] = [
    Chip {
        name: "stm32f103",
        package: "stm32f1",
        module: "stm32f103",
        without: &[
            "OTG_FS_DEVICE",
            "OTG_FS_GLOBAL",
            "OTG_FS_HOST",
            "OTG_FS_PWRCLK",
            "ETHERNET_MMC",
            "ETHERNET_MAC",
            "ETHERNET_PTP",
            "ETHERNET_DMA",
        ],
        more: &[("USBWAKEUP", "USB wakeup from suspend through EXTI line interrupt", 42)],
    },
    Chip {
        name: "stm32f205",
        package: "stm32f2",
        module: "stm32f215",
        without: &[
            "CRYP",
            "HASH",
            "DCMI",
            "ETH",
            "ETH_WKUP",
            "ETHERNET_MMC",
            "ETHERNET_MAC",
            "ETHERNET_PTP",
            "ETHERNET_DMA",
        ],
        more: &[],
    },
    Chip {
        name: "stm32f405",
        package: "stm32f4",
        module: "stm32f405",
        without: &["CRYP", "HASH", "DCMI"],
        more: &[FLASH],
    },
    Chip { name: "stm32f407", package: "stm32f4", module: "stm32f407", without: &["CRYP", "HASH"], more: &[FLASH] },
    Chip { name: "stm32f411", package: "stm32f4", module: "stm32f411", without: &[], more: &[] },
    Chip { name: "stm32f446", package: "stm32f4", module: "stm32f446", without: &[], more: &[] },
    Chip {
        name: "stm32l552",
        package: "stm32l5",
        module: "stm32l552",
        without: &[],
        more: &[("FPU", "Floating-point unit interrupt", 95)],
    },
];

/// Writes the descriptions.
pub(crate) fn run() -> Result<(), Failure> {
    let packages = packages()?;
    let directory = root().join(DIRECTORY);
    fs::create_dir_all(&directory).map_err(|error| format!("cannot create `{}`: {error}", directory.display()))?;
    for chip in &CHIPS {
        let sources = Sources::new(source_of(&packages, chip.package)?);
        let mut device = read::device(&sources, chip.module)?;
        device.remove(chip.without);
        device.add(chip.more);
        let text = svd::write(&device, chip.name, &format!("{} {VERSION}", chip.package));
        let file = directory.join(format!("{}.svd.gz", chip.name));
        compress(&text, &file)?;
        eprintln!("{}: {} peripherals, {} registers", chip.name, device.peripherals.len(), device.registers());
    }
    Ok(())
}

/// Downloads the crates: what `cargo metadata` says about them.
fn packages() -> Result<serde_json::Value, Failure> {
    let directory = root().join("target/chips");
    let mut names: Vec<&str> = CHIPS.iter().map(|chip| chip.package).collect();
    names.dedup();
    let dependencies: String = names.iter().map(|name| format!("{name} = \"={VERSION}\"\n")).collect();
    let manifest = format!(
        "[package]\nname = \"chips\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n[workspace]\n"
    );
    let write = |path: &str, text: &str| {
        fs::write(directory.join(path), text).map_err(|error| format!("cannot write `{path}`: {error}"))
    };
    fs::create_dir_all(directory.join("src")).map_err(|error| format!("cannot create the directory: {error}"))?;
    write("Cargo.toml", &manifest)?;
    write("src/lib.rs", "")?;
    let mut metadata = cargo(&["metadata", "--format-version", "1", "--manifest-path"])?;
    metadata.arg(directory.join("Cargo.toml")).stderr(Stdio::inherit());
    let output = metadata.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err("cargo cannot download the crates".to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo's metadata cannot be read: {error}"))
}

/// The directory of a crate's source.
fn source_of(packages: &serde_json::Value, name: &str) -> Result<PathBuf, Failure> {
    let package = packages["packages"].as_array().into_iter().flatten().find(|package| package["name"] == name);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("cargo does not say where the crate `{name}` is"))?;
    Ok(Path::new(manifest).with_file_name("src"))
}

/// Writes a text compressed, the same bytes each time.
fn compress(text: &str, path: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| format!("cannot write `{}`: {error}", path.display());
    let file = fs::File::create(path).map_err(failed)?;
    let mut gzip = Command::new("gzip");
    gzip.args(["--best", "--no-name"]).stdin(Stdio::piped()).stdout(file);
    let mut child = gzip.spawn().map_err(failed)?;
    child.stdin.take().map_or(Ok(()), |mut input| input.write_all(text.as_bytes())).map_err(failed)?;
    match child.wait().map_err(failed)?.success() {
        true => Ok(()),
        false => Err(format!("gzip cannot write `{}`", path.display())),
    }
}
