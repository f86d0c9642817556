//! `%A`: primitive values are written by functions of the library module `Text`, compound values by a function per type,
//! which writes the parts in order and allocates nothing.
//!
//! Each function takes the target, the column at which the value begins, and the value; it returns the column after it. The
//! fields of a record are on separate lines, indented to the column of the first one. No other line is broken. At most the
//! first hundred elements of a list or an array are shown.

use super::{
    Lowering,
    body::{Body, Outcome, Position},
    function::Signature,
    instance::{Key, Substitution},
};
use clef_base::{Span, Symbol, internal};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, Rhs};
use clef_types::{
    DeclaredKind, IntegerType, Intrinsic, Primitive, Type, TypeKind,
    structural::{MAX_ELEMENTS, integer_suffix, opaque},
};
use la_arena::Arena;

/// The position of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    /// By itself, between commas, or after `=`.
    Apart,
    /// After the name of a case: a case with fields is put in parentheses.
    Field,
}

/// The part of a value that a function shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    /// The whole value.
    Whole(Place),
    /// The elements after the first ones, which are counted, and the closing bracket.
    Rest,
}

impl Lowering<'_> {
    /// The function that shows a part of a compound value.
    fn shower(&mut self, part: Part, ty: Type, span: Span) -> FunctionId {
        let key = Key::Show(part, ty);
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        let int = self.int();
        let native = self.types.intern(TypeKind::Integer(IntegerType::NativeInt));
        let mut locals = Arena::new();
        let mut fresh = |name: &str, ty| locals.alloc(Local { name: Symbol::new(name), ty, span });
        let mut params = vec![fresh("target$", native), fresh("column$", int), fresh("value$", ty)];
        let name = match part {
            Part::Whole(Place::Apart) => "show",
            Part::Whole(Place::Field) => "showField",
            Part::Rest => {
                params.push(fresh("count$", int));
                "showRest"
            }
        };
        let name = Symbol::new(&format!("{name}<{}>", self.type_name(ty)));
        let atoms: Vec<Atom> = params.iter().copied().map(Atom::Local).collect();
        let (convention, inlining) = (Convention::Known, Inlining::Free);
        let id = self.declare(Signature {
            name,
            convention,
            params,
            leading_captures: 0,
            result: int,
            locals,
            inlining,
            span,
        });
        self.instances.insert(key, id);
        let body = Body::new(self, id, Substitution::new(&[], &[]));
        let [target, column, value, ..] = &atoms[..] else { return id };
        let mut page = Page { body, target: target.clone(), column: column.clone(), span };
        let end = match part {
            Part::Whole(place) => page.compound(value.clone(), ty, place),
            Part::Rest => page.rest(value.clone(), ty, atoms[3].clone()),
        };
        page.body.finish(end);
        id
    }

    /// Whether a type is the library's type of lists.
    pub(super) fn is_list(&self, ty: Type) -> bool {
        let TypeKind::Declared(declared, _) = self.types.kind(ty) else { return false };
        let cases = &self.psg.declared_types[*declared].cases;
        let names: Vec<&str> = cases.iter().map(|case| self.psg.cases[*case].name.as_str()).collect();
        names == ["[]", "::"]
    }
}

impl Body<'_, '_> {
    /// Shows a value from a column on; returns the column after it.
    pub(super) fn show(
        &mut self,
        target: &Atom,
        column: Atom,
        value: Atom,
        ty: Type,
        place: Place,
        span: Span,
    ) -> Atom {
        let suffix = |text: &str| Atom::String(Symbol::new(text));
        let named = self.lowering.enums.get(&ty).copied();
        let (name, arguments) = match self.kind(ty).clone() {
            TypeKind::Integer(_) if let Some(id) = named => ("", vec![self.enum_name(id, value, ty, span)]),
            TypeKind::Unit => ("", vec![suffix("()")]),
            TypeKind::Bool => ("", vec![self.boolean_text(value, ["true", "false"], span)]),
            TypeKind::Char => ("showChar", vec![value]),
            TypeKind::String => ("showString", vec![value]),
            TypeKind::Integer(integer) => {
                let wide = self.decimal_of(integer).1;
                let name = match (wide.is_signed(), wide.bits(64) == wide.bits(32)) {
                    (true, false) => "showInt",
                    (false, false) => "showUInt",
                    (true, true) => "showInt64",
                    (false, true) => "showUInt64",
                };
                let wide = self.lowering.types.intern(TypeKind::Integer(wide));
                (name, vec![self.convert(value, wide, span), suffix(integer_suffix(integer))])
            }
            TypeKind::Float32 | TypeKind::Float64 => {
                let float = self.lowering.types.intern(TypeKind::Float64);
                let ending = if ty == float { "" } else { "f" };
                ("showFloat", vec![self.convert(value, float, span), suffix(ending)])
            }
            TypeKind::Function(..) => ("", vec![suffix("<fun>")]),
            TypeKind::NativePointer(_) => ("", vec![suffix("<pointer>")]),
            TypeKind::Declared(declared, _) if opaque(&self.psg.declared_types[declared]).is_some() => {
                ("", vec![suffix(opaque(&self.psg.declared_types[declared]).unwrap_or_default())])
            }
            TypeKind::Tuple(_) | TypeKind::Reference(_) | TypeKind::Array(_) | TypeKind::Declared(..) => {
                let callee = Callee::Known(self.lowering.shower(Part::Whole(place), ty, span));
                let arguments = vec![target.clone(), column, value];
                let int = self.lowering.int();
                return self.bind(Rhs::Call(Call::new(callee, arguments)), int, span);
            }
            TypeKind::Enum(..) | TypeKind::Parameter(_) | TypeKind::Slot(_) | TypeKind::Region => {
                let name = self.lowering.type_name(ty);
                internal::bug("lower", span, format!("formatting of a value of type `{name}`"))
            }
        };
        let int = self.lowering.int();
        let written = if name.is_empty() {
            let unit = self.lowering.unit();
            self.intrinsic(Intrinsic::TextWrite, vec![target.clone(), arguments[0].clone()], unit, span);
            self.intrinsic(Intrinsic::StringLength, arguments, int, span)
        } else {
            self.text_call(name, [vec![target.clone()], arguments].concat(), span)
        };
        self.bind(Rhs::Primitive(Primitive::Add, vec![column, written]), int, span)
    }
}

/// A function that shows values, with its current column.
struct Page<'body, 'psg> {
    body: Body<'body, 'psg>,
    target: Atom,
    /// The column after the output so far.
    column: Atom,
    span: Span,
}

impl Page<'_, '_> {
    /// Writes text without line breaks, and without multibyte characters except in names.
    fn text(&mut self, text: &str) {
        let (unit, int) = (self.body.lowering.unit(), self.body.lowering.int());
        let arguments = vec![self.target.clone(), Atom::String(Symbol::new(text))];
        self.body.intrinsic(Intrinsic::TextWrite, arguments, unit, self.span);
        let count = self.body.integer(text.chars().count() as i128);
        let sum = Rhs::Primitive(Primitive::Add, vec![self.column.clone(), count]);
        self.column = self.body.bind(sum, int, self.span);
    }

    fn value(&mut self, value: Atom, ty: Type, place: Place) {
        let target = self.target.clone();
        self.column = self.body.show(&target, self.column.clone(), value, ty, place, self.span);
    }

    fn end(&mut self) -> End {
        End::Yield(self.column.clone())
    }

    fn compound(&mut self, value: Atom, ty: Type, place: Place) -> End {
        let span = self.span;
        let (value, ty) = self.body.viewed(value, ty, span);
        match self.body.kind(ty).clone() {
            TypeKind::Tuple(types) => {
                let mut parts = Vec::with_capacity(types.len());
                for (index, part) in types.into_iter().enumerate() {
                    parts.push((self.body.bind(Rhs::Component(value.clone(), index), part, span), part));
                }
                self.tuple(parts);
                self.end()
            }
            TypeKind::Reference(content) => {
                let content_value = self.body.bind(Rhs::ReadReference(value), content, span);
                self.text("{ contents = ");
                self.value(content_value, content, Place::Apart);
                self.text(" }");
                self.end()
            }
            TypeKind::Array(of) => self.array(value, of, ty),
            TypeKind::Declared(..) if self.body.lowering.is_list(ty) => self.list(value, ty),
            TypeKind::Declared(declared, _) => match self.body.psg.declared_types[declared].kind {
                DeclaredKind::Record => {
                    self.record(value, ty);
                    self.end()
                }
                DeclaredKind::Union => self.union(value, ty, place),
            },
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Function(..)
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => internal::bug("lower", span, "a format function for a simple type"),
        }
    }

    fn tuple(&mut self, parts: Vec<(Atom, Type)>) {
        for (index, (part, ty)) in parts.into_iter().enumerate() {
            self.text(if index == 0 { "(" } else { ", " });
            self.value(part, ty, Place::Apart);
        }
        self.text(")");
    }

    /// The fields of a case with their types.
    fn fields(&mut self, value: &Atom, ty: Type, case: usize) -> Vec<(Atom, Type)> {
        let TypeKind::Declared(declared, _) = *self.body.kind(ty) else { return Vec::new() };
        let id = self.body.psg.declared_types[declared].cases[case];
        let types = self.body.lowering.case_fields(id, ty).fields;
        let mut fields = Vec::with_capacity(types.len());
        for (field, part) in types.into_iter().enumerate() {
            let rhs = Rhs::Field { value: value.clone(), case, field };
            fields.push((self.body.bind(rhs, part, self.span), part));
        }
        fields
    }

    fn record(&mut self, value: Atom, ty: Type) {
        let TypeKind::Declared(declared, _) = *self.body.kind(ty) else { return };
        let case = self.body.psg.declared_types[declared].cases[0];
        let names: Vec<Option<Symbol>> = self.body.psg.cases[case].fields.iter().map(|(name, _)| *name).collect();
        let fields = self.fields(&value, ty, 0);
        self.text("{ ");
        let margin = self.column.clone();
        for (index, ((field, part), name)) in fields.into_iter().zip(names).enumerate() {
            if index > 0 {
                let arguments = vec![self.target.clone(), margin.clone()];
                self.column = self.body.text_call("showLine", arguments, self.span);
            }
            let name = name.map_or(String::new(), |name| format!("{name} = "));
            self.text(&name);
            self.value(field, part, Place::Apart);
        }
        self.text(" }");
    }

    fn union(&mut self, value: Atom, ty: Type, place: Place) -> End {
        let TypeKind::Declared(declared, _) = *self.body.kind(ty) else { return self.end() };
        let count = self.body.psg.declared_types[declared].cases.len();
        if count == 1 {
            return self.case(&value, ty, 0, place);
        }
        let int = self.body.lowering.int();
        let scrutinee = self.body.bind(Rhs::Tag(value.clone()), int, self.span);
        let mut cases = Vec::with_capacity(count);
        for case in 0..count {
            let block = self.branch(|page| page.case(&value, ty, case, place));
            cases.push((case as i128, block));
        }
        End::Switch { scrutinee, cases, default: None }
    }

    /// A separate block; code after it in this function starts at the current column again.
    fn branch(&mut self, build: impl FnOnce(&mut Self) -> End) -> clef_core::Block {
        let column = self.column.clone();
        let outer = self.body.builder.open();
        let end = build(self);
        self.column = column;
        self.body.builder.close(outer, end)
    }

    fn case(&mut self, value: &Atom, ty: Type, case: usize, place: Place) -> End {
        let TypeKind::Declared(declared, _) = *self.body.kind(ty) else { return self.end() };
        let id = self.body.psg.declared_types[declared].cases[case];
        let name = self.body.psg.cases[id].name;
        let mut fields = self.fields(value, ty, case);
        let bracketed = place == Place::Field && !fields.is_empty();
        self.text(&format!("{}{name}{}", if bracketed { "(" } else { "" }, if fields.is_empty() { "" } else { " " }));
        match fields.len() {
            0 => {}
            1 => {
                let (field, part) = fields.remove(0);
                self.value(field, part, Place::Field);
            }
            _ => self.tuple(fields),
        }
        if bracketed {
            self.text(")");
        }
        self.end()
    }

    /// Continues with the elements after the first ones.
    fn call_rest(&mut self, value: Atom, ty: Type, count: Atom) -> End {
        let callee = Callee::Known(self.body.lowering.shower(Part::Rest, ty, self.span));
        let arguments = vec![self.target.clone(), self.column.clone(), value, count];
        let int = self.body.lowering.int();
        self.body.end_with(Outcome::Call(Call::new(callee, arguments)), int, self.span, Position::Tail)
    }

    fn list(&mut self, value: Atom, ty: Type) -> End {
        let int = self.body.lowering.int();
        let scrutinee = self.body.bind(Rhs::Tag(value.clone()), int, self.span);
        let empty = self.branch(|page| {
            page.text("[]");
            page.end()
        });
        let filled = self.branch(|page| {
            page.text("[");
            let (head, tail) = page.head_and_tail(&value, ty);
            page.value(head.0, head.1, Place::Apart);
            let one = page.body.integer(1);
            page.call_rest(tail, ty, one)
        });
        End::Switch { scrutinee, cases: vec![(0, empty), (1, filled)], default: None }
    }

    fn head_and_tail(&mut self, value: &Atom, ty: Type) -> ((Atom, Type), Atom) {
        let mut fields = self.fields(value, ty, 1);
        match (fields.pop(), fields.pop()) {
            (Some((tail, _)), Some(head)) => (head, tail),
            _ => internal::bug("lower", self.span, "a list node does not have a head and a tail"),
        }
    }

    fn array(&mut self, value: Atom, of: Type, ty: Type) -> End {
        let (bool, zero) = (self.body.lowering.bool(), self.body.integer(0));
        let length = self.body.array_length(value.clone(), self.span);
        let empty = self.body.bind(Rhs::Primitive(Primitive::Equal, vec![length, zero.clone()]), bool, self.span);
        let then = Box::new(self.branch(|page| {
            page.text("[||]");
            page.end()
        }));
        let otherwise = Box::new(self.branch(|page| {
            page.text("[|");
            let first = page.body.array_element(value.clone(), zero, of, page.span);
            page.value(first, of, Place::Apart);
            let one = page.body.integer(1);
            page.call_rest(value, ty, one)
        }));
        End::If { condition: empty, then, otherwise }
    }

    fn rest(&mut self, value: Atom, ty: Type, count: Atom) -> End {
        let (bool, int) = (self.body.lowering.bool(), self.body.lowering.int());
        let array = if let TypeKind::Array(of) = *self.body.kind(ty) { Some(of) } else { None };
        let at_end = match array {
            Some(_) => {
                let length = self.body.array_length(value.clone(), self.span);
                Rhs::Primitive(Primitive::Equal, vec![count.clone(), length])
            }
            None => {
                let (tag, zero) = (self.body.bind(Rhs::Tag(value.clone()), int, self.span), self.body.integer(0));
                Rhs::Primitive(Primitive::Equal, vec![tag, zero])
            }
        };
        let closer = if array.is_some() { "|]" } else { "]" };
        let condition = self.body.bind(at_end, bool, self.span);
        let then = Box::new(self.branch(|page| {
            page.text(closer);
            page.end()
        }));
        let otherwise = Box::new(self.branch(|page| page.next_element(value, (ty, array), count, closer)));
        End::If { condition, then, otherwise }
    }

    fn next_element(&mut self, value: Atom, (ty, array): (Type, Option<Type>), count: Atom, closer: &str) -> End {
        let (bool, int) = (self.body.lowering.bool(), self.body.lowering.int());
        let most = self.body.integer(MAX_ELEMENTS);
        let many = Rhs::Primitive(Primitive::Equal, vec![count.clone(), most]);
        let condition = self.body.bind(many, bool, self.span);
        let then = Box::new(self.branch(|page| {
            page.text(&format!("; ...{closer}"));
            page.end()
        }));
        let otherwise = Box::new(self.branch(|page| {
            page.text("; ");
            let one = page.body.integer(1);
            let next = page.body.bind(Rhs::Primitive(Primitive::Add, vec![count.clone(), one]), int, page.span);
            let (element, rest) = match array {
                Some(of) => ((page.body.array_element(value.clone(), count, of, page.span), of), value),
                None => page.head_and_tail(&value, ty),
            };
            page.value(element.0, element.1, Place::Apart);
            page.call_rest(rest, ty, next)
        }));
        End::If { condition, then, otherwise }
    }
}
