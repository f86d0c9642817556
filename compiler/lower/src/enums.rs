//! The names of enum values as strings: a function for each enum whose values are converted to strings.
//!
//! In Core an enum is its integer type. An unnamed value is shown by its digits.

use super::{
    Lowering,
    body::Body,
    function::Signature,
    instance::{Key, Substitution},
};
use clef_base::{Span, Symbol};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, Rhs};
use clef_types::{EnumId, TextFormat, Type, TypeKind};
use la_arena::Arena;
use std::collections::BTreeMap;

impl Body<'_, '_> {
    /// The name of an enum value.
    pub(super) fn enum_name(&mut self, id: EnumId, value: Atom, ty: Type, span: Span) -> Atom {
        let callee = Callee::Known(self.lowering.enum_names(id, ty));
        let string = self.lowering.string();
        self.bind(Rhs::Call(Call::new(callee, vec![value])), string, span)
    }
}

impl Lowering<'_> {
    /// The names of the values of an enum: the first if a value has several.
    pub(super) fn value_names(&self, id: EnumId) -> BTreeMap<i128, Symbol> {
        let mut names = BTreeMap::new();
        for named in &self.psg.enums[id].values {
            names.entry(named.value).or_insert(named.name);
        }
        names
    }

    /// The function from the values of an enum to their names.
    fn enum_names(&mut self, id: EnumId, ty: Type) -> FunctionId {
        let key = Key::EnumName(ty);
        if let Some(function) = self.instances.get(&key) {
            return function;
        }
        let enumeration = &self.psg.enums[id];
        let span = enumeration.span;
        let mut locals = Arena::new();
        let value = locals.alloc(Local { name: Symbol::new("value$"), ty, span });
        let name = Symbol::new(&format!("name<{}>", enumeration.name));
        let (convention, inlining, result) = (Convention::Known, Inlining::Free, self.string());
        let params = vec![value];
        let function =
            self.declare(Signature { name, convention, params, leading_captures: 0, result, locals, inlining, span });
        self.instances.insert(key, function);
        let integer = self.types.intern(TypeKind::Integer(enumeration.of));
        let names = self.value_names(id);
        let mut body = Body::new(self, function, Substitution::new(&[], &[]));
        let scrutinee = Atom::Local(value);
        let cases = names.into_iter().map(|(number, name)| (number, body.block(|_| End::Yield(Atom::String(name)))));
        let cases = cases.collect();
        let default = body.block(|this| {
            let number = this.convert(scrutinee.clone(), integer, span);
            End::Yield(this.format(TextFormat::General, number, span))
        });
        body.finish(End::Switch { scrutinee, cases, default: Some(Box::new(default)) });
        function
    }
}
