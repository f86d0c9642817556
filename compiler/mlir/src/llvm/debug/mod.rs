//! Types and variables in debug information.
//!
//! In: a module that was translated from one with [`Scope`](crate::Scope)s and notes, and a [`DebugInfo`] with the
//! variables that the notes number. Out: the module with DWARF's types, parameters, variables and module-level values,
//! and without notes. The scope of a variable is that of its first note.
//!
//! There are three compilation units. The types are in one of their own: a debugger looks for a name in the unit of the
//! code, then among variables that all units know, and then in other units. So a module is found before a type or a
//! case of its name.

mod builder;
mod modules;
mod notes;
mod types;

use inkwell::{
    llvm_sys::{prelude::LLVMModuleRef, target_machine::LLVMTargetMachineRef},
    module::Module as LlvmModule,
    targets::TargetMachine,
};

use builder::{Bound, Builder, Language, Metadata, Position};
use types::Types;

/// What a debugger shows of a program besides its lines.
#[derive(Clone, Debug, Default)]
pub struct DebugInfo {
    /// The types, which name one another by their positions, also in circles. A debugger finds them by their names, also
    /// those that no variable has.
    pub types: Vec<DebugType>,
    /// The functions.
    pub functions: Vec<DebugFunction>,
    /// The parameters and variables of functions, as notes number them.
    pub variables: Vec<DebugVariable>,
    /// The module-level values in memory.
    pub globals: Vec<DebugGlobal>,
    /// The directory to which the names of files are relative.
    pub directory: String,
}

impl DebugInfo {
    /// Lines only.
    pub const LINES: &DebugInfo = &DebugInfo {
        types: Vec::new(),
        functions: Vec::new(),
        variables: Vec::new(),
        globals: Vec::new(),
        directory: String::new(),
    };
}

/// The position of a type in [`DebugInfo::types`].
pub type TypeNumber = usize;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DebugType {
    /// A machine value.
    Basic {
        /// Its name.
        name: String,
        /// Its size.
        bits: u64,
        /// How it is shown.
        encoding: Encoding,
    },
    /// An integer some of whose values have names.
    Enumeration {
        /// Its name.
        name: String,
        /// Its size.
        bits: u64,
        /// The names of values.
        values: Vec<(String, i64)>,
    },
    /// An address.
    Pointer {
        /// What is there, if that is known.
        to: Option<TypeNumber>,
        /// Its size.
        bits: u64,
    },
    /// Another name of a type.
    Alias {
        /// The name.
        name: String,
        /// The type.
        of: TypeNumber,
    },
    /// Members at their offsets; they may overlap.
    Structure {
        /// Its name.
        name: String,
        /// Its size.
        bytes: u64,
        /// The members.
        members: Vec<Member>,
        /// Types that are declared within it.
        inner: Vec<TypeNumber>,
    },
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its distance from the start in bytes.
    pub offset: u64,
    /// Its type.
    pub ty: TypeNumber,
}

/// How a machine value is shown, as DWARF numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `false` or `true`.
    Boolean,
    /// A float.
    Float,
    /// An integer with a sign.
    Signed,
    /// An integer without a sign.
    Unsigned,
    /// A Unicode scalar value.
    Unicode,
    /// A byte of text.
    Byte,
}

/// The signature of a function.
#[derive(Clone, Debug)]
pub struct DebugFunction {
    /// The symbol of its code.
    pub symbol: String,
    /// Its result; `None` for `unit`.
    pub result: Option<TypeNumber>,
    /// Its parameters.
    pub parameters: Vec<TypeNumber>,
}

/// A parameter or variable of a function.
#[derive(Clone, Debug)]
pub struct DebugVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeNumber,
    /// For a parameter, its position from 1.
    pub parameter: Option<u32>,
    /// The line that binds it.
    pub line: u32,
}

/// Where a module-level value is.
#[derive(Clone, Debug)]
pub enum Held {
    /// In the memory of a symbol.
    Memory(String),
    /// Nowhere: it is a machine value with these bits.
    Number(u64),
}

/// A module-level value.
#[derive(Clone, Debug)]
pub struct DebugGlobal {
    /// Where it is.
    pub held: Held,
    /// The modules that it is in, the outermost first.
    pub modules: Vec<String>,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeNumber,
    /// The file that binds it.
    pub file: String,
    /// The line that binds it.
    pub line: u32,
}

unsafe extern "C" {
    fn clef_llvm_debug_callers(program: LLVMModuleRef);
    fn clef_llvm_debug_constants(program: LLVMModuleRef);
    fn clef_llvm_debug_removed(program: LLVMModuleRef);
    fn clef_llvm_debug_personalities(program: LLVMModuleRef);
    fn clef_llvm_debug_frames(machine: LLVMTargetMachineRef);
}

/// Lets debuggers and `clefc` unwind the stack, also in programs without other debug information: LLVM writes
/// `.debug_frame`, which is not in memory.
pub(super) fn frames(machine: &TargetMachine) {
    // SAFETY: the machine lives.
    unsafe { clef_llvm_debug_frames(machine.as_mut_ptr()) };
}

/// Keeps the unwind tables of a program that is complete out of memory.
pub(super) fn unwind(program: &LlvmModule<'_>) {
    // SAFETY: the module lives.
    unsafe { clef_llvm_debug_personalities(program.as_mut_ptr()) };
}

/// Describes the functions of the runtime that lead to the program, if the program is described, so that code of the
/// program that is inlined into them keeps its places.
pub(super) fn callers(program: &LlvmModule<'_>) {
    // SAFETY: the module lives.
    unsafe { clef_llvm_debug_callers(program.as_mut_ptr()) };
}

/// Describes a program; one without a compilation unit has nothing to describe.
pub(super) fn describe(program: &LlvmModule<'_>, info: &DebugInfo) {
    let Some((builder, unit)) = Builder::of(program) else { return };
    let of_types = Builder::unit(program, unit, Language::C, Position::First);
    let types = Types::build(&of_types, info);
    types.all().for_each(|ty| of_types.retain(ty));
    for function in &info.functions {
        if let Some(defined) = program.get_function(&function.symbol) {
            builder.signature(defined, &types.signature(function));
        }
    }
    for global in &info.globals {
        let file = builder.file(&global.file, &info.directory);
        let bound = Bound { name: &global.name, file, line: global.line, ty: types.of(global.ty) };
        define(program, &builder, &global.held, bound, Metadata::none());
    }
    let of_modules = Builder::unit(program, unit, Language::D, Position::Last);
    modules::describe(program, &of_modules, &types, info);
    drop(of_modules);
    notes::replace(program, &builder, &types, info);
    drop(builder);
    // SAFETY: the module lives, and its units are complete.
    unsafe { clef_llvm_debug_constants(program.as_mut_ptr()) };
}

/// Says where a module-level value is, which may be declared before as a member of its module; whether it is anywhere.
fn define(program: &LlvmModule<'_>, builder: &Builder, held: &Held, bound: Bound<'_>, declaration: Metadata) -> bool {
    match held {
        Held::Memory(symbol) => {
            let Some(defined) = program.get_global(symbol) else { return false };
            builder.add(defined, builder.global(bound, true, builder.expression(&[]), declaration));
        }
        Held::Number(bits) => {
            builder.global(bound, true, builder.constant(*bits), declaration);
        }
    }
    true
}

/// Removes what is said of module-level values that are in memory no longer.
pub(super) fn remove_unheld(program: &LlvmModule<'_>) {
    // SAFETY: the module lives.
    unsafe { clef_llvm_debug_removed(program.as_mut_ptr()) };
}
