//! Cortex-M: reset, and faults. Armv6-M, Armv7-M and Armv8-M Mainline differ only in a few registers. The linker script
//! makes the vector table.
//!
//! The stack is at the bottom of RAM, below all data, so that an overflow runs into unmapped memory (or, on Armv8-M,
//! into the stack limit, on Armv7-M into a protected range) and faults, instead of overwriting data.

use super::run;
use crate::board;
use crate::interface::fault;
use core::arch::{asm, naked_asm};

unsafe extern "C" {
    static __clef_stack_bottom: u8;
    static __clef_stack_top: u8;
    static __clef_image_start: u8;
    static __clef_image_end: u8;
    static __clef_data_load: u32;
    static __clef_data_start: u32;
    static __clef_data_end: u32;
    static __clef_bss_end: u32;
    static __clef_start: [u32; 2];
    #[cfg(feature = "vtor")]
    static __clef_vectors: u8;
    #[cfg(feature = "mpu")]
    static __clef_guard_rbar: u8;
    #[cfg(feature = "mpu")]
    static __clef_guard_rasr: u8;
}

/// Reset: the hardware has set the stack pointer from the vector table.
#[unsafe(no_mangle)]
unsafe extern "C" fn _start() -> ! {
    #[cfg(feature = "vtor")]
    if board::sets_vector_table() {
        set_vector_table();
    }
    #[cfg(feature = "msplim")]
    limit_stack();
    #[cfg(feature = "mpu")]
    guard_stack();
    clef_initialise_memory();
    #[cfg(feature = "fpu")]
    clef_enable_fpu();
    start_board();
    run()
}

/// Performs the steps that the board's descriptor lists under `start`, after those of its `clocks`. The linker script has entries of two
/// words: the address of a register, whose two low bits select the operation, and a value. The compiler's
/// `clef_descriptors::StartStep::entries` describes them. Operations that the table does not have fold away.
#[inline]
fn start_board() {
    const SET: u32 = 1;
    const CLEAR: u32 = 2;
    const AWAIT: u32 = 3;
    // The bits of the operations that few tables have.
    const CLEARS: u32 = 1;
    const AWAITS_CLEAR: u32 = 2;
    const EXPECTS: u32 = 4;
    const TRIMS: u32 = 8;
    const BYTES: u32 = 16;
    let table = &raw const __clef_start;
    let mut index = 0;
    while index < board::start_entries() {
        // SAFETY: the table has that many entries, and one that has no value another after it; the registers are the board's.
        unsafe {
            let entry = |index: u32| table.add(index as usize).read();
            let [place, value] = entry(index);
            let (register, operation) = ((place & !3) as *mut u32, place & 3);
            if operation == AWAIT && value == 0 && board::starts_with(TRIMS) {
                trim(register);
            } else if operation == AWAIT {
                while register.read_volatile() & value != value {}
            } else if operation == SET && value == 0 && board::starts_with(AWAITS_CLEAR | BYTES) {
                index += 1;
                let [bits, byte] = entry(index);
                if bits == 0 && board::starts_with(BYTES) {
                    step_of_a_byte(register, byte);
                } else {
                    while register.read_volatile() & bits != 0 {}
                }
            } else if operation == CLEAR && value == 0 && board::starts_with(EXPECTS) {
                index += 1;
                if register.read_volatile() == 0 {
                    let [steps, _] = entry(index);
                    index += steps;
                }
            } else {
                let before = if operation == 0 { 0 } else { register.read_volatile() };
                let clears = operation == CLEAR && board::starts_with(CLEARS);
                register.write_volatile(if clears { before & !value } else { before | value });
            }
            index += 1;
        }
    }
}

/// Writes a register of a byte, or waits for its bits: the step has the operation, the place of the register in the word, and the value.
///
/// # Safety
///
/// The board has such a register there.
unsafe fn step_of_a_byte(word: *mut u32, step: u32) {
    const WRITE: u32 = 0;
    const AWAIT: u32 = 1;
    let value = step as u8;
    // SAFETY: the register is the board's; it accesses no memory.
    unsafe {
        let register = word.cast::<u8>().add((step >> 8 & 3) as usize);
        match step >> 16 {
            WRITE => register.write_volatile(value),
            AWAIT => while register.read_volatile() & value != value {},
            _ => while register.read_volatile() & value != 0 {},
        }
    }
}

/// Writes to registers what a table says that the manufacturer has written: pairs of an address and a value, up to an erased one.
///
/// # Safety
///
/// The board has such a table there.
unsafe fn trim(table: *const u32) {
    const PAIRS: usize = 256;
    const ERASED: u32 = u32::MAX;
    for pair in 0..PAIRS {
        // SAFETY: the table has that many pairs, or an erased address before; the manufacturer has written the addresses.
        unsafe {
            let place = table.add(pair * 2).read_volatile();
            if place == ERASED {
                return;
            }
            (place as *mut u32).write_volatile(table.add(pair * 2 + 1).read_volatile());
        }
    }
}

/// Copies `.data` from flash and zeroes `.bss`, which follows it, in assembly because no Rust may run before it. The
/// compiler removes it from programs without variables.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn clef_initialise_memory() {
    // A list of one register has an encoding only for the low ones.
    // SAFETY: the linker script aligns all bounds to words; nothing in these sections has been used yet.
    unsafe {
        let mut to = &raw const __clef_data_start;
        asm!(
            "b 2f",
            "1: ldmia {from}!, {{r3}}",
            "stmia {to}!, {{r3}}",
            "2: cmp {to}, {end}",
            "bne 1b",
            from = inout(reg) &raw const __clef_data_load => _,
            to = inout(reg) to,
            end = in(reg) &raw const __clef_data_end,
            out("r3") _,
            options(nostack),
        );
        asm!(
            "b 2f",
            "1: stmia {to}!, {{r3}}",
            "2: cmp {to}, {end}",
            "bne 1b",
            to = inout(reg) to => _,
            end = in(reg) &raw const __clef_bss_end,
            in("r3") 0,
            options(nostack),
        );
    }
}

/// Sets the address of the vector table; a boot loader may have had its own.
#[cfg(feature = "vtor")]
#[inline]
fn set_vector_table() {
    const VTOR: *mut usize = 0xe000_ed08 as *mut usize;
    // SAFETY: the register exists on these cores; the linker script aligns the table.
    unsafe { VTOR.write_volatile(&raw const __clef_vectors as usize) };
}

/// Makes the core fault when the stack pointer would go below the stack.
#[cfg(feature = "msplim")]
#[inline]
fn limit_stack() {
    // SAFETY: the register exists on these cores, and the stack is above.
    unsafe { asm!("msr msplim, {}", in(reg) board::stack_bottom(), options(nostack)) };
}

/// Forbids all access to a range below the stack: not every memory map faults there. The linker script chooses the
/// range, because its size must be a power of two and its address a multiple of that. A core without an MPU ignores the
/// writes. The barrier makes them effective for data accesses; no instruction is fetched from the range.
#[cfg(feature = "mpu")]
#[inline]
fn guard_stack() {
    const CTRL: *mut usize = 0xe000_ed94 as *mut usize;
    const RBAR: *mut usize = 0xe000_ed9c as *mut usize;
    const RASR: *mut usize = 0xe000_eda0 as *mut usize;
    /// The protection unit is on; the default map applies elsewhere.
    const ENABLE: usize = 1 << 2 | 1 << 0;
    // SAFETY: the registers exist on these cores, and nothing of the program is in the range.
    unsafe {
        RBAR.write_volatile(&raw const __clef_guard_rbar as usize);
        RASR.write_volatile(&raw const __clef_guard_rasr as usize);
        CTRL.write_volatile(ENABLE);
        asm!("dsb", options(nostack));
    }
}

/// Enables access to coprocessors 10 and 11, which are the FPU. The compiler removes it from programs without
/// floating-point values.
#[cfg(feature = "fpu")]
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn clef_enable_fpu() {
    const CPACR: *mut u32 = 0xe000_ed88 as *mut u32;
    // SAFETY: the register exists on these cores; the barriers make the change visible to the next instruction.
    unsafe {
        CPACR.write_volatile(CPACR.read_volatile() | 0xf << 20);
        asm!("dsb", "isb", options(nostack));
    }
}

/// The body of a handler that continues after a debugger call that failed because there is no debugger: such a call is an
/// exception, recognised by the instruction at which the program was interrupted, if its stack pointer and that address
/// can be trusted. Otherwise the assembly of `$otherwise` runs, with the stack pointer in `r0`, the bounds of the stack
/// in the words at 2 and 3, and the address of `$target` in the word at 7.
macro_rules! after_debugger_call {
    ($otherwise:literal, $target:path $(, $name:ident = $value:expr)*) => {
        naked_asm!(
            "mov r0, sp",
            "ldr r1, 2f",
            "cmp r0, r1",
            "blo 1f",
            "ldr r3, 3f",
            "subs r3, #{frame}",
            "cmp r0, r3",
            "bhi 1f",
            "ldr r1, [r0, #{place}]",
            "ldr r2, 4f",
            "cmp r1, r2",
            "blo 1f",
            "ldr r2, 5f",
            "cmp r1, r2",
            "bhs 1f",
            "ldrh r2, [r1]",
            "ldr r3, 6f",
            "cmp r2, r3",
            "bne 1f",
            "adds r1, #2",
            "str r1, [r0, #{place}]",
            "movs r1, #0",
            "mvns r1, r1",
            "str r1, [r0]",
            "bx lr",
            "1:",
            $otherwise,
            ".p2align 2",
            "2: .word {bottom}",
            "3: .word {top}",
            "4: .word {start}",
            "5: .word {end}",
            "6: .word {call}",
            "7: .word {target}",
            frame = const SMALLEST_FRAME,
            place = const PLACE_IN_FRAME,
            bottom = sym __clef_stack_bottom,
            top = sym __clef_stack_top,
            start = sym __clef_image_start,
            end = sym __clef_image_end,
            call = const DEBUGGER_CALL,
            target = sym $target,
            $($name = const $value,)*
        )
    };
}

/// Entered by every exception without a handler of its own, if the image reports traps itself. The stack may be corrupt:
/// its pointer is passed on, with `r8` to `r11`, `r4` to `r7` and `lr`, and if the stack has no space left for a report, or the pointer is not in it, the report
/// starts at the top of the stack again. What is left of the stack shows the calls.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_fault_entry() -> ! {
    after_debugger_call!(
        "
        ldr r1, 2f
        movs r2, #{report_stack} / 4
        lsls r2, r2, #2
        adds r1, r1, r2
        cmp r0, r1
        ldr r1, 3f
        blo 8f
        cmp r0, r1
        bls 9f
        8: mov sp, r1
        9: push {{r4-r7, lr}}
        mov r4, r8
        mov r5, r9
        mov r6, r10
        mov r7, r11
        push {{r4-r7}}
        mov r1, sp
        sub sp, #4
        ldr r2, 7f
        bx r2",
        clef_fault_report,
        report_stack = REPORT_STACK
    )
}

/// Entered by every exception without a handler of its own, if a debugger reports traps: it finds the processor here,
/// and the state of the program on the stack.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_fault_stop() -> ! {
    naked_asm!(".cfi_startproc", "1: b 1b", ".cfi_endproc")
}

/// The same for boards that may also run without the debugger that the program calls.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_fault_skip() -> ! {
    after_debugger_call!("ldr r1, 7f\nbx r1", clef_fault_stop)
}

/// An upper bound of the stack that a fault report takes, at most 1020 bytes.
const REPORT_STACK: usize = 680;

/// An exception frame: r0 to r3, r12, lr, the program counter, and the program status.
const SMALLEST_FRAME: usize = 32;

/// The offset of the program counter in an exception frame.
const PLACE_IN_FRAME: usize = 24;

/// `bkpt 0xab`
const DEBUGGER_CALL: u16 = 0xbeab;

/// An exception frame with the registers of the FPU.
#[cfg(not(feature = "msplim"))]
const LARGEST_FRAME: usize = 104;

/// Reports the number of the exception, the stack pointer, the address at which the reported part of the stack starts,
/// the registers from `CFSR` to `BFAR`, if they exist, and the registers that the exception has not stored. If the stack pointer is in the stack, that part begins with
/// the exception frame. It is in a section of its own, which the linker removes from images that do not report traps.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_fault_report")]
unsafe extern "C" fn clef_fault_report(stack_pointer: usize, kept: &[usize; 9]) -> ! {
    if !board::trap_messages() {
        loop {}
    }
    let exception: usize;
    // SAFETY: the register can be read in every state.
    unsafe { asm!("mrs {}, ipsr", out(reg) exception, options(nomem, nostack)) };
    let start = fault::within_stack(stack_pointer);
    let causes = [exception, stack_pointer, start];
    fault::begin(is_stack_overflow(stack_pointer));
    // SAFETY: the registers exist on cores with these features.
    unsafe {
        fault::words(b' ', causes.as_ptr() as usize, size_of_val(&causes));
        #[cfg(any(feature = "mpu", feature = "msplim"))]
        fault::words(b';', FAULT_STATUS, FAULT_STATUS_BYTES);
        fault::words(b';', &raw const *kept as usize, size_of_val(kept));
    }
    fault::stack(start)
}

/// `CFSR`, `HFSR`, `DFSR`, `MMFAR`, `BFAR`.
#[cfg(any(feature = "mpu", feature = "msplim"))]
const FAULT_STATUS: usize = 0xe000_ed28;
#[cfg(any(feature = "mpu", feature = "msplim"))]
const FAULT_STATUS_BYTES: usize = 20;

#[cfg(not(feature = "msplim"))]
fn is_stack_overflow(stack_pointer: usize) -> bool {
    stack_pointer < board::stack_bottom() + LARGEST_FRAME
}

/// With a stack limit the pointer never gets below it; the fault status register records the overflow.
#[cfg(feature = "msplim")]
fn is_stack_overflow(_: usize) -> bool {
    const CFSR: *const u32 = 0xe000_ed28 as *const u32;
    const STACK_OVERFLOW: u32 = 1 << 20;
    // SAFETY: the register exists on these cores.
    unsafe { CFSR.read_volatile() & STACK_OVERFLOW != 0 }
}
