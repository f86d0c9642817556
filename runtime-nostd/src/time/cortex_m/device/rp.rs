//! The timer of the RP2040 and the first one of the RP2350 (RP2040 datasheet, 4.6; RP2350 datasheet, 12.8). It counts
//! microseconds, which a divider of the reference clock makes: that of the watchdog (RP2040, 4.7.2), or one of its own
//! (RP2350, 8.5). The first of its alarms is used.

use super::{read, write};
use crate::board::{self, timer_kind};

const ALARM: usize = 0x10;
const ARMED: usize = 0x20;
const COUNT_LOW: usize = 0x28;

const ALARM_0: u32 = 1 << 0;

/// What differs between the two chips.
struct Chip {
    /// `RESETS`; the second register after it says which devices are ready.
    resets: usize,
    /// The timer's bit in it.
    reset: u32,
    /// The register of the divider's cycles, and the bits written with their number.
    cycles: usize,
    with_cycles: u32,
    /// The register that enables the divider, if it is another one.
    divider: Option<usize>,
    /// The raw interrupt status and the interrupt enable register.
    raw_interrupts: usize,
    interrupts: usize,
}

const RP2040: Chip = Chip {
    resets: 0x4000_c000,
    reset: 1 << 21,
    cycles: 0x4005_802c,
    with_cycles: 1 << 9,
    divider: None,
    raw_interrupts: 0x34,
    interrupts: 0x38,
};

const RP2350: Chip = Chip {
    resets: 0x4002_0000,
    reset: 1 << 23,
    cycles: 0x4010_801c,
    with_cycles: 0,
    divider: Some(0x4010_8018),
    raw_interrupts: 0x3c,
    interrupts: 0x40,
};

fn chip() -> &'static Chip {
    if board::timer() == timer_kind::RP2350 { &RP2350 } else { &RP2040 }
}

/// Another device's register.
fn at(address: usize) -> *mut u32 {
    address as *mut u32
}

pub(super) fn start() {
    let chip = chip();
    // SAFETY: the chip has the registers, and they access no memory.
    unsafe {
        at(chip.cycles).write_volatile(board::timer_clock() / 1_000_000 | chip.with_cycles);
        if let Some(divider) = chip.divider {
            at(divider).write_volatile(1);
        }
        at(chip.resets).write_volatile(at(chip.resets).read_volatile() & !chip.reset);
        while at(chip.resets + 8).read_volatile() & chip.reset == 0 {}
    }
    write(chip.interrupts, ALARM_0);
}

/// Other users share the counter; only the alarm is stopped.
pub(super) fn stop() {
    write(ARMED, ALARM_0);
    write(chip().raw_interrupts, ALARM_0);
}

pub(super) fn count() -> u32 {
    read(COUNT_LOW)
}

pub(super) fn compare(at: u32) {
    write(ALARM, at);
    write(chip().raw_interrupts, ALARM_0);
}
