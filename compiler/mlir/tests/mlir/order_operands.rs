//! The operand of a commutative operation that its loop does not change comes second.

use super::fixture::{compiled, x86_64};
use clef_mlir::{Build, Function, IntPredicate, Signature, llvm::Level};

/// A loop from `n` down to 0 which multiplies what it does not change by what it does.
fn products(m: Build<'_>) {
    let int = m.int(32);
    let mut e = m.define(&Function::new("clef_main", Signature::c([int], Some(int))).external());
    let n = e.arguments()[0];
    let (head, more, last) = (e.block(&[int, int]), e.block(&[]), e.block(&[]));
    let (zero, one, mask) = (e.iconst(int, 0), e.iconst(int, 1), e.iconst(int, 12345));
    let factor = e.xor(n, mask);
    e.br(head, &[n, one]);

    e.position(head);
    let (left, now) = (head.argument(0), head.argument(1));
    let done = e.icmp(IntPredicate::Eq, left, zero);
    e.cond_br(done, (last, &[]), (more, &[]));

    e.position(more);
    let changed = e.xor(now, left);
    let product = e.mul(factor, changed);
    let left = e.sub(left, one);
    e.br(head, &[left, product]);

    e.position(last);
    e.ret(Some(now));
}

#[test]
fn the_second_operand_is_the_invariant_one() {
    for level in [Level::O1, Level::O2, Level::O3, Level::Os, Level::Oz] {
        let ir = compiled(&x86_64(), level, products).ir().expect("text");
        let value = |operation: &str| {
            let line = ir.lines().find(|line| line.contains(operation)).expect("the loop is there");
            line.trim().to_owned()
        };
        let factor = value(", 12345");
        let (factor, _) = factor.split_once(' ').expect("it has a name");
        assert!(value(" = mul ").ends_with(&format!(", {factor}")), "{level:?}: {ir}");
    }
}
