//! Records, lists, arrays and sequences: the first item is on the line of the bracket, and the others below it.

use super::{Layout, STEP};
use clef_syntax::{
    ast::{ExprId, ExprKind, Path},
    token::{Keyword, Punctuation},
};

impl Layout<'_> {
    pub(super) fn record(&mut self, fields: &[(Path, ExprId)]) {
        self.token();
        let column = self.column + 1;
        self.fields(fields, column);
        self.close();
    }

    pub(super) fn record_update(&mut self, base: ExprId, fields: &[(Path, ExprId)], column: usize) {
        self.token();
        self.expr(base);
        self.token();
        let below = if fields.len() == 1 && !self.is_broken() { self.start() } else { column + STEP };
        if below == column + STEP {
            self.newline(below);
        }
        self.fields(fields, below);
        self.close();
    }

    fn fields(&mut self, fields: &[(Path, ExprId)], column: usize) {
        for (index, (path, value)) in fields.iter().enumerate() {
            if index > 0 {
                self.between(column);
            }
            self.flow_to(path.span().end, column + STEP);
            self.token();
            self.body(*value, column + STEP);
        }
    }

    /// The closing bracket, on the line of the last item unless a comment is between them.
    fn close(&mut self) {
        while self.at(Punctuation::Semicolon) && self.next().comments.is_empty() {
            self.position += 1;
        }
        self.token();
    }

    pub(super) fn collection(&mut self, elements: &[ExprId]) {
        let rows = self.has_rows(elements);
        self.token();
        let column = self.column + 1;
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.separate(*element, column, rows);
            }
            self.expr(*element);
        }
        self.close();
    }

    /// Whether some lines of the source text have several elements, or all of them are short.
    fn has_rows(&self, elements: &[ExprId]) -> bool {
        let starts: Vec<usize> =
            elements.iter().map(|element| self.index_at(self.ast.exprs[*element].span.start)).collect();
        let inner = self.position + 1;
        let down = starts.iter().filter(|&&start| start > inner && self.pieces[start].starts_line).count();
        let all_down = down >= elements.len().saturating_sub(1);
        let short = elements.iter().all(|element| {
            matches!(&self.ast.exprs[*element].kind, ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::Prefix { .. })
        });
        if down == 0 { short && !self.has_break(self.position..self.next().closer) } else { !all_down }
    }

    /// Between two elements: the next line, or in rows a semicolon where the source text has one and the element fits.
    fn separate(&mut self, element: ExprId, column: usize, rows: bool) {
        let after = self.position + usize::from(self.at(Punctuation::Semicolon));
        let (end, _) = self.extent(after, self.ast.exprs[element].span);
        let breaks = self.pieces[after].starts_line || self.is_broken() || self.next().is_forced_down();
        let width = self.column + 1 + self.width(after..end) + self.tail(end).max(2);
        if rows && after > self.position && !breaks && width < super::WIDTH {
            self.token();
        } else {
            self.between(column);
        }
    }

    pub(super) fn comprehension(&mut self, body: ExprId, end: usize) {
        self.token();
        let column = self.column + 1;
        self.inside(body, column, end);
        self.close();
    }

    fn inside(&mut self, body: ExprId, column: usize, end: usize) {
        let ast = self.ast;
        if let ExprKind::Block(statements) = &ast.exprs[body].kind {
            self.statements(statements, column);
        } else {
            self.expr(body);
        }
        self.flow(end - 1, column);
    }

    /// `seq { … }`.
    pub(super) fn sequence(&mut self, body: ExprId, end: usize) {
        while !self.at(Punctuation::LeftBrace) && self.position < end {
            self.token();
        }
        self.token();
        let base = self.indentation;
        self.newline(base + STEP);
        self.inside(body, base + STEP, end);
        while self.at(Punctuation::Semicolon) && self.next().comments.is_empty() {
            self.position += 1;
        }
        self.newline(base);
        self.token();
    }

    pub(super) fn loop_body(&mut self, body: ExprId, column: usize) {
        self.token();
        self.body(body, column + STEP);
        if self.at_keyword(Keyword::Done) {
            if self.is_broken() {
                self.newline(column);
            }
            self.token();
        }
    }
}
