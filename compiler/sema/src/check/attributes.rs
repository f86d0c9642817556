//! Attributes: those that mean something here, those of later versions, and unknown ones.

use super::{Checker, near::nearest};
use clef_base::{Diagnostic, Symbol, codes};
use clef_syntax::ast::{Attribute, ExprKind, Literal, TypeDeclaration, TypeDeclarationKind};

/// What the attributes of a binding say.
#[derive(Clone, Default)]
pub(super) struct Attributes {
    /// `[<EntryPoint>]`.
    pub(super) entry: bool,
    /// `[<Literal>]`.
    pub(super) literal: bool,
    /// `[<NoInline>]`.
    pub(super) no_inline: bool,
    /// `[<Intrinsic("name")>]`.
    pub(super) intrinsic: Option<Symbol>,
    /// `[<View>]`.
    pub(super) view: bool,
    /// `[<AutoOpen>]`.
    pub(super) auto_open: bool,
    /// `[<RequireQualifiedAccess>]`.
    pub(super) qualified: bool,
}

/// Attributes of the language that this version does not act upon.
const LATER: &[&str] = &["Test", "Interrupt", "Extern", "FidelityExtern", "Export", "Section", "Align"];

/// Attributes that mean something.
const KNOWN: &[&str] = &["EntryPoint", "Literal", "NoInline", "AutoOpen", "RequireQualifiedAccess"];

/// Attributes that belong to types.
const OF_TYPES: &[&str] = &["Struct", "Measure"];

impl Checker<'_> {
    /// Reports those of a type's attributes that mean nothing there.
    pub(super) fn type_attributes(&mut self, ty: &TypeDeclaration) {
        let is_compound = matches!(ty.kind, TypeDeclarationKind::Union(_) | TypeDeclarationKind::Record(_));
        let is_measure = matches!(ty.kind, TypeDeclarationKind::Measure | TypeDeclarationKind::Abbreviation(_));
        let is_wrong = matches!(ty.kind, TypeDeclarationKind::Refused(_) | TypeDeclarationKind::Error);
        for attribute in &ty.attributes {
            let fits = match last_name(attribute) {
                // Records and unions are values in any case.
                "Struct" => is_compound,
                "Measure" => is_measure,
                "RequireQualifiedAccess" => is_compound || matches!(ty.kind, TypeDeclarationKind::Enum(_)),
                name if KNOWN.contains(&name) => false,
                _ => {
                    self.report_attribute(attribute);
                    continue;
                }
            };
            if !fits && !is_wrong {
                let message = format!("the attribute `{}` means nothing on this type", last_name(attribute));
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, message));
            }
        }
    }

    /// Reads the attributes of a binding or module, and reports those that are not understood.
    pub(super) fn binding_attributes(&mut self, attributes: &[Attribute]) -> Attributes {
        let read = self.binding_attributes_quietly(attributes);
        for attribute in attributes {
            self.report_attribute(attribute);
        }
        read
    }

    /// The same without a word.
    pub(super) fn binding_attributes_quietly(&self, attributes: &[Attribute]) -> Attributes {
        let mut read = Attributes::default();
        for attribute in attributes {
            match last_name(attribute) {
                "EntryPoint" => read.entry = true,
                "Literal" => read.literal = true,
                "NoInline" => read.no_inline = true,
                "AutoOpen" => read.auto_open = true,
                "RequireQualifiedAccess" => read.qualified = true,
                "View" if self.library => read.view = true,
                "Intrinsic" if self.library => read.intrinsic = self.text_argument(attribute),
                _ => {}
            }
        }
        read
    }

    fn text_argument(&self, attribute: &Attribute) -> Option<Symbol> {
        let ExprKind::Literal(Literal::String(text)) = &self.ast.exprs[attribute.argument?].kind else { return None };
        Some(Symbol::new(text))
    }

    /// Reports an attribute that is not acted upon.
    pub(super) fn report_attribute(&mut self, attribute: &Attribute) {
        let name = last_name(attribute);
        if KNOWN.contains(&name) || (["Intrinsic", "View"].contains(&name) && self.library) {
            return;
        }
        if OF_TYPES.contains(&name) {
            let message = format!("the attribute `{name}` belongs to a type");
            self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, message));
            return;
        }
        if LATER.contains(&name) {
            let message = format!("the attribute `{name}` is not supported by this version of clefc");
            self.report(Diagnostic::error(codes::NOT_SUPPORTED_YET, attribute.span, message));
            return;
        }
        let diagnostic = if name == "AllowNullLiteral" {
            Diagnostic::error(codes::NOT_IN_CLEF, attribute.span, "Clef has no `null`").help("use an option: `None`")
        } else {
            let message = format!("there is no attribute `{name}`");
            let diagnostic = Diagnostic::error(codes::UNKNOWN_ATTRIBUTE, attribute.span, message);
            match nearest(name, KNOWN.iter().chain(OF_TYPES).chain(LATER).copied()).first() {
                Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), attribute.name.span(), near.clone()),
                None => diagnostic,
            }
        };
        self.report(diagnostic);
    }
}

fn last_name(attribute: &Attribute) -> &'static str {
    let segments = &attribute.name.segments;
    segments[segments.len() - 1].symbol.as_str()
}
