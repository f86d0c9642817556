//! Replaces copies by what they copy, and operations with known results: parts of a tuple or case that is created in the
//! same function, the tag of such a case, the arity and the code of such a closure, conditionals on constants, and joins
//! with at most one jump.
//!
//! Condition: the replaced operation has no effect, and locals are immutable; an operand is visible wherever its copy is.

use clef_base::{HashMap, HashSet, parallel};
use clef_core::{
    Atom, Block, Callee, Convention, Copied, Declared, End, Function, FunctionId, Join, JoinId, LocalId, MakeClosure,
    Place, Program, Rhs, Statement, StatementKind,
};
use clef_types::{Intrinsic, Primitive, Type, Types};
use la_arena::Arena;
use std::cmp::Ordering;

/// Propagates in every function.
pub(super) fn propagate(program: &mut Program) {
    let signatures = Signatures::of(program);
    let mut functions: Vec<&mut Function> = program.functions.iter_mut().map(|(_, function)| function).collect();
    parallel::each_mut(&mut functions, |function| {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        let mut known = std::mem::take(&mut function.copied);
        let mut pass = Propagation {
            function,
            signatures: &signatures,
            copies: HashMap::default(),
            copied: Vec::new(),
            values: HashMap::default(),
        };
        pass.block(&mut body);
        known.append(&mut pass.copied);
        known.truncate(Copied::MOST);
        known.iter_mut().for_each(|copied| pass.atom(&mut copied.operand));
        function.body = body;
        function.copied = known;
    });
}

/// Facts about the functions whose closures are used.
struct Signatures {
    arities: HashMap<FunctionId, usize>,
    types: HashMap<FunctionId, Type>,
    /// The types whose values have a field that may be overwritten.
    mutable: HashSet<Type>,
}

impl Signatures {
    fn of(program: &mut Program) -> Signatures {
        let Program { functions, types, declared, .. } = program;
        let is_mutable = |declared: &Declared| declared.cases.iter().any(|case| !case.mutable.is_empty());
        let functions: &Arena<Function> = functions;
        let types: &mut Types = types;
        Signatures {
            arities: functions.iter().map(|(id, function)| (id, function.params.len())).collect(),
            types: functions
                .iter()
                .filter(|(_, function)| matches!(function.convention, Convention::Closure { .. }))
                .map(|(id, function)| (id, function.closure_type(types)))
                .collect(),
            mutable: declared.iter().filter(|(_, one)| is_mutable(one)).map(|(ty, _)| *ty).collect(),
        }
    }
}

/// How the value of a local was created.
#[derive(Clone)]
enum Value {
    Tuple(Vec<Atom>),
    Case(usize, Vec<Atom>),
    Closure(FunctionId),
    /// An array of this length.
    Array(i128),
}

struct Propagation<'a> {
    function: &'a Function,
    signatures: &'a Signatures,
    copies: HashMap<LocalId, Atom>,
    /// Those of the copies that have a name in the source.
    copied: Vec<Copied>,
    values: HashMap<LocalId, Value>,
}

impl Propagation<'_> {
    fn atom(&self, atom: &mut Atom) {
        if let Atom::Local(local) = atom
            && let Some(copied) = self.copies.get(local)
        {
            *atom = copied.clone();
        }
    }

    fn value(&self, atom: &Atom) -> Option<&Value> {
        match atom {
            Atom::Local(local) => self.values.get(local),
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

    /// The code of a closure, if it is known.
    fn code(&self, atom: &Atom) -> Option<FunctionId> {
        match (atom, self.value(atom)) {
            (Atom::Function(id, _), _) | (_, Some(Value::Closure(id))) => Some(*id),
            (_, Some(Value::Tuple(_) | Value::Case(..) | Value::Array(_)) | None) => None,
        }
    }

    fn block(&mut self, block: &mut Block) {
        let before = std::mem::take(&mut block.statements);
        block.statements.reserve_exact(before.len());
        for mut statement in before {
            statement.atoms_mut(&mut |atom| self.atom(atom));
            if !self.statement(&mut statement) {
                continue;
            }
            if let StatementKind::Let(local, Rhs::Scope(inner)) = &mut statement.kind {
                match &inner.end {
                    End::Yield(value) => {
                        self.copy(*local, value.clone(), statement.place);
                        block.statements.append(&mut inner.statements);
                        continue;
                    }
                    End::Trap(..) => {
                        block.statements.append(&mut inner.statements);
                        block.end = std::mem::replace(&mut inner.end, End::Yield(Atom::Unit));
                        return;
                    }
                    End::TailCall { .. }
                    | End::Continue(_)
                    | End::If { .. }
                    | End::Switch { .. }
                    | End::Join { .. }
                    | End::Jump(..) => {}
                }
            }
            block.statements.push(statement);
        }
        self.end(block);
    }

    /// Propagates into a statement; returns whether it is still necessary.
    fn statement(&mut self, statement: &mut Statement) -> bool {
        match &mut statement.kind {
            StatementKind::Let(local, rhs) => {
                rhs.each_block_mut(&mut |block| self.block(block));
                self.call(rhs);
                if let Some(atom) = self.known(*local, rhs) {
                    self.copy(*local, atom, statement.place);
                    return false;
                }
                self.remember(*local, rhs);
            }
            StatementKind::Group(members) => {
                members.retain(|(local, closure)| !self.constant_closure(*local, closure));
                for (local, closure) in members.iter_mut() {
                    self.values.insert(*local, Value::Closure(closure.function));
                    closure.captures.iter_mut().for_each(|atom| self.atom(atom));
                }
                if members.is_empty() {
                    return false;
                }
            }
        }
        true
    }

    /// Replaces a local by an operand.
    fn copy(&mut self, local: LocalId, operand: Atom, place: Place) {
        if !self.function.locals[local].name.as_str().contains('$') {
            self.copied.push(Copied { local, operand: operand.clone(), place });
        }
        self.copies.insert(local, operand);
    }

    /// Records a closure without captures as a constant.
    fn constant_closure(&mut self, local: LocalId, closure: &MakeClosure) -> bool {
        let Some(&ty) = self.signatures.types.get(&closure.function) else { return false };
        let constant = closure.captures.is_empty();
        if constant {
            self.copies.insert(local, Atom::Function(closure.function, ty));
        }
        constant
    }

    fn call(&self, rhs: &mut Rhs) {
        if let Rhs::Call(call) = rhs {
            self.callee(&mut call.callee, call.arguments.len());
        }
    }

    fn callee(&self, callee: &mut Callee, count: usize) {
        if let Callee::Closure(closure) = callee
            && let Some(code) = self.code(closure)
            && self.signatures.arities.get(&code) == Some(&count)
        {
            *callee = Callee::Direct(code, closure.clone());
        }
    }

    /// The operand that equals the result of a computation.
    #[allow(clippy::wildcard_enum_match_arm, reason = "a few operations among many can have a known result")]
    fn known(&mut self, local: LocalId, rhs: &Rhs) -> Option<Atom> {
        let ty = self.function.locals[local].ty;
        match rhs {
            Rhs::Atom(atom) => Some(atom.clone()),
            Rhs::Component(atom, index) => match self.value(atom)? {
                Value::Tuple(parts) => parts.get(*index).cloned(),
                Value::Case(..) | Value::Closure(_) | Value::Array(_) => None,
            },
            Rhs::Field { value, case, field } => match self.value(value)? {
                Value::Case(tag, fields) if tag == case => fields.get(*field).cloned(),
                Value::Case(..) | Value::Tuple(_) | Value::Closure(_) | Value::Array(_) => None,
            },
            Rhs::Tag(atom) => match self.value(atom)? {
                Value::Case(tag, _) => Some(Atom::Integer(*tag as i128, ty)),
                Value::Tuple(_) | Value::Closure(_) | Value::Array(_) => None,
            },
            Rhs::Arity(atom) => {
                let arity = self.signatures.arities.get(&self.code(atom)?)?;
                Some(Atom::Integer(*arity as i128, ty))
            }
            Rhs::Primitive(primitive, operands) => constant(*primitive, operands),
            Rhs::Intrinsic { intrinsic: Intrinsic::ArrayLength, arguments, .. } => match self.value(&arguments[0])? {
                Value::Array(length) => Some(Atom::Integer(*length, ty)),
                Value::Tuple(_) | Value::Case(..) | Value::Closure(_) => None,
            },
            Rhs::Closure(closure) => self.constant_closure(local, closure).then(|| self.copies[&local].clone()),
            _ => None,
        }
    }

    fn remember(&mut self, local: LocalId, rhs: &Rhs) {
        let value = if let Rhs::Tuple(parts) = rhs {
            Value::Tuple(parts.clone())
        } else if let Rhs::Inject { ty, case, fields, .. } = rhs
            && !self.signatures.mutable.contains(ty)
        {
            Value::Case(*case, fields.clone())
        } else if let Rhs::Closure(closure) = rhs {
            Value::Closure(closure.function)
        } else if let Some(length) = array_length(rhs) {
            Value::Array(length)
        } else {
            return;
        };
        self.values.insert(local, value);
    }

    fn end(&mut self, block: &mut Block) {
        block.end.atoms_mut(&mut |atom| self.atom(atom));
        if let Some(chosen) = chosen(&mut block.end) {
            self.splice(block, chosen);
            return;
        }
        match &mut block.end {
            End::TailCall { call, .. } => self.callee(&mut call.callee, call.arguments.len()),
            End::Join { join, scope } => {
                self.block(scope);
                if let Some(mut replaced) = self.join(join, scope) {
                    block.statements.append(&mut replaced.statements);
                    block.end = replaced.end;
                }
            }
            End::If { .. } | End::Switch { .. } => {
                block.end.each_block_mut(&mut |block| self.block(block));
            }
            End::Yield(_) | End::Continue(_) | End::Jump(..) | End::Trap(..) => {}
        }
    }

    /// Continues a block with another one, which has not been visited.
    fn splice(&mut self, block: &mut Block, mut next: Block) {
        self.block(&mut next);
        block.statements.append(&mut next.statements);
        block.end = next.end;
    }

    /// The scope of a join with the join's body in place of its only jump, or without the join if there is none.
    fn join(&mut self, join: &mut Join, scope: &mut Block) -> Option<Block> {
        match jumps(scope, join.id) {
            0 => Some(std::mem::replace(scope, Block::empty())),
            1 => {
                at_jump(scope, join.id, &mut |arguments| {
                    self.copies.extend(join.params.iter().copied().zip(arguments));
                    let mut body = std::mem::replace(&mut *join.body, Block::empty());
                    self.block(&mut body);
                    body
                });
                Some(std::mem::replace(scope, Block::empty()))
            }
            _ => {
                self.block(&mut join.body);
                None
            }
        }
    }
}

/// The length of the array that an operation creates, if it is known.
fn array_length(rhs: &Rhs) -> Option<i128> {
    let creates = matches!(rhs, Rhs::Array { .. } | Rhs::Intrinsic { intrinsic: Intrinsic::ArrayZero, .. });
    rhs.element_count().filter(|length| creates && *length >= 0)
}

/// The block that a conditional on a constant chooses.
fn chosen(end: &mut End) -> Option<Block> {
    let take = |block: &mut Block| std::mem::replace(block, Block::empty());
    match end {
        End::If { condition: Atom::Bool(condition), then, otherwise } => {
            Some(take(if *condition { then } else { otherwise }))
        }
        End::Switch { scrutinee, cases, default } => {
            let value = match scrutinee {
                Atom::Integer(value, _) => *value,
                Atom::Char(value) => i128::from(u32::from(*value)),
                Atom::Local(_)
                | Atom::Unit
                | Atom::Bool(_)
                | Atom::Float(..)
                | Atom::String(_)
                | Atom::ProgramRegion
                | Atom::Function(..) => return None,
            };
            let case = cases.iter_mut().find(|(case, _)| *case == value).map(|(_, block)| block);
            case.or(default.as_deref_mut()).map(take)
        }
        End::If { .. }
        | End::Yield(_)
        | End::TailCall { .. }
        | End::Continue(_)
        | End::Join { .. }
        | End::Jump(..)
        | End::Trap(..) => None,
    }
}

fn jumps(block: &Block, id: JoinId) -> usize {
    match &block.end {
        End::Jump(join, _) => usize::from(*join == id),
        end @ (End::Yield(_)
        | End::TailCall { .. }
        | End::Continue(_)
        | End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Trap(..)) => end.blocks().into_iter().map(|block| jumps(block, id)).sum(),
    }
}

/// Replaces the end of the block that jumps to a join by the result of `with` for the arguments.
fn at_jump(block: &mut Block, id: JoinId, with: &mut dyn FnMut(Vec<Atom>) -> Block) {
    match &mut block.end {
        End::Jump(join, arguments) if *join == id => {
            let mut next = with(std::mem::take(arguments));
            block.statements.append(&mut next.statements);
            block.end = next.end;
        }
        end @ (End::Yield(_)
        | End::TailCall { .. }
        | End::Continue(_)
        | End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Jump(..)
        | End::Trap(..)) => end.blocks_mut().into_iter().for_each(|block| at_jump(block, id, with)),
    }
}

/// Evaluates a primitive on constants, if its meaning does not depend on the target.
fn constant(primitive: Primitive, operands: &[Atom]) -> Option<Atom> {
    let order = match operands {
        [Atom::Bool(value)] if primitive == Primitive::Not => return Some(Atom::Bool(!value)),
        [Atom::Integer(first, _), Atom::Integer(second, _)] => first.cmp(second),
        [Atom::Bool(first), Atom::Bool(second)] => first.cmp(second),
        [Atom::Char(first), Atom::Char(second)] => first.cmp(second),
        _ => return None,
    };
    let (_, holds) = COMPARISONS.iter().find(|(known, _)| *known == primitive)?;
    Some(Atom::Bool(holds(order)))
}

/// A comparison, with the orders for which it holds.
type Comparison = (Primitive, fn(Ordering) -> bool);

const COMPARISONS: [Comparison; 6] = [
    (Primitive::Equal, Ordering::is_eq),
    (Primitive::NotEqual, Ordering::is_ne),
    (Primitive::Less, Ordering::is_lt),
    (Primitive::LessEqual, Ordering::is_le),
    (Primitive::Greater, Ordering::is_gt),
    (Primitive::GreaterEqual, Ordering::is_ge),
];
