//! What is rejected, by which path, and what is accepted.

use super::check;
use clef_testing::{checked, rendered};

fn errors(text: &str) -> String {
    let checked = checked("a.clef", text);
    rendered(&checked.sources, &check(&checked.psg))
}

fn accepted(text: &str) {
    assert_eq!(errors(text), "", "\n{text}");
}

fn rejected(text: &str, parts: &[&str]) {
    let found = errors(text);
    assert!(found.contains("E0601"), "nothing is rejected in\n{text}\n{found}");
    for part in parts {
        assert!(found.contains(part), "{part:?} is missing in\n{found}");
    }
}

#[test]
fn a_returned_closure_is_rejected_with_its_way() {
    rejected(
        "let counter () =\n    let mutable count = 0\n    let next () =\n        count <- count + 1\n        count\n    next\nlet c = counter ()\nConsole.writeln (Format.int (c ()))\n",
        &[
            "a closure that captures the mutable variable `count` outlives it",
            "this is on the stack, and freed when `counter` returns",
            "`counter` returns it",
            "ref",
        ],
    );
}

#[test]
fn calls_within_the_frame_are_accepted() {
    accepted(
        "let sum n =\n    let mutable total = 0\n    let add i = total <- total + i\n    for i = 1 to n do add i\n    total\nConsole.writeln (Format.int (sum 3))\n",
    );
}

#[test]
fn known_functions_that_only_call_are_accepted() {
    accepted(
        "let twice (f: int -> unit) x =\n    f x\n    f x\nlet rec repeat n (f: int -> unit) = if n > 0 then (f n; repeat (n - 1) f)\nlet run () =\n    let mutable total = 0\n    twice (fun i -> total <- total + i) 2\n    repeat 3 (fun i -> total <- total + i)\n    3 |> (fun i -> total <- total + i)\n    total\nConsole.writeln (Format.int (run ()))\n",
    );
}

#[test]
fn a_local_partial_application_is_accepted() {
    accepted(
        "let run () =\n    let mutable total = 0\n    let add a b = total <- total + a * b\n    let three = add 3\n    three 1\n    three 2\n    total\nConsole.writeln (Format.int (run ()))\n",
    );
}

#[test]
fn composition_with_a_result_that_holds_nothing_is_accepted() {
    accepted(
        "let run () =\n    let mutable total = 0\n    let add (n: int) = total <- total + n; total\n    let both = add >> (fun n -> n + 1)\n    both 2\nConsole.writeln (Format.int (run ()))\n",
    );
}

#[test]
fn a_way_through_a_polymorphic_function_is_found() {
    rejected(
        "let same x = x\nlet make () =\n    let mutable n = 0\n    same (fun () -> n <- n + 1; n)\nlet f = make ()\nConsole.writeln (Format.int (f ()))\n",
        &["it is passed to `same`, which returns it", "`make` returns it"],
    );
}

#[test]
fn a_polymorphic_function_used_on_numbers_does_not_matter() {
    accepted(
        "let same x = x\nlet make () =\n    let mutable n = 1\n    let read () = same n\n    same (read ())\nConsole.writeln (Format.int (make ()))\n",
    );
}

#[test]
fn storing_in_a_ref_cell_is_rejected() {
    rejected(
        "let kept = ref (fun () -> 0)\nlet store () =\n    let mutable n = 0\n    kept := fun () -> n <- n + 1; n\nstore ()\nConsole.writeln (Format.int ((!kept) ()))\n",
        &["it is stored in a ref cell"],
    );
}

#[test]
fn storing_in_a_module_level_variable_is_rejected() {
    rejected(
        "let mutable kept = fun () -> 0\nlet store () =\n    let mutable n = 0\n    kept <- (fun () -> n <- n + 1; n)\nstore ()\nConsole.writeln (Format.int (kept ()))\n",
        &["it is stored in the module-level variable `kept`"],
    );
}

#[test]
fn a_module_level_value_is_rejected() {
    rejected(
        "let next =\n    let mutable n = 0\n    fun () -> n <- n + 1; n\nConsole.writeln (Format.int (next ()))\n",
        &["it is stored in the module-level value `next`"],
    );
}

#[test]
fn a_tuple_and_a_match_do_not_hide_it() {
    rejected(
        "let make flag =\n    let mutable n = 0\n    let pair = ((fun () -> n <- n + 1; n), 1)\n    match pair with\n    | f, 1 when flag -> f\n    | _ -> fun () -> 0\nlet f = make true\nConsole.writeln (Format.int (f ()))\n",
        &["it is stored in this value", "`make` returns it"],
    );
}

#[test]
fn a_capture_by_a_closure_that_escapes_is_found() {
    rejected(
        "let make () =\n    let mutable n = 0\n    let next () = n <- n + 1; n\n    fun () -> next () + 1\nlet f = make ()\nConsole.writeln (Format.int (f ()))\n",
        &["a closure captures `next` here", "`make` returns it"],
    );
}

#[test]
fn a_slot_of_a_loop_must_not_be_kept_for_a_later_iteration() {
    rejected(
        "let run () =\n    let mutable kept = fun () -> 0\n    for i = 1 to 3 do\n        let mutable n = i\n        kept <- (fun () -> n <- n + 1; n)\n    kept ()\nConsole.writeln (Format.int (run ()))\n",
        &["allocated again in each iteration", "it is stored in `kept`, which lives longer"],
    );
}

#[test]
fn an_unknown_function_may_keep_its_argument() {
    rejected(
        "let run (keep: (unit -> int) -> int) =\n    let mutable n = 0\n    keep (fun () -> n <- n + 1; n)\nConsole.writeln (Format.int (run (fun f -> f ())))\n",
        &["it is passed to `keep`, which may store it", "is chosen by the caller"],
    );
}

#[test]
fn a_partial_application_that_escapes_is_found() {
    rejected(
        "let make () =\n    let mutable n = 0\n    let add a b = n <- n + a + b; n\n    add 1\nlet f = make ()\nConsole.writeln (Format.int (f 2))\n",
        &["it is stored in this partial application", "`make` returns it"],
    );
}
