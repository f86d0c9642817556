//! Project files: the source files and options of a program.
//!
//! In: the text of a project file, with its path. Out: a [`Project`], or diagnostics that point into the file. There is
//! one model, and one reader for each format: `clef.toml`, and Fidelity's `.fidproj`. This crate reads no files itself.

mod clef_toml;
pub mod edit;
mod fidproj;
mod log_level;
mod optimisation;
mod parts;
mod reader;

use clef_base::{Diagnostic, FileId, SourceMap, Span};
use clef_descriptors::Bytes;
pub use log_level::LogLevel;
pub use optimisation::Optimisation;
use std::path::{Path, PathBuf};

/// The name of a project file.
pub const CLEF_TOML: &str = "clef.toml";

/// The extension of Fidelity project files.
const FIDPROJ: &str = "fidproj";

/// A value with its location in the project file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its location.
    pub span: Span,
}

/// The content of a project file. Its paths are relative to the working directory of `clefc`.
#[derive(Debug)]
pub struct Project {
    /// The name of the program, and of its products unless they have their own.
    pub name: String,
    /// The source files, in the order of their dependencies; at least one.
    pub sources: Vec<Placed<PathBuf>>,
    /// The target to compile for.
    pub target: Option<Placed<String>>,
    /// The board to compile for.
    pub board: Option<Placed<String>>,
    /// The projects whose files come before these.
    pub dependencies: Vec<Placed<PathBuf>>,
    /// Objects and archives to link with.
    pub link: Vec<Placed<PathBuf>>,
    /// The names defined for `#if`.
    pub defines: Vec<String>,
    /// The minimum level of messages that are logged.
    pub log_level: Option<LogLevel>,
    /// The optimisation level.
    pub optimisation: Option<Optimisation>,
    /// The size of the stack, which overrides that of the board.
    pub stack: Option<Placed<Bytes>>,
    /// The size of the region pool, which overrides that of the board.
    pub pool: Option<Placed<Bytes>>,
    /// The name of the products.
    pub output: Option<String>,
    /// The project file.
    pub file: PathBuf,
}

/// Reads a project file that is already in the source map. Appends warnings to `warnings`.
pub fn read(
    sources: &SourceMap,
    file: FileId,
    path: &Path,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Project, Vec<Diagnostic>> {
    let text = &sources.file(file).text;
    if is_fidproj(path) { fidproj::read(file, text, path, warnings) } else { clef_toml::read(file, text, path) }
}

/// Whether a path names a project file.
pub fn is_project_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == CLEF_TOML) || is_fidproj(path)
}

/// Whether a path names a Fidelity project file.
pub fn is_fidproj(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == FIDPROJ)
}
