//! Where products go unless `-o` names a file: the table that `clefc build` writes by, and `clefc clean` removes by.

use clap::ValueEnum;
use clef_descriptors::Boot;
use clef_session::emit::{Emit, Format};
use std::path::{Path, PathBuf};

/// The path of a product for a board that starts by `boot`: that of the program with the product's extension. Programs
/// for Linux have none.
pub(crate) fn of(program: &Path, emit: Emit, boot: Boot) -> PathBuf {
    match (emit, boot) {
        (Emit::Lib, _) => {
            let name = program.file_name().unwrap_or_default().to_string_lossy();
            program.with_file_name(format!("lib{name}.a"))
        }
        (Emit::Elf, Boot::Linux) => program.to_owned(),
        (_, Boot::Linux | Boot::CortexM | Boot::Aarch64 | Boot::Pvh) => {
            let mut name = program.to_owned().into_os_string();
            name.push(".");
            name.push(emit.extension());
            PathBuf::from(name)
        }
    }
}

/// The header of a library.
pub(crate) fn header(archive: &Path) -> PathBuf {
    archive.with_extension("h")
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// An image.
    Image(Format),
    /// An object file.
    Object,
    /// A library.
    Library,
    /// The header of a library.
    Header,
}

/// The files that builds of a program may have written, for any board.
pub(crate) fn all(program: &Path) -> Vec<(Content, PathBuf)> {
    let library = of(program, Emit::Lib, Boot::Linux);
    let images = Format::value_variants().iter();
    let images = images.map(|&format| (Content::Image(format), of(program, format.product(), Boot::CortexM)));
    let others = [
        (Content::Image(Format::Elf), of(program, Emit::Elf, Boot::Linux)),
        (Content::Object, of(program, Emit::Obj, Boot::Linux)),
        (Content::Header, header(&library)),
        (Content::Library, library),
    ];
    others.into_iter().chain(images).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_products_have_names_of_their_own() {
        let paths: Vec<String> =
            all(Path::new("a/blinky")).into_iter().map(|(_, path)| path.display().to_string()).collect();
        let expected = [
            "blinky",
            "blinky.o",
            "libblinky.h",
            "libblinky.a",
            "blinky.elf",
            "blinky.hex",
            "blinky.bin",
            "blinky.uf2",
        ];
        assert_eq!(paths, expected.map(|name| format!("a/{name}")));
    }
}
