//! Modules and their declarations.

use crate::meaning::{Meaning, PatternMeaning, TypeMeaning};
use clef_base::{HashMap, Span, Symbol};
use clef_syntax::ast::Access;
use clef_types::DeclaredTypeId;
use la_arena::Idx;

/// Names a [`Module`].
pub type ModuleId = Idx<Module>;

/// The owner of a source file. An `internal` name is visible to its owner only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The embedded library.
    Library,
    /// A project: the program's own, or one that it depends on.
    Project(u32),
}

/// The visibility of a name.
#[derive(Clone, Copy, Debug)]
pub struct Visibility {
    /// The declared access.
    pub access: Access,
    /// The declaring module.
    pub module: ModuleId,
    /// The owner of the declaration.
    pub owner: Owner,
}

/// The meaning of a name and its visibility.
#[derive(Clone, Debug)]
pub struct Entry<T> {
    /// What it means.
    pub meaning: T,
    /// Where it is visible.
    pub visibility: Visibility,
}

/// A module and its declarations.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its dotted name; empty for the root.
    pub path: String,
    /// The enclosing module.
    pub parent: Option<ModuleId>,
    /// Whether it belongs to the library.
    pub library: bool,
    /// `[<AutoOpen>]`.
    pub auto_open: bool,
    /// `[<RequireQualifiedAccess>]`.
    pub qualified: bool,
    /// Its declaration; a namespace has none.
    pub declared: Option<Span>,
    /// Its visibility, unless it is public.
    pub visibility: Option<Visibility>,
    /// The names for expressions.
    pub values: HashMap<Symbol, Entry<Meaning>>,
    /// The names for patterns.
    pub patterns: HashMap<Symbol, Entry<PatternMeaning>>,
    /// The names for types and units of measure.
    pub types: HashMap<Symbol, Entry<TypeMeaning>>,
    /// The modules in it.
    pub modules: HashMap<Symbol, ModuleId>,
    /// The fields of its records, in the order of declaration.
    pub fields: Vec<(Symbol, Entry<DeclaredTypeId>)>,
}

impl Module {
    /// A module without declarations.
    pub(crate) fn new(path: String, parent: Option<ModuleId>, library: bool) -> Module {
        Module {
            path,
            parent,
            library,
            auto_open: false,
            qualified: false,
            declared: None,
            visibility: None,
            values: HashMap::default(),
            patterns: HashMap::default(),
            types: HashMap::default(),
            modules: HashMap::default(),
            fields: Vec::new(),
        }
    }
}
