//! x86-64 from the PVH entry (Xen, "x86/HVM direct boot ABI"): 32-bit protected mode without paging, to long mode.
//!
//! The mappings are the image, read-only, and RAM, not executable, each at its own address and in pages of 2 MiB. The
//! stack is at the bottom of RAM, and nothing is mapped below it, so that an overflow faults. Exceptions have a
//! separate stack, and never return. Everything is in the first gigabyte; the linker script asserts it.

use super::run;
use crate::board::{self, arguments_kind};
use crate::{interface::fault, interrupt};
use core::arch::{asm, global_asm, naked_asm};
use core::ptr::addr_of_mut;

/// The ELF note by which loaders find the entry.
#[repr(C, packed(4))]
struct Note {
    name_size: u32,
    description_size: u32,
    kind: u32,
    name: [u8; 4],
    entry: unsafe extern "C" fn() -> !,
}

const XEN_ELFNOTE_PHYS32_ENTRY: u32 = 18;

#[used]
#[unsafe(link_section = ".note.pvh")]
static NOTE: Note =
    Note { name_size: 4, description_size: 8, kind: XEN_ELFNOTE_PHYS32_ENTRY, name: *b"Xen\0", entry: _start };

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
}

/// The entries of a page table.
const TABLE: usize = 512;

const CODE_SEGMENT: u64 = 0x00af_9a00_0000_ffff;
const DATA_SEGMENT: u64 = 0x00cf_9200_0000_ffff;
const CODE_SELECTOR: u16 = 0x08;
const DATA_SELECTOR: u16 = 0x10;
const TASK_SELECTOR: u16 = 0x18;

unsafe extern "C" {
    /// Null, code, data, and space for the task state's descriptor of two words; defined with [`_start`].
    static mut clef_segments: [u64; 5];
    /// The level of the page tables with an entry for each gigabyte; defined with [`_start`].
    static mut clef_level_3: [u64; TABLE];
    /// The last level of the page tables; defined with [`_start`].
    static mut clef_level_2: [u64; TABLE];
    /// The entries of the exceptions, each of [`ENTRY`] bytes.
    static clef_exception_entries: u8;
}

/// The flags of a read-only page of 2 MiB: present, not executable.
const READABLE: u64 = 1 << 63 | 0x81;

/// Makes the page of an address in the first gigabyte readable, if nothing is mapped there.
pub(crate) fn map(address: usize) {
    const PAGE: usize = 21;
    let index = (address >> PAGE) & (TABLE - 1);
    // SAFETY: the table has an entry for each page of the first gigabyte; a page that becomes present needs no flush.
    unsafe {
        let entry = addr_of_mut!(clef_level_2).cast::<u64>().add(index);
        if entry.read() == 0 {
            entry.write(((index << PAGE) as u64) | READABLE);
        }
    }
}

/// In 32-bit mode: memory, page tables, long mode, stack.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn _start() -> ! {
    naked_asm!(
        ".code32",
        "cli",
        "cld",
        // .bss, which also clears the page tables, and .data.
        "mov edi, offset {bss_start}",
        "mov ecx, offset {bss_end}",
        "sub ecx, edi",
        "xor eax, eax",
        "rep stosb",
        "mov esi, offset {data_load}",
        "mov edi, offset {data_start}",
        "mov ecx, offset {data_end}",
        "sub ecx, edi",
        "rep movsb",
        // What the loader passes in ebx.
        "mov edi, ebx",
        // Tables: present, writable. Pages: present, 2 MiB; RAM also writable and not executable.
        "mov eax, offset clef_level_3 + 0x3",
        "mov dword ptr [clef_level_4], eax",
        "mov eax, offset clef_level_2 + 0x3",
        "mov dword ptr [clef_level_3], eax",
        "mov eax, offset {image_start}",
        "and eax, 0xffe00000",
        "mov edx, offset {image_end}",
        "2: cmp eax, edx",
        "jae 3f",
        "mov ecx, eax",
        "shr ecx, 18",
        "lea ebx, [eax + 0x81]",
        "mov dword ptr [ecx + clef_level_2], ebx",
        "add eax, 0x200000",
        "jmp 2b",
        "3: mov eax, offset {ram_start}",
        "mov edx, offset {ram_end}",
        "4: cmp eax, edx",
        "jae 5f",
        "mov ecx, eax",
        "shr ecx, 18",
        "lea ebx, [eax + 0x83]",
        "mov dword ptr [ecx + clef_level_2], ebx",
        "mov dword ptr [ecx + clef_level_2 + 4], 0x80000000",
        "add eax, 0x200000",
        "jmp 4b",
        // CR4: PAE, OSFXSR, OSXMMEXCPT. EFER: LME, NXE. CR0: PG, WP, MP, no EM.
        "5: mov eax, cr4",
        "or eax, 0x620",
        "mov cr4, eax",
        "mov eax, offset clef_level_4",
        "mov cr3, eax",
        "mov ecx, 0xc0000080",
        "rdmsr",
        "or eax, 0x900",
        "wrmsr",
        "mov eax, cr0",
        "and eax, 0xfffffffb",
        "or eax, 0x80010002",
        "mov cr0, eax",
        "lgdt [clef_segments_pointer]",
        "mov esp, offset {stack_top}",
        "push {code_selector}",
        "mov eax, offset .Lclef_long_mode",
        "push eax",
        "retf",
        ".code64",
        ".Lclef_long_mode: mov ax, {data_selector}",
        "mov ds, ax",
        "mov es, ax",
        "mov ss, ax",
        "mov rsp, offset {stack_top}",
        "xor ebp, ebp",
        "mov edi, edi",
        // The return address is in this function, where debuggers end their lists of calls.
        "call {main}",
        "ud2",
        // The levels of the page tables, the last with an entry for each 2 MiB of the first gigabyte.
        ".pushsection .bss.clef_page_tables, \"aw\", @nobits",
        ".balign 4096",
        "clef_level_4: .skip 4096",
        ".global clef_level_3",
        ".hidden clef_level_3",
        "clef_level_3: .skip 4096",
        ".global clef_level_2",
        ".hidden clef_level_2",
        "clef_level_2: .skip 4096",
        ".popsection",
        ".pushsection .data.clef_segments, \"aw\", @progbits",
        ".balign 8",
        ".global clef_segments",
        ".hidden clef_segments",
        "clef_segments: .quad 0, {code_segment}, {data_segment}, 0, 0",
        "clef_segments_pointer: .word 39",
        ".quad clef_segments",
        ".popsection",
        code_selector = const CODE_SELECTOR,
        data_selector = const DATA_SELECTOR,
        code_segment = const CODE_SEGMENT,
        data_segment = const DATA_SEGMENT,
        bss_start = sym __clef_bss_start,
        bss_end = sym __clef_bss_end,
        data_load = sym __clef_data_load,
        data_start = sym __clef_data_start,
        data_end = sym __clef_data_end,
        image_start = sym __clef_image_start,
        image_end = sym __clef_image_end,
        ram_start = sym __clef_ram_start,
        ram_end = sym __clef_ram_end,
        stack_top = sym __clef_stack_top,
        main = sym clef_pvh_main,
    )
}

/// The last level of the page tables for the last gigabyte below 4 GiB, where devices are.
#[repr(align(4096))]
struct Devices {
    _entries: [u64; TABLE],
}

static mut DEVICES: Devices = Devices { _entries: [0; TABLE] };

/// Maps a page of 2 MiB of devices in the last gigabyte below 4 GiB.
pub(crate) fn map_device(address: usize) {
    const GIGABYTE: usize = 3;
    const PAGE: usize = 21;
    /// Not executable, 2 MiB, not cached, writable, present.
    const DEVICE: u64 = 1 << 63 | 0x80 | 0x18 | 0x3;
    let index = (address >> PAGE) & (TABLE - 1);
    // SAFETY: the tables have these entries; a page that becomes present needs no flush.
    unsafe {
        addr_of_mut!(DEVICES).cast::<u64>().add(index).write((address & !((1 << PAGE) - 1)) as u64 | DEVICE);
        addr_of_mut!(clef_level_3).cast::<u64>().add(GIGABYTE).write(addr_of_mut!(DEVICES) as u64 | 0x3);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clef_pvh_main(start_information: usize) -> ! {
    if board::arguments() == arguments_kind::START_INFORMATION {
        crate::arguments::start_information::start(start_information);
    }
    handle_exceptions();
    interrupt::start();
    run()
}

/// The 64-bit task state segment, of which only the stacks for exceptions are used.
#[repr(C, packed(4))]
struct TaskState {
    reserved: [u32; 9],
    exception_stacks: [u64; 7],
    rest: [u32; 3],
}

static mut TASK_STATE: TaskState = TaskState { reserved: [0; 9], exception_stacks: [0; 7], rest: [0; 3] };

/// A gate of the interrupt descriptor table.
#[repr(C)]
#[derive(Clone, Copy)]
struct Gate {
    offset_low: u16,
    selector: u16,
    /// The number of the exception stack in the low byte; type and presence in the high byte.
    attributes: u16,
    offset_middle: u16,
    offset_high: u32,
    reserved: u32,
}

const EXCEPTIONS: usize = 32;
/// Exceptions and interrupts.
const VECTORS: usize = 64;
const FIRST_EXCEPTION_STACK: u16 = 1;
const PRESENT_INTERRUPT_GATE: u16 = 0x8e00;
const AVAILABLE_TASK_STATE: u64 = 0x89;

static mut GATES: [Gate; VECTORS] =
    [Gate { offset_low: 0, selector: 0, attributes: 0, offset_middle: 0, offset_high: 0, reserved: 0 }; VECTORS];

impl Gate {
    fn new(entry: usize, attributes: u16) -> Gate {
        Gate {
            offset_low: entry as u16,
            selector: CODE_SELECTOR,
            attributes,
            offset_middle: (entry >> 16) as u16,
            offset_high: (entry >> 32) as u32,
            reserved: 0,
        }
    }

    /// Makes it the gate of an exception or interrupt.
    ///
    /// # Safety
    /// The number is below [`VECTORS`], and nothing else uses the table.
    unsafe fn install(self, number: usize) {
        // SAFETY: as the caller promises.
        unsafe { addr_of_mut!(GATES).cast::<Gate>().add(number).write(self) };
    }
}

/// Sets the entry of an interrupt, which uses the stack of the program.
pub(crate) fn set_gate(number: usize, entry: usize) {
    // SAFETY: the caller's numbers have gates, and interrupts are off.
    unsafe { Gate::new(entry, PRESENT_INTERRUPT_GATE).install(number) };
}

/// What `lidt` reads.
#[repr(C, packed)]
struct TablePointer {
    limit: u16,
    address: usize,
}

/// The stack of a fault report: the program's own may be corrupt, and shows the calls.
#[repr(align(16))]
pub(crate) struct FaultStack {
    _bytes: [u8; 4096],
}

pub(crate) static mut FAULT_STACK: FaultStack = FaultStack { _bytes: [0; 4096] };

fn fault_stack_end() -> usize {
    addr_of_mut!(FAULT_STACK) as usize + size_of::<FaultStack>()
}

/// The size of an exception entry in bytes.
const ENTRY: usize = 8;

// Each entry records the number of its exception.
global_asm!(
    ".pushsection .text.clef_exception_entries, \"ax\"",
    ".balign 8",
    ".global clef_exception_entries",
    ".hidden clef_exception_entries",
    "clef_exception_entries:",
    ".set clef_exception, 0",
    ".rept 32",
    ".byte 0x6a, clef_exception", // push
    "jmp clef_fault_entry",
    ".balign 8",
    ".set clef_exception, clef_exception + 1",
    ".endr",
    ".popsection",
);

/// Makes every exception report a fault on an intact stack.
fn handle_exceptions() {
    let task_state = addr_of_mut!(TASK_STATE) as u64;
    let limit = size_of::<TaskState>() as u64 - 1;
    let descriptor_low =
        limit | (task_state & 0xff_ffff) << 16 | AVAILABLE_TASK_STATE << 40 | (task_state >> 24 & 0xff) << 56;
    let pointer =
        TablePointer { limit: (size_of::<Gate>() * VECTORS - 1) as u16, address: addr_of_mut!(GATES) as usize };
    // SAFETY: there is one processor, interrupts are off, and nothing else uses the tables.
    unsafe {
        addr_of_mut!(TASK_STATE.exception_stacks).write_unaligned([fault_stack_end() as u64, 0, 0, 0, 0, 0, 0]);
        addr_of_mut!(clef_segments[3]).write(descriptor_low);
        addr_of_mut!(clef_segments[4]).write(task_state >> 32);
        for number in 0..EXCEPTIONS {
            let entry = &raw const clef_exception_entries as usize + number * ENTRY;
            Gate::new(entry, PRESENT_INTERRUPT_GATE | FIRST_EXCEPTION_STACK).install(number);
        }
        asm!("ltr {0:x}", in(reg) TASK_SELECTOR, options(nostack));
        asm!("lidt [{}]", in(reg) &raw const pointer, options(nostack));
    }
}

/// Entered by every exception, on the exception stack, with the number of the exception on it.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn clef_fault_entry() -> ! {
    naked_asm!(
        "push r15",
        "push r14",
        "push r13",
        "push r12",
        "push r11",
        "push r10",
        "push r9",
        "push r8",
        "push rbp",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push rbx",
        "push rax",
        "mov rdi, cr2",
        "mov rsi, rsp",
        "and rsp, -16",
        "call {report}",
        report = sym clef_fault_report,
    )
}

/// The size of the unmapped area below the stack.
const GUARD: usize = 2 << 20;

/// The bytes of a frame after the error code, to the end of the stack: `rip`, `cs`, the flags, `rsp`, `ss`.
const FRAME: usize = 5 * size_of::<usize>();

/// Reports the address of the last page fault, zero if there has been none; `rax`, `rbx`, `rcx`,
/// `rdx`, `rsi`, `rdi`, `rbp`, `r8` to `r15`, the number of the exception, its error code if it has one, `rip`, `cs`, the flags, `rsp`
/// and `ss`. They fill the stack to its end.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_fault_report(address: usize, registers: usize) -> ! {
    // SAFETY: the frame has just been pushed.
    let stack_pointer = unsafe { ((fault_stack_end() - FRAME) as *const usize).add(3).read() };
    fault::begin((1..=GUARD).contains(&board::stack_bottom().wrapping_sub(address)));
    // SAFETY: as above.
    unsafe {
        fault::words(b' ', &raw const address as usize, size_of_val(&address));
        fault::words(b';', registers, fault_stack_end() - registers);
    }
    fault::stack(fault::within_stack(stack_pointer))
}
