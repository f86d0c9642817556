//! LLD as a library.
//!
//! In: the arguments of `ld.lld`. Out: whether it linked, and what it wrote.
//!
//! Holds: LLD runs once at a time, on the calling thread. It does not end the process: fatal errors and crashes are
//! results. It installs handlers of the signals of crashes alone, and only while it runs.

use std::{
    ffi::{CStr, CString, c_char, c_int},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr::null_mut,
    sync::{Mutex, PoisonError},
};

// The libraries of LLVM come from this crate.
use mlir_sys as _;

/// How a run of the linker ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The output is written.
    Linked,
    /// It rejected the arguments or the files, with these messages.
    Rejected(String),
    /// It crashed, which only a malformed object causes.
    Crashed,
}

unsafe extern "C" {
    fn clefLink(arguments: *const *const c_char, count: usize, messages: *mut *mut c_char) -> c_int;
    fn clefFreeMessages(messages: *mut c_char);
    fn clefLinkerVersion() -> *mut c_char;
}

/// Arguments of each run. With one thread a crash is on the calling thread, where it is caught; and an output that is not
/// mapped to memory needs no handler of the signals that end a process.
const ALWAYS: [&str; 3] = ["ld.lld", "--threads=1", "--no-mmap-output-file"];

/// Links with the arguments of `ld.lld`. An argument with a zero byte, which no path has, is rejected.
pub fn link<A: AsRef<Path>>(arguments: &[A]) -> Outcome {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let own = ALWAYS.iter().map(|argument| CString::new(*argument));
    let given = arguments.iter().map(|argument| CString::new(argument.as_ref().as_os_str().as_bytes()));
    let texts: Vec<CString> = match own.chain(given).collect() {
        Ok(texts) => texts,
        Err(error) => return Outcome::Rejected(format!("error: {error}")),
    };
    let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
    let mut messages = null_mut();
    let held = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the texts live during the call, and no other thread is in LLD.
    let status = unsafe { clefLink(pointers.as_ptr(), pointers.len(), &mut messages) };
    drop(held);
    // SAFETY: the function has set it to a text of its own.
    let messages = unsafe { taken(messages) };
    match status {
        0 => Outcome::Linked,
        1 => Outcome::Rejected(messages),
        _ => Outcome::Crashed,
    }
}

/// The version of LLD, as it states it; `Debian LLD 22.1.8` for that of Debian.
pub fn version() -> String {
    // SAFETY: the function returns a text of its own.
    unsafe { taken(clefLinkerVersion()) }
}

/// A text that C++ has allocated, which is freed.
///
/// # Safety
/// It is one, and is not used any more.
unsafe fn taken(text: *mut c_char) -> String {
    // SAFETY: as the caller promises.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        clefFreeMessages(text);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_after_errors() {
        assert!(version().contains("LLD 22."));
        for _ in 0..2 {
            let Outcome::Rejected(messages) = link(&["-m", "armelf", "-T", "/no/such/script.ld"]) else {
                panic!("there is no such file")
            };
            assert!(messages.contains("error: cannot find linker script /no/such/script.ld"), "{messages}");
        }
    }
}
