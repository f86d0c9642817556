//! The section of README on installation, as commands that can be followed.

use super::unwritable;
use crate::{Failure, toolchain::root};
use std::{fs, path::Path};

/// The commands of the section, a line each.
#[derive(Debug)]
pub(super) struct Install {
    /// Unpacks the archive.
    pub(super) archive: Vec<String>,
    /// Installs the package for Debian.
    pub(super) package: Vec<String>,
    /// The first steps with the installed program.
    pub(super) first_steps: Vec<String>,
}

impl Install {
    /// Reads README.
    pub(super) fn read() -> Result<Install, Failure> {
        let path = root().join("README.md");
        let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let blocks = blocks(&text);
        let with = |start: &str| {
            let found = blocks.iter().find(|block| block.iter().any(|line| line.starts_with(start)));
            found.cloned().ok_or_else(|| format!("README's section \"Install\" has no commands with `{start}`"))
        };
        Ok(Install { archive: with("tar ")?, package: with("sudo apt install ./")?, first_steps: with("clefc new")? })
    }

    /// Writes both ways of installation with the first steps as scripts for systems that have tools.
    pub(super) fn write(&self, directory: &Path) -> Result<(), Failure> {
        for (name, lines) in [("follow-archive.sh", &self.archive), ("follow-package.sh", &self.package)] {
            let file = directory.join(name);
            let script = [lines.as_slice(), &self.first_steps].concat().join("\n") + "\n";
            fs::write(&file, script).map_err(|error| unwritable(&file, &error))?;
        }
        Ok(())
    }
}

/// The lines of each block of shell commands in the section, without comments.
fn blocks(readme: &str) -> Vec<Vec<String>> {
    let section = readme.split_once("\n## Install\n").map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let command = |line: &str| line.split(" #").next().unwrap_or_default().trim().to_owned();
    let commands = |block: &str| block.lines().map(command).filter(|line| !line.is_empty()).collect();
    blocks.map(commands).collect()
}

#[cfg(test)]
mod tests {
    use super::{Install, blocks};
    use crate::dist::VERSION;

    #[test]
    fn blocks_are_those_of_the_section() {
        let readme =
            "# x\n```sh\nbefore\n```\n## Install\n```sh\na b    # why\n\nc\n```\n```\nd\n```\n## y\n```sh\ne\n```\n";
        assert_eq!(blocks(readme), [["a b", "c"]]);
    }

    #[test]
    fn readme_names_this_version() {
        let install = Install::read().expect("README describes the installation");
        let named = |lines: &[String]| lines.iter().any(|line| line.contains(VERSION));
        assert!(named(&install.archive) && named(&install.package), "{install:?}");
    }
}
