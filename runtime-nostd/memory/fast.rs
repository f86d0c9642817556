//! `memcpy` for x86-64 that is fast for short copies.
//!
//! In: addresses and sizes. Out: what C says of `memcpy`. The routine of the Rust toolchain uses string instructions
//! for all sizes, which take some twenty cycles to start. Here less than 16 bytes are two moves that may overlap, what is
//! shorter than [`LONG`] is a loop of moves, and only the rest uses a string instruction.

#![no_std]
#![no_builtins]

use core::arch::{
    asm,
    x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128},
};

/// Bytes from which on a string instruction is faster.
const LONG: usize = 1024;

/// Bytes of a register for moves.
const WIDE: usize = size_of::<__m128i>();

/// Copies the first and the last `T` of what is at least as large as one and at most as large as two.
///
/// # Safety
/// `size` bytes can be read at `from` and written at `to`.
#[inline(always)]
unsafe fn copy_ends<T>(to: *mut u8, from: *const u8, size: usize) {
    let last = size - size_of::<T>();
    // SAFETY: as the caller promises; both lie within `size` bytes.
    unsafe {
        let (head, tail) = (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
        to.cast::<T>().write_unaligned(head);
        to.add(last).cast::<T>().write_unaligned(tail);
    }
}

/// Copies at least [`WIDE`] bytes by a loop.
///
/// # Safety
/// `size` bytes can be read at `from` and written at `to`.
#[inline(always)]
unsafe fn copy_wide(to: *mut u8, from: *const u8, size: usize) {
    let last = size - WIDE;
    let mut at = 0;
    // SAFETY: as the caller promises; no move reaches beyond `size`.
    unsafe {
        let tail = _mm_loadu_si128(from.add(last).cast());
        while at < last {
            _mm_storeu_si128(to.add(at).cast(), _mm_loadu_si128(from.add(at).cast()));
            at += WIDE;
        }
        _mm_storeu_si128(to.add(last).cast(), tail);
    }
}

/// # Safety
/// As for C's `memcpy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __clef_memcpy_fast(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    // SAFETY: as the caller promises; the sizes are those of the copies.
    unsafe {
        if size < WIDE {
            if size >= 8 {
                copy_ends::<u64>(to, from, size);
            } else if size >= 4 {
                copy_ends::<u32>(to, from, size);
            } else if size >= 2 {
                copy_ends::<u16>(to, from, size);
            } else if size == 1 {
                to.write(from.read());
            }
        } else if size < LONG {
            copy_wide(to, from, size);
        } else {
            asm!(
                "rep movsb",
                inout("rcx") size => _, inout("rdi") to => _, inout("rsi") from => _,
                options(nostack, preserves_flags)
            );
        }
    }
    to
}

core::arch::global_asm!(
    ".weak memcpy",
    ".hidden memcpy",
    ".hidden __clef_memcpy_fast",
    ".type memcpy, %function",
    ".set memcpy, __clef_memcpy_fast",
);
