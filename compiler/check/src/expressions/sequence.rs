//! `seq { … }`: a library sequence whose enumerations run the body from one `yield` to the next; and loops over sequences.

use crate::{
    checker::Checker,
    expressions::for_in::Each,
    expressions::ranges::Bounds,
    names::library::LibraryFunction,
    state::{Expect, Reason},
};
use clef_base::Span;
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Arm, Lambda, Mutability, NodeId, NodeKind, PatternKind};
use clef_syntax::ast::{ExprId, ExprKind, Statement};

impl<'a> Checker<'a> {
    /// `seq { body }`: `Seq.make (fun () -> Seq.enumerator (fun wanted -> …))`. Both functions capture the free variables of the
    /// body; the inner one is converted to a state machine when all types are known.
    pub(crate) fn sequence(&mut self, body: ExprId, span: Span, expect: &Expect) -> NodeId {
        let make = self.construct_function(LibraryFunction::SeqMake, span);
        let enumerator = self.construct_function(LibraryFunction::SeqEnumerator, span);
        let (make_type, enumerator_type) = (self.graph.type_of(make), self.graph.type_of(enumerator));
        let (Some((start, sequence)), Some((next, enumeration))) =
            (self.as_function(&make_type), self.as_function(&enumerator_type))
        else {
            return self.graph.error_node(span);
        };
        let (Some((_, started)), Some((_, item))) = (self.as_function(&start), self.as_function(&next)) else {
            return self.graph.error_node(span);
        };
        self.expect(span, expect, &sequence);
        self.expect(span, &Expect::anything(enumeration), &started);
        let Ty::Constructor(TypeConstructor::Declared(_), parts) = self.inference.shallow(&item) else {
            return self.graph.error_node(span);
        };
        let element = Expect { ty: parts[0].clone(), reason: Reason::Nothing };
        // The bounds of `seq { a .. b }` are evaluated when it is created, like the arguments of a function.
        let range = self.range_alone(body).map(|(bounds, span)| {
            let range = self.range(bounds, &element);
            self.expect(span, &element, &range.ty());
            (self.evaluated(range), span)
        });
        self.frames.enter();
        self.frames.enter();
        let (body, bindings) = match range {
            Some(((range, bindings), span)) => {
                let range = self.evaluated_again(range);
                (self.sequence_of_range(range, element, span), bindings)
            }
            None => (self.sequence_body(body, element), Vec::new()),
        };
        let inner = self.function_of(Ty::bool(), body, next, span);
        if let NodeKind::Lambda(lambda) = self.graph.psg.nodes[inner].kind {
            self.deferred.generators.push((lambda, item));
        }
        let made = self.make_call(enumerator, vec![inner], span);
        let outer = self.function_of(Ty::unit(), made, start, span);
        let sequence = self.make_call(make, vec![outer], span);
        bindings.into_iter().rev().fold(sequence, |sequence, binding| self.under(Some(binding), sequence))
    }

    /// The bounds of a range that is the whole body.
    fn range_alone(&self, body: ExprId) -> Option<(Bounds, Span)> {
        let ast = self.input.ast;
        #[allow(clippy::wildcard_enum_match_arm, reason = "a range may be all of a block")]
        match &ast.exprs[body].kind {
            ExprKind::Range { from, step, to } => Some(((*from, *step, *to), ast.exprs[body].span)),
            ExprKind::Block(statements) => match statements.as_slice() {
                [Statement::Expr(only)] => self.range_alone(*only),
                _ => None,
            },
            _ => None,
        }
    }

    /// The function whose body was checked in the innermost frame, with an unused parameter of type `of`.
    fn function_of(&mut self, of: Ty, body: NodeId, ty: Ty, span: Span) -> NodeId {
        let parameter = self.fresh_variable("argument", of, span);
        let captures = self.frames.leave();
        let lambda = Lambda { name: None, params: vec![parameter], body, captures, span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        self.graph.node(NodeKind::Lambda(lambda), ty, span)
    }

    /// The sequence type of an element type, if the library has declared it.
    pub(crate) fn sequence_type(&self, element: Ty) -> Option<Ty> {
        let case = self.find_library_case("SeqValue", "Sequence")?;
        Some(Ty::of(TypeConstructor::Declared(self.graph.psg.cases[case].owner), [element]))
    }

    /// Whether it is the constructor of sequences.
    pub(crate) fn is_sequence(&self, constructor: TypeConstructor) -> bool {
        self.find_library_case("SeqValue", "Sequence")
            .is_some_and(|case| constructor == TypeConstructor::Declared(self.graph.psg.cases[case].owner))
    }

    /// A loop over a sequence:
    ///
    /// ```text
    /// let next = Seq.start source
    /// let mutable more = true
    /// while more do
    ///     match next true with
    ///     | Some element -> each element
    ///     | None -> more <- false
    /// ```
    pub(crate) fn for_sequence(&mut self, source: NodeId, of: Ty, span: Span, each: Each<'_, 'a>) -> NodeId {
        let at = self.graph.span_of(source);
        let next = self.library_call(LibraryFunction::SeqStart, vec![source], at);
        let (next, next_binding) = self.hidden("next", next, Mutability::Immutable);
        let first = self.graph.bool_node(true, at);
        let (more, more_binding) = self.hidden("more", first, Mutability::Mutable);
        let condition = self.use_variable(more, at);
        let (function, wanted) = (self.use_variable(next, at), self.graph.bool_node(true, at));
        let scrutinee = self.make_call(function, vec![wanted], at);
        let option = self.graph.type_of(scrutinee);
        let variable = self.fresh_variable("element", of.clone(), at);
        let field = self.graph.pattern(PatternKind::Variable(variable), of, at);
        let [none, some] = ["None", "Some"].map(|name| self.library_case("Prelude", name));
        let some = self.graph.pattern(PatternKind::Case { case: some, fields: vec![field] }, option.clone(), at);
        let none = self.graph.pattern(PatternKind::Case { case: none, fields: Vec::new() }, option, at);
        let element = self.use_variable(variable, at);
        let body = each(self, element);
        let value = self.graph.bool_node(false, at);
        let stop = self.graph.node(NodeKind::Assign { variable: more, value }, Ty::unit(), at);
        let arm = |pattern, body| Arm { pattern, guard: None, body };
        let arms = vec![arm(some, body), arm(none, stop)];
        let body = self.graph.node(NodeKind::Match { scrutinee, arms }, Ty::unit(), span);
        let loop_node = self.graph.node(NodeKind::While { condition, body }, Ty::unit(), span);
        let loop_node = self.under(Some(more_binding), loop_node);
        self.under(Some(next_binding), loop_node)
    }
}
