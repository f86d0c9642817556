//! Files, modules and type declarations.

use super::Printer;
use crate::ast::{
    Access, CaseDeclaration, Declaration, DeclarationKind, FieldDeclaration, TypeDeclaration, TypeDeclarationKind,
};

impl Printer<'_> {
    pub(super) fn file(&mut self) {
        let ast = self.ast;
        if let Some(header) = &ast.header {
            self.line();
            self.attribute_lines(&header.attributes);
            self.write(if header.namespace { "namespace " } else { "module " });
            self.access(header.access);
            self.path(&header.path);
            self.out.push('\n');
        }
        self.declarations(&ast.declarations);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn declarations(&mut self, declarations: &[Declaration]) {
        for (index, declaration) in declarations.iter().enumerate() {
            if index > 0 {
                self.out.push('\n');
            }
            self.line();
            self.declaration(declaration);
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match &declaration.kind {
            DeclarationKind::Let(group) => self.group(group),
            DeclarationKind::Effect(expr) => {
                self.write("do");
                self.body(*expr);
            }
            DeclarationKind::Open(path) => {
                self.write("open ");
                self.path(path);
            }
            DeclarationKind::Types(types) => self.types(types),
            DeclarationKind::Module { attributes, access, name, declarations } => {
                self.attribute_lines(attributes);
                self.write("module ");
                self.access(*access);
                self.name(*name);
                self.write(" =");
                self.indented(|printer| printer.declarations(declarations));
            }
            DeclarationKind::ModuleAlias { name, path } => {
                self.write("module ");
                self.name(*name);
                self.write(" = ");
                self.path(path);
            }
            DeclarationKind::Namespace(path) => {
                self.write("namespace ");
                self.path(path);
            }
            DeclarationKind::Unsupported(what) => self.unsupported_declaration(*what),
            DeclarationKind::Error => self.write("open"),
        }
    }

    fn types(&mut self, types: &[TypeDeclaration]) {
        for (index, declaration) in types.iter().enumerate() {
            if index > 0 {
                self.out.push('\n');
                self.line();
            }
            self.documentation(declaration.documentation.as_deref());
            if index == 0 {
                self.attribute_lines(&declaration.attributes);
                self.write("type ");
            } else {
                self.write("and ");
                self.attributes(&declaration.attributes);
            }
            self.type_declaration(declaration);
        }
    }

    fn type_declaration(&mut self, declaration: &TypeDeclaration) {
        self.access(declaration.access);
        self.name(declaration.name);
        self.type_parameters(&declaration.parameters);
        match &declaration.kind {
            TypeDeclarationKind::Measure => return,
            TypeDeclarationKind::Unsupported(what) => return self.unsupported_type_declaration(*what),
            TypeDeclarationKind::Error => return,
            TypeDeclarationKind::Record(_)
            | TypeDeclarationKind::Union(_)
            | TypeDeclarationKind::Enum(_)
            | TypeDeclarationKind::Abbreviation(_) => {}
        }
        self.write(" =");
        self.indented(|printer| {
            if declaration.representation == Access::Public {
                return printer.type_body(&declaration.kind);
            }
            printer.line();
            printer.access(declaration.representation);
            printer.indented(|printer| printer.type_body(&declaration.kind));
        });
    }

    fn type_body(&mut self, kind: &TypeDeclarationKind) {
        match kind {
            TypeDeclarationKind::Record(fields) => {
                self.line();
                self.record_declaration(fields);
            }
            TypeDeclarationKind::Union(cases) => cases.iter().for_each(|case| {
                self.line();
                self.case(case);
            }),
            TypeDeclarationKind::Enum(cases) => {
                for (name, value) in cases {
                    self.line();
                    self.write("| ");
                    self.name(*name);
                    self.write(" = ");
                    self.operand(*value);
                }
            }
            TypeDeclarationKind::Abbreviation(abbreviated) => {
                self.write(" ");
                self.type_expr(*abbreviated);
            }
            TypeDeclarationKind::Measure | TypeDeclarationKind::Unsupported(_) | TypeDeclarationKind::Error => {}
        }
    }

    fn record_declaration(&mut self, fields: &[FieldDeclaration]) {
        self.write("{");
        self.indented(|printer| {
            for field in fields {
                printer.line();
                printer.write(if field.mutable { "mutable " } else { "" });
                printer.name(field.name);
                printer.write(": ");
                printer.type_expr(field.annotation);
            }
        });
        self.line();
        self.write("}");
    }

    fn case(&mut self, case: &CaseDeclaration) {
        self.write("| ");
        self.name(case.name);
        if !case.fields.is_empty() {
            self.write(" of ");
        }
        self.separated(&case.fields, " * ", |printer, (name, field)| {
            if let Some(name) = name {
                printer.name(*name);
                printer.write(": ");
            }
            printer.factor_type(*field);
        });
    }
}
