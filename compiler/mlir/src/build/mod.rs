//! The builder: types, symbols of the module, and [`Emit`], which writes the body of a function.
//!
//! In: calls; handles are `Copy` and live as long as the module under construction (`'m`). Out: operations of the `llvm`
//! and `clef` dialects. The builder checks nothing that MLIR's verifiers check afterwards.

mod arithmetic;
pub(crate) mod attribute;
mod call;
mod closure;
mod control;
pub(crate) mod debug;
mod emit;
mod function;
mod global;
mod memory;
mod region;
mod types;
pub(crate) mod view;

use clef_base::HashSet;
use std::cell::{Cell, RefCell};

use melior::{
    Context,
    ir::{BlockLike as _, BlockRef, Module as MlirModule, Operation, OperationRef},
};

pub use arithmetic::{FloatPredicate, IntPredicate};
pub use call::Tail;
pub use closure::{Capture, Storage};
pub use debug::{CallPlace, Noted, Scope, Unit};
pub use emit::{Block, Emit, Value};
pub use function::{Convention, Extension, Function, Linkage, Passing, Signature};
pub use global::{Constant, Global};
pub use memory::Memory;
pub use types::Type;

/// What a module under construction has besides its operations.
#[derive(Default)]
pub(crate) struct ModuleState {
    pub(crate) symbols: RefCell<HashSet<String>>,
    /// The assembly of the module.
    pub(crate) assembly: RefCell<Vec<String>>,
    /// The compilation unit in its debug information, as an attribute.
    pub(crate) unit: Cell<Option<mlir_sys::MlirAttribute>>,
}

/// A module under construction.
#[derive(Clone, Copy)]
pub struct Build<'m> {
    pub(crate) context: &'m Context,
    body: BlockRef<'m, 'm>,
    state: &'m ModuleState,
}

impl<'m> Build<'m> {
    pub(crate) fn new(context: &'m Context, module: &'m MlirModule<'m>, state: &'m ModuleState) -> Self {
        Build { context, body: module.body(), state }
    }

    /// Whether the module has a function or a global of this name.
    pub fn has_symbol(&self, name: &str) -> bool {
        self.state.symbols.borrow().contains(name)
    }

    /// Records a symbol; false if the name was taken.
    fn note_symbol(&self, name: &str) -> bool {
        self.state.symbols.borrow_mut().insert(name.to_owned())
    }

    /// Frees the name of a symbol that was erased.
    pub(crate) fn forget_symbol(&self, name: &str) {
        self.state.symbols.borrow_mut().remove(name);
    }

    /// Appends assembly to the module, which precedes that of its functions.
    pub fn assembly(&self, text: &str) {
        self.state.assembly.borrow_mut().push(text.to_owned());
    }

    /// Appends an operation to the module.
    fn append(&self, operation: Operation<'m>) -> OperationRef<'m, 'm> {
        let operation = self.body.append_operation(operation);
        // SAFETY: the module owns the operation from here on, and it lives for `'m`.
        unsafe { OperationRef::from_raw(operation.to_raw()) }
    }
}
