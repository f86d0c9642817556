//! The effect of an instruction on the stack and on the call graph.
//!
//! In: an instruction as LLVM prints it. Out: a [`Step`]. An instruction that is not known to preserve the stack
//! pointer or to move it by a known amount is [`Step::Unknown`], so that nothing is underestimated.

use clef_descriptors::LinkerEmulation;
use clef_mlir::llvm::Instruction;

/// The effect of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Nothing of interest.
    Other,
    /// Calls an address.
    Call(u64),
    /// Jumps to an address.
    Jump(u64),
    /// Calls the address in a register or in memory.
    CallUnknown,
    /// Jumps to the address in a register or in memory: to another function, or within this one by a table.
    JumpUnknown,
    /// Jumps within the function by a table.
    JumpTable,
    /// Moves the stack pointer down.
    Push(u64),
    /// Sets the stack pointer to an unknown value.
    Unknown,
}

/// The step of an instruction.
pub(super) fn step(family: LinkerEmulation, instruction: &Instruction) -> Step {
    let text = instruction.text.split(['/', '#']).next().unwrap_or_default();
    let text = match family {
        LinkerEmulation::ElfX86_64 => text,
        LinkerEmulation::Armelf | LinkerEmulation::Aarch64elf => &instruction.text,
    };
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let operands = operands.trim();
    match family {
        LinkerEmulation::Armelf => thumb(mnemonic, operands, instruction),
        LinkerEmulation::Aarch64elf => aarch64(mnemonic, operands, instruction),
        LinkerEmulation::ElfX86_64 => x86(mnemonic, operands, instruction),
    }
}

/// The number after a sign such as `#`.
fn number(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches(['!', ']']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

/// The target of a branch whose last operand is relative to an address.
fn target(operands: &str, sign: &str, base: u64) -> Option<u64> {
    let last = operands.rsplit(", ").next()?;
    base.checked_add_signed(number(last.strip_prefix(sign)?)?)
}

/// The total size of the registers in braces: `{r4, r5, lr}`.
fn listed(operands: &str, bytes: u64) -> Option<u64> {
    let (_, list) = operands.split_once('{')?;
    let (list, _) = list.split_once('}')?;
    if list.contains('-') {
        return None;
    }
    Some(list.split(',').count() as u64 * bytes)
}

/// A decrement of the stack pointer before a store: `[sp, #-16]!`.
fn stored_below(operands: &str) -> Option<Step> {
    let (_, place) = operands.split_once("[sp")?;
    if !place.ends_with('!') {
        return match place.split_once(']') {
            // An operand after the bracket moves the pointer after the access.
            Some((_, "")) => Some(Step::Other),
            Some((_, behind)) => Some(match number(behind.trim_start_matches([',', ' ', '#'])) {
                Some(offset) => moved(offset),
                None => Step::Unknown,
            }),
            None => Some(Step::Unknown),
        };
    }
    Some(match number(place.trim_start_matches([',', ' ', '#'])) {
        Some(offset) => moved(offset),
        None => Step::Unknown,
    })
}

/// The stack pointer moves by an amount; a negative one moves it down.
fn moved(by: i64) -> Step {
    if by < 0 { Step::Push(by.unsigned_abs()) } else { Step::Other }
}

fn thumb(mnemonic: &str, operands: &str, instruction: &Instruction) -> Step {
    let base = instruction.address + 4;
    let known = |found: Option<u64>, step: fn(u64) -> Step| found.map_or(Step::Unknown, step);
    // A suffix is the width of the encoding; conditional instructions have a condition.
    let plain = mnemonic.split('.').next().unwrap_or(mnemonic);
    match plain {
        "bl" => known(target(operands, "#", base), Step::Call),
        _ if plain.starts_with("blx") => Step::CallUnknown,
        _ if plain.starts_with("bx") => {
            if operands == "lr" {
                Step::Other
            } else {
                Step::JumpUnknown
            }
        }
        "tbb" | "tbh" => Step::JumpTable,
        "cbz" | "cbnz" => known(target(operands, "#", base), Step::Jump),
        _ if plain == "b" || (plain.len() == 3 && plain.starts_with('b') && operands.starts_with('#')) => {
            known(target(operands, "#", base), Step::Jump)
        }
        _ if plain.starts_with("push") => listed(operands, 4).map_or(Step::Unknown, Step::Push),
        _ if plain.starts_with("vpush") => {
            let bytes = if operands.contains("{d") { 8 } else { 4 };
            listed(operands, bytes).map_or(Step::Unknown, Step::Push)
        }
        _ if plain.starts_with("pop") || plain.starts_with("vpop") => Step::Other,
        _ if plain.starts_with("ldm") || plain.starts_with("stm") || plain.starts_with("vldm") => {
            if operands.starts_with("sp!") { Step::Unknown } else { Step::Other }
        }
        _ if plain.starts_with("vstmdb") || plain.starts_with("stmdb") => {
            if operands.starts_with("sp!") {
                Step::Unknown
            } else {
                Step::Other
            }
        }
        _ if plain.starts_with("mov") && operands.starts_with("pc,") => Step::JumpUnknown,
        _ if plain.starts_with("ldr") && operands.starts_with("pc,") => Step::JumpUnknown,
        _ if operands.contains("[sp") && (operands.contains('!') || operands.contains("],")) => {
            stored_below(operands).unwrap_or(Step::Unknown)
        }
        // Restores the stack pointer from a frame pointer.
        _ if plain.starts_with("mov") && matches!(operands, "sp, r7" | "sp, r11") => Step::Other,
        _ if plain.starts_with("sub") && operands.starts_with("sp, r7, #") => Step::Other,
        _ if plain.starts_with("add") && (operands.starts_with("sp, #") || operands.starts_with("sp, sp, #")) => {
            Step::Other
        }
        _ if plain.starts_with("sub") && (operands.starts_with("sp, #") || operands.starts_with("sp, sp, #")) => {
            let amount = operands.rsplit('#').next().and_then(number);
            amount.map_or(Step::Unknown, |amount| moved(-amount))
        }
        _ if operands == "sp" || operands.starts_with("sp,") => match plain {
            _ if plain.starts_with("cmp") || plain.starts_with("tst") || plain.starts_with("str") => Step::Other,
            _ => Step::Unknown,
        },
        _ => Step::Other,
    }
}

fn aarch64(mnemonic: &str, operands: &str, instruction: &Instruction) -> Step {
    let base = instruction.address;
    let known = |found: Option<u64>, step: fn(u64) -> Step| found.map_or(Step::Unknown, step);
    let operands = operands.split(" //").next().unwrap_or(operands);
    match mnemonic {
        "bl" => known(target(operands, "#", base), Step::Call),
        "blr" | "blraa" | "blrab" => Step::CallUnknown,
        "br" | "braa" | "brab" => Step::JumpUnknown,
        "b" | "cbz" | "cbnz" | "tbz" | "tbnz" => known(target(operands, "#", base), Step::Jump),
        _ if mnemonic.starts_with("b.") => known(target(operands, "#", base), Step::Jump),
        _ if operands.contains("[sp") && (operands.contains('!') || operands.contains("],")) => {
            stored_below(operands).unwrap_or(Step::Unknown)
        }
        // Restores the stack pointer from a frame pointer.
        "mov" if operands == "sp, x29" => Step::Other,
        "sub" if operands.starts_with("sp, x29, #") => Step::Other,
        "add" if operands.starts_with("sp, sp, #") => Step::Other,
        "sub" if operands.starts_with("sp, sp, #") => amount(operands).map_or(Step::Unknown, Step::Push),
        "cmp" | "cmn" | "tst" => Step::Other,
        _ if operands.starts_with("sp,") || operands.starts_with("wsp,") => Step::Unknown,
        _ => Step::Other,
    }
}

/// The immediate of `sp, sp, #1, lsl #12`.
fn amount(operands: &str) -> Option<u64> {
    let (_, immediate) = operands.split_once('#')?;
    let (immediate, shift) = match immediate.split_once(", lsl #") {
        Some((immediate, shift)) => (immediate, u32::try_from(number(shift)?).ok()?),
        None => (immediate, 0),
    };
    u64::try_from(number(immediate)?).ok()?.checked_shl(shift)
}

fn x86(mnemonic: &str, operands: &str, instruction: &Instruction) -> Step {
    let base = instruction.address + instruction.bytes;
    match mnemonic {
        "callq" | "call" if operands.starts_with('*') => Step::CallUnknown,
        "callq" | "call" => target(operands, "", base).map_or(Step::Unknown, Step::Call),
        "jmpq" | "jmp" if operands.starts_with('*') => Step::JumpUnknown,
        _ if mnemonic.starts_with('j') || mnemonic.starts_with("loop") => {
            target(operands, "", base).map_or(Step::Unknown, Step::Jump)
        }
        "pushq" | "push" | "pushfq" => Step::Push(8),
        "popq" | "pop" | "popfq" | "leave" | "leaveq" => {
            if operands == "%rsp" {
                Step::Unknown
            } else {
                Step::Other
            }
        }
        "enter" | "enterq" => Step::Unknown,
        "subq" if operands.ends_with(", %rsp") => immediate(operands).map_or(Step::Unknown, |by| moved(-by)),
        "addq" if operands.ends_with(", %rsp") => immediate(operands).map_or(Step::Unknown, moved),
        "andq" if operands.ends_with(", %rsp") => immediate(operands).map_or(Step::Unknown, moved),
        // Restores the stack pointer from a frame pointer.
        "movq" if operands == "%rbp, %rsp" => Step::Other,
        "leaq" if operands.ends_with("(%rbp), %rsp") => Step::Other,
        "leaq" if operands.ends_with("(%rsp), %rsp") => {
            let offset = operands.split('(').next().and_then(number);
            offset.map_or(Step::Unknown, moved)
        }
        "cmpq" | "testq" => Step::Other,
        _ if operands.ends_with(", %rsp") || operands.ends_with(", %esp") => Step::Unknown,
        _ => Step::Other,
    }
}

/// The immediate of `$24, %rsp`.
fn immediate(operands: &str) -> Option<i64> {
    let (first, _) = operands.split_once(", ")?;
    number(first.strip_prefix('$')?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use LinkerEmulation::{Aarch64elf, Armelf, ElfX86_64};

    fn of(family: LinkerEmulation, bytes: u64, text: &str) -> Step {
        step(family, &Instruction { address: 0x1000, bytes, text: text.to_owned() })
    }

    #[test]
    fn branches_are_relative() {
        for (family, bytes, text, expected) in [
            (Armelf, 4, "bl #-16", Step::Call(0xff4)),
            (Armelf, 4, "b.w #4", Step::Jump(0x1008)),
            (Armelf, 2, "beq #4", Step::Jump(0x1008)),
            (Armelf, 2, "bls #-4", Step::Jump(0x1000)),
            (Armelf, 2, "cbz r0, #8", Step::Jump(0x100c)),
            (Armelf, 2, "blx r3", Step::CallUnknown),
            (Armelf, 2, "bx lr", Step::Other),
            (Armelf, 2, "bx r1", Step::JumpUnknown),
            (Armelf, 4, "bic r0, r0, #1", Step::Other),
            (Armelf, 4, "bfi r0, r1, #0, #4", Step::Other),
            (Aarch64elf, 4, "bl #8", Step::Call(0x1008)),
            (Aarch64elf, 4, "b.eq #-8", Step::Jump(0xff8)),
            (Aarch64elf, 4, "tbz w0, #0, #12", Step::Jump(0x100c)),
            (Aarch64elf, 4, "br x8", Step::JumpUnknown),
            (Aarch64elf, 4, "bic x0, x0, x1", Step::Other),
            (ElfX86_64, 5, "callq 16", Step::Call(0x1015)),
            (ElfX86_64, 2, "jne -16", Step::Jump(0xff2)),
            (ElfX86_64, 2, "callq *%rax", Step::CallUnknown),
            (ElfX86_64, 7, "jmpq *(,%rax,8)", Step::JumpUnknown),
        ] {
            assert_eq!(of(family, bytes, text), expected, "{text}");
        }
    }

    #[test]
    fn what_moves_the_stack_pointer_is_counted() {
        for (family, text, expected) in [
            (Armelf, "push.w {r4, r5, r6, r7, r8, lr}", Step::Push(24)),
            (Armelf, "vpush {d8, d9}", Step::Push(16)),
            (Armelf, "sub sp, #24", Step::Push(24)),
            (Armelf, "sub.w sp, sp, #4096", Step::Push(4096)),
            (Armelf, "str lr, [sp, #-8]!", Step::Push(8)),
            (Armelf, "str r0, [sp, #8]", Step::Other),
            (Armelf, "ldr lr, [sp], #8", Step::Other),
            (Armelf, "add sp, r4", Step::Unknown),
            (Armelf, "add sp, #24", Step::Other),
            (Armelf, "mov sp, r4", Step::Unknown),
            (Aarch64elf, "stp x29, x30, [sp, #-32]!", Step::Push(32)),
            (Aarch64elf, "sub sp, sp, #1, lsl #12 // =4096", Step::Push(4096)),
            (Aarch64elf, "ldp x29, x30, [sp], #32", Step::Other),
            (Aarch64elf, "sub sp, x29, #16", Step::Other),
            (Aarch64elf, "sub sp, sp, x1", Step::Unknown),
            (ElfX86_64, "subq $4096, %rsp # imm = 0x1000", Step::Push(4096)),
            (ElfX86_64, "addq $-128, %rsp", Step::Push(128)),
            (ElfX86_64, "pushq %rbp", Step::Push(8)),
            (ElfX86_64, "andq $-32, %rsp", Step::Push(32)),
            (ElfX86_64, "leaq -40(%rbp), %rsp", Step::Other),
            (ElfX86_64, "movq %rax, %rsp", Step::Unknown),
        ] {
            assert_eq!(of(family, 4, text), expected, "{text}");
        }
    }
}
