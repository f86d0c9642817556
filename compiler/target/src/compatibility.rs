//! Whether a board can run what is compiled for a target.

use crate::{Board, Boot, BootBlock, Exit, Run, Target};
use clef_base::{Diagnostic, Span, codes};
use std::str::FromStr;
use target_lexicon::{Architecture, ArmArchitecture, OperatingSystem, Triple};

/// An error at `place` if the board's way of starting programs is not that of the target's processor and system.
pub(crate) fn check_pair(target: &Target, board: &Board, place: Span) -> Result<(), Diagnostic> {
    let highest = board.gpio.and_then(|gpio| gpio.highest()).max(board.uart.and_then(|uart| uart.highest()));
    if let Some(highest) = highest.filter(|highest| highest.0 >> (target.pointer_bits.bits() - 1) > 1) {
        let message =
            format!("the board `{}` has a device at {highest}, beyond the addresses of its target", board.name);
        return Err(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message).note(format!(
            "addresses of `{}` have {} bits",
            target.name,
            target.pointer_bits.bits()
        )));
    }
    // The schema has accepted the triple.
    let Ok(triple) = Triple::from_str(&target.triple) else { return Ok(()) };
    let linux = triple.operating_system == OperatingSystem::Linux;
    let reason = match board.boot {
        Boot::CortexM if !is_thumb(triple.architecture) => "it starts programs as a Cortex-M does",
        Boot::Aarch64 if !is_aarch64(triple.architecture) => "it starts programs as an AArch64 machine does",
        Boot::Pvh if triple.architecture != Architecture::X86_64 => "it starts programs as an x86-64 machine does",
        Boot::CortexM | Boot::Aarch64 | Boot::Pvh if linux => "there is no Linux on it",
        Boot::Linux if !linux => "it runs Linux processes",
        Boot::Linux if board.exit != Exit::Syscall => "Linux processes end by a system call",
        Boot::CortexM if board.boot_block == Some(BootBlock::Rp2040) && !is_thumbv6m(triple.architecture) => {
            "its boot block is code for Armv6-M"
        }
        Boot::Linux if matches!(board.run, Run::Qemu(_)) => "Linux processes do not run on a bare machine",
        Boot::CortexM | Boot::Aarch64 | Boot::Pvh | Boot::Linux => return Ok(()),
    };
    let message = format!("the board `{}` cannot run programs of the target `{}`", board.name, target.name);
    Err(Diagnostic::error(codes::UNFIT_BOARD, place, message)
        .note(format!("{reason}; the target's triple is `{}`", target.triple)))
}

fn is_thumb(architecture: Architecture) -> bool {
    matches!(architecture, Architecture::Arm(arm) if arm.is_thumb())
}

fn is_thumbv6m(architecture: Architecture) -> bool {
    architecture == Architecture::Arm(ArmArchitecture::Thumbv6m)
}

fn is_aarch64(architecture: Architecture) -> bool {
    matches!(architecture, Architecture::Aarch64(_))
}
