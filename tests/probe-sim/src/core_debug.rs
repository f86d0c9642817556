//! The debug registers of a Cortex-M: Armv6-M and Armv7-M Architecture Reference Manuals, chapters C1.
//!
//! Holds the state of the registers. [`crate::target`] implements the effects of reading and writing them on the
//! processor.

use bitflags::bitflags;
use std::ops::RangeInclusive;

/// The private peripheral bus.
pub(crate) const BUS: std::ops::Range<u64> = 0xe000_0000..0xe010_0000;

pub(crate) const CPUID: u64 = 0xe000_ed00;
pub(crate) const AIRCR: u64 = 0xe000_ed0c;
pub(crate) const DFSR: u64 = 0xe000_ed30;
pub(crate) const DHCSR: u64 = 0xe000_edf0;
pub(crate) const DCRSR: u64 = 0xe000_edf4;
pub(crate) const DCRDR: u64 = 0xe000_edf8;
pub(crate) const DEMCR: u64 = 0xe000_edfc;
pub(crate) const FP_CTRL: u64 = 0xe000_2000;
pub(crate) const FP_COMP: RangeInclusive<u64> = 0xe000_2008..=0xe000_2014;

/// The trace unit's control register, and its comparators: address, mask and function each.
pub(crate) const DWT_CTRL: u64 = 0xe000_1000;
pub(crate) const DWT: RangeInclusive<u64> = 0xe000_1020..=0xe000_103f;

/// Two comparators.
pub(crate) const WATCHPOINTS: u32 = 2 << 28;

/// The bit of a comparator's function that is set on a match.
const MATCHED: u32 = 1 << 24;

/// Trace units, the rest of the breakpoint unit, and the table of components, which lists none.
pub(crate) const EMPTY: [RangeInclusive<u64>; 3] =
    [0xe000_0000..=0xe000_1fff, 0xe000_2018..=0xe000_2fff, 0xe00f_f000..=0xe00f_ffff];

/// The upper half of a value that is written to DHCSR.
pub(crate) const DHCSR_KEY: u32 = 0xa05f;

bitflags! {
    /// Bits of DHCSR: the debugger writes the lower half, and reads both.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Dhcsr: u32 {
        const C_DEBUGEN = 1 << 0;
        const C_HALT = 1 << 1;
        const C_STEP = 1 << 2;
        const C_MASKINTS = 1 << 3;
        const S_REGRDY = 1 << 16;
        const S_HALT = 1 << 17;
        const S_LOCKUP = 1 << 19;
        const S_RETIRE_ST = 1 << 24;
        const S_RESET_ST = 1 << 25;
        const CONTROL = Self::C_DEBUGEN.bits() | Self::C_HALT.bits() | Self::C_STEP.bits() | Self::C_MASKINTS.bits();
    }

    /// Bits of DFSR: why the processor halted.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Dfsr: u32 {
        const HALTED = 1 << 0;
        const BKPT = 1 << 1;
        const DWTTRAP = 1 << 2;
        const VCATCH = 1 << 3;
    }
}

/// The bit of DEMCR that halts the processor after a reset.
pub(crate) const VC_CORERESET: u32 = 1 << 0;

/// The value of AIRCR that requests a reset.
pub(crate) const RESET_REQUEST: u32 = 0x05fa_0004;

/// The bits of AIRCR that form a request: its key, and the system reset.
pub(crate) const RESET_MASK: u32 = 0xffff_0004;

/// The bit of DCRSR that makes a transfer a write.
pub(crate) const REGWNR: u32 = 1 << 16;

/// Four comparators.
const COMPARATORS: u32 = 4 << 4;

/// The registers.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    /// The lower half of DHCSR.
    pub(crate) control: Dhcsr,
    /// Whether the processor was reset since DHCSR was last read.
    pub(crate) was_reset: bool,
    pub(crate) dcrdr: u32,
    pub(crate) demcr: u32,
    pub(crate) dfsr: Dfsr,
    /// Whether the comparators are enabled.
    is_comparing: bool,
    comparators: [u32; 4],
    /// Address, mask, function and a reserved word, of each comparator of the trace unit.
    watched: [[u32; 4]; 2],
}

/// Memory whose accesses stop the processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Watched {
    /// QEMU's number of the kind.
    pub(crate) kind: u32,
    pub(crate) address: u64,
    pub(crate) length: u64,
}

impl Registers {
    pub(crate) fn is_debugging(&self) -> bool {
        self.control.contains(Dhcsr::C_DEBUGEN)
    }

    /// A reset clears the comparators.
    pub(crate) fn reset(&mut self) {
        self.was_reset = true;
        self.is_comparing = false;
        self.comparators = [0; 4];
        self.watched = [[0; 4]; 2];
    }

    /// Reads the register of the trace unit at an address of [`DWT`]. Reading clears a match.
    pub(crate) fn watch_register(&mut self, address: u64) -> u32 {
        self.watch_slot(address).map_or(0, |slot| {
            let value = *slot;
            *slot &= !MATCHED;
            value
        })
    }

    pub(crate) fn watch_slot(&mut self, address: u64) -> Option<&mut u32> {
        let word = (address.checked_sub(*DWT.start())? / 4) as usize;
        self.watched.get_mut(word / 4)?.get_mut(word % 4)
    }

    /// The watched memory.
    pub(crate) fn watched(&self) -> impl Iterator<Item = Watched> + use<> {
        self.watched.into_iter().filter_map(|[address, mask, function, _]| {
            // QEMU's kinds are write, read and both.
            let kind = match function & 0xf {
                5 => 3,
                6 => 2,
                7 => 4,
                _ => return None,
            };
            Some(Watched { kind, address: address.into(), length: 1 << (mask & 0x1f) })
        })
    }

    /// Records an access.
    pub(crate) fn note_access(&mut self, accessed: u64) {
        for [address, mask, function, _] in &mut self.watched {
            let start = u64::from(*address);
            if *function != 0 && (start..start + (1 << (*mask & 0x1f))).contains(&accessed) {
                *function |= MATCHED;
            }
        }
    }

    pub(crate) fn fp_ctrl(&self) -> u32 {
        COMPARATORS | u32::from(self.is_comparing)
    }

    pub(crate) fn set_fp_ctrl(&mut self, value: u32) {
        self.is_comparing = value & 1 != 0;
    }

    /// The comparator at an address of [`FP_COMP`].
    pub(crate) fn comparator(&mut self, address: u64) -> Option<&mut u32> {
        self.comparators.get_mut((address.checked_sub(*FP_COMP.start())? / 4) as usize)
    }

    /// The addresses at which the comparators stop the processor.
    pub(crate) fn compared(&self) -> impl Iterator<Item = u64> + use<> {
        let comparators = if self.is_comparing { self.comparators } else { [0; 4] };
        comparators.into_iter().filter(|comparator| comparator & 1 != 0).map(|comparator| {
            let word = u64::from(comparator & 0x1fff_fffc);
            // The two upper bits select the half of the word.
            if comparator >> 30 == 2 { word + 2 } else { word }
        })
    }
}

/// QEMU's number of the first floating-point register, each of two words; their status follows them.
const DOUBLES: u32 = 26;
const FLOAT_STATUS: u32 = DOUBLES + 16;

/// QEMU's number of the register that DCRSR selects, if it has one for it, and the index of its word.
pub(crate) fn qemu_register(selector: u32) -> Option<(u32, usize)> {
    match selector & 0x7f {
        number @ 0..=15 => Some((number, 0)),
        // xPSR
        16 => Some((25, 0)),
        // The main stack is in use.
        17 => Some((13, 0)),
        33 => Some((FLOAT_STATUS, 0)),
        single @ 64..=95 => Some((DOUBLES + (single - 64) / 2, (single % 2) as usize)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparators_name_halves_of_words() {
        let mut registers = Registers::default();
        *registers.comparator(*FP_COMP.start() + 4).expect("there are four") = 0x8000_0101;
        assert_eq!(registers.compared().count(), 0);
        registers.set_fp_ctrl(3);
        assert_eq!(registers.compared().collect::<Vec<_>>(), [0x102]);
        registers.reset();
        assert_eq!(registers.compared().count(), 0);
        assert!(registers.comparator(*FP_COMP.end() + 4).is_none());
    }
}
