//! Where the emulated processor must stop.
//!
//! QEMU treats a `BKPT` instruction as a fault unless a breakpoint is set on it. So memory writes are searched for such
//! instructions, and breakpoints are set before the processor runs. A constant that looks like one is harmless: the
//! processor never reaches it.

use crate::{core_debug::Watched, machine::Machine};
use std::{collections::BTreeSet, io, ops::Range};

/// The upper byte of every `BKPT`.
const BKPT: u8 = 0xbe;

/// The breakpoints of the machine.
#[derive(Debug, Default)]
pub(crate) struct Breakpoints {
    /// The addresses of `BKPT` instructions.
    instructions: BTreeSet<u64>,
    /// The breakpoints set in QEMU.
    set: BTreeSet<u64>,
    /// The memory that QEMU watches.
    watched: BTreeSet<Watched>,
}

impl Breakpoints {
    /// Scans memory written at an even address.
    pub(crate) fn scan(&mut self, address: u64, bytes: &[u8]) {
        let range: Range<u64> = address..address + bytes.len() as u64;
        self.instructions.retain(|instruction| !range.contains(instruction));
        let halfwords = (address..).step_by(2).zip(bytes.chunks_exact(2));
        self.instructions.extend(halfwords.filter(|(_, halfword)| halfword[1] == BKPT).map(|(address, _)| address));
    }

    /// Whether there is a `BKPT` at an address.
    pub(crate) fn holds(&self, address: u64) -> bool {
        self.instructions.contains(&address)
    }

    /// Sets QEMU's breakpoints: at the instructions if a debugger is there, and at these addresses.
    pub(crate) fn set(
        &mut self,
        machine: &mut Machine,
        is_debugging: bool,
        addresses: impl Iterator<Item = u64>,
    ) -> io::Result<()> {
        let instructions = self.instructions.iter().copied().filter(|_| is_debugging);
        let wanted: BTreeSet<u64> = instructions.chain(addresses).collect();
        for superfluous in self.set.difference(&wanted) {
            machine.remove_breakpoint(*superfluous)?;
        }
        for missing in wanted.difference(&self.set) {
            machine.add_breakpoint(*missing)?;
        }
        self.set = wanted;
        Ok(())
    }

    /// Sets QEMU's watchpoints.
    pub(crate) fn watch(&mut self, machine: &mut Machine, wanted: BTreeSet<Watched>) -> io::Result<()> {
        for superfluous in self.watched.difference(&wanted) {
            machine.remove_watchpoint(*superfluous)?;
        }
        for missing in wanted.difference(&self.watched) {
            machine.add_watchpoint(*missing)?;
        }
        self.watched = wanted;
        Ok(())
    }

    /// Resets the state for a new QEMU.
    pub(crate) fn forget(&mut self) {
        self.set.clear();
        self.watched.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_come_and_go_with_what_is_written() {
        let mut breakpoints = Breakpoints::default();
        breakpoints.scan(0x100, &[0, 0xbe, 0xbe, 0, 0xab, 0xbe]);
        assert!(breakpoints.holds(0x100) && !breakpoints.holds(0x102) && breakpoints.holds(0x104));
        breakpoints.scan(0x104, &[0, 0]);
        assert!(breakpoints.holds(0x100) && !breakpoints.holds(0x104));
    }
}
