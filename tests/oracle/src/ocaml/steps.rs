//! Lists, arrays and sequences that are built step by step: loops that add to a list, and functions that yield on
//! demand.

use super::{Translator, range};
use crate::{
    tree::Step,
    types::{Library, Type},
};

impl Translator<'_> {
    /// The function that iterates over a collection.
    pub(super) fn each(&self, ty: &Type) -> Option<&'static str> {
        match ty {
            Type::Library(Library::List, _) => Some("List.iter"),
            Type::Library(Library::Array, _) => Some("array_iter"),
            Type::Library(Library::Seq, _) => Some("Seq.iter"),
            _ => None,
        }
    }

    pub(super) fn generated(&mut self, ty: &Type, steps: &[Step]) -> Option<String> {
        match ty {
            Type::Library(Library::Seq, _) => self.delayed(steps, "Seq.empty"),
            Type::Library(Library::List, _) => Some(format!("collect (fun add -> {})", self.steps(steps)?)),
            Type::Library(Library::Array, _) => {
                Some(format!("Array.of_list (collect (fun add -> {}))", self.steps(steps)?))
            }
            _ => None,
        }
    }

    /// Steps that add to a list.
    fn steps(&mut self, steps: &[Step]) -> Option<String> {
        let Some((step, rest)) = steps.split_first() else { return Some("()".to_owned()) };
        let text = match step {
            Step::Yield(value) => format!("let v = {} in add v", self.expression(value)?),
            Step::YieldAll(values) => {
                let each = self.each(&values.ty)?;
                format!("let s = {} in {each} add s", self.expression(values)?)
            }
            Step::For(pattern, source, inner) => {
                let each = self.each(&source.ty)?;
                let source = self.expression(source)?;
                format!("let s = {source} in {each} (fun {} -> {}) s", self.pattern(pattern)?, self.steps(inner)?)
            }
            Step::Range(variable, text, inner) => {
                let (first, step, last) = range(text)?;
                format!("for_range ({first}) ({step}) ({last}) (fun {variable} -> {})", self.steps(inner)?)
            }
            Step::When(condition, then, otherwise) => {
                let condition = self.expression(condition)?;
                format!("if {condition} then ({}) else ({})", self.steps(then)?, self.steps(otherwise)?)
            }
            Step::Let(pattern, value) => {
                let (pattern, value) = (self.pattern(pattern)?, self.expression(value)?);
                return Some(format!("let {pattern} = {value} in {}", self.steps(rest)?));
            }
            Step::Slot(name, value) => {
                let (ty, value) = (self.annotation(&value.ty)?, self.expression(value)?);
                let ty = if ty.is_empty() { ty } else { format!("{ty} ref") };
                return Some(format!("let {name}{ty} = ref {value} in {}", self.steps(rest)?));
            }
            Step::Use(name, value) => {
                let value = self.expression(value)?;
                return Some(format!("let {name} = guard {value} in ({}); dispose {name}", self.steps(rest)?));
            }
            Step::While { counter, bound, condition, steps } => {
                let condition = self.expression(condition)?;
                let steps = self.steps(steps)?;
                format!(
                    "let {counter} = ref 0 in while !{counter} < {bound} && {condition} do {counter} := !{counter} + 1; {steps} done"
                )
            }
            Step::Do(effect) => self.expression(effect)?,
        };
        Some(format!("({text}); {}", self.steps(rest)?))
    }

    /// Steps that run when the next item is requested; `after` yields those after them.
    fn delayed(&mut self, steps: &[Step], after: &str) -> Option<String> {
        let Some((step, rest)) = steps.split_first() else { return Some(after.to_owned()) };
        let rest = self.delayed(rest, after)?;
        Some(match step {
            Step::Yield(value) => format!("(fun () -> let v = {} in Seq.Cons (v, {rest}))", self.expression(value)?),
            Step::YieldAll(values) => {
                format!("(fun () -> let s = {} in Seq.append s {rest} ())", self.expression(values)?)
            }
            Step::For(pattern, source, inner) => {
                let items = match &source.ty {
                    Type::Library(Library::List, _) => "seq_ofList",
                    Type::Library(Library::Array, _) => "seq_ofArray",
                    Type::Library(Library::Seq, _) => "",
                    _ => return None,
                };
                let source = self.expression(source)?;
                let inner = self.delayed(inner, "Seq.empty")?;
                let pattern = self.pattern(pattern)?;
                format!("(fun () -> let s = {items} {source} in seq_each (fun {pattern} -> {inner}) s {rest} ())")
            }
            Step::Range(variable, text, inner) => {
                let (first, step, last) = range(text)?;
                let inner = self.delayed(inner, "Seq.empty")?;
                format!("(seq_each (fun {variable} -> {inner}) (seq_range ({first}) ({step}) ({last})) {rest})")
            }
            Step::When(condition, then, otherwise) => {
                let condition = self.expression(condition)?;
                let (then, otherwise) = (self.delayed(then, "Seq.empty")?, self.delayed(otherwise, "Seq.empty")?);
                format!(
                    "(fun () -> if {condition} then Seq.append {then} {rest} () else Seq.append {otherwise} {rest} ())"
                )
            }
            Step::Let(pattern, value) => {
                format!("(fun () -> let {} = {} in {rest} ())", self.pattern(pattern)?, self.expression(value)?)
            }
            Step::Slot(name, value) => {
                let (ty, value) = (self.annotation(&value.ty)?, self.expression(value)?);
                let ty = if ty.is_empty() { ty } else { format!("{ty} ref") };
                format!("(fun () -> let {name}{ty} = ref {value} in {rest} ())")
            }
            Step::Use(..) => return None,
            Step::While { counter, bound, condition, steps } => {
                let condition = self.expression(condition)?;
                let again = format!("loop_{counter}");
                let steps = self.delayed(steps, &again)?;
                let next = format!("({counter} := !{counter} + 1; {steps} ())");
                let iteration = format!("if !{counter} < {bound} && {condition} then {next} else {rest} ()");
                format!("(fun () -> let {counter} = ref 0 in let rec {again} () = {iteration} in {again} ())")
            }
            Step::Do(effect) => format!("(fun () -> {}; {rest} ())", self.expression(effect)?),
        })
    }
}
