//! Notes become records of variables.
//!
//! In: calls that name a variable by its number and say what holds it. Out: records of LLVM, and no calls.

use clef_base::HashMap;
use inkwell::{
    llvm_sys::{
        LLVMTypeKind,
        core::{
            LLVMBuildExtractValue, LLVMBuildZExt, LLVMConstIntGetZExtValue, LLVMCountStructElementTypes,
            LLVMCreateBuilderInContext, LLVMDisposeBuilder, LLVMGetFirstUse, LLVMGetIndices, LLVMGetIntTypeWidth,
            LLVMGetModuleContext, LLVMGetNumIndices, LLVMGetOperand, LLVMGetPoison, LLVMGetTypeKind, LLVMGetUser,
            LLVMInstructionEraseFromParent, LLVMInt8TypeInContext, LLVMIsAInsertValueInst, LLVMPositionBuilderBefore,
            LLVMSetCurrentDebugLocation2, LLVMStructGetTypeAtIndex, LLVMTypeOf,
        },
        prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef},
        target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMTargetDataRef},
    },
    module::Module as LlvmModule,
};

use super::{
    DebugInfo,
    builder::{Builder, Metadata, Place},
    types::Types,
};
use crate::build::debug::{NOTE, Noted};

/// DWARF's operation that reads an address.
const DEREFERENCE: u64 = 0x06;
/// LLVM's operation that says which bits of a variable a value is.
const FRAGMENT: u64 = 0x1000;

/// Replaces all notes of a program.
pub(super) fn replace(program: &LlvmModule<'_>, builder: &Builder, types: &Types, info: &DebugInfo) {
    let Some(note) = program.get_function(NOTE) else { return };
    let module = program.as_mut_ptr();
    // SAFETY: the module lives, and so does its context and its data layout; the instruction builder is disposed of once.
    unsafe {
        let instructions = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
        let mut notes = Notes {
            builder,
            types,
            info,
            instructions,
            layout: LLVMGetModuleDataLayout(module),
            variables: HashMap::default(),
        };
        for call in users(inkwell::values::AsValueRef::as_value_ref(&note)) {
            notes.replace(call);
        }
        LLVMDisposeBuilder(instructions);
        note.delete();
    }
}

struct Notes<'a> {
    builder: &'a Builder,
    types: &'a Types,
    info: &'a DebugInfo,
    instructions: LLVMBuilderRef,
    layout: LLVMTargetDataRef,
    /// The variables noted so far.
    variables: HashMap<u64, Metadata>,
}

/// A machine value within a value.
struct Leaf {
    /// The members that lead to it.
    path: Vec<u32>,
    /// Its distance from the start in bits.
    offset: u64,
    /// Its size in bits.
    size: u64,
}

impl Notes<'_> {
    /// Replaces one.
    ///
    /// # Safety
    /// It is a call of the intrinsic of notes.
    unsafe fn replace(&mut self, call: LLVMValueRef) {
        // SAFETY: the call has the arguments that `note_variable` gives it.
        unsafe {
            let [number, kind] = [0, 1].map(|index| LLVMConstIntGetZExtValue(LLVMGetOperand(call, index)));
            let value = LLVMGetOperand(call, 2);
            if let (Some(place), Some(noted)) = (self.builder.place(call), Noted::numbered(kind)) {
                self.record(number, noted, value, (place, call));
            }
            LLVMInstructionEraseFromParent(call);
        }
    }

    unsafe fn record(&mut self, number: u64, noted: Noted, value: LLVMValueRef, at: (Place, LLVMValueRef)) {
        let variable = self.variable(number, at.0);
        let expression = self.builder.expression(match noted {
            Noted::Value | Noted::Address | Noted::Nothing => &[],
            Noted::AddressOfAddress | Noted::ValueAtAddress => &[DEREFERENCE],
            Noted::ValueAtAddressOfAddress => &[DEREFERENCE, DEREFERENCE],
        });
        match noted {
            // SAFETY: the value dominates the note.
            Noted::Value => unsafe { self.values(variable, value, at) },
            Noted::ValueAtAddress | Noted::ValueAtAddressOfAddress => {
                self.builder.value(value, variable, expression, at);
            }
            // SAFETY: the value has a type.
            Noted::Nothing => self.builder.value(unsafe { LLVMGetPoison(LLVMTypeOf(value)) }, variable, expression, at),
            Noted::Address | Noted::AddressOfAddress => self.builder.address(value, variable, expression, at),
        }
    }

    /// The variable of a number, which is in the scope of its first note.
    fn variable(&mut self, number: u64, place: Place) -> Metadata {
        *self.variables.entry(number).or_insert_with(|| {
            let variable = &self.info.variables[number as usize];
            self.builder.variable(variable, self.types.of(variable.ty), place)
        })
    }

    /// Records the machine values that a value consists of.
    unsafe fn values(&self, variable: Metadata, value: LLVMValueRef, at: (Place, LLVMValueRef)) {
        // SAFETY: the value is live at the note, and its type has a size.
        unsafe {
            let ty = LLVMTypeOf(value);
            let whole = LLVMABISizeOfType(self.layout, ty) * 8;
            let mut leaves = Vec::new();
            self.leaves(ty, 0, &mut Vec::new(), &mut leaves);
            for Leaf { path, offset, size } in leaves {
                let fragment = [FRAGMENT, offset, size];
                let expression = self.builder.expression(if size < whole { &fragment } else { &[] });
                let leaf = self.byte_of_bit(self.leaf(value, &path, at.1), at.1);
                self.builder.value(leaf, variable, expression, at);
            }
        }
    }

    unsafe fn leaves(&self, ty: LLVMTypeRef, offset: u64, path: &mut Vec<u32>, into: &mut Vec<Leaf>) {
        // SAFETY: the type has a size, and members are counted before they are asked for.
        unsafe {
            if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMStructTypeKind {
                into.push(Leaf { path: path.clone(), offset, size: LLVMABISizeOfType(self.layout, ty) * 8 });
                return;
            }
            for member in 0..LLVMCountStructElementTypes(ty) {
                path.push(member);
                let within = offset + LLVMOffsetOfElement(self.layout, ty, member) * 8;
                self.leaves(LLVMStructGetTypeAtIndex(ty, member), within, path, into);
                path.pop();
            }
        }
    }

    /// A part of a value: what was put there, or what is taken out before an instruction.
    unsafe fn leaf(&self, mut value: LLVMValueRef, mut path: &[u32], before: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: an insertion has two operands and its indices.
        unsafe {
            while !path.is_empty() && !LLVMIsAInsertValueInst(value).is_null() {
                let count = LLVMGetNumIndices(value) as usize;
                let indices = std::slice::from_raw_parts(LLVMGetIndices(value), count);
                let is_within = path.starts_with(indices);
                if is_within {
                    path = &path[count..];
                }
                value = LLVMGetOperand(value, u32::from(is_within));
            }
            self.instructions_at(before);
            let take = |value, index: &u32| LLVMBuildExtractValue(self.instructions, value, *index, c"".as_ptr());
            path.iter().fold(value, take)
        }
    }

    /// A truth value as the byte that the debugger reads.
    unsafe fn byte_of_bit(&self, value: LLVMValueRef, before: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: only integers have a width.
        unsafe {
            let ty = LLVMTypeOf(value);
            if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMIntegerTypeKind || LLVMGetIntTypeWidth(ty) != 1 {
                return value;
            }
            self.instructions_at(before);
            let byte = LLVMInt8TypeInContext(inkwell::llvm_sys::core::LLVMGetTypeContext(ty));
            LLVMBuildZExt(self.instructions, value, byte, c"".as_ptr())
        }
    }

    /// Puts new instructions before one, without a location of their own.
    unsafe fn instructions_at(&self, before: LLVMValueRef) {
        // SAFETY: the instruction is in a block.
        unsafe {
            LLVMPositionBuilderBefore(self.instructions, before);
            LLVMSetCurrentDebugLocation2(self.instructions, std::ptr::null_mut());
        }
    }
}

/// The users of a value.
unsafe fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut users = Vec::new();
    // SAFETY: a use has a user, and the last one has no next.
    unsafe {
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            users.push(LLVMGetUser(next));
            next = inkwell::llvm_sys::core::LLVMGetNextUse(next);
        }
    }
    users.reverse();
    users
}
