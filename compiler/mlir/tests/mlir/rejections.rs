//! Modules that must be rejected, with the message and the location.

use clef_mlir::{Build, Fault, Function, Place, Session, Signature, Storage, Tail, pass::verify};

use super::fixture::{define_code, word};

/// Writes `main` after the code of an adder with one integer capture, and returns the faults that the verifier finds.
fn faults(program: impl for<'m> FnOnce(Build<'m>, &Signature<'m>)) -> Vec<Fault> {
    let session = Session::new();
    let module = session.module(|m| {
        let int = m.int(32);
        let adds = define_code(&m, "adder", vec![word(&m, 32)], int, |e, adds, closure, x| {
            let n = e.capture(closure, adds, 0, int);
            e.add(n, x)
        });
        program(m, &adds);
    });
    verify(&module.expect("verifies upstream")).expect_err("is rejected")
}

#[track_caller]
fn assert_fault(faults: &[Fault], message: &str) {
    assert!(faults.iter().any(|fault| fault.message == message), "{faults:#?}");
}

/// A function that makes a closure on the stack and then does something with it.
fn with_stack_closure(
    result: bool,
    then: impl for<'m> FnOnce(&mut clef_mlir::Emit<'m>, &Signature<'m>, clef_mlir::Value<'m>),
) -> Vec<Fault> {
    faults(|m, adds| {
        let result = result.then(|| m.ptr());
        let mut e = m.define(&Function::new("f", Signature::tail([m.ptr()], result)));
        e.at("stack.clef", 3, 9);
        let n = e.iconst(m.int(32), 1);
        let closure = e.closure_make("adder", adds, Storage::Stack, &[n]);
        then(&mut e, adds, closure);
    })
}

#[test]
fn code_that_does_not_exist() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([], None)));
        e.closure_make("none", adds, Storage::Stack, &[]);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_make' refers to an unknown function: @none");
}

#[test]
fn too_few_captures() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([], None)));
        e.closure_make("adder", adds, Storage::Stack, &[]);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_make' stores 0 captures, but the code @adder has 1");
}

#[test]
fn a_capture_of_another_type() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([], None)));
        let n = e.iconst(m.int(64), 1);
        e.closure_make("adder", adds, Storage::Stack, &[n]);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_make' stores capture 0 as i64, but the code @adder declares i32");
}

#[test]
fn a_load_beyond_the_captures() {
    let faults = faults(|m, _| {
        let int = m.int(32);
        define_code(&m, "other", vec![word(&m, 32)], int, |e, adds, closure, _| e.capture(closure, adds, 3, int));
    });
    assert_fault(&faults, "'clef.capture' reads capture 3, but @other declares 1");
}

#[test]
fn a_load_by_another_type() {
    let faults = faults(|m, _| {
        let int = m.int(32);
        define_code(&m, "other", vec![word(&m, 32)], int, |e, adds, closure, x| {
            e.capture(closure, adds, 0, m.int(8));
            x
        });
    });
    assert_fault(&faults, "'clef.capture' reads capture 0 with another type than i32");
}

#[test]
fn a_load_after_the_closure_was_freed() {
    let faults = faults(|m, _| {
        let int = m.int(32);
        define_code(&m, "other", vec![word(&m, 32)], int, |e, adds, closure, _| {
            let region = e.region_program();
            e.region_pop(region, closure);
            e.capture(closure, adds, 0, int)
        });
    });
    assert_fault(&faults, "'clef.region_pop' frees a closure whose captures are loaded later");
}

#[test]
fn a_load_from_another_closure() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([m.ptr()], None)));
        let closure = e.arguments()[0];
        e.capture(closure, adds, 0, m.int(32));
        e.ret(None);
    });
    assert_fault(&faults, "'clef.capture' is in @f, which is not the code of a closure");
}

#[test]
fn the_address_of_a_capture_outside_of_the_code() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([m.ptr()], None)));
        let closure = e.arguments()[0];
        e.capture_address(closure, adds, 0);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.capture_address' is in @f, which is not the code of a closure");
}

#[test]
fn a_stack_closure_that_is_kept_by_the_closure_that_runs() {
    let faults = faults(|m, adds| {
        define_code(&m, "keeper", vec![word(&m, 32)], m.int(32), |e, keeps, closure, x| {
            let place = e.capture_address(closure, keeps, 0);
            let stack = e.closure_make("adder", adds, Storage::Stack, &[x]);
            e.store(stack, place, clef_mlir::Memory::aligned(4));
            x
        });
    });
    assert_fault(&faults, "'clef.closure_make' is on the stack but is stored outside of the frame");
}

#[test]
fn arguments_of_another_type() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([m.ptr()], None)));
        let pointer = e.arguments()[0];
        let closure = e.as_closure(pointer, adds);
        let wrong = Signature::tail([m.int(8)], None);
        let argument = e.iconst(m.int(8), 1);
        e.closure_invoke(closure, &wrong, &[argument], Tail::No);
        e.ret(None);
    });
    assert_fault(
        &faults,
        "'clef.closure_invoke' has different arguments or a different result than !clef.closure<(i32) -> i32>",
    );
}

#[test]
fn a_static_closure_with_captures() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([], None)));
        let n = e.iconst(m.int(32), 1);
        e.closure_make("adder", adds, Storage::Static, &[n]);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_make' is static but has captures");
}

#[test]
fn a_member_of_a_group_that_is_never_patched() {
    let faults = faults(|m, adds| {
        let mut e = m.define(&Function::new("f", Signature::c([], None)));
        e.closure_allocate("adder", adds, Storage::Stack);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_allocate' must be patched once, not 0 times");
}

#[test]
fn a_stack_closure_that_is_returned() {
    let faults = with_stack_closure(true, |e, _, closure| e.ret(Some(closure)));
    assert_fault(&faults, "'clef.closure_make' is on the stack but is returned");
    assert_eq!(faults[0].place, Some(Place { file: "stack.clef".to_owned(), line: 3, column: 9 }));
}

#[test]
fn a_stack_closure_that_is_returned_in_a_record_through_a_block() {
    let faults = faults(|m, adds| {
        let pair = m.record(&[m.ptr(), m.int(32)]);
        let mut e = m.define(&Function::new("f", Signature::tail([m.bool()], Some(pair))));
        let n = e.iconst(m.int(32), 1);
        let closure = e.closure_make("adder", adds, Storage::Stack, &[n]);
        let record = e.make_record(pair, &[closure, n]);
        let (join, other) = (e.block(&[pair]), e.block(&[]));
        e.cond_br(e.arguments()[0], (join, &[record]), (other, &[]));
        e.position(other);
        let zero = e.zero(pair);
        e.br(join, &[zero]);
        e.position(join);
        e.ret(Some(join.argument(0)));
    });
    assert_fault(&faults, "'clef.closure_make' is on the stack but is returned");
}

#[test]
fn a_stack_closure_that_is_stored() {
    let faults = with_stack_closure(false, |e, _, closure| {
        let place = e.arguments()[0];
        e.store(closure, place, clef_mlir::Memory::aligned(4));
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_make' is on the stack but is stored outside of the frame");
}

#[test]
fn a_stack_closure_may_be_stored_in_its_frame() {
    let session = Session::new();
    let module = session.module(|m| {
        let int = m.int(32);
        let adds = define_code(&m, "adder", vec![], int, |_, _, _, x| x);
        let mut e = m.define(&Function::new("f", Signature::tail([], None)));
        let slot = e.alloca(m.ptr(), 8);
        let closure = e.closure_make("adder", &adds, Storage::Stack, &[]);
        e.store(closure, slot, clef_mlir::Memory::aligned(8));
        e.ret(None);
    });
    verify(&module.expect("verifies")).expect("is accepted");
}

#[test]
fn a_stack_closure_that_is_handed_to_a_tail_call() {
    let faults = with_stack_closure(false, |e, _, closure| {
        let takes = Signature::tail([e.ptr()], None);
        e.declare("takes", &takes);
        e.call("takes", &takes, &[closure], Tail::Yes);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_make' is on the stack but is passed to a tail call");
}

#[test]
fn a_stack_closure_that_a_region_closure_captures() {
    let faults = with_stack_closure(false, |e, _, closure| {
        let (int, ptr) = (e.int(32), e.ptr());
        let holder = clef_mlir::Capture { ty: ptr, size: 4, align: 4 };
        let holds = define_code(e, "holder", vec![holder], int, |_, _, _, x| x);
        let region = e.region_program();
        let site = e.null();
        e.closure_make("holder", &holds, Storage::Region { region, site }, &[closure]);
        e.ret(None);
    });
    assert_fault(&faults, "'clef.closure_make' is on the stack but is captured by a closure that is not");
}

#[test]
fn a_tail_call_that_is_none() {
    let found = faults(|m, adds| {
        let int = m.int(32);
        let mut e = m.define(&Function::new("f", Signature::tail([m.ptr()], Some(int))));
        let closure = e.arguments()[0];
        let n = e.iconst(int, 1);
        e.closure_invoke(closure, adds, &[n], Tail::Yes);
        e.ret(Some(n));
    });
    assert_fault(&found, "'clef.closure_invoke' is a tail call, but its result is not returned immediately");
    let found = faults(|m, _| {
        let none = Signature::tail([], None);
        m.declare("g", &none);
        let mut e = m.define(&Function::new("f", Signature::c([], None)));
        e.call("g", &none, &[], Tail::Yes);
        e.ret(None);
    });
    assert_fault(&found, "'llvm.call' is a tail call, but the caller or the callee has another convention");
}

#[test]
fn upstream_verifiers_say_where() {
    let session = Session::new();
    let faults = session.module(|m| {
        let mut e = m.define(&Function::new("f", Signature::c([m.int(32)], Some(m.int(64)))));
        e.at("wrong.clef", 7, 3);
        let argument = e.arguments()[0];
        e.ret(Some(argument));
    });
    let faults = faults.err().expect("is rejected");
    assert_eq!(faults[0].place, Some(Place { file: "wrong.clef".to_owned(), line: 7, column: 3 }));
}

#[test]
fn what_the_dialect_itself_forbids() {
    let session = Session::new();
    let make = |storage: &str, result: &str| {
        let make = "\"clef.closure_make\"() {callee = @code, operandSegmentSizes = array<i32: 0, 0, 0>";
        format!("llvm.func @f() {{\n%c = {make}, storage = {storage}}} : () -> {result}\nllvm.return\n}}")
    };
    let closure = "!clef.closure<(i32) -> i32>";
    assert!(session.parse(&make("\"static\"", closure)).is_ok());
    for text in [make("\"heap\"", closure), make("\"static\"", "i32"), make("\"static\"", "!clef.closure<i32>")] {
        let faults = session.parse(&text).err().expect("is rejected");
        assert_eq!(faults[0].place.as_ref().map(|place| place.line), Some(2), "{faults:?}");
    }
}

#[test]
fn text_that_is_not_mlir() {
    let faults = Session::new().parse("llvm.func @f(").err().expect("is rejected");
    assert!(!faults.is_empty());
}
