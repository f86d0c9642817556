//! The token listing for `--emit tokens`: the lines of the program, with the tokens that the offside pass inserted
//! shown as `{-`, `-;-` and `-}`.

use crate::token::{Segment, Token, TokenKind};
use std::fmt::Write;

/// Formats tokens, one line per line of the source.
pub fn list(tokens: &[Token]) -> String {
    let mut out = String::new();
    for (index, token) in tokens.iter().enumerate() {
        // A virtual token is listed on the line of the token that follows it.
        let starts_line =
            tokens[index..].iter().find(|token| !is_virtual(token)).is_some_and(|token| token.starts_line);
        let first_of_line = starts_line && !tokens[..index].last().is_some_and(is_virtual);
        if first_of_line && !out.is_empty() {
            out.push('\n');
        } else if !out.is_empty() {
            out.push(' ');
        }
        write_token(&mut out, token);
    }
    out.push('\n');
    out
}

fn is_virtual(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Begin | TokenKind::Separator | TokenKind::End)
}

fn write_token(out: &mut String, token: &Token) {
    let _ = match &token.kind {
        TokenKind::Identifier(name) => write!(out, "{name}"),
        TokenKind::TypeVariable(name) => write!(out, "'{name}"),
        TokenKind::Keyword(keyword) => write!(out, "{keyword}"),
        TokenKind::Operator(operator) => write!(out, "{operator}"),
        TokenKind::Punctuation(sign) => write!(out, "{sign}"),
        TokenKind::Integer { value, suffix, .. } => write!(out, "{value}:{suffix:?}"),
        TokenKind::Float { text, single } => write!(out, "{text}:{}", if *single { "F32" } else { "F64" }),
        TokenKind::Char(c) => write!(out, "{c:?}"),
        TokenKind::String(text) => write!(out, "{text:?}"),
        TokenKind::Bytes(bytes) => write!(out, "{bytes:?}"),
        TokenKind::Interpolated(segments) => {
            segments.iter().for_each(|segment| write_segment(out, segment));
            Ok(())
        }
        TokenKind::Directive => write!(out, "<directive>"),
        TokenKind::Begin => write!(out, "{{-"),
        TokenKind::Separator => write!(out, "-;-"),
        TokenKind::End => write!(out, "-}}"),
        TokenKind::Error => write!(out, "<error>"),
        TokenKind::EndOfFile => write!(out, "<end>"),
    };
}

fn write_segment(out: &mut String, segment: &Segment) {
    match segment {
        Segment::Text(text) => {
            let _ = write!(out, "${text:?}");
        }
        Segment::Hole { tokens, format, specifier, span: _ } => {
            let specifier = specifier.map_or("", |(text, _)| text.as_str());
            let _ = write!(out, "${specifier}(");
            for (index, token) in tokens.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                write_token(out, token);
            }
            if let Some((format, _)) = format {
                let _ = write!(out, " : {format}");
            }
            out.push(')');
        }
    }
}
