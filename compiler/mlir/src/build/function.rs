//! Functions: their signatures, linkage and attributes; declarations and definitions.

use clef_base::internal::bug;
use melior::{
    dialect::llvm::{attributes::Linkage as LlvmLinkage, attributes::linkage as llvm_linkage, r#type as llvm},
    ir::{Attribute, Block as MlirBlock, Location, Region, RegionLike as _, attribute::ArrayAttribute},
};

use super::{
    Build, Capture, Emit, Type,
    attribute::{self, Named, named},
    debug::Scope,
};

/// How arguments are passed and who pops them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// The C convention of the target.
    C,
    /// `tailcc`: tail calls between functions of this convention take constant stack on targets that have it.
    Tail,
}

/// Parameters, result and convention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature<'m> {
    /// Types of the parameters.
    pub parameters: Vec<Type<'m>>,
    /// Type of the result, if there is one.
    pub result: Option<Type<'m>>,
    /// The calling convention.
    pub convention: Convention,
    /// What the C convention requires of some parameters in addition to their types.
    pub passing: Vec<(usize, Passing)>,
    /// How a result of fewer bits than a register is extended.
    pub extension: Option<Extension>,
}

/// What the C convention requires of a parameter in addition to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// The caller extends it to 32 bits.
    Extended(Extension),
    /// It is the address of `size` bytes of this alignment, of which the callee receives a copy among the arguments.
    Copied {
        /// Bytes.
        size: u64,
        /// Alignment of the copy.
        align: u64,
    },
    /// It is the address of the buffer for the result.
    Result {
        /// Bytes.
        size: u64,
        /// Alignment of the buffer.
        align: u64,
    },
}

/// How a value is extended to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// By zeros.
    Zero,
    /// By its sign.
    Sign,
}

impl Extension {
    fn attribute(self) -> &'static str {
        match self {
            Extension::Zero => "llvm.zeroext",
            Extension::Sign => "llvm.signext",
        }
    }
}

impl Passing {
    /// The attributes of the `llvm` dialect.
    fn attributes(self) -> String {
        let space = |name: &str, size: u64, align: u64| {
            format!("llvm.{name} = !llvm.array<{size} x i8>, llvm.align = {align} : i64")
        };
        match self {
            Passing::Extended(extension) => extension.attribute().to_owned(),
            Passing::Copied { size, align } => space("byval", size, align),
            Passing::Result { size, align } => space("sret", size, align),
        }
    }
}

impl<'m> Signature<'m> {
    /// A signature whose parameters and result are passed by their types alone.
    pub fn new(parameters: Vec<Type<'m>>, result: Option<Type<'m>>, convention: Convention) -> Self {
        Signature { parameters, result, convention, passing: Vec::new(), extension: None }
    }

    /// A signature of the C convention.
    pub fn c(parameters: impl Into<Vec<Type<'m>>>, result: Option<Type<'m>>) -> Self {
        Signature::new(parameters.into(), result, Convention::C)
    }

    /// A signature of the tail-call convention.
    pub fn tail(parameters: impl Into<Vec<Type<'m>>>, result: Option<Type<'m>>) -> Self {
        Signature::new(parameters.into(), result, Convention::Tail)
    }

    /// The signature with one more parameter before the others: that of a closure's code, from its explicit parameters.
    pub fn with_first(&self, first: Type<'m>) -> Self {
        let parameters = std::iter::once(first).chain(self.parameters.iter().copied()).collect();
        let passing = self.passing.iter().map(|(index, passing)| (index + 1, *passing)).collect();
        Signature { parameters, passing, ..self.clone() }
    }
}

/// The visibility of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// This module only.
    Internal,
    /// Everyone.
    External,
    /// Everyone, unless another object defines the symbol too.
    Weak,
}

/// The properties of a function without its body.
#[derive(Clone, Debug)]
pub struct Function<'m> {
    name: String,
    signature: Signature<'m>,
    linkage: Linkage,
    attributes: Vec<&'static str>,
    section: Option<String>,
    alignment: Option<u64>,
    arity: Option<u32>,
    captures: Option<Vec<Capture<'m>>>,
    once: bool,
    fixed: bool,
    parameter_attributes: Vec<(usize, &'static str)>,
    place: Option<(String, usize, usize)>,
    scope: Option<Scope<'m>>,
}

impl<'m> Function<'m> {
    /// A function with internal linkage and no attributes but `nounwind`.
    pub fn new(name: impl Into<String>, signature: Signature<'m>) -> Self {
        Function {
            name: name.into(),
            signature,
            linkage: Linkage::Internal,
            attributes: vec!["nounwind"],
            section: None,
            alignment: None,
            arity: None,
            captures: None,
            once: false,
            fixed: false,
            parameter_attributes: Vec::new(),
            place: None,
            scope: None,
        }
    }

    /// Makes it visible to the linker.
    pub fn external(mut self) -> Self {
        self.linkage = Linkage::External;
        self
    }

    /// Makes it visible to the linker, as a definition that another object may replace.
    pub fn weak(mut self) -> Self {
        self.linkage = Linkage::Weak;
        self
    }

    /// Adds an LLVM function attribute by its name, such as `noinline`, `alwaysinline`, `noreturn`, `cold`.
    pub fn attribute(mut self, name: &'static str) -> Self {
        self.attributes.push(name);
        self
    }

    /// Puts it into a section.
    pub fn section(mut self, name: impl Into<String>) -> Self {
        self.section = Some(name.into());
        self
    }

    /// Aligns its first instruction.
    pub fn align(mut self, bytes: u64) -> Self {
        self.alignment = Some(bytes);
        self
    }

    /// Stores its number of explicit parameters before its first instruction, for [`Emit::closure_arity`].
    pub fn arity(mut self, arity: u32) -> Self {
        self.arity = Some(arity);
        self
    }

    /// Makes it the code of closures with these captures: its first parameter is the closure.
    pub fn captures(mut self, captures: Vec<Capture<'m>>) -> Self {
        self.captures = Some(captures);
        self
    }

    /// Keeps all declared captures, even if none may be read: tables say where they are.
    pub fn fixed_captures(mut self) -> Self {
        self.fixed = true;
        self
    }

    /// Promises that it runs at most once in a run of the program, so that it may fill static slots. Verified.
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Adds an LLVM parameter attribute by its name, such as `llvm.noalias` or `llvm.nonnull`.
    pub fn parameter_attribute(mut self, index: usize, name: &'static str) -> Self {
        self.parameter_attributes.push((index, name));
        self
    }

    /// The source place of the definition.
    pub fn at(mut self, file: impl Into<String>, line: usize, column: usize) -> Self {
        self.place = Some((file.into(), line, column));
        self
    }

    /// What a debugger calls it, at its place.
    pub fn scope(mut self, scope: Scope<'m>) -> Self {
        self.scope = Some(scope);
        self
    }
}

impl<'m> Build<'m> {
    /// Declares a function that another module defines, unless the name is already known.
    pub fn declare(&self, name: &str, signature: &Signature<'m>) {
        self.declare_function(&Function::new(name, signature.clone()).external());
    }

    /// Declares a function with attributes, unless the name is already known.
    pub fn declare_function(&self, function: &Function<'m>) {
        if self.note_symbol(&function.name) {
            self.function(function, Region::new());
        }
    }

    /// Defines a function: the cursor is in its entry block, whose arguments are the parameters.
    pub fn define(&self, function: &Function<'m>) -> Emit<'m> {
        if !self.note_symbol(&function.name) {
            bug("mlir", None, format!("the symbol `{}` is defined twice", function.name));
        }
        let at = self.location_of(function);
        let parameters: Vec<_> = function.signature.parameters.iter().map(|parameter| (parameter.0, at)).collect();
        let region = Region::new();
        region.append_block(MlirBlock::new(&parameters));
        let operation = self.function(function, region);
        let mut emit = Emit::in_function(*self, operation, at);
        emit.scope(function.scope);
        emit
    }

    fn location_of(&self, function: &Function<'m>) -> Location<'m> {
        let Some((file, line, column)) = &function.place else { return Location::unknown(self.context) };
        let at = Location::new(self.context, file, *line, *column);
        function.scope.map_or(at, |scope| self.scoped(file, at, scope))
    }

    fn function(&self, function: &Function<'m>, body: Region<'m>) -> melior::ir::OperationRef<'m, 'm> {
        let context = self.context;
        let mut attributes = vec![
            named(context, "sym_name", attribute::string(context, &function.name)),
            named(context, "function_type", attribute::ty(self.llvm_function(&function.signature))),
            named(context, "linkage", self.linkage(function.linkage)),
            named(context, "CConv", self.convention(function.signature.convention)),
            named(context, "passthrough", self.strings(&function.attributes)),
        ];
        if function.linkage == Linkage::Internal {
            attributes.push(named(context, "dso_local", attribute::unit(context)));
        }
        if let Some(section) = &function.section {
            attributes.push(named(context, "section", attribute::string(context, section)));
        }
        let by_arity = function.arity.map(|_| 4);
        if let Some(alignment) = function.alignment.max(by_arity) {
            attributes.push(named(context, "alignment", attribute::integer(context, 64, alignment.cast_signed())));
        }
        if let Some(arity) = function.arity {
            attributes.push(named(context, "clef.arity", attribute::integer(context, 32, arity.into())));
        }
        if let Some(captures) = &function.captures {
            attributes.push(named(context, "clef.captures", Capture::list(context, captures)));
        }
        if function.fixed {
            attributes.push(named(context, "clef.fixed", attribute::unit(context)));
        }
        if function.once {
            attributes.push(named(context, "clef.once", attribute::unit(context)));
        }
        let given = &function.parameter_attributes;
        attributes.extend(self.argument_attributes(&function.signature, given));
        attributes.extend(self.result_attributes(&function.signature));
        let operation = attribute::operation("llvm.func", self.location_of(function))
            .add_attributes(&attributes)
            .add_regions([body]);
        self.append(attribute::finish(operation))
    }

    /// The attributes of the parameters of a signature, and `more`.
    pub(super) fn argument_attributes(
        &self,
        signature: &Signature<'m>,
        more: &[(usize, &'static str)],
    ) -> Option<Named<'m>> {
        if signature.passing.is_empty() && more.is_empty() {
            return None;
        }
        let of = |parameter: usize| {
            let passing = signature.passing.iter().filter(|(index, _)| *index == parameter);
            let more = more.iter().filter(|(index, _)| *index == parameter);
            let names = passing.map(|(_, passing)| passing.attributes());
            let names: Vec<String> = names.chain(more.map(|(_, name)| (*name).to_owned())).collect();
            attribute::parse(self.context, &format!("{{{}}}", names.join(", ")))
        };
        let all: Vec<Attribute> = (0..signature.parameters.len()).map(of).collect();
        Some(named(self.context, "arg_attrs", ArrayAttribute::new(self.context, &all)))
    }

    /// The attributes of the result of a signature.
    pub(super) fn result_attributes(&self, signature: &Signature<'m>) -> Option<Named<'m>> {
        let extension = signature.extension?;
        let all = [attribute::parse(self.context, &format!("{{{}}}", extension.attribute()))];
        Some(named(self.context, "res_attrs", ArrayAttribute::new(self.context, &all)))
    }

    /// The function type of the `llvm` dialect.
    pub(crate) fn llvm_function(&self, signature: &Signature<'m>) -> melior::ir::Type<'m> {
        let parameters: Vec<_> = signature.parameters.iter().map(|parameter| parameter.0).collect();
        let result = signature.result.map_or_else(|| llvm::void(self.context), |result| result.0);
        llvm::function(result, &parameters, false)
    }

    pub(crate) fn linkage(&self, linkage: Linkage) -> Attribute<'m> {
        let linkage = match linkage {
            Linkage::Internal => LlvmLinkage::Internal,
            Linkage::External => LlvmLinkage::External,
            Linkage::Weak => LlvmLinkage::Weak,
        };
        llvm_linkage(self.context, linkage)
    }

    pub(crate) fn convention(&self, convention: Convention) -> Attribute<'m> {
        attribute::parse(
            self.context,
            match convention {
                Convention::C => "#llvm.cconv<ccc>",
                Convention::Tail => "#llvm.cconv<tailcc>",
            },
        )
    }

    fn strings(&self, strings: &[&str]) -> Attribute<'m> {
        let strings: Vec<_> = strings.iter().map(|string| attribute::string(self.context, string)).collect();
        ArrayAttribute::new(self.context, &strings).into()
    }
}
