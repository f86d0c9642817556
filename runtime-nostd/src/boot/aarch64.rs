//! AArch64 without an operating system, entered at EL3, EL2 or EL1 with the MMU off. The program runs at EL1.
//!
//! The mappings are the image, read-only, and RAM, not executable, each at its own address and in blocks of 2 MiB, and
//! the first gigabyte as device memory. The stack is at the bottom of RAM, and nothing is mapped below it, so that an
//! overflow faults. Image and RAM are in one gigabyte other than the first; the linker script asserts it.

use super::run;
use crate::board;
use crate::{interface::fault, interrupt};
use core::arch::{asm, global_asm, naked_asm};
use core::ptr::addr_of_mut;

unsafe extern "C" {
    static __clef_stack_top: u8;
    static __clef_data_load: u8;
    static __clef_data_start: u8;
    static __clef_data_end: u8;
    static __clef_bss_start: u8;
    static __clef_bss_end: u8;
    static __clef_image_start: u8;
    static __clef_image_end: u8;
    static __clef_ram_start: u8;
    static __clef_ram_end: u8;
    static clef_exception_vectors: u8;
}

/// Drops to EL1, enables the FPU, sets the stack, and initialises `.data` and `.bss`.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn _start() -> ! {
    naked_asm!(
        // Only the first processor runs.
        "mrs x0, mpidr_el1",
        "and x0, x0, #0xff",
        "2: cbz x0, 3f",
        "wfe",
        "b 2b",
        "3: msr daifset, #0xf",
        "adr x2, 6f",
        "mov x3, #0x3c5", // EL1 with its own stack pointer, all interrupts masked
        "mov x4, #(1 << 31)", // EL1 is AArch64
        "mrs x0, CurrentEL",
        "cmp x0, #(2 << 2)",
        "b.lo 6f",
        "b.eq 5f",
        "mov x1, #0x5b1", // EL2 is AArch64, non-secure; no secure monitor calls
        "msr scr_el3, x1",
        "msr cptr_el3, xzr",
        "msr hcr_el2, x4",
        "msr spsr_el3, x3",
        "msr elr_el3, x2",
        "eret",
        "5: msr hcr_el2, x4",
        "mov x1, #0x33ff", // the FPU does not trap
        "msr cptr_el2, x1",
        "msr spsr_el2, x3",
        "msr elr_el2, x2",
        "eret",
        "6: mov x1, #(3 << 20)",
        "msr cpacr_el1, x1",
        "adrp x1, {stack_top}",
        "add x1, x1, :lo12:{stack_top}",
        "mov sp, x1",
        "adrp x1, {vectors}",
        "add x1, x1, :lo12:{vectors}",
        "msr vbar_el1, x1",
        "isb",
        // .data and .bss; the linker script aligns all bounds to 16 bytes.
        "adrp x1, {data_load}",
        "add x1, x1, :lo12:{data_load}",
        "adrp x2, {data_start}",
        "add x2, x2, :lo12:{data_start}",
        "adrp x3, {data_end}",
        "add x3, x3, :lo12:{data_end}",
        "7: cmp x2, x3",
        "b.hs 8f",
        "ldp x4, x5, [x1], #16",
        "stp x4, x5, [x2], #16",
        "b 7b",
        "8: adrp x2, {bss_start}",
        "add x2, x2, :lo12:{bss_start}",
        "adrp x3, {bss_end}",
        "add x3, x3, :lo12:{bss_end}",
        "9: cmp x2, x3",
        "b.hs 10f",
        "stp xzr, xzr, [x2], #16",
        "b 9b",
        "10: mov x29, xzr",
        // The return address is in this function, where debuggers end their lists of calls.
        "bl {main}",
        "udf #0",
        stack_top = sym __clef_stack_top,
        vectors = sym clef_exception_vectors,
        data_load = sym __clef_data_load,
        data_start = sym __clef_data_start,
        data_end = sym __clef_data_end,
        bss_start = sym __clef_bss_start,
        bss_end = sym __clef_bss_end,
        main = sym clef_aarch64_main,
    )
}

// Every exception but an interrupt is a fault; its report uses a separate stack. `__clef_interrupt` is the entry of interrupts, or
// the same in programs without handlers.
global_asm!(
    ".pushsection .text.clef_exception_vectors, \"ax\"",
    ".balign 2048",
    ".global clef_exception_vectors",
    ".hidden clef_exception_vectors",
    "clef_exception_vectors:",
    ".rept 5",
    "b clef_fault_entry",
    ".balign 128",
    ".endr",
    "b __clef_interrupt",
    ".balign 128",
    ".rept 10",
    "b clef_fault_entry",
    ".balign 128",
    ".endr",
    ".popsection",
);

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn clef_fault_entry() -> ! {
    naked_asm!(
        // Registers that the program does not use hold what is needed to find the stack.
        "msr tpidr_el1, x0",
        "mov x0, sp",
        "msr tpidr_el0, x0",
        "adrp x0, {stack} + {stack_size}",
        "add x0, x0, :lo12:{stack} + {stack_size}",
        "mov sp, x0",
        "sub sp, sp, #{size}",
        "mrs x0, tpidr_el1",
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
        "stp x20, x21, [sp, #16 * 10]",
        "stp x22, x23, [sp, #16 * 11]",
        "stp x24, x25, [sp, #16 * 12]",
        "stp x26, x27, [sp, #16 * 13]",
        "stp x28, x29, [sp, #16 * 14]",
        "mrs x1, tpidr_el0",
        "stp x30, x1, [sp, #16 * 15]",
        "mov x0, sp",
        "b {report}",
        size = const size_of::<Registers>(),
        stack = sym FAULT_STACK,
        stack_size = const size_of::<FaultStack>(),
        report = sym clef_fault_report,
    )
}

/// The stack of a fault report: the program's own may be corrupt, and shows the calls.
#[repr(align(16))]
struct FaultStack {
    _bytes: [u8; 4096],
}

static mut FAULT_STACK: FaultStack = FaultStack { _bytes: [0; 4096] };

/// The registers that [`clef_fault_entry`] stores: `x0` to `x30`, and the stack pointer.
#[repr(C, align(16))]
struct Registers {
    _general: [usize; 31],
    stack_pointer: usize,
}

/// The exception class of an access that the tables forbid.
const DATA_ABORT: usize = 0x25;

/// Reports `ESR`, `FAR`, `ELR` and `SPSR`, then the registers, with the stack pointer last.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_fault_report(registers: &Registers) -> ! {
    let (syndrome, address, place, state): (usize, usize, usize, usize);
    // SAFETY: the registers can be read at EL1.
    unsafe {
        asm!(
            "mrs {}, esr_el1",
            "mrs {}, far_el1",
            "mrs {}, elr_el1",
            "mrs {}, spsr_el1",
            out(reg) syndrome,
            out(reg) address,
            out(reg) place,
            out(reg) state,
            options(nomem, nostack),
        );
    }
    let is_below_stack = (1..=BLOCK).contains(&board::stack_bottom().wrapping_sub(address));
    fault::begin(syndrome >> 26 & 0x3f == DATA_ABORT && is_below_stack);
    let causes = [syndrome, address, place, state];
    // SAFETY: the structure consists of words only.
    unsafe {
        fault::words(b' ', causes.as_ptr() as usize, size_of_val(&causes));
        fault::words(b';', &raw const *registers as usize, size_of::<Registers>());
    }
    fault::stack(fault::within_stack(registers.stack_pointer))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clef_aarch64_main() -> ! {
    map_memory();
    interrupt::start();
    run()
}

const GIGABYTE: usize = 1 << 30;
const BLOCK: usize = 2 << 20;

#[repr(align(4096))]
struct Table {
    entries: [usize; 512],
}

/// An entry for each gigabyte.
static mut LEVEL_1: Table = Table { entries: [0; 512] };
/// An entry for each block of the gigabyte that contains image and RAM.
static mut LEVEL_2: Table = Table { entries: [0; 512] };

/// Bits of descriptors: Arm DDI 0487, D8.3.
mod descriptor {
    pub(super) const BLOCK: usize = 0b01;
    pub(super) const TABLE: usize = 0b11;
    pub(super) const DEVICE: usize = 1 << 2;
    pub(super) const READ_ONLY: usize = 0b10 << 6;
    pub(super) const INNER_SHAREABLE: usize = 0b11 << 8;
    pub(super) const ACCESSED: usize = 1 << 10;
    pub(super) const EXECUTE_NEVER: usize = 0b11 << 53;
}

/// Attribute 0 is normal write-back memory, attribute 1 is device memory.
const MEMORY_ATTRIBUTES: usize = 0x00_ff;
/// 39-bit addresses by the first table, pages of 4 KiB, cached walks, 40-bit physical addresses; no second table.
const TRANSLATION_CONTROL: usize = 25 | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 23 | 2 << 32;
/// MMU, data cache, instruction cache.
const MMU_AND_CACHES: usize = 1 << 0 | 1 << 2 | 1 << 12;

fn map_memory() {
    use descriptor::{ACCESSED, BLOCK as IS_BLOCK, DEVICE, EXECUTE_NEVER, INNER_SHAREABLE, READ_ONLY, TABLE};
    let image = (&raw const __clef_image_start as usize, &raw const __clef_image_end as usize);
    let ram = (&raw const __clef_ram_start as usize, &raw const __clef_ram_end as usize);
    let normal = IS_BLOCK | ACCESSED | INNER_SHAREABLE;
    // SAFETY: there is one processor, the MMU is off, and nothing else uses the tables.
    unsafe {
        let level_1 = addr_of_mut!(LEVEL_1.entries).cast::<usize>();
        let level_2 = addr_of_mut!(LEVEL_2.entries).cast::<usize>();
        level_1.write(IS_BLOCK | ACCESSED | DEVICE | EXECUTE_NEVER);
        level_1.add(ram.0 / GIGABYTE % 512).write(level_2 as usize | TABLE);
        for ((start, end), attributes) in [(image, normal | READ_ONLY), (ram, normal | EXECUTE_NEVER)] {
            let mut address = start & !(BLOCK - 1);
            while address < end {
                level_2.add(address % GIGABYTE / BLOCK).write(address | attributes);
                address += BLOCK;
            }
        }
        asm!(
            "msr mair_el1, {attributes}",
            "msr tcr_el1, {control}",
            "msr ttbr0_el1, {table}",
            "dsb sy",
            "tlbi vmalle1",
            "ic iallu",
            "dsb sy",
            "isb",
            "mrs {scratch}, sctlr_el1",
            "orr {scratch}, {scratch}, {enable}",
            "msr sctlr_el1, {scratch}",
            "isb",
            attributes = in(reg) MEMORY_ATTRIBUTES,
            control = in(reg) TRANSLATION_CONTROL,
            table = in(reg) level_1,
            enable = in(reg) MMU_AND_CACHES,
            scratch = out(reg) _,
            options(nostack),
        );
    }
}
