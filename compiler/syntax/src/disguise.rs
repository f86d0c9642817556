//! Source text that displays differently from how it runs.
//!
//! In: a source text and its tokens. Out: diagnostics for characters that change the text direction (CVE-2021-42574),
//! for names with uncommon characters, and for names that look like others (Unicode Technical Standard 39).

use crate::token::{Segment, Token, TokenKind};
use clef_base::{Diagnostic, FileId, HashMap, Span, Symbol, codes, visible};
use unicode_normalization::UnicodeNormalization;
use unicode_security::{GeneralSecurityProfile, MixedScript, skeleton};

/// The maximum number of diagnostics of each kind per file.
const MAX: usize = 20;

/// The name in composed form, so that names with the same characters are equal however these are encoded.
pub(crate) fn composed(name: &str) -> Symbol {
    match name.is_ascii() {
        true => Symbol::new(name),
        false => Symbol::new(&name.nfc().collect::<String>()),
    }
}

/// Checks the characters of a source text.
pub(crate) fn check(file: FileId, text: &str, tokens: &[Token]) -> Vec<Diagnostic> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut diagnostics = directions(file, text, tokens);
    let mut names = Vec::new();
    collect(tokens, &mut names);
    names.sort_by_key(|(_, span)| span.start);
    diagnostics.extend(uncommon(text, &names));
    diagnostics.extend(confusable(&names));
    diagnostics
}

/// Characters that change the text direction. They are accepted in strings.
fn directions(file: FileId, text: &str, tokens: &[Token]) -> Vec<Diagnostic> {
    let turning = text.char_indices().filter(|(_, character)| visible::turns_direction(*character));
    let report = |(start, character): (usize, char)| {
        let span = Span::new(file, start, start + character.len_utf8());
        let number = u32::from(character);
        let message = format!("the character U+{number:04X} changes the display direction of the surrounding text");
        let note = "the code may be displayed in a different order than it runs";
        match is_in_literal(tokens, span) {
            true => Diagnostic::warning(codes::DIRECTION_IN_STRING, span, message)
                .note(note)
                .help(format!("write it as an escape: `\\u{number:04X}`")),
            false => Diagnostic::error(codes::DIRECTION_CONTROL, span, message).note(note).help("remove it"),
        }
    };
    turning.take(MAX).map(report).collect()
}

/// Whether a position is in the text of a literal. The holes of an interpolated string are code.
fn is_in_literal(tokens: &[Token], place: Span) -> bool {
    let next = tokens.partition_point(|token| token.span.end <= place.start);
    let Some(token) = tokens.get(next).filter(|token| token.span.contains(place)) else { return false };
    match &token.kind {
        TokenKind::String(_) | TokenKind::Char(_) | TokenKind::Bytes(_) => true,
        TokenKind::Interpolated(segments) => {
            let hole = segments.iter().find_map(|segment| match segment {
                Segment::Hole { tokens, span, .. } if span.contains(place) => Some(tokens),
                Segment::Hole { .. } | Segment::Text(_) => None,
            });
            hole.is_none_or(|tokens| is_in_literal(tokens, place))
        }
        _ => false,
    }
}

/// Collects all names, including those in the holes of strings.
fn collect(tokens: &[Token], names: &mut Vec<(Symbol, Span)>) {
    for token in tokens {
        match &token.kind {
            TokenKind::Identifier(name) | TokenKind::TypeVariable(name) => names.push((*name, token.span)),
            TokenKind::Interpolated(segments) => {
                for segment in segments {
                    match segment {
                        Segment::Hole { tokens, .. } => collect(tokens, names),
                        Segment::Text(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Names with characters that are not recommended for identifiers, each once; invisible characters are among them.
/// Names in double backquotes may contain any visible character.
fn uncommon(text: &str, names: &[(Symbol, Span)]) -> Vec<Diagnostic> {
    let mut seen: Vec<Symbol> = Vec::new();
    let mut diagnostics = Vec::new();
    for (name, span) in names.iter().filter(|(name, _)| !name.as_str().is_ascii()) {
        let is_quoted = text[span.start as usize..].starts_with('`');
        let is_uncommon =
            |character: &char| visible::is_hidden(*character) || !is_quoted && !character.identifier_allowed();
        let Some(character) = name.as_str().chars().find(is_uncommon) else { continue };
        if seen.contains(name) || diagnostics.len() == MAX {
            continue;
        }
        seen.push(*name);
        let shown = match visible::name(&character.to_string()) {
            shown if shown.len() > 4 => String::new(),
            shown => format!(" `{shown}`"),
        };
        let message = format!("this name contains the uncommon character U+{:04X}{shown}", u32::from(character));
        diagnostics.push(
            Diagnostic::warning(codes::UNCOMMON_NAME, *span, message)
                .note("the character is invisible, or not part of any language in modern use")
                .help("use a name without it"),
        );
    }
    diagnostics
}

/// Names that look like other names, or like ASCII although they are of another script.
fn confusable(names: &[(Symbol, Span)]) -> Vec<Diagnostic> {
    let mut looks: HashMap<String, (Symbol, Span)> = HashMap::default();
    let mut reported: Vec<Symbol> = Vec::new();
    let mut diagnostics = Vec::new();
    for &(name, span) in names {
        let text = name.as_str();
        let look: String = skeleton(text).collect();
        let (first, place) = *looks.entry(look.clone()).or_insert((name, span));
        if reported.contains(&name) || diagnostics.len() == MAX {
            continue;
        }
        let is_ascii = text.is_ascii() && first.as_str().is_ascii();
        let diagnostic = if first != name && !is_ascii {
            let message = format!(
                "`{}` and `{}` look alike but are different names",
                visible::name(text),
                visible::name(first.as_str())
            );
            Diagnostic::warning(codes::CONFUSABLE_NAMES, span, message).also(place, "the other name")
        } else if !text.is_ascii() && look.is_ascii() && !text.is_single_script() {
            let message = format!("`{}` mixes letters of several scripts and looks like `{look}`", visible::name(text));
            Diagnostic::warning(codes::CONFUSABLE_NAMES, span, message)
        } else {
            continue;
        };
        reported.push(name);
        diagnostics.push(diagnostic.help("use names that can be told apart"));
    }
    diagnostics
}
