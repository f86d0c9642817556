//! Loops over lists and arrays, which become one.

use crate::fixture::{Optimised, optimised};

/// A function of a number.
fn program(body: &str) -> Optimised {
    optimised(&format!(
        "
        let cell = ref 1
        let [<NoInline>] run (n: int) =
            {}
        show (run (opaque 3))
        ",
        body.replace('\n', "\n            ")
    ))
}

/// The loops of the function, and whether it makes a list or an array.
fn shape(left: &Optimised) -> (usize, bool) {
    let makes = ["inject list", "array_zero"].iter().any(|made| left.lines("A.run", made) > 0);
    (left.lines("A.run", " = while"), makes)
}

#[test]
fn a_pipeline_of_lists_becomes_one_loop() {
    let left = program(
        "[ for i in 1 .. n -> i * 7 ]
|> List.map (fun x -> x + 1)
|> List.filter (fun x -> x % 2 = 0)
|> List.mapi (fun i x -> i * x)
|> List.choose (fun x -> if x > 3 then Some(x - 1) else None)
|> List.fold (fun sum x -> sum * 3 + x) 0",
    );
    assert_eq!(shape(&left), (1, false), "{left}");
}

#[test]
fn a_pipeline_of_arrays_becomes_one_loop() {
    let left = program(
        "let source = [| n; n + 1; n * n |]
source
|> Array.map (fun x -> x + 1)
|> Array.mapi (fun i x -> i * x)
|> Array.fold (fun sum x -> sum * 3 + x) 0",
    );
    assert_eq!(shape(&left), (1, false), "{left}");
}

#[test]
fn the_list_of_a_sequence_is_not_made() {
    let left = program("Seq.ofList [ for i in 1 .. n -> i * 7 ] |> Seq.map (fun x -> x + 1) |> Seq.sum");
    assert_eq!(shape(&left), (1, false), "{left}");
    let left = program("String.length (String.concat \";\" [ for i in 1 .. n -> Format.int i ])");
    assert_eq!(shape(&left), (1, false), "{left}");
}

#[test]
fn what_the_first_loop_reads_may_be_written_by_it_alone() {
    let kept = [
        // A variable, a cell and a record.
        "let mutable sum = 0\nfor x in [ for i in 1 .. n -> i + sum ] do\n    sum <- sum + x\nsum",
        "for x in [ for i in 1 .. n -> i + cell.Value ] do\n    cell.Value <- cell.Value + x\ncell.Value",
        // The array that it maps.
        "let source = [| n; 2; 3 |]\nfor x in Array.map (fun x -> x + 1) source do\n    source.[0] <- source.[0] + x\nsource.[0]",
    ];
    for body in kept {
        let left = program(body);
        assert_eq!(shape(&left), (2, true), "{body}: {left}");
    }
    let left = program("for x in [ for i in 1 .. n -> i + n ] do\n    cell.Value <- cell.Value + x\ncell.Value");
    assert_eq!(shape(&left), (1, false), "{left}");
}

#[test]
fn at_most_one_loop_may_be_observed() {
    let both = "for x in [ for i in 1 .. n -> (show i; i) ] do\n    show x\nn";
    assert_eq!(shape(&program(both)), (2, true));
    let divides = "for x in [ for i in 1 .. n -> 100 / (i - 2) ] do\n    show x\nn";
    assert_eq!(shape(&program(divides)), (2, true));
    let first = "let mutable sum = 0\nfor x in [ for i in 1 .. n -> (show i; i) ] do\n    sum <- sum + x\nsum";
    assert_eq!(shape(&program(first)), (1, false));
    let second = "for x in [ for i in 1 .. n -> i * 2 ] do\n    show x\nn";
    assert_eq!(shape(&program(second)), (1, false));
}

#[test]
fn a_loop_that_may_not_end_is_not_fused_with_what_can_be_observed() {
    let body = "let mutable i = 0
for x in [ while i < n do
               i <- i + 2
               yield i ] do
    show x
i";
    assert_eq!(shape(&program(body)), (2, true));
}

#[test]
fn what_is_used_again_is_made() {
    let twice = "let xs = [ for i in 1 .. n -> i * 2 ]\nList.fold (fun s x -> s + x) 0 xs + List.length xs";
    assert_eq!(shape(&program(twice)), (3, true));
    let twice = "let xs = Array.map (fun x -> x * 2) [| n; 2 |]\nArray.fold (fun s x -> s + x) 0 xs + xs.[1]";
    assert_eq!(shape(&program(twice)), (2, true));
}

#[test]
fn an_array_is_read_in_the_order_in_which_it_is_filled() {
    for range in ["1 .. xs.Length - 1", "xs.Length - 1 .. -1 .. 0", "0 .. 1"] {
        let body = format!(
            "let xs = Array.map (fun x -> x * 2) [| n; 2; 3 |]\nlet mutable s = 0\nfor i in {range} do\n    s <- s * 3 + xs.[i]\ns"
        );
        assert_eq!(shape(&program(&body)), (2, true), "{range}");
    }
}

#[test]
fn an_array_of_an_unknown_size_is_made() {
    let body = "Array.init n (fun i -> i * 2) |> Array.fold (fun s x -> s + x) 0";
    assert_eq!(shape(&program(body)), (2, true));
}
