//! The program semantic graph as an indented listing, one node per line, for `--emit psg`.
//!
//! Each line shows the kind of a node, then its type. Children follow their parent, indented by two columns, in evaluation
//! order. Library items are omitted.

use super::types::type_text;
use crate::{Binding, CaptureMode, Item, LambdaId, Literal, NodeId, NodeKind, Part, PatternId, PatternKind, Psg};
use clef_types::{Constraint, Type, TypeParameter};
use std::fmt::Write;

/// The program's items as text.
pub fn psg_text(psg: &Psg) -> String {
    let mut printer = Printer { psg, text: String::new() };
    for item in own_items(psg) {
        printer.item(item);
    }
    printer.text
}

/// The items that do not belong to the library.
pub(super) fn own_items(psg: &Psg) -> impl Iterator<Item = &Item> {
    psg.items.iter().filter(|item| match item {
        Item::Let(binding) => !is_library(psg, binding.pattern),
        Item::Recursive(bindings) => bindings.iter().any(|binding| !is_library(psg, binding.pattern)),
        Item::Effect(_) => true,
    })
}

fn is_library(psg: &Psg, pattern: PatternId) -> bool {
    let mut variables = Vec::new();
    bound_variables(psg, pattern, &mut variables);
    variables.iter().any(|&variable| psg.variables[variable].marks.library)
}

fn bound_variables(psg: &Psg, pattern: PatternId, found: &mut Vec<crate::VariableId>) {
    match &psg.patterns[pattern].kind {
        PatternKind::Wildcard | PatternKind::Literal(_) => {}
        PatternKind::Variable(variable) => found.push(*variable),
        PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Case { fields: parts, .. } => {
            parts.iter().for_each(|&part| bound_variables(psg, part, found));
        }
        PatternKind::As(inner, variable) => {
            found.push(*variable);
            bound_variables(psg, *inner, found);
        }
        PatternKind::Or(one, other) | PatternKind::And(one, other) => {
            bound_variables(psg, *one, found);
            bound_variables(psg, *other, found);
        }
    }
}

struct Printer<'a> {
    psg: &'a Psg,
    text: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", depth * 2);
    }

    fn ty(&self, ty: Type) -> String {
        type_text(self.psg, ty)
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Let(binding) => self.binding("let", 0, binding),
            Item::Recursive(bindings) => {
                bindings.iter().for_each(|binding| self.binding("let rec", 0, binding));
            }
            Item::Effect(node) => {
                self.line(0, "do");
                self.node(1, *node);
            }
        }
    }

    fn binding(&mut self, word: &str, depth: usize, binding: &Binding) {
        let ty = self.ty(self.psg.patterns[binding.pattern].ty);
        let pattern = pattern_text(self.psg, binding.pattern);
        let generics = self.generics(binding.pattern);
        self.line(depth, &format!("{word} {pattern}{generics} : {ty}"));
        self.node(depth + 1, binding.value);
    }

    /// The type parameters of a binding, with their constraints.
    fn generics(&self, pattern: PatternId) -> String {
        let PatternKind::Variable(variable) = self.psg.patterns[pattern].kind else { return String::new() };
        let generics = &self.psg.variables[variable].generics;
        if generics.is_empty() {
            return String::new();
        }
        let parameters: Vec<String> = (generics.iter())
            .map(|&parameter| {
                let TypeParameter { name, constraint } = &self.psg.type_parameters[parameter];
                format!("'{name}{}", constraint_text(*constraint))
            })
            .collect();
        format!("<{}>", parameters.join(", "))
    }

    fn node(&mut self, depth: usize, id: NodeId) {
        let node = &self.psg.nodes[id];
        let ty = self.ty(node.ty);
        let head = |word: &str| format!("{word} : {ty}");
        match &node.kind {
            NodeKind::Literal(literal) => self.line(depth, &head(&literal_text(literal))),
            NodeKind::Variable { variable, instantiation } => {
                let name = self.psg.variables[*variable].name;
                let types = self.instantiation(instantiation);
                self.line(depth, &head(&format!("{name}{types}")));
            }
            NodeKind::Primitive(primitive) => self.line(depth, &head(&format!("{primitive:?}"))),
            NodeKind::Intrinsic(intrinsic) => self.line(depth, &head(intrinsic.name())),
            NodeKind::Case { case, instantiation } => {
                let name = self.psg.cases[*case].name;
                let types = self.instantiation(instantiation);
                self.line(depth, &head(&format!("{name}{types}")));
            }
            NodeKind::Apply { function, arguments } => {
                self.line(depth, &head("apply"));
                self.node(depth + 1, *function);
                self.nodes(depth + 1, arguments);
            }
            NodeKind::Lambda(lambda) => self.lambda(depth, *lambda, &ty),
            NodeKind::Let { binding, body } => {
                self.binding("let", depth, binding);
                self.node(depth, *body);
            }
            NodeKind::LetRecursive { bindings, body } => {
                bindings.iter().for_each(|binding| self.binding("let rec", depth, binding));
                self.node(depth, *body);
            }
            NodeKind::Sequence(nodes) => {
                self.line(depth, &head("sequence"));
                self.nodes(depth + 1, nodes);
            }
            NodeKind::If { condition, then, otherwise } => {
                self.line(depth, &head("if"));
                self.nodes(depth + 1, &[*condition, *then, *otherwise]);
            }
            NodeKind::Match { scrutinee, arms } => {
                self.line(depth, &head("match"));
                self.node(depth + 1, *scrutinee);
                for arm in arms {
                    let guarded = if arm.guard.is_some() { " when" } else { "" };
                    self.line(depth + 1, &format!("| {}{guarded}", pattern_text(self.psg, arm.pattern)));
                    arm.guard.iter().for_each(|guard| self.node(depth + 2, *guard));
                    self.node(depth + 2, arm.body);
                }
            }
            NodeKind::While { condition, body } => {
                self.line(depth, &head("while"));
                self.nodes(depth + 1, &[*condition, *body]);
            }
            NodeKind::For { variable, from, to, descending, body } => {
                let direction = if *descending { "downto" } else { "to" };
                self.line(depth, &head(&format!("for {} {direction}", self.psg.variables[*variable].name)));
                self.nodes(depth + 1, &[*from, *to, *body]);
            }
            NodeKind::Tuple(parts) => {
                self.line(depth, &head("tuple"));
                self.nodes(depth + 1, parts);
            }
            NodeKind::Array(elements) => {
                self.line(depth, &head("array"));
                self.nodes(depth + 1, elements);
            }
            NodeKind::AssignField { target, case, field, value } => {
                let name = self.psg.cases[*case].fields[*field].0.map_or_else(String::new, |name| name.to_string());
                self.line(depth, &head(&format!(".{name} <-")));
                self.nodes(depth + 1, &[*target, *value]);
            }
            NodeKind::Foreign { symbol, arguments } => {
                self.line(depth, &head(&format!("foreign {symbol}")));
                self.nodes(depth + 1, arguments);
            }
            NodeKind::Assign { variable, value } => {
                self.line(depth, &head(&format!("{} <-", self.psg.variables[*variable].name)));
                self.node(depth + 1, *value);
            }
            NodeKind::Interpolate(parts) => {
                self.line(depth, &head("interpolate"));
                for part in parts {
                    match part {
                        Part::Text(text) => self.line(depth + 1, &format!("{:?}", text.as_str())),
                        Part::Value(value) => self.node(depth + 1, *value),
                    }
                }
            }
        }
    }

    fn nodes(&mut self, depth: usize, nodes: &[NodeId]) {
        nodes.iter().for_each(|&node| self.node(depth, node));
    }

    fn instantiation(&self, types: &[Type]) -> String {
        if types.is_empty() {
            return String::new();
        }
        let types: Vec<String> = types.iter().map(|&ty| self.ty(ty)).collect();
        format!("<{}>", types.join(", "))
    }

    fn lambda(&mut self, depth: usize, id: LambdaId, ty: &str) {
        let lambda = &self.psg.lambdas[id];
        let name = |variable: crate::VariableId| self.psg.variables[variable].name.as_str();
        let params: Vec<&str> = lambda.params.iter().map(|&param| name(param)).collect();
        let captures: Vec<String> = (lambda.captures.iter())
            .map(|capture| match capture.mode {
                CaptureMode::Value => name(capture.variable).to_owned(),
                CaptureMode::Reference => format!("&{}", name(capture.variable)),
            })
            .collect();
        self.line(depth, &format!("fun {} [{}] : {ty}", params.join(" "), captures.join(", ")));
        self.node(depth + 1, lambda.body);
    }
}

/// The constraint of a type parameter, after its name.
fn constraint_text(constraint: Constraint) -> &'static str {
    match constraint {
        Constraint::None => "",
        Constraint::Equality => ": equality",
        Constraint::Comparison => ": comparison",
        Constraint::Additive => ": additive",
        Constraint::Number => ": number",
        Constraint::Integer => ": integer",
        Constraint::Float => ": float",
    }
}

/// A pattern on one line.
pub(super) fn pattern_text(psg: &Psg, pattern: PatternId) -> String {
    let all = |parts: &[PatternId]| parts.iter().map(|&part| pattern_text(psg, part)).collect::<Vec<_>>().join(", ");
    match &psg.patterns[pattern].kind {
        PatternKind::Wildcard => "_".into(),
        PatternKind::Variable(variable) => psg.variables[*variable].path.to_string(),
        PatternKind::Literal(literal) => literal_text(literal),
        PatternKind::Tuple(parts) => format!("({})", all(parts)),
        PatternKind::Array(parts) => format!("[|{}|]", all(parts)),
        PatternKind::Case { case, fields } if fields.is_empty() => psg.cases[*case].name.to_string(),
        PatternKind::Case { case, fields } => format!("{} ({})", psg.cases[*case].name, all(fields)),
        PatternKind::As(inner, variable) => {
            format!("({} as {})", pattern_text(psg, *inner), psg.variables[*variable].name)
        }
        PatternKind::Or(one, other) => format!("({} | {})", pattern_text(psg, *one), pattern_text(psg, *other)),
        PatternKind::And(one, other) => format!("({} & {})", pattern_text(psg, *one), pattern_text(psg, *other)),
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Unit => "()".into(),
        Literal::Bool(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) => format!("{value:?}"),
        Literal::Char(value) => format!("{value:?}"),
        Literal::String(text) => format!("{:?}", text.as_str()),
    }
}
