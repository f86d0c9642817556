//! A general-purpose timer of an STM32 (RM0090, RM0390 and RM0438, "General-purpose timers"): its prescaler makes microseconds of its clock, and
//! its first channel compares.

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
    // SAFETY: the board's descriptor says that this register gives the timer its clock. What is read back is there when the timer's
    // registers are written, as the clock is (errata sheet ES0182, "Delay after an RCC peripheral clock enabling").
    unsafe {
        enable.write_volatile(enable.read_volatile() | 1 << board::timer_enable_bit());
        enable.read_volatile();
    }
    write(CONTROL, 0);
    write(PRESCALER, board::timer_clock() / 1_000_000 - 1);
    write(RELOAD, super::mask());
    // The prescaler is taken over by an update, which also begins from zero and says that it has happened.
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
    // A flag goes away when zero is written to it, and stays where one is written.
    write(STATUS, !COMPARE_1);
    read(STATUS);
}
