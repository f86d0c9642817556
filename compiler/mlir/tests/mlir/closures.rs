//! The passes over closures: what is dropped, what becomes a direct call, and what each storage becomes.

use clef_mlir::{
    Build, Function, Session, Signature, Storage, Tail,
    pass::{Dropped, devirtualise, drop_captures},
};

use super::fixture::{assert_lines, cortex_m4, define_code, lowered, make_adder, word, x86_64};

#[test]
fn a_closure_is_made_and_invoked_in_the_dialect() {
    let session = Session::new();
    let module = session.module(|m| make_adder(m, 32)).expect("verifies");
    assert_lines(
        &module.to_string(),
        &[
            "%0 = \"clef.closure_from_pointer\"(%arg0) : (!llvm.ptr) -> !clef.closure<(i32) -> i32>",
            "%1 = \"clef.capture\"(%0) {index = 1 : i64} : (!clef.closure<(i32) -> i32>) -> i32",
            "%2 = \"clef.as_operand\"(%arg0) : (i32) -> !clef.operand",
            "%4 = \"clef.closure_make\"(%0, %1, %2, %3) {callee = @adder, operandSegmentSizes = array<i32: 1, 1, 2>, \
             storage = \"region\"} : (!clef.region, !llvm.ptr, !clef.operand, !clef.operand) -> \
             !clef.closure<(i32) -> i32>",
            "%5 = \"clef.closure_invoke\"(%3, %4) {convention = #llvm.cconv<tailcc>, tail = false} : \
             (!clef.closure<(i32) -> i32>, !clef.operand) -> i32",
        ],
    );
}

#[test]
fn a_capture_that_is_never_read_is_dropped() {
    let session = Session::new();
    let mut module = session.module(|m| make_adder(m, 32)).expect("verifies");
    assert_eq!(drop_captures(&mut module), [Dropped { code: "adder".to_owned(), count: 1 }]);
    module.verify().expect("still verifies");
    assert_lines(
        &module.to_string(),
        &[
            "%1 = \"clef.capture\"(%0) {index = 0 : i64} : (!clef.closure<(i32) -> i32>) -> i32",
            "%3 = \"clef.closure_make\"(%0, %1, %2) {callee = @adder, operandSegmentSizes = array<i32: 1, 1, 1>, \
             storage = \"region\"} : (!clef.region, !llvm.ptr, !clef.operand) -> !clef.closure<(i32) -> i32>",
        ],
    );
}

/// `outer` captures an integer only to give it to `inner`, which never reads it.
fn passed_on(m: Build<'_>) {
    let int = m.int(32);
    let captures = vec![word(&m, 32)];
    let adds = define_code(&m, "inner", captures.clone(), int, |_, _, _, x| x);
    define_code(&m, "outer", captures, int, |e, signature, closure, x| {
        let n = e.capture(closure, signature, 0, int);
        let inner = e.closure_make("inner", signature, Storage::Stack, &[n]);
        e.closure_invoke(inner, signature, &[x], Tail::No).expect("a result")
    });
    let mut e = m.define(&Function::new("main", Signature::c([], Some(int))).external());
    let n = e.iconst(int, 40);
    let region = e.region_program();
    let site = e.null();
    let outer = e.closure_make("outer", &adds, Storage::Region { region, site }, &[n]);
    let sum = e.closure_invoke(outer, &adds, &[n], Tail::No);
    e.ret(sum);
}

#[test]
fn captures_that_are_only_passed_on_are_dropped_too() {
    let session = Session::new();
    let mut module = session.module(passed_on).expect("verifies");
    let dropped: Vec<_> = drop_captures(&mut module).into_iter().map(|one| (one.code, one.count)).collect();
    assert_eq!(dropped, [("inner".to_owned(), 1), ("outer".to_owned(), 1)]);
    module.verify().expect("still verifies");
    // Without captures both are constants: neither frame nor region is needed.
    let text = module.to_string();
    assert_eq!(text.matches("storage = \"static\"").count(), 2, "{text}");
}

#[test]
fn known_code_is_called_directly() {
    let session = Session::new();
    let mut module = session.module(passed_on).expect("verifies");
    assert_eq!(devirtualise(&mut module), 2);
    module.verify().expect("still verifies");
    assert!(module.to_string().contains("llvm.call tailcc @inner("), "{module}");
}

#[test]
fn a_closure_of_another_function_is_not_known() {
    let session = Session::new();
    let mut module = session.module(|m| make_adder(m, 32)).expect("verifies");
    assert_eq!(devirtualise(&mut module), 0);
}

#[test]
fn a_region_closure_is_allocated_and_filled() {
    for (machine, lines) in [
        (
            cortex_m4(),
            [
                "%2 = llvm.mlir.constant(8 : i32) : i32",
                "%4 = llvm.call @clef_region_allocate(%0, %2, %3, %1) : (!llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr",
                "%6 = llvm.getelementptr %4[4] : (!llvm.ptr) -> !llvm.ptr, i8",
                "llvm.store %arg0, %6 {alignment = 4 : i64} : i32, !llvm.ptr",
            ],
        ),
        (
            x86_64(),
            [
                "%2 = llvm.mlir.constant(16 : i64) : i64",
                "%4 = llvm.call @clef_region_allocate(%0, %2, %3, %1) : (!llvm.ptr, i64, i64, !llvm.ptr) -> !llvm.ptr",
                "%6 = llvm.getelementptr %4[8] : (!llvm.ptr) -> !llvm.ptr, i8",
                "llvm.store %arg0, %6 {alignment = 8 : i64} : i32, !llvm.ptr",
            ],
        ),
    ] {
        let session = Session::new();
        let mut module = session.module(|m| make_adder(m, 32)).expect("verifies");
        lowered(&mut module, &machine);
        assert_lines(&module.to_string(), &lines);
    }
}

#[test]
fn nothing_of_the_dialect_is_left_but_arities() {
    let session = Session::new();
    let mut module = session.module(passed_on).expect("verifies");
    lowered(&mut module, &x86_64());
    let text = module.to_string();
    let symbols_aside = text.replace("_clef.", "").replace("clef.arity", "");
    assert!(!symbols_aside.contains("clef."), "{text}");
    assert_lines(
        &text,
        &["llvm.mlir.global internal constant @_clef.closure.inner() {addr_space = 0 : i32, \
                           alignment = 8 : i64, dso_local} : !llvm.ptr {"],
    );
}

#[test]
fn a_stack_closure_is_a_slot_of_the_entry_block() {
    let session = Session::new();
    let program = |m: Build<'_>| {
        let int = m.int(32);
        let adds = define_code(&m, "adder", vec![word(&m, 32)], int, |e, adds, closure, x| {
            let n = e.capture(closure, adds, 0, int);
            e.add(n, x)
        });
        let mut e = m.define(&Function::new("main", Signature::c([int], Some(int))).external());
        let n = e.arguments()[0];
        let body = e.block(&[]);
        e.br(body, &[]);
        e.position(body);
        let adder = e.closure_make("adder", &adds, Storage::Stack, &[n]);
        let sum = e.closure_invoke(adder, &adds, &[n], Tail::No);
        e.ret(sum);
    };
    let mut module = session.module(program).expect("verifies");
    lowered(&mut module, &x86_64());
    let text = module.to_string();
    let slot = text
        .find("llvm.alloca %0 x !llvm.array<12 x i8>")
        .or_else(|| text.find("llvm.alloca %0 x !llvm.array<16 x i8>"));
    let branch = text.find("llvm.br ^bb1");
    assert!(slot.is_some() && slot < branch, "{text}");
}

#[test]
fn members_of_a_recursive_group_hold_each_other() {
    let session = Session::new();
    let program = |m: Build<'_>| {
        let (int, ptr) = (m.int(32), m.ptr());
        let other = clef_mlir::Capture { ty: ptr, size: 8, align: 8 };
        let mut signature = None;
        for name in ["even", "odd"] {
            signature = Some(define_code(&m, name, vec![other], int, |e, signature, closure, x| {
                let other = e.capture(closure, signature, 0, ptr);
                e.closure_invoke(other, signature, &[x], Tail::Yes).expect("a result")
            }));
        }
        let signature = signature.expect("two members");
        let mut e = m.define(&Function::new("main", Signature::c([], Some(int))).external());
        let n = e.iconst(int, 3);
        let even = e.closure_allocate("even", &signature, Storage::Stack);
        let odd = e.closure_allocate("odd", &signature, Storage::Stack);
        e.closure_patch(even, "even", &[odd]);
        e.closure_patch(odd, "odd", &[even]);
        let result = e.closure_invoke(even, &signature, &[n], Tail::No);
        e.ret(result);
    };
    let mut module = session.module(program).expect("verifies");
    lowered(&mut module, &x86_64());
    assert_lines(
        &module.to_string(),
        &[
            "%3 = llvm.call tailcc tail %2(%1, %arg1) : !llvm.ptr, (!llvm.ptr, i32) -> i32",
            "llvm.store %1, %6 {alignment = 8 : i64} : !llvm.ptr, !llvm.ptr",
            "llvm.store %2, %7 {alignment = 8 : i64} : !llvm.ptr, !llvm.ptr",
            "%8 = llvm.call tailcc @even(%2, %3) : (!llvm.ptr, i32) -> i32",
        ],
    );
}
