//! The linker script of a board.
//!
//! In: a resolved board. Out: the script. In RAM the stack comes first, so that an overflow leaves RAM instead of
//! overwriting data; then `.data`, `.bss` and the region pool. lld requires one memory region per line, with blanks
//! around the signs.

use super::{CONSTRUCTORS, Sections};

use clef_base::{Bytes, Diagnostic, codes};
use clef_descriptors::{Arguments, Board, Boot, BootBlock, MemoryRegion, StartStep, TrapMessages};
use clef_runtime::{FAULT_ENTRY, FAULT_SKIP, FAULT_STOP, INTERRUPT_ENTRY, START};
use clef_types::interrupt_symbol::{
    self, CLOCK_HANDLER, COUNTER_HANDLER, EXCEPTIONS, FLASH_HANDLER, HANDLED_EXCEPTIONS, INTERRUPT, NON_MASKABLE,
    TIMER_HANDLER,
};
use std::fmt::Write as _;

/// The lengths of the memory regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryLimit {
    /// Their actual lengths.
    Board,
    /// Long enough for everything, to measure an image that does not fit.
    Ample,
}

/// Whether the image has a pool of pages for regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pool {
    /// As the board says.
    Board,
    /// None: nothing in the image refers to it.
    None,
}

/// The length of a region with ample space.
pub const AMPLE: Bytes = Bytes(1 << 28);

/// The granularity of the protection below the stack if the MMU provides it.
const MMU_BLOCK: u64 = 2 << 20;

const GIGABYTE: u64 = 1 << 30;

/// Sections of the image that are not for the processor, and sections that must not be in it. In the log section,
/// addresses of symbols are numbers of formats.
const EPILOGUE: &str = "
  .stack_sizes 0 (INFO) : { *(.stack_sizes) }
  .clef.traps 0 (INFO) : { *(.clef.traps) }
  .clef.sites 0 (INFO) : { *(.clef.sites) }
  .defmt 1 (INFO) : { *(.defmt.trace .defmt.debug .defmt.info .defmt.warn .defmt.error .defmt.println .defmt.str) KEEP(*(.defmt.end)) }
  /DISCARD/ :
  {
    *(.boot_block.*)
    *(.ARM.exidx* .ARM.extab*)
    *(.eh_frame* .gcc_except_table*)
    *(.note.GNU-stack .note.gnu.*)
  }
}
";

/// Whether the boot code supports the board's memory map.
pub(super) fn check_board(board: &Board) -> Result<(), Diagnostic> {
    let unsuitable = |message: String| Diagnostic::general(codes::INVALID_MEMORY_MAP, message);
    let (Some(flash), Some(ram)) = (board.flash(), board.ram()) else {
        return match board.boot {
            Boot::Linux => Ok(()),
            Boot::CortexM | Boot::Aarch64 | Boot::Pvh => {
                Err(unsuitable(format!("`{}` has no flash or no RAM", board.name)))
            }
        };
    };
    let is_mapped_by_blocks = match board.boot {
        Boot::Aarch64 | Boot::Pvh => true,
        Boot::CortexM | Boot::Linux => false,
    };
    if is_mapped_by_blocks && !ram.origin.0.is_multiple_of(MMU_BLOCK) {
        return Err(unsuitable(format!("`{}` starts at {}, inside a block of 2 MiB", ram.name, ram.origin))
            .note("the boot code maps memory in blocks of 2 MiB, and leaves the block below the stack unmapped")
            .help("start the region at a multiple of 0x200000"));
    }
    let (first, last) = (flash.origin.0.min(ram.origin.0), flash.end().0.max(ram.end().0) - 1);
    let gigabytes_are_fit = match board.boot {
        Boot::Pvh => last / GIGABYTE == 0,
        Boot::Aarch64 => first / GIGABYTE == last / GIGABYTE && first >= GIGABYTE,
        Boot::CortexM | Boot::Linux => true,
    };
    if gigabytes_are_fit {
        return Ok(());
    }
    let (rule, help) = match board.boot {
        Boot::Pvh => ("the boot code maps the first gigabyte", "end both regions below 0x40000000"),
        Boot::Aarch64 | Boot::CortexM | Boot::Linux => (
            "the boot code maps one gigabyte of memory, and the first gigabyte as devices",
            "put both regions in one gigabyte after the first, such as 0x40000000 to 0x7fffffff",
        ),
    };
    Err(unsuitable(format!("`{}` and `{}` are in memory that the boot code does not map", flash.name, ram.name))
        .note(rule)
        .help(help))
}

/// The script that lays out an image for the board.
pub fn linker_script(board: &Board, sections: &Sections, pool: Pool, limit: MemoryLimit) -> String {
    let mut script = String::from("ENTRY(_start)\n");
    match (board.flash(), board.ram()) {
        (Some(flash), Some(ram)) => bare_metal(&mut script, board, sections, (flash, ram), pool, limit),
        (None, _) | (_, None) => linux(&mut script, board, sections, pool),
    }
    script.push_str(EPILOGUE);
    if !sections.has_constructors {
        // Without optimisation the runtime refers to them.
        script.push_str("PROVIDE(__clef_constructors_start = 0);\nPROVIDE(__clef_constructors_end = 0);\n");
    }
    script
}

/// Appends lines; writing to a string cannot fail.
macro_rules! line {
    ($script:expr, $($argument:tt)*) => {{
        let _ = writeln!($script, $($argument)*);
    }};
}

fn bare_metal(
    script: &mut String,
    board: &Board,
    sections: &Sections,
    (flash, ram): (&MemoryRegion, &MemoryRegion),
    pool: Pool,
    limit: MemoryLimit,
) {
    let (rom, ram_name) = (&flash.name, &ram.name);
    line!(script, "MEMORY\n{{");
    for region in [flash, ram] {
        let length = match limit {
            MemoryLimit::Board => region.length.0,
            MemoryLimit::Ample => AMPLE.0,
        };
        line!(script, "  {} : ORIGIN = {:#x}, LENGTH = {length:#x}", region.name, region.origin.0);
    }
    line!(script, "}}");
    line!(script, "PHDRS\n{{\n  code PT_LOAD FLAGS(5);\n  constants PT_LOAD FLAGS(4);\n  variables PT_LOAD FLAGS(6);");
    line!(script, "  zeroed PT_LOAD FLAGS(6);");
    if board.boot == Boot::Pvh {
        line!(script, "  note PT_NOTE FLAGS(4);");
    }
    line!(script, "}}");
    board_symbols(script, board, flash, ram);
    line!(script, "SECTIONS\n{{");
    match board.boot {
        Boot::CortexM => vectors(script, board, rom),
        Boot::Pvh => line!(script, "  .note.pvh : {{ KEEP(*(.note.pvh)) }} > {rom} : code : note"),
        Boot::Aarch64 => {
            let entry = if sections.uses_interrupts { INTERRUPT_ENTRY } else { FAULT_ENTRY };
            line!(script, "  __clef_interrupt = DEFINED({entry}) ? {entry} : 0;");
        }
        Boot::Linux => {}
    }
    line!(script, "  .text : {{ *(.text .text.*) }} > {rom} : code");
    for name in &sections.code {
        line!(script, "  {name} : {{ *({name}) }} > {rom} : code");
    }
    let tables = format!("{}{}", start(board), handlers(board, sections));
    line!(script, "  .rodata : ALIGN(4) {{ *(.rodata .rodata.*) . = ALIGN(4);{tables} }} > {rom} : constants");
    if sections.has_constructors {
        line!(script, "  {} > {rom} : constants", constructors());
    }
    line!(script, "  .stack ORIGIN({ram_name}) (NOLOAD) :\n  {{");
    line!(script, "    __clef_stack_bottom = .;\n    . += {:#x};\n    __clef_stack_top = .;", board.stack.0);
    line!(script, "  }} > {ram_name} : NONE");
    let Alignment { section, step } = alignment(board);
    line!(script, "  .data : ALIGN({section})\n  {{");
    line!(
        script,
        "    __clef_data_start = .;\n    *(.data .data.* .got .got.*){}\n    . = ALIGN({step});\n    __clef_data_end = .;",
        sections.foreign.values()
    );
    line!(script, "  }} > {ram_name} AT > {rom} : variables");
    line!(script, "  __clef_data_load = LOADADDR(.data);");
    line!(script, "  PROVIDE(__clef_image_end = LOADADDR(.data) + SIZEOF(.data));");
    line!(script, "  .bss (NOLOAD) : ALIGN({section})\n  {{");
    let zeros = sections.foreign.zeros();
    line!(script, "    __clef_bss_start = .;\n    {}*(.bss .bss.* COMMON){zeros}", variables(sections));
    line!(script, "    . = ALIGN({section});\n    __clef_bss_end = .;");
    line!(script, "  }} > {ram_name} : zeroed");
    line!(script, "  .pool (NOLOAD) : ALIGN({section})\n  {{");
    let pages = match (pool, board.region_pool.size, limit) {
        (Pool::None, _, _) => "0".to_owned(),
        (Pool::Board, Some(size), _) => format!("{:#x}", size.0),
        (Pool::Board, None, MemoryLimit::Ample) => format!("{:#x}", board.region_pool.page.0),
        (Pool::Board, None, MemoryLimit::Board) => rest(ram, board.region_pool.page.0),
    };
    pool_symbols(script, &pages, board);
    line!(script, "  }} > {ram_name} : NONE");
}

/// The alignment of variables, in bytes.
struct Alignment {
    /// Of the sections, at least; of the pool, two words.
    section: u32,
    /// Of the end of the initial values, which the boot code copies in steps of this size.
    step: u32,
}

fn alignment(board: &Board) -> Alignment {
    match board.boot {
        Boot::CortexM => Alignment { section: 8, step: 4 },
        Boot::Pvh | Boot::Aarch64 | Boot::Linux => Alignment { section: 16, step: 16 },
    }
}

/// The pool: a byte for each page, and the pages, aligned to their size.
fn pool_symbols(script: &mut String, size: &str, board: &Board) {
    let page = board.region_pool.page.0;
    line!(script, "    __clef_pool_start = .;\n    . += {size};\n    __clef_pool_end = .;");
    line!(
        script,
        "    __clef_pool_pages = MIN(ALIGN(__clef_pool_start + (__clef_pool_end - __clef_pool_start) / {page:#x}, {page:#x}), __clef_pool_end);"
    );
}

/// The bytes of the whole pages between the variables and the end of RAM; of one page, if there are none.
fn rest(ram: &MemoryRegion, page: u64) -> String {
    let end = ram.end().0;
    format!("(__clef_bss_end + {page:#x} < {end:#x} ? ({end:#x} - __clef_bss_end) / {page:#x} * {page:#x} : {page:#x})")
}

/// Constants that boot code needs; unused ones are not defined.
fn board_symbols(script: &mut String, board: &Board, flash: &MemoryRegion, ram: &MemoryRegion) {
    let (rbar, rasr) = guard(board, ram);
    if board.start.is_empty() {
        line!(script, "PROVIDE(__clef_start = 0);");
    }
    for (name, value) in [
        ("image_start", flash.origin.0),
        ("ram_start", ram.origin.0),
        ("ram_end", ram.end().0),
        ("guard_rbar", rbar),
        ("guard_rasr", rasr),
    ] {
        line!(script, "PROVIDE(__clef_{name} = {value:#x});");
    }
}

/// The vector table: the initial stack pointer, reset, the exceptions of the processor, which are faults unless the program handles
/// them, the system timer, and the board's interrupts, with the functions that [`interrupt_symbol`] names; an interrupt without a function
/// is a fault. The board's timer belongs to the runtime's
/// [`CLOCK_HANDLER`] in programs that use the time. Otherwise it belongs to the program's [`TIMER_HANDLER`], by way of
/// the runtime's [`COUNTER_HANDLER`] if it is a counter of the chip.
fn vectors(script: &mut String, board: &Board, rom: &str) {
    if board.boot_block == Some(BootBlock::Rp2040) {
        line!(script, "  .boot_block ORIGIN({rom}) : {{ KEEP(*(.boot_block.rp2040)) }} > {rom} : code");
    }
    let before = board.boot_block.map_or(0, |block| block.before_vectors().0);
    line!(script, "  .vectors ORIGIN({rom}) + {before:#x} :\n  {{\n    __clef_vectors = .;");
    line!(script, "    LONG(__clef_stack_top)\n    LONG({START} | 1)");
    let fault = fault(board);
    for exception in EXCEPTIONS {
        match exception {
            Some(name) if HANDLED_EXCEPTIONS.contains(&name) => {
                let own = format!("{INTERRUPT}{name}");
                let of_flash: &[&str] = if name == NON_MASKABLE { &[FLASH_HANDLER] } else { &[] };
                vector(script, &[&[own.as_str()], of_flash].concat(), fault);
            }
            Some(_) => vector(script, &[], fault),
            None => line!(script, "    LONG(0)"),
        }
    }
    let timer = board.time.interrupt();
    let of_system_timer: &[&str] = if timer.is_none() { &[TIMER_HANDLER, CLOCK_HANDLER] } else { &[] };
    vector(script, of_system_timer, fault);
    for number in 0..board.vectors.unwrap_or(0) {
        let own = interrupt_symbol::handler(number);
        let of_timer: &[&str] = if timer == Some(number) { &[CLOCK_HANDLER, COUNTER_HANDLER] } else { &[] };
        vector(script, &[&[own.as_str()], of_timer].concat(), fault);
    }
    line!(script, "  }} > {rom} : code");
    if board.boot_block == Some(BootBlock::Kinetis) {
        let words: String = crate::FLASH_CONFIGURATION.iter().map(|word| format!(" LONG({word:#x})")).collect();
        let place = crate::FLASH_CONFIGURATION_OFFSET;
        line!(script, "  .boot_block ORIGIN({rom}) + {place:#x} : {{{words} }} > {rom} : code");
    }
    if board.boot_block == Some(BootBlock::Rp2350) {
        let words: String = crate::IMAGE_DEFINITION.iter().map(|word| format!(" LONG({word:#x})")).collect();
        line!(script, "  .boot_block : {{{words} }} > {rom} : code");
    }
}

/// The function that handles faults. A board that an emulator runs always has a debugger for the calls of the program.
fn fault(board: &Board) -> &'static str {
    let calls_debugger = board.arguments() == Arguments::Semihosting;
    match board.trap_messages {
        TrapMessages::Image => FAULT_ENTRY,
        TrapMessages::Debugger if calls_debugger && board.chip.is_some() => FAULT_SKIP,
        TrapMessages::Debugger => FAULT_STOP,
    }
}

/// An entry of the vector table: the first of the handlers that the image defines, or else the fault.
fn vector(script: &mut String, handlers: &[&str], fault: &str) {
    let defined = handlers.iter().map(|handler| format!("DEFINED({handler}) ? {handler} : ")).collect::<String>();
    line!(script, "    LONG(({defined}{fault}) | 1)");
}

/// The table of the steps that the boot code performs: for each the address of its register, whose two low bits select
/// the operation, and a value (`start_board` of the runtime).
fn start(board: &Board) -> String {
    let entries = board.start.iter().flat_map(StartStep::entries);
    let table: String = entries.map(|[place, value]| format!(" LONG({place:#x}) LONG({value:#x})")).collect();
    if table.is_empty() { table } else { format!(" __clef_start = .;{table}") }
}

/// The table of the handlers of interrupts up to the last one that has one, in which the runtime looks them up: for each its address,
/// or 0. The timer's handler may also have its number.
fn handlers(board: &Board, sections: &Sections) -> String {
    let Some(controller) = board.interrupts else { return String::new() };
    let number = |name: &String| name.parse().unwrap_or(controller.timer());
    let count = sections.interrupts.iter().map(number).max().map_or(0, |last: u32| last + 1);
    let entry = |number: u32| {
        let of_timer = if number == controller.timer() { TIMER_HANDLER } else { "" };
        let names = [interrupt_symbol::handler(number), of_timer.to_owned()];
        let names = names.iter().filter(|name| !name.is_empty());
        let defined: String = names.map(|name| format!("DEFINED({name}) ? {name} : ")).collect();
        format!(" QUAD({defined}0)")
    };
    let table: String = (0..count).map(entry).collect();
    format!(" . = ALIGN(8); __clef_handlers = .;{table} __clef_handlers_end = .;")
}

/// The range below the stack that the memory protection unit of an Armv7-M core forbids, as the values of its registers
/// `RBAR` and `RASR` (Armv7-M Architecture Reference Manual, B3.5). The size of a range is a power of two of at least
/// 32 bytes, and its start a multiple of that; it must not overlap memory that the board uses.
fn guard(board: &Board, ram: &MemoryRegion) -> (u64, u64) {
    const VALID: u64 = 1 << 4;
    const EXECUTE_NEVER: u64 = 1 << 28;
    const ENABLE: u64 = 1;
    let is_free =
        |start: u64| board.memory.iter().all(|other| other.end().0 <= start || other.origin.0 >= ram.origin.0);
    for exponent in (5..=16).rev() {
        let size = 1 << exponent;
        let start = ram.origin.0.checked_sub(size).filter(|start| start.is_multiple_of(size));
        if let Some(start) = start.filter(|start| is_free(*start)) {
            return (start | VALID, EXECUTE_NEVER | (exponent - 1) << 1 | ENABLE);
        }
    }
    // A disabled range of size zero.
    (VALID, 0)
}

/// The values of each section that the program names, one after another.
fn variables(sections: &Sections) -> String {
    sections.variables.iter().map(|name| format!("*({name}) ")).collect()
}

/// The section of the addresses of constructors, which the runtime calls in their order before the program starts.
fn constructors() -> String {
    format!(
        "{CONSTRUCTORS} : {{ __clef_constructors_start = .; KEEP(*(SORT_BY_INIT_PRIORITY({CONSTRUCTORS}.*))) \
         KEEP(*({CONSTRUCTORS})) __clef_constructors_end = .; }}"
    )
}

/// Unmapped addresses below the stack of a Linux process.
const LINUX_GUARD: u64 = 1 << 20;

fn linux(script: &mut String, board: &Board, sections: &Sections, pool: Pool) {
    script.push_str(
        "PHDRS
{
  code PT_LOAD FLAGS(5);
  constants PT_LOAD FLAGS(4);
  variables PT_LOAD FLAGS(6);
  stack PT_LOAD FLAGS(6);
  nonexecutable_stack PT_GNU_STACK FLAGS(6);
}
SECTIONS
{
  . = 0x400000 + SIZEOF_HEADERS;
  .text : { *(.text .text.*) } : code
",
    );
    for name in &sections.code {
        line!(script, "  {name} : {{ *({name}) }} : code");
    }
    script.push_str(
        "  . = ALIGN(CONSTANT(MAXPAGESIZE));
  .rodata : { *(.rodata .rodata.*) } : constants
",
    );
    if sections.has_constructors {
        line!(script, "  {} : constants", constructors());
    }
    let (values, zeros) = (sections.foreign.values(), sections.foreign.zeros());
    line!(script, "  . = ALIGN(CONSTANT(MAXPAGESIZE));");
    line!(script, "  .data : {{ *(.data .data.* .got .got.*){values} }} : variables");
    line!(script, "  .bss : {{ {}*(.bss .bss.* COMMON){zeros} }} : variables", variables(sections));
    line!(script, "  .pool (NOLOAD) : ALIGN(16)\n  {{");
    let size = match pool {
        Pool::None => 0,
        Pool::Board => board.region_pool.size.unwrap_or_default().0,
    };
    pool_symbols(script, &format!("{size:#x}"), board);
    line!(
        script,
        "  }} : variables\n  . = ALIGN(CONSTANT(MAXPAGESIZE)) + {LINUX_GUARD:#x};\n  .stack (NOLOAD) :\n  {{"
    );
    line!(script, "    __clef_stack_bottom = .;\n    . += {:#x};\n    __clef_stack_top = .;", board.stack.0);
    line!(script, "  }} : stack");
}
