//! Segger's Real-Time Transfer: ring buffers in RAM that a debug probe reads and fills while the program runs (SEGGER,
//! "J-Link / J-Trace User Guide", UM08001, RTT).
//!
//! A channel does not block at first: output that does not fit is dropped, so that a board without a probe runs on. A
//! probe that reads requests blocking by the channel's flags; if it disconnects, the program waits about a second, and
//! then stops waiting.

use super::Stream;
use crate::{board, interrupt::Masked};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{Ordering, compiler_fence};

/// The identity that debuggers search for, with all bits inverted, so that they do not find it in flash.
static TURNED_IDENTITY: [u8; 16] = turned(*b"SEGGER RTT\0\0\0\0\0\0");

const fn turned(mut bytes: [u8; 16]) -> [u8; 16] {
    let mut index = 0;
    while index < bytes.len() {
        bytes[index] = !bytes[index];
        index += 1;
    }
    bytes
}

/// The bits of a channel's flags that say what happens if a buffer is full.
const MODE: u32 = 0b11;
/// Output that does not fit is dropped.
const MODE_SKIP: u32 = 0;
/// The program waits.
const MODE_WAIT: u32 = 2;

/// The minimum number of processor cycles of one poll of a full buffer.
const CYCLES_OF_A_LOOK: u32 = 8;

/// A value that the probe reads, and may change at any time.
#[repr(transparent)]
struct Shared<T>(UnsafeCell<T>);

// SAFETY: there is one core, each value is one word, and each access to it is one instruction.
unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    const fn new(value: T) -> Shared<T> {
        Shared(UnsafeCell::new(value))
    }

    fn get(&self) -> T {
        // SAFETY: the value lives as long as the program.
        unsafe { self.0.get().read_volatile() }
    }

    /// Sets the value after all preceding accesses.
    fn set(&self, value: T) {
        compiler_fence(Ordering::Release);
        // SAFETY: as above.
        unsafe { self.0.get().write_volatile(value) };
    }
}

/// One direction of one stream.
#[repr(C)]
struct Channel {
    name: Shared<*const u8>,
    start: Shared<*mut u8>,
    size: Shared<u32>,
    /// Where the next byte is written.
    written: Shared<u32>,
    /// Where the next byte is read; equal to `written` if all was read.
    read: Shared<u32>,
    flags: Shared<u32>,
}

impl Channel {
    const fn none() -> Channel {
        Channel {
            name: Shared::new(ptr::null()),
            start: Shared::new(ptr::null_mut()),
            size: Shared::new(0),
            written: Shared::new(0),
            read: Shared::new(0),
            flags: Shared::new(MODE_SKIP),
        }
    }

    /// Sets the channel's name, which ends with a zero, and its buffer.
    fn start(&self, name: &'static [u8], start: *mut u8, size: u32) {
        self.name.set(name.as_ptr());
        self.start.set(start);
        self.size.set(size);
    }

    /// The number of bytes that can be written. An invalid offset from the probe counts as a full buffer.
    fn free(&self) -> u32 {
        let (size, written) = (self.size.get(), self.written.get());
        let read = self.read.get();
        match read {
            _ if read >= size => 0,
            _ if read > written => read - written - 1,
            _ => size - 1 - (written - read),
        }
    }

    /// Writes bytes that fit.
    fn put(&self, bytes: &[u8]) {
        let (start, size) = (self.start.get(), self.size.get());
        let mut offset = self.written.get();
        for byte in bytes {
            // SAFETY: the offset is below the size of the buffer.
            unsafe { start.add(offset as usize).write_volatile(*byte) };
            offset += 1;
            if offset == size {
                offset = 0;
            }
        }
        self.written.set(offset);
    }

    /// Writes all bytes; waits or drops them if they do not fit.
    fn write(&self, bytes: &[u8]) {
        let mut rest = bytes;
        let mut looks = board::clock() / CYCLES_OF_A_LOOK;
        loop {
            let masked = Masked::begin();
            let free = self.free() as usize;
            if rest.len() <= free {
                return self.put(rest);
            }
            let flags = self.flags.get();
            if flags & MODE != MODE_WAIT {
                return;
            }
            if free > 0 {
                let (now, later) = rest.split_at_checked(free).unwrap_or((rest, &[]));
                self.put(now);
                rest = later;
                looks = board::clock() / CYCLES_OF_A_LOOK;
            } else if looks == 0 {
                return self.flags.set(flags & !MODE | MODE_SKIP);
            }
            looks = looks.saturating_sub(1);
            drop(masked);
        }
    }

    /// The next byte that the probe has written, if there is one.
    fn take(&self) -> Option<u8> {
        let read = self.read.get();
        let size = self.size.get();
        if read == self.written.get() || read >= size {
            return None;
        }
        // SAFETY: the offset is below the size of the buffer.
        let byte = unsafe { self.start.get().add(read as usize).read_volatile() };
        self.read.set(if read + 1 == size { 0 } else { read + 1 });
        Some(byte)
    }
}

/// The control block, which debuggers find by the symbol or by its first bytes.
#[repr(C)]
struct ControlBlock {
    identity: [Shared<u32>; 4],
    outgoing: Shared<u32>,
    incoming: Shared<u32>,
    output: Channel,
    error: Channel,
    log: Channel,
    input: Channel,
}

/// The channels from the program.
const OUTGOING: u32 = 3;
/// The channels to the program.
const INCOMING: u32 = 1;

#[unsafe(no_mangle)]
static _SEGGER_RTT: ControlBlock = ControlBlock {
    identity: [const { Shared::new(0) }; 4],
    outgoing: Shared::new(0),
    incoming: Shared::new(0),
    output: Channel::none(),
    error: Channel::none(),
    log: Channel::none(),
    input: Channel::none(),
};

/// Initialises the control block, if the board has a stream that uses it. The identity is written last: a probe that
/// finds it may rely on what follows.
#[inline]
pub(crate) fn start() {
    let [output, error, log, input] = board::rtt();
    if output | error | log | input != 0 {
        start_channels();
    }
}

fn start_channels() {
    let [output, error, log, input] = board::rtt();
    let block = &_SEGGER_RTT;
    let mut buffer = board::rtt_buffer();
    for (channel, name, size) in [
        (&block.output, b"Terminal\0".as_slice(), output),
        (&block.error, b"Errors\0".as_slice(), error),
        (&block.log, b"defmt\0".as_slice(), log),
        (&block.input, b"Terminal\0".as_slice(), input),
    ] {
        if size > 0 {
            channel.start(name, buffer, size);
            buffer = buffer.wrapping_add(size as usize);
        }
    }
    block.outgoing.set(OUTGOING);
    block.incoming.set(INCOMING);
    let words = TURNED_IDENTITY.as_ptr().cast::<[u8; 4]>();
    for (index, word) in block.identity.iter().enumerate() {
        // SAFETY: four words are sixteen bytes; the read is volatile, so that the constant is not inverted back in
        // flash.
        let bytes = unsafe { words.add(index).read_volatile() };
        word.set(!u32::from_ne_bytes(bytes));
    }
}

pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    match stream {
        Stream::Output => _SEGGER_RTT.output.write(bytes),
        Stream::Error => _SEGGER_RTT.error.write(bytes),
    }
}

/// Waits for a byte.
pub(crate) fn read() -> u8 {
    loop {
        if let Some(byte) = _SEGGER_RTT.input.take() {
            return byte;
        }
    }
}

/// A log frame that is being written: it is not readable before its end, unless the program waits for the probe.
pub(crate) struct Frame {
    /// Where the next byte is written.
    offset: u32,
    /// It did not fit.
    is_lost: bool,
}

impl Frame {
    pub(crate) const NONE: Frame = Frame { offset: 0, is_lost: false };

    /// An empty frame. No other is written before its end.
    pub(crate) fn begin() -> Frame {
        Frame { offset: _SEGGER_RTT.log.written.get(), is_lost: false }
    }

    /// Adds a byte; waits or drops the frame if it does not fit.
    pub(crate) fn push(&mut self, byte: u8) {
        let channel = &_SEGGER_RTT.log;
        let size = channel.size.get();
        let next = if self.offset + 1 == size { 0 } else { self.offset + 1 };
        if self.is_lost || next == channel.read.get() && !self.wait(channel, next) {
            self.is_lost = true;
            return;
        }
        // SAFETY: the offset is below the size of the buffer.
        unsafe { channel.start.get().add(self.offset as usize).write_volatile(byte) };
        self.offset = next;
    }

    /// Waits until the probe has read something, if it requests blocking; returns whether it has.
    fn wait(&self, channel: &Channel, full: u32) -> bool {
        let flags = channel.flags.get();
        if flags & MODE != MODE_WAIT {
            return false;
        }
        channel.written.set(self.offset);
        for _ in 0..board::clock() / CYCLES_OF_A_LOOK {
            if channel.read.get() != full {
                return true;
            }
        }
        channel.flags.set(flags & !MODE | MODE_SKIP);
        false
    }

    pub(crate) fn end(&self) {
        if !self.is_lost {
            _SEGGER_RTT.log.written.set(self.offset);
        }
    }
}
