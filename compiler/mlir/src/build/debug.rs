//! What a debugger shows: the scopes of locations, and the values of variables.
//!
//! In: the names and lines of functions and blocks. Out: locations with these scopes, and *notes*, operations that name
//! the value or the place of a variable by its number; `llvm::debug` turns them into records of LLVM, since MLIR has no
//! attributes for all types.

use clef_base::internal::bug;
use melior::ir::{Attribute, AttributeLike as _, Location};

use super::{
    Build, Emit, Value,
    attribute::{named, segments, string, unit},
};

/// The intrinsic that a note is a call of, whose first arguments are the number of the variable and the kind of the note.
pub(crate) const NOTE: &str = "llvm.fake.use";

/// The language whose rules a debugger applies to expressions: DWARF has no number for ML, and C's operators, field
/// accesses and number formats are those that the debugger should accept.
const LANGUAGE: u32 = 0x0c;

/// The convention that DWARF calls normal.
const NORMAL: u32 = 1;

/// A compilation unit, as one attribute of MLIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'m> {
    unit: Attribute<'m>,
    directory: Attribute<'m>,
}

/// A function or a block within it, as one attribute of MLIR, with the file that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope<'m> {
    scope: Attribute<'m>,
    file: Attribute<'m>,
    unit: Unit<'m>,
}

/// Where a call was that is replaced by the body of its callee.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallPlace<'m>(Location<'m>);

impl<'m> CallPlace<'m> {
    /// A location in the callee.
    pub(super) fn around(self, at: Location<'m>) -> Location<'m> {
        Location::call_site(at, self.0)
    }
}

/// Where a variable of the source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// The value noted is the variable's from here on.
    Value,
    /// The value noted is the address of the variable, in the whole scope.
    Address,
    /// The value noted is the address of the address of the variable, in the whole scope.
    AddressOfAddress,
    /// The value noted is the address of the variable, from here on.
    ValueAtAddress,
    /// The value noted is the address of the address of the variable, from here on.
    ValueAtAddressOfAddress,
    /// The variable has no value from here on, whatever the value noted.
    Nothing,
}

impl Noted {
    /// All of them, by their numbers in notes.
    const ALL: [Noted; 6] = [
        Noted::Value,
        Noted::Address,
        Noted::AddressOfAddress,
        Noted::ValueAtAddress,
        Noted::ValueAtAddressOfAddress,
        Noted::Nothing,
    ];

    /// By its number in a note.
    pub(crate) fn numbered(number: u64) -> Option<Noted> {
        Noted::ALL.get(usize::try_from(number).ok()?).copied()
    }

    fn number(self) -> i64 {
        Noted::ALL.iter().position(|noted| *noted == self).unwrap_or_default() as i64
    }
}

impl<'m> Build<'m> {
    /// The unit of the module, all of whose functions get a scope.
    pub fn debug_unit(&self, file: &str, directory: &str, producer: &str, is_optimised: bool) -> Unit<'m> {
        let directory = string(self.context, directory);
        let file = self.file(file, directory);
        // SAFETY: all attributes are of the module's context, and null stands for an absent one.
        let unit = unsafe {
            Attribute::from_raw(mlir_sys::mlirLLVMDICompileUnitAttrGet(
                self.context.to_raw(),
                self.distinct(),
                LANGUAGE,
                file.to_raw(),
                string(self.context, producer).to_raw(),
                is_optimised,
                mlir_sys::MlirLLVMDIEmissionKind_MlirLLVMDIEmissionKindFull,
                mlir_sys::MlirLLVMDINameTableKind_MlirLLVMDINameTableKindDefault,
                ABSENT,
            ))
        };
        self.state.unit.set(Some(unit.to_raw()));
        Unit { unit, directory }
    }

    /// The scope of a function that the module defines. The calls that a debugger shows end at the program's main
    /// function.
    pub fn debug_function(
        &self,
        unit: Unit<'m>,
        (name, is_main): (&str, bool),
        (file, line): (&str, usize),
    ) -> Scope<'m> {
        let file = self.file(file, unit.directory);
        let line = number(line);
        // SAFETY: as above; the pointers to no attributes are not read.
        let scope = unsafe {
            let context = self.context.to_raw();
            let ty = mlir_sys::mlirLLVMDISubroutineTypeAttrGet(context, NORMAL, 0, std::ptr::null());
            Attribute::from_raw(mlir_sys::mlirLLVMDISubprogramAttrGet(
                context,
                ABSENT,
                false,
                self.distinct(),
                unit.unit.to_raw(),
                file.to_raw(),
                string(self.context, name).to_raw(),
                string(self.context, "").to_raw(),
                file.to_raw(),
                line,
                line,
                if is_main { DEFINITION | MAIN } else { DEFINITION },
                ty,
                0,
                std::ptr::null(),
                0,
                std::ptr::null(),
            ))
        };
        Scope { scope, file, unit }
    }

    /// A block within a scope, in the same file.
    pub fn debug_block(&self, within: Scope<'m>, (line, column): (usize, usize)) -> Scope<'m> {
        // SAFETY: as above.
        let scope = unsafe {
            Attribute::from_raw(mlir_sys::mlirLLVMDILexicalBlockAttrGet(
                self.context.to_raw(),
                within.scope.to_raw(),
                within.file.to_raw(),
                number(line),
                number(column),
            ))
        };
        Scope { scope, ..within }
    }

    /// The place of a replaced call in the frame of a function, or of the call that it was replaced by.
    pub fn call_place(
        &self,
        scope: Scope<'m>,
        around: Option<CallPlace<'m>>,
        (file, line, column): (&str, usize, usize),
    ) -> CallPlace<'m> {
        let at = self.scoped(file, Location::new(self.context, file, line, column), scope);
        CallPlace(around.map_or(at, |around| around.around(at)))
    }

    /// A location in a scope. Code of another file, which was inlined, is in a block of that file.
    pub(super) fn scoped(&self, file: &str, at: Location<'m>, scope: Scope<'m>) -> Location<'m> {
        let file = self.file(file, scope.unit.directory);
        if file == scope.file {
            return Location::fused(self.context, &[at], scope.scope);
        }
        // SAFETY: as above.
        let other = unsafe {
            Attribute::from_raw(mlir_sys::mlirLLVMDILexicalBlockFileAttrGet(
                self.context.to_raw(),
                scope.scope.to_raw(),
                file.to_raw(),
                0,
            ))
        };
        Location::fused(self.context, &[at], other)
    }

    fn file(&self, name: &str, directory: Attribute<'m>) -> Attribute<'m> {
        // SAFETY: as above.
        unsafe {
            Attribute::from_raw(mlir_sys::mlirLLVMDIFileAttrGet(
                self.context.to_raw(),
                string(self.context, name).to_raw(),
                directory.to_raw(),
            ))
        }
    }

    /// An identity that no other attribute has.
    fn distinct(&self) -> mlir_sys::MlirAttribute {
        // SAFETY: as above.
        unsafe { mlir_sys::mlirDisctinctAttrCreate(unit(self.context).to_raw()) }
    }
}

impl<'m> Emit<'m> {
    /// Continues in the frame of a replaced call, or in that of the function, in this scope.
    pub fn frame(&mut self, scope: Option<Scope<'m>>, call: Option<CallPlace<'m>>) {
        (self.scope, self.call) = (scope, call);
    }

    /// The scope of the locations that follow, and of the variables noted.
    pub fn scope(&mut self, scope: Option<Scope<'m>>) {
        self.scope = scope;
    }

    /// Sets the location of what follows to no line of the scope: code that the compiler added.
    pub fn at_no_line(&mut self, file: &str) {
        self.at(file, 0, 0);
    }

    /// Notes where a variable is.
    pub fn note_variable(&mut self, variable: usize, value: Value<'m>, noted: Noted) {
        let word = self.int(32);
        let variable = self.iconst(word, variable as i64);
        let kind = self.iconst(word, noted.number());
        let arguments = [variable, kind, value];
        let attributes = [
            named(self.context, "intrin", string(self.context, NOTE)),
            segments(self.context, &[arguments.len(), 0]),
            named(
                self.context,
                "op_bundle_sizes",
                melior::ir::attribute::DenseI32ArrayAttribute::new(self.context, &[]),
            ),
        ];
        self.llvm_effect("llvm.call_intrinsic", &arguments, &attributes);
    }
}

/// The absent attribute.
const ABSENT: mlir_sys::MlirAttribute = mlir_sys::MlirAttribute { ptr: std::ptr::null() };

/// LLVM's flag of a subprogram that is a definition.
const DEFINITION: u64 = 1 << 3;

/// LLVM's flag of the subprogram that is the program.
const MAIN: u64 = 1 << 8;

/// A line or column as attributes have it.
fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or_else(|_| bug("mlir", None, "a source file has more than 2^32 lines"))
}
