//! The bytes that an ELF file of 32 bits takes of a board's flash and RAM.

use crate::Failure;

/// The bytes of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes {
    /// All that is written to the board, the initial values of variables too.
    pub(crate) flash: u32,
    /// Variables. The stack and the region pool, which take what is left, are not counted.
    pub(crate) ram: u32,
}

/// The sections that reserve memory for the stack and the regions.
const RESERVED: [&str; 2] = [".stack", ".pool"];

const SHT_NOBITS: u32 = 8;
const SHF_WRITE: u32 = 1;
const SHF_ALLOC: u32 = 2;

/// Adds up the sections that are loaded.
pub(crate) fn bytes(file: &[u8]) -> Result<Bytes, Failure> {
    sum(file).ok_or_else(|| "this is no ELF file of 32 bits".to_owned())
}

fn sum(file: &[u8]) -> Option<Bytes> {
    if file.get(..5)? != b"\x7fELF\x01" {
        return None;
    }
    let (headers, size, count) = (word(file, 32)?, half(file, 46)?, half(file, 48)?);
    let header = |index: u32| headers + index * size;
    let names = word(file, header(half(file, 50)?) + 16)?;
    let mut bytes = Bytes::default();
    for index in 0..count {
        let header = header(index);
        let field = |offset| word(file, header + offset);
        let (name, kind, flags, length) = (text(file, names + field(0)?)?, field(4)?, field(8)?, field(20)?);
        if flags & SHF_ALLOC == 0 || RESERVED.contains(&name) {
            continue;
        }
        if kind != SHT_NOBITS {
            bytes.flash += length;
        }
        if flags & SHF_WRITE != 0 {
            bytes.ram += length;
        }
    }
    Some(bytes)
}

fn word(file: &[u8], at: u32) -> Option<u32> {
    let bytes = file.get(at as usize..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

fn half(file: &[u8], at: u32) -> Option<u32> {
    let bytes = file.get(at as usize..)?.first_chunk()?;
    Some(u32::from(u16::from_le_bytes(*bytes)))
}

/// The text that ends with a zero byte.
fn text(file: &[u8], at: u32) -> Option<&str> {
    let rest = file.get(at as usize..)?;
    std::str::from_utf8(&rest[..rest.iter().position(|byte| *byte == 0)?]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of sections: name, type, flags and size.
    fn file(sections: &[(&str, u32, u32, u32)]) -> Vec<u8> {
        let mut names = vec![0];
        let mut headers = Vec::new();
        for (name, kind, flags, size) in sections {
            for word in [names.len() as u32, *kind, *flags, 0, 0, *size, 0, 0, 0, 0] {
                headers.extend(word.to_le_bytes());
            }
            names.extend(name.bytes().chain([0]));
        }
        let mut file = b"\x7fELF\x01".to_vec();
        file.resize(52, 0);
        let table = 52 + names.len() as u32;
        file[32..36].copy_from_slice(&table.to_le_bytes());
        for (at, value) in [(46, 40), (48, sections.len() as u16 + 1), (50, sections.len() as u16)] {
            file[at..at + 2].copy_from_slice(&u16::to_le_bytes(value));
        }
        file.extend(names);
        file.extend(headers);
        for word in [0, 3, 0, 0, 52, 0, 0, 0, 0, 0u32] {
            file.extend(word.to_le_bytes());
        }
        file
    }

    #[test]
    fn loaded_sections_are_counted() {
        let file = file(&[
            (".text", 1, 6, 100),
            (".data", 1, 3, 8),
            (".bss", SHT_NOBITS, 3, 32),
            (".stack", SHT_NOBITS, 2, 65536),
            (".pool", SHT_NOBITS, 3, 4096),
            (".debug_line", 1, 0, 900),
        ]);
        assert_eq!(bytes(&file), Ok(Bytes { flash: 108, ram: 40 }));
    }

    #[test]
    fn other_files_are_rejected() {
        assert!(bytes(b"\x7fELF\x02").is_err());
        assert!(bytes(b"").is_err());
    }
}
