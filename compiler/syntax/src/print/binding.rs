//! Bindings, with their attributes and documentation.

use super::{Printer, is_operator};
use crate::ast::{
    Access, Attribute, Binding, BindingHead, ExprKind, LetGroup, Literal, PatternId, PatternKind, TypeVariable,
};

impl Printer<'_> {
    /// The bindings of a group, starting on the current line.
    pub(super) fn group(&mut self, group: &LetGroup) {
        for (index, binding) in group.bindings.iter().enumerate() {
            if index > 0 {
                self.line();
            }
            self.documentation(binding.documentation.as_deref());
            if index == 0 {
                self.attribute_lines(&binding.attributes);
                self.write(if group.resource { "use " } else { "let " });
                self.write(if group.recursive { "rec " } else { "" });
            } else {
                self.write("and ");
                self.attributes(&binding.attributes);
            }
            self.binding(binding);
        }
    }

    fn binding(&mut self, binding: &Binding) {
        if binding.inline {
            self.write("inline ");
        }
        if binding.mutable {
            self.write("mutable ");
        }
        self.access(binding.access);
        match &binding.head {
            BindingHead::Function { name, type_parameters, parameters } => {
                if is_operator(name.symbol) {
                    self.operator(*name);
                } else {
                    self.name(*name);
                }
                self.type_parameters(type_parameters);
                self.parameters(parameters);
            }
            BindingHead::Pattern(pattern) => self.bound_pattern(*pattern),
        }
        if let Some(annotation) = binding.annotation {
            self.write(": ");
            self.type_expr(annotation);
        }
        self.write(" =");
        self.body(binding.body);
    }

    fn bound_pattern(&mut self, pattern: PatternId) {
        match &self.ast.patterns[pattern].kind {
            PatternKind::Name(name) if is_operator(name.symbol) => self.operator(*name),
            _ => self.atomic_pattern(pattern),
        }
    }

    pub(super) fn parameters(&mut self, parameters: &[PatternId]) {
        for parameter in parameters {
            self.write(" ");
            self.atomic_pattern(*parameter);
        }
    }

    pub(super) fn type_parameters(&mut self, parameters: &[TypeVariable]) {
        if parameters.is_empty() {
            return;
        }
        self.write("<");
        self.separated(parameters, ", ", |printer, parameter| printer.type_variable(parameter));
        self.constraints(parameters);
        self.write(">");
    }

    pub(super) fn access(&mut self, access: Access) {
        self.write(match access {
            Access::Public => "",
            Access::Internal => "internal ",
            Access::Private => "private ",
        });
    }

    /// Documentation, each line on its own line before the current one.
    pub(super) fn documentation(&mut self, documentation: Option<&str>) {
        for line in documentation.unwrap_or_default().lines() {
            self.write(format_args!("/// {line}"));
            self.line();
        }
    }

    /// Attributes, each on its own line before the current one.
    pub(super) fn attribute_lines(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.attribute(attribute);
            self.line();
        }
    }

    /// Attributes on the current line.
    pub(super) fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.attribute(attribute);
            self.write(" ");
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.write("[<");
        self.path(&attribute.name);
        if let Some(argument) = attribute.argument {
            match &self.ast.exprs[argument].kind {
                ExprKind::Literal(Literal::Unit) | ExprKind::Tuple(_) => self.bare(argument),
                _ => self.parenthesised(true, |printer| printer.operand(argument)),
            }
        }
        self.write(">]");
    }
}
