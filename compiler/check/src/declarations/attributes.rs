//! Attributes: supported, not yet supported, and unknown ones.

use crate::{checker::Checker, names::paths::Found};
use clef_base::suggest::nearest_names;
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_psg::ExpectedTrap;
use clef_scopes::Meaning;
use clef_syntax::ast::{Attribute, ExprId, ExprKind, Literal, TypeDeclaration, TypeDeclarationKind};
use clef_types::{
    interrupt_symbol::{HANDLED_EXCEPTIONS, INTERRUPT, TIMER},
    section_name::is_free_section,
};

/// The attributes of a binding.
#[derive(Clone, Default)]
pub(crate) struct Attributes {
    /// `[<EntryPoint>]`.
    pub(crate) entry: bool,
    /// `[<Literal>]`.
    pub(crate) literal: bool,
    /// `[<NoInline>]`.
    pub(crate) no_inline: bool,
    /// `[<Intrinsic("name")>]`.
    pub(crate) intrinsic: Option<Symbol>,
    /// `[<View>]`.
    pub(crate) view: bool,
    /// `[<TrapAtCall>]`.
    pub(crate) trap_at_call: bool,
    /// `[<Extern("symbol")>]`, `[<FidelityExtern("library", "symbol")>]`.
    pub(crate) import: Option<ForeignName>,
    /// `[<Export("symbol")>]`.
    pub(crate) export: Option<ForeignName>,
    /// `[<Interrupt(3)>]`, `[<Interrupt("SysTick")>]`.
    pub(crate) interrupt: Option<ForeignName>,
    /// `[<Section("name")>]`.
    pub(crate) section: Option<Symbol>,
    /// `[<Align(bytes)>]`.
    pub(crate) align: Option<u32>,
    /// `[<Test>]`.
    pub(crate) test: bool,
    /// `[<ShouldTrap>]`, `[<ShouldTrap("text")>]`.
    pub(crate) should_trap: Option<ExpectedTrap>,
    /// `[<AutoOpen>]`.
    pub(crate) auto_open: bool,
    /// `[<RequireQualifiedAccess>]`.
    pub(crate) qualified: bool,
}

impl Attributes {
    /// Whether they apply only to bindings at module level.
    pub(crate) fn require_module_level(&self) -> bool {
        self.entry
            || self.literal
            || self.intrinsic.is_some()
            || self.import.is_some()
            || self.export.is_some()
            || self.interrupt.is_some()
            || self.section.is_some()
            || self.align.is_some()
            || self.test
            || self.should_trap.is_some()
    }
}

/// The foreign name of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ForeignName {
    /// The linker symbol.
    pub(crate) symbol: Symbol,
    /// The library that provides it.
    pub(crate) library: Option<Symbol>,
    /// The attribute.
    pub(crate) span: Span,
}

/// Attributes of bindings.
const OF_BINDINGS: &[&str] = &[
    "EntryPoint",
    "Literal",
    "NoInline",
    "Extern",
    "FidelityExtern",
    "Export",
    "Interrupt",
    "Section",
    "Align",
    "Test",
    "ShouldTrap",
];

/// Attributes of modules.
const OF_MODULES: &[&str] = &["AutoOpen", "RequireQualifiedAccess"];

/// The largest alignment that an attribute can ask for.
const LARGEST_ALIGNMENT: u32 = 4096;

/// The largest interrupt number (Armv7-M Architecture Reference Manual, B1.5.2).
pub(crate) const LARGEST_INTERRUPT: i128 = 495;

/// Attributes of types.
const OF_TYPES: &[&str] = &["Struct", "Measure"];

impl Checker<'_> {
    /// Reports attributes that do not apply to types.
    pub(crate) fn type_attributes(&mut self, ty: &TypeDeclaration) {
        let is_compound = matches!(ty.kind, TypeDeclarationKind::Union(_) | TypeDeclarationKind::Record(_));
        let is_measure = matches!(ty.kind, TypeDeclarationKind::Measure | TypeDeclarationKind::Abbreviation(_));
        let is_wrong = matches!(ty.kind, TypeDeclarationKind::Unsupported(_) | TypeDeclarationKind::Error);
        for attribute in &ty.attributes {
            let fits = match last_name(attribute) {
                // Records and unions are value types in any case.
                "Struct" => is_compound,
                "Measure" => is_measure,
                "RequireQualifiedAccess" => is_compound || matches!(ty.kind, TypeDeclarationKind::Enum(_)),
                name if OF_BINDINGS.contains(&name) || OF_MODULES.contains(&name) => false,
                _ => {
                    self.report_attribute(attribute);
                    continue;
                }
            };
            if !fits && !is_wrong {
                let message = format!("the attribute `{}` has no effect on this type", last_name(attribute));
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, message));
            }
        }
    }

    /// Reads the attributes of a binding or module, and reports invalid ones.
    pub(crate) fn binding_attributes(&mut self, attributes: &[Attribute]) -> Attributes {
        let read = self.binding_attributes_quietly(attributes);
        for (index, attribute) in attributes.iter().enumerate() {
            self.report_attribute(attribute);
            self.report_argument(attribute);
            if attributes[..index].iter().any(|before| last_name(before) == last_name(attribute)) {
                let message = format!("the attribute `{}` appears twice", last_name(attribute));
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, message));
            }
        }
        read
    }

    /// Does the same without reporting.
    pub(crate) fn binding_attributes_quietly(&self, attributes: &[Attribute]) -> Attributes {
        let mut read = Attributes::default();
        for attribute in attributes {
            match last_name(attribute) {
                "EntryPoint" => read.entry = true,
                "Literal" => read.literal = true,
                "NoInline" => read.no_inline = true,
                "AutoOpen" => read.auto_open = true,
                "RequireQualifiedAccess" => read.qualified = true,
                "View" if self.input.library => read.view = true,
                "TrapAtCall" if self.input.library => read.trap_at_call = true,
                "Intrinsic" if self.input.library => read.intrinsic = self.text_argument(attribute),
                "Extern" => read.import = self.foreign_name(attribute, 1).or(Some(unnamed(attribute))),
                "FidelityExtern" => read.import = self.foreign_name(attribute, 2).or(Some(unnamed(attribute))),
                "Export" => read.export = self.foreign_name(attribute, 1),
                "Interrupt" => read.interrupt = self.interrupt_argument(attribute),
                "Section" => read.section = self.section_argument(attribute),
                "Align" => read.align = self.alignment_argument(attribute),
                "Test" => read.test = true,
                "ShouldTrap" => read.should_trap = Some(self.expected_trap(attribute).unwrap_or(ExpectedTrap::Any)),
                _ => {}
            }
        }
        read
    }

    fn arguments(&self, attribute: &Attribute) -> Vec<ExprId> {
        let Some(argument) = attribute.argument else { return Vec::new() };
        if let ExprKind::Tuple(parts) = &self.input.ast.exprs[argument].kind { parts.clone() } else { vec![argument] }
    }

    fn texts(&self, attribute: &Attribute) -> Option<Vec<Symbol>> {
        let text = |argument: &ExprId| {
            let clef_psg::Literal::String(text) = self.literal_argument(*argument)? else { return None };
            Some(text)
        };
        self.arguments(attribute).iter().map(text).collect()
    }

    /// The value of an argument: a literal, or the name of a `[<Literal>]`.
    fn literal_argument(&self, argument: ExprId) -> Option<clef_psg::Literal> {
        #[allow(clippy::wildcard_enum_match_arm, reason = "literals and names are constants")]
        match &self.input.ast.exprs[argument].kind {
            ExprKind::Literal(Literal::Integer { value, .. }) => Some(clef_psg::Literal::Integer(i128::from(*value))),
            ExprKind::Literal(Literal::String(text)) => Some(clef_psg::Literal::String(Symbol::new(text))),
            ExprKind::Name(path) => {
                let Found::Value(entry, count) = self.find_value(path) else { return None };
                let Meaning::Variable(variable) = entry.meaning else { return None };
                if count != path.segments.len() || !self.names.is_visible(entry.visibility) {
                    return None;
                }
                self.declared.constants.get(&variable).map(|(literal, _)| literal.clone())
            }
            _ => None,
        }
    }

    fn text_argument(&self, attribute: &Attribute) -> Option<Symbol> {
        match self.texts(attribute)?.as_slice() {
            [text] => Some(*text),
            _ => None,
        }
    }

    fn foreign_name(&self, attribute: &Attribute, count: usize) -> Option<ForeignName> {
        let texts = self.texts(attribute).filter(|texts| texts.len() == count)?;
        let (symbol, libraries) = texts.split_last()?;
        Some(ForeignName { symbol: *symbol, library: libraries.first().copied(), span: attribute.span })
    }

    /// The trap that a test must end in; `None` if the argument is invalid.
    fn expected_trap(&self, attribute: &Attribute) -> Option<ExpectedTrap> {
        match attribute.argument {
            None => Some(ExpectedTrap::Any),
            Some(_) => self.text_argument(attribute).filter(|text| !text.as_str().is_empty()).map(ExpectedTrap::Saying),
        }
    }

    /// The symbol of an interrupt handler.
    fn interrupt_argument(&self, attribute: &Attribute) -> Option<ForeignName> {
        let arguments = self.arguments(attribute);
        let [argument] = arguments.as_slice() else { return None };
        #[allow(clippy::wildcard_enum_match_arm, reason = "neither a number nor a name")]
        let name = match self.literal_argument(*argument)? {
            clef_psg::Literal::Integer(number) if (0..=LARGEST_INTERRUPT).contains(&number) => number.to_string(),
            clef_psg::Literal::String(name)
                if name.as_str() == TIMER || HANDLED_EXCEPTIONS.contains(&name.as_str()) =>
            {
                name.to_string()
            }
            _ => return None,
        };
        let symbol = Symbol::new(&format!("{INTERRUPT}{name}"));
        Some(ForeignName { symbol, library: None, span: attribute.span })
    }

    /// The name of a section that the linker script does not fill itself.
    fn section_argument(&self, attribute: &Attribute) -> Option<Symbol> {
        self.text_argument(attribute).filter(|name| is_free_section(name.as_str()))
    }

    /// A power of two up to [`LARGEST_ALIGNMENT`].
    fn alignment_argument(&self, attribute: &Attribute) -> Option<u32> {
        let arguments = self.arguments(attribute);
        let [argument] = arguments.as_slice() else { return None };
        let clef_psg::Literal::Integer(value) = self.literal_argument(*argument)? else { return None };
        u32::try_from(value).ok().filter(|value| value.is_power_of_two() && *value <= LARGEST_ALIGNMENT)
    }

    /// Reports an invalid attribute argument.
    fn report_argument(&mut self, attribute: &Attribute) {
        let name = last_name(attribute);
        let (sound, takes) = match name {
            "Extern" | "Export" => {
                (self.foreign_name(attribute, 1).is_some(), format!("`[<{name}(\"symbol\")>]`: the linker's symbol"))
            }
            "FidelityExtern" => (
                self.foreign_name(attribute, 2).is_some(),
                "`[<FidelityExtern(\"library\", \"symbol\")>]`: the library and the linker's symbol".to_owned(),
            ),
            "Interrupt" => (
                self.interrupt_argument(attribute).is_some(),
                format!(
                    "`[<Interrupt(3)>]`, with the number of an interrupt, or the name of one: {}",
                    interrupt_names()
                ),
            ),
            "Section" => (
                self.section_argument(attribute).is_some(),
                "`[<Section(\".name\")>]`: a dot, letters, digits and `_`, and not a standard section".to_owned(),
            ),
            "Align" => (
                self.alignment_argument(attribute).is_some(),
                format!("`[<Align(bytes)>]`: a power of two of at most {LARGEST_ALIGNMENT}"),
            ),
            "Test" => (attribute.argument.is_none(), "`[<Test>]`".to_owned()),
            "ShouldTrap" => (
                self.expected_trap(attribute).is_some(),
                "`[<ShouldTrap>]`, or `[<ShouldTrap(\"text\")>]` with a part of the trap's message".to_owned(),
            ),
            _ => return,
        };
        // An unknown module that is opened may have the literal.
        let is_name = |argument: ExprId| matches!(self.input.ast.exprs[argument].kind, ExprKind::Name(_));
        let is_consequence = self.reports.unknown_open && self.arguments(attribute).into_iter().any(is_name);
        if !sound && !is_consequence {
            let message = format!("wrong argument for the attribute `{name}`");
            let mut diagnostic = Diagnostic::error(codes::BAD_ATTRIBUTE_ARGUMENT, attribute.span, message);
            for argument in self.arguments(attribute) {
                let span = self.input.ast.exprs[argument].span;
                let text = self.input.sources.text(span);
                if matches!(self.input.ast.exprs[argument].kind, ExprKind::Name(_))
                    && self.literal_argument(argument).is_none()
                {
                    diagnostic = diagnostic
                        .also(span, format!("`{text}` is not the name of a `[<Literal>]`"))
                        .note("the argument of an attribute is a literal, or the name of one");
                }
            }
            self.report(diagnostic.help(format!("write {takes}")));
        }
    }

    /// Reports binding attributes on anything else.
    pub(crate) fn report_binding_attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            let name = last_name(attribute);
            if OF_BINDINGS.contains(&name) {
                let message = format!("the attribute `{name}` is only allowed on a `let` binding");
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, message));
            }
        }
    }

    /// Reports an attribute that has no effect.
    pub(crate) fn report_attribute(&mut self, attribute: &Attribute) {
        let name = last_name(attribute);
        let known = || OF_BINDINGS.iter().chain(OF_MODULES);
        let known_here = known().any(|known| *known == name);
        if known_here || (["Intrinsic", "View", "TrapAtCall"].contains(&name) && self.input.library) {
            return;
        }
        if OF_TYPES.contains(&name) {
            let message = format!("the attribute `{name}` is only allowed on a type");
            self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, message));
            return;
        }
        let diagnostic = if name == "AllowNullLiteral" {
            Diagnostic::error(codes::NOT_IN_CLEF, attribute.span, "Clef has no `null`").help("use an option: `None`")
        } else if name == "Flags" {
            Diagnostic::error(codes::NOT_IN_CLEF, attribute.span, "Clef has no attribute `Flags`")
                .note("values of every enum can be combined with `|||` and `&&&`; a combination prints as a number")
                .help("remove it")
        } else {
            let message = format!("unknown attribute `{name}`");
            let diagnostic = Diagnostic::error(codes::UNKNOWN_ATTRIBUTE, attribute.span, message);
            match nearest_names(name, known().chain(OF_TYPES).copied()).first() {
                Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), attribute.name.span(), near.clone()),
                None => diagnostic,
            }
        };
        self.report(diagnostic);
    }
}

/// A placeholder for a missing name, so that the binding is still treated as foreign.
fn unnamed(attribute: &Attribute) -> ForeignName {
    ForeignName { symbol: Symbol::new("unnamed"), library: None, span: attribute.span }
}

fn last_name(attribute: &Attribute) -> &'static str {
    let segments = &attribute.name.segments;
    segments[segments.len() - 1].symbol.as_str()
}

/// The names of interrupts, in quotation marks.
fn interrupt_names() -> String {
    let names = std::iter::once(TIMER).chain(HANDLED_EXCEPTIONS).map(|name| format!("`\"{name}\"`"));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{OF_BINDINGS, OF_MODULES, OF_TYPES};
    use crate::ATTRIBUTES;

    #[test]
    fn every_attribute_of_programs_is_described() {
        let mut known: Vec<&str> = OF_BINDINGS.iter().chain(OF_MODULES).chain(OF_TYPES).copied().collect();
        known.sort_unstable();
        assert_eq!(ATTRIBUTES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), known);
    }
}
