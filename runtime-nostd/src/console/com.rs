//! A PC's serial ports, polled: National Semiconductor PC16550D. Also the QEMU ports that take the log and end a
//! program.

use super::Stream;
use core::arch::asm;

const DATA: u16 = 0;
const DIVISOR_LOW: u16 = 0;
const DIVISOR_HIGH: u16 = 1;
const LINE_CONTROL: u16 = 3;
const MODEM_CONTROL: u16 = 4;
const LINE_STATUS: u16 = 5;

const STATUS_RECEIVED: u8 = 1 << 0;
const STATUS_TRANSMIT_EMPTY: u8 = 1 << 5;
/// The value that an absent port reads as.
const ABSENT: u8 = 0xff;

const DIVISOR_ACCESS: u8 = 1 << 7;
const EIGHT_BITS: u8 = 0b11;
/// Data terminal ready, request to send.
const READY: u8 = 0b11;

pub(crate) fn output(port: u16, value: u8) {
    // SAFETY: the ports used here act on no memory.
    unsafe { asm!("out dx, al", in("dx") port, in("al") value, options(nomem, nostack, preserves_flags)) };
}

pub(crate) fn input(port: u16) -> u8 {
    let value;
    // SAFETY: the ports used here act on no memory.
    unsafe { asm!("in al, dx", in("dx") port, out("al") value, options(nomem, nostack, preserves_flags)) };
    value
}

/// Sets a port to 115,200 baud, eight bits, no parity. The FIFOs are left unchanged, because switching them loses
/// received bytes.
pub(crate) fn start(stream: Stream) {
    let port = stream.base() as u16;
    output(port + LINE_CONTROL, DIVISOR_ACCESS);
    output(port + DIVISOR_LOW, 1);
    output(port + DIVISOR_HIGH, 0);
    output(port + LINE_CONTROL, EIGHT_BITS);
    output(port + MODEM_CONTROL, READY);
}

/// The port of the stream, or that for output if the machine has no other.
fn port(stream: Stream) -> u16 {
    let port = stream.base() as u16;
    if input(port + LINE_STATUS) == ABSENT { Stream::Output.base() as u16 } else { port }
}

pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    let port = port(stream);
    for byte in bytes {
        while input(port + LINE_STATUS) & STATUS_TRANSMIT_EMPTY == 0 {}
        output(port + DATA, *byte);
    }
}

pub(crate) fn read() -> u8 {
    let port = port(Stream::Output);
    while input(port + LINE_STATUS) & STATUS_RECEIVED == 0 {}
    input(port + DATA)
}

/// The offset of the port that takes the whole status from `isa-debug-exit`, which has four ports.
const WHOLE_STATUS: u16 = 4;

/// Writes the low eight bits of the status to the port that takes them, if there is one, and then ends QEMU with status
/// `(v << 1) | 1`, where `v` has seven bits: `v` is the program's status plus one, modulo 128, so that the status 1 of
/// QEMU's own failures means 127, the rarest. If nothing takes the whole status, one beyond 127 becomes 127.
pub(crate) fn exit(port: u16, status: i32) {
    output(port + WHOLE_STATUS, status as u8);
    let encodable = if (0..=127).contains(&status) { status } else { 127 };
    output(port, (encodable as u8 + 1) & 0x7f);
}
