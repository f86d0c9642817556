//! Tests of an index against a length, before an access that tests it again.
//!
//! `if i < length text then … text[i] … else b` tests the index twice: as a signed number against the length, and then,
//! because it may be negative, as an unsigned one. The unsigned test alone decides in the usual case:
//!
//! ```text
//! if uint i < uint (length text) then … text[i] … else if i < length text then trap else b
//! ```
//!
//! The test of the access then repeats the one before it, and LLVM drops it. Condition: the access comes first among
//! what has an effect or can trap, so that nothing happens before the trap that did not happen before.

use crate::dead;
use clef_base::{HashMap, Symbol};
use clef_core::{Atom, Block, End, Function, Local, LocalId, Place, Program, Rhs, Statement, StatementKind, Trap};
use clef_types::{IntegerType, Intrinsic, Primitive, Type, TypeKind};

/// Rewrites the tests in every function.
pub(super) fn join(program: &mut Program) {
    let uint = program.types.intern(TypeKind::Integer(IntegerType::UInt));
    let bool = program.types.intern(TypeKind::Bool);
    for (_, function) in program.functions.iter_mut() {
        let tests = Tests::of(&function.body);
        if !tests.comparisons.is_empty() {
            let mut body = std::mem::replace(&mut function.body, Block::empty());
            body.each_mut(&mut |block| rewrite(block, function, &tests, (uint, bool)));
            function.body = body;
        }
    }
}

/// A comparison of an index with the length of a string or an array.
struct Comparison {
    index: LocalId,
    length: LocalId,
    /// Whether it is true if the index is less; otherwise it is false then.
    is_less: bool,
}

/// What the locals of a function test.
#[derive(Default)]
struct Tests {
    /// The string or the array whose length a local is.
    lengths: HashMap<LocalId, Atom>,
    comparisons: HashMap<LocalId, Comparison>,
}

impl Tests {
    fn of(body: &Block) -> Tests {
        let mut tests = Tests::default();
        body.each_statement(&mut |statement| tests.note(statement));
        let Tests { lengths, comparisons } = &mut tests;
        comparisons.retain(|_, comparison| lengths.contains_key(&comparison.length));
        tests
    }

    fn note(&mut self, statement: &Statement) {
        let StatementKind::Let(local, rhs) = &statement.kind else { return };
        if let Rhs::Intrinsic { intrinsic: Intrinsic::StringLength | Intrinsic::ArrayLength, arguments, .. } = rhs {
            self.lengths.insert(*local, arguments[0].clone());
        }
        let Rhs::Primitive(primitive, operands) = rhs else { return };
        let [Atom::Local(left), Atom::Local(right)] = operands.as_slice() else { return };
        let is_less = matches!(primitive, Primitive::Less | Primitive::Greater);
        let (index, length) = if matches!(primitive, Primitive::Less | Primitive::GreaterEqual) {
            (left, right)
        } else if matches!(primitive, Primitive::Greater | Primitive::LessEqual) {
            (right, left)
        } else {
            return;
        };
        self.comparisons.insert(*local, Comparison { index: *index, length: *length, is_less });
    }
}

/// Rewrites how a block ends.
fn rewrite(block: &mut Block, function: &mut Function, tests: &Tests, (uint, bool): (Type, Type)) {
    let End::If { condition, then, otherwise } = &mut block.end else { return };
    let Atom::Local(test) = condition else { return };
    let Some(comparison) = tests.comparisons.get(test) else { return };
    let (inside, outside) = if comparison.is_less { (then, otherwise) } else { (otherwise, then) };
    let Some(place) = first_access(inside, comparison.index, &tests.lengths[&comparison.length]) else { return };
    let mut fresh = |ty| function.locals.alloc(Local { name: Symbol::new("$"), ty, span: place.span });
    let unsigned = [comparison.index, comparison.length].map(|operand| {
        let local = fresh(uint);
        block.statements.push(bind(local, Primitive::Convert, vec![Atom::Local(operand)], place));
        Atom::Local(local)
    });
    let decides = fresh(bool);
    block.statements.push(bind(decides, Primitive::Less, unsigned.to_vec(), place));
    let trap = Block { statements: Vec::new(), end: End::Trap(Trap::IndexOutOfRange, place) };
    let other = std::mem::replace(&mut **outside, Block::empty());
    let (then, otherwise) = if comparison.is_less { (trap, other) } else { (other, trap) };
    let end = End::If { condition: condition.clone(), then: Box::new(then), otherwise: Box::new(otherwise) };
    let outside = Box::new(Block { statements: Vec::new(), end });
    let inside = std::mem::replace(inside, Box::new(Block::empty()));
    block.end = End::If { condition: Atom::Local(decides), then: inside, otherwise: outside };
}

fn bind(local: LocalId, primitive: Primitive, operands: Vec<Atom>, place: Place) -> Statement {
    Statement { kind: StatementKind::Let(local, Rhs::Primitive(primitive, operands)), place }
}

/// Where a block accesses an element of a string or an array at an index, before anything that has an effect.
fn first_access(block: &Block, index: LocalId, of: &Atom) -> Option<Place> {
    for statement in &block.statements {
        let StatementKind::Let(_, rhs) = &statement.kind else { continue };
        if dead::pure(rhs) {
            continue;
        }
        if let Rhs::Scope(inner) = rhs {
            return first_access(inner, index, of);
        }
        let Rhs::Intrinsic { intrinsic, arguments, .. } = rhs else { return None };
        let is_wanted = is_access(*intrinsic) && arguments[0] == *of && arguments[1] == Atom::Local(index);
        return is_wanted.then_some(statement.place);
    }
    None
}

/// Whether an operation tests its second argument against the length of its first one before anything else.
fn is_access(intrinsic: Intrinsic) -> bool {
    matches!(intrinsic, Intrinsic::StringByte | Intrinsic::ArrayGet | Intrinsic::ArraySet)
}
