//! Where a cursor is, as far as the tokens around it tell.
//!
//! In: a file, and the word at the cursor. Out: a [`Place`]. Brackets that are not closed end where the next declaration starts.

use crate::{positions::boundary, view::View};
use clef_base::Span;
use clef_syntax::{
    lexer,
    token::{Keyword, Punctuation, Token, TokenKind},
};
use std::ops::Range;

/// Where a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// After a dot, or after what only a type or a module follows.
    Qualified,
    /// Where an attribute is named.
    Attribute,
    /// Where a record or a pattern of one names a field.
    Field(FieldPlace),
    /// Where the first or a further argument of a name can begin, in brackets; the last word of the name.
    Argument(Span),
    /// Anywhere else.
    Other,
}

/// Where a field is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FieldPlace {
    /// Whether it is directly after the brace, where also the record to be copied can be.
    pub(crate) is_first: bool,
    /// Whether its value follows.
    pub(crate) has_value: bool,
    /// Whether its brace is closed.
    pub(crate) is_closed: bool,
}

/// The word that a cursor touches.
pub(crate) fn word_at(text: &str, cursor: usize) -> Range<usize> {
    let cursor = boundary(text, cursor);
    let is_part = |one: char| one.is_alphanumeric() || one == '_' || one == '\'';
    let before = text[..cursor].char_indices().rev().take_while(|(_, one)| is_part(*one)).last();
    let start = before.map_or(cursor, |(index, _)| index);
    let length: usize = text[cursor..].chars().take_while(|one| is_part(*one)).map(char::len_utf8).sum();
    start..cursor + length
}

/// The name of the attribute at a cursor, without the suffix `Attribute`.
pub(crate) fn attribute(view: &View<'_>, cursor: usize) -> Option<String> {
    let word = word_at(view.text(), cursor);
    let name = &view.text()[word.clone()];
    let is_attribute = !name.is_empty() && place(view, &word) == Some(Place::Attribute);
    is_attribute.then(|| name.strip_suffix("Attribute").unwrap_or(name).to_owned())
}

/// The place of a word; nothing in comments and texts, and where a new name is declared.
pub(crate) fn place(view: &View<'_>, word: &Range<usize>) -> Option<Place> {
    let (text, start) = (view.text(), word.start);
    let (tokens, _) = lexer::lex(view.file, text, &|name| view.sources.is_defined(view.file, name));
    let inside = tokens.iter().find(|token| (token.span.start as usize) < start && start < token.span.end as usize);
    if inside.is_some_and(is_text) || is_in_comment(text, &tokens, start) {
        return None;
    }
    let is_before = |token: &&Token| token.span.end as usize <= start && token.span.start < token.span.end;
    let before: Vec<&Token> = tokens.iter().filter(is_before).collect();
    let after = tokens.iter().filter(|token| token.span.start as usize >= word.end);
    let Some(last) = before.last() else { return Some(Place::Other) };
    if matches!(last.kind, TokenKind::Float { .. }) && last.span.end as usize == start {
        return None;
    }
    let same_line = !text[last.span.end as usize..start].contains('\n');
    if same_line && DECLARING.iter().any(|keyword| last.is_keyword(*keyword)) {
        return None;
    }
    if last.is_keyword(Keyword::Open) || text[..last.span.end as usize].ends_with(['.', ':']) {
        return Some(Place::Qualified);
    }
    let Some(opener) = opener(&before) else { return Some(Place::Other) };
    let starts_part = opener + 1 == before.len() || last.is(Punctuation::Semicolon);
    if before[opener].is(Punctuation::LeftAttribute) && starts_part {
        return Some(Place::Attribute);
    }
    if before[opener].is(Punctuation::LeftBrace) {
        if is_type(&before[..opener]) && starts_part {
            return None;
        }
        let names_field =
            starts_part || last.is_keyword(Keyword::With) || !same_line && is_below(&before, opener, text, start);
        if names_field && !is_computation(&before[..opener]) {
            let after: Vec<&Token> = after.collect();
            let has_value = after.first().is_some_and(|next| next.is(Punctuation::Equal));
            let is_first = opener + 1 == before.len();
            return Some(Place::Field(FieldPlace { is_first, has_value, is_closed: is_closed(&after) }));
        }
    }
    let starts_argument = opener + 1 == before.len() || last.is(Punctuation::Comma);
    let function = opener.checked_sub(1).map(|index| before[index]).filter(|token| is_name(token));
    match function {
        Some(name) if before[opener].is(Punctuation::LeftParen) && starts_argument => Some(Place::Argument(name.span)),
        Some(_) | None => Some(Place::Other),
    }
}

/// The index of the innermost bracket that is open after some tokens.
fn opener(tokens: &[&Token]) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if starts_declaration(token) {
            open.clear();
        }
        let TokenKind::Punctuation(sign) = token.kind else { continue };
        if sign.closer().is_some() {
            open.push(index);
        } else if sign.is_closer() {
            open.pop();
        }
    }
    open.pop()
}

/// Whether the bracket before some tokens is closed by them.
fn is_closed(after: &[&Token]) -> bool {
    let mut depth = 0;
    for token in after.iter().take_while(|token| !starts_declaration(token)) {
        let TokenKind::Punctuation(sign) = token.kind else { continue };
        if sign.closer().is_some() {
            depth += 1;
        } else if sign.is_closer() && depth == 0 {
            return true;
        } else if sign.is_closer() {
            depth -= 1;
        }
    }
    false
}

fn starts_declaration(token: &Token) -> bool {
    let declares =
        [Keyword::Let, Keyword::Type, Keyword::Module, Keyword::Open].iter().any(|one| token.is_keyword(*one));
    token.column == 0 && (declares || token.is(Punctuation::LeftAttribute))
}

/// Whether a brace after some tokens begins the declaration of a record: `type Name<'a> = {`.
fn is_type(before: &[&Token]) -> bool {
    let Some((equal, rest)) = before.split_last() else { return false };
    let words = rest.iter().rev().skip_while(|token| {
        !matches!(token.kind, TokenKind::Keyword(_)) && !token.is(Punctuation::Equal) && !token.is(Punctuation::Arrow)
    });
    let keyword = words.into_iter().next();
    equal.is(Punctuation::Equal)
        && keyword.is_some_and(|token| token.is_keyword(Keyword::Type) || token.is_keyword(Keyword::And))
}

/// Whether a brace after some tokens begins a sequence: `seq {`.
fn is_computation(before: &[&Token]) -> bool {
    before.last().is_some_and(|token| matches!(token.kind, TokenKind::Identifier(name) if name.as_str() == "seq"))
}

/// Whether a word on a line of its own is not further right than the first field of the brace.
fn is_below(before: &[&Token], opener: usize, text: &str, start: usize) -> bool {
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let column = text[line..start].chars().count();
    let with =
        before[opener..].iter().position(|token| token.is_keyword(Keyword::With)).map_or(opener, |at| opener + at);
    before.get(with + 1).is_some_and(|first| column <= first.column as usize)
}

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Identifier(_))
}

/// The keywords that a new name follows.
const DECLARING: &[Keyword] = &[
    Keyword::Let,
    Keyword::Rec,
    Keyword::Mutable,
    Keyword::Type,
    Keyword::Module,
    Keyword::Namespace,
    Keyword::For,
    Keyword::Fun,
    Keyword::As,
];

fn is_text(token: &Token) -> bool {
    matches!(token.kind, TokenKind::String(_) | TokenKind::Char(_) | TokenKind::Bytes(_))
}

/// Whether an offset is in a comment or a directive: between two tokens, after the start of one.
fn is_in_comment(text: &str, tokens: &[Token], offset: usize) -> bool {
    let is_before = |token: &&Token| token.span.end as usize <= offset && token.span.start < token.span.end;
    let from = tokens.iter().filter(is_before).map(|token| token.span.end).max();
    let between = &text[from.unwrap_or(0) as usize..offset];
    let line = between.rfind('\n').map_or(between, |index| &between[index + 1..]);
    line.contains("//")
        || line.starts_with('#')
        || between.rfind("(*").is_some_and(|open| !between[open..].contains("*)"))
}
