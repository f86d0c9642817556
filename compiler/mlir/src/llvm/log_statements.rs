//! The locations of log statements, for readers of the log: each is a variable in the debug information, whose name is
//! the one they look for, and whose linkage name is the symbol of the statement's format.

use inkwell::{
    context::Context,
    debug_info::{AsDIScope as _, DIFlags, DIFlagsConstants as _, DWARFEmissionKind, DWARFSourceLanguage},
    module::Module as LlvmModule,
};

use crate::{Module, build::view::top_level, fault};

/// The name that readers of the log look for.
const NAME: &str = "DEFMT_LOG_STATEMENT";

/// DWARF's number for unsigned integers.
const UNSIGNED: u32 = 7;

/// The symbol of a statement's format, and its location.
pub(super) struct Statement {
    symbol: String,
    file: String,
    line: u32,
}

/// The statements of a module: its globals that have a location.
pub(super) fn find(module: &Module<'_>) -> Vec<Statement> {
    let globals = top_level(&module.module).filter(|op| op.is("llvm.mlir.global"));
    let statement = globals.filter_map(|global| {
        let place = fault::place(global.location())?;
        let symbol = global.sym_name()?.to_owned();
        Some(Statement { symbol, file: place.file, line: u32::try_from(place.line).unwrap_or(u32::MAX) })
    });
    statement.collect()
}

/// Describes them. The module has debug information, since translation adds it.
pub(super) fn describe<'c>(context: &'c Context, program: &LlvmModule<'c>, statements: &[Statement]) {
    let Some(first) = statements.first() else { return };
    let (debug, unit) = program.create_debug_info_builder(
        true,
        DWARFSourceLanguage::C99,
        &first.file,
        "",
        "clefc",
        false,
        "",
        0,
        "",
        DWARFEmissionKind::Full,
        0,
        false,
        false,
        "",
        "",
    );
    let Ok(byte) = debug.create_basic_type("u8", 8, UNSIGNED, DIFlags::ZERO) else { return };
    let kind = context.get_kind_id("dbg");
    for statement in statements {
        let Some(global) = program.get_global(&statement.symbol) else { continue };
        let file = debug.create_file(&statement.file, "");
        let variable = debug.create_global_variable_expression(
            unit.as_debug_info_scope(),
            NAME,
            &statement.symbol,
            file,
            statement.line,
            byte.as_type(),
            true,
            Some(debug.create_expression(Vec::new())),
            None,
            8,
        );
        global.set_metadata(variable.as_metadata_value(context), kind);
    }
    debug.finalize();
}
