//! The UART of Arm's Cortex-M System Design Kit, polled: Arm DDI 0479, section 4.3.

use super::Stream;

const DATA: usize = 0x00;
const STATE: usize = 0x04;
const CONTROL: usize = 0x08;
const BAUD_DIVIDER: usize = 0x10;

const STATE_TRANSMIT_FULL: u32 = 1 << 0;
const STATE_RECEIVE_FULL: u32 = 1 << 1;
/// Transmitter and receiver are on.
const ENABLED: u32 = 0b11;
/// The fastest rate: a system clock of 25 MHz yields about 1.5 MBd.
const SMALLEST_DIVIDER: u32 = 16;

fn register(base: usize, offset: usize) -> *mut u32 {
    (base + offset) as *mut u32
}

pub(crate) fn start(stream: Stream) {
    let base = stream.base();
    // SAFETY: the board says that there is such a UART at that address.
    unsafe {
        register(base, BAUD_DIVIDER).write_volatile(SMALLEST_DIVIDER);
        register(base, CONTROL).write_volatile(ENABLED);
    }
}

pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    let base = stream.base();
    for byte in bytes {
        // SAFETY: the board says that there is such a UART at that address.
        unsafe {
            while register(base, STATE).read_volatile() & STATE_TRANSMIT_FULL != 0 {}
            register(base, DATA).write_volatile(u32::from(*byte));
        }
    }
}

pub(crate) fn read() -> u8 {
    let base = Stream::Output.base();
    // SAFETY: the board says that there is such a UART at that address.
    unsafe {
        while register(base, STATE).read_volatile() & STATE_RECEIVE_FULL == 0 {}
        register(base, DATA).read_volatile() as u8
    }
}
