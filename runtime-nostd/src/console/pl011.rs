//! Arm PrimeCell UART (PL011), polled: Arm DDI 0183, chapter 3.

use super::Stream;

const DATA: usize = 0x00;
const FLAGS: usize = 0x18;
const LINE_CONTROL: usize = 0x2c;
const CONTROL: usize = 0x30;

const FLAG_RECEIVE_EMPTY: u32 = 1 << 4;
const FLAG_TRANSMIT_FULL: u32 = 1 << 5;

/// Eight bits, no FIFOs: switching them on loses received bytes.
const EIGHT_BITS: u32 = 0b11 << 5;
/// The UART, its transmitter and its receiver are on.
const ENABLED: u32 = 1 << 9 | 1 << 8 | 1;

fn register(base: usize, offset: usize) -> *mut u32 {
    (base + offset) as *mut u32
}

pub(crate) fn start(stream: Stream) {
    let base = stream.base();
    // SAFETY: the board says that there is a PL011 at that address.
    unsafe {
        register(base, CONTROL).write_volatile(0);
        register(base, LINE_CONTROL).write_volatile(EIGHT_BITS);
        register(base, CONTROL).write_volatile(ENABLED);
    }
}

pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    let base = stream.base();
    for byte in bytes {
        // SAFETY: the board says that there is a PL011 at that address.
        unsafe {
            while register(base, FLAGS).read_volatile() & FLAG_TRANSMIT_FULL != 0 {}
            register(base, DATA).write_volatile(u32::from(*byte));
        }
    }
}

pub(crate) fn read() -> u8 {
    let base = Stream::Output.base();
    // SAFETY: the board says that there is a PL011 at that address.
    unsafe {
        while register(base, FLAGS).read_volatile() & FLAG_RECEIVE_EMPTY != 0 {}
        register(base, DATA).read_volatile() as u8
    }
}
