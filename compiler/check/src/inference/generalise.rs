//! Generalisation: type variables of a finished binding become type parameters.

use crate::checker::Checker;
use clef_base::{Diagnostic, HashMap, HashSet, Severity, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, TypeConstructor, TypeVariable, letter};
use clef_psg::VariableId;
use clef_scopes::{NamedType, NamedTypes};
use clef_syntax::ast;
use clef_types::{TypeParameter, TypeParameterId};

impl Checker<'_> {
    /// Generalises the variables of one group; all members get the same type parameters. A type variable with an arithmetic
    /// constraint is not generalised, unless the group is `inline`, and takes the type of its first use. Type parameters that
    /// the source declares come first, in their order.
    pub(crate) fn generalise_group(
        &mut self,
        variables: &[VariableId],
        declared: &[ast::TypeVariable],
        named: &NamedTypes,
        (inline, generic): (bool, bool),
    ) {
        self.settle_enum_conversions();
        let products = self.decide_products(inline && generic && declared.is_empty());
        let mut type_variables: Vec<TypeVariable> = Vec::new();
        for named in declared.iter().filter_map(|variable| named.get(&variable.name.symbol)) {
            self.inference.open_variables(&named.ty, &mut type_variables);
        }
        for &variable in variables {
            let ty = self.graph.facts(variable).ty.clone();
            self.inference.settle_collections(&ty, self.inference.level());
            self.inference.settle_weak(&ty, self.inference.level());
            self.inference.open_variables(&ty, &mut type_variables);
        }
        for product in &products {
            self.variables_of_product(product, &mut type_variables);
        }
        let level = self.inference.level();
        let mut open = Vec::new();
        for type_variable in type_variables {
            let (of, constraint, name) = self.inference.open(type_variable);
            if of <= level {
                continue;
            }
            if generic && (inline || !constraint.is_numeric()) {
                open.push((type_variable, constraint, name));
            } else {
                self.inference.lower_variable(type_variable, level);
            }
        }
        let generics = self.parameters_for(open);
        for &variable in variables {
            self.graph.psg.variables[variable].generics = generics.clone();
            self.graph.facts(variable).group_open = false;
            if !products.is_empty() {
                self.declared.products.insert(variable, products.clone());
            }
        }
        self.fill_group_uses(variables, &generics);
    }

    /// Binds type variables to new type parameters; a name is kept, the others get letters that are not in use.
    fn parameters_for(&mut self, open: Vec<(TypeVariable, TypeConstraint, Option<Symbol>)>) -> Vec<TypeParameterId> {
        let mut taken: HashSet<Symbol> = open.iter().filter_map(|(_, _, name)| *name).collect();
        let mut next = 0;
        let mut generics = Vec::with_capacity(open.len());
        for (type_variable, constraint, name) in open {
            let name = name.unwrap_or_else(|| {
                loop {
                    let name = Symbol::new(&letter(next));
                    next += 1;
                    if taken.insert(name) {
                        break name;
                    }
                }
            });
            let parameter =
                self.graph.psg.type_parameters.alloc(TypeParameter { name, constraint: constraint.in_psg() });
            self.inference.constrain_parameter(parameter, constraint);
            let bound = self.inference.unify(&Ty::Variable(type_variable), &Ty::parameter(parameter));
            if bound.is_err() {
                clef_base::internal::bug("check", None, "an unbound type variable can become a parameter");
            }
            generics.push(parameter);
        }
        generics
    }

    /// Instantiates the uses within a group at the group's own parameters.
    fn fill_group_uses(&mut self, variables: &[VariableId], generics: &[TypeParameterId]) {
        let types: Vec<Ty> = generics.iter().map(|&parameter| Ty::parameter(parameter)).collect();
        let uses = std::mem::take(&mut self.deferred.group_uses);
        for (node, variable) in uses {
            if !variables.contains(&variable) {
                self.deferred.group_uses.push((node, variable));
            } else if !types.is_empty() {
                self.graph.instantiations.push((node, types.clone()));
            }
        }
    }

    /// Reports explicit type parameters that the body unifies with each other, or with another type.
    pub(crate) fn check_declared_parameters(&mut self, declared: &[ast::TypeVariable], named: &NamedTypes) {
        let mut seen: HashMap<TypeParameterId, Symbol> = HashMap::default();
        for variable in declared {
            let Some(ty) = named.get(&variable.name.symbol).map(|named| named.ty.clone()) else { continue };
            let name = variable.name.symbol;
            match self.inference.shallow(&ty) {
                Ty::Constructor(TypeConstructor::Parameter(parameter), _) => {
                    if let Some(other) = seen.insert(parameter, name) {
                        let message = format!("`'{name}` and `'{other}` are the same type in this definition");
                        self.report(Diagnostic::error(codes::LESS_GENERIC, variable.name.span, message));
                    }
                }
                Ty::Constructor(TypeConstructor::Error, _) | Ty::Variable(_) => {}
                known @ Ty::Constructor(..) => {
                    let shown = self.show(&known);
                    let message = format!("`'{name}` must be generic, but this definition requires `{shown}`");
                    self.report(
                        Diagnostic::error(codes::LESS_GENERIC, variable.name.span, message)
                            .help(format!("use `{shown}` instead of `'{name}`")),
                    );
                }
            }
        }
    }

    /// Warns about type variables in annotations that are less generic than written.
    pub(crate) fn warn_less_generic(&mut self, declared: &[ast::TypeVariable], named: NamedTypes) {
        let mut flexible: Vec<(Symbol, NamedType)> = named.into_iter().collect();
        flexible.retain(|(name, _)| !declared.iter().any(|variable| variable.name.symbol == *name));
        flexible.sort_by_key(|(_, named)| named.span);
        for (name, NamedType { ty, span, .. }) in flexible {
            let Ty::Constructor(constructor, _) = self.inference.shallow(&ty) else { continue };
            if matches!(constructor, TypeConstructor::Parameter(_) | TypeConstructor::Error) {
                continue;
            }
            let shown = self.show(&ty);
            self.report(
                Diagnostic::warning(
                    codes::NARROWED_TYPE,
                    span,
                    format!("this definition constrains `'{name}` to `{shown}`"),
                )
                .help(format!("use `{shown}` instead of `'{name}`")),
            );
        }
    }

    /// Reports module-level values whose type is not determined.
    pub(crate) fn report_restricted(&mut self) {
        for variable in std::mem::take(&mut self.deferred.restricted) {
            let ty = self.graph.facts(variable).ty.clone();
            let mut type_variables = Vec::new();
            self.inference.open_variables(&ty, &mut type_variables);
            let undecided = type_variables.iter().any(|&type_variable| {
                let constraint = self.inference.open(type_variable).1;
                !constraint.is_numeric() && !constraint.contains(TypeConstraint::MEASURE)
            });
            if !undecided {
                continue;
            }
            let shown = self.show(&ty);
            let (name, span) = (self.graph.psg.variables[variable].name, self.graph.psg.variables[variable].span);
            if self.is_line_reported(span) {
                continue;
            }
            self.report(
                Diagnostic::error(
                    codes::VALUE_RESTRICTION,
                    span,
                    format!("cannot infer the type of `{name}`: `{shown}`"),
                )
                .note("only functions and constants can be generic; this value is computed once and has one type")
                .help("add a type annotation, or a parameter to make it a function"),
            );
        }
    }

    /// Whether another error was reported on the same line, which may have caused this one.
    fn is_line_reported(&self, place: Span) -> bool {
        let line = |span: Span| (span.file, self.input.sources.line_column(span).line);
        let places = self
            .reports
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error && found.code != codes::VALUE_RESTRICTION);
        let mut places = places.filter_map(|found| found.primary.as_ref());
        places.any(|label| line(label.span) == line(place))
    }

    /// Warns about unused local variables.
    pub(crate) fn report_unused(&mut self) {
        let unused = self.graph.variables().filter(|(_, facts)| !facts.used && facts.warn_unused);
        let unused: Vec<(Symbol, Span)> = unused.map(|(variable, _)| (variable.name, variable.span)).collect();
        for (name, span) in unused {
            self.report(Diagnostic::warning(codes::UNUSED_BINDING, span, format!("`{name}` is never used")).fix(
                "prefix it with an underscore",
                span,
                format!("_{name}"),
            ));
        }
    }
}
