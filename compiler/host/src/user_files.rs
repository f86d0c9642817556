//! The files of the user: all that a run reads, and all that it writes.
//!
//! In: paths. Out: their content, or diagnostics that say why a file cannot be used, at the location that names it if
//! there is one. Holds: no file that was read is written, and none is written twice, by whatever path, hard link or
//! symbolic link it is named.

use crate::output::{self, Mode};
use clef_base::{Diagnostic, HashMap, Span, codes, nearest};
use std::{
    cell::RefCell,
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Spans are 32-bit offsets, and no source file written by people is nearly as large.
const LARGEST_FILE: u64 = 1 << 30;

/// The largest descriptor, project file or test plan.
const LARGEST_DESCRIPTION: u64 = 1 << 20;

/// The files read and written so far.
#[derive(Default)]
pub struct UserFiles {
    /// Names of commands, which the user may have meant instead of a file.
    commands: Vec<String>,
    read: RefCell<Vec<Identity>>,
    written: RefCell<Vec<Identity>>,
    /// The texts that are read in place of files, by canonical path: those that an editor has not saved.
    unsaved: HashMap<PathBuf, String>,
}

/// The identity of a file, independent of its path.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Identity {
    /// An existing file, by its device and inode.
    File(u64, u64),
    /// A file that does not exist yet, by its directory and its name.
    Future(PathBuf, PathBuf),
}

impl Identity {
    /// None for devices and pipes, which are not overwritten.
    fn of(path: &Path) -> Option<Identity> {
        match fs::metadata(path) {
            Ok(metadata) => metadata.is_file().then(|| Identity::File(metadata.dev(), metadata.ino())),
            Err(_) => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                Some(Identity::Future(fs::canonicalize(parent).ok()?, PathBuf::from(path.file_name()?)))
            }
        }
    }
}

impl UserFiles {
    /// No files yet; `commands` are suggested if a source file does not exist.
    pub fn new(commands: Vec<String>) -> UserFiles {
        UserFiles { commands, ..UserFiles::default() }
    }

    /// The same, but with texts that are read in place of the files with these canonical paths.
    pub fn with_unsaved(self, unsaved: HashMap<PathBuf, String>) -> UserFiles {
        UserFiles { unsaved, ..self }
    }

    /// Reads a source file; `from` is the location that names it.
    pub fn source(&self, path: &Path, from: Option<Span>) -> Result<String, Diagnostic> {
        self.check_extension(path).map_err(|diagnostic| diagnostic.at_if(from))?;
        self.text(path, from, LARGEST_FILE)
    }

    /// Reads a project file, a test plan or the like; `from` is the location that names it.
    pub fn description(&self, path: &Path, from: Option<Span>) -> Result<String, Diagnostic> {
        self.text(path, from, LARGEST_DESCRIPTION)
    }

    /// Reads a text that may be large: an earlier report, or the description of a chip.
    pub fn long_text(&self, path: &Path) -> Result<String, Diagnostic> {
        self.text(path, None, LARGEST_FILE)
    }

    /// Reads a descriptor; errors are worded as for source files.
    pub fn descriptor(&self, path: &Path) -> io::Result<String> {
        let explained = |error: io::Error| io::Error::new(error.kind(), reason(&error));
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        let bytes = self.bytes_up_to(path, LARGEST_DESCRIPTION).map_err(explained)?;
        String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            io::Error::new(io::ErrorKind::InvalidData, format!("it is not valid UTF-8 from offset {offset}"))
        })
    }

    /// Reads an image, an object or an archive.
    pub fn bytes(&self, path: &Path) -> Result<Vec<u8>, Diagnostic> {
        if path.is_dir() {
            return Err(unreadable(path, "it is a directory"));
        }
        self.bytes_up_to(path, LARGEST_FILE).map_err(|error| unread(path, &error))
    }

    /// Records a file that something else reads.
    pub fn will_read(&self, path: &Path) {
        self.read.borrow_mut().extend(Identity::of(path));
    }

    /// Checks that these files can be written: none of them was read, and no two are the same.
    pub fn check_outputs(&self, paths: &[&Path]) -> Result<(), Diagnostic> {
        let mut others: Vec<Identity> = self.written.borrow().clone();
        for path in paths {
            let Some(identity) = Identity::of(path) else { continue };
            let shown = path.display();
            if self.read.borrow().contains(&identity) {
                let message = format!("the output would overwrite the input `{shown}`");
                return Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message).help(ANOTHER));
            }
            if others.contains(&identity) {
                let message = format!("several outputs would be written to `{shown}`");
                return Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message).help(ANOTHER));
            }
            others.push(identity);
        }
        Ok(())
    }

    /// Writes a file that the user has requested, completely or not at all.
    pub fn write(&self, path: &Path, bytes: &[u8], mode: Mode) -> Result<(), Diagnostic> {
        self.check_outputs(&[path])?;
        output::write_file(path, bytes, mode)?;
        self.written.borrow_mut().extend(Identity::of(path));
        Ok(())
    }

    fn check_extension(&self, path: &Path) -> Result<(), Diagnostic> {
        let extension = path.extension().unwrap_or_default();
        if extension == "clef" || extension == "fs" {
            return Ok(());
        }
        let message = format!("`{}` is not a source file: its extension is neither `.clef` nor `.fs`", path.display());
        let diagnostic = Diagnostic::general(codes::UNKNOWN_EXTENSION, message);
        let word = path.to_string_lossy();
        Err(match nearest(&word, self.commands.iter().map(String::as_str)) {
            Some(command) if !path.exists() => diagnostic.help(format!("did you mean the command `clefc {command}`?")),
            Some(_) | None if path.is_file() => {
                let name = path.with_extension("clef");
                diagnostic.help(format!("rename it if it contains Clef: `{}`", name.display()))
            }
            Some(_) | None => diagnostic,
        })
    }

    fn text(&self, path: &Path, from: Option<Span>, most: u64) -> Result<String, Diagnostic> {
        let text = || {
            if path.is_dir() {
                return Err(unreadable(path, "it is a directory").help("specify the files in it"));
            }
            let bytes = self.bytes_up_to(path, most).map_err(|error| unread(path, &error))?;
            String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))
        };
        text().map_err(|diagnostic| diagnostic.at_if(from))
    }

    fn unsaved_text(&self, path: &Path) -> Option<&String> {
        // A file that was never saved has no canonical path.
        if self.unsaved.is_empty() {
            return None;
        }
        self.unsaved.get(path).or_else(|| self.unsaved.get(&fs::canonicalize(path).ok()?))
    }

    fn bytes_up_to(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        if let Some(unsaved) = self.unsaved_text(path) {
            return Ok(unsaved.clone().into_bytes());
        }
        let mut bytes = Vec::new();
        let file = File::open(path)?;
        self.will_read(path);
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            let most = if most == LARGEST_FILE { "1 GiB" } else { "1 MiB" };
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {most}")));
        }
        Ok(bytes)
    }
}

const ANOTHER: &str = "specify another file";

fn unreadable(path: &Path, reason: &str) -> Diagnostic {
    Diagnostic::general(codes::UNREADABLE_FILE, format!("cannot read `{}`: {reason}", path.display()))
}

/// The error for a file that cannot be read; in place of one that does not exist, it proposes a similar one.
fn unread(path: &Path, error: &io::Error) -> Diagnostic {
    let diagnostic = unreadable(path, &reason(error));
    match similar(path).filter(|_| error.kind() == io::ErrorKind::NotFound) {
        Some(similar) => diagnostic.help(format!("did you mean `{}`?", similar.display())),
        None => diagnostic,
    }
}

/// The file in the same directory and with the same extension whose name is most like that of a path.
fn similar(path: &Path) -> Option<PathBuf> {
    let directory = path.parent()?;
    let listed = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let names = fs::read_dir(listed).ok()?.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name())));
    let is_alike = |name: &PathBuf| name.extension() == path.extension() && listed.join(name).is_file();
    let alike = names.filter(is_alike);
    let mut stems: Vec<String> = alike.filter_map(|name| Some(name.file_stem()?.to_str()?.to_owned())).collect();
    stems.sort();
    let stem = nearest(path.file_stem()?.to_str()?, stems.iter().map(String::as_str))?;
    let name = match path.extension() {
        Some(extension) => format!("{stem}.{}", extension.to_str()?),
        None => stem.to_owned(),
    };
    Some(directory.join(name))
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Diagnostic {
    let offset = error.utf8_error().valid_up_to();
    let byte = error.as_bytes()[offset];
    let line = error.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1;
    let message = format!("`{}` is not valid UTF-8", path.display());
    Diagnostic::general(codes::NOT_UTF8, message)
        .note(format!("the first invalid byte is 0x{byte:02x}, at offset {offset}, in line {line}"))
        .help("save the file as UTF-8")
}

/// The message of an error without its number.
pub fn reason(error: &io::Error) -> String {
    let kind = error.kind();
    if kind == io::ErrorKind::NotFound {
        "no such file".to_owned()
    } else if kind == io::ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_was_read_is_not_written_by_any_name() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        fs::write(path("a"), "text").expect("it is writable");
        fs::hard_link(path("a"), path("hard")).expect("it is writable");
        symlink("a", path("soft")).expect("it is writable");
        let files = UserFiles::default();
        files.description(&path("a"), None).expect("it is readable");
        for name in ["a", "hard", "soft", "../a", "./a"] {
            let path = if name == "../a" { directory.path().join("..").join(path("a")) } else { path(name) };
            assert!(files.write(&path, b"product", Mode::Plain).is_err(), "{name}");
        }
        assert_eq!(fs::read(path("hard")).expect("it is there"), b"text");
    }

    #[test]
    fn nothing_is_written_twice() {
        let directory = tempfile::tempdir().expect("a directory");
        let (new, same) = (directory.path().join("new"), directory.path().join("./new"));
        let files = UserFiles::default();
        assert!(files.check_outputs(&[&new, &same]).is_err());
        files.write(&new, b"one", Mode::Plain).expect("it is writable");
        assert!(files.write(&same, b"two", Mode::Plain).is_err());
        let null = Path::new("/dev/null");
        assert!(files.check_outputs(&[null, null]).is_ok());
    }

    #[test]
    fn descriptors_have_an_end() {
        let error = UserFiles::default().descriptor(Path::new("/dev/zero")).expect_err("it is endless");
        assert_eq!(error.to_string(), "it is larger than 1 MiB");
    }
}
