//! Linux without a C library: the kernel starts `_start` with its own stack, which is used only for the arguments. The
//! program runs on the stack that the linker script reserves in the image, with unmapped addresses below it. Signals
//! that mean a fault are handled on a separate stack.

use super::run;
use crate::arguments::process;
use crate::board::{self, arguments_kind};
use crate::console::syscalls::{self, RT_SIGACTION, SIGALTSTACK};
use crate::interface::fault;
use core::arch::naked_asm;
use core::ptr::addr_of_mut;

unsafe extern "C" {
    static __clef_stack_top: u8;
}

/// The return address of its call is in this function, where debuggers end their lists of calls.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn _start() -> ! {
    #[cfg(target_arch = "x86_64")]
    naked_asm!(
        "mov rdi, rsp",
        "lea rsp, [rip + {stack}]",
        "xor ebp, ebp",
        "call {main}",
        "ud2",
        stack = sym __clef_stack_top,
        main = sym clef_linux_main,
    );
    #[cfg(target_arch = "aarch64")]
    naked_asm!(
        "mov x0, sp",
        "adrp x1, {stack}",
        "add x1, x1, :lo12:{stack}",
        "mov sp, x1",
        "mov x29, xzr",
        "bl {main}",
        "udf #0",
        stack = sym __clef_stack_top,
        main = sym clef_linux_main,
    );
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clef_linux_main(initial_stack: *const usize) -> ! {
    if board::arguments() == arguments_kind::PROCESS {
        process::start(initial_stack);
    }
    handle_faults();
    run()
}

/// Enough for a signal frame with the largest vector registers, and for the report.
const SIGNAL_STACK: usize = 64 * 1024;

static mut STACK_FOR_SIGNALS: [u8; SIGNAL_STACK] = [0; SIGNAL_STACK];

/// `stack_t` of the kernel.
#[repr(C)]
struct SignalStack {
    start: *mut u8,
    flags: i32,
    size: usize,
}

/// `struct sigaction` of the kernel.
#[repr(C)]
struct SignalAction {
    handler: unsafe extern "C" fn(i32, *const SignalInformation, *const u8) -> !,
    flags: usize,
    #[cfg(target_arch = "x86_64")]
    restorer: unsafe extern "C" fn(i32, *const SignalInformation, *const u8) -> !,
    mask: u64,
}

/// The start of `siginfo_t` for a fault.
#[repr(C)]
struct SignalInformation {
    number: i32,
    error: i32,
    code: i32,
    address: usize,
}

const SIGILL: usize = 4;
const SIGTRAP: usize = 5;
const SIGBUS: usize = 7;
const SIGFPE: usize = 8;
const SIGSEGV: usize = 11;

const SA_SIGINFO: usize = 0x4;
const SA_ONSTACK: usize = 0x0800_0000;
#[cfg(target_arch = "x86_64")]
const SA_RESTORER: usize = 0x0400_0000;
#[cfg(target_arch = "aarch64")]
const SA_RESTORER: usize = 0;

fn handle_faults() {
    let stack = SignalStack { start: addr_of_mut!(STACK_FOR_SIGNALS).cast(), flags: 0, size: SIGNAL_STACK };
    let action = SignalAction {
        handler: handle,
        flags: SA_SIGINFO | SA_ONSTACK | SA_RESTORER,
        // The kernel requires one, though the handler never returns.
        #[cfg(target_arch = "x86_64")]
        restorer: handle,
        mask: 0,
    };
    // SAFETY: the structures are the kernel's; nothing else uses the signal stack.
    unsafe {
        syscalls::call(SIGALTSTACK, [&raw const stack as usize, 0, 0, 0]);
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE] {
            syscalls::call(RT_SIGACTION, [signal, &raw const action as usize, 0, size_of::<u64>()]);
        }
    }
}

/// Addresses up to this far below the stack still belong to a frame that did not fit.
const LARGEST_FRAME: usize = 1 << 20;

/// The offset of the registers in the kernel's `struct ucontext`, their number, and the index of the stack pointer. On
/// x86-64 they are `r8` to `r15`, `rdi`, `rsi`, `rbp`, `rbx`, `rdx`, `rax`, `rcx`, `rsp`, `rip` and the flags; on
/// AArch64 `x0` to `x30`, `sp`, `pc` and the state.
#[cfg(target_arch = "x86_64")]
const REGISTERS: (usize, usize, usize) = (40, 18, 15);
#[cfg(target_arch = "aarch64")]
const REGISTERS: (usize, usize, usize) = (184, 34, 31);

/// Reports the signal, its code and its address, then the registers.
///
/// # Safety
/// Called by the kernel.
unsafe extern "C" fn handle(number: i32, information: *const SignalInformation, context: *const u8) -> ! {
    let (start, count, stack_pointer) = REGISTERS;
    let registers = context as usize + start;
    // SAFETY: the kernel passes the information and the registers.
    let (code, address, stack_pointer) = unsafe {
        let stack_pointer = (registers as *const usize).add(stack_pointer).read();
        ((*information).code, (*information).address, stack_pointer)
    };
    let below_stack = board::stack_bottom().wrapping_sub(address);
    let is_memory_fault = number as usize == SIGSEGV || number as usize == SIGBUS;
    fault::begin(is_memory_fault && (1..=LARGEST_FRAME).contains(&below_stack));
    let causes = [number as usize, code as u32 as usize, address];
    // SAFETY: as above.
    unsafe {
        fault::words(b' ', causes.as_ptr() as usize, size_of_val(&causes));
        fault::words(b';', registers, count * size_of::<usize>());
    }
    fault::stack(fault::within_stack(stack_pointer))
}
