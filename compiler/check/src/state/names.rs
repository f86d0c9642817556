//! Name resolution: the modules of the program and the names in scope.
//!
//! Lexical scopes are one table per namespace of names, with an undo log. Modules keep their declarations for `open` and
//! for dotted names. A name is looked up from the innermost scope outwards. A dotted name tries each module of its first
//! segment, the latest first, so that `module String` in a program extends that of the library.

use crate::state::{Builtin, Owner};
use clef_base::{Span, Symbol};
use clef_infer::Ty;
use clef_psg::VariableId;
use clef_syntax::ast::Access;
use clef_types::{CaseId, DeclaredTypeId, EnumId, TypeParameterId};
use la_arena::{Arena, Idx};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Names a [`Module`].
pub(crate) type ModuleId = Idx<Module>;

/// The meaning of a name in an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// A variable or a function.
    Variable(VariableId),
    /// A case of a union.
    Case(CaseId),
    /// A value of an enum, by its place among them.
    EnumValue(EnumId, usize),
    /// A library function that is an intrinsic, by its place in the checker's table.
    Intrinsic(usize),
    /// A function of the language itself.
    Builtin(Builtin),
}

/// The meaning of a name in a pattern, if it is no new variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PatternMeaning {
    /// A case of a union.
    Case(CaseId),
    /// A `[<Literal>]`.
    Constant(VariableId),
    /// A value of an enum, by its place among them.
    EnumValue(EnumId, usize),
}

/// The member of a type: `Type.Name`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Member {
    /// A case of a union.
    Case(CaseId),
    /// A value of an enum, by its place among them.
    EnumValue(EnumId, usize),
}

/// The meaning of a name in a type.
#[derive(Clone, Debug)]
pub(crate) enum TypeMeaning {
    /// A built-in type without parameters.
    Simple(Ty),
    /// `ref`.
    Reference,
    /// `array`.
    Array,
    /// `nativeptr`.
    NativePointer,
    /// A union or record.
    Declared(DeclaredTypeId),
    /// An abbreviation: its parameters and its type.
    Abbreviation(Vec<TypeParameterId>, Ty),
    /// A unit of measure.
    Measure(Ty),
}

/// The visibility of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visibility {
    /// The declared access.
    pub(crate) access: Access,
    /// The declaring module.
    pub(crate) module: ModuleId,
    /// The owner of the declaration.
    pub(crate) owner: Owner,
}

/// The meaning of a name and its visibility.
#[derive(Clone, Debug)]
pub(crate) struct Entry<T> {
    pub(crate) meaning: T,
    pub(crate) visibility: Visibility,
}

/// A module and its declarations.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// Its dotted name; empty for the root.
    pub(crate) path: String,
    /// The enclosing module.
    pub(crate) parent: Option<ModuleId>,
    /// Whether it belongs to the library.
    pub(crate) library: bool,
    /// `[<AutoOpen>]`.
    pub(crate) auto_open: bool,
    /// `[<RequireQualifiedAccess>]`.
    pub(crate) qualified: bool,
    /// Its declaration; a namespace has none.
    pub(crate) declared: Option<Span>,
    /// Its visibility, unless it is public.
    pub(crate) visibility: Option<Visibility>,
    pub(crate) values: HashMap<Symbol, Entry<Meaning>>,
    pub(crate) patterns: HashMap<Symbol, Entry<PatternMeaning>>,
    pub(crate) types: HashMap<Symbol, Entry<TypeMeaning>>,
    pub(crate) modules: HashMap<Symbol, ModuleId>,
    /// The fields of its records, in the order of declaration.
    pub(crate) fields: Vec<(Symbol, Entry<DeclaredTypeId>)>,
}

/// Whether a name that an `open` brought into scope was looked up.
type OpenUse = Arc<AtomicBool>;

/// A meaning in scope, and the `open` that brought it there.
#[derive(Clone, Debug)]
struct InScope<T> {
    meaning: T,
    open: Option<OpenUse>,
}

impl<T> InScope<T> {
    fn looked_up(&self) -> &T {
        if let Some(open) = &self.open {
            open.store(true, Ordering::Relaxed);
        }
        &self.meaning
    }
}

/// An `open` of the program.
#[derive(Clone, Debug)]
struct Open {
    place: Span,
    used: OpenUse,
}

/// The names in scope of one kind, with an undo log.
#[derive(Clone, Debug)]
pub(crate) struct Scoped<T> {
    stacks: HashMap<Symbol, Vec<InScope<T>>>,
    log: Vec<Symbol>,
}

impl<T> Default for Scoped<T> {
    fn default() -> Scoped<T> {
        Scoped { stacks: HashMap::new(), log: Vec::new() }
    }
}

impl<T> Scoped<T> {
    pub(crate) fn add(&mut self, name: Symbol, meaning: T) {
        self.add_from(name, meaning, None);
    }

    fn add_from(&mut self, name: Symbol, meaning: T, open: Option<&OpenUse>) {
        self.stacks.entry(name).or_default().push(InScope { meaning, open: open.cloned() });
        self.log.push(name);
    }

    pub(crate) fn get(&self, name: Symbol) -> Option<&T> {
        Some(self.stacks.get(&name)?.last()?.looked_up())
    }

    /// All meanings, the latest first.
    pub(crate) fn all(&self, name: Symbol) -> impl Iterator<Item = &T> {
        self.stacks.get(&name).into_iter().flat_map(|stack| stack.iter().rev().map(InScope::looked_up))
    }

    /// The number of meanings of a name.
    pub(crate) fn count(&self, name: Symbol) -> usize {
        self.stacks.get(&name).map_or(0, Vec::len)
    }

    fn reset(&mut self, mark: usize) {
        while self.log.len() > mark {
            let name = self.log.pop().expect("longer than the marker");
            if let Some(stack) = self.stacks.get_mut(&name) {
                stack.pop();
            }
        }
    }

    /// Every name in scope; does not count as a use.
    pub(crate) fn names(&self) -> impl Iterator<Item = (Symbol, &T)> {
        self.stacks.iter().filter_map(|(name, stack)| Some((*name, &stack.last()?.meaning)))
    }
}

/// A point that scopes can be reset to.
#[derive(Clone, Copy)]
pub(crate) struct Mark([usize; 5]);

/// All names.
#[derive(Clone)]
pub(crate) struct Names {
    pub(crate) modules: Arena<Module>,
    /// The unnamed module that contains all others.
    pub(crate) root: ModuleId,
    /// The module whose declarations are being checked.
    pub(crate) current: ModuleId,
    /// The owner of the file being checked.
    pub(crate) owner: Owner,
    pub(crate) values: Scoped<Entry<Meaning>>,
    pub(crate) patterns: Scoped<Entry<PatternMeaning>>,
    pub(crate) types: Scoped<Entry<TypeMeaning>>,
    pub(crate) open_modules: Scoped<ModuleId>,
    /// The records that have a field of a name.
    pub(crate) fields: Scoped<Entry<DeclaredTypeId>>,
    opens: Vec<Open>,
}

impl Names {
    pub(crate) fn new() -> Names {
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

    pub(crate) fn mark(&self) -> Mark {
        Mark([
            self.values.log.len(),
            self.patterns.log.len(),
            self.types.log.len(),
            self.open_modules.log.len(),
            self.fields.log.len(),
        ])
    }

    pub(crate) fn reset(&mut self, Mark([values, patterns, types, modules, fields]): Mark) {
        self.values.reset(values);
        self.patterns.reset(patterns);
        self.types.reset(types);
        self.open_modules.reset(modules);
        self.fields.reset(fields);
    }

    /// The visibility of a declaration in the current module.
    pub(crate) fn visibility(&self, access: Access) -> Visibility {
        Visibility { access, module: self.current, owner: self.owner }
    }

    /// Adds a local name.
    pub(crate) fn add_local(&mut self, name: Symbol, meaning: Meaning) {
        let visibility = self.visibility(Access::Public);
        self.values.add(name, Entry { meaning, visibility });
    }

    /// Declares a value in the current module.
    pub(crate) fn declare_value(&mut self, name: Symbol, meaning: Meaning, access: Access) {
        let entry = Entry { meaning, visibility: self.visibility(access) };
        self.modules[self.current].values.insert(name, entry.clone());
        self.values.add(name, entry);
    }

    /// Declares a case or constant in the current module.
    pub(crate) fn declare_pattern(&mut self, name: Symbol, meaning: PatternMeaning, access: Access) {
        let entry = Entry { meaning, visibility: self.visibility(access) };
        self.modules[self.current].patterns.insert(name, entry.clone());
        self.patterns.add(name, entry);
    }

    /// Declares a type in the current module.
    pub(crate) fn declare_type(&mut self, name: Symbol, meaning: TypeMeaning, access: Access) {
        let entry = Entry { meaning, visibility: self.visibility(access) };
        self.modules[self.current].types.insert(name, entry.clone());
        self.types.add(name, entry);
    }

    /// Declares a field of a record in the current module; `qualified` if it is accessible through its type only.
    pub(crate) fn declare_field(&mut self, name: Symbol, of: DeclaredTypeId, access: Access, qualified: bool) {
        if !qualified {
            let entry = Entry { meaning: of, visibility: self.visibility(access) };
            self.modules[self.current].fields.push((name, entry.clone()));
            self.fields.add(name, entry);
        }
    }

    /// The module of that name within another; created if it does not exist.
    pub(crate) fn enter(&mut self, within: ModuleId, name: Symbol, library: bool) -> ModuleId {
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
    pub(crate) fn restart_module(&mut self) {
        let Module { path, parent, library, .. } = self.modules[self.current].clone();
        self.modules[self.current] = Module::new(path, parent, library);
    }

    /// Forgets the module of that name, so that it can be declared again.
    pub(crate) fn forget_module(&mut self, path: &[Symbol]) {
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
    pub(crate) fn open_written(&mut self, modules: &[ModuleId], place: Span) {
        let used = OpenUse::default();
        for &module in modules.iter().rev() {
            self.open_from(module, Some(&used));
        }
        self.opens.push(Open { place, used });
    }

    /// The `open`s none of whose names is used.
    pub(crate) fn unused_opens(&self) -> Vec<Span> {
        self.opens.iter().filter(|open| !open.used.load(Ordering::Relaxed)).map(|open| open.place).collect()
    }

    /// Brings the declarations of a module into scope, with the modules in it that are marked `[<AutoOpen>]`.
    pub(crate) fn open(&mut self, module: ModuleId) {
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

    /// Brings the program's declarations in the global namespace into scope.
    pub(crate) fn open_global(&mut self) {
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
        add_all(&mut self.values, values, open);
        add_all(&mut self.patterns, patterns, open);
        add_all(&mut self.types, types, open);
    }

    /// Whether a visibility includes the current module.
    pub(crate) fn is_visible(&self, visibility: Visibility) -> bool {
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
    pub(crate) fn find_modules(&self, path: &[Symbol]) -> Vec<ModuleId> {
        let mut found = self.all_modules(path);
        found.retain(|&module| self.modules[module].visibility.is_none_or(|visibility| self.is_visible(visibility)));
        found.sort_by_key(|&module| self.is_around(module));
        found
    }

    /// Whether the current module is `module` or nested in it.
    pub(crate) fn is_around(&self, module: ModuleId) -> bool {
        let outer = |inner: &ModuleId| self.modules[*inner].parent;
        std::iter::successors(Some(self.current), outer).any(|around| around == module)
    }

    /// The module that a dotted name resolves to but that is not visible here, with its visibility.
    pub(crate) fn find_hidden_module(&self, path: &[Symbol]) -> Option<(ModuleId, Visibility)> {
        let mut found = self.all_modules(path).into_iter();
        found.find_map(|module| Some((module, self.modules[module].visibility?)))
    }

    /// The modules that a dotted name resolves to, visible here or not.
    pub(crate) fn all_modules(&self, path: &[Symbol]) -> Vec<ModuleId> {
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

impl Module {
    fn new(path: String, parent: Option<ModuleId>, library: bool) -> Module {
        Module {
            path,
            parent,
            library,
            auto_open: false,
            qualified: false,
            declared: None,
            visibility: None,
            values: HashMap::new(),
            patterns: HashMap::new(),
            types: HashMap::new(),
            modules: HashMap::new(),
            fields: Vec::new(),
        }
    }
}

/// In alphabetical order, so that the result does not depend on the order of a hash table.
fn add_all<T>(scope: &mut Scoped<T>, mut entries: Vec<(Symbol, T)>, open: Option<&OpenUse>) {
    entries.sort_by_key(|(name, _)| *name);
    for (name, entry) in entries {
        scope.add_from(name, entry, open);
    }
}
