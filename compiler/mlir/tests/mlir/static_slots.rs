//! Static slots: one closure per program, in memory whose address the linker knows.

use clef_mlir::{Build, Fault, Function, Session, Signature, Storage, Tail, llvm::Level, pass::verify};

use super::fixture::{assert_lines, compiled, define_code, lowered, word, x86_64};

/// `main` fills the slot of a handler that captures a number, then calls a function that runs the handler; `early` calls
/// that function first.
pub(crate) fn handler(m: Build<'_>, early: bool) {
    let int = m.int(32);
    let handles = define_code(&m, "handler", vec![word(&m, 32)], int, |e, handles, closure, x| {
        let n = e.capture(closure, handles, 0, int);
        e.add(n, x)
    });
    m.static_slot("handler_slot", "handler");
    let runs = Signature::tail([], Some(int));
    let mut e = m.define(&Function::new("run", runs.clone()).attribute("noinline"));
    let closure = e.static_closure("handler_slot", &handles);
    let two = e.iconst(int, 2);
    let sum = e.closure_invoke(closure, &handles, &[two], Tail::No);
    e.ret(sum);

    let mut e = m.define(&Function::new("clef_main", Signature::c([int], Some(int))).external().once());
    if early {
        e.call("run", &runs, &[], Tail::No);
    }
    let n = e.arguments()[0];
    e.closure_make("handler", &handles, Storage::Slot("handler_slot"), &[n]);
    let sum = e.call("run", &runs, &[], Tail::No);
    e.ret(sum);
}

fn faults(program: impl for<'m> FnOnce(Build<'m>)) -> Vec<Fault> {
    let session = Session::new();
    let module = session.module(program).expect("verifies upstream");
    verify(&module).expect_err("is rejected")
}

#[test]
fn a_slot_is_a_zeroed_global_and_its_code_is_known() {
    let session = Session::new();
    let mut module = session.module(|m| handler(m, false)).expect("verifies");
    lowered(&mut module, &x86_64());
    assert_lines(
        &module.to_string(),
        &[
            "llvm.mlir.global internal @handler_slot() {addr_space = 0 : i32, alignment = 8 : i64, dso_local} : \
             !llvm.array<16 x i8> {",
            "%0 = llvm.mlir.addressof @handler_slot : !llvm.ptr",
            "%2 = llvm.call tailcc @handler(%0, %1) : (!llvm.ptr, i32) -> i32",
        ],
    );
    let assembly = compiled(&x86_64(), Level::O0, |m| handler(m, false)).assembly().expect("assembly");
    assert_lines(&assembly, &[".local\thandler_slot"]);
}

#[test]
fn a_read_before_the_slot_is_filled() {
    let faults = faults(|m| handler(m, true));
    assert_eq!(faults[0].message, "'clef.static_closure' may read @handler_slot before it is filled");
}

/// The slot is filled in `init`, which `main` calls `calls` times.
fn filled_by(calls: usize, once: bool) -> impl for<'m> FnOnce(Build<'m>) {
    move |m| {
        let int = m.int(32);
        let handles = define_code(&m, "handler", vec![word(&m, 32)], int, |e, handles, closure, _| {
            e.capture(closure, handles, 0, int)
        });
        m.static_slot("slot", "handler");
        let inits = Signature::tail([], None);
        let init = Function::new("init", inits.clone());
        let mut e = m.define(&if once { init.once() } else { init });
        let n = e.iconst(int, 1);
        e.closure_make("handler", &handles, Storage::Slot("slot"), &[n]);
        e.ret(None);
        let mut e = m.define(&Function::new("clef_main", Signature::c([], None)).external().once());
        for _ in 0..calls {
            e.call("init", &inits, &[], Tail::No);
        }
        e.ret(None);
    }
}

#[test]
fn a_slot_is_filled_by_a_function_that_runs_once() {
    let session = Session::new();
    verify(&session.module(filled_by(1, true)).expect("verifies")).expect("is accepted");
    assert_eq!(
        faults(filled_by(2, true))[0].message,
        "'clef.closure_make' fills a static slot, but @init does not have exactly one call"
    );
    assert_eq!(
        faults(filled_by(1, false))[0].message,
        "'clef.closure_make' fills a static slot, but @init may run more than once"
    );
}

#[test]
fn a_slot_is_not_filled_in_a_loop() {
    let faults = faults(|m| {
        let int = m.int(32);
        let handles = define_code(&m, "handler", vec![], int, |_, _, _, x| x);
        m.static_slot("slot", "handler");
        let mut e = m.define(&Function::new("clef_main", Signature::c([], None)).external().once());
        let again = e.block(&[]);
        e.br(again, &[]);
        e.position(again);
        e.closure_make("handler", &handles, Storage::Slot("slot"), &[]);
        e.br(again, &[]);
    });
    assert_eq!(faults[0].message, "'clef.closure_make' fills a static slot, but is in a loop of @clef_main");
}

#[test]
fn a_slot_that_nothing_fills() {
    let faults = faults(|m| {
        define_code(&m, "handler", vec![], m.int(32), |_, _, _, x| x);
        m.static_slot("slot", "handler");
    });
    assert_eq!(faults[0].message, "'clef.static_slot' @slot is not filled at exactly one place");
}
