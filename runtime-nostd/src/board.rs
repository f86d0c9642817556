//! What the board and the linker tell the runtime.
//!
//! The *constants* are defined by the program's module, which is linked with the runtime's bitcode before optimisation,
//! so that they fold and every console and exit that the board does not use disappears. The *symbols* are defined by
//! the linker script; only their addresses are meaningful.

#![allow(dead_code, reason = "each platform uses its part")]

use crate::region::Parts;
use core::{ops::Range, ptr::addr_of_mut};

/// How a stream of the console is reached: the values of `clef_console_kind` and `clef_console_error_kind`.
pub(crate) mod console_kind {
    /// Debugger calls, on Arm and AArch64.
    pub(crate) const SEMIHOSTING: u32 = 0;
    /// Arm's PrimeCell UART.
    pub(crate) const PL011: u32 = 1;
    /// The UART of Arm's Cortex-M System Design Kit.
    pub(crate) const CMSDK: u32 = 2;
    /// A PC's serial ports.
    pub(crate) const COM: u32 = 3;
    /// The system calls of Linux.
    pub(crate) const SYSCALLS: u32 = 4;
    /// Segger's Real-Time Transfer, on Cortex-M.
    pub(crate) const RTT: u32 = 5;
    /// The functions of a library's host.
    pub(crate) const HOST: u32 = 6;
    /// UART0 of NXP's KL25.
    pub(crate) const KL25: u32 = 7;
    /// The first serial line of the board, by the driver of the library.
    pub(crate) const UART: u32 = 8;
}

/// How the frames of the log are sent: the values of `clef_log_kind`.
pub(crate) mod log_kind {
    /// Debugger calls, on Arm and AArch64.
    pub(crate) const SEMIHOSTING: u32 = 1;
    /// Segger's Real-Time Transfer, on Cortex-M.
    pub(crate) const RTT: u32 = 2;
    /// The system calls of Linux.
    pub(crate) const SYSCALLS: u32 = 3;
    /// QEMU's `isa-debugcon` device.
    pub(crate) const ISA_DEBUGCON: u32 = 4;
}

/// How a program ends on the board: the values of `clef_exit_kind`.
pub(crate) mod exit_kind {
    /// Debugger calls, on Arm and AArch64.
    pub(crate) const SEMIHOSTING: u32 = 0;
    /// QEMU's `isa-debug-exit` device.
    pub(crate) const ISA_DEBUG_EXIT: u32 = 1;
    /// The system calls of Linux.
    pub(crate) const SYSCALLS: u32 = 2;
    /// The program never exits: the processor sleeps for ever.
    pub(crate) const HALT: u32 = 3;
    /// A library's host decides.
    pub(crate) const HOST: u32 = 4;
}

/// How arguments reach the program: the values of `clef_arguments_kind`; 0 if there are none.
pub(crate) mod arguments_kind {
    /// Debugger calls, on Arm and AArch64.
    pub(crate) const SEMIHOSTING: u32 = 1;
    /// The command line of the start information that a PVH loader passes.
    pub(crate) const START_INFORMATION: u32 = 2;
    /// The stack that Linux starts a process with.
    pub(crate) const PROCESS: u32 = 3;
}

/// The kind of the timer of a Cortex-M board: the values of `clef_timer_kind`.
pub(crate) mod timer_kind {
    /// The processor's system timer.
    pub(crate) const SYSTEM: u32 = 0;
    /// A real-time counter of the nRF51, nRF52 or nRF91.
    pub(crate) const NRF_RTC: u32 = 1;
    /// A timer of the nRF51, nRF52 or nRF91.
    pub(crate) const NRF_TIMER: u32 = 2;
    /// The timer of the RP2040.
    pub(crate) const RP2040: u32 = 3;
    /// The first timer of the RP2350.
    pub(crate) const RP2350: u32 = 4;
    /// A general-purpose timer of an STM32.
    pub(crate) const STM32: u32 = 5;
}

unsafe extern "C" {
    static clef_console_kind: u32;
    static clef_console_error_kind: u32;
    static clef_console_base: usize;
    static clef_console_error_base: usize;
    static clef_rtt_output: u32;
    static clef_rtt_error: u32;
    static clef_rtt_log: u32;
    static clef_rtt_input: u32;
    static clef_log_kind: u32;
    static clef_log_port: u32;
    static clef_log_time: u32;
    static clef_needs_clock: u32;
    static clef_exit_kind: u32;
    static clef_exit_port: u32;
    static clef_arguments_kind: u32;
    static clef_arguments_size: u32;
    static clef_region_page: usize;
    static clef_region_growth: usize;
    static clef_regions_nest: u32;
    static clef_texts_are_alone: u32;
    static clef_is_minimal: u32;
    static clef_largest_allocation: usize;
    static clef_evacuation_kinds: u32;
    static clef_evacuation_smallest: usize;
    static clef_evacuation_largest: usize;
    static clef_evacuation_flags: u32;
    static clef_statistics: u32;
    static clef_trap_messages: u32;
    static clef_clock: u32;
    static clef_start_entries: u32;
    static clef_start_operations: u32;
    static clef_sets_vector_table: u32;
    static clef_has_constructors: u32;
    static clef_timer_kind: u32;
    static clef_timer_base: usize;
    static clef_timer_bits: u32;
    static clef_timer_interrupt: u32;
    static clef_timer_clock: u32;
    static clef_timer_source: u32;
    static clef_timer_enable: usize;
    static clef_timer_enable_bit: u32;
    static clef_uses_interrupts: u32;
    static clef_interrupt_count: u32;
    static clef_interrupt_distributor: usize;
    static clef_interrupt_interface: usize;

    static mut clef_rtt_buffer: u8;
    static mut clef_arguments_buffer: u8;
    static mut __clef_pool_start: u8;
    static mut __clef_pool_pages: u8;
    static mut __clef_pool_end: u8;
    static mut __clef_stack_bottom: u8;
    static mut __clef_stack_top: u8;
}

/// One of [`console_kind`], for errors.
#[inline]
pub(crate) fn console_error() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_console_error_kind }
}

/// One of [`console_kind`], for output and input.
#[inline]
pub(crate) fn console() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_console_kind }
}

/// The address or port of the UART for output and input.
#[inline]
pub(crate) fn console_base() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_console_base }
}

/// The address or port of the UART for errors; that of [`console_base`] if there is only one.
#[inline]
pub(crate) fn console_error_base() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_console_error_base }
}

/// The sizes of the buffers of Real-Time Transfer, for output, errors, the log and input; 0 for those that the board
/// does not use.
#[inline]
pub(crate) fn rtt() -> [u32; 4] {
    // SAFETY: constants that the program's module defines.
    unsafe { [clef_rtt_output, clef_rtt_error, clef_rtt_log, clef_rtt_input] }
}

/// One of [`log_kind`], or 0 if nobody reads the log.
#[inline]
pub(crate) fn log() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_log_kind }
}

/// The port of `isa-debugcon`.
#[inline]
pub(crate) fn log_port() -> u16 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_log_port as u16 }
}

/// Whether each frame of the log has a timestamp.
#[inline]
pub(crate) fn log_tells_time() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_log_time != 0 }
}

/// Whether the time since the start is needed; other programs only wait, in one place at a time and not in handlers.
#[inline]
pub(crate) fn needs_clock() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_needs_clock != 0 }
}

/// Memory for all buffers of Real-Time Transfer, one after another.
#[inline]
pub(crate) fn rtt_buffer() -> *mut u8 {
    addr_of_mut!(clef_rtt_buffer)
}

/// One of [`exit_kind`].
#[inline]
pub(crate) fn exit() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_exit_kind }
}

/// The port of `isa-debug-exit`.
#[inline]
pub(crate) fn exit_port() -> u16 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_exit_port as u16 }
}

/// Whether the program is a library, whose host tells the time.
#[inline]
pub(crate) fn is_library() -> bool {
    exit() == exit_kind::HOST
}

/// One of [`arguments_kind`], or 0.
#[inline]
pub(crate) fn arguments() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_arguments_kind }
}

/// Memory for the command line, which nothing else uses, and its size.
#[inline]
pub(crate) fn arguments_buffer() -> (*mut u8, usize) {
    // SAFETY: a constant that the program's module defines.
    (addr_of_mut!(clef_arguments_buffer), unsafe { clef_arguments_size } as usize)
}

/// The size of a page of the region pool.
#[inline]
pub(crate) fn region_page() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_region_page }
}

/// How many bytes a region takes before it is due for evacuation; 0 for a page.
#[inline]
pub(crate) fn region_growth() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_region_growth }
}

/// Whether the program prints peak region and stack use on exit.
#[inline]
pub(crate) fn statistics() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_statistics != 0 }
}

/// Whether traps write their messages themselves; otherwise the processor stops, and a debugger reports them.
#[inline]
pub(crate) fn trap_messages() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_trap_messages != 0 }
}

/// The frequency of a Cortex-M core, at which its system timer counts.
#[inline]
pub(crate) fn clock() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_clock }
}

/// One of [`timer_kind`].
#[inline]
pub(crate) fn timer() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_kind }
}

/// The first register of the timer.
#[inline]
pub(crate) fn timer_base() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_base }
}

/// The width of the timer in bits.
#[inline]
pub(crate) fn timer_bits() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_bits }
}

/// The number of the timer's interrupt.
#[inline]
pub(crate) fn timer_interrupt() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_interrupt }
}

/// The frequency that the timer divides.
#[inline]
pub(crate) fn timer_clock() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_clock }
}

/// The source of the low-frequency clock of the nRF51, nRF52 and nRF91, as encoded in their register.
#[inline]
pub(crate) fn timer_source() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_source }
}

/// The register that enables the clock of an STM32 timer.
#[inline]
pub(crate) fn timer_enable() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_enable }
}

/// The timer's bit in that register.
#[inline]
pub(crate) fn timer_enable_bit() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_timer_enable_bit }
}

/// Whether the program handles interrupts, or uses their controller.
#[inline]
pub(crate) fn uses_interrupts() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_uses_interrupts != 0 }
}

/// The number of interrupts of the board's controller.
#[inline]
pub(crate) fn interrupts() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_interrupt_count }
}

/// The first register of the distributor of an Arm interrupt controller.
#[inline]
pub(crate) fn interrupt_distributor() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_interrupt_distributor }
}

/// The first register of its interface to the processor.
#[inline]
pub(crate) fn interrupt_interface() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_interrupt_interface }
}

/// The number of entries of the table that the boot code performs before the program begins.
#[inline]
pub(crate) fn start_entries() -> u32 {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_start_entries }
}

/// Whether that table has an operation, a bit of `StartStep::operation`.
#[inline]
pub(crate) fn starts_with(operation: u32) -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_start_operations & operation != 0 }
}

/// Whether the boot code sets the address of the vector table, which is 0 after reset.
#[inline]
pub(crate) fn sets_vector_table() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_sets_vector_table != 0 }
}

/// Whether constructors of linked objects run before the program.
#[inline]
pub(crate) fn has_constructors() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_has_constructors != 0 }
}

/// Whether something is allocated only in the newest region that has not ended.
#[inline]
pub(crate) fn regions_nest() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_regions_nest != 0 }
}

/// Whether nothing else is allocated while a text grows, in a program whose regions nest.
#[inline]
pub(crate) fn texts_are_alone() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_texts_are_alone != 0 }
}

/// Whether the program is optimised for size alone.
#[inline]
pub(crate) fn is_minimal() -> bool {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_is_minimal != 0 }
}

/// The start of the region pool, aligned to two words.
pub(crate) const fn pool_start() -> *mut u8 {
    &raw mut __clef_pool_start
}

/// The end of the region pool.
pub(crate) const fn pool_end() -> *mut u8 {
    &raw mut __clef_pool_end
}

/// The pages of the region pool.
#[inline]
pub(crate) fn pages() -> Range<*mut u8> {
    addr_of_mut!(__clef_pool_pages)..addr_of_mut!(__clef_pool_end)
}

/// A byte for each of these pages.
#[inline]
pub(crate) fn page_owners() -> *mut u8 {
    addr_of_mut!(__clef_pool_start)
}

/// The size in bytes of the program's largest allocation in a region; the largest number if it is not known.
#[inline]
pub(crate) fn largest_allocation() -> usize {
    // SAFETY: a constant that the program's module defines.
    unsafe { clef_largest_allocation }
}

/// What evacuations may encounter in this program.
#[inline]
pub(crate) fn evacuation_parts() -> Parts {
    const SEVERAL: u32 = 1;
    const TARGETS: u32 = 2;
    const ELSEWHERE: u32 = 4;
    // SAFETY: constants that the program's module defines.
    let (kinds, smallest, largest, flags) =
        unsafe { (clef_evacuation_kinds, clef_evacuation_smallest, clef_evacuation_largest, clef_evacuation_flags) };
    let has = |flag| flags & flag != 0;
    Parts { kinds, smallest, largest, several: has(SEVERAL), targets: has(TARGETS), elsewhere: has(ELSEWHERE) }
}

/// The lowest address of the stack.
#[inline]
pub(crate) fn stack_bottom() -> usize {
    addr_of_mut!(__clef_stack_bottom) as usize
}

/// The end of the stack, exclusive.
#[inline]
pub(crate) fn stack_top() -> usize {
    addr_of_mut!(__clef_stack_top) as usize
}
