//! What a file declares.
//!
//! In: a syntax tree. Out: its declarations, nested as in the file, with the names of modules and types that contain them.

use clef_base::Span;
use clef_syntax::ast::{
    Ast, Binding, BindingHead, Declaration, DeclarationKind, ExprKind, Name, PatternId, PatternKind, TypeDeclaration,
    TypeDeclarationKind,
};
use lsp_types::SymbolKind;

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// The whole declaration.
    pub(crate) span: Span,
    /// Its name.
    pub(crate) name_span: Span,
    /// What it contains.
    pub(crate) children: Vec<Item>,
}

/// The declarations of a file.
pub(crate) fn items(ast: &Ast) -> Vec<Item> {
    let declared = of_declarations(ast, &ast.declarations);
    let Some(header) = &ast.header else { return declared };
    let segments: Vec<&str> = header.path.segments.iter().map(|segment| segment.symbol.as_str()).collect();
    let end = ast.declarations.last().map_or(header.span, |last| last.span);
    let kind = if header.namespace { SymbolKind::NAMESPACE } else { SymbolKind::MODULE };
    vec![Item {
        name: segments.join("."),
        kind,
        span: header.span.to(end),
        name_span: header.path.span(),
        children: declared,
    }]
}

/// Calls a function with each declaration, also with those inside others, and with the path of what contains it.
pub(crate) fn each(items: &[Item], path: &str, visit: &mut dyn FnMut(&Item, &str)) {
    for item in items {
        visit(item, path);
        let inner = if path.is_empty() { item.name.clone() } else { format!("{path}.{}", item.name) };
        each(&item.children, &inner, visit);
    }
}

fn of_declarations(ast: &Ast, declarations: &[Declaration]) -> Vec<Item> {
    declarations.iter().flat_map(|declaration| of_declaration(ast, declaration)).collect()
}

fn of_declaration(ast: &Ast, declaration: &Declaration) -> Vec<Item> {
    let leaf = |name: &Name, kind, span| Item {
        name: name.symbol.as_str().to_owned(),
        kind,
        span,
        name_span: name.span,
        children: Vec::new(),
    };
    match &declaration.kind {
        DeclarationKind::Let(group) => group.bindings.iter().flat_map(|binding| of_binding(ast, binding)).collect(),
        DeclarationKind::Types(types) => types.iter().map(of_type).collect(),
        DeclarationKind::Module { name, declarations, .. } => {
            let children = of_declarations(ast, declarations);
            vec![Item { children, ..leaf(name, SymbolKind::MODULE, declaration.span.to(name.span)) }]
        }
        DeclarationKind::ModuleAlias { name, .. } => {
            vec![leaf(name, SymbolKind::MODULE, declaration.span.to(name.span))]
        }
        DeclarationKind::Effect(_)
        | DeclarationKind::Open(_)
        | DeclarationKind::Namespace(_)
        | DeclarationKind::Unsupported(_)
        | DeclarationKind::Error => Vec::new(),
    }
}

fn of_binding(ast: &Ast, binding: &Binding) -> Vec<Item> {
    let item = |name: &Name, kind| Item {
        name: name.symbol.as_str().to_owned(),
        kind,
        span: binding.span.to(name.span),
        name_span: name.span,
        children: Vec::new(),
    };
    let is_function = matches!(ast.exprs[binding.body].kind, ExprKind::Lambda { .. } | ExprKind::Function(_));
    let value = match (is_function, binding.mutable) {
        (true, _) => SymbolKind::FUNCTION,
        (false, true) => SymbolKind::VARIABLE,
        (false, false) => SymbolKind::CONSTANT,
    };
    match &binding.head {
        BindingHead::Function { name, parameters, .. } if !parameters.is_empty() => {
            vec![item(name, SymbolKind::FUNCTION)]
        }
        BindingHead::Function { name, .. } => vec![item(name, value)],
        BindingHead::Pattern(pattern) => {
            names(ast, *pattern, Annotated::Kept).iter().map(|name| item(name, value)).collect()
        }
    }
}

fn of_type(declared: &TypeDeclaration) -> Item {
    let child = |name: &Name, kind| Item {
        name: name.symbol.as_str().to_owned(),
        kind,
        span: name.span,
        name_span: name.span,
        children: Vec::new(),
    };
    let (kind, children) = match &declared.kind {
        TypeDeclarationKind::Record(fields) => {
            (SymbolKind::STRUCT, fields.iter().map(|field| child(&field.name, SymbolKind::FIELD)).collect())
        }
        TypeDeclarationKind::Union(cases) => {
            (SymbolKind::ENUM, cases.iter().map(|case| child(&case.name, SymbolKind::ENUM_MEMBER)).collect())
        }
        TypeDeclarationKind::Enum(values) => {
            (SymbolKind::ENUM, values.iter().map(|(name, _)| child(name, SymbolKind::ENUM_MEMBER)).collect())
        }
        TypeDeclarationKind::Abbreviation(_)
        | TypeDeclarationKind::Measure
        | TypeDeclarationKind::Unsupported(_)
        | TypeDeclarationKind::Error => (SymbolKind::CLASS, Vec::new()),
    };
    Item {
        name: declared.name.symbol.as_str().to_owned(),
        kind,
        span: declared.span.to(declared.name.span),
        name_span: declared.name.span,
        children,
    }
}

/// What is done with the names that have a type annotation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Annotated {
    /// They are returned as all others.
    Kept,
    /// They are left out.
    Skipped,
}

/// The names that a pattern binds, as far as the tree tells: all that are not written as cases.
pub(crate) fn names(ast: &Ast, pattern: PatternId, annotated: Annotated) -> Vec<Name> {
    let of = |part: PatternId| names(ast, part, annotated);
    match &ast.patterns[pattern].kind {
        PatternKind::Name(name) => vec![*name],
        PatternKind::Tuple(parts)
        | PatternKind::StructTuple(parts)
        | PatternKind::Collection { elements: parts, .. } => parts.iter().flat_map(|part| of(*part)).collect(),
        PatternKind::Annotated { .. } if annotated == Annotated::Skipped => Vec::new(),
        PatternKind::Annotated { pattern, .. } => of(*pattern),
        PatternKind::As { pattern, name } => of(*pattern).into_iter().chain([*name]).collect(),
        PatternKind::Cons { head, tail } => of(*head).into_iter().chain(of(*tail)).collect(),
        PatternKind::Case { argument, .. } => argument.iter().flat_map(|part| of(*part)).collect(),
        PatternKind::Record(fields) => fields.iter().flat_map(|(_, part)| of(*part)).collect(),
        PatternKind::Fields(fields) => fields.iter().flat_map(|(_, part)| of(*part)).collect(),
        PatternKind::And(left, right) => of(*left).into_iter().chain(of(*right)).collect(),
        PatternKind::Or(left, _) => of(*left),
        PatternKind::Error | PatternKind::Unsupported(_) | PatternKind::Wildcard | PatternKind::Literal { .. } => {
            Vec::new()
        }
    }
}
