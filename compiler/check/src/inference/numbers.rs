//! What to write where an integer is expected and another number is found.
//!
//! A conversion is proposed only if it keeps the value: not for `0.5`, for `256.0` as a byte, or for seconds in place of
//! milliseconds.

use crate::{checker::Checker, state::Reason};
use clef_base::{Diagnostic, Span};
use clef_infer::TypeConstructor;
use clef_syntax::written;
use clef_types::IntegerType;

/// The functions whose first argument is a time in milliseconds.
const IN_MILLISECONDS: [&str; 4] = ["Time.sleep", "Task.after", "Task.every", "Watchdog.start"];

/// A number in place of an integer.
pub(super) struct OtherNumber<'t> {
    pub(super) wanted: IntegerType,
    pub(super) found: TypeConstructor,
    /// Its source text.
    pub(super) text: &'t str,
    pub(super) span: Span,
    /// Whether a call in its place needs parentheses.
    pub(super) is_argument: bool,
}

impl Checker<'_> {
    /// Proposes something else than a conversion.
    ///
    /// # Errors
    /// The diagnostic as it was, if a conversion keeps the value, or if the value is not known.
    pub(super) fn propose_integer(
        &self,
        diagnostic: Diagnostic,
        reason: &Reason,
        number: &OtherNumber<'_>,
    ) -> Result<Diagnostic, Diagnostic> {
        let value = written::number(number.text);
        let is_float = matches!(number.found, TypeConstructor::Float32 | TypeConstructor::Float64);
        let is_fraction = value.is_none_or(|value| value.fract() != 0.0);
        if let (true, Some(function)) = (is_float && is_fraction, self.in_milliseconds(reason)) {
            return Ok(self.propose_time(diagnostic, function, number, value));
        }
        let Some(value) = value else { return Err(diagnostic) };
        if is_fraction {
            return Ok(without_fraction(diagnostic, reason, value));
        }
        let magnitude = value.abs() as u128;
        if self.is_in_range(magnitude, value < 0.0, number.wanted) {
            return Err(diagnostic);
        }
        let diagnostic = diagnostic.note(self.range_of(number.wanted));
        Ok(match self.type_that_holds(magnitude, value < 0.0, number.wanted) {
            Some(kind) => diagnostic.help(format!("use a type that can hold the value, such as `{}`", kind.name())),
            None => diagnostic.note("no integer type can hold the value"),
        })
    }

    /// The function that takes the number as a time in milliseconds, and its place.
    fn in_milliseconds(&self, reason: &Reason) -> Option<(&'static str, Span)> {
        let (name, place) = if let Reason::Argument { function: Some(name), number: 1, place, .. } = reason {
            (&**name, *place)
        } else if let Reason::PipedInto(place) = reason {
            (self.input.sources.text(*place), *place)
        } else {
            return None;
        };
        IN_MILLISECONDS.iter().find(|own| **own == name).map(|own| (*own, place))
    }

    /// For seconds in place of milliseconds.
    fn propose_time(
        &self,
        diagnostic: Diagnostic,
        (function, place): (&str, Span),
        number: &OtherNumber<'_>,
        value: Option<f64>,
    ) -> Diagnostic {
        let diagnostic = diagnostic.note("the time is an integer, in milliseconds");
        if let Some(value) = value {
            let microseconds = (value * 1e6).round();
            if function == "Time.sleep" && value > 0.0 && microseconds % 1000.0 != 0.0 {
                let mut parts = [(place, "Time.sleepMicroseconds".to_owned()), (number.span, microseconds.to_string())];
                parts.sort_by_key(|(span, _)| span.start);
                let [(first, before), (last, after)] = parts;
                let between = self.input.sources.text(Span { start: first.end, end: last.start, ..first });
                let edit = format!("{before}{between}{after}");
                return diagnostic.fix("write the time in microseconds", Span { end: last.end, ..first }, edit);
            }
            let least = if value > 0.0 { 1.0 } else { value };
            let milliseconds = format!("{:.0}", (value * 1000.0).max(least));
            return diagnostic.fix("write the time in milliseconds", number.span, milliseconds);
        }
        let thousand = if number.found == TypeConstructor::Float32 { "1000.0f" } else { "1000.0" };
        let factor = written::atom(number.text);
        let call = format!("{} ({factor} * {thousand})", number.wanted.name());
        let call = if number.is_argument { format!("({call})") } else { call };
        diagnostic.fix("convert seconds to milliseconds", number.span, call)
    }
}

fn without_fraction(diagnostic: Diagnostic, reason: &Reason, value: f64) -> Diagnostic {
    let has_others = matches!(
        reason,
        Reason::Argument { number: 2.., .. } | Reason::Element(_) | Reason::Branch(_) | Reason::Arm { .. }
    );
    diagnostic.note("this value is not an integer").help(match has_others {
        true => "use a floating-point type for the others".to_owned(),
        false => format!("write an integer, such as `{}` or `{}`", value.floor(), value.ceil()),
    })
}
