//! What a probe needs to know of an image.

use crate::fault::Source;
use clef_base::{Diagnostic, codes};
use clef_image::parse;
use clef_probe::Segment;
use clef_runtime::{FAULT_STOP, RTT_CONTROL_BLOCK};
use goblin::elf::{program_header::PT_LOAD, section_header::SHN_UNDEF};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The magic number of an ELF file.
const MAGIC: &[u8; 4] = b"\x7fELF";

/// The symbols of the program's start, and of the functions that write to its console, which may be all that is left of
/// it.
const READY: [&str; 3] = ["clef_main", "clef_console_write", "clef_console_write_terminated"];

/// A parsed image.
pub struct Image {
    /// The segments to program.
    pub segments: Vec<Segment>,
    /// The address of RTT's control block.
    pub rtt: Option<u64>,
    /// The address where the program begins, after the initialisation of its console.
    pub ready: Option<u64>,
    /// The address at which the processor stops at traps, unless the image reports them.
    pub stop: Option<u64>,
    /// The file, whose symbols are used to decode faults; nothing if the program is not known.
    pub file: Source,
}

impl Image {
    /// Parses an ELF file.
    pub fn read(bytes: &[u8]) -> Result<Image, Diagnostic> {
        let elf = parse(bytes)?;
        let loaded = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_filesz > 0);
        let segment = |address: u64, range: std::ops::Range<usize>| {
            let bytes = bytes.get(range).map(<[u8]>::to_vec);
            bytes
                .map(|bytes| Segment { address, bytes })
                .ok_or_else(|| malformed("a segment is beyond the end of the file"))
        };
        let segments = loaded.map(|header| segment(header.p_paddr, header.file_range()));
        let segments = segments.collect::<Result<Vec<_>, _>>()?;
        if segments.is_empty() {
            return Err(malformed("it contains nothing to program"));
        }
        let place = |name: &str| {
            let mut symbols = elf.syms.iter().filter(|symbol| symbol.st_shndx != SHN_UNDEF as usize);
            symbols.find(|symbol| elf.strtab.get_at(symbol.st_name) == Some(name)).map(|symbol| symbol.st_value)
        };
        // The low bit of the address of a Thumb function is not part of it.
        let ready = READY.iter().find_map(|name| place(name)).map(|address| address & !1);
        let stop = place(FAULT_STOP).map(|address| address & !1);
        Ok(Image { segments, rtt: place(RTT_CONTROL_BLOCK), ready, stop, file: Source::Bytes(bytes.into()) })
    }

    /// The number of bytes to program.
    pub fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.bytes.len()).sum()
    }
}

fn malformed(reason: &str) -> Diagnostic {
    Diagnostic::general(codes::MALFORMED_IMAGE, format!("the image is not a readable ELF file: {reason}"))
}

/// The path of a finished image, unless the files are a program to compile.
pub fn is_image(files: &[PathBuf]) -> Option<&Path> {
    let [file] = files else { return None };
    let mut magic = [0; 4];
    let begins = File::open(file).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *MAGIC;
    let is_named = file.extension().is_some_and(|extension| extension == "elf");
    (begins || is_named).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_image_is_refused() {
        assert_eq!(Image::read(b"no image").map(|image| image.bytes()).unwrap_err().code, codes::MALFORMED_IMAGE);
        assert_eq!(is_image(&["a.clef".into()]), None);
        assert_eq!(is_image(&["none/a.elf".into()]), Some(Path::new("none/a.elf")));
        assert_eq!(is_image(&["a.elf".into(), "b.elf".into()]), None);
    }
}
