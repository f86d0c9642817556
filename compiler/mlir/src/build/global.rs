//! Globals: constants and variables with initial values.

use clef_base::internal::bug;
use melior::{
    dialect::llvm::r#type as llvm,
    ir::{
        Attribute, Block as MlirBlock, BlockLike as _, Location, Region, RegionLike as _, Value as MlirValue,
        ValueLike as _,
        attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute, FloatAttribute},
    },
};

use super::{
    Build, Linkage, Type,
    arithmetic::integer_attribute,
    attribute::{self, Named, named},
};

/// A value known at compile time.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant<'m> {
    /// Zero of any type.
    Zero(Type<'m>),
    /// An integer; only the low bits that fit the type are used.
    Integer(Type<'m>, i64),
    /// A float, rounded to the type.
    Float(Type<'m>, f64),
    /// The address of a function or a global, plus an offset in bytes.
    Address(String, i32),
    /// An array of bytes.
    Bytes(Vec<u8>),
    /// An array of integers of 16, 32 or 64 bits, or of floats, with their number and all their bytes, lowest first.
    /// Unlike of [`Constant::Bytes`], passes know the value of an element that they see loaded.
    Numbers(Type<'m>, u32, Vec<u8>),
    /// A struct, or an array of equal elements, with all its fields.
    Aggregate(Type<'m>, Vec<Constant<'m>>),
}

impl<'m> Constant<'m> {
    /// The address of a symbol.
    pub fn address(symbol: impl Into<String>) -> Self {
        Constant::Address(symbol.into(), 0)
    }

    /// Its type.
    pub fn ty(&self, build: &Build<'m>) -> Type<'m> {
        match self {
            Constant::Zero(ty) | Constant::Integer(ty, _) | Constant::Float(ty, _) | Constant::Aggregate(ty, _) => *ty,
            Constant::Address(..) => build.ptr(),
            Constant::Bytes(bytes) => build.array(build.int(8), u32::try_from(bytes.len()).unwrap_or(u32::MAX)),
            Constant::Numbers(ty, count, _) => build.array(*ty, *count),
        }
    }
}

/// A constant or variable with static storage.
#[derive(Clone, Debug)]
pub struct Global<'m> {
    name: String,
    value: Constant<'m>,
    linkage: Linkage,
    constant: bool,
    align: Option<u64>,
    section: Option<String>,
    mergeable: bool,
    statement: Option<(String, usize)>,
    used: bool,
}

impl<'m> Global<'m> {
    /// An internal constant.
    pub fn constant(name: impl Into<String>, value: Constant<'m>) -> Self {
        let name = name.into();
        Global {
            name,
            value,
            linkage: Linkage::Internal,
            constant: true,
            align: None,
            section: None,
            mergeable: false,
            statement: None,
            used: false,
        }
    }

    /// An internal variable.
    pub fn variable(name: impl Into<String>, value: Constant<'m>) -> Self {
        Global { constant: false, ..Global::constant(name, value) }
    }

    /// Makes it visible to the linker.
    pub fn external(mut self) -> Self {
        self.linkage = Linkage::External;
        self
    }

    /// Aligns it.
    pub fn align(mut self, bytes: u64) -> Self {
        self.align = Some(bytes);
        self
    }

    /// Puts it into a section.
    pub fn section(mut self, name: impl Into<String>) -> Self {
        self.section = Some(name.into());
        self
    }

    /// Keeps it in the image, even if nothing refers to it.
    pub fn used(mut self) -> Self {
        self.used = true;
        self
    }

    /// Marks it as a log statement in this file and line; debug information says so.
    pub fn statement(mut self, file: impl Into<String>, line: usize) -> Self {
        self.statement = Some((file.into(), line));
        self
    }

    /// Allows it to share its address with an equal constant.
    pub fn mergeable(mut self) -> Self {
        self.mergeable = true;
        self
    }
}

impl<'m> Build<'m> {
    /// Defines a global, unless the name is already known.
    pub fn global(&self, global: &Global<'m>) {
        if !self.note_symbol(&global.name) {
            return;
        }
        let ty = global.value.ty(self);
        let mut attributes = self.global_attributes(&global.name, ty, global.linkage);
        let context = self.context;
        if global.constant {
            attributes.push(named(context, "constant", attribute::unit(context)));
        }
        if let Some(align) = global.align {
            attributes.push(named(context, "alignment", attribute::integer(context, 64, align.cast_signed())));
        }
        if let Some(section) = &global.section {
            attributes.push(named(context, "section", attribute::string(context, section)));
        }
        if global.used {
            attributes.push(named(context, "clef.used", attribute::unit(context)));
        }
        if global.mergeable {
            attributes.push(named(context, "unnamed_addr", attribute::integer(context, 64, 2)));
        }
        let region = Region::new();
        region.append_block(self.initialiser(&global.value));
        let place = match &global.statement {
            Some((file, line)) => Location::new(context, file, *line, 1),
            None => Location::unknown(context),
        };
        let operation =
            attribute::operation("llvm.mlir.global", place).add_attributes(&attributes).add_regions([region]);
        self.append(attribute::finish(operation));
    }

    /// Declares a variable that another module defines, unless the name is already known.
    pub fn declare_global(&self, name: &str, ty: Type<'m>) {
        if self.note_symbol(name) {
            let operation = attribute::operation("llvm.mlir.global", Location::unknown(self.context))
                .add_attributes(&self.global_attributes(name, ty, Linkage::External))
                .add_regions([Region::new()]);
            self.append(attribute::finish(operation));
        }
    }

    fn global_attributes(&self, name: &str, ty: Type<'m>, linkage: Linkage) -> Vec<Named<'m>> {
        let context = self.context;
        let mut attributes = vec![
            named(context, "sym_name", attribute::string(context, name)),
            named(context, "global_type", attribute::ty(ty.0)),
            named(context, "linkage", self.linkage(linkage)),
            named(context, "addr_space", attribute::integer(context, 32, 0)),
        ];
        if linkage == Linkage::Internal {
            attributes.push(named(context, "dso_local", attribute::unit(context)));
        }
        attributes
    }

    /// The block that computes and returns an initial value.
    fn initialiser(&self, value: &Constant<'m>) -> MlirBlock<'m> {
        let block = MlirBlock::new(&[]);
        let value = self.constant_in(&block, value);
        let at = Location::unknown(self.context);
        block.append_operation(attribute::finish(attribute::operation("llvm.return", at).add_operands(&[value])));
        block
    }

    fn constant_in(&self, block: &MlirBlock<'m>, value: &Constant<'m>) -> MlirValue<'m, 'm> {
        let context = self.context;
        let ty = value.ty(self);
        let plain = |value: Attribute<'m>| {
            self.initial(block, "llvm.mlir.constant", &[], ty, &[named(context, "value", value)])
        };
        match value {
            Constant::Zero(_) => self.initial(block, "llvm.mlir.zero", &[], ty, &[]),
            Constant::Integer(_, value) => plain(integer_attribute(ty, *value)),
            Constant::Float(_, value) => plain(FloatAttribute::new(context, ty.0, *value).into()),
            Constant::Bytes(bytes) => plain(attribute::bytes(context, bytes)),
            Constant::Numbers(element, count, bytes) => plain(attribute::numbers(*element, *count, bytes)),
            Constant::Address(symbol, offset) => {
                let name = named(context, "global_name", attribute::symbol(context, symbol));
                let address = self.initial(block, "llvm.mlir.addressof", &[], ty, &[name]);
                if *offset == 0 { address } else { self.constant_offset(block, address, *offset) }
            }
            Constant::Aggregate(_, fields) => {
                let empty = self.initial(block, "llvm.mlir.undef", &[], ty, &[]);
                fields.iter().enumerate().fold(empty, |aggregate, (index, field)| {
                    let field = self.constant_in(block, field);
                    let index = i64::try_from(index).unwrap_or(i64::MAX);
                    let position = named(context, "position", DenseI64ArrayAttribute::new(context, &[index]));
                    self.initial(block, "llvm.insertvalue", &[aggregate, field], ty, &[position])
                })
            }
        }
    }

    fn constant_offset(&self, block: &MlirBlock<'m>, base: MlirValue<'m, 'm>, offset: i32) -> MlirValue<'m, 'm> {
        let context = self.context;
        let attributes = [
            named(context, "elem_type", attribute::ty(self.int(8).0)),
            named(context, "rawConstantIndices", DenseI32ArrayAttribute::new(context, &[offset])),
        ];
        self.initial(block, "llvm.getelementptr", &[base], Type(llvm::pointer(context, 0)), &attributes)
    }

    fn initial(
        &self,
        block: &MlirBlock<'m>,
        name: &str,
        operands: &[MlirValue<'m, 'm>],
        ty: Type<'m>,
        attributes: &[Named<'m>],
    ) -> MlirValue<'m, 'm> {
        let operation = attribute::operation(name, Location::unknown(self.context))
            .add_operands(operands)
            .add_results(&[ty.0])
            .add_attributes(attributes);
        let operation = block.append_operation(attribute::finish(operation));
        match operation.result(0) {
            // SAFETY: the block goes into the module, which owns the operation for `'m`.
            Ok(result) => unsafe { MlirValue::from_raw(result.to_raw()) },
            Err(error) => bug("mlir", None, error.to_string()),
        }
    }
}
