//! Plain data in memory, and the machine values that it is passed as.
//!
//! In: values of plain types, and their [`Shape`]s. Out: loads and stores in the layout of C.

use super::{classify::Piece, piece_type, scalar_type, shape::Shape};
use crate::{code::Code, layout::Repr, memory::Sharing};
use clef_mlir::{Memory, Value};
use clef_types::Type;

/// The alignment of a buffer for a struct.
const BUFFER_ALIGN: u64 = 8;

impl<'m> Code<'_, '_, 'm> {
    /// The plain value that a pointer points to.
    pub(crate) fn load_plain(&mut self, address: Option<Value<'m>>, ty: Type) -> Option<Value<'m>> {
        self.load_plain_as(address, ty, Sharing::Private)
    }

    /// The same of memory that interrupt handlers may share.
    pub(crate) fn load_plain_as(
        &mut self,
        address: Option<Value<'m>>,
        ty: Type,
        sharing: Sharing,
    ) -> Option<Value<'m>> {
        let shape = self.shape(ty);
        let mut values = Vec::new();
        for (offset, scalar) in shape.scalars(self.pointer_bytes()) {
            let Some(address) = address else { self.bug("plain data without an address") };
            let place = self.emit.offset(address, offset as i32);
            let ty = scalar_type(&self.emit, scalar);
            let access = sharing.access(scalar.bytes(self.pointer_bytes()));
            values.push(self.emit.load(ty, place, access));
        }
        let repr = self.repr(ty);
        self.put_together(&repr, &mut values.into_iter())
    }

    /// Overwrites the plain value that a pointer points to.
    pub(crate) fn store_plain(&mut self, value: Value<'m>, repr: &Repr, shape: &Shape, address: Value<'m>) {
        self.store_plain_as(value, (repr, shape), address, Sharing::Private);
    }

    /// The same in memory that interrupt handlers may share.
    pub(crate) fn store_plain_as(
        &mut self,
        value: Value<'m>,
        (repr, shape): (&Repr, &Shape),
        address: Value<'m>,
        sharing: Sharing,
    ) {
        let mut values = Vec::new();
        self.take_apart(value, repr, &mut values);
        for ((offset, scalar), value) in shape.scalars(self.pointer_bytes()).into_iter().zip(values) {
            let place = self.emit.offset(address, offset as i32);
            let access = sharing.access(scalar.bytes(self.pointer_bytes()));
            self.emit.store(value, place, access);
        }
    }

    /// A buffer in the frame that holds a struct and the machine values it is passed as.
    pub(crate) fn struct_buffer(&mut self, size: u64) -> Value<'m> {
        self.emit.alloca_bytes(size.next_multiple_of(BUFFER_ALIGN) as u32, BUFFER_ALIGN)
    }

    /// Stores a struct to a buffer of its own.
    pub(crate) fn spill(&mut self, value: Value<'m>, repr: &Repr, shape: &Shape) -> Value<'m> {
        let buffer = self.struct_buffer(shape.extent(self.pointer_bytes()).size.0);
        self.store_plain(value, repr, shape, buffer);
        buffer
    }

    pub(crate) fn load_piece(&mut self, buffer: Value<'m>, piece: Piece) -> Value<'m> {
        let place = self.emit.offset(buffer, piece.offset as i32);
        let ty = piece_type(&self.emit, piece);
        self.emit.load(ty, place, Memory::aligned(piece.unit.bytes()))
    }

    pub(crate) fn store_piece(&mut self, value: Value<'m>, piece: Piece, buffer: Value<'m>) {
        let place = self.emit.offset(buffer, piece.offset as i32);
        self.emit.store(value, place, Memory::aligned(piece.unit.bytes()));
    }

    pub(crate) fn store_pieces(&mut self, value: Value<'m>, pieces: &[Piece], buffer: Value<'m>) {
        match pieces {
            [only] => self.store_piece(value, *only, buffer),
            several => {
                for (index, piece) in several.iter().enumerate() {
                    let ty = piece_type(&self.emit, *piece);
                    let part = self.emit.extract(value, index, ty);
                    self.store_piece(part, *piece, buffer);
                }
            }
        }
    }

    /// The shape of a type.
    pub(crate) fn shape(&self, ty: Type) -> Shape {
        Shape::of(self.shared.program, ty, self.shared.layouts.word_bits())
    }

    /// The size of an address in bytes.
    pub(crate) fn pointer_bytes(&self) -> u64 {
        self.shared.target.pointer_bits.bytes().0
    }
}
