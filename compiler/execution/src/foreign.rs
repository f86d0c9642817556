//! Images for a processor other than this machine's: the system would run such an image as a shell script.

use clef_base::{Diagnostic, codes};
use clef_descriptors::{Board, Run};
use goblin::elf::header::{EM_AARCH64, EM_X86_64, machine_to_str};
use std::{fs::File, io::Read, path::Path};

/// ELF's number of this machine, if clefc knows it.
const HOST: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(EM_X86_64)
} else if cfg!(target_arch = "aarch64") {
    Some(EM_AARCH64)
} else {
    None
};

/// Checks that this machine can run an image as a process, if its board requires that.
pub(super) fn check(image: &Path, board: &Board) -> Result<(), Diagnostic> {
    if board.run != Run::Native {
        return Ok(());
    }
    // The magic number, and the machine at offset 18; a file that cannot be read is reported when it is run.
    let mut header = [0; 20];
    let is_read = File::open(image).and_then(|mut file| file.read_exact(&mut header)).is_ok();
    let machine = u16::from_le_bytes([header[18], header[19]]);
    if !is_read || !header.starts_with(b"\x7fELF") || HOST.is_none_or(|host| host == machine) {
        return Ok(());
    }
    let message =
        format!("programs for `{}` cannot run on this machine: they are for {}", board.name, machine_to_str(machine));
    Err(Diagnostic::general(codes::NOT_RUNNABLE, message)
        .help("specify an emulator in its descriptor: `run: { kind: qemu-user, program: … }`"))
}
