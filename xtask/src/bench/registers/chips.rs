//! The chips whose registers are measured.

/// Where the description of a chip is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In this directory of `compiler/registers/chips`, compressed: `Device` comes with the compiler.
    Compiler(&'static str),
    /// The file with this path in the package of `descriptions`: the manufacturer's own description, which does not come with the
    /// compiler.
    Package(&'static str),
}

/// A chip. Its programs are in the directory of its name in `bench/registers`.
#[derive(Debug)]
pub(crate) struct Chip {
    pub(crate) name: &'static str,
    /// As its manufacturer writes the name.
    pub(crate) title: &'static str,
    pub(crate) source: Source,
    /// The board that its programs are compiled for.
    pub(crate) board: &'static str,
    /// The processor, for Clang; empty for a chip without a sequence of accesses.
    pub(crate) clang: &'static [&'static str],
}

const CORTEX_M4: &[&str] = &["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4"];
const CORTEX_M0_PLUS: &[&str] = &["--target=thumbv6m-none-eabi", "-mcpu=cortex-m0plus"];

/// The last one has no Cortex-M. It is here for the length of its module.
pub(crate) static CHIPS: [Chip; 4] = [
    Chip {
        name: "nrf52840",
        title: "nRF52840",
        source: Source::Compiler("nordic"),
        board: "nrf52840-dk",
        clang: CORTEX_M4,
    },
    Chip {
        name: "rp2040",
        title: "RP2040",
        source: Source::Compiler("raspberry-pi"),
        board: "rpi-pico",
        clang: CORTEX_M0_PLUS,
    },
    Chip {
        name: "stm32f407",
        title: "STM32F407",
        source: Source::Package("STMicro/STM32F40x.svd"),
        board: "stm32f4-discovery",
        clang: CORTEX_M4,
    },
    Chip {
        name: "atsama5d34",
        title: "ATSAMA5D34",
        source: Source::Package("Atmel/ATSAMA5D34.svd"),
        board: "mps2-an386",
        clang: &[],
    },
];

/// The chip of a name.
pub(crate) fn named(name: &str) -> Option<&'static Chip> {
    CHIPS.iter().find(|chip| chip.name == name)
}

impl Chip {
    /// The program with its accesses through `Device`, relative to `bench/registers`.
    pub(crate) fn with_device(&self) -> String {
        format!("{0}/{0}.clef", self.name)
    }

    /// The program with its addresses as numbers.
    pub(crate) fn with_numbers(&self) -> String {
        format!("{0}/{0}_mmio.clef", self.name)
    }

    /// The function in C.
    pub(crate) fn in_c(&self) -> String {
        format!("{0}/{0}.c", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::root;

    #[test]
    fn every_chip_has_its_programs() {
        let directory = root().join("bench/registers");
        for chip in &CHIPS {
            assert!(directory.join(chip.with_device()).is_file(), "{}", chip.name);
            assert!(directory.join(chip.with_numbers()).is_file(), "{}", chip.name);
            assert_eq!(directory.join(chip.in_c()).is_file(), !chip.clang.is_empty(), "{}", chip.name);
        }
    }
}
