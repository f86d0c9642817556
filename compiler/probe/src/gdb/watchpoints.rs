//! Watchpoints: comparators of the processor's trace unit (DWT), which stop it after an access to memory. Armv6-M,
//! Armv7-M and Armv8-M Architecture Reference Manuals, "Data Watchpoint and Trace".

use gdbstub::target::ext::breakpoints::WatchKind;
use probe_rs::{Core, CoreType, Error, MemoryInterface};

/// The Debug Exception and Monitor Control Register, and the bit that enables the trace unit.
const DEMCR: u64 = 0xe000_edfc;
const TRACE: u32 = 1 << 24;

/// The unit's control register; its upper bits are the number of comparators.
const CONTROL: u64 = 0xe000_1000;

/// The registers of the first comparator: an address, the number of its ignored bits (not in Armv8-M), and the action.
const COMPARATORS: u64 = 0xe000_1020;
const SIZE: u64 = 16;
const MASK: u64 = 4;
const FUNCTION: u64 = 8;

/// The bit of a function that is set when its comparator has matched.
const MATCHED: u32 = 1 << 24;

/// The action of Armv8-M when a comparator matches: stop.
const STOP: u32 = 1 << 4;

/// Memory that is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Watchpoint {
    pub(super) kind: WatchKind,
    pub(super) address: u32,
    pub(super) length: u32,
}

/// The comparators of a processor.
#[derive(Debug, Default)]
pub(super) struct Watchpoints {
    /// The watchpoint of each comparator; empty before the first use.
    set: Vec<Option<Watchpoint>>,
}

impl Watchpoints {
    /// Adds a watchpoint; returns whether the processor supports it.
    pub(super) fn add(&mut self, core: &mut Core<'_>, wanted: Watchpoint) -> Result<bool, Error> {
        let Some(function) = function(core.core_type(), wanted) else { return Ok(false) };
        // A reset may have disabled it.
        enable(core)?;
        if self.set.is_empty() {
            self.set = vec![None; (core.read_word_32(CONTROL)? >> 28) as usize];
        }
        let Some(free) = self.set.iter().position(Option::is_none) else { return Ok(false) };
        let is_set = program(core, free, wanted, function)?;
        if is_set {
            self.set[free] = Some(wanted);
        }
        Ok(is_set)
    }

    /// Removes a watchpoint; returns whether it existed.
    pub(super) fn remove(&mut self, core: &mut Core<'_>, watched: Watchpoint) -> Result<bool, Error> {
        let Some(index) = self.set.iter().position(|known| *known == Some(watched)) else { return Ok(false) };
        self.set[index] = None;
        core.write_word_32(comparator(index) + FUNCTION, 0)?;
        Ok(true)
    }

    /// The watchpoint at which the processor stopped, if any. It is reported once.
    pub(super) fn matched(&self, core: &mut Core<'_>) -> Result<Option<Watchpoint>, Error> {
        let mut matched = None;
        for (index, watched) in self.set.iter().enumerate() {
            if watched.is_some() && core.read_word_32(comparator(index) + FUNCTION)? & MATCHED != 0 {
                matched = matched.or(*watched);
            }
        }
        Ok(matched)
    }

    /// Restores the comparators after a reset.
    pub(super) fn restore(&self, core: &mut Core<'_>) -> Result<(), Error> {
        for (index, watched) in self.set.iter().enumerate() {
            let Some(watched) = *watched else { continue };
            enable(core)?;
            if let Some(function) = function(core.core_type(), watched) {
                program(core, index, watched, function)?;
            }
        }
        Ok(())
    }

    /// Ends debugging.
    pub(super) fn clear(&mut self, core: &mut Core<'_>) -> Result<(), Error> {
        for index in (0..self.set.len()).filter(|index| self.set[*index].is_some()) {
            core.write_word_32(comparator(index) + FUNCTION, 0)?;
        }
        self.set.clear();
        Ok(())
    }
}

fn comparator(index: usize) -> u64 {
    COMPARATORS + SIZE * index as u64
}

fn enable(core: &mut Core<'_>) -> Result<(), Error> {
    let control = core.read_word_32(DEMCR)?;
    core.write_word_32(DEMCR, control | TRACE)
}

/// The function of a comparator for a watchpoint, if there is one: the memory has the size of a comparison, and is
/// aligned to it.
fn function(processor: CoreType, wanted: Watchpoint) -> Option<u32> {
    let Watchpoint { kind, address, length } = wanted;
    if !length.is_power_of_two() || !address.is_multiple_of(length) {
        return None;
    }
    if processor != CoreType::Armv8m {
        return Some(match kind {
            WatchKind::Read => 5,
            WatchKind::Write => 6,
            WatchKind::ReadWrite => 7,
        });
    }
    let matched = match kind {
        WatchKind::ReadWrite => 4,
        WatchKind::Write => 5,
        WatchKind::Read => 6,
    };
    (length <= 4).then(|| matched | STOP | length.trailing_zeros() << 10)
}

/// Programs a comparator; returns whether it can ignore the required number of bits.
fn program(core: &mut Core<'_>, index: usize, wanted: Watchpoint, function: u32) -> Result<bool, Error> {
    let place = comparator(index);
    core.write_word_32(place, wanted.address)?;
    if core.core_type() != CoreType::Armv8m {
        let ignored = wanted.length.trailing_zeros();
        core.write_word_32(place + MASK, ignored)?;
        if core.read_word_32(place + MASK)? != ignored {
            return Ok(false);
        }
    }
    core.write_word_32(place + FUNCTION, function)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_those_of_the_architecture() {
        let watched = |kind, address, length| Watchpoint { kind, address, length };
        let write = watched(WatchKind::Write, 0x2000_0004, 4);
        assert_eq!(function(CoreType::Armv6m, write), Some(6));
        assert_eq!(function(CoreType::Armv7em, watched(WatchKind::ReadWrite, 0x2000_0008, 8)), Some(7));
        assert_eq!(function(CoreType::Armv8m, write), Some(0b1000_0001_0101));
        // Memory of another size or alignment cannot be compared.
        assert_eq!(function(CoreType::Armv8m, watched(WatchKind::Read, 0x2000_0008, 8)), None);
        assert_eq!(function(CoreType::Armv6m, watched(WatchKind::Read, 0x2000_0002, 4)), None);
        assert_eq!(function(CoreType::Armv6m, watched(WatchKind::Read, 0x2000_0002, 3)), None);
    }
}
