//! Function values in memory that can be overwritten, which are stored by value.

use crate::fixture::{Optimised, optimised, simplified};
use clef_core::{AddressReason, StoredFunctions};
use clef_optimise::Level;

/// The reasons for which addresses are stored.
fn reasons(left: &Optimised) -> Vec<&AddressReason> {
    left.program.stored.iter().filter_map(|StoredFunctions { kept, .. }| kept.as_ref().err()).collect()
}

/// The function values of the program are stored by value, and no closure is created.
fn by_value(text: &str) {
    let left = optimised(text);
    assert_eq!((left.closures(), left.unknown_calls()), (0, 0), "{left}");
    assert!(left.program.stored.len() == 1 && reasons(&left).is_empty(), "{left}");
}

#[test]
fn a_ref_cell_holds_the_captures() {
    by_value(
        "
        let kept = ref (fun (n: int) -> n)
        let [<NoInline>] set k = kept := fun n -> n + k
        set (opaque 3)
        show ((!kept) 4)
        ",
    );
}

#[test]
fn a_variable_an_array_a_field_and_an_option_hold_the_captures() {
    by_value(
        "
        let mutable kept = fun (n: int) -> n
        let [<NoInline>] set k = kept <- fun n -> n + k
        set (opaque 3)
        show (kept 4)
        ",
    );
    by_value(
        "
        let kept = [| (fun (n: int) -> n); (fun n -> n + 1) |]
        let [<NoInline>] set k = kept.[1] <- fun n -> n + k
        set (opaque 3)
        for handler in kept do show (handler 4)
        ",
    );
    by_value(
        "
        type Handler = { Name: string; mutable Call: int -> int }
        let handler = { Name = \"a\"; Call = fun n -> n }
        let [<NoInline>] set k = handler.Call <- fun n -> n + k
        set (opaque 3)
        show (handler.Call 4)
        ",
    );
    by_value(
        "
        let mutable kept: (int -> int) option = None
        let [<NoInline>] set k = kept <- Some (fun n -> n + k)
        let [<NoInline>] call n = match kept with Some f -> f n | None -> -1
        show (call 4)
        set (opaque 3)
        show (call 4)
        ",
    );
}

#[test]
fn a_function_value_is_traced_through_calls_results_and_conditionals() {
    by_value(
        "
        let kept = ref (fun (n: int) -> n)
        let [<NoInline>] scaled k = if k > 2 then (fun n -> n * k) else (fun n -> n - k)
        let [<NoInline>] set f = kept := f
        let [<NoInline>] reset k = set (scaled k)
        reset (opaque 3)
        show ((!kept) 4)
        reset (opaque 1)
        show ((!kept) 4)
        ",
    );
}

#[test]
fn function_values_are_stored_by_value_without_optimisation_too() {
    let left = simplified(
        "
        let kept = ref (fun (n: int) -> n)
        let [<NoInline>] set k = kept := fun n -> n + k
        set (opaque 3)
        ",
        Level::Debug,
    );
    assert_eq!((left.lines("A.set", "inject stored<int -> int>"), left.lines("A.set", "closure")), (1, 0), "{left}");
}

#[test]
fn a_stored_function_that_is_passed_on_becomes_a_closure_again() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) n = f n
        let kept = ref (fun (n: int) -> n)
        let [<NoInline>] set k = kept := fun n -> n + k
        let [<NoInline>] pass () = call !kept 4
        set (opaque 3)
        show (pass ())
        ",
    );
    assert_eq!((left.lines("A.set", "closure"), left.lines("A.pass", "closure A.set.fun")), (0, 1), "{left}");
    assert_eq!(left.unknown_calls(), 1, "{left}");
}

#[test]
fn constant_closures_are_stored_by_address() {
    let left = optimised(
        "
        let kept = ref (fun (n: int) -> n)
        let [<NoInline>] call n = (!kept) n
        kept := fun n -> n + 1
        show (call (opaque 3))
        ",
    );
    assert_eq!((left.closures(), left.unknown_calls()), (0, 1), "{left}");
    assert!(left.program.stored.is_empty(), "{left}");
}

#[test]
fn a_value_of_unknown_origin_is_stored_by_address() {
    let left = optimised(
        "
        let kept = ref (fun (n: int) -> n)
        let [<NoInline>] call (f: (int -> int) -> unit) g = f g
        let [<NoInline>] set k = call (fun f -> kept := f) (fun n -> n + k)
        set (opaque 3)
        show ((!kept) 4)
        ",
    );
    assert_eq!(left.lines("A.set", "closure"), 1, "{left}");
    assert!(matches!(reasons(&left)[..], [AddressReason::Unknown(_)]), "{left}");
}

#[test]
fn a_value_of_more_than_16_lambdas_is_stored_by_address() {
    let kept = |lambdas: usize| {
        let others: String = (1..lambdas).map(|number| format!("    kept := fun n -> n * k + {number}\n")).collect();
        let text = "let kept = ref (fun (n: int) -> n)\nlet [<NoInline>] set k =\n";
        optimised(&format!("{text}{others}set (opaque 3)\nshow ((!kept) 4)\n"))
    };
    let (sixteen, seventeen) = (kept(16), kept(17));
    assert!(reasons(&sixteen).is_empty() && sixteen.unknown_calls() == 0, "{sixteen}");
    assert_eq!(reasons(&seventeen), [&AddressReason::Many(17)], "{seventeen}");
}

#[test]
fn a_value_that_would_contain_itself_is_stored_by_address() {
    let left = optimised(
        "
        let kept = ref (fun (n: int) -> n)
        let [<NoInline>] set f = kept := fun n -> (kept := f; n + f n)
        set (fun n -> n + 1)
        show ((!kept) (opaque 4))
        show ((!kept) (opaque 5))
        ",
    );
    assert_eq!(reasons(&left), [&AddressReason::Endless], "{left}");
    assert!(left.unknown_calls() > 0, "{left}");
}

#[test]
fn a_store_keeps_the_captures_of_its_time() {
    by_value(
        "
        let mutable kept = fun (n: int) -> n
        let [<NoInline>] run count =
            let mutable total = 0
            for i in 1 .. count do
                let before = kept 1
                kept <- fun n -> n * i + before
                total <- total * 10 + kept 2
            total
        show (run (opaque 4))
        ",
    );
}

#[test]
fn a_closure_of_the_same_group_does_not_exist_yet() {
    let left = optimised(
        "
        let cell = ref (fun (x: int) -> x)
        let [<NoInline>] call (f: unit -> unit) = f ()
        let [<NoInline>] make n =
            let rec store () = cell := get
            and get x = (if x > n then call store); x
            call store
        make (opaque 3)
        show ((!cell) 5)
        ",
    );
    assert!(!reasons(&left).is_empty(), "{left}");
}

/// The number of lambdas of each union of stored functions, in ascending order.
fn lambdas(left: &Optimised) -> Vec<usize> {
    let kept = left.program.stored.iter().filter_map(|stored| Some(stored.kept.as_ref().ok()?.1.len()));
    let mut lambdas: Vec<usize> = kept.collect();
    lambdas.sort_unstable();
    lambdas
}

#[test]
fn cells_that_nothing_else_refers_to_have_lambdas_of_their_own() {
    let left = optimised(
        "
        let [<NoInline>] set (cell: (int -> int) ref) f = cell.Value <- f
        let mutable variable = fun (x: int) -> x
        let [<NoInline>] run n =
            let first = [| (fun x -> x + n); (fun x -> x - n); (fun x -> x + 2 * n) |]
            let second = ref (fun x -> x * n)
            let mutable third = fun x -> x - 3 * n
            let replace k = third <- fun x -> x - k
            set second (fun x -> x * n + 1)
            replace 4
            replace 5
            variable <- fun x -> x ^^^ n
            first.[n &&& 1] 1 + second.Value 2 + third 3 + variable 4
        show (run (opaque 3))
        ",
    );
    assert_eq!(lambdas(&left), [2, 2, 2, 3], "{left}");
    assert_eq!((left.closures(), left.unknown_calls()), (0, 0), "{left}");
}

#[test]
fn cells_between_which_a_function_moves_have_the_same_lambdas() {
    let left = optimised(
        "
        let [<NoInline>] run n =
            let first = [| (fun x -> x + n); (fun x -> x - n) |]
            let second = [| (fun x -> x * n) |]
            second.[0] <- first.[n &&& 1]
            first.[n &&& 1] 1 + second.[0] 2
        show (run (opaque 3))
        ",
    );
    assert_eq!(lambdas(&left), [3], "{left}");
}

#[test]
fn a_cell_of_constants_that_takes_a_function_of_another_cell_has_its_lambdas() {
    let left = optimised(
        "
        let [<NoInline>] run n =
            let first = [| (fun x -> x + n); (fun x -> x - n) |]
            let second = ref (fun (x: int) -> x)
            let before = second.Value 1
            second.Value <- first.[n &&& 1]
            before + second.Value 2
        show (run (opaque 3))
        ",
    );
    assert_eq!(lambdas(&left), [3], "{left}");
}

#[test]
fn cells_in_others_have_the_lambdas_of_all_such_and_returned_ones_their_own() {
    let left = optimised(
        "
        let [<NoInline>] made n = [| (fun x -> x + n) |]
        let [<NoInline>] run n =
            let first = made n
            let second = [| (fun x -> x * n); (fun x -> x * 2 * n) |]
            let third = [| (fun x -> x - n); (fun x -> x - 2 * n) |]
            let both = [| second |]
            both.[0].[n &&& 1] <- fun x -> x
            first.[0] 1 + both.[0].[n &&& 1] 2 + third.[n &&& 1] 3
        show (run (opaque 3))
        ",
    );
    assert_eq!(lambdas(&left), [1, 2, 3], "{left}");
}

#[test]
fn the_closure_of_a_stored_function_is_created_once_in_a_block() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) (g: int -> int) n = f (g n)
        let [<NoInline>] run n =
            let kept = [| (fun x -> x + n) |]
            let f = kept.[n &&& 0]
            call f f n
        show (run (opaque 3))
        ",
    );
    assert_eq!(left.lines("A.run", "= closure"), 1, "{left}");
}

#[test]
fn functions_in_nodes_of_lists_and_trees_are_stored_by_value() {
    let left = optimised(
        "
        type Job = { At: int; Work: int -> int }
        let rec insert job jobs =
            match jobs with
            | first :: rest when first.At <= job.At -> first :: insert job rest
            | _ -> job :: jobs
        let [<NoInline>] run k =
            let mutable jobs = [ { At = 0; Work = fun now -> now + k }; { At = 1; Work = fun now -> now * 2 } ]
            let mutable sum = 0
            for _ in 1 .. 5 do
                match jobs with
                | job :: rest ->
                    sum <- sum + job.Work job.At
                    jobs <- insert { job with At = job.At + 3 } rest
                | [] -> ()
            sum
        show (run (opaque 2))
        ",
    );
    assert_eq!((left.closures(), left.unknown_calls()), (0, 0), "{left}");
    assert!(reasons(&left).is_empty(), "{left}");
}

#[test]
fn functions_in_nodes_that_capture_much_are_stored_by_address() {
    let kept = |captures: &str| {
        optimised(&format!(
            "
            let [<NoInline>] run a b c d =
                let mutable jobs = []
                for n in 1 .. opaque 3 do
                    jobs <- (fun x -> x + {captures}) :: (fun x -> x * n) :: jobs
                let mutable sum = 0
                for job in jobs do sum <- sum + job 2
                sum
            show (run (opaque 1) (opaque 2) (opaque 3) (opaque 4))
            "
        ))
    };
    let (three, four) = (kept("a * b * c"), kept("a * b * c * d"));
    assert!(reasons(&three).is_empty() && three.unknown_calls() == 0, "{three}");
    assert_eq!(reasons(&four), [&AddressReason::Large], "{four}");
    assert!(four.unknown_calls() > 0, "{four}");
}
