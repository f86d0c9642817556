//! Types in the source: type expressions, declared types, abbreviations, enums and units of measure.

pub(crate) mod abbreviations;
pub(crate) mod enums;
pub(crate) mod measure_types;
pub(crate) mod type_declarations;
pub(crate) mod type_exprs;
