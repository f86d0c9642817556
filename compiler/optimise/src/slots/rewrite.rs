//! Applies a plan: variants where values are stored, and function values created from them where these are required.
//!
//! In: a program and its [`Plan`]. Out: the program with its new types. An operand used where a variant is required is
//! wrapped with its captures; a call of a variant branches to calls of its lambdas; any other use of a variant creates
//! the closure first. Closures that were only stored are no longer created.

use super::{Plan, variants::Variants};
use clef_base::Symbol;
use clef_core::{
    Allocation, AllocationKind, Atom, Block, Call, Callee, End, FunctionId, JoinId, Local, LocalId, MakeClosure, Place,
    Program, Rhs, Statement, StatementKind,
};
use clef_types::{IntegerType, Type, TypeKind};
use std::collections::{HashMap, HashSet};

/// Rewrites a program.
pub(super) fn rewrite(program: &mut Program, plan: &Plan) {
    let before = program.clone();
    let mut variants = Variants::new(plan);
    retype(program, &before, plan, &mut variants);
    for (id, _) in before.functions.iter() {
        let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
        let joins = body.join_params();
        let mut rewriter = Rewriter {
            before: &before,
            plan,
            variants: &mut variants,
            program: &mut *program,
            id,
            joins,
            made: made(&before, id),
        };
        let wants = plan.results.contains(&id);
        rewriter.block(&mut body, wants);
        rewriter.forget_closures(&mut body);
        program.functions[id].body = body;
    }
}

/// Assigns every local, result, module-level value, allocation and field its new type.
fn retype(program: &mut Program, before: &Program, plan: &Plan, variants: &mut Variants<'_>) {
    for (id, function) in before.functions.iter() {
        for (local, declared) in function.locals.iter() {
            let ty = if plan.locals.contains(&(id, local)) {
                variants.variant(&mut program.types, declared.ty)
            } else {
                variants.value(&mut program.types, declared.ty)
            };
            program.functions[id].locals[local].ty = ty;
        }
        program.functions[id].result = if plan.results.contains(&id) {
            variants.variant(&mut program.types, function.result)
        } else {
            variants.value(&mut program.types, function.result)
        };
    }
    for (_, global) in program.globals.iter_mut() {
        global.ty = match global.mutable {
            true => variants.stored(&mut program.types, global.ty),
            false => variants.value(&mut program.types, global.ty),
        };
    }
    for (_, allocation) in program.allocations.iter_mut() {
        match &mut allocation.kind {
            AllocationKind::Reference(content) => *content = variants.stored(&mut program.types, *content),
            AllocationKind::Array(ty) => *ty = variants.value(&mut program.types, *ty),
            AllocationKind::Closure(_)
            | AllocationKind::String
            | AllocationKind::Node(..)
            | AllocationKind::Memory(_) => {}
        }
    }
    variants.declared(program);
    variants.declare(program);
}

/// The closures that a function creates, and its own, by their locals.
fn made(program: &Program, id: FunctionId) -> HashMap<LocalId, (FunctionId, Vec<Atom>)> {
    let function = &program.functions[id];
    let mut made = HashMap::new();
    function.body.each_closure(&mut |local, closure| {
        made.insert(local, (closure.function, closure.captures.clone()));
    });
    if let Some(itself) = function.itself() {
        made.insert(itself, (id, function.captures().iter().copied().map(Atom::Local).collect()));
    }
    made
}

struct Rewriter<'a, 'plan> {
    /// The program before the rewrite.
    before: &'a Program,
    plan: &'plan Plan,
    variants: &'a mut Variants<'plan>,
    program: &'a mut Program,
    id: FunctionId,
    joins: HashMap<JoinId, Vec<LocalId>>,
    made: HashMap<LocalId, (FunctionId, Vec<Atom>)>,
}

/// The ends of the blocks of a choice between lambdas.
enum Use {
    /// They yield the closure.
    Closure,
    /// They yield the result of its call.
    Call(Vec<Atom>),
    /// They end with its tail call.
    TailCall(Vec<Atom>),
}

impl Rewriter<'_, '_> {
    /// The type of an operand before the rewrite.
    fn ty(&self, atom: &Atom) -> Type {
        self.plan.positions.ty(atom, &self.before.functions[self.id])
    }

    fn is_variant(&self, local: LocalId) -> bool {
        self.plan.locals.contains(&(self.id, local))
    }

    /// The local of an operand that is a variant.
    fn variant(&self, atom: &Atom) -> Option<LocalId> {
        match atom {
            Atom::Local(local) => self.is_variant(*local).then_some(*local),
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Integer(..)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::ProgramRegion
            | Atom::Function(..) => None,
        }
    }

    fn fresh(&mut self, name: &str, ty: Type, place: Place) -> LocalId {
        self.program.functions[self.id].locals.alloc(Local { name: Symbol::new(name), ty, span: place.span })
    }

    /// Rewrites a block; `wants` says whether its value must be a variant.
    fn block(&mut self, block: &mut Block, wants: bool) {
        let mut statements = Vec::with_capacity(block.statements.len());
        for statement in std::mem::take(&mut block.statements) {
            self.statement(statement, &mut statements);
        }
        self.end(block, wants, &mut statements);
        block.statements = statements;
    }

    fn statement(&mut self, mut statement: Statement, into: &mut Vec<Statement>) {
        let place = statement.place;
        let wanted = self.wanted(&statement);
        match &mut statement.kind {
            StatementKind::Let(local, Rhs::Call(Call { callee: Callee::Closure(callee), arguments, .. }))
                if self.chooses(callee, arguments.len()) =>
            {
                let Some(callee) = self.variant(callee) else { return };
                let mut arguments = std::mem::take(arguments);
                arguments.iter_mut().for_each(|atom| self.operand(atom, false, place, into));
                let result = self.program.functions[self.id].locals[*local].ty;
                let block = self.choice(callee, &Use::Call(arguments), result, place);
                into.push(Statement { kind: StatementKind::Let(*local, Rhs::Scope(Box::new(block))), place });
                return;
            }
            StatementKind::Let(local, rhs) => {
                let wants = matches!(rhs, Rhs::Scope(_)) && self.is_variant(*local);
                rhs.blocks_mut().into_iter().for_each(|block| self.block(block, wants));
            }
            StatementKind::Group(_) => {}
        }
        let mut position = 0;
        statement.atoms_mut(&mut |atom| {
            self.operand(atom, wanted.contains(&position), place, into);
            position += 1;
        });
        into.push(statement);
    }

    /// The operands of a statement that must be variants, in visiting order.
    fn wanted(&self, statement: &Statement) -> HashSet<usize> {
        let function = &self.before.functions[self.id];
        let captured = |closure: &MakeClosure| {
            let captures = self.before.functions[closure.function].captures().iter();
            let wanted: Vec<bool> =
                captures.map(|capture| self.plan.locals.contains(&(closure.function, *capture))).collect();
            wanted
        };
        let wanted: Vec<bool> = match &statement.kind {
            StatementKind::Group(members) => members.iter().flat_map(|(_, closure)| captured(closure)).collect(),
            StatementKind::Let(_, Rhs::Closure(closure)) => captured(closure),
            StatementKind::Let(_, Rhs::Call(call)) => self.wanted_by_call(call),
            StatementKind::Let(local, Rhs::Atom(_)) => vec![self.is_variant(*local)],
            StatementKind::Let(local, rhs) => {
                return self.plan.positions.writes(self.before, function, *local, rhs).into_iter().collect();
            }
        };
        wanted.into_iter().enumerate().filter(|(_, wanted)| *wanted).map(|(position, _)| position).collect()
    }

    /// The operands of a call that must be variants.
    fn wanted_by_call(&self, call: &Call) -> Vec<bool> {
        match call.callee {
            Callee::Known(callee) => {
                let params = self.before.functions[callee].params.iter();
                params.map(|param| self.plan.locals.contains(&(callee, *param))).collect()
            }
            Callee::Direct(..) | Callee::Closure(_) => Vec::new(),
        }
    }

    fn end(&mut self, block: &mut Block, wants: bool, into: &mut Vec<Statement>) {
        let place = match (&block.end, into.last()) {
            (End::TailCall { place, .. } | End::Trap(_, place), _) => *place,
            (_, Some(statement)) => statement.place,
            (_, None) => self.before.functions[self.id].span.into(),
        };
        if let End::TailCall { call: Call { callee: Callee::Closure(callee), arguments, .. }, .. } = &mut block.end
            && self.chooses(callee, arguments.len())
            && let Some(callee) = self.variant(callee)
        {
            let mut arguments = std::mem::take(arguments);
            arguments.iter_mut().for_each(|atom| self.operand(atom, false, place, into));
            let result = self.program.functions[self.id].result;
            let mut chosen = self.choice(callee, &Use::TailCall(arguments), result, place);
            into.append(&mut chosen.statements);
            block.end = chosen.end;
            return;
        }
        block.end.blocks_mut().into_iter().for_each(|block| self.block(block, wants));
        let held = |locals: &[LocalId]| -> Vec<bool> { locals.iter().map(|local| self.is_variant(*local)).collect() };
        let wanted = match &block.end {
            End::Yield(_) => vec![wants],
            End::TailCall { call, .. } => self.wanted_by_call(call),
            End::Continue(_) => held(&self.before.functions[self.id].params),
            End::Jump(join, _) => held(&self.joins[join]),
            End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Trap(..) => Vec::new(),
        };
        let mut position = 0;
        block.end.atoms_mut(&mut |atom| {
            self.operand(atom, wanted.get(position).copied().unwrap_or(false), place, into);
            position += 1;
        });
    }

    /// Converts an operand to what is required: a variant, or the address of a closure.
    fn operand(&mut self, atom: &mut Atom, wanted: bool, place: Place, into: &mut Vec<Statement>) {
        let ty = self.ty(atom);
        match (self.variant(atom), wanted && self.plan.stores(ty)) {
            (Some(_), true) => {}
            (Some(local), false) => *atom = self.closure(local, place, into),
            (None, true) => *atom = self.wrap(atom, ty, place, into),
            (None, false) => self.retyped(atom),
        }
    }

    /// Updates the type of a constant closure.
    fn retyped(&mut self, atom: &mut Atom) {
        if let Atom::Function(_, ty) = atom {
            *ty = self.variants.value(&mut self.program.types, *ty);
        }
    }

    /// The variant of a closure that is created here.
    fn wrap(&mut self, atom: &Atom, ty: Type, place: Place, into: &mut Vec<Statement>) -> Atom {
        let (lambda, captures) = match atom {
            Atom::Function(lambda, _) => (*lambda, Vec::new()),
            Atom::Local(local) => self.made[local].clone(),
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Integer(..)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::ProgramRegion => {
                clef_base::internal::bug("slots", place, "a value that is not a function is stored as one")
            }
        };
        let wanted: Vec<bool> = {
            let captures = self.before.functions[lambda].captures().iter();
            captures.map(|capture| self.plan.locals.contains(&(lambda, *capture))).collect()
        };
        let mut fields = captures;
        fields.iter_mut().zip(wanted).for_each(|(field, wanted)| self.operand(field, wanted, place, into));
        let variant = self.variants.variant(&mut self.program.types, ty);
        let local = self.fresh("stored$", variant, place);
        let case = self.plan.tag(ty, lambda);
        let rhs = Rhs::Inject { ty: variant, case, fields, allocation: None, reuse: None };
        into.push(Statement { kind: StatementKind::Let(local, rhs), place });
        Atom::Local(local)
    }

    /// Creates the closure of a variant again.
    fn closure(&mut self, variant: LocalId, place: Place, into: &mut Vec<Statement>) -> Atom {
        let ty = self.before.functions[self.id].locals[variant].ty;
        let ty = self.variants.value(&mut self.program.types, ty);
        let mut block = self.choice(variant, &Use::Closure, ty, place);
        if let End::Yield(atom) = &block.end {
            into.append(&mut block.statements);
            return atom.clone();
        }
        let local = self.fresh("closure$", ty, place);
        into.push(Statement { kind: StatementKind::Let(local, Rhs::Scope(Box::new(block))), place });
        Atom::Local(local)
    }

    /// Whether a call is of a variant whose lambdas all take `arguments` arguments.
    fn chooses(&self, callee: &Atom, arguments: usize) -> bool {
        self.variant(callee).is_some_and(|_| {
            let lambdas = &self.plan.lambdas[&self.ty(callee)];
            lambdas.iter().all(|lambda| self.before.functions[*lambda].params.len() == arguments)
        })
    }

    /// A block for each lambda of a variant, selected by its tag; `result` is the type that they yield.
    fn choice(&mut self, variant: LocalId, to: &Use, result: Type, place: Place) -> Block {
        let ty = self.before.functions[self.id].locals[variant].ty;
        let lambdas = self.plan.lambdas[&ty].clone();
        let mut blocks: Vec<Block> =
            (0..lambdas.len()).map(|case| self.chosen(variant, (case, lambdas[case]), to, result, place)).collect();
        if blocks.len() == 1 {
            return blocks.remove(0);
        }
        let int = self.program.types.intern(TypeKind::Integer(IntegerType::Int));
        let tag = self.fresh("tag$", int, place);
        let read = Rhs::Tag(Atom::Local(variant));
        let cases = blocks.into_iter().enumerate().map(|(case, block)| (case as i128, block)).collect();
        Block {
            statements: vec![Statement { kind: StatementKind::Let(tag, read), place }],
            end: End::Switch { scrutinee: Atom::Local(tag), cases, default: None },
        }
    }

    /// The block for one lambda of a variant.
    fn chosen(
        &mut self,
        variant: LocalId,
        (case, lambda): (usize, FunctionId),
        to: &Use,
        result: Type,
        place: Place,
    ) -> Block {
        let mut statements = Vec::new();
        let closure = self.remade(variant, (case, lambda), place, &mut statements);
        let call = |arguments: &Vec<Atom>| Call::new(Callee::Direct(lambda, closure.clone()), arguments.clone());
        let end = match to {
            Use::Closure => End::Yield(closure),
            Use::Call(arguments) => {
                let call = call(arguments);
                let local = self.fresh("result$", result, place);
                statements.push(Statement { kind: StatementKind::Let(local, Rhs::Call(call)), place });
                End::Yield(Atom::Local(local))
            }
            Use::TailCall(arguments) => End::TailCall { call: call(arguments), required: false, place },
        };
        Block { statements, end }
    }

    /// The closure of a lambda with the captures in a variant.
    fn remade(
        &mut self,
        variant: LocalId,
        (case, lambda): (usize, FunctionId),
        place: Place,
        into: &mut Vec<Statement>,
    ) -> Atom {
        let captures = self.program.functions[lambda].captures().to_vec();
        let ty = self.before.functions[self.id].locals[variant].ty;
        let ty = self.variants.value(&mut self.program.types, ty);
        if captures.is_empty() {
            return Atom::Function(lambda, ty);
        }
        let fields: Vec<Atom> = captures
            .into_iter()
            .enumerate()
            .map(|(field, capture)| {
                let Local { name, ty, .. } = self.program.functions[lambda].locals[capture].clone();
                let local = self.fresh(name.as_str(), ty, place);
                let rhs = Rhs::Field { value: Atom::Local(variant), case, field };
                into.push(Statement { kind: StatementKind::Let(local, rhs), place });
                Atom::Local(local)
            })
            .collect();
        let kind = AllocationKind::Closure(lambda);
        let allocation =
            self.program.allocations.alloc(Allocation { kind, function: self.id, decision: None, span: place.span });
        let local = self.fresh("closure$", ty, place);
        let closure = MakeClosure { function: lambda, captures: fields, allocation };
        into.push(Statement { kind: StatementKind::Let(local, Rhs::Closure(closure)), place });
        Atom::Local(local)
    }

    /// Removes the closures that were stored and have no other use.
    fn forget_closures(&self, body: &mut Block) {
        let mut used = HashSet::new();
        body.each_atom(&mut |atom| {
            if let Atom::Local(local) = atom {
                used.insert(*local);
            }
        });
        body.each_mut(&mut |block| {
            block.statements.retain(|statement| match &statement.kind {
                StatementKind::Let(local, Rhs::Closure(_)) => used.contains(local),
                StatementKind::Let(..) | StatementKind::Group(_) => true,
            });
        });
    }
}
