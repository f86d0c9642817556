//! Which nodes are made in the memory of others, and that the program then still does what its source says.

use clef_core::{Rhs, print};
use clef_optimise::Level;
use clef_testing::checked;

/// The number of nodes that are reused. The program behaves like its PSG.
fn reused(text: &str) -> usize {
    let checked = checked("a.clef", text);
    let program = checked.simplified(Level::Speed);
    assert_eq!(checked.run_core(&program, ""), checked.run(""), "{}", print::print(&program));
    let mut found = 0;
    for function in program.functions.values() {
        function.body.each_statement(&mut |statement| {
            found += usize::from(matches!(statement.rhs(), Some(Rhs::Inject { reuse: Some(_), .. })));
        });
    }
    found
}

/// A search tree, and a number that is not known when the program is compiled.
const TREE: &str = "\
type Tree =\n    | Leaf\n    | Node of left: Tree * value: int * right: Tree\n
let rec insert value tree =\n    match tree with\n    | Leaf -> Node (Leaf, value, Leaf)\n    | Node (left, own, right) when value < own -> Node (insert value left, own, right)\n    | Node (left, own, right) when value > own -> Node (left, own, insert value right)\n    | Node _ -> tree\n
let rec sum tree =\n    match tree with\n    | Leaf -> 0\n    | Node (left, value, right) -> sum left * 3 + value + sum right * 5\n
let [<NoInline>] known n = String.length (String.replicate n \"a\")\n";

fn in_tree(rest: &str) -> usize {
    reused(&format!("{TREE}{rest}"))
}

#[test]
fn a_state_that_is_replaced_is_changed_in_place() {
    let found = in_tree(
        "let run count =\n    let mutable tree = Leaf\n    for i in 1 .. count do\n        tree <- insert (i * 7 % 10) tree\n    sum tree\nConsole.writeln (string (run (known 9)))\n",
    );
    assert_eq!(found, 2);
}

#[test]
fn a_state_that_is_passed_on_is_changed_in_place() {
    let found = in_tree(
        "let rec run count tree = if count = 0 then sum tree else run (count - 1) (insert (count * 7 % 10) tree)\nConsole.writeln (string (run (known 9) Leaf))\n",
    );
    assert_eq!(found, 2);
}

#[test]
fn a_value_that_is_used_again_is_not_changed() {
    let found = in_tree(
        "let run count =\n    let mutable tree = Leaf\n    for i in 1 .. count do\n        let before = tree\n        tree <- insert (i * 7 % 10) tree\n        if sum before = sum tree then Console.writeln \"same\"\n    sum tree\nConsole.writeln (string (run (known 9)))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn a_value_with_two_references_is_not_changed() {
    let found = in_tree(
        "let one = insert (known 3) (insert (known 5) Leaf)\nlet both = Node (one, 4, one)\nlet all = insert (known 2) both\nConsole.writeln (string (sum all) + \" \" + string (sum one))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn an_argument_that_is_passed_twice_is_not_changed() {
    let found = in_tree(
        "let [<NoInline>] both one other = sum (insert 1 one) * 100 + sum (insert 2 other)\nlet run n =\n    let tree = insert n Leaf\n    both tree tree\nConsole.writeln (string (run (known 3)))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn a_value_in_a_closure_a_cell_or_an_array_is_not_changed() {
    let captured = in_tree(
        "let run n =\n    let tree = insert n Leaf\n    let again () = sum (insert 1 tree)\n    again () + again () * 10\nConsole.writeln (string (run (known 3)))\n",
    );
    let in_cell = in_tree(
        "let cell = ref (insert (known 3) Leaf)\nlet run n =\n    let before = !cell\n    cell := insert n before\n    sum before + 100 * sum !cell\nConsole.writeln (string (run (known 2) + run (known 7)))\n",
    );
    let in_array = in_tree(
        "let trees = [| insert (known 3) Leaf; Leaf |]\nlet run n =\n    trees.[1] <- insert n trees.[0]\n    sum trees.[0] + 100 * sum trees.[1]\nConsole.writeln (string (run (known 2) + run (known 7)))\n",
    );
    assert_eq!((captured, in_cell, in_array), (0, 0, 0));
}

#[test]
fn a_value_from_before_a_loop_is_not_changed_in_it() {
    let found = in_tree(
        "let run n =\n    let tree = insert n Leaf\n    let mutable total = 0\n    for i in 1 .. 3 do\n        total <- total * 10 + sum (insert i tree)\n    total\nConsole.writeln (string (run (known 5)))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn a_part_that_is_used_again_is_not_changed() {
    let found = in_tree(
        "let run n =\n    match insert n (insert (n + 2) Leaf) with\n    | Node (left, value, right) ->\n        let changed = Node (insert 1 right, value, left)\n        sum changed * 100 + sum right\n    | Leaf -> 0\nConsole.writeln (string (run (known 5)))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn a_case_without_fields_has_no_memory() {
    let found = in_tree(
        "let rec grow value tree =\n    match tree with\n    | Leaf -> Node (tree, value, tree)\n    | Node (left, own, right) -> Node (right, own + value, grow value left)\nlet run count =\n    let mutable tree = Leaf\n    for i in 1 .. count do\n        tree <- grow i tree\n    sum tree\nConsole.writeln (string (run (known 9)))\n",
    );
    assert_eq!(found, 1);
}

#[test]
fn lists_are_mapped_and_reversed_in_place() {
    let found = reused(
        "let rec reverse list onto =\n    match list with\n    | [] -> onto\n    | head :: tail -> reverse tail (head :: onto)\nlet rec twice list =\n    match list with\n    | [] -> []\n    | head :: tail -> head * 2 :: twice tail\nlet rec digits n = if n = 0 then [] else n % 10 :: digits (n / 10)\nlet [<NoInline>] run n = List.fold (fun a b -> a * 10 + b) 0 (reverse (twice (digits n)) [])\nConsole.writeln (string (run 123 + run 40))\n",
    );
    assert_eq!(found, 2);
}

#[test]
fn a_join_of_a_shared_and_an_owned_value_is_shared() {
    let found = in_tree(
        "let shared = insert (known 3) Leaf\nlet [<NoInline>] run n =\n    let tree = if n > 3 then shared else insert n Leaf\n    sum (insert 1 tree) * 100 + sum shared\nConsole.writeln (string (run (known 2) + run (known 5)))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn maps_are_changed_in_place() {
    let found = reused(
        "let run count =\n    let mutable map = Map.empty\n    for i in 1 .. count do\n        map <- Map.add (i * 37 % 101) i map\n    Map.fold (fun sum key value -> sum * 3 + key * value) 1 map\nConsole.writeln (string (run (String.length (String.replicate 90 \"a\"))))\n",
    );
    assert!(found >= 10, "{found}");
}

#[test]
fn a_slot_that_is_read_before_it_is_written_is_not_changed_afterwards() {
    let found = in_tree(
        "let run count =\n    let mutable tree = insert count Leaf\n    let mutable last = Leaf\n    for i in 1 .. count do\n        last <- tree\n        tree <- insert i tree\n    sum tree * 100 + sum last\nConsole.writeln (string (run (known 4)))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn a_loop_over_a_list_makes_its_result_in_the_nodes_of_the_list() {
    let found = reused(
        "let shown text x =\n    Console.write text\n    x + 1\nlet [<NoInline>] run n = List.init n (shown \"a\") |> List.map (shown \"b\") |> List.filter (fun x -> shown \"c\" x % 2 = 0) |> List.iter (fun x -> Console.writeln (string x))\nrun (String.length \"abcde\")\n",
    );
    assert_eq!(found, 2);
}

#[test]
fn a_list_that_is_used_again_is_not_changed() {
    let found = reused(
        "let [<NoInline>] run n =\n    let all = List.init n (fun i -> i * 3)\n    let more = List.map (fun x -> x + n) all\n    List.sum all * 1000 + List.sum more\nConsole.writeln (string (run (String.length \"abcde\")))\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn the_former_content_of_a_slot_is_shared_if_it_may_be_the_present_one() {
    let found = in_tree(
        "let [<NoInline>] run count =\n    let mutable tree = insert count Leaf\n    let mutable turns = 0\n    while turns < 2 do\n        let before = tree\n        if count + turns > 3 then tree <- Leaf\n        let changed = insert 1 before\n        Console.writeln (string (sum changed * 100 + sum tree))\n        turns <- turns + 1\nrun (known 2)\nrun (known 3)\nrun (known 5)\n",
    );
    assert_eq!(found, 0);
}

#[test]
fn the_former_content_of_a_slot_is_owned_by_who_read_it() {
    let found = in_tree(
        "let [<NoInline>] run count =\n    let mutable tree = insert count Leaf\n    let mutable turns = 0\n    while turns < 3 do\n        let before = tree\n        tree <- insert (turns * 2) Leaf\n        Console.writeln (string (sum (insert 1 before) * 100 + sum tree))\n        turns <- turns + 1\nrun (known 2)\nrun (known 3)\n",
    );
    assert_eq!(found, 2);
}
