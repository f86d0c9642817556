//! Prints trees as Clef. A construct of several lines is printed as such where a block is allowed, and in parentheses
//! on one line elsewhere, so that both kinds of layout occur.

use crate::{
    show::Shown,
    tree::{Arm, Binding, EXPORTED, Expr, Function, Kind, Parameter, Part, Pattern, Program, Step},
    types::{Declaration, Field, Library, Shape, Type, field_name, variable_name},
};
use std::fmt::Write;

/// Longer lines are broken if possible.
const WIDTH: usize = 90;

/// The line that a program of a batch prints first.
pub(crate) fn separator(index: u64) -> String {
    format!("#### {index}")
}

/// A program as a module.
pub(crate) fn module(program: &Program) -> String {
    let index = program.index;
    let [bound, done] = halves(program);
    format!("module P{index} =\n{bound}{done}P{index}.run ()\n")
}

/// A program as two files: the module of its bindings, and that of its effects.
pub(crate) fn apart(program: &Program) -> [String; 2] {
    let index = program.index;
    let [bound, done] = halves(program);
    [
        format!("module Items{index}\n    open Prelude\n{bound}"),
        format!("module P{index}\n    open Prelude\n    open Items{index}\n{done}    run ()\n"),
    ]
}

/// The bindings of a program's module, and the function of its effects.
fn halves(program: &Program) -> [String; 2] {
    let mut printer = Printer { index: program.index, declarations: &program.declarations, shown: Shown::default() };
    let (mut items, mut done) = (String::new(), "    [<NoInline>]\n    let run () : unit =\n".to_owned());
    for item in &program.items {
        printer.binding(item, 4, &mut items);
    }
    printer.block(&program.body, 8, &mut done);
    let mut bound = format!("    Console.writeln \"\\n{}\"\n", separator(program.index));
    for declaration in &program.declarations {
        bound.push_str(&type_declaration(declaration, &program.declarations));
    }
    bound.push_str(&printer.shown.functions(&program.declarations));
    [bound + &items, done]
}

fn type_declaration(declaration: &Declaration, declarations: &[Declaration]) -> String {
    let variables: Vec<String> = (0..declaration.parameters).map(variable_name).collect();
    let parameters = if variables.is_empty() { String::new() } else { format!("<{}>", variables.join(", ")) };
    let word = if declaration.with_previous { "and" } else { "type" };
    let mut text = format!("    {word} {}{parameters} =\n", declaration.name);
    match &declaration.shape {
        Shape::Record(fields) => {
            let one = |field: &Field| {
                let mutable = if field.mutable { "mutable " } else { "" };
                format!("{mutable}{}: {}", field.name, field.ty.text(declarations))
            };
            let fields: Vec<String> = fields.iter().map(one).collect();
            let _ = writeln!(text, "        {{ {} }}", fields.join("; "));
        }
        Shape::Union(cases) => {
            for case in cases {
                let name = |index: usize| if case.named { field_name(index) + ": " } else { String::new() };
                let one = |(index, ty): (usize, &Type)| name(index) + &ty.text(declarations);
                let fields: Vec<String> = case.fields.iter().enumerate().map(one).collect();
                let of = if fields.is_empty() { "" } else { " of " };
                let _ = writeln!(text, "        | {}{of}{}", case.name, fields.join(" * "));
            }
        }
        Shape::Enum(width, cases) => {
            for (name, number) in cases {
                let _ = writeln!(text, "        | {name} = {}", width.literal(i128::from(*number)));
            }
        }
    }
    text
}

/// Prints one program.
struct Printer<'a> {
    index: u64,
    declarations: &'a [Declaration],
    shown: Shown,
}

/// The position of an expression on a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Alone: after `=`, `->` or `then`, or in parentheses.
    Alone,
    /// An operand of an operator.
    Operand,
    /// An argument.
    Argument,
}

impl Printer<'_> {
    /// Prints lines at this indentation.
    fn block(&mut self, expr: &Expr, indent: usize, out: &mut String) {
        let space = " ".repeat(indent);
        let inner = indent + 4;
        match &expr.kind {
            Kind::Let(binding, body) => {
                self.binding(binding, indent, out);
                self.block(body, indent, out);
            }
            Kind::Sequence(items) => {
                for (index, item) in items.iter().enumerate() {
                    // Its names are not in scope after it.
                    if matches!(item.kind, Kind::Let(..)) && index + 1 < items.len() {
                        let line = self.line(item, Place::Alone);
                        let _ = writeln!(out, "{space}{line}");
                    } else {
                        self.block(item, indent, out);
                    }
                }
            }
            Kind::If(condition, then, otherwise) if self.is_long(expr, indent) => {
                let condition = self.line(condition, Place::Alone);
                let _ = writeln!(out, "{space}if {condition} then");
                self.block(then, inner, out);
                let _ = writeln!(out, "{space}else");
                self.block(otherwise, inner, out);
            }
            Kind::When(condition, body) => {
                let condition = self.line(condition, Place::Alone);
                let _ = writeln!(out, "{space}if {condition} then");
                self.block(body, inner, out);
            }
            Kind::Match(scrutinee, arms) => {
                let scrutinee = self.line(scrutinee, Place::Alone);
                let _ = writeln!(out, "{space}match {scrutinee} with");
                self.arms(arms, indent, out);
            }
            Kind::Cases(arms) => {
                let _ = writeln!(out, "{space}function");
                self.arms(arms, indent, out);
            }
            Kind::Lambda(parameters, body) if self.is_long(expr, indent) => {
                let parameters = self.parameters(parameters);
                let _ = writeln!(out, "{space}fun {parameters} ->");
                self.block(body, inner, out);
            }
            Kind::While { counter, bound, condition, body } => {
                let condition = self.line(condition, Place::Operand);
                let _ = writeln!(out, "{space}let mutable {counter} = 0");
                let _ = writeln!(out, "{space}while {counter} < {bound} && {condition} do");
                let _ = writeln!(out, "{space}    {counter} <- {counter} + 1");
                self.block(body, inner, out);
            }
            Kind::For { variable, range, body } => {
                let _ = writeln!(out, "{space}for {variable}{range} do");
                self.block(body, inner, out);
            }
            Kind::ForIn(bound, source, body) => {
                let source = self.line(source, Place::Argument);
                let _ = writeln!(out, "{space}for {} in {source} do", pattern(bound, true, self.declarations));
                self.block(body, inner, out);
            }
            Kind::Generate(steps) => {
                let (open, close) = brackets(&expr.ty);
                let _ = writeln!(out, "{space}{open}");
                self.steps(steps, inner, out);
                let _ = writeln!(out, "{space}{close}");
            }
            Kind::SetField(base, name, value) if self.is_long(value, indent) => {
                let base = self.record(base);
                let _ = writeln!(out, "{space}{base}.{name} <-");
                self.block(value, inner, out);
            }
            Kind::Assign(name, value) if self.is_long(value, indent) => {
                let _ = writeln!(out, "{space}{name} <-");
                self.block(value, inner, out);
            }
            Kind::Apply(function, arguments) if self.ends_with_long_lambda(arguments, indent) => {
                let Some((Expr { kind: Kind::Lambda(parameters, body), .. }, before)) = arguments.split_last() else {
                    return;
                };
                let head = self.line(function, Place::Argument);
                let before: String = before.iter().map(|item| self.line(item, Place::Argument) + " ").collect();
                let parameters = self.parameters(parameters);
                let _ = writeln!(out, "{space}{head} {before}(fun {parameters} ->");
                self.block(body, inner, out);
                out.truncate(out.trim_end().len());
                out.push_str(")\n");
            }
            Kind::Constant(_)
            | Kind::Name(_)
            | Kind::Apply(..)
            | Kind::Binary(..)
            | Kind::Prefix(..)
            | Kind::If(..)
            | Kind::Tuple(_)
            | Kind::Record(_)
            | Kind::Items(_)
            | Kind::Comprehension { .. }
            | Kind::Lazy(_)
            | Kind::Index(..)
            | Kind::Slice(..)
            | Kind::NamedCase(..)
            | Kind::SetField(..)
            | Kind::SetIndex(..)
            | Kind::Format(..)
            | Kind::Update(..)
            | Kind::Field(..)
            | Kind::Lambda(..)
            | Kind::Assign(..)
            | Kind::Text(_)
            | Kind::Show(_)
            | Kind::Trace(..) => {
                let line = self.line(expr, Place::Alone);
                let _ = writeln!(out, "{space}{line}");
            }
        }
    }

    /// The steps of a list, an array or a sequence, on separate lines.
    fn steps(&mut self, steps: &[Step], indent: usize, out: &mut String) {
        let space = " ".repeat(indent);
        for step in steps {
            match step {
                Step::Yield(value) => {
                    let _ = writeln!(out, "{space}yield {}", self.line(value, Place::Operand));
                }
                Step::YieldAll(values) => {
                    let _ = writeln!(out, "{space}yield! {}", self.line(values, Place::Operand));
                }
                Step::For(bound, source, steps) => {
                    let source = self.line(source, Place::Argument);
                    let _ = writeln!(out, "{space}for {} in {source} do", pattern(bound, true, self.declarations));
                    self.steps(steps, indent + 4, out);
                }
                Step::Range(variable, range, steps) => {
                    let _ = writeln!(out, "{space}for {variable}{range} do");
                    self.steps(steps, indent + 4, out);
                }
                Step::When(condition, then, otherwise) => {
                    let _ = writeln!(out, "{space}if {} then", self.line(condition, Place::Alone));
                    self.steps(then, indent + 4, out);
                    if !otherwise.is_empty() {
                        let _ = writeln!(out, "{space}else");
                        self.steps(otherwise, indent + 4, out);
                    }
                }
                Step::Let(bound, value) => {
                    let _ = write!(out, "{space}{} =", self.value_head(bound, &value.ty));
                    self.behind(value, indent, out);
                }
                Step::Slot(name, value) => {
                    let _ = write!(out, "{space}let mutable {name}: {} =", value.ty.text(self.declarations));
                    self.behind(value, indent, out);
                }
                Step::Use(name, value) => {
                    let _ = writeln!(out, "{space}use {name} = guard {}", self.line(value, Place::Argument));
                }
                Step::While { counter, bound, condition, steps } => {
                    let condition = self.line(condition, Place::Operand);
                    let _ = writeln!(out, "{space}let mutable {counter} = 0");
                    let _ = writeln!(out, "{space}while {counter} < {bound} && {condition} do");
                    let _ = writeln!(out, "{space}    {counter} <- {counter} + 1");
                    self.steps(steps, indent + 4, out);
                }
                Step::Do(effect) => {
                    let _ = writeln!(out, "{space}{}", self.line(effect, Place::Alone));
                }
            }
        }
    }

    /// The same on one line. More than one step is a list, all of whose items are yielded.
    fn steps_in_line(&mut self, steps: &[Step]) -> String {
        let Some((step, rest)) = steps.split_first() else { return "()".to_owned() };
        let inner = |printer: &mut Self, steps: &[Step]| match steps {
            [one] => printer.steps_in_line(std::slice::from_ref(one)),
            several => format!("yield! [{}]", printer.steps_in_line(several)),
        };
        let text = match step {
            Step::Yield(value) => format!("yield {}", self.line(value, Place::Argument)),
            Step::YieldAll(values) => format!("yield! {}", self.line(values, Place::Argument)),
            Step::For(bound, source, steps) => {
                let source = self.line(source, Place::Argument);
                format!("for {} in {source} do {}", pattern(bound, true, self.declarations), inner(self, steps))
            }
            Step::Range(variable, range, steps) => format!("for {variable}{range} do {}", inner(self, steps)),
            Step::When(condition, then, otherwise) => {
                let condition = self.line(condition, Place::Operand);
                let would_take_else = !otherwise.is_empty() && ends_without_else(then);
                let then = inner(self, then);
                match otherwise.as_slice() {
                    [] => format!("if {condition} then {then}"),
                    steps if would_take_else => {
                        format!("if {condition} then yield! [{then}] else {}", inner(self, steps))
                    }
                    steps => format!("if {condition} then {then} else {}", inner(self, steps)),
                }
            }
            Step::Let(bound, value) => {
                let (head, value) = (self.value_head(bound, &value.ty), self.line(value, Place::Operand));
                return format!("yield! (let {} = {value} in [{}])", &head[4..], self.steps_in_line(rest));
            }
            Step::Do(effect) => self.line(effect, Place::Argument),
            // These are generated only where blocks are allowed; a parenthesised `let` forces separate lines.
            Step::Slot(..) | Step::Use(..) | Step::While { .. } => "(let mutable".to_owned(),
        };
        match rest {
            [] => text,
            // What follows a loop or a condition is not part of it.
            rest => match step {
                Step::Yield(_) | Step::YieldAll(_) | Step::Do(_) | Step::Let(..) => {
                    format!("{text}; {}", self.steps_in_line(rest))
                }
                Step::For(..)
                | Step::Range(..)
                | Step::When(..)
                | Step::Slot(..)
                | Step::Use(..)
                | Step::While { .. } => {
                    format!("yield! [{text}]; {}", self.steps_in_line(rest))
                }
            },
        }
    }

    /// The record of a field access.
    fn record(&mut self, base: &Expr) -> String {
        let text = self.line(base, Place::Argument);
        if matches!(base.kind, Kind::Record(_) | Kind::Update(..)) { format!("({text})") } else { text }
    }

    fn ends_with_long_lambda(&mut self, arguments: &[Expr], indent: usize) -> bool {
        let Some(last) = arguments.last() else { return false };
        matches!(last.kind, Kind::Lambda(..)) && self.is_long(last, indent)
    }

    /// Whether it needs separate lines.
    fn is_long(&mut self, expr: &Expr, indent: usize) -> bool {
        let line = self.line(expr, Place::Alone);
        // One line would need parentheses, separate lines do not.
        indent + line.len() > WIDTH || line.contains("match ") || line.contains("(let ") || line.contains("while ")
    }

    fn arms(&mut self, arms: &[Arm], indent: usize, out: &mut String) {
        let space = " ".repeat(indent);
        for arm in arms {
            let pattern = pattern(&arm.pattern, false, self.declarations);
            let guard = arm.guard.as_ref().map(|guard| format!(" when {}", self.line(guard, Place::Operand)));
            let _ = write!(out, "{space}| {pattern}{} ->", guard.unwrap_or_default());
            self.behind(&arm.body, indent, out);
        }
    }

    /// Prints the rest of a line, or a block below it.
    fn behind(&mut self, expr: &Expr, indent: usize, out: &mut String) {
        let is_block = matches!(expr.kind, Kind::Let(..) | Kind::Sequence(_) | Kind::Match(..) | Kind::When(..));
        let is_block = is_block || matches!(expr.kind, Kind::Generate(_));
        let is_loop = matches!(expr.kind, Kind::While { .. } | Kind::For { .. } | Kind::ForIn(..) | Kind::Cases(_));
        if is_block || is_loop || self.is_long(expr, indent) {
            out.push('\n');
            self.block(expr, indent + 4, out);
        } else {
            let line = self.line(expr, Place::Alone);
            let _ = writeln!(out, " {line}");
        }
    }

    fn binding(&mut self, binding: &Binding, indent: usize, out: &mut String) {
        let space = " ".repeat(indent);
        match binding {
            Binding::Functions(functions) => {
                for (index, function) in functions.iter().enumerate() {
                    if function.modifier == EXPORTED {
                        let symbol = format!("oracle_{}_{}", self.index, function.name);
                        let _ = writeln!(out, "{space}[<Export(\"{symbol}\")>]");
                    }
                    let head = self.function_head(function, index == 0);
                    let _ = write!(out, "{space}{head} =");
                    self.behind(&function.body, indent, out);
                }
            }
            Binding::Value(bound, value) => {
                let _ = write!(out, "{space}{} =", self.value_head(bound, &value.ty));
                self.behind(value, indent, out);
            }
            Binding::Slot(name, value) => {
                let _ = write!(out, "{space}let mutable {name}: {} =", value.ty.text(self.declarations));
                self.behind(value, indent, out);
            }
            Binding::Use(name, value) => {
                let _ = writeln!(out, "{space}use {name} = guard {}", self.line(value, Place::Argument));
            }
            Binding::Effect(effect) => self.block(effect, indent, out),
        }
    }

    fn function_head(&mut self, function: &Function, first: bool) -> String {
        let Function { name, recursive, modifier, annotated, parameters, body } = function;
        let parameters = self.parameters(parameters);
        let modifier = if *modifier == EXPORTED { "" } else { *modifier };
        let word = match (first, recursive) {
            (false, _) => "and",
            (true, true) => "let rec",
            (true, false) => "let",
        };
        let result = if *annotated { format!(" : {}", body.ty.text(self.declarations)) } else { String::new() };
        format!("{word} {modifier}{name} {parameters}{result}")
    }

    fn value_head(&mut self, bound: &Pattern, ty: &Type) -> String {
        // The constraint on a type may come after its use, or not at all.
        format!("let {}: {}", pattern(bound, true, self.declarations), ty.text(self.declarations))
    }

    fn parameters(&mut self, parameters: &[Parameter]) -> String {
        let one = |parameter: &Parameter| match (&parameter.pattern, parameter.annotated) {
            (Pattern::Unit, _) => "()".to_owned(),
            (bound, true) => {
                format!("({}: {})", pattern(bound, true, self.declarations), parameter.ty.text(self.declarations))
            }
            (bound, false) => pattern(bound, true, self.declarations),
        };
        parameters.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// The expression on one line.
    fn line(&mut self, expr: &Expr, place: Place) -> String {
        let (text, needs) = self.bare(expr);
        let bracketed = match needs {
            Needs::Nothing => false,
            Needs::BracketsAsArgument => place == Place::Argument,
            Needs::BracketsAsOperand => place != Place::Alone,
            Needs::Brackets => true,
        };
        if bracketed { format!("({text})") } else { text }
    }

    fn bare(&mut self, expr: &Expr) -> (String, Needs) {
        match &expr.kind {
            Kind::Constant(text) | Kind::Name(text) => (text.clone(), Needs::Nothing),
            Kind::Apply(function, arguments) => {
                let mut text = self.line(function, Place::Argument);
                for argument in arguments {
                    text = text + " " + &self.line(argument, Place::Argument);
                }
                (text, Needs::BracketsAsArgument)
            }
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.line(left, Place::Operand), self.line(right, Place::Operand));
                (format!("{left} {operator} {right}"), Needs::BracketsAsOperand)
            }
            Kind::Prefix(operator, inner) => {
                (format!("{operator}{}", self.line(inner, Place::Argument)), Needs::BracketsAsOperand)
            }
            Kind::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|item| self.line(item, Place::Operand)).collect();
                (format!("({})", items.join(", ")), Needs::Nothing)
            }
            Kind::Items(items) => {
                let items: Vec<String> = items.iter().map(|item| self.line(item, Place::Operand)).collect();
                (in_brackets(&expr.ty, &items.join("; ")), Needs::Nothing)
            }
            Kind::Comprehension { pattern: bound, source, condition, body } => {
                let source = self.line(source, Place::Argument);
                let condition = condition.as_ref().map(|condition| self.line(condition, Place::Operand));
                let body = self.line(body, Place::Operand);
                let rest = match condition {
                    Some(condition) => format!("do if {condition} then yield {body}"),
                    None => format!("-> {body}"),
                };
                let text = format!("for {} in {source} {rest}", pattern(bound, true, self.declarations));
                (in_brackets(&expr.ty, &text), Needs::Nothing)
            }
            Kind::Generate(steps) => {
                let text = self.steps_in_line(steps);
                (in_brackets(&expr.ty, &text), Needs::Nothing)
            }
            Kind::Index(base, index) => {
                let (base, index) = (self.line(base, Place::Argument), self.line(index, Place::Operand));
                (format!("{base}.[{index}]"), Needs::Nothing)
            }
            Kind::Slice(base, first, last) => {
                let base = self.line(base, Place::Argument);
                let [first, last] = [first, last]
                    .map(|end| end.as_ref().map(|end| self.line(end, Place::Argument)).unwrap_or_default());
                (format!("{base}.[{first} .. {last}]"), Needs::Nothing)
            }
            Kind::NamedCase(name, fields) => {
                let one = |(name, value): &(String, Expr)| format!("{name} = {}", self.line(value, Place::Argument));
                let fields: Vec<String> = fields.iter().map(one).collect();
                (format!("{name} ({})", fields.join(", ")), Needs::BracketsAsArgument)
            }
            Kind::SetField(base, name, value) => {
                let (base, value) = (self.record(base), self.line(value, Place::Operand));
                (format!("{base}.{name} <- {value}"), Needs::Brackets)
            }
            Kind::SetIndex(base, index, value) => {
                let (base, index) = (self.line(base, Place::Argument), self.line(index, Place::Operand));
                (format!("{base}.[{index}] <- {}", self.line(value, Place::Operand)), Needs::Brackets)
            }
            Kind::Format(function, parts) => (self.formatted(function, parts), Needs::BracketsAsArgument),
            Kind::Lazy(inner) => (format!("lazy {}", self.line(inner, Place::Argument)), Needs::BracketsAsArgument),
            Kind::ForIn(bound, source, body) => {
                let (source, body) = (self.line(source, Place::Argument), self.line(body, Place::Operand));
                (format!("for {} in {source} do {body}", pattern(bound, true, self.declarations)), Needs::Brackets)
            }
            Kind::Record(fields) => (format!("{{ {} }}", self.fields(fields)), Needs::Nothing),
            Kind::Update(base, fields) => {
                let base = self.line(base, Place::Argument);
                (format!("{{ {base} with {} }}", self.fields(fields)), Needs::Nothing)
            }
            Kind::Field(base, name) => {
                let base = self.record(base);
                (format!("{base}.{name}"), Needs::Nothing)
            }
            Kind::If(condition, then, otherwise) => {
                let [condition, then, otherwise] =
                    [condition, then, otherwise].map(|part| self.line(part, Place::Operand));
                (format!("if {condition} then {then} else {otherwise}"), Needs::BracketsAsOperand)
            }
            Kind::When(condition, body) => {
                let (condition, body) = (self.line(condition, Place::Operand), self.line(body, Place::Operand));
                (format!("if {condition} then {body}"), Needs::Brackets)
            }
            Kind::Let(binding, body) => (self.let_in(binding, body), Needs::Brackets),
            Kind::Sequence(items) => {
                let items: Vec<String> = items.iter().map(|item| self.line(item, Place::Operand)).collect();
                (items.join("; "), Needs::Brackets)
            }
            Kind::Lambda(parameters, body) => {
                let (parameters, body) = (self.parameters(parameters), self.line(body, Place::Operand));
                (format!("fun {parameters} -> {body}"), Needs::BracketsAsOperand)
            }
            Kind::Cases(arms) => (format!("function{}", self.arms_in_line(arms)), Needs::Brackets),
            Kind::Match(scrutinee, arms) => {
                let scrutinee = self.line(scrutinee, Place::Operand);
                (format!("match {scrutinee} with{}", self.arms_in_line(arms)), Needs::Brackets)
            }
            Kind::Assign(name, value) => (format!("{name} <- {}", self.line(value, Place::Operand)), Needs::Brackets),
            Kind::While { counter, bound, condition, body } => {
                let (condition, body) = (self.line(condition, Place::Operand), self.line(body, Place::Operand));
                let iteration = format!("({counter} <- {counter} + 1; {body})");
                let all = format!("while {counter} < {bound} && {condition} do {iteration}");
                (format!("let mutable {counter} = 0 in {all}"), Needs::Brackets)
            }
            Kind::For { variable, range, body } => {
                (format!("for {variable}{range} do {}", self.line(body, Place::Operand)), Needs::Brackets)
            }
            Kind::Text(parts) => (self.interpolated(parts), Needs::Nothing),
            Kind::Show(value) => {
                let show = self.shown.name(&value.ty, self.declarations);
                (format!("{show} {}", self.line(value, Place::Argument)), Needs::BracketsAsArgument)
            }
            Kind::Trace(number, value) => {
                (format!("mark {number} {}", self.line(value, Place::Argument)), Needs::BracketsAsArgument)
            }
        }
    }

    fn fields(&mut self, fields: &[(String, Expr)]) -> String {
        let one = |(name, value): &(String, Expr)| format!("{name} = {}", self.line(value, Place::Operand));
        fields.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    fn let_in(&mut self, binding: &Binding, body: &Expr) -> String {
        let body = self.line(body, Place::Operand);
        let head = match binding {
            Binding::Value(bound, value) => {
                format!("{} = {}", self.value_head(bound, &value.ty), self.line(value, Place::Operand))
            }
            Binding::Slot(name, value) => {
                let ty = value.ty.text(self.declarations);
                format!("let mutable {name}: {ty} = {}", self.line(value, Place::Operand))
            }
            Binding::Functions(functions) => {
                let mut texts = Vec::new();
                for (index, function) in functions.iter().enumerate() {
                    let head = self.function_head(function, index == 0);
                    texts.push(format!("{head} = {}", self.line(&function.body, Place::Operand)));
                }
                texts.join(" ")
            }
            Binding::Use(name, value) => format!("use {name} = guard {}", self.line(value, Place::Argument)),
            Binding::Effect(effect) => return format!("{}; {body}", self.line(effect, Place::Operand)),
        };
        format!("{head} in {body}")
    }

    fn arms_in_line(&mut self, arms: &[Arm]) -> String {
        let mut text = String::new();
        for arm in arms {
            let guard = arm.guard.as_ref().map(|guard| format!(" when {}", self.line(guard, Place::Operand)));
            let body = self.line(&arm.body, Place::Operand);
            let _ = write!(
                text,
                " | {}{} -> {body}",
                pattern(&arm.pattern, false, self.declarations),
                guard.unwrap_or_default()
            );
        }
        text
    }

    /// A function that takes a format, with the format and its arguments.
    fn formatted(&mut self, function: &str, parts: &[Part]) -> String {
        let (mut format, mut arguments) = (String::new(), String::new());
        for part in parts {
            match part {
                Part::Text(text) => format.push_str(text),
                Part::Value(value, letter) => {
                    format.push_str(letter.unwrap_or("%A"));
                    let _ = write!(arguments, " {}", self.line(value, Place::Argument));
                }
            }
        }
        format!("{function} \"{format}\"{arguments}")
    }

    /// An interpolated string. Its values may contain strings, but no interpolated ones: those are bound first.
    fn interpolated(&mut self, parts: &[Part]) -> String {
        let (mut text, mut values) = (String::new(), Vec::new());
        for part in parts {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Value(value, format) => {
                    let format = format.map(|format| format!(":{format}")).unwrap_or_default();
                    let _ = write!(text, "{{\0{}\0{format}}}", values.len());
                    values.push(self.line(value, Place::Argument));
                }
            }
        }
        let nested = values.iter().any(|value| value.contains("\"\"\""));
        let mut bindings = String::new();
        for (index, value) in values.iter().enumerate() {
            let name = format!("t{index}");
            if nested {
                let _ = write!(bindings, "let {name} = {value} in ");
            }
            text = text.replace(&format!("\0{index}\0"), if nested { &name } else { value });
        }
        if nested { format!("({bindings}$\"\"\"{text}\"\"\")") } else { format!("$\"\"\"{text}\"\"\"") }
    }
}

/// Whether steps on one line end in a condition that would capture an `else` after them.
fn ends_without_else(steps: &[Step]) -> bool {
    let [step] = steps else { return false };
    match step {
        Step::When(_, _, otherwise) => otherwise.is_empty() || ends_without_else(otherwise),
        Step::For(_, _, steps) | Step::Range(_, _, steps) => ends_without_else(steps),
        Step::Yield(_)
        | Step::YieldAll(_)
        | Step::Let(..)
        | Step::Slot(..)
        | Step::Use(..)
        | Step::While { .. }
        | Step::Do(_) => false,
    }
}

/// Which positions need parentheses.
enum Needs {
    Nothing,
    BracketsAsArgument,
    BracketsAsOperand,
    Brackets,
}

/// The brackets of a list, an array or a sequence.
fn brackets(ty: &Type) -> (&'static str, &'static str) {
    if let Type::Library(Library::Array, _) = ty {
        ("[|", "|]")
    } else if let Type::Library(Library::Seq, _) = ty {
        ("seq {", "}")
    } else {
        ("[", "]")
    }
}

/// A text in the brackets of a list, an array or a sequence, usable as an argument.
fn in_brackets(ty: &Type, text: &str) -> String {
    if let Type::Library(Library::Array, _) = ty {
        format!("[|{text}|]")
    } else if let Type::Library(Library::Seq, _) = ty {
        format!("(seq {{ {text} }})")
    } else {
        format!("[{text}]")
    }
}

/// A pattern, in parentheses if it is within another or a parameter.
fn pattern(shape: &Pattern, inner: bool, declarations: &[Declaration]) -> String {
    let list = |items: &[Pattern], between: &str| -> String {
        items.iter().map(|item| pattern(item, true, declarations)).collect::<Vec<_>>().join(between)
    };
    let named = |fields: &[(String, Pattern)]| -> String {
        let one = |(name, field): &(String, Pattern)| format!("{name} = {}", pattern(field, true, declarations));
        fields.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    let bracketed = |text: String| if inner { format!("({text})") } else { text };
    match shape {
        Pattern::Any => "_".to_owned(),
        Pattern::Unit => "()".to_owned(),
        Pattern::Name(text) | Pattern::Literal(text) => text.clone(),
        Pattern::Tuple(items) => format!("({})", list(items, ", ")),
        Pattern::Case(name, fields) => match fields.as_slice() {
            [] => name.clone(),
            [field] => bracketed(format!("{name} {}", pattern(field, true, declarations))),
            fields => bracketed(format!("{name} ({})", list(fields, ", "))),
        },
        Pattern::NamedCase(name, fields) => bracketed(format!("{name} ({})", named(fields))),
        Pattern::Typed(inner, ty) => {
            format!("({}: {})", pattern(inner, true, declarations), ty.text(declarations))
        }
        Pattern::Record(fields) => {
            format!("{{ {} }}", named(fields))
        }
        Pattern::As(whole, name) => format!("({} as {name})", pattern(whole, true, declarations)),
        Pattern::Cons(head, tail) => {
            format!("({} :: {})", pattern(head, true, declarations), pattern(tail, true, declarations))
        }
        Pattern::List(items) => format!("[{}]", list(items, "; ")),
        Pattern::Array(items) => format!("[|{}|]", list(items, "; ")),
        Pattern::Or(first, second) => {
            format!("({} | {})", pattern(first, true, declarations), pattern(second, true, declarations))
        }
        Pattern::And(first, second) => {
            format!("({} & {})", pattern(first, true, declarations), pattern(second, true, declarations))
        }
    }
}
