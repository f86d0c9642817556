//! The call graph of an optimised program, and the stack that calls take.
//!
//! In: a program as the code generator receives it. Out: a [`Body`] for each defined function. Not included:
//! - What the code generator itself adds: calls of builtin routines and outlined functions. The image shows them.
//! - Which function an unknown call reaches. A [`Signature`] says which it can reach, since a call by a signature other
//!   than the callee's does not work. The function that the call was written in is named, since the front end may know
//!   more.

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    context::Context,
    llvm_sys::{
        LLVMOpcode,
        core::{
            LLVMGetAlignment, LLVMGetCalledValue, LLVMGetFirstUse, LLVMGetInstructionOpcode, LLVMGetNextUse,
            LLVMGetNumArgOperands, LLVMGetOperand, LLVMGetUser, LLVMIsACallInst, LLVMIsAFunction, LLVMIsAInlineAsm,
        },
    },
    module::Module as LlvmModule,
    targets::TargetData,
    types::{BasicTypeEnum, FunctionType},
    values::{AsValueRef as _, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue},
};

use super::{
    machine::{InstructionSet, Machine},
    tail_position::leaves_frame,
};

/// The attribute of a call that names the function it is written in.
const WRITER: &str = "clef-writer";

/// A calling convention, parameters and result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature(String);

/// How a function affects the stack in addition to its frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Its symbol.
    pub function: String,
    /// How it is called.
    pub signature: Signature,
    /// Whether its address is used other than to call it.
    pub address_is_taken: bool,
    /// The bytes of arguments that its callers put on the stack, at most.
    pub arguments: u64,
    /// The bytes that its frame may lose because its alignment exceeds that of the stack.
    pub alignment: u64,
    /// The calls that it makes.
    pub calls: Vec<Call>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// The bytes of arguments on the stack, at most.
    pub arguments: u64,
    /// Whether the frame is freed before the callee begins, if the machine can do that.
    pub tail: bool,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// The function of a symbol.
    Known(String),
    /// Some function of a signature.
    Unknown {
        /// What it is called by.
        signature: Signature,
        /// The function of the module that the call was written in, before inlining; none for calls of the runtime.
        writer: Option<String>,
    },
}

/// How arguments are passed.
pub(super) struct Passing {
    /// The sizes of types.
    pub(super) data: TargetData,
    /// The number of argument registers of each kind.
    pub(super) registers: u64,
    /// The alignment of the stack.
    pub(super) stack_align: u32,
}

impl Passing {
    /// The rules of a family of processors.
    pub(super) fn of(machine: &Machine, data: TargetData) -> Passing {
        let (registers, stack_align) = match machine.instruction_set() {
            InstructionSet::Aarch64 => (8, 16),
            InstructionSet::X86_64 => (6, 16),
            InstructionSet::Arm | InstructionSet::Armv6M | InstructionSet::Other => (4, 8),
        };
        Passing { data, registers, stack_align }
    }

    fn word(&self) -> u64 {
        u64::from(self.data.get_pointer_byte_size(None))
    }

    /// The words that a value of a type takes at most, including gaps for alignment.
    fn words(&self, ty: BasicTypeEnum<'_>) -> u64 {
        match ty {
            BasicTypeEnum::StructType(record) => {
                record.get_field_types().into_iter().map(|field| self.words(field)).sum()
            }
            BasicTypeEnum::ArrayType(array) => self.words(array.get_element_type()) * u64::from(array.len()),
            BasicTypeEnum::IntType(_)
            | BasicTypeEnum::FloatType(_)
            | BasicTypeEnum::PointerType(_)
            | BasicTypeEnum::VectorType(_)
            | BasicTypeEnum::ScalableVectorType(_) => {
                let words = self.data.get_abi_size(&ty).div_ceil(self.word());
                if words > 1 { words + 1 } else { words }
            }
        }
    }

    /// The bytes of arguments on the stack, at most, of a call of a type. Arguments of one kind may leave registers of
    /// another kind unused, but then no more than those that fit.
    fn arguments(&self, ty: FunctionType<'_>) -> u64 {
        let parameters = ty.get_param_types();
        let parameters = parameters.into_iter().filter_map(|ty| BasicTypeEnum::try_from(ty).ok());
        // A large result is written through a pointer that may be one more argument.
        let words = 1 + parameters.map(|parameter| self.words(parameter)).sum::<u64>();
        (words.saturating_sub(self.registers) * self.word()).next_multiple_of(16)
    }

    /// The bytes of arguments that are copied to the stack because of their size.
    fn copied(&self, attributes: impl Fn(AttributeLoc) -> Option<Attribute>, ty: FunctionType<'_>) -> u64 {
        let sizes = (0..ty.count_param_types()).filter_map(|index| {
            let attribute = attributes(AttributeLoc::Param(index))?;
            Some(self.data.get_abi_size(&attribute.get_type_value()).next_multiple_of(16))
        });
        sizes.sum()
    }
}

/// Records at each unknown call the function it is written in: inlining moves the call.
pub(super) fn note_writers(context: &Context, program: &LlvmModule<'_>) {
    for function in program.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        let writer = context.create_string_attribute(WRITER, &name);
        for instruction in function.get_basic_blocks().into_iter().flat_map(|block| block.get_instructions()) {
            let Ok(site) = CallSiteValue::try_from(instruction) else { continue };
            // SAFETY: the instruction lives and is a call, so that it has a called value, which lives too.
            let is_known = unsafe {
                let called = LLVMGetCalledValue(instruction.as_value_ref());
                !LLVMIsAFunction(called).is_null() || !LLVMIsAInlineAsm(called).is_null()
            };
            if !is_known {
                site.add_attribute(AttributeLoc::Function, writer);
            }
        }
    }
}

/// The bodies of a program's functions.
pub(super) fn bodies(program: &LlvmModule<'_>, passing: &Passing) -> Vec<Body> {
    let defined = program.get_functions().filter(|function| function.count_basic_blocks() > 0);
    defined.map(|function| body(function, passing)).collect()
}

fn body(function: FunctionValue<'_>, passing: &Passing) -> Body {
    let byval = Attribute::get_named_enum_kind_id("byval");
    let copied = passing.copied(|place| function.get_enum_attribute(place, byval), function.get_type());
    let instructions: Vec<_> =
        function.get_basic_blocks().into_iter().flat_map(|block| block.get_instructions()).collect();
    Body {
        function: function.get_name().to_string_lossy().into_owned(),
        signature: signature(function.get_call_conventions(), function.get_type()),
        address_is_taken: address_is_taken(function),
        arguments: passing.arguments(function.get_type()) + copied,
        alignment: alignment(&instructions, passing.stack_align),
        calls: instructions.iter().filter_map(|instruction| call(*instruction, passing)).collect(),
    }
}

/// The bytes that the frame may lose to alignment: one that is aligned more than the stack begins at a multiple of that, and on x86-64
/// what it has below its saved registers is a multiple too (`X86FrameLowering::emitPrologue`).
fn alignment(instructions: &[InstructionValue<'_>], stack: u32) -> u64 {
    let allocations = instructions.iter().filter(|one| one.get_opcode() == InstructionOpcode::Alloca);
    // SAFETY: the instruction lives and allocates, so it has an alignment.
    let largest = allocations.map(|one| unsafe { LLVMGetAlignment(one.as_value_ref()) }).max().unwrap_or(0);
    if largest > stack { 2 * u64::from(largest) } else { 0 }
}

fn call(instruction: InstructionValue<'_>, passing: &Passing) -> Option<Call> {
    let site = CallSiteValue::try_from(instruction).ok()?;
    let convention = site.get_call_convention();
    let byval = Attribute::get_named_enum_kind_id("byval");
    let ty = site.get_called_fn_type();
    // SAFETY: the instruction lives and is a call, so that it has a called value, which lives too.
    let (called, known, assembly) = unsafe {
        let called = LLVMGetCalledValue(instruction.as_value_ref());
        (called, LLVMIsAFunction(called), LLVMIsAInlineAsm(called))
    };
    let callee = if !assembly.is_null() {
        return None;
    } else if known.is_null() {
        let writer = site.get_string_attribute(AttributeLoc::Function, WRITER);
        let writer = writer.map(|name| name.get_string_value().to_string_lossy().into_owned());
        Callee::Unknown { signature: signature(convention, ty), writer }
    } else {
        // SAFETY: the called value is a function.
        let name = unsafe { FunctionValue::new(called) }?.get_name().to_string_lossy().into_owned();
        // Those that become calls are calls of builtin routines.
        if name.starts_with("llvm.") {
            return None;
        }
        Callee::Known(name)
    };
    let copied = passing.copied(|place| site.get_enum_attribute(place, byval), ty);
    Some(Call { callee, arguments: passing.arguments(ty) + copied, tail: leaves_frame(instruction) })
}

fn signature(convention: u32, ty: FunctionType<'_>) -> Signature {
    Signature(format!("{convention} {}", ty.print_to_string().to_string_lossy()))
}

/// Whether something uses a function other than to call it.
pub(super) fn address_is_taken(function: FunctionValue<'_>) -> bool {
    let value = function.as_value_ref();
    // SAFETY: the function lives, and so do its uses and their users, as long as nothing is changed.
    unsafe {
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            let user = LLVMGetUser(next);
            let calls = !LLVMIsACallInst(user).is_null()
                && LLVMGetInstructionOpcode(user) == LLVMOpcode::LLVMCall
                && LLVMGetCalledValue(user) == value
                && (0..LLVMGetNumArgOperands(user)).all(|index| LLVMGetOperand(user, index) != value);
            if !calls {
                return true;
            }
            next = LLVMGetNextUse(next);
        }
    }
    false
}
