//! Stack arguments of the tail-call convention on Arm, which the callee frees. LLVM 22.1.8 miscompiles them in four
//! ways.
//!
//! On 32-bit Arm the callee frees its stack arguments rounded up to eight bytes, but its caller, if the call is no tail
//! call, expects them to be rounded up to sixteen. Both agree if the arguments take a multiple of sixteen bytes, which
//! also leaves no moment at which an interrupt could overwrite a live word. So every function and every call whose
//! arguments do not fit the four argument registers gets parameters that are words, padded to such a multiple.
//!
//! Between the return of such a call and the instruction that adjusts the stack pointer for what the callee freed, the
//! register allocator may put a reload of a spilled value, which would use a wrong stack pointer. Moreover, a function
//! that has such arguments does not free them if it returns without a frame. So functions that make such calls, or take
//! such arguments, get an allocation of a size unknown to LLVM (zero): they have a frame from the start, addressed by
//! the frame pointer throughout ([`double_words`] keeps that possible). Only calls for which [`leaves_frame`] holds are exempt: after any other call that LLVM
//! marks `tail`, its caller continues.
//!
//! A function with stack arguments also does not free them if it ends with a jump to a function of the C convention. So
//! such calls are not made tail calls.
//!
//! This pass runs after optimisation, which drops unused parameters. A function is replaced by a new one, which takes
//! over its body, its address, its name, its attributes and its prefix data.

use inkwell::{
    AddressSpace,
    attributes::AttributeLoc,
    builder::Builder,
    context::Context,
    llvm_sys::LLVMTailCallKind,
    llvm_sys::core::{
        LLVMAppendExistingBasicBlock, LLVMGetAlignment, LLVMGetCalledValue, LLVMGetFirstBasicBlock, LLVMGetPrefixData,
        LLVMGetUnnamedAddress, LLVMHasPrefixData, LLVMRemoveBasicBlockFromParent, LLVMReplaceAllUsesWith,
        LLVMSetAlignment, LLVMSetPrefixData, LLVMSetUnnamedAddress,
    },
    llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMSetSubprogram},
    module::Module as LlvmModule,
    types::{BasicMetadataTypeEnum, BasicType as _, BasicTypeEnum, FunctionType},
    values::{
        AsValueRef as _, BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
        InstructionValue, PointerValue, ValueKind,
    },
};

use super::double_words;
use super::tail_position::{TAILCC, leaves_frame};
use super::words::{Failure, Scalar, Words, scalars};
use crate::Fault;

/// Argument registers, and the multiple of words of stack arguments on which both sides agree.
const REGISTERS: usize = 4;

/// Argument registers on AArch64, for integers and for floats each.
const WIDE_REGISTERS: usize = 8;

/// Rewrites an optimised program.
pub(super) fn fix<'c>(context: &'c Context, program: &LlvmModule<'c>, family: Family) -> Result<(), Vec<Fault>> {
    let pass = Pad { context, program, builder: context.create_builder() };
    let padded = match family {
        Family::Arm => pass.run(),
        Family::Aarch64 => Ok(true),
    };
    let fixed = padded.and_then(|changed| if changed { pass.fix_frames(family) } else { Ok(()) });
    fixed.map_err(|failure| vec![fault(&failure)])
}

/// The processors on which stack arguments are miscompiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// 32-bit Arm with tail calls.
    Arm,
    /// 64-bit Arm.
    Aarch64,
}

fn fault(failure: &Failure) -> Fault {
    Fault::new(match failure {
        Failure::Type(ty) => format!("`{ty}` cannot be an argument or a result on the stack"),
        Failure::Builder(error) => error.to_string(),
    })
}

struct Pad<'c, 'p> {
    context: &'c Context,
    program: &'p LlvmModule<'c>,
    builder: Builder<'c>,
}

impl<'c> Pad<'c, '_> {
    /// Returns whether anything changed.
    fn run(&self) -> Result<bool, Failure> {
        let mut pairs = Vec::new();
        for function in self.program.get_functions().filter(|function| function.get_call_conventions() == TAILCC) {
            if let Some(padded) = self.padded_type(function.get_type())? {
                pairs.push((function, padded));
            }
        }
        let pairs: Vec<_> = pairs.into_iter().map(|(old, ty)| (old, self.take_place(old, ty))).collect();
        let calls: Vec<_> = self.program.get_functions().flat_map(calls_of).collect();
        let mut changed = !pairs.is_empty();
        for call in calls {
            changed |= self.call(call)?;
        }
        for (old, new) in pairs {
            self.move_body(old, new)?;
        }
        Ok(changed)
    }

    /// Makes functions that have stack arguments, or make non-tail calls with them, address their frames by the frame
    /// pointer.
    fn fix_frames(&self, family: Family) -> Result<(), Failure> {
        for function in self.program.get_functions().filter(|function| function.count_basic_blocks() > 0) {
            let takes = function.get_call_conventions() == TAILCC && self.overflows(function.get_type(), family)?;
            let mut gives = false;
            for call in calls_of(function).into_iter().filter(|call| !leaves_frame(instruction_of(*call))) {
                gives |= self.overflows(call.get_called_fn_type(), family)?;
            }
            if takes {
                every_call_of(function)
                    .into_iter()
                    .filter(|call| call.get_call_convention() != TAILCC)
                    .for_each(|call| call.set_tail_call_kind(LLVMTailCallKind::LLVMTailCallKindNone));
            }
            if takes || gives {
                self.fix_frame(function)?;
                if family == Family::Arm {
                    double_words::split(self.context, &self.builder, function)?;
                }
            }
        }
        Ok(())
    }

    /// Whether some arguments of a function are on the stack; on AArch64, whether they may be.
    fn overflows(&self, ty: FunctionType<'c>, family: Family) -> Result<bool, Failure> {
        if family == Family::Arm {
            return Ok(ty.count_param_types() as usize > REGISTERS);
        }
        let (mut floats, mut others) = (0, 0);
        for parameter in ty.get_param_types() {
            // What is neither a scalar nor a struct is a vector, which takes a floating-point register.
            match scalars(self.context, value_type(parameter)?) {
                Ok(parts) => {
                    let of_floats = parts.iter().filter(|(scalar, _)| scalar.float).count();
                    floats += of_floats;
                    others += parts.len() - of_floats;
                }
                Err(_) => floats += 1,
            }
        }
        Ok(floats > WIDE_REGISTERS || others > WIDE_REGISTERS)
    }

    /// Adds an allocation of zero bytes, in a way that LLVM cannot see through.
    fn fix_frame(&self, function: FunctionValue<'c>) -> Result<(), Failure> {
        let Some(first) = function.get_first_basic_block().and_then(|entry| entry.get_first_instruction()) else {
            return Ok(());
        };
        self.builder.position_before(&first);
        let (word, pointer) = (self.context.i32_type(), self.context.ptr_type(AddressSpace::default()));
        let size_type = word.fn_type(&[word.into()], false);
        let opaque = |ty, constraints: &str, has_effect| {
            self.context.create_inline_asm(ty, String::new(), constraints.to_owned(), has_effect, false, None, false)
        };
        let size = self.builder.build_indirect_call(
            size_type,
            opaque(size_type, "=r,0", false),
            &[word.const_zero().into()],
            "",
        )?;
        let ValueKind::Basic(size) = size.try_as_basic_value() else { return Ok(()) };
        let space = self.builder.build_array_alloca(self.context.i8_type(), size.into_int_value(), "")?;
        let use_type = self.context.void_type().fn_type(&[pointer.into()], false);
        self.builder.build_indirect_call(use_type, opaque(use_type, "r", true), &[space.into()], "")?;
        Ok(())
    }

    /// The type with word parameters that replaces a function type whose arguments do not fit the registers.
    fn padded_type(&self, ty: FunctionType<'c>) -> Result<Option<FunctionType<'c>>, Failure> {
        let result = match ty.get_return_type() {
            Some(result) => scalars(self.context, result)?,
            None => Vec::new(),
        };
        // A result that does not fit the registers is returned through a pointer, which takes the first of them.
        let by_pointer = usize::from(taken(result.iter().map(|(scalar, _)| *scalar)) > REGISTERS);
        let mut parameters = Vec::new();
        for parameter in ty.get_param_types() {
            parameters.extend(scalars(self.context, value_type(parameter)?)?);
        }
        if by_pointer + taken(parameters.iter().map(|(scalar, _)| *scalar)) <= REGISTERS {
            return Ok(None);
        }
        if by_pointer == 1 && result.iter().any(|(scalar, _)| scalar.float) {
            // Whether it is returned through a pointer depends on the floating-point unit.
            return Err(Failure::Type(ty.to_string()));
        }
        let mut words: Vec<BasicMetadataTypeEnum> = Vec::new();
        for (scalar, word) in parameters {
            words.extend(vec![BasicMetadataTypeEnum::from(word); scalar.words]);
        }
        while !(by_pointer + words.len()).is_multiple_of(REGISTERS) {
            words.push(self.context.i32_type().into());
        }
        Ok(Some(match ty.get_return_type() {
            Some(result) => result.fn_type(&words, false),
            None => self.context.void_type().fn_type(&words, false),
        }))
    }

    /// A function of another type that takes over everything of a function except its body.
    fn take_place(&self, old: FunctionValue<'c>, ty: FunctionType<'c>) -> FunctionValue<'c> {
        let name = old.get_name().to_string_lossy().into_owned();
        let new = self.program.add_function("", ty, Some(old.get_linkage()));
        old.as_global_value().set_name(&format!("{name}.unpadded"));
        new.as_global_value().set_name(&name);
        new.set_call_conventions(TAILCC);
        new.set_section(old.get_section().and_then(|section| section.to_str().ok()));
        new.as_global_value().set_visibility(old.as_global_value().get_visibility());
        for place in [AttributeLoc::Function, AttributeLoc::Return] {
            old.attributes(place).into_iter().for_each(|attribute| new.add_attribute(place, attribute));
        }
        // SAFETY: both functions live in the program, have one kind of address, and what is moved is live.
        unsafe {
            let (from, to) = (old.as_value_ref(), new.as_value_ref());
            LLVMSetAlignment(to, LLVMGetAlignment(from));
            LLVMSetUnnamedAddress(to, LLVMGetUnnamedAddress(from));
            if LLVMHasPrefixData(from) != 0 {
                LLVMSetPrefixData(to, LLVMGetPrefixData(from));
            }
            let subprogram = LLVMGetSubprogram(from);
            if !subprogram.is_null() {
                LLVMSetSubprogram(to, subprogram);
                LLVMSetSubprogram(from, std::ptr::null_mut());
            }
            LLVMReplaceAllUsesWith(from, to);
        }
        new
    }

    /// Rewrites a call to pass the arguments that its callee now takes; false if they fit the registers.
    fn call(&self, old: CallSiteValue<'c>) -> Result<bool, Failure> {
        let Some(ty) = self.padded_type(old.get_called_fn_type())? else { return Ok(false) };
        let instruction = instruction_of(old);
        self.builder.position_before(&instruction);
        let words = Words { context: self.context, builder: &self.builder };
        let mut arguments: Vec<BasicValueEnum> = Vec::new();
        for index in 0..old.count_arguments() {
            let argument = instruction.get_operand(index).and_then(|operand| operand.value());
            arguments.extend(words.split(argument.ok_or_else(|| Failure::Type("metadata".to_owned()))?)?);
        }
        let padding = self.context.i32_type().get_poison();
        arguments.resize(ty.count_param_types() as usize, padding.into());
        // SAFETY: the operand lives, and the called value of a call is a pointer.
        let callee = unsafe { PointerValue::new(LLVMGetCalledValue(instruction.as_value_ref())) };
        let arguments: Vec<BasicMetadataValueEnum> = arguments.into_iter().map(Into::into).collect();
        let new = self.builder.build_indirect_call(ty, callee, &arguments, "")?;
        new.set_call_convention(TAILCC);
        new.set_tail_call_kind(old.get_tail_call_kind());
        for place in [AttributeLoc::Function, AttributeLoc::Return] {
            old.attributes(place).into_iter().for_each(|attribute| new.add_attribute(place, attribute));
        }
        instruction_of(new).set_debug_location(instruction.get_debug_location());
        instruction.replace_all_uses_with(&instruction_of(new));
        instruction.erase_from_basic_block();
        Ok(true)
    }

    /// Moves the body of a function to the one that takes its place, where the parameters are put together at its start.
    fn move_body(&self, old: FunctionValue<'c>, new: FunctionValue<'c>) -> Result<(), Failure> {
        // SAFETY: both functions live in the program. A block is unlinked from one and linked to the other at once, and
        // after all have moved, the new parameters replace the old ones.
        unsafe {
            let (from, to) = (old.as_value_ref(), new.as_value_ref());
            loop {
                let block = LLVMGetFirstBasicBlock(from);
                if block.is_null() {
                    break;
                }
                LLVMRemoveBasicBlockFromParent(block);
                LLVMAppendExistingBasicBlock(to, block);
            }
        }
        if let Some(first) = new.get_first_basic_block().and_then(|entry| entry.get_first_instruction()) {
            // A builder that was never positioned has no debug location.
            let builder = self.context.create_builder();
            builder.position_before(&first);
            let words = Words { context: self.context, builder: &builder };
            let mut parameters = new.get_param_iter();
            for parameter in old.get_param_iter() {
                let whole = words.join(parameter.get_type(), &mut parameters)?;
                // SAFETY: both values live, and they have one type.
                unsafe { LLVMReplaceAllUsesWith(parameter.as_value_ref(), whole.as_value_ref()) };
            }
        }
        // SAFETY: nothing refers to the old function any more.
        unsafe { old.delete() };
        Ok(())
    }
}

/// The words that scalars take, starting at the first argument register.
fn taken(scalars: impl Iterator<Item = Scalar>) -> usize {
    scalars.fold(0, |taken: usize, scalar| {
        let start = if scalar.even { taken.next_multiple_of(2) } else { taken };
        start + scalar.words
    })
}

/// A parameter's type, which is never metadata in our programs.
fn value_type(ty: BasicMetadataTypeEnum<'_>) -> Result<BasicTypeEnum<'_>, Failure> {
    BasicTypeEnum::try_from(ty).map_err(|()| Failure::Type("metadata".to_owned()))
}

/// The calls of the tail-call convention in a function.
fn calls_of(function: FunctionValue<'_>) -> Vec<CallSiteValue<'_>> {
    every_call_of(function).into_iter().filter(|call| call.get_call_convention() == TAILCC).collect()
}

/// The calls in a function.
fn every_call_of<'c>(function: FunctionValue<'c>) -> Vec<CallSiteValue<'c>> {
    let instructions = function.get_basic_blocks().into_iter().flat_map(|block| block.get_instructions());
    let calls = instructions.filter(|instruction| instruction.get_opcode() == InstructionOpcode::Call);
    calls
        // SAFETY: the instruction lives, and it is a call by its opcode.
        .map(|call| unsafe { CallSiteValue::new(call.as_value_ref()) })
        .collect()
}

/// A call as an instruction.
pub(super) fn instruction_of(call: CallSiteValue<'_>) -> InstructionValue<'_> {
    // SAFETY: a call is an instruction.
    unsafe { InstructionValue::new(call.as_value_ref()) }
}
