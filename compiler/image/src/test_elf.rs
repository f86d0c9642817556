//! Small ELF files, for tests of code that reads images.

use clef_descriptors::{Board, Target};
use object::{
    Endianness,
    build::elf::{Builder, SectionData, SectionId},
    elf,
};

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
        let mut file = Builder::new(Endianness::Little, false);
        file.header.e_type = if self.is_object { elf::ET_REL } else { elf::ET_EXEC };
        file.header.e_machine = elf::Machine(self.machine);
        file.header.e_entry = if self.is_object { 0 } else { self.entry.into() };
        file.header.e_flags = elf::EF_ARM_EABI_VER5;
        let text = self.add_sections(&mut file);
        self.add_symbols(&mut file, text);
        let tables = [
            (".symtab", elf::SHT_SYMTAB, SectionData::Symbol),
            (".strtab", elf::SHT_STRTAB, SectionData::String),
            (".shstrtab", elf::SHT_STRTAB, SectionData::SectionString),
        ];
        for (name, kind, data) in tables {
            let section = file.sections.add();
            (section.name, section.sh_type, section.sh_addralign, section.data) = (name.into(), kind, 1, data);
        }
        let mut bytes = Vec::new();
        file.write(&mut bytes).expect("the file can be laid out");
        bytes
    }

    /// Adds the sections, each with its segment; returns `.text`.
    fn add_sections(&self, file: &mut Builder<'static>) -> Option<SectionId> {
        let (header, program) =
            (size_of::<elf::FileHeader32<Endianness>>(), size_of::<elf::ProgramHeader32<Endianness>>());
        let programs = if self.is_object { 0 } else { self.sections.len() };
        file.header.e_phoff = if self.is_object { 0 } else { header as u64 };
        let mut offset = (header + programs * program) as u64;
        let mut text = None;
        for (number, section) in self.sections.iter().enumerate() {
            let added = file.sections.add();
            let size = section.content.len() as u64;
            (added.sh_type, added.sh_size, added.data) = match size {
                0 => (elf::SHT_NOBITS, section.zeroed.into(), SectionData::UninitializedData(section.zeroed.into())),
                _ => (elf::SHT_PROGBITS, size, SectionData::Data(section.content.clone().into())),
            };
            added.name = section.name.into();
            (added.sh_flags, added.sh_addr) = (elf::SectionFlags(section.flags.into()), section.address.into());
            (added.sh_offset, added.sh_addralign) = (offset, 1);
            offset += size;
            if section.name == ".text" {
                text = Some(added.id());
            }
            if !self.is_object {
                let segment = file.segments.add();
                (segment.p_type, segment.p_flags, segment.p_align) =
                    (elf::PT_LOAD, elf::ProgramFlags(self.segment_flags), 1);
                segment.append_section_range(added);
                segment.sections.push(added.id());
                if let Some(address) = self.load_address.filter(|_| number == 0) {
                    segment.p_paddr = address.into();
                }
            }
        }
        text
    }

    fn add_symbols(&self, file: &mut Builder<'static>, text: Option<SectionId>) {
        for name in &self.undefined {
            let symbol = file.symbols.add();
            symbol.name = (*name).into();
            symbol.set_st_info(elf::STB_GLOBAL, elf::STT_NOTYPE);
        }
        for name in &self.functions {
            let symbol = file.symbols.add();
            symbol.name = (*name).into();
            symbol.section = text;
            // The low bit marks Thumb code.
            symbol.st_value = 1;
            symbol.set_st_info(elf::STB_GLOBAL, elf::STT_FUNC);
        }
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
