//! The view of a value for comparison, `hash` and `%A`: the value itself, or the result of the view function of its type.

use super::{
    body::{Body, Outcome},
    instance::Substitution,
};
use clef_base::Span;
use clef_core::{Atom, Call, Callee};
use clef_types::{Type, TypeKind};

impl Body<'_, '_> {
    /// The view of a value, and its type.
    pub(super) fn viewed(&mut self, value: Atom, ty: Type, span: Span) -> (Atom, Type) {
        let TypeKind::Declared(declared, arguments) = self.kind(ty).clone() else { return (value, ty) };
        let Some(&view) = self.psg.views.get(&declared) else { return (value, ty) };
        let id = self.lowering.known(view, &Substitution::new(&[], &[]), &arguments, span);
        let result = self.lowering.core.functions[id].result;
        let call = Outcome::Call(Call::new(Callee::Known(id), vec![value]));
        (self.value_of(call, result, span), result)
    }
}
