//! `elif` as other languages spell it: read as `elif`, and reported.
//!
//! A line that begins with such a name and goes on with `then` is nothing else.

use crate::token::{Keyword, Token, TokenKind};
use clef_base::{Diagnostic, codes};

/// Replaces the names; gives the diagnostics.
pub(super) fn misspelt_elif(tokens: &mut [Token]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for index in 0..tokens.len() {
        let TokenKind::Identifier(name) = tokens[index].kind else { continue };
        if !tokens[index].starts_line || !matches!(name.as_str(), "elsif" | "elseif" | "elsIf" | "elseIf") {
            continue;
        }
        let line = tokens[index + 1..].iter().take_while(|token| !token.starts_line);
        if line.into_iter().any(|token| token.kind == TokenKind::Keyword(Keyword::Then)) {
            let span = tokens[index].span;
            let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, span, format!("there is no word `{name}`"));
            found.push(error.fix("write `elif`", span, "elif"));
            tokens[index].kind = TokenKind::Keyword(Keyword::Elif);
        }
    }
    found
}
