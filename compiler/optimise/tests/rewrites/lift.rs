//! Calls of closures where they are created, which become calls of known functions that take the captures.

use crate::fixture::optimised;

/// Statements that are too many to be inlined at two calls.
const LARGE: &str = "show x; show (x + 1); show (x + 2); show (x + 3); show (x + 4); ";

#[test]
fn a_closure_that_is_called_where_it_is_created_becomes_a_known_function() {
    let left = optimised(&format!(
        "
        let adder n = (show n; fun x -> {LARGE} x + n)
        let [<NoInline>] run n =
            let add = adder n
            add 1 + add 2
        show (run (opaque 3))
        "
    ));
    assert_eq!((left.closures(), left.unknown_calls()), (0, 0), "{left}");
    assert_eq!(left.inputs("A.adder.fun.direct"), ["n", "x"], "{left}");
    assert_eq!(left.function("A.adder.fun.direct").leading_captures, 1, "{left}");
    assert_eq!(left.calls_of("A.adder.fun.direct"), 2, "{left}");
}

#[test]
fn the_code_of_a_closure_that_is_also_a_value_calls_the_known_function() {
    let left = optimised(&format!(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let adder n = (show n; fun x -> {LARGE} x + n)
        let [<NoInline>] run n =
            let add = adder n
            add 1 + add 2 + call add 3
        show (run (opaque 3))
        "
    ));
    assert_eq!(left.closures(), 1, "{left}");
    assert_eq!(left.lines("A.adder.fun", "tail call A.adder.fun.direct(n.0, x.1)"), 1, "{left}");
    assert_eq!(left.calls_of("A.adder.fun.direct"), 3, "{left}");
}

#[test]
fn a_closure_that_another_function_creates_is_called_as_a_closure() {
    let left = optimised(&format!(
        "
        let [<NoInline>] adder n = (show n; fun x -> {LARGE} x + n)
        let [<NoInline>] run n =
            let add = adder n
            add 1 + add 2
        show (run (opaque 3))
        "
    ));
    assert_eq!((left.closures(), left.unknown_calls()), (1, 2), "{left}");
    assert_eq!(left.named(".direct"), 0, "{left}");
}

#[test]
fn a_closure_with_too_many_captures_is_not_lifted() {
    let program = |captured: &[&str]| {
        let names = captured.join(" ");
        let arguments: Vec<String> = (1..=captured.len()).map(|number| format!("(opaque {number})")).collect();
        let (sum, arguments) = (captured.join(" * 3 + "), arguments.join(" "));
        optimised(&format!(
            "
            let adder {names} = (show a; fun x -> {LARGE} x + {sum})
            let [<NoInline>] run {names} =
                let add = adder {names}
                add 1 + add 2
            show (run {arguments})
            "
        ))
    };
    let seven = program(&["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(seven.inputs("A.adder.fun.direct").len(), 8, "{seven}");
    let eight = program(&["a", "b", "c", "d", "e", "f", "g", "h"]);
    assert_eq!((eight.named(".direct"), eight.closures()), (0, 1), "{eight}");
}

#[test]
fn a_closure_that_uses_itself_as_a_value_is_not_lifted() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let counter n =
            let rec count x = if x > 100 then n else call count (x * 2) + 1
            count
        let [<NoInline>] run n =
            let count = counter n
            count 1 + count 2
        show (run (opaque 3))
        ",
    );
    assert!(left.closures() > 0 && left.named(".direct") == 0, "{left}");
}

#[test]
fn a_closure_is_lifted_once() {
    let left = optimised(&format!(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let rec repeat (f: int -> int) n = if n = 0 then 0 else f n + repeat f (n - 1)
        let adder n = (show n; fun x -> {LARGE} x + n)
        let [<NoInline>] run n =
            let add = adder n
            add 1 + repeat add 3 + call add 4
        show (run (opaque 3))
        "
    ));
    // The calls in the copy of `repeat` are known later than the one in `run`.
    assert_eq!(left.lines("A.repeat with A.adder.fun", "call A.adder.fun.direct(n.1, n.2)"), 1, "{left}");
    assert_eq!(left.named(".direct"), 1, "{left}");
}

#[test]
fn a_loop_in_a_closure_passes_the_captures_on() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let looper k =
            let rec loop n =
                let unused = [ loop ]
                if n > 100 then n + k else loop (n * 3)
            loop
        let [<NoInline>] run k =
            let loop = looper k
            loop 5 + loop 6 + call loop 7
        show (run (opaque 3))
        ",
    );
    assert_eq!(left.before().lines("A.looper.loop", "continue ($."), 1, "{}", left.before());
    assert_eq!(left.lines("A.looper.loop.direct", "continue (k.0, $."), 1, "{left}");
}
