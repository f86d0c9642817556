//! Intrinsics on memory of values of any type: native pointers and arrays.

use super::{Frame, Machine, Value, plain, used, wrapped};
use crate::{Stop, TrapKind, value::Value as Plain};
use clef_base::Span;
use clef_core::{Allocation, AllocationId, AllocationKind, Storage};
use clef_types::{IntegerType, Intrinsic, TypeKind};
use std::{cell::RefCell, rc::Rc};

impl Machine<'_> {
    /// An element of a new array before it is written: zero in static memory, where zeros need not be written.
    fn initial(&self, allocation: Option<AllocationId>) -> Value {
        let program = self.program;
        let made = allocation.map(|id| &program.allocations[id]);
        let is_static =
            |made: &&Allocation| made.decision.as_ref().is_some_and(|decision| decision.storage == Storage::Static);
        let Some(AllocationKind::Array(ty)) = made.filter(is_static).map(|made| made.kind) else {
            return Value::Plain(Plain::Nothing);
        };
        let TypeKind::Array(element) = program.types.kind(ty) else { return Value::Plain(Plain::Nothing) };
        Value::Plain(match program.types.kind(*element) {
            TypeKind::Integer(kind) => Plain::Integer(*kind, 0),
            TypeKind::Float64 => Plain::Float64(0.0),
            TypeKind::Float32 => Plain::Float32(0.0),
            TypeKind::Char => Plain::Char(0),
            TypeKind::Bool => Plain::Bool(false),
            _ => Plain::Nothing,
        })
    }

    /// Performs an intrinsic on pointers into memory of the program; `None` for others.
    pub(super) fn pointers(
        &mut self,
        frame: &mut Frame,
        intrinsic: Intrinsic,
        values: &[Value],
        allocation: Option<AllocationId>,
        span: Span,
    ) -> Option<Result<Value, Stop>> {
        let absent = |what| Stop::trap(TrapKind::OnlyOnMachines(what), span);
        Some(match (intrinsic, values) {
            (Intrinsic::StackAllocate, [Value::Plain(Plain::Integer(_, count))]) => {
                let Ok(count) = usize::try_from(*count) else {
                    return Some(Err(Stop::trap(TrapKind::NegativeLength, span)));
                };
                let alive = allocation.and_then(|allocation| self.memory(frame, allocation));
                Ok(Value::Pointer(Rc::new(RefCell::new(vec![Value::Plain(Plain::Nothing); count])), 0, alive))
            }
            (Intrinsic::StringPointer, [text]) => {
                let bytes = match plain(text) {
                    Plain::Text(bytes) => bytes,
                    _ => panic!("a pointer to the bytes of a value that is not a string"),
                };
                let byte = |byte: &u8| Value::Plain(Plain::Integer(IntegerType::U8, i128::from(*byte)));
                let alive = match text {
                    Value::Text(_, alive) => alive.clone(),
                    _ => None,
                };
                Ok(Value::Pointer(Rc::new(RefCell::new(bytes.iter().map(byte).collect())), 0, alive))
            }
            (Intrinsic::PointerAdd, [Value::Pointer(cells, index, alive), Value::Plain(Plain::Integer(_, count))]) => {
                Ok(Value::Pointer(cells.clone(), index + count, alive.clone()))
            }
            (Intrinsic::PointerRead, [Value::Pointer(cells, index, alive)]) => {
                used(alive);
                match usize::try_from(*index).ok().and_then(|index| cells.borrow().get(index).cloned()) {
                    Some(Value::Plain(Plain::Nothing)) => Err(absent("bits in memory that was not written")),
                    Some(value) => Ok(value),
                    None => Err(absent("memory that the program did not allocate")),
                }
            }
            (Intrinsic::PointerWrite, [Value::Pointer(cells, index, alive), value]) => {
                self.written(alive);
                match usize::try_from(*index).ok().filter(|index| *index < cells.borrow().len()) {
                    Some(index) => {
                        cells.borrow_mut()[index] = value.clone();
                        Ok(Value::Plain(Plain::Unit))
                    }
                    None => Err(absent("memory that the program may write there")),
                }
            }
            (Intrinsic::PointerAddress, [Value::Pointer(..)]) => Err(absent("addresses")),
            _ => return None,
        })
    }

    /// Performs an intrinsic on arrays of any element type.
    pub(super) fn array(
        &mut self,
        frame: &mut Frame,
        intrinsic: Intrinsic,
        values: &[Value],
        allocation: Option<AllocationId>,
        span: Span,
    ) -> Option<Result<Value, Stop>> {
        let number = |value: &Value| match value {
            Value::Plain(Plain::Integer(_, number)) => usize::try_from(*number).ok(),
            _ => panic!("an index is not an integer"),
        };
        let trap = |kind| Some(Err(Stop::trap(kind, span)));
        let first = values.first()?;
        if intrinsic == Intrinsic::ArrayZero {
            let Some(length) = number(first) else { return trap(TrapKind::NegativeLength) };
            let alive = allocation.and_then(|allocation| self.memory(frame, allocation));
            let elements = vec![self.initial(allocation); length];
            return Some(Ok(Value::Array(Rc::new(RefCell::new(elements)), alive)));
        }
        let Value::Array(elements, alive) = first else { return None };
        used(alive);
        Some(Ok(match (intrinsic, values.get(1).map(number)) {
            (Intrinsic::ArrayLength, _) => {
                Value::Plain(Plain::Integer(IntegerType::Int, elements.borrow().len() as i128))
            }
            (Intrinsic::ArrayGet, Some(Some(index))) if index < elements.borrow().len() => {
                elements.borrow()[index].clone()
            }
            (Intrinsic::ArraySet | Intrinsic::ArrayPut, Some(Some(index))) if index < elements.borrow().len() => {
                self.written(alive);
                elements.borrow_mut()[index] = values[2].clone();
                Value::Plain(Plain::Unit)
            }
            (Intrinsic::ArrayPointer, _) => Value::Pointer(elements.clone(), 0, alive.clone()),
            (Intrinsic::StringOfBytes, _) => {
                let bytes = Plain::array(elements.borrow().iter().map(plain).collect());
                let operands = [bytes, plain(&values[1]), plain(&values[2])];
                match self.interpreter.intrinsic(intrinsic, &operands, span) {
                    Ok(text) => wrapped(text, alive),
                    Err(stop) => return Some(Err(stop)),
                }
            }
            _ => return trap(TrapKind::IndexOutOfRange),
        }))
    }
}
