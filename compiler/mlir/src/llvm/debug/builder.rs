//! LLVM's builder of debug information, with the few kinds of metadata that Clef's types and variables need.

use inkwell::{
    llvm_sys::{
        core::LLVMGlobalAddDebugInfo,
        debuginfo::{
            LLVMDIBuilderCreateAutoVariable, LLVMDIBuilderCreateBasicType, LLVMDIBuilderCreateEnumerationType,
            LLVMDIBuilderCreateEnumerator, LLVMDIBuilderCreateExpression, LLVMDIBuilderCreateFile,
            LLVMDIBuilderCreateGlobalVariableExpression, LLVMDIBuilderCreateMemberType,
            LLVMDIBuilderCreateParameterVariable, LLVMDIBuilderCreatePointerType,
            LLVMDIBuilderCreateReplaceableCompositeType, LLVMDIBuilderCreateStaticMemberType,
            LLVMDIBuilderCreateStructType, LLVMDIBuilderCreateSubroutineType, LLVMDIBuilderCreateTypedef,
            LLVMDIBuilderFinalize, LLVMDIBuilderInsertDbgValueRecordBefore, LLVMDIBuilderInsertDeclareRecordBefore,
            LLVMDILocationGetScope, LLVMDIScopeGetFile, LLVMDisposeDIBuilder, LLVMGetSubprogram,
            LLVMInstructionGetDebugLoc, LLVMMetadataReplaceAllUsesWith,
        },
        prelude::{LLVMDIBuilderRef, LLVMMetadataRef, LLVMModuleRef, LLVMValueRef},
    },
    module::Module as LlvmModule,
    values::{AsValueRef as _, FunctionValue, GlobalValue},
};
use std::ptr::null_mut;

use super::DebugVariable;

/// DWARF's tag of structures.
const STRUCTURE: u32 = 0x13;

/// DWARF's operations whose result is a number, and a value instead of an address.
const UNSIGNED_CONSTANT: u64 = 0x10;
const STACK_VALUE: u64 = 0x9f;

unsafe extern "C" {
    fn clef_llvm_debug_builder(program: LLVMModuleRef) -> LLVMDIBuilderRef;
    fn clef_llvm_debug_first_unit(program: LLVMModuleRef) -> LLVMMetadataRef;
    fn clef_llvm_debug_unit(
        program: LLVMModuleRef,
        like: LLVMMetadataRef,
        language: u16,
        is_first: bool,
    ) -> LLVMDIBuilderRef;
    fn clef_llvm_debug_retain(builder: LLVMDIBuilderRef, ty: LLVMMetadataRef);
    /// Of LLVM's C API; the bindings lack it.
    fn LLVMDISubprogramReplaceType(subprogram: LLVMMetadataRef, ty: LLVMMetadataRef);
}

/// A node of metadata, which lives as long as its module's context, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Metadata(LLVMMetadataRef);

impl Metadata {
    /// None.
    pub(super) fn none() -> Metadata {
        Metadata(null_mut())
    }

    /// Whether it is none.
    pub(super) fn is_none(self) -> bool {
        self.0.is_null()
    }
}

/// Where an instruction is: its location, and the scope and the file of that.
#[derive(Clone, Copy)]
pub(super) struct Place {
    location: Metadata,
    /// The scope.
    pub(super) scope: Metadata,
    file: Metadata,
}

/// The language of a compilation unit, by whose rules a debugger names what is in it.
#[derive(Clone, Copy)]
pub(super) enum Language {
    /// C, as the unit of the program.
    C,
    /// D, whose names of members begin with that of the type and a dot.
    D,
}

impl Language {
    /// The number of DWARF's `DW_LANG`.
    fn number(self) -> u16 {
        match self {
            Language::C => 0x0c,
            Language::D => 0x13,
        }
    }
}

/// The position of a new compilation unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    First,
    Last,
}

/// What is said of a variable that is no function's: its name, the file and the line that bind it, and its type.
#[derive(Clone, Copy)]
pub(super) struct Bound<'a> {
    pub(super) name: &'a str,
    pub(super) file: Metadata,
    pub(super) line: u32,
    pub(super) ty: Metadata,
}

/// A builder that adds to a compilation unit of a module.
pub(super) struct Builder {
    raw: LLVMDIBuilderRef,
}

// SAFETY of all methods: the builder lives as long as the module, in whose context all metadata is; strings and arrays
// are passed with their lengths, and LLVM copies them.
impl Builder {
    /// For the unit of a module that has one.
    pub(super) fn of(program: &LlvmModule<'_>) -> Option<(Builder, Metadata)> {
        let module = program.as_mut_ptr();
        // SAFETY: the module lives; a null pointer is checked for, and a module with a builder has a unit.
        unsafe {
            let raw = clef_llvm_debug_builder(module);
            (!raw.is_null()).then(|| (Builder { raw }, Metadata(clef_llvm_debug_first_unit(module))))
        }
    }

    /// For a new unit that is otherwise like another one.
    pub(super) fn unit(program: &LlvmModule<'_>, like: Metadata, language: Language, position: Position) -> Builder {
        let is_first = position == Position::First;
        // SAFETY: the module lives, and so does its unit.
        Builder { raw: unsafe { clef_llvm_debug_unit(program.as_mut_ptr(), like.0, language.number(), is_first) } }
    }

    /// A machine value.
    pub(super) fn basic(&self, name: &str, bits: u64, encoding: u32) -> Metadata {
        let (text, length) = parts(name);
        // SAFETY: see above.
        Metadata(unsafe { LLVMDIBuilderCreateBasicType(self.raw, text, length, bits, encoding, 0) })
    }

    /// An integer with named values.
    pub(super) fn enumeration(&self, name: &str, bits: u64, values: &[(String, i64)]) -> Metadata {
        let value = |(name, value): &(String, i64)| {
            let (text, length) = parts(name);
            // SAFETY: see above.
            unsafe { LLVMDIBuilderCreateEnumerator(self.raw, text, length, *value, 0) }
        };
        let mut values: Vec<LLVMMetadataRef> = values.iter().map(value).collect();
        let count = values.len() as u32;
        let integer = self.basic("", bits, 0x05);
        let (text, length) = parts(name);
        // SAFETY: see above.
        Metadata(unsafe {
            LLVMDIBuilderCreateEnumerationType(
                self.raw,
                null_mut(),
                text,
                length,
                null_mut(),
                0,
                bits,
                0,
                values.as_mut_ptr(),
                count,
                integer.0,
            )
        })
    }

    /// An address.
    pub(super) fn pointer(&self, to: Metadata, bits: u64) -> Metadata {
        let (text, length) = parts("");
        // SAFETY: see above.
        Metadata(unsafe { LLVMDIBuilderCreatePointerType(self.raw, to.0, bits, 0, 0, text, length) })
    }

    /// Another name.
    pub(super) fn alias(&self, name: &str, of: Metadata) -> Metadata {
        let (text, length) = parts(name);
        // SAFETY: see above.
        Metadata(unsafe { LLVMDIBuilderCreateTypedef(self.raw, of.0, text, length, null_mut(), 0, null_mut(), 0) })
    }

    /// A structure that is not known yet, to be replaced.
    pub(super) fn declaration(&self, name: &str) -> Metadata {
        let (text, length) = parts(name);
        let (none, zero) = parts("");
        // SAFETY: see above.
        Metadata(unsafe {
            LLVMDIBuilderCreateReplaceableCompositeType(
                self.raw,
                STRUCTURE,
                text,
                length,
                null_mut(),
                null_mut(),
                0,
                0,
                0,
                0,
                0,
                none,
                zero,
            )
        })
    }

    /// A structure with its members and inner types.
    pub(super) fn structure(&self, name: &str, bytes: u64, elements: &[Metadata]) -> Metadata {
        let mut elements: Vec<LLVMMetadataRef> = elements.iter().map(|element| element.0).collect();
        let count = elements.len() as u32;
        let (text, length) = parts(name);
        let (none, zero) = parts("");
        // SAFETY: see above.
        Metadata(unsafe {
            LLVMDIBuilderCreateStructType(
                self.raw,
                null_mut(),
                text,
                length,
                null_mut(),
                0,
                bytes * 8,
                0,
                0,
                null_mut(),
                elements.as_mut_ptr(),
                count,
                0,
                null_mut(),
                none,
                zero,
            )
        })
    }

    /// A member of a structure at an offset in bytes.
    pub(super) fn member(&self, structure: Metadata, (name, offset): (&str, u64), ty: Metadata, bits: u64) -> Metadata {
        let (text, length) = parts(name);
        // SAFETY: see above.
        Metadata(unsafe {
            LLVMDIBuilderCreateMemberType(
                self.raw,
                structure.0,
                text,
                length,
                null_mut(),
                0,
                bits,
                0,
                offset * 8,
                0,
                ty.0,
            )
        })
    }

    /// Replaces a declaration.
    pub(super) fn replace(&self, declaration: Metadata, by: Metadata) {
        // SAFETY: the declaration is temporary, and nothing uses it afterwards.
        unsafe { LLVMMetadataReplaceAllUsesWith(declaration.0, by.0) };
    }

    /// Keeps a type that no variable has.
    pub(super) fn retain(&self, ty: Metadata) {
        // SAFETY: see above.
        unsafe { clef_llvm_debug_retain(self.raw, ty.0) };
    }

    /// Gives a function the types of its result and parameters.
    pub(super) fn signature(&self, function: FunctionValue<'_>, types: &[Metadata]) {
        let mut types: Vec<LLVMMetadataRef> = types.iter().map(|ty| ty.0).collect();
        let count = types.len() as u32;
        // SAFETY: see above; a function without a scope is left alone.
        unsafe {
            let subprogram = LLVMGetSubprogram(function.as_value_ref());
            if !subprogram.is_null() {
                let file = LLVMDIScopeGetFile(subprogram);
                let ty = LLVMDIBuilderCreateSubroutineType(self.raw, file, types.as_mut_ptr(), count, 0);
                LLVMDISubprogramReplaceType(subprogram, ty);
            }
        }
    }

    /// A file.
    pub(super) fn file(&self, name: &str, directory: &str) -> Metadata {
        let ((name, length), (directory, of_directory)) = (parts(name), parts(directory));
        // SAFETY: see above.
        Metadata(unsafe { LLVMDIBuilderCreateFile(self.raw, name, length, directory, of_directory) })
    }

    /// A member of a structure that is a variable of its own.
    pub(super) fn static_member(&self, structure: Metadata, bound: Bound<'_>) -> Metadata {
        let Bound { name, file, line, ty } = bound;
        let (name, length) = parts(name);
        // SAFETY: see above; the value of the member is not known here.
        Metadata(unsafe {
            LLVMDIBuilderCreateStaticMemberType(
                self.raw,
                structure.0,
                name,
                length,
                file.0,
                line,
                ty.0,
                0,
                null_mut(),
                0,
            )
        })
    }

    /// A variable that is in no function: what an expression makes of nothing, or of the address of a global that it is
    /// added to; it may be declared before as a static member.
    pub(super) fn global(
        &self,
        bound: Bound<'_>,
        is_local: bool,
        expression: Metadata,
        declaration: Metadata,
    ) -> Metadata {
        let Bound { name, file, line, ty } = bound;
        let ((name, length), (none, zero)) = (parts(name), parts(""));
        // SAFETY: see above.
        Metadata(unsafe {
            LLVMDIBuilderCreateGlobalVariableExpression(
                self.raw,
                null_mut(),
                name,
                length,
                none,
                zero,
                file.0,
                line,
                ty.0,
                i32::from(is_local),
                expression.0,
                declaration.0,
                0,
            )
        })
    }

    /// Says that a variable is in the memory of a global.
    pub(super) fn add(&self, defined: GlobalValue<'_>, variable: Metadata) {
        // SAFETY: see above; the description is that of a variable in no function.
        unsafe { LLVMGlobalAddDebugInfo(defined.as_value_ref(), variable.0) };
    }

    /// An expression of DWARF's and LLVM's operations.
    pub(super) fn expression(&self, operations: &[u64]) -> Metadata {
        let mut operations = operations.to_vec();
        // SAFETY: see above.
        Metadata(unsafe { LLVMDIBuilderCreateExpression(self.raw, operations.as_mut_ptr(), operations.len()) })
    }

    /// An expression whose value is a number.
    pub(super) fn constant(&self, number: u64) -> Metadata {
        self.expression(&[UNSIGNED_CONSTANT, number, STACK_VALUE])
    }

    /// The place of an instruction, if it has one.
    pub(super) fn place(&self, instruction: LLVMValueRef) -> Option<Place> {
        // SAFETY: the instruction lives; the null pointer is checked for.
        unsafe {
            let location = LLVMInstructionGetDebugLoc(instruction);
            if location.is_null() {
                return None;
            }
            let scope = LLVMDILocationGetScope(location);
            Some(Place {
                location: Metadata(location),
                scope: Metadata(scope),
                file: Metadata(LLVMDIScopeGetFile(scope)),
            })
        }
    }

    /// A parameter or variable in a scope.
    pub(super) fn variable(&self, variable: &DebugVariable, ty: Metadata, place: Place) -> Metadata {
        let (text, length) = parts(&variable.name);
        let (scope, file, line) = (place.scope.0, place.file.0, variable.line);
        // SAFETY: see above.
        Metadata(unsafe {
            match variable.parameter {
                Some(number) => {
                    LLVMDIBuilderCreateParameterVariable(self.raw, scope, text, length, number, file, line, ty.0, 1, 0)
                }
                None => LLVMDIBuilderCreateAutoVariable(self.raw, scope, text, length, file, line, ty.0, 1, 0, 0),
            }
        })
    }

    /// From an instruction on, a variable is what an expression makes of a value.
    pub(super) fn value(
        &self,
        value: LLVMValueRef,
        variable: Metadata,
        expression: Metadata,
        (place, before): (Place, LLVMValueRef),
    ) {
        let location = place.location.0;
        // SAFETY: the value dominates the instruction.
        unsafe {
            LLVMDIBuilderInsertDbgValueRecordBefore(self.raw, value, variable.0, expression.0, location, before);
        }
    }

    /// In its whole scope, a variable is at the address that an expression makes of a value.
    pub(super) fn address(
        &self,
        address: LLVMValueRef,
        variable: Metadata,
        expression: Metadata,
        (place, before): (Place, LLVMValueRef),
    ) {
        let location = place.location.0;
        // SAFETY: as above.
        unsafe {
            LLVMDIBuilderInsertDeclareRecordBefore(self.raw, address, variable.0, expression.0, location, before);
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: the builder was made once and is not used afterwards.
        unsafe {
            LLVMDIBuilderFinalize(self.raw);
            LLVMDisposeDIBuilder(self.raw);
        }
    }
}

/// Address and length.
fn parts(text: &str) -> (*const std::ffi::c_char, usize) {
    (text.as_ptr().cast(), text.len())
}
