//! Closures that capture the components of a tuple, or the fields of a record, that they use.
//!
//! The closures pass the whole to functions that are inlined, so that `lower`, which captures parts too, cannot.

use crate::fixture::{Optimised, optimised};

/// A closure with this body, which captures `whole`.
fn closure(declarations: &str, body: &str, whole: &str) -> Optimised {
    let left = optimised(&format!(
        "
        {declarations}
        let [<NoInline>] call (f: int -> int) n = f n
        let [<NoInline>] run whole = call (fun n -> {body}) 10
        show (run ({whole}))
        "
    ));
    assert_eq!(left.before().inputs("A.run.fun"), ["whole", "n"], "{}", left.before());
    left
}

const TUPLE: &str = "
        let first (a, _, _) = a
        let second (_, b, _) = b
        let third (_, _, c) = c
        let [<NoInline>] total (a, b, c) = a + b + c";
const OF_TUPLE: &str = "opaque 1, opaque 2, opaque 3";

#[test]
fn the_components_of_a_tuple_that_are_used_are_captured() {
    let left = closure(TUPLE, "first whole * third whole + n", OF_TUPLE);
    assert_eq!(left.inputs("A.run.fun"), ["whole.Item1", "whole.Item3", "n"], "{left}");
}

#[test]
fn the_fields_of_a_record_that_are_used_are_captured() {
    let record = "type Whole = { A: int; B: int; C: int }\n        let second whole = whole.B";
    let left = closure(record, "second whole + n", "{ A = opaque 1; B = opaque 2; C = opaque 3 }");
    assert_eq!(left.inputs("A.run.fun"), ["whole.B", "n"], "{left}");
}

#[test]
fn a_value_of_which_every_part_is_used_is_captured_whole() {
    let left = closure(TUPLE, "first whole * second whole * third whole + n", OF_TUPLE);
    assert_eq!(left.inputs("A.run.fun"), ["whole", "n"], "{left}");
}

#[test]
fn a_value_that_is_also_passed_on_is_captured_whole() {
    let left = closure(TUPLE, "first whole * n + total whole", OF_TUPLE);
    assert_eq!(left.inputs("A.run.fun"), ["whole", "n"], "{left}");
}

#[test]
fn mutable_fields_are_read_when_the_closure_is_called() {
    let left = optimised(
        "
        type Whole = { mutable A: int; B: int }
        let read whole = whole.A
        let [<NoInline>] call (f: int -> int) () n = f n
        let [<NoInline>] run whole = call (fun n -> read whole + n) (whole.A <- 10) 1
        show (run { A = opaque 1; B = opaque 2 })
        ",
    );
    assert_eq!(left.inputs("A.run.fun"), ["whole", "n"], "{left}");
    assert_eq!(left.lines("A.run.fun", "field 0.0 of whole"), 1, "{left}");
}

#[test]
fn a_union_is_captured_whole_because_its_case_is_tested_in_the_closure() {
    let left = closure(
        "
        type Whole = One of int * int | Two of int * int
        let first whole = match whole with One (a, _) -> a | Two (a, _) -> a + 1",
        "first whole + n",
        "if opaque 1 > 0 then One (opaque 1, 2) else Two (1, opaque 2)",
    );
    assert_eq!(left.inputs("A.run.fun"), ["whole", "n"], "{left}");
}
