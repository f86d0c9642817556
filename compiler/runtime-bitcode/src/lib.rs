//! The runtime (`runtime-nostd`) as the compiler links it: LLVM bitcode and builtin routines for each runtime that
//! target descriptors may name, and the constants that describe the board to the runtime.

mod constants;

pub use constants::{
    ArgumentsKind, COMMAND_LINE, ConsoleKind, Constant, Content, ExitKind, InterruptFacts, LogKind, PlatformFacts,
    RttBuffers, TimerFacts, TimerKind, constants,
};

use std::sync::OnceLock;

/// A runtime for one kind of machine.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// LLVM bitcode, to be linked with the program's module before optimisation.
    pub bitcode: &'static [u8],
    /// An archive of the routines that LLVM calls for operations a core lacks.
    pub builtins: &'static [u8],
    /// An archive with small, slow versions of the memory routines of `builtins`.
    pub memory_routines: &'static [u8],
}

/// A runtime as the compiler holds it: with the fields of [`Runtime`], compressed (RFC 1951), and decompressed once it is used.
struct Deflated {
    bitcode: &'static [u8],
    builtins: &'static [u8],
    memory_routines: &'static [u8],
    whole: OnceLock<Option<[Vec<u8>; 3]>>,
}

impl Deflated {
    /// `None` if the data is damaged.
    fn inflate(&self) -> Option<[Vec<u8>; 3]> {
        let inflate = |data: &[u8]| miniz_oxide::inflate::decompress_to_vec(data).ok();
        Some([inflate(self.bitcode)?, inflate(self.builtins)?, inflate(self.memory_routines)?])
    }
}

include!(concat!(env!("OUT_DIR"), "/runtimes.rs"));

/// The symbols that must stay global when the program and the runtime are internalised. All others may become local.
pub const ROOTS: &[&str] = &[START, FAULT_ENTRY, FAULT_STOP, FAULT_SKIP];

/// The first function of an image.
pub const START: &str = "_start";

/// The function that calls the constructors of linked objects.
pub const RUN_CONSTRUCTORS: &str = "clef_run_constructors";

/// The function that the processor calls on a fault, in images that report traps.
pub const FAULT_ENTRY: &str = "clef_fault_entry";

/// The bytes of the stack that it uses, at most.
pub const FAULT_FRAME: u64 = 40;

/// The function at which the processor stops on a fault, in images whose traps a debugger reports.
pub const FAULT_STOP: &str = "clef_fault_stop";

/// The function that the processor calls on a fault in such images if they also run without a debugger that they call.
pub const FAULT_SKIP: &str = "clef_fault_skip";

/// The function that the processor calls on an interrupt, on boards whose interrupt controller is not the processor's own.
pub const INTERRUPT_ENTRY: &str = "clef_interrupts_entry";

/// The functions of the runtime that it calls, before and after the handler.
pub const INTERRUPT_STEPS: [&str; 2] = ["clef_interrupts_begin", "clef_interrupts_end"];

/// The bytes of the stack that the processor and this function use, at most.
pub const INTERRUPT_FRAME: u64 = 704;

/// The function that stores the registers of a program that trapped, in images that report traps.
pub const TRAP_STACK: &str = "clef_trap_stack";

/// The bytes of the stack that it uses, at most.
pub const TRAP_FRAME: u64 = 96;

/// The function that calls functions of the boot ROM of an RP2040 or RP2350 while flash is not readable.
pub const FLASH_LEAVE: &str = "clef_flash_leave";

/// The bytes of the stack that it and these functions use, at most. On RISC-V cores the boot ROM of the RP2350 calls the same functions
/// with a stack in 276 bytes of its own RAM.
pub const FLASH_FRAME: u64 = 40 + 276;

/// The control block that debuggers search for; it stays global in programs for boards with Real-Time Transfer.
pub const RTT_CONTROL_BLOCK: &str = "_SEGGER_RTT";

/// The functions that assembly functions call or jump to; each platform has only some of them.
pub const ASSEMBLY_CALLS: &[(&str, &str)] = &[
    (START, "clef_aarch64_main"),
    (START, "clef_linux_main"),
    (START, "clef_pvh_main"),
    (FAULT_ENTRY, "clef_fault_report"),
    (TRAP_STACK, "clef_trap_report"),
    (FAULT_SKIP, FAULT_STOP),
];

/// Whether a symbol names a routine that compiled code calls, on any target. If a program exported it, calls of the
/// routine would reach the program's function.
pub fn is_routine(symbol: &str) -> bool {
    ROUTINES.binary_search(&symbol).is_ok()
}

/// Whether a symbol of an image is that of a builtin routine.
pub fn is_builtin(symbol: &str) -> bool {
    symbol.contains("compiler_builtins") || starts(symbol, &["__", "mem", "bcmp"])
}

/// Whether a symbol of an image that is not of a builtin routine is of the runtime: by its interface or by the Rust
/// crates that it is compiled from.
pub fn is_of_runtime(symbol: &str) -> bool {
    symbol.contains("clef_runtime")
        || starts(symbol, &["clef_", START, RTT_CONTROL_BLOCK, ".Lalloc_", "_ZN4core", "_RNv"])
}

fn starts(symbol: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| symbol.starts_with(prefix))
}

/// The runtime with this name.
pub fn find(name: &str) -> Option<Runtime> {
    let (_, deflated) = RUNTIMES.iter().find(|(known, _)| *known == name)?;
    let [bitcode, builtins, memory_routines] = deflated.whole.get_or_init(|| deflated.inflate()).as_ref()?;
    Some(Runtime { bitcode, builtins, memory_routines })
}

/// The names of all runtimes.
pub fn names() -> impl Iterator<Item = &'static str> {
    RUNTIMES.iter().map(|(name, _)| *name)
}

/// The size in words of the handle of a region in the frame that begins it, in a program whose regions nest or not.
pub const fn region_words(regions_nest: bool) -> u32 {
    if regions_nest { 1 } else { 8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_is_bitcode_and_an_archive() {
        assert!(names().count() >= 10);
        for name in names() {
            let runtime = find(name).expect("a listed name must exist");
            assert!(runtime.bitcode.starts_with(b"BC\xc0\xde"), "{name} is not bitcode");
            assert!(runtime.builtins.starts_with(b"!<arch>\n"), "{name} has no archive");
        }
    }

    #[test]
    fn routines_are_those_of_every_target() {
        assert!(ROUTINES.is_sorted());
        for symbol in
            ["memcpy", "memset", "__aeabi_idiv", "__aeabi_memcpy4", "__udivti3", "__aarch64_cas4_relax", "floor"]
        {
            assert!(is_routine(symbol), "{symbol}");
        }
        for symbol in ["", "main", "twice", "clef_main"] {
            assert!(!is_routine(symbol), "{symbol}");
        }
    }

    #[test]
    fn an_unknown_name_is_not_found() {
        assert!(find("z80-unknown-none").is_none());
    }
}
