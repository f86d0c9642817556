//! A sequence of accesses in Clef and in C: images and instructions.

use super::{
    super::{
        build::{self, CLANG},
        elf,
        language::llvm_tool,
    },
    Chip, Tools,
    code::{self, Code},
    descriptions::Description,
    modules::program,
};
use crate::{Failure, toolchain::root};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The function of the sequence, in both languages.
const FUNCTION: &str = "registers";

/// The sequence of a chip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sequence {
    pub(crate) chip: &'static str,
    /// The level of optimisation of both languages.
    pub(crate) level: &'static str,
    /// Bytes of flash of the image in Clef, with `Device` and with addresses as numbers.
    pub(crate) device: u32,
    pub(crate) numbers: u32,
    pub(crate) clef: Code,
    pub(crate) c: Code,
}

impl Sequence {
    /// Optimised for speed, and for size.
    pub(crate) const LEVELS: [&'static str; 2] = ["2", "z"];

    /// A sentence about what should be equal and is not.
    pub(crate) fn fault(&self) -> Option<String> {
        let Sequence { chip, level, device, numbers, clef, c } = self;
        if device != numbers {
            return Some(format!(
                "registers of {chip} at -O{level}: {device} bytes with Device, {numbers} with numbers"
            ));
        }
        let (clef, c) = (clef.accesses(), c.accesses());
        (clef != c)
            .then(|| format!("registers of {chip} at -O{level}: the accesses differ: {clef:?} in Clef, {c:?} in C"))
    }
}

/// Compiles the sequence of a chip.
pub(super) fn measured(
    tools: &Tools<'_>,
    chip: &Chip,
    description: &Description,
    level: &'static str,
) -> Result<Sequence, Failure> {
    let with_device = image(tools, chip, Some(description), level)?;
    let with_numbers = image(tools, chip, None, level)?;
    Ok(Sequence {
        chip: chip.name,
        level,
        device: flash(&with_device)?,
        numbers: flash(&with_numbers)?,
        clef: code::of(&with_device, FUNCTION)?,
        c: code::of(&object(tools, chip, level)?, FUNCTION)?,
    })
}

fn image(tools: &Tools<'_>, chip: &Chip, device: Option<&Description>, level: &str) -> Result<PathBuf, Failure> {
    let name = if device.is_some() { "device" } else { "numbers" };
    let product = tools.directory.join(chip.name).join(format!("{name}-{level}.elf"));
    let mut command = Command::new(tools.clefc);
    command.args(["-O", level]).args(program(chip, device)).arg("-o").arg(&product);
    build::run(command)?;
    Ok(product)
}

fn object(tools: &Tools<'_>, chip: &Chip, level: &str) -> Result<PathBuf, Failure> {
    let product = tools.directory.join(chip.name).join(format!("c-{level}.o"));
    let mut command = Command::new(llvm_tool("clang"));
    command.args(chip.clang).arg("-ffreestanding").args(CLANG).arg(format!("-O{level}"));
    command.arg("-c").arg(root().join("bench/registers").join(chip.in_c())).arg("-o").arg(&product);
    build::run(command)?;
    Ok(product)
}

fn flash(image: &Path) -> Result<u32, Failure> {
    let file = fs::read(image).map_err(|error| format!("cannot read `{}`: {error}", image.display()))?;
    elf::bytes(&file).map(|bytes| bytes.flash)
}

#[cfg(test)]
pub(crate) fn example() -> Sequence {
    let instructions: Vec<String> =
        ["ldr r0, [pc, #0x4]", "movs r1, #0x8", "str r1, [r0, #0x4]", "bx lr"].map(str::to_owned).to_vec();
    let code = Code { bytes: 12, instructions };
    Sequence { chip: "nrf52840", level: "z", device: 400, numbers: 400, clef: code.clone(), c: code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_a_fault() {
        assert_eq!(example().fault(), None);
        let fault = Sequence { numbers: 396, ..example() }.fault().unwrap();
        assert_eq!(fault, "registers of nrf52840 at -Oz: 400 bytes with Device, 396 with numbers");
        let mut other = example();
        other.c.instructions[2] = "strb r1, [r0, #0x4]".to_owned();
        let fault = other.fault().unwrap();
        assert!(fault.ends_with(r#"the accesses differ: ["str"] in Clef, ["strb"] in C"#), "{fault}");
    }
}
