//! Project files: which files a program is made of.
//!
//! In: the text of a project file, with its path. Out: a [`Project`] as the file says, or diagnostics that point into it.
//! There is one model and one reader for each format: `clef.toml`, and Fidelity's `.fidproj`. This crate reads no files
//! itself.

mod clef_toml;
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

/// The ending of project files of Fidelity.
const FIDPROJ: &str = "fidproj";

/// A value with its place in the project file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed<T> {
    /// What stands there.
    pub value: T,
    /// Where.
    pub span: Span,
}

/// What a project file says. Its paths start where `clefc` was called.
#[derive(Debug)]
pub struct Project {
    /// What the program is called, and its products where they have no name of their own.
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
    /// The names that are true in `#if`.
    pub defines: Vec<String>,
    /// The least level of messages that are logged.
    pub log_level: Option<LogLevel>,
    /// How far to optimise.
    pub optimisation: Option<Optimisation>,
    /// The size of the stack, in place of the board's.
    pub stack: Option<Placed<Bytes>>,
    /// The size of the pool of regions, in place of the board's.
    pub pool: Option<Placed<Bytes>>,
    /// The name of the products.
    pub output: Option<String>,
    /// The project file.
    pub file: PathBuf,
}

/// Reads a project file, which is a file of the source map already. Warnings are added to `warnings`.
pub fn read(
    sources: &SourceMap,
    file: FileId,
    path: &Path,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Project, Vec<Diagnostic>> {
    let text = &sources.file(file).text;
    if is_fidproj(path) { fidproj::read(file, text, path, warnings) } else { clef_toml::read(file, text, path) }
}

/// Whether a path is that of a project file.
pub fn is_project_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == CLEF_TOML) || is_fidproj(path)
}

/// Whether a path is that of a project file of Fidelity.
pub fn is_fidproj(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == FIDPROJ)
}
