//! `module rec` and `namespace rec`: declarations that may name later ones, put into an order in which they need not.
//!
//! In: the declarations as written. Out: what is opened, then all types as one group, then the bindings and effects,
//! each behind those that it mentions; functions that mention each other are one `let rec`. Values and effects keep
//! their order, because they run in it. A mention is any use of the name, also of a local one: that only makes groups
//! larger. Groups are found as by Tarjan ("Depth-first search and linear graph algorithms", 1972).

use super::Parser;
use crate::ast::{
    Binding, BindingHead, Declaration, DeclarationKind, ExprKind, LetGroup, PatternKind, TypeDeclaration,
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use std::collections::{HashMap, HashSet};

/// A group of bindings or an effect.
struct Unit {
    declaration: Declaration,
    /// The other units that it mentions, and the one that has to run before it.
    needs: Vec<usize>,
    /// Whether it mentions itself.
    needs_itself: bool,
    /// Whether it runs when the module starts, in its place.
    runs: bool,
}

impl Parser {
    /// The declarations of a recursive module in an order in which each needs only those before it.
    pub(super) fn recursive_declarations(&mut self, declarations: Vec<Declaration>) -> Vec<Declaration> {
        let (mut ordered, mut types, mut units) = (Vec::new(), Vec::new(), Vec::new());
        for declaration in declarations {
            match declaration.kind {
                DeclarationKind::Types(group) => types.push((group, declaration.span)),
                DeclarationKind::Let(_) | DeclarationKind::Effect(_) => units.push(self.unit_of(declaration)),
                DeclarationKind::Module { .. } => self.refuse_inner_module(declaration.span),
                DeclarationKind::Open(_)
                | DeclarationKind::ModuleAlias { .. }
                | DeclarationKind::Namespace(_)
                | DeclarationKind::Refused(_)
                | DeclarationKind::Error => ordered.push(declaration),
            }
        }
        ordered.extend(one_group(types));
        self.connect(&mut units);
        let groups = groups(&units);
        let mut units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
        for group in groups {
            let group: Vec<Unit> = group.into_iter().filter_map(|unit| units[unit].take()).collect();
            ordered.extend(self.recursive_group(group));
        }
        ordered
    }

    fn unit_of(&self, declaration: Declaration) -> Unit {
        let runs = match &declaration.kind {
            DeclarationKind::Let(group) => !group.bindings.iter().all(|binding| self.is_function(binding)),
            _ => true,
        };
        Unit { declaration, needs: Vec::new(), needs_itself: false, runs }
    }

    /// Whether a binding is that of a function, which has no place to run in; one with attributes keeps its place.
    fn is_function(&self, binding: &Binding) -> bool {
        let has_parameters =
            matches!(&binding.head, BindingHead::Function { parameters, .. } if !parameters.is_empty());
        let is_lambda = matches!(self.ast.exprs[binding.body].kind, ExprKind::Lambda { .. } | ExprKind::Function(_));
        binding.attributes.is_empty() && (has_parameters || is_lambda)
    }

    fn refuse_inner_module(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(codes::NOT_SUPPORTED_YET, span, "a recursive module cannot hold modules")
                .label("this module stands in a `rec`")
                .help("leave out `rec`, and put modules behind those that they use"),
        );
    }

    /// Finds what each unit needs.
    fn connect(&self, units: &mut [Unit]) {
        let places: Vec<Span> = units.iter().map(|unit| unit.declaration.span).collect();
        let unit_at = |span: Span| {
            let index = places.partition_point(|place| place.end < span.end);
            places.get(index).filter(|place| place.start <= span.start).map(|_| index)
        };
        let mut binders: HashMap<Symbol, usize> = HashMap::new();
        for (index, unit) in units.iter().enumerate() {
            self.bound_by(unit).into_iter().for_each(|name| {
                binders.insert(name, index);
            });
        }
        let mut mentions: HashSet<(usize, usize)> = HashSet::new();
        for expr in self.ast.exprs.values() {
            let name = match &expr.kind {
                ExprKind::Name(path) => path.segments[0].symbol,
                ExprKind::Operator(name) => name.symbol,
                ExprKind::Binary { operator, .. } | ExprKind::Prefix { operator, .. } => operator.symbol,
                _ => continue,
            };
            if let (Some(&bound), Some(user)) = (binders.get(&name), unit_at(expr.span)) {
                mentions.insert((user, bound));
            }
        }
        let mut mentions: Vec<(usize, usize)> = mentions.into_iter().collect();
        mentions.sort_unstable();
        for (user, bound) in mentions {
            if user == bound {
                units[user].needs_itself = true;
            } else {
                units[user].needs.push(bound);
            }
        }
        let running: Vec<usize> = (0..units.len()).filter(|&index| units[index].runs).collect();
        for pair in running.windows(2) {
            units[pair[1]].needs.push(pair[0]);
        }
    }

    fn bound_by(&self, unit: &Unit) -> Vec<Symbol> {
        let DeclarationKind::Let(group) = &unit.declaration.kind else { return Vec::new() };
        let mut names = Vec::new();
        for binding in &group.bindings {
            match &binding.head {
                BindingHead::Function { name, .. } => names.push(name.symbol),
                BindingHead::Pattern(pattern) => {
                    let whole = self.pattern_span(*pattern);
                    names.extend(self.ast.patterns.values().filter_map(|pattern| {
                        let inside = whole.start <= pattern.span.start && pattern.span.end <= whole.end;
                        match &pattern.kind {
                            PatternKind::Name(name) | PatternKind::As { name, .. } if inside => Some(name.symbol),
                            _ => None,
                        }
                    }));
                }
            }
        }
        names
    }

    /// Units that need each other, as one declaration.
    fn recursive_group(&mut self, units: Vec<Unit>) -> Vec<Declaration> {
        let needs_itself = units.len() > 1 || units.iter().any(|unit| unit.needs_itself);
        if !needs_itself {
            return units.into_iter().map(|unit| unit.declaration).collect();
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

    /// Reports values and effects that need themselves; their names stay known.
    fn needed_too_early(&mut self, values: Vec<Unit>) -> Vec<Declaration> {
        if let Some(value) = values.first() {
            self.diagnostics.push(
                Diagnostic::error(
                    codes::RECURSIVE_VALUE,
                    value.declaration.span,
                    "this is needed before it is computed",
                )
                .label("it needs what needs it, or what is computed behind it")
                .help("put it behind what it needs, or make it a function"),
            );
        }
        let mut declarations: Vec<Declaration> = values.into_iter().map(|unit| unit.declaration).collect();
        for declaration in &mut declarations {
            match &mut declaration.kind {
                DeclarationKind::Let(group) => {
                    for binding in &mut group.bindings {
                        binding.body = self.error_expr(binding.span);
                    }
                }
                _ => declaration.kind = DeclarationKind::Error,
            }
        }
        declarations
    }
}

/// All types as one group.
fn one_group(types: Vec<(Vec<TypeDeclaration>, Span)>) -> Option<Declaration> {
    let span = types.first()?.1;
    let types = types.into_iter().flat_map(|(group, _)| group).collect();
    Some(Declaration { kind: DeclarationKind::Types(types), span })
}

/// Units that need each other, each set behind those that it needs; otherwise in the order of the source.
fn groups(units: &[Unit]) -> Vec<Vec<usize>> {
    let mut search = Search {
        units,
        found: vec![None; units.len()],
        lowest: vec![0; units.len()],
        open: Vec::new(),
        is_open: vec![false; units.len()],
        count: 0,
        groups: Vec::new(),
    };
    for unit in 0..units.len() {
        if search.found[unit].is_none() {
            search.visit(unit);
        }
    }
    search.groups
}

/// The state of the search for groups. It keeps a stack of its own, since a file may hold any number of units.
struct Search<'u> {
    units: &'u [Unit],
    /// When each unit was found.
    found: Vec<Option<usize>>,
    /// The earliest open unit that is reached from each.
    lowest: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    count: usize,
    groups: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((unit, next)) = path.last_mut() {
            let unit = *unit;
            let Some(&needed) = self.units[unit].needs.get(*next) else {
                path.pop();
                self.leave(unit);
                if let Some((outer, _)) = path.last() {
                    self.lowest[*outer] = self.lowest[*outer].min(self.lowest[unit]);
                }
                continue;
            };
            *next += 1;
            match self.found[needed] {
                None => {
                    self.enter(needed);
                    path.push((needed, 0));
                }
                Some(found) if self.is_open[needed] => self.lowest[unit] = self.lowest[unit].min(found),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, unit: usize) {
        self.found[unit] = Some(self.count);
        self.lowest[unit] = self.count;
        self.count += 1;
        self.open.push(unit);
        self.is_open[unit] = true;
    }

    /// Takes the group of a unit off the stack if it is the first found of it.
    fn leave(&mut self, unit: usize) {
        if self.found[unit] != Some(self.lowest[unit]) {
            return;
        }
        let start = self.open.iter().rposition(|&open| open == unit).unwrap_or(0);
        let mut group = self.open.split_off(start);
        group.iter().for_each(|&unit| self.is_open[unit] = false);
        group.sort_unstable();
        self.groups.push(group);
    }
}
