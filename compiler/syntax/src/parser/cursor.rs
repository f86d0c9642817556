//! Inspecting and consuming tokens.

use super::{MAX_NESTING, Parser, tree::Heights};
use crate::{
    ast::{Ast, Name},
    token::{Keyword, Punctuation, Token, TokenKind},
};
use clef_base::{Diagnostic, FileId, HashSet, Span, Symbol, codes};

impl Parser {
    pub(super) fn new(file: FileId, mut tokens: Vec<Token>) -> Parser {
        if tokens.last().is_none_or(|token| token.kind != TokenKind::EndOfFile) {
            let span = tokens.last().map_or(Span::new(file, 0, 0), |token| token.span.at_end());
            tokens.push(end_of_file(span));
        }
        Parser {
            tokens,
            position: 0,
            ast: Ast { file, ..Ast::default() },
            heights: Heights::default(),
            diagnostics: Vec::new(),
            depth: 0,
            abandoned: false,
            reported: None,
            field_column: None,
            parenthesised: HashSet::default(),
        }
    }

    /// The next token.
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.position]
    }

    /// The token `ahead` places after the next one; at most the end of the file.
    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    /// The location of the next token.
    pub(super) fn span(&self) -> Span {
        self.peek().span
    }

    /// The end of the last consumed token that is in the source text.
    pub(super) fn last_end(&self) -> Span {
        let last = self.tokens[..self.position].iter().rev().find(|token| !is_virtual(token));
        last.map_or_else(|| self.span().at_start(), |token| token.span.at_end())
    }

    /// From the start of `first` to the end of the last consumed token.
    pub(super) fn span_from(&self, first: Span) -> Span {
        let end = self.last_end();
        if end.end < first.start { first } else { Span { end: end.end, ..first } }
    }

    /// Consumes the next token, except the end of the file.
    pub(super) fn bump(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    pub(super) fn at(&self, sign: Punctuation) -> bool {
        self.peek().is(sign)
    }

    pub(super) fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek().is_keyword(keyword)
    }

    pub(super) fn at_kind(&self, kind: &TokenKind) -> bool {
        self.peek().kind == *kind
    }

    pub(super) fn at_begin(&self) -> bool {
        self.at_kind(&TokenKind::Begin)
    }

    pub(super) fn at_end_of_file(&self) -> bool {
        self.at_kind(&TokenKind::EndOfFile)
    }

    /// Whether the next token ends an item of a block.
    pub(super) fn at_boundary(&self) -> bool {
        matches!(self.peek().kind, TokenKind::Separator | TokenKind::End | TokenKind::EndOfFile)
    }

    /// Consumes this punctuation if it is next.
    pub(super) fn eat(&mut self, sign: Punctuation) -> bool {
        let found = self.at(sign);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes this keyword if it is next.
    pub(super) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes this virtual token if it is next.
    pub(super) fn eat_kind(&mut self, kind: &TokenKind) -> bool {
        let found = self.at_kind(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes line ends where the construct continues after them.
    pub(super) fn skip_separators(&mut self) {
        while self.eat_kind(&TokenKind::Separator) {}
    }

    /// The next token, if it is an operator.
    pub(super) fn operator(&self) -> Option<Symbol> {
        match self.peek().kind {
            TokenKind::Operator(operator) => Some(operator),
            _ => None,
        }
    }

    pub(super) fn at_operator(&self, text: &str) -> bool {
        self.operator().is_some_and(|operator| operator.as_str() == text)
    }

    /// Consumes the next token if it is a name.
    pub(super) fn eat_name(&mut self) -> Option<Name> {
        if let Some(name) = self.eat_reserved_name() {
            return Some(name);
        }
        let TokenKind::Identifier(symbol) = self.peek().kind else { return None };
        let name = Name { symbol, span: self.span() };
        self.bump();
        Some(name)
    }

    /// Consumes the next punctuation or operator as a name.
    pub(super) fn take_operator(&mut self) -> Name {
        let span = self.span();
        let symbol = match self.peek().kind {
            TokenKind::Operator(operator) => operator,
            TokenKind::Punctuation(sign) => Symbol::new(sign.text()),
            _ => Symbol::new(""),
        };
        self.bump();
        Name { symbol, span }
    }

    /// Runs `parse` one level deeper, or abandons the file if that is too deep.
    pub(super) fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Parser) -> T,
        otherwise: impl FnOnce(&mut Parser) -> T,
    ) -> T {
        if self.depth >= MAX_NESTING {
            let span = self.span();
            self.abandon(span, MAX_NESTING);
            return otherwise(self);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Reports that the nesting is too deep, and skips to the end of the file.
    pub(super) fn abandon(&mut self, span: Span, limit: usize) {
        if !self.abandoned {
            self.diagnostics.push(
                Diagnostic::error(codes::TOO_DEEP, span, "nesting is too deep")
                    .label(format!("more than {limit} levels"))
                    .note("the rest of the file was not parsed")
                    .help("bind parts with `let`, or use a loop or a list"),
            );
        }
        self.abandoned = true;
        self.position = self.tokens.len() - 1;
    }
}

/// Whether a token was inserted by the offside pass.
pub(super) fn is_virtual(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Begin | TokenKind::Separator | TokenKind::End)
}

fn end_of_file(span: Span) -> Token {
    Token {
        kind: TokenKind::EndOfFile,
        span,
        column: 0,
        indentation: 0,
        starts_line: true,
        space_before: true,
        space_after: true,
        documentation: None,
    }
}
