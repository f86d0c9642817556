//! Traps of images that do not report them: the state of the processor, decoded on the host.
//!
//! In: an image, and a Cortex-M processor that has stopped where its exceptions without a handler lead. Out: the report
//! that the image would have written.

use super::{Numbers, report_of};
use clef_descriptors::Boot;
use clef_image::{Site, Sites};
use clef_types::trap::{TrapCause, stop};
use goblin::elf::Elf;
use std::fmt::Write as _;

/// Reads this number of bytes at an address of the processor's memory; nothing if that fails.
pub(crate) type ReadMemory<'a> = dyn FnMut(u64, usize) -> Option<Vec<u8>> + 'a;

/// The report on a processor about which nothing is known.
pub(crate) const UNREADABLE: &str = "trap: the processor stopped, and its state cannot be read\n";

/// The registers of the system control block (Armv7-M Architecture Reference Manual, B3.2).
pub(super) const CPUID: u64 = 0xe000_ed00;
pub(super) const ICSR: u64 = 0xe000_ed04;
/// `CFSR`, `HFSR`, `DFSR`, `MMFAR`, `BFAR`.
pub(super) const FAULT_STATUS: u64 = 0xe000_ed28;
const FAULT_STATUS_WORDS: usize = 5;

/// The addresses of a memory and of a bus fault.
pub(super) const MMFAR: u64 = FAULT_STATUS + 12;
pub(super) const BFAR: u64 = FAULT_STATUS + 16;

/// The field of `CPUID` with the architecture; this value means Armv7-M or Armv8-M Mainline, which have `CFSR`.
pub(super) const ARCHITECTURE: u64 = 0xf << 16;

/// The bits of `ICSR` with the number of the active exception.
pub(super) const ACTIVE: u64 = 0x1ff;

/// The bit of `CFSR` that says that the stack pointer went below its limit.
pub(super) const STACK_LIMIT: u64 = 1 << 20;

/// An exception frame, without and with the registers of the FPU.
const FRAME_WORDS: usize = 8;
pub(super) const LARGEST_FRAME: u64 = 104;

/// The place of the program counter in an exception frame.
const PROGRAM_COUNTER: usize = 6;

/// The exceptions that an undefined instruction raises: hard fault and usage fault.
const UNDEFINED: [u64; 2] = [3, 6];

/// The most words of the stack that are searched for return addresses.
const STACK_WORDS: u64 = 128;

/// The longest text that is read from memory, in bytes.
const LONGEST_TEXT: u64 = 4096;

/// The report on a processor with this stack pointer; nothing if its memory cannot be read.
pub(crate) fn report(image: &[u8], stack_pointer: u64, read: &mut ReadMemory<'_>) -> Option<String> {
    let elf = clef_image::parse(image).ok()?;
    let stack = stack(&elf)?;
    let start = if stack.contains(&stack_pointer) { stack_pointer } else { stack.start };
    let count = ((stack.end - start) / 4).min(STACK_WORDS) as usize;
    let state = State {
        exception: words(read, ICSR, 1)?[0] & ACTIVE,
        status: match words(read, CPUID, 1)?[0] & ARCHITECTURE {
            ARCHITECTURE => words(read, FAULT_STATUS, FAULT_STATUS_WORDS)?,
            _ => Vec::new(),
        },
        stack: words(read, start, count)?,
    };
    if start == stack_pointer && UNDEFINED.contains(&state.exception) {
        let sites = Sites::of(&elf, image);
        if let Some(trap) = state.frame().and_then(|frame| trap(frame, &sites, read)) {
            return Some(format!("trap: {trap}\n"));
        }
    }
    let is_overflow = stack_pointer < stack.start + LARGEST_FRAME
        || state.status.first().is_some_and(|status| status & STACK_LIMIT != 0);
    let cause = if is_overflow { TrapCause::StackOverflow } else { TrapCause::ProcessorFault };
    let mut groups = vec![vec![state.exception, stack_pointer, start]];
    if !state.status.is_empty() {
        groups.push(state.status);
    }
    let details = report_of(&Numbers { groups, stack: state.stack }, Boot::CortexM, Some(image)).unwrap_or_default();
    Some(format!("trap: {}\n{details}", cause.message()))
}

/// What memory says about a processor that stopped.
struct State {
    /// The number of the active exception.
    exception: u64,
    /// The fault status registers, if the core has them.
    status: Vec<u64>,
    /// The words from the stack pointer on, or from the lowest address of the stack.
    stack: Vec<u64>,
}

impl State {
    /// The exception frame.
    fn frame(&self) -> Option<&[u64]> {
        self.stack.get(..FRAME_WORDS)
    }
}

/// The bounds of the stack.
fn stack(elf: &Elf<'_>) -> Option<std::ops::Range<u64>> {
    let place = |name: &str| {
        elf.syms.iter().find(|symbol| elf.strtab.get_at(symbol.st_name) == Some(name)).map(|symbol| symbol.st_value)
    };
    Some(place("__clef_stack_bottom")?..place("__clef_stack_top")?)
}

fn words(read: &mut ReadMemory<'_>, address: u64, count: usize) -> Option<Vec<u64>> {
    let bytes = read(address, 4 * count)?;
    let word = |bytes: &[u8]| bytes.try_into().ok().map(u32::from_le_bytes).map(u64::from);
    bytes.chunks(4).map(word).collect::<Option<Vec<_>>>().filter(|words| words.len() == count)
}

/// The trap at which a processor with this exception frame stopped; nothing if it is a fault of another kind.
fn trap(frame: &[u64], sites: &Sites, read: &mut ReadMemory<'_>) -> Option<String> {
    let place = frame[PROGRAM_COUNTER];
    let instruction = read(place, 2)?;
    let &[code, UNDEFINED_INSTRUCTION] = instruction.as_slice() else { return None };
    let at = |site: &Site, message: &str| format!("{message} at {}", site.place);
    match code {
        stop::FIXED => sites.at(place).map(|site| at(site, &site.message)),
        stop::MESSAGE => sites.at(place).map(|site| at(site, &text(frame[0], frame[1], read))),
        stop::TEXT => {
            let (quoted, message) = (text(frame[0], frame[1], read), text(frame[2], frame[3], read));
            sites.at(place).map(|site| at(site, &format!("\"{}\"{message}", escaped(&quoted))))
        }
        stop::MESSAGE_AT => sites.number(frame[2]).map(|site| at(site, &text(frame[0], frame[1], read))),
        stop::EXHAUSTED => exhausted(&words(read, frame[0], stop::REGION_WORDS)?, frame, sites),
        _ => None,
    }
}

/// The second byte of a `udf` instruction.
const UNDEFINED_INSTRUCTION: u8 = 0xde;

/// The report of a region and the registers that `stop::EXHAUSTED` describes.
fn exhausted(region: &[u64], frame: &[u64], sites: &Sites) -> Option<String> {
    let &[_, site, asked, left, ..] = frame else { return None };
    let (held, origin) = (region[stop::REGION_HELD], region[stop::REGION_ORIGIN]);
    let message = TrapCause::RegionsExhausted.message();
    let mut report = format!("{message} at {}\n", sites.number(site)?.place);
    let _ = write!(report, "{asked} bytes asked, {left} bytes left in the pool; {held} bytes in this region, ");
    match sites.number(origin) {
        Some(origin) => report += &format!("which begins at {}", origin.place),
        None => report += "the program's own",
    }
    Some(report)
}

/// A text of the program.
fn text(address: u64, length: u64, read: &mut ReadMemory<'_>) -> String {
    let bytes = if length == 0 { Some(Vec::new()) } else { read(address, length.min(LONGEST_TEXT) as usize) };
    bytes
        .map_or_else(|| "(a text that cannot be read)".to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A text with its control characters as literals have them.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c.is_control() {
            true => drop(write!(escaped, "\\{:03}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    escaped
}
