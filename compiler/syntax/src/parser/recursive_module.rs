//! `module rec` and `namespace rec`: sorts declarations that may use later ones, so that each uses only earlier ones.
//!
//! In: the declarations in source order. Out: the `open` declarations of other modules, then the types as one group,
//! the bindings, the effects and the modules, each after those that it uses; functions that use each other become one
//! `let rec`. Values and effects keep their order, because they run in it. Inner modules are also recursive, each on
//! its own: a dependency cycle that includes a module is rejected.

use super::{
    Parser,
    names::{self, NameSet},
    unit_groups::{groups, reached},
};
use crate::ast::{Binding, BindingHead, Declaration, DeclarationKind, ExprKind, LetGroup, Path, TypeDeclaration};
use clef_base::{Diagnostic, HashMap, HashSet, Span, Symbol, codes, internal::bug};

/// A declaration to be sorted.
struct Unit {
    declaration: Declaration,
    /// The names that it declares.
    declares: NameSet,
    /// The other units that it uses, and the one that must run before it.
    needs: Vec<usize>,
    /// Whether it uses itself.
    needs_itself: bool,
    /// Whether it runs when the module starts.
    runs: bool,
}

impl Parser {
    /// The declarations of a recursive module, in an order in which each uses only earlier ones.
    pub(super) fn recursive_declarations(&mut self, declarations: Vec<Declaration>) -> Vec<Declaration> {
        let modules = modules_of(&declarations);
        let (mut ordered, mut types, mut placed) = (Vec::new(), Vec::new(), Vec::new());
        for mut declaration in declarations {
            match &mut declaration.kind {
                DeclarationKind::Types(group) => types.push((std::mem::take(group), declaration.span)),
                DeclarationKind::Module { declarations, .. } => {
                    *declarations = self.recursive_declarations(std::mem::take(declarations));
                    placed.push(declaration);
                }
                DeclarationKind::Open(path) | DeclarationKind::ModuleAlias { path, .. }
                    if modules.contains(&path.segments[0].symbol) =>
                {
                    placed.push(declaration);
                }
                DeclarationKind::Let(_) | DeclarationKind::Effect(_) => placed.push(declaration),
                DeclarationKind::Open(_)
                | DeclarationKind::ModuleAlias { .. }
                | DeclarationKind::Namespace(_)
                | DeclarationKind::Unsupported(_)
                | DeclarationKind::Error => ordered.push(declaration),
            }
        }
        placed.splice(0..0, one_group(types));
        let units = self.units(placed);
        let groups = groups(&units.iter().map(|unit| unit.needs.as_slice()).collect::<Vec<_>>());
        let mut units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
        for group in groups {
            let group: Vec<Unit> = group.into_iter().filter_map(|unit| units[unit].take()).collect();
            ordered.extend(self.recursive_group(group));
        }
        ordered
    }

    fn units(&self, declarations: Vec<Declaration>) -> Vec<Unit> {
        let used = names::used(&self.ast, &declarations);
        let declares: Vec<NameSet> = (declarations.iter())
            .map(|declaration| match &declaration.kind {
                DeclarationKind::Open(path) => self.opened(&declarations, path),
                _ => names::declared_by(&self.ast, declaration),
            })
            .collect();
        let mut units: Vec<Unit> = (declarations.into_iter().zip(declares))
            .map(|(declaration, declares)| {
                let runs = self.runs(&declaration);
                Unit { declaration, declares, needs: Vec::new(), needs_itself: false, runs }
            })
            .collect();
        connect(&mut units, &used);
        units
    }

    /// The names that an `open` of a module among the declarations brings into scope.
    fn opened(&self, declarations: &[Declaration], path: &Path) -> NameSet {
        let mut within = declarations;
        for segment in &path.segments {
            let found = within.iter().find_map(|declaration| match &declaration.kind {
                DeclarationKind::Module { name, declarations, .. } if name.symbol == segment.symbol => {
                    Some(declarations)
                }
                _ => None,
            });
            let Some(declarations) = found else { return NameSet::default() };
            within = declarations;
        }
        names::declared(&self.ast, within)
    }

    /// Whether a declaration runs code when the program starts.
    fn runs(&self, declaration: &Declaration) -> bool {
        match &declaration.kind {
            DeclarationKind::Let(group) => {
                !group.bindings.iter().all(|binding| self.is_function(binding) || names::is_constant(binding))
            }
            DeclarationKind::Effect(_) => true,
            DeclarationKind::Module { declarations, .. } => declarations.iter().any(|inner| self.runs(inner)),
            DeclarationKind::Types(_)
            | DeclarationKind::Open(_)
            | DeclarationKind::ModuleAlias { .. }
            | DeclarationKind::Namespace(_)
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => false,
        }
    }

    /// Whether a binding is a function, which does not run; one with attributes keeps its position.
    fn is_function(&self, binding: &Binding) -> bool {
        let has_parameters =
            matches!(&binding.head, BindingHead::Function { parameters, .. } if !parameters.is_empty());
        let is_lambda = matches!(self.ast.exprs[binding.body].kind, ExprKind::Lambda { .. } | ExprKind::Function(_));
        binding.attributes.is_empty() && (has_parameters || is_lambda)
    }

    /// Merges units that need each other into one declaration.
    fn recursive_group(&mut self, units: Vec<Unit>) -> Vec<Declaration> {
        let is_let =
            |unit: &Unit| matches!(unit.declaration.kind, DeclarationKind::Let(_) | DeclarationKind::Effect(_));
        let needs_itself = units.len() > 1 || units.iter().any(|unit| unit.needs_itself && is_let(unit));
        if !needs_itself {
            return units.into_iter().map(|unit| unit.declaration).collect();
        }
        if !units.iter().all(is_let) {
            return self.reject_module_cycle(units);
        }
        let (values, functions): (Vec<Unit>, Vec<Unit>) = units.into_iter().partition(|unit| unit.runs);
        let mut declarations = self.needed_too_early(values);
        let Some(first) = functions.first() else { return declarations };
        let span = first.declaration.span;
        let mut bindings: Vec<Binding> = Vec::new();
        for unit in functions {
            if let DeclarationKind::Let(group) = unit.declaration.kind {
                bindings.extend(group.bindings);
            }
        }
        let group = LetGroup { recursive: true, resource: false, bindings, span };
        declarations.push(Declaration { kind: DeclarationKind::Let(group), span });
        declarations
    }

    /// Reports values and effects that need themselves; their names stay declared.
    fn needed_too_early(&mut self, values: Vec<Unit>) -> Vec<Declaration> {
        if let Some(value) = values.first() {
            self.diagnostics.push(
                Diagnostic::error(
                    codes::RECURSIVE_VALUE,
                    value.declaration.span,
                    "this value is used before it is computed",
                )
                .label("it depends on itself, or on a value that is computed later")
                .help("move it after its dependencies, or make it a function"),
            );
        }
        self.emptied(values)
    }

    /// Reports a dependency cycle that includes a module; all names stay declared.
    fn reject_module_cycle(&mut self, units: Vec<Unit>) -> Vec<Declaration> {
        let module = units.iter().find_map(|unit| match &unit.declaration.kind {
            DeclarationKind::Module { name, .. } => Some(*name),
            _ => None,
        });
        let Some(module) = module else {
            bug("parse", units[0].declaration.span, "mutual recursion of the file's own declarations and a module")
        };
        let message = format!("the module `{}` and a declaration outside of it depend on each other", module.symbol);
        let mut diagnostic = Diagnostic::error(codes::NOT_SUPPORTED_YET, module.span, message);
        let mut places = units.iter().filter_map(|unit| self.location_of(&unit.declaration));
        if let Some(other) = places.find(|place| *place != module.span) {
            diagnostic = diagnostic.also(other, "this declaration and the module depend on each other");
        }
        self.diagnostics.push(
            diagnostic
                .note("only declarations of the same module can depend on each other")
                .help("move them to one module"),
        );
        self.emptied(units)
    }

    /// The location of the first name of a declaration.
    fn location_of(&self, declaration: &Declaration) -> Option<Span> {
        match &declaration.kind {
            DeclarationKind::Let(group) => group.bindings.first().map(|binding| match &binding.head {
                BindingHead::Function { name, .. } => name.span,
                BindingHead::Pattern(pattern) => self.pattern_span(*pattern),
            }),
            DeclarationKind::Types(types) => types.first().map(|declared| declared.name.span),
            DeclarationKind::Module { name, .. } | DeclarationKind::ModuleAlias { name, .. } => Some(name.span),
            DeclarationKind::Effect(_) => Some(declaration.span),
            DeclarationKind::Open(_)
            | DeclarationKind::Namespace(_)
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => None,
        }
    }

    /// The declarations without their bodies.
    fn emptied(&mut self, units: Vec<Unit>) -> Vec<Declaration> {
        let mut declarations: Vec<Declaration> = units.into_iter().map(|unit| unit.declaration).collect();
        declarations.iter_mut().for_each(|declaration| self.empty(declaration));
        declarations
    }

    fn empty(&mut self, declaration: &mut Declaration) {
        match &mut declaration.kind {
            DeclarationKind::Let(group) => {
                for binding in &mut group.bindings {
                    binding.body = self.error_expr(binding.span);
                }
            }
            DeclarationKind::Effect(_) => declaration.kind = DeclarationKind::Error,
            DeclarationKind::Module { declarations, .. } => {
                declarations.iter_mut().for_each(|inner| self.empty(inner));
            }
            DeclarationKind::Types(_)
            | DeclarationKind::Open(_)
            | DeclarationKind::ModuleAlias { .. }
            | DeclarationKind::Namespace(_)
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => {}
        }
    }
}

/// The names of the modules among declarations, and of their aliases.
fn modules_of(declarations: &[Declaration]) -> HashSet<Symbol> {
    let mut names: HashSet<Symbol> = HashSet::default();
    for declaration in declarations {
        if let DeclarationKind::Module { name, .. } = &declaration.kind {
            names.insert(name.symbol);
        }
    }
    for declaration in declarations {
        if let DeclarationKind::ModuleAlias { name, path } = &declaration.kind
            && names.contains(&path.segments[0].symbol)
        {
            names.insert(name.symbol);
        }
    }
    names
}

/// Fills in what each unit needs, from the names that it uses.
fn connect(units: &mut [Unit], used: &[NameSet]) {
    let mut uses: HashSet<(usize, usize)> = HashSet::default();
    let kinds: [fn(&NameSet) -> &HashSet<Symbol>; 3] =
        [|names| &names.values, |names| &names.modules, |names| &names.types];
    for kind in kinds {
        let mut owners: HashMap<Symbol, usize> = HashMap::default();
        // The declarations of a module shadow the names that it opens, so they come after those.
        let (opens, others): (Vec<usize>, Vec<usize>) =
            (0..units.len()).partition(|&unit| matches!(units[unit].declaration.kind, DeclarationKind::Open(_)));
        for unit in opens.into_iter().chain(others) {
            for &name in kind(&units[unit].declares) {
                let before = owners.insert(name, unit);
                uses.extend(before.filter(|before| is_open(&units[*before])).map(|before| (unit, before)));
            }
        }
        for (user, names) in used.iter().enumerate() {
            uses.extend(kind(names).iter().filter_map(|name| Some((user, *owners.get(name)?))));
        }
    }
    let mut uses: Vec<(usize, usize)> = uses.into_iter().collect();
    uses.sort_unstable();
    for (user, owner) in uses {
        if user == owner {
            units[user].needs_itself = true;
        } else {
            units[user].needs.push(owner);
        }
    }
    order_after_types(units);
    let running: Vec<usize> = (0..units.len()).filter(|&index| units[index].runs).collect();
    for pair in running.windows(2) {
        units[pair[1]].needs.push(pair[0]);
    }
}

fn is_open(unit: &Unit) -> bool {
    matches!(unit.declaration.kind, DeclarationKind::Open(_))
}

/// Adds the types to the needs of all units that the types do not need: these may use a field of a type.
fn order_after_types(units: &mut [Unit]) {
    let is_types = |unit: &Unit| matches!(unit.declaration.kind, DeclarationKind::Types(_));
    if !units.first().is_some_and(is_types) {
        return;
    }
    let before = reached(&units.iter().map(|unit| unit.needs.as_slice()).collect::<Vec<_>>(), 0);
    for (index, unit) in units.iter_mut().enumerate() {
        if !before[index] && !is_open(unit) {
            unit.needs.push(0);
        }
    }
}

/// All types as one group.
fn one_group(types: Vec<(Vec<TypeDeclaration>, Span)>) -> Option<Declaration> {
    let span = types.first()?.1;
    let types = types.into_iter().flat_map(|(group, _)| group).collect();
    Some(Declaration { kind: DeclarationKind::Types(types), span })
}
