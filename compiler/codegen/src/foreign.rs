//! The FFI boundary: calls of foreign functions, functions exported to other languages, and plain data in memory.
//!
//! In: Core's types, which the checker has found to be plain. Out: calls and definitions by the C calling convention of
//! the target, as [`classify`] says. A struct crosses the boundary through a buffer in the frame: Clef's values are
//! stored there in the layout of C ([`shape`]), and read again as the machine values that the convention requires.

pub(crate) mod classify;
pub(crate) mod shape;

use crate::{abi::machine_type, function::FunctionEmitter, module::Shared};
use classify::{Interface, Passed, Piece, Returned, Rules, Unit};
use clef_base::{Symbol, internal::bug};
use clef_core::{Atom, Function, LocalId};
use clef_mlir::{
    Build, Extension, Function as MlirFunction, Memory, Passing, Signature, Tail, Type as MlirType, Value,
};
use clef_types::Type;
use shape::{Scalar, Shape};

/// The alignment of a buffer for a struct.
const ROOM_ALIGN: u64 = 8;

/// A function that is exported to, or imported from, another language.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    rules: Rules,
    pointer_bytes: u64,
    parameters: Vec<Shape>,
    result: Shape,
    interface: Interface,
}

impl Foreign {
    fn new(shared: &Shared<'_, '_>, parameters: Vec<Shape>, result: Shape) -> Foreign {
        let rules = Rules::of(shared.target);
        let interface = rules.interface(&parameters, &result);
        let pointer_bytes = shared.target.pointer_bits.bytes().0;
        Foreign { rules, pointer_bytes, parameters, result, interface }
    }

    /// How an exported function is called.
    pub(crate) fn of_exported(shared: &Shared<'_, '_>, function: &Function) -> Foreign {
        let shape = |ty| Shape::of(shared.program, ty, shared.layouts.word_bits());
        let parameters = function.params.iter().map(|param| shape(function.locals[*param].ty)).collect();
        Foreign::new(shared, parameters, shape(function.result))
    }

    /// The signature in LLVM's terms.
    pub(crate) fn signature<'m>(&self, build: &Build<'m>) -> Signature<'m> {
        let (mut parameters, mut passing) = (Vec::new(), Vec::new());
        if self.interface.result == Returned::Through {
            let extent = self.result.extent(self.pointer_bytes);
            passing.push((0, Passing::Result { size: extent.size.0, align: extent.align.0 }));
            parameters.push(build.ptr());
        }
        for (passed, shape) in self.interface.parameters.iter().zip(&self.parameters) {
            let index = parameters.len();
            match passed {
                Passed::Nothing => {}
                Passed::Scalar(scalar) => {
                    passing.extend(self.extension(*scalar).map(|extension| (index, Passing::Extended(extension))));
                    parameters.push(scalar_type(build, *scalar));
                }
                Passed::Pieces(pieces) => parameters.extend(pieces.iter().map(|piece| piece_type(build, *piece))),
                Passed::Address => parameters.push(build.ptr()),
                Passed::Copied(align) => {
                    let size = shape.extent(self.pointer_bytes).size.0;
                    passing.push((index, Passing::Copied { size, align: *align }));
                    parameters.push(build.ptr());
                }
            }
        }
        let (result, extension) = match &self.interface.result {
            Returned::Nothing | Returned::Through => (None, None),
            Returned::Scalar(scalar) => (Some(scalar_type(build, *scalar)), self.extension(*scalar)),
            Returned::Pieces(pieces) => (Some(pieces_type(build, pieces)), None),
        };
        Signature { passing, extension, ..Signature::c(parameters, result) }
    }

    /// How the convention extends a scalar to a register.
    fn extension(&self, scalar: Scalar) -> Option<Extension> {
        let extension = match scalar {
            Scalar::Truth => Extension::Zero,
            Scalar::Integer { bits: 0..=31, signed: true } => Extension::Sign,
            Scalar::Integer { bits: 0..=31, signed: false } => Extension::Zero,
            Scalar::Integer { .. } | Scalar::Float32 | Scalar::Float64 | Scalar::Pointer => return None,
        };
        self.rules.extends().then_some(extension)
    }
}

fn scalar_type<'m>(build: &Build<'m>, scalar: Scalar) -> MlirType<'m> {
    match machine_type(build, &scalar.repr()) {
        Some(ty) => ty,
        None => bug("generate", None, "a scalar without machine type"),
    }
}

fn piece_type<'m>(build: &Build<'m>, piece: Piece) -> MlirType<'m> {
    let unit = match piece.unit {
        Unit::Word32 => build.int(32),
        Unit::Word64 => build.int(64),
        Unit::Float32 => build.f32(),
        Unit::Float64 => build.f64(),
    };
    if piece.count == 1 { unit } else { build.array(unit, piece.count) }
}

/// The type of a result of one or several pieces.
fn pieces_type<'m>(build: &Build<'m>, pieces: &[Piece]) -> MlirType<'m> {
    let types: Vec<MlirType<'m>> = pieces.iter().map(|piece| piece_type(build, *piece)).collect();
    match types.as_slice() {
        [only] => *only,
        several => build.record(several),
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Calls a foreign function; the result has a type of Clef.
    pub(crate) fn foreign_call(&mut self, symbol: Symbol, arguments: &[Atom], result: Type) -> Option<Value<'m>> {
        let shapes = arguments.iter().map(|argument| self.atom_shape(argument)).collect();
        let foreign = Foreign::new(self.shared, shapes, self.shape(result));
        let signature = foreign.signature(&self.emit);
        let extent = foreign.result.extent(foreign.pointer_bytes);
        let through = (foreign.interface.result == Returned::Through).then(|| self.struct_room(extent.size.0));
        let mut given: Vec<Value<'m>> = through.into_iter().collect();
        for ((argument, passed), shape) in arguments.iter().zip(&foreign.interface.parameters).zip(&foreign.parameters)
        {
            let Some(value) = self.atom(argument) else { continue };
            let repr = self.atom_repr(argument);
            match passed {
                Passed::Nothing => {}
                Passed::Scalar(_) => given.push(value),
                Passed::Pieces(pieces) => {
                    let room = self.spill(value, &repr, shape);
                    let pieces = pieces.iter().map(|piece| self.load_piece(room, *piece));
                    given.extend(pieces.collect::<Vec<_>>());
                }
                Passed::Address | Passed::Copied(_) => given.push(self.spill(value, &repr, shape)),
            }
        }
        let declaration = MlirFunction::new(symbol.as_str(), signature.clone()).external();
        self.emit.declare_function(&declaration);
        let returned = self.emit.call(symbol.as_str(), &signature, &given, Tail::No);
        match (&foreign.interface.result, returned) {
            (Returned::Scalar(_), value) => value,
            (Returned::Nothing, _) => self.load_plain(None, result),
            (Returned::Through, _) => self.load_plain(through, result),
            (Returned::Pieces(pieces), Some(value)) => {
                let room = self.struct_room(extent.size.0);
                self.store_pieces(value, pieces, room);
                self.load_plain(Some(room), result)
            }
            (Returned::Pieces(_), None) => bug("generate", self.function.span, "a foreign call has no result"),
        }
    }

    /// Binds the parameters of an exported function to its arguments.
    pub(crate) fn exported_parameters(&mut self, foreign: &Foreign, params: &[LocalId]) {
        let mut arguments = self.emit.arguments().into_iter();
        if foreign.interface.result == Returned::Through {
            self.result_address = arguments.next();
        }
        let mut next = || match arguments.next() {
            Some(value) => value,
            None => bug("generate", None, "an exported function has too few parameters"),
        };
        for ((&param, passed), shape) in params.iter().zip(&foreign.interface.parameters).zip(&foreign.parameters) {
            let ty = self.function.locals[param].ty;
            let value = match passed {
                Passed::Nothing => None,
                Passed::Scalar(_) => Some(next()),
                Passed::Pieces(pieces) => {
                    let room = self.struct_room(shape.extent(foreign.pointer_bytes).size.0);
                    for piece in pieces {
                        self.store_piece(next(), *piece, room);
                    }
                    self.load_plain(Some(room), ty)
                }
                Passed::Address | Passed::Copied(_) => {
                    let address = next();
                    self.load_plain(Some(address), ty)
                }
            };
            self.bind(param, value);
        }
    }

    /// Returns from an exported function.
    pub(crate) fn exported_return(&mut self, foreign: &Foreign, value: Option<Value<'m>>) {
        self.restore_pending_call();
        let repr = self.repr(self.function.result);
        let result = match (&foreign.interface.result, value, self.result_address) {
            (Returned::Pieces(pieces), Some(value), _) => {
                let room = self.spill(value, &repr, &foreign.result);
                let values: Vec<Value<'m>> = pieces.iter().map(|piece| self.load_piece(room, *piece)).collect();
                match values.as_slice() {
                    [only] => Some(*only),
                    several => {
                        let ty = pieces_type(&self.emit, pieces);
                        Some(self.emit.make_record(ty, several))
                    }
                }
            }
            (Returned::Through, Some(value), Some(address)) => {
                self.store_plain(value, &repr, &foreign.result, address);
                None
            }
            (Returned::Nothing, _, _) => None,
            (_, value, _) => value,
        };
        self.emit.ret(result);
    }

    /// The plain value that a pointer points to.
    pub(crate) fn load_plain(&mut self, address: Option<Value<'m>>, ty: Type) -> Option<Value<'m>> {
        let shape = self.shape(ty);
        let mut values = Vec::new();
        for (offset, scalar) in shape.scalars(self.pointer_bytes()) {
            let Some(address) = address else { bug("generate", self.function.span, "plain data without an address") };
            let place = self.emit.offset(address, offset as i32);
            let ty = scalar_type(&self.emit, scalar);
            let access = Memory::aligned(scalar.bytes(self.pointer_bytes()));
            values.push(self.emit.load(ty, place, access));
        }
        let repr = self.repr(ty);
        self.put_together(&repr, &mut values.into_iter())
    }

    /// Overwrites the plain value that a pointer points to.
    pub(crate) fn store_plain(
        &mut self,
        value: Value<'m>,
        repr: &crate::layout::Repr,
        shape: &Shape,
        address: Value<'m>,
    ) {
        let mut values = Vec::new();
        self.take_apart(value, repr, &mut values);
        for ((offset, scalar), value) in shape.scalars(self.pointer_bytes()).into_iter().zip(values) {
            let place = self.emit.offset(address, offset as i32);
            let access = Memory::aligned(scalar.bytes(self.pointer_bytes()));
            self.emit.store(value, place, access);
        }
    }

    /// A buffer in the frame that holds a struct and the machine values it is passed as.
    fn struct_room(&mut self, size: u64) -> Value<'m> {
        self.emit.alloca_bytes(size.next_multiple_of(ROOM_ALIGN) as u32, ROOM_ALIGN)
    }

    /// Stores a struct to a buffer of its own.
    fn spill(&mut self, value: Value<'m>, repr: &crate::layout::Repr, shape: &Shape) -> Value<'m> {
        let room = self.struct_room(shape.extent(self.pointer_bytes()).size.0);
        self.store_plain(value, repr, shape, room);
        room
    }

    fn load_piece(&mut self, room: Value<'m>, piece: Piece) -> Value<'m> {
        let place = self.emit.offset(room, piece.offset as i32);
        let ty = piece_type(&self.emit, piece);
        self.emit.load(ty, place, Memory::aligned(piece.unit.bytes()))
    }

    fn store_piece(&mut self, value: Value<'m>, piece: Piece, room: Value<'m>) {
        let place = self.emit.offset(room, piece.offset as i32);
        self.emit.store(value, place, Memory::aligned(piece.unit.bytes()));
    }

    fn store_pieces(&mut self, value: Value<'m>, pieces: &[Piece], room: Value<'m>) {
        match pieces {
            [only] => self.store_piece(value, *only, room),
            several => {
                for (index, piece) in several.iter().enumerate() {
                    let ty = piece_type(&self.emit, *piece);
                    let part = self.emit.extract(value, index, ty);
                    self.store_piece(part, *piece, room);
                }
            }
        }
    }

    /// The shape of a type.
    pub(crate) fn shape(&self, ty: Type) -> Shape {
        Shape::of(self.shared.program, ty, self.shared.layouts.word_bits())
    }

    /// The shape of an operand.
    pub(crate) fn atom_shape(&self, atom: &Atom) -> Shape {
        match atom {
            Atom::Unit => Shape::Nothing,
            Atom::Bool(_) => Shape::Scalar(Scalar::Truth),
            Atom::Char(_) => Shape::Scalar(Scalar::Integer { bits: 32, signed: false }),
            Atom::ProgramRegion => Shape::Scalar(Scalar::Pointer),
            Atom::Local(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Function(..) | Atom::String(_) => {
                self.shape(self.atom_type(atom))
            }
        }
    }

    /// The size of an address in bytes.
    pub(crate) fn pointer_bytes(&self) -> u64 {
        self.shared.target.pointer_bits.bytes().0
    }
}
