//! The origins of the types of a mismatch, and the fixes that their shapes suggest.

use crate::checker::Checker;
use clef_base::{Diagnostic, Span, Symbol, codes, diagnostic::Label};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::NodeId;

impl Checker<'_> {
    /// Adds the definition of a name to the mismatch just reported for its value.
    pub(crate) fn show_origin(&mut self, node: NodeId) {
        let Some(variable) = self.variable_of(node) else { return };
        let Some(span) = self.own_definition(node) else { return };
        let name = self.graph.psg.variables[variable].name;
        let Some(report) = self.reports.diagnostics.last_mut() else { return };
        let is_mismatch = matches!(report.code, codes::TYPE_MISMATCH | codes::UNMET_CONSTRAINT);
        if is_mismatch && report.secondary.iter().all(|label| label.span != span) {
            report.secondary.push(Label { span, message: format!("`{name}` is bound here") });
        }
    }

    /// The definition of a node's name, if it is in the program and on another line.
    pub(crate) fn own_definition(&self, node: NodeId) -> Option<Span> {
        let variable = &self.graph.psg.variables[self.variable_of(node)?];
        let is_own = !variable.marks.library && !variable.name.as_str().contains('$');
        let line = |span: Span| (span.file, self.input.sources.line_column(span).line);
        (is_own && line(variable.span) != line(self.graph.span_of(node))).then_some(variable.span)
    }

    /// A literal, perhaps with a unit, rewritten as a literal of another type, if possible.
    pub(crate) fn literal_as(wanted: TypeConstructor, text: &str) -> Option<String> {
        let (digits, unit) = text.split_at(text.find('<').unwrap_or(text.len()));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let suffix = if let TypeConstructor::Integer(kind) = wanted {
            kind.suffix()?
        } else if wanted == TypeConstructor::Float64 {
            ".0"
        } else if wanted == TypeConstructor::Float32 {
            ".0f"
        } else {
            return None;
        };
        Some(format!("{digits}{suffix}{unit}"))
    }

    /// A fix for an option or result in place of its content; `wrap` writes a call with the expression.
    pub(crate) fn propose_wrapping(
        &mut self,
        diagnostic: Diagnostic,
        (wanted, found): (&Ty, &Ty),
        span: Span,
        wrap: impl Fn(&str) -> String,
    ) -> Diagnostic {
        let holds = |checker: &mut Self, holder: &Ty, held: &Ty| match checker.inference.shallow(holder) {
            Ty::Constructor(_, parts) if !parts.is_empty() => {
                let (inner, held) = (checker.show(&parts[0]), checker.show(held));
                inner == held
            }
            Ty::Constructor(..) | Ty::Variable(_) => false,
        };
        match (self.receiver(wanted), self.receiver(found)) {
            (Some("option"), _) if holds(self, wanted, found) => self
                .propose_optional(diagnostic, span)
                .unwrap_or_else(|diagnostic| diagnostic.fix("wrap it in an option", span, wrap("Some"))),
            (Some("Result"), _) if holds(self, wanted, found) => {
                diagnostic.fix("wrap it in a result", span, wrap("Ok"))
            }
            (_, Some("option")) if holds(self, found, wanted) => {
                diagnostic.note("it may be `None`").help("match on it, or provide a default with `Option.defaultValue`")
            }
            (_, Some("Result")) if holds(self, found, wanted) => diagnostic
                .note("it may be an `Error`")
                .help("match on it, or provide a default with `Result.defaultValue`"),
            (_, _) => diagnostic,
        }
    }

    /// Proposes a library function that returns an option in place of one that does not: `Parse.tryInt` for `Parse.int`.
    /// Returns the diagnostic unchanged if there is none.
    pub(crate) fn propose_optional(&self, diagnostic: Diagnostic, call: Span) -> Result<Diagnostic, Diagnostic> {
        let text = self.input.sources.text(call);
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '.')).unwrap_or(text.len());
        let Some((module, name)) = text[..end].split_once('.') else { return Err(diagnostic) };
        let Some(initial) = name.chars().next() else { return Err(diagnostic) };
        let wanted = format!("try{}{}", initial.to_uppercase(), &name[initial.len_utf8()..]);
        let modules = self.names.find_modules(&[Symbol::new(module)]);
        let mut modules = modules.into_iter().map(|module| &self.names.modules[module]);
        let Some(found) = modules.find(|module| module.library) else { return Err(diagnostic) };
        let same = |known: &&Symbol| known.as_str().eq_ignore_ascii_case(&wanted);
        let Some(function) = found.values.keys().find(same) else { return Err(diagnostic) };
        let place = Span::new(call.file, call.start as usize, call.start as usize + end);
        let function = format!("{module}.{function}");
        Ok(diagnostic.fix(format!("`{function}` returns an option"), place, function))
    }

    /// Explains an operator or member that an option does not have.
    pub(crate) fn explain_option(&mut self, diagnostic: Diagnostic, ty: &Ty) -> Diagnostic {
        match self.receiver(ty) {
            Some("option") => diagnostic
                .note("an option may be `None`")
                .help("match on it, use `Option.map`, or provide a default with `Option.defaultValue`"),
            Some(_) | None => diagnostic,
        }
    }
}
