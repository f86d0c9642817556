//! The code of one MLIR function while it is written.
//!
//! In: machine values, and what all functions share. Out: operations at the cursor. What is done with machine values
//! alone is a method of [`Code`], in the file of its concept. Such methods know neither locals nor the function of Core,
//! so that `clef_main` and the thunks of trampolines, which are no functions of Core, are written by them too.

use crate::{abi::machine_type, layout::Repr, module::Shared};
use clef_base::{HashMap, Span, internal::bug};
use clef_mlir::{Emit, Memory, Type as MlirType, Value};
use clef_types::Type;

/// The alignment of scratch space: that of the largest machine value.
const SCRATCH_ALIGN: u64 = 8;

/// The cursor in a function, with what its operations need.
pub(crate) struct Code<'a, 'p, 'm> {
    pub(crate) shared: &'a Shared<'p, 'm>,
    pub(crate) emit: Emit<'m>,
    /// The source location of what is written now; `None` for code without one.
    location: Option<Span>,
    scratch: Scratch<'m>,
}

/// Scratch space in the frame, by its size in bytes: no use of it overlaps another.
#[derive(Default)]
struct Scratch<'m> {
    spaces: HashMap<u32, Value<'m>>,
}

impl<'m> Scratch<'m> {
    /// The space of this size, allocated when it is first wanted.
    fn space(&mut self, emit: &mut Emit<'m>, size: u32) -> Value<'m> {
        *self.spaces.entry(size).or_insert_with(|| emit.alloca_bytes(size, SCRATCH_ALIGN))
    }
}

impl<'a, 'p, 'm> Code<'a, 'p, 'm> {
    /// With the cursor at the start of a function, whose location is the one in its definition.
    pub(crate) fn new(
        shared: &'a Shared<'p, 'm>,
        emit: Emit<'m>,
        location: impl Into<Option<Span>>,
    ) -> Code<'a, 'p, 'm> {
        Code { shared, emit, location: location.into(), scratch: Scratch::default() }
    }

    /// Sets the source location of what follows.
    pub(crate) fn at(&mut self, span: Span) {
        let (file, place) = self.shared.place(span);
        self.emit.at(file, place.line as usize, place.column as usize);
        self.location = Some(span);
    }

    /// Keeps the source location, in a scope that has just begun.
    pub(crate) fn stay(&mut self) {
        if let Some(span) = self.location {
            self.at(span);
        }
    }

    /// Reports a bug of the compiler at the current source location.
    pub(crate) fn bug(&self, message: impl Into<String>) -> ! {
        bug("generate", self.location, message)
    }

    /// Scratch space in the frame, shared by all requests for this size: its content must be read at once.
    pub(crate) fn scratch(&mut self, size: u32) -> Value<'m> {
        self.scratch.space(&mut self.emit, size)
    }

    /// The representation of a type.
    pub(crate) fn repr(&self, ty: Type) -> Repr {
        self.shared.layouts.repr(ty)
    }

    /// The MLIR type of a type; `None` for `unit`.
    pub(crate) fn machine_type(&self, ty: Type) -> Option<MlirType<'m>> {
        machine_type(&self.emit, &self.repr(ty))
    }

    /// An integer of the size of a pointer.
    pub(crate) fn word(&self) -> MlirType<'m> {
        self.emit.int(self.shared.layouts.word_bits())
    }

    /// A constant of the size of a pointer.
    pub(crate) fn word_constant(&mut self, value: u64) -> Value<'m> {
        let word = self.word();
        self.emit.iconst(word, value.cast_signed())
    }

    /// Ordinary access to memory that holds a representation.
    pub(crate) fn access(&self, repr: &Repr) -> Memory {
        Memory::aligned(self.shared.layouts.extent(repr).align.0)
    }
}
