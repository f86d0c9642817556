//! The arguments of a Linux process, on the stack that the kernel starts it with: the number of arguments, then the
//! address of each, which ends with a zero. The first is the program itself.

use core::cell::Cell;

/// The initial stack.
struct InitialStack(Cell<*const usize>);

// SAFETY: there is one thread.
unsafe impl Sync for InitialStack {}

static INITIAL_STACK: InitialStack = InitialStack(Cell::new(core::ptr::null()));

/// Stores the address of the kernel's stack, of which the program uses nothing else.
#[inline]
pub(crate) fn start(stack: *const usize) {
    INITIAL_STACK.0.set(stack);
}

pub(super) fn count() -> usize {
    // SAFETY: the boot code has set it, and the kernel wrote the memory.
    let all = unsafe { INITIAL_STACK.0.get().read() };
    all.saturating_sub(1)
}

pub(super) fn item(index: usize) -> &'static [u8] {
    // SAFETY: as above; the index is below the number of arguments, and each has a zero at its end.
    unsafe {
        let start = INITIAL_STACK.0.get().add(index + 2).read() as *const u8;
        let mut length = 0;
        while start.add(length).read() != 0 {
            length += 1;
        }
        core::slice::from_raw_parts(start, length)
    }
}
