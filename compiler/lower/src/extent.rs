//! The sizes of unboxed values: tuples, records, options and unions that contain others by value.
//!
//! In: a program. Out: an error for a local or global whose value has too many parts. A declared type of two fields,
//! applied to itself `n` times, has a short name and `2^n` parts, and later phases take time for each part.

use clef_base::{Diagnostic, HashMap, Span, codes};
use clef_core::Program;
use clef_types::{Type, TypeKind, Types};

/// The maximum number of parts of an unboxed value.
const MAX_PARTS: u64 = 4096;

/// Reports the smallest value that has too many parts, if there is one.
pub(super) fn check(program: &Program) -> Option<Diagnostic> {
    let mut extents = Extents { program, known: HashMap::default() };
    let locals = program.functions.values().flat_map(|function| function.locals.values());
    let locals = locals.map(|local| (local.ty, local.span));
    let globals = program.globals.values().map(|global| (global.ty, global.span));
    let values: Vec<(Type, Span)> = locals.chain(globals).collect();
    let sizes = values.into_iter().map(|(ty, span)| (extents.of(ty), span));
    let (parts, span) = sizes.filter(|(parts, _)| *parts > MAX_PARTS).min_by_key(|(parts, span)| (*parts, *span))?;
    let parts = if parts == u64::MAX { "more than 2^64".to_owned() } else { parts.to_string() };
    let message = format!("a value of {parts} parts is stored inline, but the maximum is {MAX_PARTS}");
    let diagnostic = Diagnostic::error(codes::TOO_MANY_INSTANCES, span, message)
        .label("this value")
        .note("tuples, records, options and unions contain the values of their fields, not their addresses")
        .help("store the parts in an array or a list, or declare the type as a recursive union");
    Some(diagnostic)
}

/// The number of parts of the values of each type.
struct Extents<'program> {
    program: &'program Program,
    known: HashMap<Type, u64>,
}

impl Extents<'_> {
    /// The minimum number of scalars in a value of the type: of a union, those of its largest case and the tag.
    fn of(&mut self, ty: Type) -> u64 {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let types: &Types = &self.program.types;
        let extent = match types.kind(ty) {
            TypeKind::Tuple(parts) => self.sum(parts),
            TypeKind::Declared(..) => match self.program.declared.get(&ty) {
                Some(declared) if !declared.boxed => {
                    let cases = &declared.cases;
                    let largest = cases.iter().map(|case| self.sum(&case.fields)).max().unwrap_or(0);
                    largest.saturating_add(u64::from(cases.len() > 1))
                }
                Some(_) | None => 1,
            },
            TypeKind::String | TypeKind::Array(_) => 2,
            TypeKind::Unit => 0,
            TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Slot(_)
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region
            | TypeKind::Parameter(_) => 1,
        };
        self.known.insert(ty, extent);
        extent
    }

    fn sum(&mut self, parts: &[Type]) -> u64 {
        parts.iter().fold(0, |sum, part| sum.saturating_add(self.of(*part)))
    }
}
