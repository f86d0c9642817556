//! Checks every invariant of Core that `core` states. A violation is a bug of the compiler, never of the program.
//!
//! In: a program after `lower`, `simplify` or `place`. Out: the violations, with their places.

mod operation;

use super::{
    Allocation, AllocationId, Atom, Block, ConstantTypes, Convention, End, Function, FunctionId, JoinId, LocalId,
    Program, Rhs, Statement, StatementKind,
};
use clef_base::{HashMap, HashSet, Span, Symbol, internal};
use clef_types::{IntegerType, Type, TypeKind, Types};

/// A violated invariant.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The function.
    pub function: Symbol,
    /// The place.
    pub span: Span,
    /// What is violated.
    pub message: String,
}

/// Stops the compiler at the first violation.
pub fn assert_valid(program: &Program, phase: &'static str) {
    if let Some(violation) = verify(program).into_iter().next() {
        internal::bug(phase, violation.span, format!("in {}: {}", violation.function, violation.message));
    }
}

/// Finds the violations.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut types = program.types.clone();
    let constants = ConstantTypes::new(&mut types);
    let mut verifier = Verifier {
        program,
        types,
        constants,
        violations: Vec::new(),
        allocated: HashMap::default(),
        checked: HashSet::default(),
    };
    verifier.program();
    for (id, function) in program.functions.iter() {
        FunctionVerifier {
            verifier: &mut verifier,
            id,
            function,
            bound: HashSet::default(),
            visible: HashSet::default(),
            joins: HashMap::default(),
            seen_joins: HashSet::default(),
            span: function.span,
        }
        .function();
    }
    verifier.violations
}

struct Verifier<'program> {
    program: &'program Program,
    types: Types,
    constants: ConstantTypes,
    violations: Vec<Violation>,
    allocated: HashMap<AllocationId, FunctionId>,
    /// The types that were checked.
    checked: HashSet<Type>,
}

impl Verifier<'_> {
    fn program(&mut self) {
        let program = self.program;
        let start = &program.functions[program.start];
        let mut report = |condition: bool, function: Symbol, span: Span, message: &str| {
            if !condition {
                self.violations.push(Violation { function, span, message: message.into() });
            }
        };
        let int = TypeKind::Integer(IntegerType::Int);
        report(start.convention == Convention::Known, start.name, start.span, "start is a closure");
        report(start.params.is_empty(), start.name, start.span, "start has parameters");
        report(*program.types.kind(start.result) == int, start.name, start.span, "start does not return an int");
        let mut names = HashSet::default();
        for (_, function) in program.functions.iter() {
            report(names.insert(function.name), function.name, function.span, "duplicate function name");
        }
        let mut names = HashSet::default();
        for (_, global) in program.globals.iter() {
            report(names.insert(global.name), global.name, global.span, "duplicate global name");
        }
        for id in &program.arity_tagged {
            let function = &program.functions[*id];
            let closure = matches!(function.convention, Convention::Closure { .. });
            report(closure, function.name, function.span, "an arity before a function that is not a closure");
        }
        for (_, global) in program.globals.iter() {
            self.ty(global.ty, global.name, global.span);
        }
    }

    /// Checks that a type has no parameter, and that its declared types are described.
    fn ty(&mut self, ty: Type, function: Symbol, span: Span) {
        if !self.checked.insert(ty) {
            return;
        }
        let parts = match self.types.kind(ty).clone() {
            TypeKind::Parameter(_) => {
                let message = "a type parameter is left".into();
                return self.violations.push(Violation { function, span, message });
            }
            TypeKind::Enum(..) => {
                let message = "an enum is left".into();
                return self.violations.push(Violation { function, span, message });
            }
            TypeKind::Declared(_, arguments) => {
                if !self.program.declared.contains_key(&ty) {
                    let message = "a declared type without description".into();
                    self.violations.push(Violation { function, span, message });
                }
                arguments
            }
            TypeKind::Function(argument, result) => vec![argument, result],
            TypeKind::Tuple(parts) => parts,
            TypeKind::Reference(of) | TypeKind::Array(of) | TypeKind::NativePointer(of) | TypeKind::Slot(of) => {
                vec![of]
            }
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region => Vec::new(),
        };
        for part in parts {
            self.ty(part, function, span);
        }
    }
}

/// The context of a block.
#[derive(Clone, Copy)]
struct Position {
    /// The type that it yields.
    result: Type,
    /// Whether its value is the function's.
    tail: bool,
}

struct FunctionVerifier<'verifier, 'program> {
    verifier: &'verifier mut Verifier<'program>,
    id: FunctionId,
    function: &'program Function,
    bound: HashSet<LocalId>,
    visible: HashSet<LocalId>,
    joins: HashMap<JoinId, Vec<Type>>,
    seen_joins: HashSet<JoinId>,
    span: Span,
}

impl<'program> FunctionVerifier<'_, 'program> {
    fn require(&mut self, condition: bool, message: impl FnOnce() -> String) {
        if !condition {
            let (function, span) = (self.function.name, self.span);
            self.verifier.violations.push(Violation { function, span, message: message() });
        }
    }

    fn function(&mut self) {
        let function = self.function;
        for (_, local) in function.locals.iter() {
            self.verifier.ty(local.ty, function.name, local.span);
        }
        self.verifier.ty(function.result, function.name, function.span);
        for &param in function.params.iter().chain(&function.regions) {
            self.bind(param);
        }
        self.require(function.leading_captures <= function.params.len(), || {
            "more leading captures than parameters".into()
        });
        if let Convention::Closure { captures, owned, itself } = &function.convention {
            self.require(owned.iter().all(|local| captures.contains(local)), || {
                "an owned cell is not a capture".into()
            });
            self.require(function.leading_captures == 0, || "a closure has leading captures".into());
            self.require(!function.params.is_empty(), || "a closure has no parameters".into());
            for &local in captures.iter().chain(itself) {
                self.bind(local);
            }
        }
        self.block(&function.body, Position { result: function.result, tail: true });
    }

    fn bind(&mut self, local: LocalId) {
        let fresh = self.bound.insert(local);
        self.require(fresh, || format!("local {} is bound twice", local.into_raw()));
        self.visible.insert(local);
    }

    fn block(&mut self, block: &'program Block, position: Position) {
        let visible = self.visible.clone();
        for statement in &block.statements {
            self.span = statement.place.span;
            self.statement(statement);
        }
        self.end(&block.end, position);
        self.visible = visible;
    }

    fn statement(&mut self, statement: &'program Statement) {
        match &statement.kind {
            StatementKind::Let(local, rhs) => {
                self.allocation(rhs.allocation());
                if let Rhs::Scope(_) | Rhs::While { .. } = rhs {
                    self.control(*local, rhs);
                } else {
                    rhs.atoms(&mut |atom| self.used(atom));
                    let expected = self.function.locals[*local].ty;
                    self.operation(rhs, expected);
                }
                self.bind(*local);
            }
            StatementKind::Group(members) => {
                for (local, _) in members {
                    self.bind(*local);
                }
                for (local, closure) in members {
                    self.allocation(Some(closure.allocation));
                    closure.captures.iter().for_each(|atom| self.used(atom));
                    self.closure(closure, self.function.locals[*local].ty);
                }
            }
        }
    }

    fn control(&mut self, local: LocalId, rhs: &'program Rhs) {
        let joins = std::mem::take(&mut self.joins);
        let result = self.function.locals[local].ty;
        for (index, block) in rhs.blocks().into_iter().enumerate() {
            let condition = matches!(rhs, Rhs::While { .. }) && index == 0;
            let result = if condition { self.constant(&Atom::Bool(true)) } else { result };
            self.block(block, Position { result, tail: false });
        }
        self.joins = joins;
    }

    fn allocation(&mut self, allocation: Option<AllocationId>) {
        let Some(allocation) = allocation else { return };
        let Allocation { function, .. } = self.verifier.program.allocations[allocation];
        self.require(function == self.id, || "an allocation belongs to another function".into());
        let fresh = self.verifier.allocated.insert(allocation, self.id).is_none();
        self.require(fresh, || "two statements have the same allocation".into());
    }

    fn used(&mut self, atom: &Atom) {
        match atom {
            Atom::Local(local) => {
                let visible = self.visible.contains(local);
                let name = self.function.locals[*local].name;
                self.require(visible, || format!("{name}.{} is used where it is not bound", local.into_raw()));
            }
            Atom::Function(id, ty) => {
                let callee = &self.verifier.program.functions[*id];
                let constant =
                    matches!(&callee.convention, Convention::Closure { captures, .. } if captures.is_empty());
                self.require(constant, || format!("{} is not a constant closure but is used as one", callee.name));
                let function = self.function_type(*id);
                self.same(*ty, function, "a constant closure");
            }
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Integer(..)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::ProgramRegion => {}
        }
    }

    fn constant(&self, atom: &Atom) -> Type {
        self.verifier.constants.of(atom, self.function)
    }

    fn same(&mut self, found: Type, expected: Type, what: &str) {
        let program = self.verifier.program;
        let name = |ty| program.type_name(ty);
        if found != expected {
            let message = format!("{what} has type {}, expected {}", name(found), name(expected));
            self.require(false, || message);
        }
    }

    fn atom_is(&mut self, atom: &Atom, expected: Type, what: &str) {
        self.same(self.constant(atom), expected, what);
    }

    fn atoms_are(&mut self, atoms: &[Atom], expected: &[Type], what: &str) {
        let (found, wanted) = (atoms.len(), expected.len());
        self.require(found == wanted, || format!("{found} of {what}, expected {wanted}"));
        for (atom, expected) in atoms.iter().zip(expected) {
            self.atom_is(atom, *expected, what);
        }
    }

    fn end(&mut self, end: &'program End, position: Position) {
        end.atoms(&mut |atom| self.used(atom));
        match end {
            End::Yield(atom) => self.atom_is(atom, position.result, "the value of a block"),
            End::TailCall { call, place, .. } => {
                self.span = place.span;
                self.require(position.tail, || "a tail call in a scope".into());
                self.call(call, position.result);
            }
            End::Continue(atoms) => {
                self.require(position.tail, || "a continue in a scope".into());
                let types: Vec<_> = self.function.params.iter().map(|param| self.function.locals[*param].ty).collect();
                self.atoms_are(atoms, &types, "the arguments of a continue");
            }
            End::If { condition, then, otherwise } => {
                let bool = self.constant(&Atom::Bool(true));
                self.atom_is(condition, bool, "a condition");
                self.block(then, position);
                self.block(otherwise, position);
            }
            End::Switch { scrutinee, cases, default } => self.switch(scrutinee, cases, default.as_deref(), position),
            End::Join { join, scope } => {
                let fresh = self.seen_joins.insert(join.id) && join.id.0 < self.function.joins;
                self.require(fresh, || format!("{} is not a new join", join.id));
                let types = join.params.iter().map(|param| self.function.locals[*param].ty).collect();
                self.joins.insert(join.id, types);
                self.block(scope, position);
                self.joins.remove(&join.id);
                let visible = self.visible.clone();
                join.params.iter().for_each(|param| self.bind(*param));
                self.block(&join.body, position);
                self.visible = visible;
            }
            End::Jump(id, atoms) => match self.joins.get(id).cloned() {
                Some(types) => self.atoms_are(atoms, &types, "the arguments of a jump"),
                None => self.require(false, || format!("{id} is not in scope")),
            },
            End::Trap(..) => {}
        }
    }

    fn switch(
        &mut self,
        scrutinee: &Atom,
        cases: &'program [(i128, Block)],
        default: Option<&'program Block>,
        position: Position,
    ) {
        let ty = self.constant(scrutinee);
        let fits = matches!(self.verifier.types.kind(ty), TypeKind::Integer(_) | TypeKind::Char);
        self.require(fits, || "a switch on neither an integer nor a character".into());
        self.require(!cases.is_empty() || default.is_some(), || "a switch has no cases".into());
        let mut values = HashSet::default();
        for (value, block) in cases {
            let fresh = values.insert(*value);
            self.require(fresh, || format!("duplicate switch case {value}"));
            self.block(block, position);
        }
        if let Some(block) = default {
            self.block(block, position);
        }
    }
}
