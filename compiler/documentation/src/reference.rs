//! The public declarations of files, with their types and comments.
//!
//! In: the trees of checked files, and the index of their names. Out: modules, in the order of the files, each with its
//! declarations in their order. Declarations that are not public are absent, and so are those whose names no program can
//! write without double backquotes that hold a space.

use crate::{
    comment::{self, Comment},
    html::name_anchor,
};
use clef_base::{FileId, SourceMap, Span};
use clef_check::index::{Category, Index};
use clef_syntax::ast::{
    Access, Ast, Attribute, Binding, BindingHead, Declaration, DeclarationKind, Name, PatternKind, TypeDeclaration,
    TypeDeclarationKind,
};

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name, with those of the modules around it.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Whether its names are in scope without `open`.
    pub is_open: bool,
    /// Its comment.
    pub comment: Option<Comment>,
    /// Its declarations.
    pub items: Vec<Item>,
}

impl Module {
    /// Moves it to other files of the same texts.
    pub fn move_to(&mut self, moved: &mut dyn FnMut(FileId) -> FileId) {
        self.span.file = moved(self.span.file);
        for item in &mut self.items {
            item.span.file = moved(item.span.file);
        }
    }
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its name; an operator without parentheses.
    pub name: String,
    /// Its declaration, as the source would write it.
    pub signature: String,
    /// Its name in the source.
    pub span: Span,
    /// Its comment.
    pub comment: Option<Comment>,
    /// Cases and fields that have a comment.
    pub members: Vec<(String, Comment)>,
}

impl Item {
    /// The anchor on the page of its module. A type has one of its own beside a value of the same name, and no name leads to
    /// the colon.
    pub(crate) fn anchor(&self) -> String {
        let name = name_anchor(&self.name);
        match self.kind {
            ItemKind::Type => format!("type:{name}"),
            ItemKind::Value | ItemKind::Function => name,
        }
    }
}

/// What a declaration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemKind {
    /// A type.
    Type,
    /// A value.
    Value,
    /// A function.
    Function,
}

/// The modules of files.
pub fn modules(sources: &SourceMap, trees: &[Ast], index: &mut Index) -> Vec<Module> {
    let mut reader = Reader { sources, index, modules: Vec::new() };
    for tree in trees {
        reader.file(tree);
    }
    let mut modules = reader.modules;
    modules.retain(|module| !module.items.is_empty());
    modules
}

/// Where declarations are.
#[derive(Clone)]
struct Place {
    name: String,
    span: Span,
    is_open: bool,
}

struct Reader<'a> {
    sources: &'a SourceMap,
    index: &'a mut Index,
    modules: Vec<Module>,
}

impl Reader<'_> {
    fn file(&mut self, tree: &Ast) {
        let Some(header) = tree.header.as_ref().filter(|header| header.access == Access::Public) else {
            // Without a header, only modules can be used by other files.
            if tree.header.is_none() {
                self.declarations(tree, &tree.declarations, None);
            }
            return;
        };
        let names: Vec<&str> = header.path.segments.iter().map(|segment| segment.symbol.as_str()).collect();
        let place = Place { name: names.join("."), span: header.path.span(), is_open: is_open(&header.attributes) };
        self.declarations(tree, &tree.declarations, Some(&place));
    }

    fn declarations(&mut self, tree: &Ast, declarations: &[Declaration], place: Option<&Place>) {
        for declaration in declarations {
            match &declaration.kind {
                DeclarationKind::Let(group) => {
                    group.bindings.iter().for_each(|binding| self.binding(tree, binding, place));
                }
                DeclarationKind::Types(types) => types.iter().for_each(|declared| self.declared(declared, place)),
                DeclarationKind::Module { attributes, access: Access::Public, name, declarations } => {
                    let own = name.symbol.as_str();
                    let name_of = |place: &Place| format!("{}.{own}", place.name);
                    let inner = Place {
                        name: place.map_or_else(|| own.to_owned(), name_of),
                        span: name.span,
                        is_open: is_open(attributes),
                    };
                    self.declarations(tree, declarations, Some(&inner));
                }
                DeclarationKind::Module { access: Access::Internal | Access::Private, .. }
                | DeclarationKind::Effect(_)
                | DeclarationKind::Open(_)
                | DeclarationKind::ModuleAlias { .. }
                | DeclarationKind::Namespace(_)
                | DeclarationKind::Unsupported(_)
                | DeclarationKind::Error => {}
            }
        }
    }

    fn binding(&mut self, tree: &Ast, binding: &Binding, place: Option<&Place>) {
        let Some(place) = place.filter(|_| binding.access == Access::Public) else { return };
        let name = match &binding.head {
            BindingHead::Function { name, .. } => *name,
            BindingHead::Pattern(pattern) => {
                // The names of other patterns have no comments of their own.
                let PatternKind::Name(name) = &tree.patterns[*pattern].kind else { return };
                *name
            }
        };
        let Some(found) = self.index.at(name.span.file, name.span.start) else { return };
        let is_function = match self.index.category(found.entity) {
            Category::Function | Category::Builtin => true,
            Category::Value
            | Category::Mutable
            | Category::Case
            | Category::EnumValue
            | Category::Field
            | Category::Union
            | Category::Record
            | Category::Enum
            | Category::Type
            | Category::Module => false,
        };
        let described = self.index.describe(found.entity);
        let (written, shown) = (name.symbol.as_str(), shown(name.symbol.as_str()));
        let signature = described.replacen(&format!("{written}:"), &format!("{shown}:"), 1);
        let kind = if is_function { ItemKind::Function } else { ItemKind::Value };
        self.add(place, Item { kind, signature, ..self.item(&name) });
    }

    fn declared(&mut self, declared: &TypeDeclaration, place: Option<&Place>) {
        let Some(place) = place.filter(|_| declared.access == Access::Public) else { return };
        let (opaque, members) = match &declared.kind {
            TypeDeclarationKind::Union(cases) => {
                let names: Vec<&Name> = cases.iter().map(|case| &case.name).collect();
                (names.iter().any(|name| name.symbol.as_str().contains(' ')), names)
            }
            TypeDeclarationKind::Record(fields) => (false, fields.iter().map(|field| &field.name).collect()),
            TypeDeclarationKind::Enum(values) => (false, values.iter().map(|(name, _)| name).collect()),
            TypeDeclarationKind::Abbreviation(_)
            | TypeDeclarationKind::Measure
            | TypeDeclarationKind::Unsupported(_)
            | TypeDeclarationKind::Error => (false, Vec::new()),
        };
        let item = self.item(&declared.name);
        let text = self.sources.text(declared.span);
        let text = if text.starts_with("type") { text.to_owned() } else { format!("type {text}") };
        let is_hidden = opaque || declared.representation != Access::Public;
        let signature = match text.split_once('=').filter(|_| is_hidden) {
            Some((head, _)) => head.trim_end().to_owned(),
            None => unindented(&text, self.sources.line_column(declared.span).column as usize - 1),
        };
        let member = |name: &&Name| Some((shown(name.symbol.as_str()), self.comment(name)?));
        let members = if is_hidden { Vec::new() } else { members.iter().filter_map(member).collect() };
        // A case on the line of its type has the comment of the type.
        let own = |(_, comment): &(String, Comment)| item.comment.as_ref() != Some(comment);
        let members = members.into_iter().filter(own).collect();
        self.add(place, Item { kind: ItemKind::Type, signature, members, ..item });
    }

    /// A declaration without its type.
    fn item(&self, name: &Name) -> Item {
        Item {
            kind: ItemKind::Value,
            name: name.symbol.as_str().to_owned(),
            signature: String::new(),
            span: name.span,
            comment: self.comment(name),
            members: Vec::new(),
        }
    }

    fn comment(&self, name: &Name) -> Option<Comment> {
        comment::above(&self.sources.file(name.span.file).text, name.span.start as usize)
    }

    fn add(&mut self, place: &Place, item: Item) {
        if item.name.contains(' ') {
            return;
        }
        if let Some(module) = self.modules.iter_mut().find(|module| module.name == place.name) {
            module.items.push(item);
            return;
        }
        let comment = comment::above(&self.sources.file(place.span.file).text, place.span.start as usize);
        let Place { name, span, is_open } = place.clone();
        self.modules.push(Module { name, span, is_open, comment, items: vec![item] });
    }
}

fn is_open(attributes: &[Attribute]) -> bool {
    let is_auto_open = |attribute: &Attribute| {
        attribute.name.segments.last().is_some_and(|segment| segment.symbol.as_str() == "AutoOpen")
    };
    attributes.iter().any(is_auto_open)
}

/// A name as the source writes it: an operator in parentheses.
pub fn shown(name: &str) -> String {
    let is_name = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    match (is_name, name) {
        (true, _) | (false, "[]" | "::") => name.to_owned(),
        (false, _) => format!("({name})"),
    }
}

/// A declaration without its comments, whose lines after the first are indented by as many columns less.
fn unindented(text: &str, columns: usize) -> String {
    let line = |line: &str| {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        line[spaces.min(columns)..].to_owned()
    };
    let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("///"));
    let first = lines.next().unwrap_or_default().to_owned();
    [first].into_iter().chain(lines.map(line)).collect::<Vec<_>>().join("\n")
}
