//! The functions of an image by address, and which words are return addresses.

use clef_image::bound::readable;
use goblin::elf::{Elf, header::EM_ARM, program_header::PF_X, program_header::PT_LOAD, sym::STT_FUNC};

/// The functions of an image.
#[derive(Default)]
pub(super) struct Symbols {
    /// Start address, end address (exclusive), and name, by address.
    functions: Vec<(u64, u64, String)>,
    /// The addresses of code, and its bytes.
    code: Vec<(u64, Vec<u8>)>,
    machine: u16,
}

impl Symbols {
    /// The symbols of an image; none if it is not an ELF file.
    pub(super) fn of(bytes: &[u8]) -> Symbols {
        let Ok(elf) = clef_image::parse(bytes) else { return Symbols::default() };
        let machine = elf.header.e_machine;
        let is_function = |kind: u8| kind == STT_FUNC;
        let symbols = elf.syms.iter().filter(|symbol| is_function(symbol.st_type()) && symbol.st_size > 0);
        let mut functions: Vec<(u64, u64, String)> = symbols
            .map(|symbol| {
                let start = if machine == EM_ARM { symbol.st_value & !1 } else { symbol.st_value };
                let name = elf.strtab.get_at(symbol.st_name).unwrap_or_default();
                (start, start + symbol.st_size, readable(name))
            })
            .collect();
        functions.sort();
        Symbols { functions, code: code(&elf, bytes), machine }
    }

    /// The name of the function that contains an address.
    pub(super) fn function(&self, address: u64) -> Option<String> {
        let behind = self.functions.partition_point(|(start, _, _)| *start <= address);
        let (_, end, name) = self.functions.get(behind.checked_sub(1)?)?;
        (address < *end).then(|| name.clone())
    }

    /// The name of the caller, if a word is a return address: if a call precedes it.
    pub(super) fn caller(&self, word: u64) -> Option<String> {
        let address = match (self.machine, word & 1) {
            (EM_ARM, 0) => return None,
            (EM_ARM, _) => word - 1,
            _ => word,
        };
        self.follows_call(address).then(|| self.function(address.checked_sub(1)?)).flatten()
    }

    fn follows_call(&self, address: u64) -> bool {
        let before = |count: u64| {
            let start = address.checked_sub(count)?;
            self.code.iter().find_map(|(origin, bytes)| {
                let at = usize::try_from(start.checked_sub(*origin)?).ok()?;
                bytes.get(at..at + count as usize)
            })
        };
        match self.machine {
            EM_ARM => {
                let half = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
                let is_bl =
                    before(4).is_some_and(|bytes| half(bytes) >> 11 == 0x1e && half(&bytes[2..]) & 0xd000 == 0xd000);
                is_bl || before(2).is_some_and(|bytes| half(bytes) & 0xff87 == 0x4780)
            }
            goblin::elf::header::EM_AARCH64 => before(4).is_some_and(|bytes| {
                let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                word >> 26 == 0x25 || word & 0xffff_fc1f == 0xd63f_0000
            }),
            _ => {
                let is_near = before(5).is_some_and(|bytes| bytes[0] == 0xe8);
                // `call` of a register or of memory: the second byte has 2 in its middle digit.
                let is_indirect =
                    (2..=7).any(|count| before(count).is_some_and(|bytes| bytes[0] == 0xff && bytes[1] >> 3 & 7 == 2));
                is_near || is_indirect
            }
        }
    }
}

fn code(elf: &Elf<'_>, bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let segments = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_flags & PF_X != 0);
    let content = |header: &goblin::elf::ProgramHeader| bytes.get(header.file_range()).map(<[u8]>::to_vec);
    segments.filter_map(|header| Some((header.p_vaddr, content(header)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use goblin::elf::header::{EM_AARCH64, EM_X86_64};

    fn symbols(machine: u16, bytes: &[u8]) -> Symbols {
        let end = 0x100 + bytes.len() as u64;
        Symbols { functions: vec![(0x100, end, "f".to_owned())], code: vec![(0x100, bytes.to_vec())], machine }
    }

    #[test]
    fn a_return_address_follows_a_call() {
        for (machine, bytes, word) in [
            // bl; blx r3; mov between them.
            (EM_ARM, [0x00, 0xf0, 0x10, 0xf8].as_slice(), 0x105),
            (EM_ARM, &[0x00, 0x46, 0x98, 0x47], 0x105),
            (EM_AARCH64, &[0x04, 0x00, 0x00, 0x94], 0x104),
            (EM_AARCH64, &[0x00, 0x01, 0x3f, 0xd6], 0x104),
            // call; call *%rax; call *0x8(%rax).
            (EM_X86_64, &[0xe8, 0x10, 0x00, 0x00, 0x00], 0x105),
            (EM_X86_64, &[0xff, 0xd0], 0x102),
            (EM_X86_64, &[0xff, 0x50, 0x08], 0x103),
        ] {
            assert_eq!(symbols(machine, bytes).caller(word), Some("f".to_owned()), "{machine} {bytes:x?}");
        }
        for (machine, bytes, word) in [
            (EM_ARM, [0x00, 0xf0, 0x10, 0xf8].as_slice(), 0x103),
            (EM_ARM, &[0x00, 0xf0, 0x10, 0xf8], 0x104),
            (EM_ARM, &[0x00, 0x46, 0x18, 0x47], 0x105),
            (EM_AARCH64, &[0x04, 0x00, 0x00, 0x14], 0x104),
            (EM_X86_64, &[0xe9, 0x10, 0x00, 0x00, 0x00], 0x105),
            (EM_X86_64, &[0x90, 0x90], 0x100),
        ] {
            assert_eq!(symbols(machine, bytes).caller(word), None, "{machine} {bytes:x?}");
        }
    }

    #[test]
    fn an_address_lies_in_a_function() {
        let symbols = symbols(EM_X86_64, &[0x90; 16]);
        assert_eq!(symbols.function(0x10f), Some("f".to_owned()));
        assert_eq!((symbols.function(0xff), symbols.function(0x110)), (None, None));
    }
}
