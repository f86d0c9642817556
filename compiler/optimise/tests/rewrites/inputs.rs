//! Parameters of known functions, and captures of closures, that are dropped because they are unused or constant.

use crate::fixture::{Optimised, optimised};

#[test]
fn a_parameter_that_is_the_same_constant_at_all_calls_is_dropped() {
    let left = optimised(
        "
        let rec sum limit n = if n > limit then 0 else n + sum limit (n + 1)
        show (sum 10 (opaque 3) + sum 10 (opaque 4))
        ",
    );
    assert_eq!(left.inputs("A.sum"), ["n"], "{left}");
    assert_eq!(left.lines("A.sum", "greater n.1, 10"), 1, "{left}");
}

#[test]
fn a_parameter_whose_constants_differ_stays() {
    let left = optimised(
        "
        let rec sum limit n = if n > limit then 0 else n + sum limit (n + 1)
        show (sum 10 (opaque 3) + sum 11 (opaque 4))
        ",
    );
    assert_eq!(left.inputs("A.sum"), ["limit", "n"], "{left}");
}

#[test]
fn a_parameter_that_recursion_changes_stays() {
    let left = optimised(
        "
        let rec sum limit n = if n > limit then 0 else n + sum (limit - 1) (n + 1)
        let rec loop limit n = if n > limit then n else loop (limit - 1) (n + 1)
        show (sum 10 (opaque 3) + loop 10 (opaque 3))
        ",
    );
    assert_eq!(left.inputs("A.sum"), ["limit", "n"], "{left}");
    assert_eq!(left.inputs("A.loop"), ["limit", "n"], "{left}");
}

#[test]
fn the_two_zeros_of_a_float_are_different_constants() {
    let left = optimised(
        "
        let rec sign (zero: float) n = if n > 3 then (if 1.0 / zero > 0.0 then 1 else 2) else 10 * sign zero (n + 1)
        show (sign 0.0 (opaque 3) + sign -0.0 (opaque 2))
        ",
    );
    assert_eq!(left.inputs("A.sign"), ["zero", "n"], "{left}");
}

#[test]
fn parameters_that_are_only_passed_on_to_one_another_are_dropped() {
    let left = optimised(
        "
        let rec even (a: int) (b: int) n = if n = 0 then 1 else 2 * odd b a (n - 1)
        and odd (a: int) (b: int) n = if n = 0 then 0 else 3 * even b a (n - 1)
        let rec loop (a: int) n = if n % 7 = 0 then n else loop a (n * 3 + 1)
        show (even (opaque 1) (opaque 2) (opaque 7) + loop (opaque 4) (opaque 5))
        ",
    );
    for name in ["A.even", "A.odd", "A.loop"] {
        assert_eq!(left.inputs(name), ["n"], "{left}");
    }
}

#[test]
fn parameters_that_one_function_of_a_cycle_uses_stay() {
    let left = optimised(
        "
        let rec even (a: int) b n = if n = 0 then b else 2 * odd a b (n - 1)
        and odd (a: int) b n = if n = 0 then 0 else 3 * even a b (n - 1)
        show (even (opaque 1) (opaque 2) (opaque 6))
        ",
    );
    assert_eq!(left.inputs("A.even"), ["b", "n"], "{left}");
    assert_eq!(left.inputs("A.odd"), ["b", "n"], "{left}");
}

#[test]
fn the_arguments_of_dropped_parameters_are_still_evaluated() {
    let left = optimised(
        "
        let [<NoInline>] ignores a n = n + 1
        show (ignores (show 1; opaque 2) (opaque 3))
        ",
    );
    assert_eq!(left.inputs("A.ignores<int>"), ["n"], "{left}");
    assert_eq!(left.calls_of("A.opaque"), 2, "{left}");
}

/// A function that is called with closures that capture these values, and with another one.
fn captures_of(values: [&str; 2]) -> Optimised {
    let [first, second] = values;
    optimised(&format!(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let adder k = (show k; fun n -> n * 3 + k)
        show (call (adder {first}) (opaque 1) + call (adder {second}) (opaque 2) + call (fun n -> n) (opaque 3))
        "
    ))
}

#[test]
fn a_capture_that_is_the_same_constant_everywhere_is_dropped_and_the_closure_becomes_a_constant() {
    let left = captures_of(["3", "3"]);
    assert_eq!(left.inputs("A.adder.fun"), ["n"], "{left}");
    assert_eq!(left.closures(), 0, "{left}");
}

#[test]
fn a_capture_whose_constants_differ_stays() {
    let left = captures_of(["3", "4"]);
    assert_eq!(left.inputs("A.adder.fun"), ["k", "n"], "{left}");
    assert_eq!(left.closures(), 2, "{left}");
}

#[test]
fn an_unused_capture_is_dropped() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let [<NoInline>] run k j =
            call (fun n -> (let unused = k * 2 in n + j)) 1
        show (run (opaque 3) (opaque 4))
        ",
    );
    assert_eq!(left.inputs("A.run.fun"), ["j", "n"], "{left}");
    assert_eq!(left.inputs("A.run"), ["j"], "{left}");
}

#[test]
fn an_unused_parameter_of_a_closure_stays() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        show (call (fun _ -> 1) (opaque 3) + call (fun n -> n) (opaque 4))
        ",
    );
    assert_eq!(left.inputs("fun").len(), 1, "{left}");
}

#[test]
fn an_unused_parameter_of_an_exported_function_stays() {
    let left = optimised(
        "
        [<Export(\"exported\")>]
        let exported (unused: int) (n: int) = n + 1
        show (opaque 3)
        ",
    );
    assert_eq!(left.inputs("export exported"), ["unused", "n"], "{left}");
}
