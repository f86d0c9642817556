//! Small ELF files made by hand, for tests of code that reads images.

use clef_descriptors::{Board, Target};

/// A section.
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) address: u32,
    pub(crate) flags: u32,
    pub(crate) content: Vec<u8>,
    /// Its size, if it has no content.
    pub(crate) zeroed: u32,
}

impl Section {
    /// A section with content; `flags` are added to "allocated".
    pub(crate) fn loaded(name: &'static str, address: u32, flags: u32, content: Vec<u8>) -> Section {
        Section { name, address, flags: flags | 2, content, zeroed: 0 }
    }

    /// A section without content.
    pub(crate) fn zeroed(name: &'static str, address: u32, size: u32) -> Section {
        Section { name, address, flags: 3, content: Vec::new(), zeroed: size }
    }
}

/// A 32-bit executable with a segment for each section, or an object without segments.
pub(crate) struct TestElf {
    pub(crate) is_object: bool,
    pub(crate) machine: u16,
    pub(crate) entry: u32,
    pub(crate) segment_flags: u32,
    /// The load address of the segment, if it differs from its address.
    pub(crate) load_address: Option<u32>,
    pub(crate) sections: Vec<Section>,
    pub(crate) undefined: Vec<&'static str>,
    /// Functions at the start of `.text`.
    pub(crate) functions: Vec<&'static str>,
}

const HEADER: u32 = 52;
const PROGRAM_HEADER: u32 = 32;

impl TestElf {
    pub(crate) fn arm() -> TestElf {
        TestElf {
            is_object: false,
            machine: goblin::elf::header::EM_ARM,
            entry: 0x41,
            segment_flags: 5,
            load_address: None,
            sections: Vec::new(),
            undefined: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// An object for Arm's EABI.
    pub(crate) fn arm_object() -> TestElf {
        TestElf { is_object: true, ..TestElf::arm() }
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut body: Vec<u8> = Vec::new();
        let mut names = vec![0_u8];
        let mut headers: Vec<[u32; 10]> = vec![[0; 10]];
        let programs_count = if self.is_object { 0 } else { self.sections.len() as u32 };
        let start = HEADER + PROGRAM_HEADER * programs_count;
        let name = |names: &mut Vec<u8>, text: &str| {
            let offset = names.len() as u32;
            names.extend(text.bytes().chain([0]));
            offset
        };
        let mut programs: Vec<[u32; 8]> = Vec::new();
        for section in &self.sections {
            let (kind, size) = match section.content.len() as u32 {
                0 => (8, section.zeroed),
                size => (1, size),
            };
            let offset = start + body.len() as u32;
            let file_size = section.content.len() as u32;
            let load_address = self.load_address.filter(|_| programs.is_empty()).unwrap_or(section.address);
            programs.push([1, offset, section.address, load_address, file_size, size, self.segment_flags, 1]);
            headers.push([
                name(&mut names, section.name),
                kind,
                section.flags,
                section.address,
                offset,
                size,
                0,
                0,
                1,
                0,
            ]);
            body.extend(&section.content);
        }
        programs.truncate(programs_count as usize);
        let (mut symbols, mut strings) = (vec![0_u8; 16], vec![0_u8]);
        for symbol in &self.undefined {
            symbols.extend(name(&mut strings, symbol).to_le_bytes());
            // No value, no size; global; in no section.
            symbols.extend([0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0]);
        }
        let text = self.sections.iter().position(|section| section.name == ".text").map_or(0, |index| index as u16 + 1);
        for function in &self.functions {
            symbols.extend(name(&mut strings, function).to_le_bytes());
            // At offset 1, which marks Thumb code; no size; a global function.
            symbols.extend([1, 0, 0, 0, 0, 0, 0, 0, 0x12, 0]);
            symbols.extend(text.to_le_bytes());
        }
        let strings_index = headers.len() as u32 + 1;
        headers.push([
            name(&mut names, ".symtab"),
            2,
            0,
            0,
            start + body.len() as u32,
            symbols.len() as u32,
            strings_index,
            1,
            4,
            16,
        ]);
        body.extend(symbols);
        headers.push([
            name(&mut names, ".strtab"),
            3,
            0,
            0,
            start + body.len() as u32,
            strings.len() as u32,
            0,
            0,
            1,
            0,
        ]);
        body.extend(strings);
        let names_name = name(&mut names, ".shstrtab");
        headers.push([names_name, 3, 0, 0, start + body.len() as u32, names.len() as u32, 0, 0, 1, 0]);
        body.extend(names);

        let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
        let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
        half(&mut file, if self.is_object { 1 } else { 2 });
        half(&mut file, self.machine);
        let (entry, programs_offset) = if self.is_object { (0, 0) } else { (self.entry, HEADER) };
        // Version 5 of the EABI.
        for value in [1, entry, programs_offset, start + body.len() as u32, 0x0500_0000] {
            word(&mut file, value);
        }
        for value in [HEADER, PROGRAM_HEADER, programs.len() as u32, 40, headers.len() as u32, headers.len() as u32 - 1]
        {
            half(&mut file, value as u16);
        }
        programs.iter().flatten().for_each(|value| word(&mut file, *value));
        file.extend(body);
        headers.iter().flatten().for_each(|value| word(&mut file, *value));
        file
    }
}

/// A shipped Cortex-M3 and its board.
pub(crate) fn cortex_m3() -> (Target, Board) {
    machine("lm3s6965evb")
}

/// A shipped board and its target.
pub(crate) fn machine(board: &str) -> (Target, Board) {
    let mut sources = clef_base::SourceMap::default();
    let no_files = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let machine = clef_descriptors::Resolver::new(&mut sources, &no_files)
        .machine(clef_descriptors::Request::Board(board))
        .expect("the shipped board must be valid");
    (machine.target.value, machine.board.value)
}
