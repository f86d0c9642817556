//! From power-on (or from the kernel) to the program: one file per platform. Each ends in [`run`].

#[cfg(all(target_arch = "aarch64", not(feature = "linux")))]
pub(crate) mod aarch64;
#[cfg(target_arch = "arm")]
pub(crate) mod cortex_m;
#[cfg(feature = "linux")]
mod linux;
#[cfg(feature = "pvh")]
pub(crate) mod pvh;
#[cfg(feature = "rp2040")]
mod rp2040;

use crate::{board, interface};
use core::ptr::addr_of;

unsafe extern "C" {
    /// The program: initialises the module-level values, runs the entry point, returns the exit status.
    safe fn clef_main() -> i32;
}

/// Runs the program in an initialised machine. It is not inlined, because its prologue may already need what the boot
/// code sets up before it (the FPU).
#[inline(never)]
fn run() -> ! {
    interface::stack::paint();
    crate::console::start();
    if board::has_constructors() {
        clef_run_constructors();
    }
    interface::trap::end(clef_main())
}

/// Runs the constructors of linked objects. It has a symbol, so that bounds of the stack know its calls.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn clef_run_constructors() {
    unsafe extern "C" {
        static __clef_constructors_start: extern "C" fn();
        static __clef_constructors_end: extern "C" fn();
    }
    let (mut next, end) = (addr_of!(__clef_constructors_start), addr_of!(__clef_constructors_end));
    while next < end {
        // SAFETY: the linker script has the addresses of functions between the symbols, and nothing else.
        unsafe {
            (*next)();
            next = next.add(1);
        }
    }
}
