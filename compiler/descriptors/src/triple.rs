//! The triples of targets: as they are written, which is what LLVM is told, and as values, which are compared.

use crate::cortex_m::Core;
use serde::{Serialize, Serializer};
use std::{
    fmt::{self, Display, Formatter},
    str::FromStr,
};
use target_lexicon::{Architecture, BinaryFormat, OperatingSystem, ParseError};

/// A triple whose parts are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Triple {
    text: String,
    parts: target_lexicon::Triple,
}

impl FromStr for Triple {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Triple, ParseError> {
        Ok(Triple { text: text.to_owned(), parts: text.parse()? })
    }
}

impl Triple {
    /// The triple as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the code is Thumb code, where the low bit of a code address is a flag.
    pub fn is_thumb(&self) -> bool {
        matches!(self.parts.architecture, Architecture::Arm(arm) if arm.is_thumb())
    }

    /// The core of Cortex-M that the code is for, if it is for one.
    pub fn core(&self) -> Option<Core> {
        Core::of_architecture(self.parts.architecture)
    }

    /// Whether the processor is a 64-bit Arm.
    pub fn is_aarch64(&self) -> bool {
        matches!(self.parts.architecture, Architecture::Aarch64(_))
    }

    pub(crate) fn is_x86_64(&self) -> bool {
        self.parts.architecture == Architecture::X86_64
    }

    pub(crate) fn is_linux(&self) -> bool {
        self.parts.operating_system == OperatingSystem::Linux
    }

    /// Whether objects are ELF files; systems without their own format use it.
    pub(crate) fn has_elf(&self) -> bool {
        matches!(self.parts.binary_format, BinaryFormat::Elf | BinaryFormat::Unknown)
    }

    /// The width of a pointer in bits, if the architecture determines it.
    pub(crate) fn pointer_bits(&self) -> Option<u32> {
        self.parts.pointer_width().ok().map(|width| width.bits().into())
    }

    /// Whether both name the same machine, whatever vendor they name.
    pub(crate) fn is_same_machine(&self, other: &Triple) -> bool {
        let machine = |triple: &Triple| {
            let parts = &triple.parts;
            (parts.architecture, parts.operating_system, parts.environment)
        };
        machine(self) == machine(other)
    }
}

impl Display for Triple {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Triple {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
