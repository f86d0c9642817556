//! UART0 of the KL25 at PTA1 and PTA2, polled, at 115,200 Bd (KL25 Sub-Family Reference Manual, chapters 11, 12 and 39). In place of an
//! address the program's module has the number of samples of a bit, in the upper half, and the divisor, which follow from the clock.

use super::Stream;

/// The clock of UART0, and that of the port of its pins.
const GATES_OF_DEVICES: *mut u32 = 0x4004_8034 as *mut u32;
const DEVICE: u32 = 1 << 10;
const GATES_OF_PORTS: *mut u32 = 0x4004_8038 as *mut u32;
const PORT: u32 = 1 << 9;
/// The input of UART0: the loop that the board uses.
const SOURCES: *mut u32 = 0x4004_8004 as *mut u32;
const SOURCE_MASK: u32 = 3 << 26;
const LOOP: u32 = 1 << 26;
/// The configurations of the pins: their second function, with a pull-up resistor.
const RECEIVE_PIN: *mut u32 = 0x4004_9004 as *mut u32;
const TRANSMIT_PIN: *mut u32 = 0x4004_9008 as *mut u32;
const CONNECTED: u32 = 2 << 8 | 3;

/// The registers of UART0, of eight bits.
const UART: usize = 0x4006_a000;
const DIVISOR_HIGH: usize = 0;
const DIVISOR_LOW: usize = 1;
const FORMAT: usize = 2;
const CONTROL: usize = 3;
const STATE: usize = 4;
const DATA: usize = 7;
const SAMPLES: usize = 10;

/// Transmitter and receiver are on.
const ENABLED: u8 = 1 << 3 | 1 << 2;
const STATE_TRANSMIT_EMPTY: u8 = 1 << 7;
const STATE_RECEIVE_FULL: u8 = 1 << 5;
const STATE_OVERRUN: u8 = 1 << 3;

fn register(offset: usize) -> *mut u8 {
    (UART + offset) as *mut u8
}

pub(crate) fn start(stream: Stream) {
    let rate = stream.base();
    let (samples, divisor) = ((rate >> 16) as u8, rate as u16);
    // SAFETY: the board says that its chip is a KL25, which has these registers; they access no memory.
    unsafe {
        GATES_OF_DEVICES.write_volatile(GATES_OF_DEVICES.read_volatile() | DEVICE);
        GATES_OF_PORTS.write_volatile(GATES_OF_PORTS.read_volatile() | PORT);
        SOURCES.write_volatile(SOURCES.read_volatile() & !SOURCE_MASK | LOOP);
        RECEIVE_PIN.write_volatile(CONNECTED);
        TRANSMIT_PIN.write_volatile(CONNECTED);
        register(CONTROL).write_volatile(0);
        register(DIVISOR_HIGH).write_volatile((divisor >> 8) as u8);
        register(DIVISOR_LOW).write_volatile(divisor as u8);
        register(FORMAT).write_volatile(0);
        register(SAMPLES).write_volatile(samples - 1);
        register(CONTROL).write_volatile(ENABLED);
    }
}

pub(crate) fn write(bytes: &[u8]) {
    for byte in bytes {
        // SAFETY: as above.
        unsafe {
            while register(STATE).read_volatile() & STATE_TRANSMIT_EMPTY == 0 {}
            register(DATA).write_volatile(*byte);
        }
    }
}

pub(crate) fn read() -> u8 {
    // SAFETY: as above.
    unsafe {
        loop {
            let state = register(STATE).read_volatile();
            // After an overrun nothing arrives until it is cleared.
            if state & STATE_OVERRUN != 0 {
                register(STATE).write_volatile(STATE_OVERRUN);
            }
            if state & STATE_RECEIVE_FULL != 0 {
                return register(DATA).read_volatile();
            }
        }
    }
}
