//! Log calls: the literal parts of a message become a format, which stays in the ELF file, and its values are sent
//! unformatted. The formats are those of defmt (<https://defmt.ferrous-systems.com>, "Formatting parameters").
//!
//! In: a call of `Log.info` or a similar function with its string. Out: `log_begin` with the format, one intrinsic for each
//! value, and `log_end`. All values are evaluated before the frame begins, from left to right. A value that defmt has no
//! format for is formatted here, and sent as a string.

mod name;

use super::{body::Body, text::TextPart};
use clef_base::{Span, Symbol};
use clef_core::Atom;
use clef_psg::{NodeId, NodeKind};
use clef_types::{IntegerType, Intrinsic, LogLevel, TextFormat, TypeKind};

/// A message split into its format and evaluated values.
#[derive(Default)]
struct Message {
    /// The format in defmt syntax.
    format: String,
    values: Vec<Sent>,
}

/// A value of a message.
enum Sent {
    /// A number, a boolean or a character.
    Value(Atom),
    /// A string.
    String(Atom),
    /// A value that is shown by a name, which is not in the image.
    Name(Atom),
}

impl Message {
    /// Adds literal text.
    fn text(&mut self, text: &str) {
        self.format.push_str(&escaped(text));
    }

    /// Adds a value of a type, with a display hint.
    fn value(&mut self, ty: &str, hint: &str, sent: Sent) {
        let colon = if hint.is_empty() { "" } else { ":" };
        self.format.push_str(&format!("{{={ty}{colon}{hint}}}"));
        self.values.push(sent);
    }
}

impl Body<'_, '_> {
    /// Lowers a call that logs a message, and returns unit. A call of an omitted level does nothing, and its argument is not
    /// evaluated.
    pub(super) fn log(&mut self, function: NodeId, arguments: &[NodeId], span: Span) -> Option<Atom> {
        let (NodeKind::Intrinsic(intrinsic), [argument]) = (&self.psg.nodes[function].kind, arguments) else {
            return None;
        };
        let level = intrinsic.log_level()?;
        if Some(level) > self.psg.omitted_level {
            let parts = self.parts(*argument);
            let message = self.message(parts, span);
            self.send(level, message, span);
        }
        Some(Atom::Unit)
    }

    /// Logs an evaluated string: the lowering of a log function as a value.
    pub(super) fn log_string(&mut self, intrinsic: Intrinsic, arguments: Vec<Atom>, span: Span) -> Atom {
        if let Some(level) = intrinsic.log_level().filter(|level| Some(*level) > self.psg.omitted_level) {
            let message = self.message(arguments.into_iter().map(TextPart::String).collect(), span);
            self.send(level, message, span);
        }
        Atom::Unit
    }

    /// Sends a frame.
    fn send(&mut self, level: LogLevel, message: Message, span: Span) {
        let unit = self.lowering.unit();
        let begin = vec![self.integer(level as i128), Atom::String(Symbol::new(&message.format))];
        self.intrinsic(Intrinsic::LogBegin, begin, unit, span);
        for sent in message.values {
            match sent {
                Sent::Value(value) => self.intrinsic(Intrinsic::LogValue, vec![value], unit, span),
                Sent::String(text) => self.intrinsic(Intrinsic::LogString, vec![text], unit, span),
                Sent::Name(value) => self.send_name(value, span),
            };
        }
        self.intrinsic(Intrinsic::LogEnd, vec![Atom::Unit], unit, span);
    }

    /// The message of a string whose values are evaluated.
    fn message(&mut self, parts: Vec<TextPart>, span: Span) -> Message {
        let mut message = Message::default();
        for part in parts {
            match part {
                TextPart::Literal(text) => message.text(text.as_str()),
                TextPart::String(text) => message.value("str", "", Sent::String(text)),
                TextPart::Value(format, value, span) => self.message_value(format, value, span, &mut message),
                TextPart::Padded(..) => {
                    let pieces = self.pieces_of(vec![part]);
                    message.value("str", "", Sent::String(self.build(pieces, span)));
                }
            }
        }
        message
    }

    /// Adds a value in a format.
    fn message_value(&mut self, format: TextFormat, value: Atom, span: Span, message: &mut Message) {
        let ty = self.type_of(&value);
        let general = format == TextFormat::General;
        let is_enum = self.lowering.enums.contains_key(&ty);
        if let (TextFormat::General | TextFormat::Structure, Some(read_as)) = (format, self.named(ty))
            && (general || *self.kind(ty) != TypeKind::Bool)
        {
            return message.value(read_as, "", Sent::Name(value));
        }
        match self.kind(ty).clone() {
            TypeKind::Integer(integer) if !is_enum => {
                if let Some((sent, hint)) = integer_hint(format, integer) {
                    let name = defmt_integer(sent, self.lowering.facts.word_bits);
                    let value = self.converted(value, sent, span);
                    return message.value(&name, &hint, Sent::Value(value));
                }
            }
            TypeKind::Float32 if general => return message.value("f32", "", Sent::Value(value)),
            TypeKind::Float64 if general => return message.value("f64", "", Sent::Value(value)),
            TypeKind::Bool => return message.value("bool", "", Sent::Value(value)),
            TypeKind::Char if format != TextFormat::Structure => return message.value("char", "", Sent::Value(value)),
            TypeKind::Unit => return message.text("()"),
            TypeKind::Integer(_)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Declared(..)
            | TypeKind::Enum(..)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => {}
        }
        let text = self.format(format, value, span);
        message.value("str", "", Sent::String(text));
    }
}

/// Escapes text for a defmt format.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The type that an integer is sent as, and its display hint; `None` if defmt cannot show it in this format.
fn integer_hint(format: TextFormat, integer: IntegerType) -> Option<(IntegerType, String)> {
    let digits = |digits: u8, radix: &str| match digits {
        0 | 1 => radix.to_owned(),
        digits => format!("0{digits}{radix}"),
    };
    match format {
        TextFormat::General => Some((integer, String::new())),
        TextFormat::Decimal { digits: 0 | 1 } => Some((integer, String::new())),
        TextFormat::Decimal { digits: least } if !integer.is_signed() => Some((integer, digits(least, ""))),
        TextFormat::Unsigned => Some((integer.unsigned(), String::new())),
        TextFormat::Hexadecimal { digits: least, upper } => {
            Some((integer.unsigned(), digits(least, if upper { "X" } else { "x" })))
        }
        TextFormat::Binary { digits: least } => Some((integer.unsigned(), digits(least, "b"))),
        TextFormat::Octal => Some((integer.unsigned(), "o".to_owned())),
        // A sign with zeros, a type suffix, a point: defmt has no equivalent.
        TextFormat::Decimal { .. }
        | TextFormat::Structure
        | TextFormat::Fixed { .. }
        | TextFormat::Exponent { .. }
        | TextFormat::Significant { .. } => None,
    }
}

/// The defmt name of an integer type.
fn defmt_integer(integer: IntegerType, word_bits: u32) -> String {
    format!("{}{}", if integer.is_signed() { 'i' } else { 'u' }, integer.bits(word_bits))
}
