//! Library functions that trap: they are inlined at their calls, and report the place of the call, at every level.

use crate::fixture::simplified;
use clef_interpret::Outcome;
use clef_optimise::Level;
use clef_testing::checked;

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
fn without_optimisation_only_functions_that_report_the_call_are_inlined() {
    let left = simplified(
        "
        let [<NoInline>] run (list: int list) = List.head list + List.length list + List.reduce (+) list
        show (run [ opaque 3; 4 ])
        ",
        Level::Debug,
    );
    assert_eq!((left.named("List.head"), left.named("List.reduce")), (0, 0), "{left}");
    assert_eq!(left.calls_of("List.length<int>"), 1, "{left}");
}
