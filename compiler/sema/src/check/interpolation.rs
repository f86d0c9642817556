//! Interpolated strings: `$"{x}"`, `$"{x:F2}"`, `$"%d{x}"`.

use super::{
    Checker,
    report::{Expect, Reason},
    ty::{Head, Need, Ty},
    unify::Clash,
};
use crate::{
    primitive::{Primitive, TextFormat},
    psg::{NodeId, NodeKind, Part},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_syntax::ast::{ExprId, ExprKind, InterpolationPart, Name};

/// What a format asks of a value, and how it becomes text.
struct Format {
    wanted: Wanted,
    text: TextFormat,
}

/// The type that a format takes.
enum Wanted {
    Exactly(Head),
    Satisfying(Need),
}

/// The formats, as a diagnostic lists them.
const FORMATS: &str =
    "formats are `D4`, `X`, `x8`, `B`, `F2`, `E3`, and `%d %i %u %x %X %o %B %b %s %c %f %.2f %e %g %A`";

/// The most digits behind the point that are written without an exponent.
const MOST_FIXED_DIGITS: u8 = 20;

/// The number of digits behind the point where a format does not say.
const DEFAULT_DIGITS: u8 = 6;

impl Checker<'_> {
    /// An interpolated string.
    pub(super) fn interpolated(&mut self, parts: &[InterpolationPart], span: Span, expect: &Expect) -> NodeId {
        self.expect(span, expect, &Ty::string());
        let parts = parts
            .iter()
            .map(|part| match part {
                InterpolationPart::Text(text) => Part::Text(Symbol::new(text)),
                InterpolationPart::Value { expr, format, specifier } => {
                    Part::Value(self.interpolated_value(*expr, *format, *specifier))
                }
            })
            .collect();
        self.node(NodeKind::Interpolate(parts), Ty::string(), span)
    }

    fn interpolated_value(&mut self, expr: ExprId, format: Option<Name>, specifier: Option<Name>) -> NodeId {
        if let Some((value, width)) = self.alignment(expr) {
            self.infer(value);
            self.report_unsupported("widths behind a comma", self.ast.exprs[width].span);
            return self.error_node(self.ast.exprs[expr].span);
        }
        let parsed = match (specifier, format) {
            (Some(specifier), _) => (specifier, self.specifier(specifier)),
            (None, Some(format)) => (format, self.format(format)),
            (None, None) => return self.general_text(expr),
        };
        let (name, Some(format)) = parsed else {
            self.infer(expr);
            return self.error_node(parsed.0.span);
        };
        let reason = Reason::Format(name.symbol);
        let node = match format.wanted {
            Wanted::Exactly(head) => self.expr(expr, &Expect { ty: Ty::simple(head), reason }),
            Wanted::Satisfying(need) => {
                let node = self.infer(expr);
                self.demand_text(node, need, Some(name.symbol));
                node
            }
        };
        self.text(node, format.text)
    }

    /// `{value,10}`: the value and the width. Tuples have no text, so that nothing else is meant.
    fn alignment(&self, expr: ExprId) -> Option<(ExprId, ExprId)> {
        let ExprKind::Tuple(parts) = &self.ast.exprs[expr].kind else { return None };
        let [value, width] = parts.as_slice() else { return None };
        let number = self.sources.text(self.ast.exprs[*width].span);
        number.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()).then_some((*value, *width))
    }

    fn general_text(&mut self, expr: ExprId) -> NodeId {
        let node = self.infer(expr);
        self.demand_text(node, Need::TEXT, None);
        self.text(node, TextFormat::General)
    }

    fn demand_text(&mut self, node: NodeId, need: Need, format: Option<Symbol>) {
        let ty = self.type_of(node);
        if let Err(Clash::Unmet(unmet, _)) = self.inference.demand(&ty, need) {
            let shown = self.show(&ty);
            let words = unmet.describe();
            let diagnostic = match format {
                Some(format) => Diagnostic::error(
                    codes::UNMET_DEMAND,
                    self.span_of(node),
                    format!("the format `{format}` takes {words}, and this is `{shown}`"),
                ),
                None => Diagnostic::error(
                    codes::UNMET_DEMAND,
                    self.span_of(node),
                    format!("a value of type `{shown}` has no text"),
                )
                .note(format!("an interpolated value is {words}")),
            };
            self.report(diagnostic);
        }
    }

    /// The text of a value; a string is its own.
    fn text(&mut self, node: NodeId, format: TextFormat) -> NodeId {
        let ty = self.type_of(node);
        if format == TextFormat::General && matches!(self.inference.shallow(&ty), Ty::Head(Head::String, _)) {
            return node;
        }
        let span = self.span_of(node);
        self.primitive_call(Primitive::Text(format), vec![node], Ty::string(), span)
    }

    /// What is behind the colon: a letter and perhaps a number of digits.
    fn format(&mut self, name: Name) -> Option<Format> {
        let text = name.symbol.as_str();
        if text.is_empty() {
            self.report(
                Diagnostic::error(codes::UNKNOWN_FORMAT, name.span, "there is no format behind the colon")
                    .note(FORMATS),
            );
            return None;
        }
        let mut characters = text.chars();
        let letter = characters.next().unwrap_or(' ');
        let rest = characters.as_str();
        let digits: Option<u8> = if rest.is_empty() { None } else { rest.parse().ok().filter(|digits| *digits <= 99) };
        if !rest.is_empty() && digits.is_none() {
            return self.unknown_format(name);
        }
        if matches!(letter, 'F' | 'f') && digits > Some(MOST_FIXED_DIGITS) {
            return self.too_many_digits(name);
        }
        let least = digits.unwrap_or(1);
        let integer = Wanted::Satisfying(Need::INTEGER);
        let (wanted, text) = match letter {
            'D' | 'd' => (integer, TextFormat::Decimal { digits: least }),
            'X' => (integer, TextFormat::Hexadecimal { digits: least, upper: true }),
            'x' => (integer, TextFormat::Hexadecimal { digits: least, upper: false }),
            'B' | 'b' => (integer, TextFormat::Binary { digits: least }),
            'F' | 'f' => (Wanted::Satisfying(Need::NUMBER), TextFormat::Fixed { digits: digits.unwrap_or(2) }),
            'E' => (
                Wanted::Satisfying(Need::NUMBER),
                TextFormat::Exponent { digits: digits.unwrap_or(DEFAULT_DIGITS), upper: true },
            ),
            'e' => (
                Wanted::Satisfying(Need::NUMBER),
                TextFormat::Exponent { digits: digits.unwrap_or(DEFAULT_DIGITS), upper: false },
            ),
            _ => return self.unknown_format(name),
        };
        Some(Format { wanted, text })
    }

    /// A printf specifier before the brace.
    fn specifier(&mut self, name: Name) -> Option<Format> {
        let text = name.symbol.as_str();
        let body = text.strip_prefix('%').unwrap_or(text);
        let kind = body.chars().last().unwrap_or(' ');
        let flags = &body[..body.len() - kind.len_utf8().min(body.len())];
        let (width, digits) = match flags.split_once('.') {
            Some((width, digits)) => (width, Some(digits)),
            None => (flags, None),
        };
        if !width.is_empty() {
            return self.unsupported_width(name, kind, (width, digits));
        }
        let digits = match digits.map(str::parse::<u8>) {
            None => None,
            Some(Ok(digits)) if matches!(kind, 'f' | 'F' | 'e' | 'E') => match digits <= MOST_FIXED_DIGITS {
                true => Some(digits),
                false => return self.too_many_digits(name),
            },
            Some(_) => return self.unknown_format(name),
        };
        let integer = Wanted::Satisfying(Need::INTEGER);
        let (wanted, text) = match kind {
            'd' | 'i' | 'u' => (integer, TextFormat::Decimal { digits: 1 }),
            'x' => (integer, TextFormat::Hexadecimal { digits: 1, upper: false }),
            'X' => (integer, TextFormat::Hexadecimal { digits: 1, upper: true }),
            'o' => (integer, TextFormat::Octal),
            'B' => (integer, TextFormat::Binary { digits: 1 }),
            'b' => (Wanted::Exactly(Head::Bool), TextFormat::General),
            's' => (Wanted::Exactly(Head::String), TextFormat::General),
            'c' => (Wanted::Exactly(Head::Char), TextFormat::General),
            'f' | 'F' => {
                (Wanted::Satisfying(Need::FLOAT), TextFormat::Fixed { digits: digits.unwrap_or(DEFAULT_DIGITS) })
            }
            'e' | 'E' => (
                Wanted::Satisfying(Need::FLOAT),
                TextFormat::Exponent { digits: digits.unwrap_or(DEFAULT_DIGITS), upper: kind == 'E' },
            ),
            'g' | 'G' => (Wanted::Satisfying(Need::FLOAT), TextFormat::General),
            'A' | 'O' => (Wanted::Satisfying(Need::TEXT), TextFormat::General),
            _ => return self.unknown_format(name),
        };
        Some(Format { wanted, text })
    }

    fn unknown_format(&mut self, name: Name) -> Option<Format> {
        let message = format!("there is no format `{}`", name.symbol);
        self.report(Diagnostic::error(codes::UNKNOWN_FORMAT, name.span, message).note(FORMATS));
        None
    }

    fn too_many_digits(&mut self, name: Name) -> Option<Format> {
        let message = format!("the format `{}` asks for too many digits", name.symbol);
        self.report(
            Diagnostic::error(codes::UNKNOWN_FORMAT, name.span, message)
                .note(format!("at most {MOST_FIXED_DIGITS} digits stand behind the point")),
        );
        None
    }

    /// `%05d`, `%-8s`, `%+d`: what stands between the `%` and the precision.
    fn unsupported_width(&mut self, name: Name, kind: char, (width, digits): (&str, Option<&str>)) -> Option<Format> {
        let message =
            format!("the width and the flags of `{}` are not supported by this version of clefc", name.symbol);
        let diagnostic = Diagnostic::error(codes::NOT_SUPPORTED_YET, name.span, message);
        let zeros = width.strip_prefix('0').filter(|digits| digits.parse::<u8>().is_ok());
        let letter = match kind {
            'd' | 'i' | 'u' => Some('D'),
            'x' | 'X' => Some(kind),
            'B' => Some('B'),
            _ => None,
        };
        self.report(match (zeros, letter) {
            (Some(digits), Some(letter)) => {
                diagnostic.help(format!("write `{{…:{letter}{digits}}}` for at least {digits} digits"))
            }
            _ => {
                let precision = digits.map_or(String::new(), |digits| format!(".{digits}"));
                diagnostic.help(format!("leave them out: `%{precision}{kind}`"))
            }
        });
        None
    }
}
