//! Text: interpolated strings, `+` on strings, `string`, and writing them to the console.
//!
//! A text is first taken apart into pieces, of which all values are evaluated; then each piece becomes a string. Where the
//! text is only written, its pieces are written one after another, and the whole is never built. That holds through
//! functions of the library that do nothing but write their argument, such as `Console.writeln`.

use super::body::Body;
use crate::{
    core::{AllocationKind, Atom, End, Rhs},
    intrinsic::Intrinsic,
    primitive::{Primitive, TextFormat},
    psg::{Literal, NodeId, NodeKind, Part, VariableId},
    types::{IntegerType, Type, TypeKind},
};
use clef_base::{Span, Symbol, internal};

/// A piece of a text, evaluated.
#[derive(Clone, Debug)]
enum Piece {
    /// Literal text.
    Literal(Symbol),
    /// A string.
    String(Atom),
    /// A value to be formatted.
    Formatted(TextFormat, Atom, Span),
}

/// How many functions that write their argument may call one another.
const DEEPEST_WRITER: usize = 8;

/// The most digits behind the point of an integer.
const MOST_FIXED_DIGITS: usize = 20;

/// What a function writes: in order, to where, and what.
type Written = Vec<(Intrinsic, Template)>;

/// A piece of what a function writes.
#[derive(Clone, Copy, Debug)]
enum Template {
    Literal(Symbol),
    Argument,
}

impl Body<'_, '_> {
    /// Whether an expression is a text of several pieces, or a formatted value.
    pub(super) fn is_text(&self, node: NodeId) -> bool {
        if let NodeKind::Apply { function, arguments } = &self.psg.nodes[node].kind {
            let function = &self.psg.nodes[*function].kind;
            let formatted = matches!(function, NodeKind::Primitive(Primitive::Text(_))) && arguments.len() == 1;
            let joined = matches!(function, NodeKind::Primitive(Primitive::Add)) && arguments.len() == 2;
            return formatted || joined && self.is_string(self.psg.nodes[node].ty);
        }
        matches!(self.psg.nodes[node].kind, NodeKind::Interpolate(_))
    }

    fn is_string(&self, ty: Type) -> bool {
        if let TypeKind::Parameter(parameter) = self.kind(ty) {
            return self.substitution.is_string(&self.lowering.types, *parameter);
        }
        *self.kind(ty) == TypeKind::String
    }

    /// Evaluates a text and builds it.
    pub(super) fn text(&mut self, node: NodeId) -> Atom {
        let span = self.psg.nodes[node].span;
        let mut pieces = Vec::new();
        self.pieces(node, &mut pieces);
        let atoms = merged(pieces).into_iter().map(|piece| self.piece(piece)).collect();
        self.concatenate(atoms, span)
    }

    /// Joins strings.
    pub(super) fn concatenate(&mut self, mut parts: Vec<Atom>, span: Span) -> Atom {
        parts.retain(|part| !matches!(part, Atom::String(text) if text.as_str().is_empty()));
        match parts.len() {
            0 => Atom::String(Symbol::new("")),
            1 => parts.remove(0),
            _ => {
                let string = self.lowering.string();
                let allocation = self.allocation(AllocationKind::String, span);
                self.bind(Rhs::Concatenate { parts, allocation }, string, span)
            }
        }
    }

    /// Evaluates the values in a text.
    fn pieces(&mut self, node: NodeId, pieces: &mut Vec<Piece>) {
        let data = &self.psg.nodes[node];
        match &data.kind {
            NodeKind::Interpolate(parts) => {
                for part in parts {
                    match part {
                        Part::Text(text) => pieces.push(Piece::Literal(*text)),
                        Part::Value(value) => self.pieces(*value, pieces),
                    }
                }
            }
            NodeKind::Literal(Literal::String(text)) => pieces.push(Piece::Literal(*text)),
            NodeKind::Apply { function, arguments } if self.is_text(node) => {
                let NodeKind::Primitive(Primitive::Text(format)) = self.psg.nodes[*function].kind else {
                    return arguments.iter().for_each(|argument| self.pieces(*argument, pieces));
                };
                let ty = self.node_type(arguments[0]);
                if *self.kind(ty) == TypeKind::String {
                    return self.pieces(arguments[0], pieces);
                }
                let value = self.value(arguments[0]);
                pieces.push(Piece::Formatted(format, value, data.span));
            }
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Lambda(_)
            | NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Assign { .. } => {
                let value = self.value(node);
                pieces.push(Piece::String(value));
            }
        }
    }

    fn piece(&mut self, piece: Piece) -> Atom {
        match piece {
            Piece::Literal(text) => Atom::String(text),
            Piece::String(atom) => atom,
            Piece::Formatted(format, value, span) => self.format(format, value, span),
        }
    }

    /// If a call writes a text of several pieces, writes them, and gives unit.
    pub(super) fn write_pieces(&mut self, function: NodeId, arguments: &[NodeId], span: Span) -> Option<Atom> {
        let [argument] = *arguments else { return None };
        if !self.is_text(argument) {
            return None;
        }
        let written = self.written_by(function, DEEPEST_WRITER)?;
        let mut pieces = Vec::new();
        self.pieces(argument, &mut pieces);
        let mut pending: Vec<(Intrinsic, Vec<Piece>)> = Vec::new();
        for (target, template) in written {
            let more = match template {
                Template::Literal(text) => vec![Piece::Literal(text)],
                Template::Argument => pieces.clone(),
            };
            match pending.last_mut() {
                Some((last, before)) if *last == target => before.extend(more),
                _ => pending.push((target, more)),
            }
        }
        let unit = self.lowering.unit();
        for (target, pieces) in pending {
            for piece in merged(pieces) {
                let text = self.piece(piece);
                self.intrinsic(target, vec![text], unit, span);
            }
        }
        Some(Atom::Unit)
    }

    /// What a function writes, if it does nothing but write its one argument.
    fn written_by(&self, function: NodeId, depth: usize) -> Option<Written> {
        if let NodeKind::Intrinsic(target @ (Intrinsic::ConsoleWrite | Intrinsic::ConsoleError)) =
            self.psg.nodes[function].kind
        {
            return Some(vec![(target, Template::Argument)]);
        }
        let NodeKind::Variable { variable, .. } = self.psg.nodes[function].kind else { return None };
        if !self.psg.variables[variable].marks.library {
            return None;
        }
        let binding = self.lowering.usage.functions.get(&variable)?;
        let lambda = &self.psg.lambdas[binding.lambda];
        let [param] = lambda.params[..] else { return None };
        let mut written = Vec::new();
        let depth = depth.checked_sub(1)?;
        self.written(lambda.body, param, &mut written, depth).then_some(written)
    }

    /// Adds what an expression writes; false if it does anything else.
    fn written(&self, node: NodeId, param: VariableId, written: &mut Written, depth: usize) -> bool {
        let kind = &self.psg.nodes[node].kind;
        if let NodeKind::Sequence(nodes) = kind {
            return nodes.iter().all(|node| self.written(*node, param, written, depth));
        }
        let NodeKind::Apply { function, arguments } = kind else {
            return matches!(kind, NodeKind::Literal(Literal::Unit));
        };
        let [argument] = arguments[..] else { return false };
        let Some(inner) = self.written_by(*function, depth) else { return false };
        let Some(templates) = self.template_of(argument, param) else { return false };
        for (target, template) in inner {
            match template {
                Template::Literal(_) => written.push((target, template)),
                Template::Argument => written.extend(templates.iter().map(|piece| (target, *piece))),
            }
        }
        true
    }

    /// The pieces of a text that is made of literals and a parameter only.
    fn template_of(&self, node: NodeId, param: VariableId) -> Option<Vec<Template>> {
        let kind = &self.psg.nodes[node].kind;
        if let NodeKind::Literal(Literal::String(text)) = kind {
            return Some(vec![Template::Literal(*text)]);
        }
        if let NodeKind::Variable { variable, .. } = kind {
            return (*variable == param).then(|| vec![Template::Argument]);
        }
        let NodeKind::Apply { function, arguments } = kind else { return None };
        let added = matches!(self.psg.nodes[*function].kind, NodeKind::Primitive(Primitive::Add));
        if !added || !self.is_text(node) {
            return None;
        }
        Some([self.template_of(arguments[0], param)?, self.template_of(arguments[1], param)?].concat())
    }

    /// The text of a value.
    pub(super) fn format(&mut self, format: TextFormat, value: Atom, span: Span) -> Atom {
        let ty = self.type_of(&value);
        match self.kind(ty).clone() {
            TypeKind::String => value,
            TypeKind::Unit => Atom::String(Symbol::new("()")),
            TypeKind::Bool => {
                let string = self.lowering.string();
                let text = |text: &str| End::Yield(Atom::String(Symbol::new(text)));
                self.scope(string, span, |this| this.if_(value, |_| text("true"), |_| text("false")))
            }
            TypeKind::Char => self.format_by(Intrinsic::FormatChar, vec![value], span),
            TypeKind::Integer(integer) => self.format_integer(format, value, integer, span),
            TypeKind::Float32 | TypeKind::Float64 => self.format_float(format, value, ty, span),
            TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Declared(..)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_) => {
                let name = self.lowering.type_name(ty);
                internal::bug("lower", span, format!("a value of type `{name}` has no text"))
            }
        }
    }

    fn format_by(&mut self, intrinsic: Intrinsic, arguments: Vec<Atom>, span: Span) -> Atom {
        let string = self.lowering.string();
        self.intrinsic(intrinsic, arguments, string, span)
    }

    fn converted(&mut self, value: Atom, to: IntegerType, span: Span) -> Atom {
        let to = self.lowering.types.intern(TypeKind::Integer(to));
        self.convert(value, to, span)
    }

    fn convert(&mut self, value: Atom, to: Type, span: Span) -> Atom {
        if self.type_of(&value) == to {
            return value;
        }
        self.bind(Rhs::Primitive(Primitive::Convert, vec![value]), to, span)
    }

    fn format_integer(&mut self, format: TextFormat, value: Atom, integer: IntegerType, span: Span) -> Atom {
        match format {
            TextFormat::General => self.decimal(value, integer, 1, span),
            TextFormat::Decimal { digits } => self.decimal(value, integer, digits, span),
            TextFormat::Hexadecimal { digits, upper } => self.radix(value, integer, 16, (digits, upper), span),
            TextFormat::Binary { digits } => self.radix(value, integer, 2, (digits, false), span),
            TextFormat::Octal => self.radix(value, integer, 8, (1, false), span),
            TextFormat::Fixed { digits } => {
                let whole = self.decimal(value, integer, 1, span);
                if digits == 0 {
                    return whole;
                }
                let zeros =
                    Atom::String(Symbol::new(&format!(".{}", "0".repeat(usize::from(digits).min(MOST_FIXED_DIGITS)))));
                self.concatenate(vec![whole, zeros], span)
            }
            TextFormat::Exponent { .. } => {
                let float = self.lowering.types.intern(TypeKind::Float64);
                let value = self.convert(value, float, span);
                self.format_float(format, value, float, span)
            }
        }
    }

    /// Decimal digits, on a word where the integer fits into one.
    fn decimal(&mut self, value: Atom, integer: IntegerType, digits: u8, span: Span) -> Atom {
        let word_bits = self.lowering.facts.word_bits;
        let fits = integer.bits(word_bits) <= word_bits;
        let (intrinsic, wide) = match (integer.is_signed(), fits) {
            (true, true) => (Intrinsic::FormatInt, IntegerType::Int),
            (true, false) => (Intrinsic::FormatInt64, IntegerType::I64),
            (false, true) => (Intrinsic::FormatUInt, IntegerType::UInt),
            (false, false) => (Intrinsic::FormatUInt64, IntegerType::U64),
        };
        let value = self.converted(value, wide, span);
        let digits = self.integer(i128::from(digits.max(1)));
        self.format_by(intrinsic, vec![value, digits], span)
    }

    /// The bits of an integer in another radix.
    fn radix(
        &mut self,
        value: Atom,
        integer: IntegerType,
        radix: i128,
        (digits, upper): (u8, bool),
        span: Span,
    ) -> Atom {
        use IntegerType::*;
        let unsigned = match integer {
            I8 | U8 => U8,
            I16 | U16 => U16,
            I32 | U32 => U32,
            I64 | U64 => U64,
            Int | UInt => UInt,
            NativeInt | UNativeInt => UNativeInt,
        };
        let bits = self.converted(value, unsigned, span);
        let bits = self.converted(bits, U64, span);
        let (radix, digits) = (self.integer(radix), self.integer(i128::from(digits.max(1))));
        self.format_by(Intrinsic::FormatRadix, vec![bits, radix, digits, Atom::Bool(upper)], span)
    }

    fn format_float(&mut self, format: TextFormat, value: Atom, ty: Type, span: Span) -> Atom {
        let float = self.lowering.types.intern(TypeKind::Float64);
        match format {
            TextFormat::Fixed { digits } => {
                let value = self.convert(value, float, span);
                let digits = self.integer(i128::from(digits));
                self.format_by(Intrinsic::FormatFixed, vec![value, digits], span)
            }
            TextFormat::Exponent { digits, upper } => {
                let value = self.convert(value, float, span);
                let digits = self.integer(i128::from(digits));
                self.format_by(Intrinsic::FormatExponent, vec![value, digits, Atom::Bool(upper)], span)
            }
            TextFormat::General if ty == float => self.format_by(Intrinsic::FormatFloat, vec![value], span),
            TextFormat::General => self.format_by(Intrinsic::FormatFloat32, vec![value], span),
            TextFormat::Decimal { .. }
            | TextFormat::Hexadecimal { .. }
            | TextFormat::Binary { .. }
            | TextFormat::Octal => internal::bug("lower", span, "a float in a format for integers"),
        }
    }
}

/// Joins literals that stand side by side, and drops empty ones.
fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (_, Piece::Literal(text)) if text.as_str().is_empty() => {}
            (Some(Piece::Literal(before)), Piece::Literal(text)) => {
                *before = Symbol::new(&format!("{before}{text}"));
            }
            (_, piece) => merged.push(piece),
        }
    }
    merged
}
