//! Constructs that start with a keyword, and blocks.

use super::{Printer, expr::Place};
use crate::ast::{Arm, ExprId, ExprKind, Name, PatternId, Statement};

impl Printer<'_> {
    /// An expression on its own lines.
    pub(super) fn lines(&mut self, expr: ExprId) {
        let ast = self.ast;
        if let ExprKind::Block(statements) = &ast.exprs[expr].kind {
            for statement in statements {
                self.line();
                match statement {
                    Statement::Let(group) => self.group(group),
                    Statement::Expr(expr) => self.statement(*expr),
                }
            }
        } else {
            self.line();
            self.expr(expr, Place::Line);
        }
    }

    /// A statement; a block within a block keeps its own parentheses.
    fn statement(&mut self, expr: ExprId) {
        match &self.ast.exprs[expr].kind {
            ExprKind::Block(_) => self.atom(expr),
            _ => self.expr(expr, Place::Line),
        }
    }

    /// The body after `=`, `->` or `do`: on the same line if it fits, otherwise indented on its own lines.
    pub(super) fn body(&mut self, expr: ExprId) {
        if self.is_flat(expr) {
            self.write(" ");
            self.expr(expr, Place::Line);
        } else {
            self.indented(|printer| printer.lines(expr));
        }
    }

    pub(super) fn function(&mut self, arms: &[Arm]) {
        self.write("function");
        self.arms(arms);
    }

    pub(super) fn match_expression(&mut self, scrutinee: ExprId, arms: &[Arm]) {
        self.write("match ");
        self.operand(scrutinee);
        self.write(" with");
        self.arms(arms);
    }

    pub(super) fn while_loop(&mut self, condition: ExprId, body: ExprId) {
        self.write("while ");
        self.operand(condition);
        self.loop_body(body);
    }

    /// The limits are the first value, `to` or `downto`, and the last value.
    pub(super) fn for_range(&mut self, variable: Name, limits: (ExprId, &str, ExprId), body: ExprId) {
        self.write("for ");
        self.name(variable);
        self.write(" = ");
        self.operand(limits.0);
        self.write(format_args!(" {} ", limits.1));
        self.operand(limits.2);
        self.loop_body(body);
    }

    pub(super) fn for_in(&mut self, pattern: PatternId, source: ExprId, body: ExprId) {
        self.write("for ");
        self.atomic_pattern(pattern);
        self.write(" in ");
        self.source(source);
        self.loop_body(body);
    }

    pub(super) fn keyword(&mut self, keyword: &str, value: ExprId) {
        self.write(format_args!("{keyword} "));
        self.operand(value);
    }

    pub(super) fn keyword_atom(&mut self, keyword: &str, value: ExprId) {
        self.write(format_args!("{keyword} "));
        self.atom(value);
    }

    pub(super) fn lambda(&mut self, parameters: &[PatternId], body: ExprId) {
        self.write("fun");
        self.parameters(parameters);
        self.write(" ->");
        self.body(body);
    }

    fn loop_body(&mut self, body: ExprId) {
        self.write(" do");
        self.indented(|printer| printer.lines(body));
    }

    fn source(&mut self, source: ExprId) {
        match &self.ast.exprs[source].kind {
            ExprKind::Range { from, step, to } => self.range(*from, *step, *to),
            _ => self.operand(source),
        }
    }

    pub(super) fn range(&mut self, from: ExprId, step: Option<ExprId>, to: ExprId) {
        self.operand(from);
        self.write(" .. ");
        if let Some(step) = step {
            self.operand(step);
            self.write(" .. ");
        }
        self.operand(to);
    }

    /// On one line if it fits; otherwise each branch on its own lines.
    pub(super) fn conditional(&mut self, expr: ExprId) {
        let ast = self.ast;
        let flat = self.is_flat(expr);
        let mut keyword = "if";
        let mut rest = Some(expr);
        while let Some(expr) = rest {
            let ExprKind::If { condition, then, otherwise } = &ast.exprs[expr].kind else {
                self.write("else");
                self.branch(expr, flat);
                return;
            };
            self.write(format_args!("{keyword} "));
            self.operand(*condition);
            self.write(" then");
            self.branch(*then, flat);
            if otherwise.is_some() {
                if flat {
                    self.write(" ");
                } else {
                    self.line();
                }
            }
            rest = *otherwise;
            keyword = "elif";
        }
    }

    fn branch(&mut self, expr: ExprId, flat: bool) {
        if flat {
            self.write(" ");
            match &self.ast.exprs[expr].kind {
                ExprKind::Yield(_) | ExprKind::YieldAll(_) | ExprKind::Assign { .. } => self.bare(expr),
                _ => self.operand(expr),
            }
        } else {
            self.indented(|printer| printer.lines(expr));
        }
    }

    fn arms(&mut self, arms: &[Arm]) {
        for arm in arms {
            self.line();
            self.write("| ");
            self.pattern(arm.pattern);
            if let Some(guard) = arm.guard {
                self.write(" when ");
                self.operand(guard);
            }
            self.write(" ->");
            self.body(arm.body);
        }
    }
}
