//! Applies a plan: variants where values are stored, and function values created from them where these are required.
//!
//! In: a program and its [`Plan`]. Out: the program with its new types. An operand used where a variant is required is
//! wrapped with its captures; a call of a variant branches to calls of its lambdas; any other use of a variant creates
//! the closure first. Closures that were only stored are no longer created.

use super::{Plan, cells::Content, variants::Variants};
use clef_base::{HashMap, HashSet, Symbol};
use clef_core::{
    Allocation, AllocationKind, Atom, Block, Call, Callee, End, FunctionId, JoinId, Local, LocalId, MakeClosure, Place,
    Program, Rhs, Statement, StatementKind,
};
use clef_types::{IntegerType, Type, TypeKind};

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
            remade: HashMap::default(),
        };
        let wants = plan.results.get(&id).copied();
        rewriter.block(&mut body, wants);
        rewriter.forget_closures(&mut body);
        program.functions[id].body = body;
    }
}

/// Assigns every local, result, module-level value, allocation and field its new type.
fn retype(program: &mut Program, before: &Program, plan: &Plan, variants: &mut Variants<'_>) {
    for (id, function) in before.functions.iter() {
        for (local, declared) in function.locals.iter() {
            let ty = match plan.locals.get(&(id, local)) {
                Some(of) => variants.variant(&mut program.types, *of),
                None => variants.cells(&mut program.types, declared.ty, |ty| plan.positions.cells.local(id, local, ty)),
            };
            program.functions[id].locals[local].ty = ty;
        }
        program.functions[id].result = match plan.results.get(&id) {
            Some(of) => variants.variant(&mut program.types, *of),
            None => variants.cells(&mut program.types, function.result, |ty| plan.positions.cells.result(id, ty)),
        };
    }
    let (types, cells) = (&mut program.types, &plan.positions.cells);
    for (id, global) in program.globals.iter_mut() {
        let is_variable = global.mutable && matches!(types.kind(global.ty), TypeKind::Function(..));
        global.ty = match is_variable {
            true => variants.content(types, cells.global(id, global.ty)),
            false => variants.cells(types, global.ty, |ty| cells.global(id, ty)),
        };
    }
    for (id, allocation) in program.allocations.iter_mut() {
        match &mut allocation.kind {
            AllocationKind::Reference(content) => *content = variants.content(types, cells.allocation(id, *content)),
            AllocationKind::Array(ty) => *ty = variants.cells(types, *ty, |content| cells.allocation(id, content)),
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
    let mut made = HashMap::default();
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
    /// The closures that were created again from variants, where these can be used.
    remade: HashMap<LocalId, Atom>,
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

    /// What a local is a variant of.
    fn content(&self, local: LocalId) -> Option<Content> {
        self.plan.locals.get(&(self.id, local)).copied()
    }

    /// The local of an operand that is a variant.
    fn variant(&self, atom: &Atom) -> Option<LocalId> {
        match atom {
            Atom::Local(local) => self.content(*local).map(|_| *local),
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

    /// Rewrites a block; `wants` is given if its value must be a variant.
    fn block(&mut self, block: &mut Block, wants: Option<Content>) {
        let outside = self.remade.clone();
        let mut statements = Vec::with_capacity(block.statements.len());
        for statement in std::mem::take(&mut block.statements) {
            self.statement(statement, &mut statements);
        }
        self.end(block, wants, &mut statements);
        block.statements = statements;
        self.remade = outside;
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
                arguments.iter_mut().for_each(|atom| self.operand(atom, None, place, into));
                let result = self.program.functions[self.id].locals[*local].ty;
                let block = self.choice(callee, &Use::Call(arguments), result, place);
                into.push(Statement { kind: StatementKind::Let(*local, Rhs::Scope(Box::new(block))), place });
                return;
            }
            StatementKind::Let(local, rhs) => {
                let wants = self.content(*local).filter(|_| matches!(rhs, Rhs::Scope(_)));
                rhs.blocks_mut().into_iter().for_each(|block| self.block(block, wants));
            }
            StatementKind::Group(_) => {}
        }
        let mut position = 0;
        statement.atoms_mut(&mut |atom| {
            self.operand(atom, wanted.get(&position).copied(), place, into);
            position += 1;
        });
        into.push(statement);
    }

    /// The operands of a statement that must be variants, by their positions in visiting order.
    fn wanted(&self, statement: &Statement) -> HashMap<usize, Content> {
        let captured = |closure: &MakeClosure| -> Vec<Option<Content>> {
            let captures = self.before.functions[closure.function].captures().iter();
            captures.map(|capture| self.plan.locals.get(&(closure.function, *capture)).copied()).collect()
        };
        let wanted: Vec<Option<Content>> = match &statement.kind {
            StatementKind::Group(members) => members.iter().flat_map(|(_, closure)| captured(closure)).collect(),
            StatementKind::Let(_, Rhs::Closure(closure)) => captured(closure),
            StatementKind::Let(_, Rhs::Call(call)) => self.wanted_by_call(call),
            StatementKind::Let(local, Rhs::Atom(_)) => vec![self.content(*local)],
            StatementKind::Let(local, rhs) => self.wanted_by_store(*local, rhs),
        };
        wanted.into_iter().enumerate().filter_map(|(position, of)| Some((position, of?))).collect()
    }

    /// The operands of a store that must be variants.
    fn wanted_by_store(&self, local: LocalId, rhs: &Rhs) -> Vec<Option<Content>> {
        let positions = &self.plan.positions;
        let stored = positions.writes(self.before, &self.before.functions[self.id], local, rhs);
        let mut wanted = Vec::new();
        rhs.atoms(&mut |atom| {
            let is_stored = stored.contains(&wanted.len());
            let content = is_stored.then(|| positions.accessed(self.id, local, rhs, self.ty(atom)));
            wanted.push(content.filter(|of| self.plan.stores(*of)));
        });
        wanted
    }

    /// The operands of a call that must be variants.
    fn wanted_by_call(&self, call: &Call) -> Vec<Option<Content>> {
        match call.callee {
            Callee::Known(callee) => {
                let params = self.before.functions[callee].params.iter();
                params.map(|param| self.plan.locals.get(&(callee, *param)).copied()).collect()
            }
            Callee::Direct(..) | Callee::Closure(_) => Vec::new(),
        }
    }

    fn end(&mut self, block: &mut Block, wants: Option<Content>, into: &mut Vec<Statement>) {
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
            arguments.iter_mut().for_each(|atom| self.operand(atom, None, place, into));
            let result = self.program.functions[self.id].result;
            let mut chosen = self.choice(callee, &Use::TailCall(arguments), result, place);
            into.append(&mut chosen.statements);
            block.end = chosen.end;
            return;
        }
        block.end.blocks_mut().into_iter().for_each(|block| self.block(block, wants));
        let held =
            |locals: &[LocalId]| -> Vec<Option<Content>> { locals.iter().map(|local| self.content(*local)).collect() };
        let wanted = match &block.end {
            End::Yield(_) => vec![wants],
            End::TailCall { call, .. } => self.wanted_by_call(call),
            End::Continue(_) => held(&self.before.functions[self.id].params),
            End::Jump(join, _) => held(&self.joins[join]),
            End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Trap(..) => Vec::new(),
        };
        let mut position = 0;
        block.end.atoms_mut(&mut |atom| {
            self.operand(atom, wanted.get(position).copied().flatten(), place, into);
            position += 1;
        });
    }

    /// Converts an operand to what is required: a variant, or the address of a closure.
    fn operand(&mut self, atom: &mut Atom, wanted: Option<Content>, place: Place, into: &mut Vec<Statement>) {
        match (self.variant(atom), wanted) {
            (Some(_), Some(_)) => {}
            (Some(local), None) => *atom = self.closure(local, place, into),
            (None, Some(of)) => *atom = self.wrap(atom, of, place, into),
            (None, None) => self.retyped(atom),
        }
    }

    /// Updates the type of a constant closure.
    fn retyped(&mut self, atom: &mut Atom) {
        if let Atom::Function(_, ty) = atom {
            *ty = self.variants.value(&mut self.program.types, *ty);
        }
    }

    /// The variant of a closure that is created here.
    fn wrap(&mut self, atom: &Atom, of: Content, place: Place, into: &mut Vec<Statement>) -> Atom {
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
        let wanted: Vec<Option<Content>> = {
            let captures = self.before.functions[lambda].captures().iter();
            captures.map(|capture| self.plan.locals.get(&(lambda, *capture)).copied()).collect()
        };
        let mut fields = captures;
        fields.iter_mut().zip(wanted).for_each(|(field, wanted)| self.operand(field, wanted, place, into));
        let variant = self.variants.variant(&mut self.program.types, of);
        let local = self.fresh("stored$", variant, place);
        let case = self.plan.tag(of, lambda);
        let rhs = Rhs::Inject { ty: variant, case, fields, allocation: None, reuse: None };
        into.push(Statement { kind: StatementKind::Let(local, rhs), place });
        Atom::Local(local)
    }

    /// Creates the closure of a variant again, once in a block and those in it.
    fn closure(&mut self, variant: LocalId, place: Place, into: &mut Vec<Statement>) -> Atom {
        if let Some(remade) = self.remade.get(&variant) {
            return remade.clone();
        }
        let remade = self.remade(variant, place, into);
        self.remade.insert(variant, remade.clone());
        remade
    }

    fn remade(&mut self, variant: LocalId, place: Place, into: &mut Vec<Statement>) -> Atom {
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
        self.variant(callee).and_then(|local| self.content(local)).is_some_and(|of| {
            let lambdas = &self.plan.lambdas[&of];
            lambdas.iter().all(|lambda| self.before.functions[*lambda].params.len() == arguments)
        })
    }

    /// A block for each lambda of a variant, selected by its tag; `result` is the type that they yield.
    fn choice(&mut self, variant: LocalId, to: &Use, result: Type, place: Place) -> Block {
        let lambdas = self.plan.lambdas[&self.plan.locals[&(self.id, variant)]].clone();
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
        let closure = self.made_of(variant, (case, lambda), place, &mut statements);
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
    fn made_of(
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
        let allocation = self.program.allocations.alloc(Allocation::new(kind, self.id, place.span));
        let local = self.fresh("closure$", ty, place);
        let closure = MakeClosure { function: lambda, captures: fields, allocation };
        into.push(Statement { kind: StatementKind::Let(local, Rhs::Closure(closure)), place });
        Atom::Local(local)
    }

    /// Removes the closures that were stored and have no other use.
    fn forget_closures(&self, body: &mut Block) {
        let mut used = HashSet::default();
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
