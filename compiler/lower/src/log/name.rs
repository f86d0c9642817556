//! Values that are shown by a name: booleans, enums, and unions whose cases have no fields. The names stay in the ELF file;
//! the value sent selects one of them.

use crate::{
    Lowering,
    body::Body,
    function::Signature,
    instance::{Key, Substitution},
};
use clef_base::{Span, Symbol};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, Rhs};
use clef_types::{CaseId, DeclaredKind, EnumId, Intrinsic, Type, TypeKind, structural::opaque};
use la_arena::Arena;

/// The defmt types of a literal, and of a nested format.
const LITERAL: &str = "istr";
const FORMAT: &str = "?";

impl Body<'_, '_> {
    /// The defmt type of a value that is shown by a name: a literal, or, since an enum value may have no name, a format.
    pub(super) fn named(&self, ty: Type) -> Option<&'static str> {
        match (self.lowering.enums.get(&ty), self.kind(ty)) {
            // A `|` in a format separates alternatives.
            (Some(&id), _) => {
                let names = self.lowering.value_names(id);
                (!names.values().any(|name| name.as_str().contains('|'))).then_some(FORMAT)
            }
            (None, TypeKind::Bool) => Some(LITERAL),
            (None, TypeKind::Declared(declared, _)) => {
                let has_view = self.psg.views.contains_key(declared);
                let declared = &self.psg.declared_types[*declared];
                let is_plain = |case: &CaseId| self.psg.cases[*case].fields.is_empty();
                let is_named = declared.kind == DeclaredKind::Union
                    && !has_view
                    && opaque(declared).is_none()
                    && declared.cases.iter().all(is_plain);
                is_named.then_some(LITERAL)
            }
            (None, _) => None,
        }
    }

    /// Sends the name of a value.
    pub(super) fn send_name(&mut self, value: Atom, span: Span) -> Atom {
        let (ty, unit) = (self.type_of(&value), self.lowering.unit());
        if *self.kind(ty) == TypeKind::Bool {
            let end = |word: &'static str| move |this: &mut Self| this.send_literal(word, span);
            return self.scope(unit, span, |this| this.if_(value, end("True"), end("False")));
        }
        let callee = Callee::Known(self.lowering.name_sender(ty, span));
        self.bind(Rhs::Call(Call::new(callee, vec![value])), unit, span)
    }

    fn send_literal(&mut self, literal: &str, span: Span) -> End {
        let unit = self.lowering.unit();
        self.intrinsic(Intrinsic::LogName, vec![Atom::String(Symbol::new(literal))], unit, span);
        End::Yield(Atom::Unit)
    }

    /// Selects among the names of a union's cases.
    fn send_case(&mut self, value: Atom, ty: Type, span: Span) -> End {
        let TypeKind::Declared(declared, _) = *self.kind(ty) else { return End::Yield(Atom::Unit) };
        let cases = self.psg.declared_types[declared].cases.iter();
        let names: Vec<Symbol> = cases.map(|case| self.psg.cases[*case].name).collect();
        if let [name] = names[..] {
            return self.send_literal(name.as_str(), span);
        }
        let int = self.lowering.int();
        let scrutinee = self.bind(Rhs::Tag(value), int, span);
        let cases =
            (0..).zip(names).map(|(tag, name)| (tag, self.block(|this| this.send_literal(name.as_str(), span))));
        End::Switch { scrutinee, cases: cases.collect(), default: None }
    }

    /// Selects among the names of an enum's values; an unnamed one is sent as a number.
    fn send_enum(&mut self, id: EnumId, value: Atom, span: Span) -> End {
        let of = self.psg.enums[id].of;
        let names = self.lowering.value_names(id).into_iter();
        let format = |name: Symbol| super::escaped(name.as_str());
        let cases = names.map(|(number, name)| (number, self.block(|this| this.send_literal(&format(name), span))));
        let cases = cases.collect();
        let default = self.block(|this| {
            let unit = this.lowering.unit();
            let format = format!("{{={}}}", super::defmt_integer(of, this.lowering.facts.word_bits));
            this.send_literal(&format, span);
            let number = this.converted(value.clone(), of, span);
            this.intrinsic(Intrinsic::LogValue, vec![number], unit, span);
            End::Yield(Atom::Unit)
        });
        End::Switch { scrutinee: value, cases, default: Some(Box::new(default)) }
    }
}

impl Lowering<'_> {
    /// The function that sends the name of a value of a type.
    fn name_sender(&mut self, ty: Type, span: Span) -> FunctionId {
        let key = Key::LogName(ty);
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        let mut locals = Arena::new();
        let value = locals.alloc(Local { name: Symbol::new("value$"), ty, span });
        let name = Symbol::new(&format!("log<{}>", self.type_name(ty)));
        let (convention, inlining, result) = (Convention::Known, Inlining::Free, self.unit());
        let params = vec![value];
        let id =
            self.declare(Signature { name, convention, params, leading_captures: 0, result, locals, inlining, span });
        self.instances.insert(key, id);
        let enumeration = self.enums.get(&ty).copied();
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let end = match enumeration {
            Some(id) => body.send_enum(id, Atom::Local(value), span),
            None => body.send_case(Atom::Local(value), ty, span),
        };
        body.finish(end);
        id
    }
}
