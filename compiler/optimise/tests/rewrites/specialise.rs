//! Copies of functions for the closures that are passed to them.

use crate::fixture::{Optimised, optimised, simplified};
use clef_optimise::Level;

/// The program neither creates closures nor calls unknown ones.
fn vanishes(text: &str) -> Optimised {
    let left = optimised(text);
    assert_eq!((left.closures(), left.unknown_calls()), (0, 0), "{left}");
    left
}

#[test]
fn a_literal_passed_to_a_known_function_vanishes() {
    vanishes(
        "
        let twice (f: int -> int) x = f (f x)
        let run n = twice (fun x -> x + n) 1
        show (run (opaque 2))
        ",
    );
}

const FOLD: &str = "
        let rec fold (f: int -> int -> int) acc n = if n = 0 then acc else f (fold f acc (n - 1)) n";

#[test]
fn a_recursive_function_is_specialised_for_its_closure() {
    let left = vanishes(&format!(
        "{FOLD}
        let [<NoInline>] run k = fold (fun a b -> a + b * k) 0 10
        show (run (opaque 2) + run (opaque 3))"
    ));
    assert!(!left.has("A.fold"), "{left}");
    assert_eq!(left.function("A.fold with A.run.fun").leading_captures, 1, "{left}");
}

#[test]
fn a_loop_is_specialised_for_its_closure() {
    vanishes(
        "
        let rec loop (f: int -> int) n acc = if n = 0 then acc else loop f (n - 1) (f acc)
        let run k = loop (fun a -> a * k + 1) 10 0
        show (run (opaque 2))
        show (run (opaque 3))
        ",
    );
}

#[test]
fn a_function_that_passes_the_closure_to_one_that_calls_it_is_specialised() {
    let left = vanishes(&format!(
        "{FOLD}
        let rec repeat f n = if n = 0 then 0 else fold f n 3 + repeat f (n - 1)
        let [<NoInline>] run k = repeat (fun a b -> a + b * k) 10
        show (run (opaque 2))"
    ));
    assert!(!left.has("A.repeat") && !left.has("A.fold"), "{left}");
}

#[test]
fn a_chain_of_composed_functions_vanishes() {
    vanishes(
        "
        let run n =
            let add = (+) n
            let f = add >> (fun x -> x * n) >> add
            f 1
        show (run (opaque 2))
        ",
    );
}

#[test]
fn a_pipeline_over_a_known_sequence_vanishes() {
    vanishes(
        "
        let total n =
            seq { for i in 1..n do yield i; yield i + 1 } |> Seq.map (fun x -> x * 3)
            |> Seq.filter (fun x -> x % 2 = 0) |> Seq.mapi (+) |> Seq.skip 1 |> Seq.takeWhile (fun x -> x < 90)
            |> Seq.truncate 4 |> Seq.sum
        show (total (opaque 10))
        ",
    );
}

#[test]
fn there_is_one_copy_for_each_closure() {
    let left = vanishes(&format!(
        "{FOLD}
        let total k = fold (fun a b -> a + b * k) 0 10
        let [<NoInline>] run k = total k + total (k + 1) + fold (fun a b -> a * b + k) 1 5
        show (run (opaque 2))"
    ));
    assert_eq!(left.named("A.fold with"), 2, "{left}");
}

#[test]
fn a_closure_that_uses_itself_is_passed_whole_and_its_code_is_known() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let rec sum (f: int -> int) n = if n = 0 then 0 else f n + sum f (n - 1)
        let [<NoInline>] run n =
            let rec count x = if x > 100 then n else call count (x * 2) + 1
            sum count 5
        show (run (opaque 3))
        ",
    );
    let copy = "A.sum with A.run.count";
    assert_eq!(left.inputs(copy), ["f", "n"], "{left}");
    assert_eq!((left.lines(copy, "call A.run.count@f."), left.lines(copy, "call *")), (1, 0), "{left}");
}

#[test]
fn a_function_marked_noinline_is_not_specialised() {
    let left = optimised(
        "
        [<NoInline>]
        let rec fold (f: int -> int -> int) acc n = if n = 0 then acc else f (fold f acc (n - 1)) n
        let [<NoInline>] run k = fold (fun a b -> a + b * k) 0 10 + fold (fun a b -> a * b + k) 1 5
        show (run (opaque 2))
        ",
    );
    assert_eq!((left.named("A.fold with"), left.closures(), left.unknown_calls()), (0, 2, 1), "{left}");
}

#[test]
fn a_call_with_an_unknown_closure_is_not_specialised() {
    let left = optimised(&format!(
        "{FOLD}
        let kept = ref (fun (a: int) (b: int) -> a + b)
        kept := if opaque 1 > 0 then (fun a b -> a * b) else (fun a b -> a - b)
        show (fold !kept 1 5)"
    ));
    assert_eq!((left.named("A.fold with"), left.unknown_calls()), (0, 1), "{left}");
}

#[test]
fn a_parameter_that_is_only_stored_is_not_specialised() {
    let left = optimised(
        "
        let rec last (f: int -> int) n = if n = 0 then [ f ] else f :: last f (n - 1)
        let [<NoInline>] run k = List.length (last (fun x -> x + k) 3) + List.length (last (fun x -> x * k) 4)
        show (run (opaque 2))
        ",
    );
    assert_eq!((left.named("A.last with"), left.closures()), (0, 0), "{left}");
}

#[test]
fn a_loop_that_changes_its_closure_is_not_specialised() {
    let left = optimised(
        "
        let rec loop (f: int -> int) n acc = if n = 0 then acc else loop (fun x -> f x + 1) (n - 1) (f acc)
        let [<NoInline>] run k = loop (fun a -> a + k) 10 0
        show (run (opaque 2))
        ",
    );
    assert_eq!(left.named("A.loop with"), 0, "{left}");
    assert!(left.unknown_calls() > 0, "{left}");
}

#[test]
fn a_function_that_nests_its_closure_deeper_at_each_call_is_specialised_to_a_limit() {
    // The size of the program allows for more copies.
    let text = format!(
        "
        let rec nest (f: int -> int) n = if n = 0 then f 0 else 1 + nest (fun x -> f (x * 3 + 1)) (n - 1)
        let [<NoInline>] large n = {} n
        let [<NoInline>] run k = nest (fun a -> a + k) 12
        show (run (opaque 2) + large (opaque 3))
        ",
        "show n; ".repeat(100)
    );
    let depth = |level| {
        let left = simplified(&text, level);
        assert!(left.unknown_calls() > 0, "{left}");
        let names = left.program.functions.values().map(|function| function.name.as_str());
        names.map(|name| name.matches(" with A.nest.fun").count()).max().unwrap_or(0)
    };
    assert_eq!(depth(Level::Size), 2);
    assert!((3..=8).contains(&depth(Level::Speed)));
}

#[test]
fn copies_grow_the_code_less_for_size() {
    let steps = "show (n + acc); ".repeat(20);
    let calls: Vec<String> = (1..=20).map(|number| format!("fold (fun a b -> a * {number} + b) 0 k")).collect();
    let text = format!(
        "
        let rec fold (f: int -> int -> int) acc n = if n = 0 then acc else ({steps} f (fold f acc (n - 1)) n)
        let [<NoInline>] run k = {}
        show (run (opaque 2))
        ",
        calls.join(" + ")
    );
    let copies = |level| simplified(&text, level).named("A.fold with");
    let (speed, size) = (copies(Level::Speed), copies(Level::Size));
    assert!(0 < size && size < speed && speed < 20, "{size} for size, {speed} for speed");
}
