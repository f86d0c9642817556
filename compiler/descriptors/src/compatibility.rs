//! Whether a board can run programs for a target.

use crate::{Board, Boot, BootBlock, Exit, Target, Triple, cortex_m::Core};
use clef_base::{Diagnostic, Span, codes};

/// An error at `place` if the board's boot method does not match the target's processor and system.
pub(crate) fn check_pair(target: &Target, board: &Board, place: Span) -> Result<(), Diagnostic> {
    let of_lines = board.serial_lines().filter_map(|(_, uart)| uart.highest()).max();
    let of_i2c = board.i2c.values().filter_map(|bus| bus.highest());
    let of_buses = of_i2c.chain(board.spi.values().filter_map(|bus| bus.highest())).max();
    let highest = board.gpio.and_then(|gpio| gpio.highest()).max(of_lines).max(of_buses);
    let highest = highest
        .max(board.timers.and_then(|timers| timers.highest()))
        .max(board.time.highest())
        .max(board.watchdog.and_then(|watchdog| watchdog.highest()));
    if let Some(highest) = highest.filter(|highest| highest.0 >> (target.pointer_bits.bits() - 1) > 1) {
        let message =
            format!("the board `{}` has a device at {highest}, beyond the address space of its target", board.name);
        return Err(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message).note(format!(
            "addresses of `{}` have {} bits",
            target.name,
            target.pointer_bits.bits()
        )));
    }
    let Some(reason) = unsuitable(board, &target.triple) else { return Ok(()) };
    let message = format!("the board `{}` cannot run programs of the target `{}`", board.name, target.name);
    Err(Diagnostic::error(codes::UNSUITABLE_BOARD, place, message)
        .note(format!("{reason}; the target's triple is `{}`", target.triple))
        .help("use a target for the board's processor: `clefc targets` lists them"))
}

/// Why a board cannot run programs for a triple.
fn unsuitable(board: &Board, triple: &Triple) -> Option<String> {
    let linux = triple.is_linux();
    let reason = match board.boot {
        Boot::CortexM if !triple.is_thumb() => "it boots programs as a Cortex-M",
        Boot::Aarch64 if !triple.is_aarch64() => "it boots programs as an AArch64 machine",
        Boot::Pvh if !triple.is_x86_64() => "it boots programs as an x86-64 machine",
        Boot::CortexM | Boot::Aarch64 | Boot::Pvh if linux => "it does not run Linux",
        Boot::Linux if !linux => "it runs Linux processes",
        Boot::Linux if board.exit != Exit::Syscall => "Linux processes exit by a system call",
        Boot::CortexM if board.boot_block == Some(BootBlock::Rp2040) && triple.core() != Some(Core::Armv6M) => {
            "its boot block is code for Armv6-M"
        }
        Boot::CortexM if board.boot_block == Some(BootBlock::Rp2350) && !runs_on_rp2350(triple) => {
            "its boot block is for the cores of the RP2350, Armv8-M"
        }
        Boot::CortexM => {
            let (chip, core) = Core::of_chip(board)?;
            let fits = core.runs(triple.core()?);
            return (!fits).then(|| format!("its chip `{chip}` has a core of {}", core.name()));
        }
        Boot::Aarch64 | Boot::Pvh | Boot::Linux => return None,
    };
    Some(reason.to_owned())
}

/// An error at `place` if the vector table has more interrupts than the board's core supports. If the chip's core is
/// unknown, the target's is used.
pub(crate) fn check_vectors(target: &Target, board: &Board, place: Span) -> Result<(), Diagnostic> {
    let of_chip = Core::of_chip(board).map(|(_, core)| core);
    let (Some(vectors), Some(core)) = (board.vectors, of_chip.or(target.triple.core())) else { return Ok(()) };
    let most = core.most_vectors();
    if vectors <= most {
        return Ok(());
    }
    let message = format!("a core of {} has at most {most} device interrupts, not {vectors}", core.name());
    Err(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message)
        .note("`vectors` does not include the 16 system exceptions")
        .help(format!("use the number in the chip's data sheet, at most `vectors: {most}`")))
}

/// Whether the cores of the RP2350 run code for a triple: Armv8-M Mainline cores also run code for Armv6-M.
fn runs_on_rp2350(triple: &Triple) -> bool {
    matches!(triple.core(), Some(Core::Armv8MMainline | Core::Armv6M))
}

/// Small code reaches everything within this many bytes of itself, or of zero.
const SMALL: u64 = 1 << 31;

/// Whether the target's addresses reach all of the board's memory.
pub(crate) fn check_reach(target: &Target, board: &Board, memory: Span, pool_place: Span) -> Result<(), Diagnostic> {
    let error = |place, message: String, note: String| {
        Err(Diagnostic::error(codes::UNUSABLE_MEMORY_MAP, place, message).note(note))
    };
    let pool = board.region_pool.size.unwrap_or_default();
    if board.memory.is_empty() && pool.0 > SMALL / 2 {
        let message = format!("a process cannot have a region pool of {pool}");
        return error(pool_place, message, format!("its code can address {} of variables", crate::Bytes(SMALL / 2)));
    }
    let limit = match target.pointer_bits.bits() {
        32 => 1 << 32,
        _ if target.triple.is_x86_64() => SMALL,
        _ => u64::MAX,
    };
    let first = board.memory.iter().map(|region| region.origin.0).min().unwrap_or_default();
    for region in &board.memory {
        // The schema has accepted the memory map: no region ends beyond 64 bits.
        let end = region.end().0;
        if end > limit || end - first > SMALL * 2 {
            let message =
                format!("the code of `{}` cannot address all of the memory region `{}`", target.name, region.name);
            let note = format!("{} bytes from {}", region.length, region.origin);
            return error(memory, message, note);
        }
    }
    Ok(())
}
