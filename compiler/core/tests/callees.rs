//! What calls of unknown closures in small programs reach. The machine checks for every program that no call reaches more.

use clef_core::callees::Callees;
use clef_optimise::Level;
use clef_testing::checked;

/// The names of the functions that each function of a program calls through unknown closures.
fn reached(text: &str) -> Vec<(String, Vec<String>)> {
    let program = checked("a.clef", text).placed(Level::Debug);
    let callees = Callees::of(&program);
    let name = |id: clef_core::FunctionId| program.functions[id].name.to_string();
    let all = program.functions.iter().map(|(id, _)| (name(id), callees.of_function(&program, id)));
    let own = all.filter(|(name, _)| name.starts_with("A."));
    own.map(|(caller, reached)| (caller, reached.into_iter().map(name).collect())).collect()
}

/// Fails unless a function reaches exactly these.
fn expect(text: &str, function: &str, wanted: &[&str]) {
    let found = reached(text);
    let reaches = found.iter().find(|(caller, _)| caller == function).map(|(_, reached)| reached);
    assert_eq!(reaches, Some(&wanted.iter().map(|name| (*name).to_owned()).collect()), "{found:?}");
}

#[test]
fn a_composition_does_not_call_itself() {
    let text = "let n = String.length \"ab\"\nlet twice f g = fun (x: int) -> f (g x)\nlet both = ref [ twice (fun x -> x + n) (fun x -> x * n) ]\nlet call (f: int -> int) = f 1\nConsole.writeln (Format.int (call (List.head both.Value)))\n";
    expect(text, "A.twice<int, int>", &["fun", "fun.2"]);
    expect(text, "A.call", &["partial<A.twice<int, int>, 2>"]);
}

#[test]
fn what_is_stored_in_one_field_is_not_called_from_another() {
    let text = "type Task = { mutable run: unit -> int; mutable stop: unit -> int }\nlet n = String.length \"ab\"\nlet task = { run = (fun () -> n); stop = (fun () -> n + 1) }\nlet change () = task.run <- fun () -> n + 2\nlet start (t: Task) = t.run () \nlet finish (t: Task) = t.stop ()\nchange ()\nConsole.writeln (Format.int (start task + finish task))\n";
    let found = reached(text);
    let of = |name: &str| found.iter().find(|(caller, _)| caller == name).map_or(0, |(_, reached)| reached.len());
    assert_eq!((of("A.start"), of("A.finish")), (2, 1), "{found:?}");
}
