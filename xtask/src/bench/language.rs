//! The languages that are compared, and the platforms that their programs run on.

use crate::{Failure, step::output, toolchain::has_target};
use std::{
    fmt::{self, Display},
    process::Command,
};

/// The board's target, as Rust calls it.
pub(crate) const RUST_BOARD_TARGET: &str = "thumbv7em-none-eabihf";

/// A language, or a way to write it. A table has a column for each, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Clef,
    C,
    /// Generic code, as Rust is commonly written.
    Rust,
    /// Closures behind `dyn Fn`.
    RustDyn,
    OCaml,
}

impl Language {
    pub(crate) const ALL: [Language; 5] =
        [Language::Clef, Language::C, Language::Rust, Language::RustDyn, Language::OCaml];

    /// The name of the file of a program, relative to `bench/programs`.
    pub(crate) fn source(self, program: &str) -> String {
        let file = match self {
            Language::Clef => "clef",
            Language::C => "c",
            Language::Rust => "rs",
            Language::RustDyn => return format!("{program}/{program}_dyn.rs"),
            Language::OCaml => "ml",
        };
        format!("{program}/{program}.{file}")
    }

    /// Whether it has a compiler here for a platform.
    pub(crate) fn is_present(self, platform: Platform) -> bool {
        match (self, platform) {
            (Language::Clef, _) => true,
            (Language::C, _) => answers(&llvm_tool("clang"), "--version"),
            (Language::Rust | Language::RustDyn, Platform::Linux) => answers("rustc", "--version"),
            (Language::Rust | Language::RustDyn, Platform::CortexM4) => has_target(RUST_BOARD_TARGET),
            (Language::OCaml, Platform::Linux) => answers("ocamlopt", "-version"),
            (Language::OCaml, Platform::CortexM4) => false,
        }
    }

    /// The language whose empty program this one starts like.
    pub(crate) fn base(self) -> Language {
        if self == Language::RustDyn { Language::Rust } else { self }
    }

    /// The name for files and JSON.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Language::Clef => "clef",
            Language::C => "c",
            Language::Rust => "rust",
            Language::RustDyn => "rust-dyn",
            Language::OCaml => "ocaml",
        }
    }
}

impl Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Language::Clef => "Clef",
            Language::C => "C",
            Language::Rust => "Rust",
            Language::RustDyn => "Rust dyn",
            Language::OCaml => "OCaml",
        })
    }
}

/// The name of a tool of LLVM 22: Debian's has the version in it.
pub(crate) fn llvm_tool(name: &str) -> String {
    let versioned = format!("{name}-22");
    if answers(&versioned, "--version") { versioned } else { name.to_owned() }
}

fn answers(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument);
    output(command).is_some()
}

/// Where programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Platform {
    /// x86-64 Linux.
    Linux,
    /// QEMU's MPS2-AN386.
    CortexM4,
}

impl Platform {
    pub(crate) const ALL: [Platform; 2] = [Platform::Linux, Platform::CortexM4];

    pub(crate) fn parse(name: &str) -> Result<Platform, Failure> {
        Platform::ALL
            .into_iter()
            .find(|platform| platform.key() == name)
            .ok_or_else(|| format!("there is no platform `{name}`: it is x86-64 or cortex-m4"))
    }

    /// The name for arguments and files.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Platform::Linux => "x86-64",
            Platform::CortexM4 => "cortex-m4",
        }
    }
}

/// What a program is optimised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    Speed,
    Size,
}
