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
        panic::PanicInfo,
        ptr::null_mut,
    };

    /// The size of the heap.
    const HEAP: usize = 2 << 20;

    /// Free blocks of each power of two, in lists; what was never used is taken from the end.
    struct Heap {
        memory: UnsafeCell<[u8; HEAP]>,
        state: UnsafeCell<State>,
    }

    struct State {
        used: usize,
        free: [*mut u8; 24],
    }

    // SAFETY: the programs have one thread and no interrupts.
    unsafe impl Sync for Heap {}

    #[global_allocator]
    static ALLOCATOR: Heap = Heap {
        memory: UnsafeCell::new([0; HEAP]),
        state: UnsafeCell::new(State { used: 0, free: [null_mut(); 24] }),
    };

    /// The power of two of the block for a layout.
    fn class(layout: Layout) -> usize {
        layout.size().max(layout.align()).max(8).next_power_of_two().trailing_zeros() as usize
    }

    unsafe impl GlobalAlloc for Heap {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let class = class(layout);
            // SAFETY: nothing else accesses the heap now, and a free block holds the address of the next.
            unsafe {
                let state = &mut *self.state.get();
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
                self.memory.get().cast::<u8>().add(start)
            }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            let class = class(layout);
            // SAFETY: the block came from `alloc`, and is large enough for an address.
            unsafe {
                let state = &mut *self.state.get();
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
