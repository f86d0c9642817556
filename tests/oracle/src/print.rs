//! Trees as Clef. A construct that needs several lines gets them where a block may stand, and is written on one line in
//! brackets elsewhere, so that both kinds of layout occur.

use crate::{
    show::Shown,
    tree::{Arm, Binding, Expr, Function, Kind, Parameter, Part, Pattern, Program},
    types::{Declaration, Library, Shape, Type, variable_name},
};
use std::fmt::Write;

/// Longer lines are broken where they can be.
const WIDTH: usize = 90;

/// What every batch starts with. `zero` is zero, which only the run shows, so that nothing that depends on it folds.
pub(crate) const PRELUDE: &str = "\
let zero = match Console.readln () with | Some text -> String.length text | None -> 0
let mark (number: int) value =
    Console.write $\"<{number}>\"
    value
let cat (first: string) (second: string) =
    if String.length first + String.length second > 48 then \"~\" else first + second
let join (first: list<'a>) (second: list<'a>) =
    if List.length first + List.length second > 9 then first else first @ second
let at (items: array<'a>) (index: int) (otherwise: 'a) =
    if index >= 0 && index < Array.length items then items[index] else otherwise
let put (items: array<'a>) (index: int) (value: 'a) =
    if index >= 0 && index < Array.length items then items[index] <- value
";

/// The line that a program of a batch writes first.
pub(crate) fn separator(index: u64) -> String {
    format!("#### {index}")
}

/// A program as a module of that name.
pub(crate) fn module(program: &Program) -> String {
    let mut printer = Printer { declarations: &program.declarations, shown: Shown::default() };
    let mut code = String::new();
    for item in &program.items {
        printer.binding(item, 4, &mut code);
    }
    code.push_str("    [<NoInline>]\n    let run () : unit =\n");
    printer.block(&program.body, 8, &mut code);
    let mut text = format!("module P{} =\n", program.index);
    let _ = writeln!(text, "    Console.writeln \"\\n{}\"", separator(program.index));
    for declaration in &program.declarations {
        text.push_str(&type_declaration(declaration, &program.declarations));
    }
    text.push_str(&printer.shown.functions(&program.declarations));
    text + &code + &format!("P{}.run ()\n", program.index)
}

fn type_declaration(declaration: &Declaration, declarations: &[Declaration]) -> String {
    let variables: Vec<String> = (0..declaration.parameters).map(variable_name).collect();
    let parameters = if variables.is_empty() { String::new() } else { format!("<{}>", variables.join(", ")) };
    let mut text = format!("    type {}{parameters} =\n", declaration.name);
    match &declaration.shape {
        Shape::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{name}: {}", ty.text(declarations))).collect();
            let _ = writeln!(text, "        {{ {} }}", fields.join("; "));
        }
        Shape::Union(cases) => {
            for case in cases {
                let fields: Vec<String> = case.fields.iter().map(|ty| ty.text(declarations)).collect();
                let of = if fields.is_empty() { "" } else { " of " };
                let _ = writeln!(text, "        | {}{of}{}", case.name, fields.join(" * "));
            }
        }
    }
    text
}

/// Writes one program.
struct Printer<'a> {
    declarations: &'a [Declaration],
    shown: Shown,
}

/// Where an expression stands on a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Alone: behind `=`, `->` or `then`, or between brackets.
    Alone,
    /// Beside an operator.
    Operand,
    /// As an argument.
    Argument,
}

impl Printer<'_> {
    /// Writes lines that are indented so far.
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
                    // What it binds is not in scope behind it.
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
                let _ = writeln!(out, "{space}for {} in {source} do", pattern(bound, true));
                self.block(body, inner, out);
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

    fn ends_with_long_lambda(&mut self, arguments: &[Expr], indent: usize) -> bool {
        let Some(last) = arguments.last() else { return false };
        matches!(last.kind, Kind::Lambda(..)) && self.is_long(last, indent)
    }

    /// Whether it wants lines of its own.
    fn is_long(&mut self, expr: &Expr, indent: usize) -> bool {
        let line = self.line(expr, Place::Alone);
        // What its line brackets, lines would show.
        indent + line.len() > WIDTH || line.contains("match ") || line.contains("(let ") || line.contains("while ")
    }

    fn arms(&mut self, arms: &[Arm], indent: usize, out: &mut String) {
        let space = " ".repeat(indent);
        for arm in arms {
            let pattern = pattern(&arm.pattern, false);
            let guard = arm.guard.as_ref().map(|guard| format!(" when {}", self.line(guard, Place::Operand)));
            let _ = write!(out, "{space}| {pattern}{} ->", guard.unwrap_or_default());
            self.behind(&arm.body, indent, out);
        }
    }

    /// Writes the rest of a line, or a block below it.
    fn behind(&mut self, expr: &Expr, indent: usize, out: &mut String) {
        let is_block = matches!(expr.kind, Kind::Let(..) | Kind::Sequence(_) | Kind::Match(..) | Kind::When(..));
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
        }
    }

    fn function_head(&mut self, function: &Function, first: bool) -> String {
        let Function { name, recursive, modifier, annotated, parameters, body } = function;
        let parameters = self.parameters(parameters);
        let word = match (first, recursive) {
            (false, _) => "and",
            (true, true) => "let rec",
            (true, false) => "let",
        };
        let result = if *annotated { format!(" : {}", body.ty.text(self.declarations)) } else { String::new() };
        format!("{word} {modifier}{name} {parameters}{result}")
    }

    fn value_head(&mut self, bound: &Pattern, ty: &Type) -> String {
        match bound {
            // What decides a type may come later than its use.
            Pattern::Name(name) => format!("let {name}: {}", ty.text(self.declarations)),
            Pattern::Any => "let _".to_owned(),
            Pattern::Unit
            | Pattern::Literal(_)
            | Pattern::Tuple(_)
            | Pattern::Case(..)
            | Pattern::Record(_)
            | Pattern::Cons(..)
            | Pattern::List(_)
            | Pattern::Array(_)
            | Pattern::As(..)
            | Pattern::Or(..)
            | Pattern::And(..) => format!("let {}", pattern(bound, true)),
        }
    }

    fn parameters(&mut self, parameters: &[Parameter]) -> String {
        let one = |parameter: &Parameter| match (&parameter.pattern, parameter.annotated) {
            (Pattern::Unit, _) => "()".to_owned(),
            (bound, true) => format!("({}: {})", pattern(bound, true), parameter.ty.text(self.declarations)),
            (bound, false) => pattern(bound, true),
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
                let text = format!("for {} in {source} {rest}", pattern(bound, true));
                (in_brackets(&expr.ty, &text), Needs::Nothing)
            }
            Kind::Lazy(inner) => (format!("lazy {}", self.line(inner, Place::Argument)), Needs::BracketsAsArgument),
            Kind::ForIn(bound, source, body) => {
                let (source, body) = (self.line(source, Place::Argument), self.line(body, Place::Operand));
                (format!("for {} in {source} do {body}", pattern(bound, true)), Needs::Brackets)
            }
            Kind::Record(fields) => (format!("{{ {} }}", self.fields(fields)), Needs::Nothing),
            Kind::Update(base, fields) => {
                let base = self.line(base, Place::Argument);
                (format!("{{ {base} with {} }}", self.fields(fields)), Needs::Nothing)
            }
            Kind::Field(base, name) => {
                let record = matches!(base.kind, Kind::Record(_) | Kind::Update(..));
                let base = self.line(base, Place::Argument);
                (if record { format!("({base}).{name}") } else { format!("{base}.{name}") }, Needs::Nothing)
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
                let turn = format!("({counter} <- {counter} + 1; {body})");
                let all = format!("while {counter} < {bound} && {condition} do {turn}");
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
        };
        format!("{head} in {body}")
    }

    fn arms_in_line(&mut self, arms: &[Arm]) -> String {
        let mut text = String::new();
        for arm in arms {
            let guard = arm.guard.as_ref().map(|guard| format!(" when {}", self.line(guard, Place::Operand)));
            let body = self.line(&arm.body, Place::Operand);
            let _ = write!(text, " | {}{} -> {body}", pattern(&arm.pattern, false), guard.unwrap_or_default());
        }
        text
    }

    /// An interpolated string. Strings may stand within its values, but no interpolated ones: then these are bound first.
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

/// Where brackets are needed.
enum Needs {
    Nothing,
    BracketsAsArgument,
    BracketsAsOperand,
    Brackets,
}

/// The brackets of a list, an array or a sequence.
fn in_brackets(ty: &Type, text: &str) -> String {
    if let Type::Library(Library::Array, _) = ty {
        format!("[|{text}|]")
    } else if let Type::Library(Library::Seq, _) = ty {
        format!("(seq {{ {text} }})")
    } else {
        format!("[{text}]")
    }
}

/// A pattern, in brackets where it stands within another or as a parameter.
fn pattern(shape: &Pattern, inner: bool) -> String {
    let bracketed = |text: String| if inner { format!("({text})") } else { text };
    match shape {
        Pattern::Any => "_".to_owned(),
        Pattern::Unit => "()".to_owned(),
        Pattern::Name(text) | Pattern::Literal(text) => text.clone(),
        Pattern::Tuple(items) => format!("({})", list(items, ", ")),
        Pattern::Case(name, fields) => match fields.as_slice() {
            [] => name.clone(),
            [field] => bracketed(format!("{name} {}", pattern(field, true))),
            fields => bracketed(format!("{name} ({})", list(fields, ", "))),
        },
        Pattern::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, field)| format!("{name} = {}", pattern(field, true))).collect();
            format!("{{ {} }}", fields.join("; "))
        }
        Pattern::As(whole, name) => format!("({} as {name})", pattern(whole, true)),
        Pattern::Cons(head, tail) => format!("({} :: {})", pattern(head, true), pattern(tail, true)),
        Pattern::List(items) => format!("[{}]", list(items, "; ")),
        Pattern::Array(items) => format!("[|{}|]", list(items, "; ")),
        Pattern::Or(first, second) => format!("({} | {})", pattern(first, true), pattern(second, true)),
        Pattern::And(first, second) => format!("({} & {})", pattern(first, true), pattern(second, true)),
    }
}

fn list(items: &[Pattern], between: &str) -> String {
    items.iter().map(|item| pattern(item, true)).collect::<Vec<_>>().join(between)
}
