//! What a program needs of the machine that it runs on: a loader, shared libraries, and a version of the C library.

use crate::{Failure, step::output};
use std::{ffi::OsStr, path::Path, process::Command};

/// The libraries that a bare system has. The loader is one of them.
const ALLOWED: [&str; 2] = ["libc.so.6", "libm.so.6"];

/// The C library of Debian 12, the oldest system that is supported.
const OLDEST: Version = (2, 36);

type Version = (u32, u32);

/// What a program needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// The path of the loader.
    pub(super) loader: String,
    /// The names of the shared libraries, without the loader.
    pub(super) libraries: Vec<String>,
    /// The version of the C library.
    pub(super) libc: Version,
}

impl Needs {
    /// What `readelf` says of a program.
    pub(super) fn of(program: &Path) -> Result<Needs, Failure> {
        let mut readelf = Command::new("readelf");
        readelf.args(["--wide", "--program-headers", "--dynamic", "--version-info"]).arg(program).env("LC_ALL", "C");
        let text = output(readelf).ok_or_else(|| format!("`readelf` cannot read {}", program.display()))?;
        Needs::listed(&text).ok_or_else(|| format!("{} has no loader", program.display()))
    }

    fn listed(text: &str) -> Option<Needs> {
        let between = |line: &str, before: &str, after: char| {
            line.split_once(before).and_then(|(_, rest)| rest.split_once(after)).map(|(name, _)| name.to_owned())
        };
        let loader = text.lines().find_map(|line| between(line, "program interpreter: ", ']'))?;
        let file = Path::new(&loader).file_name().and_then(OsStr::to_str)?;
        let libraries = text.lines().filter_map(|line| between(line, "Shared library: [", ']'));
        let versions = text.split_whitespace().filter_map(|word| {
            let (major, minor) = word.strip_prefix("GLIBC_")?.split_once('.')?;
            Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
        });
        Some(Needs {
            libraries: libraries.filter(|name| name != file).collect(),
            libc: versions.max().unwrap_or_default(),
            loader,
        })
    }

    /// Whether the systems that are supported have it all.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let more: Vec<&str> =
            self.libraries.iter().map(String::as_str).filter(|name| !ALLOWED.contains(name)).collect();
        if !more.is_empty() {
            return Err(format!("clefc needs {}, which a bare system lacks", more.join(", ")));
        }
        match self.libc > OLDEST {
            true => Err(format!(
                "clefc needs version {}.{} of the C library, and Debian 12 has {}.{}: build it on Debian 12",
                self.libc.0, self.libc.1, OLDEST.0, OLDEST.1
            )),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Needs;

    const LISTED: &str = "      [Requesting program interpreter: /lib64/ld-linux-x86-64.so.2]\n\
         0x0000000000000001 (NEEDED)             Shared library: [libm.so.6]\n\
         0x0000000000000001 (NEEDED)             Shared library: [ld-linux-x86-64.so.2]\n\
         0x0050:   Name: GLIBC_2.34  Flags: none  Version: 41\n\
         0x0060:   Name: GLIBC_2.2.5  Flags: none  Version: 3\n";

    #[test]
    fn needs_are_read() {
        let needs = Needs::listed(LISTED).expect("there is a loader");
        let loader = "/lib64/ld-linux-x86-64.so.2".to_owned();
        assert_eq!(needs, Needs { loader, libraries: vec!["libm.so.6".to_owned()], libc: (2, 34) });
        assert_eq!(needs.check(), Ok(()));
        assert_eq!(Needs::listed("There are no program headers in this file.\n"), None);
    }

    #[test]
    fn what_bare_systems_lack_is_a_failure() {
        for (from, to, part) in
            [("libm.so.6", "libz.so.1", "needs libz.so.1"), ("GLIBC_2.34", "GLIBC_2.38", "build it on Debian 12")]
        {
            let needs = Needs::listed(&LISTED.replace(from, to)).expect("there is a loader");
            let failure = needs.check().expect_err("it is not there");
            assert!(failure.contains(part), "{failure}");
        }
    }
}
