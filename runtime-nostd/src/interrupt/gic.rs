//! Arm's Generic Interrupt Controller, version 2 (Arm IHI 0048B), and the virtual timer of the processor (Arm Architecture
//! Reference Manual, D12).

use super::{
    Masked,
    dispatch::{Begun, handler},
};
use crate::board;
use crate::boot::aarch64::clef_fault_entry;
use core::{
    arch::{asm, naked_asm},
    sync::atomic::{AtomicU32, Ordering},
};

/// Registers of the distributor; from most on there is a bit, or a byte, for each interrupt.
mod distributor {
    pub(super) const CONTROL: usize = 0x000;
    pub(super) const SET_ENABLE: usize = 0x100;
    pub(super) const CLEAR_ENABLE: usize = 0x180;
    pub(super) const SET_PENDING: usize = 0x200;
    pub(super) const CLEAR_PENDING: usize = 0x280;
    pub(super) const PRIORITY: usize = 0x400;
    pub(super) const TARGETS: usize = 0x800;
    pub(super) const SOFTWARE: usize = 0xf00;
    pub(super) const CLEAR_SOFTWARE: usize = 0xf10;
}

/// Registers of the interface to the processor.
mod interface {
    pub(super) const CONTROL: usize = 0x00;
    pub(super) const PRIORITY_MASK: usize = 0x04;
    pub(super) const ACKNOWLEDGE: usize = 0x0c;
    pub(super) const END: usize = 0x10;
}

/// Interrupts below this one are raised by software.
const FIRST_OF_PROCESSOR: u32 = 16;

/// Interrupts from this one on are those of devices, which the distributor sends to one processor or another.
const FIRST_OF_DEVICES: u32 = 32;

/// Numbers from this one on mean that there is no interrupt.
const NONE: u32 = 1020;

/// The interrupt of the virtual timer.
const TIMER: u32 = 27;

/// Raises an interrupt in the processor that asks for it.
const TO_ITSELF: u32 = 0b10 << 24;

fn write(register: usize, value: u32) {
    // SAFETY: the registers are the board's.
    unsafe { (register as *mut u32).write_volatile(value) };
}

fn read(register: usize) -> u32 {
    // SAFETY: as above.
    unsafe { (register as *const u32).read_volatile() }
}

/// Writes the bit of an interrupt.
fn write_bit(first: usize, number: u32) {
    write(board::interrupt_distributor() + first + (number / 32 * 4) as usize, 1 << (number % 32));
}

/// Writes the byte of an interrupt.
fn write_byte(first: usize, number: u32, value: u32) {
    let register = board::interrupt_distributor() + first + number as usize;
    // SAFETY: as above.
    unsafe { (register as *mut u8).write_volatile(value as u8) };
}

/// Starts distributor and interface, with no interrupt enabled: firmware may have left some.
pub(super) fn start() {
    for group in 0..board::interrupts().div_ceil(32) {
        let bits = board::interrupt_distributor() + 4 * group as usize;
        write(bits + distributor::CLEAR_ENABLE, !0);
        write(bits + distributor::CLEAR_PENDING, !0);
    }
    write(board::interrupt_distributor() + distributor::CONTROL, 1);
    write(board::interrupt_interface() + interface::PRIORITY_MASK, 0xff);
    write(board::interrupt_interface() + interface::CONTROL, 1);
}

/// Lets interrupts come.
pub(super) fn unmask() {
    // SAFETY: the handlers are in the image.
    unsafe { asm!("msr daifclr, #2", options(nostack)) };
}

/// A bit for each interrupt of software that is enabled, and for each that was made pending while it was not: some controllers
/// have these always enabled (Arm IHI 0048B, 4.3.5).
static ENABLED: AtomicU32 = AtomicU32::new(0);
static PENDING: AtomicU32 = AtomicU32::new(0);

/// Changes the bits of an interrupt of software without interruption.
fn change(number: u32, change: impl Fn(u32)) {
    let masked = Masked::begin();
    change(1 << number);
    drop(masked);
}

fn set(bits: &AtomicU32, bit: u32) {
    bits.store(bits.load(Ordering::Relaxed) | bit, Ordering::Relaxed);
}

fn clear(bits: &AtomicU32, bit: u32) {
    bits.store(bits.load(Ordering::Relaxed) & !bit, Ordering::Relaxed);
}

fn is_set(bits: &AtomicU32, bit: u32) -> bool {
    bits.load(Ordering::Relaxed) & bit != 0
}

/// Raises an interrupt of software.
fn raise(number: u32) {
    write(board::interrupt_distributor() + distributor::SOFTWARE, TO_ITSELF | number);
}

pub(super) fn enable(number: u32) {
    if number >= FIRST_OF_DEVICES {
        write_byte(distributor::TARGETS, number, 1);
    }
    write_bit(distributor::SET_ENABLE, number);
    if number < FIRST_OF_PROCESSOR {
        change(number, |bit| {
            set(&ENABLED, bit);
            if is_set(&PENDING, bit) {
                clear(&PENDING, bit);
                raise(number);
            }
        });
    }
}

pub(super) fn disable(number: u32) {
    write_bit(distributor::CLEAR_ENABLE, number);
    if number < FIRST_OF_PROCESSOR {
        change(number, |bit| clear(&ENABLED, bit));
    }
}

pub(super) fn pend(number: u32) {
    if number >= FIRST_OF_PROCESSOR {
        return write_bit(distributor::SET_PENDING, number);
    }
    change(number, |bit| if is_set(&ENABLED, bit) { raise(number) } else { set(&PENDING, bit) });
}

pub(super) fn unpend(number: u32) {
    if number >= FIRST_OF_PROCESSOR {
        return write_bit(distributor::CLEAR_PENDING, number);
    }
    write_byte(distributor::CLEAR_SOFTWARE, number, 1);
    change(number, |bit| clear(&PENDING, bit));
}

pub(super) fn is_pending(number: u32) -> bool {
    if number < FIRST_OF_PROCESSOR && is_set(&PENDING, 1 << number) {
        return true;
    }
    let register = board::interrupt_distributor() + distributor::SET_PENDING + (number / 32 * 4) as usize;
    read(register) >> (number % 32) & 1 != 0
}

pub(super) fn prioritise(number: u32, priority: u32) {
    write_byte(distributor::PRIORITY, number, priority);
}

/// The size of what [`clef_interrupts_entry`] saves.
const FRAME: usize = 704;

/// Entered by every interrupt. It saves what functions may change: a handler may use all of the vector registers, of which
/// the interrupted code may use all bits. Debuggers find these registers, and where the code was interrupted (register 32 of DWARF), by the
/// unwind table.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_interrupts_entry() -> ! {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_signal_frame",
        ".cfi_return_column 32",
        "sub sp, sp, #{frame}",
        ".cfi_def_cfa_offset {frame}",
        "stp x0, x1, [sp, #16 * 0]",
        "stp x2, x3, [sp, #16 * 1]",
        "stp x4, x5, [sp, #16 * 2]",
        "stp x6, x7, [sp, #16 * 3]",
        "stp x8, x9, [sp, #16 * 4]",
        "stp x10, x11, [sp, #16 * 5]",
        "stp x12, x13, [sp, #16 * 6]",
        "stp x14, x15, [sp, #16 * 7]",
        "stp x16, x17, [sp, #16 * 8]",
        "stp x18, x19, [sp, #16 * 9]",
        "stp x29, x30, [sp, #16 * 10]",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19",
        ".cfi_rel_offset x\\n, 8 * \\n",
        ".endr",
        ".cfi_rel_offset x29, 16 * 10",
        ".cfi_rel_offset x30, 16 * 10 + 8",
        "mrs x0, fpsr",
        "mrs x1, fpcr",
        "stp w0, w1, [sp, #16 * 11]",
        "mrs x0, elr_el1",
        "str x0, [sp, #16 * 11 + 8]",
        ".cfi_rel_offset 32, 16 * 11 + 8",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "str q\\n, [sp, #192 + 16 * \\n]",
        ".endr",
        "bl {begin}",
        "mov x19, x1",
        "cbz x0, 2f",
        "blr x0",
        "2: mov x0, x19",
        "bl {end}",
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "ldr q\\n, [sp, #192 + 16 * \\n]",
        ".endr",
        "ldp w0, w1, [sp, #16 * 11]",
        "msr fpsr, x0",
        "msr fpcr, x1",
        "ldp x29, x30, [sp, #16 * 10]",
        "ldp x18, x19, [sp, #16 * 9]",
        "ldp x16, x17, [sp, #16 * 8]",
        "ldp x14, x15, [sp, #16 * 7]",
        "ldp x12, x13, [sp, #16 * 6]",
        "ldp x10, x11, [sp, #16 * 5]",
        "ldp x8, x9, [sp, #16 * 4]",
        "ldp x6, x7, [sp, #16 * 3]",
        "ldp x4, x5, [sp, #16 * 2]",
        "ldp x2, x3, [sp, #16 * 1]",
        "ldp x0, x1, [sp, #16 * 0]",
        "add sp, sp, #{frame}",
        "eret",
        ".cfi_endproc",
        frame = const FRAME,
        begin = sym clef_interrupts_begin,
        end = sym clef_interrupts_end,
    )
}

/// The class of the syndrome of an interrupt without a handler; the architecture reserves it (Arm Architecture Reference Manual,
/// D24.2.40). The other bits are the number.
const UNHANDLED: u64 = 0x3f << 26;

/// Called by the entry for an interrupt without a handler, with what the controller has answered in `x19`: reports it as a fault at
/// the place that it interrupted, with the registers that the code there had.
#[unsafe(naked)]
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_interrupts_unhandled")]
pub(super) unsafe extern "C" fn clef_interrupts_unhandled() -> ! {
    naked_asm!(
        "and x0, x19, #0x3ff",
        "orr x0, x0, #{unhandled}",
        "msr esr_el1, x0",
        "ldp x29, x30, [sp, #16 * 10]",
        "ldp x18, x19, [sp, #16 * 9]",
        "ldp x16, x17, [sp, #16 * 8]",
        "ldp x14, x15, [sp, #16 * 7]",
        "ldp x12, x13, [sp, #16 * 6]",
        "ldp x10, x11, [sp, #16 * 5]",
        "ldp x8, x9, [sp, #16 * 4]",
        "ldp x6, x7, [sp, #16 * 3]",
        "ldp x4, x5, [sp, #16 * 2]",
        "ldp x2, x3, [sp, #16 * 1]",
        "ldp x0, x1, [sp, #16 * 0]",
        "add sp, sp, #{frame}",
        "b {fault}",
        unhandled = const UNHANDLED,
        frame = const FRAME,
        fault = sym clef_fault_entry,
    )
}

/// Acknowledges an interrupt, whose number is in what the controller answers.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_interrupts_begin")]
extern "C" fn clef_interrupts_begin() -> Begun {
    let acknowledged = read(board::interrupt_interface() + interface::ACKNOWLEDGE);
    let number = acknowledged & 0x3ff;
    if number >= NONE {
        return Begun { handler: 0, token: acknowledged as usize };
    }
    if number == TIMER {
        next_period();
    }
    Begun { handler: handler(number), token: acknowledged as usize }
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_interrupts_end")]
extern "C" fn clef_interrupts_end(acknowledged: usize) {
    if acknowledged & 0x3ff < NONE as usize {
        write(board::interrupt_interface() + interface::END, acknowledged as u32);
    }
}

/// The period of the timer in its counts; 0 if it does not run.
static PERIOD: AtomicU32 = AtomicU32::new(0);

/// The count of the virtual timer.
fn count() -> u64 {
    let count;
    // SAFETY: the register can be read at EL1.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack)) };
    count
}

/// Sets the count at which the timer interrupts.
fn interrupt_at(count: u64) {
    // SAFETY: the register can be written at EL1.
    unsafe { asm!("msr cntv_cval_el0, {}", in(reg) count, options(nomem, nostack)) };
}

fn control(value: u64) {
    // SAFETY: as above.
    unsafe { asm!("msr cntv_ctl_el0, {}", "isb", in(reg) value, options(nomem, nostack)) };
}

/// Sets the end of the next period that has not passed. Without a period, the program uses the timer itself.
#[inline(always)]
fn next_period() {
    let period = u64::from(PERIOD.load(Ordering::Relaxed));
    if period == 0 {
        return;
    }
    let due: u64;
    // SAFETY: the register can be read at EL1.
    unsafe { asm!("mrs {}, cntv_cval_el0", out(reg) due, options(nomem, nostack)) };
    let (now, next) = (count(), due.wrapping_add(period));
    interrupt_at(if next > now { next } else { now.wrapping_add(period) });
}

/// Starts a periodic interrupt of the timer.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_start(counts: u32) {
    control(0);
    PERIOD.store(counts, Ordering::Relaxed);
    interrupt_at(count().wrapping_add(u64::from(counts)));
    enable(TIMER);
    control(1);
}

/// Stops the timer's interrupt.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_stop() {
    control(0);
    PERIOD.store(0, Ordering::Relaxed);
    disable(TIMER);
}

/// Counts of the timer per second.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_frequency() -> u32 {
    let frequency: u64;
    // SAFETY: the register can be read at EL1.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) frequency, options(nomem, nostack)) };
    frequency as u32
}

/// Masks interrupts; returns the argument for [`clef_restore_interrupts`].
#[unsafe(no_mangle)]
pub(super) extern "C" fn clef_mask_interrupts() -> u32 {
    let state: u64;
    // SAFETY: programs run at EL1. Later accesses are not moved before it, since memory counts as changed.
    unsafe { asm!("mrs {}, daif", "msr daifset, #2", out(reg) state, options(nostack)) };
    state as u32
}

/// Lets interrupts come again, if they could come when the state was taken.
#[unsafe(no_mangle)]
pub(super) extern "C" fn clef_restore_interrupts(state: u32) {
    // SAFETY: as above.
    unsafe { asm!("msr daif, {}", in(reg) u64::from(state), options(nostack)) };
}

/// Waits for an interrupt, which may be masked.
#[unsafe(no_mangle)]
extern "C" fn clef_wait_for_interrupt() {
    // SAFETY: the instruction changes nothing but what the interrupt's handler changes.
    unsafe { asm!("dsb sy", "wfi", options(nostack)) };
}
