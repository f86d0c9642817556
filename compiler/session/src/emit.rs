//! The products of a compilation, in the order of the pipeline.

use clap::ValueEnum;
use clef_base::{Diagnostic, codes};
use clef_descriptors::Board;

/// Something that can be asked for by `--emit`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, ValueEnum)]
pub enum Emit {
    /// The tokens, with the layout made explicit
    Tokens,
    /// The syntax tree
    Ast,
    /// The typed tree
    Psg,
    /// The captures of every closure, and how they are captured
    Captures,
    /// The monomorphic program
    Core,
    /// The storage of each allocation, and the reason
    Storage,
    /// The same as JSON, for editors
    StorageJson,
    /// The layout of closures and values in bytes
    Layout,
    /// MLIR with the clef dialect
    Mlir,
    /// MLIR in the llvm dialect
    MlirLlvm,
    /// LLVM IR of program and runtime, optimised
    LlvmIr,
    /// Assembly
    Asm,
    /// The object file
    Obj,
    /// A static library for other languages, with a header for C
    Lib,
    /// The linked image
    Elf,
    /// The raw bytes of the image in flash
    Bin,
    /// The same as Intel HEX
    Hex,
    /// The same as UF2, for boot loaders that appear as a disk
    Uf2,
}

impl Emit {
    /// Whether it is human-readable; such products go to standard output unless a file is named.
    pub fn is_text(self) -> bool {
        match self {
            Emit::Tokens
            | Emit::Ast
            | Emit::Psg
            | Emit::Captures
            | Emit::Core
            | Emit::Storage
            | Emit::StorageJson
            | Emit::Layout
            | Emit::Mlir
            | Emit::MlirLlvm
            | Emit::LlvmIr
            | Emit::Asm => true,
            Emit::Obj | Emit::Lib | Emit::Elf | Emit::Bin | Emit::Hex | Emit::Uf2 => false,
        }
    }

    /// The file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Emit::Tokens => "tokens",
            Emit::Ast => "ast",
            Emit::Psg => "psg",
            Emit::Captures => "captures",
            Emit::Core => "core",
            Emit::Storage => "storage",
            Emit::StorageJson => "storage.json",
            Emit::Layout => "layout",
            Emit::Mlir => "mlir",
            Emit::MlirLlvm => "llvm.mlir",
            Emit::LlvmIr => "ll",
            Emit::Asm => "s",
            Emit::Obj => "o",
            Emit::Lib => "a",
            Emit::Elf => "elf",
            Emit::Bin => "bin",
            Emit::Hex => "hex",
            Emit::Uf2 => "uf2",
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// The format of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// ELF, with symbols
    Elf,
    /// Intel HEX
    Hex,
    /// Raw binary
    Bin,
    /// UF2, for boot loaders that appear as a disk
    Uf2,
}

impl Format {
    /// The product of this format.
    pub fn product(self) -> Emit {
        match self {
            Format::Elf => Emit::Elf,
            Format::Hex => Emit::Hex,
            Format::Bin => Emit::Bin,
            Format::Uf2 => Emit::Uf2,
        }
    }

    /// The format of a product, if it is an image.
    pub fn of(product: Emit) -> Option<Format> {
        [Format::Elf, Format::Hex, Format::Bin, Format::Uf2].into_iter().find(|format| format.product() == product)
    }

    /// Checks that a board has images of this format.
    pub fn check(self, board: &Board) -> Result<(), Diagnostic> {
        let name = self.product().name();
        match self {
            Format::Hex | Format::Bin | Format::Uf2 if board.flash().is_none() => {
                let message = format!("the format `{name}` requires flash, which `{}` does not have", board.name);
                Err(Diagnostic::general(codes::UNSUITABLE_FORMAT, message)
                    .help("use `--format elf`, or choose another board by `--board`"))
            }
            Format::Uf2 if board.uf2.is_none() => Err(no_family(board)),
            Format::Elf | Format::Hex | Format::Bin | Format::Uf2 => Ok(()),
        }
    }

    /// Converts an image, an ELF file, to this format.
    pub fn written(self, elf: &[u8], board: &Board) -> Result<Vec<u8>, Diagnostic> {
        self.check(board)?;
        match (self, board.uf2) {
            (Format::Elf, _) => Ok(elf.to_vec()),
            (Format::Hex, _) => clef_image::intel_hex(elf).map(String::into_bytes),
            (Format::Bin, _) => clef_image::binary(elf),
            (Format::Uf2, Some(uf2)) => clef_image::uf2(elf, uf2),
            (Format::Uf2, None) => Err(no_family(board)),
        }
    }
}

fn no_family(board: &Board) -> Diagnostic {
    let message = format!("the format UF2 requires a chip family, which `{}` does not specify", board.name);
    Diagnostic::general(codes::UNSUITABLE_FORMAT, message)
        .help("use `--format hex`, or a board with `uf2: { family: … }` in its descriptor")
}
