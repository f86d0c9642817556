//! Nodes around what a function returns when it calls itself, made before the call.
//!
//! In: a function of Core whose storage is assigned. Out: its calls of itself whose result is put into a field of a node
//! that is then returned: `Node (insert value left, own, right)`. Such a node is made first, with a hole in place of the
//! field, and the body starts again; what it returns is written to the hole, and the node around all others is returned.
//! So the recursion is a loop that takes no stack. (D. Friedman, D. Wise, Unwinding stylized recursions into iterations,
//! 1974, "tail recursion modulo cons"; with nodes that are reused as A. Lorenzen, D. Leijen, FP²: fully in-place functional
//! programming, 2023.)
//!
//! Conditions:
//! - The node is in a region of the caller, which both calls receive, and nothing in the function is evacuated, so that a
//!   node with a hole is never copied. The function ends with no other tail call that must take constant stack, and makes
//!   no list from front to back.
//! - What the call receives is not in the frame, which the next start of the body uses again: it has no part in memory, or
//!   is a parameter or a part of one.
//! - A node whose memory is taken is a parameter or a part of one, and what the call receives of the same parameter is
//!   inside of the node: the call must not read the node, nor anything around it.
//!
//! Nothing changes its order except that the pool may be exhausted before the call and not after it.

use crate::{
    code::Code, entry::restarts, function::FunctionEmitter, growing::Growing, layout::Repr, locals::Locals,
    module::Shared,
};
use clef_base::{HashMap, HashSet};
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Holders, LocalId, Region, Reuse, Rhs, Statement,
    StatementKind, Storage,
};
use clef_mlir::Value;

/// The calls of a function whose results are put into nodes that are made before.
#[derive(Default)]
pub(crate) struct Holes<'m> {
    /// The results of these calls.
    results: HashSet<LocalId>,
    /// A parameter whose node every step certainly reuses, while the call receives for it what is in the field that becomes
    /// the hole. So it is in the last hole whenever the body starts, where its node need not be written again.
    in_place: Option<LocalId>,
    /// While the function is emitted.
    variables: Option<Variables<'m>>,
}

/// The variables of a function with such calls.
#[derive(Clone, Copy)]
struct Variables<'m> {
    /// The address of the node around all others, or of what is returned without one.
    root: Value<'m>,
    /// The address of the address that the next value is written to: the root, or a hole.
    hole: Value<'m>,
}

impl<'m> Holes<'m> {
    /// Those of a function.
    pub(crate) fn of(shared: &Shared<'_, 'm>, id: FunctionId, growing: &Growing<'m>) -> Holes<'m> {
        let function = &shared.program.functions[id];
        let mut steps = Vec::new();
        if function.convention == Convention::Known && growing.is_empty() && is_simple(&function.body) {
            last_blocks(&function.body, &mut |block| {
                steps.extend(Step::of(block).filter(|step| step.is_sound(shared, id)));
            });
        }
        let mut params = function.params.iter().enumerate();
        let in_place = params.find(|(index, param)| {
            let all = steps.iter().all(|step| step.descends(function, *index, **param));
            all && !restarts(&function.body)
        });
        Holes {
            results: steps.iter().map(|step| step.result).collect(),
            in_place: in_place.map(|(_, param)| *param),
            variables: None,
        }
    }

    /// Whether the body starts again at such a call.
    pub(crate) fn restarts(&self) -> bool {
        !self.results.is_empty()
    }

    /// Allocates the variables, at the entry of the function, where its parameters are bound.
    pub(crate) fn enter(&mut self, code: &mut Code<'_, '_, 'm>, locals: &Locals<'_, '_, 'm>) {
        if self.results.is_empty() {
            return;
        }
        let (pointer, access) = (code.emit.ptr(), code.access(&Repr::Pointer));
        let [root, hole] = [(), ()].map(|()| code.emit.alloca(pointer, access.align));
        code.emit.store(root, hole, access);
        if let Some(value) = self.in_place.and_then(|param| locals.value(param)) {
            code.emit.store(value, root, access);
        }
        self.variables = Some(Variables { root, hole });
    }
}

/// The last statements of a block: a call, and a node with its result, which is returned.
pub(crate) struct Step<'block> {
    result: LocalId,
    call: &'block Call,
    node: &'block Rhs,
    field: usize,
}

impl<'block> Step<'block> {
    fn of(block: &'block Block) -> Option<Step<'block>> {
        let [.., Statement { kind: StatementKind::Let(result, Rhs::Call(call)), .. }, last] = &block.statements[..]
        else {
            return None;
        };
        let StatementKind::Let(made, node @ Rhs::Inject { fields, .. }) = &last.kind else { return None };
        let is_result = |atom: &Atom| atom.local() == Some(*result);
        let field = fields.iter().position(is_result)?;
        let is_last = matches!(&block.end, End::Yield(value) if value.local() == Some(*made));
        let once = fields.iter().filter(|field| is_result(field)).count() == 1;
        (is_last && once).then_some(Step { result: *result, call, node, field })
    }

    /// Whether the node takes the place of a parameter's, and the call receives for this parameter what is in the field.
    fn descends(&self, function: &Function, index: usize, param: LocalId) -> bool {
        let Rhs::Inject { case: made, reuse: Some(Reuse { node, is_certain: true, .. }), .. } = self.node else {
            return false;
        };
        let argument = self.call.arguments.get(index).and_then(Atom::local);
        let mut is_field = false;
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, Rhs::Field { value, case, field }) = &statement.kind {
                is_field |= Some(*local) == argument && value == node && (case, *field) == (made, self.field);
            }
        });
        node.local() == Some(param) && is_field
    }

    /// Whether the node can be made before the call.
    fn is_sound(&self, shared: &Shared<'_, '_>, id: FunctionId) -> bool {
        let function = &shared.program.functions[id];
        let own: Vec<Atom> = function.regions.iter().copied().map(Atom::Local).collect();
        let Rhs::Inject { ty, allocation: Some(allocation), reuse, .. } = self.node else { return false };
        let decision = shared.program.allocations[*allocation].decision.as_ref();
        let outlives = decision.is_some_and(|decision| {
            matches!(decision.storage, Storage::Region(Region::Local(region)) if function.regions.contains(&region))
        });
        matches!(self.call.callee, Callee::Known(callee) if callee == id)
            && *ty == function.result
            && shared.layouts.is_boxed(*ty)
            && self.call.regions == own
            && outlives
            && self.receives_parts(shared, function, reuse.as_ref().map(|reuse| &reuse.node))
    }

    /// Whether what the call receives is still there, and unchanged, when the body starts again.
    fn receives_parts(&self, shared: &Shared<'_, '_>, function: &Function, reused: Option<&Atom>) -> bool {
        let parts = Parts::of(function);
        let mut holders = Holders::default();
        let reused = match reused.map(Atom::local) {
            Some(None) => return false,
            Some(node) => node,
            None => None,
        };
        self.call.arguments.iter().filter_map(Atom::local).all(|argument| {
            let leads_to_memory = holders.holds(shared.program, function.locals[argument].ty);
            !leads_to_memory || parts.allow(argument, reused)
        })
    }
}

/// The parts of parameters: each local with what it was read from.
struct Parts(HashMap<LocalId, Option<LocalId>>);

impl Parts {
    fn of(function: &Function) -> Parts {
        let mut parts: HashMap<LocalId, Option<LocalId>> = function.params.iter().map(|param| (*param, None)).collect();
        // A part is read after what it is a part of.
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, Rhs::Field { value, .. } | Rhs::Component(value, _) | Rhs::Atom(value)) =
                &statement.kind
                && let Some(whole) = value.local().filter(|whole| parts.contains_key(whole))
            {
                parts.insert(*local, Some(whole));
            }
        });
        Parts(parts)
    }

    /// A part, what it was read from, and so on to the parameter; nothing if it is no part of a parameter.
    fn around(&self, part: LocalId) -> Vec<LocalId> {
        let first = self.0.contains_key(&part).then_some(part);
        std::iter::successors(first, |part| self.0.get(part).copied().flatten()).collect()
    }

    /// Whether an argument that leads to memory can be passed to a call that is made after the node has taken the memory of
    /// another one.
    fn allow(&self, argument: LocalId, reused: Option<LocalId>) -> bool {
        let around = self.around(argument);
        let Some(reused) = reused else { return !around.is_empty() };
        let around_reused = self.around(reused);
        let is_inside = argument != reused && around.contains(&reused);
        !around.is_empty() && !around_reused.is_empty() && (is_inside || around.last() != around_reused.last())
    }
}

/// Whether a body neither evacuates nor ends with a tail call that must take constant stack.
fn is_simple(body: &Block) -> bool {
    let mut is_simple = true;
    body.each(&mut |block| {
        is_simple &= !matches!(block.end, End::TailCall { required: true, .. });
        for statement in &block.statements {
            is_simple &= !matches!(statement.rhs(), Some(Rhs::Evacuate { .. }));
        }
    });
    is_simple
}

/// Visits the blocks whose value is the function's.
fn last_blocks<'block>(block: &'block Block, visit: &mut dyn FnMut(&'block Block)) {
    visit(block);
    block.end.blocks().into_iter().for_each(|block| last_blocks(block, visit));
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// The call at the end of a block whose result is put into a hole.
    pub(crate) fn step<'block>(&self, block: &'block Block) -> Option<Step<'block>> {
        Step::of(block).filter(|step| self.holes.results.contains(&step.result))
    }

    /// Makes the node with a hole, and starts the body again.
    pub(crate) fn take_step(&mut self, step: &Step<'_>) {
        let Rhs::Inject { ty, case, fields, allocation, reuse } = step.node else { return };
        let fields: Vec<Option<&Atom>> =
            fields.iter().enumerate().map(|(index, field)| (index != step.field).then_some(field)).collect();
        let node = self.node(*ty, *case, &fields, (*allocation, reuse.as_ref()));
        let offset = self.code.shared.layouts.node(*ty, *case).offsets[step.field];
        if self.holes.in_place.is_none() {
            self.fill(node);
        }
        let (address, access) = (self.code.emit.offset(node, offset.0 as i32), self.code.access(&Repr::Pointer));
        if let Some(Variables { hole, .. }) = self.holes.variables {
            self.code.emit.store(address, hole, access);
        }
        let arguments = self.atoms(&step.call.arguments);
        self.jumps.restart(&mut self.code, &arguments);
    }

    /// The node around all others, once a value is in the last hole.
    pub(crate) fn filled(&mut self, value: Option<Value<'m>>) -> Option<Value<'m>> {
        let (Some(Variables { root, .. }), Some(value)) = (self.holes.variables, value) else { return value };
        self.fill(value);
        let (pointer, access) = (self.code.emit.ptr(), self.code.access(&Repr::Pointer));
        Some(self.code.emit.load(pointer, root, access))
    }

    /// Whether the value of the function goes to a hole.
    pub(crate) fn has_holes(&self) -> bool {
        self.holes.variables.is_some()
    }

    /// Writes a value to the last hole.
    fn fill(&mut self, value: Value<'m>) {
        let Some(Variables { hole, .. }) = self.holes.variables else { return };
        let (pointer, access) = (self.code.emit.ptr(), self.code.access(&Repr::Pointer));
        let address = self.code.emit.load(pointer, hole, access);
        self.code.emit.store(value, address, access);
    }
}
