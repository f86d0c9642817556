//! Types: builtin integers and floats, pointers and aggregates of the `llvm` dialect, and the two types of `clef`.

use std::fmt;

use clef_base::internal::bug;
use melior::{
    dialect::llvm::r#type as llvm,
    ir::{
        Type as MlirType, TypeLike as _,
        r#type::{FunctionType, IntegerType},
    },
};

use super::{Build, Signature};

/// A type of the module under construction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Type<'m>(pub(crate) MlirType<'m>);

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Type<'_> {
    /// Whether operations of the `llvm` dialect cannot take it: closures and regions.
    pub(crate) fn is_clef(self) -> bool {
        self.0.dialect().namespace().is_ok_and(|namespace| namespace == "clef")
    }

    /// Whether it is a pointer.
    pub(crate) fn is_pointer(self) -> bool {
        // SAFETY: the type lives in its context.
        unsafe { mlir_sys::mlirTypeIsALLVMPointerType(self.0.to_raw()) }
    }
}

impl<'m> Type<'m> {
    /// The function type in a closure type. The C API cannot read the parameters of a dynamic type, so it is parsed
    /// from the printed type.
    pub(crate) fn closure_signature(self) -> Option<Type<'m>> {
        let text = self.to_string();
        let signature = text.strip_prefix("!clef.closure<")?.strip_suffix('>')?;
        let context = self.0.context();
        // SAFETY: the reference is to `context`, which is held until the type is parsed.
        MlirType::parse(unsafe { context.to_ref() }, signature).map(Type)
    }

    /// The parameters and the result of a function type of the `llvm` dialect.
    pub(crate) fn llvm_signature(self) -> Option<(Vec<Type<'m>>, Option<Type<'m>>)> {
        if !self.to_string().starts_with("!llvm.func<") {
            return None;
        }
        let raw = self.0.to_raw();
        let context = self.0.context();
        // SAFETY: the type prints as a function type; the reference is to `context`, which is held meanwhile.
        let (parameters, result, void) = unsafe {
            let count = mlir_sys::mlirLLVMFunctionTypeGetNumInputs(raw);
            let parameter = |index| MlirType::from_raw(mlir_sys::mlirLLVMFunctionTypeGetInput(raw, index));
            let result = MlirType::from_raw(mlir_sys::mlirLLVMFunctionTypeGetReturnType(raw));
            let parameters = (0..count).map(|index| Type(parameter(index))).collect();
            (parameters, result, llvm::void(context.to_ref()))
        };
        Some((parameters, (result != void).then_some(Type(result))))
    }
}

impl<'m> Build<'m> {
    /// An integer of any width; operations decide its signedness.
    pub fn int(&self, bits: u32) -> Type<'m> {
        Type(IntegerType::new(self.context, bits).into())
    }

    /// One bit.
    pub fn bool(&self) -> Type<'m> {
        self.int(1)
    }

    /// IEEE 754 single precision.
    pub fn f32(&self) -> Type<'m> {
        Type(MlirType::float32(self.context))
    }

    /// IEEE 754 double precision.
    pub fn f64(&self) -> Type<'m> {
        Type(MlirType::float64(self.context))
    }

    /// A pointer to anything.
    pub fn ptr(&self) -> Type<'m> {
        Type(llvm::pointer(self.context, 0))
    }

    /// An unpacked struct value.
    pub fn record(&self, fields: &[Type<'m>]) -> Type<'m> {
        let fields: Vec<_> = fields.iter().map(|field| field.0).collect();
        Type(llvm::r#struct(self.context, &fields, false))
    }

    /// An array value.
    pub fn array(&self, element: Type<'m>, length: u32) -> Type<'m> {
        Type(llvm::array(element.0, length))
    }

    /// A function value, `!clef.closure` of the explicit parameters. Operations of the `llvm` dialect carry it as a
    /// pointer: [`super::Emit`] converts between the two.
    pub fn closure(&self, signature: &Signature<'m>) -> Type<'m> {
        let parameters: Vec<_> = signature.parameters.iter().map(|parameter| parameter.0).collect();
        let results: Vec<_> = signature.result.iter().map(|result| result.0).collect();
        self.clef_type(&format!("closure<{}>", FunctionType::new(self.context, &parameters, &results)))
    }

    /// A handle of a region.
    pub fn region(&self) -> Type<'m> {
        self.clef_type("region")
    }

    /// The type of operands of operations that accept many types.
    pub(super) fn operand_type(&self) -> Type<'m> {
        self.clef_type("operand")
    }

    fn clef_type(&self, text: &str) -> Type<'m> {
        match MlirType::parse(self.context, &format!("!clef.{text}")) {
            Some(ty) => Type(ty),
            None => bug("mlir", None, format!("`!clef.{text}` is not a type")),
        }
    }
}
