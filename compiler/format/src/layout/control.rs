//! Conditions, matches and functions.

use super::{Layout, STEP};
use clef_syntax::{
    ast::{Arm, ExprId, ExprKind},
    token::{Keyword, Punctuation},
};

impl Layout<'_> {
    /// `fun … -> body`: the body is on the same line, or indented from that line.
    pub(super) fn lambda(&mut self, body: ExprId) {
        let base = self.start_of_line();
        while !self.at(Punctuation::Arrow) && self.position + 1 < self.pieces.len() {
            let closer = self.next().closer.max(self.position);
            self.flow(closer + 1, base + 2 * STEP);
        }
        self.token();
        self.body(body, self.indentation + STEP);
    }

    /// The indentation of the line that the next piece is on.
    fn start_of_line(&self) -> usize {
        self.pending.unwrap_or(self.indentation)
    }

    pub(super) fn function(&mut self, arms: &[Arm], column: usize) {
        let base = self.start_of_line();
        self.token();
        let column = if base == column { column } else { base + STEP };
        self.arms(arms, column);
    }

    pub(super) fn match_with(&mut self, scrutinee: ExprId, arms: &[Arm], column: usize) {
        self.token();
        self.expr(scrutinee);
        if self.is_broken() {
            self.newline(column);
        }
        self.token();
        self.arms(arms, column);
    }

    fn arms(&mut self, arms: &[Arm], column: usize) {
        for arm in arms {
            self.newline(column);
            if self.at(Punctuation::Bar) {
                self.token();
            } else {
                self.gap(self.position);
                self.write("|");
                self.write(" ");
                self.without_gap();
            }
            self.arm(arm, column);
        }
    }

    fn arm(&mut self, arm: &Arm, column: usize) {
        let ast = self.ast;
        let end = self.index_at(ast.patterns[arm.pattern].span.end);
        while self.position < end || !self.at(Punctuation::Arrow) && !self.at_keyword(Keyword::When) {
            if self.position + 1 >= self.pieces.len() {
                return;
            }
            if self.at(Punctuation::Bar) && self.is_broken() {
                self.newline(column);
            } else if self.is_broken() {
                self.newline(column + STEP);
            }
            self.token();
        }
        if let Some(guard) = arm.guard {
            if self.is_broken() {
                self.newline(column + STEP);
            }
            self.token();
            self.expr(guard);
        }
        self.token();
        self.body(arm.body, column + STEP);
    }

    /// `if … then … elif … else …`: a line for each branch if all are short, and otherwise lines for each.
    pub(super) fn conditional(&mut self, expr: ExprId, column: usize) {
        let short = self.has_short_branches(expr, column);
        let ast = self.ast;
        let mut next = Some(expr);
        while let Some(expr) = next {
            let ExprKind::If { condition, then, otherwise } = &ast.exprs[expr].kind else { return };
            self.token();
            if self.at_keyword(Keyword::If) && ast.exprs[*condition].span.start > self.next().start {
                self.token();
            }
            self.expr(*condition);
            if self.is_broken() {
                self.newline(column);
            }
            self.token();
            self.branch(*then, column, short);
            let Some(otherwise) = *otherwise else { return };
            self.newline(column);
            next = self.is_chained(otherwise).then_some(otherwise);
            if next.is_none() {
                self.token();
                self.branch(otherwise, column, short);
            }
        }
    }

    /// Whether the next branch is `elif`, or `else if` on a line.
    fn is_chained(&self, otherwise: ExprId) -> bool {
        let is_if = matches!(self.ast.exprs[otherwise].kind, ExprKind::If { .. });
        let after = &self.pieces[(self.position + 1).min(self.pieces.len() - 1)];
        is_if
            && (self.at_keyword(Keyword::Elif)
                || after.is_keyword(Keyword::If) && !after.starts_line && after.comments.is_empty())
    }

    fn branch(&mut self, branch: ExprId, column: usize, short: bool) {
        if short {
            return self.expr(branch);
        }
        self.newline(column + STEP);
        self.expr(branch);
    }

    /// Whether there are several branches, and each is on the line of its keyword in the source text and fits there.
    fn has_short_branches(&self, expr: ExprId, column: usize) -> bool {
        let ast = self.ast;
        let mut next = Some(expr);
        while let Some(current) = next {
            let ExprKind::If { condition, then, otherwise } = &ast.exprs[current].kind else { return true };
            let start = self.index_at(ast.exprs[*condition].span.start);
            let end = self.end_at(start, ast.exprs[*then].span.end);
            let line = "else if ".len() + column + self.width(start..end);
            if !self.is_short(*then) || self.has_break(start..end) || line > super::WIDTH {
                return false;
            }
            let Some(otherwise) = *otherwise else { return current != expr };
            let keyword = &self.pieces[self.index_at(ast.exprs[otherwise].span.start)];
            let chained = matches!(ast.exprs[otherwise].kind, ExprKind::If { .. })
                && (keyword.is_keyword(Keyword::Elif) || keyword.is_keyword(Keyword::If) && !keyword.starts_line);
            if !chained && !self.is_short(otherwise) {
                return false;
            }
            next = chained.then_some(otherwise);
        }
        true
    }

    fn is_short(&self, branch: ExprId) -> bool {
        let span = self.ast.exprs[branch].span;
        let (mut start, mut end) = (self.index_at(span.start), self.index_at(span.end));
        while start > 0 && self.pieces[start - 1].is(Punctuation::LeftParen) && self.pieces[start - 1].closer == end {
            (start, end) = (start - 1, end + 1);
        }
        let first = &self.pieces[start];
        let breaks = first.starts_line || first.is_forced_down() || self.has_break(start..end);
        !breaks && self.width(start..end) <= super::WIDTH / 2
    }
}
