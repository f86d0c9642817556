//! What an image must satisfy before it is written or run. Each check has a name, which is the code of its diagnostic,
//! and says how to fix what it finds.

use super::{boot_block, parse};
use clef_base::{Code, Diagnostic, codes};
use clef_descriptors::{Address, Board, Boot, LinkerEmulation, MemoryRegion, Target};
use goblin::elf::header::{EM_AARCH64, EM_ARM, EM_X86_64, ET_EXEC};
use goblin::elf::program_header::{PF_W, PF_X, PT_LOAD};
use goblin::elf::section_header::{SHF_ALLOC, SHN_UNDEF, SHT_NOBITS};
use goblin::elf::{Elf, SectionHeader};

/// The input of a check.
pub(super) struct Context<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) elf: Elf<'a>,
    pub(super) target: &'a Target,
    pub(super) board: &'a Board,
}

/// All errors of an image; none if it is sound.
pub fn check(image: &[u8], target: &Target, board: &Board) -> Vec<Diagnostic> {
    let elf = match parse(image) {
        Ok(elf) => elf,
        Err(diagnostic) => return vec![diagnostic],
    };
    let context = Context { bytes: image, elf, target, board };
    let mut diagnostics = Vec::new();
    diagnostics.extend(machine(&context));
    if !diagnostics.is_empty() {
        // The remaining checks read the image as the target would.
        return diagnostics;
    }
    diagnostics.extend(undefined_symbols(&context));
    diagnostics.extend(writable_code(&context));
    diagnostics.extend(leftover_sections(&context));
    match (board.boot, board.flash(), board.ram()) {
        (Boot::CortexM, Some(flash), Some(ram)) => {
            diagnostics.extend(boot_block::check(&context, flash));
            diagnostics.extend(vector_table(&context, flash, ram));
        }
        (Boot::CortexM, _, _) | (Boot::Aarch64 | Boot::Pvh | Boot::Linux, _, _) => {
            diagnostics.extend(entry_point(&context))
        }
    }
    diagnostics.extend(placement(&context));
    diagnostics.extend(sizes(&context));
    diagnostics
}

pub(super) fn wrong(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::general(code, message)
}

/// The fault is ours or a linker script's, and cannot be fixed in the program.
pub(super) const OUR_FAULT: &str = "please report this: the layout of the image is wrong";

fn machine(context: &Context<'_>) -> Option<Diagnostic> {
    let header = &context.elf.header;
    let (machine, is_64) = match context.target.linker {
        LinkerEmulation::Armelf => (EM_ARM, false),
        LinkerEmulation::Aarch64elf => (EM_AARCH64, true),
        LinkerEmulation::ElfX86_64 => (EM_X86_64, true),
    };
    if header.e_machine == machine
        && context.elf.is_64 == is_64
        && context.elf.little_endian
        && header.e_type == ET_EXEC
    {
        return None;
    }
    let found = goblin::elf::header::machine_to_str(header.e_machine);
    Some(
        wrong(codes::WRONG_MACHINE, format!("the image is not an executable for `{}`", context.target.name))
            .note(format!("its machine is {found}, its class {} bits", if context.elf.is_64 { 64 } else { 32 }))
            .help("link only objects that were compiled for the target"),
    )
}

fn undefined_symbols(context: &Context<'_>) -> Vec<Diagnostic> {
    let symbols = context.elf.syms.iter().skip(1).filter(|symbol| symbol.st_shndx == SHN_UNDEF as usize);
    let names = symbols.filter_map(|symbol| context.elf.strtab.get_at(symbol.st_name)).filter(|name| !name.is_empty());
    names
        .map(|name| {
            wrong(codes::UNDEFINED_SYMBOL, format!("undefined symbol `{name}`"))
                .help("define it, or link an object that does: images contain no C library")
        })
        .collect()
}

fn writable_code(context: &Context<'_>) -> Option<Diagnostic> {
    let headers = context.elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD);
    let header = headers.into_iter().find(|header| header.p_flags & (PF_W | PF_X) == PF_W | PF_X)?;
    Some(
        wrong(
            codes::WRITABLE_CODE,
            format!("the segment at {} is both writable and executable", Address(header.p_vaddr)),
        )
        .help("put code and variables in different sections"),
    )
}

/// Sections used only by unwinding or by C start-up code, which do not exist here.
const LEFTOVERS: [(&str, &str); 8] = [
    (".ARM.exidx", "unwind tables"),
    (".ARM.extab", "unwind tables"),
    (".eh_frame", "unwind tables"),
    (".eh_frame_hdr", "unwind tables"),
    (".gcc_except_table", "unwind tables"),
    (".fini_array", "functions that run after the program"),
    (".ctors", "functions that run before the program"),
    (".init", "functions that run before the program"),
];

fn leftover_sections(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for section in loaded_sections(&context.elf) {
        let name = name_of(&context.elf, section);
        let leftover = LEFTOVERS.iter().find(|(leftover, _)| {
            name.strip_prefix(leftover).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        if let Some((_, what)) = leftover.filter(|_| section.sh_size > 0) {
            diagnostics.push(
                wrong(codes::LEFTOVER_SECTION, format!("the image has a section `{name}`: {what}"))
                    .note("no code in the image uses it")
                    .help("compile the linked objects without exceptions and destructors, and constructors as `.init_array`"),
            );
        }
    }
    diagnostics
}

/// The vector table is at the start of flash; its first two words are the stack pointer and the reset handler.
fn vector_table(context: &Context<'_>, flash: &MemoryRegion, ram: &MemoryRegion) -> Vec<Diagnostic> {
    let place = context.board.vector_table().unwrap_or(flash.origin);
    let Some(table) = section(&context.elf, ".vectors").filter(|section| section.sh_addr == place.0) else {
        let position = if place == flash.origin { "the start of flash" } else { "after the boot block" };
        let message = format!("no vector table at {place}, {position}");
        return vec![wrong(codes::MISPLACED_VECTORS, message).help(OUR_FAULT)];
    };
    let (Some(stack), Some(reset)) = (word(context, table, 0), word(context, table, 4)) else {
        return vec![wrong(codes::MISPLACED_VECTORS, "the vector table has less than two words").help(OUR_FAULT)];
    };
    initial_stack(stack, ram).into_iter().chain(reset_handler(context, reset)).collect()
}

/// The procedure call standard requires the stack pointer to be a multiple of this.
const STACK_ALIGNMENT: u64 = 8;

fn initial_stack(stack: u64, ram: &MemoryRegion) -> Option<Diagnostic> {
    let is_inside = ram.origin.0 < stack && stack <= ram.end().0;
    if is_inside && stack.is_multiple_of(STACK_ALIGNMENT) {
        return None;
    }
    let message = format!("the initial stack pointer {} is not a multiple of 8 in `{}`", Address(stack), ram.name);
    Some(wrong(codes::BAD_INITIAL_STACK, message).help("make `stack` a multiple of 8 bytes that fits in RAM"))
}

fn reset_handler(context: &Context<'_>, reset: u64) -> Option<Diagnostic> {
    let is_thumb = reset & 1 == 1;
    if is_thumb && section(&context.elf, ".text").is_some_and(|text| text.vm_range().contains(&((reset & !1) as usize)))
    {
        return None;
    }
    let message = format!("the reset handler {} is not a Thumb address in `.text`", Address(reset));
    Some(wrong(codes::BAD_RESET_HANDLER, message).help(OUR_FAULT))
}

fn entry_point(context: &Context<'_>) -> Option<Diagnostic> {
    let entry = context.elf.entry;
    if section(&context.elf, ".text").is_some_and(|text| text.vm_range().contains(&(entry as usize))) {
        return None;
    }
    Some(wrong(codes::BAD_ENTRY_POINT, format!("the entry point {} is not in `.text`", Address(entry))).help(OUR_FAULT))
}

/// All loaded sections are in the board's memory.
fn placement(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.board.memory.is_empty() {
        return Vec::new();
    }
    let is_inside = |start: u64, size: u64| {
        let end = start.checked_add(size);
        context
            .board
            .memory
            .iter()
            .any(|region| region.origin.0 <= start && end.is_some_and(|end| end <= region.end().0))
    };
    let sections = loaded_sections(&context.elf).filter(|section| section.sh_size > 0);
    let outside = sections.filter(|section| !is_inside(section.sh_addr, section.sh_size));
    outside
        .map(|section| {
            let (name, address) = (name_of(&context.elf, section), Address(section.sh_addr));
            wrong(
                codes::OUTSIDE_MEMORY,
                format!("`{name}` at {address} is outside the memory of `{}`", context.board.name),
            )
            .note(format!("it has {} bytes", section.sh_size))
            .help("use a section name that the linker script knows, or add the memory to the board's descriptor")
        })
        .collect()
}

/// Stack and region pool have the sizes that the board requires.
fn sizes(context: &Context<'_>) -> Vec<Diagnostic> {
    let size = |name| section(&context.elf, name).map_or(0, |section| section.sh_size);
    // Images that allocate nothing in regions have no pool.
    let pool = context.board.region_pool;
    let pool = if size(".pool") == 0 { 0 } else { pool.size.unwrap_or(pool.page).0 };
    let wanted = [(".stack", "stack", context.board.stack.0), (".pool", "region pool", pool)];
    let too_small = wanted.into_iter().filter(|(name, _, wanted)| size(name) < *wanted);
    too_small
        .map(|(_, what, size)| {
            wrong(codes::NO_SPACE, format!("not enough space for the {what}"))
                .note(format!("`{}` requires {size} bytes", context.board.name))
                .help(OUR_FAULT)
        })
        .collect()
}

fn loaded_sections<'a>(elf: &'a Elf<'_>) -> impl Iterator<Item = &'a SectionHeader> {
    elf.section_headers.iter().filter(|section| section.sh_flags & u64::from(SHF_ALLOC) != 0)
}

fn name_of<'a>(elf: &Elf<'a>, section: &SectionHeader) -> &'a str {
    elf.shdr_strtab.get_at(section.sh_name).unwrap_or("?")
}

pub(super) fn section<'a>(elf: &'a Elf<'_>, name: &str) -> Option<&'a SectionHeader> {
    elf.section_headers.iter().find(|section| name_of(elf, section) == name)
}

/// A 32-bit word of a section.
pub(super) fn word(context: &Context<'_>, section: &SectionHeader, offset: u64) -> Option<u64> {
    if section.sh_type == SHT_NOBITS || offset + 4 > section.sh_size {
        return None;
    }
    let start = usize::try_from(section.sh_offset + offset).ok()?;
    let bytes = context.bytes.get(start..start.checked_add(4)?)?;
    Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::super::test_elf::{Section, TestElf};
    use super::*;
    use clef_descriptors::{MemoryKind, MemoryRegion};

    /// A sound image for a Cortex-M.
    fn sound() -> TestElf {
        let mut vectors = 0x2000_1000_u32.to_le_bytes().to_vec();
        vectors.extend(0x41_u32.to_le_bytes());
        let mut elf = TestElf::arm();
        elf.sections.push(Section::loaded(".vectors", 0, 4, vectors));
        elf.sections.push(Section::loaded(".text", 0x40, 4, vec![0; 16]));
        elf.sections.push(Section::zeroed(".stack", 0x2000_0000, 0x1000));
        elf.sections.push(Section::zeroed(".pool", 0x2000_1000, 0x1000));
        elf
    }

    fn found(elf: &TestElf) -> Vec<Code> {
        let (target, mut board) = super::super::test_elf::cortex_m3();
        board.stack = clef_descriptors::Bytes(0x1000);
        board.region_pool.size = Some(clef_descriptors::Bytes(0x1000));
        check(&elf.bytes(), &target, &board).into_iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn a_sound_image_passes() {
        assert_eq!(found(&sound()), []);
    }

    #[test]
    fn another_machine() {
        let mut elf = sound();
        elf.machine = EM_X86_64;
        assert_eq!(found(&elf), [codes::WRONG_MACHINE]);
    }

    #[test]
    fn a_file_that_is_no_elf() {
        let (target, board) = super::super::test_elf::cortex_m3();
        let codes: Vec<_> = check(b"hello", &target, &board).into_iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, [codes::MALFORMED_IMAGE]);
    }

    #[test]
    fn vectors_elsewhere() {
        let mut elf = sound();
        elf.sections[0].address = 0x100;
        assert_eq!(found(&elf), [codes::MISPLACED_VECTORS]);
    }

    #[test]
    fn stack_pointers() {
        for stack in [0x2000_0ffc_u32, 0, 0x3000_0000, 0x2000_0000] {
            let mut elf = sound();
            elf.sections[0].content[..4].copy_from_slice(&stack.to_le_bytes());
            assert_eq!(found(&elf), [codes::BAD_INITIAL_STACK], "{stack:#x}");
        }
    }

    #[test]
    fn reset_handlers() {
        for reset in [0x40_u32, 0x81, 1] {
            let mut elf = sound();
            elf.sections[0].content[4..].copy_from_slice(&reset.to_le_bytes());
            assert_eq!(found(&elf), [codes::BAD_RESET_HANDLER], "{reset:#x}");
        }
    }

    #[test]
    fn writable_code_is_found() {
        let mut elf = sound();
        elf.segment_flags = PF_W | PF_X;
        assert_eq!(found(&elf), [codes::WRITABLE_CODE]);
    }

    #[test]
    fn undefined_symbols_are_named() {
        let mut elf = sound();
        elf.undefined.push("sin");
        assert_eq!(found(&elf), [codes::UNDEFINED_SYMBOL]);
    }

    #[test]
    fn leftovers() {
        for name in [".ARM.exidx", ".eh_frame_hdr", ".fini_array.00100", ".ctors"] {
            let mut elf = sound();
            elf.sections.push(Section::loaded(name, 0x80, 2, vec![0; 8]));
            assert_eq!(found(&elf), [codes::LEFTOVER_SECTION], "{name}");
        }
        let mut elf = sound();
        elf.sections.push(Section::loaded(".initial", 0x80, 2, vec![0; 8]));
        assert_eq!(found(&elf), []);
    }

    #[test]
    fn sections_outside_memory() {
        let mut elf = sound();
        elf.sections.push(Section::loaded(".fast", 0x1000_0000, 2, vec![0; 8]));
        assert_eq!(found(&elf), [codes::OUTSIDE_MEMORY]);
    }

    #[test]
    fn a_missing_pool() {
        let mut elf = sound();
        let last = elf.sections.pop().expect("the pool is last");
        // A program that allocates nothing in regions has none.
        assert_eq!(found(&elf), []);
        elf.sections.push(Section::zeroed(".pool", last.address, 0x800));
        assert_eq!(found(&elf), [codes::NO_SPACE]);
    }

    #[test]
    fn entry_points() {
        let (mut target, mut board) = super::super::test_elf::cortex_m3();
        target.name = "other".into();
        board.boot = Boot::Aarch64;
        board.memory.push(MemoryRegion {
            name: "all".into(),
            origin: Address(0),
            length: clef_descriptors::Bytes(1 << 32),
            kind: MemoryKind::Ram,
        });
        board.stack = clef_descriptors::Bytes(0);
        board.region_pool.size = None;
        let mut elf = sound();
        elf.entry = 0x44;
        assert_eq!(check(&elf.bytes(), &target, &board), []);
        elf.entry = 0x2000_0000;
        let codes: Vec<_> = check(&elf.bytes(), &target, &board).into_iter().map(|found| found.code).collect();
        assert_eq!(codes, [codes::BAD_ENTRY_POINT]);
    }
}
