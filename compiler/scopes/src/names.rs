//! All modules, and the names in scope.

use crate::{
    meaning::{Meaning, PatternMeaning, TypeMeaning},
    module::{Entry, Module, ModuleId, Owner, Visibility},
    scope::{OpenUse, Scoped},
};
use clef_base::{HashMap, Span, Symbol};
use clef_syntax::ast::Access;
use clef_types::DeclaredTypeId;
use la_arena::Arena;
use std::sync::atomic::Ordering;

/// An `open` of the program.
#[derive(Clone, Debug)]
struct Open {
    place: Span,
    used: OpenUse,
}

/// A point that scopes can be reset to.
#[derive(Clone, Copy)]
pub struct Mark([usize; 5]);

/// All modules, and the names in scope. The default has the names of the language itself.
#[derive(Clone)]
pub struct Names {
    /// All modules.
    pub modules: Arena<Module>,
    /// The unnamed module that contains all others.
    pub root: ModuleId,
    /// The module whose declarations are being checked.
    pub current: ModuleId,
    /// The owner of the file being checked.
    pub owner: Owner,
    /// The names in scope for expressions.
    pub values: Scoped<Entry<Meaning>>,
    /// The names in scope for patterns.
    pub patterns: Scoped<Entry<PatternMeaning>>,
    /// The names in scope for types and units of measure.
    pub types: Scoped<Entry<TypeMeaning>>,
    /// The modules in scope.
    pub open_modules: Scoped<ModuleId>,
    /// The records that have a field of a name.
    pub fields: Scoped<Entry<DeclaredTypeId>>,
    opens: Vec<Open>,
}

impl Names {
    /// No names, and the root.
    pub(crate) fn empty() -> Names {
        let mut modules = Arena::new();
        let root = modules.alloc(Module::new(String::new(), None, true));
        Names {
            modules,
            root,
            current: root,
            owner: Owner::Library,
            values: Scoped::default(),
            patterns: Scoped::default(),
            types: Scoped::default(),
            open_modules: Scoped::default(),
            fields: Scoped::default(),
            opens: Vec::new(),
        }
    }

    /// The current point, to which [`Names::reset`] returns.
    pub fn mark(&self) -> Mark {
        Mark([
            self.values.mark(),
            self.patterns.mark(),
            self.types.mark(),
            self.open_modules.mark(),
            self.fields.mark(),
        ])
    }

    /// Takes the names added since a point out of scope.
    pub fn reset(&mut self, Mark([values, patterns, types, modules, fields]): Mark) {
        self.values.reset(values);
        self.patterns.reset(patterns);
        self.types.reset(types);
        self.open_modules.reset(modules);
        self.fields.reset(fields);
    }

    /// The visibility of a declaration in the current module.
    pub fn visibility(&self, access: Access) -> Visibility {
        Visibility { access, module: self.current, owner: self.owner }
    }

    /// Adds a local name.
    pub fn add_local(&mut self, name: Symbol, meaning: Meaning) {
        let visibility = self.visibility(Access::Public);
        self.values.add(name, Entry { meaning, visibility });
    }

    /// Declares a value in the current module.
    pub fn declare_value(&mut self, name: Symbol, meaning: Meaning, access: Access) {
        let entry = Entry { meaning, visibility: self.visibility(access) };
        self.modules[self.current].values.insert(name, entry.clone());
        self.values.add(name, entry);
    }

    /// Declares a case or constant in the current module.
    pub fn declare_pattern(&mut self, name: Symbol, meaning: PatternMeaning, access: Access) {
        let entry = Entry { meaning, visibility: self.visibility(access) };
        self.modules[self.current].patterns.insert(name, entry.clone());
        self.patterns.add(name, entry);
    }

    /// Declares a type in the current module.
    pub fn declare_type(&mut self, name: Symbol, meaning: TypeMeaning, access: Access) {
        let entry = Entry { meaning, visibility: self.visibility(access) };
        self.modules[self.current].types.insert(name, entry.clone());
        self.types.add(name, entry);
    }

    /// Declares a field of a record in the current module; `qualified` if it is accessible through its type only.
    pub fn declare_field(&mut self, name: Symbol, of: DeclaredTypeId, access: Access, qualified: bool) {
        if !qualified {
            let entry = Entry { meaning: of, visibility: self.visibility(access) };
            self.modules[self.current].fields.push((name, entry.clone()));
            self.fields.add(name, entry);
        }
    }

    /// The module of that name within another; created if it does not exist.
    pub fn enter(&mut self, within: ModuleId, name: Symbol, library: bool) -> ModuleId {
        if let Some(&module) = self.modules[within].modules.get(&name)
            && self.modules[module].library == library
        {
            return module;
        }
        let path = match self.modules[within].path.as_str() {
            "" => name.to_string(),
            outer => format!("{outer}.{name}"),
        };
        let module = self.modules.alloc(Module::new(path, Some(within), library));
        self.modules[within].modules.insert(name, module);
        self.open_modules.add(name, module);
        module
    }

    /// Forgets what the current module has declared. All of it stays in scope, but can be declared again.
    pub fn restart_module(&mut self) {
        let Module { path, parent, library, .. } = self.modules[self.current].clone();
        self.modules[self.current] = Module::new(path, parent, library);
    }

    /// Forgets the module of that name, so that it can be declared again.
    pub fn forget_module(&mut self, path: &[Symbol]) {
        let Some((name, outer)) = path.split_last() else { return };
        let enclosing =
            outer.iter().try_fold(self.root, |within, name| self.modules[within].modules.get(name).copied());
        let is_own = |module: &&ModuleId| !self.modules[**module].library;
        if let Some(enclosing) = enclosing
            && self.modules[enclosing].modules.get(name).is_some_and(|module| is_own(&module))
        {
            self.modules[enclosing].modules.remove(name);
        }
    }

    /// An `open` in the source, of all modules of one name, the latest first.
    pub fn open_written(&mut self, modules: &[ModuleId], place: Span) {
        let used = OpenUse::default();
        for &module in modules.iter().rev() {
            self.open_from(module, Some(&used));
        }
        self.opens.push(Open { place, used });
    }

    /// The `open`s none of whose names is used.
    pub fn unused_opens(&self) -> Vec<Span> {
        self.opens.iter().filter(|open| !open.used.load(Ordering::Relaxed)).map(|open| open.place).collect()
    }

    /// Brings the declarations of a module into scope, with the modules in it that are marked `[<AutoOpen>]`.
    pub fn open(&mut self, module: ModuleId) {
        self.open_from(module, None);
    }

    fn open_from(&mut self, module: ModuleId, open: Option<&OpenUse>) {
        self.add_declared(module, open, |names, visibility| names.is_visible(visibility));
        let inner: Vec<_> = self.modules[module].modules.iter().map(|(name, module)| (*name, *module)).collect();
        for (name, inner) in inner {
            self.open_modules.add_from(name, inner, open);
            if self.modules[inner].auto_open {
                self.open_from(inner, open);
            }
        }
    }

    /// Declares a second name of a module, here and for those that name the current module. A module that is being declared has its
    /// second name here only, and so has one that is opened automatically: no module is below itself, or opened twice.
    pub fn abbreviate(&mut self, name: Symbol, module: ModuleId) {
        self.open_modules.add(name, module);
        if !self.is_around(module) && !self.modules[module].auto_open {
            self.modules[self.current].modules.insert(name, module);
        }
    }

    /// Brings the program's declarations in the global namespace into scope.
    pub fn open_global(&mut self) {
        self.add_declared(self.root, None, |_, visibility| visibility.owner != Owner::Library);
        let inner: Vec<_> = self.modules[self.root].modules.iter().map(|(name, module)| (*name, *module)).collect();
        for (name, inner) in inner {
            if !self.modules[inner].library {
                self.open_modules.add(name, inner);
                if self.modules[inner].auto_open {
                    self.open(inner);
                }
            }
        }
    }

    /// Adds the declarations of a module that `seen` accepts.
    fn add_declared(
        &mut self,
        module: ModuleId,
        open: Option<&OpenUse>,
        seen: impl Fn(&Names, Visibility) -> bool + Copy,
    ) {
        fn chosen<T: Clone>(
            names: &Names,
            table: &HashMap<Symbol, Entry<T>>,
            seen: impl Fn(&Names, Visibility) -> bool,
        ) -> Vec<(Symbol, Entry<T>)> {
            let chosen = table.iter().filter(|(_, entry)| seen(names, entry.visibility));
            chosen.map(|(name, entry)| (*name, entry.clone())).collect()
        }
        // Library functions do not shadow built-in ones: after `open Parse`, `int` is the conversion.
        let library = self.modules[module].library;
        let mut values = chosen(self, &self.modules[module].values, seen);
        values.retain(|(name, entry)| {
            let hides = library && matches!(entry.meaning, Meaning::Variable(_) | Meaning::Intrinsic(_));
            !hides || !matches!(self.values.get(*name), Some(Entry { meaning: Meaning::Builtin(_), .. }))
        });
        let patterns = chosen(self, &self.modules[module].patterns, seen);
        let types = chosen(self, &self.modules[module].types, seen);
        let fields = self.modules[module].fields.clone();
        for (name, entry) in fields {
            if seen(self, entry.visibility) {
                self.fields.add_from(name, entry, open);
            }
        }
        self.values.add_all(values, open);
        self.patterns.add_all(patterns, open);
        self.types.add_all(types, open);
    }

    /// Whether a visibility includes the current module.
    pub fn is_visible(&self, visibility: Visibility) -> bool {
        match visibility.access {
            Access::Public => true,
            Access::Internal => visibility.owner == self.owner,
            Access::Private => self.is_within(visibility.module),
        }
    }

    /// Whether the current module is `outer` or nested in it.
    fn is_within(&self, outer: ModuleId) -> bool {
        let mut within = Some(self.current);
        while let Some(module) = within {
            if module == outer {
                return true;
            }
            within = self.modules[module].parent;
        }
        false
    }

    /// The modules that a dotted name resolves to, the latest first. Enclosing modules, which are not complete, come last, so
    /// that `List.map` in a file `list.clef` is that of the library.
    pub fn find_modules(&self, path: &[Symbol]) -> Vec<ModuleId> {
        let mut found = self.all_modules(path);
        found.retain(|&module| self.modules[module].visibility.is_none_or(|visibility| self.is_visible(visibility)));
        found.sort_by_key(|&module| self.is_around(module));
        found
    }

    /// Whether the current module is `module` or nested in it.
    pub fn is_around(&self, module: ModuleId) -> bool {
        let outer = |inner: &ModuleId| self.modules[*inner].parent;
        std::iter::successors(Some(self.current), outer).any(|around| around == module)
    }

    /// The module that a dotted name resolves to but that is not visible here, with its visibility.
    pub fn find_hidden_module(&self, path: &[Symbol]) -> Option<(ModuleId, Visibility)> {
        let mut found = self.all_modules(path).into_iter();
        found.find_map(|module| Some((module, self.modules[module].visibility?)))
    }

    /// The modules that a dotted name resolves to, visible here or not.
    pub fn all_modules(&self, path: &[Symbol]) -> Vec<ModuleId> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let mut found = Vec::new();
        for &module in self.open_modules.all(*first) {
            let end = rest.iter().try_fold(module, |module, name| self.modules[module].modules.get(name).copied());
            if let Some(module) = end.filter(|module| !found.contains(module)) {
                found.push(module);
            }
        }
        found
    }
}
