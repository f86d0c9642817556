//! The system calls of Linux that a program needs; there is no C library.

use super::Stream;

#[cfg(target_arch = "x86_64")]
mod number {
    pub(crate) const READ: usize = 0;
    pub(crate) const WRITE: usize = 1;
    pub(crate) const RT_SIGACTION: usize = 13;
    pub(crate) const SIGALTSTACK: usize = 131;
    pub(crate) const CLOCK_GETTIME: usize = 228;
    pub(crate) const CLOCK_NANOSLEEP: usize = 230;
    pub(crate) const EXIT_GROUP: usize = 231;
}

#[cfg(target_arch = "aarch64")]
mod number {
    pub(crate) const READ: usize = 63;
    pub(crate) const WRITE: usize = 64;
    pub(crate) const EXIT_GROUP: usize = 94;
    pub(crate) const CLOCK_GETTIME: usize = 113;
    pub(crate) const CLOCK_NANOSLEEP: usize = 115;
    pub(crate) const SIGALTSTACK: usize = 132;
    pub(crate) const RT_SIGACTION: usize = 134;
}

pub(crate) use number::{CLOCK_GETTIME, CLOCK_NANOSLEEP, RT_SIGACTION, SIGALTSTACK};

pub(crate) const EINTR: isize = -4;

/// # Safety
/// The arguments are what the call of that number expects.
pub(crate) unsafe fn call(number: usize, arguments: [usize; 4]) -> isize {
    let [first, second, third, fourth] = arguments;
    let result;
    // SAFETY: as the caller promises; the kernel preserves all registers that are not named.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            in("r10") fourth,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "svc #0",
            in("x8") number,
            inlateout("x0") first => result,
            in("x1") second,
            in("x2") third,
            in("x3") fourth,
            options(nostack),
        );
    }
    result
}

pub(crate) fn write(stream: Stream, bytes: &[u8]) {
    let descriptor = match stream {
        Stream::Output => 1,
        Stream::Error => 2,
    };
    write_to(descriptor, bytes);
}

/// The file descriptor that takes the log. It is too high to be another open file by chance.
const LOG: usize = 191;

/// Writes a part of the log; does nothing if its file descriptor is not open.
pub(crate) fn log(bytes: &[u8]) {
    write_to(LOG, bytes);
}

/// The file descriptor that is open if whoever started the program decodes the state of its stack on standard error.
const DECODED: usize = 188;

/// Whether it is open.
pub(crate) fn is_decoded() -> bool {
    // SAFETY: nothing is written.
    unsafe { call(number::WRITE, [DECODED, 0, 0, 0]) == 0 }
}

fn write_to(descriptor: usize, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: address and length are those of a slice.
        match unsafe { call(number::WRITE, [descriptor, bytes.as_ptr() as usize, bytes.len(), 0]) } {
            EINTR => {}
            written if written > 0 => bytes = bytes.get(written as usize..).unwrap_or(&[]),
            _ => return,
        }
    }
}

pub(crate) fn read() -> Option<u8> {
    let mut byte = 0_u8;
    loop {
        // SAFETY: one byte is read into a local variable.
        match unsafe { call(number::READ, [0, &raw mut byte as usize, 1, 0]) } {
            EINTR => {}
            result => return (result == 1).then_some(byte),
        }
    }
}

pub(crate) fn exit(status: i32) {
    // SAFETY: the call takes a number and does not return.
    unsafe { call(number::EXIT_GROUP, [status as usize, 0, 0, 0]) };
}
