//! Whether a formatted text means the same as its source text.
//!
//! Compared are the tokens, except for semicolons and bars, the comments in their order, and the tree without its
//! places.

use crate::pieces::{Piece, divide};
use clef_base::{Diagnostic, FileId, SourceMap, Span, codes, diagnostic::has_errors};
use clef_syntax::{
    ast::Ast,
    dump::dump,
    lexer,
    token::{Punctuation, TokenKind},
};

/// Compares the source text of a file with its formatted text.
pub(crate) fn same(
    sources: &SourceMap,
    file: FileId,
    ast: &Ast,
    pieces: &[Piece<'_>],
    formatted: &str,
) -> Result<(), Box<Diagnostic>> {
    let mut copy = SourceMap::default();
    let id = copy.add(sources.file(file).name.clone(), formatted);
    let is_defined = |name: &str| sources.is_defined(file, name);
    let (tokens, _) = lexer::lex(id, formatted, &is_defined);
    let after = divide(formatted, tokens);
    if let Some(piece) = first_difference(pieces, &after) {
        let span = Span::new(file, piece.start as usize, piece.end as usize);
        return Err(defect(span, "the formatted text has other tokens from here on"));
    }
    if let Some(piece) = first_lost_comment(pieces, &after) {
        let span = Span::new(file, piece.start as usize, piece.end as usize);
        return Err(defect(span, "the formatted text has other comments before this"));
    }
    let directives = formatted.lines().filter(|line| line.trim_start().starts_with('#'));
    let names = directives.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    copy.define(names.filter(|name| sources.is_defined(file, name)).map(str::to_owned));
    let (again, diagnostics) = clef_syntax::parse(&copy, id);
    if has_errors(&diagnostics) || dump(ast) != dump(&again) {
        let span = changed_declaration(ast, &again).unwrap_or(Span::new(file, 0, 0));
        return Err(defect(span, "the formatted text has another syntax tree"));
    }
    Ok(())
}

fn defect(span: Span, message: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(codes::FORMATTER_DEFECT, span, format!("cannot format this: {message}"))
            .note("this is a defect of the formatter; the file is left as it is")
            .help("write this part in another way, or report the defect with the file"),
    )
}

fn first_difference<'p>(before: &'p [Piece<'p>], after: &[Piece<'_>]) -> Option<&'p Piece<'p>> {
    let mut others = after.iter().filter(|piece| !is_replaced(piece));
    before.iter().filter(|piece| !is_replaced(piece)).find(|piece| {
        let other = others.next();
        !other.is_some_and(|other| other.text == piece.text && same_kind(&other.kind, &piece.kind))
    })
}

fn same_kind(left: &TokenKind, right: &TokenKind) -> bool {
    // The tokens in holes have places, and the text of both is equal.
    matches!((left, right), (TokenKind::Interpolated(_), TokenKind::Interpolated(_))) || left == right
}

fn is_replaced(piece: &Piece<'_>) -> bool {
    piece.is(Punctuation::Semicolon) || piece.is(Punctuation::Bar)
}

fn first_lost_comment<'p>(before: &'p [Piece<'p>], after: &[Piece<'_>]) -> Option<&'p Piece<'p>> {
    let mut others = after.iter().flat_map(|piece| &piece.comments);
    let lost = before.iter().find(|piece| {
        piece.comments.iter().any(|comment| others.next().is_none_or(|other| other.text != comment.text))
    });
    lost.or_else(|| others.next().and(before.last()))
}

/// The first declaration whose listing differs.
fn changed_declaration(before: &Ast, after: &Ast) -> Option<Span> {
    let (left, right) = (dump(before), dump(after));
    let same = left.lines().zip(right.lines()).take_while(|(left, right)| left == right).count();
    let starts = left.lines().take(same + 1).filter(|line| !line.starts_with(' ')).count();
    let header = usize::from(before.header.is_some());
    before.declarations.get(starts.saturating_sub(1 + header)).or(before.declarations.last()).map(|item| item.span)
}
