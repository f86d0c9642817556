//! `lazy e`: a library call with a function that computes the value.

use crate::{
    checker::Checker,
    state::{Expect, Reason},
};
use clef_base::Span;
use clef_infer::Ty;
use clef_psg::{Lambda, NodeId, NodeKind};
use clef_syntax::ast::ExprId;

impl Checker<'_> {
    /// `lazy e`.
    pub(crate) fn lazy(&mut self, expression: ExprId, span: Span, expect: &Expect) -> NodeId {
        let create = self.library_function("Lazy", "create", span);
        let ty = self.graph.type_of(create);
        let Some((compute, result)) = self.as_function(&ty) else { return create };
        self.expect(span, expect, &result);
        let Some((_, value)) = self.as_function(&compute) else { return create };
        self.frames.enter();
        let parameter = self.fresh_variable("argument", Ty::unit(), span);
        let body = self.expr(expression, &Expect { ty: value, reason: Reason::Nothing });
        let captures = self.frames.leave();
        let lambda = Lambda { name: None, params: vec![parameter], body, captures, span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        let argument = self.graph.node(NodeKind::Lambda(lambda), compute, span);
        self.make_call(create, vec![argument], span)
    }
}
