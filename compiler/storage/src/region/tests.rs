//! Where the regions of small programs begin and end, and which functions pass on their handles.

use clef_core::print;
use clef_optimise::Level;
use clef_testing::{checked, with_large_stack};

/// The functions of a program, printed, whose names start with the program's module.
fn functions(text: &str) -> String {
    let checked = checked("a.clef", text);
    let program = checked.placed(Level::Debug);
    let own = program.functions.iter().filter(|(_, function)| function.name.as_str().starts_with("A."));
    own.map(|(id, _)| print::print_function(&program, id)).collect()
}

/// Fails unless the output contains these parts in order.
fn expect(text: &'static str, wanted: &'static [&'static str]) {
    with_large_stack(move || {
        let found = functions(text);
        let mut rest = found.as_str();
        for part in wanted {
            let Some((_, after)) = rest.split_once(part) else { panic!("{part:?} does not follow in\n{found}") };
            rest = after;
        }
    });
}

#[test]
fn a_list_that_is_dropped_is_in_a_region_that_ends_where_it_is_used_last() {
    expect(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let turn n =\n    let xs = build n\n    let total = List.sum xs\n    total + 1\n\
         Console.writeln (string (turn 3 + turn 4))\n",
        &["function A.turn", "= enter", "call A.build<region$", "List.sum", "leave region$", "yield"],
    );
}

#[test]
fn what_is_returned_is_in_a_region_of_the_caller() {
    expect(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         Console.writeln (string (List.length (build 3) + List.length (build 4)))\n",
        &["function A.build<region$", "call A.build<region$", "inject list<int> ::", " in region$"],
    );
}

#[test]
fn a_recursive_call_takes_a_region_of_its_own() {
    // The list of each level is dropped before the next: the call does not take the region of its caller.
    expect(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let rec count n =\n    if n = 0 then 0\n    else\n        let xs = build n\n        List.length xs + count (n - 1)\n\
         Console.writeln (string (count 3 + count 4))\n",
        &["function A.count(", "= enter", "call A.build<region$", "leave region$", "call A.count("],
    );
}

#[test]
fn each_iteration_of_a_loop_has_its_own_region() {
    expect(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let run limit =\n    let mutable i = 0\n    let mutable sum = 0\n    while i < limit do\n        sum <- sum + List.length (build i)\n        i <- i + 1\n    sum\n\
         Console.writeln (string (run 3 + run 4))\n",
        &["function A.run(", "while", "do", "= enter", "call A.build<region$", "leave region$"],
    );
}

#[test]
fn what_a_module_keeps_is_in_the_region_of_the_program() {
    expect(
        "let mutable kept = [ 1 ]\n\
         let push n = kept <- n :: kept\n\
         push 2\npush 3\nConsole.writeln (string (List.length kept))\n",
        &["function A.push(", "inject list<int> ::", " in program"],
    );
}

#[test]
fn a_closure_keeps_alive_what_it_captures() {
    expect(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let measure n =\n    let xs = build n\n    fun k -> k + List.length xs\n\
         let use' n =\n    let f = measure n\n    let g = measure (n + 1)\n    let h = if n > 2 then f else g\n    h 1 + h 2\n\
         Console.writeln (string (use' 3 + use' 4))\n",
        &["function A.use'(", "= enter", "call *h", "call *h", "leave", "function A.measure<region$"],
    );
}

#[test]
fn a_call_of_an_unknown_closure_chooses_the_region_of_its_result() {
    // The function values live as long as the program; what they return does not.
    expect(
        "let turn (make: int -> int list) n =\n    let xs = make n\n    List.length xs\n\
         let made n = fun (m: int) -> [ m; n ]\n\
         let kept = made 3\nConsole.writeln (string (turn kept 1 + turn (fun n -> [ n ]) 2))\n",
        &["function A.turn(", "= enter", "call *", "<region$", "leave region$"],
    );
}

#[test]
fn a_closure_captures_the_handle_of_a_region_that_it_allocates_in() {
    expect(
        "let collect n =\n    let found = ref []\n    let add = fun k -> found := k :: !found\n    let twice = fun (f: int -> unit) -> (f 1; f n)\n    [ add; add ] |> List.iter twice\n    List.length !found\n\
         Console.writeln (string (collect 3 + collect 4))\n",
        &["region$"],
    );
}

#[test]
fn what_goes_round_in_tail_calls_is_in_the_region_of_the_turn() {
    expect(
        "let rec even n xs = if n = 0 then List.length xs else odd (n - 1) (n :: xs)\n\
         and odd n xs = if n = 0 then 0 else even (n - 1) [ n ]\n\
         Console.writeln (string (even 4 [] + even 6 [ 1 ]))\n",
        &[
            "call A.even.iterations<region$",
            "function A.even.iterations<region$",
            "evacuate region$",
            "required tail call A.odd.iterations<region$",
        ],
    );
}

#[test]
fn both_arms_have_regions_of_their_own() {
    expect(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let either n =\n    if n > 2 then List.length (build n)\n    else\n        let k = List.length (build (n + 1))\n        k * 2\n\
         Console.writeln (string (either 1 + either 3))\n",
        &["function A.either(", "= enter", "leave region$", "= enter", "leave region$"],
    );
}

/// Fails unless a program, optimised for speed, evacuates or not.
fn expect_evacuation(text: &str, wanted: bool) {
    let text = text.to_owned();
    with_large_stack(move || {
        let program = print::print(&checked("a.clef", &text).placed(Level::Speed));
        assert_eq!(program.contains("= evacuate"), wanted, "{program}");
    });
}

const TREE: &str = "type Tree =\n    | Leaf\n    | Node of left: Tree * value: int * right: Tree\n\
                    let rec insert value tree =\n    match tree with\n    | Leaf -> Node (Leaf, value, Leaf)\n    \
                    | Node (left, own, right) when value < own -> Node (insert value left, own, right)\n    \
                    | Node (left, own, right) when value > own -> Node (left, own, insert value right)\n    \
                    | Node _ -> tree\n\
                    let rec sum tree =\n    match tree with\n    | Leaf -> 0\n    \
                    | Node (left, value, right) -> sum left + value + sum right\n";

fn expect_of_tree(rest: &str, wanted: bool) {
    expect_evacuation(&format!("{TREE}{rest}"), wanted);
}

#[test]
fn a_loop_that_drops_a_part_of_its_state_evacuates() {
    expect_of_tree(
        "let run count =\n    let mutable tree = Leaf\n    for i in 1 .. count do\n        \
         tree <- (match insert (i % 7) tree with\n                 | Node (left, _, _) when i % 5 = 0 -> left\n                 \
         | other -> other)\n    sum tree\nConsole.writeln (string (run (String.length \"abc\")))\n",
        true,
    );
}

#[test]
fn a_loop_that_copies_its_state_evacuates() {
    expect_of_tree(
        "let run count =\n    let mutable tree = Leaf\n    let mutable before = 0\n    for i in 1 .. count do\n        \
         let changed = insert (i % 7) tree\n        before <- before + sum tree\n        tree <- changed\n    \
         before + sum tree\nConsole.writeln (string (run (String.length \"abc\")))\n",
        true,
    );
}

/// A tree whose nodes are made in the memory of the former ones, with other fields that stay on each of two paths.
fn expect_of_two_paths(other_right: &str, wanted: bool) {
    expect_evacuation(
        &format!(
            "type Tree =\n    | Leaf\n    | Node of left: Tree * value: int * right: Tree * inserts: int\n\
             let rec insert value tree =\n    match tree with\n    | Leaf -> Node (Leaf, value, Leaf, 0)\n    \
             | Node (left, own, right, inserts) ->\n        let changed = insert (value - 1) left\n        \
             if value < own then Node (changed, own, right, inserts)\n        \
             else Node (changed, own, {other_right}, inserts + 1)\n\
             let rec sum tree =\n    match tree with\n    | Leaf -> 0\n    \
             | Node (left, value, right, inserts) -> sum left + value + sum right + inserts\n\
             let run count =\n    let mutable tree = Leaf\n    for i in 1 .. count do\n        \
             tree <- insert (i % 7) tree\n    sum tree\nConsole.writeln (string (run (String.length \"abc\")))\n"
        ),
        wanted,
    );
}

#[test]
fn a_loop_whose_paths_change_other_fields_of_a_reused_node_needs_no_evacuation() {
    expect_of_two_paths("right", false);
}

#[test]
fn a_loop_that_drops_a_field_of_a_reused_node_on_one_path_evacuates() {
    expect_of_two_paths("Leaf", true);
}

#[test]
fn a_loop_that_calls_a_function_which_makes_only_its_result_needs_no_evacuation() {
    expect_evacuation(
        "let rec pair n = if n = 0 then [] else n :: pair (n - 1)\n\
         let run count =\n    let mutable lists: int list list = []\n    for i in 1 .. count do\n        lists <- pair (i % 5) :: lists\n    \
         List.sumBy List.length lists\nConsole.writeln (string (run (String.length \"abc\")))\n",
        false,
    );
}

#[test]
fn a_loop_that_unlinks_its_state_evacuates() {
    expect_evacuation(
        "type Node = { Value: int; mutable Next: Node list }\n\
         let run count =\n    let mutable last: Node list = []\n    for i in 1 .. count do\n        \
         let node = { Value = i; Next = last }\n        last <- [ node ]\n        if i % 4 = 0 then node.Next <- []\n    \
         List.length last\nConsole.writeln (string (run (String.length \"abc\")))\n",
        true,
    );
}

/// Whether closures of the program free themselves, and whether the program evacuates.
fn frees(text: &'static str) -> (bool, bool) {
    let text = format!("{text}\nConsole.writeln (string (run 9 (fun r -> r + 1)))\n");
    let (sender, receiver) = std::sync::mpsc::channel();
    with_large_stack(move || {
        let found = functions(&text);
        let answer = (found.contains("pop closure"), found.contains("= evacuate"));
        sender.send(answer).expect("the test waits for the answer");
    });
    receiver.recv().expect("the answer was sent")
}

#[test]
fn continuations_that_are_used_once_free_themselves() {
    let programs = [
        "let rec run n k = if n < 2 then k n else run (n - 1) (fun a -> run (n - 2) (fun b -> k (a + b)))",
        // The captures change their number, and a handle of the region is captured too.
        "let rec tak x y z k =\n    if y >= x then k z\n    else tak (x - 1) y z (fun a -> tak (y - 1) z x (fun b -> tak (z - 1) x y (fun c -> tak a b c k)))\n\
         let run n k = tak n 3 2 k",
        // The continuation is dropped at the end.
        "let rec run n k = if n < 2 then k n else run (n - 1) (fun a -> if a = 7 then 0 else run (n - 2) (fun b -> k (a + b)))",
        // A choice between two continuations.
        "let rec run n k =\n    if n < 2 then k n\n    else\n        run (n - 1) (fun a ->\n            let next = if a % 2 = 0 then (fun b -> k (b - a)) else (fun b -> k (a + b))\n            run (n - 2) next)",
        // Two functions.
        "[<NoInline>]\nlet rec run n k = if n < 2 then k n else other (n - 1) 5 (fun a -> run (n - 2) (fun b -> k (a + b)))\n\
         and [<NoInline>] other n m k = if n < 2 then k m else run (n - 1) (fun a -> other (n - 2) a (fun b -> k (a + b)))",
    ];
    for text in programs {
        assert_eq!(frees(text), (true, false), "{text}");
    }
}

#[test]
fn other_continuations_are_evacuated() {
    let programs = [
        // Called twice.
        "let rec run n k = if n < 2 then k n + k 1 else run (n - 1) (fun a -> run (n - 2) (fun b -> k (a + b)))",
        // Captured twice.
        "let rec run n k = if n < 2 then k n else run (n - 1) (fun a -> run (n - 2) (fun b -> if a > 3 then k b else run 1 (fun c -> k (k c))))",
        // Dropped for another one.
        "let rec run n k =\n    if n < 2 then k n\n    else run (n - 1) (fun a -> if a > 5 then run (n - 2) (fun b -> b + a) else run (n - 2) (fun b -> k (a + b)))",
        // Stored.
        "let kept = ref None\nlet rec run n k =\n    if n < 2 then k n\n    else\n        kept.Value <- Some k\n        run (n - 1) (fun a -> run (n - 2) (fun b -> k (a + b)))",
        // Two at a time.
        "let rec both n k j = if n < 2 then (if n = 0 then j n else k n) else both (n - 1) (fun a -> both (n - 2) (fun b -> k (a + b)) j) (fun a -> both (n - 3) (fun b -> a + b) j)\n\
         let run n k = both n k (fun x -> x)",
    ];
    for text in programs {
        assert!(!frees(text).0, "{text}");
    }
}

/// Fails unless the output contains each part as often as given.
fn expect_counts(text: &'static str, wanted: &'static [(&'static str, usize)]) {
    with_large_stack(move || {
        let found = functions(text);
        for (part, count) in wanted {
            assert_eq!(found.matches(part).count(), *count, "{part:?} in\n{found}");
        }
    });
}

#[test]
fn regions_that_end_together_are_one() {
    // The strings of the list are made elsewhere than its nodes.
    expect_counts(
        "let rec named n = if n = 0 then [] else $\"{n}\" :: named (n - 1)\n\
         let measure n =\n    let names = named n\n    List.length names\n\
         Console.writeln (string (measure 3 + measure 4))\n",
        &[("= enter", 1), ("leave region$", 1), ("function A.named<region$.", 1), ("function A.named<region$.,", 0)],
    );
}

#[test]
fn regions_that_end_one_after_the_other_stay_apart() {
    // Each list is dropped before the next is made.
    expect_counts(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let measure n =\n    let one = List.length (build n)\n    let other = List.length (build (one + 1))\n    one + other\n\
         Console.writeln (string (measure 3 + measure 4))\n",
        &[("= enter", 2), ("leave region$", 2)],
    );
}

#[test]
fn a_region_in_which_nothing_is_allocated_does_not_begin() {
    // The recursion begins its own region for the continuations, and returns an integer.
    expect_counts(
        "let rec sum n k = if n = 0 then k 0 else sum (n - 1) (fun rest -> k (n + rest))\n\
         let run n = sum n (fun x -> x + n)\n\
         Console.writeln (string (run 3 + run 4))\n",
        &[("function A.run(", 1), ("= enter", 1)],
    );
}

/// Fails unless the regions of a program nest, or do not.
fn expect_nesting(text: &'static str, wanted: bool) {
    with_large_stack(move || {
        let program = checked("a.clef", text).placed(Level::Debug);
        assert_eq!(program.nesting.is_some(), wanted);
    });
}

#[test]
fn regions_nest_where_a_result_is_made_before_what_is_dropped() {
    expect_nesting(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let rec count n =\n    if n = 0 then 0\n    else\n        let xs = build n\n        List.length xs + count (n - 1)\n\
         Console.writeln (string (count 3 + count 4))\n",
        true,
    );
}

#[test]
fn regions_do_not_nest_where_a_result_outlives_what_it_is_made_from() {
    expect_nesting(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let rec twice xs =\n    match xs with\n    | [] -> []\n    | x :: rest -> 2 * x :: twice rest\n\
         let work n =\n    let doubled = twice (build n)\n    let more = build (n + 1)\n    List.sum doubled + List.sum more\n\
         Console.writeln (string (work 3 + work 4))\n",
        false,
    );
}

#[test]
fn the_end_of_a_region_moves_over_statements_that_allocate_nothing() {
    expect(
        "let rec build n = if n = 0 then [] else n :: build (n - 1)\n\
         let rec twice xs =\n    match xs with\n    | [] -> []\n    | x :: rest -> 2 * x :: twice rest\n\
         let work n =\n    let doubled = twice (build n)\n    List.sum doubled\n\
         Console.writeln (string (work 3 + work 4))\n",
        &["function A.work", "region$.", " = enter", "= enter", "List.sum", "leave region$", "leave region$"],
    );
}

#[test]
fn regions_of_programs_that_evacuate_do_not_nest() {
    expect_nesting(
        "let mutable kept: int list = []\n\
         for i = 1 to 1000 do kept <- [i; i + List.length kept]\n\
         Console.writeln (string (List.length kept))\n",
        false,
    );
}
