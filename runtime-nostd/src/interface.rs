//! The symbols that generated code calls: the table in docs/runtime-abi.md, in its order.

mod arguments;
mod console;
pub(crate) mod fault;
#[cfg(target_arch = "arm")]
mod flash;
mod format;
mod log;
mod math;
#[cfg(feature = "pvh")]
mod port;
mod region;
pub(crate) mod stack;
mod string;
mod test;
mod text;
mod time;
pub(crate) mod trap;

/// A string as generated code passes it: UTF-8, never null, not terminated.
#[repr(C)]
struct Str {
    pointer: *const u8,
    length: usize,
}

/// Writes a string result.
///
/// # Safety
/// `result` can be written to.
unsafe fn give(result: *mut Str, pointer: *const u8, length: usize) {
    // SAFETY: as the caller promises.
    unsafe { result.write(Str { pointer, length }) };
}

/// The bytes of a string argument.
///
/// # Safety
/// The string is valid as long as the result is used.
unsafe fn bytes<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    // SAFETY: as the caller promises; generated code never passes null.
    unsafe { core::slice::from_raw_parts(pointer, length) }
}
