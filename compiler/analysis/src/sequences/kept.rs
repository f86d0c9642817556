//! Variables that live across the segments of a state machine.
//!
//! In: the segments. Out: the same, with each variable that one segment binds and others use stored in the closure, right
//! after its binding. A mutable one is read and assigned there from then on. An immutable one is loaded at the start of
//! each segment that uses it, under a name of that segment's own, so that closures capture its value.

use super::{Expansion, Segment};
use clef_base::{Diagnostic, HashMap, HashSet, Span, codes};
use clef_psg::{CaptureMode, LambdaId, Mutability, NodeId, NodeKind, VariableId};

/// The variables that occur in a segment.
#[derive(Default)]
struct Occurrences {
    /// In the order of first use.
    used: Vec<VariableId>,
    seen: HashSet<VariableId>,
    bound: HashSet<VariableId>,
    /// The variables captured by reference, with the span of the capture.
    by_reference: HashMap<VariableId, Span>,
}

impl Expansion<'_> {
    /// Stores the variables that live across segments in the closure; adds them to `owned`.
    pub(super) fn keep(&mut self, segments: Vec<&mut Segment>, owned: &mut Vec<(VariableId, NodeId)>) {
        let mut bodies: Vec<&mut NodeId> = segments.into_iter().map(|segment| &mut segment.body).collect();
        let occurrences: Vec<Occurrences> = bodies.iter().map(|body| self.occurrences(**body)).collect();
        let mut kept = HashSet::default();
        let mut stores = Vec::new();
        for segment in &occurrences {
            for &variable in &segment.used {
                if segment.bound.contains(&variable) || !kept.insert(variable) {
                    continue;
                }
                let Some(binder) = occurrences.iter().position(|other| other.bound.contains(&variable)) else {
                    continue;
                };
                if !self.can_be_kept(variable, &occurrences) {
                    continue;
                }
                let data = &self.psg.variables[variable];
                let (name, ty, mutability) = (format!("{}$", data.name), data.ty, data.mutability);
                let place = self.fresh(&name, ty, Mutability::Mutable);
                owned.push((place, self.unset(ty)));
                stores.push((variable, place));
                for (label, body) in bodies.iter_mut().enumerate() {
                    let uses = occurrences[label].seen.contains(&variable);
                    match mutability {
                        Mutability::Mutable => self.rename(**body, variable, place),
                        Mutability::Immutable if uses && label != binder => {
                            let own = self.fresh(&name, ty, Mutability::Immutable);
                            self.rename(**body, variable, own);
                            let value = self.read(place);
                            **body = self.let_(own, value, **body);
                        }
                        Mutability::Immutable => {}
                    }
                }
            }
        }
        for (variable, place) in stores {
            self.store(variable, place);
        }
    }

    /// Stores a variable after its binding.
    fn store(&mut self, variable: VariableId, place: VariableId) {
        let Some(&rest) = self.after_binding.get(&variable) else {
            clef_base::internal::bug(
                "check",
                self.span,
                "a variable that lives across segments must be bound above them",
            )
        };
        let value = self.read(variable);
        let store = self.assign(place, value);
        if let NodeKind::Sequence(nodes) = &mut self.psg.nodes[rest].kind {
            nodes.insert(0, store);
        }
    }

    /// Reports variables that cannot be stored: generic values, and variables captured by reference.
    fn can_be_kept(&mut self, variable: VariableId, occurrences: &[Occurrences]) -> bool {
        let data = &self.psg.variables[variable];
        let (name, span) = (data.name, data.span);
        if !data.generics.is_empty() {
            let message = format!("the generic `{name}` lives across a `yield`");
            let diagnostic = Diagnostic::error(codes::LIVES_ACROSS_YIELD, span, message)
                .help("define it before the sequence, or add a type annotation that makes it concrete");
            self.diagnostics.push(diagnostic);
            return false;
        }
        let by_reference = occurrences.iter().find_map(|segment| segment.by_reference.get(&variable));
        if let (Mutability::Mutable, Some(&capture)) = (data.mutability, by_reference) {
            let message = format!("the mutable variable `{name}` is captured by a closure and lives across a `yield`");
            let diagnostic = Diagnostic::error(codes::LIVES_ACROSS_YIELD, capture, message)
                .label(format!("the closure captures `{name}` by reference here"))
                .also(span, format!("`{name}` is bound here"))
                .help(format!("make `{name}` a ref cell: `let {name} = ref …`, then `{name}.Value`"));
            self.diagnostics.push(diagnostic);
            return false;
        }
        true
    }

    fn occurrences(&self, segment: NodeId) -> Occurrences {
        let mut occurrences = Occurrences::default();
        self.collect_occurrences(segment, &mut occurrences);
        occurrences
    }

    fn collect_occurrences(&self, node: NodeId, occurrences: &mut Occurrences) {
        let kind = &self.psg.nodes[node].kind;
        let used = |occurrences: &mut Occurrences, variable| {
            if occurrences.seen.insert(variable) {
                occurrences.used.push(variable);
            }
        };
        if let NodeKind::Variable { variable, .. } | NodeKind::Assign { variable, .. } = kind {
            used(occurrences, *variable);
        }
        if let NodeKind::Lambda(lambda) = kind {
            for capture in &self.psg.lambdas[*lambda].captures {
                used(occurrences, capture.variable);
                if capture.mode == CaptureMode::Reference {
                    occurrences.by_reference.entry(capture.variable).or_insert(capture.first_use);
                }
            }
        }
        if let NodeKind::Let { binding, .. } = kind {
            occurrences.bound.extend(self.psg.bound_by(binding.pattern));
        }
        if let NodeKind::LetRecursive { bindings, .. } = kind {
            occurrences.bound.extend(bindings.iter().flat_map(|binding| self.psg.bound_by(binding.pattern)));
        }
        if let NodeKind::Match { arms, .. } = kind {
            occurrences.bound.extend(arms.iter().flat_map(|arm| self.psg.bound_by(arm.pattern)));
        }
        if let NodeKind::For { variable, .. } = kind {
            occurrences.bound.insert(*variable);
        }
        for child in kind.children() {
            self.collect_occurrences(child, occurrences);
        }
    }

    /// Replaces the uses of a variable, also within closures.
    fn rename(&mut self, node: NodeId, from: VariableId, to: VariableId) {
        match &mut self.psg.nodes[node].kind {
            NodeKind::Variable { variable, .. } | NodeKind::Assign { variable, .. } if *variable == from => {
                *variable = to;
            }
            NodeKind::Lambda(lambda) => {
                let lambda = *lambda;
                self.rename_in_lambda(lambda, from, to);
            }
            NodeKind::Variable { .. }
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Literal(_)
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => {}
        }
        for child in self.psg.nodes[node].kind.children() {
            self.rename(child, from, to);
        }
    }

    fn rename_in_lambda(&mut self, lambda: LambdaId, from: VariableId, to: VariableId) {
        let captures = &mut self.psg.lambdas[lambda].captures;
        let Some(capture) = captures.iter_mut().find(|capture| capture.variable == from) else { return };
        capture.variable = to;
        self.rename(self.psg.lambdas[lambda].body, from, to);
    }
}
