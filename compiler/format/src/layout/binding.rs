//! `let`: groups, heads and bodies.

use super::{Layout, STEP};
use clef_syntax::{
    ast::{Binding, BindingHead, ExprId, ExprKind, LetGroup},
    token::{Keyword, Punctuation, TokenKind},
};

impl Layout<'_> {
    /// A group of bindings whose `let` is in a column.
    pub(super) fn let_group(&mut self, group: &LetGroup, column: usize) {
        for (index, binding) in group.bindings.iter().enumerate() {
            if index > 0 {
                self.newline(column);
                self.attributes(column);
                self.token();
                self.attributes(column);
            }
            self.binding(binding, column);
        }
        self.flow_to(group.span.end, column + STEP);
    }

    fn binding(&mut self, binding: &Binding, column: usize) {
        let Some(equal) = self.equal() else { return };
        let flat = self.fits(equal);
        if flat {
            self.flat(equal);
        } else if let BindingHead::Function { parameters, .. } = &binding.head {
            for parameter in parameters {
                let span = self.ast.patterns[*parameter].span;
                let before = self.wrapped_start(self.index_at(span.start));
                self.flow(before, column + STEP);
                self.newline(column + STEP);
                let (end, _) = self.extent(self.position, span);
                self.flow(end, column + 2 * STEP);
            }
            if self.position < equal {
                self.newline(column + STEP);
                self.flow(equal, column + 2 * STEP);
            }
        } else {
            self.flow(equal, column + STEP);
        }
        self.token();
        if !flat {
            self.newline(column + STEP);
            return self.expr(binding.body);
        }
        self.body(binding.body, column + STEP);
    }

    /// The index of the first of the parentheses and attributes directly before a piece, from the next piece on.
    pub(super) fn wrapped_start(&self, index: usize) -> usize {
        let mut start = index;
        while start > self.position {
            let before = &self.pieces[start - 1];
            start = match before.kind {
                TokenKind::Punctuation(Punctuation::LeftParen) => start - 1,
                TokenKind::Punctuation(Punctuation::RightAttribute) => before.opener,
                _ => break,
            };
        }
        start
    }

    /// The `=` that ends the next head.
    fn equal(&self) -> Option<usize> {
        let mut index = self.position;
        while index + 1 < self.pieces.len() {
            if self.pieces[index].is(Punctuation::Equal) {
                return Some(index);
            }
            index = self.pieces[index].closer.max(index) + 1;
        }
        None
    }

    /// What follows `=`, `->`, `then` and the like: on the same line, or on the next one in a column.
    pub(super) fn body(&mut self, expr: ExprId, column: usize) {
        let (end, _) = self.extent(self.position, self.ast.exprs[expr].span);
        let broken = self.is_broken() || self.next().is_forced_down();
        if !broken && self.fits(end) {
            self.flat(end);
            return;
        }
        if broken || !self.stays(expr) {
            self.newline(column);
        }
        self.expr(expr);
    }

    /// Whether an expression of several lines begins on the line before them.
    fn stays(&self, expr: ExprId) -> bool {
        let first = self.next();
        match &self.ast.exprs[expr].kind {
            ExprKind::Lambda { .. } => self.at_keyword(Keyword::Fun),
            ExprKind::Function(_) => self.at_keyword(Keyword::Function),
            ExprKind::Literal(_) | ExprKind::Interpolated(_) => first.text.contains('\n'),
            _ => false,
        }
    }
}
