//! `nameof x`, as an expression and as a pattern, and `nameof<'t>`: the last part of a name as a string.

use crate::{checker::Checker, state::Expect};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Literal, NodeId, NodeKind};
use clef_syntax::ast::{ExprId, ExprKind, Path, PatternId, PatternKind, TypeExprId, TypeExprKind};

impl Checker<'_> {
    /// Whether an expression is the name `nameof`, and no definition shadows it.
    pub(crate) fn is_name_of(&self, head: ExprId) -> bool {
        let ExprKind::Name(path) = &self.input.ast.exprs[head].kind else { return false };
        self.is_word_name_of(path)
    }

    /// Does the same for the head of a pattern.
    pub(crate) fn is_word_name_of(&self, path: &Path) -> bool {
        let [name] = path.segments.as_slice() else { return false };
        name.symbol.as_str() == "nameof" && self.names.values.get(name.symbol).is_none()
    }

    /// `nameof x`, where `x` is a value, a type or a module.
    pub(crate) fn name_of(&mut self, argument: ExprId, span: Span) -> NodeId {
        let ast = self.input.ast;
        let kind = &ast.exprs[argument].kind;
        let name = if let ExprKind::Operator(name) = kind {
            name.symbol
        } else if let ExprKind::Name(path) = kind {
            self.checked_name(path)
        } else if let ExprKind::Field { target, name } = kind {
            let target = self.infer(*target);
            self.field(target, *name);
            name.symbol
        } else {
            self.report_no_name(ast.exprs[argument].span);
            return self.graph.error_node(span);
        };
        self.graph.node(NodeKind::Literal(Literal::String(name)), Ty::string(), span)
    }

    /// `nameof<'t>`.
    pub(crate) fn name_of_type(&mut self, argument: TypeExprId, span: Span) -> NodeId {
        let ast = self.input.ast;
        let at = ast.types[argument].span;
        let ty = self.type_expr(argument);
        #[allow(clippy::wildcard_enum_match_arm, reason = "only a type parameter has a name")]
        match &ast.types[argument].kind {
            TypeExprKind::Variable(variable) => {
                self.graph.node(NodeKind::Literal(Literal::String(variable.name.symbol)), Ty::string(), span)
            }
            _ if matches!(ty, Ty::Constructor(TypeConstructor::Error, _)) => self.graph.error_node(span),
            _ => {
                let message = "`nameof<…>` expects a type parameter";
                let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, at, message);
                let text = self.input.sources.text(at).to_owned();
                self.report(diagnostic.fix("remove the brackets", span, format!("nameof {text}")));
                self.graph.error_node(span)
            }
        }
    }

    /// The pattern `nameof x`.
    pub(crate) fn name_of_pattern(&mut self, argument: PatternId, expect: &Expect, span: Span) -> clef_psg::PatternId {
        let ast = self.input.ast;
        #[allow(clippy::wildcard_enum_match_arm, reason = "two kinds are names")]
        let name = match &ast.patterns[argument].kind {
            PatternKind::Name(name) => self.checked_name(&Path { segments: vec![*name] }),
            PatternKind::Case { path, argument: None } => self.checked_name(path),
            _ => {
                self.report_no_name(ast.patterns[argument].span);
                return self.error_pattern(span);
            }
        };
        self.expect(span, expect, &Ty::string());
        self.graph.pattern(clef_psg::PatternKind::Literal(Literal::String(name)), Ty::string(), span)
    }

    /// The last part of a path, which must resolve.
    fn checked_name(&mut self, path: &Path) -> Symbol {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let is_other = self.type_meaning(&symbols).is_some() || !self.names.find_modules(&symbols).is_empty();
        if !is_other {
            self.path(path);
        }
        symbols[symbols.len() - 1]
    }

    fn report_no_name(&mut self, place: Span) {
        self.report(Diagnostic::error(codes::UNKNOWN_NAME, place, "`nameof` expects a name"));
    }
}
