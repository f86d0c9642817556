//! The output of functions that only write their argument, perhaps with literals around it, as `Console.writeln` does.

use crate::body::Body;
use clef_base::Symbol;
use clef_psg::{Literal, NodeId, NodeKind, VariableId};
use clef_types::{Intrinsic, Primitive};

/// The maximum nesting of functions that write their argument.
const DEEPEST_WRITER: usize = 8;

/// The output of a function: in order, the destination and the string.
pub(super) type Written = Vec<(Intrinsic, Template)>;

/// A piece of a function's output.
#[derive(Clone, Copy, Debug)]
pub(super) enum Template {
    /// Literal text.
    Literal(Symbol),
    /// The function's argument.
    Argument,
}

impl Body<'_, '_> {
    /// The output of a call, if the function only writes its one argument.
    pub(super) fn written_by_call(&self, function: NodeId) -> Option<Written> {
        self.written_by(function, DEEPEST_WRITER)
    }

    /// The output of a function, if it only writes its one argument.
    fn written_by(&self, function: NodeId, depth: usize) -> Option<Written> {
        if let NodeKind::Intrinsic(target @ (Intrinsic::ConsoleWrite | Intrinsic::ConsoleError)) =
            self.psg.nodes[function].kind
        {
            return Some(vec![(target, Template::Argument)]);
        }
        let NodeKind::Variable { variable, .. } = self.psg.nodes[function].kind else { return None };
        if !self.psg.variables[variable].marks.library {
            return None;
        }
        let binding = self.lowering.usage.functions.get(&variable)?;
        let lambda = &self.psg.lambdas[binding.lambda];
        let [param] = lambda.params[..] else { return None };
        let mut written = Vec::new();
        let depth = depth.checked_sub(1)?;
        self.written(lambda.body, param, &mut written, depth).then_some(written)
    }

    /// Adds the output of an expression; false if it does anything else.
    fn written(&self, node: NodeId, param: VariableId, written: &mut Written, depth: usize) -> bool {
        let kind = &self.psg.nodes[node].kind;
        if let NodeKind::Sequence(nodes) = kind {
            return nodes.iter().all(|node| self.written(*node, param, written, depth));
        }
        let NodeKind::Apply { function, arguments } = kind else {
            return matches!(kind, NodeKind::Literal(Literal::Unit));
        };
        let [argument] = arguments[..] else { return false };
        let Some(inner) = self.written_by(*function, depth) else { return false };
        let Some(templates) = self.template_of(argument, param) else { return false };
        for (target, template) in inner {
            match template {
                Template::Literal(_) => written.push((target, template)),
                Template::Argument => written.extend(templates.iter().map(|piece| (target, *piece))),
            }
        }
        true
    }

    /// The pieces of a string that consists only of literals and a parameter.
    fn template_of(&self, node: NodeId, param: VariableId) -> Option<Vec<Template>> {
        let kind = &self.psg.nodes[node].kind;
        if let NodeKind::Literal(Literal::String(text)) = kind {
            return Some(vec![Template::Literal(*text)]);
        }
        if let NodeKind::Variable { variable, .. } = kind {
            return (*variable == param).then(|| vec![Template::Argument]);
        }
        let NodeKind::Apply { function, arguments } = kind else { return None };
        let added = matches!(self.psg.nodes[*function].kind, NodeKind::Primitive(Primitive::Add));
        if !added || !self.is_text(node) {
            return None;
        }
        Some([self.template_of(arguments[0], param)?, self.template_of(arguments[1], param)?].concat())
    }
}
