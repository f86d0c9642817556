//! The instructions of a function, by the disassembler of LLVM.

use super::super::{build, language::llvm_tool};
use crate::Failure;
use std::{path::Path, process::Command};

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Code {
    /// With the constants after its instructions.
    pub(crate) bytes: u32,
    /// Instructions and constants. A jump has its target as an offset from the start, so that equal functions at two addresses
    /// are equal.
    pub(crate) instructions: Vec<String>,
}

impl Code {
    /// The loads and stores of devices in order, without their operands. A load relative to the program counter reads a constant,
    /// and one relative to the stack pointer reads a variable.
    pub(crate) fn accesses(&self) -> Vec<&str> {
        let accesses = self.instructions.iter().filter_map(|instruction| {
            let (operation, operands) = instruction.split_once(' ')?;
            let is_access = ["ldr", "ldm", "str", "stm"].iter().any(|prefix| operation.starts_with(prefix));
            let is_own = ["[pc", "[sp"].iter().any(|base| operands.contains(base));
            (is_access && !is_own).then(|| operation.strip_suffix(".w").unwrap_or(operation))
        });
        accesses.collect()
    }

    pub(crate) fn loads(&self) -> usize {
        self.accesses().iter().filter(|operation| operation.starts_with("ld")).count()
    }

    pub(crate) fn stores(&self) -> usize {
        self.accesses().len() - self.loads()
    }
}

/// The function of a name in an object or an image. A name in Clef has its module in front.
pub(crate) fn of(file: &Path, function: &str) -> Result<Code, Failure> {
    let mut command = Command::new(llvm_tool("llvm-nm"));
    command.arg("--print-size").arg(file);
    let symbols = build::printed(command)?;
    let (start, bytes) =
        symbol(&symbols, function).ok_or_else(|| format!("`{}` has no function `{function}`", file.display()))?;
    let mut command = Command::new(llvm_tool("llvm-objdump"));
    command.args(["--disassemble", "--no-show-raw-insn"]);
    command.args([format!("--start-address={start}"), format!("--stop-address={}", start + bytes)]).arg(file);
    let listing = build::printed(command)?;
    Ok(Code { bytes, instructions: listing.lines().filter_map(instruction).collect() })
}

/// The address and the size of a symbol, in the output of `llvm-nm`.
fn symbol(symbols: &str, function: &str) -> Option<(u32, u32)> {
    symbols.lines().find_map(|line| {
        let [address, size, _, name] = line.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        let is_it = name.rsplit('.').next() == Some(function);
        let number = |digits| u32::from_str_radix(digits, 16).ok();
        is_it.then_some((number(address)?, number(size)?))
    })
}

/// The instruction or the constant of a line of `llvm-objdump`.
fn instruction(line: &str) -> Option<String> {
    let (address, rest) = line.split_once('\t')?;
    let (address, _) = address.split_once(':')?;
    u32::from_str_radix(address.trim_start(), 16).ok()?;
    let text = rest.split(" @").next()?.replace('\t', " ");
    let text = text.trim();
    Some(match text.split_once(" 0x").zip(text.split_once('<')) {
        Some(((operation, _), (_, label))) => format!("{operation} {}", offset(label)),
        None => text.to_owned(),
    })
}

/// The offset in a label, `function+0x12>`.
fn offset(label: &str) -> String {
    let label = label.trim_end_matches('>');
    format!("+{}", label.rsplit_once('+').map_or("0x0", |(_, offset)| offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_names() {
        let symbols = "         U memcpy\n08000188 0000004c t clef.Chip.registers\n080001d4 00000010 T other\n";
        assert_eq!(symbol(symbols, "registers"), Some((0x0800_0188, 76)));
        assert_eq!(symbol(symbols, "register"), None);
    }

    #[test]
    fn instructions_are_read() {
        let cases = [
            ("nrf52840-z.elf:\tfile format elf32-littlearm", None),
            ("00000100 <registers>:", None),
            ("     10e:      \tstr.w\tr1, [r0, #0x210]", Some("str.w r1, [r0, #0x210]")),
            ("     100:      \tldr\tr0, [pc, #0x44]           @ 0x148 <registers+0x48>", Some("ldr r0, [pc, #0x44]")),
            ("     144:      \tbeq\t0x13e <clef.Nrf52840.registers+0x3e> @ imm = #-0xa", Some("beq +0x3e")),
            ("     144:      \tb\t0x100 <registers> @ imm = #-0xa", Some("b +0x0")),
            ("100001a8:      \tbx\tlr", Some("bx lr")),
            ("     148: f0 fd ff ff  \t.word\t0xfffffdf0", Some(".word 0xfffffdf0")),
        ];
        for (line, text) in cases {
            assert_eq!(instruction(line).as_deref(), text, "{line}");
        }
    }

    #[test]
    fn accesses_are_those_of_devices() {
        let instructions =
            ["push {r7, lr}", "ldr r0, [pc, #0x44]", "ldr r1, [r0]", "strb.w r1, [r0, #0x4]", "str r1, [sp]", "nop"];
        let code = Code { bytes: 16, instructions: instructions.map(str::to_owned).to_vec() };
        assert_eq!(code.accesses(), ["ldr", "strb"]);
        assert_eq!((code.loads(), code.stores()), (1, 1));
    }
}
