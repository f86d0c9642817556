//! Formats: a placeholder of `printf` (`%-8.2f`), and the part after the colon in an interpolated string (`F2`).
//!
//! In: characters with their spans. Out: the type that the format expects, the conversion of the value to a string, and the
//! padding of that string to a width; or a report that points at the error.

use crate::{checker::Checker, names::library::LibraryFunction};
use clef_base::{Diagnostic, Span, Symbol, codes, internal};
use clef_infer::{Ty, TypeConstraint, TypeConstructor};
use clef_psg::NodeId;
use clef_types::{Primitive, TextFormat};

/// The maximum number of digits after the point without an exponent.
pub(crate) const MAX_DIGITS: u8 = 20;
/// The default number of digits of a float.
const DEFAULT_DIGITS: u8 = 6;
/// The maximum width in a format.
const GREATEST_WIDTH: u32 = 9999;

/// The placeholders, as a diagnostic lists them.
const PLACEHOLDERS: &str =
    "the placeholders are `%d %i %u %x %X %o %B %b %s %c %f %F %e %E %g %G %A %O`; `%%` is a percent sign";
/// The formats of interpolated strings, as a diagnostic lists them.
const FORMATS: &str = "the formats are `D4`, `X`, `x8`, `B`, `F2`, `E3`, `G5`, `N2` and `P1`, with a number of digits, \
                       and patterns such as `#,##0.0#`";

/// A number in a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// Absent.
    None,
    /// A literal number.
    Fixed(u32),
    /// `*`: an argument before the value.
    Argument,
}

/// The alignment of a string that is shorter than its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// Right, padded with blanks.
    Right,
    /// Left, padded with blanks.
    Left,
    /// Left, padded with zeros after the last digit of a fraction.
    LeftZeros,
    /// Right, padded with zeros between the sign and the digits.
    Zeros,
}

impl Side {
    /// The library function that pads a string, and its argument for the alignment.
    fn function(self) -> (LibraryFunction, i128) {
        match self {
            Side::Right => (LibraryFunction::TextPadded, 0),
            Side::Left => (LibraryFunction::TextPadded, 1),
            Side::Zeros => (LibraryFunction::TextPadded, 2),
            Side::LeftZeros => (LibraryFunction::TextExtended, 1),
        }
    }
}

/// The type that a format expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// This type.
    Exactly(TypeConstructor),
    /// A type that satisfies the constraint.
    Satisfying(TypeConstraint),
    /// Any type.
    Anything,
}

/// The conversion of a value to a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conversion {
    /// By a format of the runtime.
    Text(TextFormat),
    /// By a library function that takes the number of digits as its first argument.
    Digits(LibraryFunction),
    /// With `n` digits after the point and commas between groups of three digits.
    Grouped(u8),
    /// As a percentage: a hundred times the value, like [`Conversion::Grouped`], and a percent sign.
    Percent(u8),
    /// By a pattern.
    Pattern(Pattern),
}

/// A pattern of digits: `0.00`, `#,##0.0#`, `0%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pattern {
    /// The minimum number of digits before the point.
    least_whole: u8,
    /// The minimum number of digits after the point.
    least_fraction: u8,
    /// The maximum number of digits after the point.
    most_fraction: u8,
    /// With commas between groups of three digits before the point.
    grouped: bool,
    /// A hundred times the value, and a percent sign.
    percent: bool,
}

impl Pattern {
    /// Parses a format that consists of `#`, `0`, commas, a point and a percent sign at its end.
    fn read(text: &str) -> Option<Pattern> {
        let (digits, percent) = text.strip_suffix('%').map_or((text, false), |digits| (digits, true));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let plain: String = whole.chars().filter(|c| *c != ',').collect();
        let zeros = plain.trim_start_matches('#');
        let hashes = fraction.trim_start_matches('0');
        let is_pattern = !(plain.is_empty() && fraction.is_empty())
            && zeros.bytes().all(|byte| byte == b'0')
            && hashes.bytes().all(|byte| byte == b'#')
            && !whole.starts_with(',')
            && !whole.ends_with(',')
            && text.len() <= 50;
        is_pattern.then(|| Pattern {
            least_whole: zeros.len() as u8,
            least_fraction: (fraction.len() - hashes.len()) as u8,
            most_fraction: fraction.len() as u8,
            grouped: whole.contains(','),
            percent,
        })
    }
}

/// A format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Its source text.
    pub(crate) name: Symbol,
    /// Its span.
    pub(crate) span: Span,
    /// The type that it expects.
    pub(crate) wanted: Wanted,
    conversion: Conversion,
    side: Side,
    /// The character printed before a number without sign.
    sign: Option<char>,
    pub(crate) width: Size,
    pub(crate) precision: Size,
}

/// A character and its span.
pub(crate) type Placed = (char, Span);

/// The flags, width and precision of a placeholder, and its letter.
struct Parts {
    left: Option<Span>,
    zeros: Option<Span>,
    sign: Option<Placed>,
    width: Size,
    precision: Size,
    precision_span: Span,
    letter: Placed,
}

impl Checker<'_> {
    /// Parses a placeholder from its `%` on. Returns the format, or `None` after a report, and its number of characters.
    pub(crate) fn placeholder(&mut self, text: &[Placed]) -> (Option<Format>, usize) {
        let mut at = 1;
        let mut parts = Parts {
            left: None,
            zeros: None,
            sign: None,
            width: Size::None,
            precision: Size::None,
            precision_span: text[0].1,
            letter: text[0],
        };
        while let Some(&(c, span)) = text.get(at) {
            let before = match c {
                '-' => parts.left.replace(span).map(|place| (c, place)),
                '0' => parts.zeros.replace(span).map(|place| (c, place)),
                '+' | ' ' => parts.sign.replace((c, span)),
                _ => break,
            };
            if let Some((other, place)) = before {
                let message = match other == c {
                    true => format!("duplicate flag `{c}`"),
                    false => "the flags `+` and ` ` cannot be combined".to_owned(),
                };
                let error = Diagnostic::error(codes::UNKNOWN_FORMAT, span, message);
                self.report(error.also(place, "the other flag"));
                return (None, text.len());
            }
            at += 1;
        }
        parts.width = size(text, &mut at);
        if let Some(&('.', span)) = text.get(at) {
            at += 1;
            let start = at;
            parts.precision = match size(text, &mut at) {
                Size::None => Size::Fixed(0),
                size @ (Size::Fixed(_) | Size::Argument) => size,
            };
            parts.precision_span = text[start..at].last().map_or(span, |(_, last)| span.to(*last));
        }
        let Some(&letter) = text.get(at) else {
            let span = text[0].1.to(text[at - 1].1);
            let error = Diagnostic::error(codes::UNKNOWN_FORMAT, span, "this placeholder has no letter");
            self.report(error.note(PLACEHOLDERS).help("write `%%` for a percent sign"));
            return (None, at);
        };
        parts.letter = letter;
        let length = at + 1;
        let span = text[0].1.to(letter.1);
        let name: String = text[..length].iter().map(|(c, _)| *c).collect();
        (self.placeholder_of(parts, Symbol::new(&name), span), length)
    }

    fn placeholder_of(&mut self, parts: Parts, name: Symbol, span: Span) -> Option<Format> {
        let (letter, letter_span) = parts.letter;
        let digits = match parts.precision {
            Size::Fixed(digits) if digits > MAX_DIGITS.into() => return self.too_many_digits(name, span),
            Size::Fixed(digits) => digits as u8,
            Size::None | Size::Argument => DEFAULT_DIGITS,
        };
        let by_argument = parts.precision == Size::Argument;
        let upper = letter.is_ascii_uppercase();
        let integer = Wanted::Satisfying(TypeConstraint::INTEGER);
        let float = Wanted::Satisfying(TypeConstraint::FLOAT);
        let (wanted, text) = match letter {
            'd' | 'i' => (integer, TextFormat::Decimal { digits: 1 }),
            'u' => (integer, TextFormat::Unsigned),
            'x' | 'X' => (integer, TextFormat::Hexadecimal { digits: 1, upper }),
            'o' => (integer, TextFormat::Octal),
            'B' => (integer, TextFormat::Binary { digits: 1 }),
            'b' => (Wanted::Exactly(TypeConstructor::Bool), TextFormat::Structure),
            's' => (Wanted::Exactly(TypeConstructor::String), TextFormat::General),
            'c' => (Wanted::Exactly(TypeConstructor::Char), TextFormat::General),
            'f' | 'F' => (float, TextFormat::Fixed { digits }),
            'e' | 'E' => (float, TextFormat::Exponent { digits, upper }),
            'g' | 'G' => (float, TextFormat::Significant { digits: digits.max(1), upper }),
            'A' => (Wanted::Anything, TextFormat::Structure),
            'O' => (Wanted::Anything, TextFormat::General),
            _ => return self.unknown_placeholder(letter, letter_span, span),
        };
        let conversion = match (letter, by_argument) {
            ('f' | 'F', true) => Conversion::Digits(LibraryFunction::TextFixed),
            ('e', true) => Conversion::Digits(LibraryFunction::TextExponent),
            ('E', true) => Conversion::Digits(LibraryFunction::TextExponentUpper),
            ('g', true) => Conversion::Digits(LibraryFunction::TextSignificant),
            ('G', true) => Conversion::Digits(LibraryFunction::TextSignificantUpper),
            _ => Conversion::Text(text),
        };
        let is_float = wanted == float;
        if !is_float && parts.precision != Size::None {
            return self.misplaced(letter, "precision", parts.precision_span);
        }
        if let Some(zeros) = parts.zeros
            && !(is_float || wanted == integer)
        {
            return self.misplaced(letter, "flag `0`", zeros);
        }
        if let Some((sign_character, sign)) = parts.sign
            && !(is_float || wanted == integer || letter == 'A' && sign_character == '+')
        {
            return self.misplaced(letter, "sign", sign);
        }
        let side = match (parts.left.is_some(), parts.zeros.is_some()) {
            // F# pads a float with zeros after its last digit, and an integer with blanks.
            (true, true) if is_float => Side::LeftZeros,
            (true, _) => Side::Left,
            (false, true) => Side::Zeros,
            (false, false) => Side::Right,
        };
        if let Size::Fixed(width) = parts.width
            && width > GREATEST_WIDTH
        {
            let error = Diagnostic::error(codes::UNKNOWN_FORMAT, span, "the width of this placeholder is too large");
            self.report(error.note(format!("the maximum width is {GREATEST_WIDTH}")));
            return None;
        }
        // `%+A` shows what F# would hide; Clef hides nothing.
        let sign = parts.sign.map(|(sign, _)| sign).filter(|_| letter != 'A');
        Some(Format { name, span, wanted, conversion, side, sign, width: parts.width, precision: parts.precision })
    }

    fn misplaced(&mut self, letter: char, what: &str, span: Span) -> Option<Format> {
        let message = format!("`%{letter}` does not support a {what}");
        self.report(Diagnostic::error(codes::UNKNOWN_FORMAT, span, message).help("remove it"));
        None
    }

    fn unknown_placeholder(&mut self, letter: char, letter_span: Span, span: Span) -> Option<Format> {
        let diagnostic = match letter {
            'a' | 't' => Diagnostic::error(
                codes::NOT_IN_CLEF,
                span,
                format!("Clef does not support the placeholder `%{letter}`, which takes a function that writes"),
            )
            .help("format to a string first, and write it with `%s`"),
            'M' => Diagnostic::error(codes::NOT_IN_CLEF, span, "Clef has no type `decimal`").help("write `%f`"),
            'l' | 'L' | 'h' => Diagnostic::error(
                codes::UNKNOWN_FORMAT,
                letter_span,
                "a placeholder does not specify the size of its value",
            )
            .help("remove the letter: `%d` accepts every integer type"),
            _ => Diagnostic::error(codes::UNKNOWN_FORMAT, span, format!("unknown placeholder `%{letter}`"))
                .note(PLACEHOLDERS)
                .help("write `%%` for a percent sign"),
        };
        self.report(diagnostic);
        None
    }

    /// The format after the colon: a letter, and perhaps a number of digits.
    pub(crate) fn colon_format(&mut self, name: Symbol, span: Span) -> Option<Format> {
        // F# writes unusual formats in backticks.
        let written = name.as_str();
        let plain = written.strip_prefix("``").and_then(|text| text.strip_suffix("``")).unwrap_or(written);
        let mut characters = plain.chars();
        let Some(letter) = characters.next() else {
            let error = Diagnostic::error(codes::UNKNOWN_FORMAT, span, "missing format after the colon");
            self.report(error.note(FORMATS));
            return None;
        };
        if let Some(pattern) = Pattern::read(plain) {
            if pattern.most_fraction > MAX_DIGITS || pattern.least_whole > MAX_DIGITS {
                return self.too_many_digits(name, span);
            }
            let wanted = Wanted::Satisfying(TypeConstraint::NUMBER);
            return Some(Format { wanted, conversion: Conversion::Pattern(pattern), ..Format::general(name, span) });
        }
        let rest = characters.as_str();
        let digits: Option<u8> = rest.parse().ok().filter(|digits| *digits <= 99);
        if !rest.is_empty() && (digits.is_none() || !rest.bytes().all(|byte| byte.is_ascii_digit())) {
            return self.unknown_format(name, span);
        }
        if matches!(letter, 'F' | 'f' | 'N' | 'n' | 'G' | 'g' | 'E' | 'e') && digits > Some(MAX_DIGITS)
            || matches!(letter, 'P' | 'p') && digits > Some(MAX_DIGITS - 2)
        {
            return self.too_many_digits(name, span);
        }
        let least = digits.unwrap_or(1);
        let upper = letter.is_ascii_uppercase();
        let (integer, number) =
            (Wanted::Satisfying(TypeConstraint::INTEGER), Wanted::Satisfying(TypeConstraint::NUMBER));
        let (wanted, conversion) = match letter {
            'D' | 'd' => (integer, Conversion::Text(TextFormat::Decimal { digits: least })),
            'X' | 'x' => (integer, Conversion::Text(TextFormat::Hexadecimal { digits: least, upper })),
            'B' | 'b' => (integer, Conversion::Text(TextFormat::Binary { digits: least })),
            'F' | 'f' => (number, Conversion::Text(TextFormat::Fixed { digits: digits.unwrap_or(2) })),
            'E' | 'e' => {
                (number, Conversion::Text(TextFormat::Exponent { digits: digits.unwrap_or(DEFAULT_DIGITS), upper }))
            }
            'G' | 'g' => match digits {
                None | Some(0) => (number, Conversion::Text(TextFormat::General)),
                Some(digits) => (
                    Wanted::Satisfying(TypeConstraint::FLOAT),
                    Conversion::Text(TextFormat::Significant { digits, upper }),
                ),
            },
            'N' | 'n' => (number, Conversion::Grouped(digits.unwrap_or(2))),
            'P' | 'p' => (number, Conversion::Percent(digits.unwrap_or(2))),
            _ => return self.unknown_format(name, span),
        };
        Some(Format { wanted, conversion, ..Format::general(name, span) })
    }

    fn unknown_format(&mut self, name: Symbol, span: Span) -> Option<Format> {
        let text = name.as_str();
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_FORMAT, span, format!("unknown format `{name}`")).note(FORMATS);
        let is_currency = text.starts_with(['C', 'c']) && text[1..].bytes().all(|byte| byte.is_ascii_digit());
        self.report(match is_currency {
            true => diagnostic.help("Clef has no currency format: write the currency sign, and the number as `N2`"),
            false => diagnostic,
        });
        None
    }

    fn too_many_digits(&mut self, name: Symbol, span: Span) -> Option<Format> {
        let message = format!("too many digits in the format `{name}`");
        let error = Diagnostic::error(codes::UNKNOWN_FORMAT, span, message);
        self.report(error.note(format!("the maximum is {MAX_DIGITS} digits")));
        None
    }

    /// A value as a string in a format; `width` and `precision` are present if the format takes them as arguments.
    pub(crate) fn formatted(
        &mut self,
        value: NodeId,
        format: &Format,
        width: Option<NodeId>,
        precision: Option<NodeId>,
    ) -> NodeId {
        let span = self.graph.span_of(value);
        let text = match (format.conversion, precision) {
            (Conversion::Digits(function), Some(precision)) => {
                let value =
                    self.primitive_call(Primitive::Convert, vec![value], Ty::simple(TypeConstructor::Float64), span);
                self.library_call(function, vec![precision, value], span)
            }
            (Conversion::Text(text), _) => self.text(value, text),
            (Conversion::Grouped(digits), _) => {
                let text = self.text(value, TextFormat::Fixed { digits });
                self.library_call(LibraryFunction::TextGrouped, vec![text], span)
            }
            (Conversion::Percent(digits), _) => {
                let text = self.text(value, TextFormat::Fixed { digits: digits + 2 });
                self.library_call(LibraryFunction::TextPercent, vec![text], span)
            }
            (Conversion::Pattern(pattern), _) => self.patterned(value, pattern),
            (Conversion::Digits(_), None) => internal::bug("check", span, "missing precision"),
        };
        let width = match (format.width, width) {
            (_, Some(width)) => width,
            (Size::Fixed(width), None) => self.int_node(width.into(), span),
            (Size::None, None) if format.sign.is_some() => self.int_node(0, span),
            (Size::None | Size::Argument, None) => return text,
        };
        let (function, side) = format.side.function();
        let side = self.int_node(side, span);
        let sign = self.int_node(format.sign.map_or(0, |sign| i128::from(u32::from(sign))), span);
        self.library_call(function, vec![side, sign, width, text], span)
    }

    /// A number as a string in a pattern. A float is printed with fifteen digits, as in .NET.
    fn patterned(&mut self, value: NodeId, pattern: Pattern) -> NodeId {
        let (ty, span) = (self.graph.type_of(value), self.graph.span_of(value));
        let is_float = matches!(
            self.inference.shallow(&ty),
            Ty::Constructor(TypeConstructor::Float32 | TypeConstructor::Float64, _)
        );
        let format = match is_float {
            true => TextFormat::Exponent { digits: 14, upper: false },
            false => TextFormat::General,
        };
        let text = self.text(value, format);
        let Pattern { least_whole, least_fraction, most_fraction, grouped, percent } = pattern;
        let mut arguments: Vec<NodeId> =
            [least_whole, least_fraction, most_fraction].map(|digits| self.int_node(digits.into(), span)).into();
        arguments.extend([grouped, percent].map(|flag| self.graph.bool_node(flag, span)));
        arguments.push(text);
        self.library_call(LibraryFunction::TextPatterned, arguments, span)
    }

    /// A value as a string; a string stays as it is.
    fn text(&mut self, node: NodeId, format: TextFormat) -> NodeId {
        let ty = self.graph.type_of(node);
        if format == TextFormat::General
            && matches!(self.inference.shallow(&ty), Ty::Constructor(TypeConstructor::String, _))
        {
            return node;
        }
        let span = self.graph.span_of(node);
        self.primitive_call(Primitive::Text(format), vec![node], Ty::string(), span)
    }
}

impl Format {
    /// The format of `string`.
    pub(crate) fn general(name: Symbol, span: Span) -> Format {
        Format {
            name,
            span,
            wanted: Wanted::Anything,
            conversion: Conversion::Text(TextFormat::General),
            side: Side::Right,
            sign: None,
            width: Size::None,
            precision: Size::None,
        }
    }

    /// Adds the width after a comma, which is negative for left alignment.
    pub(crate) fn aligned(self, width: i32) -> Format {
        let side = if width < 0 { Side::Left } else { Side::Right };
        Format { side, width: Size::Fixed(width.unsigned_abs()), ..self }
    }
}

/// A number, `*`, or nothing.
fn size(text: &[Placed], at: &mut usize) -> Size {
    if let Some(('*', _)) = text.get(*at) {
        *at += 1;
        return Size::Argument;
    }
    let mut value: Option<u32> = None;
    while let Some(digit) = text.get(*at).and_then(|(c, _)| c.to_digit(10)) {
        value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        *at += 1;
    }
    value.map_or(Size::None, Size::Fixed)
}
