//! The harness for programs in Rust: a crate that they link, with and without an operating system.

#![no_std]

#[cfg(not(target_os = "none"))]
extern crate std;

#[cfg(target_os = "none")]
mod bare {
    //! What a program without an operating system needs: a heap, and what to do on a panic.

    use core::{
        alloc::{GlobalAlloc, Layout},
        cell::UnsafeCell,
        mem::MaybeUninit,
        panic::PanicInfo,
        ptr::null_mut,
    };

    /// The size of the heap.
    const HEAP: usize = 2 << 20;

    /// Static memory of programs that have one thread and no interrupts.
    struct Shared<T>(UnsafeCell<T>);

    // SAFETY: there is one thread.
    unsafe impl<T> Sync for Shared<T> {}

    /// The heap is where clefc has its region pool, which the start-up does not touch.
    #[unsafe(link_section = ".pool")]
    static MEMORY: Shared<MaybeUninit<[u64; HEAP / 8]>> = Shared(UnsafeCell::new(MaybeUninit::uninit()));

    /// Free blocks of each power of two, in lists; what was never used is taken from the end.
    struct State {
        used: usize,
        free: [*mut u8; 24],
    }

    #[global_allocator]
    static ALLOCATOR: Shared<State> = Shared(UnsafeCell::new(State { used: 0, free: [null_mut(); 24] }));

    /// The power of two of the block for a layout.
    fn class(layout: Layout) -> usize {
        layout.size().max(layout.align()).max(8).next_power_of_two().trailing_zeros() as usize
    }

    unsafe impl GlobalAlloc for Shared<State> {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let class = class(layout);
            // SAFETY: nothing else accesses the heap now, and a free block holds the address of the next.
            unsafe {
                let state = &mut *self.0.get();
                let block = state.free[class];
                if !block.is_null() {
                    state.free[class] = *block.cast::<*mut u8>();
                    return block;
                }
                let start = (state.used + 7) & !7;
                if start + (1 << class) > HEAP {
                    return null_mut();
                }
                state.used = start + (1 << class);
                MEMORY.0.get().cast::<u8>().add(start)
            }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            let class = class(layout);
            // SAFETY: the block came from `alloc`, and is large enough for an address.
            unsafe {
                let state = &mut *self.0.get();
                *block.cast::<*mut u8>() = state.free[class];
                state.free[class] = block;
            }
        }
    }

    #[panic_handler]
    fn panic(_: &PanicInfo<'_>) -> ! {
        // SAFETY: the instruction faults, which ends the program.
        unsafe { core::arch::asm!("udf #0", options(noreturn)) }
    }
}

/// Defines `main`, which reports the checksum that a function computes for the size of the work.
#[macro_export]
macro_rules! main {
    ($run:path) => {
        unsafe extern "C" {
            safe fn bench_size() -> i32;
            safe fn bench_result(checksum: i32);
        }

        #[unsafe(no_mangle)]
        extern "C" fn main() -> i32 {
            bench_result($run(bench_size()));
            0
        }
    };
}
