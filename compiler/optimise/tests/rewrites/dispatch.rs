//! Arities of unknown closures: constants where all closures of a type that are left have the same.
//!
//! In these programs closures of a type have different arities, so that `lower` does not decide.

use crate::fixture::{Optimised, optimised};

/// A call of a closure in `kept`, where another closure was written, and `others`.
fn program(written: &str, others: &str) -> Optimised {
    let left = optimised(&format!(
        "
        let kept = ref (fun (a: int) (b: int) -> a + b)
        let apply (f: int -> int -> int) = f 1 2
        let [<NoInline>] call x = (!kept) x 4
        kept := {written}
        show (call (opaque 3))
        {others}
        "
    ));
    assert!(left.before().arities() > 0, "{}", left.before());
    left
}

#[test]
fn no_arity_is_read_if_all_closures_that_are_left_have_the_same() {
    let left = program("fun a b -> a * b", "show (apply (fun a -> (show a; fun b -> a * b)))");
    assert_eq!((left.arities(), left.program.arity_tagged.len()), (0, 0), "{left}");
    assert_eq!(left.lines("A.call", "tail call *"), 1, "{left}");
}

#[test]
fn the_arity_is_read_if_closures_that_are_left_differ() {
    let left = program("fun a -> (show a; fun b -> a * b)", "");
    assert_eq!((left.arities(), left.program.arity_tagged.len()), (1, 2), "{left}");
}

#[test]
fn only_closures_of_the_same_type_count() {
    let left = program(
        "fun a b -> a * b",
        "let other = ref (fun (a: int) (text: string) -> a + text.Length)
        let [<NoInline>] call_other x = (!other) x \"a\"
        show (call_other (opaque 3))
        other := fun a -> (show a; fun text -> a * text.Length)
        show (call_other (opaque 3))",
    );
    assert_eq!((left.lines("A.call", "arity"), left.lines("A.call_other", "arity")), (0, 1), "{left}");
}
