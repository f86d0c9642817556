//! Inlining: which calls are replaced, depending on the size and the marks of the callee, and which are not.

use crate::fixture::{Optimised, optimised, simplified};
use clef_optimise::Level;

/// Statements of a function of `n`, each of which is a few statements of Core.
fn steps(count: usize) -> String {
    "    cell := !cell * 3 + n\n".repeat(count)
}

/// `callee`, with its marks and its size, and `run`, which calls it once or more.
fn program(marks: &str, size: usize, calls: usize) -> String {
    let calls: Vec<String> = (0..calls).map(|call| format!("callee (n + {call})")).collect();
    let (steps, calls) = (steps(size), calls.join(" + "));
    format!(
        "let cell = ref 1\nlet {marks} callee (n: int) =\n{steps}    !cell\n\
         let [<NoInline>] run n = {calls}\nshow (run (opaque 3))\n"
    )
}

fn calls(marks: &str, size: usize, calls: usize, level: Level) -> usize {
    simplified(&program(marks, size, calls), level).calls_of("A.callee")
}

#[test]
fn a_small_function_is_inlined_at_every_call() {
    assert_eq!(calls("", 1, 3, Level::Speed), 0);
}

#[test]
fn a_function_that_is_small_for_speed_is_not_for_size() {
    assert_eq!(calls("", 2, 3, Level::Speed), 0);
    assert_eq!(calls("", 2, 3, Level::Size), 3);
}

#[test]
fn a_larger_function_is_inlined_if_it_is_called_from_one_place_only() {
    for level in [Level::Speed, Level::Size] {
        assert_eq!(calls("", 20, 1, level), 0, "{level:?}");
        assert_eq!(calls("", 20, 2, level), 2, "{level:?}");
    }
}

#[test]
fn a_large_function_is_not_inlined_even_if_it_is_called_from_one_place_only() {
    for level in [Level::Speed, Level::Size] {
        assert_eq!(calls("", 200, 1, level), 1, "{level:?}");
    }
}

#[test]
fn a_function_marked_inline_is_inlined_at_every_call_for_size_too() {
    for level in [Level::Speed, Level::Size] {
        assert_eq!(calls("inline", 20, 3, level), 0, "{level:?}");
    }
}

#[test]
fn a_caller_grows_only_to_a_limit() {
    let calls = calls("inline", 100, 20, Level::Speed);
    assert!(0 < calls && calls < 20, "{calls}");
}

#[test]
fn a_function_marked_noinline_is_not_inlined() {
    for level in [Level::Speed, Level::Size] {
        assert_eq!(calls("[<NoInline>]", 0, 1, level), 1, "{level:?}");
    }
}

#[test]
fn a_function_with_a_section_is_not_inlined() {
    let left = optimised(
        "
        [<Section(\".fast\")>]
        let placed n = n + 1
        show (placed (opaque 3))
        ",
    );
    assert_eq!(left.calls_of("A.placed"), 1, "{left}");
}

#[test]
fn without_optimisation_nothing_is_inlined() {
    assert_eq!(calls("", 0, 1, Level::Debug), 1);
    assert_eq!(calls("inline", 0, 1, Level::Debug), 1);
}

/// The functions are still called.
fn stay(left: &Optimised, names: &[&str]) {
    for name in names {
        assert!(left.calls_of(name) > 0, "{name}: {left}");
    }
}

#[test]
fn functions_on_a_cycle_of_calls_are_not_inlined() {
    let left = optimised(
        "
        let rec collatz n = if n = 1 then 0 elif n % 2 = 0 then 1 + collatz (n / 2) else 1 + collatz (3 * n + 1)
        let rec even n = if n = 0 then 1 else 2 * odd (n - 1)
        and odd n = if n = 0 then 0 else 3 * even (n - 1)
        show (collatz (opaque 6) + even (opaque 7))
        ",
    );
    stay(&left, &["A.collatz", "A.even", "A.odd"]);
}

#[test]
fn a_loop_is_not_inlined() {
    let left = optimised(
        "
        let rec loop n acc = if n = 0 then acc else loop (n - 1) (acc + n)
        show (loop (opaque 6) 0)
        ",
    );
    stay(&left, &["A.loop"]);
}

#[test]
fn a_function_that_calls_a_cycle_is_inlined() {
    let left = optimised(
        "
        let rec collatz n = if n = 1 then 0 elif n % 2 = 0 then 1 + collatz (n / 2) else 1 + collatz (3 * n + 1)
        let outside n = collatz (n + 1) * 2
        show (outside (opaque 6) + outside (opaque 7))
        ",
    );
    assert!(!left.has("A.outside"), "{left}");
}

#[test]
fn a_tail_call_of_a_function_inlined_elsewhere_is_a_plain_call() {
    let left = optimised(
        "
        let [<NoInline>] last n = n * 2
        let middle n = (show n; last (n + 1))
        let [<NoInline>] within n = middle n + 1
        let [<NoInline>] at_end n = middle n
        show (within (opaque 3) + at_end (opaque 4))
        ",
    );
    assert_eq!((left.lines("A.within", "call A.last"), left.lines("A.within", "tail call")), (1, 0), "{left}");
    assert_eq!(left.lines("A.at_end", "tail call A.last"), 1, "{left}");
}

#[test]
fn the_arguments_are_evaluated_before_the_body() {
    let left = optimised(
        "
        let cell = ref 1
        let next () = (cell := !cell * 3; !cell)
        let callee a b = (cell := !cell + 1; a * 100 + b * 10 + !cell)
        let [<NoInline>] run n = callee (next ()) (next () + n)
        show (run (opaque 3))
        ",
    );
    assert!(!left.has("A.callee") && !left.has("A.next"), "{left}");
}
