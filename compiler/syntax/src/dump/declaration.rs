//! Listings of declarations and bindings.

use super::{Dumper, access_text, path_text, variable_text};
use crate::ast::{
    Access, Attribute, Binding, BindingHead, CaseDeclaration, Declaration, DeclarationKind, FieldDeclaration, LetGroup,
    TypeDeclaration, TypeDeclarationKind,
};

impl Dumper<'_> {
    pub(super) fn file(&mut self) {
        let ast = self.ast;
        if let Some(header) = &ast.header {
            let word = if header.namespace { "namespace" } else { "module" };
            self.line(format!("{word}{} {}", access_text(header.access), path_text(&header.path)));
            self.attributes(&header.attributes);
        }
        self.declarations(&ast.declarations);
    }

    fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            self.declaration(declaration);
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match &declaration.kind {
            DeclarationKind::Let(group) => self.group(group),
            DeclarationKind::Effect(expr) => self.node("effect", |dumper| dumper.expr(*expr)),
            DeclarationKind::Open(path) => self.line(format!("open {}", path_text(path))),
            DeclarationKind::Types(types) => self.node("types", |dumper| {
                types.iter().for_each(|declaration| dumper.type_declaration(declaration));
            }),
            DeclarationKind::Module { attributes, access, name, declarations } => {
                self.node(format!("module{} {} =", access_text(*access), name.symbol), |dumper| {
                    dumper.attributes(attributes);
                    dumper.declarations(declarations);
                });
            }
            DeclarationKind::ModuleAlias { name, path } => {
                self.line(format!("module {} = {}", name.symbol, path_text(path)));
            }
            DeclarationKind::Namespace(path) => self.line(format!("namespace {}", path_text(path))),
            DeclarationKind::Unsupported(what) => self.line(format!("unsupported {what:?}")),
            DeclarationKind::Error => self.line("error"),
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.node(format!("attribute {}", path_text(&attribute.name)), |dumper| {
                attribute.argument.into_iter().for_each(|argument| dumper.expr(argument));
            });
        }
    }

    fn documentation(&mut self, documentation: Option<&str>) {
        if let Some(text) = documentation {
            self.line(format!("documentation {text:?}"));
        }
    }

    pub(super) fn group(&mut self, group: &LetGroup) {
        let word = if group.resource { "use" } else { "let" };
        let rec = if group.recursive { " rec" } else { "" };
        self.node(format!("{word}{rec}"), |dumper| {
            group.bindings.iter().for_each(|binding| dumper.binding(binding));
        });
    }

    fn binding(&mut self, binding: &Binding) {
        let inline = if binding.inline { " inline" } else { "" };
        let mutable = if binding.mutable { " mutable" } else { "" };
        let access = access_text(binding.access);
        let name = match &binding.head {
            BindingHead::Function { name, .. } => format!(" {}", name.symbol),
            BindingHead::Pattern(_) => String::new(),
        };
        self.node(format!("binding{inline}{mutable}{access}{name}"), |dumper| {
            dumper.documentation(binding.documentation.as_deref());
            dumper.attributes(&binding.attributes);
            match &binding.head {
                BindingHead::Function { type_parameters, parameters, .. } => {
                    type_parameters
                        .iter()
                        .for_each(|parameter| dumper.line(format!("type parameter {}", variable_text(parameter))));
                    parameters.iter().for_each(|parameter| dumper.pattern(*parameter));
                }
                BindingHead::Pattern(pattern) => dumper.pattern(*pattern),
            }
            binding.annotation.into_iter().for_each(|annotation| dumper.type_expr(annotation));
            dumper.expr(binding.body);
        });
    }

    fn type_declaration(&mut self, declaration: &TypeDeclaration) {
        let parameters: String =
            declaration.parameters.iter().map(|parameter| format!(" {}", variable_text(parameter))).collect();
        let access = access_text(declaration.access);
        self.node(format!("type{access} {}{parameters}", declaration.name.symbol), |dumper| {
            dumper.documentation(declaration.documentation.as_deref());
            dumper.attributes(&declaration.attributes);
            if declaration.representation != Access::Public {
                dumper.line(format!("representation{}", access_text(declaration.representation)));
            }
            dumper.type_declaration_kind(&declaration.kind);
        });
    }

    fn type_declaration_kind(&mut self, kind: &TypeDeclarationKind) {
        match kind {
            TypeDeclarationKind::Record(fields) => {
                self.node("record", |dumper| fields.iter().for_each(|field| dumper.field_declaration(field)));
            }
            TypeDeclarationKind::Union(cases) => {
                self.node("union", |dumper| cases.iter().for_each(|case| dumper.case_declaration(case)));
            }
            TypeDeclarationKind::Enum(cases) => self.node("enum", |dumper| {
                for (name, value) in cases {
                    dumper.node(format!("case {}", name.symbol), |dumper| dumper.expr(*value));
                }
            }),
            TypeDeclarationKind::Abbreviation(abbreviated) => {
                self.node("abbreviation", |dumper| dumper.type_expr(*abbreviated));
            }
            TypeDeclarationKind::Measure => self.line("measure"),
            TypeDeclarationKind::Unsupported(what) => self.line(format!("unsupported {what:?}")),
            TypeDeclarationKind::Error => self.line("error"),
        }
    }

    fn field_declaration(&mut self, field: &FieldDeclaration) {
        let mutable = if field.mutable { "mutable " } else { "" };
        self.node(format!("field {mutable}{}", field.name.symbol), |dumper| dumper.type_expr(field.annotation));
    }

    fn case_declaration(&mut self, case: &CaseDeclaration) {
        self.node(format!("case {}", case.name.symbol), |dumper| {
            for (name, field) in &case.fields {
                match name {
                    Some(name) => {
                        dumper.node(format!("field {}", name.symbol), |dumper| dumper.type_expr(*field));
                    }
                    None => dumper.type_expr(*field),
                }
            }
        });
    }
}
