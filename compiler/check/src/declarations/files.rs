//! Files: the module or namespace of each file's declarations, and the rules on the order of files.
//!
//! In: the files in their order. A file uses only the files before it. Each but the last begins with `module A.B` or
//! `namespace A.B`; a last file without such a header is the module of its own name. A module is in one file, a namespace
//! may be in several.

use crate::{checker::Checker, state::Unit};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_psg::{Binding, Item, PatternKind};
use clef_scopes::{Entity, ModuleId, Owner, Visibility};
use clef_syntax::ast::{Access, Attribute, Declaration, DeclarationKind, Header, Name, Path};

impl Checker<'_> {
    /// Checks the current file: the declarations under its header, then those under further namespaces.
    pub(crate) fn unit(&mut self) {
        let ast = self.input.ast;
        self.reports.broken_files.extend(ast.is_broken.then_some(ast.file));
        self.graph.restart_names();
        let is_namespace = |declaration: &Declaration| matches!(declaration.kind, DeclarationKind::Namespace(_));
        let end = ast.declarations.iter().position(is_namespace).unwrap_or(ast.declarations.len());
        let (first, rest) = ast.declarations.split_at(end);
        self.part(first, |checker| checker.file_module(first));
        for part in rest.chunk_by(|_, next| !is_namespace(next)) {
            if let DeclarationKind::Namespace(path) = &part[0].kind {
                self.part(part, |checker| checker.file_namespace(path, part[0].span, part));
            }
        }
        self.check_entry_is_last();
    }

    /// Checks declarations of a module or namespace.
    fn part(&mut self, declarations: &[Declaration], module: impl FnOnce(&mut Self) -> ModuleId) {
        let mark = self.names.mark();
        let module = module(self);
        let outer = std::mem::replace(&mut self.names.current, module);
        self.open_own(module);
        self.declarations(declarations);
        self.names.current = outer;
        self.leave_module(mark, module);
    }

    /// Opens what other files have declared in the namespace of this file.
    fn open_own(&mut self, module: ModuleId) {
        let namespace = match self.names.modules[module].declared {
            Some(_) => self.names.modules[module].parent,
            None => Some(module),
        };
        if let Some(namespace) = namespace.filter(|&namespace| namespace != self.names.root) {
            self.names.open(namespace);
        }
    }

    /// The module of a file's declarations: that of its header, or one named after the file.
    fn file_module(&mut self, declarations: &[Declaration]) -> ModuleId {
        let ast = self.input.ast;
        match &ast.header {
            Some(header) if header.namespace => {
                self.reject_module_attributes(header);
                self.file_namespace(&header.path, header.span, declarations)
            }
            Some(header) => {
                let Some((name, outer)) = header.path.segments.split_last() else { return self.names.root };
                let outer = self.namespace(outer);
                self.new_module(outer, *name, &header.attributes, header.access)
            }
            None if self.input.library => self.names.root,
            None => self.headless_module(),
        }
    }

    /// The namespace of declarations.
    fn file_namespace(&mut self, path: &Path, place: Span, declarations: &[Declaration]) -> ModuleId {
        self.reject_values(place, declarations);
        self.namespace(&path.segments)
    }

    /// The namespace of that name, where `global` is the root; reports a module of that name.
    fn namespace(&mut self, segments: &[Name]) -> ModuleId {
        let library = self.input.library;
        if matches!(segments, [only] if only.symbol.as_str() == "global") {
            return self.names.root;
        }
        let mut within = self.names.root;
        for name in segments {
            within = self.names.enter(within, name.symbol, library);
            if let Some(first) = self.names.modules[within].declared {
                let path = self.names.modules[within].path.clone();
                let message = format!("`{path}` is both a module and a namespace");
                self.report(
                    Diagnostic::error(codes::DEFINED_TWICE, name.span, message)
                        .also(first, "the module")
                        .help("rename one of them"),
                );
            }
        }
        within
    }

    /// A new module; reports a duplicate.
    pub(crate) fn new_module(
        &mut self,
        outer: ModuleId,
        name: Name,
        attributes: &[Attribute],
        access: Access,
    ) -> ModuleId {
        let read = self.binding_attributes(attributes);
        self.report_binding_attributes(attributes);
        let known = self.names.modules[outer].modules.get(&name.symbol).copied();
        let known = known.filter(|&module| self.names.modules[module].library == self.input.library);
        let module = self.names.enter(outer, name.symbol, self.input.library);
        if known.is_some() {
            self.report_second_module(module, name);
        }
        let visibility = Visibility { access, module: outer, owner: self.names.owner };
        let entered = &mut self.names.modules[module];
        entered.auto_open |= read.auto_open;
        entered.qualified |= read.qualified;
        entered.declared.get_or_insert(name.span);
        self.recording.declared(name.span, Entity::of_module(module));
        let entered = &mut self.names.modules[module];
        entered.visibility = (access != Access::Public).then_some(visibility);
        module
    }

    /// The module of the last file, which may omit its header.
    fn headless_module(&mut self) -> ModuleId {
        let start = Span::new(self.input.ast.file, 0, 0);
        let name =
            Name { symbol: Symbol::new(&module_name(&self.input.sources.file(self.input.ast.file).name)), span: start };
        if let Some(next) = self.input.later.first() {
            let next = &self.input.sources.file(next.ast.file).name;
            let message = "missing `module` or `namespace` declaration at the top of this file";
            self.report(
                Diagnostic::error(codes::MISSING_HEADER, start, message)
                    .note(format!("only the last file may omit it; `{next}` comes after this one"))
                    .fix("add a module declaration", start, format!("module {}\n\n", name.symbol)),
            );
        }
        self.new_module(self.names.root, name, &[], Access::Public)
    }

    fn report_second_module(&mut self, module: ModuleId, name: Name) {
        let first = self.names.modules[module].declared;
        let path = self.names.modules[module].path.clone();
        let diagnostic = match first {
            Some(first) if first.file == name.span.file => {
                let message = format!("the module `{path}` is defined twice");
                Diagnostic::error(codes::DEFINED_TWICE, name.span, message).also(first, "first defined here")
            }
            Some(first) => {
                let message = format!("the module `{path}` is defined in two files");
                Diagnostic::error(codes::DEFINED_TWICE, name.span, message)
                    .also(first, "first defined here")
                    .help("rename one of them; only a namespace may span several files")
            }
            None => {
                let message = format!("`{path}` is both a namespace and a module");
                Diagnostic::error(codes::DEFINED_TWICE, name.span, message).help("rename one of them")
            }
        };
        self.report(diagnostic);
    }

    /// Reports values in a namespace, which contains only types and modules.
    fn reject_values(&mut self, namespace: Span, declarations: &[Declaration]) {
        let value = declarations.iter().find(|declaration| match declaration.kind {
            DeclarationKind::Let(_) | DeclarationKind::Effect(_) => true,
            DeclarationKind::Open(_)
            | DeclarationKind::Types(_)
            | DeclarationKind::Module { .. }
            | DeclarationKind::ModuleAlias { .. }
            | DeclarationKind::Namespace(_)
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => false,
        });
        if let Some(value) = value {
            let diagnostic = Diagnostic::error(
                codes::VALUE_IN_NAMESPACE,
                value.span,
                "a namespace cannot contain values or expressions",
            )
            .also(namespace, "the namespace")
            .help("put them in a module, `module Name =`, or make the file a module with `module A.B` at the top");
            self.report(diagnostic);
        }
    }

    fn reject_module_attributes(&mut self, header: &Header) {
        if let Some(attribute) = header.attributes.first() {
            self.report(
                Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, "a namespace cannot have attributes")
                    .help("put it before a module or type"),
            );
        }
    }

    /// Checks that the entry point is the last item of the last file, unless the program runs its tests.
    fn check_entry_is_last(&mut self) {
        let Some(entry) = self.graph.psg.entry.filter(|_| !self.input.runs_tests) else { return };
        let span = self.graph.psg.variables[entry].span;
        if span.file != self.input.ast.file {
            return;
        }
        if let Some(last) = self.input.later.last() {
            let last = &self.input.sources.file(last.ast.file).name;
            self.report(
                Diagnostic::error(codes::ENTRY_POINT, span, "the entry point must be in the last file")
                    .note(format!("the last file is `{last}`"))
                    .help("move this file to the end, or move the entry point to the last file"),
            );
            return;
        }
        let is_entry = |binding: &Binding| matches!(self.graph.psg.patterns[binding.pattern].kind, PatternKind::Variable(variable) if variable == entry);
        let own = self.graph.psg.items.iter().rposition(|item| match item {
            Item::Let(binding) => is_entry(binding),
            Item::Recursive(bindings) => bindings.iter().any(is_entry),
            Item::Effect(_) => false,
        });
        let Some(following) = own.and_then(|own| self.graph.psg.items.get(own + 1)) else { return };
        let place = match following {
            Item::Effect(effect) => self.graph.psg.nodes[*effect].span,
            Item::Let(binding) => self.graph.psg.patterns[binding.pattern].span,
            Item::Recursive(bindings) => self.graph.psg.patterns[bindings[0].pattern].span,
        };
        self.report(
            Diagnostic::error(codes::ENTRY_POINT, place, "the entry point must be the last declaration")
                .also(span, "the entry point")
                .help("move the entry point to the end of the file"),
        );
    }

    /// Notes that an undefined module is that of a later file.
    pub(crate) fn note_later_file(&self, diagnostic: Diagnostic, path: &Path) -> Diagnostic {
        let names: Vec<&str> = path.segments.iter().map(|segment| segment.symbol.as_str()).collect();
        let Some((module, unit)) = (1..=names.len()).rev().find_map(|end| {
            let module = names[..end].join(".");
            Some((module.clone(), self.input.later.iter().find(|unit| self.declares(unit, &module))?))
        }) else {
            return diagnostic;
        };
        let (here, later) =
            (&self.input.sources.file(self.input.ast.file).name, &self.input.sources.file(unit.ast.file).name);
        diagnostic
            .note(format!(
                "`{module}` is declared in `{later}`, which comes after `{here}`; a file can only use earlier files"
            ))
            .help(format!("move `{later}` before `{here}`, or move what both use to an earlier file"))
    }

    /// Whether a file declares a module or namespace, or something in it.
    fn declares(&self, unit: &Unit<'_>, module: &str) -> bool {
        let is_it = |path: &str| path == module || path.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'));
        let headless = || {
            let own = unit.ast.header.is_none() && unit.owner != Owner::Library;
            own.then(|| module_name(&self.input.sources.file(unit.ast.file).name))
        };
        let namespaces = unit.ast.declarations.iter().filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Namespace(path) => Some(path),
            DeclarationKind::Let(_)
            | DeclarationKind::Effect(_)
            | DeclarationKind::Open(_)
            | DeclarationKind::Types(_)
            | DeclarationKind::Module { .. }
            | DeclarationKind::ModuleAlias { .. }
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => None,
        });
        let named = unit.ast.header.iter().map(|header| &header.path).chain(namespaces).map(dotted);
        named.chain(headless()).any(|path| is_it(&path))
    }
}

/// A path as it is written.
fn dotted(path: &Path) -> String {
    path.segments.iter().map(|segment| segment.symbol.as_str()).collect::<Vec<_>>().join(".")
}

/// The module name of a file without a header: its stem, capitalised.
fn module_name(file: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = base.split('.').next().unwrap_or(base);
    let mut characters = stem.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => "Program".into(),
    }
}
