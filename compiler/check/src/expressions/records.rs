//! Records: a record is a union of one case with named fields.

use crate::{
    checker::Checker,
    patterns::pattern::Bound,
    state::{Expect, Reason},
};
use clef_base::suggest::nearest_names;
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Binding, NodeId, NodeKind};
use clef_scopes::{Entity, Place, TypeMeaning};
use clef_syntax::ast::{ExprId, ExprKind, Name, Path, PatternId};
use clef_types::{CaseId, DeclaredKind, DeclaredTypeId};

/// A record, or a case with named fields, at particular type arguments.
pub(crate) struct RecordType {
    case: CaseId,
    pub(crate) names: Vec<Symbol>,
    fields: Vec<Ty>,
    ty: Ty,
    arguments: Vec<Ty>,
}

/// The value for a field of a record or case.
pub(crate) enum FieldValue {
    /// An expression.
    Expr(ExprId),
    /// A checked value.
    Node(NodeId),
}

/// The change of one field in a copy of a record.
enum Change {
    /// `field = value`.
    Value(ExprId),
    /// `field.inner = value; field.other = value`: copies the content of the field.
    Copy(Vec<(Path, ExprId)>),
}

impl Checker<'_> {
    /// The record type of a type that is known to be one.
    fn record_of(&mut self, ty: &Ty) -> Option<DeclaredTypeId> {
        match self.inference.shallow(ty) {
            Ty::Constructor(TypeConstructor::Declared(declared), _)
                if self.graph.psg.declared_types[declared].kind == DeclaredKind::Record =>
            {
                Some(declared)
            }
            Ty::Constructor(..) | Ty::Variable(_) => None,
        }
    }

    /// The latest record type that has a field of this name.
    pub(crate) fn record_with(&self, field: Symbol) -> Option<DeclaredTypeId> {
        self.names.fields.get(field).map(|entry| entry.meaning)
    }

    /// The latest record type in scope with exactly the fields of some names; if there is none, the latest that has them among
    /// others. A field may be qualified with its module or its type, which then applies to the others too.
    fn record_with_all(&mut self, fields: &[Path]) -> Option<DeclaredTypeId> {
        let qualified: Vec<&Path> = fields.iter().filter(|path| path.segments.len() > 1).collect();
        if !qualified.is_empty() {
            let mut candidates: Vec<DeclaredTypeId> = self.records_with_field(qualified[0]);
            for path in &qualified[1..] {
                let others = self.records_with_field(path);
                candidates.retain(|record| others.contains(record));
            }
            return self.fitting(candidates.iter().copied(), fields).or(candidates.first().copied());
        }
        // Candidates are the types with the rarest field, so that widely shared field names cost no time.
        let rarest = fields.iter().min_by_key(|path| self.names.fields.count(last(path).symbol))?;
        let candidates = self.names.fields.all(last(rarest).symbol).map(|entry| entry.meaning);
        self.fitting(candidates, fields)
    }

    /// The first candidate with exactly the named fields, or else the first that has them.
    fn fitting(&self, candidates: impl Iterator<Item = DeclaredTypeId>, fields: &[Path]) -> Option<DeclaredTypeId> {
        let has_all = |record: DeclaredTypeId| fields.iter().all(|path| self.has_field(record, last(path).symbol));
        let mut first = None;
        for record in candidates {
            let is_whole = self.field_count(record) == fields.len();
            if (is_whole || first.is_none()) && has_all(record) {
                if is_whole {
                    return Some(record);
                }
                first = Some(record);
            }
        }
        first
    }

    fn records_with_field(&mut self, path: &Path) -> Vec<DeclaredTypeId> {
        let Some((field, qualifier)) = path.segments.split_last() else { return Vec::new() };
        if qualifier.is_empty() {
            return self.names.fields.all(field.symbol).map(|entry| entry.meaning).collect();
        }
        let symbols: Vec<Symbol> = qualifier.iter().map(|segment| segment.symbol).collect();
        if let Some(entry) = self.type_meaning(&symbols)
            && let Some(declared) = self.record_meant(&entry.meaning)
        {
            self.check_visible(symbols[symbols.len() - 1], &entry, path.span());
            return if self.has_field(declared, field.symbol) { vec![declared] } else { Vec::new() };
        }
        let modules = self.names.find_modules(&symbols);
        let fields = modules.iter().flat_map(|&module| self.names.modules[module].fields.iter().rev());
        let seen = fields.filter(|(name, entry)| *name == field.symbol && self.names.is_visible(entry.visibility));
        seen.map(|(_, entry)| entry.meaning).collect()
    }

    /// The record type that a type name denotes.
    fn record_meant(&mut self, meaning: &TypeMeaning) -> Option<DeclaredTypeId> {
        match meaning {
            TypeMeaning::Declared(declared) => {
                (self.graph.psg.declared_types[*declared].kind == DeclaredKind::Record).then_some(*declared)
            }
            TypeMeaning::Abbreviation(_, ty) => self.record_of(ty),
            TypeMeaning::Simple(_)
            | TypeMeaning::Reference
            | TypeMeaning::Array
            | TypeMeaning::NativePointer
            | TypeMeaning::Measure(_) => None,
        }
    }

    fn has_field(&self, record: DeclaredTypeId, field: Symbol) -> bool {
        let case = self.graph.psg.declared_types[record].cases[0];
        self.graph.psg.cases[case].fields.iter().any(|(name, _)| *name == Some(field))
    }

    fn field_count(&self, record: DeclaredTypeId) -> usize {
        self.graph.psg.cases[self.graph.psg.declared_types[record].cases[0]].fields.len()
    }

    fn record_instance(&mut self, declared: DeclaredTypeId) -> RecordType {
        let case = self.graph.psg.declared_types[declared].cases[0];
        let names = self.graph.psg.cases[case].fields.iter().filter_map(|(name, _)| *name).collect();
        self.case_instance(case, names)
    }

    /// A case with named fields.
    pub(crate) fn case_instance(&mut self, case: CaseId, names: Vec<Symbol>) -> RecordType {
        let (fields, ty, arguments) = self.instantiate_case(case);
        RecordType { case, names, fields, ty, arguments }
    }

    /// `target.name`: `let { name = field } = target in field`; `None` if the target has no such field.
    pub(crate) fn record_field(&mut self, target: NodeId, name: Name, span: Span) -> Option<NodeId> {
        let ty = self.graph.type_of(target);
        let declared = match (self.record_of(&ty), self.inference.shallow(&ty)) {
            (Some(declared), _) => declared,
            (None, Ty::Variable(_)) => self.record_with(name.symbol)?,
            (None, Ty::Constructor(..)) => return None,
        };
        let record = self.record_instance(declared);
        let index = record.names.iter().position(|field| *field == name.symbol)?;
        self.recording.used(name.span, Entity::Field(record.case, index));
        self.check_representation(declared, name.span);
        self.expect(self.graph.span_of(target), &Expect::anything(record.ty.clone()), &ty);
        Some(self.project(target, &record, index, span))
    }

    fn project(&mut self, target: NodeId, record: &RecordType, index: usize, span: Span) -> NodeId {
        let ty = record.fields[index].clone();
        let variable = self.fresh_variable("field", ty.clone(), span);
        let fields = (record.fields.iter().enumerate())
            .map(|(at, field)| match at == index {
                true => self.graph.pattern(clef_psg::PatternKind::Variable(variable), field.clone(), span),
                false => self.graph.pattern(clef_psg::PatternKind::Wildcard, field.clone(), span),
            })
            .collect();
        let kind = clef_psg::PatternKind::Case { case: record.case, fields };
        let pattern = self.graph.pattern(kind, record.ty.clone(), span);
        let body = self.use_variable(variable, span);
        self.graph.node(NodeKind::Let { binding: Binding { pattern, value: target }, body }, ty, span)
    }

    /// The record, its case and the field index that a node built by [`Checker::project`] reads.
    pub(crate) fn projected(&self, node: NodeId) -> Option<(NodeId, CaseId, usize)> {
        let NodeKind::Let { binding, body } = &self.graph.psg.nodes[node].kind else { return None };
        let clef_psg::PatternKind::Case { case, fields } = &self.graph.psg.patterns[binding.pattern].kind else {
            return None;
        };
        let NodeKind::Variable { variable, .. } = self.graph.psg.nodes[*body].kind else { return None };
        let reads = |field: &clef_psg::PatternId| matches!(self.graph.psg.patterns[*field].kind, clef_psg::PatternKind::Variable(bound) if bound == variable);
        Some((binding.value, *case, fields.iter().position(reads)?))
    }

    /// Reports an invalid selection from a value.
    pub(crate) fn report_no_field(&mut self, ty: &Ty, name: Name, span: Span) -> NodeId {
        let field = name.symbol;
        if let Ty::Variable(_) = self.inference.shallow(ty) {
            self.report_unknown_target(name, span);
            return self.graph.error_node(span);
        }
        if self.record_of(ty).is_none() {
            self.report_no_member(ty, name);
            return self.graph.error_node(span);
        }
        let shown = self.show(ty);
        let message = format!("the type `{shown}` has no field `{field}`");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_FIELD, name.span, message);
        let diagnostic = match self.near_field(ty, field) {
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), name.span, near.clone()),
            None => self.list_fields(diagnostic, ty),
        };
        self.report(diagnostic);
        self.graph.error_node(span)
    }

    /// Reports a field or member of a value of unknown type.
    fn report_unknown_target(&mut self, name: Name, span: Span) {
        let field = name.symbol;
        let types = Checker::types_with_member(field);
        let target = self.input.sources.text(Span { end: name.span.start, ..span }).trim_end_matches('.').to_owned();
        let diagnostic = match types.as_slice() {
            [] => Diagnostic::error(codes::UNKNOWN_FIELD, name.span, format!("no type in scope has a field `{field}`")),
            types => {
                let listed: Vec<String> = types.iter().map(|ty| format!("`{ty}`")).collect();
                let message = format!("the type of the expression before `.{field}` is not known here");
                let diagnostic = Diagnostic::error(codes::UNKNOWN_FIELD, name.span, message);
                if types == [""] {
                    diagnostic
                } else {
                    diagnostic.note(format!("`{field}` is a member of {}", listed.join(", ")))
                }
            }
        };
        let diagnostic = match types.is_empty() {
            true => diagnostic.note("the type of the expression before the dot is not known here"),
            false => diagnostic.note("types are inferred from top to bottom and left to right"),
        };
        let plain = target.chars().all(|character| character.is_alphanumeric() || character == '_');
        let shown = if types.contains(&"string") { "string" } else { "T" };
        self.report(match plain && !target.is_empty() {
            true => diagnostic.help(format!("add a type annotation where it is bound: `({target}: {shown})`")),
            false => diagnostic.help("add a type annotation: `(x: T)`"),
        });
    }

    /// Lists the fields of a record that has few.
    fn list_fields(&mut self, diagnostic: Diagnostic, ty: &Ty) -> Diagnostic {
        let Some(declared) = self.record_of(ty) else { return diagnostic };
        let names: Vec<String> =
            self.record_instance(declared).names.iter().take(8).map(|name| format!("`{name}`")).collect();
        diagnostic.note(format!("its fields are {}", names.join(", ")))
    }

    fn near_field(&mut self, ty: &Ty, field: Symbol) -> Option<String> {
        let declared = self.record_of(ty)?;
        let record = self.record_instance(declared);
        nearest_names(field.as_str(), record.names.iter().map(|name| name.as_str())).into_iter().next()
    }

    /// The record type from the expected type, or from the field names: the latest in scope that has them all, preferably no
    /// others.
    fn record_named(&mut self, fields: &[Path], expected: &Ty, span: Span) -> Option<RecordType> {
        let one_by_one = |this: &Self| fields.iter().rev().find_map(|path| this.record_with(last(path).symbol));
        self.watch_field(fields, expected);
        let known = self.record_of(expected).or_else(|| self.record_with_all(fields)).or_else(|| one_by_one(self));
        match known {
            Some(declared) => {
                self.check_representation(declared, span);
                Some(self.record_instance(declared))
            }
            None => {
                self.report_no_record(fields, span);
                None
            }
        }
    }

    /// Keeps the record of the watched name, if that is one of the fields.
    fn watch_field(&mut self, fields: &[Path], expected: &Ty) {
        if fields.iter().any(|path| self.recording.watches(last(path).symbol)) {
            let others: Vec<Path> =
                fields.iter().filter(|path| !self.recording.watches(last(path).symbol)).cloned().collect();
            let record = self.record_of(expected).or_else(|| self.record_with_all(&others));
            self.recording.found(Place::Field(record), &self.names);
        }
    }

    fn report_no_record(&mut self, fields: &[Path], span: Span) {
        let name = fields.first().map_or(Symbol::new("_"), |path| last(path).symbol);
        let message = format!("no record type in scope has a field `{name}`");
        let place = fields.first().map_or(span, |path| last(path).span);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_FIELD, place, message);
        let elsewhere = self.names.modules.iter().find_map(|(_, module)| {
            let has =
                module.fields.iter().any(|(field, entry)| *field == name && self.names.is_visible(entry.visibility));
            // Programs do not make the records of the library.
            (has && !module.library && !module.path.is_empty()).then(|| module.path.clone())
        });
        if elsewhere.is_none() && self.reports.broken_types {
            return;
        }
        let mut known: Vec<&str> = self.names.fields.names().map(|(name, _)| name.as_str()).collect();
        known.sort_unstable();
        let near = nearest_names(name.as_str(), known.into_iter()).into_iter().next();
        self.report(match (elsewhere, near) {
            (Some(module), _) => diagnostic
                .help(format!("a type of the module `{module}` has it: open the module, or write `{module}.{name}`")),
            (None, Some(near)) => diagnostic.fix(format!("did you mean `{near}`?"), place, near),
            (None, None) if name.as_str() == "contents" => {
                diagnostic.help("a ref cell is no record: bind its content, `let content = cell.Value`")
            }
            (None, None) => diagnostic,
        });
    }

    /// The indices of named fields; unknown and repeated ones are reported.
    fn field_places(&mut self, record: &RecordType, fields: &[Name]) -> Option<Vec<usize>> {
        let mut places = Vec::with_capacity(fields.len());
        for field in fields {
            let Some(place) = record.names.iter().position(|name| *name == field.symbol) else {
                let ty = record.ty.clone();
                self.report_no_field(&ty, *field, field.span);
                return None;
            };
            if places.contains(&place) {
                let message = format!("duplicate field `{}`", field.symbol);
                self.report(Diagnostic::error(codes::BOUND_TWICE, field.span, message));
                return None;
            }
            self.recording.used(field.span, Entity::Field(record.case, place));
            places.push(place);
        }
        Some(places)
    }

    /// `{ x = 1; y = 2 }`: the values are evaluated in source order.
    pub(crate) fn record(&mut self, fields: &[(Path, ExprId)], span: Span, expect: &Expect) -> NodeId {
        let names = field_names(fields);
        let Some(record) = self.record_named(&paths(fields), &expect.ty, span) else {
            return self.graph.error_node(span);
        };
        self.expect(span, expect, &record.ty);
        let Some(places) = self.field_places(&record, &names) else { return self.graph.error_node(span) };
        let missing: Vec<String> = (record.names.iter().enumerate())
            .filter(|(place, _)| !places.contains(place))
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        if !missing.is_empty() {
            let shown = self.show(&record.ty);
            let message = format!("missing fields of `{shown}`: {}", missing.join(", "));
            let diagnostic = Diagnostic::error(codes::MISSING_FIELD, span, message);
            let diagnostic = self.propose_semicolons(diagnostic, fields);
            self.report(diagnostic);
            return self.graph.error_node(span);
        }
        self.construct(&record, field_values(fields), &places, Vec::new(), span)
    }

    /// `{ x = 1, y = 2 }` parses as one field whose value is a tuple with a comparison.
    fn propose_semicolons(&self, diagnostic: Diagnostic, fields: &[(Path, ExprId)]) -> Diagnostic {
        let ast = self.input.ast;
        let comma = fields.iter().find_map(|(_, value)| {
            let ExprKind::Tuple(parts) = &ast.exprs[*value].kind else { return None };
            let ExprKind::Binary { operator, .. } = &ast.exprs[parts[1]].kind else { return None };
            let (before, after) = (ast.exprs[parts[0]].span, ast.exprs[parts[1]].span);
            (operator.symbol.as_str() == "=").then_some(Span { start: before.end, end: after.start, ..before })
        });
        match comma {
            Some(comma) => diagnostic.fix("use semicolons to separate fields", comma, "; "),
            None => diagnostic,
        }
    }

    /// `{ r with x = 1 }`.
    pub(crate) fn record_update(
        &mut self,
        base: ExprId,
        fields: &[(Path, ExprId)],
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        let base = self.infer(base);
        self.copied(base, fields, span, expect)
    }

    /// A copy of a record with changes.
    fn copied(&mut self, base: NodeId, fields: &[(Path, ExprId)], span: Span, expect: &Expect) -> NodeId {
        let base_type = self.graph.type_of(base);
        let fields = self.changes(&base_type, fields);
        let names = field_names(&fields);
        let Some(record) = self.record_named(&paths(&fields), &base_type, span) else {
            return self.graph.error_node(span);
        };
        self.expect(self.graph.span_of(base), &Expect::anything(record.ty.clone()), &base_type);
        self.expect(span, expect, &record.ty);
        let Some(places) = self.field_places(&record, &names) else { return self.graph.error_node(span) };
        let (name, atom) = self.named(base);
        let mut kept = Vec::new();
        for index in 0..record.names.len() {
            if !places.contains(&index) {
                let target = self.again(atom);
                kept.push((index, self.project(target, &record, index, span)));
            }
        }
        let mut given = Vec::with_capacity(fields.len());
        for ((path, change), &place) in fields.into_iter().zip(&places) {
            let value = match change {
                Change::Value(value) => FieldValue::Expr(value),
                Change::Copy(within) => {
                    let target = self.again(atom);
                    let held = self.project(target, &record, place, span);
                    let wanted = Expect::anything(record.fields[place].clone());
                    FieldValue::Node(self.copied(held, &within, span, &wanted))
                }
            };
            given.push((last(&path).symbol, value));
        }
        let node = self.construct(&record, given, &places, kept, span);
        self.under(name, node)
    }

    /// The changes in a copy. `outer.inner = value` changes the field `inner` of the content of `outer`, unless `outer` is the
    /// module or the type of a field `inner`.
    fn changes(&mut self, base: &Ty, fields: &[(Path, ExprId)]) -> Vec<(Path, Change)> {
        let declared = self.record_of(base);
        let mut changes: Vec<(Path, Change)> = Vec::with_capacity(fields.len());
        for (path, value) in fields {
            let within = declared.filter(|&declared| {
                path.segments.len() > 1
                    && self.has_field(declared, path.segments[0].symbol)
                    && !self.records_with_field(path).contains(&declared)
            });
            if within.is_none() {
                changes.push((path.clone(), Change::Value(*value)));
                continue;
            }
            let outer = path.segments[0];
            let inner = Path { segments: path.segments[1..].to_vec() };
            let same = changes.iter_mut().find_map(|(before, change)| match change {
                Change::Copy(within) if last(before).symbol == outer.symbol => Some(within),
                Change::Copy(_) | Change::Value(_) => None,
            });
            match same {
                Some(within) => within.push((inner, *value)),
                None => {
                    changes.push((Path { segments: vec![outer] }, Change::Copy(vec![(inner, *value)])));
                }
            }
        }
        changes
    }

    /// The construction: the values in source order, then the copied fields.
    pub(crate) fn construct(
        &mut self,
        record: &RecordType,
        fields: Vec<(Symbol, FieldValue)>,
        places: &[usize],
        kept: Vec<(usize, NodeId)>,
        span: Span,
    ) -> NodeId {
        // The new values may overwrite only mutable fields of the original.
        let mutable = &self.graph.psg.cases[record.case].mutable;
        let first_kept = kept.iter().map(|(place, _)| *place).find(|place| mutable.contains(place));
        let in_order = places.is_sorted() && first_kept.is_none_or(|kept| places.iter().all(|place| *place < kept));
        let mut values: Vec<(usize, NodeId)> = kept;
        let mut names = Vec::new();
        for ((name, given), &place) in fields.into_iter().zip(places) {
            let node = match given {
                FieldValue::Expr(value) => {
                    let reason = Reason::Field(name);
                    self.expr(value, &Expect { ty: record.fields[place].clone(), reason })
                }
                FieldValue::Node(node) => node,
            };
            let (name, node) = if in_order { (None, node) } else { self.named(node) };
            names.push(name);
            values.push((place, node));
        }
        values.sort_by_key(|(place, _)| *place);
        let arguments: Vec<NodeId> = values.into_iter().map(|(_, node)| node).collect();
        let node = self.apply_case(record, arguments, span);
        names.into_iter().rev().fold(node, |node, name| self.under(name, node))
    }

    fn apply_case(&mut self, record: &RecordType, arguments: Vec<NodeId>, span: Span) -> NodeId {
        let tuple = Ty::tuple(record.fields.clone());
        let (argument, argument_type) = match arguments.as_slice() {
            [only] => (*only, record.fields[0].clone()),
            _ => (self.graph.node(NodeKind::Tuple(arguments), tuple.clone(), span), tuple),
        };
        let kind = NodeKind::Case { case: record.case, instantiation: Vec::new() };
        let function = self.graph.node(kind, Ty::function(argument_type, record.ty.clone()), span);
        if !record.arguments.is_empty() {
            self.graph.instantiations.push((function, record.arguments.clone()));
        }
        self.graph.node(NodeKind::Apply { function, arguments: vec![argument] }, record.ty.clone(), span)
    }

    /// `{ x = p }` as a pattern; fields that are not named match everything.
    pub(crate) fn record_pattern(
        &mut self,
        fields: &[(Path, PatternId)],
        expect: &Expect,
        bound: &mut Bound,
        span: Span,
    ) -> clef_psg::PatternId {
        let parts: Vec<PatternId> = fields.iter().map(|(_, pattern)| *pattern).collect();
        let Some(record) = self.record_named(&paths(fields), &expect.ty, span) else {
            return self.error_pattern_of(&parts, bound, span);
        };
        self.expect(span, expect, &record.ty);
        let Some(places) = self.field_places(&record, &field_names(fields)) else {
            return self.error_pattern_of(&parts, bound, span);
        };
        let mut patterns: Vec<Option<clef_psg::PatternId>> = vec![None; record.fields.len()];
        for ((_, pattern), place) in fields.iter().zip(places) {
            let wanted = Expect::anything(record.fields[place].clone());
            patterns[place] = Some(self.match_pattern(*pattern, &wanted, bound));
        }
        let patterns = (patterns.into_iter().zip(&record.fields))
            .map(|(pattern, ty)| match pattern {
                Some(pattern) => pattern,
                None => self.graph.pattern(clef_psg::PatternKind::Wildcard, ty.clone(), span),
            })
            .collect();
        let kind = clef_psg::PatternKind::Case { case: record.case, fields: patterns };
        let pattern = self.graph.pattern(kind, record.ty, span);
        let qualifier =
            fields.iter().map(|(path, _)| &path.segments[..path.segments.len() - 1]).max_by_key(|it| it.len());
        self.qualify_others(pattern, qualifier.unwrap_or_default(), None);
        pattern
    }
}

fn field_names<T>(fields: &[(Path, T)]) -> Vec<Name> {
    fields.iter().map(|(path, _)| last(path)).collect()
}

fn paths<T>(fields: &[(Path, T)]) -> Vec<Path> {
    fields.iter().map(|(path, _)| path.clone()).collect()
}

fn last(path: &Path) -> Name {
    path.segments[path.segments.len() - 1]
}

fn field_values(fields: &[(Path, ExprId)]) -> Vec<(Symbol, FieldValue)> {
    fields.iter().map(|(path, value)| (last(path).symbol, FieldValue::Expr(*value))).collect()
}
