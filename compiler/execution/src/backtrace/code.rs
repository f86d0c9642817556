//! The code of an image: its functions by address, and which words are return addresses.

use super::machine::Machine;
use clef_image::bound::readable;
use goblin::elf::{Elf, program_header::PF_X, program_header::PT_LOAD, sym::STT_FUNC};

/// The code of an image.
pub(super) struct Code {
    /// By address.
    functions: Vec<Function>,
    /// The addresses of code, and its bytes.
    code: Vec<(u64, Vec<u8>)>,
    pub(super) machine: Machine,
}

/// A function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Function {
    start: u64,
    /// Exclusive.
    end: u64,
    /// The name in the source.
    pub(super) name: String,
    /// Whether it is a part of the runtime or a builtin routine.
    pub(super) is_of_runtime: bool,
    /// Whether the program begins with it.
    pub(super) is_first: bool,
    /// Whether it only starts the program, before that.
    pub(super) is_boot: bool,
    /// Whether interrupts enter it: its caller is what they interrupted.
    pub(super) is_entry: bool,
    /// Whether the compiler has added it.
    pub(super) is_added: bool,
}

/// The function that initialises the values of the program and calls its entry point, and the name it has in debug
/// information.
const MAIN: (&str, &str) = ("clef_main", "start");

/// The prefixes of the symbols of functions that the compiler adds: trampolines and entries of interrupts.
const ADDED: [&str; 2] = ["_clef.", "clef_interrupt_"];

/// The functions that start a program.
const BOOT: [&str; 4] = [clef_runtime::START, "clef_linux_main", "clef_aarch64_main", "clef_pvh_main"];

/// The last of them.
const BOOT_RUN: &str = "boot::run";

impl Code {
    /// The code of an image; nothing if its processor is unknown.
    pub(super) fn of(elf: &Elf<'_>, bytes: &[u8]) -> Option<Code> {
        let machine = Machine::of(elf.header.e_machine)?;
        let symbols = elf.syms.iter().filter(|symbol| symbol.st_type() == STT_FUNC && symbol.st_size > 0);
        let mut functions: Vec<Function> = symbols
            .map(|symbol| {
                let start = machine.address(symbol.st_value);
                let symbol_name = elf.strtab.get_at(symbol.st_name).unwrap_or_default();
                let is_first = symbol_name == MAIN.0;
                let name = if is_first { MAIN.1.to_owned() } else { readable(symbol_name) };
                let is_of_runtime = clef_runtime::is_builtin(symbol_name) || clef_runtime::is_of_runtime(symbol_name);
                Function {
                    start,
                    end: start.saturating_add(symbol.st_size),
                    is_of_runtime: is_of_runtime && !is_first,
                    is_first,
                    is_added: ADDED.iter().any(|prefix| symbol_name.starts_with(prefix)),
                    is_boot: starts_program(&name),
                    is_entry: symbol_name == clef_runtime::INTERRUPT_ENTRY,
                    name,
                }
            })
            .collect();
        functions.sort();
        Some(Code { functions, code: code(elf, bytes), machine })
    }

    /// Functions for Cortex-M from an address on.
    #[cfg(test)]
    pub(super) fn for_tests(start: u64, functions: &[(&str, &[u8])]) -> Code {
        let (mut all, mut bytes) = (Vec::new(), Vec::new());
        for (name, code) in functions {
            let start = start + bytes.len() as u64;
            bytes.extend_from_slice(code);
            let (end, name) = (start + code.len() as u64, (*name).to_owned());
            let function = Function {
                start,
                end,
                name,
                is_of_runtime: false,
                is_first: false,
                is_boot: false,
                is_entry: false,
                is_added: false,
            };
            all.push(function);
        }
        Code { functions: all, code: vec![(start, bytes)], machine: Machine::Arm }
    }

    /// The function that contains an address.
    pub(super) fn function(&self, address: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|function| function.start <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        (address < function.end).then_some(function)
    }

    /// Whether a word is a return address: whether a call precedes it.
    pub(super) fn is_return_address(&self, word: u64) -> bool {
        let is_code = match self.machine {
            Machine::Arm => word & 1 == 1,
            Machine::Aarch64 | Machine::X86_64 => true,
        };
        is_code && self.follows_call(self.machine.address(word))
    }

    /// The bytes of the stack that the instructions from the start of a function to an address have taken, where the
    /// unwind tables do not say it: on AArch64 they describe frames that are complete.
    pub(super) fn taken(&self, address: u64) -> u64 {
        if self.machine != Machine::Aarch64 {
            return 0;
        }
        let Some(function) = self.function(address) else { return 0 };
        let code = self.bytes(function.start, address - function.start).unwrap_or_default();
        let words = code.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        words.filter_map(lowering).sum()
    }

    /// Code at an address.
    fn bytes(&self, start: u64, count: u64) -> Option<&[u8]> {
        self.code.iter().find_map(|(origin, bytes)| {
            let at = usize::try_from(start.checked_sub(*origin)?).ok()?;
            bytes.get(at..at.checked_add(usize::try_from(count).ok()?)?)
        })
    }

    fn follows_call(&self, address: u64) -> bool {
        let before = |count: u64| self.bytes(address.checked_sub(count)?, count);
        match self.machine {
            Machine::Arm => {
                let half = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
                let is_bl =
                    before(4).is_some_and(|bytes| half(bytes) >> 11 == 0x1e && half(&bytes[2..]) & 0xd000 == 0xd000);
                is_bl || before(2).is_some_and(|bytes| half(bytes) & 0xff87 == 0x4780)
            }
            Machine::Aarch64 => before(4).is_some_and(|bytes| {
                let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                word >> 26 == 0x25 || word & 0xffff_fc1f == 0xd63f_0000
            }),
            Machine::X86_64 => {
                let is_near = before(5).is_some_and(|bytes| bytes[0] == 0xe8);
                // `call` of a register or of memory: the second byte has 2 in its middle digit.
                let is_indirect =
                    (2..=7).any(|count| before(count).is_some_and(|bytes| bytes[0] == 0xff && bytes[1] >> 3 & 7 == 2));
                is_near || is_indirect
            }
        }
    }
}

/// Whether a function of this name in debug information starts the program, or is what the program begins with.
pub(super) fn is_before_program(name: &str) -> bool {
    name == MAIN.0 || starts_program(name)
}

fn starts_program(name: &str) -> bool {
    BOOT.contains(&name) || name == BOOT_RUN
}

/// By how much an instruction of AArch64 at the start of a function lowers the stack pointer.
fn lowering(instruction: u32) -> Option<u64> {
    const STACK_POINTER: u32 = 31;
    let signed = |shift: u32, bits: u32| i64::from((instruction >> shift << (32 - bits)) as i32 >> (32 - bits));
    // `sub sp, sp, #immediate`, where the immediate may be shifted by 12 bits.
    if instruction & 0xff80_03ff == 0xd100_03ff {
        let immediate = u64::from(instruction >> 10 & 0xfff);
        return Some(if instruction >> 22 & 1 == 1 { immediate << 12 } else { immediate });
    }
    let offset = match instruction {
        _ if instruction >> 5 & 0x1f != STACK_POINTER => return None,
        // `stp x, x, [sp, #offset]!`, or of floating-point registers.
        _ if matches!(instruction & 0xffc0_0000, 0xa980_0000 | 0x6d80_0000) => 8 * signed(15, 7),
        // `str x, [sp, #offset]!`, or of a floating-point register.
        _ if matches!(instruction & 0xffe0_0c00, 0xf800_0c00 | 0xfc00_0c00) => signed(12, 9),
        _ => return None,
    };
    u64::try_from(-offset).ok()
}

fn code(elf: &Elf<'_>, bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let segments = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_flags & PF_X != 0);
    let content = |header: &goblin::elf::ProgramHeader| bytes.get(header.file_range()).map(<[u8]>::to_vec);
    segments.filter_map(|header| Some((header.p_vaddr, content(header)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(machine: Machine, bytes: &[u8]) -> Code {
        let end = 0x100 + bytes.len() as u64;
        let name = "f".to_owned();
        let function = Function {
            start: 0x100,
            end,
            name,
            is_of_runtime: false,
            is_first: false,
            is_boot: false,
            is_entry: false,
            is_added: false,
        };
        Code { functions: vec![function], code: vec![(0x100, bytes.to_vec())], machine }
    }

    #[test]
    fn a_return_address_follows_a_call() {
        for (machine, bytes, word) in [
            // bl; blx r3; mov between them.
            (Machine::Arm, [0x00, 0xf0, 0x10, 0xf8].as_slice(), 0x105),
            (Machine::Arm, &[0x00, 0x46, 0x98, 0x47], 0x105),
            (Machine::Aarch64, &[0x04, 0x00, 0x00, 0x94], 0x104),
            (Machine::Aarch64, &[0x00, 0x01, 0x3f, 0xd6], 0x104),
            // call; call *%rax; call *0x8(%rax).
            (Machine::X86_64, &[0xe8, 0x10, 0x00, 0x00, 0x00], 0x105),
            (Machine::X86_64, &[0xff, 0xd0], 0x102),
            (Machine::X86_64, &[0xff, 0x50, 0x08], 0x103),
        ] {
            assert!(code(machine, bytes).is_return_address(word), "{machine:?} {bytes:x?}");
        }
        for (machine, bytes, word) in [
            (Machine::Arm, [0x00, 0xf0, 0x10, 0xf8].as_slice(), 0x103),
            (Machine::Arm, &[0x00, 0xf0, 0x10, 0xf8], 0x104),
            (Machine::Arm, &[0x00, 0x46, 0x18, 0x47], 0x105),
            (Machine::Aarch64, &[0x04, 0x00, 0x00, 0x14], 0x104),
            (Machine::X86_64, &[0xe9, 0x10, 0x00, 0x00, 0x00], 0x105),
            (Machine::X86_64, &[0x90, 0x90], 0x100),
        ] {
            assert!(!code(machine, bytes).is_return_address(word), "{machine:?} {bytes:x?}");
        }
    }

    #[test]
    fn the_start_of_a_function_lowers_the_stack_pointer() {
        for (instruction, bytes) in [
            // sub sp, sp, #32; sub sp, sp, #1, lsl #12; stp x29, x30, [sp, #-96]!; str x30, [sp, #-16]!; str d8, [sp, #-32]!.
            (0xd100_83ff, Some(32)),
            (0xd140_07ff, Some(4096)),
            (0xa9ba_7bfd, Some(96)),
            (0xf81f_0ffe, Some(16)),
            (0xfc1e_0fe8, Some(32)),
            // str x30, [sp, #16]; sub x0, sp, #32; add sp, sp, #32.
            (0xf900_0bfe, None),
            (0xd100_83e0, None),
            (0x9100_83ff, None),
        ] {
            assert_eq!(lowering(instruction), bytes, "{instruction:x}");
        }
    }

    #[test]
    fn an_address_lies_in_a_function() {
        let code = code(Machine::X86_64, &[0x90; 16]);
        assert_eq!(code.function(0x10f).map(|function| function.name.as_str()), Some("f"));
        assert_eq!((code.function(0xff), code.function(0x110)), (None, None));
    }
}
