//! The rules for highlighting class every token of every program as the compiler's lexer does.
//!
//! The syntax definition of `bat` is read, by the crate that `bat` uses. The other grammars have the same rules.

#[path = "support/programs.rs"]
mod programs;

use clef_base::{SourceMap, diagnostic::has_errors};
use clef_editors::{
    highlighting::{Class, rules, sublime},
    vocabulary::{tokens, words},
};
use clef_syntax::{
    lexer::lex,
    token::{Punctuation, Segment, Token, TokenKind},
};
use programs::{FEWEST, programs};
use std::{collections::HashMap, ops::Range};
use syntect::parsing::{ParseState, ScopeStack, SyntaxDefinition, SyntaxSet, SyntaxSetBuilder};

/// The classes of names: which of them a name has is a guess.
const NAMES: [Option<Class>; 8] = [
    None,
    Some(Class::Attribute),
    Some(Class::Type),
    Some(Class::TypeName),
    Some(Class::Value),
    Some(Class::Function),
    Some(Class::Module),
    Some(Class::Constructor),
];

const STRINGS: [Option<Class>; 2] = [Some(Class::Quoted), Some(Class::Escape)];
const SIGNS: [Option<Class>; 3] = [Some(Class::Operator), Some(Class::Bracket), Some(Class::Separator)];
const TRIVIA: [Option<Class>; 3] = [Some(Class::LineComment), Some(Class::BlockComment), Some(Class::Documentation)];

/// The classes of the words of each group.
const GROUPS: [(&str, Class); 6] = [
    ("control", Class::Control),
    ("declaration", Class::Declaration),
    ("modifier", Class::Modifier),
    ("constant", Class::Constant),
    ("wildcard", Class::Wildcard),
    ("reserved", Class::Reserved),
];

fn syntax() -> SyntaxSet {
    let definition = SyntaxDefinition::load_from_str(&sublime(&rules()), true, None).expect("a syntax definition");
    let mut builder = SyntaxSetBuilder::new();
    builder.add(definition);
    builder.build()
}

/// The class of each byte.
fn classes(syntax: &SyntaxSet, text: &str) -> Vec<Option<Class>> {
    let by_scope: HashMap<String, Class> = Class::ALL.iter().map(|(class, ..)| (class.scope(), *class)).collect();
    let innermost = |stack: &ScopeStack| {
        let scope = stack.as_slice().last()?.build_string();
        by_scope.get(&scope).copied()
    };
    let mut state = ParseState::new(&syntax.syntaxes()[0]);
    let mut stack = ScopeStack::new();
    let mut result = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut at = 0;
        for (position, change) in state.parse_line(line, syntax).expect("rules without errors") {
            result.extend(std::iter::repeat_n(innermost(&stack), position - at));
            stack.apply(&change).expect("a change that fits");
            at = position;
        }
        result.extend(std::iter::repeat_n(innermost(&stack), line.len() - at));
    }
    result
}

/// Compares tokens with the classes of a text.
struct Comparison<'t> {
    text: &'t str,
    classes: &'t [Option<Class>],
    groups: &'t HashMap<&'t str, Class>,
    difference: Option<String>,
}

impl Comparison<'_> {
    /// Every visible byte of a range has one of some classes.
    fn expect(&mut self, range: Range<usize>, wanted: &[Option<Class>], what: &str) {
        let bytes = self.text.as_bytes();
        let is_wrong = |at: &usize| !bytes[*at].is_ascii_whitespace() && !wanted.contains(&self.classes[*at]);
        if let Some(at) = range.clone().find(is_wrong).filter(|_| self.difference.is_none()) {
            let line = self.text[..at].matches('\n').count() + 1;
            let shown = self.text.get(range).unwrap_or_default();
            self.difference =
                Some(format!("{line}: `{shown}` is {what}, and editors have {:?} in it", self.classes[at]));
        }
    }

    /// The tokens between two places, and what is between them.
    fn tokens(&mut self, tokens: &[Token], within: Range<usize>) {
        let mut at = within.start;
        for token in tokens {
            let range = token.span.start as usize..token.span.end as usize;
            self.expect(at..range.start, &TRIVIA, "no token");
            self.token(token, range.clone());
            at = range.end;
        }
    }

    fn token(&mut self, token: &Token, range: Range<usize>) {
        let wanted: &[Option<Class>] = match &token.kind {
            TokenKind::Keyword(keyword) => {
                // `rec` and modifiers directly after `let` are one piece with it.
                let group = self.groups.get(keyword.text()).copied();
                return self.expect(range, &[group, Some(Class::Modifier)], "a word");
            }
            TokenKind::Identifier(_) => &NAMES,
            TokenKind::TypeVariable(_) => &[Some(Class::TypeVariable)],
            TokenKind::Integer { .. } => &[Some(Class::Number), Some(Class::Character)],
            TokenKind::Float { .. } => &[Some(Class::Number)],
            TokenKind::Char(_) => &[Some(Class::Character)],
            TokenKind::String(_) | TokenKind::Bytes(_) => &STRINGS,
            TokenKind::Interpolated(segments) => return self.interpolated(segments, range),
            // A path is one piece.
            TokenKind::Punctuation(Punctuation::Dot) => &[Some(Class::Separator), Some(Class::Module)],
            TokenKind::Operator(_) | TokenKind::Punctuation(_) => &SIGNS,
            TokenKind::Directive => &[Some(Class::Directive)],
            TokenKind::Error | TokenKind::Begin | TokenKind::Separator | TokenKind::End | TokenKind::EndOfFile => {
                return;
            }
        };
        self.expect(range, wanted, &format!("{:?}", token.kind));
    }

    fn interpolated(&mut self, segments: &[Segment], range: Range<usize>) {
        let mut at = range.start;
        for segment in segments {
            let Segment::Hole { tokens, format, specifier, span } = segment else { continue };
            let (start, end) = (span.start as usize, span.end as usize);
            let before = specifier.map_or(start, |(_, span)| span.start as usize);
            self.expect(at..before, &STRINGS, "part of a string");
            self.expect(before..start, &[Some(Class::Format)], "a specifier");
            self.expect(start..start + 1, &[Some(Class::Hole)], "the start of a hole");
            self.tokens(tokens, start + 1..end);
            if let Some((_, span)) = format {
                self.expect(span.start as usize..span.end as usize, &[Some(Class::Format)], "a format");
            }
            self.expect(end - 1..end, &[Some(Class::Hole)], "the end of a hole");
            at = end;
        }
        self.expect(at..range.end, &STRINGS, "part of a string");
    }
}

/// Where a program is classed otherwise than by the compiler; `None` also if the lexer reports errors, or skips branches
/// of `#if`.
fn difference(syntax: &SyntaxSet, groups: &HashMap<&str, Class>, text: &str) -> Option<Option<String>> {
    let mut sources = SourceMap::default();
    let file = sources.add("a.clef", text);
    let (tokens, diagnostics) = lex(file, text, &|_| true);
    if has_errors(&diagnostics) || text.lines().any(|line| line.trim_start().starts_with('#')) {
        return None;
    }
    let classes = classes(syntax, text);
    let mut comparison = Comparison { text, classes: &classes, groups, difference: None };
    comparison.tokens(&tokens, text.len() - text.trim_start_matches('\u{feff}').len()..text.len());
    Some(comparison.difference)
}

/// A sample of what programs rarely have.
const SAMPLE: &str = r####"
(* a (* nested *) "*)" '"' comment *)
[<Measure>] type ``a name``
let b = '"', '\'', '\065', 'a'B, "\"{x}\065\
   "B, @"""a""", """a"b""", 1.f, 1., 1e-3, 0x1Ful, 1_000uy, 5<ms>, [|1..2|], x'
let c = $"{{ {b:F2} %d{c.[0]} {r { x = "a" }} %% }}" + $@"a""{d}" + $"""a"{f (g : int) :X}"""
let d 'a = a ||> b >=> c |> (*) // end
"####;

fn groups<'t>(words: &[(&'t str, &'t str)]) -> HashMap<&'t str, Class> {
    let class = |group: &str| GROUPS.iter().find(|(name, _)| *name == group).map(|(_, class)| *class);
    words.iter().filter_map(|(group, word)| Some((*word, class(group)?))).collect()
}

#[test]
fn editors_class_tokens_as_the_compiler_does() {
    let tokens = tokens();
    let groups = groups(&words(&tokens));
    let syntax = syntax();
    let programs = programs().into_iter().chain([("the sample".to_owned(), SAMPLE.to_owned())]);
    let (mut compared, mut differences) = (0, Vec::new());
    for (name, text) in programs {
        let Some(difference) = difference(&syntax, &groups, &text) else { continue };
        compared += 1;
        differences.extend(difference.map(|difference| format!("{name}:{difference}")));
    }
    assert!(differences.is_empty(), "{} of {compared} programs differ:\n{}", differences.len(), differences.join("\n"));
    assert!(compared >= FEWEST, "only {compared} programs were found");
}
