//! Functions that call themselves before nodes, which become loops.

use crate::fixture::{Optimised, optimised};

/// A recursive function `make`, and a call of it.
fn program(make: &str) -> Optimised {
    optimised(&format!(
        "
        {}
        show (List.sum (make (opaque 3)))
        ",
        make.replace('\n', "\n        ")
    ))
}

/// The calls of the function and of the loop that it becomes, except for those that only begin the loop.
fn recursive_calls(left: &Optimised) -> usize {
    let functions = left.program.functions.values().filter(|function| function.name.as_str().starts_with("A.make"));
    let mut count = 0;
    for function in functions {
        function.body.each_call(&mut |call| {
            let callee = call.known_callee().map(|callee| left.program.functions[callee].name);
            count += usize::from(callee.is_some_and(|callee| callee.as_str().starts_with("A.make")));
        });
    }
    count
}

#[test]
fn a_call_before_nodes_becomes_a_loop() {
    for make in [
        "let rec make n = if n = 0 then [] else n * 2 :: make (n - 1)",
        "let rec make n = if n = 0 then [ 5 ] else n :: 2 :: n * n :: make (n - 1)",
        "let rec make n = if n <= 0 then [] elif n % 2 = 0 then make (n - 1) else n :: make (n - 2)",
        "let rec make n =\n    match n with\n    | 0 -> []\n    | 1 -> [ 1; 2 ]\n    | _ ->\n        let x = opaque n\n        x :: make (n - 1)",
    ] {
        let left = program(make);
        assert_eq!(recursive_calls(&left), 0, "{make}: {left}");
    }
}

#[test]
fn what_is_done_after_the_call_stays_after_it() {
    for make in [
        "let rec make n = if n = 0 then [] else (let rest = make (n - 1) in show n; n :: rest)",
        "let rec make n = if n = 0 then [] else (let rest = make (n - 1) in List.length rest :: rest)",
        "let rec make n = if n = 0 then [] else List.rev (n :: make (n - 1))",
    ] {
        let left = program(make);
        assert_eq!(recursive_calls(&left), 1, "{make}: {left}");
    }
}

#[test]
fn a_function_that_calls_another_one_last_stays() {
    let left = program(
        "let [<NoInline>] other (n: int) = [ n; n ]\nlet rec make n = if n = 0 then other 3 else n :: make (n - 1)",
    );
    assert_eq!(recursive_calls(&left), 1, "{left}");
}
