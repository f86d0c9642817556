//! The calling convention of Clef functions: which machine values a call passes, and how its result comes back.
//!
//! In: a function, or the types of a call. Out: an [`Abi`]. Values of type `unit` are not passed. A result of more than
//! two machine values is written through a pointer that is the first explicit parameter, and a struct of one member is
//! returned as that member: were the former left to LLVM, a tail call of such a function would no longer be one, and of the
//! latter its dead argument elimination makes that member wherever it knows all calls of a function, so that the function
//! and those whose address is taken would return different types.

use crate::layout::{Layouts, Repr, flatten};
use clef_mlir::{Build, Signature, Type as MlirType};
use clef_types::Type;

/// How a result comes back.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Returned {
    /// Not at all: `unit`.
    Nothing,
    /// In registers.
    Value(Repr),
    /// Written to the address in the first explicit parameter.
    Through(Repr),
}

/// What a call passes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Abi {
    /// The explicit parameters, of which `unit` ones take nothing, and the handles of regions.
    pub(crate) params: Vec<Repr>,
    /// The result.
    pub(crate) returned: Returned,
}

/// The largest number of machine values that come back in registers on every target.
const RETURNED_IN_REGISTERS: usize = 2;

impl Abi {
    /// For parameters of these types, so many handles of regions behind them, and a result.
    pub(crate) fn new(
        layouts: &Layouts<'_>,
        params: impl IntoIterator<Item = Type>,
        regions: usize,
        result: Type,
    ) -> Abi {
        let params = params.into_iter().map(|param| layouts.repr(param));
        let params = params.chain(std::iter::repeat_n(Repr::Pointer, regions)).collect();
        let result = layouts.repr(result);
        let mut scalars = Vec::new();
        flatten(&result, &mut scalars);
        let returned = match scalars.len() {
            0 => Returned::Nothing,
            1..=RETURNED_IN_REGISTERS => Returned::Value(result),
            _ => Returned::Through(result),
        };
        Abi { params, returned }
    }

    /// The signature without the closure.
    pub(crate) fn signature<'m>(&self, build: &Build<'m>) -> Signature<'m> {
        let mut parameters = Vec::with_capacity(self.params.len() + 1);
        let result = match &self.returned {
            Returned::Nothing => None,
            Returned::Value(repr) => machine_type(build, repr.innermost()),
            Returned::Through(_) => {
                parameters.push(build.ptr());
                None
            }
        };
        parameters.extend(self.params.iter().filter_map(|param| machine_type(build, param)));
        Signature::tail(parameters, result)
    }
}

/// The MLIR type of a representation; `None` for `unit`.
pub(crate) fn machine_type<'m>(build: &Build<'m>, repr: &Repr) -> Option<MlirType<'m>> {
    Some(match repr {
        Repr::Unit => return None,
        Repr::Integer(bits) => build.int(*bits),
        Repr::Float32 => build.f32(),
        Repr::Float64 => build.f64(),
        Repr::Pointer => build.ptr(),
        Repr::Struct(members) => {
            let members: Vec<MlirType<'m>> = members.iter().filter_map(|member| machine_type(build, member)).collect();
            build.record(&members)
        }
    })
}
