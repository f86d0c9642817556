//! Sequences, conditionals, matches, loops and assignment.

use crate::{
    checker::Checker,
    expressions::for_in::LoopBody,
    patterns::pattern::Bound,
    state::{Expect, Reason},
};
use clef_analysis::matches::{Match, MatchKind};
use clef_base::{Diagnostic, Span, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Mutability, NodeId, NodeKind};
use clef_scopes::Meaning;
use clef_syntax::ast::{Arm, ExprId, ExprKind, Name, Path, Statement};
use clef_types::Primitive;

impl<'a> Checker<'a> {
    /// Statements; the last is the value.
    pub(crate) fn block(&mut self, statements: &[Statement], span: Span, expect: &Expect) -> NodeId {
        let mark = self.names.mark();
        let node = self.statements(statements, span, expect);
        self.names.reset(mark);
        node
    }

    pub(crate) fn statements(&mut self, statements: &[Statement], span: Span, expect: &Expect) -> NodeId {
        let mut effects = Vec::new();
        for (index, statement) in statements.iter().enumerate() {
            let rest = &statements[index + 1..];
            match statement {
                Statement::Let(group) if group.resource => {
                    let rest_span = rest.first().map_or(span, |_| Span { start: group.span.end, ..span });
                    effects.push(self.use_block(group, rest, rest_span, expect));
                    break;
                }
                Statement::Let(group) => {
                    let bound = self.local_bindings(group);
                    let rest_span = rest.first().map_or(span, |_| Span { start: group.span.end, ..span });
                    let body = self.statements(rest, rest_span, expect);
                    effects.push(self.let_nodes(bound, body, group.span.to(span.at_end())));
                    break;
                }
                Statement::Expr(id) if rest.is_empty() => effects.push(self.expr(*id, expect)),
                Statement::Expr(id) => effects.push(self.statement(*id)),
            }
        }
        match effects.len() {
            0 => {
                self.expect(span, expect, &Ty::error());
                self.graph.error_node(span)
            }
            1 => effects[0],
            last => {
                let ty = self.graph.type_of(effects[last - 1]);
                self.graph.node(NodeKind::Sequence(effects), ty, span)
            }
        }
    }

    /// An expression statement: warns if its value is discarded, unless a more specific message applies.
    pub(crate) fn statement(&mut self, id: ExprId) -> NodeId {
        let reported = self.reports.diagnostics.len();
        let node = self.infer(id);
        let ty = self.graph.type_of(node);
        match self.inference.shallow(&ty) {
            _ if self.reports.diagnostics.len() > reported => {}
            Ty::Variable(_) => {
                if self.inference.unify(&ty, &Ty::unit()).is_err() {
                    self.warn_dropped(id, &ty);
                }
            }
            Ty::Constructor(TypeConstructor::Unit | TypeConstructor::Error, _) => {}
            Ty::Constructor(..) => self.warn_dropped(id, &ty),
        }
        node
    }

    fn warn_dropped(&mut self, id: ExprId, ty: &Ty) {
        let ast = self.input.ast;
        let span = ast.exprs[id].span;
        let shown = self.show(ty);
        let diagnostic = Diagnostic::warning(
            codes::DROPPED_VALUE,
            span,
            format!("the value of this expression, of type `{shown}`, is unused"),
        );
        if let ExprKind::Binary { operator, left, .. } = &ast.exprs[id].kind
            && operator.symbol.as_str() == "="
        {
            let diagnostic = self.propose_assignment(diagnostic, operator.span, *left);
            self.report(diagnostic);
            return;
        }
        let is_function = matches!(self.inference.shallow(ty), Ty::Constructor(TypeConstructor::Function, _));
        self.report(match is_function {
            true => diagnostic.help("this is a function: an argument may be missing"),
            false => diagnostic.fix("discard it explicitly", span.at_end(), " |> ignore"),
        });
    }

    /// `a = b` as a statement compares; an assignment was perhaps meant.
    fn propose_assignment(&mut self, diagnostic: Diagnostic, sign: Span, left: ExprId) -> Diagnostic {
        let ast = self.input.ast;
        let diagnostic = diagnostic.note("`=` compares; it does not assign");
        let ExprKind::Name(Path { segments }) = &ast.exprs[left].kind else {
            return diagnostic.fix("assign with `<-`", sign, "<-");
        };
        match self.names.values.get(segments[0].symbol).map(|entry| entry.meaning) {
            Some(Meaning::Variable(variable)) if segments.len() == 1 => {
                let ty = self.graph.facts(variable).ty.clone();
                match self.inference.shallow(&ty) {
                    Ty::Constructor(TypeConstructor::Reference, _) => {
                        diagnostic.fix("assign to the ref cell with `:=`", sign, ":=")
                    }
                    Ty::Constructor(..) | Ty::Variable(_) => diagnostic.fix("assign with `<-`", sign, "<-"),
                }
            }
            _ => diagnostic.fix("assign with `<-`", sign, "<-"),
        }
    }

    /// `if`.
    pub(crate) fn conditional(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        let condition = self.expr(condition, &Expect { ty: Ty::bool(), reason: Reason::Condition("if") });
        let Some(otherwise) = otherwise else {
            let errors = self.reports.diagnostics.len();
            let then = self.expr(then, &Expect { ty: Ty::unit(), reason: Reason::NoElse });
            let otherwise = self.graph.unit_node(span.at_end());
            if self.reports.diagnostics.len() == errors {
                self.expect(span, expect, &Ty::unit());
            }
            return self.graph.node(NodeKind::If { condition, then, otherwise }, Ty::unit(), span);
        };
        let then_span = self.input.ast.exprs[then].span;
        let then = self.expr(then, expect);
        let wanted = expect.or_because(|| Reason::Branch(then_span));
        let otherwise = self.expr(otherwise, &wanted);
        self.graph.node(NodeKind::If { condition, then, otherwise }, expect.ty.clone(), span)
    }

    /// `match` with a checked scrutinee; also `function`.
    pub(crate) fn match_expression(&mut self, scrutinee: NodeId, arms: &[Arm], span: Span, expect: &Expect) -> NodeId {
        let first = arms.first().map_or(span, |arm| self.input.ast.exprs[arm.body].span);
        self.match_with(scrutinee, arms, expect.ty.clone(), span, &mut |this, index, body| match index {
            0 => this.expr(body, expect),
            _ => this.expr(body, &expect.or_because(|| Reason::Arm { number: index + 1, first })),
        })
    }

    /// A match whose arms are built from their index and body.
    pub(crate) fn match_with(
        &mut self,
        scrutinee: NodeId,
        arms: &[Arm],
        ty: Ty,
        span: Span,
        body: &mut dyn FnMut(&mut Checker<'a>, usize, ExprId) -> NodeId,
    ) -> NodeId {
        let reason = Reason::Scrutinee(self.graph.span_of(scrutinee));
        let matched = Expect { ty: self.graph.type_of(scrutinee), reason };
        let mut checked = Vec::with_capacity(arms.len());
        for (index, arm) in arms.iter().enumerate() {
            checked.push(self.arm(arm, &matched, &mut |this| body(this, index, arm.body)));
        }
        let looked_at = checked.iter().map(|arm| (arm.pattern, arm.guard.is_some())).collect();
        self.look_at_later(Match { span: self.graph.span_of(scrutinee), arms: looked_at, kind: MatchKind::Match });
        self.graph.node(NodeKind::Match { scrutinee, arms: checked }, ty, span)
    }

    fn arm(&mut self, arm: &Arm, matched: &Expect, body: LoopBody<'_, 'a>) -> clef_psg::Arm {
        let mark = self.names.mark();
        let mut bound = Bound::of_arm();
        let pattern = self.match_pattern(arm.pattern, matched, &mut bound);
        self.declare_bound(&bound);
        let condition = Expect { ty: Ty::bool(), reason: Reason::Condition("when") };
        let guard = arm.guard.map(|guard| self.expr(guard, &condition));
        let body = body(self);
        self.names.reset(mark);
        clef_psg::Arm { pattern, guard, body }
    }

    /// `while`.
    pub(crate) fn while_loop(&mut self, condition: ExprId, span: Span, make_body: LoopBody<'_, 'a>) -> NodeId {
        let condition = self.expr(condition, &Expect { ty: Ty::bool(), reason: Reason::Condition("while") });
        let body = make_body(self);
        self.graph.node(NodeKind::While { condition, body }, Ty::unit(), span)
    }

    /// `place <- value`.
    pub(crate) fn assignment(&mut self, target: ExprId, value: ExprId, span: Span, expect: &Expect) -> NodeId {
        let ast = self.input.ast;
        self.expect(span, expect, &Ty::unit());
        let kind = &ast.exprs[target].kind;
        if let ExprKind::Name(path) = kind {
            return self.assign_path(path, value, span);
        }
        if let ExprKind::Field { target, name } = kind {
            let target = self.infer(*target);
            return self.assign_member(target, *name, value, span);
        }
        if let ExprKind::Index { target, index } = kind {
            return self.assign_index(*target, *index, value, span);
        }
        if let ExprKind::Slice { target, from, to } = kind {
            return self.assign_slice(*target, (*from, *to), value, span);
        }
        let at = ast.exprs[target].span;
        self.report(Diagnostic::error(codes::NOT_ASSIGNABLE, at, "this is not assignable"));
        self.infer(value);
        self.graph.error_node(span)
    }

    /// A name as an assignment target: a variable, the content of a ref cell, or a field.
    fn assign_path(&mut self, path: &Path, value: ExprId, span: Span) -> NodeId {
        let (node, fields) = self.path_value(path);
        if let Some((last, front)) = fields.split_last() {
            let target = front.iter().fold(node, |node, field| self.field(node, *field));
            return self.assign_member(target, *last, value, span);
        }
        if let Some(variable) = self.variable_of(node) {
            return self.assign_to(variable, node, value, span);
        }
        if !matches!(self.graph.type_of(node), Ty::Constructor(TypeConstructor::Error, _)) {
            let name = path.segments[path.segments.len() - 1];
            let message = format!("`{}` is not assignable", name.symbol);
            self.report(Diagnostic::error(codes::NOT_ASSIGNABLE, name.span, message));
        }
        self.infer(value);
        self.graph.error_node(span)
    }

    /// `target.name <- value`: a ref cell, or a mutable field of a record.
    fn assign_member(&mut self, target: NodeId, name: Name, value: ExprId, span: Span) -> NodeId {
        if self.is_cell_content(target, name) {
            return self.assign_cell(target, value, span);
        }
        let read = self.field(target, name);
        if let Some(assignment) = self.assign_field(read, value, span) {
            return assignment;
        }
        self.report_field_assignment(read, name);
        self.infer(value);
        self.graph.error_node(span)
    }

    /// Whether a member is the content of a ref cell. If the type is not known, it is, unless a record in scope has such a
    /// field.
    fn is_cell_content(&mut self, target: NodeId, name: Name) -> bool {
        if !matches!(name.symbol.as_str(), "Value" | "contents") {
            return false;
        }
        let ty = self.graph.type_of(target);
        match self.inference.shallow(&ty) {
            Ty::Constructor(TypeConstructor::Reference, _) => true,
            Ty::Constructor(..) => false,
            Ty::Variable(_) => self.record_with(name.symbol).is_none(),
        }
    }

    /// An assignment to the field that a node reads, if it is a mutable field of a record.
    fn assign_field(&mut self, read: NodeId, value: ExprId, span: Span) -> Option<NodeId> {
        let (target, case, field) = self.projected(read)?;
        if !self.graph.psg.cases[case].mutable.contains(&field) {
            return None;
        }
        let name = self.graph.psg.cases[case].fields[field].0?;
        let ty = self.graph.type_of(read);
        let value = self.expr(value, &Expect { ty, reason: Reason::Field(name) });
        Some(self.graph.node(NodeKind::AssignField { target, case, field, value }, Ty::unit(), span))
    }

    /// Reports an assignment to a field; `node` is its value.
    fn report_field_assignment(&mut self, node: NodeId, field: Name) {
        let ty = self.graph.type_of(node);
        let known = self.inference.shallow(&ty);
        if let Ty::Constructor(TypeConstructor::Error, _) = known {
            return;
        }
        let name = field.symbol;
        let message = format!("cannot assign to the immutable field `{name}`");
        let diagnostic = Diagnostic::error(codes::NOT_ASSIGNABLE, field.span, message);
        self.report(match known {
            Ty::Constructor(TypeConstructor::Reference, _) => {
                diagnostic.fix("assign to the value of the ref cell", field.span.at_end(), ".Value")
            }
            Ty::Constructor(..) | Ty::Variable(_) => diagnostic
                .help(format!("copy the record with a new value: `{{ r with {name} = … }}`"))
                .help(format!("or declare the field `mutable {name}`")),
        });
    }

    fn assign_to(&mut self, variable: clef_psg::VariableId, target: NodeId, value: ExprId, span: Span) -> NodeId {
        let described = self.graph.psg.variables[variable].clone();
        let ty = self.graph.type_of(target);
        if described.mutability == Mutability::Immutable {
            self.report_immutable(variable, &ty, self.graph.span_of(target), span);
            self.infer(value);
            return self.graph.error_node(span);
        }
        let value = self.expr(value, &Expect { ty, reason: Reason::Assigned(described.span) });
        self.graph.node(NodeKind::Assign { variable, value }, Ty::unit(), span)
    }

    fn report_immutable(&mut self, variable: clef_psg::VariableId, ty: &Ty, at: Span, whole: Span) {
        let bound_by_let = self.graph.facts(variable).bound_by_let;
        let described = &self.graph.psg.variables[variable];
        let name = described.name;
        let diagnostic =
            Diagnostic::error(codes::NOT_ASSIGNABLE, at, format!("cannot assign to `{name}`, which is not mutable"))
                .also(described.span, "bound here");
        let is_cell = matches!(self.inference.shallow(ty), Ty::Constructor(TypeConstructor::Reference, _));
        let arrow = self.input.sources.text(whole).find("<-");
        self.report(match (is_cell, arrow) {
            (true, Some(arrow)) => {
                let start = whole.start + arrow as u32;
                let arrow = Span { start, end: start + 2, ..whole };
                diagnostic.fix("use `:=` to assign to a ref cell", arrow, ":=")
            }
            _ if bound_by_let => diagnostic.fix("make it mutable", described.span.at_start(), "mutable "),
            _ => diagnostic.help(format!("copy it to a mutable variable first: `let mutable {name} = {name}`")),
        });
    }

    /// `cell.Value <- value`.
    fn assign_cell(&mut self, cell: NodeId, value: ExprId, span: Span) -> NodeId {
        let of = self.inference.fresh();
        let cell_type = self.graph.type_of(cell);
        self.expect(self.graph.span_of(cell), &Expect::anything(Ty::reference(of.clone())), &cell_type);
        let value = self.expr(value, &Expect { ty: of, reason: Reason::Assigned(self.graph.span_of(cell)) });
        self.primitive_call(Primitive::WriteReference, vec![cell, value], Ty::unit(), span)
    }
}
