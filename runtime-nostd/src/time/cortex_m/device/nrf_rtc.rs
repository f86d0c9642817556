//! The real-time counter of the nRF51 and nRF52 (nRF51 Reference Manual, 19; nRF52840 Product Specification, 6.22). It
//! counts while the low-frequency clock runs, whatever the processor does.

use super::{nrf_clock, read, write};
use crate::board;

pub(super) const FREQUENCY: u64 = 32_768;

const START: usize = 0x000;
const STOP: usize = 0x004;
const COMPARED: usize = 0x140;
const INTERRUPT_SET: usize = 0x304;
const COUNTER: usize = 0x504;
const PRESCALER: usize = 0x508;
const COMPARE: usize = 0x540;

const COMPARE_0: u32 = 1 << 16;

pub(super) fn start() {
    nrf_clock::start_low(board::timer_source());
    // The prescaler can only be written while the counter is stopped.
    write(STOP, 1);
    write(PRESCALER, 0);
    write(COMPARED, 0);
    write(INTERRUPT_SET, COMPARE_0);
    write(START, 1);
}

pub(super) fn stop() {
    write(STOP, 1);
    write(COMPARED, 0);
}

pub(super) fn count() -> u32 {
    read(COUNTER)
}

pub(super) fn compare(at: u32) {
    write(COMPARE, at);
    write(COMPARED, 0);
    // Reading the event back ensures that it is cleared: otherwise the handler would be entered again after it returns.
    read(COMPARED);
}
