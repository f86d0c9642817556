//! Operations on the bits of integers: LLVM's intrinsics.

use crate::function::FunctionEmitter;
use clef_core::Atom;
use clef_mlir::Value;

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// How many bits are one.
    pub(crate) fn count_ones(&mut self, value: &Atom) -> Value<'m> {
        let value = self.value(value);
        let count = self.emit.intrinsic_value("llvm.ctpop", value.ty(), &[value]);
        self.count(count)
    }

    /// How many zeros stand before or behind all ones, by the name of LLVM's intrinsic.
    pub(crate) fn zeros(&mut self, name: &str, value: &Atom) -> Value<'m> {
        let value = self.value(value);
        // All bits may be zero.
        let defined = self.emit.bconst(false);
        let count = self.emit.intrinsic_value(name, value.ty(), &[value, defined]);
        self.count(count)
    }

    /// The bits in another order.
    pub(crate) fn reversed(&mut self, name: &str, value: &Atom) -> Value<'m> {
        let value = self.value(value);
        let byte = self.emit.int(8);
        // There is nothing to reverse in one byte.
        if name == "llvm.bswap" && value.ty() == byte {
            return value;
        }
        self.emit.intrinsic_value(name, value.ty(), &[value])
    }

    /// The bits moved around, by the name of LLVM's intrinsic, which counts modulo the width.
    pub(crate) fn rotated(&mut self, name: &str, value: &Atom, distance: &Atom) -> Value<'m> {
        let (value, distance) = (self.value(value), self.value(distance));
        let distance = self.resized(distance, value.ty());
        self.emit.intrinsic_value(name, value.ty(), &[value, value, distance])
    }

    /// A small count as `int`.
    fn count(&mut self, count: Value<'m>) -> Value<'m> {
        let word = self.word();
        self.resized(count, word)
    }

    /// The low bits of an integer, with zeros before them; widths are powers of two, so that a distance modulo one of
    /// them stays what it is.
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
