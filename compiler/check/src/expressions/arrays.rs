//! Arrays: `[| a; b |]`, byte strings, and their patterns.

use crate::{checker::Checker, patterns::pattern::Bound, state::Expect};
use clef_base::Span;
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind};
use clef_syntax::ast::{ExprId, PatternId};
use clef_types::IntegerType;

fn byte() -> Ty {
    Ty::simple(TypeConstructor::Integer(IntegerType::U8))
}

impl Checker<'_> {
    /// `[| a; b |]`.
    pub(crate) fn array_expression(&mut self, elements: &[ExprId], span: Span, expect: &Expect) -> NodeId {
        let wanted = self.element_of(TypeConstructor::Array, expect);
        let ty = Ty::array(wanted.ty.clone());
        self.expect(span, expect, &ty);
        let nodes = self.elements(elements, &wanted);
        self.graph.node(NodeKind::Array(nodes), ty, span)
    }

    /// `"…"B`.
    pub(crate) fn byte_string(&mut self, bytes: &[u8], span: Span, expect: &Expect) -> NodeId {
        let literal = |value: &u8| NodeKind::Literal(clef_psg::Literal::Integer(i128::from(*value)));
        let nodes = bytes.iter().map(|value| self.graph.node(literal(value), byte(), span)).collect();
        let node = self.graph.node(NodeKind::Array(nodes), Ty::array(byte()), span);
        self.expected(node, expect)
    }

    /// `[| p; q |]` as a pattern.
    pub(crate) fn array_pattern(
        &mut self,
        parts: &[PatternId],
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        let of = self.element_of_pattern(TypeConstructor::Array, expect, span);
        let wanted = Expect { ty: of.clone(), reason: expect.reason.clone() };
        let parts = parts.iter().map(|&part| self.match_pattern(part, &wanted, bound)).collect();
        self.graph.pattern(clef_psg::PatternKind::Array(parts), Ty::array(of), span)
    }

    /// `"…"B` as a pattern.
    pub(crate) fn byte_string_pattern(&mut self, bytes: &[u8], expect: &Expect, span: Span) -> clef_psg::PatternId {
        self.expect(span, expect, &Ty::array(byte()));
        let literal = |value: &u8| clef_psg::PatternKind::Literal(clef_psg::Literal::Integer(i128::from(*value)));
        let parts = bytes.iter().map(|value| self.graph.pattern(literal(value), byte(), span)).collect();
        self.graph.pattern(clef_psg::PatternKind::Array(parts), Ty::array(byte()), span)
    }
}
