//! The primitive operations on values.

use super::{
    Interpreter, Stop, TrapKind,
    integer::{range, saturate, wrap},
    order::Order,
    text,
    value::Value,
};
use clef_base::{Span, internal::bug};
use clef_types::{Elementary, IntegerType, Primitive, Type, TypeKind};
use std::{cell::RefCell, cmp::Ordering, rc::Rc};

impl Interpreter<'_> {
    /// Performs a primitive on as many operands as it takes; `result` is the type of its result. Never inlined, so that deep
    /// nesting takes little stack.
    #[inline(never)]
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        operands: &[Value],
        result: Type,
        span: Span,
    ) -> Result<Value, Stop> {
        if let [Value::Enum(id, kind, _), ..] = operands
            && matches!(primitive, Primitive::BitAnd | Primitive::BitOr | Primitive::BitXor | Primitive::BitNot)
        {
            let integers: Vec<Value> = operands.iter().map(Value::without_name).collect();
            let bits = self.primitive(primitive, &integers, result, span)?;
            return Ok(if let Value::Integer(_, bits) = bits { Value::Enum(*id, *kind, bits) } else { bits });
        }
        match operands {
            [operand] if primitive == Primitive::NegateChecked => self.negate_checked(operand, result, span),
            [Value::Text(text)] if matches!(primitive, Primitive::Convert | Primitive::ConvertChecked) => {
                self.convert_text(text, result, span)
            }
            [operand] if primitive == Primitive::ConvertChecked => self.convert_checked(operand, result, span),
            [operand] if matches!(primitive, Primitive::Text(_) | Primitive::Hash) => {
                let seen = self.seen(operand, span)?;
                Ok(self.unary(primitive, &seen, result, span))
            }
            [operand] => Ok(self.unary(primitive, operand, result, span)),
            [left, right] => self.binary(primitive, left, right, span),
            _ => bug("interpret", span, format!("{primitive:?} on {} operands", operands.len())),
        }
    }

    fn unary(&self, primitive: Primitive, operand: &Value, result: Type, span: Span) -> Value {
        match (primitive, operand) {
            (Primitive::Not, Value::Bool(value)) => Value::Bool(!value),
            (Primitive::Convert, _) => self.convert(operand, result, span),
            (Primitive::Text(format), _) => Value::text(&text::text(self.psg, operand, format, self.facts, span)),
            (Primitive::Hash, _) => self.hash(operand, span),
            (Primitive::MakeReference, _) => Value::Reference(Rc::new(RefCell::new(operand.clone()))),
            (Primitive::ReadReference, Value::Reference(cell)) => cell.borrow().clone(),
            (_, Value::Integer(kind, value)) => self.unary_integer(primitive, *kind, *value, span),
            (Primitive::Elementary(function), Value::Float64(value)) => Value::Float64(elementary(function, *value)),
            (Primitive::Elementary(function), Value::Float32(value)) => {
                Value::Float32(elementary_single(function, *value))
            }
            (_, Value::Float64(value)) => match float_unary(primitive, *value) {
                Some(result) => Value::Float64(result),
                None => self.sign(primitive, *value, span),
            },
            (_, Value::Float32(value)) => match float_unary(primitive, f64::from(*value)) {
                // Exact in 64 bits, or, for the square root, rounded innocuously (Figueroa 1995).
                Some(result) => Value::Float32(result as f32),
                None => self.sign(primitive, f64::from(*value), span),
            },
            (_, operand) => bug("interpret", span, format!("{primitive:?} on {}", operand.describe())),
        }
    }

    fn unary_integer(&self, primitive: Primitive, kind: IntegerType, value: i128, span: Span) -> Value {
        let exact = match primitive {
            Primitive::Negate => -value,
            Primitive::BitNot => !value,
            Primitive::Absolute => value.abs(),
            Primitive::Sign => return self.int(value.signum()),
            other => bug("interpret", span, format!("{other:?} on {}", kind.name())),
        };
        Value::Integer(kind, wrap(kind, exact, self.facts))
    }

    fn sign(&self, primitive: Primitive, value: f64, span: Span) -> Value {
        if primitive != Primitive::Sign {
            bug("interpret", span, format!("{primitive:?} on a float"));
        }
        self.int(i128::from(value > 0.0) - i128::from(value < 0.0))
    }

    fn binary(&mut self, primitive: Primitive, left: &Value, right: &Value, span: Span) -> Result<Value, Stop> {
        use Primitive::*;
        if let Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | Compare | Minimum | Maximum = primitive {
            return self.comparison(primitive, left, right, span);
        }
        Ok(match primitive {
            Primitive::WriteReference => match left {
                Value::Reference(cell) => {
                    cell.replace(right.clone());
                    Value::Unit
                }
                other => bug("interpret", span, format!("write to {} as a reference", other.describe())),
            },
            Primitive::AddChecked => self.checked(Primitive::Add, left, right, span)?,
            Primitive::SubtractChecked => self.checked(Primitive::Subtract, left, right, span)?,
            Primitive::MultiplyChecked => self.checked(Primitive::Multiply, left, right, span)?,
            Primitive::AddOverflows => self.overflows(Primitive::Add, left, right, span),
            Primitive::SubtractOverflows => self.overflows(Primitive::Subtract, left, right, span),
            Primitive::MultiplyOverflows => self.overflows(Primitive::Multiply, left, right, span),
            arithmetic => self.arithmetic(arithmetic, left, right, span)?,
        })
    }

    /// Compares two values by their views.
    fn comparison(&mut self, primitive: Primitive, left: &Value, right: &Value, span: Span) -> Result<Value, Stop> {
        let (one, other) = (self.seen(left, span)?, self.seen(right, span)?);
        let partial = |this: &Self| this.order(Order::Partial, &one, &other);
        Ok(match primitive {
            Primitive::Equal => Value::Bool(partial(self) == Some(Ordering::Equal)),
            Primitive::NotEqual => Value::Bool(partial(self) != Some(Ordering::Equal)),
            Primitive::Less => Value::Bool(partial(self) == Some(Ordering::Less)),
            Primitive::LessEqual => Value::Bool(matches!(partial(self), Some(Ordering::Less | Ordering::Equal))),
            Primitive::Greater => Value::Bool(partial(self) == Some(Ordering::Greater)),
            Primitive::GreaterEqual => Value::Bool(matches!(partial(self), Some(Ordering::Greater | Ordering::Equal))),
            Primitive::Compare => match self.order(Order::Total, &one, &other) {
                Some(ordering) => self.int(ordering as i128),
                None => bug("interpret", span, "the total order is partial"),
            },
            Primitive::Minimum if self.is_first(&one, &other, Ordering::Less) => left.clone(),
            Primitive::Maximum if self.is_first(&one, &other, Ordering::Greater) => left.clone(),
            Primitive::Minimum | Primitive::Maximum => right.clone(),
            other => bug("interpret", span, format!("{other:?} is not a comparison")),
        })
    }

    /// A sum, difference or product that traps on overflow.
    fn checked(&self, primitive: Primitive, left: &Value, right: &Value, span: Span) -> Result<Value, Stop> {
        if let (Value::Integer(kind, left), Value::Integer(_, right)) = (left, right) {
            let exact = match primitive {
                Primitive::Add => left.checked_add(*right),
                Primitive::Subtract => left.checked_sub(*right),
                _ => left.checked_mul(*right),
            };
            return self.fitting(*kind, exact, span);
        }
        self.arithmetic(primitive, left, right, span)
    }

    /// Whether a sum, difference or product overflows.
    fn overflows(&self, primitive: Primitive, left: &Value, right: &Value, span: Span) -> Value {
        Value::Bool(self.checked(primitive, left, right, span).is_err())
    }

    fn negate_checked(&self, operand: &Value, result: Type, span: Span) -> Result<Value, Stop> {
        match operand {
            Value::Integer(kind, value) => self.fitting(*kind, Some(-value), span),
            other => Ok(self.unary(Primitive::Negate, other, result, span)),
        }
    }

    fn convert_checked(&self, operand: &Value, result: Type, span: Span) -> Result<Value, Stop> {
        let whole = match operand {
            Value::Integer(_, value) => Some(*value),
            Value::Char(code) => Some(i128::from(*code)),
            // NaN, and values out of the range even of 128 bits, fit nowhere.
            Value::Float64(value) => (value.abs() < 1e30).then_some(*value as i128),
            Value::Float32(value) => (value.abs() < 1e30).then_some(*value as i128),
            other => bug("interpret", span, format!("conversion of {}", other.describe())),
        };
        match *self.psg.types.kind(result) {
            TypeKind::Integer(kind) => self.fitting(kind, whole, span),
            TypeKind::Char => {
                self.fitting(IntegerType::U32, whole, span)?;
                Ok(self.convert(operand, result, span))
            }
            _ => Ok(self.convert(operand, result, span)),
        }
    }

    /// An integer, if it exists and is in the range of its type.
    fn fitting(&self, kind: IntegerType, exact: Option<i128>, span: Span) -> Result<Value, Stop> {
        let (smallest, largest) = range(kind, self.facts);
        match exact.filter(|exact| (smallest..=largest).contains(exact)) {
            Some(value) => Ok(Value::Integer(kind, value)),
            None => Err(Stop::trap(TrapKind::Overflow, span)),
        }
    }

    /// Whether `min` (wanted: less) or `max` (wanted: greater) returns the first of two values.
    fn is_first(&self, left: &Value, right: &Value, wanted: Ordering) -> bool {
        let is_nan = |value: &Value| match value {
            Value::Float64(value) => value.is_nan(),
            Value::Float32(value) => value.is_nan(),
            _ => false,
        };
        let zero_sign = |value: &Value| match value {
            Value::Float64(value) => value.is_sign_negative(),
            Value::Float32(value) => value.is_sign_negative(),
            _ => false,
        };
        match self.order(Order::Partial, left, right) {
            _ if is_nan(left) => true,
            _ if is_nan(right) => false,
            Some(Ordering::Equal) => match zero_sign(right).cmp(&zero_sign(left)) {
                // Of equal values F# takes the second for `min` and the first for `max`, which is unobservable.
                Ordering::Equal => wanted == Ordering::Greater,
                zeros => zeros == wanted,
            },
            Some(ordering) => ordering == wanted,
            // Compound values that contain a NaN: `min` is `if a < b then a else b`, `max` is `if a < b then b else a`.
            None => wanted == Ordering::Greater,
        }
    }

    fn arithmetic(&self, primitive: Primitive, left: &Value, right: &Value, span: Span) -> Result<Value, Stop> {
        Ok(match (left, right) {
            (Value::Integer(kind, left), Value::Integer(_, right)) => {
                Value::Integer(*kind, self.integer_arithmetic(primitive, *kind, *left, *right, span)?)
            }
            (Value::Float64(left), Value::Float64(right)) => Value::Float64(match primitive {
                Primitive::Add => left + right,
                Primitive::Subtract => left - right,
                Primitive::Multiply => left * right,
                Primitive::Divide => left / right,
                Primitive::Remainder => left % right,
                Primitive::Power => libm::pow(*left, *right),
                Primitive::ArcTangent2 => libm::atan2(*left, *right),
                other => bug("interpret", span, format!("{other:?} on floats")),
            }),
            (Value::Float32(left), Value::Float32(right)) => Value::Float32(match primitive {
                Primitive::Add => left + right,
                Primitive::Subtract => left - right,
                Primitive::Multiply => left * right,
                Primitive::Divide => left / right,
                Primitive::Remainder => left % right,
                Primitive::Power => libm::powf(*left, *right),
                Primitive::ArcTangent2 => libm::atan2f(*left, *right),
                other => bug("interpret", span, format!("{other:?} on floats")),
            }),
            (Value::Text(left), Value::Text(right)) if primitive == Primitive::Add => {
                Value::Text([&**left, &**right].concat().into())
            }
            (left, right) => {
                bug("interpret", span, format!("{primitive:?} on {} and {}", left.describe(), right.describe()))
            }
        })
    }

    fn integer_arithmetic(
        &self,
        primitive: Primitive,
        kind: IntegerType,
        left: i128,
        right: i128,
        span: Span,
    ) -> Result<i128, Stop> {
        let width = i128::from(kind.bits(self.facts.word_bits));
        let exact = match primitive {
            Primitive::Add => left + right,
            Primitive::Subtract => left - right,
            // The product of two unsigned 64-bit numbers may overflow 127 bits, but its low bits are right.
            Primitive::Multiply => left.wrapping_mul(right),
            Primitive::Divide | Primitive::Remainder if right == 0 => {
                return Err(Stop::trap(TrapKind::DivisionByZero, span));
            }
            Primitive::Divide => left / right,
            Primitive::Remainder => left % right,
            Primitive::BitAnd => left & right,
            Primitive::BitOr => left | right,
            Primitive::BitXor => left ^ right,
            Primitive::ShiftLeft => left << right.rem_euclid(width),
            Primitive::ShiftRight => left >> right.rem_euclid(width),
            other => bug("interpret", span, format!("{other:?} on {}", kind.name())),
        };
        Ok(wrap(kind, exact, self.facts))
    }

    /// Converts a number or a character.
    fn convert(&self, operand: &Value, target: Type, span: Span) -> Value {
        let kind = self.psg.types.kind(target);
        if let (TypeKind::Enum(id, of), Value::Integer(_, value)) = (kind, operand) {
            return Value::Enum(*id, *of, *value);
        }
        let operand = &operand.without_name();
        if let TypeKind::Integer(kind) = kind {
            let integer = match operand {
                Value::Integer(_, value) => wrap(*kind, *value, self.facts),
                Value::Char(value) => wrap(*kind, i128::from(*value), self.facts),
                Value::Float64(value) => saturate(*kind, *value, self.facts),
                Value::Float32(value) => saturate(*kind, f64::from(*value), self.facts),
                other => bug("interpret", span, format!("conversion of {} to {}", other.describe(), kind.name())),
            };
            return Value::Integer(*kind, integer);
        }
        match (operand, kind) {
            (Value::Integer(_, value), TypeKind::Float64) => Value::Float64(*value as f64),
            (Value::Integer(_, value), TypeKind::Float32) => Value::Float32(*value as f32),
            (Value::Char(value), TypeKind::Float64) => Value::Float64(f64::from(*value)),
            (Value::Char(value), TypeKind::Float32) => Value::Float32(*value as f32),
            (Value::Float64(value), TypeKind::Float64) => Value::Float64(*value),
            (Value::Float64(value), TypeKind::Float32) => Value::Float32(*value as f32),
            (Value::Float32(value), TypeKind::Float64) => Value::Float64(f64::from(*value)),
            (Value::Float32(value), TypeKind::Float32) => Value::Float32(*value),
            (Value::Char(value), TypeKind::Char) => Value::Char(*value),
            (Value::Integer(_, value), TypeKind::Char) => Value::Char(*value as u32),
            (Value::Float64(value), TypeKind::Char) => Value::Char(*value as u32),
            (Value::Float32(value), TypeKind::Char) => Value::Char(*value as u32),
            (operand, kind) => bug("interpret", span, format!("conversion of {} to {kind:?}", operand.describe())),
        }
    }
}

/// Defines a function that evaluates the elementary functions at one width.
macro_rules! elementary {
    ($(#[$doc:meta])* $name:ident, $float:ty: $($variant:ident = $function:ident,)*) => {
        $(#[$doc])*
        fn $name(function: Elementary, value: $float) -> $float {
            match function {
                $(Elementary::$variant => libm::$function(value),)*
            }
        }
    };
}

elementary! {
    /// An elementary function in 64 bits.
    elementary, f64:
    Sine = sin,
    Cosine = cos,
    Tangent = tan,
    ArcSine = asin,
    ArcCosine = acos,
    ArcTangent = atan,
    HyperbolicSine = sinh,
    HyperbolicCosine = cosh,
    HyperbolicTangent = tanh,
    Exponential = exp,
    Logarithm = log,
    Logarithm10 = log10,
    Logarithm2 = log2,
}

elementary! {
    /// An elementary function in 32 bits.
    elementary_single, f32:
    Sine = sinf,
    Cosine = cosf,
    Tangent = tanf,
    ArcSine = asinf,
    ArcCosine = acosf,
    ArcTangent = atanf,
    HyperbolicSine = sinhf,
    HyperbolicCosine = coshf,
    HyperbolicTangent = tanhf,
    Exponential = expf,
    Logarithm = logf,
    Logarithm10 = log10f,
    Logarithm2 = log2f,
}

/// The operations from float to float; `None` for others.
fn float_unary(primitive: Primitive, value: f64) -> Option<f64> {
    match primitive {
        Primitive::Negate => Some(-value),
        Primitive::Absolute => Some(value.abs()),
        Primitive::SquareRoot => Some(value.sqrt()),
        Primitive::Floor => Some(value.floor()),
        Primitive::Ceiling => Some(value.ceil()),
        Primitive::Truncate => Some(value.trunc()),
        Primitive::Round => Some(value.round_ties_even()),
        _ => None,
    }
}
