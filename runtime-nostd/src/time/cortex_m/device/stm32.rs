//! A general-purpose timer of an STM32 (RM0090, RM0390 and RM0438, "General-purpose timers"): its prescaler divides its
//! clock to microseconds, and its first channel compares.

use super::{read, write};
use crate::board;

const CONTROL: usize = 0x00;
const INTERRUPTS: usize = 0x0c;
const STATUS: usize = 0x10;
const EVENT: usize = 0x14;
const COUNT: usize = 0x24;
const PRESCALER: usize = 0x28;
const RELOAD: usize = 0x2c;
const COMPARE: usize = 0x34;

const RUNNING: u32 = 1 << 0;
const COMPARE_1: u32 = 1 << 1;
const UPDATE: u32 = 1 << 0;

pub(super) fn start() {
    let enable = board::timer_enable() as *mut u32;
    // SAFETY: the board's descriptor says that this register enables the timer's clock. The value is read back before
    // the timer's registers are written, so that the clock runs (errata sheet ES0182, "Delay after an RCC peripheral
    // clock enabling").
    unsafe {
        enable.write_volatile(enable.read_volatile() | 1 << board::timer_enable_bit());
        enable.read_volatile();
    }
    write(CONTROL, 0);
    write(PRESCALER, board::timer_clock() / 1_000_000 - 1);
    write(RELOAD, super::mask());
    // An update loads the prescaler; it also restarts the count from zero and sets its flag.
    write(EVENT, UPDATE);
    write(STATUS, 0);
    write(INTERRUPTS, COMPARE_1);
    write(CONTROL, RUNNING);
}

pub(super) fn stop() {
    write(CONTROL, 0);
    write(INTERRUPTS, 0);
    write(STATUS, 0);
}

pub(super) fn count() -> u32 {
    read(COUNT)
}

pub(super) fn compare(at: u32) {
    write(COMPARE, at);
    // Writing zero to a flag clears it, writing one leaves it.
    write(STATUS, !COMPARE_1);
    read(STATUS);
}
