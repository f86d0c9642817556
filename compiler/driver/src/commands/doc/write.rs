//! Writes a site into its directory.
//!
//! Holds: nothing but the files of a site is changed or removed. The file `site.txt` lists the files of a site, so that those which a
//! later one does not have are removed.

use clef_base::{Diagnostic, codes};
use clef_documentation::site::Files;
use clef_host::{output::Mode, user_files::reason};
use clef_session::Session;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// The file that lists the others.
const LIST: &str = "site.txt";

/// The directory of a site.
pub(super) struct Directory {
    path: PathBuf,
    /// The files of the site that is there.
    earlier: Vec<String>,
}

impl Directory {
    /// The directory of a new site, which may not exist yet: it must be empty, or that of an earlier site.
    pub(super) fn prepare(path: &Path) -> Result<Directory, Vec<Diagnostic>> {
        let directory = |earlier| Directory { path: path.to_owned(), earlier };
        match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
            Ok(true) => Ok(directory(Vec::new())),
            Ok(false) => match fs::read_to_string(path.join(LIST)) {
                Ok(list) => Ok(directory(list.lines().map(str::to_owned).collect())),
                Err(_) => {
                    let message = format!("`{}` has other files than those of a site", path.display());
                    Err(vec![
                        Diagnostic::general(codes::UNSUITABLE_OPTION, message)
                            .help("name a directory that is empty or does not exist: `-o DIR`"),
                    ])
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(directory(Vec::new())),
            Err(error) => Err(vec![unwritable(path, &error)]),
        }
    }

    /// Writes the files, and removes those of the earlier site that are not among them.
    pub(super) fn write(&self, session: &mut Session, files: &Files) -> Result<(), Vec<Diagnostic>> {
        session.enter("write");
        let folders: BTreeSet<&Path> = files.keys().filter_map(|path| Path::new(path).parent()).collect();
        for folder in folders {
            let folder = self.path.join(folder);
            fs::create_dir_all(&folder).map_err(|error| vec![unwritable(&folder, &error)])?;
        }
        let is_inside = |path: &Path| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        for path in self.earlier.iter().filter(|path| !files.contains_key(*path) && is_inside(Path::new(path))) {
            // One that is not there needs no removal.
            let _ = fs::remove_file(self.path.join(path));
        }
        for (path, bytes) in files {
            session.files.write(&self.path.join(path), bytes, Mode::Plain)?;
        }
        let list: String = files.keys().map(|path| format!("{path}\n")).collect();
        session.files.write(&self.path.join(LIST), list.as_bytes(), Mode::Plain)?;
        Ok(())
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("cannot write to `{}`: {}", path.display(), reason(error));
    Diagnostic::general(codes::UNWRITABLE_FILE, message).help("name a directory that can be written to: `-o DIR`")
}
