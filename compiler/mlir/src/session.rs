//! An MLIR context with everything loaded, and the modules built in it.
//!
//! Out: modules that MLIR's verifiers accept. While this crate works in a context, a handler collects its diagnostics.

use std::{cell::RefCell, fmt, rc::Rc};

use clef_base::internal::bug;
use melior::{
    Context,
    ir::{
        Attribute, Location, Module as MlirModule,
        attribute::ArrayAttribute,
        operation::{OperationLike as _, OperationMutLike as _},
    },
    utility::load_irdl_dialects,
};

use crate::{
    build::{Build, ModuleState, attribute},
    fault::Fault,
};

/// The `clef` dialect in IRDL, as `mlir-opt --irdl-file` reads it.
pub const IRDL: &str = include_str!("../clef.irdl.mlir");

/// The attribute of a module that holds its assembly.
const ASSEMBLY: &str = "llvm.module_asm";

unsafe extern "C" {
    fn clefLoadDialects(context: mlir_sys::MlirContext);
}

/// An MLIR context in which the `llvm` and `clef` dialects are loaded.
pub struct Session {
    context: Context,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// Makes a context and loads the dialects.
    pub fn new() -> Self {
        let context = Context::new_with_threading(false);
        // SAFETY: the context lives.
        unsafe { clefLoadDialects(context.to_raw()) };
        match MlirModule::parse(&context, IRDL) {
            Some(dialect) if load_irdl_dialects(&dialect) => {}
            _ => bug("mlir", None, "the clef dialect does not load"),
        }
        Session { context }
    }

    /// Builds a module and verifies it.
    pub fn module(&self, build: impl for<'m> FnOnce(Build<'m>)) -> Result<Module<'_>, Vec<Fault>> {
        self.module_at(Location::unknown(&self.context), build)
    }

    /// Builds a module for a source file, which debug information names, and verifies it.
    pub fn module_of(&self, file: &str, build: impl for<'m> FnOnce(Build<'m>)) -> Result<Module<'_>, Vec<Fault>> {
        self.module_at(Location::new(&self.context, file, 1, 1), build)
    }

    fn module_at<'s>(
        &'s self,
        at: Location<'s>,
        build: impl for<'m> FnOnce(Build<'m>),
    ) -> Result<Module<'s>, Vec<Fault>> {
        let mut module = MlirModule::new(at);
        let state = ModuleState::default();
        build(Build::new(&self.context, &module, &state));
        let assembly = state.assembly.take();
        if !assembly.is_empty() {
            let texts: Vec<_> = assembly.iter().map(|text| attribute::string(&self.context, text)).collect();
            module.as_operation_mut().set_attribute(ASSEMBLY, ArrayAttribute::new(&self.context, &texts).into());
        }
        if let Some(unit) = state.unit.take() {
            // SAFETY: the attribute is of this context.
            let unit = unsafe { Attribute::from_raw(unit) };
            let at = Location::fused(&self.context, &[module.as_operation().location()], unit);
            module.as_operation_mut().set_location(at);
        }
        let module = Module { context: &self.context, module };
        module.verify()?;
        Ok(module)
    }

    /// Reads a module from its textual form and verifies it.
    pub fn parse(&self, text: &str) -> Result<Module<'_>, Vec<Fault>> {
        let (module, faults) = collect(&self.context, || MlirModule::parse(&self.context, text));
        match module {
            Some(module) => Ok(Module { context: &self.context, module }),
            None => Err(faults),
        }
    }
}

/// A module, textual by `Display`.
pub struct Module<'s> {
    pub(crate) context: &'s Context,
    pub(crate) module: MlirModule<'s>,
}

impl Module<'_> {
    /// Runs MLIR's verifiers.
    pub fn verify(&self) -> Result<(), Vec<Fault>> {
        let (accepted, faults) = collect(self.context, || self.module.as_operation().verify());
        if accepted { Ok(()) } else { Err(faults) }
    }
}

impl fmt::Display for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.module.as_operation())
    }
}

/// Runs `work` with a handler that keeps every diagnostic; nothing reaches the terminal.
pub(crate) fn collect<T>(context: &Context, work: impl FnOnce() -> T) -> (T, Vec<Fault>) {
    let faults = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&faults);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        sink.borrow_mut().push(Fault::of(&diagnostic));
        true
    });
    let value = work();
    context.detach_diagnostic_handler(handler);
    (value, faults.take())
}
