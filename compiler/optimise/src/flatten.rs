//! Flattens closures that hold closures: where a closure or a variant of a stored function always holds a closure of one
//! function, it holds what that closure has captured instead.
//!
//! In: Core before storage assignment. Out: the same program, where the code that uses such a value creates the closure
//! again from the parts. It only calls the closure, so that the call becomes one of a known function, and neither closure
//! nor address is left.
//!
//! Conditions, for each place that holds closures, which is a capture of a function or a field of a variant: everything
//! put there is a closure that the same code has created, of one and the same function; this function can be lifted and
//! has few captures; what is read from the place is only called; and no variant would contain itself.

use super::lift;
use clef_base::{HashMap, HashSet, Symbol};
use clef_core::{
    Allocation, AllocationKind, Atom, Block, Callee, Convention, Function, FunctionId, Local, LocalId, MakeClosure,
    Place, Program, Rhs, Statement, StatementKind, StoredFunctions,
};
use clef_types::{Type, TypeKind};
use std::collections::BTreeMap;

/// The maximum number of captures that take the place of an address.
const MAX_PARTS: usize = 3;

/// The maximum number of captures of a function, or of fields of a case, of which some were replaced.
const MAX_HELD: usize = 8;

/// Where closures are held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Holder {
    /// A capture of a function, by its position.
    Capture(FunctionId, usize),
    /// A field of a case of a variant.
    Field(Type, usize, usize),
}

/// The functions of the closures that each place holds.
type Plan = BTreeMap<Holder, FunctionId>;

/// Flattens closures.
pub(super) fn flatten(program: &mut Program) {
    let plan = plan(program);
    if plan.is_empty() {
        return;
    }
    let variants = variants(program);
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        Rewriter { program, plan: &plan, variants: &variants, id }.run();
    }
    // From the last field to the first, so that positions stay right.
    plan.iter().rev().for_each(|(holder, function)| declare(program, *holder, *function));
}

/// What each place holds, where all conditions are met.
fn plan(program: &Program) -> Plan {
    let variants = variants(program);
    let mut plan = same_function(program, &variants);
    for (id, function) in program.functions.iter() {
        let called = only_called(function);
        let mut keep = |holder: Holder, local: LocalId| {
            if !called.contains(&local) {
                plan.remove(&holder);
            }
        };
        for (position, capture) in function.captures().iter().enumerate() {
            keep(Holder::Capture(id, position), *capture);
        }
        function.body.each_statement(&mut |statement| {
            if let Some((holder, local)) = read(function, &variants, statement) {
                keep(holder, local);
            }
        });
    }
    limit(program, &mut plan);
    // The captures that take the place of a closure must be those that its creations still have.
    let changed: HashSet<FunctionId> = plan.keys().filter_map(Holder::code).collect();
    plan.retain(|_, function| !changed.contains(function));
    let targets: HashSet<Type> = plan.keys().filter_map(Holder::variant).collect();
    plan.retain(|holder, function| {
        holder.variant().is_none() || part_types(program, *function).iter().all(|ty| !contains(program, *ty, &targets))
    });
    plan
}

impl Holder {
    /// The function whose captures change.
    fn code(&self) -> Option<FunctionId> {
        match self {
            Holder::Capture(function, _) => Some(*function),
            Holder::Field(..) => None,
        }
    }

    /// The variant whose fields change.
    fn variant(&self) -> Option<Type> {
        match self {
            Holder::Capture(..) => None,
            Holder::Field(ty, ..) => Some(*ty),
        }
    }
}

/// The types of the variants of stored functions.
fn variants(program: &Program) -> HashSet<Type> {
    let variant = |stored: &StoredFunctions| stored.kept.as_ref().ok().map(|(variant, _)| *variant);
    program.stored.iter().filter_map(variant).collect()
}

/// The places that hold only closures of one suitable function.
fn same_function(program: &Program, variants: &HashSet<Type>) -> Plan {
    let mut held: HashMap<Holder, Option<FunctionId>> = HashMap::default();
    for (_, function) in program.functions.iter() {
        let made = made(&function.body);
        function.body.each_statement(&mut |statement| {
            for (holder, atom) in put(variants, statement) {
                let one = atom.local().and_then(|local| made.get(&local)).map(|closure| closure.function);
                let known = held.entry(holder).or_insert(one);
                if *known != one {
                    *known = None;
                }
            }
        });
    }
    let found = held.into_iter().filter_map(|(holder, function)| Some((holder, function?)));
    found.filter(|(holder, function)| is_suitable(program, *holder, *function)).collect()
}

/// Whether the captures of a function may take the place of its closure.
fn is_suitable(program: &Program, holder: Holder, function: FunctionId) -> bool {
    let parts = program.functions[function].captures().len();
    let fits = match holder {
        Holder::Capture(code, _) => code != function,
        // The address of a variable must not leave the code that knows its closures.
        Holder::Field(..) => {
            part_types(program, function).into_iter().all(|ty| !matches!(program.types.kind(ty), TypeKind::Slot(_)))
        }
    };
    fits && parts <= MAX_PARTS && lift::fits(&program.functions[function])
}

/// Keeps the first replacements of each function and each case up to the limit.
fn limit(program: &Program, plan: &mut Plan) {
    let mut held: HashMap<(Option<FunctionId>, Option<Type>, usize), usize> = HashMap::default();
    plan.retain(|holder, function| {
        let (whole, count) = match *holder {
            Holder::Capture(code, _) => ((Some(code), None, 0), program.functions[code].captures().len()),
            Holder::Field(ty, case, _) => ((None, Some(ty), case), program.declared[&ty].cases[case].fields.len()),
        };
        let count = held.entry(whole).or_insert(count);
        // The parts come instead of one value.
        let replaced = *count + program.functions[*function].captures().len() - 1;
        let fits = replaced <= MAX_HELD;
        if fits {
            *count = replaced;
        }
        fits
    });
}

/// The types of what a function has captured.
fn part_types(program: &Program, function: FunctionId) -> Vec<Type> {
    let function = &program.functions[function];
    function.captures().iter().map(|capture| function.locals[*capture].ty).collect()
}

/// Whether a value of a type contains, without an address in between, one of these types.
fn contains(program: &Program, ty: Type, targets: &HashSet<Type>) -> bool {
    let mut seen = HashSet::default();
    let mut due = vec![ty];
    while let Some(ty) = due.pop() {
        if targets.contains(&ty) {
            return true;
        }
        if !seen.insert(ty) {
            continue;
        }
        if let TypeKind::Tuple(parts) = program.types.kind(ty) {
            due.extend(parts);
        }
        if let Some(declared) = program.declared.get(&ty).filter(|declared| !declared.boxed) {
            due.extend(declared.cases.iter().flat_map(|case| &case.fields));
        }
    }
    false
}

/// The closures that code creates one by one.
fn made(body: &Block) -> HashMap<LocalId, &MakeClosure> {
    let mut made = HashMap::default();
    body.each_statement(&mut |statement| {
        if let StatementKind::Let(local, Rhs::Closure(closure)) = &statement.kind {
            made.insert(*local, closure);
        }
    });
    made
}

/// What a statement puts into places.
fn put<'statement>(variants: &HashSet<Type>, statement: &'statement Statement) -> Vec<(Holder, &'statement Atom)> {
    if let Some(Rhs::Inject { ty, case, fields, .. }) = statement.rhs() {
        let holder = |field| Holder::Field(*ty, *case, field);
        let fields = fields.iter().enumerate().map(|(field, atom)| (holder(field), atom));
        return if variants.contains(ty) { fields.collect() } else { Vec::new() };
    }
    let captures = statement.closures().into_iter().flat_map(|closure| {
        let holder = |position| Holder::Capture(closure.function, position);
        closure.captures.iter().enumerate().map(move |(position, atom)| (holder(position), atom))
    });
    captures.collect()
}

/// The place that a statement reads, and the local that it binds.
fn read(function: &Function, variants: &HashSet<Type>, statement: &Statement) -> Option<(Holder, LocalId)> {
    let StatementKind::Let(local, Rhs::Field { value, case, field }) = &statement.kind else { return None };
    let ty = function.locals[value.local()?].ty;
    variants.contains(&ty).then_some((Holder::Field(ty, *case, *field), *local))
}

/// The locals of which every use is a call.
fn only_called(function: &Function) -> HashSet<LocalId> {
    let (mut uses, mut calls): (HashMap<LocalId, usize>, HashMap<LocalId, usize>) = Default::default();
    function.body.each_atom(&mut |atom| {
        if let Some(local) = atom.local() {
            *uses.entry(local).or_default() += 1;
        }
    });
    function.body.each_call(&mut |call| {
        if let Callee::Closure(Atom::Local(local)) | Callee::Direct(_, Atom::Local(local)) = call.callee {
            *calls.entry(local).or_default() += 1;
        }
    });
    calls.into_iter().filter(|(local, count)| uses[local] == *count).map(|(local, _)| local).collect()
}

/// Rewrites one function.
struct Rewriter<'a> {
    program: &'a mut Program,
    plan: &'a Plan,
    variants: &'a HashSet<Type>,
    id: FunctionId,
}

impl Rewriter<'_> {
    fn run(mut self) {
        let mut body = std::mem::replace(&mut self.program.functions[self.id].body, Block::empty());
        let made = made(&body).into_iter().map(|(local, closure)| (local, closure.captures.clone())).collect();
        body.each_mut(&mut |block| {
            for statement in std::mem::take(&mut block.statements) {
                self.statement(statement, &made, &mut block.statements);
            }
        });
        let mut statements = self.captures();
        statements.append(&mut body.statements);
        body.statements = statements;
        self.program.functions[self.id].body = body;
    }

    /// Puts parts instead of closures, and creates closures again where they are read.
    fn statement(&mut self, mut statement: Statement, made: &HashMap<LocalId, Vec<Atom>>, into: &mut Vec<Statement>) {
        let place = statement.place;
        let parts = |atom: &Atom| atom.local().and_then(|local| made.get(&local)).cloned().unwrap_or_default();
        for closure in statement.closures_mut() {
            for position in (0..closure.captures.len()).rev() {
                if self.plan.contains_key(&Holder::Capture(closure.function, position)) {
                    let given = parts(&closure.captures[position]);
                    closure.captures.splice(position..=position, given);
                }
            }
        }
        if let StatementKind::Let(_, Rhs::Inject { ty, case, fields, .. }) = &mut statement.kind {
            for field in (0..fields.len()).rev() {
                if self.plan.contains_key(&Holder::Field(*ty, *case, field)) {
                    let given = parts(&fields[field]);
                    fields.splice(field..=field, given);
                }
            }
        }
        if let Some((Holder::Field(ty, case, field), local)) =
            read(&self.program.functions[self.id], self.variants, &statement)
            && let StatementKind::Let(_, Rhs::Field { value, .. }) = &statement.kind
        {
            let value = value.clone();
            let first = (0..field).map(|before| self.width(Holder::Field(ty, case, before))).sum::<usize>();
            match self.plan.get(&Holder::Field(ty, case, field)) {
                None => {
                    let rhs = Rhs::Field { value, case, field: first };
                    statement.kind = StatementKind::Let(local, rhs);
                }
                Some(&function) => {
                    let parts = self.fresh_parts(local, function);
                    for (index, part) in parts.iter().enumerate() {
                        let rhs = Rhs::Field { value: value.clone(), case, field: first + index };
                        into.push(Statement { kind: StatementKind::Let(*part, rhs), place });
                    }
                    statement = self.create(local, function, &parts, place);
                }
            }
        }
        into.push(statement);
    }

    /// Receives parts instead of closures, and creates these.
    fn captures(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        let old = self.program.functions[self.id].captures().to_vec();
        let mut new = Vec::new();
        for (position, capture) in old.iter().copied().enumerate() {
            let Some(&function) = self.plan.get(&Holder::Capture(self.id, position)) else {
                new.push(capture);
                continue;
            };
            let parts = self.fresh_parts(capture, function);
            new.extend(&parts);
            let place = self.program.functions[self.id].span.into();
            statements.push(self.create(capture, function, &parts, place));
        }
        if let Convention::Closure { captures, .. } = &mut self.program.functions[self.id].convention {
            *captures = new;
        }
        statements
    }

    /// The number of values that take a place.
    fn width(&self, holder: Holder) -> usize {
        self.plan.get(&holder).map_or(1, |function| self.program.functions[*function].captures().len())
    }

    /// Locals for what a function has captured, named after the closure.
    fn fresh_parts(&mut self, closure: LocalId, function: FunctionId) -> Vec<LocalId> {
        let code = &self.program.functions[function];
        let parts: Vec<(Symbol, Type)> =
            code.captures().iter().map(|capture| (code.locals[*capture].name, code.locals[*capture].ty)).collect();
        let locals = &mut self.program.functions[self.id].locals;
        let Local { name: whole, span, .. } = locals[closure];
        let mut part = |(name, ty)| locals.alloc(Local { name: part_name(whole, name), ty, span });
        parts.into_iter().map(&mut part).collect()
    }

    /// Creates a closure from its parts.
    fn create(&mut self, local: LocalId, function: FunctionId, parts: &[LocalId], place: Place) -> Statement {
        let kind = AllocationKind::Closure(function);
        let allocation = Allocation::new(kind, self.id, place.span);
        let allocation = self.program.allocations.alloc(allocation);
        let captures = parts.iter().copied().map(Atom::Local).collect();
        let closure = MakeClosure { function, captures, allocation };
        Statement { kind: StatementKind::Let(local, Rhs::Closure(closure)), place }
    }
}

/// The name of a part of a closure: `operand.n`.
fn part_name(whole: Symbol, part: Symbol) -> Symbol {
    Symbol::new(&format!("{whole}.{part}"))
}

/// Gives a variant the types of the parts that take the place of a field.
fn declare(program: &mut Program, holder: Holder, function: FunctionId) {
    let Holder::Field(ty, case, field) = holder else { return };
    let types = part_types(program, function);
    let code = &program.functions[function];
    let names: Vec<Symbol> = code.captures().iter().map(|capture| code.locals[*capture].name).collect();
    let Some(case) = program.declared.get_mut(&ty).and_then(|declared| declared.cases.get_mut(case)) else { return };
    case.fields.splice(field..=field, types);
    if let Some(whole) = case.names.get(field).copied() {
        let parts = names.into_iter().map(|name| whole.map(|whole| part_name(whole, name)));
        case.names.splice(field..=field, parts.collect::<Vec<_>>());
    }
}
