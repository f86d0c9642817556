//! Functions that print values: one for each type that a program prints, written in Clef, so that comparisons do not
//! depend on the library's own formatting of structured values.

use crate::types::{Declaration, Library, Made, Type, made};
use std::fmt::Write;

/// The printed types, each with its function's number; a type comes after its components.
#[derive(Default)]
pub(crate) struct Shown {
    functions: Vec<(Type, String)>,
    open: Vec<Type>,
}

impl Shown {
    /// The name of the function that prints values of a type.
    pub(crate) fn name(&mut self, ty: &Type, declarations: &[Declaration]) -> String {
        self.require(ty, declarations);
        function_name(ty, declarations)
    }

    fn require(&mut self, ty: &Type, declarations: &[Declaration]) {
        if self.open.contains(ty) || self.functions.iter().any(|(known, _)| known == ty) {
            return;
        }
        self.open.push(ty.clone());
        let body = self.body(ty, declarations);
        self.open.pop();
        self.functions.push((ty.clone(), body));
    }

    /// A call that prints a variable.
    fn call(&mut self, ty: &Type, variable: &str, declarations: &[Declaration]) -> String {
        format!("{} {variable}", self.name(ty, declarations))
    }

    /// The body of the function, which prints `v`.
    fn body(&mut self, ty: &Type, declarations: &[Declaration]) -> String {
        match ty {
            Type::Unit => "Console.write \"()\"".to_owned(),
            Type::Bool | Type::Float | Type::Single | Type::Integer(_) | Type::Measured(..) => {
                "Console.write $\"{v}\"".to_owned()
            }
            Type::Char => "Console.write $\"'{v}'\"".to_owned(),
            Type::String => "Console.write (\"'\" + v + \"'\")".to_owned(),
            Type::Function(..) | Type::Variable(_) | Type::Library(Library::Seq | Library::Lazy, _) => {
                "Console.write \"?\"".to_owned()
            }
            Type::Library(Library::Map | Library::Set, _) => "Console.write \"?\"".to_owned(),
            Type::Tuple(parts) => {
                let names: Vec<String> = (0..parts.len()).map(|index| format!("v{index}")).collect();
                let parts = parts.iter().zip(&names).map(|(part, name)| self.call(part, name, declarations));
                let parts: Vec<String> = parts.collect();
                format!("let ({}) = v in ({})", names.join(", "), surrounded("(", &parts))
            }
            Type::Library(Library::Ref, parts) => {
                let content = self.call(&parts[0], "(!v)", declarations);
                surrounded("ref(", &[content])
            }
            Type::Library(Library::List | Library::Array, parts) => {
                let item = self.call(&parts[0], "item", declarations);
                format!("Console.write \"[\"; (for item in v do ({item}; Console.write \";\")); Console.write \"]\"")
            }
            Type::Library(Library::Option | Library::Result, _) | Type::Declared(..) => match made(ty, declarations) {
                Made::Fields(fields) => {
                    let fields: Vec<String> = fields
                        .iter()
                        .map(|(name, field)| self.call(field, &format!("v.{name}"), declarations))
                        .collect();
                    surrounded("{", &fields)
                }
                Made::Cases(cases) => self.cases(&cases, declarations),
                // An enum.
                Made::Other => "Console.write $\"{v}\"".to_owned(),
            },
        }
    }

    fn cases(&mut self, cases: &[(&str, Vec<Type>)], declarations: &[Declaration]) -> String {
        let mut text = "match v with".to_owned();
        for (name, fields) in cases {
            if fields.is_empty() {
                let _ = write!(text, " | {name} -> Console.write \"{name}\"");
                continue;
            }
            let names: Vec<String> = (0..fields.len()).map(|index| format!("v{index}")).collect();
            let calls = fields.iter().zip(&names).map(|(field, name)| self.call(field, name, declarations));
            let calls: Vec<String> = calls.collect();
            let _ = write!(text, " | {name} ({}) -> ({})", names.join(", "), surrounded(&format!("{name}("), &calls));
        }
        text
    }

    /// The functions, at the indentation of a module's members.
    pub(crate) fn functions(&self, declarations: &[Declaration]) -> String {
        let mut text = String::new();
        let names: Vec<String> = self.functions.iter().map(|(ty, _)| function_name(ty, declarations)).collect();
        let calls = |body: &str, name: &String| body.contains(&format!("{name} "));
        // Mutually recursive types have mutually recursive functions.
        let all = self.functions.iter().enumerate();
        let mutual = all.clone().any(|(place, (_, body))| names[place + 1..].iter().any(|name| calls(body, name)));
        for (place, (ty, body)) in all {
            let name = &names[place];
            let word = match (mutual, place) {
                (true, 0) => "let rec",
                (true, _) => "and",
                (false, _) if calls(body, name) => "let rec",
                (false, _) => "let",
            };
            let _ = writeln!(text, "    {word} {name} (v: {}) : unit = ({body})", ty.text(declarations));
        }
        text
    }
}

/// Effects that print an opening text, the parts separated by commas, and a closing bracket.
fn surrounded(open: &str, parts: &[String]) -> String {
    let parts = parts.join("; Console.write \",\"; ");
    format!("Console.write \"{open}\"; {parts}; Console.write \")\"")
}

/// The name of the function for a type: the printed type without its punctuation.
fn function_name(ty: &Type, declarations: &[Declaration]) -> String {
    let mut name = "show".to_owned();
    for character in ty.text(declarations).chars() {
        match character {
            ' ' => {}
            '(' | ')' => name.push('\''),
            '<' => name.push_str("_of_"),
            '*' => name.push_str("_x_"),
            '^' => name.push_str("_to_"),
            '-' => name.push_str("_'"),
            ',' => name.push_str("_and_"),
            character if character.is_alphanumeric() || character == '_' => name.push(character),
            _ => {}
        }
    }
    name
}
