//! Volatile accesses to 64-bit parts of variables in functions that address their frames by the frame pointer on
//! Thumb-2.
//!
//! LLVM 22.1.8 selects `ldrd` and `strd` for a volatile access of 64 bits. Both reach 1,020 bytes to either side of
//! their base, and that reach decides whether a function needs a spare register or slot to compute addresses. But when
//! the offset from the frame pointer is negative, the address is computed in another register in any case; if none is
//! free, code generation fails. So such accesses become accesses of words. A variable is no device register, and what
//! an interrupt handler may read meanwhile is accessed with interrupts masked.

use inkwell::{
    builder::Builder,
    context::Context,
    types::BasicTypeEnum,
    values::{
        AggregateValueEnum, BasicValue as _, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
        PointerValue,
    },
};

use super::words::{Failure, Words, scalars};

/// Bytes of a word.
const WORD: u32 = 4;

/// Splits the accesses of a function.
pub(super) fn split<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    function: FunctionValue<'c>,
) -> Result<(), Failure> {
    let instructions = function.get_basic_blocks().into_iter().flat_map(|block| block.get_instructions());
    let volatile: Vec<_> = instructions.filter(|instruction| instruction.get_volatile() == Ok(true)).collect();
    for instruction in volatile {
        let opcode = instruction.get_opcode();
        let is_store = opcode == InstructionOpcode::Store;
        if !is_store && opcode != InstructionOpcode::Load {
            continue;
        }
        let Some(BasicValueEnum::PointerValue(address)) =
            instruction.get_operand(u32::from(is_store)).and_then(|operand| operand.value())
        else {
            continue;
        };
        if !is_variable(address) {
            continue;
        }
        builder.position_before(&instruction);
        let align = instruction.get_alignment().unwrap_or(WORD);
        let accesses = Accesses { context, builder, words: Words { context, builder }, align };
        if is_store { accesses.store(instruction, address)? } else { accesses.load(instruction, address)? }
    }
    Ok(())
}

/// Whether an address is of a variable in the frame.
fn is_variable(address: PointerValue<'_>) -> bool {
    let mut source = address.as_instruction();
    while let Some(instruction) = source.filter(|found| found.get_opcode() == InstructionOpcode::GetElementPtr) {
        source = match instruction.get_operand(0).and_then(|operand| operand.value()) {
            Some(BasicValueEnum::PointerValue(base)) => base.as_instruction(),
            _ => None,
        };
    }
    source.is_some_and(|found| found.get_opcode() == InstructionOpcode::Alloca)
}

/// The accesses that replace one.
struct Accesses<'c, 'b> {
    context: &'c Context,
    builder: &'b Builder<'c>,
    words: Words<'c, 'b>,
    /// The alignment of the address in bytes.
    align: u32,
}

impl<'c> Accesses<'c, '_> {
    fn store(&self, old: InstructionValue<'c>, address: PointerValue<'c>) -> Result<(), Failure> {
        let Some(value) = old.get_operand(0).and_then(|operand| operand.value()) else { return Ok(()) };
        if self.has_double_words(value.get_type())? {
            self.store_parts(value, address)?;
            old.erase_from_basic_block();
        }
        Ok(())
    }

    fn load(&self, old: InstructionValue<'c>, address: PointerValue<'c>) -> Result<(), Failure> {
        let Ok(ty) = BasicTypeEnum::try_from(old.get_type()) else { return Ok(()) };
        if self.has_double_words(ty)? {
            let value = self.load_parts(ty, address)?;
            // A value that joins words is an instruction.
            if let Some(new) = value.as_instruction_value() {
                old.replace_all_uses_with(&new);
                old.erase_from_basic_block();
            }
        }
        Ok(())
    }

    fn has_double_words(&self, ty: BasicTypeEnum<'c>) -> Result<bool, Failure> {
        Ok(scalars(self.context, ty)?.iter().any(|(scalar, _)| scalar.words > 1))
    }

    fn store_parts(&self, value: BasicValueEnum<'c>, address: PointerValue<'c>) -> Result<(), Failure> {
        if let Some(aggregate) = aggregate(value) {
            for (index, _) in (0..).zip(fields(value.get_type())) {
                let part = self.builder.build_extract_value(aggregate, index, "")?;
                self.store_parts(part, self.part(value.get_type(), address, index)?)?;
            }
            return Ok(());
        }
        if !self.has_double_words(value.get_type())? {
            return self.store_scalar(value, address);
        }
        for (index, word) in (0..).zip(self.words.split(value)?) {
            self.store_scalar(word, self.part(self.context.i32_type().array_type(2).into(), address, index)?)?;
        }
        Ok(())
    }

    fn store_scalar(&self, value: BasicValueEnum<'c>, address: PointerValue<'c>) -> Result<(), Failure> {
        self.access(self.builder.build_store(address, value)?, value.get_type());
        Ok(())
    }

    fn load_parts(&self, ty: BasicTypeEnum<'c>, address: PointerValue<'c>) -> Result<BasicValueEnum<'c>, Failure> {
        if let Some(mut aggregate) = aggregate(ty.const_zero()) {
            for (index, field) in (0..).zip(fields(ty)) {
                let part = self.load_parts(field, self.part(ty, address, index)?)?;
                aggregate = self.builder.build_insert_value(aggregate, part, index, "")?;
            }
            return Ok(match aggregate {
                AggregateValueEnum::ArrayValue(array) => array.into(),
                AggregateValueEnum::StructValue(record) => record.into(),
            });
        }
        if !self.has_double_words(ty)? {
            return self.load_scalar(ty, address);
        }
        let word = self.context.i32_type();
        let low = self.load_scalar(word.into(), address)?;
        let high = self.load_scalar(word.into(), self.part(word.array_type(2).into(), address, 1)?)?;
        self.words.join(ty, &mut [low, high].into_iter())
    }

    fn load_scalar(&self, ty: BasicTypeEnum<'c>, address: PointerValue<'c>) -> Result<BasicValueEnum<'c>, Failure> {
        let value = self.builder.build_load(ty, address, "")?;
        if let Some(load) = value.as_instruction_value() {
            self.access(load, ty);
        }
        Ok(value)
    }

    /// Makes an access of a scalar volatile, with the alignment that the whole guarantees.
    fn access(&self, instruction: InstructionValue<'c>, ty: BasicTypeEnum<'c>) {
        let natural = if let BasicTypeEnum::IntType(int) = ty {
            int.get_bit_width().div_ceil(8).next_power_of_two()
        } else {
            WORD
        };
        let set = instruction.set_volatile(true).is_ok() && instruction.set_alignment(natural.min(self.align)).is_ok();
        debug_assert!(set, "loads and stores can be volatile and have an alignment");
    }

    /// The address of a part of an aggregate.
    fn part(&self, ty: BasicTypeEnum<'c>, address: PointerValue<'c>, index: u32) -> Result<PointerValue<'c>, Failure> {
        let number = |value: u32| self.context.i32_type().const_int(u64::from(value), false);
        // SAFETY: the index is of a part of the type.
        Ok(unsafe { self.builder.build_in_bounds_gep(ty, address, &[number(0), number(index)], "")? })
    }
}

/// A value as an aggregate, if it is one.
fn aggregate(value: BasicValueEnum<'_>) -> Option<AggregateValueEnum<'_>> {
    match value {
        BasicValueEnum::StructValue(record) => Some(record.into()),
        BasicValueEnum::ArrayValue(array) => Some(array.into()),
        BasicValueEnum::IntValue(_)
        | BasicValueEnum::FloatValue(_)
        | BasicValueEnum::PointerValue(_)
        | BasicValueEnum::VectorValue(_)
        | BasicValueEnum::ScalableVectorValue(_) => None,
    }
}

/// The types of an aggregate's parts.
fn fields(ty: BasicTypeEnum<'_>) -> Vec<BasicTypeEnum<'_>> {
    match ty {
        BasicTypeEnum::StructType(record) => record.get_field_types(),
        BasicTypeEnum::ArrayType(array) => vec![array.get_element_type(); array.len() as usize],
        BasicTypeEnum::IntType(_)
        | BasicTypeEnum::FloatType(_)
        | BasicTypeEnum::PointerType(_)
        | BasicTypeEnum::VectorType(_)
        | BasicTypeEnum::ScalableVectorType(_) => Vec::new(),
    }
}
