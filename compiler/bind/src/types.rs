//! Types of C as types of Clef.
//!
//! In: a type. Out: the text of a type of Clef with the same size, alignment and convention of calls, or why there is none. A pointer
//! to something that Clef cannot express is a number, `nativeint`.

use crate::declarations::Binder;
use clang::{Type, TypeKind};

/// The longest array in a struct that becomes one tuple, and the longest one that becomes a tuple of tuples. A record with a longer one would
/// have too many values to be copied.
pub(crate) const LONGEST_TUPLE: usize = 16;
const LONGEST_ARRAY: usize = LONGEST_TUPLE * LONGEST_TUPLE;

impl<'tu> Binder<'tu> {
    /// The type of a value. A type that has no name gets this one.
    pub(crate) fn value_type(&mut self, ty: Type<'tu>, unnamed: &str) -> Result<String, String> {
        let kind = ty.get_kind();
        if let Some(known) = scalar(&ty) {
            return Ok(known.to_owned());
        }
        match kind {
            TypeKind::Pointer => Ok(self.pointer(ty, unnamed)),
            TypeKind::Record => match ty.get_declaration() {
                Some(declaration) => self.record(&declaration, unnamed),
                None => Err("its type is unknown".to_owned()),
            },
            TypeKind::Enum => match ty.get_declaration() {
                Some(declaration) => self.enumeration(&declaration, unnamed),
                None => Err("its type is unknown".to_owned()),
            },
            TypeKind::Typedef => self.named(ty, unnamed),
            TypeKind::ConstantArray => self.array(ty, unnamed),
            TypeKind::IncompleteArray | TypeKind::VariableArray => Err("it is an array without a length".to_owned()),
            TypeKind::FunctionPrototype | TypeKind::FunctionNoPrototype => self.function_type(ty),
            TypeKind::Void => Err("it is `void`".to_owned()),
            _ => match (ty.get_elaborated_type(), ty.get_canonical_type()) {
                (Some(inner), _) => self.value_type(inner, unnamed),
                (None, canonical) if canonical != ty => self.value_type(canonical, unnamed),
                (None, _) => Err(format!("the type `{}` has no counterpart in Clef", ty.get_display_name())),
            },
        }
    }

    /// The type of a parameter: arrays and functions are pointers.
    pub(crate) fn parameter_type(&mut self, ty: Type<'tu>, unnamed: &str) -> Result<String, String> {
        let canonical = ty.get_canonical_type();
        match canonical.get_kind() {
            TypeKind::ConstantArray | TypeKind::IncompleteArray | TypeKind::VariableArray => {
                let element = ty.get_element_type().or_else(|| canonical.get_element_type());
                Ok(element.map_or_else(|| OPAQUE.to_owned(), |element| self.pointer_to(element, unnamed)))
            }
            TypeKind::FunctionPrototype | TypeKind::FunctionNoPrototype => Ok(self.pointer_to(canonical, unnamed)),
            _ => self.value_type(ty, unnamed),
        }
    }

    /// The type of a result.
    pub(crate) fn result_type(&mut self, ty: Type<'tu>) -> Result<String, String> {
        match ty.get_canonical_type().get_kind() {
            TypeKind::Void => Ok("unit".to_owned()),
            _ => self.value_type(ty, "Result"),
        }
    }

    fn pointer(&mut self, ty: Type<'tu>, unnamed: &str) -> String {
        ty.get_pointee_type().map_or_else(|| OPAQUE.to_owned(), |target| self.pointer_to(target, unnamed))
    }

    /// A pointer to a type.
    fn pointer_to(&mut self, target: Type<'tu>, unnamed: &str) -> String {
        let canonical = target.get_canonical_type();
        let inner = match canonical.get_kind() {
            TypeKind::Void => return OPAQUE.to_owned(),
            // Text is bytes, whatever the sign of `char`.
            TypeKind::CharS | TypeKind::CharU => return "nativeptr<byte>".to_owned(),
            TypeKind::FunctionPrototype | TypeKind::FunctionNoPrototype => self.function_type(canonical),
            // A pointer to an array is one to its first element.
            TypeKind::ConstantArray | TypeKind::IncompleteArray => match canonical.get_element_type() {
                Some(element) => return self.pointer_to(element, unnamed),
                None => return OPAQUE.to_owned(),
            },
            TypeKind::Record => match self.being_declared(&canonical) {
                Some(own) => own,
                None => self.value_type(target, unnamed),
            },
            _ => self.value_type(target, unnamed),
        };
        inner.map_or_else(|_| OPAQUE.to_owned(), |inner| format!("nativeptr<{inner}>"))
    }

    /// A function type, as it is within a pointer.
    fn function_type(&mut self, ty: Type<'tu>) -> Result<String, String> {
        if ty.is_variadic() && ty.get_kind() == TypeKind::FunctionPrototype {
            return Err("it takes a variable number of arguments".to_owned());
        }
        let mut parts = Vec::new();
        for parameter in ty.get_argument_types().unwrap_or_default() {
            parts.push(self.parameter_type(parameter, "Argument")?);
        }
        if parts.is_empty() {
            parts.push("unit".to_owned());
        }
        let result = ty.get_result_type().ok_or("its result is unknown")?;
        parts.push(self.result_type(result)?);
        Ok(parts.join(" -> "))
    }

    /// An array within a struct, which has the layout of a tuple.
    fn array(&mut self, ty: Type<'tu>, unnamed: &str) -> Result<String, String> {
        let (Some(element), Some(length)) = (ty.get_element_type(), ty.get_size()) else {
            return Err("it is an array without a length".to_owned());
        };
        let count = elements(ty);
        if length == 0 || count > LONGEST_ARRAY {
            return Err(format!("it is an array of {count} elements, and records have arrays of 1 to {LONGEST_ARRAY}"));
        }
        let element = self.value_type(element, unnamed)?;
        if length <= LONGEST_TUPLE {
            return Ok(tuple(&element, length));
        }
        let full = vec![tuple(&element, LONGEST_TUPLE); length / LONGEST_TUPLE];
        let rest = (length % LONGEST_TUPLE > 0).then(|| tuple(&element, length % LONGEST_TUPLE));
        Ok(format!("({})", full.into_iter().chain(rest).collect::<Vec<_>>().join(" * ")))
    }

    /// A type that `typedef` names.
    fn named(&mut self, ty: Type<'tu>, unnamed: &str) -> Result<String, String> {
        let Some(declaration) = ty.get_declaration() else { return Err("its type is unknown".to_owned()) };
        match declaration.get_name().as_deref() {
            Some("size_t" | "uintptr_t") => return Ok("unativeint".to_owned()),
            Some("ssize_t" | "intptr_t" | "ptrdiff_t") => return Ok("nativeint".to_owned()),
            Some(_) | None => {}
        }
        match declaration.get_name() {
            Some(name) if self.filter.wants(&declaration, &name) => self.abbreviation(&declaration),
            name => self.value_type(ty.get_canonical_type(), name.as_deref().unwrap_or(unnamed)),
        }
    }
}

/// The elements of an array, also of one of arrays.
pub(crate) fn elements(ty: Type<'_>) -> usize {
    let mut count = 1_usize;
    let mut ty = ty.get_canonical_type();
    while let (TypeKind::ConstantArray, Some(element), Some(length)) =
        (ty.get_kind(), ty.get_element_type(), ty.get_size())
    {
        count = count.saturating_mul(length);
        ty = element.get_canonical_type();
    }
    count
}

/// A tuple of elements of one type; one element is itself.
fn tuple(element: &str, length: usize) -> String {
    match length {
        1 => element.to_owned(),
        _ => format!("({})", vec![element; length].join(" * ")),
    }
}

/// A pointer of which nothing is known.
pub(crate) const OPAQUE: &str = "nativeint";

/// The type of Clef for a number or a truth value of C.
fn scalar(ty: &Type<'_>) -> Option<&'static str> {
    Some(match ty.get_kind() {
        TypeKind::Bool => "bool",
        TypeKind::Float => "float32",
        TypeKind::Double => "float",
        _ => {
            let (signed, bytes) = integer(ty)?;
            integer_name(signed, bytes)?
        }
    })
}

/// Whether an integer of C has a sign, and its bytes.
pub(crate) fn integer(ty: &Type<'_>) -> Option<(bool, usize)> {
    let signed = match ty.get_kind() {
        TypeKind::CharS | TypeKind::SChar | TypeKind::Short | TypeKind::Int | TypeKind::Long | TypeKind::LongLong => {
            true
        }
        TypeKind::CharU
        | TypeKind::UChar
        | TypeKind::UShort
        | TypeKind::UInt
        | TypeKind::ULong
        | TypeKind::ULongLong => false,
        _ => return None,
    };
    Some((signed, ty.get_sizeof().ok()?))
}

/// The name of an integer type of Clef.
pub(crate) fn integer_name(signed: bool, bytes: usize) -> Option<&'static str> {
    Some(match (signed, bytes) {
        (true, 1) => "int8",
        (false, 1) => "byte",
        (true, 2) => "int16",
        (false, 2) => "uint16",
        (true, 4) => "int32",
        (false, 4) => "uint32",
        (true, 8) => "int64",
        (false, 8) => "uint64",
        _ => return None,
    })
}

/// An integer literal of Clef.
pub(crate) fn literal(signed: bool, bytes: usize, value: i128) -> Option<String> {
    let suffix = match (signed, bytes) {
        (true, 1) => "y",
        (false, 1) => "uy",
        (true, 2) => "s",
        (false, 2) => "us",
        (true, 4) => "l",
        (false, 4) => "u",
        (true, 8) => "L",
        (false, 8) => "UL",
        _ => return None,
    };
    Some(format!("{value}{suffix}"))
}
