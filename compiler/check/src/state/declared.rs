//! What declarations that are not in the graph mean.

use crate::state::Product;
use clef_base::HashMap;
use clef_infer::Ty;
use clef_psg::{Literal, VariableId};
use clef_scopes::Visibility;
use clef_types::{CaseId, DeclaredTypeId, Intrinsic, TypeParameterId};

/// A library function that is an intrinsic.
#[derive(Clone)]
pub(crate) struct IntrinsicFacts {
    pub(crate) intrinsic: Intrinsic,
    /// Its declaration.
    pub(crate) variable: VariableId,
    pub(crate) generics: Vec<TypeParameterId>,
    pub(crate) ty: Ty,
}

/// Tables of declarations.
#[derive(Clone, Default)]
pub(crate) struct Declared {
    /// The number of types that the library declares: they come first.
    pub(crate) library_types: u32,
    pub(crate) intrinsics: Vec<IntrinsicFacts>,
    /// The values and types of `[<Literal>]` variables.
    pub(crate) constants: HashMap<VariableId, (Literal, Ty)>,
    /// The visibility of the fields or cases of types, where that of the name does not say it.
    pub(crate) representations: HashMap<DeclaredTypeId, Visibility>,
    /// The types of the fields of cases and records.
    pub(crate) case_fields: HashMap<CaseId, Vec<Ty>>,
    /// The products and roots of `inline` functions, over their type parameters.
    pub(crate) products: HashMap<VariableId, Vec<Product>>,
}
