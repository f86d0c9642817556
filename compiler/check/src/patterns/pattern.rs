//! Patterns: their types, and the variables they bind.

use crate::{
    checker::Checker,
    state::{Expect, Reason},
};
use clef_base::suggest::nearest_names;
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::Ty;
use clef_psg::{Mutability, Scope, VariableId};
use clef_scopes::{Entity, Meaning, Member, PatternMeaning, Place};
use clef_syntax::ast::{CollectionKind, Literal, Name, Path, PatternId, PatternKind, TypeExprId};
use clef_types::CaseId;

/// The variables that a pattern binds, in order.
pub(crate) struct Bound {
    scope: Scope,
    mutability: Mutability,
    variables: Vec<(Symbol, VariableId, Span)>,
    /// The pattern belongs to an arm, where a capitalised name denotes a case.
    arm: bool,
    /// The names of the first alternative, while the second is checked: it binds the same variables.
    first: Option<Vec<(Symbol, VariableId, Span)>>,
}

impl Bound {
    pub(crate) fn new(scope: Scope, mutability: Mutability) -> Bound {
        Bound { scope, mutability, variables: Vec::new(), arm: false, first: None }
    }

    /// For the pattern of an arm.
    pub(crate) fn of_arm() -> Bound {
        Bound { arm: true, ..Bound::new(Scope::Local, Mutability::Immutable) }
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = VariableId> {
        self.variables.iter().map(|(_, variable, _)| *variable)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = (Symbol, VariableId)> {
        self.variables.iter().map(|(name, variable, _)| (*name, *variable))
    }
}

impl Checker<'_> {
    /// Declares the names that a pattern binds.
    pub(crate) fn declare_bound(&mut self, bound: &Bound) {
        for (name, variable) in bound.names() {
            self.names.add_local(name, Meaning::Variable(variable));
        }
    }

    /// Checks a pattern against the type of the scrutinee.
    pub(crate) fn match_pattern(&mut self, id: PatternId, expect: &Expect, bound: &mut Bound) -> clef_psg::PatternId {
        let ast = self.input.ast;
        let span = ast.patterns[id].span;
        match &ast.patterns[id].kind {
            PatternKind::Error => self.error_pattern(span),
            PatternKind::Unsupported(construct) => {
                self.report_unsupported_construct(*construct, span);
                self.error_pattern(span)
            }
            PatternKind::Wildcard => self.graph.pattern(clef_psg::PatternKind::Wildcard, expect.ty.clone(), span),
            PatternKind::Name(name) => self.name_pattern(*name, expect, bound),
            PatternKind::Literal { literal, negative, measure } => {
                self.literal_pattern(literal, (*negative, *measure), expect, span)
            }
            PatternKind::Case { path, argument } => self.case_path(path, *argument, expect, bound, span),
            PatternKind::Tuple(parts) | PatternKind::StructTuple(parts) => {
                self.tuple_pattern(parts, expect, bound, span)
            }
            PatternKind::As { pattern, name } => {
                let inner = self.match_pattern(*pattern, expect, bound);
                let variable = self.bind(*name, expect.ty.clone(), bound);
                self.graph.pattern(clef_psg::PatternKind::As(inner, variable), expect.ty.clone(), span)
            }
            PatternKind::Or(one, other) => self.or_pattern(*one, *other, expect, bound, span),
            PatternKind::And(one, other) => {
                let one = self.match_pattern(*one, expect, bound);
                let other = self.match_pattern(*other, expect, bound);
                self.graph.pattern(clef_psg::PatternKind::And(one, other), expect.ty.clone(), span)
            }
            PatternKind::Annotated { pattern, annotation } => {
                let ty = self.type_expr(*annotation);
                self.expect(ast.types[*annotation].span, expect, &ty);
                self.match_pattern(*pattern, &Expect { ty, reason: expect.reason.clone() }, bound)
            }
            PatternKind::Record(fields) => self.record_pattern(fields, expect, bound, span),
            // The case was reported.
            PatternKind::Fields(fields) => {
                let patterns: Vec<PatternId> = fields.iter().map(|(_, pattern)| *pattern).collect();
                self.error_pattern_of(&patterns, bound, span)
            }
            PatternKind::Collection { kind: CollectionKind::List, elements } => {
                self.list_pattern(elements, expect, bound, span)
            }
            PatternKind::Collection { kind: CollectionKind::Array | CollectionKind::Sequence, elements } => {
                self.array_pattern(elements, expect, bound, span)
            }
            PatternKind::Cons { head, tail } => self.cons_pattern(*head, *tail, expect, bound, span),
        }
    }

    /// A placeholder for an erroneous pattern whose subpatterns still declare their names.
    pub(crate) fn error_pattern_of(
        &mut self,
        parts: &[PatternId],
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        for part in parts {
            self.match_pattern(*part, &Expect::anything(Ty::error()), bound);
        }
        self.error_pattern(span)
    }

    /// A placeholder for an erroneous pattern.
    pub(crate) fn error_pattern(&mut self, span: Span) -> clef_psg::PatternId {
        self.graph.pattern(clef_psg::PatternKind::Wildcard, Ty::error(), span)
    }

    fn name_pattern(&mut self, name: Name, expect: &Expect, bound: &mut Bound) -> clef_psg::PatternId {
        if self.recording.watches(name.symbol) {
            self.recording.found(Place::Pattern(Vec::new()), &self.names);
        }
        if let Some(entry) = self.names.patterns.get(name.symbol).cloned() {
            self.recording.pattern_used(name.span, &entry.meaning);
            return match entry.meaning {
                PatternMeaning::Case(case) => {
                    let pattern = self.case_pattern(case, None, expect, bound, name.span);
                    self.qualify_others(pattern, &[], Some(case));
                    pattern
                }
                PatternMeaning::Constant(variable) => self.constant_pattern(variable, expect, name.span),
                PatternMeaning::EnumValue(id, index) => self.enum_pattern(id, index, expect, name.span),
            };
        }
        if bound.arm && name.symbol.as_str().starts_with(char::is_uppercase) {
            self.warn_capital(name);
        }
        let variable = self.bind(name, expect.ty.clone(), bound);
        self.graph.pattern(clef_psg::PatternKind::Variable(variable), expect.ty.clone(), name.span)
    }

    /// Warns about a capitalised variable: a misspelt case would match everything.
    fn warn_capital(&mut self, name: Name) {
        let symbol = name.symbol;
        let message = format!("there is no case `{symbol}`; this is a variable that matches everything");
        let diagnostic = Diagnostic::warning(codes::CAPITAL_VARIABLE, name.span, message);
        if let Some(value) = self.value_of_enum(symbol) {
            self.report(diagnostic.fix("qualify the value with the name of the enum", name.span, value));
            return;
        }
        let cases: Vec<&str> = self.names.patterns.names().map(|(name, _)| name.as_str()).collect();
        self.report(match nearest_names(symbol.as_str(), cases.into_iter()).first() {
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), name.span, near.clone()),
            None => diagnostic.help("start the names of variables with a lowercase letter"),
        });
    }

    /// A variable of a pattern; in a second alternative, the variable of the first.
    fn bind(&mut self, name: Name, ty: Ty, bound: &mut Bound) -> VariableId {
        if let Some((_, _, first)) = bound.variables.iter().find(|(other, ..)| *other == name.symbol) {
            let message = format!("`{}` is bound twice in this pattern", name.symbol);
            let diagnostic = Diagnostic::error(codes::BOUND_TWICE, name.span, message).also(*first, "first bound here");
            self.report(diagnostic);
        }
        let before = bound.first.as_ref().and_then(|names| names.iter().find(|(other, ..)| *other == name.symbol));
        let variable = match before.copied() {
            Some((_, variable, place)) => {
                self.recording.used(name.span, Entity::Variable(variable));
                let wanted = self.graph.facts(variable).ty.clone();
                self.expect(name.span, &Expect { ty: wanted, reason: Reason::Alternative(place) }, &ty);
                variable
            }
            None => self.new_variable(name.symbol, ty, bound.mutability, bound.scope, name.span),
        };
        bound.variables.push((name.symbol, variable, name.span));
        variable
    }

    fn literal_pattern(
        &mut self,
        literal: &Literal,
        (negative, measure): (bool, Option<TypeExprId>),
        expect: &Expect,
        span: Span,
    ) -> clef_psg::PatternId {
        if let Literal::Bytes(bytes) = literal {
            return self.byte_string_pattern(bytes, expect, span);
        }
        let constant = match measure {
            Some(measure) => self.measured_constant(literal, negative, measure, span),
            None => self.constant_towards(literal, negative, span, &expect.ty),
        };
        let Some((constant, ty)) = constant else { return self.error_pattern(span) };
        self.expect(span, expect, &ty);
        self.graph.pattern(clef_psg::PatternKind::Literal(constant), ty, span)
    }

    fn constant_pattern(&mut self, variable: VariableId, expect: &Expect, span: Span) -> clef_psg::PatternId {
        let Some((constant, ty)) = self.declared.constants.get(&variable).cloned() else {
            return self.error_pattern(span);
        };
        self.graph.facts(variable).used = true;
        self.expect(span, expect, &ty);
        self.graph.pattern(clef_psg::PatternKind::Literal(constant), ty, span)
    }

    /// `Case`, `Type.Case`, `Module.Case`, `Module.Constant`, with or without argument.
    fn case_path(
        &mut self,
        path: &Path,
        argument: Option<PatternId>,
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        if let (Some(argument), true) = (argument, self.is_word_name_of(path)) {
            return self.name_of_pattern(argument, expect, span);
        }
        self.watch_path(path, Place::Pattern);
        let found = self.find_pattern(path);
        if let (Some(meaning), Some((last, qualifier))) = (&found, path.segments.split_last()) {
            self.record_qualifier(qualifier);
            self.recording.pattern_used(last.span, meaning);
        }
        let qualifier = &path.segments[..path.segments.len() - 1];
        match found {
            Some(PatternMeaning::Case(case)) => {
                let pattern = self.case_pattern(case, argument, expect, bound, span);
                self.qualify_others(pattern, qualifier, Some(case));
                pattern
            }
            Some(PatternMeaning::Constant(variable)) if argument.is_none() => {
                self.constant_pattern(variable, expect, span)
            }
            Some(PatternMeaning::EnumValue(id, index)) if argument.is_none() => {
                let pattern = self.enum_pattern(id, index, expect, span);
                self.qualify_others(pattern, qualifier, None);
                pattern
            }
            Some(PatternMeaning::Constant(_) | PatternMeaning::EnumValue(..)) => {
                self.report_constant_argument(path, argument, bound);
                self.error_pattern(span)
            }
            None => {
                self.report_unknown_case(path);
                if let Some(argument) = argument {
                    self.match_pattern(argument, &Expect::anything(Ty::error()), bound);
                }
                self.error_pattern(span)
            }
        }
    }

    /// Reports the argument of a constant.
    fn report_constant_argument(&mut self, path: &Path, argument: Option<PatternId>, bound: &mut Bound) {
        let name = path.segments[path.segments.len() - 1].symbol;
        let Some(argument) = argument else { return };
        let span = self.input.ast.patterns[argument].span;
        self.match_pattern(argument, &Expect::anything(Ty::error()), bound);
        let message = format!("`{name}` is a constant and has no fields");
        self.report(Diagnostic::error(codes::WRONG_FIELD_COUNT, span, message).help(format!("write `{name}`")));
    }

    fn find_pattern(&mut self, path: &Path) -> Option<PatternMeaning> {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let (&name, qualifier) = symbols.split_last()?;
        if qualifier.is_empty() {
            return self.names.patterns.get(name).map(|entry| entry.meaning);
        }
        let modules = self.names.find_modules(qualifier);
        let found = modules.iter().find_map(|&module| self.names.modules[module].patterns.get(&name)).cloned();
        if let Some(entry) = found {
            self.check_visible(name, &entry, path.span());
            return Some(entry.meaning);
        }
        let (entry, member) = self.find_member_of_type(qualifier, name)?;
        self.check_visible(name, &entry, path.span());
        Some(match member {
            Member::Case(case) => PatternMeaning::Case(case),
            Member::EnumValue(id, index) => PatternMeaning::EnumValue(id, index),
        })
    }

    fn case_pattern(
        &mut self,
        case: CaseId,
        argument: Option<PatternId>,
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        let (fields, owner, _) = self.instantiate_case(case);
        self.expect(span, expect, &owner);
        let fields = self.field_patterns(case, &fields, argument, bound, span);
        self.graph.pattern(clef_psg::PatternKind::Case { case, fields }, owner, span)
    }

    /// The argument of a case as one pattern per field.
    fn field_patterns(
        &mut self,
        case: CaseId,
        fields: &[Ty],
        argument: Option<PatternId>,
        bound: &mut Bound,
        span: Span,
    ) -> Vec<clef_psg::PatternId> {
        let ast = self.input.ast;
        let Some(argument) = argument else {
            if !fields.is_empty() {
                self.report_field_count(case, 0, span);
            }
            return self.wildcards(fields, span);
        };
        let kind = &ast.patterns[argument].kind;
        if let PatternKind::Fields(named) = kind {
            return self.named_field_patterns(case, fields, named, bound, span);
        }
        if let (PatternKind::Wildcard, 2..) = (kind, fields.len()) {
            return self.wildcards(fields, span);
        }
        let parts = match (kind, fields.len()) {
            (_, 1) => vec![argument],
            (PatternKind::Tuple(parts), _) => parts.clone(),
            _ => vec![argument],
        };
        if parts.len() != fields.len() {
            self.report_field_count(case, parts.len(), span);
            for part in parts {
                self.match_pattern(part, &Expect::anything(Ty::error()), bound);
            }
            return self.wildcards(fields, span);
        }
        let expect = |ty: &Ty| Expect { ty: ty.clone(), reason: Reason::Nothing };
        parts.iter().zip(fields).map(|(part, ty)| self.match_pattern(*part, &expect(ty), bound)).collect()
    }

    fn wildcards(&mut self, types: &[Ty], span: Span) -> Vec<clef_psg::PatternId> {
        types.iter().map(|ty| self.graph.pattern(clef_psg::PatternKind::Wildcard, ty.clone(), span)).collect()
    }

    fn report_field_count(&mut self, case: CaseId, given: usize, span: Span) {
        let described = &self.graph.psg.cases[case];
        let (name, place, count) = (described.name, described.span, described.fields.len());
        let has = match count {
            0 => "no field".into(),
            1 => "one field".into(),
            count => format!("{count} fields"),
        };
        let matched = match given {
            0 => "none is".into(),
            1 => "one is".into(),
            given => format!("{given} are"),
        };
        let diagnostic = Diagnostic::error(
            codes::WRONG_FIELD_COUNT,
            span,
            format!("the case `{name}` has {has}, but {matched} matched here"),
        );
        let blanks = vec!["_"; count].join(", ");
        let written = match count {
            0 => format!("{name}"),
            1 => format!("{name} _"),
            _ => format!("{name} ({blanks})"),
        };
        self.report(diagnostic.also(place, "declared here").help(format!("write `{written}`")));
    }

    fn tuple_pattern(
        &mut self,
        parts: &[PatternId],
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        let types: Vec<Ty> = parts.iter().map(|_| self.inference.fresh()).collect();
        let ty = Ty::tuple(types.clone());
        let errors = self.reports.diagnostics.len();
        self.expect(span, expect, &ty);
        let reported = self.reports.diagnostics.len() > errors;
        let patterns = parts
            .iter()
            .zip(&types)
            .map(|(part, ty)| {
                let ty = if reported { Ty::error() } else { ty.clone() };
                self.match_pattern(*part, &Expect { ty, reason: expect.reason.clone() }, bound)
            })
            .collect();
        self.graph.pattern(clef_psg::PatternKind::Tuple(patterns), ty, span)
    }

    fn or_pattern(
        &mut self,
        one: PatternId,
        other: PatternId,
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        let before = bound.variables.len();
        let left = self.match_pattern(one, expect, bound);
        let first: Vec<_> = bound.variables.drain(before..).collect();
        let outer = bound.first.replace(first.iter().chain(bound.first.iter().flatten()).copied().collect());
        let right = self.match_pattern(other, expect, bound);
        bound.first = outer;
        let second: Vec<_> = bound.variables.drain(before..).collect();
        let lacks =
            |names: &[(Symbol, VariableId, Span)], name: Symbol| !names.iter().any(|(other, ..)| *other == name);
        let odd = (first.iter().find(|(name, ..)| lacks(&second, *name)))
            .or_else(|| second.iter().find(|(name, ..)| lacks(&first, *name)));
        if let Some((name, _, place)) = odd {
            let message = format!("`{name}` is not bound in all alternatives");
            let diagnostic = Diagnostic::error(codes::ALTERNATIVES_DIFFER, *place, message)
                .also(span, "the alternatives of a pattern must bind the same names");
            self.report(diagnostic);
        }
        bound.variables.extend(first);
        self.graph.pattern(clef_psg::PatternKind::Or(left, right), expect.ty.clone(), span)
    }
}
