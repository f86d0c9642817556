//! `clefc clean`: removes what builds of a program wrote, and nothing else.
//!
//! A file is removed if a build without `-o` writes to its path, if no part of the program comes from it, and if its content
//! is that of such a product. What only has the name is kept, and named.

use super::product_paths::{self, Content};
use crate::{cli::Clean, commands::Outcome};
use clef_base::{Diagnostic, codes};
use clef_host::{output, say, user_files::reason};
use clef_session::{Session, emit::Format, program};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Removes the products of a program, or lists them.
pub(crate) fn clean(session: &mut Session, clean: &Clean) -> Outcome {
    let outline = program::outline(session, &clean.files)?;
    let inputs: Vec<PathBuf> = outline.inputs.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let mut found = 0;
    for (content, path) in product_paths::all(&outline.product) {
        match judged(session, content, &path, &inputs)? {
            Judgement::Absent => continue,
            Judgement::Foreign(why) => say(&format!("kept {}: {why}\n", path.display())),
            Judgement::Product if clean.dry_run => output::print(&format!("would remove {}\n", path.display()))?,
            Judgement::Product => {
                fs::remove_file(&path).map_err(|error| unremovable(&path, &reason(&error)))?;
                output::print(&format!("removed {}\n", path.display()))?;
            }
        }
        found += 1;
    }
    if found == 0 {
        say("nothing to remove\n");
    }
    Ok(0)
}

/// What is at the path of a product.
#[derive(PartialEq, Eq, Debug)]
enum Judgement {
    /// Nothing.
    Absent,
    /// Something else, and why.
    Foreign(&'static str),
    /// The product.
    Product,
}

fn judged(session: &Session, content: Content, path: &Path, inputs: &[PathBuf]) -> Result<Judgement, Diagnostic> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(Judgement::Absent) };
    if metadata.is_dir() {
        return Ok(Judgement::Foreign("it is a directory"));
    }
    if !metadata.is_file() {
        return Ok(Judgement::Foreign("it is a link or a device, and builds write files"));
    }
    if fs::canonicalize(path).is_ok_and(|path| inputs.contains(&path)) {
        return Ok(Judgement::Foreign("the program is made from it"));
    }
    let bytes = session.files.bytes(path)?;
    Ok(match is_product(content, &bytes) {
        true => Judgement::Product,
        false => Judgement::Foreign("its content is not that of a product of clefc"),
    })
}

/// Whether bytes are a product of clefc. Images in the formats of flash programmers have no names of functions: they are
/// recognised by their form.
fn is_product(content: Content, bytes: &[u8]) -> bool {
    let names_runtime = || bytes.windows(5).any(|word| word == b"clef_");
    match content {
        Content::Header => {
            bytes.starts_with(b"/* The library ") && bytes.windows(13).any(|word| word == b"compiled from")
        }
        Content::Image(Format::Elf) | Content::Object => bytes.starts_with(b"\x7fELF") && names_runtime(),
        Content::Library => bytes.starts_with(b"!<arch>\n") && names_runtime(),
        Content::Image(Format::Uf2) => bytes.starts_with(b"UF2\nWQ]\x9e") && bytes.len().is_multiple_of(512),
        Content::Image(Format::Hex) => {
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            bytes.starts_with(b":")
                && lines.into_iter().all(|line| {
                    line.trim_ascii().strip_prefix(b":").is_some_and(|rest| rest.iter().all(u8::is_ascii_hexdigit))
                })
        }
        // The vector table is at the start, or after the first stage of the boot loader of an RP2040.
        Content::Image(Format::Bin) => [0, 0x100].into_iter().any(|start| begins_with_vectors(bytes, start)),
    }
}

/// Whether there is a vector table of a Cortex-M: an aligned stack pointer in RAM, and a reset handler in Thumb state.
fn begins_with_vectors(bytes: &[u8], start: usize) -> bool {
    let word = |at: usize| {
        let bytes = bytes.get(start + at..start + at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let (Some(stack), Some(reset)) = (word(0), word(4)) else { return false };
    stack.is_multiple_of(8) && (0x1000_0000..0x4000_0000).contains(&stack) && reset % 2 == 1
}

fn unremovable(path: &Path, reason: &str) -> Diagnostic {
    Diagnostic::general(codes::UNWRITABLE_FILE, format!("cannot remove `{}`: {reason}", path.display()))
        .help("allow writing to its directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_known_by_their_content() {
        let elf = Content::Image(Format::Elf);
        assert!(is_product(elf, b"\x7fELF...clef_runtime"));
        assert!(!is_product(elf, b"\x7fELF...main"));
        assert!(!is_product(elf, b"#!/bin/sh\n# clef_\n"));
        let hex = Content::Image(Format::Hex);
        assert!(is_product(hex, b":020000040000FA\r\n:00000001FF\r\n") && !is_product(hex, b": a note\n"));
        let bin = Content::Image(Format::Bin);
        assert!(is_product(bin, b"\x00\x10\x00\x20\xd9\x00\x00\x00") && !is_product(bin, b"measured: 12\n"));
        assert!(!is_product(bin, b""));
    }
}
