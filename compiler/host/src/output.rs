//! Writing products: completely or not at all.

use crate::{cleanup, user_files::reason};
use clef_base::{Diagnostic, codes};
use std::{
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};
use tempfile::NamedTempFile;

/// Whether a product is executable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Data.
    Plain,
    /// A program.
    Executable,
}

/// Writes `bytes` to `path` atomically: after a failure the old file is unchanged.
pub fn write_file(path: &Path, bytes: &[u8], mode: Mode) -> Result<(), Diagnostic> {
    if path.is_dir() {
        return Err(unwritable(path, "it is a directory").help("specify a file in it"));
    }
    if is_special(path) {
        // A device or a pipe, such as `/dev/null`, cannot be replaced.
        return fs::write(path, bytes).map_err(|error| unwritable(path, &reason(&error)));
    }
    atomically(path, bytes, mode).map_err(|error| {
        let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        match directory.filter(|_| error.kind() == io::ErrorKind::NotFound) {
            Some(directory) => unwritable(path, "no such directory")
                .help(format!("create the directory `{}`, or choose another one", directory.display())),
            None => unwritable(path, &reason(&error)),
        }
    })
}

fn atomically(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let bits = match mode {
        Mode::Plain => 0o666,
        Mode::Executable => 0o777,
    };
    let _alone = (mode == Mode::Executable).then(cleanup::no_spawning);
    // The permissions are masked by the user's umask, as for every new file.
    let mut file: NamedTempFile =
        tempfile::Builder::new().prefix(".clefc-").permissions(Permissions::from_mode(bits)).tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

fn unwritable(path: &Path, reason: &str) -> Diagnostic {
    Diagnostic::general(codes::UNWRITABLE_FILE, format!("cannot write `{}`: {reason}", path.display()))
}

/// Writes a file again, with its permissions; of a link, the file that it leads to.
pub fn replace(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let unwritable = |error: &io::Error| unwritable(path, &reason(error));
    let file = fs::canonicalize(path).map_err(|error| unwritable(&error))?;
    let permissions = fs::metadata(&file).map_err(|error| unwritable(&error))?.permissions();
    if permissions.readonly() {
        return Err(self::unwritable(path, "it is read-only").help("allow writing to it: `chmod u+w`"));
    }
    write_file(&file, text.as_bytes(), Mode::Plain)?;
    fs::set_permissions(&file, permissions).map_err(|error| unwritable(&error))
}

/// Prints to standard output. A closed pipe is no error.
pub fn print(text: &str) -> Result<(), Diagnostic> {
    print_bytes(text.as_bytes()).map(drop)
}

/// Prints bytes to standard output; false if it is a closed pipe.
pub fn print_bytes(bytes: &[u8]) -> Result<bool, Diagnostic> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(unwritable(Path::new("standard output"), &reason(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_may_be_executable() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.elf");
        fs::write(&path, "old").expect("it is writable");
        write_file(&path, b"new", Mode::Executable).expect("it is writable");
        assert_eq!(fs::read(&path).expect("it is there"), b"new");
        assert_ne!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o100, 0);
        assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn a_directory_and_a_missing_directory_are_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        assert!(write_file(directory.path(), b"x", Mode::Plain).is_err());
        assert!(write_file(&directory.path().join("none/a"), b"x", Mode::Plain).is_err());
    }
}
