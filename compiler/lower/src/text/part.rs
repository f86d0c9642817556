//! Splits a string expression into parts.
//!
//! In: an expression of type `string`. Out: its parts in order. All its values are evaluated from left to right, and none is
//! formatted: that is up to the consumer, the console or the log.

use super::Padding;
use crate::body::Body;
use clef_base::{Span, Symbol, internal};
use clef_core::Atom;
use clef_psg::{Literal, NodeId, NodeKind, Part};
use clef_types::{Primitive, TextFormat, Type, TypeKind};

/// An evaluated part of a string expression.
#[derive(Clone, Debug)]
pub(crate) enum TextPart {
    /// Literal text.
    Literal(Symbol),
    /// A string.
    String(Atom),
    /// A value to be formatted.
    Value(TextFormat, Atom, Span),
    /// Parts padded to a width.
    Padded(Padding, Vec<TextPart>, Span),
}

impl Body<'_, '_> {
    /// Whether an expression is a string of several pieces, or a formatted value.
    pub(crate) fn is_text(&self, node: NodeId) -> bool {
        if let NodeKind::Apply { function, arguments } = &self.psg.nodes[node].kind {
            let operator = &self.psg.nodes[*function].kind;
            let formatted = matches!(operator, NodeKind::Primitive(Primitive::Text(_))) && arguments.len() == 1;
            let added = matches!(operator, NodeKind::Primitive(Primitive::Add | Primitive::AddChecked));
            let joined = added && arguments.len() == 2 && self.is_string(self.psg.nodes[node].ty);
            return formatted || joined || self.pads(*function) && arguments.len() == 4;
        }
        matches!(self.psg.nodes[node].kind, NodeKind::Interpolate(_))
    }

    fn is_string(&self, ty: Type) -> bool {
        if let TypeKind::Parameter(parameter) = self.kind(ty) {
            return self.environment.substitution().is_string(&self.lowering.types, *parameter);
        }
        *self.kind(ty) == TypeKind::String
    }

    /// Evaluates the values in a string expression.
    pub(crate) fn parts(&mut self, node: NodeId) -> Vec<TextPart> {
        let mut parts = Vec::new();
        self.collect_parts(node, &mut parts);
        parts
    }

    fn collect_parts(&mut self, node: NodeId, found: &mut Vec<TextPart>) {
        let data = &self.psg.nodes[node];
        match &data.kind {
            NodeKind::Interpolate(parts) => {
                for part in parts {
                    match part {
                        Part::Text(text) => found.push(TextPart::Literal(*text)),
                        Part::Value(value) => self.collect_parts(*value, found),
                    }
                }
            }
            NodeKind::Literal(Literal::String(text)) => found.push(TextPart::Literal(*text)),
            NodeKind::Apply { function, arguments } if self.pads(*function) => {
                let [side, sign, width, text] = arguments[..] else {
                    internal::bug("lower", data.span, "a width is not applied to a string")
                };
                let [side, sign, width] = [side, sign, width].map(|node| self.value(node));
                let inner = self.parts(text);
                found.push(TextPart::Padded(Padding { side, sign, width }, inner, data.span));
            }
            NodeKind::Apply { function, arguments } if self.is_text(node) => {
                let NodeKind::Primitive(Primitive::Text(format)) = self.psg.nodes[*function].kind else {
                    return arguments.iter().for_each(|argument| self.collect_parts(*argument, found));
                };
                let ty = self.node_type(arguments[0]);
                if *self.kind(ty) == TypeKind::String && format == TextFormat::General {
                    return self.collect_parts(arguments[0], found);
                }
                let value = self.value(arguments[0]);
                found.push(TextPart::Value(format, value, data.span));
            }
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Lambda(_)
            | NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Foreign { .. }
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. } => {
                let value = self.value(node);
                found.push(TextPart::String(value));
            }
        }
    }

    /// Whether a function is the library function that pads a string.
    pub(crate) fn pads(&self, function: NodeId) -> bool {
        let NodeKind::Variable { variable, .. } = self.psg.nodes[function].kind else { return false };
        let data = &self.psg.variables[variable];
        data.marks.library && data.path.as_str() == "Text.padded"
    }
}
