//! Completion: the names that could be at the cursor.
//!
//! In: a position. Out: items, with the types of what they name; documentation follows when the editor asks for one. The word at the
//! cursor is replaced by a marker, and the program checked: the names in scope are those that the checker had at the marker. Fields
//! come first where they can be, also if the record is not complete: the marker is then followed by what it lacks.

use crate::{
    features::{
        cursor::{self, FieldPlace, Place},
        hover,
    },
    view::{Marked, View},
};
use clef_base::{SourceMap, Span};
use clef_check::{
    Entity,
    index::{Candidate, Category, Index},
};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind, Position,
    TextEdit,
};
use std::ops::Range;

/// A completion, whose items may be asked about.
#[derive(Default)]
pub(crate) struct Completed {
    checks: Vec<(Index, SourceMap)>,
    /// The entity of each item, with the number of its check.
    entities: Vec<(usize, Entity)>,
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
    let word = cursor::word_at(text, cursor);
    let Some(place) = cursor::place(view, &word) else { return (Vec::new(), None) };
    if text[word.clone()].starts_with(|first: char| first.is_ascii_digit()) {
        return (Vec::new(), None);
    }
    let range = lsp_types::Range::new(view.lines().position(word.start), position);
    let mut found = Found { range, items: Vec::new(), completed: Completed::default() };
    match place {
        Place::Attribute => found.attributes(),
        Place::Field(place) => found.fields(view, &word, place),
        Place::Argument(function) => found.names(view, &word, Some(function)),
        Place::Qualified | Place::Other => found.names(view, &word, None),
    }
    if let Place::Other | Place::Argument(_) = place {
        found.keywords();
    }
    (found.items, Some(found.completed))
}

/// How far up items are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// What is most likely meant.
    First,
    /// Names of the program, before those of the library.
    Names,
}

/// What was found so far.
struct Found {
    /// What an item replaces.
    range: lsp_types::Range,
    items: Vec<CompletionItem>,
    completed: Completed,
}

impl Found {
    /// The names in scope; before them, the names of the fields of the case that `function` names.
    fn names(&mut self, view: &View<'_>, word: &Range<usize>, function: Option<Span>) {
        let Some(Marked { mut index, sources, .. }) = view.with_marker(word.clone(), "") else { return };
        let case = function.and_then(|name| index.at(name.file, name.start));
        let fields = case.map(|case| index.fields_of(case.entity)).unwrap_or_default();
        let names = index.candidates();
        self.add(index, sources, &[(Rank::First, fields), (Rank::Names, names)]);
    }

    /// The fields of a record, and directly after its brace also what could be copied.
    fn fields(&mut self, view: &View<'_>, word: &Range<usize>, place: FieldPlace) {
        let value = if place.has_value { "" } else { " = _" };
        let end = if place.is_closed { "" } else { " }" };
        if let Some(Marked { mut index, sources, .. }) = view.with_marker(word.clone(), &format!("{value}{end}"))
            && index.has_watched()
        {
            let fields = index.candidates();
            self.add(index, sources, &[(Rank::First, fields)]);
        }
        if place.is_first
            && !place.has_value
            && let Some(Marked { mut index, sources, .. }) = view.with_marker(word.clone(), &format!(" with{end}"))
            && index.has_watched()
        {
            let names = index.candidates();
            self.add(index, sources, &[(Rank::Names, names)]);
        }
    }

    fn add(&mut self, mut index: Index, sources: SourceMap, candidates: &[(Rank, Vec<Candidate>)]) {
        let shows_types = candidates.iter().map(|(_, names)| names.len()).sum::<usize>() <= MOST_TYPES;
        for (rank, names) in candidates {
            for candidate in names {
                let detail = shows_types.then(|| index.describe(candidate.entity));
                let item = self.item(&mut index, *candidate, &sources, *rank);
                self.items.push(CompletionItem { detail, ..item });
                self.completed.entities.push((self.completed.checks.len(), candidate.entity));
            }
        }
        self.completed.checks.push((index, sources));
    }

    fn item(&self, index: &mut Index, candidate: Candidate, sources: &SourceMap, rank: Rank) -> CompletionItem {
        let (name, entity) = (candidate.name.as_str(), candidate.entity);
        let is_library = |span: Span| sources.file(span.file).name.starts_with("library/");
        let group = match rank {
            Rank::First => 0,
            Rank::Names if index.declaration(entity).is_none_or(is_library) => 2,
            Rank::Names => 1,
        };
        let data = Some(self.completed.entities.len().into());
        CompletionItem { data, ..self.word(name, kind(index.category(entity), name), group) }
    }

    fn word(&self, name: &str, kind: CompletionItemKind, group: usize) -> CompletionItem {
        CompletionItem {
            kind: Some(kind),
            sort_text: Some(format!("{group}{name}")),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: self.range, new_text: name.to_owned() })),
            label: name.to_owned(),
            ..CompletionItem::default()
        }
    }

    fn attributes(&mut self) {
        for (name, meaning) in clef_check::ATTRIBUTES {
            let item = self.word(name, CompletionItemKind::CLASS, 0);
            self.items.push(CompletionItem { detail: Some((*meaning).to_owned()), ..item });
        }
    }

    fn keywords(&mut self) {
        let words: Vec<_> = KEYWORDS.iter().map(|word| self.word(word, CompletionItemKind::KEYWORD, 3)).collect();
        self.items.extend(words);
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
        let Some(&(check, entity)) = number.and_then(|number| self.entities.get(number)) else { return item };
        let (index, sources) = &mut self.checks[check];
        // It may be an item of an earlier completion.
        if item.label != index.name(entity).as_str() && !matches!(entity, Entity::Module(_)) {
            return item;
        }
        let described = index.describe(entity);
        let documentation = hover::documentation(index, sources, entity);
        let value = std::iter::once(hover::code(&described)).chain(documentation);
        let value = value.collect::<Vec<_>>().join("\n\n");
        item.detail = Some(described);
        item.documentation = Some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
        item
    }
}
