//! Text: interpolated strings, `+` on strings, `string`, and writing them to the console.
//!
//! A text is first taken apart into pieces, of which all values are evaluated; then each piece becomes a string. Where the
//! text is only written, its pieces are written one after another, and the whole is never built. That holds through
//! functions of the library that do nothing but write their argument, such as `Console.writeln`.

use super::{
    Lowering,
    body::Body,
    function::Signature,
    instance::{Key, Substitution},
};
use crate::{
    core::{AllocationKind, Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, Rhs},
    intrinsic::Intrinsic,
    primitive::{Primitive, TextFormat},
    psg::{Literal, NodeId, NodeKind, Part, VariableId},
    types::{IntegerType, Type, TypeKind},
};
use clef_base::{Span, Symbol, internal};
use la_arena::Arena;

/// A piece of a text, evaluated.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Literal text.
    Literal(Symbol),
    /// A string.
    String(Atom),
    /// What an intrinsic makes of its arguments.
    Formatted(Intrinsic, Vec<Atom>, Span),
    /// A compound value, as `%A` shows it.
    Shown(Atom, Type, Span),
    /// Pieces filled up to a width.
    Padded(Padding, Vec<Piece>, Span),
}

/// How a text is filled up: what `Text.writePadded` takes before the text, each an `int`.
#[derive(Clone, Debug)]
pub(super) struct Padding {
    side: Atom,
    sign: Atom,
    width: Atom,
}

/// Where pieces are written to.
#[derive(Clone, Debug)]
pub(super) enum Sink {
    /// Standard output or standard error, by the intrinsic that writes there.
    Console(Intrinsic),
    /// A target of the library's module `Text`.
    Target(Atom),
}

/// The function that writes what a formatting intrinsic makes, perhaps filled up, to a target: one for each intrinsic, so
/// that its buffer lies in a frame of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Writer {
    intrinsic: Intrinsic,
    padded: bool,
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
            let operator = &self.psg.nodes[*function].kind;
            let formatted = matches!(operator, NodeKind::Primitive(Primitive::Text(_))) && arguments.len() == 1;
            let added = matches!(operator, NodeKind::Primitive(Primitive::Add | Primitive::AddChecked));
            let joined = added && arguments.len() == 2 && self.is_string(self.psg.nodes[node].ty);
            return formatted || joined || self.pads(*function) && arguments.len() == 4;
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
        self.build(pieces, span)
    }

    /// The string of pieces: joined where each is a string, otherwise written to a string that grows.
    pub(super) fn build(&mut self, pieces: Vec<Piece>, span: Span) -> Atom {
        let pieces = merged(pieces);
        let joins = |piece: &Piece| match piece {
            Piece::Literal(_) | Piece::String(_) | Piece::Formatted(..) => true,
            Piece::Shown(..) | Piece::Padded(..) => false,
        };
        if pieces.iter().all(joins) {
            let atoms = pieces.into_iter().map(|piece| self.piece(piece)).collect();
            return self.concatenate(atoms, span);
        }
        let (native, string) = (self.native(), self.lowering.string());
        let target = self.intrinsic(Intrinsic::TextBegin, vec![Atom::Unit], native, span);
        let sink = Sink::Target(target.clone());
        pieces.into_iter().for_each(|piece| self.write(&sink, piece, span));
        self.intrinsic(Intrinsic::TextEnd, vec![target], string, span)
    }

    /// The type of targets.
    pub(super) fn native(&mut self) -> Type {
        self.lowering.types.intern(TypeKind::Integer(IntegerType::NativeInt))
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
    pub(super) fn pieces(&mut self, node: NodeId, pieces: &mut Vec<Piece>) {
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
            NodeKind::Apply { function, arguments } if self.pads(*function) => {
                let [side, sign, width, text] = arguments[..] else {
                    internal::bug("lower", data.span, "a width is not applied to a text")
                };
                let [side, sign, width] = [side, sign, width].map(|node| self.value(node));
                let mut inner = Vec::new();
                self.pieces(text, &mut inner);
                pieces.push(Piece::Padded(Padding { side, sign, width }, merged(inner), data.span));
            }
            NodeKind::Apply { function, arguments } if self.is_text(node) => {
                let NodeKind::Primitive(Primitive::Text(format)) = self.psg.nodes[*function].kind else {
                    return arguments.iter().for_each(|argument| self.pieces(*argument, pieces));
                };
                let ty = self.node_type(arguments[0]);
                if *self.kind(ty) == TypeKind::String && format == TextFormat::General {
                    return self.pieces(arguments[0], pieces);
                }
                let value = self.value(arguments[0]);
                pieces.extend(self.formatted(format, value, data.span));
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
            | NodeKind::Foreign { .. }
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. } => {
                let value = self.value(node);
                pieces.push(Piece::String(value));
            }
        }
    }

    /// Whether a function is the library's that fills a text up.
    pub(super) fn pads(&self, function: NodeId) -> bool {
        let NodeKind::Variable { variable, .. } = self.psg.nodes[function].kind else { return false };
        let data = &self.psg.variables[variable];
        data.marks.library && data.path.as_str() == "Text.padded"
    }

    /// A piece as a string.
    fn piece(&mut self, piece: Piece) -> Atom {
        match piece {
            Piece::Literal(text) => Atom::String(text),
            Piece::String(atom) => atom,
            Piece::Formatted(intrinsic, arguments, span) => {
                let string = self.lowering.string();
                self.intrinsic(intrinsic, arguments, string, span)
            }
            piece @ (Piece::Shown(_, _, span) | Piece::Padded(_, _, span)) => self.build(vec![piece], span),
        }
    }

    /// Writes a piece.
    fn write(&mut self, sink: &Sink, piece: Piece, span: Span) {
        match piece {
            Piece::Literal(text) => self.write_string(sink, Atom::String(text), span),
            Piece::String(atom) => self.write_string(sink, atom, span),
            Piece::Formatted(intrinsic, arguments, span) => {
                self.write_formatted(sink, intrinsic, None, arguments, span)
            }
            Piece::Shown(value, ty, span) => {
                let target = self.target(sink);
                let column = self.integer(0);
                self.show(&target, column, value, ty, super::show::Place::Apart, span);
            }
            Piece::Padded(padding, mut pieces, span) => {
                if let [Piece::Formatted(..)] = pieces[..]
                    && let Some(Piece::Formatted(intrinsic, arguments, span)) = pieces.pop()
                {
                    return self.write_formatted(sink, intrinsic, Some(padding), arguments, span);
                }
                let text = self.build(pieces, span);
                let Padding { side, sign, width } = padding;
                let target = self.target(sink);
                self.text_call("writePadded", vec![target, side, sign, width, text], span);
            }
        }
    }

    /// A sink as functions take it.
    fn target(&mut self, sink: &Sink) -> Atom {
        let native = self.native();
        match sink {
            Sink::Console(Intrinsic::ConsoleError) => Atom::Integer(2, native),
            Sink::Console(_) => Atom::Integer(1, native),
            Sink::Target(target) => target.clone(),
        }
    }

    fn write_string(&mut self, sink: &Sink, text: Atom, span: Span) {
        if matches!(text, Atom::String(text) if text.as_str().is_empty()) {
            return;
        }
        let unit = self.lowering.unit();
        match sink {
            Sink::Console(intrinsic) => self.intrinsic(*intrinsic, vec![text], unit, span),
            Sink::Target(target) => self.intrinsic(Intrinsic::TextWrite, vec![target.clone(), text], unit, span),
        };
    }

    fn write_formatted(
        &mut self,
        sink: &Sink,
        intrinsic: Intrinsic,
        padding: Option<Padding>,
        arguments: Vec<Atom>,
        span: Span,
    ) {
        let writer = Writer { intrinsic, padded: padding.is_some() };
        let mut types = Vec::with_capacity(arguments.len());
        for argument in &arguments {
            types.push(self.type_of(argument));
        }
        let callee = Callee::Known(self.lowering.writer(writer, &types, span));
        let mut all = vec![self.target(sink)];
        if let Some(Padding { side, sign, width }) = padding {
            all.extend([side, sign, width]);
        }
        all.extend(arguments);
        self.run(Rhs::Call(Call::new(callee, all)), span);
    }

    /// Calls a function of the library's module `Text`.
    pub(super) fn text_call(&mut self, name: &str, arguments: Vec<Atom>, span: Span) -> Atom {
        let id = self.lowering.text_function(name, span);
        let result = self.lowering.functions[id].result;
        self.bind(Rhs::Call(Call::new(Callee::Known(id), arguments)), result, span)
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
        for (target, pieces) in pending {
            let sink = Sink::Console(target);
            merged(pieces).into_iter().for_each(|piece| self.write(&sink, piece, span));
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
        let pieces = self.formatted(format, value, span);
        self.build(pieces, span)
    }

    /// The pieces of a value's text.
    pub(super) fn formatted(&mut self, format: TextFormat, value: Atom, span: Span) -> Vec<Piece> {
        let ty = self.type_of(&value);
        if let (Some(&id), TextFormat::General | TextFormat::Structure) = (self.lowering.enums.get(&ty), format) {
            return vec![Piece::String(self.enum_name(id, value, ty, span))];
        }
        match (self.kind(ty).clone(), format) {
            (TypeKind::String, TextFormat::Structure) => {
                let quote = Piece::Literal(Symbol::new("\""));
                vec![quote.clone(), Piece::String(value), quote]
            }
            (TypeKind::String, _) => vec![Piece::String(value)],
            (TypeKind::Unit, _) => vec![Piece::Literal(Symbol::new("()"))],
            (TypeKind::Bool, TextFormat::General) => vec![Piece::String(self.truth(value, ["True", "False"], span))],
            (TypeKind::Bool, _) => vec![Piece::String(self.truth(value, ["true", "false"], span))],
            (TypeKind::Char | TypeKind::Float32 | TypeKind::Float64, TextFormat::Structure) => {
                vec![Piece::Shown(value, ty, span)]
            }
            (TypeKind::Char, _) => vec![Piece::Formatted(Intrinsic::FormatChar, vec![value], span)],
            (TypeKind::Integer(integer), _) => self.formatted_integer(format, value, integer, span),
            (TypeKind::Float32 | TypeKind::Float64, _) => self.formatted_float(format, value, ty, span),
            (
                TypeKind::Function(..)
                | TypeKind::Tuple(_)
                | TypeKind::Reference(_)
                | TypeKind::Array(_)
                | TypeKind::NativePointer(_)
                | TypeKind::Declared(..),
                _,
            ) => vec![Piece::Shown(value, ty, span)],
            (TypeKind::Enum(..) | TypeKind::Parameter(_) | TypeKind::Slot(_) | TypeKind::Region, _) => {
                let name = self.lowering.type_name(ty);
                internal::bug("lower", span, format!("a value of type `{name}` has no text"))
            }
        }
    }

    /// One of two words, by whether the value is true.
    pub(super) fn truth(&mut self, value: Atom, [yes, no]: [&str; 2], span: Span) -> Atom {
        let string = self.lowering.string();
        let text = |text: &str| End::Yield(Atom::String(Symbol::new(text)));
        self.scope(string, span, |this| this.if_(value, |_| text(yes), |_| text(no)))
    }

    pub(super) fn converted(&mut self, value: Atom, to: IntegerType, span: Span) -> Atom {
        let to = self.lowering.types.intern(TypeKind::Integer(to));
        self.convert(value, to, span)
    }

    /// A number as one of another type.
    pub(super) fn convert(&mut self, value: Atom, to: Type, span: Span) -> Atom {
        if self.type_of(&value) == to {
            return value;
        }
        self.bind(Rhs::Primitive(Primitive::Convert, vec![value]), to, span)
    }

    fn formatted_integer(&mut self, format: TextFormat, value: Atom, integer: IntegerType, span: Span) -> Vec<Piece> {
        match format {
            TextFormat::General => vec![self.decimal(value, integer, 1, span)],
            TextFormat::Structure => {
                let suffix = Piece::Literal(Symbol::new(super::show::suffix(integer)));
                vec![self.decimal(value, integer, 1, span), suffix]
            }
            TextFormat::Decimal { digits } => vec![self.decimal(value, integer, digits, span)],
            TextFormat::Unsigned => {
                let unsigned = integer.unsigned();
                let value = self.converted(value, unsigned, span);
                vec![self.decimal(value, unsigned, 1, span)]
            }
            TextFormat::Hexadecimal { digits, upper } => vec![self.radix(value, integer, 16, (digits, upper), span)],
            TextFormat::Binary { digits } => vec![self.radix(value, integer, 2, (digits, false), span)],
            TextFormat::Octal => vec![self.radix(value, integer, 8, (1, false), span)],
            TextFormat::Fixed { digits } => {
                let mut pieces = vec![self.decimal(value, integer, 1, span)];
                if digits > 0 {
                    let zeros = "0".repeat(usize::from(digits).min(MOST_FIXED_DIGITS));
                    pieces.push(Piece::Literal(Symbol::new(&format!(".{zeros}"))));
                }
                pieces
            }
            TextFormat::Exponent { .. } | TextFormat::Significant { .. } => {
                let float = self.lowering.types.intern(TypeKind::Float64);
                let value = self.convert(value, float, span);
                self.formatted_float(format, value, float, span)
            }
        }
    }

    /// The intrinsic that writes an integer, and the word that it takes.
    pub(super) fn decimal_of(&self, integer: IntegerType) -> (Intrinsic, IntegerType) {
        let word_bits = self.lowering.facts.word_bits;
        match (integer.is_signed(), integer.bits(word_bits) <= word_bits) {
            (true, true) => (Intrinsic::FormatInt, IntegerType::Int),
            (true, false) => (Intrinsic::FormatInt64, IntegerType::I64),
            (false, true) => (Intrinsic::FormatUInt, IntegerType::UInt),
            (false, false) => (Intrinsic::FormatUInt64, IntegerType::U64),
        }
    }

    /// Decimal digits, on a word where the integer fits into one.
    fn decimal(&mut self, value: Atom, integer: IntegerType, digits: u8, span: Span) -> Piece {
        let (intrinsic, wide) = self.decimal_of(integer);
        let value = self.converted(value, wide, span);
        let digits = self.integer(i128::from(digits.max(1)));
        Piece::Formatted(intrinsic, vec![value, digits], span)
    }

    /// The bits of an integer in another radix.
    fn radix(
        &mut self,
        value: Atom,
        integer: IntegerType,
        radix: i128,
        (digits, upper): (u8, bool),
        span: Span,
    ) -> Piece {
        let bits = self.converted(value, integer.unsigned(), span);
        let bits = self.converted(bits, IntegerType::U64, span);
        let (radix, digits) = (self.integer(radix), self.integer(i128::from(digits.max(1))));
        Piece::Formatted(Intrinsic::FormatRadix, vec![bits, radix, digits, Atom::Bool(upper)], span)
    }

    fn formatted_float(&mut self, format: TextFormat, value: Atom, ty: Type, span: Span) -> Vec<Piece> {
        let float = self.lowering.types.intern(TypeKind::Float64);
        let (intrinsic, arguments) = match format {
            TextFormat::Fixed { digits } => {
                (Intrinsic::FormatFixed, vec![self.convert(value, float, span), self.integer(digits.into())])
            }
            TextFormat::Exponent { digits, upper } => {
                let value = self.convert(value, float, span);
                (Intrinsic::FormatExponent, vec![value, self.integer(digits.into()), Atom::Bool(upper)])
            }
            TextFormat::Significant { digits, upper } => {
                let value = self.convert(value, float, span);
                (Intrinsic::FormatSignificant, vec![value, self.integer(digits.into()), Atom::Bool(upper)])
            }
            TextFormat::General if ty == float => (Intrinsic::FormatFloat, vec![value]),
            TextFormat::General => (Intrinsic::FormatFloat32, vec![value]),
            TextFormat::Structure
            | TextFormat::Decimal { .. }
            | TextFormat::Unsigned
            | TextFormat::Hexadecimal { .. }
            | TextFormat::Binary { .. }
            | TextFormat::Octal => internal::bug("lower", span, "a float in a format that is not for floats"),
        };
        vec![Piece::Formatted(intrinsic, arguments, span)]
    }
}

impl Lowering<'_> {
    /// A function of the library's module `Text`.
    pub(super) fn text_function(&mut self, name: &str, span: Span) -> FunctionId {
        let path = format!("Text.{name}");
        let mut variables = self.psg.variables.iter();
        let found = variables.find(|(_, variable)| variable.marks.library && variable.path.as_str() == path);
        match found {
            Some((variable, _)) => self.known(variable, &Substitution::default(), &[], span),
            None => internal::bug("lower", span, format!("the library has no function `{path}`")),
        }
    }

    /// The function that writes what an intrinsic makes of arguments of these types.
    fn writer(&mut self, writer: Writer, types: &[Type], span: Span) -> FunctionId {
        let key = Key::Writer(writer);
        if let Some(&id) = self.instances.get(&key) {
            return id;
        }
        let (int, unit) = (self.int(), self.unit());
        let native = self.types.intern(TypeKind::Integer(IntegerType::NativeInt));
        let mut locals = Arena::new();
        let mut fresh = |name: &str, ty: Type| locals.alloc(Local { name: Symbol::new(name), ty, span });
        let mut params = vec![fresh("target$", native)];
        if writer.padded {
            params.extend(["side$", "sign$", "width$"].map(|name| fresh(name, int)));
        }
        let count = params.len();
        params.extend(types.iter().map(|ty| fresh("argument$", *ty)));
        let prefix = if writer.padded { "writePadded" } else { "write" };
        let name = Symbol::new(&format!("{prefix}<{}>", writer.intrinsic.name()));
        let atoms: Vec<Atom> = params.iter().copied().map(Atom::Local).collect();
        let (convention, inlining) = (Convention::Known, Inlining::Never);
        let id = self.declare(Signature { name, convention, params, lifted: 0, result: unit, locals, inlining, span });
        self.instances.insert(key, id);
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let string = body.lowering.string();
        let text = body.intrinsic(writer.intrinsic, atoms[count..].to_vec(), string, span);
        if writer.padded {
            let arguments = atoms[..count].iter().cloned().chain([text]).collect();
            body.text_call("writePadded", arguments, span);
        } else {
            body.write_string(&Sink::Target(atoms[0].clone()), text, span);
        }
        body.finish(End::Yield(Atom::Unit));
        id
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
