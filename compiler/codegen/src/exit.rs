//! How a function returns.
//!
//! In: the value of a body, if it has one. Out: the end of the current block. A Clef function returns as its [`Abi`] says,
//! a function that is exported to other languages by their convention ([`Exported`]).
//!
//! [`Abi`]: crate::abi::Abi

use crate::{abi::Returned, code::Code, exported::Exported};
use clef_mlir::Value;

/// The way out of a function.
pub(crate) enum Exit<'m> {
    /// To its caller in Clef.
    Clef {
        returned: Returned,
        /// Where a large result goes.
        address: Option<Value<'m>>,
    },
    /// To another language.
    Exported(Exported<'m>),
}

impl<'m> Exit<'m> {
    /// Whether the function is called by the C convention.
    pub(crate) fn is_exported(&self) -> bool {
        matches!(self, Exit::Exported(_))
    }

    /// The address of a large result, which a tail call passes on.
    pub(crate) fn result_address(&self) -> Option<Value<'m>> {
        match self {
            Exit::Clef { address, .. } => *address,
            Exit::Exported(exported) => exported.address,
        }
    }

    /// Returns a value.
    pub(crate) fn leave(&self, code: &mut Code<'_, '_, 'm>, value: Option<Value<'m>>) {
        match self {
            Exit::Clef { returned: Returned::Through(repr), address: Some(address) } if let Some(value) = value => {
                let access = code.access(repr);
                code.emit.store(value, *address, access);
                code.emit.ret(None);
            }
            Exit::Clef { returned: Returned::Value(repr), .. } if let Some(value) = value => {
                let value = code.unwrapped(value, repr);
                code.emit.ret(Some(value));
            }
            Exit::Clef { .. } => code.emit.ret(value),
            Exit::Exported(exported) => exported.leave(code, value),
        }
    }
}
