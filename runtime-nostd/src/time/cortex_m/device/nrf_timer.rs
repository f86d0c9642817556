//! A timer of the nRF51 and nRF52 (nRF51 Reference Manual, 18; nRF52840 Product Specification, 6.30). It counts a clock
//! of 16 MHz, which it requests itself, also while the processor sleeps, and is as exact as that clock's crystal.

use super::{nrf_clock, read, write};
use crate::board;

const START: usize = 0x000;
const STOP: usize = 0x004;
const CLEAR: usize = 0x00c;
/// Copies the count to its register.
const CAPTURE: usize = 0x044;
const COMPARED: usize = 0x140;
const INTERRUPT_SET: usize = 0x304;
const MODE: usize = 0x504;
const BIT_MODE: usize = 0x508;
const PRESCALER: usize = 0x510;
const COMPARE: usize = 0x540;
const CAPTURED: usize = 0x544;

const COMPARE_0: u32 = 1 << 16;
const TIMER_MODE: u32 = 0;
/// 16 MHz divided by 2^4 counts microseconds.
const MICROSECONDS: u32 = 4;

pub(super) fn start() {
    nrf_clock::start_high();
    write(STOP, 1);
    write(MODE, TIMER_MODE);
    write(BIT_MODE, if board::timer_bits() == 32 { 3 } else { 0 });
    write(PRESCALER, MICROSECONDS);
    write(CLEAR, 1);
    write(COMPARED, 0);
    write(INTERRUPT_SET, COMPARE_0);
    write(START, 1);
}

pub(super) fn stop() {
    write(STOP, 1);
    write(COMPARED, 0);
}

pub(super) fn count() -> u32 {
    write(CAPTURE, 1);
    read(CAPTURED)
}

pub(super) fn compare(at: u32) {
    write(COMPARE, at);
    write(COMPARED, 0);
    // Reading the event back ensures that it is cleared: otherwise the handler would be entered again after it returns.
    read(COMPARED);
}
