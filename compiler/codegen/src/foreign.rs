//! The FFI boundary: calls of foreign functions, functions exported to other languages, and plain data in memory.
//!
//! In: Core's types, which the checker has found to be plain. Out: calls and definitions by the C calling convention of
//! the target, as [`classify`] says. A struct crosses the boundary through a buffer in the frame: Clef's values are
//! stored there in the layout of C ([`shape`], [`plain`]), and read again as the machine values that the convention
//! requires.

pub(crate) mod classify;
mod plain;
pub(crate) mod shape;

use crate::{abi::machine_type, function::FunctionEmitter, module::Shared};
use classify::{Interface, Passed, Piece, Returned, Rules, Unit};
use clef_base::{Symbol, internal::bug};
use clef_core::{Atom, Function};
use clef_mlir::{Build, Extension, Function as MlirFunction, Passing, Signature, Tail, Type as MlirType, Value};
use clef_types::Type;
use shape::{Scalar, Shape};

/// A function that is exported to, or imported from, another language.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    rules: Rules,
    pub(crate) pointer_bytes: u64,
    pub(crate) parameters: Vec<Shape>,
    pub(crate) result: Shape,
    pub(crate) interface: Interface,
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
pub(crate) fn pieces_type<'m>(build: &Build<'m>, pieces: &[Piece]) -> MlirType<'m> {
    let types: Vec<MlirType<'m>> = pieces.iter().map(|piece| piece_type(build, *piece)).collect();
    match types.as_slice() {
        [only] => *only,
        several => build.record(several),
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Calls a foreign function; the result has a type of Clef.
    pub(crate) fn foreign_call(&mut self, symbol: Symbol, arguments: &[Atom], result: Type) -> Option<Value<'m>> {
        let shapes = arguments.iter().map(|argument| self.locals.shape(argument)).collect();
        let foreign = Foreign::new(self.code.shared, shapes, self.code.shape(result));
        let signature = foreign.signature(&self.code.emit);
        let extent = foreign.result.extent(foreign.pointer_bytes);
        let through = (foreign.interface.result == Returned::Through).then(|| self.code.struct_buffer(extent.size.0));
        let mut given: Vec<Value<'m>> = through.into_iter().collect();
        for ((argument, passed), shape) in arguments.iter().zip(&foreign.interface.parameters).zip(&foreign.parameters)
        {
            let Some(value) = self.atom(argument) else { continue };
            let repr = self.locals.repr(argument);
            match passed {
                Passed::Nothing => {}
                Passed::Scalar(_) => given.push(value),
                Passed::Pieces(pieces) => {
                    let buffer = self.code.spill(value, &repr, shape);
                    let pieces = pieces.iter().map(|piece| self.code.load_piece(buffer, *piece));
                    given.extend(pieces.collect::<Vec<_>>());
                }
                Passed::Address | Passed::Copied(_) => given.push(self.code.spill(value, &repr, shape)),
            }
        }
        let declaration = MlirFunction::new(symbol.as_str(), signature.clone()).external();
        self.code.emit.declare_function(&declaration);
        let returned = self.code.emit.call(symbol.as_str(), &signature, &given, Tail::No);
        match (&foreign.interface.result, returned) {
            (Returned::Scalar(_), value) => value,
            (Returned::Nothing, _) => self.code.load_plain(None, result),
            (Returned::Through, _) => self.code.load_plain(through, result),
            (Returned::Pieces(pieces), Some(value)) => {
                let buffer = self.code.struct_buffer(extent.size.0);
                self.code.store_pieces(value, pieces, buffer);
                self.code.load_plain(Some(buffer), result)
            }
            (Returned::Pieces(_), None) => self.code.bug("a foreign call has no result"),
        }
    }
}
