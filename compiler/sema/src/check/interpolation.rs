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
use clef_syntax::ast::{ExprId, InterpolationPart, Name};

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
        let mut characters = text.chars();
        let letter = characters.next().unwrap_or(' ');
        let rest = characters.as_str();
        let digits: Option<u8> = if rest.is_empty() { None } else { rest.parse().ok().filter(|digits| *digits <= 99) };
        if !rest.is_empty() && digits.is_none() {
            return self.unknown_format(name);
        }
        let least = digits.unwrap_or(1);
        let integer = Wanted::Satisfying(Need::INTEGER);
        let (wanted, text) = match letter {
            'D' | 'd' => (integer, TextFormat::Decimal { digits: least }),
            'X' => (integer, TextFormat::Hexadecimal { digits: least, upper: true }),
            'x' => (integer, TextFormat::Hexadecimal { digits: least, upper: false }),
            'B' | 'b' => (integer, TextFormat::Binary { digits: least }),
            'F' | 'f' => (Wanted::Satisfying(Need::NUMBER), TextFormat::Fixed { digits: digits.unwrap_or(2).min(20) }),
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
        let digits = match flags {
            "" => None,
            flags => match flags.strip_prefix('.').map(str::parse::<u8>) {
                Some(Ok(digits)) if matches!(kind, 'f' | 'F' | 'e' | 'E') && digits <= 20 => Some(digits),
                _ => return self.unknown_format(name),
            },
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
        self.report(
            Diagnostic::error(codes::UNKNOWN_FORMAT, name.span, format!("there is no format `{}`", name.symbol)).note(
                "formats are `D4`, `X`, `x8`, `B`, `F2`, `E3`, and `%d %i %u %x %X %o %B %b %s %c %f %.2f %e %g %A`",
            ),
        );
        None
    }
}
