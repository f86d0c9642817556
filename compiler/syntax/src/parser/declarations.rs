//! Files, modules, and their declarations.

use super::Parser;
use crate::{
    ast::{Attribute, Declaration, DeclarationKind, Header, Name, Path, Statement, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, Symbol, codes};

impl Parser {
    /// The whole file.
    pub(super) fn file(&mut self) {
        if self.eat_kind(&TokenKind::Begin) {
            let recursive = self.header();
            self.ast.declarations = self.file_declarations(recursive);
        }
        while !self.at_end_of_file() {
            self.eat_kind(&TokenKind::End);
            self.eat_kind(&TokenKind::Begin);
            let more = self.declarations();
            self.ast.declarations.extend(more);
        }
    }

    /// The declarations of a file, to the end of the block; those after a further `namespace` belong to it.
    fn file_declarations(&mut self, recursive: bool) -> Vec<Declaration> {
        let declarations = self.declarations();
        let is_namespace = |declaration: &Declaration| matches!(declaration.kind, DeclarationKind::Namespace(_));
        if !recursive {
            return declarations;
        }
        if let Some(further) = declarations.iter().find(|declaration| is_namespace(declaration)) {
            self.diagnostics.push(
                Diagnostic::error(codes::NOT_SUPPORTED_YET, further.span, "several namespaces in a recursive file")
                    .help("move it to another file"),
            );
        }
        self.recursive_declarations(declarations)
    }

    /// Parses `module A.B` or `namespace A.B` at the top; returns whether it has `rec`.
    fn header(&mut self) -> bool {
        let before = self.position;
        let attributes = self.attributes();
        let start = self.span();
        let namespace = self.at_keyword(Keyword::Namespace);
        if !namespace && !self.at_module_header() {
            self.position = before;
            return false;
        }
        self.bump();
        let access = self.access();
        let recursive = self.eat_keyword(Keyword::Rec);
        let Some(path) = self.header_path() else {
            self.skip_item();
            return recursive;
        };
        let span = self.span_from(start);
        self.ast.header = Some(Header { namespace, attributes, access, path, span });
        if !self.at_boundary() {
            self.unexpected();
            self.skip_item();
        }
        recursive
    }

    /// The name in a header; `global` for the global namespace.
    fn header_path(&mut self) -> Option<Path> {
        if self.at_keyword(Keyword::Global) {
            let name = Name { symbol: Symbol::new(Keyword::Global.text()), span: self.span() };
            self.bump();
            return Some(Path { segments: vec![name] });
        }
        self.require_path("a name")
    }

    /// Whether the next token is `module` and no `=` follows its name.
    fn at_module_header(&self) -> bool {
        if !self.at_keyword(Keyword::Module) {
            return false;
        }
        let following = self.tokens[self.position + 1..].iter().find(|token| {
            !matches!(token.kind, TokenKind::Identifier(_) | TokenKind::Keyword(_)) && !token.is(Punctuation::Dot)
        });
        following.is_some_and(|token| !token.is(Punctuation::Equal))
    }

    /// Declarations up to the end of the block.
    fn declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        loop {
            while self.eat_kind(&TokenKind::Separator) || self.eat(Punctuation::Semicolon) {}
            if self.at_boundary() {
                return declarations;
            }
            let before = self.position;
            declarations.push(self.deeper(Parser::declaration, Parser::missing_declaration));
            if !self.at_boundary() && !self.at(Punctuation::Semicolon) && !self.at_next_item() {
                self.unexpected();
                self.skip_item();
            }
            if self.position == before && !self.at_boundary() {
                self.bump();
            }
        }
    }

    fn missing_declaration(&mut self) -> Declaration {
        Declaration { kind: DeclarationKind::Error, span: self.found_span() }
    }

    fn declaration(&mut self) -> Declaration {
        let documentation = self.documentation();
        let attributes = self.attributes();
        let start = self.span();
        let keyword = match self.peek().kind {
            TokenKind::Keyword(keyword) => Some(keyword),
            _ => None,
        };
        let kind = match keyword {
            Some(Keyword::Let | Keyword::Use) => self.module_let(attributes, documentation),
            Some(Keyword::Type) => DeclarationKind::Types(self.type_group(attributes, documentation)),
            Some(Keyword::Module) => self.module(attributes),
            // Its attributes name a library, and are rejected with it.
            Some(Keyword::Extern) => self.unsupported_declaration(Unsupported::ReservedWord),
            _ => {
                self.reject_attributes(&attributes);
                self.plain_declaration(keyword)
            }
        };
        Declaration { kind, span: self.span_from(start) }
    }

    /// Reports attributes on a declaration that cannot have any.
    pub(super) fn reject_attributes(&mut self, attributes: &[Attribute]) {
        if let Some(attribute) = attributes.first() {
            self.report(
                Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, "unexpected attribute")
                    .label("not attached to a declaration")
                    .also(self.found_span(), "expected `let`, `type` or `module`"),
            );
        }
    }

    /// A declaration without attributes.
    fn plain_declaration(&mut self, keyword: Option<Keyword>) -> DeclarationKind {
        match keyword {
            Some(Keyword::Open) => self.open(),
            Some(Keyword::Namespace)
                if self.depth == 1 && self.ast.header.as_ref().is_some_and(|header| header.namespace) =>
            {
                self.namespace()
            }
            Some(Keyword::Namespace) => self.late_header(),
            Some(Keyword::Exception) => self.unsupported_declaration(Unsupported::ExceptionDeclaration),
            _ if self.at_kind(&TokenKind::Directive) => {
                self.bump();
                DeclarationKind::Unsupported(Unsupported::Directive)
            }
            _ => {
                let expr = self.annotated();
                DeclarationKind::Effect(expr)
            }
        }
    }

    fn unsupported_declaration(&mut self, what: Unsupported) -> DeclarationKind {
        self.skip_item();
        DeclarationKind::Unsupported(what)
    }

    /// `namespace A.B` after an earlier namespace.
    fn namespace(&mut self) -> DeclarationKind {
        self.bump();
        let rec = self.span();
        if self.eat_keyword(Keyword::Rec) {
            self.diagnostics.push(
                Diagnostic::error(
                    codes::NOT_SUPPORTED_YET,
                    rec,
                    "a recursive namespace must be at the top of its file",
                )
                .help("move it to another file"),
            );
        }
        match self.header_path() {
            Some(path) => DeclarationKind::Namespace(path),
            None => {
                self.skip_item();
                DeclarationKind::Error
            }
        }
    }

    fn late_header(&mut self) -> DeclarationKind {
        let start = self.span();
        self.skip_item();
        let span = self.span_from(start);
        self.late_header_error(span);
        DeclarationKind::Error
    }

    fn late_header_error(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(codes::LATE_HEADER, span, "only allowed at the top of a file")
                .label("there are declarations before it")
                .help("move it to the top, or declare a nested module: `module Name =`"),
        );
    }

    /// `let` at module level; `let … in e` is an effect.
    fn module_let(&mut self, attributes: Vec<Attribute>, documentation: Option<String>) -> DeclarationKind {
        let start = self.span();
        let group = self.let_group(attributes, documentation);
        if !self.eat_keyword(Keyword::In) {
            return DeclarationKind::Let(group);
        }
        let mut statements = vec![Statement::Let(group)];
        self.skip_separators();
        self.statements(&mut statements, true);
        DeclarationKind::Effect(self.block_of(statements, start))
    }

    fn open(&mut self) -> DeclarationKind {
        self.bump();
        if self.at_keyword(Keyword::Type) || self.at_keyword(Keyword::Global) {
            return self.unsupported_declaration(Unsupported::ReservedWord);
        }
        match self.require_path("the name of a module") {
            Some(path) => DeclarationKind::Open(path),
            None => DeclarationKind::Error,
        }
    }

    /// `module X = …` or `module X = A.B`.
    fn module(&mut self, attributes: Vec<Attribute>) -> DeclarationKind {
        let start = self.span();
        let is_header = self.at_module_header();
        self.bump();
        let access = self.access();
        let recursive = self.eat_keyword(Keyword::Rec);
        let Some(path) = self.require_path("the name of the module") else {
            self.skip_item();
            return DeclarationKind::Error;
        };
        let name: Name = path.segments[path.segments.len() - 1];
        if is_header && self.at_boundary() {
            let span = self.span_from(start);
            self.late_header_error(span);
            return DeclarationKind::Error;
        }
        if !self.require(Punctuation::Equal, codes::MISSING_EQUAL, Some((start, "the module starts here"))) {
            self.skip_item();
            return DeclarationKind::Error;
        }
        if let Some(path) = self.alias() {
            return DeclarationKind::ModuleAlias { name, path };
        }
        let mut declarations = Vec::new();
        if self.eat_kind(&TokenKind::Begin) {
            declarations = self.declarations();
            if recursive {
                declarations = self.recursive_declarations(declarations);
            }
            self.close_block();
        } else {
            self.expected(codes::MISSING_EXPRESSION, "the content of the module", Some((start, "it belongs here")));
        }
        DeclarationKind::Module { attributes, access, name, declarations }
    }

    /// Parses a dotted name if it is the whole content of the next block.
    fn alias(&mut self) -> Option<Path> {
        if !self.at_begin() || !matches!(self.peek_at(1).kind, TokenKind::Identifier(_)) {
            return None;
        }
        let before = self.position;
        self.bump();
        let path = self.path();
        if self.eat_kind(&TokenKind::End) {
            return Some(path);
        }
        self.position = before;
        None
    }
}
