//! The command line in the start information of PVH (Xen, "x86/HVM direct boot ABI").

use super::TooLong;
use core::cell::Cell;

/// `struct hvm_start_info`, as far as it is needed.
#[repr(C)]
struct Information {
    magic: u32,
    version: u32,
    flags: u32,
    modules: u32,
    module_list: u64,
    command_line: u64,
}

const MAGIC: u32 = 0x336e_c578;

/// The address of the structure.
struct Start(Cell<usize>);

// SAFETY: there is one thread.
unsafe impl Sync for Start {}

static START: Start = Start(Cell::new(0));

/// Stores the address that the loader passes.
#[inline]
pub(crate) fn start(address: usize) {
    START.0.set(address);
}

/// Copies the command line.
pub(super) fn command_line(buffer: &mut [u8]) -> Result<usize, TooLong> {
    let address = START.0.get();
    crate::boot::pvh::map(address);
    crate::boot::pvh::map(address + size_of::<Information>());
    // SAFETY: the loader passes the address of the structure, which is mapped now; the program has not written there.
    let information = unsafe { (address as *const Information).read_unaligned() };
    if address == 0 || information.magic != MAGIC || information.command_line == 0 {
        return Ok(0);
    }
    let start = information.command_line as usize;
    crate::boot::pvh::map(start);
    crate::boot::pvh::map(start + buffer.len());
    for length in 0.. {
        // SAFETY: as above; a zero ends the line, and no more is read than the buffer holds.
        let byte = unsafe { (start as *const u8).add(length).read() };
        if byte == 0 {
            return Ok(length);
        }
        let has_space = length + 1 < buffer.len();
        match buffer.get_mut(length) {
            Some(slot) if has_space => *slot = byte,
            Some(_) | None => break,
        }
    }
    Err(TooLong)
}
