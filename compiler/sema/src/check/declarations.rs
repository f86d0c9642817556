//! Modules and their declarations, in file order.

use super::{
    Checker,
    names::{Mark, ModuleId},
    report::Expect,
    ty::{Head, Ty},
};
use crate::psg::Item;
use clef_base::{Diagnostic, Symbol, codes};
use clef_syntax::ast::{Access, Attribute, Declaration, DeclarationKind, ExprId, Name, Path};

impl Checker<'_> {
    /// Checks the current file.
    pub(super) fn unit(&mut self) {
        let ast = self.ast;
        self.counter = 0;
        let mark = self.names.mark();
        let module = self.file_module();
        let outer = std::mem::replace(&mut self.names.current, module);
        self.open_with_outer(module);
        self.declarations(&ast.declarations);
        self.names.current = outer;
        self.leave_module(mark, module);
    }

    /// What other files have put into a module, and into those around it, is in scope.
    fn open_with_outer(&mut self, module: ModuleId) {
        if module == self.names.root {
            return;
        }
        if let Some(outer) = self.names.modules[module].parent {
            self.open_with_outer(outer);
        }
        self.names.open(module);
    }

    /// The module that a file's declarations go to: that of its header, or one of the file's name.
    fn file_module(&mut self) -> ModuleId {
        let ast = self.ast;
        let library = self.library;
        match &ast.header {
            Some(header) => header
                .path
                .segments
                .iter()
                .fold(self.names.root, |within, segment| self.names.enter(within, segment.symbol, library)),
            None if library => self.names.root,
            None => {
                let name = module_name(&self.sources.file(ast.file).name);
                self.names.enter(self.names.root, Symbol::new(&name), library)
            }
        }
    }

    /// Takes names back to where a module began; the module itself, and what it opens by itself, stay.
    fn leave_module(&mut self, mark: Mark, module: ModuleId) {
        if module == self.names.root {
            return;
        }
        self.names.reset(mark);
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
        if self.library {
            self.open_automatic(outermost);
        }
    }

    /// What the library marks `[<AutoOpen>]` is open everywhere, wherever it stands.
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

    fn declarations(&mut self, declarations: &[Declaration]) {
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
                DeclarationKind::Refused(refused) => self.report_refused(*refused, declaration.span),
                DeclarationKind::Error => {}
            }
        }
    }

    fn effect(&mut self, effect: ExprId) {
        self.inference.level += 1;
        let node = self.statement(effect);
        self.inference.level -= 1;
        let ty = self.type_of(node);
        if let Ty::Unknown(_) = self.inference.shallow(&ty) {
            self.expect(self.span_of(node), &Expect::anything(Ty::simple(Head::Unit)), &ty);
        }
        self.psg.items.push(Item::Effect(node));
    }

    fn open(&mut self, path: &Path) {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let modules = self.names.find_modules(&symbols);
        let Some(&latest) = modules.first() else {
            self.report_unknown_module(path);
            return;
        };
        if self.names.modules[latest].qualified {
            let message = format!("the module `{}` must be named where it is used", self.names.modules[latest].path);
            self.report(
                Diagnostic::error(codes::QUALIFIED_MODULE, path.span(), message)
                    .note("it is marked `[<RequireQualifiedAccess>]`"),
            );
        }
        for module in modules.into_iter().rev() {
            self.names.open(module);
        }
    }

    fn report_unknown_module(&mut self, path: &Path) {
        let last = path.segments[path.segments.len() - 1];
        let written: Vec<&str> = path.segments.iter().map(|segment| segment.symbol.as_str()).collect();
        let message = format!("there is no module `{}`", written.join("."));
        let diagnostic = Diagnostic::error(codes::UNKNOWN_MODULE, path.span(), message);
        let names: Vec<&str> = self.names.open_modules.names().map(|(name, _)| name.as_str()).collect();
        let system = written.first() == Some(&"System");
        let near = super::near::nearest(last.symbol.as_str(), names.into_iter());
        self.report(match near.first() {
            _ if system => diagnostic.note("Clef has no .NET library").help("remove this line"),
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), last.span, near.clone()),
            None => diagnostic,
        });
    }

    fn nested_module(&mut self, attributes: &[Attribute], access: Access, name: Name, declarations: &[Declaration]) {
        let read = self.binding_attributes(attributes);
        let mark = self.names.mark();
        let outer = self.names.current;
        if self.names.modules[outer].modules.get(&name.symbol).is_some_and(|&module| self.is_own(module)) {
            let message = format!("the module `{}` is defined twice here", name.symbol);
            self.report(Diagnostic::error(codes::DEFINED_TWICE, name.span, message));
        }
        let module = self.names.enter(outer, name.symbol, self.library);
        self.names.modules[module].auto_open |= read.auto_open;
        self.names.modules[module].qualified |= read.qualified;
        self.names.modules[module].private_to = (access == Access::Private).then_some(outer);
        self.names.current = module;
        self.declarations(declarations);
        self.names.current = outer;
        self.names.reset(mark);
        self.names.open_modules.add(name.symbol, module);
        if self.names.modules[module].auto_open {
            self.names.open(module);
        }
    }

    /// Whether a module belongs to the same side: library or program.
    fn is_own(&self, module: ModuleId) -> bool {
        self.names.modules[module].library == self.library
    }

    fn alias(&mut self, name: Name, path: &Path) {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        match self.names.find_modules(&symbols).first() {
            Some(&module) => self.names.open_modules.add(name.symbol, module),
            None => self.report_unknown_module(path),
        }
    }
}

/// The module of a file without a header: its name with a capital, without directory and extension.
fn module_name(file: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = base.split('.').next().unwrap_or(base);
    let mut characters = stem.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => "Program".into(),
    }
}
