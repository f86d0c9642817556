//! The functions of a module that are the code of closures, and what their attributes say.

use clef_base::{HashMap, internal::bug};
use melior::{
    Context,
    ir::{
        Attribute, Module as MlirModule,
        attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute, TypeAttribute},
    },
};

use super::Slot;
use crate::{
    Capture, Type,
    build::view::{Op, top_level},
};

/// The functions of a module by their symbols.
pub(super) fn functions<'m>(module: &'m MlirModule<'m>) -> HashMap<&'m str, Op<'m>> {
    let functions = top_level(module).filter(|op| op.is("llvm.func"));
    functions.filter_map(|function| Some((function.sym_name()?, function))).collect()
}

/// The static slots of a module by their symbols.
pub(super) fn static_slots<'m>(module: &'m MlirModule<'m>) -> HashMap<&'m str, Op<'m>> {
    let slots = top_level(module).filter(|op| op.is("clef.static_slot"));
    slots.filter_map(|slot| Some((slot.sym_name()?, slot))).collect()
}

/// The captures that a function declares; none for a function that is not the code of a closure.
pub(super) fn captures<'m>(function: Op<'m>) -> Option<Vec<Capture<'m>>> {
    let list = ArrayAttribute::try_from(function.attribute("clef.captures")?).ok()?;
    (0..list.len()).map(|index| capture(list.element(index).ok()?)).collect()
}

fn capture(entry: Attribute<'_>) -> Option<Capture<'_>> {
    let entry = DictionaryAttribute::try_from(entry).ok()?;
    let number = |name: &str| {
        let number = IntegerAttribute::try_from(entry.element_by_name(name)?).ok()?;
        u64::try_from(number.value()).ok()
    };
    let ty = TypeAttribute::try_from(entry.element_by_name("type")?).ok()?;
    Some(Capture { ty: Type(ty.value()), size: number("size")?, align: number("align")? })
}

/// Replaces the captures that a function declares.
pub(super) fn set_captures<'m>(context: &'m Context, function: Op<'m>, captures: &[Capture<'m>]) {
    function.set_attribute("clef.captures", Capture::list(context, captures));
}

/// What the layout of a closure depends on.
pub(super) fn slots(captures: &[Capture<'_>]) -> Vec<Slot> {
    captures.iter().map(|capture| Slot { size: capture.size, align: capture.align }).collect()
}

/// The code that an operation names, which [`super::verify`] has found to exist.
pub(super) fn callee<'m>(op: Op<'m>) -> &'m str {
    op.symbol("callee").unwrap_or_else(|| bug("mlir", None, format!("`{}` has no callee", op.name())))
}

/// The operands of an operation that are captures.
pub(super) fn first_capture(op: Op<'_>) -> usize {
    match op.name() {
        "clef.closure_make" if matches!(op.string("storage"), Some("region" | "replaced")) => 2,
        "clef.closure_patch" => 1,
        _ => 0,
    }
}
