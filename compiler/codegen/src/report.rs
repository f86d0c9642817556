//! The layout listing: the struct of every closure and every node on one target, with offsets, index map and padding.
//!
//! In: a program and a target. Out: rows, and their text for `--emit layout`.

use crate::layout::{BoxedTag, ClosureLayout, Layouts};
use clef_base::{Bytes, Extent, HashMap, SourceMap, Span, internal::bug};
use clef_core::{AllocationKind, Convention, FunctionId, Program};
use clef_descriptors::Target;
use clef_types::{Type, TypeKind};
use std::fmt::Write;

/// The layout of one closure.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its code.
    pub function: FunctionId,
    /// The offset of each capture.
    pub layout: ClosureLayout,
}

/// The closures of a program in the order of their functions.
pub fn rows(program: &Program, target: &Target) -> Vec<Row> {
    let layouts = Layouts::new(program, target);
    let closures =
        program.functions.iter().filter(|(_, function)| matches!(function.convention, Convention::Closure { .. }));
    closures.map(|(function, _)| Row { function, layout: layouts.closure(function) }).collect()
}

/// The extent of an allocation in a region; of an array, and of a string, that of an element.
pub fn allocated(program: &Program, layouts: &Layouts<'_>, kind: AllocationKind) -> Extent {
    match kind {
        AllocationKind::Closure(function) => layouts.closure(function).in_region,
        AllocationKind::Node(ty, case) => layouts.node(ty, case).extent,
        AllocationKind::Reference(content) => layouts.extent(&layouts.repr(content)),
        AllocationKind::Array(array) => match program.types.kind(array) {
            TypeKind::Array(element) => layouts.extent(&layouts.repr(*element)),
            _ => bug("layout", None, "elements of a value that is not an array"),
        },
        AllocationKind::String => Extent::scalar(Bytes(1)),
        AllocationKind::Memory(extent) => extent,
    }
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
            function.name, extent.size.0, extent.align.0, row.layout.padding.0
        );
        members(program, &row, pointer, &mut out);
    }
    nodes(program, target, &mut out);
    out
}

/// The members of a closure, in the order of their offsets.
fn members(program: &Program, row: &Row, pointer: u32, out: &mut String) {
    let function = &program.functions[row.function];
    let _ = writeln!(out, "  {:>6}  {:>5}  {:>7}  member", "offset", "bytes", "capture");
    let _ = writeln!(out, "  {:>6}  {pointer:>5}  {:>7}  code", 0, "-");
    let Convention::Closure { captures, .. } = &function.convention else { return };
    for slot in &row.layout.slots {
        let local = &function.locals[captures[slot.capture]];
        let ty = program.type_name(local.ty);
        let _ = writeln!(
            out,
            "  {:>6}  {:>5}  {:>7}  {}: {ty}",
            slot.offset.0, slot.extent.size.0, slot.capture, local.name
        );
    }
}

/// The layout of each closure as text, by the place of its function.
pub fn closures(program: &Program, target: &Target) -> HashMap<Span, String> {
    let pointer = target.pointer_bits.bits() / 8;
    let listed = rows(program, target).into_iter().map(|row| {
        let extent = row.layout.extent;
        let mut text = format!("{} bytes, aligned to {}\n", extent.size.0, extent.align.0);
        members(program, &row, pointer, &mut text);
        (program.functions[row.function].span, text)
    });
    listed.collect()
}

/// The nodes of all boxed types, by the names of the types.
fn nodes(program: &Program, target: &Target, out: &mut String) {
    let layouts = Layouts::new(program, target);
    let mut boxed: Vec<Type> = program.declared.iter().filter(|(_, one)| one.boxed).map(|(ty, _)| *ty).collect();
    boxed.sort_by_key(|ty| (program.declared[ty].name, ty.number()));
    for ty in boxed {
        let declared = &program.declared[&ty];
        let tag = layouts.boxed_tag(ty);
        for (index, case) in declared.cases.iter().enumerate().filter(|(_, case)| !case.fields.is_empty()) {
            let layout = layouts.node(ty, index);
            let extent = layout.extent;
            let _ = writeln!(
                out,
                "\nnode {} of {}: {} bytes, aligned to {}",
                case.name, declared.name, extent.size.0, extent.align.0
            );
            let _ = writeln!(out, "  {:>6}  {:>5}  {:>7}  member", "offset", "bytes", "field");
            if let BoxedTag::Stored(bits) = tag {
                let _ = writeln!(out, "  {:>6}  {:>5}  {:>7}  tag", 0, bits / 8, "-");
            }
            let mut fields: Vec<usize> = (0..case.fields.len()).collect();
            fields.sort_by_key(|field| layout.offsets[*field]);
            for field in fields {
                let bytes = layouts.extent(&layouts.repr(case.fields[field])).size.0;
                let ty = program.type_name(case.fields[field]);
                let _ = writeln!(out, "  {:>6}  {bytes:>5}  {field:>7}  {ty}", layout.offsets[field].0);
            }
        }
    }
}
