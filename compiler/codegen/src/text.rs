//! Strings: constants, concatenation, and the address and length that represent a string.

use crate::{code::Code, function::FunctionEmitter, module::Shared, symbol::Generated};
use clef_base::Symbol;
use clef_core::{AllocationId, Atom, Storage};
use clef_mlir::{Constant, Global, Type as MlirType, Value};

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Writes a string to standard output: without its length if it is a literal and the console finds its end.
    pub(crate) fn write_to_console(&mut self, string: &Atom) -> Option<Value<'m>> {
        match string {
            Atom::String(text) if self.code.shared.console_takes_terminated && !text.as_str().contains('\0') => {
                let symbol = self.code.shared.terminated_symbol(*text);
                let address = self.code.emit.symbol(&symbol);
                self.code.runtime_effect("clef_console_write_terminated", &[address]);
                None
            }
            string => self.write_string("clef_console_write", string),
        }
    }

    /// Address and length of a string.
    pub(crate) fn string_parts(&mut self, string: &Atom) -> [Value<'m>; 2] {
        let string = self.value(string);
        let (pointer, word) = (self.code.emit.ptr(), self.code.word());
        [self.code.emit.extract(string, 0, pointer), self.code.emit.extract(string, 1, word)]
    }

    /// The region that a string is made in, and the site to report when it is exhausted. Not used for a string whose
    /// storage is not a region, which has a buffer of its own.
    pub(crate) fn string_region(&mut self, allocation: AllocationId) -> [Value<'m>; 2] {
        let span = self.code.allocation(allocation).span;
        let Storage::Region(region) = self.code.storage(allocation) else {
            clef_base::internal::bug("generate", span, "a string of unbounded size is not in a region")
        };
        let region = self.region(region);
        [self.code.emit.as_pointer(region), self.code.site(span)]
    }

    /// Concatenates strings.
    pub(crate) fn concatenate(&mut self, parts: &[Atom], allocation: AllocationId) -> Value<'m> {
        let buffer = self.code.string_buffer();
        let [region, site] = self.string_region(allocation);
        let bytes = self.code.shared.layouts.word_bits() / 8;
        let table = self.code.emit.alloca_bytes(parts.len() as u32 * 2 * bytes, u64::from(bytes));
        let access = clef_mlir::Memory::aligned(u64::from(bytes));
        for (index, part) in parts.iter().enumerate() {
            let string = self.value(part);
            let entry = self.code.emit.offset(table, index as i32 * 2 * bytes as i32);
            self.code.emit.store(string, entry, access);
        }
        let count = self.code.word_constant(parts.len() as u64);
        self.code.runtime_effect("clef_string_join", &[buffer, region, table, count, site]);
        self.code.load_string(buffer)
    }
}

impl Shared<'_, '_> {
    /// The bytes of a string in flash.
    pub(crate) fn text_symbol(&self, text: Symbol) -> String {
        let symbol = Generated::Text.symbol(text.number());
        let bytes = Constant::Bytes(text.as_str().as_bytes().to_vec());
        self.build.global(&Global::constant(&symbol, bytes).align(1).mergeable());
        symbol
    }

    /// The bytes of a string in flash, and a zero after them.
    fn terminated_symbol(&self, text: Symbol) -> String {
        let symbol = Generated::TerminatedText.symbol(text.number());
        let bytes = Constant::Bytes([text.as_str().as_bytes(), &[0]].concat());
        self.build.global(&Global::constant(&symbol, bytes).align(1).mergeable());
        symbol
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// A string in flash.
    pub(crate) fn string_constant(&mut self, text: Symbol) -> Value<'m> {
        let symbol = self.shared.text_symbol(text);
        let address = self.emit.symbol(&symbol);
        let length = self.word_constant(text.as_str().len() as u64);
        self.make_string(address, length)
    }

    /// The type of a string.
    pub(crate) fn string_type(&self) -> MlirType<'m> {
        self.emit.record(&[self.emit.ptr(), self.word()])
    }

    /// A string from its address and length.
    pub(crate) fn make_string(&mut self, address: Value<'m>, length: Value<'m>) -> Value<'m> {
        let ty = self.string_type();
        self.emit.make_record(ty, &[address, length])
    }

    /// A buffer for a string that the runtime makes: the address that it writes to.
    pub(crate) fn string_buffer(&mut self) -> Value<'m> {
        let bytes = self.shared.layouts.word_bits() / 8;
        self.scratch(2 * bytes)
    }

    /// The string that the runtime wrote.
    pub(crate) fn load_string(&mut self, buffer: Value<'m>) -> Value<'m> {
        let ty = self.string_type();
        let align = u64::from(self.shared.layouts.word_bits() / 8);
        self.emit.load(ty, buffer, clef_mlir::Memory::aligned(align))
    }
}
