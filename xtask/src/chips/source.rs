//! The source of a crate that svd2rust made: files of modules, and what names in them refer to.

#![allow(clippy::wildcard_enum_match_arm, reason = "syn has many kinds of syntax, and adds others in any version")]

use crate::Failure;
use std::{
    cell::RefCell,
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};
use syn::{Attribute, Expr, Item, Lit, Meta, UseTree};

/// The path of a module in its crate.
pub(super) type ModulePath = Vec<String>;

/// The files of a crate, each of which is parsed once.
pub(super) struct Sources {
    directory: PathBuf,
    files: RefCell<HashMap<ModulePath, Rc<syn::File>>>,
}

/// What a name refers to.
pub(super) enum Found {
    Module(ModulePath),
    /// An item, and the module that declares it.
    Item(ModulePath, Box<Item>),
}

impl Sources {
    pub(super) fn new(directory: PathBuf) -> Self {
        Sources { directory, files: RefCell::default() }
    }

    /// The file of a module.
    pub(super) fn file(&self, module: &[String]) -> Result<Rc<syn::File>, Failure> {
        if let Some(file) = self.files.borrow().get(module) {
            return Ok(Rc::clone(file));
        }
        let path = module.iter().fold(self.directory.clone(), |path, name| path.join(name));
        let (beside, within) = (path.with_extension("rs"), path.join("mod.rs"));
        let path = if beside.exists() { beside } else { within };
        let file = Rc::new(parse(&path)?);
        self.files.borrow_mut().insert(module.to_vec(), Rc::clone(&file));
        Ok(file)
    }

    /// What a path in a module refers to.
    pub(super) fn find(&self, module: &[String], path: &[String]) -> Result<Found, Failure> {
        let (first, rest) = path.split_first().ok_or("a path is empty")?;
        let found = match first.as_str() {
            "crate" => Found::Module(Vec::new()),
            "self" => Found::Module(module.to_vec()),
            "super" => Found::Module(module.split_last().map_or(&[] as &[String], |(_, outer)| outer).to_vec()),
            name => self.declared(module, name)?,
        };
        match (rest.is_empty(), found) {
            (true, found) => Ok(found),
            (false, Found::Module(inner)) => self.find(&inner, rest),
            (false, Found::Item(..)) => Err(format!("`{first}` in `{}` is not a module", module.join("::"))),
        }
    }

    /// What a name refers to that a module declares or imports.
    fn declared(&self, module: &[String], name: &str) -> Result<Found, Failure> {
        if module.is_empty() {
            // The root declares its modules under conditions.
            return Ok(Found::Module(vec![name.to_owned()]));
        }
        let file = self.file(module)?;
        for item in &file.items {
            match item {
                Item::Mod(inner) if inner.ident == name => {
                    return Ok(Found::Module([module, &[name.to_owned()]].concat()));
                }
                Item::Type(_) | Item::Struct(_) | Item::Enum(_) if ident(item).is_some_and(|ident| ident == name) => {
                    return Ok(Found::Item(module.to_vec(), Box::new(item.clone())));
                }
                Item::Use(import) => {
                    if let Some(path) = imported(&import.tree, name) {
                        return self.find(module, &path);
                    }
                }
                _ => {}
            }
        }
        Err(format!("`{name}` is not declared in `{}`", module.join("::")))
    }
}

fn parse(path: &Path) -> Result<syn::File, Failure> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    syn::parse_file(&text).map_err(|error| format!("`{}` is not Rust: {error}", path.display()))
}

/// The name of a type.
fn ident(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Type(of) => Some(&of.ident),
        Item::Struct(of) => Some(&of.ident),
        Item::Enum(of) => Some(&of.ident),
        _ => None,
    }
}

/// The path that an import makes known by a name.
fn imported(tree: &UseTree, name: &str) -> Option<Vec<String>> {
    match tree {
        UseTree::Path(path) => {
            let inner = imported(&path.tree, name)?;
            Some([vec![path.ident.to_string()], inner].concat())
        }
        UseTree::Name(of) => (of.ident == name).then(|| vec![name.to_owned()]),
        UseTree::Rename(of) => (of.rename == name).then(|| vec![of.ident.to_string()]),
        UseTree::Group(group) => group.items.iter().find_map(|tree| imported(tree, name)),
        UseTree::Glob(_) => None,
    }
}

/// The first paragraph of a documentation comment, as one line.
pub(super) fn documentation(attributes: &[Attribute]) -> String {
    let text = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let text = text.collect::<Vec<_>>().join("\n");
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "")
}
