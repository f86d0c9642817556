//! Type declarations.

use super::{Layout, STEP};
use clef_syntax::{
    ast::{TypeDeclaration, TypeDeclarationKind},
    token::{Keyword, Punctuation},
};

impl Layout<'_> {
    pub(super) fn types(&mut self, types: &[TypeDeclaration], column: usize) {
        for (index, declared) in types.iter().enumerate() {
            let end = self.end_at(self.position, declared.span.end);
            if index > 0 {
                self.newline(column);
                self.attributes(column);
            }
            self.type_declaration(declared, column, end);
            self.flow(end, column + STEP);
        }
    }

    fn type_declaration(&mut self, declared: &TypeDeclaration, column: usize, end: usize) {
        while !self.at(Punctuation::Equal) && self.position < end {
            let group = self.next().closer.max(self.position) + 1;
            self.flow(group.min(end), column + STEP);
            if self.position < end && self.at(Punctuation::LeftAttribute) {
                self.attributes(column);
            }
        }
        if self.position >= end {
            return;
        }
        self.token();
        let broken = self.is_broken() || self.next().is_forced_down();
        if !broken && self.fits(end) {
            return self.flat(end);
        }
        let inner = column + STEP;
        self.newline(inner);
        let is_access = |layout: &Self| {
            [Keyword::Private, Keyword::Internal, Keyword::Public].iter().any(|word| layout.at_keyword(*word))
        };
        match &declared.kind {
            TypeDeclarationKind::Record(_) => {
                if is_access(self) {
                    self.token();
                    self.newline(inner + STEP);
                }
                if !self.fits(end) {
                    self.field_declarations(end);
                }
            }
            TypeDeclarationKind::Union(_) | TypeDeclarationKind::Enum(_) => {
                if is_access(self) {
                    self.token();
                }
                self.cases(inner, end);
            }
            TypeDeclarationKind::Abbreviation(_)
            | TypeDeclarationKind::Measure
            | TypeDeclarationKind::Unsupported(_)
            | TypeDeclarationKind::Error => {}
        }
        self.flow(end, inner + STEP);
    }

    /// `{ x: int`, and each further field below the first.
    fn field_declarations(&mut self, end: usize) {
        self.token();
        if self.next().is_forced_down() {
            self.newline(self.column + 1);
        }
        let column = self.column + 1;
        let close = end - 1;
        let mut first = true;
        while self.position < close {
            if self.at(Punctuation::Semicolon) {
                self.between(column);
                continue;
            }
            let starts = self.starts_field();
            if starts && !first && self.pending.is_none() && self.is_broken() {
                self.newline(column);
            }
            first = false;
            let group = self.next().closer.max(self.position) + 1;
            self.flow(group.min(close), column + STEP);
            if self.is_broken() && !self.starts_field() && self.position < close {
                self.newline(column + STEP);
            }
        }
        self.pending = None;
        self.token();
    }

    /// Whether a field begins at the next piece: a name or `mutable`, an attribute, before a colon.
    fn starts_field(&self) -> bool {
        let mut index = self.position;
        while self.pieces[index].is(Punctuation::LeftAttribute) {
            index = self.pieces[index].closer + 1;
        }
        let word = [Keyword::Mutable, Keyword::Private, Keyword::Internal, Keyword::Public];
        if word.iter().any(|word| self.pieces[index].is_keyword(*word)) {
            return true;
        }
        self.pieces.get(index + 1).is_some_and(|next| next.is(Punctuation::Colon))
            && !self.pieces[self.position - 1].is_keyword(Keyword::Mutable)
    }

    /// `| A of int`, each on its own line.
    fn cases(&mut self, column: usize, end: usize) {
        let mut first = true;
        while self.position < end {
            self.newline(column);
            if first && !self.at(Punctuation::Bar) {
                self.gap(self.position);
                self.write("| ");
                self.without_gap();
            } else {
                self.token();
            }
            first = false;
            while self.position < end && !self.at(Punctuation::Bar) {
                let group = self.next().closer.max(self.position) + 1;
                if self.is_broken() {
                    self.newline(column + STEP);
                }
                self.flow(group.min(end), column + STEP);
            }
        }
    }
}
