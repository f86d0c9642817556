//! A second judge: programs in OCaml, with their order of evaluation written out.
//!
//! In: programs as trees. Out: the output of each when OCaml runs it, with `int` of 32 bits. Every operand is bound to
//! a name before its use, from left to right, so that OCaml's own evaluation order does not matter. What holds: a
//! program with a part that has no translation is not judged.

#![allow(clippy::wildcard_enum_match_arm, reason = "what is not named has no translation")]

mod steps;

use crate::{
    print::separator,
    process::call,
    tree::{Arm, Binding, Expr, Function, Kind, Parameter, Part, Pattern, Program, Step, Surroundings},
    types::{Declaration, Library, Made, Shape, Type, WIDTHS, Width, made, variable_name},
};
use std::{fmt::Write, io, path::Path, process::Command, time::Duration};

/// The start of every file.
const PRELUDE: &str = include_str!("prelude.ml");

/// Functions that have the same name in OCaml.
const OF_OCAML: [&str; 7] = ["fst", "snd", "ref", "not", "ignore", "min", "max"];

/// OCaml's compiler to bytecode, itself compiled to the code of this machine.
const COMPILER: &str = "ocamlc.opt";

/// The time limit for compiling or running a file.
const LONGEST: Duration = Duration::from_secs(300);

/// The result of OCaml on a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judged {
    /// It ran to its end, with this output.
    Wrote(String),
    /// It failed.
    Failed(String),
}

/// Whether OCaml is installed.
pub fn is_there() -> bool {
    call(Command::new(COMPILER).arg("-version"), b"", LONGEST).is_ok_and(|done| done.status == Some(0))
}

/// A program as a module, if it has a translation.
pub fn module(program: &Program) -> Option<String> {
    let mut translator = Translator { declarations: &program.declarations, shown: Vec::new(), names: 0 };
    if program.may_trap || matches!(program.surroundings, Surroundings::Native | Surroundings::Log) {
        return None;
    }
    let types = translator.types()?;
    let mut items = String::new();
    for item in &program.items {
        items.push_str(&translator.item(item)?);
    }
    let body = translator.expression(&program.body)?;
    let shows = translator.shows()?;
    let index = program.index;
    let start = format!("module P{index} = struct\nlet () = out \"\\n{}\\n\"\n", separator(index));
    Some(format!("{start}{types}{shows}{items}let run () = {body}\nlet () = run ()\nend\n"))
}

/// Compiles and runs modules, in a directory.
pub fn run(modules: &[String], directory: &Path) -> io::Result<Judged> {
    std::fs::write(directory.join("oracle.ml"), PRELUDE.to_owned() + &modules.concat())?;
    let mut compiler = Command::new(COMPILER);
    compiler.current_dir(directory).args(["-w", "-a", "oracle.ml", "-o", "oracle.byte"]);
    let compiled = call(&mut compiler, b"", LONGEST)?;
    if compiled.status != Some(0) {
        return Ok(Judged::Failed(compiled.errors));
    }
    let mut program = Command::new("ocamlrun");
    program.current_dir(directory).arg("oracle.byte").env("OCAMLRUNPARAM", "l=64M");
    let done = call(&mut program, b"", LONGEST)?;
    let output = String::from_utf8_lossy(&done.output).into_owned();
    Ok(if done.status == Some(0) { Judged::Wrote(output) } else { Judged::Failed(done.errors) })
}

struct Translator<'a> {
    declarations: &'a [Declaration],
    /// The types of printed values, each with the body of its function.
    shown: Vec<(Type, Option<String>)>,
    names: usize,
}

/// The function that wraps a number to the size of its type.
fn wrapper(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Integer(Width::Int | Width::Int32) => Some("wrap32"),
        Type::Integer(Width::Uint8) => Some("wrap8"),
        Type::Integer(Width::Int16) => Some("wrap16"),
        _ => None,
    }
}

/// A literal without the suffix of its type.
fn literal(text: &str) -> Option<String> {
    if text.contains("\\u") {
        return None;
    }
    if text.starts_with('"') || ["true", "false", "()", "(zero = 0)", "[]", "None"].contains(&text) {
        return Some(text.to_owned());
    }
    if text.ends_with(" * scale)") {
        return Some(text.to_owned());
    }
    let number = text.trim_start_matches('(').trim_end_matches(')');
    let number = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number = number.parse::<i64>().ok()?;
    // An integer of OCaml has 63 bits.
    (number << 1 >> 1 == number).then(|| format!("({number})"))
}

fn is_slot(name: &str) -> bool {
    let mut characters = name.chars();
    matches!(characters.next(), Some('m' | 'g' | 'w')) && characters.next().is_some_and(|c| c.is_ascii_digit())
}

fn is_case(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && !name.contains('.')
}

/// A range as written after the variable of a loop: its start, its step and its end.
fn range(text: &str) -> Option<(i64, i64, i64)> {
    // The scale is 1.
    let number = |text: &str| text.trim().trim_end_matches(" * scale").trim_end_matches('l').parse::<i64>().ok();
    if let Some(rest) = text.strip_prefix(" = ") {
        if let Some((first, last)) = rest.split_once(" downto ") {
            return Some((number(first)?, -1, number(last)?));
        }
        let (first, last) = rest.split_once(" to ")?;
        return Some((number(first)?, 1, number(last)?));
    }
    let parts: Vec<i64> = text.strip_prefix(" in ")?.split("..").map(number).collect::<Option<_>>()?;
    match parts.as_slice() {
        [first, last] => Some((*first, 1, *last)),
        [first, step, last] => Some((*first, *step, *last)),
        _ => None,
    }
}

impl Translator<'_> {
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("o{}", self.names)
    }

    fn types(&self) -> Option<String> {
        let mut text = String::new();
        for declaration in self.declarations {
            let variables: Vec<String> = (0..declaration.parameters).map(variable_name).collect();
            let parameters = if variables.is_empty() { String::new() } else { format!("({}) ", variables.join(", ")) };
            let word = if declaration.with_previous { "and" } else { "type" };
            let _ = write!(text, "{word} {parameters}{} =", declaration.name.to_lowercase());
            match &declaration.shape {
                Shape::Record(fields) => {
                    text.push_str(" {");
                    for field in fields {
                        let mutable = if field.mutable { "mutable " } else { "" };
                        let _ = write!(text, " {mutable}{}: {};", field.name.to_lowercase(), self.ty(&field.ty)?);
                    }
                    text.push_str(" }\n");
                }
                Shape::Union(cases) => {
                    for case in cases {
                        let fields = case.fields.iter().map(|ty| self.ty(ty)).collect::<Option<Vec<_>>>()?;
                        let of = if fields.is_empty() { "" } else { " of " };
                        let _ = write!(text, " | {}{of}{}", case.name, fields.join(" * "));
                    }
                    text.push('\n');
                }
                Shape::Enum(..) => return None,
            }
        }
        Some(text)
    }

    fn ty(&self, ty: &Type) -> Option<String> {
        let all = |types: &[Type]| types.iter().map(|ty| self.ty(ty)).collect::<Option<Vec<_>>>();
        Some(match ty {
            Type::Unit => "unit".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::String => "string".to_owned(),
            Type::Integer(_) => {
                wrapper(ty)?;
                "int".to_owned()
            }
            Type::Char | Type::Float | Type::Single | Type::Measured(..) => return None,
            Type::Tuple(parts) => format!("({})", all(parts)?.join(" * ")),
            Type::Function(from, to) => format!("({} -> {})", self.ty(from)?, self.ty(to)?),
            Type::Library(library, parts) => {
                let name = match library {
                    Library::Option => "option",
                    Library::Result => "result",
                    Library::Ref => "ref",
                    Library::List => "list",
                    Library::Array => "array",
                    Library::Seq => "Seq.t",
                    Library::Lazy => "Lazy.t",
                    Library::Map | Library::Set => return None,
                };
                format!("({}) {name}", all(parts)?.join(", "))
            }
            Type::Declared(number, parts) => {
                let name = self.declarations[*number].name.to_lowercase();
                if parts.is_empty() { name } else { format!("({}) {name}", all(parts)?.join(", ")) }
            }
            Type::Variable(index) => variable_name(*index),
        })
    }

    /// ` : ty`, unless it has type variables.
    fn annotation(&self, ty: &Type) -> Option<String> {
        let text = self.ty(ty)?;
        Some(if text.contains('\'') { String::new() } else { format!(" : {text}") })
    }

    fn item(&mut self, binding: &Binding) -> Option<String> {
        Some(match binding {
            Binding::Value(pattern, value) => {
                let ty = self.annotation(&value.ty)?;
                format!("let ({}{ty}) = {}\n", self.pattern(pattern)?, self.expression(value)?)
            }
            Binding::Slot(name, value) => {
                let ty = self.ty(&value.ty)?;
                format!("let {name} : {ty} ref = ref {}\n", self.expression(value)?)
            }
            Binding::Functions(functions) => self.functions(functions)? + "\n",
            Binding::Use(..) => return None,
            Binding::Effect(effect) => format!("let () = {}\n", self.expression(effect)?),
        })
    }

    fn functions(&mut self, functions: &[Function]) -> Option<String> {
        let mut text = String::new();
        for (index, function) in functions.iter().enumerate() {
            let word = match (index, function.recursive) {
                (0, true) => "let rec",
                (0, false) => "let",
                _ => "and",
            };
            let parameters = self.parameters(&function.parameters)?;
            let body = self.expression(&function.body)?;
            let _ = write!(text, "{word} {} {parameters} = {body} ", function.name);
        }
        Some(text)
    }

    fn parameters(&mut self, parameters: &[Parameter]) -> Option<String> {
        let parameters = parameters.iter().map(|parameter| self.pattern(&parameter.pattern));
        Some(parameters.collect::<Option<Vec<_>>>()?.join(" "))
    }

    /// Operands bound to names in order, and the names.
    fn operands<'e>(&mut self, operands: impl IntoIterator<Item = &'e Expr>) -> Option<(String, Vec<String>)> {
        let (mut text, mut names) = (String::new(), Vec::new());
        for operand in operands {
            let name = self.fresh();
            let value = self.expression(operand)?;
            let _ = write!(text, "let {name} = {value} in ");
            names.push(name);
        }
        Some((text, names))
    }

    /// The parenthesised expression.
    fn expression(&mut self, expr: &Expr) -> Option<String> {
        Some(format!("({})", self.bare(expr)?))
    }

    fn bare(&mut self, expr: &Expr) -> Option<String> {
        Some(match &expr.kind {
            Kind::Constant(text) => literal(text)?,
            Kind::Name(name) => self.name(name)?,
            Kind::Apply(function, arguments) => self.application(expr, function, arguments)?,
            Kind::Binary(operator, left, right) => self.binary(&expr.ty, operator, left, right)?,
            Kind::Prefix(operator, inner) => {
                let value = self.expression(inner)?;
                match *operator {
                    "!" => format!("!{value}"),
                    "-" => format!("{} (- {value})", wrapper(&expr.ty)?),
                    "~~~" => format!("{} (lnot {value})", wrapper(&expr.ty)?),
                    _ => return None,
                }
            }
            Kind::Tuple(items) => {
                let (text, names) = self.operands(items)?;
                format!("{text}({})", names.join(", "))
            }
            Kind::Items(items) => {
                let (text, names) = self.operands(items)?;
                match expr.ty {
                    Type::Library(Library::List, _) => format!("{text}[{}]", names.join("; ")),
                    Type::Library(Library::Array, _) => format!("{text}[|{}|]", names.join("; ")),
                    _ => return None,
                }
            }
            Kind::Comprehension { pattern, source, condition, body } => {
                let item = Step::Yield((**body).clone());
                let inner = match condition {
                    Some(condition) => Step::When((**condition).clone(), vec![item], Vec::new()),
                    None => item,
                };
                self.generated(&expr.ty, &[Step::For(pattern.clone(), (**source).clone(), vec![inner])])?
            }
            Kind::Generate(steps) => self.generated(&expr.ty, steps)?,
            Kind::Index(base, index) => {
                let (text, names) = self.operands([&**base, &**index])?;
                match base.ty {
                    Type::Library(Library::List, _) => format!("{text}List.nth {} {}", names[0], names[1]),
                    Type::Library(Library::Array, _) => format!("{text}{}.({})", names[0], names[1]),
                    _ => return None,
                }
            }
            Kind::Slice(..) | Kind::Format(..) => return None,
            Kind::Lazy(inner) => format!("lazy {}", self.expression(inner)?),
            Kind::ForIn(pattern, source, body) => {
                let each = self.each(&source.ty)?;
                let (source, pattern) = (self.expression(source)?, self.pattern(pattern)?);
                format!("let s = {source} in {each} (fun {pattern} -> {}) s", self.expression(body)?)
            }
            Kind::Record(fields) => {
                let (text, names) = self.operands(fields.iter().map(|(_, value)| value))?;
                let fields =
                    fields.iter().zip(names).map(|((field, _), name)| format!("{} = {name}", field.to_lowercase()));
                format!("{text}{{ {} }}", fields.collect::<Vec<_>>().join("; "))
            }
            Kind::NamedCase(name, fields) => {
                let (text, names) = self.operands(fields.iter().map(|(_, value)| value))?;
                let mut placed: Vec<(&str, String)> =
                    fields.iter().map(|(field, _)| field.as_str()).zip(names).collect();
                placed.sort();
                let values: Vec<String> = placed.into_iter().map(|(_, name)| name).collect();
                format!("{text}{name} ({})", values.join(", "))
            }
            Kind::Update(base, fields) => {
                let all = std::iter::once(&**base).chain(fields.iter().map(|(_, value)| value));
                let (text, names) = self.operands(all)?;
                let set = fields.iter().zip(&names[1..]);
                let set = set.map(|((field, _), name)| format!("{} = {name}", field.to_lowercase()));
                format!("{text}{{ {} with {} }}", names[0], set.collect::<Vec<_>>().join("; "))
            }
            Kind::Field(base, name) => format!("{}.{}", self.expression(base)?, name.to_lowercase()),
            Kind::If(condition, then, otherwise) => {
                let condition = self.expression(condition)?;
                format!("if {condition} then {} else {}", self.expression(then)?, self.expression(otherwise)?)
            }
            Kind::When(condition, body) => {
                let condition = self.expression(condition)?;
                format!("if {condition} then {}", self.expression(body)?)
            }
            Kind::Let(binding, body) => {
                if let Binding::Use(name, value) = &**binding {
                    let (value, body) = (self.expression(value)?, self.expression(body)?);
                    return Some(format!("let {name} = guard {value} in let r = {body} in dispose {name}; r"));
                }
                let text = match &**binding {
                    Binding::Functions(functions) => self.functions(functions)?,
                    Binding::Value(pattern, value) => {
                        let ty = self.annotation(&value.ty)?;
                        format!("let ({}{ty}) = {} ", self.pattern(pattern)?, self.expression(value)?)
                    }
                    Binding::Slot(name, value) => format!("let {name} = ref {} ", self.expression(value)?),
                    Binding::Effect(effect) => format!("let () = {} ", self.expression(effect)?),
                    Binding::Use(..) => return None,
                };
                format!("{text}in {}", self.expression(body)?)
            }
            Kind::Sequence(items) => {
                let items = items.iter().map(|item| self.expression(item)).collect::<Option<Vec<_>>>()?;
                items.join("; ")
            }
            Kind::Lambda(parameters, body) => {
                format!("fun {} -> {}", self.parameters(parameters)?, self.expression(body)?)
            }
            Kind::Cases(arms) => format!("function{}", self.arms(arms)?),
            Kind::Match(scrutinee, arms) => {
                let scrutinee = self.expression(scrutinee)?;
                format!("match {scrutinee} with{}", self.arms(arms)?)
            }
            Kind::Assign(name, value) => {
                let value = self.expression(value)?;
                format!("{name} := {value}")
            }
            Kind::SetField(base, name, value) => {
                let (text, names) = self.operands([&**base, &**value])?;
                format!("{text}{}.{} <- {}", names[0], name.to_lowercase(), names[1])
            }
            Kind::SetIndex(base, index, value) => {
                let (text, names) = self.operands([&**base, &**index, &**value])?;
                format!("{text}{}.({}) <- {}", names[0], names[1], names[2])
            }
            Kind::While { counter, bound, condition, body } => {
                let condition = self.expression(condition)?;
                let body = self.expression(body)?;
                format!(
                    "let {counter} = ref 0 in while !{counter} < {bound} && {condition} do {counter} := !{counter} + 1; {body} done"
                )
            }
            Kind::For { variable, range: text, body } => {
                let (first, step, last) = range(text)?;
                let body = self.expression(body)?;
                format!("for_range ({first}) ({step}) ({last}) (fun {variable} -> {body})")
            }
            Kind::Text(parts) => self.text(parts)?,
            Kind::Show(value) => {
                let show = self.show(&value.ty)?;
                format!("let v = {} in {show} v", self.expression(value)?)
            }
            Kind::Trace(number, value) => {
                format!("let v = {} in out \"<{number}>\"; v", self.expression(value)?)
            }
        })
    }

    fn name(&self, name: &str) -> Option<String> {
        if is_slot(name) {
            return Some(format!("!{name}"));
        }
        if is_case(name) {
            return Some(name.to_owned());
        }
        // A conversion depends on the type of its argument.
        if name.contains(['(', '<']) || WIDTHS.iter().any(|width| width.name() == name) {
            return None;
        }
        let translated = match name.split_once('.') {
            Some((module, function)) => format!("{}_{function}", module.to_lowercase()),
            None => name.to_owned(),
        };
        // The names of programs are numbered.
        let is_known = translated.contains(|character: char| character.is_ascii_digit())
            || OF_OCAML.contains(&translated.as_str())
            || ["let", "let rec"].iter().any(|word| PRELUDE.contains(&format!("{word} {translated} ")));
        is_known.then_some(translated)
    }

    /// The number of fields of a case.
    fn fields_of(&self, name: &str) -> Option<usize> {
        if ["Some", "Ok", "Error"].contains(&name) {
            return Some(1);
        }
        let cases = self.declarations.iter().filter_map(|declaration| match &declaration.shape {
            Shape::Union(cases) => Some(cases),
            Shape::Record(_) | Shape::Enum(..) => None,
        });
        cases.flatten().find(|case| case.name == name).map(|case| case.fields.len())
    }

    fn application(&mut self, expr: &Expr, function: &Expr, arguments: &[Expr]) -> Option<String> {
        if let Kind::Name(name) = &function.kind {
            if is_case(name) {
                let [argument] = arguments else { return None };
                let (text, names) = match (&argument.kind, self.fields_of(name)?) {
                    (Kind::Tuple(items), 2..) => self.operands(items)?,
                    (_, 1) => self.operands([argument])?,
                    _ => return None,
                };
                return Some(format!("{text}{name} ({})", names.join(", ")));
            }
            if ["int", "int32", "uint8", "int16"].contains(&name.as_str()) {
                let [argument] = arguments else { return None };
                wrapper(&argument.ty)?;
                return Some(format!("{} {}", wrapper(&expr.ty)?, self.expression(argument)?));
            }
        }
        let (text, names) = self.operands(std::iter::once(function).chain(arguments))?;
        Some(format!("{text}{}", names.join(" ")))
    }

    fn binary(&mut self, ty: &Type, operator: &str, left: &Expr, right: &Expr) -> Option<String> {
        if let "&&" | "||" = operator {
            return Some(format!("{} {operator} {}", self.expression(left)?, self.expression(right)?));
        }
        let (text, names) = self.operands([left, right])?;
        let [one, other] = [&names[0], &names[1]];
        let wrapped = |operator: &str| Some(format!("{} ({one} {operator} {other})", wrapper(ty)?));
        let applied = match operator {
            "+" if *ty == Type::String => format!("{one} ^ {other}"),
            "+" | "-" | "*" | "/" => wrapped(operator)?,
            "%" => wrapped("mod")?,
            "&&&" => wrapped("land")?,
            "|||" => wrapped("lor")?,
            "^^^" => wrapped("lxor")?,
            "<<<" => wrapped("lsl")?,
            "=" | "<>" | "<" | ">" | "<=" | ">=" | "::" | ":=" | "@" => format!("{one} {operator} {other}"),
            "|>" => format!("{other} {one}"),
            "<|" => format!("{one} {other}"),
            ">>" => format!("fun x -> {other} ({one} x)"),
            "<<" => format!("fun x -> {one} ({other} x)"),
            "||>" => format!("let (x, y) = {one} in {other} x y"),
            _ => return None,
        };
        Some(text + &applied)
    }

    fn text(&mut self, parts: &[Part]) -> Option<String> {
        let values = parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Value(value, _) => Some(value),
        });
        let (text, names) = self.operands(values)?;
        let mut names = names.into_iter();
        let mut pieces = vec!["\"\"".to_owned()];
        for part in parts {
            pieces.push(match part {
                Part::Text(text) => format!("\"{}\"", text.replace("{{", "{")),
                Part::Value(_, Some(_)) => return None,
                Part::Value(value, None) => match &value.ty {
                    Type::Bool => format!("bool_text {}", names.next()?),
                    Type::String => names.next()?,
                    Type::Integer(_) => format!("string_of_int {}", names.next()?),
                    _ => return None,
                },
            });
        }
        Some(format!("{text}{}", pieces.join(" ^ ")))
    }

    fn arms(&mut self, arms: &[Arm]) -> Option<String> {
        let mut text = String::new();
        for arm in arms {
            let _ = write!(text, " | {}", self.pattern(&arm.pattern)?);
            if let Some(guard) = &arm.guard {
                let _ = write!(text, " when {}", self.expression(guard)?);
            }
            let _ = write!(text, " -> {}", self.expression(&arm.body)?);
        }
        Some(text)
    }

    fn pattern(&self, shape: &Pattern) -> Option<String> {
        let all = |items: &[Pattern]| items.iter().map(|item| self.pattern(item)).collect::<Option<Vec<_>>>();
        Some(match shape {
            Pattern::Any => "_".to_owned(),
            Pattern::Unit => "()".to_owned(),
            Pattern::Name(name) => name.clone(),
            Pattern::Literal(text) => literal(text)?,
            Pattern::Tuple(items) => format!("({})", all(items)?.join(", ")),
            Pattern::Case(name, fields) if fields.is_empty() => name.clone(),
            Pattern::Case(name, fields) => format!("({name} ({}))", all(fields)?.join(", ")),
            Pattern::NamedCase(name, fields) => {
                let count = self.fields_of(name)?;
                let mut parts = vec!["_".to_owned(); count];
                for (field, inner) in fields {
                    let place: usize = field.strip_prefix('n')?.parse().ok()?;
                    parts[place] = self.pattern(inner)?;
                }
                format!("({name} ({}))", parts.join(", "))
            }
            Pattern::Record(fields) => {
                let mut text = "{ ".to_owned();
                for (name, inner) in fields {
                    let _ = write!(text, "{} = {}; ", name.to_lowercase(), self.pattern(inner)?);
                }
                text + "_ }"
            }
            Pattern::Typed(inner, _) => self.pattern(inner)?,
            Pattern::As(inner, name) => format!("({} as {name})", self.pattern(inner)?),
            Pattern::Cons(head, tail) => format!("({} :: {})", self.pattern(head)?, self.pattern(tail)?),
            Pattern::List(items) => format!("[{}]", all(items)?.join("; ")),
            Pattern::Array(items) => format!("[|{}|]", all(items)?.join("; ")),
            Pattern::Or(one, other) => format!("({} | {})", self.pattern(one)?, self.pattern(other)?),
            Pattern::And(..) => return None,
        })
    }

    /// The function that prints values of a type.
    fn show(&mut self, ty: &Type) -> Option<String> {
        let known = self.shown.iter().position(|(other, _)| other == ty);
        let place = known.unwrap_or(self.shown.len());
        if known.is_none() {
            self.shown.push((ty.clone(), None));
            let body = self.shown_body(ty)?;
            self.shown[place].1 = Some(body);
        }
        Some(format!("show{place}"))
    }

    fn shown_body(&mut self, ty: &Type) -> Option<String> {
        let fields = |this: &mut Self, open: &str, parts: &[(String, Type)]| {
            let mut text = format!("out \"{open}\"");
            for (index, (part, ty)) in parts.iter().enumerate() {
                let comma = if index == 0 { "" } else { "; out \",\"" };
                let _ = write!(text, "{comma}; {} {part}", this.show(ty)?);
            }
            Some(text + "; out \")\"")
        };
        let named = |types: &[Type]| -> Vec<(String, Type)> {
            types.iter().enumerate().map(|(index, ty)| (format!("v{index}"), ty.clone())).collect()
        };
        let list =
            |names: &[(String, Type)]| names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        Some(match ty {
            Type::Unit => "out \"()\"".to_owned(),
            Type::Bool => "out (bool_text v)".to_owned(),
            Type::Integer(_) => {
                wrapper(ty)?;
                "out (string_of_int v)".to_owned()
            }
            Type::String => "out \"'\"; out v; out \"'\"".to_owned(),
            Type::Function(..) | Type::Variable(_) | Type::Library(Library::Seq | Library::Lazy, _) => {
                "out \"?\"".to_owned()
            }
            Type::Char | Type::Float | Type::Single | Type::Measured(..) => return None,
            Type::Tuple(parts) => {
                let parts = named(parts);
                format!("let ({}) = v in ({})", list(&parts), fields(self, "(", &parts)?)
            }
            Type::Library(Library::Ref, parts) => fields(self, "ref(", &[("!v".to_owned(), parts[0].clone())])?,
            Type::Library(Library::List | Library::Array, parts) => {
                let each = self.each(ty)?;
                format!("out \"[\"; {each} (fun item -> {} item; out \";\") v; out \"]\"", self.show(&parts[0])?)
            }
            Type::Library(Library::Map | Library::Set, _) => return None,
            Type::Library(Library::Option | Library::Result, _) | Type::Declared(..) => {
                match made(ty, self.declarations) {
                    Made::Fields(parts) => {
                        let part = |(name, ty): (&str, Type)| (format!("v.{}", name.to_lowercase()), ty);
                        let parts: Vec<_> = parts.into_iter().map(part).collect();
                        fields(self, "{", &parts)?
                    }
                    Made::Cases(cases) => {
                        let mut text = "match v with".to_owned();
                        for (name, types) in cases {
                            if types.is_empty() {
                                let _ = write!(text, " | {name} -> out \"{name}\"");
                                continue;
                            }
                            let parts = named(&types);
                            let shown = fields(self, &format!("{name}("), &parts)?;
                            let _ = write!(text, " | {name} ({}) -> ({shown})", list(&parts));
                        }
                        text
                    }
                    Made::Other => return None,
                }
            }
        })
    }

    fn shows(&mut self) -> Option<String> {
        let mut text = String::new();
        for (place, (ty, body)) in self.shown.iter().enumerate() {
            let word = if place == 0 { "let rec" } else { "and" };
            let ty = self.ty(ty)?;
            let ty = if ty.contains('\'') { String::new() } else { format!(" : {ty}") };
            let _ = writeln!(text, "{word} show{place} (v{ty}) : unit = {}", body.as_ref()?);
        }
        Some(text)
    }
}
