//! A loop that fills an array, and the one that reads it.
//!
//! Both count from the first index to the last one; the first loop puts one element in each round, and the second one gets
//! it in the round of the same number. The length is that of another array, or a number, so that making the array cannot trap.

use super::loops::{Counting, binds};
use super::{Statements, Uses};
use clef_base::HashMap;
use clef_core::{Atom, Block, End, LocalId, Rhs, Statement, StatementKind};
use clef_types::{Intrinsic, Primitive};

/// What is known of the lengths of arrays.
#[derive(Default)]
pub(super) struct Lengths {
    known: HashMap<LocalId, Known>,
    /// How often the length of an array is asked for.
    asked: HashMap<LocalId, usize>,
}

/// What a local is.
enum Known {
    /// An array with a number of elements.
    Array(Atom),
    /// The length of an array.
    LengthOf(LocalId),
    /// One less than a number.
    Before(Atom),
    /// Whether a number is at most another one.
    InOrder(Atom, Atom),
}

impl Known {
    fn of(rhs: &Rhs) -> Option<Known> {
        if let Rhs::Intrinsic { intrinsic, arguments, .. } = rhs {
            let [operand] = arguments.as_slice() else { return None };
            return match (*intrinsic == Intrinsic::ArrayZero, *intrinsic == Intrinsic::ArrayLength) {
                (true, _) => Some(Known::Array(operand.clone())),
                (_, true) => Some(Known::LengthOf(operand.local()?)),
                (false, false) => None,
            };
        }
        let Rhs::Primitive(primitive, operands) = rhs else { return None };
        let [first, second] = operands.as_slice() else { return None };
        match (primitive, second) {
            (Primitive::Subtract, Atom::Integer(1, _)) => Some(Known::Before(first.clone())),
            (Primitive::LessEqual, _) => Some(Known::InOrder(first.clone(), second.clone())),
            (Primitive::GreaterEqual, _) => Some(Known::InOrder(second.clone(), first.clone())),
            _ => None,
        }
    }
}

/// A length.
#[derive(PartialEq, Eq)]
enum Length {
    Number(i128),
    /// That of an array of which no more is known.
    Of(LocalId),
    /// The value of a local.
    Value(LocalId),
}

/// The array and the arguments of an access to an array.
fn access(statement: &Statement, wanted: Intrinsic) -> Option<(LocalId, &[Atom])> {
    let Some(Rhs::Intrinsic { intrinsic, arguments, .. }) = statement.rhs() else { return None };
    let (array, others) = arguments.split_first()?;
    Some((array.local().filter(|_| *intrinsic == wanted)?, others))
}

impl Lengths {
    /// Notes what a statement tells.
    pub(super) fn note(&mut self, statement: &Statement) {
        let StatementKind::Let(local, rhs) = &statement.kind else { return };
        if let Some((array, _)) = access(statement, Intrinsic::ArrayLength) {
            *self.asked.entry(array).or_insert(0) += 1;
        }
        if let Some(known) = Known::of(rhs) {
            self.known.insert(*local, known);
        }
    }

    /// The length that a number is.
    fn of(&self, number: &Atom) -> Option<Length> {
        let mut number = number;
        loop {
            if let Atom::Integer(value, _) = number {
                return Some(Length::Number(*value));
            }
            let value = number.local()?;
            let Some(Known::LengthOf(array)) = self.known.get(&value) else { return Some(Length::Value(value)) };
            let Some(Known::Array(count)) = self.known.get(array) else { return Some(Length::Of(*array)) };
            number = count;
        }
    }

    fn of_array(&self, array: LocalId) -> Option<Length> {
        if let Some(Known::Array(count)) = self.known.get(&array) { self.of(count) } else { Some(Length::Of(array)) }
    }

    /// The length of the arrays of which a loop visits all indices, if it begins at zero.
    fn visited(&self, counting: &Counting) -> Option<Length> {
        if let Atom::Integer(last, _) = &counting.last {
            return Some(Length::Number(last + 1));
        }
        let Known::Before(number) = self.known.get(&counting.last.local()?)? else { return None };
        self.of(number)
    }

    /// The gets in the body of a loop at indices that are in range.
    pub(super) fn gets_in_range(&self, body: &Block, counting: &Counting, uses: &Uses) -> Vec<LocalId> {
        let Some(visited) = self.visited(counting).filter(|_| self.begins_at_zero(counting, uses)) else {
            return Vec::new();
        };
        let gets = body.statements.iter().filter_map(|statement| {
            let (array, arguments) = access(statement, Intrinsic::ArrayGet)?;
            let is_in_range = arguments.first()?.local() == Some(counting.index)
                && self.of_array(array).is_some_and(|length| length == visited);
            is_in_range.then(|| statement.bound()[0])
        });
        gets.collect()
    }

    /// The number of elements of a new array, if it is not negative.
    pub(super) fn count_of_new(&self, statement: &Statement) -> Option<Atom> {
        let Some(Rhs::Intrinsic { intrinsic: Intrinsic::ArrayZero, arguments, .. }) = statement.rhs() else {
            return None;
        };
        let [count] = arguments.as_slice() else { return None };
        let is_length = if let Atom::Integer(count, _) = count {
            *count >= 0
        } else {
            matches!(self.known.get(&count.local()?), Some(Known::LengthOf(_)))
        };
        is_length.then(|| count.clone())
    }

    /// Whether a loop runs for each index from zero on, and so not at all for an empty array, when its cells are new.
    fn begins_at_zero(&self, counting: &Counting, uses: &Uses) -> bool {
        let is_zero = matches!(uses.initial.get(&counting.counter), Some(Atom::Integer(0, _)));
        counting.is_upwards && is_zero && self.is_entered_in_order(counting, uses)
    }

    /// Whether a loop runs only if its counter does not begin beyond its last value, so that it ends.
    pub(super) fn is_entered_in_order(&self, counting: &Counting, uses: &Uses) -> bool {
        let (Some(first), Some(flag)) = (uses.initial.get(&counting.counter), uses.initial.get(&counting.flag)) else {
            return false;
        };
        let last = &counting.last;
        let (lower, upper) = if counting.is_upwards { (first, last) } else { (last, first) };
        match (flag, lower, upper) {
            (Atom::Bool(begins), Atom::Integer(lower, _), Atom::Integer(upper, _)) => *begins && lower <= upper,
            (Atom::Local(begins), ..) => {
                matches!(self.known.get(begins), Some(Known::InOrder(low, high)) if low == lower && high == upper)
            }
            _ => false,
        }
    }
}

/// Where a pair of loops is of which one fills an array and the other one reads it.
pub(super) struct Pair {
    /// The creation of the array, and the loops.
    pub(super) new: usize,
    pub(super) first: usize,
    pub(super) second: usize,
    /// The array, and its length.
    pub(super) array: LocalId,
    pub(super) count: Atom,
    /// The local of the put, the index and the element.
    pub(super) put: LocalId,
    index: LocalId,
    element: Atom,
    /// The index and the element in the second loop, and its work.
    other_index: LocalId,
    got: LocalId,
    pub(super) work: Block,
}

impl Pair {
    /// The loops after the creation of an array.
    pub(super) fn of(statements: &Statements<'_>, new: usize, uses: &Uses) -> Option<Pair> {
        let made = statements.at(new)?;
        let count = uses.lengths.count_of_new(made)?;
        let [array] = made.bound()[..] else { return None };
        if uses.count(array) != uses.lengths.asked.get(&array).copied().unwrap_or(0) + 2 {
            return None;
        }
        let first = statements.next_loop(new, array)?;
        let second = statements.next_loop(first, array)?;
        let (filling, reading) = (statements.rhs(first)?, statements.rhs(second)?);
        let (fills, reads) = (Counting::of(filling, uses)?, Counting::of(reading, uses)?);
        let length = uses.lengths.of(&count)?;
        let visits_all = [&fills, &reads].into_iter().all(|counting| {
            uses.lengths.visited(counting).is_some_and(|visited| visited == length)
                && uses.lengths.begins_at_zero(counting, uses)
                && [counting.counter, counting.flag].iter().all(|cell| statements.place(*cell).is_some())
        });
        let (Rhs::While { body: filling, .. }, Rhs::While { body: reading, .. }) = (filling, reading) else {
            return None;
        };
        let (put, element) = filling.statements.iter().find_map(|statement| {
            let (of, arguments) = access(statement, Intrinsic::ArrayPut)?;
            let [index, element] = arguments else { return None };
            (of == array && index.local() == Some(fills.index)).then(|| (statement.bound()[0], element.clone()))
        })?;
        let got = reading.statements.iter().find_map(|statement| {
            let (of, arguments) = access(statement, Intrinsic::ArrayGet)?;
            (of == array && arguments.first()?.local() == Some(reads.index)).then(|| statement.bound()[0])
        })?;
        // The counting of the second loop is left out.
        let [_, differs, flags, next, counts] = reads.parts;
        let only_counts = [differs, flags, next, counts].map(|local| uses.count(local)) == [1, 0, 1, 0];
        let is_unit = matches!(reading.end, End::Yield(Atom::Unit));
        let mut work = (**reading).clone();
        work.statements.retain(|statement| !reads.parts.iter().chain([&got]).any(|local| binds(statement, *local)));
        (visits_all && only_counts && is_unit && uses.count(put) == 0).then_some(Pair {
            new,
            first,
            second,
            array,
            count,
            put,
            index: fills.index,
            element,
            other_index: reads.index,
            got,
            work,
        })
    }

    /// The second loop's work takes the place of the put.
    pub(super) fn join(self, statements: &mut Statements<'_>) {
        let Pair { new, first, second, put, index, element, other_index, got, mut work, .. } = self;
        work.each_atom_mut(&mut |atom| match atom.local() {
            Some(local) if local == got => *atom = element.clone(),
            Some(local) if local == other_index => *atom = Atom::Local(index),
            _ => {}
        });
        statements.replace(first, second, &[new], |whole| {
            let Rhs::While { body, .. } = whole else { return };
            let place = body.statements.iter().position(|statement| binds(statement, put));
            if let Some(at) = place {
                body.statements.splice(at..=at, work.statements);
            }
        });
    }
}

/// The lengths of arrays that are not made any more, in the place of the questions for them.
pub(super) fn answer(body: &mut Block, counts: &HashMap<LocalId, Atom>) {
    body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            let count = access(statement, Intrinsic::ArrayLength).and_then(|(array, _)| counts.get(&array));
            if let (Some(count), StatementKind::Let(_, rhs)) = (count.cloned(), &mut statement.kind) {
                *rhs = Rhs::Atom(count);
            }
        }
    });
}
