//! The layout listing: the struct of every closure on one target, with offsets, index map and padding.
//!
//! In: a program and a target. Out: rows, and their text for `--emit layout`.

use crate::layout::{ClosureLayout, Layouts};
use clef_base::SourceMap;
use clef_sema::core::{Convention, FunctionId, Program};
use clef_target::Target;
use std::fmt::Write;

/// The layout of one closure.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its code.
    pub function: FunctionId,
    /// Where each capture lies.
    pub layout: ClosureLayout,
}

/// The closures of a program in the order of their functions.
pub fn rows(program: &Program, target: &Target) -> Vec<Row> {
    let layouts = Layouts::new(program, target);
    let closures =
        program.functions.iter().filter(|(_, function)| matches!(function.convention, Convention::Closure { .. }));
    closures.map(|(function, _)| Row { function, layout: layouts.closure(function) }).collect()
}

/// The listing as text.
pub fn text(program: &Program, target: &Target, sources: &SourceMap) -> String {
    let pointer = target.pointer_bits.bits() / 8;
    let mut out = format!("target {}: pointers of {pointer} bytes\n", target.name);
    for row in rows(program, target) {
        let function = &program.functions[row.function];
        let extent = row.layout.extent;
        let place = sources.place(function.span);
        let _ = writeln!(
            out,
            "\nclosure {} at {place}: {} bytes, aligned to {}, {} bytes of padding",
            function.name, extent.size, extent.align, row.layout.padding
        );
        let _ = writeln!(out, "  {:>6}  {:>5}  {:>7}  member", "offset", "bytes", "capture");
        let _ = writeln!(out, "  {:>6}  {pointer:>5}  {:>7}  code", 0, "-");
        let Convention::Closure { captures, .. } = &function.convention else { continue };
        for slot in &row.layout.slots {
            let local = &function.locals[captures[slot.capture]];
            let ty = program.type_name(local.ty);
            let _ = writeln!(
                out,
                "  {:>6}  {:>5}  {:>7}  {}: {ty}",
                slot.offset, slot.extent.size, slot.capture, local.name
            );
        }
    }
    out
}
