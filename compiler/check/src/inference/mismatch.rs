//! The messages for types that do not match.

use super::numbers::OtherNumber;
use crate::{
    checker::Checker,
    state::{Expect, Reason},
};
use clef_base::words::ordinal;
use clef_base::{Diagnostic, Span, codes};
use clef_infer::{Printer, Ty, TypeConstraint, TypeConstructor, UnificationError};
use clef_syntax::{joining::joining, written};
use clef_types::IntegerType;

impl Checker<'_> {
    /// The source syntax of a type; type variables without a name are `'a`, `'b`, ….
    pub(crate) fn show(&mut self, ty: &Ty) -> String {
        self.show_all(&[ty]).remove(0)
    }

    /// Several types with consistent names for their type variables.
    pub(crate) fn show_all(&mut self, types: &[&Ty]) -> Vec<String> {
        Printer::new(&mut self.inference, &self.graph.psg).types(types)
    }

    /// Reports that an expression does not have the expected type.
    pub(crate) fn report_mismatch(&mut self, span: Span, expect: &Expect, actual: &Ty, error: &UnificationError) {
        let diagnostic = match error {
            UnificationError::Infinite(part, whole) => self.infinite(span, part, whole),
            UnificationError::Unmet(unmet, ty) => {
                let found = self.show(ty);
                let message = format!("`{found}` is not supported here: expected {}", unmet.describe());
                let diagnostic = Diagnostic::error(codes::UNMET_CONSTRAINT, span, message);
                let diagnostic = diagnostic.label(format!("this has type `{found}`"));
                if *unmet == TypeConstraint::PLAIN {
                    return self.report(
                        explain(diagnostic, &expect.reason)
                            .help("annotate the parameters with a unit: `(x: float<'u>)`"),
                    );
                }
                if let (Ty::Constructor(TypeConstructor::Parameter(parameter), _), Some(constraint)) =
                    (ty, unmet.written())
                {
                    let name = self.graph.psg.type_parameters[*parameter].name;
                    return self.report(explain(diagnostic, &expect.reason).help(format!(
                        "add a constraint to the declaration of `'{name}`: `when '{name} : {constraint}`"
                    )));
                }
                match self.inference.shallow(ty) {
                    Ty::Constructor(TypeConstructor::NativePointer, _) => {
                        diagnostic.help("use the address, which is a number: `NativePtr.toNativeInt pointer`")
                    }
                    Ty::Constructor(..) | Ty::Variable(_) => diagnostic,
                }
            }
            UnificationError::Different => self.different(span, expect, actual),
            UnificationError::Large => return self.report_large(span),
        };
        let diagnostic = explain(diagnostic, &expect.reason);
        let diagnostic = self.propose(diagnostic, span, expect, actual);
        self.report(diagnostic);
    }

    fn different(&mut self, span: Span, expect: &Expect, actual: &Ty) -> Diagnostic {
        let shown = self.show_all(&[&expect.ty, actual]);
        let (expected, found) = (&shown[0], &shown[1]);
        let message = match &expect.reason {
            Reason::Argument { function: Some(name), number, .. } => {
                format!(
                    "wrong type for the {} argument of `{name}`: expected `{expected}`, found `{found}`",
                    ordinal(*number)
                )
            }
            Reason::Argument { function: None, number, .. } => {
                format!("wrong type for the {} argument: expected `{expected}`, found `{found}`", ordinal(*number))
            }
            Reason::Condition(word) => format!("the condition of `{word}` must be `bool`, found `{found}`"),
            Reason::Branch(_) => {
                format!("the branches of this `if` have different types: expected `{expected}`, found `{found}`")
            }
            Reason::Arm { .. } => {
                format!("the arms of this `match` have different types: expected `{expected}`, found `{found}`")
            }
            Reason::NoElse => format!("an `if` without `else` must be `unit`, found `{found}`"),
            Reason::Operand { operator, .. } if operator.as_str() == "::" => {
                format!("`::` requires an element and a list of the same type: expected `{expected}`, found `{found}`")
            }
            Reason::Operand { operator, .. } => {
                format!("the operands of `{operator}` must have the same type: expected `{expected}`, found `{found}`")
            }
            Reason::Element(_) => {
                format!("all elements must have the same type: expected `{expected}`, found `{found}`")
            }
            Reason::Index => format!("an index must be `{expected}`, found `{found}`"),
            Reason::Nothing
            | Reason::Within(_)
            | Reason::Operator { .. }
            | Reason::Annotation(_)
            | Reason::Assigned(_)
            | Reason::Bound
            | Reason::Scrutinee(_)
            | Reason::Piped(_)
            | Reason::PipedInto(_)
            | Reason::Format(..)
            | Reason::EntryPoint
            | Reason::Field(_)
            | Reason::Alternative(_) => format!("expected `{expected}`, found `{found}`"),
        };
        Diagnostic::error(codes::TYPE_MISMATCH, span, message).label(format!("this has type `{found}`"))
    }

    fn infinite(&mut self, span: Span, part: &Ty, whole: &Ty) -> Diagnostic {
        let shown = self.show_all(&[part, whole]);
        Diagnostic::error(
            codes::INFINITE_TYPE,
            span,
            format!("this requires an infinite type: `{}` = `{}`", shown[0], shown[1]),
        )
        .note("this happens when a function is applied to itself, or returns itself instead of a result")
        .help("check for a missing or an extra argument in this expression")
    }

    /// Whether a span fills the braces of an interpolated string.
    fn is_hole(&self, span: Span) -> bool {
        self.input.sources.file(span.file).text[..span.start as usize].trim_end().ends_with('{')
    }

    /// Whether a span is in parentheses.
    pub(crate) fn is_parenthesised(&self, span: Span) -> bool {
        let text = &self.input.sources.file(span.file).text;
        let before = text[..span.start as usize].trim_end().ends_with('(');
        before && text[span.end as usize..].trim_start().starts_with(')')
    }

    /// Adds the fixes that the two types suggest.
    fn propose(&mut self, mut diagnostic: Diagnostic, span: Span, expect: &Expect, actual: &Ty) -> Diagnostic {
        let (Ty::Constructor(wanted, pointed), Ty::Constructor(found, parts)) =
            (self.inference.shallow(&expect.ty), self.inference.shallow(actual))
        else {
            return diagnostic;
        };
        if wanted == TypeConstructor::Error {
            return diagnostic;
        }
        if let (Reason::Operand { operator, other }, TypeConstructor::Reference) = (&expect.reason, wanted)
            && operator.as_str() == "="
        {
            let cell = self.input.sources.text(*other);
            return diagnostic.help(format!("`{cell}.Value` reads the ref cell; `{cell}.Value <- …` assigns to it"));
        }
        let text = self.input.sources.text(span).to_owned();
        let wrapped = written::atom(&text);
        let convertible = |constructor: TypeConstructor| {
            matches!(
                constructor,
                TypeConstructor::Integer(_)
                    | TypeConstructor::Float32
                    | TypeConstructor::Float64
                    | TypeConstructor::Char
            )
        };
        let of_pattern = matches!(expect.reason, Reason::Scrutinee(_) | Reason::Alternative(_));
        if let (Reason::Scrutinee(place), Some("option")) = (&expect.reason, self.receiver(actual)) {
            return self.propose_optional(diagnostic, *place).unwrap_or_else(|diagnostic| diagnostic);
        }
        if text.contains('\n') || of_pattern {
            return diagnostic;
        }
        let is_argument = matches!(expect.reason, Reason::Argument { .. } | Reason::Format(..)) && !self.is_hole(span);
        let needs_parentheses = is_argument && !self.is_parenthesised(span);
        let call = |function: &str| match needs_parentheses {
            true => format!("({function} {wrapped})"),
            false => format!("{function} {wrapped}"),
        };
        if wanted == found && wanted.is_number() {
            return self.explain_units(diagnostic, &expect.ty, actual);
        }
        if let (
            Reason::Operand { other, .. },
            TypeConstructor::Integer(_),
            TypeConstructor::Float32 | TypeConstructor::Float64,
        ) = (&expect.reason, wanted, found)
        {
            return self.propose_left_conversion(diagnostic, *other, found);
        }
        if let (true, Some(literal)) = (convertible(found), Checker::literal_as(wanted, &text)) {
            return diagnostic
                .fix("write a literal of that type", span, literal)
                .note("Clef has no implicit numeric conversions");
        }
        if let (TypeConstructor::Integer(kind), true) = (wanted, convertible(found)) {
            let is_argument = needs_parentheses;
            let number = OtherNumber { wanted: kind, found, text: &text, span, is_argument };
            diagnostic = match self.propose_integer(diagnostic, &expect.reason, &number) {
                Ok(diagnostic) => return diagnostic,
                Err(diagnostic) => diagnostic,
            };
        }
        if convertible(wanted) && convertible(found) {
            let function = conversion(wanted);
            return diagnostic
                .fix(format!("convert it with `{function}`"), span, call(function))
                .note("Clef has no implicit numeric conversions");
        }
        if let (Reason::Argument { number, definition: Some(place), .. }, TypeConstructor::String) =
            (&expect.reason, wanted)
            && let (TypeConstructor::Integer(_), Some((operator, is_left))) =
                (found, joining(self.input.ast, *place, *number))
        {
            const INSTEAD: &str = "use `^^^` for bitwise exclusive or";
            let diagnostic = diagnostic.note("`^` joins strings");
            return if is_left { diagnostic.fix(INSTEAD, operator, "^^^") } else { diagnostic.help(INSTEAD) };
        }
        match (wanted, found) {
            (
                TypeConstructor::String,
                TypeConstructor::Integer(_)
                | TypeConstructor::Float32
                | TypeConstructor::Float64
                | TypeConstructor::Char
                | TypeConstructor::Bool,
            ) => diagnostic.fix("convert it with `string`", span, call("string")),
            (
                TypeConstructor::Integer(_) | TypeConstructor::Float32 | TypeConstructor::Float64,
                TypeConstructor::String,
            ) if !matches!(expect.reason, Reason::Branch(_) | Reason::Arm { .. } | Reason::EntryPoint) => {
                diagnostic.help(format!("parse it with `Parse.{}`", conversion(wanted)))
            }
            (TypeConstructor::Unit, TypeConstructor::Function) => {
                diagnostic.help("this is a function: an argument may be missing")
            }
            (TypeConstructor::Unit, _) if matches!(expect.reason, Reason::Argument { .. }) => diagnostic,
            (TypeConstructor::Unit, _) => diagnostic.fix("discard the value", span, format!("{wrapped} |> ignore")),
            (_, TypeConstructor::Reference) if self.inference.unify(&expect.ty, &parts[0]).is_ok() => {
                diagnostic.fix("read the ref cell", span, format!("{wrapped}.Value"))
            }
            (TypeConstructor::NativePointer, TypeConstructor::Array)
                if self.inference.unify(&pointed[0], &parts[0]).is_ok() =>
            {
                diagnostic.fix("pass the address of the elements", span, call("NativePtr.ofArray"))
            }
            (TypeConstructor::NativePointer, TypeConstructor::String)
                if self
                    .inference
                    .unify(&pointed[0], &Ty::simple(TypeConstructor::Integer(IntegerType::U8)))
                    .is_ok() =>
            {
                diagnostic.fix("pass the address of the bytes", span, call("NativePtr.ofString"))
            }
            (TypeConstructor::Function, _) => diagnostic,
            (_, TypeConstructor::Function) => diagnostic.help("this is a function: an argument may be missing"),
            (TypeConstructor::Declared(_), _) | (_, TypeConstructor::Declared(_)) => {
                self.propose_wrapping(diagnostic, (&expect.ty, actual), span, call)
            }
            _ => diagnostic,
        }
    }
}

impl Checker<'_> {
    /// For an integer and a float, proposes to convert the integer, which loses nothing.
    fn propose_left_conversion(&self, diagnostic: Diagnostic, left: Span, wanted: TypeConstructor) -> Diagnostic {
        let text = self.input.sources.text(left).to_owned();
        let function = conversion(wanted);
        let diagnostic = diagnostic.note("Clef has no implicit numeric conversions");
        match Checker::literal_as(wanted, &text) {
            Some(literal) => diagnostic.fix("write a literal of that type", left, literal),
            None => {
                let call = format!("{function} {}", written::atom(&text));
                diagnostic.fix(format!("convert it with `{function}`"), left, call)
            }
        }
    }

    /// Explains number types that differ only in their units.
    fn explain_units(&mut self, diagnostic: Diagnostic, wanted: &Ty, found: &Ty) -> Diagnostic {
        let mut printer = Printer::new(&mut self.inference, &self.graph.psg);
        let (wanted, found) = (printer.unit(wanted), printer.unit(found));
        let shown = |unit: &str| if unit == "1" { "no unit".into() } else { format!("the unit `{unit}`") };
        diagnostic.note(format!("expected {}, found {}", shown(&wanted), shown(&found)))
    }
}

/// Adds the reason for the expectation.
fn explain(diagnostic: Diagnostic, reason: &Reason) -> Diagnostic {
    match reason {
        Reason::Nothing | Reason::Condition(_) | Reason::Bound | Reason::Index => diagnostic,
        Reason::Element(first) => diagnostic.also(*first, "the first element"),
        Reason::Argument { place, definition, .. } => {
            let diagnostic = diagnostic.also(*place, "expected by this function");
            match definition {
                Some(definition) => diagnostic.also(*definition, "which is defined here"),
                None => diagnostic,
            }
        }
        Reason::Within(place) => diagnostic.also(*place, "expected by the function that this is passed to"),
        Reason::Operand { operator, other } => diagnostic.also(*other, format!("the left operand of `{operator}`")),
        Reason::Operator { operator, place } => diagnostic.also(*place, format!("an operand of `{operator}`")),
        Reason::Branch(first) => diagnostic.also(*first, "the first branch"),
        Reason::Arm { number, first } => diagnostic
            .also(*first, "the first arm")
            .note(format!("all arms must have the same type; this is arm {number}")),
        Reason::NoElse => diagnostic.help("add an `else` branch of the same type"),
        Reason::Annotation(place) => diagnostic.also(*place, "expected because of this annotation"),
        Reason::Assigned(place) => diagnostic.also(*place, "expected by this assignment"),
        Reason::Scrutinee(place) => diagnostic.also(*place, "the matched value"),
        Reason::PipedInto(place) => diagnostic.also(*place, "piped into this function"),
        Reason::Piped(place) => diagnostic.also(*place, "the piped value"),
        Reason::Format(format, place) => diagnostic.also(*place, format!("expected by the format `{format}`")),
        Reason::EntryPoint => diagnostic.note("the entry point returns the exit status, an `int`"),
        Reason::Field(name) => diagnostic.note(format!("the field `{name}` has this type")),
        Reason::Alternative(place) => diagnostic.also(*place, "the first alternative"),
    }
}

/// The function that converts to a type.
fn conversion(constructor: TypeConstructor) -> &'static str {
    match constructor {
        TypeConstructor::Integer(IntegerType::U8) => "byte",
        TypeConstructor::Integer(kind) => kind.name(),
        TypeConstructor::Float32 => "float32",
        TypeConstructor::Float64 => "float",
        TypeConstructor::Char => "char",
        TypeConstructor::Unit
        | TypeConstructor::Bool
        | TypeConstructor::String
        | TypeConstructor::Function
        | TypeConstructor::Tuple
        | TypeConstructor::Reference
        | TypeConstructor::Array
        | TypeConstructor::NativePointer
        | TypeConstructor::Declared(_)
        | TypeConstructor::Enum(..)
        | TypeConstructor::Parameter(_)
        | TypeConstructor::MeasureOne
        | TypeConstructor::MeasureBase(_)
        | TypeConstructor::MeasurePower(_)
        | TypeConstructor::MeasureProduct
        | TypeConstructor::Error => "ignore",
    }
}
