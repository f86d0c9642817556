//! The memory routines that compiled code calls, as small as possible, for images at `-Oz`.
//!
//! In: addresses and sizes. Out: what C and the Arm run-time ABI (IHI 0043, section 4.3.4) say of the routines of these
//! names. Words are copied if all operands are aligned to words, as objects of Clef are; otherwise bytes.

#![no_std]
#![no_builtins]

/// The size of a word in bytes.
const WORD: usize = size_of::<usize>();

/// # Safety
/// As for C's `memcpy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __clef_memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    let in_words = (to as usize | from as usize | size).is_multiple_of(WORD);
    let mut at = 0;
    while at < size {
        // SAFETY: as the caller promises; words are aligned.
        unsafe {
            let (to, from) = (to.add(at), from.add(at));
            if in_words {
                to.cast::<usize>().write(from.cast::<usize>().read());
            } else {
                to.write(from.read());
            }
        }
        at += if in_words { WORD } else { 1 };
    }
    to
}

/// # Safety
/// As for C's `memmove`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __clef_memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= size {
        // SAFETY: as the caller promises; a forward copy reads each byte before it is overwritten.
        return unsafe { __clef_memcpy(to, from, size) };
    }
    let mut at = size;
    while at > 0 {
        at -= 1;
        // SAFETY: as the caller promises.
        unsafe { to.add(at).write(from.add(at).read()) };
    }
    to
}

/// # Safety
/// As for C's `memset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __clef_memset(to: *mut u8, value: i32, size: usize) -> *mut u8 {
    let mut at = 0;
    while at < size {
        // SAFETY: as the caller promises.
        unsafe { to.add(at).write(value as u8) };
        at += 1;
    }
    to
}

/// # Safety
/// As for C's `memcmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __clef_memcmp(left: *const u8, right: *const u8, size: usize) -> i32 {
    let mut at = 0;
    while at < size {
        // SAFETY: as the caller promises.
        let difference = unsafe { i32::from(left.add(at).read()) - i32::from(right.add(at).read()) };
        if difference != 0 {
            return difference;
        }
        at += 1;
    }
    0
}

/// Defines weak symbols for functions: a program may bring its own `memcpy`. No symbol is visible outside of the image.
macro_rules! weak {
    ($($name:literal = $function:literal;)*) => {$(
        core::arch::global_asm!(
            concat!(".weak ", $name),
            concat!(".hidden ", $name),
            concat!(".hidden ", $function),
            concat!(".type ", $name, ", %function"),
            concat!(set!(), " ", $name, ", ", $function),
        );
    )*};
}

/// The directive for a symbol with the value of another one.
#[cfg(target_arch = "arm")]
macro_rules! set {
    () => {
        ".thumb_set"
    };
}

#[cfg(not(target_arch = "arm"))]
macro_rules! set {
    () => {
        ".set"
    };
}

weak! {
    "memcpy" = "__clef_memcpy";
    "memmove" = "__clef_memmove";
    "memset" = "__clef_memset";
    "memcmp" = "__clef_memcmp";
    "bcmp" = "__clef_memcmp";
}

/// The names of the Arm run-time ABI.
#[cfg(target_arch = "arm")]
mod arm {
    weak! {
        "__aeabi_memcpy" = "__clef_memcpy";
        "__aeabi_memcpy4" = "__clef_memcpy";
        "__aeabi_memcpy8" = "__clef_memcpy";
        "__aeabi_memmove" = "__clef_memmove";
        "__aeabi_memmove4" = "__clef_memmove";
        "__aeabi_memmove8" = "__clef_memmove";
        "__aeabi_memset" = "__clef_aeabi_memset";
        "__aeabi_memset4" = "__clef_aeabi_memset";
        "__aeabi_memset8" = "__clef_aeabi_memset";
        "__aeabi_memclr" = "__clef_aeabi_memclr";
        "__aeabi_memclr4" = "__clef_aeabi_memclr";
        "__aeabi_memclr8" = "__clef_aeabi_memclr";
    }

    /// # Safety
    /// `size` bytes can be written at `to`.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn __clef_aeabi_memset(to: *mut u8, size: usize, value: i32) {
        // SAFETY: as the caller promises.
        unsafe { super::__clef_memset(to, value, size) };
    }

    /// # Safety
    /// `size` bytes can be written at `to`.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn __clef_aeabi_memclr(to: *mut u8, size: usize) {
        // SAFETY: as the caller promises.
        unsafe { super::__clef_memset(to, 0, size) };
    }
}
