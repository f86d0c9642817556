//! Closures on the stack stay in their frame. They are not returned, not stored outside it, not captured by a closure
//! that lives elsewhere, and not passed to a tail call, which frees the frame before the callee runs.
//!
//! Values are followed through conversions, block arguments, and aggregates, member by member. A value stored in a
//! stack slot is not followed further: the storage analysis knows what the program reads from it.

use super::{flow::passed_to, verify::fault};
use crate::{Fault, Value, build::view::Op};
use melior::ir::attribute::DenseI64ArrayAttribute;

/// The fault of a closure on the stack that leaves its frame.
pub(super) fn verify(op: Op<'_>) -> Result<(), Fault> {
    if op.string("storage") != Some("stack") {
        return Ok(());
    }
    let mut seen = Vec::new();
    let mut waiting: Vec<(Value, Position)> =
        op.result().map(|closure| (closure, Position::new())).into_iter().collect();
    while let Some(held) = waiting.pop() {
        if seen.contains(&held) {
            continue;
        }
        for (user, operand) in held.0.uses() {
            match flow(user, operand) {
                Flow::Stays => {}
                Flow::Into(next) => {
                    let position = position_after(user, operand, &held.1);
                    waiting.extend(next.zip(position));
                }
                Flow::Leaves(how) => {
                    let mut fault = fault(op, format!("is on the stack but {how}"));
                    fault.notes.push(format!("by '{}' at {}", user.name(), user.location()));
                    return Err(fault);
                }
            }
        }
        seen.push(held);
    }
    Ok(())
}

/// The position of the pointer in an aggregate: indices of members, outer before inner.
type Position = Vec<i64>;

/// Its position in what an operation makes of an operand; nothing if it is not part of that.
fn position_after(user: Op<'_>, operand: usize, position: &Position) -> Option<Position> {
    let members = || {
        let members = user.attribute("position").and_then(|members| DenseI64ArrayAttribute::try_from(members).ok());
        members.map(|members| (0..members.len()).filter_map(|index| members.element(index).ok()).collect::<Position>())
    };
    match user.name() {
        "llvm.insertvalue" if operand == 1 => Some([members()?, position.clone()].concat()),
        "llvm.insertvalue" => (!position.starts_with(&members()?)).then(|| position.clone()),
        "llvm.extractvalue" => position.strip_prefix(members()?.as_slice()).map(<[i64]>::to_vec),
        _ => Some(position.clone()),
    }
}

/// What an operation does with an operand that points into the frame.
enum Flow<'m> {
    /// The pointer goes no further.
    Stays,
    /// The pointer is, or is in, another value.
    Into(Option<Value<'m>>),
    /// The pointer leaves the frame.
    Leaves(&'static str),
}

fn flow<'m>(user: Op<'m>, operand: usize) -> Flow<'m> {
    match user.name() {
        "llvm.return" => Flow::Leaves("is returned"),
        "llvm.store" if operand == 0 && is_outside(user.operand(1)) => Flow::Leaves("is stored outside of the frame"),
        "llvm.call" | "clef.closure_invoke" if user.is_tail_call() => Flow::Leaves("is passed to a tail call"),
        "clef.closure_make" if user.string("storage") == Some("stack") => Flow::Into(user.result()),
        "clef.closure_make" => Flow::Leaves("is captured by a closure that is not"),
        "clef.closure_patch" if operand > 0 => match user.operand(0).maker() {
            Some(maker) if maker.string("storage") == Some("stack") => Flow::Into(Some(user.operand(0))),
            _ => Flow::Leaves("is captured by a closure that is not"),
        },
        "clef.as_operand"
        | "clef.closure_to_pointer"
        | "clef.closure_from_pointer"
        | "llvm.insertvalue"
        | "llvm.extractvalue"
        | "llvm.select"
        | "llvm.getelementptr"
        | "llvm.bitcast" => Flow::Into(user.result()),
        "llvm.br" | "llvm.cond_br" | "llvm.switch" => Flow::Into(passed_to(user, operand)),
        _ => Flow::Stays,
    }
}

/// Whether an address is known to be outside of the function's frame: of a global, in a region, in the closure whose
/// code runs, or passed by the caller. What was read from memory or comes from another block is left to the storage
/// analysis.
fn is_outside(address: Value<'_>) -> bool {
    match address.maker() {
        Some(maker) if maker.is("llvm.getelementptr") => is_outside(maker.operand(0)),
        Some(maker) => {
            ["llvm.mlir.addressof", "clef.region_allocate", "clef.capture_address"].iter().any(|name| maker.is(name))
        }
        None => address.is_parameter(),
    }
}
