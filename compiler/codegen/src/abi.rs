//! The calling convention of Clef functions: the machine values that a call passes, and how its result is returned.
//!
//! In: a function, or the types of a call. Out: an [`Abi`]. Values of type `unit` are not passed. Two cases are not
//! left to LLVM:
//! - A result that does not fit the registers that LLVM returns values in ([`crate::layout::ResultRegisters`]) is written through a
//!   pointer that is the first explicit parameter; otherwise a tail call of such a function would not remain one.
//! - A struct of one member is returned as that member. LLVM's dead argument elimination does so wherever it knows all
//!   calls of a function, so that functions whose address is taken would return a different type.

use crate::layout::{Layouts, Repr, flatten};
use clef_mlir::{Build, Signature, Type as MlirType};
use clef_types::Type;

/// How a result is returned.
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
    /// The explicit parameters, without the `unit` ones, then the region handles.
    pub(crate) params: Vec<Repr>,
    /// The result.
    pub(crate) returned: Returned,
}

impl Abi {
    /// For parameters of these types, followed by `regions` region handles, and a result.
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
            _ if layouts.result_registers.fit(&scalars) => Returned::Value(result),
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
