//! Primitive operations on numbers, booleans and characters.

use crate::{code::Code, function::FunctionEmitter};
use clef_base::{Span, internal::bug};
use clef_core::Atom;
use clef_descriptors::{FloatAbi, LinkerEmulation};
use clef_mlir::{FloatPredicate, IntPredicate, Value};
use clef_types::{IntegerType, Primitive, Type, TypeKind};

/// How the operands of an operation are represented.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    Signed,
    Unsigned,
    Float,
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Performs a primitive whose result has type `ty`.
    pub(crate) fn primitive(
        &mut self,
        primitive: Primitive,
        arguments: &[Atom],
        ty: Type,
        span: Span,
    ) -> Option<Value<'m>> {
        use Primitive::*;
        let result = match primitive {
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {
                self.comparison(primitive, &arguments[0], &arguments[1])
            }
            Compare => self.compare(&arguments[0], &arguments[1]),
            Convert => return self.convert(&arguments[0], ty),
            Not => {
                let value = self.value(&arguments[0]);
                self.code.emit.not(value)
            }
            Elementary(function) => {
                let value = self.value(&arguments[0]);
                self.code.float_function(&format!("{}_", function.name()), &[value])
            }
            ArcTangent2 => {
                let (y, x) = (self.value(&arguments[0]), self.value(&arguments[1]));
                self.code.float_function("atan2_", &[y, x])
            }
            Negate | BitNot | Absolute | Sign | SquareRoot | Floor | Ceiling | Truncate | Round => {
                let operands = self.operands(&arguments[0]);
                let value = self.value(&arguments[0]);
                self.code.unary(primitive, operands, value)
            }
            ShiftLeft | ShiftRight => self.shift(primitive, &arguments[0], &arguments[1]),
            Divide | Remainder if self.operands(&arguments[0]) != Operands::Float => {
                self.divide(primitive, &arguments[0], &arguments[1])
            }
            Add | Subtract | Multiply | Divide | Remainder | Power | BitAnd | BitOr | BitXor | Minimum | Maximum => {
                let operands = self.operands(&arguments[0]);
                let (left, right) = (self.value(&arguments[0]), self.value(&arguments[1]));
                match operands {
                    Operands::Float => self.code.float_binary(primitive, left, right),
                    Operands::Signed | Operands::Unsigned => self.code.integer_binary(primitive, operands, left, right),
                }
            }
            AddOverflows | SubtractOverflows | MultiplyOverflows => {
                self.overflows(primitive, &arguments[0], &arguments[1])
            }
            MakeReference | ReadReference | WriteReference | Text(_) | Hash | AddChecked | SubtractChecked
            | MultiplyChecked | NegateChecked | ConvertChecked => {
                bug("generate", span, "a primitive that should have been lowered reached code generation")
            }
        };
        Some(result)
    }

    /// Whether the result of an integer operation does not fit its type.
    fn overflows(&mut self, primitive: Primitive, left: &Atom, right: &Atom) -> Value<'m> {
        let sign = if self.operands(left) == Operands::Signed { 's' } else { 'u' };
        let name = match primitive {
            Primitive::AddOverflows => "add",
            Primitive::SubtractOverflows => "sub",
            _ => "mul",
        };
        let (left, right) = (self.value(left), self.value(right));
        let truth = self.code.emit.bool();
        let both = self.code.emit.record(&[left.ty(), truth]);
        let pair = self.code.emit.intrinsic_value(&format!("llvm.{sign}{name}.with.overflow"), both, &[left, right]);
        self.code.emit.extract(pair, 1, truth)
    }

    /// The nearest value of the type to the result of an operation of LLVM on integers.
    pub(crate) fn saturating(&mut self, name: &str, left: &Atom, right: &Atom) -> Value<'m> {
        let sign = if self.operands(left) == Operands::Signed { 's' } else { 'u' };
        let (left, right) = (self.value(left), self.value(right));
        self.code.emit.intrinsic_value(&format!("llvm.{sign}{name}.sat"), left.ty(), &[left, right])
    }

    /// How an operand's type is represented.
    pub(crate) fn operands(&self, operand: &Atom) -> Operands {
        match self.locals.kind(operand) {
            TypeKind::Float32 | TypeKind::Float64 => Operands::Float,
            TypeKind::Integer(integer) if integer.is_signed() => Operands::Signed,
            TypeKind::Integer(_) | TypeKind::Bool | TypeKind::Char | TypeKind::NativePointer(_) => Operands::Unsigned,
            _ => self.code.bug("an operand of a primitive is not a primitive value"),
        }
    }

    /// A shift by an amount of type `int`, taken modulo the width.
    fn shift(&mut self, primitive: Primitive, value: &Atom, amount: &Atom) -> Value<'m> {
        let Some(integer) = self.locals.integer(value) else { self.code.bug("the shifted value is not an integer") };
        let word_bits = self.code.shared.layouts.word_bits();
        let bits = integer.bits(word_bits);
        let (value, amount) = (self.value(value), self.value(amount));
        let amount = match bits.cmp(&word_bits) {
            std::cmp::Ordering::Less => self.code.emit.trunc(amount, value.ty()),
            std::cmp::Ordering::Equal => amount,
            std::cmp::Ordering::Greater => self.code.emit.zext(amount, value.ty()),
        };
        let mask = self.code.emit.iconst(value.ty(), i64::from(bits - 1));
        let amount = self.code.emit.and(amount, mask);
        match (primitive, integer.is_signed()) {
            (Primitive::ShiftLeft, _) => self.code.emit.shl(value, amount),
            (_, true) => self.code.emit.ashr(value, amount),
            (_, false) => self.code.emit.lshr(value, amount),
        }
    }

    /// A division whose divisor is known not to be zero. The smallest integer divided by -1 wraps; where the processor
    /// or LLVM would not do so, the divisor is replaced.
    fn divide(&mut self, primitive: Primitive, left: &Atom, right: &Atom) -> Value<'m> {
        let quotient = primitive == Primitive::Divide;
        let unsigned = self.locals.integer(left).is_some_and(|integer: IntegerType| !integer.is_signed());
        let safe = matches!(right, Atom::Integer(value, _) if *value != -1);
        let (dividend, divisor) = (self.value(left), self.value(right));
        let emit = &mut self.code.emit;
        if unsigned {
            return if quotient { emit.udiv(dividend, divisor) } else { emit.urem(dividend, divisor) };
        }
        if safe {
            return if quotient { emit.sdiv(dividend, divisor) } else { emit.srem(dividend, divisor) };
        }
        let (minus_one, one) = (emit.iconst(divisor.ty(), -1), emit.iconst(divisor.ty(), 1));
        let negates = emit.icmp(IntPredicate::Eq, divisor, minus_one);
        let divisor = emit.select(negates, one, divisor);
        if quotient {
            let (negated, divided) = (emit.neg(dividend), emit.sdiv(dividend, divisor));
            emit.select(negates, negated, divided)
        } else {
            emit.srem(dividend, divisor)
        }
    }
}

impl<'m> Code<'_, '_, 'm> {
    fn integer_binary(
        &mut self,
        primitive: Primitive,
        operands: Operands,
        left: Value<'m>,
        right: Value<'m>,
    ) -> Value<'m> {
        use Primitive::*;
        let emit = &mut self.emit;
        match primitive {
            Add => emit.add(left, right),
            Subtract => emit.sub(left, right),
            Multiply => emit.mul(left, right),
            BitAnd => emit.and(left, right),
            BitOr => emit.or(left, right),
            BitXor => emit.xor(left, right),
            Minimum | Maximum => {
                let less = match operands {
                    Operands::Signed => emit.icmp(IntPredicate::Slt, left, right),
                    Operands::Unsigned | Operands::Float => emit.icmp(IntPredicate::Ult, left, right),
                };
                if primitive == Minimum { emit.select(less, left, right) } else { emit.select(less, right, left) }
            }
            _ => self.bug(format!("{primitive:?} is not defined on integers")),
        }
    }

    fn float_binary(&mut self, primitive: Primitive, left: Value<'m>, right: Value<'m>) -> Value<'m> {
        use Primitive::*;
        match primitive {
            Add => self.emit.fadd(left, right),
            Subtract => self.emit.fsub(left, right),
            Multiply => self.emit.fmul(left, right),
            Divide => self.emit.fdiv(left, right),
            Remainder => self.float_function("remainder", &[left, right]),
            Power => self.float_function("power", &[left, right]),
            Minimum | Maximum => self.float_extreme(primitive, left, right),
            _ => self.bug(format!("{primitive:?} is not defined on floats")),
        }
    }

    /// `min` and `max`: NaN wins, and negative zero is less than positive zero.
    fn float_extreme(&mut self, primitive: Primitive, left: Value<'m>, right: Value<'m>) -> Value<'m> {
        let bits = self.emit.int(self.float_bits(left));
        let emit = &mut self.emit;
        let less = emit.fcmp(FloatPredicate::Olt, left, right);
        let greater = emit.fcmp(FloatPredicate::Ogt, left, right);
        let (pattern, zero) = (emit.bitcast(left, bits), emit.iconst(bits, 0));
        let negative = emit.icmp(IntPredicate::Slt, pattern, zero);
        let minimum = primitive == Primitive::Minimum;
        let among_equal = if minimum { emit.select(negative, left, right) } else { emit.select(negative, right, left) };
        let (if_less, if_greater) = if minimum { (left, right) } else { (right, left) };
        let among_unequal = emit.select(greater, if_greater, among_equal);
        let ordered = emit.select(less, if_less, among_unequal);
        let right_is_nan = emit.fcmp(FloatPredicate::Uno, right, right);
        let left_is_nan = emit.fcmp(FloatPredicate::Uno, left, left);
        let not_right = emit.select(right_is_nan, right, ordered);
        emit.select(left_is_nan, left, not_right)
    }

    fn float_bits(&self, value: Value<'m>) -> u32 {
        if value.ty() == self.emit.f32() { 32 } else { 64 }
    }

    /// An operation that only some targets have an instruction for.
    fn float_function(&mut self, name: &str, arguments: &[Value<'m>]) -> Value<'m> {
        let symbol = format!("clef_math_{name}{}", self.float_bits(arguments[0]));
        self.runtime(&symbol, arguments[0].ty(), arguments)
    }

    /// An operation that rounds or takes a root; uses an instruction where there is one.
    fn float_unary(&mut self, name: &str, intrinsic: &str, in_hardware: bool, value: Value<'m>) -> Value<'m> {
        if in_hardware {
            self.emit.intrinsic_value(intrinsic, value.ty(), &[value])
        } else {
            self.float_function(name, &[value])
        }
    }

    fn unary(&mut self, primitive: Primitive, operands: Operands, value: Value<'m>) -> Value<'m> {
        use Primitive::*;
        let float = operands == Operands::Float;
        let target = self.shared.target;
        let arm64 = target.linker == LinkerEmulation::Aarch64elf;
        let has_root = match target.linker {
            LinkerEmulation::Aarch64elf | LinkerEmulation::ElfX86_64 => true,
            LinkerEmulation::Armelf => target.float_abi == FloatAbi::Hard && value.ty() == self.emit.f32(),
        };
        match primitive {
            Negate if float => self.emit.fneg(value),
            Negate => self.emit.neg(value),
            BitNot => self.emit.not(value),
            Absolute if float => self.emit.intrinsic_value("llvm.fabs", value.ty(), &[value]),
            Absolute if operands == Operands::Unsigned => value,
            Absolute => {
                let zero = self.emit.zero(value.ty());
                let negative = self.emit.icmp(IntPredicate::Slt, value, zero);
                let negated = self.emit.neg(value);
                self.emit.select(negative, negated, value)
            }
            Sign => {
                let zero = self.emit.zero(value.ty());
                self.three_way(operands, value, zero)
            }
            SquareRoot => self.float_unary("sqrt", "llvm.sqrt", has_root, value),
            Floor => self.float_unary("floor", "llvm.floor", arm64, value),
            Ceiling => self.float_unary("ceil", "llvm.ceil", arm64, value),
            Truncate => self.float_unary("trunc", "llvm.trunc", arm64, value),
            Round => self.float_unary("round", "llvm.roundeven", arm64, value),
            _ => self.bug(format!("{primitive:?} takes more than one operand")),
        }
    }
}
