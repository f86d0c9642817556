//! Operations with known results: parts of what the function itself creates, conditionals on constants, and joins.

use crate::fixture::{Optimised, optimised};

/// A function with this body.
fn run(declaration: &str, body: &str) -> Optimised {
    optimised(&format!(
        "
        {declaration}
        let [<NoInline>] run n =
            {}
        show (run (opaque 3))
        ",
        body.replace('\n', "\n            ")
    ))
}

const SHAPE: &str = "type Shape = Circle of int | Square of int * int";
const AREA: &str = "match shape with\n| Circle r -> 3 * r * r\n| Square (w, h) -> w * h";

#[test]
fn the_components_of_a_tuple_that_was_just_made_are_its_operands() {
    let left = run("", "let swapped = (match (n, n + 1) with (a, b) -> (b, a))\nfst swapped * 10 + snd swapped");
    assert_eq!((left.lines("A.run", "tuple"), left.lines("A.run", "component")), (0, 0), "{left}");
}

#[test]
fn the_components_of_an_unknown_tuple_are_read() {
    let left = run("let [<NoInline>] pair n = (n, n + 1)", "let a, b = pair n\na * 10 + b");
    assert_eq!(left.lines("A.run", "component"), 2, "{left}");
}

#[test]
fn a_match_of_a_case_that_was_just_made_is_decided() {
    let left = run(SHAPE, &format!("let shape = Square (n, n + 1)\n{AREA}"));
    for operation in ["inject", "tag", "field", "switch"] {
        assert_eq!(left.lines("A.run", operation), 0, "{operation}: {left}");
    }
}

#[test]
fn a_match_of_a_case_that_depends_on_a_condition_is_not_decided() {
    let left = run(
        SHAPE,
        &format!("let shape = if n > 3 then Square (n, n + 1) elif n > 1 then Square (n, n) else Circle n\n{AREA}"),
    );
    assert_eq!((left.lines("A.run", "inject"), left.lines("A.run", "switch")), (3, 1), "{left}");
}

#[test]
fn a_record_with_a_mutable_field_is_read_again() {
    let body = "let node = { Content = n; Other = n * 2 }\nnode.Content <- n + 1\nnode.Content * node.Other";
    let (mutable, immutable) = (
        run("type Node = { mutable Content: int; Other: int }", body),
        run(
            "type Node = { Content: int; Other: int }",
            "let node = { Content = n; Other = n * 2 }\nnode.Content * node.Other",
        ),
    );
    assert_eq!(mutable.lines("A.run", "int = field"), 2, "{mutable}");
    assert_eq!(immutable.lines("A.run", "int = field"), 0, "{immutable}");
}

#[test]
fn what_a_cell_contains_is_read_again() {
    let left = run("", "let cell = ref n\nlet mutable slot = n\ncell := n + 1\nslot <- n + 2\n!cell * slot");
    assert_eq!((left.lines("A.run", "dereference"), left.lines("A.run", "= read ")), (1, 1), "{left}");
}

#[test]
fn a_condition_on_constants_is_decided() {
    for condition in [
        "3 < 4",
        "3 <= 3",
        "-1 >= -1",
        "not (3 < 3)",
        "'a' <> 'b'",
        "not (true = false)",
        "4 > 3 && 2u <= 3u",
        "5 < 4 || 1 = 1",
    ] {
        let left = run("", &format!("if {condition} then n + 1 else failwith \"no\""));
        assert_eq!((left.lines("A.run", "if "), left.lines("A.run", "fail")), (0, 0), "{condition}: {left}");
    }
}

#[test]
fn arithmetic_and_comparisons_of_floats_are_not_evaluated() {
    for condition in ["3.0 < 4.0", "9223372036854775807 + 1 > 0"] {
        let left = run("", &format!("if {condition} then n + 1 else n + 2"));
        assert_eq!(left.lines("A.run", "if "), 1, "{condition}: {left}");
    }
}

#[test]
fn a_match_of_a_constant_is_decided() {
    let arms = "match text with\n| 'a' | 'b' -> n + 1\n| 'c' -> failwith \"c\"\n| _ -> failwith \"other\"";
    let left = run("", &format!("let text = 'b'\n{arms}"));
    for part in ["switch", "fail", "jump"] {
        assert_eq!(left.lines("A.run", part), 0, "{part}: {left}");
    }
    let left = run("", &format!("let text = char n\n{arms}"));
    assert_eq!(left.lines("A.run", "switch"), 1, "{left}");
}

#[test]
fn a_join_with_one_jump_is_replaced_by_its_body() {
    // The last arm is reached from the first test, and from the guard if that may be false.
    let program = |guard: &str| run("", &format!("match n with\n| 1 -> 10\n| 3 when {guard} -> 20\n| _ -> 30"));
    let (two, one) = (program("n % 7 = 3"), program("true"));
    assert_eq!(two.lines("A.run", "jump"), 2, "{two}");
    assert_eq!(one.lines("A.run", "jump"), 0, "{one}");
}

#[test]
fn what_follows_a_trap_is_removed() {
    let left = run("", "let element = (match 3 with 4 -> n)\nshow element\nelement + 1");
    assert_eq!(left.lines("A.run", "trap no_match"), 1, "{left}");
    assert_eq!(left.lines("A.run", " = "), 0, "{left}");
}

#[test]
fn a_closure_that_was_just_made_has_known_code_and_arity() {
    // Closures of both arities are left, so that `dispatch` does not decide.
    let others = "let kept = ref (fun (a: int) (b: int) -> a + b)
        let [<NoInline>] call x = (!kept) x 4
        kept := fun a -> (show a; fun b -> a * b)
        show (call (opaque 3))";
    let left = run(others, "let multiplies = (if true then (fun a b -> a * b + n) else !kept)\nmultiplies n 3");
    assert_eq!(left.lines("A.call", "arity"), 1, "{left}");
    assert_eq!((left.lines("A.run", "arity"), left.lines("A.run", "call *")), (0, 0), "{left}");
}

#[test]
fn a_closure_that_depends_on_a_condition_has_unknown_code() {
    let left = run(
        "let kept = ref (fun (a: int) (b: int) -> a + b)",
        "let multiplies = (if n > 3 then (fun a b -> a * b + n) else !kept)\nmultiplies n 3",
    );
    assert_eq!(left.lines("A.run", "call *"), 1, "{left}");
}

#[test]
fn the_length_of_an_array_of_known_length_is_a_number() {
    let left =
        run("", "let kept = Array.init 8 (fun i -> i * n)\nkept.[n] <- n\nArray.length kept * 10 + Array.sum kept");
    assert_eq!(left.lines("A.run", "array_length"), 0, "{left}");
    let unknown = run("", "let kept = Array.zeroCreate<int> n\nkept.[0] <- n\nArray.length kept * 10 + kept.[0]");
    assert!(unknown.lines("A.run", "array_length") > 0, "{unknown}");
}
