//! Modules and their declarations, in file order.

use crate::{checker::Checker, state::Expect};
use clef_base::suggest::nearest_names;
use clef_base::{Diagnostic, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::Item;
use clef_scopes::{Mark, ModuleId, Place};
use clef_syntax::ast::{Access, Attribute, Declaration, DeclarationKind, ExprId, Name, Path};

impl Checker<'_> {
    /// Restores the scope at the start of a module; the module itself and its automatic opens stay.
    pub(crate) fn leave_module(&mut self, mark: Mark, module: ModuleId) {
        if module == self.names.root && self.input.library {
            return;
        }
        self.names.reset(mark);
        if module == self.names.root {
            self.names.open_global();
            return;
        }
        let mut path = Vec::new();
        let mut at = module;
        while let Some(parent) = self.names.modules[at].parent {
            path.push((at, parent));
            at = parent;
        }
        let Some(&(outermost, root)) = path.last() else { return };
        if root == self.names.root {
            let name = self.names.modules[outermost].path.clone();
            self.names.open_modules.add(Symbol::new(&name), outermost);
        }
        let opened: Vec<ModuleId> =
            path.iter().map(|(module, _)| *module).filter(|&module| self.names.modules[module].auto_open).collect();
        for module in opened {
            self.names.open(module);
        }
        if self.input.library {
            self.open_automatic(outermost);
        }
    }

    /// Opens the library modules marked `[<AutoOpen>]`, at any depth.
    fn open_automatic(&mut self, within: ModuleId) {
        let mut inner: Vec<(Symbol, ModuleId)> =
            self.names.modules[within].modules.iter().map(|(name, module)| (*name, *module)).collect();
        inner.sort();
        for (_, module) in inner {
            if self.names.modules[module].auto_open {
                self.names.open(module);
            }
        }
    }

    pub(crate) fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            match &declaration.kind {
                DeclarationKind::Let(group) => self.module_bindings(group),
                DeclarationKind::Effect(effect) => self.effect(*effect),
                DeclarationKind::Open(path) => self.open(path),
                DeclarationKind::Types(types) => self.type_group(types),
                DeclarationKind::Module { attributes, access, name, declarations } => {
                    self.nested_module(attributes, *access, *name, declarations);
                }
                DeclarationKind::ModuleAlias { name, path } => self.alias(*name, path),
                // Namespaces split the file before this.
                DeclarationKind::Namespace(_) => {}
                DeclarationKind::Unsupported(construct) => {
                    self.report_unsupported_construct(*construct, declaration.span)
                }
                DeclarationKind::Error => {}
            }
        }
    }

    fn effect(&mut self, effect: ExprId) {
        self.inference.enter_level();
        let node = self.statement(effect);
        self.inference.leave_level();
        let ty = self.graph.type_of(node);
        if let Ty::Variable(_) = self.inference.shallow(&ty) {
            self.expect(self.graph.span_of(node), &Expect::anything(Ty::simple(TypeConstructor::Unit)), &ty);
        }
        self.graph.psg.items.push(Item::Effect(node));
    }

    fn open(&mut self, path: &Path) {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let modules = self.names.find_modules(&symbols);
        self.record_qualifier(&path.segments);
        let Some(&latest) = modules.first() else {
            self.watch_path(path, Place::Module);
            self.reports.unknown_open = true;
            self.report_unknown_module(path);
            return;
        };
        if self.names.modules[latest].qualified {
            let message = format!("cannot open the module `{}`", self.names.modules[latest].path);
            self.report(
                Diagnostic::error(codes::QUALIFIED_MODULE, path.span(), message)
                    .note("it is marked `[<RequireQualifiedAccess>]`"),
            );
        }
        self.names.open_written(&modules, path.span());
    }

    /// Warns about each `open` none of whose names is used.
    pub(crate) fn report_unused_opens(&mut self) {
        for place in self.names.unused_opens() {
            let written = self.input.sources.text(place);
            let message = format!("unused `open {written}`");
            self.report(Diagnostic::warning(codes::UNUSED_OPEN, place, message).help("remove this `open`"));
        }
    }

    fn report_unknown_module(&mut self, path: &Path) {
        if self.report_hidden_module(path) {
            return;
        }
        let last = path.segments[path.segments.len() - 1];
        let written: Vec<&str> = path.segments.iter().map(|segment| segment.symbol.as_str()).collect();
        let message = format!("cannot find module `{}`", written.join("."));
        let diagnostic = Diagnostic::error(codes::UNKNOWN_MODULE, path.span(), message);
        if self.report_module_of_boards(&path.segments[0]) {
            return;
        }
        let seen = self.names.open_modules.names().map(|(name, _)| name);
        let seen: Vec<Symbol> = seen.filter(|&name| !self.names.find_modules(&[name]).is_empty()).collect();
        let names: Vec<&str> = seen.iter().map(|name| name.as_str()).collect();
        let system = written.first() == Some(&"System");
        let diagnostic = self.note_later_file(diagnostic, path);
        let near = nearest_names(last.symbol.as_str(), names.into_iter());
        self.report(match near.first() {
            _ if system => diagnostic.note("Clef has no .NET library").help("remove this line"),
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), last.span, near.clone()),
            None => diagnostic,
        });
    }

    fn nested_module(&mut self, attributes: &[Attribute], access: Access, name: Name, declarations: &[Declaration]) {
        let mark = self.names.mark();
        let outer = self.names.current;
        let module = self.new_module(outer, name, attributes, access);
        self.names.current = module;
        self.declarations(declarations);
        self.names.current = outer;
        self.names.reset(mark);
        self.names.open_modules.add(name.symbol, module);
        if self.names.modules[module].auto_open {
            self.names.open(module);
        }
    }

    fn alias(&mut self, name: Name, path: &Path) {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        self.record_qualifier(&path.segments);
        match self.names.find_modules(&symbols).first() {
            Some(&module) => self.names.abbreviate(name.symbol, module),
            None => self.report_unknown_module(path),
        }
    }
}
