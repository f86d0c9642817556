//! What each rewrite leaves of a small program. `place` tests with every program of `tests/run` that behaviour does not
//! change.

use clef_core::{Callee, Convention, Program};
use clef_interpret::Outcome;
use clef_optimise::Level;
use clef_testing::checked;

/// The number of closures that are created, and of calls of unknown closures.
fn counts(program: &Program) -> (usize, usize) {
    let (mut closures, mut unknown) = (0, 0);
    for (_, function) in program.functions.iter() {
        function.body.each_closure(&mut |_, _| closures += 1);
        function.body.each_call(&mut |call| unknown += usize::from(matches!(call.callee, Callee::Closure(_))));
    }
    (closures, unknown)
}

fn simplified(text: &str, level: Level) -> Program {
    checked("a.clef", text).simplified(level)
}

/// The program behaves like its PSG, and neither creates closures nor calls unknown ones.
fn vanishes(text: &str) {
    let checked = checked("a.clef", text);
    let program = checked.simplified(Level::Speed);
    let printed = clef_core::print::print(&program);
    assert_eq!(counts(&program), (0, 0), "{printed}");
    assert_eq!(checked.run_core(&program, ""), checked.run(""));
}

#[test]
fn a_literal_passed_to_a_known_function_vanishes() {
    vanishes(
        "let twice (f: int -> int) x = f (f x)\nlet run n = twice (fun x -> x + n) 1\nConsole.writeln (Format.int (run (String.length \"ab\")))\n",
    );
}

#[test]
fn a_recursive_function_is_specialised_for_its_closure() {
    vanishes(
        "let rec fold (f: int -> int -> int) acc n = if n = 0 then acc else f (fold f acc (n - 1)) n\nlet run k = fold (fun a b -> a + b * k) 0 10\nConsole.writeln (Format.int (run (String.length \"ab\")))\nConsole.writeln (Format.int (run (String.length \"abc\")))\n",
    );
}

#[test]
fn a_loop_is_specialised_for_its_closure() {
    vanishes(
        "let rec loop (f: int -> int) n acc = if n = 0 then acc else loop f (n - 1) (f acc)\nlet run k = loop (fun a -> a * k + 1) 10 0\nConsole.writeln (Format.int (run (String.length \"ab\")))\nConsole.writeln (Format.int (run (String.length \"abc\")))\n",
    );
}

#[test]
fn a_chain_of_composed_functions_vanishes() {
    vanishes(
        "let run n =\n    let add = (+) n\n    let f = add >> (fun x -> x * n) >> add\n    f 1\nConsole.writeln (Format.int (run (String.length \"ab\")))\n",
    );
}

#[test]
fn a_closure_captures_only_the_components_that_it_uses() {
    let program = simplified(
        "let keep = ref (fun (n: int) -> n)\nlet store (p: int * int * int) =\n    keep := fun n -> (match p with (a, _, _) -> a) + n\nlet mutable i = 0\nwhile i < 2 do\n    store (i, i + 1, i + 2)\n    i <- i + 1\nConsole.writeln (Format.int ((!keep) 1))\n",
        Level::Speed,
    );
    let captures: Vec<usize> = program
        .functions
        .iter()
        .filter(|(_, function)| function.convention != Convention::Known)
        .flat_map(|(_, function)| function.captures().iter().map(|&capture| function.locals[capture].ty))
        .map(|ty| usize::from(program.type_name(ty) != "int"))
        .collect();
    assert_eq!(captures.iter().sum::<usize>(), 0, "{}", clef_core::print::print(&program));
}

#[test]
fn without_optimisation_functions_of_the_source_stay() {
    let program = simplified("let f x = x + 1\nConsole.writeln (Format.int (f 1))\n", Level::Debug);
    assert!(program.functions.iter().any(|(_, function)| function.name.as_str().contains('f')));
    assert!(program.functions.len() >= 2);
}

#[test]
fn checks_of_literals_vanish() {
    let text = "let checked n =\n    if n < 0 || n >= 32 || not ('a' <= 'b') then failwith \"no\"\n    n\nConsole.writeln (Format.int (checked 31))\n";
    let printed = clef_core::print::print(&simplified(text, Level::Speed));
    assert!(!printed.contains("fail") && !printed.contains("less"), "{printed}");
}

#[test]
fn arities_are_not_read_where_one_is_left() {
    let program = simplified(
        "let keep = ref (fun (a: int) (b: int) -> a + b)\nlet use1 () = (!keep) 1\nConsole.writeln (Format.int (use1 () 2))\n",
        Level::Speed,
    );
    assert!(program.arity_tagged.is_empty(), "{}", clef_core::print::print(&program));
}

/// A program that traps does so at this place, at every level, and like its PSG.
fn traps_at(text: &str, place: &str) {
    let checked = checked("a.clef", text);
    let report = |outcome| match outcome {
        Outcome::Trapped(trap) => trap.report(&checked.sources),
        Outcome::Finished { .. } | Outcome::OutOfFuel => panic!("{text}: no trap"),
    };
    let wanted = report(checked.run("").1);
    assert!(wanted.ends_with(&format!(" at {place}")), "{text}: {wanted}");
    for level in [Level::Debug, Level::Speed, Level::Size] {
        let program = checked.simplified(level);
        assert_eq!(report(checked.run_core(&program, "").1), wanted, "{text} at {level:?}");
    }
}

#[test]
fn a_library_function_traps_where_it_is_called() {
    let list = "let xs: int list = []\n";
    for (call, column) in [
        ("xs[3]", 30),
        ("List.head xs", 30),
        ("(xs |> List.item 2)", 31),
        ("List.exactlyOne xs", 30),
        ("(Map.ofList [ 1, 1 ])[2]", 31),
        ("Option.get (List.tryHead xs)", 30),
        ("(List.tryHead xs).Value", 31),
        ("Array.last [||]", 30),
        ("Seq.head xs", 30),
        ("(if xs.IsEmpty then List.find (fun x -> x > 1) xs else 0)", 50),
        ("int \"ab\"[2]", 34),
        ("(fun x y -> List.reduce x y) (+) xs", 42),
    ] {
        traps_at(&format!("{list}Console.writeln (Format.int ({call}))\n"), &format!("a.clef:2:{column}"));
    }
}

#[test]
fn a_library_function_as_a_value_traps_where_it_is_called() {
    let text = "let firsts (f: int list -> int) = List.map f [ []; [ 1 ] ]\nprintfn \"%A\" (firsts List.head)\n";
    let checked = checked("a.clef", text);
    let (_, wanted) = checked.run("");
    assert_eq!(checked.run_core(&checked.simplified(Level::Debug), "").1, wanted);
    assert_eq!(checked.run_core(&checked.simplified(Level::Speed), "").1, wanted);
}

#[test]
fn a_pipeline_over_a_known_sequence_vanishes() {
    vanishes(concat!(
        "let total n =\n    seq { for i in 1..n do yield i; yield i + 1 } |> Seq.map (fun x -> x * 3)\n",
        "    |> Seq.filter (fun x -> x % 2 = 0) |> Seq.mapi (+) |> Seq.skip 1 |> Seq.takeWhile (fun x -> x < 90)\n",
        "    |> Seq.truncate 4 |> Seq.sum\nConsole.writeln (Format.int (total 10))\n",
    ));
}
