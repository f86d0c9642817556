//! The log: each call adds to a frame, from `clef_log_begin` to `clef_log_end`. Interrupts are masked meanwhile, so
//! that frames of handlers do not mix with others.

use super::bytes;
use crate::board::{self, log_kind};
#[cfg(not(feature = "linux"))]
use crate::console;
#[cfg(not(feature = "linux"))]
use crate::interrupt::Masked;
use core::{cell::UnsafeCell, convert::Infallible};
use rzcobs::{Encoder, Write};

/// The packet size, for streams on which sending is slow.
const PACKET: usize = 32;

/// The frame that is being written.
struct Frame {
    encoder: Encoder<Stream>,
    #[cfg(not(feature = "linux"))]
    masked: Option<Masked>,
}

/// The destination of encoded bytes.
struct Stream {
    packet: [u8; PACKET],
    filled: usize,
    #[cfg(target_arch = "arm")]
    rtt: console::rtt::Frame,
}

/// Storage for a frame.
struct Room(UnsafeCell<Frame>);

// SAFETY: there is one thread, and interrupts are masked while a frame is written.
unsafe impl Sync for Room {}

static FRAME: Room = Room(UnsafeCell::new(Frame {
    encoder: Encoder::new(Stream {
        packet: [0; PACKET],
        filled: 0,
        #[cfg(target_arch = "arm")]
        rtt: console::rtt::Frame::NONE,
    }),
    #[cfg(not(feature = "linux"))]
    masked: None,
}));

impl Frame {
    #[inline(never)]
    fn push(&mut self, byte: u8) {
        let Ok(()) = self.encoder.write(byte);
    }

    /// Ends the frame by a zero, which no encoded byte is.
    fn end(&mut self) {
        let Ok(()) = self.encoder.end();
        let stream = self.encoder.writer();
        stream.emit(0);
        stream.end();
    }
}

impl Write for Stream {
    type Error = Infallible;

    fn write(&mut self, byte: u8) -> Result<(), Infallible> {
        self.emit(byte);
        Ok(())
    }
}

impl Stream {
    fn begin(&mut self) {
        self.filled = 0;
        #[cfg(target_arch = "arm")]
        if board::log() == log_kind::RTT {
            self.rtt = console::rtt::Frame::begin();
        }
    }

    /// Sends an encoded byte, or buffers it.
    fn emit(&mut self, byte: u8) {
        #[cfg(target_arch = "arm")]
        if board::log() == log_kind::RTT {
            return self.rtt.push(byte);
        }
        if let Some(free) = self.packet.get_mut(self.filled) {
            *free = byte;
            self.filled += 1;
        }
        if self.filled == PACKET {
            self.send();
        }
    }

    fn send(&mut self) {
        let packet = self.packet.get(..self.filled).unwrap_or(&[]);
        match board::log() {
            #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
            log_kind::SEMIHOSTING => console::semihosting::log(packet),
            #[cfg(feature = "linux")]
            log_kind::SYSCALLS => crate::console::syscalls::log(packet),
            #[cfg(feature = "pvh")]
            log_kind::ISA_DEBUGCON => packet.iter().for_each(|byte| console::com::output(board::log_port(), *byte)),
            _ => {}
        }
        self.filled = 0;
    }

    fn end(&mut self) {
        #[cfg(target_arch = "arm")]
        if board::log() == log_kind::RTT {
            return self.rtt.end();
        }
        self.send();
    }
}

/// The frame that is being written.
fn frame() -> &'static mut Frame {
    // SAFETY: there is one thread, interrupts are masked while a frame is written, and no function here calls another
    // while it holds the reference.
    unsafe { &mut *FRAME.0.get() }
}

/// Begins a frame by the address of its format.
#[unsafe(no_mangle)]
extern "C" fn clef_log_begin(format: usize) {
    #[cfg(not(feature = "linux"))]
    let masked = Masked::begin();
    let frame = frame();
    #[cfg(not(feature = "linux"))]
    {
        frame.masked = Some(masked);
    }
    frame.encoder.writer().begin();
    name(frame, format);
    if board::log_tells_time() {
        crate::time::now().to_le_bytes().into_iter().for_each(|byte| frame.push(byte));
    }
}

/// Adds a literal by the address of its symbol.
#[unsafe(no_mangle)]
extern "C" fn clef_log_name(symbol: usize) {
    name(frame(), symbol);
}

fn name(frame: &mut Frame, symbol: usize) {
    frame.push(symbol as u8);
    frame.push((symbol >> 8) as u8);
}

/// Adds the low bytes of a number.
#[unsafe(no_mangle)]
extern "C" fn clef_log_word(value: u32, bytes: u32) {
    let frame = frame();
    let mut rest = value;
    for _ in 0..bytes {
        frame.push(rest as u8);
        rest >>= 8;
    }
}

/// Adds the bytes of a number.
#[unsafe(no_mangle)]
extern "C" fn clef_log_long(value: u64) {
    let frame = frame();
    value.to_le_bytes().into_iter().for_each(|byte| frame.push(byte));
}

/// Adds a character; an invalid one becomes the replacement character.
#[unsafe(no_mangle)]
extern "C" fn clef_log_char(code: u32) {
    clef_log_word(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER) as u32, 4);
}

/// Adds a string.
///
/// # Safety
/// The string is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_log_string(pointer: *const u8, length: usize) {
    let frame = frame();
    // SAFETY: as the caller promises.
    let text = unsafe { bytes(pointer, length) };
    (length as u32).to_le_bytes().into_iter().for_each(|byte| frame.push(byte));
    text.iter().for_each(|byte| frame.push(*byte));
}

/// Ends the frame, and restores interrupts.
#[unsafe(no_mangle)]
extern "C" fn clef_log_end() {
    let frame = frame();
    frame.end();
    #[cfg(not(feature = "linux"))]
    drop(frame.masked.take());
}
