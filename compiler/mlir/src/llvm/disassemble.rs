//! Disassembly of machine code.
//!
//! In: bytes of code and their address. Out: the instructions in order, as LLVM writes them.

use std::{
    ffi::{CStr, CString},
    ptr,
};

use inkwell::llvm_sys::disassembler::{
    LLVMCreateDisasmCPUFeatures, LLVMDisasmContextRef, LLVMDisasmDispose, LLVMDisasmInstruction,
};

use super::{Machine, machine::InstructionSet};
use crate::Fault;

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its address.
    pub address: u64,
    /// Its length.
    pub bytes: u64,
    /// Mnemonic and operands, separated by one space; empty if the bytes are not an instruction. Branch targets are
    /// relative.
    pub text: String,
}

/// Reads the code of one machine.
pub struct Disassembler {
    context: LLVMDisasmContextRef,
    /// The length of the shortest instruction.
    shortest: usize,
}

/// An upper bound for the length of a printed instruction.
const LONGEST: usize = 256;

impl Disassembler {
    /// For a machine.
    pub fn new(machine: &Machine) -> Result<Disassembler, Fault> {
        super::machine::initialise();
        let (triple, cpu, features) =
            (c_string(&machine.triple)?, c_string(&machine.cpu)?, c_string(&machine.features)?);
        let (triple, cpu, features) = (triple.as_ptr(), cpu.as_ptr(), features.as_ptr());
        // SAFETY: the strings end in zero and live during the call; there are no callbacks.
        let context = unsafe { LLVMCreateDisasmCPUFeatures(triple, cpu, features, ptr::null_mut(), 0, None, None) };
        if context.is_null() {
            return Err(Fault::new(format!("LLVM has no disassembler for `{}`", machine.triple)));
        }
        let shortest = match machine.instruction_set() {
            InstructionSet::Aarch64 => 4,
            InstructionSet::X86_64 => 1,
            InstructionSet::Arm | InstructionSet::Armv6M | InstructionSet::Other => 2,
        };
        Ok(Disassembler { context, shortest })
    }

    /// The instructions of code that begins at an address.
    pub fn read(&mut self, code: &[u8], address: u64) -> Vec<Instruction> {
        let mut code = code.to_vec();
        let (mut instructions, mut offset) = (Vec::new(), 0);
        while offset < code.len() {
            let place = address + offset as u64;
            let instruction = self.one(&mut code[offset..], place);
            offset += instruction.bytes as usize;
            instructions.push(instruction);
        }
        instructions
    }

    fn one(&mut self, code: &mut [u8], address: u64) -> Instruction {
        let mut text = [0; LONGEST];
        let (start, length) = (code.as_mut_ptr(), code.len());
        // SAFETY: the context lives; the lengths passed are those of the bytes and the buffer.
        let read =
            unsafe { LLVMDisasmInstruction(self.context, start, length as u64, address, text.as_mut_ptr(), LONGEST) };
        if read == 0 {
            return Instruction { address, bytes: self.shortest.min(length) as u64, text: String::new() };
        }
        // SAFETY: LLVM terminates the string with a zero, and the buffer was zeroed.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Instruction { address, bytes: read as u64, text }
    }
}

impl Drop for Disassembler {
    fn drop(&mut self) {
        // SAFETY: the context is not used any more.
        unsafe { LLVMDisasmDispose(self.context) };
    }
}

fn c_string(text: &str) -> Result<CString, Fault> {
    CString::new(text).map_err(|_| Fault::new(format!("`{text}` contains a zero byte")))
}
