//! Attributes by short names, and the construction of operations from them.

use super::Type;
use clef_base::internal::bug;
use melior::{
    Context,
    ir::{
        Attribute, Identifier, Location, Operation, TypeLike as _,
        attribute::{DenseI32ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute},
        operation::OperationBuilder,
        r#type::IntegerType,
    },
};

/// A name and an attribute.
pub(crate) type Named<'m> = (Identifier<'m>, Attribute<'m>);

/// Pairs a name with an attribute.
pub(crate) fn named<'m>(context: &'m Context, name: &str, attribute: impl Into<Attribute<'m>>) -> Named<'m> {
    (Identifier::new(context, name), attribute.into())
}

/// An attribute from its textual form, for those without a constructor in the C API.
pub(crate) fn parse<'m>(context: &'m Context, text: &str) -> Attribute<'m> {
    Attribute::parse(context, text).unwrap_or_else(|| bug("mlir", None, format!("`{text}` is not an attribute")))
}

/// An integer of `bits` bits.
pub(crate) fn integer(context: &Context, bits: u32, value: i64) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, bits).into(), value).into()
}

/// A string.
pub(crate) fn string<'m>(context: &'m Context, text: &str) -> Attribute<'m> {
    StringAttribute::new(context, text).into()
}

/// A string attribute of any bytes.
pub(crate) fn bytes<'m>(context: &'m Context, bytes: &[u8]) -> Attribute<'m> {
    // SAFETY: MLIR copies the bytes, whose length is passed with the pointer, into the context.
    unsafe {
        let text = mlir_sys::MlirStringRef { data: bytes.as_ptr().cast(), length: bytes.len() };
        Attribute::from_raw(mlir_sys::mlirStringAttrGet(context.to_raw(), text))
    }
}

/// The elements of an array of numbers by their bytes, in the byte order of the host, which is little-endian.
pub(crate) fn numbers<'m>(element: Type<'m>, count: u32, bytes: &[u8]) -> Attribute<'m> {
    let shape = [i64::from(count)];
    let none = mlir_sys::MlirAttribute { ptr: std::ptr::null() };
    // SAFETY: MLIR copies the shape and the bytes, whose length is passed with the pointer, into the context; a tensor may
    // have no encoding.
    unsafe {
        let tensor = mlir_sys::mlirRankedTensorTypeGet(1, shape.as_ptr(), element.0.to_raw(), none);
        let elements = mlir_sys::mlirDenseElementsAttrRawBufferGet(tensor, bytes.len(), bytes.as_ptr().cast());
        Attribute::from_option_raw(elements)
    }
    .unwrap_or_else(|| bug("mlir", None, format!("{} bytes are not {count} numbers", bytes.len())))
}

/// A reference to a symbol of the module.
pub(crate) fn symbol<'m>(context: &'m Context, name: &str) -> Attribute<'m> {
    FlatSymbolRefAttribute::new(context, name).into()
}

/// A unit attribute, significant by its presence.
pub(crate) fn unit(context: &Context) -> Attribute<'_> {
    Attribute::unit(context)
}

/// A type as an attribute.
pub(crate) fn ty(ty: melior::ir::Type<'_>) -> Attribute<'_> {
    TypeAttribute::new(ty).into()
}

/// The number of operands in each group of an operation.
pub(crate) fn segments<'m>(context: &'m Context, sizes: &[usize]) -> Named<'m> {
    let sizes: Vec<i32> = sizes.iter().map(|&size| i32::try_from(size).unwrap_or(i32::MAX)).collect();
    named(context, "operandSegmentSizes", DenseI32ArrayAttribute::new(context, &sizes))
}

/// Finishes an operation. Only inference of result types can fail, and this crate never requests it.
pub(crate) fn finish(operation: OperationBuilder<'_>) -> Operation<'_> {
    operation.build().unwrap_or_else(|error| bug("mlir", None, error.to_string()))
}

/// An operation without operands and regions.
pub(crate) fn operation<'m>(name: &str, location: Location<'m>) -> OperationBuilder<'m> {
    OperationBuilder::new(name, location)
}
