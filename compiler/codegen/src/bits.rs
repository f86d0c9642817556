//! Operations on the bits of integers: LLVM's intrinsics.

use crate::{code::Code, function::FunctionEmitter};
use clef_core::Atom;
use clef_mlir::Value;

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// The number of one bits.
    pub(crate) fn count_ones(&mut self, value: &Atom) -> Value<'m> {
        let value = self.value(value);
        let count = self.code.emit.intrinsic_value("llvm.ctpop", value.ty(), &[value]);
        self.code.count(count)
    }

    /// The number of leading or trailing zeros, by the name of LLVM's intrinsic.
    pub(crate) fn zeros(&mut self, name: &str, value: &Atom) -> Value<'m> {
        let value = self.value(value);
        // All bits may be zero.
        let defined = self.code.emit.bconst(false);
        let count = self.code.emit.intrinsic_value(name, value.ty(), &[value, defined]);
        self.code.count(count)
    }

    /// The bits in reverse order, or the bytes.
    pub(crate) fn reversed(&mut self, name: &str, value: &Atom) -> Value<'m> {
        let value = self.value(value);
        let byte = self.code.emit.int(8);
        // Reversing the bytes of a single byte does nothing.
        if name == "llvm.bswap" && value.ty() == byte {
            return value;
        }
        self.code.emit.intrinsic_value(name, value.ty(), &[value])
    }

    /// The bits rotated, by the name of LLVM's intrinsic, which takes the distance modulo the width.
    pub(crate) fn rotated(&mut self, name: &str, value: &Atom, distance: &Atom) -> Value<'m> {
        let (value, distance) = (self.value(value), self.value(distance));
        let distance = self.code.resized(distance, value.ty());
        self.code.emit.intrinsic_value(name, value.ty(), &[value, value, distance])
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// A small count as `int`.
    fn count(&mut self, count: Value<'m>) -> Value<'m> {
        let word = self.word();
        self.resized(count, word)
    }

    /// The low bits of an integer, or the integer extended by zeros. Widths are powers of two, so a distance modulo the
    /// width is unaffected.
    fn resized(&mut self, value: Value<'m>, to: clef_mlir::Type<'m>) -> Value<'m> {
        let bits = |ty| [8, 16, 32, 64].into_iter().position(|bits| self.emit.int(bits) == ty);
        let (from, wanted) = (bits(value.ty()), bits(to));
        match from.cmp(&wanted) {
            std::cmp::Ordering::Less => self.emit.zext(value, to),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.emit.trunc(value, to),
        }
    }
}
