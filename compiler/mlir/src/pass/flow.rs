//! Control flow inside a function, as far as the verifier needs it.

use clef_base::{HashMap, HashSet};
use melior::ir::{BlockLike as _, BlockRef, Value as MlirValue, attribute::DenseI32ArrayAttribute};

use crate::{Value, build::view::Op};

/// Whether control can reach `to` after leaving `from`.
pub(super) fn reaches<'m>(from: BlockRef<'m, 'm>, to: BlockRef<'m, 'm>) -> bool {
    let mut seen = Vec::new();
    let mut waiting = successors(from);
    while let Some(block) = waiting.pop() {
        if block == to {
            return true;
        }
        if !seen.contains(&block) {
            seen.push(block);
            waiting.extend(successors(block));
        }
    }
    false
}

fn successors<'m>(block: BlockRef<'m, 'm>) -> Vec<BlockRef<'m, 'm>> {
    Op::terminator_of(block).map(Op::successors).unwrap_or_default()
}

/// The blocks of a function from which control can reach `to`, by their addresses.
pub(super) fn reaching<'m>(function: Op<'m>, to: BlockRef<'m, 'm>) -> HashSet<usize> {
    let mut before: HashMap<usize, Vec<usize>> = HashMap::default();
    for block in function.blocks() {
        for successor in successors(block) {
            before.entry(address(successor)).or_default().push(address(block));
        }
    }
    let mut reaching = HashSet::default();
    let mut waiting = vec![address(to)];
    while let Some(block) = waiting.pop() {
        waiting.extend(before.get(&block).into_iter().flatten().copied().filter(|block| reaching.insert(*block)));
    }
    reaching
}

/// An identifier of a block, unique in its module.
pub(super) fn address(block: BlockRef<'_, '_>) -> usize {
    block.to_raw().ptr.addr()
}

/// Whether an operation may run more than once in a call of its function.
pub(super) fn may_repeat(op: Op<'_>) -> bool {
    reaches(op.block(), op.block())
}

/// Whether `first` may run before `second` does, in one call of their function.
pub(super) fn may_precede(first: Op<'_>, second: Op<'_>) -> bool {
    reaches(first.block(), second.block()) || (first.block() == second.block() && first.is_before(second))
}

/// The argument of a block that an operand of a terminator becomes.
pub(super) fn passed_to<'m>(terminator: Op<'m>, operand: usize) -> Option<Value<'m>> {
    let (successor, argument) = destination(terminator, operand)?;
    let block = *terminator.successors().get(successor)?;
    let argument = block.argument(argument).ok()?;
    Some(Value(MlirValue::from(argument)))
}

/// The successor and the index of the argument that an operand is passed to.
fn destination(terminator: Op<'_>, operand: usize) -> Option<(usize, usize)> {
    match terminator.name() {
        "llvm.br" => Some((0, operand)),
        "llvm.cond_br" => nth_group(&sizes(terminator, "operandSegmentSizes")[1..], operand.checked_sub(1)?),
        "llvm.switch" => {
            let default = *sizes(terminator, "operandSegmentSizes").get(1)?;
            let cases = sizes(terminator, "case_operand_segments");
            let groups: Vec<_> = std::iter::once(default).chain(cases).collect();
            nth_group(&groups, operand.checked_sub(1)?)
        }
        _ => None,
    }
}

/// The group that contains the `index`th of all members, and its index there.
fn nth_group(groups: &[usize], mut index: usize) -> Option<(usize, usize)> {
    for (group, &size) in groups.iter().enumerate() {
        if index < size {
            return Some((group, index));
        }
        index -= size;
    }
    None
}

fn sizes(op: Op<'_>, name: &str) -> Vec<usize> {
    let sizes = op.attribute(name).and_then(|sizes| DenseI32ArrayAttribute::try_from(sizes).ok());
    let size =
        |sizes: &DenseI32ArrayAttribute<'_>, index| sizes.element(index).map_or(0, |size| size.unsigned_abs() as usize);
    sizes.map(|sizes| (0..sizes.len()).map(|index| size(&sizes, index)).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nth_group;

    #[test]
    fn operands_are_counted_through_the_groups() {
        assert_eq!(nth_group(&[2, 0, 3], 1), Some((0, 1)));
        assert_eq!(nth_group(&[2, 0, 3], 2), Some((2, 0)));
        assert_eq!(nth_group(&[2, 0, 3], 5), None);
    }
}
