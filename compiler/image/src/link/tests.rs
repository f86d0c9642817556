//! Scripts of shipped boards, and links of small objects made by hand.

use super::*;
use crate::test_elf::{Section, TestElf};
use clef_descriptors::{Address, Bytes, Request, Resolver};

fn machine(board: &str) -> (Target, Board) {
    let mut sources = clef_base::SourceMap::default();
    let no_files = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let machine =
        Resolver::new(&mut sources, &no_files).machine(Request::Board(board)).expect("the shipped board must be valid");
    (machine.target.value, machine.board.value)
}

/// The object of a program that does nothing, for a Cortex-M with 44 interrupts and a stack of 8 KiB.
fn object() -> TestElf {
    let mut object = TestElf::arm_object();
    object.sections.push(Section::loaded(".text", 0, 4, vec![0xfe, 0xe7, 0xfe, 0xe7]));
    object.sections.push(Section::loaded(".data", 0, 1, vec![7; 8]));
    object.functions = vec!["_start", "clef_fault_stop", "clef_interrupt_1"];
    object
}

fn linked(object: &TestElf, change: impl Fn(&mut Board)) -> Result<Image, LinkFailure> {
    let (target, mut board) = machine("lm3s6965evb");
    // The table of the steps of its start is no part of these images.
    board.start.clear();
    change(&mut board);
    let (objects, sections) = ([object.bytes()], Sections::default());
    link(&Link {
        objects: &objects,
        inputs: &[],
        builtins: b"!<arch>\n",
        memory_routines: b"!<arch>\n",
        imports: &[],
        exports: &[],
        sections: &sections,
        target: &target,
        board: &board,
        smallest: false,
    })
}

#[test]
fn an_object_becomes_a_checked_image() {
    let mut object = object();
    // Garbage collection keeps what the vector table and the entry refer to.
    object.sections[0].flags |= 4;
    let image = linked(&object, |_| {}).map_err(|failure| failure.diagnostics).expect("it links");
    let flash = &image.memory.regions[0];
    let sizes: Vec<_> = flash.parts.iter().map(|part| (part.name.as_str(), part.bytes)).collect();
    assert_eq!(sizes, [(".vectors", 240), (".text", 4)]);
    assert_eq!(image.memory.regions[1].parts[0].bytes, 8 * 1024);
    // The last interrupt has no function of its own: it is a fault.
    let elf = goblin::elf::Elf::parse(&image.bytes).expect("it is an ELF file");
    let vectors = elf.program_headers[0].p_offset as usize;
    assert_eq!(&image.bytes[vectors + 236..vectors + 240], &0xf1_u32.to_le_bytes());
}

#[test]
fn what_does_not_fit_is_shown_in_a_table() {
    let mut object = object();
    object.sections[0].content.resize(300_000, 0);
    let failure = linked(&object, |_| {}).expect_err("flash has 256 KiB");
    assert_eq!(failure.diagnostics[0].code, codes::IMAGE_TOO_LARGE);
    assert_eq!(failure.diagnostics[0].notes, ["`flash` is too small by 38096 bytes"]);
    let table = failure.memory.expect("there is a table");
    assert_eq!(table.regions[0].used, 300_240);
}

#[test]
fn stack_and_pool_count() {
    let mut object = object();
    object.functions.push("__clef_pool_end");
    let failure = linked(&object, |board| board.region_pool.size = Some(Bytes(60 * 1024))).expect_err("RAM has 64 KiB");
    assert_eq!(failure.diagnostics[0].notes, ["`ram` is too small by 4096 bytes"]);
}

#[test]
fn the_pool_takes_what_is_left_and_only_where_it_is_asked_for() {
    let pool = |object: &TestElf| {
        let image = linked(object, |_| {}).map_err(|failure| failure.diagnostics).expect("it links");
        let parts = image.memory.regions[1].parts.clone();
        parts.iter().find(|part| part.name == "region pool").map_or(0, |part| part.bytes)
    };
    let mut object = object();
    object.sections[0].flags |= 4;
    assert_eq!(pool(&object), 0);
    object.functions.push("__clef_pool_end");
    // 64 KiB without 8 KiB of stack; the variables are collected.
    assert_eq!(pool(&object), 56 * 1024);
}

#[test]
fn the_linker_is_quoted() {
    let mut object = object();
    object.functions.remove(1);
    let failure = linked(&object, |_| {}).expect_err("the vector table needs a fault handler");
    let diagnostic = &failure.diagnostics[0];
    assert_eq!(diagnostic.code, codes::LINK_FAILED);
    assert!(diagnostic.message.contains("clef_fault_stop"), "{}", diagnostic.message);
}

#[test]
fn an_image_that_fails_a_check_is_none() {
    let mut object = object();
    object.sections.push(Section::loaded(".ctors", 0, 4, vec![0; 4]));
    object.sections[0].content.extend([0; 4]);
    let failure = linked(&object, |_| {}).expect_err("nothing reads the old list of constructors");
    assert_eq!(failure.diagnostics[0].code, codes::LEFTOVER_SECTION);
}

#[test]
fn regions_are_written_one_per_line_with_blanks() {
    let (_, board) = machine("microbit");
    let script = linker_script(&board, &Sections::default(), Pool::Board, MemoryLimit::Board);
    for line in [
        "  flash : ORIGIN = 0x0, LENGTH = 0x40000",
        "  ram : ORIGIN = 0x20000000, LENGTH = 0x4000",
        "  .stack ORIGIN(ram) (NOLOAD) :",
        "    . += 0x1000;",
    ] {
        assert!(script.lines().any(|found| found == line), "{line:?} is missing in\n{script}");
    }
    assert!(!script.contains(".note.pvh"));
    // The board also runs without a debugger.
    assert_eq!(script.matches("clef_fault_skip").count(), 42);
    assert_eq!(script.matches("clef_fault_entry").count(), 0);
}

#[test]
fn every_shipped_board_has_a_script() {
    let mut sources = clef_base::SourceMap::default();
    let no_files = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let boards = Resolver::new(&mut sources, &no_files).shipped_boards().expect("the shipped boards must be valid");
    assert!(!boards.is_empty());
    for board in boards {
        assert_eq!(script::check_board(&board), Ok(()), "{}", board.name);
        let script = linker_script(&board, &Sections::default(), Pool::Board, MemoryLimit::Board);
        for symbol in ["__clef_stack_top", "__clef_pool_end", "_start"] {
            assert!(script.contains(symbol), "{symbol} is missing for {}", board.name);
        }
    }
}

#[test]
fn the_guard_fits_below_ram() {
    let guard = |origin: u64| {
        let (_, mut board) = machine("mps2-an386");
        let ram = board.memory.iter_mut().find(|region| region.name == "ram").expect("it has RAM");
        ram.origin = Address(origin);
        let script = linker_script(&board, &Sections::default(), Pool::Board, MemoryLimit::Board);
        let value = |name: &str| {
            let line = script.lines().find(|line| line.contains(name)).expect("the symbol is defined");
            let (_, value) = line.split_once("= ").expect("it has a value");
            value.trim_end_matches(");").to_owned()
        };
        (value("guard_rbar"), value("guard_rasr"))
    };
    // 64 KiB if the address allows it, a smaller power of two if not, none if flash overlaps.
    assert_eq!(guard(0x2000_0000), ("0x1fff0010".into(), "0x1000001f".into()));
    assert_eq!(guard(0x2000_0400), ("0x20000010".into(), "0x10000013".into()));
    assert_eq!(guard(0x40_0000), ("0x10".into(), "0x0".into()));
}

#[test]
fn memory_that_boot_code_cannot_map_is_refused() {
    let move_ram = |board: &str, origin: u64| {
        let (_, mut board) = machine(board);
        let ram = board.memory.iter_mut().find(|region| region.name == "ram").expect("it has RAM");
        ram.origin = Address(origin);
        script::check_board(&board).map_err(|diagnostic| diagnostic.code)
    };
    assert_eq!(move_ram("qemu-q35", 0x0110_0000), Err(codes::INVALID_MEMORY_MAP));
    assert_eq!(move_ram("qemu-q35", 0x8000_0000), Err(codes::INVALID_MEMORY_MAP));
    assert_eq!(move_ram("qemu-virt-aarch64", 0x8000_0000), Err(codes::INVALID_MEMORY_MAP));
    assert_eq!(move_ram("qemu-virt-aarch64", 0x4200_0000), Ok(()));
    assert_eq!(move_ram("microbit", 0x2000_0400), Ok(()));
}

/// The object of a program that does nothing on a Raspberry Pi Pico, with a boot block.
fn object_for_a_pico(block: Vec<u8>) -> TestElf {
    let mut object = TestElf::arm_object();
    object.sections.push(Section::loaded(".boot_block.rp2040", 0, 4, block));
    object.sections.push(Section::loaded(".text", 0, 4, vec![0xfe, 0xe7, 0xfe, 0xe7]));
    object.functions = vec!["_start", "clef_fault_skip"];
    object
}

fn linked_for(board: &str, object: &TestElf) -> Result<Image, LinkFailure> {
    let (target, board) = machine(board);
    let (objects, sections) = ([object.bytes()], Sections::default());
    let (inputs, builtins, imports, exports) = (&[], b"!<arch>\n", &[], &[]);
    link(&Link {
        objects: &objects,
        inputs,
        builtins,
        memory_routines: b"!<arch>\n",
        imports,
        exports,
        sections: &sections,
        target: &target,
        board: &board,
        smallest: false,
    })
}

#[test]
fn a_boot_block_comes_first_and_is_checked() {
    let mut block = vec![0x5a; 252];
    block.extend(crc::Crc::<u32>::new(&crc::CRC_32_MPEG_2).checksum(&block).to_le_bytes());
    let image = linked_for("rpi-pico", &object_for_a_pico(block.clone())).map_err(|failure| failure.diagnostics);
    let image = image.expect("its checksum is right");
    let parts: Vec<_> = image.memory.regions[0].parts.iter().map(|part| (part.name.as_str(), part.bytes)).collect();
    assert_eq!(parts, [(".boot_block", 256), (".vectors", 168), (".text", 4), (".rodata", 144)]);
    block[7] ^= 1;
    let failure = linked_for("rpi-pico", &object_for_a_pico(block)).expect_err("its checksum is wrong");
    assert_eq!(failure.diagnostics[0].code, codes::BAD_BOOT_BLOCK);
    let failure = linked_for("rpi-pico", &object_for_a_pico(Vec::new())).expect_err("there is none");
    assert_eq!(failure.diagnostics[0].code, codes::BAD_BOOT_BLOCK);
}

#[test]
fn the_steps_of_a_start_lie_in_flash() {
    let (_, board) = machine("nucleo-l552ze-q");
    let script = linker_script(&board, &Sections::default(), Pool::Board, MemoryLimit::Board);
    // Those of the clocks come first: the gate of the supply's registers, and a bit of theirs that is awaited to be clear.
    let first = "__clef_start = .; LONG(0x40021059) LONG(0x10000000) LONG(0x40007002) LONG(0x600) LONG(0x40007015) LONG(0x0) \
                 LONG(0x400) LONG(0x0)";
    let last = "LONG(0x40021059) LONG(0x10000000) LONG(0x40007005) LONG(0x200) }";
    assert!(script.contains(first) && script.contains(last), "{script}");
    // An emulator that lacks the registers skips the steps of the clocks.
    let (_, board) = machine("netduinoplus2");
    let script = linker_script(&board, &Sections::default(), Pool::Board, MemoryLimit::Board);
    assert!(script.contains("__clef_start = .; LONG(0x40023802) LONG(0x0) LONG(0x9) LONG(0x0)"), "{script}");
    let (_, board) = machine("microbit");
    assert!(
        linker_script(&board, &Sections::default(), Pool::Board, MemoryLimit::Board)
            .contains("PROVIDE(__clef_start = 0);")
    );
}
