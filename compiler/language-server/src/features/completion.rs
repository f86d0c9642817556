//! Completion: the names that could be at the cursor.
//!
//! In: a position. Out: items, with the types of what they name; documentation follows when the editor asks for one. The word at the
//! cursor is replaced by a marker, and the program checked: the names in scope are those that the checker had at the marker.

use crate::{
    features::hover,
    positions::boundary,
    view::{Marked, View},
};
use clef_base::{SourceMap, Symbol};
use clef_check::{
    Entity,
    index::{Category, Index},
};
use clef_syntax::{
    lexer,
    token::{Keyword, Token, TokenKind},
};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind, Position,
    TextEdit,
};
use std::ops::Range;

/// A completion, whose items may be asked about.
pub(crate) struct Completed {
    index: Index,
    sources: SourceMap,
    entities: Vec<Entity>,
}

/// Keywords that can begin or continue an expression or a declaration.
const KEYWORDS: &[&str] = &[
    "let",
    "rec",
    "mutable",
    "inline",
    "private",
    "internal",
    "if",
    "then",
    "elif",
    "else",
    "match",
    "with",
    "when",
    "function",
    "fun",
    "for",
    "in",
    "to",
    "downto",
    "do",
    "while",
    "type",
    "and",
    "module",
    "namespace",
    "open",
    "of",
    "true",
    "false",
    "yield",
    "lazy",
    "assert",
    "as",
    "not",
];

/// The most items whose types are computed before the editor asks for one of them.
const MOST_TYPES: usize = 250;

/// The items at a position, and what is known about them.
pub(crate) fn items(view: &View<'_>, position: Position) -> (Vec<CompletionItem>, Option<Completed>) {
    let cursor = view.offset(position) as usize;
    let text = view.text();
    let word = word_at(text, cursor);
    let Some(before) = before(view, word.start) else { return (Vec::new(), None) };
    if text[word.clone()].starts_with(|first: char| first.is_ascii_digit()) {
        return (Vec::new(), None);
    }
    let Some(Marked { mut index, sources, .. }) = view.with_marker(word.clone()) else { return (Vec::new(), None) };
    let edit = |name: String| {
        let lines = view.lines();
        let range = lsp_types::Range::new(lines.position(word.start), position);
        CompletionTextEdit::Edit(TextEdit { range, new_text: name })
    };
    let candidates = index.candidates();
    let shows_types = candidates.len() <= MOST_TYPES;
    let mut items = Vec::new();
    let mut entities = Vec::new();
    for candidate in candidates {
        let detail = shows_types.then(|| index.describe(candidate.entity));
        let item = item(&mut index, candidate.name, candidate.entity, &sources, entities.len(), &edit);
        items.push(CompletionItem { detail, ..item });
        entities.push(candidate.entity);
    }
    if before == Before::Nothing {
        items.extend(KEYWORDS.iter().map(|word| CompletionItem {
            label: (*word).to_owned(),
            kind: Some(CompletionItemKind::KEYWORD),
            sort_text: Some(format!("3{word}")),
            text_edit: Some(edit((*word).to_owned())),
            ..CompletionItem::default()
        }));
    }
    (items, Some(Completed { index, sources, entities }))
}

fn item(
    index: &mut Index,
    name: Symbol,
    entity: Entity,
    sources: &SourceMap,
    number: usize,
    edit: &impl Fn(String) -> CompletionTextEdit,
) -> CompletionItem {
    let name = name.as_str().to_owned();
    let is_given = index.declaration(entity).is_none_or(|span| sources.file(span.file).name.starts_with("library/"));
    CompletionItem {
        kind: Some(kind(index.category(entity), &name)),
        // Names of the program come before those of the library.
        sort_text: Some(format!("{}{name}", if is_given { 2 } else { 1 })),
        text_edit: Some(edit(name.clone())),
        data: Some(number.into()),
        label: name,
        ..CompletionItem::default()
    }
}

fn kind(category: Category, name: &str) -> CompletionItemKind {
    match category {
        Category::Function => CompletionItemKind::FUNCTION,
        Category::Value => CompletionItemKind::CONSTANT,
        Category::Mutable => CompletionItemKind::VARIABLE,
        Category::Case | Category::EnumValue => CompletionItemKind::ENUM_MEMBER,
        Category::Field => CompletionItemKind::FIELD,
        Category::Union | Category::Enum => CompletionItemKind::ENUM,
        Category::Record => CompletionItemKind::STRUCT,
        Category::Type => CompletionItemKind::CLASS,
        Category::Module => CompletionItemKind::MODULE,
        Category::Builtin if name.ends_with("printf") || name.ends_with("printfn") => CompletionItemKind::FUNCTION,
        Category::Builtin => CompletionItemKind::KEYWORD,
    }
}

impl Completed {
    /// An item with its documentation.
    pub(crate) fn resolve(&mut self, mut item: CompletionItem) -> CompletionItem {
        let number = item.data.as_ref().and_then(serde_json::Value::as_u64).map(|number| number as usize);
        let Some(&entity) = number.and_then(|number| self.entities.get(number)) else { return item };
        // It may be an item of an earlier completion.
        if item.label != self.index.name(entity).as_str() && !matches!(entity, Entity::Module(_)) {
            return item;
        }
        let described = self.index.describe(entity);
        let declared = self.index.declaration(entity);
        let documentation = declared.and_then(|span| hover::comment_above(&self.sources, span));
        let value = std::iter::once(hover::code(&described)).chain(documentation);
        let value = value.collect::<Vec<_>>().join("\n\n");
        item.detail = Some(described);
        item.documentation = Some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
        item
    }
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

/// What is before a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    /// A dot, or what only a type or a module follows.
    Qualifier,
    /// Anything else.
    Nothing,
}

/// What is before a word; nothing in comments and texts, and where a new name is declared.
fn before(view: &View<'_>, start: usize) -> Option<Before> {
    let text = view.text();
    let (tokens, _) = lexer::lex(view.file, text, &|name| view.sources.is_defined(view.file, name));
    let inside = tokens.iter().find(|token| (token.span.start as usize) < start && start < token.span.end as usize);
    if inside.is_some_and(is_text) || is_in_comment(text, &tokens, start) {
        return None;
    }
    let last = tokens.iter().rev().find(|token| token.span.end as usize <= start && token.span.start < token.span.end);
    let Some(last) = last else { return Some(Before::Nothing) };
    let same_line = !text[last.span.end as usize..start].contains('\n');
    if same_line && DECLARING.iter().any(|keyword| last.is_keyword(*keyword)) {
        return None;
    }
    let is_qualifier = last.is_keyword(Keyword::Open) || text[..last.span.end as usize].ends_with(['.', ':']);
    Some(if is_qualifier { Before::Qualifier } else { Before::Nothing })
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

/// Whether an offset is in a comment: between two tokens, after the start of one.
fn is_in_comment(text: &str, tokens: &[Token], offset: usize) -> bool {
    let from = tokens.iter().filter(|token| token.span.end as usize <= offset).map(|token| token.span.end).max();
    let between = &text[from.unwrap_or(0) as usize..offset];
    let line = between.rfind('\n').map_or(between, |index| &between[index + 1..]);
    line.contains("//") || between.rfind("(*").is_some_and(|open| !between[open..].contains("*)"))
}
