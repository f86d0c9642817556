//! Writes a line to the console, by semihosting.

#![no_std]
#![no_main]

use core::{arch::asm, ffi::CStr};

fn write_line(text: &CStr) {
    // SAFETY: the operation reads the text, and returns.
    unsafe { asm!("bkpt #0xab", inout("r0") 0x04 => _, in("r1") text.as_ptr()) }
}

fn run(size: i32) -> i32 {
    write_line(c"Hello, world\n");
    size
}

bench::main!(run);
