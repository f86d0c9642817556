//! Code lenses: run and flash above the entry point, test above tests.
//!
//! In: the tree of a file. Out: commands of the editors, `clef.run`, `clef.flash` and `clef.test`, with the path of the project or of
//! the file; that of a test also with the regular expression that selects it.

use crate::view::View;
use clef_base::Span;
use clef_check::Entity;
use clef_syntax::{
    ast::{Ast, BindingHead, DeclarationKind},
    bindings,
};
use lsp_types::{CodeLens, Command};

/// The lenses of the file.
pub(crate) fn lenses(view: &View<'_>) -> Vec<CodeLens> {
    if view.is_of_library(view.file) {
        return Vec::new();
    }
    let Some(tree) = view.tree() else { return Vec::new() };
    let place = view.unit.place().display().to_string();
    let lens = |span: Span, title: &str, command: &str, test: Option<String>| CodeLens {
        range: view.lines().range(span.at_start()),
        command: Some(Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some([place.clone()].into_iter().chain(test).map(Into::into).collect()),
        }),
        data: None,
    };
    let mut lenses = Vec::new();
    if let Some(span) = entry(tree) {
        lenses.push(lens(span, "▶ Run", "clef.run", None));
        // Programs of this machine are processes.
        if view.has_flash() {
            lenses.push(lens(span, "⚡ Flash", "clef.flash", None));
        }
    }
    let tests = marked(tree, "Test").into_iter().map(|span| lens(span, "▶ Test", "clef.test", filter(view, span)));
    lenses.extend(tests);
    lenses
}

/// The regular expression that only matches the full name of a test, for `--filter`: `suite::Module.test`.
fn filter(view: &View<'_>, name: Span) -> Option<String> {
    let Entity::Variable(test) = view.name_at_offset(name.start)?.entity else { return None };
    Some(format!("::{}$", regex::escape(view.index.path(test).as_str())))
}

/// The entry point: a marked function, or the first expression at the top level.
fn entry(tree: &Ast) -> Option<Span> {
    let marked = marked(tree, "EntryPoint").into_iter().next();
    let effect = || {
        let effects = tree.declarations.iter();
        effects.map(|one| (one.span, &one.kind)).find(|(_, kind)| matches!(kind, DeclarationKind::Effect(_)))
    };
    marked.or_else(|| effect().map(|(span, _)| span))
}

/// The names of the bindings of modules with an attribute.
fn marked(tree: &Ast, attribute: &str) -> Vec<Span> {
    let bindings = bindings::module_bindings(tree).into_iter();
    let marked = bindings.filter(|binding| {
        let last = |one: &clef_syntax::ast::Attribute| one.name.segments.last().map(|name| name.symbol.as_str());
        binding.attributes.iter().any(|one| last(one) == Some(attribute))
    });
    let name = |binding: &clef_syntax::ast::Binding| match &binding.head {
        BindingHead::Function { name, .. } => name.span,
        BindingHead::Pattern(pattern) => tree.patterns[*pattern].span,
    };
    marked.map(name).collect()
}
