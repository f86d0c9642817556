//! The declarations of a file or module, and the parts of the text that are not formatted.

use super::{Layout, STEP, nesting};
use clef_syntax::{
    ast::{Declaration, DeclarationKind},
    token::{Keyword, Punctuation},
};

impl Layout<'_> {
    pub(super) fn file(&mut self) {
        let ast = self.ast;
        if ast.header.is_some() && self.is_recursive_module() {
            return self.out.push_str(self.source);
        }
        let mut depth = 0isize;
        let mut verbatim = false;
        let header = ast.header.as_ref().map(|header| header.span.end);
        let items = header.into_iter().chain(ast.declarations.iter().map(|item| item.span.end));
        let offset = usize::from(header.is_some());
        for (index, end) in items.enumerate() {
            let end = self.end_at(self.position, end);
            let directives = &self.next().directives;
            let touched = !directives.is_empty();
            depth += nesting(directives);
            let skips = depth > 0
                || self.has_directive(self.position..end)
                || self.is_recursive_module()
                || !self.is_chosen(end);
            for piece in &self.pieces[(self.position + 1).min(end)..end] {
                depth += nesting(&piece.directives);
            }
            self.newline(0);
            if skips || touched {
                self.verbatim_gap(skips && (verbatim || self.lines.is_some()) || touched);
            }
            if skips {
                self.verbatim(end);
            } else if index < offset {
                self.header(end);
            } else {
                self.declaration(&ast.declarations[index - offset], 0, end);
            }
            verbatim = skips;
        }
        self.rest(verbatim);
    }

    /// Whether a module is recursive: its declarations are in another order in the tree.
    fn is_recursive_module(&self) -> bool {
        let word = |offset: usize, keyword| {
            self.pieces.get(self.position + offset).is_some_and(|next| next.is_keyword(keyword))
        };
        let mut start = 0;
        while self.pieces[self.position + start].is(Punctuation::LeftAttribute) {
            start = self.pieces[self.position + start].closer + 1 - self.position;
        }
        word(start, Keyword::Module) && (1..3).any(|next| word(start + next, Keyword::Rec))
    }

    /// Whether the lines to format touch the item that ends at a piece.
    fn is_chosen(&self, end: usize) -> bool {
        let Some(lines) = &self.lines else { return true };
        let line = |offset: u32| self.source[..offset as usize].matches('\n').count() + 1;
        let first = line(self.next().start);
        let last = line(self.pieces[end.max(1) - 1].end);
        first < lines.end && lines.start <= last
    }

    /// Writes what is before the next piece as it is, if it contains directives or is between skipped items.
    fn verbatim_gap(&mut self, wanted: bool) {
        if !wanted {
            return;
        }
        let position = self.position;
        let start = if position == 0 { 0 } else { self.pieces[position - 1].end as usize };
        let text = &self.source[start..self.pieces[position].start as usize];
        self.pending = None;
        self.write(text);
        self.gap_is_written = true;
    }

    /// Writes an item as it is.
    fn verbatim(&mut self, end: usize) {
        if end <= self.position {
            return;
        }
        self.gap(self.position);
        let text = &self.source[self.pieces[self.position].start as usize..self.pieces[end - 1].end as usize];
        self.write(text);
        self.position = end;
    }

    /// Comments and directives at the end of the file.
    fn rest(&mut self, verbatim: bool) {
        let last = self.pieces.len() - 1;
        if self.pieces[last].directives.is_empty() && !(verbatim && self.lines.is_some()) {
            self.pending = Some(0);
            self.gap(last);
        } else {
            self.verbatim_gap(true);
        }
        let length = self.out.trim_end().len();
        self.out.truncate(length);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn header(&mut self, end: usize) {
        self.attributes(0);
        self.flow(end, STEP);
    }

    pub(super) fn declaration(&mut self, declaration: &Declaration, column: usize, end: usize) {
        self.newline(column);
        self.attributes(column);
        match &declaration.kind {
            DeclarationKind::Let(group) => self.let_group(group, column),
            DeclarationKind::Effect(expr) => {
                if self.at_keyword(Keyword::Do) {
                    self.token();
                    self.body(*expr, column + STEP);
                } else {
                    self.expr(*expr);
                }
            }
            DeclarationKind::Types(types) => self.types(types, column),
            DeclarationKind::Module { declarations, .. } => self.module(declarations, column, end),
            DeclarationKind::Open(_)
            | DeclarationKind::ModuleAlias { .. }
            | DeclarationKind::Namespace(_)
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => {}
        }
        self.flow(end, column + STEP);
    }

    fn module(&mut self, declarations: &[Declaration], column: usize, end: usize) {
        while !self.at(Punctuation::Equal) && self.position < end {
            self.token();
        }
        self.token();
        for item in declarations {
            let end = self.end_at(self.position, item.span.end);
            self.declaration(item, column + STEP, end);
        }
    }

    /// Attributes, on lines of their own if they are so in the source text.
    pub(super) fn attributes(&mut self, column: usize) {
        while self.at(Punctuation::LeftAttribute) {
            let end = self.next().closer + 1;
            self.flow(end, column + 2);
            if self.is_broken() {
                self.newline(column);
            }
        }
    }
}
