//! Strings: interpolated strings, `+` on strings, `string`, and writing them to the console.
//!
//! A string expression is first split into parts ([`part`]), and all its values are evaluated; then each value becomes pieces
//! ([`format`]), and each piece a string. If the string is only written, its pieces are written in order, and the whole is
//! never built. This includes library functions that only write their argument ([`written`]).

mod format;
mod part;
mod written;

use super::{
    Lowering,
    body::Body,
    function::Signature,
    instance::{Key, Substitution},
};
use clef_base::{Span, Symbol, internal};
use clef_core::{AllocationKind, Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, Rhs};
use clef_psg::NodeId;
use clef_types::{IntegerType, Intrinsic, Type, TypeKind};
use la_arena::Arena;
pub(super) use part::TextPart;
use written::Template;

/// An evaluated piece of a string.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Literal text.
    Literal(Symbol),
    /// A string.
    String(Atom),
    /// The result of an intrinsic on its arguments.
    Formatted(Intrinsic, Vec<Atom>, Span),
    /// A compound value, shown by `%A`.
    Shown(Atom, Type, Span),
    /// Pieces padded to a width.
    Padded(Padding, Vec<Piece>, Span),
}

/// The padding of a string: the arguments of `Text.writePadded` before the string, each an `int`.
#[derive(Clone, Debug)]
pub(super) struct Padding {
    side: Atom,
    sign: Atom,
    width: Atom,
}

/// The destination of pieces.
#[derive(Clone, Debug)]
pub(super) enum Sink {
    /// Standard output or standard error, by the intrinsic that writes there.
    Console(Intrinsic),
    /// A target of the library module `Text`.
    Target(Atom),
}

impl Body<'_, '_> {
    /// Evaluates a string expression and builds the string.
    pub(super) fn text(&mut self, node: NodeId) -> Atom {
        let span = self.psg.nodes[node].span;
        let pieces = self.pieces(node);
        self.build(pieces, span)
    }

    /// Evaluates the values in a string expression, and returns its pieces.
    fn pieces(&mut self, node: NodeId) -> Vec<Piece> {
        let parts = self.parts(node);
        self.pieces_of(parts)
    }

    /// The pieces of parts.
    pub(super) fn pieces_of(&mut self, parts: Vec<TextPart>) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                TextPart::Literal(text) => pieces.push(Piece::Literal(text)),
                TextPart::String(text) => pieces.push(Piece::String(text)),
                TextPart::Value(format, value, span) => pieces.extend(self.formatted(format, value, span)),
                TextPart::Padded(padding, inner, span) => {
                    let inner = self.pieces_of(inner);
                    pieces.push(Piece::Padded(padding, merged(inner), span));
                }
            }
        }
        pieces
    }

    /// The string of pieces: concatenated if each is a string, otherwise written to a buffer that grows.
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

    /// Concatenates strings.
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

    /// A sink as an argument of library functions.
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
        let is_padded = padding.is_some();
        let mut types = Vec::with_capacity(arguments.len());
        for argument in &arguments {
            types.push(self.type_of(argument));
        }
        let callee = Callee::Known(self.lowering.writer((intrinsic, is_padded), &types, span));
        let mut all = vec![self.target(sink)];
        if let Some(Padding { side, sign, width }) = padding {
            all.extend([side, sign, width]);
        }
        all.extend(arguments);
        self.run(Rhs::Call(Call::new(callee, all)), span);
    }

    /// Calls a function of the library module `Text`.
    pub(super) fn text_call(&mut self, name: &str, arguments: Vec<Atom>, span: Span) -> Atom {
        self.library_call(&format!("Text.{name}"), arguments, span)
    }

    /// Calls a library function that is not generic.
    pub(super) fn library_call(&mut self, path: &str, arguments: Vec<Atom>, span: Span) -> Atom {
        let id = self.lowering.library_function(path, span);
        let result = self.lowering.core.functions[id].result;
        self.bind(Rhs::Call(Call::new(Callee::Known(id), arguments)), result, span)
    }

    /// Lowers a call that writes a string of several pieces, and returns unit.
    pub(super) fn write_pieces(&mut self, function: NodeId, arguments: &[NodeId], span: Span) -> Option<Atom> {
        let [argument] = *arguments else { return None };
        if !self.is_text(argument) {
            return None;
        }
        let written = self.written_by_call(function)?;
        let pieces = self.pieces(argument);
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
}

impl Lowering<'_> {
    /// A function of the library module `Text`.
    pub(super) fn text_function(&mut self, name: &str, span: Span) -> FunctionId {
        self.library_function(&format!("Text.{name}"), span)
    }

    /// A library function that is not generic.
    fn library_function(&mut self, path: &str, span: Span) -> FunctionId {
        let mut variables = self.psg.variables.iter();
        let found = variables.find(|(_, variable)| variable.marks.library && variable.path.as_str() == path);
        match found {
            Some((variable, _)) => self.known(variable, &Substitution::default(), &[], span),
            None => internal::bug("lower", span, format!("the library has no function `{path}`")),
        }
    }

    /// The function that writes the result of an intrinsic on arguments of these types to a target, perhaps padded.
    fn writer(&mut self, (intrinsic, padded): (Intrinsic, bool), types: &[Type], span: Span) -> FunctionId {
        let key = Key::Writer { intrinsic, padded };
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        let (int, unit) = (self.int(), self.unit());
        let native = self.types.intern(TypeKind::Integer(IntegerType::NativeInt));
        let mut locals = Arena::new();
        let mut fresh = |name: &str, ty: Type| locals.alloc(Local { name: Symbol::new(name), ty, span });
        let mut params = vec![fresh("target$", native)];
        if padded {
            params.extend(["side$", "sign$", "width$"].map(|name| fresh(name, int)));
        }
        let count = params.len();
        params.extend(types.iter().map(|ty| fresh("argument$", *ty)));
        let prefix = if padded { "writePadded" } else { "write" };
        let name = Symbol::new(&format!("{prefix}<{}>", intrinsic.name()));
        let atoms: Vec<Atom> = params.iter().copied().map(Atom::Local).collect();
        let (convention, inlining) = (Convention::Known, Inlining::Never);
        let id = self.declare(Signature {
            name,
            convention,
            params,
            leading_captures: 0,
            result: unit,
            locals,
            inlining,
            span,
        });
        self.instances.insert(key, id);
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let string = body.lowering.string();
        let text = body.intrinsic(intrinsic, atoms[count..].to_vec(), string, span);
        if padded {
            let arguments = atoms[..count].iter().cloned().chain([text]).collect();
            body.text_call("writePadded", arguments, span);
        } else {
            body.write_string(&Sink::Target(atoms[0].clone()), text, span);
        }
        body.finish(End::Yield(Atom::Unit));
        id
    }
}

/// Joins adjacent literals, and drops empty ones.
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
