//! Structs that merge at joins and that are written are in parts, at all levels but the lowest.

use super::fixture::{compiled, x86_64};
use clef_mlir::{Build, Function, IntPredicate, Memory, Signature, llvm::Level};

/// A loop from `n` down to 0, whose state is a count and a pair of numbers: an odd number is counted, an even one leaves the
/// whole as it is. The result for 40 is 42.
pub(crate) fn counts(m: Build<'_>) {
    let int = m.int(32);
    let (pair, byte) = (m.record(&[int, int]), m.int(8));
    let state = m.record(&[int, pair, byte]);
    let mut e = m.define(&Function::new("clef_main", Signature::c([int], Some(int))).external());
    let n = e.arguments()[0];
    let (head, more) = (e.block(&[int, state]), e.block(&[]));
    let (odd, next, last) = (e.block(&[]), e.block(&[state]), e.block(&[]));
    let (zero, one, kept) = (e.iconst(int, 0), e.iconst(int, 1), e.iconst(int, 22));
    let inner = e.undef(pair);
    let inner = e.insert(inner, 0, kept);
    let inner = e.insert(inner, 1, n);
    let start = e.undef(state);
    let start = e.insert(start, 0, zero);
    let start = e.insert(start, 1, inner);
    e.br(head, &[n, start]);

    e.position(head);
    let (left, now) = (head.argument(0), head.argument(1));
    let done = e.icmp(IntPredicate::Eq, left, zero);
    e.cond_br(done, (last, &[]), (more, &[]));

    e.position(more);
    let lowest = e.and(left, one);
    e.switch(lowest, (next, &[now]), &[(1, odd, &[]), (2, next, &[now])]);

    e.position(odd);
    let count = e.extract(now, 0, int);
    let count = e.add(count, one);
    let counted = e.insert(now, 0, count);
    e.br(next, &[counted]);

    e.position(next);
    let left = e.sub(left, one);
    e.br(head, &[left, next.argument(0)]);

    e.position(last);
    let (count, inner) = (e.extract(now, 0, int), e.extract(now, 1, pair));
    let kept = e.extract(inner, 0, int);
    let sum = e.add(count, kept);
    e.ret(Some(sum));
}

#[test]
fn a_struct_that_merges_is_in_parts() {
    let phis = |level| {
        let ir = compiled(&x86_64(), level, counts).ir().expect("text");
        let phis = ir.lines().filter(|line| line.contains(" = phi "));
        (phis.clone().filter(|line| line.contains("phi {")).count(), phis.count())
    };
    let (whole, _) = phis(Level::O0);
    assert!(whole > 0);
    for level in [Level::Og, Level::O1, Level::O2, Level::Os, Level::Oz] {
        let (whole, all) = phis(level);
        assert_eq!(whole, 0, "{level:?}");
        assert!(all > 0, "{level:?}");
    }
}

/// Writes a struct whose byte is 7, whose middle is not defined, and whose end is `n`.
fn writes(m: Build<'_>) {
    let int = m.int(32);
    let record = m.record(&[m.int(8), int, int]);
    let mut e = m.define(&Function::new("clef_main", Signature::c([m.ptr(), int], None)).external());
    let (address, n) = (e.arguments()[0], e.arguments()[1]);
    let tag = e.iconst(m.int(8), 7);
    let value = e.undef(record);
    let value = e.insert(value, 0, tag);
    let value = e.insert(value, 2, n);
    e.store(value, address, Memory::aligned(4));
    e.ret(None);
}

#[test]
fn parts_that_are_not_defined_are_not_written() {
    for level in [Level::Og, Level::O1, Level::O2, Level::O3, Level::Os, Level::Oz] {
        let ir = compiled(&x86_64(), level, writes).ir().expect("text");
        let stores: Vec<&str> = ir.lines().filter(|line| line.contains("store ")).collect();
        assert_eq!(stores.len(), 2, "{level:?}: {ir}");
        assert!(stores[0].contains("store i8 7"), "{level:?}: {ir}");
        assert!(stores[1].contains("store i32"), "{level:?}: {ir}");
    }
}
