//! Enums: named values of an integer type.
//!
//! A value is an integer literal whose type is the enum; lowering replaces it by the integer.

use crate::{
    checker::Checker,
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind};
use clef_scopes::{Entity, TypeMeaning};
use clef_syntax::ast::{ExprId, ExprKind, Literal, Name, TypeDeclaration};
use clef_types::{EnumId, EnumType, EnumValue, IntegerType, Primitive};

impl Checker<'_> {
    /// `type Color = Red = 0 | Green = 1`.
    pub(crate) fn enum_declaration(&mut self, ty: &TypeDeclaration, cases: &[(Name, ExprId)]) {
        if let Some(parameter) = ty.parameters.first() {
            let message = "an enum cannot have type parameters";
            self.report(Diagnostic::error(codes::WRONG_TYPE_ARGUMENTS, parameter.name.span, message));
        }
        let mut of: Option<(IntegerType, Span)> = None;
        let mut values: Vec<EnumValue> = Vec::new();
        for (name, value) in cases {
            if let Some(first) = values.iter().find(|value| value.name == name.symbol) {
                let message = format!("the value `{}` is defined twice in this enum", name.symbol);
                let diagnostic = Diagnostic::error(codes::DEFINED_TWICE, name.span, message);
                self.report(diagnostic.also(first.span, "first defined here"));
            }
            let Some((kind, number)) = self.integer_constant(*value) else { continue };
            let span = self.input.ast.exprs[*value].span;
            match of {
                Some((first, place)) if first != kind => {
                    let message = format!(
                        "all values of an enum must have the same type: expected `{}`, found `{}`",
                        first.name(),
                        kind.name()
                    );
                    self.report(Diagnostic::error(codes::TYPE_MISMATCH, span, message).also(place, "the first value"));
                }
                Some(_) => {}
                None => of = Some((kind, span)),
            }
            values.push(EnumValue { name: name.symbol, value: number, span: name.span });
        }
        let Some((of, _)) = of else { return self.broken_type(ty) };
        let places: Vec<Span> = values.iter().map(|value| value.span).collect();
        let id = self.graph.psg.enums.alloc(EnumType { name: ty.name.symbol, of, values, span: ty.name.span });
        for (position, place) in places.into_iter().enumerate() {
            self.recording.declared(place, Entity::EnumValue(id, position));
        }
        self.declare_type_once(ty, TypeMeaning::Simple(Ty::simple(TypeConstructor::Enum(id, of))));
    }

    /// The value of a constant integer expression; `None` if an error was reported.
    fn integer_constant(&mut self, id: ExprId) -> Option<(IntegerType, i128)> {
        let ast = self.input.ast;
        let span = ast.exprs[id].span;
        let kind = &ast.exprs[id].kind;
        if let ExprKind::Literal(literal) = kind {
            return self.integer_literal(literal, false, span);
        }
        if let ExprKind::Prefix { operator, operand } = kind
            && let ("-", ExprKind::Literal(literal)) = (operator.symbol.as_str(), &ast.exprs[*operand].kind)
        {
            return self.integer_literal(literal, true, span);
        }
        if let ExprKind::Binary { operator, left, right } = kind {
            let left = self.integer_constant(*left)?;
            let right = self.integer_constant(*right)?;
            return self.constant_operation(operator.symbol, left, right, span);
        }
        self.no_constant(span)
    }

    fn constant_operation(
        &mut self,
        operator: Symbol,
        (kind, left): (IntegerType, i128),
        (other, right): (IntegerType, i128),
        span: Span,
    ) -> Option<(IntegerType, i128)> {
        let width = kind.bits(self.input.facts.word_bits);
        let is_shift = matches!(operator.as_str(), "<<<" | ">>>");
        if !is_shift && kind != other {
            let message = format!("the operands of `{operator}` must have the same type");
            self.report(Diagnostic::error(codes::TYPE_MISMATCH, span, message));
            return None;
        }
        let amount = right.rem_euclid(i128::from(width)) as u32;
        let value = match operator.as_str() {
            "|||" => left | right,
            "&&&" => left & right,
            "^^^" => left ^ right,
            "+" => left + right,
            "-" => left - right,
            "<<<" => left << amount,
            ">>>" => left >> amount,
            _ => return self.no_constant(span),
        };
        Some((kind, kind.wrap(value, self.input.facts.word_bits)))
    }

    fn integer_literal(&mut self, literal: &Literal, negative: bool, span: Span) -> Option<(IntegerType, i128)> {
        match self.constant(literal, negative, span)? {
            (clef_psg::Literal::Integer(value), Ty::Constructor(TypeConstructor::Integer(kind), _)) => {
                Some((kind, value))
            }
            _ => self.no_constant(span),
        }
    }

    fn no_constant<T>(&mut self, span: Span) -> Option<T> {
        let message = "the value of an enum case must be a constant integer expression";
        self.report(Diagnostic::error(codes::NOT_A_LITERAL, span, message));
        None
    }

    /// `Color.Red` as a value.
    pub(crate) fn enum_value(&mut self, id: EnumId, index: usize, span: Span) -> NodeId {
        let EnumType { of, values, .. } = &self.graph.psg.enums[id];
        let (of, value) = (*of, values[index].value);
        self.graph.node(
            NodeKind::Literal(clef_psg::Literal::Integer(value)),
            Ty::simple(TypeConstructor::Enum(id, of)),
            span,
        )
    }

    /// `Color.Red` as a pattern.
    pub(crate) fn enum_pattern(
        &mut self,
        id: EnumId,
        index: usize,
        expect: &Expect,
        span: Span,
    ) -> clef_psg::PatternId {
        let EnumType { of, values, .. } = &self.graph.psg.enums[id];
        let (ty, value) = (Ty::simple(TypeConstructor::Enum(id, *of)), values[index].value);
        self.expect(span, expect, &ty);
        self.graph.pattern(clef_psg::PatternKind::Literal(clef_psg::Literal::Integer(value)), ty, span)
    }

    /// Whether a node just built is `enum`, whose types are not known yet.
    pub(crate) fn is_enum_conversion(&self, node: NodeId) -> bool {
        let made = |(_, _, span): &(Ty, Ty, Span)| *span == self.graph.span_of(node);
        matches!(self.graph.psg.nodes[node].kind, NodeKind::Primitive(Primitive::Convert))
            && self.deferred.enum_conversions.last().is_some_and(made)
    }

    /// `enum<Color>`.
    pub(crate) fn enum_conversion(&mut self, node: NodeId, to: &Ty, span: Span) {
        let ty = self.graph.type_of(node);
        if let Some((_, result)) = self.as_function(&ty) {
            self.expect(span, &Expect::anything(result), to);
        }
        self.settle_enum_conversions();
    }

    /// Unifies the argument of each `enum` whose enum is known with the underlying integer type.
    pub(crate) fn settle_enum_conversions(&mut self) {
        for (from, to, span) in std::mem::take(&mut self.deferred.enum_conversions) {
            match self.inference.shallow(&to) {
                Ty::Constructor(TypeConstructor::Enum(_, of), _) => {
                    let wanted = Expect { ty: Ty::simple(TypeConstructor::Integer(of)), reason: Reason::Nothing };
                    self.expect(span, &wanted, &from);
                }
                Ty::Constructor(TypeConstructor::Error, _) => {}
                Ty::Constructor(TypeConstructor::Parameter(_), _) => self.report_undecided_enum(span),
                Ty::Constructor(..) => {
                    let shown = self.show(&to);
                    let message = format!("`enum` returns a value of an enum, but `{shown}` is not an enum");
                    self.report(Diagnostic::error(codes::TYPE_MISMATCH, span, message));
                }
                Ty::Variable(_) => self.deferred.enum_conversions.push((from, to, span)),
            }
        }
    }

    /// Reports each `enum` whose enum is not determined.
    pub(crate) fn report_enum_conversions(&mut self) {
        self.settle_enum_conversions();
        for (_, to, span) in std::mem::take(&mut self.deferred.enum_conversions) {
            self.expect(span, &Expect::anything(Ty::error()), &to);
            self.report_undecided_enum(span);
        }
    }

    fn report_undecided_enum(&mut self, span: Span) {
        let message = "cannot infer the enum type";
        self.report(Diagnostic::error(codes::UNDECIDED_ENUM, span, message).help("specify it: `enum<Color> value`"));
    }
}
