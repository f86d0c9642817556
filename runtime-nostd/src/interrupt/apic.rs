//! The interrupt controllers of PCs: the I/O APIC (Intel 82093AA data sheet), whose inputs are the interrupts, and the local APIC
//! of the processor with its timer (IA-32 Software Developer's Manual, volume 3, chapter 11).

use super::{
    Masked,
    dispatch::{Begun, handler},
};
use crate::boot::pvh;
use crate::console::com::output;
use crate::time::per_second;
use core::{
    arch::{asm, naked_asm},
    sync::atomic::{AtomicU32, Ordering},
};

/// The vector of input 0 of the I/O APIC; those below are exceptions.
const FIRST_VECTOR: u32 = 32;

/// The inputs of the I/O APIC. The number after the last one is that of the timer.
const INPUTS: u32 = 24;
const TIMER: u32 = INPUTS;

/// The vector for an interrupt that has gone before the processor could acknowledge it.
const SPURIOUS_VECTOR: u32 = 63;

/// The vectors with an entry, from [`FIRST_VECTOR`] on.
const VECTORS: usize = 32;

/// The inputs from this one on are those of PCI: low and by level. Those below are high and by edge.
const FIRST_OF_PCI: u32 = 16;

const IO_APIC: usize = 0xfec0_0000;
const LOCAL_APIC: usize = 0xfee0_0000;

/// The page of 2 MiB that contains each of them.
const PAGES: [usize; 2] = [IO_APIC, LOCAL_APIC];

/// The index and the data of the I/O APIC's registers.
const INDEX: usize = IO_APIC;
const DATA: usize = IO_APIC + 0x10;
/// The two registers of input 0.
const REDIRECTION: u32 = 0x10;
const MASKED: u32 = 1 << 16;
const LOW: u32 = 1 << 13;
const BY_LEVEL: u32 = 1 << 15;

/// Registers of the local APIC.
mod local {
    use super::LOCAL_APIC;
    pub(super) const IDENTITY: usize = LOCAL_APIC + 0x20;
    pub(super) const TASK_PRIORITY: usize = LOCAL_APIC + 0x80;
    pub(super) const END: usize = LOCAL_APIC + 0xb0;
    pub(super) const SPURIOUS: usize = LOCAL_APIC + 0xf0;
    pub(super) const REQUESTED: usize = LOCAL_APIC + 0x200;
    pub(super) const COMMAND: usize = LOCAL_APIC + 0x300;
    pub(super) const TIMER: usize = LOCAL_APIC + 0x320;
    pub(super) const FIRST_COUNT: usize = LOCAL_APIC + 0x380;
    pub(super) const COUNT: usize = LOCAL_APIC + 0x390;
    pub(super) const DIVISOR: usize = LOCAL_APIC + 0x3e0;
}

const ENABLED: u32 = 1 << 8;
const TO_ITSELF: u32 = 1 << 18;
const PERIODIC: u32 = 1 << 17;
const BY_ONE: u32 = 0b1011;

/// The data ports of the older interrupt controllers, at which each bit masks an input.
const OLD_CONTROLLERS: [u16; 2] = [0x21, 0xa1];

/// A bit for each interrupt that is enabled, and for each that was made pending while it was not.
static ENABLED_INPUTS: AtomicU32 = AtomicU32::new(0);
static PENDING_INPUTS: AtomicU32 = AtomicU32::new(0);

fn write(register: usize, value: u32) {
    // SAFETY: the registers are mapped by `start`.
    unsafe { (register as *mut u32).write_volatile(value) };
}

fn read(register: usize) -> u32 {
    // SAFETY: as above.
    unsafe { (register as *const u32).read_volatile() }
}

/// Maps the controllers, makes the entries of the interrupts, and starts the local APIC, with no interrupt enabled: firmware may
/// have left some.
pub(super) fn start() {
    PAGES.into_iter().for_each(pvh::map_device);
    OLD_CONTROLLERS.into_iter().for_each(|port| output(port, 0xff));
    for vector in 0..VECTORS {
        let entry = clef_interrupts_entries as *const () as usize + vector * ENTRY;
        pvh::set_gate(FIRST_VECTOR as usize + vector, entry);
    }
    (0..INPUTS).for_each(|number| redirect(number, lines(number) | MASKED));
    write(local::TIMER, (FIRST_VECTOR + TIMER) | MASKED);
    write(local::TASK_PRIORITY, 0);
    write(local::SPURIOUS, ENABLED | SPURIOUS_VECTOR);
}

/// Lets interrupts come.
pub(super) fn unmask() {
    // SAFETY: the handlers are in the image.
    unsafe { asm!("sti", options(nostack)) };
}

/// Writes the registers of an input.
fn redirect(number: u32, low: u32) {
    let masked = Masked::begin();
    write(INDEX, REDIRECTION + 2 * number + 1);
    write(DATA, read(local::IDENTITY) & 0xff00_0000);
    write(INDEX, REDIRECTION + 2 * number);
    write(DATA, low);
    drop(masked);
}

fn lines(number: u32) -> u32 {
    (FIRST_VECTOR + number) | if number >= FIRST_OF_PCI { LOW | BY_LEVEL } else { 0 }
}

pub(super) fn enable(number: u32) {
    let masked = Masked::begin();
    redirect(number, lines(number));
    ENABLED_INPUTS.store(ENABLED_INPUTS.load(Ordering::Relaxed) | 1 << number, Ordering::Relaxed);
    if PENDING_INPUTS.load(Ordering::Relaxed) & 1 << number != 0 {
        unpend(number);
        request(number);
    }
    drop(masked);
}

pub(super) fn disable(number: u32) {
    let masked = Masked::begin();
    redirect(number, lines(number) | MASKED);
    ENABLED_INPUTS.store(ENABLED_INPUTS.load(Ordering::Relaxed) & !(1 << number), Ordering::Relaxed);
    drop(masked);
}

/// Sends an interrupt from the processor to itself.
fn request(number: u32) {
    write(local::COMMAND, TO_ITSELF | (FIRST_VECTOR + number));
}

pub(super) fn pend(number: u32) {
    let masked = Masked::begin();
    if ENABLED_INPUTS.load(Ordering::Relaxed) & 1 << number != 0 {
        request(number);
    } else {
        PENDING_INPUTS.store(PENDING_INPUTS.load(Ordering::Relaxed) | 1 << number, Ordering::Relaxed);
    }
    drop(masked);
}

/// What the processor was asked for already stays pending.
pub(super) fn unpend(number: u32) {
    let masked = Masked::begin();
    PENDING_INPUTS.store(PENDING_INPUTS.load(Ordering::Relaxed) & !(1 << number), Ordering::Relaxed);
    drop(masked);
}

pub(super) fn is_pending(number: u32) -> bool {
    let requested = read(local::REQUESTED + (FIRST_VECTOR / 32 * 0x10) as usize);
    (PENDING_INPUTS.load(Ordering::Relaxed) | requested) >> number & 1 != 0
}

/// The priority is that of the vector, which is fixed.
pub(super) fn prioritise(_: u32, _: u32) {}

/// The size of an entry in bytes.
const ENTRY: usize = 8;

/// An entry for each vector: each records its number.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_interrupts_entries() -> ! {
    naked_asm!(
        ".balign 8",
        ".set clef_vector, {first}",
        ".rept {vectors}",
        ".byte 0x6a, clef_vector", // push
        "jmp {entry}",
        ".balign 8",
        ".set clef_vector, clef_vector + 1",
        ".endr",
        first = const FIRST_VECTOR,
        vectors = const VECTORS,
        entry = sym clef_interrupts_entry,
    )
}

/// Entered by every interrupt, with the number of its vector on the stack, which the processor has aligned. It saves what functions
/// may change. Debuggers find these registers by the unwind table, and where the code was interrupted above the number.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_interrupts_entry() -> ! {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_signal_frame",
        ".cfi_def_cfa rsp, 48",
        ".cfi_offset rip, -40",
        ".cfi_offset rsp, -16",
        ".macro clef_save register",
        "push \\register",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset \\register, 0",
        ".endm",
        "clef_save rax",
        "clef_save rcx",
        "clef_save rdx",
        "clef_save rbx",
        "clef_save rsi",
        "clef_save rdi",
        "clef_save r8",
        "clef_save r9",
        "clef_save r10",
        "clef_save r11",
        ".purgem clef_save",
        "sub rsp, 512",
        ".cfi_adjust_cfa_offset 512",
        "fxsave64 [rsp]",
        "cld",
        "mov rdi, [rsp + 512 + 80]",
        "call {begin}",
        "mov rbx, rdx",
        "test rax, rax",
        "je 2f",
        "call rax",
        "2: mov rdi, rbx",
        "call {end}",
        "fxrstor64 [rsp]",
        "add rsp, 512",
        "pop r11",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rbx",
        "pop rdx",
        "pop rcx",
        "pop rax",
        "add rsp, 8",
        "iretq",
        ".cfi_endproc",
        begin = sym clef_interrupts_begin,
        end = sym clef_interrupts_end,
    )
}

/// Called by the entry for an interrupt without a handler: reports it as a fault at the place that it interrupted, with the registers
/// that the code there had. The stack of the report has what an exception has there: the number, and the frame of the processor.
#[unsafe(naked)]
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_interrupts_unhandled")]
pub(super) unsafe extern "C" fn clef_interrupts_unhandled() -> ! {
    naked_asm!(
        // What the entry has saved is above the return address and the vector registers.
        "lea rdi, [rsp + 8 + 512]",
        "lea rsp, [rip + {stack} + {size}]",
        ".irp at, 40, 32, 24, 16, 8, 0",
        "push qword ptr [rdi + 80 + \\at]",
        ".endr",
        "mov r11, [rdi]",
        "mov r10, [rdi + 8]",
        "mov r9, [rdi + 16]",
        "mov r8, [rdi + 24]",
        "mov rsi, [rdi + 40]",
        "mov rbx, [rdi + 48]",
        "mov rdx, [rdi + 56]",
        "mov rcx, [rdi + 64]",
        "mov rax, [rdi + 72]",
        "mov rdi, [rdi + 32]",
        "jmp {fault}",
        stack = sym pvh::FAULT_STACK,
        size = const size_of::<pvh::FaultStack>(),
        fault = sym pvh::clef_fault_entry,
    )
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_interrupts_begin")]
extern "C" fn clef_interrupts_begin(vector: usize) -> Begun {
    // The timer's interrupt may have been on its way when the timer was stopped.
    let is_late = vector as u32 == FIRST_VECTOR + TIMER && read(local::FIRST_COUNT) == 0;
    if is_late || vector == SPURIOUS_VECTOR as usize {
        return Begun { handler: 0, token: vector };
    }
    Begun { handler: handler(vector as u32 - FIRST_VECTOR), token: vector }
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.clef_interrupts_end")]
extern "C" fn clef_interrupts_end(vector: usize) {
    if vector != SPURIOUS_VECTOR as usize {
        write(local::END, 0);
    }
}

/// Starts a periodic interrupt of the timer.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_start(counts: u32) {
    write(local::DIVISOR, BY_ONE);
    write(local::TIMER, (FIRST_VECTOR + TIMER) | PERIODIC);
    write(local::FIRST_COUNT, counts);
}

/// Stops the timer's interrupt.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_stop() {
    write(local::TIMER, (FIRST_VECTOR + TIMER) | MASKED);
    write(local::FIRST_COUNT, 0);
}

/// Counts of the timer per second, which are measured at the first request.
#[unsafe(no_mangle)]
extern "C" fn clef_timer_frequency() -> u32 {
    static FREQUENCY: AtomicU32 = AtomicU32::new(0);
    let known = FREQUENCY.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let masked = Masked::begin();
    let (mode, first) = (read(local::TIMER), read(local::FIRST_COUNT));
    write(local::DIVISOR, BY_ONE);
    write(local::TIMER, (FIRST_VECTOR + TIMER) | MASKED);
    write(local::FIRST_COUNT, u32::MAX);
    let frequency = per_second(|| u64::from(u32::MAX - read(local::COUNT)));
    let frequency = u32::try_from(frequency.get()).unwrap_or(u32::MAX);
    write(local::TIMER, mode);
    write(local::FIRST_COUNT, first);
    FREQUENCY.store(frequency, Ordering::Relaxed);
    drop(masked);
    frequency
}

/// The flag that lets interrupts come.
const INTERRUPT_FLAG: u32 = 1 << 9;

/// Masks interrupts; returns the argument for [`clef_restore_interrupts`].
#[unsafe(no_mangle)]
pub(super) extern "C" fn clef_mask_interrupts() -> u32 {
    let state: u64;
    // SAFETY: programs run at level 0. Later accesses are not moved before it, since memory counts as changed.
    unsafe { asm!("pushfq", "pop {}", "cli", out(reg) state) };
    state as u32
}

/// Lets interrupts come again, if they could come when the state was taken.
#[unsafe(no_mangle)]
pub(super) extern "C" fn clef_restore_interrupts(state: u32) {
    if state & INTERRUPT_FLAG != 0 {
        unmask();
    }
}

/// Waits for an interrupt, and lets it come meanwhile.
#[unsafe(no_mangle)]
extern "C" fn clef_wait_for_interrupt() {
    let state = clef_mask_interrupts();
    // SAFETY: no interrupt comes between the first two instructions.
    unsafe { asm!("sti", "hlt", "cli", options(nostack)) };
    clef_restore_interrupts(state);
}
