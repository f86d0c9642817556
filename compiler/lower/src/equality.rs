//! Structural comparison: by one operation on primitive types, by a function per type on compound types.
//!
//! `=` and `<` follow the components, so that they are false if the deciding components contain a NaN; `compare` is a total
//! order. Cases are ordered by their tags, then by their fields from left to right.

use super::{
    Lowering,
    body::{Body, Outcome, Position},
    function::Signature,
    instance::{Key, Substitution},
};
use clef_base::{Span, Symbol, internal};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, Rhs};
use clef_types::{Primitive, Type, TypeKind};
use la_arena::Arena;

/// The comparisons that have functions for compound types; the others swap the operands or negate the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Comparison {
    /// `=`.
    Equal,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `compare`.
    Compare,
}

impl Comparison {
    /// The comparisons of operators, and whether their operands are swapped.
    const OPERATORS: [(Primitive, Comparison, bool); 7] = [
        (Primitive::Equal, Comparison::Equal, false),
        (Primitive::NotEqual, Comparison::Equal, false),
        (Primitive::Less, Comparison::Less, false),
        (Primitive::LessEqual, Comparison::LessEqual, false),
        (Primitive::Greater, Comparison::Less, true),
        (Primitive::GreaterEqual, Comparison::LessEqual, true),
        (Primitive::Compare, Comparison::Compare, false),
    ];

    /// The comparison of an operator on a compound type, and whether its operands are swapped. `<>` uses `=`.
    fn of(primitive: Primitive) -> Option<(Comparison, bool)> {
        let found = Comparison::OPERATORS.iter().find(|(operator, ..)| *operator == primitive);
        found.map(|&(_, comparison, swapped)| (comparison, swapped))
    }

    fn primitive(self) -> Primitive {
        match self {
            Comparison::Equal => Primitive::Equal,
            Comparison::Less => Primitive::Less,
            Comparison::LessEqual => Primitive::LessEqual,
            Comparison::Compare => Primitive::Compare,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Comparison::Equal => "equal",
            Comparison::Less => "less",
            Comparison::LessEqual => "lessEqual",
            Comparison::Compare => "compare",
        }
    }

    /// The result for values without components.
    fn of_equals(self, body: &mut Body<'_, '_>) -> Atom {
        match self {
            Comparison::Equal | Comparison::LessEqual => Atom::Bool(true),
            Comparison::Less => Atom::Bool(false),
            Comparison::Compare => body.integer(0),
        }
    }
}

impl Lowering<'_> {
    /// The function that compares two values of a compound type.
    fn comparison(&mut self, comparison: Comparison, ty: Type, span: Span) -> FunctionId {
        let name = format!("{}<{}>", comparison.name(), self.type_name(ty));
        let operands = [("left$", ty), ("right$", ty)];
        self.comparing(Key::Comparison(comparison, ty), name, &operands, span, |body, params| {
            body.compare_compound(comparison, params[0].clone(), params[1].clone(), ty, span)
        })
    }

    /// The function that compares two arrays of the same length from an index on.
    fn element_comparison(&mut self, comparison: Comparison, ty: Type, span: Span) -> FunctionId {
        let name = format!("{}From<{}>", comparison.name(), self.type_name(ty));
        let operands = [("left$", ty), ("right$", ty), ("index$", self.int())];
        self.comparing(Key::ElementComparison(comparison, ty), name, &operands, span, |body, params| {
            body.compare_elements(comparison, params, ty, span)
        })
    }

    /// Creates the function for a comparison, once; the key consists of the comparison and the compound type.
    fn comparing(
        &mut self,
        key: Key,
        name: String,
        operands: &[(&str, Type)],
        span: Span,
        make: impl FnOnce(&mut Body<'_, '_>, &[Atom]) -> End,
    ) -> FunctionId {
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        let orders =
            matches!(key, Key::Comparison(Comparison::Compare, _) | Key::ElementComparison(Comparison::Compare, _));
        let result = if orders { self.int() } else { self.bool() };
        let mut locals = Arena::new();
        let mut fresh = |&(name, ty): &(&str, Type)| locals.alloc(Local { name: Symbol::new(name), ty, span });
        let params: Vec<_> = operands.iter().map(&mut fresh).collect();
        let atoms: Vec<_> = params.iter().copied().map(Atom::Local).collect();
        let (name, convention, inlining) = (Symbol::new(&name), Convention::Known, Inlining::Free);
        let id =
            self.declare(Signature { name, convention, params, leading_captures: 0, result, locals, inlining, span });
        self.instances.insert(key, id);
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let end = make(&mut body, &atoms);
        body.finish(end);
        id
    }
}

/// Two components and their type.
type Pair = (Atom, Atom, Type);

impl Body<'_, '_> {
    /// Compares two values of any type.
    pub(super) fn compare(&mut self, primitive: Primitive, left: &Atom, right: &Atom, span: Span) -> Outcome {
        let ty = self.type_of(left);
        let Some((comparison, swapped)) = Comparison::of(primitive) else {
            internal::bug("lower", span, format!("{primitive:?} is not a comparison"))
        };
        let negated = primitive == Primitive::NotEqual;
        let (bool, int) = (self.lowering.bool(), self.lowering.int());
        match self.kind(ty) {
            TypeKind::Unit if negated => Outcome::Value(Atom::Bool(false)),
            TypeKind::Unit => Outcome::Value(comparison.of_equals(self)),
            TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64 => {
                let result = if comparison == Comparison::Compare { int } else { bool };
                let rhs = Rhs::Primitive(primitive, vec![left.clone(), right.clone()]);
                Outcome::Value(self.bind(rhs, result, span))
            }
            TypeKind::Tuple(_) | TypeKind::Declared(..) | TypeKind::Reference(_) | TypeKind::Array(_) => {
                let callee = Callee::Known(self.lowering.comparison(comparison, ty, span));
                let (left, right) = if swapped { (right, left) } else { (left, right) };
                let call = Call::new(callee, vec![left.clone(), right.clone()]);
                if !negated {
                    return Outcome::Call(call);
                }
                let equal = self.bind(Rhs::Call(call), bool, span);
                Outcome::Value(self.bind(Rhs::Primitive(Primitive::Not, vec![equal]), bool, span))
            }
            TypeKind::Function(..)
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => {
                let name = self.lowering.type_name(ty);
                internal::bug("lower", span, format!("comparison of values of type `{name}`"))
            }
        }
    }

    fn compare_value(&mut self, primitive: Primitive, left: &Atom, right: &Atom, span: Span) -> Atom {
        let outcome = self.compare(primitive, left, right, span);
        let ty = if primitive == Primitive::Compare { self.lowering.int() } else { self.lowering.bool() };
        self.value_of(outcome, ty, span)
    }

    fn compare_compound(&mut self, comparison: Comparison, left: Atom, right: Atom, ty: Type, span: Span) -> End {
        let (left, _) = self.viewed(left, ty, span);
        let (right, ty) = self.viewed(right, ty, span);
        match self.kind(ty).clone() {
            TypeKind::Tuple(parts) => {
                let mut pairs = Vec::new();
                for (index, part) in parts.into_iter().enumerate() {
                    let one = self.bind(Rhs::Component(left.clone(), index), part, span);
                    let other = self.bind(Rhs::Component(right.clone(), index), part, span);
                    pairs.push((one, other, part));
                }
                self.compare_pairs(comparison, &pairs, span)
            }
            TypeKind::Reference(content) => {
                let one = self.bind(Rhs::ReadReference(left), content, span);
                let other = self.bind(Rhs::ReadReference(right), content, span);
                self.compare_pairs(comparison, &[(one, other, content)], span)
            }
            TypeKind::Array(_) => self.compare_lengths(comparison, left, right, ty, span),
            TypeKind::Declared(declared, _) => {
                let cases = self.psg.declared_types[declared].cases.len();
                if cases == 1 {
                    self.compare_case(comparison, (left, right, ty), 0, span)
                } else {
                    self.compare_cases(comparison, left, right, ty, span)
                }
            }
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
            | TypeKind::Region => internal::bug("lower", span, "a comparison function for a simple type"),
        }
    }

    /// Arrays are ordered by their lengths, then by their elements.
    fn compare_lengths(&mut self, comparison: Comparison, left: Atom, right: Atom, ty: Type, span: Span) -> End {
        let [length, other] = [&left, &right].map(|array| self.array_length(array.clone(), span));
        let same = self.compare_value(Primitive::Equal, &length, &other, span);
        self.if_(
            same,
            |this| {
                let callee = Callee::Known(this.lowering.element_comparison(comparison, ty, span));
                let call = Call::new(callee, vec![left, right, this.integer(0)]);
                let result = this.comparison_type(comparison);
                this.end_with(Outcome::Call(call), result, span, Position::Tail)
            },
            |this| match comparison {
                Comparison::Equal => End::Yield(Atom::Bool(false)),
                Comparison::Less | Comparison::LessEqual | Comparison::Compare => {
                    End::Yield(this.compare_value(comparison.primitive(), &length, &other, span))
                }
            },
        )
    }

    /// Compares the elements from an index on, and continues with the next index while they are equal.
    fn compare_elements(&mut self, comparison: Comparison, params: &[Atom], ty: Type, span: Span) -> End {
        let (left, right, index) = (&params[0], &params[1], &params[2]);
        let TypeKind::Array(of) = *self.kind(ty) else {
            internal::bug("lower", span, "comparison of elements of a value that is not an array")
        };
        let length = self.array_length(left.clone(), span);
        let inside = self.compare_value(Primitive::Less, index, &length, span);
        self.if_(
            inside,
            |this| {
                let one = this.array_element(left.clone(), index.clone(), of, span);
                let other = this.array_element(right.clone(), index.clone(), of, span);
                let int = this.lowering.int();
                let step = Rhs::Primitive(Primitive::Add, vec![index.clone(), this.integer(1)]);
                let next = this.bind(step, int, span);
                let again = End::Continue(vec![left.clone(), right.clone(), next]);
                this.compare_element(comparison, (one, other), again, span)
            },
            |this| End::Yield(comparison.of_equals(this)),
        )
    }

    /// Compares one element each; continues with `again` if they are equal.
    fn compare_element(&mut self, comparison: Comparison, (one, other): (Atom, Atom), again: End, span: Span) -> End {
        match comparison {
            Comparison::Equal => {
                let equal = self.compare_value(Primitive::Equal, &one, &other, span);
                self.if_(equal, |_| again, |_| End::Yield(Atom::Bool(false)))
            }
            Comparison::Less | Comparison::LessEqual => {
                let less = self.compare_value(Primitive::Less, &one, &other, span);
                self.if_(
                    less,
                    |_| End::Yield(Atom::Bool(true)),
                    |this| {
                        let equal = this.compare_value(Primitive::Equal, &one, &other, span);
                        this.if_(equal, |_| again, |_| End::Yield(Atom::Bool(false)))
                    },
                )
            }
            Comparison::Compare => {
                let order = self.compare_value(Primitive::Compare, &one, &other, span);
                let zero = self.integer(0);
                let equal = self.compare_value(Primitive::Equal, &order, &zero, span);
                self.if_(equal, |_| again, |_| End::Yield(order))
            }
        }
    }

    fn comparison_type(&mut self, comparison: Comparison) -> Type {
        if comparison == Comparison::Compare { self.lowering.int() } else { self.lowering.bool() }
    }

    fn compare_cases(&mut self, comparison: Comparison, left: Atom, right: Atom, ty: Type, span: Span) -> End {
        let int = self.lowering.int();
        let tag = self.bind(Rhs::Tag(left.clone()), int, span);
        let other = self.bind(Rhs::Tag(right.clone()), int, span);
        let same = self.compare_value(Primitive::Equal, &tag, &other, span);
        let scrutinee = tag.clone();
        self.if_(
            same,
            |this| {
                let TypeKind::Declared(declared, _) = this.kind(ty).clone() else { return End::Yield(Atom::Unit) };
                let cases = this.psg.declared_types[declared].cases.clone();
                let mut filled = Vec::new();
                for (index, case) in cases.iter().enumerate() {
                    if !this.psg.cases[*case].fields.is_empty() {
                        let operands = (left.clone(), right.clone(), ty);
                        let block = this.block(|this| this.compare_case(comparison, operands, index, span));
                        filled.push((index as i128, block));
                    }
                }
                let equals = comparison.of_equals(this);
                if filled.is_empty() {
                    return End::Yield(equals);
                }
                let default = (filled.len() < cases.len()).then(|| Box::new(this.block(|_| End::Yield(equals))));
                End::Switch { scrutinee, cases: filled, default }
            },
            |this| match comparison {
                Comparison::Equal => End::Yield(Atom::Bool(false)),
                Comparison::Less | Comparison::LessEqual | Comparison::Compare => {
                    End::Yield(this.compare_value(comparison.primitive(), &tag, &other, span))
                }
            },
        )
    }

    /// Compares two values of the same case.
    fn compare_case(&mut self, comparison: Comparison, (left, right, ty): Pair, case: usize, span: Span) -> End {
        let TypeKind::Declared(declared, _) = *self.kind(ty) else { return End::Yield(Atom::Unit) };
        let id = self.psg.declared_types[declared].cases[case];
        let fields = self.lowering.case_fields(id, ty).fields;
        let mut pairs = Vec::new();
        for (field, part) in fields.into_iter().enumerate() {
            let one = self.bind(Rhs::Field { value: left.clone(), case, field }, part, span);
            let other = self.bind(Rhs::Field { value: right.clone(), case, field }, part, span);
            pairs.push((one, other, part));
        }
        self.compare_pairs(comparison, &pairs, span)
    }

    /// Compares components from left to right; the last one by a tail call, if it is compound.
    fn compare_pairs(&mut self, comparison: Comparison, pairs: &[Pair], span: Span) -> End {
        let Some(((left, right, _), rest)) = pairs.split_first() else {
            return End::Yield(comparison.of_equals(self));
        };
        if rest.is_empty() {
            let outcome = self.compare(comparison.primitive(), left, right, span);
            let ty = self.comparison_type(comparison);
            return self.end_with(outcome, ty, span, Position::Tail);
        }
        match comparison {
            Comparison::Equal => {
                let equal = self.compare_value(Primitive::Equal, left, right, span);
                self.if_(equal, |this| this.compare_pairs(comparison, rest, span), |_| End::Yield(Atom::Bool(false)))
            }
            Comparison::Less | Comparison::LessEqual => {
                let less = self.compare_value(Primitive::Less, left, right, span);
                self.if_(
                    less,
                    |_| End::Yield(Atom::Bool(true)),
                    |this| {
                        let equal = this.compare_value(Primitive::Equal, left, right, span);
                        this.if_(
                            equal,
                            |this| this.compare_pairs(comparison, rest, span),
                            |_| End::Yield(Atom::Bool(false)),
                        )
                    },
                )
            }
            Comparison::Compare => {
                let order = self.compare_value(Primitive::Compare, left, right, span);
                let zero = self.integer(0);
                let equal = self.compare_value(Primitive::Equal, &order, &zero, span);
                self.if_(equal, |this| this.compare_pairs(comparison, rest, span), |_| End::Yield(order))
            }
        }
    }
}
