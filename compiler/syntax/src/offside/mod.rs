//! The offside rule: makes blocks explicit in the tokens.
//!
//! In: the tokens of a file from the lexer. Out: the same tokens in the same order, with [`TokenKind::Begin`],
//! [`TokenKind::Separator`] and [`TokenKind::End`] inserted. Each `Begin` has its `End`, and they nest with the
//! brackets. A closing bracket without an opening one is reported and removed.
//!
//! This follows the light syntax of the F# language specification, chapter 15. A stack of contexts holds the open
//! constructs: brackets, blocks of lines, and keywords that expect a continuation. Only the top of the stack decides
//! whether a line is to the left of its block, so a body may start further left than a bracket or keyword in the middle
//! of the line that opened it.

mod context;
mod keyword;
mod line;

use crate::token::{Keyword, Punctuation, Segment, Token, TokenKind};
use clef_base::{Diagnostic, Span, codes};
use context::{ConstructKind, Context, Pending, PendingKind};

/// The maximum number of diagnostics per file.
const MAX_DIAGNOSTICS: usize = 20;

/// The number of unclosed brackets that are reported at one position: the innermost ones.
const MAX_UNCLOSED: usize = 3;

/// Makes the layout of a file explicit.
pub fn lay_out(tokens: Vec<Token>) -> (Vec<Token>, Vec<Diagnostic>) {
    // Most lines get a separator, or open and close a block.
    let output = Vec::with_capacity(tokens.len() + tokens.len() / 2);
    let mut layout = Layout { output, indented: indented_content(&tokens), ..Layout::default() };
    layout.is_first_alone = is_first_alone(&tokens);
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        layout.token(token, tokens.peek());
    }
    (layout.output, layout.diagnostics)
}

/// The first token after `module A.B` at the top of a file, if it and all later ones are further right than the header.
fn indented_content(tokens: &[Token]) -> Option<Span> {
    let (header, rest) = tokens.split_first()?;
    if header.kind != TokenKind::Keyword(Keyword::Module) {
        return None;
    }
    let start = rest.iter().position(|token| token.starts_line)?;
    let (name, content) = rest.split_at(start);
    let is_right = |token: &Token| !token.starts_line || token.column > header.column;
    let is_header = !name.iter().any(|token| token.is(Punctuation::Equal));
    let is_indented = content.iter().all(|token| is_right(token) || token.kind == TokenKind::EndOfFile);
    content.first().filter(|_| is_header && is_indented).map(|token| token.span)
}

/// Whether the first line is the only one that starts in its column, which is not the first column.
fn is_first_alone(tokens: &[Token]) -> bool {
    let mut lines = tokens.iter().filter(|token| token.starts_line && token.kind != TokenKind::EndOfFile);
    let Some(first) = lines.next() else { return false };
    first.column > 0 && lines.all(|line| line.column != first.column)
}

#[derive(Default)]
struct Layout {
    output: Vec<Token>,
    stack: Vec<Context>,
    /// The block or arms that the next token opens.
    pending: Option<Pending>,
    /// The first token after the header of a file with indented content.
    indented: Option<Span>,
    /// Whether the first line is indented, and no other one like it.
    is_first_alone: bool,
    /// Whether a line further left than the first one was reported.
    left_of_file: bool,
    /// The kind of the last source token that was handled.
    last: Option<TokenKind>,
    diagnostics: Vec<Diagnostic>,
    /// Where unclosed brackets were last reported, and their number.
    unclosed_before: Option<(Span, usize)>,
}

impl Layout {
    fn token(&mut self, mut token: Token, next: Option<&Token>) {
        self.holes(&mut token);
        if token.kind == TokenKind::EndOfFile {
            return self.end_of_file(token);
        }
        let opens = match self.pending.take() {
            Some(pending) => self.open(&pending, &token),
            None if self.stack.is_empty() => {
                self.open_block(&token);
                true
            }
            None => false,
        };
        if !opens && token.starts_line {
            self.line_start(&token);
        }
        if let Some(closer) = closer_of(&token) {
            if !self.close_bracket(&token, closer) {
                return;
            }
        } else {
            self.continue_construct(&token);
        }
        let kind = token.kind.clone();
        self.push_contexts(&token, next);
        self.output.push(token);
        self.last = Some(kind);
    }

    /// Lays out each expression in an interpolated string on its own.
    fn holes(&mut self, token: &mut Token) {
        let TokenKind::Interpolated(segments) = &mut token.kind else { return };
        for segment in segments {
            if let Segment::Hole { tokens, .. } = segment {
                let (laid_out, diagnostics) = lay_out(std::mem::take(tokens));
                *tokens = laid_out;
                self.diagnostics.extend(diagnostics);
            }
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Inserts a virtual token before a token.
    fn insert(&mut self, kind: TokenKind, before: &Token) {
        self.output.push(Token {
            kind,
            span: before.span.at_start(),
            column: before.column,
            indentation: before.indentation,
            starts_line: false,
            space_before: before.space_before,
            space_after: true,
            documentation: None,
        });
    }

    fn open_block(&mut self, first: &Token) {
        self.open_block_at(first, first.column);
    }

    fn open_block_at(&mut self, first: &Token, column: u32) {
        self.insert(TokenKind::Begin, first);
        self.stack.push(Context::Block { column, first: first.span });
    }

    /// Opens the pending context at its first token; false if the token is not part of it.
    fn open(&mut self, pending: &Pending, first: &Token) -> bool {
        if pending.kind == PendingKind::BlockOnNewLine && !first.starts_line {
            return false;
        }
        let in_bracket = matches!(self.stack.last(), Some(Context::Bracket { .. }));
        if in_bracket && closer_of(first).is_some() {
            return false;
        }
        // Only the bar of an arm may be in the column of the match.
        let needs_indent = pending.kind == PendingKind::Arms && !first.is(Punctuation::Bar);
        // The cases of a type may be in the column of the type; the parser rejects members wherever they are.
        let of_type = matches!(self.stack.last(), Some(Context::Construct(c)) if c.kind == ConstructKind::Type);
        let is_case = of_type && pending.kind == PendingKind::Block && is_part_of_type(first);
        let limit = match needs_indent {
            true => i64::from(pending.column),
            false => pending.limit - i64::from(is_case),
        };
        let too_far_left = first.starts_line && i64::from(first.column) <= limit;
        if too_far_left || !can_open(first) && closer_of(first).is_some() {
            if !in_bracket {
                self.missing_block(pending, first);
            }
            return false;
        }
        if pending.kind == PendingKind::Arms {
            let column = if first.starts_line { first.column } else { pending.column };
            let bar = first.is(Punctuation::Bar);
            self.stack.push(Context::Arms { column, slack: if bar || !first.starts_line { 0 } else { 2 } });
        } else {
            // Tokens after the cases in the column of the type are not part of its body.
            let below = is_case && first.starts_line && i64::from(first.column) == pending.limit;
            self.open_block_at(first, first.column + u32::from(below));
        }
        true
    }

    /// Reports a missing body; the pending context becomes an empty block, which the parser accepts without a report.
    fn missing_block(&mut self, pending: &Pending, first: &Token) {
        if pending.kind != PendingKind::Arms {
            self.insert(TokenKind::Begin, first);
            self.insert(TokenKind::End, first);
            self.last = Some(TokenKind::End);
        }
        let what = pending.what;
        self.report(
            Diagnostic::error(codes::MISSING_BLOCK, first.span, format!("missing or unindented {what}"))
                .label(format!("this is not indented enough to be the {what}"))
                .also(pending.opener, format!("the {what} belongs here"))
                .help(indent_it(pending.limit)),
        );
    }

    /// Closes the top of the stack.
    fn pop(&mut self, before: &Token) {
        if let Some(Context::Block { .. }) = self.stack.pop() {
            self.insert(TokenKind::End, before);
        }
    }

    /// Closes all contexts above a stack height.
    fn pop_to(&mut self, height: usize, before: &Token) {
        while self.stack.len() > height {
            self.pop(before);
        }
    }

    /// Closes all contexts down to the bracket that a token closes; false if there is none, and the token is dropped.
    fn close_bracket(&mut self, token: &Token, closer: &TokenKind) -> bool {
        let matching = self
            .stack
            .iter()
            .rposition(|context| matches!(context, Context::Bracket { closer: own, .. } if own == closer));
        let Some(height) = matching else {
            let error = Diagnostic::error(codes::UNOPENED_BRACKET, token.span, "unmatched closing bracket");
            self.report(error.label("no matching opening bracket").help("remove it, or add the opening bracket"));
            return false;
        };
        for inner in (height + 1..self.stack.len()).rev() {
            self.unclosed(inner, token);
        }
        self.pop_to(height + 1, token);
        self.stack.pop();
        true
    }

    /// Reports the bracket at a stack height as unclosed before a token; does nothing if the context is no bracket.
    fn unclosed(&mut self, height: usize, before: &Token) {
        let Context::Bracket { closer, opener, is_class, .. } = &self.stack[height] else { return };
        // The parser rejects classes.
        if *is_class {
            return;
        }
        let (place, count) = self.unclosed_before.unwrap_or((before.span, 0));
        let count = if place == before.span { count + 1 } else { 1 };
        self.unclosed_before = Some((before.span, count));
        if let (Some(last), more @ 1..) = (self.diagnostics.last_mut(), count.saturating_sub(MAX_UNCLOSED)) {
            last.notes = vec![format!("{more} more enclosing brackets are unclosed")];
            return;
        }
        let text = match closer {
            TokenKind::Punctuation(sign) => sign.text(),
            _ => "end",
        };
        let error = Diagnostic::error(codes::UNCLOSED_BRACKET, *opener, "unclosed bracket")
            .label("opened here")
            .also(before.span, format!("expected `{text}` before this"))
            .help(format!("close it with `{text}`"));
        self.report(error);
    }

    fn end_of_file(&mut self, token: Token) {
        if let Some(pending) = self.pending.take() {
            let in_bracket = matches!(self.stack.last(), Some(Context::Bracket { .. }));
            if !in_bracket {
                self.missing_block(&pending, &token);
            }
        }
        for height in (0..self.stack.len()).rev() {
            self.unclosed(height, &token);
        }
        self.pop_to(0, &token);
        self.output.push(token);
    }
}

/// The bracket that a token closes, if any.
fn closer_of(token: &Token) -> Option<&TokenKind> {
    match &token.kind {
        TokenKind::Punctuation(sign) if sign.is_closer() => Some(&token.kind),
        TokenKind::Keyword(Keyword::End) => Some(&token.kind),
        _ => None,
    }
}

/// A help text: the indentation that a body to the right of a column needs.
fn indent_it(limit: i64) -> String {
    match limit {
        ..=0 => "indent it by at least one column".to_owned(),
        limit => format!("indent it by at least {} columns", limit + 1),
    }
}

/// Whether a token starts what may be in the column of its type: a case, or a member.
fn is_part_of_type(token: &Token) -> bool {
    token.is(Punctuation::Bar) || matches!(token.kind, TokenKind::Keyword(word) if word.is_member())
}

/// Whether a token can start a block.
fn can_open(token: &Token) -> bool {
    !context::is_continuation(token) || token.is(Punctuation::Bar)
}

#[cfg(test)]
mod tests;
