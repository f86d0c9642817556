//! `let`, `let rec … and …` and `use`.

use super::{Parser, operators::is_tight_prefix, type_declarations::is_measure};
use crate::{
    ast::{
        Access, Attribute, Binding, BindingHead, LetGroup, Name, PatternId, PatternKind, TypeVariable, Unsupported,
        VariableConstraint,
    },
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, codes};

/// The modifiers between `let` and the head.
#[derive(Default)]
struct Modifiers {
    recursive: bool,
    inline: bool,
    mutable: bool,
    access: Access,
}

impl Parser {
    /// A group that starts with `let` or `use`, with all bindings joined by `and`.
    pub(super) fn let_group(&mut self, mut attributes: Vec<Attribute>, documentation: Option<String>) -> LetGroup {
        let start = self.span();
        let resource = self.at_keyword(Keyword::Use);
        self.bump();
        attributes.extend(self.attributes());
        let first = self.modifiers();
        let recursive = first.recursive;
        let mut bindings = vec![self.binding(first, attributes, documentation, start)];
        while self.at_keyword(Keyword::And) {
            let documentation = self.documentation();
            let opener = self.span();
            self.bump();
            let attributes = self.attributes();
            let modifiers = self.modifiers();
            bindings.push(self.binding(modifiers, attributes, documentation, opener));
        }
        LetGroup { recursive, resource, bindings, span: self.span_from(start) }
    }

    fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        loop {
            let TokenKind::Keyword(keyword) = self.peek().kind else { return modifiers };
            match keyword {
                Keyword::Rec => modifiers.recursive = true,
                Keyword::Inline => modifiers.inline = true,
                Keyword::Mutable => modifiers.mutable = true,
                Keyword::Private => modifiers.access = Access::Private,
                Keyword::Internal => modifiers.access = Access::Internal,
                Keyword::Public => modifiers.access = Access::Public,
                _ => return modifiers,
            }
            self.bump();
        }
    }

    /// `private`, `internal`, `public` or nothing.
    pub(super) fn access(&mut self) -> Access {
        let access = match self.peek().kind {
            TokenKind::Keyword(Keyword::Private) => Access::Private,
            TokenKind::Keyword(Keyword::Internal) => Access::Internal,
            TokenKind::Keyword(Keyword::Public) => Access::Public,
            _ => return Access::Public,
        };
        self.bump();
        access
    }

    fn binding(
        &mut self,
        modifiers: Modifiers,
        attributes: Vec<Attribute>,
        documentation: Option<String>,
        opener: Span,
    ) -> Binding {
        let start = self.span();
        let Modifiers { inline, mutable, access, .. } = modifiers;
        let head = self.binding_head();
        let annotation = self.eat(Punctuation::Colon).then(|| self.annotation_with_constraints());
        let body = self.binding_body(opener);
        let span = self.span_from(start);
        Binding { attributes, documentation, mutable, inline, access, head, annotation, body, span }
    }

    fn binding_body(&mut self, opener: Span) -> crate::ast::ExprId {
        if self.at(Punctuation::Arrow) {
            self.arrow_for_colon(opener);
        }
        if self.at_operator(":=") {
            let sign = self.span();
            let error = self.expected_error(codes::MISSING_EQUAL, "`=`", Some((opener, "the binding starts here")));
            self.report(error.fix("write `=`", sign, "="));
            self.tokens[self.position].kind = TokenKind::Punctuation(Punctuation::Equal);
        }
        if !self.at(Punctuation::Equal) {
            self.require(Punctuation::Equal, codes::MISSING_EQUAL, Some((opener, "the binding starts here")));
            self.skip_until(|token| token.is(Punctuation::Equal) || token.is_keyword(Keyword::In));
            if !self.at(Punctuation::Equal) {
                return self.missing_expr();
            }
        }
        self.bump();
        self.body("the right side of the binding", opener)
    }

    /// `let f x -> int = …`: treats the arrow as the colon before the result type.
    fn arrow_for_colon(&mut self, opener: Span) {
        let arrow = self.span();
        let error = self.expected_error(codes::MISSING_EQUAL, "`=`", Some((opener, "the binding starts here")));
        let following = self.tokens[self.position + 1..].iter();
        let is_type = following.take_while(|token| !token.starts_line).any(|token| token.is(Punctuation::Equal));
        if is_type {
            self.report(error.fix("write the result type after a colon", arrow, ":"));
            self.bump();
            self.annotation_with_constraints();
        } else {
            self.report(error.fix("write `=`", arrow, "="));
            self.tokens[self.position].kind = TokenKind::Punctuation(Punctuation::Equal);
        }
    }

    fn binding_head(&mut self) -> BindingHead {
        if self.is_active_pattern() {
            let start = self.span();
            self.skip_bracket();
            self.parameters();
            let span = self.span_from(start);
            return BindingHead::Pattern(self.pattern_node(PatternKind::Unsupported(Unsupported::ActivePattern), span));
        }
        let name = match self.parenthesised_operator() {
            Some(operator) => {
                self.reject_cons(operator);
                Some(operator)
            }
            None if self.at_function_name() => self.eat_name(),
            None => None,
        };
        match name {
            Some(name) => self.function_head(name),
            None => BindingHead::Pattern(self.binding_pattern()),
        }
    }

    /// Reports a definition of `::`, which always constructs lists.
    fn reject_cons(&mut self, operator: Name) {
        if operator.symbol.as_str() == "::" {
            self.diagnostics.push(
                Diagnostic::error(codes::NOT_IN_CLEF, operator.span, "the operator `::` cannot be defined")
                    .note("it constructs lists, also in patterns")
                    .help("use another operator, such as `+:`"),
            );
        }
    }

    /// Whether the next token is a name that is bound on its own or with parameters.
    fn at_function_name(&self) -> bool {
        if !matches!(self.peek().kind, TokenKind::Identifier(_)) {
            return false;
        }
        let next = self.peek_at(1);
        match &next.kind {
            TokenKind::Punctuation(sign) => !matches!(sign, Punctuation::Dot | Punctuation::Comma | Punctuation::Bar),
            TokenKind::Operator(operator) => {
                let text = operator.as_str();
                text == "<" || is_tight_prefix(text)
            }
            TokenKind::Keyword(keyword) => *keyword != Keyword::As,
            _ => true,
        }
    }

    fn function_head(&mut self, name: Name) -> BindingHead {
        let type_parameters = self.type_parameters();
        let parameters = self.parameters();
        if type_parameters.is_empty() && parameters.is_empty() {
            return BindingHead::Pattern(self.pattern_node(PatternKind::Name(name), name.span));
        }
        BindingHead::Function { name, type_parameters, parameters }
    }

    fn binding_pattern(&mut self) -> PatternId {
        self.deeper(Parser::pattern, Parser::missing_pattern)
    }

    /// `<'a, ^b>` directly after a name, or nothing.
    pub(super) fn type_parameters(&mut self) -> Vec<TypeVariable> {
        let opens = self.operator().is_some_and(|operator| matches!(operator.as_str(), "<" | "<^"));
        if !opens {
            return Vec::new();
        }
        let opener = self.span();
        let mut parameters = Vec::new();
        let mut marked = self.at_operator("<^");
        self.bump();
        loop {
            let measure = is_measure(&self.attributes());
            match self.type_variable(marked) {
                Some(parameter) => parameters.push(TypeVariable { measure, ..parameter }),
                None => self.expected(codes::MISSING_NAME, "a type variable such as `'a`", None),
            }
            marked = false;
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        for constraint in self.constraints() {
            match parameters.iter_mut().find(|parameter| parameter.name.symbol == constraint.name.symbol) {
                Some(parameter) => parameter.constraint = parameter.constraint.max(constraint.constraint),
                None => self.report_constraint(constraint.name.span, "not one of the type parameters"),
            }
        }
        self.close_angle(opener);
        parameters
    }

    /// `'a` or `^a`.
    pub(super) fn type_variable(&mut self, marked: bool) -> Option<TypeVariable> {
        let start = self.span();
        if marked || self.at_operator("^") {
            if !marked {
                self.bump();
            }
            let name = self.eat_name()?;
            let span = start.to(name.span);
            return Some(type_variable(Name { span, ..name }, true));
        }
        let TokenKind::TypeVariable(symbol) = self.peek().kind else { return None };
        self.bump();
        Some(type_variable(Name { symbol, span: start }, false))
    }

    /// Parses `when 'a : comparison and …`, if it is next, and returns the constrained variables. Unknown constraints
    /// are reported and skipped.
    pub(super) fn constraints(&mut self) -> Vec<TypeVariable> {
        let mut constraints = Vec::new();
        if !self.eat_keyword(Keyword::When) {
            return constraints;
        }
        loop {
            let start = self.span();
            match self.constraint() {
                Some(TypeVariable { constraint: VariableConstraint::Nothing, .. }) => {}
                Some(constraint) => constraints.push(constraint),
                None => {
                    self.skip_constraints();
                    let span = self.span_from(start);
                    self.report_constraint(span, "Clef has no such constraint");
                    return constraints;
                }
            }
            let goes_on = matches!(&self.peek_at(1).kind, TokenKind::TypeVariable(_))
                || matches!(&self.peek_at(1).kind, TokenKind::Operator(operator) if operator.as_str() == "^");
            if !self.at_keyword(Keyword::And) || !goes_on {
                return constraints;
            }
            self.bump();
        }
    }

    /// `'a : comparison`; `None` for a constraint that Clef does not have.
    fn constraint(&mut self) -> Option<TypeVariable> {
        let variable = self.type_variable(false)?;
        if !self.eat(Punctuation::Colon) {
            return None;
        }
        let constraint = match &self.peek().kind {
            TokenKind::Identifier(name) => match name.as_str() {
                "equality" => VariableConstraint::Equality,
                "comparison" => VariableConstraint::Comparison,
                "unmanaged" => VariableConstraint::Nothing,
                _ => return None,
            },
            TokenKind::Keyword(Keyword::Struct) => VariableConstraint::Nothing,
            _ => return None,
        };
        self.bump();
        Some(TypeVariable { constraint, ..variable })
    }

    fn report_constraint(&mut self, span: Span, label: &str) {
        self.report(
            Diagnostic::error(codes::TYPE_CONSTRAINT, span, "unsupported constraint")
                .label(label)
                .note("the supported constraints are `equality`, `comparison`, `struct` and `unmanaged`")
                .help("remove it: constraints of operators are inferred"),
        );
    }

    fn skip_constraints(&mut self) {
        let mut open = 0u32;
        while !self.at_boundary() && !self.at(Punctuation::Equal) {
            match &self.peek().kind {
                TokenKind::Operator(operator) if operator.as_str() == "<" => open += 1,
                TokenKind::Operator(operator) if operator.as_str().starts_with('>') && open == 0 => break,
                TokenKind::Operator(operator) if operator.as_str().starts_with('>') => open -= 1,
                TokenKind::Punctuation(Punctuation::LeftParen) => {
                    self.skip_bracket();
                    continue;
                }
                TokenKind::Punctuation(sign) if sign.is_closer() => break,
                _ => {}
            }
            self.bump();
        }
    }
}

fn type_variable(name: Name, resolved_statically: bool) -> TypeVariable {
    TypeVariable { name, resolved_statically, measure: false, constraint: VariableConstraint::Nothing }
}
