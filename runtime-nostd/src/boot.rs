//! From power-on (or from the kernel) to the program: one file per platform. Each ends in [`run`].

#[cfg(all(target_arch = "aarch64", not(feature = "linux")))]
mod aarch64;
#[cfg(target_arch = "arm")]
pub(crate) mod cortex_m;
#[cfg(feature = "linux")]
mod linux;
#[cfg(feature = "pvh")]
pub(crate) mod pvh;
#[cfg(feature = "rp2040")]
mod rp2040;

use crate::interface;

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
    interface::trap::end(clef_main())
}
