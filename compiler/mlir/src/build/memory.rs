//! Stack slots, loads, stores and addresses.

use melior::ir::attribute::DenseI32ArrayAttribute;

use super::{
    Emit, Type, Value,
    arithmetic::integer_attribute,
    attribute::{self, Named, named},
};

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Alignment of the address in bytes.
    pub align: u64,
    /// Neither removed, nor repeated, nor reordered with other volatile accesses.
    pub volatile: bool,
    /// The memory holds the same value whenever it can be read.
    pub invariant: bool,
}

impl Memory {
    /// An access to ordinary memory.
    pub fn aligned(align: u64) -> Self {
        Memory { align, volatile: false, invariant: false }
    }

    /// An access that is a side effect.
    pub fn volatile(align: u64) -> Self {
        Memory { align, volatile: true, invariant: false }
    }

    /// A load of memory that never changes.
    pub fn invariant(align: u64) -> Self {
        Memory { align, volatile: false, invariant: true }
    }
}

impl<'m> Emit<'m> {
    /// A stack slot for one value of a type. It belongs to the function, wherever the cursor is.
    pub fn alloca(&mut self, ty: Type<'m>, align: u64) -> Value<'m> {
        let ty = if ty.is_clef() { self.ptr() } else { ty };
        let context = self.context;
        let count = self.one();
        let alloca = self
            .op("llvm.alloca")
            .add_operands(&[count.0])
            .add_attributes(&[
                named(context, "elem_type", attribute::ty(ty.0)),
                named(context, "alignment", attribute::integer(context, 64, align.cast_signed())),
            ])
            .add_results(&[self.ptr().0]);
        self.push_behind(count, attribute::finish(alloca))
    }

    /// The constant one that is the element count of every slot: the first operation of a function that has slots.
    fn one(&mut self) -> Value<'m> {
        let word = self.int(32);
        let value = integer_attribute(word, 1);
        let first = self.first().filter(|op| op.is("llvm.mlir.constant") && op.attribute("value") == Some(value));
        first.and_then(|op| op.result()).unwrap_or_else(|| {
            let value = named(self.context, "value", value);
            let constant = self.op("llvm.mlir.constant").add_attributes(&[value]).add_results(&[word.0]);
            self.push_first(attribute::finish(constant))
        })
    }

    /// A stack slot of `size` bytes.
    pub fn alloca_bytes(&mut self, size: u32, align: u64) -> Value<'m> {
        let bytes = self.array(self.int(8), size);
        self.alloca(bytes, align)
    }

    /// Reads a value.
    pub fn load(&mut self, ty: Type<'m>, address: Value<'m>, memory: Memory) -> Value<'m> {
        let mut attributes = self.access(memory);
        if memory.invariant {
            attributes.push(named(self.context, "invariant", attribute::unit(self.context)));
        }
        self.llvm("llvm.load", &[address], ty, &attributes)
    }

    /// Writes a value.
    pub fn store(&mut self, value: Value<'m>, address: Value<'m>, memory: Memory) {
        let attributes = self.access(memory);
        self.llvm_effect("llvm.store", &[value, address], &attributes);
    }

    fn access(&self, memory: Memory) -> Vec<Named<'m>> {
        let context = self.context;
        let mut attributes = vec![
            named(context, "alignment", attribute::integer(context, 64, memory.align.cast_signed())),
            named(context, "ordering", attribute::integer(context, 64, 0)),
        ];
        if memory.volatile {
            attributes.push(named(context, "volatile_", attribute::unit(context)));
        }
        attributes
    }

    /// The address `offset` bytes after another in the same object.
    pub fn offset(&mut self, base: Value<'m>, offset: i32) -> Value<'m> {
        if offset == 0 { base } else { self.gep(self.int(8), base, &[], offset) }
    }

    /// The address a number of bytes after another in the same object; the number has the width of a pointer.
    pub fn offset_by(&mut self, base: Value<'m>, bytes: Value<'m>) -> Value<'m> {
        self.element(self.int(8), base, bytes)
    }

    /// The address of an element of an array; `index` has the width of a pointer.
    pub fn element(&mut self, element: Type<'m>, base: Value<'m>, index: Value<'m>) -> Value<'m> {
        self.gep(element, base, &[index], i32::MIN)
    }

    /// An address in the same object, which the C API cannot express: [`crate::llvm`] marks every address of the
    /// program so. `constant` is the index, or `i32::MIN` if the index is an operand.
    fn gep(&mut self, element: Type<'m>, base: Value<'m>, indices: &[Value<'m>], constant: i32) -> Value<'m> {
        let context = self.context;
        let attributes = [
            named(context, "elem_type", attribute::ty(element.0)),
            named(context, "rawConstantIndices", DenseI32ArrayAttribute::new(context, &[constant])),
        ];
        let operands: Vec<_> = std::iter::once(base).chain(indices.iter().copied()).collect();
        self.llvm("llvm.getelementptr", &operands, self.ptr(), &attributes)
    }

    /// The address of a function or a global.
    pub fn symbol(&mut self, name: &str) -> Value<'m> {
        let name = named(self.context, "global_name", attribute::symbol(self.context, name));
        self.llvm("llvm.mlir.addressof", &[], self.ptr(), &[name])
    }
}
