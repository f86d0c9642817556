//! Pointers into memory of cells, one for each value, or into strings. The interpreter has no addresses and no bytes, so an
//! operation that depends on them ends the run with a message, as does memory that the program did not allocate.

use super::{Interpreter, Stop, TrapKind, value::Value};
use clef_base::Span;
use clef_types::{IntegerType, Intrinsic};
use std::{cell::RefCell, rc::Rc};

/// The maximum number of values in one memory.
const MAX_CELLS: i128 = 1 << 24;

/// A pointer.
pub(super) struct Pointer {
    target: Target,
    /// The offset from the start, in values.
    index: i128,
}

/// The memory of a pointer.
#[derive(Clone)]
enum Target {
    /// Memory of the program; unwritten cells are unknown.
    Cells(Rc<RefCell<Vec<Option<Value>>>>),
    /// The elements of an array.
    Array(Rc<RefCell<Vec<Value>>>),
    /// The bytes of a string.
    Text(Rc<[u8]>),
    /// An arbitrary address.
    Address(i128),
}

/// Ends a run that needs an unsupported feature.
fn absent(what: &'static str, span: Span) -> Stop {
    Stop::trap(TrapKind::OnlyOnMachines(what), span)
}

impl Interpreter<'_> {
    /// Performs an intrinsic on pointers; `None` for other intrinsics and operands.
    pub(super) fn pointers(
        &self,
        intrinsic: Intrinsic,
        arguments: &[Value],
        span: Span,
    ) -> Option<Result<Value, Stop>> {
        use Value::{Integer, Text};
        Some(match (intrinsic, arguments) {
            (Intrinsic::StackAllocate, [Integer(_, count)]) => allocate(*count, span),
            (Intrinsic::StringPointer, [Text(text)]) => Ok(pointer(Target::Text(text.clone()), 0)),
            (Intrinsic::ArrayPointer, [Value::Array(elements)]) => Ok(pointer(Target::Array(elements.clone()), 0)),
            (Intrinsic::PointerAdd, [Value::Pointer(pointer), Integer(_, count)]) => {
                Ok(self::pointer(pointer.target.clone(), pointer.index + count))
            }
            (Intrinsic::PointerRead, [Value::Pointer(pointer)]) => pointer.read(span),
            (Intrinsic::PointerWrite, [Value::Pointer(pointer), value]) => pointer.write(value.clone(), span),
            (Intrinsic::PointerOfAddress, [Integer(_, address)]) => Ok(pointer(Target::Address(*address), 0)),
            (Intrinsic::PointerAddress, [Value::Pointer(pointer)]) => match &**pointer {
                Pointer { target: Target::Address(address), index: 0 } => Ok(Integer(IntegerType::NativeInt, *address)),
                Pointer { .. } => Err(absent("addresses", span)),
            },
            (Intrinsic::VolatileRead | Intrinsic::VolatileWrite, _) => Err(absent("devices", span)),
            (Intrinsic::FunctionAddress, _) => Err(absent("foreign functions", span)),
            _ => return None,
        })
    }
}

fn pointer(target: Target, index: i128) -> Value {
    Value::Pointer(Rc::new(Pointer { target, index }))
}

fn allocate(count: i128, span: Span) -> Result<Value, Stop> {
    if count < 0 {
        return Err(Stop::trap(TrapKind::NegativeLength, span));
    }
    if count > MAX_CELLS {
        return Err(absent("an allocation of this size", span));
    }
    let cells = vec![None; count as usize];
    Ok(pointer(Target::Cells(Rc::new(RefCell::new(cells))), 0))
}

impl Pointer {
    fn read(&self, span: Span) -> Result<Value, Stop> {
        let outside = || absent("memory that the program did not allocate", span);
        let index = usize::try_from(self.index).map_err(|_| outside())?;
        match &self.target {
            Target::Cells(cells) => {
                let cell = cells.borrow().get(index).cloned().ok_or_else(outside)?;
                cell.ok_or_else(|| absent("bits in memory that was not written", span))
            }
            Target::Array(elements) => elements.borrow().get(index).cloned().ok_or_else(outside),
            Target::Text(text) => {
                let byte = text.get(index).ok_or_else(outside)?;
                Ok(Value::Integer(IntegerType::U8, i128::from(*byte)))
            }
            Target::Address(_) => Err(outside()),
        }
    }

    fn write(&self, value: Value, span: Span) -> Result<Value, Stop> {
        let outside = || absent("memory that the program may write there", span);
        let index = usize::try_from(self.index).map_err(|_| outside())?;
        match &self.target {
            Target::Cells(cells) => {
                *cells.borrow_mut().get_mut(index).ok_or_else(outside)? = Some(value);
                Ok(Value::Unit)
            }
            Target::Array(elements) => {
                *elements.borrow_mut().get_mut(index).ok_or_else(outside)? = value;
                Ok(Value::Unit)
            }
            Target::Text(_) | Target::Address(_) => Err(outside()),
        }
    }
}
