//! Traps of images that do not report them: the state of the processor, decoded on the host.
//!
//! In: an image, and a Cortex-M processor that has stopped where its exceptions without a handler lead. Out: the report
//! that the image would have written.

use super::{Numbers, cortex_m, shown};
use crate::backtrace::{Backtrace, Innermost, ReadMemory, Registers, exception, stack};
use clef_base::HashMap;
use clef_image::{Site, Sites};
use clef_types::trap::{TrapCause, stop};
use std::{fmt::Write as _, ops::Range};

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

/// An exception frame with the registers of the FPU.
pub(super) const LARGEST_FRAME: u64 = 104;

/// The numbers of registers.
const STACK_POINTER: usize = 13;
const LINK: usize = 14;

/// The exceptions that an undefined instruction raises: hard fault and usage fault.
const UNDEFINED: [u64; 2] = [3, 6];

/// The longest text that is read from memory, in bytes.
const LONGEST_TEXT: u64 = 4096;

/// The report on a processor with these registers; nothing if its memory cannot be read.
pub(crate) fn report(image: &[u8], registers: &[u64; 16], read: &mut ReadMemory<'_>) -> Option<String> {
    let elf = clef_image::parse(image).ok()?;
    let mut stack_memory = StackMemory { stack: stack(&elf), blocks: HashMap::default(), read };
    let read = &mut |address, count| stack_memory.read(address, count);
    let backtrace = Backtrace::of(image)?;
    let (stack, stack_pointer) = (stack(&elf), registers[STACK_POINTER]);
    let start = if stack.contains(&stack_pointer) { stack_pointer } else { stack.start };
    let active = words(read, ICSR, 1)?[0] & ACTIVE;
    let status = match words(read, CPUID, 1)?[0] & ARCHITECTURE {
        ARCHITECTURE => words(read, FAULT_STATUS, FAULT_STATUS_WORDS)?,
        _ => Vec::new(),
    };
    let frame = words(read, start, exception::FRAME_WORDS)?;
    if start == stack_pointer && UNDEFINED.contains(&active) {
        let sites = Sites::of(&elf, image);
        if let Some((trap, frame)) = frame.first_chunk().and_then(|frame| Some((trap(frame, &sites, read)?, frame))) {
            let handler = handler(registers);
            let program = exception::interrupted(frame, stack_pointer, Some(registers[LINK]), &handler);
            let calls = backtrace.calls(&program, Innermost::Program, read);
            return Some(format!("trap: {trap}\n{calls}"));
        }
    }
    let is_overflow =
        stack_pointer < stack.start + LARGEST_FRAME || status.first().is_some_and(|status| status & STACK_LIMIT != 0);
    let cause = if is_overflow { TrapCause::StackOverflow } else { TrapCause::ProcessorFault };
    let mut groups = vec![vec![active, stack_pointer, start]];
    if !status.is_empty() {
        groups.push(status);
    }
    groups.push(cortex_m::kept(registers));
    let fault = cortex_m::fault(&Numbers { groups, stack: frame });
    let details = fault.map(|fault| shown(&fault, Some(&backtrace), read)).unwrap_or_default();
    Some(format!("trap: {}\n{details}", cause.message()))
}

/// Memory of a processor that has stopped. Its stack is read in blocks, since a probe takes as long for a word as for a
/// block.
struct StackMemory<'a, 'b> {
    stack: Range<u64>,
    blocks: HashMap<u64, Option<Vec<u8>>>,
    read: &'a mut ReadMemory<'b>,
}

/// The size of a block.
const BLOCK: u64 = 256;

impl StackMemory<'_, '_> {
    fn read(&mut self, address: u64, count: usize) -> Option<Vec<u8>> {
        let start = address & !(BLOCK - 1);
        let end = start.checked_add(BLOCK)?;
        let is_in_block = address.checked_add(count as u64).is_some_and(|last| last <= end);
        if !is_in_block || start < self.stack.start || end > self.stack.end {
            return (self.read)(address, count);
        }
        let block = self.blocks.entry(start).or_insert_with(|| (self.read)(start, BLOCK as usize)).as_ref()?;
        let offset = (address - start) as usize;
        block.get(offset..offset + count).map(<[u8]>::to_vec)
    }
}

/// The registers of the code at which the processor stopped.
fn handler(registers: &[u64; 16]) -> Registers {
    Registers::new(0, (0..).zip(registers.iter().copied()))
}

fn words(read: &mut ReadMemory<'_>, address: u64, count: usize) -> Option<Vec<u64>> {
    let bytes = read(address, 4 * count)?;
    let word = |bytes: &[u8]| bytes.try_into().ok().map(u32::from_le_bytes).map(u64::from);
    bytes.chunks(4).map(word).collect::<Option<Vec<_>>>().filter(|words| words.len() == count)
}

/// The trap at which a processor with this exception frame stopped; nothing if it is a fault of another kind.
fn trap(frame: &[u64; exception::FRAME_WORDS], sites: &Sites, read: &mut ReadMemory<'_>) -> Option<String> {
    let place = frame[exception::PLACE];
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
        stop::EXHAUSTED => exhausted(frame, sites, read),
        _ => None,
    }
}

/// The second byte of a `udf` instruction.
const UNDEFINED_INSTRUCTION: u8 = 0xde;

/// The report of the registers, and of the region if there is one, that `stop::EXHAUSTED` describes.
fn exhausted(frame: &[u64], sites: &Sites, read: &mut ReadMemory<'_>) -> Option<String> {
    let &[region, site, asked, left, ..] = frame else { return None };
    let message = TrapCause::RegionsExhausted.message();
    let mut report = format!("{message} at {}\n", sites.number(site)?.place);
    let _ = write!(report, "{asked} bytes asked, {left} bytes left in the pool");
    if region == 0 {
        return Some(report);
    }
    let region = words(read, region, stop::REGION_WORDS)?;
    let (held, origin) = (region[stop::REGION_HELD], region[stop::REGION_ORIGIN]);
    let _ = write!(report, "; {held} bytes in this region, ");
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
