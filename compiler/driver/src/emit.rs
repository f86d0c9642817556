//! The products of a compilation, in the order of the pipeline.

use clap::ValueEnum;

/// Something that can be asked for by `--emit`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, ValueEnum)]
pub enum Emit {
    /// The tokens, with the layout made explicit
    Tokens,
    /// The syntax tree
    Ast,
    /// The typed tree
    Psg,
    /// The captures of every closure, and why they are captured
    Captures,
    /// The monomorphic program
    Core,
    /// Where everything that needs memory lives, and why
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
    /// The linked image
    Elf,
    /// The bytes of the image as they lie in flash
    Bin,
    /// The same as Intel HEX
    Hex,
}

impl Emit {
    /// Whether it is made for people to read; such products go to standard output unless a file is named.
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
            Emit::Obj | Emit::Elf | Emit::Bin | Emit::Hex => false,
        }
    }

    /// The ending of a file that holds it.
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
            Emit::Elf => "elf",
            Emit::Bin => "bin",
            Emit::Hex => "hex",
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
