//! Named fields of union cases: `Circle (radius = 2.0)` as an expression and as a pattern.
//!
//! An unnamed field is called `Item`, or `Item1`, `Item2`, … if there are several.

use crate::{checker::Checker, expressions::records::FieldValue, patterns::pattern::Bound, state::Expect};
use clef_base::suggest::nearest_names;
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind};
use clef_scopes::Entity;
use clef_syntax::ast::{ExprId, ExprKind, Name, PatternId};
use clef_types::CaseId;

/// A value for a field: by name or by position.
struct FieldArgument {
    name: Option<Name>,
    value: ExprId,
}

impl Checker<'_> {
    fn field_names_of(&self, case: CaseId) -> Vec<Symbol> {
        let fields = &self.graph.psg.cases[case].fields;
        let unnamed = |index: usize| match fields.len() {
            1 => Symbol::new("Item"),
            _ => Symbol::new(&format!("Item{}", index + 1)),
        };
        fields.iter().enumerate().map(|(index, (name, _))| name.unwrap_or_else(|| unnamed(index))).collect()
    }

    /// A case applied to named fields; `None` if no argument is named.
    pub(crate) fn case_with_fields(&mut self, function: NodeId, argument: ExprId, span: Span) -> Option<NodeId> {
        let NodeKind::Case { case, .. } = self.graph.psg.nodes[function].kind else { return None };
        let names = self.field_names_of(case);
        let given = self.field_arguments(case, &names, argument);
        given.iter().any(|given| given.name.is_some()).then(|| self.construct_case(case, names, &given, span))
    }

    /// The parts of the argument of a case. `name = value` names a field if the case has one of that name, or if a comparison
    /// is not possible there.
    fn field_arguments(&mut self, case: CaseId, names: &[Symbol], argument: ExprId) -> Vec<FieldArgument> {
        let ast = self.input.ast;
        let kind = &ast.exprs[argument].kind;
        let parts =
            if let (ExprKind::Tuple(parts), true) = (kind, names.len() != 1) { parts.clone() } else { vec![argument] };
        let types = self.declared.case_fields.get(&case).cloned().unwrap_or_default();
        let mut after_named = false;
        let mut given = Vec::with_capacity(parts.len());
        for (index, part) in parts.into_iter().enumerate() {
            let compared = types.get(index).map(|ty| self.inference.shallow(ty));
            let may_compare =
                matches!(compared, Some(Ty::Constructor(TypeConstructor::Bool | TypeConstructor::Parameter(_), _)));
            let named =
                self.named_value(part).filter(|(name, _)| names.contains(&name.symbol) || after_named || !may_compare);
            after_named |= named.is_some();
            given.push(match named {
                Some((name, value)) => FieldArgument { name: Some(name), value },
                None => FieldArgument { name: None, value: part },
            });
        }
        given
    }

    /// `name = value`.
    fn named_value(&self, part: ExprId) -> Option<(Name, ExprId)> {
        let ExprKind::Binary { operator, left, right } = &self.input.ast.exprs[part].kind else { return None };
        let ExprKind::Name(path) = &self.input.ast.exprs[*left].kind else { return None };
        match path.segments.as_slice() {
            [name] if operator.symbol.as_str() == "=" => Some((*name, *right)),
            _ => None,
        }
    }

    fn construct_case(&mut self, case: CaseId, names: Vec<Symbol>, given: &[FieldArgument], span: Span) -> NodeId {
        let made = self.case_instance(case, names);
        let mut places: Vec<usize> = Vec::with_capacity(given.len());
        for (index, one) in given.iter().enumerate() {
            let place = match one.name {
                Some(name) => self.field_place(case, &made.names, name),
                None => self.positional_place(case, index, given, made.names.len()),
            };
            let Some(place) = place else { return self.graph.error_node(span) };
            if places.contains(&place) {
                let message = format!("duplicate field `{}`", made.names[place]);
                let at = one.name.map_or(self.input.ast.exprs[one.value].span, |name| name.span);
                self.report(Diagnostic::error(codes::BOUND_TWICE, at, message));
                return self.graph.error_node(span);
            }
            places.push(place);
        }
        let missing: Vec<String> = (made.names.iter().enumerate())
            .filter(|(place, _)| !places.contains(place))
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        if !missing.is_empty() {
            let name = self.graph.psg.cases[case].name;
            let message = format!("missing fields of `{name}`: {}", missing.join(", "));
            let declared = self.graph.psg.cases[case].span;
            self.report(Diagnostic::error(codes::MISSING_FIELD, span, message).also(declared, "declared here"));
            return self.graph.error_node(span);
        }
        let values = given.iter().zip(&places);
        let values = values.map(|(given, &place)| (made.names[place], FieldValue::Expr(given.value))).collect();
        self.construct(&made, values, &places, Vec::new(), span)
    }

    /// The position of an unnamed value, which must precede all named ones.
    fn positional_place(&mut self, case: CaseId, index: usize, given: &[FieldArgument], count: usize) -> Option<usize> {
        let at = self.input.ast.exprs[given[index].value].span;
        let name = self.graph.psg.cases[case].name;
        if given[..index].iter().any(|given| given.name.is_some()) {
            let message = "positional field after a named field";
            self.report(
                Diagnostic::error(codes::WRONG_FIELD_COUNT, at, message)
                    .help("name it, or move it before the named fields"),
            );
            return None;
        }
        if index >= count {
            let message = format!("the case `{name}` has {count} fields, but more are given");
            self.report(Diagnostic::error(codes::WRONG_FIELD_COUNT, at, message));
            return None;
        }
        Some(index)
    }

    fn field_place(&mut self, case: CaseId, names: &[Symbol], name: Name) -> Option<usize> {
        let place = names.iter().position(|field| *field == name.symbol);
        if let Some(place) = place {
            self.recording.used(name.span, Entity::Field(case, place));
        }
        if place.is_none() {
            let described = &self.graph.psg.cases[case];
            let message = format!("the case `{}` has no field `{}`", described.name, name.symbol);
            let diagnostic =
                Diagnostic::error(codes::UNKNOWN_FIELD, name.span, message).also(described.span, "declared here");
            let near = nearest_names(name.symbol.as_str(), names.iter().map(|name| name.as_str())).into_iter().next();
            let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            self.report(match near {
                Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), name.span, near),
                None if names.is_empty() => diagnostic.note("it has no fields"),
                None => diagnostic.note(format!("its fields are {}", listed.join(", "))),
            });
        }
        place
    }

    /// `Case (name = pattern; …)`: fields that are not named match everything.
    pub(crate) fn named_field_patterns(
        &mut self,
        case: CaseId,
        types: &[Ty],
        fields: &[(Name, PatternId)],
        bound: &mut Bound,
        span: Span,
    ) -> Vec<clef_psg::PatternId> {
        let names = self.field_names_of(case);
        let mut patterns: Vec<Option<clef_psg::PatternId>> = vec![None; types.len()];
        for (name, pattern) in fields {
            match self.field_place(case, &names, *name) {
                Some(place) => {
                    if patterns[place].is_some() {
                        let message = format!("the field `{}` is matched twice", name.symbol);
                        self.report(Diagnostic::error(codes::BOUND_TWICE, name.span, message));
                    }
                    patterns[place] =
                        Some(self.match_pattern(*pattern, &Expect::anything(types[place].clone()), bound));
                }
                None => {
                    self.match_pattern(*pattern, &Expect::anything(Ty::error()), bound);
                }
            }
        }
        (patterns.into_iter().zip(types))
            .map(|(pattern, ty)| match pattern {
                Some(pattern) => pattern,
                None => self.graph.pattern(clef_psg::PatternKind::Wildcard, ty.clone(), span),
            })
            .collect()
    }
}
