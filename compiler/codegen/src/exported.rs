//! Functions that other languages call: how they are entered, and how they return.

use crate::{
    code::Code,
    foreign::{
        Foreign,
        classify::{Passed, Returned},
        pieces_type,
    },
    layout::Repr,
    locals::Locals,
    trampoline::PendingCall,
};
use clef_core::{Function, LocalId};
use clef_mlir::Value;

/// The way out of an exported function.
pub(crate) struct Exported<'m> {
    foreign: Foreign,
    /// The result as Clef represents it.
    result: Repr,
    /// Where a large result goes.
    pub(crate) address: Option<Value<'m>>,
    /// In an interrupt handler, the call that was pending on entry.
    interrupted: Option<PendingCall<'m>>,
}

impl<'m> Exported<'m> {
    /// Enters a function: binds its parameters to what its caller passes.
    pub(crate) fn enter(
        code: &mut Code<'_, '_, 'm>,
        locals: &mut Locals<'_, '_, 'm>,
        function: &Function,
    ) -> Exported<'m> {
        let foreign = Foreign::of_exported(code.shared, function);
        let interrupted = function.convention.interrupt().and_then(|_| code.save_pending_call());
        let address = bind_parameters(code, locals, &foreign, &function.params);
        Exported { foreign, result: code.repr(function.result), address, interrupted }
    }

    /// Returns a value.
    pub(crate) fn leave(&self, code: &mut Code<'_, '_, 'm>, value: Option<Value<'m>>) {
        if let Some(interrupted) = self.interrupted {
            code.restore_pending_call(interrupted);
        }
        let result = self.returned(code, value);
        code.emit.ret(result);
    }

    /// The machine value that the convention returns.
    fn returned(&self, code: &mut Code<'_, '_, 'm>, value: Option<Value<'m>>) -> Option<Value<'m>> {
        let shape = &self.foreign.result;
        match (&self.foreign.interface.result, value, self.address) {
            (Returned::Pieces(pieces), Some(value), _) => {
                let buffer = code.spill(value, &self.result, shape);
                let values: Vec<Value<'m>> = pieces.iter().map(|piece| code.load_piece(buffer, *piece)).collect();
                match values.as_slice() {
                    [only] => Some(*only),
                    several => {
                        let ty = pieces_type(&code.emit, pieces);
                        Some(code.emit.make_record(ty, several))
                    }
                }
            }
            (Returned::Through, Some(value), Some(address)) => {
                code.store_plain(value, &self.result, shape, address);
                None
            }
            (Returned::Nothing, _, _) => None,
            (_, value, _) => value,
        }
    }
}

/// Binds parameters to arguments; returns the address of a large result.
fn bind_parameters<'m>(
    code: &mut Code<'_, '_, 'm>,
    locals: &mut Locals<'_, '_, 'm>,
    foreign: &Foreign,
    params: &[LocalId],
) -> Option<Value<'m>> {
    let mut arguments = code.emit.arguments().into_iter();
    let address = match foreign.interface.result {
        Returned::Through => arguments.next(),
        Returned::Nothing | Returned::Scalar(_) | Returned::Pieces(_) => None,
    };
    let mut next = |code: &Code<'_, '_, 'm>| match arguments.next() {
        Some(value) => value,
        None => code.bug("an exported function has too few parameters"),
    };
    for ((&param, passed), shape) in params.iter().zip(&foreign.interface.parameters).zip(&foreign.parameters) {
        let ty = locals.type_of(param);
        let value = match passed {
            Passed::Nothing => None,
            Passed::Scalar(_) => Some(next(code)),
            Passed::Pieces(pieces) => {
                let buffer = code.struct_buffer(shape.extent(foreign.pointer_bytes).size.0);
                for piece in pieces {
                    code.store_piece(next(code), *piece, buffer);
                }
                code.load_plain(Some(buffer), ty)
            }
            Passed::Address | Passed::Copied(_) => {
                let address = next(code);
                code.load_plain(Some(address), ty)
            }
        };
        locals.bind(param, value);
    }
    address
}
