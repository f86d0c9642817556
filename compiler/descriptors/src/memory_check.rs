//! Whether a board's memory map has space for a program.
//!
//! In: a board whose values have the right types. Holds afterwards: no region is empty or overlaps another, flash and
//! RAM exist unless the system places programs, and the stack and the region pool fit into the RAM.

use crate::{
    Address, Board, Boot, BootBlock, Bytes, Gpio, MemoryKind, MemoryRegion, reader::Report, settings_schema, yaml::Node,
};
use clef_base::{Diagnostic, Span, codes};

/// Reports errors in the memory map; true if there are none.
pub(crate) fn check(node: &Node, place: Span, board: &Board, report: &mut Report) -> bool {
    let before = report.len();
    let places = Places { node, place };
    check_each(&places, board, report);
    check_overlaps(&places, board, report);
    if report.len() == before {
        match board.boot {
            Boot::CortexM | Boot::Aarch64 | Boot::Pvh => check_space(&places, board, report),
            Boot::Linux => check_process(&places, board, report),
        }
        check_boot_block(&places, board, report);
    }
    if report.len() == before {
        settings_schema::check_space(node, board, report);
        check_vectors(&places, board, report);
    }
    report.len() == before
}

/// The locations of values in the file.
struct Places<'a> {
    node: &'a Node,
    place: Span,
}

impl Places<'_> {
    fn key(&self, key: &str) -> Span {
        self.node.get(key).map_or(self.place, |entry| entry.key_span)
    }

    fn region(&self, region: &MemoryRegion) -> Span {
        let entry = self.node.get("memory").and_then(|memory| memory.value.get(&region.name));
        entry.map_or(self.place, |entry| entry.key_span)
    }

    fn length(&self, region: &MemoryRegion) -> Span {
        let entry = self.node.get("memory").and_then(|memory| memory.value.get(&region.name));
        entry.and_then(|entry| entry.value.get("length")).map_or(self.place, |entry| entry.value.span)
    }
}

fn unusable(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::UNUSABLE_MEMORY_MAP, span, message)
}

fn check_each(places: &Places<'_>, board: &Board, report: &mut Report) {
    for region in &board.memory {
        if region.length.0 == 0 {
            let message = format!("the memory region `{}` is empty", region.name);
            report.push(unusable(places.length(region), message).help("write the size in the chip's data sheet"));
        } else if region.origin.checked_add(region.length).is_none() {
            let message = format!("the memory region `{}` exceeds the address space", region.name);
            let help = "write the origin and the length in the chip's data sheet";
            report.push(unusable(places.length(region), message).help(help));
        }
    }
    if board.stack.0 == 0 || !board.stack.0.is_multiple_of(STACK_ALIGNMENT) {
        let message =
            format!("the stack must be a positive multiple of {STACK_ALIGNMENT} bytes, not {}", board.stack.0);
        let error = unusable(places.key("stack"), message);
        let next = board.stack.0.max(SMALL_STACK).checked_next_multiple_of(STACK_ALIGNMENT);
        report.push(match next {
            Some(next) => error.help(format!("write `stack: {}`", Bytes(next))),
            None => error,
        });
    }
}

/// A stack for small programs.
const SMALL_STACK: u64 = 1024;

/// The strictest stack alignment of all calling conventions.
const STACK_ALIGNMENT: u64 = 16;

fn check_overlaps(places: &Places<'_>, board: &Board, report: &mut Report) {
    for (index, second) in board.memory.iter().enumerate() {
        for first in &board.memory[..index] {
            let apart = |left: &MemoryRegion, right: &MemoryRegion| {
                left.origin.checked_add(left.length).is_some_and(|end| end <= right.origin)
            };
            if !apart(first, second) && !apart(second, first) {
                let message = format!("the memory regions `{}` and `{}` overlap", first.name, second.name);
                let range = |region: &MemoryRegion| format!("{} bytes from {}", region.length, region.origin);
                let error = unusable(places.region(second), message)
                    .label(range(second))
                    .also(places.region(first), range(first));
                let (lower, upper) = if first.origin <= second.origin { (first, second) } else { (second, first) };
                report.push(match upper.origin.0 - lower.origin.0 {
                    0 => error.help("write the origins in the chip's data sheet"),
                    most => {
                        let help =
                            format!("shorten `{}` to {} at most, or move `{}`", lower.name, Bytes(most), upper.name);
                        error.help(help)
                    }
                });
            }
        }
    }
}

/// The maximum number of device interrupts of a microcontroller (Armv8-M Architecture Reference Manual, B3.1).
const MAX_VECTORS: u32 = 480;

/// The entries of the vector table before those of devices.
const SYSTEM_VECTORS: u64 = 16;

/// The processor finds an entry by inserting its number into the low bits of the table's address (Armv7-M Architecture
/// Reference Manual, B3.2.5).
fn check_vectors(places: &Places<'_>, board: &Board, report: &mut Report) {
    let Some(vectors) = board.vectors else { return };
    let invalid = |key: &str, message: String| {
        let place = places.node.get(key).map_or(places.place, |entry| entry.value.span);
        Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message)
    };
    if vectors > MAX_VECTORS {
        let message = format!("a vector table has at most {MAX_VECTORS} device interrupts, not {vectors}");
        report.push(invalid("vectors", message));
        return;
    }
    let (Some(table), Some(flash)) = (board.vector_table(), board.flash()) else { return };
    let alignment = ((SYSTEM_VECTORS + u64::from(vectors)) * 4).next_power_of_two().max(128);
    if !table.0.is_multiple_of(alignment) {
        let message = format!("the vector table would start at {table}, which is not a multiple of {alignment}");
        let origin = places.node.get("memory").and_then(|memory| memory.value.get(&flash.name));
        let origin = origin.and_then(|entry| entry.value.get("origin")).map_or(places.place, |entry| entry.value.span);
        report.push(
            unusable(origin, message)
                .note(format!(
                    "a table of {vectors} interrupts must be aligned to its size, rounded up to a power of two"
                ))
                .help(format!("start `{}` at a multiple of {alignment}", flash.name)),
        );
    }
}

/// The properties of a boot block must match the rest of the board.
fn check_boot_block(places: &Places<'_>, board: &Board, report: &mut Report) {
    let Some(block) = board.boot_block else { return };
    let (chip, prefix) = match block {
        BootBlock::Rp2040 => ("RP2040", "rp2040"),
        BootBlock::Rp2350 => ("RP2350", "rp235"),
        BootBlock::Kinetis => ("Kinetis", "mk"),
    };
    let is_other_chip = board.chip.as_ref().is_some_and(|chip| !chip.to_ascii_lowercase().starts_with(prefix));
    let is_other_gpio = match (board.gpio, block) {
        (None, _)
        | (Some(Gpio::Rp2040), BootBlock::Rp2040)
        | (Some(Gpio::Rp2350), BootBlock::Rp2350)
        | (Some(Gpio::Kl25), BootBlock::Kinetis) => false,
        (Some(_), _) => true,
    };
    let first = match block {
        BootBlock::Rp2040 | BootBlock::Rp2350 => FLASH_OF_RP,
        BootBlock::Kinetis => Address(0),
    };
    let reason = if is_other_chip {
        "`chip` is a different chip".to_owned()
    } else if is_other_gpio {
        "`gpio` is of a different chip".to_owned()
    } else if board.flash().is_some_and(|flash| flash.origin != first) {
        format!("flash does not start at {first}")
    } else {
        return;
    };
    let message = format!("this boot block is for the {chip}, and {reason}");
    let place = places.node.get("boot_block").map_or(places.place, |entry| entry.value.span);
    report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message));
}

/// Errors if the registers of a device overlap the memory for programs, which the target's addresses reach.
pub(crate) fn check_devices<'a>(node: &'a Node, board: &'a Board) -> Report {
    let places = Places { node, place: node.span.at_start() };
    let mut report = Report::new();
    let keys = ["console", "console_error", "gpio", "uart", "time", "watchdog"].into_iter();
    let devices = keys.filter_map(|key| Some((key, places.node.get(key)?)));
    let named = |key, name: &'a str| Some((name, places.node.get(key)?.value.get(name)?));
    let lines = board.uarts.keys().filter_map(|name| named("uarts", name));
    let lines = lines.chain(board.i2c.keys().filter_map(|name| named("i2c", name)));
    let lines = lines.chain(board.spi.keys().filter_map(|name| named("spi", name)));
    for (key, device) in devices.chain(lines) {
        let base = device.value.get("base").map(|base| &base.value);
        let Some((node, base)) = base.and_then(|node| Some((node, Address::parse(node.text()?)?))) else { continue };
        let Some(region) = board.memory.iter().find(|region| (region.origin..region.end()).contains(&base)) else {
            continue;
        };
        let message = format!("the device of `{key}` at {base} is in the memory region `{}`", region.name);
        report.push(
            Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, node.span, message)
                .also(places.region(region), format!("{} bytes from {}", region.length, region.origin))
                .help("use the address of its first register, as in the chip's manual"),
        );
    }
    report
}

/// Where the boot code of Raspberry Pi's chips looks for boot blocks (RP2040 data sheet, 2.8; RP2350 data sheet, 5.9).
const FLASH_OF_RP: Address = Address(0x1000_0000);

/// A process has no RAM of its own, so its pool needs a size.
fn check_process(places: &Places<'_>, board: &Board, report: &mut Report) {
    if board.region_pool.size.is_none() {
        let message = "the region pool of a process requires a `size`";
        report
            .push(unusable(places.key("region_pool"), message).help("add it: `region_pool: { size: 64M, page: 256 }`"));
    }
}

fn check_space(places: &Places<'_>, board: &Board, report: &mut Report) {
    for (kind, word, present) in
        [(MemoryKind::Flash, "flash", board.flash().is_some()), (MemoryKind::Ram, "ram", board.ram().is_some())]
    {
        if !present {
            let message = format!("missing memory region of kind `{word}`");
            let (note, example) = match kind {
                MemoryKind::Flash => ("it holds code, constants and initial values", "origin: 0x0, length: 256K"),
                MemoryKind::Ram => {
                    ("it holds variables, the stack and the region pool", "origin: 0x20000000, length: 64K")
                }
            };
            let help = format!("add it with the chip's addresses, as in `{word}: {{ kind: {word}, {example} }}`");
            report.push(unusable(places.key("memory"), message).note(note).help(help));
        }
    }
    let Some(ram) = board.ram() else { return };
    // A pool without a size takes the remaining RAM, at least one page.
    let (stack, pool) = (board.stack, board.region_pool.size.unwrap_or(board.region_pool.page));
    if stack.0.checked_add(pool.0).is_none_or(|needed| needed > ram.length.0) {
        let message = format!("the stack and the region pool do not fit in `{}`", ram.name);
        report.push(
            unusable(places.length(ram), message)
                .label(format!("{} bytes", ram.length))
                .also(places.key("stack"), format!("the stack has {stack}"))
                .also(places.key("region_pool"), format!("the pool has {pool}"))
                .help("reduce one of them; global variables need space too"),
        );
    }
}
