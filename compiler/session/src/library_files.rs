//! The files of the library, for editors and debuggers that show them.
//!
//! In: the sources of a library. Out: a folder of the user's cache in which they are. Holds: the folder's name is that of its
//! content, so that files of another version or another board are never shown; files are written when they are first needed.

use clef_base::SourceMap;
use clef_descriptors::Board;
use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

/// The library for a machine, with the registers of its chip if they are wanted.
pub fn sources(target: &str, board: &Board, registers: bool) -> SourceMap {
    let registers = registers.then(|| clef_library::registers(board)).flatten();
    let mut sources = SourceMap::default();
    for source in clef_library::sources_for(target, board).into_iter().chain(registers) {
        sources.add(source.name, source.text);
    }
    sources
}

/// What debug information says of the compiler: its version, and which library it has for a machine.
pub fn producer(target: &str, board: &Board) -> String {
    format!("clefc {}, library {}", env!("CARGO_PKG_VERSION"), name(&sources(target, board, false)))
}

/// The folder of a library's files, which may not exist yet.
pub fn folder(sources: &SourceMap) -> PathBuf {
    cache().join(name(sources))
}

/// Whether a file is one of a library that was written.
pub fn is_of_library(path: &Path) -> bool {
    path.strip_prefix(cache()).is_ok_and(|rest| rest.components().count() > 1)
}

/// The name of the content.
fn name(sources: &SourceMap) -> String {
    let mut hasher = DefaultHasher::new();
    for (_, file) in sources.files() {
        (&file.name, &file.text).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// The folder of all libraries' files.
fn cache() -> PathBuf {
    let own = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || env::var_os("HOME").filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join(".cache"));
    let folder = own.or_else(home).unwrap_or_else(env::temp_dir).join("clefc");
    // Paths of documents are canonical.
    fs::canonicalize(&folder).unwrap_or(folder)
}

/// Writes the files, as far as they do not exist.
pub fn write(folder: &Path, sources: &SourceMap) -> io::Result<()> {
    for (_, file) in sources.files() {
        let path = folder.join(&file.name);
        if !path.exists() {
            write_file(&path, &file.text)?;
        }
    }
    Ok(())
}

/// Writes a page about the library into its folder, unless it is there; returns its path.
pub fn write_page(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = folder.join("library").join(name);
    if fs::read_to_string(&path).ok().as_deref() != Some(text) {
        write_file(&path, text)?;
    }
    Ok(path)
}

/// Writes a file that users do not change.
fn write_file(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    // Another `clefc` may write the same file.
    let written = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&written, text)?;
    let mut permissions = fs::metadata(&written)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&written, permissions)?;
    fs::rename(&written, path)
}
