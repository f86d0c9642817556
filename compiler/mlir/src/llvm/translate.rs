//! From the `llvm` dialect to an LLVM module.

use inkwell::{context::Context, module::Module as LlvmModule};
use melior::{
    ir::{Location, operation::OperationLike as _},
    pass::PassManager,
    utility::parse_pass_pipeline,
};

use crate::{Fault, Module, build::view::top_level, fault, session::collect};

/// The file that a module was built for.
pub(super) fn source_file(module: &Module<'_>) -> String {
    fault::place(module.module.as_operation().location()).map_or_else(|| "program".to_owned(), |place| place.file)
}

/// A function and the number of explicit parameters to store before its code.
pub(super) type Arity = (String, u32);

/// The functions whose arity is stored before their code: LLVM IR has no attribute for it.
pub(super) fn arities(module: &Module<'_>) -> Vec<Arity> {
    let functions = top_level(&module.module).filter(|op| op.is("llvm.func"));
    let arity = functions.filter_map(|function| {
        let arity = u32::try_from(function.integer("clef.arity")?).ok()?;
        Some((function.sym_name()?.to_owned(), arity))
    });
    arity.collect()
}

/// The globals that stay in the image even if nothing refers to them.
pub(super) fn used(module: &Module<'_>) -> Vec<String> {
    let globals = top_level(&module.module).filter(|op| op.attribute("clef.used").is_some());
    globals.filter_map(|global| global.sym_name().map(str::to_owned)).collect()
}

/// Adds a debug scope to every function, so that locations become source lines.
pub(super) fn add_debug_scopes(module: &mut Module<'_>) -> Result<(), Vec<Fault>> {
    locate(module);
    // SAFETY: registering the same pass again changes nothing.
    unsafe { mlir_sys::mlirRegisterLLVMDIScopeForLLVMFuncOpPass() };
    let passes = "builtin.module(ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly})";
    let context = module.context;
    let (done, faults) = collect(context, || {
        let manager = PassManager::new(context);
        parse_pass_pipeline(manager.as_operation_pass_manager(), passes)?;
        manager.run(&mut module.module)
    });
    match done {
        Ok(()) => Ok(()),
        Err(error) if faults.is_empty() => Err(vec![Fault::new(error.to_string())]),
        Err(_) => Err(faults),
    }
}

/// Assigns operations without a location to line zero of their function's file, the DWARF convention for code that the
/// compiler added: LLVM requires a location on every call that it may inline.
fn locate(module: &Module<'_>) {
    let of_module = fault::place(module.module.as_operation().location());
    for function in top_level(&module.module).filter(|op| op.is("llvm.func")) {
        let place = fault::place(function.location()).or_else(|| of_module.clone());
        let file = place.map_or_else(|| "<compiler>".to_owned(), |place| place.file);
        let nowhere = Location::new(module.context, &file, 0, 0);
        let unplaced = std::iter::once(function).chain(function.inner());
        for op in unplaced.filter(|op| fault::place(op.location()).is_none()) {
            op.set_location(nowhere);
        }
    }
}

/// Translates a module.
pub(super) fn to_llvm<'c>(module: &Module<'_>, context: &'c Context) -> Result<LlvmModule<'c>, Vec<Fault>> {
    let operation = module.module.as_operation().to_raw();
    // SAFETY: MLIR and inkwell are linked to one LLVM, so the context is what MLIR expects and outlives the module,
    // which inkwell owns from here on; a null pointer is checked for.
    let (translated, mut faults) = collect(module.context, || unsafe {
        let raw = mlir_sys::mlirTranslateModuleToLLVMIR(operation, context.raw().cast());
        (!raw.is_null()).then(|| LlvmModule::new(raw.cast()))
    });
    translated.ok_or_else(|| {
        faults.push(Fault::new("the module cannot be translated to LLVM IR"));
        faults
    })
}
