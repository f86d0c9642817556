//! Arithmetic, comparisons and conversions of integers and floats; constants; struct values.

use melior::ir::{
    TypeLike as _,
    attribute::{BoolAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute},
    r#type::IntegerType,
};

use super::{
    Emit, Type, Value,
    attribute::{self, named},
};

/// A comparison of integers or pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IntPredicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

/// A comparison of floats: if an operand is NaN, ordered ones are false and unordered ones true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

/// Operations on two values of one type, which is the result's.
macro_rules! binary {
    ($($(#[$doc:meta])* $method:ident = $name:literal;)*) => {
        $($(#[$doc])*
        pub fn $method(&mut self, left: Value<'m>, right: Value<'m>) -> Value<'m> {
            self.llvm($name, &[left, right], left.ty(), &[])
        })*
    };
}

/// Conversions to a given type.
macro_rules! conversion {
    ($($(#[$doc:meta])* $method:ident = $name:literal;)*) => {
        $($(#[$doc])*
        pub fn $method(&mut self, value: Value<'m>, to: Type<'m>) -> Value<'m> {
            self.llvm($name, &[value], to, &[])
        })*
    };
}

impl<'m> Emit<'m> {
    /// An integer constant; only the low bits that fit the type are used.
    pub fn iconst(&mut self, ty: Type<'m>, value: i64) -> Value<'m> {
        let value = integer_attribute(ty, value);
        self.constant(ty, value)
    }

    /// A boolean constant.
    pub fn bconst(&mut self, value: bool) -> Value<'m> {
        let value = BoolAttribute::new(self.context, value).into();
        self.constant(self.bool(), value)
    }

    /// A float constant, rounded to the type.
    pub fn fconst(&mut self, ty: Type<'m>, value: f64) -> Value<'m> {
        let value = FloatAttribute::new(self.context, ty.0, value).into();
        self.constant(ty, value)
    }

    fn constant(&mut self, ty: Type<'m>, value: melior::ir::Attribute<'m>) -> Value<'m> {
        let value = named(self.context, "value", value);
        self.llvm("llvm.mlir.constant", &[], ty, &[value])
    }

    /// The null pointer.
    pub fn null(&mut self) -> Value<'m> {
        self.llvm("llvm.mlir.zero", &[], self.ptr(), &[])
    }

    /// Zero of any type.
    pub fn zero(&mut self, ty: Type<'m>) -> Value<'m> {
        self.llvm("llvm.mlir.zero", &[], ty, &[])
    }

    /// An undefined value of a type.
    pub fn undef(&mut self, ty: Type<'m>) -> Value<'m> {
        self.llvm("llvm.mlir.undef", &[], ty, &[])
    }

    /// A value that must not be used.
    pub fn poison(&mut self, ty: Type<'m>) -> Value<'m> {
        self.llvm("llvm.mlir.poison", &[], ty, &[])
    }

    binary! {
        /// Integer addition, wrapping.
        add = "llvm.add";
        /// Integer subtraction, wrapping.
        sub = "llvm.sub";
        /// Integer multiplication, wrapping.
        mul = "llvm.mul";
        /// Signed division towards zero; undefined for zero and for overflow.
        sdiv = "llvm.sdiv";
        /// Unsigned division; undefined for zero.
        udiv = "llvm.udiv";
        /// Signed remainder with the dividend's sign; undefined for zero and for overflow.
        srem = "llvm.srem";
        /// Unsigned remainder; undefined for zero.
        urem = "llvm.urem";
        /// Bitwise and.
        and = "llvm.and";
        /// Bitwise or.
        or = "llvm.or";
        /// Bitwise exclusive or.
        xor = "llvm.xor";
        /// Shift to the left; poison from the width on.
        shl = "llvm.shl";
        /// Shift to the right, filling with zeros; poison from the width on.
        lshr = "llvm.lshr";
        /// Shift to the right, filling with the sign; poison from the width on.
        ashr = "llvm.ashr";
        /// Float addition.
        fadd = "llvm.fadd";
        /// Float subtraction.
        fsub = "llvm.fsub";
        /// Float multiplication.
        fmul = "llvm.fmul";
        /// Float division.
        fdiv = "llvm.fdiv";
        /// Float remainder with the dividend's sign.
        frem = "llvm.frem";
    }

    /// Integer negation, wrapping.
    pub fn neg(&mut self, value: Value<'m>) -> Value<'m> {
        let zero = self.iconst(value.ty(), 0);
        self.sub(zero, value)
    }

    /// Bitwise complement.
    pub fn not(&mut self, value: Value<'m>) -> Value<'m> {
        let ones = self.iconst(value.ty(), -1);
        self.xor(value, ones)
    }

    /// Float negation.
    pub fn fneg(&mut self, value: Value<'m>) -> Value<'m> {
        self.llvm("llvm.fneg", &[value], value.ty(), &[])
    }

    /// Compares integers or pointers.
    pub fn icmp(&mut self, predicate: IntPredicate, left: Value<'m>, right: Value<'m>) -> Value<'m> {
        let predicate = named(self.context, "predicate", attribute::integer(self.context, 64, predicate as i64));
        self.llvm("llvm.icmp", &[left, right], self.bool(), &[predicate])
    }

    /// Compares floats.
    pub fn fcmp(&mut self, predicate: FloatPredicate, left: Value<'m>, right: Value<'m>) -> Value<'m> {
        let predicate = named(self.context, "predicate", attribute::integer(self.context, 64, predicate as i64));
        self.llvm("llvm.fcmp", &[left, right], self.bool(), &[predicate])
    }

    /// Selects one of two values.
    pub fn select(&mut self, condition: Value<'m>, then: Value<'m>, otherwise: Value<'m>) -> Value<'m> {
        let ty = if then.ty().is_clef() { self.ptr() } else { then.ty() };
        self.llvm("llvm.select", &[condition, then, otherwise], ty, &[])
    }

    conversion! {
        /// Widens, repeating the sign.
        sext = "llvm.sext";
        /// Widens with zeros.
        zext = "llvm.zext";
        /// Keeps the low bits.
        trunc = "llvm.trunc";
        /// Widens a float.
        fpext = "llvm.fpext";
        /// Rounds a float to a narrower type.
        fptrunc = "llvm.fptrunc";
        /// The nearest float to a signed integer.
        sitofp = "llvm.sitofp";
        /// The nearest float to an unsigned integer.
        uitofp = "llvm.uitofp";
        /// The same bits as another type of the same size.
        bitcast = "llvm.bitcast";
        /// The address in a pointer.
        ptrtoint = "llvm.ptrtoint";
        /// A pointer to an address.
        inttoptr = "llvm.inttoptr";
    }

    /// Truncates a float to a signed integer; out of range yields the nearest bound, NaN yields zero.
    pub fn fptosi_sat(&mut self, value: Value<'m>, to: Type<'m>) -> Value<'m> {
        self.intrinsic_value("llvm.fptosi.sat", to, &[value])
    }

    /// Truncates a float to an unsigned integer; out of range yields the nearest bound, NaN yields zero.
    pub fn fptoui_sat(&mut self, value: Value<'m>, to: Type<'m>) -> Value<'m> {
        self.intrinsic_value("llvm.fptoui.sat", to, &[value])
    }

    /// A field of a struct value or an element of an array value. `ty` is the type of the field.
    pub fn extract(&mut self, aggregate: Value<'m>, index: usize, ty: Type<'m>) -> Value<'m> {
        let position = named(self.context, "position", position(self, index));
        self.llvm("llvm.extractvalue", &[aggregate], ty, &[position])
    }

    /// The aggregate with one field replaced.
    pub fn insert(&mut self, aggregate: Value<'m>, index: usize, value: Value<'m>) -> Value<'m> {
        let position = named(self.context, "position", position(self, index));
        self.llvm("llvm.insertvalue", &[aggregate, value], aggregate.ty(), &[position])
    }

    /// A struct value of these fields.
    pub fn make_record(&mut self, ty: Type<'m>, fields: &[Value<'m>]) -> Value<'m> {
        let empty = self.undef(ty);
        fields.iter().enumerate().fold(empty, |record, (index, &field)| self.insert(record, index, field))
    }
}

fn position<'m>(emit: &Emit<'m>, index: usize) -> DenseI64ArrayAttribute<'m> {
    DenseI64ArrayAttribute::new(emit.context, &[i64::try_from(index).unwrap_or(i64::MAX)])
}

/// An attribute of the low bits of `value`, read as signed, as MLIR wants them.
pub(super) fn integer_attribute<'m>(ty: Type<'m>, value: i64) -> melior::ir::Attribute<'m> {
    let bits = IntegerType::try_from(ty.0).map_or(64, |integer| integer.width()).clamp(1, 64);
    let unused = 64 - bits;
    debug_assert!(ty.0.is_integer());
    IntegerAttribute::new(ty.0, value << unused >> unused).into()
}
