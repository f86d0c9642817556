//! Values as sequences of 32-bit words, the way ARM's core registers and stack hold arguments.

use inkwell::{
    builder::{Builder, BuilderError},
    context::Context,
    types::{BasicType as _, BasicTypeEnum, IntType},
    values::{AggregateValueEnum, BasicValueEnum, IntValue},
};

/// Why a value cannot be split or joined.
#[derive(Debug)]
pub(super) enum Failure {
    /// The type cannot be passed in core registers.
    Type(String),
    /// The instruction builder failed.
    Builder(BuilderError),
}

impl From<BuilderError> for Failure {
    fn from(error: BuilderError) -> Self {
        Failure::Builder(error)
    }
}

/// Splits values into words and joins them again.
pub(super) struct Words<'c, 'b> {
    pub(super) context: &'c Context,
    pub(super) builder: &'b Builder<'c>,
}

/// The words that one scalar takes, whether it starts at an even word, and whether it is a float.
#[derive(Clone, Copy)]
pub(super) struct Scalar {
    pub(super) words: usize,
    pub(super) even: bool,
    pub(super) float: bool,
}

/// The scalars of a type, with the type of their words.
pub(super) fn scalars<'c>(
    context: &'c Context,
    ty: BasicTypeEnum<'c>,
) -> Result<Vec<(Scalar, BasicTypeEnum<'c>)>, Failure> {
    let word = context.i32_type().as_basic_type_enum();
    let of_bits = |bits: u32, float| {
        let words = bits.div_ceil(32) as usize;
        vec![(Scalar { words, even: words > 1, float }, word)]
    };
    match ty {
        BasicTypeEnum::IntType(int) => Ok(of_bits(int.get_bit_width(), false)),
        BasicTypeEnum::FloatType(float) => Ok(of_bits(float.get_bit_width(), true)),
        BasicTypeEnum::PointerType(_) => Ok(vec![(Scalar { words: 1, even: false, float: false }, ty)]),
        BasicTypeEnum::StructType(record) => {
            let fields = record.get_field_types().into_iter().map(|field| scalars(context, field));
            Ok(fields.collect::<Result<Vec<_>, _>>()?.concat())
        }
        BasicTypeEnum::ArrayType(array) => Ok(scalars(context, array.get_element_type())?.repeat(array.len() as usize)),
        BasicTypeEnum::VectorType(_) | BasicTypeEnum::ScalableVectorType(_) => Err(Failure::Type(ty.to_string())),
    }
}

impl<'c> Words<'c, '_> {
    /// The words of a value.
    pub(super) fn split(&self, value: BasicValueEnum<'c>) -> Result<Vec<BasicValueEnum<'c>>, Failure> {
        match value {
            BasicValueEnum::IntValue(int) => self.split_int(int),
            BasicValueEnum::FloatValue(float) => {
                let bits = self.int(float.get_type().get_bit_width())?;
                self.split_int(self.builder.build_bit_cast(float, bits, "")?.into_int_value())
            }
            BasicValueEnum::PointerValue(_) => Ok(vec![value]),
            BasicValueEnum::StructValue(record) => {
                self.split_aggregate(record.into(), record.get_type().count_fields())
            }
            BasicValueEnum::ArrayValue(array) => self.split_aggregate(array.into(), array.get_type().len()),
            BasicValueEnum::VectorValue(_) | BasicValueEnum::ScalableVectorValue(_) => {
                Err(Failure::Type(value.get_type().to_string()))
            }
        }
    }

    fn split_aggregate(&self, value: AggregateValueEnum<'c>, count: u32) -> Result<Vec<BasicValueEnum<'c>>, Failure> {
        let field = |index| self.split(self.builder.build_extract_value(value, index, "")?);
        Ok((0..count).map(field).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn split_int(&self, value: IntValue<'c>) -> Result<Vec<BasicValueEnum<'c>>, Failure> {
        let words = value.get_type().get_bit_width().div_ceil(32);
        let whole = self.int(words * 32)?;
        let value = self.builder.build_int_z_extend_or_bit_cast(value, whole, "")?;
        let word = |index: u32| {
            let high = if index == 0 {
                value
            } else {
                let distance = whole.const_int(u64::from(index) * 32, false);
                self.builder.build_right_shift(value, distance, false, "")?
            };
            Ok(self.builder.build_int_truncate_or_bit_cast(high, self.context.i32_type(), "")?.into())
        };
        (0..words).map(word).collect()
    }

    /// A value of a type from its words, which are taken from the front.
    pub(super) fn join(
        &self,
        ty: BasicTypeEnum<'c>,
        words: &mut dyn Iterator<Item = BasicValueEnum<'c>>,
    ) -> Result<BasicValueEnum<'c>, Failure> {
        match ty {
            BasicTypeEnum::IntType(int) => Ok(self.join_int(int, words)?.into()),
            BasicTypeEnum::FloatType(float) => {
                let bits = self.join_int(self.int(float.get_bit_width())?, words)?;
                Ok(self.builder.build_bit_cast(bits, float, "")?)
            }
            BasicTypeEnum::PointerType(_) => words.next().ok_or_else(|| Failure::Type(ty.to_string())),
            BasicTypeEnum::StructType(record) => {
                self.join_aggregate(record.get_poison().into(), &record.get_field_types(), words)
            }
            BasicTypeEnum::ArrayType(array) => {
                let elements = vec![array.get_element_type(); array.len() as usize];
                self.join_aggregate(array.get_poison().into(), &elements, words)
            }
            BasicTypeEnum::VectorType(_) | BasicTypeEnum::ScalableVectorType(_) => Err(Failure::Type(ty.to_string())),
        }
    }

    fn join_aggregate(
        &self,
        empty: AggregateValueEnum<'c>,
        fields: &[BasicTypeEnum<'c>],
        words: &mut dyn Iterator<Item = BasicValueEnum<'c>>,
    ) -> Result<BasicValueEnum<'c>, Failure> {
        let mut value = empty;
        for (index, field) in (0..).zip(fields) {
            let field = self.join(*field, words)?;
            value = self.builder.build_insert_value(value, field, index, "")?;
        }
        Ok(match value {
            AggregateValueEnum::ArrayValue(array) => array.into(),
            AggregateValueEnum::StructValue(record) => record.into(),
        })
    }

    fn join_int(
        &self,
        ty: IntType<'c>,
        words: &mut dyn Iterator<Item = BasicValueEnum<'c>>,
    ) -> Result<IntValue<'c>, Failure> {
        let count = ty.get_bit_width().div_ceil(32);
        let whole = self.int(count * 32)?;
        let mut value = whole.const_zero();
        for (index, word) in (0..count).zip(words) {
            let word = self.builder.build_int_z_extend_or_bit_cast(word.into_int_value(), whole, "")?;
            value = if index == 0 {
                word
            } else {
                let distance = whole.const_int(u64::from(index) * 32, false);
                let word = self.builder.build_left_shift(word, distance, "")?;
                self.builder.build_or(value, word, "")?
            };
        }
        Ok(self.builder.build_int_truncate_or_bit_cast(value, ty, "")?)
    }

    fn int(&self, bits: u32) -> Result<IntType<'c>, Failure> {
        let bits = std::num::NonZeroU32::new(bits).ok_or_else(|| Failure::Type("i0".to_owned()))?;
        self.context.custom_width_int_type(bits).map_err(|error| Failure::Type(error.to_string()))
    }
}
